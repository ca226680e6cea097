#include "cli/core/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/core/errors.h"

extern const struct sp_command sp_cmd_analyze;
extern const struct sp_command sp_cmd_info;
extern const struct sp_command sp_cmd_model;
extern const struct sp_command sp_cmd_sweep;
extern const struct sp_command sp_cmd_import;
extern const struct sp_command sp_cmd_attach;
extern const struct sp_command sp_cmd_machine;
extern const struct sp_command sp_cmd_validate;
extern const struct sp_command sp_cmd_track;
extern const struct sp_command sp_cmd_campaign;
extern const struct sp_command sp_cmd_lab;
extern const struct sp_command sp_cmd_plot;
extern const struct sp_command sp_cmd_doctor;
extern const struct sp_command sp_cmd_generate;
extern const struct sp_command sp_cmd_compare;
extern const struct sp_command sp_cmd_convert;
extern const struct sp_command sp_cmd_reorder;
extern const struct sp_command sp_cmd_explain;
extern const struct sp_command sp_cmd_help;
extern const struct sp_command sp_cmd_completion;

/* One row a line. */
/* clang-format off */
const struct sp_command *const sp_command_table[] = {
    &sp_cmd_analyze,
    &sp_cmd_info,
    &sp_cmd_model,
    &sp_cmd_sweep,
    &sp_cmd_import,
    &sp_cmd_attach,
    &sp_cmd_machine,
    &sp_cmd_validate,
    &sp_cmd_compare,
    &sp_cmd_track,
    &sp_cmd_campaign,
    &sp_cmd_lab,
    &sp_cmd_plot,
    &sp_cmd_doctor,
    &sp_cmd_generate,
    &sp_cmd_convert,
    &sp_cmd_reorder,
    &sp_cmd_explain,
    &sp_cmd_help,
    &sp_cmd_completion,
    NULL,
};
/* clang-format on */

static void print_usage(const struct sp_verb_family *f, FILE *out)
{
    enum { MOST_ARGUMENTS = 22 }; /* longer ones have a line of their own */
    int name = 0, arguments = 0;  /* widths of the columns */
    for (const struct sp_verb *const *v = f->verb; *v; v++) {
        const int lengths[] = {(int)strlen((*v)->name), (int)strlen((*v)->arguments)};
        name = lengths[0] > name ? lengths[0] : name;
        arguments = lengths[1] > arguments && lengths[1] <= MOST_ARGUMENTS ? lengths[1] : arguments;
    }
    sp_print(out, "Usage: spmodel %s VERB [OPTION...]\n", f->name);
    fputs(f->purpose, out); /* lines of ours */
    fputc('\n', out);
    for (const struct sp_verb *const *v = f->verb; *v; v++) {
        sp_print(out, "  %-*s %-*s", name, (*v)->name, arguments, (*v)->arguments);
        if ((int)strlen((*v)->arguments) > arguments)
            sp_print(out, "\n  %-*s", name + 1 + arguments, "");
        sp_print(out, "  %s\n", (*v)->summary);
    }
    sp_print(out, "\nspmodel %s VERB --help  explains a verb. ", f->name);
    fputs(f->example, out);
}

int sp_verbs_run(const struct sp_verb_family *f, int argc, char **argv)
{
    char name[64], remedy[64];
    struct sp_error err;
    if (argc < 2) {
        print_usage(f, stderr);
        return sp_exit_code(SP_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 || strcmp(argv[1], "--usage") == 0) {
        print_usage(f, stdout);
        return 0;
    }
    for (const struct sp_verb *const *v = f->verb; *v; v++)
        if (strcmp((*v)->name, argv[1]) == 0) {
            snprintf(name, sizeof name, "%s %s", argv[0], argv[1]);
            argv[1] = name;
            return (*v)->run(argc - 1, argv + 1);
        }
    struct sp_suggestion s = sp_suggestion_begin(argv[1]);
    for (const struct sp_verb *const *v = f->verb; *v; v++)
        sp_suggestion_offer(&s, (*v)->name, (*v)->name);
    snprintf(remedy, sizeof remedy, "spmodel %s --help lists them", f->name);
    sp_fail(&err, SP_USAGE, remedy, "%s has no verb '%s'%s%s%s", f->name, argv[1],
            s.shown ? "; did you mean '" : "", s.shown ? s.shown : "", s.shown ? "'?" : "");
    return sp_report_error(&err);
}
