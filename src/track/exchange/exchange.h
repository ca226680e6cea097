/* Measurements of other programs as series, and series for other programs: a row of a table a
 * format. What comes in is a list of values, each with the series, machine, source and time that it
 * belongs to; sp_outside_records() makes records of it. */
#ifndef SP_TRACK_EXCHANGE_H
#define SP_TRACK_EXCHANGE_H

#include <stdbool.h>
#include <stdio.h>

#include "track/store/entry.h"

/* One measured value of another program. */
struct sp_outside_value {
    char name[256];        /* of its series */
    char machine[64];      /* host, or system and partition */
    char env[SP_KEY_TEXT]; /* what must agree so that two may be compared */
    char commit[64], branch[64];
    char start[24]; /* ISO 8601, UTC */
    enum sp_tracked metric;
    double value; /* SI units */
    enum sp_origin origin;
    int64_t line; /* of the file; 0: not known */
};

/* Zero-initialise; sp_outside_free(). */
struct sp_outside {
    int64_t n, most;
    struct sp_outside_value *value; /* [n] owned */
    int64_t n_left_out;             /* that cannot be tracked */
    char left_out[160];             /* the first of them, and why; "" */
};
void sp_outside_free(struct sp_outside *o);

/* What the file does not say itself; each may be NULL. */
struct sp_outside_defaults {
    const char *commit, *branch, *machine, *start;
};

/* Where the reader of a format is, for errors that name file and line. */
struct sp_outside_reading {
    const char *path, *text; /* text[size], '\0' behind it */
    size_t size;
    const struct sp_outside_defaults *otherwise;
    struct sp_outside *out;
};

/* What a writer is told. */
struct sp_exchange_options {
    const char *repository; /* URL of the source, for Conbench; NULL: not known */
};

struct sp_exchange_format {
    const char *name;       /* as it is typed */
    const char *short_name; /* also; NULL: none */
    const char *what;       /* of which program */
    const char *fields;     /* what its fields mean here, a sentence or two */
    /* In; NULL: it is only written. */
    bool (*is_it)(const char *text, size_t size);
    enum sp_status (*read)(const struct sp_outside_reading *r, struct sp_error *err);
    /* Out: list[n] by series, then start, into a stream, or into a folder, which is made; both
     * NULL: it is only read. Write errors stay in the stream's error flag. */
    enum sp_status (*write)(const struct sp_entry *const *list, int64_t n,
                            const struct sp_exchange_options *o, FILE *out, struct sp_error *err);
    enum sp_status (*write_folder)(const struct sp_entry *const *list, int64_t n,
                                   const struct sp_exchange_options *o, const char *folder,
                                   struct sp_error *err);
};
extern const struct sp_exchange_format sp_exchange_formats[];        /* ends with a NULL name */
const struct sp_exchange_format *sp_exchange_find(const char *name); /* NULL: none */

/* Reads a file of the format (NULL: whichever it looks like; *format says which). SP_INPUT with
 * file, line, what, and the remedy. */
enum sp_status sp_exchange_read(const char *path, const struct sp_exchange_format **format,
                                const struct sp_outside_defaults *otherwise, struct sp_outside *out,
                                struct sp_error *err);

/* Records of the values, one for each series, machine, source and time: repeated times are its
 * runs. The same values make the same record, with the same id. sp_outside_records_free(). */
struct sp_outside_records {
    int64_t n;
    struct sp_record *record; /* [n] */
    int64_t *line;            /* [n] of its first value */
};
enum sp_status sp_outside_records(const struct sp_outside *o, const struct sp_exchange_format *format,
                                  struct sp_outside_records *records, struct sp_error *err);
void sp_outside_records_free(struct sp_outside_records *records);

/* A date as people and programs write it, into that of records, UTC: ISO 8601 with a zone, "Z" or
 * none (UTC), a day, month or year, or seconds since 1970. false: it is none. */
bool sp_exchange_date(const char *text, char *out, size_t size);

/* --- For the rows ---------------------------------------------------------------------------- */

/* Appends one. `date` is sp_exchange_date()'s; NULL or "": the default's. Where the file names no
 * machine, the default's; without a time, SP_INPUT. */
struct sp_outside_text {
    const char *name, *machine, *env, *commit, *branch, *date;
};
enum sp_status sp_outside_add(const struct sp_outside_reading *r, int64_t line,
                              const struct sp_outside_text *text, enum sp_tracked metric, double value,
                              enum sp_origin origin, struct sp_error *err);
/* One that cannot be tracked. */
void sp_outside_leave_out(const struct sp_outside_reading *r, const char *name, const char *why);
/* The metric that a unit means ("us", "GB/s", "Gflop/s", "MiB"), and SI units in one; false:
 * none. */
bool sp_outside_unit(const char *unit, enum sp_tracked *metric, double *factor);
/* Of a line that begins at `at`, counted from 1. */
int64_t sp_outside_line(const struct sp_outside_reading *r, const char *at);

/* The name of a series for other programs: its matrix and, of records of this program, what was
 * run. */
char *sp_exchange_series_name(const struct sp_entry *e, char *text, size_t size);

/* Rows of the table in exchange.c. */
bool sp_is_gbench(const char *text, size_t size);
bool sp_is_reframe(const char *text, size_t size);
bool sp_is_caliper(const char *text, size_t size);
bool sp_is_thicket(const char *text, size_t size);
bool sp_is_series_csv(const char *text, size_t size);
enum sp_status sp_read_gbench(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_reframe(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_caliper(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_thicket(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_series_csv(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_write_series_csv(const struct sp_entry *const *list, int64_t n,
                                   const struct sp_exchange_options *o, FILE *out, struct sp_error *err);
enum sp_status sp_write_asv(const struct sp_entry *const *list, int64_t n,
                            const struct sp_exchange_options *o, const char *folder, struct sp_error *err);
enum sp_status sp_write_conbench(const struct sp_entry *const *list, int64_t n,
                                 const struct sp_exchange_options *o, FILE *out, struct sp_error *err);
enum sp_status sp_write_github_action(const struct sp_entry *const *list, int64_t n,
                                      const struct sp_exchange_options *o, FILE *out, struct sp_error *err);

#endif
