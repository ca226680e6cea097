#include "sparse/structure/structure.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/sort.h"
#include "sparse/formats/bcsr.h"

/* Rows longer than this are few (n_nz / LONG at most) and are sorted; others are counted. */
enum { LONG = 1 << 16 };

__extension__ typedef unsigned __int128 uint128;

/* Whole numbers, so that they are the same in any order of rows. */
struct row_sums {
    int64_t lower, upper, profile, n_diagonal, n_empty, n_long, min, max;
    uint128 distance, squares;
};

static void add_row(const struct sp_csr *a, int64_t i, unsigned char *used, struct row_sums *sum)
{
    int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1], n = end - begin, distance = 0;
    sum->squares += (uint128)n * (uint128)n;
    sum->n_empty += n == 0;
    sum->n_long += n > LONG;
    sum->min = n < sum->min ? n : sum->min;
    sum->max = n > sum->max ? n : sum->max;
    if (n == 0)
        return;
    int64_t below = i - sp_csr_col(a, begin), above = sp_csr_col(a, end - 1) - i;
    sum->lower = below > sum->lower ? below : sum->lower;
    sum->upper = above > sum->upper ? above : sum->upper;
    sum->profile += below > 0 ? below : 0;
    for (int64_t k = begin; k < end; k++) {
        int64_t j = sp_csr_col(a, k);
        distance += j > i ? j - i : i - j;
        sum->n_diagonal += j == i;
        if (!__atomic_load_n(&used[j], __ATOMIC_RELAXED))
            __atomic_store_n(&used[j], 1, __ATOMIC_RELAXED);
    }
    sum->distance += (uint128)distance;
}

/* The smallest length that at least rank rows do not exceed; rank >= 1. */
static int64_t at_rank(const int64_t *count, const int32_t *lengths, int64_t rank)
{
    int64_t below = 0;
    for (int64_t n = 0; n <= LONG; n++) {
        below += count[n];
        if (below >= rank)
            return n;
    }
    return lengths[rank - below - 1];
}

static enum sp_status quantiles(const struct sp_csr *a, struct sp_structure *s, int64_t n_long,
                                struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(LONG + 1, sizeof(int64_t), "row lengths", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *count = p;
    status = sp_new_array(2 * n_long, sizeof(int32_t), "long rows", &p, err);
    if (status != SP_OK) {
        free(count);
        return status;
    }
    int32_t *lengths = p;
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t length = a->row_ptr[i + 1] - a->row_ptr[i];
        if (length > LONG)
            lengths[n++] = (int32_t)length;
        else
            count[length]++;
    }
    sp_sort_i32(lengths, n, lengths + n_long);
    s->row_median = at_rank(count, lengths, (a->n_r + 1) / 2);
    s->row_p99 = at_rank(count, lengths, a->n_r - a->n_r / 100);
    for (s->longest_row = 0; a->row_ptr[s->longest_row + 1] - a->row_ptr[s->longest_row] != s->row_max;)
        s->longest_row++;
    free(count);
    free(lengths);
    return SP_OK;
}

/* Lengths, quantiles, places. */
static enum sp_status find_rows(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    s->n_empty_rows = a->n_r;
    if (a->n_r == 0 || a->n_c == 0)
        return SP_OK;
    void *p;
    enum sp_status status = sp_large_alloc(NULL, a->n_c, 1, "marks of columns", &p, err);
    if (status != SP_OK)
        return status;
    unsigned char *used = p;
    struct row_sums all = {.min = INT64_MAX};
#pragma omp parallel
    {
        struct row_sums own = {.min = INT64_MAX};
#pragma omp for schedule(dynamic, 1024) nowait
        for (int64_t i = 0; i < a->n_r; i++)
            add_row(a, i, used, &own);
#pragma omp critical
        {
            all.lower = own.lower > all.lower ? own.lower : all.lower;
            all.upper = own.upper > all.upper ? own.upper : all.upper;
            all.min = own.min < all.min ? own.min : all.min;
            all.max = own.max > all.max ? own.max : all.max;
            all.profile += own.profile;
            all.n_diagonal += own.n_diagonal;
            all.n_empty += own.n_empty;
            all.n_long += own.n_long;
            all.distance += own.distance;
            all.squares += own.squares;
        }
    }
    for (int64_t j = 0; j < a->n_c; j++)
        s->n_c_used += used[j];
    sp_large_free(NULL, used, a->n_c, 1);
    s->row_min = all.min;
    s->row_max = all.max;
    const uint128 n_nz = (uint128)a->n_nz; /* n_r^2 times the variance of lengths: */
    const double scatter = (double)((uint128)a->n_r * all.squares - n_nz * n_nz);
    s->row_cv = a->n_nz > 0 ? sqrt(scatter) / (double)a->n_nz : 0;
    s->n_empty_rows = all.n_empty;
    s->lower_bandwidth = all.lower;
    s->upper_bandwidth = all.upper;
    s->profile = all.profile;
    s->n_diagonal = all.n_diagonal;
    s->mean_distance = a->n_nz > 0 ? (double)all.distance / (double)a->n_nz : 0;
    return quantiles(a, s, all.n_long, err);
}

/* Different values by their bits, up to SP_STRUCTURE_DISTINCT of them: open addressing, never more
 * than half full. A real value has 0 as its second half. */
enum { VALUE_SLOTS = 4 * SP_STRUCTURE_DISTINCT };

struct values {
    int64_t n; /* SP_STRUCTURE_DISTINCT + 1: too many, no longer counted */
    bool taken[VALUE_SLOTS];
    uint64_t key[VALUE_SLOTS][2];
};

static void add_value(struct values *v, uint64_t re, uint64_t im)
{
    size_t slot = sp_random_at(re, im) % VALUE_SLOTS;
    while (v->taken[slot]) {
        if (v->key[slot][0] == re && v->key[slot][1] == im)
            return;
        slot = (slot + 1) % VALUE_SLOTS;
    }
    if (++v->n > SP_STRUCTURE_DISTINCT)
        return;
    v->taken[slot] = true;
    v->key[slot][0] = re;
    v->key[slot][1] = im;
}

static uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static bool survives_f32(double x)
{
    return fabs(x) <= 0x1.fffffep127 ? (double)(float)x == x : isinf(x) || isnan(x);
}

/* Zeros, distinct values, fp32. */
static enum sp_status find_values(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    bool is_complex = sp_csr_is_complex(a), no_memory = false;
    int64_t n_zeros = 0, n_inexact = 0;
    void *p;
    enum sp_status status = sp_new_array(1, sizeof(struct values), "different values", &p, err);
    if (status != SP_OK)
        return status;
    struct values *all = p;
#pragma omp parallel reduction(+ : n_zeros, n_inexact)
    {
        struct values *own = calloc(1, sizeof *own);
        if (!own) {
#pragma omp atomic write
            no_memory = true;
        }
        uint64_t last[2] = {0, 0};
        bool any = false;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < a->n_nz; k++) {
            double re = is_complex ? a->val[2 * k] : sp_csr_number(a, k),
                   im = is_complex ? a->val[2 * k + 1] : 0;
            n_zeros += re == 0 && im == 0;
            n_inexact += !survives_f32(re) || !survives_f32(im);
            uint64_t key[2] = {bits(re), bits(im)};
            if (!own || own->n > SP_STRUCTURE_DISTINCT || (any && key[0] == last[0] && key[1] == last[1]))
                continue;
            add_value(own, key[0], key[1]);
            last[0] = key[0];
            last[1] = key[1];
            any = true;
        }
#pragma omp critical
        if (own) {
            for (int i = 0; i < VALUE_SLOTS && all->n <= SP_STRUCTURE_DISTINCT; i++)
                if (own->taken[i])
                    add_value(all, own->key[i][0], own->key[i][1]);
            if (own->n > SP_STRUCTURE_DISTINCT)
                all->n = SP_STRUCTURE_DISTINCT + 1;
        }
        free(own);
    }
    s->n_zeros = n_zeros;
    s->n_inexact_f32 = n_inexact;
    s->distinct_at_least = all->n > SP_STRUCTURE_DISTINCT;
    s->n_distinct = s->distinct_at_least ? SP_STRUCTURE_DISTINCT : all->n;
    free(all);
    if (no_memory)
        return sp_fail(err, SP_MEMORY, "free memory, or take a smaller matrix",
                       "no memory for counting values");
    return SP_OK;
}

static bool same_value(const struct sp_csr *a, int64_t k, int64_t m)
{
    if (!sp_csr_is_complex(a))
        return sp_csr_number(a, k) == sp_csr_number(a, m);
    return a->val[2 * k] == a->val[2 * m] && a->val[2 * k + 1] == a->val[2 * m + 1];
}

static struct sp_estimate share(int64_t hits, int64_t n, bool sampled)
{
    double p = (double)hits / (double)n;
    /* Wilson's half width: honest where all or none of a sample hit */
    double z2 = 3.8416, error = 0;
    if (sampled)
        error =
            sqrt(z2 * (p * (1 - p) / (double)n + z2 / (4.0 * (double)n * (double)n))) / (1 + z2 / (double)n);
    return (struct sp_estimate){p, error, true};
}

/* Mirror images. */
static void find_symmetry(const struct sp_csr *a, struct sp_structure *s)
{
    if (a->n_r != a->n_c || a->n_nz == s->n_diagonal)
        return;
    int64_t n = 0, mirrored = 0, equal = 0;
    bool sampled = a->n_nz > SP_STRUCTURE_SAMPLE;
    if (a->symmetry == SP_SYMMETRIC) {
        s->pattern_symmetry = s->value_symmetry = (struct sp_estimate){1, 0, true};
        return;
    }
    if (sampled) {
        /* a search costs several cache misses: a quarter of the sample, error below 0.2 % */
        enum { DRAWS = SP_STRUCTURE_SAMPLE / 4 };
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : n, mirrored, equal)
        for (int64_t draw = 0; draw < DRAWS; draw++) {
            struct sp_random random = {sp_random_at(1, (uint64_t)draw)};
            int64_t k = sp_random_below(&random, a->n_nz), i = sp_csr_row_of(a, k);
            if (sp_csr_col(a, k) == i)
                continue;
            int64_t m = sp_csr_find(a, sp_csr_col(a, k), i);
            n++;
            mirrored += m >= 0;
            equal += m >= 0 && same_value(a, k, m);
        }
        if (n == 0)
            return;
    } else {
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : n, mirrored, equal)
        for (int64_t i = 0; i < a->n_r; i++)
            for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
                if (sp_csr_col(a, k) == i)
                    continue;
                int64_t m = sp_csr_find(a, sp_csr_col(a, k), i);
                n++;
                mirrored += m >= 0;
                equal += m >= 0 && same_value(a, k, m);
            }
    }
    s->pattern_symmetry = share(mirrored, n, sampled);
    s->value_symmetry = share(equal, n, sampled);
    if (a->symmetry != SP_GENERAL)
        s->pattern_symmetry = (struct sp_estimate){1, 0, true};
}

static const int32_t shapes[SP_STRUCTURE_BLOCKS][2] = {{2, 2}, {3, 3}, {4, 4}, {4, 8}, {8, 8}, {16, 16}};

/* Groups of GROUP rows: a multiple of every block height and of the 8 lanes of a chunk. */
enum { GROUP = 48, LANES = 8, N_COUNTS = SP_STRUCTURE_BLOCKS + 2 };
/* the counts of a group: blocks of each shape, then unit-stride slots and all slots */
enum { UNIT = SP_STRUCTURE_BLOCKS, ALL_SLOTS };

/* Diagonals that all eight rows share, as a unit-stride slot needs; slots of the chunk. */
static void count_slots(const struct sp_csr *a, int64_t first, int64_t end, int64_t *count)
{
    int64_t next[LANES], longest = 0, n = 0;
    for (int64_t r = first; r < end; r++) {
        int64_t length = a->row_ptr[r + 1] - a->row_ptr[r];
        longest = length > longest ? length : longest;
        next[r - first] = a->row_ptr[r];
    }
    count[ALL_SLOTS] += longest;
    if (end - first < LANES)
        return;
    for (int64_t k = a->row_ptr[first]; k < a->row_ptr[first + 1]; k++) {
        int64_t diagonal = sp_csr_col(a, k) - first;
        bool all = true;
        for (int lane = 1; lane < LANES && all; lane++) {
            int64_t row = first + lane;
            // NOLINTNEXTLINE(clang-analyzer-core.*): end - first is LANES here, so all are set
            while (next[lane] < a->row_ptr[row + 1] && sp_csr_col(a, next[lane]) - row < diagonal)
                next[lane]++;
            all = next[lane] < a->row_ptr[row + 1] && sp_csr_col(a, next[lane]) - row == diagonal;
        }
        n += all;
    }
    count[UNIT] += n;
}

/* Sums over groups from which ratios and their errors follow. */
struct group_sums {
    double y[N_COUNTS], yy[N_COUNTS], yx[N_COUNTS]; /* counts, squares, products with x */
    double x, xx;                                   /* entries of the group */
    double unit_slots;                              /* product of the last two counts */
};

static void add_group(const struct sp_csr *a, struct sp_block_walk *walk, int64_t group,
                      struct group_sums *sum)
{
    int64_t count[N_COUNTS] = {0}, first = group * GROUP;
    int64_t end = first + GROUP < a->n_r ? first + GROUP : a->n_r;
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++)
        for (int64_t i = first; i < end; i += shapes[b][0])
            count[b] += sp_block_walk_rows(walk, i, i + shapes[b][0], shapes[b][1]);
    for (int64_t i = first; i < end; i += LANES)
        count_slots(a, i, i + LANES < end ? i + LANES : end, count);
    double x = (double)(a->row_ptr[end] - a->row_ptr[first]);
    sum->x += x;
    sum->xx += x * x;
    for (int c = 0; c < N_COUNTS; c++) {
        double y = (double)count[c];
        sum->y[c] += y;
        sum->yy[c] += y * y;
        sum->yx[c] += y * x;
    }
    sum->unit_slots += (double)count[UNIT] * (double)count[ALL_SLOTS];
}

/* y/x with the error of a ratio estimate, from its sums. */
static struct sp_estimate ratio(double y, double yy, double yx, double x, double xx, bool sampled)
{
    if (x <= 0)
        return (struct sp_estimate){0, 0, false};
    double r = y / x, residual = yy - 2 * r * yx + r * r * xx;
    return (struct sp_estimate){r, sampled && residual > 0 ? 1.96 * sqrt(residual) / x : 0, true};
}

static void add_all(const struct sp_csr *a, struct sp_block_walk *walks, int64_t n_groups, int64_t stride,
                    struct group_sums *all)
{
    int64_t n_strata = (n_groups + stride - 1) / stride;
#pragma omp parallel
    {
        struct group_sums own = {0};
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t stratum = 0; stratum < n_strata; stratum++) {
            struct sp_random random = {sp_random_at(2, (uint64_t)stratum)};
            int64_t first = stratum * stride, n = first + stride < n_groups ? stride : n_groups - first;
            add_group(a, &walks[omp_get_thread_num()], first + sp_random_below(&random, n), &own);
        }
#pragma omp critical
        {
            all->x += own.x;
            all->xx += own.xx;
            all->unit_slots += own.unit_slots;
            for (int c = 0; c < N_COUNTS; c++) {
                all->y[c] += own.y[c];
                all->yy[c] += own.yy[c];
                all->yx[c] += own.yx[c];
            }
        }
    }
}

/* Blocks and unit-stride slots. */
static enum sp_status find_blocks(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    int n_threads = omp_get_max_threads();
    void *walks;
    enum sp_status status = sp_new_array(n_threads, sizeof(struct sp_block_walk),
                                         "the threads that look for blocks", &walks, err);
    if (status == SP_OK)
        status = sp_block_walks_make(&pattern, NULL, NULL, shapes[0][1], n_threads, walks, err);
    if (status != SP_OK) {
        free(walks);
        return status;
    }
    int64_t n_groups = (a->n_r + GROUP - 1) / GROUP;
    /* one group at random of every `stride`: no period of the matrix can hide */
    int64_t stride = a->n_nz / SP_STRUCTURE_SAMPLE + 1;
    if (stride > n_groups / 64)
        stride = n_groups / 64 > 1 ? n_groups / 64 : 1;
    bool sampled = stride > 1;
    struct group_sums all = {0};
    add_all(a, walks, n_groups, stride, &all);
    sp_block_walks_free(walks, n_threads);
    free(walks);
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
        struct sp_block_fill *block = &s->block[b];
        block->b_h = shapes[b][0];
        block->b_w = shapes[b][1];
        struct sp_estimate r = ratio(all.y[b], all.yy[b], all.yx[b], all.x, all.xx, sampled);
        if (!r.known)
            continue;
        double area = (double)(block->b_h * block->b_w), n_nz = (double)a->n_nz;
        block->n_e = (struct sp_estimate){r.value * n_nz, r.error * n_nz, true};
        block->beta = (struct sp_estimate){1 / (r.value * area), r.error / (r.value * r.value * area), true};
    }
    s->unit_share =
        ratio(all.y[UNIT], all.yy[UNIT], all.unit_slots, all.y[ALL_SLOTS], all.yy[ALL_SLOTS], sampled);
    return SP_OK;
}

enum sp_status sp_structure_analyse(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->n_r = a->n_r;
    s->n_c = a->n_c;
    s->n_nz = a->n_nz;
    s->field = a->field;
    s->symmetry = a->symmetry;
    s->n_duplicates = a->n_duplicates;
    s->n_nzr = a->n_r > 0 ? (double)a->n_nz / (double)a->n_r : 0;
    s->n_nzc = a->n_c > 0 ? (double)a->n_nz / (double)a->n_c : 0;
    double s_v = sp_csr_is_complex(a) ? 16 : 8;
    s->crs_B = (s_v + 4) * (double)a->n_nz + (a->n_nz > INT32_MAX ? 8.0 : 4.0) * (double)(a->n_r + 1);
    s->vector_B = s_v * (double)(a->n_r + a->n_c);

    enum sp_status status = find_rows(a, s, err);
    if (status == SP_OK)
        status = find_values(a, s, err);
    if (status == SP_OK)
        status = find_blocks(a, s, err);
    if (status != SP_OK) {
        memset(s, 0, sizeof *s);
        return status;
    }
    find_symmetry(a, s);
    return SP_OK;
}

enum {
    WINDOWS = 64,
    WINDOW_ENTRIES = 4096,
    SLOTS = 16384,
    NEAR = 4
}; /* slots: a power of two, four times the entries */

/* Lines that were seen in a window: an open hash table; -1: free. */
struct seen {
    int64_t line[SLOTS];
};

static int64_t slot_of(const struct seen *s, int64_t line)
{
    uint64_t at = (uint64_t)line * 0x9e3779b97f4a7c15u >> 50; /* 14 bits */
    while (s->line[at] >= 0 && s->line[at] != line)
        at = (at + 1) % SLOTS;
    return (int64_t)at;
}

/* Was a line near this one seen? Hardware follows streams of near lines inside pages. */
static bool is_followed(const struct seen *s, int64_t line)
{
    for (int64_t near = line > NEAR ? line - NEAR : 0; near <= line + NEAR; near++)
        if (near != line && s->line[slot_of(s, near)] == near)
            return true;
    return false;
}

/* A window of rows from `row` on; its first half only fills the table. */
static void look_at(const struct sp_csr *a, int64_t row, int64_t in_line, struct seen *s, int64_t *fresh,
                    int64_t *followed)
{
    memset(s->line, -1, sizeof s->line);
    int64_t entries = 0;
    for (; row < a->n_r && entries < WINDOW_ENTRIES; row++)
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1] && entries < WINDOW_ENTRIES;
             k++, entries++) {
            const int64_t line = sp_csr_col(a, k) / in_line, at = slot_of(s, line);
            if (s->line[at] == line)
                continue;
            if (entries >= WINDOW_ENTRIES / 2) {
                ++*fresh;
                *followed += is_followed(s, line);
            }
            s->line[at] = line;
        }
}

enum sp_status sp_streams_followed(const struct sp_csr *a, int64_t in_line, double *share,
                                   struct sp_error *err)
{
    void *memory;
    int64_t fresh = 0, followed = 0;
    *share = NAN;
    enum sp_status status = sp_new_array(1, sizeof(struct seen), "lines of x", &memory, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < WINDOWS; i++)
        look_at(a, a->n_r / WINDOWS * i, in_line, memory, &fresh, &followed);
    free(memory);
    if (fresh > 0)
        *share = (double)followed / (double)fresh;
    return SP_OK;
}
