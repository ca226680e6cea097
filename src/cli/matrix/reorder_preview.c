#include "cli/matrix/reorder_preview.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/output.h"
#include "io/json_text.h"
#include "io/ranks/rank_files.h"
#include "kernels/kernel.h"
#include "model/cache/reuse.h"
#include "model/roofline.h"
#include "model/volume/volume.h"
#include "session/trial/apart.h"
#include "sparse/ranks/halo.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"

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
                                .precision = sp_csr_is_complex(a) ? SP_C128 : SP_F64,
                                .schedule = structure->schedule,
                                .block = structure->block,
                                .n_threads = structure->n_threads,
                                .matrix = a};
}

/* One run; *disturbed: other work took a processor meanwhile. */
static enum sp_status time_run(const struct sp_kernel *kernel, void *state, int n_threads,
                               struct sp_thread_clock *clock, double *took_s, bool *disturbed,
                               struct sp_error *err)
{
    sp_thread_clocks(n_threads, clock);
    const double start = sp_now();
    const enum sp_status status = kernel->run(state, 1, NULL, err);
    *took_s = sp_now() - start;
    sp_thread_clocks(n_threads, clock + n_threads);
    *disturbed = sp_disturbance_between(clock, clock + n_threads, n_threads).disturbed;
    return status;
}

/* The best of five runs of each kernel that nothing disturbed, in half a second for all of them. */
static enum sp_status time_kernels(const struct sp_layout *l, const struct sp_operands *operands,
                                   int n_threads, struct sp_thread_clock *clock, double *best,
                                   struct sp_error *err)
{
    enum { MOST_KERNELS = 16, RUNS = 5 };
    static const double patience_s = 0.5;
    const struct sp_kernel *rows[MOST_KERNELS];
    const double until = sp_now() + patience_s;
    const int n = sp_kernel_candidates(l, NULL, rows, MOST_KERNELS);
    enum sp_status status = SP_OK;
    for (int k = 0; k < n && status == SP_OK; k++) {
        void *state = NULL;
        status = rows[k]->prepare(l, operands, &state, err);
        for (int i = 0, good = 0; good < RUNS && status == SP_OK && (i < RUNS || sp_now() < until); i++) {
            double took;
            bool disturbed;
            status = time_run(rows[k], state, n_threads, clock, &took, &disturbed, err);
            if (disturbed)
                continue;
            good++;
            *best = *best > 0 && *best < took ? *best : took;
        }
        rows[k]->release(state);
    }
    return status;
}

enum sp_status sp_reorder_spmv_seconds(const struct sp_csr *a, const struct sp_preview_options *structure,
                                       double *best, struct sp_error *err)
{
    const struct sp_workload w = workload_of(a, structure);
    const int n_threads = structure->n_threads;
    struct sp_layout l;
    void *x = NULL, *clock = NULL;
    *best = 0;
    enum sp_status status = sp_layout_make(&w, true, &sp_allocator_huge, &l, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(2 * a->n_c, sizeof(double), "x", &x, err);
    if (status == SP_OK)
        status =
            sp_new_array(2 * n_threads, sizeof(struct sp_thread_clock), "clocks of threads", &clock, err);
    const struct sp_operands operands = {.x = x, .allocator = &sp_allocator_huge};
    if (status == SP_OK)
        status = time_kernels(&l, &operands, n_threads, clock, best, err);
    free(clock);
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

/* The cache in front of the data's home, and which thread uses which instance of it. */
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

/* A random order is there to compare with: where x goes round in a cache it has the least alpha. */
static bool is_control(const struct sp_reorder_line *line)
{
    return strncmp(line->method, "random", strlen("random")) == 0;
}

static bool is_better(const struct sp_reorder_line *a, const struct sp_reorder_line *b)
{
    if (is_control(a) != is_control(b))
        return is_control(b);
    if (!sp_value_known(a->alpha))
        return a->preview.mean_distance < b->preview.mean_distance;
    return a->alpha.value < b->alpha.value;
}

/* METIS may take minutes, and knows no way to be stopped: in a process of its own it gives way to
 * an interrupt, and when the time for it is over to the other orders. */
static enum sp_status find_order(const struct work *w, const char *method, struct sp_permutations *order,
                                 struct sp_error *err)
{
    struct sp_reorder_choice choice;
    const enum sp_status status = sp_reorder_parse(method, w->a->n_r, w->a->n_c, &choice, err);
    if (status != SP_OK)
        return status;
    if (!choice.row->absent || choice.row->absent()) /* not METIS's, or not in this build */
        return sp_reorder_find(method, w->a, order, err);
    sp_apart_begin();
    return sp_order_in_time(method, w->a, w->options->patience_s, w->options->progress, order, err);
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
    line->status = find_order(w, method, &order, &why);
    line->find_s = sp_now() - start;
    if (line->status == SP_INTERRUPTED)
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted in %s", method);
    if (line->status != SP_OK) {
        snprintf(line->why, sizeof line->why, "%.700s%s", why.what,
                 line->find_s >= w->options->patience_s ? " (--patience)" : "");
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

/* The line of the order of the input; NULL: it was not asked for. */
static const struct sp_reorder_line *line_of_input(const struct sp_reorder_preview *p)
{
    for (int i = 0; i < p->n; i++)
        if (strncmp(p->line[i].method, "none", 4) == 0 && p->line[i].status == SP_OK)
            return &p->line[i];
    return NULL;
}

/* Bytes of an SpMV in that order against those in the order of the input; false: not known. */
static bool reorder_share(const struct sp_reorder_preview *p, const struct sp_reorder_line *l, double *share)
{
    const struct sp_reorder_line *input = line_of_input(p);
    if (!input || input->bytes <= 0)
        return false;
    *share = l->bytes / input->bytes;
    return true;
}

/* SpMVs after which the time to find the order has come back, where time follows bytes; false: it
 * saves hardly any, or that is not known. */
static bool reorder_paid_after(const struct sp_reorder_preview *p, const struct sp_reorder_line *l,
                               double *n_spmvs)
{
    static const double least = 0.02; /* of the bytes; below, what an order saves is not worth a figure */
    double share;
    if (!reorder_share(p, l, &share) || share >= 1 - least || p->spmv_s <= 0)
        return false;
    *n_spmvs = l->find_s / (p->spmv_s * (1 - share));
    return true;
}

enum { METHOD, FOUND, SPMVS, BANDWIDTH, ALPHA, BETA, LAMBDA, BYTES, PAID, N_CELLS };
enum { PROFILE = N_CELLS, DISTANCE, BLOCKS, N_CELLS_WHOLE }; /* with -v */

/* Without an order to compare with there are neither bytes nor what is paid. */
static const char *fill_row(const void *context, int64_t row, char (*cell)[SP_CELL])
{
    static const char *const heads[N_CELLS_WHOLE] = {"method", "found [s]", "SpMVs",   "bandwidth",
                                                     "alpha",  "beta",      "lambda",  "bytes",
                                                     "paid",   "profile",   "|i - j|", "n_e"};
    const struct sp_reorder_preview *p = context;
    double share, paid;
    for (int k = 0; k < N_CELLS_WHOLE; k++)
        snprintf(cell[k], SP_CELL, "%s", row < 0 ? heads[k] : "-");
    if (row < 0)
        return NULL;
    const struct sp_reorder_line *l = &p->line[row];
    snprintf(cell[METHOD], SP_CELL, "%s", l->method);
    if (l->status != SP_OK)
        return l->why;
    const struct sp_preview *v = &l->preview;
    snprintf(cell[FOUND], SP_CELL, "%.3f", l->find_s);
    if (p->spmv_s > 0)
        snprintf(cell[SPMVS], SP_CELL, "%.1f", l->find_s / p->spmv_s);
    snprintf(cell[BANDWIDTH], SP_CELL, "%lld",
             (long long)(v->lower_bandwidth > v->upper_bandwidth ? v->lower_bandwidth : v->upper_bandwidth));
    if (sp_value_known(l->alpha))
        snprintf(cell[ALPHA], SP_CELL, "%.4f", l->alpha.value);
    snprintf(cell[BETA], SP_CELL, "%.3f", v->beta);
    snprintf(cell[LAMBDA], SP_CELL, "%.2f", v->lambda);
    if (reorder_share(p, l, &share))
        snprintf(cell[BYTES], SP_CELL, "%.2f", share);
    if (reorder_paid_after(p, l, &paid))
        snprintf(cell[PAID], SP_CELL, "%.0f", paid);
    snprintf(cell[PROFILE], SP_CELL, "%.4g", (double)v->profile);
    snprintf(cell[DISTANCE], SP_CELL, "%.4g", v->mean_distance);
    snprintf(cell[BLOCKS], SP_CELL, "%.4g", v->n_e.value);
    return NULL;
}

static void print_legend(const struct sp_reorder_preview *p, const struct sp_reorder_preview_options *o,
                         bool whole, FILE *out)
{
    char size[32], time[32];
    const struct sp_preview_options *s = &o->structure;
    if (p->spmv_s > 0)
        sp_print(out,
                 "  found in seconds and in SpMVs of %s each, measured: the fastest CRS\n"
                 "  kernel on the matrix as it is, %d thread%s.\n",
                 sp_text_seconds(time, sizeof time, p->spmv_s), s->n_threads, s->n_threads == 1 ? "" : "s");
    else
        fputs("  found in seconds; SpMVs are not known: none could be timed undisturbed.\n", out);
    sp_print(out, "  beta of SELL-%d-%lld, lambda of entries over the threads: counted.\n", (int)s->C,
             (long long)s->sigma);
    if (whole)
        sp_print(out, "  n_e of blocks of %d x %d: counted%s.\n", (int)s->b_h, (int)s->b_w,
                 o->exact ? "" : ", of more than a million entries a sample");
    if (p->cache_B > 0)
        sp_print(out, "  alpha simulated, %s, warm,\n  of what passes into L%d, %s (%s).\n",
                 o->exact ? "every line" : "of more than 16 384 lines of x a sample", p->level,
                 sp_text_bytes(size, sizeof size, (double)p->cache_B), o->machine->name);
    else
        fputs("  alpha is not known: the data fit the innermost cache.\n", out);
    if (p->cache_B > 0 && line_of_input(p))
        fputs("  bytes of an SpMV against those of none; paid: after so many SpMVs, where time\n"
              "  follows bytes, modelled.\n",
              out);
}

void sp_reorder_print(const struct sp_reorder_preview *p, const struct sp_reorder_preview_options *o,
                      bool whole, FILE *out)
{
    sp_print_columns(fill_row, p, p->n, whole ? N_CELLS_WHOLE : N_CELLS, 0, out);
    print_legend(p, o, whole, out);
}

void sp_reorder_print_costs(double found, double applied, double spmv_s, int n_threads, FILE *out)
{
    char text[3][32];
    sp_print(out, "found in %s, applied in %s\n", sp_text_seconds(text[0], sizeof text[0], found),
             sp_text_seconds(text[1], sizeof text[1], applied));
    if (spmv_s > 0)
        sp_print(out,
                 "  that is %s and %s SpMVs of %s each, measured:\n"
                 "  the fastest CRS kernel on the matrix as it was, %d thread%s\n",
                 sp_figure(text[1], sizeof text[1], found / spmv_s, 3),
                 sp_figure(text[2], sizeof text[2], applied / spmv_s, 3),
                 sp_text_seconds(text[0], sizeof text[0], spmv_s), n_threads, n_threads == 1 ? "" : "s");
    else
        fputs("  how many SpMVs that is, is not known: none could be timed undisturbed\n", out);
}

void sp_reorder_print_elsewhere(enum sp_reorder_side side, FILE *out)
{
    static const char *const vectors[SP_N_REORDER_SIDES] = {
        [SP_REORDER_SYMMETRIC] = "x and y both change to the new order",
        [SP_REORDER_ROWS] = "y comes out in the new order, x stays",
        [SP_REORDER_COLUMNS] = "x must be given in the new order, y stays",
        [SP_REORDER_BOTH] = "x and y each have a new order of their own",
    };
    sp_print(out,
             "  in your program: %s\n"
             "  (%sreorder --apply permutes, --inverse undoes it);\n"
             "  permute once, outside the iterations. Preconditioners that depend on the order\n"
             "  (ILU, IC, SSOR, Gauss-Seidel, multigrid by numbers) change with it, and with\n"
             "  them the number of iterations; sums are taken in another order, so that last\n"
             "  digits differ.\n",
             vectors[side], side == SP_REORDER_SYMMETRIC ? "" : "no longer one vector; ");
}

/* The table of orders for programs. */

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
    const bool has_share = ordered && reorder_share(p, l, &share),
               has_paid = ordered && reorder_paid_after(p, l, &paid);
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
    json_object_set_new(root, "matrix", sp_json_string(matrix));
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

enum sp_status sp_reorder_ranks_write(const struct sp_reorder_ranks *r, const struct sp_ranks *d,
                                      bool ordered, struct sp_error *err)
{
    void *p;
    if (!r->parts)
        return SP_OK;
    enum sp_status status = sp_new_array(d->n_r, sizeof(int32_t), "the part of each row", &p, err);
    if (status != SP_OK)
        return status;
    const struct sp_ranks in_order = {.n = d->n, .row_begin = d->row_begin};
    sp_ranks_parts(ordered ? &in_order : d, p);
    status = sp_row_parts_write(r->parts, p, d->n_r, err);
    free(p);
    return status;
}

static enum sp_status print_rank_line(const struct sp_csr *a, const struct sp_ranks *d, const char *word,
                                      const struct sp_progress *progress, FILE *out, struct sp_error *err)
{
    struct sp_halo halo;
    char most[32], all[32];
    int64_t recv = 0, sum = 0, nz = 0, messages = 0;
    enum sp_status status = sp_halo_make(a, d, false, progress, &halo, err);
    if (status != SP_OK)
        return status;
    for (int p = 0; p < halo.n_ranks; p++) {
        const struct sp_halo_rank *r = &halo.rank[p];
        recv = r->n_recv > recv ? r->n_recv : recv;
        nz = r->local_nz + r->remote_nz > nz ? r->local_nz + r->remote_nz : nz;
        messages = r->n_senders > messages ? r->n_senders : messages;
        sum += r->n_recv;
    }
    sp_print(out,
             "  %-8.8s entries %.3f of the mean at most\n"
             "           halo %s of x, %s a rank at most, from %lld other%s\n",
             word, a->n_nz > 0 ? (double)nz * halo.n_ranks / (double)a->n_nz : 1.0,
             sp_text_count(all, sizeof all, sum), sp_text_count(most, sizeof most, recv), (long long)messages,
             messages == 1 ? "" : "s");
    sp_halo_free(&halo);
    return SP_OK;
}

enum sp_status sp_reorder_ranks_print(const struct sp_csr *a, const struct sp_ranks *d, const char *partition,
                                      const struct sp_progress *progress, FILE *out, struct sp_error *err)
{
    const struct sp_division *rows = &sp_division_table[0], *named = sp_division_of(partition);
    struct sp_ranks equal;
    if (named == rows)
        return print_rank_line(a, d, rows->name, progress, out, err);
    enum sp_status status = sp_ranks_make(rows, a, d->n, &equal, err);
    if (status == SP_OK)
        status = print_rank_line(a, &equal, rows->name, progress, out, err);
    sp_ranks_free(&equal);
    if (status == SP_OK)
        status = print_rank_line(a, d, named ? named->name : "file", progress, out, err);
    return status;
}
