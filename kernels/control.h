/* The control kernel: the same small computation in every session of every version, so that its
 * time tells the processor's clock from all else. */
#ifndef SP_KERNELS_CONTROL_H
#define SP_KERNELS_CONTROL_H

#include <stdint.h>

/* Of the computation: its times compare only where this agrees. */
enum { SP_CONTROL_VERSION = 1 };

/* `steps` dependent operations of one thread, in registers; its number depends on all of them. */
double sp_control_chain(int64_t steps);

#endif
