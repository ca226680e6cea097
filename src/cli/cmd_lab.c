/* spmodel lab: exercises. One verb a file labs_NAME.c and a row here. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/labs_options.h"

static const struct sp_lab_verb *const verbs[] = {
    &sp_lab_verb_list,  &sp_lab_verb_start,  &sp_lab_verb_predict, &sp_lab_verb_run,
    &sp_lab_verb_check, &sp_lab_verb_report, &sp_lab_verb_grade,
};

static void print_usage(FILE *out)
{
    fputs("Usage: spmodel lab VERB [OPTION...]\n"
          "Exercises of a course on node-level performance: predict, run, compare, explain.\n\n",
          out);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        fprintf(out, "  %-8s %-22s %s\n", verbs[i]->name, verbs[i]->arguments, verbs[i]->summary);
    fputs("\nspmodel lab VERB --help  explains a verb. One lab:\n"
          "  spmodel lab start 1 --student 'Ada Example'    read lab-1/sheet.md\n"
          "  spmodel lab predict 1                          lists its questions\n"
          "  spmodel lab predict 1 alpha=... balance=...    an answer to each, before it is run\n"
          "  spmodel lab run 1\n"
          "  spmodel lab check 1\n"
          "  spmodel lab report 1\n",
          out);
}

static int run(int argc, char **argv)
{
    char name[64];
    struct sp_error err;
    if (argc < 2) {
        print_usage(stderr);
        return sp_exit_code(SP_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 || strcmp(argv[1], "--usage") == 0) {
        print_usage(stdout);
        return 0;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i]->name, argv[1]) == 0) {
            snprintf(name, sizeof name, "%s %s", argv[0], argv[1]);
            argv[1] = name;
            return verbs[i]->run(argc - 1, argv + 1);
        }
    sp_fail(&err, SP_USAGE, "spmodel lab --help lists them", "lab has no verb '%s'", argv[1]);
    return sp_report_error(&err);
}

extern const struct sp_command sp_cmd_lab;
const struct sp_command sp_cmd_lab = {
    .name = "lab",
    .arguments = "VERB",
    .summary = "exercises: predict, run, check, explain",
    .run = run,
};
