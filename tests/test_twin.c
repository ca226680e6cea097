#include <check.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/matrix/matrix_load.h"
#include "model/cache/reuse.h"
#include "plain_layout.h"
#include "run_suite.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/layout.h"
#include "sparse/generate/generate.h"
#include "sparse/twin/twin.h"

static struct sp_error err;

static void generate(const char *spec, struct sp_csr *a)
{
    ck_assert_msg(sp_generate(spec, NULL, a, &err) == SP_OK, "%s", err.what);
}

static struct sp_twin *measure(const struct sp_csr *a)
{
    struct sp_twin *t;
    ck_assert_int_eq(sp_twin_measure(a, &t, &err), SP_OK);
    ck_assert_ptr_null(sp_twin_complete(t)); /* what was measured does not contradict itself */
    return t;
}

static void twin_of(const struct sp_csr *a, int64_t scale, uint64_t seed, struct sp_csr *b)
{
    struct sp_twin *t = measure(a);
    enum sp_status status = sp_twin_make(t, scale, seed, omp_get_max_threads(), NULL, b, &err);
    ck_assert_msg(status == SP_OK, "%s", status == SP_OK ? "" : err.what);
    status = sp_csr_check(b, &err);
    ck_assert_msg(status == SP_OK, "%s", status == SP_OK ? "" : err.what);
    free(t);
}

static bool equal(const struct sp_csr *a, const struct sp_csr *b)
{
    return a->n_nz == b->n_nz &&
           memcmp(a->row_ptr, b->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr) == 0 &&
           memcmp(a->col, b->col, (size_t)a->n_nz * sizeof *a->col) == 0 &&
           memcmp(a->val, b->val, (size_t)a->n_nz * sizeof *a->val) == 0;
}

static int64_t sum(const int64_t *n, size_t n_items)
{
    int64_t all = 0;
    for (size_t k = 0; k < n_items; k++)
        all += n[k];
    return all;
}

START_TEST(classes_hold_what_is_in_them)
{
    for (int64_t d = 0; d < 100000; d++) {
        int64_t lo, hi;
        int step = sp_twin_step(d);
        sp_twin_step_range(step, &lo, &hi);
        ck_assert(lo <= d && d <= hi && step <= SP_TWIN_STEPS);
        ck_assert(d > 8 || (lo == d && step == d) || d == 8);
        ck_assert_int_le(sp_twin_length_class(d), sp_twin_length_class(d + 1));
    }
    ck_assert_int_eq(sp_twin_length_class(31), 31);
    ck_assert_int_lt(sp_twin_length_class(INT32_MAX), SP_TWIN_LENGTHS);
    ck_assert_int_le(sp_twin_step(INT32_MAX), SP_TWIN_STEPS);
}
END_TEST

/* A grid of 30 x 40: above the diagonal each row has the columns of the row above one further, but for the
 * first of a grid line, whose neighbour to the right is born. */
START_TEST(a_grid_is_copies_and_one_birth_a_line)
{
    struct sp_csr a;
    generate("laplace2d:30x40", &a);
    struct sp_twin *t = measure(&a);
    ck_assert(t->mirrored && t->n_r == 1200 && t->n_diagonal == 1200 && t->n_nz == a.n_nz);
    int64_t lengths[6] = {0};
    for (int32_t p = 0; p < t->rows.n_parts; p++)
        for (int class = 0; class < 6; class ++)
            lengths[class] += t->rows.count[p][class];
    ck_assert(lengths[3] == 4 && lengths[4] == 2 * 28 + 2 * 38 && lengths[5] == 28 * 38);
    /* nothing is copied to the first row of the last line nor to the last row */
    ck_assert_int_eq(t->shift[0][1] + t->shift[1][1], 1197);
    ck_assert_int_eq(t->shift[0][SP_TWIN_SHIFTS] + t->shift[1][SP_TWIN_SHIFTS], 2);
    ck_assert_int_eq(t->offered[1][SP_TWIN_LOCAL + 1], 1160 - 1);
    ck_assert_int_eq(t->copied[1][SP_TWIN_LOCAL + 1], 1160 - 40);
    ck_assert_int_eq(t->copied[1][SP_TWIN_LOCAL + 30], 1169);
    ck_assert_int_eq(t->near[SP_TWIN_LOCAL + 1], 40);
    ck_assert_int_eq(t->near[SP_TWIN_LOCAL + 30], 1);
    ck_assert_int_eq(sum(&t->birth[0][0], SP_TWIN_GRID * SP_TWIN_BIRTHS), 41);
    free(t);
    sp_csr_free(&a);
}
END_TEST

START_TEST(columns_and_hubs_are_counted)
{
    struct sp_csr a;
    generate("arrow:800", &a);
    struct sp_twin *t = measure(&a);
    ck_assert(t->mirrored && t->rows.count[0][sp_twin_length_class(800)] == 1);
    ck_assert_int_eq(t->rows.sum[sp_twin_length_class(800)], 800);
    /* the first row has all 100 lines; later ones that of column 0, and their own, 99 times after 8 k rows */
    ck_assert_int_eq(t->reuse[SP_TWIN_STEPS + 1], 100);
    ck_assert_int_eq(t->reuse[1], 799 + 99 * 7);
    ck_assert_int_eq(sum(t->reuse, SP_TWIN_STEPS + 2), 100 + 799 + 99 * 8);
    free(t);
    sp_csr_free(&a);
    generate("random:400x300:7:3", &a);
    t = measure(&a);
    ck_assert(!t->mirrored && t->n_diagonal == 0 && t->rows.n == 400 && t->columns.n == 300);
    ck_assert_int_eq(sum(t->columns.sum, SP_TWIN_LENGTHS), 2800);
    ck_assert_int_eq(t->rows.sum[7], 2800);
    int64_t copied = sum(&t->copied[0][0], SP_TWIN_SHIFTS * SP_TWIN_OFFSETS);
    ck_assert_int_eq(sum(&t->birth[0][0], SP_TWIN_GRID * SP_TWIN_BIRTHS) + copied, 2800);
    free(t);
    sp_csr_free(&a);
}
END_TEST

START_TEST(sizes_follow_the_scale_and_results_the_seed_alone)
{
    static const char *const specs[] = {"laplace2d:31",      "random:400x300:7:3", "powerlaw:9:8",
                                        "block:240x160:4:5", "random:300x900:4",   "band:700:9:0.5"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
        for (int64_t scale = 1; scale <= 3; scale += 2) {
            struct sp_csr a, b, c, d;
            generate(specs[s], &a);
            omp_set_num_threads(1);
            twin_of(&a, scale, 5, &b);
            omp_set_num_threads(2);
            twin_of(&a, scale, 5, &c);
            twin_of(&a, scale, 6, &d);
            ck_assert(b.n_r == scale * a.n_r && b.n_c == scale * a.n_c);
            double share = (double)b.n_nz / (double)(scale * a.n_nz);
            ck_assert_msg(fabs(share - 1) < 0.05, "%s: %g of the entries", specs[s], share);
            ck_assert_msg(equal(&b, &c), "%s differs between one and two threads", specs[s]);
            ck_assert_msg(!equal(&b, &d), "%s does not depend on the seed", specs[s]);
            for (int64_t k = 0; k < b.n_nz; k++)
                ck_assert(b.val[k] > 0);
            sp_csr_free(&a);
            sp_csr_free(&b);
            sp_csr_free(&c);
            sp_csr_free(&d);
        }
}
END_TEST

/* Field and symmetry of the original, with values that have it. */
START_TEST(fields_and_symmetries_are_kept)
{
    for (int field = SP_FIELD_REAL; field <= SP_FIELD_COMPLEX; field++)
        for (int symmetry = SP_GENERAL; symmetry <= SP_HERMITIAN; symmetry++) {
            struct sp_csr a, b;
            generate("laplace2d:20", &a);
            struct sp_twin *t = measure(&a);
            t->field = (enum sp_field)field;
            t->symmetry = (enum sp_symmetry)symmetry;
            if (symmetry == SP_SKEW_SYMMETRIC)
                t->n_diagonal = 0;
            ck_assert_int_eq(sp_twin_make(t, 2, 1, 2, NULL, &b, &err), SP_OK);
            ck_assert_int_eq(sp_csr_check(&b, &err), SP_OK);
            ck_assert(b.field == t->field && b.symmetry == t->symmetry);
            bool holds;
            if (symmetry == SP_GENERAL)
                b.symmetry = SP_SYMMETRIC; /* mirrored patterns have symmetric values */
            ck_assert_int_eq(sp_csr_symmetry_holds(&b, &holds, &err), SP_OK);
            ck_assert_msg(holds, "field %d, symmetry %d", field, symmetry);
            free(t);
            sp_csr_free(&a);
            sp_csr_free(&b);
        }
}
END_TEST

START_TEST(odd_matrices_have_twins)
{
    static const struct {
        int64_t n_r, n_c, n_nz;
    } shapes[] = {{0, 0, 0}, {0, 7, 0},   {7, 0, 0},   {9, 9, 0},
                  {1, 1, 1}, {1, 50, 50}, {50, 1, 50}, {1, 50, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct sp_csr a, b;
        ck_assert_int_eq(
            sp_csr_alloc(shapes[s].n_r, shapes[s].n_c, shapes[s].n_nz, SP_FIELD_REAL, NULL, &a, &err), SP_OK);
        for (int64_t k = 0; k < a.n_nz; k++) {
            a.col[k] = (int32_t)(a.n_r == 1 ? k : 0);
            a.val[k] = 1;
        }
        for (int64_t i = 0; i < a.n_r; i++)
            a.row_ptr[i + 1] = a.n_r == 1 ? a.n_nz : a.n_nz ? i + 1 : 0;
        for (int64_t scale = 1; scale <= 4; scale += 3) {
            twin_of(&a, scale, 1, &b);
            ck_assert(b.n_r == scale * a.n_r && b.n_c == scale * a.n_c);
            ck_assert_msg(b.n_nz == scale * a.n_nz, "%lld x %lld, scale %lld: %lld entries", (long long)a.n_r,
                          (long long)a.n_c, (long long)scale, (long long)b.n_nz);
            sp_csr_free(&b);
        }
        sp_csr_free(&a);
    }
    struct sp_csr a, b;
    generate("laplace2d:9", &a);
    struct sp_twin *t = measure(&a);
    ck_assert_int_eq(sp_twin_make(t, 0, 1, 1, NULL, &b, &err), SP_USAGE);
    ck_assert_int_eq(sp_twin_make(t, INT32_MAX / 40, 1, 1, NULL, &b, &err), SP_USAGE);
    ck_assert_ptr_null(b.row_ptr);
    free(t);
    sp_csr_free(&a);
}
END_TEST

static void layout_of(const struct sp_csr *a, int format, int32_t C, int64_t sigma, struct sp_layout *l)
{
    ck_assert_int_eq(plain_layout(a, format, C, sigma, l, &err), SP_OK);
}

static double beta_of(const struct sp_csr *a, int32_t C, int64_t sigma)
{
    struct sp_layout l;
    layout_of(a, SP_FORMAT_SELL, C, sigma, &l);
    double beta = (double)l.n_nz / (double)l.n_stored;
    sp_layout_free(&l);
    return beta;
}

static double alpha_of(const struct sp_csr *a, double share)
{
    struct sp_layout l;
    struct sp_reuse reuse;
    struct sp_reuse_options options = {.rate = 1, .seed = 1};
    layout_of(a, SP_FORMAT_CRS, 1, 1, &l);
    ck_assert_int_eq(sp_reuse_curve(&l, &options, &reuse, &err), SP_OK);
    double alpha = sp_reuse_at(&reuse, (int64_t)(share * 8 * (double)a->n_c))->alpha_warm;
    sp_reuse_free(&reuse);
    sp_layout_free(&l);
    return alpha;
}

static void is_near(const char *spec, const char *what, double original, double twin, double tolerance)
{
    ck_assert_msg(fabs(twin / original - 1) < tolerance, "%s: %s %g, of the twin %g", spec, what, original,
                  twin);
}

/* Grids, random and permuted ones are met within 15 %, hubs within 25 %. Scaled ones keep the fill of SELL,
 * but for hubs that come first: there windows of 256 rows hold fewer lengths the longer the matrix is. */
START_TEST(balance_of_families_is_met)
{
    static const struct {
        const char *spec;
        double tolerance;
        bool hubs;
    } families[] = {{"laplace2d:60", 0.15, false},   {"laplace3d:16", 0.15, false},
                    {"random:6000:8", 0.15, false},  {"laplace3d:16+permuted", 0.15, false},
                    {"powerlaw:13:8:3", 0.25, true}, {"arrow:3000", 0.15, true}};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const char *spec = families[f].spec;
        struct sp_csr a, b;
        generate(spec, &a);
        twin_of(&a, 1, 1, &b);
        is_near(spec, "beta of SELL-8-1", beta_of(&a, 8, 1), beta_of(&b, 8, 1), 0.15);
        is_near(spec, "beta of SELL-32-256", beta_of(&a, 32, 256), beta_of(&b, 32, 256), 0.15);
        is_near(spec, "alpha at an eighth", alpha_of(&a, 0.125), alpha_of(&b, 0.125), families[f].tolerance);
        is_near(spec, "alpha at a half", alpha_of(&a, 0.5), alpha_of(&b, 0.5), families[f].tolerance);
        sp_csr_free(&b);
        twin_of(&a, 4, 1, &b);
        if (!families[f].hubs)
            is_near(spec, "beta, scaled", beta_of(&a, 32, 256), beta_of(&b, 32, 256), 0.15);
        sp_csr_free(&a);
        sp_csr_free(&b);
    }
}
END_TEST

/* What a cache misses that keeps lines for 64 rows: a twin drawn once has some 15 % less of it. */
START_TEST(lines_return_as_seldom_as_in_the_original)
{
    static const char *const specs[] = {"powerlaw:12:8", "random:3000:6", "laplace2d:70"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct sp_csr a, b;
        generate(specs[s], &a);
        struct sp_twin *t = measure(&a);
        ck_assert_int_eq(sp_twin_make(t, 1, 1, 1, NULL, &b, &err), SP_OK);
        struct sp_twin *u = measure(&b);
        const int after = sp_twin_step(64), n = SP_TWIN_STEPS + 2 - after;
        const double ratio = (double)sum(u->reuse + after, n) / (double)sum(t->reuse + after, n);
        ck_assert_msg(ratio > 0.93 && ratio < 1.07, "%s: %.3f", specs[s], ratio);
        free(t);
        free(u);
        sp_csr_free(&a);
        sp_csr_free(&b);
    }
}
END_TEST

START_TEST(files_give_the_same_twin)
{
    static const char *const specs[] = {"powerlaw:9:8", "laplace3d:9", "random:40x900:7"};
    char path[] = "/tmp/test_twin_XXXXXX.json";
    close(mkstemps(path, 5));
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        struct sp_csr a;
        generate(specs[s], &a);
        struct sp_twin *t = measure(&a), *u, *v;
        ck_assert_int_eq(sp_twin_file_write(path, t, &err), SP_OK);
        ck_assert_msg(sp_twin_file_read(path, &u, &err) == SP_OK, "%s", err.what);
        ck_assert(memcmp(t, u, sizeof *t) == 0);
        u->rows.count[0][3]++;
        ck_assert_int_eq(sp_twin_file_write(path, u, &err), SP_OK);
        ck_assert_int_eq(sp_twin_file_read(path, &v, &err), SP_INPUT);
        ck_assert(!v && strstr(err.what, "row_length"));
        free(t);
        free(u);
        sp_csr_free(&a);
    }
    unlink(path);
}
END_TEST

START_TEST(names_are_taken_apart)
{
    char name[64];
    int64_t scale, seed;
    ck_assert(sp_twin_parse("like:a.mtx", name, sizeof name, &scale, &seed));
    ck_assert(strcmp(name, "a.mtx") == 0 && scale == 1 && seed == 1);
    ck_assert(sp_twin_parse("like:b/a.mtx:8", name, sizeof name, &scale, &seed));
    ck_assert(strcmp(name, "b/a.mtx") == 0 && scale == 8 && seed == 1);
    ck_assert(sp_twin_parse("like:gen:arrow:50:8:3", name, sizeof name, &scale, &seed));
    ck_assert(strcmp(name, "gen:arrow:50") == 0 && scale == 8 && seed == 3);
    ck_assert(!sp_twin_parse("like:", name, sizeof name, &scale, &seed));
    ck_assert(!sp_twin_parse("arrow:5", name, sizeof name, &scale, &seed));
    struct sp_csr a;
    ck_assert_int_eq(sp_matrix_load("gen:like:gen:arrow:50:2:3", NULL, &a, NULL, &err), SP_OK);
    ck_assert_int_eq(a.n_r, 100);
    sp_csr_free(&a);
    ck_assert_int_eq(sp_matrix_load("gen:like:gen:arrow:50:0:3", NULL, &a, NULL, &err), SP_USAGE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("twin");
    TCase *tests = tcase_create("twin");
    tcase_add_test(tests, classes_hold_what_is_in_them);
    tcase_add_test(tests, a_grid_is_copies_and_one_birth_a_line);
    tcase_add_test(tests, columns_and_hubs_are_counted);
    tcase_add_test(tests, sizes_follow_the_scale_and_results_the_seed_alone);
    tcase_add_test(tests, fields_and_symmetries_are_kept);
    tcase_add_test(tests, odd_matrices_have_twins);
    tcase_add_test(tests, balance_of_families_is_met);
    tcase_add_test(tests, files_give_the_same_twin);
    tcase_add_test(tests, lines_return_as_seldom_as_in_the_original);
    tcase_add_test(tests, names_are_taken_apart);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
