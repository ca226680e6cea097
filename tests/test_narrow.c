/* Fewer bytes for the same matrix: 16-bit offsets that do not always reach, values in f32, zeros left out. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/layout.h"
#include "sparse/product/verify.h"

/* Rows of four entries i, i + 1, i + 2, i + 70000; every 96th has i + 140000 instead of i + 2, which needs a
 * slot of its own. */
static struct sp_csr wide_matrix(void)
{
    enum { N_R = 1000, N_C = 150000, N_NZR = 4 };
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N_R, N_C, N_R * N_NZR, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int32_t i = 0; i < N_R; i++) {
        const int32_t usual[N_NZR] = {i, i + 1, i + 2, i + 70000},
                      far[N_NZR] = {i, i + 1, i + 70000, i + 140000};
        memcpy(a.col + N_NZR * i, i % 96 == 0 ? far : usual, sizeof usual);
        a.row_ptr[i + 1] = N_NZR * (i + 1);
    }
    for (int64_t k = 0; k < a.n_nz; k++)
        a.val[k] = small_value(k);
    return a;
}

static struct sp_workload workload_of(const struct sp_csr *a, const char *format)
{
    struct sp_workload w = {.index = SP_D16, .schedule = SP_SCHEDULE_NNZ, .n_threads = 2, .matrix = a};
    ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
    return w;
}

START_TEST(rows_that_span_too_much_are_counted)
{
    struct sp_csr a = wide_matrix();
    struct sp_workload w = workload_of(&a, "crs");
    struct sp_offsets o;
    ck_assert_int_eq(sp_offsets_count(&w, &o, NULL), SP_OK);
    ck_assert(o.n_stored == 4000 && o.n_bases == 1000 && o.n_broken_rows == 1000);
    struct sp_error err;
    struct sp_layout l;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "1000 of 1000 rows span more than 65535 columns"));
    a.n_c = a.n_r;
    for (int64_t k = 0; k < a.n_nz; k++)
        a.col[k] = (int32_t)(k % 4);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, &err), SP_OK);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_INDICES) == 2.0 * 4000 + 4.0 * 1000);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Eleven rows of the thousand are far ones, each in a chunk of its own: five slots there, four elsewhere. */
START_TEST(slots_are_split_where_they_span_too_much)
{
    struct sp_csr a = wide_matrix();
    struct sp_workload w = workload_of(&a, "sell:8,1");
    struct sp_offsets o;
    struct sp_layout l;
    ck_assert_int_eq(sp_offsets_count(&w, &o, NULL), SP_OK);
    ck_assert_int_eq(o.n_bases, 125 * 4 + 11);
    ck_assert(o.n_stored == 8 * o.n_bases && o.n_plain == 4000 && o.n_broken_rows == 88);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert(l.n_stored == o.n_stored && l.n_bases == o.n_bases && l.len[0] == 5 && l.len[1] == 4);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_INDICES) == sp_offsets_index_B(&o));
    ck_assert(sp_layout_matrix_bytes(&l) <= sp_layout_bytes_bound(&w, true));
    char *seen = calloc((size_t)a.n_nz, 1);
    for (int64_t i = 0; i < l.n_stored; i++) {
        const double value = ((const double *)l.val)[i];
        const int64_t place = value != 0 ? small_value_place(value) : -1,
                      column = sp_layout_col_in(&l, i, i / 8);
        ck_assert(column >= 0 && column < a.n_c);
        if (place < 0)
            continue;
        ck_assert(!seen[place] && a.col[place] == column);
        seen[place] = 1;
    }
    for (int64_t k = 0; k < a.n_nz; k++)
        ck_assert(seen[k]);
    free(seen);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(slots_that_never_fit_are_refused)
{
    enum { N = 64, FAR = 1000000 };
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, N * FAR, N, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int32_t i = 0; i < N; i++) {
        a.col[i] = i * FAR;
        a.val[i] = 1;
        a.row_ptr[i + 1] = i + 1;
    }
    struct sp_workload w = workload_of(&a, "sell:8,1");
    struct sp_layout l;
    struct sp_error err;
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "64 of 64 rows"));
    w = workload_of(&a, "crs"); /* rows of one entry span nothing */
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, &err), SP_OK);
    sp_layout_free(&l);
    w.schedule = SP_SCHEDULE_MERGE;
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_USAGE);
    sp_csr_free(&a);
}
END_TEST

/* All kernels of SELL on split slots. */
START_TEST(kernels_multiply_split_slots)
{
    static const char *const formats[] = {"sell:4,1",  "sell:8,1", "sell:16,64",
                                          "sell:32,1", "sell:5,1", "sell:40,1"};
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_MIXED};
    struct sp_csr a = wide_matrix();
    struct sp_workload w = workload_of(&a, formats[_i]);
    for (int p = 0; p < 3; p++) {
        w.precision = precisions[p];
        struct sp_layout l;
        struct sp_error err;
        if (sp_layout_make(&w, true, NULL, &l, &err) != SP_OK)
            ck_abort_msg("%s", err.what);
        double *x = malloc((size_t)a.n_c * sizeof *x), *y = malloc((size_t)a.n_r * sizeof *y);
        for (int64_t i = 0; i < a.n_c; i++)
            x[i] = 1 + (double)(i % 97) / 97;
        for (int i = 0; sp_kernel_table[i]; i++) {
            const struct sp_kernel *kernel = sp_kernel_table[i];
            const struct sp_operands operands = {.x = x};
            void *state;
            if (kernel->on_gpu || !sp_kernel_is_for(kernel, &l) || kernel->available(NULL) != SP_OK)
                continue;
            ck_assert_int_eq(kernel->prepare(&l, &operands, &state, NULL), SP_OK);
            ck_assert_int_eq(kernel->run(state, 1, NULL, NULL), SP_OK);
            ck_assert_int_eq(kernel->fetch(state, y, NULL), SP_OK);
            if (sp_spmv_verify(&a, w.precision, x, y, NULL, &err) != SP_OK)
                ck_abort_msg("%s %s: %s", kernel->name, sp_precision_name(w.precision), err.what);
            kernel->release(state);
        }
        free(x);
        free(y);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

START_TEST(rounding_is_that_of_f32)
{
    struct sp_csr a = wide_matrix();
    struct sp_rounding r;
    sp_rounding_of(&a, &r);
    ck_assert(r.n_changed == 0 && r.largest == 0 && r.normwise == 0);
    for (int64_t k = 0; k < a.n_nz; k++)
        a.val[k] = 1 + 0x1p-24; /* half way, rounds to 1 */
    sp_rounding_of(&a, &r);
    ck_assert_int_eq(r.n_changed, a.n_nz);
    ck_assert_double_eq_tol(r.largest, 0x1p-24, 1e-14);
    ck_assert_double_eq_tol(r.normwise, 0x1p-24, 1e-12);
    a.val[7] = 1e300;
    sp_rounding_of(&a, &r);
    ck_assert(isinf(r.largest) && isinf(r.normwise));
    sp_csr_free(&a);
}
END_TEST

/* Rounding of the values is allowed where there is some; elsewhere the bound is that of f64. */
START_TEST(mixed_is_checked_by_what_its_values_are)
{
    struct sp_csr a = wide_matrix();
    double *x = malloc((size_t)a.n_c * sizeof *x), *y = malloc((size_t)a.n_r * sizeof *y);
    for (int64_t i = 0; i < a.n_c; i++)
        x[i] = 1;
    sp_spmv_reference(&a, x, y, NULL);
    ck_assert_int_eq(sp_spmv_verify(&a, SP_MIXED, x, y, NULL, NULL), SP_OK);
    y[3] *= 1 + 1e-9;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_MIXED, x, y, NULL, NULL), SP_WRONG);
    for (int64_t k = a.row_ptr[3]; k < a.row_ptr[4]; k++)
        a.val[k] = 0.1;
    y[3] = 4 * (double)0.1f;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, NULL, NULL), SP_WRONG);
    ck_assert_int_eq(sp_spmv_verify(&a, SP_MIXED, x, y, NULL, NULL), SP_OK);
    y[3] *= 1 + 1e-6;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_MIXED, x, y, NULL, NULL), SP_WRONG);
    free(x);
    free(y);
    sp_csr_free(&a);
}
END_TEST

START_TEST(zeros_are_dropped)
{
    for (int is_complex = 0; is_complex < 2; is_complex++) {
        struct sp_csr a;
        const enum sp_field field = is_complex ? SP_FIELD_COMPLEX : SP_FIELD_REAL;
        ck_assert_int_eq(sp_csr_alloc(3, 3, 5, field, NULL, &a, NULL), SP_OK);
        const int64_t row_ptr[] = {0, 2, 4, 5};
        const int32_t col[] = {0, 1, 0, 1, 2};
        const double val[] = {5, 0, -0.0, 7, 0};
        memcpy(a.row_ptr, row_ptr, sizeof row_ptr);
        memcpy(a.col, col, sizeof col);
        for (int k = 0; k < 5; k++) {
            a.val[is_complex ? 2 * k : k] = val[k];
            if (is_complex)
                a.val[2 * k + 1] = k == 4 ? 1 : 0; /* imaginary: not zero */
        }
        a.symmetry = SP_SYMMETRIC;
        a.n_zeros = 3 - is_complex;
        a.n_duplicates = 2;
        int64_t n_dropped;
        ck_assert_int_eq(sp_csr_drop_zeros(&a, &n_dropped, NULL), SP_OK);
        ck_assert_int_eq(n_dropped, 3 - is_complex);
        ck_assert(a.n_nz == 2 + is_complex && a.n_zeros == 0 && a.n_duplicates == 2);
        ck_assert(a.col[0] == 0 && a.col[1] == 1 && a.val[0] == 5 && a.val[is_complex ? 2 : 1] == 7);
        ck_assert(a.row_ptr[1] == 1 && a.row_ptr[2] == 2 && a.row_ptr[3] == 2 + is_complex);
        bool holds;
        ck_assert_int_eq(sp_csr_check(&a, NULL), SP_OK);
        ck_assert_int_eq(sp_csr_symmetry_holds(&a, &holds, NULL), SP_OK);
        ck_assert(holds && a.symmetry == SP_SYMMETRIC);
        ck_assert_int_eq(sp_csr_drop_zeros(&a, &n_dropped, NULL), SP_OK);
        ck_assert_int_eq(n_dropped, 0);
        sp_csr_free(&a);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("narrow");
    TCase *tc = tcase_create("narrow");
    tcase_add_test(tc, rows_that_span_too_much_are_counted);
    tcase_add_test(tc, slots_are_split_where_they_span_too_much);
    tcase_add_test(tc, slots_that_never_fit_are_refused);
    tcase_add_loop_test(tc, kernels_multiply_split_slots, 0, 6);
    tcase_add_test(tc, rounding_is_that_of_f32);
    tcase_add_test(tc, mixed_is_checked_by_what_its_values_are);
    tcase_add_test(tc, zeros_are_dropped);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
