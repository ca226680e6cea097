#include "model/formats/format.h"

#include "model/volume/volume.h"
#include "sparse/formats/format_ids.h"

#define SPMV_FORMAT(ID, NAME, ...) extern const struct sp_format_model sp_format_model_##NAME;
#define DENSE_FORMAT               SPMV_FORMAT
#include "base/option/formats.inc"

const struct sp_format_model *const sp_format_models[] = {
#define SPMV_FORMAT(ID, NAME, ...) [SP_FORMAT_##ID] = &sp_format_model_##NAME,
#define DENSE_FORMAT               SPMV_FORMAT
#include "base/option/formats.inc"
};

double sp_layout_w(const struct sp_layout *l, double alpha, double kept_B)
{
    const struct sp_format_model *m = sp_format_models[l->format];
    return m->w && sp_layout_array_bytes(l, SP_ARRAY_Y) > 0 ? m->w(l, alpha, kept_B) : 2;
}

struct sp_value sp_volume_between(const struct sp_layout *l, const struct sp_volume_bounds *b)
{
    const double lo = sp_volume_layout(l, b->least, sp_layout_w(l, b->least, b->kept_B)).total_B;
    const double hi = sp_volume_layout(l, b->most, sp_layout_w(l, b->most, 0)).total_B;
    return sp_value_between((lo + hi) / 2, lo, hi, SP_MODELLED);
}
