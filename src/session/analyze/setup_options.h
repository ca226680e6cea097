/* What a set-up may be told (session/analyze/setup.h). */
#ifndef SP_SESSION_SETUP_OPTIONS_H
#define SP_SESSION_SETUP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"
#include "model/machine.h"
#include "session/analyze/plan.h"
#include "sparse/structure/structure.h"
#include "sys/machine/topology.h"

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

#endif
