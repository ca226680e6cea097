#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/explain/explained.h"
#include "io/record/record.h"
#include "io/record/record_losses.h"
#include "report/text/pen.h"

/* An explanation for people, from what cli/explain/explained.h makes. */

enum { NAME_COLUMN = 24, SYMBOL_COLUMN = 22, NUMBER_COLUMN = 66, INDENT = 2, DEEP = 4 };

/* Running text in a paragraph of its own. */
static void paragraph(struct sp_pen *pen, int indent, enum sp_ink ink, const char *text)
{
    pen->indent = indent;
    sp_pen_put(pen, SP_INK_PLAIN, "%*s", indent, "");
    sp_pen_words(pen, ink, text);
    sp_pen_end(pen);
}

/* A word at the margin, and text behind it. */
static void labelled(struct sp_pen *pen, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    sp_pen_put(pen, SP_INK_PLAIN, "%*s", INDENT, "");
    sp_pen_put(pen, SP_INK_DIM, "%s", label);
    sp_pen_tab(pen, 14);
    pen->indent = 14;
    if (strncmp(text, "spmodel ", 8) == 0) /* a command to copy is never broken */
        sp_pen_put(pen, SP_INK_PLAIN, "%s", text);
    else
        sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
}

static void join(const json_t *list, const char *between, char *text, size_t size)
{
    size_t i, used = 0;
    const json_t *one;
    text[0] = '\0';
    json_array_foreach(list, i, one) if (used < size) used +=
        (size_t)snprintf(text + used, size - used, "%s%s", i ? between : "", json_string_value(one));
}

static void formula(struct sp_pen *pen, const char *text)
{
    while (text && *text) {
        int n = (int)strcspn(text, "\n");
        sp_pen_put(pen, SP_INK_PLAIN, "%*s", DEEP, "");
        sp_pen_put(pen, SP_INK_CYAN, "%.*s", n, text);
        sp_pen_end(pen);
        text += n + (text[n] == '\n');
    }
}

/* "8.98 B/flop (8.93 B/flop to 9.03 B/flop)". */
static char *number_text(char *text, size_t size, const json_t *o, const char *unit)
{
    char x[64], lo[64], hi[64];
    double value = sp_item_number(o, "value"), from = sp_item_number(o, "lo"), to = sp_item_number(o, "hi");
    if (isnan(value)) {
        const char *why = sp_item_text(o, "why");
        snprintf(text, size, "unknown (%s)", why ? why : "no reason is given");
        return text;
    }
    sp_fact_number(x, sizeof x, value, unit);
    sp_fact_number(lo, sizeof lo, from, unit);
    sp_fact_number(hi, sizeof hi, to, unit);
    if (from < to && strcmp(lo, hi) != 0)
        snprintf(text, size, "%s (%s to %s)", x, lo, hi);
    else
        snprintf(text, size, "%s", x);
    return text;
}

/* What the record has in this place. */
static void compared(struct sp_pen *pen, const json_t *c)
{
    const char *field = sp_item_text(c, "field"), *unit = sp_item_text(c, "unit"),
               *origin = sp_item_text(c, "record_origin"), *because = sp_item_text(c, "because");
    char number[64], off[32];
    if (!field)
        return;
    const json_t *agrees = json_object_get(c, "agrees");
    sp_pen_put(pen, SP_INK_PLAIN, "%*s", DEEP + INDENT, "");
    pen->indent = DEEP + INDENT;
    if (json_is_null(agrees)) {
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%s is unknown in the record (%s)", field,
                    sp_item_text(c, "record_why"));
        sp_pen_end(pen);
        return;
    }
    sp_fact_number(number, sizeof number, sp_item_number(c, "record"), unit);
    sp_pen_part(pen, SP_INK_PLAIN, 1, "%s of the record is %s %s:", field, number, origin ? origin : "");
    double difference = sp_item_number(c, "difference");
    if (json_is_true(agrees))
        sp_pen_part(pen, SP_INK_GREEN, 1, "agrees");
    else {
        sp_figure_percent(off, sizeof off, fabs(difference));
        sp_pen_part(pen, because ? SP_INK_YELLOW : SP_INK_RED, 1,
                    "differs by %s:", isnan(difference) ? "all of it" : off);
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%s",
                    because ? because : "the record does not hold together, it was changed or is damaged");
    }
    sp_pen_end(pen);
}

static void calculation(struct sp_pen *pen, const json_t *c)
{
    const char *result = sp_item_text(c, "result"), *of = sp_item_text(c, "formula"),
               *filled = sp_item_text(c, "filled"), *unit = sp_item_text(c, "unit");
    char number[200];
    sp_pen_put(pen, SP_INK_PLAIN, "%*s", INDENT, "");
    pen->indent = DEEP;
    if (!of) {
        sp_pen_put(pen, SP_INK_BOLD, "%s", result);
        sp_pen_put(pen, SP_INK_PLAIN, ":");
        sp_pen_part(pen, SP_INK_PLAIN, 1, "unknown (%s)", sp_item_text(c, "why"));
        sp_pen_end(pen);
        return;
    }
    sp_pen_put(pen, SP_INK_BOLD, "%s", result);
    if (strcmp(result, of) != 0) {
        sp_pen_put(pen, SP_INK_PLAIN, " =");
        sp_pen_words(pen, SP_INK_PLAIN, of);
    }
    sp_pen_end(pen);
    pen->indent = DEEP + INDENT;
    number_text(number, sizeof number, c, unit);
    if (strcmp(number, filled) != 0 && json_array_size(json_object_get(c, "inputs")) > 0) {
        sp_pen_put(pen, SP_INK_PLAIN, "%*s= ", DEEP, "");
        sp_pen_words(pen, SP_INK_PLAIN, filled);
        sp_pen_end(pen);
    }
    pen->indent = DEEP + INDENT;
    sp_pen_put(pen, SP_INK_PLAIN, "%*s= ", DEEP, "");
    sp_pen_part(pen, SP_INK_PLAIN, 0, "%s", number);
    sp_pen_end(pen);
    compared(pen, c);
}

/* Each symbol of the formulas once, with its origin. */
static void inputs(struct sp_pen *pen, const json_t *calculations)
{
    char seen[600] = " ", number[200];
    size_t i, k;
    const json_t *c, *input;
    json_array_foreach(calculations, i, c)
    {
        json_array_foreach(json_object_get(c, "inputs"), k, input)
        {
            const char *symbol = sp_item_text(input, "symbol"), *origin = sp_item_text(input, "origin"),
                       *from = sp_item_text(input, "from");
            char word[64];
            snprintf(word, sizeof word, " %s ", symbol);
            if (strstr(seen, word) || strlen(seen) + strlen(word) >= sizeof seen)
                continue;
            strcat(seen, word + 1);
            sp_pen_put(pen, SP_INK_PLAIN, "%*s%s", DEEP, "", symbol);
            sp_pen_tab(pen, SYMBOL_COLUMN);
            pen->indent = SYMBOL_COLUMN;
            sp_pen_words(pen, SP_INK_PLAIN,
                         number_text(number, sizeof number, input, sp_item_text(input, "unit")));
            if (!isnan(sp_item_number(input, "value")))
                sp_pen_part(pen, SP_INK_PLAIN, 1, "%s", origin);
            sp_pen_tab(pen, NUMBER_COLUMN);
            sp_pen_put(pen, SP_INK_DIM, "%s", from);
            sp_pen_end(pen);
        }
    }
}

/* "x loaded 2.7 times   21 % = 21.4 us / 102 us   simulated: ..." */
static void share_line(struct sp_pen *pen, const json_t *o)
{
    char percent[32], seconds[64], of[64];
    sp_pen_put(pen, SP_INK_PLAIN, "%*s%s", DEEP, "", sp_item_text(o, "what"));
    sp_pen_tab(pen, 32);
    pen->indent = 32;
    sp_fact_number(seconds, sizeof seconds, sp_item_number(o, "seconds"), "s");
    sp_fact_number(of, sizeof of, sp_item_number(o, "of"), "s");
    sp_pen_part(pen, SP_INK_PLAIN, 0, "%s = %s / %s",
                sp_figure_percent(percent, sizeof percent, sp_item_number(o, "share")), seconds, of);
    if (!json_is_true(json_object_get(o, "lost")))
        sp_pen_part(pen, SP_INK_PLAIN, 1, "(a part of the possible)");
    sp_pen_words(pen, SP_INK_DIM, sp_item_text(o, "how"));
    sp_pen_end(pen);
}

/* The texts of a list of lines. */
static void texts_of(const json_t *list, char *text, size_t size)
{
    const json_t *one;
    size_t i, used = 0;
    json_array_foreach(list, i, one) if (used < size && sp_item_text(one, "text")) used +=
        (size_t)snprintf(text + used, size - used, "%s%s", used ? " · " : "", sp_item_text(one, "text"));
}

static void field(struct sp_pen *pen, const json_t *o)
{
    const char *path = sp_item_text(o, "path");
    const json_t *is = json_object_get(o, "is");
    char text[300] = "";
    if (json_is_object(is) && (json_object_get(is, "value") || json_object_get(is, "why"))) {
        struct sp_value v = sp_record_value_of(is);
        const char *unit = sp_item_text(is, "unit");
        number_text(text, sizeof text, is, unit);
        size_t used = strlen(text);
        if (sp_value_known(v))
            snprintf(text + used, sizeof text - used, " %s", sp_origin_name(v.origin));
    } else if (json_is_string(is))
        snprintf(text, sizeof text, "%s", json_string_value(is));
    else if (json_is_boolean(is))
        snprintf(text, sizeof text, "%s", json_is_true(is) ? "yes" : "no");
    else if (json_is_number(is))
        sp_fact_number(text, sizeof text, json_number_value(is),
                       path && sp_loss_origin(sp_field_find(path)) ? "s" : "1");
    else if (is && !json_is_null(is)) {
        texts_of(is, text, sizeof text);
        if (!*text)
            snprintf(text, sizeof text, "in the record");
    } else
        snprintf(text, sizeof text, "not in this record");
    sp_pen_put(pen, SP_INK_PLAIN, "%*s%s", DEEP, "", path);
    sp_pen_tab(pen, 32);
    pen->indent = 32;
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
}

/* What became of the promise, where the hint was tried. */
static void observed(struct sp_pen *pen, const json_t *hint)
{
    const json_t *seen = json_object_get(hint, "observed");
    const char *outcome = sp_item_text(hint, "outcome"),
               *failed = sp_item_text(json_object_get(hint, "trial"), "failed");
    struct sp_value v =
        json_is_number(seen) ? sp_value_of(json_number_value(seen), SP_MEASURED) : sp_record_value_of(seen);
    const char *command = sp_item_text(hint, "try");
    char text[300], x[32], lo[32], hi[32];
    if (outcome && strcmp(outcome, "not tried") == 0)
        snprintf(text, sizeof text, "not tried: %s", failed ? failed : v.why ? v.why : "no reason is given");
    else if (json_is_object(seen) && !sp_value_known(v))
        snprintf(text, sizeof text, "unknown (%s)", v.why ? v.why : "no reason is given");
    else if (!seen || json_is_null(seen))
        snprintf(text, sizeof text, "not tried: %s",
                 strncmp(command ? command : "", "spmodel", 7) == 0
                     ? "spmodel analyze --try-hints"
                     : "no option of a run makes this change: it is your program's");
    else
        snprintf(text, sizeof text, "time less by %s (%s to %s) measured%s%s",
                 sp_figure_percent(x, sizeof x, v.value), sp_figure_percent(lo, sizeof lo, v.lo),
                 sp_figure_percent(hi, sizeof hi, v.hi), outcome ? ": " : "", outcome ? outcome : "");
    labelled(pen, "observed", text);
}

/* "time then   2.1 ms ... 2.4 ms modelled   bytes / roof" */
static void derivation_line(struct sp_pen *pen, const json_t *line)
{
    static const int VALUE_COLUMN = 32;
    const char *unit = sp_item_text(line, "unit"), *origin = sp_item_text(line, "origin"),
               *how = sp_item_text(line, "how");
    const double from = sp_item_number(line, "lo"), to = sp_item_number(line, "hi");
    char lo[64], hi[64];
    sp_fact_number(lo, sizeof lo, from, unit);
    sp_fact_number(hi, sizeof hi, to, unit);
    sp_pen_put(pen, SP_INK_PLAIN, "%*s%s", DEEP, "", sp_item_text(line, "what"));
    sp_pen_tab(pen, VALUE_COLUMN);
    pen->indent = VALUE_COLUMN;
    sp_pen_put(pen, SP_INK_PLAIN, "%s%s%s", lo, strcmp(lo, hi) == 0 ? "" : " ... ",
               strcmp(lo, hi) == 0 ? "" : hi);
    if (origin)
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%s", origin);
    if (*how) {
        sp_pen_part(pen, SP_INK_DIM, 1, "=");
        sp_pen_words(pen, SP_INK_DIM, how);
    }
    sp_pen_end(pen);
}

/* Line by line to the promise, which stands last. */
static void derivations(struct sp_pen *pen, const json_t *hints)
{
    const json_t *hint, *line;
    size_t i, k;
    json_array_foreach(hints, i, hint)
    {
        labelled(pen, "its gain",
                 json_object_get(hint, "derivation") ? "line by line:" : sp_item_text(hint, "not_derived"));
        json_array_foreach(json_object_get(hint, "derivation"), k, line) derivation_line(pen, line);
        labelled(pen, "promises", sp_item_text(hint, "gain_text"));
    }
}

static void hint_in_record(struct sp_pen *pen, const json_t *o)
{
    const json_t *hint;
    size_t i;
    if (json_is_false(json_object_get(o, "fires"))) {
        labelled(pen, "no hint", sp_item_text(o, "silent"));
        return;
    }
    json_array_foreach(json_object_get(o, "hints"), i, hint)
    {
        if (json_object_get(hint, "also")) {
            char rules[100], also[80];
            join(json_object_get(hint, "also"), ", ", also, sizeof also);
            const char *id = sp_item_text(hint, "id");
            snprintf(rules, sizeof rules, "%s, %s", id ? id : "?", also);
            labelled(pen, "proposed by", rules);
        }
        labelled(pen, "evidence", sp_item_text(hint, "evidence"));
        labelled(pen, "confidence", sp_item_text(hint, "confidence"));
        labelled(pen, "try", sp_item_text(hint, "try"));
        labelled(pen, "expect", sp_item_text(hint, "expect"));
        labelled(pen, "cost", sp_item_text(hint, "cost"));
        observed(pen, hint);
    }
}

static void flag_in_record(struct sp_pen *pen, const json_t *o)
{
    const json_t *text;
    size_t i;
    if (json_is_false(json_object_get(o, "raised")))
        labelled(pen, "not raised", "this record does not have the flag");
    json_array_foreach(json_object_get(o, "texts"), i, text) labelled(pen, "raised", json_string_value(text));
}

static void in_record(struct sp_pen *pen, const json_t *o, const char *name)
{
    const json_t *hint = json_object_get(o, "hint"), *flag = json_object_get(o, "flag"),
                 *calculations = json_object_get(o, "calculations"), *fields = json_object_get(o, "fields"),
                 *one;
    size_t i;
    const json_t *shares = json_object_get(o, "shares");
    if (!hint && !flag &&
        json_array_size(calculations) + json_array_size(fields) + json_array_size(shares) == 0)
        return;
    sp_pen_end(pen);
    sp_pen_part(pen, SP_INK_BOLD, 0, "In %s", name);
    sp_pen_end(pen);
    if (hint)
        hint_in_record(pen, hint);
    if (flag)
        flag_in_record(pen, flag);
    json_array_foreach(calculations, i, one) calculation(pen, one);
    inputs(pen, calculations);
    json_array_foreach(shares, i, one) share_line(pen, one);
    json_array_foreach(fields, i, one) field(pen, one);
}

static void rule(struct sp_pen *pen, const json_t *o)
{
    char version[48];
    snprintf(version, sizeof version, "%lld",
             (long long)json_integer_value(json_object_get(o, "rule_version")));
    labelled(pen, "fires when", sp_item_text(o, "condition"));
    labelled(pen, "what to do", sp_item_text(o, "remedy"));
    labelled(pen, "its gain", sp_item_text(o, "gain"));
    labelled(pen, "version", version);
}

/* One that sp_explain_json() made. `record_name`: of the record whose numbers it has, or NULL. */
static void explain_text(const json_t *o, const char *record_name, const struct sp_report_style *style,
                         FILE *out)
{
    struct sp_pen pen;
    char list[400];
    sp_pen_open(&pen, style, out);
    pen.indent = INDENT;
    sp_pen_put(&pen, SP_INK_BOLD, "%s", sp_item_text(o, "name"));
    sp_pen_put(&pen, SP_INK_PLAIN, ": ");
    pen.indent = pen.column;
    sp_pen_words(&pen, SP_INK_PLAIN, sp_item_text(o, "title"));
    sp_pen_part(&pen, SP_INK_DIM, 2, "[%s]", sp_item_text(o, "theme"));
    sp_pen_end(&pen);
    if (json_object_get(o, "condition"))
        rule(&pen, o);
    formula(&pen, sp_item_text(o, "formula"));
    if (sp_item_text(o, "text"))
        paragraph(&pen, INDENT, SP_INK_PLAIN, sp_item_text(o, "text"));
    join(json_object_get(o, "also"), " ", list, sizeof list);
    labelled(&pen, "also called", list);
    if (json_object_get(o, "record"))
        in_record(&pen, json_object_get(o, "record"), record_name);
    join(json_object_get(o, "see_also"), " ", list, sizeof list);
    labelled(&pen, "see also", list);
    derivations(&pen, json_object_get(json_object_get(json_object_get(o, "record"), "hint"), "hints"));
}

/* What sp_explain_list() made, by theme. */
static void explain_list_text(const json_t *list, const struct sp_report_style *style, FILE *out)
{
    struct sp_pen pen;
    const char *theme = "";
    const json_t *one;
    size_t i;
    sp_pen_open(&pen, style, out);
    json_array_foreach(list, i, one)
    {
        const char *its = sp_item_text(one, "theme");
        if (strcmp(its, theme) != 0) {
            if (*theme)
                sp_pen_end(&pen);
            sp_pen_put(&pen, SP_INK_BOLD, "%s", its);
            sp_pen_end(&pen);
            theme = its;
        }
        sp_pen_put(&pen, SP_INK_PLAIN, "%*s%s", INDENT, "", sp_item_text(one, "name"));
        sp_pen_tab(&pen, NAME_COLUMN);
        pen.indent = NAME_COLUMN;
        sp_pen_words(&pen, SP_INK_PLAIN, sp_item_text(one, "title"));
        sp_pen_end(&pen);
    }
}

/* spmodel explain: symbols, formulas, words, hints, flags, with a record's numbers put in. */

enum { KEY_RECORD = SP_KEY_PRIVATE, MOST_TERMS = 64, MOST_WORDS = 8 };

static const struct argp_option options[] = {
    {"record", KEY_RECORD, "RECORD.json", 0, "Put this record's numbers in; so does its name among the terms",
     0},
    {0},
};

struct arguments {
    struct sp_common_options common;
    const char *record;
    int n_terms;
    const char *term[MOST_TERMS];
};

/* Terms have no such ending. */
static bool is_record_name(const char *text)
{
    const size_t length = strlen(text);
    return length > 5 && strcmp(text + length - 5, ".json") == 0;
}

static void take_record(struct arguments *a, const char *path, struct argp_state *state)
{
    if (a->record)
        sp_usage_error(state, "one record at a time");
    a->record = path;
}

static void take_term(struct arguments *a, const char *term, struct argp_state *state)
{
    if (a->n_terms == MOST_TERMS)
        sp_usage_error(state, "more than %d terms at a time", MOST_TERMS);
    else
        a->term[a->n_terms++] = term;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_RECORD:
        take_record(a, arg, state);
        return 0;
    case ARGP_KEY_ARG:
        if (is_record_name(arg))
            take_record(a, arg, state);
        else
            take_term(a, arg, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&sp_common_json_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "[TERM...] [RECORD.json]",
    .doc = "Explain a symbol, a formula, a word of the report, a hint (A01), a flag (Q10), a verdict or an "
           "exit code (exit-3, 3). With a record its own numbers are put into the formulas, each with its "
           "origin, and the result is compared with the record's. Without TERM list what there is, by "
           "theme.\vGreek letters and their names are the same; words of several parts may be joined by '-'. "
           "--json: docs/explain.md.",
    .children = children};

/* "ID: kkt_power, SpMV in CRS, constructed". */
static void name_record(const struct sp_record *r, char *text, size_t size)
{
    const char *status = sp_words_text(r, SP_F_STATUS, "");
    snprintf(
        text, size, "%s: %s, %s in %s%s%s", sp_words_text(r, SP_F_ID, "a record without id"),
        sp_words_text(r, SP_F_PROBLEM_NAME, "unnamed matrix"),
        sp_words_op(sp_words_text(r, SP_F_CONFIG_OP, "unknown operation")),
        sp_words_text(r, SP_F_CONFIG_FORMAT_TEXT, sp_words_text(r, SP_F_CONFIG_FORMAT, "unknown format")),
        strcmp(status, "complete") == 0 ? "" : ", ", strcmp(status, "complete") == 0 ? "" : status);
    if (sp_verdict_disturbed(r))
        snprintf(text + strlen(text), size - strlen(text), " (unusable: its times are of disturbed samples)");
}

/* As many words from the i-th on as form a known term; 1: that word alone. text[size]: it. */
static int phrase_at(const struct arguments *a, int i, char *text, size_t size)
{
    struct sp_topic found[SP_TOPIC_MATCHES];
    int longest = 1;
    for (int n = 2; n <= MOST_WORDS && i + n <= a->n_terms; n++) {
        text[0] = '\0';
        for (int k = 0; k < n; k++)
            snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? " " : "", a->term[i + k]);
        if (sp_topics_find(text, found) > 0)
            longest = n;
    }
    text[0] = '\0';
    for (int k = 0; k < longest; k++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", k ? " " : "", a->term[i + k]);
    return longest;
}

/* What the terms mean, as an array; unknown ones are reported, `code` becomes the error's. */
static json_t *explained(const struct arguments *a, const struct sp_record *record, int *code)
{
    json_t *list = json_array();
    for (int i = 0, words; i < a->n_terms; i += words) {
        struct sp_topic found[SP_TOPIC_MATCHES];
        char term[400];
        words = phrase_at(a, i, term, sizeof term);
        int n = sp_topics_find(term, found);
        for (int k = 0; k < n; k++)
            json_array_append_new(list, sp_explain_json(&found[k], record));
        if (n > 0)
            continue;
        struct sp_error err;
        char near[200];
        sp_topics_near(term, near, sizeof near);
        sp_fail(&err, SP_USAGE, "`spmodel explain` lists the terms", "no term '%s'%s%s%s", term,
                *near ? "; did you mean " : "", near, *near ? "?" : "");
        *code = sp_worse_exit(*code, sp_report_error(&err));
    }
    return list;
}

static enum sp_status write_json(json_t *list, const struct sp_record *record, FILE *out,
                                 struct sp_error *err)
{
    const char *id = record ? sp_words_text(record, SP_F_ID, NULL) : NULL;
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string(SP_EXPLAIN_SCHEMA));
    json_object_set_new(o, "record", sp_json_text(id));
    json_object_set(o, "terms", list);
    return sp_put_json(o, JSON_INDENT(1) | JSON_REAL_PRECISION(17), out, err);
}

static int print(const struct arguments *a, json_t *list, const struct sp_record *record,
                 const struct sp_sink *json)
{
    struct sp_error err;
    char name[400] = "";
    const json_t *one;
    size_t i;
    if (json->stream && write_json(list, record, json->stream, &err) != SP_OK)
        return sp_report_error(&err);
    if (json->stream == stdout)
        return 0;
    struct sp_report_style style = sp_terminal_style(&a->common);
    if (a->n_terms == 0)
        explain_list_text(list, &style, stdout);
    if (record)
        name_record(record, name, sizeof name);
    json_array_foreach(list, i, one)
    {
        if (a->n_terms == 0)
            break;
        if (i > 0)
            fputc('\n', stdout);
        explain_text(one, record ? name : NULL, &style, stdout);
    }
    return 0;
}

static int run(int argc, char **argv)
{
    struct arguments a;
    struct sp_record record = {0};
    struct sp_sink json = {0};
    struct sp_error err;
    int code = 0;
    memset(&a, 0, sizeof a);
    sp_parse(&argp, argc, argv, &a);
    if (a.record && sp_record_read(a.record, &record, &err) != SP_OK)
        return sp_report_error(&err);
    const struct sp_record *numbers = a.record ? &record : NULL;
    json_t *list = a.n_terms > 0 ? explained(&a, numbers, &code) : sp_explain_list();
    if (json_array_size(list) > 0) {
        if (sp_sink_open(a.common.json, &json, &err) != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
        else {
            code = sp_worse_exit(code, print(&a, list, numbers, &json));
            code = sp_sink_close(&json, code);
        }
    }
    json_decref(list);
    sp_record_free(&record);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel explain alpha", "a symbol: what it is, its formula", NULL},
    {"spmodel explain B_C --record before.json", "a formula with the numbers of a record put in", NULL},
    {"spmodel explain A01", "a hint: when it fires and what to do", NULL},
    {0},
};

const struct sp_command sp_cmd_explain = {
    .name = "explain",
    .arguments = "[TERM...] [RECORD.json]",
    .summary = "explain a symbol, formula, word, hint, flag or exit code, with a record's numbers",
    .run = run,
    .page = {&argp, examples, NULL, "analyze provenance exit-codes units"},
};
