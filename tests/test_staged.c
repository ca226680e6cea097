/* The format STAGED: what its layout promises, its stream of references against one written down from the
 * definition, and its traffic against the formulas where these are exact. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "one_cache.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/layout.h"
#include "volume_cases.h"

static struct sp_workload workload_of(const struct sp_csr *a, enum sp_op op, int32_t r, int32_t T_i,
                                      int32_t T_k)
{
    return (struct sp_workload){.op = op,
                                .format = SP_FORMAT_STAGED,
                                .C = 1,
                                .sigma = 1,
                                .T_i = T_i,
                                .T_k = T_k,
                                .r = r,
                                .precision = SP_F32,
                                .schedule = SP_SCHEDULE_NNZ,
                                .n_threads = 2,
                                .matrix = a};
}

static void make(const struct sp_workload *w, struct sp_layout *l)
{
    ck_assert_int_eq(sp_workload_check(w, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(w, true, NULL, l, NULL), SP_OK);
}

/* Every entry once and in its row, fill zero and of a column of its row, lists of distinct columns. */
static void check_block(const struct sp_layout *l, const struct sp_csr *a, int64_t b)
{
    const int32_t *list = l->list + l->block[b].list;
    const int64_t n_list = l->block[b + 1].list - l->block[b].list;
    char *seen = calloc((size_t)l->n_c + 1, 1);
    for (int64_t i = 0; i < n_list; i++) {
        ck_assert(list[i] >= 0 && list[i] < l->n_c && !seen[list[i]]);
        seen[list[i]] = 1;
    }
    int64_t at = sp_layout_ptr(l, b);
    for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++)
        for (int64_t i = 0; i < l->len[k] * l->C; i++, at++) {
            const int64_t row = k * l->C + i % l->C, j = i / l->C;
            const float value = ((const float *)l->val)[at];
            const int64_t length = row < a->n_r ? a->row_ptr[row + 1] - a->row_ptr[row] : 0;
            ck_assert(((const uint16_t *)l->col)[at] < n_list);
            if (j >= length) {
                ck_assert(value == 0);
                ck_assert(length == 0 ||
                          list[((const uint16_t *)l->col)[at]] == a->col[a->row_ptr[row + 1] - 1]);
                continue;
            }
            ck_assert(value == (float)a->val[a->row_ptr[row] + j]);
            ck_assert_int_eq(list[((const uint16_t *)l->col)[at]], a->col[a->row_ptr[row] + j]);
        }
    ck_assert_int_eq(at, sp_layout_ptr(l, b + 1));
    free(seen);
}

START_TEST(layouts_hold_the_matrix)
{
    static const enum sp_op ops[] = {SP_OP_SPMM, SP_OP_SDDMM};
    struct sp_csr a = small_matrix(_i);
    if (sp_csr_is_complex(&a)) {
        sp_csr_free(&a);
        return;
    }
    for (int op = 0; op < 2; op++)
        for (int32_t T_i = 1; T_i <= 256; T_i *= 4) {
            struct sp_workload w = workload_of(&a, ops[op], 40, T_i, 16);
            struct sp_layout l;
            make(&w, &l);
            int64_t most = 0, rows = (T_i + l.C - 1) / l.C * l.C;
            ck_assert_int_eq(l.block[0].chunk, 0);
            ck_assert_int_eq(l.block[l.n_blocks].chunk, l.n_chunks);
            for (int64_t b = 0; b < l.n_blocks; b++) {
                int64_t n = l.block[b + 1].list - l.block[b].list;
                ck_assert((l.block[b + 1].chunk - l.block[b].chunk) * l.C <= rows);
                most = n > most ? n : most;
                check_block(&l, &a, b);
            }
            ck_assert_int_eq(most, l.most_listed);
            ck_assert(l.C > 1 || l.n_stored == l.n_nz);
            double bytes = 0;
            for (int array = SP_ARRAY_VALUES; array <= SP_ARRAY_PERM; array++)
                bytes += sp_layout_array_bytes(&l, array);
            ck_assert_double_le(bytes, sp_layout_bytes_bound(&w, true));
            int64_t entries = sp_layout_thread_entries(&l, 0) + sp_layout_thread_entries(&l, 1);
            ck_assert_int_eq(entries, l.n_stored);
            sp_layout_free(&l);
            sp_layout_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

/* n_r rows of `mean` entries; block b of `rows` rows has the columns [b n, (b + 1) n) modulo n_c. */
static void clustered(int64_t n_r, int64_t n_c, int64_t rows, int64_t n, int64_t mean, struct sp_csr *a)
{
    ck_assert_int_eq(sp_csr_alloc(n_r, n_c, n_r * mean, SP_FIELD_REAL, NULL, a, NULL), SP_OK);
    for (int64_t i = 0; i < n_r; i++) {
        for (int64_t j = 0; j < mean; j++) {
            a->col[i * mean + j] = (int32_t)(i / rows * n % n_c + (i + j * (n / mean)) % n);
            a->val[i * mean + j] = 1;
        }
        a->row_ptr[i + 1] = (i + 1) * mean;
    }
}

START_TEST(blocks_end_where_buffers_are_full_and_refuse_what_16_bits_cannot_name)
{
    struct sp_csr a;
    clustered(64, 70000, 64, 2048, 64, &a);
    struct sp_workload w = workload_of(&a, SP_OP_SPMM, 256, 64, 64);
    struct sp_layout l, more;
    make(&w, &l);
    ck_assert_int_eq(l.most_listed, SP_STAGE_B / (64 * (int64_t)sizeof(float)));
    ck_assert_int_eq(l.n_blocks, 1);
    w.T_k = 128; /* half as many columns fit */
    make(&w, &more);
    ck_assert_int_gt(more.n_blocks, 1);
    ck_assert_int_le(sp_layout_stage_bytes(&more), SP_STAGE_B);
    w.n_threads = 1;
    sp_layout_free(&l);
    make(&w, &l);
    ck_assert_int_eq(l.n_blocks, more.n_blocks);
    ck_assert_mem_eq(l.list, more.list, (size_t)l.n_list * sizeof *l.list);
    sp_layout_free(&l);
    sp_layout_free(&more);
    sp_csr_free(&a);

    clustered(1, 70000, 1, 70000, 70000, &a);
    w = workload_of(&a, SP_OP_SDDMM, 4, 16, 16);
    struct sp_error err;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, &err), SP_ABSENT);
    ck_assert(strlen(err.remedy) > 0);
    sp_csr_free(&a);
}
END_TEST

/* ---- traffic ---- */

static struct sp_traffic simulate(const struct sp_layout *l, int64_t cache_B, bool store_nt)
{
    struct sp_machine m = machine_with(cache_B);
    struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic v[SP_MAX_LEVELS];
    int n_levels;
    o.state = SP_SIM_COLD;
    o.llc_only = true;
    o.store_nt = store_nt;
    ck_assert_int_eq(sp_sim_traffic(l, &o, v, &n_levels, NULL, NULL), SP_OK);
    return v[0];
}

static void near(double got, double expected, double slack)
{
    if (fabs(got - expected) > 0.01 * expected + slack)
        ck_abort_msg("%.8g, expected %.8g", got, expected);
}

/* Array by array: buffers are neither part of V nor evicted. Pieces of the pointers end within lines. Only
 * SpMM stores past the cache. */
static void check_traffic(const struct sp_layout *l, int64_t cache_B, double tiles)
{
    const struct sp_staged_reuse reuse = sp_staged_reuse_of(l, (double)cache_B);
    ck_assert_double_eq(ceil(l->r / reuse.r_t), tiles);
    const double ends_B = 3 * 2 * 64 * (double)l->n_blocks * tiles;
    for (int nt = 0; nt < (l->op == SP_OP_SPMM ? 2 : 1); nt++) {
        const struct sp_volume v = sp_volume_staged(l, reuse, nt ? 1 : 2);
        const struct sp_traffic t = simulate(l, cache_B, nt);
        double sum = 0;
        for (int i = 0; i <= SP_ARRAY_Y; i++) {
            near(t.array_read_B[i] + t.array_write_B[i], v.array_B[i], i == SP_ARRAY_POINTERS ? ends_B : 0);
            sum += v.array_B[i];
        }
        near(v.total_B, sum, 0);
        near(t.write_B.value - t.array_write_B[SP_ARRAY_OTHER], v.write_B, 0);
    }
}

/* Each block has columns of its own, every column is listed twice, so far apart that nothing of it is left.
 */
START_TEST(simulated_bytes_are_those_of_the_reuse_factors)
{
    static const enum sp_op ops[] = {SP_OP_SPMM, SP_OP_SDDMM};
    struct sp_csr a;
    clustered(8192, 16384, 64, 256, 64, &a);
    for (int op = 0; op < 2; op++) {
        struct sp_workload w = workload_of(&a, ops[op], 64, 64, 16);
        w.n_threads = 1;
        struct sp_layout l;
        make(&w, &l);
        const struct sp_staged_reuse reuse = sp_staged_reuse_of(&l, 1e9);
        ck_assert_double_eq(reuse.of_x, 16);
        check_traffic(&l, 256 << 10, 1);
        /* A block of 4096 entries takes 24 KiB, with P 40 KiB, its buffer 16 KiB. */
        if (ops[op] == SP_OP_SPMM)
            ck_assert_double_eq(sp_staged_reuse_of(&l, 36 << 10).r_t, 16);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

/* Entries of a block outgrow the cache, its buffer does not: A is read once for each tile. */
START_TEST(long_blocks_are_read_once_for_each_tile)
{
    struct sp_csr a;
    clustered(4096, 4096, 1024, 128, 64, &a);
    struct sp_workload w = workload_of(&a, SP_OP_SPMM, 64, 1024, 16);
    w.n_threads = 1;
    struct sp_layout l;
    make(&w, &l);
    check_traffic(&l, 64 << 10, 4);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* ---- references ---- */

struct references {
    const struct sp_trace *t;
    uint32_t *line;
    int64_t n, room;
};

static void refer(struct references *r, enum sp_trace_region region, int64_t offset_B, int64_t first,
                  int64_t end, int64_t size)
{
    for (int64_t i = first; i < end; i++) {
        if (r->n == r->room) {
            r->room = 2 * r->room + 1000;
            r->line = realloc(r->line, (size_t)r->room * sizeof *r->line);
        }
        r->line[r->n++] = (uint32_t)(r->t->first_line[region] + (offset_B + i * size) / 64);
    }
}

static void refer_block(struct references *r, const struct sp_layout *l, int64_t b, int64_t first,
                        int64_t end)
{
    const int64_t s = (int64_t)l->s_x, ld = sp_layout_stage_ld(l);
    refer(r, SP_REGION_INDEX_PTR, 0, b, b + 2, sizeof *l->block);
    refer(r, SP_REGION_PTR, 0, b, b + 1, (int64_t)l->s_p);
    for (int64_t i = l->block[b].list; i < l->block[b + 1].list; i++) {
        refer(r, SP_REGION_LIST, 0, i, i + 1, 4);
        refer(r, SP_REGION_X, 0, l->list[i] * l->r + first, l->list[i] * l->r + end, s);
        refer(r, SP_REGION_STAGE, 0, (i - l->block[b].list) * ld, (i - l->block[b].list + 1) * ld, s);
    }
    int64_t at = sp_layout_ptr(l, b);
    for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++) {
        refer(r, SP_REGION_LEN, 0, k, k + 1, 4);
        if (l->op == SP_OP_SDDMM && l->len[k] > 0)
            refer(r, SP_REGION_ROWS, 0, k * l->r + first, k * l->r + end, s);
        for (int64_t j = 0; j < l->len[k]; j++, at += l->C) {
            if (l->op == SP_OP_SPMM)
                refer(r, SP_REGION_VALUES, 0, at, at + l->C, s);
            refer(r, SP_REGION_INDICES, 0, at, at + l->C, 2);
            for (int64_t i = at; i < at + l->C; i++) {
                const int64_t place = ((const uint16_t *)l->col)[i] * ld;
                refer(r, SP_REGION_STAGE, 0, place, place + end - first, s);
            }
            if (l->op == SP_OP_SDDMM) {
                refer(r, SP_REGION_Y, 0, at, at + 1, s);
                if (end == l->r)
                    refer(r, SP_REGION_VALUES, 0, at, at + 1, s);
            }
        }
        for (int64_t row = k * l->C; l->op == SP_OP_SPMM && row < (k + 1) * l->C && row < l->n_r; row++)
            refer(r, SP_REGION_Y, 0, row * l->r + first, row * l->r + end, s);
    }
}

START_TEST(every_reference_in_order)
{
    static const enum sp_op ops[] = {SP_OP_SPMM, SP_OP_SDDMM};
    for (int op = 0; op < 2; op++) {
        struct sp_csr a = small_matrix(_i);
        struct sp_workload w = workload_of(&a, ops[op], 21, 16, 8);
        w.n_threads = 1;
        struct sp_layout l;
        make(&w, &l);
        struct sp_trace t;
        ck_assert_int_eq(
            sp_trace_open(&l, &(struct sp_trace_options){.every = true, .turn_steps = 37}, &t, NULL), SP_OK);
        struct references r = {.t = &t};
        for (int64_t b = 0; b < l.n_blocks; b++)
            for (int64_t first = 0; first < l.r; first += 8)
                refer_block(&r, &l, b, first, first + 8 < l.r ? first + 8 : l.r);
        ck_assert_int_eq(r.n, t.n_references);
        struct sp_trace_piece piece;
        int64_t n = 0;
        sp_trace_rewind(&t, 0);
        while (sp_trace_next(&t, &piece))
            for (int64_t i = 0; i < piece.n_events; i++, n++)
                if (n >= r.n || sp_event_line(piece.event[i]) != r.line[n])
                    ck_abort_msg("reference %lld of %lld differs", (long long)n, (long long)r.n);
        ck_assert_int_eq(n, r.n);
        free(r.line);
        sp_trace_close(&t);
        sp_layout_free(&l);
        sp_csr_free(&a);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("staged");
    TCase *tc = tcase_create("staged");
    tcase_add_loop_test(tc, layouts_hold_the_matrix, 0, N_SMALL_MATRICES);
    tcase_add_test(tc, blocks_end_where_buffers_are_full_and_refuse_what_16_bits_cannot_name);
    tcase_add_test(tc, simulated_bytes_are_those_of_the_reuse_factors);
    tcase_add_test(tc, long_blocks_are_read_once_for_each_tile);
    tcase_add_loop_test(tc, every_reference_in_order, 0, SMALL_COMPLEX);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
