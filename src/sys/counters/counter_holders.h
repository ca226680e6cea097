/* Who else may hold the hardware counters: monitors of the site, profilers, other jobs. Only what
 * this user may see; what could not be looked at is counted too. */
#ifndef SP_SYS_COUNTER_HOLDERS_H
#define SP_SYS_COUNTER_HOLDERS_H

#include <stdbool.h>

#include "sys/processes.h"

enum { SP_HOLDERS_MAX = 16 };

struct sp_holder {
    int pid;
    unsigned uid;
    char name[16];
    int n_descriptors; /* open perf_event descriptors that were seen */
    const char *what;  /* what a program of this name does to the counters; NULL: not a known name. Static */
    bool of_gpu;       /* it is the GPU's counters that it takes */
};

struct sp_holders {
    int n, n_more; /* stored, and seen beyond those */
    struct sp_holder holder[SP_HOLDERS_MAX];
    int n_processes; /* user processes that /proc shows */
    int n_looked;    /* whose descriptors could be listed */
    bool listed;     /* all processes; else the time was over first */
    bool cut;        /* the time was over before all descriptors were looked at */
    bool container;  /* a PID namespace of its own: the host's processes cannot be seen */
    bool hidden;     /* /proc is mounted with hidepid: other users' processes cannot be seen */
    int n_users;     /* other users than root, system services (below 1000) and this one with processes */
    bool lock;       /* LIKWID's lock file is there: only its owner may use LIKWID */
    unsigned lock_uid;
};

/* `self` and `uid`: this process and user. Ends at `deadline` (sp_now()). */
void sp_holders_read(const char *root, const struct sp_processes *processes, int self, unsigned uid,
                     double deadline, struct sp_holders *out);

/* What a program of this name (the kernel's, cut after 15 characters) does to counters, or NULL. */
const char *sp_monitor_known(const char *name, bool *of_gpu);

/* A session around this process, from its environment: "likwid-perfctr (LIKWID_MODE)", or "" .
 * `look` is getenv or a test's own. Returns text. */
char *sp_profiler_around(char *(*look)(const char *name), char *text, unsigned size);
/* "SLURM 4711", "" outside of a batch job. Returns text. */
char *sp_batch_job(char *(*look)(const char *name), char *text, unsigned size);

#endif
