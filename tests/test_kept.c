/* What caches keep of data that are somewhat larger than they: the formula beside the simulator, and the
 * shares in bytes, gathers and times. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/cache/capacity.h"
#include "model/roofline.h"
#include "model/volume/traffic.h"
#include "near.h"
#include "one_cache.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

static struct sp_machine machine_of(double size_B, double lo, double hi)
{
    struct sp_machine m = machine_with((int64_t)size_B);
    m.n_cores = 2;
    m.cache[0].cores_sharing = 2;
    m.cache[0].effective_B = sp_value_between(size_B, lo, hi, SP_MEASURED);
    return m;
}

/* A machine of one cache of 10 MB (9 … 12) whose data go through it once in an execution. */
static struct sp_kept kept_of(double needed_B, struct sp_traffic *t)
{
    const struct sp_machine m = machine_of(10e6, 9e6, 12e6);
    const struct sp_footprint f = {.shared_out_B = 0.9 * needed_B, .each_B = 0.1 * needed_B};
    const struct sp_residence r = sp_residence_of(&m, f, 2, 1, true);
    memset(t, 0, sizeof *t);
    t->read_B = sp_value_of(r.level == 1 ? needed_B : 0, SP_SIMULATED);
    t->write_B = sp_value_of(r.level == 1 ? 0.05 * needed_B : 0, SP_SIMULATED);
    t->array_read_B[SP_ARRAY_X] = 0.1 * t->read_B.value;
    t->by_array = true;
    return sp_kept_of(&m, f, r.level, 2, 1, t, 1);
}

START_TEST(far_away_nothing_changes)
{
    static const double capacities[] = {0.1, 0.5, 0.8, 10, 100};
    struct sp_traffic t, before;
    struct sp_kept k = kept_of(capacities[_i] * 10e6, &t);
    ck_assert_int_eq(k.cache, -1);
    before = t;
    sp_kept_share_out(&k, &t);
    ck_assert_mem_eq(&t, &before, sizeof t);
}
END_TEST

/* Where the data fit the value but not the lower end, the value stays and the interval says so; the bytes of
 * one cache's first interface are not to be had from further in. */
START_TEST(at_the_capacity_the_interval_says_so)
{
    struct sp_traffic t;
    const struct sp_kept k = kept_of(8.5e6, &t);
    const struct sp_value rate[] = {sp_value_of(100e9, SP_MEASURED), sp_value_of(20e9, SP_MEASURED)};
    ck_assert_int_eq(k.cache, 0);
    ck_assert(k.holds && k.fetched.value == 0 && k.fetched.hi == 1);
    const struct sp_value T = sp_kept_transfers_s(&k, sp_value_of(8.5e6, SP_MODELLED), rate);
    ck_assert_double_eq_tol(T.value, 85e-6, 1e-12);
    ck_assert_double_eq_tol(T.lo, 85e-6, 1e-12);
    ck_assert_double_eq_tol(T.hi, 425e-6, 1e-12);
}
END_TEST

/* h = exp(-(1 - h) N/C): 0.686 for 1.2, 0.203 for 2; of 9 MB that are one's own. */
START_TEST(above_it_a_share_is_kept)
{
    static const double turns[] = {1.2, 2, 4}, h[] = {0.6863, 0.2032, 0.0198};
    const double N = turns[_i] * 9e6;
    struct sp_traffic t;
    const struct sp_kept k = kept_of(N, &t);
    ck_assert(k.cache == 0 && !k.holds);
    ck_assert_double_eq_tol(sp_kept_by_random(N, 9e6), h[_i], 1e-4);
    ck_assert_double_eq_tol(k.fetched.value, 1 - h[_i], 1e-4);
    ck_assert_double_eq(k.fetched.hi, 1);                                /* LRU */
    ck_assert_double_eq_tol(k.fetched.lo, fmax(1 - 12e6 / N, 0), 1e-12); /* the best */
    sp_kept_share_out(&k, &t);
    ck_assert_double_eq_tol(t.read_B.value, (1 - h[_i]) * N, 1e-4 * N);
    ck_assert_double_eq_tol(t.read_B.hi, N, 1);
    ck_assert_double_eq_tol(t.read_B.lo, fmax(N - 12e6, 0), 1);
    ck_assert_double_eq_tol(t.array_read_B[SP_ARRAY_X], 0.1 * t.read_B.value, 1);
    ck_assert_int_eq(t.read_B.origin, SP_MODELLED);
}
END_TEST

/* A capacity that streams have found stands in for that of random walks: 25 MB here, so that 21 MB stay
 * although the latter is 10; none of them is sure to. */
START_TEST(streams_know_it_better)
{
    struct sp_machine m = machine_of(10e6, 9e6, 12e6);
    const struct sp_footprint f = {.shared_out_B = 21e6}, more = {.shared_out_B = 50e6};
    struct sp_traffic t = {.read_B = sp_value_of(21e6, SP_SIMULATED),
                           .write_B = sp_value_of(0, SP_SIMULATED)};
    m.cache[0].cycle_B = sp_value_between(25e6, 22e6, 30e6, SP_MEASURED);
    struct sp_kept k = sp_kept_of(&m, f, 1, 1, 1, &t, 1);
    ck_assert(k.cache == 0 && !k.holds && k.fetched.value == 0 && k.fetched.lo == 0 && k.fetched.hi == 1);
    t.read_B =
        sp_value_of(60e6, SP_SIMULATED); /* x again and again where LRU has 10 MB; not where all stays */
    k = sp_kept_of(&m, f, 1, 1, 1, &t, 1);
    ck_assert(k.cache == 0 && k.fetched.value == 0 && k.fetched.hi == 1);
    t.read_B = sp_value_of(50e6, SP_SIMULATED);
    k = sp_kept_of(&m, more, 1, 1, 1, &t, 1);
    ck_assert_double_eq_tol(k.fetched.value, 1 - 0.2032, 1e-4);
    ck_assert_double_eq_tol(k.fetched.lo, 0.4, 1e-12);
    m.cache[0].keeping = SP_KEEPS_A_PART; /* half of 50 MB */
    ck_assert_double_eq_tol(sp_kept_of(&m, more, 1, 1, 1, &t, 1).fetched.value, 0.5, 1e-12);
    m.cache[0].keeping = SP_KEEPS_NOTHING; /* the simulated LRU says it all */
    ck_assert_int_eq(sp_kept_of(&m, more, 1, 1, 1, &t, 1).cache, -1);
    m.cache[0].keeping = SP_KEEPS_A_PART;
    m.cache[0].partition =
        (struct sp_way_partition){.ways = 3, .arrays = 1 << SP_ARRAY_X}; /* of whole caches */
    ck_assert_int_eq(sp_kept_of(&m, more, 1, 1, 1, &t, 1).cache, -1);
    m.cache[0].partition.ways = 0;
    t.read_B = sp_value_of(0, SP_SIMULATED);
    ck_assert_int_eq(sp_kept_of(&m, (struct sp_footprint){.shared_out_B = 8.5e6}, 0, 1, 1, &t, 1).cache, -1);
}
END_TEST

/* Just above the capacity next to all is kept, far above nothing: the time has no step but goes from one roof
 * to the other. */
START_TEST(time_goes_from_one_roof_to_the_other)
{
    const struct sp_value rate[] = {sp_value_between(100e9, 80e9, 120e9, SP_MEASURED),
                                    sp_value_between(20e9, 18e9, 25e9, SP_MEASURED)};
    double last = 1 / 100e9;
    for (double N = 9.01e6; N < 45e6; N *= 1.05) {
        struct sp_traffic t;
        const struct sp_kept k = kept_of(N, &t);
        const struct sp_value T = sp_kept_transfers_s(&k, sp_value_of(N, SP_MODELLED), rate);
        ck_assert(T.value / N >= last && T.value / N <= 1 / 20e9 && T.lo <= T.value && T.value <= T.hi);
        ck_assert_double_eq_tol(T.hi, N / 18e9, 1e-9);
        if (N < 9.1e6)
            ck_assert_double_eq_tol(T.value / N, 1 / 100e9, 2e-12);
        last = T.value / N;
    }
    ck_assert_double_eq_tol(last, 1 / 20e9, 1e-12);
}
END_TEST

/* The simulator with random replacement in 16 ways, and with LRU, of a band matrix in a cache that its data
 * exceed. */
START_TEST(the_simulator_agrees)
{
    static const double turns[] = {0.8, 1.1, 1.2, 1.5, 2, 3, 5, 10};
    const struct hand_shape shape = {6000, 6000, 12, 0, -1, 40, 7};
    struct sp_csr a;
    struct sp_layout l;
    hand_matrix(&shape, &a);
    hand_layout(&a, _i ? SP_FORMAT_SELL : SP_FORMAT_CRS, _i ? 8 : 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 2,
                &l);
    const struct sp_footprint f = sp_footprint_of_layout(&l);
    const double N = f.shared_out_B + f.each_B;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        struct sp_machine m = machine_with((int64_t)(N / turns[i]));
        struct sp_sim_options o = sp_sim_default(&m);
        struct sp_traffic lru[SP_MAX_LEVELS], random[SP_MAX_LEVELS];
        int n;
        m.cache[0].ways = 16;
        ck_assert_int_eq(sp_sim_traffic(&l, &o, lru, &n, NULL, NULL), SP_OK);
        o.policy = SP_RANDOM;
        ck_assert_int_eq(sp_sim_traffic(&l, &o, random, &n, NULL, NULL), SP_OK);
        const double h = sp_kept_by_random(N, N / turns[i]), fetched = random[0].read_B.value / N;
        ck_assert_msg(fabs(fetched - (1 - h)) < 0.06, "%g capacities: %g fetched, not %g", turns[i], fetched,
                      1 - h);
        const struct sp_kept k = sp_kept_of(&m, f, turns[i] < 0.9 ? 0 : 1, 2, 1, lru, 1);
        if (k.cache < 0 || k.holds)
            continue;
        ck_assert_msg(lru[0].read_B.value * k.fetched.lo <= random[0].read_B.value * 1.02 &&
                          random[0].read_B.value <= lru[0].read_B.value * 1.01,
                      "%g capacities: %g of %g B, not within %g ... 1", turns[i], random[0].read_B.value,
                      lru[0].read_B.value, k.fetched.lo);
    }
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Caches that are said to do something else than LRU are simulated so, cold executions find nothing. */
START_TEST(nothing_is_taken_off_twice)
{
    struct sp_machine m = machine_of(10e6, 9e6, 12e6);
    const struct sp_footprint f = {.shared_out_B = 15e6};
    struct sp_traffic t = {.read_B = sp_value_of(15e6, SP_SIMULATED),
                           .write_B = sp_value_of(0, SP_SIMULATED)};
    ck_assert_int_eq(sp_kept_of(&m, f, 1, 1, 1, &t, 1).cache, 0);
    ck_assert_int_eq(sp_kept_of(&m, f, 1, 1, 1, &t, 0).cache, -1);
    m.cache[0].policy = SP_RANDOM;
    ck_assert_int_eq(sp_kept_of(&m, f, 1, 1, 1, &t, 1).cache, -1);
    m.cache[0].policy = SP_LRU;
    m.kind = SP_GPU;
    ck_assert_int_eq(sp_kept_of(&m, f, 1, 1, 1, &t, 1).cache, -1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("kept");
    TCase *tc = tcase_create("kept");
    tcase_add_loop_test(tc, far_away_nothing_changes, 0, 5);
    tcase_add_test(tc, at_the_capacity_the_interval_says_so);
    tcase_add_loop_test(tc, above_it_a_share_is_kept, 0, 3);
    tcase_add_test(tc, streams_know_it_better);
    tcase_add_test(tc, time_goes_from_one_roof_to_the_other);
    tcase_add_loop_test(tc, the_simulator_agrees, 0, 2);
    tcase_add_test(tc, nothing_is_taken_off_twice);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
