#include "model/gpu/wave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/gpu/coalesce.h"

/* Pairs of sectors that are sampled, at most. */
static const double AIM = 16384;
/* The distance of a sector that is new. */
static const int64_t NEW = INT64_MAX;

struct touch {
    uint32_t sector; /* of the sample */
    double streamed; /* [sectors] before it */
};

struct pass {
    const struct sp_gpu_grid *grid;
    struct sp_gpu_wave *wave;
    struct sp_stack stack;
    int stratum; /* one of 2^stratum consecutive pairs is followed */
    uint64_t salt;
    int64_t n_sectors, near; /* of the operands; of a distance that neighbours share a fetch in */
    int64_t second;          /* where the second operand begins among them */
    uint8_t *touched;        /* [n_sectors] */
    double *streamed_at;     /* [sampled sectors] at the last touch */
    int64_t *missed_at;      /* [sampled sectors] distance of the last touch that was not near */
    struct touch *order;     /* [n_order] first touches */
    int64_t n_order;
    double streamed, of_lane;     /* [sectors]; with each lane that asks for a gathered operand */
    struct sp_gpu_cursor *cursor; /* [n_slots warps of a block] */
    int *left;                    /* [n_slots] warps that have not ended */
    int64_t n_slots;
};

static bool is_followed(const struct pass *p, int64_t pair)
{
    uint64_t h = ((uint64_t)(pair >> p->stratum) ^ p->salt) * UINT64_C(0x9e3779b97f4a7c15);
    return (((uint64_t)pair ^ (h >> 40)) & ((UINT64_C(1) << p->stratum) - 1)) == 0;
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
        p->order[p->n_order++] = (struct touch){sector, p->streamed};
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
    for (uint32_t left = r->active; left; left &= left - 1) {
        int64_t sector = first + (r->item[__builtin_ctz(left)] >> to_sector);
        if (sector == last)
            continue;
        last = sector;
        p->touched[sector] = 1;
        if (is_followed(p, sector >> 1))
            follow(p, (uint32_t)(sector >> (p->stratum + 1) << 1 | (sector & 1)));
    }
    p->streamed += p->of_lane * __builtin_popcount(r->active);
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

static enum sp_status walk(struct pass *p, const struct sp_progress *progress, struct sp_error *err)
{
    const int warps = (int)sp_gpu_block_warps(&p->grid->launch);
    const int64_t n_blocks = p->grid->launch.n_blocks;
    int64_t next = 0, running;
    do {
        running = 0;
        for (int64_t slot = 0; slot < p->n_slots; slot++) {
            struct sp_gpu_cursor *c = &p->cursor[slot * warps];
            if (p->left[slot] == 0 && next < n_blocks) {
                for (int w = 0; w < warps; w++)
                    sp_gpu_cursor_open(p->grid, next, w, &c[w]);
                p->left[slot] = warps;
                next++;
            }
            if (p->left[slot] == 0)
                continue;
            p->left[slot] = 0;
            for (int w = 0; w < warps; w++)
                p->left[slot] += go_on(p, &c[w]);
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
        struct touch t = p->order[i];
        double streamed = t.streamed + p->streamed;
        p->wave->across[sp_stack_bucket(distance(p, t.sector, streamed))]++;
        sp_stack_remove(s, s->place[t.sector]);
        sp_stack_append(s, t.sector);
        p->streamed_at[t.sector] = streamed;
    }
}

static void count_touched(const struct pass *p)
{
    struct sp_gpu_wave *w = p->wave;
    for (int64_t i = 0; i < p->n_sectors; i++)
        w->n_sectors += p->touched[i];
    w->weight = w->first > 0 ? (double)w->n_sectors / (double)w->first : 1;
}

static enum sp_status make(struct pass *p, const struct sp_gpu_wave_options *o, struct sp_error *err)
{
    static const char what[] = "the reuse distances in waves";
    const struct sp_gpu_grid *g = p->grid;
    p->n_slots = o->n_blocks < g->launch.n_blocks ? o->n_blocks : g->launch.n_blocks;
    p->second = (sp_gpu_array_bytes(g, SP_GPU_X) / 64 + 1) * 2;
    p->n_sectors = p->second;
    if (g->n_items[SP_GPU_SECOND] > 0)
        p->n_sectors += (sp_gpu_array_bytes(g, SP_GPU_SECOND) / 64 + 1) * 2;
    while (p->stratum < 31 && ldexp((double)p->n_sectors / 2, -p->stratum) > AIM)
        p->stratum++;
    p->salt = o->seed;
    p->near = o->together_B / SP_GPU_SECTOR_B;
    for (int a = 0; a < SP_N_GPU_ARRAYS; a++)
        if (!sp_gpu_is_gathered((enum sp_gpu_array)a))
            p->wave->stream_B += sp_gpu_array_bytes(g, (enum sp_gpu_array)a);
    p->of_lane = o->n_gathers > 0 ? (double)p->wave->stream_B / SP_GPU_SECTOR_B / (double)o->n_gathers : 0;
    int64_t n_sampled = 2 * ((p->n_sectors / 2 >> p->stratum) + 1);
    int64_t n_warps = p->n_slots * sp_gpu_block_warps(&g->launch);
    enum sp_status status = sp_stack_make(n_sampled, &p->stack, err);
    if (status == SP_OK)
        status = sp_new_array(p->n_sectors, 1, what, (void **)&p->touched, err);
    if (status == SP_OK)
        status = sp_new_array(n_sampled, sizeof *p->streamed_at, what, (void **)&p->streamed_at, err);
    if (status == SP_OK)
        status = sp_new_array(n_sampled, sizeof *p->missed_at, what, (void **)&p->missed_at, err);
    if (status == SP_OK)
        status = sp_new_array(n_sampled, sizeof *p->order, what, (void **)&p->order, err);
    if (status == SP_OK)
        status = sp_new_array(n_warps, sizeof *p->cursor, what, (void **)&p->cursor, err);
    if (status == SP_OK)
        status = sp_new_array(p->n_slots, sizeof *p->left, what, (void **)&p->left, err);
    return status;
}

enum sp_status sp_gpu_wave_follow(const struct sp_gpu_grid *grid, const struct sp_gpu_wave_options *o,
                                  struct sp_gpu_wave *wave, struct sp_error *err)
{
    struct pass p = {.grid = grid, .wave = wave};
    memset(wave, 0, sizeof *wave);
    enum sp_status status = make(&p, o, err);
    if (status == SP_OK)
        status = walk(&p, o->progress, err);
    if (status == SP_OK) {
        follow_next(&p);
        count_touched(&p);
    }
    sp_stack_free(&p.stack);
    free(p.touched);
    free(p.streamed_at);
    free(p.missed_at);
    free(p.order);
    free(p.cursor);
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
