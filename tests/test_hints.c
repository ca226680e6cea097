/* What every rule of the hints keeps, and those about the traffic of x, threads, pages and
 * stores. */
#include <check.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hint_case.h"
#include "model/volume/traffic.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

START_TEST(table_is_complete)
{
    for (const struct sp_hint_rule *const *r = sp_hint_table; *r; r++) {
        ck_assert(strlen((*r)->id) == 3 && isupper((*r)->id[0]) && isdigit((*r)->id[2]));
        ck_assert((*r)->title && (*r)->condition && (*r)->remedy && (*r)->judge && (*r)->version >= 1);
        ck_assert_ptr_eq(sp_hint_rule_find((*r)->id), *r);
    }
    ck_assert_ptr_eq(sp_hint_rule_find("a01"), sp_hint_table[0]);
    ck_assert_ptr_null(sp_hint_rule_find("Z99"));
}
END_TEST

START_TEST(nothing_known_means_silence)
{
    struct sp_hint_inputs in;
    sp_hint_inputs_init(&in);
    struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
    ck_assert_int_eq(h.n_checked, 0);
}
END_TEST

START_TEST(healthy_run_has_no_hints)
{
    struct sp_hint_inputs in = healthy();
    struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
    ck_assert_ptr_nonnull(clear(&h, "x traffic"));
    ck_assert_str_eq(clear(&h, "in-core execution")->figure, "core bound 3.1 x faster than memory");
    ck_assert_ptr_null(clear(&h, "load imbalance")); /* not looked at */
}
END_TEST

START_TEST(x_traffic_needs_a_counterfactual)
{
    struct sp_hint_inputs in = healthy();
    in.alpha = sp_value_between(0.39, 0.38, 0.40, SP_SIMULATED);
    in.V_B = sp_value_of(262.4e6, SP_SIMULATED);
    in.time_s = sp_value_of(4.31e-3, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0); /* something is lost, but nothing was tried */
    ck_assert_ptr_null(clear(&h, "x traffic"));
    in.alpha_reordered = sp_value_of(0.16, SP_SIMULATED);
    in.reorder_s = sp_value_of(0.05, SP_MEASURED);
    struct sp_hint hint = only(&in, "A01");
    /* 26.9 MB of 262.4: 0.354 ms of 4.31 measured, or 10.2 % of what the model explains */
    ck_assert_double_eq_tol(hint.gain_lo, low(0.0821), 0.001);
    ck_assert_double_eq_tol(hint.gain_hi, high(0.1025), 0.001);
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --reorder rcm");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "2.8 times"));
    ck_assert_str_eq(hint.cost, "pays after 127 SpMVs");
    in.alpha_reordered = sp_value_of(0.38, SP_SIMULATED); /* no help */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A01"));
    in.alpha_reordered = sp_value_of(0.16, SP_SIMULATED);
    in.core_s = sp_value_of(4.3e-3, SP_MEASURED); /* in-core bound: fewer bytes would not help */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A01"));
}
END_TEST

/* x stays in the last-level cache, so no bytes are lost, but gathers wait for it. */
START_TEST(waiting_gathers_ask_for_an_order_too)
{
    struct sp_hint_inputs in = healthy();
    in.V_B = sp_value_of(60e6, SP_SIMULATED);
    in.linear_s = sp_value_of(0.5 * in.time_s.value, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_ptr_null(find(&h, "A01")); /* no order was tried */
    in.alpha_reordered = in.alpha;
    in.alpha_inner = sp_value_of(4, SP_SIMULATED);
    in.alpha_inner_reordered = sp_value_of(1, SP_SIMULATED);
    struct sp_hint hint = only(&in, "A01");
    /* Three quarters of the misses go, and three quarters of that for certain; no more than all of
     * the waiting. */
    ck_assert_double_eq_tol(hint.gain_hi, 0.5, 1e-9);
    ck_assert_double_eq_tol(hint.floor_s.value, in.linear_s.value, 1e-12);
    ck_assert_double_eq_tol(hint.gain_lo, low(0.75 * 0.75 * 0.5), 1e-9);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "Gathers wait"));
    ck_assert_ptr_null(strstr(hint.evidence, "Execution"));
    in.core_s = sp_value_of(1.5e-3, SP_MEASURED); /* which the order of rows halves */
    in.core_reordered_s = sp_value_of(0.75e-3, SP_MEASURED);
    ck_assert_ptr_nonnull(
        strstr(only(&in, "A01").evidence, "Execution from L1 falls from 1.50 ms to 750 us"));
    in.alpha_inner_reordered = sp_value_of(4, SP_SIMULATED); /* it would not help */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A01"));
    in.core_s = sp_value_of(3e-3, SP_MEASURED); /* however much quicker those rows are executed */
    in.linear_s = in.time_s;
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A01"));
    in.alpha_inner_reordered = sp_value_of(1, SP_SIMULATED); /* no gather waits */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A01"));
}
END_TEST

/* No run tells how long gathers wait, but most of them miss: they may wait for all that transfers
 * leave. */
START_TEST(gathers_that_miss_may_wait_for_the_rest)
{
    struct sp_hint_inputs in = healthy();
    const double x_B = 8.0 * (double)in.n_nz;
    in.alpha = sp_value_of(2, SP_SIMULATED);
    in.V_B = sp_value_of(233.1e6 + (2 - 0.1412) * x_B, SP_SIMULATED);
    in.alpha_reordered = sp_value_of(0.1412, SP_SIMULATED);
    in.time_s = sp_value_of(20e-3, SP_MEASURED);
    struct sp_hint hint = only(&in, "A01");
    ck_assert_double_eq_tol(hint.gain_hi, high(1 - (233.1e6 / 76e9 + in.core_s.value) / 20e-3), 1e-6);
    ck_assert_double_eq_tol(hint.gain_lo, low((2 - 0.1412) * x_B / 76e9 / 20e-3), 1e-6); /* bytes alone */
}
END_TEST

/* An order that leaves most of the extra loads must promise much, and is never sure. */
START_TEST(orders_that_help_in_part)
{
    struct sp_hint_inputs in = healthy();
    const double x_B = 8 * (double)in.n_nz, others_B = in.V_B.value - in.alpha.value * x_B,
                 least = in.alpha_min.value;
    struct sp_hints h;
    for (int i = 0; i < 2; i++) {
        const double excess = i == 0 ? 1 : 8;
        in.alpha = sp_value_of(least + excess, SP_SIMULATED);
        in.V_B = sp_value_of(others_B + in.alpha.value * x_B, SP_SIMULATED);
        in.time_s = sp_value_of(1.1 * in.V_B.value / in.roof_Bps.value, SP_MEASURED);
        in.alpha_reordered = sp_value_of(least + 0.2 * excess, SP_SIMULATED);
        ck_assert_int_eq(only(&in, "A01").confidence, SP_HIGH);
        in.alpha_reordered = sp_value_of(least + 0.55 * excess, SP_SIMULATED);
        h = ask(&in);
        if (i == 0)
            ck_assert_ptr_null(find(&h, "A01"));
        else
            ck_assert_int_eq(only(&in, "A01").confidence, SP_MEDIUM);
    }
}
END_TEST

START_TEST(x_asked_for_in_advance_is_proposed_where_it_helped)
{
    struct sp_hint_inputs in = healthy();
    in.V_B = sp_value_of(100e6, SP_SIMULATED);
    in.prefetch_s =
        sp_value_between(0.8 * in.time_s.value, 0.7 * in.time_s.value, 0.85 * in.time_s.value, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_ptr_null(find(&h, "A03")); /* how far is not known */
    in.prefetch = 64;
    struct sp_hint hint = only(&in, "A03");
    ck_assert_double_eq_tol(hint.gain_lo, low(0.15), 1e-9);
    ck_assert_double_eq_tol(hint.gain_hi, high(0.30), 1e-9);
    ck_assert_change_eq(hint.change, "--prefetch 64");
    in.prefetch_s = sp_value_of(1.01 * in.time_s.value, SP_MEASURED);
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A03"));
    ck_assert_ptr_nonnull(clear(&h, "prefetch"));
}
END_TEST

/* 5 of 16 ways for the matrix read 40 MB less, 4 and 6 ways 35 and 20: the promise goes from what
 * the worse neighbour saves to what the best division does. */
START_TEST(ways_are_proposed_where_they_save_bytes)
{
    struct sp_machine machine = {.kind = SP_CPU, .n_caches = 1};
    machine.cache[0] =
        (struct sp_cache){.level = 2,
                          .size_B = 8 << 20,
                          .ways = 16,
                          .cores_sharing = 18,
                          .effective_B = sp_value_none("not measured"),
                          .partition = {.arrays = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES}};
    struct sp_hint_inputs in = healthy();
    in.V_B = sp_value_of(240e6, SP_SIMULATED);
    in.machine = &machine;
    in.undivided_B = 220e6;
    struct sp_ways ways = {.n = 16};
    for (int w = 1; w < ways.n; w++)
        ways.read_B[w] = ways.most_B[w] = 260e6;
    ways.read_B[4] = ways.most_B[4] = 185e6;
    ways.read_B[5] = ways.most_B[5] = 180e6;
    ways.read_B[6] = ways.most_B[6] = 200e6;
    struct sp_hints h = ask(&in);
    ck_assert(!find(&h, "A05") && !clear(&h, "ways of the last level")); /* not simulated */
    in.ways = &ways;
    const struct sp_hint hint = only(&in, "A05");
    ck_assert_double_eq(hint.then.V_B.value, 200e6);
    ck_assert_double_eq(hint.then.V_B.lo, 200e6);
    ck_assert_double_eq(hint.then.V_B.hi, 220e6);
    ck_assert_double_lt(hint.gain_lo, 20.0 / 240);
    ck_assert_double_gt(hint.gain_lo, 0.03);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "With matrix=5 of the 16 ways of the L2"));
    ck_assert_ptr_nonnull(strstr(hint.evidence, "180 MB would be read from memory instead of 220 MB"));
    ck_assert_ptr_nonnull(strstr(hint.evidence, "at most 200 MB"));
    ck_assert_int_eq(sp_hint_effort(&hint), SP_EFFORT_PROGRAM);
    for (int i = 0; i < SP_N_EFFORTS; i++)
        ck_assert_int_eq(sp_effort_from_name(sp_effort_name((enum sp_effort)i)), i);
    ck_assert_int_eq(sp_effort_from_name(NULL), SP_EFFORT_OPTION);
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, &hint), hint.in_program));
    ways.read_B[6] = ways.most_B[6] = 215e6; /* a way more saves 2 % of the bytes: nothing is sure */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "A05"));
    ck_assert_ptr_nonnull(
        strstr(clear(&h, "ways of the last level")->figure, "best matrix=5 of 16 in the L2"));
    in.level = "L2"; /* nothing of it comes from memory */
    h = ask(&in);
    ck_assert(!find(&h, "A05") && !clear(&h, "ways of the last level"));
}
END_TEST

/* Of equal divisions the one in their middle: its neighbours are as good. */
START_TEST(the_best_division_is_the_surest)
{
    struct sp_ways ways = {.n = 16};
    for (int w = 1; w < ways.n; w++)
        ways.read_B[w] = ways.most_B[w] = w < 13 ? 16e6 - 1e6 * w : 0;
    ck_assert_int_eq(sp_ways_best(&ways), 14);
    struct sp_value saved = sp_ways_saved(&ways, 1e6, 14);
    ck_assert(saved.lo == 1e6 && saved.hi == 1e6);
    saved = sp_ways_saved(&ways, 1e6, 13);
    ck_assert(saved.lo == -3e6 && saved.value == 1e6);
    for (int w = 1; w < ways.n; w++)
        ways.read_B[w] = ways.most_B[w] = w < 9 ? 38e6 + 5e4 * w : 50e6;
    ck_assert_int_eq(sp_ways_best(&ways), 5);
    ways.read_B[11] = ways.most_B[11] = 1e6;
    ck_assert_int_eq(sp_ways_best(&ways), 11);
    ck_assert_int_eq(sp_ways_best(&(struct sp_ways){.n = 0}), 0);
}
END_TEST

/* Equal bytes, unequal times: only a schedule that was run is proposed. */
START_TEST(busy_times_ask_for_a_schedule_that_was_run)
{
    struct sp_alternative schedules[] = {
        {.option = "rows", .fluid_s = sp_value_of(2.8e-3, SP_MODELLED)},
        {.option = "cyclic:64", .fluid_s = sp_value_of(2.8e-3, SP_MODELLED)},
    };
    struct sp_hint_inputs in = healthy();
    in.V_B = sp_value_of(60e6, SP_SIMULATED);
    in.time_s = sp_value_between(3e-3, 2.9e-3, 3.1e-3, SP_MEASURED);
    in.lambda_nz = sp_value_of(1, SP_MODELLED);
    in.lambda_t = sp_value_of(1.6, SP_MEASURED);
    in.fluid_s = in.fluid_equal_s = sp_value_of(2.8e-3, SP_MODELLED);
    in.schedules = schedules;
    in.n_schedules = 2;
    schedules[0].time_s = sp_value_of(3.2e-3, SP_MEASURED);
    schedules[1].time_s = sp_value_of(3.0e-3, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_ptr_null(find(&h, "B01"));
    ck_assert_ptr_nonnull(strstr(clear(&h, "load imbalance")->figure, "no other schedule was faster"));
    schedules[1].time_s = sp_value_of(1.2e-3, SP_MEASURED);
    struct sp_hint hint = only(&in, "B01");
    ck_assert(hint.basis == SP_MEASURED && hint.confidence == SP_HIGH);
    ck_assert_double_eq_tol(hint.gain_lo, low(1 - 1.2 / 3), 1e-9);
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, &hint), "--schedule cyclic:64"));
}
END_TEST

/* The partition with the least predicted time, its share of the measured time: 0.5 ms of 2 ms by
 * the model are a quarter less of 4 ms, and 12 % of the new time may be off. */
START_TEST(partitions_of_ranks)
{
    struct sp_alternative others[] = {{.option = "nnz", .time_s = sp_value_of(1.9e-3, SP_MODELLED)},
                                      {.option = "metis", .time_s = sp_value_of(1.5e-3, SP_MODELLED)},
                                      {.option = "scotch", .time_s = sp_value_of(1.6e-3, SP_MODELLED)}};
    struct sp_hint_inputs in;
    sp_hint_inputs_init(&in);
    in.matrix = "kkt_power.mtx.gz";
    in.time_s = sp_value_of(4e-3, SP_MEASURED);
    in.partition = "rows";
    in.partition_s = sp_value_of(2e-3, SP_MODELLED);
    in.partitions = others;
    in.n_partitions = 3;
    in.launch = "mpirun -n 4";
    in.options = typed("--mpi");
    struct sp_hints h = ask(&in);
    ck_assert(h.n_hints == 0 && !clear(&h, "partition of rows")); /* no job of ranks */
    in.n_ranks = 4;
    struct sp_hint hint = only(&in, "K01");
    ck_assert_double_eq_tol(hint.gain_lo, 1 - 1.12 * 3 / 4, 1e-9);
    ck_assert_double_eq_tol(hint.gain_hi, 1 - 0.88 * 3 / 4, 1e-9);
    ck_assert(hint.basis == SP_MODELLED && hint.confidence == SP_LOW); /* half of the time has no model */
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint),
                     "mpirun -n 4 spmodel analyze kkt_power.mtx.gz --mpi --partition metis");
    in.time_s = sp_value_of(2.1e-3, SP_MEASURED);
    hint = only(&in, "K01");
    ck_assert_int_eq(hint.confidence, SP_MEDIUM);
    others[1].time_s = others[2].time_s = sp_value_of(2.1e-3, SP_MODELLED);
    others[0].time_s = sp_value_of(1.99e-3, SP_MODELLED);
    h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
    ck_assert_str_eq(clear(&h, "partition of rows")->figure,
                     "rows: 2.00 ms; the best other one, nnz: 1.99 ms (modelled)");
}
END_TEST

START_TEST(duplication)
{
    struct sp_hint_inputs in = healthy();
    in.n_domains = 4;
    in.alpha_min = in.alpha = sp_value_of(0.5, SP_SIMULATED);
    in.V_B = sp_value_of(275e6, SP_SIMULATED);
    in.time_s = sp_value_of(4e-3, SP_MEASURED);
    struct sp_hints h = ask(&in); /* it is so, but there is nothing to type */
    ck_assert(h.n_hints == 0 && !clear(&h, "x in several caches"));
    in.schedule = SP_SCHEDULE_CYCLIC;
    in.options = typed("--schedule cyclic:64 --threads 18");
    const struct sp_hint hint = only(&in, "A02");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --threads 18 --schedule nnz");
    in.alpha_min = in.alpha = sp_value_of(0.142, SP_SIMULATED);
    h = ask(&in);
    ck_assert_ptr_nonnull(clear(&h, "x in several caches"));
}
END_TEST

START_TEST(imbalance)
{
    const struct sp_alternative schedules[] = {
        {.option = "nnz", .fluid_s = sp_value_of(3.0e-3, SP_MODELLED)},
        {.option = "cyclic:64", .fluid_s = sp_value_of(2.9e-3, SP_MODELLED)},
    };
    struct sp_hint_inputs in = healthy();
    in.lambda_nz = sp_value_of(1.8, SP_MODELLED);
    in.V_B = sp_value_of(100e6, SP_SIMULATED);
    in.fluid_s = sp_value_of(3.2e-3, SP_MODELLED);
    in.fluid_equal_s = sp_value_of(2.8e-3, SP_MODELLED);
    struct sp_hints h = ask(&in);
    ck_assert(h.n_hints == 0 && !clear(&h, "load imbalance"));
    in.schedules = schedules;
    in.n_schedules = 2;
    struct sp_hint hint = only(&in, "B01");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --schedule cyclic:64");
    ck_assert_double_eq_tol(hint.gain_hi, high(0.3 / 3.2), 1e-9);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "equal nonzeros per thread save"));
    /* Its time is derived from the model's. */
    ck_assert_str_eq(hint.then.time_how, "time now x 2.90 ms / 3.20 ms of the fluid model");
    /* Where nonzeros are equal already, nobody advises to make them so. */
    in.schedule = SP_SCHEDULE_NNZ;
    in.lambda_nz = sp_value_of(1.001, SP_MODELLED);
    hint = only(&in, "B01");
    ck_assert_msg(strstr(hint.evidence, "Nonzeros per thread are equal, their times are not") &&
                      !strstr(hint.evidence, "times the mean number"),
                  "%s", hint.evidence);
    in.lambda_nz = sp_value_of(1.8, SP_MODELLED);
    /* One entry cannot be shared. */
    struct sp_hint_inputs one = in;
    one.n_nz = 1;
    h = ask(&one);
    ck_assert(!find(&h, "B01") && strstr(clear(&h, "load imbalance")->figure, "fewer nonzeros than threads"));
    /* A run with equal shares tells what the model only says: 2.9/3.0 of its time with blocks in
     * turn. */
    in.equal_s = sp_value_between(3.05e-3, 3.04e-3, 3.06e-3, SP_MEASURED);
    hint = only(&in, "B01");
    ck_assert_double_eq_tol(hint.gain_lo, low(1 - 3.06 / 3.2 * 2.9 / 3), 1e-9);
    in.equal_s = sp_value_of(3.2e-3, SP_MEASURED);
    in.n_schedules = 1;
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "load imbalance")->figure, "took as long"));
    in.equal_s = sp_value_between(3.3e-3, 1e-3, 9e-3, SP_MEASURED); /* perhaps less, but it took more */
    h = ask(&in);
    ck_assert_ptr_nonnull(clear(&h, "load imbalance"));
    in.equal_s = sp_value_none("not run"); /* threads that are busy alike wait for nobody */
    in.lambda_t = sp_value_of(1.01, SP_MEASURED);
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "load imbalance")->figure, "busy times: max/mean 1.01"));
    in.lambda_t = sp_value_none("not run");
    /* A saturated domain: lambda is large and nothing is lost. */
    in.fluid_equal_s = sp_value_of(3.19e-3, SP_MODELLED);
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "load imbalance")->figure, "1.80"));
}
END_TEST

START_TEST(in_core)
{
    struct sp_alternative formats[] = {
        {AS_FORMAT("sell:8,64"), .V_B = sp_value_of(240e6, SP_MODELLED),
         .core_s = sp_value_of(2e-3, SP_MEASURED)},
    };
    struct sp_hint_inputs in = healthy();
    in.core_s = sp_value_of(5e-3, SP_MEASURED);
    in.time_s = sp_value_of(5.2e-3, SP_MEASURED);
    in.formats = formats;
    in.n_formats = 1;
    struct sp_hints h;
    struct sp_hint hint = only(&in, "C01");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --format sell:8,64");
    ck_assert_double_eq_tol(hint.gain_hi, 1 - 240e6 / 76e9 / 5.2e-3, 1e-9); /* its transfers remain */
    ck_assert(strstr(hint.evidence, "takes 5.00 ms (measured), transfers"));
    in.team_s = sp_value_of(0.4e-3, SP_MEASURED); /* another loss, and yet a part of these 5 ms */
    hint = *find((h = ask(&in), &h), "C01");
    ck_assert(
        strstr(hint.evidence, "takes 5.00 ms (measured; the start of the team is 400 us of it), transfers"));
    in.team_s = sp_value_none("not measured");
    in.row_ends_s = sp_value_of(1e-3, SP_MEASURED);
    hint = *find((h = ask(&in), &h), "C01");
    ck_assert(strstr(hint.evidence,
                     "takes 5.00 ms (measured; mispredicted row ends are 1.00 ms of it), transfers"));
    formats[0].core_s = sp_value_of(4.95e-3, SP_MEASURED);
    h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
}
END_TEST

START_TEST(threads)
{
    const int n[] = {1, 9, 18, 36};
    const double rising[] = {12e9, 60e9, 76e9, 77e9}, falling[] = {12e9, 84e9, 76e9, 70e9};
    struct sp_hint_inputs in = healthy();
    in.n_cores = 18;
    in.n_saturation = 4;
    in.saturation_threads = n;
    in.saturation_Bps = rising;
    struct sp_hints h = ask(&in);
    ck_assert_str_eq(clear(&h, "number of threads")->figure, "18 reach 99 % of the best bandwidth");
    in.n_cores = 72; /* the curve ends before the cores do */
    h = ask(&in);
    ck_assert(h.n_hints == 0 && !clear(&h, "number of threads"));
    in.n_cores = 0;
    h = ask(&in);
    ck_assert(h.n_hints == 0 && !clear(&h, "number of threads"));
    in.n_cores = 18;
    in.saturation_Bps = falling;
    only_proposes(&in, "F01", "spmodel analyze kkt_power.mtx.gz --threads 9");
    in.n_threads = 1;
    in.time_s = sp_value_none("not measured");
    in.roof_Bps = sp_value_of(12e9, SP_MEASURED);
    in.core_s = sp_value_of(18e-3, SP_MEASURED);
    struct sp_hint hint = only(&in, "F01"); /* 9 threads: execution 2 ms, transfers 2.8 */
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --threads 9");
    ck_assert_double_eq_tol(hint.gain_hi, 1 - 12.0 / 84, 1e-9);
    ck_assert_ptr_null(strstr(hint.evidence, "Execution"));
    /* Eighteen share an execution of 36 ms, less the 4.5 of its start: 6.25 ms instead of 2. */
    in.core_s = sp_value_of(36e-3, SP_MEASURED);
    in.team_s = sp_value_of(4.5e-3, SP_MEASURED);
    hint = only(&in, "F01");
    ck_assert_double_eq_tol(hint.gain_hi, 1 - 6.25 / 36, 1e-9);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "Execution, 36.0 ms by 1 thread (measured), is longer than "
                                                "transfers: 18 share it."));
    in = healthy(); /* a quick machine, of 1, the run's 9 and all 18 */
    in.n_threads = 9;
    in.n_cores = 18;
    in.n_saturation = 3;
    in.saturation_threads = n;
    in.saturation_Bps = rising;
    in.time_s = sp_value_of(233.1e6 / 60e9, SP_MEASURED);
    in.roof_Bps = sp_value_of(60e9, SP_MEASURED);
    only_proposes(&in, "F01", "spmodel analyze kkt_power.mtx.gz --threads 18");
}
END_TEST

/* 10 us on 8 threads, of which the start takes 3: half of it to all goes where products share a
 * region. At 8 of 10 us fewer threads are faster even if the work does not scale at all. */
START_TEST(start_of_the_team)
{
    struct sp_hint_inputs in = healthy();
    in.n_threads = 8;
    in.time_s = sp_value_of(10e-6, SP_MEASURED);
    in.V_B = sp_value_of(1e5, SP_SIMULATED);
    in.core_s = sp_value_of(10e-6, SP_MEASURED);
    in.team_s = sp_value_of(3e-6, SP_MEASURED);
    struct sp_hint hint = only(&in, "F02");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "in your program: several products in one parallel region");
    ck_assert_double_eq_tol(hint.gain_lo, low(0.15), 1e-9);
    ck_assert_double_eq_tol(hint.gain_hi, 0.3, 1e-9); /* on other arrays, too, no more than all of it */
    in.team_s = sp_value_between(3e-6, 2.9e-6, 3.2e-6, SP_MEASURED);
    ck_assert_double_eq_tol(only(&in, "F02").gain_hi, 0.32, 1e-9);
    in.team_s = sp_value_of(9.5e-6, SP_MEASURED); /* 0.5 us of work: two take 1.4 + 2 us */
    hint = only(&in, "F02");
    ck_assert_change_eq(hint.change, "--threads 2");
    ck_assert_double_eq_tol(hint.gain_lo, low(1 - (9.5 / 7 + 0.5 * 4) / 10), 1e-9);
    in.team_s = sp_value_of(0.1e-6, SP_MEASURED);
    const struct sp_hints h = ask(&in);
    ck_assert_str_eq(clear(&h, "start of the team")->figure, "100 ns of 10.0 us, 1.0 %");
    in.n_threads = 1;
    const struct sp_hints alone = ask(&in);
    ck_assert(alone.n_hints == 0 && !clear(&alone, "start of the team"));
}
END_TEST

START_TEST(placement_and_stores)
{
    struct sp_hint_inputs in = healthy();
    in.huge_share = sp_value_of(0.98, SP_MEASURED);
    in.local_share = sp_value_of(1, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_str_eq(clear(&h, "huge pages")->figure, "98 %");
    ck_assert_str_eq(clear(&h, "page placement")->figure, "100 % local");

    in.huge_share = sp_value_of(0, SP_MEASURED);
    h = ask(&in); /* the roof of its own pages leaves 4 % */
    ck_assert_int_eq(h.n_hints, 0);
    in.roof_best_Bps = sp_value_of(120e9, SP_MEASURED);
    struct sp_hint hint = only(&in, "G01");
    ck_assert(hint.basis == SP_STATED && hint.confidence == SP_LOW);
    ck_assert(strncmp(PROPOSAL_OF(&in, &hint), "echo madvise", 12) == 0 && hint.change.n == 0);
    in.options = typed("--threads 4 --pages small"); /* turned off by the user, who can turn them on */
    in.asked_small_pages = true;
    hint = only(&in, "G01");
    ck_assert_change_eq(hint.change, "--pages huge");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --threads 4 --pages huge");
    ck_assert_double_eq(hint.gain_lo, 0);
    ck_assert_double_eq_tol(hint.gain_hi, 0.33, 1e-12);
    in.huge_share = sp_value_of(0.85, SP_MEASURED); /* a twentieth at most, by half: not worth it */
    h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);

    in = healthy();
    in.local_share = sp_value_of(0.5, SP_MEASURED);
    in.roof_best_Bps = sp_value_of(120e9, SP_MEASURED);
    only_proposes(&in, "G02", "numactl --localalloc spmodel analyze kkt_power.mtx.gz");

    in = healthy();
    in.store_nt = false;
    in.can_store_nt = true;
    hint = only(&in, "G03");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --store nt");
    ck_assert_double_eq_tol(hint.gain_hi, 1 - (233.1e6 - 8 * 2063494) / 76e9 / 3.2e-3, 1e-6);
    in.roof_store_Bps = sp_value_of(60e9, SP_MEASURED);
    in.roof_store_nt_Bps = sp_value_of(36e9, SP_MEASURED); /* slower: 3/60 < 2/36 */
    hint = only(&in, "G03");
    ck_assert(hint.gain_lo == 0);
}
END_TEST

/* The result is r vectors for SpMMV and SpMM, a value an entry for SDDMM. */
START_TEST(stores_of_every_operation)
{
    const struct {
        enum sp_op op;
        int64_t r;
        double y_B, V_B;
    } is[] = {{SP_OP_SPMMV, 8, 8.0 * 8 * 2063494, 480e6}, {SP_OP_SDDMM, 8, 8.0 * 14612663, 600e6}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        struct sp_hint_inputs in = healthy();
        in.op = is[i].op;
        in.r = is[i].r;
        in.y_B = is[i].y_B;
        in.gather_B = (double)is[i].r * 8 * (double)in.n_nz;
        in.x_B = (double)is[i].r * 8 * (double)in.n_c;
        in.V_B = sp_value_of(is[i].V_B, SP_SIMULATED);
        in.time_s = sp_value_of(is[i].V_B / 73e9, SP_MEASURED);
        in.store_nt = false;
        in.can_store_nt = true;
        const struct sp_hints h = ask(&in);
        const struct sp_hint *hint = find(&h, "G03");
        ck_assert_ptr_nonnull(hint);
        ck_assert_double_eq_tol(hint->then.V_B.value, is[i].V_B - is[i].y_B, 1);
        ck_assert_double_eq_tol(hint->gain_hi, 1 - (is[i].V_B - is[i].y_B) / 76e9 / in.time_s.value, 1e-6);
        ck_assert_ptr_nonnull(strstr(hint->expect, "the size of the result"));
    }
}
END_TEST

START_TEST(cache_resident_data_get_no_advice_about_memory)
{
    struct sp_hint_inputs in = healthy();
    in.level = "L3";
    in.working_set_B = 3.2e6;
    in.huge_share = sp_value_of(0, SP_MEASURED);
    in.local_share = sp_value_of(0, SP_MEASURED);
    in.store_nt = false;
    struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
    ck_assert_ptr_nonnull(strstr(clear(&h, "memory bandwidth")->figure, "3.20 MB"));
}
END_TEST

START_TEST(commands_are_quoted)
{
    struct sp_hint_inputs in = healthy();
    in.matrix = "my matrix's.mtx";
    in.index = SP_I64;
    in.V_B = sp_value_of(291e6, SP_SIMULATED);
    in.time_s = sp_value_of(4e-3, SP_MEASURED);
    in.options = typed("--index i64 --machine a;b.json --threads 4");
    only_proposes(&in, "E01",
                  "spmodel analyze 'my matrix'\\''s.mtx' --machine 'a;b.json' --threads 4 --index i32");
}
END_TEST

START_TEST(largest_gain_first)
{
    struct sp_hint_inputs in = healthy();
    in.symmetric = true;
    in.storage[SP_FORMAT_HALF].change = typed("--format half");
    in.fits_f32 = SP_TRUE;
    in.store_nt = false;
    in.can_store_nt = true;
    struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 3);
    ck_assert_str_eq(h.hint[2].id, "G03");
}
END_TEST

/* Of a kernel of somebody else, in turn with the built-in one. */
static struct sp_hint_inputs own_kernel(double built_in_s)
{
    struct sp_hint_inputs in = healthy();
    in.own = SP_OWN_WALKS_CRS;
    in.built_in = "spmv/crs/avx2";
    in.built_in_s = sp_value_between(built_in_s, 0.95 * built_in_s, 1.05 * built_in_s, SP_MEASURED);
    in.busy_threads = sp_value_of(17.5, SP_MEASURED);
    sp_change_add(&in.options, SP_OPTION_KERNEL, "./libmine.so:spmv");
    sp_change_add(&in.options, SP_OPTION_SIGNATURE, "csr32");
    return in;
}

START_TEST(a_slow_loop_of_somebody_else_is_named)
{
    struct sp_hint_inputs in = own_kernel(1.6e-3);
    struct sp_hint hint = only(&in, "C03");
    ck_assert(hint.basis == SP_MEASURED && hint.confidence == SP_HIGH);
    ck_assert_double_eq_tol(hint.gain_lo, low(1 - 1.05 * 1.6 / 3.2), 1e-12);
    ck_assert_double_eq_tol(hint.gain_hi, high(1 - 0.95 * 1.6 / 3.2), 1e-12);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "2.00 x (1.90 … 2.11). The same bytes move"));
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, &hint), "-march=native"));

    in.busy_threads = sp_value_of(1, SP_MEASURED);
    hint = only(&in, "C03");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "It keeps 1.0 of 18 threads busy."));
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, &hint), "share the rows out"));

    in = own_kernel(3.2e-3);
    struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
    ck_assert_str_eq(clear(&h, "row loop")->figure,
                     "your kernel takes 1.00 x the time of spmv/crs/avx2 on the same arrays");
}
END_TEST

/* What stores the matrix in another way runs the built-in kernel, and says so; an order runs
 * theirs. */
START_TEST(no_command_claims_to_change_the_code_of_somebody_else)
{
    struct sp_hint_inputs in = own_kernel(3.2e-3);
    const struct sp_alternative mixed = {.change = typed("--precision mixed"),
                                         .option = "--precision mixed",
                                         .V_B = sp_value_of(160e6, SP_MODELLED),
                                         .core_s = sp_value_of(1e-3, SP_MEASURED)};
    in.fits_f32 = SP_TRUE;
    in.mixed = &mixed;
    struct sp_hint hint = only(&in, "E03");
    ck_assert_ptr_null(strstr(PROPOSAL_OF(&in, &hint), "--kernel"));
    ck_assert_ptr_nonnull(strstr(hint.evidence, "The command runs the built-in kernel, not yours."));
    in.own = SP_OWN_STORES_ITSELF; /* which may be narrower already */
    ck_assert_int_eq(ask(&in).n_hints, 0);

    in = own_kernel(3.2e-3);
    in.alpha = sp_value_of(1, SP_SIMULATED);
    in.V_B = sp_value_of(233.1e6 + 0.8588 * 8 * 14612663, SP_SIMULATED);
    in.time_s = sp_value_of(4.6e-3, SP_MEASURED);
    in.built_in_s = in.time_s;
    in.alpha_reordered = sp_value_of(0.15, SP_SIMULATED);
    hint = only(&in, "A01");
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, &hint), "--kernel ./libmine.so:spmv"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hints");
    TCase *tc = tcase_create("hints");
    tcase_add_test(tc, table_is_complete);
    tcase_add_test(tc, nothing_known_means_silence);
    tcase_add_test(tc, a_slow_loop_of_somebody_else_is_named);
    tcase_add_test(tc, no_command_claims_to_change_the_code_of_somebody_else);
    tcase_add_test(tc, healthy_run_has_no_hints);
    tcase_add_test(tc, x_traffic_needs_a_counterfactual);
    tcase_add_test(tc, waiting_gathers_ask_for_an_order_too);
    tcase_add_test(tc, gathers_that_miss_may_wait_for_the_rest);
    tcase_add_test(tc, orders_that_help_in_part);
    tcase_add_test(tc, x_asked_for_in_advance_is_proposed_where_it_helped);
    tcase_add_test(tc, ways_are_proposed_where_they_save_bytes);
    tcase_add_test(tc, the_best_division_is_the_surest);
    tcase_add_test(tc, busy_times_ask_for_a_schedule_that_was_run);
    tcase_add_test(tc, duplication);
    tcase_add_test(tc, imbalance);
    tcase_add_test(tc, in_core);
    tcase_add_test(tc, threads);
    tcase_add_test(tc, start_of_the_team);
    tcase_add_test(tc, placement_and_stores);
    tcase_add_test(tc, stores_of_every_operation);
    tcase_add_test(tc, cache_resident_data_get_no_advice_about_memory);
    tcase_add_test(tc, commands_are_quoted);
    tcase_add_test(tc, partitions_of_ranks);
    tcase_add_test(tc, largest_gain_first);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
