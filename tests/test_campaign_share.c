/* Which share of a campaign a process takes, by Slurm's variables set by hand. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "track/campaign/campaign_jobs.h"

static const char *const names[] = {
    "SLURM_ARRAY_TASK_ID",   "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_STEP", "SLURM_PROCID",           "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};
enum { N_NAMES = sizeof names / sizeof *names, N_JOBS = 23 };
static const char *values[N_NAMES];

static const char *get(const char *name)
{
    for (int i = 0; i < N_NAMES; i++)
        if (strcmp(names[i], name) == 0)
            return values[i];
    return NULL;
}

static void set(const char *id, const char *count, const char *min, const char *max, const char *step,
                const char *process, const char *tasks)
{
    const char *const all[N_NAMES] = {id, count, min, max, step, process, tasks, "7"};
    memcpy(values, all, sizeof values);
}

static struct sp_campaign_share share(void)
{
    struct sp_campaign_share s;
    struct sp_error err = {0};
    ck_assert_msg(sp_campaign_share_of_slurm(get, &s, &err) == SP_OK, "%s", err.what);
    return s;
}

/* Whatever is not evenly numbered, or no number. */
static void refused(void)
{
    struct sp_campaign_share s;
    struct sp_error err = {0};
    ck_assert_int_eq(sp_campaign_share_of_slurm(get, &s, &err), SP_USAGE);
    ck_assert(err.what[0] && err.remedy[0]);
}

START_TEST(nobody_shares_without_slurm)
{
    set(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    struct sp_campaign_share s = share();
    ck_assert(s.n <= 1 && !s.only && sp_campaign_share_has(&s, 0) && sp_campaign_share_has(&s, 5));
    set(NULL, NULL, NULL, NULL, NULL, "0", NULL); /* a batch script: process 0, of no step */
    s = share();
    ck_assert(s.n <= 1 && !s.only);
    set("5", "1", "5", "5", "1", NULL, NULL); /* one task again, after the others: all that is left */
    s = share();
    ck_assert(s.n == 1 && sp_campaign_share_has(&s, 0) && sp_campaign_share_has(&s, 1));
}
END_TEST

/* --array=2-11:3 are 2, 5, 8, 11; each process of each task once, each job in one share. */
START_TEST(each_job_is_in_one_share)
{
    static const char *const id[] = {"2", "5", "8", "11"}, *const process[] = {"0", "1", "2"};
    int taken[N_JOBS] = {0};
    for (int t = 0; t < 4; t++)
        for (int p = 0; p < 3; p++) {
            set(id[t], "4", "2", "11", "3", process[p], "3");
            const struct sp_campaign_share s = share();
            ck_assert(s.n == 12 && s.k == 3 * t + p && s.only);
            for (int i = 0; i < N_JOBS; i++)
                taken[i] += sp_campaign_share_has(&s, i);
        }
    for (int i = 0; i < N_JOBS; i++)
        ck_assert_int_eq(taken[i], 1);
}
END_TEST

START_TEST(processes_of_a_step_help_each_other)
{
    set(NULL, NULL, NULL, NULL, NULL, "1", "4");
    const struct sp_campaign_share s = share();
    ck_assert(s.n == 4 && s.k == 1 && !s.only);
    set("1", NULL, "0", "3", "1", "0", "1"); /* an older Slurm, without the count; a step of one process */
    const struct sp_campaign_share one = share();
    ck_assert(one.n == 4 && one.k == 1 && one.only);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    set("7", "3", "1", "7", "1", NULL, NULL); /* --array=1,3,7 */
    refused();
    set("x", "3", "0", "2", "1", NULL, NULL);
    refused();
    set("3", "3", "0", "2", "1", NULL, NULL);
    refused();
    set("1", NULL, NULL, NULL, NULL, NULL, NULL);
    refused();
    set(NULL, NULL, NULL, NULL, NULL, "4", "4");
    refused();
    static const char *const wrong[] = {"", "1", "0/4", "5/4", "1/0", "a/4", "1/4x", "/", "1/99999999999"};
    struct sp_campaign_share s;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(sp_campaign_share_parse(wrong[i], &s, NULL), SP_USAGE);
    ck_assert_int_eq(sp_campaign_share_parse("4/4", &s, NULL), SP_OK);
    ck_assert(s.k == 3 && s.n == 4 && s.only);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("campaign share");
    TCase *tc = tcase_create("campaign share");
    tcase_add_test(tc, nobody_shares_without_slurm);
    tcase_add_test(tc, each_job_is_in_one_share);
    tcase_add_test(tc, processes_of_a_step_help_each_other);
    tcase_add_test(tc, what_makes_no_sense_is_refused);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
