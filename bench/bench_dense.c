/* SpMMV and SpMM against their roof, against r single SpMVs and against peers, for each width r. Every
 * candidate runs once a round, between two scans of its own arrays, and then on a part of its rows whose
 * columns are folded so that all fits the inner caches: P_core. Shown are medians over the rounds of P,
 * P_core, the roof b_S/B(r) with V(alpha_min), P / min(P_core, b_S/B(r)), and P over that of SpMV;
 * with --best the best of each, for a machine that others use meanwhile. --table: for each width a row for
 * bench/peers.sh, too, of our fastest beside the fastest peer.
 *
 *     bench_dense [--threads N] [--samples N] [--op spmmv|spmm] [--precision P] [--format F] [--order
 * row|column]
 *                 [--nt] [--best] [--table] [--isa PREFIX] [--widths 2,4,...] [gen spec]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/ceiling.h"
#include "kernels/kernel.h"
#include "peer.h"
#include "rounds.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"
#include "sys/machine/pages.h"

enum { MAX_SAMPLES = 100, MAX_CANDIDATES = 16, MAX_WIDTHS = 16 };

struct settings {
    int n_samples, n_widths;
    int32_t widths[MAX_WIDTHS];
    bool nt, best, table;
    const char *format, *isa;
    struct sp_workload workload; /* all but the matrix, the format and the width */
};

/* A workload ready to run: a kernel, or a peer. */
struct candidate {
    char name[64];
    const struct sp_kernel *kernel;
    const struct peer *peer;
    const struct sp_layout *layout;
    void *state, *folded; /* folded NULL: no P_core */
    double V;             /* [B] */
    double flops[MAX_SAMPLES], core[MAX_SAMPLES], roof[MAX_SAMPLES];
};

struct bench {
    const struct settings *settings;
    const char *spec;
    struct sp_workload w, w_folded, w_spmv;
    struct sp_csr matrix, part;
    struct sp_layout layout, folded, spmv;
    struct sp_dense_arrays dense, dense_folded;
    int64_t n_folded_runs;
    struct candidate candidates[MAX_CANDIDATES], single; /* single: SpMV */
    int n;
    void *peer_x, *peer_y;
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2048];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_dense: %s\n", text);
    exit(EXIT_FAILURE);
}

static double now(const struct sp_layout *l)
{
    return bench_now(l->partition.n_threads);
}

/* V(alpha_min) of one execution [B], w = 2 for plain stores and 1 for non-temporal ones [THEORY 3]. */
static double volume_of(const struct sp_layout *l, bool store_nt)
{
    return sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_X) +
           (store_nt ? 1 : 2) * sp_layout_array_bytes(l, SP_ARRAY_Y);
}

static void make_layout(const struct sp_workload *w, struct sp_layout *l)
{
    struct sp_error err;
    if (sp_workload_check(w, &err) != SP_OK || sp_layout_make(w, true, &sp_allocator_huge, l, &err) != SP_OK)
        fail(&err);
}

static void *prepare(const struct bench *b, const struct sp_kernel *kernel, const struct sp_layout *l,
                     const struct sp_dense_arrays *dense)
{
    struct sp_operands operands = {
        .x = dense->x, .store_nt = b->settings->nt, .allocator = &sp_allocator_huge};
    struct sp_error err;
    void *state;
    if (kernel->prepare(l, &operands, &state, &err) != SP_OK || kernel->run(state, 1, NULL, &err) != SP_OK)
        fail(&err);
    return state;
}

static void add_kernel(struct bench *b, const struct sp_kernel *kernel)
{
    struct candidate *c = &b->candidates[b->n++];
    struct sp_error err;
    struct sp_kernel_facts facts;
    *c = (struct candidate){.kernel = kernel, .layout = &b->layout};
    c->state = prepare(b, kernel, &b->layout, &b->dense);
    c->folded = prepare(b, kernel, &b->folded, &b->dense_folded);
    double *result = malloc((size_t)(sp_dense_n_result(&b->w) + 1) * sizeof *result);
    if (kernel->fetch(c->state, result, &err) != SP_OK ||
        sp_verify(&b->w, &(struct sp_dense){.x = b->dense.x}, result, NULL, &err) != SP_OK)
        fail(&err);
    free(result);
    kernel->facts(c->state, &facts);
    c->V = volume_of(&b->layout, facts.store_nt);
    snprintf(c->name, sizeof c->name, "%s%s", kernel->name, facts.store_nt ? " nt" : "");
}

/* Peers get the pages and the first touch of our CRS arrays: what is compared is the code. */
static void add_peers(struct bench *b)
{
    static const struct peer *const peers[] = {&peer_eigen, &peer_librsb, &peer_mkl};
    const struct sp_layout *l = &b->layout;
    struct sp_error err;
    if (l->format != SP_FORMAT_CRS || l->order != SP_ROW_MAJOR || l->index != SP_I32 || l->s_p != 4 ||
        (l->precision != SP_F64 && l->precision != SP_F32))
        return;
    if (sp_large_alloc(&sp_allocator_huge, l->n_c * l->r, l->s_x, "x", &b->peer_x, &err) != SP_OK ||
        sp_large_alloc(&sp_allocator_huge, l->n_r * l->r, l->s_y, "y", &b->peer_y, &err) != SP_OK)
        fail(&err);
    for (int64_t i = 0; i < l->n_c * l->r; i++)
        if (l->precision == SP_F32)
            ((float *)b->peer_x)[i] = (float)b->dense.x[i];
        else
            ((double *)b->peer_x)[i] = b->dense.x[i];
    struct peer_matrix m = {.n_r = sp_to_i32(l->n_r),
                            .n_c = sp_to_i32(l->n_c),
                            .n_nz = sp_to_i32(l->n_nz),
                            .r = l->r,
                            .single_precision = l->precision == SP_F32,
                            .row_ptr = l->ptr,
                            .col = l->col,
                            .val = l->val,
                            .x = b->peer_x,
                            .y = b->peer_y};
    for (size_t p = 0; p < sizeof peers / sizeof *peers; p++) {
        void *state = peers[p]->absent ? NULL : peers[p]->open(&m, l->partition.n_threads);
        if (!state) {
            printf("  %s: skipped, %s\n", peers[p]->name,
                   peers[p]->absent ? peers[p]->absent : "it refused the matrix");
            continue;
        }
        struct candidate *c = &b->candidates[b->n++];
        *c = (struct candidate){.peer = peers[p], .layout = l, .state = state, .V = volume_of(l, false)};
        snprintf(c->name, sizeof c->name, "%s", peers[p]->name);
        peers[p]->run(state);
    }
}

static double seconds_of(const struct candidate *c, void *state, int64_t repetitions)
{
    struct sp_error err;
    double start = now(c->layout);
    if (c->peer)
        c->peer->run(state);
    else if (c->kernel->run(state, repetitions, NULL, &err) != SP_OK)
        fail(&err);
    return now(c->layout) - start;
}

/* Load-only bandwidth on the arrays of a candidate [B/s]; of a peer, on those of its matrix in our layout. */
static double scan_once(const struct candidate *c)
{
    const struct sp_job job =
        c->kernel ? sp_kernel_job(c->kernel, c->state, c->layout) : (struct sp_job){.layout = c->layout};
    uint64_t checksum;
    double start = now(c->layout);
    sp_scan_job(&job, 1, &checksum);
    double end = now(c->layout);
    volatile uint64_t sink = checksum; /* the reads must not be optimised away */
    (void)sink;
    return sp_scan_bytes(&job) / (end - start);
}

static void sample(const struct bench *b, struct candidate *c, const struct sp_workload *w, int i)
{
    double before = scan_once(c), t = seconds_of(c, c->state, 1), after = scan_once(c);
    c->flops[i] = sp_workload_flops(w) / t;
    c->roof[i] = 0.5 * (before + after) * sp_workload_flops(w) / c->V;
    if (c->folded)
        c->core[i] = sp_workload_flops(&b->w_folded) * (double)b->n_folded_runs /
                     seconds_of(c, c->folded, b->n_folded_runs);
}

/* The median, or the best where others use the machine too. */
static double typical(const struct settings *s, const double *x)
{
    return sp_quantile(x, s->n_samples, s->best ? 1 : 0.5);
}

static void print_candidate(const struct bench *b, const struct candidate *c)
{
    const struct settings *s = b->settings;
    double of_bound[MAX_SAMPLES], of_single[MAX_SAMPLES], of_first[MAX_SAMPLES];
    double flops = typical(s, c->flops), core = c->folded ? typical(s, c->core) : 0,
           roof = typical(s, c->roof);
    for (int i = 0; i < s->n_samples; i++) {
        double bound = c->folded && c->core[i] < c->roof[i] ? c->core[i] : c->roof[i];
        of_bound[i] = s->best ? flops / (core > 0 && core < roof ? core : roof) : c->flops[i] / bound;
        of_single[i] = c->flops[i] / (s->best ? typical(s, b->single.flops) : b->single.flops[i]);
        of_first[i] =
            c->flops[i] / (s->best ? typical(s, b->candidates[0].flops) : b->candidates[0].flops[i]);
    }
    printf("    %-24s %7.2f Gflop/s  core %7.2f  roof %7.2f  %5.1f %% of the lower [%5.1f, %5.1f]  %5.2f x "
           "SpMV  %5.2f x the first\n",
           c->name, flops * 1e-9, core * 1e-9, roof * 1e-9, 100 * typical(s, of_bound),
           100 * sp_quantile(of_bound, s->n_samples, 0.25), 100 * sp_quantile(of_bound, s->n_samples, 0.75),
           typical(s, of_single), typical(s, of_first));
}

/* The fastest of ours, or of the peers; NULL: there is none. */
static const struct candidate *fastest(const struct bench *b, bool of_peers)
{
    const struct candidate *first = NULL;
    for (int k = 0; k < b->n; k++) {
        const struct candidate *c = &b->candidates[k];
        if ((c->peer != NULL) == of_peers &&
            (!first || typical(b->settings, c->flops) > typical(b->settings, first->flops)))
            first = c;
    }
    return first;
}

/* | matrix | r | threads | ours | Gflop/s | best peer | ratio | quartiles | rounds | */
static void print_row(const struct bench *b)
{
    const struct candidate *ours = fastest(b, false), *peer = fastest(b, true);
    const int n = b->settings->n_samples;
    double ratio[MAX_SAMPLES];
    if (!ours)
        return;
    printf("| %s | %d | %d | %s | %.1f |", b->spec, (int)b->w.r, b->layout.partition.n_threads, ours->name,
           1e-9 * typical(b->settings, ours->flops));
    for (int i = 0; i < n && peer; i++)
        ratio[i] = ours->flops[i] / peer->flops[i];
    const struct bench_ratio r = peer ? bench_quartiles(ratio, n) : (struct bench_ratio){0};
    if (r.n == 0)
        printf(" - | - | - | %d |\n", n);
    else
        printf(" %s | %.2f | %.2f ... %.2f | %d |\n", peer->name, r.median, r.low, r.high, r.n);
}

/* The rows from the middle on, 256 KiB of the matrix for each thread, with X in half of a small L1. */
static void fold(struct bench *b)
{
    enum { MATRIX_B = 1 << 18, X_B = 1 << 14 };
    const struct sp_csr *a = &b->matrix;
    size_t entry_B = sp_precision_size(b->w.precision) + sp_index_size(b->w.index);
    double share = (double)MATRIX_B * b->w.n_threads / ((double)entry_B * (double)a->n_nz);
    int64_t n_rows = share < 1 ? (int64_t)(share * (double)a->n_r) + 1 : a->n_r;
    int64_t window = X_B / (int64_t)(sp_precision_size(b->w.precision) * (size_t)b->w.r);
    struct sp_error err;
    if (sp_csr_fold(a, (a->n_r - n_rows) / 2, n_rows, window > 1 ? window : 1, &b->part, &err) != SP_OK)
        fail(&err);
    b->w_folded = b->w;
    b->w_folded.matrix = &b->part;
    make_layout(&b->w_folded, &b->folded);
    if (sp_dense_make(&b->w_folded, 1, &b->dense_folded, &err) != SP_OK)
        fail(&err);
    b->n_folded_runs = (int64_t)(4e7 / sp_workload_flops(&b->w_folded)) + 1;
}

/* r single SpMVs: the first kernel of the same format, in f32 where values are shorter. */
static void add_single(struct bench *b)
{
    const struct sp_kernel *best;
    b->w_spmv = b->w;
    b->w_spmv.op = SP_OP_SPMV;
    b->w_spmv.r = 1;
    b->w_spmv.order = SP_ROW_MAJOR;
    if (b->w.precision != SP_F64)
        b->w_spmv.precision = SP_F32;
    make_layout(&b->w_spmv, &b->spmv);
    if (sp_kernel_candidates(&b->spmv, NULL, &best, 1) < 1)
        abort();
    b->single = (struct candidate){.kernel = best, .layout = &b->spmv, .V = volume_of(&b->spmv, false)};
    snprintf(b->single.name, sizeof b->single.name, "%s", best->name);
    b->single.state = prepare(b, best, &b->spmv, &b->dense);
}

static void release(struct bench *b)
{
    for (int k = 0; k < b->n; k++) {
        struct candidate *c = &b->candidates[k];
        if (c->peer) {
            c->peer->close(c->state);
            continue;
        }
        c->kernel->release(c->state);
        c->kernel->release(c->folded);
    }
    b->single.kernel->release(b->single.state);
    sp_large_free(&sp_allocator_huge, b->peer_x, b->layout.n_c * b->layout.r, b->layout.s_x);
    sp_large_free(&sp_allocator_huge, b->peer_y, b->layout.n_r * b->layout.r, b->layout.s_y);
    sp_dense_free(&b->dense);
    sp_dense_free(&b->dense_folded);
    sp_layout_free(&b->layout);
    sp_layout_free(&b->folded);
    sp_layout_free(&b->spmv);
    sp_csr_free(&b->part);
}

static void bench_width(struct bench *b, int32_t r)
{
    const struct settings *s = b->settings;
    struct sp_error err;
    const struct sp_kernel *rows[MAX_CANDIDATES];
    b->n = 0;
    b->peer_x = b->peer_y = NULL;
    b->w = s->workload;
    b->w.matrix = &b->matrix;
    b->w.r = r;
    if (sp_workload_set_format(&b->w, s->format, &err) != SP_OK ||
        sp_dense_make(&b->w, 1, &b->dense, &err) != SP_OK)
        fail(&err);
    make_layout(&b->w, &b->layout);
    fold(b);
    add_single(b);
    int n = sp_kernel_candidates(&b->layout, s->isa, rows, MAX_CANDIDATES - 3);
    for (int k = 0; k < n; k++)
        add_kernel(b, rows[k]);
    add_peers(b);
    for (int i = 0; i < s->n_samples; i++) {
        sample(b, &b->single, &b->w_spmv, i);
        for (int k = 0; k < b->n; k++)
            sample(b, &b->candidates[k], &b->w, i);
    }
    printf("  r = %d, %.2f B/nnz, roof by scans of the matrix; %s alone %.2f Gflop/s\n", (int)r,
           volume_of(&b->layout, false) / (double)b->matrix.n_nz, b->single.name,
           typical(s, b->single.flops) * 1e-9);
    for (int k = 0; k < b->n; k++)
        print_candidate(b, &b->candidates[k]);
    if (s->table)
        print_row(b);
    release(b);
}

static void bench_matrix(const struct settings *s, const char *spec)
{
    struct bench *b = calloc(1, sizeof *b);
    struct sp_error err;
    char count[32];
    b->settings = s;
    b->spec = spec;
    if (sp_generate(spec, NULL, &b->matrix, &err) != SP_OK)
        fail(&err);
    printf("%s: %s entries, %.1f a row; %s %s %s, %d threads\n", spec,
           sp_text_count(count, sizeof count, b->matrix.n_nz), (double)b->matrix.n_nz / (double)b->matrix.n_r,
           sp_op_name(s->workload.op), s->format, sp_precision_name(s->workload.precision),
           s->workload.n_threads);
    for (int i = 0; i < s->n_widths; i++)
        bench_width(b, s->widths[i]);
    sp_csr_free(&b->matrix);
    free(b);
}

static void read_widths(struct settings *s, const char *text)
{
    char *end = (char *)text;
    for (s->n_widths = 0; *end && s->n_widths < MAX_WIDTHS; end += *end == ',')
        s->widths[s->n_widths++] = (int32_t)strtol(end, &end, 10);
}

/* Takes one option with its value; false: not understood. */
static bool read_option(struct settings *s, const char *option, const char *value)
{
    struct sp_workload *w = &s->workload;
    int word = 0;
    if (strcmp(option, "--threads") == 0)
        w->n_threads = atoi(value);
    else if (strcmp(option, "--samples") == 0)
        s->n_samples = atoi(value);
    else if (strcmp(option, "--op") == 0)
        w->op = (enum sp_op)(word = sp_op_from_name(value));
    else if (strcmp(option, "--precision") == 0)
        w->precision = (enum sp_precision)(word = sp_precision_from_name(value));
    else if (strcmp(option, "--index") == 0)
        w->index = (enum sp_index)(word = sp_index_from_name(value));
    else if (strcmp(option, "--order") == 0)
        w->order = strcmp(value, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    else if (strcmp(option, "--format") == 0)
        s->format = value;
    else if (strcmp(option, "--isa") == 0)
        s->isa = value;
    else if (strcmp(option, "--widths") == 0)
        read_widths(s, value);
    else
        return false;
    return word >= 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct settings s = {.n_samples = 11,
                         .n_widths = 5,
                         .widths = {2, 4, 8, 16, 32},
                         .format = "crs",
                         .workload = {.op = SP_OP_SPMMV, .schedule = SP_SCHEDULE_NNZ}};
    const char *spec = "hpcg:96";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--nt") == 0)
            s.nt = true;
        else if (strcmp(argv[i], "--best") == 0)
            s.best = true;
        else if (strcmp(argv[i], "--table") == 0)
            s.table = true;
        else if (argv[i][0] != '-')
            spec = argv[i];
        else if (i + 1 == argc || !read_option(&s, argv[i], argv[i + 1]) || !++i) {
            fprintf(stderr, "bench_dense: do not understand '%s'\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    if (s.n_samples < 1 || s.n_samples > MAX_SAMPLES) {
        fprintf(stderr, "bench_dense: 1 to %d samples\n", MAX_SAMPLES);
        return EXIT_FAILURE;
    }
    struct sp_error err;
    if (bench_pin(&s.workload.n_threads, &err) != SP_OK)
        fail(&err);
    bench_matrix(&s, spec);
    return EXIT_SUCCESS;
}
