/* Does the program choose well? bench_choice [SPEC...]: for each matrix what sp_choose() takes, of all
 * formats and of CRS, how long that took, and how far it is from the best of all variants: every format,
 * kernel and distance of prefetching on the whole matrix, each the least of samples in several passes of one
 * process. The choice is made several times; "same" says how often it was the first one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "io/matrix/load_options.h"
#include "session/analyze/setup.h"
#include "session/measure/machine.h"
#include "session/record/format_model.h"
#include "sys/machine/pages.h"

enum { AGAIN = 4, PASSES = 3, SAMPLES = 6, MOST = 200, MOST_KERNELS = 8, MOST_FORMATS = 12 };

static void check(enum sp_status status, const struct sp_error *err)
{
    if (status == SP_OK)
        return;
    char text[2400];
    sp_error_text(err, text, sizeof text);
    fprintf(stderr, "bench_choice: %s\n", text);
    exit(EXIT_FAILURE);
}

struct variant {
    char format[32];
    const struct sp_kernel *kernel;
    int32_t prefetch;
    double best_s;
    int n;
    double ratio[PASSES], time; /* over the reference's, least of each; their median */
};

struct all {
    const struct sp_setup_options *o;
    struct sp_workload workload;
    struct sp_dense_arrays dense;
    int n_domains, n;
    struct variant one[MOST];
    double best;             /* time */
    struct sp_layout layout; /* of the reference */
    const struct sp_kernel *kernel;
    void *state;
    int64_t n_reference;
    bool in_cache;
};

static struct variant *find(struct all *a, const char *format, const struct sp_kernel *kernel,
                            int32_t prefetch)
{
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->one[i].format, format) == 0 && a->one[i].kernel == kernel &&
            a->one[i].prefetch == prefetch)
            return &a->one[i];
    if (a->n == MOST)
        return NULL;
    struct variant *v = &a->one[a->n++];
    *v = (struct variant){.kernel = kernel, .prefetch = prefetch, .best_s = INFINITY, .time = INFINITY};
    snprintf(v->format, sizeof v->format, "%s", format);
    return v;
}

static double sample(const struct sp_kernel *kernel, void *state, int64_t *n)
{
    struct sp_error err;
    if (*n > 1)
        check(kernel->run(state, 1, NULL, &err), &err);
    for (;;) {
        const double start = sp_now();
        check(kernel->run(state, *n, NULL, &err), &err);
        const double t = sp_now() - start;
        if (t >= 3e-4)
            return t / (double)*n;
        *n *= 2;
    }
}

/* In turn with the reference: the first kernel of CRS. */
static void time_variant(struct all *a, const struct sp_layout *l, const char *format,
                         const struct sp_kernel *kernel, int32_t prefetch)
{
    struct sp_error err;
    struct sp_layout view = *l;
    struct variant *v = find(a, format, kernel, prefetch);
    void *state;
    int64_t n = 1;
    view.prefetch = prefetch;
    if (!v || (v->n > 0 && v->time > 1.3 * a->best) ||
        (kernel->accepts && kernel->accepts(&view, NULL) != SP_OK))
        return;
    const struct sp_operands operands = {.x = a->dense.x,
                                         .store_nt = sp_setup_wants_nt(a->o, &view, a->n_domains),
                                         .allocator = &sp_allocator_huge};
    check(kernel->prepare(&view, &operands, &state, &err), &err);
    double least_s = INFINITY, reference_s = INFINITY;
    for (int i = 0; i < (least_s > 5e-3 && i > 0 ? SAMPLES / 3 : SAMPLES); i++) {
        reference_s = fmin(reference_s, sample(a->kernel, a->state, &a->n_reference));
        least_s = fmin(least_s, sample(kernel, state, &n));
    }
    v->best_s = fmin(v->best_s, least_s);
    v->ratio[v->n++] = least_s / reference_s;
    /* In a cache the least time tells; memory is faster in one minute than in the next. */
    v->time = a->in_cache ? v->best_s : sp_median(v->ratio, v->n);
    a->best = fmin(a->best, v->time);
    kernel->release(state);
}

static void time_format(struct all *a, const char *format)
{
    static const int32_t distances[] = {0, 64, 128, 256, 512};
    const struct sp_kernel *kernel[MOST_KERNELS];
    struct sp_workload w = a->workload, ahead;
    struct sp_layout l;
    if (sp_workload_set_format(&w, format, NULL) != SP_OK || sp_workload_check(&w, NULL) != SP_OK ||
        sp_layout_make(&w, true, &sp_allocator_huge, &l, NULL) != SP_OK)
        return;
    ahead = w;
    ahead.prefetch = 64;
    const bool has_far_x = (double)l.n_c * (double)l.s_x > (double)a->o->machine->cache[1].size_B;
    const int n_distances = has_far_x && sp_workload_check(&ahead, NULL) == SP_OK ? 5 : 1;
    const int n = sp_kernel_candidates(&l, NULL, kernel, MOST_KERNELS);
    for (int k = 0; k < n && k < MOST_KERNELS; k++)
        for (int d = 0; d < n_distances && (k == 0 || kernel[k]->rank > 10); d++)
            time_variant(a, &l, format, kernel[k], distances[d]);
    sp_layout_free(&l);
}

static const char *named(const char *format, const struct sp_kernel *kernel, int32_t prefetch, char text[64])
{
    const char *slash = strrchr(kernel->name, '/');
    char ahead[16] = "";
    if (prefetch > 0)
        snprintf(ahead, sizeof ahead, " +%d", (int)prefetch);
    snprintf(text, 64, "%s %s%s", format, slash ? slash + 1 : kernel->name, ahead);
    return text;
}

/* What is chosen, and how it stands among all; formats: of all, else of CRS. */
static void report(struct all *a, bool formats, const struct sp_choice choice[AGAIN])
{
    char chosen[64], best[64], other[64];
    const struct sp_tried *t = &choice[0].tried[choice[0].chosen];
    const struct variant *found = NULL, *least = NULL;
    double took_s = 0;
    int same = 0;
    named(t->format, t->kernel, t->prefetch, chosen);
    double worst = 1;
    for (int i = 0; i < a->n; i++)
        if ((formats || strcmp(a->one[i].format, "crs") == 0) && (!least || a->one[i].time < least->time))
            least = &a->one[i];
    for (int k = 0; k < AGAIN; k++) {
        const struct sp_tried *its = &choice[k].tried[choice[k].chosen];
        const struct variant *v = find(a, its->format, its->kernel, its->prefetch);
        took_s = fmax(took_s, choice[k].took_s);
        same += strcmp(named(its->format, its->kernel, its->prefetch, other), chosen) == 0;
        found = k == 0 ? v : found;
        worst = fmax(worst, v ? v->time / least->time : INFINITY);
    }
    printf("  %-5s  %-26s %10.1f us   best %-26s %10.1f us   ratio %.3f worst %.3f   %4.0f ms   same %d/%d   "
           "rows %.0f %%\n",
           formats ? "auto" : "crs", chosen, 1e6 * found->best_s,
           named(least->format, least->kernel, least->prefetch, best), 1e6 * least->best_s,
           found->time / least->time, worst, 1e3 * took_s, same, AGAIN, 100 * choice[0].share);
}

static void run(const char *spec, const struct sp_machine *machine, const struct sp_topology *topology)
{
    static struct sp_choice choice[2][AGAIN];
    static struct all a;
    struct sp_subject subject;
    struct sp_error err;
    struct sp_binding binding;
    const struct sp_kernel *kernel;
    check(sp_subject_open(spec, NULL, NULL, NULL, &subject, &err), &err);
    struct sp_setup_options o = {.any_prefetch = true,
                                 .structure = &subject.structure,
                                 .seed = 1,
                                 .machine = machine,
                                 .topology = topology};
    const int n = sp_topology_default_threads(topology);
    check(sp_binding_plan(topology, n, SP_COMPACT, &binding, &err), &err);
    sp_binding_apply(&binding, NULL);
    memset(&a, 0, sizeof a);
    a.workload = (struct sp_workload){.op = SP_OP_SPMV,
                                      .C = 1,
                                      .sigma = 1,
                                      .precision = sp_csr_is_complex(&subject.matrix) ? SP_C128 : SP_F64,
                                      .schedule = SP_SCHEDULE_NNZ,
                                      .n_threads = n,
                                      .matrix = &subject.matrix};
    a.o = &o;
    a.n_domains = 1;
    a.best = INFINITY;
    a.n_reference = 1;
    a.in_cache = subject.structure.crs_B < 8e6;
    printf("%s: %lld rows, %lld nonzeros\n", subject.name, (long long)subject.matrix.n_r,
           (long long)subject.matrix.n_nz);
    for (int formats = 0; formats < 2; formats++)
        for (int k = 0; k < AGAIN; k++) {
            struct sp_workload w = a.workload;
            o.any_format = formats;
            check(sp_choose(&w, &o, 1, NULL, &kernel, &choice[formats][k], &err), &err);
        }
    check(sp_dense_make(&a.workload, 1, &a.dense, &err), &err);
    const struct sp_operands operands = {.x = a.dense.x, .allocator = &sp_allocator_huge};
    check(sp_layout_make(&a.workload, true, &sp_allocator_huge, &a.layout, &err), &err);
    if (sp_kernel_candidates(&a.layout, NULL, &a.kernel, 1) > 0)
        check(a.kernel->prepare(&a.layout, &operands, &a.state, &err), &err);
    const char *const *names = sp_format_choices(SP_OP_SPMV);
    for (int pass = 0; pass < PASSES; pass++) {
        char blocks[32];
        for (int i = 0; names[i]; i++)
            time_format(&a, names[i]);
        for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
            snprintf(blocks, sizeof blocks, "bcsr:%dx%d", (int)subject.structure.block[b].b_h,
                     (int)subject.structure.block[b].b_w);
            if (subject.structure.block[b].beta.known && subject.structure.block[b].beta.value > 0.3)
                time_format(&a, blocks);
        }
        if (subject.structure.value_symmetry.known && subject.structure.value_symmetry.value >= 1)
            time_format(&a, "half");
    }
    for (int i = 0; getenv("LIST") && i < choice[1][0].n; i++) {
        char text[64];
        const struct sp_tried *t = &choice[1][0].tried[i];
        printf("    %-26s %.3f %10.1f us\n", named(t->format, t->kernel, t->prefetch, text), t->time,
               1e6 * t->best_s);
    }
    report(&a, true, choice[1]);
    report(&a, false, choice[0]);
    fflush(stdout);
    a.kernel->release(a.state);
    sp_layout_free(&a.layout);
    sp_dense_free(&a.dense);
    sp_binding_free(&binding);
    sp_subject_free(&subject);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"gen:laplace2d:100", "gen:laplace3d:100", "gen:hpcg:64",
                                        "gen:random:2000000:8", "gen:powerlaw:18:16"};
    struct sp_topology topology;
    struct sp_machine machine;
    struct sp_error err;
    check(sp_topology_read(&topology, &err), &err);
    check(sp_this_machine(NULL, 0, 2, NULL, &machine, &err), &err);
    for (int i = 1; i < argc; i++)
        run(argv[i], &machine, &topology);
    for (int i = 0; argc < 2 && i < (int)(sizeof usual / sizeof *usual); i++)
        run(usual[i], &machine, &topology);
    sp_machine_free(&machine);
    sp_topology_free(&topology);
    return EXIT_SUCCESS;
}
