/* Inside libspmodel-attach.so, which LD_PRELOAD puts in front of the libraries of an unchanged
 * program: a wrapper of each symbol of symbols.inc finds out which matrix is meant, takes the time
 * of the library's own function, and adds it to the log (base/attach_log.h). Nothing here prints,
 * ends the program, or fails for it: what cannot be counted is passed on. Calls inside a counted
 * call are part of it. */
#ifndef SP_ATTACH_ATTACH_H
#define SP_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/attach_log.h"

#define SP_EXPORT __attribute__((visibility("default")))

enum sp_attach_row {
#define SYMBOL(LIBRARY, NAME, WHAT) SP_ROW_##NAME,
#include "attach/symbols.inc"
#undef SYMBOL
    SP_N_ROWS
};

/* The library's own function of that name; NULL: no library that is loaded has it. */
void *sp_attach_real(enum sp_attach_row row);
/* Any function of a loaded library, by name; NULL: none has it. Takes its time: for what is done
 * once. */
void *sp_attach_function(const char *name);
/* The same for what is needed often: found once, kept in *slot, which begins as NULL. */
void *sp_attach_function_once(void **slot, const char *name);
/* It made a product. At the end: what to say of libraries that made none, and of second copies. */
void sp_attach_note_called(enum sp_attach_row row);
void sp_attach_note_libraries(void);
const char *sp_attach_library(enum sp_attach_row row);
const char *sp_attach_symbol(enum sp_attach_row row);

/* For dlsym.c. The dynamic linker's own function, whoever stands in front of it. */
typedef void *sp_look_up(void *handle, const char *name);
__attribute__((used, visibility("hidden"))) sp_look_up *sp_attach_real_dlsym(void);
/* Are both in one library? Is it in this one? */
bool sp_attach_share_library(const void *a, const void *b);
bool sp_attach_is_ours(const void *address);
/* What is remembered of the row: `f`, or what another thread or an earlier call had found. */
void *sp_attach_remember(enum sp_attach_row row, void *f);
/* There is another copy of its library. */
void sp_attach_note_second(enum sp_attach_row row);

/* ---- what a call is about ---- */

/* Rows of indices as a library has them. */
struct sp_attach_part {
    const void *row_ptr, *row_end; /* [n_r]; row_end NULL: the next element of row_ptr[n_r + 1] */
    const void *col;
    int64_t n_c;
};

/* A matrix as it was found in the arguments: its second part, where there is one, stands to the
 * right of the first. No part: only the sizes are known. */
struct sp_attach_view {
    const char *kind; /* static: "SeqAIJ" */
    int64_t n_r, n_c, n_nz;
    int n_parts;
    struct sp_attach_part part[2];
    int row_ptr_B, col_B, base;
    enum sp_attach_type type;
    uint32_t bits;   /* beside those of the product */
    const char *why; /* n_parts 0: why nothing more is known; static */
    void (*release)(
        struct sp_attach_view *view); /* what the library wants to hear at the end; NULL: nothing */
    void *held[8];                    /* of whoever filled it in */
};

/* What the wrapper knows before it looks closer. */
struct sp_attach_product {
    enum sp_attach_row row;
    const void *matrix; /* the address by which the program names it */
    int64_t version[2]; /* differ where another matrix may have this address */
    enum sp_attach_op op;
    uint32_t width, bits;
    /* Fills in the view, where the address is not known yet; false: this is no matrix with entries
     * of its own, and what is inside the call counts by itself. */
    bool (*look)(const struct sp_attach_product *product, struct sp_attach_view *view);
    int (*threads)(void); /* that the library would use now; NULL: one */
    void *context;        /* for look */
};

/* A call in progress, on the stack of the wrapper. */
struct sp_attach_call {
    struct sp_attach_cell *cell; /* NULL: not counted */
    uint32_t generation;
    bool inside; /* sp_attach_end() has to leave it */
    int64_t start_ns;
};

/* False: nobody counts here, or inside another call; then sp_attach_end() need not be called. */
bool sp_attach_is_on(void);
/* Before and after the library's own function; `counts` false: it failed. */
void sp_attach_begin(struct sp_attach_call *call, const struct sp_attach_product *product);
void sp_attach_end(struct sp_attach_call *call, bool counts);
/* The same where somebody else has the clock: begin, then any number of times from any later
 * call. */
void sp_attach_add_time(struct sp_attach_cell *cell, uint32_t generation, double time_ns);
void sp_attach_end_untimed(struct sp_attach_call *call);

/* A matrix was made or is gone: addresses are looked at again. */
void sp_attach_forget(void);
/* Threads of an OpenMP runtime in the program, as its functions say; 1: there is none. */
int sp_attach_omp_threads(void);

static inline int64_t sp_attach_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- inside: log.c, pattern.c, find.c ---- */

struct sp_attach_log {
    struct sp_attach_header *header; /* NULL: there is none */
    struct sp_attach_matrix *matrix;
    struct sp_attach_cell *cell;
    char folder[1024];
    uint32_t generation; /* a child has the next one; 0: nobody counts */
};
extern struct sp_attach_log sp_attach_log;

/* Is there a log, or will there be one with the first product? */
static inline bool sp_attach_is_active(void)
{
    return __atomic_load_n(&sp_attach_log.generation, __ATOMIC_ACQUIRE) != 0;
}

/* A new log of this process; false: there cannot be one. */
bool sp_attach_log_open(const char *folder);
/* Forgets the log of the process that this one was forked from. */
void sp_attach_log_leave(void);
/* The end of the process; a process of no interest takes its log away. */
void sp_attach_log_close(void);
/* Room for one more, zeroed; NULL: there is none, and the log says why. Under the lock. */
struct sp_attach_cell *sp_attach_log_cell(void);
struct sp_attach_matrix *sp_attach_log_matrix(void);
void sp_attach_log_lost(const char *why);
/* May a file become so long (ulimit -f)? */
bool sp_attach_is_within_limit(int64_t size_B);

uint64_t sp_attach_hash(const struct sp_attach_view *view);
/* Keeps the pattern in the folder unless it is there, and notes in the entry how that went. */
void sp_attach_keep(const struct sp_attach_view *view, struct sp_attach_matrix *entry);

/* Index k of an array of theirs, whose width and alignment are theirs, too. */
static inline int64_t sp_attach_index(const void *array, int width_B, int64_t k)
{
    int64_t wide;
    int32_t narrow;
    if (width_B == 8) {
        memcpy(&wide, (const char *)array + k * 8, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)array + k * 4, sizeof narrow);
    return narrow;
}

/* Products on GPUs return before they are made: events of their stream take the times, which are
 * collected by later calls. Of the driver: functions of CUDA's, or of HIP, found by name. */

struct sp_gpu_driver {
    int (*event_create)(void **event, unsigned flags);
    int (*event_record)(void *event, void *stream);
    int (*event_query)(void *event);
    int (*elapsed)(float *ms, void *begin, void *end);
    int (*is_capturing)(void *stream, int *status);
    int (*synchronize)(void *stream);
    bool (*copy)(const struct sp_gpu_driver *driver, void *to, const void *from, size_t size);
    void *copy_function;
};

/* NULL: a function is missing, and products are counted without times. */
const struct sp_gpu_driver *sp_gpu_cuda(void);
const struct sp_gpu_driver *sp_gpu_hip(void);

struct sp_gpu_call {
    struct sp_attach_call call;
    const struct sp_gpu_driver *driver;
    struct sp_gpu_pending *pending; /* NULL: not timed */
    void *stream;
};

/* Into a graph that is recorded nothing is added, and it is not counted. */
void sp_gpu_begin(struct sp_gpu_call *call, const struct sp_attach_product *product,
                  const struct sp_gpu_driver *driver, void *stream);
void sp_gpu_end(struct sp_gpu_call *call, bool counts);

/* Copies of the arrays of a matrix in CSR into the view, which frees them. */
void sp_gpu_copy_rows(const struct sp_gpu_driver *driver, void *stream, struct sp_attach_view *view,
                      const void *row_ptr, const void *col);

#endif
