#include "model/predict.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static struct sp_volume volume_of_one(const struct sp_predict_inputs *in, double alpha, double w)
{
    struct sp_sizes sizes = sp_sizes_of(in->precision, in->index, (double)in->n_nz / in->beta);
    switch (in->format) {
    case SP_FORMAT_SELL:
        return sp_volume_spmv_sell(in->n_r, in->n_nz, in->C, in->beta, sizes, in->permuted, alpha, w);
    case SP_FORMAT_SELLU:
        return sp_volume_spmv_sellu(in->n_r, in->n_nz, in->C, in->beta, in->u, sizes, in->permuted, alpha, w);
    default:
        return sp_volume_spmv_csr(in->n_r, in->n_nz, sizes, alpha, w);
    }
}

static int64_t width_of(const struct sp_predict_inputs *in)
{
    return in->r > 0 ? in->r : 1;
}

static struct sp_volume volume_at(const struct sp_predict_inputs *in, double alpha, double w)
{
    return in->layout ? sp_volume_layout(in->layout, alpha, w)
                      : sp_volume_spmmv(volume_of_one(in, alpha, w), width_of(in));
}

struct sp_footprint sp_footprint_of_layout(const struct sp_layout *l)
{
    return (struct sp_footprint){.shared_out_B = sp_layout_matrix_bytes(l) +
                                                 sp_layout_array_bytes(l, SP_ARRAY_ROWS) +
                                                 sp_layout_array_bytes(l, SP_ARRAY_Y),
                                 .each_B = sp_layout_array_bytes(l, SP_ARRAY_X)};
}

static struct sp_footprint footprint_of(const struct sp_predict_inputs *in, const struct sp_volume *v)
{
    if (in->layout)
        return sp_footprint_of_layout(in->layout);
    double s_x = (double)sp_precision_size(in->precision);
    return (struct sp_footprint){.shared_out_B = sp_volume_matrix_B(v) + v->write_B,
                                 .each_B = s_x * (double)(width_of(in) * in->n_c)};
}

static void find_roof(const struct sp_predict_inputs *in, struct sp_prediction *p)
{
    p->roof_Bps = in->roof_Bps;
    if (sp_value_known(in->roof_Bps))
        return;
    const struct sp_machine *m = in->machine;
    for (int level = p->residence.level; level <= m->n_caches; level++) {
        if (level == m->n_caches)
            snprintf(p->residence.name, sizeof p->residence.name, "MEM");
        else
            snprintf(p->residence.name, sizeof p->residence.name, "L%d", m->cache[level].level);
        p->roof_Bps = sp_roof_for(m, p->residence.name, in->n_threads, in->n_domains, in->mode, &p->roof);
        p->residence.level = level;
        if (p->roof)
            return;
    }
}

static struct sp_value peak_of(const struct sp_predict_inputs *in)
{
    const char *precision = sp_precision_size(in->precision) >= 8 ? "f64" : "f32";
    static const char *const names[] = {"fma", "simd"};
    for (int i = 0; i < 2; i++) {
        const struct sp_ceiling *c =
            sp_machine_ceiling(in->machine, names[i], "core", precision, in->n_threads, NULL, NULL);
        if (c && sp_value_known(c->value) && c->n_threads > in->n_threads) /* cores compute for themselves */
            return sp_value_between(c->value.value * in->n_threads / c->n_threads,
                                    c->value.lo * in->n_threads / c->n_threads,
                                    c->value.hi * in->n_threads / c->n_threads, SP_MODELLED);
        if (c && sp_value_known(c->value))
            return c->value;
    }
    return sp_value_none("the machine describes no peak");
}

static void add_term(struct sp_prediction *p, const char *name, struct sp_value amount, struct sp_value rate)
{
    p->term[p->n_terms++] = (struct sp_roof_term){.name = name, .amount = amount, .rate = rate};
}

static const char *bandwidth_name(const char *level)
{
    if (strcmp(level, "L1") == 0)
        return "L1 bandwidth";
    if (strcmp(level, "L2") == 0)
        return "L2 bandwidth";
    if (strcmp(level, "L3") == 0)
        return "L3 bandwidth";
    return "memory bandwidth";
}

struct sp_prediction sp_predict(const struct sp_predict_inputs *in)
{
    assert(in->n_r > 0 && in->n_nz > 0 && in->beta > 0 && in->beta <= 1);
    assert(sp_value_known(in->alpha) && sp_value_known(in->w) && in->w.lo >= 1 && in->machine);
    assert(in->n_threads >= 1 && in->n_domains >= 1);
    struct sp_prediction p;
    memset(&p, 0, sizeof p);
    p.volume = volume_at(in, in->alpha.value, in->w.value);
    p.volume_B = sp_value_between(p.volume.total_B, volume_at(in, in->alpha.lo, in->w.lo).total_B,
                                  volume_at(in, in->alpha.hi, in->w.hi).total_B, SP_MODELLED);
    p.work = in->work > 0 ? in->work : sp_flops_per_entry(in->precision) * (double)(width_of(in) * in->n_nz);
    p.balance = sp_value_between(p.volume_B.value / p.work, p.volume_B.lo / p.work, p.volume_B.hi / p.work,
                                 SP_MODELLED);
    p.residence =
        sp_residence_of(in->machine, footprint_of(in, &p.volume), in->n_threads, in->n_domains, in->warm);
    for (int i = 0; i < in->n_inward && p.residence.level > 0; i++)
        sp_residence_inward(&p.residence, in->machine);
    p.home = p.residence.level;
    find_roof(in, &p);
    add_term(&p, bandwidth_name(p.residence.name), p.volume_B, p.roof_Bps);
    struct sp_value work = sp_value_of(p.work, SP_MODELLED);
    add_term(&p, "in-core execution", work, in->core);
    add_term(&p, "peak performance", work, peak_of(in));
    p.roofline = sp_roofline(p.work, p.term, p.n_terms);
    p.binding = p.roofline.binding < 0 ? "unknown" : p.term[p.roofline.binding].name;
    return p;
}
