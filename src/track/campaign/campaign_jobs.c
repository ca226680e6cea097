#include "track/campaign/campaign_jobs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "io/files/atomic_file.h"
#include "io/files/input_file.h"

const char *sp_job_state_name(enum sp_job_state state)
{
    static const char *const names[] = {"waiting", "claimed", "failed", "done"};
    return names[state];
}

enum sp_status sp_campaign_store_open(const struct sp_store *store, double stale_s, bool write,
                                      struct sp_campaign_store *campaign, struct sp_error *err)
{
    static const char *const folders[] = {"failed", "work"};
    char path[3100];
    memset(campaign, 0, sizeof *campaign);
    campaign->store = *store;
    for (size_t i = 0; write && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/campaign/%s", store->path, folders[i]);
        const enum sp_status made = sp_make_folder_within(store->path, path, err);
        if (made != SP_OK)
            return made;
    }
    snprintf(path, sizeof path, "%s/campaign/claims", store->path);
    const enum sp_status made = write ? sp_make_folder_within(store->path, path, err) : SP_OK;
    if (made != SP_OK)
        return made;
    return sp_claims_open(path, stale_s, write, &campaign->claims, err);
}

void sp_job_record_id(const struct sp_campaign_job *job, int i, char *id, size_t size)
{
    if (i == 0)
        snprintf(id, size, "campaign-%s", job->id);
    else
        snprintf(id, size, "campaign-%s-%d", job->id, i + 1);
}

bool sp_job_find_record(const struct sp_campaign_store *c, const struct sp_campaign_job *job, int i,
                        char *path, size_t size)
{
    char records[3100], id[64];
    struct stat facts;
    bool found = false;
    sp_job_record_id(job, i, id, sizeof id);
    snprintf(records, sizeof records, "%s/records", c->store.path);
    DIR *months = opendir(records);
    for (const struct dirent *e; months && !found && (e = readdir(months));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, size, "%s/%s/%s.json", records, e->d_name, id);
        found = stat(path, &facts) == 0 && facts.st_size > 0;
    }
    if (months)
        closedir(months);
    return found;
}

static void failure_path(const struct sp_campaign_store *c, const char *id, char *path, size_t size)
{
    snprintf(path, size, "%s/campaign/failed/%s.json", c->store.path, id);
}

static void take_text(const json_t *o, const char *key, char *text, size_t size)
{
    const char *value = json_string_value(json_object_get(o, key));
    snprintf(text, size, "%s", value ? value : "");
}

static bool read_failure(const struct sp_campaign_store *c, const char *id, struct sp_job_failure *f)
{
    char path[3200];
    failure_path(c, id, path, sizeof path);
    memset(f, 0, sizeof *f);
    json_t *o;
    if (sp_input_json(path, SP_INPUT_MOST_B, NULL, &o, NULL) != SP_OK)
        return false;
    f->attempt = (int)json_integer_value(json_object_get(o, "attempt"));
    f->exit_code = (int)json_integer_value(json_object_get(o, "exit_code"));
    f->signal = (int)json_integer_value(json_object_get(o, "signal"));
    take_text(o, "error", f->error, sizeof f->error);
    take_text(o, "last_line", f->last, sizeof f->last);
    take_text(o, "host", f->host, sizeof f->host);
    take_text(o, "when", f->when, sizeof f->when);
    json_decref(o);
    return true;
}

/* Done is what can be read: all records of the job. A damaged one is a failure more, of which no process has
 * told. */
static bool has_damaged_record(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                               struct sp_job_failure *f)
{
    char path[4096];
    struct sp_error why;
    for (int i = 0; sp_job_find_record(c, job, i, path, sizeof path); i++) {
        if (sp_job_record_is_usable(path, &why))
            continue;
        read_failure(c, job->id, f);
        *f = (struct sp_job_failure){.attempt = f->attempt + 1, .is_of_record = true};
        sp_error_text(&why, f->error, sizeof f->error);
        return true;
    }
    return false;
}

bool sp_job_record_is_usable(const char *path, struct sp_error *why)
{
    struct sp_record r = {0};
    /* All of it, as the summary reads it: what a skim steps over may be damaged, too. */
    const bool usable = sp_record_read(path, &r, why) == SP_OK;
    sp_record_free(&r);
    return usable;
}

void sp_job_look(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                 struct sp_job_view *view)
{
    memset(view, 0, sizeof *view);
    const bool found = sp_job_find_record(c, job, 0, view->record, sizeof view->record),
               damaged = found && has_damaged_record(c, job, &view->failure);
    if (found && !damaged) {
        view->state = SP_JOB_DONE;
        return;
    }
    view->record[0] = '\0';
    const bool held = sp_claim_look(&c->claims, job->id, &view->claim) == SP_CLAIM_HELD;
    view->state = held                                                  ? SP_JOB_CLAIMED
                  : damaged || read_failure(c, job->id, &view->failure) ? SP_JOB_FAILED
                                                                        : SP_JOB_WAITING;
}

/* May it be run? Asked before it is claimed, and again after: it may have been done in between. */
static bool is_wanted(const struct sp_campaign_store *c, const struct sp_campaign_job *job, int retry)
{
    struct sp_job_failure failure;
    char path[4096];
    if (sp_job_find_record(c, job, 0, path, sizeof path))
        return retry > 0 && has_damaged_record(c, job, &failure) && failure.attempt <= retry;
    return !read_failure(c, job->id, &failure) || failure.attempt <= retry;
}

enum sp_status sp_job_take(const struct sp_campaign_store *c, const struct sp_campaign_job *job, int retry,
                           bool *taken, struct sp_claim *claim, struct sp_error *err)
{
    *taken = false;
    if (!is_wanted(c, job, retry))
        return SP_OK;
    enum sp_status status = sp_claim_take(&c->claims, job->id, taken, claim, err);
    if (status != SP_OK || !*taken || is_wanted(c, job, retry))
        return status;
    sp_claim_drop(&c->claims, job->id, claim);
    *taken = false;
    return SP_OK;
}

void sp_job_drop(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                 const struct sp_claim *claim)
{
    sp_claim_drop(&c->claims, job->id, claim);
}

static void slot_name(const struct sp_campaign_store *c, int slot, char *name, size_t size)
{
    char machine[17];
    sp_claimant_machine(&c->claims.self, machine);
    snprintf(name, size, "machine-%s-%d", machine, slot);
}

enum sp_status sp_slot_take(const struct sp_campaign_store *c, int slots, int *slot, struct sp_claim *claim,
                            struct sp_error *err)
{
    char name[64];
    bool taken = false;
    enum sp_status status = SP_OK;
    *slot = -1;
    for (int i = 0; i < slots && status == SP_OK && !taken; i++) {
        slot_name(c, i, name, sizeof name);
        status = sp_claim_take(&c->claims, name, &taken, claim, err);
        *slot = taken ? i : -1;
    }
    return status;
}

void sp_slot_touch(const struct sp_campaign_store *c, int slot, const struct sp_claim *claim)
{
    char name[64];
    slot_name(c, slot, name, sizeof name);
    sp_claim_touch(&c->claims, name, claim);
}

void sp_slot_drop(const struct sp_campaign_store *c, int slot, const struct sp_claim *claim)
{
    char name[64];
    slot_name(c, slot, name, sizeof name);
    sp_claim_drop(&c->claims, name, claim);
}

/* What a program says need not be text, and its end may be cut off. */
static json_t *text_of(const char *line)
{
    char plain[512];
    json_t *text = json_string(line);
    if (text)
        return text;
    snprintf(plain, sizeof plain, "%s", line);
    for (char *p = plain; *p; p++)
        *p = (unsigned char)*p < 0x80 ? *p : '?';
    return json_string(plain);
}

enum sp_status sp_job_fail(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                           const struct sp_job_failure *failure, struct sp_error *err)
{
    char path[3200], when[24];
    struct sp_job_failure before;
    struct sp_atomic_file file;
    const time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    read_failure(c, job->id, &before);
    json_t *o =
        json_pack("{s:i, s:i, s:i, s:o, s:o, s:s, s:s, s:s, s:s}", "attempt", before.attempt + 1, "exit_code",
                  failure->exit_code, "signal", failure->signal, "error", text_of(failure->error),
                  "last_line", text_of(failure->last), "host", c->claims.self.host, "when", when, "matrix",
                  job->matrix->text, "run", job->run->name);
    failure_path(c, job->id, path, sizeof path);
    enum sp_status status = o ? sp_atomic_open_within(path, &file, err)
                              : sp_fail(err, SP_INPUT, NULL, "names of matrices and runs must be UTF-8");
    if (status == SP_OK) {
        json_dumpf(o, file.stream, JSON_INDENT(2));
        fputc('\n', file.stream);
        status = sp_atomic_commit(&file, err);
    }
    json_decref(o);
    return status;
}
