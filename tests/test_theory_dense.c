/* Every number of THEORY 5 to 8 that a formula gives: SpMM, SDDMM, FusedMM, blocks. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "bench/block_fit.h"
#include "bench/testset.h"
#include "model/volume/volume.h"
#include "near.h"
#include "run_suite.h"
#include "volume_cases.h"

static const struct sp_sizes f64 = {8, 8, 8, 4, 4, 0}, f32 = {4, 4, 4, 4, 4, 0};

START_TEST(spmm_on_gpus)
{
    const double b_S = 1555e9, peak = 19.5e12;
    near(b_S * sp_spmm_baseline_intensity(1, f32) * 1e-9, 130, 0.5);
    near(b_S * sp_spmm_baseline_intensity(INFINITY, f32) * 1e-9, 259, 0.5);
    near(b_S * sp_spmm_baseline_intensity(INFINITY, f32) / peak, 0.013, 0.0005);
    const struct sp_dense_case c = sp_dense_case_of(1000, 800, 20000, 64);
    const double flops = 2.0 * 64 * 20000, baseline_B = sp_spmm_tiled_B(c, f32, 1, 1);
    near(flops / baseline_B, sp_spmm_baseline_intensity(20, f32), 1e-12);
    /* What is left when either factor alone grows: B and Y, or A and Y. */
    near(sp_spmm_tiled_B(c, f32, INFINITY, 1), 64.0 * (4 * 20000 + 4 * 1000), 1e-6);
    near(sp_spmm_tiled_B(c, f32, 1, INFINITY), 64.0 * (8 * 20000 + 8 * 1000 + 4 * 1000), 1e-6);
    near(SP_SPMM_SPEEDUP_REPORTED, 2.03, 0);
}
END_TEST

START_TEST(fusedmm_saves_what_the_pair_moves)
{
    const struct sp_dense_case c = {
        .n_r = 1000, .n_c = 800, .n_nz = 20000, .n_r_used = 950, .n_c_used = 790, .r = 64};
    for (double w = 1; w <= 2; w += 0.5) {
        double pair_B = sp_volume_sddmm(c, f32, false, w).total_B + sp_volume_spmm(c, f32, w).total_B;
        double saved_B = (w + 1) * 4 * 20000 + 4 * 20000 + 4 * 1001;
        near(sp_fusedmm_saved_B(c, f32, w), saved_B, 1e-6);
        near(pair_B - sp_volume_fusedmm(c, f32, w).total_B, saved_B, 1e-6);
    }
    struct sp_volume v = sp_volume_spmm(c, f32, 2);
    near(v.total_B, 8.0 * 20000 + 4 * 1001 + 64.0 * (4 * 790 + 2 * 4 * 1000), 1e-6);
    near(v.write_B, 64.0 * 4 * 1000, 0);
    v = sp_volume_sddmm(c, f32, true, 1);
    near(v.total_B, 12.0 * 20000 + 4 * 1001 + 64.0 * 4 * (950 + 790), 1e-6);
    near(v.total_B - sp_volume_sddmm(c, f32, false, 1).total_B, 4.0 * 20000, 1e-6);
    near(SP_FUSEDMM_OVER_SDDMM_REPORTED, 1.3, 0);
    near(SP_FUSEDMM_OVER_SPMM_REPORTED, 1.07, 0);
}
END_TEST

/* n_r = n_c = 8192, r = 128, 30 % dense, f32, unscaled pattern [E]. */
START_TEST(intensities_of_sddmm)
{
    const int64_t n = 8192, n_nz = (int64_t)(0.3 * 8192 * 8192);
    const struct sp_dense_case c = sp_dense_case_of(n, n, n_nz, 128);
    const double flops = 2.0 * 128 * (double)n_nz;
    near(flops / sp_sddmm_uncached_B(c, f32, false), 0.496, 0.0005);
    near(flops / sp_sddmm_uncached_B(c, f32, true), 0.492, 0.0005);
    near(flops / sp_sddmm_uncached_B(c, f32, true), 0.49, 0.005); /* as printed */
    const struct sp_volume once = sp_volume_sddmm(c, f32, false, 1);
    near(flops / once.read_B, 57.9, 0.05);
    near(flops / once.total_B, 30.4, 0.05);
}
END_TEST

START_TEST(entries_read_by_sddmm)
{
    const struct sp_dense_case c = sp_dense_case_of(4096, 2048, 100000, 128);
    const double A = 4096.0 * 128, B = 2048.0 * 128, n_nz = 100000, r = 128;
    near(sp_sddmm_reads_tiled(c, 64, 32), 3 * n_nz * r / 32 + A + A * B / (64 * r), 1e-6);
    near(sp_sddmm_reads_reindexed(c, 32), A + n_nz * (r + 1 + 3 * r / 32), 1e-6);
    near(sp_sddmm_reads_reindexed_printed(c, 32), A + n_nz * (r + 1 + r / 32), 1e-6);
    near(sp_sddmm_reads_coo(c), n_nz * (2 * r + 5), 1e-6);
    near(sp_sddmm_reads_coo_printed(c), n_nz * (2 * r + 4), 1e-6);
}
END_TEST

/* At the threshold both counts are equal; it is about 1/(2 T_i), and not what [D] prints. */
START_TEST(tiles_pay_above_a_density)
{
    const double T_i = 64, T_k = 32;
    const int64_t n = 65536, r = 128;
    const double density = sp_sddmm_threshold(T_i, T_k, (double)r, (double)n);
    const struct sp_dense_case at = sp_dense_case_of(n, n, (int64_t)(density * (double)n * (double)n), r);
    near(sp_sddmm_reads_tiled(at, T_i, T_k) / sp_sddmm_reads_coo(at), 1, 1e-6);
    near(density * 2 * T_i, 1, 0.05);
    near(sp_sddmm_threshold_printed(T_i, (double)r), 1 / (T_i * 128), 0);
    ck_assert(density > 50 * sp_sddmm_threshold_printed(T_i, (double)r));
    ck_assert(isinf(sp_sddmm_threshold(64, 1, 128, 1000))); /* tiles of one column never pay */
}
END_TEST

START_TEST(formats_of_sddmm_are_chosen_by_density)
{
    struct sp_machine m = {.n_caches = 2};
    m.cache[0] = (struct sp_cache){.level = 2, .size_B = 1 << 20};
    m.cache[1] = (struct sp_cache){.level = 1, .size_B = 32 << 10};
    const int64_t n = 10000;
    struct sp_sddmm_choice c = sp_sddmm_choose(&m, n, n, n * 100, 128, 4, 0.005);
    ck_assert(c.tiled && c.T_i == 32 && c.T_k == 128);
    ck_assert(!sp_sddmm_choose(&m, n, n, n * 100, 128, 4, 0.02).tiled);
    /* 60 rows of 512 bytes are in the second-level cache whatever the order. */
    ck_assert(!sp_sddmm_choose(&m, n, 60, n * 30, 128, 4, 0.005).tiled);
    ck_assert(!sp_sddmm_choose(NULL, n, 60, n * 30, 128, 4, 0.005).tiled);
    ck_assert_int_eq(sp_sddmm_tile_rows(65536, 8), 1);
    ck_assert_int_eq(sp_sddmm_threads_per_row(1024, 4096), 4);
    ck_assert_int_eq(sp_sddmm_threads_per_row(3072, 4096), 4);
    ck_assert_int_eq(sp_sddmm_threads_per_row(4096, 4096), 1);
    ck_assert_int_eq(sp_sddmm_threads_per_row(1, 4096), 16);
}
END_TEST

START_TEST(the_test_set_has_72_cases)
{
    char spec[64];
    bool rows[4][3] = {{false}};
    for (int i = 0; i < TESTSET_N; i++) {
        const struct test_case c = testset_case(i);
        ck_assert(c.r == 32 || c.r == 128);
        ck_assert(c.sparsity == 0.7 || c.sparsity == 0.8 || c.sparsity == 0.9);
        int size = c.n_c == 1024 ? 0 : c.n_c == 2048 ? 1 : c.n_c == 4096 ? 2 : 3;
        int64_t ratio = c.n_r / c.n_c;
        ck_assert(c.n_c == 1024 << size && (ratio == 1 || ratio == 3 || ratio == 4));
        rows[size][ratio == 1 ? 0 : ratio - 2] = true;
    }
    for (int i = 0; i < 12; i++)
        ck_assert(rows[i / 3][i % 3]);
    ck_assert_str_eq(testset_spec(0, spec, sizeof spec), "random:1024x1024:307:1");
    ck_assert_str_eq(testset_spec(71, spec, sizeof spec), "random:32768x8192:819:72");
}
END_TEST

/* THEORY 7. */
START_TEST(blocks_have_their_volume)
{
    /* 1000 x 1000, 4 x 4, 300 blocks: (16 8 + 4) 300 + 4 (250 + 1) + r (2 8 1000 + 0.5 8 4000) */
    struct sp_volume one = sp_volume_bcsr(1000, 4000, 300, 4, 4, 1, f64, 0.5, 2);
    near(one.total_B, 132.0 * 300 + 4 * 251 + 16000 + 16000, 0);
    near(sp_volume_bcsr(1000, 4000, 300, 4, 4, 8, f64, 0.5, 2).total_B, 132.0 * 300 + 4 * 251 + 8 * 32000.0,
         0);
    near(one.read_B + one.write_B, one.total_B, 1e-9);
    near(sp_volume_spmmv(one, 8).total_B, sp_volume_bcsr(1000, 4000, 300, 4, 4, 8, f64, 0.5, 2).total_B,
         1e-9);
    near(sp_bcsr_beta(4000, 300, 4, 4), 4000.0 / 4800, 1e-15);
    near(sp_bcsr_beta(0, 0, 4, 4), 1, 0);
    /* 1 x 1 blocks are CRS */
    near(sp_volume_bcsr(77, 500, 500, 1, 1, 1, f64, 0.3, 2).total_B,
         sp_volume_spmv_csr(77, 500, f64, 0.3, 2).total_B, 1e-9);
    /* a last block row that is not full */
    near(sp_volume_bcsr(1001, 0, 0, 4, 4, 1, f64, 0, 1).array_B[SP_ARRAY_POINTERS], 4 * 252, 0);
}
END_TEST

START_TEST(matrix_instructions_go_by_eight_columns)
{
    ck_assert_int_eq(sp_bcsr_instructions(1000, 1), 1000);
    ck_assert_int_eq(sp_bcsr_instructions(1000, 8), 1000);
    ck_assert_int_eq(sp_bcsr_instructions(1000, 9), 2000);
    ck_assert_int_eq(sp_bcsr_instructions(1000, 128), 16000);
    /* m16n8k16: A is 16 x 16, so a 16-bit block of that size is 512 bytes; SMaT's 16 x 8 is half an A. */
    struct sp_sizes f16 = sp_sizes_of(SP_F16, SP_I32, 1e6);
    near(sp_volume_bcsr(16, 256, 1, 16, 16, 8, f16, 0, 1).array_B[SP_ARRAY_VALUES], 512, 0);
    near(sp_volume_bcsr(16, 128, 1, 16, 8, 8, f16, 0, 1).array_B[SP_ARRAY_VALUES], 256, 0);
}
END_TEST

/* A dense product of 16384^2 that takes what 22 % (r = 8) and 4 % (r = 128) of all blocks take: sparsity
 * below 78 % and 96 % goes to the dense one [THEORY 7]; the times are made up, their ratio is what counts. */
START_TEST(dense_wins_above_a_block_density)
{
    const double n_blocks = 1024.0 * 1024, T_e = 1e-9;
    struct block_time line[] = {{1e5, 1e5 * T_e}, {2e5, 2e5 * T_e}, {3e5, 3e5 * T_e}};
    struct block_fit fit = block_fit(line, 3, false);
    near(1 - block_fit_dense_density(&fit, n_blocks, 0.22 * n_blocks * T_e), 0.78, 1e-9);
    near(1 - block_fit_dense_density(&fit, n_blocks, 0.04 * n_blocks * T_e), 0.96, 1e-9);
    near(block_fit_dense_density(&fit, n_blocks, 2 * n_blocks * T_e), 1, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("theory_dense");
    TCase *tc = tcase_create("theory_dense");
    tcase_add_test(tc, spmm_on_gpus);
    tcase_add_test(tc, fusedmm_saves_what_the_pair_moves);
    tcase_add_test(tc, intensities_of_sddmm);
    tcase_add_test(tc, entries_read_by_sddmm);
    tcase_add_test(tc, tiles_pay_above_a_density);
    tcase_add_test(tc, formats_of_sddmm_are_chosen_by_density);
    tcase_add_test(tc, the_test_set_has_72_cases);
    tcase_add_test(tc, blocks_have_their_volume);
    tcase_add_test(tc, matrix_instructions_go_by_eight_columns);
    tcase_add_test(tc, dense_wins_above_a_block_density);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
