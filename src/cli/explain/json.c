#include "cli/explain/json.h"

#include <math.h>
#include <string.h>

#include "cli/explain/calculation.h"
#include "cli/explain/hint.h"
#include "io/record/record_losses.h"

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
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

static json_t *fields_json(const char *const *fields, const json_t *calculations, const struct sp_record *r)
{
    json_t *list = json_array();
    for (int i = 0; i < SP_TERM_FIELDS && fields[i]; i++) {
        if (is_shown(calculations, fields[i]))
            continue;
        const json_t *node = sp_record_node(r, fields[i]);
        json_t *o = json_object();
        json_object_set_new(o, "path", json_string(fields[i]));
        json_object_set_new(o, "is", node ? json_deep_copy(node) : json_null());
        json_array_append_new(list, o);
    }
    return list;
}

/* hold: only results that have a formula for this record's operation and format; known: nor a figure that is
 * not known. */
static void put_numbers(json_t *o, const struct sp_calculation *calculations, const char *const *fields,
                        const struct sp_record *r, bool hold, bool known)
{
    json_t *list = sp_calculate(calculations, r), *those;
    for (size_t i = json_array_size(list); i-- > 0;) {
        json_t *one = json_array_get(list, i);
        if ((hold && !json_object_get(one, "formula")) ||
            (known && !json_is_number(json_object_get(one, "value"))))
            json_array_remove(list, i);
        else if (known && json_is_null(json_object_get(one, "agrees"))) /* older records do not hold it */
            json_object_del(one, "field");
    }
    json_object_set_new(o, "calculations", list);
    json_object_set_new(o, "fields", those = fields_json(fields, list, r));
    for (size_t i = json_array_size(those); known && i-- > 0;)
        if (json_is_null(json_object_get(json_array_get(those, i), "is")))
            json_array_remove(those, i);
}

/* Is it called as one of the six lines? Their readers want figures alone. */
static bool is_of_six_lines(const struct sp_topic *t)
{
    for (const struct sp_term *term = sp_verdict_terms; term->name; term++)
        if (strcmp(term->name, t->name) == 0)
            return true;
    return false;
}

/* The shares of the time, as the verdict names them. */
static json_t *shares_json(const struct sp_record *r)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(r, row);
    const double time = sp_record_metric(r, "time").value;
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        if (fabs(row[i].share) >= SP_VERDICT_LEAST / 10)
            json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:b, s:s}", "what", row[i].words,
                                                  "share", row[i].share, "seconds", row[i].share * time, "of",
                                                  time, "lost", row[i].is_lost, "how", row[i].how));
    return list;
}

static json_t *flag_json(const struct sp_flag_meaning *flag, const struct sp_record *r)
{
    json_t *texts = json_array();
    const json_t *one;
    size_t i;
    json_array_foreach(sp_record_node(r, "flags"), i, one)
    {
        const char *code = sp_item_text(one, "code");
        if (code && strcmp(code, flag->code) == 0)
            json_array_append(texts, json_object_get(one, "text"));
    }
    return json_pack("{s:b, s:o}", "raised", json_array_size(texts) > 0, "texts", texts);
}

static json_t *in_record(const struct sp_topic *t, const struct sp_record *r)
{
    json_t *o = json_object();
    if (t->term)
        put_numbers(o, t->term->calculations, t->term->fields, r, false, is_of_six_lines(t));
    if (t->term && strcmp(t->name, "lost") == 0)
        json_object_set_new(o, "shares", shares_json(r));
    if (t->rule) {
        const struct sp_rule_numbers *numbers = sp_rule_numbers(t->rule->id);
        json_object_set_new(o, "hint", sp_explain_hint(t->rule, r));
        if (numbers && sp_rule_is_for(t->rule, r))
            put_numbers(o, numbers->calculations, numbers->fields, r, true, false);
    }
    if (t->flag)
        json_object_set_new(o, "flag", flag_json(t->flag, r));
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
        json_object_set_new(o, "check", text_or_null(t->rule->check));
    } else {
        json_object_set_new(o, "formula", text_or_null(t->term ? t->term->formula : NULL));
        json_object_set_new(o, "text", text_or_null(t->text));
    }
    if (t->exit)
        json_object_set_new(o, "code", json_integer(t->exit->code));
    json_object_set_new(o, "see_also", words(t->see));
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
