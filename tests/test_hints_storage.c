/* Hints about what is stored: formats, indices, values, blocks, several vectors. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "hint_case.h"
#include "run_suite.h"
#include "sparse/formats/format_ids.h"

/* What is only possible is proposed where it will be tried. */
START_TEST(another_format_is_possible_where_hints_are_tried)
{
    struct sp_hint_inputs in = healthy();
    struct sp_alternative formats[2] = {{AS_FORMAT("sell:8,1"), .V_B = sp_value_of(235e6, SP_MODELLED)},
                                        {AS_FORMAT("sellu:8,1"), .V_B = sp_value_of(240e6, SP_MODELLED)}};
    formats[0].core_s = sp_value_of(0.3e-3, SP_MEASURED);
    formats[1].core_s = sp_value_of(1e-3, SP_MEASURED);
    in.formats = formats;
    in.n_formats = 2;
    in.time_s = sp_value_of(4e-3, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_ptr_null(find(&h, "C02"));
    in.thorough = true;
    struct sp_hint hint = only(&in, "C02");
    ck_assert_change_eq(hint.change, "--format sell:8,1");
    ck_assert_double_eq_tol(hint.gain_hi, 1 - 235e6 / 76e9 / 4e-3, 1e-9); /* its transfers remain */
    ck_assert(hint.gain_lo == 0 && hint.confidence == SP_LOW);
    in.time_s = sp_value_of(3.1e-3, SP_MEASURED); /* as good as its model */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "C02"));
}
END_TEST

/* 10 ms, of which 7.2 are waiting by the run with all gathers from L1: another format takes away three
 * quarters of that at most, what nothing explains stays, and the promise counts the waiting once. */
START_TEST(waiting_is_counted_once)
{
    struct sp_hint_inputs in = healthy();
    const struct sp_alternative format = {AS_FORMAT("sell:8,1"), .V_B = sp_value_of(38e6, SP_MODELLED),
                                          .core_s = sp_value_of(0.3e-3, SP_MEASURED)};
    in.n_nz = 3 * in.n_r;
    in.V_B = sp_value_of(38e6, SP_SIMULATED); /* 0.5 ms */
    in.time_s = sp_value_of(10e-3, SP_MEASURED);
    in.linear_s = sp_value_of(2.8e-3, SP_MEASURED);
    in.formats = &format;
    in.n_formats = 1;
    const struct sp_hint hint =
        only(&in, "C02"); /* not C01: waiting is more than execution beyond transfers */
    const double then_s = 0.5e-3 + 0.3e-3 + 0.25 * 7.2e-3 + (2.8e-3 - 1.5e-3);
    ck_assert_double_eq_tol(hint.gain_hi, 1 - 0.95 * 0.92 * then_s / 10e-3, 1e-9);
    ck_assert_double_eq_tol(hint.gain_lo, 0.6 * hint.gain_hi, 1e-9);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "more gathers are in flight"));
}
END_TEST

/* A triangle that stays in the L3 still comes from there. */
START_TEST(what_moves_into_a_cache_has_its_roof)
{
    struct sp_ceiling L3 = {.name = "load",
                            .level = "L3",
                            .precision = "f64",
                            .n_threads = 2,
                            .mode = "unknown",
                            .value = sp_value_of(40e9, SP_MEASURED)};
    const struct sp_machine machine = {
        .n_caches = 1,
        .cache = {{.level = 3, .size_B = 8 << 20, .line_B = 64, .cores_sharing = 2}},
        .n_ceilings = 1,
        .ceiling = &L3};
    struct sp_hint_inputs in = healthy();
    in.n_r = in.n_c = 100000;
    in.n_nz = 700000;
    in.n_threads = 2;
    in.warm = in.symmetric = true;
    in.storage[SP_FORMAT_HALF].change = typed("--format half");
    in.machine = &machine;
    in.x_B = in.y_B = 8e5;
    in.working_set_B = 12.0 * 700000 + 4e5 + 1.6e6;
    in.V_B = sp_value_of(9.42e6, SP_SIMULATED);
    in.roof_Bps = sp_value_of(20e9, SP_MEASURED);
    in.time_s = sp_value_of(600e-6, SP_MEASURED);
    in.core_s = sp_value_of(50e-6, SP_MEASURED);
    in.storage[SP_FORMAT_HALF].V_B = sp_value_of(0, SP_SIMULATED);
    in.storage[SP_FORMAT_HALF].core_s = sp_value_of(50e-6, SP_MEASURED);
    const struct sp_hint hint = only(&in, "E02");
    const double set_B = in.working_set_B - 12.0 * (700000 - 400000);
    ck_assert_str_eq(hint.then.inner, "L3");
    ck_assert_double_eq_tol(hint.floor_s.value, set_B / 40e9, 1e-12);
    ck_assert_double_le(hint.gain_hi, 1 - set_B / 40e9 / 600e-6 + 1e-12);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "comes from L3"));
}
END_TEST

/* One command, two reasons. */
START_TEST(the_same_action_is_one_hint)
{
    const struct sp_alternative format = {AS_FORMAT("sellu:8,1"), .V_B = sp_value_of(150e6, SP_MODELLED),
                                          .core_s = sp_value_of(1e-3, SP_MEASURED)};
    struct sp_hint_inputs in = healthy();
    in.time_s = sp_value_of(5e-3, SP_MEASURED);
    in.linear_s = sp_value_of(3.4e-3, SP_MEASURED);
    in.unit_share = sp_value_of(0.5, SP_MODELLED);
    in.formats = &format;
    in.n_formats = 1;
    const struct sp_hints h = ask(&in);
    ck_assert_int_eq(h.n_hints, 1);
    const struct sp_hint *hint = &h.hint[0];
    ck_assert(strcmp(hint->id, "C02") == 0 && hint->n_also == 1 && strcmp(hint->also[0], "E01") == 0);
    const char *waits = strstr(hint->evidence, "Gathers wait");
    ck_assert(waits && strstr(hint->evidence, "V falls from 233.1 to 150 MB"));
    ck_assert_ptr_null(strstr(waits + 1, "Gathers wait")); /* said once */
}
END_TEST

START_TEST(padding)
{
    const struct sp_alternative formats[] = {
        {AS_FORMAT("sell:32,256"), .V_B = sp_value_of(245e6, SP_MODELLED),
         .beta = sp_value_of(0.93, SP_MODELLED)},
        {AS_FORMAT("crs"), .V_B = sp_value_of(260e6, SP_MODELLED), .beta = sp_value_of(1, SP_MODELLED)},
    };
    struct sp_hint_inputs in = healthy();
    in.format = SP_FORMAT_SELL;
    in.C = 32;
    in.options = typed("--format sell:32,1");
    in.beta = sp_value_of(0.48, SP_MODELLED);
    in.V_B = sp_value_of(423e6, SP_MODELLED);
    in.time_s = sp_value_of(5.6e-3, SP_MEASURED);
    in.formats = formats;
    in.n_formats = 2;
    struct sp_hint hint = only(&in, "D01");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --format sell:32,256");
    in.core_s = sp_value_of(5.6e-3, SP_MEASURED); /* not memory-bound */
    struct sp_hints h = ask(&in);
    ck_assert_ptr_null(find(&h, "D01"));
    in = healthy();
    in.format = SP_FORMAT_SELL;
    in.beta = sp_value_of(0.99, SP_MODELLED);
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "padding")->figure, "0.990"));
}
END_TEST

START_TEST(index_bytes)
{
    struct sp_hint_inputs in = healthy();
    in.index = SP_I64;
    in.V_B = sp_value_of(291e6, SP_SIMULATED);
    in.time_s = sp_value_of(4e-3, SP_MEASURED);
    struct sp_hint hint = only(&in, "E01");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --index i32");
    struct sp_alternative formats[] = {
        {AS_FORMAT("sellu:8,1"), .V_B = sp_value_of(190e6, SP_MODELLED)},
    };
    in = healthy();
    in.formats = formats;
    in.n_formats = 1;
    in.unit_share = sp_value_of(0.88, SP_MODELLED);
    hint = only(&in, "E01");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --format sellu:8,1");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "88 %"));
    const struct sp_alternative offsets = {
        .option = "--index d16", .change = typed("--index d16"), .V_B = sp_value_of(170e6, SP_MODELLED)};
    in.offsets = &offsets;
    hint = only(&in, "E01");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --index d16");
    in.offsets = NULL;
    formats[0].V_B = sp_value_of(240e6, SP_MODELLED);
    in.unit_share = sp_value_of(0.02, SP_MODELLED);
    struct sp_hints h = ask(&in);
    ck_assert(h.n_hints == 0 && clear(&h, "index bytes"));
}
END_TEST

/* Column blocking, and orders that scatter streams. */
START_TEST(stripes_and_streams)
{
    struct sp_hint_inputs in = healthy();
    in.alpha = sp_value_of(8 * in.alpha_min.value, SP_SIMULATED);
    in.alpha_reordered = sp_value_of(in.alpha_min.value, SP_SIMULATED);
    in.streams_reordered = sp_value_of(0.99, SP_MODELLED);
    const struct sp_hint follows = only(&in, "A01");
    ck_assert_double_gt(follows.gain_lo, 0);
    in.streams_reordered = sp_value_of(0.5, SP_MODELLED);
    const struct sp_hints scattered = ask(&in);
    ck_assert(scattered.n_hints == 0 ||
              (scattered.hint[0].gain_lo == 0 && scattered.hint[0].confidence == SP_LOW));

    in = healthy();
    in.alpha = sp_value_of(8 * in.alpha_min.value, SP_SIMULATED);
    in.storage[SP_FORMAT_STRIPED].change = typed("--format striped:1024");
    in.storage[SP_FORMAT_STRIPED].V_B =
        sp_value_between(0.6 * in.V_B.value, 0.5 * in.V_B.value, 0.7 * in.V_B.value, SP_MODELLED);
    ck_assert_int_eq(only(&in, "A04").confidence, SP_LOW); /* its execution was not measured */
    in.storage[SP_FORMAT_STRIPED].core_s = sp_value_of(0.1 * in.time_s.value, SP_MEASURED);
    const struct sp_hint hint = only(&in, "A04");
    ck_assert(hint.gain_lo >= 0.2 && hint.gain_hi <= 0.6 && hint.confidence == SP_MEDIUM);
    ck_assert_ptr_nonnull(strstr(PROPOSAL_OF(&in, &hint), "--format striped:1024"));
    in.V_B = sp_value_of(50e6, SP_SIMULATED);
    in.core_s = sp_value_of(0.3e-3, SP_MEASURED);
    in.storage[SP_FORMAT_STRIPED].V_B =
        sp_value_between(0.6 * in.V_B.value, 0.5 * in.V_B.value, 0.7 * in.V_B.value, SP_MODELLED);
    in.linear_s =
        sp_value_of(0.1 * in.time_s.value, SP_MEASURED); /* gathers wait, for much: so they do in part */
    const struct sp_hint waits = only(&in, "A04");
    const double data_s = in.V_B.value / in.roof_Bps.value, left = 1 - 0.8 * 7 / 8;
    ck_assert_double_eq_tol(
        waits.gain_hi, high(1 - (0.5 * data_s + left * (in.time_s.value - data_s)) / in.time_s.value), 1e-9);
    ck_assert_double_eq_tol(waits.gain_lo, 0.6 * waits.gain_hi, 1e-9);
    in.linear_s = sp_value_of(0.5 * in.time_s.value, SP_MEASURED); /* for less than stripes surely help */
    const struct sp_hints little = ask(&in);
    ck_assert_ptr_nonnull(clear(&little, "column blocking"));
    in.linear_s = sp_value_of(0.95 * in.time_s.value, SP_MEASURED); /* hardly any wait */
    ck_assert_double_lt(only(&in, "A04").gain_lo, 0.6 * only(&in, "A04").gain_hi);
    in.storage[SP_FORMAT_STRIPED].core_s = sp_value_of(2 * in.time_s.value, SP_MEASURED);
    const struct sp_hints slow = ask(&in);
    ck_assert_ptr_nonnull(clear(&slow, "column blocking"));
    in.storage[SP_FORMAT_STRIPED].V_B = sp_value_of(1.2 * in.V_B.value, SP_MODELLED);
    ck_assert_int_eq(ask(&in).n_hints, 0);
}
END_TEST

START_TEST(symmetric_precision_blocks)
{
    struct sp_hint_inputs in = healthy();
    in.symmetric = true;
    ck_assert_int_eq(ask(&in).n_hints, 0); /* no layout takes it: nothing to type */
    in.storage[SP_FORMAT_HALF].change = typed("--format half");
    struct sp_hint hint = only(&in, "E02");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --format half");
    in.storage[SP_FORMAT_HALF].V_B =
        sp_value_between(0.7 * in.V_B.value, 0.6 * in.V_B.value, 0.8 * in.V_B.value, SP_MODELLED);
    hint = only(&in, "E02");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "conflicts between threads too"));
    ck_assert_int_eq(hint.confidence, SP_LOW);
    in.storage[SP_FORMAT_HALF].core_s =
        sp_value_of(2 * in.time_s.value, SP_MEASURED); /* P_core costs all that bytes gain */
    struct sp_hints slow = ask(&in);
    ck_assert_ptr_nonnull(clear(&slow, "symmetry"));
    in.storage[SP_FORMAT_HALF].core_s = sp_value_of(0.1 * in.time_s.value, SP_MEASURED);
    ck_assert_int_eq(only(&in, "E02").confidence, SP_MEDIUM);
    in.storage[SP_FORMAT_HALF].V_B =
        sp_value_between(1.1 * in.V_B.value, 0.3 * in.V_B.value, 2 * in.V_B.value, SP_MODELLED);
    struct sp_hints more = ask(&in); /* bytes may fall, but are not expected to */
    ck_assert_ptr_nonnull(clear(&more, "symmetry"));
    in.format = SP_FORMAT_HALF;
    ck_assert_int_eq(ask(&in).n_hints, 0);

    in = healthy();
    in.fits_f32 = SP_TRUE;
    in.n_distinct = 17;
    hint = only(&in, "E03");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --precision mixed");
    ck_assert_ptr_null(strstr(hint.evidence, "f32")); /* it argues for what it proposes */
    ck_assert_ptr_nonnull(strstr(hint.evidence, "17 distinct"));
    struct sp_alternative mixed = {.change = typed("--precision mixed"),
                                   .V_B = sp_value_of(0.7 * in.V_B.value, SP_MODELLED),
                                   .core_s = sp_value_of(0.2 * in.time_s.value, SP_MEASURED)};
    in.mixed = &mixed; /* the same instructions with fewer bytes: no faster than these are fewer */
    in.core_s = in.time_s;
    const struct sp_hints bound = ask(&in);
    for (int i = 0; i < bound.n_hints; i++)
        ck_assert(strcmp(bound.hint[i].id, "E03") != 0 || bound.hint[i].gain_hi <= 0.4);
    in.mixed = NULL;
    in.fits_f32 = SP_FALSE;
    struct sp_hints h = ask(&in);
    ck_assert_str_eq(clear(&h, "precision")->figure, "values need fp64");
    in.rounding_largest = sp_value_of(0x1p-24, SP_MODELLED);
    in.rounding_normwise = sp_value_of(0x1p-25, SP_MODELLED);
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "precision")->figure, "change them by up to 6.0e-08"));
    ck_assert_ptr_nonnull(strstr(clear(&h, "precision")->figure, "would save 25 % of V"));
    /* A cache that leaves a third of V leaves a third of the values, too. */
    in.working_set_B = 233.1e6;
    in.V_B = sp_value_of(233.1e6 / 3, SP_SIMULATED);
    sp_hints_find(&in, &h);
    ck_assert_ptr_nonnull(strstr(clear(&h, "precision")->figure, "would save 25 % of V"));
    in.V_B = sp_value_of(233.1e6, SP_SIMULATED);

    in = healthy();
    in.block_h = in.block_w = 3;
    in.n_blocks = in.n_nz / 9 + 1000;
    ck_assert_int_eq(ask(&in).n_hints, 0); /* no kernel takes them */
    in.to_blocks = typed("--format bcsr:3x3");
    hint = only(&in, "E04");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "100 %"));
    in.n_blocks = in.n_nz / 2;
    h = ask(&in);
    ck_assert_ptr_nonnull(clear(&h, "dense blocks"));
}
END_TEST

/* Blocks that save no byte that counts are no hint, yet a trial may show that they compute faster; and of
 * formats the next best one is tried, where the best one was proposed. */
START_TEST(what_the_model_gives_nothing_is_a_chance)
{
    struct sp_hint_inputs in = healthy();
    struct sp_alternative formats[2] = {{AS_FORMAT("sell:8,64"), .V_B = sp_value_of(51e6, SP_MODELLED)},
                                        {AS_FORMAT("sellu:8,1"), .V_B = sp_value_of(52e6, SP_MODELLED)}};
    formats[0].core_s = formats[1].core_s = sp_value_of(2e-3, SP_MEASURED);
    in.formats = formats;
    in.n_formats = 2;
    in.core_s = sp_value_of(3.2e-3, SP_MEASURED); /* the core takes all of the time */
    in.V_B = sp_value_of(50e6, SP_SIMULATED);
    in.block_h = in.block_w = 2;
    in.n_blocks = in.n_nz / 3; /* filled to three quarters: 108 B instead of 3 x 12 */
    in.to_blocks = typed("--format bcsr:2x2");
    struct sp_hints found = ask(&in), chances;
    const struct sp_hint *first = find(&found, "C01");
    ck_assert_ptr_nonnull(first);
    ck_assert_change_eq(first->change, "--format sell:8,64");
    ck_assert_ptr_null(find(&found, "E04"));
    sp_hints_chances(&in, &found, &chances);
    const struct sp_hint *blocks = find(&chances, "E04"), *next = find(&chances, "C01");
    ck_assert_ptr_nonnull(blocks);
    ck_assert_double_eq(blocks->gain_hi, 0);
    ck_assert_ptr_nonnull(strstr(blocks->evidence, "tried all the same"));
    ck_assert_ptr_nonnull(next);
    ck_assert_change_eq(next->change, "--format sellu:8,1");
    for (int i = 0; i < chances.n_hints; i++) {
        ck_assert(chances.hint[i].change.n > 0);
        for (int k = 0; k < found.n_hints; k++)
            ck_assert(!sp_change_is_same(&chances.hint[i].change, &found.hint[k].change));
    }
}
END_TEST

/* 12 bytes an entry go; in lanes perhaps none. */
START_TEST(explicit_zeros)
{
    struct sp_hint_inputs in = healthy();
    in.options = typed("--threads 18");
    in.n_zeros = in.n_nz / 5;
    const struct sp_hint hint = only(&in, "E06");
    const double saved = 12.0 * (double)in.n_zeros / in.V_B.value;
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --threads 18 --drop-zeros");
    ck_assert_change_eq(hint.change, "--drop-zeros");
    ck_assert(hint.gain_lo <= saved && saved <= hint.gain_hi && hint.gain_lo > 0.05);
    ck_assert_double_eq_tol(hint.then.V_B.value, in.V_B.value - 12.0 * (double)in.n_zeros, 1);
    ck_assert_ptr_nonnull(strstr(hint.evidence, "(20 %)"));
    in.format = SP_FORMAT_SELL;
    in.beta = sp_value_of(1, SP_MODELLED);
    struct sp_hints h = ask(&in);
    ck_assert(find(&h, "E06")->gain_lo == 0 && find(&h, "E06")->gain_hi > 0.1);

    in = healthy();
    in.n_zeros = in.n_nz / 1000;
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "explicit zeros")->figure, "0.1 % of the entries"));
    in.n_zeros = 0; /* no question then */
    h = ask(&in);
    ck_assert(!find(&h, "E06") && !clear(&h, "explicit zeros"));
    in.format = SP_FORMAT_BCSR; /* blocks keep their places */
    in.n_zeros = in.n_nz / 5;
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "E06"));
}
END_TEST

/* kkt_power, r = 1, 4, 32: 7.98, 3.27, 1.89 B/flop [THEORY 3]; P_core may end the gain. */
START_TEST(width_of_block_vectors)
{
    struct sp_hint_inputs in = healthy();
    const double W = 2 * (double)in.n_nz;
    in.op = SP_OP_SPMMV;
    in.r = 4;
    in.options = typed("--op spmmv --rhs 4");
    in.V_B = sp_value_of(3.27 * 4 * W, SP_SIMULATED);
    in.time_s = sp_value_of(3.27 * 4 * W / in.roof_Bps.value, SP_MEASURED);
    in.core_s = sp_value_of(in.time_s.value / 2, SP_MEASURED);
    struct sp_alternative widths[] = {
        {.option = "1", .V_B = sp_value_of(7.98 * W, SP_MODELLED), .core_s = in.core_s},
        {.option = "32",
         .V_B = sp_value_of(1.89 * 32 * W, SP_MODELLED),
         .core_s = sp_value_of(8 * in.core_s.value, SP_MEASURED)},
    };
    in.n_widths = 2;
    in.widths = widths;
    struct sp_hint hint = only(&in, "E05");
    ck_assert_str_eq(PROPOSAL_OF(&in, &hint), "spmodel analyze kkt_power.mtx.gz --op spmmv --rhs 32");
    ck_assert_double_eq_tol(hint.gain_lo, low(1 - 1.89 / 3.27), 0.01);
    widths[1].core_s =
        sp_value_of(17 * in.core_s.value, SP_MEASURED); /* P_core falls: a vector takes longer */
    struct sp_hints h = ask(&in);
    ck_assert_str_eq(clear(&h, "block vectors")->figure, "a vector is cheapest with r = 4");
    in.fits_f32 = SP_TRUE; /* rules of SpMV keep silent */
    h = ask(&in);
    ck_assert_int_eq(h.n_hints, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hints_storage");
    TCase *tc = tcase_create("hints_storage");
    tcase_add_test(tc, another_format_is_possible_where_hints_are_tried);
    tcase_add_test(tc, waiting_is_counted_once);
    tcase_add_test(tc, what_moves_into_a_cache_has_its_roof);
    tcase_add_test(tc, the_same_action_is_one_hint);
    tcase_add_test(tc, padding);
    tcase_add_test(tc, index_bytes);
    tcase_add_test(tc, stripes_and_streams);
    tcase_add_test(tc, symmetric_precision_blocks);
    tcase_add_test(tc, what_the_model_gives_nothing_is_a_chance);
    tcase_add_test(tc, explicit_zeros);
    tcase_add_test(tc, width_of_block_vectors);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
