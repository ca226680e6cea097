/* spmodel track: the history of achieved bandwidth. One verb a file track_NAME.c and a row here. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/track_options.h"

static const struct sp_track_verb *const verbs[] = {
    &sp_track_add,  &sp_track_log,    &sp_track_check,    &sp_track_locate, &sp_track_accept,
    &sp_track_plot, &sp_track_export, &sp_track_selftest, &sp_track_hints,
};

static void print_usage(FILE *out)
{
    fputs("Usage: spmodel track VERB [OPTION...]\n"
          "Keeps records of measurements in a store and says what has changed.\n\n",
          out);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        fprintf(out, "  %-10s %-24s %s\n", verbs[i]->name, verbs[i]->arguments, verbs[i]->summary);
    fputs("\nspmodel track VERB --help  explains a verb. A day's work:\n"
          "  spmodel analyze MATRIX --runs 5 --no-hints --no-plots --out new\n"
          "  spmodel track add new\n"
          "  spmodel track check\n",
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
    sp_fail(&err, SP_USAGE, "spmodel track --help lists them", "track has no verb '%s'", argv[1]);
    return sp_report_error(&err);
}

extern const struct sp_command sp_cmd_track;
const struct sp_command sp_cmd_track = {
    .name = "track",
    .arguments = "VERB",
    .summary = "the history of achieved bandwidth: what has changed, and why",
    .run = run,
};
