/* Latency between two threads: the fact behind a claimed topology. In virtual machines the
 * processors wander between cache domains within seconds; a ping-pong before and after a sample
 * tells in which mode it was taken. */
#ifndef SP_SYS_CORE_TO_CORE_H
#define SP_SYS_CORE_TO_CORE_H

#include <stdbool.h>

enum sp_core_mode {
    SP_CORE_UNKNOWN, /* no answer: a thread did not run in time, or the latency lies between the modes */
    SP_CORE_SINGLE,  /* one thread: nothing to compare */
    SP_CORE_SMT,     /* hardware threads of one core */
    SP_CORE_SHARED,  /* cores that share a cache */
    SP_CORE_SPLIT    /* cores of two cache domains */
};

/* "unknown", "single", "smt", "shared", "split". */
const char *sp_core_mode_name(enum sp_core_mode mode);

/* One-way latency [s] between threads a and b of an OpenMP team of n_threads (pinned before): a
 * counter in one cache line goes to and fro for 0.7 ms; the best short burst counts, so that an
 * interruption does no harm. 0 when one of them did not run within the time allowed (~20 ms). Call
 * outside of parallel regions. */
double sp_core_to_core(int n_threads, int a, int b);

/* The latencies seen so far in this process, so that the border between the modes comes from data.
 * Zero-initialise.
 */
enum { SP_CORE_HISTORY = 256 };
struct sp_core_history {
    int n;
    double latency_s[SP_CORE_HISTORY]; /* ascending */
};

/* Adds a latency; 0 is ignored. When full, the history thins its middle and keeps its extremes. */
void sp_core_history_add(struct sp_core_history *history, double latency_s);

/* The mode of a latency: the widest relative gap in the history of at least a factor 2, with three
 * or more on each side, separates shared from split; without such a gap the usual ranges decide:
 * below 18 ns SMT, below 70 ns shared, above 110 ns split, between unknown. */
enum sp_core_mode sp_core_classify(const struct sp_core_history *history, double latency_s);

#endif
