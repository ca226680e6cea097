/* Figures for people, from values in SI units: three significant digits, intervals, percent. All
 * return `text`, which is UTF-8. */
#ifndef SP_BASE_FIGURES_H
#define SP_BASE_FIGURES_H

#include <stddef.h>

#include "base/reading.h"

/* Decimals that show x with `digits` significant ones, none below the point needed: 0 ... 9. */
int sp_figure_decimals(double x, int digits);
/* 4.309 -> "4.31", 1152 -> "1152". */
char *sp_figure(char *text, size_t size, double x, int digits);
/* x / scale with its interval where it has one: "76.0 ±0.8"; its ends where the wider side is
 * above 30 % of the value, or three times the other one: "26.2 (25.1 … 41.0)". */
char *sp_figure_interval(char *text, size_t size, double x, double lo, double hi, double scale, int digits);
/* 0.801 -> "80 %", 0.012 -> "1.2 %", -0.148 -> "−15 %". */
char *sp_figure_percent(char *text, size_t size, double fraction);
/* "0.39 ±0.01 simulated", or "unknown (why)". `scale`: SI units in one unit shown; `unit` is put
 * before the word, "" none. */
char *sp_figure_value(char *text, size_t size, struct sp_value v, double scale, const char *unit, int digits);

/* A unit in which x has one to three digits before the point. */
struct sp_scale {
    double factor; /* SI units in one */
    const char *prefix;
};
struct sp_scale sp_scale_of(double x);         /* "", "k", "M", "G", "T" */
struct sp_scale sp_scale_of_seconds(double s); /* "ns", "us", "ms", "s" */

#endif
