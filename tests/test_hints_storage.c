/* Hints about what is stored: formats, indices, values, blocks, several vectors. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hint_case.h"

/* What is only possible is proposed where it will be tried. */
START_TEST(another_format_is_possible_where_hints_are_tried)
{
    struct sp_hint_inputs in = healthy();
    struct sp_alternative formats[2] = {{.option = "sell:8,1", .V_B = sp_value_of(235e6, SP_MODELLED)},
                                        {.option = "sellu:8,1", .V_B = sp_value_of(240e6, SP_MODELLED)}};
    formats[0].core_s = sp_value_of(0.3e-3, SP_MEASURED);
    formats[1].core_s = sp_value_of(1e-3, SP_MEASURED);
    in.formats = formats;
    in.n_formats = 2;
    in.time_s = sp_value_of(4e-3, SP_MEASURED);
    struct sp_hints h = ask(&in);
    ck_assert_ptr_null(find(&h, "C02"));
    in.thorough = true;
    struct sp_hint hint = only(&in, "C02");
    ck_assert_str_eq(hint.change, "--format sell:8,1");
    /* Of W/P_core = 1 ms now 0.93 are visible beside V/b_S = 3.07 ms; of 0.3 ms they would be 0.28. */
    const double omega = (4e-3 - 233.1e6 / 76e9) / 1e-3, then = 235e6 / 76e9 + omega * 0.3e-3;
    ck_assert_double_eq_tol(hint.gain_hi, 1 - (1 - high(1 - then / 4e-3)) * 0.92, 1e-9);
    ck_assert(hint.gain_lo == 0 && hint.confidence == SP_LOW);
    in.time_s = sp_value_of(3.1e-3, SP_MEASURED); /* as good as its model */
    h = ask(&in);
    ck_assert_ptr_null(find(&h, "C02"));
}
END_TEST

START_TEST(padding)
{
    const struct sp_alternative formats[] = {
        {.option = "sell:32,256",
         .V_B = sp_value_of(245e6, SP_MODELLED),
         .beta = sp_value_of(0.93, SP_MODELLED)},
        {.option = "crs", .V_B = sp_value_of(260e6, SP_MODELLED), .beta = sp_value_of(1, SP_MODELLED)},
    };
    struct sp_hint_inputs in = healthy();
    in.format = SP_FORMAT_SELL;
    in.C = 32;
    in.options = "--format sell:32,1";
    in.beta = sp_value_of(0.48, SP_MODELLED);
    in.V_B = sp_value_of(423e6, SP_MODELLED);
    in.time_s = sp_value_of(5.6e-3, SP_MEASURED);
    in.formats = formats;
    in.n_formats = 2;
    struct sp_hint hint = only(&in, "D01");
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --format sell:32,256");
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
    struct sp_hint hint = only(&in, "E01");
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --index i32");
    struct sp_alternative formats[] = {
        {.option = "sellu:8,1", .V_B = sp_value_of(190e6, SP_MODELLED)},
    };
    in = healthy();
    in.formats = formats;
    in.n_formats = 1;
    in.unit_share = sp_value_of(0.88, SP_MODELLED);
    hint = only(&in, "E01");
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --format sellu:8,1");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "88 %"));
    const struct sp_alternative offsets = {.option = "--index d16", .V_B = sp_value_of(170e6, SP_MODELLED)};
    in.offsets = &offsets;
    hint = only(&in, "E01");
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --index d16");
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
    snprintf(in.option_striped, sizeof in.option_striped, "--format striped:1024");
    in.striped_V_B =
        sp_value_between(0.6 * in.V_B.value, 0.5 * in.V_B.value, 0.7 * in.V_B.value, SP_MODELLED);
    ck_assert_int_eq(only(&in, "A04").confidence, SP_LOW); /* its execution was not measured */
    in.striped_core_s = sp_value_of(0.1 * in.time_s.value, SP_MEASURED);
    const struct sp_hint hint = only(&in, "A04");
    ck_assert(hint.gain_lo >= 0.2 && hint.gain_hi <= 0.6 && hint.confidence == SP_MEDIUM);
    ck_assert_ptr_nonnull(strstr(hint.try_command, "--format striped:1024"));
    in.linear_s =
        sp_value_of(0.1 * in.time_s.value, SP_MEASURED); /* gathers wait, for much: so they do in part */
    const struct sp_hint waits = only(&in, "A04");
    ck_assert_double_eq_tol(waits.gain_hi, 0.9 * 0.8 * 7 / 8, 1e-9);
    ck_assert_double_eq_tol(waits.gain_lo, fmax(hint.gain_lo, 0.6 * waits.gain_hi), 1e-9);
    in.linear_s = sp_value_of(0.5 * in.time_s.value, SP_MEASURED); /* for less than stripes surely help */
    const struct sp_hints little = ask(&in);
    ck_assert_ptr_nonnull(clear(&little, "column blocking"));
    in.linear_s = sp_value_of(0.95 * in.time_s.value, SP_MEASURED); /* hardly any wait */
    ck_assert_double_lt(only(&in, "A04").gain_lo, 0.6 * only(&in, "A04").gain_hi);
    in.striped_core_s = sp_value_of(2 * in.time_s.value, SP_MEASURED);
    const struct sp_hints slow = ask(&in);
    ck_assert_ptr_nonnull(clear(&slow, "column blocking"));
    in.striped_V_B = sp_value_of(1.2 * in.V_B.value, SP_MODELLED);
    ck_assert_int_eq(ask(&in).n_hints, 0);
}
END_TEST

START_TEST(symmetric_precision_blocks)
{
    struct sp_hint_inputs in = healthy();
    in.symmetric = true;
    struct sp_hint hint = only(&in, "E02");
    ck_assert_ptr_nonnull(strstr(hint.try_command, "not available in this version"));
    in.option_half = "--half";
    ck_assert_str_eq(only(&in, "E02").try_command, "spmodel analyze kkt_power.mtx.gz --half");
    in.half_V_B = sp_value_between(0.7 * in.V_B.value, 0.6 * in.V_B.value, 0.8 * in.V_B.value, SP_MODELLED);
    hint = only(&in, "E02");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "conflicts between threads too"));
    ck_assert_int_eq(hint.confidence, SP_LOW);
    in.half_core_s = sp_value_of(2 * in.time_s.value, SP_MEASURED); /* P_core costs all that bytes gain */
    struct sp_hints slow = ask(&in);
    ck_assert_ptr_nonnull(clear(&slow, "symmetry"));
    in.half_core_s = sp_value_of(0.1 * in.time_s.value, SP_MEASURED);
    ck_assert_int_eq(only(&in, "E02").confidence, SP_MEDIUM);
    in.half_V_B = sp_value_between(1.1 * in.V_B.value, 0.3 * in.V_B.value, 2 * in.V_B.value, SP_MODELLED);
    struct sp_hints more = ask(&in); /* bytes may fall, but are not expected to */
    ck_assert_ptr_nonnull(clear(&more, "symmetry"));
    in.format = SP_FORMAT_HALF;
    ck_assert_int_eq(ask(&in).n_hints, 0);

    in = healthy();
    in.fits_f32 = SP_TRUE;
    in.n_distinct = 17;
    hint = only(&in, "E03");
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --precision mixed");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "17 distinct"));
    in.fits_f32 = SP_FALSE;
    struct sp_hints h = ask(&in);
    ck_assert_str_eq(clear(&h, "precision")->figure, "values need fp64");
    in.rounding_largest = sp_value_of(0x1p-24, SP_MODELLED);
    in.rounding_normwise = sp_value_of(0x1p-25, SP_MODELLED);
    h = ask(&in);
    ck_assert_ptr_nonnull(strstr(clear(&h, "precision")->figure, "change them by up to 6.0e-08"));

    in = healthy();
    in.block_h = in.block_w = 3;
    in.n_blocks = in.n_nz / 9 + 1000;
    hint = only(&in, "E04");
    ck_assert_ptr_nonnull(strstr(hint.evidence, "100 %"));
    in.n_blocks = in.n_nz / 2;
    h = ask(&in);
    ck_assert_ptr_nonnull(clear(&h, "dense blocks"));
}
END_TEST

/* 12 bytes an entry go; in lanes perhaps none. */
START_TEST(explicit_zeros)
{
    struct sp_hint_inputs in = healthy();
    in.options = "--threads 18";
    in.n_zeros = in.n_nz / 5;
    const struct sp_hint hint = only(&in, "E06");
    const double saved = 12.0 * (double)in.n_zeros / in.V_B.value;
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --threads 18 --drop-zeros");
    ck_assert_str_eq(hint.change, "--drop-zeros");
    ck_assert(hint.gain_lo <= saved && saved <= hint.gain_hi && hint.gain_lo > 0.05);
    ck_assert_double_eq_tol(hint.V_then_B.value, in.V_B.value - 12.0 * (double)in.n_zeros, 1);
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
    in.options = "--op spmmv --rhs 4";
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
    ck_assert_str_eq(hint.try_command, "spmodel analyze kkt_power.mtx.gz --op spmmv --rhs 32");
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
    tcase_add_test(tc, padding);
    tcase_add_test(tc, index_bytes);
    tcase_add_test(tc, stripes_and_streams);
    tcase_add_test(tc, symmetric_precision_blocks);
    tcase_add_test(tc, explicit_zeros);
    tcase_add_test(tc, width_of_block_vectors);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
