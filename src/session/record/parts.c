#include "session/record/parts.h"

#include <math.h>
#include <string.h>

#include "session/measure/measure_plan.h"

json_t *sp_json_ceiling(const struct sp_ceiling *c, const char *role)
{
    json_t *object = sp_record_value_json(c->value, strcmp(c->level, "core") == 0 ? "flop/s" : "B/s");
    json_object_set_new(object, "name", json_string(c->name));
    json_object_set_new(object, "level", json_string(c->level));
    json_object_set_new(object, "precision", json_string(c->precision));
    json_object_set_new(object, "threads", json_integer(c->n_threads));
    json_object_set_new(object, "domains", json_integer(c->n_domains));
    json_object_set_new(object, "mode", json_string(c->mode));
    json_object_set_new(object, "role", json_string(role));
    json_object_set_new(object, "how", json_string(c->how));
    json_object_set_new(object, "when", json_string(c->when));
    return object;
}

static json_t *measured_json(const struct sp_machine *m)
{
    const struct sp_machine_measured *q = &m->measured;
    const double age_s = sp_measure_age(q->when);
    json_t *o =
        json_pack("{s:s, s:i, s:s, s:s}", "when", q->when, "times", q->n_times, "state",
                  sp_machine_was_busy(m) ? "busy" : "clean", "confidence", *q->doubt ? "low" : "high");
    json_object_set_new(o, "age_s", isnan(age_s) ? json_null() : json_real(age_s));
    if (*q->doubt)
        json_object_set_new(o, "doubt", json_string(q->doubt));
    return o;
}

void sp_record_machine(struct sp_record *r, const struct sp_machine *m)
{
    sp_record_set_text(r, "machine.name", m->name);
    sp_record_set_text(r, "machine.cpu", m->cpu);
    sp_record_set_text(r, "machine.source", m->source);
    sp_record_set_count(r, "machine.n_domains", m->n_domains);
    sp_record_set_count(r, "machine.n_cores", m->n_cores);
    sp_record_set_flag(r, "machine.validated", m->validated);
    if (*m->measured.when)
        sp_record_set_object(r, "machine.measured", measured_json(m));
    if (m->frequency_Hz > 0)
        sp_record_set_number(r, "machine.frequency_Hz", m->frequency_Hz);
    for (int i = 0; i < m->n_caches; i++) {
        const struct sp_cache *c = &m->cache[i];
        json_t *cache = json_object();
        json_object_set_new(cache, "level", json_integer(c->level));
        json_object_set_new(cache, "size_B", json_integer(c->size_B));
        json_object_set_new(cache, "effective_B", sp_record_value_json(c->effective_B, "B"));
        json_object_set_new(cache, "line_B", json_integer(c->line_B));
        json_object_set_new(cache, "ways", json_integer(c->ways));
        json_object_set_new(cache, "cores_sharing", json_integer(c->cores_sharing));
        if (c->sector_B > 0)
            json_object_set_new(cache, "sector_B", json_integer(c->sector_B));
        if (c->victim)
            json_object_set_new(cache, "victim", json_true());
        if (c->inclusive)
            json_object_set_new(cache, "inclusive", json_true());
        json_object_set_new(cache, "policy", json_string(sp_policy_name(c->policy)));
        sp_record_append(r, "machine.caches", cache);
    }
}
