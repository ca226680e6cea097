/* Jobs of a campaign: records made once, failures, turns, processes that are killed. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "read_campaign.h"
#include "run_suite.h"
#include "track/campaign/campaign_jobs.h"

static void write_record(const char *folder, const char *name, const char *status)
{
    struct sp_record r;
    char path[4200];
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_STATUS, status);
    sp_record_set_text(&r, SP_F_PROBLEM_NAME, "m");
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    ck_assert_int_eq(sp_record_write(&r, path, NULL), SP_OK);
    sp_record_free(&r);
}

/* Puts hints that are no JSON before all else. */
static void damage_hints(const char *path)
{
    char text[8192];
    FILE *f = fopen(path, "r");
    const size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    ck_assert(n > 1 && n < sizeof text && text[0] == '{');
    f = fopen(path, "w");
    fprintf(f, "{\"hints\": [7 7],%.*s", (int)n - 1, text + 1);
    fclose(f);
}

static struct sp_campaign_store open_store(void)
{
    struct sp_store store;
    struct sp_campaign_store c;
    char path[128];
    snprintf(path, sizeof path, "%s/store", dir);
    ck_assert_int_eq(sp_store_open(path, true, &store, NULL), SP_OK);
    ck_assert_int_eq(sp_campaign_store_open(&store, 600, true, &c, NULL), SP_OK);
    return c;
}

static int n_records(const struct sp_campaign_store *c)
{
    struct sp_record_paths paths = {0};
    ck_assert_int_eq(sp_store_list(&c->store, &paths, NULL), SP_OK);
    const int n = paths.n;
    sp_record_paths_free(&paths);
    return n;
}

static enum sp_status deliver(const struct sp_campaign_store *c, const struct sp_campaign_job *job, int n,
                              const char *state, struct sp_error *err)
{
    char work[4096], name[16];
    ck_assert_int_eq(sp_job_work_make(c, job, work, err), SP_OK);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "r%d", i);
        write_record(work, name, state);
    }
    const enum sp_status status = sp_job_deliver(c, job, work, err);
    sp_folder_remove(work);
    ck_assert_int_ne(access(work, F_OK), 0);
    return status;
}

/* Work of an owner that was silent for long and may be alive stays until the job is done. */
START_TEST(only_the_work_of_the_dead_is_swept)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    const struct sp_campaign_job *job = &c.job[0];
    char work[4096], name[64];
    ck_assert_int_eq(sp_job_work_make(&store, job, work, NULL), SP_OK);
    snprintf(name, sizeof name, "store/campaign/claims/%s.1", job->id);
    const char *path = write_file(name, "{\"host\": \"elsewhere\", \"boot\": \"other\", \"pid\": 1}");
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    sp_campaign_sweep(&store, &c);
    ck_assert_int_eq(access(work, F_OK), 0);
    ck_assert_int_eq(deliver(&store, job, 1, "complete", NULL), SP_OK);
    sp_campaign_sweep(&store, &c);
    ck_assert_int_ne(access(work, F_OK), 0);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(a_job_has_one_record)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a gen:b\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    struct sp_job_view view;
    struct sp_error err;
    struct sp_record r;
    const char *text;
    ck_assert_int_eq(deliver(&store, &c.job[0], 0, "complete", &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "no record"));
    ck_assert_int_eq(deliver(&store, &c.job[0], 1, "interrupted", &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "not complete"));
    sp_job_look(&store, &c.job[0], &view);
    ck_assert_int_eq(view.state, SP_JOB_WAITING);
    for (int again = 0; again < 3; again++)
        ck_assert_int_eq(deliver(&store, &c.job[0], 1, "complete", &err), SP_OK);
    ck_assert_int_eq(n_records(&store), 1);
    sp_job_look(&store, &c.job[0], &view);
    ck_assert_int_eq(view.state, SP_JOB_DONE);
    ck_assert_int_eq(sp_record_read(view.record, &r, NULL), SP_OK);
    ck_assert(sp_record_text(&r, SP_F_CAMPAIGN_RUN, &text) && strcmp(text, "crs") == 0);
    ck_assert(sp_record_text(&r, SP_F_CAMPAIGN_MATRIX, &text) && strcmp(text, "gen:a") == 0);
    ck_assert(sp_record_text(&r, SP_F_CAMPAIGN_JOB, &text) && strcmp(text, c.job[0].id) == 0);
    sp_record_free(&r);
    ck_assert_int_eq(deliver(&store, &c.job[1], 3, "complete", &err), SP_OK); /* several widths */
    ck_assert_int_eq(n_records(&store), 4);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(failures_are_kept_and_run_again_when_asked)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    const struct sp_campaign_job *job = &c.job[0];
    struct sp_job_failure failure = {.exit_code = 3, .error = "cut \xc3", .last = "remedy"};
    struct sp_job_view view;
    struct sp_claim claim;
    bool taken;
    ck_assert_int_eq(sp_job_take(&store, job, 0, &taken, &claim, NULL), SP_OK);
    ck_assert(taken);
    sp_job_look(&store, job, &view);
    ck_assert(view.state == SP_JOB_CLAIMED && view.claim.owner.pid == (int)getpid());
    ck_assert_int_eq(sp_job_fail(&store, job, &failure, NULL), SP_OK);
    sp_job_drop(&store, job, &claim);
    sp_job_look(&store, job, &view);
    ck_assert(view.state == SP_JOB_FAILED && view.failure.exit_code == 3 && view.failure.attempt == 1);
    ck_assert_str_eq(view.failure.error, "cut ?");
    ck_assert_str_eq(view.failure.last, "remedy");
    ck_assert_int_eq(sp_job_take(&store, job, 0, &taken, &claim, NULL), SP_OK);
    ck_assert(!taken);
    ck_assert_int_eq(sp_job_take(&store, job, 1, &taken, &claim, NULL), SP_OK);
    ck_assert(taken);
    ck_assert_int_eq(sp_job_fail(&store, job, &failure, NULL), SP_OK);
    sp_job_drop(&store, job, &claim);
    /* Another process that was also asked for one more attempt sees that it has been made. */
    ck_assert_int_eq(sp_job_take(&store, job, 1, &taken, &claim, NULL), SP_OK);
    ck_assert(!taken);
    ck_assert_int_eq(deliver(&store, job, 1, "complete", NULL), SP_OK);
    sp_job_look(&store, job, &view);
    ck_assert_int_eq(view.state, SP_JOB_DONE);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

/* Damage in a part that tracking steps over is damage: the job has failed, and is measured anew when asked.
 */
START_TEST(all_of_a_record_must_be_readable)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    const struct sp_campaign_job *job = &c.job[0];
    struct sp_job_view view;
    struct sp_claim claim;
    bool taken;
    ck_assert_int_eq(deliver(&store, job, 1, "complete", NULL), SP_OK);
    sp_job_look(&store, job, &view);
    ck_assert_int_eq(view.state, SP_JOB_DONE);
    damage_hints(view.record);
    sp_job_look(&store, job, &view);
    ck_assert(view.state == SP_JOB_FAILED && view.failure.is_of_record);
    ck_assert_int_eq(sp_job_take(&store, job, 0, &taken, &claim, NULL), SP_OK);
    ck_assert(!taken);
    ck_assert_int_eq(sp_job_take(&store, job, 1, &taken, &claim, NULL), SP_OK);
    ck_assert(taken);
    ck_assert_int_eq(deliver(&store, job, 1, "complete", NULL), SP_OK);
    sp_job_look(&store, job, &view);
    ck_assert_int_eq(view.state, SP_JOB_DONE);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(jobs_of_a_machine_take_turns)
{
    make_dir();
    const struct sp_campaign_store store = open_store();
    struct sp_claim first, second, third;
    int slot[3];
    ck_assert_int_eq(sp_slot_take(&store, 1, &slot[0], &first, NULL), SP_OK);
    ck_assert_int_eq(slot[0], 0);
    ck_assert_int_eq(sp_slot_take(&store, 1, &slot[1], &second, NULL), SP_OK);
    ck_assert_int_eq(slot[1], -1);
    ck_assert_int_eq(sp_slot_take(&store, 2, &slot[1], &second, NULL), SP_OK);
    ck_assert_int_eq(slot[1], 1);
    sp_slot_drop(&store, slot[0], &first);
    ck_assert_int_eq(sp_slot_take(&store, 1, &slot[2], &third, NULL), SP_OK);
    ck_assert_int_eq(slot[2], 0);
    remove_dir();
}
END_TEST

/* A process that does jobs until none is left; each start of one leaves a byte in a log. */
static void work_off(const struct sp_campaign *c, const char *log)
{
    const struct sp_campaign_store store = open_store();
    for (int i = 0; i < c->n_jobs; i++) {
        struct sp_claim claim;
        bool taken;
        if (sp_job_take(&store, &c->job[i], 0, &taken, &claim, NULL) != SP_OK)
            _exit(1);
        if (!taken)
            continue;
        const int fd = open(log, O_CREAT | O_WRONLY | O_APPEND, 0644);
        if (write(fd, "x", 1) != 1 || deliver(&store, &c->job[i], 1, "complete", NULL) != SP_OK)
            _exit(1);
        close(fd);
        sp_job_drop(&store, &c->job[i], &claim);
    }
    _exit(0);
}

/* Two processes at a time, killed twenty times in the middle of their work: in the end every job has one
 * record, and no kill cost more than the job that was being done. */
START_TEST(a_kill_costs_at_most_a_job)
{
    enum { N = 120, KILLS = 20 };
    make_dir();
    char text[16 + 8 * N] = "run crs: --threads 2\nmatrix", log[128];
    struct stat facts;
    int killed = 0;
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " gen:%d", i);
    strcat(text, "\nrun two: --x\nrun three: --y\n");
    struct sp_campaign c = read_campaign(text, "", "");
    ck_assert_int_eq(c.n_jobs, N);
    snprintf(log, sizeof log, "%s/log", dir);
    const struct sp_campaign_store store = open_store();
    for (int round = 0; round <= KILLS; round++) {
        pid_t child[2];
        for (int k = 0; k < 2; k++)
            if ((child[k] = fork()) == 0)
                work_off(&c, log);
        usleep(4000);
        for (int k = 0; k < 2; k++) {
            int status;
            if (round < KILLS)
                kill(child[k], SIGKILL);
            waitpid(child[k], &status, 0);
            ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
            killed += WIFSIGNALED(status);
        }
    }
    ck_assert_msg(killed > 0, "none of %d processes was killed before its end", 2 * KILLS);
    ck_assert_int_eq(n_records(&store), N);
    ck_assert_int_eq(stat(log, &facts), 0);
    ck_assert_msg(facts.st_size <= N + killed, "%d starts of %d jobs, %d kills", (int)facts.st_size, N,
                  killed);
    for (int i = 0; i < N; i++) {
        struct sp_job_view view;
        sp_job_look(&store, &c.job[i], &view);
        ck_assert_int_eq(view.state, SP_JOB_DONE);
    }
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("campaign_jobs");
    TCase *t = tcase_create("campaign_jobs");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, only_the_work_of_the_dead_is_swept);
    tcase_add_test(t, a_job_has_one_record);
    tcase_add_test(t, failures_are_kept_and_run_again_when_asked);
    tcase_add_test(t, all_of_a_record_must_be_readable);
    tcase_add_test(t, jobs_of_a_machine_take_turns);
    tcase_add_test(t, a_kill_costs_at_most_a_job);
    suite_add_tcase(s, t);
    return run_suite(s);
}
