/* What comes in from other programs: a list of values, each with the series, machine, source and
 * time that it belongs to, and the records that are made of it. Readers of formats
 * (track/exchange/exchange.h) fill it. */
#ifndef SP_TRACK_OUTSIDE_H
#define SP_TRACK_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

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

/* Appends one. `date` is sp_outside_date()'s; NULL or "": the default's. Where the file names no
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

/* A date as people and programs write it, into that of records, UTC: ISO 8601 with a zone, "Z" or
 * none (UTC), a day, month or year, or seconds since 1970. false: it is none. */
bool sp_outside_date(const char *text, char *out, size_t size);

/* Records of the values, one for each series, machine, source and time: repeated times are its
 * runs. The same values make the same record, with the same id. sp_outside_records_free(). */
struct sp_outside_records {
    int64_t n;
    struct sp_record *record; /* [n] */
    int64_t *line;            /* [n] of its first value */
};
enum sp_status sp_outside_records(const struct sp_outside *o, const char *format,
                                  struct sp_outside_records *records, struct sp_error *err);
void sp_outside_records_free(struct sp_outside_records *records);

#endif
