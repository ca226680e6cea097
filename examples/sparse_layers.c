/* Inference through a deep sparse network, after the Graph Challenge for sparse deep neural networks.
 *
 * README
 *
 *     sparse_layers --neurons 4096 --layers 120 --batch 1024
 *
 * makes a network of `layers` layers of `neurons` neurons, each of which listens to 32 of the layer before
 * with weights of 1/16 (RadiX-Net, the generator `layer`), writes its weights into one file, and sends a
 * batch of inputs through it: Y' = min(max(W Y + b, 0), 32), one bias b a layer. The features are dense,
 * neurons x batch, in f32; the inputs are 0 or 1, a share of ones between 0 and 0.6 that differs from input
 * to input, so that some die out on the way. Weights stream: while a layer is computed the next one is asked
 * for and the last one is dropped, so that no more than two of them need memory. Layers are multiplied by the
 * kernels of format staged, which copy the rows that a block of neurons shares into a buffer and end the
 * layer in registers.
 *
 * Printed are the rate in edges a second (inputs x connections / time, as the challenge counts), the same in
 * flop/s, and the share of the time that went into waiting for weights. The first layers are compared with a
 * plain reference element by element, and the first inputs are sent through a plain network in double: the
 * same ones have to stay alive.
 *
 * What staging gains is the number of entries for each staged row. The order of the neurons in a layer is
 * free: those that listen to the same ones stand together here. --natural leaves them where they are,
 * --shuffle renames them all, so that neighbours share next to nothing.
 *
 * Files go into --directory, by default a new one in $TMPDIR or /tmp that is removed at the end. */
#include <argp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernels/cpu/spmm/staged.h"
#include "layer_network.h"
#include "layer_reference.h"
#include "sys/machine/pages.h"

enum { MOST = 32 /* the challenge's YMAX */ };

struct settings {
    int neurons, layers, batch, threads, check;
    struct network network;
    const char *tile, *directory;
    char own_tile[32]; /* where none is given */
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2048];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "sparse_layers: %s\n", text);
    exit(EXIT_FAILURE);
}

static void must(enum sp_status status, const struct sp_error *err)
{
    if (status != SP_OK)
        fail(err);
}

/* ---- options ---- */

enum { KEY_SHUFFLE = 0x800, KEY_NATURAL, KEY_CHECK, KEY_TILE, KEY_DIRECTORY };

static const struct argp_option options[] = {
    {"neurons", 'n', "N", 0, "Neurons of a layer, 32 or more (1024)", 0},
    {"layers", 'l', "N", 0, "Layers (120)", 0},
    {"batch", 'b', "N", 0, "Inputs (1024)", 0},
    {"threads", 't', "N", 0, "Threads (all that there are)", 0},
    {"shuffle", KEY_SHUFFLE, "SEED", 0, "Rename the neurons at random", 0},
    {"natural", KEY_NATURAL, NULL, 0, "Leave the neurons of a layer in their natural order", 0},
    {"tile", KEY_TILE, "T_I,T_K", 0,
     "Rows of a block, columns of a tile (a block a thread, at most 2048; 64)", 0},
    {"check", KEY_CHECK, "N", 0, "Inputs and layers that are compared with the reference (3)", 0},
    {"directory", KEY_DIRECTORY, "DIR", 0, "Where the weights are written (a temporary directory)", 0},
    {0},
};

static int count_of(const char *text, struct argp_state *state)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *end || n < 0 || n > 100000000)
        argp_error(state, "'%s' is no whole number that makes sense here", text);
    return (int)n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct settings *s = state->input;
    switch (key) {
    case 'n':
        s->neurons = count_of(arg, state);
        return 0;
    case 'l':
        s->layers = count_of(arg, state);
        return 0;
    case 'b':
        s->batch = count_of(arg, state);
        return 0;
    case 't':
        s->threads = count_of(arg, state);
        return 0;
    case KEY_SHUFFLE:
        s->network.shuffle = count_of(arg, state);
        return 0;
    case KEY_NATURAL:
        s->network.grouped = false;
        return 0;
    case KEY_CHECK:
        s->check = count_of(arg, state);
        return 0;
    case KEY_TILE:
        s->tile = arg;
        return 0;
    case KEY_DIRECTORY:
        s->directory = arg;
        return 0;
    case ARGP_KEY_END:
        if (s->neurons < 32 || s->layers < 1 || s->batch < 1 || s->batch > SP_MAX_WIDTH || s->threads < 1)
            argp_error(state, "at least 32 neurons, a layer, a thread and 1 to %d inputs are needed",
                       SP_MAX_WIDTH);
        s->network.n_neurons = s->neurons;
        if (!s->tile) {
            const int rows = (s->neurons + s->threads - 1) / s->threads;
            snprintf(s->own_tile, sizeof s->own_tile, "%d,64", rows < 2048 ? rows : 2048);
            s->tile = s->own_tile;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the network ---- */

static void make_layer(const struct settings *s, int layer, struct sp_csr *w)
{
    struct sp_error err;
    must(network_layer(&s->network, layer, w, &err), &err);
}

static void write_network(const struct settings *s, const char *path, struct layer_file *file)
{
    struct sp_error err;
    char format[64];
    snprintf(format, sizeof format, "staged:%s", s->tile);
    must(layer_file_create(path, s->layers, file, &err), &err);
    for (int i = 0; i < s->layers; i++) {
        struct sp_csr a;
        struct sp_layout l;
        struct sp_workload w = {.op = SP_OP_SPMM,
                                .r = s->batch,
                                .precision = SP_F32,
                                .schedule = SP_SCHEDULE_NNZ,
                                .n_threads = s->threads,
                                .matrix = &a};
        make_layer(s, i, &a);
        must(sp_workload_set_format(&w, format, &err), &err);
        must(sp_workload_check(&w, &err), &err);
        must(sp_layout_make(&w, true, NULL, &l, &err), &err);
        must(layer_file_add(file, i, &l, &err), &err);
        sp_csr_free(&a);
    }
    must(layer_file_map(file, &err), &err);
}

/* ---- inference ---- */

struct inference {
    const struct settings *s;
    const struct layer_file *file;
    struct sp_layer_epilogue epilogue;
    float *x, *y; /* [neurons x batch] features before and after a layer */
    char *work;   /* [threads x work_B] */
    size_t work_B;
    double stream_s, compute_s;
};

/* Waits until a layer is in memory: every page is touched. */
static void wait_for(const struct inference *in, int layer)
{
    const struct layer *l = &in->file->layer[layer];
    const char *from = in->file->map + l->offset;
    const int64_t page = sysconf(_SC_PAGESIZE);
    int64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(in->s->threads) reduction(+ : sum)
    for (int64_t at = 0; at < l->size; at += page)
        sum += ((const volatile char *)from)[at];
    volatile int64_t sink = sum; /* the reads must not be optimised away */
    (void)sink;
}

static void multiply(const struct inference *in, int layer)
{
    const struct sp_layout *l = &in->file->layer[layer].layout;
    const struct sp_dense_body body = sp_staged_body(l);
    const struct sp_dense_args args = {
        .layout = l,
        .val = l->val,
        .col = l->col,
        .ptr = l->ptr,
        .len = l->len,
        .x = in->x,
        .y = in->y,
        .r = l->r,
        .ld_x = l->ld_x,
        .ld_y = l->ld_y,
        .n_r = l->n_r,
        .n_c = l->n_c,
        .C = l->C,
        .wide_ptr = l->s_p == sizeof(int64_t),
        .epilogue = &in->epilogue,
    };
#pragma omp parallel num_threads(in->s->threads)
    for (int t = omp_get_thread_num(); t < in->s->threads; t += omp_get_num_threads()) {
        struct sp_dense_args mine = args;
        int64_t cursor = 0, first, end;
        mine.thread = t;
        mine.work = in->work + (size_t)t * in->work_B;
        while (sp_partition_next(&l->partition, t, &cursor, &first, &end))
            body.units(&mine, first, end);
    }
}

/* One layer; the features after it are in x then. Returns the wrong elements among those compared. */
static int64_t do_layer(struct inference *in, int layer)
{
    const double start = sp_now();
    wait_for(in, layer);
    layer_file_want(in->file, layer + 1);
    const double there = sp_now();
    multiply(in, layer);
    const double done = sp_now();
    layer_file_drop(in->file, layer);
    in->compute_s += done - there;
    in->stream_s += there - start + (sp_now() - done);
    int64_t wrong = 0;
    if (layer < in->s->check) {
        struct sp_csr w;
        make_layer(in->s, layer, &w);
        wrong = reference_differences(&w, in->x, in->y, in->s->batch, in->s->batch, in->epilogue.bias, MOST);
        sp_csr_free(&w);
    }
    float *swap = in->x;
    in->x = in->y;
    in->y = swap;
    return wrong;
}

static void open_inference(const struct settings *s, const struct layer_file *file, struct inference *in)
{
    struct sp_error err;
    const int64_t n = (int64_t)s->neurons * s->batch;
    void *x, *y, *work;
    *in = (struct inference){
        .s = s, .file = file, .epilogue = {.bias = network_bias(&s->network), .most = MOST}};
    for (int i = 0; i < s->layers; i++) {
        const size_t bytes = sp_staged_work_bytes(&file->layer[i].layout);
        in->work_B = bytes > in->work_B ? bytes : in->work_B;
    }
    must(sp_large_alloc(&sp_allocator_huge, n, sizeof *in->x, "features", &x, &err), &err);
    must(sp_large_alloc(&sp_allocator_huge, n, sizeof *in->y, "features", &y, &err), &err);
    must(sp_large_alloc(NULL, s->threads, in->work_B, "buffers", &work, &err), &err);
    in->x = x;
    in->y = y;
    in->work = work;
#pragma omp parallel for schedule(static) num_threads(s->threads)
    for (int64_t i = 0; i < s->neurons; i++)
        for (int64_t k = 0; k < s->batch; k++) {
            in->x[i * s->batch + k] = network_input(i, k);
            in->y[i * s->batch + k] = 0;
        }
}

static void close_inference(struct inference *in)
{
    const int64_t n = (int64_t)in->s->neurons * in->s->batch;
    sp_large_free(&sp_allocator_huge, in->x, n, sizeof *in->x);
    sp_large_free(&sp_allocator_huge, in->y, n, sizeof *in->y);
    sp_large_free(NULL, in->work, in->s->threads, in->work_B);
}

/* ---- categories: which inputs stay alive ---- */

static bool alive(const struct inference *in, int64_t input)
{
    for (int64_t i = 0; i < in->s->neurons; i++)
        if (in->x[i * in->s->batch + input] > 0)
            return true;
    return false;
}

/* Inputs among the first ones whose fate differs from that in a plain network. */
static int64_t wrong_categories(const struct inference *in, int64_t n)
{
    const struct settings *s = in->s;
    const struct network plain = {.n_neurons = s->neurons, .shuffle = s->network.shuffle};
    const int64_t size = s->neurons * n;
    double *x = calloc((size_t)size + 1, sizeof *x), *y = calloc((size_t)size + 1, sizeof *y);
    for (int64_t i = 0; i < size; i++)
        x[i] = (double)network_input(i / n, i % n);
    for (int layer = 0; layer < s->layers; layer++) {
        struct sp_csr w;
        struct sp_error err;
        must(network_layer(&plain, layer, &w, &err), &err);
        reference_layer(&w, x, y, n, n, in->epilogue.bias, MOST);
        sp_csr_free(&w);
        double *swap = x;
        x = y;
        y = swap;
    }
    int64_t wrong = 0;
    for (int64_t k = 0; k < n; k++) {
        bool lives = false;
        for (int64_t i = 0; i < s->neurons; i++)
            lives = lives || x[i * n + k] > 0;
        wrong += lives != alive(in, k);
    }
    free(x);
    free(y);
    return wrong;
}

static void report(const struct inference *in, int64_t n_alive)
{
    const struct settings *s = in->s;
    const double edges = 32.0 * s->neurons * s->layers * s->batch, time_s = in->compute_s + in->stream_s;
    int64_t n_nz = 0, n_list = 0;
    for (int i = 0; i < s->layers; i++) {
        n_nz += in->file->layer[i].layout.n_nz;
        n_list += in->file->layer[i].layout.n_list;
    }
    printf("%d layers of %d neurons, %d inputs, %d threads, tile %s%s\n", s->layers, s->neurons, s->batch,
           s->threads, s->tile,
           s->network.shuffle   ? ", shuffled"
           : s->network.grouped ? ""
                                : ", natural order");
    printf("weights     %.1f MB in one file, %.1f entries for each staged row\n",
           1e-6 * (double)in->file->size, (double)n_nz / (double)n_list);
    printf("time        %.3f s, of which %.1f %% waiting for weights\n", time_s, 100 * in->stream_s / time_s);
    printf("rate        %.2f Gedges/s, %.1f Gflop/s; computing alone %.2f Gedges/s\n", 1e-9 * edges / time_s,
           2e-9 * edges / time_s, 1e-9 * edges / in->compute_s);
    printf("categories  %lld of %d inputs stay alive\n", (long long)n_alive, s->batch);
}

int main(int argc, char **argv)
{
    struct settings s = {.neurons = 1024,
                         .layers = 120,
                         .batch = 1024,
                         .threads = omp_get_max_threads(),
                         .check = 3,
                         .network = {.grouped = true}};
    const struct argp argp = {options, parse, NULL, "Sends a batch of inputs through a deep sparse network.",
                              NULL,    NULL,  NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &s);

    const char *parent = getenv("TMPDIR");
    char directory[3000], path[4000];
    snprintf(directory, sizeof directory, "%s/sparse_layers-XXXXXX", parent ? parent : "/tmp");
    if (!s.directory && !mkdtemp(directory)) {
        perror(directory);
        return EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "%s/weights.bin", s.directory ? s.directory : directory);

    struct layer_file file;
    struct inference in;
    int64_t wrong = 0, n_alive = 0;
    write_network(&s, path, &file);
    open_inference(&s, &file, &in);
    for (int layer = 0; layer < s.layers; layer++)
        wrong += do_layer(&in, layer);
    for (int64_t k = 0; k < s.batch; k++)
        n_alive += alive(&in, k);
    const int64_t n_compared = s.check == 0 ? 0 : s.batch < 16 ? s.batch : 16;
    const int64_t n_wrong_fates = n_compared > 0 ? wrong_categories(&in, n_compared) : 0;
    report(&in, n_alive);
    close_inference(&in);
    layer_file_close(&file, !s.directory);
    if (!s.directory)
        rmdir(directory);
    if (wrong || n_wrong_fates) {
        printf("WRONG: %lld elements of the first layers, %lld categories\n", (long long)wrong,
               (long long)n_wrong_fates);
        return EXIT_FAILURE;
    }
    printf("check       %d layers and the fates of %lld inputs are all right\n",
           s.check < s.layers ? s.check : s.layers, (long long)n_compared);
    return EXIT_SUCCESS;
}
