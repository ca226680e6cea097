#include "cli/machine_text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* 46600000000 -> "46.6": three digits or whole numbers, so that columns line up. */
static const char *giga(double value, char *text, size_t size)
{
    double g = value * 1e-9;
    snprintf(text, size, g >= 999.5 ? "%.0f" : g >= 99.95 ? "%.1f" : "%.2f", g);
    return text;
}

static void print_caches(FILE *f, const struct sp_machine *m)
{
    for (int k = 0; k < m->n_caches; k++) {
        const struct sp_cache *c = &m->cache[k];
        fprintf(f, "  L%d  %8.4g %s  %3d B lines, %2d ways, shared by %d core%s", c->level,
                c->size_B >= 1 << 20 ? (double)c->size_B / (1 << 20) : (double)c->size_B / 1024,
                c->size_B >= 1 << 20 ? "MiB" : "KiB", c->line_B, c->ways, c->cores_sharing,
                c->cores_sharing == 1 ? "" : "s");
        if (sp_value_known(c->effective_B))
            fprintf(f, "   effective %.3g MiB (%.3g ... %.3g, %s)", c->effective_B.value / (1 << 20),
                    c->effective_B.lo / (1 << 20), c->effective_B.hi / (1 << 20),
                    sp_origin_name(c->effective_B.origin));
        else if (k == m->n_caches - 1)
            fprintf(f, "   effective capacity unknown");
        fputc('\n', f);
    }
}

/* b_1, b_S and the threads that saturate: the smallest measured count that reaches 95 % of the best. */
static void print_saturation(FILE *f, const struct sp_machine *m)
{
    const struct sp_ceiling *one = NULL, *best = NULL;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        if (strcmp(c->name, "load") != 0 || strcmp(c->level, "MEM") != 0)
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
    fprintf(f, "  memory load saturation: b_1 %s GB/s, b_S %s GB/s, 95 %% of it from %d thread%s on%s\n",
            giga(one->value.value, a, sizeof a), giga(best->value.value, b, sizeof b), n_sat,
            n_sat == 1 ? "" : "s",
            best->value.value > 0.9 * best->n_threads * one->value.value
                ? " (not saturated: it still grows with the threads)"
                : "");
}

void sp_machine_print(FILE *f, const struct sp_machine *m, bool how)
{
    char a[32], b[32], c[32];
    fprintf(f, "MACHINE  %s   %s\n", m->name, m->cpu);
    fprintf(f, "         %d core%s, %d thread%s each, %d cache domain%s, %d NUMA node%s", m->n_cores,
            m->n_cores == 1 ? "" : "s", m->threads_per_core, m->threads_per_core == 1 ? "" : "s",
            m->n_domains, m->n_domains == 1 ? "" : "s", m->n_numa, m->n_numa == 1 ? "" : "s");
    if (m->frequency_Hz > 0)
        fprintf(f, ", %.2f GHz", m->frequency_Hz * 1e-9);
    fprintf(f, "\n         %s\n", m->source);
    if (*m->env_key)
        fprintf(f, "         environment %s\n", m->env_key);
    if (m->n_caches > 0) {
        fprintf(f, "\nCACHES (sizes as stated)\n");
        print_caches(f, m);
    }
    fprintf(f, "\nCEILINGS      level  prec  threads  mode      %10s   interval           origin\n",
            "GB/s, Gf/s");
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *e = &m->ceiling[i];
        fprintf(f, "  %-10s  %-5s  %-4s  %7d  %-8s  %10s", e->name, e->level, e->precision, e->n_threads,
                e->mode, giga(e->value.value, a, sizeof a));
        if (e->value.lo < e->value.hi)
            fprintf(f, "   %7s ... %-7s", giga(e->value.lo, b, sizeof b), giga(e->value.hi, c, sizeof c));
        else
            fprintf(f, "   %-19s", "-");
        fprintf(f, " %s%s%.10s\n", sp_origin_name(e->value.origin), *e->when ? " " : "", e->when);
        if (how)
            fprintf(f, "      %s\n", e->how);
    }
    print_saturation(f, m);
    fprintf(f, "  simulated traffic %s against counters on this kind of machine\n",
            m->validated ? "was validated" : "is not validated");
}

static const struct sp_ceiling *same(const struct sp_machine *m, const struct sp_ceiling *c, bool mode)
{
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *e = &m->ceiling[i];
        if (strcmp(e->name, c->name) == 0 && strcmp(e->level, c->level) == 0 &&
            strcmp(e->precision, c->precision) == 0 && e->n_threads == c->n_threads &&
            (!mode || strcmp(e->mode, c->mode) == 0))
            return e;
    }
    return NULL;
}

int sp_machine_print_difference(FILE *f, const struct sp_machine *a, const struct sp_machine *b)
{
    char x[32], y[32];
    int common = 0;
    fprintf(f, "A  %s   %s\nB  %s   %s\n", a->name, a->cpu, b->name, b->cpu);
    if (*a->env_key && *b->env_key)
        fprintf(f, "   %s environment\n", strcmp(a->env_key, b->env_key) == 0 ? "the same" : "not the same");
    for (int k = 0; k < a->n_caches && k < b->n_caches; k++)
        if (a->cache[k].size_B != b->cache[k].size_B)
            fprintf(f, "   L%d: %.0f KiB and %.0f KiB\n", a->cache[k].level,
                    (double)a->cache[k].size_B / 1024, (double)b->cache[k].size_B / 1024);
    fprintf(f, "\nCEILINGS      level  prec  threads  mode               A           B      B/A\n");
    for (int i = 0; i < a->n_ceilings; i++) {
        const struct sp_ceiling *p = &a->ceiling[i], *q = same(b, p, true);
        if (!q)
            continue;
        common++;
        bool apart = p->value.hi < q->value.lo || q->value.hi < p->value.lo;
        fprintf(f, "  %-10s  %-5s  %-4s  %7d  %-8s  %10s  %10s   %6.3f%s\n", p->name, p->level, p->precision,
                p->n_threads, p->mode, giga(p->value.value, x, sizeof x), giga(q->value.value, y, sizeof y),
                q->value.value / p->value.value, apart ? "" : "   intervals overlap");
    }
    int only_a = 0, only_b = 0;
    for (int i = 0; i < a->n_ceilings; i++)
        only_a += same(b, &a->ceiling[i], true) == NULL;
    for (int i = 0; i < b->n_ceilings; i++)
        only_b += same(a, &b->ceiling[i], true) == NULL;
    fprintf(f, "  %d common; only in A: %d, only in B: %d (other level, threads or core-to-core mode)\n",
            common, only_a, only_b);
    return common;
}

void sp_machine_print_notes(FILE *f, const struct sp_measure_notes *n)
{
    char bytes[32];
    fprintf(f, "measured in %.1f s, threads %s; %d samples, %d dropped as disturbed, %d as the cores moved\n",
            n->seconds, n->pinned ? "pinned" : "NOT pinned", n->n_samples, n->n_disturbed, n->n_mode_changed);
    fprintf(f, "working set %s, first touch %.2f s", sp_text_bytes(bytes, sizeof bytes, n->arena_B),
            n->touch_s);
    if (n->huge_share >= 0)
        fprintf(f, ", huge pages %.0f %%", 100 * n->huge_share);
    if (n->core_to_core_hi_s > 0)
        fprintf(f, "; core to core %.0f ... %.0f ns", 1e9 * n->core_to_core_lo_s, 1e9 * n->core_to_core_hi_s);
    fputc('\n', f);
    if (*n->remark)
        fprintf(f, "remark: %s\n", n->remark);
}
