/* spmodel lab predict: what the student expects, with the time, before anything is run. */
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "cli/lab/labs_options.h"
#include "io/files/input_file.h"

enum { KEY_FROM = SP_KEY_PRIVATE, MOST_ANSWERS = 40 };

struct arguments {
    struct sp_lab_options lab;
    const char *from;
    int n;
    char *answer[MOST_ANSWERS];
};

static const struct argp_option options[] = {
    {"from", KEY_FROM, "FILE", 0,
     "Predictions of a JSON file: {\"predictions\": {QUESTION: VALUE}}; a value may be a formula over the "
     "lab's parameters",
     1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_lab_pass(state, &a->lab);
        return 0;
    case KEY_FROM:
        a->from = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (!strchr(arg, '=') && !a->lab.lab)
            return ARGP_ERR_UNKNOWN; /* the lab's */
        if (!strchr(arg, '='))
            sp_usage_error(state, "'%s' is no answer: write QUESTION=VALUE", arg);
        if (a->n == MOST_ANSWERS)
            sp_usage_error(state, "more than %d answers", MOST_ANSWERS);
        else
            a->answer[a->n++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse, .args_doc = "N [QUESTION=VALUE...]",
    .doc = "Stores predictions with their time. After `lab run` they are kept as late ones, which do not "
           "count. Without an answer: what was predicted, and what is open.",
    .children = sp_lab_children};

static void print_predictions(const struct sp_lab_folder *folder)
{
    size_t i;
    json_t *q;
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, q)
    {
        const json_t *p = sp_lab_prediction(folder->predictions, sp_lab_text(q, "id"));
        const json_t *value = json_object_get(p, "value");
        char text[48] = "-";
        if (json_is_string(value))
            snprintf(text, sizeof text, "%s", json_string_value(value));
        else if (value)
            snprintf(text, sizeof text, "%.6g", json_number_value(value));
        sp_print(stdout, "%-16s %12s %-10s %s%s\n", sp_lab_text(q, "id"), text, sp_lab_text(q, "unit"),
                 sp_lab_text(p, "time"), json_is_true(json_object_get(p, "late")) ? "  late" : "");
    }
}

static enum sp_status store(struct sp_lab_folder *folder, const char *question, const char *value,
                            int verbosity, struct sp_error *err)
{
    bool late;
    enum sp_status status = sp_lab_predict(folder, question, value, &late, err);
    if (status == SP_OK && late && verbosity >= 0)
        sp_print(
            stderr,
            "spmodel: remark: '%s' is late: results were there before, so it is kept but does not count\n",
            question);
    return status;
}

/* "QUESTION=VALUE", which is cut in two. */
static enum sp_status store_answer(struct sp_lab_folder *folder, char *answer, int verbosity,
                                   struct sp_error *err)
{
    char *value = strchr(answer, '=');
    *value++ = '\0';
    return store(folder, answer, value, verbosity, err);
}

/* "FORMULA...FORMULA" as numbers. */
static enum sp_status fill_interval(const struct sp_lab_folder *folder, const char *formula, char text[100],
                                    struct sp_error *err)
{
    char low[400];
    double lo = 0, hi = 0;
    const char *dots = strstr(formula, "...");
    if (!dots)
        return sp_fail(err, SP_INPUT, NULL, "'%.100s' is no interval: LEAST...MOST", formula);
    snprintf(low, sizeof low, "%.*s", (int)(dots - formula), formula);
    enum sp_status status = sp_lab_case_number(&folder->the_case, low, &lo, err);
    if (status == SP_OK)
        status = sp_lab_case_number(&folder->the_case, dots + 3, &hi, err);
    snprintf(text, 100, "%.6g...%.6g", lo, hi);
    return status;
}

/* A word that is one of the question's choices, else a formula, or two with dots between. */
static enum sp_status store_formula(struct sp_lab_folder *folder, const char *question, const char *formula,
                                    int verbosity, struct sp_error *err)
{
    const json_t *q = sp_lab_item(json_object_get(folder->lab.root, "questions"), question);
    char number[100];
    double x;
    enum sp_status status = SP_OK;
    if (q && json_object_get(q, "interval")) {
        status = fill_interval(folder, formula, number, err);
        formula = number;
    } else if (q && !json_object_get(q, "choices")) {
        status = sp_lab_case_number(&folder->the_case, formula, &x, err);
        snprintf(number, sizeof number, "%.17g", x);
        formula = number;
    }
    return status == SP_OK ? store(folder, question, formula, verbosity, err) : status;
}

static enum sp_status store_file(struct sp_lab_folder *folder, const char *path, int verbosity,
                                 struct sp_error *err)
{
    json_t *root, *value;
    const char *question;
    enum sp_status status = sp_input_json(path, SP_LAB_MOST_FILE_B, NULL, &root, err);
    if (status == SP_OK && !json_is_object(json_object_get(root, "predictions")))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, NULL, "it has no object 'predictions'");
    json_object_foreach(json_object_get(root, "predictions"), question, value)
    {
        char number[48];
        snprintf(number, sizeof number, "%.17g", json_number_value(value));
        if (status == SP_OK && !json_is_string(value) && !json_is_number(value))
            status = sp_fail_at(err, SP_INPUT, path, 0, 0, NULL,
                                "the prediction of '%s' is neither a number nor a text", question);
        if (status == SP_OK)
            status = store_formula(folder, question,
                                   json_is_string(value) ? json_string_value(value) : number, verbosity, err);
    }
    json_decref(root);
    return status;
}

static int run(int argc, char **argv)
{
    struct arguments a = {0};
    struct sp_lab_folder folder;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (sp_lab_open_folder(&a.lab, &folder, &err) != SP_OK)
        return sp_report_error(&err);
    enum sp_status status = a.from ? store_file(&folder, a.from, a.lab.common.verbosity, &err) : SP_OK;
    for (int i = 0; i < a.n && status == SP_OK; i++)
        status = store_answer(&folder, a.answer[i], a.lab.common.verbosity, &err);
    print_predictions(&folder);
    sp_lab_folder_close(&folder);
    return status == SP_OK ? 0 : sp_report_error(&err);
}

static const struct sp_example examples[] = {
    {"spmodel lab predict 1", "its questions, and what was predicted so far", NULL},
    {0},
};

const struct sp_verb sp_lab_verb_predict = {
    .name = "predict",
    .arguments = "N QUESTION=VALUE...",
    .summary = "store predictions, with their time",
    .run = run,
    .page = {&argp, examples, NULL, "lab-start lab-run"},
};
