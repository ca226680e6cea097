/* Several machines in one table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "cli/model/model_gpu.h"
#include "cli/model/model_output.h"

static const char *alpha_word(enum sp_origin origin)
{
    return origin == SP_SIMULATED ? "sim" : origin == SP_STATED ? "given" : "min";
}

/* '^': the data fit a cache whose bandwidth is not described. '*': the roof is that of other threads. */
static char mark_of(const struct sp_model_row *row)
{
    const struct sp_prediction *p = &row->prediction;
    if (p->roof && p->home < p->residence.level)
        return '^';
    if (p->roof && row->machine->kind == SP_CPU && p->roof->n_threads != row->n_threads)
        return '*';
    return ' ';
}

/* What stands behind a roof: a data sheet's peak is above what any program gets, a triad may be below loads.
 */
static const char *roof_kind(const struct sp_model_row *row)
{
    const struct sp_ceiling *c = row->prediction.roof;
    if (!c || !sp_value_known(row->prediction.roof_Bps))
        return "";
    return strncmp(c->how, "nominal peak", 12) == 0 ? "n" : strncmp(c->name, "load", 4) != 0 ? "t" : "";
}

static void print_line(const struct sp_model_row *row, FILE *out)
{
    const struct sp_prediction *p = &row->prediction;
    char threads[16] = "GPU", roof[24] = "unknown", rate[24] = "unknown", alpha[24];
    if (row->machine->kind == SP_CPU)
        snprintf(threads, sizeof threads, "%d", row->n_threads);
    if (sp_value_known(p->roof_Bps))
        snprintf(roof, sizeof roof, "%.4g%s %s", p->roof_Bps.value / 1e9, roof_kind(row),
                 strcmp(p->residence.name, "MEM") == 0 ? sp_machine_memory_name(row->machine)
                                                       : p->residence.name);
    if (sp_value_known(p->roofline.performance))
        snprintf(rate, sizeof rate, p->roofline.performance.value < 999.5e9 ? "%.3g" : "%.0f",
                 p->roofline.performance.value / 1e9);
    snprintf(alpha, sizeof alpha, "%.4f %s", row->alpha.value, alpha_word(row->alpha.origin));
    sp_print(out, " %-17.17s %7s  %-12s %-12s %7.2f %11s %8s%c %s\n", row->machine->name, threads,
             row->format, alpha, p->balance.value, roof, rate, mark_of(row), p->binding);
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

static void print_gpus(const struct sp_model_row *const *best, int n, FILE *out)
{
    bool by_level = false, as_one = false;
    for (int i = 0; i < n; i++)
        if (best[i]->machine->kind == SP_GPU)
            *(best[i]->gpu ? &by_level : &as_one) = true;
    if (by_level)
        fputs(" GPU: the order of warps, an L2 between half and all of the nominal or as measured (-v: "
              "levels).\n",
              out);
    if (as_one)
        fputs(" GPU whose SMs are not described: L2 as one cache, rows in order.\n", out);
    for (int i = 0; i < n; i++)
        if (best[i]->machine->kind == SP_GPU && best[i]->alpha.hi > best[i]->alpha.lo * 1.005)
            sp_print(out, "   %s: alpha %.3f to %.3f\n", best[i]->machine->name, best[i]->alpha.lo,
                     best[i]->alpha.hi);
    for (int i = 0; i < n; i++)
        sp_model_gpu_print_short(best[i], 1, out);
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
    sp_print(out, " All figures modelled, without in-core limits%s.\n",
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
    print_gpus(best, n, out);
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
    int n_lines = 0;
    sp_print(out, "\n %-17s %7s  %-12s %-12s %7s %11s %8s  %s\n", "machine", "threads",
             r->request->every_format ? "best format" : "format", "alpha", "B/flop", "roof GB/s", "Gflop/s",
             "bound by");
    for (int i = 0, n; i < r->n_rows && n_lines < MAX_LINES; i += n) {
        n = 1;
        while (i + n < r->n_rows && r->row[i + n].machine == r->row[i].machine)
            n++;
        best[n_lines] = &r->row[i + sp_model_best(&r->row[i], n)];
        print_line(best[n_lines++], out);
    }
    if (n_lines > 0)
        print_notes(r, best, n_lines, out);
}
