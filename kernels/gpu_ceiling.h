/* Ceilings of a GPU: what it moves and computes when nothing else stands in the way. One arena of
 * device memory serves all of them. Behind the GPU module; base and sys only in front. */
#ifndef SP_KERNELS_GPU_CEILING_H
#define SP_KERNELS_GPU_CEILING_H

#include <stddef.h>

#include "base/status.h"

enum sp_gpu_ceiling {
    SP_GPU_CEILING_LOAD,  /* one stream is read, past the L1 [B/s] */
    SP_GPU_CEILING_COPY,  /* c = a [B/s], read and written counted once each */
    SP_GPU_CEILING_TRIAD, /* c = a + s b [B/s] */
    SP_GPU_CEILING_FMA_F64,
    SP_GPU_CEILING_FMA_F32, /* eight independent chains in each thread [flop/s] */
    SP_GPU_CEILING_LAUNCH,  /* an empty kernel in a queue of them [s] */
    SP_GPU_CEILING_LATENCY, /* one thread that loads what it loaded tells it [s] */
    SP_GPU_CEILING_SECTORS, /* loads of one warp, whose sectors are to be counted [1/s] */
    SP_N_GPU_CEILINGS
};
/* What a load of SECTORS goes over. */
enum { SP_GPU_SECTORS_ROW_B = 1024 };

/* What a sample is taken with. */
struct sp_gpu_ceiling_case {
    enum sp_gpu_ceiling kind;
    size_t bytes;        /* working set, all streams together; at most the arena */
    int warps;           /* resident on a core, LOAD only; 0: as many as fit */
    int64_t repetitions; /* passes over the working set, rounds of a chain, launches, loads */
    int access_B;        /* SECTORS: of a lane, 4, 8 or 16 (0: 4); the working set has a row for each load */
    int together;        /* SECTORS: so many neighbouring lanes load from one sector, the next ones from
                            another (0: all 32) */
};

/* The module's part: kernels/gpu_module.h. */
struct sp_gpu_ceilings {
    enum sp_status (*open)(size_t bytes, void **arena, struct sp_error *err);
    /* *value in the unit of the kind, *seconds that the sample took. */
    enum sp_status (*sample)(void *arena, const struct sp_gpu_ceiling_case *c, double *value, double *seconds,
                             struct sp_error *err);
    void (*close)(void *arena); /* accepts NULL */
};
extern const struct sp_gpu_ceilings sp_gpu_ceilings; /* a module's own */

#endif
