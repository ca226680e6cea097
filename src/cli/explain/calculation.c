#include "cli/explain/calculation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/explain_ecm.h"
#include "cli/explain/facts.h"
#include "io/record/record_words.h"
#include "lab/formula.h"

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

static bool holds(const struct sp_calculation *c, const struct sp_record *r)
{
    return (!c->ops || among(c->ops, sp_words_text(r, "config.op", ""))) &&
           (!c->formats || among(c->formats, sp_words_text(r, "config.format", "")));
}

/* The next symbol of a formula from *at on, which then stands behind it; false: none is left. Functions are
 * none, nor are exponents of numbers. */
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
    struct sp_fact own = sp_fact_at(r, c->field, c->unit);
    json_object_set_new(o, "field", json_string(c->field));
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
    json_object_set_new(o, "because", c->why_not ? json_string(c->why_not) : json_null());
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
             sp_words_op(sp_words_text(r, "config.op", "this operation")),
             sp_words_text(r, "config.format", "this format"));
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
        if ((list->ops || list->formats) && holds(list, r))
            return true;
    return false;
}

static bool is_first_of_its_result(const struct sp_calculation *list, const struct sp_calculation *c)
{
    while (strcmp(list->result, c->result) != 0)
        list++;
    return list == c;
}

json_t *sp_calculate(const struct sp_calculation *list, const struct sp_record *r)
{
    json_t *all = json_array();
    list = sp_ecm_calculations(list, r);
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
