/* spmodel lab: exercises. One verb a file labs_NAME.c and a row here. */
#include "cli/core/command.h"
#include "cli/lab/labs_options.h"

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
               "  spmodel lab predict 1 alpha=... balance=...    an answer to each, before it is run\n"
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
};
