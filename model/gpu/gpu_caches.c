#include "model/gpu/gpu_caches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cache/cache.h"
#include "model/gpu/coalesce.h"

/* Sectors that are followed, about: more SMs differ little from these. */
static const double L1_AIM = 3e6;
enum { FEWEST_SMS = 4 };
/* Of one SM at most, where warps of SpMMV and SpMM have whole runs of columns: a few times what its
 * L1 holds shows what comes again. */
static const int64_t WIDE_MOST = 1000000;

struct cache {
    struct sp_lru lru; /* of lines; not made for the endless one */
    uint8_t *present;  /* [n_lines] sectors of each, bit by bit */
    int64_t missed[SP_N_GPU_ARRAYS];
};

struct simulation {
    const struct sp_gpu_grid *grid;
    const struct sp_gpu_l1_options *options;
    int sectors_shift; /* a line has 2^shift sectors */
    int64_t n_lines, first_line[SP_N_GPU_ARRAYS];
    struct cache cache[SP_N_GPU_L1_SIZES];
    int64_t loaded[SP_N_GPU_ARRAYS];
    int64_t n_asked;              /* sectors of the SM so far */
    int64_t *line, n_met;         /* WIDE: [n_met] lines that it met, which are all that is forgotten for
                                     the next one; NULL: all lines are */
    struct sp_gpu_cursor *cursor; /* [n_resident warps of a block] */
    int *left;                    /* [n_resident] warps of each block that have not ended */
};

static bool passes_by(const struct sp_gpu_grid *g, enum sp_gpu_array array)
{
    return g->launch.streams_pass_L1 && (array == SP_GPU_COL || array == SP_GPU_VAL);
}

static void touch_l1(struct cache *c, bool endless, int64_t line, uint8_t sector, int64_t *missed)
{
    if (!endless) {
        uint32_t victim;
        if (!sp_lru_has(&c->lru, (uint32_t)line) && sp_lru_admit(&c->lru, &victim))
            c->present[victim] = 0;
        sp_lru_append(&c->lru, (uint32_t)line);
    }
    *missed += !(c->present[line] & sector);
    c->present[line] |= sector;
}

static void ask(struct simulation *s, const struct sp_gpu_request *r)
{
    int64_t sector[SP_WARP];
    uint32_t used[SP_WARP];
    if (r->access != SP_GPU_LOAD || passes_by(s->grid, r->array))
        return;
    int n = sp_gpu_request_sectors(s->grid, r, sector, used);
    s->loaded[r->array] += n;
    s->n_asked += n;
    for (int i = 0; i < n; i++) {
        int64_t line = s->first_line[r->array] + (sector[i] >> s->sectors_shift);
        uint8_t bit = (uint8_t)(1 << (sector[i] & ((1 << s->sectors_shift) - 1)));
        if (s->line && !s->cache[SP_GPU_L1_ENDLESS].present[line])
            s->line[s->n_met++] = line;
        for (int k = 0; k < SP_N_GPU_L1_SIZES; k++)
            touch_l1(&s->cache[k], k == SP_GPU_L1_ENDLESS, line, bit, &s->cache[k].missed[r->array]);
    }
}

static void begin_block(struct simulation *s, int slot, int64_t block)
{
    const int warps = (int)sp_gpu_block_warps(&s->grid->launch);
    s->left[slot] = warps;
    for (int w = 0; w < warps; w++)
        sp_gpu_cursor_open(s->grid, block, w, &s->cursor[slot * warps + w]);
}

/* One request of each warp of a block. */
static void turn(struct simulation *s, int slot)
{
    const int warps = (int)sp_gpu_block_warps(&s->grid->launch);
    struct sp_gpu_request r;
    s->left[slot] = 0;
    for (int w = 0; w < warps; w++)
        if (sp_gpu_cursor_next(&s->cursor[slot * warps + w], &r)) {
            ask(s, &r);
            s->left[slot]++;
        }
}

/* Empties a cache: of all lines, or of those that were met. */
static void forget(const struct simulation *s, struct cache *c, bool endless)
{
    if (!s->line) {
        if (!endless)
            sp_lru_clear(&c->lru);
        memset(c->present, 0, (size_t)s->n_lines);
        return;
    }
    for (int64_t i = 0; i < s->n_met; i++) {
        c->present[s->line[i]] = 0;
        if (!endless)
            c->lru.place[s->line[i]] = SP_LRU_ABSENT;
    }
    c->lru.resident = c->lru.head = c->lru.tail = 0;
}

static bool ends_early(const struct sp_gpu_grid *g)
{
    return sp_gpu_is_wide(g) && !sp_gpu_is_sampled(&g->launch);
}

static void run_sm(struct simulation *s, int64_t sm)
{
    const int64_t n_blocks = s->grid->launch.n_blocks, n_sm = s->options->n_sm;
    const int64_t most = ends_early(s->grid) ? WIDE_MOST : INT64_MAX;
    int64_t next = sm;
    int running = 0;
    s->n_asked = 0;
    for (int k = 0; k < SP_N_GPU_L1_SIZES; k++)
        forget(s, &s->cache[k], k == SP_GPU_L1_ENDLESS);
    s->n_met = 0;
    memset(s->left, 0, (size_t)s->options->n_resident * sizeof *s->left);
    do {
        running = 0;
        for (int slot = 0; slot < s->options->n_resident; slot++) {
            if (s->left[slot] == 0 && next < n_blocks) {
                begin_block(s, slot, next);
                next += n_sm;
            }
            if (s->left[slot] == 0)
                continue;
            turn(s, slot);
            running++;
        }
    } while (running > 0 && s->n_asked < most);
}

static enum sp_status make_l1(struct simulation *s, struct sp_error *err)
{
    static const char what[] = "the simulation of L1s";
    const struct sp_gpu_l1_options *o = s->options;
    int64_t per_256_B = SP_GPU_ALIGN_B / o->line_B, capacity = o->L1_B / o->line_B;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++) {
        s->first_line[a] = s->n_lines;
        s->n_lines += (sp_gpu_array_bytes(s->grid, (enum sp_gpu_array)a) / SP_GPU_ALIGN_B + 1) * per_256_B;
    }
    s->sectors_shift = __builtin_ctz((unsigned)(o->line_B / SP_GPU_SECTOR_B));
    int64_t warps = o->n_resident * sp_gpu_block_warps(&s->grid->launch);
    enum sp_status status = sp_new_array(warps, sizeof *s->cursor, what, (void **)&s->cursor, err);
    if (status == SP_OK)
        status = sp_new_array(o->n_resident, sizeof *s->left, what, (void **)&s->left, err);
    if (status == SP_OK && ends_early(s->grid)) /* a turn of all warps goes beyond the most */
        status =
            sp_new_array(WIDE_MOST + (warps + 1) * SP_WARP, sizeof *s->line, what, (void **)&s->line, err);
    for (int k = 0; k < SP_N_GPU_L1_SIZES && status == SP_OK; k++) {
        int64_t lines = k == SP_GPU_L1_HALF ? capacity / 2 : capacity;
        status = sp_new_array(s->n_lines, 1, what, (void **)&s->cache[k].present, err);
        if (status == SP_OK && k != SP_GPU_L1_ENDLESS)
            status = sp_lru_make(s->n_lines, lines > 0 ? lines : 1, &s->cache[k].lru, err);
    }
    return status;
}

static void unmake(struct simulation *s)
{
    for (int k = 0; k < SP_N_GPU_L1_SIZES; k++) {
        sp_lru_free(&s->cache[k].lru);
        free(s->cache[k].present);
    }
    free(s->line);
    free(s->cursor);
    free(s->left);
}

/* SMs to simulate: all that have blocks, or some that are as far apart as can be. */
static int64_t sms_of(const struct sp_gpu_grid *g, const struct sp_coalescing *sum, int64_t n_sm)
{
    int64_t with_blocks = g->launch.n_blocks < n_sm ? g->launch.n_blocks : n_sm;
    const int64_t asked = sp_coalesced_sectors(sum, SP_GPU_LOAD) + sp_coalesced_sectors(sum, SP_GPU_COPY);
    double of_sm = (double)asked / (double)(with_blocks ? with_blocks : 1);
    int64_t n = of_sm > 0 ? (int64_t)(L1_AIM / of_sm) : with_blocks;
    if (n < FEWEST_SMS)
        n = FEWEST_SMS;
    return n < with_blocks ? n : with_blocks;
}

enum sp_status sp_gpu_l1_simulate(const struct sp_gpu_grid *g, const struct sp_coalescing *sum,
                                  const struct sp_gpu_l1_options *o, struct sp_gpu_l1 *l1,
                                  struct sp_error *err)
{
    struct simulation s = {.grid = g, .options = o};
    memset(l1, 0, sizeof *l1);
    const int64_t n = sms_of(g, sum, o->n_sm);
    const int64_t with_blocks = g->launch.n_blocks < o->n_sm ? g->launch.n_blocks : o->n_sm;
    enum sp_status status = make_l1(&s, err);
    for (int64_t i = 0; i < n && status == SP_OK; i++) {
        run_sm(&s, i * with_blocks / n);
        if (sp_progress_interrupted(o->progress))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "the simulation of L1s was interrupted");
    }
    l1->n_sms = (int)n;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        for (int k = 0; k < SP_N_GPU_L1_SIZES; k++)
            l1->missed[a][k] = passes_by(g, (enum sp_gpu_array)a) || s.loaded[a] == 0
                                   ? 1
                                   : (double)s.cache[k].missed[a] / (double)s.loaded[a];
    unmake(&s);
    return status;
}

/* Pairs of sectors that are sampled, at most. */
static const double WAVE_AIM = 16384;
/* The distance of a sector that is new. */
static const int64_t NEW = INT64_MAX;

struct touch_wave {
    uint32_t sector; /* of the sample */
    double streamed; /* [sectors] before it */
};

struct pass {
    const struct sp_gpu_grid *grid;
    struct sp_gpu_wave *wave;
    struct sp_stack stack;
    int stratum; /* one of 2^stratum consecutive pairs is followed */
    uint64_t salt;
    int64_t n_sectors, near;  /* of the operands; of a distance that neighbours share a fetch in */
    int64_t second;           /* where the second operand begins among them */
    uint8_t *touched;         /* [n_sectors] */
    double *streamed_at;      /* [sampled sectors] at the last touch */
    int64_t *missed_at;       /* [sampled sectors] distance of the last touch that was not near */
    struct touch_wave *order; /* [n_order] first touches */
    int64_t n_order;
    double streamed, of_lane;      /* [sectors]; with each lane that asks for a gathered operand */
    struct sp_gpu_cursor *cursor;  /* [n_slots warps of a block], or */
    struct sp_gpu_wide_warp *wide; /* the same, where requests need not be walked through */
    int *left;                     /* [n_slots] warps that have not ended */
    int64_t n_slots;
};

/* The pair of a stratum that is followed. */
static int64_t followed_of(const struct pass *p, int64_t stratum)
{
    const uint64_t h = ((uint64_t)stratum ^ p->salt) * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)((uint64_t)stratum << p->stratum | ((h >> 40) & ((UINT64_C(1) << p->stratum) - 1)));
}

static bool is_followed(const struct pass *p, int64_t pair)
{
    return pair == followed_of(p, pair >> p->stratum);
}

static int64_t distance(const struct pass *p, uint32_t sector, double streamed)
{
    double followed = ldexp((double)sp_stack_after(&p->stack, p->stack.place[sector]), p->stratum);
    return (int64_t)(followed + streamed - p->streamed_at[sector]);
}

/* A neighbour that was missed lately brought this sector along, in a fetch of both. */
static void follow_neighbour(struct pass *p, uint32_t sector, int64_t d)
{
    const uint32_t other = sector ^ 1;
    if (p->stack.place[other] == SP_STACK_NEW || distance(p, other, p->streamed) > p->near)
        return;
    int64_t both = d < p->missed_at[other] ? d : p->missed_at[other];
    if (both == NEW)
        p->wave->first_together++;
    else if (both > p->near)
        p->wave->together[sp_stack_bucket(both)]++;
}

static void follow(struct pass *p, uint32_t sector)
{
    struct sp_stack *s = &p->stack;
    int64_t d = NEW;
    if (s->place[sector] == SP_STACK_NEW) {
        p->wave->first++;
        p->order[p->n_order++] = (struct touch_wave){sector, p->streamed};
    } else {
        d = distance(p, sector, p->streamed);
        p->wave->within[sp_stack_bucket(d)]++;
    }
    if (d > p->near) {
        follow_neighbour(p, sector, d);
        p->missed_at[sector] = d;
    }
    if (d != NEW)
        sp_stack_remove(s, s->place[sector]);
    sp_stack_append(s, sector);
    p->streamed_at[sector] = p->streamed;
}

static void gather(struct pass *p, const struct sp_gpu_request *r)
{
    const int to_sector = SP_GPU_SECTOR_SHIFT - p->grid->item_shift[r->array];
    const int64_t first = r->array == SP_GPU_SECOND ? p->second : 0;
    int64_t last = -1;
    int lanes = 0;
    for (uint32_t left = r->active; left; left &= left - 1, lanes++) {
        int64_t sector = first + (r->item[__builtin_ctz(left)] >> to_sector);
        if (sector == last)
            continue;
        last = sector;
        p->touched[sector] = 1;
        if (is_followed(p, sector >> 1))
            follow(p, (uint32_t)(sector >> (p->stratum + 1) << 1 | (sector & 1)));
    }
    p->streamed += p->of_lane * lanes;
}

/* To the warp's next request for a gathered operand; false: it has ended. */
static bool go_on(struct pass *p, struct sp_gpu_cursor *c)
{
    struct sp_gpu_request r;
    while (sp_gpu_cursor_next(c, &r))
        if (sp_gpu_is_gathered(r.array)) {
            gather(p, &r);
            return true;
        }
    return false;
}

/* The same where a request is a run of n sectors for each team. */
static bool go_on_wide(struct pass *p, struct sp_gpu_wide_warp *w, int n)
{
    int64_t sector[SP_GPU_MOST_TEAMS];
    const int teams = sp_gpu_wide_next(p->grid, w, sector);
    for (int t = 0; t < teams; t++) {
        const int64_t first = sector[t] >> 1, last = (sector[t] + n - 1) >> 1;
        for (int64_t q = first >> p->stratum; q <= last >> p->stratum; q++) {
            const int64_t pair = followed_of(p, q);
            if (pair < first || pair > last)
                continue;
            follow(p, (uint32_t)(q << 1));
            follow(p, (uint32_t)(q << 1 | 1));
        }
    }
    p->streamed += p->of_lane * (teams * sp_gpu_wide_lanes(p->grid));
    return teams > 0;
}

static void open_gathers(const struct sp_gpu_grid *g, int64_t block, int warp, struct sp_gpu_cursor *c)
{
    sp_gpu_cursor_open(g, block, warp, c);
    c->gathers_only = !g->walks_all;
}

static void open_block(struct pass *p, int64_t slot, int64_t block, int warps)
{
    for (int w = 0; w < warps; w++)
        if (p->wide)
            sp_gpu_wide_open(p->grid, block, w, &p->wide[slot * warps + w]);
        else
            open_gathers(p->grid, block, w, &p->cursor[slot * warps + w]);
    p->left[slot] = warps;
}

static int go_on_block(struct pass *p, int64_t slot, int warps, int wide_sectors)
{
    int going = 0;
    for (int w = 0; w < warps; w++)
        going += p->wide ? go_on_wide(p, &p->wide[slot * warps + w], wide_sectors)
                         : go_on(p, &p->cursor[slot * warps + w]);
    return going;
}

static enum sp_status walk(struct pass *p, const struct sp_progress *progress, struct sp_error *err)
{
    const int warps = (int)sp_gpu_block_warps(&p->grid->launch);
    const int64_t n_blocks = p->grid->launch.n_blocks;
    const int wide_sectors = p->wide ? sp_gpu_wide_sectors(p->grid) : 0;
    int64_t next = 0, running;
    do {
        running = 0;
        for (int64_t slot = 0; slot < p->n_slots; slot++) {
            if (p->left[slot] == 0 && next < n_blocks)
                open_block(p, slot, next++, warps);
            if (p->left[slot] == 0)
                continue;
            p->left[slot] = go_on_block(p, slot, warps, wide_sectors);
            running++;
        }
        if (sp_progress_interrupted(progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "the reuse analysis was interrupted");
    } while (running > 0);
    return SP_OK;
}

/* Distances of the next execution's first touches. */
static void follow_next(struct pass *p)
{
    struct sp_stack *s = &p->stack;
    for (int64_t i = 0; i < p->n_order; i++) {
        struct touch_wave t = p->order[i];
        double streamed = t.streamed + p->streamed;
        p->wave->across[sp_stack_bucket(distance(p, t.sector, streamed))]++;
        sp_stack_remove(s, s->place[t.sector]);
        sp_stack_append(s, t.sector);
        p->streamed_at[t.sector] = streamed;
    }
}

static enum sp_status count_touched(const struct pass *p, struct sp_error *err)
{
    struct sp_gpu_wave *w = p->wave;
    enum sp_status status = SP_OK;
    if (p->wide) {
        status = sp_gpu_wide_rows(p->grid, &w->n_sectors, err);
        w->n_sectors *= p->grid->layout->r * (int64_t)p->grid->layout->s_x / SP_GPU_SECTOR_B;
        if (p->grid->n_items[SP_GPU_SECOND] > 0)
            w->n_sectors *= 2;
    }
    for (int64_t i = 0; !p->wide && i < p->n_sectors; i++)
        w->n_sectors += p->touched[i];
    w->weight = w->first > 0 ? (double)w->n_sectors / (double)w->first : 1;
    return status;
}

/* Of the rows of SDDMM those that have entries; TILE stages all rows, FUSED loads them. */
static int64_t streamed_bytes(const struct sp_gpu_grid *g, enum sp_gpu_array array)
{
    const struct sp_gpu_launch *n = &g->launch;
    const int64_t all_B = sp_gpu_array_bytes(g, array);
    const bool skips =
        n->map == SP_GPU_SAMPLE || n->map == SP_GPU_EQUAL || (n->map == SP_GPU_FUSED && n->vectors == 0);
    return array == SP_GPU_ROWS && skips ? (int64_t)sp_layout_array_bytes(g->layout, SP_ARRAY_ROWS) : all_B;
}

static enum sp_status make_wave(struct pass *p, const struct sp_gpu_wave_options *o, struct sp_error *err)
{
    static const char what[] = "the reuse distances in waves";
    const struct sp_gpu_grid *g = p->grid;
    const bool wide = (sp_gpu_is_wide(g) || sp_gpu_has_wide_tiles(g)) && !g->walks_all;
    p->n_slots = o->n_blocks < g->launch.n_blocks ? o->n_blocks : g->launch.n_blocks;
    p->second = sp_gpu_second_sector(g);
    p->n_sectors = p->second;
    if (g->n_items[SP_GPU_SECOND] > 0)
        p->n_sectors += (sp_gpu_array_bytes(g, SP_GPU_SECOND) / 64 + 1) * 2;
    while (p->stratum < 31 && ldexp((double)p->n_sectors / 2, -p->stratum) > WAVE_AIM)
        p->stratum++;
    p->salt = o->seed;
    p->near = o->together_B / SP_GPU_SECTOR_B;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        if (!sp_gpu_is_gathered((enum sp_gpu_array)a))
            p->wave->stream_B += streamed_bytes(g, (enum sp_gpu_array)a);
    /* What the L2 gives up first, or has other room for, takes no place of x. */
    p->of_lane = o->n_gathers > 0 && g->launch.map != SP_GPU_KEEP && !g->launch.x_in_window
                     ? (double)p->wave->stream_B / SP_GPU_SECTOR_B / (double)o->n_gathers
                     : 0;
    int64_t n_sampled = 2 * ((p->n_sectors / 2 >> p->stratum) + 1);
    int64_t n_warps = p->n_slots * sp_gpu_block_warps(&g->launch);
    enum sp_status status = sp_stack_make(n_sampled, &p->stack, err);
    if (status == SP_OK)
        status = sp_new_array(wide ? 0 : p->n_sectors, 1, what, (void **)&p->touched, err);
    if (status == SP_OK)
        status = sp_new_array(n_sampled, sizeof *p->streamed_at, what, (void **)&p->streamed_at, err);
    if (status == SP_OK)
        status = sp_new_array(n_sampled, sizeof *p->missed_at, what, (void **)&p->missed_at, err);
    if (status == SP_OK)
        status = sp_new_array(n_sampled, sizeof *p->order, what, (void **)&p->order, err);
    if (status == SP_OK)
        status = wide ? sp_new_array(n_warps, sizeof *p->wide, what, (void **)&p->wide, err)
                      : sp_new_array(n_warps, sizeof *p->cursor, what, (void **)&p->cursor, err);
    if (status == SP_OK)
        status = sp_new_array(p->n_slots, sizeof *p->left, what, (void **)&p->left, err);
    return status;
}

enum sp_status sp_gpu_wave_follow(const struct sp_gpu_grid *grid, const struct sp_gpu_wave_options *o,
                                  struct sp_gpu_wave *wave, struct sp_error *err)
{
    struct pass p = {.grid = grid, .wave = wave};
    memset(wave, 0, sizeof *wave);
    enum sp_status status = make_wave(&p, o, err);
    if (status == SP_OK)
        status = walk(&p, o->progress, err);
    if (status == SP_OK) {
        follow_next(&p);
        status = count_touched(&p, err);
    }
    sp_stack_free(&p.stack);
    free(p.touched);
    free(p.streamed_at);
    free(p.missed_at);
    free(p.order);
    free(p.cursor);
    free(p.wide);
    free(p.left);
    return status;
}

/* Those whose distance a cache of so many sectors does not hold. */
static double beyond(const int64_t count[SP_STACK_BUCKETS], int64_t sectors)
{
    int64_t n = 0;
    for (int b = SP_STACK_BUCKETS - 1; b > 0 && sp_stack_capacity(b - 1) >= sectors; b--)
        n += count[b];
    return (double)n;
}

double sp_gpu_wave_x_bytes(const struct sp_gpu_wave *w, int64_t L2_B, int fetch_B, bool warm)
{
    const int64_t sectors = L2_B / SP_GPU_SECTOR_B;
    double first = warm ? beyond(w->across, sectors) : (double)w->first;
    double missed = first + beyond(w->within, sectors);
    if (fetch_B <= SP_GPU_SECTOR_B)
        return missed * w->weight * SP_GPU_SECTOR_B;
    /* What is found of the one before is found of both neighbours. */
    double together = w->first > 0 ? first / (double)w->first * (double)w->first_together : 0;
    together += beyond(w->together, sectors);
    return (missed - together) * w->weight * 2 * SP_GPU_SECTOR_B;
}

int64_t sp_gpu_wave_footprint(const struct sp_gpu_wave *w)
{
    return w->stream_B + w->n_sectors * SP_GPU_SECTOR_B;
}
