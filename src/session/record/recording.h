/* A recording: what was measured elsewhere, or made up for a test or a lesson, in the place of a
 * run here. It is a record (io/record/record.h) with "counters" or "runs", or both, and perhaps
 * "config" and "problem". Where it has no counters, bytes are simulated. */
#ifndef SP_SESSION_RECORDING_H
#define SP_SESSION_RECORDING_H

#include "base/reading.h"
#include "io/record/record.h"
#include "probes/cuda/gpu_counters.h"
#include "session/analyze/sampling.h"
#include "sparse/csr/csr.h"

/* Zero-initialise; sp_recording_free(). */
struct sp_recording {
    char path[1024];
    struct sp_record record; /* owned */
    bool constructed;        /* measurements of no machine */
    bool has_times;          /* runs[] holds samples: nothing is run here */
    bool has_counters;       /* else bytes are simulated */
    enum sp_origin time_origin;
};

/* SP_INPUT where it is no record, or has neither counters nor times. */
enum sp_status sp_recording_open(const char *path, struct sp_recording *recording, struct sp_error *err);
void sp_recording_free(struct sp_recording *recording);
/* Of a record that was made of what another tool wrote; takes the record. */
void sp_recording_take(const char *path, struct sp_record *record, struct sp_recording *recording);

/* A text of its config, NULL where it says nothing. */
const char *sp_recording_config(const struct sp_recording *recording, const char *key);
int sp_recording_threads(const struct sp_recording *recording); /* 0: not said */

/* SP_INPUT where it is of a matrix with other numbers of rows, columns or entries. */
enum sp_status sp_recording_check_matrix(const struct sp_recording *recording, const struct sp_csr *matrix,
                                         struct sp_error *err);

/* Are roofs recorded beside the times? */
bool sp_recording_has_roofs(const struct sp_recording *recording);
/* Its samples as pairs; without recorded roofs the pairs have `roof_Bps` [B/s] throughout. */
enum sp_status sp_recording_pairs(const struct sp_recording *recording, double roof_Bps, int n_threads,
                                  struct sp_pairs *pairs, struct sp_error *err);

/* Products that were timed, and nothing else: by their own program, by somebody with a clock. */
struct sp_timed_run {
    const char *from;      /* where the times stand: "--time", a file, a program; for errors and the record */
    const char *kernel;    /* what ran, for the report; NULL: nobody said */
    const char *cpu;       /* that it ran on; NULL: that of the machine which explains it */
    enum sp_origin origin; /* SP_STATED, or SP_MEASURED where the project's own clock took them */
};

/* time_s[n] [s]: of one product each. What ran (format, schedule, precision, operation) is for the
 * options of the analysis to say; only threads are part of it. The rest follows through
 * sp_byte_source_of_recording() and sp_analyze(). SP_USAGE: no time, one that is not above 0, a
 * number of threads that cannot be. */
enum sp_status sp_recording_of_times(const double *time_s, int64_t n, int n_threads,
                                     const struct sp_timed_run *run, struct sp_recording *recording,
                                     struct sp_error *err);

/* A run on a GPU that somebody else profiled, in the place of a run here. */

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
