#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/model/model_gpu.h"

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

static void print_row(const struct sp_model_row *row, int width, double n_nz, FILE *out)
{
    const struct sp_gpu_prediction *g = row->gpu;
    char L2[32], memory[32], time[32];
    sp_print(out, " %-*s %6.3f %9.2f %12s %12s ", width, row->format, row->beta.value,
             sp_gpu_asked_B(&g->traffic).value / n_nz,
             band(g->term[SP_GPU_TERM_L2].amount, n_nz, L2, sizeof L2),
             band(g->term[SP_GPU_TERM_MEMORY].amount, n_nz, memory, sizeof memory));
    if (sp_value_known(g->roofline.time_s))
        sp_print(out, "%10s %8.3g  %s\n", sp_text_seconds(time, sizeof time, g->roofline.time_s.value),
                 g->roofline.performance.value / 1e9, g->binding);
    else
        sp_print(out, "%10s %8s  %s\n", "unknown", "unknown", g->binding);
}

/* Does a row before row k have a term of the same name? Kernels on matrix units have a peak of their own. */
static bool is_named_before(const struct sp_model_row *row, int k, int term)
{
    for (int i = 0; i < k; i++)
        if (strcmp(row[i].gpu->term[term].name, row[k].gpu->term[term].name) == 0)
            return true;
    return false;
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

/* Ways whose grids leave SMs idle draw a part of the roof that is printed. */
static void print_busy(const struct sp_model_row *row, int n, FILE *out)
{
    for (int i = 0; i < n; i++)
        if (row[i].gpu->busy < 1)
            sp_print(out,
                     " %s: blocks for %.0f of %d SMs, which are taken to draw as large a part of the roof.\n",
                     row[i].format, row[i].gpu->busy * row[i].machine->n_cores, row[i].machine->n_cores);
}

static bool has_threads(const struct sp_model_row *row, int n)
{
    for (int i = 0; i < n; i++)
        if (row[i].gpu->launch.map == SP_GPU_THREAD)
            return true;
    return false;
}

void sp_model_gpu_print(const struct sp_model_row *row, int n, double n_nz, FILE *out)
{
    const struct sp_gpu_prediction *g = row[0].gpu;
    const char *memory = sp_machine_memory_name(row[0].machine);
    const int width = name_width(row, n);
    if (row[0].prediction.roof != g->L2_roof)
        print_L2_roof(g, out);
    sp_print(out, "\n Bytes a nonzero, loaded and stored\n %-*s %6s %9s %12s %12s %10s %8s  %s\n", width,
             "format", "beta", "L1", "L2", memory, "time", "Gflop/s", "bound by");
    for (int i = 0; i < n; i++)
        print_row(&row[i], width, n_nz, out);
    if (n > 1)
        sp_print(out, " Best: %s.\n", row[sp_model_best(row, n)].format);
    sp_print(
        out,
        " L1: sectors of 32 B that the warps ask for, exact. L2: behind the simulated L1s of %d of %d SMs.\n"
        " %s: gathers by reuse distances in the order of waves, an L2 of %.1f to %.1f MiB, fetches of 32 "
        "to 64 B.\n",
        g->traffic.n_sms, row[0].machine->n_cores, memory, (double)g->traffic.L2_lo_B / 1048576,
        (double)g->traffic.L2_hi_B / 1048576);
    if (has_threads(row, n))
        fputs(" A thread for each row: its L2 may be wrong by up to five times.\n", out);
    if (g->L2_as_memory)
        sp_print(
            out,
            " All stays in the L2, whose bandwidth is not known: at that of %s, which it exceeds, the time "
            "is an\n upper bound of the transfers.\n",
            memory);
    else if (strcmp(row[0].prediction.residence.name, "L2") == 0)
        sp_print(out, " The data stay in L2 between executions; --cold shows %s.\n", memory);
    print_busy(row, n, out);
    print_left_out(row, n, out);
    sp_model_gpu_print_short(row, n, out);
}

void sp_model_gpu_print_short(const struct sp_model_row *row, int n, FILE *out)
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
