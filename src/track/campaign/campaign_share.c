#include "track/campaign/campaign_share.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/text.h"

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
static enum sp_status number_of(const char *(*get)(const char *), const char *name, int64_t *x, bool *there,
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
        const enum sp_status status = number_of(get, name[i], &x[i], &there[i], err);
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
    enum sp_status status = number_of(get, "SLURM_PROCID", &process, &has_process, err);
    if (status == SP_OK)
        status = number_of(get, "SLURM_STEP_NUM_TASKS", &tasks, &has_tasks, err);
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
