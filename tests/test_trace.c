/* The address stream against its written definition, and traffic against the formulas where both
 * are exact. */
#include <check.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "hand_layout.h"
#include "model/volume/traffic.h"
#include "model/volume/volume.h"
#include "one_cache.h"
#include "probes/probe.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

static const struct hand_shape shape = {150, 130, 9, 0.1, 77, 0, 11};

static double lines_B(double bytes)
{
    return ceil(bytes / 64) * 64;
}

START_TEST(every_reference_in_order)
{
    static const int formats[] = {SP_FORMAT_CRS, SP_FORMAT_SELL, SP_FORMAT_SELLU};
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (int f = 0; f < 3; f++)
        for (int n = 1; n <= 3; n += 2) {
            struct sp_layout l;
            hand_layout(&a, formats[f], 4, 8, SP_F64, SP_I32, SP_SCHEDULE_CYCLIC, n, &l);
            struct sp_trace_options o = {.every = true, .skew = 0.3, .x_offset_B = 24, .turn_steps = 20};
            struct sp_trace t;
            ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
            struct hand_refs refs;
            hand_references(&t, &o, &refs);
            struct sp_trace_piece piece;
            int64_t k = 0;
            sp_trace_rewind(&t, 0);
            while (sp_trace_next(&t, &piece))
                for (int64_t i = 0; i < piece.n_events; i++, k++) {
                    ck_assert_int_lt(k, refs.n);
                    ck_assert_uint_eq(sp_event_line(piece.event[i]), refs.ref[k].line);
                    ck_assert_int_eq(sp_event_kind(piece.event[i]) == SP_EVENT_WRITE, refs.ref[k].write);
                    ck_assert_int_eq(piece.index, refs.thread[k]);
                }
            ck_assert_int_eq(k, refs.n);
            ck_assert_int_eq(k, t.n_references);
            hand_refs_free(&refs);
            sp_trace_close(&t);
            hand_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

START_TEST(a_tail_is_the_end_of_the_whole)
{
    struct sp_csr a;
    hand_matrix(&shape, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 2, &l);
    struct sp_trace_options o = {.turn_steps = 16};
    struct sp_trace t;
    ck_assert_int_eq(sp_trace_open(&l, &o, &t, NULL), SP_OK);
    int64_t total = 0, from[64] = {0};
    struct sp_trace_piece piece;
    sp_trace_rewind(&t, 0);
    for (int64_t turn = 0; sp_trace_next(&t, &piece); turn = t.turn) {
        if (turn < 64)
            from[turn] += piece.n_events;
        total += piece.n_events;
    }
    for (int64_t turn = 0, before = 0; turn < 20; before += from[turn++]) {
        int64_t n = 0;
        sp_trace_rewind(&t, turn);
        while (sp_trace_next(&t, &piece))
            n += piece.n_events;
        ck_assert_int_eq(n, total - before);
    }
    sp_trace_close(&t);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* The same with values in f32 and 16-bit offsets, of layouts that the program makes: simulated =
 * formula. */
START_TEST(huge_cold_cache_gives_the_formula_of_narrow_storage)
{
    static const char *const formats[] = {"crs", "sell:8,1", "sell:8,32", "sellu:8,1"};
    static const enum sp_index indices[] = {SP_I32, SP_D16, SP_I64};
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (int f = 0; f < 4; f++)
        for (int narrow = 0; narrow < 6; narrow++) {
            struct sp_workload w = {.precision = narrow & 1 ? SP_MIXED : SP_F64,
                                    .index = indices[narrow / 2],
                                    .n_threads = 1,
                                    .matrix = &a};
            ck_assert_int_eq(sp_workload_set_format(&w, formats[f], NULL), SP_OK);
            if (sp_workload_check(&w, NULL) != SP_OK)
                continue;
            struct sp_layout l;
            ck_assert_int_eq(sp_layout_make(&w, false, NULL, &l, NULL), SP_OK);
            struct sp_machine m = machine_with(64 << 20);
            struct sp_sim_options o = sp_sim_default(&m);
            o.state = SP_SIM_COLD;
            struct sp_traffic v[SP_MAX_LEVELS];
            int n_levels;
            ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n_levels, NULL, NULL), SP_OK);
            const struct sp_sizes s = sp_sizes_of(w.precision, w.index, (double)l.n_stored);
            const double *r = v[0].array_read_B;
            double values = s.s_a * (double)l.n_stored, bases = s.s_b * (double)l.n_bases;
            ck_assert_double_eq(r[SP_ARRAY_VALUES], lines_B(values));
            ck_assert_double_eq(r[SP_ARRAY_INDICES], lines_B(s.s_i * (double)l.n_indices) + lines_B(bases));
            ck_assert_double_eq(r[SP_ARRAY_Y], lines_B(8.0 * (double)l.n_r));
            struct sp_volume formula, counted = sp_volume_layout(&l, 0.5, 2);
            double beta = (double)l.n_nz / (double)l.n_stored;
            if (l.format == SP_FORMAT_CRS)
                formula = sp_volume_spmv_csr(l.n_r, l.n_nz, s, 0.5, 2);
            else if (l.format == SP_FORMAT_SELL)
                formula = sp_volume_spmv_sell(l.n_r, l.n_nz, l.C, beta, s, l.perm, 0.5, 2);
            else
                formula = sp_volume_spmv_sellu(l.n_r, l.n_nz, l.C, beta,
                                               (double)l.n_unit_slots / (double)l.n_slots, s, l.perm, 0.5, 2);
            for (int i = 0; i < SP_N_ARRAYS; i++)
                ck_assert_double_eq_tol(formula.array_B[i], counted.array_B[i], 1e-6);
            sp_layout_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

/* A cache without limits, cold: V of THEORY 2 array by array, with alpha_min for x. */
START_TEST(huge_cold_cache_gives_the_formula)
{
    static const int formats[] = {SP_FORMAT_CRS, SP_FORMAT_SELL, SP_FORMAT_SELLU};
    struct sp_csr a;
    hand_matrix(&shape, &a);
    for (int f = 0; f < 3; f++)
        for (int nt = 0; nt < 2; nt++) {
            struct sp_layout l;
            hand_layout(&a, formats[f], 8, 32, SP_F64, SP_I32, SP_SCHEDULE_ROWS, 1, &l);
            struct sp_machine m = machine_with(64 << 20);
            struct sp_sim_options o = sp_sim_default(&m);
            o.state = SP_SIM_COLD;
            o.store_nt = nt && f == 0;
            struct sp_traffic v[SP_MAX_LEVELS];
            int n_levels;
            ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n_levels, NULL, NULL), SP_OK);
            ck_assert_int_eq(n_levels, 1);
            const double *r = v[0].array_read_B, *w = v[0].array_write_B;
            ck_assert_double_eq(r[SP_ARRAY_VALUES], lines_B(8.0 * l.n_stored));
            ck_assert_double_eq(r[SP_ARRAY_INDICES], lines_B(4.0 * l.n_indices));
            double read_y = o.store_nt ? 0 : lines_B(8.0 * l.n_r);
            ck_assert_double_eq(r[SP_ARRAY_Y], read_y);
            ck_assert_double_eq(w[SP_ARRAY_Y], lines_B(8.0 * l.n_r));
            if (f == 0) {
                ck_assert_double_eq(r[SP_ARRAY_POINTERS], lines_B(4.0 * (l.n_r + 1)));
                ck_assert_double_eq(r[SP_ARRAY_PERM], 0);
            } else {
                double heads = lines_B(4.0 * l.n_chunks) * (f == 2 ? 4 : 2);
                ck_assert_double_eq(r[SP_ARRAY_POINTERS], heads);
                ck_assert_double_eq(r[SP_ARRAY_PERM], lines_B(4.0 * l.n_chunks * l.C));
            }
            bool used[17] = {false};
            int n_used = 0;
            for (int64_t k = 0; k < a.n_nz; k++)
                if (!used[a.col[k] / 8])
                    used[a.col[k] / 8] = ++n_used > 0;
            ck_assert_double_eq(r[SP_ARRAY_X], 64.0 * n_used);
            ck_assert_double_eq_tol(sp_traffic_alpha(&l, &v[0]), 64.0 * n_used / (8.0 * a.n_nz), 1e-15);
            hand_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

START_TEST(warm_in_cache_moves_nothing_and_lru_is_monotone)
{
    struct sp_csr a;
    hand_matrix(&shape, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_SELL, 4, 8, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 2, &l);
    double before = INFINITY;
    for (int64_t kib = 1; kib <= 64; kib++) {
        struct sp_machine m = machine_with(kib << 10);
        struct sp_sim_options o = sp_sim_default(&m);
        struct sp_traffic v[SP_MAX_LEVELS];
        int n_levels;
        ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n_levels, NULL, NULL), SP_OK);
        ck_assert_double_le(v[0].read_B.value, before);
        before = v[0].read_B.value;
        if (kib == 64)
            ck_assert_double_eq(v[0].read_B.value + v[0].write_B.value, 0);
    }
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* A line of four sectors fetches as four lines of a sector's size do. */
START_TEST(sectors_are_what_a_miss_fetches)
{
    struct sp_csr a;
    hand_matrix(&shape, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
    struct sp_machine sectored = machine_with(2 << 10), small = machine_with(2 << 10);
    sectored.cache[0].line_B = 128;
    sectored.cache[0].sector_B = 32;
    small.cache[0].line_B = 32;
    struct sp_sim_options o = sp_sim_default(&sectored);
    struct sp_traffic v[SP_MAX_LEVELS], w[SP_MAX_LEVELS];
    int n;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, NULL), SP_OK);
    o.machine = &small;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, w, &n, NULL, NULL), SP_OK);
    ck_assert_double_gt(v[0].read_B.value, 0);
    ck_assert_double_eq(v[0].read_B.value, w[0].read_B.value);
    ck_assert_double_eq(sp_traffic_alpha(&l, &v[0]), sp_traffic_alpha(&l, &w[0]));
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

START_TEST(domains_share_nothing)
{
    struct sp_csr a;
    hand_matrix(&(struct hand_shape){128, 128, 20, 0, -1, 0, 5}, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_ROWS, 4, &l);
    struct sp_machine m = machine_with(64 << 20);
    static const int domain[] = {0, 1, 0, 1};
    struct sp_sim_options o = sp_sim_default(&m);
    o.state = SP_SIM_COLD;
    struct sp_traffic one[SP_MAX_LEVELS], two[SP_MAX_LEVELS];
    int n;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, one, &n, NULL, NULL), SP_OK);
    o.n_domain = 2;
    o.domain_of_thread = domain;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, two, &n, NULL, NULL), SP_OK);
    ck_assert_double_eq(two[0].array_read_B[SP_ARRAY_X], 2 * one[0].array_read_B[SP_ARRAY_X]);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Policies differ near capacity only: all three move everything through a tiny cache, nothing
 * through a huge one, and random stays between the extremes where LRU thrashes. */
START_TEST(policies_agree_where_they_must)
{
    struct sp_csr a;
    hand_matrix(&shape, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 1, &l);
    double footprint = 0, read[SP_N_POLICIES][3];
    for (int policy = 0; policy < SP_N_POLICIES; policy++)
        for (int i = 0; i < 3; i++) {
            static const int64_t size_B[] = {2048, 16384, 1 << 20};
            struct sp_machine m = machine_with(size_B[i]);
            struct sp_sim_options o = sp_sim_default(&m);
            o.policy = policy;
            o.llc_only = true;
            struct sp_traffic v[SP_MAX_LEVELS];
            int n;
            ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, NULL), SP_OK);
            read[policy][i] = v[0].read_B.value;
            if (policy == SP_LRU && i == 1)
                footprint = v[0].array_read_B[SP_ARRAY_VALUES];
        }
    ck_assert_double_eq(footprint, lines_B(8.0 * l.n_nz)); /* LRU keeps nothing of a cyclic stream */
    for (int policy = 0; policy < SP_N_POLICIES; policy++) {
        ck_assert_double_gt(read[policy][0], 0.8 * read[SP_LRU][0]);
        ck_assert_double_eq(read[policy][2], 0);
    }
    ck_assert_double_lt(read[SP_RANDOM][1], read[SP_LRU][1]);
    ck_assert_double_lt(read[SP_RRIP][1], read[SP_LRU][1]);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

static bool at_once(void *context, double share)
{
    (void)context;
    return share >= 0;
}

START_TEST(faults_are_reported)
{
    struct sp_csr a;
    hand_matrix(&(struct hand_shape){20000, 8, 8, 0, -1, 0, 5}, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_ROWS, 4, &l);
    struct sp_machine m = machine_with(1 << 20), none = {0};
    struct sp_traffic v[SP_MAX_LEVELS];
    struct sp_error err;
    int n = 7;
    struct sp_sim_options o = sp_sim_default(&none);
    ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, &err), SP_USAGE);
    ck_assert_int_eq(n, 0);
    ck_assert(strlen(err.remedy) > 0);
    m.cache[0].size_B = 0;
    o = sp_sim_default(&m);
    ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, &err), SP_USAGE);
    m.cache[0].size_B = 1 << 20;
    o.progress = at_once;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, &err), SP_INTERRUPTED);
    ck_assert_int_eq(v[0].by_array, false);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

/* Three levels, of which threads share the last one. */
static struct sp_machine three_levels(void)
{
    static const int64_t size_B[] = {4 << 10, 32 << 10, 256 << 10};
    struct sp_machine m = machine_with(size_B[0]);
    for (int k = 0; k < 3; k++) {
        m.cache[k] = m.cache[0];
        m.cache[k].level = k + 1;
        m.cache[k].size_B = size_B[k];
        m.cache[k].ways = 8;
        m.cache[k].cores_sharing = k < 2 ? 1 : 4;
    }
    m.n_caches = 3;
    return m;
}

static void check_same_traffic(const struct sp_layout *l, const struct sp_sim_options *o)
{
    struct sp_traffic by[2][SP_MAX_LEVELS];
    struct sp_sim_facts facts[2];
    int n;
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(1 + 2 * k);
        ck_assert_int_eq(sp_sim_traffic(l, o, by[k], &n, &facts[k], NULL), SP_OK);
        ck_assert_int_eq(n, 3);
        ck_assert_int_eq(facts[k].n_references, facts[0].n_references);
        for (int level = 0; level < n; level++)
            for (int i = 0; i < SP_N_ARRAYS; i++) {
                ck_assert_double_eq(by[k][level].array_read_B[i], by[0][level].array_read_B[i]);
                ck_assert_double_eq(by[k][level].array_write_B[i], by[0][level].array_write_B[i]);
            }
    }
    ck_assert_double_gt(by[0][2].array_read_B[SP_ARRAY_X], 0);
}

/* Several processors that simulate the threads of a domain count what one does. */
START_TEST(processors_count_alike)
{
    static const enum sp_format formats[] = {SP_FORMAT_CRS, SP_FORMAT_SELL, SP_FORMAT_SELLU};
    static const enum sp_schedule schedules[] = {SP_SCHEDULE_NNZ, SP_SCHEDULE_CYCLIC};
    static const enum sp_sim_state states[] = {SP_SIM_WARM, SP_SIM_COLD, SP_SIM_BETWEEN};
    struct sp_csr a;
    const struct sp_machine m = three_levels();
    hand_matrix(&(struct hand_shape){9000, 9000, 14, 0.1, 77, 0, 11}, &a);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int s = 0; s < 2; s++) {
            struct sp_layout l;
            hand_layout(&a, formats[f], 4, 8, SP_F64, SP_I32, schedules[s], 4, &l);
            ck_assert_int_gt(l.n_stored, 100000);
            struct sp_sim_options o = sp_sim_default(&m);
            o.state = states[(f + (size_t)s) % 3];
            o.between_B = 50000;
            o.skew = 0.2 * (double)f;
            o.store_nt = s > 0;
            check_same_traffic(&l, &o);
            hand_free(&l);
        }
    sp_csr_free(&a);
}
END_TEST

START_TEST(the_probe_gives_the_simulation)
{
    struct sp_csr a;
    hand_matrix(&shape, &a);
    struct sp_layout l;
    hand_layout(&a, SP_FORMAT_CRS, 1, 1, SP_F64, SP_I32, SP_SCHEDULE_NNZ, 2, &l);
    struct sp_machine m = machine_with(16 << 10);
    const struct sp_probe *probe = sp_probe_find("sim");
    ck_assert_ptr_nonnull(probe);
    struct sp_job job = {.name = "any", .layout = &l, .n_threads = 2};
    struct sp_protocol p = sp_protocol_default(&m);
    struct sp_reading r;
    void *session;
    ck_assert_int_eq(probe->open(NULL, &session, NULL), SP_OK);
    ck_assert_int_eq(probe->observe(session, &job, &p, &r, NULL), SP_OK);
    struct sp_sim_options o = sp_sim_default(&m);
    struct sp_traffic v[SP_MAX_LEVELS];
    int n;
    ck_assert_int_eq(sp_sim_traffic(&l, &o, v, &n, NULL, NULL), SP_OK);
    ck_assert_int_eq(r.n_levels, n);
    ck_assert_int_eq(r.traffic[0].read_B.origin, SP_SIMULATED);
    ck_assert_double_eq(r.traffic[0].read_B.value, v[0].read_B.value);
    ck_assert_int_eq(r.time_s.origin, SP_NONE);
    sp_reading_free(&r);
    p.policy = "mru";
    ck_assert_int_eq(probe->observe(session, &job, &p, &r, NULL), SP_USAGE);
    probe->close(session);
    hand_free(&l);
    sp_csr_free(&a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trace");
    TCase *tc = tcase_create("trace");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, every_reference_in_order);
    tcase_add_test(tc, a_tail_is_the_end_of_the_whole);
    tcase_add_test(tc, huge_cold_cache_gives_the_formula);
    tcase_add_test(tc, huge_cold_cache_gives_the_formula_of_narrow_storage);
    tcase_add_test(tc, warm_in_cache_moves_nothing_and_lru_is_monotone);
    tcase_add_test(tc, sectors_are_what_a_miss_fetches);
    tcase_add_test(tc, domains_share_nothing);
    tcase_add_test(tc, policies_agree_where_they_must);
    tcase_add_test(tc, faults_are_reported);
    tcase_add_test(tc, processors_count_alike);
    tcase_add_test(tc, the_probe_gives_the_simulation);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
