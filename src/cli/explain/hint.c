#include "cli/explain/hint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/facts.h"
#include "io/record/record_words.h"
#include "model/hints/gain.h"
#include "report/report_words.h"

static struct sp_value fact(const struct sp_record *r, const char *symbol)
{
    struct sp_fact f;
    return sp_fact_find(r, symbol, &f) ? f.value : sp_value_none("no such symbol");
}

static struct sp_now now_of(const struct sp_record *r)
{
    struct sp_now now = {.time_s = fact(r, "t"),
                         .V_B = fact(r, "V"),
                         .roof_Bps = fact(r, "b_S"),
                         .core_s = sp_value_none("W or P_core is not known"),
                         .linear_s = fact(r, "t_linear")};
    const struct sp_value W = fact(r, "W"), P_core = fact(r, "P_core"), core = fact(r, "core");
    const struct sp_value ends = fact(r, "row_ends"), team = fact(r, "team"),
                          hidden = fact(r, "row_ends_hidden");
    now.has_row_ends = sp_value_known(ends);
    now.has_team = sp_value_known(team);
    if (sp_value_known(W) && sp_value_known(P_core) && P_core.value > 0)
        now.core_s = sp_value_of(
            (sp_value_known(core) ? core.value : W.value / P_core.value) +
                (now.has_row_ends ? ends.value + (sp_value_known(hidden) ? hidden.value : 0) : 0) +
                (now.has_team ? team.value : 0),
            SP_MEASURED);
    return now;
}

static struct sp_value of_item(const json_t *then, const char *key)
{
    return sp_record_value_of(json_object_get(then, key));
}

static double number_or_zero(const json_t *then, const char *key)
{
    const double x = sp_item_number(then, key);
    return isfinite(x) ? x : 0;
}

/* What sp_record_hints() wrote. Texts are the record's. */
static struct sp_then then_of(const json_t *hint)
{
    const json_t *o = json_object_get(hint, "then");
    const char *inner = sp_item_text(o, "inner");
    struct sp_then then = {.V_B = of_item(o, "bytes"),
                           .roof_Bps = of_item(o, "roof"),
                           .core_s = of_item(o, "core"),
                           .set_B = of_item(o, "set"),
                           .inner_Bps = of_item(o, "inner_roof"),
                           .time_s = of_item(o, "time"),
                           .instead_s = of_item(o, "instead_of"),
                           .stated = of_item(o, "stated"),
                           .gone = of_item(o, "goes"),
                           .shows = number_or_zero(o, "shows"),
                           .faster = number_or_zero(o, "faster"),
                           .error = number_or_zero(o, "error"),
                           .keeps = of_item(o, "keeps"),
                           .held = json_is_true(json_object_get(o, "held")),
                           .least_s = of_item(o, "least"),
                           .least_why = sp_item_text(o, "least_why"),
                           .doubt = sp_item_text(o, "doubt")};
    const char *how = sp_item_text(o, "time_how");
    snprintf(then.time_how, sizeof then.time_how, "%s", how ? how : "");
    snprintf(then.inner, sizeof then.inner, "%s", inner ? inner : "");
    return then;
}

static json_t *line_json(const struct sp_gain_line *line)
{
    json_t *o = json_pack("{s:s, s:f, s:f, s:s, s:s}", "what", line->what, "lo", line->lo, "hi", line->hi,
                          "unit", line->unit, "how", line->how);
    if (line->origin != SP_NONE)
        json_object_set_new(o, "origin", json_string(sp_origin_name(line->origin)));
    return o;
}

static bool is_close(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* The lines that lead to the promise, and the promise as it is printed; where they do not, because another
 * version of the rule made it or the record was changed, why there are none. */
static void derive(json_t *copy, const struct sp_hint_rule *rule, const struct sp_record *record)
{
    const struct sp_now now = now_of(record);
    const struct sp_then then = then_of(copy);
    struct sp_gain_lines lines;
    const struct sp_gain gain = sp_gain_derive(&now, &then, &lines);
    const json_t *own = json_object_get(copy, "gain");
    const double version = sp_item_number(copy, "rule_version");
    char text[200];
    if (is_close(gain.lo, sp_item_number(own, "lo")) && is_close(gain.hi, sp_item_number(own, "hi"))) {
        json_t *list = json_array();
        for (int i = 0; i < lines.n; i++)
            json_array_append_new(list, line_json(&lines.line[i]));
        json_object_set_new(copy, "derivation", list);
    } else {
        snprintf(text, sizeof text,
                 version == rule->version
                     ? "it does not follow from the record, which was changed or is damaged"
                     : "version %.0f of the rule made it, which recorded less; it is version %d now",
                 version, rule->version);
        json_object_set_new(copy, "not_derived", json_string(text));
    }
    json_object_set_new(copy, "gain_text", json_string(sp_gain_text(copy, text, sizeof text)));
}

/* The rule's own hint, or the one that has its reason too. */
static bool is_of(const json_t *hint, const char *id)
{
    const char *own = sp_item_text(hint, "id");
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(hint, "also"), i,
                       one) if (json_is_string(one) && strcmp(json_string_value(one), id) == 0) return true;
    return own && strcmp(own, id) == 0;
}

static json_t *fired(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    json_t *list = json_array();
    const json_t *hint;
    size_t i;
    json_array_foreach(sp_record_node(record, "hints"), i, hint)
    {
        if (!is_of(hint, rule->id))
            continue;
        json_t *copy = json_copy((json_t *)hint);
        const char *id = sp_item_text(hint, "id");
        const struct sp_hint_rule *maker = id ? sp_hint_rule_find(id) : NULL;
        derive(copy, maker ? maker : rule, record);
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
    const char *figure = figure_of(rule, record), *op = sp_words_text(record, "config.op", ""), *doubt;
    if (figure)
        snprintf(text, size, "not a problem, it was checked: %s: %s", rule->check, figure);
    else if (!sp_record_node(record, "hints") && sp_record_text(record, "conditions.doubt", &doubt))
        snprintf(text, size, "no verdict can be given, so there are no hints: %.300s", doubt);
    else if (!sp_record_node(record, "hints"))
        snprintf(text, size, "hints were not looked for in this record");
    else if (!sp_rule_is_for(rule, record))
        snprintf(text, size, "it is for kernels on %s",
                 rule->id[0] == 'J' ? "GPUs; this record is of a CPU" : "CPUs; this record is of a GPU");
    else if (rule->spmv_only && *op && strcmp(op, "spmv") != 0)
        snprintf(text, size, "its volumes are those of SpMV; this record is of %s", sp_words_op(op));
    else if (!rule->check)
        snprintf(text, size,
                 "it fires only where gathers wait or hints are tried (--try-hints), and was silent here");
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
