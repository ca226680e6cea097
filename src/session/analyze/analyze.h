/* The main job: one matrix, one workload, everything about it [UX 2]. */
#ifndef SP_SESSION_ANALYZE_H
#define SP_SESSION_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/option/run_option.h"
#include "base/progress.h"
#include "io/record/record.h"
#include "model/hints/hints.h"
#include "model/machine.h"
#include "probes/probe.h"
#include "session/analyze/setup.h"
#include "session/measure/byte_source.h"

struct sp_gpu_recorded;

struct spmodel_kernel; /* include/spmodel.h */

/* A kernel of somebody else in place of the program's. Zero: none; else sp_analyze_own()
 * (session/own/own.h) runs it. */
struct sp_own_ask {
    const struct spmodel_kernel *kernel; /* handed over by a program; borrowed */
    const char *library;                 /* or "./libmine.so:SYMBOL", as typed */
    const char *signature;               /* of a plain function in it; NULL: the symbol is a structure */
    double limit_s;                      /* that a call of it may take [s]; 0: by the size of the matrix */
    struct sp_own *running;              /* in its process: the kernel; else NULL */
};

struct sp_analyze_options {
    const char *command; /* the command line, for the record and the hints; may be NULL */
    enum sp_op op;
    int32_t r; /* width of the dense operands; SpMV: 0 or 1 */
    enum sp_order order;
    const char *format;   /* "crs", "sell:C,S", "sellu:C,S", ..., "auto" */
    const char *schedule; /* "nnz" ... */
    int precision;        /* enum sp_precision, -1: c128 for complex matrices, else f64 */
    enum sp_index index;
    int row_ptr_B;       /* as in the workload */
    int32_t prefetch;    /* entries; 0: none, or what is fastest */
    bool prefetch_given; /* by who asked for the run; else a distance is what was found to be the fastest */
    int n_threads;       /* 0: one for each core that the process may use */
    const char *isa;     /* NULL: the best kernel */
    enum sp_wish store_nt;
    bool small_pages, not_pinned;
    enum sp_cache_state state;
    int n_between;            /* vectors streamed between executions (SP_BETWEEN) */
    const char *between;      /* "axpy,dot", as typed, for commands that hints propose; NULL: none */
    const char *machine_name; /* likewise; NULL: this machine */
    double budget_s;          /* measuring time of the analysis [s] */
    struct sp_plan *plan;     /* shares it; NULL: one of the analysis' own; borrowed */
    int max_samples;
    int n_runs; /* processes that sample one after the other; 0: three where that is cheap, else this one */
    bool thorough;      /* take more time for hints: orders that are slow to find */
    bool no_hints;      /* leave out what only hints need: reordering, other formats */
    double skew;        /* of the simulated threads */
    const char *policy; /* of the simulated last level; NULL: the machine's */
    double llc_B;       /* simulated last-level capacity; 0: the machine's */
    uint64_t seed;
    const struct sp_machine *machine;   /* with ceilings */
    const struct sp_topology *topology; /* read before any thread was pinned */
    double memory_B;                    /* what may be taken; 0: no check */
    int gpu_number;                     /* of the device, where its module can choose */
    enum sp_gpu_api gpu_api;            /* of sp_analyze_gpu(): what the GPU is told its work through */
    bool count_on_gpu,
        require_gpu_counts; /* --device gpu: bytes by CUPTI where it may; SP_ABSENT where not */
    struct sp_own_ask own;
    struct sp_byte_source *bytes; /* counters, or a recording; NULL: bytes are simulated; borrowed */
    const struct sp_gpu_recorded
        *gpu_recorded; /* of sp_analyze_gpu(): nothing is run; NULL: it runs; borrowed */
};

/* Is the format left to what sp_setup_make() finds the fastest (any_format)? "auto" of SpMV that is
 * run here. */
bool sp_analyze_tries_formats(const struct sp_analyze_options *options);

/* The workload of these options on a matrix; SP_USAGE where they do not fit each other. "auto" is
 * resolved by sp_format_choose(), and is CRS where formats are tried. */
enum sp_status sp_analyze_workload(const struct sp_csr *matrix, const struct sp_analyze_options *options,
                                   struct sp_workload *workload, struct sp_error *err);

/* The options of a run that a command proposed by it repeats, for only then are the two comparable;
 * what was done to the matrix (its order, entries left out) follows from the subject. */
struct sp_change sp_run_change(const struct sp_analyze_options *options, const struct sp_workload *workload,
                               const struct sp_subject *subject);
/* Operation and width, where it is not SpMV; part of the above. */
void sp_change_add_operation(struct sp_change *change, const struct sp_workload *workload);

/* Runs the workload on the subject and fills the record. SP_INTERRUPTED: the record holds what
 * there is and has status "interrupted". SP_WRONG: the result differs from the reference; the
 * record says by how much. */
enum sp_status sp_analyze(const struct sp_subject *subject, const struct sp_analyze_options *options,
                          const struct sp_progress *progress, struct sp_record *record, struct sp_error *err);

/* The same, and its hints; none where they were not looked for. */
enum sp_status sp_analyze_hints(const struct sp_subject *subject, const struct sp_analyze_options *options,
                                const struct sp_progress *progress, struct sp_record *record,
                                struct sp_hints *hints, struct sp_error *err);

/* As sp_analyze() on the first GPU: the kernel that the model expects to be fastest in the format
 * ("auto": of CRS and SELL) is run, checked and timed by the GPU's clock, its bytes counted by
 * CUPTI or modelled. options->machine describes the GPU; options for threads and pages have no
 * meaning. SP_ABSENT says what is missing. With gpu_recorded (session/record/recording.h) nothing
 * is run, and that kernel stands for the recorded one where requests are modelled. */
enum sp_status sp_analyze_gpu(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_progress *progress, struct sp_record *record,
                              struct sp_error *err);

/* The formats of "all" on a GPU; ends with NULL. */
const char *const *sp_gpu_format_every(enum sp_op op);

#endif
