/* The record: all that one analysis produced, as data (schema "spmodel.record/1",
 * docs/record.schema.json).
 *
 * Reports, plots, tracking and labs read only this. It is a JSON document in SI base units with
 * C-locale numbers; unknown fields are kept when a record is read and written again; minor versions
 * only add. What is undefined is {"value": null, "why": "..."}, never 0 or absent without a
 * word. */
#ifndef SP_IO_RECORD_H
#define SP_IO_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/reading.h"
#include "base/status.h"
#include "io/json_text.h"

/* The fields of a record by their constants, and what each is: path, type, unit, which way is
 * better, symbol, words. They stand in io/record/record_fields.inc, and nowhere else: what writes a
 * record, reads one, writes its CSV, explains it or takes names out of it, and
 * docs/record.schema.json, are made of that table. */

enum sp_record_field {
    SP_F_NONE,
#define FIELD(id, ...) SP_F_##id,
#include "io/record/record_fields.inc"
    SP_N_FIELDS
};

enum sp_field_type {
    SP_A_TEXT,
    SP_A_WORD, /* one of a few texts */
    SP_A_COUNT,
    SP_A_NUMBER,
    SP_A_FLAG,
    SP_A_NULL,
    SP_A_VALUE,   /* {"value", "lo", "hi", "unit", "origin"} */
    SP_A_METRIC,  /* the same with "better" and "definition" */
    SP_AN_OBJECT, /* its rows come next */
    SP_A_LIST,    /* its items' rows come next: "roofs[]" */
    SP_LIKE       /* as the row "#LIKE" has it */
};

enum sp_field_bits {
    SP_REQUIRED = 1, /* its object has it always */
    SP_OR_NULL = 2,
    SP_OR_TEXT = 4,
    SP_OR_OBJECT = 8,
    SP_OR_NUMBER = 16,
    SP_OR_UNKNOWN = 32, /* or null with a reason */
    SP_CLOSED = 64,     /* an object that has no other fields */
    SP_IN_WORDS = 128   /* the schema tells of its fields in words alone */
};

/* What sp_record_anonymise() does to a field. All other texts have the names replaced in them. */
enum sp_mask {
    SP_MASK_NAMES,   /* only that */
    SP_MASK_OUT,     /* leaves it out */
    SP_MASK_NULL,    /* null, where its object is */
    SP_MASK_HASH,    /* a hash in its place */
    SP_MASK_ID,      /* without the name of the matrix, the same for the same id */
    SP_MASK_NAME,    /* of the matrix: what stands for it everywhere */
    SP_MASK_PATH,    /* null where the matrix has a name to hide */
    SP_MASK_COMMAND, /* said again */
    SP_MASK_AGAIN    /* left out, for it is made of the others again */
};

enum sp_csv_parts {
    SP_CSV_ENDS = 1,  /* a metric's lower and upper end behind its value */
    SP_CSV_ORIGIN = 2 /* its origin behind those */
};

/* Of an analysis on a GPU, of bytes that were counted, of a run that was interrupted. */
enum sp_definition {
    SP_DEFINED,
    SP_DEFINED_ON_GPU,
    SP_DEFINED_AS_COUNTED,
    SP_DEFINED_AS_STOPPED,
    SP_N_DEFINITIONS
};

/* Texts are NULL where there is none. */
struct sp_field_facts {
    const char *path; /* "metrics.time" */
    size_t length;    /* of the path, for searches */
    enum sp_field_type type;
    const char *words;                   /* what it is; of a metric its definition */
    const char *other[SP_N_DEFINITIONS]; /* a metric's definitions that differ from that */
    const char *unit;                    /* SI, of a number or value */
    const char *better;                  /* of a metric: "lower", "higher", "none" */
    const char *symbol; /* symbols of formulas that stand for it, separated by blanks (`spmodel explain`) */
    struct {
        int place;        /* among the columns; 0: none. New columns come last */
        const char *name; /* of a metric without its unit: "time" makes time_s */
        unsigned parts;
    } csv;
    enum sp_mask mask;
    unsigned bits;
    /* For docs/record.schema.json alone. */
    const char *among;          /* words that it is one of, between '|' */
    const char *least;          /* number */
    const char *pattern, *like; /* what the text matches; see SP_LIKE */
    const char *each;           /* of any other field of the object: "string", or as SP_LIKE */
};
extern const struct sp_field_facts sp_record_fields[SP_N_FIELDS];

const char *sp_field_path(enum sp_record_field field); /* NULL for SP_F_NONE */
const char *sp_field_key(enum sp_record_field field);  /* the last part of the path */
/* Its key within an object of the record: "time" of SP_F_METRICS_TIME; NULL: not directly. */
const char *sp_field_within(enum sp_record_field field, enum sp_record_field object);
/* SP_F_NONE: none. */
enum sp_record_field sp_field_find(const char *path);
enum sp_record_field sp_field_in(enum sp_record_field object, const char *key);
enum sp_record_field sp_field_of_symbol(const char *symbol);

#define SP_RECORD_SCHEMA "spmodel.record/1"

struct sp_record {
    json_t *root; /* owned; NULL in a zeroed record */
    bool failed;  /* memory ran out while it was built: sp_record_write() and sp_record_print() refuse it */
};

/* An empty record with schema, id, tool and time.start filled; id is made of the time (UTC), `name`
 * and 8 hexadecimal digits: the microseconds of the second (5) and random ones (3). So ids of one
 * name sort by time. */
enum sp_status sp_record_new(const char *name, struct sp_record *record, struct sp_error *err);
void sp_record_free(struct sp_record *record); /* safe twice */

/* Setters. Missing objects are made; a failing allocation is remembered in the record and reported
 * by sp_record_write(), so that building a record needs no checks line by line. */
void sp_record_set_text(struct sp_record *record, enum sp_record_field field, const char *text);
void sp_record_set_count(struct sp_record *record, enum sp_record_field field, int64_t n);
void sp_record_set_number(struct sp_record *record, enum sp_record_field field,
                          double x); /* NaN, inf: null */
void sp_record_set_flag(struct sp_record *record, enum sp_record_field field, bool truth);
void sp_record_set_null(struct sp_record *record, enum sp_record_field field, const char *why);
/* {"value", "lo", "hi", "unit", "origin"} or {"value": null, "unit", "why"}; of a metric with
 * "better" and "definition", too. Unit and words are the field's. */
void sp_record_set_value(struct sp_record *record, enum sp_record_field field, struct sp_value value);
/* The same with a definition of the metric's that is not the usual one, where its field has it. */
void sp_record_set_metric(struct sp_record *record, enum sp_record_field field, struct sp_value value,
                          enum sp_definition definition);
/* A value as an object that is not yet anywhere: new reference, NULL when memory is short. */
json_t *sp_record_value_json(struct sp_value value, const char *unit);
/* Puts an object or array there and steals it; NULL object: remembered failure. */
void sp_record_set_object(struct sp_record *record, enum sp_record_field field, json_t *object);
/* Appends an object to the array (made when missing), stolen; NULL: a remembered failure. */
void sp_record_append(struct sp_record *record, enum sp_record_field field, json_t *object);
/* Appends to flags: what a reader must know before believing the numbers. */
void sp_record_add_flag(struct sp_record *record, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Getters; false (and *out untouched) where the field is missing, null or of another type. */
bool sp_record_text(const struct sp_record *record, enum sp_record_field field, const char **out);
bool sp_record_count(const struct sp_record *record, enum sp_record_field field, int64_t *out);
bool sp_record_number(const struct sp_record *record, enum sp_record_field field, double *out);
bool sp_record_flag(const struct sp_record *record, enum sp_record_field field, bool *out);
/* A value object; where it is null or missing the result has origin SP_NONE and a reason (static or
 * borrowed from the record). */
struct sp_value sp_record_value(const struct sp_record *record, enum sp_record_field field);
/* The same of a value object that is already at hand. */
struct sp_value sp_record_value_of(const json_t *object);
/* What stands there, borrowed; NULL: nothing. */
const json_t *sp_record_node(const struct sp_record *record, enum sp_record_field field);

/* By a path that somebody typed ("config.threads"); the program's own have a constant. */
const json_t *sp_record_node_at(const struct sp_record *record, const char *path);
void sp_record_put_at(struct sp_record *record, const char *path, json_t *value); /* stolen */

/* Reads and checks a record file: SP_INPUT names what is damaged (line and column where it is no
 * JSON), or the schema version that this program does not know. */
enum sp_status sp_record_read(const char *path, struct sp_record *record, struct sp_error *err);
/* The same of a line of JSON Lines, text[size], which is line `line` of the file `path`. */
enum sp_status sp_record_read_line(const char *path, int64_t line, const char *text, size_t size,
                                   struct sp_record *record, struct sp_error *err);
/* Writes it atomically, indented, as it was built, 17 digits. Sets time.end when missing. */
enum sp_status sp_record_write(struct sp_record *record, const char *path, struct sp_error *err);
/* The same, but replaces nothing: *made is false where the name is taken. */
enum sp_status sp_record_write_new(struct sp_record *record, const char *path, bool *made,
                                   struct sp_error *err);
/* One line (JSON Lines) or indented onto an open stream; SP_OUTPUT on a write error. */
enum sp_status sp_record_print(const struct sp_record *record, FILE *stream, bool one_line,
                               struct sp_error *err);

/* Words for people for a record's codes, in reports and plots; and the items of its lists. */

/* Text and number of a field of an object in a list; NULL and NAN where it has none. */
const char *sp_item_text(const json_t *item, const char *key);
double sp_item_number(const json_t *item, const char *key);

/* Time of the run beside a trial over the time that the prediction was made for; outside of 1/1.15
 * ... 1.15 the machine has changed, and the trial does not test the prediction. NAN, not known:
 * false. */
bool sp_conditions_differ(double ratio);

/* Median of the numbers of a list; NAN: it has none. */
double sp_list_median(const json_t *list);

/* "DRAM" for "MEM", or as the record's machine calls it, else the name itself; "?" for NULL. */
const char *sp_words_level(const struct sp_record *record, const char *level);
/* "DRAM load", "L3 triad", "DP FMA": a ceiling of the record's `roofs`. */
char *sp_words_roof(char *text, size_t size, const struct sp_record *record, const json_t *roof);
/* "76.0 ±0.8 GB/s measured", "1152 Gflop/s stated", "unknown (why)". */
char *sp_words_roof_value(char *text, size_t size, const json_t *roof);
bool sp_roof_is_flops(const json_t *roof);
/* "SpMV" for "spmv"; unknown codes as they are. */
const char *sp_words_op(const char *op);
/* The field's text, else `otherwise`. */
const char *sp_words_text(const struct sp_record *record, enum sp_record_field field, const char *otherwise);
/* What config.threads counts, one of them: "thread", "SM" of a GPU, "compute unit" of OpenCL. */
const char *sp_words_core(const struct sp_record *record);

/* Whose the bytes of a row of `table` are: a counter's name, else an origin; NULL: not said. Those
 * of a CPU's rows "model, ..." are the formula's, also where an older record calls them as their
 * alpha. */
const char *sp_words_row_bytes(const struct sp_record *record, const json_t *row);

/* The ceiling with "role": "roof", the one that fractions are of; NULL: none. */
const json_t *sp_record_roof(const struct sp_record *record);

/* The losses as rows that add up, in the order of [THEORY 8]: field, words for people. One more
 * than the parts of model/losses.h: what x costs in several caches is a row of its own. */
enum { SP_N_LOSS_ROWS = 7 };
struct sp_loss_words {
    enum sp_record_field field;
    const char *words;
};
extern const struct sp_loss_words sp_loss_words[SP_N_LOSS_ROWS];
/* The field that says on whose word a loss is; SP_F_NONE: the field is no loss. */
enum sp_record_field sp_loss_origin(enum sp_record_field loss);
/* Loss i [s], so that the rows add up to the time: what x costs in several caches, which `extra_x`
 * contains in the record, is a row of its own and taken off there. False where it is not known. */
bool sp_record_loss(const struct sp_record *record, int i, double *seconds);

/* Records of one kernel with several widths of its dense operands, as points over r. */
struct sp_series_point {
    int64_t r;                   /* right-hand sides, or dense width */
    struct sp_value time_s;      /* measured */
    struct sp_value balance;     /* as seen: of measured or simulated bytes [B/flop] */
    double balance_min;          /* with the gathered operand loaded once [B/flop]; NAN: not in the record */
    struct sp_value performance; /* measured [flop/s] */
    double model;                /* min(P_peak, P_core, b/B) with the bytes as seen [flop/s]; NAN: unknown */
    double core, bandwidth;      /* P_core, and b_S/B with the bytes as seen [flop/s]; NAN: unknown */
    const char *binding;         /* the term that is least with the bytes as seen; borrowed or static */
};

/* False where the record has no time or no balance, as for a matrix without entries. */
bool sp_series_point_of(const struct sp_record *record, struct sp_series_point *point);

/* Index of the point with the highest rate, of the model (`modelled`) or measured. n >= 1. */
int sp_series_best(const struct sp_series_point *point, int n, bool modelled);

/* Does point i reach the rate of `best` within the intervals (model: 2 %)? */
bool sp_series_ties(const struct sp_series_point *point, int i, int best, bool modelled);

#endif
