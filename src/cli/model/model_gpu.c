#include "cli/model/model_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/gpu/occupancy.h"
#include "session/gpu/record_gpu.h"

bool sp_model_on_gpu(const struct sp_model_request *request, const struct sp_layout *l,
                     const struct sp_machine *machine)
{
    struct sp_gpu_launch launch;
    return l && sp_gpu_is_described(machine) &&
           (request->alpha_kind == SP_ALPHA_DEFAULT || request->alpha_kind == SP_ALPHA_SIM) &&
           !(request->volume_B > 0) && sp_model_gpu_way(l, 0, &launch);
}

bool sp_model_has_gpu_way(enum sp_op op, enum sp_format format)
{
    for (int m = 0; m < SP_N_GPU_MAPS; m++)
        if (sp_gpu_map_op((enum sp_gpu_map)m) == op && sp_gpu_map_format((enum sp_gpu_map)m) == format)
            return true;
    return false;
}

bool sp_model_gpu_way(const struct sp_layout *l, int way, struct sp_gpu_launch *launch)
{
    for (int m = 0, n = 0; m < SP_N_GPU_MAPS; m++)
        if (sp_gpu_map_op((enum sp_gpu_map)m) == l->op &&
            sp_gpu_launch_make(l, (enum sp_gpu_map)m, 0, launch, NULL) == SP_OK && n++ == way)
            return true;
    return false;
}

/* The level that the data come from: its bytes, roof and the GPU's time take the place of the formula's. */
static void take_over(const struct sp_gpu_prediction *g, struct sp_model_row *row)
{
    struct sp_prediction *p = &row->prediction;
    const struct sp_machine *m = row->machine;
    bool in_L2 = g->term[SP_GPU_TERM_MEMORY].amount.hi <= 0;
    const struct sp_roof_term *home = &g->term[in_L2 ? SP_GPU_TERM_L2 : SP_GPU_TERM_MEMORY];
    struct sp_residence *r = &p->residence;
    p->home = in_L2 ? m->n_caches - 1 : m->n_caches;
    r->level = g->L2_as_memory ? m->n_caches : p->home;
    snprintf(r->name, sizeof r->name, "%s", r->level < m->n_caches ? "L2" : "MEM");
    p->volume_B = home->amount;
    p->balance = sp_value_between(home->amount.value / p->work, home->amount.lo / p->work,
                                  home->amount.hi / p->work, home->amount.origin);
    p->roof_Bps = home->rate;
    p->roof = in_L2 && !g->L2_as_memory ? g->L2_roof : g->memory_roof;
    p->roofline = g->roofline;
    p->binding = g->binding;
}

enum sp_status sp_model_gpu_row(const struct sp_model_request *request, const struct sp_layout *l,
                                const struct sp_gpu_launch *launch, struct sp_predict_inputs *in,
                                const struct sp_progress *progress, struct sp_model_row *row,
                                struct sp_error *err)
{
    void *memory = NULL;
    enum sp_status status = sp_new_array(1, sizeof *row->gpu, "a prediction", &memory, err);
    if (status == SP_OK)
        status = sp_gpu_predict(l, launch, row->machine, in->work, !request->cold, progress, memory, err);
    if (status != SP_OK) {
        free(memory);
        return status;
    }
    row->gpu = memory;
    const struct sp_gpu_traffic *t = &row->gpu->traffic;
    row->alpha_min = sp_value_of(t->x_once_B / row->x_B, SP_MODELLED);
    row->alpha =
        sp_value_between(t->x_B.value / row->x_B, t->x_B.lo / row->x_B, t->x_B.hi / row->x_B, SP_SIMULATED);
    snprintf(row->note, sizeof row->note, "alpha simulated, %s, warps in turn, L2 %.1f to %.1f MiB",
             request->cold ? "cold" : "warm", (double)t->L2_lo_B / 1048576, (double)t->L2_hi_B / 1048576);
    in->alpha = row->alpha_min;
    row->minimum_B = sp_predict(in).volume_B.value;
    in->alpha = row->alpha;
    row->prediction = sp_predict(in);
    take_over(row->gpu, row);
    char format[sizeof row->format];
    memcpy(format, row->format, sizeof format);
    sp_gpu_way_name(row->format, sizeof row->format, format, launch);
    row->made = true;
    return SP_OK;
}
