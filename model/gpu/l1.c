#include "model/gpu/l1.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cache/lru.h"

/* Sectors that are followed, about: more SMs differ little from these. */
static const double AIM = 3e6;
enum { FEWEST_SMS = 4 };

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
    struct sp_gpu_cursor *cursor; /* [n_resident warps of a block] */
    int *left;                    /* [n_resident] warps of each block that have not ended */
};

static bool passes_by(const struct sp_gpu_grid *g, enum sp_gpu_array array)
{
    return g->launch.streams_pass_L1 && (array == SP_GPU_COL || array == SP_GPU_VAL);
}

static void touch(struct cache *c, bool endless, int64_t line, uint8_t sector, int64_t *missed)
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
    for (int i = 0; i < n; i++) {
        int64_t line = s->first_line[r->array] + (sector[i] >> s->sectors_shift);
        uint8_t bit = (uint8_t)(1 << (sector[i] & ((1 << s->sectors_shift) - 1)));
        for (int k = 0; k < SP_N_GPU_L1_SIZES; k++)
            touch(&s->cache[k], k == SP_GPU_L1_ENDLESS, line, bit, &s->cache[k].missed[r->array]);
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

static void run_sm(struct simulation *s, int64_t sm)
{
    const int64_t n_blocks = s->grid->launch.n_blocks, n_sm = s->options->n_sm;
    int64_t next = sm;
    int running = 0;
    for (int k = 0; k < SP_N_GPU_L1_SIZES; k++) {
        if (k != SP_GPU_L1_ENDLESS)
            sp_lru_clear(&s->cache[k].lru);
        memset(s->cache[k].present, 0, (size_t)s->n_lines);
    }
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
    } while (running > 0);
}

static enum sp_status make(struct simulation *s, struct sp_error *err)
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
    free(s->cursor);
    free(s->left);
}

/* SMs to simulate: all that have blocks, or some that are as far apart as can be. */
static int64_t sms_of(const struct sp_gpu_grid *g, const struct sp_coalescing *sum, int64_t n_sm)
{
    int64_t with_blocks = g->launch.n_blocks < n_sm ? g->launch.n_blocks : n_sm;
    const int64_t asked = sp_coalesced_sectors(sum, SP_GPU_LOAD) + sp_coalesced_sectors(sum, SP_GPU_COPY);
    double of_sm = (double)asked / (double)(with_blocks ? with_blocks : 1);
    int64_t n = of_sm > 0 ? (int64_t)(AIM / of_sm) : with_blocks;
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
    enum sp_status status = make(&s, err);
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
