/* Functions that are compiled twice: as every processor of the kind can run them, and SP_WIDE for
 * those that count bits and move vectors in one instruction, which sp_is_wide() asks for. */
#ifndef SP_MODEL_WIDE_H
#define SP_MODEL_WIDE_H

#include <stdbool.h>

#if defined(__x86_64__)
#define SP_WIDE __attribute__((target("popcnt,avx2")))
static inline bool sp_is_wide(void)
{
    return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2");
}
#else
#define SP_WIDE
static inline bool sp_is_wide(void)
{
    return false;
}
#endif

#endif
