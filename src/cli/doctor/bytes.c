/* SOURCES OF BYTES: what the kernel offers, then each row of the probe table that counts, tried as far as
 * that is quick and changes nothing. */
#include <string.h>

#include "cli/doctor/doctor.h"
#include "probes/helper_counter.h"
#include "probes/markers.h"
#include "probes/probe.h"
#include "sys/counters/counters.h"
#include "sys/counters/memory_pmu.h"

/* LIKWID needs a second to find out that it may not count. */
#define TRY_S 1.1
/* The whole of doctor takes no longer than 2 s, even where both libraries hang. */
#define LOOK_S 0.4

static void kernel_side(struct sp_doctor *d)
{
    struct sp_counters c;
    struct sp_memory_pmu pmu;
    struct sp_error err;
    sp_counters_read("", &c);
    sp_find_out(d, sp_title_bytes, "core events", c.core ? SP_WORKS : SP_IS_ABSENT, sp_counters_remedy(&c),
                "%s%s%s%s", sp_counters_reason(&c), c.error ? " (" : "", c.error ? strerror(c.error) : "",
                c.error ? ")" : "");
    if (sp_memory_pmu_read("", &pmu, &err) == SP_OK)
        sp_find_out(d, sp_title_bytes, "memory events", SP_WORKS, "",
                    "%s: %d unit%s, counted from %d processor%s", pmu.kind, pmu.n_pmus,
                    pmu.n_pmus == 1 ? "" : "s", pmu.n_cpus, pmu.n_cpus == 1 ? "" : "s");
    else
        sp_find_out(d, sp_title_bytes, "memory events", SP_IS_ABSENT, err.remedy, "%s", err.what);
    sp_memory_pmu_free(&pmu);
}

/* Libraries in the helper are opened, on one processor, when they are there and the machine counts at all. */
static enum sp_status try_probe(const struct sp_probe *probe, struct sp_error *err)
{
    bool in_helper = strcmp(probe->name, "likwid") == 0 || strcmp(probe->name, "papi") == 0;
    if (!in_helper)
        return probe->available(err);
    enum sp_status status = sp_helper_counter_look(probe->name, LOOK_S, err);
    return status == SP_OK ? sp_helper_counter_try(probe->name, TRY_S, err) : status;
}

/* A remedy stands once. */
static bool said_before(const struct sp_doctor *d, const char *remedy)
{
    for (int i = 0; i < d->n; i++)
        if (strcmp(d->finding[i].remedy, remedy) == 0)
            return true;
    return false;
}

static void one_probe(struct sp_doctor *d, const struct sp_probe *probe)
{
    struct sp_error err = {0};
    if (probe->absent)
        sp_find_out(d, sp_title_bytes, probe->name, SP_IS_ABSENT, "", "%s", probe->absent);
    else if (sp_markers_wanted())
        sp_find_out(d, sp_title_bytes, probe->name, SP_LIMITED,
                    "spmodel import takes its output (likwid-perfctr -O)",
                    "likwid-perfctr -m runs around this program and holds the counters");
    else if (try_probe(probe, &err) == SP_OK)
        sp_find_out(d, sp_title_bytes, probe->name, SP_WORKS, "",
                    "%s; known volumes decide at each use whether it is believed", probe->summary);
    else
        sp_find_out(d, sp_title_bytes, probe->name, SP_IS_ABSENT,
                    said_before(d, err.remedy) ? "" : err.remedy, "%s", err.what);
}

void sp_doctor_bytes(struct sp_doctor *d)
{
    kernel_side(d);
    for (int i = 0; sp_probe_table[i]; i++)
        if (sp_probe_table[i]->counts && strcmp(sp_probe_table[i]->name, "replay") != 0)
            one_probe(d, sp_probe_table[i]);
    sp_find_out(d, sp_title_bytes, "sim", SP_WORKS, "",
                "the cache simulation works everywhere; its numbers say \"simulated\"");
}
