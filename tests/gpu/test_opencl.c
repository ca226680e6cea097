/* The kernels on an OpenCL device, PoCL in CI: each body against the reference, on matrices that are nasty in one way
 * each, and what the module says where something is missing. Exit 77 where there is no device or no module. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gpu_module.h"
#include "run_suite.h"
#include "share.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"

static const struct sp_gpu_module *module;
static struct sp_gpu_device device;

static void check_kernel(const struct sp_kernel *kernel, const struct sp_workload *w,
                         const struct sp_layout *l, const struct sp_dense *dense)
{
    const struct sp_operands operands = {.x = dense->x, .rows = dense->rows, .second = dense->second};
    struct sp_error err;
    struct sp_spmv_check check;
    void *state;
    double seconds = 0;
    struct sp_run_stats stats = {&seconds, 1};
    double *result = malloc((size_t)(sp_dense_n_result(w) + 1) * sizeof *result);
    if (kernel->prepare(l, &operands, &state, &err) != SP_OK ||
        kernel->run(state, 2, &stats, &err) != SP_OK || kernel->fetch(state, result, &err) != SP_OK ||
        sp_verify(w, dense, result, &check, &err) != SP_OK)
        ck_abort_msg("%s, %s, %s, r = %d: %s", kernel->name, sp_precision_name(w->precision),
                     sp_index_name(w->index), (int)w->r, err.what);
    ck_assert_double_ge(seconds, 0);
    free(result);
    kernel->release(state);
}

/* All OpenCL rows that this device can run; how many. */
static int check_workload(const struct sp_workload *w)
{
    struct sp_layout l;
    struct sp_error err;
    struct sp_dense_arrays arrays;
    int n = 0;
    if (sp_workload_check(w, NULL) != SP_OK)
        return 0;
    if (sp_layout_make(w, true, NULL, &l, &err) != SP_OK || sp_dense_make(w, 3, &arrays, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    const struct sp_dense dense = sp_dense_of(&arrays);
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *kernel = sp_kernel_table[i];
        if (!kernel->on_gpu || kernel->api != SP_GPU_OPENCL || !sp_kernel_is_for(kernel, &l) ||
            kernel->accepts(&l, NULL) != SP_OK || kernel->available(NULL) != SP_OK)
            continue;
        check_kernel(kernel, w, &l, &dense);
        n++;
    }
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    return n;
}

/* What runs without sub-groups and with them. */
static const struct {
    enum sp_op op;
    const char *format;
    int32_t r;
    int n_everywhere, n_all;
} cases[] = {
    {SP_OP_SPMV, "crs", 1, 1, 3},          {SP_OP_SPMV, "sell:32,1", 1, 1, 1},
    {SP_OP_SPMV, "sell:64,256", 1, 1, 1},  {SP_OP_SPMMV, "sell:32,64", 5, 1, 1},
    {SP_OP_SPMMV, "crs", 4, 0, 1},         {SP_OP_SPMM, "crs", 24, 2, 3},
    {SP_OP_SPMM, "crs", 33, 2, 3},         {SP_OP_SPMM, "staged:16,8", 20, 1, 1},
    {SP_OP_SPMM, "staged:3,100", 7, 1, 1}, {SP_OP_SDDMM, "crs", 32, 0, 1},
    {SP_OP_FUSEDMM, "crs", 32, 0, 1},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* fp64 and 32-bit indices always, and 16-bit storage in CRS, whose equal shares end otherwise; with "rest" each
 * type. */
static void check_case(const struct sp_csr *a, int which)
{
    const bool is_complex = sp_csr_is_complex(a);
    struct sp_workload w = {.matrix = a, .op = cases[which].op, .r = cases[which].r, .n_threads = 1};
    ck_assert_int_eq(sp_workload_set_format(&w, cases[which].format, NULL), SP_OK);
    for (int precision = 0; precision < SP_N_PRECISIONS; precision++)
        for (int index = SP_I32; index <= SP_I64; index++) {
            w.precision = precision;
            w.index = index;
            const bool is_first = index == SP_I32 && precision == (is_complex ? SP_C128 : SP_F64);
            const bool is_half = precision == SP_F16 || precision == SP_BF16;
            const bool has_own_grid = index == SP_I32 && is_half && w.format == SP_FORMAT_CRS;
            if ((!is_first && !has_own_grid && share_of > 1) || is_complex != (precision == SP_C128) ||
                sp_workload_check(&w, NULL) != SP_OK)
                continue;
            const int n = check_workload(&w);
            if (index == SP_I32 && (precision == SP_F64 || is_half)) /* 64-bit ones have fewer */
                ck_assert_int_eq(n, device.has_sub_groups ? cases[which].n_all : cases[which].n_everywhere);
        }
}

START_TEST(kernels_agree_with_the_reference)
{
    struct sp_csr a = small_matrix(_i);
    for (int which = 0; which < N_CASES; which++)
        check_case(&a, which);
    sp_csr_free(&a);
}
END_TEST

/* Several groups of work-items, and rows that several of them have parts of. */
START_TEST(groups_share_rows)
{
    static const char *const names[] = {"arrow:4500", "powerlaw:11:8", "laplace2d:60"};
    struct sp_csr a;
    struct sp_error err;
    if (sp_generate(names[_i], NULL, &a, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    for (int which = 0; which < N_CASES; which++)
        check_case(&a, which);
    sp_csr_free(&a);
}
END_TEST

/* Every kind runs, at working sets that are no multiple of a group, and says a time. */
START_TEST(ceilings_run)
{
    struct sp_error err;
    void *arena;
    ck_assert_int_eq(module->ceilings->open(1 << 20, &arena, &err), SP_OK);
    for (int kind = 0; kind < SP_N_GPU_CEILINGS; kind++) {
        struct sp_gpu_ceiling_case c = {.kind = kind, .bytes = 1000008, .repetitions = 3};
        double value, seconds;
        if (module->ceilings->sample(arena, &c, &value, &seconds, &err) != SP_OK)
            ck_abort_msg("%d: %s", kind, err.what);
        ck_assert(value > 0 && seconds > 0);
    }
    module->ceilings->close(arena);
}
END_TEST

/* What was taken is given back, and a matrix that exceeds the memory is refused with both sizes. */
START_TEST(memory_is_accounted_for)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.matrix = &a, .C = 1, .sigma = 1, .n_threads = 1};
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_device now;
    struct sp_dense_arrays arrays;
    struct sp_error err;
    void *state;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_THREAD, 0, &g, NULL), SP_OK);
    ck_assert_int_eq(module->describe(&device, &err), SP_OK);
    const struct sp_operands operands = {.x = arrays.x};
    ck_assert_int_eq(module->prepare(&g, &l, &operands, &state, &err), SP_OK);
    ck_assert_int_eq(module->describe(&now, &err), SP_OK);
    ck_assert_uint_lt(now.free_B, device.free_B);
    module->release(state);
    ck_assert_int_eq(module->describe(&now, &err), SP_OK);
    ck_assert_uint_eq(now.free_B, device.free_B);
    ck_assert_int_eq(module->ceilings->open(device.memory_B + (1 << 20), &state, &err), SP_MEMORY);
    ck_assert_msg(strstr(err.what, "MB") || strstr(err.what, "memory"), "%s", err.what);
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Matrix units have no body, and a kernel that needs sub-groups says so. */
START_TEST(what_is_missing_is_said)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.matrix = &a, .op = SP_OP_SPMM, .r = 16, .n_threads = 1};
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_dense_arrays arrays;
    struct sp_error err;
    void *state;
    ck_assert_int_eq(sp_workload_set_format(&w, "bcsr:8x8", NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    ck_assert_int_eq(sp_gpu_launch_make(&l, SP_GPU_MMA, 0, &g, NULL), SP_OK);
    const struct sp_operands operands = {.x = arrays.x};
    ck_assert_int_eq(module->prepare(&g, &l, &operands, &state, &err), SP_OK);
    ck_assert_int_eq(module->run(state, 1, NULL, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "no such kernel"));
    module->release(state);
    const struct sp_kernel *lanes = sp_kernel_find("spmv/crs/opencl-lanes");
    if (!device.has_sub_groups) {
        ck_assert_int_eq(lanes->available(&err), SP_ABSENT);
        ck_assert_ptr_nonnull(strstr(err.what, "sub-groups"));
    }
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(int argc, char **argv)
{
    struct sp_error err;
    share_take(argc, argv, 2, 2);
    if (sp_gpu_module_open(SP_GPU_OPENCL, &module, &err) != SP_OK ||
        module->describe(&device, &err) != SP_OK) {
        printf("SKIPPED: %s\n", err.what);
        return 77;
    }
    printf("on %s, %s\n", device.name, device.interface);
    Suite *suite = suite_create("opencl");
    TCase *tcase = tcase_create("opencl");
    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, kernels_agree_with_the_reference, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tcase, groups_share_rows, 0, 3);
    tcase_add_test(tcase, ceilings_run);
    tcase_add_test(tcase, memory_is_accounted_for);
    tcase_add_test(tcase, what_is_missing_is_said);
    return run_suite_forked(suite, false); /* a driver's threads do not survive it */
}
