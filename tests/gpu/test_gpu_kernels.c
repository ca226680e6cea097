/* GPU kernels on the CPU: the shared object that stands in for the GPU module runs the same bodies
 * through an executor that checks every access. Where a real module is found instead, on a machine
 * with a GPU, the same cases run there, and what only the executor can tell is skipped. */
#include <check.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "kernels/gpu_module.h"
#include "run_suite.h"
#include "share.h"
#include "small_matrices.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"

/* NULL with a printed reason where the module is a real one. */
static const struct sp_executor *the_executor(void)
{
    void *handle = dlopen(SP_GPU_MODULE_FILE, RTLD_NOW | RTLD_NODELETE);
    if (!handle)
        ck_abort_msg("%s", dlerror());
    union {
        void *address;
        sp_executor_of *function;
    } symbol = {dlsym(handle, SP_EXECUTOR_SYMBOL)};
    if (!symbol.address)
        printf("SKIPPED: the module that was found runs on a GPU, the executor's checks do not apply\n");
    return symbol.address ? symbol.function() : NULL;
}

static void check_kernel(const struct sp_kernel *kernel, const struct sp_workload *w,
                         const struct sp_layout *l, const struct sp_dense *dense)
{
    struct sp_operands operands = {.x = dense->x, .rows = dense->rows, .second = dense->second};
    struct sp_error err;
    void *state;
    double seconds = 0;
    struct sp_run_stats stats = {&seconds, 1};
    char format[64];
    sp_workload_format_text(w, format, sizeof format);
    if (kernel->prepare(l, &operands, &state, &err) != SP_OK)
        ck_abort_msg("%s, %s: %s", kernel->name, format, err.what);
    if (kernel->run(state, 2, &stats, &err) != SP_OK)
        ck_abort_msg("%s, %s, %s, %s: %s", kernel->name, format, sp_precision_name(w->precision),
                     sp_index_name(w->index), err.what);
    ck_assert_double_gt(seconds, 0);
    int64_t n = sp_dense_n_result(w);
    double *result = malloc((size_t)(n + 1) * sizeof *result);
    ck_assert_int_eq(kernel->fetch(state, result, &err), SP_OK);
    struct sp_spmv_check check;
    if (sp_verify(w, dense, result, &check, &err) != SP_OK)
        ck_abort_msg("%s, %s, %s, %s: %s", kernel->name, format, sp_precision_name(w->precision),
                     sp_index_name(w->index), err.what);
    free(result);
    kernel->release(state);
}

/* All GPU rows of the table that are for this workload; how many there were. */
static int check_workload(const struct sp_workload *w)
{
    struct sp_layout l;
    struct sp_error err;
    int n = 0;
    if (sp_workload_check(w, NULL) != SP_OK)
        return 0;
    if (sp_layout_make(w, true, NULL, &l, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    struct sp_dense_arrays arrays;
    ck_assert_int_eq(sp_dense_make(w, 3, &arrays, NULL), SP_OK);
    struct sp_dense dense = sp_dense_of(&arrays);
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *kernel = sp_kernel_table[i];
        if (!kernel->on_gpu || kernel->api != SP_GPU_CUDA || !sp_kernel_is_for(kernel, &l) ||
            kernel->accepts(&l, NULL) != SP_OK)
            continue;
        if (kernel->available(&err) != SP_OK)
            ck_abort_msg("%s: %s", kernel->name, err.what);
        check_kernel(kernel, w, &l, &dense);
        n++;
    }
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    return n;
}

/* How many kernels SpMV in CRS has: one of them where a row is long. */
static int n_of_crs(const struct sp_workload *w)
{
    const struct sp_csr *a = w->matrix;
    bool has_long = false;
    for (int64_t i = 0; i < a->n_r; i++)
        has_long |= a->row_ptr[i + 1] - a->row_ptr[i] > SP_GPU_SHORT_ROW;
    return w->index == SP_I64 ? 3 : w->precision == SP_C128 ? 4 : 5 + has_long;
}

/* CRS in every type, SELL in the real ones. */
static void check_spmv(const struct sp_csr *a)
{
    static const struct {
        int32_t C;
        int64_t sigma;
    } sells[] = {{32, 1}, {32, 256}, {64, 64}};
    for (int precision = 0; precision <= SP_C128; precision++)
        for (int index = 0; index <= SP_I64; index++) {
            struct sp_workload w = {.format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .n_threads = 1, .matrix = a};
            w.precision = precision;
            w.index = index;
            if (sp_csr_is_complex(a) && precision != SP_C128)
                continue;
            ck_assert_int_eq(check_workload(&w), n_of_crs(&w));
            if (precision == SP_C128)
                continue;
            w.format = SP_FORMAT_SELL;
            for (size_t i = 0; i < sizeof sells / sizeof *sells; i++) {
                w.C = sells[i].C;
                w.sigma = sells[i].sigma;
                ck_assert_int_eq(check_workload(&w), 1);
            }
        }
}

START_TEST(spmv_agrees_with_the_reference)
{
    const struct sp_executor *executor = the_executor();
    if (executor)
        executor->seed((uint64_t)_i * 3);
    struct sp_csr a = small_matrix(_i);
    check_spmv(&a);
    sp_csr_free(&a);
}
END_TEST

/* Several blocks, and rows that several blocks of equal shares cut: an arrow's first row is 2 of
 * them long. */
START_TEST(blocks_share_rows)
{
    static const char *const names[] = {"arrow:4500", "powerlaw:11:8", "random:1200:9", "laplace2d:60"};
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(names[_i], NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    check_spmv(&a);
    sp_csr_free(&a);
}
END_TEST

/* What exceeds the memory of the device is said with both sizes, before anything is copied; nothing
 * leaks. */
START_TEST(what_does_not_fit_is_refused)
{
    const struct sp_executor *executor = the_executor();
    const struct sp_gpu_module *module;
    struct sp_gpu_device before, after;
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .n_threads = 1, .matrix = &a};
    struct sp_layout l;
    struct sp_dense_arrays arrays;
    struct sp_error err;
    void *state;
    if (!executor)
        return;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_module_open(SP_GPU_CUDA, &module, &err), SP_OK);
    const struct sp_kernel *kernel = sp_kernel_find("spmv/crs/cuda-merge");
    const struct sp_operands operands = {.x = arrays.x};
    for (int64_t bytes = 1000; bytes < 120000; bytes += 7000) {
        executor->memory(bytes);
        ck_assert_int_eq(module->describe(&before, &err), SP_OK);
        enum sp_status status = kernel->prepare(&l, &operands, &state, &err);
        ck_assert_int_eq(status, bytes < 50000 ? SP_MEMORY : bytes > 90000 ? SP_OK : status);
        if (status != SP_OK)
            ck_assert_msg(strstr(err.what, "MB") || strstr(err.what, "too many"), "%s", err.what);
        else
            kernel->release(state);
        ck_assert_int_eq(module->describe(&after, &err), SP_OK);
        ck_assert_uint_eq(before.free_B, after.free_B);
    }
    executor->memory(0);
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Every kind runs within its bounds, at working sets that are no multiple of a block, and says a
 * time. */
START_TEST(ceilings_run)
{
    const struct sp_gpu_module *module;
    struct sp_error err;
    void *arena;
    ck_assert_int_eq(sp_gpu_module_open(SP_GPU_CUDA, &module, &err), SP_OK);
    ck_assert_int_eq(module->ceilings->open(100000, &arena, &err), SP_OK);
    for (int kind = 0; kind < SP_N_GPU_CEILINGS; kind++)
        for (int few = 0; few < 2; few++) {
            struct sp_gpu_ceiling_case c = {.kind = kind, .bytes = few ? 70008 : 100000};
            c.warps = kind == SP_GPU_CEILING_LOAD && few ? 8 : 0;
            c.repetitions = 2;
            double value, seconds;
            if (module->ceilings->sample(arena, &c, &value, &seconds, &err) != SP_OK)
                ck_abort_msg("%d: %s", kind, err.what);
            ck_assert(value > 0 && seconds > 0);
        }
    module->ceilings->close(arena);
    module->ceilings->close(NULL);
}
END_TEST

/* x of 48 000 bytes, of which the executor's device keeps 36 KiB, in windows of 40 KiB: while it runs, and by
 * nothing else. */
START_TEST(a_window_keeps_what_it_can_of_x)
{
    const struct sp_executor *executor = the_executor();
    struct sp_executor_window window;
    struct sp_csr a;
    struct sp_error err;
    struct sp_layout l;
    struct sp_dense_arrays arrays;
    if (!executor)
        return;
    ck_assert_int_eq(sp_generate("random:6000:8", NULL, &a, &err), SP_OK);
    const struct sp_workload w = {.format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .n_threads = 1, .matrix = &a};
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    const struct sp_dense dense = sp_dense_of(&arrays);
    check_kernel(sp_kernel_find("spmv/crs/cuda-lanes"), &w, &l, &dense);
    executor->window(&window);
    ck_assert_ptr_null(window.array);
    check_kernel(sp_kernel_find("spmv/crs/cuda-window"), &w, &l, &dense);
    executor->window(&window);
    ck_assert_str_eq(window.array, "x");
    ck_assert(window.bytes == 40 << 10 && window.set_aside_B == 36 << 10 && window.set_aside_now_B == 0);
    ck_assert_double_eq(window.hits, 0.9);
    check_kernel(sp_kernel_find("spmv/crs/cuda-lanes"), &w, &l, &dense);
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Formats of the operations with dense operands, as typed, how many kernels each has for f64 and
 * f32, and how many of SpMV take it where there is one vector. */
static const struct {
    enum sp_op op;
    const char *format;
    int n_kernels[2], n_spmv[2]; /* by enum sp_index; n_spmv: more of them where there is one column */
} dense_cases[] = {
    {SP_OP_SPMMV, "crs", {1, 1}, {5, 3}},         {SP_OP_SPMMV, "sell:32,64", {1, 0}, {1, 1}},
    {SP_OP_SPMMV, "sell:5,1", {1, 0}, {0, 0}},    {SP_OP_SPMM, "crs", {3, 1}, {0, 0}},
    {SP_OP_SPMM, "staged:16,8", {1, 1}, {0, 0}},  {SP_OP_SPMM, "staged:64,64", {1, 1}, {0, 0}},
    {SP_OP_SPMM, "staged:3,100", {1, 1}, {0, 0}}, {SP_OP_SDDMM, "crs", {1, 1}, {0, 0}},
    {SP_OP_SDDMM, "coo", {1, 0}, {0, 0}},         {SP_OP_SDDMM, "tiled:64,32", {1, 0}, {0, 0}},
    {SP_OP_SDDMM, "tiled:5,7", {1, 0}, {0, 0}},   {SP_OP_FUSEDMM, "crs", {1, 1}, {0, 0}},
};
enum { N_DENSE_CASES = sizeof dense_cases / sizeof *dense_cases };

/* One width and index for each precision, others for the next matrix. */
static void check_dense(const struct sp_csr *a, int which, int turn)
{
    static const int32_t widths[] = {1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 33, 64, 65, 100, 128, 129, 260};
    enum { N_WIDTHS = sizeof widths / sizeof *widths };
    const int first = turn;
    struct sp_workload w = {.matrix = a, .op = dense_cases[which].op, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, dense_cases[which].format, NULL), SP_OK);
    for (int precision = 0; precision < SP_N_PRECISIONS; precision++) {
        w.precision = precision;
        w.index = turn % 2 ? SP_I64 : SP_I32;
        w.r = widths[(5 * turn++ + which) % N_WIDTHS];
        const bool is_rare = w.index == SP_I64 && (precision == SP_F16 || precision == SP_BF16);
        const int expected = is_rare ? 0
                                     : dense_cases[which].n_kernels[w.index] +
                                           (w.r == 1 ? dense_cases[which].n_spmv[w.index] : 0);
        if (sp_workload_check(&w, NULL) == SP_OK && share_has(precision, first))
            ck_assert_int_eq(check_workload(&w), expected);
    }
}

/* Many blocks, long rows beside short ones, and lists that several blocks share. */
START_TEST(blocks_share_dense_work)
{
    static const char *const names[] = {"arrow:900", "powerlaw:9:8", "random:700:9"};
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(names[_i % 3], NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    struct sp_workload w = {.matrix = &a, .op = dense_cases[_i / 3].op, .r = 20, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, dense_cases[_i / 3].format, NULL), SP_OK);
    if (share_has(0, _i))
        ck_assert_int_eq(check_workload(&w), dense_cases[_i / 3].n_kernels[SP_I32]);
    w.precision = SP_F16;
    w.r = 24;
    if (sp_workload_check(&w, NULL) == SP_OK && share_has(8, _i))
        ck_assert_int_eq(check_workload(&w), dense_cases[_i / 3].n_kernels[SP_I32]);
    w.precision = SP_F32;
    w.index = SP_I64;
    w.r = 66;
    if (share_has(4, _i))
        ck_assert_int_eq(check_workload(&w), dense_cases[_i / 3].n_kernels[SP_I64]);
    sp_csr_free(&a);
}
END_TEST

/* Do the lanes that take part ask for neighbouring elements, of so many bytes each? */
static bool is_contiguous(const struct sp_executor_request *r, int size)
{
    int64_t next = -1;
    for (int lane = 0; lane < 32; lane++) {
        if (!(r->lanes >> lane & 1))
            continue;
        if (r->size != size || (next >= 0 && r->offset[lane] != next))
            return false;
        next = r->offset[lane] + size;
    }
    return true;
}

/* 64 columns f64 are a warp's loads of 16 bytes; a batch of SDDMM is stored at once. */
START_TEST(warps_ask_for_neighbours)
{
    static const struct {
        enum sp_op op;
        const char *format, *kernel;
        int x_B, y_B;
    } cases[] = {
        {SP_OP_SPMM, "crs", "spmm/crs/cuda-row", 16, 16},
        {SP_OP_SPMM, "crs", "spmm/crs/cuda-output", 8, 8},
        {SP_OP_SPMM, "crs", "spmm/crs/cuda-share", 16, 16},
        {SP_OP_SPMM, "staged:16,64", "spmm/staged/cuda-stage", 16, 16},
        {SP_OP_SDDMM, "coo", "sddmm/coo/cuda-equal", 16, 8},
        {SP_OP_SDDMM, "crs", "sddmm/crs/cuda-sample", 16, 8},
        {SP_OP_FUSEDMM, "crs", "fusedmm/crs/cuda-fused", 16, 16},
    };
    const struct sp_executor *executor = the_executor();
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.matrix = &a, .op = cases[_i].op, .r = 64, .n_threads = 1};
    struct sp_layout l;
    struct sp_dense_arrays arrays;
    int64_t n, n_x = 0, n_y = 0;
    if (!executor)
        return;
    ck_assert_int_eq(sp_workload_set_format(&w, cases[_i].format, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    struct sp_dense dense = sp_dense_of(&arrays);
    executor->record(1);
    check_kernel(sp_kernel_find(cases[_i].kernel), &w, &l, &dense);
    const struct sp_executor_request *r = executor->requests(&n);
    for (int64_t i = 0; i < n; i++) {
        const bool is_x = strcmp(r[i].array, "x") == 0;
        const bool is_y = strcmp(r[i].array, "y") == 0 && r[i].kind == SP_EXECUTOR_STORE;
        if ((is_x || is_y) && !is_contiguous(&r[i], is_x ? cases[_i].x_B : cases[_i].y_B))
            ck_abort_msg("%s: request %d of %s is scattered", cases[_i].kernel, (int)i, r[i].array);
        n_x += is_x;
        n_y += is_y;
    }
    executor->record(0);
    ck_assert(n_x > 0 && n_y > 0);
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* One entry, and as many columns as there may be. */
START_TEST(all_columns_are_covered)
{
    struct sp_csr a = small_matrix(SMALL_SINGLE);
    struct sp_workload w = {
        .matrix = &a, .op = dense_cases[_i].op, .precision = SP_F32, .r = SP_MAX_WIDTH, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, dense_cases[_i].format, NULL), SP_OK);
    if ((_i % 4 == 1) != share_is_rest())
        ck_assert_int_eq(check_workload(&w), dense_cases[_i].n_kernels[SP_I32]);
    w.r--;
    if ((_i % 4 == 3) != share_is_rest())
        ck_assert_int_eq(check_workload(&w), dense_cases[_i].n_kernels[SP_I32]);
    sp_csr_free(&a);
}
END_TEST

START_TEST(dense_operands_agree_with_the_reference)
{
    const struct sp_executor *executor = the_executor();
    if (executor)
        executor->seed((uint64_t)_i * 3);
    struct sp_csr a = small_matrix(_i);
    for (int which = 0; which < N_DENSE_CASES; which++)
        check_dense(&a, which, 3 * _i + which);
    sp_csr_free(&a);
}
END_TEST

/* Matrix units: blocks of every number of rows that they take and others of columns, condensed ones of one
 * column, widths with and without whole loads, up to two tiles. */
enum { N_UNIT_FORMATS = 8, N_UNIT_TURNS = 4 * N_UNIT_FORMATS };
static void check_matrix_units(const struct sp_csr *a, int turn)
{
    static const char *const formats[N_UNIT_FORMATS] = {"bcsr:8x8",  "bcsr:8x16", "bcsr:16x16", "bcsr:16x1",
                                                        "bcsr:24x5", "bcsr:32x8", "bcsr:64x3",  "bcsr:8x1"};
    static const int32_t widths[] = {1, 8, 13, 16, 24, 33, 64, 140};
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_F16, SP_BF16};
    enum { N_WIDTHS = sizeof widths / sizeof *widths };
    for (int i = 0; i < N_UNIT_FORMATS; i++)
        for (int p = 0; p < 4; p++) {
            struct sp_workload w = {.matrix = a, .op = SP_OP_SPMM, .n_threads = 1};
            ck_assert_int_eq(sp_workload_set_format(&w, formats[i], NULL), SP_OK);
            w.precision = precisions[p];
            w.index = turn % 2 ? SP_I64 : SP_I32;
            w.r = widths[(3 * turn++ + p) % N_WIDTHS];
            if (!sp_csr_is_complex(a) && share_has(p, i + turn / N_UNIT_TURNS))
                ck_assert_int_eq(check_workload(&w), 1);
        }
}

START_TEST(matrix_units_agree_with_the_reference)
{
    const struct sp_executor *executor = the_executor();
    if (executor)
        executor->seed((uint64_t)_i * 3);
    struct sp_csr a = small_matrix(_i);
    check_matrix_units(&a, N_UNIT_TURNS * _i);
    sp_csr_free(&a);
}
END_TEST

/* Rows as shares of the merged path may cut them, in shares of so many items: row after row, an entry before
 * its row's end. */
enum { MOST_CUT_ROWS = 64, CUT_COLUMNS = 5500 };

static int64_t cut_lengths(int64_t items, int64_t length[MOST_CUT_ROWS])
{
    /* < 0: the row's end is the last item of a share, and so many shares more have entries of it alone */
    const int64_t wanted[] = {0,
                              0,
                              5,
                              -1,
                              0,
                              7,
                              -1,
                              -1,
                              3,
                              6 * items - 20,
                              -1,
                              0,
                              0,
                              0,
                              11 * items - 9,
                              1,
                              1,
                              -4,
                              -2,
                              9,
                              0,
                              -1,
                              items,
                              items - 1,
                              items - 2,
                              2 * items,
                              2,
                              0,
                              41 * items + 50,
                              40};
    int64_t n = 0, used = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int64_t left = items - used % items;
        length[n] = wanted[i] >= 0 ? wanted[i] : (-wanted[i] - 1) * items + left - 1;
        used += length[n++] + 1;
        if (i % 6 == 3) { /* the row's last entry is the last item, its end the first one */
            length[n] = items - used % items;
            used += length[n++] + 1;
        }
    }
    return n;
}

/* Small whole numbers, so that a float holds all sums of them; 16 bits do not. */
static struct sp_csr cut_matrix(int64_t items)
{
    int64_t length[MOST_CUT_ROWS], n_nz = 0, n = cut_lengths(items, length);
    struct sp_csr a;
    for (int64_t i = 0; i < n; i++)
        n_nz += length[i];
    ck_assert_int_eq(sp_csr_alloc(n, CUT_COLUMNS, n_nz, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = a.row_ptr[i], gap = i * 37 % (CUT_COLUMNS - length[i]);
        a.row_ptr[i + 1] = first + length[i];
        for (int64_t j = 0; j < length[i]; j++) {
            a.col[first + j] = (int32_t)(gap + j);
            a.val[first + j] = length[i] < 12 * items ? (double)(3 + (j * 7 + i) % 13) : 1;
        }
    }
    return a;
}

static double stored(enum sp_precision precision, double v)
{
    uint16_t bits;
    sp_real_store(precision, &bits, 0, v);
    return sp_real_load(precision, &bits, 0);
}

/* Element (row, k) of the result, rounded once; *twice: with the part of each share rounded first. */
static double expected_sum(const struct sp_workload *w, const double *x, int64_t items, int64_t row,
                           int64_t k, double *twice)
{
    const struct sp_csr *a = w->matrix;
    double sum = 0, part = 0, parts = 0;
    for (int64_t j = a->row_ptr[row]; j < a->row_ptr[row + 1]; j++) {
        const double product = a->val[j] * x[a->col[j] * w->r + k];
        sum += product;
        part += product;
        if ((j + 1 + row) % items == 0) { /* the next item is of the next share */
            parts = stored(w->precision, parts + stored(w->precision, part));
            part = 0;
        }
    }
    *twice = stored(w->precision, parts + stored(w->precision, part));
    return stored(w->precision, sum);
}

/* Element by element; how many would have been other numbers if shares rounded their parts. */
static int64_t check_sums(const struct sp_workload *w, const struct sp_kernel *kernel, int64_t items,
                          const double *x)
{
    const struct sp_operands operands = {.x = x};
    struct sp_layout l;
    struct sp_error err;
    void *state;
    double *result = malloc((size_t)(w->matrix->n_r * w->r) * sizeof *result), twice;
    int64_t n_told = 0;
    ck_assert_int_eq(sp_layout_make(w, true, NULL, &l, NULL), SP_OK);
    if (kernel->prepare(&l, &operands, &state, &err) != SP_OK || kernel->run(state, 2, NULL, &err) != SP_OK ||
        kernel->fetch(state, result, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    for (int64_t i = 0; i < w->matrix->n_r * w->r; i++) {
        const double expected = expected_sum(w, x, items, i / w->r, i % w->r, &twice);
        if (result[i] != expected)
            ck_abort_msg("%s, %s, r = %d, row %d: %g, not %g", kernel->name, sp_precision_name(w->precision),
                         (int)w->r, (int)(i / w->r), result[i], expected);
        n_told += expected != twice;
    }
    kernel->release(state);
    sp_layout_free(&l);
    free(result);
    return n_told;
}

/* Sums of 16-bit numbers are rounded once, however many shares have parts of a row: rows in one share, in two,
 * in more than a thread of the second grid asks for together; empty ones; ends of rows and of shares together. */
START_TEST(sums_are_rounded_once)
{
    static const char *const names[] = {"spmm/crs/cuda-share", "spmm/crs/cuda-row", "spmm/crs/cuda-output"};
    static const int32_t widths[] = {1, 5, 8, 24, 33, 72, 256, 264};
    struct sp_workload w = {
        .op = SP_OP_SPMM, .precision = _i % 2 ? SP_BF16 : SP_F16, .r = widths[_i / 2], .n_threads = 1};
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    const struct sp_executor *executor = the_executor();
    w.matrix = &a;
    if (executor)
        executor->seed((uint64_t)_i);
    ck_assert_int_eq(sp_workload_set_format(&w, "crs", NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_SHARE, 0, &g, NULL), SP_OK);
    sp_layout_free(&l);
    sp_csr_free(&a);
    a = cut_matrix(g.items);
    double *x = malloc((size_t)(CUT_COLUMNS * w.r) * sizeof *x);
    for (int64_t i = 0; i < CUT_COLUMNS * w.r; i++)
        x[i] = (double)(1 + i * 11 % 7);
    for (int i = 0; i < (w.r < 100 ? 3 : 1); i++) /* the others as a check of this test */
        ck_assert_int_ge(check_sums(&w, sp_kernel_find(names[i]), g.items, x), w.r / 4);
    free(x);
    sp_csr_free(&a);
}
END_TEST

/* One run of a launch that a row of the table would not make. */
static void check_launch(const struct sp_gpu_launch *g, const struct sp_workload *w,
                         const struct sp_layout *l, const struct sp_dense *dense)
{
    const struct sp_gpu_module *module;
    struct sp_operands operands = {.x = dense->x};
    struct sp_spmv_check check;
    struct sp_error err;
    void *state;
    double *result = malloc((size_t)(sp_dense_n_result(w) + 1) * sizeof *result);
    ck_assert_int_eq(sp_gpu_module_open(SP_GPU_CUDA, &module, &err), SP_OK);
    if (module->prepare(g, l, &operands, &state, &err) != SP_OK ||
        module->run(state, 1, NULL, &err) != SP_OK || module->fetch(state, result, &err) != SP_OK ||
        sp_verify(w, dense, result, &check, &err) != SP_OK)
        ck_abort_msg("switches %u: %s", g->switches, err.what);
    module->release(state);
    free(result);
}

/* Parts of the kernel on matrix units left away: the same result, over two tiles of the width. All switches,
 * each with another format; with "rest" the other formats. */
START_TEST(parts_may_be_left_away)
{
    static const char *const formats[] = {"bcsr:8x8", "bcsr:16x3", "bcsr:32x16"};
    struct sp_csr a = small_matrix(SMALL_RANDOM);
    for (int i = 0; i < 3; i++) {
        if (((i + _i) % 3 == 0) == share_is_rest())
            continue;
        struct sp_workload w = {
            .matrix = &a, .op = SP_OP_SPMM, .r = 136, .precision = SP_F16, .n_threads = 1};
        struct sp_dense_arrays arrays;
        struct sp_layout l;
        struct sp_gpu_launch g;
        ck_assert_int_eq(sp_workload_set_format(&w, formats[i], NULL), SP_OK);
        ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
        ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
        struct sp_dense dense = sp_dense_of(&arrays);
        ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &g, NULL), SP_OK);
        ck_assert_int_eq(sp_gpu_launch_switch(&l, (unsigned)_i, &g, NULL), SP_OK);
        check_launch(&g, &w, &l, &dense);
        sp_dense_free(&arrays);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 11, 11);
    Suite *suite = suite_create("gpu_kernels");
    TCase *tcase = tcase_create("gpu_kernels");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, dense_operands_agree_with_the_reference, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tcase, blocks_share_dense_work, 0, 3 * N_DENSE_CASES);
    tcase_add_loop_test(tcase, all_columns_are_covered, 0, N_DENSE_CASES);
    tcase_add_loop_test(tcase, matrix_units_agree_with_the_reference, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tcase, parts_may_be_left_away, 0, SP_GPU_MMA_ALL + 1);
    if (!share_is_rest()) {
        tcase_add_loop_test(tcase, sums_are_rounded_once, 0, 16);
        tcase_add_loop_test(tcase, spmv_agrees_with_the_reference, 0, N_SMALL_MATRICES);
        tcase_add_loop_test(tcase, blocks_share_rows, 0, 4);
        tcase_add_test(tcase, what_does_not_fit_is_refused);
        tcase_add_test(tcase, ceilings_run);
        tcase_add_test(tcase, a_window_keeps_what_it_can_of_x);
        tcase_add_loop_test(tcase, warps_ask_for_neighbours, 0, 7);
    }
    return run_suite(suite);
}
