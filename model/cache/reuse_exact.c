/* Stack distances of every line. */
#include <stdlib.h>

#include "base/memory.h"
#include "model/cache/reuse_counts.h"

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
        if (i + AHEAD < n)
            __builtin_prefetch(&s->place[sp_event_line(event[i + AHEAD])], 1);
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

/* The first touches of the next execution. What it touches again in between changes no distance: the line
 * counts already. */
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

/* The same code with the bit-counting instruction, where the processor has it. */
#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void follow_popcnt(struct pass *p, const uint32_t *event, int64_t n)
{
    follow(p, event, n);
}
__attribute__((target("popcnt"))) static void follow_next_popcnt(struct pass *p, int64_t between_lines)
{
    follow_next(p, between_lines);
}
static bool has_popcnt(void)
{
    return __builtin_cpu_supports("popcnt");
}
#else
#define follow_popcnt      follow_plain
#define follow_next_popcnt follow_next_plain
static bool has_popcnt(void)
{
    return false;
}
#endif
static void follow_plain(struct pass *p, const uint32_t *event, int64_t n)
{
    follow(p, event, n);
}
static void follow_next_plain(struct pass *p, int64_t between_lines)
{
    follow_next(p, between_lines);
}

enum sp_status sp_reuse_count_exact(struct sp_trace *trace, const struct sp_reuse_options *o, double done,
                                    double part, struct sp_reuse_counts *counts, struct sp_error *err)
{
    struct pass p = {.trace = trace, .counts = counts};
    enum sp_status status = sp_stack_make(trace->n_lines, &p.stack, err);
    if (status == SP_OK)
        status = sp_new_array(trace->n_lines, sizeof *p.order, "the order of first touches",
                              (void **)&p.order, err);
    if (status != SP_OK)
        goto done;
    const bool popcnt = has_popcnt();
    struct sp_trace_piece piece;
    sp_trace_rewind(trace, 0);
    for (int64_t n = 1; sp_trace_next(trace, &piece); n++) {
        (popcnt ? follow_popcnt : follow_plain)(&p, piece.event, piece.n_events);
        double share = done + part * (double)trace->turn / (double)(trace->n_turns + 1);
        if (o->progress && n % 1024 == 0 && o->progress(o->context, share)) {
            status = sp_fail(err, SP_INTERRUPTED, NULL, "the reuse analysis was interrupted");
            goto done;
        }
    }
    (popcnt ? follow_next_popcnt : follow_next_plain)(&p, o->between_B / trace->line_B);
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
