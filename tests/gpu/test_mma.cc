/* Products of matrix units against a plain product, every element of every shape, and copies into shared
 * memory that are on their way: where fragments lie is written down here once more, from the PTX ISA. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "executor.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/gpu_mma.h"
#include "kernels/cuda/gpu_runtime.h"

namespace
{

enum shape { F16, BF16, TF32, F64, N_SHAPES };

constexpr int MOST_K = 16, N = 8;

const struct {
    int M, K;
} shapes[N_SHAPES] = {{16, 16}, {16, 16}, {16, 8}, {8, 4}};

/* Small whole numbers, all different in A and in B; sums that stay exact. */
double a_at(int m, int k)
{
    return m * MOST_K + k - 100;
}
double b_at(int k, int n)
{
    return (k * N + n) * (n % 2 ? -1 : 1) + 3;
}
double c_at(int m, int n)
{
    return 1000 * m + n;
}

struct args {
    double *d; /* [32][4] of the lanes */
    int shape;
};

uint32_t both(int shape, double low, double high)
{
    const auto bits = [shape](double v) {
        return (uint32_t)(shape == F16 ? gpu::rounded<gpu::f16>((float)v).bits
                                       : gpu::rounded<gpu::bf16>((float)v).bits);
    };
    return bits(low) | bits(high) << 16;
}

struct product_body {
    template <class Sum, int n> static void start(Sum (&d)[n])
    {
        const int g = gpu::lane() >> 2, t = gpu::lane() & 3;
        const int rows[4] = {g, g, g + 8, g + 8}, columns[4] = {2 * t, 2 * t + 1, 2 * t, 2 * t + 1};
        for (int i = 0; i < n; i++)
            d[i] = (Sum)c_at(rows[i], columns[i]);
    }
    template <class Sum, int n> static void keep(const args &a, const Sum (&d)[n])
    {
        for (int i = 0; i < n; i++)
            gpu::store(a.d + 4 * gpu::lane() + i, (double)d[i]);
    }

    template <class V> static void run_16bit(const args &a)
    {
        const int g = gpu::lane() >> 2, t = gpu::lane() & 3, s = a.shape;
        const uint32_t left[4] = {both(s, a_at(g, 2 * t), a_at(g, 2 * t + 1)),
                                  both(s, a_at(g + 8, 2 * t), a_at(g + 8, 2 * t + 1)),
                                  both(s, a_at(g, 2 * t + 8), a_at(g, 2 * t + 9)),
                                  both(s, a_at(g + 8, 2 * t + 8), a_at(g + 8, 2 * t + 9))};
        const uint32_t right[2] = {both(s, b_at(2 * t, g), b_at(2 * t + 1, g)),
                                   both(s, b_at(2 * t + 8, g), b_at(2 * t + 9, g))};
        float d[4];
        start(d);
        gpu::mma_16bit<V>(d, left, right);
        keep(a, d);
    }
    static void run_tf32(const args &a)
    {
        const int g = gpu::lane() >> 2, t = gpu::lane() & 3;
        const uint32_t left[4] = {gpu::tf32_of((float)a_at(g, t)), gpu::tf32_of((float)a_at(g + 8, t)),
                                  gpu::tf32_of((float)a_at(g, t + 4)),
                                  gpu::tf32_of((float)a_at(g + 8, t + 4))};
        const uint32_t right[2] = {gpu::tf32_of((float)b_at(t, g)), gpu::tf32_of((float)b_at(t + 4, g))};
        float d[4];
        start(d);
        gpu::mma_tf32(d, left, right);
        keep(a, d);
    }
    static void run_f64(const args &a)
    {
        const int g = gpu::lane() >> 2, t = gpu::lane() & 3;
        double d[2];
        start(d);
        gpu::mma_f64(d, a_at(g, t), b_at(t, g));
        keep(a, d);
    }

    static void run(const args &a)
    {
        switch (a.shape) {
        case F16:
            run_16bit<gpu::f16>(a);
            break;
        case BF16:
            run_16bit<gpu::bf16>(a);
            break;
        case TF32:
            run_tf32(a);
            break;
        default:
            run_f64(a);
        }
    }
};

double expected(int shape, int m, int n)
{
    double sum = c_at(m, n);
    for (int k = 0; k < shapes[shape].K; k++)
        sum += a_at(m, k) * b_at(k, n);
    return sum;
}

} // namespace

/* The lane and the place that hold an element of D, from the element. */
START_TEST(products_are_plain_products)
{
    args a = {nullptr, _i};
    void *p;
    double d[32][4];
    ck_assert_int_eq(sp_gpu_alloc(sizeof d, "sums", &p, nullptr), SP_OK);
    a.d = (double *)p;
    for (uint64_t seed = 0; seed < 3; seed++) {
        sp_executor_table()->seed(seed);
        ck_assert_int_eq(start_grid<product_body>(1, 32, 0, &a), 0);
        ck_assert_int_eq(sp_gpu_copy_out(d, a.d, sizeof d, nullptr), SP_OK);
        for (int m = 0; m < shapes[_i].M; m++)
            for (int n = 0; n < N; n++) {
                const double got = d[m % 8 * 4 + n / 2][n % 2 + m / 8 * 2];
                ck_assert_msg(got == expected(_i, m, n), "shape %d, (%d, %d): %g, not %g", _i, m, n, got,
                              expected(_i, m, n));
            }
    }
    sp_gpu_free(a.d);
}
END_TEST

START_TEST(numbers_are_rounded_to_tf32)
{
    ck_assert(gpu::float_of(gpu::tf32_of(1.0f)) == 1.0f);
    ck_assert(gpu::float_of(gpu::tf32_of(1.0f + 0x1p-11f)) == 1.0f + 0x1p-10f); /* ties away from zero */
    ck_assert(gpu::float_of(gpu::tf32_of(-1.0f - 0x1.8p-12f)) == -1.0f);
    ck_assert(isinf(gpu::float_of(gpu::tf32_of(INFINITY))));
    ck_assert(isnan(gpu::float_of(gpu::tf32_of(NAN))));
}
END_TEST

namespace
{

enum mode { RIGHT, EARLY, HASTY, OVER, UNALIGNED, N_MODES };

const char *const faults[N_MODES] = {nullptr, "a copy is on its way", "without a barrier",
                                     "a copy is on its way", "no multiple of 16"};

/* A warp's two rounds of 16 bytes for each lane, each lane then reads its neighbour's. */
struct copy_body {
    static void run(const args &a)
    {
        float *s = gpu::shared<float>(0);
        const float *from = (const float *)a.d;
        const int l = gpu::lane(), next = (l + 1) % 32, slip = a.shape == UNALIGNED ? 1 : 0;
        gpu::copy_async(s + 4 * l + slip, from + 4 * l, true);
        gpu::copies_end();
        gpu::copy_async(s + 128 + 4 * l, from, false);
        if (a.shape == OVER)
            gpu::copy_async(s + 4 * l, from, true);
        gpu::copies_end();
        if (a.shape != EARLY)
            gpu::copies_wait<1>();
        if (a.shape != HASTY)
            gpu::warp_sync();
        const float first = gpu::get(s + 4 * next + 3);
        gpu::copies_wait<0>();
        gpu::warp_sync();
        const float second = gpu::get(s + 128 + 4 * next);
        gpu::store((float *)a.d + 256 + l, first + second);
    }
};

} // namespace

START_TEST(copies_are_waited_for)
{
    args a = {nullptr, _i};
    void *p;
    sp_error err = {};
    float numbers[288];
    for (int i = 0; i < 288; i++)
        numbers[i] = (float)i;
    ck_assert_int_eq(sp_gpu_alloc(sizeof numbers, "numbers", &p, nullptr), SP_OK);
    ck_assert_int_eq(sp_gpu_copy_in(p, numbers, sizeof numbers, nullptr), SP_OK);
    a.d = (double *)p;
    const enum sp_status status =
        sp_gpu_check(start_grid<copy_body>(1, 32, 256 * sizeof(float), &a), "running", &err);
    ck_assert_int_eq(sp_gpu_copy_out(numbers, a.d, sizeof numbers, nullptr), SP_OK);
    if (faults[_i])
        ck_assert_msg(status != SP_OK && strstr(err.what, faults[_i]), "mode %d: '%s'", _i, err.what);
    for (int l = 0; l < 32 && !faults[_i]; l++)
        ck_assert_msg(numbers[256 + l] == (float)(4 * ((l + 1) % 32) + 3), "lane %d", l);
    sp_gpu_free(a.d);
}
END_TEST

/* Four matrices of 8 x 8 numbers, transposed. */
namespace
{

struct matrices_body {
    static void run(const args &a)
    {
        uint16_t *s = gpu::shared<uint16_t>(0);
        uint32_t four[4], two[2];
        const int l = gpu::lane();
        for (int i = 0; i < 8; i++)
            gpu::put(s + 8 * l + i, (uint16_t)(8 * l + i));
        gpu::warp_sync();
        gpu::matrices_transposed(four, s + 8 * l);
        gpu::matrices_transposed(two, s + 128 + 8 * (l % 16));
        for (int i = 0; i < 4; i++)
            gpu::store((uint32_t *)a.d + 6 * l + i, four[i]);
        for (int i = 0; i < 2; i++)
            gpu::store((uint32_t *)a.d + 6 * l + 4 + i, two[i]);
    }
};

} // namespace

START_TEST(matrices_are_transposed)
{
    args a = {nullptr, 0};
    void *p;
    uint32_t parts[32][6];
    ck_assert_int_eq(sp_gpu_alloc(sizeof parts, "parts", &p, nullptr), SP_OK);
    a.d = (double *)p;
    ck_assert_int_eq(start_grid<matrices_body>(1, 32, 512, &a), 0);
    ck_assert_int_eq(sp_gpu_copy_out(parts, a.d, sizeof parts, nullptr), SP_OK);
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 6; i++) {
            const int matrix = i < 4 ? i : i - 2, row = 2 * (l & 3), column = l >> 2;
            const uint32_t low = (uint32_t)(64 * matrix + 8 * row + column), high = low + 8;
            ck_assert_uint_eq(parts[l][i], low | high << 16);
        }
    sp_gpu_free(a.d);
}
END_TEST

int main()
{
    Suite *suite = suite_create("mma");
    TCase *tcase = tcase_create("mma");
    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, products_are_plain_products, 0, N_SHAPES);
    tcase_add_test(tcase, numbers_are_rounded_to_tf32);
    tcase_add_loop_test(tcase, copies_are_waited_for, 0, N_MODES);
    tcase_add_test(tcase, matrices_are_transposed);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
