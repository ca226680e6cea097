#include "session/measure/byte_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "probes/known_volume.h"
#include "probes/markers.h"
#include "probes/replay.h"
#include "sys/machine/binding.h"

/* Known volumes must come out within this share. */
#define TOLERANCE 0.05
#define LEAST_B   (256 << 20)
#define MOST_B    (8192.0 * (1 << 20))
/* Cyclic loads of less than this many last-level caches may hit where these resist thrashing. */
#define CACHES 16.0

static const char *const automatic[] = {"likwid", "perf", "papi", NULL}; /* best first */

static const char replay_prefix[] = "replay:";

/* "likwid:direct": a probe and what it is to do; returns what stands behind the colon, or NULL. */
static const char *split_argument(const char *wanted, char *name, size_t size)
{
    const char *colon = strchr(wanted, ':');
    snprintf(name, size, "%.*s", colon ? (int)(colon - wanted) : (int)strlen(wanted), wanted);
    return colon && colon[1] ? colon + 1 : NULL;
}

bool sp_byte_source_knows(const char *wanted)
{
    if (strcmp(wanted, "auto") == 0 || strncmp(wanted, replay_prefix, strlen(replay_prefix)) == 0)
        return true;
    char name[24];
    split_argument(wanted, name, sizeof name);
    const char *argument = strchr(wanted, ':');
    const struct sp_probe *probe = sp_probe_find(name);
    if (!probe || !probe->gives_bytes || strcmp(name, "replay") == 0)
        return false;
    static const char *const modes[] = {"direct", "daemon", "perf", NULL};
    for (int i = 0; argument && modes[i]; i++)
        if (strcmp(name, "likwid") == 0 && strcmp(argument + 1, modes[i]) == 0)
            return true;
    return !argument;
}

static bool stopped(void *context)
{
    return sp_progress_interrupted(context);
}

/* Out of all caches of the domains used, in what memory there is. */
static int64_t known_bytes(const struct sp_byte_request *r)
{
    const struct sp_cache *llc = r->machine ? sp_machine_llc(r->machine) : NULL;
    int domains = r->topology && r->topology->n_domains > 0 ? r->topology->n_domains : 1;
    double bytes = fmax(LEAST_B, llc ? CACHES * domains * (double)llc->size_B : 0);
    bytes = fmin(bytes, MOST_B);
    return (int64_t)(r->memory_B > 0 ? fmin(bytes, r->memory_B / 4) : bytes);
}

/* Share of the threads, and so of the known volumes, in each socket. */
static int domain_shares(const struct sp_binding *b, const struct sp_topology *t,
                         double share[SP_COUNT_MAX_DOMAINS])
{
    for (int i = 0; i < b->n_threads; i++)
        for (int c = 0; c < t->n_cpus; c++)
            if (t->cpu[c].os == b->cpu[i] && t->cpu[c].package < SP_COUNT_MAX_DOMAINS)
                share[t->cpu[c].package] += 1.0 / b->n_threads;
    return t->n_packages < SP_COUNT_MAX_DOMAINS ? t->n_packages : SP_COUNT_MAX_DOMAINS;
}

static enum sp_status run_known(const struct sp_byte_request *r, int n_threads, int n_shares,
                                const double *share, const struct sp_progress *progress,
                                struct sp_byte_source *s, struct sp_error *err)
{
    const struct sp_machine *m = r->machine;
    struct sp_known_options o = {.n_threads = n_threads, .bytes = known_bytes(r), .inner_B = 128 << 10};
    if (m && m->n_caches > 1 && m->cache[1].size_B > 0)
        o.inner_B = m->cache[1].size_B / 4;
    void *memory;
    enum sp_status status = sp_new_array(1, sizeof(struct sp_known_volumes), "known volumes", &memory, err);
    struct sp_known_volumes *v = memory;
    if (status == SP_OK)
        status = sp_known_volumes_open(&o, v, err);
    struct sp_protocol p = sp_protocol_default(m);
    p.interrupted = stopped;
    p.context = (void *)progress;
    for (int i = 0; status == SP_OK && i < v->n_known; i++) {
        struct sp_reading reading;
        p.known = &v->known[i];
        v->known[i].n_shares = n_shares;
        v->known[i].domain_share = share;
        sp_progress_step(progress, "counting known volumes", (double)i / v->n_known);
        status = s->probe->observe(s->session, &v->job[i], &p, &reading, err);
        if (status == SP_OK)
            sp_reading_free(&reading);
    }
    if (v)
        sp_known_volumes_close(v);
    free(v);
    return status;
}

static enum sp_status test_source(const struct sp_byte_request *r, const struct sp_progress *progress,
                                  struct sp_byte_source *s, struct sp_error *err)
{
    struct sp_binding binding;
    double share[SP_COUNT_MAX_DOMAINS] = {0};
    enum sp_status status = sp_binding_plan(r->topology, r->n_threads, SP_COMPACT, &binding, err);
    if (status != SP_OK)
        return status;
    bool pinned = sp_binding_apply(&binding, NULL) == SP_OK;
    int n_shares = domain_shares(&binding, r->topology, share);
    status = run_known(r, binding.n_threads, pinned ? n_shares : 0, share, progress, s, err);
    if (status == SP_OK) {
        s->tested = true;
        s->trust = sp_trust_of(s->probe->log(s->session), "MEM", TOLERANCE);
        if (!s->trust.trusted)
            status = sp_fail(err, SP_ABSENT,
                             "other programs that count may disturb it (spmodel doctor); " SP_O_BYTES
                             " sim simulates",
                             "%s", s->trust.text);
    }
    if (binding.pinned)
        sp_binding_undo(&binding, r->topology);
    sp_binding_free(&binding);
    return status;
}

static enum sp_status open_live(const char *wanted, const struct sp_byte_request *r,
                                const struct sp_progress *progress, struct sp_byte_source *s, bool *opened,
                                struct sp_error *err)
{
    char name[24];
    *opened = false;
    const char *argument = split_argument(wanted, name, sizeof name);
    const struct sp_probe *probe = sp_probe_find(name);
    if (!probe)
        return sp_fail(err, SP_ABSENT, NULL, "there is no source of bytes named %s", name);
    if (probe->absent)
        return sp_fail(err, SP_ABSENT, "spmodel doctor", "%s", probe->absent);
    enum sp_status status = probe->available(err);
    if (status != SP_OK)
        return status;
    sp_progress_step(progress, "opening counters", -1);
    status = probe->open(argument, &s->session, err);
    if (status != SP_OK)
        return status;
    s->probe = probe;
    *opened = true;
    snprintf(s->name, sizeof s->name, "%s", probe->name);
    status = test_source(r, progress, s, err);
    if (status != SP_OK) {
        probe->close(s->session);
        s->probe = NULL;
        s->session = NULL;
        s->tested = false;
    }
    return status;
}

/* opened: it counts, but was not believed. */
static void note_tried(struct sp_byte_source *s, const char *name, bool opened, const struct sp_error *err)
{
    if (s->n_tried == SP_MAX_TRIED)
        return;
    s->tried[s->n_tried].name = name;
    s->tried[s->n_tried].opened = opened;
    snprintf(s->tried[s->n_tried].reason, sizeof s->tried->reason, "%s", err->what);
    snprintf(s->tried[s->n_tried++].remedy, sizeof s->tried->remedy, "%s", err->remedy);
}

static enum sp_status choose_automatically(const struct sp_byte_request *r,
                                           const struct sp_progress *progress, struct sp_byte_source *s,
                                           struct sp_error *err)
{
    if (sp_markers_wanted()) { /* its counters are taken, and they are what the user wants to see */
        struct sp_error here;
        sp_fail(&here, SP_ABSENT, "spmodel import takes its output (likwid-perfctr -O)",
                "likwid-perfctr -m runs around this program and holds the counters");
        note_tried(s, "likwid", false, &here);
    }
    for (int i = 0; automatic[i] && !sp_markers_wanted(); i++) {
        struct sp_error here;
        bool opened;
        enum sp_status status = open_live(automatic[i], r, progress, s, &opened, &here);
        if (status == SP_OK || status == SP_INTERRUPTED) {
            if (status != SP_OK && err)
                *err = here;
            return status;
        }
        note_tried(s, automatic[i], opened, &here);
    }
    snprintf(s->name, sizeof s->name, "sim");
    if (!r->required)
        return SP_OK;
    char reasons[600] = "";
    for (int i = 0; i < s->n_tried; i++)
        snprintf(reasons + strlen(reasons), sizeof reasons - strlen(reasons), "%s%s: %.150s", i ? "; " : "",
                 s->tried[i].name, s->tried[i].reason);
    return sp_fail(err, SP_ABSENT,
                   "spmodel doctor says what would help; without " SP_O_REQUIRE_BYTES " they are simulated",
                   "bytes cannot be measured here (%s)", reasons);
}

enum sp_status sp_byte_source_of_recording(struct sp_recording *recording, struct sp_byte_source *s,
                                           struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->required = true;
    s->recording = *recording;
    memset(recording, 0, sizeof *recording);
    s->probe = sp_probe_find("replay");
    enum sp_status status =
        sp_replay_open_counters(sp_record_node(&s->recording.record, "counters"), s->recording.path,
                                s->recording.constructed, &s->session, err);
    if (status == SP_OK) {
        const struct sp_count_log *log = s->probe->log(s->session);
        s->constructed = log->constructed;
        s->replayed = true;
        snprintf(s->name, sizeof s->name, "%s", log->source);
        for (int i = 0; i < log->n_windows; i++)
            s->tested = s->tested || log->window[i].kind == SP_WINDOW_KNOWN;
        s->trust = sp_trust_of(log, "MEM", TOLERANCE);
    }
    if (status == SP_OK && s->tested && !s->trust.trusted)
        status = sp_fail_at(err, SP_ABSENT, s->recording.path, 0, 0,
                            "record it again with counters that count rightly; " SP_O_BYTES " sim simulates",
                            "%s", s->trust.text);
    if (status != SP_OK)
        sp_byte_source_close(s);
    return status;
}

enum sp_status sp_byte_source_choose(const struct sp_byte_request *r, const struct sp_progress *progress,
                                     struct sp_byte_source *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->required = r->required || strcmp(r->wanted, "auto") != 0;
    s->measured_only = r->required;
    if (strcmp(r->wanted, "sim") == 0) {
        snprintf(s->name, sizeof s->name, "sim");
        return SP_OK;
    }
    if (strncmp(r->wanted, replay_prefix, strlen(replay_prefix)) == 0) {
        struct sp_recording recording;
        enum sp_status status = sp_recording_open(r->wanted + strlen(replay_prefix), &recording, err);
        if (status == SP_OK)
            status = sp_byte_source_of_recording(&recording, s, err);
        s->measured_only = status == SP_OK && r->required;
        return status;
    }
    bool opened;
    enum sp_status status = strcmp(r->wanted, "auto") == 0
                                ? choose_automatically(r, progress, s, err)
                                : open_live(r->wanted, r, progress, s, &opened, err);
    if (status != SP_OK)
        sp_byte_source_close(s);
    return status;
}

void sp_byte_source_close(struct sp_byte_source *s)
{
    if (!s)
        return;
    if (s->probe && s->session)
        s->probe->close(s->session);
    sp_recording_free(&s->recording);
    memset(s, 0, sizeof *s);
}

void sp_byte_source_drop(struct sp_byte_source *s, const struct sp_error *why)
{
    note_tried(s, s->probe ? s->probe->name : "?", true, why);
    if (s->probe && s->session)
        s->probe->close(s->session);
    s->probe = NULL;
    s->session = NULL;
    s->tested = false;
    snprintf(s->name, sizeof s->name, "sim");
}
