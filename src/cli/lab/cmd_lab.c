/* spmodel lab: exercises; its verbs list, start and predict. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/command.h"
#include "cli/lab/labs_options.h"
#include "io/files/input_file.h"

/* spmodel lab predict: what the student expects, with the time, before anything is run. */

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
     "lab's parameters, and numbers of JSON files, [here.json:ceilings.0.value]",
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

/* [FILE:PATH]: a number of a JSON file, such as here.json of the sheets. */
static enum sp_status file_number(void *context, const char *file, const char *path, struct sp_quantity *out,
                                  struct sp_error *err)
{
    json_t *root;
    (void)context;
    enum sp_status status =
        sp_input_json(file, SP_LAB_MOST_FILE_B, "make it as the lab's sheet says", &root, err);
    if (status != SP_OK)
        return status;
    const double x = sp_lab_number(root, path, NAN);
    json_decref(root);
    *out = (struct sp_quantity){x, x, x};
    return isnan(x) ? sp_fail_at(err, SP_INPUT, file, 0, 0, "make it as the lab's sheet says",
                                 "it has no number '%.200s'", path)
                    : SP_OK;
}

static enum sp_status number_of(const struct sp_lab_folder *folder, const char *formula, double *out,
                                struct sp_error *err)
{
    const struct sp_formula_source source = {sp_lab_case_name, file_number, (void *)&folder->the_case};
    struct sp_quantity q;
    const enum sp_status status = sp_formula_evaluate(formula, &source, &q, err);
    *out = q.value;
    return status;
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
    enum sp_status status = number_of(folder, low, &lo, err);
    if (status == SP_OK)
        status = number_of(folder, dots + 3, &hi, err);
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
        status = number_of(folder, formula, &x, err);
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

static int run_predict(int argc, char **argv)
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
    .run = run_predict,
    .page = {&argp, examples, NULL, "lab-start lab-run"},
};

/* spmodel lab list: the labs that there are. */

static error_t list_parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = state->input;
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child list_children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp list_argp = {NULL, list_parse, NULL, "Lists the labs.", list_children, NULL, NULL};

/* True where the lab was printed already, from a folder that comes before. */
static bool seen(const struct sp_lab_directories *where, int before, const char *name)
{
    char path[1400];
    for (int i = 0; i < before; i++) {
        snprintf(path, sizeof path, "%s/%s/lab.json", where->directory[i], name);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static int print_lab(const char *folder)
{
    struct sp_lab lab;
    struct sp_error err;
    if (sp_lab_read(folder, &lab, &err) != SP_OK)
        return sp_report_error(&err);
    sp_print(stdout, "%-18s %2d min  %s\n", lab.id, lab.minutes, lab.title);
    sp_lab_free(&lab);
    return 0;
}

static int is_lab(const struct dirent *entry)
{
    char *rest;
    strtol(entry->d_name, &rest, 10);
    return rest != entry->d_name && *rest == '-';
}

static int list_run(int argc, char **argv)
{
    struct sp_common_options common = {0};
    struct sp_lab_directories where;
    int code = 0, n = 0;
    sp_parse(&list_argp, argc, argv, &common);
    sp_lab_directories_find(&where);
    for (int i = 0; i < where.n; i++) {
        struct dirent **entry;
        const int found = scandir(where.directory[i], &entry, is_lab, alphasort);
        for (int k = 0; k < found; k++) {
            char path[1400];
            snprintf(path, sizeof path, "%s/%s", where.directory[i], entry[k]->d_name);
            if (!seen(&where, i, entry[k]->d_name)) {
                code = sp_worse_exit(code, print_lab(path));
                n++;
            }
            free(entry[k]);
        }
        if (found >= 0)
            free(entry);
    }
    if (n > 0)
        return code;
    struct sp_error err;
    sp_fail(&err, SP_ABSENT, "install spmodel, or call it from its source tree", "no labs were found");
    return sp_report_error(&err);
}

static const struct sp_example list_examples[] = {
    {"spmodel lab list", "numbers, minutes and titles", NULL},
    {0},
};

const struct sp_verb sp_lab_verb_list = {
    .name = "list",
    .arguments = "",
    .summary = "the labs that there are",
    .run = list_run,
    .page = {&list_argp, list_examples, NULL, "lab-start"},
};

/* spmodel lab start: a folder with the sheet, its numbers those of the student. */

enum { KEY_STUDENT = SP_KEY_PRIVATE, KEY_SMALL };

struct start_struct_arguments {
    struct sp_lab_options lab;
    const char *student;
    bool small;
};

static const struct argp_option start_options[] = {
    {"student", KEY_STUDENT, "NAME", 0,
     "Whose lab it is: gives the sizes and seeds of the matrices (default: $USER)", 1},
    {"small", KEY_SMALL, NULL, 0,
     "Matrices of some megabytes, for a first try or a machine with little memory", 1},
    {0},
};

static error_t start_parse(int key, char *arg, struct argp_state *state)
{
    struct start_struct_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_lab_pass(state, &a->lab);
        return 0;
    case KEY_STUDENT:
        a->student = arg;
        return 0;
    case KEY_SMALL:
        a->small = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp start_argp = {
    start_options, start_parse, "N", "Begins lab N in a folder of its own.", sp_lab_children, NULL, NULL};

static void print_questions(const struct sp_lab_options *o, const struct sp_lab_folder *folder)
{
    size_t i;
    json_t *q;
    sp_print(stdout, "sheet    %s/sheet.md   (%d minutes)\npredict  spmodel lab predict %d", folder->path,
             folder->lab.minutes, folder->lab.number);
    sp_lab_print_dir(o);
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, q)
    {
        sp_print(stdout, " %s=...", sp_lab_text(q, "id"));
    }
    sp_print(stdout, "\nthen     spmodel lab run %d", folder->lab.number);
    sp_lab_print_dir(o);
    putchar('\n');
}

static int start_run(int argc, char **argv)
{
    struct start_struct_arguments a = {0};
    struct sp_lab_directories where;
    struct sp_lab lab;
    struct sp_lab_folder folder;
    struct sp_error err;
    char path[1024]; /* more than a folder may have: too long a name is noticed */
    sp_parse(&start_argp, argc, argv, &a);
    const char *user = getenv("USER");
    if (!a.student)
        a.student = user && *user ? user : "student";
    sp_lab_directories_find(&where);
    if (sp_lab_find(where.directory, where.n, a.lab.lab, &lab, &err) != SP_OK)
        return sp_report_error(&err);
    sp_lab_folder_name(&a.lab, &lab, path, sizeof path);
    enum sp_status status = sp_lab_folder_make(path, &lab, a.student, a.small, &folder, &err);
    sp_lab_free(&lab);
    if (status != SP_OK)
        return sp_report_error(&err);
    sp_print(stdout, "LAB %d    %s\nstudent  %s%s\n", folder.lab.number, folder.lab.title, a.student,
             a.small ? ", small matrices" : "");
    print_questions(&a.lab, &folder);
    sp_lab_folder_close(&folder);
    return 0;
}

static const struct sp_example start_examples[] = {
    {"spmodel lab start 1 --student 'Ada Example' --small", "the folder lab-1 with sheet.md, small matrices",
     NULL},
    {0},
};

const struct sp_verb sp_lab_verb_start = {
    .name = "start",
    .arguments = "N [--student NAME]",
    .summary = "a folder with the sheet of lab N",
    .run = start_run,
    .page = {&start_argp, start_examples, NULL, "lab-predict lab-run"},
};

/* spmodel lab: exercises. One verb a file labs_NAME.c and a row here. */

static const struct sp_verb *const verbs[] = {
    &sp_lab_verb_list,  &sp_lab_verb_start,  &sp_lab_verb_predict, &sp_lab_verb_run,
    &sp_lab_verb_check, &sp_lab_verb_report, &sp_lab_verb_grade,   NULL,
};

static const struct sp_verb_family family = {
    .name = "lab",
    .purpose = "Exercises of a course on node-level performance: predict, run, compare, explain.\n",
    .example = "One lab:\n"
               "  spmodel lab start 1 --student 'Ada Example'    read lab-1/sheet.md\n"
               "  spmodel lab predict 1                          lists its questions\n"
               "  spmodel lab predict 1 alpha=... balance=...    answers, before the run\n"
               "  spmodel lab run 1\n"
               "  spmodel lab check 1\n"
               "  spmodel lab report 1\n",
    .verb = verbs,
};

static int run(int argc, char **argv)
{
    return sp_verbs_run(&family, argc, argv);
}

extern const struct sp_command sp_cmd_lab;
const struct sp_command sp_cmd_lab = {
    .name = "lab",
    .arguments = "VERB",
    .summary = "exercises: predict, run, check, explain",
    .run = run,
    .page = {NULL, NULL, NULL, "analyze explain"},
    .family = &family,
    .is_measuring = true,
};
