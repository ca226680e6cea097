#include "track/campaign/campaign_jobs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/record/record.h"

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

/* The id of the i-th record of a job: "campaign-ID", "campaign-ID-2". */
static void job_record_id(const struct sp_campaign_job *job, int i, char *id, size_t size)
{
    if (i == 0)
        snprintf(id, size, "campaign-%s", job->id);
    else
        snprintf(id, size, "campaign-%s-%d", job->id, i + 1);
}

/* The path of the i-th record of a job, 0 the one that says "done", in whichever month it lies;
 * false: there is none. An empty file is none: its name was claimed where the file system has no
 * hard links (io/files/part_file.h), by a process that was killed then, or that writes it now. */
static bool job_find_record(const struct sp_campaign_store *c, const struct sp_campaign_job *job, int i,
                            char *path, size_t size)
{
    char records[3100], id[64];
    struct stat facts;
    bool found = false;
    job_record_id(job, i, id, sizeof id);
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

/* Can all of it be read? *why: why not. */
static bool job_record_is_usable(const char *path, struct sp_error *why)
{
    struct sp_record r = {0};
    /* All of it, as the summary reads it: what a skim steps over may be damaged, too. */
    const bool usable = sp_record_read(path, &r, why) == SP_OK;
    sp_record_free(&r);
    return usable;
}

/* Done is what can be read: all records of the job. A damaged one is one failure more. */
static bool has_damaged_record(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                               struct sp_job_failure *f)
{
    char path[4096];
    struct sp_error why;
    for (int i = 0; job_find_record(c, job, i, path, sizeof path); i++) {
        if (job_record_is_usable(path, &why))
            continue;
        read_failure(c, job->id, f);
        *f = (struct sp_job_failure){.attempt = f->attempt + 1, .is_of_record = true};
        sp_error_text(&why, f->error, sizeof f->error);
        return true;
    }
    return false;
}

void sp_job_look(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                 struct sp_job_view *view)
{
    memset(view, 0, sizeof *view);
    const bool found = job_find_record(c, job, 0, view->record, sizeof view->record),
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
    if (job_find_record(c, job, 0, path, sizeof path))
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

enum { DIGITS = 16 };

/* The number that 16 hexadecimal digits are; false: the text does not begin with so many. */
static bool number_of(const char *text, uint64_t *number)
{
    char digits[DIGITS + 1];
    snprintf(digits, sizeof digits, "%s", text);
    if (strspn(digits, "0123456789abcdef") != DIGITS)
        return false;
    *number = strtoull(digits, NULL, DIGITS);
    return true;
}

static bool add(struct sp_campaign_traces *t, uint64_t job)
{
    if (t->n == t->most) {
        const int64_t most = t->most > 0 ? 2 * t->most : 256;
        uint64_t *more = realloc(t->job, (size_t)most * sizeof *more);
        if (!more)
            return false;
        t->job = more;
        t->most = most;
    }
    t->job[t->n++] = job;
    return true;
}

/* The jobs in the names of a folder's files, behind `before`: "campaign-ID.json", "ID.1". */
static bool add_folder(struct sp_campaign_traces *t, const char *path, const char *before)
{
    const size_t n = strlen(before);
    DIR *folder = opendir(path);
    uint64_t job;
    bool good = true;
    for (const struct dirent *e; good && folder && (e = readdir(folder));)
        if (strncmp(e->d_name, before, n) == 0 && number_of(e->d_name + n, &job))
            good = add(t, job);
    if (folder)
        closedir(folder);
    return good;
}

/* The folder of each month. */
static bool add_records(struct sp_campaign_traces *t, const char *store)
{
    char records[3100], month[3400];
    bool good = true;
    snprintf(records, sizeof records, "%s/records", store);
    DIR *months = opendir(records);
    for (const struct dirent *e; good && months && (e = readdir(months));) {
        snprintf(month, sizeof month, "%s/%s", records, e->d_name);
        good = e->d_name[0] == '.' || add_folder(t, month, "campaign-");
    }
    if (months)
        closedir(months);
    return good;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum sp_status sp_campaign_traces_read(const struct sp_campaign_store *c, struct sp_campaign_traces *t,
                                       struct sp_error *err)
{
    char failed[3100];
    t->n = 0;
    snprintf(failed, sizeof failed, "%s/campaign/failed", c->store.path);
    if (!add_records(t, c->store.path) || !add_folder(t, c->claims.folder, "") ||
        !add_folder(t, failed, "")) {
        t->n = 0;
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the names of jobs");
    }
    if (t->n > 1)
        sp_sort_by(t->job, t->n, sizeof *t->job, compare);
    return SP_OK;
}

bool sp_campaign_traces_have(const struct sp_campaign_traces *t, const struct sp_campaign_job *job)
{
    uint64_t id;
    return t->n > 0 && number_of(job->id, &id) && bsearch(&id, t->job, (size_t)t->n, sizeof id, compare);
}

void sp_campaign_traces_free(struct sp_campaign_traces *t)
{
    free(t->job);
    memset(t, 0, sizeof *t);
}

void sp_job_look_by(const struct sp_campaign_traces *t, const struct sp_campaign_store *c,
                    const struct sp_campaign_job *job, struct sp_job_view *view)
{
    if (sp_campaign_traces_have(t, job)) {
        sp_job_look(c, job, view);
        return;
    }
    memset(view, 0, sizeof *view);
    view->state = SP_JOB_WAITING;
}

/* Records of a job from its work folder into the store. */

enum sp_status sp_job_work_make(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                                char *path, struct sp_error *err)
{
    snprintf(path, 4096, "%s/campaign/work/%s.XXXXXX", c->store.path, job->id);
    return mkdtemp(path) ? SP_OK : sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "%s", strerror(errno));
}

static const struct sp_campaign_job *owner_of(const struct sp_campaign *c, const char *folder)
{
    for (int i = 0; i < c->n_jobs; i++)
        if (strncmp(folder, c->job[i].id, strlen(c->job[i].id)) == 0)
            return &c->job[i];
    return NULL;
}

/* A claim on a job that is done: its owner was killed between the two. */
static void sweep_claim(const struct sp_campaign_store *store, const struct sp_campaign_job *job)
{
    struct sp_claim claim;
    bool taken;
    if (sp_claim_look(&store->claims, job->id, &claim) == SP_CLAIM_STALE &&
        sp_claim_take(&store->claims, job->id, &taken, &claim, NULL) == SP_OK && taken)
        sp_claim_drop(&store->claims, job->id, &claim);
}

/* Those whose folders of work are gone already. */
static void sweep_claims(const struct sp_campaign_store *store, const struct sp_campaign *campaign)
{
    DIR *folder = opendir(store->claims.folder);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        const struct sp_campaign_job *job = owner_of(campaign, e->d_name);
        struct sp_job_view view;
        if (!job)
            continue;
        sp_job_look(store, job, &view);
        if (view.state == SP_JOB_DONE)
            sweep_claim(store, job);
    }
    if (folder)
        closedir(folder);
}

void sp_campaign_sweep(const struct sp_campaign_store *store, const struct sp_campaign *campaign)
{
    char work[3100], path[4096];
    sp_claims_sweep(&store->claims);
    snprintf(work, sizeof work, "%s/campaign/work", store->store.path);
    DIR *folder = opendir(work);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        const struct sp_campaign_job *job = owner_of(campaign, e->d_name);
        struct sp_job_view view;
        if (!job)
            continue;
        sp_job_look(store, job, &view);
        if (view.state != SP_JOB_DONE && !view.claim.is_ended)
            continue; /* one that was silent for long may be alive */
        snprintf(path, sizeof path, "%s/%s", work, e->d_name);
        sp_folder_remove(path);
    }
    if (folder)
        closedir(folder);
    sweep_claims(store, campaign);
}

/* A record that is anonymous gets the hashes alone: other words are the user's. */
static void describe(struct sp_record *r, const struct sp_campaign_job *job)
{
    bool anonymous = false;
    sp_record_set_text(r, SP_F_CAMPAIGN_JOB, job->id);
    sp_record_set_text(r, SP_F_CAMPAIGN_TASK, job->task);
    if (sp_record_flag(r, SP_F_ANONYMOUS, &anonymous) && anonymous)
        return;
    sp_record_set_text(r, SP_F_CAMPAIGN_MATRIX, job->matrix->text);
    sp_record_set_text(r, SP_F_CAMPAIGN_RUN, job->run->name);
    json_t *options = json_array();
    for (int i = 0; i < job->run->n_words; i++)
        json_array_append_new(options, json_string(job->run->word[i]));
    sp_record_set_object(r, SP_F_CAMPAIGN_OPTIONS, options);
}

/* Into the store; *path receives its name there. What another process put there stays. */
static enum sp_status add_to_store(const struct sp_campaign_store *c, const char *file, char *path,
                                   struct sp_error *err)
{
    struct stat facts = {0};
    bool added;
    const enum sp_status status = sp_store_add(&c->store, file, &added, path, err);
    return status == SP_OUTPUT && *path && stat(path, &facts) == 0 && facts.st_size > 0 ? SP_OK : status;
}

/* Makes room where the record that is there cannot be read, in whichever month it lies: it stays
 * beside the new one, under a name that no record has. */
static enum sp_status set_damaged_aside(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                                        int i, struct sp_error *err)
{
    struct sp_error why;
    char path[4096], aside[4200];
    if (!job_find_record(c, job, i, path, sizeof path) || job_record_is_usable(path, &why))
        return SP_OK;
    snprintf(aside, sizeof aside, "%s.damaged", path);
    return rename(path, aside) == 0 ? SP_OK
                                    : sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "%s", strerror(errno));
}

static enum sp_status deliver_one(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                                  const char *file, int i, struct sp_error *err)
{
    struct sp_record r;
    char id[64], named[4200], path[4096] = "";
    enum sp_status status = sp_record_read(file, &r, err);
    if (status != SP_OK)
        return status;
    job_record_id(job, i, id, sizeof id);
    snprintf(named, sizeof named, "%.*s.%s", (int)(strlen(file) - strlen(".json")), file, id);
    if (strcmp(sp_words_text(&r, SP_F_STATUS, ""), "complete") != 0)
        status = sp_fail(err, SP_INPUT, NULL, "the record is not complete: its status is '%s'",
                         sp_words_text(&r, SP_F_STATUS, "?"));
    describe(&r, job);
    sp_record_set_text(&r, SP_F_ID, id);
    if (status == SP_OK)
        status = sp_record_write(&r, named, err);
    sp_record_free(&r);
    if (status == SP_OK)
        status = set_damaged_aside(c, job, i, err);
    return status == SP_OK ? add_to_store(c, named, path, err) : status;
}

enum sp_status sp_job_deliver(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                              const char *work, struct sp_error *err)
{
    struct sp_record_paths paths = {0};
    struct sp_job_view view;
    enum sp_status status = sp_record_paths_add(&paths, work, err);
    if (status == SP_OK && paths.n == 0)
        status = sp_fail(err, SP_INPUT, NULL, "it wrote no record");
    sp_job_look(c, job, &view);
    for (int i = paths.n - 1; i >= 0 && status == SP_OK && view.state != SP_JOB_DONE; i--)
        status = deliver_one(c, job, paths.path[i], i, err);
    sp_record_paths_free(&paths);
    return status;
}

const enum sp_record_field sp_campaign_columns[SP_N_COLUMNS] = {
    [SP_COLUMN_TIME] = SP_F_METRICS_TIME,
    [SP_COLUMN_PERFORMANCE] = SP_F_METRICS_PERFORMANCE,
    [SP_COLUMN_FRACTION] = SP_F_METRICS_BANDWIDTH_FRACTION,
    [SP_COLUMN_ALPHA] = SP_F_METRICS_ALPHA,
};

static void name_hints(const struct sp_record *r, char *text, size_t size)
{
    const json_t *hints = sp_record_node(r, SP_F_HINTS), *hint;
    size_t i;
    text[0] = '\0';
    json_array_foreach(hints, i, hint)
    {
        const char *id = sp_item_text(hint, "id");
        const size_t used = strlen(text);
        if (id)
            snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", id);
    }
}

/* Widths tell the records of one job apart. */
static void name_run(const struct sp_record *r, struct sp_campaign_row *row)
{
    int64_t inner = 1;
    char of_rhs[24] = "", of_inner[24] = "";
    if (!sp_record_count(r, SP_F_CONFIG_RHS, &row->rhs))
        row->rhs = -1;
    if (row->rhs > 1)
        snprintf(of_rhs, sizeof of_rhs, " r=%lld", (long long)row->rhs);
    if (sp_record_count(r, SP_F_CONFIG_INNER, &inner) && inner > 1)
        snprintf(of_inner, sizeof of_inner, " k=%lld", (long long)inner);
    snprintf(row->run, sizeof row->run, "%s%s%s", row->job->run->name, of_rhs, of_inner);
}

static enum sp_status read_row(const char *path, struct sp_campaign_row *row, struct sp_error *err)
{
    struct sp_record r = {0};
    enum sp_status status = sp_record_read(path, &r, err);
    if (status != SP_OK)
        return status;
    snprintf(row->record, sizeof row->record, "%s", path);
    snprintf(row->matrix, sizeof row->matrix, "%s",
             sp_words_text(&r, SP_F_PROBLEM_NAME, row->job->matrix->text));
    if (!sp_record_count(&r, SP_F_PROBLEM_NNZ, &row->n_nz))
        row->n_nz = -1;
    for (int i = 0; i < SP_N_COLUMNS; i++) {
        row->value[i] = sp_record_value(&r, sp_campaign_columns[i]);
        if (!sp_value_known(row->value[i]))
            snprintf(row->why[i], sizeof row->why[i], "%s", row->value[i].why ? row->value[i].why : "");
    }
    name_run(&r, row);
    name_hints(&r, row->hints, sizeof row->hints);
    sp_record_free(&r);
    return SP_OK;
}

/* What the rows are collected into. */
struct collecting {
    struct sp_campaign_row *row;
    int n, most;
    sp_missed_record *missed;
    void *context;
};

static enum sp_status add_row(struct collecting *c, const struct sp_campaign_job *job, const char *path,
                              struct sp_error *err)
{
    struct sp_error why;
    if (c->n == c->most) {
        const int most = c->most > 0 ? 2 * c->most : 64;
        struct sp_campaign_row *more = realloc(c->row, (size_t)most * sizeof *more);
        if (!more)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %d rows", most);
        c->row = more;
        c->most = most;
    }
    memset(&c->row[c->n], 0, sizeof *c->row);
    c->row[c->n].job = job;
    if (read_row(path, &c->row[c->n], &why) == SP_OK)
        c->n++;
    else
        c->missed(c->context, &why);
    return SP_OK;
}

static enum sp_status add_rows(struct collecting *c, const struct sp_campaign_store *store,
                               const struct sp_campaign_job *job, struct sp_error *err)
{
    char path[4096];
    enum sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && job_find_record(store, job, i, path, sizeof path); i++)
        status = add_row(c, job, path, err);
    return status;
}

/* Reasons of unknown values went with their records: those that were kept. */
static void point_to_reasons(struct sp_campaign_row *row, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < SP_N_COLUMNS; k++)
            if (!sp_value_known(row[i].value[k]))
                row[i].value[k].why = row[i].why[k];
}

enum sp_status sp_campaign_rows(const struct sp_campaign_store *store, const struct sp_campaign *campaign,
                                sp_missed_record *missed, void *context, struct sp_campaign_row **row, int *n,
                                struct sp_error *err)
{
    struct sp_campaign_traces traces = {0};
    struct collecting c = {.missed = missed, .context = context};
    enum sp_status status = sp_campaign_traces_read(store, &traces, err);
    for (int i = 0; i < campaign->n_jobs && status == SP_OK; i++) {
        if (sp_campaign_traces_have(&traces, &campaign->job[i]))
            status = add_rows(&c, store, &campaign->job[i], err);
    }
    sp_campaign_traces_free(&traces);
    if (status != SP_OK) {
        free(c.row);
        c = (struct collecting){.n = 0};
    }
    point_to_reasons(c.row, c.n);
    *row = c.row;
    *n = c.n;
    return status;
}

enum { MOST = 1 << 20 };

enum sp_status sp_campaign_share_parse(const char *text, struct sp_campaign_share *share,
                                       struct sp_error *err)
{
    const char *slash = strchr(text, '/');
    char first[24];
    int64_t k = 0, n = 0;
    memset(share, 0, sizeof *share);
    snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - text) : 0, text);
    if (!slash || sp_parse_count(first, &k) || sp_parse_count(slash + 1, &n) || k < 1 || k > n || n > MOST)
        return sp_fail(err, SP_USAGE, "take 1/4 ... 4/4 for four processes",
                       "'%.60s' is no share such as 2/4", text);
    *share = (struct sp_campaign_share){(int)k - 1, (int)n, true};
    return SP_OK;
}

/* *there: is the variable set? SP_USAGE where it is no number. */
static enum sp_status variable_of(const char *(*get)(const char *), const char *name, int64_t *x, bool *there,
                                  struct sp_error *err)
{
    const char *text = get(name);
    *there = text && *text;
    if (*there && (sp_parse_count(text, x) || *x < 0 || *x > INT_MAX))
        return sp_fail(err, SP_USAGE, "name the share: " SP_O_SHARE " 1/4", "%s is '%.40s', not a number",
                       name, text);
    return SP_OK;
}

/* Task *k of *n; *n 0: this is none of an array. */
static enum sp_status array_task(const char *(*get)(const char *), int64_t *k, int64_t *n,
                                 struct sp_error *err)
{
    static const char *const name[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
                                       "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
                                       "SLURM_ARRAY_TASK_STEP"};
    enum { ID, COUNT, MIN, MAX, STEP, N_NAMES };
    int64_t x[N_NAMES] = {0, 0, 0, 0, 1};
    bool there[N_NAMES];
    *k = *n = 0;
    for (int i = 0; i < N_NAMES; i++) {
        const enum sp_status status = variable_of(get, name[i], &x[i], &there[i], err);
        if (status != SP_OK)
            return status;
    }
    if (!there[ID])
        return SP_OK;
    const int64_t step = there[STEP] && x[STEP] > 0 ? x[STEP] : 1;
    const bool bounded = there[MIN] && there[MAX] && x[MAX] >= x[MIN];
    const int64_t count = there[COUNT] ? x[COUNT] : bounded ? (x[MAX] - x[MIN]) / step + 1 : 0;
    if (!bounded || count < 1 || count > MOST || x[MIN] + (count - 1) * step != x[MAX] || x[ID] < x[MIN] ||
        x[ID] > x[MAX] || (x[ID] - x[MIN]) % step != 0)
        return sp_fail(
            err, SP_USAGE,
            "number the array's tasks evenly, as in an array of 0-7, or name the share: " SP_O_SHARE " 1/4",
            "task %lld of the array has no place among its %lld tasks", (long long)x[ID], (long long)count);
    *k = (x[ID] - x[MIN]) / step;
    *n = count;
    return SP_OK;
}

/* Process *k of *n that srun started; *n 0: of none. A batch script has SLURM_NTASKS, too, and is
 * none of them: SLURM_STEP_NUM_TASKS is there in a step alone. */
static enum sp_status step_process(const char *(*get)(const char *), int64_t *k, int64_t *n,
                                   struct sp_error *err)
{
    bool has_process, has_tasks;
    int64_t process = 0, tasks = 0;
    *k = *n = 0;
    enum sp_status status = variable_of(get, "SLURM_PROCID", &process, &has_process, err);
    if (status == SP_OK)
        status = variable_of(get, "SLURM_STEP_NUM_TASKS", &tasks, &has_tasks, err);
    if (status != SP_OK || !has_process || !has_tasks)
        return status;
    if (tasks < 1 || tasks > MOST || process >= tasks)
        return sp_fail(err, SP_USAGE, "name the share: " SP_O_SHARE " 1/4",
                       "process %lld of %lld of a step of Slurm", (long long)process, (long long)tasks);
    *k = process;
    *n = tasks;
    return SP_OK;
}

enum sp_status sp_campaign_share_of_slurm(const char *(*get)(const char *), struct sp_campaign_share *share,
                                          struct sp_error *err)
{
    int64_t task, n_tasks, process, n_processes;
    memset(share, 0, sizeof *share);
    enum sp_status status = array_task(get, &task, &n_tasks, err);
    if (status == SP_OK)
        status = step_process(get, &process, &n_processes, err);
    if (status != SP_OK)
        return status;
    const bool in_array = n_tasks > 0, in_step = n_processes > 1;
    if (!in_array && !in_step)
        return SP_OK;
    const int64_t each = in_step ? n_processes : 1, n = (in_array ? n_tasks : 1) * each;
    if (n > MOST)
        return sp_fail(err, SP_USAGE, "take fewer processes", "%lld processes for a campaign", (long long)n);
    *share = (struct sp_campaign_share){(int)((in_array ? task : 0) * each + (in_step ? process : 0)), (int)n,
                                        in_array};
    return SP_OK;
}
