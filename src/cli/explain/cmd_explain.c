/* spmodel explain: symbols, formulas, words, hints, flags and exit codes, with a record's numbers put in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/sink.h"
#include "cli/core/terminal.h"
#include "cli/explain/explain_text.h"
#include "cli/explain/json.h"
#include "io/record/record_words.h"

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
    options,
    parse,
    "[TERM...] [RECORD.json]",
    "Explain a symbol, a formula, a word of the report, a hint (A01), a flag (Q10), a verdict or an exit "
    "code "
    "(exit-3, 3). With a record its own numbers are put into the formulas, each with its origin, and the "
    "result is compared with the record's. Without TERM list what there is, by theme.\vGreek letters and "
    "their names are the same; words of several parts may be joined by '-'. --json: docs/explain.md.",
    children,
    NULL,
    NULL,
};

/* "ID: kkt_power, SpMV in CRS, constructed". */
static void name_record(const struct sp_record *r, char *text, size_t size)
{
    const char *status = sp_words_text(r, "status", "");
    snprintf(text, size, "%s: %s, %s in %s%s%s", sp_words_text(r, "id", "a record without id"),
             sp_words_text(r, "problem.name", "unnamed matrix"),
             sp_words_op(sp_words_text(r, "config.op", "unknown operation")),
             sp_words_text(r, "config.format_text", sp_words_text(r, "config.format", "unknown format")),
             strcmp(status, "complete") == 0 ? "" : ", ", strcmp(status, "complete") == 0 ? "" : status);
}

/* As many words from the i-th on as form one known term, "not explained"; 1: that word alone. text[size]: the
 * term. */
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

/* What the terms mean, as an array; unknown ones are reported, and `code` becomes that of the error. */
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
    const char *id = record ? sp_words_text(record, "id", NULL) : NULL;
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string(SP_EXPLAIN_SCHEMA));
    json_object_set_new(o, "record", id ? json_string(id) : json_null());
    json_object_set(o, "terms", list);
    bool bad = json_dumpf(o, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) != 0 || fputc('\n', out) == EOF;
    json_decref(o);
    return bad ? sp_fail(err, SP_OUTPUT, NULL, "the JSON cannot be written") : SP_OK;
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
        sp_explain_list_text(list, &style, stdout);
    if (record)
        name_record(record, name, sizeof name);
    json_array_foreach(list, i, one)
    {
        if (a->n_terms == 0)
            break;
        if (i > 0)
            fputc('\n', stdout);
        sp_explain_text(one, record ? name : NULL, &style, stdout);
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
