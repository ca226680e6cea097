#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/matrix/reorder_preview.h"

/* The line of the order of the input; NULL: it was not asked for. */
static const struct sp_reorder_line *line_of_input(const struct sp_reorder_preview *p)
{
    for (int i = 0; i < p->n; i++)
        if (strncmp(p->line[i].method, "none", 4) == 0 && p->line[i].status == SP_OK)
            return &p->line[i];
    return NULL;
}

bool sp_reorder_share(const struct sp_reorder_preview *p, const struct sp_reorder_line *l, double *share)
{
    const struct sp_reorder_line *input = line_of_input(p);
    if (!input || input->bytes <= 0)
        return false;
    *share = l->bytes / input->bytes;
    return true;
}

bool sp_reorder_paid_after(const struct sp_reorder_preview *p, const struct sp_reorder_line *l,
                           double *n_spmvs)
{
    static const double least = 0.02; /* of the bytes; below, what an order saves is not worth a figure */
    double share;
    if (!sp_reorder_share(p, l, &share) || share >= 1 - least || p->spmv_s <= 0)
        return false;
    *n_spmvs = l->find_s / (p->spmv_s * (1 - share));
    return true;
}

static void print_worth(const struct sp_reorder_preview *p, const struct sp_reorder_line *l, FILE *out)
{
    double share, paid;
    if (!sp_reorder_share(p, l, &share))
        return;
    sp_print(out, " %6.2f", share);
    if (sp_reorder_paid_after(p, l, &paid))
        sp_print(out, " %8.0f", paid);
    else
        fputs("        -", out);
}

static void print_line(const struct sp_reorder_preview *p, const struct sp_reorder_line *l, FILE *out)
{
    char alpha[16] = "-", n_e[40];
    if (l->status != SP_OK) {
        sp_print(out, "  %-14s %s\n", l->method, l->why);
        return;
    }
    const struct sp_preview *v = &l->preview;
    int64_t bandwidth = v->lower_bandwidth > v->upper_bandwidth ? v->lower_bandwidth : v->upper_bandwidth;
    if (sp_value_known(l->alpha))
        snprintf(alpha, sizeof alpha, "%.4f", l->alpha.value);
    snprintf(n_e, sizeof n_e, "%.4g", v->n_e.value);
    sp_print(out, "  %-14s %9.3f %7.1f %10lld %10.4g %10.4g %8s %6.3f %6.2f %9s", l->method, l->find_s,
             p->spmv_s > 0 ? l->find_s / p->spmv_s : 0, (long long)bandwidth, (double)v->profile,
             v->mean_distance, alpha, v->beta, v->lambda, n_e);
    print_worth(p, l, out);
    fputc('\n', out);
}

static void print_legend(const struct sp_reorder_preview *p, const struct sp_reorder_preview_options *o,
                         FILE *out)
{
    char size[32], time[32];
    const struct sp_preview_options *s = &o->structure;
    sp_print(
        out,
        "  found in seconds and in SpMVs of %s each, measured: the fastest CRS kernel on the matrix as it "
        "is, %d thread%s.\n"
        "  beta of SELL-%d-%lld, lambda of entries over the threads, n_e of blocks of %d x %d: %s.\n",
        sp_text_seconds(time, sizeof time, p->spmv_s), s->n_threads, s->n_threads == 1 ? "" : "s", (int)s->C,
        (long long)s->sigma, (int)s->b_h, (int)s->b_w,
        o->exact ? "counted" : "counted, of more than a million entries a sample");
    if (p->cache_B > 0)
        sp_print(out, "  alpha simulated, %s, warm, of what passes into L%d, %s (%s)%s.\n",
                 o->exact ? "every line" : "of more than 16 384 lines of x a sample", p->level,
                 sp_text_bytes(size, sizeof size, (double)p->cache_B), o->machine->name,
                 line_of_input(p) ? "; bytes of an SpMV against those of none,\n  and the SpMVs after which "
                                    "the order is paid where time follows bytes, modelled"
                                  : "");
    else
        fputs("  alpha is not shown: the data fit the innermost cache.\n", out);
}

void sp_reorder_print(const struct sp_reorder_preview *p, const struct sp_reorder_preview_options *o,
                      FILE *out)
{
    sp_print(out, "  %-14s %9s %7s %10s %10s %10s %8s %6s %6s %9s%s\n", "method", "found [s]", "SpMVs",
             "bandwidth", "profile", "|i - j|", "alpha", "beta", "lambda", "n_e",
             line_of_input(p) && p->cache_B > 0 ? "  bytes paid after" : "");
    for (int i = 0; i < p->n; i++)
        print_line(p, &p->line[i], out);
    print_legend(p, o, out);
}

void sp_reorder_print_costs(double found, double applied, double spmv_s, int n_threads, FILE *out)
{
    char text[2][32];
    sp_print(out, "found in %s, applied in %s\n", sp_text_seconds(text[0], sizeof text[0], found),
             sp_text_seconds(text[1], sizeof text[1], applied));
    if (spmv_s > 0)
        sp_print(
            out,
            "  that is %.3g and %.3g SpMVs of %s each, measured: the fastest CRS kernel on the matrix as "
            "it was, %d thread%s\n",
            found / spmv_s, applied / spmv_s, sp_text_seconds(text[0], sizeof text[0], spmv_s), n_threads,
            n_threads == 1 ? "" : "s");
}

void sp_reorder_print_elsewhere(enum sp_reorder_side side, FILE *out)
{
    static const char *const vectors[SP_N_REORDER_SIDES] = {
        [SP_REORDER_SYMMETRIC] = "x and y both change to the new order",
        [SP_REORDER_ROWS] = "y comes out in the new order, x stays: no longer one vector in two roles",
        [SP_REORDER_COLUMNS] = "x must be given in the new order, y stays: no longer one vector in two roles",
        [SP_REORDER_BOTH] = "x and y each have a new order of their own: no longer one vector in two roles",
    };
    sp_print(
        out,
        "  elsewhere: %s (reorder --apply does it, --inverse undoes it); permute once,\n"
        "  outside the iterations. Preconditioners that depend on the order (ILU, IC, SSOR, Gauss-Seidel, "
        "multigrid by numbers)\n  change with it, and with them the number of iterations; sums are taken in "
        "another order, so that last digits differ.\n",
        vectors[side]);
}
