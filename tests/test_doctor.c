/* What doctor finds on constructed machines: facts from files, verdicts, what to type, what may be required.
 */
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "recorded_root.h"
#include "run_suite.h"
#include "sp_config.h"
#include "sys/counters/counters.h"
#include "sys/machine/gpu_files.h"

static char root[64];
static struct sp_doctor d;
static const char *environment[4]; /* name, value, name, value */

static char *look(const char *name)
{
    for (int i = 0; i < 4; i += 2)
        if (environment[i] && strcmp(environment[i], name) == 0)
            return (char *)environment[i + 1];
    return NULL;
}

static void examine(const char *second_stat)
{
    struct sp_topology topology;
    struct sp_error err;
    ck_assert_msg(sp_topology_read_sysfs(root, &topology, &err) == SP_OK, "%s", err.what);
    sp_doctor_free(&d);
    d = (struct sp_doctor){.root = root, .look = look, .self = 4242, .uid = getuid(), .begun = sp_now()};
    sp_doctor_watch(&d, 0);
    if (second_stat) {
        recorded_write(root, "/proc/stat", second_stat);
        ck_assert(sp_cpu_times_read(root, &d.times_after));
    }
    sp_doctor_permissions(&d);
    sp_doctor_holders(&d, &topology);
    sp_doctor_gpu(&d);
    sp_doctor_noise(&d, &topology);
    sp_topology_free(&topology);
}

static void open_machine(const char *recording)
{
    memset(environment, 0, sizeof environment);
    recorded_unpack(recording, root, sizeof root);
}

static void close_machine(void)
{
    sp_doctor_free(&d);
    recorded_remove(root);
}

/* The verdict, a part of what is said, and a part of what is to be typed ("": nothing may be said). */
static void expect(const char *id, enum sp_finding_state verdict, const char *what, const char *remedy)
{
    const struct sp_finding *f = sp_doctor_find(&d, id);
    ck_assert_msg(f != NULL, "%s is not found", id);
    ck_assert_msg(f->verdict == verdict, "%s is %s: %s", id, sp_verdict_words[f->verdict], f->what);
    ck_assert_msg(strstr(f->what, what) != NULL, "%s says '%s'", id, f->what);
    ck_assert_msg(*remedy ? strstr(f->remedy, remedy) != NULL : !*f->remedy, "%s advises '%s'", id,
                  f->remedy);
}

static bool satisfied(const char *word)
{
    char because[512];
    return sp_require_satisfied(&d, word, strlen(word), because, sizeof because);
}

START_TEST(a_permissive_server_of_its_own)
{
    char path[256];
    open_machine("doctor-bare.txt");
    snprintf(path, sizeof path, "%s/usr/local/sbin/likwid-accessD", root);
    ck_assert_int_eq(chmod(path, 04755), 0);
    environment[0] = "PATH";
    environment[1] = "/nowhere:/usr/local/bin:/usr/bin";
    examine("cpu  1000 0 500 100800 0 0 0 0 0 0");
    expect("permission.paranoid_level", SP_WORKS, "is -1", "");
    expect("permission.capabilities", SP_WORKS, "CAP_SYS_RAWIO only", "");
    expect("permission.sandbox", SP_WORKS, "no filter", "");
    expect("permission.msr", SP_WORKS, "read and written", "");
    expect("permission.nmi_watchdog", SP_WORKS, "off", "");
    ck_assert_ptr_null(sp_doctor_find(&d, "permission.lockdown"));
    struct sp_permissions p;
    sp_permissions_read(root, "/usr/local/bin", &p);
    ck_assert_str_eq(p.access_daemon, "/usr/local/sbin/likwid-accessD"); /* beside a bin of the PATH */
    ck_assert(p.daemon_setuid && sp_may_count_processors(&p) && sp_may_use_msr(&p));
    if (getuid() == 0)
        expect("permission.access_daemon", SP_WORKS, "runs as root", "");
    else
        expect("permission.access_daemon", SP_LIMITED, "not root's", "chown root: /usr/local/sbin");
    expect("holders.shared_node", SP_WORKS, "no other person has processes", "");
    expect("holders.likwid_lock", SP_WORKS, "anybody", "");
    expect("holders.profiler", SP_WORKS, "none", "");
    expect("gpu.cuda", SP_HAVE_CUDA ? SP_WORKS : SP_IS_ABSENT, "in this build",
           SP_HAVE_CUDA ? "" : "./bootstrap");
    expect("gpu.cupti", SP_HAVE_CUPTI ? SP_WORKS : SP_IS_ABSENT, "in this build",
           SP_HAVE_CUDA && !SP_HAVE_CUPTI ? "./bootstrap" : "");
    expect("gpu.driver", SP_IS_ABSENT, "no NVIDIA driver", "");
    expect("noise.governor", SP_WORKS, "performance (intel_pstate)", "");
    expect("noise.clock", SP_WORKS, "fixed at 2.40 GHz", "");
    expect("noise.turbo", SP_WORKS, "off", "");
    expect("noise.heat", SP_WORKS, "3 times", ""); /* in 100 days */
    expect("noise.smt", SP_WORKS, "on", "");
    expect("noise.numa_balancing", SP_WORKS, "off", "");
    expect("noise.load", SP_WORKS, "0.00 of 8", "");
    expect("noise.steal_time", SP_WORKS, "0 %", "");
    expect("noise.cpuset", SP_WORKS, "all 8", "");
    expect("noise.swap", SP_WORKS, "none", "");
    expect("noise.hypervisor", SP_WORKS, "none", "");
    ck_assert(satisfied("quiet") && satisfied("alone"));
    ck_assert(!satisfied("gpu") && !satisfied("bytes") && !satisfied("profiling"));
    close_machine();
}
END_TEST

START_TEST(a_hardened_server_says_what_to_type)
{
    open_machine("doctor-hardened.txt");
    examine(NULL);
    expect("permission.paranoid_level", SP_IS_ABSENT, "is 4: nothing",
           "sudo sysctl kernel.perf_event_paranoid=0");
    expect("permission.capabilities", SP_LIMITED, "neither", "sudo setcap cap_perfmon=ep");
    expect("permission.sandbox", SP_LIMITED, "seccomp", "--cap-add PERFMON");
    expect("permission.lockdown", SP_LIMITED, "integrity", "lockdown=");
    expect("permission.msr", SP_LIMITED, "refuses writes", "/sys/module/msr/parameters/allow_writes");
    expect("permission.access_daemon", SP_LIMITED, "it gets no access", "chmod u+s /usr/sbin/likwid-accessD");
    expect("permission.nmi_watchdog", SP_LIMITED, "one counter", "sudo sysctl kernel.nmi_watchdog=0");
    expect("holders.processes", SP_LIMITED, "cc-metric-colle (pid 500", "dcgmi profiling --pause");
    expect("holders.processes", SP_LIMITED, "nv-hostengine (pid 600", "Ask for these");
    expect("holders.processes", SP_LIMITED, "hidepid", "Ask");
    expect("gpu.driver", SP_WORKS, "570.86.15 (open), 1 GPU: NVIDIA A100-SXM4-80GB", "");
    expect("gpu.device_nodes", SP_IS_ABSENT, "given no GPU", "nvidia-modprobe");
    expect("gpu.profiling", SP_LIMITED, "RmProfilingAdminOnly is 1", "NVreg_RestrictProfilingToAdminUsers=0");
    expect("gpu.mig", SP_LIMITED, "1 GPU instance:", "nvidia-smi mig");
    expect("noise.governor", SP_LIMITED, "schedutil", "cpupower");
    expect("noise.clock", SP_LIMITED, "capped at 2.00 of 3.40 GHz", "cpupower");
    expect("noise.turbo", SP_LIMITED, "on", "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
    expect("noise.numa_balancing", SP_LIMITED, "2 memory nodes", "sudo sysctl kernel.numa_balancing=0");
    expect("noise.huge_pages", SP_LIMITED, "never", "echo madvise");
    expect("noise.defrag", SP_LIMITED, "never", "echo madvise");
    expect("noise.swap", SP_LIMITED, "410 MB of 1.02 GB", "swapoff");
    expect("noise.smt", SP_WORKS, "off (forceoff)", "");
    ck_assert(!satisfied("quiet") && !satisfied("alone"));
    close_machine();
}
END_TEST

START_TEST(a_laptop_on_battery)
{
    open_machine("doctor-laptop.txt");
    examine("cpu  1050 0 500 100150 0 0 0 0 0 0");
    expect("permission.paranoid_level", SP_LIMITED, "memory controllers are not", "/etc/sysctl.d");
    expect("permission.msr", SP_IS_ABSENT, "module msr is not loaded", "sudo modprobe msr");
    expect("permission.access_daemon", SP_IS_ABSENT, "neither", "apt-get install likwid");
    expect("noise.governor", SP_LIMITED, "powersave (intel_pstate), preference balance_power", "cpupower");
    expect("noise.turbo", SP_LIMITED, "heat",
           "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo");
    expect("noise.supply", SP_LIMITED, "battery", "Plug");
    expect("noise.heat", SP_LIMITED, "900 times", "cooling");
    expect("noise.load", SP_LIMITED, "others use 1.00 of 4", "Wait");
    expect("noise.numa_balancing", SP_WORKS, "one memory node", "");
    expect("noise.swap", SP_WORKS, "in use", "");
    expect("gpu.driver", SP_IS_ABSENT, "1 NVIDIA GPU on the bus, without a driver", "nvidia-driver");
    close_machine();
}
END_TEST

START_TEST(a_virtual_machine_tells_little)
{
    open_machine("doctor-vm.txt");
    examine(NULL);
    /* All capabilities, in a user namespace: the kernel does not count them. */
    expect("permission.paranoid_level", SP_IS_ABSENT, "is 3", "sysctl");
    expect("permission.capabilities", SP_LIMITED, "user namespace", "--cap-add");
    expect("noise.hypervisor", SP_LIMITED, "virtual machine", "vcpupin");
    expect("noise.steal_time", SP_LIMITED, "5 %", "dedicated");
    expect("noise.governor", SP_NOT_TOLD, "does not tell", "");
    expect("noise.turbo", SP_NOT_TOLD, "does not tell", "");
    expect("noise.smt", SP_NOT_TOLD, "does not tell", "");
    expect("noise.numa_balancing", SP_NOT_TOLD, "cannot be read", "");
    expect("noise.huge_pages", SP_NOT_TOLD, "does not tell", "");
    expect("noise.swap", SP_NOT_TOLD, "does not tell", "");
    expect("noise.load", SP_NOT_TOLD, "cannot be told", "");
    expect("permission.nmi_watchdog", SP_NOT_TOLD, "cannot be read", "");
    expect("holders.processes", SP_NOT_TOLD, "no process", "");
    expect("gpu.device_nodes", SP_LIMITED, "1 of 1 /dev/nvidiaN can be opened; /dev/nvidia-uvm cannot",
           "modprobe");
    expect("gpu.profiling", SP_LIMITED, "A40-8Q", "enable_profiling=1");
    close_machine();
}
END_TEST

START_TEST(a_part_of_a_node)
{
    open_machine("doctor-batch.txt");
    environment[0] = "SLURM_JOB_ID";
    environment[1] = "4711";
    environment[2] = "LIKWID_MODE";
    environment[3] = "1";
    examine(NULL);
    expect("holders.shared_node", SP_LIMITED, "Slurm job 4711: only 2 of 8", "--exclusive");
    expect("holders.profiler", SP_LIMITED, "likwid-perfctr -m (LIKWID_MODE is set)", "by itself");
    expect("noise.cpuset", SP_LIMITED, "2 of 8 hardware threads (2 of 4 cores)", "");
    expect("noise.smt", SP_LIMITED, "2 of your hardware threads", "nomultithread");
    close_machine();
}
END_TEST

START_TEST(a_container_with_a_quota)
{
    char path[256];
    open_machine("doctor-container.txt");
    recorded_write(root, "/proc/self/ns/x", "");
    snprintf(path, sizeof path, "%s/proc/self/ns/pid", root);
    ck_assert_int_eq(symlink("pid:[4026532201]", path), 0);
    examine(NULL);
    expect("permission.sandbox", SP_LIMITED, "seccomp", "--cap-add PERFMON");
    expect("noise.cpu_quota", SP_LIMITED, "1.50 processors", "--cpuset-cpus");
    expect("noise.cpu_quota", SP_LIMITED, "50 of 200 periods so far, 2.5 s", "--cpuset-cpus");
    expect("noise.memory_limit", SP_LIMITED, "grants 2.15 GB, 1.07 GB are left", "");
    expect("holders.processes", SP_NOT_TOLD, "a container sees no process of its host", "");
    expect("holders.shared_node", SP_NOT_TOLD, "cannot be seen", "");
    ck_assert(satisfied("alone")); /* what is unknown is no reason to refuse */
    close_machine();
}
END_TEST

START_TEST(descriptors_of_perf_event_are_found)
{
    char path[256];
    open_machine("doctor-bare.txt");
    recorded_write(root, "/proc/77/stat", "77 (a (b) c) S 1 1 1 0 -1 4194560 1 1 1 1 7 3 1 1 20 0 1 0 1");
    recorded_write(root, "/proc/4242/stat", "4242 (spmodel) R 1 1 1 0 -1 4194560 1 1 1 1 7 3 1 1 20 0 1 0 1");
    recorded_write(root, "/proc/77/fd/x", "");
    recorded_write(root, "/proc/4242/fd/x", "");
    for (int fd = 3; fd < 6; fd++) {
        snprintf(path, sizeof path, "%s/proc/77/fd/%d", root, fd);
        ck_assert_int_eq(symlink(fd < 5 ? "anon_inode:[perf_event]" : "socket:[1]", path), 0);
        snprintf(path, sizeof path, "%s/proc/4242/fd/%d", root, fd);
        ck_assert_int_eq(symlink("anon_inode:[perf_event]", path), 0); /* our own */
    }
    struct sp_processes p;
    struct sp_holders h;
    ck_assert_int_eq(sp_processes_read(root, sp_now() + 10, &p, NULL), SP_OK);
    ck_assert_int_eq(p.n, 3);
    ck_assert_str_eq(p.process[1].name, "a (b) c");
    ck_assert_int_eq(p.process[1].ticks, 10);
    sp_holders_read(root, &p, 4242, getuid(), sp_now() + 10, &h);
    ck_assert_int_eq(h.n, 1);
    ck_assert_int_eq(h.holder[0].pid, 77);
    ck_assert_int_eq(h.holder[0].n_descriptors, 2);
    ck_assert_int_eq(h.n_processes, 2);
    ck_assert_int_eq(h.n_looked, 1); /* process 1 has no list */
    ck_assert(h.listed && !h.cut);
    sp_holders_read(root, &p, 4242, getuid(), sp_now() - 1, &h);
    ck_assert(h.cut && h.n == 0 && h.n_looked == 0); /* the time was over: said, not guessed */
    sp_processes_free(&p);
    ck_assert_int_eq(sp_processes_read(root, sp_now() - 1, &p, NULL), SP_OK);
    ck_assert(p.cut && p.n == 0);
    sp_processes_free(&p);
    sp_processes_free(&p);
    examine(NULL);
    expect("holders.processes", SP_LIMITED, "a (b) c (pid 77, 2 perf_event descriptors)", "Ask");
    recorded_write(root, "/proc/77/stat", "77 (b\xff) S 1 1 1 0 -1 4194560 1 1 1 1 7 3 1 1 20 0 1 0 1");
    examine(NULL);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(sp_doctor_json(&d, out, NULL), SP_OK); /* although a name is not UTF-8 */
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "b? (pid 77"));
    free(text);
    close_machine();
}
END_TEST

START_TEST(monitors_are_known_by_name)
{
    bool gpu;
    static const char *const known[] = {
        "perf",          "likwid-perfctr", "likwid-setFreq", "pcm-memory",      "pcm-sensor-ser", "telegraf",
        "node_exporter", "ebpf_exporter",  "AMDuProfPcm",    "cc-metric-colle", "collectd",       "pat_run"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_msg(sp_monitor_known(known[i], &gpu) && !gpu, "%s is not known", known[i]);
    ck_assert(sp_monitor_known("dcgm-exporter", &gpu) && gpu);
    ck_assert(sp_monitor_known("nv-hostengine", &gpu) && gpu);
    static const char *const strange[] = {"perforce", "bash", "exporter", "sepia", "pc", ""};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        ck_assert_msg(!sp_monitor_known(strange[i], &gpu), "%s is taken for a monitor", strange[i]);
}
END_TEST

START_TEST(who_computes_most_comes_first)
{
    struct sp_process before[] = {{.pid = 1, .ticks = 5}, {.pid = 2, .ticks = 0}, {.pid = 9, .ticks = 50}},
                      after[] = {{.pid = 1, .name = "idle", .ticks = 5},
                                 {.pid = 2, .name = "half", .ticks = 0},
                                 {.pid = 3, .name = "new", .ticks = 0},
                                 {.pid = 9, .name = "full", .ticks = 50}};
    long hertz = sysconf(_SC_CLK_TCK);
    after[1].ticks += hertz / 2;
    after[2].ticks += hertz / 4;
    after[3].ticks += hertz;
    struct sp_processes a = {.n = 3, .process = before, .when = 10},
                        b = {.n = 4, .process = after, .when = 11};
    struct sp_busy busy[2];
    ck_assert_int_eq(sp_processes_busy(&a, &b, 0, 0.1, busy, 2), 2);
    ck_assert_str_eq(busy[0].name, "full");
    ck_assert_double_eq_tol(busy[0].share, 1, 1e-9);
    ck_assert_str_eq(busy[1].name, "half");
    ck_assert_int_eq(sp_processes_busy(&a, &b, 9, 0.1, busy, 2), 2); /* without itself */
    ck_assert_str_eq(busy[1].name, "new");
    ck_assert_int_eq(sp_processes_busy(&b, &b, 0, 0.1, busy, 2), 0);
}
END_TEST

START_TEST(bytes_are_those_that_are_counted_here)
{
    static const char *const names[] = {"sim", "replay", "time", "memory", "perf"};
    memset(&d, 0, sizeof d);
    for (int i = 0; i < 5; i++) {
        sp_find_out(&d, sp_title_bytes, names[i], SP_WORKS, "", "there");
        ck_assert_msg(satisfied("bytes") == (i == 4), "%s", names[i]);
    }
    d.finding[4].verdict = SP_LIMITED;
    ck_assert(!satisfied("bytes"));
}
END_TEST

START_TEST(required_words_are_known_or_named)
{
    char wrong[64];
    ck_assert(sp_require_known("bytes,gpu,opencl,profiling,pin,huge,quiet,alone,plots", wrong, sizeof wrong));
    static const char *const lists[] = {"byte", "", "pin,", ",pin", "pin,,huge", "pin huge", "pin,byte,gpu"};
    static const char *const faults[] = {"byte", "", "", "", "", "pin huge", "byte"};
    for (int i = 0; i < 7; i++) {
        ck_assert_msg(!sp_require_known(lists[i], wrong, sizeof wrong), "'%s' is taken", lists[i]);
        ck_assert_str_eq(wrong, faults[i]);
    }
}
END_TEST

START_TEST(lines_fit_and_ids_are_unique)
{
    static const char *const machines[] = {"doctor-bare.txt", "doctor-hardened.txt", "doctor-laptop.txt",
                                           "doctor-vm.txt",   "doctor-batch.txt",    "doctor-container.txt"};
    for (int m = 0; m < 6; m++) {
        open_machine(machines[m]);
        examine(NULL);
        for (int i = 0; i < d.n; i++)
            ck_assert_msg(sp_doctor_find(&d, d.finding[i].id) == &d.finding[i], "%s twice", d.finding[i].id);
        char *text = NULL;
        size_t size;
        FILE *out;
        for (int verbosity = 0; verbosity < 2; verbosity++) {
            out = open_memstream(&text, &size);
            sp_doctor_text(&d, &(struct sp_report_style){.width = 120, .verbosity = verbosity}, out);
            fclose(out);
            for (char *line = text; *line; line += strcspn(line, "\n") + 1)
                ck_assert_msg(strcspn(line, "\n") <= 100, "too long: %s", line);
            ck_assert_ptr_nonnull(strstr(text, "WHAT STILL WORKS"));
            ck_assert(!strstr(text, "noise.cpuset") == !verbosity);
            free(text);
        }
        out = open_memstream(&text, &size);
        ck_assert_int_eq(sp_doctor_json(&d, out, NULL), SP_OK);
        fclose(out);
        json_t *json = json_loads(text, 0, NULL);
        ck_assert_uint_eq(json_array_size(json_object_get(json, "findings")), (size_t)d.n);
        json_decref(json);
        free(text);
        close_machine();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("doctor");
    TCase *tc = tcase_create("doctor");
    tcase_add_test(tc, a_permissive_server_of_its_own);
    tcase_add_test(tc, a_hardened_server_says_what_to_type);
    tcase_add_test(tc, a_laptop_on_battery);
    tcase_add_test(tc, a_virtual_machine_tells_little);
    tcase_add_test(tc, a_part_of_a_node);
    tcase_add_test(tc, a_container_with_a_quota);
    tcase_add_test(tc, descriptors_of_perf_event_are_found);
    tcase_add_test(tc, monitors_are_known_by_name);
    tcase_add_test(tc, who_computes_most_comes_first);
    tcase_add_test(tc, bytes_are_those_that_are_counted_here);
    tcase_add_test(tc, required_words_are_known_or_named);
    tcase_add_test(tc, lines_fit_and_ids_are_unique);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
