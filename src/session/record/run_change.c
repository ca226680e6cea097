/* What a run was given, as options. */
#include <stdio.h>
#include <string.h>

#include "session/analyze/analyze.h"

static void add_real(struct sp_change *c, enum sp_option option, const char *format, double x)
{
    char text[40];
    snprintf(text, sizeof text, format, x);
    sp_change_add(c, option, text);
}

void sp_change_add_operation(struct sp_change *c, const struct sp_workload *w)
{
    if (w->op == SP_OP_SPMV)
        return;
    sp_change_add(c, SP_OPTION_OP, sp_op_name(w->op));
    sp_change_add_number(c, w->op == SP_OP_SPMMV ? SP_OPTION_RHS : SP_OPTION_INNER, sp_workload_width(w));
}

struct sp_change sp_run_change(const struct sp_analyze_options *o, const struct sp_workload *w,
                               const struct sp_subject *subject)
{
    char schedule[32], format[48];
    struct sp_change c = {0};
    sp_workload_schedule_text(w, schedule, sizeof schedule);
    if (o->precision >= 0 || w->precision != SP_F64)
        sp_change_add(&c, SP_OPTION_PRECISION, sp_precision_name(w->precision));
    if (w->index != SP_I32)
        sp_change_add(&c, SP_OPTION_INDEX, sp_index_name(w->index));
    if (w->prefetch > 0)
        sp_change_add_number(&c, SP_OPTION_PREFETCH, w->prefetch);
    sp_change_add_operation(&c, w);
    if (w->order != SP_ROW_MAJOR)
        sp_change_add(&c, SP_OPTION_ORDER, sp_order_name(w->order));
    if (w->format != SP_FORMAT_CRS)
        sp_change_add(&c, SP_OPTION_FORMAT, sp_workload_format_option(w, format, sizeof format));
    if (w->schedule != SP_SCHEDULE_NNZ)
        sp_change_add(&c, SP_OPTION_SCHEDULE, schedule);
    if (subject->facts.n_dropped > 0)
        sp_change_add(&c, SP_OPTION_DROP_ZEROS, "");
    if (strcmp(subject->reorder, "none") != 0)
        sp_change_add(&c, SP_OPTION_REORDER, subject->reorder);
    if (o->n_threads > 0)
        sp_change_add_number(&c, SP_OPTION_THREADS, o->n_threads);
    if (o->isa)
        sp_change_add(&c, SP_OPTION_ISA, o->isa);
    if (o->store_nt != SP_CHOICE_AUTO)
        sp_change_add(&c, SP_OPTION_STORE, o->store_nt == SP_CHOICE_ON ? "nt" : "plain");
    if (o->small_pages)
        sp_change_add(&c, SP_OPTION_PAGES, "small");
    if (o->not_pinned)
        sp_change_add(&c, SP_OPTION_NO_PIN, "");
    if (o->state == SP_COLD)
        sp_change_add(&c, SP_OPTION_COLD, "");
    if (o->between)
        sp_change_add(&c, SP_OPTION_BETWEEN, o->between);
    if (o->machine_name)
        sp_change_add(&c, SP_OPTION_MACHINE, o->machine_name);
    if (o->llc_B > 0)
        add_real(&c, SP_OPTION_SIM_LLC, "%.0f", o->llc_B);
    if (o->policy)
        sp_change_add(&c, SP_OPTION_SIM_POLICY, o->policy);
    if (o->skew > 0)
        add_real(&c, SP_OPTION_SIM_SKEW, "%g", o->skew);
    return c;
}
