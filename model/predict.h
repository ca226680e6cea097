/* What the model says of a workload on a described machine, without running it [THEORY 2, 8]. */
#ifndef SP_MODEL_PREDICT_H
#define SP_MODEL_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "model/machine.h"
#include "model/roofline.h"
#include "model/volume/volume_spmv.h"
#include "sparse/formats/layout.h"

struct sp_predict_inputs {
    int64_t n_r, n_c, n_nz; /* n_r, n_nz > 0 */
    enum sp_format format;
    int32_t C;     /* SELL kinds */
    double beta;   /* n_nz / stored entries, 1 for CRS */
    double u;      /* share of unit-stride slots, SELLU */
    bool permuted; /* SELL with sigma > 1 */
    enum sp_precision precision;
    enum sp_index index;
    int64_t r; /* right-hand sides, SpMMV and SpMM; 0: 1. Not used where a layout is given */
    const struct sp_layout
        *layout;           /* counts the bytes of any operation exactly; NULL: by formula from the above */
    double work;           /* W [flop]; 0: that of r SpMVs */
    struct sp_value alpha; /* with interval; not SP_NONE */
    struct sp_value w;     /* with interval; value >= 1 */

    const struct sp_machine *machine;
    int n_threads;            /* >= 1 */
    int n_domains;            /* last-level domains that they use, >= 1 */
    const char *mode;         /* core-to-core mode of the roof; NULL: any */
    bool warm;                /* repeated executions: the data may live in a cache */
    int n_inward;             /* levels further in than sizes say that a simulation shows the data to live */
    struct sp_value core;     /* P_core of all threads [flop/s]; SP_NONE: not known */
    struct sp_value roof_Bps; /* SP_NONE: look up the machine's ceiling for the level */
};

enum { SP_MAX_ROOF_TERMS = 3 };

struct sp_prediction {
    struct sp_volume volume;       /* at the values of alpha and w */
    struct sp_value volume_B;      /* total, interval of alpha and w; modelled, wherever alpha comes from */
    struct sp_value balance;       /* B_C [B/flop] */
    double work;                   /* W [flop] */
    int home;                      /* index of the cache that holds the data, n_caches: memory */
    struct sp_residence residence; /* the level whose roof is taken: home, or the next one outward that has a
                                      bandwidth, as if the data came from there */
    struct sp_value roof_Bps;      /* b_S of that level; SP_NONE: the machine has none */
    const struct sp_ceiling *roof; /* where it came from; NULL: given, or none */
    struct sp_roof_term term[SP_MAX_ROOF_TERMS];
    int n_terms;
    struct sp_roofline roofline; /* time, performance, binding term */
    const char *binding;         /* its name; "unknown" where no ceiling is known */
};

/* Threads of one domain share its last level, which holds their part of the matrix, of the row operand and of
 * the result, and all of the gathered operands that they touch; those are counted whole. */
struct sp_footprint sp_footprint_of_layout(const struct sp_layout *layout);

/* P = min(P_peak, P_core, b_level/B_C), the roof that of the level where the data live. A cache level without
 * a described bandwidth falls back to the next one outward that has one: `residence` says which, `home` where
 * the data are. */
struct sp_prediction sp_predict(const struct sp_predict_inputs *inputs);

#endif
