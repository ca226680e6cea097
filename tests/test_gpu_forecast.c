/* Records of predictions for GPUs: they obey the schema, say that nothing was executed, and hold what the
 * plot of levels needs. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/machine/machine_file.h"
#include "run_suite.h"
#include "schema_check.h"
#include "session/gpu/gpu_analysis.h"
#include "sparse/formats/layout.h"
#include "sparse/generate/generate.h"

static void read_machine(const char *name, struct sp_machine *m)
{
    char path[1024];
    struct sp_error err;
    snprintf(path, sizeof path, SP_TEST_DATA "/../../machines/%s.json", name);
    ck_assert_msg(sp_machine_file_read(path, m, NULL, 0, &err) == SP_OK, "%s", err.what);
}

static void predict(const struct sp_workload *w, const struct sp_machine *m, enum sp_gpu_map map,
                    struct sp_gpu_prediction *p)
{
    struct sp_layout l;
    struct sp_gpu_launch g;
    ck_assert_int_eq(sp_layout_make(w, false, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, map, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_predict(&l, &g, m, sp_workload_flops(w), false, NULL, p, NULL), SP_OK);
    sp_layout_free(&l);
}

static void obeys_schema(const struct sp_record *r)
{
    char fault[512] = "";
    json_t *schema = json_load_file(SP_TEST_DATA "/../../docs/record.schema.json", 0, NULL);
    ck_assert_ptr_nonnull(schema);
    ck_assert_msg(schema_check(schema, r->root, fault, sizeof fault), "%s", fault);
    json_decref(schema);
}

static double level_B(const struct sp_record *r, size_t way, const char *level)
{
    const json_t *item = json_array_get(sp_record_node(r, SP_F_GPU_WAYS), way);
    return sp_record_value_of(json_object_get(json_object_get(item, "levels"), level)).value;
}

START_TEST(a_forecast_is_a_record)
{
    static const char *const machines[] = {"a100-sxm4-40gb", "h200-sxm-141gb"}; /* with L2 roof, without */
    struct sp_machine m;
    struct sp_csr a;
    struct sp_gpu_prediction p[2];
    struct sp_record r;
    char name[2][64];
    read_machine(machines[_i], &m);
    ck_assert_int_eq(sp_generate("laplace3d:20", NULL, &a, NULL), SP_OK);
    const struct sp_workload w = {.matrix = &a, .n_threads = 1, .schedule = SP_SCHEDULE_NNZ};
    predict(&w, &m, SP_GPU_LANES, &p[0]);
    predict(&w, &m, SP_GPU_MERGE, &p[1]);
    const struct sp_gpu_guess guess[2] = {{sp_gpu_way_name(name[0], sizeof name[0], "CRS", &p[0].launch),
                                           "crs", sp_value_of(1, SP_SIMULATED), &p[0]},
                                          {sp_gpu_way_name(name[1], sizeof name[1], "CRS", &p[1].launch),
                                           "crs", sp_value_of(1, SP_SIMULATED), &p[1]}};
    const struct sp_gpu_forecast forecast = {.matrix = "laplace3d:20",
                                             .n_r = a.n_r,
                                             .n_c = a.n_c,
                                             .n_nz = a.n_nz,
                                             .workload = &w,
                                             .machine = &m,
                                             .cold = true,
                                             .work = sp_workload_flops(&w),
                                             .guess = guess,
                                             .n_guesses = 2,
                                             .best = 1};
    ck_assert_int_eq(sp_gpu_forecast_record(&forecast, &r, NULL), SP_OK);
    obeys_schema(&r);
    const char *text = "";
    ck_assert(sp_record_text(&r, SP_F_STATUS, &text) && strcmp(text, "modelled") == 0);
    ck_assert(sp_record_text(&r, SP_F_CONFIG_FORMAT_TEXT, &text) && strcmp(text, "CRS merge") == 0);
    ck_assert_int_eq(strncmp(name[0], "CRS lanes ", 10), 0);
    ck_assert_uint_eq(json_array_size(sp_record_node(&r, SP_F_GPU_WAYS)), 2);
    for (size_t way = 0; way < 2; way++) {
        const struct sp_gpu_traffic *t = &p[way].traffic;
        ck_assert_double_eq(level_B(&r, way, "L1"), sp_gpu_asked_B(t).value);
        ck_assert_double_eq(level_B(&r, way, "L2"), p[way].term[SP_GPU_TERM_L2].amount.value);
        ck_assert_double_eq(level_B(&r, way, "MEM"), p[way].term[SP_GPU_TERM_MEMORY].amount.value);
    }
    ck_assert_uint_ge(json_array_size(sp_record_node(&r, SP_F_ROOFS)), 2);
    sp_record_free(&r);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* An analysis whose kernel took twice the predicted time, on the machine that was predicted, with
 * the roof of its file. */
static void evaluate(const char *matrix, enum sp_gpu_map map, struct sp_csr *a, struct sp_machine *m,
                     struct sp_analyze_options *o, struct sp_gpu_analysis *g)
{
    struct sp_gpu_prediction *p = &g->way[0].prediction;
    memset(g, 0, sizeof *g);
    memset(o, 0, sizeof *o);
    read_machine("a100-sxm4-40gb", m);
    ck_assert_int_eq(sp_generate(matrix, NULL, a, NULL), SP_OK);
    o->machine = m;
    o->state = SP_COLD;
    g->options = o;
    g->workload = (struct sp_workload){.matrix = a, .n_threads = 1, .schedule = SP_SCHEDULE_NNZ};
    g->work = sp_workload_flops(&g->workload);
    predict(&g->workload, m, map, p);
    ck_assert_int_eq(sp_layout_make(&g->workload, false, NULL, &g->layout, NULL), SP_OK);
    g->device = (struct sp_gpu_device){.n_cores = m->n_cores, .L2_B = (size_t)sp_machine_llc(m)->size_B};
    g->way[0].launch = p->launch;
    g->way[0].predicted = true;
    g->chosen = &g->way[0];
    g->n_ways = 1;
    g->pairs.time = sp_value_of(2 * p->roofline.time_s.value, SP_MEASURED);
    g->pairs.roof = p->memory_roof->value;
    g->pairs.inverse = sp_value_of(1 / (g->pairs.time.value * g->pairs.roof.value), SP_MEASURED);
    sp_gpu_counts_none(&g->counts, "not counted");
    sp_gpu_find_level(g);
}

/* Where x is loaded once anyway, what is possible is what `model` says: launch, ramp and last wave
 * in it, and of the bandwidth the part of the SMs that have a block; the same term binds. */
START_TEST(the_possible_is_the_models_time)
{
    static const struct {
        const char *matrix;
        enum sp_gpu_map map;
    } cases[] = {{"laplace3d:64", SP_GPU_LANES},
                 {"laplace3d:12", SP_GPU_THREAD},
                 {"band:900:2", SP_GPU_THREAD},
                 {"laplace2d:1500", SP_GPU_LANES}};
    struct sp_csr a;
    struct sp_machine m;
    struct sp_analyze_options o;
    struct sp_gpu_analysis g;
    evaluate(cases[_i].matrix, cases[_i].map, &a, &m, &o, &g);
    const struct sp_gpu_prediction said = g.way[0].prediction;
    sp_gpu_evaluate(&g);
    ck_assert(!g.in_L2);
    const double t = said.roofline.time_s.value;
    ck_assert_msg(fabs(g.t_model.value - t) < 1e-9 * t, "%g s, %g s modelled", g.t_model.value, t);
    ck_assert_msg(fabs(g.t_once.value - t) < 0.02 * t, "%g s possible, %g s modelled", g.t_once.value, t);
    ck_assert_str_eq(g.binding, said.binding);
    ck_assert_double_eq_tol(g.model_fraction.value, 0.5, 0.01);
    ck_assert_double_eq_tol(g.way[0].prediction.roofline.time_s.value, t, 1e-9 * t);
    double sum = 0;
    for (int i = 0; i < SP_N_LOSSES; i++)
        sum += sp_value_known(g.losses.part[i]) ? g.losses.part[i].value : 0;
    ck_assert_double_eq_tol(sum, g.pairs.time.value, 1e-9 * t);
    ck_assert_double_eq_tol(g.losses.part[SP_LOSS_REST].value, t, 0.02 * t);
    sp_layout_free(&g.layout);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* One SM of 108 draws its part of what the L2 gives, 5400 GB/s/108, also where the data are in
 * memory, whose part would be less; all 108 draw no more than memory gives. */
START_TEST(few_SMs_draw_less)
{
    struct sp_csr a;
    struct sp_machine m;
    struct sp_analyze_options o;
    struct sp_gpu_analysis g;
    evaluate("band:250:2", SP_GPU_THREAD, &a, &m, &o, &g);
    ck_assert_int_eq(g.way[0].launch.n_blocks, 1);
    sp_gpu_evaluate(&g);
    ck_assert_double_eq_tol(g.way[0].prediction.term[SP_GPU_TERM_MEMORY].rate.value, 50e9, 1);
    ck_assert_double_eq_tol(g.roof_part, 50e9 / 1400e9, 1e-12);
    ck_assert_double_eq_tol(g.losses.part[SP_LOSS_MIN_TRAFFIC].value, g.once_B / 50e9, 1e-12);
    sp_layout_free(&g.layout);
    sp_csr_free(&a);
    sp_machine_free(&m);
    evaluate("band:50000:2", SP_GPU_THREAD, &a, &m, &o, &g);
    sp_gpu_evaluate(&g);
    ck_assert_double_eq(g.roof_part, 1);
    sp_layout_free(&g.layout);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* The roof that was sampled stands in all predictions of the analysis: hints name what binds by it. */
START_TEST(predictions_take_the_sampled_roof)
{
    struct sp_csr a;
    struct sp_machine m;
    struct sp_analyze_options o;
    struct sp_gpu_analysis g;
    evaluate("laplace2d:1500", SP_GPU_LANES, &a, &m, &o, &g);
    ck_assert_str_eq(g.way[0].prediction.binding, "memory bandwidth");
    g.pairs.roof = sp_value_of(1e13, SP_MEASURED);
    g.pairs.inverse = sp_value_of(1e-13 / g.pairs.time.value, SP_MEASURED);
    sp_gpu_evaluate(&g);
    ck_assert_str_ne(g.binding, "memory bandwidth");
    ck_assert_str_eq(g.way[0].prediction.binding, g.binding);
    ck_assert_double_eq(g.way[0].prediction.roofline.time_s.value, g.t_model.value);
    sp_layout_free(&g.layout);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

static void x_is(double counted_B, struct sp_value read_B, struct sp_value x_B, double value, double lo,
                 double hi)
{
    const struct sp_value x = sp_gpu_counted_x(sp_value_of(counted_B, SP_MEASURED), read_B, x_B, 10);
    ck_assert_msg(fabs(x.value - value) + fabs(x.lo - lo) + fabs(x.hi - hi) < 1e-9,
                  "%g counted: %g in %g ... %g, not %g in %g ... %g", counted_B, x.value, x.lo, x.hi, value,
                  lo, hi);
    ck_assert_int_eq(x.origin, SP_MEASURED);
}

/* A matrix of 100 B, x of 10 B in its own sectors, 40 B of them at most. */
START_TEST(counted_bytes_of_x)
{
    const struct sp_value kept = sp_value_between(70, 0, 140, SP_SIMULATED),
                          x_kept = sp_value_between(20, 0, 40, SP_SIMULATED);
    x_is(0, kept, x_kept, 0, 0, 0);   /* the L2 holds all */
    x_is(55, kept, x_kept, 5, 0, 40); /* half: half of x, if it is kept alike */
    x_is(22, kept, x_kept, 2, 0, 22); /* no more than was counted */
    x_is(105, kept, x_kept, 1050 / 110., 5, 40);
    x_is(110, kept, x_kept, 10, 10, 40); /* nothing is kept, x comes once */
    x_is(130, kept, x_kept, 30, 30, 40); /* x comes again, the matrix does not */
    x_is(170, kept, x_kept, 70, 70, 70); /* more than the model can say of x */
    const struct sp_value streams = sp_value_between(125, 110, 140, SP_SIMULATED),
                          x_again = sp_value_between(25, 10, 40, SP_SIMULATED);
    x_is(90, streams, x_again, 0, 0, 0); /* the L2 can hold nothing of the matrix: what is left is x */
    x_is(110, streams, x_again, 10, 10, 10);
    x_is(125, streams, x_again, 25, 25, 25);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu_forecast");
    TCase *tc = tcase_create("gpu_forecast");
    tcase_add_loop_test(tc, a_forecast_is_a_record, 0, 2);
    tcase_add_loop_test(tc, the_possible_is_the_models_time, 0, 4);
    tcase_add_test(tc, few_SMs_draw_less);
    tcase_add_test(tc, predictions_take_the_sampled_roof);
    tcase_add_test(tc, counted_bytes_of_x);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
