/* Times of rows and chunks on this machine: what must be there, whatever they are. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/unit_costs.h"
#include "run_suite.h"
#include "session/measure/machine.h"

static struct sp_machine machine;

static void measure(int n_threads, const char *isa)
{
    struct sp_topology t;
    struct sp_error err;
    ck_assert_int_eq(sp_topology_read(&t, &err), SP_OK);
    memset(&machine, 0, sizeof machine);
    const enum sp_status status = sp_measure_units(&t, n_threads, isa, 0, NULL, &machine, &err);
    ck_assert_msg(status == SP_OK, "%s", err.what);
    sp_topology_free(&t);
}

/* However disturbed, every kernel has lengths, with times that can be. */
START_TEST(every_kernel_has_lengths)
{
    bool rows = false, moving = false, chunks = false, unit_stride = false, alone = false, together = false;
    measure(2, NULL);
    ck_assert_int_gt(machine.n_units, 0);
    for (int i = 0; i < machine.n_units; i++) {
        const struct sp_unit_costs *c = &machine.unit[i];
        ck_assert_str_eq(c->precision, "f64");
        ck_assert(strncmp(c->kernel, "spmv/", 5) == 0 && c->start_s > 0);
        ck_assert_int_ge(c->n_lengths, 2);
        ck_assert_int_eq(sp_unit_costs_settle(&machine.unit[i]), 0); /* none contradicts another one */
        ck_assert_int_ge(c->n_sequences, 1);
        for (int k = 0; k < c->n_lengths; k++)
            ck_assert(c->seconds[k] > 0 && isfinite(c->seconds[k]) &&
                      (k == 0 || c->length[k] > c->length[k - 1]));
        for (int k = 0; k < c->n_sequences; k++)
            ck_assert(c->surprise_s[k] >= 0 && isfinite(c->surprise_s[k]));
        rows |= c->C == 0 && !c->unit_stride;
        moving |= c->C == 0 && c->unit_stride;
        chunks |= c->C == 32;
        unit_stride |= c->C > 0 && c->unit_stride;
        alone |= c->n_threads == 1;
        together |= c->n_threads == 2;
    }
    ck_assert(rows && moving && chunks && unit_stride && alone && together);
}
END_TEST

START_TEST(the_variant_is_that_asked_for)
{
    measure(1, "portable");
    ck_assert_int_gt(machine.n_units, 0);
    for (int i = 0; i < machine.n_units; i++) {
        ck_assert(strstr(machine.unit[i].kernel, "/portable") != NULL);
        ck_assert_int_eq(machine.unit[i].n_threads, 1);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("measure_units");
    TCase *tc = tcase_create("measure_units");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, every_kernel_has_lengths);
    tcase_add_test(tc, the_variant_is_that_asked_for);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
