/* What gathers wait for, and which of them find their line fetched ahead. */
#include "model/gather.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/trace/trace.h"
#include "sparse/formats/format.h"

/* Which gathers find their line fetched ahead: a sample of the layout's own accesses in the first
 * cache and in a table of streams. */

enum {
    STREAMS = 32,  /* that are followed at the same time */
    TRAINED = 2,   /* neighbours in a row, after which the next line is fetched ahead */
    PAGE = 4096,   /* prefetchers stop at its end */
    WINDOWS = 8,   /* of the execution */
    MOST_WAYS = 16 /* of the first cache */
};
static const int64_t window_lines = 24000; /* loads of lines, the first quarter of which counts nothing */

struct stream {
    uint32_t last;
    int up, n_follow; /* direction, lines that have followed */
    int64_t used;
};

struct watch {
    uint32_t *tag; /* [n_sets ways], the latest first; 0: none */
    uint32_t n_sets;
    int ways;
    struct stream stream[STREAMS];
    int64_t clock, lines_of_page;
    int64_t n_missed, n_ahead; /* of x */
};

/* Is the line in the first cache? It is now. */
static bool hits(struct watch *w, uint32_t line)
{
    uint32_t *set = w->tag + (size_t)(line % w->n_sets) * (size_t)w->ways;
    int at = 0;
    while (at < w->ways - 1 && set[at] != line + 1)
        at++;
    const bool hit = set[at] == line + 1;
    memmove(set + 1, set, (size_t)at * sizeof *set);
    set[0] = line + 1;
    return hit;
}

/* Was it fetched ahead, as the next line of a stream that has gone on for a while in its page? */
static bool follows(struct watch *w, uint32_t line)
{
    struct stream *oldest = &w->stream[0];
    w->clock++;
    for (int i = 0; i < STREAMS; i++) {
        struct stream *s = &w->stream[i];
        const int step = line == s->last + 1 ? 1 : line + 1 == s->last ? -1 : 0;
        if (s->used > 0 && step != 0) {
            const bool crosses = line / w->lines_of_page != s->last / w->lines_of_page;
            s->n_follow = crosses || (s->n_follow > 0 && step != s->up) ? 0 : s->n_follow + 1;
            s->up = step;
            s->last = line;
            s->used = w->clock;
            return s->n_follow > TRAINED;
        }
        if (s->used < oldest->used)
            oldest = s;
    }
    *oldest = (struct stream){.last = line, .used = w->clock};
    return false;
}

static void watch_window(struct watch *w, struct sp_trace *trace)
{
    const uint32_t first = (uint32_t)trace->first_line[SP_REGION_X],
                   end = first + (uint32_t)trace->n_region_lines[SP_REGION_X];
    const bool is_short = trace->cursor[0].n_steps < window_lines / 2;
    struct sp_trace_piece piece;
    memset(w->stream, 0, sizeof w->stream);
    w->clock = 0;
    for (int64_t n = 0; n < window_lines && sp_trace_next(trace, &piece);)
        for (int64_t i = 0; i < piece.n_events; i++) {
            const uint32_t line = sp_event_line(piece.event[i]);
            const bool is_hit = hits(w, line), is_x = line >= first && line < end;
            n += is_x;
            if (is_hit || !is_x)
                continue;
            const bool ahead = follows(w, line), counts = n > window_lines / 4 || is_short;
            w->n_missed += counts;
            w->n_ahead += counts && ahead;
        }
}

/* One window of an execution by one thread; `part` of the way through. */
static enum sp_status watch_part(struct watch *w, const struct sp_layout *l, const struct sp_sim_options *o,
                                 double part, struct sp_error *err)
{
    const int thread = 0;
    const struct sp_trace_options of_one = {.line_B = (int)(PAGE / w->lines_of_page),
                                            .n_threads = 1,
                                            .thread = &thread,
                                            .store_nt = o->store_nt,
                                            .x_offset_B = o->x_offset_B,
                                            .y_offset_B = o->y_offset_B};
    struct sp_trace trace;
    enum sp_status status = sp_trace_open(l, &of_one, &trace, err);
    if (status != SP_OK)
        return status;
    if (part > 0)
        sp_trace_rewind(&trace, (int64_t)((double)trace.n_turns * part));
    watch_window(w, &trace);
    sp_trace_close(&trace);
    return SP_OK;
}

enum sp_status sp_gather_ahead(const struct sp_layout *l, const struct sp_sim_options *o, double *share,
                               struct sp_error *err)
{
    const struct sp_cache *c = &o->machine->cache[0];
    const struct sp_format_kind *kind = sp_format_of(l->format);
    const int line_B = o->machine->n_caches > 0 && c->line_B > 0 ? c->line_B : 0;
    *share = 0;
    if (line_B == 0 || line_B > PAGE || o->walk || l->n_nz == 0)
        return SP_OK;
    struct watch w = {.ways = c->ways < 1           ? 8
                              : c->ways > MOST_WAYS ? MOST_WAYS
                                                    : c->ways,
                      .lines_of_page = PAGE / line_B};
    const int64_t n_sets = c->size_B / line_B / w.ways;
    w.n_sets = n_sets > 0 ? (uint32_t)n_sets : 1;
    void *p;
    enum sp_status status =
        sp_new_array((int64_t)w.n_sets * w.ways, sizeof *w.tag, "the first cache", &p, err);
    w.tag = p;
    /* Rows, chunks and blocks are walked from anywhere; other formats from a thread's begin. */
    const int64_t n_units = l->partition.n_units;
    const bool anywhere = (kind->plain_rows || kind->in_chunks || kind->in_blocks) && n_units > 0;
    const int64_t units =
        anywhere ? (int64_t)((double)window_lines * (double)n_units / (double)l->n_stored) + 1 : 0;
    for (int i = 0; i < WINDOWS && status == SP_OK; i++) {
        int64_t begin[2] = {n_units / WINDOWS * i, 0};
        begin[1] = begin[0] + units < n_units ? begin[0] + units : n_units;
        struct sp_layout view = *l;
        if (anywhere)
            view.partition = (struct sp_partition){SP_SCHEDULE_ROWS, 1, n_units, 0, begin, NULL};
        status = watch_part(&w, &view, o, anywhere ? 0 : (double)i / WINDOWS, err);
    }
    free(w.tag);
    if (status == SP_OK && w.n_missed > 0)
        *share = (double)w.n_ahead / (double)w.n_missed;
    return status;
}

/* Takes that share of each outer level to the first one. */
static void gather_hits_ahead(struct sp_gather_hits *hits, double share)
{
    for (int k = 1; k < hits->n_levels; k++) {
        const double moved = share * hits->count[k];
        hits->count[k] -= moved;
        hits->count[0] += moved;
        hits->ahead += moved;
    }
}

struct sp_gather_hits sp_gather_hits_of(const struct sp_machine *m, double n_gathers,
                                        const struct sp_traffic *traffic, int n_levels)
{
    struct sp_gather_hits h = {0};
    if (n_levels < 1 || n_levels != m->n_caches || n_levels > SP_MAX_CACHES)
        return h;
    double left = n_gathers; /* not served further in */
    for (int k = 0; k < n_levels; k++) {
        if (!traffic[k].by_array)
            return (struct sp_gather_hits){0};
        double missed = traffic[k].array_read_B[SP_ARRAY_X] / sp_cache_granule_B(&m->cache[0]);
        missed = missed < left ? missed : left;
        h.count[k] = left - missed;
        snprintf(h.level[k], sizeof h.level[k], "L%d", m->cache[k].level % 10);
        left = missed;
    }
    h.count[n_levels] = left;
    memcpy(h.level[n_levels], "MEM", sizeof "MEM");
    h.n_levels = n_levels + 1;
    h.origin = traffic[n_levels - 1].read_B.origin == SP_MODELLED ? SP_MODELLED : SP_SIMULATED;
    return h;
}

/* The ceiling that the rate of exactly so many threads is, the fastest one; NULL: there is none. */
static const struct sp_ceiling *ceiling_of(const struct sp_machine *m, const char *level, int n_threads)
{
    const struct sp_ceiling *best = NULL;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        const bool is_one = strcmp(c->name, "gather") == 0 || strcmp(c->name, "gather_ld") == 0;
        if (!is_one || strcmp(c->level, level) != 0 || c->n_threads != n_threads || !sp_value_known(c->value))
            continue;
        if (!best || c->value.value > best->value.value)
            best = c;
    }
    return best;
}

static struct sp_value rate_at(const struct sp_machine *m, const char *level, int n_threads)
{
    const struct sp_ceiling *c = ceiling_of(m, level, n_threads);
    return c ? c->value : sp_value_none("no gather ceiling");
}

struct sp_value sp_gather_rate(const struct sp_machine *m, const char *level, int n_threads)
{
    const struct sp_value exact = rate_at(m, level, n_threads);
    if (sp_value_known(exact))
        return exact;
    int below = 0, above = 0;
    for (int i = 0; i < m->n_ceilings; i++) {
        const int n = m->ceiling[i].n_threads;
        if (!sp_value_known(rate_at(m, level, n)))
            continue;
        if (n < n_threads && n > below)
            below = n;
        if (n > n_threads && (above == 0 || n < above))
            above = n;
    }
    if (below == 0 || above == 0)
        return sp_value_none(
            "the machine has no gather ceilings for so many threads: spmodel machine measure");
    const struct sp_value a = rate_at(m, level, below), b = rate_at(m, level, above);
    const double part = (double)(n_threads - below) / (above - below);
    const double value = a.value + part * (b.value - a.value), most = a.hi * n_threads / below;
    return sp_value_between(value, a.lo < value ? a.lo : value, most > value ? most : value, SP_MODELLED);
}

static struct sp_gather_roof unknown_roof(struct sp_gather_roof roof, const char *why)
{
    roof.time_s = roof.roof_ps = sp_value_none(why);
    return roof;
}

struct sp_gather_roof sp_gather_roof_at(const struct sp_gather_hits *hits, const struct sp_value *rate)
{
    struct sp_gather_roof roof = {.hits = *hits,
                                  .walks_s = sp_value_none("walks of page tables were not counted")};
    double n = 0, value = 0, lo = 0, hi = 0;
    const char *missing = NULL;
    for (int k = 0; k < hits->n_levels; k++) {
        const struct sp_value r = roof.rate[k] = rate[k];
        if (!(hits->count[k] > 0))
            continue;
        if (!sp_value_known(r)) {
            missing = missing ? missing : r.why;
            continue;
        }
        n += hits->count[k];
        value += hits->count[k] / r.value;
        lo += hits->count[k] / r.hi;
        hi += hits->count[k] / (r.lo > 0 ? r.lo : r.value);
    }
    if (hits->n_levels == 0)
        return unknown_roof(roof, "the levels that gathers come from were not simulated");
    if (missing || !(n > 0))
        return unknown_roof(roof, missing ? missing : "nothing is gathered");
    roof.time_s = sp_value_between(value, lo, hi, SP_MODELLED);
    roof.roof_ps = sp_value_between(n / value, n / hi, n / lo, SP_MODELLED);
    return roof;
}

struct sp_gather_roof sp_gather_roof_of(const struct sp_machine *m, const struct sp_gather_hits *hits,
                                        int n_threads)
{
    struct sp_value rate[SP_MAX_CACHES + 1];
    for (int k = 0; k < hits->n_levels; k++)
        rate[k] = sp_gather_rate(m, hits->level[k], n_threads);
    return sp_gather_roof_at(hits, rate);
}

struct sp_gather_roof sp_gather_roof_of_layout(const struct sp_machine *m, const struct sp_layout *l,
                                               const struct sp_traffic *traffic, int n_levels, double ahead,
                                               int n_threads)
{
    const bool is_spmv = l->op == SP_OP_SPMV;
    struct sp_gather_hits hits = {0};
    if (is_spmv && l->n_nz > 0)
        hits = sp_gather_hits_of(m, sp_layout_gather_bytes(l) / (double)l->s_x, traffic, n_levels);
    gather_hits_ahead(&hits, ahead);
    const struct sp_gather_roof roof = sp_gather_roof_of(m, &hits, n_threads);
    if (is_spmv && l->s_x == sizeof(double))
        return roof;
    return unknown_roof(roof, is_spmv ? "gathers are measured for elements of 8 bytes"
                                      : "gathers of rows of several elements are not measured");
}

static void widen(struct sp_value *v, struct sp_value other)
{
    if (sp_value_known(*v) && sp_value_known(other))
        *v = sp_value_between(v->value, fmin(v->lo, other.lo), fmax(v->hi, other.hi), SP_MODELLED);
}

void sp_gather_roof_widen(struct sp_gather_roof *roof, const struct sp_gather_roof *other)
{
    widen(&roof->time_s, other->time_s);
    widen(&roof->roof_ps, other->roof_ps);
}

static double above_zero(double x)
{
    return x > 0 ? x : 0;
}

struct sp_value sp_gather_wait(const struct sp_gather_roof *roof, struct sp_value streams)
{
    const struct sp_value t = roof->time_s;
    if (!sp_value_known(t))
        return t;
    if (!sp_value_known(streams))
        return streams;
    return sp_value_between(above_zero(t.value - streams.value), above_zero(t.lo - streams.hi),
                            above_zero(t.hi - streams.lo), SP_MODELLED);
}

struct sp_value sp_gather_beyond_first(const struct sp_gather_roof *roof)
{
    const struct sp_value t = roof->time_s, first = roof->rate[0];
    if (!sp_value_known(t))
        return t;
    if (!sp_value_known(first))
        return first;
    double n = 0;
    for (int k = 0; k < roof->hits.n_levels; k++)
        n += roof->hits.count[k];
    const double own_lo = first.lo > 0 ? n / first.lo : n / first.value;
    if (roof->hits.count[0] >= n) /* nothing comes from beyond it */
        return sp_value_of(0, SP_MODELLED);
    return sp_value_between(above_zero(t.value - n / first.value), above_zero(t.lo - own_lo),
                            above_zero(t.hi - n / first.hi), SP_MODELLED);
}

static const double part = 0.25, /* of what the largest set adds, from which on a set is beyond reach */
    noticeable = 0.15;           /* of a mapped gather's time; less is none */

bool sp_page_costs_of(int n, const double *size, const double *seconds, struct sp_page_costs *c)
{
    if (n < 3)
        return false;
    double mapped = seconds[0], lo = INFINITY, hi = 0, sum = 0;
    for (int i = 1; i < n; i++)
        mapped = fmin(mapped, seconds[i]);
    const double added = fmin(seconds[n - 1], seconds[n - 2]) - mapped;
    c->reach_B = size[n - 1];
    c->walk_s = sp_value_of(0, SP_MEASURED);
    if (added < noticeable * mapped)
        return true;
    int first = n - 1; /* of those beyond reach */
    while (first > 0 && seconds[first - 1] - mapped > part * added)
        first--;
    for (int i = first; i < n; i++) {
        lo = fmin(lo, seconds[i] - mapped);
        hi = fmax(hi, seconds[i] - mapped);
        sum += seconds[i] - mapped;
    }
    c->walk_s = sp_value_between(sum / (n - first), lo, hi, SP_MEASURED);
    c->reach_B = size[0];
    if (first > 0) { /* between the two sizes, where the quarter is reached */
        const double before = seconds[first - 1] - mapped,
                     at = (part * added - before) / (seconds[first] - mapped - before);
        c->reach_B = size[first - 1] * pow(size[first] / size[first - 1], at);
    }
    return true;
}

const struct sp_page_costs *sp_page_costs_for(const struct sp_machine *m, bool huge, int n_threads)
{
    const struct sp_page_costs *best = NULL;
    for (int i = 0; i < m->n_pages; i++) {
        const struct sp_page_costs *c = &m->page[i];
        if (c->huge == huge && (!best || abs(c->n_threads - n_threads) < abs(best->n_threads - n_threads)))
            best = c;
    }
    return best;
}

enum sp_status sp_page_walks(const struct sp_layout *l, const struct sp_page_costs *costs,
                             const struct sp_sim_options *options, double *walks, struct sp_error *err)
{
    *walks = 0;
    if (!(costs->walk_s.hi > 0) || costs->reach_B < 2 * PAGE ||
        sp_layout_array_bytes(l, SP_ARRAY_X) <= costs->reach_B)
        return SP_OK;
    const struct sp_machine tlb = {
        .n_caches = 1,
        .cache[0] = {.level = 1,
                     .size_B = (int64_t)costs->reach_B / PAGE * PAGE,
                     .effective_B = sp_value_none("given"),
                     .line_B = PAGE,
                     .cores_sharing = 1},
    };
    void *own; /* TLBs are a core's own */
    const int n = l->partition.n_threads;
    enum sp_status status = sp_new_array(n, sizeof(int), "threads", &own, err);
    if (status != SP_OK)
        return status;
    for (int t = 0; t < n; t++)
        ((int *)own)[t] = t;
    struct sp_sim_options o = *options;
    o.machine = &tlb;
    o.llc_only = true;
    o.llc_B = 0;
    o.policy = SP_LRU;
    o.n_domain = n;
    o.domain_of_thread = own;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    status = sp_sim_traffic(l, &o, traffic, &n_levels, NULL, err);
    if (status == SP_OK)
        *walks = traffic[0].array_read_B[SP_ARRAY_X] / PAGE;
    free(own);
    return status;
}

/* The rate without the walks of the set that it was measured on, at most twice as fast. */
static struct sp_value without_walks(const struct sp_ceiling *c, const struct sp_page_costs *costs,
                                     struct sp_value rate)
{
    const double each_B = c ? c->set_B / c->n_threads : 0;
    if (!c || each_B <= costs->reach_B)
        return rate;
    const double beyond = 1 - costs->reach_B / each_B, walk_s = beyond * costs->walk_s.value / c->n_threads,
                 faster = fmin(1 / (1 - fmin(walk_s * rate.value, 0.5)), 2);
    return sp_value_between(rate.value * faster, rate.lo, rate.hi * faster, SP_MODELLED);
}

void sp_page_walks_add(const struct sp_machine *m, const struct sp_page_costs *costs, double walks,
                       int n_threads, struct sp_gather_roof *roof)
{
    assert(n_threads >= 1 && walks >= 0);
    if (!sp_value_known(roof->time_s) || !(costs->walk_s.hi > 0))
        return;
    struct sp_value rate[SP_MAX_CACHES + 1];
    for (int k = 0; k < roof->hits.n_levels; k++)
        rate[k] = without_walks(ceiling_of(m, roof->hits.level[k], n_threads), costs, roof->rate[k]);
    const struct sp_gather_roof bare = sp_gather_roof_at(&roof->hits, rate);
    const double each = walks / n_threads;
    roof->walks = walks;
    roof->walks_s = sp_value_between(each * costs->walk_s.value, 0, each * costs->walk_s.hi, SP_MODELLED);
    for (int k = 0; k < roof->hits.n_levels; k++)
        roof->rate[k] = rate[k];
    const double n = bare.roof_ps.value * bare.time_s.value, value = bare.time_s.value + roof->walks_s.value;
    roof->time_s =
        sp_value_between(value, fmin(bare.time_s.lo, value), bare.time_s.hi + roof->walks_s.hi, SP_MODELLED);
    roof->roof_ps = sp_value_between(n / value, n / roof->time_s.hi, n / roof->time_s.lo, SP_MODELLED);
}
