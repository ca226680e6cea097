/* LIKWID's performance groups know the events and formulas of each machine. The library is in the helper:
 * it forks, prints, exits and hangs (probes/helper/helper_likwid.c). likwid[:direct|daemon|perf] names the
 * access mode; without it LIKWID's own configuration does. */
#include "probes/counting.h"
#include "probes/helper_counter.h"

const struct sp_counter sp_likwid_counter = {.name = "likwid",
                                             .open = sp_helper_counter_open,
                                             .start = sp_helper_counter_start,
                                             .stop = sp_helper_counter_stop,
                                             .close = sp_helper_counter_close};

static enum sp_status available(struct sp_error *err)
{
    return sp_helper_counter_available("likwid", err);
}

static enum sp_status open_session(const char *argument, void **session, struct sp_error *err)
{
    return sp_counting_open(&sp_likwid_counter, argument, session, err);
}

const struct sp_probe sp_probe_likwid = {
    .name = "likwid",
    .summary = "LIKWID: its performance groups for memory, L3 and L2, in a process of its own",
    .gives_bytes = true,
    .counts = true,
    .available = available,
    .open = open_session,
    .observe = sp_counting_observe,
    .log = sp_counting_log,
    .close = sp_counting_close,
};
