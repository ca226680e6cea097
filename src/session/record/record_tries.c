/* What trials found out, in the record. */
#include <math.h>
#include <string.h>

#include "session/record/parts.h"
#include "session/trial/tries.h"

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* Share of the time saved, as observed. */
static json_t *observed(const struct sp_try *one)
{
    return sp_record_value_json(one->trial.gain, "1");
}

void sp_json_change(json_t *item, const struct sp_change *change)
{
    char text[SP_CHANGE_VALUES];
    json_object_set_new(item, "change", json_string(sp_change_as_typed(change, text, sizeof text)));
}

json_t *sp_json_trial(const struct sp_variant *variant, const struct sp_trial *t)
{
    json_t *item = json_object();
    sp_json_change(item, &variant->change);
    if (t->status != SP_OK) {
        json_object_set_new(item, "failed", json_string(t->error.what));
        return item;
    }
    json_object_set_new(item, "kernel", json_string(t->kernel));
    json_object_set_new(item, "time", sp_record_value_json(t->time, "s"));
    json_object_set_new(item, "base_time", sp_record_value_json(t->base_time, "s"));
    json_object_set_new(item, "reorder_s", json_real(t->reorder_s));
    json_object_set_new(item, "layout_s", json_real(t->layout_s));
    json_object_set_new(item, "setup_executions", number(sp_trial_setup_executions(t)));
    json_object_set_new(item, "pays_after", number(sp_trial_pays_after(t)));
    json_object_set_new(item, "max_error", number(t->max_error));
    json_object_set_new(item, "pairs", json_integer(t->n_pairs));
    json_object_set_new(item, "processes", json_integer(t->n_processes));
    json_object_set_new(item, "cost_s", json_real(t->cost_s));
    return item;
}

static json_t *prediction(const struct sp_try *one)
{
    json_t *gain = json_object();
    json_object_set_new(gain, "lo", json_real(one->lo));
    json_object_set_new(gain, "hi", json_real(one->hi));
    return gain;
}

/* Did the run itself take the time that the prediction was made for? */
static void add_conditions(json_t *item, const struct sp_try *one)
{
    const double ratio = sp_try_conditions(one);
    if (isfinite(ratio))
        json_object_set_new(item, "conditions", json_real(ratio));
}

static json_t *try_json(const struct sp_try *one)
{
    json_t *item = json_object();
    add_conditions(item, one);
    json_object_set_new(item, "hints", json_string(one->ids));
    json_object_set_new(item, "round", json_integer(one->round));
    json_object_set_new(item, "gain", prediction(one));
    json_object_set_new(item, "observed", observed(one));
    json_object_set_new(item, "outcome", json_string(sp_outcome_name(one->outcome)));
    json_object_set_new(item, "trial", sp_json_trial(&one->variant, &one->trial));
    return item;
}

/* The hint of the run's own analysis that was tried alone: round 1. */
static void complete_hint(json_t *hint, const struct sp_tries *tries)
{
    const char *id = json_string_value(json_object_get(hint, "id")),
               *change = json_string_value(json_object_get(hint, "change"));
    char own[SP_CHANGE_VALUES];
    for (int i = 0; id && change && i < tries->n; i++) {
        const struct sp_try *one = &tries->one[i];
        if (one->round != 1 || strcmp(one->id, id) != 0 ||
            strcmp(sp_change_as_typed(&one->own, own, sizeof own), change) != 0)
            continue;
        json_object_set_new(hint, "observed", observed(one));
        json_object_set_new(hint, "outcome", json_string(sp_outcome_name(one->outcome)));
        add_conditions(hint, one);
        json_object_set_new(hint, "trial", sp_json_trial(&one->variant, &one->trial));
        return;
    }
}

/* Measured again in fresh processes; where that did not come to pass, as its own trial had it, and why. */
static json_t *best_json(const struct sp_tries *tries)
{
    const bool is_confirmed = tries->confirmed.trial.n_processes > 0;
    const char *error = tries->confirmed.trial.error.what;
    json_t *item = try_json(is_confirmed ? &tries->confirmed : &tries->one[tries->best]);
    json_object_set_new(item, "command", json_string(tries->command));
    if (!is_confirmed)
        json_object_set_new(item, "unconfirmed",
                            json_string(tries->interrupted ? "the trials were interrupted"
                                        : *error           ? error
                                                           : "it was not measured again"));
    return item;
}

void sp_record_tried_hints(struct sp_record *r, const struct sp_tries *tries)
{
    json_t *hint;
    size_t i;
    json_array_foreach((json_t *)sp_record_node(r, "hints"), i, hint) complete_hint(hint, tries);
}

void sp_record_tries(struct sp_record *r, const struct sp_tries *tries)
{
    sp_record_tried_hints(r, tries);
    sp_record_set_number(r, "tries.budget_s", tries->budget_s);
    sp_record_set_number(r, "tries.cost_s", tries->cost_s);
    if (tries->honest.variant.change.n > 0)
        sp_record_set_object(r, "tries.honest", try_json(&tries->honest));
    else
        sp_record_set_null(r, "tries.honest", *tries->run_is ? tries->run_is : "it was not reached");
    sp_record_set_object(r, "tries.further", json_array());
    for (int k = 0; k < tries->n; k++) /* what is not in hints[] */
        if (!tries->one[k].id[0] || tries->one[k].round > 1)
            sp_record_append(r, "tries.further", try_json(&tries->one[k]));
    if (tries->best >= 0)
        sp_record_set_object(r, "tries.best", best_json(tries));
    else
        sp_record_set_null(r, "tries.best",
                           tries->interrupted
                               ? "the trials were interrupted; until then nothing was faster than the run"
                               : "nothing that was tried is faster than the run");
}
