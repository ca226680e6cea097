/* What the model says of kernels on described GPUs: blocks that fit an SM, and bytes and times beside
 * published, prototyped and hand-counted figures. */
#include <check.h>
#include <stdio.h>

#include "hand_layout.h"
#include "io/machine/machine_file.h"
#include "model/gpu/gpu_predict.h"
#include "model/volume/volume.h"
#include "run_suite.h"
#include "share.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"

static void read_machine(const char *name, struct sp_machine *m)
{
    char path[1024];
    struct sp_error err;
    snprintf(path, sizeof path, SP_TEST_DATA "/../../machines/%s.json", name);
    ck_assert_msg(sp_machine_file_read(path, m, NULL, 0, &err) == SP_OK, "%s", err.what);
}

START_TEST(blocks_that_fit_an_sm)
{
    struct sp_machine m;
    read_machine("h200-sxm-141gb", &m);
    ck_assert(sp_gpu_is_described(&m));
    struct sp_gpu_launch g = {.block_threads = 256, .registers = 32};
    struct sp_occupancy o = sp_occupancy_of(&m, &g);
    ck_assert_int_eq(o.blocks, 8);
    ck_assert_int_eq(o.warps, 64);
    ck_assert_str_eq(o.limit, "threads");
    ck_assert_int_eq(o.L1_B, 256 << 10);
    g.registers = 48; /* 42 warps by registers */
    ck_assert_int_eq(sp_occupancy_of(&m, &g).blocks, 5);
    g.shared_B = 56 << 10; /* and 1 KiB for each block: 4 in 228 KiB */
    o = sp_occupancy_of(&m, &g);
    ck_assert_int_eq(o.blocks, 4);
    ck_assert_str_eq(o.limit, "shared memory");
    ck_assert_int_eq(o.L1_B, (256 - 4 * 57) << 10);
    g = (struct sp_gpu_launch){.block_threads = 32, .registers = 32};
    ck_assert_str_eq(sp_occupancy_of(&m, &g).limit, "blocks");
    m.gpu.wave = 64; /* a block of 32 lanes takes the registers of a wave all the same: 40 of them */
    g.registers = 40;
    ck_assert_int_eq(sp_occupancy_of(&m, &g).blocks, 65536 / (40 * 64));
    sp_machine_free(&m);
}
END_TEST

/* What an H200 does with a generated matrix. */
static void predict(const char *matrix, const char *format, enum sp_gpu_map map, int lanes, bool warm,
                    const struct sp_machine *m, struct sp_gpu_prediction *p, double *n_nz)
{
    struct sp_csr a;
    struct sp_error err;
    struct sp_layout l;
    struct sp_gpu_launch g;
    ck_assert_msg(sp_generate(matrix, NULL, &a, &err) == SP_OK, "%s", err.what);
    struct sp_workload w = {.matrix = &a, .n_threads = 1, .schedule = SP_SCHEDULE_NNZ};
    ck_assert_int_eq(sp_workload_set_format(&w, format, &err), SP_OK);
    ck_assert_msg(sp_layout_make(&w, false, NULL, &l, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_gpu_launch_make(&l, map, lanes, &g, &err), SP_OK);
    ck_assert_msg(sp_gpu_predict(&l, &g, m, sp_workload_flops(&w), warm, NULL, p, &err) == SP_OK, "%s",
                  err.what);
    *n_nz = (double)a.n_nz;
    sp_layout_free(&l);
    sp_csr_free(&a);
}

static void near(double value, double wanted, double relative)
{
    ck_assert_double_eq_tol(value, wanted, relative * wanted);
}

START_TEST(figures_of_a_stencil)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    const struct sp_gpu_traffic *t = &p.traffic;
    double n;
    read_machine("h200-sxm-141gb", &m);
    predict("hpcg:96", "sell:32,1", SP_GPU_CHUNK, 0, true, &m, &p, &n);
    near((t->L1_load_B.value + t->L1_store_B.value) / n, 21.8, 0.02);
    near(t->L2_load_B.value / n, 14.1, 0.025);
    near(t->memory_load_B.lo / n, 12.5, 0.01);
    near(t->memory_load_B.hi / n, 12.5, 0.02);
    ck_assert_double_eq(t->memory_store_B.value, 96 * 96 * 96 * 8);
    near(t->x_B.lo, t->x_once_B, 0.02); /* it has left the L2 when the next execution begins */
    ck_assert_str_eq(p.binding, "memory bandwidth");
    ck_assert(!sp_value_known(p.term[SP_GPU_TERM_LATENCY].rate));
    near(p.roofline.time_s.value, sp_gpu_term_time(&p.term[SP_GPU_TERM_MEMORY]).value + m.gpu.launch_s.value,
         1e-12);
    predict("hpcg:96", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    near((t->L1_load_B.value + t->L1_store_B.value) / n, 73.5, 0.001);
    ck_assert(t->L2_load_B.lo < 0.5 * t->L2_load_B.value && t->L2_load_B.hi <= t->L1_load_B.value);
    sp_machine_free(&m);
}
END_TEST

/* One warp, a row of one entry to each thread, all of them in column 0: 4 sectors of ptr[row], 5 of
 * ptr[row + 1], 4 of col, 8 of val, 1 of x; y 8. Where the L1 asks for halves of a warp that loads 8
 * bytes a lane, both ask for the sector of x. Each request takes a cycle for 4 sectors. */
START_TEST(sectors_as_they_are_counted)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    double n;
    read_machine("a100-sxm4-40gb", &m);
    predict("random:32x1:1", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    ck_assert_double_eq(p.traffic.L1_load_B.value, 22 * 32);
    ck_assert_double_eq(p.traffic.L1_store_B.value, 8 * 32);
    ck_assert_int_eq(sp_coalesced_cycles(&p.traffic.sectors), 1 + 2 + 1 + 2 + 1 + 2);
    ck_assert_double_eq(p.term[SP_GPU_TERM_L1].amount.value, 9 * 128);
    ck_assert(p.traffic.L1_load_B.lo == 22 * 32 && p.traffic.L1_load_B.hi == 23 * 32); /* not known yet */
    ck_assert(sp_gpu_asked_B(&p.traffic).lo == 30 * 32 && sp_gpu_asked_B(&p.traffic).hi == 31 * 32);
    m.gpu.sector_lanes = (struct sp_gpu_sector_lanes){32, 32, SP_MEASURED, ""};
    predict("random:32x1:1", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    ck_assert(p.traffic.L1_load_B.lo == 22 * 32 && p.traffic.L1_load_B.hi == 22 * 32);
    m.gpu.sector_lanes.of_8B = 16;
    predict("random:32x1:1", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    ck_assert(p.traffic.L1_load_B.lo == 23 * 32 && p.traffic.L1_load_B.hi == 23 * 32);
    ck_assert_int_eq(sp_coalesced_sectors(&p.traffic.sectors, SP_GPU_LOAD), 22);
    sp_machine_free(&m);
}
END_TEST

START_TEST(figures_of_a_random_matrix)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    const struct sp_gpu_traffic *t = &p.traffic;
    double n;
    read_machine("h200-sxm-141gb", &m);
    predict("random:4194304:8", "crs", SP_GPU_LANES, 32, true, &m, &p, &n);
    near((t->L1_load_B.value + t->L1_store_B.value) / n, 56.0, 1e-4);
    near(t->L2_load_B.value / n, 45, 0.01);
    near(t->memory_load_B.lo / n, 14.8, 0.07);
    near(t->memory_load_B.hi / n, 37, 0.06);
    sp_machine_free(&m);
}
END_TEST

/* What may be set aside keeps x from one execution to the next while x fits; of a larger one it loads at least as
 * much as an L2 does that gives up the matrix first. */
START_TEST(a_window_over_x)
{
    static const char *const matrix[] = {"random:45000:8", "random:100000:8"};
    struct sp_machine m;
    read_machine("h200-sxm-141gb", &m);
    m.cache[1].size_B = 1 << 20;
    m.cache[1].effective_B = sp_value_none("half to all of it");
    for (int i = 0; i < 2; i++) {
        struct sp_gpu_prediction lanes, keep, window;
        struct sp_csr a;
        struct sp_layout l;
        struct sp_gpu_launch g;
        struct sp_error err;
        ck_assert_int_eq(sp_generate(matrix[i], NULL, &a, &err), SP_OK);
        struct sp_workload w = {.matrix = &a, .n_threads = 1};
        ck_assert_int_eq(sp_workload_set_format(&w, "crs", &err), SP_OK);
        ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, &err), SP_OK);
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_LANES, 0, &g, &err), SP_OK);
        ck_assert(!g.x_in_window);
        ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 1, true, NULL, &lanes, &err), SP_OK);
        g.x_in_window = true;
        ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 1, true, NULL, &window, &err), SP_OK);
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_KEEP, 0, &g, &err), SP_OK);
        ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 1, true, NULL, &keep, &err), SP_OK);
        const struct sp_value x = window.traffic.x_B;
        ck_assert(lanes.traffic.x_B.hi > 1.5 * lanes.traffic.x_once_B);
        ck_assert_double_eq(window.traffic.L1_load_B.value, lanes.traffic.L1_load_B.value);
        if (i == 0)
            ck_assert_double_eq(x.hi, 0);
        else
            ck_assert(x.lo > 1.1 * keep.traffic.x_B.lo && x.hi > keep.traffic.x_B.hi &&
                      x.hi < lanes.traffic.x_B.hi);
        sp_layout_free(&l);
        sp_csr_free(&a);
    }
    sp_machine_free(&m);
}
END_TEST

/* A small x that is asked for until the end stays for the next execution. All fits: nothing moves. */
START_TEST(what_the_L2_keeps)
{
    struct sp_machine m;
    struct sp_gpu_prediction p;
    double n;
    read_machine("a100-sxm4-40gb", &m);
    predict("random:200000x100000:40", "crs", SP_GPU_LANES, 0, true, &m, &p, &n);
    ck_assert(p.traffic.memory_load_B.lo > 90e6 && p.traffic.x_B.hi < 0.02 * p.traffic.x_once_B);
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, true, &m, &p, &n);
    ck_assert(p.traffic.memory_load_B.hi == 0 && p.traffic.memory_store_B.hi == 0);
    ck_assert_str_eq(p.binding, "launch overhead"); /* 2.6 us, the L2's bytes take 1.5 */
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, false, &m, &p, &n);
    ck_assert_double_eq(p.traffic.x_B.lo, 64000 * 8);
    m.gpu.launch_s = sp_value_of(1e-3, SP_STATED);
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, true, &m, &p, &n);
    ck_assert_str_eq(p.binding, "launch overhead");
    near(p.roofline.time_s.value,
         1e-3 + 2 * m.gpu.L2_latency_s.value + sp_gpu_term_time(&p.term[SP_GPU_TERM_L2]).value, 1e-12);
    m.gpu.launch_s = sp_value_none("not described");
    /* A long row by one thread waits for the L2 again and again; sizes alone say so, too. */
    predict("arrow:20000", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    ck_assert(p.traffic.memory_load_B.hi == 0);
    ck_assert_str_eq(p.binding, "latency");
    near(p.term[SP_GPU_TERM_LATENCY].amount.value / p.term[SP_GPU_TERM_LATENCY].rate.value,
         2e4 / 2 * m.gpu.L2_latency_s.value, 1e-12);
    const struct sp_value L2_latency = m.gpu.L2_latency_s;
    m.gpu.L2_latency_s = sp_value_none("not described"); /* at most as long as for memory */
    predict("arrow:20000", "crs", SP_GPU_THREAD, 0, true, &m, &p, &n);
    near(sp_gpu_term_time(&p.term[SP_GPU_TERM_LATENCY]).hi, 2e4 / 2 * m.gpu.latency_s.hi, 1e-12);
    ck_assert(sp_gpu_term_time(&p.term[SP_GPU_TERM_LATENCY]).lo == 0);
    m.gpu.L2_latency_s = L2_latency;
    /* Without a bandwidth of the L2 its bytes take at most what memory would take for them; no byte of memory
     * is made up, and no larger L2 bandwidth gives a longer time. */
    for (int lanes = 0; lanes < 2; lanes++) {
        struct sp_gpu_prediction known;
        struct sp_machine h200;
        const enum sp_gpu_map map = lanes ? SP_GPU_LANES : SP_GPU_THREAD;
        read_machine("h200-sxm-141gb", &h200);
        h200.gpu.launch_s = sp_value_none("not described");
        predict("laplace3d:12", "crs", map, 0, true, &h200, &p, &n);
        ck_assert(p.L2_as_memory && p.busy < 1 && p.term[SP_GPU_TERM_MEMORY].amount.hi == 0);
        ck_assert_str_eq(p.binding, "L2 bandwidth");
        ck_assert_int_eq(p.term[SP_GPU_TERM_L2].rate.origin, SP_MODELLED); /* of the SMs that have a block */
        for (int i = 0; i < h200.n_ceilings; i++)
            if (strcmp(h200.ceiling[i].level, "L2") == 0)
                h200.ceiling[i].value = sp_value_of(5.5e12, SP_STATED);
        predict("laplace3d:12", "crs", map, 0, true, &h200, &known, &n);
        ck_assert(!known.L2_as_memory && known.roofline.time_s.hi <= p.roofline.time_s.value);
        ck_assert(known.roofline.time_s.lo >= p.roofline.time_s.lo && p.roofline.time_s.lo > 0);
        sp_machine_free(&h200);
    }
    /* Of data that only partly stay there, too: the interval has every L2 that is no slower than memory. */
    for (double L2_Bps = 4.9e12; L2_Bps < 40e12; L2_Bps *= 2) {
        struct sp_gpu_prediction known;
        struct sp_machine h200;
        read_machine("h200-sxm-141gb", &h200);
        predict("random:300000:8", "sell:32,1", SP_GPU_CHUNK, 0, true, &h200, &p, &n);
        ck_assert(!p.L2_as_memory && p.term[SP_GPU_TERM_MEMORY].amount.hi > 0);
        for (int i = 0; i < h200.n_ceilings; i++)
            if (strcmp(h200.ceiling[i].level, "L2") == 0)
                h200.ceiling[i].value = sp_value_of(L2_Bps, SP_STATED);
        predict("random:300000:8", "sell:32,1", SP_GPU_CHUNK, 0, true, &h200, &known, &n);
        ck_assert(p.roofline.time_s.lo <= known.roofline.time_s.lo &&
                  known.roofline.time_s.hi <= p.roofline.time_s.hi);
        sp_machine_free(&h200);
    }
    m.gpu.latency_s = sp_value_of(1, SP_STATED);
    predict("laplace3d:40", "sell:32,1", SP_GPU_CHUNK, 0, false, &m, &p, &n);
    ck_assert_str_eq(p.binding, "latency"); /* seven steps, four in two latencies; the ramp: index, then x */
    near(p.roofline.time_s.value,
         m.gpu.latency_s.value * 2 + sp_gpu_term_time(&p.term[SP_GPU_TERM_LATENCY]).value, 1e-4);
    m.gpu.latency_s =
        sp_value_of(4e-7, SP_STATED); /* a row of 3e5 entries by one thread, four in two latencies */
    predict("arrow:300000", "crs", SP_GPU_THREAD, 0, false, &m, &p, &n);
    ck_assert_str_eq(p.binding, "latency");
    near(p.roofline.time_s.value, 3e5 / 2 * 4e-7, 1e-3);
    sp_machine_free(&m);
}
END_TEST

/* An H200 and one operation with dense operands. */
static void predict_dense(const struct sp_csr *a, enum sp_gpu_map map, const char *format, int32_t r,
                          const struct sp_machine *m, struct sp_gpu_prediction *p, struct sp_layout *l)
{
    struct sp_error err;
    struct sp_gpu_launch g;
    struct sp_workload w = {.op = sp_gpu_map_op(map), .r = r, .matrix = a, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, format, &err), SP_OK);
    ck_assert_msg(sp_layout_make(&w, false, NULL, l, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_gpu_launch_make(l, map, 0, &g, &err) == SP_OK, "%s", err.what);
    ck_assert_msg(sp_gpu_predict(l, &g, m, sp_workload_flops(&w), false, NULL, p, &err) == SP_OK, "%s",
                  err.what);
}

static const struct {
    enum sp_gpu_map map;
    const char *format;
    int32_t r;
} dense_cases[] = {
    {SP_GPU_GROUP, "crs", 8},   {SP_GPU_SLOT, "sell:32,256", 8},    {SP_GPU_OUTPUT, "crs", 32},
    {SP_GPU_ROW, "crs", 32},    {SP_GPU_STAGE, "staged:16,32", 32}, {SP_GPU_SAMPLE, "crs", 32},
    {SP_GPU_EQUAL, "coo", 32},  {SP_GPU_TILE, "tiled:64,32", 32},   {SP_GPU_FUSED, "crs", 32},
    {SP_GPU_FUSED, "crs", 200}, {SP_GPU_SHARE, "crs", 32},          {SP_GPU_MMA, "bcsr:8x1", 32}};

/* Gathered operands that fit the L2 come from memory once, larger ones at least once and at most with each
 * gather; each level passes on no more than it is asked for. */
START_TEST(bytes_of_dense_operands)
{
    if (!share_has(_i, 0))
        return;
    struct sp_machine m;
    read_machine("h200-sxm-141gb", &m);
    for (int large = 0; large < 2; large++) {
        struct sp_csr a;
        struct sp_layout l;
        struct sp_gpu_prediction p;
        const struct sp_gpu_traffic *t = &p.traffic;
        m.cache[1].size_B = large ? 1 << 17 : 60 << 20;
        ck_assert_int_eq(sp_generate("random:5000:20", NULL, &a, NULL), SP_OK);
        predict_dense(&a, dense_cases[_i].map, dense_cases[_i].format, dense_cases[_i].r, &m, &p, &l);
        const bool staged = dense_cases[_i].map == SP_GPU_STAGE || dense_cases[_i].map == SP_GPU_TILE;
        const double gathers_B = sp_layout_gather_bytes(&l);
        ck_assert_double_le(t->x_once_B, t->x_B.lo * 1.001);
        ck_assert_double_le(t->x_B.hi, staged ? 2 * gathers_B : 2.01 * gathers_B);
        if (!large)
            near(t->x_B.hi, t->x_once_B, 0.03);
        else
            ck_assert_double_gt(t->x_B.lo, 1.5 * t->x_once_B);
        ck_assert_double_le(t->L2_load_B.hi, t->L1_load_B.value + t->L1_copy_B.value);
        ck_assert_double_ge(t->L2_load_B.lo, t->L1_copy_B.value); /* copies pass the L1 by */
        ck_assert_double_le(t->x_B.lo, t->L2_load_B.hi);
        sp_layout_free(&l);
        sp_csr_free(&a);
    }
    sp_machine_free(&m);
}
END_TEST

/* From the L2 without reuse in an L1: what the formula says for all arrays once [THEORY 4 to 6]. */
START_TEST(least_bytes_of_dense_operands)
{
    if (!share_has(_i, 1))
        return;
    struct sp_machine m;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_prediction p;
    read_machine("h200-sxm-141gb", &m);
    ck_assert_int_eq(sp_generate("laplace2d:150", NULL, &a, NULL), SP_OK);
    predict_dense(&a, dense_cases[_i].map, dense_cases[_i].format, dense_cases[_i].r, &m, &p, &l);
    const double all_B = p.traffic.memory_load_B.value + p.traffic.memory_store_B.value;
    near(all_B, sp_volume_layout(&l, p.traffic.x_once_B / sp_layout_gather_bytes(&l), 1).total_B, 0.05);
    sp_layout_free(&l);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* Rows of A without entries in S are not read where each row, or entry, asks for its own. */
START_TEST(rows_without_entries_are_not_read)
{
    static const struct {
        enum sp_gpu_map map;
        const char *format;
        int32_t r;
    } cases[] = {{SP_GPU_SAMPLE, "crs", 32}, {SP_GPU_EQUAL, "coo", 32}, {SP_GPU_FUSED, "crs", 200}};
    struct sp_machine m;
    struct sp_csr a;
    read_machine("h200-sxm-141gb", &m);
    ck_assert_int_eq(sp_generate("laplace2d:60", NULL, &a, NULL), SP_OK);
    for (int64_t i = 0; i <= a.n_r; i++) /* the first half of the rows is left */
        a.row_ptr[i] = a.row_ptr[i < a.n_r / 2 ? i : a.n_r / 2];
    a.n_nz = a.row_ptr[a.n_r];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_layout l;
        struct sp_gpu_prediction p;
        predict_dense(&a, cases[i].map, cases[i].format, cases[i].r, &m, &p, &l);
        const double all_B = p.traffic.memory_load_B.lo + p.traffic.memory_store_B.value,
                     alpha = p.traffic.x_B.lo / sp_layout_gather_bytes(&l);
        near(all_B, sp_volume_on_gpu(&l, alpha).total_B, 1e-6);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* Two block rows of 5 and 1 blocks of 8 x 8, f16, 20 columns: 40 and 8 stored columns in stages of 32, 8
 * rows, 2 warps of 16 columns; f32 in stages of 16, three times; the ceiling of each type. */
START_TEST(what_matrix_units_do)
{
    static const struct {
        enum sp_precision precision;
        double flop, peak;
    } cases[] = {{SP_F16, 2.0 * (64 + 32) * 8 * 32, 989.5e12},
                 {SP_BF16, 2.0 * (64 + 32) * 8 * 32, 989.5e12},
                 {SP_F32, 3 * 2.0 * (48 + 16) * 8 * 32, 494.5e12},
                 {SP_F64, 2.0 * (40 + 8) * 8 * 32, 67e12}};
    struct sp_machine m, old;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_prediction p;
    read_machine("h200-sxm-141gb", &m);
    read_machine("v100-pcie-16gb", &old);
    ck_assert_int_eq(sp_csr_alloc(16, 64, 6, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int k = 0; k < 6; k++)
        a.col[k] = k < 5 ? 8 * k : 9;
    for (int i = 0; i < 16; i++)
        a.row_ptr[i + 1] = i < 8 ? 5 : 6;
    struct sp_workload w = {
        .op = SP_OP_SPMM, .r = 20, .precision = cases[_i].precision, .matrix = &a, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, "bcsr:8x8", NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 240, false, NULL, &p, NULL), SP_OK);
    const struct sp_roof_term *peak = &p.term[SP_GPU_TERM_PEAK];
    ck_assert_str_eq(peak->name, "peak of matrix units");
    ck_assert_double_eq(peak->amount.value, cases[_i].flop);
    ck_assert_double_eq_tol(peak->rate.value, cases[_i].peak * (double)g.n_blocks / 132, 1);
    ck_assert_int_eq(sp_gpu_predict(&l, &g, &old, 240, false, NULL, &p, NULL), SP_OK);
    ck_assert(!sp_value_known(peak->rate));
    sp_layout_free(&l);
    sp_csr_free(&a);
    sp_machine_free(&m);
    sp_machine_free(&old);
}
END_TEST

/* Counted bytes of others (tests/data/gpu-bytes.csv, with its sources): each operand once is the least,
 * unless all fits the L2; cuSPARSE's SpMV stays within a sixth of it. Its SpMM, which adds to y, needs at
 * most a row of X for each entry and y twice. Written y may stay in the L2. */
START_TEST(bytes_that_others_counted)
{
    char line[256], kernel[8], name[64];
    FILE *f = fopen(SP_TEST_DATA "/gpu-bytes.csv", "r");
    struct sp_machine a30, rtx;
    int n = 0;
    ck_assert_ptr_nonnull(f);
    read_machine("a30-pcie-24gb", &a30);
    read_machine("rtx-3090-24gb", &rtx);
    while (fgets(line, sizeof line, f)) {
        double n_r, n_c, n_nz, r, counted_MB;
        if (*line == '#')
            continue;
        ck_assert_int_eq(sscanf(line, "%7[^,],%63[^,],%lf,%lf,%lf,%lf,%lf", kernel, name, &n_r, &n_c, &n_nz,
                                &r, &counted_MB),
                         7);
        const bool spmm = strcmp(kernel, "spmm") == 0;
        const struct sp_sizes sizes = sp_sizes_of(SP_F32, SP_I32, n_nz);
        const double once = fmin(1, n_c / n_nz), counted_B = 1e6 * counted_MB;
        const struct sp_volume least =
            sp_volume_spmmv(sp_volume_spmv_csr((int64_t)n_r, (int64_t)n_nz, sizes, once, 1), (int64_t)r);
        const struct sp_volume most =
            sp_volume_spmmv(sp_volume_spmv_csr((int64_t)n_r, (int64_t)n_nz, sizes, 1, 2), (int64_t)r);
        const double least_B = least.total_B - least.write_B;
        const double L2_B = (double)sp_machine_llc(spmm ? &rtx : &a30)->size_B;
        if (least.total_B > L2_B)
            ck_assert_msg(least_B <= counted_B, "%s: %g counted, %g once", name, counted_B, least_B);
        else
            ck_assert_double_le(least_B - L2_B, counted_B);
        if (spmm)
            ck_assert_msg(counted_B <= most.total_B, "%s: %g counted, %g at most", name, counted_B,
                          most.total_B);
        else
            ck_assert_msg(counted_B <= 7.0 / 6 * least.total_B, "%s: %g counted, %g once", name, counted_B,
                          least.total_B);
        n++;
    }
    ck_assert_int_eq(n, 19);
    fclose(f);
    sp_machine_free(&a30);
    sp_machine_free(&rtx);
}
END_TEST

/* What is added, and what hides. */
START_TEST(terms_of_time)
{
    const struct sp_value none = sp_value_none("unknown"), nothing = sp_value_of(0, SP_MODELLED);
    struct sp_roof_term term[SP_N_GPU_TERMS];
    for (int i = 0; i < SP_N_GPU_TERMS; i++)
        term[i] = (struct sp_roof_term){"a term", nothing, none};
    ck_assert_int_eq(sp_gpu_time_of(1, term).binding, -1);
    term[SP_GPU_TERM_LAUNCH] = (struct sp_roof_term){"launch overhead", sp_value_of(1, SP_MODELLED),
                                                     sp_value_of(1 / 3e-6, SP_STATED)};
    term[SP_GPU_TERM_MEMORY] =
        (struct sp_roof_term){"memory bandwidth", nothing, sp_value_of(1e12, SP_STATED)};
    struct sp_roofline r = sp_gpu_time_of(0, term); /* nothing to do costs a launch */
    near(r.time_s.value, 3e-6, 1e-12);
    ck_assert_int_eq(r.binding, SP_GPU_TERM_LAUNCH);
    term[SP_GPU_TERM_MEMORY].amount = sp_value_of(1e6, SP_MODELLED); /* launch + V/b */
    term[SP_GPU_TERM_L2] =
        (struct sp_roof_term){"L2 bandwidth", sp_value_of(2e6, SP_MODELLED), sp_value_of(4e12, SP_STATED)};
    r = sp_gpu_time_of(1e6, term);
    near(r.time_s.value, 4e-6, 1e-12);
    near(r.performance.value, 0.25e12, 1e-12);
    term[SP_GPU_TERM_MEMORY].amount = sp_value_of(1e9, SP_MODELLED); /* a large one is its bytes */
    r = sp_gpu_time_of(1e6, term);
    near(r.time_s.value, 1e-3, 0.01);
    ck_assert_int_eq(r.binding, SP_GPU_TERM_MEMORY);
}
END_TEST

/* Ten waves and a tenth of one: its bytes would take 1/10 of a wave, latency makes it 3/10. */
START_TEST(last_wave)
{
    const struct sp_value steady = sp_value_of(10.1, SP_MODELLED), waits = sp_value_of(3.03, SP_MODELLED);
    near(sp_gpu_last_wave(10.1, steady, waits).value, (3.03 - 0.1 * 10.1) / 10.1, 1e-9);
    ck_assert_double_eq(sp_gpu_last_wave(10.5, steady, waits).value, 0); /* half of the warps saturate it */
    ck_assert_double_eq(sp_gpu_last_wave(10, steady, waits).value, 0);
    ck_assert_double_eq(sp_gpu_last_wave(0.3, steady, waits).value, 0);
    ck_assert(!sp_value_known(sp_gpu_last_wave(10.1, steady, sp_value_none("unknown"))));
}
END_TEST

/* Sizes alone on a described A100: bytes at the share that SpMV reaches, a launch, the ramp; SELL's longest
 * row; CRS's rows and second launch. */
START_TEST(time_of_sizes)
{
    struct sp_machine m;
    read_machine("a100-sxm4-40gb", &m);
    const struct sp_gpu_limits *g = &m.gpu;
    struct sp_predict_inputs in = {.n_r = 4000000,
                                   .n_c = 4000000,
                                   .n_nz = 100000000,
                                   .format = SP_FORMAT_SELL,
                                   .C = 64,
                                   .beta = 0.9,
                                   .precision = SP_F64,
                                   .index = SP_I32,
                                   .row_ptr_B = 4,
                                   .alpha = sp_value_of(0.04, SP_MODELLED),
                                   .w = sp_value_of(1, SP_MODELLED),
                                   .machine = &m,
                                   .n_threads = 108,
                                   .n_domains = 1,
                                   .warm = true};
    struct sp_gpu_sizes sizes = {.n_r = in.n_r, .thread_rows = true};
    struct sp_prediction p = sp_predict(&in);
    struct sp_gpu_sizes_time t = sp_gpu_time_of_sizes(&m, &sizes, &p);
    const double ends_s = g->launch_s.value + 2 * g->latency_s.value;
    near(t.roofline.time_s.value, ends_s + p.volume_B.value / (1.4e12 * g->sell_share.value), 1e-12);
    near(t.waited_s.value, t.roofline.time_s.value + g->wait_s.value, 1e-12);
    ck_assert_str_eq(t.binding, "memory bandwidth");
    ck_assert_str_eq(sp_gpu_term_time(&t.term[SP_GPU_TERM_L1]).why, "it does not follow from sizes alone");
    sizes.longest = 100000;
    t = sp_gpu_time_of_sizes(&m, &sizes, &p);
    near(t.roofline.time_s.value, ends_s + 1e5 * g->step_s.value, 1e-12);
    ck_assert_str_eq(t.binding, "latency");
    in.format = SP_FORMAT_CRS;
    in.beta = 1;
    sizes.thread_rows = false;
    p = sp_predict(&in);
    t = sp_gpu_time_of_sizes(&m, &sizes, &p);
    near(t.roofline.time_s.value,
         ends_s + g->launch_s.value + 4e6 * g->row_s.value + p.volume_B.value / (1.4e12 * g->crs_share.value),
         1e-12);
    in.n_r = in.n_c = 100000; /* in the L2: at its bandwidth, and steps wait for it alone */
    in.n_nz = 1000000;
    in.format = SP_FORMAT_SELL;
    in.beta = 0.9;
    sizes = (struct sp_gpu_sizes){.n_r = in.n_r, .longest = 1000, .thread_rows = true};
    p = sp_predict(&in);
    t = sp_gpu_time_of_sizes(&m, &sizes, &p);
    const double part = g->L2_latency_s.value / g->latency_s.value;
    near(t.roofline.time_s.value,
         g->launch_s.value + 2 * g->L2_latency_s.value + 1000 * part * g->step_s.value, 1e-12);
    ck_assert(sp_value_known(t.term[SP_GPU_TERM_L2].rate) &&
              !sp_value_known(t.term[SP_GPU_TERM_MEMORY].rate));
    m.gpu.launch_s = m.gpu.wait_s = sp_value_none("not described");
    ck_assert(!sp_value_known(sp_gpu_time_of_sizes(&m, &sizes, &p).waited_s));
    sp_machine_free(&m);
}
END_TEST

START_TEST(a_matrix_without_entries)
{
    struct sp_machine m;
    struct sp_csr a;
    const struct hand_shape shape = {70, 50, 0, 1, -1, 0, 1};
    read_machine("v100-pcie-16gb", &m);
    hand_matrix(&shape, &a);
    for (int map = 0; map < SP_N_GPU_MAPS; map++) {
        struct sp_layout l;
        struct sp_gpu_launch g;
        struct sp_gpu_prediction p;
        if (sp_gpu_map_op(map) != SP_OP_SPMV || map == SP_GPU_BINS) /* for long rows alone */
            continue;
        hand_layout(&a, sp_gpu_map_format(map), 32, 32, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
        ck_assert_int_eq(sp_gpu_launch_make(&l, map, 0, &g, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 0, false, NULL, &p, NULL), SP_OK);
        ck_assert_double_eq(p.traffic.x_B.hi, 0);
        ck_assert_double_eq(p.traffic.memory_store_B.value, 70 * 8);
        ck_assert(p.traffic.L1_store_B.value >= 70 * 8);
        hand_free(&l);
    }
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* What shares carry is written and read again, and sectors of y that it is added to are, too: by a second
 * grid that finds nothing of it in a small L2, and all in a large one. With 16-bit storage it is twice as many
 * sums in 4 bytes, of shares that are twice as long, and nothing is added. */
START_TEST(what_shares_carry)
{
    const bool is_half = _i == 1;
    struct sp_machine m;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_prediction p;
    const struct sp_gpu_traffic *t = &p.traffic;
    read_machine("h200-sxm-141gb", &m);
    ck_assert_int_eq(sp_generate("random:2000:8", NULL, &a, NULL), SP_OK);
    struct sp_workload w = {.matrix = &a,
                            .op = SP_OP_SPMM,
                            .precision = is_half ? SP_F16 : SP_F64,
                            .r = 32,
                            .C = 1,
                            .sigma = 1,
                            .n_threads = 1};
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_SHARE, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_shares(&l, &g), sp_gpu_ratio_up(l.n_r + l.n_nz, is_half ? 128 : 64));
    ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 1, true, NULL, &p, NULL), SP_OK);
    ck_assert(t->memory_load_B.hi == 0 && t->memory_store_B.hi == 0);
    m.cache[1].size_B = 16 << 10;
    ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 1, true, NULL, &p, NULL), SP_OK);
    const double n_shares = (double)sp_gpu_shares(&l, &g), y_B = 2000.0 * 32 * (double)l.s_y;
    const double carry_B = n_shares * 32 * 8; /* two floats or a double */
    const double adds_B = 32 * (double)t->sectors.of[SP_GPU_Y][SP_GPU_ATOMIC].sectors;
    ck_assert(is_half ? adds_B == 0 : adds_B > 0.5 * carry_B && adds_B < y_B);
    ck_assert_double_eq_tol(t->memory_store_B.value, y_B + carry_B + adds_B, 1);
    ck_assert_double_eq_tol(t->memory_load_B.value - t->x_B.value,
                            sp_layout_matrix_bytes(&l) + 8 * (n_shares + 1) + carry_B + adds_B, 1);
    sp_layout_free(&l);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

/* 16-bit storage: 156 shares before the last one have a part of the first row, of which 32 sums come in one
 * latency, then 8. */
START_TEST(long_rows_are_waited_for)
{
    struct sp_machine m;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    double ramp[2];
    read_machine("h200-sxm-141gb", &m);
    ck_assert_int_eq(sp_generate("arrow:20000", NULL, &a, NULL), SP_OK);
    for (int i = 0; i < 2; i++) {
        struct sp_gpu_prediction p;
        struct sp_workload w = {.matrix = &a,
                                .op = SP_OP_SPMM,
                                .precision = i ? SP_F16 : SP_F32,
                                .r = 16,
                                .C = 1,
                                .sigma = 1,
                                .n_threads = 1};
        ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_SHARE, 0, &g, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_predict(&l, &g, &m, 1, true, NULL, &p, NULL), SP_OK);
        ramp[i] = p.term[SP_GPU_TERM_RAMP].amount.hi;
        ck_assert_int_eq(p.traffic.sectors.most_carried, i ? 1 + 20000 / g.items : 8);
        sp_layout_free(&l);
    }
    ck_assert_double_eq_tol(ramp[1] - ramp[0], 156 / 32 + (156 % 32 + 7) / 8 - 1, 1e-9);
    sp_csr_free(&a);
    sp_machine_free(&m);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 2, 6);
    Suite *s = suite_create("gpu_model");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, bytes_of_dense_operands, 0, sizeof dense_cases / sizeof *dense_cases);
    tcase_add_loop_test(tc, least_bytes_of_dense_operands, 0, sizeof dense_cases / sizeof *dense_cases);
    if (share_is_rest()) {
        tcase_add_test(tc, figures_of_a_random_matrix);
    } else {
        tcase_add_test(tc, blocks_that_fit_an_sm);
        tcase_add_loop_test(tc, what_matrix_units_do, 0, 4);
        tcase_add_test(tc, rows_without_entries_are_not_read);
        tcase_add_test(tc, bytes_that_others_counted);
        tcase_add_test(tc, terms_of_time);
        tcase_add_test(tc, last_wave);
        tcase_add_test(tc, time_of_sizes);
        tcase_add_test(tc, a_matrix_without_entries);
        tcase_add_loop_test(tc, what_shares_carry, 0, 2);
        tcase_add_test(tc, long_rows_are_waited_for);
        tcase_add_test(tc, sectors_as_they_are_counted);
        tcase_add_test(tc, figures_of_a_stencil);
        tcase_add_test(tc, what_the_L2_keeps);
        tcase_add_test(tc, a_window_over_x);
    }
    suite_add_tcase(s, tc);
    return run_suite(s);
}
