#include "sys/counters/memory_pmu.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "sys/machine/sysfs.h"

/* A kind of unit: names that begin with `prefix` and contain `part`; events by the names of the
 * kernel's files, or, where `published` is false, by their codes; several are separated by
 * semicolons. B_per_count 0: the kernel's scale file says it. */
struct kind {
    const char *name, *prefix, *part, *not_part;
    bool published;
    const char *read, *write, *both;
    double B_per_count;
    const char *umask; /* how the format file must define umask; NULL: not looked at */
    int n_passes;
    /* Names in the vendor's event list behind r:, w: or b:; "..._" is a beginning. Those behind a |
     * are others for the same counts. */
    const char *listed;
};

static const struct kind kinds[] = {
    /* Linux arch/x86/events/intel/uncore_snbep.c: a CAS command moves a line, scale 64 B in MiB. */
    {"Intel integrated memory controller", "uncore_imc", "", "free_running", true, "cas_count_read",
     "cas_count_write", "", 0, NULL, 1,
     "r:unc_m_cas_count.rd w:unc_m_cas_count.wr b:unc_m_cas_count.all | r:llc_misses.mem_read "
     "w:llc_misses.mem_write"},
    /* The same file, Granite Rapids and Sierra Forest: two halves of a channel. */
    {"Intel integrated memory controller", "uncore_imc", "", "free_running", true,
     "cas_count_read_sch0;cas_count_read_sch1", "cas_count_write_sch0;cas_count_write_sch1", "", 0, NULL, 1,
     "r:unc_m_cas_count_sch0.rd r:unc_m_cas_count_sch1.rd w:unc_m_cas_count_sch0.wr "
     "w:unc_m_cas_count_sch1.wr b:unc_m_cas_count_sch0.all b:unc_m_cas_count_sch1.all"},
    /* uncore_snb.c, client processors: lines. */
    {"Intel integrated memory controller", "uncore_imc", "", "free_running", true, "data_reads",
     "data_writes", "", 0, NULL, 1, "r:data_reads w:data_writes"},
    /* Counters that always run, of servers and clients. */
    {"Intel free-running memory counters", "uncore_imc_free_running", "", NULL, true, "read", "write", "", 0,
     NULL, 1, ""},
    {"Intel free-running memory counters", "uncore_imc_free_running", "", NULL, true, "data_read",
     "data_write", "", 0, NULL, 1,
     "r:unc_mc0_rdcas_count_freerun r:unc_mc1_rdcas_count_freerun w:unc_mc0_wrcas_count_freerun "
     "w:unc_mc1_wrcas_count_freerun"},
    /* AMD publishes the codes in its event lists (Zen 4: UMC CAS commands, 64 B each). */
    {"AMD unified memory controller", "amd_umc_", "", NULL, false, "event=0x0a,rdwrmask=0x1",
     "event=0x0a,rdwrmask=0x2", "", 64, NULL, 1, "r:umc_cas_cmd.rd w:umc_cas_cmd.wr b:umc_cas_cmd.all"},
    /* Zen to Zen 3, told from later ones by the width of umask: requests with data (64 B) of each
     * DRAM channel, both ways in one (event list of the kernel, dram_channel_data_controller_0 to
     * 7); four counters. */
    {"AMD data fabric", "amd_df", "", NULL, false, "", "",
     "event=0x07,umask=0x38;event=0x47,umask=0x38;event=0x87,umask=0x38;event=0xc7,umask=0x38;event=0x107,"
     "umask=0x38;event=0x147,umask=0x38;event=0x187,umask=0x38;event=0x1c7,umask=0x38",
     64, "config:8-15", 2, "b:dram_channel_data_controller_"},
    /* HiSilicon DDRC (Linux drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c): flux counts bursts of
     * 32 B, as Huawei's tools have it. */
    {"HiSilicon memory controller", "hisi_sccl", "_ddrc", NULL, true, "flux_rd", "flux_wr", "", 32, NULL, 1,
     ""},
    /* NVIDIA Grace: beats of 32 B that memory gives, bytes that it takes (Linux
     * drivers/perf/arm_cspmu/nvidia_cspmu.c; LIKWID groups/nvidia_grace/MEM.txt). */
    {"NVIDIA Grace coherency fabric", "nvidia_scf_pmu", "", NULL, true, "cmem_rd_data", "cmem_wr_total_bytes",
     "", 0, NULL, 1, ""},
    /* Arm DMC-620 (Ampere Altra; Linux drivers/perf/arm_dmc620_pmu.c): transfers of a line, told
     * apart by a filter on the event. */
    {"Arm DMC-620 memory controller", "arm_dmc620_", "", NULL, false, "clkdiv2_rdwr,mask=0x1,match=0x0",
     "clkdiv2_rdwr,mask=0x1,match=0x1", "", 64, NULL, 1, ""},
};
/* Beside the controllers of DDR, or in their place: HBM of Xeon Max (kernel type "hbm", whose
 * events are not published; codes as of the IMC, 32 B a command by the vendor's profiler). */
static const struct kind hbm = {"Intel HBM controller",
                                "uncore_hbm",
                                "",
                                NULL,
                                false,
                                "event=0x05,umask=0xcf",
                                "event=0x05,umask=0xf0",
                                "",
                                32,
                                NULL,
                                1,
                                "r:unc_mchbm_cas_count.rd w:unc_mchbm_cas_count.wr"};

enum { N_KINDS = sizeof kinds / sizeof *kinds, MAX_PMUS = 256, MAX_CPUS = 64 };

struct names {
    int n;
    char name[MAX_PMUS][64];
};

static int by_name(const void *a, const void *b)
{
    const char *x = a, *y = b; /* "imc_2" before "imc_10" */
    size_t n = strlen(x), m = strlen(y);
    return n != m ? (n > m) - (n < m) : strcmp(x, y);
}

static bool is_of(const struct kind *k, const char *name)
{
    return strncmp(name, k->prefix, strlen(k->prefix)) == 0 && strstr(name, k->part) &&
           !(k->not_part && strstr(name, k->not_part));
}

static void find_names(const char *root, const struct kind *k, struct names *out)
{
    char path[1024];
    out->n = 0;
    snprintf(path, sizeof path, "%s" SP_PMU_DEVICES, root);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        if (out->n < MAX_PMUS && strlen(e->d_name) < sizeof *out->name && is_of(k, e->d_name))
            snprintf(out->name[out->n++], sizeof *out->name, "%.63s", e->d_name);
    if (d)
        closedir(d);
    sp_sort_by(out->name, out->n, sizeof *out->name, by_name);
}

/* Bytes of one count by the kernel's files EVENT.scale and EVENT.unit. */
static bool kernel_scale(const char *root, const char *pmu, const char *event, double *B_per_count)
{
    static const struct {
        const char *unit;
        double B;
    } units[] = {{"MiB", 1048576}, {"KiB", 1024}, {"GiB", 1073741824}, {"Bytes", 1}, {"B", 1}, {"MB", 1e6}};
    char scale[64], unit[32], *end;
    if (!sp_sysfs_text(root, scale, sizeof scale, SP_PMU_DEVICES "/%s/events/%s.scale", pmu, event) ||
        !sp_sysfs_text(root, unit, sizeof unit, SP_PMU_DEVICES "/%s/events/%s.unit", pmu, event))
        return false;
    double factor = strtod(scale, &end);
    if (end == scale || *end || !(factor > 0))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0) {
            *B_per_count = factor * units[i].B;
            return true;
        }
    return false;
}

/* Bytes of a count that the kernel publishes without a scale file. */
static double bytes_of(const struct kind *k, const char *event)
{
    if (strcmp(event, "cmem_rd_data") == 0)
        return 32;
    return strstr(event, "_bytes") ? 1 : k->B_per_count;
}

/* The terms of an event, from the kernel's file; a word without "=" in front names a file, too. */
static bool terms_of(const char *root, const struct kind *k, const char *pmu, const char *name, char *terms,
                     size_t size)
{
    if (k->published)
        return sp_sysfs_text(root, terms, size, SP_PMU_DEVICES "/%s/events/%s", pmu, name);
    char first[64], file[128];
    size_t n = strcspn(name, ",");
    snprintf(first, sizeof first, "%.*s", (int)n, name);
    if (strchr(first, '=') ||
        !sp_sysfs_text(root, file, sizeof file, SP_PMU_DEVICES "/%s/events/%s", pmu, first))
        snprintf(terms, size, "%s", name);
    else
        snprintf(terms, size, "%s%s", file, name + n);
    return true;
}

static enum sp_status describe(const char *root, const struct kind *k, const char *pmu, const char *name,
                               enum sp_direction direction, struct sp_memory_event *e, struct sp_error *err)
{
    char terms[256];
    int64_t type;
    memset(e, 0, sizeof *e);
    snprintf(e->pmu, sizeof e->pmu, "%s", pmu);
    e->direction = direction;
    if (!sp_sysfs_count(root, &type, SP_PMU_DEVICES "/%s/type", pmu))
        return sp_fail(err, SP_ABSENT, NULL, "%s: the kernel gives it no type", pmu);
    e->type = (uint32_t)type;
    if (!terms_of(root, k, pmu, name, terms, sizeof terms))
        return sp_fail(err, SP_ABSENT, NULL, "%s: it has no event %s", pmu, name);
    e->scale_is_stated = !k->published || !kernel_scale(root, pmu, name, &e->B_per_count);
    if (e->scale_is_stated)
        e->B_per_count = bytes_of(k, name);
    if (!(e->B_per_count > 0))
        return sp_fail(err, SP_ABSENT, NULL, "%s: the kernel does not say how many bytes a count of %s is",
                       pmu, name);
    return sp_pmu_encode(root, pmu, terms, e->config, err);
}

enum { MAX_UNIT_EVENTS = 16 };

/* All events of one unit. */
static enum sp_status describe_unit(const char *root, const struct kind *k, const char *pmu,
                                    struct sp_memory_event event[MAX_UNIT_EVENTS], int *n,
                                    struct sp_error *err)
{
    const char *const lists[SP_N_DIRECTIONS] = {k->read, k->write, k->both};
    *n = 0;
    for (int d = 0; d < SP_N_DIRECTIONS; d++) {
        int channel = 0;
        for (const char *p = lists[d]; *p && *n < MAX_UNIT_EVENTS; channel++) {
            char name[128];
            size_t length = strcspn(p, ";");
            snprintf(name, sizeof name, "%.*s", (int)length, p);
            p += length + (p[length] == ';');
            enum sp_status status = describe(root, k, pmu, name, (enum sp_direction)d, &event[*n], err);
            if (status != SP_OK)
                return status;
            event[(*n)++].channel = channel;
        }
    }
    for (int i = 0; i < *n; i++)
        event[i].pass = k->n_passes > 1 ? i * k->n_passes / *n : 0;
    return SP_OK;
}

static bool right_umask(const char *root, const struct kind *k, const char *pmu)
{
    char text[64];
    return !k->umask || (sp_sysfs_text(root, text, sizeof text, SP_PMU_DEVICES "/%s/format/umask", pmu) &&
                         strcmp(text, k->umask) == 0);
}

struct cpus {
    int n, cpu[MAX_CPUS];
};

static void take_cpu(void *context, int cpu)
{
    struct cpus *c = context;
    if (c->n < MAX_CPUS)
        c->cpu[c->n++] = cpu;
}

/* The kernel's number of the socket of each counting processor, replaced by 0, 1 ... in their
 * order, and how many there are. Where the kernel does not tell it, each processor of a unit's
 * cpumask stands for a socket, as it does for perf. */
static void number_domains(const char *root, struct sp_memory_pmu *out)
{
    int64_t id[MAX_CPUS];
    int n = 0;
    for (int i = 0; i < out->n_events; i++) {
        int64_t package;
        if (!sp_sysfs_count(root, &package, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                            out->event[i].cpu))
            package = out->event[i].cpu;
        out->event[i].domain = (int)package;
        int k = 0;
        while (k < n && id[k] != package)
            k++;
        if (k == n && n < MAX_CPUS)
            id[n++] = package;
    }
    for (int i = 0; i < out->n_events; i++) {
        int rank = 0;
        for (int k = 0; k < n; k++)
            rank += id[k] < out->event[i].domain;
        out->event[i].domain = rank;
    }
    out->n_sockets = n;
}

/* All units of one kind; SP_ABSENT where there are none or one lacks its events. */
static enum sp_status read_kind(const char *root, const struct kind *k, const struct names *names,
                                struct sp_memory_pmu *out, struct sp_error *err)
{
    void *p = NULL;
    enum sp_status status = sp_new_array((int64_t)names->n * MAX_CPUS * MAX_UNIT_EVENTS, sizeof *out->event,
                                         "memory events", &p, err);
    *out = (struct sp_memory_pmu){.kind = k->name, .n_pmus = names->n, .event = p, .n_passes = k->n_passes};
    for (int i = 0; i < names->n && status == SP_OK; i++) {
        char list[256];
        struct cpus cpus = {0};
        struct sp_memory_event unit[MAX_UNIT_EVENTS];
        int n = 0;
        if (!right_umask(root, k, names->name[i]))
            status =
                sp_fail(err, SP_ABSENT, "a later Linux has units for its memory controllers: amd_umc_0 ...",
                        "%s: no event of this generation is known to count memory", names->name[i]);
        else if (!sp_sysfs_text(root, list, sizeof list, SP_PMU_DEVICES "/%s/cpumask", names->name[i]) ||
                 !sp_sysfs_list(list, take_cpu, &cpus) || cpus.n == 0)
            status = sp_fail(err, SP_ABSENT, NULL, "%s: the kernel names no processor to count it from",
                             names->name[i]);
        if (status == SP_OK)
            status = describe_unit(root, k, names->name[i], unit, &n, err);
        int width = 1; /* channels of a unit */
        for (int e = 0; e < n; e++)
            width = unit[e].channel >= width ? unit[e].channel + 1 : width;
        for (int c = 0; c < cpus.n && status == SP_OK; c++)
            for (int e = 0; e < n; e++) {
                unit[e].cpu = cpus.cpu[c];
                out->event[out->n_events] = unit[e];
                out->event[out->n_events++].channel += i * width;
            }
        out->n_units += cpus.n;
    }
    if (status == SP_OK)
        number_domains(root, out);
    else
        sp_memory_pmu_free(out);
    return status;
}

/* The events of b behind those of a, which takes them. */
static enum sp_status append(struct sp_memory_pmu *a, struct sp_memory_pmu *b, struct sp_error *err)
{
    void *p;
    enum sp_status status =
        sp_new_array(a->n_events + b->n_events, sizeof *a->event, "memory events", &p, err);
    if (status == SP_OK) {
        struct sp_memory_event *all = p;
        memcpy(all, a->event, (size_t)a->n_events * sizeof *all);
        memcpy(all + a->n_events, b->event, (size_t)b->n_events * sizeof *all);
        for (int i = 0; i < b->n_events; i++)
            all[a->n_events + i].channel += a->n_pmus;
        free(a->event);
        a->event = all;
        a->n_events += b->n_events;
        a->n_pmus += b->n_pmus;
        a->n_units += b->n_units;
        a->kind = "Intel memory controllers, DDR and HBM";
    }
    sp_memory_pmu_free(b);
    return status;
}

/* HBM, where it is: alone, or beside what was found. */
static enum sp_status add_hbm(const char *root, struct names *names, bool found, struct sp_memory_pmu *out,
                              struct sp_error *err)
{
    struct sp_memory_pmu more;
    find_names(root, &hbm, names);
    if (names->n == 0)
        return found ? SP_OK : SP_ABSENT;
    enum sp_status status = read_kind(root, &hbm, names, found ? &more : out, err);
    return status == SP_OK && found ? append(out, &more, err) : status;
}

enum sp_status sp_memory_pmu_read(const char *root, struct sp_memory_pmu *out, struct sp_error *err)
{
    struct sp_error reason = {0};
    bool any = false;
    void *p;
    memset(out, 0, sizeof *out);
    enum sp_status status = sp_new_array(1, sizeof(struct names), "names of units", &p, err);
    if (status != SP_OK)
        return status;
    struct names *names = p;
    status = SP_ABSENT;
    for (int k = 0; k < N_KINDS && status != SP_OK; k++) {
        struct sp_error here;
        find_names(root, &kinds[k], names);
        if (names->n == 0)
            continue;
        status = read_kind(root, &kinds[k], names, out, &here);
        if (status != SP_OK && !any)
            reason = here; /* the first kind that is there at all */
        any = true;
    }
    struct sp_error here;
    enum sp_status with_hbm = add_hbm(root, names, status == SP_OK, out, &here);
    if (with_hbm != SP_OK && status == SP_OK)
        sp_memory_pmu_free(out);
    if (with_hbm != SP_OK && names->n > 0 && (!any || status == SP_OK))
        reason = here;
    any = any || names->n > 0;
    status = with_hbm;
    free(names);
    if (status == SP_OK)
        return SP_OK;
    if (!any)
        return sp_fail(
            err, SP_ABSENT,
            "use a machine of its own, not a virtual one; the kernel modules are intel_uncore, amd_uncore, "
            "hisi_uncore_ddrc_pmu, arm_dmc620_pmu, nvidia_cspmu",
            "no memory counters here, as in most VMs (uncore_imc, amd_umc, amd_df, *_ddrc, *_dmc)");
    return sp_fail(err, SP_ABSENT, reason.remedy, "%s", reason.what);
}

void sp_memory_pmu_free(struct sp_memory_pmu *pmu)
{
    free(pmu->event);
    memset(pmu, 0, sizeof *pmu);
}

/* Names of events in what perf stat prints. */

enum { LINE_B = 64, MOST_TERMS = 8 };

/* "uncore_imc" for "uncore_imc_": several units may be printed as one. */
static bool is_unit_of(const struct kind *k, const char *unit)
{
    char begin[32];
    snprintf(begin, sizeof begin, "%s", k->prefix);
    const size_t n = strlen(begin);
    if (n > 0 && begin[n - 1] == '_')
        begin[n - 1] = '\0';
    return strncmp(unit, begin, strlen(begin)) == 0 && strstr(unit, k->part) &&
           !(k->not_part && strstr(unit, k->not_part));
}

/* Is it the same term? "rdwrmask=1" as "rdwrmask=0x1". */
static bool is_term(const char *a, size_t n, const char *b, size_t m)
{
    char x[64], y[64];
    if (n >= sizeof x || m >= sizeof y)
        return false;
    snprintf(x, sizeof x, "%.*s", (int)n, a);
    snprintf(y, sizeof y, "%.*s", (int)m, b);
    const size_t key = strcspn(x, "=");
    if (key != strcspn(y, "=") || strncasecmp(x, y, key) != 0 || (x[key] == '=') != (y[key] == '='))
        return false;
    return x[key] != '=' || strtoull(x + key + 1, NULL, 0) == strtoull(y + key + 1, NULL, 0);
}

/* The same terms, in any order. */
static bool are_terms(const char *a, size_t n, const char *b, size_t m)
{
    int n_a = 0, n_b = 0, n_same = 0;
    for (size_t i = 0; i <= n; i++) {
        size_t length = 0;
        while (i + length < n && a[i + length] != ',')
            length++;
        n_a++;
        n_b = 0;
        for (size_t k = 0; k <= m; k++) {
            size_t other = 0;
            while (k + other < m && b[k + other] != ',')
                other++;
            n_b++;
            n_same += is_term(a + i, length, b + k, other);
            k += other;
        }
        i += length;
    }
    return n_a == n_b && n_same == n_a && n_a <= MOST_TERMS;
}

/* Are they an event of the list, with semicolons? */
static bool is_listed(const char *list, const char *terms, size_t n)
{
    for (const char *p = list; p && *p;) {
        const size_t length = strcspn(p, ";");
        if (are_terms(terms, n, p, length))
            return true;
        p += length + (p[length] == ';');
    }
    return false;
}

/* Which of the namings of a count it is, 1 ...; 0: none. */
static int in_event_list(const struct kind *k, enum sp_direction d, const char *name, size_t n)
{
    int naming = 1;
    for (const char *p = k->listed; *p;) {
        if (*p == '|') {
            naming++;
            p += 2;
            continue;
        }
        const char *word = p + 2;
        const size_t length = strcspn(word, " ");
        const bool is_begin = word[length - 1] == '_';
        if (*p == "rwb"[d] && n >= length && strncasecmp(name, word, length) == 0 &&
            (is_begin || n == length || strchr(": ", name[length])))
            return naming;
        p = word + length + (word[length] == ' ');
    }
    return 0;
}

/* The same; behind a unit's name, 1. */
static int naming_of(const struct kind *k, const char *name, enum sp_direction d)
{
    const char *const own[SP_N_DIRECTIONS] = {k->read, k->write, k->both};
    const char *slash = strchr(name, '/');
    if (!slash) {
        const int naming = in_event_list(k, d, name, strlen(name));
        return naming > 0 ? naming + 1 : 0;
    }
    char unit[64];
    if (slash - name >= (ptrdiff_t)sizeof unit)
        return 0;
    snprintf(unit, sizeof unit, "%.*s", (int)(slash - name), name);
    const char *terms = slash + 1, *end = strchr(terms, '/');
    const size_t n = end ? (size_t)(end - terms) : strlen(terms);
    return is_unit_of(k, unit) && (is_listed(own[d], terms, n) || in_event_list(k, d, terms, n));
}

bool sp_memory_event_of_name(const char *name, struct sp_memory_event_named *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i <= N_KINDS; i++) {
        const struct kind *k = i < N_KINDS ? &kinds[i] : &hbm;
        for (int d = 0; d < SP_N_DIRECTIONS; d++) {
            const int naming = naming_of(k, name, (enum sp_direction)d);
            if (naming == 0)
                continue;
            const double B = bytes_of(k, name);
            *out = (struct sp_memory_event_named){.kind = k->name,
                                                  .rank = i,
                                                  .naming = naming,
                                                  .beside = i == N_KINDS,
                                                  .direction = (enum sp_direction)d,
                                                  .B_per_count = strstr(name, "cmem_rd_data") ? 32
                                                                 : B > 0                      ? B
                                                                                              : LINE_B};
            return true;
        }
    }
    return false;
}

/* "config:0-7,32-35", "config1:0", "config" (all bits): value into these bits, lowest first. */
static bool put_bits(const char *format, uint64_t value, uint64_t config[3])
{
    const char *colon = strchr(format, ':');
    size_t n = colon ? (size_t)(colon - format) : strlen(format);
    int word = n == 6 ? 0 : n == 7 && format[6] >= '0' && format[6] <= '2' ? format[6] - '0' : -1;
    if (strncmp(format, "config", 6) != 0 || word < 0)
        return false;
    const char *p = colon ? colon + 1 : "0-63";
    while (*p) {
        char *end;
        unsigned long low = strtoul(p, &end, 10), high = low;
        if (end == p)
            return false;
        if (*end == '-')
            high = strtoul(p = end + 1, &end, 10);
        if (end == p || high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            config[word] |= (value & 1) << bit;
        p = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return value == 0;
}

enum sp_status sp_pmu_encode(const char *root, const char *pmu, const char *terms, uint64_t config[3],
                             struct sp_error *err)
{
    memset(config, 0, 3 * sizeof *config);
    for (const char *p = terms; *p;) {
        char term[64], format[128];
        size_t n = strcspn(p, ",");
        if (n == 0 || n >= sizeof term)
            return sp_fail(err, SP_INPUT, NULL, "%s: the event '%s' cannot be read", pmu, terms);
        snprintf(term, sizeof term, "%.*s", (int)n, p);
        p += n + (p[n] == ',');
        char *equals = strchr(term, '='), *end;
        uint64_t value = 1;
        if (equals) {
            *equals = '\0';
            value = strtoull(equals + 1, &end, 0);
            if (end == equals + 1 || *end)
                return sp_fail(err, SP_INPUT, NULL, "%s: '%s' is no number in the event '%s'", pmu,
                               equals + 1, terms);
        }
        /* "config=0x84" is a word by itself; everything else has a format file. */
        bool word =
            strcmp(term, "config") == 0 || strcmp(term, "config1") == 0 || strcmp(term, "config2") == 0;
        if (word)
            snprintf(format, sizeof format, "%.60s", term);
        else if (!sp_sysfs_text(root, format, sizeof format, SP_PMU_DEVICES "/%s/format/%s", pmu, term))
            return sp_fail(err, SP_INPUT, NULL, "%s: it has no format for '%s'", pmu, term);
        if (!put_bits(format, value, config))
            return sp_fail(err, SP_INPUT, NULL, "%s: %s=%#llx does not fit its format %s", pmu, term,
                           (unsigned long long)value, format);
    }
    return SP_OK;
}
