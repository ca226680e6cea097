/* The simulating probe: runs nothing, gives the bytes that the job's address stream moves through
 * the caches of the machine described in the protocol. */
#include <string.h>

#include "model/volume/traffic.h"
#include "probes/probe.h"

static enum sp_status always(struct sp_error *err)
{
    (void)err;
    return SP_OK;
}

static enum sp_status open_sim(const char *argument, void **session, struct sp_error *err)
{
    (void)argument;
    (void)err;
    *session = NULL; /* nothing is kept from one observation to the next */
    return SP_OK;
}

static void close_sim(void *session)
{
    (void)session;
}

struct interrupt {
    bool (*interrupted)(void *context);
    void *context;
};

static bool stopped(void *context, double share)
{
    const struct interrupt *i = context;
    (void)share;
    return i->interrupted(i->context);
}

static enum sp_sim_state state_of(enum sp_cache_state state)
{
    return state == SP_COLD ? SP_SIM_COLD : state == SP_BETWEEN ? SP_SIM_BETWEEN : SP_SIM_WARM;
}

static enum sp_status observe_sim(void *session, const struct sp_job *job, const struct sp_protocol *p,
                                  struct sp_reading *reading, struct sp_error *err)
{
    (void)session;
    memset(reading, 0, sizeof *reading);
    strcpy(reading->source, "sim");
    reading->time_s = sp_value_none("the simulation of caches gives no time");
    struct sp_sim_options o = sp_sim_default(p->machine);
    o.n_domain = p->n_domain > 1 ? p->n_domain : 1;
    o.domain_of_thread = p->domain_of_thread;
    o.state = state_of(p->state);
    o.between_B = p->between_B;
    o.skew = p->skew;
    o.store_nt = p->store_nt;
    o.x_offset_B = p->x_offset_B;
    o.y_offset_B = p->y_offset_B;
    o.seed = p->seed;
    struct interrupt interrupt = {p->interrupted, p->context};
    if (p->interrupted) {
        o.progress = stopped;
        o.context = &interrupt;
    }
    enum sp_status status = SP_OK;
    if (p->policy) {
        o.policy = sp_policy_from_name(p->policy);
        if (o.policy < 0)
            status = sp_fail(err, SP_USAGE, "choose lru, random or rrip",
                             "no replacement policy is called %s", p->policy);
    }
    if (status == SP_OK)
        status = sp_sim_traffic(job->layout, &o, reading->traffic, &reading->n_levels, NULL, err);
    return status;
}

const struct sp_probe sp_probe_sim = {
    .name = "sim",
    .summary = "cache simulation: bytes of each level and array, from the addresses that the kernel uses",
    .gives_bytes = true,
    .available = always,
    .open = open_sim,
    .observe = observe_sim,
    .close = close_sim,
};
