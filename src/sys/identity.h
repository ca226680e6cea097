/* The environment that a measurement belongs to, as a list of facts and a key. Two measurements with the same
 * key may be compared; clocks and load are left out, because they are conditions of a run and not what it ran
 * on. */
#ifndef SP_SYS_IDENTITY_H
#define SP_SYS_IDENTITY_H

#include "sys/cpuid.h"
#include "sys/topology.h"

enum { SP_IDENTITY_VERSION = 1, SP_IDENTITY_MAX = 20 };

struct sp_identity {
    int n;
    struct {
        char name[24], value[136]; /* value "unknown" where the system does not tell */
    } fact[SP_IDENTITY_MAX];
    char env_key[17]; /* 16 hex digits: FNV-1a over version, names and values */
};

/* Facts: CPU model, family/model/stepping, microcode, ISA, hypervisor, online CPUs and cores, cpuset size,
 * cache sizes as claimed, NUMA nodes, kernel major version, huge-page policy, frequency governor, turbo,
 * memory size in whole GiB. */
void sp_identity_read(const char *root, const struct sp_topology *topology, struct sp_identity *out);

/* The value of a fact, "unknown" for other names. */
const char *sp_identity_value(const struct sp_identity *identity, const char *name);

#endif
