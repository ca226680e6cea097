/* A second witness of the sectors that a launch asks of the L1: oclgrind interprets the kernels of OpenCL, compiled by another
 * compiler than the tests' executor, and oclgrind_sectors.cc puts the work-items' accesses together. Loads and stores must be
 * those of the model, sector by sector. Usage: test_oclgrind FILE, which the plugin writes to (SP_SECTORS_OUT). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gpu_module.h"
#include "model/gpu/coalesce.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"

static _Noreturn void fail(const char *what, const struct sp_error *err)
{
    printf("%s: %s\n", what, err->what);
    exit(EXIT_FAILURE);
}

/* Runs it once and checks the result. */
static void run(const struct sp_kernel *kernel, const struct sp_workload *w, const struct sp_layout *l)
{
    struct sp_error err;
    struct sp_dense_arrays arrays;
    struct sp_spmv_check check;
    void *state;
    if (sp_dense_make(w, 1, &arrays, &err) != SP_OK)
        fail("operands", &err);
    const struct sp_operands operands = {.x = arrays.x};
    const struct sp_dense dense = sp_dense_of(&arrays);
    double *y = malloc((size_t)sp_dense_n_result(w) * sizeof *y);
    if (kernel->prepare(l, &operands, &state, &err) != SP_OK || kernel->run(state, 1, NULL, &err) != SP_OK ||
        kernel->fetch(state, y, &err) != SP_OK || sp_verify(w, &dense, y, &check, &err) != SP_OK)
        fail(kernel->name, &err);
    kernel->release(state);
    free(y);
    sp_dense_free(&arrays);
}

/* What oclgrind saw of the last launch. */
static void last_line(const char *path, int64_t *loaded, int64_t *stored)
{
    char name[64];
    long long a = -1, b = -1;
    FILE *f = fopen(path, "r");
    while (f && fscanf(f, "%63s %lld %lld", name, &a, &b) == 3)
        ;
    if (f)
        fclose(f);
    *loaded = a;
    *stored = b;
}

static int compare(const char *matrix, const char *format, const char *name, const char *path)
{
    struct sp_error err;
    struct sp_csr a;
    struct sp_layout l;
    struct sp_gpu_launch g;
    struct sp_gpu_grid grid;
    struct sp_coalescing sum;
    int64_t loaded, stored;
    struct sp_workload w = {.matrix = &a, .C = 1, .sigma = 1, .n_threads = 1};
    const struct sp_kernel *kernel = sp_kernel_find(name);
    if (sp_generate(matrix, NULL, &a, &err) != SP_OK || sp_workload_set_format(&w, format, &err) != SP_OK ||
        sp_layout_make(&w, true, NULL, &l, &err) != SP_OK ||
        sp_gpu_launch_make(&l, (enum sp_gpu_map)kernel->gpu_map, 0, &g, &err) != SP_OK ||
        sp_gpu_grid_make(&l, &g, &grid, &err) != SP_OK || sp_coalesce(&grid, NULL, &sum, &err) != SP_OK)
        fail(matrix, &err);
    run(kernel, &w, &l);
    last_line(path, &loaded, &stored);
    const int64_t loads = sp_coalesced_sectors(&sum, SP_GPU_LOAD),
                  stores = sp_coalesced_sectors(&sum, SP_GPU_STORE);
    printf("%-14s %-12s loads: model %lld, oclgrind %lld; stores: %lld, %lld\n", matrix, format,
           (long long)loads, (long long)loaded, (long long)stores, (long long)stored);
    sp_gpu_grid_free(&grid);
    sp_layout_free(&l);
    sp_csr_free(&a);
    return loads != loaded || stores != stored;
}

int main(int argc, char **argv)
{
    static const char *const matrices[] = {"laplace3d:10", "powerlaw:9:5", "random:500:9", "arrow:300"};
    const struct sp_gpu_module *module;
    struct sp_gpu_device device;
    struct sp_error err;
    int n_wrong = 0;
    if (argc != 2)
        return EXIT_FAILURE;
    if (sp_gpu_module_open(SP_GPU_OPENCL, &module, &err) != SP_OK ||
        module->describe(&device, &err) != SP_OK) {
        printf("SKIPPED: %s\n", err.what);
        return 77;
    }
    printf("on %s, %s\n", device.name, device.interface);
    remove(argv[1]); /* of a run before */
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        n_wrong += compare(matrices[i], "crs", "spmv/crs/opencl-thread", argv[1]);
        n_wrong += compare(matrices[i], "sell:32,1", "spmv/sell/opencl-chunk", argv[1]);
        n_wrong += compare(matrices[i], "sell:32,64", "spmv/sell/opencl-chunk", argv[1]);
    }
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
