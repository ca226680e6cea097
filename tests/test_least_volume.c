/* V(alpha_min), each array once, is the least that an execution from empty caches can move: every
 * format over many matrices, caches, threads and domains. The simulation counts whole lines and the
 * formula elements, so nothing but rounding of doubles may lie between them where the formula is
 * larger (STAGED: the length of its buffers). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "model/cache/alpha.h"
#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "one_cache.h"
#include "run_suite.h"
#include "share.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/layout.h"
#include "sparse/generate/generate.h"
#include "tried_formats.h"

static const double TOLERANCE = 1e-12;

/* Beside these each other pair of operation and format that the table has. */
static struct {
    enum sp_op op;
    const char *format;
    int32_t r;
} kinds[128] = {
    {SP_OP_SPMV, "crs", 1},        {SP_OP_SPMV, "sell:8,1", 1},      {SP_OP_SPMV, "sell:32,256", 1},
    {SP_OP_SPMV, "sellu:8,64", 1}, {SP_OP_SPMV, "bcsr:4x4", 1},      {SP_OP_SPMV, "bcsr:2x3", 1},
    {SP_OP_SPMV, "half", 1},       {SP_OP_SPMV, "striped:64", 1},    {SP_OP_SPMV, "striped:1024", 1},
    {SP_OP_SPMMV, "crs", 4},       {SP_OP_SPMMV, "sell:8,64", 8},    {SP_OP_SPMM, "crs", 24},
    {SP_OP_SPMM, "bcsr:4x4", 16},  {SP_OP_SPMM, "staged:64,16", 24}, {SP_OP_SDDMM, "crs", 16},
    {SP_OP_SDDMM, "coo", 16},      {SP_OP_SDDMM, "tiled:64,16", 24}, {SP_OP_SDDMM, "staged:64,16", 24},
    {SP_OP_FUSEDMM, "crs", 16},
};
enum { MOST_KINDS = sizeof kinds / sizeof *kinds };
static int n_kinds;

static bool has(enum sp_op op, const struct sp_format_kind *kind)
{
    for (int i = 0; i < n_kinds; i++)
        if (kinds[i].op == op && is_of_format(kinds[i].format, kind))
            return true;
    return false;
}

static void add(enum sp_op op, const struct sp_format_kind *kind, const char *typed)
{
    (void)kind;
    if (n_kinds < MOST_KINDS) {
        kinds[n_kinds].op = op, kinds[n_kinds].format = typed;
        kinds[n_kinds++].r = op == SP_OP_SPMV ? 1 : 16;
    }
}

static const char *const generated[] = {
    "laplace2d:40",     "laplace3d:9",       "laplace3d:9+permuted:3",
    "hpcg:7",           "random:900:8",      "random:4000:4",
    "random:20000:9:4", "powerlaw:9:5",      "laplace2d:110+permuted:3",
    "laplace2d:110",    "random:300x5000:3",
};
enum { N_GENERATED = sizeof generated / sizeof *generated, N_MATRICES = N_GENERATED + N_SMALL_MATRICES };

static bool is_mirrored(const char *typed)
{
    for (int i = 0; i < sp_n_formats; i++)
        if (is_of_format(typed, sp_format_kinds[i]))
            return sp_format_kinds[i]->mirrored;
    return false;
}

static struct sp_csr matrix(int i, bool symmetric)
{
    struct sp_csr a;
    if (i < N_GENERATED)
        ck_assert_int_eq(sp_generate(generated[i], NULL, &a, NULL), SP_OK);
    else
        a = symmetric ? small_symmetric((enum small_matrix)(i - N_GENERATED), 1)
                      : small_matrix((enum small_matrix)(i - N_GENERATED));
    return a;
}

static void check(int kind, int which, const struct sp_layout *l, int64_t cache_B, int n_domains)
{
    int domain[8];
    for (int t = 0; t < l->partition.n_threads; t++)
        domain[t] = t % n_domains;
    const struct sp_machine m = machine_with(cache_B);
    struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic v[SP_MAX_LEVELS];
    struct sp_alpha_min least;
    int n;
    o.state = SP_SIM_COLD;
    o.n_domain = n_domains;
    o.domain_of_thread = domain;
    ck_assert_int_eq(sp_sim_traffic(l, &o, v, &n, NULL, NULL), SP_OK);
    ck_assert_int_eq(sp_alpha_min_layout(l, n_domains, domain, 64, 0, NULL, &least, NULL), SP_OK);
    /* The buffers of other threads than the one with the longest list may be shorter than the
     * formula's. */
    const double n_others = l->format == SP_FORMAT_STAGED ? l->partition.n_threads - 1 : 0;
    const double shorter_B = 2 * sp_layout_array_bytes(l, SP_ARRAY_OTHER) * n_others / l->partition.n_threads;
    const double simulated_B = v[0].read_B.value + v[0].write_B.value,
                 least_B = sp_volume_layout(l, least.alpha, 2).total_B;
    ck_assert_msg(
        simulated_B >= (least_B - shorter_B) * (1 - TOLERANCE),
        "%s %s, matrix %d, %d threads in %d domains, %lld B of cache: %.0f B simulated, at least %.0f",
        sp_op_name(l->op), kinds[kind].format, which, l->partition.n_threads, n_domains, (long long)cache_B,
        simulated_B, least_B);
}

static void check_matrix(int kind, int which)
{
    struct sp_csr a = matrix(which, is_mirrored(kinds[kind].format));
    for (int n = 1; n <= 5; n += 2) {
        struct sp_layout l;
        struct sp_workload w = {.op = kinds[kind].op,
                                .precision = sp_csr_is_complex(&a) ? SP_C128 : SP_F64,
                                .schedule = SP_SCHEDULE_NNZ,
                                .n_threads = n,
                                .r = kinds[kind].r,
                                .matrix = &a};
        ck_assert_int_eq(sp_workload_set_format(&w, kinds[kind].format, NULL), SP_OK);
        if (a.n_nz == 0 || sp_workload_check(&w, NULL) != SP_OK ||
            sp_layout_make(&w, false, NULL, &l, NULL) != SP_OK)
            continue; /* no format of this matrix */
        for (int domains = 1; domains <= n && domains <= 2; domains++) {
            check(kind, which, &l, INT64_C(8) << 10, domains);
            check(kind, which, &l, INT64_C(192) << 10, domains);
            check(kind, which, &l, INT64_C(256) << 20, domains);
        }
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}

START_TEST(cold_executions_move_no_less)
{
    for (int i = 0; i < N_MATRICES; i++)
        if (share_has(i, _i))
            check_matrix(_i, i);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 3, 9);
    while (n_kinds < MOST_KINDS && kinds[n_kinds].format)
        n_kinds++;
    add_formats(has, add);
    Suite *suite = suite_create("least_volume");
    TCase *tc = tcase_create("least_volume");
    tcase_add_loop_test(tc, cold_executions_move_no_less, 0, n_kinds);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
