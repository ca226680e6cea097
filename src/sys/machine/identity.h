/* What the processor says of itself. */
#ifndef SP_SYS_IDENTITY_H
#define SP_SYS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sys/machine/topology.h"

struct sp_cpuid {
    char model[128];              /* "Intel(R) Xeon(R) Processor", "" when unknown */
    char vendor[32];              /* "GenuineIntel" */
    int family, number, stepping; /* -1: unknown */
    char microcode[24];           /* "0x1", "" when unknown */
    bool hypervisor;          /* runs in a virtual machine (the CPU says so, or a hypervisor names itself) */
    char hypervisor_name[32]; /* "KVMKVMKVM", "" when unknown */
    bool avx2, avx512;        /* usable here: CPU and operating system; avx512: F, DQ, BW, VL and CD */
    double frequency_Hz; /* highest that cpufreq names, else the current one of /proc/cpuinfo; 0: unknown */
};

/* ISA flags and the hypervisor come from the CPU itself (root ""), the rest from ROOT/proc/cpuinfo
 * and sysfs. For a recorded root the flags come from its cpuinfo. */
void sp_cpuid_read(const char *root, struct sp_cpuid *out);

/* The environment that a measurement belongs to, as a list of facts and a key. Two measurements
 * with the same key may be compared; clocks and load are left out, because they are conditions of a
 * run and not what it ran on. */

/* Of the lists of facts: a list that changes gets another version, and with it other keys. That of
 * a GPU (1 had the name of the machine description in the place of device and driver) is apart, so
 * that keys of CPUs stay. */
enum { SP_IDENTITY_VERSION = 1, SP_IDENTITY_GPU_VERSION = 2, SP_IDENTITY_MAX = 20 };

struct sp_identity {
    int version, n;
    struct {
        char name[24], value[136]; /* value "unknown" where the system does not tell */
    } fact[SP_IDENTITY_MAX];
    char env_key[17]; /* 16 hex digits: FNV-1a over version, names and values */
};

/* Facts: CPU model, family/model/stepping, microcode, ISA, hypervisor, online CPUs and cores,
 * cpuset size, cache sizes as claimed, NUMA nodes, kernel major version, huge-page policy,
 * frequency governor, turbo, memory size in whole GiB. */
void sp_identity_read(const char *root, const struct sp_topology *topology, struct sp_identity *out);

/* What runs on a GPU belongs to that too: adds its name and the driver's version, as the system's
 * files tell it ("535.104.05"), else the CUDA version that it is for ("CUDA 12.2"; cuda_driver as
 * 12020, 0: unknown), or, where it is not "", what an interface says of its driver (`interface`),
 * and makes the key of list SP_IDENTITY_GPU_VERSION. */
void sp_identity_add_gpu(struct sp_identity *identity, const char *root, const char *device, int cuda_driver,
                         const char *interface);

/* Do two names of processors tell different models? Model numbers are compared ("E5-2660", "8360Y":
 * words with three digits or more); false where either has none. */
bool sp_cpu_names_differ(const char *a, const char *b);

/* The machine code of this program's functions, as its symbol table bounds them. */

struct sp_code {
    const unsigned char *bytes; /* [size] where it runs */
    size_t size;
};

/* The function that begins at this address. SP_ABSENT with the reason: the program or library that
 * has it is stripped or not readable, or no function begins there. Reads the file once a call. */
enum sp_status sp_code_find(void (*function)(void), struct sp_code *code, struct sp_error *err);

/* XXH64 of the code of n functions, NULL ones left out; their order counts. */
enum sp_status sp_code_hash(void (*const function[])(void), int n, uint64_t *hash, struct sp_error *err);

#endif
