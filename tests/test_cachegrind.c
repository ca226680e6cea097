/* The simulator against cachegrind on real matrices. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "beside_cachegrind.h"
#include "io/matrix/matrix_load.h"
#include "run_suite.h"

static const char *const names[] = {"bcsstk16",          "bcsstk33-pattern", "ca-CondMat",     "cavity14",
                                    "email-Enron",       "fe_body-graph",    "finan512-graph", "memplus",
                                    "ISPD98_ibm14-nets", "p2p-Gnutella31",   "usroads",        "wing-graph"};
enum { N_NAMES = sizeof names / sizeof *names };

START_TEST(last_level_misses_within_one_percent)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.mtx", SP_TEST_SHARED, names[_i]);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is not there\n", path);
        return;
    }
    if (!cachegrind_is_there()) {
        printf("skipped: valgrind is not installed\n");
        return;
    }
    struct sp_csr a;
    struct sp_error err = {0};
    ck_assert_msg(sp_matrix_load(path, NULL, &a, NULL, &err) == SP_OK, "%s", err.what);
    struct beside_cachegrind r;
    ck_assert_msg(beside_cachegrind(&a, SP_CACHEGRIND_SPMV, &r), "failed: %s", r.what);
    printf("%-20s last level %5lld KiB: cachegrind %9.0f misses, simulated %9.0f (%+.2f %%)\n", names[_i],
           (long long)r.llc_B >> 10, r.theirs, r.ours, 100 * (r.ours / r.theirs - 1));
    ck_assert_double_le(fabs(r.ours / r.theirs - 1), 0.01);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cachegrind");
    TCase *tc = tcase_create("cachegrind");
    tcase_set_timeout(tc, 200);
    tcase_add_loop_test(tc, last_level_misses_within_one_percent, 0, N_NAMES);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
