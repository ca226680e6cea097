#include "cli/explain_hint.h"

#include <stdio.h>
#include <string.h>

#include "cli/explain_calculation.h"
#include "io/record_words.h"

/* The two ways of carrying the counterfactual over to the measured time (docs/advice.md); the rule's gain is
 * their hull, widened, and what the rule itself knows besides. */
static const struct sp_calculation of_volume[] = {
    {"ratio of the model's times", "1 - max(V_then/b_S, T_core_then)/max(V/b_S, W/P_core)", "1", NULL, NULL,
     NULL, NULL},
    {"ratio of the model's times", "1 - max(V_then/b_S, W/P_core)/max(V/b_S, W/P_core)", "1", NULL, NULL,
     NULL, NULL},
    {"ratio of the model's times", "1 - V_then/V", "1", NULL, NULL, NULL, NULL},
    {"carried over to the time",
     "(max(V/b_S, W/P_core) + omega*min(V/b_S, W/P_core) - max(V_then/b_S, T_core_then) - "
     "omega*min(V_then/b_S, "
     "T_core_then))/t",
     "1", NULL, NULL, NULL, NULL},
    {"carried over to the time",
     "(max(V/b_S, W/P_core) + omega*min(V/b_S, W/P_core) - max(V_then/b_S, W/P_core) - omega*min(V_then/b_S, "
     "W/P_core))/t",
     "1", NULL, NULL, NULL, NULL},
    {"carried over to the time", "(V - V_then)/b_S/t", "1", NULL, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation of_execution[] = {
    {"ratio of the model's times", "1 - max(V/b_S, T_core_then)/max(V/b_S, W/P_core)", "1", NULL, NULL, NULL,
     NULL},
    {"carried over to the time",
     "(max(V/b_S, W/P_core) + omega*min(V/b_S, W/P_core) - max(V/b_S, T_core_then) - omega*min(V/b_S, "
     "T_core_then))/t",
     "1", NULL, NULL, NULL, NULL},
    {0},
};
static const struct sp_calculation of_time[] = {
    {"against the measured time", "1 - t_then/t", "1", NULL, NULL, NULL, NULL},
    {"against the modelled time", "1 - t_then/t_seen", "1", NULL, NULL, NULL, NULL},
    {0},
};

/* The record as the symbols V_then, T_core_then and t_then see it. */
static json_t *gain_of(const json_t *hint, const struct sp_record *record)
{
    const json_t *then = json_object_get(hint, "then");
    if (json_object_size(then) == 0)
        return NULL;
    struct sp_record with = {.root = json_copy(record->root)};
    json_object_set(with.root, "then", (json_t *)then);
    const bool volume = json_object_get(then, "bytes") != NULL, time = json_object_get(then, "time") != NULL;
    json_t *list = sp_calculate(time ? of_time : volume ? of_volume : of_execution, &with);
    sp_record_free(&with);
    return list;
}

static json_t *fired(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    json_t *list = json_array();
    const json_t *hint;
    size_t i;
    json_array_foreach(sp_record_node(record, "hints"), i, hint)
    {
        const char *id = sp_item_text(hint, "id");
        if (!id || strcmp(id, rule->id) != 0)
            continue;
        json_t *copy = json_copy((json_t *)hint), *how = gain_of(hint, record);
        if (how)
            json_object_set_new(copy, "gain_of", how);
        json_array_append_new(list, copy);
    }
    return list;
}

/* The figure of "not a problem". Records without the rule's id have its words. */
static const char *figure_of(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    const json_t *one;
    size_t i;
    json_array_foreach(sp_record_node(record, "not_a_problem"), i, one)
    {
        const char *id = sp_item_text(one, "rule"), *check = sp_item_text(one, "check");
        if (id ? strcmp(id, rule->id) == 0 : check && rule->check && strcmp(check, rule->check) == 0)
            return sp_item_text(one, "figure");
    }
    return NULL;
}

bool sp_rule_is_for(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    const bool on_gpu = strncmp(sp_words_text(record, "config.device", ""), "gpu", 3) == 0;
    return (rule->id[0] == 'J') == on_gpu;
}

static const char *silence(const struct sp_hint_rule *rule, const struct sp_record *record, char *text,
                           size_t size)
{
    const char *figure = figure_of(rule, record), *op = sp_words_text(record, "config.op", "");
    if (figure)
        snprintf(text, size, "not a problem, it was checked: %s: %s", rule->check, figure);
    else if (!sp_record_node(record, "hints"))
        snprintf(text, size, "hints were not looked for in this record");
    else if (!sp_rule_is_for(rule, record))
        snprintf(text, size, "it is for kernels on %s",
                 rule->id[0] == 'J' ? "GPUs; this record is of a CPU" : "CPUs; this record is of a GPU");
    else if (rule->spmv_only && *op && strcmp(op, "spmv") != 0)
        snprintf(text, size, "its volumes are those of SpMV; this record is of %s", sp_words_op(op));
    else if (!rule->check)
        snprintf(text, size, "it fires only where hints are tried (--try-hints), and is silent elsewhere");
    else
        snprintf(text, size,
                 "it was silent: what it needs was not looked at, does not hold here, or saves less than the "
                 "threshold");
    return text;
}

json_t *sp_explain_hint(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    char text[400];
    json_t *o = json_object(), *list = fired(rule, record);
    const bool fires = json_array_size(list) > 0;
    json_object_set_new(o, "fires", json_boolean(fires));
    if (fires)
        json_object_set(o, "hints", list);
    else
        json_object_set_new(o, "silent", json_string(silence(rule, record, text, sizeof text)));
    json_decref(list);
    return o;
}
