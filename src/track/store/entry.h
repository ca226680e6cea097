/* What tracking needs of a record: series, where it was measured, its runs and metrics. */
#ifndef SP_TRACK_ENTRY_H
#define SP_TRACK_ENTRY_H

#include <stdint.h>

#include "io/record/record.h"

enum {
    SP_SERIES_VERSION = 1, /* of the options of SP_OF_SERIES: a new one makes new series */
    SP_ENTRY_RUNS = 64,    /* most runs that are kept of a record */
    SP_KEY_TEXT = 17       /* 16 hex digits */
};

/* Metrics that an entry keeps, by the names that records have [UX 5]. */
enum sp_tracked {
    SP_TRACKED_TIME,      /* s */
    SP_TRACKED_BYTES,     /* B of an execution through the level that counts */
    SP_TRACKED_BANDWIDTH, /* B/s */
    SP_TRACKED_ROOF,      /* B/s: load-only beside the kernel */
    SP_TRACKED_PERFORMANCE,
    SP_TRACKED_FRACTION,       /* of the roof */
    SP_TRACKED_MODEL_FRACTION, /* of the model's speed */
    SP_TRACKED_ALPHA,
    SP_TRACKED_LAMBDA,       /* max/mean of the threads' busy times */
    SP_TRACKED_INSTRUCTIONS, /* counted, of an execution, all threads, an entry of the matrix */
    SP_N_TRACKED
};

/* Name, unit, whether less is better, and whether noise cannot touch it (simulated or counted). */
struct sp_tracked_metric {
    const char *name, *unit;
    bool less_is_better;
    enum sp_record_field field; /* SP_F_NONE: found in a list */
};
extern const struct sp_tracked_metric sp_tracked_metrics[SP_N_TRACKED];
int sp_tracked_find(const char *name); /* -1: unknown */

/* Rates that the machine showed beside the runs, by the names that records have in `sentinels`. */
enum sp_entry_sentinel { SP_ENTRY_DRAM, SP_ENTRY_LLC, SP_ENTRY_CONTROL, SP_N_ENTRY_SENTINELS };

/* The level that holds the data of an execution, as far as sentinels tell levels apart. */
enum sp_entry_level { SP_ENTRY_LEVEL_UNKNOWN, SP_ENTRY_INNER, SP_ENTRY_LAST, SP_ENTRY_MEMORY };

/* Core-to-core mode of a run, by the words of records. */
enum { SP_N_ENTRY_MODES = 5 };
const char *sp_entry_mode_name(int mode); /* "unknown", "single", "smt", "shared", "split" */

struct sp_entry {
    char id[128];
    char series[SP_KEY_TEXT]; /* "" where the record does not say what was asked for */
    char env[SP_KEY_TEXT];    /* "" where it does not say where it ran */
    char start[24];           /* ISO 8601, UTC: sorts as text */
    char status[16];
    char confirms[128];          /* id of the record that it was measured to confirm; "" */
    char matrix[128], what[184]; /* for people: "gen:hpcg:80", "spmv crs nnz f64/i32 2 threads isa=avx2" */
    char machine[64];
    char commit[64], branch[64]; /* of the user's source; "" */
    char tool[64];               /* version and commit of this program */
    char resolved[SP_KEY_TEXT];  /* hash of what was resolved: kernel, pages, pinning, stores */
    double huge_share;           /* of the arrays' bytes in huge pages; NAN: unknown */
    char kernel[48];
    char code[SP_KEY_TEXT], partition[SP_KEY_TEXT]; /* hashes of the kernel's machine code, of the threads'
                                                       shares; "": unknown */
    char caches[SP_KEY_TEXT]; /* hash of the machine's caches and the threads: what simulated bytes belong to
                               */
    int n_runs;
    double time_s[SP_ENTRY_RUNS];          /* median of each run (process) */
    double roof_Bps[SP_ENTRY_RUNS];        /* likewise; 0: not measured */
    signed char mode[SP_ENTRY_RUNS];       /* of each run; 0: unknown */
    double metric[SP_N_TRACKED];           /* NAN: unknown */
    int64_t sentinel_version;              /* 0: none; others do not compare */
    double sentinel[SP_N_ENTRY_SENTINELS]; /* median of the session's looks; NAN: unknown */
    enum sp_entry_level level;
    char origin[SP_N_TRACKED][12]; /* on whose word: "measured", "simulated", ...; "" unknown */
    int64_t bytes_version;         /* sp_record_bytes_version() */
};

/* Takes an entry from a record. Never fails: what the record lacks is empty, 0 or NAN. */
void sp_entry_of(const struct sp_record *record, struct sp_entry *entry);

/* Was it measured by another program (spmodel track import)? */
bool sp_entry_is_from_outside(const struct sp_entry *entry);

/* Which was measured first, for sorting: by start, then by id (io/record/record.h). */
int sp_entry_order(const struct sp_entry *x, const struct sp_entry *y);

/* Is it in the list, itself or by its id? */
bool sp_entry_is_among(const struct sp_entry *entry, const struct sp_entry *const *list, int n);

/* What simulated bytes were when this record was made (metrics.bytes.version); 1 where it says
 * none: it is older than that field, or its bytes are measured. */
int64_t sp_record_bytes_version(const struct sp_record *record);

/* Is this field of a record's `request` one by which series are told apart? */
bool sp_series_asks(const char *field);

#endif
