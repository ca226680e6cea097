/* The executor finds what it is there to find: each of these bodies is wrong in one way, or right. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "kernels/cuda/gpu_body.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/gpu_runtime.h"

namespace
{

struct args {
    double *a;
    int64_t n;
    int mode;
};

enum mode {
    RIGHT,
    BEYOND,     /* reads behind the array */
    NOWHERE,    /* reads what is no array */
    TWICE,      /* two threads store one element */
    STORED,     /* loads what the grid stores */
    FOREIGN,    /* loads again what it did not store */
    RACE_WRITE, /* two threads write one word of shared memory */
    RACE_READ,  /* a thread reads what another writes, no barrier between */
    RACE_LATE,  /* a thread writes what another has read, no barrier between */
    RACE_WARPS, /* only a barrier of the warp between threads of two warps */
    OUT_OF_SHARED,
    SPLIT,        /* reads a pair of numbers that is not at a multiple of its size */
    HALF_BARRIER, /* half of the block never comes to the barrier */
    TWO_BARRIERS, /* the block's halves wait at different ones */
    HALF_EXCHANGE,
    N_MODES
};

const char *const expected[N_MODES] = {
    nullptr,
    "which has",
    "no array",
    "store the same element",
    "loads what the grid stores",
    "loads what another thread stores",
    "write a word of shared memory",
    "reads a word of shared memory that another thread wrote",
    "writes a word of shared memory that another thread reads",
    "reads a word of shared memory that another thread wrote",
    "outside shared memory",
    "no multiple of the size",
    "have ended while others wait",
    "different barriers",
    "have ended while others wait",
};

struct wrong_body {
    static void shared_races(const args &a)
    {
        double *s = gpu::shared<double>(0);
        const int t = gpu::thread(), other = (t + 1) % gpu::block_threads();
        if (a.mode == RACE_LATE)
            gpu::get(s + other);
        if (a.mode != RACE_READ || t == 0)
            gpu::put(s + (a.mode == RACE_WRITE ? 0 : t), (double)t);
        if (a.mode == RACE_WARPS)
            gpu::warp_sync();
        else if (a.mode != RACE_READ)
            gpu::block_sync();
        gpu::get(s + (a.mode == RACE_READ ? 0 : other));
    }

    static void run(const args &a)
    {
        const int t = gpu::thread();
        switch (a.mode) {
        case BEYOND:
            gpu::load(a.a + t + 1);
            break;
        case NOWHERE:
            gpu::load((const double *)((uintptr_t)t * sizeof(double)));
            break;
        case TWICE:
            gpu::store(a.a + t / 2, 1.0);
            break;
        case STORED:
            gpu::store(a.a + t, 1.0);
            gpu::load(a.a + t);
            break;
        case FOREIGN:
            gpu::store(a.a + t, 1.0);
            gpu::reload(a.a + t);
            gpu::reload(a.a + (t + 1) % gpu::block_threads());
            break;
        case SPLIT:
            gpu::get((const gpu::pack<double, 2> *)(gpu::shared<double>(0) + 1));
            break;
        case OUT_OF_SHARED:
            gpu::put(gpu::shared<double>(0) + t + 1, 1.0);
            break;
        case HALF_BARRIER:
            if (t < 32)
                gpu::block_sync();
            break;
        case TWO_BARRIERS:
            if (t < 32)
                gpu::block_sync();
            else
                gpu::block_sync();
            break;
        case HALF_EXCHANGE:
            if (t % 32 < 16)
                gpu::from_above(t, 1, 32);
            break;
        default:
            shared_races(a);
        }
    }
};

/* Each lane's value summed up over its warp, each warp's over the block. */
struct sum_body {
    static void run(const args &a)
    {
        double *s = gpu::shared<double>(0);
        double sum = gpu::load(a.a + gpu::thread());
        for (int by = 16; by > 0; by /= 2)
            sum += gpu::from_above(sum, by, 32);
        if (gpu::lane() == 0)
            gpu::put(s + gpu::thread() / 32, sum);
        gpu::block_sync();
        if (gpu::thread() > 0)
            return;
        const double first = gpu::get(s);
        const double second = gpu::get(s + 1);
        gpu::store(a.a, first + second);
    }
};

constexpr int THREADS = 64;

args make_args(int mode)
{
    args a = {nullptr, THREADS, mode};
    void *p;
    double ones[THREADS];
    for (int i = 0; i < THREADS; i++)
        ones[i] = i;
    ck_assert_int_eq(sp_gpu_alloc(sizeof ones, "numbers", &p, nullptr), SP_OK);
    ck_assert_int_eq(sp_gpu_copy_in(p, ones, sizeof ones, nullptr), SP_OK);
    a.a = (double *)p;
    return a;
}

} // namespace

START_TEST(faults_are_found)
{
    args a = make_args(_i);
    int number = start_grid<wrong_body>(1, THREADS, THREADS * sizeof(double), &a);
    sp_error err = {};
    enum sp_status status = sp_gpu_check(number, "running", &err);
    if (!expected[_i])
        ck_assert_msg(status == SP_OK, "%s", err.what);
    else
        ck_assert_msg(status != SP_OK && strstr(err.what, expected[_i]), "mode %d: '%s'", _i, err.what);
    sp_gpu_free(a.a);
}
END_TEST

START_TEST(exchanges_sum_up)
{
    args a = make_args(RIGHT);
    double sum;
    sp_executor_table()->seed((uint64_t)_i);
    ck_assert_int_eq(start_grid<sum_body>(1, THREADS, 2 * sizeof(double), &a), 0);
    ck_assert_int_eq(sp_gpu_copy_out(&sum, a.a, sizeof sum, nullptr), SP_OK);
    ck_assert(sum == THREADS * (THREADS - 1) / 2);
    sp_gpu_free(a.a);
}
END_TEST

START_TEST(geometry_is_limited)
{
    args a = make_args(RIGHT);
    ck_assert_int_ne(start_grid<sum_body>(0, THREADS, 16, &a), 0);
    ck_assert_int_ne(start_grid<sum_body>(1, 33, 16, &a), 0);
    ck_assert_int_ne(start_grid<sum_body>(1, 2048, 16, &a), 0);
    ck_assert_int_ne(start_grid<sum_body>(1, THREADS, SP_GPU_SHARED_MOST_B + 1, &a), 0);
    sp_gpu_free(a.a);
}
END_TEST

int main()
{
    Suite *suite = suite_create("executor");
    TCase *tcase = tcase_create("executor");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, faults_are_found, 0, N_MODES);
    tcase_add_loop_test(tcase, exchanges_sum_up, 0, 5);
    tcase_add_test(tcase, geometry_is_limited);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
