#include "session/gpu/prediction_record.h"

#include <stdio.h>
#include <string.h>

#include "model/gpu/occupancy.h"
#include "session/record/parts.h"

char *sp_gpu_way_name(char *text, size_t size, const char *format, const struct sp_gpu_launch *g)
{
    if (g->map == SP_GPU_LANES)
        snprintf(text, size, "%s lanes %d", format, g->lanes);
    else if (g->map == SP_GPU_CHUNK)
        snprintf(text, size, "%s", format);
    else
        snprintf(text, size, "%s %s", format, sp_gpu_map_name(g->map));
    return text;
}

static json_t *levels_json(const struct sp_gpu_prediction *p)
{
    return json_pack("{s:o, s:o, s:o}", "L1", sp_record_value_json(sp_gpu_asked_B(&p->traffic), "B"), "L2",
                     sp_record_value_json(p->term[SP_GPU_TERM_L2].amount, "B"), "MEM",
                     sp_record_value_json(p->term[SP_GPU_TERM_MEMORY].amount, "B"));
}

json_t *sp_json_gpu_way(const char *name, const char *kernel, const char *format,
                        const struct sp_gpu_prediction *p, bool chosen)
{
    const struct sp_value time = p ? p->roofline.time_s : sp_value_none("not modelled for this kernel");
    json_t *one = json_pack("{s:s, s:s, s:s, s:o, s:b}", "kernel", kernel, "format", format, "name", name,
                            "time", sp_record_value_json(time, "s"), "chosen", chosen);
    if (one && p) {
        json_object_set_new(one, "bound_by", json_string(p->binding));
        json_object_set_new(one, "upper_bound", json_boolean(p->L2_as_memory));
        json_object_set_new(one, "levels", levels_json(p));
    }
    return one;
}

static const struct sp_ceiling *peak_of(const struct sp_machine *m, enum sp_precision precision,
                                        enum sp_gpu_map map, bool *exact)
{
    const bool is_double = precision == SP_F64 || precision == SP_C128;
    const struct sp_ceiling *c =
        map == SP_GPU_MMA
            ? sp_gpu_unit_peak(m, precision)
            : sp_machine_ceiling(m, "fma", "core", is_double ? "f64" : "f32", m->n_cores, NULL, NULL);
    *exact = c && c->n_threads == m->n_cores;
    return c;
}

static void append_roof(struct sp_record *r, const struct sp_ceiling *c, bool exact, const char *role)
{
    if (c && exact && sp_value_known(c->value))
        sp_record_append(r, "roofs", sp_json_ceiling(c, role));
}

void sp_record_gpu_ceilings(struct sp_record *r, const struct sp_machine *m, enum sp_precision precision,
                            enum sp_gpu_map map, bool in_L2)
{
    static const struct {
        const char *name, *level, *role;
    } others[] = {{"copy", "MEM", "other"},
                  {"triad", "MEM", "floor"},
                  {"load", "L2", "other"},
                  {"load", "L1", "other"}};
    bool exact;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct sp_ceiling *c =
            sp_machine_ceiling(m, others[i].name, others[i].level, "f64", m->n_cores, NULL, &exact);
        if (!in_L2 || strcmp(others[i].level, "L2") != 0)
            append_roof(r, c, exact, others[i].role);
    }
    const struct sp_ceiling *peak = peak_of(m, precision, map, &exact);
    append_roof(r, peak, exact, "peak");
}

static void record_best(const struct sp_gpu_forecast *f, struct sp_record *r)
{
    const struct sp_gpu_guess *g = &f->guess[f->best];
    const struct sp_gpu_prediction *p = g->prediction;
    const bool in_L2 = !(p->term[SP_GPU_TERM_MEMORY].amount.hi > 0);
    const struct sp_ceiling *roof = in_L2 ? p->L2_roof : p->memory_roof;
    sp_record_set_text(r, "config.format", g->format);
    sp_record_set_text(r, "config.format_text", g->name);
    sp_record_set_text(r, "binding.level", in_L2 ? "L2" : "MEM");
    sp_record_set_text(r, "binding.term", p->binding);
    if (roof && sp_value_known(roof->value))
        sp_record_append(r, "roofs", sp_json_ceiling(roof, "roof"));
    if (in_L2 && p->memory_roof && sp_value_known(p->memory_roof->value))
        sp_record_append(r, "roofs", sp_json_ceiling(p->memory_roof, "other"));
    sp_record_gpu_ceilings(r, f->machine, f->workload->precision, p->launch.map, in_L2);
    sp_record_set_metric(r, "alpha", g->alpha, "1", "lower", "bytes of the gathered operand / (s_x n_nz r)");
    sp_record_set_metric(r, "performance", p->roofline.performance, "flop/s", "higher", "W / time");
}

enum sp_status sp_gpu_forecast_record(const struct sp_gpu_forecast *f, struct sp_record *r,
                                      struct sp_error *err)
{
    enum sp_status status = sp_record_new(f->matrix, r, err);
    if (status != SP_OK)
        return status;
    sp_record_set_text(r, "status", "modelled");
    sp_record_machine(r, f->machine);
    sp_record_set_text(r, "problem.name", f->matrix);
    sp_record_set_count(r, "problem.rows", f->n_r);
    sp_record_set_count(r, "problem.cols", f->n_c);
    sp_record_set_count(r, "problem.nnz", f->n_nz);
    sp_record_set_text(r, "config.op", sp_op_name(f->workload->op));
    sp_record_set_text(r, "config.precision", sp_precision_name(f->workload->precision));
    sp_record_set_text(r, "config.index", sp_index_name(f->workload->index));
    sp_record_set_count(r, "config.threads", f->machine->n_cores);
    sp_record_set_text(r, "config.device", "gpu");
    sp_record_set_text(r, "config.cache", f->cold ? "cold" : "warm");
    sp_record_set_metric(r, "flops", sp_value_of(f->work, SP_MODELLED), "flop", "none",
                         "useful operations W of one execution");
    for (int i = 0; i < f->n_guesses; i++) {
        const struct sp_gpu_guess *g = &f->guess[i];
        sp_record_append(r, "gpu.ways",
                         sp_json_gpu_way(g->name, sp_gpu_map_name(g->prediction->launch.map), g->format,
                                         g->prediction, i == f->best));
    }
    record_best(f, r);
    return SP_OK;
}
