/* Which jobs of a campaign one of several processes begins with: its share K of N, jobs K, K + N,
 * K + 2 N ... of the list. Claims see to it that no job is done twice, whatever the shares; a share
 * sees to it that the processes of a batch system ask for different ones, and end. */
#ifndef SP_TRACK_CAMPAIGN_SHARE_H
#define SP_TRACK_CAMPAIGN_SHARE_H

#include <stdbool.h>

#include "base/status.h"

struct sp_campaign_share {
    int k, n;  /* 0 <= k < n; n 0 or 1: all of them */
    bool only; /* nothing else is run: tasks of an array have a time of their own each */
};

/* "2/8": the second of 8. SP_USAGE. */
enum sp_status sp_campaign_share_parse(const char *text, struct sp_campaign_share *share,
                                       struct sp_error *err);

/* By Slurm's variables, of which `get` has the values (NULL: not set):
 *
 *   SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _MAX, _STEP   a task of a job array: its share alone
 *   SLURM_PROCID, SLURM_STEP_NUM_TASKS               one of srun's: its share first, then others
 *
 * both: of each task's share the one of the process. Without them all jobs. SP_USAGE: the numbers
 * of the array do not follow each other evenly, or make no sense. */
enum sp_status sp_campaign_share_of_slurm(const char *(*get)(const char *name),
                                          struct sp_campaign_share *share, struct sp_error *err);

/* Is job i of the list in it? */
static inline bool sp_campaign_share_has(const struct sp_campaign_share *share, int i)
{
    return share->n <= 1 || i % share->n == share->k;
}

#endif
