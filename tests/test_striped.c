/* Column blocking: what is refused, what is stored where, the address stream against its written definition,
 * and traffic against the formula where both are exact. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cache/alpha.h"
#include "model/formats/format.h"
#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/striped.h"
#include "sparse/generate/generate.h"

static struct sp_workload workload_of(const struct sp_csr *a, int32_t W, int n_threads)
{
    return (struct sp_workload){.format = SP_FORMAT_STRIPED,
                                .W = W,
                                .schedule = SP_SCHEDULE_NNZ,
                                .n_threads = n_threads,
                                .precision = sp_csr_is_complex(a) ? SP_C128 : SP_F64,
                                .matrix = a};
}

static void make(const struct sp_csr *a, int32_t W, int n_threads, struct sp_layout *l)
{
    struct sp_workload w = workload_of(a, W, n_threads);
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_OK);
    ck_assert_int_eq(sp_layout_make(&w, true, NULL, l, NULL), SP_OK);
    ck_assert(sp_layout_matrix_bytes(l) <= sp_layout_bytes_bound(&w, true));
}

static struct sp_csr generated(const char *spec)
{
    struct sp_csr a;
    ck_assert_int_eq(sp_generate(spec, NULL, &a, NULL), SP_OK);
    return a;
}

START_TEST(what_does_not_fit_is_refused)
{
    static const char *const wrong[] = {"striped:", "striped:63", "striped:x", "striped:-5",
                                        "striped:3000000000"};
    struct sp_csr a = small_matrix(SMALL_STENCIL);
    struct sp_workload w = workload_of(&a, 64, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(sp_workload_set_format(&w, wrong[i], NULL), SP_USAGE);
    ck_assert_int_eq(sp_workload_set_format(&w, "striped", NULL), SP_OK);
    ck_assert_int_eq(w.W, 262144);
    char text[48];
    ck_assert_str_eq(sp_workload_format_text(&w, text, sizeof text), "STRIPED-262144");
    ck_assert_str_eq(sp_workload_format_option(&w, text, sizeof text), "striped:262144");
    w.schedule = SP_SCHEDULE_ROWS;
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_USAGE);
    w.schedule = SP_SCHEDULE_NNZ;
    w.index = SP_D16;
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_USAGE);
    w.index = SP_I32;
    w.precision = SP_C128;
    ck_assert_int_eq(sp_workload_check(&w, NULL), SP_USAGE);
    sp_csr_free(&a);
}
END_TEST

/* Every entry once, in the thread of its row and the stripe of its column; rows of a thread cleared once. */
static void check_layout(const struct sp_csr *a, const struct sp_layout *l)
{
    const struct sp_partition *p = &l->partition;
    unsigned char *seen = calloc((size_t)a->n_nz + 1, 1);
    for (int t = 0; t < p->n_threads; t++) {
        int64_t cleared = p->begin[t], stripe = 0;
        for (int64_t c = sp_stripes_of(l)->cell_begin[t]; c < sp_stripes_of(l)->cell_begin[t + 1]; c++) {
            const struct sp_cell *cell = &sp_stripes_of(l)->cell[c];
            if (c > sp_stripes_of(l)->cell_begin[t] && cell->row == p->begin[t])
                stripe++;
            if (cell->clears > 0) {
                ck_assert(stripe == 0 && cell->row == cleared);
                cleared += cell->clears;
            }
            for (int64_t j = cell->entry; j < cell[1].entry; j++) {
                const int64_t row = cell->row + sp_layout_row(l, j), column = sp_layout_col(l, j);
                ck_assert(row >= p->begin[t] && row < p->begin[t + 1] && column / l->W == stripe);
                const int64_t k = small_value_place(((const double *)l->val)[j]);
                ck_assert(k >= a->row_ptr[row] && k < a->row_ptr[row + 1] && a->col[k] == column);
                ck_assert(!seen[k]++);
            }
        }
        ck_assert_int_eq(cleared, p->begin[t + 1]);
    }
    for (int64_t k = 0; k < a->n_nz; k++)
        ck_assert(seen[k]);
    free(seen);
}

START_TEST(every_entry_is_in_its_stripe)
{
    if (_i == SMALL_COMPLEX || _i == SMALL_FOLDED)
        return; /* not taken; values that repeat */
    struct sp_csr a = small_matrix(_i);
    for (int n = 1; n <= 7; n += 2) {
        struct sp_layout l;
        make(&a, 64, n, &l);
        check_layout(&a, &l);
        ck_assert(sp_layout_beta(&l) == 1 && sp_layout_fill_bytes(&l) == 0);
        sp_layout_free(&l);
    }
    sp_csr_free(&a);
}
END_TEST

/* More rows than a cell has: as many cells as blocks of rows, and rows still found by 16 bits. Values tell
 * places. */
START_TEST(rows_beyond_a_cell)
{
    struct sp_csr a = generated("random:150000x300:2:5");
    for (int64_t k = 0; k < a.n_nz; k++)
        a.val[k] = small_value(k);
    struct sp_layout l;
    make(&a, 100, 2, &l);
    ck_assert_int_eq(sp_stripes_of(&l)->n_cells, 2 * (37 + 2 + 2)); /* 3 stripes; 75000 rows of each thread */
    check_layout(&a, &l);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Neighbours inside a cell add to different rows wherever a group has more than one row left. */
START_TEST(additions_do_not_wait)
{
    struct sp_csr a = generated("hpcg:12");
    struct sp_layout l;
    make(&a, 1 << 20, 1, &l);
    int64_t waits = 0;
    for (int64_t j = 1; j < l.n_stored; j++)
        waits += sp_layout_row(&l, j) == sp_layout_row(&l, j - 1);
    ck_assert_int_eq(waits, 0);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* ---- the address stream ---- */

struct script {
    struct sp_trace *t;
    struct sp_trace_piece piece;
    int64_t at;
};

static void expect(struct script *s, int64_t address_B, bool write)
{
    while (s->at == s->piece.n_events) {
        ck_assert(sp_trace_next(s->t, &s->piece));
        s->at = 0;
    }
    const uint32_t event = s->piece.event[s->at++];
    ck_assert_int_eq(sp_event_line(event), address_B / s->t->line_B);
    ck_assert_int_eq(sp_event_kind(event) == SP_EVENT_WRITE, write);
}

static int64_t item_B(const struct sp_trace *t, enum sp_trace_region region, int64_t item, int64_t size)
{
    return t->first_line[region] * t->line_B + item * size;
}

static void expect_thread(struct script *s, int thread)
{
    const struct sp_trace *t = s->t;
    const struct sp_layout *l = t->layout;
    for (int64_t c = sp_stripes_of(l)->cell_begin[thread]; c < sp_stripes_of(l)->cell_begin[thread + 1];
         c++) {
        if (c == sp_stripes_of(l)->cell_begin[thread])
            expect(s, item_B(t, SP_REGION_PTR, c, 16), false);
        expect(s, item_B(t, SP_REGION_PTR, c + 1, 16), false);
        for (int64_t i = 0; i < sp_stripes_of(l)->cell[c].clears; i++)
            expect(s, t->y_base_B + (sp_stripes_of(l)->cell[c].row + i) * 8, true);
        for (int64_t j = sp_stripes_of(l)->cell[c].entry; j < sp_stripes_of(l)->cell[c + 1].entry; j++) {
            expect(s, item_B(t, SP_REGION_VALUES, j, 8), false);
            expect(s, item_B(t, SP_REGION_ROW_INDEX, j, 2), false);
            expect(s, item_B(t, SP_REGION_INDICES, j, 4), false);
            expect(s, t->x_base_B + sp_layout_col(l, j) * 8, false);
            expect(s, t->y_base_B + (sp_stripes_of(l)->cell[c].row + sp_layout_row(l, j)) * 8, true);
        }
    }
}

START_TEST(every_reference_in_order)
{
    if (_i == SMALL_COMPLEX)
        return;
    struct sp_csr a = small_matrix(_i);
    struct sp_layout l;
    make(&a, 64, 3, &l);
    struct sp_trace_options o = {.every = true, .x_offset_B = 24, .turn_steps = 1 << 20};
    struct sp_trace t;
    struct sp_trace_piece piece;
    ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
    int64_t n_events = 0;
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

    o = (struct sp_trace_options){.every = true, .turn_steps = 16};
    ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
    int64_t total = 0;
    for (int64_t turn = t.n_turns - 1; turn >= 0; turn--) {
        int64_t n = 0;
        sp_trace_rewind(&t, turn);
        while (sp_trace_next(&t, &piece))
            n += piece.n_events;
        ck_assert_int_gt(n, total); /* a tail is shorter than what begins before it */
        total = n;
    }
    ck_assert(t.n_turns == 0 || total == n_events);
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

/* x in stripes that a small cache holds, y out of it: alpha is the least one, and bytes are the formula's.
 * The same matrix in CRS loads x again and again. */
START_TEST(simulation_agrees_with_the_formula)
{
    struct sp_csr a = generated("random:60000:9:4");
    struct sp_machine m = {.n_caches = 1};
    m.cache[0] = (struct sp_cache){.level = 3,
                                   .size_B = 192 << 10,
                                   .effective_B = sp_value_none("not measured"),
                                   .line_B = 64,
                                   .cores_sharing = 2};
    const int n_threads = _i + 1;
    struct sp_layout l;
    make(&a, 4000, n_threads, &l); /* 32 kB of x */
    struct sp_sim_options o = sp_sim_default(&m);
    o.state = SP_SIM_WARM;
    struct sp_traffic t[SP_MAX_LEVELS];
    int n;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, t, &n, NULL, NULL), SP_OK);
    struct sp_alpha_min least;
    ck_assert_int_eq(sp_alpha_min_layout(&l, 1, NULL, 64, 0, NULL, &least, NULL), SP_OK);
    near(sp_traffic_alpha(&l, &t[0]), least.alpha, 0.05);
    struct sp_volume v = sp_volume_layout(&l, least.alpha, sp_layout_w(&l, least.alpha, 0));
    near(t[0].read_B.value + t[0].write_B.value, v.total_B, 0.01);
    near(t[0].write_B.value, v.write_B, 0.01);
    near(v.array_B[SP_ARRAY_VALUES] + v.array_B[SP_ARRAY_INDICES], (8.0 + 4 + 2) * 540000, 1e-12);
    sp_layout_free(&l);

    struct sp_workload crs = workload_of(&a, 64, n_threads);
    crs.format = SP_FORMAT_CRS;
    ck_assert_int_eq(sp_layout_make(&crs, false, NULL, &l, NULL), SP_OK);
    ck_assert_int_eq(sp_sim_traffic(&l, &o, t, &n, NULL, NULL), SP_OK);
    ck_assert(sp_traffic_alpha(&l, &t[0]) > 20 * least.alpha);
    ck_assert(t[0].read_B.value + t[0].write_B.value > 1.2 * v.total_B);
    sp_layout_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("striped");
    TCase *tc = tcase_create("striped");
    tcase_add_test(tc, what_does_not_fit_is_refused);
    tcase_add_loop_test(tc, every_entry_is_in_its_stripe, 0, N_SMALL_MATRICES);
    tcase_add_test(tc, rows_beyond_a_cell);
    tcase_add_test(tc, additions_do_not_wait);
    tcase_add_loop_test(tc, every_reference_in_order, 0, N_SMALL_MATRICES);
    tcase_add_loop_test(tc, simulation_agrees_with_the_formula, 0, 2);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
