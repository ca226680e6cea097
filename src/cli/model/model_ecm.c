#include "cli/model/model_ecm.h"

#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "io/machine/model_json.h"

/* What the formula says crosses each interface: all bytes inside the home of the data, none outside. */
static void by_formula(const struct sp_prediction *p, int n_caches, struct sp_traffic *traffic)
{
    const double written = p->volume.write_B;
    for (int k = 0; k < n_caches; k++) {
        const bool crosses = k < p->home;
        memset(&traffic[k], 0, sizeof traffic[k]);
        traffic[k].read_B = crosses ? sp_value_between(p->volume_B.value - written, p->volume_B.lo - written,
                                                       p->volume_B.hi - written, SP_MODELLED)
                                    : sp_value_of(0, SP_MODELLED);
        traffic[k].write_B = sp_value_of(crosses ? written : 0, SP_MODELLED);
    }
}

void sp_model_ecm(const struct sp_workload *w, const struct sp_layout *layout, struct sp_value core,
                  struct sp_model_row *row)
{
    const struct sp_machine *m = row->machine;
    row->has_ecm = m->kind == SP_CPU && m->n_caches > 0 && *m->name && layout && w->op == SP_OP_SPMV;
    if (!row->has_ecm)
        return;
    const struct sp_prediction *p = &row->prediction;
    if (row->n_traffic != m->n_caches) {
        by_formula(p, m->n_caches, row->traffic);
        row->n_traffic = 0;
    }
    const double load_B = sp_layout_matrix_bytes(layout) + sp_layout_gather_bytes(layout);
    row->ecm_has_core = sp_value_known(core);
    const struct sp_value core_s =
        row->ecm_has_core
            ? sp_value_between(p->work / core.value, p->work / core.hi, p->work / core.lo, SP_MODELLED)
            : sp_ecm_peak_s(m, p->work, sp_precision_size(row->precision) < 8);
    row->ecm_inputs = sp_ecm_inputs_of(m, row->traffic, m->n_caches, core_s, sp_ecm_load_s(m, load_B),
                                       row->n_threads, row->n_domains, NULL);
    row->ecm = sp_ecm_of(&row->ecm_inputs);
    row->ecm_rows = (double)layout->n_r;
}

/* Nanoseconds a row, or "unknown". */
static void put_part(FILE *out, const char *before, struct sp_value v, double n_r)
{
    if (sp_value_known(v))
        sp_print(out, "%s%.3g", before, 1e9 * v.value / n_r);
    else
        sp_print(out, "%sunknown", before);
}

static void print_row(const struct sp_model_row *row, FILE *out)
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

void sp_model_ecm_print(const struct sp_model_row *row, int n, FILE *out)
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
            print_row(&row[i], out);
    print_rule(first->machine, out);
    if (!first->ecm_has_core)
        fputs(" T_OL is that of the arithmetic peak, T_nOL that of the loads' bytes: the least that they can "
              "be.\n",
              out);
}

json_t *sp_model_ecm_json(const struct sp_model_row *row)
{
    if (!row->has_ecm)
        return NULL;
    return sp_ecm_json(
        &row->ecm_inputs, &row->ecm,
        (struct sp_ecm_words){row->ecm_has_core ? "P_core" : "arithmetic peak", row->machine->ecm.how});
}
