/* The simulator against a cache model of the plainest kind, reference by reference. */
#include <check.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "plain_cache.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

static struct sp_cache cache_of(int64_t lines, int ways, int sharing)
{
    return (struct sp_cache){.level = 1,
                             .size_B = lines * 64,
                             .effective_B = sp_value_none("not measured"),
                             .line_B = 64,
                             .ways = ways,
                             .cores_sharing = sharing,
                             .policy = SP_LRU};
}

static struct sp_machine machine_of(const struct sp_cache *cache, int n)
{
    struct sp_machine m = {.n_caches = n};
    memcpy(m.cache, cache, (size_t)n * sizeof *cache);
    return m;
}

/* Returns the references of an execution. */
static int64_t compare(const struct sp_layout *l, const struct sp_sim_options *o, const char *what)
{
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    struct sp_error err = {0};
    struct sp_sim_facts facts;
    ck_assert_msg(sp_sim_traffic(l, o, traffic, &n_levels, &facts, &err) == SP_OK, "%s: %s", what, err.what);
    struct plain_counts plain;
    ck_assert_msg(plain_count(l, o, facts.n_executions, &plain, &err) == SP_OK, "%s: %s", what, err.what);
    ck_assert_int_eq(plain.n_levels, n_levels);
    ck_assert(o->store_nt || plain.n_references == facts.n_references);
    char where[160];
    ck_assert_msg(plain_differences(&plain, traffic, where, sizeof where) == 0, "%s: %s", what, where);
    return facts.n_references;
}

static const struct hand_shape shapes[] = {
    {120, 120, 7, 0.0, -1, 0, 1}, {110, 110, 24, 0.0, -1, 20, 2}, {150, 60, 3, 0.4, 40, 0, 3},
    {40, 400, 12, 0.1, -1, 0, 4}, {130, 130, 1, 0.5, 129, 0, 5},  {64, 64, 20, 0.0, -1, 5, 6},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static const struct {
    int format;
    int32_t C;
    int64_t sigma;
    enum sp_precision precision;
    enum sp_index index;
} formats[] = {
    {SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32},     {SP_FORMAT_CRS, 1, 1, SP_F32, SP_I64},
    {SP_FORMAT_CRS, 1, 1, SP_C128, SP_I32},    {SP_FORMAT_SELL, 4, 1, SP_F64, SP_I32},
    {SP_FORMAT_SELL, 8, 32, SP_F32, SP_I32},   {SP_FORMAT_SELL, 32, 64, SP_F64, SP_I64},
    {SP_FORMAT_SELL, 3, 6, SP_F64, SP_I32},    {SP_FORMAT_SELLU, 4, 1, SP_F64, SP_I32},
    {SP_FORMAT_SELLU, 8, 16, SP_F32, SP_I32},  {SP_FORMAT_CRS, 1, 1, SP_MIXED, SP_D16},
    {SP_FORMAT_SELL, 8, 32, SP_MIXED, SP_D16}, {SP_FORMAT_CRS, 1, 1, SP_F64, SP_D16},
    {SP_FORMAT_SELL, 4, 1, SP_F64, SP_D16},    {SP_FORMAT_SELLU, 4, 1, SP_MIXED, SP_I32},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* Calls check(layout, what) for all formats, schedules and 1 to 3 threads of one shape. */
static void for_all_layouts(int shape, void (*check)(const struct sp_layout *, const char *))
{
    struct sp_csr a;
    hand_matrix(&shapes[shape], &a);
    for (int f = shape % 2; f < N_FORMATS; f += 2)
        for (int schedule = 0; schedule < SP_N_SCHEDULES; schedule++)
            for (int n = 1 + (shape & 1); n <= 3; n += 2 - (shape & 1)) {
                if (schedule == SP_SCHEDULE_MERGE &&
                    (formats[f].format != SP_FORMAT_CRS || formats[f].index == SP_D16))
                    continue;
                struct sp_layout l;
                hand_layout(&a, formats[f].format, formats[f].C, formats[f].sigma, formats[f].precision,
                            formats[f].index, schedule, n, &l);
                char what[128];
                snprintf(what, sizeof what, "shape %d, %s-%d-%d, %s, %s, %s, %d threads", shape,
                         sp_format_name(l.format), (int)l.C, (int)l.sigma, sp_precision_name(l.precision),
                         sp_index_name(l.index), sp_schedule_name(schedule), n);
                check(&l, what);
                hand_free(&l);
            }
    sp_csr_free(&a);
}

static void check_one_level(const struct sp_layout *l, const char *what)
{
    static const int64_t lines[] = {3, 5, 6, 7, 16, 60, 400};
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++)
        for (int state = SP_SIM_WARM; state <= SP_SIM_COLD; state++) {
            struct sp_cache c = cache_of(lines[i], 0, 1);
            struct sp_machine m = machine_of(&c, 1);
            struct sp_sim_options o = sp_sim_default(&m);
            o.state = state;
            char where[192];
            snprintf(where, sizeof where, "%s, %d lines, %s", what, (int)lines[i], state ? "cold" : "warm");
            compare(l, &o, where);
        }
}

/* The last level alone, with ways kept for the matrix: 18 of 20. */
static void check_divided_alone(const struct sp_layout *l, const char *what)
{
    struct sp_cache c = cache_of(100, 20, 1);
    c.partition =
        (struct sp_way_partition){.ways = 18, .arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES};
    struct sp_machine m = machine_of(&c, 1);
    struct sp_sim_options o = sp_sim_default(&m);
    o.llc_only = true;
    compare(l, &o, what);
}

START_TEST(a_divided_level_alone_equals_a_plain_one)
{
    for_all_layouts(_i, check_divided_alone);
}
END_TEST

START_TEST(one_full_level_equals_plain_lru)
{
    for_all_layouts(_i, check_one_level);
}
END_TEST

static void check_sets(const struct sp_layout *l, const char *what)
{
    static const struct {
        int64_t lines;
        int ways;
    } c1[] = {{8, 2}, {24, 6}, {32, 8}, {48, 12}, {36, 12}};
    /* All pairs of a first level and a kind occur, each with other layouts. */
    static int turn;
    for (int kind = 0; kind < 4; kind++) {
        int i = turn++ % (int)(sizeof c1 / sizeof *c1);
        struct sp_cache c[3] = {cache_of(c1[i].lines, c1[i].ways, 1), cache_of(56, 8, kind == 3 ? 2 : 1),
                                cache_of(112, 16, 3)};
        c[2].victim = kind == 1;
        c[2].inclusive = c[1].inclusive = kind == 2;
        if (kind == 3)
            c[2].ways = 0;
        else if (turn % 3 >
                 0) /* ways for the stream of the matrix, in the last level and for the indices in L1 */
            c[2].partition = (struct sp_way_partition){
                .ways = 1 + turn % 5, .arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES};
        if (turn % 3 == 2)
            c[0].partition = (struct sp_way_partition){.ways = 1, .arrays = 1 << SP_ARRAY_INDICES};
        struct sp_machine m = machine_of(c, 3);
        struct sp_sim_options o = sp_sim_default(&m);
        o.skew = kind == 0 ? 0.2 : 0;
        o.store_nt = kind == 3 && i == 1;
        o.x_offset_B = i % 2 ? 16 : 0;
        o.y_offset_B = i % 2 ? 32 : 0;
        for (int state = SP_SIM_WARM; state <= SP_SIM_COLD; state++) {
            o.state = state;
            char where[192];
            snprintf(where, sizeof where, "%s, L1 %d ways, kind %d, %s", what, c1[i].ways, kind,
                     state ? "cold" : "warm");
            compare(l, &o, where);
        }
    }
}

static void check_divisions(const struct sp_layout *l, const char *what)
{
    struct sp_cache c[2] = {cache_of(24, 6, 1), cache_of(96, 12, 3)};
    c[1].partition =
        (struct sp_way_partition){.ways = 1, .arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES};
    struct sp_machine m = machine_of(c, 2);
    struct sp_sim_options o = sp_sim_default(&m);
    struct sp_ways all;
    struct sp_error err = {0};
    o.state = SP_SIM_COLD; /* warm executions are repeated until memory traffic is steady, here as often */
    ck_assert_msg(sp_sim_ways(l, &o, &all, &err) == SP_OK, "%s: %s", what, err.what);
    ck_assert_int_eq(all.n, 12);
    for (int w = 1; w < all.n; w++) {
        struct sp_traffic traffic[SP_MAX_LEVELS];
        int n_levels;
        m.cache[1].partition.ways = w;
        ck_assert(sp_sim_traffic(l, &o, traffic, &n_levels, NULL, &err) == SP_OK);
        ck_assert_msg(all.read_B[w] == traffic[1].read_B.value &&
                          all.x_B[w] == traffic[1].array_read_B[SP_ARRAY_X],
                      "%s, %d ways: %g, %g B", what, w, all.read_B[w], traffic[1].read_B.value);
    }
}

START_TEST(all_divisions_at_once_equal_each)
{
    for_all_layouts(_i, check_divisions);
}
END_TEST

START_TEST(divisions_need_stacks)
{
    struct sp_csr a;
    struct sp_layout l;
    struct sp_cache c[2] = {cache_of(24, 6, 1), cache_of(96, 12, 1)};
    c[1].partition = (struct sp_way_partition){.ways = 1, .arrays = 1 << SP_ARRAY_X};
    struct sp_ways all;
    struct sp_error err = {0};
    hand_matrix(&shapes[0], &a);
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_ROWS, 1, &l);
    for (int i = 0; i < 4; i++) {
        struct sp_machine m = machine_of(c, 2);
        m.cache[1].policy = i == 1 ? SP_RANDOM : SP_LRU;
        m.cache[1].victim = i == 2;
        if (i == 3)
            m.cache[1].partition.ways = 0;
        const struct sp_sim_options o = sp_sim_default(&m);
        ck_assert_int_eq(sp_sim_ways(&l, &o, &all, &err), i == 0 ? SP_OK : SP_USAGE);
    }
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(hierarchies_equal_plain_ones)
{
    for_all_layouts(_i, check_sets);
}
END_TEST

/* Processors that share the work, fewer than threads, count what the plain one does, whatever the
 * levels are: all for batches, or the outer ones not, or none private. */
START_TEST(processors_together_equal_a_plain_one)
{
    static const struct hand_shape large = {9000, 9000, 12, 0.1, 5000, 300, 7};
    enum { ALL, VICTIM, INCLUSIVE, LAST_ALONE, N_KINDS, N_THREADS };
    struct sp_csr a;
    const int before = omp_get_max_threads();
    omp_set_num_threads(1 + _i);
    hand_matrix(&large, &a);
    for (int f = 0; f < N_FORMATS; f += 3) {
        const int kind = (f / 3) % N_KINDS;
        struct sp_cache c[3] = {cache_of(32, 8, 1), cache_of(96, 8, 1), cache_of(512, 16, N_THREADS)};
        c[2].victim = kind == VICTIM;
        c[1].inclusive = c[2].inclusive = kind == INCLUSIVE;
        c[2].ways = kind == LAST_ALONE ? 0 : c[2].ways; /* as it is simulated alone */
        struct sp_machine m = kind == LAST_ALONE ? machine_of(&c[2], 1) : machine_of(c, 3);
        struct sp_layout l;
        struct sp_sim_options o = sp_sim_default(&m);
        char what[64];
        snprintf(what, sizeof what, "%s, %d processors, kind %d", sp_format_name(formats[f].format), 1 + _i,
                 kind);
        hand_layout(&a, formats[f].format, formats[f].C, formats[f].sigma, formats[f].precision,
                    formats[f].index, f % 2 ? SP_SCHEDULE_NNZ : SP_SCHEDULE_ROWS, N_THREADS, &l);
        o.skew = 0.1 * (f % 2);
        o.store_nt = f == 3;
        o.llc_only = kind == LAST_ALONE;
        ck_assert_int_gt(compare(&l, &o, what), 300000); /* fewer, and one processor does it all */
        hand_free(&l);
    }
    sp_csr_free(&a);
    omp_set_num_threads(before);
}
END_TEST

/* Processors at work at once, when it is first told how far it is. */
static bool see_team(void *context, double share)
{
    int *team = context;
    (void)share;
    *team = *team > 0 ? *team : omp_get_num_threads();
    return false;
}

/* Domains are simulated beside each other where that keeps more processors busy than one after the other, each
 * by several: a victim cache leaves little to those. */
START_TEST(domains_keep_processors_busy)
{
    static const struct hand_shape large = {20000, 20000, 12, 0.1, 5000, 300, 7};
    enum { N_THREADS = 10, N_PROCESSORS = 24 };
    static const struct {
        int n_domains;
        bool victim;
        int team;
    } cases[] = {{2, false, N_THREADS / 2}, {5, false, N_PROCESSORS}, {2, true, N_PROCESSORS}};
    const int before = omp_get_max_threads();
    struct sp_csr a;
    struct sp_layout l;
    hand_matrix(&large, &a);
    hand_layout(&a, SP_FORMAT_SELL, 4, 1, SP_F64, SP_I32, SP_SCHEDULE_ROWS, N_THREADS, &l);
    omp_set_num_threads(N_PROCESSORS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_cache c[3] = {cache_of(32, 8, 1), cache_of(96, 8, 1), cache_of(512, 16, N_THREADS)};
        c[2].victim = cases[i].victim;
        const struct sp_machine m = machine_of(c, 3);
        struct sp_sim_options o = sp_sim_default(&m);
        struct sp_traffic traffic[SP_MAX_LEVELS];
        int domain[N_THREADS], n_levels, team = 0;
        for (int t = 0; t < N_THREADS; t++)
            domain[t] = t * cases[i].n_domains / N_THREADS;
        o.n_domain = cases[i].n_domains;
        o.domain_of_thread = domain;
        o.progress = see_team;
        o.context = &team;
        ck_assert_int_eq(sp_sim_traffic(&l, &o, traffic, &n_levels, NULL, NULL), SP_OK);
        ck_assert_msg(team == cases[i].team, "%d domains, victim %d: %d processors, expected %d",
                      cases[i].n_domains, cases[i].victim, team, cases[i].team);
    }
    omp_set_num_threads(before);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cache");
    TCase *tc = tcase_create("cache");
    tcase_add_loop_test(tc, one_full_level_equals_plain_lru, 0, N_SHAPES);
    tcase_add_loop_test(tc, a_divided_level_alone_equals_a_plain_one, 0, N_SHAPES);
    tcase_add_loop_test(tc, hierarchies_equal_plain_ones, 0, N_SHAPES);
    tcase_add_loop_test(tc, processors_together_equal_a_plain_one, 0, 4);
    tcase_add_test(tc, domains_keep_processors_busy);
    tcase_add_loop_test(tc, all_divisions_at_once_equal_each, 0, N_SHAPES);
    tcase_add_test(tc, divisions_need_stacks);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
