#include "cli/explain/explained.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/formula.h"
#include "io/record/record_losses.h"
#include "model/hints/gain.h"
#include "report/report_words.h"

/* A term's formulas with the numbers of a record put in. */

/* What differs more from the record's value does not agree, unless it lies in its interval. */
#define SP_EXPLAIN_ROUNDING 0.005

static bool among(const char *list, const char *word)
{
    const size_t length = strlen(word);
    while (list && *list) {
        size_t n = strcspn(list, " ");
        if (n == length && strncmp(list, word, n) == 0)
            return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

/* A list of what something holds for, as topics.h has it. */
static bool holds_for(const char *list, const char *word)
{
    static const char but[] = "not ";
    if (!list)
        return true;
    return strncmp(list, but, strlen(but)) == 0 ? *word && !among(list + strlen(but), word)
                                                : among(list, word);
}

/* By its ECM part, whose formulas depend on the number of caches. */
static const char *kind_of_record(const struct sp_record *r)
{
    if (!json_is_object(sp_record_node(r, SP_F_ECM)))
        return "no-ecm";
    return json_array_size(sp_record_node(r, SP_F_ECM_TRANSFERS)) == 2 ? "ecm-of-two-levels" : "ecm";
}

static bool holds(const struct sp_calculation *c, const struct sp_record *r)
{
    return holds_for(c->ops, sp_words_text(r, SP_F_CONFIG_OP, "")) &&
           holds_for(c->formats, sp_words_text(r, SP_F_CONFIG_FORMAT, "")) &&
           holds_for(c->records, kind_of_record(r));
}

/* The next symbol of a formula from *at on, which then stands behind it; false: none is left.
 * Functions are none, nor are exponents of numbers. */
static bool next_symbol(const char **at, char *symbol, size_t size, const char **begin)
{
    const char *c = *at;
    for (;;) {
        while (*c && !isalnum((unsigned char)*c) && *c != '.')
            c++;
        if (!*c)
            return false;
        const char *word = c;
        while (isalnum((unsigned char)*c) || *c == '_' || *c == '.')
            c++;
        if (!isalpha((unsigned char)*word) || *c == '(')
            continue;
        snprintf(symbol, size, "%.*s", (int)(c - word), word);
        *begin = word;
        *at = c;
        return true;
    }
}

/* A table that names a symbol which there is not is a bug, found by the tests. */
static bool is_known(const char *formula, const struct sp_record *r)
{
    char symbol[48];
    const char *begin;
    struct sp_fact fact;
    while (next_symbol(&formula, symbol, sizeof symbol, &begin))
        if (!sp_fact_find(r, symbol, &fact) || !sp_value_known(fact.value))
            return false;
    return true;
}

static const struct sp_calculation *choose(const struct sp_calculation *list, const char *result,
                                           const struct sp_record *r)
{
    const struct sp_calculation *first = NULL;
    for (const struct sp_calculation *c = list; c->result; c++) {
        if (strcmp(c->result, result) != 0 || !holds(c, r))
            continue;
        if (is_known(c->formula, r))
            return c;
        first = first ? first : c;
    }
    return first;
}

static json_t *fact_json(const char *symbol, const struct sp_fact *f)
{
    json_t *o = json_object();
    json_object_set_new(o, "symbol", json_string(symbol));
    if (sp_value_known(f->value)) {
        json_object_set_new(o, "value", json_real(f->value.value));
        json_object_set_new(o, "lo", json_real(f->value.lo));
        json_object_set_new(o, "hi", json_real(f->value.hi));
    } else {
        json_object_set_new(o, "value", json_null());
        json_object_set_new(o, "why", json_string(f->value.why ? f->value.why : "no reason is given"));
    }
    json_object_set_new(o, "unit", json_string(f->unit));
    json_object_set_new(o, "origin", json_string(f->word));
    json_object_set_new(o, "from", json_string(f->from));
    return o;
}

static bool has_symbol(const json_t *inputs, const char *symbol)
{
    size_t i;
    const json_t *one;
    json_array_foreach(inputs, i, one)
    {
        const char *name = sp_item_text(one, "symbol");
        if (name && strcmp(name, symbol) == 0)
            return true;
    }
    return false;
}

/* What stands between symbols, with room around the signs. Returns the length of the text. */
static size_t put_signs(char *text, size_t size, size_t used, const char *from, const char *to)
{
    for (; from < to && used < size; from++)
        used += *from == '*' || *from == '/'
                    ? (size_t)snprintf(text + used, size - used, " %c ", *from == '*' ? 'x' : '/')
                    : (size_t)snprintf(text + used, size - used, "%c", *from);
    return used;
}

/* The formula with numbers in place of symbols, which `inputs` receives. */
static void fill(const char *formula, const struct sp_record *r, char *text, size_t size, json_t *inputs)
{
    char symbol[48], number[64];
    const char *at = formula, *done = formula, *begin;
    size_t used = 0;
    text[0] = '\0';
    while (next_symbol(&at, symbol, sizeof symbol, &begin) && used < size) {
        struct sp_fact f;
        bool known = sp_fact_find(r, symbol, &f) && sp_value_known(f.value);
        if (known)
            sp_fact_number(number, sizeof number, f.value.value, f.unit);
        bool negative = known && f.value.value < 0;
        used = put_signs(text, size, used, done, begin);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", negative ? "(" : "",
                                     known ? number : "?", negative ? ")" : "");
        done = at;
        if (!has_symbol(inputs, symbol))
            json_array_append_new(inputs, fact_json(symbol, &f));
    }
    put_signs(text, size, used, done, formula + strlen(formula));
}

static enum sp_status value_of_symbol(void *context, const char *name, struct sp_quantity *out,
                                      struct sp_error *err)
{
    struct sp_fact f;
    if (!sp_fact_find(context, name, &f))
        return sp_fail(err, SP_INPUT, NULL, "there is no symbol '%s'", name);
    if (!sp_value_known(f.value))
        return sp_fail(err, SP_UNDECIDED, NULL, "%s is unknown: %s", name,
                       f.value.why ? f.value.why : "no reason is given");
    *out = (struct sp_quantity){f.value.value, f.value.value, f.value.value};
    return SP_OK;
}

/* What the record itself has in this place, and whether it is the same. */
static void compare(const struct sp_calculation *c, const struct sp_record *r, double x, json_t *o)
{
    struct sp_fact own = sp_fact_at(r, c->field);
    json_object_set_new(o, "field", json_string(sp_field_path(c->field)));
    if (!sp_value_known(own.value)) {
        json_object_set_new(o, "record", json_null());
        json_object_set_new(o, "record_why",
                            json_string(own.value.why ? own.value.why : "no reason is given"));
        json_object_set_new(o, "agrees", json_null());
        return;
    }
    const double its = own.value.value, size = fmax(fabs(its), fabs(x));
    const bool agrees = size == 0 || fabs(x - its) <= SP_EXPLAIN_ROUNDING * size ||
                        (own.value.lo < own.value.hi && x >= own.value.lo && x <= own.value.hi);
    json_object_set_new(o, "record", json_real(its));
    json_object_set_new(o, "record_origin", json_string(own.word));
    json_object_set_new(o, "agrees", json_boolean(agrees));
    if (agrees)
        return;
    json_object_set_new(o, "difference", its != 0 ? json_real(x / its - 1) : json_null());
    json_object_set_new(o, "because", sp_json_text(c->why_not));
}

static json_t *calculated(const struct sp_calculation *c, const struct sp_record *r)
{
    char text[1200];
    json_t *o = json_object(), *inputs = json_array();
    const struct sp_formula_source source = {value_of_symbol, NULL, (void *)r};
    struct sp_quantity x;
    struct sp_error why;
    fill(c->formula, r, text, sizeof text, inputs);
    json_object_set_new(o, "result", json_string(c->result));
    json_object_set_new(o, "formula", json_string(c->formula));
    json_object_set_new(o, "filled", json_string(text));
    json_object_set_new(o, "unit", json_string(c->unit));
    enum sp_status status = sp_formula_evaluate(c->formula, &source, &x, &why);
    json_object_set_new(o, "value", status == SP_OK ? json_real(x.value) : json_null());
    if (status != SP_OK)
        json_object_set_new(o, "why", json_string(why.what));
    json_object_set_new(o, "inputs", inputs);
    if (c->field && status == SP_OK)
        compare(c, r, x.value, o);
    return o;
}

static json_t *not_for_this(const char *result, const struct sp_record *r)
{
    char why[200];
    snprintf(why, sizeof why, "this record is of %s in %s, for which there is no formula here",
             sp_words_op(sp_words_text(r, SP_F_CONFIG_OP, "this operation")),
             sp_words_text(r, SP_F_CONFIG_FORMAT, "this format"));
    json_t *o = json_object();
    json_object_set_new(o, "result", json_string(result));
    json_object_set_new(o, "value", json_null());
    json_object_set_new(o, "why", json_string(why));
    return o;
}

/* A list of lines for one format has others for other ones. */
static bool some_hold(const struct sp_calculation *list, const struct sp_record *r)
{
    for (; list->result; list++)
        if ((list->ops || list->formats || list->records) && holds(list, r))
            return true;
    return false;
}

static bool is_first_of_its_result(const struct sp_calculation *list, const struct sp_calculation *c)
{
    while (strcmp(list->result, c->result) != 0)
        list++;
    return list == c;
}

/* An array with an object for each result: {"result", "formula", "filled", "value", "unit",
 * "inputs": [{"symbol", "value", "lo", "hi", "unit", "origin", "from"}]}, and where the record has
 * the value itself "field", "record", "record_origin", "agrees" and, where it does not agree,
 * "difference" (relative) and "because". Results of which no formula holds for the record's
 * operation and format are left out where another one's does; where none does the first one says
 * so. What is not known is null with "why". New reference; NULL: memory is short, or the table is
 * faulty. */
static json_t *calculate(const struct sp_calculation *list, const struct sp_record *r)
{
    json_t *all = json_array();
    bool said = list && some_hold(list, r);
    for (const struct sp_calculation *c = list; c && c->result; c++) {
        if (!is_first_of_its_result(list, c))
            continue;
        const struct sp_calculation *chosen = choose(list, c->result, r);
        if (chosen)
            json_array_append_new(all, calculated(chosen, r));
        else if (!said)
            json_array_append_new(all, not_for_this(c->result, r));
        said = said || !chosen;
    }
    return all;
}

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

/* The lines that lead to the promise, and the promise as it is printed; where they do not, because
 * another version of the rule made it or the record was changed, why there are none. */
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
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, hint)
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
    json_array_foreach(sp_record_node(record, SP_F_NOT_A_PROBLEM), i, one)
    {
        const char *id = sp_item_text(one, "rule"), *check = sp_item_text(one, "check");
        if (id ? strcmp(id, rule->id) == 0 : check && rule->check && strcmp(check, rule->check) == 0)
            return sp_item_text(one, "figure");
    }
    return NULL;
}

/* Rules J01 ... look at kernels on GPUs, the others at those of CPUs. */
static bool rule_is_for(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    const bool on_gpu = strncmp(sp_words_text(record, SP_F_CONFIG_DEVICE, ""), "gpu", 3) == 0;
    return (rule->id[0] == 'J') == on_gpu;
}

static const char *silence(const struct sp_hint_rule *rule, const struct sp_record *record, char *text,
                           size_t size)
{
    const char *figure = figure_of(rule, record), *op = sp_words_text(record, SP_F_CONFIG_OP, ""), *doubt;
    if (figure)
        snprintf(text, size, "not a problem, it was checked: %s: %s", rule->check, figure);
    else if (!sp_record_node(record, SP_F_HINTS) && sp_record_text(record, SP_F_CONDITIONS_DOUBT, &doubt))
        snprintf(text, size, "no verdict can be given, so there are no hints: %.300s", doubt);
    else if (!sp_record_node(record, SP_F_HINTS))
        snprintf(text, size, "hints were not looked for in this record");
    else if (!rule_is_for(rule, record))
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

static json_t *words(const char *text)
{
    json_t *list = json_array();
    while (text && *text) {
        size_t n = strcspn(text, " ");
        if (n > 0)
            json_array_append_new(list, json_stringn(text, n));
        text += n + (text[n] == ' ');
    }
    return list;
}

static json_t *heading(const struct sp_topic *t)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(t->name));
    json_object_set_new(o, "theme", json_string(t->theme));
    json_object_set_new(o, "title", json_string(t->title));
    json_object_set_new(o, "also", words(sp_topic_also(t)));
    return o;
}

/* Is this path the origin of a number that a formula was filled with? */
static bool is_shown(const json_t *calculations, const char *path)
{
    size_t i, k;
    const json_t *one, *input;
    json_array_foreach(calculations, i, one)
    {
        const char *field = sp_item_text(one, "field");
        if (field && strcmp(field, path) == 0)
            return true;
        json_array_foreach(json_object_get(one, "inputs"), k, input)
        {
            const char *from = sp_item_text(input, "from");
            if (from && strcmp(from, path) == 0)
                return true;
        }
    }
    return false;
}

static json_t *fields_json(const enum sp_record_field *fields, const json_t *calculations,
                           const struct sp_record *r)
{
    json_t *list = json_array();
    for (int i = 0; i < SP_TERM_FIELDS && fields[i]; i++) {
        const char *path = sp_field_path(fields[i]);
        if (is_shown(calculations, path))
            continue;
        const json_t *node = sp_record_node(r, fields[i]);
        json_t *o = json_object();
        json_object_set_new(o, "path", json_string(path));
        json_object_set_new(o, "is", node ? json_deep_copy(node) : json_null());
        json_array_append_new(list, o);
    }
    return list;
}

/* hold: only results with a formula for this record; known: nor a figure that is not known. */
static void put_numbers(json_t *o, const struct sp_term *term, const struct sp_record *r, bool hold,
                        bool known)
{
    json_t *list = calculate(term->calculations, r), *those;
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *one = json_array_get(list, i);
        if ((hold && !json_object_get(one, "formula")) ||
            (known && !json_is_number(json_object_get(one, "value"))))
            json_array_remove(list, i);
        else if (known && json_is_null(json_object_get(one, "agrees"))) /* older records do not hold it */
            json_object_del(one, "field");
    }
    json_object_set_new(o, "calculations", list);
    json_object_set_new(o, "fields", those = fields_json(term->fields, list, r));
    for (size_t i = json_array_size(those); known && i-- > 0;)
        if (json_is_null(json_object_get(json_array_get(those, i), "is")))
            json_array_remove(those, i);
}

/* Is it called as one of the six lines? Their readers want figures alone. */
static bool is_of_six_lines(const struct sp_topic *t)
{
    for (const struct sp_term *term = sp_themes->terms; term->name; term++)
        if (strcmp(term->name, t->name) == 0)
            return true;
    return false;
}

/* The shares of the time, as the verdict names them. */
static json_t *shares_json(const struct sp_record *r)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(r, row);
    const double time = sp_record_value(r, SP_F_METRICS_TIME).value;
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        if (fabs(row[i].share) >= SP_VERDICT_LEAST / 10)
            json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:b, s:s}", "what", row[i].words,
                                                  "share", row[i].share, "seconds", row[i].share * time, "of",
                                                  time, "lost", row[i].is_lost, "how", row[i].how));
    return list;
}

static json_t *flag_json(const char *flag, const struct sp_record *r)
{
    json_t *texts = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(sp_record_node(r, SP_F_FLAGS), i, one)
    {
        const char *code = sp_item_text(one, "code");
        if (code && strcmp(code, flag) == 0)
            json_array_append(texts, json_object_get(one, "text"));
    }
    return json_pack("{s:b, s:o}", "raised", json_array_size(texts) > 0, "texts", texts);
}

static json_t *in_record(const struct sp_topic *t, const struct sp_record *r)
{
    json_t *o = json_object();
    if (t->kind == SP_KIND_TERM)
        put_numbers(o, t->term, r, false, is_of_six_lines(t));
    if (t->kind == SP_KIND_TERM && strcmp(t->name, "lost") == 0)
        json_object_set_new(o, "shares", shares_json(r));
    if (t->rule) {
        json_object_set_new(o, "hint", sp_explain_hint(t->rule, r));
        if (rule_is_for(t->rule, r))
            put_numbers(o, t->term, r, true, false);
    }
    if (t->kind == SP_KIND_FLAG)
        json_object_set_new(o, "flag", flag_json(t->name, r));
    return o;
}

json_t *sp_explain_json(const struct sp_topic *t, const struct sp_record *record)
{
    json_t *o = heading(t);
    if (t->rule) {
        json_object_set_new(o, "rule_version", json_integer(t->rule->version));
        json_object_set_new(o, "condition", json_string(t->rule->condition));
        json_object_set_new(o, "remedy", json_string(t->rule->remedy));
        json_object_set_new(o, "gain", json_string(t->rule->gain));
        json_object_set_new(o, "check", sp_json_text(t->rule->check));
    } else {
        json_object_set_new(o, "formula", sp_json_text(t->term->formula));
        json_object_set_new(o, "text", sp_json_text(t->term->text));
    }
    if (t->kind == SP_KIND_EXIT)
        json_object_set_new(o, "code", json_integer(sp_term_exit_code(t->term)));
    json_object_set_new(o, "see_also", words(t->term->see));
    if (record)
        json_object_set_new(o, "record", in_record(t, record));
    return o;
}

json_t *sp_explain_list(void)
{
    json_t *list = json_array();
    struct sp_topic t;
    for (int i = 0; sp_topic_at(i, &t); i++)
        json_array_append_new(list, heading(&t));
    return list;
}
