/* What other storage is expected to move is what it moves: of half storage the simulation of its own layout at
 * the level where its own data live, wherever those of the run do. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_suite.h"
#include "session/analyze/analysis.h"
#include "session/measure/byte_source.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"

static const struct sp_machine machine = {
    .n_cores = 2,
    .n_domains = 1,
    .n_caches = 3,
    .cache = {{.level = 1, .size_B = 16 << 10, .line_B = 64, .ways = 8, .cores_sharing = 1},
              {.level = 2, .size_B = 128 << 10, .line_B = 64, .ways = 8, .cores_sharing = 1},
              {.level = 3, .size_B = 1 << 20, .line_B = 64, .ways = 16, .cores_sharing = 2}}};

static const struct {
    const char *matrix;
    int now, then; /* levels: index of the cache, 3: memory */
} cases[] = {
    {"laplace2d:90", 2, 2},       {"hpcg:11", 2, 1},       {"hpcg:17", 3, 2},
    {"hpcg:17+permuted:3", 3, 2}, {"laplace2d:180", 3, 3}, {"hpcg:20+permuted:3", 3, 3},
};

static void make(const struct sp_csr *a, const char *format, struct sp_workload *w, struct sp_layout *l)
{
    *w = (struct sp_workload){.n_threads = 2, .schedule = SP_SCHEDULE_NNZ, .matrix = a};
    ck_assert_int_eq(sp_workload_set_format(w, format, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(w, false, NULL, l, NULL), SP_OK);
}

/* Bytes where the data live, by the steps of an analysis; *level: there. */
static double moved(const struct sp_layout *l, bool store_nt, int *level)
{
    struct sp_sim_options o = sp_sim_default(&machine);
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    o.store_nt = store_nt;
    *level = sp_residence_of(&machine, sp_footprint_of_layout(l), 2, 1, true).level;
    ck_assert_int_eq(sp_sim_traffic(l, &o, traffic, &n_levels, NULL, NULL), SP_OK);
    while (*level > 0 && sp_traffic_is_idle(l, &traffic[*level - 1]))
        --*level;
    ck_assert_int_gt(*level, 0);
    return traffic[*level - 1].read_B.value + traffic[*level - 1].write_B.value;
}

START_TEST(one_triangle_moves_what_is_said)
{
    struct sp_csr a;
    struct sp_layout half;
    struct sp_workload other;
    struct sp_byte_source replayed = {.replayed = true, .recording.has_times = true}; /* no kernel is run */
    const struct sp_analyze_options o = {.machine = &machine, .bytes = &replayed};
    struct sp_analysis *analysis = calloc(1, sizeof *analysis);
    struct sp_hint_inputs in;
    int level;
    ck_assert_int_eq(sp_generate(cases[_i].matrix, NULL, &a, NULL), SP_OK);
    analysis->options = &o;
    analysis->setup.n_domains = 1;
    make(&a, "crs", &analysis->setup.workload, &analysis->setup.layout);
    analysis->evaluated.V_B = sp_value_of(moved(&analysis->setup.layout, false, &level), SP_SIMULATED);
    ck_assert_int_eq(level, cases[_i].now);
    analysis->evaluated.residence.level = level;
    analysis->evaluated.alpha = analysis->evaluated.alpha_simulated = sp_value_of(1, SP_SIMULATED);
    analysis->evaluated.alpha_min.alpha = 0.2;
    sp_hint_inputs_init(&in);
    in.symmetric = true;
    sp_analysis_look_at_storage(analysis, &in);
    make(&a, "half", &other, &half);
    const double then_B = moved(&half, false, &level);
    ck_assert_int_eq(level, cases[_i].then);
    const struct sp_storage *said = &in.storage[SP_FORMAT_HALF];
    if (cases[_i].now < machine.n_caches) { /* it is not proposed */
        ck_assert_int_eq(said->change.n, 0);
    } else {
        ck_assert_int_eq(said->V_B.origin, SP_SIMULATED);
        ck_assert_msg(fabs(said->V_B.value - then_B) <= 0.005 * then_B, "%s: %.0f B expected, %.0f moved",
                      cases[_i].matrix, said->V_B.value, then_B);
    }
    sp_layout_free(&half);
    sp_layout_free(&analysis->setup.layout);
    sp_csr_free(&a);
    free(analysis);
}
END_TEST

/* Where y goes past the level, or caches nearer to the core keep a part; to which part of the truth at least. */
static const struct {
    const char *matrix;
    bool store_nt;
    double within;
} kept[] = {{"laplace2d:90", false, 0.02}, {"laplace2d:90", true, 0.02}, {"laplace2d:60", false, 0.06}};

/* What is expected of another format is compared with what is simulated of the run: what the level does not see
 * of this one it does not see of that one. */
START_TEST(what_passes_a_level_is_in_no_format)
{
    struct sp_csr a;
    struct sp_layout sell;
    struct sp_workload other;
    struct sp_byte_source replayed = {.replayed = true, .recording.has_times = true};
    const struct sp_analyze_options o = {.machine = &machine, .bytes = &replayed};
    struct sp_analysis *analysis = calloc(1, sizeof *analysis);
    struct sp_subject *subject = calloc(1, sizeof *subject);
    const bool store_nt = kept[_i].store_nt;
    int level, found = -1;
    ck_assert_int_eq(sp_generate(kept[_i].matrix, NULL, &a, NULL), SP_OK);
    analysis->options = &o;
    analysis->subject = subject;
    analysis->line_B = 64;
    analysis->setup.n_domains = 1;
    analysis->setup.domain_of_thread = (int[]){0, 0};
    analysis->setup.facts.store_nt = store_nt;
    make(&a, "crs", &analysis->setup.workload, &analysis->setup.layout);
    struct sp_evaluated *e = &analysis->evaluated;
    e->V_B = sp_value_of(moved(&analysis->setup.layout, store_nt, &level), SP_SIMULATED);
    ck_assert_int_eq(level, 2);
    e->residence.level = level;
    e->rates.b_1 = e->rates.b_S = 10e9;
    e->w = sp_value_of(store_nt ? 1 : 2, SP_SIMULATED);
    e->alpha = sp_value_of(0.2, SP_SIMULATED);
    ck_assert_int_eq(sp_analysis_compare(analysis, &analysis->compared, NULL), SP_OK);
    for (int i = 0; i < analysis->compared.n_formats; i++)
        if (strcmp(analysis->compared.format[i].option, "sell:8,64") == 0)
            found = i;
    ck_assert_int_ge(found, 0);
    make(&a, "sell:8,64", &other, &sell);
    const double then_B = moved(&sell, store_nt, &level), said_B = analysis->compared.format[found].V_B.value;
    ck_assert_msg(fabs(said_B - then_B) <= kept[_i].within * then_B, "%s: %.0f B expected, %.0f moved",
                  kept[_i].matrix, said_B, then_B);
    sp_layout_free(&sell);
    sp_layout_free(&analysis->setup.layout);
    sp_csr_free(&a);
    free(subject);
    free(analysis);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("other_storage");
    TCase *tc = tcase_create("other_storage");
    tcase_add_loop_test(tc, one_triangle_moves_what_is_said, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(tc, what_passes_a_level_is_in_no_format, 0, sizeof kept / sizeof *kept);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
