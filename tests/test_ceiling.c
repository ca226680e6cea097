#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ceiling.h"
#include "kernels/cpu/ceiling/ceiling_isa.h"
#include "run_suite.h"

enum { THREADS = 2, ARENA = 1 << 20 };

static const char *const isas[] = {"portable", "avx2", "avx512"};
enum { N_ISAS = 3 };

/* Bytes of the streams a, b, c per byte of the longest. */
static const double streams[][3] = {{1, 0, 0}, {1, 0.5, 0}, {1, 0, 1}, {1, 0, 1}, {1, 1, 1}, {1, 1, 1}};

static void open_arena(struct sp_ceiling_arena *arena)
{
    struct sp_error err;
    ck_assert_msg(sp_ceiling_arena_open(NULL, ARENA, THREADS, 0, arena, &err) == SP_OK, "%s", err.what);
    ck_assert(arena->touch_s > 0);
}

/* True when the instruction set or the kind is absent; says so, because then nothing was checked. */
static bool absent(enum sp_status status, const char *isa, enum sp_ceiling_kind kind,
                   const struct sp_error *err)
{
    if (status != SP_ABSENT)
        return false;
    printf("ceiling: skipped %s %s: %s\n", isa, sp_ceiling_kind_name(kind), err->what);
    return true;
}

/* Each stream kernel, instruction set, thread: what it stores is right, and nothing else in the arena
 * changes. */
START_TEST(stores_are_what_the_name_says)
{
    enum sp_ceiling_kind kind = (enum sp_ceiling_kind)(_i % 6);
    const char *isa = isas[_i / 6];
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_ceiling_sample sample;
    struct sp_error err;
    open_arena(&arena);
    double *number = arena.memory;
    for (size_t i = 0; i < ARENA / sizeof *number; i++)
        number[i] = (double)(i % 1000) + 0.5;
    double *before = malloc(ARENA);
    memcpy(before, number, ARENA);
    enum sp_status status = sp_ceiling_prepare(&run, &arena, kind, 100000, THREADS, 2, isa, &err);
    if (!absent(status, isa, kind, &err)) {
        ck_assert_msg(status == SP_OK, "%s", err.what);
        sp_ceiling_sample(&run, 3, &sample);
        ck_assert(sample.seconds > 0 && sample.busy > 0 && sample.busy <= 1);
        ck_assert_double_eq(sample.work, 3 * run.work);
        int64_t changed = 0;
        for (int t = 0; t < THREADS && streams[kind][2] > 0; t++) {
            size_t at = run.distance * (size_t)t / 8;
            for (int64_t i = 0; i < run.stream / 8; i++) {
                size_t a = at + (size_t)(run.offset[0] / 8 + i), b = at + (size_t)(run.offset[1] / 8 + i),
                       c = at + (size_t)(run.offset[2] / 8 + i);
                double expected = streams[kind][1] > 0 ? before[a] + 3 * before[b] : before[a];
                ck_assert_double_eq(number[c], expected);
                before[c] = expected;
                changed++;
            }
        }
        ck_assert_int_eq(changed, streams[kind][2] > 0 ? THREADS * run.stream / 8 : 0);
        ck_assert_msg(memcmp(number, before, ARENA) == 0, "%s %s wrote where it should not", isa,
                      sp_ceiling_kind_name(kind));
    }
    free(before);
    sp_ceiling_arena_close(&arena);
    sp_ceiling_arena_close(&arena);
}
END_TEST

/* Counted bytes: loads once, plain stores w times, non-temporal ones once. */
START_TEST(bytes_are_counted_right)
{
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_error err;
    open_arena(&arena);
    static const double per_byte[6][2] = {{1, 1}, {1.5, 1.5}, {2, 3},
                                          {2, 2}, {3, 4},     {3, 3}}; /* w = 1, w = 2 */
    for (int kind = 0; kind < 6; kind++)
        for (int w = 1; w <= 2; w++)
            for (int threads = 1; threads <= THREADS; threads++) {
                enum sp_status status = sp_ceiling_prepare(&run, &arena, (enum sp_ceiling_kind)kind, 200000,
                                                           threads, w, NULL, &err);
                if (absent(status, "best", (enum sp_ceiling_kind)kind, &err))
                    continue;
                ck_assert_double_eq(run.work, per_byte[kind][w - 1] * (double)run.stream * threads);
                double used = streams[kind][0] + streams[kind][1] + streams[kind][2];
                ck_assert_double_eq((double)run.bytes_used, used * (double)run.stream * threads);
                ck_assert(run.bytes_used <= 200000 && run.bytes_used > 190000);
            }
    sp_ceiling_arena_close(&arena);
}
END_TEST

/* Each gather loop here adds up exactly the elements that its lists name, from any list on. */
START_TEST(gathers_load_what_the_lists_name)
{
    enum { N = 1 << 14 /* more lines than a list reaches */, LISTS = 3 };
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_error err;
    const enum sp_ceiling_kind kind = _i % 2 ? SP_CEILING_GATHER_LOADS : SP_CEILING_GATHER;
    open_arena(&arena);
    const enum sp_status status = sp_ceiling_prepare(&run, &arena, kind, 65536, 1, 1, isas[_i / 2], &err);
    if (!absent(status, isas[_i / 2], kind, &err)) {
        const struct sp_ceiling_isa *isa = run.isa;
        _Alignas(64) static uint32_t list[SP_CEILING_GATHER_LIST];
        int64_t *x = arena.memory, first = 5, sum = 0;
        for (int64_t i = 0; i < N; i++)
            x[i] = i * i % 1009;
        for (uint32_t k = 0; k < SP_CEILING_GATHER_LIST; k++)
            list[k] = k * UINT32_C(2654435761);
        for (int64_t l = first; l < first + LISTS; l++)
            for (int k = 0; k < SP_CEILING_GATHER_LIST; k++)
                sum += x[(list[k] + (uint32_t)l * SP_CEILING_GATHER_STEP) % N];
        double sink = 0;
        sp_ceiling_loop *loop = kind == SP_CEILING_GATHER ? isa->gather : isa->gather_loads;
        loop((char *)x, (char *)list, (char *)&first, N * 8, LISTS, &sink);
        ck_assert_double_eq(sink, (double)sum);
        sp_ceiling_sample(&run, 3, &(struct sp_ceiling_sample){0});
    }
    sp_ceiling_arena_close(&arena);
}
END_TEST

/* Rates of gathers are elements a second; a working set is a power of two a thread, and a pass visits all of
 * its lines. */
START_TEST(gathers_are_counted_right)
{
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_error err;
    open_arena(&arena);
    for (int threads = 1; threads <= THREADS; threads++) {
        ck_assert(sp_ceiling_prepare(&run, &arena, SP_CEILING_GATHER_LOADS, 300000, threads, 2, NULL, &err) ==
                  SP_OK);
        ck_assert_int_eq(run.stream, threads == 1 ? 262144 : 131072);
        ck_assert_int_eq(run.bytes_used, 262144);
        ck_assert_double_eq(run.work, 1024.0 * threads);
        ck_assert_int_eq(sp_ceiling_gather_pass(&run), threads == 1 ? 4 : 2);
    }
    ck_assert(sp_ceiling_prepare(&run, &arena, SP_CEILING_GATHER_LOADS, ARENA, 1, 2, NULL, &err) == SP_OK);
    ck_assert_int_eq(run.stream, ARENA);
    ck_assert(sp_ceiling_prepare(&run, &arena, SP_CEILING_GATHER_LOADS, 2 * ARENA, 1, 2, NULL, &err) ==
              SP_USAGE);
    ck_assert(sp_ceiling_prepare(&run, &arena, SP_CEILING_GATHER_LOADS, 2048, 1, 2, NULL, &err) == SP_USAGE);
    sp_ceiling_arena_close(&arena);
}
END_TEST

/* A scalar, a vector and a fused loop do the stated operations; the rates are in the order that physics
 * demands. */
START_TEST(operations_are_counted_right)
{
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_error err;
    open_arena(&arena);
    static const int lanes_of[] = {2, 4, 8};
    for (int i = 0; i < N_ISAS; i++)
        for (int kind = SP_CEILING_SCALAR_F64; kind <= SP_CEILING_FMA_F32; kind++) {
            enum sp_status status =
                sp_ceiling_prepare(&run, &arena, (enum sp_ceiling_kind)kind, 0, 2, 1, isas[i], &err);
            if (absent(status, isas[i], (enum sp_ceiling_kind)kind, &err))
                continue;
            bool scalar = strcmp(sp_ceiling_kind_name((enum sp_ceiling_kind)kind), "scalar") == 0;
            bool single = strcmp(sp_ceiling_kind_precision((enum sp_ceiling_kind)kind), "f32") == 0;
            double lanes = scalar ? 1 : lanes_of[i] * (single ? 2 : 1);
            ck_assert_double_eq(run.work, 2 /* threads */ * 2 * 12 * 256 * lanes);
            struct sp_ceiling_sample sample;
            sp_ceiling_sample(&run, 10, &sample);
            ck_assert_double_eq(sample.work, 10 * run.work);
            /* Faster than 8 vector operations a cycle at 8 GHz would mean that work was optimised away. */
            double fastest = 2 * 2 * lanes * 8 * 8e9;
            ck_assert_msg(sample.work / sample.seconds < fastest, "%s %s: %g flop/s is impossible", isas[i],
                          sp_ceiling_kind_name((enum sp_ceiling_kind)kind), sample.work / sample.seconds);
        }
    sp_ceiling_arena_close(&arena);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_error err;
    open_arena(&arena);
    ck_assert_int_eq(sp_ceiling_prepare(&run, &arena, SP_CEILING_LOAD, 2 * ARENA, 1, 2, NULL, &err),
                     SP_USAGE);
    ck_assert_int_eq(sp_ceiling_prepare(&run, &arena, SP_CEILING_TRIAD, 2000, 1, 2, NULL, &err), SP_USAGE);
    ck_assert_int_eq(sp_ceiling_prepare(&run, &arena, SP_CEILING_LOAD, 65536, 1, 2, "mmx", &err), SP_ABSENT);
    ck_assert(run.memory == NULL && run.work == 0);
    sp_ceiling_arena_close(&arena);
}
END_TEST

/* The walk visits every line once before it returns. */
START_TEST(the_chase_is_one_cycle)
{
    struct sp_ceiling_arena arena;
    open_arena(&arena);
    enum { LINES = 1000 };
    bool seen[LINES] = {false};
    sp_ceiling_chase_build(&arena, LINES * 64, 7);
    int64_t position = 0;
    for (int i = 0; i < LINES; i++) {
        ck_assert(!seen[position]);
        seen[position] = true;
        ck_assert(sp_ceiling_chase(&arena, 1, &position) >= 0);
        ck_assert(position >= 0 && position < LINES);
    }
    ck_assert_int_eq(position, 0);
    sp_ceiling_arena_close(&arena);
}
END_TEST

START_TEST(calibration_reaches_its_target)
{
    struct sp_ceiling_arena arena;
    struct sp_ceiling_run run;
    struct sp_ceiling_sample sample;
    struct sp_error err;
    open_arena(&arena);
    ck_assert_int_eq(sp_ceiling_prepare(&run, &arena, SP_CEILING_LOAD, 65536, 1, 2, NULL, &err), SP_OK);
    /* On a shared machine a look of 0.1 ms may be stopped for longer than it lasts; not fifty times in a row.
     */
    int64_t n = 0;
    sample.cpu_s = 0;
    for (int i = 0; i < 50 && sample.cpu_s < 2e-4; i++) {
        n = sp_ceiling_calibrate(&run, 2e-3);
        sp_ceiling_sample(&run, n, &sample);
    }
    ck_assert_int_ge(n, 10);
    ck_assert_msg(sample.cpu_s >= 2e-4, "%g s", sample.cpu_s);
    sp_ceiling_arena_close(&arena);
}
END_TEST

/* A budget that is used up at once leaves a usable front part. */
START_TEST(a_touch_budget_is_kept)
{
    struct sp_ceiling_arena arena;
    size_t bytes = (size_t)96 << 20;
    ck_assert_int_eq(sp_ceiling_arena_open(NULL, bytes, 1, 1e-9, &arena, NULL), SP_OK);
    ck_assert(arena.bytes > 0 && arena.bytes < bytes && arena.allocated_B == bytes);
    ((char *)arena.memory)[arena.bytes - 1] = 1;
    sp_ceiling_arena_close(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ceiling");
    TCase *tc = tcase_create("ceiling");
    tcase_add_loop_test(tc, stores_are_what_the_name_says, 0, 6 * N_ISAS);
    tcase_add_loop_test(tc, gathers_load_what_the_lists_name, 0, 2 * N_ISAS);
    tcase_add_test(tc, gathers_are_counted_right);
    tcase_add_test(tc, bytes_are_counted_right);
    tcase_add_test(tc, operations_are_counted_right);
    tcase_add_test(tc, what_cannot_be_is_refused);
    tcase_add_test(tc, a_touch_budget_is_kept);
    tcase_add_test(tc, the_chase_is_one_cycle);
    tcase_add_test(tc, calibration_reaches_its_target);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
