/* The rows that the whole team runs for P_core: a sample of the matrix's own, of which one execution is worth
 * what its entries are. How fast it is belongs to no test. */
#include <check.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "kernels/kernel.h"
#include "run_suite.h"
#include "session/analyze/pcore.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/half.h"
#include "sparse/formats/layout.h"
#include "sparse/generate/generate.h"
#include "tried_formats.h"

enum { N_THREADS = 2 };
static int64_t n_shared; /* rows that threads of the last team update beside their own */

/* One execution of the team's rows; their entries and what they are worth, or the status that said no. */
static enum sp_status run_team(const char *spec, const char *format, struct sp_layout *shape, double *work)
{
    struct sp_csr m;
    struct sp_error err;
    struct sp_pcore_team *team = NULL;
    struct sp_job job;
    ck_assert_int_eq(sp_generate(spec, NULL, &m, &err), SP_OK);
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .r = 1,
                            .n_threads = N_THREADS,
                            .C = 1,
                            .sigma = 1,
                            .precision = SP_F64,
                            .schedule = SP_SCHEDULE_ROWS,
                            .matrix = &m};
    ck_assert_int_eq(sp_workload_set_format(&w, format, &err), SP_OK);
    struct sp_pcore_options o = sp_pcore_options_for(NULL, &w, NULL, SP_SPEND_OTHERS);
    o.window_B = 48 << 10; /* 4,096 entries of CRS */
    const struct sp_kernel *kernel;
    struct sp_value rate;
    enum sp_status status = m.n_nz == 0 ? SP_OK : sp_pcore_choose(&w, NULL, &o, &kernel, &rate, &err);
    ck_assert_int_eq(status, SP_OK);
    status = sp_pcore_team_make(&w, kernel, &o, &team, &job, work, &err);
    if (status == SP_OK) {
        ck_assert_int_eq(job.n_threads, N_THREADS);
        ck_assert_int_eq(job.run(job.state, 2, NULL, &err), SP_OK);
        *shape = *job.layout; /* its numbers */
        n_shared = w.format == SP_FORMAT_HALF ? sp_half_windows(job.layout) : 0;
    }
    sp_pcore_team_free(team);
    sp_csr_free(&m);
    return status;
}

/* Two windows of 100 flop each, in three passes of which each was interrupted somewhere. */
START_TEST(an_interrupted_pass_of_a_window_says_nothing)
{
    struct sp_pcore_passes p = {.n_windows = 2,
                                .n_passes = 3,
                                .work = {100, 100},
                                .time = {{1e-6, 5e-3}, {4e-3, 1e-6}, {1.1e-6, 1.2e-6}}};
    bool is_clean;
    const struct sp_value disturbed = sp_pcore_pool(&p, &is_clean);
    ck_assert(!is_clean);
    ck_assert_double_eq_tol(disturbed.value, 100e6, 1);
    ck_assert_double_eq_tol(disturbed.lo, 50e6, 1); /* on a shared core */
    ck_assert_double_eq_tol(disturbed.hi, 100e6, 1);

    p.clean[2][0] = p.clean[2][1] = true;
    const struct sp_value clean = sp_pcore_pool(&p, &is_clean);
    ck_assert(is_clean);
    ck_assert_double_eq_tol(clean.value, 200 / 2.3e-6, 1);
    ck_assert_double_eq_tol(clean.lo, 100 / 1.2e-6, 1); /* without the faster window */
    ck_assert_double_eq_tol(clean.hi, 100 / 1.1e-6, 1);

    p.n_passes = 0;
    ck_assert(!sp_value_known(sp_pcore_pool(&p, &is_clean)));
}
END_TEST

START_TEST(a_small_matrix_is_run_whole)
{
    struct sp_layout l;
    double work;
    ck_assert_int_eq(run_team("laplace2d:20", "crs", &l, &work), SP_OK);
    ck_assert_int_eq(l.n_r, 400);
    ck_assert_int_eq(l.n_nz, 5 * 400 - 4 * 20);
    ck_assert_double_eq(work, 2.0 * (double)l.n_nz);
}
END_TEST

/* Of a large one windows of eight places, together twice a window for each thread; a row that is longer than
 * its window is cut. */
START_TEST(a_large_matrix_is_sampled)
{
    struct sp_layout l;
    double work;
    ck_assert_int_eq(run_team("laplace2d:300", "crs", &l, &work), SP_OK);
    ck_assert_int_gt(l.n_nz, 15000);
    ck_assert_int_le(l.n_nz, 2 * N_THREADS * 4096);
    ck_assert_int_le(l.n_c, 4096);
    ck_assert_double_eq(work, 2.0 * (double)l.n_nz);
    ck_assert_int_eq(run_team("arrow:100000", "crs", &l, &work), SP_OK);
    ck_assert_int_le(l.n_nz, 2 * N_THREADS * 4096 + 3 * 2048);
}
END_TEST

/* The most memory that this process ever had [B]. */
static double peak_B(void)
{
    struct rusage usage;
    ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Which kernels there are for padded storage is not asked with a row as long as the matrix: chunks of 32
 * rows would take 154 MB. */
START_TEST(a_long_row_takes_no_memory)
{
    struct sp_csr m;
    struct sp_error err;
    const struct sp_kernel *kernel;
    struct sp_value rate;
    ck_assert_int_eq(sp_generate("arrow:400000", NULL, &m, &err), SP_OK);
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .r = 1,
                            .n_threads = 1,
                            .precision = SP_F64,
                            .schedule = SP_SCHEDULE_NNZ,
                            .matrix = &m};
    ck_assert_int_eq(sp_workload_set_format(&w, "sell:32,256", &err), SP_OK);
    const struct sp_pcore_options o = sp_pcore_options_for(NULL, &w, NULL, SP_SPEND_OTHERS);
    const double before_B = peak_B(), padded_B = 32 * 12.0 * (double)m.n_r;
    ck_assert_int_eq(sp_pcore_choose(&w, NULL, &o, &kernel, &rate, &err), SP_OK);
    ck_assert_double_lt(peak_B() - before_B, padded_B / 4);
    sp_csr_free(&m);
}
END_TEST

/* Of half storage from all over the matrix, too, as far from the diagonal as they are there; updates of
 * others' rows are no part of P_core. */
START_TEST(threads_of_half_storage_keep_to_their_rows)
{
    static const char *const specs[] = {"laplace2d:300", "laplace2d:20", "laplace2d:300+permuted:5"};
    for (int i = 0; i < 3; i++) {
        struct sp_layout half, crs;
        double work, work_crs;
        ck_assert_int_eq(run_team(specs[i], "crs", &crs, &work_crs), SP_OK);
        ck_assert_int_eq(run_team(specs[i], "half", &half, &work), SP_OK);
        ck_assert_double_gt(work, 0.8 * work_crs);
        ck_assert_double_eq(work, 2.0 * (double)half.n_nz);
        ck_assert_int_eq(n_shared, 0);
    }
}
END_TEST

/* What is executed is stored entries; what it is worth counts by the fill of the whole matrix. */
START_TEST(fill_is_that_of_the_whole_matrix)
{
    struct sp_layout l;
    double work;
    ck_assert_int_eq(run_team("powerlaw:14:8", "sell:8,1", &l, &work), SP_OK);
    ck_assert_int_gt(l.n_stored, l.n_nz);
    struct sp_csr m;
    struct sp_error err;
    ck_assert_int_eq(sp_generate("powerlaw:14:8", NULL, &m, &err), SP_OK);
    const struct sp_pattern pattern = sp_csr_pattern(&m);
    ck_assert_double_eq_tol(work / (2.0 * (double)l.n_stored), sp_sell_beta(&pattern, 8, 1), 1e-12);
    sp_csr_free(&m);
}
END_TEST

START_TEST(every_format_has_rows_for_the_team)
{
    const char *formats[MOST_TRIED_FORMATS];
    const int n = tried_formats(SP_OP_SPMV, formats);
    for (int i = 0; i < n; i++) {
        struct sp_layout l;
        double work = 0;
        ck_assert_msg(run_team("laplace3d:30", formats[i], &l, &work) == SP_OK, "%s", formats[i]);
        ck_assert_double_gt(work, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pcore");
    TCase *tc = tcase_create("pcore");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, an_interrupted_pass_of_a_window_says_nothing);
    tcase_add_test(tc, a_small_matrix_is_run_whole);
    tcase_add_test(tc, a_large_matrix_is_sampled);
    tcase_add_test(tc, fill_is_that_of_the_whole_matrix);
    tcase_add_test(tc, a_long_row_takes_no_memory);
    tcase_add_test(tc, threads_of_half_storage_keep_to_their_rows);
    tcase_add_test(tc, every_format_has_rows_for_the_team);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
