#include <check.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "sparse/csr/permute.h"
#include "sparse/generate/generate.h"
#include "sparse/reorder/orders.h"
#include "sparse/reorder/reorder.h"
#include "sparse/structure/structure.h"

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

static bool same_perm(const int32_t *a, const int32_t *b, int64_t n)
{
    return !a == !b && (!a || memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

/* Is each side's order there or not as the side says? "none" has none. */
static void check_sides(const struct sp_permutations *order, enum sp_reorder_side side, bool makes)
{
    ck_assert_int_eq(order->row_perm != NULL, makes && side != SP_REORDER_COLUMNS && order->n_r > 0);
    ck_assert_int_eq(order->col_perm != NULL, makes && side != SP_REORDER_ROWS && order->n_c > 0);
    ck_assert_int_eq(order->row_perm == order->col_perm && order->row_perm,
                     makes && side == SP_REORDER_SYMMETRIC && order->n_r > 0);
}

static void check_method(const char *method, const struct sp_csr *a, const char *spec)
{
    struct sp_permutations one, two;
    struct sp_reorder_choice choice;
    struct sp_csr b;
    struct sp_error err = {0};
    ck_assert_int_eq(sp_reorder_parse(method, a->n_r, a->n_c, &choice, &err), SP_OK);
    omp_set_num_threads(1);
    ck_assert_msg(sp_reorder_find(method, a, &one, &err) == SP_OK, "%s of %s: %s", method, spec, err.what);
    omp_set_num_threads(2);
    ck_assert_msg(sp_reorder_find(method, a, &two, &err) == SP_OK, "%s of %s: %s", method, spec, err.what);
    check_sides(&one, choice.side, choice.row->make != NULL);
    if (one.row_perm)
        ck_assert_msg(sp_permutation_check(one.row_perm, a->n_r, &err) == SP_OK, "%s of %s: %s", method, spec,
                      err.what);
    if (one.col_perm)
        ck_assert_msg(sp_permutation_check(one.col_perm, a->n_c, &err) == SP_OK, "%s of %s: %s", method, spec,
                      err.what);
    ck_assert_msg(same_perm(one.row_perm, two.row_perm, a->n_r) &&
                      same_perm(one.col_perm, two.col_perm, a->n_c),
                  "%s of %s differs between one and two threads", method, spec);
    ck_assert_int_eq(sp_reorder(method, a, NULL, NULL, &b, NULL), SP_OK);
    ck_assert_int_eq(sp_csr_check(&b, NULL), SP_OK);
    ck_assert_double_eq_tol(sum_of(a, true), sum_of(&b, true), 1e-9 * sum_of(a, true));
    sp_csr_free(&b);
    sp_permutations_free(&one);
    sp_permutations_free(&two);
}

START_TEST(every_reordering_keeps_its_promises_on_every_side)
{
    static const char *const specs[] = {"laplace2d:30+permuted:3", "powerlaw:9:4:3", "arrow:200",
                                        "random:300:3:5",          "band:50:0",      "laplace2d:1",
                                        "random:20x10:3",          "random:10x300:2"};
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++) {
        if (sp_reordering_absent(r)) {
            struct sp_reorder_choice choice;
            ck_assert_int_eq(sp_reorder_parse(r->name, 3, 3, &choice, NULL), SP_ABSENT);
            printf("%s is not tested: %s\n", r->name, sp_reordering_absent(r));
            continue;
        }
        for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
            struct sp_csr a;
            char method[32];
            make(specs[s], &a);
            check_method(r->name, &a, specs[s]);
            for (int side = 0; side < SP_N_REORDER_SIDES; side++) {
                snprintf(method, sizeof method, "%s+%s", r->name, sp_reorder_side_name(side));
                if (side != SP_REORDER_SYMMETRIC || a.n_r == a.n_c)
                    check_method(method, &a, specs[s]);
            }
            sp_csr_free(&a);
        }
    }
}
END_TEST

START_TEST(matrices_without_rows_or_entries_are_no_trouble)
{
    static const int64_t sizes[][2] = {{0, 0}, {5, 5}, {5, 3}, {0, 4}, {4, 0}};
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && !sp_reordering_absent(r); s++) {
            struct sp_csr a, b;
            struct sp_error err;
            ck_assert_int_eq(sp_csr_alloc(sizes[s][0], sizes[s][1], 0, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
            enum sp_status status = sp_reorder(r->name, &a, NULL, NULL, &b, &err);
            ck_assert_msg(status == SP_OK, "%s of %lld x %lld: %s", r->name, (long long)a.n_r,
                          (long long)a.n_c, status == SP_OK ? "" : err.what);
            sp_csr_free(&a);
            sp_csr_free(&b);
        }
}
END_TEST

/* Two meshes that know nothing of each other, interleaved: a partition into two takes them apart. */
START_TEST(parts_are_found_and_lie_together)
{
    struct sp_csr a, b;
    struct sp_reorder_choice choice;
    if (sp_reorder_parse("metis", 2, 2, &choice, NULL) == SP_ABSENT) {
        puts("skipped: this build has no METIS");
        return;
    }
    enum { N = 200 };
    ck_assert_int_eq(sp_csr_alloc(N, N, 3 * N - 4, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    int64_t k = 0;
    for (int i = 0; i < N; i++) { /* two paths: over the even and over the odd numbers */
        for (int j = i - 2; j <= i + 2; j += 2)
            if (j >= 0 && j < N)
                a.col[k++] = j;
        a.row_ptr[i + 1] = k;
    }
    for (k = 0; k < a.n_nz; k++)
        a.val[k] = 1;
    ck_assert_int_eq(sp_reorder("metis:2", &a, NULL, NULL, &b, NULL), SP_OK);
    int64_t across = 0;
    for (int64_t i = 0; i < N; i++)
        for (k = b.row_ptr[i]; k < b.row_ptr[i + 1]; k++)
            across += (i < N / 2) != (b.col[k] < N / 2);
    ck_assert_int_le(across, 4);
    sp_csr_free(&b);
    sp_csr_free(&a);
}
END_TEST

START_TEST(degrees_fall_and_hubs_come_first)
{
    struct sp_csr a;
    struct sp_permutations order;
    make("powerlaw:10:6:4", &a);
    ck_assert_int_eq(sp_reorder_find("degree+rows", &a, &order, NULL), SP_OK);
    for (int64_t i = 1; i < a.n_r; i++) {
        int32_t v = order.row_perm[i - 1], w = order.row_perm[i];
        int64_t before = a.row_ptr[v + 1] - a.row_ptr[v], here = a.row_ptr[w + 1] - a.row_ptr[w];
        ck_assert(before > here || (before == here && v < w));
    }
    sp_permutations_free(&order);
    ck_assert_int_eq(sp_reorder_find("hubs+rows", &a, &order, NULL), SP_OK);
    double mean = (double)a.n_nz / (double)a.n_r;
    int changes = 0;
    for (int64_t i = 1; i < a.n_r; i++) {
        int32_t v = order.row_perm[i - 1], w = order.row_perm[i];
        bool hub_v = (double)(a.row_ptr[v + 1] - a.row_ptr[v]) > mean;
        bool hub_w = (double)(a.row_ptr[w + 1] - a.row_ptr[w]) > mean;
        ck_assert(hub_v || !hub_w);
        ck_assert(hub_v != hub_w || v < w);
        changes += hub_v != hub_w;
    }
    ck_assert_int_eq(changes, 1);
    sp_permutations_free(&order);
    sp_csr_free(&a);
}
END_TEST

/* Rows with entries in section 0, 1, both or none of two sections: Gray codes 10, 01, 11, 00 -> 00 01 11 10.
 */
START_TEST(rows_follow_the_gray_code_of_their_sections)
{
    static const int32_t columns[][2] = {{0, -1}, {7, -1}, {1, 6}, {-1, -1}, {2, 7}, {6, -1}};
    static const int32_t expected[] = {3, 1, 5, 2, 4, 0};
    struct sp_csr a;
    struct sp_permutations order;
    ck_assert_int_eq(sp_csr_alloc(6, 8, 7, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    int64_t k = 0;
    for (int i = 0; i < 6; i++) {
        for (int e = 0; e < 2; e++)
            if (columns[i][e] >= 0)
                a.col[k++] = columns[i][e];
        a.row_ptr[i + 1] = k;
    }
    for (k = 0; k < a.n_nz; k++)
        a.val[k] = 1;
    ck_assert_int_eq(sp_reorder_find("gray:2", &a, &order, NULL), SP_OK);
    ck_assert_ptr_null(order.col_perm);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(order.row_perm[i], expected[i]);
    sp_permutations_free(&order);
    sp_csr_free(&a);
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
    ck_assert_int_eq(sp_reorder("rcm+sym", &a, NULL, NULL, &b, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "square"));
    ck_assert_ptr_null(b.row_ptr);
    ck_assert_int_eq(sp_reorder("none", &a, NULL, NULL, &b, &err), SP_OK);
    ck_assert_int_eq(b.n_nz, a.n_nz);
    sp_csr_free(&b);
    ck_assert_int_eq(sp_reorder("amd", &a, NULL, NULL, &b, &err), SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.remedy, "rcm"));
    static const char *const wrong[] = {"rcm:3",   "random:x",     "rcm+",
                                        "rcm+row", "random:+rows", "rcm+rows+cols"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(sp_reorder(wrong[i], &a, NULL, NULL, &b, &err), SP_USAGE);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reorder");
    TCase *tc = tcase_create("reorder");
    tcase_add_test(tc, every_reordering_keeps_its_promises_on_every_side);
    tcase_add_test(tc, matrices_without_rows_or_entries_are_no_trouble);
    tcase_add_test(tc, parts_are_found_and_lie_together);
    tcase_add_test(tc, degrees_fall_and_hubs_come_first);
    tcase_add_test(tc, rows_follow_the_gray_code_of_their_sections);
    tcase_add_test(tc, rcm_restores_the_locality_of_a_mesh);
    tcase_add_test(tc, unsymmetric_matrices_go_by_the_pattern_of_a_plus_its_transpose);
    tcase_add_test(tc, what_cannot_be_reordered_is_refused_with_a_reason);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
