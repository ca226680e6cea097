/* Looks at the cores behind a claimed topology. In virtual machines the processors wander: between
 * cache domains, which the latency of a line between two threads shows, and onto cores whose other
 * hardware thread belongs to this machine, too, or to anybody else, which up to halves what a
 * thread computes and which no clock shows. A look before and after a sample tells how it was
 * taken. */
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

/* What the threads of a team get of their cores while all of them compute. */
struct sp_core_look {
    double latency_s; /* sp_core_to_core(); 0: not known */
    double
        share; /* what the slowest keeps of the speed of its multiplications beside the others: 1 where each
                     has a core of its own, 0.5 where two have one; 0: one thread, or not known */
    double width; /* of the slowest: instructions of a mixture that fills a core for each link of a chain that
                     waits for itself. The most that was ever seen means a core of one's own; a hardware thread
                     beside it that anybody uses takes up to half. 0: not known */
};

/* share and width of the first n_active threads of such a team; the latency stays as it is. Five
 * tries of 40 us, of which an interrupted one does no harm; both 0 where a thread did not run in
 * time. "Beside the others" is told from every second thread alone: hardware threads of a core
 * mostly have neighbouring numbers. Call outside of parallel regions. Both 0, too, where nobody
 * looks for disturbances (sp_disturbance_is_ignored()). */
void sp_core_crowd(int n_threads, int n_active, struct sp_core_look *look);

/* Does the look show less than a core for each thread? `widest` is the most that was ever seen, 0:
 * nothing was. */
bool sp_core_is_crowded(const struct sp_core_look *look, double widest);

/* Looks until the first n_threads threads have a core each, at most at_most_s. False: they have not
 * yet. widest 0: does not look. */
bool sp_core_await(int n_threads, double widest, double at_most_s);

/* What was seen so far, so that the border between the modes comes from data. Zero-initialise, or
 * begin with the width that a machine file knows. */
enum { SP_CORE_HISTORY = 256 };
struct sp_core_history {
    int n;
    double latency_s[SP_CORE_HISTORY]; /* ascending */
    double widest;
};

/* Adds a look; what it does not know is ignored. When full, the history thins the middle of its
 * latencies and keeps their extremes. */
void sp_core_history_add(struct sp_core_history *history, const struct sp_core_look *look);

/* The mode of a look. A share below 0.75, or a latency below 18 ns: SMT. Else the latency decides:
 * the widest relative gap in the history of at least a factor 2, with three or more on each side,
 * separates shared from split; without such a gap the usual ranges do: below 70 ns shared, above
 * 110 ns split, between unknown. */
enum sp_core_mode sp_core_classify(const struct sp_core_history *history, struct sp_core_look look);

#endif
