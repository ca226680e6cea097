/* The numbers at which derivations of docs/theory.md arrive, where no other test has them. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "model/volume/volume.h"
#include "near.h"
#include "run_suite.h"
#include "volume_cases.h"

static const struct sp_sizes f64 = {8, 8, 8, 4, 4, 0}, f32 = {4, 4, 4, 4, 4, 0};

/* laplace3d:240, where a cache holds a row of grid points but no plane: x three times. */
START_TEST(layer_condition)
{
    const double n = 240, n_nzr = 7 - 6 / n;
    near(sp_balance_crs(f64, 2, n_nzr, 1 / n_nzr, 2), 8.01, 0.005);
    near(sp_balance_crs(f64, 2, n_nzr, 3 / n_nzr, 2), 9.15, 0.005);
    near(12 * 7 + 4 + 8 + 3 * 8, 120, 0); /* bytes a row between two uses of x, planes of x included */
}
END_TEST

START_TEST(stores_without_reading)
{
    const double n_nzr = 7 - 6 / 240.0;
    near(sp_balance_crs(f64, 2, n_nzr, 1 / n_nzr, 1), 7.43, 0.005);
    /* A wrong w is taken for alpha: 4 alpha is off by 4/n_nzr. */
    near(sp_balance_crs(f64, 2, n_nzr, 0.4, 1), sp_balance_crs(f64, 2, n_nzr, 0.4 - 1 / n_nzr, 2), 1e-12);
    near(sp_balance_crs(f64, 2, n_nzr, 0.4, 1), 8.46, 0.005);
}
END_TEST

/* Rows of 7.08 entries, beta = 0.8, chunks of 32, alpha = 0.4, on a GPU. */
START_TEST(sell_and_the_slide)
{
    const double beta = 0.8, alpha = 0.4, n_nzr = 7.08, C = 32;
    const double ours = sp_balance_sell(f64, 2, n_nzr, 32, beta, false, false, alpha, 1);
    const double slide = 6 / beta + 4 * (beta * alpha) + beta * (4 + 2 / C) / n_nzr;
    near(ours, 9.67, 0.005);
    near(slide, 9.24, 0.005);
    near(sp_balance_sell_per_stored(n_nzr, 32, beta, beta * alpha), ours, 1e-12);
}
END_TEST

/* Bytes a row of 27 entries, x once. */
START_TEST(narrow_storage)
{
    const struct sp_sizes offsets = {8, 8, 8, 2, 4, 4}, narrow = {4, 8, 8, 2, 4, 4};
    const int64_t n_r = 1 << 20, n_nz = 27 * n_r;
    near(sp_volume_spmv_csr(n_r, n_nz, f64, 1 / 27., 2).total_B / (double)n_r, 352, 0.01);
    near(sp_volume_spmv_csr(n_r, n_nz, offsets, 1 / 27., 2).total_B / (double)n_r, 302, 0.01);
    near(sp_volume_spmv_csr(n_r, n_nz, narrow, 1 / 27., 2).total_B / (double)n_r, 194, 0.01);
}
END_TEST

/* Long and short rows with a full diagonal, x and y once. */
START_TEST(half_of_a_symmetric_matrix)
{
    static const struct {
        double n_nzr, half, whole;
    } rows[] = {{7, 5.43, 8.00}, {27, 3.63, 6.52}};
    const int64_t n_r = 1 << 24;
    for (int i = 0; i < 2; i++) {
        const int64_t n_nz = (int64_t)rows[i].n_nzr * n_r;
        const double alpha = (double)n_r / (double)n_nz, flops = 2 * (double)n_nz;
        near(sp_volume_spmv_half(n_r, n_nz, f64, alpha, alpha).total_B / flops, rows[i].half, 0.005);
        near(sp_volume_spmv_half(n_r, n_nz, f64, alpha, alpha).total_B / flops, 3 + 17 / rows[i].n_nzr, 1e-6);
        near(sp_volume_spmv_csr(n_r, n_nz, f64, alpha, 2).total_B / flops, rows[i].whole, 0.005);
    }
}
END_TEST

/* 2e6 rows of 8 random entries in 8 stripes: a line of y has 64 entries, so each stripe but for one in e^8
 * updates it. */
START_TEST(stripes_of_a_random_matrix)
{
    const double n_r = 2e6, n_nz = 8 * n_r, n_stripes = 8;
    const double updated = (n_stripes - 1) * n_r / 8 * (1 - exp(-64 / n_stripes));
    const double V = (8 + 4 + 2) * n_nz + 2 * (8 * n_r + 64 * updated) + 8 * n_r;
    near(V / 1e6, 496, 0.5);
    near((V - 2 * 64 * updated) / 1e6, 272, 0.5);
    near(sp_volume_spmv_csr((int64_t)n_r, (int64_t)n_nz, f64, 4.77, 2).total_B / 1e6, 843, 0.5);
}
END_TEST

/* kkt_power at 46.6 GB/s and P_core = 15 Gflop/s: the roof meets P_core between 4 and 5 vectors. */
START_TEST(best_number_of_vectors)
{
    const double n_nzr = 7.08, b_S = 46.6, P_core = 15;
    near(b_S / sp_balance_spmmv_crs(f64, 2, n_nzr, 4, 1 / n_nzr, 2), 14.3, 0.05);
    near(b_S / sp_balance_spmmv_crs(f64, 2, n_nzr, 5, 1 / n_nzr, 2), 15.8, 0.05);
    const double B = b_S / P_core, r = (6 + 2 / n_nzr) / (B - 12 / n_nzr);
    near(r, 4.45, 0.005);
    near(sp_balance_spmmv_crs(f64, 2, n_nzr, r, 1 / n_nzr, 2), B, 1e-12);
}
END_TEST

/* 8192 x 8192, 30 % dense, r = 128, fp32, w = 2, pattern without values [MB]. */
START_TEST(what_fusing_saves)
{
    const struct sp_dense_case c = sp_dense_case_of(8192, 8192, (int64_t)(0.3 * 8192 * 8192), 128);
    near(sp_volume_sddmm(c, f32, false, 2).total_B / 1e6, 250.0, 0.05);
    near(sp_volume_spmm(c, f32, 2).total_B / 1e6, 173.7, 0.05);
    near(sp_volume_fusedmm(c, f32, 2).total_B / 1e6, 101.5, 0.05);
    near(sp_fusedmm_saved_B(c, f32, 2) / 1e6, 322.2, 0.05);
}
END_TEST

/* Full blocks of 4 x 4 in rows of 28, x once: one index for 16 values. */
START_TEST(blocks_of_four)
{
    const int64_t n_r = 1 << 20, n_nz = 28 * n_r, n_e = n_nz / 16;
    const double alpha = 1 / 28.0, flops = 2 * (double)n_nz;
    near(sp_volume_bcsr(n_r, n_nz, n_e, 4, 4, 1, f64, alpha, 2).total_B / flops, 4.57, 0.005);
    near(sp_volume_spmv_csr(n_r, n_nz, f64, alpha, 2).total_B / flops, 6.5, 0.005);
    near(sp_bcsr_beta(n_nz, 2 * n_e, 4, 4), 0.5, 0);
    /* From this fill on blocks move more than CRS. */
    const double least = (16 * 8 + 4) / 16. / (12 + (4 - 1) / 28.);
    near(least, 0.68, 0.005);
    near(sp_volume_bcsr(n_r, n_nz, (int64_t)(n_e / least), 4, 4, 1, f64, alpha, 2).total_B /
             sp_volume_spmv_csr(n_r, n_nz, f64, alpha, 2).total_B,
         1, 1e-3);
    ck_assert_int_eq(sp_bcsr_instructions(1000, 20), 3000);
}
END_TEST

/* Four rows in turn have the same 32 columns. */
static struct sp_csr in_fours(int64_t n_r)
{
    struct sp_csr a;
    const int64_t n_nzr = 32;
    ck_assert_int_eq(sp_csr_alloc(n_r, n_r / 4 * n_nzr, n_r * n_nzr, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int64_t i = 0; i <= n_r; i++)
        a.row_ptr[i] = i * n_nzr;
    for (int64_t i = 0; i < a.n_nz; i++)
        a.col[i] = (int32_t)(i / (4 * n_nzr) * n_nzr + i % n_nzr);
    return a;
}

/* Bytes that SDDMM's formats store for an entry in fp32, where a column of a block has 4 entries. */
START_TEST(lists_of_columns)
{
    static const struct {
        const char *format;
        double printed, formula;
    } formats[] = {{"crs", 8.125, 8 + 4 / 32.},
                   {"coo", 12, 12},
                   {"tiled:64,32", 8.00, 6 + 8 / 4.},
                   {"staged:256,16", 7.13, 6 + 4 / 4. + 4 / 32.}};
    struct sp_csr a = in_fours(1 << 12);
    for (int i = 0; i < 4; i++) {
        struct sp_workload w = {.op = SP_OP_SDDMM,
                                .precision = SP_F32,
                                .schedule = SP_SCHEDULE_NNZ,
                                .n_threads = 1,
                                .r = 64,
                                .matrix = &a};
        struct sp_layout l;
        ck_assert_int_eq(sp_workload_set_format(&w, formats[i].format, NULL), SP_OK);
        ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
        near(sp_layout_matrix_bytes(&l) / (double)l.n_nz, formats[i].formula, 0.005);
        near(sp_layout_matrix_bytes(&l) / (double)l.n_nz, formats[i].printed, 0.005);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivations");
    TCase *tc = tcase_create("derivations");
    tcase_add_test(tc, layer_condition);
    tcase_add_test(tc, stores_without_reading);
    tcase_add_test(tc, sell_and_the_slide);
    tcase_add_test(tc, narrow_storage);
    tcase_add_test(tc, half_of_a_symmetric_matrix);
    tcase_add_test(tc, stripes_of_a_random_matrix);
    tcase_add_test(tc, best_number_of_vectors);
    tcase_add_test(tc, what_fusing_saves);
    tcase_add_test(tc, blocks_of_four);
    tcase_add_test(tc, lists_of_columns);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
