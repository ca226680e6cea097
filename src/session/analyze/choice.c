#include "session/analyze/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "model/roofline.h"
#include "session/analyze/pcore.h"
#include "session/record/format_model.h"
#include "sparse/formats/format.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"

enum {
    ROUNDS = 9,
    PAIRS = 5, /* of short executions; of longer ones two less, and three */
    FINALISTS = 5,
    PARTS = 4,
    MOST_KERNELS = 4,
    MOST_FORMATS = 12,
    MOST_BLOCKS = 3,
    LINE_COLUMNS = 8
};
static const double most_tries_s = 0.5, least_tries_s = 0.05,
                    of_budget = 1.0 / 3, /* for all tries together */
    long_s = 0.008,                      /* an execution that takes longer is of too many rows */
    short_s = 0.0005,                    /* one that takes less is sampled more often */
    resolved_s = 2e-4,                   /* that a sample takes at least */
    hopeless = 1.25,                     /* times the best: not looked at again */
    close_to = 1.12, alike = 1.03;       /* finalists; those that cannot be told apart */
static const int32_t first_distances[] = {256, 64}, more_distances[] = {128, 512};

bool sp_setup_wants_nt(const struct sp_setup_options *o, const struct sp_layout *l, int n_domains)
{
    if (o->store_nt != SP_CHOICE_AUTO)
        return o->store_nt == SP_CHOICE_ON;
    if (!o->machine)
        return false;
    struct sp_residence r =
        sp_residence_of(o->machine, sp_footprint_of_layout(l), l->partition.n_threads, n_domains, true);
    return r.level >= o->machine->n_caches;
}

/* ---- the rows ---- */

struct rows {
    struct sp_csr picked, square; /* for formats of rows, and of symmetric matrices */
    const struct sp_csr *matrix;  /* picked, or the workload's own */
};

/* Whole rows from several places, `entries` together. */
static enum sp_status pick(const struct sp_csr *a, int64_t entries, struct rows *r, struct sp_error *err)
{
    int64_t first[PARTS], end[PARTS], n_r = 0, n_nz = 0;
    int64_t row = 0;
    for (int k = 0; k < PARTS; k++) {
        const int64_t begin = a->n_nz / PARTS * k;
        int64_t lo = row, hi = a->n_r;
        while (lo < hi) {
            const int64_t middle = lo + (hi - lo) / 2;
            if (a->row_ptr[middle + 1] <= begin)
                lo = middle + 1;
            else
                hi = middle;
        }
        first[k] = end[k] = lo;
        while (end[k] < a->n_r && a->row_ptr[end[k]] - a->row_ptr[lo] < entries / PARTS)
            end[k]++;
        n_r += end[k] - lo;
        n_nz += a->row_ptr[end[k]] - a->row_ptr[lo];
        row = end[k];
    }
    struct sp_csr *p = &r->picked;
    enum sp_status status = sp_csr_alloc(n_r, a->n_c, n_nz, a->field, NULL, p, err);
    if (status != SP_OK)
        return status;
    const int64_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
    p->n_r = p->n_nz = 0;
    for (int k = 0; k < PARTS; k++) {
        const int64_t from = a->row_ptr[first[k]], n = a->row_ptr[end[k]] - from;
        sp_csr_copy_columns(a, from, n, p->col + p->n_nz);
        sp_csr_copy_numbers(a, per_entry * from, per_entry * n, p->val + per_entry * p->n_nz);
        for (int64_t i = first[k]; i < end[k]; i++)
            p->row_ptr[++p->n_r] = p->n_nz + a->row_ptr[i + 1] - from;
        p->n_nz += n;
    }
    r->matrix = p;
    return SP_OK;
}

/* Lines of x that no row has go away; the others keep their order. */
static enum sp_status leave_out_lines(struct sp_csr *a, struct sp_error *err)
{
    const int64_t n_lines = (a->n_c + LINE_COLUMNS - 1) / LINE_COLUMNS;
    void *memory;
    enum sp_status status = sp_new_array(n_lines, sizeof(int32_t), "lines of x", &memory, err);
    if (status != SP_OK)
        return status;
    int32_t *line = memory, n = 0;
    for (int64_t i = 0; i < a->n_nz; i++)
        line[a->col[i] / LINE_COLUMNS] = 1;
    for (int64_t i = 0; i < n_lines; i++)
        line[i] = line[i] ? n++ : -1;
    for (int64_t i = 0; i < a->n_nz; i++)
        a->col[i] = line[a->col[i] / LINE_COLUMNS] * LINE_COLUMNS + a->col[i] % LINE_COLUMNS;
    const int64_t n_c = (int64_t)n * LINE_COLUMNS;
    a->n_c = n_c < a->n_c ? n_c : a->n_c;
    free(line);
    return SP_OK;
}

/* The entries of a row, [*from, *to), whose columns are among n_r from `first` on. */
static void find_inside(const struct sp_csr *a, int64_t row, int64_t first, int64_t n_r, int64_t *from,
                        int64_t *to)
{
    *from = a->row_ptr[row];
    *to = a->row_ptr[row + 1];
    while (*from < *to && sp_csr_col(a, *from) < first)
        ++*from;
    while (*from < *to && sp_csr_col(a, *to - 1) >= first + n_r)
        --*to;
}

/* Rows from the middle, no more than x has columns, with those of their entries that lie among
 * them: still symmetric. */
static enum sp_status pick_square(const struct sp_csr *a, int64_t entries, int64_t most_rows,
                                  struct sp_csr *out, struct sp_error *err)
{
    int64_t first = 0, n_r = 0, n_nz = 0, from, to;
    while (a->row_ptr[first + 1] < (a->n_nz - entries) / 2)
        first++;
    while (n_r < most_rows && first + n_r < a->n_r && a->row_ptr[first + n_r] - a->row_ptr[first] < entries)
        n_r++;
    for (int64_t i = 0; i < n_r; i++) {
        find_inside(a, first + i, first, n_r, &from, &to);
        n_nz += to - from;
    }
    const enum sp_status status = sp_csr_alloc(n_r, n_r, n_nz, a->field, NULL, out, err);
    if (status != SP_OK)
        return status;
    out->symmetry = a->symmetry;
    const int64_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
    for (int64_t i = 0; i < n_r; i++) {
        const int64_t at = out->row_ptr[i];
        find_inside(a, first + i, first, n_r, &from, &to);
        sp_csr_copy_columns(a, from, to - from, out->col + at);
        sp_csr_copy_numbers(a, per_entry * from, per_entry * (to - from), out->val + per_entry * at);
        for (int64_t k = at; k < at + to - from; k++)
            out->col[k] -= (int32_t)first;
        out->row_ptr[i + 1] = at + to - from;
    }
    return SP_OK;
}

static void free_rows(struct rows *r)
{
    sp_csr_free(&r->picked);
    sp_csr_free(&r->square);
    memset(r, 0, sizeof *r);
}

/* Rows from several places are no symmetric matrix, and of few rows there are no several places. */
static bool takes_all_rows(const struct sp_workload *w)
{
    return sp_format_of(w->format)->mirrored || w->matrix->n_r < 2 * PARTS;
}

/* So many entries of the workload's matrix; all of them where there are not many more. */
static enum sp_status take_rows(const struct sp_workload *w, double entries, struct rows *r,
                                struct sp_error *err)
{
    static const int64_t many_columns = 1 << 17;
    const struct sp_csr *a = w->matrix;
    memset(r, 0, sizeof *r);
    r->matrix = a;
    if ((double)a->n_nz <= 1.5 * entries || takes_all_rows(w))
        return SP_OK;
    enum sp_status status = pick(a, (int64_t)entries, r, err);
    if (status == SP_OK && a->n_c > many_columns)
        status = leave_out_lines(&r->picked, err);
    return status;
}

/* ---- what takes part ---- */

struct contender {
    int place;               /* in the table of the choice */
    int made;                /* which layout */
    struct sp_layout layout; /* that, with its own distance of prefetching */
    void *state;             /* NULL: out of it */
    double time;             /* over that of the first one, in turn with others */
    double round[ROUNDS];    /* [s] of the last contest */
};

/* A layout with all that runs on it. */
struct made {
    struct sp_workload workload;
    struct sp_layout layout;
    double times; /* entries of the rows over its own */
};

struct contest {
    const struct sp_setup_options *o;
    const struct sp_allocator *allocator;
    struct sp_workload workload; /* of the rows */
    const struct sp_csr *whole;
    double entries; /* that were asked for */
    struct rows rows;
    struct sp_dense_arrays dense;
    int n_domains, n_made, n;
    struct made made[MOST_FORMATS];
    struct contender one[SP_MOST_TRIED];
    struct sp_choice *choice;
    struct sp_thread_clock *clock; /* [2][n_threads] */
    int best;                      /* the champion; -1: none yet */
    double start;                  /* [s] */
    double enough_s;               /* after which no further format is looked at */
    bool may_cut;                  /* fewer rows would do */
    bool too_long;                 /* an execution */
    bool lacks_nt;                 /* some kernel was left out that has no non-temporal stores */
    bool ahead_fails;              /* prefetching x did not pay in the first format */
    bool warms;                    /* caches may hold the rows: an execution goes before each sample */
};

static struct sp_tried *tried(struct contest *c, int k)
{
    return &c->choice->tried[c->one[k].place];
}

static void leave(struct contest *c, int k)
{
    if (c->one[k].state)
        tried(c, k)->kernel->release(c->one[k].state);
    c->one[k].state = NULL;
}

/* Of layouts that nobody runs on any more nothing is kept. */
static void free_unused(struct contest *c)
{
    for (int m = 0; m < c->n_made; m++) {
        bool used = false;
        for (int k = 0; k < c->n; k++)
            used = used || (c->one[k].state && c->one[k].made == m);
        if (!used)
            sp_layout_free(&c->made[m].layout);
    }
}

static void end(struct contest *c)
{
    for (int k = 0; k < c->n; k++)
        leave(c, k);
    free_unused(c);
    c->n = c->n_made = 0;
    sp_dense_free(&c->dense);
    free_rows(&c->rows);
}

/* A sample: as many executions as the clock resolves, after one that brings the data back. One that
 * other work disturbed is taken again, a few times. */
static enum sp_status take_sample(struct contest *c, int k, double *seconds, struct sp_error *err)
{
    enum { AGAIN = 3 };
    struct sp_tried *t = tried(c, k);
    void *state = c->one[k].state;
    const int n_threads = c->workload.n_threads;
    struct sp_thread_clock *before = c->clock, *after = c->clock + n_threads;
    enum sp_status status = c->warms ? t->kernel->run(state, 1, NULL, err) : SP_OK;
    int64_t n = t->best_s < resolved_s ? (int64_t)(resolved_s / t->best_s) + 1 : 1;
    for (int i = 0; status == SP_OK; n *= 2) {
        sp_thread_clocks(n_threads, before);
        const double start = sp_now();
        status = t->kernel->run(state, n, NULL, err);
        const double took_s = sp_now() - start;
        sp_thread_clocks(n_threads, after);
        if (took_s < resolved_s && n < (INT64_C(1) << 20))
            continue;
        *seconds = c->made[c->one[k].made].times * took_s / (double)n;
        if (sp_disturbance_between(before, after, n_threads).disturbed && ++i < AGAIN &&
            sp_now() - c->start < c->enough_s) {
            n = n > 1 ? n / 2 : 1;
            continue;
        }
        t->best_s = fmin(t->best_s, *seconds);
        return status;
    }
    return status;
}

/* In turn with the champion, whose place it takes if it is faster. A machine that drifts slows
 * both. */
static enum sp_status challenge(struct contest *c, int k, struct sp_error *err)
{
    double own_s = 0, best_s = 1, least_s = INFINITY, least_best_s = INFINITY;
    struct contender *one = &c->one[k];
    if (c->best < 0) {
        one->time = 1;
        c->best = k;
        return take_sample(c, k, &own_s, err);
    }
    const double champion = c->one[c->best].time;
    enum sp_status status = SP_OK;
    int n = 0;
    const double now_s = tried(c, c->best)->best_s;
    const int pairs = now_s > long_s / 4 ? PAIRS - 3 : now_s > short_s ? PAIRS - 2 : PAIRS;
    while (n < pairs && status == SP_OK) {
        status = take_sample(c, c->best, &best_s, err);
        if (status == SP_OK)
            status = take_sample(c, k, &own_s, err);
        least_s = fmin(least_s, own_s);
        least_best_s = fmin(least_best_s, best_s);
        if (n++ == 0 && own_s > hopeless * hopeless * best_s)
            break;
    }
    if (status != SP_OK)
        return status;
    one->time = champion * least_s / least_best_s;
    if (one->time < champion)
        c->best = k;
    return SP_OK;
}

static bool is_hopeless(const struct contest *c, int k)
{
    return c->one[k].time > hopeless * c->one[c->best].time;
}

/* Prepared, run once, and timed; *place in c->one, -1: it takes no part. */
static enum sp_status add(struct contest *c, int made, const struct sp_kernel *kernel, int32_t prefetch,
                          int *place, struct sp_error *err)
{
    struct sp_choice *choice = c->choice;
    struct sp_kernel_facts facts;
    *place = -1;
    if (c->n == SP_MOST_TRIED || choice->n == SP_MOST_TRIED)
        return SP_OK;
    struct contender *one = &c->one[c->n];
    *one = (struct contender){.place = choice->n, .made = made, .layout = c->made[made].layout};
    one->layout.prefetch = prefetch;
    if (kernel->accepts && kernel->accepts(&one->layout, NULL) != SP_OK)
        return SP_OK;
    const struct sp_operands operands = {.x = c->dense.x,
                                         .store_nt = sp_setup_wants_nt(c->o, &one->layout, c->n_domains),
                                         .allocator = c->allocator};
    enum sp_status status = kernel->prepare(&one->layout, &operands, &one->state, err);
    if ((status == SP_MEMORY || status == SP_ABSENT) && c->n > 0)
        return SP_OK; /* without this one */
    if (status != SP_OK)
        return status;
    struct sp_tried *t = &choice->tried[choice->n++];
    *t = (struct sp_tried){.kernel = kernel, .prefetch = prefetch, .best_s = INFINITY};
    sp_workload_format_option(&c->made[made].workload, t->format, sizeof t->format);
    *place = c->n++;
    kernel->facts(one->state, &facts);
    if (c->o->store_nt == SP_CHOICE_ON && !facts.store_nt) {
        leave(c, *place); /* as if it had not been there */
        c->n--;
        choice->n--;
        c->lacks_nt = true;
        *place = -1;
        return SP_OK;
    }
    status = kernel->run(one->state, 1, NULL, err);
    if (status == SP_OK)
        status = challenge(c, *place, err);
    if (status == SP_OK && is_hopeless(c, *place))
        leave(c, *place);
    return status;
}

static bool may_prefetch(const struct contest *c, const struct made *m)
{
    const struct sp_machine *machine = c->o->machine;
    const double l2_B =
        machine && machine->n_caches > 1 ? (double)machine->cache[1].size_B : (double)(512 << 10);
    struct sp_workload ahead = m->workload;
    ahead.prefetch = 1;
    return c->o->any_prefetch && !c->ahead_fails &&
           (double)c->rows.matrix->n_c * (double)m->layout.s_x > l2_B &&
           sp_workload_check(&ahead, NULL) == SP_OK;
}

/* Do the bytes of the matrix alone take longer than the best so far, wherever they come from? */
static bool cannot_win(struct contest *c, const struct sp_layout *l)
{
    const struct sp_machine *m = c->o->machine;
    if (!m || m->n_caches == 0 || c->best < 0)
        return false;
    const struct sp_residence home =
        sp_residence_of(m, sp_footprint_of_layout(l), c->workload.n_threads, c->n_domains, true);
    const double b_S = sp_bandwidth_bound(m, home.name, c->workload.n_threads);
    /* what that cache of others' data leaves, and noise of the roof */
    return home.level >= m->n_caches && b_S > 0 &&
           sp_layout_matrix_bytes(l) / b_S > 1.3 * tried(c, c->best)->best_s;
}

static bool can_prefetch(const struct sp_kernel *kernel, const struct sp_layout *l)
{
    struct sp_layout asked = *l;
    asked.prefetch = first_distances[0];
    return !kernel->accepts || kernel->accepts(&asked, NULL) == SP_OK;
}

/* What a format takes of the matrix. SP_USAGE: too few of the rows' entries lie among them. */
static enum sp_status take_for(struct contest *c, struct made *m, struct sp_error *err)
{
    static const double enough = 0.8;
    struct rows *r = &c->rows;
    const int64_t n_nz = r->matrix->n_nz;
    m->times = 1;
    if (r->matrix != &r->picked || !sp_format_of(m->workload.format)->mirrored)
        return SP_OK;
    const enum sp_status status = pick_square(c->whole, n_nz, r->matrix->n_c, &r->square, err);
    if (status != SP_OK)
        return status;
    if ((double)r->square.n_nz < enough * (double)n_nz)
        return sp_fail(err, SP_USAGE, NULL, "its entries are scattered");
    m->workload.matrix = &r->square;
    m->times = (double)n_nz / (double)r->square.n_nz;
    return SP_OK;
}

/* All kernels of a format, and the fastest of those that prefetch with x prefetched. */
static enum sp_status enter_format(struct contest *c, const char *format, struct sp_error *err)
{
    const struct sp_kernel *kernel[MOST_KERNELS];
    struct made *m = &c->made[c->n_made];
    const bool is_own = format == NULL;
    m->workload = c->workload;
    enum sp_status status = is_own ? SP_OK : sp_workload_set_format(&m->workload, format, err);
    if (status == SP_OK)
        status = sp_workload_check(&m->workload, err);
    if (status == SP_OK)
        status = take_for(c, m, err);
    if (status == SP_OK)
        status = sp_layout_make(&m->workload, true, c->allocator, &m->layout, err);
    if (status != SP_OK) /* CRS comes first, and takes every matrix */
        return is_own || c->n == 0 ? status : SP_OK;
    const int made = c->n_made++, n = sp_kernel_candidates(&m->layout, c->o->isa, kernel, MOST_KERNELS);
    if (!is_own && cannot_win(c, &m->layout)) {
        free_unused(c);
        return SP_OK;
    }
    int fastest = -1, place;
    for (int k = 0; k < n && k < MOST_KERNELS && status == SP_OK; k++) {
        static const int plain_rank = 10;
        if (k > 0 && (kernel[k]->rank <= plain_rank ||
                      (k > 1 && sp_now() - c->start > 2 * c->enough_s))) /* two at least */
            break;
        status = add(c, made, kernel[k], m->workload.prefetch, &place, err);
        c->too_long =
            status == SP_OK && made == 0 && c->may_cut && c->best >= 0 && tried(c, c->best)->best_s > long_s;
        if (c->too_long)
            break;
        if (place >= 0 && c->one[place].state && can_prefetch(kernel[k], &m->layout) &&
            (fastest < 0 || c->one[place].time < c->one[fastest].time))
            fastest = place;
    }
    if (c->too_long)
        return status;
    double ahead = INFINITY;
    const bool prefetches = fastest >= 0 && may_prefetch(c, m);
    for (size_t d = 0; prefetches && d < sizeof first_distances / sizeof *first_distances; d++) {
        if (status == SP_OK)
            status = add(c, made, tried(c, fastest)->kernel, first_distances[d], &place, err);
        ahead = status == SP_OK && place >= 0 ? fmin(ahead, c->one[place].time) : ahead;
    }
    if (prefetches && made == 0)
        c->ahead_fails = ahead * alike > c->one[fastest].time;
    free_unused(c);
    return status;
}

/* ---- the contest ---- */

/* Rows of twice what the last-level cache holds; where an execution takes too long fewer, but of a
 * matrix that lives in memory still more than stay in the cache, where another may be fastest. */
static enum sp_status begin(struct contest *c, const struct sp_workload *w, const char *format,
                            struct sp_error *err)
{
    const struct sp_cache *llc = c->o->machine ? sp_machine_llc(c->o->machine) : NULL;
    const double cache_B = llc ? (double)sp_cache_most_B(llc) * c->n_domains : (double)(32 << 20),
                 all = 2 * cache_B / 12,
                 least = all * (12 * (double)w->matrix->n_nz > cache_B ? 0.625 : 0.125);
    enum sp_status status = SP_OK;
    c->whole = w->matrix;
    double before = INFINITY; /* entries; whole rows may be no fewer, however few are asked for */
    for (c->entries = all;;) {
        status = take_rows(w, c->entries, &c->rows, err);
        c->workload = *w;
        c->workload.matrix = c->rows.matrix;
        c->warms = 12 * (double)c->rows.matrix->n_nz < 1.5 * cache_B;
        c->choice->share = w->matrix->n_nz > 0 ? (double)c->rows.matrix->n_nz / (double)w->matrix->n_nz : 1;
        if (status == SP_OK)
            status = sp_dense_make(&c->workload, c->o->seed, &c->dense, err);
        const double n_nz = (double)c->rows.matrix->n_nz;
        c->may_cut = n_nz > 1.5 * least && n_nz < before && !takes_all_rows(&c->workload);
        before = n_nz;
        if (status == SP_OK)
            status = enter_format(c, format, err);
        if (status != SP_OK || !c->too_long)
            return status;
        c->entries = fmax(least, n_nz * 0.7 * long_s / tried(c, c->best)->best_s);
        end(c);
        c->choice->n = 0;
        c->best = -1;
        c->ahead_fails = false;
    }
}

/* Formats beside the first one, the likeliest first. */
static int other_formats(const struct contest *c, const char *format[MOST_FORMATS],
                         char blocks[MOST_BLOCKS][32])
{
    const struct sp_structure *s = c->o->structure;
    const char *const *names = sp_format_choices(c->workload.op);
    int n = 0, last = 0;
    if (s && s->value_symmetry.known && s->value_symmetry.value >= 1 && s->value_symmetry.error == 0 &&
        s->n_r == s->n_c)
        format[n++] = "half";
    while (names[last + 1]) /* unit-stride slots move the least */
        last++;
    for (int i = last; i > 0; i--)
        format[n++] = names[i == last ? last : last - i];
    if (!s)
        return n;
    /* Blocks that are filled well enough to move no more than twice the bytes, the least first. */
    double bytes[SP_STRUCTURE_BLOCKS];
    int order[SP_STRUCTURE_BLOCKS], n_blocks = 0;
    for (int i = 0; i < SP_STRUCTURE_BLOCKS; i++) {
        const struct sp_block_fill *b = &s->block[i];
        bytes[i] = b->n_e.value * (8.0 * b->b_h * b->b_w + 4);
        if (!b->n_e.known || bytes[i] > 2 * s->crs_B)
            continue;
        int at = n_blocks++;
        for (; at > 0 && bytes[order[at - 1]] > bytes[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < n_blocks && i < MOST_BLOCKS; i++) {
        const struct sp_block_fill *b = &s->block[order[i]];
        snprintf(blocks[i], sizeof blocks[i], "bcsr:%dx%d", (int)b->b_h, (int)b->b_w);
        format[n++] = blocks[i];
    }
    return n;
}

static double least_of(const struct contender *one, int rounds)
{
    double least_s = INFINITY;
    for (int r = 0; r < rounds; r++)
        least_s = fmin(least_s, one->round[r]);
    return least_s;
}

/* The finalists beside each other, in turn, and the first of those that are as fast as the
 * fastest. */
static enum sp_status decide(struct contest *c, double for_s, struct sp_error *err)
{
    struct sp_choice *choice = c->choice;
    const int winner = c->best;
    int final[FINALISTS] = {winner}, n = 0;
    enum sp_status status = SP_OK;
    if (winner < 0 || !c->one[winner].state)
        return sp_fail(err, SP_ABSENT,
                       "leave " SP_O_STORE " out, or choose another " SP_O_ISA " or " SP_O_FORMAT,
                       "no kernel for this workload writes y with non-temporal stores here");
    if (tried(c, winner)->prefetch > 0 && c->o->any_prefetch)
        for (size_t d = 0; d < sizeof more_distances / sizeof *more_distances && status == SP_OK; d++) {
            int place;
            status = add(c, c->one[winner].made, tried(c, winner)->kernel, more_distances[d], &place, err);
        }
    for (int k = 0; k < c->n; k++) {
        if (!c->one[k].state)
            continue;
        if (c->one[k].time > close_to * c->one[c->best].time) {
            leave(c, k);
            continue;
        }
        int at = n < FINALISTS ? n++ : n; /* sorted in, the fastest first */
        for (; at > 0 && c->one[final[at - 1]].time > c->one[k].time; at--)
            if (at < FINALISTS)
                final[at] = final[at - 1];
        if (at < FINALISTS)
            final[at] = k;
    }
    const double begun = sp_now();
    int rounds = 0;
    for (; rounds < ROUNDS && n > 1 && status == SP_OK && (rounds < 3 || sp_now() - begun < for_s); rounds++)
        for (int i = 0; i < n && status == SP_OK; i++)
            status = take_sample(c, final[i], &c->one[final[i]].round[rounds], err);
    /* Beside each other; the first of them keeps its time, so that those which are out compare as
     * before. */
    const double first_s = least_of(&c->one[final[0]], rounds), scale = c->one[final[0]].time / first_s;
    double least = INFINITY;
    for (int i = 0; i < n && status == SP_OK; i++) {
        struct contender *one = &c->one[final[i]];
        if (rounds > 0)
            one->time = scale * least_of(one, rounds);
        least = fmin(least, one->time);
    }
    choice->chosen = choice->n;
    for (int i = 0; i < n; i++)
        if (c->one[final[i]].time <= alike * least && c->one[final[i]].place < choice->chosen)
            choice->chosen = c->one[final[i]].place;
    return status;
}

static enum sp_status hold(struct contest *c, const struct sp_workload *w, const struct sp_progress *progress,
                           struct sp_error *err)
{
    const char *format[MOST_FORMATS];
    char blocks[MOST_BLOCKS][32];
    const bool any = c->o->any_format && w->precision != SP_C128 && w->matrix->n_nz > 0;
    enum sp_status status = begin(c, w, c->o->any_format ? "crs" : NULL, err);
    const int n = any && status == SP_OK ? other_formats(c, format, blocks) : 0;
    for (int i = 0; i < n && status == SP_OK && c->n_made < MOST_FORMATS; i++) {
        if (sp_now() - c->start > c->enough_s)
            break;
        if (sp_progress_interrupted(progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while choosing a format");
        status = enter_format(c, format[i], err);
    }
    if (status == SP_OK && c->n == 0 && !c->lacks_nt)
        status = sp_fail_no_kernel(w, c->o->isa, err);
    const double most_final_s = 0.2, budget_s = c->o->plan ? c->o->plan->budget_s : INFINITY;
    return status == SP_OK ? decide(c, fmin(most_final_s, 0.1 * budget_s), err) : status;
}

enum sp_status sp_choose(struct sp_workload *w, const struct sp_setup_options *o, int n_domains,
                         const struct sp_progress *progress, const struct sp_kernel **kernel,
                         struct sp_choice *choice, struct sp_error *err)
{
    void *p;
    memset(choice, 0, sizeof *choice);
    *kernel = NULL;
    enum sp_status status = sp_new_array(1, sizeof(struct contest), "the choice of a kernel", &p, err);
    if (status != SP_OK)
        return status;
    struct contest *c = p;
    c->o = o;
    c->allocator = o->small_pages ? &sp_allocator_plain : &sp_allocator_huge;
    c->n_domains = n_domains;
    c->choice = choice;
    c->best = -1;
    c->start = sp_now();
    c->enough_s =
        o->plan ? fmax(least_tries_s, fmin(most_tries_s, of_budget * o->plan->budget_s)) : most_tries_s;
    void *clock;
    status = sp_new_array(2 * w->n_threads, sizeof *c->clock, "the clocks of threads", &clock, err);
    c->clock = clock;
    if (status == SP_OK)
        status = hold(c, w, progress, err);
    for (int k = 0; k < c->n; k++) /* as they compare */
        tried(c, k)->time = c->one[k].time;
    if (status == SP_OK) {
        const struct sp_tried *t = &choice->tried[choice->chosen];
        *kernel = t->kernel;
        status = sp_workload_set_format(w, t->format, err);
        w->prefetch = t->prefetch;
    }
    end(c);
    choice->took_s = sp_now() - c->start;
    if (o->plan)
        o->plan->spent_s[SP_SPEND_CHOICE] += choice->took_s;
    free(c->clock);
    free(c);
    return status;
}

bool sp_choice_prefetch(const struct sp_choice *choice, double *ratio, int32_t *entries)
{
    double plain = INFINITY, ahead = INFINITY;
    for (int i = 0; i < choice->n; i++) {
        const struct sp_tried *t = &choice->tried[i], *chosen = &choice->tried[choice->chosen];
        if (strcmp(t->format, chosen->format) != 0)
            continue;
        if (t->prefetch == 0) {
            plain = fmin(plain, t->time);
        } else if (t->time < ahead) {
            ahead = t->time;
            *entries = t->prefetch;
        }
    }
    *ratio = ahead / plain;
    return !isinf(ahead) && !isinf(plain);
}
