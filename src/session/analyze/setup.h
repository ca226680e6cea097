/* From a matrix and wishes to a prepared, checked kernel. */
#ifndef SP_SESSION_SETUP_H
#define SP_SESSION_SETUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "kernels/kernel.h"
#include "model/machine.h"
#include "session/analyze/plan.h"
#include "sparse/product/verify.h"
#include "sys/machine/binding.h"
#include "sys/machine/topology.h"

enum sp_choice { SP_CHOICE_AUTO, SP_CHOICE_ON, SP_CHOICE_OFF };

struct sp_setup_options {
    const char *isa;                  /* NULL: the best */
    const struct sp_kernel *kernel;   /* NULL: the fastest on these arrays; its P_core is measured then */
    enum sp_choice store_nt;          /* non-temporal stores of y; auto: where y goes to memory */
    bool small_pages;                 /* 4 KiB pages instead of huge ones */
    bool not_pinned;                  /* leave threads where the system puts them */
    bool layout_only;                 /* nothing is run here: no kernel, threads in the machine's domains */
    double memory_B;                  /* what may be taken; 0: no check */
    struct sp_plan *plan;             /* for the choice of the kernel; NULL: nobody counts the time */
    uint64_t seed;                    /* of x */
    const struct sp_machine *machine; /* NULL: unknown */
    const struct sp_topology *topology;
};

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
    struct sp_value p_core_one; /* [flop/s] of one thread */
    struct sp_spmv_check check; /* against the reference */
    double layout_s;            /* making the layout [s] */
    void *fault;                /* state of a fault put in on purpose (sys/fault.h); NULL: none */
};

/* Binds threads, makes the layout, chooses the kernel, runs it once and checks the result: SP_WRONG where it
 * differs from the reference by more than the derived tolerance (everything is released then). `workload` has
 * passed sp_workload_check(). */
enum sp_status sp_setup_make(const struct sp_workload *workload, const struct sp_setup_options *options,
                             const struct sp_progress *progress, struct sp_setup *setup,
                             struct sp_error *err);
void sp_setup_free(struct sp_setup *setup);

#endif
