/* Losses and hints in records: of the CPU and of a GPU alike. */
#include <jansson.h>
#include <stdio.h>

#include "session/record_parts.h"

void sp_record_losses(struct sp_record *r, const struct sp_losses *losses)
{
    char path[64];
    for (int i = 0; i < SP_N_LOSSES; i++) {
        const char *name = sp_loss_name((enum sp_loss)i);
        struct sp_value v = losses->part[i];
        snprintf(path, sizeof path, "losses.%s", name);
        if (v.origin == SP_NONE)
            sp_record_set_null(r, path, v.why);
        else
            sp_record_set_number(r, path, v.value);
        snprintf(path, sizeof path, "losses_origin.%s", name);
        sp_record_set_text(r, path, losses->how[i]);
    }
    if (losses->extra_x_domains.origin != SP_NONE) {
        sp_record_set_number(r, "losses.extra_x_domains", losses->extra_x_domains.value);
        sp_record_set_text(r, "losses_origin.extra_x_domains",
                           "modelled: lines of x that more than one cache must load");
    }
}

/* What the gain was made of; what stays as it is, is left out. */
static json_t *counterfactual(const struct sp_hint *h)
{
    json_t *then = json_object();
    if (sp_value_known(h->V_then_B))
        json_object_set_new(then, "bytes", sp_record_value_json(h->V_then_B, "B"));
    if (sp_value_known(h->core_then_s))
        json_object_set_new(then, "core", sp_record_value_json(h->core_then_s, "s"));
    if (sp_value_known(h->time_then_s))
        json_object_set_new(then, "time", sp_record_value_json(h->time_then_s, "s"));
    return then;
}

void sp_record_hints(struct sp_record *r, const struct sp_hints *hints)
{
    sp_record_set_object(r, "hints", json_array());
    for (int i = 0; i < hints->n_hints; i++) {
        const struct sp_hint *h = &hints->hint[i];
        json_t *item = json_object(), *gain = json_object();
        json_object_set_new(gain, "lo", json_real(h->gain_lo));
        json_object_set_new(gain, "hi", json_real(h->gain_hi));
        json_object_set_new(gain, "basis", json_string(sp_origin_name(h->basis)));
        json_object_set_new(item, "id", json_string(h->id));
        json_object_set_new(item, "title", json_string(h->title));
        json_object_set_new(item, "rule_version", json_integer(h->rule_version));
        json_object_set_new(item, "gain", gain);
        json_object_set_new(item, "then", counterfactual(h));
        json_object_set_new(item, "confidence", json_string(sp_confidence_name(h->confidence)));
        json_object_set_new(item, "evidence", json_string(h->evidence));
        json_object_set_new(item, "try", json_string(h->try_command));
        json_object_set_new(item, "change", h->change[0] ? json_string(h->change) : json_null());
        json_object_set_new(item, "expect", json_string(h->expect));
        json_object_set_new(item, "cost", h->cost[0] ? json_string(h->cost) : json_null());
        json_object_set_new(item, "observed", json_null());
        sp_record_append(r, "hints", item);
    }
    for (int i = 0; i < hints->n_checked; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "rule", json_string(hints->checked[i].id));
        json_object_set_new(item, "check", json_string(hints->checked[i].check));
        json_object_set_new(item, "figure", json_string(hints->checked[i].figure));
        sp_record_append(r, "not_a_problem", item);
    }
}
