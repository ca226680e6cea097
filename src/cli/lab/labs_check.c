/* spmodel lab check and report: predictions and results judged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/core/sink.h"
#include "cli/lab/labs_options.h"
#include "lab/lab_report.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        sp_lab_pass(state, state->input);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child check_children[] = {
    {&sp_lab_argp, 0, NULL, 0}, {&sp_common_json_argp, 0, "Common options:", 90}, {0}};
static const struct argp check_argp = {
    NULL,
    parse,
    "N",
    "Judges predictions and runs: pass, fail, undecided (noise), skipped (no GPU, no counters). No check "
    "knows a "
    "time in seconds. Exit code 1: something failed; 5: something is undecided.",
    check_children,
    NULL,
    NULL};
static const struct argp report_argp = {
    NULL,
    parse,
    "N",
    "Writes report.md into the lab's folder: predictions beside results, and why.",
    sp_lab_children,
    NULL,
    NULL};

static void print_verdict(const struct sp_lab_verdict *v)
{
    char got[100], wanted[160];
    sp_lab_with_unit(v, v->got, got, sizeof got);
    sp_lab_with_unit(v, v->wanted, wanted, sizeof wanted);
    sp_print(stdout, "  %-10s %-18s %s\n", sp_lab_state_name(v->state), v->id, v->text);
    if (*got || *wanted)
        sp_print(stdout, "             %s%s%s%s%s\n", v->is_prediction ? "predicted " : "",
                 *got ? got : "nothing", *wanted ? (v->is_prediction ? "; found " : ", should be ") : "",
                 wanted, v->within);
    if (*v->reason)
        sp_print(stdout, "             %s\n", v->reason);
}

static void print_verdicts(const struct sp_lab_folder *folder, const struct sp_lab_verdicts *verdicts)
{
    sp_print(stdout, "LAB %d    %s\nPREDICTIONS\n", folder->lab.number, folder->lab.title);
    for (int i = 0; i < verdicts->n; i++) {
        if (i > 0 && verdicts->verdict[i - 1].is_prediction && !verdicts->verdict[i].is_prediction)
            puts("CHECKS");
        print_verdict(&verdicts->verdict[i]);
    }
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        sp_print(stdout, "%s%d %s", i ? " · " : "", verdicts->n_state[i],
                 sp_lab_state_name((enum sp_lab_state)i));
    sp_print(stdout, "\n");
}

static json_t *verdicts_json(const struct sp_lab_folder *folder, const struct sp_lab_verdicts *verdicts)
{
    json_t *list = json_array();
    for (int i = 0; i < verdicts->n; i++) {
        const struct sp_lab_verdict *v = &verdicts->verdict[i];
        char wanted[sizeof v->wanted + sizeof v->within];
        snprintf(wanted, sizeof wanted, "%s%s", v->wanted, v->within);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kind",
                                              v->is_prediction ? "prediction" : "check", "id", v->id,
                                              "verdict", sp_lab_state_name(v->state), "got", v->got, "wanted",
                                              wanted, "unit", v->unit, "reason", v->reason));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "schema", SP_LAB_SCHEMA, "lab", folder->lab.id, "student",
                     folder->the_case.student, "verdicts", list);
}

static int write_json(const struct sp_lab_folder *folder, const struct sp_lab_verdicts *verdicts,
                      const char *name, int code)
{
    struct sp_sink sink;
    struct sp_error err;
    if (sp_sink_open(name, &sink, &err) != SP_OK)
        return sp_report_error(&err);
    json_t *json = verdicts_json(folder, verdicts);
    json_dumpf(json, sink.stream, JSON_INDENT(1));
    fputc('\n', sink.stream);
    json_decref(json);
    return sp_sink_close(&sink, code);
}

/* Opens folder and results and judges them; on failure nothing is open. */
static enum sp_status judge(const struct sp_lab_options *o, struct sp_lab_folder *folder,
                            struct sp_lab_results *results, struct sp_lab_verdicts *verdicts,
                            struct sp_error *err)
{
    enum sp_status status = sp_lab_open_folder(o, folder, err);
    if (status != SP_OK)
        return status;
    status = sp_lab_results_read(folder, results, err);
    if (status == SP_OK)
        status = sp_lab_judge(results, verdicts, err);
    if (status != SP_OK) {
        sp_lab_results_free(results);
        sp_lab_folder_close(folder);
    }
    return status;
}

static int run_check(int argc, char **argv)
{
    struct sp_lab_options o = {0};
    struct sp_lab_folder folder;
    struct sp_lab_results results;
    struct sp_lab_verdicts verdicts;
    struct sp_error err;
    sp_parse(&check_argp, argc, argv, &o);
    if (judge(&o, &folder, &results, &verdicts, &err) != SP_OK)
        return sp_report_error(&err);
    int code = sp_exit_code(sp_lab_summary(&verdicts));
    if (o.common.json)
        code = write_json(&folder, &verdicts, o.common.json, code);
    if (!sp_sink_is_stdout(o.common.json))
        print_verdicts(&folder, &verdicts);
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
    return code;
}

static int run_report(int argc, char **argv)
{
    struct sp_lab_options o = {0};
    struct sp_lab_folder folder;
    struct sp_lab_results results;
    struct sp_lab_verdicts verdicts;
    struct sp_atomic_file file;
    struct sp_error err;
    char path[1000];
    sp_parse(&report_argp, argc, argv, &o);
    if (judge(&o, &folder, &results, &verdicts, &err) != SP_OK)
        return sp_report_error(&err);
    snprintf(path, sizeof path, "%s/report.md", folder.path);
    enum sp_status status = sp_atomic_open(path, &file, &err);
    if (status == SP_OK) {
        sp_lab_report(&results, &verdicts, file.stream);
        status = sp_atomic_commit(&file, &err);
    }
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
    if (status != SP_OK)
        return sp_report_error(&err);
    sp_print(stdout, "report   %s\n", path);
    return 0;
}

static const struct sp_example check_examples[] = {
    {"spmodel lab check 1", "what was predicted rightly, and what the runs show", "0 1 5"},
    {0},
};

const struct sp_verb sp_lab_verb_check = {
    .name = "check",
    .arguments = "N",
    .summary = "judge predictions and runs",
    .run = run_check,
    .page = {&check_argp, check_examples, "1 5", "lab-run lab-report"},
};
static const struct sp_example report_examples[] = {
    {"spmodel lab report 1", "lab-1/report.md: predictions beside results, and why", NULL},
    {0},
};

const struct sp_verb sp_lab_verb_report = {
    .name = "report",
    .arguments = "N",
    .summary = "a Markdown report with explanations",
    .run = run_report,
    .page = {&report_argp, report_examples, NULL, "lab-check"},
};
