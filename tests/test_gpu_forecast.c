/* Records of predictions for GPUs: they obey the schema, say that nothing was executed, and hold what the
 * plot of levels needs. */
#include <check.h>
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

int main(void)
{
    Suite *suite = suite_create("gpu_forecast");
    TCase *tc = tcase_create("gpu_forecast");
    tcase_add_loop_test(tc, a_forecast_is_a_record, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
