/* The address stream of SpMV, as line events, from the layout that the kernel executes [THEORY 9].
 *
 * The stream of references (a reference is one access to one element) of a thread is
 *   CRS    ptr[first] of a range; then per row: ptr[i + 1], with 16-bit offsets base[i]; per entry val, col,
 * x[col]; at its end y[i]. SELL   per chunk: ptr, len (SELLU: also index_ptr, n_unit); per slot: C values,
 * then (with 16-bit offsets the slot's base and) C column indices (SELLU's unit slots: one base
 * index), then x of each lane; at its end C items of perm (where rows are permuted), then y of each
 * lane. merge the entries of a row that a thread does not end are followed by a write of that y as
 * well. Arrays lie one after the other at page-aligned addresses; x and y are shifted by the
 * offsets given.
 *
 * Threads take turns, in the order of the list given. A turn is `turn_steps` steps: a step is an
 * entry or an empty row (CRS), a turn is max(1, turn_steps / C) slots or empty chunks (SELL). With
 * skew thread t starts after skew times the steps of threads 1 .. t; who has not started or has
 * finished misses its turn.
 *
 * Lines instead of references: an event is a line with a kind. Two reductions leave every LRU count
 * exactly as it was: a reference to the line of the event before is left out, and CRS's values and
 * indices, which are touched at every entry, appear with the first and the last touch of a line in
 * a turn only (OPEN and CLOSE, between which a cache that keeps the last SP_TRACE_WINDOW lines of a
 * set cannot lose them). Non-temporal stores touch no cache: they are counted in nt_lines and are
 * no events. */
#ifndef SP_MODEL_TRACE_H
#define SP_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"
#include "sparse/formats/layout.h"

/* A line event: kind in the two highest bits, line number below. */
enum sp_event_kind {
    SP_EVENT_TOUCH, /* read */
    SP_EVENT_OPEN,  /* first touch in this turn of a line that is touched at every entry until its CLOSE */
    SP_EVENT_CLOSE, /* its last touch */
    SP_EVENT_WRITE  /* write */
};
#define SP_EVENT_SHIFT 30
#define SP_EVENT_LINE  UINT32_C(0x3fffffff)
static inline enum sp_event_kind sp_event_kind(uint32_t event)
{
    return (enum sp_event_kind)(event >> SP_EVENT_SHIFT);
}
static inline uint32_t sp_event_line(uint32_t event)
{
    return event & SP_EVENT_LINE;
}

/* Distinct lines that can lie between two touches of an OPEN line, that line and a new one
 * included: LRU caches with at least this many ways keep it. */
#define SP_TRACE_WINDOW 6
/* Array starts are multiples of this many lines, so one byte a group tells the array of a line. */
#define SP_LINES_PER_GROUP 64

enum sp_trace_region {
    SP_REGION_VALUES,
    SP_REGION_INDICES,
    SP_REGION_BASE, /* 16-bit offsets: what they are added to */
    SP_REGION_PTR,
    SP_REGION_LEN,
    SP_REGION_N_UNIT,
    SP_REGION_INDEX_PTR,
    SP_REGION_LIST,      /* STAGED: the distinct columns of each block */
    SP_REGION_ROW_INDEX, /* COO */
    SP_REGION_PERM,
    SP_REGION_X,
    SP_REGION_SECOND, /* FusedMM's D */
    SP_REGION_ROWS,   /* SDDMM's A, FusedMM's C */
    SP_REGION_Y,
    SP_REGION_STAGE, /* STAGED: the buffers of the threads; HALF: their windows */
    SP_REGION_OTHER, /* vectors streamed between executions */
    SP_N_REGIONS
};

struct sp_walk;

struct sp_trace_options {
    int line_B;        /* power of two, 16 .. 4096; 0: 64 */
    int n_threads;     /* threads of the layout that take part, 0: all of them */
    const int *thread; /* [n_threads] which; NULL: the first n_threads */
    double skew;       /* >= 0 */
    bool store_nt;
    bool every; /* an event for every reference, neither OPEN nor CLOSE: for caches below SP_TRACE_WINDOW */
    size_t x_offset_B, y_offset_B;
    int64_t between_B;          /* size of the region OTHER */
    const struct sp_walk *walk; /* accesses that somebody tells, in place of the layout's; NULL; borrowed */
    int64_t turn_steps;         /* 0: 64, or 1024 where one thread runs alone */
};

/* Where a thread is; for the trace's own files. */
struct sp_trace_cursor {
    int thread, index; /* index: in the list given */
    int64_t start_turn;
    int64_t n_steps, n_empty; /* of the whole share; n_empty of the steps are no entries or slots */
    int64_t n_references;     /* of the whole share */
    int64_t range;            /* cursor of sp_partition_next() */
    int64_t unit, unit_end;   /* row or chunk */
    int64_t entry, entry_end; /* CRS: entries of the row; SELL: slots of the chunk, from 0 */
    int64_t slice;            /* which tile of the width, where a unit is walked once for each; HALF: part;
                                 FusedMM: end of the block */
    int64_t chunk, slot, at;  /* STAGED: in the block, in the chunk; the slot's first entry. FusedMM:
                                 trace_dense.c */
    int64_t item;             /* TILED: which of the columns that blocks list; HALF: row */
    bool inside;              /* entry and entry_end are those of `unit` */
    bool begins;              /* `unit` is the first of its range */
    bool tail;                /* in the partial row at the end of a merge share */
    bool done;
    int64_t nt_line;                   /* last line written by a non-temporal store */
    struct sp_permuted_window *window; /* of a permuted layout; else NULL */
};

struct sp_trace_kind;

struct sp_trace {
    const struct sp_layout *layout; /* borrowed */
    const struct sp_trace_kind *kind;
    int line_B, line_shift;
    int64_t first_line[SP_N_REGIONS]; /* of each region; lines of the region: n_region_lines */
    int64_t n_region_lines[SP_N_REGIONS];
    int64_t n_lines;                    /* of all regions with the gaps between them */
    uint8_t *array_of_group;            /* [n_lines / SP_LINES_PER_GROUP + 1] enum sp_array */
    int64_t x_base_B, y_base_B;         /* address of x[0] and y[0] */
    int64_t second_base_B, rows_base_B; /* of D[0], of A[0] or C[0] */
    bool store_nt, every;
    int64_t turn_steps;   /* SELL: in slots */
    int64_t n_references; /* of one execution, non-temporal stores included */
    int n_threads;
    struct sp_trace_cursor *cursor;    /* [n_threads] */
    struct sp_permuted_window *window; /* [n_threads] of a permuted layout; else NULL */
    int64_t n_turns;                   /* rounds until all threads are done */
    int64_t turn;
    int next;
    uint32_t *event;  /* buffer of one turn */
    int64_t nt_lines; /* lines written by non-temporal stores since the last rewind */
    void *walk;       /* of model/trace/trace_told.c; NULL: the addresses follow from the layout */
};

/* A piece of the stream: all of one thread. */
struct sp_trace_piece {
    int index; /* of the thread in the list given */
    const uint32_t *event;
    int64_t n_events;
};

/* SP_USAGE where the footprint needs more than 2^30 lines. Zeroed on failure. */
enum sp_status sp_trace_open(const struct sp_layout *layout, const struct sp_trace_options *options,
                             struct sp_trace *trace, struct sp_error *err);
void sp_trace_close(struct sp_trace *trace);

/* Back to the start of the execution, or to round `turn` of it (without the events before). */
void sp_trace_rewind(struct sp_trace *trace, int64_t turn);
/* The next thread's turn; false at the end of the execution. */
bool sp_trace_next(struct sp_trace *trace, struct sp_trace_piece *piece);

/* May several processors walk over the threads of this trace beside each other? */
bool sp_trace_is_divisible(const struct sp_trace *trace);
/* The trace for one of them, with events and nt_lines of its own; the cursors are the trace's, each
 * for one processor at a time. SP_MEMORY. */
enum sp_status sp_trace_share(const struct sp_trace *trace, struct sp_trace *share, struct sp_error *err);
void sp_trace_share_free(struct sp_trace *share);
/* One thread's round into share->event; returns how many events: 0 before its start and after its
 * end. Rounds must follow each other. */
int64_t sp_trace_share_fill(struct sp_trace *share, int index, int64_t turn);
int64_t sp_trace_most_events(const struct sp_trace *trace); /* of one thread's round */

/* The latest round from which on the values that each thread still streams are at least
 * `private_B`, and those of all threads together `shared_B`; 0 where no such round exists. */
int64_t sp_trace_tail_turn(const struct sp_trace *trace, double private_B, double shared_B);

static inline enum sp_array sp_trace_array(const struct sp_trace *trace, uint32_t line)
{
    return (enum sp_array)trace->array_of_group[line / SP_LINES_PER_GROUP];
}

/* Accesses that somebody tells, address by address, in place of those that follow from a layout:
 * the trace of a kernel that this program does not know. Steps are those of CRS as far as they can
 * be seen: an access to x, or a write of y without one since the write before. So a kernel that
 * walks the rows as CRS does has exactly the bytes of CRS. */

/* is_write: SP_WALK_STREAMS for a store of y that passes the caches. */
enum { SP_WALK_STREAMS = 2 };
typedef void sp_walk_access(void *walker, const void *address, size_t size_B, int is_write);

/* Where an array lies, and as what it counts. */
struct sp_walk_array {
    const void *at;
    size_t size_B;
    enum sp_trace_region region; /* VALUES, INDICES, PTR, X or Y; the layout's x and y start a line */
};
enum { SP_WALK_ARRAYS = 20 };

struct sp_walk {
    int n_arrays;
    struct sp_walk_array array[SP_WALK_ARRAYS];
    /* Tells `access` all accesses of one thread in one execution, in order, with `walker`; each
     * time the same ones. Called by threads of the simulation, never two at a time. */
    enum sp_status (*tell)(void *context, int thread, sp_walk_access *access, void *walker,
                           struct sp_error *err);
    void *context;
    const char *name; /* whose, for errors: SP_WRONG where an address is in none of the arrays */
};

#endif
