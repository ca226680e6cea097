/* Rules for GPUs: silent where nothing is modelled, clear without a gain, a hint with one. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu/gpu_predict.h"
#include "model/hints/hints.h"
#include "proposal.h"
#include "run_suite.h"

/* 100 MB of memory and 300 MB of the L2 in 100 us, at 1 TB/s and 3 TB/s. */
static struct sp_gpu_prediction prediction(double memory_B, double L2_B, double launch_s)
{
    struct sp_gpu_prediction p;
    memset(&p, 0, sizeof p);
    p.term[SP_GPU_TERM_MEMORY] = (struct sp_roof_term){"memory bandwidth", sp_value_of(memory_B, SP_MODELLED),
                                                       sp_value_of(1e12, SP_MEASURED)};
    p.term[SP_GPU_TERM_L2] =
        (struct sp_roof_term){"L2 bandwidth", sp_value_of(L2_B, SP_MODELLED), sp_value_of(3e12, SP_MEASURED)};
    p.term[SP_GPU_TERM_PEAK] = (struct sp_roof_term){"peak performance", sp_value_of(1e6, SP_MODELLED),
                                                     sp_value_of(3e13, SP_MEASURED)};
    p.term[SP_GPU_TERM_LAUNCH] = (struct sp_roof_term){"launch overhead", sp_value_of(1, SP_MODELLED),
                                                       launch_s > 0 ? sp_value_of(1 / launch_s, SP_MEASURED)
                                                                    : sp_value_none("unknown")};
    p.term[SP_GPU_TERM_LATENCY] =
        (struct sp_roof_term){"latency", sp_value_of(1, SP_MODELLED), sp_value_none("unknown")};
    p.roofline = sp_gpu_time_of(1e6, p.term);
    p.binding = p.term[p.roofline.binding].name;
    p.traffic.use = 0.4;
    p.traffic.active = 0.3;
    p.traffic.x_B = sp_value_of(20e6, SP_MODELLED);
    p.traffic.x_once_B = 10e6;
    p.traffic.L2_lo_B = 30 << 20;
    p.traffic.L2_hi_B = 60 << 20;
    return p;
}

static struct sp_hint_inputs inputs(const struct sp_gpu_hint_inputs *gpu, double time_s)
{
    struct sp_hint_inputs in;
    sp_hint_inputs_init(&in);
    in.matrix = "a.mtx";
    in.options = typed("--device gpu");
    in.n_r = in.n_c = 1000000;
    in.n_nz = 8000000;
    in.time_s = sp_value_of(time_s, SP_MEASURED);
    in.roof_Bps = sp_value_of(1e12, SP_MEASURED);
    in.V_B = sp_value_of(100e6, SP_MODELLED);
    in.gpu = gpu;
    return in;
}

static const struct sp_hint *find(const struct sp_hints *h, const char *id)
{
    for (int i = 0; i < h->n_hints; i++)
        if (strcmp(h->hint[i].id, id) == 0)
            return &h->hint[i];
    return NULL;
}

static bool checked(const struct sp_hints *h, const char *check)
{
    for (int i = 0; i < h->n_checked; i++)
        if (strcmp(h->checked[i].check, check) == 0)
            return true;
    return false;
}

START_TEST(no_gpu_no_word)
{
    struct sp_hint_inputs in = inputs(NULL, 100e-6);
    struct sp_hints h;
    sp_hints_find(&in, &h);
    for (int i = 0; i < h.n_hints; i++)
        ck_assert_int_ne(h.hint[i].id[0], 'J');
}
END_TEST

START_TEST(another_format)
{
    struct sp_gpu_prediction now = prediction(100e6, 600e6, 0);
    struct sp_gpu_hint_way way = {
        .option = "sell:32,1", .kernel = "cuda-chunk", .time_s = sp_value_of(110e-6, SP_MODELLED)};
    struct sp_gpu_hint_inputs gpu = {.now = &now, .n_ways = 1, .way = &way};
    struct sp_hint_inputs in = inputs(&gpu, 200e-6);
    struct sp_hints h;
    sp_hints_find(&in, &h);
    const struct sp_hint *hint = find(&h, "J01");
    ck_assert(hint && hint->gain_lo > 0.3 && hint->gain_hi < 0.5);
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "--device gpu --format sell:32,1"));
    ck_assert_ptr_nonnull(strstr(hint->evidence, "is bound by L2 bandwidth. For"));
    ck_assert(!checked(&h, "write-allocate")); /* a GPU has none */
    gpu.possible_by = "launch overhead";       /* the report says so */
    sp_hints_find(&in, &h);
    ck_assert_ptr_nonnull(strstr(find(&h, "J01")->evidence,
                                 "bound by L2 bandwidth (what is possible, by launch overhead). For"));
    gpu.possible_by = "L2 bandwidth";
    sp_hints_find(&in, &h);
    ck_assert_ptr_nonnull(strstr(find(&h, "J01")->evidence, "is bound by L2 bandwidth. For"));
    way.time_s = sp_value_of(205e-6, SP_MODELLED);
    sp_hints_find(&in, &h);
    ck_assert_ptr_null(find(&h, "J01"));
}
END_TEST

/* A format whose gain lies below what a launch may take. */
START_TEST(shorter_than_a_launch)
{
    struct sp_gpu_prediction now = prediction(1e5, 6e5, 0);
    struct sp_gpu_hint_way way = {
        .option = "sell:32,1", .kernel = "cuda-chunk", .time_s = sp_value_of(110e-9, SP_MODELLED)};
    struct sp_gpu_hint_inputs gpu = {.now = &now, .n_ways = 1, .way = &way};
    struct sp_hint_inputs in = inputs(&gpu, 200e-9);
    struct sp_hints h;
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J01") && !checked(&h, "format on a GPU"));
    now = prediction(1e5, 6e5, 10e-9);
    sp_hints_find(&in, &h);
    ck_assert_ptr_nonnull(strstr(find(&h, "J01")->evidence, "110 ns instead of 210 ns"));
}
END_TEST

START_TEST(launches)
{
    struct sp_gpu_prediction now = prediction(1e6, 1e6, 4e-6);
    struct sp_gpu_hint_inputs gpu = {.now = &now};
    struct sp_hint_inputs in = inputs(&gpu, 5e-6);
    struct sp_hints h;
    sp_hints_find(&in, &h);
    ck_assert_ptr_nonnull(strstr(find(&h, "J02")->evidence, "takes 4.00 us (measured), the work 1.00 us"));
    now = prediction(1e9, 1e9, 4e-6);
    in = inputs(&gpu, 1010e-6);
    sp_hints_find(&in, &h);
    ck_assert_ptr_null(find(&h, "J02"));
    now.term[SP_GPU_TERM_LAUNCH].amount = sp_value_of(2, SP_MODELLED); /* of 4 us each */
    sp_hints_find(&in, &h);
    bool said = false;
    for (int i = 0; i < h.n_checked; i++)
        said |= strcmp(h.checked[i].figure, "8.00 us for two launches, 1.00 ms of work") == 0;
    ck_assert(said);
}
END_TEST

/* x is loaded twice: worth a window while it fits three quarters of half of the L2. */
START_TEST(window_over_x)
{
    struct sp_gpu_prediction now = prediction(100e6, 100e6, 0);
    struct sp_gpu_hint_inputs gpu = {.now = &now};
    struct sp_hint_inputs in = inputs(&gpu, 105e-6);
    struct sp_hints h;
    sp_hints_find(&in, &h);
    const struct sp_hint *hint = find(&h, "J03");
    ck_assert(hint && hint->gain_hi > 0.05 && hint->gain_hi < 0.15);
    ck_assert_ptr_nonnull(
        strstr(hint->evidence, "x (10.0 MB) would fit the L2 but is loaded 2.0 times (modelled)"));
    ck_assert_ptr_nonnull(
        strstr(PROPOSAL_OF(&in, hint), "in your program: an L2 access policy window over x"));
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "--isa cuda-window or cuda-keep"));
    gpu.window = "cuda-window";
    sp_hints_find(&in, &h);
    hint = find(&h, "J03");
    ck_assert_ptr_null(strstr(PROPOSAL_OF(&in, hint), "in your program"));
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "a.mtx --device gpu --isa cuda-window"));
    gpu.x_B = sp_value_of(11e6, SP_MEASURED); /* counters say that x comes once */
    sp_hints_find(&in, &h);
    ck_assert_ptr_null(find(&h, "J03"));
    gpu.x_B = sp_value_none("not counted");
    now.traffic.x_once_B = 30e6;
    now.traffic.x_B = sp_value_of(60e6, SP_MODELLED);
    sp_hints_find(&in, &h);
    ck_assert_ptr_null(find(&h, "J03"));
}
END_TEST

START_TEST(another_order)
{
    struct sp_gpu_prediction now = prediction(100e6, 900e6, 0), then = prediction(90e6, 200e6, 0);
    struct sp_gpu_hint_inputs gpu = {.now = &now, .reordered = &then};
    struct sp_hint_inputs in = inputs(&gpu, 310e-6);
    struct sp_hints h;
    in.reorder_s = sp_value_of(0.1, SP_MEASURED);
    sp_hints_find(&in, &h);
    const struct sp_hint *hint = find(&h, "J04");
    ck_assert(hint && hint->gain_lo > 0.5 && hint->cost[0]);
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "--reorder rcm"));
    then = now;
    sp_hints_find(&in, &h);
    ck_assert_ptr_null(find(&h, "J04"));
}
END_TEST

/* Lanes idle: another kernel of the format is proposed, unless another format, which J01 proposes, does more;
 * none that is slower or idles as much. */
START_TEST(idle_lanes)
{
    struct sp_gpu_prediction now = prediction(100e6, 600e6, 0);
    struct sp_gpu_hint_way way[] = {{.option = "crs",
                                     .kernel = "cuda-merge",
                                     .same_format = true,
                                     .time_s = sp_value_of(120e-6, SP_MODELLED),
                                     .active = 0.99},
                                    {.option = "sell:32,256",
                                     .kernel = "cuda-chunk",
                                     .time_s = sp_value_of(110e-6, SP_MODELLED),
                                     .active = 0.9}};
    struct sp_gpu_hint_inputs gpu = {.now = &now, .n_ways = 1, .way = way};
    struct sp_hint_inputs in = inputs(&gpu, 200e-6);
    struct sp_hints h;
    sp_hints_find(&in, &h);
    const struct sp_hint *hint = find(&h, "J05");
    ck_assert(hint && hint->gain_lo > 0.3 && hint->gain_hi < 0.5);
    ck_assert_ptr_null(find(&h, "J01"));
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "--isa cuda-merge"));
    ck_assert_ptr_nonnull(strstr(hint->evidence, "only 30 %"));
    ck_assert_ptr_nonnull(strstr(hint->evidence, "Rows of a warp differ"));
    gpu.equal_rows = true;
    sp_hints_find(&in, &h);
    ck_assert_ptr_nonnull(strstr(find(&h, "J05")->evidence, "equally long, but do not fill the lanes"));
    gpu.equal_rows = false;
    gpu.n_ways = 2;
    sp_hints_find(&in, &h);
    ck_assert(find(&h, "J01") && !find(&h, "J05"));
    gpu.n_ways = 1;
    way[0].active = 0.32;
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J05") && checked(&h, "divergence"));
    for (int i = 0; i < h.n_checked; i++)
        if (strcmp(h.checked[i].check, "divergence") == 0)
            ck_assert_ptr_null(strstr(h.checked[i].figure, "save"));
    way[0].active = 0.99;
    way[0].time_s = sp_value_of(210e-6, SP_MODELLED);
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J05") && checked(&h, "divergence"));
    now.traffic.active = NAN;
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J05") && !checked(&h, "divergence"));
}
END_TEST

/* In the run's precision where that is worth it, else in fp16, with what it does to the result. */
START_TEST(units_for_blocks)
{
    struct sp_gpu_prediction now = prediction(100e6, 600e6, 0);
    struct sp_gpu_hint_way units[] = {{.option = "bcsr:8x1",
                                       .precision = SP_F32,
                                       .time_s = sp_value_of(150e-6, SP_MODELLED),
                                       .n_stored = 16000000,
                                       .n_indices = 2000000},
                                      {.option = "bcsr:8x1",
                                       .precision = SP_F16,
                                       .time_s = sp_value_of(80e-6, SP_MODELLED),
                                       .n_stored = 16000000,
                                       .n_indices = 2000000}};
    struct sp_gpu_hint_inputs gpu = {.now = &now, .n_units = 2, .units = units};
    struct sp_hint_inputs in = inputs(&gpu, 200e-6);
    struct sp_hints h;
    in.op = SP_OP_SPMM;
    in.r = 64;
    in.precision = SP_F32;
    sp_hints_find(&in, &h);
    const struct sp_hint *hint = find(&h, "J06");
    ck_assert(hint && hint->confidence == SP_MEDIUM);
    ck_assert_ptr_nonnull(
        strstr(hint->evidence, "2000000 blocks of bcsr:8x1 hold the matrix with 50 % fill"));
    ck_assert_ptr_nonnull(strstr(hint->evidence, "three products of tf32"));
    ck_assert_ptr_null(strstr(PROPOSAL_OF(&in, hint), "--precision"));
    units[0].time_s = sp_value_of(250e-6, SP_MODELLED);
    sp_hints_find(&in, &h);
    hint = find(&h, "J06");
    ck_assert(hint && hint->confidence == SP_LOW);
    ck_assert_ptr_nonnull(strstr(hint->evidence, "11 significant bits"));
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "--format bcsr:8x1 --precision f16"));
    gpu.n_units = 1;
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J06") && checked(&h, "matrix units"));
    gpu.n_units = 0;
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J06") && !checked(&h, "matrix units"));
}
END_TEST

START_TEST(tiles_or_rows)
{
    struct sp_gpu_prediction now = prediction(100e6, 600e6, 0);
    struct sp_gpu_hint_way way = {.option = "tiled:64,32",
                                  .time_s = sp_value_of(110e-6, SP_MODELLED),
                                  .n_indices = 1000000,
                                  .T_i = 64,
                                  .T_k = 32};
    struct sp_gpu_hint_inputs gpu = {.now = &now, .n_ways = 1, .way = &way};
    struct sp_hint_inputs in = inputs(&gpu, 200e-6);
    struct sp_hints h;
    in.op = SP_OP_SDDMM;
    in.r = 32;
    in.n_r = in.n_c = 10000;
    sp_hints_find(&in, &h);
    const struct sp_hint *hint = find(&h, "J07");
    ck_assert_ptr_nonnull(hint);
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, hint), "--format tiled:64,32"));
    ck_assert_ptr_nonnull(strstr(hint->evidence, "density 0.08"));
    ck_assert_ptr_nonnull(strstr(hint->evidence, "8.0 entries"));
    way.time_s = sp_value_of(205e-6, SP_MODELLED);
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J07") && checked(&h, "tiles of SDDMM"));
    /* Tiles are in use, rows would be faster. */
    gpu.run = way;
    way = (struct sp_gpu_hint_way){.option = "crs", .time_s = sp_value_of(110e-6, SP_MODELLED)};
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J07")); /* the density says the contrary */
    in.n_r = in.n_c = 100000;
    sp_hints_find(&in, &h);
    hint = find(&h, "J07");
    ck_assert(hint && strstr(PROPOSAL_OF(&in, hint), "--format crs"));
    gpu.run.T_i = 0; /* nothing is known of tiles */
    sp_hints_find(&in, &h);
    ck_assert(!find(&h, "J07") && !checked(&h, "tiles of SDDMM"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu_hints");
    TCase *tcase = tcase_create("gpu_hints");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, no_gpu_no_word);
    tcase_add_test(tcase, another_format);
    tcase_add_test(tcase, shorter_than_a_launch);
    tcase_add_test(tcase, launches);
    tcase_add_test(tcase, window_over_x);
    tcase_add_test(tcase, another_order);
    tcase_add_test(tcase, idle_lanes);
    tcase_add_test(tcase, units_for_blocks);
    tcase_add_test(tcase, tiles_or_rows);
    return run_suite(suite);
}
