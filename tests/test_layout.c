/* What a layout promises: every entry once, fill that is zero, beta as the formula says, partitions that
 * cover everything once. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/layout.h"

struct triplet {
    int64_t row, col;
    double val;
};

static double stored_value(const struct sp_layout *l, int64_t i)
{
    if (l->s_a == sizeof(float))
        return ((const float *)l->val)[i];
    return ((const double *)l->val)[l->precision == SP_C128 ? 2 * i : i];
}

struct collector {
    struct triplet *entry; /* [n_nz] by the place in the matrix, which the value tells */
    int64_t first_place;   /* of the matrix's first value: a folded matrix starts elsewhere */
    int64_t n, n_fill;
};

static void collect(struct collector *c, const struct sp_layout *l, int64_t row, int64_t col, int64_t at,
                    bool may_be_outside)
{
    double value = stored_value(l, at);
    if (value == 0) {
        c->n_fill++;
        if (!may_be_outside)
            require(col >= 0 && col < (l->n_c > 0 ? l->n_c : 1));
        require(col > -l->C && col < l->n_c + l->C);
        return;
    }
    require(row >= 0 && row < l->n_r && col >= 0 && col < l->n_c);
    int64_t place = small_value_place(value) - c->first_place;
    require(place >= 0 && place < l->n_nz && c->entry[place].val == 0);
    c->entry[place] = (struct triplet){row, col, value};
    c->n++;
}

static int64_t row_in_lane(const struct sp_layout *l, int64_t chunk, int64_t lane)
{
    int64_t i = chunk * l->C + lane;
    return l->perm ? l->perm[i] : i < l->n_r ? i : -1;
}

static void collect_chunk(struct collector *c, const struct sp_layout *l, int64_t k)
{
    int64_t at = sp_layout_ptr(l, k);
    require(sp_layout_ptr(l, k + 1) - at == (int64_t)l->len[k] * l->C);
    int64_t n_unit = l->n_unit ? l->n_unit[k] : 0;
    int64_t index = l->n_unit ? sp_layout_index_ptr(l, k) : at;
    if (l->n_unit)
        require(sp_layout_index_ptr(l, k + 1) - index == n_unit + (l->len[k] - n_unit) * l->C);
    for (int64_t j = 0; j < l->len[k]; j++) {
        int64_t base = j < n_unit ? sp_layout_col(l, index++) : 0;
        for (int64_t lane = 0; lane < l->C; lane++, at++) {
            int64_t col = j < n_unit ? base + lane : sp_layout_col_in(l, index++, at / l->C);
            collect(c, l, row_in_lane(l, k, lane), col, at, j < n_unit);
        }
    }
}

/* Longest first inside each window, equal ones in their order. */
static void check_perm(const struct sp_layout *l, const struct sp_csr *a)
{
    char *seen = calloc((size_t)l->n_r + 1, 1);
    for (int64_t i = 0; i < l->n_chunks * l->C; i++) {
        int64_t row = l->perm[i];
        if (i >= l->n_r) {
            require(row == -1);
            continue;
        }
        require(row >= i / l->sigma * l->sigma && row < (i / l->sigma + 1) * l->sigma && !seen[row]);
        seen[row] = 1;
        if (i % l->sigma == 0)
            continue;
        int64_t before = l->perm[i - 1];
        int64_t length = a->row_ptr[row + 1] - a->row_ptr[row];
        int64_t length_before = a->row_ptr[before + 1] - a->row_ptr[before];
        require(length < length_before || (length == length_before && before < row));
    }
    free(seen);
}

static void check_layout(const struct sp_workload *w)
{
    struct sp_layout l;
    require(sp_workload_check(w, NULL) == SP_OK);
    require(sp_layout_make(w, true, NULL, &l, NULL) == SP_OK);
    const struct sp_csr *a = w->matrix;
    struct collector c = {calloc((size_t)a->n_nz + 1, sizeof *c.entry),
                          a->n_nz > 0 ? small_value_place(a->val[0]) : 0, 0, 0};
    if (w->format == SP_FORMAT_CRS) {
        for (int64_t i = 0; i < l.n_r; i++)
            for (int64_t j = sp_layout_ptr(&l, i); j < sp_layout_ptr(&l, i + 1); j++)
                collect(&c, &l, i, sp_layout_col_in(&l, j, i), j, false);
    } else {
        ck_assert_int_eq(l.n_chunks, (l.n_r + l.C - 1) / l.C);
        for (int64_t k = 0; k < l.n_chunks; k++)
            collect_chunk(&c, &l, k);
    }
    ck_assert_int_eq(c.n, a->n_nz);
    ck_assert_int_eq(c.n + c.n_fill, l.n_stored);
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++)
            require(c.entry[j].row == i && c.entry[j].col == a->col[j]);
    free(c.entry);
    if (w->format == SP_FORMAT_SELL) {
        struct sp_pattern pattern = sp_csr_pattern(a);
        double beta = a->n_nz > 0 ? (double)l.n_nz / (double)l.n_stored : 1;
        require(fabs(beta - sp_sell_beta(&pattern, w->C, w->sigma)) < 1e-14);
    }
    ck_assert_int_eq(l.perm != NULL, w->format != SP_FORMAT_CRS && w->sigma > 1);
    if (l.perm)
        check_perm(&l, a);
    double bytes = 0;
    for (int array = SP_ARRAY_VALUES; array <= SP_ARRAY_PERM; array++)
        bytes += sp_layout_array_bytes(&l, array);
    require(bytes <= sp_layout_bytes_bound(w, true));
    sp_layout_free(&l);
    sp_layout_free(&l);

    require(sp_layout_make(w, false, NULL, &l, NULL) == SP_OK);
    require(!l.val);
    sp_layout_free(&l);
}

static struct sp_workload workload_of(const struct sp_csr *a)
{
    return (struct sp_workload){.op = SP_OP_SPMV,
                                .format = SP_FORMAT_CRS,
                                .C = 1,
                                .sigma = 1,
                                .precision = sp_csr_is_complex(a) ? SP_C128 : SP_F64,
                                .schedule = SP_SCHEDULE_NNZ,
                                .block = 8,
                                .n_threads = 2,
                                .matrix = a};
}

START_TEST(every_entry_once)
{
    struct sp_csr a = small_matrix(_i);
    static const int32_t Cs[] = {1, 4, 5, 8, 32, 100};
    for (int format = 0; format <= SP_FORMAT_SELLU; format++)
        for (int index = 0; index < SP_N_INDICES; index++)
            for (size_t c = 0; c < sizeof Cs / sizeof *Cs; c++)
                for (int64_t sorting = 0; sorting < (index == SP_I64 ? 2 : 4); sorting++) {
                    if (format == SP_FORMAT_CRS && c + (size_t)sorting > 0)
                        continue;
                    struct sp_workload w = workload_of(&a);
                    w.format = format;
                    w.index = index;
                    w.C = Cs[c];
                    w.n_threads = w.C == 5 ? 2 : 1;
                    w.sigma = sorting == 0 ? 1 : sorting == 3 ? 1000 * w.C : sorting * w.C;
                    bool dear = index == SP_D16 && format != SP_FORMAT_CRS && w.C < 4; /* a base an entry */
                    if (dear || sp_workload_check(&w, NULL) != SP_OK)
                        continue;
                    check_layout(&w);
                    if (w.precision == SP_F64) {
                        w.precision = SP_F32;
                        check_layout(&w);
                        w.precision = SP_MIXED;
                        check_layout(&w);
                    }
                }
    sp_csr_free(&a);
}
END_TEST

/* What the matrix holds as CRS stores it is not copied, and stays the matrix'. */
START_TEST(lent_arrays_are_the_same)
{
    struct sp_csr a = small_matrix(_i);
    for (int precision = 0; precision < SP_N_PRECISIONS; precision++)
        for (int index = 0; index < SP_N_INDICES; index++) {
            struct sp_workload w = workload_of(&a);
            struct sp_layout copied, lent;
            w.precision = precision;
            w.index = index;
            if ((precision == SP_C128) != sp_csr_is_complex(&a) || sp_workload_check(&w, NULL) != SP_OK)
                continue;
            ck_assert_int_eq(sp_layout_make(&w, true, a.allocator, &copied, NULL), SP_OK);
            ck_assert_int_eq(sp_layout_make_lent(&w, a.allocator, &lent, NULL), SP_OK);
            ck_assert(lent.lent_col == (index == SP_I32 && a.n_nz > 0) &&
                      (!lent.lent_col || lent.col == a.col));
            ck_assert(lent.lent_val == (precision == SP_F64 && a.n_nz > 0) &&
                      (!lent.lent_val || lent.val == a.val));
            const double lent_B = (double)a.n_nz * ((lent.lent_col ? 4 : 0) + (lent.lent_val ? 8 : 0));
            ck_assert_double_eq(sp_layout_lent_bytes(&w, a.allocator), lent_B);
            for (int64_t j = 0; j < a.n_nz; j++)
                require(memcmp((char *)lent.val + j * (int64_t)lent.s_a,
                               (char *)copied.val + j * (int64_t)lent.s_a, lent.s_a) == 0);
            for (int64_t i = 0; i < a.n_r; i++)
                for (int64_t j = a.row_ptr[i]; j < a.row_ptr[i + 1]; j++)
                    require(sp_layout_col_in(&lent, j, i) == sp_layout_col_in(&copied, j, i));
            sp_layout_free(&lent);
            sp_layout_free(&copied);
        }
    sp_csr_free(&a);
}
END_TEST

/* Each unit and each entry belongs to exactly one thread. */
static void check_partition(const struct sp_layout *l)
{
    const struct sp_partition *p = &l->partition;
    int64_t entries = 0, units = 0;
    char *owned = calloc((size_t)p->n_units + 1, 1);
    for (int t = 0; t < p->n_threads; t++) {
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end)) {
            require(0 <= first && first <= end && end <= p->n_units);
            for (int64_t i = first; i < end; i++) {
                require(!owned[i]);
                owned[i] = 1;
                units++;
            }
        }
        ck_assert_int_ge(sp_layout_thread_entries(l, t), 0);
        entries += sp_layout_thread_entries(l, t);
    }
    ck_assert_int_eq(units, p->n_units);
    ck_assert_int_eq(entries, l->n_stored);
    free(owned);
    for (int t = 0; p->schedule == SP_SCHEDULE_MERGE && t < p->n_threads; t++) {
        int64_t row = p->begin[t];
        require(p->entry_begin[t] >= sp_layout_ptr(l, row));
        require(row == p->n_units || p->entry_begin[t] <= sp_layout_ptr(l, row + 1));
        int64_t work = p->begin[t + 1] - row + p->entry_begin[t + 1] - p->entry_begin[t];
        require(llabs(work - (l->n_stored + p->n_units) / p->n_threads) <= 2);
    }
}

START_TEST(partitions_cover_all_once)
{
    struct sp_csr a = small_matrix(_i);
    static const int threads[] = {1, 2, 3, 150};
    for (int format = 0; format <= SP_FORMAT_SELLU; format++)
        for (int schedule = 0; schedule < SP_N_SCHEDULES; schedule++)
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                if (threads[t] > 100 && _i % 4 != 1)
                    continue; /* starting so many threads takes long */
                struct sp_workload w = workload_of(&a);
                w.format = format;
                w.C = 4;
                w.schedule = schedule;
                w.block = 10;
                w.n_threads = threads[t];
                if (sp_workload_check(&w, NULL) != SP_OK)
                    continue;
                struct sp_layout l;
                ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
                check_partition(&l);
                if (schedule == SP_SCHEDULE_CYCLIC)
                    ck_assert_int_eq(l.partition.block, format == SP_FORMAT_CRS ? 10 : 3);
                sp_layout_free(&l);
            }
    sp_csr_free(&a);
}
END_TEST

START_TEST(partition_hashes_tell_shares_apart)
{
    static const int64_t ptr[] = {0, 8, 9, 10, 11, 12, 13}, even[] = {0, 2, 4, 6, 8, 10, 12};
    static const struct {
        enum sp_schedule schedule;
        int64_t block;
        int n_threads;
        const int64_t *ptr;
    } cases[] = {{SP_SCHEDULE_NNZ, 0, 2, ptr},    {SP_SCHEDULE_NNZ, 0, 3, ptr},
                 {SP_SCHEDULE_NNZ, 0, 2, even},   {SP_SCHEDULE_CYCLIC, 1, 2, ptr},
                 {SP_SCHEDULE_CYCLIC, 2, 2, ptr}, {SP_SCHEDULE_MERGE, 0, 2, ptr}};
    enum { N = sizeof cases / sizeof *cases };
    uint64_t h[N];
    for (int i = 0; i < N; i++)
        for (int again = 0; again < 2; again++) {
            struct sp_partition p;
            ck_assert_int_eq(sp_partition_make(cases[i].schedule, cases[i].block, cases[i].n_threads, 6,
                                               cases[i].ptr, &p, NULL),
                             SP_OK);
            ck_assert(!again || sp_partition_hash(&p) == h[i]);
            h[i] = sp_partition_hash(&p);
            sp_partition_free(&p);
        }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < i; k++)
            ck_assert_msg(h[i] != h[k], "cases %d and %d", i, k);
}
END_TEST

START_TEST(nnz_schedule_balances_entries)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = workload_of(&a);
    struct sp_layout l;
    w.n_threads = 4;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    for (int t = 0; t < 4; t++)
        ck_assert(llabs(sp_layout_thread_entries(&l, t) - l.n_stored / 4) <= 27);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(unit_slots_save_bytes_on_a_stencil)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = workload_of(&a);
    struct sp_layout sell, sellu;
    w.format = SP_FORMAT_SELL;
    w.C = 7; /* a line of the grid: every diagonal is consecutive */
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &sell, NULL), SP_OK);
    w.format = SP_FORMAT_SELLU;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &sellu, NULL), SP_OK);
    ck_assert_int_gt(sellu.n_unit_slots * 10, sellu.n_slots * 9);
    ck_assert_int_eq(sellu.n_indices, sellu.n_unit_slots + (sellu.n_slots - sellu.n_unit_slots) * 7);
    double sell_B =
        sp_layout_array_bytes(&sell, SP_ARRAY_VALUES) + sp_layout_array_bytes(&sell, SP_ARRAY_INDICES);
    double sellu_B =
        sp_layout_array_bytes(&sellu, SP_ARRAY_VALUES) + sp_layout_array_bytes(&sellu, SP_ARRAY_INDICES);
    ck_assert(sellu_B < 0.9 * sell_B);
    sp_layout_free(&sell);
    sp_layout_free(&sellu);
    sp_csr_free(&a);
}
END_TEST

/* THEORY 2: pointers of CRS s_p (n_r + 1), of SELL (s_p + 4) a chunk, permutation 4 B a row. */
START_TEST(array_bytes_are_those_of_the_theory)
{
    struct sp_csr a = small_matrix(SMALL_TRIDIAGONAL);
    struct sp_workload w = workload_of(&a);
    struct sp_layout l;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_VALUES) == 8.0 * 109);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_INDICES) == 4.0 * 109);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_POINTERS) == 4.0 * 38);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_PERM) == 0);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_X) == 8.0 * 37);
    sp_layout_free(&l);
    w.format = SP_FORMAT_SELL;
    w.C = 8;
    w.sigma = 16;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_POINTERS) == 8.0 * 5);
    ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_PERM) == 4.0 * 37);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Lengths 5 1 4 2 | 3 0: C = 2. sigma 1: (5 + 4 + 3) 2 = 24; sigma 4: (5 + 2 + 3) 2 = 20; 15 entries. */
START_TEST(beta_by_hand)
{
    int64_t row_ptr[] = {0, 5, 6, 10, 12, 15, 15};
    struct sp_pattern p = {6, 8, 15, row_ptr, NULL, NULL};
    ck_assert(sp_sell_beta(&p, 2, 1) == 15.0 / 24);
    ck_assert(sp_sell_beta(&p, 2, 2) == 15.0 / 24);
    ck_assert(sp_sell_beta(&p, 2, 4) == 15.0 / 20);
    ck_assert(sp_sell_beta(&p, 2, 1000) == 15.0 / 18);
    ck_assert(sp_sell_beta(&p, 1, 1) == 1);
    int64_t empty[] = {0, 0};
    struct sp_pattern nothing = {1, 1, 0, empty, NULL, NULL};
    ck_assert(sp_sell_beta(&nothing, 32, 1) == 1);
}
END_TEST

/* Rows longer than the counting sort's range take the other way. */
START_TEST(long_rows_sort_right)
{
    enum { N = 200 };
    int64_t row_ptr[N + 1] = {0};
    for (int i = 0; i < N; i++)
        row_ptr[i + 1] = row_ptr[i] + (i % 3 ? 7 + i % 5 : 5000 + 100 * (i % 7));
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, 6000, row_ptr[N], SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    memcpy(a.row_ptr, row_ptr, sizeof row_ptr);
    for (int i = 0; i < N; i++)
        for (int64_t j = row_ptr[i]; j < row_ptr[i + 1]; j++) {
            a.col[j] = (int32_t)(j - row_ptr[i]);
            a.val[j] = small_value(j);
        }
    struct sp_workload w = workload_of(&a);
    w.format = SP_FORMAT_SELL;
    w.C = 4;
    for (w.sigma = 8; w.sigma < 1000; w.sigma *= 4)
        check_layout(&w);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout");
    TCase *tcase = tcase_create("layout");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, every_entry_once, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tcase, lent_arrays_are_the_same, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tcase, partitions_cover_all_once, 0, N_SMALL_MATRICES);
    tcase_add_test(tcase, partition_hashes_tell_shares_apart);
    tcase_add_test(tcase, nnz_schedule_balances_entries);
    tcase_add_test(tcase, unit_slots_save_bytes_on_a_stencil);
    tcase_add_test(tcase, array_bytes_are_those_of_the_theory);
    tcase_add_test(tcase, beta_by_hand);
    tcase_add_test(tcase, long_rows_sort_right);
    return run_suite(suite);
}
