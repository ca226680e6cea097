/* The fields of a record by their constants, and what each is: path, type, unit, which way is
 * better, symbol, words. They stand in io/record/record_fields.inc, and nowhere else: what writes a
 * record, reads one, writes its CSV, explains it or takes names out of it, and
 * docs/record.schema.json, are made of that table. */
#ifndef SP_IO_RECORD_FIELD_H
#define SP_IO_RECORD_FIELD_H

#include <stddef.h>

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

#endif
