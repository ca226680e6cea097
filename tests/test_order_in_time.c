/* Orders that are found in a process of their own, and ended where they take too long. */
#include <check.h>
#include <string.h>
#include <sys/wait.h>

#include "run_suite.h"
#include "session/trial/apart.h"
#include "sparse/generate/generate.h"

static void make(const char *spec, struct sp_csr *a)
{
    struct sp_error err;
    ck_assert_int_eq(sp_generate(spec, NULL, a, &err), SP_OK);
}

static bool is_same(const int32_t *a, const int32_t *b, int64_t n)
{
    return !a == !b && (!a || memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

START_TEST(orders_are_those_of_this_process)
{
    static const struct {
        const char *spec, *method;
    } cases[] = {{"laplace2d:40+permuted:3", "rcm"}, {"laplace2d:40", "none"},
                 {"random:300x200:5", "rcm"},        {"random:300x200:5", "gray+rows"},
                 {"powerlaw:9:6", "gray+cols"},      {"powerlaw:9:6", "degree"}};
    int n_threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : n_threads) /* a team that the child does not have */
    n_threads++;
    ck_assert_int_ge(n_threads, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_csr a;
        struct sp_permutations here, there;
        struct sp_error err;
        make(cases[i].spec, &a);
        ck_assert_int_eq(sp_reorder_find(cases[i].method, &a, &here, &err), SP_OK);
        ck_assert_int_eq(sp_order_in_time(cases[i].method, &a, 60, NULL, &there, &err), SP_OK);
        ck_assert_msg(is_same(here.row_perm, there.row_perm, a.n_r) &&
                          is_same(here.col_perm, there.col_perm, a.n_c) &&
                          (here.row_perm == here.col_perm) == (there.row_perm == there.col_perm),
                      "%s of %s", cases[i].method, cases[i].spec);
        sp_permutations_free(&here);
        sp_permutations_free(&there);
        sp_csr_free(&a);
    }
}
END_TEST

static bool is_interrupted(void *context)
{
    (void)context;
    return true;
}

START_TEST(what_takes_too_long_is_ended)
{
    const struct sp_progress progress = {.interrupted = is_interrupted};
    struct sp_csr a;
    struct sp_permutations order;
    struct sp_error err;
    make("random:200000:8", &a);
    ck_assert_int_eq(sp_order_in_time("rcm", &a, 0.001, NULL, &order, &err), SP_ABSENT);
    ck_assert_str_eq(err.what, "rcm takes longer than 0.001 s");
    ck_assert(!order.row_perm && !order.col_perm);
    ck_assert_int_eq(sp_order_in_time("rcm", &a, 60, &progress, &order, &err), SP_INTERRUPTED);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    ck_assert_int_eq(sp_order_in_time("nonsense", &a, 60, NULL, &order, &err), SP_USAGE);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("order_in_time");
    TCase *t = tcase_create("order_in_time");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, orders_are_those_of_this_process);
    tcase_add_test(t, what_takes_too_long_is_ended);
    suite_add_tcase(s, t);
    return run_suite(s);
}
