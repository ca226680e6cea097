/* Kernels on an OpenCL device beside those of this processor, which are the same cores where the device is PoCL:
 * bench_opencl [SAMPLES].
 *
 * For each matrix, operation and format one kernel of OpenCL, the CPU's that would be chosen, and the portable one
 * run in turn, SAMPLES times (15) at least 10 ms each. Prints the median time of each and, as the median of ratios of a
 * turn, how many times as fast as the CPU's kernels the device's was. All results are compared with the reference's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "kernels/gpu_module.h"
#include "sparse/generate/generate.h"
#include "sparse/product/verify.h"
#include "sys/machine/pages.h"

enum { MOST_SAMPLES = 101, N_KINDS = 3 };
static const double sample_s = 10e-3;

struct timed {
    struct sp_layout layout;
    const struct sp_kernel *kernel;
    void *state;
    int64_t repetitions;
    double sample_s[MOST_SAMPLES];
};

static _Noreturn void fail(const struct sp_error *err)
{
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(EXIT_FAILURE);
}

static double run(const struct timed *t, int64_t repetitions)
{
    struct sp_error err;
    const double start = sp_now();
    if (t->kernel->run(t->state, repetitions, NULL, &err) != SP_OK)
        fail(&err);
    return (sp_now() - start) / (double)repetitions;
}

static void check(const struct timed *t, const struct sp_workload *w, const struct sp_dense_arrays *arrays)
{
    struct sp_error err;
    struct sp_spmv_check c;
    const struct sp_dense dense = sp_dense_of(arrays);
    double *result = malloc((size_t)sp_dense_n_result(w) * sizeof *result);
    if (!result || t->kernel->fetch(t->state, result, &err) != SP_OK ||
        sp_verify(w, &dense, result, &c, &err) != SP_OK)
        fail(&err);
    free(result);
}

/* isa NULL: the kernel that a CPU would take. False where there is none. */
static bool prepare(struct sp_workload w, const char *isa, int n_threads, struct timed *t)
{
    struct sp_error err;
    struct sp_dense_arrays arrays;
    w.n_threads = n_threads;
    memset(t, 0, sizeof *t);
    if (sp_layout_make(&w, true, &sp_allocator_huge, &t->layout, &err) != SP_OK ||
        sp_dense_make(&w, 1, &arrays, &err) != SP_OK)
        fail(&err);
    const struct sp_operands operands = {.x = arrays.x, .allocator = &sp_allocator_huge};
    const bool there = sp_kernel_candidates(&t->layout, isa, &t->kernel, 1) > 0;
    if (there && t->kernel->prepare(&t->layout, &operands, &t->state, &err) != SP_OK)
        fail(&err);
    if (there) {
        run(t, 1); /* drivers make code then */
        check(t, &w, &arrays);
        t->repetitions = (int64_t)(sample_s / run(t, 3)) + 1;
    } else {
        sp_layout_free(&t->layout);
    }
    sp_dense_free(&arrays);
    return there;
}

static double ratio_of(const struct timed *a, const struct timed *b, int n)
{
    double ratio[MOST_SAMPLES];
    for (int i = 0; i < n; i++)
        ratio[i] = a->sample_s[i] / b->sample_s[i];
    return sp_median(ratio, n);
}

static void compare(const char *matrix, const char *isa, const struct sp_workload *w, int n_threads, int n)
{
    struct timed t[N_KINDS];
    char format[64];
    const bool all = prepare(*w, isa, 1, &t[0]) && prepare(*w, NULL, n_threads, &t[1]) &&
                     prepare(*w, "portable", n_threads, &t[2]);
    if (!all) {
        printf("%-20s %s: not here\n", matrix, isa);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < N_KINDS; k++)
            t[k].sample_s[i] = run(&t[k], t[k].repetitions);
    printf("| %s | %s %s | %s | %.3g | %.3g | %.3g | %.2f | %.2f |\n", matrix, sp_op_name(w->op),
           sp_workload_format_text(w, format, sizeof format), strrchr(t[0].kernel->name, '/') + 1,
           1e3 * sp_median(t[0].sample_s, n), 1e3 * sp_median(t[1].sample_s, n),
           1e3 * sp_median(t[2].sample_s, n), ratio_of(&t[1], &t[0], n), ratio_of(&t[2], &t[0], n));
    fflush(stdout);
    for (int k = 0; k < N_KINDS; k++) {
        t[k].kernel->release(t[k].state);
        sp_layout_free(&t[k].layout);
    }
}

int main(int argc, char **argv)
{
    static const char *const matrices[] = {"laplace3d:40", "laplace3d:120", "random:1000000:8", "hpcg:48",
                                           "powerlaw:17:8"};
    static const struct {
        const char *isa, *format;
        enum sp_op op;
        int32_t r;
    } cases[] = {{"opencl-thread", "crs", SP_OP_SPMV, 1},
                 {"opencl-chunk", "sell:32,256", SP_OP_SPMV, 1},
                 {"opencl-share", "crs", SP_OP_SPMM, 16},
                 {"opencl-stage", "staged:16,64", SP_OP_SPMM, 16}};
    const int n = argc > 1 ? atoi(argv[1]) : 15;
    const struct sp_gpu_module *module;
    struct sp_gpu_device device;
    struct sp_error err;
    if (n < 1 || n > MOST_SAMPLES)
        return EXIT_FAILURE;
    if (sp_gpu_module_open(SP_GPU_OPENCL, &module, &err) != SP_OK || module->describe(&device, &err) != SP_OK)
        fail(&err);
    const int n_threads = device.n_cores;
    printf("%s, %s, %d compute units; the CPU's kernels with as many threads\n\n", device.name,
           device.interface, device.n_cores);
    printf("| matrix | format | OpenCL | ms | CPU's best ms | portable ms | as fast as the best | as "
           "portable |\n"
           "|---|---|---|---|---|---|---|---|\n");
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++) {
        struct sp_csr a;
        if (sp_generate(matrices[m], NULL, &a, &err) != SP_OK)
            fail(&err);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct sp_workload w = {.matrix = &a,
                                    .op = cases[i].op,
                                    .r = cases[i].r,
                                    .C = 1,
                                    .sigma = 1,
                                    .schedule = SP_SCHEDULE_NNZ,
                                    .n_threads = 1};
            if (sp_workload_set_format(&w, cases[i].format, &err) != SP_OK)
                fail(&err);
            if (cases[i].op == SP_OP_SPMM && a.n_r > 300000)
                continue; /* operands of some hundred MB tell nothing more */
            compare(matrices[m], cases[i].isa, &w, n_threads, n);
        }
        sp_csr_free(&a);
    }
    return EXIT_SUCCESS;
}
