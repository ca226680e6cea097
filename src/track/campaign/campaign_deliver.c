/* Records of a job from its work folder into the store. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "io/record/record_words.h"
#include "track/campaign/campaign_jobs.h"

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

/* A record that is anonymous gets the hashes alone: the other words are the user's names for things. */
static void describe(struct sp_record *r, const struct sp_campaign_job *job)
{
    bool anonymous = false;
    sp_record_set_text(r, "campaign.job", job->id);
    sp_record_set_text(r, "campaign.task", job->task);
    if (sp_record_flag(r, "anonymous", &anonymous) && anonymous)
        return;
    sp_record_set_text(r, "campaign.matrix", job->matrix->text);
    sp_record_set_text(r, "campaign.run", job->run->name);
    json_t *options = json_array();
    for (int i = 0; i < job->run->n_words; i++)
        json_array_append_new(options, json_string(job->run->word[i]));
    sp_record_set_object(r, "campaign.options", options);
}

/* Into the store; *path receives its name there. What another process put there under this name stays. */
static enum sp_status add_to_store(const struct sp_campaign_store *c, const char *file, char *path,
                                   struct sp_error *err)
{
    struct stat facts = {0};
    bool added;
    const enum sp_status status = sp_store_add(&c->store, file, &added, path, err);
    return status == SP_OUTPUT && *path && stat(path, &facts) == 0 && facts.st_size > 0 ? SP_OK : status;
}

/* Makes room where the record that is there cannot be read, in whichever month it lies: it stays beside the
 * new one, under a name that no record has. */
static enum sp_status set_damaged_aside(const struct sp_campaign_store *c, const struct sp_campaign_job *job,
                                        int i, struct sp_error *err)
{
    struct sp_error why;
    char path[4096], aside[4200];
    if (!sp_job_find_record(c, job, i, path, sizeof path) || sp_job_record_is_usable(path, &why))
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
    sp_job_record_id(job, i, id, sizeof id);
    snprintf(named, sizeof named, "%.*s.%s", (int)(strlen(file) - strlen(".json")), file, id);
    if (strcmp(sp_words_text(&r, "status", ""), "complete") != 0)
        status = sp_fail(err, SP_INPUT, NULL, "the record is not complete: its status is '%s'",
                         sp_words_text(&r, "status", "?"));
    describe(&r, job);
    sp_record_set_text(&r, "id", id);
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
