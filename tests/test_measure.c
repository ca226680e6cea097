#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/samples.h"
#include "session/measure_plan.h"
#include "session/placement.h"
#include "session/runs.h"
#include "sparse/generate.h"

enum { N = 14 };

/* Latencies of a machine with the given capacities, as random walks see it. */
static void walk(double l2_B, double l3_B, double t3_s, double memory_s, double *size, double *latency)
{
    for (int i = 0; i < N; i++) {
        size[i] = 2 * l2_B * pow(2, 0.5 * i);
        double h2 = l2_B < size[i] ? l2_B / size[i] : 1, h3 = l3_B < size[i] ? l3_B / size[i] : 1;
        double noise = 1 + 0.02 * ((i * 7) % 5 - 2) / 2;
        latency[i] = (h2 * 5e-9 + (h3 - h2) * t3_s + (1 - h3) * memory_s) * noise;
    }
}

START_TEST(the_capacity_is_found)
{
    static const double capacities[] = {6e6, 10e6, 16e6, 32e6, 60e6};
    double size[N], latency[N];
    walk(1 << 20, capacities[_i], 20e-9, 100e-9, size, latency);
    struct sp_value v = sp_measure_knee(N, size, latency, 1 << 20, 5e-9);
    ck_assert(sp_value_known(v) && v.origin == SP_MEASURED);
    ck_assert_double_eq_tol(v.value, capacities[_i], 0.15 * capacities[_i]);
    ck_assert(v.lo <= capacities[_i] * 1.01 && capacities[_i] <= v.hi * 1.01);
}
END_TEST

START_TEST(without_a_rise_it_stays_unknown)
{
    double size[N], latency[N];
    walk(1 << 20, 1e12, 60e-9, 120e-9, size, latency); /* everything fits */
    struct sp_value v = sp_measure_knee(N, size, latency, 1 << 20, 5e-9);
    ck_assert(!sp_value_known(v) && v.why);
    v = sp_measure_knee(3, size, latency, 1 << 20, 5e-9);
    ck_assert(!sp_value_known(v) && v.why);
}
END_TEST

/* Each level between its neighbours, memory the whole arena, one and all threads even when quick. */
START_TEST(working_sets_fit_their_levels)
{
    struct sp_topology t = {.n_cpus = 16, .n_cores = 16, .n_domains = 4, .n_caches = 3};
    t.cache[0] = (struct sp_topology_cache){.level = 1, .size_B = 32 << 10, .cores_sharing = 1};
    t.cache[1] = (struct sp_topology_cache){.level = 2, .size_B = 1 << 20, .cores_sharing = 1};
    t.cache[2] = (struct sp_topology_cache){.level = 3, .size_B = 32 << 20, .cores_sharing = 4};
    struct sp_measure_job *jobs = calloc(SP_MEASURE_MAX_JOBS, sizeof *jobs);
    size_t arena = (size_t)1 << 30;
    int n = sp_measure_plan(&t, 16, _i == 0, arena, jobs), loads[2][4] = {{0}};
    ck_assert(n > 0 && n < SP_MEASURE_MAX_JOBS);
    for (int i = 0; i < n; i++) {
        const struct sp_measure_job *j = &jobs[i];
        size_t m = (size_t)j->n_threads;
        if (strcmp(j->level, "L1") == 0)
            ck_assert(j->bytes <= (size_t)(32 << 10) * m && j->w == 1);
        else if (strcmp(j->level, "L2") == 0)
            ck_assert(j->bytes > (size_t)(32 << 10) * m && j->bytes < (size_t)(1 << 20) * m && j->w == 2);
        else if (strcmp(j->level, "L3") == 0)
            ck_assert(j->bytes > (size_t)(1 << 20) * m && j->bytes <= (size_t)(16 << 20) * ((m + 3) / 4));
        else if (strcmp(j->level, "MEM") == 0)
            ck_assert(j->bytes == arena && j->w == 2);
        else
            ck_assert(sp_ceiling_kind_is_flops(j->kind) && j->bytes == 0);
        for (int k = 0; k < 4; k++)
            if (j->kind == SP_CEILING_LOAD && (m == 1 || m == 16) &&
                strcmp(j->level, (const char *[]){"L1", "L2", "L3", "MEM"}[k]) == 0)
                loads[m == 16][k]++;
    }
    for (int k = 0; k < 8; k++)
        ck_assert_int_eq(loads[k / 4][k % 4], 1);
    n = sp_measure_plan_loads(&t, 16, arena, jobs); /* both once a level, and nothing else */
    ck_assert_int_eq(n, 8);
    for (int i = 0; i < n; i++)
        ck_assert(jobs[i].kind == (i % 2 ? SP_CEILING_LOAD_MIX : SP_CEILING_LOAD) && jobs[i].n_threads == 16);
    free(jobs);
}
END_TEST

static struct sp_pairs run_of(double time_s[3], double roof_Bps[3], double thread_s[2], const char *mode)
{
    struct sp_pairs p = {
        .n = 3, .n_threads = 2, .time_s = time_s, .roof_Bps = roof_Bps, .thread_s = thread_s};
    snprintf(p.mode, sizeof p.mode, "%s", mode);
    p.time = sp_median_interval(time_s, 3, SP_MEASURED);
    p.roof = sp_median_interval(roof_Bps, 3, SP_MEASURED);
    double inverse[3];
    for (int i = 0; i < 3; i++)
        inverse[i] = 1 / (time_s[i] * roof_Bps[i]);
    p.inverse = sp_median_interval(inverse, 3, SP_MEASURED);
    return p;
}

/* Samples within a run agree, runs do not: the interval must show it, and another mode must not count. */
START_TEST(runs_are_pooled_by_their_medians)
{
    double time[4][3] = {{1.00, 1.01, 1.02}, {2.00, 2.01, 2.02}, {9, 9, 9}, {1.20, 1.21, 1.22}};
    double roof[4][3] = {{4, 4, 4}, {4, 4, 4}, {8, 8, 8}, {4, 4, 4}};
    double thread[4][2] = {{0.9, 1.0}, {1.8, 2.0}, {9, 9}, {1.2, 0.6}};
    static const char *const mode[] = {"shared", "shared", "split", "shared"};
    struct sp_pairs run[4], pooled;
    for (int i = 0; i < 4; i++)
        run[i] = run_of(time[i], roof[i], thread[i], mode[i]);
    ck_assert_int_eq(sp_pairs_pool(run, 4, &pooled, NULL), SP_OK);
    ck_assert_str_eq(pooled.mode, "shared");
    ck_assert_int_eq(pooled.n, 9);
    ck_assert_int_eq(pooled.n_dropped, 3);
    ck_assert_double_eq_tol(pooled.time.value, 1.21, 1e-12);
    ck_assert(pooled.time.lo <= 1.01 && pooled.time.hi >= 2.01 && pooled.time.hi < 9);
    ck_assert_double_eq_tol(pooled.inverse.value, 1 / (1.21 * 4), 1e-12);
    ck_assert_double_eq_tol(pooled.thread_s[0], 1.3, 1e-12);
    ck_assert_double_eq_tol(pooled.thread_s[1], 1.2, 1e-12);
    sp_pairs_free(&pooled);
}
END_TEST

/* A topology that claims a second node for the second thread: the real pages all lie on the first. */
START_TEST(local_share_follows_the_threads)
{
    struct sp_csr a;
    struct sp_layout l;
    ck_assert_int_eq(sp_generate("laplace2d:200", NULL, &a, NULL), SP_OK);
    struct sp_workload w = {.schedule = SP_SCHEDULE_NNZ, .n_threads = 2, .matrix = &a};
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    struct sp_cpu cpu[2] = {{.os = 0}, {.os = 1}};
    int os[2] = {0, 1};
    struct sp_topology topology = {.n_cpus = 2, .cpu = cpu, .n_numa = 1};
    struct sp_binding binding = {.n_threads = 2, .cpu = os, .pinned = true};
    ck_assert(!sp_value_known(sp_placement_local_share(&l, &binding, &topology)));
    topology.n_numa = 2;
    struct sp_value both = sp_placement_local_share(&l, &binding, &topology);
    if (!sp_value_known(both)) {
        printf("skipped: %s\n", both.why);
    } else {
        int home =
            both.value > 0.5 ? 0 : 1; /* the node of the pages; other machines number theirs otherwise */
        ck_assert(both.value > 0.99 || both.value < 0.01);
        cpu[1].numa = 1 - home;
        cpu[0].numa = home;
        struct sp_value half = sp_placement_local_share(&l, &binding, &topology);
        ck_assert_double_eq_tol(half.value, 0.5, 0.02);
        binding.pinned = false;
        ck_assert(!sp_value_known(sp_placement_local_share(&l, &binding, &topology)));
    }
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("measure");
    TCase *tc = tcase_create("measure");
    tcase_add_loop_test(tc, the_capacity_is_found, 0, 5);
    tcase_add_test(tc, without_a_rise_it_stays_unknown);
    tcase_add_test(tc, local_share_follows_the_threads);
    tcase_add_test(tc, runs_are_pooled_by_their_medians);
    tcase_add_loop_test(tc, working_sets_fit_their_levels, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
