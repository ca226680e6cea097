#include <check.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "sparse/generate/generate.h"
#include "sparse/structure/structure.h"

static void make(const char *spec, struct sp_csr *a)
{
    struct sp_error err;
    enum sp_status status = sp_generate(spec, NULL, a, &err);
    ck_assert_msg(status == SP_OK, "gen:%s: %s", spec, status == SP_OK ? "" : err.what);
}

/* A dense copy with presence marks: every figure again, the slow and obvious way. */
struct dense {
    int64_t n_r, n_c;
    bool *there;
    double *value;
};

static struct dense dense_of(const struct sp_csr *a)
{
    struct dense d = {a->n_r, a->n_c, calloc((size_t)(a->n_r * a->n_c), 1),
                      calloc((size_t)(a->n_r * a->n_c), sizeof(double))};
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            d.there[i * a->n_c + a->col[k]] = true;
            d.value[i * a->n_c + a->col[k]] = a->val[k];
        }
    return d;
}

static bool there(const struct dense *d, int64_t i, int64_t j)
{
    return i >= 0 && j >= 0 && i < d->n_r && j < d->n_c && d->there[i * d->n_c + j];
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check_rows(const struct dense *d, const struct sp_structure *s)
{
    enum { MAX_ROWS = 512 };
    int64_t length[MAX_ROWS] = {0}, n_empty = 0, used = 0;
    ck_assert_int_le(d->n_r, MAX_ROWS);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < d->n_r; i++) {
        for (int64_t j = 0; j < d->n_c; j++)
            length[i] += there(d, i, j);
        n_empty += length[i] == 0;
        sum += (double)length[i];
        squares += (double)(length[i] * length[i]);
    }
    double mean = sum / (double)d->n_r;
    ck_assert_double_eq_tol(s->n_nzr, mean, 1e-12 * mean);
    ck_assert_double_eq_tol(s->row_cv, sqrt(fmax(squares / (double)d->n_r - mean * mean, 0)) / mean, 1e-6);
    ck_assert_int_eq(length[s->longest_row], s->row_max);
    qsort(length, (size_t)d->n_r, sizeof *length, compare);
    ck_assert_int_eq(s->row_min, length[0]);
    ck_assert_int_eq(s->row_max, length[d->n_r - 1]);
    ck_assert_int_eq(s->row_median, length[(d->n_r + 1) / 2 - 1]);
    ck_assert_int_eq(s->row_p99, length[d->n_r - d->n_r / 100 - 1]);
    ck_assert_int_eq(s->n_empty_rows, n_empty);
    for (int64_t j = 0; j < d->n_c; j++) {
        bool occurs = false;
        for (int64_t i = 0; i < d->n_r; i++)
            occurs = occurs || there(d, i, j);
        used += occurs;
    }
    ck_assert_int_eq(s->n_c_used, used);
}

static void check_places(const struct dense *d, const struct sp_structure *s)
{
    int64_t lower = 0, upper = 0, profile = 0, n_diagonal = 0, distance = 0, n = 0, off = 0, mirrored = 0,
            equal = 0;
    for (int64_t i = 0; i < d->n_r; i++) {
        int64_t first = -1;
        for (int64_t j = 0; j < d->n_c; j++) {
            if (!there(d, i, j))
                continue;
            first = first < 0 ? j : first;
            lower = i - j > lower ? i - j : lower;
            upper = j - i > upper ? j - i : upper;
            distance += llabs(i - j);
            n_diagonal += i == j;
            n++;
            if (i != j) {
                off++;
                mirrored += there(d, j, i);
                equal += there(d, j, i) && d->value[i * d->n_c + j] == d->value[j * d->n_c + i];
            }
        }
        profile += first >= 0 && first < i ? i - first : 0;
    }
    ck_assert_int_eq(s->lower_bandwidth, lower);
    ck_assert_int_eq(s->upper_bandwidth, upper);
    ck_assert_int_eq(s->profile, profile);
    ck_assert_int_eq(s->n_diagonal, n_diagonal);
    ck_assert_double_eq_tol(s->mean_distance, (double)distance / (double)n, 1e-9 * (double)d->n_c);
    ck_assert_int_eq(s->pattern_symmetry.known, d->n_r == d->n_c && off > 0);
    if (s->pattern_symmetry.known) {
        ck_assert_double_eq_tol(s->pattern_symmetry.value, (double)mirrored / (double)off, 1e-12);
        ck_assert_double_eq_tol(s->value_symmetry.value, (double)equal / (double)off, 1e-12);
        ck_assert(s->pattern_symmetry.error == 0);
    }
}

static void check_blocks(const struct dense *d, const struct sp_structure *s)
{
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
        int64_t h = s->block[b].b_h, w = s->block[b].b_w, n_e = 0;
        for (int64_t i = 0; i < d->n_r; i += h)
            for (int64_t j = 0; j < d->n_c; j += w) {
                bool any = false;
                for (int64_t di = 0; di < h; di++)
                    for (int64_t dj = 0; dj < w; dj++)
                        any = any || there(d, i + di, j + dj);
                n_e += any;
            }
        ck_assert_double_eq_tol(s->block[b].n_e.value, (double)n_e, 1e-6);
        ck_assert_double_eq_tol(s->block[b].beta.value, (double)s->n_nz / (double)(n_e * h * w), 1e-9);
    }
    int64_t unit = 0, slots = 0;
    for (int64_t i = 0; i < d->n_r; i += 8) {
        int64_t longest = 0;
        for (int64_t r = i; r < i + 8 && r < d->n_r; r++) {
            int64_t n = 0;
            for (int64_t j = 0; j < d->n_c; j++)
                n += there(d, r, j);
            longest = n > longest ? n : longest;
        }
        slots += longest;
        for (int64_t j = 0; j < d->n_c; j++) {
            bool all = true;
            for (int64_t l = 0; l < 8; l++)
                all = all && there(d, i + l, j + l);
            unit += all;
        }
    }
    ck_assert_double_eq_tol(s->unit_share.value, (double)unit / (double)slots, 1e-12);
}

START_TEST(figures_agree_with_brute_force)
{
    static const char *const specs[] = {
        "laplace2d:13x9",  "laplace3d:6",           "hpcg:5",       "band:120:7:0.4:2", "random:150:5:4",
        "random:90x140:6", "random:140x33:2",       "powerlaw:8:3", "arrow:150",        "block:96:4:3",
        "anderson:5:2",    "laplace2d:14+permuted", "laplace2d:1",  "arrow:97+reversed"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int threads = 1; threads <= 2; threads++) {
            struct sp_csr a;
            struct sp_structure s;
            omp_set_num_threads(threads);
            make(specs[i], &a);
            if (threads == 2)
                a.symmetry = SP_GENERAL; /* found out, not believed */
            ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
            struct dense d = dense_of(&a);
            check_rows(&d, &s);
            check_places(&d, &s);
            check_blocks(&d, &s);
            free(d.there);
            free(d.value);
            sp_csr_free(&a);
        }
}
END_TEST

/* To the last digit: what two machines say of a matrix can be compared. */
START_TEST(threads_change_no_figure)
{
    struct sp_csr a;
    struct sp_structure one, more;
    make("band:30001:9:0.3", &a); /* a mean that no double is exactly */
    omp_set_num_threads(1);
    ck_assert_int_eq(sp_structure_analyse(&a, &one, NULL), SP_OK);
    for (int threads = 2; threads <= 5; threads++) {
        omp_set_num_threads(threads);
        ck_assert_int_eq(sp_structure_analyse(&a, &more, NULL), SP_OK);
        ck_assert(more.row_cv == one.row_cv && more.mean_distance == one.mean_distance);
        ck_assert(more.profile == one.profile && more.unit_share.value == one.unit_share.value);
    }
    sp_csr_free(&a);
}
END_TEST

START_TEST(values_are_counted)
{
    struct sp_csr a;
    struct sp_structure s;
    make("laplace3d:9", &a);
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert(s.n_distinct == 2 && !s.distinct_at_least && s.n_inexact_f32 == 0 && s.n_zeros == 0);
    a.val[5] = 0;
    a.val[8] = 0.1;
    a.val[9] = 1e300;
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert(s.n_distinct == 5 && s.n_inexact_f32 == 2 && s.n_zeros == 1);
    sp_csr_free(&a);
    make("random:4096:1", &a);
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert(s.n_distinct == 4096 && !s.distinct_at_least);
    sp_csr_free(&a);
    make("random:5000:2", &a);
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert(s.n_distinct == 4096 && s.distinct_at_least && s.n_inexact_f32 > 9990);
    sp_csr_free(&a);
}
END_TEST

/* Above SP_STRUCTURE_SAMPLE entries blocks are sampled: the truth of these matrices is known by formula. */
START_TEST(samples_state_an_error_that_covers_the_truth)
{
    struct sp_csr a;
    struct sp_structure s;
    make("block:80000:4:5", &a);
    ck_assert_int_gt(a.n_nz, SP_STRUCTURE_SAMPLE);
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert_double_eq_tol(s.block[2].n_e.value, 100000, 1e-3);
    ck_assert_double_eq_tol(s.block[2].beta.value, 1, 1e-9);
    ck_assert(s.pattern_symmetry.known && s.pattern_symmetry.value < 0.01 && s.pattern_symmetry.error > 0);
    /* 2x2 blocks: four of each 4x4 */
    ck_assert_double_eq_tol(s.block[0].n_e.value, 400000, 1e-3);
    sp_csr_free(&a);

    make("random:200000:6", &a);
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    double n_e = s.block[2].n_e.value, error = s.block[2].n_e.error;
    ck_assert_msg(error > 0 && error < 0.01 * n_e, "n_e %g +- %g", n_e, error);
    /* four rows with 6 of 50 000 block columns each hardly ever meet */
    double expected = 50000.0 * 24 * (1 - 23.0 / 2 / 50000);
    ck_assert_msg(fabs(n_e - expected) <= 3 * error + 200, "n_e %g +- %g, expected %g", n_e, error, expected);
    sp_csr_free(&a);
}
END_TEST

START_TEST(complex_and_empty_matrices_have_a_structure)
{
    struct sp_csr a;
    struct sp_structure s;
    ck_assert_int_eq(sp_csr_alloc(2, 2, 2, SP_FIELD_COMPLEX, NULL, &a, NULL), SP_OK);
    memcpy(a.row_ptr, (int64_t[]){0, 1, 2}, 3 * sizeof(int64_t));
    memcpy(a.col, (int32_t[]){1, 0}, 2 * sizeof(int32_t));
    memcpy(a.val, (double[]){1, 2, 1, -2}, 4 * sizeof(double));
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert(s.pattern_symmetry.value == 1 && s.value_symmetry.value == 0 && s.n_distinct == 2);
    ck_assert(s.crs_B == 2 * 20 + 12 && s.vector_B == 64);
    sp_csr_free(&a);
    static const int64_t sizes[][2] = {{0, 0}, {3, 0}, {0, 3}, {3, 3}};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(sp_csr_alloc(sizes[i][0], sizes[i][1], 0, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
        for (int64_t r = 0; r < a.n_r; r++)
            a.row_ptr[r + 1] = 0;
        ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
        ck_assert(!s.pattern_symmetry.known && !s.block[0].beta.known && !s.unit_share.known);
        ck_assert_int_eq(s.n_empty_rows, a.n_r);
        ck_assert_int_eq(s.n_c_used, 0);
        sp_csr_free(&a);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("structure");
    TCase *tc = tcase_create("structure");
    tcase_add_test(tc, figures_agree_with_brute_force);
    tcase_add_test(tc, threads_change_no_figure);
    tcase_add_test(tc, values_are_counted);
    tcase_add_test(tc, samples_state_an_error_that_covers_the_truth);
    tcase_add_test(tc, complex_and_empty_matrices_have_a_structure);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
