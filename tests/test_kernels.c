/* Every row of the kernel table keeps its promises on matrices that are nasty in one way each, in
 * every format, C, sigma, precision, index width, schedule, number of threads and way of storing.
 * One combination in ten (share.h), and the others with "rest"; every row of the table that can run
 * here has to be met by the one in ten. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/kernel.h"
#include "share.h"
#include "small_matrices.h"
#include "sparse/formats/format.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "sparse/launch/gpu_launch.h"
#include "sparse/product/verify.h"
#include "tried_formats.h"

enum { MOST_ROWS = 1024 };
static int *met; /* [MOST_ROWS] how often each row of the table ran, in all processes of this test */

/* Prepares, runs and checks one kernel on one layout; asked to store past the cache, only where it does:
 * elsewhere it would do the same once more. */
static void check_kernel(const struct sp_kernel *kernel, const struct sp_workload *w,
                         const struct sp_layout *l, const struct sp_dense *dense, bool store_nt)
{
    struct sp_operands operands = {
        .x = dense->x, .rows = dense->rows, .second = dense->second, .store_nt = store_nt};
    struct sp_error err;
    void *state;
    if (kernel->prepare(l, &operands, &state, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    struct sp_kernel_facts facts;
    kernel->facts(state, &facts);
    if (facts.store_nt && !store_nt)
        ck_abort_msg("%s stores past the cache though nobody asked", kernel->name);
    if (store_nt && !facts.store_nt) {
        kernel->release(state);
        return;
    }
    double thread_s[8] = {0};
    struct sp_run_stats stats = {thread_s, w->n_threads};
    /* Three executions: the later ones meet what those before them left. */
    if (kernel->run(state, 3, &stats, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    int64_t n = sp_dense_n_result(w);
    double *result = malloc((size_t)(n + 1) * sizeof *result);
    for (int64_t i = 0; i < n; i++)
        result[i] = NAN;
    if (kernel->fetch(state, result, &err) != SP_OK)
        ck_abort_msg("%s: %s", kernel->name, err.what);
    struct sp_spmv_check check;
    if (sp_verify(w, dense, result, &check, &err) != SP_OK) {
        char format[64], schedule[64];
        ck_abort_msg("%s, %s, %s, %s, %s, r = %d, %s-major, %d threads, nt %d: %s", kernel->name,
                     sp_workload_format_text(w, format, sizeof format), sp_precision_name(w->precision),
                     sp_index_name(w->index), sp_workload_schedule_text(w, schedule, sizeof schedule),
                     (int)w->r, sp_order_name(w->order), w->n_threads, store_nt, err.what);
    }
    free(result);
    kernel->release(state);
}

/* Drivers of OpenCL start threads and compilers: tests/gpu/test_opencl.c runs these. */
static bool is_opencl(const struct sp_kernel *kernel)
{
    return kernel->on_gpu && kernel->api == SP_GPU_OPENCL;
}

/* All rows of the table that are for this workload; how many there were. */
static int check_workload(const struct sp_workload *asked)
{
    static int n_asked; /* every third time with wide pointers */
    struct sp_workload wide = *asked;
    const struct sp_workload *w = &wide;
    wide.row_ptr_B = n_asked++ % 3 == 2 ? 8 : 0;
    struct sp_layout l;
    struct sp_error err;
    int n = 0;
    if (sp_workload_check(w, NULL) != SP_OK)
        return 0;
    enum sp_status status = sp_layout_make(w, true, NULL, &l, &err);
    if (status != SP_OK)
        ck_abort_msg("%s %s: %s", sp_op_name(w->op), sp_format_name(w->format), err.what);
    ck_assert(w->row_ptr_B == 0 || l.s_p == 8);
    struct sp_dense_arrays arrays;
    ck_assert_int_eq(sp_dense_make(w, 3, &arrays, NULL), SP_OK);
    struct sp_dense dense = sp_dense_of(&arrays);
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *kernel = sp_kernel_table[i];
        if (kernel->absent || !sp_kernel_is_for(kernel, &l) || is_opencl(kernel) ||
            kernel->available(NULL) != SP_OK || (kernel->accepts && kernel->accepts(&l, NULL) != SP_OK))
            continue;
        n++;
        ck_assert_int_lt(i, MOST_ROWS);
        __atomic_add_fetch(&met[i], 1, __ATOMIC_RELAXED);
        check_kernel(kernel, w, &l, &dense, false);
        check_kernel(kernel, w, &l, &dense, true);
    }
    sp_dense_free(&arrays);
    sp_layout_free(&l);
    return n;
}

/* The schedules in turn, each with its numbers of threads, so that every combination of the other
 * choices meets some of them and every pair occurs often. */
static void next_schedule(struct sp_workload *w, int *turn)
{
    static const struct {
        enum sp_schedule schedule;
        int n_threads;
    } all[] = {{SP_SCHEDULE_NNZ, 1},    {SP_SCHEDULE_ROWS, 2},  {SP_SCHEDULE_CYCLIC, 2},
               {SP_SCHEDULE_NNZ, 3},    {SP_SCHEDULE_MERGE, 2}, {SP_SCHEDULE_MERGE, 5},
               {SP_SCHEDULE_CYCLIC, 1}, {SP_SCHEDULE_MERGE, 1}, {SP_SCHEDULE_ROWS, 3}};
    size_t n = sizeof all / sizeof *all;
    do {
        w->schedule = all[*turn % (int)n].schedule;
        w->n_threads = all[*turn % (int)n].n_threads;
        ++*turn;
    } while (w->schedule == SP_SCHEDULE_MERGE && w->format != SP_FORMAT_CRS);
    w->block = 5;
}

START_TEST(kernels_agree_with_the_reference)
{
    struct sp_csr a = small_matrix(_i);
    static const int32_t Cs[] = {4, 8, 16, 32, 5, 40};
    static const int formats[] = {SP_FORMAT_CRS, SP_FORMAT_SELL, SP_FORMAT_SELLU};
    int turn = _i, n = 0;
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_C128, SP_MIXED};
    for (int precision = 0; precision < 4; precision++)
        for (int index = 0; index < SP_N_INDICES; index++)
            for (int f = 0; f < 3; f++) {
                int format = formats[f];
                struct sp_workload w = {.format = format, .C = 1, .sigma = 1, .matrix = &a};
                w.precision = precisions[precision];
                w.index = index;
                w.prefetch = (_i + index + precision) % 3 * 7; /* 0, 7, 14 */
                if (format == SP_FORMAT_SELLU || index == SP_D16)
                    w.prefetch = 0;
                for (int i = 0; format == SP_FORMAT_CRS && i < 9; i++) {
                    next_schedule(&w, &turn);
                    if (share_has(n++, _i))
                        check_workload(&w);
                }
                for (size_t i = 0; format != SP_FORMAT_CRS && i < sizeof Cs / sizeof *Cs; i++) {
                    w.C = Cs[i];
                    w.sigma = ((int)i + f + index + precision + _i) % 2 ? 1 : 3 * w.C;
                    next_schedule(&w, &turn);
                    if (share_has(n++, _i))
                        check_workload(&w);
                }
            }
    sp_csr_free(&a);
}
END_TEST

/* CRS of a pattern, which is freed, with values and each width of indices, on one to three threads; asked to prefetch
 * where their number is odd. */
static void check_rows(struct sp_csr *a, enum sp_precision precision, int prefetch)
{
    for (int64_t k = 0; k < (precision == SP_C128 ? 2 : 1) * a->n_nz; k++)
        a->val[k] = small_value(k);
    for (int index = 0; index < SP_N_INDICES; index++)
        for (int n_threads = 1; n_threads <= 3; n_threads++) {
            struct sp_workload w = {.format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .matrix = a};
            w.precision = precision;
            w.index = index;
            w.n_threads = n_threads;
            w.prefetch = index == SP_D16 ? 0 : n_threads % 2 * prefetch;
            check_workload(&w);
        }
    sp_csr_free(a);
}

/* Long rows of the same columns four at a time, and some that differ from these in one in the middle:
 * kernels load x once for them, of every type, as wide as vectors go. */
START_TEST(rows_alike_agree_with_the_reference)
{
    enum { N = 52, LENGTH = 22 };
    struct sp_csr a;
    ck_assert_int_eq(sp_csr_alloc(N, N / 4 + 2 * LENGTH, (int64_t)N * LENGTH,
                                  _i == SP_C128 ? SP_FIELD_COMPLEX : SP_FIELD_REAL, NULL, &a, NULL),
                     SP_OK);
    for (int i = 0, k = 0; i < N; i++) {
        for (int j = 0; j < LENGTH; j++, k++)
            a.col[k] = i / 4 + 2 * j + (i % 16 == 6 && j == LENGTH / 2);
        a.row_ptr[i + 1] = k;
    }
    check_rows(&a, (enum sp_precision)_i, 0);
}
END_TEST

/* Rows that differ in length, of which a few are long or empty, more of them than are staged at once; then rows of one
 * length, whose ends a processor foresees. */
START_TEST(short_rows_agree_with_the_reference)
{
    enum { MIXED = 203, ALIKE = 90, N = MIXED + ALIKE, COLUMNS = 97 };
    struct sp_csr a;
    int length[N];
    int64_t n_nz = 0;
    for (int i = 0; i < N; i++) {
        length[i] = i >= MIXED ? 3 : i % 29 == 11 ? 23 + i % 41 : i * i % 7 + (i % 5 == 0) * (i % 11);
        n_nz += length[i];
    }
    ck_assert_int_eq(
        sp_csr_alloc(N, COLUMNS, n_nz, _i == SP_C128 ? SP_FIELD_COMPLEX : SP_FIELD_REAL, NULL, &a, NULL),
        SP_OK);
    for (int i = 0, k = 0; i < N; i++) {
        for (int j = 0; j < length[i]; j++, k++)
            a.col[k] = i * 37 % (COLUMNS - length[i]) + j;
        a.row_ptr[i + 1] = k;
    }
    check_rows(&a, (enum sp_precision)_i, 7);
}
END_TEST

/* Half storage of symmetric and skew-symmetric matrices, from one thread to more than there are
 * rows. */
START_TEST(halves_agree_with_the_reference)
{
    static const int threads[] = {1, 2, 3, 5, 8};
    struct sp_csr a = small_symmetric(_i, 1), skew = small_symmetric(_i, -1);
    for (int precision = 0; precision <= SP_F32; precision++)
        for (int index = 0; index <= SP_I64; index++)
            for (size_t t = 0; t < 2 * sizeof threads / sizeof *threads; t++) {
                struct sp_workload w = {.format = SP_FORMAT_HALF,
                                        .precision = precision,
                                        .index = index,
                                        .schedule = SP_SCHEDULE_NNZ,
                                        .n_threads = threads[t / 2],
                                        .matrix = t % 2 ? &skew : &a};
                ck_assert_int_gt(check_workload(&w), 0);
            }
    sp_csr_free(&a);
    sp_csr_free(&skew);
}
END_TEST

/* Formats that cut the columns, into parts that hold the matrix or some of it, from one thread to
 * more than there are rows. */
START_TEST(parts_of_columns_agree_with_the_reference)
{
    static const enum sp_precision precisions[] = {SP_F64, SP_F32, SP_MIXED};
    struct sp_csr a = small_matrix(_i);
    for (int f = 0; f < sp_n_formats; f++)
        for (int i = 0; sp_format_kinds[f]->for_columns && _i != SMALL_COMPLEX && i < 3 * 2 * 4 * 2; i++) {
            struct sp_workload w = {.format = f,
                                    .W = i % 2 ? 64 : 1000,
                                    .precision = precisions[i / 2 % 3],
                                    .index = i / 6 % 2 ? SP_I64 : SP_I32,
                                    .schedule = SP_SCHEDULE_NNZ,
                                    .n_threads = 1 + 2 * (i / 12),
                                    .matrix = &a};
            ck_assert_int_gt(check_workload(&w), 1);
        }
    sp_csr_free(&a);
}
END_TEST

/* Each that SpMV takes, whatever the tests around this one try. */
START_TEST(every_format_agrees_with_the_reference)
{
    const char *formats[MOST_TRIED_FORMATS];
    const int n = tried_formats(SP_OP_SPMV, formats);
    struct sp_csr a = small_symmetric(_i, 1);
    for (int f = 0; f < n && !sp_csr_is_complex(&a); f++) {
        struct sp_workload w = {.schedule = SP_SCHEDULE_NNZ, .n_threads = 3, .matrix = &a};
        ck_assert_int_eq(sp_workload_set_format(&w, formats[f], NULL), SP_OK);
        ck_assert_msg(check_workload(&w) > 1,
                      "%s has no kernel beside the reference: kernels/cpu/plain/NAME.c with PLAIN_FORMAT in "
                      "base/option/formats.inc, or rows of kernels/kernel_table.c",
                      formats[f]);
    }
    sp_csr_free(&a);
}
END_TEST

/* Every block size that has a body of its own, and some that have none. */
START_TEST(blocks_agree_with_the_reference)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 16, 17, 64};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    struct sp_csr a = small_matrix(_i);
    int turn = _i, n = 0;
    for (int precision = 0; precision <= SP_F32; precision++)
        for (int index = 0; index < SP_N_INDICES; index++)
            for (int h = 0; h < N_SIZES; h++)
                for (int v = 0; v < N_SIZES; v++) {
                    struct sp_workload w = {.format = SP_FORMAT_BCSR, .matrix = &a};
                    w.b_h = sizes[h];
                    w.b_w = sizes[v];
                    w.precision = precision;
                    w.index = index;
                    next_schedule(&w, &turn);
                    if (sp_workload_check(&w, NULL) == SP_OK && share_has(n++, _i))
                        ck_assert_int_gt(check_workload(&w), 0);
                }
    sp_csr_free(&a);
}
END_TEST

/* Formats of the operations with dense operands, as typed; beside these each other that the table
 * has. */
static struct {
    enum sp_op op;
    const char *format;
} dense_cases[64] = {
    {SP_OP_SPMMV, "crs"},           {SP_OP_SPMMV, "sell:4,1"},    {SP_OP_SPMMV, "sell:8,32"},
    {SP_OP_SPMMV, "sell:32,64"},    {SP_OP_SPMMV, "sell:5,10"},   {SP_OP_SPMM, "crs"},
    {SP_OP_SDDMM, "crs"},           {SP_OP_FUSEDMM, "crs"},       {SP_OP_SPMM, "staged:16,8"},
    {SP_OP_SPMM, "staged:256,64"},  {SP_OP_SPMM, "staged:3,100"}, {SP_OP_SDDMM, "staged:16,8"},
    {SP_OP_SDDMM, "staged:256,64"}, {SP_OP_SDDMM, "staged:1,48"}, {SP_OP_SDDMM, "coo"},
    {SP_OP_SDDMM, "tiled:64,32"},   {SP_OP_SDDMM, "tiled:5,7"},   {SP_OP_SDDMM, "staged:256,64"},
    {SP_OP_SDDMM, "staged:1,48"},   {SP_OP_SPMMV, "bcsr:1x1"},    {SP_OP_SPMMV, "bcsr:4x2"},
    {SP_OP_SPMM, "bcsr:3x3"},       {SP_OP_SPMM, "bcsr:8x8"},     {SP_OP_SPMM, "bcsr:6x6"},
    {SP_OP_SPMM, "bcsr:16x8"},      {SP_OP_SPMM, "bcsr:2x64"},    {SP_OP_SPMM, "bcsr:21x5"},
};
enum { MOST_DENSE_CASES = sizeof dense_cases / sizeof *dense_cases };
static int n_dense_cases;

static bool has(enum sp_op op, const struct sp_format_kind *kind)
{
    bool found = op == SP_OP_SPMV;
    for (int i = 0; i < n_dense_cases; i++)
        found = found || (dense_cases[i].op == op && is_of_format(dense_cases[i].format, kind));
    return found;
}

static void add(enum sp_op op, const struct sp_format_kind *kind, const char *typed)
{
    (void)kind;
    if (n_dense_cases < MOST_DENSE_CASES) {
        dense_cases[n_dense_cases].op = op;
        dense_cases[n_dense_cases++].format = typed;
    }
}

/* Widths around those of vectors and tiles; every operation meets all of them over the matrices. */
START_TEST(dense_operands_agree_with_the_reference)
{
    static const int32_t widths[] = {1, 2, 3, 4, 5, 8, 12, 16, 17, 24, 32, 33, 64, 100, 128, 131, 257, 300};
    enum { N_WIDTHS = sizeof widths / sizeof *widths };
    struct sp_csr a = small_matrix(_i % N_SMALL_MATRICES);
    int which = _i / N_SMALL_MATRICES, turn = _i, n = 0, m = 0, tried = 0;
    struct sp_workload w = {.matrix = &a, .op = dense_cases[which].op};
    ck_assert_int_eq(sp_workload_set_format(&w, dense_cases[which].format, NULL), SP_OK);
    for (int precision = 0; precision < SP_N_PRECISIONS; precision++)
        for (int index = 0; index < SP_N_INDICES; index++)
            for (int order = 0; order < SP_N_ORDERS; order++)
                for (int k = (_i + precision + index) % 3; k < N_WIDTHS; k += 3) {
                    w.precision = precision;
                    w.index = index;
                    w.order = order;
                    w.r = widths[k];
                    do
                        next_schedule(&w, &turn);
                    while (w.schedule == SP_SCHEDULE_MERGE);
                    if (!share_has(m++, _i))
                        continue;
                    tried += sp_workload_check(&w, NULL) == SP_OK;
                    n += check_workload(&w);
                }
    if (!sp_csr_is_complex(&a) && n < tried)
        ck_abort_msg("%s %s: %d kernels ran for %d workloads", sp_op_name(w.op), dense_cases[which].format, n,
                     tried);
    sp_csr_free(&a);
}
END_TEST

/* Dense enough for FusedMM in panels, with empty rows; folded (odd _i), columns are in rows more
 * than once, more often than a panel has columns. */
START_TEST(panels_agree_with_the_reference)
{
    enum { N_R = 70, N_C = 4400, FOLD = 100, N_WIDTHS = 5 };
    static const int32_t widths[2][N_WIDTHS] = {{16, 32, 33, 64, 128}, {1283}};
    struct sp_csr whole, a;
    ck_assert_int_eq(sp_csr_alloc(N_R, N_C, N_R * N_C, SP_FIELD_REAL, NULL, &whole, NULL), SP_OK);
    int64_t n = 0;
    for (int64_t i = 0; i < N_R; i++) {
        for (int64_t j = 0; j < N_C; j++)
            if (i % 7 != 3 && sp_random_at(5, (uint64_t)(i * N_C + j)) % 8 == 0) {
                whole.col[n] = (int32_t)j;
                whole.val[n] = small_value(n);
                n++;
            }
        whole.row_ptr[i + 1] = n;
    }
    whole.n_nz = n;
    const bool folded = _i % 2;
    ck_assert_int_eq(sp_csr_fold(&whole, 0, N_R, folded ? FOLD : N_C, &a, NULL), SP_OK);
    for (int k = 0; k < N_WIDTHS && widths[folded][k]; k++)
        for (int precision = SP_F64; precision <= SP_F32; precision++)
            for (int index = 0; index <= SP_I64; index++) {
                struct sp_workload w = {
                    .op = SP_OP_FUSEDMM, .r = widths[folded][k], .matrix = &a, .n_threads = 1 + index};
                struct sp_layout l;
                if (((k + precision + 2 * index) % (folded ? 2 : 4) == 0) == share_is_rest())
                    continue;
                w.precision = precision;
                w.index = index;
                ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
                ck_assert(precision != SP_F64 || sp_layout_fused_panel(&l) < l.n_c);
                sp_layout_free(&l);
                ck_assert_int_gt(check_workload(&w), 0);
            }
    sp_csr_free(&a);
    sp_csr_free(&whole);
}
END_TEST

START_TEST(table_is_complete)
{
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *k = sp_kernel_table[i];
        ck_assert_ptr_eq(sp_kernel_find(k->name), k);
        ck_assert(k->summary && strncmp(k->name, sp_op_name(k->op), strlen(sp_op_name(k->op))) == 0);
        if (k->absent) {
            printf("skip: %s: %s\n", k->name, k->absent);
            continue;
        }
        ck_assert(k->available && k->prepare && k->run && k->fetch && k->facts && k->release);
        struct sp_error err;
        if (!is_opencl(k) && k->available(&err) != SP_OK) {
            ck_assert_int_eq(err.status, SP_ABSENT);
            printf("skip: %s: %s\n", k->name, err.what);
        }
        k->release(NULL);
    }
    ck_assert_ptr_null(sp_kernel_find("spmv/none"));
}
END_TEST

static bool has_gpu_kernel(const struct sp_layout *l, enum sp_gpu_map map)
{
    for (int k = 0; sp_kernel_table[k]; k++)
        if (sp_kernel_table[k]->on_gpu && sp_kernel_table[k]->gpu_map == (int)map &&
            sp_kernel_is_for(sp_kernel_table[k], l))
            return true;
    return false;
}

/* What `model` expects of a GPU, a kernel can do: no launch without a row of the table. */
START_TEST(gpu_launches_have_kernels)
{
    static const char *const formats[] = {"crs", "sell:32,64",  "staged:16,64",
                                          "coo", "tiled:64,32", "bcsr:8x8"};
    int n_launches = 0;
    struct sp_csr a;
    ck_assert_int_eq(sp_generate("arrow:1200", NULL, &a, NULL), SP_OK);
    for (int map = 0; map < SP_N_GPU_MAPS; map++)
        for (int k = 0; k < SP_N_PRECISIONS * SP_N_INDICES * (int)(sizeof formats / sizeof *formats); k++) {
            const enum sp_op op = sp_gpu_map_op((enum sp_gpu_map)map);
            struct sp_workload w = {.op = op,
                                    .r = op == SP_OP_SPMV ? 1 : 16,
                                    .precision = k % SP_N_PRECISIONS,
                                    .index = k / SP_N_PRECISIONS % SP_N_INDICES,
                                    .n_threads = 1,
                                    .matrix = &a};
            struct sp_layout l;
            struct sp_gpu_launch g;
            const char *format = formats[k / (SP_N_PRECISIONS * SP_N_INDICES)];
            if (sp_workload_set_format(&w, format, NULL) != SP_OK || sp_workload_check(&w, NULL) != SP_OK)
                continue;
            ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
            if (sp_gpu_launch_make(&l, (enum sp_gpu_map)map, 0, &g, NULL) == SP_OK) {
                n_launches++;
                ck_assert_msg(has_gpu_kernel(&l, (enum sp_gpu_map)map), "no kernel shares by %s in %s, %s",
                              sp_gpu_map_name((enum sp_gpu_map)map), format, sp_precision_name(w.precision));
            }
            sp_layout_free(&l);
        }
    ck_assert_int_ge(n_launches, 2 * SP_N_GPU_MAPS);
    sp_csr_free(&a);
}
END_TEST

START_TEST(candidates_are_ranked)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .n_threads = 1, .matrix = &a};
    struct sp_layout l;
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, NULL), SP_OK);
    const struct sp_kernel *rows[32], *first;
    int n = sp_kernel_candidates(&l, NULL, rows, 32);
    ck_assert_int_ge(n, 1);
    for (int i = 0; i < n; i++) {
        ck_assert_int_gt(rows[i]->rank, 0);
        ck_assert(rows[i]->format == SP_FORMAT_CRS && (i == 0 || rows[i - 1]->rank >= rows[i]->rank));
    }
    ck_assert_int_eq(sp_kernel_candidates(&l, NULL, &first, 1), n);
    ck_assert_ptr_eq(first, rows[0]);
    ck_assert_int_eq(sp_kernel_candidates(&l, "portable", rows, 32), 1);
    ck_assert_str_eq(rows[0]->name, "spmv/crs/portable");
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(verify_finds_what_is_wrong)
{
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = {.matrix = &a};
    struct sp_dense_arrays arrays;
    ck_assert_int_eq(sp_dense_make(&w, 3, &arrays, NULL), SP_OK);
    double *x = arrays.x, *y = calloc((size_t)a.n_r, sizeof *y), *sum = calloc((size_t)a.n_r, sizeof *sum);
    struct sp_spmv_check check;
    sp_spmv_reference(&a, x, y, sum);
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_OK);
    ck_assert(check.max_ratio == 0 && check.bad_row == -1);
    double right = y[5];
    y[5] = right + 1e-13 * sum[5]; /* gamma of a row of 12 entries is 1.8e-15 */
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_WRONG);
    ck_assert_int_eq(check.bad_row, 5);
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F32, x, y, &check, NULL), SP_OK);
    y[5] = NAN;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F32, x, y, &check, NULL), SP_WRONG);
    y[5] = right;
    int64_t in_row_7 = a.row_ptr[7];
    double value = a.val[in_row_7];
    a.val[in_row_7] = INFINITY;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_WRONG);
    ck_assert_int_eq(check.bad_row, 7);
    y[7] = NAN;
    ck_assert_int_eq(sp_spmv_verify(&a, SP_F64, x, y, &check, NULL), SP_OK);
    ck_assert_int_eq(check.n_not_finite, 1);
    a.val[in_row_7] = value;
    sp_dense_free(&arrays);
    free(y);
    free(sum);
    sp_csr_free(&a);
}
END_TEST

/* Rows that can run here and never did: then a combination is missing above. */
static int count_unmet(void)
{
    int n = 0;
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *k = sp_kernel_table[i];
        if (k->absent || k->on_gpu || k->available(NULL) != SP_OK || met[i] > 0)
            continue;
        printf("%s was run by no test\n", k->name);
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    while (n_dense_cases < MOST_DENSE_CASES && dense_cases[n_dense_cases].format)
        n_dense_cases++;
    add_formats(has, add);
    const struct {
        const char *name;
        const TTest *test;
        int n;         /* cases of a loop */
        bool is_whole; /* none of them is left to "rest" */
    } all[] = {
        {"row_wise", kernels_agree_with_the_reference, N_SMALL_MATRICES, false},
        {"rows_alike", rows_alike_agree_with_the_reference, SP_N_PRECISIONS, true},
        {"short_rows", short_rows_agree_with_the_reference, SP_N_PRECISIONS, true},
        {"halves", halves_agree_with_the_reference, SMALL_FOLDED, true},
        {"stripes", parts_of_columns_agree_with_the_reference, N_SMALL_MATRICES, true},
        {"formats", every_format_agrees_with_the_reference, N_SMALL_MATRICES, true},
        {"blocks", blocks_agree_with_the_reference, N_SMALL_MATRICES, false},
        {"dense", dense_operands_agree_with_the_reference, n_dense_cases * N_SMALL_MATRICES, false},
        {"panels", panels_agree_with_the_reference, 2, false},
        {"table", table_is_complete, 1, true},
        {"launches", gpu_launches_have_kernels, 1, true},
        {"ranks", candidates_are_ranked, 1, true},
        {"verify", verify_finds_what_is_wrong, 1, true},
    };
    share_take(argc, argv, 10, 10);
    met = mmap(NULL, MOST_ROWS * sizeof *met, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (met == MAP_FAILED)
        return EXIT_FAILURE;
    Suite *suite = suite_create("kernels");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) { /* CK_RUN_CASE=NAME runs one alone */
        if (share_is_rest() && all[i].is_whole)
            continue;
        TCase *tcase = tcase_create(all[i].name);
        suite_add_tcase(suite, tcase);
        tcase_add_loop_test(tcase, all[i].test, 0, all[i].n);
    }
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (!getenv("CK_RUN_CASE") && !share_is_rest())
        failed += count_unmet();
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
