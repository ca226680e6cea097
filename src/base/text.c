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
    } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"min", 60}, {"h", 3600}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].suffix) == 0) {
            *seconds = x * units[i].factor;
            return 0;
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
