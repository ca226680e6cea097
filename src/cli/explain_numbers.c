/* Formulas of `spmodel explain` with the numbers of a record put in. */
#include <string.h>

#include "base/text.h"
#include "cli/explain_terms.h"
#include "model/losses.h"
#include "model/volume_spmv.h"

/* What several of them need. */
struct facts {
    double n_r, n_nz, beta, alpha, w, W, r;
    struct sp_sizes s;
    bool is_crs;
    bool is_product; /* SpMV, SpMMV or SpMM: Y = S X, whose formula this is */
};

static bool read_facts(const struct sp_record *r, struct facts *f)
{
    int64_t rows, nnz;
    const char *precision, *index, *format;
    struct sp_value alpha = sp_record_metric(r, "alpha"), beta = sp_record_metric(r, "beta");
    struct sp_value w = sp_record_metric(r, "w");
    if (!sp_record_count(r, "problem.rows", &rows) || !sp_record_count(r, "problem.nnz", &nnz) ||
        !sp_record_text(r, "config.precision", &precision) || !sp_record_text(r, "config.index", &index) ||
        !sp_record_text(r, "config.format", &format) || !sp_value_known(alpha) || rows < 1 || nnz < 1)
        return false;
    int p = sp_precision_from_name(precision), i = sp_index_from_name(index);
    if (p < 0 || i < 0)
        return false;
    f->n_r = (double)rows;
    f->n_nz = (double)nnz;
    f->beta = sp_value_known(beta) ? beta.value : 1;
    f->alpha = alpha.value;
    f->w = sp_value_known(w) ? w.value : 2;
    f->s = sp_sizes_of((enum sp_precision)p, (enum sp_index)i, f->n_nz / f->beta);
    const char *op = "spmv";
    int64_t width = 1;
    sp_record_text(r, "config.op", &op);
    if (!sp_record_count(r, "config.inner", &width))
        sp_record_count(r, "config.rhs", &width);
    struct sp_value W = sp_record_metric(r, "flops");
    f->r = (double)width;
    f->W = sp_value_known(W) ? W.value : sp_flops_per_entry((enum sp_precision)p) * f->n_nz * f->r;
    f->is_crs = strcmp(format, "crs") == 0;
    f->is_product = strcmp(op, "sddmm") != 0 && strcmp(op, "fusedmm") != 0;
    return true;
}

void sp_fill_volume(const struct sp_record *r, FILE *out)
{
    struct facts f;
    if (!read_facts(r, &f) || !f.is_product)
        return;
    double y_B = f.w * f.s.s_y * f.n_r * f.r, x_B = f.alpha * f.s.s_x * f.n_nz * f.r;
    fprintf(out, "  matrix   (%g + %g) x %.0f / %.3f = %.4g MB\n", f.s.s_a, f.s.s_i, f.n_nz, f.beta,
            (f.s.s_a + f.s.s_i) * f.n_nz / f.beta / 1e6);
    if (f.is_crs)
        fprintf(out, "  pointers %g x (%.0f + 1) = %.4g MB\n", f.s.s_p, f.n_r, f.s.s_p * (f.n_r + 1) / 1e6);
    if (f.r > 1) {
        fprintf(out, "  Y        %g x %g x %.0f x %.0f = %.4g MB\n", f.w, f.s.s_y, f.n_r, f.r, y_B / 1e6);
        fprintf(out, "  X        %.4f x %g x %.0f x %.0f = %.4g MB\n", f.alpha, f.s.s_x, f.n_nz, f.r,
                x_B / 1e6);
        return;
    }
    fprintf(out, "  y        %g x %g x %.0f = %.4g MB\n", f.w, f.s.s_y, f.n_r, y_B / 1e6);
    fprintf(out, "  x        %.4f x %g x %.0f = %.4g MB\n", f.alpha, f.s.s_x, f.n_nz, x_B / 1e6);
}

void sp_fill_balance(const struct sp_record *r, FILE *out)
{
    struct facts f;
    struct sp_value V = sp_record_metric(r, "bytes");
    if (!read_facts(r, &f))
        return;
    double flops = f.W / f.n_nz, n_nzr = f.n_nz / f.n_r;
    if (f.is_crs && f.is_product && f.r > 1)
        fprintf(out,
                "  B(%.0f) = %.4g/%.0f + %.4g x %.4f + (%.4g + %.4g/%.0f)/%.2f = %.3f B/flop (modelled from "
                "alpha)\n",
                f.r, (f.s.s_a + f.s.s_i) * f.r / flops, f.r, f.s.s_x * f.r / flops, f.alpha,
                f.w * f.s.s_y * f.r / flops, f.s.s_p * f.r / flops, f.r, n_nzr,
                ((f.s.s_a + f.s.s_i) + f.r * f.alpha * f.s.s_x + (f.r * f.w * f.s.s_y + f.s.s_p) / n_nzr) /
                    flops);
    else if (f.is_crs && f.is_product)
        fprintf(out, "  B_CRS = %.4g + %.4g x %.4f + %.4g/%.2f = %.3f B/flop (modelled from alpha)\n",
                (f.s.s_a + f.s.s_i) / flops, f.s.s_x / flops, f.alpha, (f.w * f.s.s_y + f.s.s_p) / flops,
                n_nzr, ((f.s.s_a + f.s.s_i) + f.alpha * f.s.s_x + (f.w * f.s.s_y + f.s.s_p) / n_nzr) / flops);
    if (sp_value_known(V))
        fprintf(out, "  V/W = %.4g MB (%s) / %.4g Mflop = %.3f B/flop\n", V.value / 1e6,
                sp_origin_name(V.origin), f.W / 1e6, V.value / f.W);
}

void sp_fill_alpha(const struct sp_record *r, FILE *out)
{
    struct sp_value alpha = sp_record_metric(r, "alpha"), least = sp_record_metric(r, "alpha_min");
    if (!sp_value_known(alpha) || !sp_value_known(least) || least.value <= 0)
        return;
    fprintf(out, "  alpha / alpha_min = %.4f (%s) / %.4f (%s) = %.2f: x is loaded %.2f times\n", alpha.value,
            sp_origin_name(alpha.origin), least.value, sp_origin_name(least.origin),
            alpha.value / least.value, alpha.value / least.value);
}

/* The roof of the record: the one whose role says so. */
static bool find_roof(const struct sp_record *r, double *Bps, const char **name)
{
    size_t i;
    const json_t *roof;
    json_array_foreach(sp_record_node(r, "roofs"), i, roof)
    {
        const char *role = json_string_value(json_object_get(roof, "role"));
        if (role && strcmp(role, "roof") == 0) {
            *Bps = json_number_value(json_object_get(roof, "value"));
            *name = json_string_value(json_object_get(roof, "name"));
            return *Bps > 0 && *name;
        }
    }
    return false;
}

void sp_fill_roofline(const struct sp_record *r, FILE *out)
{
    struct facts f;
    double b_S;
    const char *name;
    struct sp_value V = sp_record_metric(r, "bytes"), core = sp_record_metric(r, "p_core");
    if (!read_facts(r, &f) || !find_roof(r, &b_S, &name) || !sp_value_known(V) || V.value <= 0)
        return;
    fprintf(out, "  b_S/B_C = %.4g GB/s (%s) / %.3f B/flop = %.4g Gflop/s\n", b_S / 1e9, name, V.value / f.W,
            b_S / V.value * f.W / 1e9);
    if (sp_value_known(core))
        fprintf(out, "  P_core  = %.4g Gflop/s (%s)\n", core.value / 1e9, sp_origin_name(core.origin));
}

void sp_fill_fractions(const struct sp_record *r, FILE *out)
{
    double b_S;
    const char *name;
    struct sp_value V = sp_record_metric(r, "bytes"), t = sp_record_metric(r, "time");
    struct sp_value least = sp_record_metric(r, "bytes_min");
    if (!find_roof(r, &b_S, &name) || !sp_value_known(t) || t.value <= 0)
        return;
    if (sp_value_known(V))
        fprintf(out,
                "  bandwidth_fraction = %.4g MB / (%.4g ms x %.4g GB/s) = %.3f (medians; the record's is "
                "the median of paired ratios)\n",
                V.value / 1e6, t.value * 1e3, b_S / 1e9, V.value / t.value / b_S);
    if (sp_value_known(least))
        fprintf(out, "  model_fraction = (%.4g MB / %.4g GB/s) / %.4g ms = %.3f\n", least.value / 1e6,
                b_S / 1e9, t.value * 1e3, least.value / b_S / t.value);
}

void sp_fill_losses(const struct sp_record *r, FILE *out)
{
    struct sp_value t = sp_record_metric(r, "time");
    if (!sp_value_known(t) || t.value <= 0)
        return;
    for (int i = 0; i < SP_N_LOSSES; i++) {
        char path[64], seconds[32];
        const char *how = "";
        double part;
        snprintf(path, sizeof path, "losses.%s", sp_loss_name((enum sp_loss)i));
        if (!sp_record_number(r, path, &part))
            continue;
        snprintf(path, sizeof path, "losses_origin.%s", sp_loss_name((enum sp_loss)i));
        sp_record_text(r, path, &how);
        fprintf(out, "  %-17s %10s %6.1f %%   %s\n", sp_loss_title((enum sp_loss)i),
                sp_text_seconds(seconds, sizeof seconds, part), 100 * part / t.value, how);
    }
}
