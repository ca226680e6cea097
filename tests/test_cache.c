/* The simulator against a cache model of the plainest kind, reference by reference. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/traffic.h"

/* ---- the plain model: every set a list in the order of use ---- */

struct plain_level {
    int64_t n_sets;
    int ways;
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

static int64_t place_of(const struct plain_level *v, int instance, int64_t line)
{
    return (instance * v->n_sets + line % v->n_sets) * v->ways;
}

static int find(const struct plain_level *v, int instance, int64_t line)
{
    int64_t at = place_of(v, instance, line);
    for (int w = 0; w < v->ways; w++)
        if (v->line[at + w] == line)
            return w;
    return -1;
}

/* Takes way w out of its set: the rest moves up. */
static bool take(struct plain_level *v, int instance, int64_t line, int w)
{
    int64_t at = place_of(v, instance, line);
    bool dirty = v->dirty[at + w];
    for (int i = w; i + 1 < v->ways; i++) {
        v->line[at + i] = v->line[at + i + 1];
        v->dirty[at + i] = v->dirty[at + i + 1];
    }
    v->line[at + v->ways - 1] = -1;
    v->dirty[at + v->ways - 1] = false;
    return dirty;
}

/* Puts a line in front; the last one falls out. */
static int64_t put(struct plain_level *v, int instance, int64_t line, bool dirty, bool *victim_dirty)
{
    int64_t at = place_of(v, instance, line), victim = v->line[at + v->ways - 1];
    *victim_dirty = v->dirty[at + v->ways - 1];
    for (int i = v->ways - 1; i > 0; i--) {
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
        v->ways = cache[k].ways ? cache[k].ways : (int)lines;
        v->n_sets = lines / v->ways;
        v->victim = cache[k].victim;
        v->inclusive = cache[k].inclusive;
        v->sharing = k == n - 1 ? n_threads : cache[k].cores_sharing;
        v->n_instances = (n_threads + v->sharing - 1) / v->sharing;
        int64_t items = v->n_instances * v->n_sets * v->ways;
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
        for (int64_t i = 0; i < v->n_instances * v->n_sets * v->ways; i++) {
            if (!v->dirty[i])
                continue;
            v->dirty[i] = false;
            v->write[sp_trace_array(p->trace, (uint32_t)v->line[i])]++;
            if (k + 1 < p->n_levels)
                plain_store(p, k + 1, (int)(i / (v->n_sets * v->ways)) * v->sharing, v->line[i], true);
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

/* ---- comparison ---- */

static struct sp_cache cache_of(int64_t lines, int ways, int sharing)
{
    return (struct sp_cache){.level = 1,
                             .size_B = lines * 64,
                             .effective_B = sp_value_none("not measured"),
                             .line_B = 64,
                             .ways = ways,
                             .cores_sharing = sharing,
                             .policy = SP_LRU};
}

static struct sp_machine machine_of(const struct sp_cache *cache, int n)
{
    struct sp_machine m = {.n_caches = n};
    memcpy(m.cache, cache, (size_t)n * sizeof *cache);
    return m;
}

static void compare(const struct sp_layout *l, const struct sp_sim_options *o, const char *what)
{
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    struct sp_error err = {0};
    struct sp_sim_facts facts;
    ck_assert_msg(sp_sim_traffic(l, o, traffic, &n_levels, &facts, &err) == SP_OK, "%s: %s", what, err.what);
    struct sp_trace trace;
    struct sp_trace_options to = {
        .skew = o->skew, .store_nt = o->store_nt, .x_offset_B = o->x_offset_B, .y_offset_B = o->y_offset_B};
    ck_assert(sp_trace_open(l, &to, &trace, NULL) == SP_OK);
    struct hand_refs refs;
    hand_references(&trace, &to, &refs);
    ck_assert(o->store_nt || refs.n == trace.n_references);
    struct plain p;
    plain_make(&p, o->machine->cache, o->machine->n_caches, trace.n_threads, &trace);
    for (int i = 1; i < facts.n_executions; i++)
        plain_run(&p, &refs);
    plain_count_anew(&p);
    plain_run(&p, &refs);
    if (o->state == SP_SIM_COLD)
        plain_flush(&p);
    p.level[n_levels - 1].write[SP_ARRAY_Y] += refs.nt_lines;
    for (int k = 0; k < n_levels; k++)
        for (int a = 0; a < SP_N_ARRAYS; a++) {
            ck_assert_msg(traffic[k].array_read_B[a] == 64.0 * (double)p.level[k].read[a],
                          "%s: level %d, %s read: %g lines instead of %g", what, k, sp_array_name(a),
                          traffic[k].array_read_B[a] / 64, (double)p.level[k].read[a]);
            ck_assert_msg(traffic[k].array_write_B[a] == 64.0 * (double)p.level[k].write[a],
                          "%s: level %d, %s written: %g lines instead of %g", what, k, sp_array_name(a),
                          traffic[k].array_write_B[a] / 64, (double)p.level[k].write[a]);
        }
    plain_free(&p);
    hand_refs_free(&refs);
    sp_trace_close(&trace);
}

static const struct hand_shape shapes[] = {
    {120, 120, 7, 0.0, -1, 0, 1}, {110, 110, 24, 0.0, -1, 20, 2}, {150, 60, 3, 0.4, 40, 0, 3},
    {40, 400, 12, 0.1, -1, 0, 4}, {130, 130, 1, 0.5, 129, 0, 5},  {64, 64, 20, 0.0, -1, 5, 6},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static const struct {
    enum sp_format format;
    int32_t C;
    int64_t sigma;
    enum sp_precision precision;
    enum sp_index index;
} formats[] = {
    {SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32},     {SP_FORMAT_CRS, 1, 1, SP_F32, SP_I64},
    {SP_FORMAT_CRS, 1, 1, SP_C128, SP_I32},    {SP_FORMAT_SELL, 4, 1, SP_F64, SP_I32},
    {SP_FORMAT_SELL, 8, 32, SP_F32, SP_I32},   {SP_FORMAT_SELL, 32, 64, SP_F64, SP_I64},
    {SP_FORMAT_SELL, 3, 6, SP_F64, SP_I32},    {SP_FORMAT_SELLU, 4, 1, SP_F64, SP_I32},
    {SP_FORMAT_SELLU, 8, 16, SP_F32, SP_I32},  {SP_FORMAT_CRS, 1, 1, SP_MIXED, SP_D16},
    {SP_FORMAT_SELL, 8, 32, SP_MIXED, SP_D16}, {SP_FORMAT_CRS, 1, 1, SP_F64, SP_D16},
    {SP_FORMAT_SELL, 4, 1, SP_F64, SP_D16},    {SP_FORMAT_SELLU, 4, 1, SP_MIXED, SP_I32},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* Calls check(layout, what) for all formats, schedules and 1 to 3 threads of one shape. */
static void for_all_layouts(int shape, void (*check)(const struct sp_layout *, const char *))
{
    struct sp_csr a;
    hand_matrix(&shapes[shape], &a);
    for (int f = shape % 2; f < N_FORMATS; f += 2)
        for (int schedule = 0; schedule < SP_N_SCHEDULES; schedule++)
            for (int n = 1 + (shape & 1); n <= 3; n += 2 - (shape & 1)) {
                if (schedule == SP_SCHEDULE_MERGE &&
                    (formats[f].format != SP_FORMAT_CRS || formats[f].index == SP_D16))
                    continue;
                struct sp_layout l;
                hand_layout(&a, formats[f].format, formats[f].C, formats[f].sigma, formats[f].precision,
                            formats[f].index, schedule, n, &l);
                char what[128];
                snprintf(what, sizeof what, "shape %d, %s-%d-%d, %s, %s, %s, %d threads", shape,
                         sp_format_name(l.format), (int)l.C, (int)l.sigma, sp_precision_name(l.precision),
                         sp_index_name(l.index), sp_schedule_name(schedule), n);
                check(&l, what);
                hand_free(&l);
            }
    sp_csr_free(&a);
}

static void check_one_level(const struct sp_layout *l, const char *what)
{
    static const int64_t lines[] = {3, 5, 6, 7, 16, 60, 400};
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++)
        for (int state = SP_SIM_WARM; state <= SP_SIM_COLD; state++) {
            struct sp_cache c = cache_of(lines[i], 0, 1);
            struct sp_machine m = machine_of(&c, 1);
            struct sp_sim_options o = sp_sim_default(&m);
            o.state = state;
            char where[192];
            snprintf(where, sizeof where, "%s, %d lines, %s", what, (int)lines[i], state ? "cold" : "warm");
            compare(l, &o, where);
        }
}

START_TEST(one_full_level_equals_plain_lru)
{
    for_all_layouts(_i, check_one_level);
}
END_TEST

static void check_sets(const struct sp_layout *l, const char *what)
{
    static const struct {
        int64_t lines;
        int ways;
    } c1[] = {{8, 2}, {24, 6}, {32, 8}, {48, 12}, {36, 12}};
    /* All pairs of a first level and a kind occur, each with other layouts. */
    static int turn;
    for (int kind = 0; kind < 4; kind++) {
        int i = turn++ % (int)(sizeof c1 / sizeof *c1);
        struct sp_cache c[3] = {cache_of(c1[i].lines, c1[i].ways, 1), cache_of(56, 8, kind == 3 ? 2 : 1),
                                cache_of(112, 16, 3)};
        c[2].victim = kind == 1;
        c[2].inclusive = c[1].inclusive = kind == 2;
        if (kind == 3)
            c[2].ways = 0;
        struct sp_machine m = machine_of(c, 3);
        struct sp_sim_options o = sp_sim_default(&m);
        o.skew = kind == 0 ? 0.2 : 0;
        o.store_nt = kind == 3 && i == 1;
        o.x_offset_B = i % 2 ? 16 : 0;
        o.y_offset_B = i % 2 ? 32 : 0;
        for (int state = SP_SIM_WARM; state <= SP_SIM_COLD; state++) {
            o.state = state;
            char where[192];
            snprintf(where, sizeof where, "%s, L1 %d ways, kind %d, %s", what, c1[i].ways, kind,
                     state ? "cold" : "warm");
            compare(l, &o, where);
        }
    }
}

START_TEST(hierarchies_equal_plain_ones)
{
    for_all_layouts(_i, check_sets);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cache");
    TCase *tc = tcase_create("cache");
    tcase_add_loop_test(tc, one_full_level_equals_plain_lru, 0, N_SHAPES);
    tcase_add_loop_test(tc, hierarchies_equal_plain_ones, 0, N_SHAPES);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
