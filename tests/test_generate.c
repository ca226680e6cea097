#include <check.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run_suite.h"
#include "sparse/csr/permute.h"
#include "sparse/csr/sort.h"
#include "sparse/generate/generate.h"

static void make(const char *spec, struct sp_csr *a)
{
    struct sp_error err;
    enum sp_status status = sp_generate(spec, NULL, a, &err);
    ck_assert_msg(status == SP_OK, "gen:%s: %s", spec, status == SP_OK ? "" : err.what);
    status = sp_csr_check(a, &err);
    ck_assert_msg(status == SP_OK, "gen:%s: %s", spec, status == SP_OK ? "" : err.what);
}

static bool equal(const struct sp_csr *a, const struct sp_csr *b)
{
    return a->n_r == b->n_r && a->n_c == b->n_c && a->n_nz == b->n_nz &&
           memcmp(a->row_ptr, b->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr) == 0 &&
           memcmp(a->col, b->col, (size_t)a->n_nz * sizeof *a->col) == 0 &&
           memcmp(a->val, b->val, (size_t)a->n_nz * sizeof *a->val) == 0;
}

static double value_at(const struct sp_csr *a, int64_t i, int64_t j)
{
    for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
        if (a->col[k] == j)
            return a->val[k];
    return 0;
}

static bool is_symmetric(const struct sp_csr *a)
{
    for (int64_t r = 0; r < a->n_r; r++)
        for (int64_t k = a->row_ptr[r]; k < a->row_ptr[r + 1]; k++)
            if (value_at(a, a->col[k], r) != a->val[k])
                return false;
    return true;
}

/* Every kind, alone and with every modifier. */
START_TEST(every_kind_keeps_its_promises)
{
    struct sp_generator_info kind, modifier;
    int n_kinds = 0;
    for (int i = 0; sp_generator_get(i, &kind); i++, n_kinds++) {
        ck_assert(strlen(kind.summary) > 10 && strncmp(kind.form, kind.name, strlen(kind.name)) == 0);
        for (int m = -1;; m++) {
            char spec[128];
            modifier.example = "";
            if (m >= 0 && !sp_generator_modifier_get(m, &modifier))
                break;
            snprintf(spec, sizeof spec, "%s%s", kind.example, modifier.example);
            struct sp_csr one, two;
            omp_set_num_threads(1);
            make(spec, &one);
            omp_set_num_threads(2);
            make(spec, &two);
            ck_assert_msg(equal(&one, &two), "gen:%s differs between one and two threads", spec);
            int64_t n_r, n_c, n_nz;
            double bytes;
            ck_assert_int_eq(sp_generate_estimate(spec, &n_r, &n_c, &n_nz, NULL), SP_OK);
            ck_assert_int_eq(sp_generate_bytes(spec, &bytes, NULL), SP_OK);
            ck_assert_int_eq(n_r, one.n_r);
            ck_assert_int_eq(n_c, one.n_c);
            ck_assert_msg(n_nz >= one.n_nz && n_nz < 2 * one.n_nz + 100, "gen:%s: bound %lld, got %lld", spec,
                          (long long)n_nz, (long long)one.n_nz);
            ck_assert(bytes >= sp_csr_bytes(one.n_r, one.n_nz, SP_FIELD_REAL));
            int64_t n_zeros = 0;
            for (int64_t k = 0; k < one.n_nz; k++)
                n_zeros += one.val[k] == 0;
            ck_assert_int_eq(n_zeros, one.n_zeros);
            ck_assert_msg(one.symmetry != SP_SYMMETRIC || is_symmetric(&one),
                          "gen:%s is marked symmetric and is not", spec);
            sp_csr_free(&one);
            sp_csr_free(&two);
        }
    }
    ck_assert_int_eq(n_kinds, 14);
}
END_TEST

/* One round of layers joins every input to every neuron, in as many ways as another. */
START_TEST(layers_join_everything)
{
    static const int64_t sizes[] = {32, 1024, 4096, 16384};
    static const int rounds[] = {1, 2, 3, 3};
    for (int s = 0; s < 4; s++) {
        char *heard = calloc((size_t)sizes[s], 1), *next = calloc((size_t)sizes[s], 1);
        heard[5] = 1;
        for (int layer = 0; layer < rounds[s]; layer++) {
            char spec[64];
            struct sp_csr a;
            snprintf(spec, sizeof spec, "layer:%d:%d", (int)sizes[s], layer + 3 * rounds[s]);
            make(spec, &a);
            for (int64_t i = 0; i < a.n_r; i++) {
                next[i] = 0;
                for (int64_t j = a.row_ptr[i]; j < a.row_ptr[i + 1]; j++)
                    next[i] |= heard[a.col[j]];
            }
            sp_csr_free(&a);
            char *swap = heard;
            heard = next;
            next = swap;
        }
        int64_t n = 0;
        for (int64_t i = 0; i < sizes[s]; i++)
            n += heard[i];
        ck_assert_int_eq(n, sizes[s]);
        free(heard);
        free(next);
    }
}
END_TEST

static void has_entries(const char *spec, int64_t n_r, int64_t n_nz)
{
    struct sp_csr a;
    make(spec, &a);
    ck_assert_msg(a.n_r == n_r && a.n_nz == n_nz, "gen:%s: %lld rows, %lld entries", spec, (long long)a.n_r,
                  (long long)a.n_nz);
    sp_csr_free(&a);
}

START_TEST(numbers_of_entries_follow_the_formulas)
{
    has_entries("laplace2d:17", 17 * 17, 5 * 17 * 17 - 4 * 17);
    has_entries("laplace2d:5x3", 15, 5 * 15 - 2 * 3 - 2 * 5);
    has_entries("laplace3d:24", 24 * 24 * 24, 7 * 24 * 24 * 24 - 6 * 24 * 24);
    has_entries("laplace3d:1", 1, 1);
    has_entries("laplace3d:1x1x9", 9, 25);
    has_entries("hpcg:10", 1000, 28 * 28 * 28);
    has_entries("hpcg:4x5x6", 120, 10 * 13 * 16);
    has_entries("hpcg:2", 8, 64);
    has_entries("anderson:6:2:9", 216, 7 * 216 - 6 * 36);
    has_entries("band:100:3", 100, 7 * 100 - 12);
    has_entries("band:1:0", 1, 1);
    has_entries("random:100x50:50", 100, 5000);
    has_entries("random:100x50:40", 100, 4000);
    has_entries("random:100x50:0", 100, 0);
    has_entries("random:10x5000:1200", 10, 12000);
    has_entries("arrow:1000", 1000, 2998);
    has_entries("arrow:1", 1, 1);
    has_entries("block:60:3:4", 60, 720);
    has_entries("layer:1000:2", 1000, 32000);
    has_entries("box2d:7x4", 28, 19 * 10);
    has_entries("anderson:6:2:9:1", 216, 7 * 216);
    has_entries("anderson:5x2x1:2:9:1", 10, 4 * 10);
    has_entries("debruijn:1", 2, 2);
    has_entries("debruijn:10", 1024, 4 * 1024 - 6);
}
END_TEST

/* What the collection says of its matrices: n, n_nz and bandwidth, as its index gives them; 0: not known
 * here.
 */
static const struct {
    const char *name;
    int64_t n, n_nz, bandwidth;
} known[] = {
    {"McRae/ecology1", 1000000, 4996000, 1000},
    {"atmosmodd", 1270432, 8814880, 148 * 148},
    {"atmosmodl", 1489752, 10319760, 198 * 198},
    {"Lin/Lin", 256000, 1766400, 6400},
    {"AG-Monien/debr", 1048576, 4194298, 524288},
    {"GHS_psdef/jnlbrng1", 40000, 199200, 200},
    {"apache1", 80800, 542184, 808},
    {"chem_master1", 40401, 201201, 201},
    {"fv1", 9604, 85264, 99},
    {"Norris/fv2", 9801, 87025, 100},
    {"HB/orsreg_1", 2205, 14133, 441},
    {"pde2961", 2961, 14585, 47},
    {"mycielskian4", 11, 40, 0},
    {"mycielskian8", 191, 4720, 0},
    {"Mycielski/mycielskian13", 6143, 1227742, 0},
};

START_TEST(recipes_rebuild_the_collection)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char spec[64];
        struct sp_csr a;
        int64_t bandwidth = 0;
        snprintf(spec, sizeof spec, "suitesparse:%s", known[i].name);
        make(spec, &a);
        for (int64_t r = 0; r < a.n_r; r++)
            for (int64_t k = a.row_ptr[r]; k < a.row_ptr[r + 1]; k++)
                bandwidth = llabs(a.col[k] - r) > bandwidth ? llabs(a.col[k] - r) : bandwidth;
        ck_assert_msg(a.n_r == known[i].n && a.n_nz == known[i].n_nz &&
                          (known[i].bandwidth == 0 || bandwidth == known[i].bandwidth),
                      "%s: %lld rows, %lld entries, bandwidth %lld", spec, (long long)a.n_r,
                      (long long)a.n_nz, (long long)bandwidth);
        sp_csr_free(&a);
    }
}
END_TEST

START_TEST(stencils_are_the_known_operators)
{
    struct sp_csr a;
    make("laplace3d:4x5x6", &a);
    for (int64_t z = 0; z < 6; z++)
        for (int64_t y = 0; y < 5; y++)
            for (int64_t x = 0; x < 4; x++)
                for (int64_t j = 0; j < a.n_c; j++) {
                    int64_t distance = llabs(x - j % 4) + llabs(y - j / 4 % 5) + llabs(z - j / 20);
                    double want = distance == 0 ? 6 : distance == 1 ? -1 : 0;
                    ck_assert_double_eq(value_at(&a, x + 4 * y + 20 * z, j), want);
                }
    sp_csr_free(&a);
    make("hpcg:4", &a);
    for (int64_t i = 0; i < 64; i++)
        for (int64_t j = 0; j < 64; j++) {
            bool near =
                llabs(i % 4 - j % 4) < 2 && llabs(i / 4 % 4 - j / 4 % 4) < 2 && llabs(i / 16 - j / 16) < 2;
            ck_assert_double_eq(value_at(&a, i, j), i == j ? 26 : near ? -1 : 0);
        }
    sp_csr_free(&a);
}
END_TEST

START_TEST(seeds_matter)
{
    static const char *const pairs[][2] = {{"random:300:5:1", "random:300:5:2"},
                                           {"powerlaw:8:4:1", "powerlaw:8:4:2"},
                                           {"band:200:4:0.5:1", "band:200:4:0.5:2"},
                                           {"block:60:3:4:1", "block:60:3:4:2"},
                                           {"anderson:5:3:1", "anderson:5:3:2"},
                                           {"laplace2d:9", "laplace2d:9+permuted:1"},
                                           {"arrow:50+permuted:1", "arrow:50+permuted:2"},
                                           {"laplace2d:20", "laplace2d:20+shuffled:50"},
                                           {"laplace2d:20+shuffled:50:1", "laplace2d:20+shuffled:50:2"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct sp_csr a, b;
        make(pairs[i][0], &a);
        make(pairs[i][1], &b);
        ck_assert_msg(!equal(&a, &b), "%s and %s are equal", pairs[i][0], pairs[i][1]);
        sp_csr_free(&a);
        sp_csr_free(&b);
    }
}
END_TEST

/* Columns of `random` are uniform: 5000 rows x 8 over 100 columns, chi-square with 99 degrees of freedom. */
START_TEST(random_columns_are_uniform)
{
    struct sp_csr a;
    make("random:5000x100:8:5", &a);
    double count[100] = {0}, chi2 = 0;
    for (int64_t k = 0; k < a.n_nz; k++)
        count[a.col[k]]++;
    for (int j = 0; j < 100; j++)
        chi2 += (count[j] - 400) * (count[j] - 400) / 400;
    ck_assert_msg(chi2 > 50 && chi2 < 160, "chi-square %g", chi2);
    sp_csr_free(&a);
}
END_TEST

/* The share of edges in the first quadrant is 0.57 before repeated edges are merged; merging takes more of
 * the crowded quadrant. Rows are heavy-tailed: the longest is far above the mean. */
START_TEST(powerlaw_has_hubs)
{
    struct sp_csr a;
    make("powerlaw:14:8:1", &a);
    int64_t half = a.n_r / 2, first = 0, longest = 0;
    for (int64_t i = 0; i < a.n_r; i++) {
        int64_t n = a.row_ptr[i + 1] - a.row_ptr[i];
        longest = n > longest ? n : longest;
        for (int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; k++)
            first += i < half && a.col[k] < half;
    }
    double share = (double)first / (double)a.n_nz;
    ck_assert_msg(share > 0.52 && share < 0.58, "share of the first quadrant %g", share);
    ck_assert_msg(longest > 50 * a.n_nz / a.n_r, "longest row %lld", (long long)longest);
    ck_assert(a.n_nz > 8 * a.n_r * 7 / 10 && a.n_nz < 8 * a.n_r);
    sp_csr_free(&a);
}
END_TEST

START_TEST(bad_specifications_are_refused_with_the_right_form)
{
    static const char *const bad[] = {"",
                                      "laplace4d:3",
                                      "laplace3d",
                                      "laplace3d:",
                                      "laplace3d:x",
                                      "laplace3d:0",
                                      "laplace3d:-3",
                                      "laplace3d:3x4",
                                      "laplace2d:3x4x5",
                                      "laplace3d:2000",
                                      "hpcg:99999999999999999999",
                                      "band:10:10",
                                      "band:10:2:1.5",
                                      "random:10x5:6",
                                      "random:10",
                                      "random:10:2:3:4:5",
                                      "powerlaw:31:2",
                                      "arrow:3:4",
                                      "block:10:3:1",
                                      "block:9:3:4",
                                      "suitesparse",
                                      "suitesparse:bcsstk13",
                                      "suitesparse:Foo/ecology1",
                                      "suitesparse:/ecology1",
                                      "suitesparse:McRae/",
                                      "suitesparse:McRa/ecology1",
                                      "debruijn:31",
                                      "mycielskian:1",
                                      "anderson:4:1:1:2",
                                      "arrow:5+",
                                      "arrow:5+sorted",
                                      "arrow:5+permuted:x",
                                      "arrow:5+shuffled",
                                      "arrow:5+shuffled:0",
                                      "arrow:5+shuffled:2:x",
                                      "arrow:5+reversed:2",
                                      "arrow:5+reversed+permuted:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sp_csr a;
        struct sp_error err = {0};
        int64_t n_r, n_c, n_nz;
        enum sp_status status = sp_generate_estimate(bad[i], &n_r, &n_c, &n_nz, &err);
        ck_assert_msg(status == SP_USAGE, "gen:%s gives status %d", bad[i], (int)status);
        ck_assert_msg(strstr(err.what, bad[i]), "'%s' does not name the specification", err.what);
        ck_assert_int_eq(sp_generate(bad[i], NULL, &a, NULL), SP_USAGE);
        ck_assert(!a.row_ptr && !a.col && a.n_r == 0);
    }
    struct sp_error err;
    struct sp_csr a;
    sp_generate("laplace3d:0", NULL, &a, &err);
    ck_assert_ptr_nonnull(strstr(err.remedy, "laplace3d:NX[xNYxNZ]"));
}
END_TEST

START_TEST(random_permutations_are_permutations)
{
    static const int64_t sizes[] = {0, 1, 2, 1000, 32769, 700001};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s];
        int32_t *one = malloc((size_t)(n + 1) * sizeof *one), *two = malloc((size_t)(n + 1) * sizeof *two);
        omp_set_num_threads(1);
        ck_assert_int_eq(sp_permutation_random(n, 7, one, NULL), SP_OK);
        omp_set_num_threads(2);
        ck_assert_int_eq(sp_permutation_random(n, 7, two, NULL), SP_OK);
        ck_assert(memcmp(one, two, (size_t)n * sizeof *one) == 0);
        ck_assert_int_eq(sp_permutation_check(one, n, NULL), SP_OK);
        sp_permutation_invert(one, n, two);
        int64_t near = 0, wrong = 0;
        for (int64_t i = 0; i < n; i++) {
            wrong += one[two[i]] != i;
            near += llabs(one[i] - i) < n / 10;
        }
        ck_assert_int_eq(wrong, 0);
        if (n >= 1000) /* |i - j| < n/10 has probability 0.19 */
            ck_assert_msg(fabs((double)near / (double)n - 0.19) < 0.05, "%g stay near",
                          (double)near / (double)n);
        free(one);
        free(two);
    }
    const int32_t twice[] = {0, 2, 2}, outside[] = {0, 3, 1};
    ck_assert_int_eq(sp_permutation_check(twice, 3, NULL), SP_INPUT);
    ck_assert_int_eq(sp_permutation_check(outside, 3, NULL), SP_INPUT);
}
END_TEST

START_TEST(permuted_matrix_has_the_entries_where_they_belong)
{
    struct sp_csr a, b;
    make("random:90x70:9:3", &a);
    int32_t row[90], col[70];
    sp_permutation_random(90, 1, row, NULL);
    sp_permutation_random(70, 2, col, NULL);
    for (int kind = 0; kind < 4; kind++) {
        const int32_t *r = kind & 1 ? row : NULL, *c = kind & 2 ? col : NULL;
        ck_assert_int_eq(sp_csr_permute(&a, r, c, NULL, &b, NULL), SP_OK);
        ck_assert_int_eq(sp_csr_check(&b, NULL), SP_OK);
        for (int64_t i = 0; i < 90; i++)
            for (int64_t j = 0; j < 70; j++)
                ck_assert(value_at(&b, i, j) == value_at(&a, r ? r[i] : i, c ? c[j] : j));
        sp_csr_free(&b);
    }
    sp_csr_free(&a);
}
END_TEST

START_TEST(complex_values_move_in_pairs)
{
    struct sp_csr a, b;
    ck_assert_int_eq(sp_csr_alloc(2, 2, 3, SP_FIELD_COMPLEX, NULL, &a, NULL), SP_OK);
    memcpy(a.row_ptr, (int64_t[]){0, 2, 3}, 3 * sizeof(int64_t));
    memcpy(a.col, (int32_t[]){0, 1, 0}, 3 * sizeof(int32_t));
    memcpy(a.val, (double[]){1, 2, 3, 4, 5, 6}, 6 * sizeof(double));
    const int32_t swap[] = {1, 0};
    ck_assert_int_eq(sp_csr_permute(&a, swap, swap, NULL, &b, NULL), SP_OK);
    ck_assert(memcmp(b.val, (double[]){5, 6, 3, 4, 1, 2}, 6 * sizeof(double)) == 0);
    ck_assert(memcmp(b.col, (int32_t[]){1, 0, 1}, 3 * sizeof(int32_t)) == 0);
    sp_csr_free(&a);
    sp_csr_free(&b);
}
END_TEST

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(sort_agrees_with_qsort)
{
    enum { MAX = 1500 };
    static uint64_t mine[MAX], theirs[MAX], scratch[MAX];
    for (int n = 0; n < MAX; n = n < 140 ? n + 1 : 2 * n + 3) {
        for (int i = 0; i < n; i++)
            mine[i] = theirs[i] = sp_random_at(3, (uint64_t)(i * 7 + n)) >> (n % 60);
        sp_sort_u64(mine, n, scratch);
        qsort(theirs, (size_t)n, sizeof *theirs, compare);
        ck_assert_msg(memcmp(mine, theirs, (size_t)n * sizeof *mine) == 0, "n = %d", n);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generate");
    TCase *tc = tcase_create("generate");
    tcase_add_test(tc, every_kind_keeps_its_promises);
    tcase_add_test(tc, numbers_of_entries_follow_the_formulas);
    tcase_add_test(tc, recipes_rebuild_the_collection);
    tcase_add_test(tc, layers_join_everything);
    tcase_add_test(tc, stencils_are_the_known_operators);
    tcase_add_test(tc, seeds_matter);
    tcase_add_test(tc, random_columns_are_uniform);
    tcase_add_test(tc, powerlaw_has_hubs);
    tcase_add_test(tc, bad_specifications_are_refused_with_the_right_form);
    tcase_add_test(tc, random_permutations_are_permutations);
    tcase_add_test(tc, permuted_matrix_has_the_entries_where_they_belong);
    tcase_add_test(tc, complex_values_move_in_pairs);
    tcase_add_test(tc, sort_agrees_with_qsort);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
