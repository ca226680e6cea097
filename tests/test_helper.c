/* The helper under libraries that misbehave, and under the real ones where they are installed: nothing hangs,
 * crashes this process, or leaks a library's message, and wrong counts are not believed. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/count_log.h"
#include "probes/counting.h"
#include "probes/helper_counter.h"
#include "run_suite.h"

static int atexit_runs;
static char moved_path[64];

static void count_exit(void)
{
    atexit_runs++;
}

static void use_likwid(const char *mode)
{
    setenv("SPMODEL_LIKWID", SP_FAKE_LIKWID, 1);
    setenv("FAKE_LIKWID", mode, 1);
}

/* Standard output and error in a file, to see that nothing leaks. */
static int begin_capture(int saved[2], char *path)
{
    strcpy(path, "/tmp/spmodel-leak-XXXXXX");
    int fd = mkstemp(path);
    fflush(stdout);
    fflush(stderr);
    saved[0] = dup(STDOUT_FILENO);
    saved[1] = dup(STDERR_FILENO);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    return fd;
}

static long end_capture(int fd, const int saved[2], const char *path)
{
    fflush(stdout);
    fflush(stderr);
    long size = lseek(fd, 0, SEEK_END);
    dup2(saved[0], STDOUT_FILENO);
    dup2(saved[1], STDERR_FILENO);
    close(saved[0]);
    close(saved[1]);
    close(fd);
    unlink(path);
    return size;
}

static const struct {
    const char *library, *mode, *words;
} hostile[] = {
    {"likwid", "exits", "ended its process"},         {"likwid", "crashes", "ended its process"},
    {"likwid", "prints", "perfmon_init returns -13"}, {"likwid", "refuses", "perfmon_init returns -13"},
    {"papi", "exits", "ended its process"},           {"papi", "crashes", "ended its process"},
    {"papi", "prints", "Event does not exist"},       {"papi", "old", "does not initialise"},
    {"likwid", "hangs", "does not answer within"},    {"papi", "hangs", "does not answer within"},
};
enum { N_HOSTILE = sizeof hostile / sizeof *hostile, N_HANGING = 2 };

static void check_hostile(int i)
{
    setenv("SPMODEL_LIKWID", SP_FAKE_LIKWID, 1);
    setenv("SPMODEL_PAPI", SP_FAKE_PAPI, 1);
    setenv("FAKE_LIKWID", hostile[i].mode, 1);
    setenv("FAKE_PAPI", hostile[i].mode, 1);
    atexit(count_exit);
    struct sp_count_log log = {.n_passes = 1};
    struct sp_error err = {0};
    void *state;
    int saved[2];
    char path[64];
    int fd = begin_capture(saved, path);
    enum sp_status status = sp_helper_counter_open(
        strcmp(hostile[i].library, "likwid") == 0 ? &sp_likwid_counter : &sp_papi_counter, NULL, &state, &log,
        &err);
    long leaked = end_capture(fd, saved, path);
    ck_assert_msg(status == SP_ABSENT, "status %d", status);
    ck_assert_msg(strstr(err.what, hostile[i].words), "'%s' does not say '%s'", err.what, hostile[i].words);
    ck_assert_msg(leaked == 0, "%ld bytes were printed", leaked);
    ck_assert(err.remedy[0] && !state && atexit_runs == 0);
    sp_count_log_free(&log);
}

START_TEST(a_hostile_library_gives_one_reason)
{
    check_hostile(_i);
}
END_TEST

static void check_hang_at_start(void)
{
    use_likwid("hangs-at-start");
    struct sp_count_log log = {.n_passes = 1};
    struct sp_error err;
    void *state;
    ck_assert_msg(sp_helper_counter_open(&sp_likwid_counter, NULL, &state, &log, &err) == SP_OK, "%s",
                  err.what);
    ck_assert_int_eq(log.n_events, 2); /* read and write of one socket; the sum is left out */
    ck_assert_int_eq(sp_helper_counter_start(state, 0, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "does not answer"));
    ck_assert_int_eq(sp_helper_counter_start(state, 0, &err), SP_ABSENT); /* and again, at once */
    sp_helper_counter_close(state);
    sp_count_log_free(&log);
}

/* Each is given up after some seconds: all at once, in processes of their own. */
START_TEST(what_hangs_is_given_up)
{
    pid_t child[N_HANGING + 1];
    for (int i = 0; i <= N_HANGING; i++)
        if ((child[i] = fork()) == 0) {
            if (i < N_HANGING)
                check_hostile(N_HOSTILE - N_HANGING + i);
            else
                check_hang_at_start();
            _exit(EXIT_SUCCESS);
        }
    for (int i = 0; i <= N_HANGING; i++) {
        int ended;
        ck_assert_int_eq(waitpid(child[i], &ended, 0), child[i]);
        ck_assert_msg(WIFEXITED(ended) && WEXITSTATUS(ended) == EXIT_SUCCESS, "case %d of those that hang",
                      i);
    }
}
END_TEST

START_TEST(available_does_not_wait_long)
{
    static const char *const libraries[] = {"likwid", "papi"};
    setenv("SPMODEL_LIKWID", SP_FAKE_LIKWID, 1);
    setenv("SPMODEL_PAPI", SP_FAKE_PAPI, 1);
    setenv("FAKE_PAPI", "hangs", 1); /* PAPI is initialised by the look, LIKWID is not */
    setenv("FAKE_LIKWID", "hangs", 1);
    for (int i = 0; i < 2; i++) {
        struct sp_error err;
        ck_assert_int_eq(sp_helper_counter_available(libraries[i], &err), i == 0 ? SP_OK : SP_ABSENT);
        ck_assert_msg(i == 0 || strstr(err.what, "does not answer within 2.0 s"), "%s", err.what);
    }
}
END_TEST

static double moved[2];

/* What the fake library counts. */
static enum sp_status move_bytes(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                 struct sp_error *err)
{
    const struct sp_known *k = state;
    (void)stats;
    (void)err;
    double w = strstr(k->what, "nt") ? 1 : 2;
    for (int64_t i = 0; i < repetitions; i++) {
        double end = sp_now() + 0.002;
        while (sp_now() < end)
            ;
        moved[0] += k->memory_share * (k->load_B + (w - 1) * k->store_B);
        moved[1] += k->memory_share * k->store_B;
    }
    FILE *f = fopen(moved_path, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "%.17g %.17g\n", moved[0], moved[1]);
    fclose(f);
    return SP_OK;
}

static const struct sp_known volumes[] = {{"load", 64e6, 0, 1, 0, NULL},
                                          {"store", 0, 64e6, 1, 0, NULL},
                                          {"store nt", 0, 64e6, 1, 0, NULL},
                                          {"in cache", 200e6, 0, 0, 0, NULL}};

static const struct {
    const char *mode, *words;
    bool trusted;
} counting[] = {{"right", "is believed", true},
                {"per-thread", "is believed", true},
                {"zeros", "nothing", false},
                {"nan", "no number", false},
                {"double", "every line 2 times", false},
                {"missing", "channels may be missing", false},
                {"channels", "is believed", true},
                {"exits-in-child", "is believed", true}};

START_TEST(what_likwid_counts_is_tried_first)
{
    snprintf(moved_path, sizeof moved_path, "/tmp/spmodel-moved-%d", (int)getpid());
    setenv("FAKE_LIKWID_MOVED", moved_path, 1);
    use_likwid(counting[_i].mode);
    void *session;
    struct sp_error err;
    struct sp_reading r;
    struct sp_protocol p = sp_protocol_default(NULL);
    moved[0] = moved[1] = 0;
    ck_assert_msg(sp_counting_open(&sp_likwid_counter, NULL, &session, &err) == SP_OK, "%s", err.what);
    for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++) {
        struct sp_job job = {
            .name = "known", .state = (void *)&volumes[i], .run = move_bytes, .n_threads = 1};
        p.known = &volumes[i];
        ck_assert_msg(sp_counting_observe(session, &job, &p, &r, &err) == SP_OK, "%s", err.what);
    }
    ck_assert_int_eq(sp_counting_log(session)->n_passes, 1); /* of which nothing is kept takes no time */
    struct sp_trust_report report = sp_trust_of(sp_counting_log(session), "MEM", 0.05);
    /* two threads that say the same may well be right; with more of them it is seen, with two the volumes say
     * it */
    bool pair = strcmp(counting[_i].mode, "per-thread") == 0 && sysconf(_SC_NPROCESSORS_ONLN) == 2;
    const char *words = pair ? "every line 2 times" : counting[_i].words;
    ck_assert_msg(report.trusted == (counting[_i].trusted && !pair) && strstr(report.text, words), "%s: %s",
                  counting[_i].mode, report.text);
    sp_counting_close(session);
    unlink(moved_path);
}
END_TEST

/* The kernel counts these itself: the whole way through PAPI, live. */
START_TEST(software_events_through_papi)
{
    unsetenv("SPMODEL_PAPI");
    struct sp_count_log log = {.n_passes = 1};
    struct sp_error err;
    void *state;
    if (sp_helper_counter_open(&sp_papi_counter, "software", &state, &log, &err) != SP_OK) {
        printf("SKIPPED software events through PAPI: %s\n", err.what);
        return;
    }
    struct sp_count count[2];
    ck_assert_int_eq(log.n_events, 2);
    ck_assert_msg(sp_helper_counter_start(state, 0, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_helper_counter_stop(state, count, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(count[0].after >= 500 && count[0].after < 1000, "%g page faults", count[0].after);
    ck_assert_msg(count[1].after > 1e5 && count[1].after < 1e9 * count[1].enabled_s + 1e6,
                  "%g ns of task clock", count[1].after);
    sp_helper_counter_close(state);
    sp_count_log_free(&log);
}
END_TEST

/* Without memory events: misses and operations of the job's threads, in an event set each. */
START_TEST(papi_counts_what_threads_do)
{
    setenv("SPMODEL_PAPI", SP_FAKE_PAPI, 1);
    setenv("FAKE_PAPI", "works", 1);
    struct sp_count_log log = {.n_passes = 1};
    struct sp_error err;
    void *state;
    ck_assert_msg(sp_helper_counter_open(&sp_papi_counter, NULL, &state, &log, &err) == SP_OK, "%s",
                  err.what);
    ck_assert_int_eq(log.n_events, 2);
    ck_assert(strcmp(log.event[0].level, "MEM") == 0 && log.event[0].direction == SP_READS);
    ck_assert(strcmp(log.event[1].level, "core") == 0 && strstr(log.how, "approximation"));
    struct sp_count count[2];
    ck_assert_int_eq(sp_helper_counter_start(state, 0, &err), SP_OK);
    ck_assert_int_eq(sp_helper_counter_stop(state, count, &err), SP_OK);
    ck_assert(count[0].after >= 1000 && fmod(count[0].after, 1000) == 0); /* once a thread */
    ck_assert_double_eq(count[1].after, 5 * count[0].after);
    sp_helper_counter_close(state);
    sp_count_log_free(&log);
}
END_TEST

/* Granite Rapids: two halves of a channel, of each read and write. */
START_TEST(papi_takes_both_halves_of_a_channel)
{
    setenv("SPMODEL_PAPI", SP_FAKE_PAPI, 1);
    setenv("FAKE_PAPI", "halves", 1);
    struct sp_count_log log = {.n_passes = 1};
    struct sp_error err;
    void *state;
    ck_assert_msg(sp_helper_counter_open(&sp_papi_counter, NULL, &state, &log, &err) == SP_OK, "%s",
                  err.what);
    ck_assert_int_eq(log.n_events % 4, 0);
    for (int i = 0; i < log.n_events; i++) {
        ck_assert_int_eq(log.event[i].channel, i / 2 % 2);
        ck_assert_int_eq(log.event[i].direction, i % 2 ? SP_WRITES : SP_READS);
        ck_assert_double_eq(log.event[i].B_per_count, 64);
    }
    sp_helper_counter_close(state);
    sp_count_log_free(&log);
}
END_TEST

START_TEST(the_real_libraries_answer)
{
    static const struct sp_counter *const libraries[] = {&sp_likwid_counter, &sp_papi_counter};
    unsetenv("SPMODEL_LIKWID");
    unsetenv("SPMODEL_PAPI");
    for (int i = 0; i < 2; i++) {
        struct sp_count_log log = {.n_passes = 1};
        struct sp_error err;
        void *state;
        enum sp_status status = sp_helper_counter_open(libraries[i], NULL, &state, &log, &err);
        if (status != SP_OK)
            printf("%s here: %s\n", libraries[i]->name, err.what);
        ck_assert(status == SP_OK ? log.n_events > 0 : status == SP_ABSENT && err.what[0]);
        sp_helper_counter_close(state);
        sp_count_log_free(&log);
    }
}
END_TEST

START_TEST(a_helper_that_is_not_there_is_said)
{
    setenv("SPMODEL_HELPER", "/nonexistent", 1);
    struct sp_helper h;
    struct sp_error err;
    ck_assert_int_eq(sp_helper_start("papi", &h, &err), SP_ABSENT);
    ck_assert(strstr(err.what, "not found") && h.pid == 0);
    setenv("SPMODEL_HELPER", "/bin/true", 1); /* a program that is another */
    ck_assert_int_eq(sp_helper_start("papi", &h, &err), SP_OK);
    ck_assert_int_eq(sp_helper_ask(&h, 2, "look", NULL, NULL, &err), SP_ABSENT);
    sp_helper_stop(&h);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("helper");
    TCase *tc = tcase_create("helper");
    tcase_add_loop_test(tc, a_hostile_library_gives_one_reason, 0, N_HOSTILE - N_HANGING);
    tcase_add_test(tc, available_does_not_wait_long);
    tcase_add_test(tc, what_hangs_is_given_up);
    tcase_add_loop_test(tc, what_likwid_counts_is_tried_first, 0, sizeof counting / sizeof *counting);
    tcase_add_test(tc, software_events_through_papi);
    tcase_add_test(tc, papi_counts_what_threads_do);
    tcase_add_test(tc, papi_takes_both_halves_of_a_channel);
    tcase_add_test(tc, the_real_libraries_answer);
    tcase_add_test(tc, a_helper_that_is_not_there_is_said);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
