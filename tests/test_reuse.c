/* The reuse curve against the fully associative simulation at many capacities, and the sample against the
 * exact curve. */
#include <check.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "hand_layout.h"
#include "model/cache/capacity.h"
#include "model/cache/partition.h"
#include "model/cache/reuse.h"
#include "model/cache/stack_distance.h"
#include "model/volume/traffic.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"

START_TEST(buckets_are_the_smallest_capacity_that_hits)
{
    struct sp_random random = {3};
    for (int i = 0; i < 100000; i++) {
        int64_t d = sp_random_below(&random, INT64_C(1) << (1 + i % 30));
        int b = sp_stack_bucket(d);
        ck_assert_int_ge(sp_stack_capacity(b), d + 1);
        ck_assert(b == 0 || sp_stack_capacity(b - 1) < d + 1);
    }
}
END_TEST

/* Against counting distinct lines one by one. The first `ordered` touches go from line to line, a third of
 * the others goes anywhere, and the rest to lines below 40. */
static void compare_distances(int n, int ordered, int touches)
{
    struct sp_stack s;
    ck_assert_int_eq(sp_stack_make(n, &s, NULL), SP_OK);
    int *stack = malloc((size_t)n * sizeof *stack), depth = 0;
    struct sp_random random = {5};
    for (int t = 0; t < touches; t++) {
        const int line = t < ordered ? t : (int)sp_random_below(&random, t % 3 ? 40 : n);
        int d = 0;
        while (t >= ordered && d < depth && stack[d] != line)
            d++;
        if (t >= ordered && d < depth) {
            ck_assert_int_eq(sp_stack_after(&s, s.place[line]), d);
            sp_stack_remove(&s, s.place[line]);
            memmove(stack + 1, stack, (size_t)d * sizeof *stack);
        } else {
            memmove(stack + 1, stack, (size_t)depth++ * sizeof *stack);
        }
        stack[0] = line;
        sp_stack_append(&s, (uint32_t)line);
    }
    free(stack);
    sp_stack_free(&s);
}

START_TEST(distances_equal_counting)
{
    compare_distances(1500, 0, 40000);      /* the time line is full many times */
    compare_distances(40000, 39000, 39600); /* sums of sums */
}
END_TEST

static void compare(const struct sp_layout *l, const struct sp_reuse_options *ro, int n_domain,
                    const int *domain_of_thread, const char *what)
{
    struct sp_reuse curve;
    ck_assert_int_eq(sp_reuse_curve(l, ro, &curve, NULL), SP_OK);
    ck_assert(curve.exact && curve.n_sizes > 10);
    for (int i = 0; i < curve.n_sizes; i += 5) {
        const struct sp_reuse_size *s = &curve.size[i];
        struct sp_machine m = {.n_caches = 1};
        m.cache[0] = (struct sp_cache){.level = 3,
                                       .size_B = s->capacity_B,
                                       .effective_B = sp_value_none("not measured"),
                                       .line_B = 64,
                                       .cores_sharing = 1};
        struct sp_sim_options o = sp_sim_default(&m);
        o.n_domain = n_domain;
        o.domain_of_thread = domain_of_thread;
        o.skew = ro->skew;
        o.store_nt = ro->store_nt;
        for (int state = SP_SIM_WARM; state <= SP_SIM_COLD; state++) {
            o.state = state;
            struct sp_traffic v[SP_MAX_LEVELS];
            int n;
            ck_assert_int_eq(sp_sim_traffic(l, &o, v, &n, NULL, NULL), SP_OK);
            double alpha = state == SP_SIM_WARM ? s->alpha_warm : s->alpha_cold;
            double bytes = state == SP_SIM_WARM ? s->warm_B : s->cold_B;
            ck_assert_msg(fabs(alpha - sp_traffic_alpha(l, &v[0])) < 1e-12 &&
                              bytes == v[0].read_B.value + v[0].write_B.value,
                          "%s, %lld B, %s: alpha %g and %g, bytes %g and %g", what, (long long)s->capacity_B,
                          state ? "cold" : "warm", alpha, sp_traffic_alpha(l, &v[0]), bytes,
                          v[0].read_B.value + v[0].write_B.value);
        }
    }
    const struct sp_reuse_size *end = &curve.size[curve.n_sizes - 1];
    ck_assert(end->alpha_warm == 0 && fabs(end->alpha_cold - curve.alpha_min) < 1e-12);
    ck_assert(curve.x_once_B > 0);
    ck_assert(sp_reuse_at(&curve, end->capacity_B * 2) == end && sp_reuse_at(&curve, 1) == NULL);
    sp_reuse_free(&curve);
    sp_reuse_free(&curve);
}

START_TEST(the_curve_is_the_simulation_at_every_size)
{
    static const int formats[] = {SP_FORMAT_CRS, SP_FORMAT_SELL, SP_FORMAT_SELLU};
    struct sp_csr a;
    hand_matrix(&(struct hand_shape){400, 300, 6, 0.2, 100, 0, 9}, &a);
    for (int f = 0; f < 3; f++)
        for (int n = 1; n <= 4; n += 3) {
            struct sp_layout l;
            hand_layout(&a, formats[f], 4, f == 1 ? 16 : 1, SP_F64, SP_I32,
                        n == 1 ? SP_SCHEDULE_NNZ : SP_SCHEDULE_CYCLIC, n, &l);
            static const int domain[] = {0, 1, 1, 0};
            char what[64];
            snprintf(what, sizeof what, "format %d, %d threads", f, n);
            struct sp_reuse_options o = {.rate = 1, .store_nt = f == 0 && n == 4};
            compare(&l, &o, 1, NULL, what);
            o.n_domain = 2;
            o.domain_of_thread = domain;
            o.skew = 0.4;
            if (n == 4)
                compare(&l, &o, 2, domain, what);
            hand_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

/* 60 000 rows of 8 entries: a third near the diagonal, the rest anywhere. */
static void large_layout(struct sp_layout *l, int format, int n_threads)
{
    enum { N = 60000, N_NZR = 8 };
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, N, N * N_NZR, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    struct sp_random random = {21};
    for (int64_t i = 0; i < N; i++) {
        for (int k = 0; k < N_NZR; k++) {
            int64_t near = i + sp_random_below(&random, 200) - 100;
            a.col[i * N_NZR + k] =
                (int32_t)(k < 3 && near >= 0 && near < N ? near : sp_random_below(&random, N));
        }
        a.row_ptr[i + 1] = (i + 1) * N_NZR;
    }
    hand_layout(&a, format, 8, format == SP_FORMAT_CRS ? 1 : 32, SP_F64, SP_I32, SP_SCHEDULE_NNZ, n_threads,
                l);
    sp_csr_free(&a);
}

/* Chance: what caches with random replacement miss, simulated, whether x is found again soon or late. */
START_TEST(chance_is_the_simulation_with_random_replacement)
{
    const int64_t capacity_B = INT64_C(1) << (18 + _i); /* of x 0.5 MB, of all 6.5 */
    struct sp_layout l;
    large_layout(&l, SP_FORMAT_CRS, 1);
    struct sp_machine m = {.kind = SP_CPU, .n_caches = 1};
    m.cache[0] = (struct sp_cache){.level = 3,
                                   .size_B = capacity_B,
                                   .line_B = 64,
                                   .ways = 16,
                                   .cores_sharing = 1,
                                   .effective_B = sp_value_none("as stated"),
                                   .policy = SP_RANDOM};
    struct sp_sim_options sim = sp_sim_default(&m);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    ck_assert_int_eq(sp_sim_traffic(&l, &sim, traffic, &n_levels, NULL, NULL), SP_OK);
    struct sp_reuse_options o = {.rate = 1};
    struct sp_reuse curve;
    ck_assert_int_eq(sp_reuse_curve(&l, &o, &curve, NULL), SP_OK);
    const double simulated = sp_traffic_alpha(&l, &traffic[0]),
                 chance = sp_reuse_alpha_by_chance(&curve, (double)capacity_B),
                 lru = sp_reuse_alpha(&curve, capacity_B, false).value;
    ck_assert_msg(fabs(chance / simulated - 1) < 0.15 && fabs(chance - simulated) < fabs(lru - simulated),
                  "%g B: alpha %g by chance, %g simulated, %g by LRU", (double)capacity_B, chance, simulated,
                  lru);
    sp_reuse_free(&curve);
    hand_free(&l);
}
END_TEST

/* Of a cycle the share that is lost is that of the law for streams. */
START_TEST(chance_on_a_cycle_is_the_law_of_streams)
{
    enum { N_SIZES = 400 };
    struct sp_reuse_size size[N_SIZES];
    const double N = 8e6;
    for (int i = 0; i < N_SIZES; i++) /* up to just below the cycle: nothing hits */
        size[i] = (struct sp_reuse_size){.capacity_B = (int64_t)(N * (i + 1) / (N_SIZES + 1)),
                                         .alpha_warm = 1,
                                         .alpha_cold = 1,
                                         .warm_B = N,
                                         .cold_B = N};
    size[N_SIZES - 1].capacity_B = (int64_t)N - 1;
    const struct sp_reuse curve = {
        .n_sizes = N_SIZES, .size = size, .alpha_min = 1, .footprint_B = (int64_t)N};
    static const double turns[] = {1.2, 2, 5, 20};
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(sp_reuse_alpha_by_chance(&curve, N / turns[i]),
                                1 - sp_kept_by_random(turns[i], 1), 1e-3);
    ck_assert(isnan(sp_reuse_alpha_by_chance(&(struct sp_reuse){0}, 1e6)));
}
END_TEST

/* The ends of an interval of capacities from the curve are what the simulation of all levels gives there. */
START_TEST(ends_of_a_capacity_are_those_of_the_simulation)
{
    const char *matrices[] = {"random:60000:8", "laplace3d:36"};
    struct sp_csr a;
    struct sp_layout l;
    ck_assert_int_eq(sp_generate(matrices[_i], NULL, &a, NULL), SP_OK);
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 2, &l);
    struct sp_machine m = {.n_caches = 2};
    for (int k = 0; k < 2; k++)
        m.cache[k] = (struct sp_cache){.level = k + 2,
                                       .size_B = k ? 3 << 20 : 64 << 10,
                                       .effective_B = sp_value_none("not measured"),
                                       .line_B = 64,
                                       .cores_sharing = k + 1};
    const int64_t capacity[] = {200 << 10, 400 << 10, 16 << 20};
    double bytes[3], alpha[3];
    for (int i = 0; i < 3; i++) {
        struct sp_sim_options o = sp_sim_default(&m);
        struct sp_traffic v[SP_MAX_LEVELS];
        int n;
        o.llc_B = capacity[i];
        ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, NULL), SP_OK);
        bytes[i] = v[n - 1].read_B.value + v[n - 1].write_B.value;
        alpha[i] = sp_traffic_alpha(&l, &v[n - 1]);
    }
    struct sp_reuse curve;
    struct sp_reuse_options ro = {.rate = 1};
    ck_assert_int_eq(sp_reuse_curve(&l, &ro, &curve, NULL), SP_OK);
    struct sp_value V = sp_value_of(bytes[1], SP_SIMULATED), seen = sp_value_of(alpha[1], SP_SIMULATED);
    const struct sp_value pooled =
        sp_value_between((double)capacity[1], (double)capacity[0], (double)capacity[2], SP_MEASURED);
    ck_assert(sp_reuse_widen(&curve, pooled, false, &seen, &V));
    ck_assert_double_eq(V.value, bytes[1]);
    ck_assert_double_eq(seen.value, alpha[1]);
    ck_assert_msg(fabs(V.hi - bytes[0]) <= 0.03 * bytes[0] && V.lo == 0 && bytes[2] == 0 && seen.lo == 0 &&
                      fabs(seen.hi - alpha[0]) <= 0.03 * alpha[0] + 1e-3,
                  "bytes %g ... %g, simulated %g ... %g; alpha %g ... %g, simulated %g ... %g", V.lo, V.hi,
                  bytes[2], bytes[0], seen.lo, seen.hi, alpha[2], alpha[0]);
    struct sp_reuse none = {.n_sizes = 0};
    ck_assert(!sp_reuse_widen(&none, pooled, false, &seen, &V));
    sp_reuse_free(&curve);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(a_sample_is_as_good_as_it_says)
{
    struct sp_layout l;
    large_layout(&l, _i % 2 ? SP_FORMAT_SELL : SP_FORMAT_CRS, _i / 2 + 1);
    struct sp_reuse exact, sampled;
    struct sp_reuse_options o = {.rate = 1, .seed = 3};
    ck_assert_int_eq(sp_reuse_curve(&l, &o, &exact, NULL), SP_OK);
    o.rate = 0.25;
    ck_assert_int_eq(sp_reuse_curve(&l, &o, &sampled, NULL), SP_OK);
    ck_assert(!sampled.exact && fabs(sampled.rate - 0.25) < 0.05);
    ck_assert_int_eq(sampled.n_x_lines, exact.n_x_lines);
    ck_assert_double_eq(sampled.alpha_min, exact.alpha_min);
    int outside = 0, n = 0;
    double wide = 0, off = 0; /* squares of half intervals, and of errors */
    for (int i = 0; i < exact.n_sizes && i < sampled.n_sizes; i++) {
        const struct sp_reuse_size *e = &exact.size[i], *s = &sampled.size[i];
        ck_assert(s->alpha_warm_lo <= s->alpha_warm && s->alpha_warm <= s->alpha_warm_hi);
        if (e->capacity_B < 64 << 10)
            continue;
        n++;
        outside += e->alpha_warm < s->alpha_warm_lo || e->alpha_warm > s->alpha_warm_hi ||
                   e->alpha_cold < s->alpha_cold_lo || e->alpha_cold > s->alpha_cold_hi;
        wide += pow((s->alpha_cold_hi - s->alpha_cold_lo) / 2, 2);
        off += pow(e->alpha_cold - s->alpha_cold, 2);
        /* Where the curve is steep the size is what is uncertain. */
        ck_assert_msg(fabs(e->alpha_cold - s->alpha_cold) < 0.05 * e->alpha_cold, "%lld B: %g, exact %g",
                      (long long)e->capacity_B, s->alpha_cold, e->alpha_cold);
    }
    ck_assert_int_gt(n, 50);
    ck_assert_int_lt(outside, n / 8);
    /* 35 to 51 times before the known number of lines was made use of. */
    ck_assert_msg(sqrt(wide) < 25 * sqrt(off), "intervals are %.1f times as wide as errors are large",
                  sqrt(wide / off));
    sp_reuse_free(&exact);
    sp_reuse_free(&sampled);
    hand_free(&l);
}
END_TEST

static enum sp_status note_level(void *level, int domain, const int *thread, int n, struct sp_error *err)
{
    (void)thread;
    (void)n;
    (void)err;
    ((int *)level)[domain] = omp_get_level();
    return SP_OK;
}

/* What is parallel in the only domain is so on the threads that there are: in a region within a region
 * they would be new ones, on the processor that the caller is pinned to. */
START_TEST(one_domain_is_no_region_of_its_own)
{
    static const int domain[] = {0, 1};
    struct sp_layout l;
    int level[2] = {-1, -1};
    large_layout(&l, SP_FORMAT_CRS, 2);
    struct sp_domains one = {0}, two = {.n = 2, .domain_of_thread = domain},
                      in_turn = {.n = 2, .domain_of_thread = domain, .one_by_one = true};
    ck_assert_int_eq(sp_domains_each(&one, &l, note_level, level, NULL), SP_OK);
    ck_assert(level[0] == 0 && level[1] == -1);
    ck_assert_int_eq(sp_domains_each(&two, &l, note_level, level, NULL), SP_OK);
    ck_assert(level[0] == 1 && level[1] == 1);
    ck_assert_int_eq(sp_domains_each(&in_turn, &l, note_level, level, NULL), SP_OK);
    ck_assert(level[0] == 0 && level[1] == 0);
    hand_free(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reuse");
    TCase *tc = tcase_create("reuse");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, buckets_are_the_smallest_capacity_that_hits);
    tcase_add_test(tc, distances_equal_counting);
    tcase_add_test(tc, the_curve_is_the_simulation_at_every_size);
    tcase_add_loop_test(tc, chance_is_the_simulation_with_random_replacement, 0, 5);
    tcase_add_test(tc, chance_on_a_cycle_is_the_law_of_streams);
    tcase_add_loop_test(tc, ends_of_a_capacity_are_those_of_the_simulation, 0, 2);
    tcase_add_loop_test(tc, a_sample_is_as_good_as_it_says, 0, 4);
    tcase_add_test(tc, one_domain_is_no_region_of_its_own);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
