/* Which orders leave streams that hardware can follow. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "run_suite.h"
#include "sparse/generate/generate.h"
#include "sparse/structure/structure.h"

static double followed(const char *spec)
{
    struct sp_csr a;
    double share;
    ck_assert_int_eq(sp_generate(spec, NULL, &a, NULL), SP_OK);
    ck_assert_int_eq(sp_streams_followed(&a, 8, &share, NULL), SP_OK);
    sp_csr_free(&a);
    return share;
}

START_TEST(streams_of_known_orders)
{
    ck_assert_double_ge(followed("laplace3d:60"), 0.95);
    ck_assert_double_ge(followed("band:100000:9"), 0.99);
    ck_assert_double_ge(followed("laplace3d:60+shuffled:64"), 0.85); /* near each other, not in turn */
    ck_assert_double_le(followed("laplace3d:120+permuted:3"), 0.2);
    ck_assert_double_le(followed("random:2000000:8"), 0.2);
}
END_TEST

/* Few rows, a long row, no entries. */
START_TEST(small_and_odd_ones)
{
    ck_assert(followed("laplace2d:3") >= 0 || isnan(followed("laplace2d:3")));
    ck_assert_double_ge(followed("arrow:100000"), 0.9);
    ck_assert(isnan(followed("random:10:1")));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("streams");
    TCase *tc = tcase_create("streams");
    tcase_add_test(tc, streams_of_known_orders);
    tcase_add_test(tc, small_and_odd_ones);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
