#include "base/figures.h"

#include <math.h>
#include <stdio.h>

int sp_figure_decimals(double x, int digits)
{
    x = fabs(x);
    if (!(x > 0) || !isfinite(x))
        return 0;
    int before = (int)floor(log10(x)) + 1;
    /* 9.996 needs one decimal less than 9.99, because it is shown as 10.0. */
    if (x * pow(10, digits - before) >= pow(10, digits) - 0.5)
        before++;
    int decimals = digits - before;
    return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

char *sp_figure(char *text, size_t size, double x, int digits)
{
    snprintf(text, size, "%.*f", sp_figure_decimals(x, digits), x);
    return text;
}

/* A half-width above this part of the value, or this many times the other side, misleads as ±. */
static const double WIDE = 0.3, SKEWED = 3, SMALL = 0.05;

char *sp_figure_interval(char *text, size_t size, double x, double lo, double hi, double scale, int digits)
{
    const double half = fmax(hi - x, x - lo) / scale, other = fmin(hi - x, x - lo) / scale;
    const bool wide = half > WIDE * fabs(x / scale),
               skewed = half > SKEWED * other && half > SMALL * fabs(x / scale);
    int decimals = sp_figure_decimals(x / scale, digits);
    if (half > 0 && half >= 0.5 * pow(10, -decimals) && (wide || skewed))
        snprintf(text, size, "%.*f (%.*f … %.*f)", decimals, x / scale,
                 sp_figure_decimals(lo / scale, digits), lo / scale, sp_figure_decimals(hi / scale, digits),
                 hi / scale);
    else if (half > 0 && half >= 0.5 * pow(10, -decimals))
        snprintf(text, size, "%.*f ±%.*f", decimals, x / scale, decimals, half);
    else
        snprintf(text, size, "%.*f", decimals, x / scale);
    return text;
}

char *sp_figure_percent(char *text, size_t size, double fraction)
{
    double percent = fabs(fraction) * 100;
    int decimals = percent < 0.95 && percent > 0.005 && fabs(percent - round(percent)) > 0.05 ? 1 : 0;
    bool negative = fraction < 0 && percent >= 0.05;
    snprintf(text, size, "%s%.*f %%", negative ? "−" : "", decimals, percent);
    return text;
}

char *sp_figure_value(char *text, size_t size, struct sp_value v, double scale, const char *unit, int digits)
{
    if (!sp_value_known(v)) {
        snprintf(text, size, "unknown (%s)", v.why ? v.why : "no reason given");
        return text;
    }
    char number[64];
    sp_figure_interval(number, sizeof number, v.value, v.lo, v.hi, scale, digits);
    snprintf(text, size, "%s%s%s %s", number, *unit ? " " : "", unit, sp_origin_name(v.origin));
    return text;
}

static struct sp_scale pick(double x, const struct sp_scale *scales, int n)
{
    int i = 0;
    while (i + 1 < n && fabs(x) >= 999.5 * scales[i].factor)
        i++;
    return scales[i];
}

struct sp_scale sp_scale_of(double x)
{
    static const struct sp_scale scales[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}};
    return pick(x, scales, 5);
}

struct sp_scale sp_scale_of_seconds(double s)
{
    static const struct sp_scale scales[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};
    return pick(s, scales, 4);
}
