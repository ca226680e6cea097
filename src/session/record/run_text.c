/* The options of a run as a user types them. */
#include <stdio.h>
#include <string.h>

#include "session/analyze/analyze.h"

char *sp_run_text(const struct sp_analyze_options *o, const struct sp_workload *w,
                  const struct sp_subject *subject, char *text, size_t size)
{
    char schedule[32], format[48];
    sp_workload_schedule_text(w, schedule, sizeof schedule);
    FILE *out = fmemopen(text, size, "w");
    text[0] = '\0';
    if (!out)
        return text;
    if (o->precision >= 0 || w->precision != SP_F64)
        fprintf(out, " --precision %s", sp_precision_name(w->precision));
    if (w->index != SP_I32)
        fprintf(out, " --index %s", sp_index_name(w->index));
    if (w->prefetch > 0)
        fprintf(out, " --prefetch %d", (int)w->prefetch);
    if (w->op != SP_OP_SPMV)
        fprintf(out, " --op %s %s %d", sp_op_name(w->op), w->op == SP_OP_SPMMV ? "--rhs" : "--inner",
                (int)sp_workload_width(w));
    if (w->order != SP_ROW_MAJOR)
        fprintf(out, " --order %s", sp_order_name(w->order));
    if (w->format != SP_FORMAT_CRS)
        fprintf(out, " --format %s", sp_workload_format_option(w, format, sizeof format));
    if (w->schedule != SP_SCHEDULE_NNZ)
        fprintf(out, " --schedule %s", schedule);
    if (subject->facts.n_dropped > 0)
        fputs(" --drop-zeros", out);
    if (strcmp(subject->reorder, "none") != 0)
        fprintf(out, " --reorder %s", subject->reorder);
    if (o->n_threads > 0)
        fprintf(out, " --threads %d", o->n_threads);
    if (o->isa)
        fprintf(out, " --isa %s", o->isa);
    if (o->store_nt != SP_CHOICE_AUTO)
        fprintf(out, " --store %s", o->store_nt == SP_CHOICE_ON ? "nt" : "plain");
    if (o->small_pages)
        fputs(" --pages small", out);
    if (o->not_pinned)
        fputs(" --no-pin", out);
    if (o->state == SP_COLD)
        fputs(" --cold", out);
    if (o->between)
        fprintf(out, " --between %s", o->between);
    if (o->machine_name && !strchr(o->machine_name, '\''))
        fprintf(out, strpbrk(o->machine_name, " \t\"$&|;()<>*?`\\~#!") ? " --machine '%s'" : " --machine %s",
                o->machine_name);
    if (o->llc_B > 0)
        fprintf(out, " --sim-llc %.0f", o->llc_B);
    if (o->policy)
        fprintf(out, " --sim-policy %s", o->policy);
    if (o->skew > 0)
        fprintf(out, " --sim-skew %g", o->skew);
    fclose(out);
    text[size - 1] = '\0';
    if (text[0] == ' ')
        memmove(text, text + 1, strlen(text));
    return text;
}
