/* spmodel track hints: how good the hints were over many records. */
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/print.h"
#include "cli/core/output.h"
#include "cli/track/track_options.h"
#include "track/judge/hint_score.h"
#include "track/store/store.h"

enum { MOST_RULES = 64 };

struct arguments {
    struct sp_common_options common;
    char **name;
    int n_names;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case ARGP_KEY_ARGS:
        a->name = state->argv + state->next;
        a->n_names = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(state, "name records with tried hints, or folders of them");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Beside single rules: all of them, the gains that matter, and what a quiet machine measured. */
static const struct {
    const char *label, *key;
    struct sp_hint_choice choice;
} part[] = {{"all", "all", {0}},
            {"observed above 5 %", "observed_above_0.05", {.least = 0.05}},
            {"observed to +-5 points", "observed_within_0.05", {.within = 0.05}}};
enum { N_PARTS = sizeof part / sizeof *part };

static int compare_ids(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The rules that were tried, in order. */
static int rules_of(const struct sp_hint_scores *s, char id[MOST_RULES][8])
{
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        int k = 0;
        while (k < n && strcmp(id[k], s->hint[i].id) != 0)
            k++;
        if (k == n && n < MOST_RULES)
            strcpy(id[n++], s->hint[i].id);
    }
    sp_sort_by(id, n, sizeof id[0], compare_ids);
    return n;
}

static void print_score(const char *label, const struct sp_hint_score *s)
{
    if (s->n == 0) {
        sp_print(stdout, " %-24s %5d %17d\n", label, s->n + s->n_other, s->n_other);
        return;
    }
    sp_print(stdout, " %-24s %5d %17d %9.0f %% %8d %8d of %-3d %8.1f %8.1f %9.1f %8.1f\n", label,
             s->n + s->n_other, s->n_other, 100.0 * s->n_covered / s->n, s->n_refuted, s->n_high_refuted,
             s->n_high, 100 * s->median_error, 100 * s->mean_error, 100 * s->median_nothing,
             100 * s->mean_nothing);
}

static void print_scores(const struct sp_hint_scores *s, bool each)
{
    char id[MOST_RULES][8];
    const int n = rules_of(s, id);
    sp_print(stdout, "HINTS TRIED  %d in %d record%s", s->n, s->n_records, s->n_records == 1 ? "" : "s");
    if (s->n_without > 0)
        sp_print(stdout, " (%d of them without any)", s->n_without);
    sp_print(stdout, "\n\n%79s%18s%18s\n", "", "error, points of %", "of \"gain = 0\"");
    sp_print(stdout, " %-24s %5s %17s %11s %8s %15s %8s %8s %9s %8s\n", "rule", "tried", "not conclusive",
             "covered", "refuted", "of high conf.", "median", "mean", "median", "mean");
    for (int i = 0; i < n; i++) {
        const struct sp_hint_score score = sp_hint_scores_of(s, (struct sp_hint_choice){.id = id[i]});
        print_score(id[i], &score);
    }
    for (int i = 0; i < N_PARTS; i++) {
        const struct sp_hint_score score = sp_hint_scores_of(s, part[i].choice);
        print_score(part[i].label, &score);
    }
    if (each)
        sp_print(stdout, "\n");
    for (int i = 0; each && i < s->n; i++) {
        const struct sp_scored_hint *h = &s->hint[i];
        sp_print(stdout, " %-4s %-30s %-28s %6.1f ... %5.1f %%  observed %6.1f %%  %s\n", h->id, h->matrix,
                 h->change, -100 * h->lo, -100 * h->hi, -100 * h->observed,
                 h->is_other     ? "not conclusive"
                 : h->is_refuted ? "refuted"
                 : h->is_covered ? "covered"
                                 : "");
    }
    sp_print(stdout, " covered: the predicted interval and the observed one meet; error: |middle of the "
                     "prediction - observed|\n not conclusive: beside the trial the run itself took another "
                     "time than the prediction was made for; not scored\n");
}

static void print_csv(const struct sp_hint_scores *s, FILE *out)
{
    sp_print(out, "rule,matrix,change,confidence,predicted_lo,predicted_hi,observed,observed_lo,observed_hi,"
                  "covered,refuted,other_conditions\n");
    for (int i = 0; i < s->n; i++) {
        const struct sp_scored_hint *h = &s->hint[i];
        sp_csv_field(out, h->id);
        fputc(',', out);
        sp_csv_text(out, h->matrix);
        fputc(',', out);
        sp_csv_text(out, h->change);
        fputc(',', out);
        sp_csv_field(out, h->confidence);
        const char *covered = h->is_covered ? "true" : "false", *refuted = h->is_refuted ? "true" : "false";
        sp_print(out, ",%.6g,%.6g,%.6g,%.6g,%.6g,%s,%s,%s\n", h->lo, h->hi, h->observed, h->observed_lo,
                 h->observed_hi, h->is_other ? "" : covered, h->is_other ? "" : refuted,
                 h->is_other ? "true" : "false");
    }
}

static json_t *score_json(const struct sp_hint_score *s)
{
    json_t *item = json_object();
    json_object_set_new(item, "rule", sp_json_text(s->id));
    json_object_set_new(item, "tried", json_integer(s->n + s->n_other));
    json_object_set_new(item, "other_conditions", json_integer(s->n_other));
    json_object_set_new(item, "covered", json_integer(s->n_covered));
    json_object_set_new(item, "refuted", json_integer(s->n_refuted));
    json_object_set_new(item, "high", json_integer(s->n_high));
    json_object_set_new(item, "high_refuted", json_integer(s->n_high_refuted));
    json_object_set_new(item, "median_error", s->n > 0 ? json_real(s->median_error) : json_null());
    json_object_set_new(item, "mean_error", s->n > 0 ? json_real(s->mean_error) : json_null());
    json_object_set_new(item, "median_error_of_nothing",
                        s->n > 0 ? json_real(s->median_nothing) : json_null());
    json_object_set_new(item, "mean_error_of_nothing", s->n > 0 ? json_real(s->mean_nothing) : json_null());
    return item;
}

/* Shares of the time, not percent. */
static void print_json(const struct sp_hint_scores *s, FILE *out)
{
    char id[MOST_RULES][8];
    const int n = rules_of(s, id);
    json_t *root = json_object(), *rules = json_array();
    for (int i = 0; i < n; i++) {
        const struct sp_hint_score score = sp_hint_scores_of(s, (struct sp_hint_choice){.id = id[i]});
        json_array_append_new(rules, score_json(&score));
    }
    json_object_set_new(root, "schema", json_string("spmodel.hints/1"));
    json_object_set_new(root, "records", json_integer(s->n_records));
    json_object_set_new(root, "rules", rules);
    for (int i = 0; i < N_PARTS; i++) {
        const struct sp_hint_score score = sp_hint_scores_of(s, part[i].choice);
        json_object_set_new(root, part[i].key, score_json(&score));
    }
    json_dumpf(root, out, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(root);
}

/* Damaged or foreign files are named and skipped: the worst exit code wins. */
static int read_records(const struct sp_record_paths *paths, struct sp_hint_scores *scores)
{
    int code = 0;
    for (int i = 0; i < paths->n; i++) {
        struct sp_record record;
        struct sp_error err;
        enum sp_status status = sp_record_read(paths->path[i], &record, &err);
        if (status == SP_OK)
            status = sp_hint_scores_add(scores, &record, &err);
        sp_record_free(&record);
        if (status != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
    }
    return code;
}

/* To where it was asked for; on the terminal unless one of the others goes there. */
static int print(const struct sp_common_options *common, const struct sp_hint_scores *scores, int code)
{
    struct sp_sinks to;
    struct sp_error err;
    if (sp_sinks_open(common->csv, common->json, &to, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (!to.on_stdout)
        print_scores(scores, common->verbosity >= 1);
    if (to.csv.stream)
        print_csv(scores, to.csv.stream);
    if (to.json.stream)
        print_json(scores, to.json.stream);
    return sp_sinks_close(&to, code);
}

static const struct argp_child children[] = {{&sp_common_csv_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    NULL, parse, .args_doc = "RECORD...",
    .doc = "How often the predictions of each hint covered what --try-hints observed, and how far they were "
           "from it, beside the predictor that promises nothing. RECORD: a record or a folder of records; -v "
           "lists every hint, --csv too.",
    .children = children};

static int run(int argc, char **argv)
{
    struct arguments a = {0};
    struct sp_record_paths paths = {0};
    struct sp_hint_scores scores = {0};
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    int code = 0;
    for (int i = 0; i < a.n_names; i++)
        if (sp_record_paths_add(&paths, a.name[i], &err) != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
    code = sp_worse_exit(code, read_records(&paths, &scores));
    if (scores.n_records > 0)
        code = print(&a.common, &scores, code);
    else if (code == 0) {
        sp_fail(&err, SP_INPUT, "make some: spmodel analyze MATRIX --try-hints --out FOLDER",
                "there are no records in %s", a.n_names == 1 ? a.name[0] : "these folders");
        code = sp_report_error(&err);
    }
    sp_hint_scores_free(&scores);
    sp_record_paths_free(&paths);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel track hints tried.json",
     "how well the hints of a record predicted what analyze --try-hints saw", "0 3"},
    {0},
};

const struct sp_verb sp_track_hints = {
    .name = "hints",
    .arguments = "RECORD...",
    .summary = "how good the hints were over many records",
    .run = run,
    .page = {&argp, examples, NULL, "analyze track-log"},
};
