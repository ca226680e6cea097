/* spmodel lab grade: submitted folders, recomputed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/print.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/lab/grade_class.h"
#include "cli/lab/labs_options.h"
#include "lab/lab_audit.h"
#include "lab/lab_check.h"
#include "lab/lab_report.h"

enum { KEY_NO_SIMULATION = SP_KEY_PRIVATE, MOST_FOLDERS = 10000 };

struct arguments {
    struct sp_common_options common;
    bool no_simulation;
    int n;
    const char *folder[MOST_FOLDERS];
    struct stat place[MOST_FOLDERS]; /* st_ino 0: nowhere */
};

/* A folder that is named twice is graded once. */
static void add_folder(struct arguments *a, const char *name)
{
    struct stat *s = &a->place[a->n];
    if (stat(name, s) != 0)
        s->st_ino = 0;
    for (int i = 0; i < a->n; i++)
        if (s->st_ino != 0 && a->place[i].st_ino == s->st_ino && a->place[i].st_dev == s->st_dev)
            return;
    a->folder[a->n++] = name;
}

static const struct argp_option options[] = {
    {"no-simulation", KEY_NO_SIMULATION, NULL, 0, "Leave out simulating the bytes again: faster", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case KEY_NO_SIMULATION:
        a->no_simulation = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->n == MOST_FOLDERS)
            sp_usage_error(state, "more than %d folders", MOST_FOLDERS);
        else
            add_folder(a, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(state, "name the folders that students have handed in");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&sp_common_csv_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options, parse, .args_doc = "FOLDER...",
    .doc = "Judges submitted folders again, recomputes what follows in their records, makes each student's "
           "matrices from the name and simulates their bytes again, and flags what does not fit. Several "
           "folders of a lab are compared. Nothing that students wrote is run. Exit code 1: something failed "
           "or was flagged; 5: something is undecided.",
    .children = children};

/* Predictions that were right, wrong, ...; late: sent after the first run, also beside one in
 * time. */
struct tally {
    int right, wrong, late, missing, changed, given_up, pass, fail, undecided, skipped, n_answers,
        n_questions;
    struct sp_lab_points points;
    const char *no_answers; /* ": WHY"; "": they can be found */
};

static struct tally count(const struct sp_lab_verdicts *verdicts, const struct sp_lab_answers *answers)
{
    struct tally t = {.n_answers = answers->n_given,
                      .n_questions = answers->n,
                      .no_answers = answers->fault,
                      .points = sp_lab_points_of(verdicts)};
    for (int i = 0; i < verdicts->n; i++) {
        const struct sp_lab_verdict *v = &verdicts->verdict[i];
        const char *outcome = sp_lab_outcome(v);
        if (v->is_prediction) {
            t.late += v->sent_late;
            t.given_up += strcmp(outcome, "given up") == 0;
            t.changed += strcmp(outcome, "changed") == 0;
            t.missing += strcmp(outcome, "missing") == 0;
            t.right += strcmp(outcome, sp_lab_state_name(SP_LAB_PASS)) == 0;
            t.wrong += strcmp(outcome, sp_lab_state_name(SP_LAB_FAIL)) == 0;
        } else {
            t.pass += v->state == SP_LAB_PASS;
            t.fail += v->state == SP_LAB_FAIL;
            t.undecided += v->state == SP_LAB_UNDECIDED;
        }
        t.skipped += v->state == SP_LAB_SKIPPED;
    }
    return t;
}

static void flags_text(const struct sp_lab_audit *audit, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < audit->n && i < SP_LAB_MOST_FLAGS; i++) {
        const struct sp_lab_flag *f = &audit->flag[i];
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s %s: %s", used ? "; " : "", f->code, f->run, f->text);
    }
    const size_t used = strlen(text);
    if (audit->n > SP_LAB_MOST_FLAGS)
        snprintf(text + used, size - used, "; and %d more", audit->n - SP_LAB_MOST_FLAGS);
}

/* "nt (this processor has no ...)": who skips must have had a reason. */
static void skipped_text(const struct sp_lab_results *results, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        const size_t used = strlen(text);
        if (r->skipped)
            snprintf(text + used, size - used, "%s%s (%.200s)", used ? "; " : "", r->run, r->skipped);
    }
}

static void print_csv(const char *name, const struct sp_lab_results *results, const struct tally *t,
                      const struct sp_lab_audit *audit, FILE *out)
{
    const struct sp_lab_folder *folder = results->folder;
    char text[SP_LAB_MOST_FLAGS * (sizeof(struct sp_lab_flag) + 8)]; /* also for a line of each skipped run */
    sp_csv_text(out, name);
    fputc(',', out);
    sp_csv_text(out, folder->the_case.student);
    fputc(',', out);
    sp_csv_field(out, folder->lab.id);
    sp_print(out, ",%s,%d,%d,%d,%d,%d,%d,%d,%d,", folder->the_case.small ? "small" : "full", t->right,
             t->wrong, t->late, t->missing, t->pass, t->fail, t->undecided, t->skipped);
    skipped_text(results, text, sizeof text);
    sp_csv_text(out, text);
    sp_print(out, ",%d,%d,", audit->n_simulated, audit->n);
    flags_text(audit, text, sizeof text);
    sp_csv_text(out, text);
    sp_print(out, ",%g,%g,%d,%d,%d\n", t->points.earned, t->points.of, t->n_answers, t->changed, t->given_up);
}

/* A folder that says nothing about itself: empty fields, and why. */
static void print_csv_unread(const char *name, const struct sp_error *err, FILE *out)
{
    char text[700];
    sp_csv_text(out, name);
    fputs(",,,,,,,,,,,,,,1,", out);
    snprintf(text, sizeof text, "%s : %.600s", sp_lab_flag_name(SP_FLAG_FOLDER), err->what);
    sp_csv_text(out, text);
    fputs(",,,,,\n", out);
}

static void print_text(const char *name, const struct sp_lab_results *results, const struct tally *t,
                       const struct sp_lab_audit *audit)
{
    const struct sp_lab_folder *folder = results->folder;
    sp_print(stdout, "%s\n  %s, lab %d%s\n", name, folder->the_case.student, folder->lab.number,
             folder->the_case.small ? ", small matrices" : "");
    sp_print(stdout, "  predictions  %d right, %d wrong, %d missing", t->right, t->wrong, t->missing);
    if (t->changed > 0)
        sp_print(stdout, ", %d changed", t->changed);
    if (t->given_up > 0)
        sp_print(stdout, ", %d given up", t->given_up);
    sp_print(stdout, "; %d late\n", t->late);
    sp_print(stdout, "  checks       %d pass, %d fail, %d undecided, %d skipped\n", t->pass, t->fail,
             t->undecided, t->skipped);
    sp_print(stdout, "  records      %d simulated again, %d flag%s\n", audit->n_simulated, audit->n,
             audit->n == 1 ? "" : "s");
    sp_print(stdout, "  in words     %d of %d questions answered%s\n", t->n_answers, t->n_questions,
             t->n_questions > 0 ? t->no_answers : "");
    sp_print(stdout, "  points       %g of %g", t->points.earned, t->points.of);
    if (t->points.undecided > 0)
        sp_print(stdout, ", %g undecided", t->points.undecided);
    fputc('\n', stdout);
    for (int i = 0; i < results->n; i++)
        if (results->result[i].skipped)
            sp_print(stdout, "  skipped      %-10s %s\n", results->result[i].run, results->result[i].skipped);
    for (int i = 0; i < audit->n && i < SP_LAB_MOST_FLAGS; i++)
        sp_print(stdout, "  FLAG  %-10s %-10s %s\n", audit->flag[i].code, audit->flag[i].run,
                 audit->flag[i].text);
    if (audit->n > SP_LAB_MOST_FLAGS)
        sp_print(stdout, "  FLAG  and %d more\n", audit->n - SP_LAB_MOST_FLAGS);
}

static enum sp_status audit_results(const struct arguments *a, const struct sp_lab_results *results,
                                    const struct sp_progress *progress, struct sp_lab_verdicts *verdicts,
                                    struct sp_lab_audit *audit, struct sp_error *err)
{
    enum sp_status status = sp_lab_judge(results, verdicts, err);
    if (status == SP_OK)
        status = sp_lab_audit_folder(results, audit, err);
    if (status == SP_OK && !a->no_simulation)
        status = sp_lab_audit_bytes(results, progress, audit, err);
    sp_lab_audit_join_matrices(audit);
    return status;
}

/* Where results go, and what all folders share. */
struct grading {
    const struct arguments *a;
    struct sp_lab_directories where;
    struct sp_grade_class class;
    struct sp_terminal terminal;
    struct sp_progress progress;
    struct sp_sinks sinks;
};

/* The other folders are graded all the same. */
static int leave_out(struct grading *g, const char *name, struct sp_error *err)
{
    if (!err->path[0] && err->status != SP_INTERRUPTED)
        snprintf(err->path, sizeof err->path, "%s", name);
    if (err->status != SP_INTERRUPTED) {
        if (g->sinks.csv.stream)
            print_csv_unread(name, err, g->sinks.csv.stream);
        sp_grade_keep_unread(&g->class, name, err->what);
    }
    const int code = sp_report_error(err);
    return err->status == SP_INTERRUPTED ? code : sp_worse_exit(sp_exit_code(SP_INPUT), code);
}

static void print_lines(const char *text)
{
    char line[400];
    while (*text) {
        const size_t n = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, text);
        sp_print(stdout, "     %s\n", line);
        text += n + (text[n] == '\n');
    }
}

static void print_answers(const struct sp_lab_answers *answers)
{
    for (int i = 0; i < answers->n; i++) {
        sp_print(stdout, "  %d. %s\n", i + 1, answers->answer[i].question);
        print_lines(*answers->answer[i].text ? answers->answer[i].text : "not answered");
    }
}

static int judged(struct grading *g, int i, const struct sp_lab_results *results,
                  const struct sp_lab_verdicts *verdicts, struct sp_lab_audit *audit, struct sp_error *err)
{
    struct sp_lab_answers answers;
    if (sp_lab_answers_read(results->folder, &answers, err) != SP_OK)
        return leave_out(g, g->a->folder[i], err);
    sp_grade_find_copies(&g->class, g->a->folder, i, results->folder->the_case.student, audit);
    const struct tally t = count(verdicts, &answers);
    if (g->sinks.csv.stream)
        print_csv(g->a->folder[i], results, &t, audit, g->sinks.csv.stream);
    if (!g->sinks.on_stdout)
        print_text(g->a->folder[i], results, &t, audit);
    if (!g->sinks.on_stdout && g->a->common.verbosity > 0)
        print_answers(&answers);
    sp_grade_keep(&g->class, g->a->folder[i], results, verdicts, &answers, audit);
    sp_lab_answers_free(&answers);
    return sp_exit_code(audit->n > 0 ? SP_NO : sp_lab_summary(verdicts));
}

/* SP_INPUT: it is no folder, or nobody has begun a lab in it. */
static enum sp_status look_at(const char *name, struct sp_error *err)
{
    struct stat s;
    char state[1024];
    static const char remedy[] = "name the folders that students have handed in: FOLDER/*";
    if (stat(name, &s) != 0)
        return sp_fail_at(err, SP_INPUT, name, 0, 0, remedy, "%s", strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return sp_fail_at(err, SP_INPUT, name, 0, 0, remedy, "it is no folder");
    snprintf(state, sizeof state, "%s/state.json", name);
    return access(state, F_OK) == 0 || errno != ENOENT
               ? SP_OK
               : sp_fail_at(err, SP_INPUT, name, 0, 0, remedy,
                            "no lab was started here: there is no state.json");
}

static int grade(struct grading *g, int i)
{
    struct sp_lab_folder folder;
    struct sp_lab_results results;
    struct sp_lab_verdicts verdicts;
    struct sp_lab_audit audit = {0};
    struct sp_error err;
    if (look_at(g->a->folder[i], &err) != SP_OK ||
        sp_lab_folder_open(g->a->folder[i], g->where.directory, g->where.n, &folder, &err) != SP_OK)
        return leave_out(g, g->a->folder[i], &err);
    enum sp_status status = sp_lab_results_read(&folder, &results, &err);
    if (status == SP_OK)
        status = audit_results(g->a, &results, &g->progress, &verdicts, &audit, &err);
    sp_terminal_clear(&g->terminal);
    const int code = status == SP_OK ? judged(g, i, &results, &verdicts, &audit, &err)
                                     : leave_out(g, g->a->folder[i], &err);
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
    return code;
}

/* Each folder once, before any is judged: a copy may stand before what it was made of. What is
 * wrong with a folder is said when it is graded. */
static void note(struct grading *g, int i)
{
    struct sp_lab_folder folder = {0};
    struct sp_lab_results results = {0};
    struct sp_lab_answers answers = {0};
    struct sp_error err;
    const bool can_be_read =
        look_at(g->a->folder[i], &err) == SP_OK &&
        sp_lab_folder_open(g->a->folder[i], g->where.directory, g->where.n, &folder, &err) == SP_OK &&
        sp_lab_results_read(&folder, &results, &err) == SP_OK &&
        sp_lab_answers_read(&folder, &answers, &err) == SP_OK;
    sp_grade_note(&g->class, can_be_read ? &results : NULL, &answers);
    sp_lab_answers_free(&answers);
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
}

static int grade_all(struct grading *g)
{
    int code = 0;
    for (int i = 0; i < g->a->n && !sp_progress_interrupted(&g->progress); i++)
        note(g, i);
    if (g->sinks.csv.stream)
        fputs("folder,student,lab,size,predictions_right,predictions_wrong,predictions_late,predictions_"
              "missing,checks_pass,checks_fail,checks_undecided,skipped,skipped_runs,records_simulated,n_"
              "flags,flags,points,points_of,answers,predictions_changed,predictions_given_up\n",
              g->sinks.csv.stream);
    for (int i = 0; i < g->a->n && code != sp_exit_code(SP_INTERRUPTED); i++)
        code = sp_worse_exit(code, grade(g, i));
    json_t *statistics = sp_grade_statistics(&g->class), *copies = sp_grade_copies(&g->class, g->a->folder);
    if (!g->sinks.on_stdout) {
        sp_grade_print_statistics(statistics, stdout);
        sp_grade_print_copies(copies, stdout);
    }
    if (g->sinks.json.stream)
        sp_grade_write_json(&g->class, statistics, copies, g->sinks.json.stream);
    json_decref(statistics);
    json_decref(copies);
    return code;
}

static int run(int argc, char **argv)
{
    static struct arguments a;
    static struct grading g;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    g.a = &a;
    if (sp_grade_class_new(&g.class, &err) != SP_OK)
        return sp_report_error(&err);
    if (sp_sinks_open(a.common.csv, a.common.json, &g.sinks, &err) != SP_OK) {
        sp_grade_class_free(&g.class);
        return sp_report_error(&err);
    }
    g.progress = sp_terminal_open(&g.terminal, a.common.verbosity);
    sp_lab_directories_find(&g.where);
    const int code = sp_sinks_close(&g.sinks, grade_all(&g));
    sp_grade_class_free(&g.class);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel lab grade --csv=grades.csv lab-1", "what was handed in, judged again, into a table", "0 1 3 5"},
    {"spmodel lab grade --json=grades.json lab-1", "points of each question, answers in words, flags",
     "0 1 3 5"},
    {0},
};

const struct sp_verb sp_lab_verb_grade = {
    .name = "grade",
    .arguments = "FOLDER...",
    .summary = "recompute what was handed in, flag what is off",
    .run = run,
    .page = {&argp, examples, "1 5", "lab-check"},
};
