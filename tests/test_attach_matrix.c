/* What a product of another program walks over, of a pattern of 3 x 3 known by hand. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/attach/attach_judge.h"

/* [[. x x] [x x .] [. . x]] */
static struct sp_csr kept(void)
{
    static const int64_t row_ptr[] = {0, 2, 4, 5};
    static const int32_t col[] = {1, 2, 0, 1, 2};
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(3, 3, 5, SP_FIELD_PATTERN, NULL, &a, NULL), SP_OK);
    memcpy(a.row_ptr, row_ptr, sizeof row_ptr);
    memcpy(a.col, col, sizeof col);
    for (int k = 0; k < 5; k++)
        a.val[k] = 1;
    return a;
}

START_TEST(walks)
{
    enum { LOWER = SP_ATTACH_LOWER, UPPER = SP_ATTACH_UPPER, TRIANGLE = SP_ATTACH_TRIANGLE };
    static const struct {
        enum sp_attach_op op;
        uint32_t bits;
        enum sp_attach_walk walk;
        const char *rows; /* columns of each row, a blank behind it */
    } of[] = {{SP_ATTACH_SPMV, 0, SP_WALK_ROWS, "12 01 2 "},
              {SP_ATTACH_TRANSPOSE, 0, SP_WALK_TRANSPOSED, "1 01 02 "},
              {SP_ATTACH_SPMM, SP_ATTACH_SIDE_T, SP_WALK_TRANSPOSED, "1 01 02 "},
              {SP_ATTACH_SPMV, LOWER, SP_WALK_TRIANGLE, " 01 2 "},
              {SP_ATTACH_SPMV, LOWER | SP_ATTACH_UNIT, SP_WALK_TRIANGLE, " 0  "},
              {SP_ATTACH_SPMV, UPPER, SP_WALK_TRIANGLE, "12 1 2 "},
              {SP_ATTACH_TRANSPOSE, UPPER, SP_WALK_TRIANGLE, " 01 02 "},
              {SP_ATTACH_SPMV, TRIANGLE | LOWER, SP_WALK_HALF, "1 01 2 "},
              {SP_ATTACH_SPMV, TRIANGLE | UPPER, SP_WALK_HALF, "12 01 02 "},
              {SP_ATTACH_TRANSPOSE, TRIANGLE | LOWER, SP_WALK_HALF, "1 01 2 "},
              {SP_ATTACH_SPMV, TRIANGLE | LOWER | UPPER, SP_WALK_HALF, "12 01 02 "}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct sp_captured_product p = {.op = of[i].op, .bits = of[i].bits, .width = 1};
        struct sp_csr a = kept();
        char text[64] = "";
        ck_assert_int_eq(sp_attach_walk_of(&p), of[i].walk);
        ck_assert_int_eq(sp_attach_walked(&p, &a, NULL), SP_OK);
        ck_assert_int_eq(sp_csr_check(&a, NULL), SP_OK);
        for (int row = 0; row < 3; row++) {
            for (int64_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; k++) {
                ck_assert_double_eq(a.val[k], 1);
                snprintf(text + strlen(text), sizeof text - strlen(text), "%d", a.col[k]);
            }
            strcat(text, " ");
        }
        ck_assert_msg(strcmp(text, of[i].rows) == 0, "%zu: '%s', not '%s'", i, text, of[i].rows);
        ck_assert_int_eq(a.symmetry == SP_SYMMETRIC, of[i].walk == SP_WALK_HALF);
        sp_csr_free(&a);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("attach_matrix");
    TCase *c = tcase_create("all");
    tcase_add_test(c, walks);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
