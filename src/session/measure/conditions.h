/* In what state the machine was while it was measured on, decided once, and whether a verdict can
 * be given at all. Every percentage, loss, hint and gate of an analysis asks here. */
#ifndef SP_SESSION_CONDITIONS_H
#define SP_SESSION_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "kernels/ceiling.h"
#include "session/analyze/sampling.h"
#include "sparse/formats/layout.h"
#include "sys/machine/topology.h"
#include "sys/processes.h"

enum sp_condition {
    SP_NOT_RUN,  /* nothing was run here: times come from elsewhere, or there are none */
    SP_CLEAN,    /* at most a tenth of the samples was disturbed, or taken on crowded cores */
    SP_BUSY,     /* more, and replaced by others; or the cores are crowded throughout */
    SP_ASSUMED,  /* clean, because SPMODEL_ASSUME says so: nobody looked */
    SP_UNUSABLE, /* too few undisturbed samples: times say nothing about the kernel */
    SP_N_CONDITIONS
};
/* "not run", "clean", "busy", "assumed", "unusable". */
const char *sp_condition_name(enum sp_condition condition);

enum { SP_MOST_OTHERS = 3 };

struct sp_conditions {
    enum sp_condition state;
    int64_t n_clean, n_disturbed, n_crowded; /* samples, as in struct sp_pairs */
    bool crowded;                            /* all samples kept are so: times hold for that */
    bool moved;                              /* the cores changed beside all of them */
    bool oversubscribed;                     /* more threads than processors: they disturb each other */
    int n_others; /* programs that used more than a tenth of a processor meanwhile */
    struct sp_busy other[SP_MOST_OTHERS];
    int n_on_gpu;                    /* other programs that have work on the GPU, busy or not */
    char on_gpu[SP_MOST_OTHERS][16]; /* the names of the first, "" not known */
    const char *held_back;           /* what holds the GPU's clocks back, static; NULL: nothing known */
};

/* The state and the samples, from all runs pooled. */
void sp_conditions_set(const struct sp_pairs *pairs, struct sp_conditions *conditions);

/* Looks at who computes: begun before the samples, ended after them, as far as can be read. */
struct sp_bystanders {
    struct sp_processes before;
};
void sp_bystanders_begin(struct sp_bystanders *watch);
void sp_bystanders_end(struct sp_bystanders *watch, struct sp_conditions *conditions);

/* n_on_gpu and on_gpu, of processes by pid, 0: not known; pid[n], at most SP_MOST_OTHERS. */
void sp_conditions_name(struct sp_conditions *conditions, const int *pid, int n);

/* "48 samples, none disturbed", "31 of 60 samples were disturbed and replaced; other programs: cc1
 * 95 %"; returns text. */
char *sp_conditions_words(const struct sp_conditions *conditions, char *text, size_t size);

/* What the shares of roof and model rest on. */
struct sp_shares {
    const struct sp_conditions *conditions;
    struct sp_value of_roof, of_model;
    double of_remembered; /* the roof over what the machine file remembers; INFINITY: it remembers none */
    bool in_memory;       /* in caches, sizes and barriers differ */
    const char *roof;     /* whose bandwidth it is: "what a load-only run beside it drew" */
    const char *fewer_B;  /* why fewer bytes may move than V, or more be counted than the kernel moves */
    const char *fast;     /* why the time may be shorter than the model's */
};
/* Can a verdict be given? Takes shares back that cannot be; doubt[size] "": it can. True: the roof
 * is to blame, so sampling again may help. */
bool sp_shares_doubt(struct sp_shares *shares, char *doubt, size_t size);

/* Above this share of its own roof a kernel has drawn more than the load-only run beside it: the
 * roof is too low or the bytes are too many. */
#define SP_MOST_OF_ROOF 1.10
/* A roof below this part of what the machine file remembers was taken in a bad moment. */
#define SP_LEAST_OF_REMEMBERED 0.5

/* Sentinels: the machine looked at beside what is measured on it. Short probes on data of their
 * own, before, between and after the runs of a session: loads from memory, loads from the
 * last-level cache, the frozen control kernel. When the kernel's time has changed, they tell the
 * machine's part of it. */
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
    bool crowded[SP_SENTINEL_LOOKS]; /* other work shared the cores */
    double spread;                   /* the largest (Q3 - Q1)/median of the samples of one look */
    double bytes;                    /* its data [B]; control: 0 */
    const char *why;                 /* static: why there is none; NULL: there is */
};

struct sp_sentinels {
    struct sp_sentinel of[SP_N_SENTINELS];
    int n_threads;
    double seconds; /* all of it, making the data included */
};

/* Relative change from the first look to the last, of those on cores of their own; false: fewer
 * than two, or the change lies within twice the spread or within 10 %. */
bool sp_sentinel_drifted(const struct sp_sentinel *sentinel, double *change);

/* Zero-initialise; sp_sentinels_close(). */
struct sp_sentinel_watch {
    struct sp_sentinels seen;
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run[2]; /* memory, last level */
    int64_t repetitions[SP_N_SENTINELS];
    double allowance_s, sample_s, core_width;
};

/* Makes data and finds repetitions, for n_threads threads, pinned as they are, that use n_domains
 * last-level caches. Takes at most about half a second, allowance_s, and an eighth of memory_B (0:
 * no limit); what does not fit is left out and says why, so this cannot fail. Looks wait a little
 * for cores of their own, of so much width (sys/machine/core_to_core.h; 0: not known). */
void sp_sentinels_open(struct sp_sentinel_watch *watch, const struct sp_topology *topology, int n_threads,
                       int n_domains, double allowance_s, double memory_B, double core_width);

/* Takes one look; `optional`: not where the time is used up. */
void sp_sentinels_look(struct sp_sentinel_watch *watch, bool optional);

void sp_sentinels_close(struct sp_sentinel_watch *watch); /* releases the data; `seen` stays. Safe twice */

/* Where the kernel's arrays really lie, read back from the system: share of each thread's part of
 * the value array (weighted by its entries) that lies on the NUMA node that the thread is bound to.
 * SP_NONE with the reason: one node, threads not bound, no values, or the system does not tell. */
struct sp_value sp_placement_local_share(const struct sp_layout *layout, const struct sp_binding *binding,
                                         const struct sp_topology *topology);
/* The same of the threads in one domain. */
struct sp_value sp_placement_domain_share(const struct sp_layout *layout, const struct sp_binding *binding,
                                          const struct sp_topology *topology, const int *domain_of_thread,
                                          int domain);

/* Share of the value array in huge pages. */
struct sp_value sp_placement_huge_share(const struct sp_layout *layout);

#endif
