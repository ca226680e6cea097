#include <omp.h>
#include <sched.h>

#include "recorded_root.h"
#include "run_suite.h"
#include "sys/machine/core_to_core.h"
#include "sys/machine/identity.h"
#include "sys/machine/pages.h"
#include "sys/machine/sysfs.h"
#include "sys/machine/topology.h"

static void collect(void *context, int cpu)
{
    char *text = context;
    sprintf(text + strlen(text), "%d ", cpu);
}

START_TEST(names_of_processors_are_told_apart)
{
    static const struct {
        const char *a, *b;
        bool differ;
    } cases[] = {
        {"Intel(R) Xeon(R) CPU E5-2660 v2 @ 2.20GHz", "Intel Xeon E5-2660 v2 (Ivy Bridge EP), one socket",
         false},
        {"Intel(R) Xeon(R) CPU E5-2660 v2 @ 2.20GHz", "Intel Xeon Platinum 8360Y (Ice Lake SP)", true},
        {"AMD EPYC 9654 96-Core Processor", "AMD EPYC 9654 (Zen 4, Genoa), one socket of 96 cores", false},
        {"AMD EPYC 7763 64-Core Processor", "AMD EPYC 9654 (Zen 4, Genoa), one socket of 96 cores", true},
        {"INTEL XEON PLATINUM 8360y", "Intel Xeon Platinum 8360Y", false},
        {"AMD EPYC, virtual machine", "AMD EPYC 9654", false}, /* not known */
        {"", "AMD EPYC 9654", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(sp_cpu_names_differ(cases[i].a, cases[i].b) == cases[i].differ &&
                          sp_cpu_names_differ(cases[i].b, cases[i].a) == cases[i].differ,
                      "%s, %s", cases[i].a, cases[i].b);
}
END_TEST

START_TEST(lists_of_processors_are_parsed)
{
    char text[256] = "";
    ck_assert(sp_sysfs_list("0-2,7,9-10", collect, text));
    ck_assert_str_eq(text, "0 1 2 7 9 10 ");
    ck_assert(sp_sysfs_list("", collect, text));
    ck_assert(!sp_sysfs_list("3-", collect, text));
    ck_assert(!sp_sysfs_list("5-2", collect, text));
    ck_assert(!sp_sysfs_list("a", collect, text));
    ck_assert(!sp_sysfs_list("0-9999999", collect, text));
}
END_TEST

START_TEST(two_sockets_with_a_cpuset_on_the_second)
{
    char root[64];
    struct sp_topology t;
    struct sp_binding b;
    recorded_unpack("sysfs-2-sockets.txt", root, sizeof root);
    ck_assert_int_eq(sp_topology_read_sysfs(root, &t, NULL), SP_OK);
    ck_assert_int_eq(t.n_cpus, 16);
    ck_assert_int_eq(t.n_cores, 8);
    ck_assert_int_eq(t.n_packages, 2);
    ck_assert_int_eq(t.n_domains, 2);
    ck_assert_int_eq(t.n_numa, 2);
    ck_assert_int_eq(t.threads_per_core, 2);
    ck_assert_int_eq(t.n_allowed, 8);
    ck_assert_int_eq(t.n_allowed_cores, 4);
    ck_assert_int_eq(t.n_caches, 3);
    ck_assert_int_eq(t.cache[2].size_B, 16896 * 1024);
    ck_assert_int_eq(t.cache[2].ways, 11);
    ck_assert_int_eq(t.cache[2].cores_sharing, 4);
    ck_assert_int_eq(t.cache[2].n_instances, 2);
    ck_assert_int_eq(t.cache[0].cores_sharing, 1);
    ck_assert_int_eq(t.cache[0].cpus_sharing, 2);
    ck_assert_int_eq(t.cpu[12].core, t.cpu[4].core);
    ck_assert_int_eq(t.cpu[12].smt, 1);
    ck_assert_int_eq(t.cpu[12].numa, 1);
    ck_assert_double_eq(t.cpu_quota, 2.5);
    ck_assert_int_eq(sp_topology_default_threads(&t), 3);
    /* Six threads: the four cores of the allowed socket first, then their second hardware
     * threads. */
    ck_assert_int_eq(sp_binding_plan(&t, 6, SP_COMPACT, &b, NULL), SP_OK);
    static const int expected[] = {4, 5, 6, 7, 12, 13};
    ck_assert_mem_eq(b.cpu, expected, sizeof expected);
    ck_assert(b.uses_smt && !b.oversubscribed && b.n_domains == 1 && b.n_numa == 1);
    sp_binding_free(&b);
    ck_assert_int_eq(sp_binding_plan(&t, 9, SP_COMPACT, &b, NULL), SP_OK);
    ck_assert(b.oversubscribed);
    sp_binding_free(&b);
    struct sp_meminfo m;
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.total_B, INT64_C(8) << 30);
    ck_assert_int_eq(m.available_B, INT64_C(7) << 30); /* 8 - 2 used + 1 of file cache */
    ck_assert_int_eq(m.limit, SP_LIMIT_GROUP);
    ck_assert_int_eq(m.limit_B, INT64_C(8) << 30);
    sp_topology_free(&t);
    sp_topology_free(&t);
    recorded_remove(root);
}
END_TEST

START_TEST(four_cache_domains)
{
    char root[64];
    struct sp_topology t;
    struct sp_binding b;
    recorded_unpack("sysfs-ccx.txt", root, sizeof root);
    ck_assert_int_eq(sp_topology_read_sysfs(root, &t, NULL), SP_OK);
    ck_assert_int_eq(t.n_domains, 4);
    ck_assert_int_eq(t.n_packages, 1);
    ck_assert_int_eq(t.cache[2].cores_sharing, 4);
    ck_assert_int_eq(sp_topology_default_threads(&t), 16);
    static const int compact[] = {0, 1, 2, 3, 4, 5}, scatter[] = {0, 4, 8, 12, 1, 5};
    ck_assert_int_eq(sp_binding_plan(&t, 6, SP_COMPACT, &b, NULL), SP_OK);
    ck_assert_mem_eq(b.cpu, compact, sizeof compact);
    ck_assert_int_eq(b.n_domains, 2);
    sp_binding_free(&b);
    ck_assert_int_eq(sp_binding_plan(&t, 6, SP_SCATTER, &b, NULL), SP_OK);
    ck_assert_mem_eq(b.cpu, scatter, sizeof scatter);
    ck_assert_int_eq(b.n_domains, 4);
    sp_binding_free(&b);
    struct sp_meminfo m;
    struct sp_cgroup g;
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.available_B, INT64_C(120000000) * 1024);
    sp_cgroup_read(root, &g);
    ck_assert(!g.memory_limited && !g.cpu_limited);
    sp_topology_free(&t);
    recorded_remove(root);
}
END_TEST

START_TEST(a_virtual_machine_that_describes_nothing)
{
    char root[64];
    struct sp_topology t;
    recorded_unpack("sysfs-vm.txt", root, sizeof root);
    ck_assert_int_eq(sp_topology_read_sysfs(root, &t, NULL), SP_OK);
    ck_assert_int_eq(t.n_cpus, 2);
    ck_assert_int_eq(t.n_cores, 2);
    ck_assert_int_eq(t.n_domains, 1);
    ck_assert_int_eq(t.n_numa, 1);
    ck_assert_int_eq(t.n_caches, 0);
    ck_assert_int_eq(t.n_allowed, 2);
    struct sp_meminfo m;
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.total_B, INT64_C(4) << 30);
    ck_assert_int_eq(m.available_B, INT64_C(2) << 30); /* 4 - 3 used + 1 of file cache */
    sp_topology_free(&t);
    recorded_remove(root);
}
END_TEST

START_TEST(nothing_there_is_an_error)
{
    struct sp_topology t;
    struct sp_meminfo m;
    struct sp_error err;
    ck_assert_int_eq(sp_topology_read_sysfs("/nonexistent", &t, &err), SP_ABSENT);
    ck_assert(t.cpu == NULL && err.remedy[0]);
    ck_assert_int_eq(sp_meminfo_read("/nonexistent", &m, &err), SP_ABSENT);
}
END_TEST

START_TEST(hwloc_and_sysfs_agree_on_this_machine)
{
    struct sp_topology a, b;
    ck_assert_int_eq(sp_topology_read(&a, NULL), SP_OK);
    ck_assert_int_eq(sp_topology_read_sysfs("", &b, NULL), SP_OK);
    if (strcmp(a.source, b.source) == 0)
        printf("sys: hwloc not in this build, so sysfs is compared with itself\n");
    ck_assert_int_eq(a.n_cpus, b.n_cpus);
    ck_assert_int_eq(a.n_cores, b.n_cores);
    ck_assert_int_eq(a.n_domains, b.n_domains);
    ck_assert_int_eq(a.n_packages, b.n_packages);
    ck_assert_int_eq(a.n_allowed, b.n_allowed);
    ck_assert_int_eq(a.n_caches, b.n_caches);
    for (int k = 0; k < a.n_caches; k++) {
        ck_assert_int_eq(a.cache[k].level, b.cache[k].level);
        ck_assert_int_eq(a.cache[k].size_B, b.cache[k].size_B);
        ck_assert_int_eq(a.cache[k].cores_sharing, b.cache[k].cores_sharing);
    }
    for (int i = 0; i < a.n_cpus; i++) {
        ck_assert_int_eq(a.cpu[i].os, b.cpu[i].os);
        ck_assert_int_eq(a.cpu[i].core, b.cpu[i].core);
        ck_assert_int_eq(a.cpu[i].domain, b.cpu[i].domain);
        ck_assert_int_eq(a.cpu[i].allowed, b.cpu[i].allowed);
    }
    sp_topology_free(&a);
    sp_topology_free(&b);
}
END_TEST

START_TEST(threads_run_where_they_are_pinned)
{
    struct sp_topology t;
    struct sp_binding b;
    ck_assert_int_eq(sp_topology_read(&t, NULL), SP_OK);
    ck_assert_int_eq(sp_binding_plan(&t, 0, SP_COMPACT, &b, NULL), SP_OK);
    struct sp_error err;
    ck_assert_msg(sp_binding_apply(&b, &err) == SP_OK, "%s", err.what);
    ck_assert(b.pinned);
    int wrong = 0;
#pragma omp parallel num_threads(b.n_threads) reduction(+ : wrong)
    wrong += sched_getcpu() != b.cpu[omp_get_thread_num()];
    ck_assert_int_eq(wrong, 0);
    sp_binding_undo(&b, &t);
    cpu_set_t set;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    ck_assert_int_eq(CPU_COUNT(&set), t.n_allowed);
    sp_binding_free(&b);
    sp_topology_free(&t);
}
END_TEST

/* CPUs that the threads of a region of no stated size may run on, together and the fewest of one. */
static int cpus_of_region(int *n_threads, int *fewest)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    *fewest = CPU_SETSIZE;
#pragma omp parallel
    {
        cpu_set_t own;
        CPU_ZERO(&own);
        sched_getaffinity(0, sizeof own, &own);
#pragma omp critical
        {
            *n_threads = omp_get_num_threads();
            *fewest = CPU_COUNT(&own) < *fewest ? CPU_COUNT(&own) : *fewest;
            CPU_OR(&all, &all, &own);
        }
    }
    return CPU_COUNT(&all);
}

START_TEST(regions_have_the_team_until_it_is_let_go)
{
    struct sp_topology t;
    struct sp_binding b;
    int n, fewest;
    ck_assert_int_eq(sp_topology_read(&t, NULL), SP_OK);
    const int n_allowed = cpus_of_region(&n, &fewest), before = omp_get_max_threads();
    omp_set_num_threads(6); /* as many hardware threads have, of which a run takes one a core */
    ck_assert_int_eq(sp_binding_plan(&t, 2, SP_COMPACT, &b, NULL), SP_OK);
    ck_assert(!sp_binding_is_held());
    if (sp_binding_apply(&b, NULL) == SP_OK) {
        ck_assert(sp_binding_is_held());
        ck_assert_int_eq(cpus_of_region(&n, &fewest), n_allowed < 2 ? n_allowed : 2);
        ck_assert_int_eq(n, 2);
        ck_assert_int_eq(fewest, 1);
    }
    sp_binding_undo(&b, &t);
    ck_assert(!sp_binding_is_held());
    cpus_of_region(&n, &fewest);
    ck_assert_int_eq(n, 6);
    ck_assert_msg(fewest == n_allowed, "a thread may run on %d of %d processors", fewest, n_allowed);
    omp_set_num_threads(before);
    sp_binding_free(&b);
    sp_topology_free(&t);
}
END_TEST

/* Two mappings, one of which holds the array: its neighbours do not count. */
START_TEST(huge_pages_are_read_from_smaps)
{
    char root[] = "/tmp/sp_root_XXXXXX";
    struct sp_pages pages;
    ck_assert_ptr_nonnull(mkdtemp(root));
    recorded_write(root, "/proc/self/smaps",
                   "10000000-10800000 rw-p 00000000 00:00 0\\nSize: 8192 kB\\nRss:    8192 "
                   "kB\\nAnonHugePages:   6144 kB\\n"
                   "20000000-20400000 rw-p 00000000 00:00 0\\nRss:    4096 kB\\nAnonHugePages:      0 kB\\n"
                   "30000000-30400000 rw-p 00000000 00:00 0\\nRss:    0 kB\\nAnonHugePages:      0 kB");
    sp_pages_read(root, (void *)0x10000000, 0x800000, -1, &pages);
    ck_assert(sp_value_known(pages.huge_share));
    ck_assert_double_eq(pages.huge_share.value, 0.75);
    ck_assert_double_eq(pages.touched_B.value, 8 << 20);
    sp_pages_read(root, (void *)0x10400000, 0x10000000, -1, &pages); /* both: 6 of 12 MiB */
    ck_assert_double_eq(pages.huge_share.value, 0.5);
    sp_pages_read(root, (void *)0x30000000, 4096, -1, &pages);
    ck_assert_msg(!sp_value_known(pages.huge_share), "untouched memory has no share");
    sp_pages_read(root, (void *)0x50000000, 4096, -1, &pages);
    ck_assert(!sp_value_known(pages.huge_share) && pages.huge_share.why);
    recorded_remove(root);
    sp_pages_read("/nonexistent", (void *)0x10000000, 4096, -1, &pages);
    ck_assert(!sp_value_known(pages.huge_share) && pages.remote_share < 0 && pages.n_nodes == 0);
}
END_TEST

START_TEST(modes_are_told_apart_by_the_gap)
{
    struct sp_core_history h = {0};
    /* No gap: the usual ranges. */
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){10e-9, 1, 0}), SP_CORE_SMT);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){60e-9, 1, 0}), SP_CORE_SHARED);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){90e-9, 1, 0}), SP_CORE_UNKNOWN);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){150e-9, 1, 0}), SP_CORE_SPLIT);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){0, 1, 0}), SP_CORE_UNKNOWN);
    /* Two threads that keep half of their speed share a core, at whatever latency. */
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){27e-9, 0.51, 0}), SP_CORE_SMT);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){0, 0.51, 0}), SP_CORE_SMT);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){27e-9, 0, 0}), SP_CORE_SHARED);
    /* A slow machine: 80 ns is shared there, because 200 ns exist; one outlier makes no mode. */
    for (int i = 0; i < 10; i++) {
        sp_core_history_add(&h, &(struct sp_core_look){.latency_s = (78 + 0.5 * i) * 1e-9});
        sp_core_history_add(&h, &(struct sp_core_look){.latency_s = (200 + i) * 1e-9});
    }
    sp_core_history_add(&h, &(struct sp_core_look){.latency_s = 900e-9});
    sp_core_history_add(&h, &(struct sp_core_look){.latency_s = 0});
    ck_assert_int_eq(h.n, 21);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){80e-9, 1, 0}), SP_CORE_SHARED);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){205e-9, 1, 0}), SP_CORE_SPLIT);
    ck_assert_int_eq(sp_core_classify(&h, (struct sp_core_look){130e-9, 1, 0}), SP_CORE_UNKNOWN);
    for (int i = 0; i < 1000; i++)
        sp_core_history_add(&h, &(struct sp_core_look){.latency_s = (79 + i % 5) * 1e-9});
    ck_assert_int_le(h.n, SP_CORE_HISTORY);
    ck_assert_double_eq(h.latency_s[h.n - 1], 900e-9);
    for (int i = 1; i < h.n; i++)
        ck_assert(h.latency_s[i - 1] <= h.latency_s[i]);
}
END_TEST

START_TEST(other_work_in_a_core_narrows_it)
{
    ck_assert(!sp_core_is_crowded(&(struct sp_core_look){27e-9, 1, 6}, 6.2));
    ck_assert(sp_core_is_crowded(&(struct sp_core_look){27e-9, 1, 4}, 6.2));   /* a guest beside it */
    ck_assert(sp_core_is_crowded(&(struct sp_core_look){27e-9, 0.5, 6}, 6.2)); /* two threads of ours */
    ck_assert(!sp_core_is_crowded(&(struct sp_core_look){27e-9, 0, 0}, 6.2));  /* nobody knows */
    struct sp_core_history h = {.widest = 5};
    sp_core_history_add(&h, &(struct sp_core_look){0, 1, 4});
    ck_assert(h.widest == 5 && h.n == 0);
    sp_core_history_add(&h, &(struct sp_core_look){0, 1, 6});
    ck_assert(h.widest == 6);

    struct sp_core_look look; /* live, whatever else runs here */
    for (int n = 1; n <= 2; n++) {
        sp_core_crowd(2, n, &look);
        ck_assert(look.width >= 0 && look.share >= 0 && look.share <= 1);
        ck_assert(n == 2 || look.share == 0);
    }
    sp_core_crowd(2, 3, &look);
    ck_assert(look.width == 0 && look.share == 0);
}
END_TEST

START_TEST(a_recorded_processor)
{
    char root[] = "/tmp/sp_root_XXXXXX";
    struct sp_cpuid cpu;
    ck_assert_ptr_nonnull(mkdtemp(root));
    recorded_write(
        root, "/proc/cpuinfo",
        "processor\\t: 0\\nvendor_id\\t: AuthenticAMD\\ncpu family\\t: 25\\nmodel\\t\\t: 17\\n"
        "model name\\t: AMD EPYC 9554\\nstepping\\t: 1\\nmicrocode\\t: 0xa10113e\\ncpu MHz\\t\\t: 3100.500\\n"
        "flags\\t\\t: fpu fma avx2 avx512f avx512dq avx512cd avx512bw avx512vl\\n\\nprocessor\\t: "
        "1\\nmodel\\t: 99");
    sp_cpuid_read(root, &cpu);
    ck_assert_str_eq(cpu.model, "AMD EPYC 9554");
    ck_assert_int_eq(cpu.family, 25);
    ck_assert_int_eq(cpu.number, 17);
    ck_assert_str_eq(cpu.microcode, "0xa10113e");
    ck_assert(cpu.avx2 && cpu.avx512 && !cpu.hypervisor);
    ck_assert_double_eq_tol(cpu.frequency_Hz, 3.1005e9, 1);
    recorded_remove(root);
}
END_TEST

static const char *fact_of(const struct sp_identity *identity, const char *name)
{
    for (int i = 0; i < identity->n; i++)
        if (strcmp(identity->fact[i].name, name) == 0)
            return identity->fact[i].value;
    return "unknown";
}

START_TEST(the_environment_key_follows_the_facts)
{
    char root[64];
    struct sp_topology t;
    struct sp_identity a, b;
    recorded_unpack("sysfs-ccx.txt", root, sizeof root);
    ck_assert_int_eq(sp_topology_read_sysfs(root, &t, NULL), SP_OK);
    sp_identity_read(root, &t, &a);
    sp_identity_read(root, &t, &b);
    ck_assert_int_eq(strlen(a.env_key), 16);
    ck_assert_str_eq(a.env_key, b.env_key);
    ck_assert_str_eq(fact_of(&a, "governor"), "unknown");
    recorded_write(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
    sp_identity_read(root, &t, &b);
    ck_assert_str_eq(fact_of(&b, "governor"), "powersave");
    ck_assert_str_ne(a.env_key, b.env_key);
    sp_topology_free(&t);
    recorded_remove(root);
}
END_TEST

/* Not the name of a description that somebody wrote: the device, and the driver that compiled for
 * it. */
START_TEST(the_environment_of_a_gpu_has_device_and_driver)
{
    static const char version[] = "/proc/driver/nvidia/version";
    char root[64];
    struct sp_topology t;
    struct sp_identity cpu, a, b;
    recorded_unpack("sysfs-ccx.txt", root, sizeof root);
    ck_assert_int_eq(sp_topology_read_sysfs(root, &t, NULL), SP_OK);
    sp_identity_read(root, &t, &cpu);
    sp_topology_free(&t);
    ck_assert_int_eq(cpu.version, SP_IDENTITY_VERSION);
    ck_assert_str_eq(fact_of(&cpu, "gpu"), "unknown");
    a = b = cpu;
    sp_identity_add_gpu(&a, root, "NVIDIA A40", 12020, "");
    ck_assert_int_eq(a.version, SP_IDENTITY_GPU_VERSION);
    ck_assert_str_eq(fact_of(&a, "gpu"), "NVIDIA A40");
    ck_assert_str_eq(fact_of(&a, "gpu_driver"), "CUDA 12.2");
    ck_assert_str_ne(a.env_key, cpu.env_key);
    sp_identity_add_gpu(&b, root, "NVIDIA A40", 12020, "");
    ck_assert_str_eq(a.env_key, b.env_key);
    b = cpu;
    sp_identity_add_gpu(&b, root, "NVIDIA A40", 0, "");
    ck_assert_str_eq(fact_of(&b, "gpu_driver"), "unknown");
    recorded_write(root, version, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19");
    a = b = cpu;
    sp_identity_add_gpu(&a, root, "NVIDIA A40", 12020, "");
    ck_assert_str_eq(fact_of(&a, "gpu_driver"), "535.104.05");
    recorded_write(root, version, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.216.01  Sat Oct 19");
    sp_identity_add_gpu(&b, root, "NVIDIA A40", 12020, "");
    ck_assert_str_ne(a.env_key, b.env_key); /* another driver for the same CUDA version */
    b = cpu;
    sp_identity_add_gpu(&b, root, "NVIDIA H200", 12020, "");
    ck_assert_str_ne(a.env_key, b.env_key);
    recorded_remove(root);
}
END_TEST

static int __attribute__((noinline)) twice(int x)
{
    __asm__ volatile("" : "+r"(x));
    return 2 * x;
}

static int __attribute__((noinline)) thrice(int x)
{
    __asm__ volatile("" : "+r"(x));
    return 3 * x;
}

START_TEST(functions_have_their_code)
{
    struct sp_code a, b;
    struct sp_error err;
    uint64_t h[3];
    typedef void function(void);
    function *const two[2] = {(function *)twice, NULL}, *const three[2] = {(function *)thrice, NULL},
                    *const both[2] = {(function *)twice, (function *)thrice};
    ck_assert_int_eq(twice(2) + thrice(2), 10);
    ck_assert_msg(sp_code_find((function *)twice, &a, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(sp_code_find((function *)thrice, &b, &err), SP_OK);
    ck_assert(a.bytes == (const unsigned char *)(uintptr_t)twice && a.size > 0 && a.size < 4096);
    ck_assert(a.bytes + a.size <= b.bytes || b.bytes + b.size <= a.bytes);
    ck_assert_int_eq(sp_code_hash(two, 2, &h[0], &err), SP_OK);
    ck_assert_int_eq(sp_code_hash(three, 2, &h[1], &err), SP_OK);
    ck_assert_int_eq(sp_code_hash(both, 2, &h[2], &err), SP_OK);
    ck_assert(h[0] != h[1] && h[0] != h[2] && h[1] != h[2]);
    ck_assert_int_eq(sp_code_find((function *)((uintptr_t)twice + 1), &a, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "symbol table"));
    ck_assert_int_eq(sp_code_find((function *)(uintptr_t)16, &a, &err), SP_ABSENT);
}
END_TEST

static void put_under(const char *root, const char *path, const char *text)
{
    char command[512], full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", full);
    ck_assert_int_eq(system(command), 0);
    FILE *f = fopen(full, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

/* 16 GB machine, 8 GB available; this process has 1000 pages, of which 100 are its own. */
static void plain_machine(char *root)
{
    strcpy(root, "/tmp/spmodel-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    put_under(root, "/proc/meminfo", "MemTotal: 16000000 kB\nMemFree: 1 kB\nMemAvailable: 8000000 kB\n");
    put_under(root, "/proc/self/statm", "1000 150 50 10 0 400 0\n");
}

START_TEST(memory_is_bounded_by_the_tightest_limit)
{
    char root[64], text[96];
    const int64_t page = sysconf(_SC_PAGESIZE);
    struct sp_meminfo m;
    plain_machine(root);
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.limit, SP_LIMIT_MACHINE);
    ck_assert_int_eq(m.available_B, INT64_C(8000000) * 1024);
    sp_meminfo_limit_text(&m, text, sizeof text);
    ck_assert_str_eq(text, "");

    /* Version 2; the parent's limit is the tighter one. */
    put_under(root, "/proc/self/cgroup", "0::/batch/job\n");
    put_under(root, "/sys/fs/cgroup/batch/memory.max", "60000000\n");
    put_under(root, "/sys/fs/cgroup/batch/memory.current", "20000000\n");
    put_under(root, "/sys/fs/cgroup/batch/memory.stat", "anon 1\ninactive_file 5000000\n");
    put_under(root, "/sys/fs/cgroup/batch/job/memory.max", "max\n");
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.limit, SP_LIMIT_GROUP);
    ck_assert_int_eq(m.limit_B, 60000000);
    ck_assert_int_eq(m.available_B, 45000000);
    sp_meminfo_limit_text(&m, text, sizeof text);
    ck_assert_str_eq(text, "the limit of the control group is 60.0 MB");

    /* Nothing left is not "unknown". */
    put_under(root, "/sys/fs/cgroup/batch/memory.current", "66000000\n");
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.available_B, 1);
    put_under(root, "/sys/fs/cgroup/batch/memory.current", "20000000\n");

    /* ulimit -v below that, and -d below -v: 20 MB less 400 pages. */
    put_under(root, "/proc/self/limits",
              "Limit                     Soft Limit           Hard Limit           Units\n"
              "Max data size             20000000             unlimited            bytes\n"
              "Max address space         40000000             unlimited            bytes\n");
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.limit, SP_LIMIT_PROCESS);
    ck_assert_int_eq(m.available_B, 20000000 - 400 * page);
    put_under(root, "/proc/self/limits",
              "Max data size             unlimited            unlimited            bytes\n"
              "Max address space         40000000             unlimited            bytes\n");
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.available_B, 40000000 - 1000 * page);

    /* What is stated is in place of all of it. */
    sp_meminfo_state(INT64_C(3000000000));
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.limit, SP_LIMIT_STATED);
    ck_assert_int_eq(m.available_B, INT64_C(3000000000) - 100 * page);
    sp_meminfo_state(10);
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.available_B, 1);
    sp_meminfo_state(0);
    recorded_remove(root);
}
END_TEST

START_TEST(groups_of_version_1_bound_memory)
{
    char root[64];
    struct sp_meminfo m;
    plain_machine(root);
    put_under(root, "/proc/self/cgroup", "4:memory:/a/b\n0::/\n");
    put_under(root, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    put_under(root, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "60000000\n");
    put_under(root, "/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "10000000\n");
    ck_assert_int_eq(sp_meminfo_read(root, &m, NULL), SP_OK);
    ck_assert_int_eq(m.limit, SP_LIMIT_GROUP);
    ck_assert_int_eq(m.available_B, 50000000);
    recorded_remove(root);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sys");
    TCase *tc = tcase_create("sys");
    tcase_add_test(tc, functions_have_their_code);
    tcase_add_test(tc, lists_of_processors_are_parsed);
    tcase_add_test(tc, names_of_processors_are_told_apart);
    tcase_add_test(tc, two_sockets_with_a_cpuset_on_the_second);
    tcase_add_test(tc, four_cache_domains);
    tcase_add_test(tc, memory_is_bounded_by_the_tightest_limit);
    tcase_add_test(tc, groups_of_version_1_bound_memory);
    tcase_add_test(tc, a_virtual_machine_that_describes_nothing);
    tcase_add_test(tc, nothing_there_is_an_error);
    tcase_add_test(tc, hwloc_and_sysfs_agree_on_this_machine);
    tcase_add_test(tc, threads_run_where_they_are_pinned);
    tcase_add_test(tc, regions_have_the_team_until_it_is_let_go);
    tcase_add_test(tc, huge_pages_are_read_from_smaps);
    tcase_add_test(tc, modes_are_told_apart_by_the_gap);
    tcase_add_test(tc, other_work_in_a_core_narrows_it);
    tcase_add_test(tc, a_recorded_processor);
    tcase_add_test(tc, the_environment_key_follows_the_facts);
    tcase_add_test(tc, the_environment_of_a_gpu_has_device_and_driver);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
