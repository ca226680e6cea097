#include "cli/core/verbs.h"

#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "cli/core/options.h"
#include "cli/core/suggest.h"

static void print_usage(const struct sp_verb_family *f, FILE *out)
{
    int name = 0, arguments = 0; /* widths of the columns */
    for (const struct sp_verb *const *v = f->verb; *v; v++) {
        const int lengths[] = {(int)strlen((*v)->name), (int)strlen((*v)->arguments)};
        name = lengths[0] > name ? lengths[0] : name;
        arguments = lengths[1] > arguments ? lengths[1] : arguments;
    }
    sp_print(out, "Usage: spmodel %s VERB [OPTION...]\n", f->name);
    fputs(f->purpose, out); /* lines of ours */
    fputc('\n', out);
    for (const struct sp_verb *const *v = f->verb; *v; v++)
        sp_print(out, "  %-*s %-*s  %s\n", name, (*v)->name, arguments, (*v)->arguments, (*v)->summary);
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
