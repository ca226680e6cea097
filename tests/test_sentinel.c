/* Sentinels: the frozen kernel is the frozen one, looks are taken and counted, drift is told from
 * noise. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record/record.h"
#include "kernels/control.h"
#include "run_suite.h"
#include "session/measure/conditions.h"
#include "session/record/parts.h"

static struct sp_topology small_machine(void)
{
    struct sp_topology t = {.n_cpus = 2, .n_cores = 2, .n_domains = 1, .n_caches = 2};
    t.cache[0] = (struct sp_topology_cache){.level = 2, .size_B = 256 << 10, .cores_sharing = 1};
    t.cache[1] = (struct sp_topology_cache){.level = 3, .size_B = 4 << 20, .cores_sharing = 2};
    return t;
}

/* Computed apart from the program, in the same double precision: another number is another
 * kernel. */
START_TEST(the_control_kernel_is_frozen)
{
    ck_assert_int_eq(SP_CONTROL_VERSION, 1);
    ck_assert_double_eq(sp_control_chain(0), 0.37);
    ck_assert_double_eq(sp_control_chain(1), 0x1.bf8d4fdf3b645p-1);
    ck_assert_double_eq(sp_control_chain(1000), 0x1.30f82379ba223p-1);
}
END_TEST

START_TEST(looks_are_taken_as_time_and_memory_allow)
{
    const struct sp_topology t = small_machine();
    struct sp_sentinel_watch w;
    sp_sentinels_open(&w, &t, 2, 1, 1000, 0, 0);
    for (int i = 0; i < SP_SENTINEL_LOOKS + 2; i++)
        sp_sentinels_look(&w, false);
    ck_assert_double_eq(w.seen.of[SP_SENTINEL_LLC].bytes, (double)w.run[1].bytes_used);
    for (int k = 0; k < SP_N_SENTINELS; k++) {
        const struct sp_sentinel *s = &w.seen.of[k];
        if (s->why) { /* touching memory can be slow anywhere */
            ck_assert_int_eq(k, SP_SENTINEL_DRAM);
            printf("sentinel: %s: %s\n", sp_sentinel_name((enum sp_sentinel_kind)k), s->why);
            continue;
        }
        ck_assert_int_eq(s->n, SP_SENTINEL_LOOKS);
        for (int i = 0; i < s->n; i++)
            ck_assert(s->value[i] > 0);
        ck_assert(s->spread >= 0);
    }
    sp_sentinels_close(&w);
    sp_sentinels_close(&w);
    sp_sentinels_open(&w, &t, 1, 1, 0.005, 0, 0); /* no time for data of its own */
    sp_sentinels_look(&w, false);
    ck_assert(w.seen.of[SP_SENTINEL_DRAM].why && w.seen.of[SP_SENTINEL_LLC].why && !w.arena.memory);
    ck_assert_int_eq(w.seen.of[SP_SENTINEL_CONTROL].n, 1);
    w.seen.seconds = 1;
    sp_sentinels_look(&w, true); /* nor for another look */
    ck_assert_int_eq(w.seen.of[SP_SENTINEL_CONTROL].n, 1);
    sp_sentinels_close(&w);
    sp_sentinels_open(&w, &t, 1, 1, 1000, 100e6, 0); /* nor memory */
    ck_assert_ptr_nonnull(strstr(w.seen.of[SP_SENTINEL_DRAM].why, "no memory"));
    sp_sentinels_look(&w, false);
    ck_assert_int_eq(w.seen.of[SP_SENTINEL_DRAM].n, 0);
    ck_assert_int_eq(w.seen.of[SP_SENTINEL_LLC].n, 1);
    sp_sentinels_close(&w);
}
END_TEST

START_TEST(drift_is_more_than_spread)
{
    struct sp_sentinel s = {.n = 3, .value = {10e9, 7e9, 8.5e9}, .spread = 0.02};
    double change = 0;
    ck_assert(sp_sentinel_drifted(&s, &change));
    ck_assert_double_eq_tol(change, -0.15, 1e-12);
    s.spread = 0.2;
    ck_assert(!sp_sentinel_drifted(&s, &change));
    s.spread = 0.08;
    ck_assert(!sp_sentinel_drifted(&s, &change));
    s.spread = 0.02; /* looks on shared cores say nothing of the machine */
    s.crowded[0] = true;
    ck_assert(sp_sentinel_drifted(&s, &change));
    ck_assert_double_eq_tol(change, 8.5 / 7 - 1, 1e-12);
    s.crowded[2] = true;
    ck_assert(!sp_sentinel_drifted(&s, &change));
    s = (struct sp_sentinel){.n = 2, .value = {10e9, 9.1e9}};
    ck_assert(!sp_sentinel_drifted(&s, &change)); /* less than 10 % */
    s.n = 1;
    ck_assert(!sp_sentinel_drifted(&s, &change));
}
END_TEST

START_TEST(records_say_what_was_seen)
{
    struct sp_sentinels s = {.n_threads = 2, .seconds = 0.1};
    s.of[SP_SENTINEL_DRAM] =
        (struct sp_sentinel){.n = 2, .value = {20e9, 17e9}, .spread = 0.01, .bytes = 1e8};
    s.of[SP_SENTINEL_LLC] = (struct sp_sentinel){.why = "no such level"};
    s.of[SP_SENTINEL_CONTROL] = (struct sp_sentinel){.n = 2, .value = {3e8, 3.01e8}, .spread = 0.01};
    struct sp_record r;
    const char *text = "";
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_sentinels(&r, &s, SP_SENTINEL_DRAM);
    ck_assert_int_eq((int)json_array_size(sp_record_node(&r, SP_F_SENTINELS_DRAM_VALUES)), 2);
    ck_assert_str_eq(json_string_value(sp_record_node_at(&r, "sentinels.llc.why")), "no such level");
    ck_assert_str_eq(json_string_value(sp_record_node_at(&r, "sentinels.control.unit")), "1/s");
    const json_t *flag = json_array_get(sp_record_node(&r, SP_F_FLAGS), 0);
    text = json_string_value(json_object_get(flag, "text"));
    ck_assert_str_eq(json_string_value(json_object_get(flag, "code")), "Q28");
    ck_assert_msg(strstr(text, "DRAM sentinel -15 %") && !strstr(text, "control"), "%s", text);
    sp_record_free(&r);
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_sentinels(&r, &s,
                        SP_SENTINEL_LLC); /* its data come from a cache: memory's speed is no matter */
    ck_assert_int_eq((int)json_array_size(sp_record_node(&r, SP_F_FLAGS)), 0);
    sp_record_free(&r);
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    s.of[SP_SENTINEL_DRAM].value[1] = 19.9e9;
    sp_record_sentinels(&r, &s, SP_SENTINEL_DRAM);
    ck_assert_int_eq((int)json_array_size(sp_record_node(&r, SP_F_FLAGS)), 0);
    sp_record_free(&r);
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_sentinels(&r, &(struct sp_sentinels){0}, SP_SENTINEL_DRAM); /* a replay */
    ck_assert(json_is_null(sp_record_node_at(&r, "sentinels.value")));
    sp_record_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sentinel");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_control_kernel_is_frozen);
    tcase_add_test(tests, looks_are_taken_as_time_and_memory_allow);
    tcase_add_test(tests, drift_is_more_than_spread);
    tcase_add_test(tests, records_say_what_was_seen);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
