#include "probes/probe.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/option/option_words.h"
#include "probes/counting.h"

static json_t *number(double x)
{
    if (!isfinite(x))
        return json_null();
    return x == floor(x) && fabs(x) < 9e15 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *event_json(const struct sp_count_event *e)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:s, s:o, s:i, s:i}", "name", e->name, "level", e->level, "domain",
                     e->domain, "channel", e->channel, "direction", sp_direction_name(e->direction),
                     "B_per_count", number(e->B_per_count), "bits", e->bits, "pass", e->pass);
}

static json_t *window_json(const struct sp_count_log *log, const struct sp_count_window *w)
{
    json_t *counts = json_array();
    for (int i = 0; i < log->n_events; i++)
        if (log->event[i].pass == w->pass)
            json_array_append_new(counts, json_pack("[i, o, o, o, o]", i, number(w->count[i].before),
                                                    number(w->count[i].after), number(w->count[i].enabled_s),
                                                    number(w->count[i].running_s)));
    json_t *out = json_pack("{s:s, s:i, s:f, s:I}", "kind", sp_window_kind_name(w->kind), "pass", w->pass,
                            "duration_s", w->duration_s, "repetitions", (json_int_t)w->repetitions);
    if (w->kind == SP_WINDOW_KNOWN) {
        json_object_set_new(out, "what", json_string(w->what));
        json_object_set_new(out, "load_B", number(w->load_B));
        json_object_set_new(out, "store_B", number(w->store_B));
        json_object_set_new(out, "memory_share", number(w->memory_share));
    }
    json_object_set_new(out, "counts", counts);
    return out;
}

json_t *sp_count_log_json(const struct sp_count_log *log)
{
    json_t *events = json_array(), *windows = json_array();
    for (int i = 0; i < log->n_events; i++)
        json_array_append_new(events, event_json(&log->event[i]));
    for (int i = 0; i < log->n_windows; i++)
        json_array_append_new(windows, window_json(log, &log->window[i]));
    json_t *shares = json_array();
    for (int d = 0; d < log->n_shares; d++)
        json_array_append_new(shares, json_real(log->domain_share[d]));
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "source", log->source, "how", log->how, "constructed",
                     log->constructed, "domain_share", shares, "events", events, "windows", windows);
}

static double number_of(const json_t *object, const char *key, double absent)
{
    const json_t *v = json_object_get(object, key);
    return json_is_number(v) ? json_number_value(v) : absent;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static enum sp_status read_event(const json_t *object, size_t i, const char *path, struct sp_count_log *log,
                                 struct sp_error *err)
{
    struct sp_count_event e = {.domain = (int)number_of(object, "domain", 0),
                               .channel = (int)number_of(object, "channel", -1),
                               .B_per_count = number_of(object, "B_per_count", NAN),
                               .bits = (int)number_of(object, "bits", 64),
                               .pass = (int)number_of(object, "pass", 0)};
    int direction = sp_direction_from_name(text_of(object, "direction"));
    sp_visible(text_of(object, "name"), e.name, sizeof e.name);
    snprintf(e.level, sizeof e.level, "%s", *text_of(object, "level") ? text_of(object, "level") : "MEM");
    if (direction < 0 || !(e.B_per_count > 0) || e.domain < 0 || e.domain > 1023 || e.pass < 0 ||
        e.pass > 63 || e.bits < 1 || e.bits > 64)
        return sp_fail_at(
            err, SP_INPUT, path, 0, 0,
            "an event has name, level, domain, direction (read, write, both), B_per_count > 0, bits and pass",
            "counters: event %zu ('%s') is incomplete or out of range", i, e.name);
    e.direction = (enum sp_direction)direction;
    return sp_count_log_add_event(log, &e, err);
}

static bool read_count(const json_t *item, int n_events, int *event, struct sp_count *count)
{
    double v[5];
    for (size_t k = 0; k < 5; k++) {
        const json_t *x = json_array_get(item, k);
        v[k] = json_is_number(x) ? json_number_value(x) : NAN;
    }
    if (!(v[0] >= 0 && v[0] < n_events))
        return false;
    *event = (int)v[0];
    *count = (struct sp_count){.before = v[1],
                               .after = v[2],
                               .enabled_s = isnan(v[3]) ? 0 : v[3],
                               .running_s = isnan(v[4]) ? 0 : v[4]};
    return true;
}

static enum sp_status read_window(const json_t *object, size_t i, const char *path, struct sp_count_log *log,
                                  struct sp_error *err)
{
    struct sp_count_window w = {.pass = (int)number_of(object, "pass", 0),
                                .duration_s = number_of(object, "duration_s", NAN),
                                .repetitions =
                                    (int64_t)fmax(0, fmin(number_of(object, "repetitions", 1), 1e15)),
                                .load_B = number_of(object, "load_B", 0),
                                .store_B = number_of(object, "store_B", 0),
                                .memory_share = number_of(object, "memory_share", 1)},
                           *in;
    int kind = sp_window_kind_from_name(text_of(object, "kind"));
    sp_visible(text_of(object, "what"), w.what, sizeof w.what);
    if (kind < 0 || !(w.duration_s > 0) || w.repetitions < 1 || w.pass < 0 || w.pass >= log->n_passes)
        return sp_fail_at(
            err, SP_INPUT, path, 0, 0,
            "a window has kind (idle, known, job), pass, duration_s > 0, repetitions >= 1 and counts",
            "counters: window %zu is incomplete or out of range", i);
    w.kind = (enum sp_window_kind)kind;
    enum sp_status status = sp_count_log_add_window(log, &w, &in, err);
    const json_t *item;
    size_t k;
    json_array_foreach(json_object_get(object, "counts"), k, item)
    {
        int event = 0;
        struct sp_count count = {0};
        if (status == SP_OK && !read_count(item, log->n_events, &event, &count))
            status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                                "a count is [event, before, after, enabled_s, running_s]",
                                "counters: window %zu, count %zu names no event", i, k);
        if (status == SP_OK)
            in->count[event] = count;
    }
    return status;
}

enum sp_status sp_count_log_from_json(const json_t *counters, const char *path, struct sp_count_log *log,
                                      struct sp_error *err)
{
    memset(log, 0, sizeof *log);
    sp_visible(text_of(counters, "source"), log->source, sizeof log->source);
    sp_visible(text_of(counters, "how"), log->how, sizeof log->how);
    log->constructed = json_is_true(json_object_get(counters, "constructed"));
    enum sp_status status = SP_OK;
    const json_t *item;
    size_t i;
    json_array_foreach(json_object_get(counters, "domain_share"), i, item) if (i < SP_COUNT_MAX_DOMAINS)
    {
        log->domain_share[i] = json_number_value(item);
        log->n_shares = (int)i + 1;
    }
    json_array_foreach(json_object_get(counters, "events"), i, item) if (status == SP_OK) status =
        read_event(item, i, path, log, err);
    json_array_foreach(json_object_get(counters, "windows"), i, item) if (status == SP_OK) status =
        read_window(item, i, path, log, err);
    if (status == SP_OK && (log->n_events == 0 || log->n_windows == 0 || !*log->source))
        status =
            sp_fail_at(err, SP_INPUT, path, 0, 0, "give a record whose bytes were measured, or a recording",
                       "it holds no counters that could be replayed");
    if (status != SP_OK)
        sp_count_log_free(log);
    return status;
}

/* Replays what counters said elsewhere, or what a lesson or a test made up: a record of this
 * program, or a file with the same object "counters". The log goes through the same arithmetic and
 * the same distrust. */

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
