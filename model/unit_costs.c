#include "model/unit_costs.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/formulas/formulas.h"
#include "sparse/formats/format.h"

/* y at x between the points (at[i], value[i]), i < n, n >= 1; straight on beyond the last two. */
static double between(const double *at, const double *value, int n, double x)
{
    int i = 1;
    if (n == 1 || x <= at[0])
        return value[0];
    while (i < n - 1 && at[i] < x)
        i++;
    assert(i < n);
    const double y = value[i - 1] + (x - at[i - 1]) * (value[i] - value[i - 1]) / (at[i] - at[i - 1]);
    return x > at[n - 1] ? fmax(y, value[n - 1]) : y; /* noise of the last two makes nothing shorter */
}

double sp_unit_cost(const struct sp_unit_costs *c, double length)
{
    assert(c);
    return c->n_lengths > 0 ? between(c->length, c->seconds, c->n_lengths, length) : 0;
}

/* The most that the time of a length can be, by all others. */
static double most_beside(const struct sp_unit_costs *c, int k)
{
    static const double apart = 3; /* ends of rows beside a vector's length */
    double most = INFINITY;
    for (int i = 0; i < c->n_lengths; i++)
        if (i != k)
            most = fmin(most, apart * c->seconds[i] * fmax(1, ceil(c->length[k] / c->length[i])));
    return most;
}

/* That which is farthest above what it can be; -1: none is. */
static int farthest_off(const struct sp_unit_costs *c)
{
    double most = 1;
    int which = -1;
    for (int k = 0; k < c->n_lengths; k++) {
        const double off = c->seconds[k] / most_beside(c, k);
        if (off > most) {
            most = off;
            which = k;
        }
    }
    return which;
}

int sp_unit_costs_settle(struct sp_unit_costs *c)
{
    const int before = c->n_lengths;
    for (int k = farthest_off(c); k >= 0 && c->n_lengths > 2; k = farthest_off(c)) {
        const size_t after = (size_t)(--c->n_lengths - k);
        memmove(c->length + k, c->length + k + 1, after * sizeof *c->length);
        memmove(c->seconds + k, c->seconds + k + 1, after * sizeof *c->seconds);
    }
    return before - c->n_lengths;
}

double sp_unit_surprise_cost(const struct sp_unit_costs *c, double n)
{
    double at[SP_MAX_UNIT_SEQUENCES] = {0};
    if (c->n_sequences == 0 || n < 1)
        return 0;
    for (int i = 0; i < c->n_sequences; i++)
        at[i] = log(c->sequence[i]);
    if (n >= c->sequence[c->n_sequences - 1]) /* nothing more is forgotten */
        return c->surprise_s[c->n_sequences - 1];
    return between(at, c->surprise_s, c->n_sequences, log(n));
}

enum { CONTEXT = 4, TABLE_BITS = 15, MOST_TRUST = 7 };

/* What mostly followed: another length takes its place once it missed as often as it hit. */
struct followed {
    int32_t length; /* plus 1; 0: none yet */
    int32_t trust;
};

enum sp_status sp_unit_surprises(const int32_t *length, int64_t n, int64_t *surprises, struct sp_error *err)
{
    void *p;
    *surprises = 0;
    enum sp_status status = sp_new_array((int64_t)1 << TABLE_BITS, sizeof(struct followed),
                                         "lengths that followed others", &p, err);
    if (status != SP_OK)
        return status;
    struct followed *table = p;
    for (int64_t i = 0; i < n; i++) {
        uint64_t hash = 0;
        for (int64_t k = i < CONTEXT ? 0 : i - CONTEXT; k < i; k++)
            hash = (hash + (uint64_t)length[k] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        struct followed *at = &table[hash >> (64 - TABLE_BITS)];
        const int32_t now = length[i] + 1;
        *surprises += at->length != now;
        if (at->length == now)
            at->trust += at->trust < MOST_TRUST;
        else if (at->trust > 0)
            at->trust--;
        else
            at->length = now;
    }
    free(table);
    return SP_OK;
}

/* ---- a layout ---- */

static int32_t length_of(const struct sp_layout *l, int64_t unit)
{
    return l->len ? l->len[unit] : (int32_t)(sp_layout_ptr(l, unit + 1) - sp_layout_ptr(l, unit));
}

/* A thread's units, in order; in the layout's own memory for all threads. */
struct units {
    int64_t n, surprises;
    int32_t *length, *n_unit; /* [n] n_unit: unit-stride slots, entries of rows that go together; NULL:
                                 of a format without them */
};

/* ---- rows of CRS that kernels with vectors take together (kernels/cpu/spmv/crs.inc) ---- */

enum { LINE = 8, LEAST_MOVING = 4, LEAST_SAME = 8, MOST_SAME = 4 };

/* Has row i + 1 the columns of row i, each further by `by`? */
static bool follows(const struct sp_layout *l, int64_t i, int by)
{
    const int64_t from = sp_layout_ptr(l, i), next = sp_layout_ptr(l, i + 1), n = next - from;
    const int32_t *col = l->col;
    if (sp_layout_ptr(l, i + 2) - next != n)
        return false;
    for (int64_t k = 0; k < n; k++)
        if (col[next + k] - col[from + k] != by)
            return false;
    return true;
}

/* How many rows from i on, of those before `end`, go together: a line whose columns move on by one
 * from row to row, or some with the same columns. 1: none. */
static int64_t together(const struct sp_layout *l, int64_t i, int64_t end)
{
    const int64_t n = sp_layout_ptr(l, i + 1) - sp_layout_ptr(l, i);
    int64_t rows = 1;
    while (n >= LEAST_MOVING && i + LINE <= end && rows < LINE && follows(l, i + rows - 1, 1))
        rows++;
    if (rows == LINE)
        return rows;
    rows = 1;
    while (n >= LEAST_SAME && rows < MOST_SAME && i + rows < end && follows(l, i + rows - 1, 0))
        rows++;
    return rows;
}

/* n_unit of the rows [first, end), which lie at n_unit[0], ...: all entries of rows that move on,
 * those of all but one where rows have the same columns, whose x is loaded for one. */
static void mark_together(const struct sp_layout *l, int64_t first, int64_t end, int32_t *n_unit)
{
    for (int64_t i = first, rows; i < end; i += rows) {
        rows = together(l, i, end);
        for (int64_t r = 0; r < rows; r++)
            n_unit[i - first + r] =
                (int32_t)(length_of(l, i + r) * (rows == LINE ? 1 : 1 - 1.0 / (double)rows));
    }
}

static void units_of(const struct sp_layout *l, int thread, struct units *u)
{
    int64_t cursor = 0, first, end;
    assert(u->length);
    u->n = 0;
    while (sp_partition_next(&l->partition, thread, &cursor, &first, &end)) {
        if (u->n_unit && !l->n_unit)
            mark_together(l, first, end, u->n_unit + u->n);
        for (int64_t unit = first; unit < end; unit++) {
            if (u->n_unit && l->n_unit)
                u->n_unit[u->n] = l->n_unit[unit];
            u->length[u->n++] = length_of(l, unit);
        }
    }
}

/* By one kernel's costs. */
struct by_kernel {
    double time_s, foretold_s, surprised_s; /* of the thread that is slowest at each */
    double surprise_s;
    double sum_s; /* of all threads */
};

/* A kernel's costs, and those where slots are unit-stride, or rows go together. */
struct kernel_costs {
    const struct sp_unit_costs *own, *unit_stride; /* unit_stride NULL: it makes no difference */
    bool is_bound; /* unit_stride is another kernel's, of LINE rows together, and less than it takes */
};

/* One unit all of whose slots are unit-stride: between ends where it was not measured. Of rows with
 * the same columns nothing was: they are not faster than those that move on. */
static struct sp_value unit_stride_s(const struct kernel_costs *c, double length, bool moves)
{
    const double most = sp_unit_cost(c->own, length),
                 s = c->unit_stride ? sp_unit_cost(c->unit_stride, length) / (c->is_bound ? LINE : 1) : most;
    if (!c->is_bound && moves)
        return sp_value_of(s, SP_MODELLED);
    const double least = fmin(s, most);
    return sp_value_between(sqrt(least * most), least, most, SP_MODELLED);
}

static struct sp_value foretold_s(const struct kernel_costs *c, const struct units *u)
{
    double value = 0, lo = 0, hi = 0;
    for (int64_t i = 0; i < u->n; i++) {
        const double share = c->unit_stride && u->length[i] > 0 ? (double)u->n_unit[i] / u->length[i] : 0,
                     others = (1 - share) * sp_unit_cost(c->own, u->length[i]);
        const bool moves = c->own->C > 0 || share == 1; /* of rows with the same columns it is less */
        const struct sp_value along =
            share > 0 ? unit_stride_s(c, u->length[i], moves) : sp_value_of(0, SP_MODELLED);
        value += others + share * along.value;
        lo += others + share * along.lo;
        hi += others + share * along.hi;
    }
    return sp_value_between(value, lo, hi, SP_MODELLED);
}

static void add_thread(const struct kernel_costs *c, const struct units *u, struct by_kernel *k)
{
    const struct sp_value plain_s = foretold_s(c, u);
    const double each_s = sp_unit_surprise_cost(c->own, (double)u->n),
                 surprise_s = (double)u->surprises * each_s;
    if (plain_s.value + surprise_s > k->time_s) {
        k->time_s = plain_s.value + surprise_s;
        k->surprise_s = surprise_s;
    }
    k->sum_s += plain_s.value + surprise_s;
    k->foretold_s = fmax(k->foretold_s, plain_s.lo);
    k->surprised_s = fmax(k->surprised_s, plain_s.hi + (double)u->n * each_s);
}

/* The kernel's name tells SELL from SELLU. */
static bool has_format(const struct sp_unit_costs *c, const struct sp_layout *l)
{
    char begins[24];
    snprintf(begins, sizeof begins, "spmv/%s/", sp_format_name(l->format));
    return c->C == (sp_format_of(l->format)->in_chunks ? l->C : 0) &&
           strncmp(c->kernel, begins, strlen(begins)) == 0;
}

static bool is_for(const struct sp_unit_costs *c, const struct sp_layout *l)
{
    const struct sp_format_kind *kind = sp_format_of(l->format);
    return (kind->plain_rows || kind->in_chunks) && l->index == SP_I32 && l->op == SP_OP_SPMV &&
           !c->unit_stride && has_format(c, l) && strcmp(c->precision, sp_precision_name(l->precision)) == 0;
}

/* Times of a kernel on unit-stride slots; NULL: none were measured. */
static const struct sp_unit_costs *on_unit_stride(const struct sp_machine *m, const char *kernel, int C,
                                                  const struct sp_unit_costs *like)
{
    for (int i = 0; i < m->n_units; i++)
        if (m->unit[i].unit_stride && m->unit[i].C == C && m->unit[i].n_threads == like->n_threads &&
            strcmp(m->unit[i].kernel, kernel) == 0 && strcmp(m->unit[i].precision, like->precision) == 0)
            return &m->unit[i];
    return NULL;
}

/* CRS by vectors of x86 takes some rows together. */
static bool takes_together(const struct sp_unit_costs *c)
{
    static const char begins[] = "spmv/crs/avx";
    return strncmp(c->kernel, begins, sizeof begins - 1) == 0;
}

/* Where rows that go together were not timed themselves, chunks with unit-stride slots of SELLU
 * load the same and need neither look at columns nor transpose: no less time. */
static struct kernel_costs costs_of(const struct sp_machine *m, const struct sp_unit_costs *c)
{
    struct kernel_costs k = {.own = c, .unit_stride = on_unit_stride(m, c->kernel, c->C, c)};
    char sellu[sizeof c->kernel];
    if (!k.unit_stride && takes_together(c)) {
        snprintf(sellu, sizeof sellu, "spmv/sellu/%s", c->kernel + strlen("spmv/crs/"));
        k.unit_stride = on_unit_stride(m, sellu, LINE, c);
        k.is_bound = k.unit_stride != NULL;
    }
    return k;
}

/* Does any kernel of the layout's format care how rows go together? */
static bool marks_rows(const struct sp_machine *m, const struct sp_layout *l)
{
    bool does = false;
    for (int i = 0; i < m->n_units; i++)
        does = does || (is_for(&m->unit[i], l) && takes_together(&m->unit[i]));
    return does && l->col && !l->n_unit;
}

/* Threads that the costs were measured with: as many, else one. 0: neither. */
static int threads_of(const struct sp_machine *m, const struct sp_layout *l)
{
    int n_threads = 0;
    for (int i = 0; i < m->n_units; i++)
        if (is_for(&m->unit[i], l) &&
            (m->unit[i].n_threads == l->partition.n_threads || (n_threads == 0 && m->unit[i].n_threads == 1)))
            n_threads = m->unit[i].n_threads;
    return n_threads;
}

/* The same kernel while the most threads run: it shows how much they hinder each other. */
static double most_hindered(const struct sp_machine *m, const struct sp_unit_costs *one)
{
    double most = 1;
    for (int i = 0; i < m->n_units; i++) {
        const struct sp_unit_costs *c = &m->unit[i];
        if (strcmp(c->kernel, one->kernel) == 0 && c->C == one->C && c->unit_stride == one->unit_stride &&
            c->n_lengths > 0 && c->n_threads > one->n_threads)
            most = fmax(most, c->seconds[c->n_lengths - 1] / one->seconds[one->n_lengths - 1]);
    }
    return most;
}

/* Where fewer threads were measured than run: the start of the largest team. */
static double longest_start(const struct sp_machine *m, const struct sp_unit_costs *c,
                            const struct sp_layout *l)
{
    double longest = c->start_s;
    for (int i = 0; i < m->n_units && c->n_threads < l->partition.n_threads; i++)
        if (m->unit[i].C == c->C && strcmp(m->unit[i].kernel, c->kernel) == 0)
            longest = fmax(longest, m->unit[i].start_s);
    return longest;
}

static enum sp_status time_threads(const struct sp_machine *m, const struct sp_layout *l, int n_threads,
                                   struct units *u, struct by_kernel *kernel, struct sp_error *err)
{
    for (int t = 0; t < l->partition.n_threads; t++) {
        units_of(l, t, u);
        const enum sp_status status = sp_unit_surprises(u->length, u->n, &u->surprises, err);
        if (status != SP_OK)
            return status;
        for (int i = 0; i < m->n_units; i++)
            if (is_for(&m->unit[i], l) && m->unit[i].n_threads == n_threads) {
                const struct kernel_costs plain = {.own = &m->unit[i]},
                                          costs = u->n_unit ? costs_of(m, &m->unit[i]) : plain;
                add_thread(&costs, u, &kernel[i]);
            }
    }
    return SP_OK;
}

enum sp_status sp_unit_time_of(const struct sp_machine *m, const struct sp_layout *l,
                               struct sp_unit_time *out, struct sp_error *err)
{
    struct by_kernel kernel[SP_MAX_UNIT_COSTS] = {{0}};
    const int n_threads = threads_of(m, l);
    void *p;
    *out = (struct sp_unit_time){.time_s = sp_value_none("the machine file has no times of such rows"),
                                 .surprise_s = sp_value_none("the machine file has no times of such rows"),
                                 .team_s = sp_value_none("the machine file has no times of such rows")};
    if (n_threads == 0 || l->partition.schedule == SP_SCHEDULE_MERGE)
        return SP_OK;
    enum sp_status status = sp_new_array(l->partition.n_units, 2 * sizeof(int32_t), "lengths", &p, err);
    if (status != SP_OK)
        return status;
    const bool has_unit = l->n_unit || marks_rows(m, l);
    struct units u = {.length = p, .n_unit = has_unit ? (int32_t *)p + l->partition.n_units : NULL};
    status = time_threads(m, l, n_threads, &u, kernel, err);
    free(p);
    if (status != SP_OK)
        return status;
    int best = -1;
    for (int i = 0; i < m->n_units; i++)
        if (kernel[i].time_s > 0 && (best < 0 || kernel[i].time_s < kernel[best].time_s))
            best = i;
    if (best < 0)
        return SP_OK;
    const struct by_kernel *k = &kernel[best];
    const double hindered = n_threads < l->partition.n_threads ? most_hindered(m, &m->unit[best]) : 1;
    out->by = &m->unit[best];
    const double team_s = m->unit[best].start_s, team_hi_s = longest_start(m, &m->unit[best], l);
    out->sum_s = k->sum_s;
    out->team_s = sp_value_between(team_s, team_s, team_hi_s, SP_MODELLED);
    const double lo = out->by->lo > 0 ? out->by->lo : 1, hi = out->by->hi > 0 ? out->by->hi : 1;
    out->time_s = sp_value_between(team_s + k->time_s, team_s + k->foretold_s * lo,
                                   team_hi_s + k->surprised_s * hindered * hi, SP_MODELLED);
    out->surprise_s =
        sp_value_between(k->surprise_s, 0, fmax(k->surprise_s, k->surprised_s - k->foretold_s), SP_MODELLED);
    return SP_OK;
}

struct sp_value sp_expected_time(const struct sp_unit_time *core, struct sp_value transfers_s,
                                 struct sp_value gathers_s, const struct sp_own_transfers *own)
{
    const struct sp_value none = sp_value_of(0, SP_MODELLED), all = sp_value_of(1, SP_MODELLED),
                          own_s = own ? own->all_s : none, memory_s = own ? own->memory_s : none,
                          f = own ? own->overlap : all;
    const struct sp_value parts[] = {core->time_s, transfers_s, gathers_s, own_s, memory_s, f};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!sp_value_known(parts[i]))
            return parts[i];
    const double in_s = SP_FORMULA(T_execution, .T_core = core->time_s.value,
                                   .T_ends = core->surprise_s.value, .T_beyond = gathers_s.value);
    const double value = SP_FORMULA(T_expected, .T_transfers = transfers_s.value, .T_in = in_s,
                                    .T_own = own_s.value, .T_own_mem = memory_s.value, .f = f.value);
    const double most_in_s = core->time_s.hi + gathers_s.hi,
                 hi = fmax(transfers_s.hi, core->time_s.hi) + gathers_s.hi,
                 hi_own = fmax(most_in_s, own_s.hi) + (1 - f.lo) * fmin(most_in_s, memory_s.hi);
    return sp_value_between(value, fmax(transfers_s.lo, core->time_s.lo), fmax(hi, hi_own), SP_MODELLED);
}

bool sp_unit_is_plain(const struct sp_unit_costs *costs)
{
    static const char plain[] = "/portable";
    const size_t n = strlen(costs->kernel), length = sizeof plain - 1;
    return n >= length && strcmp(costs->kernel + n - length, plain) == 0;
}
