/* Predictions for people: each machine in full, with ECM model or levels, and a table of all. */
#include "cli/model/model_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/print.h"
#include "base/text.h"
#include "io/machine/machine_file.h"
#include "io/record/record.h"
#include "model/cache/partition.h"

static void put_part(FILE *out, const char *before, struct sp_value v, double n_r)
{
    char text[32];
    if (sp_value_known(v))
        sp_print(out, "%s%s", before, sp_figure(text, sizeof text, 1e9 * v.value / n_r, 3));
    else
        sp_print(out, "%sunknown", before);
}

static void print_ecm_row(const struct sp_model_row *row, FILE *out)
{
    const struct sp_ecm_times *t = &row->ecm;
    char time[32], lo[32], hi[32];
    sp_print(out, " %-14s ", row->format);
    put_part(out, "{", t->core_s, row->ecm_rows);
    put_part(out, " | ", t->load_s, row->ecm_rows);
    for (int k = 0; k < row->ecm_inputs.n_transfers; k++)
        put_part(out, " | ", t->transfer_s[k], row->ecm_rows);
    fputs("}  ", out);
    if (!sp_value_known(t->time_s)) {
        sp_print(out, "time not known: %s\n", t->time_s.why);
        return;
    }
    put_part(out, "one thread ", t->one_s, row->ecm_rows);
    sp_print(out, "; %d thread%s: %s (%s ... %s)", row->n_threads, row->n_threads == 1 ? "" : "s",
             sp_text_seconds(time, sizeof time, t->time_s.value),
             sp_text_seconds(lo, sizeof lo, t->time_s.lo), sp_text_seconds(hi, sizeof hi, t->time_s.hi));
    if (sp_value_known(t->n_sat))
        sp_print(out, "; %.0f saturate", t->n_sat.value);
    fputc('\n', out);
}

static void print_rule(const struct sp_machine *m, FILE *out)
{
    const struct sp_machine_ecm *e = &m->ecm;
    if (!sp_value_known(e->overlap)) {
        sp_print(out, " Overlap rule not known: %s.\n",
                 *e->how ? e->how : "`spmodel machine measure` finds it on the machine itself");
        return;
    }
    sp_print(out, " Overlap %.2g", e->overlap.value);
    if (e->overlap.lo < e->overlap.hi)
        sp_print(out, " (%.2g ... %.2g)", e->overlap.lo, e->overlap.hi);
    sp_print(out, " of 1, %s", sp_origin_name(e->overlap.origin));
    if (sp_value_known(e->error))
        sp_print(out, ", error of the fit %.1f %%", 100 * e->error.value);
    fputs(".\n", out);
}

/* Lines for n rows of one machine; nothing where none has it. */
static void print_ecm(const struct sp_model_row *row, int n, FILE *out)
{
    const struct sp_model_row *first = NULL;
    for (int i = n - 1; i >= 0; i--)
        first = row[i].has_ecm ? &row[i] : first;
    if (!first)
        return;
    fputs("\n ECM            {T_OL | T_nOL", out);
    for (int k = 0; k < first->ecm_inputs.n_transfers; k++)
        sp_print(out, " | %s", first->ecm_inputs.transfer[k].name);
    sp_print(out, "} in ns a row by one thread, modelled; bytes %s\n",
             first->n_traffic > 0 ? "simulated" : "by formula");
    for (int i = 0; i < n; i++)
        if (row[i].has_ecm)
            print_ecm_row(&row[i], out);
    print_rule(first->machine, out);
    if (!first->ecm_has_core)
        fputs(" T_OL is that of the arithmetic peak, T_nOL that of the loads' bytes: the least that they can "
              "be.\n",
              out);
}

/* "12.4-25.8", or one figure where the ends are closer than a percent. */
static const char *band(struct sp_value v, double n_nz, char *text, size_t size)
{
    double lo = v.lo / n_nz, hi = v.hi / n_nz;
    if (hi - lo <= 0.01 * hi)
        snprintf(text, size, "%.2f", v.value / n_nz);
    else
        snprintf(text, size, "%.1f-%.1f", lo, hi);
    return text;
}

static int name_width(const struct sp_model_row *row, int n)
{
    int width = 14;
    for (int i = 0; i < n; i++)
        width = (int)strlen(row[i].format) > width ? (int)strlen(row[i].format) : width;
    return width;
}

static void print_gpu_row(const struct sp_model_row *row, int width, double n_nz, FILE *out)
{
    const struct sp_gpu_prediction *g = row->gpu;
    char L2[32], memory[32], time[32], rate[32];
    sp_print(out, " %-*s %6.3f %9.2f %12s %12s ", width, row->format, row->beta.value,
             sp_gpu_asked_B(&g->traffic).value / n_nz,
             band(g->term[SP_GPU_TERM_L2].amount, n_nz, L2, sizeof L2),
             band(g->term[SP_GPU_TERM_MEMORY].amount, n_nz, memory, sizeof memory));
    if (sp_value_known(g->roofline.time_s))
        sp_print(out, "%10s %8s  %s\n", sp_text_seconds(time, sizeof time, g->roofline.time_s.value),
                 sp_figure(rate, sizeof rate, g->roofline.performance.value / 1e9, 3), g->binding);
    else
        sp_print(out, "%10s %8s  %s\n", "unknown", "unknown", g->binding);
}

/* Does a row before row k have a term of this name? Matrix units have a peak of their own. */
static bool is_named_before(const struct sp_model_row *row, int k, int term)
{
    for (int i = 0; i < k; i++)
        if (strcmp(row[i].gpu->term[term].name, row[k].gpu->term[term].name) == 0)
            return true;
    return false;
}

static void print_waited(const struct sp_model_row *row, int n, FILE *out)
{
    char time[32];
    const struct sp_model_row *best = &row[sp_model_best(row, n)];
    if (sp_value_known(best->gpu->waited_s))
        sp_print(out, " %s: %s where the host waits for the end of each execution.\n", best->format,
                 sp_text_seconds(time, sizeof time, best->gpu->waited_s.value));
}

/* Where the L2 is not described and more passes it than comes from memory. */
static void print_slow_L2(const struct sp_model_row *row, int n, FILE *out)
{
    const double noticed = 1.2;
    char time[32];
    const struct sp_model_row *best = &row[sp_model_best(row, n)];
    const struct sp_gpu_prediction *g = best->gpu;
    const struct sp_value t = g->roofline.time_s;
    if (sp_value_known(g->term[SP_GPU_TERM_L2].rate) || !sp_value_known(t) || t.hi < noticed * t.value)
        return;
    sp_print(out, " %s: up to %s, as the L2 may be no faster than %s.\n", best->format,
             sp_text_seconds(time, sizeof time, t.hi), sp_machine_memory_name(best->machine));
}

static void print_left_out(const struct sp_model_row *row, int n, FILE *out)
{
    const char *before = " Left out, as the machine does not describe them: ";
    for (int i = 0; i < SP_N_GPU_TERMS; i++)
        for (int k = 0; k < n; k++)
            if (!sp_value_known(row[k].gpu->term[i].rate) && !is_named_before(row, k, i)) {
                sp_print(out, "%s%s", before, row[k].gpu->term[i].name);
                before = ", ";
            }
    if (*before == ',')
        fputs(".\n", out);
}

static void print_L2_roof(const struct sp_gpu_prediction *g, FILE *out)
{
    const struct sp_ceiling *c = g->L2_roof;
    if (c)
        sp_print(out, "         L2 %s  %.4g GB/s  %s%s%s%s\n", c->name, c->value.value / 1e9,
                 sp_origin_name(c->value.origin), *c->how ? " (" : "", c->how, *c->how ? ")" : "");
}

/* Ways whose grids leave SMs idle do not draw all that is printed. */
static void print_busy(const struct sp_model_row *row, int n, FILE *out)
{
    for (int i = 0; i < n; i++)
        if (row[i].gpu->busy < 1)
            sp_print(out,
                     " %s: blocks for %.0f of %d SMs, taken to draw that part of the L2's bandwidth and of "
                     "peaks.\n",
                     row[i].format, row[i].gpu->busy * row[i].machine->n_cores, row[i].machine->n_cores);
}

static bool has_threads(const struct sp_model_row *row, int n)
{
    for (int i = 0; i < n; i++)
        if (row[i].gpu->launch.map == SP_GPU_THREAD)
            return true;
    return false;
}

/* A remark where the time of a row of one GPU is short and its launch overhead unknown. */
static void print_short(const struct sp_model_row *row, int n, FILE *out)
{
    double shortest = SP_SHORT_LAUNCH_S;
    for (int i = 0; i < n; i++) {
        const struct sp_value t = row[i].prediction.roofline.time_s;
        if (row[i].gpu && sp_value_known(t) && !sp_value_known(row[i].gpu->term[SP_GPU_TERM_LAUNCH].rate))
            shortest = fmin(shortest, t.value);
    }
    if (shortest < SP_SHORT_LAUNCH_S)
        sp_print(out, "   %s: %.2g us of work; launches take microseconds, too, and are not described\n",
                 row[0].machine->name, 1e6 * shortest);
}

/* What was asked and is for CPUs; by_level: of a GPU's kernels, not of the formula. */
static void print_unused(const struct sp_model_request *q, bool by_level, const char *where, FILE *out)
{
    if (by_level && q->w > 0)
        sp_print(out, " --w changes nothing %s: a GPU stores y without loading it.\n", where);
    if (q->schedule_given || q->pages_given)
        sp_print(out, " %s%s%s %s nothing %s: for CPUs alone.\n", q->schedule_given ? SP_O_SCHEDULE : "",
                 q->schedule_given && q->pages_given ? " and " : "", q->pages_given ? SP_O_PAGES : "",
                 q->schedule_given && q->pages_given ? "change" : "changes", where);
}

/* Whether duplicate sectors count is a property of the GPU. */
static void print_asked(const struct sp_model_row *row, int n, FILE *out)
{
    double more = 0;
    for (int i = 0; i < n; i++) {
        const struct sp_value asked = sp_gpu_asked_B(&row[i].gpu->traffic);
        if (asked.value > 0)
            more = fmax(more, asked.hi / asked.value - 1);
    }
    fputs(" L1: sectors of 32 B that the warps ask for, exact", out);
    if (more > 0)
        sp_print(
            out,
            " where a warp counts each of its sectors once,\n up to %.1f %% more where parts of it do: not "
            "measured on this GPU (spmodel explain sectors).\n",
            100 * more);
    else
        fputs(".\n", out);
}

/* The rows of one GPU with `gpu`: a table of levels, the best of them, what it rests on. */
static void print_levels(const struct sp_model_row *row, int n, double n_nz,
                         const struct sp_model_request *request, FILE *out)
{
    const struct sp_gpu_prediction *g = row[0].gpu;
    const char *memory = sp_machine_memory_name(row[0].machine);
    const int width = name_width(row, n);
    if (row[0].prediction.roof != g->L2_roof)
        print_L2_roof(g, out);
    sp_print(out, "\n Bytes a nonzero, loaded and stored\n %-*s %6s %9s %12s %12s %10s %8s  %s\n", width,
             "format", "beta", "L1", "L2", memory, "time", "Gflop/s", "bound by");
    for (int i = 0; i < n; i++)
        print_gpu_row(&row[i], width, n_nz, out);
    if (n > 1)
        sp_print(out, " Best: %s.\n", row[sp_model_best(row, n)].format);
    print_asked(row, n, out);
    sp_print(
        out,
        " L2: behind the simulated L1s of %d of %d SMs.\n"
        " %s: gathers by reuse distances in the order of waves, an L2 of %.1f to %.1f MiB, fetches of 32 "
        "to 64 B.\n",
        g->traffic.n_sms, row[0].machine->n_cores, memory, (double)g->traffic.L2_lo_B / 1048576,
        (double)g->traffic.L2_hi_B / 1048576);
    if (has_threads(row, n))
        fputs(" A thread for each row: its L2 may be wrong by up to five times.\n", out);
    print_unused(request, true, "here", out);
    if (g->L2_as_memory)
        sp_print(
            out,
            " All stays in the L2, whose bandwidth is not known: at that of %s, which it exceeds, the time "
            "is an\n upper bound of the transfers.\n",
            memory);
    else if (strcmp(row[0].prediction.residence.name, "L2") == 0)
        sp_print(out, " The data stay in L2 between executions; --cold shows %s.\n", memory);
    print_busy(row, n, out);
    print_waited(row, n, out);
    print_left_out(row, n, out);
    print_slow_L2(row, n, out);
    print_short(row, n, out);
}

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
    sp_print(out, "y: %s moved per byte (w, modelled%s)\n",
             cpu && gpu ? "2 (GPU 1) bytes"
             : gpu      ? "1 byte"
                        : "2 bytes",
             cpu && gpu ? ""
             : gpu      ? ": GPU"
                        : ": plain stores");
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
    sp_print(out, "         %s nonzero%s   per row: mean %.2f   per column: mean %.2f\n",
             sp_text_count(entries, sizeof entries, s->n_nz), s->n_nz == 1 ? "" : "s",
             (double)s->n_nz / (double)s->n_r, (double)s->n_nz / (double)s->n_c);
    const struct sp_workload *w = &r->request->workload;
    sp_print(out, "KERNEL   %s  %s/%s  %s executions  ", sp_words_op(sp_op_name(w->op)),
             sp_precision_name(r->row[0].precision), sp_index_name(w->index),
             r->request->cold ? "cold" : "warm");
    if (r->request->w > 0)
        sp_print(out, "y: %g byte%s moved per byte (w, stated)\n", r->request->w,
                 r->request->w == 1 ? "" : "s");
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
    char partition[256];
    if (*sp_partition_text(partition, sizeof partition, m))
        sp_print(out, "WAYS     %s, the rest for the other arrays\n", partition);
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
    char t[32], rate[32];
    sp_print(out, "%12s %9s", sp_text_seconds(t, sizeof t, r->time_s.value),
             sp_figure(rate, sizeof rate, r->performance.value / 1e9, 3));
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

/* "gathers 62 % L1, 38 % L2 (simulated): roof 0.97 Ggather/s, 1.65 ms modelled, 0.3 ms beyond" */
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

/* "CRS: 6.60 MB from and to memory, 9.35 MB stay in the caches of the domains (simulated)". */
static void print_saved(const struct sp_model_row *row, FILE *out)
{
    char memory[32], saved[32];
    if (!sp_value_known(row->saved_B) || row->saved_B.value < 0.001 * row->prediction.volume.total_B)
        return;
    sp_print(out, " %s: %s from and to memory, %s stay in the caches of %d domain%s (simulated).\n",
             row->format, sp_text_bytes(memory, sizeof memory, row->memory_B.value),
             sp_text_bytes(saved, sizeof saved, row->saved_B.value), row->n_domains,
             row->n_domains == 1 ? "" : "s");
}

/* "CRS: L3 keeps about 18 % (0 % ... 53 %) of the data between executions". */
static void print_kept(const struct sp_model_row *row, FILE *out)
{
    static const double noticeable = 0.05;
    const struct sp_kept *k = &row->kept;
    if (k->cache < 0 || k->holds || 1 - k->fetched.value < noticeable || k->fetched.origin == SP_SIMULATED)
        return;
    sp_print(out,
             " %s: L%d keeps about %.0f %% (%.0f %% ... %.0f %%) of the data between executions (modelled;\n"
             "  explain kept).\n",
             row->format, row->machine->cache[k->cache].level, 100 * (1 - k->fetched.value),
             100 * (1 - k->fetched.hi), 100 * (1 - k->fetched.lo));
}

/* How far simulated bytes were compared with counters. */
static void print_validation(const struct sp_model_row *row, FILE *out)
{
    const struct sp_machine_validation *v = &row->machine->validation;
    if (row->alpha.origin != SP_SIMULATED || row->machine->kind != SP_CPU)
        return;
    const struct sp_cache *llc = sp_machine_llc(row->machine);
    if (v->n > 0 && ((llc && llc->partition.ways > 0) || row->ways.n > 0))
        sp_print(out,
                 " Simulated bytes of divided caches are further from counters than those of whole ones: "
                 "docs/validation.md.\n");
    else if (v->n > 0)
        sp_print(out,
                 " Simulated bytes were compared with counters of this kind of machine: %.1f %% off in the "
                 "mean, %.1f %% at most.\n",
                 100 * v->mean_abs, 100 * v->most_abs);
    else if (!row->machine->validated)
        sp_print(out, " The simulation was validated on " SP_VALIDATED_ON " only.\n");
}

static void print_division(const char *name, double read_B, double whole_B, double alpha, const char *mark,
                           FILE *out)
{
    char share[24] = "";
    if (whole_B > 0)
        snprintf(share, sizeof share, "%.1f %%", 100 * read_B / whole_B);
    sp_print(out, " %-14s %12.4g %13s %9.4f%s\n", name, read_B / 1e6, share, alpha, mark);
}

/* "Best: matrix=13 of 16 ways of the L2 reads 0 B, 1.28 MB less than the whole cache (100 %; with a
 * way more or less 1.28 MB ... 2.3 MB)." Or that none saves anything. */
static void print_best_division(const struct sp_cache *named, const struct sp_ways *v, double whole_B,
                                int best, FILE *out)
{
    const struct sp_value saved = sp_ways_saved(v, whole_B, best);
    struct sp_cache divided = *named;
    char name[128], least[32], less[32], lo[32], hi[32];
    if (!(saved.value > 0)) {
        sp_print(out, " Best: the whole L%d; no division reads less.\n", named->level);
        return;
    }
    divided.partition.ways = best;
    sp_print(out, " Best: %s of %d ways of the L%d reads %s, %s less (%.1f %%)",
             sp_partition_cache_text(name, sizeof name, &divided), named->ways, named->level,
             sp_text_bytes(least, sizeof least, v->read_B[best]),
             sp_text_bytes(less, sizeof less, saved.value), 100 * saved.value / whole_B);
    if (saved.lo > 0)
        sp_print(out, "; a way more or less saves %s to %s.\n", sp_text_bytes(lo, sizeof lo, saved.lo),
                 sp_text_bytes(hi, sizeof hi, saved.hi));
    else
        fputs("; with a way more or less perhaps nothing.\n", out);
}

/* What comes from memory with each division of the last level's ways, beside the whole level. */
static void print_ways(const struct sp_model_row *row, uint32_t arrays, FILE *out)
{
    const struct sp_ways *v = &row->ways;
    const struct sp_traffic *memory = &row->traffic[row->n_traffic - 1];
    struct sp_cache named = *sp_machine_llc(row->machine);
    char name[128];
    const int best = sp_ways_best(v);
    sp_print(out, "\n L%d ways        memory reads  of undivided     alpha\n", named.level);
    print_division("undivided", memory->read_B.value, memory->read_B.value,
                   memory->array_read_B[SP_ARRAY_X] / row->x_B, "", out);
    for (int w = 1; w < v->n; w++) {
        named.partition = (struct sp_way_partition){.ways = w, .arrays = arrays};
        print_division(sp_partition_cache_text(name, sizeof name, &named), v->read_B[w], memory->read_B.value,
                       v->x_B[w] / row->x_B, w == best ? "  least" : "", out);
    }
    fputs(" MB of one execution, simulated; the other arrays have the other ways.\n", out);
    print_best_division(&named, v, memory->read_B.value, best, out);
}

/* One more of a list; `before` becomes what stands before the next one. */
static void put_term(const struct sp_roof_term *term, const char **before, const char *next, FILE *out)
{
    char time[32];
    const struct sp_value s = sp_gpu_term_time(term);
    if (!sp_value_known(s) || !(s.value > 0))
        return;
    fputs(*before, out);
    sp_print(out, "%s %s", term->name, sp_text_seconds(time, sizeof time, s.value));
    *before = next;
}

/* "CRS: launch overhead 2.6 us + ramp 814 ns + longest of memory bandwidth 289 us, peak performance
 * 5.6 us; 315 us where the host waits for each execution". */
static void print_sizes_times(const struct sp_model_row *row, FILE *out)
{
    const struct sp_gpu_sizes_time *t = &row->sizes;
    char time[32];
    if (!row->by_formula)
        return;
    const char *before = "";
    sp_print(out, " %s: ", row->format);
    for (int i = SP_GPU_TERM_LAUNCH; i < SP_N_GPU_TERMS; i++)
        put_term(&t->term[i], &before, " + ", out);
    before = *before ? " + longest of\n  " : "longest of ";
    for (int i = 0; i < SP_GPU_TERM_LAUNCH; i++)
        put_term(&t->term[i], &before, ", ", out);
    if (sp_value_known(t->waited_s))
        sp_print(out, ";\n  %s where the host waits for each execution",
                 sp_text_seconds(time, sizeof time, t->waited_s.value));
    fputs(" (modelled; explain gpu-time).\n", out);
    if (!sp_value_known(t->term[SP_GPU_TERM_LAUNCH].rate))
        fputs("  Launches take microseconds, too, and are not described.\n", out);
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
    print_validation(row, out);
    for (int i = 0; i < n; i++)
        if (!isnan(row[i].unit_share))
            sp_print(out, " %s: %.1f %% of the slots are unit-stride (modelled).\n", row[i].format,
                     100 * row[i].unit_share);
    for (int i = 0; i < n; i++)
        print_gather(&row[i], out);
    for (int i = 0; i < n; i++)
        print_saved(&row[i], out);
    for (int i = 0; i < n; i++)
        print_kept(&row[i], out);
    for (int i = 0; i < n; i++)
        print_expected(&row[i], out);
    for (int i = 0; i < n; i++)
        print_sizes_times(&row[i], out);
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
                 " The data stay in %s between executions (%.3g MB needed, %.3g MB there%s); --cold shows "
                 "memory.\n",
                 p->residence.name, p->residence.needed_B / 1e6, p->residence.capacity_B / 1e6,
                 sp_value_known(row->saved_B) && row->n_domains > 1 ? ", in the mean of the domains" : "");
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
            print_levels(&r->row[i], n, (double)r->subject->n_nz, r->request, out);
        else
            print_table(&r->row[i], n, out);
        if (!r->row[i].gpu && r->row[i].machine->kind == SP_GPU)
            print_unused(r->request, false, "here", out);
        for (int k = i; k < i + n; k++)
            if (r->row[k].ways.n > 0)
                print_ways(&r->row[k], r->request->divide, out);
        print_ecm(&r->row[i], n, out);
        for (int k = i; r->request->volume_B > 0 && k < i + n; k++)
            print_inverse(&r->row[k], (double)r->subject->n_nz / (double)r->subject->n_r,
                          r->request->volume_B, out);
    }
    if (r->n_rows > 0 && !*r->row[0].machine->name)
        sp_print(out, " Times need a machine: --machine this, or one of spmodel machine list.\n");
}

/* Several machines in one table. */

static const char *alpha_word(enum sp_origin origin)
{
    return origin == SP_SIMULATED ? "sim" : origin == SP_STATED ? "given" : "min";
}

/* '^': the data fit a cache without described bandwidth. '*': the roof is of other threads. */
static char mark_of(const struct sp_model_row *row)
{
    const struct sp_prediction *p = &row->prediction;
    if (p->roof && p->home < p->residence.level)
        return '^';
    if (p->roof && row->machine->kind == SP_CPU && p->roof->n_threads != row->n_threads)
        return '*';
    return ' ';
}

/* Behind a roof: a data sheet's peak is above what programs get, a triad may be below loads. */
static const char *roof_kind(const struct sp_model_row *row)
{
    const struct sp_ceiling *c = row->prediction.roof;
    if (!c || !sp_value_known(row->prediction.roof_Bps))
        return "";
    return strncmp(c->how, "nominal peak", 12) == 0 ? "n" : strncmp(c->name, "load", 4) != 0 ? "t" : "";
}

/* In 80 columns: of what binds the first word, as all that bind a machine differ in it. */
static void print_line(const struct sp_model_row *row, int width, FILE *out)
{
    const struct sp_prediction *p = &row->prediction;
    char threads[16] = "GPU", roof[24] = "unknown", rate[24] = "unknown", alpha[24], balance[24];
    if (row->machine->kind == SP_CPU)
        snprintf(threads, sizeof threads, "%d", row->n_threads);
    if (sp_value_known(p->roof_Bps))
        snprintf(roof, sizeof roof, "%s%s %s", sp_figure(alpha, sizeof alpha, p->roof_Bps.value / 1e9, 3),
                 roof_kind(row),
                 strcmp(p->residence.name, "MEM") == 0 ? sp_machine_memory_name(row->machine)
                                                       : p->residence.name);
    if (sp_value_known(p->roofline.performance))
        sp_figure(rate, sizeof rate, p->roofline.performance.value / 1e9, 3);
    snprintf(balance, sizeof balance, "%.2f", p->balance.value);
    snprintf(alpha, sizeof alpha, "%.3f %s", row->alpha.value, alpha_word(row->alpha.origin));
    sp_print(out, " %-15.15s %4s %-*s %-9s %6s %9s %7s%c %.*s\n", row->machine->name, threads, width,
             row->format, alpha, balance, roof, rate, mark_of(row), (int)strcspn(p->binding, " "),
             p->binding);
}

static bool any_mark(const struct sp_model_row *const *best, int n, char mark)
{
    for (int i = 0; i < n; i++)
        if (mark_of(best[i]) == mark)
            return true;
    return false;
}

static void print_unknown(const struct sp_model_row *row, FILE *out)
{
    const struct sp_machine *m = row->machine;
    const char *why = "the machine describes no bandwidth";
    for (int i = 0; i < m->n_ceilings; i++)
        if (strcmp(m->ceiling[i].level, "MEM") == 0 && !sp_value_known(m->ceiling[i].value))
            why = m->ceiling[i].how;
    sp_print(out, " %s: bandwidth unknown: %s.\n", m->name, why);
}

static void print_gpus(const struct sp_model_request *request, const struct sp_model_row *const *best, int n,
                       FILE *out)
{
    bool by_level = false, as_one = false, undescribed = false;
    for (int i = 0; i < n; i++)
        if (best[i]->machine->kind == SP_GPU) {
            *(best[i]->gpu ? &by_level : &as_one) = true;
            undescribed = undescribed || (!best[i]->gpu && !sp_gpu_is_described(best[i]->machine));
        }
    if (by_level)
        fputs(" GPU: the order of warps, an L2 between half and all of the nominal or as measured (-v: "
              "levels).\n",
              out);
    if (by_level || as_one)
        print_unused(request, by_level, "on GPUs", out);
    if (as_one)
        sp_print(out, " GPU%s: L2 as one cache, rows in order.\n",
                 undescribed ? " whose SMs are not described" : " without the order of its warps");
    for (int i = 0; i < n; i++)
        if (best[i]->machine->kind == SP_GPU && best[i]->alpha.hi > best[i]->alpha.lo * 1.005)
            sp_print(out, "   %s: alpha %.3f to %.3f\n", best[i]->machine->name, best[i]->alpha.lo,
                     best[i]->alpha.hi);
    for (int i = 0; i < n; i++)
        print_short(best[i], 1, out);
}

/* A list with commas, broken before column 100. */
static void print_wrapped(const char *text, int column, FILE *out)
{
    while (*text) {
        int n = (int)strcspn(text, ",");
        n += text[n] == ',';
        if (column + n > 98) {
            fputs("\n  ", out);
            column = 2;
            text += *text == ' ';
            n = (int)strcspn(text, ",") + (text[strcspn(text, ",")] == ',');
        }
        sp_print(out, "%.*s", n, text);
        column += n;
        text += n;
    }
}

static void print_notes(const struct sp_model_result *r, const struct sp_model_row *const *best, int n,
                        FILE *out)
{
    fputs(best[0]->alpha.origin == SP_STATED
              ? " alpha as given.\n"
              : " alpha sim: simulated for the caches of each machine; min: x loaded once by each cache.\n",
          out);
    int n_core = 0;
    for (int i = 0; i < n; i++)
        n_core += best[i]->units.by != NULL;
    if (n_core > 0)
        sp_print(out, " All figures modelled, with in-core limits on %d of %d machines", n_core, n);
    else
        fputs(" All figures modelled, without in-core limits", out);
    sp_print(out, "%s.\n",
             r->request->every_format ? "; the format of least time for each (-v shows all)" : "");
    if (any_mark(best, n, '^'))
        sp_print(out, " ^ the data fit a cache whose bandwidth is not described: at that of memory.\n");
    bool nominal = false, triad = false;
    for (int i = 0; i < n; i++) {
        nominal = nominal || *roof_kind(best[i]) == 'n';
        triad = triad || *roof_kind(best[i]) == 't';
    }
    if (nominal)
        sp_print(out,
                 " n: a data sheet's peak, above what programs reach: not to be compared with the others.\n");
    if (triad)
        sp_print(out, " t: known as copy or triad only, loads may be faster.\n");
    if (any_mark(best, n, '*'))
        sp_print(out,
                 " * the roof is known for another number of threads; the part of the domains in use.\n");
    for (int i = 0; i < n; i++)
        if (!sp_value_known(best[i]->prediction.roof_Bps))
            print_unknown(best[i], out);
    print_gpus(r->request, best, n, out);
    if (*r->left_out) {
        char head[64];
        const int column = snprintf(
            head, sizeof head, " Left out, as %d threads are asked for: ", r->request->workload.n_threads);
        fputs(head, out);
        print_wrapped(r->left_out, column, out);
        fputs(".\n", out);
    }
}

void sp_model_print_machines(const struct sp_model_result *r, FILE *out)
{
    enum { MAX_LINES = 64 };
    const struct sp_model_row *best[MAX_LINES];
    int n_lines = 0, width = 11;
    for (int i = 0, n; i < r->n_rows && n_lines < MAX_LINES; i += n) {
        n = 1;
        while (i + n < r->n_rows && r->row[i + n].machine == r->row[i].machine)
            n++;
        best[n_lines] = &r->row[i + sp_model_best(&r->row[i], n)];
        width = (int)fmax(width, (double)strlen(best[n_lines++]->format));
    }
    sp_print(out, "\n %-12s %7s %-*s %-9s %6s %9s %7s  %s\n", "machine", "threads", width,
             r->request->every_format ? "best format" : "format", "alpha", "B/flop", "roof GB/s", "Gflop/s",
             "bound");
    for (int i = 0; i < n_lines; i++)
        print_line(best[i], width, out);
    if (n_lines > 0)
        print_notes(r, best, n_lines, out);
}
