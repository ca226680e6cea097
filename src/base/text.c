#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *sp_text_count(char *text, size_t size, int64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    size_t out = 0;
    int start = digits[0] == '-' ? 1 : 0;
    for (int i = 0; i < length && out + 2 < size; i++) {
        if (i > start && (length - i) % 3 == 0)
            text[out++] = ' ';
        text[out++] = digits[i];
    }
    if (size)
        text[out < size ? out : size - 1] = '\0';
    return text;
}

char *sp_text_whole(char *text, size_t size, double x)
{
    if (fabs(x) < 0x1p63)
        return sp_text_count(text, size, (int64_t)x);
    snprintf(text, size, "?");
    return text;
}

static char *scaled(char *text, size_t size, double x, const char *const *units, int n_units)
{
    int u = 0;
    while (u + 1 < n_units && fabs(x) >= 999.5) {
        x /= 1000;
        u++;
    }
    int decimals = fabs(x) >= 99.95 ? 0 : fabs(x) >= 9.995 ? 1 : 2;
    snprintf(text, size, "%.*f %s", u == 0 && x == floor(x) ? 0 : decimals, x, units[u]);
    return text;
}

char *sp_text_bytes(char *text, size_t size, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    return scaled(text, size, bytes, units, 6);
}

char *sp_text_seconds(char *text, size_t size, double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    if (fabs(seconds) > SP_LONGEST_S) { /* also infinity, and what the unit of ns makes infinite */
        snprintf(text, size, "more than 31 years");
        return text;
    }
    return scaled(text, size, seconds * 1e9, units, 4);
}

int sp_parse_number(const char *text, double *x)
{
    char *end;
    errno = 0;
    *x = strtod(text, &end);
    return end == text || *end || errno == ERANGE || !isfinite(*x) ? -1 : 0;
}

int sp_parse_count(const char *text, int64_t *n)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *n = value;
    return end == text || *end || errno == ERANGE ? -1 : 0;
}

int sp_parse_bytes(const char *text, double *bytes)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || !isfinite(x) || x < 0)
        return -1;
    static const char prefixes[] = "KkMmGgTt";
    const char *p = *end ? strchr(prefixes, *end) : NULL;
    if (p) {
        int power = (int)((p - prefixes) / 2) + 1;
        double base = end[1] == 'i' ? 1024 : 1000;
        end += end[1] == 'i' ? 2 : 1;
        x *= pow(base, power);
    }
    if (*end == 'B')
        end++;
    *bytes = x;
    return *end ? -1 : 0;
}

int sp_parse_seconds(const char *text, double *seconds)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text || !isfinite(x) || x < 0)
        return -1;
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {{"", 1},      {"s", 1},  {"ms", 1e-3}, {"us", 1e-6},
                 {"ns", 1e-9}, {"m", 60}, {"min", 60},  {"h", 3600}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].suffix) == 0) {
            *seconds = x * units[i].factor;
            return *seconds <= SP_LONGEST_S ? 0 : -1;
        }
    return -1;
}

char *sp_text_age(char *text, size_t size, double seconds)
{
    static const struct {
        double s;
        const char *word;
    } unit[] = {{86400, "days"}, {3600, "h"}, {60, "min"}};
    if (isnan(seconds)) {
        snprintf(text, size, "unknown time");
        return text;
    }
    for (int i = 0; i < 3; i++)
        if (seconds >= 2 * unit[i].s) {
            snprintf(text, size, "%.0f %s", seconds / unit[i].s, unit[i].word);
            return text;
        }
    snprintf(text, size, "%.0f s", seconds > 0 ? seconds : 0);
    return text;
}

char *sp_text_items(char *text, size_t size, const char *list, int n)
{
    enum { MORE = 24 }; /* " and 2147483647 more" */
    size_t taken = 0;
    int n_taken = 0;
    for (const char *at = list; *at; n_taken++) {
        const size_t length = strcspn(at, ","), end = (size_t)(at - list) + length;
        if (end + MORE > size && (at[length] || end + 1 > size))
            break;
        taken = end;
        at += length + strspn(at + length, ", ");
    }
    if (n_taken < n)
        snprintf(text, size, "%.*s%s%d more", (int)taken, list, taken ? " and " : "", n - n_taken);
    else
        snprintf(text, size, "%.*s", (int)taken, list);
    return text;
}

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

char *sp_figure_share(char *text, size_t size, double share)
{
    if (!(share > 1))
        return sp_figure_percent(text, size, share);
    snprintf(text, size, ">100 %%");
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

const char *sp_text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
