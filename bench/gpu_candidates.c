/* Kernels of ours and of the libraries for all formats, prepared and tried once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gpu_bench.h"
#include "model/gpu/gpu_predict.h"
#include "sparse/formats/format_ids.h"
#include "sparse/product/verify.h"

/* A format that stores more than this many times the bytes of CRS is left out. */
static const double MOST_FILL = 16;
/* A warm sample is to take this long [s]. */
static const double SAMPLE_S = 2e-3;
/* A peer that takes longer for one run is not timed any more [s]: some take 1000 times as long. The
 * first run may load code, so that it has another try below MUCH_TOO_SLOW_S. */
static const double SLOW_S = 0.2, MUCH_TOO_SLOW_S = 2;

_Noreturn void bench_fail(const struct sp_error *err)
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

enum sp_status bench_run_row(const struct bench *b, struct row *row, int64_t n, double *seconds,
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

/* One run, its result against the reference, and how many runs make a sample. *slow: it takes too
 * long to be run again. */
static enum sp_status try_row(const struct bench *b, struct row *row, bool *slow, struct sp_error *err)
{
    const struct sp_workload *w = &row->form->workload;
    struct sp_dense dense = sp_dense_of(&b->arrays);
    struct sp_spmv_check check;
    void *result;
    double seconds;
    enum sp_status status = sp_new_array(sp_dense_n_result(w), sizeof(double), "the result", &result, err);
    if (status == SP_OK)
        status = bench_run_row(b, row, 1, &seconds, err);
    if (status == SP_OK)
        status = fetch_row(b, row, result, err);
    if (status == SP_OK)
        status = sp_verify(w, &dense, result, &check, err);
    if (status == SP_OK && !(row->peer && seconds > MUCH_TOO_SLOW_S))
        status = bench_run_row(b, row, 1, &seconds, err);
    *slow = row->peer && seconds > SLOW_S;
    if (status == SP_OK)
        printf("  %-44s tried %8.2f us, the result is right%s\n", row->name, seconds * 1e6,
               *slow ? "; too slow to be timed further" : "");
    free(result);
    row->repetitions = status == SP_OK && seconds > 0 ? (int64_t)(SAMPLE_S / seconds) + 1 : 1;
    return status;
}

/* Keeps the row that was prepared, unless it is slow, or says why it is not there. */
static void keep_row(struct bench *b, enum sp_status status, const struct sp_error *why)
{
    struct row *row = &b->rows[b->n_rows];
    struct sp_error err = *why;
    bool slow = false;
    if (status == SP_OK) {
        status = try_row(b, row, &slow, &err);
        if (status == SP_OK && !slow) {
            b->n_rows++;
            return;
        }
        release_row(b, row);
    }
    if (status == SP_OK)
        return;
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
        bench_fail(&err);
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
        bench_fail(&err);
    b->n_forms++;
    add_ours(b, form);
    add_peers(b, form);
}

void bench_add_forms(struct bench *b)
{
    static const char *const usual[SP_N_OPS][MAX_FORMS] = {
        [SP_OP_SPMV] = {"crs", "sell:32,1", "sell:32,256"},
        [SP_OP_SPMMV] = {"crs", "sell:32,1", "sell:32,256"},
        [SP_OP_SPMM] = {"crs", "staged:64,64", "bcsr:8x1", "bcsr:16x1", "bcsr:8x8", "bcsr:16x16",
                        "bcsr:32x32"},
        [SP_OP_SDDMM] = {"crs", "coo", "tiled:64,32"},
        [SP_OP_FUSEDMM] = {"crs"}};
    const struct settings *s = b->settings;
    for (int i = 0; i < s->n_formats; i++)
        add_form(b, s->formats[i]);
    for (int i = 0; s->n_formats == 0 && i < MAX_FORMS && usual[s->workload.op][i]; i++)
        add_form(b, usual[s->workload.op][i]);
}

void bench_release(struct bench *b)
{
    for (int k = 0; k < b->n_rows; k++)
        release_row(b, &b->rows[k]);
    for (int i = 0; i < b->n_forms; i++)
        sp_layout_free(&b->forms[i].layout);
    sp_dense_free(&b->arrays);
    sp_csr_free(&b->matrix);
    free(b);
}
