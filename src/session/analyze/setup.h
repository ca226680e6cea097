/* From a matrix and wishes to a prepared, checked kernel. */
#ifndef SP_SESSION_SETUP_H
#define SP_SESSION_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "io/matrix/load_options.h"
#include "kernels/kernel.h"
#include "model/hints/hints.h"
#include "model/machine.h"
#include "session/analyze/choice.h"
#include "session/analyze/plan.h"
#include "sparse/csr/csr.h"
#include "sparse/product/verify.h"
#include "sparse/structure/structure.h"
#include "sys/machine/binding.h"
#include "sys/machine/topology.h"

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
    void *fault;                /* state of a fault put in on purpose (sys/fault.h); NULL: none */
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
