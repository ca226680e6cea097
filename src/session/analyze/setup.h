/* From a matrix and wishes to a prepared, checked kernel. */
#ifndef SP_SESSION_SETUP_H
#define SP_SESSION_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/status.h"
#include "io/matrix/load_options.h"
#include "kernels/kernel.h"
#include "model/hints/hints.h"
#include "model/machine.h"
#include "session/analyze/plan.h"
#include "sparse/csr/csr.h"
#include "sparse/product/verify.h"
#include "sparse/product/workload.h"
#include "sparse/structure/structure.h"
#include "sys/machine/topology.h"

/* What a set-up may be told. */

enum sp_wish { SP_CHOICE_AUTO, SP_CHOICE_ON, SP_CHOICE_OFF };

struct sp_setup_options {
    const char *isa;                      /* NULL: the best */
    struct sp_own *own;                   /* whose kernel that is, where it is none of the table */
    const struct sp_kernel *kernel;       /* NULL: the fastest on these arrays; its P_core is measured then */
    bool any_format;                      /* SpMV: in the fastest format, whatever the workload has */
    bool any_prefetch;                    /* SpMV: prefetches x where that is fastest */
    const struct sp_structure *structure; /* of the matrix, for formats that rest on it; NULL: not known */
    enum sp_wish store_nt;                /* non-temporal stores of y; auto: where y goes to memory */
    bool small_pages;                     /* 4 KiB pages instead of huge ones */
    bool not_pinned;                      /* leave threads where the system puts them */
    bool lends; /* the matrix lends its arrays to the layout where they are large, and memory is one node */
    bool layout_only;                 /* nothing is run here: no kernel, threads in the machine's domains */
    double memory_B;                  /* what may be taken; 0: no check */
    struct sp_plan *plan;             /* for the choice of the kernel; NULL: nobody counts the time */
    uint64_t seed;                    /* of x */
    const struct sp_machine *machine; /* NULL: unknown */
    const struct sp_topology *topology;
};

/* Which kernel runs SpMV, and with `any_format` which format: all that can run are tried on some of
 * the matrix's own rows, and the best of them beside each other. Bytes and P_core do not tell:
 * short rows, their ends and gathers decide as well. */

enum { SP_MOST_TRIED = 64 };

struct sp_tried {
    char format[32]; /* as typed */
    const struct sp_kernel *kernel;
    int32_t prefetch;
    double best_s; /* least time of an execution on the rows that were tried [s] */
    double time;   /* over that of the first one, from samples in turn */
};

struct sp_choice {
    int n;                                /* 0: nothing was tried */
    struct sp_tried tried[SP_MOST_TRIED]; /* what is preferred where times are equal comes first */
    int chosen;
    double share; /* of the entries that were tried */
    double took_s;
};

/* Puts the fastest into *workload (format where options->any_format, prefetch where
 * options->any_prefetch) and *kernel. Of those that are within 3 % of the fastest the first one:
 * CRS before other formats, kernels by rank, without prefetching, so that runs agree where nothing
 * differs. Rows: of all the matrix where it has no more than twice what the last-level cache holds,
 * else four runs of rows that have as much, fewer where gathers take long, with columns that none
 * of them has left out. Distances of prefetching are tried where x exceeds the second cache. A
 * format is left out where its bytes alone take longer than the best so far; half storage and
 * blocks need options->structure. Of part of a matrix half storage has as many entries from the
 * middle, where four fifths of them lie among their rows; asked for, it has all. SP_ABSENT where no
 * kernel runs; SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_choose(struct sp_workload *workload, const struct sp_setup_options *options, int n_domains,
                         const struct sp_progress *progress, const struct sp_kernel **kernel,
                         struct sp_choice *choice, struct sp_error *err);

/* Time of the fastest that prefetches x over the time without, of the chosen format and kernel;
 * *entries ahead. False: none was tried. */
bool sp_choice_prefetch(const struct sp_choice *choice, double *ratio, int32_t *entries);

/* Are non-temporal stores to be taken for this layout? They pay where y goes to memory anyway. */
bool sp_setup_wants_nt(const struct sp_setup_options *options, const struct sp_layout *layout, int n_domains);

/* Zero-initialise; sp_setup_free(). */
struct sp_setup {
    struct sp_workload workload;
    struct sp_binding binding;
    int *domain_of_thread; /* [n_threads] owned; binding is empty where nothing is run */
    int n_domains;
    struct sp_layout layout;
    const struct sp_kernel *kernel; /* NULL: nothing is run */
    void *state;
    struct sp_kernel_facts facts;
    struct sp_job job;
    struct sp_choice choice;    /* of SpMV; its n is 0 where nothing was tried */
    struct sp_value p_core_one; /* [flop/s] of one thread */
    struct sp_spmv_check check; /* against the reference; kept where that fails */
    double layout_s;            /* making the layout [s] */
    double lent_B;              /* bytes of it that the matrix lends */
    void *fault;                /* state of a fault put in on purpose (sys/noise.h); NULL: none */
};

/* Binds threads, makes the layout, chooses the kernel, runs it once and checks the result: SP_WRONG
 * where it differs from the reference by more than the derived tolerance (everything is released
 * then). `workload` has passed sp_workload_check(). */
enum sp_status sp_setup_make(const struct sp_workload *workload, const struct sp_setup_options *options,
                             const struct sp_progress *progress, struct sp_setup *setup,
                             struct sp_error *err);
void sp_setup_free(struct sp_setup *setup);

/* The matrix of an analysis: loaded, reordered when asked, its structure known. Zero-initialise;
 * sp_subject_free(). */
struct sp_subject {
    char argument[1024];    /* as typed */
    char name[128];         /* for people and file names */
    char reorder[32];       /* "none", "rcm", "random:7" */
    struct sp_csr matrix;   /* after reordering */
    bool has_original;      /* sp_subject_reorder() kept it */
    struct sp_csr original; /* before reordering; empty without has_original */
    struct sp_load_facts facts;
    struct sp_structure structure; /* after reordering */
    bool no_values; /* positions alone are known: nothing may rest on the values, which are ones */
    double load_s, reorder_s;
};

/* reorder: NULL or "none", or a row of sparse/reorder/reorder.h. */
enum sp_status sp_subject_open(const char *argument, const struct sp_load_options *load, const char *reorder,
                               const struct sp_progress *progress, struct sp_subject *subject,
                               struct sp_error *err);
/* The same of a matrix that is in memory, which commands call MATRIX: takes it, on failure, too. */
enum sp_status sp_subject_take(const char *name, struct sp_csr *matrix, const struct sp_load_facts *facts,
                               const char *reorder, const struct sp_allocator *allocator,
                               const struct sp_progress *progress, struct sp_subject *subject,
                               struct sp_error *err);
/* A subject in the order of its file takes this one, and keeps the original for trials of other
 * orders; "none": nothing is done. On failure the subject is as before. */
enum sp_status sp_subject_reorder(struct sp_subject *subject, const char *reorder,
                                  const struct sp_allocator *allocator, const struct sp_progress *progress,
                                  struct sp_error *err);
/* Of the dense blocks looked at, those that take the least bytes; NULL: none was. */
const struct sp_block_fill *sp_subject_blocks(const struct sp_subject *subject);
/* What hints may know of the matrix itself: symmetry, values, blocks. */
void sp_subject_hint_inputs(const struct sp_subject *subject, struct sp_hint_inputs *inputs);
void sp_subject_free(struct sp_subject *subject);

#endif
