#include "cli/machine/machine_text.h"

#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "model/cache/partition.h"
#include "model/gpu/gpu_time.h"
#include "model/roofline.h"
#include "session/measure/measure_plan.h"

/* 46600000000 -> "46.6": three digits or whole numbers, so that columns line up. */
static const char *giga(double value, char *text, size_t size)
{
    double g = value * 1e-9;
    snprintf(text, size, g >= 999.5 ? "%.0f" : g >= 99.95 ? "%.1f" : "%.2f", g);
    return text;
}

static const char *known_giga(const struct sp_ceiling *c, char *text, size_t size)
{
    return sp_value_known(c->value) ? giga(c->value.value, text, size) : "unknown";
}

static const char *size_text(int64_t size_B, char *text, size_t size)
{
    bool mega = size_B >= 1 << 20;
    snprintf(text, size, "%.4g %s", (double)size_B / (mega ? 1 << 20 : 1024), mega ? "MiB" : "KiB");
    return text;
}

static const char *counted(char *text, size_t size, int n, const char *noun)
{
    char number[16] = "?";
    if (n > 0)
        snprintf(number, sizeof number, "%d", n);
    snprintf(text, size, "%s %s%s", number, noun, n == 1 ? "" : "s");
    return text;
}

static void print_caches(FILE *f, const struct sp_machine *m)
{
    for (int k = 0; k < m->n_caches; k++) {
        const struct sp_cache *c = &m->cache[k];
        char bytes[24], ways[24] = "any way", partition[128];
        if (c->ways > 0)
            snprintf(ways, sizeof ways, "%2d ways", c->ways);
        sp_print(f, "  L%d  %12s  %3d B lines", c->level, size_text(c->size_B, bytes, sizeof bytes),
                 c->line_B);
        if (c->sector_B > 0)
            sp_print(f, " of %d B sectors", c->sector_B);
        sp_print(f, ", %s, shared by %d core%s%s", ways, c->cores_sharing, c->cores_sharing == 1 ? "" : "s",
                 c->victim ? ", victim" : "");
        if (*sp_partition_cache_text(partition, sizeof partition, c))
            sp_print(f, ", ways: %s%s", partition, c->partition.ways > 0 ? "" : " can have its own");
        if (sp_value_known(c->effective_B))
            sp_print(f, "   effective %.3g MiB (%.3g ... %.3g, %s", c->effective_B.value / (1 << 20),
                     c->effective_B.lo / (1 << 20), c->effective_B.hi / (1 << 20),
                     sp_origin_name(c->effective_B.origin));
        if (sp_value_known(c->effective_B) && c->n_draws > 1)
            sp_print(f, " %d times)", c->n_draws);
        else if (sp_value_known(c->effective_B))
            fputc(')', f);
        else if (k == m->n_caches - 1)
            sp_print(f, "   effective capacity unknown");
        if (sp_value_known(c->cycle_B))
            sp_print(
                f, "\n      %.3g MiB (%.3g ... %.3g, %s) for data that are gone through again and again, %s",
                c->cycle_B.value / (1 << 20), c->cycle_B.lo / (1 << 20), c->cycle_B.hi / (1 << 20),
                sp_origin_name(c->cycle_B.origin),
                c->keeping == SP_KEEPS_A_PART    ? "of which it keeps that much"
                : c->keeping == SP_KEEPS_NOTHING ? "of more it keeps nothing"
                                                 : "kept by chance");
        fputc('\n', f);
    }
}

/* "PAGES    huge: the TLBs of a core map 11.5 MiB, a gather beyond it takes 3.4 ns more (1 thread)". */
static void print_pages(FILE *f, const struct sp_machine *m)
{
    char reach[24];
    for (int i = 0; i < m->n_pages; i++) {
        const struct sp_page_costs *c = &m->page[i];
        sp_print(f, "%-8s %s: the TLBs of a core map %s%s", i ? "" : "PAGES", c->huge ? "huge" : "4 KiB",
                 c->walk_s.value > 0 ? "" : "at least ", size_text((int64_t)c->reach_B, reach, sizeof reach));
        if (c->walk_s.value > 0)
            sp_print(f, ", a gather beyond it takes %.3g ns more", 1e9 * c->walk_s.value);
        sp_print(f, " (%d thread%s)\n", c->n_threads, c->n_threads == 1 ? "" : "s");
    }
}

static void print_ecm(FILE *f, const struct sp_machine *m)
{
    const struct sp_machine_ecm *e = &m->ecm;
    if (!sp_value_known(e->overlap)) {
        if (*e->how)
            sp_print(f, "ECM      overlap not known: %s\n", e->how);
        return;
    }
    sp_print(f, "ECM      overlap %.2g", e->overlap.value);
    if (e->overlap.lo < e->overlap.hi)
        sp_print(f, " (%.2g ... %.2g)", e->overlap.lo, e->overlap.hi);
    sp_print(f, " of 1, %s", sp_origin_name(e->overlap.origin));
    if (sp_value_known(e->error))
        sp_print(f, ", error %.1f %%", 100 * e->error.value);
    sp_print(f, ": %s\n", e->how);
    for (int i = 0; i < e->n_interfaces; i++) {
        char bandwidth[32];
        sp_print(f, "  to %-3s  %8s GB/s by one thread", e->interface[i].level,
                 giga(e->interface[i].one_Bps.value, bandwidth, sizeof bandwidth));
        if (sp_value_known(e->interface[i].write_weight))
            sp_print(f, ", writes weigh %.2g", e->interface[i].write_weight.value);
        fputc('\n', f);
    }
}

/* "ROWS     a row of CRS 1.6 ns (1 entry) ... 107 ns (256); a mispredicted end 10.6 ns; start of 2 threads
 * 310 ns" */
static void print_rows(FILE *f, const struct sp_machine *m)
{
    const struct sp_unit_costs *c = NULL;
    for (int i = 0; i < m->n_units; i++)
        if (m->unit[i].C == 0 &&
            (!c || m->unit[i].n_threads > c->n_threads ||
             (m->unit[i].n_threads == c->n_threads && m->unit[i].seconds[0] < c->seconds[0])))
            c = &m->unit[i];
    if (!c || c->n_sequences == 0)
        return;
    const int n = c->n_lengths - 1;
    const double surprise_s = c->surprise_s[c->n_sequences - 1];
    sp_print(f, "ROWS     %s: %.3g ns (length %.0f) ... %.3g ns (%.0f)", c->kernel, 1e9 * c->seconds[0],
             c->length[0], 1e9 * c->seconds[n], c->length[n]);
    if (surprise_s > 0)
        sp_print(f, ", a mispredicted row end up to %.3g ns", 1e9 * surprise_s);
    fputc('\n', f);
    if (*c->how)
        sp_print(f, "         modelled: %s\n", c->how);
    else
        sp_print(f, "         start of %d thread%s %.3g ns; %d kernels of CRS, SELL, SELLU, measured\n",
                 c->n_threads, c->n_threads == 1 ? "" : "s", 1e9 * c->start_s, m->n_units);
}

/* Whether the L1 counts a sector twice that parts of a warp share. */
static void print_sectors(FILE *f, const struct sp_machine *m)
{
    const struct sp_gpu_sector_lanes *lanes = &m->gpu.sector_lanes;
    if (!sp_gpu_is_described(m))
        return;
    if (lanes->origin == SP_NONE)
        sp_print(f, "SECTORS  assumed to count once for all 32 lanes of a warp; not %s%s\n",
                 *lanes->how ? "known: " : "measured", lanes->how);
    else
        sp_print(f, "SECTORS  count once for %d lanes that load 8 bytes each, for %d that load 16; %s: %s\n",
                 lanes->of_8B, lanes->of_16B, sp_origin_name(lanes->origin), lanes->how);
}

/* What a launch and a load on a GPU take. */
static void print_times(FILE *f, const struct sp_machine *m)
{
    const struct {
        const char *what;
        struct sp_value is;
    } times[] = {{"launch", m->gpu.launch_s},
                 {"load from memory", m->gpu.latency_s},
                 {"from the L2", m->gpu.L2_latency_s}};
    char text[32];
    if (!sp_gpu_is_described(m))
        return;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const bool known = sp_value_known(times[i].is);
        sp_print(f, "%s%s %s %s", i ? ", " : "TIMES    ", times[i].what,
                 known ? sp_text_seconds(text, sizeof text, times[i].is.value) : "not",
                 known ? sp_origin_name(times[i].is.origin) : "known");
    }
    fputc('\n', f);
}

/* b_1, b_S and the smallest measured count of threads that reaches 95 % of the best. */
static void print_saturation(FILE *f, const struct sp_machine *m)
{
    const struct sp_ceiling *one = NULL, *best = NULL;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        if (strcmp(c->name, "load") != 0 || strcmp(c->level, "MEM") != 0 || !sp_value_known(c->value))
            continue;
        if (c->n_threads == 1 && !one)
            one = c;
        if (!best || c->value.value > best->value.value)
            best = c;
    }
    if (!one || !best || best->n_threads == 1)
        return;
    int n_sat = best->n_threads;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        if (strcmp(c->name, "load") == 0 && strcmp(c->level, "MEM") == 0 && c->n_threads < n_sat &&
            c->value.value >= 0.95 * best->value.value)
            n_sat = c->n_threads;
    }
    char a[32], b[32];
    sp_print(f, "  memory load saturation: b_1 %s GB/s, b_S %s GB/s, 95 %% of it from %d thread%s on%s\n",
             giga(one->value.value, a, sizeof a), giga(best->value.value, b, sizeof b), n_sat,
             n_sat == 1 ? "" : "s",
             best->value.value > 0.9 * best->n_threads * one->value.value
                 ? " (not saturated: it still grows with the threads)"
                 : "");
}

/* How old the figures are, in what state the machine was, and whether they are to be trusted. */
static void print_measured(FILE *f, const struct sp_machine *m)
{
    const struct sp_machine_measured *q = &m->measured;
    char age[32], times[48] = "";
    if (!*q->when)
        return;
    if (q->n_times > 1)
        snprintf(times, sizeof times, ", the last of %d times", q->n_times);
    sp_print(f, "         measured %s ago%s, %s (%d of %d samples disturbed)\n",
             sp_text_age(age, sizeof age, sp_measure_age(q->when)), times,
             sp_machine_was_busy(m) ? "beside other programs" : "on a quiet machine", q->n_disturbed,
             q->n_samples);
    if (*q->doubt)
        sp_print(f, "         confidence low: %s\n", q->doubt);
}

void sp_machine_print(FILE *f, const struct sp_machine *m, bool how)
{
    char a[32], b[32], c[32];
    sp_print(f, "MACHINE  %s   %s\n", m->name, m->cpu);
    if (m->kind == SP_GPU)
        sp_print(f, "         GPU, %d %s", m->n_cores, m->gpu.threads > 0 ? "cores (SMs)" : "compute units");
    else
        sp_print(f, "         %d core%s, %d thread%s each, %d cache domain%s, %d NUMA node%s, %s", m->n_cores,
                 m->n_cores == 1 ? "" : "s", m->threads_per_core, m->threads_per_core == 1 ? "" : "s",
                 m->n_domains, m->n_domains == 1 ? "" : "s", m->n_numa, m->n_numa == 1 ? "" : "s",
                 counted(a, sizeof a, m->n_sockets, "socket"));
    if (*m->memory)
        sp_print(f, ", %s", m->memory);
    if (m->frequency_Hz > 0)
        sp_print(f, ", %.2f GHz", m->frequency_Hz * 1e-9);
    sp_print(f, "\n         %s\n", m->source);
    if (*m->note)
        sp_print(f, "         note: %s\n", m->note);
    print_measured(f, m);
    if (*m->env_key)
        sp_print(f, "         environment %s\n", m->env_key);
    if (m->n_caches > 0) {
        sp_print(f, "\nCACHES (sizes as stated)\n");
        print_caches(f, m);
    }
    print_ecm(f, m);
    print_rows(f, m);
    print_pages(f, m);
    print_sectors(f, m);
    print_times(f, m);
    sp_print(f, "\nCEILINGS      level  prec  threads  mode      %10s   interval           origin\n",
             "GB/s, Gf/s");
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *e = &m->ceiling[i];
        sp_print(f, "  %-10s  %-5s  %-4s  %7d  %-8s  %10s", e->name, e->level, e->precision, e->n_threads,
                 e->mode, known_giga(e, a, sizeof a));
        if (e->value.lo < e->value.hi)
            sp_print(f, "   %7s ... %-7s", giga(e->value.lo, b, sizeof b), giga(e->value.hi, c, sizeof c));
        else
            sp_print(f, "   %-19s", "-");
        sp_print(f, " %s%s%.10s\n", sp_origin_name(e->value.origin), *e->when ? " " : "", e->when);
        if (how)
            sp_print(f, "      %s\n", e->how);
    }
    print_saturation(f, m);
    for (int i = 0; i < m->n_ceilings; i++)
        if (strncmp(m->ceiling[i].name, "gather", 6) == 0) {
            sp_print(f, "  gather, gather_ld: elements loaded by index [10^9/s]\n");
            break;
        }
    const struct sp_machine_validation *v = &m->validation;
    sp_print(f, "  simulated traffic %s against counters on this kind of machine",
             m->validated ? "was validated" : "is not validated");
    if (v->n > 0)
        sp_print(f, ":\n    %d executions, %.1f %% off in the mean, %.1f %% at most (%s, compared %s)", v->n,
                 100 * v->mean_abs, 100 * v->most_abs, v->source, v->when);
    sp_print(f, "\n");
}

/* NULL: none known */
static const struct sp_ceiling *machine_memory_roof(const struct sp_machine *m)
{
    return sp_roof_of(m, "MEM", m->n_cores, NULL, NULL);
}

void sp_machine_list_line(FILE *f, const struct sp_machine *m, bool whole)
{
    enum { WIDTH = 80 };
    char domains[64] = "-", value[32], roof[64] = "unknown", line[512];
    if (m->kind == SP_CPU)
        snprintf(domains, sizeof domains, "%d/%d/%d", m->n_sockets, m->n_numa, m->n_domains);
    const struct sp_ceiling *c = machine_memory_roof(m);
    if (c)
        snprintf(roof, sizeof roof, "%s %s", giga(c->value.value, value, sizeof value), c->name);
    snprintf(line, sizeof line, "%-16s %-4s %5d %-7s %-4s %-14s %s%s%s", m->name,
             sp_machine_kind_name(m->kind), m->n_cores, domains, sp_machine_memory_name(m), roof,
             c ? sp_origin_name(c->value.origin) : "", c ? ": " : "", c ? c->how : "no bandwidth described");
    const bool cut = strlen(line) > WIDTH;
    sp_print(f, "%.*s%s\n", cut ? WIDTH - 3 : WIDTH, line, cut ? "..." : "");
    if (whole)
        sp_print(f, "    %s\n    %s\n", m->cpu, c ? c->how : "no bandwidth described");
}

/* The peak of all cores in f64: FMA, else SIMD. */
static const struct sp_ceiling *peak_of(const struct sp_machine *m)
{
    const struct sp_ceiling *fma = sp_machine_ceiling(m, "fma", "core", "f64", m->n_cores, NULL, NULL);
    return fma ? fma : sp_machine_ceiling(m, "simd", "core", "f64", m->n_cores, NULL, NULL);
}

/* What predictions take, whatever its name: "load of 46.60 and triad of 410.0". */
static void print_summary(FILE *f, const char *what, const struct sp_ceiling *p, const struct sp_ceiling *q)
{
    char x[32], y[32];
    sp_print(f, "%-12s  A %s %s, B %s %s", what, p ? known_giga(p, x, sizeof x) : "unknown", p ? p->name : "",
             q ? known_giga(q, y, sizeof y) : "unknown", q ? q->name : "");
    if (p && q)
        sp_print(f, "   B/A %.3g", q->value.value / p->value.value);
    fputc('\n', f);
}

/* The exact partner of c: same name, level, precision, threads and mode. */
static const struct sp_ceiling *same(const struct sp_machine *m, const struct sp_ceiling *c)
{
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *e = &m->ceiling[i];
        if (strcmp(e->name, c->name) == 0 && strcmp(e->level, c->level) == 0 &&
            strcmp(e->precision, c->precision) == 0 && e->n_threads == c->n_threads &&
            strcmp(e->mode, c->mode) == 0)
            return e;
    }
    return NULL;
}

/* Of a name, level and precision the one with the most threads, known before unknown. */
static const struct sp_ceiling *widest(const struct sp_machine *m, const struct sp_ceiling *c)
{
    const struct sp_ceiling *best = NULL;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *e = &m->ceiling[i];
        if (strcmp(e->name, c->name) != 0 || strcmp(e->level, c->level) != 0 ||
            strcmp(e->precision, c->precision) != 0)
            continue;
        bool better = best && sp_value_known(e->value) == sp_value_known(best->value)
                          ? e->n_threads > best->n_threads
                          : sp_value_known(e->value);
        if (!best || better)
            best = e;
    }
    return best;
}

/* Whom c of `from` is compared with in `to`: its exact partner, else the widest with the widest. */
static const struct sp_ceiling *partner(const struct sp_machine *from, const struct sp_machine *to,
                                        const struct sp_ceiling *c)
{
    const struct sp_ceiling *exact = same(to, c);
    if (exact)
        return exact;
    const struct sp_ceiling *wide = widest(to, c);
    if (widest(from, c) != c || !wide || same(from, wide))
        return NULL;
    return wide;
}

static void print_pair(FILE *f, const struct sp_ceiling *p, const struct sp_ceiling *q)
{
    char x[32], y[32];
    sp_print(f, "  %-9s %-5s %-4s  %7d %7d  %10s  %10s", p->name, p->level, p->precision, p->n_threads,
             q->n_threads, known_giga(p, x, sizeof x), known_giga(q, y, sizeof y));
    if (!sp_value_known(p->value) || !sp_value_known(q->value)) {
        fputs("        -\n", f);
        return;
    }
    bool interval = p->value.lo < p->value.hi || q->value.lo < q->value.hi;
    bool apart = p->value.hi < q->value.lo || q->value.hi < p->value.lo;
    sp_print(f, "   %6.3f%s\n", q->value.value / p->value.value,
             interval && !apart ? "   intervals overlap" : "");
}

static void print_side(FILE *f, char letter, const struct sp_machine *m)
{
    char sockets[32], numa[32], domains[32];
    sp_print(f, "%c  %s   %s\n", letter, m->name, m->cpu);
    if (m->kind == SP_GPU)
        sp_print(f, "   gpu, %d cores", m->n_cores);
    else
        sp_print(f, "   cpu, %d cores, %s, %s, %s", m->n_cores,
                 counted(sockets, sizeof sockets, m->n_sockets, "socket"),
                 counted(numa, sizeof numa, m->n_numa, "NUMA domain"),
                 counted(domains, sizeof domains, m->n_domains, "cache domain"));
    sp_print(f, "%s%s\n", *m->memory ? ", " : "", m->memory);
}

static const struct sp_cache *level_of(const struct sp_machine *m, int level)
{
    for (int k = 0; k < m->n_caches; k++)
        if (m->cache[k].level == level)
            return &m->cache[k];
    return NULL;
}

static const char *cache_text(const struct sp_cache *c, char *text, size_t size)
{
    char bytes[24];
    snprintf(text, size, "-");
    if (c)
        snprintf(text, size, "%s, %d B, %d core%s%s", size_text(c->size_B, bytes, sizeof bytes),
                 sp_cache_granule_B(c), c->cores_sharing, c->cores_sharing == 1 ? "" : "s",
                 c->victim ? ", victim" : "");
    return text;
}

static void print_cache_pairs(FILE *f, const struct sp_machine *a, const struct sp_machine *b)
{
    sp_print(f, "\nCACHES  size, bytes that a miss fetches, cores\n");
    for (int level = 1; level <= 9; level++) {
        const struct sp_cache *x = level_of(a, level), *y = level_of(b, level);
        if (!x && !y)
            continue;
        char left[80], right[80];
        sp_print(f, "  L%d  %-36s  %s", level, cache_text(x, left, sizeof left),
                 cache_text(y, right, sizeof right));
        if (x && y)
            sp_print(f, "   B/A %.3g", (double)y->size_B / (double)x->size_B);
        fputc('\n', f);
    }
}

static int count_only(const struct sp_machine *from, const struct sp_machine *in)
{
    int n = 0;
    for (int i = 0; i < from->n_ceilings; i++)
        n += widest(in, &from->ceiling[i]) == NULL;
    return n;
}

int sp_machine_print_difference(FILE *f, const struct sp_machine *a, const struct sp_machine *b)
{
    int common = 0;
    print_side(f, 'A', a);
    print_side(f, 'B', b);
    if (*a->env_key && *b->env_key)
        sp_print(f, "   %s environment\n", strcmp(a->env_key, b->env_key) == 0 ? "the same" : "not the same");
    print_cache_pairs(f, a, b);
    fputc('\n', f);
    print_summary(f, "MEMORY GB/s", machine_memory_roof(a), machine_memory_roof(b));
    print_summary(f, "PEAK Gflop/s", peak_of(a), peak_of(b));
    sp_print(f, "\nCEILINGS  level prec  threads A       B  %10s  %10s      B/A   (GB/s, Gflop/s)\n", "A",
             "B");
    for (int i = 0; i < a->n_ceilings; i++) {
        const struct sp_ceiling *p = &a->ceiling[i], *q = partner(a, b, p);
        if (!q)
            continue;
        print_pair(f, p, q);
        common += sp_value_known(p->value) && sp_value_known(q->value);
    }
    sp_print(f, "  %d compared; of a kind that only A has: %d, only B: %d\n", common, count_only(a, b),
             count_only(b, a));
    bool memory = machine_memory_roof(a) && machine_memory_roof(b);
    return common + memory;
}

void sp_machine_print_notes(FILE *f, const struct sp_measure_notes *n)
{
    char bytes[32];
    sp_text_bytes(bytes, sizeof bytes, n->arena_B);
    if (n->on_gpu) {
        sp_print(f, "measured in %.1f s, %d samples, working set %s\n", n->seconds, n->n_samples, bytes);
        return;
    }
    sp_print(
        f, "measured in %.1f s, threads %s; %d samples, %d dropped as disturbed, %d as the cores moved\n",
        n->seconds, n->pinned ? "pinned" : "NOT pinned", n->n_samples, n->n_disturbed, n->n_mode_changed);
    sp_print(f, "working set %s, first touch %.2f s", bytes, n->touch_s);
    if (n->huge_share >= 0)
        sp_print(f, ", huge pages %.0f %%", 100 * n->huge_share);
    if (n->core_to_core_hi_s > 0)
        sp_print(f, "; core to core %.0f ... %.0f ns", 1e9 * n->core_to_core_lo_s,
                 1e9 * n->core_to_core_hi_s);
    fputc('\n', f);
    if (*n->remark)
        sp_print(f, "remark: %s\n", n->remark);
}
