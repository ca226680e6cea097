/* From counts of memory controllers to bytes, and whether to believe them. Pure: no system call, so
 * everything here is tested without counters. */
#ifndef SP_PROBES_MEMORY_COUNTS_H
#define SP_PROBES_MEMORY_COUNTS_H

#include "base/reading.h"
#include "sys/memory_pmu.h"
#include "sys/perf_count.h"

/* Samples of every event at the two ends of a window. */
struct sp_count_window {
    const struct sp_perf_sample *before, *after; /* [n_events] */
    double duration_s;
};

/* Bytes of one execution: what the window counted, less what an idle window of this machine counts in the
 * same time (idle may be NULL: nothing is taken off), over the repetitions. Where an event was multiplexed
 * the interval is widened by the share of the time that it was not on a counter. SP_NONE with the reason in
 * why where an event gave no count. by_array is false. */
struct sp_traffic sp_memory_traffic(const struct sp_memory_pmu *pmu, struct sp_count_window window,
                                    const struct sp_count_window *idle, int64_t repetitions);

/* What a counter makes of a volume that is known. */
enum sp_trust {
    SP_TRUSTED,        /* within the tolerance of the known volume */
    SP_TRUST_NOTHING,  /* counts nothing */
    SP_TRUST_MULTIPLE, /* a whole multiple: counted twice, thrice ... */
    SP_TRUST_MISSING,  /* a whole number of channels of n is missing, or another socket's are read */
    SP_TRUST_OFF       /* neither: wrong by an amount that nothing simple explains */
};

struct sp_trust_verdict {
    enum sp_trust trust;
    double ratio;   /* counted / known */
    char text[160]; /* a clause: "counts 2.01 times the known volume: every line twice" */
};

/* counted_B of a run that moved known_B, tolerance relative (0.05: 5 %); n_channels: controllers of all
 * sockets, 0 unknown. known_B > 0. */
struct sp_trust_verdict sp_trust_judge(double counted_B, double known_B, double tolerance, int n_channels);

#endif
