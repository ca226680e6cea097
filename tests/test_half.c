/* Half storage: what is refused, what is stored, threads that never meet, the address stream against its
 * written definition, and traffic against the formula where both are exact. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cache/alpha.h"
#include "model/formats/format.h"
#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "one_cache.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/half.h"
#include "sparse/formats/layout.h"
#include "sparse/generate/generate.h"
#include "volume_cases.h"

static struct sp_workload workload_of(const struct sp_csr *a, int n_threads)
{
    return (struct sp_workload){
        .format = SP_FORMAT_HALF, .schedule = SP_SCHEDULE_NNZ, .n_threads = n_threads, .matrix = a};
}

static void make(const struct sp_csr *a, int n_threads, struct sp_layout *l)
{
    struct sp_workload w = workload_of(a, n_threads);
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, l, NULL), SP_OK);
}

static struct sp_csr generated(const char *spec)
{
    struct sp_csr a;
    ck_assert_int_eq(sp_generate(spec, NULL, &a, NULL), SP_OK);
    return a;
}

START_TEST(what_is_not_symmetric_is_refused)
{
    static const enum small_matrix refused[] = {SMALL_NO_COLUMNS, SMALL_RANDOM,  SMALL_DENSE_ROW,
                                                SMALL_EMPTY_ENDS, SMALL_STENCIL, SMALL_FOLDED};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct sp_csr a = small_matrix(refused[i]); /* the stencil is symmetric in pattern only */
        struct sp_workload w = workload_of(&a, 2);
        struct sp_layout l;
        struct sp_error err;
        ck_assert_int_eq(sp_layout_make(&w, true, NULL, &l, &err), SP_USAGE);
        ck_assert(strstr(err.what, "half") && strlen(err.remedy) > 0);
        ck_assert_ptr_null(l.ptr);
        sp_csr_free(&a);
    }
    struct sp_csr a = small_symmetric(SMALL_STENCIL, 1);
    struct sp_workload w = workload_of(&a, 2);
    w.schedule = SP_SCHEDULE_ROWS;
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_USAGE);
    ck_assert_int_eq(sp_workload_set_format(&w, "half:2", NULL), SP_USAGE);
    ck_assert_int_eq(sp_workload_set_format(&w, "half", NULL), SP_OK);
    w.schedule = SP_SCHEDULE_NNZ;
    w.op = SP_OP_SPMMV;
    w.r = 2;
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_USAGE);
    sp_csr_free(&a);
}
END_TEST

START_TEST(one_triangle_is_stored)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        struct sp_csr a = small_symmetric(_i, sign);
        struct sp_layout l;
        make(&a, 3, &l);
        ck_assert(sp_half_of(&l)->mirror == sign || l.n_stored == 0 || sign < 0); /* zeros alone are both */
        int64_t n = 0;
        for (int64_t i = 0; i < a.n_r; i++) {
            int64_t k = sp_layout_ptr(&l, i);
            for (int64_t j = a.row_ptr[i]; j < a.row_ptr[i + 1] && a.col[j] <= i; j++, k++, n++) {
                ck_assert_int_eq(sp_layout_col(&l, k), a.col[j]);
                ck_assert(((const double *)l.val)[k] == a.val[j]);
            }
            ck_assert_int_eq(k, sp_layout_ptr(&l, i + 1));
        }
        ck_assert_int_eq(n, l.n_stored);
        struct sp_workload w = workload_of(&a, 3);
        ck_assert(sp_layout_matrix_bytes(&l) <= sp_layout_bytes_bound(&w, true));
        ck_assert(sp_layout_beta(&l) == 1 && sp_layout_fill_bytes(&l) == 0);
        sp_layout_free(&l);
        sp_csr_free(&a);
    }
}
END_TEST

/* Marks every row that rows [first, end) of a thread write, as its own. */
static void mark(const struct sp_layout *l, int64_t first, int64_t end, int thread, int *writer)
{
    for (int64_t i = first; i < end; i++)
        for (int64_t k = sp_layout_ptr(l, i); k <= sp_layout_ptr(l, i + 1); k++) {
            int64_t row = k < sp_layout_ptr(l, i + 1) ? sp_layout_col(l, k) : i;
            ck_assert(writer[row] == -1 || writer[row] == thread);
            writer[row] = thread;
        }
}

static void check_phases(const struct sp_layout *l)
{
    const int n = l->partition.n_threads;
    const int64_t *begin = l->partition.begin;
    int *writer = malloc((size_t)(l->n_r + 1) * sizeof *writer);
    memset(writer, -1, (size_t)(l->n_r + 1) * sizeof *writer);
    for (int t = 0; t < n; t++) {
        ck_assert(begin[t] <= sp_half_of(l)->share[t].split &&
                  sp_half_of(l)->share[t].split <= sp_half_of(l)->share[t + 1].lowest);
        for (int64_t i = sp_half_of(l)->share[t].lowest; i < begin[t]; i++) /* cleared */
            writer[i] = t;
    }
    for (int t = 0; t < n; t++)
        mark(l, begin[t], sp_half_of(l)->share[t].split, t, writer);
    memset(writer, -1, (size_t)(l->n_r + 1) * sizeof *writer);
    for (int t = 0; t < n; t++)
        mark(l, sp_half_of(l)->share[t].split, begin[t + 1], t, writer);
    free(writer);
}

START_TEST(threads_never_meet)
{
    struct sp_csr a = _i < SMALL_FOLDED ? small_symmetric(_i, 1)
                                        : generated(_i == SMALL_FOLDED ? "laplace2d:40" : "laplace2d:300x1");
    int n_phased = 0;
    for (int n = 1; n <= 9; n++) {
        struct sp_layout l;
        make(&a, n, &l);
        int64_t rows = 0;
        for (int t = 0; t < n; t++) {
            int64_t lowest = l.partition.begin[t];
            for (int64_t k = sp_layout_ptr(&l, lowest), end = sp_layout_ptr(&l, l.partition.begin[t + 1]);
                 k < end; k++)
                lowest = sp_layout_col(&l, k) < lowest ? sp_layout_col(&l, k) : lowest;
            ck_assert_int_eq(sp_half_of(&l)->share[t].lowest, lowest);
            rows += l.partition.begin[t] - lowest;
        }
        ck_assert_int_eq(rows, sp_half_windows(&l));
        if (sp_half_of(&l)->phased)
            check_phases(&l);
        ck_assert(sp_layout_array_bytes(&l, SP_ARRAY_OTHER) ==
                  (sp_half_of(&l)->phased ? 0 : 8.0 * (double)rows));
        n_phased += sp_half_of(&l)->phased;
        sp_layout_free(&l);
    }
    if (_i >= SMALL_FOLDED || _i == SMALL_TRIDIAGONAL)
        ck_assert_int_eq(n_phased, 9);
    else if (_i == SMALL_ARROW) /* all threads update row 0, which is the first one's */
        ck_assert_int_eq(n_phased, 2);
    sp_csr_free(&a);
}
END_TEST

/* Folded, an entry stays where its thread may write. */
START_TEST(folding_keeps_threads_apart)
{
    struct sp_csr a = generated("laplace2d:40");
    struct sp_layout l, plain;
    struct sp_error err = {0};
    make(&a, 3, &plain);
    ck_assert_int_eq(sp_layout_fold(&plain, 7, &l, &err), SP_OK);
    ck_assert(sp_half_of(&l)->phased);
    check_phases(&l);
    for (int64_t i = 0; i < l.n_r; i++)
        for (int64_t k = sp_layout_ptr(&l, i); k < sp_layout_ptr(&l, i + 1); k++) {
            int64_t col = sp_layout_col(&l, k), before = sp_layout_col(&plain, k);
            ck_assert(col >= before && col <= i && i - col <= 7 && (col == i) == (before == i));
        }
    sp_layout_unfold(&l);
    sp_layout_free(&plain);
    sp_csr_free(&a);
}
END_TEST

/* What P_core is measured on: canonical, symmetric, near the diagonal, no longer than the rows were. */
START_TEST(windows_fold_to_symmetric_matrices)
{
    struct sp_csr a = small_symmetric(_i, 1);
    const int64_t first = a.n_r / 4, n = a.n_r - first;
    for (int64_t window = 1; window < 40; window += 9) {
        struct sp_csr folded;
        struct sp_layout l;
        ck_assert_int_eq(sp_csr_fold_symmetric(&a, first, n, window, &folded, NULL), SP_OK);
        ck_assert_int_eq(sp_csr_check(&folded, NULL), SP_OK);
        ck_assert(folded.n_r == n && folded.n_c == n);
        make(&folded, 2, &l);
        for (int64_t i = 0; i < n; i++) {
            int64_t length = sp_layout_ptr(&l, i + 1) - sp_layout_ptr(&l, i);
            ck_assert_int_le(length, a.row_ptr[first + i + 1] - a.row_ptr[first + i]);
            ck_assert(length == 0 || i - sp_layout_col(&l, sp_layout_ptr(&l, i)) <= window);
        }
        sp_layout_free(&l);
        sp_csr_free(&folded);
    }
    sp_csr_free(&a);
}
END_TEST

/* ---- the address stream ---- */

struct script {
    const struct sp_trace *t;
    struct sp_trace_piece piece;
    int64_t at;
};

/* The next event of the stream is this one. */
static void expect(struct script *s, int64_t address_B, bool write)
{
    while (s->at == s->piece.n_events) {
        ck_assert(sp_trace_next((struct sp_trace *)s->t, &s->piece));
        s->at = 0;
    }
    uint32_t event = s->piece.event[s->at++];
    ck_assert_int_eq(sp_event_line(event), address_B / s->t->line_B);
    ck_assert_int_eq(sp_event_kind(event) == SP_EVENT_WRITE, write);
}

static int64_t item_B(const struct sp_trace *t, enum sp_trace_region region, int64_t item, size_t size)
{
    return t->first_line[region] * t->line_B + item * (int64_t)size;
}

/* Address of a row that thread `thread` updates; windows begin on pages. */
static int64_t update_B(const struct sp_trace *t, int thread, int64_t row)
{
    const struct sp_layout *l = t->layout;
    if (sp_half_of(l)->phased || row >= l->partition.begin[thread])
        return t->y_base_B + row * 8;
    int64_t base_B = 0;
    for (int before = 0; before < thread; before++)
        base_B += (sp_half_window(l, before) * 8 + 4095) / 4096 * 4096;
    return item_B(t, SP_REGION_STAGE, 0, 1) + base_B + (row - sp_half_of(l)->share[thread].lowest) * 8;
}

static void expect_thread(struct script *s, int thread)
{
    const struct sp_layout *l = s->t->layout;
    const int64_t first = l->partition.begin[thread], end = l->partition.begin[thread + 1];
    for (int64_t row = sp_half_of(l)->share[thread].lowest; row < first; row++)
        expect(s, update_B(s->t, thread, row), true);
    for (int64_t i = first; i < end; i++) {
        if (i == first)
            expect(s, item_B(s->t, SP_REGION_PTR, i, 4), false);
        expect(s, item_B(s->t, SP_REGION_PTR, i + 1, 4), false);
        expect(s, s->t->x_base_B + i * 8, false);
        for (int64_t k = sp_layout_ptr(l, i); k < sp_layout_ptr(l, i + 1); k++) {
            int64_t j = sp_layout_col(l, k);
            expect(s, item_B(s->t, SP_REGION_VALUES, k, 8), false);
            expect(s, item_B(s->t, SP_REGION_INDICES, k, 4), false);
            if (j == i)
                continue;
            expect(s, s->t->x_base_B + j * 8, false);
            expect(s, update_B(s->t, thread, j), true);
        }
        expect(s, s->t->y_base_B + i * 8, true);
    }
    for (int later = thread + 1; !sp_half_of(l)->phased && later < l->partition.n_threads; later++)
        for (int64_t row = first; row < end; row++)
            if (row >= sp_half_of(l)->share[later].lowest && sp_half_window(l, later) > 0) {
                expect(s, update_B(s->t, later, row), false);
                expect(s, s->t->y_base_B + row * 8, true);
            }
}

START_TEST(every_reference_in_order)
{
    struct sp_csr a = small_symmetric(_i, 1);
    struct sp_layout l;
    make(&a, 3, &l);
    struct sp_trace_options o = {.every = true, .x_offset_B = 24, .turn_steps = 1 << 20};
    struct sp_trace t;
    ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
    int64_t n_events = 0;
    struct sp_trace_piece piece;
    sp_trace_rewind(&t, 0);
    while (sp_trace_next(&t, &piece))
        n_events += piece.n_events;
    ck_assert_int_eq(n_events, t.n_references);
    struct script s = {.t = &t};
    sp_trace_rewind(&t, 0);
    for (int thread = 0; thread < 3; thread++)
        expect_thread(&s, thread);
    ck_assert_int_eq(s.at, s.piece.n_events);
    ck_assert(!sp_trace_next(&t, &piece));
    sp_trace_close(&t);

    o = (struct sp_trace_options){.turn_steps = 16};
    ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
    int64_t from[512] = {0}, total = 0;
    sp_trace_rewind(&t, 0);
    while (sp_trace_next(&t, &piece)) {
        from[t.turn - (piece.index == t.n_threads - 1)] += piece.n_events;
        total += piece.n_events;
    }
    for (int64_t turn = 0, before = 0; turn < t.n_turns; before += from[turn++]) {
        int64_t n = 0;
        sp_trace_rewind(&t, turn);
        while (sp_trace_next(&t, &piece))
            n += piece.n_events;
        ck_assert_int_eq(n, total - before); /* a tail is the end of the whole */
    }
    sp_trace_close(&t);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* ---- bytes ---- */

static void near(double x, double y, double tolerance)
{
    ck_assert_msg(fabs(x - y) <= tolerance * y, "%.12g is not %.12g within %g", x, y, tolerance);
}

/* Simulated bytes are the formula's: of one thread everywhere, of phases but for the rows that are cleared,
 * which stay in the cache. */
START_TEST(simulation_agrees_with_the_formula)
{
    struct sp_csr a = generated(_i % 2 ? "laplace3d:24" : "laplace2d:110");
    const int n_threads = _i < 2 ? 1 : 3;
    struct sp_layout l;
    make(&a, n_threads, &l);
    struct sp_alpha_min least;
    ck_assert_int_eq(sp_alpha_min_layout(&l, 1, NULL, 64, 0, NULL, &least, NULL), SP_OK);
    near(least.alpha * sp_layout_gather_bytes(&l), 8.0 * (double)l.n_r, 1e-3);
    struct sp_volume v = sp_volume_layout(&l, least.alpha, sp_layout_w(&l, least.alpha, 0));
    const double cleared_B = 2 * 8.0 * (double)sp_half_windows(&l);
    ck_assert(n_threads == 1 ? cleared_B == 0 : cleared_B > 0 && sp_half_of(&l)->phased);
    struct sp_traffic t = traffic_in(&l, 64 << 20, SP_SIM_COLD);
    near(t.read_B.value + t.write_B.value, v.total_B - cleared_B, 0.01);
    near(t.write_B.value, v.write_B - cleared_B / 2, 0.01);
    /* A cache that holds what a thread's rows share and no more. */
    t = traffic_in(&l, 64 << 10, SP_SIM_WARM);
    double alpha = sp_traffic_alpha(&l, &t);
    v = sp_volume_layout(&l, alpha, sp_layout_w(&l, alpha, 0));
    near(t.read_B.value + t.write_B.value, v.total_B - cleared_B / 2, 0.01 + cleared_B / v.total_B);
    if (n_threads == 1) { /* the theory's n_nz counts both triangles */
        double x_B = alpha * sp_layout_gather_bytes(&l), of_all = x_B / (8.0 * (double)l.n_nz);
        struct sp_volume theory = sp_volume_spmv_half(l.n_r, l.n_nz, sp_sizes_of_layout(&l), of_all, of_all);
        near(v.total_B, theory.total_B, 1e-12);
    }
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Windows: all their bytes show where no cache keeps them, and their footprint alone where one does. */
START_TEST(windows_cost_what_the_formula_says)
{
    struct sp_csr a = generated("laplace2d:110+permuted:3");
    struct sp_layout l;
    make(&a, 3, &l);
    ck_assert(!sp_half_of(&l)->phased && sp_half_windows(&l) > l.n_r / 2);
    double windows_B = sp_layout_array_bytes(&l, SP_ARRAY_OTHER);
    struct sp_traffic t = traffic_in(&l, 64 << 20, SP_SIM_COLD);
    near(t.array_read_B[SP_ARRAY_OTHER], windows_B, 0.01);
    near(t.array_write_B[SP_ARRAY_OTHER], windows_B, 0.01);
    t = traffic_in(&l, 16 << 10, SP_SIM_WARM);
    near(t.array_write_B[SP_ARRAY_OTHER], t.array_read_B[SP_ARRAY_OTHER], 0.2); /* all but the last look */
    ck_assert(t.array_write_B[SP_ARRAY_OTHER] > 2 * windows_B);
    const double y_B = sp_layout_array_bytes(&l, SP_ARRAY_Y);
    near(sp_volume_layout(&l, 0, sp_layout_w(&l, 0, 0)).array_B[SP_ARRAY_Y], 2 * y_B + 5 * windows_B, 1e-12);
    near(sp_volume_layout(&l, 0, sp_layout_w(&l, 0, windows_B)).array_B[SP_ARRAY_Y], 2 * y_B, 1e-12);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("half");
    TCase *tc = tcase_create("half");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, what_is_not_symmetric_is_refused);
    tcase_add_loop_test(tc, one_triangle_is_stored, 0, SMALL_FOLDED);
    tcase_add_loop_test(tc, threads_never_meet, 0, SMALL_FOLDED + 2);
    tcase_add_test(tc, folding_keeps_threads_apart);
    tcase_add_loop_test(tc, windows_fold_to_symmetric_matrices, 0, SMALL_FOLDED);
    tcase_add_loop_test(tc, every_reference_in_order, 0, SMALL_FOLDED);
    tcase_add_loop_test(tc, simulation_agrees_with_the_formula, 0, 4);
    tcase_add_test(tc, windows_cost_what_the_formula_says);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
