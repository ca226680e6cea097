/* What all probes with hardware counters share: windows of at least 100 ms, several passes, the background
 * of an idle machine, and the log from which bytes and trust follow (model/count_log.h). */
#ifndef SP_PROBES_COUNTING_H
#define SP_PROBES_COUNTING_H

#include "probes/counter.h"
#include "probes/probe.h"

/* For rows of the probe table: a session over one back end. */
enum sp_status sp_counting_open(const struct sp_counter *counter, const char *argument, void **session,
                                struct sp_error *err);
/* A session over a log that is there already (a recording): observing runs nothing. Takes the log. */
enum sp_status sp_counting_of_log(struct sp_count_log *log, void **session, struct sp_error *err);
/* Warm: each window repeats the job. Cold and between: executions one by one are added up until a window
 * lasted long enough; what happens between them is not counted. reading->traffic[0] is memory, and
 * reading->n_levels 1; other levels are in the log. SP_ABSENT where a back end stops answering. */
enum sp_status sp_counting_observe(void *session, const struct sp_job *job,
                                   const struct sp_protocol *protocol, struct sp_reading *reading,
                                   struct sp_error *err);
const struct sp_count_log *sp_counting_log(const void *session);
void sp_counting_close(void *session);

#endif
