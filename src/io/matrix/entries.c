#include "io/matrix/entries.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "sparse/csr/builder.h"
#include "sparse/reorder/metis.h"
#include "sys/machine/pages.h"

enum { POLL_EVERY = 64, SMALL_SHARE = 1 << 15 };

struct passing {
    const struct sp_entries *e;
    const struct sp_load_options *options;
    struct sp_csr_builder builder;
    struct sp_entries_chunk *chunk; /* [n_threads] */
    int64_t *n_given;               /* [n_threads] entries that a thread's places gave */
    int n_threads;
    atomic_bool wrong, interrupted;
};

enum sp_status sp_entries_poll(const char *path, const struct sp_load_options *o, double fraction,
                               struct sp_error *err)
{
    if (o->progress)
        o->progress(o->context, fraction);
    return o->interrupted && o->interrupted(o->context)
               ? sp_fail(err, SP_INTERRUPTED, NULL, "reading %s was interrupted", path)
               : SP_OK;
}

int64_t sp_entries_line_of(const int64_t *pointers, int64_t n, int64_t k)
{
    int64_t low = 0, high = n;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (pointers[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool give(struct passing *p, int t, int64_t first, int64_t n, bool place)
{
    struct sp_entries_chunk *c = &p->chunk[t];
    if (!p->e->get(p->e->source, first, n, place, c))
        return false;
    p->n_given[t] += c->n;
    if (place)
        return sp_csr_builder_place(&p->builder, t, c->n, c->row, c->col, c->val);
    sp_csr_builder_count(&p->builder, t, c->n, c->row, c->col);
    return true;
}

static void pass(struct passing *p, int t, bool place)
{
    const int64_t n = p->e->n_places, begin = n / p->n_threads * t,
                  end = t == p->n_threads - 1 ? n : n / p->n_threads * (t + 1);
    int64_t n_chunks = 0;
    p->n_given[t] = 0;
    for (int64_t k = begin; k < end && !atomic_load_explicit(&p->wrong, memory_order_relaxed) &&
                            !atomic_load_explicit(&p->interrupted, memory_order_relaxed);
         k += SP_ENTRIES_CHUNK) {
        if (t == 0 && n_chunks++ % POLL_EVERY == 0 &&
            sp_entries_poll(p->e->path, p->options, 0.4 + (place ? 0.3 : 0) + 0.3 * (double)k / (double)end,
                            NULL) != SP_OK)
            atomic_store(&p->interrupted, true);
        if (!give(p, t, k, end - k < SP_ENTRIES_CHUNK ? end - k : SP_ENTRIES_CHUNK, place))
            atomic_store(&p->wrong, true);
    }
}

static enum sp_status run_pass(struct passing *p, bool place, struct sp_error *err)
{
#pragma omp parallel for schedule(static, 1) num_threads(p->n_threads)
    for (int t = 0; t < p->n_threads; t++)
        pass(p, t, place);
    if (atomic_load(&p->interrupted))
        return sp_fail(err, SP_INTERRUPTED, NULL, "reading %s was interrupted", p->e->path);
    if (!atomic_load(&p->wrong))
        return SP_OK;
    const enum sp_status status = p->e->fault(p->e->source, err);
    return status != SP_OK ? status
                           : sp_fail_at(err, SP_INPUT, p->e->path, 0, 0, "try again when it is complete",
                                        "the file changed while it was read");
}

/* Threads that pay: enough entries for each, and counters that stay small beside the matrix. */
static int choose_threads(const struct sp_entries *e, int wanted)
{
    const int64_t by_work = 1 + e->n_places / SMALL_SHARE;
    int n = wanted < 1 ? 1 : wanted > by_work ? (int)by_work : wanted;
    const double allowed = 0.5 * sp_csr_bytes(e->n_r, e->n_places, e->field);
    while (n > 1 && sp_csr_builder_bytes(e->n_r, n) > allowed)
        n--;
    return n;
}

enum sp_status sp_entries_finish(struct sp_csr *matrix, int n_threads, struct sp_load_facts *facts,
                                 struct sp_error *err)
{
    const double start = sp_now();
    const enum sp_status status = sp_csr_make_canonical(matrix, n_threads, err);
    facts->finish_s = sp_now() - start;
    facts->n_threads = n_threads;
    facts->n_zeros = status == SP_OK ? matrix->n_zeros : 0;
    facts->n_duplicates = status == SP_OK ? matrix->n_duplicates : 0;
    return status;
}

static enum sp_status take_memory(struct passing *p, struct sp_error *err)
{
    void *m;
    enum sp_status status = sp_new_array(p->n_threads, sizeof *p->chunk, "the reader's buffers", &m, err);
    p->chunk = m;
    if (status == SP_OK)
        status = sp_new_array(p->n_threads, sizeof *p->n_given, "the reader's counts", &m, err);
    p->n_given = status == SP_OK ? m : NULL;
    const struct sp_entries *e = p->e;
    return status == SP_OK ? sp_csr_builder_open(&p->builder, e->n_r, e->n_c, e->field, e->symmetry,
                                                 p->n_threads, p->options->allocator, err)
                           : status;
}

static enum sp_status run(struct passing *p, struct sp_csr *matrix, struct sp_load_facts *facts,
                          struct sp_error *err)
{
    const struct sp_entries *e = p->e;
    const double work_B = sp_csr_builder_bytes(e->n_r, p->n_threads) + e->held_B;
    struct sp_load_size size = {e->n_r, e->n_c, 0, e->field, false};
    enum sp_status status =
        sp_load_check_memory(e->path, p->options, &size, work_B + sp_csr_bytes(e->n_r, 0, e->field),
                             "the matrix beside what the file holds", err);
    double start = sp_now();
    if (status == SP_OK)
        status = take_memory(p, err);
    if (status == SP_OK)
        status = run_pass(p, false, err);
    if (status != SP_OK)
        return status;
    size.n_nz = sp_csr_builder_total(&p->builder);
    facts->survey_s = sp_now() - start;
    facts->peak_B = work_B + sp_csr_bytes(e->n_r, size.n_nz, e->field);
    status = sp_load_check_memory(e->path, p->options, &size, facts->peak_B,
                                  "the matrix beside what the file holds", err);
    if (status == SP_OK)
        status = sp_csr_builder_seal(&p->builder, err);
    start = sp_now();
    if (status == SP_OK)
        status = run_pass(p, true, err);
    facts->parse_s += sp_now() - start;
    if (status != SP_OK)
        return status;
    start = sp_now();
    status = sp_csr_builder_finish(&p->builder, matrix, err);
    facts->finish_s = sp_now() - start;
    facts->n_threads = p->n_threads;
    facts->n_zeros = status == SP_OK ? matrix->n_zeros : 0;
    facts->n_duplicates = status == SP_OK ? matrix->n_duplicates : 0;
    for (int t = 0; t < p->n_threads; t++)
        facts->n_entries += p->n_given[t];
    return status;
}

enum sp_status sp_entries_read(const struct sp_entries *e, const struct sp_load_options *options,
                               struct sp_csr *matrix, struct sp_load_facts *facts, struct sp_error *err)
{
    struct passing p = {.e = e, .options = options, .n_threads = choose_threads(e, options->n_threads)};
    atomic_init(&p.wrong, false);
    atomic_init(&p.interrupted, false);
    const enum sp_status status = run(&p, matrix, facts, err);
    sp_csr_builder_free(&p.builder);
    free(p.chunk);
    free(p.n_given);
    return status;
}

/* ---- load_options.h ---- */

enum { MB = 1000000, NOTHING_B = 4096 };

/* Operands of an analysis are at most: x and y of two kernels, x and y and the reference as
 * doubles, marks of structure and order. */
static const struct need {
    const char *what;
    double copies, per_entry_B, per_row_B, per_column_B, fixed_B;
} needs[] = {
    [SP_LOAD_ALONE] = {"the matrix", 0, 0, 0, 0, 0},
    [SP_LOAD_FIGURES] = {"the matrix and the marks of its rows", 0, 0, 12, 4, 0},
    /* One layout without values, with the fill of SELL; windows of the cache simulator. */
    [SP_LOAD_MODEL] = {"the matrix and a layout", 0, 6, 16, 0, 4 * MB},
    /* The matrix in its order; the order itself, its inverse, queues and degrees of the search. */
    [SP_LOAD_ORDER] = {"the matrix, its order and the reordered matrix", 1, 0, 20, 4, 2 * MB},
    /* The largest search is METIS' (below). */
    [SP_LOAD_ORDERS] = {"the matrix and the search of its orders", 0, 8, 40, 8, 4 * MB},
    /* Two layouts (of two kernels, formats or orders), vectors, and the loops for noise and
     * ceilings. */
    [SP_LOAD_ANALYSIS] = {"the matrix, two layouts and the vectors", 2, 0, 64, 24, 24 * MB},
};

/* At most, of METIS: the graph, which has each entry twice unless the matrix has, once as it is
 * given and, with weights, as each of the coarser ones, which stay until the end. Each has half as
 * many vertices; of irregular graphs it has as many edges until it is nearly full, after
 * log2(n/sqrt(edges)) levels. All in its own integers, 20 for a vertex. */
static double metis_B(const struct sp_load_size *s)
{
    const double n = (double)(s->n_r == s->n_c ? s->n_r : s->n_r + s->n_c),
                 edges = (s->symmetric ? 1 : 2) * (double)s->n_nz;
    const double levels = edges > 0 ? 1 + fmax(1, log2(n / sqrt(edges))) : 1;
    return (double)sp_metis_integer_B() * (edges * (1 + 2 * levels) + 20 * n);
}

double sp_load_need(enum sp_load_use use, const struct sp_load_size *s)
{
    const struct need *n = &needs[use];
    return (1 + n->copies) * sp_csr_bytes(s->n_r, s->n_nz, s->field) + n->per_entry_B * (double)s->n_nz +
           n->per_row_B * (double)s->n_r + n->per_column_B * (double)s->n_c + n->fixed_B +
           (use == SP_LOAD_ORDERS ? metis_B(s) : 0);
}

enum sp_status sp_load_check_memory(const char *path, const struct sp_load_options *options,
                                    const struct sp_load_size *size, double reading_B, const char *what,
                                    struct sp_error *err)
{
    double bytes = sp_load_need(options->use, size);
    if (options->memory_limit_B <= 0 ||
        (reading_B <= options->memory_limit_B && bytes <= options->memory_limit_B))
        return SP_OK;
    if (options->use != SP_LOAD_ALONE && bytes >= reading_B)
        what = needs[options->use].what;
    else
        bytes = reading_B;
    char need[32], have[32], left[80], limit[96] = "";
    struct sp_meminfo memory;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        sp_meminfo_limit_text(&memory, limit, sizeof limit);
    snprintf(left, sizeof left, "only %s may be taken",
             sp_text_bytes(have, sizeof have, options->memory_limit_B));
    if (options->memory_limit_B < NOTHING_B) /* the program itself has taken it */
        snprintf(left, sizeof left, "nothing may be taken beside the program itself");
    return sp_fail_at(err, SP_MEMORY, path, 0, 0,
                      "take more memory or a smaller matrix; " SP_O_MEMORY
                      " SIZE says what may be taken, where you know "
                      "better",
                      "about %s are needed for %s, but %s%s%s", sp_text_bytes(need, sizeof need, bytes), what,
                      left, limit[0] ? ": " : "", limit);
}
