/* What this CPU can execute. Compiled for the base instruction set. */
#include "kernels/cpu/spmv/spmv_cpu.h"

#if SP_X86
#include <cpuid.h>

enum sp_status sp_cpu_has_avx2(struct sp_error *err)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "use a portable kernel", "needs AVX2 and FMA, this CPU has not both");
}

enum sp_status sp_cpu_has_avx512(struct sp_error *err)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "use an avx2 or a portable kernel",
                   "needs AVX-512 F, VL and BW, this CPU has not all");
}

/* Asked of the CPU itself, because not every compiler's __builtin_cpu_supports knows the name. Its
 * operands are those of AVX2, for which the caller has asked. */
static enum sp_status has_f16c(struct sp_error *err)
{
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "use a portable kernel", "needs F16C, this CPU has it not");
}

enum sp_status sp_cpu_has_avx2_f16c(struct sp_error *err)
{
    enum sp_status status = sp_cpu_has_avx2(err);
    return status == SP_OK ? has_f16c(err) : status;
}

enum sp_status sp_cpu_has_avx512_f16c(struct sp_error *err)
{
    enum sp_status status = sp_cpu_has_avx512(err);
    return status == SP_OK ? has_f16c(err) : status;
}
#endif
