#include "track/campaign/campaign_traces.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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
