/* Every row of the kernel table keeps its promises on matrices that are nasty in one way each, in every
 * format, C, sigma, precision, index width, schedule, number of threads and way of storing. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "small_matrices.h"
#include "sparse/verify.h"

static double *vector_of(int64_t n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)(sp_random_at(3, (uint64_t)i) >> 11) * 0x1p-52 - 1;
    return x;
}

/* Prepares, runs and checks one kernel on one layout. */
static void check_kernel(const struct sp_kernel *kernel, const struct sp_workload *w,
                         const struct sp_layout *l, const double *x, bool store_nt)
{
    struct sp_operands operands = {.x = x, .store_nt = store_nt};
    struct sp_error err;
    void *state;
    if (kernel->prepare(l, &operands, &state, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    struct sp_kernel_facts facts;
    kernel->facts(state, &facts);
    if (facts.store_nt && !store_nt)
        ck_abort_msg("%s stores past the cache though nobody asked", kernel->name);
    double thread_s[8] = {0};
    struct sp_run_stats stats = {thread_s, w->n_threads};
    /* Three executions: the later ones meet what those before them left. */
    if (kernel->run(state, 3, &stats, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    int64_t n_y = (w->precision == SP_C128 ? 2 : 1) * l->n_r;
    double *y = malloc((size_t)(n_y + 1) * sizeof *y);
    for (int64_t i = 0; i < n_y; i++)
        y[i] = NAN;
    if (kernel->fetch(state, y, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    struct sp_spmv_check check;
    if (sp_spmv_verify(w->matrix, w->precision, x, y, &check, &err) != SP_OK) {
        char format[64], schedule[64];
        ck_abort_msg("%s, %s, %s, %s, %s, %d threads, nt %d: %s", kernel->name,
                     sp_workload_format_text(w, format, sizeof format), sp_precision_name(w->precision),
                     sp_index_name(w->index), sp_workload_schedule_text(w, schedule, sizeof schedule),
                     w->n_threads, store_nt, err.what);
    }
    free(y);
    kernel->release(state);
}

static void check_workload(const struct sp_workload *w, const double *x)
{
    struct sp_layout l;
    if (sp_workload_check(w, NULL) != SP_OK)
        return;
    ck_assert_int_eq(sp_layout_make(w, true, NULL, &l, NULL), SP_OK);
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *kernel = sp_kernel_table[i];
        if (kernel->absent || kernel->format != w->format || !(kernel->precisions & 1u << w->precision) ||
            kernel->available(NULL) != SP_OK || (kernel->accepts && kernel->accepts(&l, NULL) != SP_OK))
            continue;
        check_kernel(kernel, w, &l, x, false);
        check_kernel(kernel, w, &l, x, true);
    }
    sp_layout_free(&l);
}

/* The schedules in turn, each with its numbers of threads, so that every combination of the other choices
 * meets some of them and every pair occurs often. */
static void next_schedule(struct sp_workload *w, int *turn)
{
    static const struct {
        enum sp_schedule schedule;
        int n_threads;
    } all[] = {{SP_SCHEDULE_NNZ, 1},    {SP_SCHEDULE_ROWS, 2},  {SP_SCHEDULE_CYCLIC, 2},
               {SP_SCHEDULE_NNZ, 3},    {SP_SCHEDULE_MERGE, 2}, {SP_SCHEDULE_MERGE, 5},
               {SP_SCHEDULE_CYCLIC, 1}, {SP_SCHEDULE_MERGE, 1}, {SP_SCHEDULE_ROWS, 3}};
    size_t n = sizeof all / sizeof *all;
    do {
        w->schedule = all[*turn % (int)n].schedule;
        w->n_threads = all[*turn % (int)n].n_threads;
        ++*turn;
    } while (w->schedule == SP_SCHEDULE_MERGE && w->format != SP_FORMAT_CRS);
    w->block = 5;
}

START_TEST(kernels_agree_with_the_reference)
{
    struct sp_csr a = small_matrix(_i);
    double *x = vector_of(2 * a.n_c);
    static const int32_t Cs[] = {4, 8, 16, 32, 5, 40};
    int turn = _i;
    for (int precision = 0; precision < SP_N_PRECISIONS; precision++)
        for (int index = 0; index < SP_N_INDICES; index++)
            for (int format = 0; format < SP_N_FORMATS; format++) {
                struct sp_workload w = {.format = format, .C = 1, .sigma = 1, .matrix = &a};
                w.precision = precision;
                w.index = index;
                for (int i = 0; format == SP_FORMAT_CRS && i < 9; i++) {
                    next_schedule(&w, &turn);
                    check_workload(&w, x);
                }
                for (size_t i = 0; format != SP_FORMAT_CRS && i < sizeof Cs / sizeof *Cs; i++) {
                    w.C = Cs[i];
                    w.sigma = ((int)i + format + index + precision + _i) % 2 ? 1 : 3 * w.C;
                    next_schedule(&w, &turn);
                    check_workload(&w, x);
                }
            }
    free(x);
    sp_csr_free(&a);
}
END_TEST

START_TEST(table_is_complete)
{
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *k = sp_kernel_table[i];
        ck_assert_ptr_eq(sp_kernel_find(k->name), k);
        ck_assert(k->summary && strncmp(k->name, "spmv/", 5) == 0);
        if (k->absent) {
            printf("skip: %s: %s\n", k->name, k->absent);
            continue;
        }
        ck_assert(k->available && k->prepare && k->run && k->fetch && k->facts && k->release);
        struct sp_error err;
        if (k->available(&err) != SP_OK) {
            ck_assert_int_eq(err.status, SP_ABSENT);
            printf("skip: %s: %s\n", k->name, err.what);
        }
        k->release(NULL);
    }
    ck_assert_ptr_null(sp_kernel_find("spmv/none"));
}
END_TEST

START_TEST(candidates_are_ranked)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .n_threads = 1, .matrix = &a};
    struct sp_layout l;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    const struct sp_kernel *rows[32], *first;
    int n = sp_kernel_candidates(&l, NULL, rows, 32);
    ck_assert_int_ge(n, 1);
    for (int i = 0; i < n; i++) {
        ck_assert_int_gt(rows[i]->rank, 0);
        ck_assert(rows[i]->format == SP_FORMAT_CRS && (i == 0 || rows[i - 1]->rank >= rows[i]->rank));
    }
    ck_assert_int_eq(sp_kernel_candidates(&l, NULL, &first, 1), n);
    ck_assert_ptr_eq(first, rows[0]);
    ck_assert_int_eq(sp_kernel_candidates(&l, "portable", rows, 32), 1);
    ck_assert_str_eq(rows[0]->name, "spmv/crs/portable");
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(verify_finds_what_is_wrong)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    double *x = vector_of(a.n_c), *y = vector_of(a.n_r), *sum = vector_of(a.n_r);
    struct sp_spmv_check check;
    sp_spmv_reference(&a, x, y, sum);
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_OK);
    ck_assert(check.max_ratio == 0 && check.bad_row == -1);
    double right = y[5];
    y[5] = right + 1e-13 * sum[5]; /* gamma of a row of 12 entries is 1.8e-15 */
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_WRONG);
    ck_assert_int_eq(check.bad_row, 5);
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F32, x, y, &check, NULL), SP_OK);
    y[5] = NAN;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F32, x, y, &check, NULL), SP_WRONG);
    y[5] = right;
    int64_t in_row_7 = a.row_ptr[7];
    double value = a.val[in_row_7];
    a.val[in_row_7] = INFINITY;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_WRONG);
    ck_assert_int_eq(check.bad_row, 7);
    y[7] = NAN;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_OK);
    ck_assert_int_eq(check.n_not_finite, 1);
    a.val[in_row_7] = value;
    free(x);
    free(y);
    free(sum);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels");
    TCase *tcase = tcase_create("kernels");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, kernels_agree_with_the_reference, 0, N_SMALL_MATRICES);
    tcase_add_test(tcase, table_is_complete);
    tcase_add_test(tcase, candidates_are_ranked);
    tcase_add_test(tcase, verify_finds_what_is_wrong);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
