/* SpMM from staged rows against SpMM row by row. For each matrix and width all candidates run once a round,
 * in turn; what is printed is the best rate of each and the median over the rounds of its speed over that of
 * the first, a plain loop over rows of CRS whose tile of the width is held in registers. All results are
 * checked.
 *
 *     bench_staged [--threads N] [--samples N] [--width R]... [--format F]... [gen spec ...]
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "kernels/kernel.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"
#include "sys/machine/pages.h"

enum { MAX_CANDIDATES = 16, MAX_SAMPLES = 200, MAX_LIST = 8, LANES = 16 };

struct settings {
    int n_threads, n_samples, n_widths, n_formats;
    int32_t width[MAX_LIST];
    const char *format[MAX_LIST];
};

struct candidate {
    char name[64];
    const struct sp_kernel *kernel; /* NULL: the plain loop */
    void *state;
    int layout;
    double seconds[MAX_SAMPLES];
};

struct bench {
    const struct settings *settings;
    struct sp_workload w;
    struct sp_dense_arrays arrays;
    struct sp_layout layout[MAX_LIST + 1]; /* the first one: CRS */
    double made_s[MAX_LIST + 1];
    struct candidate candidate[MAX_CANDIDATES];
    int n_layouts, n;
    float *x, *y;
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2048];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_staged: %s\n", text);
    exit(EXIT_FAILURE);
}

/* ---- the plain loop ---- */

typedef float vector __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* Columns [first, first + n LANES) of one row of Y. */
static inline __attribute__((always_inline)) void row_tile(const struct sp_layout *l, const float *x,
                                                           float *y, int64_t row, int64_t first, const int n)
{
    const float *val = l->val;
    const int32_t *col = l->col, *ptr = l->ptr;
    vector sum[16] = {0};
    for (int64_t j = ptr[row]; j < ptr[row + 1]; j++) {
        const float *from = x + (int64_t)col[j] * l->r + first;
#pragma GCC unroll 16
        for (int k = 0; k < n; k++)
            sum[k] += val[j] * *(const vector *)(from + k * LANES);
    }
#pragma GCC unroll 16
    for (int k = 0; k < n; k++)
        *(vector *)(y + row * l->r + first + k * LANES) = sum[k];
}

static void plain_loop(const struct sp_layout *l, const float *x, float *y)
{
    const struct sp_partition *p = &l->partition;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads())
        for (int64_t row = p->begin[t]; row < p->begin[t + 1]; row++) {
            int64_t k = 0;
            for (; k + 16 * LANES <= l->r; k += 16 * LANES)
                row_tile(l, x, y, row, k, 16);
            for (; k + 4 * LANES <= l->r; k += 4 * LANES)
                row_tile(l, x, y, row, k, 4);
            for (; k < l->r; k += LANES)
                row_tile(l, x, y, row, k, 1);
        }
}

/* ---- candidates ---- */

static void check(const struct bench *b, const double *y)
{
    struct sp_error err;
    struct sp_spmv_check result;
    struct sp_dense dense = sp_dense_of(&b->arrays);
    if (sp_verify(&b->w, &dense, y, &result, &err) != SP_OK)
        fail(&err);
}

static void run(const struct bench *b, const struct candidate *c)
{
    struct sp_error err;
    if (!c->kernel)
        plain_loop(&b->layout[0], b->x, b->y);
    else if (c->kernel->run(c->state, 1, NULL, &err) != SP_OK)
        fail(&err);
}

static void add_plain(struct bench *b)
{
    const int64_t n_x = sp_dense_n_x(&b->w), n_y = sp_dense_n_result(&b->w);
    struct sp_error err;
    void *x, *y;
    if (sp_large_alloc(&sp_allocator_huge, n_x, sizeof(float), "X", &x, &err) != SP_OK ||
        sp_large_alloc(&sp_allocator_huge, n_y, sizeof(float), "Y", &y, &err) != SP_OK)
        fail(&err);
    b->x = x;
    b->y = y;
    for (int64_t i = 0; i < n_x; i++)
        b->x[i] = (float)b->arrays.x[i];
    struct candidate *c = &b->candidate[b->n++];
    snprintf(c->name, sizeof c->name, "CRS, plain loop");
    run(b, c);
    double *result = malloc((size_t)n_y * sizeof *result);
    for (int64_t i = 0; i < n_y; i++)
        result[i] = (double)b->y[i];
    check(b, result);
    free(result);
}

/* The best kernel of a layout, where there is one. */
static void add_kernel(struct bench *b, int layout, const char *format)
{
    const struct sp_layout *l = &b->layout[layout];
    const struct sp_kernel *kernel;
    struct sp_error err;
    if (b->n == MAX_CANDIDATES || sp_kernel_candidates(l, NULL, &kernel, 1) == 0)
        return;
    struct candidate *c = &b->candidate[b->n++];
    struct sp_operands operands = {.x = b->arrays.x, .allocator = &sp_allocator_huge};
    double *result = malloc((size_t)sp_dense_n_result(&b->w) * sizeof *result);
    c->kernel = kernel;
    c->layout = layout;
    if (kernel->prepare(l, &operands, &c->state, &err) != SP_OK ||
        kernel->run(c->state, 1, NULL, &err) != SP_OK || kernel->fetch(c->state, result, &err) != SP_OK)
        fail(&err);
    check(b, result);
    free(result);
    snprintf(c->name, sizeof c->name, "%s %s", format, strrchr(kernel->name, '/') + 1);
}

static void add_layout(struct bench *b, const char *format)
{
    struct sp_error err;
    struct sp_workload w = b->w;
    struct sp_layout *l = &b->layout[b->n_layouts];
    if (sp_workload_set_format(&w, format, &err) != SP_OK)
        fail(&err);
    for (int i = 0; i < 2; i++) { /* the second time memory and threads are there */
        sp_layout_free(l);
        const double start = sp_now();
        if (sp_layout_make(&w, true, &sp_allocator_huge, l, &err) != SP_OK)
            fail(&err);
        b->made_s[b->n_layouts] = sp_now() - start;
    }
    if (b->n_layouts++ == 0)
        add_plain(b);
    add_kernel(b, b->n_layouts - 1, format);
}

/* ---- rounds ---- */

static double best(const double *x, int n)
{
    double least = x[0];
    for (int i = 1; i < n; i++)
        least = x[i] < least ? x[i] : least;
    return least;
}

static void report(const struct bench *b)
{
    const int n = b->settings->n_samples;
    const double flops = sp_workload_flops(&b->w);
    for (int i = 0; i < b->n; i++) {
        const struct candidate *c = &b->candidate[i];
        double ratio[MAX_SAMPLES];
        for (int k = 0; k < n; k++)
            ratio[k] = b->candidate[0].seconds[k] / c->seconds[k];
        printf("    %-24s %7.2f Gflop/s  %5.2f times the plain loop", c->name,
               1e-9 * flops / best(c->seconds, n), sp_median(ratio, n));
        const struct sp_layout *l = &b->layout[c->layout];
        if (l->format == SP_FORMAT_STAGED)
            printf("  reuse %5.1f  beta %.2f  made in %.1f SpMMs", (double)l->n_nz / (double)l->n_list,
                   (double)l->n_nz / (double)l->n_stored, b->made_s[c->layout] / best(c->seconds, n));
        printf("\n");
    }
}

static void close_bench(struct bench *b)
{
    for (int i = 0; i < b->n; i++)
        if (b->candidate[i].kernel)
            b->candidate[i].kernel->release(b->candidate[i].state);
    for (int i = 0; i < b->n_layouts; i++)
        sp_layout_free(&b->layout[i]);
    sp_large_free(&sp_allocator_huge, b->x, sp_dense_n_x(&b->w), sizeof *b->x);
    sp_large_free(&sp_allocator_huge, b->y, sp_dense_n_result(&b->w), sizeof *b->y);
    sp_dense_free(&b->arrays);
}

static void bench_width(const struct settings *s, const struct sp_csr *a, int32_t r)
{
    static struct bench b;
    memset(&b, 0, sizeof b);
    b.settings = s;
    b.w = (struct sp_workload){.op = SP_OP_SPMM,
                               .r = r,
                               .precision = SP_F32,
                               .schedule = SP_SCHEDULE_NNZ,
                               .n_threads = s->n_threads,
                               .matrix = a};
    struct sp_error err;
    if (r < 1 || r % LANES != 0) {
        fprintf(stderr, "bench_staged: widths must be multiples of %d\n", LANES);
        exit(EXIT_FAILURE);
    }
    if (sp_dense_make(&b.w, 1, &b.arrays, &err) != SP_OK)
        fail(&err);
    add_layout(&b, "crs");
    for (int f = 0; f < s->n_formats; f++)
        add_layout(&b, s->format[f]);
    printf("  r = %d, X %.0f MB\n", (int)r, 4e-6 * (double)sp_dense_n_x(&b.w));
    for (int i = 0; i < s->n_samples; i++)
        for (int c = 0; c < b.n; c++) {
            const double start = sp_now();
            run(&b, &b.candidate[c]);
            b.candidate[c].seconds[i] = sp_now() - start;
        }
    report(&b);
    close_bench(&b);
}

static void bench_matrix(const struct settings *s, const char *spec)
{
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(spec, &sp_allocator_huge, &a, &err) != SP_OK)
        fail(&err);
    printf("%s: %lld rows, %.1f entries a row\n", spec, (long long)a.n_r, (double)a.n_nz / (double)a.n_r);
    for (int i = 0; i < s->n_widths; i++)
        bench_width(s, &a, s->width[i]);
    sp_csr_free(&a);
}

int main(int argc, char **argv)
{
    static const char *const specs[] = {
        "block:65536:64:2", "band:65536:200:0.1", "layer:65536:0", "layer:65536:2",
        "hpcg:40",          "random:65536:32",    "powerlaw:16:32"};
    struct settings s = {.n_threads = omp_get_max_threads(), .n_samples = 7};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--threads") == 0)
            s.n_threads = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--samples") == 0)
            s.n_samples = atoi(argv[i + 1]) < MAX_SAMPLES ? atoi(argv[i + 1]) : MAX_SAMPLES;
        else if (strcmp(argv[i], "--width") == 0 && s.n_widths < MAX_LIST)
            s.width[s.n_widths++] = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--format") == 0 && s.n_formats < MAX_LIST)
            s.format[s.n_formats++] = argv[i + 1];
    }
    if (s.n_widths == 0) {
        s.n_widths = 3;
        memcpy(s.width, (const int32_t[]){32, 128, 512}, 3 * sizeof *s.width);
    }
    if (s.n_formats == 0) {
        s.n_formats = 2;
        s.format[0] = "staged:256,64";
        s.format[1] = "staged:1024,64";
    }
    if (i == argc)
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
            bench_matrix(&s, specs[k]);
    for (; i < argc; i++)
        bench_matrix(&s, argv[i]);
    return 0;
}
