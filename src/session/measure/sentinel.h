/* Sentinels: the machine looked at beside what is measured on it. Short probes on data of their own, before,
 * between and after the runs of a session: loads from memory, loads from the last-level cache, the frozen
 * control kernel. When the kernel's time has changed, they tell the machine's part of it. */
#ifndef SP_SESSION_SENTINEL_H
#define SP_SESSION_SENTINEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/ceiling.h"
#include "sys/machine/topology.h"

enum sp_sentinel_kind { SP_SENTINEL_DRAM, SP_SENTINEL_LLC, SP_SENTINEL_CONTROL, SP_N_SENTINELS };
const char *sp_sentinel_name(enum sp_sentinel_kind kind); /* "dram", "llc", "control" */

enum {
    SP_SENTINEL_VERSION = 1, /* of what is probed and how: values compare only where it agrees */
    SP_SENTINEL_LOOKS = 8    /* most looks of a session */
};

/* One sentinel's looks, in order of time. Rates: more is better. */
struct sp_sentinel {
    int n;
    double value[SP_SENTINEL_LOOKS]; /* median of the samples of a look [B/s]; control: steps a second of each
                                        thread [1/s] */
    double spread;                   /* the largest (Q3 - Q1)/median of the samples of one look */
    double bytes;                    /* its data [B]; control: 0 */
    const char *why;                 /* static: why there is none; NULL: there is */
};

struct sp_sentinels {
    struct sp_sentinel of[SP_N_SENTINELS];
    int n_threads;
    double seconds; /* all of it, making the data included */
};

/* Relative change from the first look to the last; false: fewer than two, or the change lies within
 * twice the spread or within 10 %. */
bool sp_sentinel_drifted(const struct sp_sentinel *sentinel, double *change);

/* Zero-initialise; sp_sentinels_close(). */
struct sp_sentinel_watch {
    struct sp_sentinels seen;
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run[2]; /* memory, last level */
    int64_t repetitions[SP_N_SENTINELS];
    double allowance_s, sample_s;
};

/* Makes data and finds repetitions, for n_threads threads, pinned as they are, that use n_domains last-level
 * caches. Takes at most about half a second, allowance_s, and an eighth of memory_B (0: no limit);
 * what does not fit is left out and says why, so this cannot fail. */
void sp_sentinels_open(struct sp_sentinel_watch *watch, const struct sp_topology *topology, int n_threads,
                       int n_domains, double allowance_s, double memory_B);

/* Takes one look; `optional`: not where the time is used up.
 */
void sp_sentinels_look(struct sp_sentinel_watch *watch, bool optional);

void sp_sentinels_close(struct sp_sentinel_watch *watch); /* releases the data; `seen` stays. Safe twice */

#endif
