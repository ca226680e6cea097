/* Shared objects that are opened while the program runs. */
#ifndef SP_SYS_MODULE_FILE_H
#define SP_SYS_MODULE_FILE_H

#include "base/status.h"

#define SP_GPU_MODULE_FILE "libspmodel-cuda.so" /* kernels and counters of GPUs */

/* Opens `file` where the loader looks for it (LD_LIBRARY_PATH, then beside the program and in
 * ../lib/spmodel) and finds `symbol` in it. It is never closed: libraries of drivers do not survive that.
 * SP_ABSENT with the loader's words. */
enum sp_status sp_module_file_symbol(const char *file, const char *symbol, void **address,
                                     struct sp_error *err);

#endif
