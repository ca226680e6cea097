/* Every number of THEORY 1 to 4 that a formula gives: balances, volumes, roofline, threads. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/cache/alpha.h"
#include "model/cache/partition.h"
#include "model/losses.h"
#include "model/roofline.h"
#include "model/volume/volume.h"
#include "near.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"
#include "volume_cases.h"

static const struct sp_sizes f64 = {8, 8, 8, 4, 4, 0}, c128 = {16, 16, 16, 4, 4, 0};

START_TEST(crs_balances)
{
    for (double n_nzr = 1; n_nzr < 1000; n_nzr *= 3)
        for (double alpha = 0; alpha <= 8; alpha += 0.5) {
            near(sp_balance_crs(f64, 2, n_nzr, alpha, 2), 6 + 4 * alpha + 10 / n_nzr, 1e-12);
            near(sp_balance_crs(f64, 2, n_nzr, alpha, 1), 6 + 4 * alpha + 6 / n_nzr, 1e-12);
            near(sp_balance_crs(c128, 8, n_nzr, alpha, 2), 2.5 + 2 * alpha + 4.5 / n_nzr, 1e-12);
        }
    near(sp_balance_crs(f64, 2, INFINITY, 0, 2), 6, 0);
    near(1 / sp_balance_crs(f64, 2, INFINITY, 0, 2), 1.0 / 6, 1e-15);
    ck_assert(sp_flops_per_entry(SP_F64) == 2 && sp_flops_per_entry(SP_F32) == 2 &&
              sp_flops_per_entry(SP_C128) == 8);
}
END_TEST

START_TEST(sell_balances)
{
    const double betas[] = {1, 0.8, 0.3};
    for (int C = 1; C <= 64; C *= 2)
        for (int b = 0; b < 3; b++) {
            double beta = betas[b], n_nzr = 7.08, alpha = 0.4;
            near(sp_balance_sell(f64, 2, n_nzr, C, beta, false, false, alpha, 1),
                 6 / beta + 4 * alpha + (4 + 2.0 / C) / n_nzr, 1e-12);
            near(sp_balance_sell(f64, 2, n_nzr, C, beta, true, false, alpha, 1),
                 6 / beta + 4 * alpha + (4 + 4.0 / C) / n_nzr, 1e-12);
            /* The slide's form, 1/beta before the whole sum, is the same under alpha_slide = beta alpha ...
             */
            near(sp_balance_sell_per_stored(n_nzr, C, beta, beta * alpha),
                 sp_balance_sell(f64, 2, n_nzr, C, beta, false, false, alpha, 1), 1e-12);
            /* ... and as it is printed it is not, unless nothing is padded. */
            double printed = 6 / beta + 4 * beta * alpha + beta * (4 + 2.0 / C) / n_nzr;
            double right = sp_balance_sell_per_stored(n_nzr, C, beta, beta * alpha);
            ck_assert((fabs(printed - right) < 1e-12) == (beta == 1));
        }
    near(sp_balance_sell(f64, 2, INFINITY, 8, 1, true, true, 0, 2), 6, 0);
}
END_TEST

/* A balance is a volume over its work where n_r is large. */
START_TEST(volumes_and_balances_agree)
{
    const int64_t n_r = 1 << 24, n_nz = 9 * n_r;
    struct sp_volume v = sp_volume_spmv_csr(n_r, n_nz, f64, 0.3, 2);
    near(v.total_B / (2.0 * n_nz), sp_balance_crs(f64, 2, 9, 0.3, 2), 1e-6);
    near(v.read_B + v.write_B, v.total_B, 1);
    near(v.write_B, 8.0 * n_r, 0);
    near(v.array_B[SP_ARRAY_Y], 16.0 * n_r, 0);
    near(v.array_B[SP_ARRAY_POINTERS], 4.0 * (n_r + 1), 0);
    near(v.array_B[SP_ARRAY_X], 0.3 * 8 * n_nz, 1e-6);
    v = sp_volume_spmv_sell(n_r, n_nz, 32, 0.75, f64, true, 0.3, 1);
    near(v.total_B / (2.0 * n_nz), sp_balance_sell(f64, 2, 9, 32, 0.75, true, true, 0.3, 1), 1e-9);
    near(v.array_B[SP_ARRAY_POINTERS], 8.0 * n_r / 32, 0);
    near(v.array_B[SP_ARRAY_PERM], 4.0 * n_r, 0);
    v = sp_volume_spmv_sell(33, 100, 32, 1, f64, false, 0, 1);
    near(v.array_B[SP_ARRAY_POINTERS], 16, 0); /* ceil(33/32) chunks */
}
END_TEST

START_TEST(unit_stride_slots_save_index_bytes)
{
    const int64_t n_r = 1 << 20, n_nz = 27 * n_r;
    const double shares[] = {0, 0.5, 0.88, 1};
    for (int i = 0; i < 4; i++) {
        double u = shares[i];
        struct sp_volume v = sp_volume_spmv_sellu(n_r, n_nz, 8, 1, u, f64, false, 0, 2);
        near(v.array_B[SP_ARRAY_INDICES] / (4.0 * n_nz), u / 8 + 1 - u, 1e-12);
        near(v.array_B[SP_ARRAY_POINTERS], 16.0 * n_r / 8, 0);
        near(v.read_B + v.write_B, v.total_B, 1);
    }
    /* PEERS 1: 9.0 B a nonzero of matrix on the stencil. */
    struct sp_volume v = sp_volume_spmv_sellu(n_r, n_nz, 8, 0.997, 0.88, f64, false, 0, 2);
    near(sp_volume_matrix_B(&v) / n_nz, 9.0, 0.1);
}
END_TEST

START_TEST(half_storage)
{
    struct sp_volume v = sp_volume_spmv_half(1000, 27000, f64, 0.05, 0.04);
    near(v.total_B, 12.0 * 14000 + 4 * 1001 + 0.05 * 8 * 27000 + 2 * 0.04 * 8 * 27000, 1e-6);
    near(v.write_B, 0.04 * 8 * 27000, 1e-6);
}
END_TEST

START_TEST(alpha_bounds)
{
    const double f64_64[] = {8, 4, 2, 1, 1};
    for (int i = 0; i < 5; i++)
        near(sp_alpha_max(1 << i, 8, 64), f64_64[i], 0);
    near(sp_alpha_max(1, 8, 32), 4, 0); /* GPU sectors */
    near(sp_alpha_max(3, 8, 64), 64.0 / 24, 1e-15);
    near(sp_alpha_min_sizes(1000, 7000), 1.0 / 7, 1e-15);
    near(sp_alpha_min_sizes(0, 0), 0, 0);
}
END_TEST

START_TEST(alpha_of_kkt_power)
{
    const int64_t n_r = 2056338, n_nz = 14600000;
    struct sp_volume zero = sp_volume_spmv_csr(n_r, n_nz, f64, 0, 2);
    struct sp_alpha_source s = {.matrix_B = sp_volume_matrix_B(&zero),
                                .y_B = 8.0 * n_r,
                                .x_B = 8.0 * n_nz,
                                .w = sp_value_between(2, 1, 2, SP_MODELLED),
                                .total_B = sp_value_of(258e6, SP_MEASURED),
                                .read_B = sp_value_none("only the sum is known")};
    struct sp_alpha_reading r = sp_alpha_from_bytes(&s);
    double n_nzr = (double)n_nz / n_r;
    near(n_nzr, 7.1, 0.0005);
    near(r.alpha.value, 0.357, 0.0005);
    near(r.alpha.value * n_nzr, 2.53, 0.005);
    double minimum = sp_volume_spmv_csr(n_r, n_nz, f64, sp_alpha_min_sizes(n_r, n_nz), 2).total_B;
    near(258e6 / minimum, 1.108, 0.0005);
    /* An error of 1 in w shifts alpha by 1/n_nzr. */
    near(r.alpha.lo, r.alpha.value, 1e-12);
    near(r.alpha.hi - r.alpha.value, 1 / n_nzr, 1e-12);
    ck_assert(r.alpha.origin == SP_MEASURED);
    near(r.zero_B, zero.total_B, 1e-6);

    /* The same alpha from reads alone. */
    s.read_B = sp_value_of(258e6 - 8.0 * n_r, SP_MEASURED);
    near(sp_alpha_from_bytes(&s).alpha.value, r.alpha.value, 1e-12);

    s.read_B = sp_value_none("no");
    s.total_B = sp_value_of(200e6, SP_MEASURED); /* below V(alpha = 0) = 216 MB */
    r = sp_alpha_from_bytes(&s);
    ck_assert(!sp_value_known(r.alpha) && r.alpha.why && r.zero_B > 200e6 && r.seen_B == 200e6);
    s.total_B = sp_value_none("no");
    ck_assert(!sp_value_known(sp_alpha_from_bytes(&s).alpha));
}
END_TEST

START_TEST(cold_and_warm_floors)
{
    struct sp_volume v = sp_volume_spmv_csr(1000, 7000, f64, 1.0 / 7, 2);
    near(sp_volume_floor(&v, false, 1e9), v.total_B - 8000, 1e-9);
    near(sp_volume_floor(&v, true, 20000), v.total_B - 40000, 1e-9);
    near(sp_volume_floor(&v, true, 1e9), 0, 0);
}
END_TEST

static const double kkt_balances[] = {7.98, 4.84, 3.27, 2.48, 2.09, 1.89};

START_TEST(spmmv_of_kkt_power)
{
    const double n_nzr = 7.08;
    for (int i = 0; i < 6; i++)
        near(sp_balance_spmmv_crs(f64, 2, n_nzr, 1 << i, 1 / n_nzr, 2), kkt_balances[i], 0.005);
    near(sp_balance_spmmv_crs(f64, 2, n_nzr, INFINITY, 1 / n_nzr, 2), 1.69, 0.005);
    near(sp_balance_spmmv_crs(f64, 2, INFINITY, 4, 0, 2), 6.0 / 4, 0);
    near(sp_balance_spmmv_crs(f64, 2, n_nzr, 1, 0.3, 2), sp_balance_crs(f64, 2, n_nzr, 0.3, 2), 1e-12);
    for (int r = 1; r <= 32; r *= 2)
        near(sp_balance_spmmv_crs(f64, 2, n_nzr, r, 0.2, 2), 6.0 / r + 0.8 + (8 + 2.0 / r) / n_nzr, 1e-12);

    const int64_t n_r = 2063494, n_nz = 14612663;
    struct sp_volume one = sp_volume_spmv_csr(n_r, n_nz, f64, (double)n_r / n_nz, 2);
    for (int i = 0; i < 6; i++) {
        int r = 1 << i;
        struct sp_volume v = sp_volume_spmmv(one, r);
        near(v.total_B / (2.0 * r * n_nz), kkt_balances[i], 0.005);
        near(v.read_B + v.write_B, v.total_B, 1);
    }
}
END_TEST

static void add(struct sp_machine *m, const char *name, const char *level, int n_threads, double value)
{
    struct sp_ceiling c = {.n_threads = n_threads, .n_domains = 1, .value = sp_value_of(value, SP_STATED)};
    strcpy(c.name, name);
    strcpy(c.level, level);
    strcpy(c.precision, "f64");
    ck_assert_int_eq(sp_machine_add_ceiling(m, &c, NULL), SP_OK);
}

static struct sp_predict_inputs lecture(const struct sp_machine *m, int64_t n, int64_t n_nz)
{
    return (struct sp_predict_inputs){.n_r = n,
                                      .n_c = n,
                                      .n_nz = n_nz,
                                      .format = SP_FORMAT_CRS,
                                      .C = 1,
                                      .beta = 1,
                                      .precision = SP_F64,
                                      .index = SP_I32,
                                      .alpha = sp_value_of(sp_alpha_min_sizes(n, n_nz), SP_MODELLED),
                                      .w = sp_value_of(2, SP_MODELLED),
                                      .machine = m,
                                      .n_threads = 10,
                                      .n_domains = 1,
                                      .warm = true,
                                      .core = sp_value_none("not measured"),
                                      .roof_Bps = sp_value_none("look it up")};
}

/* Ivy Bridge E5-2660v2, b_S = 46.6 GB/s [L], which prints kkt_power's as 8.0 and 5.83 (published.txt). */
START_TEST(the_table_of_the_lecture)
{
    static const struct {
        int64_t n, n_nz;
        double balance, balance_tolerance, performance, tolerance;
    } rows[] = {
        {278502, 39825786, 6.10, 0.005, 7.64e9, 0.005e9},
        {3405035, 23835245, 8.0, 0.005, 5.825e9, 0.006e9},
        {2063494, 14609538, 7.98, 0.005, 5.84e9, 0.005e9},
    };
    struct sp_machine m = {.name = "ivb"};
    m.n_caches = 1;
    m.cache[0] = (struct sp_cache){.level = 3,
                                   .size_B = 25 << 20,
                                   .line_B = 64,
                                   .cores_sharing = 10,
                                   .effective_B = sp_value_none("not measured")};
    add(&m, "load", "MEM", 10, 46.6e9);
    add(&m, "fma", "core", 10, 176e9);
    for (int i = 0; i < 3; i++) {
        struct sp_predict_inputs in = lecture(&m, rows[i].n, rows[i].n_nz);
        struct sp_prediction p = sp_predict(&in);
        near(p.balance.value, rows[i].balance, rows[i].balance_tolerance);
        near(p.roofline.performance.value, rows[i].performance, rows[i].tolerance);
        ck_assert_str_eq(p.binding, "memory bandwidth");
        ck_assert_str_eq(p.residence.name, "MEM");
    }
    sp_machine_free(&m);
}
END_TEST

/* UX 6, lab 1: laplace3d:240. */
START_TEST(balance_of_the_seven_point_stencil)
{
    int64_t n = 240, n_r = n * n * n, n_nz = 7 * n_r - 6 * n * n;
    near(sp_volume_spmv_csr(n_r, n_nz, f64, sp_alpha_min_sizes(n_r, n_nz), 2).total_B / (2.0 * n_nz), 8.01,
         0.005);
}
END_TEST

START_TEST(roofline_names_its_binding_term)
{
    struct sp_roof_term terms[] = {
        {"memory bandwidth", sp_value_between(100, 90, 110, SP_MODELLED),
         sp_value_between(10, 9, 11, SP_MEASURED)},
        {"in-core execution", sp_value_of(20, SP_MODELLED), sp_value_of(4, SP_MEASURED)},
        {"peak", sp_value_of(20, SP_MODELLED), sp_value_none("unknown")},
    };
    struct sp_roofline r = sp_roofline(20, terms, 3);
    ck_assert_int_eq(r.binding, 0);
    near(r.time_s.value, 10, 0);
    near(r.time_s.lo, 90.0 / 11, 1e-12);
    near(r.time_s.hi, 110.0 / 9, 1e-12);
    near(r.performance.value, 2, 0);
    near(r.performance.lo, 20 * 9 / 110.0, 1e-12);
    terms[1].rate.value = terms[1].rate.lo = terms[1].rate.hi = 1;
    r = sp_roofline(20, terms, 3);
    ck_assert_int_eq(r.binding, 1);
    near(r.time_s.value, 20, 0);
    r = sp_roofline(20, terms + 2, 1);
    ck_assert(r.binding == -1 && !sp_value_known(r.time_s) && !sp_value_known(r.performance));
}
END_TEST

START_TEST(data_live_in_the_level_that_holds_them)
{
    struct sp_machine m = {.n_caches = 3};
    struct sp_value none = sp_value_none("not measured");
    m.cache[0] = (struct sp_cache){.level = 1, .size_B = 32768, .cores_sharing = 1, .effective_B = none};
    m.cache[1] = (struct sp_cache){.level = 2, .size_B = 1 << 20, .cores_sharing = 1, .effective_B = none};
    m.cache[2] = (struct sp_cache){.level = 3, .size_B = 32 << 20, .cores_sharing = 8, .effective_B = none};
    struct sp_footprint f = {.shared_out_B = 1.6e6, .each_B = 0.1e6};
    ck_assert_str_eq(sp_residence_of(&m, f, 1, 1, true).name, "L3");
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 1, true).name, "L2"); /* 0.8 + 0.1 MB each */
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 1, false).name, "MEM");
    f.shared_out_B = 50e6;
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 1, true).name, "MEM");
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 2, true).name, "L3"); /* two domains */
    m.cache[2].effective_B = sp_value_of(10 << 20, SP_MEASURED);
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 2, true).name, "MEM");
    near(sp_llc_capacity_B(&m, 2), 20.0 * (1 << 20), 0);
    /* What a level may not see again stays in the caches in front of it, not in the last one. */
    near(sp_inner_capacity_B(&m, 3, 2, 2), 20.0 * (1 << 20), 0);
    near(sp_inner_capacity_B(&m, 3, 1, 2), 10.0 * (1 << 20), 0); /* one thread is in one domain */
    near(sp_inner_capacity_B(&m, 2, 2, 1), 2.0 * (1 << 20), 0);
    near(sp_inner_capacity_B(&m, 1, 2, 1), 2 * 32768.0, 0);
    near(sp_inner_capacity_B(&m, 0, 2, 1), 0, 0);
    /* Where the capacity is an interval, its value decides and its ends may doubt it. */
    ck_assert_ptr_null(sp_residence_of(&m, f, 2, 2, true).doubt);
    m.cache[2].effective_B = sp_value_between(10 << 20, 4 << 20, 30 << 20, SP_MEASURED);
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 2, true).name, "MEM");
    ck_assert_ptr_eq(sp_residence_of(&m, f, 2, 2, true).doubt, sp_residence_fits_upper_end);
    ck_assert_ptr_null(sp_residence_of(&m, f, 2, 2, false).doubt);
    f.shared_out_B = 14e6;
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 2, true).name, "L3");
    ck_assert_ptr_eq(sp_residence_of(&m, f, 2, 2, true).doubt, sp_residence_exceeds_lower_end);
    m.cache[2].effective_B.lo = 9 << 20;
    ck_assert_ptr_null(sp_residence_of(&m, f, 2, 2, true).doubt);
    m.cache[2].effective_B = sp_value_of(10 << 20, SP_MEASURED);
    f = (struct sp_footprint){.shared_out_B = 1e3, .each_B = 1e3};
    ck_assert_str_eq(sp_residence_of(&m, f, 8, 1, true).name, "L1");
    m.kind = SP_GPU; /* whose inner caches are emptied between kernels */
    ck_assert_str_eq(sp_residence_of(&m, f, 8, 1, true).name, "L3");
    m.kind = SP_CPU;
    m.n_caches = 0;
    ck_assert_str_eq(sp_residence_of(&m, f, 2, 2, true).name, "MEM");
}
END_TEST

/* 12 of 16 ways for values and indices, 4 for the rest: each side must fit its own. */
START_TEST(data_live_where_the_ways_that_they_have_hold_them)
{
    struct sp_machine m = {.n_caches = 1};
    m.cache[0] =
        (struct sp_cache){.level = 2,
                          .size_B = 8000000,
                          .ways = 16,
                          .cores_sharing = 4,
                          .effective_B = sp_value_none("not measured"),
                          .partition = {.ways = 12, .arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES}};
    near(sp_partition_share(&m.cache[0], SP_ARRAY_INDICES), 0.75, 0);
    near(sp_partition_share(&m.cache[0], SP_ARRAY_X), 0.25, 0);
    struct sp_footprint f = {.shared_out_B = 5e6, .each_B = 1.7e6};
    struct sp_residence r = sp_residence_of(&m, f, 4, 1, true);
    ck_assert_str_eq(r.name, "L2");
    near(r.needed_B, 1.7e6, 0); /* x fills 0.85 of its ways, the matrix 0.83 */
    near(r.capacity_B, 2e6, 0);
    f.each_B = 1.9e6;
    ck_assert_str_eq(sp_residence_of(&m, f, 4, 1, true).name, "MEM");
    f.each_B = 0.1e6;
    f.shared_out_B = 5.6e6; /* all would fit a whole cache */
    ck_assert_str_eq(sp_residence_of(&m, f, 4, 1, true).name, "MEM");
    ck_assert_str_eq(sp_residence_of(&m, f, 8, 2, true).name, "L2");
    /* By array: y and pointers are with x. */
    f.by_array = true;
    f.array_B[SP_ARRAY_VALUES] = 3e6;
    f.array_B[SP_ARRAY_INDICES] = 1.5e6;
    f.array_B[SP_ARRAY_POINTERS] = f.array_B[SP_ARRAY_Y] = 0.55e6;
    f.array_B[SP_ARRAY_X] = 0.6e6;
    ck_assert_str_eq(sp_residence_of(&m, f, 4, 1, true).name, "L2");
    f.array_B[SP_ARRAY_Y] = 0.75e6;
    ck_assert_str_eq(sp_residence_of(&m, f, 4, 1, true).name, "MEM");
    m.cache[0].partition.ways = 0;
    near(sp_partition_share(&m.cache[0], SP_ARRAY_X), 1, 0);
    ck_assert_str_eq(sp_residence_of(&m, f, 4, 1, true).name, "L2");
}
END_TEST

/* Data that live in a cache that loses a part of them: memory gives that part. */
START_TEST(what_a_cache_loses_takes_the_time_of_memory)
{
    struct sp_machine m = {.n_caches = 1, .n_ceilings = 2};
    struct sp_ceiling ceiling[] = {{.name = "load",
                                    .level = "L2",
                                    .precision = "f64",
                                    .n_threads = 1,
                                    .n_domains = 1,
                                    .value = sp_value_of(100e9, SP_STATED)},
                                   {.name = "load",
                                    .level = "MEM",
                                    .precision = "f64",
                                    .n_threads = 1,
                                    .n_domains = 1,
                                    .value = sp_value_of(10e9, SP_STATED)}};
    m.ceiling = ceiling;
    m.cache[0] = (struct sp_cache){
        .level = 2, .size_B = 8000000, .cores_sharing = 1, .effective_B = sp_value_none("")};
    struct sp_predict_inputs in = {.n_r = 10000,
                                   .n_c = 10000,
                                   .n_nz = 100000,
                                   .beta = 1,
                                   .alpha = sp_value_of(0.1, SP_MODELLED),
                                   .w = sp_value_of(2, SP_MODELLED),
                                   .machine = &m,
                                   .n_threads = 1,
                                   .n_domains = 1,
                                   .warm = true,
                                   .core = sp_value_none(""),
                                   .roof_Bps = sp_value_none(""),
                                   .moved_B = sp_value_none(""),
                                   .beyond_B = sp_value_none("")};
    struct sp_prediction p = sp_predict(&in);
    ck_assert_str_eq(p.binding, "L2 bandwidth");
    near(p.roofline.time_s.value, p.volume_B.value / 100e9, 1e-12);
    in.beyond_B = sp_value_of(p.volume_B.value / 5, SP_SIMULATED);
    p = sp_predict(&in);
    ck_assert_str_eq(p.binding, "memory bandwidth");
    near(p.roofline.time_s.value, p.volume_B.value / 5 / 10e9, 1e-12);
    in.beyond_B = sp_value_of(p.volume_B.value / 20, SP_SIMULATED);
    ck_assert_str_eq(sp_predict(&in).binding, "L2 bandwidth");
    in.warm = false; /* all comes from memory */
    ck_assert_int_eq(sp_predict(&in).n_terms, 3);
}
END_TEST

START_TEST(cache_resident_data_get_the_roof_of_their_level)
{
    struct sp_machine m = {.n_caches = 1};
    m.cache[0] = (struct sp_cache){.level = 3,
                                   .size_B = 32 << 20,
                                   .line_B = 64,
                                   .cores_sharing = 8,
                                   .effective_B = sp_value_none("not measured")};
    add(&m, "load", "MEM", 2, 40e9);
    struct sp_predict_inputs in = lecture(&m, 10000, 100000);
    in.n_threads = 2;
    struct sp_prediction p = sp_predict(&in);
    ck_assert_str_eq(p.residence.name, "MEM"); /* no L3 bandwidth is described */
    ck_assert_int_eq(p.home, 0);
    add(&m, "load", "L3", 2, 120e9);
    p = sp_predict(&in);
    ck_assert_str_eq(p.residence.name, "L3");
    ck_assert_str_eq(p.binding, "L3 bandwidth");
    near(p.roof_Bps.value, 120e9, 0);
    in.n_nz = 2800000; /* 33.8 MB do not fit by size; a simulation may know better */
    ck_assert_str_eq(sp_predict(&in).binding, "memory bandwidth");
    in.n_inward = 1;
    p = sp_predict(&in);
    ck_assert_str_eq(p.residence.name, "L3");
    ck_assert_int_eq(p.home, 0);
    near(p.roof_Bps.value, 120e9, 0);
    in.n_inward = 0;
    in.n_nz = 100000;
    in.core = sp_value_of(1e9, SP_MEASURED);
    p = sp_predict(&in);
    ck_assert_str_eq(p.binding, "in-core execution");
    near(p.roofline.performance.value, 1e9, 1);
    in.core = sp_value_none("no");
    in.warm = false;
    ck_assert_str_eq(sp_predict(&in).binding, "memory bandwidth");
    in.alpha = sp_value_between(0.2, 0.1, 0.3, SP_SIMULATED);
    in.w = sp_value_between(2, 1, 2, SP_MODELLED);
    p = sp_predict(&in);
    near(p.volume_B.hi - p.volume_B.value, 0.1 * 8e5, 1e-6);
    near(p.volume_B.value - p.volume_B.lo, 0.1 * 8e5 + 8e4, 1e-6);
    ck_assert(p.volume_B.origin == SP_MODELLED && p.roofline.time_s.lo < p.roofline.time_s.value);
    sp_machine_free(&m);
}
END_TEST

/* A part of what is known for more threads: of the domains in use, of the threads where a level is private,
 * and never more than each thread draws by itself. */
START_TEST(fewer_threads_draw_less)
{
    struct sp_machine m = {.n_caches = 2, .n_domains = 12, .n_cores = 96};
    const struct sp_value none = sp_value_none("not measured");
    m.cache[0] = (struct sp_cache){.level = 2, .size_B = 1 << 20, .cores_sharing = 1, .effective_B = none};
    m.cache[1] = (struct sp_cache){.level = 3, .size_B = 32 << 20, .cores_sharing = 8, .effective_B = none};
    const struct sp_ceiling *from;
    ck_assert(!sp_value_known(sp_roof_for(&m, "MEM", 8, 1, NULL, &from)) && !from);
    add(&m, "load", "MEM", 96, 480e9);
    add(&m, "load", "L3", 96, 1200e9);
    add(&m, "load", "L2", 96, 9600e9);
    for (int i = 0; i < 3; i++)
        m.ceiling[i].n_domains = 12;
    struct sp_value v = sp_roof_for(&m, "MEM", 96, 12, NULL, &from);
    ck_assert(v.value == 480e9 && v.origin == m.ceiling[0].value.origin && from == &m.ceiling[0]);
    v = sp_roof_for(&m, "MEM", 8, 1, NULL, &from);
    near(v.value, 40e9, 1);
    near(v.hi, 480e9, 1); /* a domain may draw more than its part */
    ck_assert(v.origin == SP_MODELLED && from == &m.ceiling[0]);
    v = sp_roof_for(&m, "MEM", 2, 1, NULL, &from);
    near(v.value, 40e9, 1);
    near(v.lo, 10e9, 1);
    near(sp_roof_for(&m, "L3", 8, 1, NULL, &from).hi, 100e9, 1);
    near(sp_roof_for(&m, "L2", 8, 1, NULL, &from).value, 800e9, 1);
    add(&m, "load", "MEM", 1, 15e9);
    add(&m, "load", "MEM", 8, 45e9);
    for (int i = 3; i < 5; i++)
        m.ceiling[i].n_domains = 1;
    near(sp_roof_for(&m, "MEM", 2, 1, NULL, &from).value, 30e9, 1); /* the domain's, but of two threads */
    near(sp_roof_for(&m, "MEM", 4, 1, NULL, &from).value, 45e9, 1);
    near(sp_roof_for(&m, "MEM", 16, 2, NULL, &from).value, 80e9, 1);
    sp_machine_free(&m);
}
END_TEST

START_TEST(light_ecm_of_a_core)
{
    const double transfers[] = {1, 2, 3};
    struct light_ecm ecm = light_ecm(4, transfers, 3);
    near(ecm.time_s, 6, 0);
    ck_assert_int_eq(ecm.n_sat, 2);
    ecm = light_ecm(13, transfers, 3);
    near(ecm.time_s, 13, 0);
    ck_assert_int_eq(ecm.n_sat, 5);
    ck_assert_int_eq(light_ecm(1, NULL, 0).n_sat, 0);
}
END_TEST

START_TEST(fluid_model)
{
    struct sp_fluid_rates saturated = {.b_1 = 100, .b_S = 100}, free_rates = {.b_1 = 10, .b_S = 1000};
    const double skewed[] = {100, 100, 100, 300};
    double finish[4];
    /* One thread can draw all of b_S: the sum decides, not the straggler. */
    struct sp_fluid f = sp_fluid_model(4, skewed, 1, NULL, saturated, finish);
    near(f.time_s, 6, 1e-12);
    near(f.loss_s, 0, 1e-12);
    near(f.lambda, 2, 1e-12);
    near(finish[0], 4, 1e-12);
    near(finish[3], 6, 1e-12);
    /* Nothing is shared: (lambda - 1)/lambda of the time is lost. */
    f = sp_fluid_model(4, skewed, 1, NULL, free_rates, NULL);
    near(f.time_s, 30, 1e-12);
    near(f.gain, 0.5, 1e-12);
    /* In between: 4 threads at 25, until 100 bytes: 4 s; then one alone at b_1 = 40: 200/40 = 5 s. */
    f = sp_fluid_model(4, skewed, 1, NULL, (struct sp_fluid_rates){40, 100}, finish);
    near(f.time_s, 9, 1e-12);
    near(f.equal_s, 6, 1e-12);
    near(f.gain, 1.0 / 3, 1e-12);
    /* Two domains, each with its own b_S. */
    const int domains[] = {0, 0, 1, 1};
    f = sp_fluid_model(4, skewed, 2, domains, saturated, finish);
    near(f.time_s, 4, 1e-12); /* domain 1: 400 bytes */
    near(f.equal_s, 3, 1e-12);
    near(finish[1], 2, 1e-12);
    const double nothing[] = {0, 0};
    f = sp_fluid_model(2, nothing, 1, NULL, saturated, finish);
    ck_assert(f.time_s == 0 && f.gain == 0 && f.lambda == 1 && finish[1] == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("theory");
    TCase *tc = tcase_create("theory");
    tcase_add_test(tc, crs_balances);
    tcase_add_test(tc, sell_balances);
    tcase_add_test(tc, volumes_and_balances_agree);
    tcase_add_test(tc, unit_stride_slots_save_index_bytes);
    tcase_add_test(tc, half_storage);
    tcase_add_test(tc, alpha_bounds);
    tcase_add_test(tc, alpha_of_kkt_power);
    tcase_add_test(tc, cold_and_warm_floors);
    tcase_add_test(tc, spmmv_of_kkt_power);
    tcase_add_test(tc, the_table_of_the_lecture);
    tcase_add_test(tc, balance_of_the_seven_point_stencil);
    tcase_add_test(tc, roofline_names_its_binding_term);
    tcase_add_test(tc, data_live_in_the_level_that_holds_them);
    tcase_add_test(tc, data_live_where_the_ways_that_they_have_hold_them);
    tcase_add_test(tc, what_a_cache_loses_takes_the_time_of_memory);
    tcase_add_test(tc, cache_resident_data_get_the_roof_of_their_level);
    tcase_add_test(tc, fewer_threads_draw_less);
    tcase_add_test(tc, light_ecm_of_a_core);
    tcase_add_test(tc, fluid_model);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
