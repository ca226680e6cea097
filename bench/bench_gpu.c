/* GPU kernels beside cuSPARSE and cuBLAS, on one device, with equal copies of the same arrays:
 *
 *   bench_gpu [--op spmv|spmmv|spmm|sddmm|fusedmm] [--precision P] [--index I] [--width R] [--rounds N]
 *             [--format F]... [--peers] [--parts] MATRIX...
 *   bench_gpu --libraries
 *
 * MATRIX is a file or gen:KIND. --format: formats of ours instead of the usual ones. --peers: the libraries
 * too, each in all its algorithms and orders. --parts: the kernel on matrix units with parts of it left away
 * (f16; C: skips absent blocks, B: tiles of the width, T: asynchronous copies). --libraries: finds the
 * libraries and ends; that needs no GPU.
 *
 * All candidates run in turn, N rounds: several times in a row (warm), then once after the L2 was filled with
 * other data by reading (cold); times are the device's, medians of the rounds. Preprocessing of libraries is
 * timed apart. A ratio is the median over the rounds of the best peer's time by the time of our kernel in
 * that round, above 1: ours is faster. The best peer is that of least median; ours is the kernel that the
 * model, given this device's ceilings, expects to be fastest before anything runs, and where hindsight knows
 * a faster one it is named. Operations that it does not model go by hindsight. The roof is the read bandwidth
 * that the device reached in this run; bytes are those of the arrays once each. Without a GPU: a sentence,
 * exit 4.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/samples.h"
#include "base/text.h"
#include "gpu_peers.h"
#include "io/matrix_load.h"
#include "kernels/gpu_module.h"
#include "model/gpu_predict.h"
#include "session/measure_gpu.h"
#include "sparse/dense.h"
#include "sparse/verify.h"

enum {
    MAX_ROUNDS = 101,
    MAX_FORMS = 8,
    MAX_ROWS = 48,
    MAX_MATRICES = 256,
    MAX_KERNELS = 16,
    EXIT_USAGE = 2,
    EXIT_ABSENT = 4
};
/* A format that stores more than this many times the bytes of CRS is left out. */
static const double MOST_FILL = 16;
/* A warm sample is to take this long [s]. */
static const double SAMPLE_S = 2e-3;

struct settings {
    struct sp_workload workload;
    const char *formats[MAX_FORMS], *matrices[MAX_MATRICES];
    int n_formats, n_matrices, n_rounds;
    bool with_peers, with_parts, only_libraries;
};

struct device {
    const struct sp_gpu_module *module;
    const struct gpu_peers *peers; /* NULL: without */
    struct sp_gpu_device facts;
    void *arena;
    size_t arena_B;
    double roof;               /* [B/s] */
    struct sp_machine machine; /* measured in the beginning: what the model goes by */
};

/* A layout that several rows share. */
struct form {
    struct sp_workload workload;
    struct sp_layout layout;
};

struct row {
    char name[112];
    const struct form *form;
    const struct sp_kernel *kernel; /* ours, by the table */
    const struct gpu_peer *peer;    /* else by the module, with parts left away */
    void *state;
    double preprocess_s;
    double expected_s; /* by the model, warm; NAN: not modelled */
    int64_t repetitions;
    double warm_s[MAX_ROUNDS], cold_s[MAX_ROUNDS];
};

struct bench {
    const struct settings *settings;
    const struct device *device;
    struct sp_csr matrix;
    struct sp_dense_arrays arrays;
    struct form forms[MAX_FORMS];
    struct row rows[MAX_ROWS];
    int n_forms, n_rows;
};

/* Ratios of all matrices, for the geometric mean. */
struct ratios {
    double warm_log, cold_log;
    int n;
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_gpu: %s\n", text);
    exit(err->status == SP_ABSENT || err->status == SP_MEMORY ? EXIT_ABSENT : EXIT_FAILURE);
}

static struct sp_operands operands_of(const struct bench *b)
{
    return (struct sp_operands){.x = b->arrays.x, .rows = b->arrays.rows, .second = b->arrays.second};
}

static bool is_ours(const struct row *row)
{
    return !row->peer;
}

static enum sp_status run_row(const struct bench *b, struct row *row, int64_t n, double *seconds,
                              struct sp_error *err)
{
    struct sp_run_stats stats = {seconds, 1};
    *seconds = 0;
    if (row->peer)
        return b->device->peers->run(row->state, n, seconds, err);
    if (row->kernel)
        return row->kernel->run(row->state, n, &stats, err);
    return b->device->module->run(row->state, n, &stats, err);
}

static enum sp_status fetch_row(const struct bench *b, struct row *row, double *result, struct sp_error *err)
{
    if (row->peer)
        return b->device->peers->fetch(row->state, result, err);
    if (row->kernel)
        return row->kernel->fetch(row->state, result, err);
    return b->device->module->fetch(row->state, result, err);
}

static void release_row(const struct bench *b, struct row *row)
{
    if (row->peer)
        b->device->peers->release(row->state);
    else if (row->kernel)
        row->kernel->release(row->state);
    else
        b->device->module->release(row->state);
}

/* One run, its result against the reference, and how many runs make a sample. */
static enum sp_status try_row(const struct bench *b, struct row *row, struct sp_error *err)
{
    const struct sp_workload *w = &row->form->workload;
    struct sp_dense dense = sp_dense_of(&b->arrays);
    struct sp_spmv_check check;
    void *result;
    double seconds;
    enum sp_status status = sp_new_array(sp_dense_n_result(w), sizeof(double), "the result", &result, err);
    if (status == SP_OK)
        status = run_row(b, row, 1, &seconds, err);
    if (status == SP_OK)
        status = fetch_row(b, row, result, err);
    if (status == SP_OK)
        status = sp_verify(w, &dense, result, &check, err);
    if (status == SP_OK)
        status = run_row(b, row, 1, &seconds, err);
    free(result);
    row->repetitions = status == SP_OK && seconds > 0 ? (int64_t)(SAMPLE_S / seconds) + 1 : 1;
    return status;
}

/* Keeps the row that was prepared, or says why it is not there. */
static void keep_row(struct bench *b, enum sp_status status, const struct sp_error *why)
{
    struct row *row = &b->rows[b->n_rows];
    struct sp_error err = *why;
    if (status == SP_OK) {
        status = try_row(b, row, &err);
        if (status == SP_OK) {
            b->n_rows++;
            return;
        }
        release_row(b, row);
    }
    printf("  %-44s left out: %s\n", row->name, err.what);
}

static struct row *new_row(struct bench *b, const struct form *form, const char *name)
{
    struct row *row = &b->rows[b->n_rows];
    char format[64];
    memset(row, 0, sizeof *row);
    sp_workload_format_text(&form->workload, format, sizeof format);
    row->form = form;
    row->expected_s = NAN;
    snprintf(row->name, sizeof row->name, "%s, %s", name, format);
    return row;
}

static double expected(const struct bench *b, const struct form *form, const struct sp_kernel *kernel)
{
    struct sp_gpu_launch launch;
    struct sp_gpu_prediction p;
    if (sp_gpu_launch_make(&form->layout, (enum sp_gpu_map)kernel->gpu_map, 0, &launch, NULL) != SP_OK ||
        sp_gpu_predict(&form->layout, &launch, &b->device->machine, sp_workload_flops(&form->workload), true,
                       NULL, &p, NULL) != SP_OK)
        return NAN;
    return sp_value_known(p.roofline.time_s) ? p.roofline.time_s.value : NAN;
}

static void add_parts(struct bench *b, const struct form *form)
{
    struct sp_operands operands = operands_of(b);
    struct sp_gpu_launch launch;
    struct sp_error err = {.status = SP_OK};
    for (unsigned on = 0; on < SP_GPU_MMA_ALL && b->n_rows < MAX_ROWS; on++) {
        char name[32];
        snprintf(name, sizeof name, "cuda-mma %s%s%s%s", on & SP_GPU_MMA_SKIP ? "C" : "",
                 on & SP_GPU_MMA_TILES ? "B" : "", on & SP_GPU_MMA_ASYNC ? "T" : "", on ? "" : "bare");
        struct row *row = new_row(b, form, name);
        enum sp_status status = sp_gpu_launch_make(&form->layout, SP_GPU_MMA, 0, &launch, &err);
        if (status == SP_OK)
            status = sp_gpu_launch_switch(&form->layout, on, &launch, &err);
        if (status == SP_OK)
            status = b->device->module->prepare(&launch, &form->layout, &operands, &row->state, &err);
        keep_row(b, status, &err);
    }
}

static void add_ours(struct bench *b, const struct form *form)
{
    const struct sp_kernel *kernels[MAX_KERNELS];
    struct sp_operands operands = operands_of(b);
    const int n = sp_kernel_candidates(&form->layout, "cuda", kernels, MAX_KERNELS);
    for (int i = 0; i < n && b->n_rows < MAX_ROWS; i++) {
        struct sp_error err = {.status = SP_OK};
        struct row *row = new_row(b, form, strrchr(kernels[i]->name, '/') + 1);
        row->kernel = kernels[i];
        row->expected_s = expected(b, form, kernels[i]);
        keep_row(b, row->kernel->prepare(&form->layout, &operands, &row->state, &err), &err);
        if (b->settings->with_parts && strcmp(kernels[i]->name, "spmm/bcsr/cuda-mma") == 0)
            add_parts(b, form);
    }
}

/* SpMM of the libraries is also SpMMV. */
static enum sp_op peer_op(enum sp_op op)
{
    return op == SP_OP_SPMMV ? SP_OP_SPMM : op;
}

static void add_peers(struct bench *b, const struct form *form)
{
    const struct gpu_peers *peers = b->device->peers;
    struct sp_operands operands = operands_of(b);
    for (int i = 0; peers && i < peers->n && b->n_rows < MAX_ROWS; i++) {
        const struct gpu_peer *peer = &peers->peer[i];
        if (peer->op != peer_op(form->workload.op) || peer->format != form->workload.format ||
            (peer->format == SP_FORMAT_SELL && form->workload.sigma > 1))
            continue;
        struct sp_error err = {.status = SP_OK};
        struct row *row = new_row(b, form, peer->name);
        row->peer = peer;
        keep_row(b,
                 peers->prepare(peer, &form->workload, &form->layout, &operands, &row->state,
                                &row->preprocess_s, &err),
                 &err);
    }
}

static void add_form(struct bench *b, const char *text)
{
    struct form *form = &b->forms[b->n_forms];
    struct sp_workload *w = &form->workload, crs;
    struct sp_error err;
    *w = b->settings->workload;
    w->matrix = &b->matrix;
    if (sp_workload_set_format(w, text, &err) != SP_OK)
        fail(&err);
    if (sp_workload_check(w, &err) != SP_OK) {
        printf("  %-44s left out: %s\n", text, err.what);
        return;
    }
    crs = *w;
    crs.format = SP_FORMAT_CRS;
    if (sp_layout_bytes_bound(w, true) > MOST_FILL * sp_layout_bytes_bound(&crs, true)) {
        printf("  %-44s left out: more than %g times the bytes of CRS\n", text, MOST_FILL);
        return;
    }
    if (sp_layout_make(w, true, NULL, &form->layout, &err) != SP_OK)
        fail(&err);
    b->n_forms++;
    add_ours(b, form);
    add_peers(b, form);
}

static void add_forms(struct bench *b)
{
    static const char *const usual[SP_N_OPS][MAX_FORMS] = {
        [SP_OP_SPMV] = {"crs", "sell:32,1", "sell:32,256"},
        [SP_OP_SPMMV] = {"crs", "sell:32,1", "sell:32,256"},
        [SP_OP_SPMM] = {"crs", "staged:64,64", "bcsr:8x8", "bcsr:16x16", "bcsr:32x32"},
        [SP_OP_SDDMM] = {"crs", "coo", "tiled:64,32"},
        [SP_OP_FUSEDMM] = {"crs"}};
    const struct settings *s = b->settings;
    for (int i = 0; i < s->n_formats; i++)
        add_form(b, s->formats[i]);
    for (int i = 0; s->n_formats == 0 && i < MAX_FORMS && usual[s->workload.op][i]; i++)
        add_form(b, usual[s->workload.op][i]);
}

/* Reads other data until nothing else is in the L2. */
static void scrub(const struct device *d)
{
    struct sp_gpu_ceiling_case c = {.kind = SP_GPU_CEILING_LOAD, .bytes = d->arena_B, .repetitions = 1};
    struct sp_error err;
    double value, seconds;
    if (d->module->ceilings->sample(d->arena, &c, &value, &seconds, &err) != SP_OK)
        fail(&err);
}

static void measure(struct bench *b)
{
    struct sp_error err;
    for (int i = 0; i < b->settings->n_rounds; i++)
        for (int k = 0; k < b->n_rows; k++) {
            struct row *row = &b->rows[k];
            if (run_row(b, row, row->repetitions, &row->warm_s[i], &err) != SP_OK)
                fail(&err);
            row->warm_s[i] /= (double)row->repetitions;
            scrub(b->device);
            if (run_row(b, row, 1, &row->cold_s[i], &err) != SP_OK)
                fail(&err);
        }
}

static double bytes_of(const struct sp_layout *l)
{
    return sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_X) +
           sp_layout_array_bytes(l, SP_ARRAY_ROWS) + sp_layout_array_bytes(l, SP_ARRAY_Y);
}

static void print_row(const struct bench *b, const struct row *row)
{
    const int n = b->settings->n_rounds;
    const double warm = sp_median(row->warm_s, n), cold = sp_median(row->cold_s, n);
    const double bytes = bytes_of(&row->form->layout), flops = sp_workload_flops(&row->form->workload);
    char before[32] = "";
    if (row->peer)
        snprintf(before, sizeof before, "%.3g ms before", row->preprocess_s * 1e3);
    printf("  %-44s warm %9.2f us  cold %9.2f us  %8.1f Gflop/s  %6.2f B/nnz  %5.1f %% of the roof  %s\n",
           row->name, warm * 1e6, cold * 1e6, flops / warm * 1e-9, bytes / (double)b->matrix.n_nz,
           100 * bytes / cold / b->device->roof, before);
}

/* Of ours or of the peers that of least median time, NULL: none. */
static const struct row *best(const struct bench *b, bool ours, bool cold)
{
    const struct row *found = NULL;
    double least = INFINITY;
    for (int k = 0; k < b->n_rows; k++) {
        const struct row *row = &b->rows[k];
        const double t = sp_median(cold ? row->cold_s : row->warm_s, b->settings->n_rounds);
        if (is_ours(row) == ours && t < least) {
            least = t;
            found = row;
        }
    }
    return found;
}

/* Ours that the model chose, NULL: it knows none of them. */
static const struct row *chosen(const struct bench *b)
{
    const struct row *found = NULL;
    for (int k = 0; k < b->n_rows; k++)
        if (is_ours(&b->rows[k]) && isfinite(b->rows[k].expected_s) &&
            (!found || b->rows[k].expected_s < found->expected_s))
            found = &b->rows[k];
    return found;
}

static double print_ratio(const struct bench *b, bool cold)
{
    const struct row *fastest = best(b, true, cold), *their = best(b, false, cold);
    const struct row *our = chosen(b) ? chosen(b) : fastest;
    double ratio[MAX_ROUNDS];
    if (our && our != fastest)
        printf("  %s: the model chose %s, %s is faster\n", cold ? "cold" : "warm", our->name, fastest->name);
    if (!our || !their)
        return NAN;
    for (int i = 0; i < b->settings->n_rounds; i++)
        ratio[i] = cold ? their->cold_s[i] / our->cold_s[i] : their->warm_s[i] / our->warm_s[i];
    struct sp_value v = sp_median_interval(ratio, b->settings->n_rounds, SP_MEASURED);
    printf("  %s: %s is %.3f (%.3f to %.3f) times as fast as %s\n", cold ? "cold" : "warm", our->name,
           v.value, v.lo, v.hi, their->name);
    return v.value;
}

static void release(struct bench *b)
{
    for (int k = 0; k < b->n_rows; k++)
        release_row(b, &b->rows[k]);
    for (int i = 0; i < b->n_forms; i++)
        sp_layout_free(&b->forms[i].layout);
    sp_dense_free(&b->arrays);
    sp_csr_free(&b->matrix);
    free(b);
}

static void bench_matrix(const struct settings *s, const struct device *d, const char *name,
                         struct ratios *ratios)
{
    struct sp_error err;
    struct sp_workload w = s->workload;
    char count[32];
    struct bench *b = calloc(1, sizeof *b);
    if (!b)
        exit(EXIT_ABSENT);
    b->settings = s;
    b->device = d;
    if (sp_matrix_load(name, NULL, &b->matrix, NULL, &err) != SP_OK)
        fail(&err);
    w.matrix = &b->matrix;
    if (sp_dense_make(&w, 1, &b->arrays, &err) != SP_OK)
        fail(&err);
    printf("%s: %s entries, %.1f a row; %s of width %d, %s\n", name,
           sp_text_count(count, sizeof count, b->matrix.n_nz), (double)b->matrix.n_nz / (double)b->matrix.n_r,
           sp_op_name(w.op), (int)sp_workload_width(&w), sp_precision_name(w.precision));
    add_forms(b);
    measure(b);
    for (int k = 0; k < b->n_rows; k++)
        print_row(b, &b->rows[k]);
    const double warm = print_ratio(b, false), cold = print_ratio(b, true);
    if (warm > 0 && cold > 0) {
        ratios->warm_log += log(warm);
        ratios->cold_log += log(cold);
        ratios->n++;
    }
    release(b);
}

static void open_arena(struct device *d)
{
    enum { SAMPLES = 5 };
    struct sp_error err;
    double roof[SAMPLES], seconds;
    d->arena_B = 4 * d->facts.L2_B > d->facts.free_B / 8 ? d->facts.free_B / 8 : 4 * d->facts.L2_B;
    if (d->module->ceilings->open(d->arena_B, &d->arena, &err) != SP_OK)
        fail(&err);
    struct sp_gpu_ceiling_case c = {.kind = SP_GPU_CEILING_LOAD, .bytes = d->arena_B, .repetitions = 10};
    for (int i = 0; i < SAMPLES; i++)
        if (d->module->ceilings->sample(d->arena, &c, &roof[i], &seconds, &err) != SP_OK)
            fail(&err);
    d->roof = sp_median(roof, SAMPLES);
    printf("%s, compute capability %d.%d, %d cores, CUDA %d.%d, driver for %d.%d; %.0f GB/s read\n",
           d->facts.name, d->facts.major, d->facts.minor, d->facts.n_cores, d->facts.runtime / 1000,
           d->facts.runtime % 1000 / 10, d->facts.driver / 1000, d->facts.driver % 1000 / 10, d->roof * 1e-9);
}

static const struct gpu_peers *open_peers(void)
{
    union {
        void *address;
        gpu_peers_of *function;
    } symbol;
    struct sp_error err;
    if (sp_module_file_symbol(GPU_PEERS_FILE, GPU_PEERS_SYMBOL, &symbol.address, &err) != SP_OK)
        fail(&err);
    const struct gpu_peers *peers = symbol.function();
    if (peers->abi != GPU_PEERS_ABI || peers->layout_size != sizeof(struct sp_layout)) {
        sp_fail(&err, SP_ABSENT, "build both together", "%s is of another build", GPU_PEERS_FILE);
        fail(&err);
    }
    if (peers->find(&err) != SP_OK)
        fail(&err);
    return peers;
}

/* Takes one option with its value; false: not understood. */
static bool read_option(struct settings *s, const char *option, const char *value)
{
    struct sp_workload *w = &s->workload;
    int word = 0;
    int64_t n = 0;
    if (strcmp(option, "--op") == 0)
        w->op = (enum sp_op)(word = sp_op_from_name(value));
    else if (strcmp(option, "--precision") == 0)
        w->precision = (enum sp_precision)(word = sp_precision_from_name(value));
    else if (strcmp(option, "--index") == 0)
        w->index = (enum sp_index)(word = sp_index_from_name(value));
    else if (strcmp(option, "--width") == 0)
        w->r = (int32_t)(word = sp_parse_count(value, &n) || n < 1 || n > SP_MAX_WIDTH ? -1 : (int)n);
    else if (strcmp(option, "--rounds") == 0)
        s->n_rounds = word = sp_parse_count(value, &n) || n < 1 || n > MAX_ROUNDS ? -1 : (int)n;
    else if (strcmp(option, "--format") == 0 && s->n_formats < MAX_FORMS)
        s->formats[s->n_formats++] = value;
    else
        return false;
    return word >= 0;
}

static bool read_options(struct settings *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool understood = true;
        if (strcmp(argv[i], "--peers") == 0)
            s->with_peers = true;
        else if (strcmp(argv[i], "--parts") == 0)
            s->with_parts = true;
        else if (strcmp(argv[i], "--libraries") == 0)
            s->only_libraries = true;
        else if (argv[i][0] != '-' && s->n_matrices < MAX_MATRICES)
            s->matrices[s->n_matrices++] = argv[i];
        else
            understood = i + 1 < argc && read_option(s, argv[i], argv[i + 1]) && ++i;
        if (!understood) {
            fprintf(stderr,
                    "bench_gpu: do not understand '%s'%s%s\n"
                    "usage: bench_gpu [--op spmv|spmmv|spmm|sddmm|fusedmm] [--precision f64|f32|f16|bf16]\n"
                    "    [--index i32|i64] [--width 1..%d] [--rounds 1..%d] [--format F]... [--peers]\n"
                    "    [--parts] MATRIX...      or: bench_gpu --libraries\n",
                    argv[i], i + 1 < argc ? " before " : "", i + 1 < argc ? argv[i + 1] : "", SP_MAX_WIDTH,
                    MAX_ROUNDS);
            return false;
        }
    }
    if (s->n_matrices == 0)
        s->matrices[s->n_matrices++] = "gen:hpcg:96";
    return true;
}

static void print_means(const struct ratios *r)
{
    if (r->n > 1)
        printf("geometric means over %d matrices: warm %.3f, cold %.3f\n", r->n, exp(r->warm_log / r->n),
               exp(r->cold_log / r->n));
}

int main(int argc, char **argv)
{
    struct settings s = {.n_rounds = 21, .workload = {.n_threads = 1}};
    struct device d = {.peers = NULL};
    struct ratios ratios = {.n = 0};
    struct sp_error err;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!read_options(&s, argc, argv))
        return EXIT_USAGE;
    if (s.only_libraries) {
        printf("%d peers of cuSPARSE and cuBLAS are there\n", open_peers()->n);
        return EXIT_SUCCESS;
    }
    if (s.workload.op != SP_OP_SPMV && s.workload.r == 0)
        s.workload.r = 32;
    if (sp_gpu_module_open(&d.module, &err) != SP_OK || d.module->describe(&d.facts, &err) != SP_OK)
        fail(&err);
    if (s.with_peers) {
        d.peers = open_peers();
        if (d.peers->open(&err) != SP_OK)
            fail(&err);
    }
    const struct sp_measure_options quick = {.quick = true};
    if (sp_machine_measure_gpu(&quick, &d.machine, NULL, NULL, &err) != SP_OK)
        fail(&err);
    open_arena(&d);
    for (int i = 0; i < s.n_matrices; i++)
        bench_matrix(&s, &d, s.matrices[i], &ratios);
    print_means(&ratios);
    d.module->ceilings->close(d.arena);
    sp_machine_free(&d.machine);
    if (d.peers)
        d.peers->close();
    return EXIT_SUCCESS;
}
