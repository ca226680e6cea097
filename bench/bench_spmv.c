/* SpMV against its roof and against peers. Every kernel of every format, and every peer, runs once
 * a round, each between two scans of its own arrays; a share of the roof is the median of those
 * paired ratios, and ratios between two candidates are medians over the rounds. A ping-pong before
 * and after tells in which mode the cores were: samples of two modes are never compared, and one in
 * which the mode changed is dropped.
 *
 *     bench_spmv [--threads N] [--samples N] [--precision f64|f32|mixed] [--nt] [--ten] [--format "F F"]
 *                [--isa avx512|avx2|portable] [--symmetric] [--storages] [--prefetch] [--table] [matrix ...]
 *
 * A matrix is a file, or a generator's spec without "gen:". A sample is as many executions as take
 * 1 ms. --storages: each format also with 16-bit offsets, with values in f32, and with both.
 * --prefetch: also with x asked for 16 to 512 entries in advance. --symmetric: values become those
 * of a symmetric matrix where the pattern is one, which half storage needs. --table: for each mode of
 * the cores a row for bench/peers.sh, too, of our best candidate beside the best peer. One thread is
 * timed by its processor time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "io/matrix/matrix_load.h"
#include "kernels/ceiling.h"
#include "kernels/kernel.h"
#include "peer.h"
#include "rounds.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/product/verify.h"
#include "sys/machine/core_to_core.h"
#include "sys/machine/pages.h"

enum { MAX_SAMPLES = 200, MAX_CANDIDATES = 256, MAX_FORMATS = 96, N_PEERS = 3, N_MODES = SP_CORE_SPLIT + 1 };
enum { FEW = 3 /* rounds below which a median is not shown */ };

struct settings {
    int n_threads, n_samples;
    enum sp_precision precision;
    bool nt, storages, prefetch, symmetric, table;
    const char *format; /* one of them, or several with blanks between; NULL: all */
    const char *isa;    /* NULL: all */
};

/* What is timed: one of our kernels (row and state), or a peer. */
struct candidate {
    char name[64], format[40], remark[96];
    const struct sp_layout *layout; /* whose scan is the roof */
    const struct sp_kernel *kernel;
    const struct peer *peer;
    void *state;
    double V; /* [B] */
    int64_t repetitions;
    double flops[MAX_SAMPLES], share[MAX_SAMPLES];
    enum sp_core_mode mode[MAX_SAMPLES];
};

struct bench {
    const struct settings *settings;
    const char *spec;
    struct sp_csr matrix;
    struct sp_layout layouts[MAX_FORMATS];
    int n_layouts, n;
    struct candidate *candidates; /* [MAX_CANDIDATES] */
    double *x;
    void *peer_x, *peer_y;
    struct sp_core_history history;
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2048];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_spmv: %s\n", text);
    exit(EXIT_FAILURE);
}

/* V(alpha_min) of one execution [B], w = 2 for plain stores and 1 for non-temporal ones [THEORY
 * 2]. */
static double volume_of(const struct sp_layout *l, bool store_nt)
{
    double V = 0;
    for (int array = SP_ARRAY_VALUES; array <= SP_ARRAY_X; array++)
        V += sp_layout_array_bytes(l, (enum sp_array)array);
    return V + (store_nt ? 1 : 2) * sp_layout_array_bytes(l, SP_ARRAY_Y);
}

/* The bandwidth of scans [B/s]. */
static double scan(const struct sp_layout *l, int n_threads, int64_t repetitions)
{
    const struct sp_job arrays = {.layout = l};
    uint64_t checksum;
    double start = bench_now(n_threads);
    sp_scan_job(&arrays, repetitions, &checksum);
    double end = bench_now(n_threads);
    volatile uint64_t sink = checksum; /* the reads must not be optimised away */
    (void)sink;
    return sp_scan_bytes(&arrays) * (double)repetitions / (end - start);
}

/* The time of one execution [s]. */
static double run(struct candidate *c, int n_threads, int64_t repetitions)
{
    struct sp_error err;
    double start = bench_now(n_threads);
    for (int64_t i = 0; i < repetitions && c->peer; i++)
        c->peer->run(c->state);
    if (!c->peer && c->kernel->run(c->state, repetitions, NULL, &err) != SP_OK)
        fail(&err);
    return (bench_now(n_threads) - start) / (double)repetitions;
}

/* "SELL-32-1", "SELL-32-1 mixed d16", ... */
static void name_of(const struct sp_workload *w, char *text, size_t size)
{
    sp_workload_format_text(w, text, size);
    if (w->precision == SP_MIXED)
        snprintf(text + strlen(text), size - strlen(text), " %s", sp_precision_name(w->precision));
    if (w->index == SP_D16)
        snprintf(text + strlen(text), size - strlen(text), " %s", sp_index_name(w->index));
    if (w->prefetch > 0)
        snprintf(text + strlen(text), size - strlen(text), " x+%d", (int)w->prefetch);
}

static void add_kernels(struct bench *b, const struct sp_workload *w)
{
    struct sp_error err;
    struct sp_layout *l = &b->layouts[b->n_layouts];
    char format[40];
    name_of(w, format, sizeof format);
    double start = sp_now();
    enum sp_status status = sp_layout_make(w, true, &sp_allocator_huge, l, &err);
    if (status == SP_USAGE) {
        printf("  %s: skipped, %s\n", format, err.what);
        return;
    }
    if (status != SP_OK)
        fail(&err);
    b->n_layouts++;
    printf("  %s: beta %.3f, unit slots %.3f, layout made in %.2f s\n", format, sp_layout_beta(l),
           l->n_slots > 0 ? (double)l->n_unit_slots / (double)l->n_slots : 0.0, sp_now() - start);
    const struct sp_kernel *rows[MAX_CANDIDATES];
    int n = sp_kernel_candidates(l, b->settings->isa, rows, MAX_CANDIDATES - N_PEERS - b->n);
    double *y = malloc((size_t)(2 * l->n_r + 1) * sizeof *y);
    for (int k = 0; k < n; k++) {
        struct candidate *c = &b->candidates[b->n++];
        struct sp_operands operands = {
            .x = b->x, .store_nt = b->settings->nt, .allocator = &sp_allocator_huge};
        struct sp_spmv_check check;
        struct sp_kernel_facts facts;
        memset(c, 0, sizeof *c);
        c->layout = l;
        c->kernel = rows[k];
        if (c->kernel->prepare(l, &operands, &c->state, &err) != SP_OK ||
            c->kernel->run(c->state, 1, NULL, &err) != SP_OK ||
            c->kernel->fetch(c->state, y, &err) != SP_OK ||
            sp_spmv_verify(w->matrix, w->precision, b->x, y, &check, &err) != SP_OK)
            fail(&err);
        c->kernel->facts(c->state, &facts);
        c->V = volume_of(l, facts.store_nt);
        snprintf(c->format, sizeof c->format, "%s", format);
        snprintf(c->name, sizeof c->name, "%s %s", format, strrchr(rows[k]->name, '/') + 1);
        snprintf(c->remark, sizeof c->remark, "error %.2g of its bound", check.max_ratio);
    }
    free(y);
}

/* Peers get the pages and the first touch of our CRS arrays: what is compared is the code. */
static void add_peers(struct bench *b, const struct sp_layout *l)
{
    static const struct peer *const peers[N_PEERS] = {&peer_eigen, &peer_librsb, &peer_mkl};
    struct sp_error err;
    if (sp_large_alloc(&sp_allocator_huge, l->n_c, sizeof(double), "x", &b->peer_x, &err) != SP_OK ||
        sp_large_alloc(&sp_allocator_huge, l->n_r, sizeof(double), "y", &b->peer_y, &err) != SP_OK)
        fail(&err);
    memcpy(b->peer_x, b->x, (size_t)l->n_c * sizeof(double));
    struct peer_matrix m = {.n_r = sp_to_i32(l->n_r),
                            .n_c = sp_to_i32(l->n_c),
                            .n_nz = sp_to_i32(l->n_nz),
                            .r = 1,
                            .row_ptr = l->ptr,
                            .col = l->col,
                            .val = l->val,
                            .x = b->peer_x,
                            .y = b->peer_y};
    for (int p = 0; p < N_PEERS; p++) {
        if (peers[p]->absent) {
            printf("  %s: skipped, %s\n", peers[p]->name, peers[p]->absent);
            continue;
        }
        double start = sp_now();
        void *state = peers[p]->open(&m, b->settings->n_threads);
        if (!state) {
            printf("  %s: skipped, it refused the matrix\n", peers[p]->name);
            continue;
        }
        struct candidate *c = &b->candidates[b->n++];
        memset(c, 0, sizeof *c);
        *c = (struct candidate){.layout = l, .peer = peers[p], .state = state, .V = volume_of(l, false)};
        double setup_s = sp_now() - start;
        peers[p]->run(state);
        snprintf(c->name, sizeof c->name, "%s", peers[p]->name);
        bool right = sp_spmv_verify(&b->matrix, SP_F64, b->x, m.y, NULL, NULL) == SP_OK;
        snprintf(c->remark, sizeof c->remark, "set up in %.2f s, %s; its roof is CRS's", setup_s,
                 right ? "right" : "WRONG");
    }
}

static enum sp_core_mode mode_now(struct bench *b)
{
    if (b->settings->n_threads < 2)
        return SP_CORE_SINGLE;
    const int n = b->settings->n_threads;
    struct sp_core_look look = {.latency_s = sp_core_to_core(n, 0, 1)};
    sp_core_crowd(n, n, &look);
    sp_core_history_add(&b->history, &look);
    return sp_core_classify(&b->history, look);
}

static void sample(struct bench *b, struct candidate *c, int i)
{
    const int n_threads = b->settings->n_threads;
    const double sample_s = 1e-3, once = run(c, n_threads, 1);
    if (c->repetitions == 0 || once * (double)c->repetitions < 0.5 * sample_s)
        c->repetitions = once < sample_s ? (int64_t)(sample_s / once) : 1;
    scan(c->layout, n_threads, 1);
    enum sp_core_mode mode = mode_now(b);
    const double before = scan(c->layout, n_threads, c->repetitions), t = run(c, n_threads, c->repetitions),
                 after = scan(c->layout, n_threads, c->repetitions);
    c->flops[i] = 2 * (double)b->matrix.n_nz / t;
    c->share[i] = c->V / t / (0.5 * (before + after));
    c->mode[i] = mode_now(b) == mode ? mode : SP_CORE_UNKNOWN;
}

/* The samples of one mode, moved together; returns how many. */
static int of_mode(const struct candidate *c, int n, enum sp_core_mode mode, const double *of, double *out)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (c->mode[i] == mode)
            out[kept++] = of[i];
    return kept;
}

/* a's speed over b's; n 0: too few rounds. */
static struct bench_ratio ratio(const struct candidate *a, const struct candidate *b, int n,
                                enum sp_core_mode mode)
{
    double r[MAX_SAMPLES];
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (a->mode[i] == mode && b->mode[i] == mode)
            r[kept++] = a->flops[i] / b->flops[i];
    return kept >= FEW ? bench_quartiles(r, kept) : (struct bench_ratio){0};
}

static void print_ratios(const struct bench *b, enum sp_core_mode mode, const struct candidate *best,
                         const struct candidate *best_plain)
{
    int n = b->settings->n_samples;
    if (best_plain && best != best_plain)
        printf("    %s is %.2f x %s\n", best->name, ratio(best, best_plain, n, mode).median,
               best_plain->name);
    for (int k = 0; k < b->n; k++) {
        double r = b->candidates[k].peer ? ratio(best, &b->candidates[k], n, mode).median : 0;
        if (r > 0)
            printf("    %s is %.2f x %s\n", best->name, r, b->candidates[k].name);
    }
}

/* Each kernel on narrow storage, or with x asked for in advance, against itself on the plain
 * layout. */
static void print_gains(const struct bench *b, enum sp_core_mode mode)
{
    for (int k = 0; k < b->n; k++) {
        const struct candidate *c = &b->candidates[k];
        bool is_plain = c->kernel && !strchr(c->format, ' ');
        for (int i = 0; i < k && c->kernel && !is_plain; i++) {
            const struct candidate *plain = &b->candidates[i];
            size_t length = strlen(plain->format);
            if (plain->kernel != c->kernel || strncmp(plain->format, c->format, length) != 0 ||
                c->format[length] != ' ')
                continue;
            const double r = ratio(c, plain, b->settings->n_samples, mode).median;
            if (r > 0)
                printf("    %s is %.2f x %s, by bytes %.2f\n", c->name, r, plain->name, plain->V / c->V);
            break;
        }
    }
}

/* | matrix | threads | cores | ours | Gflop/s | of the roof | best peer | ratio | quartiles | rounds | */
static void print_row(const struct bench *b, enum sp_core_mode mode, const struct candidate *best,
                      const struct candidate *peer)
{
    double kept[MAX_SAMPLES];
    const int n = b->settings->n_samples, n_kept = of_mode(best, n, mode, best->flops, kept);
    const double flops = sp_median(kept, n_kept);
    of_mode(best, n, mode, best->share, kept);
    printf("| %s | %d | %s | %s | %.2f | %.0f %% |", b->spec, b->settings->n_threads, sp_core_mode_name(mode),
           best->name, 1e-9 * flops, 100 * sp_median(kept, n_kept));
    const struct bench_ratio r = peer ? ratio(best, peer, n, mode) : (struct bench_ratio){0};
    if (r.n == 0)
        printf(" - | - | - | %d |\n", n_kept);
    else
        printf(" %s | %.2f | %.2f ... %.2f | %d |\n", peer->name, r.median, r.low, r.high, r.n);
}

static void print_mode(const struct bench *b, enum sp_core_mode mode)
{
    const struct candidate *best = NULL, *best_plain = NULL; /* plain: not SELL with unit-stride slots */
    const struct candidate *best_peer = NULL;
    double best_flops = 0, best_plain_flops = 0, best_peer_flops = 0, kept[MAX_SAMPLES];
    int n = b->settings->n_samples;
    for (int k = 0; k < b->n; k++) {
        const struct candidate *c = &b->candidates[k];
        int n_kept = of_mode(c, n, mode, c->flops, kept);
        if (n_kept < FEW)
            continue;
        double flops = sp_median(kept, n_kept);
        of_mode(c, n, mode, c->share, kept);
        printf("    %-29s %6.2f Gflop/s  %5.2f B/nnz  %5.1f %% of the roof [%5.1f, %5.1f]  %2d samples; %s\n",
               c->name, flops * 1e-9, c->V / (double)b->matrix.n_nz, 100 * sp_median(kept, n_kept),
               100 * sp_quantile(kept, n_kept, 0.25), 100 * sp_quantile(kept, n_kept, 0.75), n_kept,
               c->remark);
        if (c->peer && flops > best_peer_flops) {
            best_peer_flops = flops;
            best_peer = c;
        }
        if (!c->peer && flops > best_flops) {
            best_flops = flops;
            best = c;
        }
        if (!c->peer && strncmp(c->format, "SELLU", 5) != 0 && flops > best_plain_flops) {
            best_plain_flops = flops;
            best_plain = c;
        }
    }
    if (best)
        print_ratios(b, mode, best, best_plain);
    print_gains(b, mode);
    if (b->settings->table && best)
        print_row(b, mode, best, best_peer);
}

static void print_results(const struct bench *b)
{
    double roof[MAX_SAMPLES * 4];
    for (int mode = SP_CORE_SINGLE; mode < N_MODES; mode++) {
        int n = 0;
        for (int k = 0; k < b->n; k++)
            for (int i = 0; i < b->settings->n_samples && n < MAX_SAMPLES * 4; i++)
                if (b->candidates[k].mode[i] == (enum sp_core_mode)mode) {
                    const struct candidate *c = &b->candidates[k];
                    roof[n++] = c->flops[i] / (2 * (double)b->matrix.n_nz) * c->V / c->share[i];
                }
        if (n < FEW)
            continue;
        printf("  cores %s: scans of the arrays at %.1f GB/s\n", sp_core_mode_name((enum sp_core_mode)mode),
               sp_median(roof, n) * 1e-9);
        print_mode(b, (enum sp_core_mode)mode);
    }
}

/* The workload, and with --storages its narrower kin as far as the format has them. */
static void add_storages(struct bench *b, const struct sp_workload *w)
{
    add_kernels(b, w);
    for (int i = 1; i < 4 && b->settings->storages; i++) {
        struct sp_workload narrow = *w;
        narrow.precision = i & 1 ? SP_MIXED : w->precision;
        narrow.index = i & 2 ? SP_D16 : w->index;
        if (sp_workload_check(&narrow, NULL) == SP_OK)
            add_kernels(b, &narrow);
    }
    /* For a table two distances: each takes as long as all of the format. */
    const int first = b->settings->table ? 64 : 16, step = b->settings->table ? 4 : 2;
    for (int distance = first; distance <= 512 && b->settings->prefetch; distance *= step) {
        struct sp_workload early = *w;
        early.prefetch = distance;
        if (sp_workload_check(&early, NULL) == SP_OK)
            add_kernels(b, &early);
    }
}

/* a_ij from i and j in any order. */
static void make_symmetric(struct sp_csr *a)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int64_t j = a->col[k], low = i < j ? i : j, high = i < j ? j : i;
            struct sp_random random = {sp_random_at((uint64_t)low, (uint64_t)high)};
            a->val[k] = sp_random_unit(&random);
        }
}

/* n_nz / n_stored, without making the layout. */
static double beta_of(const struct sp_workload *w)
{
    const struct sp_pattern pattern = sp_csr_pattern(w->matrix);
    struct sp_blocks blocks = {.fill = 1};
    struct sp_error err;
    if (w->format == SP_FORMAT_CRS)
        return 1;
    if (w->format != SP_FORMAT_BCSR)
        return sp_sell_beta(&pattern, w->C, w->sigma);
    if (sp_blocks_count(&pattern, w->b_h, w->b_w, NULL, &blocks, &err) != SP_OK)
        fail(&err);
    return blocks.fill;
}

static bool is_wanted(const struct settings *s, const char *format)
{
    const char *at = s->format ? strstr(s->format, format) : format;
    return at && (!s->format || strchr(" ", at[strlen(format)]));
}

/* Of a candidate's first n rounds. */
static double fastest_of(const struct candidate *c, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = c->flops[i] > most ? c->flops[i] : most;
    return most;
}

/* For a table those of ours that are far behind in the first rounds take no part in the others. */
static void take_rounds(struct bench *b)
{
    enum { FIRST = 2 };
    static const double behind = 0.85;
    const int n = b->settings->n_samples;
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < b->n; k++) {
            struct candidate *c = &b->candidates[k];
            if (b->settings->table && i >= FIRST && !c->peer && fastest_of(c, FIRST) < behind * most) {
                c->mode[i] = SP_CORE_UNKNOWN;
                continue;
            }
            sample(b, c, i);
            if (!c->peer && i < FIRST && c->flops[i] > most)
                most = c->flops[i];
        }
}

static void bench_matrix(const struct settings *s, const char *spec)
{
    static const char *const formats[] = {"crs",       "sell:8,1",   "sell:8,64", "sell:32,1", "sell:32,256",
                                          "sellu:8,1", "sellu:16,1", "half",      "bcsr:2x2",  "bcsr:3x3"};
    struct bench *b = calloc(1, sizeof *b);
    b->settings = s;
    b->spec = spec;
    b->candidates = calloc(MAX_CANDIDATES, sizeof *b->candidates);
    struct sp_error err;
    char name[1024];
    FILE *file = fopen(spec, "r");
    snprintf(name, sizeof name, "%s%s", file || strncmp(spec, "gen:", 4) == 0 ? "" : "gen:", spec);
    if (file)
        fclose(file);
    if (sp_matrix_load(name, NULL, &b->matrix, NULL, &err) != SP_OK)
        fail(&err);
    struct sp_csr *a = &b->matrix;
    if (s->symmetric)
        make_symmetric(a);
    char count[32];
    printf("%s: %s entries, %.1f a row, %d threads\n", spec, sp_text_count(count, sizeof count, a->n_nz),
           (double)a->n_nz / (double)a->n_r, s->n_threads);
    b->x = malloc((size_t)(2 * a->n_c + 1) * sizeof *b->x);
    for (int64_t i = 0; i < 2 * a->n_c; i++)
        b->x[i] = 1 + (double)(i % 97) / 97;
    struct sp_workload w = {
        .precision = s->precision, .schedule = SP_SCHEDULE_NNZ, .n_threads = s->n_threads, .matrix = a};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!is_wanted(s, formats[i]))
            continue;
        if (sp_workload_set_format(&w, formats[i], &err) != SP_OK)
            fail(&err);
        const double beta = beta_of(&w), least = w.format == SP_FORMAT_BCSR ? 0.5 : 0.2;
        if (beta < least)
            printf("  %s: skipped, beta is below %.1f\n", formats[i], least);
        else
            add_storages(b, &w);
    }
    if (s->precision == SP_F64 && is_wanted(s, "crs"))
        add_peers(b, &b->layouts[0]);
    take_rounds(b);
    print_results(b);
    fflush(stdout);
    for (int k = 0; k < b->n; k++)
        if (b->candidates[k].peer)
            b->candidates[k].peer->close(b->candidates[k].state);
        else
            b->candidates[k].kernel->release(b->candidates[k].state);
    sp_large_free(&sp_allocator_huge, b->peer_x, a->n_c, sizeof(double));
    sp_large_free(&sp_allocator_huge, b->peer_y, a->n_r, sizeof(double));
    for (int i = 0; i < b->n_layouts; i++)
        sp_layout_free(&b->layouts[i]);
    sp_csr_free(a);
    free(b->x);
    free(b->candidates);
    free(b);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    static const char *const ten[] = {
        "hpcg:128",          "laplace2d:3000",          "laplace3d:180",  "anderson:170",
        "band:2000000:16",   "random:4000000:8",        "powerlaw:20:16", "block:1000000:4:8",
        "random:1000000:40", "laplace3d:160+permuted:7"};
    struct settings s = {.n_samples = 21};
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
        else if (strcmp(argv[i], "--isa") == 0 && more)
            s.isa = argv[++i];
        else if (strcmp(argv[i], "--storages") == 0)
            s.storages = true;
        else if (strcmp(argv[i], "--prefetch") == 0)
            s.prefetch = true;
        else if (strcmp(argv[i], "--symmetric") == 0)
            s.symmetric = true;
        else if (strcmp(argv[i], "--table") == 0)
            s.table = true;
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
        fprintf(stderr, "bench_spmv: 1 to %d samples; precision f64, f32 or mixed\n", MAX_SAMPLES);
        return EXIT_FAILURE;
    }
    struct sp_error err;
    if (bench_pin(&s.n_threads, &err) != SP_OK)
        fail(&err);
    for (int i = 0; i < n_specs; i++)
        bench_matrix(&s, specs[i]);
    return EXIT_SUCCESS;
}
