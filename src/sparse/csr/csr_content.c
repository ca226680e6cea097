#include "sparse/csr/csr_content.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the digest is defined on little-endian arrays");

static const size_t block_bytes = 1 << 20;

/* Of arrays that were lent in another width, as if they were ours. False: no memory. */
static bool hash_copy(const struct sp_csr *a, bool columns, size_t begin, size_t bytes, uint64_t seed,
                      uint64_t *hash)
{
    void *ours = malloc(bytes);
    if (!ours)
        return false;
    if (columns)
        sp_csr_copy_columns(a, (int64_t)(begin / sizeof(int32_t)), (int64_t)(bytes / sizeof(int32_t)), ours);
    else
        sp_csr_copy_numbers(a, (int64_t)(begin / sizeof(double)), (int64_t)(bytes / sizeof(double)), ours);
    *hash = sp_hash64(ours, bytes, seed);
    free(ours);
    return true;
}

enum sp_status sp_csr_digest(const struct sp_csr *a, int n_threads, char hex[65], struct sp_error *err)
{
    size_t value_bytes = sp_csr_is_complex(a) ? 2 * sizeof(double) : sizeof(double);
    const struct {
        const void *data;
        size_t bytes;
    } arrays[3] = {{a->row_ptr, (size_t)(a->n_r + 1) * sizeof *a->row_ptr},
                   {a->col, (size_t)a->n_nz * sizeof *a->col},
                   {a->val, (size_t)a->n_nz * value_bytes}};
    hex[0] = '\0';
    struct sp_sha256 sha;
    char line[128];
    sp_sha256_start(&sha);
    int length = snprintf(line, sizeof line, "spmodel.csr/1 %lld %lld %lld %s\n", (long long)a->n_r,
                          (long long)a->n_c, (long long)a->n_nz, sp_csr_is_complex(a) ? "complex" : "real");
    sp_sha256_add(&sha, line, (size_t)length);
    for (int k = 0; k < 3; k++) {
        int64_t n_blocks = (int64_t)((arrays[k].bytes + block_bytes - 1) / block_bytes);
        void *p;
        enum sp_status status = sp_new_array(n_blocks, sizeof(uint64_t), "block hashes", &p, err);
        if (status != SP_OK)
            return status;
        uint64_t *hash = p;
        bool failed = false;
#pragma omp parallel for schedule(static) num_threads(n_threads < 1 ? 1 : n_threads) if (n_blocks > 4)
        for (int64_t b = 0; b < n_blocks; b++) {
            size_t begin = (size_t)b * block_bytes, left = arrays[k].bytes - begin;
            const size_t bytes = left < block_bytes ? left : block_bytes;
            if (arrays[k].data)
                hash[b] = sp_hash64((const char *)arrays[k].data + begin, bytes, (uint64_t)b);
            else if (!hash_copy(a, k == 1, begin, bytes, (uint64_t)b, &hash[b]))
#pragma omp atomic write
                failed = true;
        }
        sp_sha256_add(&sha, hash, (size_t)n_blocks * sizeof *hash);
        free(hash);
        if (failed)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for hashing");
    }
    sp_sha256_finish(&sha, hex);
    return SP_OK;
}

/* a[k] = +-a[m] or its conjugate; two NaNs are alike. */
static bool alike(double x, double y)
{
    return x == y || (x != x && y != y);
}

static bool mirrored(const struct sp_csr *a, int64_t k, int64_t m)
{
    double sign = a->symmetry == SP_SKEW_SYMMETRIC ? -1 : 1;
    if (!sp_csr_is_complex(a))
        return alike(sp_csr_number(a, k), sign * sp_csr_number(a, m));
    double sign_im = a->symmetry == SP_HERMITIAN ? -1 : sign;
    return alike(a->val[2 * k], sign * a->val[2 * m]) &&
           alike(a->val[2 * k + 1], sign_im * a->val[2 * m + 1]);
}

enum sp_status sp_csr_symmetry_holds(const struct sp_csr *a, bool *holds, struct sp_error *err)
{
    *holds = false;
    if (a->symmetry == SP_GENERAL || a->n_r != a->n_c)
        return SP_OK;
    void *p;
    enum sp_status status = sp_new_array(a->n_r, sizeof(int64_t), "positions in the upper triangle", &p, err);
    if (status != SP_OK)
        return status;
    /* next[j]: the entry of row j in the upper triangle that the next lower entry of column j must
     * mirror; rows are walked in order and columns ascend, so it only moves forward. */
    int64_t *next = p, n_lower = 0, n_upper = 0;
    bool ok = true;
    for (int64_t i = 0; i < a->n_r && ok; i++) {
        int64_t k = a->row_ptr[i], end = a->row_ptr[i + 1];
        for (; k < end && sp_csr_col(a, k) < i && ok; k++, n_lower++) {
            int32_t j = sp_csr_col(a, k);
            ok = next[j] < a->row_ptr[j + 1] && sp_csr_col(a, next[j]) == i && mirrored(a, k, next[j]);
            next[j]++;
        }
        if (k < end && sp_csr_col(a, k) == i) {
            ok = ok && a->symmetry != SP_SKEW_SYMMETRIC;
            k++;
        }
        next[i] = k;
        n_upper += end - k;
    }
    free(next);
    *holds = ok && n_lower == n_upper;
    return SP_OK;
}

static bool is_zero(const struct sp_csr *a, int64_t j)
{
    return sp_csr_is_complex(a) ? a->val[2 * j] == 0 && a->val[2 * j + 1] == 0 : sp_csr_number(a, j) == 0;
}

static int64_t count_zeros(const struct sp_csr *a)
{
    int64_t n = 0;
#pragma omp parallel for schedule(static) reduction(+ : n)
    for (int64_t j = 0; j < a->n_nz; j++)
        n += is_zero(a, j);
    return n;
}

static void copy_row(const struct sp_csr *a, int64_t i, struct sp_csr *to)
{
    const size_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
    size_t at = (size_t)to->row_ptr[i];
    for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++) {
        if (is_zero(a, j))
            continue;
        to->col[at] = sp_csr_col(a, j);
        sp_csr_copy_numbers(a, (int64_t)per_entry * j, (int64_t)per_entry, to->val + per_entry * at);
        at++;
    }
}

enum sp_status sp_csr_drop_zeros(struct sp_csr *a, int64_t *n_dropped, struct sp_error *err)
{
    struct sp_csr kept;
    *n_dropped = count_zeros(a);
    if (*n_dropped == 0)
        return SP_OK;
    enum sp_status status = sp_csr_take_rows(a->n_r, a->n_c, a->field, a->allocator, &kept, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t n = 0;
        for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++)
            n += !is_zero(a, j);
        kept.row_ptr[i + 1] = n;
    }
    status = sp_csr_take_entries(&kept, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->n_r; i++)
        copy_row(a, i, &kept);
    kept.symmetry = a->symmetry;
    kept.n_duplicates = a->n_duplicates;
    sp_csr_free(a);
    *a = kept;
    return SP_OK;
}

/* Squares of numbers in the range of f32 and far below it then neither over- nor underflow. */
static const double SCALE = 0x1p300;

void sp_rounding_of(const struct sp_csr *a, struct sp_rounding *r)
{
    const int64_t n = sp_csr_is_complex(a) ? 2 * a->n_nz : a->n_nz;
    int64_t n_changed = 0;
    double largest = 0, change = 0, all = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_changed, change, all) reduction(max : largest)
    for (int64_t k = 0; k < n; k++) {
        const double value = sp_csr_number(a, k);
        if (!isfinite(value))
            continue;
        /* from half a unit in the last place beyond the largest number on it rounds to infinity */
        const double stored = fabs(value) < 0x1.ffffffp127 ? (double)(float)value : copysign(INFINITY, value);
        const double difference = fabs(stored - value);
        n_changed += difference > 0;
        all += SCALE * value * (SCALE * value);
        change += SCALE * difference * (SCALE * difference);
        if (difference > 0)
            largest = fmax(largest, difference / fabs(value));
    }
    double normwise = all > 0 ? sqrt(change / all) : 0;
    *r = (struct sp_rounding){n_changed, largest, isinf(largest) ? INFINITY : normwise};
}

int64_t sp_csr_row_of(const struct sp_csr *a, int64_t k)
{
    int64_t low = 0, high = a->n_r; /* row_ptr[low] <= k < row_ptr[high] */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (a->row_ptr[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Entries from which on threads pay. */
enum { MANY = 1 << 16 };

enum sp_field sp_csr_plainest_field(const struct sp_csr *a)
{
    if (a->field == SP_FIELD_COMPLEX || a->field == SP_FIELD_REAL)
        return a->field;
    bool ones = true, integers = true;
#pragma omp parallel for schedule(static) reduction(&& : ones, integers) if (a->n_nz > MANY)
    for (int64_t k = 0; k < a->n_nz; k++) {
        double x = sp_csr_number(a, k);
        ones = ones && x == 1;
        integers = integers && x == trunc(x) && x >= -0x1p63 && x < 0x1p63 && !(x == 0 && signbit(x));
    }
    if (a->field == SP_FIELD_PATTERN && ones)
        return SP_FIELD_PATTERN;
    return integers ? SP_FIELD_INTEGER : SP_FIELD_REAL;
}
