/* Rows in the order of their lengths, inside each thread's share: the counterfactual that shows what
 * mispredicted row ends cost must change nothing else. */
#include <check.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run_suite.h"
#include "sparse/formats/layout.h"
#include "sparse/formats/layout_build.h"
#include "sparse/generate/generate.h"
#include "sparse/product/workload.h"

static void make(const char *spec, const char *format, const char *schedule, struct sp_csr *m,
                 struct sp_layout *l)
{
    struct sp_error err;
    ck_assert_int_eq(sp_generate(spec, NULL, m, &err), SP_OK);
    struct sp_workload w = {
        .op = SP_OP_SPMV, .r = 1, .n_threads = 3, .C = 1, .sigma = 1, .precision = SP_F64, .matrix = m};
    ck_assert_int_eq(sp_workload_set_format(&w, format, &err), SP_OK);
    ck_assert_int_eq(sp_workload_set_schedule(&w, schedule, &err), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, l, &err), SP_OK);
}

/* The same number of rows of each length in every share, ascending in each of its ranges. */
START_TEST(each_share_keeps_its_rows)
{
    static const char *const schedules[] = {"nnz", "rows", "cyclic:64"};
    for (int k = 0; k < 3; k++) {
        struct sp_csr m;
        struct sp_layout l;
        struct sp_error err;
        void *ptr;
        make("powerlaw:12:6", "crs", schedules[k], &m, &l);
        ck_assert_int_eq(sp_layout_sorted_ptr(&l, &ptr, &err), SP_OK);
        struct sp_layout view = l;
        view.ptr = ptr;
        ck_assert_int_eq(sp_layout_ptr(&view, 0), 0);
        for (int t = 0; t < 3; t++) {
            int64_t cursor = 0, first, end;
            while (sp_partition_next(&l.partition, t, &cursor, &first, &end)) {
                double sum = 0, sorted = 0;
                int64_t before = 0;
                ck_assert_int_eq(sp_layout_ptr(&view, first), sp_layout_ptr(&l, first));
                ck_assert_int_eq(sp_layout_ptr(&view, end), sp_layout_ptr(&l, end));
                for (int64_t i = first; i < end; i++) {
                    const int64_t was = sp_layout_ptr(&l, i + 1) - sp_layout_ptr(&l, i),
                                  is = sp_layout_ptr(&view, i + 1) - sp_layout_ptr(&view, i);
                    ck_assert_int_ge(is, before);
                    before = is;
                    sum += (double)(was * was * was); /* the same lengths have the same cubes */
                    sorted += (double)(is * is * is);
                }
                ck_assert_double_eq(sum, sorted);
            }
        }
        sp_large_free(l.allocator, ptr, l.n_ptr, l.s_p);
        sp_layout_free(&l);
        sp_csr_free(&m);
    }
}
END_TEST

START_TEST(only_whole_rows_of_crs_are_sorted)
{
    static const char *const not_these[][2] = {{"sell:8,64", "nnz"}, {"bcsr:2x2", "nnz"}, {"crs", "merge"}};
    for (int k = 0; k < 3; k++) {
        struct sp_csr m;
        struct sp_layout l;
        struct sp_error err;
        void *ptr;
        make("laplace2d:12", not_these[k][0], not_these[k][1], &m, &l);
        ck_assert_int_eq(sp_layout_sorted_ptr(&l, &ptr, &err), SP_ABSENT);
        ck_assert_ptr_null(ptr);
        sp_layout_free(&l);
        sp_csr_free(&m);
    }
}
END_TEST

/* Sorting would change nothing, so a run with sorted rows would show noise as its gain. */
START_TEST(rows_in_that_order_are_not_sorted)
{
    static const char *const ordered[] = {"band:100:0", "band:64:63"};
    for (int k = 0; k < 2; k++) {
        struct sp_csr m;
        struct sp_layout l;
        struct sp_error err;
        void *ptr;
        make(ordered[k], "crs", "nnz", &m, &l);
        ck_assert_int_eq(sp_layout_sorted_ptr(&l, &ptr, &err), SP_ABSENT);
        ck_assert_str_eq(err.what, "the rows are in the order of their lengths");
        ck_assert_ptr_null(ptr);
        sp_layout_free(&l);
        sp_csr_free(&m);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sorted_rows");
    TCase *tc = tcase_create("sorted_rows");
    tcase_add_test(tc, each_share_keeps_its_rows);
    tcase_add_test(tc, only_whole_rows_of_crs_are_sorted);
    tcase_add_test(tc, rows_in_that_order_are_not_sorted);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
