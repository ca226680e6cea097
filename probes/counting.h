/* What all probes with hardware counters share: windows of at least 100 ms, several passes, the
 * background of an idle machine, and the log from which bytes and trust follow (model/count_log.h).
 * A back end only opens, starts and stops. */
#ifndef SP_PROBES_COUNTING_H
#define SP_PROBES_COUNTING_H

#include "base/job.h"
#include "base/status.h"
#include "model/count_log.h"
#include "probes/probe.h"

/* What happens between two executions that are not to find their data where they were. */

/* Zero-initialise; sp_cache_state_free(), safe twice. */
struct sp_cache_buffer {
    double *v; /* [n], touched; owned */
    int64_t n;
};

/* Makes the buffer as large as the protocol needs: vectors to be streamed, or all caches twice over
 * (cold). Nothing for warm. */
enum sp_status sp_cache_state_prepare(struct sp_cache_buffer *buffer, const struct sp_protocol *protocol,
                                      int n_threads, struct sp_error *err);
/* Brings the caches into the protocol's state, before each execution, outside of what is timed. */
void sp_cache_state_set(const struct sp_cache_buffer *buffer, const struct sp_protocol *protocol,
                        int n_threads);
void sp_cache_state_free(struct sp_cache_buffer *buffer);

/* A back end that counts memory traffic between two moments. */
struct sp_counter {
    const char *name;
    /* Fills the zeroed log's `how` and events. `argument`: what followed the colon, or NULL. */
    enum sp_status (*open)(const struct sp_counter *self, const char *argument, void **state,
                           struct sp_count_log *log, struct sp_error *err);
    /* Between the two the events of `pass` count, everywhere where their units are. */
    enum sp_status (*start)(void *state, int pass, struct sp_error *err);
    /* count[n_events]: fills those of the pass that was started. */
    enum sp_status (*stop)(void *state, struct sp_count *count, struct sp_error *err);
    void (*close)(void *state); /* accepts NULL */
};

/* For rows of the probe table: a session over one back end. */
enum sp_status sp_counting_open(const struct sp_counter *counter, const char *argument, void **session,
                                struct sp_error *err);
/* A session over a log that is there (a recording): observing runs nothing. Takes the log. */
enum sp_status sp_counting_of_log(struct sp_count_log *log, void **session, struct sp_error *err);
/* Warm: each window repeats the job. Cold and between: executions one by one are added up until a
 * window lasted long enough; what happens between them is not counted. reading->traffic[0] is
 * memory, and reading->n_levels 1; other levels are in the log. SP_ABSENT where a back end stops
 * answering. */
enum sp_status sp_counting_observe(void *session, const struct sp_job *job,
                                   const struct sp_protocol *protocol, struct sp_reading *reading,
                                   struct sp_error *err);
const struct sp_count_log *sp_counting_log(const void *session);
void sp_counting_close(void *session);

/* Volumes that are known: loops whose bytes through the memory interface follow from their arrays,
 * run under counters to see whether these can be believed [DESIGN: trust]. */

struct sp_known_options {
    int n_threads;
    int64_t bytes;   /* of the arrays of all threads, out of all caches */
    int64_t inner_B; /* of a thread's set that stays in its caches */
};

enum { SP_MAX_KNOWN = 12 };

/* Zero-initialise; sp_known_volumes_close(), safe twice. The jobs point into it: do not move it. */
struct sp_known_volumes {
    struct sp_known_options options;
    double *memory; /* owned, each thread's part touched by it */
    int64_t n;      /* items of it */
    int n_known;
    struct sp_known known[SP_MAX_KNOWN];
    struct sp_job job[SP_MAX_KNOWN];
    struct sp_known_state {
        struct sp_known_volumes *all;
        int kind, loads_per_store;
    } state[SP_MAX_KNOWN];
};

/* load-only, store-only, copy, mixes of 3, 7 and 15 loads a store, non-temporal stores (where the
 * instruction set has them), a gather that takes each line once, and loads that stay in caches. */
enum sp_status sp_known_volumes_open(const struct sp_known_options *options, struct sp_known_volumes *volumes,
                                     struct sp_error *err);
void sp_known_volumes_close(struct sp_known_volumes *volumes);

#endif
