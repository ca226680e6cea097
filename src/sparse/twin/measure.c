#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sparse/twin/twin.h"

enum { EXACT_LENGTHS = 32, PART_ROWS = 8 };

static int octave(int64_t n)
{
    return 63 - __builtin_clzll((unsigned long long)n);
}

int sp_twin_length_class(int64_t length)
{
    if (length < EXACT_LENGTHS)
        return (int)length;
    int o = octave(length);
    return EXACT_LENGTHS + 8 * (o - 5) + (int)(length >> (o - 3) & 7);
}

int sp_twin_step(int64_t distance)
{
    if (distance < 8)
        return (int)distance;
    int o = octave(distance), step = 8 + 2 * (o - 3) + (int)(distance >> (o - 1) & 1);
    return step < SP_TWIN_STEPS ? step : SP_TWIN_STEPS;
}

static int64_t step_start(int step)
{
    return step < 8 ? step : (int64_t)(2 + (step - 8) % 2) << ((step - 8) / 2 + 2);
}

void sp_twin_step_range(int step, int64_t *lo, int64_t *hi)
{
    *lo = step_start(step);
    *hi = step_start(step + 1) - 1;
}

int sp_twin_offset_class(const struct sp_twin *twin, int64_t offset, int64_t scale)
{
    enum { ATOMS = 2 * SP_TWIN_LOCAL + 1, LONG = ATOMS + SP_TWIN_ATOMS };
    const int64_t size = offset < 0 ? -offset : offset;
    if (size <= SP_TWIN_LOCAL)
        return (int)(SP_TWIN_LOCAL + offset);
    for (int k = 0; k < twin->n_atoms; k++)
        if (offset == scale * twin->atom_offset[k])
            return ATOMS + k;
    return LONG + sp_twin_step(size / scale) + (offset < 0 ? 0 : SP_TWIN_STEPS + 1);
}

static int32_t parts_of(int64_t n, int32_t most)
{
    const int64_t n_parts = n / PART_ROWS;
    return (int32_t)(n_parts < 1 ? 1 : n_parts > most ? most : n_parts);
}

int32_t sp_twin_length_parts(int64_t n)
{
    return parts_of(n, SP_TWIN_PARTS);
}

int32_t sp_twin_place_parts(int64_t n)
{
    return parts_of(n, SP_TWIN_GRID);
}

static void lengths_of(const int64_t *length, int64_t n, struct sp_twin_lengths *out)
{
    memset(out, 0, sizeof *out);
    out->n = n;
    out->n_parts = sp_twin_length_parts(n);
    int before = -1;
    for (int32_t p = 0; p < out->n_parts; p++)
        for (int64_t i = n * p / out->n_parts; i < n * (p + 1) / out->n_parts; i++) {
            int class = sp_twin_length_class(length[i]);
            out->sum[class] += length[i];
            out->count[p][class]++;
            if (before >= 0)
                out->next[before][class]++;
            before = class;
        }
}

/* What is left to draw in one part. */
struct pool {
    int n_classes;
    int class[SP_TWIN_LENGTHS];
    int64_t left[SP_TWIN_LENGTHS];
    double weight[SP_TWIN_LENGTHS];
};

/* Index of the class that follows `before` (-1: none): often one that followed it in the original,
 * if any of that class are left, else any that is left. */
static int draw_class(struct pool *pool, const struct sp_twin_lengths *l, const double *share, int before,
                      struct sp_random *random)
{
    double all = 0;
    for (int k = 0; before >= 0 && k < pool->n_classes; k++) {
        int class = pool->class[k];
        pool->weight[k] = (double)l->next[before][class] * (double)pool->left[k] * share[class];
        all += pool->weight[k];
    }
    for (int k = 0; all <= 0 && k < pool->n_classes; k++)
        pool->weight[k] = (double)pool->left[k];
    if (all <= 0)
        for (int k = 0; k < pool->n_classes; k++)
            all += pool->weight[k];
    double at = sp_random_unit(random) * all;
    int drawn = -1;
    for (int k = 0; k < pool->n_classes; k++) {
        if (pool->weight[k] <= 0)
            continue;
        drawn = k;
        at -= pool->weight[k];
        if (at < 0)
            break;
    }
    pool->left[drawn]--;
    return drawn;
}

static void draw_part(const struct sp_twin_lengths *l, const double *share, const double *mean, int32_t part,
                      int64_t scale, uint64_t seed, int32_t *length)
{
    struct pool pool = {0};
    struct sp_random random = {sp_random_at(seed, (uint64_t)part)};
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++)
        if (l->count[part][class] > 0) {
            pool.class[pool.n_classes] = class;
            pool.left[pool.n_classes++] = l->count[part][class] * scale;
        }
    int64_t first = l->n * part / l->n_parts * scale, end = l->n * (part + 1) / l->n_parts * scale;
    int before = -1;
    for (int64_t i = first; i < end; i++) {
        before = pool.class[draw_class(&pool, l, share, before, &random)];
        length[i] = (int32_t)(mean[before] + sp_random_unit(&random));
    }
}

void sp_twin_draw_lengths(const struct sp_twin_lengths *l, int64_t scale, uint64_t seed, int32_t *length)
{
    double share[SP_TWIN_LENGTHS] = {0}, mean[SP_TWIN_LENGTHS] = {0};
    for (int class = 0; class < SP_TWIN_LENGTHS; class ++) {
        int64_t n = 0;
        for (int32_t p = 0; p < l->n_parts; p++)
            n += l->count[p][class];
        share[class] = n ? 1 / (double)n : 0;
        mean[class] = n ? (double)l->sum[class] / (double)n : 0;
    }
#pragma omp parallel for schedule(dynamic)
    for (int32_t part = 0; part < l->n_parts; part++)
        draw_part(l, share, mean, part, scale, seed, length);
}

enum { ATOM_SHARE = 50, ATOM_LEAST = 4 };

struct work {
    const struct sp_csr *a;
    struct sp_twin *t;
    bool square;
    int64_t *length;         /* [max(n_r, n_c)] */
    int32_t *met, *met_line; /* [n_c], [n_c / SP_TWIN_LINE + 1]: last row that has the column, the line; -1 */
    int32_t *marked;         /* [n_c] the row that has the column, so far; -1 */
    int32_t *row, *above;    /* [n_c] columns that count in this row and in the one above */
    int64_t n_row, n_above;
    int64_t *offsets; /* [2 n_c] births that are no neighbours nor near, by offset + n_c; -1: an atom */
};

static int64_t offset_of(const struct work *w, int64_t i, int64_t j)
{
    return j - i * w->a->n_c / w->a->n_r;
}

static void pattern_symmetry(struct work *w)
{
    const struct sp_csr *a = w->a;
    int64_t n_off = 0, n_mirrored = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        w->length[i] = a->row_ptr[i];
    /* rows ascend, so what is looked for in row j does, too: from length[j] on */
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int32_t j = a->col[k];
            if (j == i) {
                w->t->n_diagonal++;
                continue;
            }
            int64_t *at = &w->length[j];
            while (*at < a->row_ptr[j + 1] && a->col[*at] < i)
                ++*at;
            n_off++;
            n_mirrored += *at < a->row_ptr[j + 1] && a->col[*at] == i;
        }
    w->t->mirrored = a->symmetry != SP_GENERAL || (n_off > 0 && 10 * n_mirrored >= 9 * n_off);
}

static void measure_lengths(struct work *w)
{
    const struct sp_csr *a = w->a;
    for (int64_t i = 0; i < a->n_r; i++)
        w->length[i] = a->row_ptr[i + 1] - a->row_ptr[i];
    lengths_of(w->length, a->n_r, &w->t->rows);
    if (w->t->mirrored)
        return;
    memset(w->length, 0, (size_t)a->n_c * sizeof *w->length);
    for (int64_t k = 0; k < a->n_nz; k++)
        w->length[a->col[k]]++;
    lengths_of(w->length, a->n_c, &w->t->columns);
}

static void take_row(struct work *w, int64_t i)
{
    int32_t *swap = w->above;
    w->above = w->row;
    w->n_above = w->n_row;
    w->row = swap;
    w->n_row = 0;
    for (int64_t k = w->a->row_ptr[i]; k < w->a->row_ptr[i + 1]; k++) {
        int32_t j = w->a->col[k];
        if (w->square && (j == i || (w->t->mirrored && j < i)))
            continue;
        w->row[w->n_row++] = j;
        w->marked[j] = (int32_t)i;
    }
}

static bool has(const struct work *w, int64_t i, int64_t j)
{
    return j < w->a->n_c && w->marked[j] == i;
}

/* SP_TWIN_SHIFTS: none has an entry in common. */
static int best_shift(const struct work *w, int64_t i)
{
    int64_t most = 0;
    int best = SP_TWIN_SHIFTS;
    for (int k = 0; k < SP_TWIN_SHIFTS; k++) {
        int shift = k < 2 ? 1 - k : k; /* 1, 0, 2, 3, ...: the first of equals */
        int64_t n = 0;
        for (int64_t m = 0; m < w->n_above; m++)
            n += has(w, i, w->above[m] + shift);
        if (n > most) {
            most = n;
            best = shift;
        }
    }
    return best;
}

/* Copies lose their mark. */
static void mark_copies(struct work *w, int64_t i, bool count)
{
    struct sp_twin *t = w->t;
    const int64_t *ptr = w->a->row_ptr;
    if (w->n_above == 0)
        return;
    int shift = best_shift(w, i);
    t->shift[ptr[i + 1] - ptr[i] == ptr[i] - ptr[i - 1]][shift] += count;
    if (shift == SP_TWIN_SHIFTS)
        return;
    for (int64_t m = 0; m < w->n_above; m++) {
        int64_t j = w->above[m] + shift;
        if (j >= w->a->n_c || (t->mirrored && j <= i))
            continue;
        int class = sp_twin_offset_class(t, offset_of(w, i, j), 1);
        bool copied = has(w, i, j);
        t->offered[shift][class] += count;
        t->copied[shift][class] += copied && count;
        if (copied)
            w->marked[j] = -1;
    }
}

/* Distance from the entry to the left, negative: from a copy to the right; 0: both are far. */
static int64_t gap_of(const struct work *w, int64_t i, int64_t k)
{
    if (k > 0 && w->row[k] - w->row[k - 1] <= SP_TWIN_GAPS)
        return w->row[k] - w->row[k - 1];
    if (k + 1 < w->n_row && w->row[k + 1] - w->row[k] <= SP_TWIN_GAPS && w->marked[w->row[k + 1]] != i)
        return w->row[k] - w->row[k + 1];
    return 0;
}

static void count_offsets(struct work *w, int64_t i)
{
    for (int64_t k = 0; k < w->n_row; k++) {
        int64_t offset = offset_of(w, i, w->row[k]);
        if (w->marked[w->row[k]] == i && gap_of(w, i, k) == 0 && llabs(offset) > SP_TWIN_LOCAL)
            w->offsets[offset + w->a->n_c]++;
    }
}

static void choose_atoms(struct work *w)
{
    struct sp_twin *t = w->t;
    int64_t all = 0;
    for (int64_t k = 0; k < 2 * w->a->n_c; k++)
        all += w->offsets[k];
    for (int64_t k = 0; k < 2 * w->a->n_c && t->n_atoms < SP_TWIN_ATOMS; k++) {
        if (w->offsets[k] < ATOM_LEAST || w->offsets[k] * ATOM_SHARE < all)
            continue;
        t->atom_offset[t->n_atoms] = k - w->a->n_c;
        t->atom_count[t->n_atoms++] = w->offsets[k];
        w->offsets[k] = -1;
    }
}

static void count_birth(struct work *w, int64_t i, int64_t k, int64_t *birth)
{
    struct sp_twin *t = w->t;
    const int32_t j = w->row[k], line = j / SP_TWIN_LINE;
    const int64_t offset = offset_of(w, i, j);
    const int64_t gap = gap_of(w, i, k);
    if (gap != 0) {
        birth[SP_TWIN_NEIGHBOUR]++;
        t->gap[gap + SP_TWIN_GAPS]++;
    } else if (llabs(offset) <= SP_TWIN_LOCAL) {
        birth[SP_TWIN_NEAR]++;
        t->near[offset + SP_TWIN_LOCAL]++;
    } else if (w->offsets[offset + w->a->n_c] < 0) {
        birth[SP_TWIN_ATOM]++;
    } else if (w->met_line[line] >= 0) {
        int step = sp_twin_step(i - w->met_line[line]);
        birth[SP_TWIN_RETURN]++;
        t->lag[i * t->n_parts / t->n_r][step]++;
        t->same_column[step] += w->met[j] == w->met_line[line];
    } else {
        birth[SP_TWIN_FIRST]++;
        t->grid[i * t->n_parts / t->n_r][(int64_t)j * t->n_column_parts / t->n_c]++;
    }
}

static void count_births(struct work *w, int64_t i)
{
    for (int64_t k = 0; k < w->n_row; k++)
        if (w->marked[w->row[k]] == i)
            count_birth(w, i, k, w->t->birth[i * w->t->n_parts / w->t->n_r]);
    for (int64_t k = 0; k < w->n_row; k++) {
        w->met[w->row[k]] = (int32_t)i;
        w->met_line[w->row[k] / SP_TWIN_LINE] = (int32_t)i;
    }
}

static void count_entries(struct work *w)
{
    for (int pass = 0; pass < 2; pass++) {
        w->n_row = 0;
        memset(w->marked, 0xff, (size_t)w->a->n_c * sizeof *w->marked);
        for (int64_t i = 0; i < w->a->n_r; i++) {
            take_row(w, i);
            mark_copies(w, i, pass > 0);
            if (pass > 0)
                count_births(w, i);
            else
                count_offsets(w, i);
        }
        if (pass == 0)
            choose_atoms(w);
    }
}

/* How far apart the visits of a line are decides which cache keeps it. */
static void measure_reuse(struct work *w)
{
    const struct sp_csr *a = w->a;
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int32_t *met = &w->met_line[a->col[k] / SP_TWIN_LINE];
            if (*met != i)
                w->t->reuse[*met < 0 ? SP_TWIN_STEPS + 1 : sp_twin_step(i - *met)]++;
            *met = (int32_t)i;
        }
    memset(w->met_line, 0xff, (size_t)(a->n_c / SP_TWIN_LINE + 1) * sizeof *w->met_line);
}

static enum sp_status take(struct work *w, struct sp_error *err)
{
    const struct sp_csr *a = w->a;
    const int64_t n_most = a->n_r > a->n_c ? a->n_r : a->n_c, n_lines = a->n_c / SP_TWIN_LINE + 1;
    static const char what[] = "what the matrix is like";
    enum sp_status status = sp_new_array(1, sizeof *w->t, what, (void **)&w->t, err);
    if (status == SP_OK)
        status = sp_new_array(n_most, sizeof *w->length, what, (void **)&w->length, err);
    if (status == SP_OK)
        status = sp_new_array(4 * a->n_c + n_lines, sizeof *w->met, what, (void **)&w->met, err);
    if (status == SP_OK)
        status = sp_new_array(2 * a->n_c, sizeof *w->offsets, what, (void **)&w->offsets, err);
    if (status != SP_OK)
        return status;
    w->marked = w->met + a->n_c;
    w->met_line = w->marked + a->n_c;
    w->row = w->met_line + n_lines;
    w->above = w->row + a->n_c;
    memset(w->met, 0xff, (size_t)(2 * a->n_c + n_lines) * sizeof *w->met);
    return SP_OK;
}

enum sp_status sp_twin_measure(const struct sp_csr *a, struct sp_twin **twin, struct sp_error *err)
{
    struct work w = {.a = a, .square = a->n_r == a->n_c};
    *twin = NULL;
    enum sp_status status = take(&w, err);
    if (status == SP_OK) {
        struct sp_twin *t = w.t;
        t->n_r = a->n_r;
        t->n_c = a->n_c;
        t->n_nz = a->n_nz;
        t->field = a->field;
        t->symmetry = a->symmetry;
        t->n_parts = sp_twin_place_parts(a->n_r);
        t->n_column_parts = sp_twin_place_parts(a->n_c);
        if (w.square)
            pattern_symmetry(&w);
        measure_lengths(&w);
        measure_reuse(&w);
        count_entries(&w);
    }
    free(w.length);
    free(w.met);
    free(w.offsets);
    if (status == SP_OK)
        *twin = w.t;
    else
        free(w.t);
    return status;
}
