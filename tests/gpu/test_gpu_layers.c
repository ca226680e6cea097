/* Layers of a sparse network, Y' = min(max(W X + bias, 0), most), on GPUs and CPUs: kernels of SpMM
 * in STAGED end them while the results are in registers, against the plain definition in
 * examples/layer_reference.h; and weights that exceed the memory of a GPU. */
#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "kernels/gpu_module.h"
#include "layer_reference.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/generate/generate.h"
#include "sparse/product/workload.h"

/* Some sums of the small matrices are below, between and above. */
static const struct sp_layer_epilogue layer_end = {.bias = -0.25, .most = 1.5};

struct layer {
    struct sp_workload w;
    struct sp_layout l;
    struct sp_dense_arrays arrays; /* x rounded to f32 */
    double *y;
};

static void open_layer(const struct sp_csr *a, const char *format, int32_t r, enum sp_precision precision,
                       struct layer *layer)
{
    struct sp_error err;
    *layer =
        (struct layer){.w = {.matrix = a, .op = SP_OP_SPMM, .r = r, .precision = precision, .n_threads = 1}};
    ck_assert_int_eq(sp_workload_set_format(&layer->w, format, NULL), SP_OK);
    if (sp_layout_make(&layer->w, true, NULL, &layer->l, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    ck_assert_int_eq(sp_dense_make(&layer->w, 3, &layer->arrays, NULL), SP_OK);
    for (int64_t i = 0; i < sp_dense_n_x(&layer->w); i++)
        layer->arrays.x[i] = (float)layer->arrays.x[i];
    layer->y = malloc((size_t)(sp_dense_n_result(&layer->w) + 1) * sizeof *layer->y);
}

static void close_layer(struct layer *layer)
{
    free(layer->y);
    sp_dense_free(&layer->arrays);
    sp_layout_free(&layer->l);
}

static void run_layer(const struct sp_kernel *kernel, struct layer *layer)
{
    const struct sp_operands operands = {.x = layer->arrays.x, .epilogue = &layer_end};
    struct sp_error err;
    void *state;
    if (kernel->prepare(&layer->l, &operands, &state, &err) != SP_OK ||
        kernel->run(state, 1, NULL, &err) != SP_OK || kernel->fetch(state, layer->y, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    kernel->release(state);
}

static float *in_f32(const double *from, int64_t n)
{
    float *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)from[i];
    return to;
}

static int64_t wrong_f32(const struct layer *layer)
{
    const int32_t r = layer->w.r;
    float *x = in_f32(layer->arrays.x, sp_dense_n_x(&layer->w));
    float *y = in_f32(layer->y, sp_dense_n_result(&layer->w));
    const int64_t wrong = reference_differences(layer->w.matrix, x, y, r, r, layer_end.bias, layer_end.most);
    free(x);
    free(y);
    return wrong;
}

static int64_t wrong_f64(const struct layer *layer)
{
    const int64_t n = sp_dense_n_result(&layer->w);
    const int32_t r = layer->w.r;
    int64_t wrong = 0;
    double *y = malloc((size_t)(n + 1) * sizeof *y);
    reference_layer(layer->w.matrix, layer->arrays.x, y, r, r, layer_end.bias, layer_end.most);
    for (int64_t i = 0; i < n; i++)
        wrong += !(fabs(layer->y[i] - y[i]) <= 1e-13);
    free(y);
    return wrong;
}

static void check_layer(const struct sp_kernel *kernel, struct layer *layer)
{
    run_layer(kernel, layer);
    const int64_t wrong = layer->w.precision == SP_F64 ? wrong_f64(layer) : wrong_f32(layer);
    if (wrong > 0)
        ck_abort_msg("%s, r = %d, %s: %lld elements are wrong", kernel->name, (int)layer->w.r,
                     sp_precision_name(layer->w.precision), (long long)wrong);
}

static bool has_layers(const struct sp_kernel *kernel, const struct sp_layout *l)
{
    const bool has_driver = kernel->api == SP_GPU_CUDA || getenv("SP_TESTS_OPENCL");
    return kernel->rank > 0 && !kernel->absent && has_driver && sp_kernel_is_for(kernel, l) &&
           kernel->available(NULL) == SP_OK && (!kernel->accepts || kernel->accepts(l, NULL) == SP_OK);
}

START_TEST(layers_end_as_defined)
{
    static const char *const formats[] = {"staged:16,64", "staged:8,7"};
    static const int32_t widths[] = {1, 5, 16, 33, 70};
    struct sp_csr a = small_matrix(_i);
    for (int i = 0; i < 10 && !sp_csr_is_complex(&a); i++)
        for (int precision = 0; precision <= SP_F32; precision++) {
            struct layer layer;
            int n = 0;
            open_layer(&a, formats[i % 2], widths[i / 2], precision, &layer);
            for (int k = 0; sp_kernel_table[k]; k++)
                if (has_layers(sp_kernel_table[k], &layer.l)) {
                    check_layer(sp_kernel_table[k], &layer);
                    n++;
                }
            ck_assert_int_ge(n, 2); /* the portable one and the GPU's */
            close_layer(&layer);
        }
    sp_csr_free(&a);
}
END_TEST

/* The bounds of the layer are reached, and what lies between them, too: else the test above would
 * say little. */
START_TEST(layers_reach_their_bounds)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct layer layer;
    int64_t n_zero = 0, n_most = 0, n = 0;
    open_layer(&a, "staged:16,64", 33, SP_F64, &layer);
    run_layer(sp_kernel_find("spmm/staged/cuda-stage"), &layer);
    for (; n < sp_dense_n_result(&layer.w); n++) {
        n_zero += layer.y[n] == 0;
        n_most += layer.y[n] == layer_end.most;
    }
    ck_assert(n_zero > n / 10 && n_most > n / 100 && n_zero + n_most < n);
    close_layer(&layer);
    sp_csr_free(&a);
}
END_TEST

/* Every other kernel says that it ends no layer, rather than leave the end out. */
START_TEST(others_refuse_layers)
{
    static const struct {
        enum sp_op op;
        const char *format;
    } cases[] = {{SP_OP_SPMV, "crs"},  {SP_OP_SPMV, "sell:32,1"}, {SP_OP_SPMMV, "crs"},
                 {SP_OP_SPMM, "crs"},  {SP_OP_SPMM, "bcsr:8x8"},  {SP_OP_SDDMM, "staged:16,64"},
                 {SP_OP_SDDMM, "crs"}, {SP_OP_FUSEDMM, "crs"}};
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_workload w = {.matrix = &a, .op = cases[i].op, .r = 8, .n_threads = 1};
        struct sp_dense_arrays arrays;
        struct sp_layout l;
        struct sp_error err;
        ck_assert_int_eq(sp_workload_set_format(&w, cases[i].format, NULL), SP_OK);
        w.r = w.op == SP_OP_SPMV ? 1 : 8;
        ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
        ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
        const struct sp_operands operands = {
            .x = arrays.x, .rows = arrays.rows, .second = arrays.second, .epilogue = &layer_end};
        for (int k = 0; sp_kernel_table[k]; k++) {
            void *state = &l;
            if (!has_layers(sp_kernel_table[k], &l))
                continue;
            ck_assert_int_eq(sp_kernel_table[k]->prepare(&l, &operands, &state, &err), SP_ABSENT);
            ck_assert_ptr_null(state);
        }
        sp_dense_free(&arrays);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

/* NULL with a printed reason where the module is a real one, whose memory cannot be made small. */
static const struct sp_executor *the_executor(void)
{
    union {
        void *address;
        sp_executor_of *function;
    } symbol = {NULL};
    void *handle = dlopen(SP_GPU_MODULE_FILE, RTLD_NOW | RTLD_NODELETE);
    if (handle)
        symbol.address = dlsym(handle, SP_EXECUTOR_SYMBOL);
    if (!symbol.address)
        printf("SKIPPED: the module that was found runs on a GPU, whose memory is what it is\n");
    return symbol.address ? symbol.function() : NULL;
}

static double dense_bytes(const struct sp_layout *l)
{
    return (double)(l->n_c + l->n_r) * (double)l->r * (double)l->s_x;
}

/* Three executions on a device of so many bytes: the same result as with memory enough, `expected`,
 * where the weights are streamed; their bytes, 0 where they were refused. */
static double stream_layer(const struct sp_executor *executor, struct layer *layer, int64_t bytes,
                           const double *expected)
{
    const struct sp_kernel *kernel = sp_kernel_find("spmm/staged/cuda-stage");
    const struct sp_operands operands = {.x = layer->arrays.x, .epilogue = &layer_end};
    const size_t result_B = (size_t)sp_dense_n_result(&layer->w) * sizeof *expected;
    struct sp_kernel_facts facts;
    struct sp_error err;
    void *state;
    executor->memory(bytes);
    enum sp_status status = kernel->prepare(&layer->l, &operands, &state, &err);
    if (status != SP_OK) {
        ck_assert_int_eq(status, SP_MEMORY);
        ck_assert_msg(strstr(err.what, "MB") != NULL, "%s", err.what);
        executor->memory(0);
        return 0;
    }
    for (int i = 0; i < 2; i++)
        if (kernel->run(state, 2 - i, NULL, &err) != SP_OK)
            ck_abort_msg("%lld bytes: %s", (long long)bytes, err.what);
    kernel->facts(state, &facts);
    ck_assert_int_eq(kernel->fetch(state, layer->y, &err), SP_OK);
    ck_assert_mem_eq(layer->y, expected, result_B);
    ck_assert_int_le(executor->most_used(), bytes);
    kernel->release(state);
    executor->memory(0);
    return facts.streamed_B;
}

/* From a device that holds everything down to one that holds no block: streamed in between. */
START_TEST(weights_are_streamed)
{
    static const char *const names[] = {"random:600:40", "laplace2d:40", "powerlaw:9:30"};
    const struct sp_executor *executor = the_executor();
    struct sp_csr a;
    struct layer layer;
    struct sp_error err;
    if (!executor)
        return;
    if (sp_generate(names[_i / 2], NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    open_layer(&a, "staged:16,64", 9 + _i, _i % 2 ? SP_F32 : SP_F64, &layer);
    run_layer(sp_kernel_find("spmm/staged/cuda-stage"), &layer);
    const size_t n = (size_t)sp_dense_n_result(&layer.w);
    double *expected = malloc(n * sizeof *expected);
    memcpy(expected, layer.y, n * sizeof *expected);
    const double matrix_B = sp_layout_matrix_bytes(&layer.l);
    int n_streamed = 0, n_refused = 0;
    for (int part = 24; part >= 0; part -= 2) {
        const int64_t bytes = (int64_t)(dense_bytes(&layer.l) + part * matrix_B / 20);
        struct sp_gpu_device before, after;
        const struct sp_gpu_module *module;
        ck_assert_int_eq(sp_gpu_module_open(SP_GPU_CUDA, &module, &err), SP_OK);
        ck_assert_int_eq(module->describe(&before, &err), SP_OK);
        const double streamed_B = stream_layer(executor, &layer, bytes, expected);
        ck_assert(streamed_B == 0 || (part < 24 && streamed_B > 0.9 * matrix_B));
        n_streamed += streamed_B > 0;
        n_refused += streamed_B == 0 && part < 20;
        ck_assert_int_eq(module->describe(&after, &err), SP_OK);
        ck_assert_uint_eq(before.free_B, after.free_B);
    }
    ck_assert(n_streamed >= 3 && n_refused >= 1);
    free(expected);
    close_layer(&layer);
    sp_csr_free(&a);
}
END_TEST

/* What streams no weights says what is too large. */
START_TEST(others_are_refused)
{
    static const char *const names[] = {"spmm/crs/cuda-row", "spmm/crs/cuda-share"};
    const struct sp_executor *executor = the_executor();
    struct sp_csr a;
    struct layer layer;
    struct sp_error err;
    void *state;
    if (!executor)
        return;
    ck_assert_int_eq(sp_generate("random:600:40", NULL, &a, &err), SP_OK);
    open_layer(&a, "crs", 16, SP_F64, &layer);
    executor->memory((int64_t)(dense_bytes(&layer.l) + sp_layout_matrix_bytes(&layer.l) / 2));
    for (int i = 0; i < 2; i++) {
        const struct sp_operands operands = {.x = layer.arrays.x};
        ck_assert_int_eq(sp_kernel_find(names[i])->prepare(&layer.l, &operands, &state, &err), SP_MEMORY);
        ck_assert_msg(strstr(err.what, "matrix and operands take") != NULL, "%s", err.what);
    }
    executor->memory(0);
    close_layer(&layer);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu_layers");
    TCase *tcase = tcase_create("gpu_layers");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, layers_end_as_defined, 0, N_SMALL_MATRICES);
    tcase_add_test(tcase, layers_reach_their_bounds);
    tcase_add_test(tcase, others_refuse_layers);
    tcase_add_loop_test(tcase, weights_are_streamed, 0, 6);
    tcase_add_test(tcase, others_are_refused);
    return run_suite(suite);
}
