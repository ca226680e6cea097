/* The probe interface: a probe observes a job and turns it into a reading. One row of
 * probes/probe_table.c each.
 *
 * It is observe(job), not start/stop: counters that need several passes, warm and cold protocols,
 * replay, and the simulator (which runs nothing) then share one interface. A probe never writes 0
 * for "unknown". */
#ifndef SP_PROBES_PROBE_H
#define SP_PROBES_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/job.h"
#include "base/reading.h"
#include "base/status.h"
#include "model/count_log.h"
#include "model/machine.h"
#include "sys/counters/counters.h"

enum sp_cache_state { SP_WARM, SP_COLD, SP_BETWEEN };

/* How a job is observed. */
struct sp_protocol {
    enum sp_cache_state state; /* cold: caches are emptied before each execution */
    int64_t between_B;         /* bytes streamed between executions (SP_BETWEEN) */
    double budget_s;           /* time for all samples together [s] */
    int min_samples, max_samples;
    double min_sample_s;              /* a sample repeats the job until it lasts this long [s] (warm only) */
    int64_t repetitions;              /* executions in a sample (warm only); 0: found from min_sample_s */
    double rest_s;                    /* sleep before each sample [s]: shared machines have quiet moments */
    const struct sp_machine *machine; /* caches to empty or to simulate; borrowed */
    int n_domain;                     /* last-level-cache domains that the threads use, >= 1 */
    const int *domain_of_thread;      /* [job->n_threads] or NULL: all in domain 0 */
    const char *policy;               /* replacement in the simulator: "lru" (NULL), "random", "rrip" */
    double skew; /* simulator: fraction of its share by which thread t+1 lags behind thread t */
    size_t x_offset_B, y_offset_B; /* where x and y start inside a line */
    bool store_nt;                 /* the job writes y with non-temporal stores */
    uint64_t seed;
    const struct sp_known *known; /* the job moves a volume that is known, to see what counters make of it;
                                     NULL: it is the job itself */
    bool (*interrupted)(void *context); /* NULL: never; checked between samples */
    void *context;
};

/* Bytes of one execution that a job loads and stores, and the part of them that goes to memory. */
struct sp_known {
    const char *what; /* "load", "store" ... */
    double load_B, store_B;
    double memory_share; /* 1; 0: stays in caches */
    int n_shares;        /* memory domains over which the volumes are spread; 0: not known */
    const double *domain_share;
};

/* Sensible values for everything: warm, 1 s, 5 to 200 samples of 10 ms. */
struct sp_protocol sp_protocol_default(const struct sp_machine *machine);

struct sp_probe {
    const char *name;    /* "time", "sim", ... as after --bytes */
    const char *summary; /* one line for people */
    const char *absent;  /* NULL, or why this build has none */
    bool gives_bytes;
    bool counts; /* bytes are counted by hardware, so known volumes must prove them first */
    /* Would it work here and now? Cheap, changes nothing; SP_ABSENT with reason and remedy. */
    enum sp_status (*available)(struct sp_error *err);
    /* argument: what followed the name after a colon (replay:FILE), or NULL. */
    enum sp_status (*open)(const char *argument, void **session, struct sp_error *err);
    /* Fills *reading (zeroed first). SP_INTERRUPTED keeps the samples that were taken. */
    enum sp_status (*observe)(void *session, const struct sp_job *job, const struct sp_protocol *protocol,
                              struct sp_reading *reading, struct sp_error *err);
    /* All counts so far, borrowed, valid until the next observation; NULL: without counters. */
    const struct sp_count_log *(*log)(const void *session);
    void (*close)(void *session); /* accepts NULL */
};

extern const struct sp_probe *const sp_probe_table[]; /* ends with NULL */
const struct sp_probe *sp_probe_find(const char *name);

/* A log of counts as JSON: "counters" of a record, and what a recording holds to be replayed. */

/* {"source", "how", "constructed", "events": [...], "windows": [...]}: docs/records.md has the
 * fields. A new reference; NULL when memory is short. */
json_t *sp_count_log_json(const struct sp_count_log *log);

/* The inverse. SP_INPUT names the event or window that is wrong; `path` is for the message. */
enum sp_status sp_count_log_from_json(const json_t *counters, const char *path, struct sp_count_log *log,
                                      struct sp_error *err);

/* A session of `replay` (probes/probe.h) over such an object. constructed: the file says so. */
enum sp_status sp_replay_open_counters(const json_t *counters, const char *path, bool constructed,
                                       void **session, struct sp_error *err);

/* Events of the job's own threads through perf_event: instructions, cycles, stalls, last-level
 * misses, flops, and what the kernel counts itself everywhere: processor time, page faults,
 * switches, migrations. */

enum { SP_MAX_CORE_EVENTS = 16 };

struct sp_core_event {
    const char *name;     /* "instructions" ... */
    const char *unit;     /* "1", "s", "flop" */
    struct sp_value each; /* in one execution, all threads; SP_NONE with the reason */
    double running_share; /* of the time on a counter: below 1 it was scaled up */
};

struct sp_core_events {
    int n;
    struct sp_core_event event[SP_MAX_CORE_EVENTS];
    int64_t repetitions; /* of all passes */
    double seconds;      /* of all repetitions */
    int n_threads;       /* of this process that were counted */
};

/* Runs the job for about `seconds` under the events of all threads of the process, in passes of as
 * many as there are counters. `flops`: of the processor. Events that are not there say why in their
 * value. SP_OK, or what the job returns. */
enum sp_status sp_core_events_observe(const struct sp_job *job, enum sp_flop_events flops, double seconds,
                                      struct sp_core_events *out, struct sp_error *err);

#endif
