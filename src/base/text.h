/* Numbers and units for people, on the terminal; files and interfaces keep SI base units. */
#ifndef SP_BASE_TEXT_H
#define SP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/reading.h"

/* 14612663 -> "14 612 663" (groups of three, plain blanks). Returns text. */
char *sp_text_count(char *text, size_t size, int64_t n);
/* The same for a number that may be none: "?" where it is not finite or beyond int64. */
char *sp_text_whole(char *text, size_t size, double x);
/* 16.5e6 -> "16.5 MB", 1.2e12 -> "1.20 TB"; SI prefixes, three digits. Returns text. */
char *sp_text_bytes(char *text, size_t size, double bytes);
/* 31 years: no time that is typed is longer. */
#define SP_LONGEST_S 1e9
/* 0.00431 -> "4.31 ms". Returns text. */
char *sp_text_seconds(char *text, size_t size, double seconds);

/* "64M", "1.5G", "32KiB", "4096" -> bytes (K, M, G, T: powers of 1000; Ki, Mi, Gi, Ti: of 1024; a
 * trailing B is allowed). Returns 0 on success, -1 when the text is no size. */
int sp_parse_bytes(const char *text, double *bytes);
/* "90", "1.5s", "200ms", "5m", "1h" -> seconds, up to SP_LONGEST_S. Returns 0 or -1. */
int sp_parse_seconds(const char *text, double *seconds);
/* A whole decimal number without rest; digits may not overflow int64. Returns 0 or -1. */
int sp_parse_count(const char *text, int64_t *n);
/* A finite C-locale number without rest. Returns 0 or -1. */
int sp_parse_number(const char *text, double *x);

/* Age in words: "12 s", "5 min", "3 h", "12 days"; "unknown time" for NAN; returns text. */
char *sp_text_age(char *text, size_t size, double seconds);

/* Of a list "a, b, c" of n items those that fit whole, then " and 2 more"; returns text. */
char *sp_text_items(char *text, size_t size, const char *list, int n);

/* Figures for people, from values in SI units: three significant digits, intervals, percent. All
 * return `text`, which is UTF-8. */

/* Decimals that show x with `digits` significant ones, none below the point needed: 0 ... 9. */
int sp_figure_decimals(double x, int digits);
/* 4.309 -> "4.31", 1152 -> "1152". */
char *sp_figure(char *text, size_t size, double x, int digits);
/* x / scale with its interval where it has one: "76.0 ±0.8"; its ends where the wider side is
 * above 30 % of the value, or three times the other one: "26.2 (25.1 … 41.0)". */
char *sp_figure_interval(char *text, size_t size, double x, double lo, double hi, double scale, int digits);
/* 0.801 -> "80 %", 0.012 -> "1.2 %", -0.148 -> "−15 %". */
char *sp_figure_percent(char *text, size_t size, double fraction);
/* The same of a share of a roof: what is above it shows that another roof holds, ">100 %". */
char *sp_figure_share(char *text, size_t size, double share);
/* "0.39 ±0.01 simulated", or "unknown (why)". `scale`: SI units in one unit shown; `unit` is put
 * before the word, "" none. */
char *sp_figure_value(char *text, size_t size, struct sp_value v, double scale, const char *unit, int digits);

/* A unit in which x has one to three digits before the point. */
/* The last part of a path; all of it where that is empty. */
const char *sp_text_file_name(const char *path);

struct sp_scale {
    double factor; /* SI units in one */
    const char *prefix;
};
struct sp_scale sp_scale_of(double x);         /* "", "k", "M", "G", "T" */
struct sp_scale sp_scale_of_seconds(double s); /* "ns", "us", "ms", "s" */

#endif
