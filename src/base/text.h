/* Numbers and units for people, on the terminal; files and interfaces keep SI base units. */
#ifndef SP_BASE_TEXT_H
#define SP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* 14612663 -> "14 612 663" (groups of three, plain blanks). Returns text. */
char *sp_text_count(char *text, size_t size, int64_t n);
/* The same for a number that may be none: "?" where it is not finite or beyond int64. */
char *sp_text_whole(char *text, size_t size, double x);
/* 16.5e6 -> "16.5 MB", 1.2e12 -> "1.20 TB"; SI prefixes, three digits. Returns text. */
char *sp_text_bytes(char *text, size_t size, double bytes);
/* 0.00431 -> "4.31 ms". Returns text. */
char *sp_text_seconds(char *text, size_t size, double seconds);

/* "64M", "1.5G", "32KiB", "4096" -> bytes (K, M, G, T: powers of 1000; Ki, Mi, Gi, Ti: of 1024; a
 * trailing B is allowed). Returns 0 on success, -1 when the text is no size. */
int sp_parse_bytes(const char *text, double *bytes);
/* "90", "1.5s", "200ms", "5m", "1h" -> seconds. Returns 0 or -1. */
int sp_parse_seconds(const char *text, double *seconds);
/* A whole decimal number without rest; digits may not overflow int64. Returns 0 or -1. */
int sp_parse_count(const char *text, int64_t *n);
/* A finite C-locale number without rest. Returns 0 or -1. */
int sp_parse_number(const char *text, double *x);

/* Age in words: "12 s", "5 min", "3 h", "12 days"; "unknown time" for NAN; returns text. */
char *sp_text_age(char *text, size_t size, double seconds);

/* Of a list "a, b, c" of n items those that fit whole, then " and 2 more"; returns text. */
char *sp_text_items(char *text, size_t size, const char *list, int n);

#endif
