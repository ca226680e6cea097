/* BCSR: blocks counted without converting against blocks looked for one by one, under permutations too; the
 * simulated bytes against the formula; and the fit of times to numbers of blocks. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "bench/block_fit.h"
#include "model/cache/alpha.h"
#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "one_cache.h"
#include "run_suite.h"
#include "sparse/csr/permute.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/reorder/reorder.h"
#include "volume_cases.h"

static const int32_t sizes[][2] = {{1, 1}, {2, 2}, {3, 3}, {4, 2}, {1, 8}, {6, 6}, {8, 8}, {16, 8}, {64, 64}};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static const char *const specs[] = {"laplace2d:13x9",    "hpcg:5",          "band:120:7:0.4:2",
                                    "random:150x90:5:4", "random:90x140:0", "powerlaw:8:3",
                                    "arrow:150",         "block:96:4:3",    "random:37x211:9:2"};
enum { N_SPECS = sizeof specs / sizeof *specs };

static void make(const char *spec, struct sp_csr *a)
{
    struct sp_error err;
    enum sp_status status = sp_generate(spec, NULL, a, &err);
    ck_assert_msg(status == SP_OK, "gen:%s: %s", spec, status == SP_OK ? "" : err.what);
}

static struct sp_blocks count(const struct sp_csr *a, int32_t b_h, int32_t b_w,
                              const struct sp_permutations *order)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    struct sp_blocks blocks;
    ck_assert_int_eq(sp_blocks_count(&pattern, b_h, b_w, order, &blocks, NULL), SP_OK);
    return blocks;
}

/* Blocks by marks in a map of all of them; sets the largest number in a block row. */
static int64_t brute_blocks(const struct sp_csr *a, int32_t b_h, int32_t b_w, int64_t *longest)
{
    int64_t n_rows = (a->n_r + b_h - 1) / b_h, n_columns = (a->n_c + b_w - 1) / b_w, n_e = 0;
    unsigned char *there = calloc((size_t)(n_rows * n_columns + 1), 1);
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            there[i / b_h * n_columns + a->col[k] / b_w] = 1;
    *longest = 0;
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t n = 0;
        for (int64_t j = 0; j < n_columns; j++)
            n += there[i * n_columns + j];
        n_e += n;
        *longest = n > *longest ? n : *longest;
    }
    free(there);
    return n_e;
}

START_TEST(blocks_are_counted_exactly)
{
    struct sp_csr a;
    make(specs[_i], &a);
    for (int s = 0; s < N_SIZES; s++) {
        int32_t b_h = sizes[s][0], b_w = sizes[s][1];
        struct sp_blocks b = count(&a, b_h, b_w, NULL);
        int64_t longest, n_e = brute_blocks(&a, b_h, b_w, &longest);
        ck_assert_int_eq(b.n_e, n_e);
        ck_assert_int_eq(b.row_max, longest);
        ck_assert_int_le(b.least, b.n_e);
        ck_assert_int_le(b.n_e, b.most);
        ck_assert_double_eq_tol(b.fill, sp_bcsr_beta(a.n_nz, n_e, b_h, b_w), 1e-15);
        ck_assert_double_eq_tol(b.row_mean * (double)b.n_block_rows, (double)n_e, 1e-9 * (double)(n_e + 1));
        struct sp_workload w = {
            .format = SP_FORMAT_BCSR, .b_h = b_h, .b_w = b_w, .n_threads = 2, .matrix = &a};
        struct sp_layout l;
        ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
        ck_assert(l.n_indices == n_e && l.n_stored == n_e * b_h * b_w && !l.val);
        int64_t entries = 0;
        for (int t = 0; t < 2; t++)
            entries += sp_layout_thread_entries(&l, t);
        ck_assert_int_eq(entries, l.n_stored);
        ck_assert(sp_layout_bytes_bound(&w, false) >=
                  sp_layout_matrix_bytes(&l) - sp_layout_array_bytes(&l, SP_ARRAY_VALUES));
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

START_TEST(blocks_of_a_permuted_matrix_are_known_before)
{
    struct sp_csr a, b;
    make(specs[_i], &a);
    int32_t *rows = calloc((size_t)a.n_r + 1, sizeof *rows),
            *columns = calloc((size_t)a.n_c + 1, sizeof *columns);
    ck_assert_int_eq(sp_permutation_random(a.n_r, 3, rows, NULL), SP_OK);
    ck_assert_int_eq(sp_permutation_random(a.n_c, 4, columns, NULL), SP_OK);
    for (int which = 1; which <= 3; which++) {
        struct sp_permutations order = {.row_perm = which & 1 ? rows : NULL,
                                        .col_perm = which & 2 ? columns : NULL};
        ck_assert_int_eq(sp_csr_permute(&a, order.row_perm, order.col_perm, NULL, &b, NULL), SP_OK);
        for (int s = 0; s < N_SIZES; s++) {
            struct sp_blocks before = count(&a, sizes[s][0], sizes[s][1], &order);
            struct sp_blocks after = count(&b, sizes[s][0], sizes[s][1], NULL);
            ck_assert_int_eq(before.n_e, after.n_e);
            ck_assert_int_eq(before.row_max, after.row_max);
        }
        sp_csr_free(&b);
    }
    free(rows);
    free(columns);
    sp_csr_free(&a);
}
END_TEST

/* Clustering, predicted and applied; rows that are alike by construction must come together. */
START_TEST(clusters_of_rows_keep_their_promise)
{
    static const char *const methods[] = {"jaccard:4", "jaccard2:4", "random:3", "rcm", "none"};
    struct sp_csr a, b;
    make(specs[_i], &a);
    for (int m = 0; m < 5; m++) {
        struct sp_permutations order;
        ck_assert_int_eq(sp_reorder_find(methods[m], &a, &order, NULL), SP_OK);
        if (order.row_perm)
            ck_assert_int_eq(sp_permutation_check(order.row_perm, a.n_r, NULL), SP_OK);
        if (order.col_perm)
            ck_assert_int_eq(sp_permutation_check(order.col_perm, a.n_c, NULL), SP_OK);
        struct sp_blocks before = count(&a, 4, 4, &order);
        ck_assert_int_eq(sp_reorder(methods[m], &a, NULL, NULL, &b, NULL), SP_OK);
        ck_assert_int_eq(before.n_e, count(&b, 4, 4, NULL).n_e);
        sp_permutations_free(&order);
        sp_csr_free(&b);
    }
    sp_csr_free(&a);
}
END_TEST

START_TEST(shuffled_blocks_are_found_again)
{
    struct sp_csr a, shuffled, b;
    make("block:960:8:3:5", &a);
    int32_t *rows = calloc(960, sizeof *rows);
    ck_assert_int_eq(sp_permutation_random(960, 9, rows, NULL), SP_OK);
    ck_assert_int_eq(sp_csr_permute(&a, rows, NULL, NULL, &shuffled, NULL), SP_OK);
    ck_assert_int_gt(count(&shuffled, 8, 8, NULL).n_e, 6 * 360);
    ck_assert_int_eq(sp_reorder("jaccard:8", &shuffled, NULL, NULL, &b, NULL), SP_OK);
    ck_assert_int_eq(count(&b, 8, 8, NULL).n_e, 360);
    sp_csr_free(&b);
    sp_csr_free(&shuffled);
    ck_assert_int_eq(sp_csr_permute(&a, rows, rows, NULL, &shuffled, NULL), SP_OK);
    ck_assert_int_eq(sp_reorder("jaccard2:8", &shuffled, NULL, NULL, &b, NULL), SP_OK);
    ck_assert_int_lt(count(&b, 8, 8, NULL).n_e, count(&shuffled, 8, 8, NULL).n_e / 2);
    sp_csr_free(&b);
    sp_csr_free(&shuffled);
    sp_csr_free(&a);
    free(rows);
}
END_TEST

static void near_formula(const struct sp_layout *l, const struct sp_traffic *t, double alpha)
{
    double V = sp_volume_layout(l, alpha, 2).total_B, seen = t->read_B.value + t->write_B.value;
    ck_assert_msg(fabs(seen - V) <= 0.01 * V, "%s, %d x %d, r = %d: simulated %.0f B, formula %.0f B",
                  sp_op_name(l->op), l->b_h, l->b_w, l->r, seen, V);
    struct sp_volume by_counts =
        sp_volume_bcsr(l->n_r, l->n_nz, l->n_indices, l->b_h, l->b_w, l->r, sp_sizes_of_layout(l), alpha, 2);
    ck_assert_double_eq_tol(V, by_counts.total_B, 1e-9 * V);
}

START_TEST(simulated_bytes_are_those_of_the_formula)
{
    static const struct {
        enum sp_op op;
        int32_t r;
        enum sp_precision precision;
    } cases[] = {{SP_OP_SPMV, 1, SP_F64},
                 {SP_OP_SPMMV, 4, SP_F64},
                 {SP_OP_SPMM, 8, SP_F64},
                 {SP_OP_SPMM, 200, SP_F64},
                 {SP_OP_SPMM, 64, SP_F16}};
    enum { N_CASES = sizeof cases / sizeof *cases };
    static const int32_t shapes[][2] = {{2, 2}, {4, 8}, {3, 3}, {16, 16}};
    struct sp_csr a, wide;
    make("random:3001x2003:9:7", &a);
    make("random:3001x200003:9:7", &wide);
    for (int c = 0; c < N_CASES; c++)
        for (int s = 0; s < 4; s++) {
            struct sp_workload w = {.op = cases[c].op,
                                    .precision = cases[c].precision,
                                    .r = cases[c].r,
                                    .format = SP_FORMAT_BCSR,
                                    .b_h = shapes[s][0],
                                    .b_w = shapes[s][1],
                                    .schedule = SP_SCHEDULE_NNZ,
                                    .n_threads = 1,
                                    .matrix = &a};
            struct sp_layout l;
            ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
            struct sp_alpha_min alpha;
            ck_assert_int_eq(sp_alpha_min_layout(&l, 1, NULL, 64, 0, NULL, &alpha, NULL), SP_OK);
            struct sp_traffic all = traffic_in(&l, INT64_C(1) << 32, SP_SIM_COLD);
            near_formula(&l, &all, alpha.alpha);
            sp_layout_free(&l);
            if (cases[c].r != 8)
                continue;
            /* Rows of X that are whole lines, and a cache too small for any that comes again. */
            w.matrix = &wide;
            ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
            struct sp_traffic none = traffic_in(&l, 16384, SP_SIM_COLD);
            near_formula(&l, &none, (double)l.n_indices * l.b_w / (double)l.n_nz);
            sp_layout_free(&l);
        }
    sp_csr_free(&wide);
    sp_csr_free(&a);
}
END_TEST

/* Entries of one place are added up before they are rounded to 16 bits. */
START_TEST(halves_are_stored)
{
    static int64_t row_ptr[] = {0, 3};
    static int32_t col[] = {1, 1, 1};
    static double val[] = {1, 0x1p-11, 0x1p-11};
    const struct sp_csr a = {.n_r = 1, .n_c = 2, .n_nz = 3, .row_ptr = row_ptr, .col = col, .val = val};
    struct sp_workload w = {.op = SP_OP_SPMM, .r = 8, .precision = SP_F16, .n_threads = 1, .matrix = &a};
    struct sp_layout l;
    struct sp_error err;
    ck_assert_int_eq(sp_workload_set_format(&w, "bcsr:8x8", NULL), SP_OK);
    ck_assert_int_eq(sp_workload_check(&w, &err), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_uint_eq(l.s_a, 2);
    ck_assert_uint_eq(((const uint16_t *)l.val)[8], 0x3c01);
    ck_assert_double_le(sp_layout_matrix_bytes(&l), sp_layout_bytes_bound(&w, true));
    sp_layout_free(&l);
    w.op = SP_OP_SPMMV;
    ck_assert_int_eq(sp_workload_check(&w, &err), SP_USAGE);
    /* Of a complex matrix no precision helps here, so none is proposed. */
    struct sp_csr z = a;
    z.field = SP_FIELD_COMPLEX;
    w.matrix = &z;
    w.op = SP_OP_SPMM;
    ck_assert_int_eq(sp_workload_check(&w, &err), SP_USAGE);
    ck_assert_str_eq(err.what, "complex values are supported for spmv in CRS only");
}
END_TEST

START_TEST(every_reference_is_counted)
{
    struct sp_csr a;
    make("random:150x91:5:4", &a);
    for (int n_threads = 1; n_threads <= 3; n_threads++)
        for (int r = 1; r <= 300; r += 149) {
            struct sp_workload w = {.op = r == 1 ? SP_OP_SPMV : SP_OP_SPMM,
                                    .r = r,
                                    .format = SP_FORMAT_BCSR,
                                    .b_h = 4,
                                    .b_w = 3,
                                    .schedule = SP_SCHEDULE_CYCLIC,
                                    .block = 8,
                                    .n_threads = n_threads,
                                    .matrix = &a};
            struct sp_layout l;
            ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
            struct sp_trace_options o = {.every = true, .turn_steps = 20};
            struct sp_trace t;
            ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
            struct sp_trace_piece piece;
            int64_t n = 0, from[64] = {0};
            sp_trace_rewind(&t, 0);
            for (int64_t turn = 0; sp_trace_next(&t, &piece); turn = t.turn) {
                from[turn < 63 ? turn : 63] += piece.n_events;
                n += piece.n_events;
            }
            ck_assert_int_eq(n, t.n_references);
            /* The end of an execution is the same without the events before. */
            for (int64_t turn = 0, before = 0; turn < 20; before += from[turn++]) {
                n = 0;
                sp_trace_rewind(&t, turn);
                while (sp_trace_next(&t, &piece))
                    n += piece.n_events;
                ck_assert_int_eq(n, t.n_references - before);
            }
            sp_trace_close(&t);
            sp_layout_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

START_TEST(an_exact_line_is_found)
{
    struct block_time point[12];
    for (int i = 0; i < 12; i++)
        point[i] = (struct block_time){1000.0 * (i + 1) * (i + 1), 3e-9 * 1000 * (i + 1) * (i + 1) + 2e-6};
    for (int relative = 0; relative < 2; relative++)
        for (int n = 2; n <= 12; n++) {
            struct block_fit fit = block_fit(point, n, relative);
            ck_assert(fit.known && fit.n == n);
            ck_assert_double_eq_tol(fit.T_e, 3e-9, 1e-18);
            ck_assert_double_eq_tol(fit.T_init, 2e-6, 1e-14);
            ck_assert_double_gt(fit.R2, 1 - 1e-9);
            ck_assert(n > 2 ? fit.T_e_half < 1e-15 : isinf(fit.T_e_half));
            ck_assert_double_eq_tol(block_fit_time(&fit, 5000), 1.7e-5, 1e-12);
            ck_assert_double_eq_tol(block_fit_dense_density(&fit, 10000, 1.7e-5), 0.5, 1e-6);
        }
    ck_assert(!block_fit(point, 1, false).known);
    struct block_time same[3] = {{5, 1}, {5, 2}, {5, 3}};
    ck_assert(!block_fit(same, 3, false).known);
}
END_TEST

/* Textbook: x 1 2 3 4 5, y 1 2 1.3 3.75 2.25: slope 0.425, intercept 0.785, residuals 2.79075, t(3) = 3.182.
 */
START_TEST(intervals_are_those_of_student)
{
    const struct block_time point[] = {{1, 1}, {2, 2}, {3, 1.3}, {4, 3.75}, {5, 2.25}};
    struct block_fit fit = block_fit(point, 5, false);
    ck_assert_double_eq_tol(fit.T_e, 0.425, 1e-12);
    ck_assert_double_eq_tol(fit.T_init, 0.785, 1e-12);
    ck_assert_double_eq_tol(fit.R2, 1 - 2.79075 / 4.597, 1e-9);
    double s = sqrt(2.79075 / 3);
    ck_assert_double_eq_tol(fit.T_e_half, 3.182 * s / sqrt(10), 1e-9);
    ck_assert_double_eq_tol(fit.T_init_half, 3.182 * s * sqrt(1.0 / 5 + 9.0 / 10), 1e-9);
}
END_TEST

/* Of 95 % intervals about 95 % contain the truth. */
START_TEST(intervals_cover_the_truth)
{
    struct sp_random random = {17};
    int covered = 0;
    enum { TRIALS = 2000, POINTS = 8 };
    for (int trial = 0; trial < TRIALS; trial++) {
        struct block_time point[POINTS];
        for (int i = 0; i < POINTS; i++) {
            double noise = 0;
            for (int k = 0; k < 12; k++)
                noise += sp_random_unit(&random) - 0.5; /* near enough to normal, variance 1 */
            point[i] = (struct block_time){i + 1, 10 + 2 * (i + 1) + noise};
        }
        struct block_fit fit = block_fit(point, POINTS, false);
        covered += fabs(fit.T_e - 2) <= fit.T_e_half;
    }
    ck_assert_int_gt(covered, TRIALS * 93 / 100);
    ck_assert_int_lt(covered, TRIALS * 97 / 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bcsr");
    TCase *tc = tcase_create("bcsr");
    tcase_add_loop_test(tc, blocks_are_counted_exactly, 0, N_SPECS);
    tcase_add_loop_test(tc, blocks_of_a_permuted_matrix_are_known_before, 0, N_SPECS);
    tcase_add_loop_test(tc, clusters_of_rows_keep_their_promise, 0, N_SPECS);
    tcase_add_test(tc, shuffled_blocks_are_found_again);
    tcase_add_test(tc, simulated_bytes_are_those_of_the_formula);
    tcase_add_test(tc, halves_are_stored);
    tcase_add_test(tc, every_reference_is_counted);
    tcase_add_test(tc, an_exact_line_is_found);
    tcase_add_test(tc, intervals_are_those_of_student);
    tcase_add_test(tc, intervals_cover_the_truth);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
