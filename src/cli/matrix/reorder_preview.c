#include "cli/matrix/reorder_preview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/kernel.h"
#include "model/cache/reuse.h"
#include "model/predict.h"
#include "model/roofline.h"
#include "model/volume/volume_spmv.h"
#include "sys/machine/pages.h"

/* ---- which methods ---- */

static enum sp_status add_method(struct sp_reorder_methods *m, const char *name, size_t length,
                                 const char *side, struct sp_error *err)
{
    if (m->n == SP_MOST_METHODS || length + 8 > SP_METHOD_TEXT)
        return sp_fail(err, SP_USAGE, "name fewer methods", "at most %d methods of at most %d letters",
                       (int)SP_MOST_METHODS, (int)SP_METHOD_TEXT - 8);
    bool sided = side && !memchr(name, '+', length);
    snprintf(m->method[m->n++], SP_METHOD_TEXT, "%.*s%s%s", (int)length, name, sided ? "+" : "",
             sided ? side : "");
    return SP_OK;
}

enum sp_status sp_reorder_methods_read(const char *list, const char *side, struct sp_reorder_methods *m,
                                       struct sp_error *err)
{
    enum sp_status status = SP_OK;
    m->n = 0;
    if (strcmp(list, "all") == 0) {
        for (const struct sp_reordering *r = sp_reordering_table; r->name && status == SP_OK; r++)
            status = add_method(m, r->name, strlen(r->name), side, err);
        return status;
    }
    while (*list && status == SP_OK) {
        size_t length = strcspn(list, ",");
        status = add_method(m, list, length, side, err);
        list += length + (list[length] == ',');
    }
    return status;
}

/* ---- the preview ---- */

struct work {
    const struct sp_csr *a;
    const struct sp_reorder_preview_options *options;
    struct sp_reorder_preview *out;
    struct sp_workload workload;
    int *instance; /* [n_threads] of the cache that alpha is of */
    int n_instances;
    char what[96];
};

static struct sp_workload workload_of(const struct sp_csr *a, const struct sp_preview_options *structure)
{
    return (struct sp_workload){.op = SP_OP_SPMV,
                                .format = SP_FORMAT_CRS,
                                .precision = sp_csr_is_complex(a) ? SP_C128 : SP_F64,
                                .schedule = structure->schedule,
                                .block = structure->block,
                                .n_threads = structure->n_threads,
                                .matrix = a};
}

/* The best of some runs of each kernel. */
enum sp_status sp_reorder_spmv_seconds(const struct sp_csr *a, const struct sp_preview_options *structure,
                                       double *best, struct sp_error *err)
{
    const struct sp_workload w = workload_of(a, structure);
    enum { MOST_KERNELS = 16, RUNS = 5 };
    const struct sp_kernel *rows[MOST_KERNELS];
    struct sp_layout l;
    void *x = NULL;
    *best = 0;
    enum sp_status status = sp_layout_make(&w, true, &sp_allocator_huge, &l, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(2 * a->n_c, sizeof(double), "x", &x, err);
    const struct sp_operands operands = {.x = x, .allocator = &sp_allocator_huge};
    int n = status == SP_OK ? sp_kernel_candidates(&l, NULL, rows, MOST_KERNELS) : 0;
    for (int k = 0; k < n && status == SP_OK; k++) {
        void *state = NULL;
        status = rows[k]->prepare(&l, &operands, &state, err);
        for (int i = 0; i < RUNS && status == SP_OK; i++) {
            double start = sp_now();
            status = rows[k]->run(state, 1, NULL, err);
            double took = sp_now() - start;
            *best = *best > 0 && *best < took ? *best : took;
        }
        rows[k]->release(state);
    }
    free(x);
    sp_layout_free(&l);
    return status;
}

static bool tell(void *context, double share)
{
    const struct work *w = context;
    sp_progress_step(w->options->progress, w->what, share);
    return sp_progress_interrupted(w->options->progress);
}

/* The cache in front of the level that holds the data, and which thread uses which instance of it. */
static enum sp_status choose_cache(struct work *w, struct sp_error *err)
{
    const struct sp_machine *m = w->options->machine;
    const int n_threads = w->workload.n_threads;
    struct sp_layout l;
    void *p;
    int n_domains = 1;
    for (int t = 0; t < n_threads; t++)
        n_domains = sp_machine_domain_of(m, t) + 1 > n_domains ? sp_machine_domain_of(m, t) + 1 : n_domains;
    enum sp_status status = sp_layout_make(&w->workload, false, NULL, &l, err);
    if (status != SP_OK)
        return status;
    int home = sp_residence_of(m, sp_footprint_of_layout(&l), n_threads, n_domains, true).level;
    sp_layout_free(&l);
    status = sp_new_array(n_threads, sizeof *w->instance, "the caches of threads", &p, err);
    w->instance = p;
    w->n_instances = 1;
    if (status != SP_OK || home == 0 || m->n_caches == 0)
        return status;
    const struct sp_cache *c = &m->cache[home - 1];
    w->out->cache_B = sp_cache_believed_B(c);
    w->out->level = c->level;
    for (int t = 0; t < n_threads; t++) {
        int sharing = c->cores_sharing > 1 ? c->cores_sharing : 1;
        w->instance[t] = home == m->n_caches ? sp_machine_domain_of(m, t) : t / sharing;
        w->n_instances = w->instance[t] >= w->n_instances ? w->instance[t] + 1 : w->n_instances;
    }
    return SP_OK;
}

static enum sp_status find_alpha(struct work *w, const struct sp_permuted *permuted,
                                 struct sp_reorder_line *line, struct sp_error *err)
{
    /* lines of x to follow: their counts then scatter by a percent */
    static const double FOLLOWED = 16384;
    line->alpha = sp_value_none("the data fit the innermost cache");
    if (w->out->cache_B == 0 || w->a->n_nz == 0)
        return SP_OK;
    struct sp_layout l;
    struct sp_reuse reuse;
    enum sp_status status = sp_layout_make_permuted(&w->workload, permuted, &l, err);
    if (status != SP_OK)
        return status;
    const double n_lines = (double)l.n_c * (double)l.s_x / 64;
    const struct sp_reuse_options options = {.n_domain = w->n_instances,
                                             .domain_of_thread = w->instance,
                                             .rate = w->options->exact ? 1 : FOLLOWED / (n_lines + 1),
                                             .seed = 1,
                                             .progress = tell,
                                             .context = w};
    status = sp_reuse_curve(&l, &options, &reuse, err);
    if (status == SP_OK) {
        line->alpha = sp_reuse_alpha(&reuse, w->out->cache_B, false);
        line->bytes = sp_volume_layout(&l, line->alpha.value, 2).total_B;
        sp_reuse_free(&reuse);
    }
    sp_layout_free(&l);
    return status;
}

static enum sp_status look_at(struct work *w, const struct sp_permutations *order,
                              struct sp_reorder_line *line, struct sp_error *err)
{
    const struct sp_pattern pattern = sp_csr_pattern(w->a);
    struct sp_preview_options options = w->options->structure;
    struct sp_permuted permuted;
    options.exact = w->options->exact;
    enum sp_status status = sp_permuted_make(&pattern, order, &permuted, err);
    if (status == SP_OK)
        status = sp_preview_order(&permuted, &options, &line->preview, err);
    if (status == SP_OK)
        status = find_alpha(w, &permuted, line, err);
    sp_permuted_free(&permuted);
    return status;
}

static bool is_better(const struct sp_reorder_line *a, const struct sp_reorder_line *b)
{
    if (!sp_value_known(a->alpha))
        return a->preview.mean_distance < b->preview.mean_distance;
    return a->alpha.value < b->alpha.value;
}

static enum sp_status try_method(struct work *w, const char *method, struct sp_error *err)
{
    struct sp_reorder_preview *out = w->out;
    struct sp_reorder_line *line = &out->line[out->n];
    struct sp_permutations order;
    struct sp_error why;
    line->method = method;
    snprintf(w->what, sizeof w->what, "finding %s", method);
    if (tell(w, -1))
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before %s", method);
    double start = sp_now();
    line->status = sp_reorder_find(method, w->a, &order, &why);
    line->find_s = sp_now() - start;
    if (line->status != SP_OK) {
        snprintf(line->why, sizeof line->why, "%s", why.what);
        out->n++;
        return SP_OK;
    }
    snprintf(w->what, sizeof w->what, "looking at %s", method);
    enum sp_status status = look_at(w, &order, line, err);
    if (status == SP_OK && (out->best < 0 || is_better(line, &out->line[out->best]))) {
        sp_permutations_free(&out->best_order);
        out->best = out->n;
        out->best_order = order;
    } else {
        sp_permutations_free(&order);
    }
    out->n++;
    return status;
}

enum sp_status sp_reorder_preview(const struct sp_csr *a, const struct sp_reorder_methods *methods,
                                  const struct sp_reorder_preview_options *o, struct sp_reorder_preview *out,
                                  struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    out->best = -1;
    struct work w = {.a = a, .options = o, .out = out};
    w.workload = workload_of(a, &o->structure);
    snprintf(w.what, sizeof w.what, "timing an SpMV");
    tell(&w, -1);
    enum sp_status status = sp_reorder_spmv_seconds(a, &o->structure, &out->spmv_s, err);
    if (status == SP_OK)
        status = choose_cache(&w, err);
    for (int i = 0; i < methods->n && status == SP_OK; i++)
        status = try_method(&w, methods->method[i], err);
    free(w.instance);
    if (status != SP_OK)
        sp_permutations_free(&out->best_order);
    return status;
}
