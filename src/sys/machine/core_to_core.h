/* Looks at the cores behind a claimed topology. In virtual machines the processors wander: between
 * cache domains, which the latency of a line between two threads shows, and onto one core, which
 * halves what two threads compute and which no latency shows. A look before and after a sample
 * tells in which mode it was taken. */
#ifndef SP_SYS_CORE_TO_CORE_H
#define SP_SYS_CORE_TO_CORE_H

#include <stdbool.h>

enum sp_core_mode {
    SP_CORE_UNKNOWN, /* no answer: a thread did not run in time, or the latency lies between the modes */
    SP_CORE_SINGLE,  /* one thread: nothing to compare */
    SP_CORE_SMT,     /* hardware threads of one core */
    SP_CORE_SHARED,  /* cores that share a cache */
    SP_CORE_SPLIT,   /* cores of two cache domains */
    SP_N_CORE_MODES
};

/* "unknown", "single", "smt", "shared", "split". */
const char *sp_core_mode_name(enum sp_core_mode mode);

/* One-way latency [s] between threads a and b of an OpenMP team of n_threads (pinned before): a
 * counter in one cache line goes to and fro for 0.7 ms; the best short burst counts, so that an
 * interruption does no harm. 0 when one of them did not run within the time allowed (~20 ms). Call
 * outside of parallel regions. */
double sp_core_to_core(int n_threads, int a, int b);

/* What the slowest of the first n_active threads of such a team keeps of its speed when all of them
 * multiply at once: 1 where each has a core of its own, 0.5 where two share one. "Alone" is every
 * second thread: hardware threads of a core mostly have neighbouring numbers. The best of a few
 * tries of 50 us, so that an interruption does no harm; 0: one thread, or they did not run in time.
 * Call outside of parallel regions. */
double sp_core_share(int n_threads, int n_active);

/* One look. */
struct sp_core_look {
    double latency_s; /* sp_core_to_core(); 0: not known */
    double share;     /* sp_core_share(); 0: not known */
};

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

/* The mode of a look. A share below 0.75, or a latency below 18 ns: SMT. Else the latency decides:
 * the widest relative gap in the history of at least a factor 2, with three or more on each side,
 * separates shared from split; without such a gap the usual ranges do: below 70 ns shared, above
 * 110 ns split, between unknown. */
enum sp_core_mode sp_core_classify(const struct sp_core_history *history, struct sp_core_look look);

#endif
