#include "sparse/csr/csr.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "sparse/csr/sort.h"

const char *sp_field_name(enum sp_field field)
{
    static const char *const names[] = {"real", "integer", "pattern", "complex"};
    return names[field];
}

const char *sp_symmetry_name(enum sp_symmetry symmetry)
{
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    return names[symmetry];
}

static int64_t values_per_entry(enum sp_field field)
{
    return field == SP_FIELD_COMPLEX ? 2 : 1;
}

double sp_csr_bytes(int64_t n_r, int64_t n_nz, enum sp_field field)
{
    return (double)(n_r + 1) * sizeof(int64_t) +
           (double)n_nz * (sizeof(int32_t) + (double)values_per_entry(field) * sizeof(double));
}

/* col and val of n_nz entries; on failure *a is freed and zeroed. */
static enum sp_status alloc_entries(struct sp_csr *a, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(a->allocator, a->n_nz, sizeof *a->col, "column indices", &p, err);
    a->col = p;
    if (status == SP_OK) {
        status = sp_large_alloc(a->allocator, a->n_nz * values_per_entry(a->field), sizeof *a->val, "values",
                                &p, err);
        a->val = p;
    }
    if (status != SP_OK)
        sp_csr_free(a);
    return status;
}

enum sp_status sp_csr_take_rows(int64_t n_r, int64_t n_c, enum sp_field field,
                                const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    memset(a, 0, sizeof *a);
    void *p;
    enum sp_status status = sp_large_alloc(allocator, n_r + 1, sizeof *a->row_ptr, "row pointers", &p, err);
    if (status != SP_OK)
        return status;
    a->n_r = n_r;
    a->n_c = n_c;
    a->field = field;
    a->allocator = allocator;
    a->row_ptr = p;
    a->row_ptr[0] = 0;
    return SP_OK;
}

enum sp_status sp_csr_take_entries(struct sp_csr *a, struct sp_error *err)
{
    sp_prefix_sum(a->row_ptr, a->n_r);
    a->n_nz = a->row_ptr[a->n_r];
    return alloc_entries(a, err);
}

enum sp_status sp_csr_alloc(int64_t n_r, int64_t n_c, int64_t n_nz, enum sp_field field,
                            const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    enum sp_status status = sp_csr_take_rows(n_r, n_c, field, allocator, a, err);
    if (status != SP_OK)
        return status;
    a->n_nz = n_nz;
    return alloc_entries(a, err);
}

void sp_csr_free(struct sp_csr *a)
{
    if (!a)
        return;
    sp_large_free(a->allocator, a->row_ptr, a->n_r + 1, sizeof *a->row_ptr);
    sp_large_free(a->allocator, a->col, a->n_nz, sizeof *a->col);
    sp_large_free(a->allocator, a->val, a->n_nz * values_per_entry(a->field), sizeof *a->val);
    memset(a, 0, sizeof *a);
}

enum sp_status sp_csr_check(const struct sp_csr *a, struct sp_error *err)
{
    if (a->n_r < 0 || a->n_c < 0 || a->n_r > SP_MAX_DIMENSION || a->n_c > SP_MAX_DIMENSION || a->n_nz < 0)
        return sp_fail(err, SP_BUG, NULL, "sizes %lld x %lld, %lld entries are out of range",
                       (long long)a->n_r, (long long)a->n_c, (long long)a->n_nz);
    if (a->row_ptr[0] != 0 || a->row_ptr[a->n_r] != a->n_nz)
        return sp_fail(err, SP_BUG, NULL, "row pointers run from %lld to %lld, not from 0 to %lld",
                       (long long)a->row_ptr[0], (long long)a->row_ptr[a->n_r], (long long)a->n_nz);
    int64_t bad_row = INT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad_row) if (a->n_nz > 1 << 16)
    for (int64_t i = 0; i < a->n_r; i++) {
        int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1];
        int64_t last = -1;
        if (begin < 0 || end < begin || end > a->n_nz) {
            bad_row = i < bad_row ? i : bad_row;
            continue;
        }
        for (int64_t j = begin; j < end; j++) {
            if (sp_csr_col(a, j) <= last || sp_csr_col(a, j) >= a->n_c) {
                bad_row = i < bad_row ? i : bad_row;
                break;
            }
            last = sp_csr_col(a, j);
        }
    }
    if (bad_row != INT64_MAX)
        return sp_fail(err, SP_BUG, NULL,
                       "row %lld: pointers descend, or a column is out of range or out of order",
                       (long long)bad_row + 1);
    return SP_OK;
}

static int compare_columns(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

enum sp_status sp_csr_fold(const struct sp_csr *a, int64_t first, int64_t n_rows, int64_t window,
                           struct sp_csr *folded, struct sp_error *err)
{
    int64_t begin = a->row_ptr[first], n = a->row_ptr[first + n_rows] - begin;
    int64_t n_c = a->n_c < window ? a->n_c : window;
    enum sp_status status = sp_csr_alloc(n_rows, n_c, n, a->field, NULL, folded, err);
    if (status != SP_OK)
        return status;
    folded->symmetry = SP_GENERAL;
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t from = a->row_ptr[first + i] - begin, to = a->row_ptr[first + i + 1] - begin;
        folded->row_ptr[i + 1] = to;
        for (int64_t j = from; j < to; j++)
            folded->col[j] = (int32_t)(sp_csr_col(a, begin + j) % n_c);
        if (to > from)
            sp_sort_by(folded->col + from, (to - from), sizeof *folded->col, compare_columns);
    }
    sp_csr_copy_numbers(a, begin * values_per_entry(a->field), n * values_per_entry(a->field), folded->val);
    return SP_OK;
}

void sp_csr_copy_columns(const struct sp_csr *a, int64_t first, int64_t n, int32_t *to)
{
    if (n > 0 && a->col)
        memcpy(to, a->col + first, (size_t)n * sizeof *to);
    for (int64_t k = 0; k < n && a->col_64; k++)
        to[k] = (int32_t)a->col_64[first + k];
}

void sp_csr_copy_numbers(const struct sp_csr *a, int64_t first, int64_t n, double *to)
{
    if (n > 0 && a->val)
        memcpy(to, a->val + first, (size_t)n * sizeof *to);
    for (int64_t k = 0; k < n && a->val_f32; k++)
        to[k] = (double)a->val_f32[first + k];
}

int64_t sp_csr_find(const struct sp_csr *a, int64_t i, int64_t j)
{
    int64_t low = a->row_ptr[i], high = a->row_ptr[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (sp_csr_col(a, middle) < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->row_ptr[i + 1] && sp_csr_col(a, low) == j ? low : -1;
}

/* Each thread sums its slice, then adds what those before it found: two passes. */
void sp_prefix_sum(int64_t *n, int64_t n_items)
{
    enum { MAX_THREADS = 256, SERIAL = 1 << 16 };
    if (n_items < SERIAL) {
        for (int64_t i = 0; i < n_items; i++)
            n[i + 1] += n[i];
        return;
    }
    int64_t total[MAX_THREADS];
    // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): read by the pragma
    int n_threads = omp_get_max_threads() < MAX_THREADS ? omp_get_max_threads() : MAX_THREADS;
#pragma omp parallel num_threads(n_threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        int64_t begin = n_items * t / team, end = n_items * (t + 1) / team;
        int64_t sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += n[i + 1];
        total[t] = sum;
#pragma omp barrier
        sum = 0;
        for (int s = 0; s < t; s++)
            sum += total[s];
        for (int64_t i = begin; i < end; i++) {
            sum += n[i + 1];
            n[i + 1] = sum;
        }
    }
}

/* Columns up to the diagonal of row `place` of the window, folded, ascending, once; how many. */
static int64_t fold_row(const struct sp_csr *a, int64_t first, int64_t place, int64_t window,
                        int32_t *columns, int32_t *scratch)
{
    const int64_t row = first + place, reach = place < window ? place : window;
    int64_t n = 0, n_kept = 0;
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1] && sp_csr_col(a, k) <= row; k++) {
        int64_t distance = row - sp_csr_col(a, k);
        if (distance == 0)
            columns[n++] = (int32_t)place;
        else if (reach > 0)
            columns[n++] = (int32_t)(place - 1 - (distance - 1) % reach);
    }
    sp_sort_i32(columns, n, scratch);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || columns[k] != columns[k - 1])
            columns[n_kept++] = columns[k];
    return n_kept;
}

/* Filled from the top: a row has its lower triangle before the first of its mirror images. */
static void put(struct sp_csr *a, int64_t row, int64_t column, double value)
{
    int64_t at = a->row_ptr[row + 1]++;
    a->col[at] = (int32_t)column;
    a->val[at] = value;
}

/* From the lower triangle: row i has the columns lower[from[i]] .. lower[from[i + 1]]. */
static enum sp_status mirror(int64_t n, const int32_t *lower, const int64_t *from, struct sp_csr *folded,
                             struct sp_error *err)
{
    int64_t n_nz = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from[i]; k < from[i + 1]; k++)
            n_nz += lower[k] == i ? 1 : 2;
    enum sp_status status = sp_csr_alloc(n, n, n_nz, SP_FIELD_REAL, NULL, folded, err);
    if (status != SP_OK)
        return status;
    folded->symmetry = SP_SYMMETRIC;
    int64_t *next = folded->row_ptr + 1; /* where the next entry of a row goes; at last where the row ends */
    memset(folded->row_ptr, 0, (size_t)(n + 1) * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from[i]; k < from[i + 1]; k++) {
            next[i]++;
            next[lower[k]] += lower[k] != i;
        }
    for (int64_t i = 0, sum = 0; i < n; i++) {
        int64_t length = next[i];
        next[i] = sum;
        sum += length;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = from[i]; k < from[i + 1]; k++) {
            double value = 1 + (double)(k % 64) / 64;
            put(folded, i, lower[k], value);
            if (lower[k] != i)
                put(folded, lower[k], i, value);
        }
    return SP_OK;
}

enum sp_status sp_csr_fold_symmetric(const struct sp_csr *a, int64_t first, int64_t n_rows, int64_t window,
                                     struct sp_csr *folded, struct sp_error *err)
{
    const int64_t n = a->row_ptr[first + n_rows] - a->row_ptr[first];
    void *lower = NULL, *scratch = NULL, *from = NULL;
    enum sp_status status = sp_new_array(n, sizeof(int32_t), "columns of a window", &lower, err);
    if (status == SP_OK)
        status = sp_new_array(n, sizeof(int32_t), "columns of a window", &scratch, err);
    if (status == SP_OK)
        status = sp_new_array(n_rows + 1, sizeof(int64_t), "rows of a window", &from, err);
    if (status == SP_OK) {
        int64_t *row = from;
        for (int64_t i = 0; i < n_rows; i++)
            row[i + 1] = row[i] + fold_row(a, first, i, window, (int32_t *)lower + row[i], scratch);
        status = mirror(n_rows, lower, row, folded, err);
    } else {
        memset(folded, 0, sizeof *folded);
    }
    free(lower);
    free(scratch);
    free(from);
    return status;
}

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
