/* A log of counts as JSON: "counters" of a record, and what a recording holds to be replayed. */
#ifndef SP_PROBES_REPLAY_H
#define SP_PROBES_REPLAY_H

#include <jansson.h>
#include <stdbool.h>

#include "model/count_log.h"

/* {"source", "how", "constructed", "events": [...], "windows": [...]}: docs/records.md has the
 * fields. A new reference; NULL when memory is short. */
json_t *sp_count_log_json(const struct sp_count_log *log);

/* The inverse. SP_INPUT names the event or window that is wrong; `path` is for the message. */
enum sp_status sp_count_log_from_json(const json_t *counters, const char *path, struct sp_count_log *log,
                                      struct sp_error *err);

/* A session of `replay` (probes/probe.h) over such an object. constructed: the file says so. */
enum sp_status sp_replay_open_counters(const json_t *counters, const char *path, bool constructed,
                                       void **session, struct sp_error *err);

#endif
