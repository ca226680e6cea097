/* Rows of the tables of docs/validation.md, which bench/validate.sh puts together, and values for
 * tests/published.txt: validation published | differs | plain | sampled MATRIX... | cachegrind PROGRAM
 * MATRIX... The first four give the same on every machine. Exit code 1: a row does not hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/testset.h"
#include "beside_cachegrind.h"
#include "io/matrix/matrix_load.h"
#include "model/cache/alpha.h"
#include "model/cache/reuse.h"
#include "model/volume/volume.h"
#include "plain_cache.h"
#include "sparse/generate/generate.h"
#include "volume_cases.h"

static const struct sp_sizes f64 = {8, 8, 8, 4, 4, 0}, f32 = {4, 4, 4, 4, 4, 0};

static int fail(const char *what)
{
    fprintf(stderr, "validation: %s\n", what);
    return 2;
}

/* ---- published numbers that no command prints: values by the names that tests/published.txt has for them
 * ---- */

static void value(const char *id, double computed)
{
    printf("%s %.10g\n", id, computed);
}

/* n_r = n_c = 8192, r = 128, 30 % dense, f32, pattern without values. */
static void values_of_sddmm(void)
{
    const int64_t n = 8192, n_nz = (int64_t)(0.3 * 8192 * 8192);
    const struct sp_dense_case c = sp_dense_case_of(n, n, n_nz, 128);
    const struct sp_volume once = sp_volume_sddmm(c, f32, false, 1);
    const double flops = 2.0 * 128 * (double)n_nz;
    value("uncached", flops / sp_sddmm_uncached_B(c, f32, false));
    value("uncached_store", flops / sp_sddmm_uncached_B(c, f32, true));
    value("once", flops / once.read_B);
    value("once_store", flops / once.total_B);
    value("threads_1024", sp_sddmm_threads_per_row(1024, 4096));
    value("threads_3072", sp_sddmm_threads_per_row(3072, 4096));
    value("testset", TESTSET_N);
}

static int published(void)
{
    const double b_S = 1555, peak = 19500; /* A100, f32 [GB/s, Gflop/s] */
    value("crs_limit", sp_balance_crs(f64, 2, INFINITY, 0, 2));
    value("spmmv_limit", sp_balance_spmmv_crs(f64, 2, 7.08, INFINITY, 1 / 7.08, 2));
    value("alpha_max", sp_alpha_max(1, 8, 64));
    value("spmm_one", b_S * sp_spmm_baseline_intensity(1, f32));
    value("spmm_long", b_S * sp_spmm_baseline_intensity(INFINITY, f32));
    value("spmm_peak", 100 * b_S * sp_spmm_baseline_intensity(INFINITY, f32) / peak);
    values_of_sddmm();
    return 0;
}

/* ---- printed formulas that are not followed ---- */

static void differs_row(const char *source, const char *what, double printed, double ours, const char *why)
{
    printf("| %s %s | %.4g | %.4g | %s |\n", source, what, printed, ours, why);
}

static int differs(void)
{
    const double n_nzr = 7.08, beta = 0.8, alpha = 0.4, n_nz = 1e6;
    const int32_t C = 32;
    const struct sp_dense_case c = sp_dense_case_of(4096, 4096, (int64_t)n_nz, 128);
    const double A = 4096.0 * 128;
    differs_row("[L]", "SELL, β = 0.8, C = 32, α = 0.4, n_nzr = 7.08, GPU, B/flop",
                6 / beta + 4 * beta * alpha + beta * (4 + 2.0 / C) / n_nzr,
                sp_balance_sell(f64, 2, n_nzr, C, beta, false, false, alpha, 1),
                "1/β stands before the first term only; it belongs before the sum");
    differs_row("[D]", "SDDMM, columns re-indexed, reads an entry without A, r = 128, T_k = 32",
                (sp_sddmm_reads_reindexed_printed(c, 32) - A) / n_nz,
                (sp_sddmm_reads_reindexed(c, 32) - A) / n_nz,
                "a factor of 3 in 3r/T_k, used for the other algorithm, is dropped");
    differs_row("[D]", "SDDMM, COO, reads an entry, r = 128", sp_sddmm_reads_coo_printed(c) / n_nz,
                sp_sddmm_reads_coo(c) / n_nz, "the value of S is left out");
    differs_row("[D]", "density from which tiles pay, T_i = 64, T_k = 32, r = 128",
                sp_sddmm_threshold_printed(64, 128), sp_sddmm_threshold(64, 32, 128, 65536),
                "1/(T_i r) does not follow from its own counts");
    return 0;
}

/* ---- the simulation beside the plain model ---- */

enum { MOST_LEVELS = 3, N_PLAIN_KINDS = 6 };
struct plain_kind {
    const char *words;
    int n;
    struct {
        int lines, ways, sharing;
    } level[MOST_LEVELS];
    bool victim, inclusive;
};
static const struct plain_kind plain_kinds[N_PLAIN_KINDS] = {
    {"one level, fully associative, 7 lines", 1, {{7, 0, 3}}, false, false},
    {"one level, fully associative, 60 lines", 1, {{60, 0, 3}}, false, false},
    {"one level, 12 ways, 384 lines", 1, {{384, 12, 3}}, false, false},
    {"three levels, set-associative, L2 shared by two",
     3,
     {{32, 8, 1}, {128, 8, 2}, {512, 16, 3}},
     false,
     false},
    {"the same, last level a victim cache", 3, {{32, 8, 1}, {128, 8, 1}, {512, 16, 3}}, true, false},
    {"the same, outer levels inclusive", 3, {{32, 8, 1}, {128, 8, 1}, {512, 16, 3}}, false, true},
};

static struct sp_machine machine_of(const struct plain_kind *kind)
{
    struct sp_machine m = {.n_caches = kind->n};
    for (int k = 0; k < kind->n; k++)
        m.cache[k] = (struct sp_cache){.level = k + 1,
                                       .size_B = kind->level[k].lines * 64,
                                       .effective_B = sp_value_none("described"),
                                       .line_B = 64,
                                       .ways = kind->level[k].ways,
                                       .cores_sharing = kind->level[k].sharing,
                                       .victim = kind->victim && k == kind->n - 1,
                                       .inclusive = kind->inclusive && k > 0,
                                       .policy = SP_LRU};
    return m;
}

static bool make_layout(const struct sp_csr *a, const char *format, int n_threads, struct sp_layout *l)
{
    struct sp_workload w = {.op = SP_OP_SPMV,
                            .C = 1,
                            .sigma = 1,
                            .precision = SP_F64,
                            .index = SP_I32,
                            .schedule = SP_SCHEDULE_NNZ,
                            .n_threads = n_threads,
                            .matrix = a};
    struct sp_error err;
    return sp_workload_set_format(&w, format, &err) == SP_OK &&
           sp_layout_make(&w, false, NULL, l, &err) == SP_OK;
}

struct tally {
    int64_t runs, references, differences;
};

/* Cold and warm. False: something failed. */
static bool plain_beside(const struct sp_layout *l, const struct sp_machine *m, struct tally *tally)
{
    for (int state = SP_SIM_WARM; state <= SP_SIM_COLD; state++) {
        struct sp_sim_options o = sp_sim_default(m);
        o.state = state;
        struct sp_traffic traffic[SP_MAX_LEVELS];
        struct sp_sim_facts facts;
        struct plain_counts plain;
        struct sp_error err;
        char where[160];
        int n;
        if (sp_sim_traffic(l, &o, traffic, &n, &facts, &err) != SP_OK ||
            plain_count(l, &o, facts.n_executions, &plain, &err) != SP_OK)
            return false;
        tally->runs++;
        tally->references += plain.n_references;
        tally->differences += plain_differences(&plain, traffic, where, sizeof where);
    }
    return true;
}

static int plain(void)
{
    static const char *const matrices[] = {"gen:laplace2d:30", "gen:hpcg:7", "gen:powerlaw:9:8",
                                           "gen:random:900:6", "gen:arrow:1200"};
    static const char *const formats[] = {"crs", "sell:8,32", "sellu:4,1"};
    enum { N_MATRICES = sizeof matrices / sizeof *matrices, N_FORMATS = sizeof formats / sizeof *formats };
    struct tally tally[N_PLAIN_KINDS] = {{0}};
    for (int i = 0; i < N_MATRICES; i++) {
        struct sp_csr a;
        if (sp_matrix_load(matrices[i], NULL, &a, NULL, NULL) != SP_OK)
            return fail(matrices[i]);
        for (int f = 0; f < N_FORMATS; f++)
            for (int n_threads = 1; n_threads <= 3; n_threads++) {
                struct sp_layout l;
                if (!make_layout(&a, formats[f], n_threads, &l))
                    return fail(formats[f]);
                for (int k = 0; k < N_PLAIN_KINDS; k++) {
                    const struct sp_machine m = machine_of(&plain_kinds[k]);
                    if (!plain_beside(&l, &m, &tally[k]))
                        return fail(plain_kinds[k].words);
                }
                sp_layout_free(&l);
            }
        sp_csr_free(&a);
    }
    int64_t differences = 0;
    for (int k = 0; k < N_PLAIN_KINDS; k++) {
        if (tally[k].differences)
            printf("| %s | %lld counters differ |\n", plain_kinds[k].words, (long long)tally[k].differences);
        differences += tally[k].differences;
    }
    if (!differences)
        printf("No counter differs: %d hierarchies, in each %lld executions with %lld references in all.\n",
               N_PLAIN_KINDS, (long long)tally[0].runs, (long long)tally[0].references);
    return differences ? 1 : 0;
}

/* ---- sampled beside exact reuse distances ---- */

static int sampled_row(const char *matrix)
{
    struct sp_csr a;
    struct sp_layout l;
    struct sp_reuse exact, sampled;
    if (sp_matrix_load(matrix, NULL, &a, NULL, NULL) != SP_OK || !make_layout(&a, "crs", 1, &l))
        return fail(matrix);
    const struct sp_reuse_options whole = {.rate = 1, .seed = 1}, part = {.rate = 0, .seed = 1};
    if (sp_reuse_curve(&l, &whole, &exact, NULL) != SP_OK ||
        sp_reuse_curve(&l, &part, &sampled, NULL) != SP_OK)
        return fail(matrix);
    double worst_alpha = 0, worst_B = 0;
    int n = 0, outside = 0;
    for (int i = 0; i < exact.n_sizes && i < sampled.n_sizes; i++) {
        const struct sp_reuse_size *e = &exact.size[i], *s = &sampled.size[i];
        if (e->capacity_B < a.n_c / 2) /* a sixteenth of x */
            continue;
        n++;
        outside += e->alpha_warm < s->alpha_warm_lo || e->alpha_warm > s->alpha_warm_hi;
        worst_alpha =
            fmax(worst_alpha, fabs(s->alpha_warm - e->alpha_warm) / fmax(e->alpha_warm, exact.alpha_min));
        worst_B = fmax(worst_B, fabs(s->warm_B - e->warm_B) / exact.size[0].warm_B);
    }
    printf("| `%s` | 1/%.0f | %d | %.2f %% | %.2f %% | %d |\n", matrix, 1 / sampled.rate, n,
           100 * worst_alpha, 100 * worst_B, outside);
    sp_reuse_free(&exact);
    sp_reuse_free(&sampled);
    sp_layout_free(&l);
    sp_csr_free(&a);
    return 0;
}

/* ---- cachegrind ---- */

static int cachegrind_row(const char *program, const char *matrix)
{
    struct sp_csr a;
    struct beside_cachegrind r;
    if (sp_matrix_load(matrix, NULL, &a, NULL, NULL) != SP_OK)
        return fail(matrix);
    const bool done = beside_cachegrind(&a, program, &r);
    if (done)
        printf("| `%s` | %lld KiB | %+.3f %% |\n", matrix, (long long)r.llc_B >> 10,
               100 * (r.ours / r.theirs - 1));
    sp_csr_free(&a);
    return !done ? fail(r.what) : fabs(r.ours / r.theirs - 1) <= 0.01 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int worst = 0;
    if (strcmp(what, "published") == 0)
        return published();
    if (strcmp(what, "differs") == 0)
        return differs();
    if (strcmp(what, "plain") == 0)
        return plain();
    const bool beside = strcmp(what, "cachegrind") == 0;
    if ((!beside && strcmp(what, "sampled") != 0) || argc < (beside ? 4 : 3))
        return fail("published | differs | plain | sampled MATRIX... | cachegrind PROGRAM MATRIX...");
    for (int i = beside ? 3 : 2; i < argc; i++) {
        const int code = beside ? cachegrind_row(argv[2], argv[i]) : sampled_row(argv[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}
