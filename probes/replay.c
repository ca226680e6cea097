/* Replays what counters said elsewhere, or what a lesson or a test made up: a record of this program, or a
 * file with the same object "counters". The log goes through the same arithmetic and the same distrust. */
#include <jansson.h>
#include <string.h>

#include "base/option/option_words.h"
#include "probes/count_json.h"
#include "probes/counting.h"

static enum sp_status always(struct sp_error *err)
{
    (void)err;
    return SP_OK;
}

enum sp_status sp_replay_open_counters(const json_t *counters, const char *path, bool constructed,
                                       void **session, struct sp_error *err)
{
    struct sp_count_log log;
    enum sp_status status = sp_count_log_from_json(counters, path, &log, err);
    *session = NULL;
    if (status != SP_OK)
        return status;
    log.constructed = log.constructed || constructed;
    status = sp_counting_of_log(&log, session, err);
    sp_count_log_free(&log);
    return status;
}

static enum sp_status open_replay(const char *argument, void **session, struct sp_error *err)
{
    *session = NULL;
    if (!argument || !*argument)
        return sp_fail(err, SP_USAGE, SP_O_BYTES " replay:FILE, FILE a record with counters",
                       "replay needs a recording");
    json_error_t error;
    json_t *root = json_load_file(argument, 0, &error);
    if (!root)
        return error.line > 0
                   ? sp_fail_at(err, SP_INPUT, argument, error.line, error.column,
                                "give a record or a recording", "it is no JSON: %s", error.text)
                   : sp_fail_at(err, SP_INPUT, argument, 0, 0, "look at the name", "%s", error.text);
    const char *stated = json_string_value(json_object_get(root, "status"));
    enum sp_status status =
        sp_replay_open_counters(json_object_get(root, "counters"), argument,
                                stated && strcmp(stated, "constructed") == 0, session, err);
    json_decref(root);
    return status;
}

const struct sp_probe sp_probe_replay = {
    .name = "replay",
    .summary = "counts of a recording (replay:FILE), constructed or measured elsewhere",
    .gives_bytes = true,
    .counts = true,
    .available = always,
    .open = open_replay,
    .observe = sp_counting_observe,
    .log = sp_counting_log,
    .close = sp_counting_close,
};
