#include "model/cache/reuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cache/cache.h"
#include "model/trace/kinds.h"

/* Stack distances of every line. */

#define ALWAYS_INLINE inline __attribute__((always_inline))

struct pass {
    struct sp_stack stack;
    uint32_t *order; /* [n_order] lines in the order of their first touch */
    int64_t n_order;
    const struct sp_trace *trace;
    struct sp_reuse_counts *counts;
};

static ALWAYS_INLINE enum sp_reuse_kind kind_of(const struct pass *p, uint32_t line)
{
    enum sp_array array = sp_trace_array(p->trace, line);
    return array == SP_ARRAY_X ? SP_REUSE_X : array == SP_ARRAY_Y ? SP_REUSE_Y : SP_REUSE_REST;
}

static ALWAYS_INLINE void follow(struct pass *p, const uint32_t *event, int64_t n)
{
    enum { AHEAD = 8 };
    struct sp_stack *s = &p->stack;
    for (int64_t i = 0; i < n; i++) {
        if (i + 2 * AHEAD < n) {
            __builtin_prefetch(&s->place[sp_event_line(event[i + 2 * AHEAD])], 1);
            sp_stack_prefetch(s, s->place[sp_event_line(event[i + AHEAD])]);
        }
        uint32_t line = sp_event_line(event[i]);
        enum sp_event_kind kind = sp_event_kind(event[i]);
        uint32_t place = s->place[line];
        if (kind == SP_EVENT_CLOSE) {
            s->n_open--;
            sp_stack_append(s, line);
            continue;
        }
        if (place == SP_STACK_NEW) {
            p->counts->first[kind_of(p, line)][0]++;
            p->order[p->n_order++] = line;
        } else {
            int64_t distance = sp_stack_after(s, place) + s->n_open;
            sp_stack_remove(s, place);
            p->counts->within[kind_of(p, line)][0][sp_stack_bucket(distance)]++;
        }
        if (kind == SP_EVENT_OPEN) {
            s->place[line] = SP_STACK_OPEN;
            s->n_open++;
        } else {
            sp_stack_append(s, line);
        }
    }
}

/* The first touches of the next execution. What it touches again in between changes no distance:
 * the line counts already. */
static ALWAYS_INLINE void follow_next(struct pass *p, int64_t between_lines)
{
    struct sp_stack *s = &p->stack;
    for (int64_t i = 0; i < p->n_order; i++) {
        uint32_t line = p->order[i], place = s->place[line];
        int64_t distance = sp_stack_after(s, place) + between_lines;
        sp_stack_remove(s, place);
        sp_stack_append(s, line);
        p->counts->across[kind_of(p, line)][0][sp_stack_bucket(distance)]++;
    }
}

SP_WIDE static void follow_wide(struct pass *p, const uint32_t *event, int64_t n)
{
    follow(p, event, n);
}
SP_WIDE static void follow_next_wide(struct pass *p, int64_t between_lines)
{
    follow_next(p, between_lines);
}
static void follow_plain(struct pass *p, const uint32_t *event, int64_t n)
{
    follow(p, event, n);
}
static void follow_next_plain(struct pass *p, int64_t between_lines)
{
    follow_next(p, between_lines);
}

static enum sp_status count_exact(struct sp_trace *trace, const struct sp_reuse_options *o,
                                  struct sp_domains *domains, int domain, struct sp_reuse_counts *counts,
                                  struct sp_error *err)
{
    struct pass p = {.trace = trace, .counts = counts};
    enum sp_status status = sp_stack_make(trace->n_lines, &p.stack, err);
    if (status == SP_OK)
        status = sp_new_array(trace->n_lines, sizeof *p.order, "the order of first touches",
                              (void **)&p.order, err);
    if (status != SP_OK)
        goto done;
    const bool wide = sp_is_wide();
    struct sp_trace_piece piece;
    sp_trace_rewind(trace, 0);
    for (int64_t n = 1; sp_trace_next(trace, &piece); n++) {
        (wide ? follow_wide : follow_plain)(&p, piece.event, piece.n_events);
        if (n % 1024 == 0 &&
            sp_domains_interrupted(domains, domain, (double)trace->turn / (double)(trace->n_turns + 1))) {
            status = sp_fail(err, SP_INTERRUPTED, NULL, "the reuse analysis was interrupted");
            goto done;
        }
    }
    (wide ? follow_next_wide : follow_next_plain)(&p, o->between_B / trace->line_B);
    counts->n_groups = 1;
    counts->weight = 1;
    counts->n_x_lines = counts->n_followed = counts->first[SP_REUSE_X][0];
    counts->footprint = p.n_order;
    counts->nt_lines = trace->nt_lines;
    counts->n_references = trace->n_references;
done:
    sp_stack_free(&p.stack);
    free(p.order);
    return status;
}

/* Sampled lines of x, at most: their counts then scatter by half a percent to one. */
static const double AIM = 32768;
/* Student's t for 15 degrees of freedom, two-sided 95 %. */
static const double T_95 = 2.13;

/* Lines missed at each size, summed over the domains; x by group. */
struct sums {
    double x_warm[SP_STACK_BUCKETS][SP_REUSE_GROUPS], x_cold[SP_STACK_BUCKETS][SP_REUSE_GROUPS];
    double x_lines[SP_REUSE_GROUPS];                                   /* that the group stands for */
    double other_warm[SP_STACK_BUCKETS], other_cold[SP_STACK_BUCKETS]; /* reads and writes */
    int n_groups;
    int64_t n_x_lines, n_followed, largest_footprint, n_references;
};

static void add_counts(const struct sp_reuse_counts *n, int64_t between_lines, struct sums *sum)
{
    for (int kind = 0; kind < SP_N_REUSE_KINDS; kind++)
        for (int g = 0; g < n->n_groups; g++) {
            /* A line of y that is loaded is written back some time. */
            double lines = n->weight * (kind == SP_REUSE_Y ? 2 : 1);
            int64_t within = 0, across = 0;
            for (int b = SP_STACK_BUCKETS - 1; b >= 0; b--) {
                double cold = lines * (double)(n->first[kind][g] + within);
                double warm = lines * (double)(within + across);
                if (kind == SP_REUSE_X) {
                    sum->x_cold[b][g] += cold;
                    sum->x_warm[b][g] += warm;
                } else {
                    sum->other_cold[b] += cold;
                    sum->other_warm[b] += warm;
                }
                within += n->within[kind][g][b];
                across += n->across[kind][g][b];
            }
        }
    double streamed = (double)(n->stream_lines + n->stream_y_lines);
    for (int b = 0; b < SP_STACK_BUCKETS; b++) {
        sum->other_cold[b] += streamed + (double)n->nt_lines;
        sum->other_warm[b] += (double)n->nt_lines;
        if (n->footprint + between_lines > sp_stack_capacity(b))
            sum->other_warm[b] += streamed;
    }
    for (int g = 0; g < n->n_groups; g++)
        sum->x_lines[g] += n->weight * (double)n->first[SP_REUSE_X][g];
    sum->n_groups = n->n_groups;
    sum->n_x_lines += n->n_x_lines;
    sum->n_followed += n->n_followed;
    sum->n_references += n->n_references;
    if (n->footprint > sum->largest_footprint)
        sum->largest_footprint = n->footprint;
}

struct estimate {
    double value, error; /* [lines], error: half of a 95 % interval */
};

/* How many lines there are is known, so that a group's error is what it has beside its share by
 * them. */
static struct estimate estimate_of(const double *by_group, const struct sums *sum)
{
    double total = 0, lines = 0, square = 0;
    for (int g = 0; g < sum->n_groups; g++) {
        total += by_group[g];
        lines += sum->x_lines[g];
    }
    for (int g = 0; g < sum->n_groups && lines > 0; g++) {
        const double off = by_group[g] - total * sum->x_lines[g] / lines;
        square += off * off;
    }
    double error = sum->n_groups > 1 ? T_95 * sqrt(square * sum->n_groups / (sum->n_groups - 1)) : 0;
    return (struct estimate){total, error};
}

/* A distance is known to about one part in the root of the lines that were sampled in it: how many
 * sizes up or down the curve may be shifted. */
static double shift_of(int bucket, const struct sums *sum, double rate)
{
    double lines = (double)sp_stack_capacity(bucket);
    if (lines > (double)sum->n_x_lines)
        lines = (double)sum->n_x_lines;
    double relative = sqrt((1 - rate) / (rate * lines + 1));
    return SP_STACK_STEPS * log2(1 + 2 * relative);
}

/* Between two sizes. */
static struct estimate estimate_at(double (*x)[SP_REUSE_GROUPS], double bucket, int n_sizes,
                                   const struct sums *sum)
{
    const double at = fmin(fmax(bucket, 0), n_sizes - 1), share = at - floor(at);
    const struct estimate a = estimate_of(x[(int)at], sum), b = estimate_of(x[(int)ceil(at)], sum);
    return (struct estimate){a.value + (b.value - a.value) * share, a.error + (b.error - a.error) * share};
}

static void set_alpha(double (*x)[SP_REUSE_GROUPS], int b, int n_sizes, double shift, const struct sums *sum,
                      double scale, double *value, double *lo, double *hi)
{
    const struct estimate below = estimate_at(x, b - shift, n_sizes, sum),
                          above = estimate_at(x, b + shift, n_sizes, sum);
    *value = estimate_of(x[b], sum).value * scale;
    *hi = fmax(*value, (below.value + below.error) * scale);
    *lo = fmin(*value, fmax(0, above.value - above.error) * scale);
}

static enum sp_status make_curve(const struct sp_layout *l, int line_B, struct sums *sum, double rate,
                                 struct sp_reuse *reuse, struct sp_error *err)
{
    int64_t largest = sum->largest_footprint > 0 ? sum->largest_footprint : 1;
    int n_sizes = sp_stack_bucket(largest - 1) + 1;
    enum sp_status status =
        sp_new_array(n_sizes, sizeof *reuse->size, "the reuse curve", (void **)&reuse->size, err);
    if (status != SP_OK)
        return status;
    double entries_B = sp_layout_gather_bytes(l), scale = l->n_nz ? line_B / entries_B : NAN;
    reuse->n_sizes = n_sizes;
    reuse->n_x_lines = sum->n_x_lines;
    reuse->alpha_min = scale * (double)sum->n_x_lines;
    reuse->footprint_B = sum->largest_footprint * line_B;
    reuse->n_references = sum->n_references;
    reuse->exact = sum->n_groups == 1;
    reuse->rate = sum->n_x_lines ? (double)sum->n_followed / (double)sum->n_x_lines : 1;
    for (int b = 0; b < n_sizes; b++) {
        struct sp_reuse_size *s = &reuse->size[b];
        const double shift = reuse->exact || rate >= 1 ? 0 : shift_of(b, sum, rate);
        s->capacity_B = sp_stack_capacity(b) * line_B;
        set_alpha(sum->x_warm, b, n_sizes, shift, sum, scale, &s->alpha_warm, &s->alpha_warm_lo,
                  &s->alpha_warm_hi);
        set_alpha(sum->x_cold, b, n_sizes, shift, sum, scale, &s->alpha_cold, &s->alpha_cold_lo,
                  &s->alpha_cold_hi);
        s->warm_B = line_B * (sum->other_warm[b] + estimate_of(sum->x_warm[b], sum).value);
        s->cold_B = line_B * (sum->other_cold[b] + estimate_of(sum->x_cold[b], sum).value);
        if (reuse->x_once_B == 0 && !(s->alpha_cold > 1.01 * reuse->alpha_min))
            reuse->x_once_B = s->capacity_B;
    }
    return SP_OK;
}

/* Streams of dense operands are followed whole where they have no more lines than this: a few
 * seconds. */
static const double FEW_LINES = 8e7;

static bool is_short(const struct sp_trace *t)
{
    return (double)t->n_references * (double)t->layout->s_x / t->line_B < FEW_LINES;
}

/* The curve of all domains. */
struct whole {
    const struct sp_layout *layout;
    const struct sp_reuse_options *options;
    struct sp_domains domains;
    struct sums *sum;
    double rate;
    bool too_long; /* the stream was not followed */
};

static enum sp_status count_domain(struct whole *w, struct sp_trace *trace, int domain,
                                   struct sp_reuse_counts *counts, struct sp_error *err)
{
    const struct sp_reuse_options *o = w->options;
    const bool sampled = trace->kind == &sp_trace_spmv; /* the sampling follows its references only */
    const double rate = o->rate > 0 ? o->rate : AIM / (double)(trace->n_region_lines[SP_REGION_X] + 1);
    const bool too_long = !sampled && !is_short(trace);
    enum sp_status status = too_long ? SP_OK
                            : sampled && rate < 1
                                ? sp_reuse_count_sampled(trace, o, rate, &w->domains, domain, counts, err)
                                : count_exact(trace, o, &w->domains, domain, counts, err);
#pragma omp ordered
    if (status == SP_OK) {
        w->rate = rate;
        w->too_long = w->too_long || too_long;
        if (!too_long)
            add_counts(counts, o->between_B / trace->line_B, w->sum);
    }
    return status;
}

static enum sp_status add_domain(void *all, int domain, const int *thread, int n_threads,
                                 struct sp_error *err)
{
    struct whole *w = all;
    const struct sp_reuse_options *o = w->options;
    const struct sp_trace_options to = {.line_B = o->line_B,
                                        .n_threads = n_threads,
                                        .thread = thread,
                                        .skew = o->skew,
                                        .store_nt = o->store_nt,
                                        .x_offset_B = o->x_offset_B,
                                        .y_offset_B = o->y_offset_B};
    struct sp_reuse_counts *counts;
    enum sp_status status = sp_new_array(1, sizeof *counts, "the reuse distances", (void **)&counts, err);
    if (status != SP_OK)
        return status;
    struct sp_trace trace;
    status = sp_trace_open(w->layout, &to, &trace, err);
    if (status == SP_OK)
        status = count_domain(w, &trace, domain, counts, err);
    sp_trace_close(&trace);
    free(counts);
    return status;
}

enum sp_status sp_reuse_curve(const struct sp_layout *l, const struct sp_reuse_options *o,
                              struct sp_reuse *reuse, struct sp_error *err)
{
    memset(reuse, 0, sizeof *reuse);
    struct whole w = {.layout = l,
                      .options = o,
                      .domains = {.n = o->n_domain,
                                  .domain_of_thread = o->domain_of_thread,
                                  .progress = o->progress,
                                  .context = o->context},
                      .rate = 1};
    enum sp_status status = sp_new_array(1, sizeof *w.sum, "the reuse curve", (void **)&w.sum, err);
    if (status == SP_OK)
        status = sp_domains_each(&w.domains, l, add_domain, &w, err);
    if (status == SP_OK && !w.too_long)
        status = make_curve(l, o->line_B ? o->line_B : 64, w.sum, w.rate, reuse, err);
    free(w.sum);
    return status;
}

void sp_reuse_free(struct sp_reuse *reuse)
{
    if (!reuse)
        return;
    free(reuse->size);
    memset(reuse, 0, sizeof *reuse);
}

const struct sp_reuse_size *sp_reuse_at(const struct sp_reuse *reuse, int64_t capacity_B)
{
    const struct sp_reuse_size *found = NULL;
    for (int i = 0; i < reuse->n_sizes && reuse->size[i].capacity_B <= capacity_B; i++)
        found = &reuse->size[i];
    return found;
}

/* What no cache of the footprint's size misses, and what it has to load. */
static struct sp_reuse_size everything_fits(const struct sp_reuse *r)
{
    return (struct sp_reuse_size){.capacity_B = r->footprint_B,
                                  .alpha_cold = r->alpha_min,
                                  .alpha_cold_lo = r->alpha_min,
                                  .alpha_cold_hi = r->alpha_min,
                                  .cold_B = r->size[r->n_sizes - 1].cold_B};
}

static double between(double a, double b, double share)
{
    return a + (b - a) * share;
}

/* The sizes around a capacity, and how far it lies from the first to the second. n_sizes > 0. */
static double bracket(const struct sp_reuse *r, int64_t capacity_B, struct sp_reuse_size *below,
                      struct sp_reuse_size *above)
{
    *below = r->size[0];
    *above = everything_fits(r);
    for (int i = 0; i < r->n_sizes && r->size[i].capacity_B <= capacity_B; i++)
        *below = r->size[i];
    for (int i = r->n_sizes - 1; i >= 0 && r->size[i].capacity_B > capacity_B; i--)
        *above = r->size[i];
    if (capacity_B >= r->footprint_B)
        *below = everything_fits(r);
    if (capacity_B <= below->capacity_B || above->capacity_B <= below->capacity_B)
        return 0;
    return log2((double)capacity_B / (double)below->capacity_B) /
           log2((double)above->capacity_B / (double)below->capacity_B);
}

struct sp_value sp_reuse_alpha(const struct sp_reuse *r, int64_t capacity_B, bool cold)
{
    if (r->n_sizes == 0 || isnan(r->size[0].alpha_cold))
        return sp_value_none("no reuse was simulated");
    struct sp_reuse_size below, above;
    const double share = bracket(r, capacity_B, &below, &above);
    if (cold)
        return sp_value_between(between(below.alpha_cold, above.alpha_cold, share),
                                between(below.alpha_cold_lo, above.alpha_cold_lo, share),
                                between(below.alpha_cold_hi, above.alpha_cold_hi, share), SP_SIMULATED);
    return sp_value_between(between(below.alpha_warm, above.alpha_warm, share),
                            between(below.alpha_warm_lo, above.alpha_warm_lo, share),
                            between(below.alpha_warm_hi, above.alpha_warm_hi, share), SP_SIMULATED);
}

double sp_reuse_bytes(const struct sp_reuse *r, int64_t capacity_B, bool cold)
{
    struct sp_reuse_size below, above;
    if (r->n_sizes == 0)
        return NAN;
    const double share = bracket(r, capacity_B, &below, &above);
    return cold ? between(below.cold_B, above.cold_B, share) : between(below.warm_B, above.warm_B, share);
}

/* The mean over LRU caches of all capacities u where `filled_B` come in during an execution: each
 * has as its weight the share of lines that outlive no more than the time in which u is touched. */
static struct sp_reuse_size mean_by_chance(const struct sp_reuse *r, double capacity_B, double filled_B)
{
    struct sp_reuse_size sum = {.capacity_B = (int64_t)capacity_B}, last = r->size[0];
    double left = 1, executions = 0;
    last.capacity_B = 0;
    for (int i = 0; i <= r->n_sizes; i++) {
        const struct sp_reuse_size next = i < r->n_sizes ? r->size[i] : everything_fits(r);
        const double missed_B = i < r->n_sizes ? (last.warm_B + next.warm_B) / 2 : last.warm_B;
        if (!(missed_B > 0))
            break;
        executions += (double)(next.capacity_B - last.capacity_B) / missed_B;
        const double beyond = exp(-filled_B * executions / capacity_B), weight = left - beyond;
        sum.alpha_warm += weight * (last.alpha_warm + next.alpha_warm) / 2;
        sum.warm_B += weight * missed_B;
        left = beyond;
        last = next;
    }
    return sum;
}

double sp_reuse_alpha_by_chance(const struct sp_reuse *r, double capacity_B)
{
    if (r->n_sizes == 0 || isnan(r->size[0].alpha_cold) || !(capacity_B > 0))
        return NAN;
    struct sp_reuse_size at = r->size[0];
    for (int i = 0; i < 60; i++)
        at = mean_by_chance(r, capacity_B, at.warm_B);
    return at.alpha_warm;
}

/* What is left of it at the upper end, 0 ... 1; `otherwise` where there is nothing at the value
 * already. */
static double left_of(double at, double at_hi, double otherwise)
{
    return at > 0 ? fmin(1, at_hi / at) : otherwise;
}

/* at_lo >= at up to the noise of a sampled curve. */
static void widen(struct sp_value *v, double at_lo, double at, double left)
{
    v->lo = fmin(v->lo, v->value * left);
    v->hi = fmax(v->hi, v->value + fmax(0, at_lo - at));
}

bool sp_reuse_widen(const struct sp_reuse *r, struct sp_value capacity, bool cold, struct sp_value *alpha,
                    struct sp_value *bytes_B)
{
    const int64_t lo = (int64_t)capacity.lo, at = (int64_t)capacity.value, hi = (int64_t)capacity.hi;
    if (r->n_sizes == 0)
        return false;
    const double here_B = sp_reuse_bytes(r, at, cold), left = left_of(here_B, sp_reuse_bytes(r, hi, cold), 1);
    if (sp_value_known(*alpha) && !isnan(r->size[0].alpha_cold)) {
        const double here = sp_reuse_alpha(r, at, cold).value;
        widen(alpha, sp_reuse_alpha(r, lo, cold).value, here,
              left_of(here, sp_reuse_alpha(r, hi, cold).value, left));
    }
    if (bytes_B && sp_value_known(*bytes_B))
        widen(bytes_B, sp_reuse_bytes(r, lo, cold), here_B, left);
    return true;
}
