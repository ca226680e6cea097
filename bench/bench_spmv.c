/* SpMV against its roof and against peers: every candidate kernel in every format, samples alternating with a
 * scan of the same layout's arrays; a share of the roof is the median of paired ratios.
 *
 *     bench_spmv [--threads N] [--samples N] [--precision f64|f32] [--nt] [--ten] [--format F] [gen spec ...]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/samples.h"
#include "base/text.h"
#include "kernels/kernel.h"
#include "kernels/scan.h"
#include "peer.h"
#include "sparse/generate.h"
#include "sparse/verify.h"
#include "sys/binding.h"
#include "sys/pages.h"

enum { MAX_SAMPLES = 200, MAX_CANDIDATES = 16 };

struct settings {
    int n_threads, n_samples;
    enum sp_precision precision;
    bool nt;
    const char *format; /* NULL: all */
};

struct result {
    char name[128];
    double flops; /* median [flop/s] */
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2048];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_spmv: %s\n", text);
    exit(EXIT_FAILURE);
}

static void keep_best(struct result *best, const char *name, double flops)
{
    if (flops > best->flops) {
        best->flops = flops;
        snprintf(best->name, sizeof best->name, "%s", name);
    }
}

/* V(alpha_min) of one execution [B], w = 2 for plain stores and 1 for non-temporal ones [THEORY 2]. */
static double volume_of(const struct sp_layout *l, bool store_nt)
{
    double V = 0;
    for (int array = SP_ARRAY_VALUES; array <= SP_ARRAY_X; array++)
        V += sp_layout_array_bytes(l, (enum sp_array)array);
    return V + (store_nt ? 1 : 2) * sp_layout_array_bytes(l, SP_ARRAY_Y);
}

static double scan_once(const struct sp_layout *l)
{
    uint64_t checksum;
    double start = sp_now();
    sp_scan_layout(l, 1, &checksum);
    double end = sp_now();
    volatile uint64_t sink = checksum; /* the reads must not be optimised away */
    (void)sink;
    return sp_scan_bytes(l) / (end - start);
}

static void bench_kernels(const struct settings *s, const struct sp_workload *w, const double *x,
                          struct result *best)
{
    struct sp_layout l;
    struct sp_error err;
    double start = sp_now();
    if (sp_layout_make(w, true, &sp_allocator_huge, &l, &err) != SP_OK)
        fail(&err);
    char format[64];
    sp_workload_format_text(w, format, sizeof format);
    printf("  %s: beta %.3f, unit slots %.3f, layout made in %.2f s\n", format,
           (double)l.n_nz / (double)l.n_stored,
           l.n_slots > 0 ? (double)l.n_unit_slots / (double)l.n_slots : 0.0, sp_now() - start);
    const struct sp_kernel *rows[MAX_CANDIDATES];
    int n = sp_kernel_candidates(&l, NULL, rows, MAX_CANDIDATES);
    void *state[MAX_CANDIDATES];
    static double flops[MAX_CANDIDATES][MAX_SAMPLES], share[MAX_CANDIDATES][MAX_SAMPLES];
    double best_roof = 0;
    double V[MAX_CANDIDATES], *y = malloc((size_t)(2 * l.n_r + 1) * sizeof *y);
    struct sp_spmv_check check[MAX_CANDIDATES];
    for (int k = 0; k < n; k++) {
        struct sp_operands operands = {x, s->nt, &sp_allocator_huge};
        if (rows[k]->prepare(&l, &operands, &state[k], &err) != SP_OK ||
            rows[k]->run(state[k], 1, NULL, &err) != SP_OK || rows[k]->fetch(state[k], y, &err) != SP_OK ||
            sp_spmv_verify(w->matrix, w->precision, x, y, &check[k], &err) != SP_OK)
            fail(&err);
        struct sp_kernel_facts facts;
        rows[k]->facts(state[k], &facts);
        V[k] = volume_of(&l, facts.store_nt);
    }
    free(y);
    for (int i = 0; i < s->n_samples; i++)
        for (int k = 0; k < n; k++) {
            double before = scan_once(&l);
            start = sp_now();
            if (rows[k]->run(state[k], 1, NULL, &err) != SP_OK)
                fail(&err);
            double t = sp_now() - start;
            double after = scan_once(&l), roof = 0.5 * (before + after);
            best_roof = before > best_roof ? before : best_roof;
            best_roof = after > best_roof ? after : best_roof;
            flops[k][i] = sp_workload_flops(w) / t;
            share[k][i] = V[k] / t / roof;
        }
    for (int k = 0; k < n; k++) {
        double median = sp_median(flops[k], s->n_samples);
        double best_flops = sp_quantile(flops[k], s->n_samples, 1);
        double best_share = best_flops / sp_workload_flops(w) * V[k] / best_roof;
        printf(
            "    %-22s %6.2f Gflop/s (best %5.2f)  %5.2f B/nnz  %5.1f %% of the roof [%5.1f, %5.1f], best of "
            "best %5.1f %%; error %.2g of its bound\n",
            rows[k]->name, median * 1e-9, best_flops * 1e-9, V[k] / (double)l.n_nz,
            100 * sp_median(share[k], s->n_samples), 100 * sp_quantile(share[k], s->n_samples, 0.25),
            100 * sp_quantile(share[k], s->n_samples, 0.75), 100 * best_share, check[k].max_ratio);
        char name[128];
        snprintf(name, sizeof name, "%s %s", format, strrchr(rows[k]->name, '/') + 1);
        keep_best(best, name, median);
        rows[k]->release(state[k]);
    }
    sp_layout_free(&l);
}

/* Peers get our pages and our first touch: what is compared is the code. */
static void bench_peers(const struct settings *s, const struct sp_workload *w, const double *x,
                        struct result *best)
{
    static const struct peer *const peers[] = {&peer_eigen, &peer_librsb};
    struct sp_layout l;
    struct sp_error err;
    if (sp_layout_make(w, true, &sp_allocator_huge, &l, &err) != SP_OK)
        fail(&err);
    void *room_x, *room_y;
    if (sp_large_alloc(&sp_allocator_huge, l.n_c, sizeof(double), "x", &room_x, &err) != SP_OK ||
        sp_large_alloc(&sp_allocator_huge, l.n_r, sizeof(double), "y", &room_y, &err) != SP_OK)
        fail(&err);
    memcpy(room_x, x, (size_t)l.n_c * sizeof *x);
    struct peer_matrix m = {.n_r = sp_to_i32(l.n_r),
                            .n_c = sp_to_i32(l.n_c),
                            .n_nz = sp_to_i32(l.n_nz),
                            .row_ptr = l.ptr,
                            .col = l.col,
                            .val = l.val,
                            .x = room_x,
                            .y = room_y};
    for (size_t p = 0; p < sizeof peers / sizeof *peers; p++) {
        if (peers[p]->absent) {
            printf("    %-22s skipped: %s\n", peers[p]->name, peers[p]->absent);
            continue;
        }
        double start = sp_now();
        void *state = peers[p]->open(&m, s->n_threads);
        if (!state) {
            printf("    %-22s skipped: it refused the matrix\n", peers[p]->name);
            continue;
        }
        double setup_s = sp_now() - start, flops[MAX_SAMPLES], share[MAX_SAMPLES];
        peers[p]->run(state);
        const char *verdict =
            sp_spmv_verify(w->matrix, SP_F64, x, m.y, NULL, NULL) == SP_OK ? "right" : "WRONG";
        for (int i = 0; i < s->n_samples; i++) {
            double before = scan_once(&l);
            start = sp_now();
            peers[p]->run(state);
            double t = sp_now() - start;
            flops[i] = sp_workload_flops(w) / t;
            share[i] = volume_of(&l, false) / t / (0.5 * (before + scan_once(&l)));
        }
        double median = sp_median(flops, s->n_samples);
        printf("    %-22s %6.2f Gflop/s (best %5.2f)                %5.1f %% of CRS's roof, set up in %.2f "
               "s, %s\n",
               peers[p]->name, median * 1e-9, sp_quantile(flops, s->n_samples, 1) * 1e-9,
               100 * sp_median(share, s->n_samples), setup_s, verdict);
        keep_best(best, peers[p]->name, median);
        peers[p]->close(state);
    }
    sp_large_free(&sp_allocator_huge, room_x, l.n_c, sizeof(double));
    sp_large_free(&sp_allocator_huge, room_y, l.n_r, sizeof(double));
    sp_layout_free(&l);
}

static void bench_matrix(const struct settings *s, const char *spec)
{
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(spec, NULL, &a, &err) != SP_OK)
        fail(&err);
    char count[32];
    printf("%s: %s entries, %.1f a row, %d threads\n", spec, sp_text_count(count, sizeof count, a.n_nz),
           (double)a.n_nz / (double)a.n_r, s->n_threads);
    double *x = malloc((size_t)(2 * a.n_c + 1) * sizeof *x);
    for (int64_t i = 0; i < 2 * a.n_c; i++)
        x[i] = 1 + (double)(i % 97) / 97;
    static const char *const formats[] = {"crs", "sell:8,1", "sell:32,256", "sellu:8,1", "sellu:16,1"};
    struct sp_workload w = {
        .precision = s->precision, .schedule = SP_SCHEDULE_NNZ, .n_threads = s->n_threads, .matrix = &a};
    struct result best = {"", 0}, best_peer = {"", 0};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (s->format && strcmp(s->format, formats[i]) != 0)
            continue;
        if (sp_workload_set_format(&w, formats[i], &err) != SP_OK)
            fail(&err);
        struct sp_pattern pattern = sp_csr_pattern(&a);
        if (w.format != SP_FORMAT_CRS && sp_sell_beta(&pattern, w.C, w.sigma) < 0.2) {
            printf("  %s: skipped, beta is below 0.2\n", formats[i]);
            continue;
        }
        bench_kernels(s, &w, x, &best);
    }
    if (s->precision == SP_F64 && !s->format) {
        sp_workload_set_format(&w, "crs", NULL);
        bench_peers(s, &w, x, &best_peer);
    }
    if (best_peer.flops > 0)
        printf("  best: %s, %.2f x %s\n", best.name, best.flops / best_peer.flops, best_peer.name);
    fflush(stdout);
    free(x);
    sp_csr_free(&a);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    static const char *const ten[] = {
        "hpcg:128",          "laplace2d:3000",          "laplace3d:180",  "anderson:170",
        "band:2000000:16",   "random:4000000:8",        "powerlaw:20:16", "block:1000000:4:8",
        "random:1000000:40", "laplace3d:160+permuted:7"};
    struct settings s = {.n_samples = 15};
    const char *specs[64];
    int n_specs = 0;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--threads") == 0 && more)
            s.n_threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--samples") == 0 && more)
            s.n_samples = atoi(argv[++i]);
        else if (strcmp(argv[i], "--precision") == 0 && more && sp_precision_from_name(argv[i + 1]) >= 0)
            s.precision = (enum sp_precision)sp_precision_from_name(argv[++i]);
        else if (strcmp(argv[i], "--format") == 0 && more)
            s.format = argv[++i];
        else if (strcmp(argv[i], "--nt") == 0)
            s.nt = true;
        else if (strcmp(argv[i], "--ten") == 0)
            for (n_specs = 0; n_specs < 10; n_specs++)
                specs[n_specs] = ten[n_specs];
        else if (argv[i][0] != '-' && n_specs < 64)
            specs[n_specs++] = argv[i];
        else {
            fprintf(stderr, "bench_spmv: do not understand '%s'\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    if (n_specs == 0)
        specs[n_specs++] = "hpcg:128";
    if (s.n_samples < 1 || s.n_samples > MAX_SAMPLES || s.precision == SP_C128) {
        fprintf(stderr, "bench_spmv: 1 to %d samples; precision f64 or f32\n", MAX_SAMPLES);
        return EXIT_FAILURE;
    }
    struct sp_error err;
    struct sp_topology topology;
    struct sp_binding binding;
    if (sp_topology_read(&topology, &err) != SP_OK ||
        sp_binding_plan(&topology, s.n_threads, SP_COMPACT, &binding, &err) != SP_OK)
        fail(&err);
    s.n_threads = binding.n_threads;
    if (sp_binding_apply(&binding, &err) != SP_OK)
        printf("not pinned: %s\n", err.what);
    for (int i = 0; i < n_specs; i++)
        bench_matrix(&s, specs[i]);
    sp_binding_free(&binding);
    sp_topology_free(&topology);
    return EXIT_SUCCESS;
}
