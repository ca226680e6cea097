/* A back end that counts memory traffic between two moments. What every such back end shares (windows,
 * passes, background, known volumes) is in probes/counting.h; a back end only opens, starts, and stops. */
#ifndef SP_PROBES_COUNTER_H
#define SP_PROBES_COUNTER_H

#include "base/status.h"
#include "model/count_log.h"

struct sp_counter {
    const char *name;
    /* Fills the zeroed log's `how` and events. `argument`: what followed the name after a colon, or NULL. */
    enum sp_status (*open)(const struct sp_counter *self, const char *argument, void **state,
                           struct sp_count_log *log, struct sp_error *err);
    /* Between the two the events of `pass` count, everywhere on the machine where their units are. */
    enum sp_status (*start)(void *state, int pass, struct sp_error *err);
    /* count[n_events]: fills those of the pass that was started. */
    enum sp_status (*stop)(void *state, struct sp_count *count, struct sp_error *err);
    void (*close)(void *state); /* accepts NULL */
};

#endif
