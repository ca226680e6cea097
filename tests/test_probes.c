#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "probes/probe.h"
#include "run_suite.h"

/* A job that takes a known time and counts its executions. */
struct fake {
    int64_t executions;
    double seconds;
};

static enum sp_status run_fake(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    (void)err;
    struct fake *f = state;
    for (int64_t i = 0; i < repetitions; i++) {
        double end = sp_now() + f->seconds;
        while (sp_now() < end)
            ;
        f->executions++;
    }
    if (stats && stats->thread_s)
        for (int t = 0; t < stats->n_threads; t++)
            stats->thread_s[t] = f->seconds * (double)repetitions * (t + 1);
    return SP_OK;
}

START_TEST(every_row_keeps_its_promises)
{
    ck_assert_ptr_nonnull(sp_probe_table[0]);
    for (int i = 0; sp_probe_table[i]; i++) {
        const struct sp_probe *p = sp_probe_table[i];
        ck_assert_ptr_nonnull(p->name);
        ck_assert_ptr_nonnull(p->summary);
        ck_assert_ptr_eq(sp_probe_find(p->name), p);
        if (p->absent) {
            ck_assert(strlen(p->absent) > 10);
            continue;
        }
        struct sp_error err = {0};
        enum sp_status status = p->available(&err);
        ck_assert(status == SP_OK || (status == SP_ABSENT && err.what[0] && err.remedy[0]));
        p->close(NULL);
    }
    ck_assert_ptr_null(sp_probe_find("nonsense"));
}
END_TEST

START_TEST(time_is_that_of_one_execution)
{
    struct fake f = {.seconds = 1e-4};
    struct sp_job job = {.name = "fake", .state = &f, .run = run_fake, .n_threads = 2};
    struct sp_protocol p = sp_protocol_default(NULL);
    p.budget_s = 0.1;
    void *session;
    struct sp_reading r;
    ck_assert_int_eq(sp_probe_find("time")->open(NULL, &session, NULL), SP_OK);
    ck_assert_int_eq(sp_probe_find("time")->observe(session, &job, &p, &r, NULL), SP_OK);
    ck_assert_int_eq(r.time_s.origin, SP_MEASURED);
    ck_assert(r.time_s.value >= 1e-4); /* no upper bound: the machine may be busy */
    ck_assert(r.time_s.lo <= r.time_s.value && r.time_s.value <= r.time_s.hi);
    ck_assert_int_ge(r.n_samples, 5);
    ck_assert_int_ge(r.repetitions, 1);
    ck_assert_int_ge(f.executions, r.repetitions * r.n_samples);
    ck_assert_double_eq_tol(r.thread_s[1], 2e-4, 1e-9);
    ck_assert_int_eq(r.n_levels, 0);
    sp_reading_free(&r);

    p.repetitions = 3;
    p.min_samples = p.max_samples = 2;
    f.executions = 0;
    ck_assert_int_eq(sp_probe_find("time")->observe(session, &job, &p, &r, NULL), SP_OK);
    ck_assert_int_eq(f.executions, 6);
    ck_assert_int_eq(r.n_samples, 2);
    sp_reading_free(&r);
    sp_probe_find("time")->close(session);
}
END_TEST

static bool at_once(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

START_TEST(cold_samples_are_single_and_interruption_keeps_them)
{
    struct fake f = {.seconds = 1e-5};
    struct sp_job job = {.name = "fake", .state = &f, .run = run_fake, .n_threads = 1};
    struct sp_protocol p = sp_protocol_default(NULL);
    int left = 3;
    p.state = SP_COLD;
    p.min_samples = 10;
    p.interrupted = at_once;
    p.context = &left;
    void *session;
    struct sp_reading r;
    struct sp_error err;
    ck_assert_int_eq(sp_probe_find("time")->open(NULL, &session, NULL), SP_OK);
    ck_assert_int_eq(sp_probe_find("time")->observe(session, &job, &p, &r, &err), SP_INTERRUPTED);
    ck_assert_int_eq(r.n_samples, 3);
    ck_assert_int_eq(f.executions, 3);
    sp_reading_free(&r);
    left = 0;
    ck_assert_int_eq(sp_probe_find("time")->observe(session, &job, &p, &r, &err), SP_INTERRUPTED);
    ck_assert_int_eq(r.time_s.origin, SP_NONE);
    sp_reading_free(&r);
    sp_probe_find("time")->close(session);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("probes");
    TCase *tc = tcase_create("probes");
    tcase_add_test(tc, every_row_keeps_its_promises);
    tcase_add_test(tc, time_is_that_of_one_execution);
    tcase_add_test(tc, cold_samples_are_single_and_interruption_keeps_them);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
