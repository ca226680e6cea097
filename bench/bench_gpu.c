/* GPU kernels beside cuSPARSE and cuBLAS, on one device, with equal copies of the same arrays:
 *
 *   bench_gpu [--op spmv|spmmv|spmm|sddmm|fusedmm] [--precision P] [--index I] [--width R] [--rounds N]
 *             [--seconds S] [--machine FILE] [--format F]... [--peers] [--parts] MATRIX...
 *   bench_gpu --libraries
 *
 * MATRIX is a file or gen:KIND. --format: formats of ours instead of the usual ones. --peers: the
 * libraries too, where they are there, each in all its algorithms and orders. --parts: the kernel
 * on matrix units with parts of it left away (f16; C: skips absent blocks, B: tiles of the width,
 * T: asynchronous copies). --libraries: finds the libraries and ends; that needs no GPU.
 *
 * What each candidate takes is printed when it was tried and found right; peers that take longer
 * than 0.2 s are not timed further. Then all candidates run in turn, N rounds, or those that begin
 * within S seconds of the matrix: several times in a row (warm), then once after the L2 was filled
 * with other data by reading (cold); times are the device's, medians of the rounds. Preprocessing
 * of libraries is timed apart. A ratio is the median over the rounds of the best peer's time by the
 * time of our kernel in that round, above 1: ours is faster. The best peer is that of least median;
 * ours is the kernel that the model, given this device's ceilings (measured first, or those of
 * --machine), expects to be fastest before anything runs, and where hindsight knows a faster one it
 * is named. What it does not model goes by hindsight. The roof is the read bandwidth that the
 * device reached in this run; bytes are those of the arrays once each. Without a GPU: a sentence,
 * exit 4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "base/text.h"
#include "gpu_bench.h"
#include "io/machine/machine_file.h"
#include "io/matrix/matrix_load.h"
#include "session/measure/machine.h"

/* Ratios of all matrices, for the geometric mean. */
struct ratios {
    double warm_log, cold_log;
    int n;
};

static void bench_matrix(const struct settings *s, const struct device *d, const char *name,
                         struct ratios *ratios)
{
    struct sp_error err;
    struct sp_workload w = s->workload;
    char count[32];
    struct bench *b = calloc(1, sizeof *b);
    if (!b)
        exit(EXIT_ABSENT);
    b->begun_at = sp_now();
    b->settings = s;
    b->device = d;
    if (sp_matrix_load(name, NULL, &b->matrix, NULL, &err) != SP_OK)
        bench_fail(&err);
    w.matrix = &b->matrix;
    if (sp_dense_make(&w, 1, &b->arrays, &err) != SP_OK)
        bench_fail(&err);
    printf("%s: %s entries, %.1f a row; %s of width %d, %s\n", name,
           sp_text_count(count, sizeof count, b->matrix.n_nz), (double)b->matrix.n_nz / (double)b->matrix.n_r,
           sp_op_name(w.op), (int)sp_workload_width(&w), sp_precision_name(w.precision));
    bench_add_forms(b);
    bench_measure(b);
    for (int k = 0; k < b->n_rows; k++)
        bench_print_row(b, &b->rows[k]);
    const double warm = bench_print_ratio(b, false), cold = bench_print_ratio(b, true);
    if (warm > 0 && cold > 0) {
        ratios->warm_log += log(warm);
        ratios->cold_log += log(cold);
        ratios->n++;
    }
    bench_release(b);
}

static void open_arena(struct device *d)
{
    enum { SAMPLES = 5 };
    struct sp_error err;
    double roof[SAMPLES], seconds;
    d->arena_B = 4 * d->facts.L2_B > d->facts.free_B / 8 ? d->facts.free_B / 8 : 4 * d->facts.L2_B;
    if (d->module->ceilings->open(d->arena_B, &d->arena, &err) != SP_OK)
        bench_fail(&err);
    struct sp_gpu_ceiling_case c = {.kind = SP_GPU_CEILING_LOAD, .bytes = d->arena_B, .repetitions = 10};
    for (int i = 0; i < SAMPLES; i++)
        if (d->module->ceilings->sample(d->arena, &c, &roof[i], &seconds, &err) != SP_OK)
            bench_fail(&err);
    d->roof = sp_median(roof, SAMPLES);
    printf("%s, compute capability %d.%d, %d cores, CUDA %d.%d, driver for %d.%d; %.0f GB/s read\n",
           d->facts.name, d->facts.major, d->facts.minor, d->facts.n_cores, d->facts.runtime / 1000,
           d->facts.runtime % 1000 / 10, d->facts.driver / 1000, d->facts.driver % 1000 / 10, d->roof * 1e-9);
}

static void take_machine(const struct settings *s, struct device *d)
{
    const struct sp_measure_options quick = {.quick = true};
    struct sp_error err;
    char remarks[512];
    const enum sp_status status =
        s->machine ? sp_machine_file_read(s->machine, &d->machine, remarks, sizeof remarks, &err)
                   : sp_machine_measure_gpu(&quick, &d->machine, NULL, NULL, &err);
    if (status != SP_OK)
        bench_fail(&err);
}

static const struct gpu_peers *find_peers(struct sp_error *err)
{
    union {
        void *address;
        gpu_peers_of *function;
    } symbol;
    if (sp_module_file_symbol(GPU_PEERS_FILE, GPU_PEERS_SYMBOL, &symbol.address, err) != SP_OK)
        return NULL;
    const struct gpu_peers *peers = symbol.function();
    if (peers->abi != GPU_PEERS_ABI || peers->layout_size != sizeof(struct sp_layout)) {
        sp_fail(err, SP_ABSENT, "build both together", "%s is of another build", GPU_PEERS_FILE);
        return NULL;
    }
    return peers->find(err) == SP_OK ? peers : NULL;
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
    else if (strcmp(option, "--seconds") == 0)
        s->seconds = (double)(word = sp_parse_count(value, &n) || n < 1 || n > MOST_SECONDS ? -1 : (int)n);
    else if (strcmp(option, "--machine") == 0)
        s->machine = value;
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
                    "    [--index i32|i64] [--width 1..%d] [--rounds 1..%d] [--seconds S]\n"
                    "    [--machine FILE] [--format F]... [--peers] [--parts] MATRIX...      or: bench_gpu "
                    "--libraries\n",
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
        const struct gpu_peers *peers = find_peers(&err);
        if (!peers)
            bench_fail(&err);
        if (peers->without_blas())
            printf("cuSPARSE is there, cuBLAS is not: %s\n", peers->without_blas());
        else
            printf("%d peers of cuSPARSE and cuBLAS are there\n", peers->n);
        return EXIT_SUCCESS;
    }
    if (s.workload.op != SP_OP_SPMV && s.workload.r == 0)
        s.workload.r = 32;
    if (sp_gpu_module_open(SP_GPU_CUDA, &d.module, &err) != SP_OK ||
        d.module->describe(&d.facts, &err) != SP_OK)
        bench_fail(&err);
    if (s.with_peers) {
        d.peers = find_peers(&err);
        if (!d.peers || d.peers->open(&err) != SP_OK) {
            printf("without peers: %s\n", err.what);
            d.peers = NULL;
        }
    }
    take_machine(&s, &d);
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
