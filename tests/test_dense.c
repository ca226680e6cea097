/* Traffic of operations with dense operands against the formulas where both are exact, and
 * alpha_min against an infinite cache. */
#include <check.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/cache/alpha.h"
#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "one_cache.h"
#include "run_suite.h"
#include "sparse/csr/real.h"
#include "sparse/generate/generate.h"

static const struct {
    enum sp_op op;
    const char *format;
    enum sp_order order;
} cases[] = {
    {SP_OP_SPMMV, "crs", SP_ROW_MAJOR},          {SP_OP_SPMMV, "crs", SP_COLUMN_MAJOR},
    {SP_OP_SPMMV, "sell:8,32", SP_ROW_MAJOR},    {SP_OP_SPMMV, "sell:4,1", SP_COLUMN_MAJOR},
    {SP_OP_SPMM, "crs", SP_ROW_MAJOR},           {SP_OP_SDDMM, "crs", SP_ROW_MAJOR},
    {SP_OP_FUSEDMM, "crs", SP_ROW_MAJOR},        {SP_OP_SDDMM, "coo", SP_ROW_MAJOR},
    {SP_OP_SDDMM, "tiled:64,512", SP_ROW_MAJOR}, {SP_OP_SDDMM, "tiled:7,16", SP_ROW_MAJOR},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static struct sp_layout layout_of(const struct sp_csr *a, int which, int32_t r, enum sp_precision precision,
                                  int n_threads)
{
    struct sp_workload w = {.op = cases[which].op,
                            .order = cases[which].order,
                            .r = r,
                            .row_ptr_B = r % 2 ? 8 : 0,
                            .precision = precision,
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = n_threads,
                            .matrix = a};
    struct sp_layout l;
    ck_assert_int_eq(sp_workload_set_format(&w, cases[which].format, NULL), SP_OK);
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    return l;
}

static struct sp_traffic simulate(const struct sp_layout *l, int64_t cache_B, bool nt)
{
    struct sp_machine m = machine_with(cache_B);
    struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic v[SP_MAX_LEVELS];
    int n_levels;
    o.state = SP_SIM_COLD;
    o.store_nt = nt;
    ck_assert_int_eq(sp_sim_traffic(l, &o, v, &n_levels, NULL, NULL), SP_OK);
    return v[0];
}

static void near(double simulated, double formula, double tolerance, const char *what, int which, int r)
{
    if (fabs(simulated - formula) > tolerance * formula)
        ck_abort_msg("%s %s r = %d: %s: %.0f B simulated, %.0f B by formula", sp_op_name(cases[which].op),
                     cases[which].format, r, what, simulated, formula);
}

/* Everything fits, cold: each array once, x by alpha_min, the result by w. */
START_TEST(huge_cold_cache_gives_the_formula)
{
    static const int32_t widths[] = {1, 3, 8, 16, 40, 130, 300};
    const struct hand_shape shape = {3000, 2500, 9, 0.1, 77, 0, 11};
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int precision = SP_F64; precision <= SP_F32; precision++)
            for (int nt = 0; nt < 2; nt++) {
                /* Streams of stores that pass the cache are told apart where rows of y follow each
                 * other. */
                if (nt && (cases[_i].order == SP_COLUMN_MAJOR || strcmp(cases[_i].format, "crs") != 0))
                    continue;
                /* Narrow rows share lines with rows that are not used: the formula counts
                 * elements. */
                const int row_B = widths[k] * (precision == SP_F32 ? 4 : 8);
                const bool lines = row_B >= 64, whole = row_B % 64 == 0;
                double tolerance = lines ? 0.01 : 0.03;
                struct sp_layout l = layout_of(&a, _i, widths[k], precision, 1);
                struct sp_alpha_min least;
                ck_assert_int_eq(sp_alpha_min_layout(&l, 1, NULL, 64, 0, NULL, &least, NULL), SP_OK);
                struct sp_volume v = sp_volume_layout(&l, least.alpha, nt ? 1 : 2);
                struct sp_traffic t = simulate(&l, INT64_C(1) << 30, nt);
                near(t.read_B.value + t.write_B.value, v.total_B, tolerance, "V", _i, widths[k]);
                near(t.array_read_B[SP_ARRAY_X], v.array_B[SP_ARRAY_X], 1e-9, "x", _i, widths[k]);
                /* A tenth of them is empty; half a line of 160 B rows is read with such a neighbour. */
                near(t.array_read_B[SP_ARRAY_ROWS], v.array_B[SP_ARRAY_ROWS],
                     whole   ? 1e-9
                     : lines ? 0.03
                             : 0.15,
                     "rows", _i, widths[k]);
                near(t.write_B.value, v.write_B, 0.01, "V_write", _i, widths[k]);
                sp_layout_free(&l);
            }
    sp_csr_free(&a);
}
END_TEST

/* A permutation matrix and a cache of a few lines: nothing is used twice, alpha = 1 where rows are
 * lines. */
START_TEST(no_reuse_gives_the_formula)
{
    enum { N = 4096 };
    static int64_t ptr[N + 1];
    static int32_t col[N];
    for (int i = 0; i <= N; i++)
        ptr[i] = i;
    for (int i = 0; i < N; i++)
        col[i] = (int32_t)(i * INT64_C(1021) % N);
    struct sp_csr a = {.n_r = N, .n_c = N, .n_nz = N, .row_ptr = ptr, .col = col};
    static const int32_t widths[] = {16, 64, 256};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        if (cases[_i].order == SP_COLUMN_MAJOR)
            continue; /* its rows are not lines */
        struct sp_layout l = layout_of(&a, _i, widths[k], SP_F32, 1);
        struct sp_traffic t = simulate(&l, 64 << 10, false);
        double V = sp_volume_layout(&l, 1, 2).total_B;
        if (l.op == SP_OP_FUSEDMM) /* a block of rows is walked twice */
            V += sp_layout_array_bytes(&l, SP_ARRAY_POINTERS) + sp_layout_array_bytes(&l, SP_ARRAY_INDICES);
        near(t.read_B.value + t.write_B.value, V, 0.01, "V", _i, widths[k]);
        near(sp_traffic_alpha(&l, &t), 1, 1e-9, "alpha", _i, widths[k]);
        sp_layout_free(&l);
    }
}
END_TEST

/* alpha_min counts what each domain's infinite cache loads. */
START_TEST(alpha_min_is_what_domains_load)
{
    const struct hand_shape shape = {900, 700, 6, 0.2, -1, 0, 5};
    static const int domain[3] = {0, 1, 0};
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (int32_t r = 1; r <= 48; r += 47) {
        struct sp_layout l = layout_of(&a, _i, r, SP_F64, 3);
        struct sp_machine m = machine_with(INT64_C(1) << 28);
        struct sp_sim_options o = sp_sim_default(&m);
        struct sp_traffic v[SP_MAX_LEVELS];
        struct sp_alpha_min least;
        int n_levels;
        o.state = SP_SIM_COLD;
        o.n_domain = 2;
        o.domain_of_thread = domain;
        ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n_levels, NULL, NULL), SP_OK);
        ck_assert_int_eq(sp_alpha_min_layout(&l, 2, domain, 64, 0, NULL, &least, NULL), SP_OK);
        near(sp_traffic_alpha(&l, &v[0]), least.alpha, 1e-9, "alpha", _i, r);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

/* With an event for every reference there are as many as the definition counts. */
static void count_references(const struct sp_layout *l, bool nt, int which)
{
    struct sp_trace_options o = {.every = true, .turn_steps = 50, .store_nt = nt};
    struct sp_trace t;
    struct sp_trace_piece piece;
    int64_t events = 0;
    ck_assert_int_eq(sp_trace_open(l, &o, &t, NULL), SP_OK);
    sp_trace_rewind(&t, 0);
    while (sp_trace_next(&t, &piece))
        events += piece.n_events;
    if (nt) /* these are no events */
        events += l->n_r * l->r;
    if (events != t.n_references)
        ck_abort_msg("%s %s r = %d: %lld events, %lld references", sp_op_name(cases[which].op),
                     cases[which].format, (int)l->r, (long long)events, (long long)t.n_references);
    sp_trace_close(&t);
}

START_TEST(every_reference_is_counted)
{
    const struct hand_shape shape = {150, 130, 9, 0.1, 77, 0, 11};
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (int32_t r = 1; r < 400; r += 131)
        for (int n = 1; n <= 3; n += 2) {
            struct sp_layout l = layout_of(&a, _i, r, SP_F32, n);
            count_references(&l, false, _i);
            sp_layout_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

/* FusedMM that is dense and large enough for panels, with stores through the caches (0) and past
 * them (1). */
START_TEST(panels_give_the_formula)
{
    enum { FUSED = 6, R = 320 };
    const struct hand_shape shape = {150, 400, 200, 0.1, 77, 0, 11};
    const bool nt = _i;
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (int n = 1; n <= 3; n += 2) {
        struct sp_layout l = layout_of(&a, FUSED, R, SP_F64, n);
        struct sp_alpha_min least;
        ck_assert(l.op == SP_OP_FUSEDMM && sp_layout_fused_panel(&l) < l.n_c);
        count_references(&l, nt, FUSED);
        if (n == 1) {
            ck_assert_int_eq(sp_alpha_min_layout(&l, 1, NULL, 64, 0, NULL, &least, NULL), SP_OK);
            struct sp_volume v = sp_volume_layout(&l, least.alpha, nt ? 1 : 2);
            struct sp_traffic t = simulate(&l, INT64_C(1) << 30, nt);
            near(t.read_B.value + t.write_B.value, v.total_B, 0.01, "V", FUSED, R);
            near(t.array_read_B[SP_ARRAY_X], v.array_B[SP_ARRAY_X], 1e-9, "x", FUSED, R);
            near(t.write_B.value, v.write_B, 1e-9, "V_write", FUSED, R);
        }
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

/* Matrices with nothing in them, and shapes that the formulas divide by. */
START_TEST(degenerate_shapes)
{
    static int64_t empty[6] = {0}, one[2] = {0, 1};
    static int32_t col[1] = {0};
    const struct sp_csr shapes[] = {
        {.n_r = 5, .n_c = 3, .row_ptr = empty},
        {.n_r = 1, .n_c = 1, .n_nz = 1, .row_ptr = one, .col = col},
        {.n_r = 1, .n_c = 9, .n_nz = 1, .row_ptr = one, .col = col},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct sp_layout l = layout_of(&shapes[k], _i, 5, SP_F64, 3);
        struct sp_traffic t = simulate(&l, 1 << 20, false);
        ck_assert(isfinite(t.read_B.value) && isfinite(t.write_B.value));
        sp_layout_free(&l);
    }
}
END_TEST

/* 16-bit numbers: exact values, rounding to nearest even, subnormals, overflow. */
START_TEST(half_precision_rounds_to_nearest_even)
{
    ck_assert_uint_eq(sp_f16_of(1.0f), 0x3c00);
    ck_assert_uint_eq(sp_f16_of(-2.0f), 0xc000);
    ck_assert_uint_eq(sp_f16_of(65504.0f), 0x7bff);
    ck_assert_uint_eq(sp_f16_of(65520.0f), 0x7c00);            /* half way to 2^16 rounds to infinity */
    ck_assert_uint_eq(sp_f16_of(1.0f + 0x1p-11f), 0x3c00);     /* tie, to even */
    ck_assert_uint_eq(sp_f16_of(1.0f + 3 * 0x1p-11f), 0x3c02); /* tie, to even */
    ck_assert_uint_eq(sp_f16_of(0x1p-24f), 1);
    ck_assert_uint_eq(sp_f16_of(0x1p-25f), 0);
    ck_assert_uint_eq(sp_f16_of(0x1.8p-25f), 1);
    ck_assert_uint_eq(sp_bf16_of(1.0f), 0x3f80);
    ck_assert_uint_eq(sp_bf16_of(1.0f + 0x1p-8f), 0x3f80);
    ck_assert_uint_eq(sp_bf16_of(1.0f + 3 * 0x1p-8f), 0x3f82);
    ck_assert(isnan(sp_f16_to(sp_f16_of(NAN))) && isnan(sp_bf16_to(sp_bf16_of(NAN))));
    for (uint32_t h = 0; h < 0x10000; h++) {
        if ((h & 0x7fff) <= 0x7c00)
            ck_assert_uint_eq(sp_f16_of(sp_f16_to((uint16_t)h)), h);
        if ((h & 0x7fff) <= 0x7f80)
            ck_assert_uint_eq(sp_bf16_of(sp_bf16_to((uint16_t)h)), h);
    }
}
END_TEST

/* Every kind of walk: several processors count what one does. */
static const struct {
    enum sp_op op;
    const char *format;
} walks[] = {
    {SP_OP_SPMV, "crs"},           {SP_OP_SPMV, "sell:8,32"},     {SP_OP_SPMV, "sellu:8,1"},
    {SP_OP_SPMV, "bcsr:2x2"},      {SP_OP_SPMV, "half"},          {SP_OP_SPMV, "striped:4096"},
    {SP_OP_SPMMV, "sell:8,32"},    {SP_OP_SPMM, "crs"},           {SP_OP_SPMM, "bcsr:2x2"},
    {SP_OP_SPMM, "staged:64,32"},  {SP_OP_SDDMM, "crs"},          {SP_OP_SDDMM, "coo"},
    {SP_OP_SDDMM, "tiled:64,512"}, {SP_OP_SDDMM, "staged:64,32"}, {SP_OP_FUSEDMM, "crs"},
};
enum { N_WALKS = sizeof walks / sizeof *walks };

START_TEST(processors_together_count_as_one)
{
    static const int64_t size_B[] = {4 << 10, 16 << 10, 128 << 10};
    enum { N_THREADS = 5 };
    struct sp_csr a;
    struct sp_layout l;
    struct sp_machine m = {.n_caches = 3};
    struct sp_traffic v[2][SP_MAX_LEVELS];
    const int before = omp_get_max_threads();
    for (int k = 0; k < m.n_caches; k++)
        m.cache[k] = (struct sp_cache){.level = k + 1,
                                       .size_B = size_B[k],
                                       .effective_B = sp_value_none("not measured"),
                                       .line_B = 64,
                                       .ways = 8,
                                       .cores_sharing = k < 2 ? 1 : N_THREADS,
                                       .victim = k == 2 && _i % 2,
                                       .policy = SP_LRU};
    ck_assert_int_eq(sp_generate("laplace2d:180", NULL, &a, NULL), SP_OK);
    struct sp_workload w = {.op = walks[_i].op,
                            .r = walks[_i].op == SP_OP_SPMV ? 1 : 4,
                            .precision = SP_F64,
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = N_THREADS,
                            .matrix = &a};
    ck_assert_int_eq(sp_workload_set_format(&w, walks[_i].format, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    for (int together = 0; together < 2; together++) {
        const struct sp_sim_options o = sp_sim_default(&m);
        struct sp_sim_facts facts;
        int n_levels;
        memset(v[together], 0, sizeof v[together]);
        omp_set_num_threads(together ? 3 : 1);
        ck_assert_int_eq(sp_sim_traffic(&l, &o, v[together], &n_levels, &facts, NULL), SP_OK);
        ck_assert_int_gt(facts.n_references, 300000);
    }
    omp_set_num_threads(before);
    for (int k = 0; k < m.n_caches; k++)
        for (int array = 0; array < SP_N_ARRAYS; array++)
            ck_assert_msg(v[0][k].array_read_B[array] == v[1][k].array_read_B[array] &&
                              v[0][k].array_write_B[array] == v[1][k].array_write_B[array],
                          "%s %s, level %d, %s: %.0f and %.0f B read by one and three processors",
                          sp_op_name(walks[_i].op), walks[_i].format, k + 1,
                          sp_array_name((enum sp_array)array), v[0][k].array_read_B[array],
                          v[1][k].array_read_B[array]);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dense");
    TCase *tcase = tcase_create("dense");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, huge_cold_cache_gives_the_formula, 0, N_CASES);
    tcase_add_loop_test(tcase, no_reuse_gives_the_formula, 0, N_CASES);
    tcase_add_loop_test(tcase, alpha_min_is_what_domains_load, 0, N_CASES);
    tcase_add_loop_test(tcase, every_reference_is_counted, 0, N_CASES);
    tcase_add_loop_test(tcase, processors_together_count_as_one, 0, N_WALKS);
    tcase_add_loop_test(tcase, panels_give_the_formula, 0, 2);
    tcase_add_loop_test(tcase, degenerate_shapes, 0, N_CASES);
    tcase_add_test(tcase, half_precision_rounds_to_nearest_even);
    return run_suite(suite);
}
