/* What GPU kernels need of the device: memory, copies, and a clock. By CUDA's runtime in
 * runtime_cuda.c, by OpenCL in kernels/opencl; by the tests' executor on machines without a GPU. */
#ifndef SP_KERNELS_CUDA_GPU_RUNTIME_H
#define SP_KERNELS_CUDA_GPU_RUNTIME_H

#ifdef __cplusplus
extern "C" {
#endif

#include "kernels/gpu_module.h"

/* The `choose` of the module; NULL: all is of device 0. */
extern enum sp_status (*const sp_gpu_choose)(int number, struct sp_error *err);

enum sp_status sp_gpu_describe(struct sp_gpu_device *device, struct sp_error *err);

void sp_gpu_clocks_now(struct sp_gpu_clocks *clocks);

/* *p is at a multiple of 256 bytes, every byte 0xff (NaN as a value); NULL for 0 bytes. SP_MEMORY
 * names what it is for. */
enum sp_status sp_gpu_alloc(size_t bytes, const char *what, void **p, struct sp_error *err);
void sp_gpu_free(void *p); /* accepts NULL */
enum sp_status sp_gpu_copy_in(void *to, const void *from, size_t bytes, struct sp_error *err);
enum sp_status sp_gpu_copy_out(void *to, const void *from, size_t bytes, struct sp_error *err);

/* Memory of the host from which copies may go on beside computing; false where the driver does not
 * pin it: it can be copied from all the same. Once for each array that was pinned: unpin. */
bool sp_gpu_pin(void *p, size_t bytes);
void sp_gpu_unpin(void *p);

/* Of the L2: what may be set aside for accesses that are to stay [B], and over how much of memory a
 * launch may have a window of such accesses. SP_ABSENT with the reason where a device, its driver,
 * or this interface has none of it. */
struct sp_gpu_L2_room {
    size_t set_aside_B, window_B;
};
enum sp_status sp_gpu_L2_limits(struct sp_gpu_L2_room *limits, struct sp_error *err);
/* Sets so much aside for all launches of the process from now on; *before_B: what was set aside
 * until then, *given_B: what is now. */
enum sp_status sp_gpu_L2_set_aside(size_t bytes, size_t *before_B, size_t *given_B, struct sp_error *err);
/* No line stays longer than others from now on, and `before_B` are set aside again. */
enum sp_status sp_gpu_L2_give_back(size_t before_B, struct sp_error *err);

/* Two buffers of the device that are filled beside computing. For buffer `which`, 0 or 1, in turn:
 * begin, copies into it, filled, kernels that read it, used. All queue work and return. Copies wait
 * for the kernels that were queued before the last `used` of their buffer; kernels wait for the
 * copies queued before the last `filled`. */
enum sp_status sp_gpu_feed_make(void **feed, struct sp_error *err);
void sp_gpu_feed_free(void *feed); /* waits for its copies; accepts NULL */
enum sp_status sp_gpu_feed_begin(void *feed, int which, struct sp_error *err);
enum sp_status sp_gpu_feed_copy(void *feed, void *to, const void *from, size_t bytes, struct sp_error *err);
enum sp_status sp_gpu_feed_filled(void *feed, int which, struct sp_error *err);
enum sp_status sp_gpu_feed_used(void *feed, int which, struct sp_error *err);

/* Two marks in the queue of work. */
enum sp_status sp_gpu_clock_make(void **clock, struct sp_error *err);
void sp_gpu_clock_free(void *clock); /* accepts NULL */
enum sp_status sp_gpu_clock_start(void *clock, struct sp_error *err);
/* Waits until all that was queued is done; *seconds since the start, by the device's clock. Says
 * what kernels that were queued did wrong. */
enum sp_status sp_gpu_clock_stop(void *clock, double *seconds, struct sp_error *err);

/* From now on sp_gpu_clock_stop() calls it between the last piece of work and the waiting. */
void sp_gpu_on_queued(void (*queued)(void *context), void *context);

/* SP_OK for 0, else a failure with the runtime's words, of what execute functions return. */
enum sp_status sp_gpu_check(int number, const char *doing, struct sp_error *err);

#ifdef __cplusplus
}
#endif

#endif
