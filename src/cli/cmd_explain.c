/* spmodel explain: symbols, formulas, hints, flags and exit codes, with a record's numbers put in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"
#include "cli/explain_terms.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "model/hints.h"

enum { KEY_RECORD = SP_KEY_PRIVATE };

static const struct argp_option options[] = {
    {"record", KEY_RECORD, "REC.json", 0, "Put this record's numbers in", 0},
    {0},
};

struct arguments {
    const char *record, *term;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case KEY_RECORD:
        a->record = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (a->term)
            argp_error(state, "one term at a time");
        a->term = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "[TERM]",
    "Explain a symbol, a formula, a hint (A01), a flag or an exit code (3); without TERM list what there is.",
    NULL,
    NULL,
    NULL,
};

/* Running text in lines of at most 96 columns, indented. */
static void print_words(const char *text, int indent)
{
    const int width = 96;
    int column = 0;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column == 0)
            column = printf("%*s%.*s", indent, "", n, text);
        else if (column + 1 + n > width)
            column = printf("\n%*s%.*s", indent, "", n, text) - 1;
        else
            column += printf(" %.*s", n, text);
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

static void print_formula(const char *formula)
{
    while (*formula) {
        int n = (int)strcspn(formula, "\n");
        printf("    %.*s\n", n, formula);
        formula += n + (formula[n] == '\n');
    }
}

static void print_field(const struct sp_record *record, const char *path)
{
    const json_t *node = sp_record_node(record, path);
    if (json_is_object(node)) {
        struct sp_value v = sp_record_value(record, path);
        const char *unit = json_string_value(json_object_get(node, "unit"));
        bool bare = !unit || strcmp(unit, "1") == 0;
        if (!sp_value_known(v))
            printf("  %s: unknown (%s)\n", path, v.why ? v.why : "no reason given");
        else if (v.hi > v.lo)
            printf("  %s = %.4g (%.4g to %.4g)%s%s %s\n", path, v.value, v.lo, v.hi, bare ? "" : " ",
                   bare ? "" : unit, sp_origin_name(v.origin));
        else
            printf("  %s = %.6g%s%s %s\n", path, v.value, bare ? "" : " ", bare ? "" : unit,
                   sp_origin_name(v.origin));
    } else if (json_is_integer(node)) {
        printf("  %s = %lld\n", path, (long long)json_integer_value(node));
    } else if (json_is_real(node)) {
        printf("  %s = %.6g\n", path, json_real_value(node));
    } else if (json_is_string(node)) {
        printf("  %s = %s\n", path, json_string_value(node));
    } else if (json_is_boolean(node)) {
        printf("  %s = %s\n", path, json_is_true(node) ? "yes" : "no");
    }
}

static void print_term(const struct sp_term *t, const struct sp_record *record)
{
    printf("%s: %s\n", t->name, t->title);
    if (t->formula)
        print_formula(t->formula);
    print_words(t->text, 2);
    if (!record)
        return;
    const char *id = "?";
    sp_record_text(record, "id", &id);
    printf("\nIn %s:\n", id);
    if (t->fill)
        t->fill(record, stdout);
    for (int i = 0; i < SP_TERM_FIELDS && t->fields[i]; i++)
        print_field(record, t->fields[i]);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void print_hint(const struct sp_hint_rule *rule, const struct sp_record *record)
{
    printf("%s: %s (hint, rule version %d)\n", rule->id, rule->title, rule->version);
    printf("  fires when\n");
    print_words(rule->condition, 4);
    printf("  what to do\n");
    print_words(rule->remedy, 4);
    if (!record)
        return;
    size_t i;
    const json_t *hint;
    bool found = false;
    json_array_foreach(sp_record_node(record, "hints"), i, hint)
    {
        if (strcmp(text_of(hint, "id"), rule->id) != 0)
            continue;
        found = true;
        const json_t *gain = json_object_get(hint, "gain");
        printf("\nIn this record: time -%.0f to -%.0f %% (%s), confidence %s\n",
               100 * json_number_value(json_object_get(gain, "lo")),
               100 * json_number_value(json_object_get(gain, "hi")), text_of(gain, "basis"),
               text_of(hint, "confidence"));
        print_words(text_of(hint, "evidence"), 2);
        printf("  try     %s\n  expect  %s\n", text_of(hint, "try"), text_of(hint, "expect"));
    }
    if (!found)
        printf("\nIn this record the rule does not fire.\n");
}

static bool print_exit(const char *term)
{
    char *end;
    long code = strtol(term, &end, 10);
    if (end == term || *end)
        return false;
    for (const struct sp_exit_meaning *e = sp_exit_meanings; e->code >= 0; e++)
        if (e->code == code) {
            printf("exit code %d: %s\n", e->code, e->meaning);
            return true;
        }
    return false;
}

static bool print_flag(const char *term, const struct sp_record *record)
{
    for (const struct sp_flag_meaning *f = sp_flag_meanings; f->code; f++) {
        if (strcasecmp(f->code, term) != 0)
            continue;
        printf("%s, as a flag of a record: %s\n", f->code, f->meaning);
        size_t i;
        const json_t *flag;
        if (record)
            json_array_foreach(sp_record_node(record, "flags"), i, flag)
            {
                if (strcmp(text_of(flag, "code"), f->code) == 0)
                    printf("  in this record: %s\n", text_of(flag, "text"));
            }
        return true;
    }
    return false;
}

static void list_all(void)
{
    printf("Terms:\n");
    for (const struct sp_term *t = sp_terms; t->name; t++)
        printf("  %-20s %s\n", t->name, t->title);
    printf("\nHints:\n");
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++)
        printf("  %-20s %s\n", (*rule)->id, (*rule)->title);
    printf("\nFlags of records:\n");
    for (const struct sp_flag_meaning *f = sp_flag_meanings; f->code; f++)
        printf("  %-20s %s\n", f->code, f->meaning);
    printf("\nExit codes: spmodel help exit-codes\n");
}

/* The name nearest to a word that is none; NULL: nothing near. */
static const char *nearest(const char *term)
{
    struct sp_suggestion best = sp_suggestion_begin(term);
    for (const struct sp_term *t = sp_terms; t->name; t++) {
        sp_suggestion_offer(&best, t->name, t->name);
        for (const char *word = t->also; *word;) {
            char alias[64];
            size_t n = strcspn(word, " ");
            snprintf(alias, sizeof alias, "%.*s", (int)n, word);
            sp_suggestion_offer(&best, alias, t->name);
            word += n + (word[n] == ' ');
        }
    }
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++)
        sp_suggestion_offer(&best, (*rule)->id, (*rule)->id);
    return best.shown;
}

static int explain(const char *term, const struct sp_record *record)
{
    const struct sp_term *t = sp_term_find(term);
    const struct sp_hint_rule *rule = sp_hint_rule_find(term);
    bool found = false;
    if (t) {
        print_term(t, record);
        found = true;
    }
    if (rule) {
        print_hint(rule, record);
        found = true;
    }
    found = print_flag(term, record) || found;
    found = print_exit(term) || found;
    if (found)
        return 0;
    struct sp_error err;
    const char *near = nearest(term);
    sp_fail(&err, SP_USAGE, "`spmodel explain` lists the terms", "no term '%s'%s%s%s", term,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return sp_report_error(&err);
}

static int run(int argc, char **argv)
{
    struct arguments a;
    memset(&a, 0, sizeof a);
    sp_parse(&argp, argc, argv, &a);
    if (!a.term) {
        list_all();
        return 0;
    }
    struct sp_record record = {0};
    struct sp_error err;
    if (a.record && sp_record_read(a.record, &record, &err) != SP_OK)
        return sp_report_error(&err);
    int code = explain(a.term, a.record ? &record : NULL);
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
    .arguments = "[TERM]",
    .summary = "explain a symbol, formula, hint, flag or exit code, with a record's numbers",
    .run = run,
    .page = {&argp, examples, NULL, "analyze provenance exit-codes units"},
};
