#include "plain_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"

struct plain_level {
    int64_t n_sets;
    int ways; /* of a set in memory: of the larger part where they are divided */
    struct sp_way_partition partition;
    int all_ways;
    const struct sp_trace *trace;
    bool victim, inclusive;
    int n_instances, sharing;
    int64_t *line; /* [n_instances][n_sets][ways], -1: empty */
    bool *dirty;
    int64_t read[SP_N_ARRAYS], write[SP_N_ARRAYS];
};
struct plain {
    int n_levels;
    struct plain_level level[SP_MAX_CACHES];
    const struct sp_trace *trace;
};

static bool is_reserved(const struct plain_level *v, int64_t line)
{
    return v->partition.ways > 0 && v->partition.arrays >> sp_trace_array(v->trace, (uint32_t)line) & 1;
}

static int64_t place_of(const struct plain_level *v, int instance, int64_t line)
{
    return ((2 * instance + is_reserved(v, line)) * v->n_sets + line % v->n_sets) * v->ways;
}

/* Ways that the line may be in. */
static int ways_for(const struct plain_level *v, int64_t line)
{
    return is_reserved(v, line) ? v->partition.ways : v->all_ways - v->partition.ways;
}

static int find(const struct plain_level *v, int instance, int64_t line)
{
    int64_t at = place_of(v, instance, line);
    for (int w = 0; w < ways_for(v, line); w++)
        if (v->line[at + w] == line)
            return w;
    return -1;
}

/* Takes way w out of its set: the rest moves up. */
static bool take(struct plain_level *v, int instance, int64_t line, int w)
{
    int64_t at = place_of(v, instance, line);
    bool dirty = v->dirty[at + w];
    for (int i = w; i + 1 < ways_for(v, line); i++) {
        v->line[at + i] = v->line[at + i + 1];
        v->dirty[at + i] = v->dirty[at + i + 1];
    }
    v->line[at + ways_for(v, line) - 1] = -1;
    v->dirty[at + ways_for(v, line) - 1] = false;
    return dirty;
}

/* Puts a line in front; the last one falls out. */
static int64_t put(struct plain_level *v, int instance, int64_t line, bool dirty, bool *victim_dirty)
{
    int64_t at = place_of(v, instance, line), victim = v->line[at + ways_for(v, line) - 1];
    *victim_dirty = v->dirty[at + ways_for(v, line) - 1];
    for (int i = ways_for(v, line) - 1; i > 0; i--) {
        v->line[at + i] = v->line[at + i - 1];
        v->dirty[at + i] = v->dirty[at + i - 1];
    }
    v->line[at] = line;
    v->dirty[at] = dirty;
    return victim;
}

static void plain_store(struct plain *p, int k, int thread, int64_t line, bool dirty);

static void plain_leave(struct plain *p, int k, int thread, int64_t line, bool dirty)
{
    struct plain_level *v = &p->level[k];
    int array = sp_trace_array(p->trace, (uint32_t)line);
    for (int inner = 0; v->inclusive && inner < k; inner++)
        for (int i = 0; i < p->level[inner].n_instances; i++) {
            int w = find(&p->level[inner], i, line);
            if (i * p->level[inner].sharing / v->sharing != thread / v->sharing || w < 0)
                continue;
            if (take(&p->level[inner], i, line, w)) {
                p->level[inner].write[array]++;
                dirty = true;
            }
        }
    bool to_victim = k + 1 < p->n_levels && p->level[k + 1].victim;
    if (dirty || to_victim) {
        v->write[array]++;
        if (k + 1 < p->n_levels)
            plain_store(p, k + 1, thread, line, dirty);
    }
}

static void plain_store(struct plain *p, int k, int thread, int64_t line, bool dirty)
{
    struct plain_level *v = &p->level[k];
    int instance = thread / v->sharing, w = find(v, instance, line);
    if (w >= 0)
        dirty |= take(v, instance, line, w);
    bool victim_dirty;
    int64_t victim = put(v, instance, line, dirty, &victim_dirty);
    if (victim >= 0)
        plain_leave(p, k, thread, victim, victim_dirty);
}

static bool plain_fetch(struct plain *p, int k, int thread, int64_t line, bool write)
{
    if (k == p->n_levels)
        return false;
    struct plain_level *v = &p->level[k];
    int instance = thread / v->sharing, w = find(v, instance, line);
    bool unused;
    if (w >= 0) {
        bool dirty = take(v, instance, line, w);
        if (v->victim)
            return dirty;
        put(v, instance, line, dirty || write, &unused);
        return false;
    }
    if (v->victim)
        for (int inner = 0; inner < k; inner++)
            for (int i = 0; i < p->level[inner].n_instances; i++)
                if (i != thread / p->level[inner].sharing && find(&p->level[inner], i, line) >= 0)
                    return false;
    v->read[sp_trace_array(p->trace, (uint32_t)line)]++;
    bool dirty = plain_fetch(p, k + 1, thread, line, false);
    if (v->victim)
        return dirty;
    bool victim_dirty;
    int64_t victim = put(v, instance, line, dirty || write, &victim_dirty);
    if (victim >= 0)
        plain_leave(p, k, thread, victim, victim_dirty);
    return false;
}

static void plain_make(struct plain *p, const struct sp_cache *cache, int n, int n_threads,
                       const struct sp_trace *trace)
{
    *p = (struct plain){.n_levels = n, .trace = trace};
    for (int k = 0; k < n; k++) {
        struct plain_level *v = &p->level[k];
        int64_t lines = cache[k].size_B / cache[k].line_B;
        v->ways = v->all_ways = cache[k].ways ? cache[k].ways : (int)lines;
        v->n_sets = lines / v->ways;
        v->partition = cache[k].partition;
        v->trace = trace;
        v->victim = cache[k].victim;
        v->inclusive = cache[k].inclusive;
        v->sharing = k == n - 1 ? n_threads : cache[k].cores_sharing;
        v->n_instances = (n_threads + v->sharing - 1) / v->sharing;
        int64_t items = 2 * v->n_instances * v->n_sets * v->ways;
        v->line = malloc((size_t)items * sizeof *v->line);
        v->dirty = calloc((size_t)items, sizeof *v->dirty);
        for (int64_t i = 0; i < items; i++)
            v->line[i] = -1;
    }
}

static void plain_count_anew(struct plain *p)
{
    for (int k = 0; k < p->n_levels; k++) {
        memset(p->level[k].read, 0, sizeof p->level[k].read);
        memset(p->level[k].write, 0, sizeof p->level[k].write);
    }
}

static void plain_flush(struct plain *p)
{
    for (int k = 0; k < p->n_levels; k++) {
        struct plain_level *v = &p->level[k];
        for (int64_t i = 0; i < 2 * v->n_instances * v->n_sets * v->ways; i++) {
            if (!v->dirty[i])
                continue;
            v->dirty[i] = false;
            v->write[sp_trace_array(p->trace, (uint32_t)v->line[i])]++;
            if (k + 1 < p->n_levels)
                plain_store(p, k + 1, (int)(i / (2 * v->n_sets * v->ways)) * v->sharing, v->line[i], true);
        }
    }
}

static void plain_run(struct plain *p, const struct hand_refs *refs)
{
    for (int64_t i = 0; i < refs->n; i++)
        plain_fetch(p, 0, refs->thread[i], refs->ref[i].line, refs->ref[i].write);
}

static void plain_free(struct plain *p)
{
    for (int k = 0; k < p->n_levels; k++) {
        free(p->level[k].line);
        free(p->level[k].dirty);
    }
}

enum sp_status plain_count(const struct sp_layout *layout, const struct sp_sim_options *o, int n_executions,
                           struct plain_counts *counts, struct sp_error *err)
{
    struct sp_trace trace;
    struct sp_trace_options to = {
        .skew = o->skew, .store_nt = o->store_nt, .x_offset_B = o->x_offset_B, .y_offset_B = o->y_offset_B};
    enum sp_status status = sp_trace_open(layout, &to, &trace, err);
    if (status != SP_OK)
        return status;
    struct hand_refs refs;
    hand_references(&trace, &to, &refs);
    struct plain p;
    plain_make(&p, o->machine->cache, o->machine->n_caches, trace.n_threads, &trace);
    for (int i = 1; i < n_executions; i++)
        plain_run(&p, &refs);
    plain_count_anew(&p);
    plain_run(&p, &refs);
    if (o->state == SP_SIM_COLD)
        plain_flush(&p);
    p.level[p.n_levels - 1].write[SP_ARRAY_Y] += refs.nt_lines;
    *counts = (struct plain_counts){.n_levels = p.n_levels, .n_references = refs.n};
    for (int k = 0; k < p.n_levels; k++) {
        memcpy(counts->read[k], p.level[k].read, sizeof counts->read[k]);
        memcpy(counts->write[k], p.level[k].write, sizeof counts->write[k]);
    }
    plain_free(&p);
    hand_refs_free(&refs);
    sp_trace_close(&trace);
    return SP_OK;
}

int plain_differences(const struct plain_counts *counts, const struct sp_traffic *traffic, char *where,
                      size_t size)
{
    int n = 0;
    *where = '\0';
    for (int k = 0; k < counts->n_levels; k++)
        for (int a = 0; a < SP_N_ARRAYS; a++)
            for (int write = 0; write < 2; write++) {
                const double ours = write ? traffic[k].array_write_B[a] : traffic[k].array_read_B[a];
                const int64_t plain = write ? counts->write[k][a] : counts->read[k][a];
                if (ours == 64.0 * (double)plain)
                    continue;
                if (n++ == 0)
                    snprintf(where, size, "level %d, %s %s: %g lines instead of %g", k, sp_array_name(a),
                             write ? "written" : "read", ours / 64, (double)plain);
            }
    return n;
}
