/* What the processor says of itself. */
#ifndef SP_SYS_CPUID_H
#define SP_SYS_CPUID_H

#include <stdbool.h>

struct sp_cpuid {
    char model[128];              /* "Intel(R) Xeon(R) Processor", "" when unknown */
    char vendor[32];              /* "GenuineIntel" */
    int family, number, stepping; /* -1: unknown */
    char microcode[24];           /* "0x1", "" when unknown */
    bool hypervisor;          /* runs in a virtual machine (the CPU says so, or a hypervisor names itself) */
    char hypervisor_name[32]; /* "KVMKVMKVM", "" when unknown */
    bool avx2, fma, avx512;   /* usable here: CPU and operating system; avx512: F, DQ, BW, VL and CD */
    double frequency_Hz; /* highest that cpufreq names, else the current one of /proc/cpuinfo; 0: unknown */
    bool frequency_is_maximum;
};

/* ISA flags and the hypervisor come from the CPU itself (root ""), the rest from ROOT/proc/cpuinfo and sysfs.
 * For a recorded root the flags come from its cpuinfo. */
void sp_cpuid_read(const char *root, struct sp_cpuid *out);

#endif
