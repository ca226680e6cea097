/* The figures that are known of real matrices, read from their files. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/matrix/matrix_load.h"
#include "run_suite.h"
#include "sparse/structure/structure.h"

static const struct known {
    const char *file;
    int64_t n_r, n_c, n_nz, row_max;
    double row_cv;
    int64_t n_empty_rows;
} known[] = {
    {"1138_bus.mtx", 1138, 1138, 4054, 18, 0.506, 0},
    {"662_bus-nist.mtx.gz", 662, 662, 2474, 10, 0.397, 0},
    {"Chem97Zt.mtx", 2541, 31022, 62044, 969, 2.852, 0},
    {"ISPD98_ibm14-nets.mtx", 152772, 147605, 546816, 33, 0.822, 0},
    {"ScaleMicrogrid_Jacobian_N1000_01.mtx", 35998, 35998, 197981, 9, 0.322, 0},
    {"arrow.mtx", 46500, 46500, 139498, 46500, 71.877, 0},
    {"bcspwr10.mtx", 5300, 5300, 21842, 14, 0.35, 0},
    {"bcsstk13.mtx", 2003, 2003, 83883, 95, 0.545, 0},
    {"bcsstk16.mtx", 4884, 4884, 290378, 81, 0.291, 0},
    {"bcsstk33-pattern.mtx", 8738, 8738, 591904, 141, 0.238, 0},
    {"ca-CondMat.mtx", 23133, 23133, 186936, 280, 1.316, 0},
    {"cavity14.mtx", 2597, 2597, 76367, 62, 0.508, 0},
    {"email-Enron.mtx", 36692, 36692, 367662, 1383, 3.603, 0},
    {"fe_body-graph.mtx", 45087, 45087, 327468, 28, 0.328, 312},
    {"finan512-graph.mtx", 74752, 74752, 522240, 54, 0.899, 0},
    {"maros-r7-lp.mtx", 3136, 9408, 144848, 48, 0.146, 0},
    {"memplus.mtx", 17758, 17758, 126150, 574, 3.102, 0},
    {"mhd1280b.mtx", 1280, 1280, 22778, 32, 0.557, 0},
    {"nw04-lp.mtx", 36, 87482, 636666, 42032, 0.67, 0},
    {"p2p-Gnutella31.mtx", 62586, 62586, 147892, 78, 1.858, 46199},
    {"pubmed.mtx", 19717, 19717, 88651, 171, 1.653, 0},
    {"qc324.mtx", 324, 324, 26730, 83, 0.006, 0},
    {"usroads.mtx", 129164, 129164, 330870, 7, 0.306, 0},
    {"visium-19465x2898.mtx.gz", 19465, 2898, 1069459, 2686, 3.077, 8022},
    {"west0479.mtx", 479, 479, 1910, 12, 0.687, 0},
    {"wing-graph.mtx", 62032, 62032, 243088, 4, 0.071, 0},
    {"young1c.mtx", 841, 841, 4089, 5, 0.074, 0},
};
enum { N_KNOWN = sizeof known / sizeof *known };

START_TEST(a_real_matrix_has_the_known_figures)
{
    const struct known *k = &known[_i];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", SP_TEST_SHARED, k->file);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s is not there\n", path);
        return;
    }
    struct sp_load_options options = {.n_threads = 2};
    struct sp_csr a;
    struct sp_structure s;
    struct sp_error err = {0};
    enum sp_status status = sp_matrix_load(path, &options, &a, NULL, &err);
    if (status == SP_ABSENT) {
        printf("skipped: %s: %s\n", k->file, err.what);
        return;
    }
    ck_assert_msg(status == SP_OK, "%s: %s", k->file, err.what);
    ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
    ck_assert_int_eq(s.n_r, k->n_r);
    ck_assert_int_eq(s.n_c, k->n_c);
    ck_assert_int_eq(s.n_nz, k->n_nz);
    ck_assert_int_eq(s.row_max, k->row_max);
    ck_assert_int_eq(s.n_empty_rows, k->n_empty_rows);
    ck_assert_double_eq_tol(s.row_cv, k->row_cv, 0.0005001);
    if (a.symmetry == SP_SYMMETRIC) {
        /* the mark is believed; the entries must say the same */
        a.symmetry = SP_GENERAL;
        ck_assert_int_eq(sp_structure_analyse(&a, &s, NULL), SP_OK);
        ck_assert(!s.pattern_symmetry.known || s.pattern_symmetry.value == 1);
        ck_assert(!s.value_symmetry.known || s.value_symmetry.value == 1);
    }
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("structure_files");
    TCase *tc = tcase_create("structure_files");
    tcase_add_loop_test(tc, a_real_matrix_has_the_known_figures, 0, N_KNOWN);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
