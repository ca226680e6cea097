/* SpMM in STAGED of a matrix that exceeds the memory of the device: it stays on the host, and each
 * execution copies it in parts of whole blocks, into one of two buffers while the kernel works on
 * the other. */
#ifndef SP_KERNELS_CUDA_GPU_STREAM_H
#define SP_KERNELS_CUDA_GPU_STREAM_H

#include "kernels/cuda/gpu_arrays.h"
#include "kernels/cuda/gpu_runtime.h"

struct sp_gpu_stream;

/* Buffers for parts in room_B of the device's memory at most; SP_MEMORY where two of the largest
 * block do not fit. The layout, which must have values, is borrowed until the stream is freed. */
enum sp_status sp_gpu_stream_make(const struct sp_layout *layout, size_t room_B,
                                  struct sp_gpu_stream **stream, struct sp_error *err);
void sp_gpu_stream_free(struct sp_gpu_stream *stream); /* accepts NULL */

/* Once before executions that are timed: no copy begins before what was queued so far has ended. */
enum sp_status sp_gpu_stream_start(struct sp_gpu_stream *stream, struct sp_error *err);
/* Queues one execution. arrays: x and y, the launch's numbers. */
enum sp_status sp_gpu_stream_execute(struct sp_gpu_stream *stream, const struct sp_gpu_launch *launch,
                                     const struct sp_gpu_arrays *arrays, struct sp_error *err);

/* What an execution copies to the device [B]. */
double sp_gpu_stream_bytes(const struct sp_gpu_stream *stream);

#endif
