/* spmodel lab grade: submitted folders, recomputed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "cli/lab/labs_options.h"
#include "lab/lab_audit.h"
#include "lab/lab_check.h"

enum { KEY_NO_SIMULATION = SP_KEY_PRIVATE, MOST_FOLDERS = 1000 };

struct arguments {
    struct sp_common_options common;
    bool no_simulation;
    int n;
    const char *folder[MOST_FOLDERS];
};

/* What is kept of a folder, to find records that two folders share, and students of two. */
struct submission {
    char student[96]; /* "": it could not be graded */
    int lab, n;
    char *id[SP_LAB_MOST_RUNS]; /* owned */
};

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
            a->folder[a->n++] = arg;
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
           "matrices from the name and simulates their bytes again, and flags what does not fit. Exit code "
           "1: something failed or was flagged; 5: something is undecided.",
    .children = children};

/* Predictions that were right, wrong (late ones too) or missing. */
struct tally {
    int right, wrong, late, missing, pass, fail, undecided, skipped;
};

static struct tally count(const struct sp_lab_verdicts *verdicts)
{
    struct tally t = {0};
    for (int i = 0; i < verdicts->n; i++) {
        const struct sp_lab_verdict *v = &verdicts->verdict[i];
        if (v->is_prediction) {
            t.late += v->late;
            t.missing += v->missing;
            t.right += v->state == SP_LAB_PASS;
            t.wrong += v->state == SP_LAB_FAIL && !v->late && !v->missing;
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
    fputc('\n', out);
}

/* A folder that says nothing about itself: empty fields, and why. */
static void print_csv_unread(const char *name, const struct sp_error *err, FILE *out)
{
    char text[700];
    sp_csv_text(out, name);
    fputs(",,,,,,,,,,,,,,1,", out);
    snprintf(text, sizeof text, "%s : %.600s", sp_lab_flag_name(SP_FLAG_FOLDER), err->what);
    sp_csv_text(out, text);
    fputc('\n', out);
}

static void print_text(const char *name, const struct sp_lab_results *results, const struct tally *t,
                       const struct sp_lab_audit *audit)
{
    const struct sp_lab_folder *folder = results->folder;
    sp_print(stdout, "%s\n  %s, lab %d%s\n", name, folder->the_case.student, folder->lab.number,
             folder->the_case.small ? ", small matrices" : "");
    sp_print(stdout, "  predictions  %d right, %d wrong, %d late, %d missing\n", t->right, t->wrong, t->late,
             t->missing);
    sp_print(stdout, "  checks       %d pass, %d fail, %d undecided, %d skipped\n", t->pass, t->fail,
             t->undecided, t->skipped);
    sp_print(stdout, "  records      %d simulated again, %d flag%s\n", audit->n_simulated, audit->n,
             audit->n == 1 ? "" : "s");
    for (int i = 0; i < results->n; i++)
        if (results->result[i].skipped)
            sp_print(stdout, "  skipped      %-10s %s\n", results->result[i].run, results->result[i].skipped);
    for (int i = 0; i < audit->n && i < SP_LAB_MOST_FLAGS; i++)
        sp_print(stdout, "  FLAG  %-10s %-10s %s\n", audit->flag[i].code, audit->flag[i].run,
                 audit->flag[i].text);
    if (audit->n > SP_LAB_MOST_FLAGS)
        sp_print(stdout, "  FLAG  and %d more\n", audit->n - SP_LAB_MOST_FLAGS);
}

/* Records that were handed in before, in this folder under another name or in another one. */
static void find_repeated(const struct arguments *a, const struct sp_lab_results *results,
                          struct submission *all, int here, struct sp_lab_audit *audit)
{
    for (int i = 0; i < results->n; i++) {
        const char *id = json_string_value(json_object_get(results->result[i].root, "id"));
        for (int k = 0; id && k <= here; k++)
            for (int j = 0; j < all[k].n; j++)
                if (strcmp(all[k].id[j], id) == 0)
                    sp_lab_audit_add(audit, results->result[i].run, SP_FLAG_REPEATED,
                                     "the same record is in %s%s", a->folder[k],
                                     k == here ? ", under another name" : "");
        if (id && (all[here].id[all[here].n] = strdup(id)))
            all[here].n++;
    }
}

/* The first folder of the same student and lab before; which one counts is not said. */
static void find_second(const struct arguments *a, const struct sp_lab_folder *folder, struct submission *all,
                        int here, struct sp_lab_audit *audit)
{
    const char *student = folder->the_case.student;
    for (int k = 0; k < here; k++)
        if (all[k].lab == folder->lab.number && sp_lab_is_same_student(all[k].student, student)) {
            sp_lab_audit_add(audit, "", SP_FLAG_SECOND, "%s has handed in this lab in %.200s, too", student,
                             a->folder[k]);
            break;
        }
    snprintf(all[here].student, sizeof all[here].student, "%s", student);
    all[here].lab = folder->lab.number;
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
    return status;
}

/* The other folders are graded all the same. */
static int leave_out(const char *name, struct sp_error *err, FILE *csv)
{
    if (!err->path[0] && err->status != SP_INTERRUPTED)
        snprintf(err->path, sizeof err->path, "%s", name);
    if (csv && err->status != SP_INTERRUPTED)
        print_csv_unread(name, err, csv);
    const int code = sp_report_error(err);
    return err->status == SP_INTERRUPTED ? code : sp_worse_exit(sp_exit_code(SP_INPUT), code);
}

static int grade(const struct arguments *a, int i, const struct sp_lab_directories *where,
                 struct submission *all, struct sp_terminal *terminal, const struct sp_progress *progress,
                 FILE *csv)
{
    struct sp_lab_folder folder;
    struct sp_lab_results results;
    struct sp_lab_verdicts verdicts;
    struct sp_lab_audit audit = {0};
    struct sp_error err;
    if (sp_lab_folder_open(a->folder[i], where->directory, where->n, &folder, &err) != SP_OK)
        return leave_out(a->folder[i], &err, csv);
    enum sp_status status = sp_lab_results_read(&folder, &results, &err);
    if (status == SP_OK)
        status = audit_results(a, &results, progress, &verdicts, &audit, &err);
    sp_terminal_clear(terminal);
    int code = 0;
    if (status == SP_OK) {
        find_repeated(a, &results, all, i, &audit);
        find_second(a, &folder, all, i, &audit);
        const struct tally t = count(&verdicts);
        if (csv)
            print_csv(a->folder[i], &results, &t, &audit, csv);
        if (csv != stdout)
            print_text(a->folder[i], &results, &t, &audit);
        code = sp_exit_code(audit.n > 0 ? SP_NO : sp_lab_summary(&verdicts));
    } else {
        code = leave_out(a->folder[i], &err, csv);
    }
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
    return code;
}

static int grade_all(const struct arguments *a, FILE *csv)
{
    struct sp_lab_directories where;
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a->common.verbosity);
    struct submission *all = calloc((size_t)a->n, sizeof *all);
    struct sp_error err;
    int code = 0;
    if (!all) {
        sp_fail(&err, SP_MEMORY, "free memory", "no memory for %d folders", a->n);
        return sp_report_error(&err);
    }
    sp_lab_directories_find(&where);
    if (csv)
        fputs("folder,student,lab,size,predictions_right,predictions_wrong,predictions_late,predictions_"
              "missing,checks_pass,checks_fail,checks_undecided,skipped,skipped_runs,records_simulated,n_"
              "flags,flags\n",
              csv);
    for (int i = 0; i < a->n && code != sp_exit_code(SP_INTERRUPTED); i++)
        code = sp_worse_exit(code, grade(a, i, &where, all, &terminal, &progress, csv));
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < all[i].n; k++)
            free(all[i].id[k]);
    free(all);
    return code;
}

static int run(int argc, char **argv)
{
    static struct arguments a;
    struct sp_sink sink;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (sp_sink_open(a.common.csv, &sink, &err) != SP_OK)
        return sp_report_error(&err);
    return sp_sink_close(&sink, grade_all(&a, sink.stream));
}

static const struct sp_example examples[] = {
    {"spmodel lab grade --csv=grades.csv lab-1", "what was handed in, judged again, into a table", "0 1 3 5"},
    {0},
};

const struct sp_verb sp_lab_verb_grade = {
    .name = "grade",
    .arguments = "FOLDER...",
    .summary = "recompute what was handed in, flag what does not fit",
    .run = run,
    .page = {&argp, examples, "1 5", "lab-check"},
};
