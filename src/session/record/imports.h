/* What other tools counted of somebody's run, as a recording (session/record/recording.h): its
 * counters, its time, its threads. */
#ifndef SP_SESSION_IMPORTS_H
#define SP_SESSION_IMPORTS_H

#include "io/profiler_output.h"
#include "session/record/recording.h"

struct sp_import_options {
    const char *region;   /* NULL: the only one */
    int64_t executions;   /* products in a call of the region, or in the whole program without regions; 0: not
                             said */
    int n_threads;        /* where the file does not say it */
    const double *time_s; /* [n_times] of one product, where somebody timed it himself; NULL: the file's */
    int64_t n_times;
};

/* likwid-perfctr: executions 0 is one a call. SP_USAGE where a region must be chosen or the number
 * of executions is not known; SP_INPUT where no group in it counts data volumes of memory. */
enum sp_status sp_import_likwid(const struct sp_likwid_csv *csv, const char *path,
                                const struct sp_import_options *options, struct sp_recording *recording,
                                struct sp_error *err);

/* perf stat: events of memory controllers by their units or their rows (sys/counters/memory_pmu.h),
 * else misses of the last level. SP_USAGE without executions or threads; SP_INPUT where none of its
 * events counts reads of memory, one of them was not counted, or no time is in it. */
enum sp_status sp_import_perf(const struct sp_perf_csv *csv, const char *path,
                              const struct sp_import_options *options, struct sp_recording *recording,
                              struct sp_error *err);
/* On whose processors its bytes were counted: "Intel" ...; NULL: any. *what: by what. Static. */
const char *sp_perf_vendor(const struct sp_perf_csv *csv, const char **what);

/* ncu: of the launches of the kernels whose names contain `region` (NULL: of the only one) the
 * median of each kernel, all kernels of a product together; a product has one launch of that which
 * was launched least, or `executions` says how many products there were. SP_USAGE where a kernel
 * must be chosen; SP_INPUT where bytes read from memory or the time are not in it.
 * sp_gpu_recorded_free(). */
enum sp_status sp_import_ncu(const struct sp_ncu_csv *csv, const char *path,
                             const struct sp_import_options *options, struct sp_gpu_recorded *recorded,
                             struct sp_error *err);

#endif
