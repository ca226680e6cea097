/* Numbers with their origin, and what a probe observed.
 *
 * Every number that a user sees is a struct sp_value: it says whether it was measured, simulated,
 * modelled or stated by a source, or that it is not known and why. All values are in SI base units
 * (s, B, B/s, flop/s). */
#ifndef SP_BASE_READING_H
#define SP_BASE_READING_H

#include <stdbool.h>
#include <stdint.h>

enum sp_origin {
    SP_NONE,        /* not known; `why` says why */
    SP_MEASURED,    /* a clock's or a counter's reading */
    SP_SIMULATED,   /* the cache simulator's */
    SP_MODELLED,    /* a formula's */
    SP_STATED,      /* a data sheet's or a paper's */
    SP_CONSTRUCTED, /* invented for a test or a lesson: measurements of no machine */
    SP_N_ORIGINS
};

struct sp_value {
    double value;
    double lo, hi; /* interval, lo <= value <= hi; both equal value where there is none */
    enum sp_origin origin;
    const char *why; /* static text: reason when origin is SP_NONE, else NULL */
};

/* "measured", "simulated", "modelled", "stated", "constructed", "unknown". */
const char *sp_origin_name(enum sp_origin origin);
/* The inverse; SP_NONE for any other word. */
enum sp_origin sp_origin_from_name(const char *name);

struct sp_value sp_value_of(double value, enum sp_origin origin);
struct sp_value sp_value_between(double value, double lo, double hi, enum sp_origin origin);
struct sp_value sp_value_none(const char *why);
/* Ends added to ends: as wide as the two can be together. Both must be known; a's origin. */
struct sp_value sp_value_sum(struct sp_value a, struct sp_value b);
static inline bool sp_value_known(struct sp_value v)
{
    return v.origin != SP_NONE;
}

/* The arrays whose traffic is told apart. */
enum sp_array {
    SP_ARRAY_VALUES,   /* matrix values, fill included */
    SP_ARRAY_INDICES,  /* column indices, fill included */
    SP_ARRAY_POINTERS, /* row or chunk pointers and chunk lengths */
    SP_ARRAY_PERM,     /* the row permutation of SELL */
    SP_ARRAY_X,        /* the gathered operand; both of FusedMM's */
    SP_ARRAY_ROWS,     /* the operand read row by row: A of SDDMM, C of FusedMM */
    SP_ARRAY_Y,        /* the result */
    SP_ARRAY_OTHER,    /* vectors streamed between executions, anything else */
    SP_N_ARRAYS
};
const char *sp_array_name(enum sp_array array);

/* Which way the bytes go that a counter counts. */
enum sp_direction { SP_READS, SP_WRITES, SP_READS_AND_WRITES, SP_N_DIRECTIONS };
const char *sp_direction_name(enum sp_direction direction); /* "read", "write", "both" */
int sp_direction_from_name(const char *name);               /* -1: none */

/* What adopting a change costs: of two that gain alike, the cheaper one is the better advice. */
enum sp_effort { SP_EFFORT_OPTION, SP_EFFORT_STORAGE, SP_EFFORT_ORDER, SP_EFFORT_PROGRAM, SP_N_EFFORTS };
const char *sp_effort_name(enum sp_effort effort); /* "option", "storage", "order", "program" */
/* The inverse; an option for any other word, and for NULL. */
enum sp_effort sp_effort_from_name(const char *name);

/* Bytes that crossed one boundary of the hierarchy during one execution. */
struct sp_traffic {
    struct sp_value read_B, write_B; /* towards the core; away from it */
    bool by_array;                   /* the two arrays below are filled */
    double array_read_B[SP_N_ARRAYS], array_write_B[SP_N_ARRAYS];
};

enum { SP_MAX_LEVELS = 5 };

/* What a probe saw of one job. Zero-initialise; sp_reading_free() when done. */
struct sp_reading {
    struct sp_value time_s; /* median over samples of the time of one execution, with its interval */
    double *sample_s;       /* [n_samples] seconds of one execution in each sample, in order of time; owned */
    int64_t n_samples;
    bool *disturbed;     /* [n_samples] other work took a processor during it; owned, NULL: not looked at */
    int64_t repetitions; /* executions in each sample */
    double *thread_s;    /* [n_threads] mean busy seconds of an execution; owned, NULL: unknown */
    int n_threads;
    /* traffic[k]: between cache level k + 1 and the next one out; traffic[n_levels - 1]: memory. */
    int n_levels;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    char source[32]; /* probe that made it */
};

void sp_reading_free(struct sp_reading *reading);

/* Statistics of repeated measurements. Nothing here assumes a normal distribution. */

/* Quantile q in [0, 1] of x[n], n >= 1, by linear interpolation between order statistics (type 7).
 * None of these allocates, so none fails; time O(n). */
double sp_quantile(const double *x, int64_t n, double q);
double sp_median(const double *x, int64_t n);

/* Median with the distribution-free ~95 % interval of the order statistics (binomial, normal
 * approximation for n > 20); for n < 6 the whole range. n >= 1. */
struct sp_value sp_median_interval(const double *x, int64_t n, enum sp_origin origin);

/* Relative spread (Q3 - Q1)/median; 0 for n < 2. */
double sp_relative_spread(const double *x, int64_t n);

#endif
