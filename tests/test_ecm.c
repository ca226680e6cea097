/* The ECM model: published figures, the two extreme rules and what is between, several threads, and the fit
 * of the rule to constructed machines. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ecm.h"
#include "model/roofline.h"
#include "near.h"
#include "run_suite.h"
#include "volume_cases.h"

static struct sp_value stated(double x)
{
    return sp_value_of(x, SP_STATED);
}

/* Parts in cycles: at 1 B/cycle bytes are cycles. */
static struct sp_ecm_inputs of_parts(double core, double load, const double *part, int n, double f)
{
    struct sp_ecm_inputs in = {.core_s = stated(core),
                               .load_s = stated(load),
                               .n_transfers = n,
                               .overlap = stated(f),
                               .error = sp_value_none("stated"),
                               .n_threads = 1};
    for (int k = 0; k < n; k++) {
        in.transfer[k] = (struct sp_ecm_transfer){.read_B = stated(part[k]),
                                                  .write_B = stated(0),
                                                  .one_Bps = stated(1),
                                                  .write_weight = stated(1),
                                                  .shared = k == n - 1,
                                                  .all_Bps = stated(1)};
        snprintf(in.transfer[k].name, sizeof in.transfer[k].name, "T%d", k);
    }
    return in;
}

/* Stengel, Treibig, Hager, Wellein (ICS 2015), 2D five-point Jacobi on Sandy Bridge by layer condition
 * (quoted without the paper at hand; the sums are the rule's own): {6 | 8 | L1L2 | L2L3 | L3Mem} cycles give
 * T in L1, L2, L3, memory, and n_s cores. */
START_TEST(published_jacobi)
{
    static const struct {
        double part[3], time[4], n_s;
    } cases[] = {{{6, 6, 13}, {8, 14, 20, 33}, 3},
                 {{10, 6, 13}, {8, 18, 24, 37}, 3},
                 {{10, 10, 13}, {8, 18, 28, 41}, 4},
                 {{10, 10, 22}, {8, 18, 28, 50}, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sp_ecm_inputs in = of_parts(6, 8, cases[i].part, 3, 0);
        const struct sp_ecm_times t = sp_ecm_of(&in);
        for (int k = 0; k <= 3; k++)
            near(t.residence_s[k].value, cases[i].time[k], 1e-12);
        near(t.one_s.value, cases[i].time[3], 1e-12);
        near(t.n_sat.value, cases[i].n_s, 0);
        ck_assert_int_eq(t.one_s.origin, SP_MODELLED);
    }
}
END_TEST

START_TEST(nothing_moves_is_the_core)
{
    const double nothing[3] = {0, 0, 0};
    struct sp_ecm_inputs in = of_parts(7, 3, nothing, 3, 0);
    for (int i = 0; i < 3; i++) {
        in.transfer[i].one_Bps = sp_value_none("not asked for");
        in.transfer[i].all_Bps = sp_value_none("not asked for");
    }
    in.overlap = in.error = sp_value_none("not known");
    struct sp_ecm_times t = sp_ecm_of(&in);
    near(t.one_s.value, 7, 0);
    near(t.time_s.value, 7, 0);
    ck_assert_int_eq(t.bound, -2);
    ck_assert(!sp_value_known(t.n_sat));
    in.n_threads = 4;
    t = sp_ecm_of(&in);
    near(t.time_s.value, 7.0 / 4, 1e-15);
    in.load_s = stated(9);
    near(sp_ecm_of(&in).one_s.value, 9, 0);
}
END_TEST

START_TEST(streaming_is_the_roofline)
{
    /* Full overlap: memory alone decides, one thread or saturated. No overlap: later by the other parts. */
    const double part[3] = {2, 3, 20};
    struct sp_ecm_inputs in = of_parts(4, 1, part, 3, 1);
    const struct sp_roof_term memory = {"memory bandwidth", stated(20), stated(1)};
    const struct sp_roofline roof = sp_roofline(1, &memory, 1);
    near(sp_ecm_of(&in).time_s.value, roof.time_s.value, 1e-12);
    in.n_threads = 8;
    struct sp_ecm_times t = sp_ecm_of(&in);
    near(t.time_s.value, roof.time_s.value, 1e-12);
    ck_assert_int_eq(t.bound, 2);
    in.n_threads = 1;
    in.overlap = stated(0);
    near(sp_ecm_of(&in).time_s.value, roof.time_s.value + 1 + 2 + 3, 1e-12);
    in.n_threads = 8; /* saturated: again the roofline, whatever overlaps */
    near(sp_ecm_of(&in).time_s.value, roof.time_s.value, 1e-12);
    for (double f = 0; f <= 1; f += 0.125) {
        in.n_threads = 1;
        in.overlap = stated(f);
        t = sp_ecm_of(&in);
        near(t.one_s.value, f * 20 + (1 - f) * 26, 1e-12);
        ck_assert(t.all_s.value <= t.one_s.value && t.one_s.value <= t.none_s.value);
    }
}
END_TEST

START_TEST(light_model_agrees)
{
    const double part[3] = {1, 2, 3};
    for (double core = 0; core < 20; core += 1.5) {
        const struct sp_ecm_inputs in = of_parts(core, 0, part, 3, 0);
        const struct sp_ecm_times t = sp_ecm_of(&in);
        const struct light_ecm light = light_ecm(core, part, 3);
        near(t.one_s.value, light.time_s, 1e-12);
        near(t.n_sat.value, light.n_sat, 0);
    }
}
END_TEST

START_TEST(more_bytes_never_take_less)
{
    for (double f = 0; f <= 1; f += 0.25)
        for (int n_threads = 1; n_threads <= 16; n_threads *= 4) {
            double before = 0;
            for (double bytes = 0; bytes < 64; bytes += 3) {
                const double part[3] = {4, bytes, 6};
                struct sp_ecm_inputs in = of_parts(9, 5, part, 3, f);
                in.transfer[1].write_B = stated(bytes / 2);
                in.n_threads = n_threads;
                const struct sp_ecm_times t = sp_ecm_of(&in);
                ck_assert(t.time_s.value >= before);
                ck_assert(t.time_s.lo <= t.time_s.value && t.time_s.value <= t.time_s.hi);
                before = t.time_s.value;
            }
        }
}
END_TEST

START_TEST(writes_count_by_their_weight)
{
    const double part[1] = {10};
    struct sp_ecm_inputs in = of_parts(0, 0, part, 1, 0);
    in.transfer[0].write_B = stated(4);
    near(sp_ecm_of(&in).transfer_s[0].value, 14, 1e-12);
    in.transfer[0].write_weight = stated(0.25);
    near(sp_ecm_of(&in).transfer_s[0].value, 11, 1e-12);
    in.transfer[0].write_weight = sp_value_none("not known"); /* 0 ... 1 */
    const struct sp_value t = sp_ecm_of(&in).transfer_s[0];
    ck_assert(t.lo == 10 && t.value == 14 && t.hi == 14);
}
END_TEST

START_TEST(ends_of_intervals)
{
    const double part[2] = {4, 10};
    struct sp_ecm_inputs in = of_parts(3, 2, part, 2, 0.5);
    in.transfer[1].one_Bps = sp_value_between(1, 0.5, 2, SP_MEASURED);
    in.overlap = sp_value_between(0.5, 0.25, 1, SP_MEASURED);
    const struct sp_value t = sp_ecm_of(&in).one_s;
    near(t.value, 0.5 * 10 + 0.5 * 16, 1e-12);
    near(t.lo, 5, 1e-12);                     /* all overlaps, memory at twice the rate */
    near(t.hi, 0.25 * 20 + 0.75 * 26, 1e-12); /* least overlap, half the rate */
    in.error = stated(0.1);
    const struct sp_value wide = sp_ecm_of(&in).one_s;
    near(wide.value, t.value, 1e-12);
    near(wide.lo, 0.9 * t.lo, 1e-12);
    near(wide.hi, 1.1 * t.hi, 1e-12);
}
END_TEST

START_TEST(ends_of_what_was_fitted_together)
{
    /* Loads of 10 B over two interfaces: 1 + 4 s without overlap, 5 s with: both pairs give 5 s. */
    const double part[2] = {10, 10};
    struct sp_ecm_inputs in = of_parts(1, 0, part, 2, 0);
    in.overlap = sp_value_between(0, 0, 1, SP_MEASURED);
    in.transfer[0].one_Bps = sp_value_between(10, 5, 10, SP_MEASURED);
    in.transfer[1].one_Bps = sp_value_between(2.5, 2, 2.5, SP_MEASURED);
    in.coupled = true;
    struct sp_value t = sp_ecm_of(&in).one_s;
    ck_assert(fabs(t.lo - 5) < 1e-12 && fabs(t.value - 5) < 1e-12 && fabs(t.hi - 5) < 1e-12);
    in.coupled = false; /* apart they can be anything */
    t = sp_ecm_of(&in).one_s;
    ck_assert(t.lo < 4.5 && t.hi > 6.5);
    /* More over the inner interface: the pairs part, and both are in the interval. */
    in.coupled = true;
    in.transfer[0].read_B = stated(30);
    t = sp_ecm_of(&in).one_s;
    near(t.value, 7, 1e-12);
    near(t.lo, 6, 1e-12);
    near(t.hi, 7, 1e-12);
}
END_TEST

START_TEST(what_is_missing_is_said)
{
    const double part[2] = {4, 10};
    struct sp_ecm_inputs in = of_parts(3, 2, part, 2, 0);
    in.overlap = sp_value_none("not measured");
    struct sp_ecm_times t = sp_ecm_of(&in);
    ck_assert(!sp_value_known(t.one_s) && strstr(t.one_s.why, "overlap rule"));
    ck_assert(!sp_value_known(t.time_s));
    near(t.none_s.value, 16, 1e-12); /* the extremes stand */
    near(t.all_s.value, 10, 1e-12);
    in.transfer[0].one_Bps = sp_value_none("not measured");
    t = sp_ecm_of(&in);
    ck_assert(strstr(t.one_s.why, "interface"));
    near(t.transfer_s[1].value, 10, 1e-12); /* so does a part */
    in.core_s = sp_value_none("not measured");
    ck_assert(strstr(sp_ecm_of(&in).one_s.why, "core"));
    in = of_parts(3, 2, part, 2, 0);
    in.n_threads = 2;
    in.transfer[1].all_Bps = sp_value_none("not measured");
    t = sp_ecm_of(&in);
    ck_assert(sp_value_known(t.one_s) && !sp_value_known(t.time_s) && strstr(t.time_s.why, "all threads"));
}
END_TEST

/* A machine whose streams follow the model with these terms, bandwidths with `noise`. */
static void construct(struct sp_machine *m, double f, const double *t, const double *w, bool stores,
                      double noise)
{
    static const struct {
        const char *name;
        double loads, in, out;
    } stream[4] = {{"load", 1, 1, 0}, {"load_mix", 1, 1, 0}, {"copy", 1, 2, 1}, {"triad", 2, 3, 1}};
    static const double L1[4] = {0.3e-9, 0.3e-9, 0.5e-9, 0.7e-9};
    memset(m, 0, sizeof *m);
    m->n_caches = 3;
    for (int k = 0; k < 3; k++)
        m->cache[k] = (struct sp_cache){
            .level = k + 1, .size_B = 1 << (15 + 5 * k), .line_B = 64, .cores_sharing = k == 2 ? 4 : 1};
    for (int k = 0; k <= 3; k++)
        for (int i = 0; i < (stores ? 4 : 2); i++) {
            double part[3];
            for (int j = 0; j < k; j++)
                part[j] = t[j] * (stream[i].in + w[j] * stream[i].out);
            const double s = sp_ecm_compose(L1[i], stream[i].loads * L1[0], part, k, f),
                         lines = k == 0 ? stream[i].loads + stream[i].out : stream[i].in + stream[i].out,
                         sign = (i + k) % 2 ? 1 : -1;
            struct sp_ceiling c = {.precision = "f64", .mode = "single", .n_threads = 1, .n_domains = 1};
            snprintf(c.name, sizeof c.name, "%s", stream[i].name);
            snprintf(c.level, sizeof c.level, "%s", k == 3 ? "MEM" : k == 0 ? "L1" : k == 1 ? "L2" : "L3");
            c.value = sp_value_of(lines * 64 / s * (1 + sign * noise), SP_MEASURED);
            ck_assert_int_eq(sp_machine_add_ceiling(m, &c, NULL), SP_OK);
        }
}

START_TEST(the_rule_is_found_again)
{
    const double t[3] = {0.6e-9, 0.8e-9, 2.4e-9}, w[3] = {0, 0.5, 1};
    for (int i = 0; i <= 4; i++) {
        struct sp_machine m;
        construct(&m, i / 4.0, t, w, true, 0);
        const struct sp_machine_ecm e = sp_ecm_fit(&m);
        near(e.overlap.value, i / 4.0, 0.051);
        ck_assert(e.overlap.lo <= i / 4.0 + 1e-9 && i / 4.0 <= e.overlap.hi + 1e-9);
        ck_assert(e.error.value < 0.01 && e.n_interfaces == 3);
        ck_assert_str_eq(e.interface[2].level, "MEM");
        for (int k = 0; k < 3; k++)
            near(e.interface[k].one_Bps.value * t[k] / 64, 1, 0.06);
        sp_machine_free(&m);
        construct(&m, i / 4.0, t, w, true, 0.02);
        const struct sp_machine_ecm noisy = sp_ecm_fit(&m);
        ck_assert(noisy.overlap.lo <= i / 4.0 + 0.051 && i / 4.0 <= noisy.overlap.hi + 0.051);
        ck_assert(noisy.error.value < 0.05);
        sp_machine_free(&m);
    }
}
END_TEST

START_TEST(loads_alone_tell_no_rule)
{
    const double t[3] = {0.6e-9, 0.8e-9, 2.4e-9}, w[3] = {0, 0, 0};
    struct sp_machine m;
    construct(&m, 0.5, t, w, false, 0);
    struct sp_machine_ecm e = sp_ecm_fit(&m);
    ck_assert(!sp_value_known(e.overlap) && e.n_interfaces == 0 && strstr(e.how, "copy and triad"));
    m.ecm.overlap = stated(0); /* a stated rule stays */
    sp_ecm_refit(&m);
    ck_assert_int_eq(m.ecm.overlap.origin, SP_STATED);
    m.n_ceilings = 3;
    e = sp_ecm_fit(&m);
    ck_assert(strstr(e.how, "load bandwidth of one thread"));
    m.kind = SP_GPU;
    ck_assert(strstr(sp_ecm_fit(&m).how, "CPU"));
    m.n_ceilings = 8;
    sp_machine_free(&m);
}
END_TEST

START_TEST(machine_gives_the_inputs)
{
    const double t[3] = {0.6e-9, 0.8e-9, 2.4e-9}, w[3] = {0, 0.5, 1};
    struct sp_machine m;
    construct(&m, 0.5, t, w, true, 0);
    m.ecm = sp_ecm_fit(&m);
    struct sp_traffic traffic[3] = {0};
    for (int k = 0; k < 3; k++) {
        traffic[k].read_B = sp_value_of(6400, SP_SIMULATED);
        traffic[k].write_B = sp_value_of(0, SP_SIMULATED);
    }
    const struct sp_value load = sp_ecm_load_s(&m, 6400);
    near(load.value, 30e-9, 1e-12);
    struct sp_ecm_inputs in = sp_ecm_inputs_of(&m, traffic, 3, load, load, 1, 1, NULL);
    ck_assert_str_eq(in.transfer[0].name, "L1L2");
    ck_assert_str_eq(in.transfer[1].name, "L2L3");
    ck_assert_str_eq(in.transfer[2].name, "L3Mem");
    ck_assert(!in.transfer[0].shared && in.transfer[1].shared && in.transfer[2].shared);
    /* 100 lines of loads from memory take what was measured of loads from memory. */
    const struct sp_ecm_times times = sp_ecm_of(&in);
    const struct sp_ceiling *c = sp_machine_ceiling(&m, "load", "MEM", "f64", 1, NULL, NULL);
    near(times.one_s.value * c->value.value / 6400, 1, 0.01);
    ck_assert(!sp_value_known(sp_ecm_peak_s(&m, 100, false)));
    sp_machine_free(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ecm");
    TCase *tc = tcase_create("ecm");
    tcase_add_test(tc, published_jacobi);
    tcase_add_test(tc, nothing_moves_is_the_core);
    tcase_add_test(tc, streaming_is_the_roofline);
    tcase_add_test(tc, light_model_agrees);
    tcase_add_test(tc, more_bytes_never_take_less);
    tcase_add_test(tc, writes_count_by_their_weight);
    tcase_add_test(tc, ends_of_intervals);
    tcase_add_test(tc, ends_of_what_was_fitted_together);
    tcase_add_test(tc, what_is_missing_is_said);
    tcase_add_test(tc, the_rule_is_found_again);
    tcase_add_test(tc, loads_alone_tell_no_rule);
    tcase_add_test(tc, machine_gives_the_inputs);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
