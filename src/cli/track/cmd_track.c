/* spmodel track: the history of achieved bandwidth. A row for each verb. */
#include "cli/track/track_options.h"

static const struct sp_verb *const verbs[] = {
    &sp_track_add,
    &sp_track_import,
    &sp_track_log,
    &sp_track_check,
    &sp_track_locate,
    &sp_track_accept,
    &sp_track_plot,
    &sp_track_report,
    &sp_track_export,
    &sp_track_selftest,
    &sp_track_simulate,
    &sp_track_hints,
    NULL,
};

static const struct sp_verb_family family = {
    .name = "track",
    .purpose = "Keeps records of measurements in a store and says what has changed.\n",
    .example = "A day's work:\n"
               "  spmodel analyze MATRIX --runs 5 --no-hints --no-plots --out new\n"
               "  spmodel track add new\n"
               "  spmodel track check\n",
    .verb = verbs,
};

static int run(int argc, char **argv)
{
    return sp_verbs_run(&family, argc, argv);
}

extern const struct sp_command sp_cmd_track;
const struct sp_command sp_cmd_track = {
    .name = "track",
    .arguments = "VERB",
    .summary = "the history of achieved bandwidth: what has changed, and why",
    .run = run,
    .page = {NULL, NULL, NULL, "analyze compare campaign"},
    .family = &family,
};
