#include "hand_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sparse/formats/format_ids.h"

/* How many places to pass over, of which each is taken with probability p. */
static int64_t gap(struct sp_random *random, double p)
{
    const double g = p < 1 ? floor(log1p(-sp_random_unit(random)) / log1p(-p)) : 0;
    return g < 1e15 ? (int64_t)g : INT64_C(1) << 50;
}

void hand_matrix(const struct hand_shape *s, struct sp_csr *a)
{
    struct sp_random random = {s->seed};
    const double p = s->mean / (s->band ? 2.0 * s->band + 1 : (double)s->n_c);
    int64_t *ptr = malloc((size_t)(s->n_r + 1) * sizeof *ptr), n_nz = 0, room = 0;
    int32_t *col = NULL;
    ptr[0] = 0;
    for (int64_t i = 0; i < s->n_r; i++) {
        const bool empty = sp_random_unit(&random) < s->empty, dense = i == s->dense_row;
        const int64_t first = s->band && !dense && i > s->band ? i - s->band : 0;
        const int64_t end = s->band && !dense && i + s->band + 1 < s->n_c ? i + s->band + 1 : s->n_c;
        if (n_nz + s->n_c > room) {
            room = 2 * room + s->n_c;
            col = realloc(col, (size_t)room * sizeof *col);
        }
        for (int64_t j = first + (dense ? 0 : gap(&random, p)); j < end && (dense || !empty);
             j += 1 + (dense ? 0 : gap(&random, p)))
            col[n_nz++] = (int32_t)j;
        ptr[i + 1] = n_nz;
    }
    sp_csr_alloc(s->n_r, s->n_c, n_nz, SP_FIELD_REAL, NULL, a, NULL);
    for (int64_t k = 0; k < n_nz; k++) {
        a->val[k] = 1;
        a->col[k] = col[k];
    }
    memcpy(a->row_ptr, ptr, (size_t)(s->n_r + 1) * sizeof *ptr);
    free(col);
    free(ptr);
}

static void set_ptr(void *array, size_t size, int64_t i, int64_t value)
{
    if (size == 4)
        ((int32_t *)array)[i] = (int32_t)value;
    else
        ((int64_t *)array)[i] = value;
}

static int64_t length(const struct sp_csr *a, int64_t row)
{
    return row < 0 ? 0 : a->row_ptr[row + 1] - a->row_ptr[row];
}

static void make_crs(const struct sp_csr *a, struct sp_layout *l)
{
    l->n_stored = l->n_indices = a->n_nz;
    l->n_ptr = a->n_r + 1;
    l->ptr = malloc((size_t)l->n_ptr * l->s_p);
    l->col = malloc((size_t)(a->n_nz + 1) * l->s_i);
    l->n_bases = l->index == SP_D16 ? a->n_r : 0;
    l->base = l->n_bases ? malloc((size_t)l->n_bases * sizeof *l->base) : NULL;
    for (int64_t i = 0; i <= a->n_r; i++)
        set_ptr(l->ptr, l->s_p, i, a->row_ptr[i]);
    for (int64_t k = 0; k < a->n_nz && l->index != SP_D16; k++)
        set_ptr(l->col, l->s_i, k, a->col[k]);
    for (int64_t i = 0; i < a->n_r && l->index == SP_D16; i++) {
        l->base[i] = length(a, i) ? a->col[a->row_ptr[i]] : 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            ((uint16_t *)l->col)[k] = (uint16_t)(a->col[k] - l->base[i]);
    }
}

/* Rows in lanes, by descending length inside each window. */
static void order_rows(const struct sp_csr *a, int64_t lanes, int64_t sigma, int32_t *row)
{
    for (int64_t i = 0; i < lanes; i++)
        row[i] = i < a->n_r ? (int32_t)i : -1;
    for (int64_t w = 0; sigma > 1 && w < lanes; w += sigma)
        for (int64_t i = w + 1; i < lanes && i < w + sigma; i++)
            for (int64_t j = i; j > w && length(a, row[j]) > length(a, row[j - 1]); j--) {
                int32_t swap = row[j];
                row[j] = row[j - 1];
                row[j - 1] = swap;
            }
}

/* The columns of a slot whose entries begin at `at`, as far as offsets of 16 bits reach. */
static void set_offsets(struct sp_layout *l, int64_t at, const int64_t *slot)
{
    int64_t base = slot[0];
    for (int64_t lane = 1; lane < l->C; lane++)
        base = slot[lane] < base ? slot[lane] : base;
    l->base[at / l->C] = (int32_t)base;
    for (int64_t lane = 0; lane < l->C; lane++)
        ((uint16_t *)l->col)[at + lane] = (uint16_t)(slot[lane] - base);
}

/* SELLU: here a slot counts as unit-stride when all of its columns follow each other. */
static void make_sell(const struct sp_csr *a, struct sp_layout *l)
{
    int64_t C = l->C;
    bool unit = l->format == SP_FORMAT_SELLU;
    l->n_chunks = (a->n_r + C - 1) / C;
    l->n_ptr = l->n_chunks + 1;
    int64_t lanes = l->n_chunks * C;
    int32_t *row = malloc((size_t)(lanes + 1) * sizeof *row);
    order_rows(a, lanes, l->sigma, row);
    l->ptr = malloc((size_t)l->n_ptr * l->s_p);
    l->len = malloc((size_t)(l->n_chunks + 1) * sizeof *l->len);
    l->n_unit = unit ? calloc((size_t)l->n_chunks + 1, sizeof *l->n_unit) : NULL;
    l->index_ptr = unit ? malloc((size_t)l->n_ptr * l->s_p) : NULL;
    int64_t stored = 0;
    for (int64_t k = 0; k < l->n_chunks; k++) {
        set_ptr(l->ptr, l->s_p, k, stored);
        l->len[k] = 0;
        for (int64_t i = k * C; i < k * C + C; i++)
            if (length(a, row[i]) > l->len[k])
                l->len[k] = (int32_t)length(a, row[i]);
        stored += l->len[k] * C;
    }
    set_ptr(l->ptr, l->s_p, l->n_chunks, stored);
    l->n_stored = stored;
    l->col = calloc((size_t)stored + 1, l->s_i);
    l->n_bases = l->index == SP_D16 ? stored / C : 0;
    l->base = l->n_bases ? malloc((size_t)l->n_bases * sizeof *l->base) : NULL;
    int64_t at = 0, *slot = malloc((size_t)C * sizeof *slot);
    for (int64_t k = 0; k < l->n_chunks; k++) {
        if (unit)
            set_ptr(l->index_ptr, l->s_p, k, at);
        for (int pass = unit ? 0 : 1; pass < 2; pass++)
            for (int64_t j = 0; j < l->len[k]; j++) {
                bool consecutive = unit;
                for (int64_t lane = 0; lane < C; lane++) {
                    int32_t r = row[k * C + lane];
                    int64_t n = length(a, r);
                    slot[lane] = n ? a->col[a->row_ptr[r] + (j < n ? j : 0)] : 0;
                    consecutive = consecutive && slot[lane] == slot[0] + lane;
                }
                if (consecutive != (pass == 0))
                    continue;
                if (l->index == SP_D16) {
                    set_offsets(l, at, slot);
                    at += C;
                    continue;
                }
                for (int64_t lane = 0; lane < (pass == 0 ? 1 : C); lane++)
                    set_ptr(l->col, l->s_i, at++, slot[lane]);
                if (pass == 0)
                    l->n_unit[k]++;
            }
    }
    if (unit)
        set_ptr(l->index_ptr, l->s_p, l->n_chunks, at);
    l->n_indices = at;
    free(slot);
    l->perm = row;
    if (l->sigma == 1) {
        free(row);
        l->perm = NULL;
    }
}

static void make_partition(const struct sp_layout *l, enum sp_schedule schedule, int n,
                           struct sp_partition *p)
{
    *p = (struct sp_partition){.schedule = schedule, .n_threads = n, .block = 3};
    p->n_units = l->format == SP_FORMAT_CRS ? l->n_r : l->n_chunks;
    p->begin = calloc((size_t)n + 1, sizeof *p->begin);
    p->entry_begin = calloc((size_t)n + 1, sizeof *p->entry_begin);
    for (int t = 1; t <= n; t++) {
        int64_t unit = p->n_units * t / n;
        if (schedule == SP_SCHEDULE_NNZ || schedule == SP_SCHEDULE_MERGE) {
            int64_t target = l->n_stored * t / n;
            for (unit = p->begin[t - 1]; unit < p->n_units && sp_layout_ptr(l, unit + 1) <= target; unit++)
                ;
            p->entry_begin[t] = target;
        }
        p->begin[t] = t == n ? p->n_units : unit;
    }
}

void hand_layout(const struct sp_csr *a, int format, int32_t C, int64_t sigma, enum sp_precision precision,
                 enum sp_index index, enum sp_schedule schedule, int n_threads, struct sp_layout *l)
{
    size_t s = precision == SP_F64 || precision == SP_MIXED ? 8 : precision == SP_F32 ? 4 : 16;
    *l = (struct sp_layout){.format = format,
                            .precision = precision,
                            .index = index,
                            .n_r = a->n_r,
                            .n_c = a->n_c,
                            .n_nz = a->n_nz,
                            .r = 1,
                            .ld_x = 1,
                            .ld_y = 1,
                            .C = C,
                            .sigma = sigma,
                            .s_a = precision == SP_MIXED ? 4 : s,
                            .s_x = s,
                            .s_y = s,
                            .s_i = index == SP_I32   ? 4
                                   : index == SP_D16 ? 2
                                                     : 8,
                            .s_p = 4};
    if (format == SP_FORMAT_CRS)
        make_crs(a, l);
    else
        make_sell(a, l);
    make_partition(l, schedule, n_threads, &l->partition);
}

void hand_free(struct sp_layout *l)
{
    free(l->ptr);
    free(l->col);
    free(l->len);
    free(l->perm);
    free(l->base);
    free(l->n_unit);
    free(l->index_ptr);
    free(l->partition.begin);
    free(l->partition.entry_begin);
    memset(l, 0, sizeof *l);
}

/* ---- references ---- */

/* The references of one thread, cut into steps. */
struct script {
    const struct sp_trace *t;
    struct hand_ref *ref;
    int64_t n, room;
    int64_t *step; /* [n_steps] index of the first reference after each step */
    int64_t n_steps, step_room;
    int64_t nt_last, nt_lines;
};

static void note(struct script *s, int64_t address_B, bool write)
{
    if (s->n == s->room) {
        s->room = 2 * s->room + 64;
        s->ref = realloc(s->ref, (size_t)s->room * sizeof *s->ref);
    }
    s->ref[s->n++] = (struct hand_ref){(uint32_t)(address_B / s->t->line_B), write};
}

static void end_step(struct script *s)
{
    if (s->n_steps == s->step_room) {
        s->step_room = 2 * s->step_room + 64;
        s->step = realloc(s->step, (size_t)s->step_room * sizeof *s->step);
    }
    s->step[s->n_steps++] = s->n;
}

static void read_item(struct script *s, enum sp_trace_region region, int64_t item, size_t size)
{
    note(s, s->t->first_line[region] * s->t->line_B + item * (int64_t)size, false);
}

static void read_x(struct script *s, int64_t column)
{
    note(s, s->t->x_base_B + column * (int64_t)s->t->layout->s_x, false);
}

static void put_y(struct script *s, int64_t row)
{
    int64_t address_B = s->t->y_base_B + row * (int64_t)s->t->layout->s_y;
    if (!s->t->store_nt) {
        note(s, address_B, true);
        return;
    }
    if (address_B / s->t->line_B != s->nt_last)
        s->nt_lines++;
    s->nt_last = address_B / s->t->line_B;
}

static void crs_row(struct script *s, int64_t row, int64_t first, int64_t stop, bool begins)
{
    const struct sp_layout *l = s->t->layout;
    if (begins)
        read_item(s, SP_REGION_PTR, row, l->s_p);
    read_item(s, SP_REGION_PTR, row + 1, l->s_p);
    if (l->base)
        read_item(s, SP_REGION_BASE, row, sizeof *l->base);
    for (int64_t k = first; k < stop; k++) {
        read_item(s, SP_REGION_VALUES, k, l->s_a);
        read_item(s, SP_REGION_INDICES, k, l->s_i);
        read_x(s, sp_layout_col_in(l, k, row));
        if (k + 1 < stop)
            end_step(s);
    }
    put_y(s, row);
    end_step(s);
}

static void sell_chunk(struct script *s, int64_t k)
{
    const struct sp_layout *l = s->t->layout;
    bool unit = l->format == SP_FORMAT_SELLU;
    read_item(s, SP_REGION_PTR, k, l->s_p);
    read_item(s, SP_REGION_LEN, k, 4);
    if (unit) {
        read_item(s, SP_REGION_INDEX_PTR, k, l->s_p);
        read_item(s, SP_REGION_N_UNIT, k, 4);
    }
    int64_t entry = sp_layout_ptr(l, k), index = unit ? sp_layout_index_ptr(l, k) : entry;
    for (int64_t j = 0; j < l->len[k]; j++) {
        for (int64_t lane = 0; lane < l->C; lane++)
            read_item(s, SP_REGION_VALUES, entry++, l->s_a);
        if (unit && j < l->n_unit[k]) {
            read_item(s, SP_REGION_INDICES, index, l->s_i);
            for (int64_t lane = 0; lane < l->C; lane++)
                read_x(s, sp_layout_col(l, index) + lane);
            index++;
        } else {
            if (l->base)
                read_item(s, SP_REGION_BASE, index / l->C, sizeof *l->base);
            for (int64_t lane = 0; lane < l->C; lane++)
                read_item(s, SP_REGION_INDICES, index + lane, l->s_i);
            for (int64_t lane = 0; lane < l->C; lane++)
                read_x(s, sp_layout_col_in(l, index + lane, index / l->C));
            index += l->C;
        }
        if (j + 1 < l->len[k])
            end_step(s);
    }
    for (int64_t i = k * l->C; l->perm && i < (k + 1) * l->C; i++)
        read_item(s, SP_REGION_PERM, i, 4);
    for (int64_t i = k * l->C; i < (k + 1) * l->C; i++) {
        int64_t row = l->perm ? l->perm[i] : i < l->n_r ? i : -1;
        if (row >= 0)
            put_y(s, row);
    }
    end_step(s);
}

static void write_script(struct script *s, int thread)
{
    const struct sp_layout *l = s->t->layout;
    const struct sp_partition *p = &l->partition;
    int64_t cursor = 0, first, end;
    bool merge = p->schedule == SP_SCHEDULE_MERGE;
    while (sp_partition_next(p, thread, &cursor, &first, &end))
        for (int64_t u = first; u < end; u++) {
            if (l->format != SP_FORMAT_CRS) {
                sell_chunk(s, u);
                continue;
            }
            int64_t from = merge && u == first ? p->entry_begin[thread] : sp_layout_ptr(l, u);
            crs_row(s, u, from, sp_layout_ptr(l, u + 1), u == first);
        }
    if (!merge || p->begin[thread + 1] >= l->n_r)
        return;
    int64_t row = p->begin[thread + 1], from = sp_layout_ptr(l, row), stop = p->entry_begin[thread + 1];
    if (from < p->entry_begin[thread])
        from = p->entry_begin[thread];
    if (from < stop)
        crs_row(s, row, from, stop, p->begin[thread] == row);
}

void hand_references(const struct sp_trace *t, const struct sp_trace_options *o, struct hand_refs *refs)
{
    int n = t->n_threads;
    struct script *s = calloc((size_t)n, sizeof *s);
    int64_t *start = calloc((size_t)n, sizeof *start), delay = 0, total = 0, last_turn = 0;
    for (int i = 0; i < n; i++) {
        s[i].t = t;
        s[i].nt_last = -1;
        write_script(&s[i], o->thread ? o->thread[i] : i);
        total += s[i].n;
        int64_t turns = (s[i].n_steps + t->turn_steps - 1) / t->turn_steps;
        if (i > 0)
            delay += (int64_t)(o->skew * (double)turns);
        start[i] = delay;
        if (start[i] + turns > last_turn)
            last_turn = start[i] + turns;
    }
    *refs = (struct hand_refs){.room = total};
    refs->ref = malloc((size_t)(total + 1) * sizeof *refs->ref);
    refs->thread = malloc((size_t)(total + 1) * sizeof *refs->thread);
    for (int64_t turn = 0; turn < last_turn; turn++)
        for (int i = 0; i < n; i++) {
            int64_t first = (turn - start[i]) * t->turn_steps, end = first + t->turn_steps;
            if (first < 0 || first >= s[i].n_steps)
                continue;
            end = end < s[i].n_steps ? end : s[i].n_steps;
            for (int64_t k = first ? s[i].step[first - 1] : 0; k < s[i].step[end - 1]; k++) {
                refs->ref[refs->n] = s[i].ref[k];
                refs->thread[refs->n++] = i;
            }
        }
    for (int i = 0; i < n; i++) {
        refs->nt_lines += s[i].nt_lines;
        free(s[i].ref);
        free(s[i].step);
    }
    free(s);
    free(start);
}

void hand_refs_free(struct hand_refs *refs)
{
    free(refs->ref);
    free(refs->thread);
    memset(refs, 0, sizeof *refs);
}
