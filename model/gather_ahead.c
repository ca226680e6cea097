/* Which gathers find their line fetched ahead: a sample of the layout's own accesses in the first cache and
 * in a table of streams. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/gather.h"
#include "model/trace/trace.h"
#include "sparse/formats/format.h"

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

void sp_gather_hits_ahead(struct sp_gather_hits *hits, double share)
{
    for (int k = 1; k < hits->n_levels; k++) {
        const double moved = share * hits->count[k];
        hits->count[k] -= moved;
        hits->count[0] += moved;
        hits->ahead += moved;
    }
}
