#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/model/model_ecm.h"
#include "cli/model/model_gpu.h"
#include "cli/model/model_output.h"
#include "io/record/record_words.h"

static const char *level_for_people(const struct sp_machine *m, const char *level)
{
    return strcmp(level, "MEM") == 0 ? sp_machine_memory_name(m) : level;
}

/* w of the machines, which may be of both kinds. */
static void print_w(const struct sp_model_result *r, FILE *out)
{
    bool cpu = false, gpu = false;
    for (int i = 0; i < r->n_rows; i++)
        *(r->row[i].machine->kind == SP_GPU ? &gpu : &cpu) = true;
    sp_print(out, "y: %s bytes moved per byte (w, modelled%s)\n",
             cpu && gpu ? "2 (GPU 1)"
             : gpu      ? "1"
                        : "2",
             cpu && gpu ? ""
             : gpu      ? ": GPU"
                        : ": plain stores");
}

bool sp_model_is_here(const struct sp_model_result *r, const struct sp_model_row *row)
{
    return *r->env_key && strcmp(r->env_key, row->machine->env_key) == 0;
}

/* What is predicted is not of this machine, or not all of it. */
static void print_foreign(const struct sp_model_result *r, FILE *out)
{
    const char *here = NULL;
    for (int i = 0; i < r->n_rows; i++)
        if (sp_model_is_here(r, &r->row[i]))
            here = r->row[i].machine->name;
    if (r->n_rows == 0 || !*r->row[0].machine->name || (here && r->n_machines == 1))
        return;
    if (r->n_machines == 1)
        sp_print(out, "NOTE     predicted for %s, which is not the machine that this runs on\n",
                 r->row[0].machine->name);
    else if (here)
        sp_print(out, "NOTE     of these machines only %s is the one that this runs on\n", here);
    else
        sp_print(out, "NOTE     predicted for %d machines, none of which is the one that this runs on\n",
                 r->n_machines);
}

void sp_model_print_subject(const struct sp_model_result *r, FILE *out)
{
    const struct sp_model_subject *s = r->subject;
    print_foreign(r, out);
    char rows[32], cols[32], entries[32];
    sp_print(out, "MATRIX   %s   %s x %s%s\n", s->name, sp_text_count(rows, sizeof rows, s->n_r),
             sp_text_count(cols, sizeof cols, s->n_c), s->matrix ? "" : "   sizes stated");
    sp_print(out, "         %s nonzeros   per row: mean %.2f   per column: mean %.2f\n",
             sp_text_count(entries, sizeof entries, s->n_nz), (double)s->n_nz / (double)s->n_r,
             (double)s->n_nz / (double)s->n_c);
    const struct sp_workload *w = &r->request->workload;
    sp_print(out, "KERNEL   %s  %s/%s  %s executions  ", sp_words_op(sp_op_name(w->op)),
             sp_precision_name(r->row[0].precision), sp_index_name(w->index),
             r->request->cold ? "cold" : "warm");
    if (r->request->w > 0)
        sp_print(out, "y: %g bytes moved per byte (w, stated)\n", r->request->w);
    else
        print_w(r, out);
}

static void print_machine(const struct sp_model_row *row, FILE *out)
{
    const struct sp_machine *m = row->machine;
    if (!*m->name)
        return;
    if (m->kind == SP_GPU)
        sp_print(out, "\nMACHINE  %s   %s   GPU\n", m->name, m->cpu);
    else
        sp_print(out, "\nMACHINE  %s   %s   %d thread%s in %d cache domain%s\n", m->name, m->cpu,
                 row->n_threads, row->n_threads == 1 ? "" : "s", row->n_domains,
                 row->n_domains == 1 ? "" : "s");
    const struct sp_prediction *p = &row->prediction;
    if (!p->roof) {
        sp_print(out, "ROOF     unknown: the machine describes no bandwidth\n");
        return;
    }
    /* of all SMs of a GPU: each way of sharing the work may leave others idle */
    const struct sp_value roof = m->kind == SP_GPU ? p->roof->value : p->roof_Bps;
    sp_print(out, "ROOF     %s %s  %.4g GB/s  %s", level_for_people(m, p->roof->level), p->roof->name,
             roof.value / 1e9, sp_origin_name(roof.origin));
    if (roof.origin == SP_STATED && *p->roof->how)
        sp_print(out, " (%s)", p->roof->how);
    if (p->roof->n_threads != row->n_threads && m->kind == SP_CPU)
        sp_print(out, " (%d of %d domains; %.4g GB/s %s for %d threads)", row->n_domains, p->roof->n_domains,
                 p->roof->value.value / 1e9, sp_origin_name(p->roof->value.origin), p->roof->n_threads);
    fputc('\n', out);
}

/* The range of an interval, or blanks. */
static void put_time(const struct sp_roofline *r, FILE *out)
{
    if (!sp_value_known(r->time_s)) {
        sp_print(out, "%12s %9s", "unknown", "unknown");
        return;
    }
    char t[32];
    sp_print(out, "%12s %9.3g", sp_text_seconds(t, sizeof t, r->time_s.value), r->performance.value / 1e9);
}

static void print_row(const struct sp_model_row *row, bool core_unknown, FILE *out)
{
    const struct sp_prediction *p = &row->prediction;
    char V[32];
    sp_print(out, " %-14s %8.4f %7.2f %7.3f %12s %8.2f ", row->format, row->alpha.value,
             row->alpha_min.value > 0 ? row->alpha.value / row->alpha_min.value : 0, row->beta.value,
             sp_text_bytes(V, sizeof V, p->volume_B.value), p->balance.value);
    put_time(&p->roofline, out);
    sp_print(out, "  %s%s\n", p->binding, core_unknown ? ", core unknown" : "");
}

static void print_gpu_note(const struct sp_model_row *row, FILE *out)
{
    const struct sp_cache *L2 = sp_machine_llc(row->machine);
    if (!L2)
        return;
    sp_print(out,
             " Modelled: L2 as one cache of %d-byte %s, rows in order; its effective size lies between half "
             "and\n all of the nominal %.0f MiB, the share that each partition copies for itself being "
             "unknown.\n",
             sp_cache_granule_B(L2), L2->sector_B > 0 ? "sectors" : "lines", (double)L2->size_B / 1048576);
}

/* "gathers 62 % L1, 38 % L2 (simulated): roof 0.97 Ggather/s, 1.65 ms modelled, 0.3 ms beyond the streams".
 */
static void print_gather(const struct sp_model_row *row, FILE *out)
{
    const struct sp_gather_roof *g = &row->gather;
    char time[32], wait[32];
    double n = 0;
    if (!sp_value_known(g->time_s))
        return;
    for (int k = 0; k < g->hits.n_levels; k++)
        n += g->hits.count[k];
    sp_print(out, " %s: gathers", row->format);
    for (int k = 0; k < g->hits.n_levels; k++)
        sp_print(out, "%s %.1f %% %s", k ? "," : "", 100 * g->hits.count[k] / n,
                 level_for_people(row->machine, g->hits.level[k]));
    sp_print(out, " (%s): roof %.3g Ggather/s, %s", sp_origin_name(g->hits.origin), g->roof_ps.value / 1e9,
             sp_text_seconds(time, sizeof time, g->time_s.value));
    if (sp_value_known(row->gather_wait_s))
        sp_print(out, ",\n  %s of it beyond the streams",
                 sp_text_seconds(wait, sizeof wait, row->gather_wait_s.value));
    sp_print(out, " (modelled; explain gather-roof).\n");
    if (sp_value_known(g->walks_s) && g->walks > 0)
        sp_print(out, "  %s of it walking page tables, %.1f %% of the gathers (modelled; explain tlb).\n",
                 sp_text_seconds(time, sizeof time, g->walks_s.value), 100 * g->walks / n);
}

/* "CRS: expected 440 us (173 us ... 520 us): execution 172 us, row ends 268 us, gathers beyond L1
 * 11.5 us, transfers 57.9 us". */
static void print_expected(const struct sp_model_row *row, FILE *out)
{
    const struct sp_unit_time *u = &row->units;
    const struct sp_value wait = sp_gather_beyond_first(&row->gather);
    char t[7][32];
    if (!u->by || !sp_value_known(row->expected_s))
        return;
    sp_print(out, " %s: expected %s (%s ... %s):\n", row->format,
             sp_text_seconds(t[0], sizeof t[0], row->expected_s.value),
             sp_text_seconds(t[1], sizeof t[1], row->expected_s.lo),
             sp_text_seconds(t[2], sizeof t[2], row->expected_s.hi));
    sp_print(out,
             "  execution %s, row ends %s, gathers beyond L1 %s, transfers %s (modelled; explain\n  "
             "expected-time)\n",
             sp_text_seconds(t[3], sizeof t[3], u->time_s.value - u->surprise_s.value),
             sp_text_seconds(t[4], sizeof t[4], u->surprise_s.value),
             sp_text_seconds(t[5], sizeof t[5], wait.value),
             sp_text_seconds(t[6], sizeof t[6], row->transfers_s.value));
}

/* "CRS: L3 keeps about 18 % (0 % ... 53 %) of the data between executions". */
static void print_kept(const struct sp_model_row *row, FILE *out)
{
    static const double noticeable = 0.05;
    const struct sp_kept *k = &row->kept;
    if (k->cache < 0 || k->holds || 1 - k->fetched.value < noticeable)
        return;
    sp_print(out,
             " %s: L%d keeps about %.0f %% (%.0f %% ... %.0f %%) of the data between executions (modelled;\n"
             "  explain kept).\n",
             row->format, row->machine->cache[k->cache].level, 100 * (1 - k->fetched.value),
             100 * (1 - k->fetched.hi), 100 * (1 - k->fetched.lo));
}

static void print_table(const struct sp_model_row *row, int n, FILE *out)
{
    sp_print(out, "\n %-14s %8s %7s %7s %12s %8s %12s %9s  %s\n", "format", "alpha", "x loads", "beta",
             "traffic", "B/flop", "time", "Gflop/s", "bound by");
    bool some_core = false;
    for (int i = 0; i < n; i++)
        some_core = some_core || row[i].units.by;
    for (int i = 0; i < n; i++)
        print_row(&row[i], some_core && !row[i].units.by, out);
    sp_print(out, " All figures modelled; %s.\n", row[0].note);
    for (int i = 0; i < n; i++)
        if (!isnan(row[i].unit_share))
            sp_print(out, " %s: %.1f %% of the slots are unit-stride (modelled).\n", row[i].format,
                     100 * row[i].unit_share);
    for (int i = 0; i < n; i++)
        print_gather(&row[i], out);
    for (int i = 0; i < n; i++)
        print_kept(&row[i], out);
    for (int i = 0; i < n; i++)
        print_expected(&row[i], out);
    const struct sp_prediction *p = &row[0].prediction;
    if (p->volume_B.hi > p->volume_B.lo * 1.0005)
        sp_print(out, " %s: traffic %.4g to %.4g MB, B/flop %.2f to %.2f.\n", row[0].format,
                 p->volume_B.lo / 1e6, p->volume_B.hi / 1e6, p->balance.lo, p->balance.hi);
    const struct sp_machine *m = row[0].machine;
    if (p->home < p->residence.level && p->home < m->n_caches)
        sp_print(out,
                 " The data fit the L%d, whose bandwidth this machine does not describe: the time is as if "
                 "they came "
                 "from %s.\n",
                 m->cache[p->home].level, level_for_people(m, p->residence.name));
    else if (strcmp(p->residence.name, "MEM") != 0 && p->residence.needed_B > p->residence.capacity_B)
        sp_print(
            out,
            " The data stay in %s between executions, as next to nothing passes it in the simulation; --cold "
            "shows memory.\n",
            p->residence.name);
    else if (strcmp(p->residence.name, "MEM") != 0)
        sp_print(out,
                 " The data stay in %s between executions (%.3g MB needed, %.3g MB there); --cold shows "
                 "memory.\n",
                 p->residence.name, p->residence.needed_B / 1e6, p->residence.capacity_B / 1e6);
    if (p->residence.doubt)
        sp_print(out, " Residence not certain: %s.\n", p->residence.doubt);
    if (m->kind == SP_GPU)
        print_gpu_note(row, out);
    int n_without = 0;
    for (int i = 0; i < n; i++)
        n_without += !row[i].units.by;
    if (sp_value_known(p->roofline.time_s) && n_without > 0)
        sp_print(out, " In-core limits (P_core) are not in %s: `spmodel analyze` measures them.\n",
                 n_without == n ? "it" : "all of them");
}

static void print_inverse(const struct sp_model_row *row, double n_nzr, double volume_B, FILE *out)
{
    const struct sp_alpha_reading *a = &row->inverse;
    char V[32], zero[32];
    sp_print(out, "\n %s, turned around\n", row->format);
    sp_print(out, " V             %s stated;  V(alpha = 0) %s modelled\n",
             sp_text_bytes(V, sizeof V, volume_B), sp_text_bytes(zero, sizeof zero, a->zero_B));
    if (!sp_value_known(a->alpha)) {
        sp_print(out, " alpha         %s\n", a->alpha.why);
        return;
    }
    double W = row->prediction.work;
    sp_print(out, " alpha         %.3f", a->alpha.value);
    if (a->alpha.hi > a->alpha.lo)
        sp_print(out, "   (%.3f to %.3f: w is not known better than 1 to 2)", a->alpha.lo, a->alpha.hi);
    sp_print(out, "\n               alpha n_nzr = %.2f", a->alpha.value * n_nzr);
    if (row->alpha_min.value > 0)
        sp_print(out, "; x is loaded %.2f times", a->alpha.value / row->alpha_min.value);
    sp_print(out, "\n B_C           %.2f B/flop, %.3f times the least possible %.2f (modelled)\n",
             volume_B / W, volume_B / row->minimum_B, row->minimum_B / W);
}

void sp_model_print(const struct sp_model_result *r, FILE *out)
{
    for (int i = 0, n; i < r->n_rows; i += n) {
        n = 1;
        while (i + n < r->n_rows && r->row[i + n].machine == r->row[i].machine &&
               !r->row[i + n].gpu == !r->row[i].gpu)
            n++;
        if (i == 0 || r->row[i - 1].machine != r->row[i].machine)
            print_machine(&r->row[i], out);
        if (r->row[i].gpu)
            sp_model_gpu_print(&r->row[i], n, (double)r->subject->n_nz, out);
        else
            print_table(&r->row[i], n, out);
        sp_model_ecm_print(&r->row[i], n, out);
        for (int k = i; r->request->volume_B > 0 && k < i + n; k++)
            print_inverse(&r->row[k], (double)r->subject->n_nz / (double)r->subject->n_r,
                          r->request->volume_B, out);
    }
    if (r->n_rows > 0 && !*r->row[0].machine->name)
        sp_print(out, " Times need a machine: --machine NAME (spmodel machine list).\n");
}
