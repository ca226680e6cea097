/* A run on a GPU that somebody else profiled, in the place of a run here. */
#ifndef SP_SESSION_GPU_RECORDED_H
#define SP_SESSION_GPU_RECORDED_H

#include "probes/cuda/gpu_counters.h"
#include "session/record/recording.h"

/* Zero-initialise; sp_gpu_recorded_free(). */
struct sp_gpu_recorded {
    struct sp_recording times;   /* of one product each */
    struct sp_gpu_counts counts; /* of one product */
    char source[16];             /* "ncu" */
    char kernel[256], how[200];
    bool constructed; /* measurements of no machine */
};

static inline void sp_gpu_recorded_free(struct sp_gpu_recorded *r)
{
    sp_recording_free(&r->times);
}

#endif
