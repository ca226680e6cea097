#include "model/gpu/units.h"

enum { PRODUCTS_OF_F32 = 3 };

double sp_gpu_unit_work(const struct sp_layout *l, const struct sp_gpu_launch *g)
{
    const int64_t of_stage = SP_GPU_MMA_STAGE_B / (int64_t)l->s_x, all = sp_gpu_ratio_up(l->n_c, l->b_w);
    int64_t columns = 0;
    for (int64_t I = 0; I < l->n_ptr - 1; I++) {
        const int64_t stored = sp_layout_ptr(l, I + 1) - sp_layout_ptr(l, I);
        const int64_t walked = (g->switches & SP_GPU_MMA_SKIP ? stored : all) * l->b_w;
        columns += sp_gpu_ratio_up(walked, of_stage) * of_stage;
    }
    const double products = l->precision == SP_F32 ? PRODUCTS_OF_F32 : 1;
    return 2 * products * (double)columns * (double)l->b_h * (double)g->n_tiles * (double)g->tile;
}

const struct sp_ceiling *sp_gpu_unit_peak(const struct sp_machine *m, enum sp_precision precision)
{
    const char *word = precision == SP_F32 ? "tf32" : sp_precision_name(precision);
    return sp_machine_ceiling(m, "mma", "core", word, m->n_cores, NULL, NULL);
}
