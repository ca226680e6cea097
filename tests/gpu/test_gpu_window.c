/* cuda-window on the real host code, its launches as nvcc compiled them, over a runtime that starts nothing and notes
 * who asked for what: in which order the L2 is set aside, over what each launch has a window, and what is left
 * behind. */
#include <check.h>
#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/gpu_runtime.h"
#include "run_suite.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/product/workload.h"

/* The runtime. */

static char noted[2048]; /* what changes or uses the L2, and events: "limit 4096; launch; reset" */
static size_t limit_B;   /* set aside now */
static size_t most_B, most_window_B;
static size_t granule_B; /* of what the driver sets aside: rounded down */
static cudaError_t launch_fails, get_fails;
static int n_owned; /* allocations that are not freed */
static struct cudaAccessPolicyWindow last;

static void note(const char *format, ...)
{
    char text[160];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const size_t used = strlen(noted);
    snprintf(noted + used, sizeof noted - used, "%s%s", used ? "; " : "", text);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    ck_assert_int_eq(limit, cudaLimitPersistingL2CacheSize);
    ck_assert_uint_le(value, most_B);
    limit_B = value / granule_B * granule_B;
    note("limit %zu", value);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    ck_assert_int_eq(limit, cudaLimitPersistingL2CacheSize);
    *value = limit_B;
    return get_fails;
}
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    note("reset");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    ck_assert_int_eq(device, 0);
    *value = attribute == cudaDevAttrMaxPersistingL2CacheSize    ? (int)most_B
             : attribute == cudaDevAttrMaxAccessPolicyWindowSize ? (int)most_window_B
                                                                 : 32;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    ck_assert(function && args && config->stream == NULL && config->numAttrs == 1);
    ck_assert_int_eq(config->attrs->id, cudaLaunchAttributeAccessPolicyWindow);
    ck_assert(config->gridDim.x > 0 && config->blockDim.x % 32 == 0);
    last = config->attrs->val.accessPolicyWindow;
    note("window");
    return launch_fails;
}

/* A launch as <<< >>> makes it. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_B, struct CUstream_st *stream)
{
    ck_assert(grid.x > 0 && block.x > 0 && shared_B == 0 && !stream);
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_B, void *stream)
{
    (void)grid, (void)block, (void)stream;
    *shared_B = 0;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)function;
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared_B,
                               cudaStream_t stream)
{
    (void)kernel, (void)grid, (void)block, (void)args, (void)shared_B, (void)stream;
    note("launch");
    return cudaSuccess;
}
void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    handle = binary;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *size)
{
    (void)handle, (void)host, (void)device, (void)name, (void)limit, (void)tid, (void)bid, (void)block,
        (void)grid, (void)size;
}

/* Memory is the host's, so that a window can be looked into. */
cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = malloc(bytes);
    n_owned++;
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void *p)
{
    n_owned -= p != NULL;
    free(p);
    return cudaSuccess;
}
cudaError_t cudaMemset(void *p, int byte, size_t bytes)
{
    memset(p, byte, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemGetInfo(size_t *free_B, size_t *all_B)
{
    *free_B = *all_B = (size_t)1 << 30;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    ck_assert_int_eq(device, 0);
    memset(p, 0, sizeof *p);
    p->multiProcessorCount = 4;
    p->l2CacheSize = 1 << 20;
    return cudaSuccess;
}
static cudaError_t make_event(cudaEvent_t *event)
{
    *event = (cudaEvent_t)noted;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return make_event(event);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    return make_event(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    note("mark");
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    note("wait");
    return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    (void)start, (void)end;
    *ms = 1;
    return cudaSuccess;
}
/* What this test needs of the rest is that it is there. */
#define NEVER(name, ...)                                                                                     \
    cudaError_t name(__VA_ARGS__)                                                                            \
    {                                                                                                        \
        return cudaErrorNotSupported;                                                                        \
    }
NEVER(cudaDriverGetVersion, int *version __attribute__((unused)))
NEVER(cudaRuntimeGetVersion, int *version __attribute__((unused)))
NEVER(cudaDeviceGetPCIBusId, char *id __attribute__((unused)), int n __attribute__((unused)),
      int device __attribute__((unused)))
NEVER(cudaHostRegister, void *p __attribute__((unused)), size_t bytes __attribute__((unused)),
      unsigned flags __attribute__((unused)))
NEVER(cudaHostUnregister, void *p __attribute__((unused)))
NEVER(cudaStreamCreateWithFlags, cudaStream_t *stream __attribute__((unused)),
      unsigned flags __attribute__((unused)))
NEVER(cudaStreamDestroy, cudaStream_t stream __attribute__((unused)))
NEVER(cudaStreamSynchronize, cudaStream_t stream __attribute__((unused)))
NEVER(cudaStreamWaitEvent, cudaStream_t stream __attribute__((unused)),
      cudaEvent_t event __attribute__((unused)), unsigned flags __attribute__((unused)))
NEVER(cudaFuncSetAttribute, const void *function __attribute__((unused)),
      enum cudaFuncAttribute attribute __attribute__((unused)), int value __attribute__((unused)))
cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "as asked for";
}

/* The launches. */

typedef const struct sp_gpu_module *module_of(void);
extern module_of sp_gpu_module;

enum { N = 1000, X_B = N * 8 };

struct product {
    struct sp_csr a;
    struct sp_layout l;
    double *x;
    void *state;
};

/* SP_OK, or why it could not be prepared. */
static enum sp_status make(struct product *p, bool in_window, struct sp_error *err)
{
    struct sp_gpu_launch g;
    ck_assert_int_eq(sp_generate("random:1000:8", NULL, &p->a, err), SP_OK);
    const struct sp_workload w = {
        .format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .n_threads = 1, .matrix = &p->a};
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &p->l, err), SP_OK);
    p->x = malloc(X_B);
    for (int i = 0; i < N; i++)
        p->x[i] = i + 0.5;
    ck_assert_int_eq(sp_gpu_launch_make(&p->l, SP_GPU_LANES, 0, &g, err), SP_OK);
    g.x_in_window = in_window;
    const struct sp_operands operands = {.x = p->x};
    return sp_gpu_module()->prepare(&g, &p->l, &operands, &p->state, err);
}

static void end(struct product *p)
{
    sp_gpu_module()->release(p->state);
    sp_layout_free(&p->l);
    sp_csr_free(&p->a);
    free(p->x);
    ck_assert_int_eq(n_owned, 0);
}

static void device(size_t set_aside_B, size_t window_B, size_t granule)
{
    most_B = set_aside_B;
    most_window_B = window_B;
    granule_B = granule;
    limit_B = 0;
    launch_fails = get_fails = cudaSuccess;
    noted[0] = '\0';
    memset(&last, 0, sizeof last);
}

static void runs(struct product *p, int64_t n, const char *wanted)
{
    struct sp_error err;
    noted[0] = '\0';
    if (sp_gpu_module()->run(p->state, n, NULL, &err) != SP_OK)
        ck_abort_msg("%s", err.what);
    ck_assert_str_eq(noted, wanted);
}

/* Set aside, marks of the clock around the launches, waited for, lines let go, and as much set aside as before. */
START_TEST(the_L2_is_set_aside_while_it_runs)
{
    struct product p;
    struct sp_error err;
    device(1 << 20, 1 << 20, 1);
    limit_B = 4096; /* somebody else's */
    ck_assert_int_eq(make(&p, true, &err), SP_OK);
    ck_assert_str_eq(noted, "");
    for (int i = 0; i < 2; i++)
        runs(&p, 2, "limit 8000; mark; window; window; mark; wait; reset; limit 4096");
    ck_assert_uint_eq(limit_B, 4096);
    ck_assert_uint_eq(last.num_bytes, X_B);
    ck_assert_mem_eq(last.base_ptr, p.x, X_B);
    ck_assert_float_eq(last.hitRatio, 1);
    ck_assert_int_eq(last.hitProp, cudaAccessPropertyPersisting);
    ck_assert_int_eq(last.missProp, cudaAccessPropertyStreaming);
    end(&p);
    ck_assert_uint_eq(limit_B, 4096);
}
END_TEST

/* Windows no larger than the device allows, and no more of them kept than it sets aside. */
START_TEST(what_does_not_fit)
{
    static const struct {
        size_t set_aside_B, window_B, granule_B, bytes;
        double hits;
        const char *limit;
    } cases[] = {
        {6000, 1 << 20, 1, X_B, 0.75, "limit 6000"},               /* less of the L2 than x */
        {1 << 20, 2000, 1, 2000, 1, "limit 8000"},                 /* a window shorter than x */
        {1000, 4000, 1, 4000, 0.25, "limit 1000"},                 /* both */
        {1 << 20, 1 << 20, 4096, X_B, 4096.0 / X_B, "limit 8000"}, /* the driver sets less aside */
    };
    struct product p;
    struct sp_error err;
    device(cases[_i].set_aside_B, cases[_i].window_B, cases[_i].granule_B);
    ck_assert_int_eq(make(&p, true, &err), SP_OK);
    ck_assert_int_eq(sp_gpu_module()->run(p.state, 1, NULL, &err), SP_OK);
    ck_assert_msg(strncmp(noted, cases[_i].limit, strlen(cases[_i].limit)) == 0, "%s", noted);
    ck_assert_uint_eq(last.num_bytes, cases[_i].bytes);
    ck_assert_mem_eq(last.base_ptr, p.x, cases[_i].bytes);
    ck_assert_double_eq_tol(last.hitRatio, cases[_i].hits, 1e-7);
    double bytes, hits;
    sp_gpu_module()->window(p.state, &bytes, &hits);
    ck_assert_double_eq(bytes, (double)cases[_i].bytes);
    ck_assert_double_eq(hits, cases[_i].hits);
    end(&p);
}
END_TEST

/* Other launches ask for nothing, beside one with a window and after it. */
START_TEST(others_have_none)
{
    struct product plain, kept;
    struct sp_error err;
    device(1 << 20, 1 << 20, 1);
    ck_assert_int_eq(make(&plain, false, &err), SP_OK);
    runs(&plain, 2, "mark; launch; launch; mark; wait");
    ck_assert_int_eq(make(&kept, true, &err), SP_OK);
    runs(&plain, 1, "mark; launch; mark; wait");
    runs(&kept, 1, "limit 8000; mark; window; mark; wait; reset; limit 0");
    runs(&plain, 1, "mark; launch; mark; wait");
    sp_gpu_module()->release(kept.state);
    kept.state = NULL;
    runs(&plain, 1, "mark; launch; mark; wait");
    sp_layout_free(&kept.l);
    sp_csr_free(&kept.a);
    free(kept.x);
    end(&plain);
}
END_TEST

/* A launch that fails leaves nothing behind; what cannot be set aside is not used. */
START_TEST(failures_leave_nothing)
{
    struct product p;
    struct sp_error err;
    device(1 << 20, 1 << 20, 1);
    limit_B = 64;
    ck_assert_int_eq(make(&p, true, &err), SP_OK);
    launch_fails = cudaErrorInvalidValue;
    ck_assert_int_eq(sp_gpu_module()->run(p.state, 3, NULL, &err), SP_BUG);
    ck_assert_str_eq(noted, "limit 8000; mark; window; reset; limit 64");
    ck_assert_ptr_nonnull(strstr(err.what, "starting the kernel: as asked for"));
    launch_fails = cudaSuccess;
    noted[0] = '\0';
    get_fails = cudaErrorUnsupportedLimit;
    ck_assert_int_eq(sp_gpu_module()->run(p.state, 3, NULL, &err), SP_ABSENT);
    ck_assert_str_eq(noted, "");
    ck_assert_ptr_nonnull(strstr(err.what, "setting a part of the L2 aside"));
    end(&p);
}
END_TEST

/* Compute capability 7.5, or a slice of a GPU: said before anything is run. */
START_TEST(without_set_aside)
{
    struct product p;
    struct sp_error err;
    device(_i == 0 ? 0 : 1 << 20, _i == 0 ? 1 << 20 : 0, 1);
    ck_assert_int_eq(make(&p, true, &err), SP_ABSENT);
    ck_assert_ptr_null(p.state);
    ck_assert_ptr_nonnull(strstr(err.what, "sets no part of its L2 aside"));
    ck_assert_ptr_nonnull(strstr(err.remedy, "--isa cuda-keep"));
    ck_assert_str_eq(noted, "");
    end(&p);
    ck_assert_int_eq(make(&p, false, &err), SP_OK);
    end(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gpu_window");
    TCase *tcase = tcase_create("fake runtime");
    tcase_add_test(tcase, the_L2_is_set_aside_while_it_runs);
    tcase_add_loop_test(tcase, what_does_not_fit, 0, 4);
    tcase_add_test(tcase, others_have_none);
    tcase_add_test(tcase, failures_leave_nothing);
    tcase_add_loop_test(tcase, without_set_aside, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
