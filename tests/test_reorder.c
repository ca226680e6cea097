#include <check.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/generate.h"
#include "sparse/graph.h"
#include "sparse/permute.h"
#include "sparse/reorder.h"
#include "sparse/structure.h"

static void make(const char *spec, struct sp_csr *a)
{
    struct sp_error err;
    enum sp_status status = sp_generate(spec, NULL, a, &err);
    ck_assert_msg(status == SP_OK, "gen:%s: %s", spec, status == SP_OK ? "" : err.what);
}

static int64_t bandwidth(const struct sp_csr *a)
{
    int64_t widest = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            widest = llabs(i - a->col[k]) > widest ? llabs(i - a->col[k]) : widest;
    return widest;
}

/* Sorted copies of all values, and the row lengths: what no symmetric permutation changes. */
static double sum_of(const struct sp_csr *a, bool of_squares)
{
    double sum = 0;
    for (int64_t k = 0; k < a->n_nz; k++)
        sum += of_squares ? a->val[k] * a->val[k] : 1;
    return sum;
}

START_TEST(every_reordering_keeps_its_promises)
{
    static const char *const specs[] = {"laplace2d:30+permuted:3", "powerlaw:9:4:3", "arrow:200",
                                        "random:300:3:5",          "band:50:0",      "laplace2d:1"};
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++)
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            struct sp_csr a, b;
            struct sp_error err = {0};
            make(specs[s], &a);
            int32_t *one = calloc((size_t)a.n_r, sizeof *one), *two = calloc((size_t)a.n_r, sizeof *two);
            omp_set_num_threads(1);
            ck_assert_msg(sp_reorder_permutation(r->name, &a, one, &err) == SP_OK, "%s: %s", r->name,
                          err.what);
            ck_assert_int_eq(sp_permutation_check(one, a.n_r, NULL), SP_OK);
            omp_set_num_threads(2);
            ck_assert_int_eq(sp_reorder(r->name, &a, NULL, two, &b, NULL), SP_OK);
            ck_assert_msg(memcmp(one, two, (size_t)a.n_r * sizeof *one) == 0,
                          "%s of %s differs between one and two threads", r->name, specs[s]);
            ck_assert_int_eq(sp_csr_check(&b, NULL), SP_OK);
            ck_assert_double_eq_tol(sum_of(&a, true), sum_of(&b, true), 1e-9 * sum_of(&a, true));
            sp_csr_free(&b);
            sp_csr_free(&a);
            free(one);
            free(two);
        }
}
END_TEST

START_TEST(rcm_restores_the_locality_of_a_mesh)
{
    static const struct {
        const char *spec;
        int64_t at_most;
    } cases[] = {
        /* natural orders: n, n^2 and 1; a path must come out perfect; the shells of the 27-point cube, which
         * are the levels, have up to 10^3 - 9^3 = 271 vertices */
        {"laplace2d:60+permuted:7", 66},   {"laplace3d:16+permuted:7", 320},
        {"laplace2d:500x1+permuted:7", 1}, {"laplace2d:200x10+permuted:7", 12},
        {"band:2000:5+permuted:3", 12},    {"hpcg:10+permuted:2", 271},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sp_csr a, b;
        make(cases[c].spec, &a);
        ck_assert_int_eq(sp_reorder("rcm", &a, NULL, NULL, &b, NULL), SP_OK);
        ck_assert_msg(bandwidth(&b) <= cases[c].at_most, "%s: bandwidth %lld, at most %lld wanted",
                      cases[c].spec, (long long)bandwidth(&b), (long long)cases[c].at_most);
        sp_csr_free(&a);
        sp_csr_free(&b);
    }
}
END_TEST

/* The lower bidiagonal matrix is an unsymmetric path: A + A^T is needed to see it. */
START_TEST(unsymmetric_matrices_go_by_the_pattern_of_a_plus_its_transpose)
{
    enum { N = 400 };
    struct sp_csr a, b, c;
    ck_assert_int_eq(sp_csr_alloc(N, N, 2 * N - 1, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    int64_t k = 0;
    for (int i = 0; i < N; i++) {
        if (i > 0)
            a.col[k++] = i - 1;
        a.col[k++] = i;
        a.row_ptr[i + 1] = k;
    }
    for (k = 0; k < a.n_nz; k++)
        a.val[k] = 1;
    struct sp_graph graph;
    ck_assert_int_eq(sp_graph_make(&a, &graph, NULL), SP_OK);
    ck_assert_int_eq(graph.pattern.n_nz, 3 * N - 2);
    for (int i = 0; i < N; i++)
        for (int64_t e = graph.pattern.row_ptr[i]; e < graph.pattern.row_ptr[i + 1]; e++)
            ck_assert(abs(graph.pattern.col[e] - i) <= 1);
    sp_graph_free(&graph);
    ck_assert_int_eq(sp_reorder("random:3", &a, NULL, NULL, &b, NULL), SP_OK);
    ck_assert_int_eq(sp_reorder("rcm", &b, NULL, NULL, &c, NULL), SP_OK);
    ck_assert_int_eq(bandwidth(&c), 1);
    /* a matrix that is symmetric without saying so is used as it is */
    sp_csr_free(&a);
    make("laplace2d:9", &a);
    a.symmetry = SP_GENERAL;
    ck_assert_int_eq(sp_graph_make(&a, &graph, NULL), SP_OK);
    ck_assert_ptr_null(graph.own_col);
    ck_assert_int_eq(graph.pattern.n_nz, a.n_nz);
    sp_csr_free(&a);
    sp_csr_free(&b);
    sp_csr_free(&c);
}
END_TEST

START_TEST(what_cannot_be_reordered_is_refused_with_a_reason)
{
    struct sp_csr a, b;
    struct sp_error err;
    make("random:20x10:3", &a);
    ck_assert_int_eq(sp_reorder("rcm", &a, NULL, NULL, &b, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "square"));
    ck_assert_ptr_null(b.row_ptr);
    ck_assert_int_eq(sp_reorder("none", &a, NULL, NULL, &b, &err), SP_OK);
    ck_assert_int_eq(b.n_nz, a.n_nz);
    sp_csr_free(&b);
    ck_assert_int_eq(sp_reorder("amd", &a, NULL, NULL, &b, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.remedy, "rcm"));
    ck_assert_int_eq(sp_reorder("rcm:3", &a, NULL, NULL, &b, &err), SP_USAGE);
    ck_assert_int_eq(sp_reorder("random:x", &a, NULL, NULL, &b, &err), SP_USAGE);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reorder");
    TCase *tc = tcase_create("reorder");
    tcase_add_test(tc, every_reordering_keeps_its_promises);
    tcase_add_test(tc, rcm_restores_the_locality_of_a_mesh);
    tcase_add_test(tc, unsymmetric_matrices_go_by_the_pattern_of_a_plus_its_transpose);
    tcase_add_test(tc, what_cannot_be_reordered_is_refused_with_a_reason);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
