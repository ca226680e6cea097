#include "cli/campaign/crew.h"

#include <math.h>

#include "base/clock.h"

enum { TOUCHED_EVERY_S = 5 };

const struct sp_campaign_job *sp_crew_job(const struct sp_crew *c, int i)
{
    return &c->work->campaign.job[i];
}

void sp_crew_look(struct sp_crew *c, int i)
{
    struct sp_job_view view;
    sp_job_look(&c->work->store, sp_crew_job(c, i), &view);
    c->known[i].state = view.state;
    if (view.state == SP_JOB_FAILED)
        c->known[i].attempts = view.failure.attempt;
}

/* Signs of life, the same whatever --stale others were given. */
void sp_crew_touch(struct sp_crew *c)
{
    if (sp_now() - c->touched < TOUCHED_EVERY_S)
        return;
    c->touched = sp_now();
    for (int i = 0; i < c->n_running; i++) {
        const struct sp_running_job *r = &c->running[i];
        sp_claim_touch(&c->work->store.claims, sp_crew_job(c, r->job)->id, &r->claim);
        sp_slot_touch(&c->work->store, r->slot, &r->slot_claim);
    }
}

/* The names in the store's folders once, then the files of those jobs that have some. */
enum sp_status sp_crew_look_at_all(struct sp_crew *c)
{
    bool changed = false;
    enum sp_status status = sp_campaign_traces_read(&c->work->store, &c->traces, &c->err);
    for (int i = 0; i < c->work->campaign.n_jobs && status == SP_OK; i++) {
        const enum sp_job_state was = c->known[i].state;
        if (was == SP_JOB_DONE)
            continue;
        if (sp_campaign_traces_have(&c->traces, sp_crew_job(c, i)))
            sp_crew_look(c, i);
        else
            c->known[i].state = SP_JOB_WAITING;
        changed = changed || c->known[i].state != was;
        sp_crew_touch(c);
    }
    c->looked = sp_now();
    c->patience_s = changed ? 1 : fmin(fmax(2 * c->patience_s, 1), SP_CREW_LOOKS_EVERY_S);
    return status;
}

bool sp_crew_may_start(const struct sp_known_job *k)
{
    return k->state == SP_JOB_WAITING || (k->state == SP_JOB_FAILED && k->attempts <= k->retry);
}

int sp_crew_count(const struct sp_crew *c, enum sp_job_state state)
{
    int n = 0;
    for (int i = 0; i < c->work->campaign.n_jobs; i++)
        n += c->known[i].state == state;
    return n;
}

int sp_crew_count_startable(const struct sp_crew *c)
{
    int n = 0;
    for (int i = 0; i < c->work->campaign.n_jobs; i++)
        n += sp_crew_may_start(&c->known[i]);
    return n;
}
