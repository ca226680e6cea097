/* Products on GPUs return before they are made: events of their stream take the times, which are
 * collected by later calls. Of the driver: functions of CUDA's, or of HIP, found by name. */
#ifndef SP_ATTACH_GPU_H
#define SP_ATTACH_GPU_H

#include "attach/attach.h"

struct sp_gpu_driver {
    int (*event_create)(void **event, unsigned flags);
    int (*event_record)(void *event, void *stream);
    int (*event_query)(void *event);
    int (*elapsed)(float *ms, void *begin, void *end);
    int (*is_capturing)(void *stream, int *status);
    int (*synchronize)(void *stream);
    bool (*copy)(const struct sp_gpu_driver *driver, void *to, const void *from, size_t size);
    void *copy_function;
};

/* NULL: a function is missing, and products are counted without times. */
const struct sp_gpu_driver *sp_gpu_cuda(void);
const struct sp_gpu_driver *sp_gpu_hip(void);

struct sp_gpu_call {
    struct sp_attach_call call;
    const struct sp_gpu_driver *driver;
    struct sp_gpu_pending *pending; /* NULL: not timed */
    void *stream;
};

/* Into a graph that is recorded nothing is added, and it is not counted. */
void sp_gpu_begin(struct sp_gpu_call *call, const struct sp_attach_product *product,
                  const struct sp_gpu_driver *driver, void *stream);
void sp_gpu_end(struct sp_gpu_call *call, bool counts);

/* Copies of the arrays of a matrix in CSR into the view, which frees them. */
void sp_gpu_copy_rows(const struct sp_gpu_driver *driver, void *stream, struct sp_attach_view *view,
                      const void *row_ptr, const void *col);

#endif
