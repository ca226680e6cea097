/* PAPI: memory controllers where its component for them is active, misses of the last-level cache
 * otherwise. The library is in the helper (probes/helper/helper_papi.c). */
#include "probes/helper_counter.h"

const struct sp_counter sp_papi_counter = {.name = "papi",
                                           .open = sp_helper_counter_open,
                                           .start = sp_helper_counter_start,
                                           .stop = sp_helper_counter_stop,
                                           .close = sp_helper_counter_close};

static enum sp_status is_available(struct sp_error *err)
{
    return sp_helper_counter_available("papi", err);
}

static enum sp_status open_session(const char *argument, void **session, struct sp_error *err)
{
    return sp_counting_open(&sp_papi_counter, argument, session, err);
}

const struct sp_probe sp_probe_papi = {
    .name = "papi",
    .summary = "PAPI: memory-controller events, else last-level misses as an approximation",
    .gives_bytes = true,
    .counts = true,
    .available = is_available,
    .open = open_session,
    .observe = sp_counting_observe,
    .log = sp_counting_log,
    .close = sp_counting_close,
};
