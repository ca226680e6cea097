/* alpha_min of layouts against sets of lines made row by row, and volumes of layouts against the
 * formulas. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/cache/alpha.h"
#include "model/volume/volume.h"
#include "near.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"
#include "volume_cases.h"

enum { N = 500, PER_ROW = 5, LINE = 64 };

/* Rows of 1 to 2 PER_ROW ascending random columns out of n_c. */
static void make_random(int64_t n_c, struct sp_csr *a)
{
    struct sp_random random = {11};
    ck_assert_int_eq(sp_csr_alloc(N, n_c, N * 2 * PER_ROW, SP_FIELD_REAL, NULL, a, NULL), SP_OK);
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++) {
        int64_t length = 1 + sp_random_below(&random, 2 * PER_ROW), col = -1;
        for (int64_t k = 0; k < length; k++) {
            col += 1 + sp_random_below(&random, n_c / (2 * PER_ROW) - 1);
            a->col[n] = (int32_t)col;
            a->val[n++] = 1;
        }
        a->row_ptr[i + 1] = n;
    }
    a->n_nz = n;
}

static void free_random(struct sp_csr *a)
{
    a->n_nz = N * 2 * PER_ROW; /* as allocated */
    sp_csr_free(a);
}

static void touch_row(const struct sp_csr *a, int64_t row, size_t offset, int64_t first, int64_t end,
                      unsigned char *map)
{
    for (int64_t i = a->row_ptr[row]; i < a->row_ptr[row + 1]; i++)
        if (i >= first && i < end)
            map[(offset + 8 * (size_t)a->col[i]) / LINE] = 1;
}

/* Distinct (domain, line) pairs, from the rows of each unit. */
static int64_t brute_lines(const struct sp_csr *a, const struct sp_layout *l, int n_domains,
                           const int *domain, size_t offset)
{
    int64_t n_lines = (a->n_c * 8) / LINE + 2, count = 0;
    unsigned char *map = calloc((size_t)(n_domains * n_lines), 1);
    for (int t = 0; t < l->partition.n_threads; t++) {
        unsigned char *own = map + (domain ? domain[t] : 0) * n_lines;
        if (l->partition.schedule == SP_SCHEDULE_MERGE) {
            for (int64_t row = 0; row < N; row++)
                touch_row(a, row, offset, l->partition.entry_begin[t], l->partition.entry_begin[t + 1], own);
            continue;
        }
        int64_t cursor = 0, first, end;
        while (sp_partition_next(&l->partition, t, &cursor, &first, &end))
            for (int64_t lane = first * l->C; lane < end * l->C; lane++) {
                int64_t row = l->perm ? l->perm[lane] : lane;
                if (row >= 0 && row < N)
                    touch_row(a, row, offset, 0, a->n_nz, own);
                else
                    own[offset / LINE] = 1; /* the fill of an empty lane has column 0 */
            }
    }
    for (int64_t i = 0; i < n_domains * n_lines; i++)
        count += map[i];
    free(map);
    return count;
}

/* From the columns alone as from the entries, for any width. */
static void check_widths(const struct sp_layout *l, int n_domains, const int *domains)
{
    static const int32_t widths[] = {1, 2, 3, 8, 9, 32};
    struct sp_touched_columns touched;
    ck_assert_int_eq(sp_touched_columns_make(l, n_domains, domains, &touched, NULL), SP_OK);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int order = 0; order < 2; order++)
            for (size_t offset = 0; offset < LINE; offset += 40) {
                struct sp_layout view = *l;
                struct sp_alpha_min m, from;
                view.op = SP_OP_SPMMV;
                view.r = widths[i];
                view.order = order ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
                ck_assert_int_eq(sp_alpha_min_layout(&view, n_domains, domains, LINE, offset, NULL, &m, NULL),
                                 SP_OK);
                ck_assert_int_eq(sp_alpha_min_touched(&touched, &view, LINE, offset, &from, NULL), SP_OK);
                ck_assert_int_eq(from.lines, m.lines);
                ck_assert_int_eq(from.lines_once, m.lines_once);
                near(from.alpha, m.alpha, 0);
                near(from.alpha_once, m.alpha_once, 0);
            }
    sp_touched_columns_free(&touched);
}

static void check_layout(const struct sp_csr *a, const char *format, const char *schedule,
                         enum sp_index index)
{
    static const int domains[] = {0, 1, 0, 2};
    struct sp_workload w = {.precision = SP_F64, .index = index, .n_threads = 4, .matrix = a};
    ck_assert_int_eq(sp_workload_set_format(&w, format, NULL), SP_OK);
    ck_assert_int_eq(sp_workload_set_schedule(&w, schedule, NULL), SP_OK);
    struct sp_layout l;
    struct sp_alpha_min m;
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    if (l.format == SP_FORMAT_CRS)
        l.C = 1;
    for (int offset = 0; offset < LINE; offset += 40) {
        int64_t brute = brute_lines(a, &l, 3, domains, (size_t)offset);
        int64_t once = brute_lines(a, &l, 1, NULL, (size_t)offset);
        ck_assert_int_eq(sp_alpha_min_layout(&l, 3, domains, LINE, (size_t)offset, NULL, &m, NULL), SP_OK);
        if (l.format == SP_FORMAT_SELLU) {
            /* A unit-stride slot may read beyond the row's own columns. */
            ck_assert(m.lines >= brute && m.lines_once >= once);
            ck_assert(m.lines_once <= (a->n_c * 8) / LINE + 4);
        } else {
            ck_assert_msg(m.lines == brute && m.lines_once == once, "%s %s: %lld, not %lld", format, schedule,
                          (long long)m.lines, (long long)brute);
        }
        near(m.alpha, 64.0 * (double)m.lines / (8.0 * (double)a->n_nz), 1e-12);
        near(m.alpha_once, 64.0 * (double)m.lines_once / (8.0 * (double)a->n_nz), 1e-12);
        ck_assert_int_eq(sp_alpha_min_layout(&l, 1, NULL, LINE, (size_t)offset, NULL, &m, NULL), SP_OK);
        near(m.alpha, m.alpha_once, 0);
    }
    check_widths(&l, 3, domains);
    check_widths(&l, 1, NULL);
    sp_layout_free(&l);
}

START_TEST(lines_are_those_of_the_rows)
{
    static const char *const formats[] = {"crs", "sell:8,1", "sell:4,16", "sell:32,64", "sellu:8,1"};
    static const char *const schedules[] = {"rows", "nnz", "cyclic:16"};
    struct sp_csr a;
    make_random(2000, &a);
    for (int f = 0; f < 5; f++)
        for (int s = 0; s < 3; s++)
            for (int i = 0; i < 2; i++)
                check_layout(&a, formats[f], schedules[s], (enum sp_index)i);
    check_layout(&a, "crs", "merge", SP_I32);
    check_layout(&a, "crs", "cyclic:16", SP_D16);
    free_random(&a);
}
END_TEST

/* A band has full lines, no empty columns and one domain: alpha_min = 1/n_nzc. */
START_TEST(alpha_min_of_a_diagonal)
{
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(4096, 4096, 4096, SP_FIELD_REAL, NULL, &a, NULL), SP_OK);
    for (int i = 0; i < 4096; i++) {
        a.row_ptr[i + 1] = i + 1;
        a.col[i] = i;
        a.val[i] = 1;
    }
    struct sp_workload w = {.precision = SP_F64, .C = 1, .sigma = 1, .n_threads = 2, .matrix = &a};
    struct sp_layout l;
    struct sp_alpha_min m;
    const int domains[] = {0, 1};
    int64_t lines_of[2];
    ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_alpha_min_layout(&l, 2, domains, LINE, 0, lines_of, &m, NULL), SP_OK);
    near(m.alpha, sp_alpha_min_sizes(4096, 4096), 0);
    near(m.alpha_once, 1, 0);
    ck_assert_int_eq(lines_of[0], 256);
    ck_assert_int_eq(lines_of[1], 256);
    ck_assert_int_eq(sp_alpha_min_layout(&l, 2, domains, LINE, 32, NULL, &m, NULL), SP_OK);
    ck_assert_int_eq(m.lines_once, 513); /* one more when x starts inside a line ... */
    ck_assert_int_eq(m.lines, 514);      /* ... and the one at the border twice */
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Two independent ways to one number: the layout's arrays and the closed forms. */
START_TEST(volumes_of_layouts_are_those_of_the_formulas)
{
    static const char *const formats[] = {"crs",        "sell:8,1",  "sell:4,16",
                                          "sell:32,64", "sellu:8,1", "sellu:8,64"};
    struct sp_csr a;
    make_random(2000, &a);
    for (int f = 0; f < 6; f++) {
        struct sp_workload w = {.precision = SP_F64, .n_threads = 2, .matrix = &a};
        struct sp_layout l;
        ck_assert_int_eq(sp_workload_set_format(&w, formats[f], NULL), SP_OK);
        ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
        struct sp_sizes s = sp_sizes_of_layout(&l);
        double beta = (double)l.n_nz / (double)l.n_stored, alpha = 0.7;
        struct sp_volume exact = sp_volume_layout(&l, alpha, 2), formula;
        if (l.format == SP_FORMAT_CRS)
            formula = sp_volume_spmv_csr(N, a.n_nz, s, alpha, 2);
        else if (l.format == SP_FORMAT_SELL)
            formula = sp_volume_spmv_sell(N, a.n_nz, l.C, beta, s, l.perm != NULL, alpha, 2);
        else
            formula = sp_volume_spmv_sellu(N, a.n_nz, l.C, beta, (double)l.n_unit_slots / (double)l.n_slots,
                                           s, l.perm != NULL, alpha, 2);
        for (int i = 0; i < SP_N_ARRAYS; i++)
            ck_assert_msg(fabs(exact.array_B[i] - formula.array_B[i]) <= 1e-9 * exact.total_B,
                          "%s, %s: %.3f by layout, %.3f by formula", formats[f],
                          sp_array_name((enum sp_array)i), exact.array_B[i], formula.array_B[i]);
        near(exact.total_B, formula.total_B, 1e-9 * exact.total_B);
        /* Unit-stride slots may add fill of their own, which row lengths do not tell. */
        struct sp_pattern pattern = sp_csr_pattern(&a);
        if (l.format == SP_FORMAT_SELL)
            near(sp_sell_beta(&pattern, l.C, l.sigma), beta, 1e-12);
        sp_layout_free(&l);
    }
    free_random(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alpha");
    TCase *tc = tcase_create("alpha");
    tcase_add_test(tc, lines_are_those_of_the_rows);
    tcase_add_test(tc, alpha_min_of_a_diagonal);
    tcase_add_test(tc, volumes_of_layouts_are_those_of_the_formulas);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
