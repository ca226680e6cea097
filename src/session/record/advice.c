/* Losses and hints in records: of the CPU and of a GPU alike. */
#include <jansson.h>
#include <stdio.h>

#include "session/record/parts.h"

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
    const struct {
        const char *name;
        struct sp_value is;
        const char *how;
    } within[] = {
        {"core", losses->core, "measured: W/P_core, at most a run with all gathers from L1"},
        {"waiting", losses->waiting,
         losses->waiting.origin == SP_MODELLED ? "modelled: gathers from beyond L1 at their roof"
                                               : "measured: what all gathers from L1 (test) save"},
        {"team", losses->team, "measured: an execution of a few entries"},
        {"row_ends", losses->row_ends, "measured: what rows in the order of their lengths save of that test"},
        {"row_ends_hidden",
         losses->row_ends_hidden > 0 ? sp_value_of(losses->row_ends_hidden, SP_MEASURED)
                                     : sp_value_none("nothing is hidden"),
         "measured: what transfers hide of the ends; not in in_core"},
        {"extra_x_domains", losses->extra_x_domains,
         "modelled: lines of x that more than one cache must load"}};
    for (size_t i = 0; i < sizeof within / sizeof *within; i++) {
        if (!sp_value_known(within[i].is))
            continue;
        snprintf(path, sizeof path, "losses.%s", within[i].name);
        sp_record_set_number(r, path, within[i].is.value);
        snprintf(path, sizeof path, "losses_origin.%s", within[i].name);
        sp_record_set_text(r, path, within[i].how);
    }
}

static void put(json_t *o, const char *key, struct sp_value v, const char *unit)
{
    if (sp_value_known(v))
        json_object_set_new(o, key, sp_record_value_json(v, unit));
}

/* What the gain was made of; what stays as it is, is left out. */
static json_t *counterfactual(const struct sp_hint *h)
{
    const struct sp_then *t = &h->then;
    json_t *then = json_object();
    put(then, "bytes", t->V_B, "B");
    put(then, "roof", t->roof_Bps, "B/s");
    put(then, "core", t->core_s, "s");
    put(then, "set", t->set_B, "B");
    if (t->inner[0] && sp_value_known(t->inner_Bps)) {
        json_object_set_new(then, "inner", json_string(t->inner));
        put(then, "inner_roof", t->inner_Bps, "B/s");
    }
    put(then, "time", t->time_s, "s");
    if (t->time_how[0] && sp_value_known(t->time_s))
        json_object_set_new(then, "time_how", json_string(t->time_how));
    put(then, "instead_of", t->instead_s, "s");
    put(then, "stated", t->stated, "1");
    put(then, "goes", t->gone, "1");
    if (t->shows > 0)
        json_object_set_new(then, "shows", json_real(t->shows));
    if (t->faster > 0)
        json_object_set_new(then, "faster", json_real(t->faster));
    if (t->error > 0)
        json_object_set_new(then, "error", json_real(t->error));
    put(then, "keeps", t->keeps, "1");
    if (t->held)
        json_object_set_new(then, "held", json_true());
    put(then, "least", t->least_s, "s");
    if (t->least_why && sp_value_known(t->least_s))
        json_object_set_new(then, "least_why", json_string(t->least_why));
    if (t->doubt)
        json_object_set_new(then, "doubt", json_string(t->doubt));
    put(then, "floor", h->floor_s, "s");
    return then;
}

static json_t *also(const struct sp_hint *h)
{
    json_t *list = json_array();
    for (int i = 0; i < h->n_also; i++)
        json_array_append_new(list, json_string(h->also[i]));
    return list;
}

void sp_record_hint(struct sp_record *r, const struct sp_hint *h)
{
    json_t *item = json_object(), *gain = json_object();
    json_object_set_new(gain, "lo", json_real(h->gain_lo));
    json_object_set_new(gain, "hi", json_real(h->gain_hi));
    json_object_set_new(gain, "basis", json_string(sp_origin_name(h->basis)));
    json_object_set_new(item, "id", json_string(h->id));
    json_object_set_new(item, "title", json_string(h->title));
    json_object_set_new(item, "rule_version", json_integer(h->rule_version));
    json_object_set_new(item, "gain", gain);
    json_object_set_new(item, "then", counterfactual(h));
    if (h->n_also > 0)
        json_object_set_new(item, "also", also(h));
    json_object_set_new(item, "effort", json_string(sp_effort_name(sp_hint_rule_find(h->id)->effort)));
    json_object_set_new(item, "confidence", json_string(sp_confidence_name(h->confidence)));
    json_object_set_new(item, "evidence", json_string(h->evidence));
    json_object_set_new(item, "try", json_string(h->try_command));
    json_object_set_new(item, "change", h->change[0] ? json_string(h->change) : json_null());
    json_object_set_new(item, "expect", json_string(h->expect));
    json_object_set_new(item, "cost", h->cost[0] ? json_string(h->cost) : json_null());
    json_object_set_new(item, "observed", json_null());
    sp_record_append(r, "hints", item);
}

void sp_record_hints(struct sp_record *r, const struct sp_hints *hints)
{
    sp_record_set_object(r, "hints", json_array());
    for (int i = 0; i < hints->n_hints; i++)
        sp_record_hint(r, &hints->hint[i]);
    for (int i = 0; i < hints->n_checked; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "rule", json_string(hints->checked[i].id));
        json_object_set_new(item, "check", json_string(hints->checked[i].check));
        json_object_set_new(item, "figure", json_string(hints->checked[i].figure));
        sp_record_append(r, "not_a_problem", item);
    }
}
