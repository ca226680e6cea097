/* CRS with vectors, x by gather instructions or by scalar loads; compiled for each instruction set
 * that has them. Which width suits: spmv_cpu.h. */
#include <string.h>

#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

#if SP_LEVEL >= 2
#define NARROW_f64 4
#define WIDE_f64   8
#define NARROW_f32 8
#define WIDE_f32   16
/* Entries of a row that is short. */
enum { MOST_SHORT = 16, MOST_BESIDE = 0 };
#else
#define WIDE_f64 4
#define WIDE_f32 8
/* Entries of a row in the mean of a line whose rows are short, and those of a row that are added
 * beside other rows'. */
enum { MOST_SHORT = 12, MOST_BESIDE = 16 };
#endif

/* Products that the first-level cache keeps well beside the rest. */
enum { MOST_STAGED = 512 };

/* The lengths of eight rows. */
static ALWAYS_INLINE __m256i row_lengths(const struct sp_spmv_args *a, int64_t i)
{
    if (a->wide_ptr) {
        const int64_t *ptr = (const int64_t *)a->ptr + i;
        int32_t len[8];
        for (int r = 0; r < 8; r++)
            len[r] = ptr[r + 1] - ptr[r] < INT32_MAX ? (int32_t)(ptr[r + 1] - ptr[r]) : INT32_MAX;
        return _mm256_loadu_si256((const __m256i *)len);
    }
    const int32_t *ptr = (const int32_t *)a->ptr + i;
    return _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(ptr + 1)),
                            _mm256_loadu_si256((const __m256i *)ptr));
}

#if SP_LEVEL < 2
/* Where eight rows begin, counted from the entry `from`, less than 2^31 before them. */
static ALWAYS_INLINE __m256i row_starts(const struct sp_spmv_args *a, int64_t i, int64_t from)
{
    if (a->wide_ptr) {
        int32_t at[8];
        for (int r = 0; r < 8; r++)
            at[r] = (int32_t)(((const int64_t *)a->ptr)[i + r] - from);
        return _mm256_loadu_si256((const __m256i *)at);
    }
    const __m256i ptr = _mm256_loadu_si256((const __m256i *)((const int32_t *)a->ptr + i));
    return _mm256_sub_epi32(ptr, _mm256_set1_epi32((int32_t)from));
}
#endif

/* Are all words of a vector 0? Its size is a constant: at most 16 indices of 8 bytes. */
static ALWAYS_INLINE bool is_zero(const void *vector, size_t size)
{
    uint64_t word[16], any = 0;
    memcpy(word, vector, size);
#pragma GCC unroll 16
    for (size_t k = 0; k < size / sizeof *word; k++)
        any |= word[k];
    return any == 0;
}

#define WITH_MIXED
#define WITH_D16
#define BODY "kernels/cpu/spmv/crs.inc"
#define W    4
#include "kernels/cpu/types.inc"
#undef W
#define W 8
#include "kernels/cpu/types.inc"
#undef W
#define W 16
#include "kernels/cpu/types.inc"
#undef W

/* Complex values, two entries a vector: with a = (a_r, a_i) and x = (x_r, x_i) the sums of (a_r
 * x_r, a_i x_r) and (a_r x_i, a_i x_i) are kept, and combined once a row. `wide` is a constant. */
static ALWAYS_INLINE int64_t complex_col(const void *col, const bool wide)
{
    return wide ? *(const int64_t *)col : *(const int32_t *)col;
}

static ALWAYS_INLINE __m128d complex_row(const double *val, const void *col_, const double *x, int64_t n,
                                         const bool wide)
{
    const char *col = col_;
    const int64_t index_B = wide ? sizeof(int64_t) : sizeof(int32_t);
    __m256d by_real = _mm256_setzero_pd(), by_imaginary = _mm256_setzero_pd();
    for (; n >= 2; n -= 2, val += 4, col += 2 * index_B) {
        __builtin_prefetch((const char *)val + PREFETCH_VALUE_B, 0, 3);
        __m256d a = _mm256_loadu_pd(val);
        __m256d b = _mm256_set_m128d(_mm_loadu_pd(x + 2 * complex_col(col + index_B, wide)),
                                     _mm_loadu_pd(x + 2 * complex_col(col, wide)));
        by_real = _mm256_fmadd_pd(a, _mm256_movedup_pd(b), by_real);
        by_imaginary = _mm256_fmadd_pd(a, _mm256_permute_pd(b, 15), by_imaginary);
    }
    __m128d real = _mm_add_pd(_mm256_castpd256_pd128(by_real), _mm256_extractf128_pd(by_real, 1));
    __m128d imaginary =
        _mm_add_pd(_mm256_castpd256_pd128(by_imaginary), _mm256_extractf128_pd(by_imaginary, 1));
    if (n > 0) {
        __m128d a = _mm_loadu_pd(val), b = _mm_loadu_pd(x + 2 * complex_col(col, wide));
        real = _mm_fmadd_pd(a, _mm_movedup_pd(b), real);
        imaginary = _mm_fmadd_pd(a, _mm_unpackhi_pd(b, b), imaginary);
    }
    return _mm_addsub_pd(real, _mm_shuffle_pd(imaginary, imaginary, 1));
}

static ALWAYS_INLINE void complex_rows(const struct sp_spmv_args *a, int64_t first, int64_t end, int64_t from,
                                       const bool wide)
{
    const double *val = a->val, *x = a->x;
    const char *col = a->col;
    const int64_t index_B = wide ? sizeof(int64_t) : sizeof(int32_t);
    double *y = a->y;
    for (int64_t i = first; i < end; i++) {
        int64_t next = sp_spmv_pointer(a, a->ptr, i + 1);
        __m128d sum = complex_row(val + 2 * from, col + from * index_B, x, next - from, wide);
        if (a->store_nt)
            _mm_stream_pd(y + 2 * i, sum);
        else
            _mm_store_pd(y + 2 * i, sum);
        from = next;
    }
    if (a->store_nt)
        STORE_FENCE();
}

SP_SPMV_UNITS(complex_rows_i32, complex_rows, false)
SP_SPMV_UNITS(complex_rows_i64, complex_rows, true)

static void complex_part_i32(const struct sp_spmv_args *a, int64_t from, int64_t to, void *sum)
{
    _mm_storeu_pd(sum, complex_row((const double *)a->val + 2 * from, (const int32_t *)a->col + from, a->x,
                                   to - from, false));
}
static void complex_part_i64(const struct sp_spmv_args *a, int64_t from, int64_t to, void *sum)
{
    _mm_storeu_pd(sum, complex_row((const double *)a->val + 2 * from, (const int64_t *)a->col + from, a->x,
                                   to - from, true));
}

#define BODIES(kind, width, index) SP_PASTE3(SP_PASTE3(bodies_, kind, x), width, _##index)
#define INDICES(kind, width)                                                                                 \
    {                                                                                                        \
        BODIES(kind, width, i32), BODIES(kind, width, i64), BODIES(kind, width, d16)                         \
    }

static ALWAYS_INLINE struct sp_spmv_body select_body(const struct sp_layout *l, bool gather)
{
    typedef const struct sp_spmv_body(*bodies)[2];
    static const bodies of[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = INDICES(f64, WIDE_f64),
        [SP_F32] = INDICES(f32, WIDE_f32),
        [SP_MIXED] = INDICES(mixed, WIDE_f64),
    };
    static const struct sp_spmv_body complex[] = {
        {.units = complex_rows_i32, .partial = complex_part_i32, .can_store_nt = true},
        {.units = complex_rows_i64, .partial = complex_part_i64, .can_store_nt = true},
    };
    if (l->precision == SP_C128)
        return complex[l->index == SP_I64];
    return of[l->precision][l->index][gather][l->prefetch > 0];
}

static struct sp_spmv_body select_gather(const struct sp_layout *l)
{
    return select_body(l, true);
}
static struct sp_spmv_body select_loads(const struct sp_layout *l)
{
    return select_body(l, false);
}

enum sp_status OF_ISA(sp_crs_gather)(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_gather, state, err);
}
enum sp_status OF_ISA(sp_crs_loads)(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select_loads, state, err);
}
