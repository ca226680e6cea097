/* The record: all that one analysis produced, as data (schema "spmodel.record/1", docs/record.schema.json).
 *
 * Reports, plots, tracking and labs read only this. It is a JSON document in SI base units with C-locale
 * numbers; unknown fields are kept when a record is read and written again; minor versions only add. What is
 * undefined is {"value": null, "why": "..."}, never 0 or absent without a word. */
#ifndef SP_IO_RECORD_H
#define SP_IO_RECORD_H

#include <jansson.h>
#include <stdbool.h>

#include "base/reading.h"
#include "base/status.h"

#define SP_RECORD_SCHEMA "spmodel.record/1"

struct sp_record {
    json_t *root; /* owned; NULL in a zeroed record */
    bool failed;  /* memory ran out while it was built: sp_record_write() and sp_record_print() refuse it */
};

/* An empty record with schema, id, tool and time.start filled; id is made of the time (UTC), `name` and 8
 * hexadecimal digits: the microseconds of the second (5) and random ones (3). So ids of one name sort by
 * time. */
enum sp_status sp_record_new(const char *name, struct sp_record *record, struct sp_error *err);
void sp_record_free(struct sp_record *record); /* safe twice */

/* Setters. `path` is dotted ("config.threads"), missing objects are made; a failing allocation is remembered
 * in the record and reported by sp_record_write(), so that building a record needs no checks line by line. */
void sp_record_set_text(struct sp_record *record, const char *path, const char *text);
void sp_record_set_count(struct sp_record *record, const char *path, int64_t n);
void sp_record_set_number(struct sp_record *record, const char *path, double x); /* NaN, inf: null */
void sp_record_set_flag(struct sp_record *record, const char *path, bool truth);
void sp_record_set_null(struct sp_record *record, const char *path, const char *why);
/* {"value", "lo", "hi", "unit", "origin"} or {"value": null, "unit", "why"}. unit: "s", "B", "B/s", "flop/s",
 * "B/flop", "1". */
void sp_record_set_value(struct sp_record *record, const char *path, struct sp_value value, const char *unit);
/* metrics.NAME: a value with "better" ("lower", "higher", "none") and a one-sentence definition. */
void sp_record_set_metric(struct sp_record *record, const char *name, struct sp_value value, const char *unit,
                          const char *better, const char *definition);
/* The same object, not yet anywhere: new reference, NULL when memory is short. */
json_t *sp_record_value_json(struct sp_value value, const char *unit);
/* Puts an object or array at `path` and steals it; NULL object: remembered failure. */
void sp_record_set_object(struct sp_record *record, const char *path, json_t *object);
/* Appends an object to the array at `path` (made when missing) and steals it; NULL object: remembered
 * failure. */
void sp_record_append(struct sp_record *record, const char *path, json_t *object);
/* Appends to flags: what a reader must know before believing the numbers. */
void sp_record_add_flag(struct sp_record *record, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Getters; false (and *out untouched) where the field is missing, null or of another type. */
bool sp_record_text(const struct sp_record *record, const char *path, const char **out);
bool sp_record_count(const struct sp_record *record, const char *path, int64_t *out);
bool sp_record_number(const struct sp_record *record, const char *path, double *out);
bool sp_record_flag(const struct sp_record *record, const char *path, bool *out);
/* A value object; where it is null or missing the result has origin SP_NONE and a reason (static or borrowed
 * from the record). */
struct sp_value sp_record_value(const struct sp_record *record, const char *path);
/* The same of a value object that is already at hand. */
struct sp_value sp_record_value_of(const json_t *object);
struct sp_value sp_record_metric(const struct sp_record *record, const char *name);
/* The array or object at `path`, borrowed; NULL: none. */
const json_t *sp_record_node(const struct sp_record *record, const char *path);

/* Reads and checks a record file: SP_INPUT names what is damaged (line and column where it is no JSON), or
 * the schema version that this program does not know. */
enum sp_status sp_record_read(const char *path, struct sp_record *record, struct sp_error *err);
/* The same of a line of JSON Lines, text[size], which is line `line` of the file `path`. */
enum sp_status sp_record_read_line(const char *path, int64_t line, const char *text, size_t size,
                                   struct sp_record *record, struct sp_error *err);
/* Writes it atomically, indented, sorted as it was built, 17 significant digits. Sets time.end when missing.
 */
enum sp_status sp_record_write(struct sp_record *record, const char *path, struct sp_error *err);
/* One line (JSON Lines) or indented onto an open stream; SP_OUTPUT on a write error. */
enum sp_status sp_record_print(const struct sp_record *record, FILE *stream, bool one_line,
                               struct sp_error *err);

#endif
