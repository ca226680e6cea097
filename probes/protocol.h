/* What happens between two executions that are not to find their data where they were. */
#ifndef SP_PROBES_PROTOCOL_H
#define SP_PROBES_PROTOCOL_H

#include "probes/probe.h"

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

#endif
