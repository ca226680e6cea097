/* The table of orders for programs. */
#include <jansson.h>

#include "cli/core/flat_csv.h"
#include "cli/matrix/reorder_preview.h"

static json_t *real_or_null(bool known, double x)
{
    return known ? json_real(x) : json_null();
}

static json_t *line_json(const struct sp_reorder_preview *p, int i)
{
    const struct sp_reorder_line *l = &p->line[i];
    const struct sp_preview *v = &l->preview;
    const bool ordered = l->status == SP_OK, has_alpha = ordered && sp_value_known(l->alpha),
               has_n_e = ordered && v->n_e.known;
    double share = 0, paid = 0;
    const bool has_share = ordered && sp_reorder_share(p, l, &share),
               has_paid = ordered && sp_reorder_paid_after(p, l, &paid);
    json_t *o = json_object();
    json_object_set_new(o, "method", json_string(l->method));
    json_object_set_new(o, "why_not", ordered ? json_null() : json_string(l->why));
    json_object_set_new(o, "best", json_boolean(i == p->best));
    json_object_set_new(o, "found_s", real_or_null(ordered, l->find_s));
    json_object_set_new(o, "found_spmvs",
                        real_or_null(ordered && p->spmv_s > 0, p->spmv_s > 0 ? l->find_s / p->spmv_s : 0));
    json_object_set_new(o, "lower_bandwidth", ordered ? json_integer(v->lower_bandwidth) : json_null());
    json_object_set_new(o, "upper_bandwidth", ordered ? json_integer(v->upper_bandwidth) : json_null());
    json_object_set_new(o, "profile", ordered ? json_integer(v->profile) : json_null());
    json_object_set_new(o, "mean_distance", real_or_null(ordered, v->mean_distance));
    json_object_set_new(o, "alpha", real_or_null(has_alpha, l->alpha.value));
    json_object_set_new(o, "alpha_lo", real_or_null(has_alpha, l->alpha.lo));
    json_object_set_new(o, "alpha_hi", real_or_null(has_alpha, l->alpha.hi));
    json_object_set_new(o, "beta", real_or_null(ordered, v->beta));
    json_object_set_new(o, "lambda", real_or_null(ordered, v->lambda));
    json_object_set_new(o, "n_e", real_or_null(has_n_e, v->n_e.value));
    json_object_set_new(o, "n_e_error", real_or_null(has_n_e, v->n_e.error));
    json_object_set_new(o, "bytes_share", real_or_null(has_share, share));
    json_object_set_new(o, "paid_after_spmvs", real_or_null(has_paid, paid));
    return o;
}

void sp_reorder_csv(const struct sp_reorder_preview *p, FILE *out)
{
    for (int i = 0; i < p->n; i++) {
        json_t *line = line_json(p, i);
        sp_flat_csv(line, i == 0, out);
        json_decref(line);
    }
}

/* Where the figures of a line come from. */
static json_t *origins(const struct sp_reorder_preview_options *o)
{
    const char *counted = o->exact ? "counted" : "counted, of more than a million entries a sample",
               *simulated = o->exact ? "simulated" : "simulated, of more than 16384 lines of x a sample";
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "found_s", "measured", "spmv_s", "measured", "places",
                     "counted", "n_e", counted, "alpha", simulated, "paid_after_spmvs", "modelled");
}

void sp_reorder_json(const struct sp_reorder_preview *p, const struct sp_reorder_preview_options *o,
                     const char *matrix, const struct sp_csr *a, FILE *out)
{
    json_t *root = json_object(), *lines = json_array();
    for (int i = 0; i < p->n; i++)
        json_array_append_new(lines, line_json(p, i));
    json_object_set_new(root, "schema", json_string("spmodel.orders/1"));
    json_object_set_new(root, "matrix", json_string(matrix));
    json_object_set_new(root, "rows", json_integer(a->n_r));
    json_object_set_new(root, "cols", json_integer(a->n_c));
    json_object_set_new(root, "nnz", json_integer(a->n_nz));
    json_object_set_new(root, "threads", json_integer(o->structure.n_threads));
    json_object_set_new(root, "machine", json_string(o->machine->name));
    json_object_set_new(root, "cache_level", p->cache_B > 0 ? json_integer(p->level) : json_null());
    json_object_set_new(root, "cache_B", p->cache_B > 0 ? json_integer(p->cache_B) : json_null());
    json_object_set_new(root, "spmv_s", real_or_null(p->spmv_s > 0, p->spmv_s));
    json_object_set_new(root, "C", json_integer(o->structure.C));
    json_object_set_new(root, "sigma", json_integer(o->structure.sigma));
    json_object_set_new(root, "block", json_pack("[i, i]", (int)o->structure.b_h, (int)o->structure.b_w));
    json_object_set_new(root, "origin", origins(o));
    json_object_set_new(root, "orders", lines);
    json_dumpf(root, out, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(root);
}
