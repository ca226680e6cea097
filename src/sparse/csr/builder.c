#include "sparse/csr/builder.h"

#include <stdlib.h>
#include <string.h>

double sp_csr_builder_bytes(int64_t n_r, int n_threads)
{
    return (double)n_r * n_threads * (double)sizeof(uint32_t);
}

enum sp_status sp_csr_builder_open(struct sp_csr_builder *b, int64_t n_r, int64_t n_c, enum sp_field field,
                                   enum sp_symmetry symmetry, int n_threads,
                                   const struct sp_allocator *allocator, struct sp_error *err)
{
    memset(b, 0, sizeof *b);
    b->n_r = n_r;
    b->n_c = n_c;
    b->field = field;
    b->symmetry = symmetry;
    b->n_threads = n_threads;
    b->allocator = allocator;
    void *p;
    enum sp_status status =
        sp_large_alloc(allocator, n_r * n_threads, sizeof *b->count, "row counts", &p, err);
    b->count = p;
    return status;
}

void sp_csr_builder_count(struct sp_csr_builder *b, int thread, int64_t n, const int32_t *row,
                          const int32_t *col)
{
    uint32_t *count = b->count + thread * b->n_r;
    if (b->symmetry == SP_GENERAL) {
        for (int64_t k = 0; k < n; k++)
            count[row[k]]++;
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        count[row[k]]++;
        count[col[k]] += row[k] != col[k];
    }
}

int64_t sp_csr_builder_total(const struct sp_csr_builder *b)
{
    int64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total) num_threads(b->n_threads)
    for (int64_t k = 0; k < b->n_r * b->n_threads; k++)
        total += b->count[k];
    return total;
}

/* Row pointers, and counts to positions inside the row. Returns the entries of the longest row. */
static uint64_t prefix_sums(struct sp_csr_builder *b, int64_t *row_ptr)
{
    uint64_t longest = 0;
    int64_t position = 0;
    for (int64_t i = 0; i < b->n_r; i++) {
        uint64_t length = 0;
        for (int t = 0; t < b->n_threads; t++) {
            uint32_t *count = b->count + t * b->n_r + i;
            uint32_t n = *count;
            *count = (uint32_t)length;
            length += n;
        }
        position += (int64_t)length;
        row_ptr[i + 1] = position;
        longest = length > longest ? length : longest;
    }
    return longest;
}

enum sp_status sp_csr_builder_seal(struct sp_csr_builder *b, struct sp_error *err)
{
    struct sp_csr *a = &b->matrix;
    enum sp_status status =
        sp_csr_alloc(b->n_r, b->n_c, sp_csr_builder_total(b), b->field, b->allocator, a, err);
    if (status != SP_OK)
        return status;
    a->symmetry = b->symmetry;
    if (prefix_sums(b, a->row_ptr) > UINT32_MAX)
        return sp_fail(err, SP_INPUT, "add duplicate entries before writing the file",
                       "one row has 4294967296 entries or more");
    return SP_OK;
}

struct place {
    const struct sp_csr *a;
    uint32_t *count;
};

static inline int64_t claim(const struct place *p, int32_t row)
{
    int64_t k = p->a->row_ptr[row] + p->count[row]++;
    return k < p->a->row_ptr[row + 1] ? k : -1;
}

static inline bool put_real(const struct place *p, int32_t row, int32_t col, double v)
{
    int64_t k = claim(p, row);
    if (k < 0)
        return false;
    p->a->col[k] = col;
    p->a->val[k] = v;
    return true;
}

static inline bool put_complex(const struct place *p, int32_t row, int32_t col, double re, double im)
{
    int64_t k = claim(p, row);
    if (k < 0)
        return false;
    p->a->col[k] = col;
    p->a->val[2 * k] = re;
    p->a->val[2 * k + 1] = im;
    return true;
}

bool sp_csr_builder_place(struct sp_csr_builder *b, int thread, int64_t n, const int32_t *row,
                          const int32_t *col, const double *val)
{
    struct place p = {&b->matrix, b->count + thread * b->n_r};
    const bool mirrored = b->symmetry != SP_GENERAL;
    const double sign = b->symmetry == SP_SKEW_SYMMETRIC ? -1 : 1;
    bool ok = true;
    if (b->field != SP_FIELD_COMPLEX) {
        for (int64_t k = 0; k < n && ok; k++) {
            double v = val ? val[k] : 1;
            ok = put_real(&p, row[k], col[k], v);
            if (mirrored && row[k] != col[k])
                ok = ok && put_real(&p, col[k], row[k], sign * v);
        }
        return ok;
    }
    const double sign_im = b->symmetry == SP_HERMITIAN ? -1 : sign;
    for (int64_t k = 0; k < n && ok; k++) {
        ok = put_complex(&p, row[k], col[k], val[2 * k], val[2 * k + 1]);
        if (mirrored && row[k] != col[k])
            ok = ok && put_complex(&p, col[k], row[k], sign * val[2 * k], sign_im * val[2 * k + 1]);
    }
    return ok;
}

enum sp_status sp_csr_builder_finish(struct sp_csr_builder *b, struct sp_csr *a, struct sp_error *err)
{
    *a = b->matrix;
    memset(&b->matrix, 0, sizeof b->matrix);
    sp_large_free(b->allocator, b->count, b->n_r * b->n_threads, sizeof *b->count);
    b->count = NULL;
    return sp_csr_make_canonical(a, b->n_threads, err);
}

void sp_csr_builder_free(struct sp_csr_builder *b)
{
    sp_large_free(b->allocator, b->count, b->n_r * b->n_threads, sizeof *b->count);
    sp_csr_free(&b->matrix);
    memset(b, 0, sizeof *b);
}

/* Rows up to this length are sorted by insertion, longer ones by radix of (column, position). */
enum { SHORT_ROW = 48, RADIX_BITS = 8, RADIX = 1 << RADIX_BITS };

struct scratch {
    uint64_t *key, *other; /* [n] column << 32 | position */
    double *val;           /* [2 n] */
    int64_t n;
};

static void scratch_free(struct scratch *s)
{
    free(s->key);
    free(s->other);
    free(s->val);
    memset(s, 0, sizeof *s);
}

static bool scratch_grow(struct scratch *s, int64_t n)
{
    if (n <= s->n)
        return true;
    scratch_free(s);
    s->key = malloc((size_t)n * sizeof *s->key);
    s->other = malloc((size_t)n * sizeof *s->other);
    s->val = malloc((size_t)n * 2 * sizeof *s->val);
    s->n = n;
    if (s->key && s->other && s->val)
        return true;
    scratch_free(s);
    return false;
}

/* Stable, so that duplicates keep the order of the input. */
static void sort_short(int32_t *col, double *val, int64_t n, int per_entry)
{
    for (int64_t i = 1; i < n; i++) {
        int32_t c = col[i];
        if (col[i - 1] <= c)
            continue;
        double v[2] = {val[i * per_entry], val[i * per_entry + per_entry - 1]};
        int64_t j = i;
        for (; j > 0 && col[j - 1] > c; j--) {
            col[j] = col[j - 1];
            memcpy(val + j * per_entry, val + (j - 1) * per_entry, (size_t)per_entry * sizeof *val);
        }
        col[j] = c;
        memcpy(val + j * per_entry, v, (size_t)per_entry * sizeof *val);
    }
}

static bool sort_long(int32_t *col, double *val, int64_t n, int per_entry, int64_t n_c, struct scratch *s)
{
    if (!scratch_grow(s, n))
        return false;
    for (int64_t i = 0; i < n; i++)
        s->key[i] = (uint64_t)(uint32_t)col[i] << 32 | (uint64_t)i;
    for (int shift = 32; shift < 64 && (n_c - 1) >> (shift - 32) > 0; shift += RADIX_BITS) {
        int64_t start[RADIX + 1] = {0};
        for (int64_t i = 0; i < n; i++)
            start[((s->key[i] >> shift) & (RADIX - 1)) + 1]++;
        for (int d = 0; d < RADIX; d++)
            start[d + 1] += start[d];
        for (int64_t i = 0; i < n; i++)
            s->other[start[(s->key[i] >> shift) & (RADIX - 1)]++] = s->key[i];
        uint64_t *swap = s->key;
        s->key = s->other;
        s->other = swap;
    }
    memcpy(s->val, val, (size_t)(n * per_entry) * sizeof *val);
    for (int64_t i = 0; i < n; i++) {
        col[i] = (int32_t)(s->key[i] >> 32);
        memcpy(val + i * per_entry, s->val + (int64_t)(s->key[i] & UINT32_MAX) * per_entry,
               (size_t)per_entry * sizeof *val);
    }
    return true;
}

/* Adds equal neighbours; returns how many entries are left. */
static int64_t add_duplicates(int32_t *col, double *val, int64_t n, int per_entry)
{
    int64_t last = 0;
    for (int64_t i = 1; i < n; i++) {
        const bool add = col[i] == col[last];
        last += !add;
        col[last] = col[i];
        for (int k = 0; k < per_entry; k++)
            val[last * per_entry + k] =
                add ? val[last * per_entry + k] + val[i * per_entry + k] : val[i * per_entry + k];
    }
    return n ? last + 1 : 0;
}

struct row_facts {
    bool ascending, strict;
    int64_t n_zeros;
};

static struct row_facts look_at_row(const int32_t *col, const double *val, int64_t n, int per_entry)
{
    struct row_facts f = {true, true, 0};
    bool down = false, equal = false;
    for (int64_t i = 1; i < n; i++) {
        down |= col[i] < col[i - 1];
        equal |= col[i] == col[i - 1];
    }
    for (int64_t i = 0; i < n; i++)
        f.n_zeros += val[i * per_entry] == 0 && val[i * per_entry + per_entry - 1] == 0;
    f.ascending = !down;
    f.strict = !down && !equal;
    return f;
}

/* Copies the rows, now of new_length[i] entries, into arrays of the right size. */
static enum sp_status compact(struct sp_csr *a, const int64_t *new_length, int n_threads,
                              struct sp_error *err)
{
    int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    int64_t n_nz = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        n_nz += new_length[i];
    struct sp_csr b;
    enum sp_status status = sp_csr_alloc(a->n_r, a->n_c, n_nz, a->field, a->allocator, &b, err);
    if (status != SP_OK)
        return status;
    b.symmetry = a->symmetry;
    b.n_zeros = a->n_zeros;
    b.n_duplicates = a->n_duplicates;
    for (int64_t i = 0; i < a->n_r; i++)
        b.row_ptr[i + 1] = b.row_ptr[i] + new_length[i];
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < a->n_r; i++) {
        memcpy(b.col + b.row_ptr[i], a->col + a->row_ptr[i], (size_t)new_length[i] * sizeof *b.col);
        memcpy(b.val + b.row_ptr[i] * per_entry, a->val + a->row_ptr[i] * per_entry,
               (size_t)(new_length[i] * per_entry) * sizeof *b.val);
    }
    sp_csr_free(a);
    *a = b;
    return SP_OK;
}

/* Duplicates of input entries: those of the mirrored triangle are not counted a second time. */
static int64_t count_duplicates(const struct sp_csr *a, int64_t row, int64_t begin, int64_t end)
{
    int64_t n = 0;
    for (int64_t k = begin + 1; k < end; k++)
        n += a->col[k] == a->col[k - 1] && (a->symmetry == SP_GENERAL || a->col[k] <= row);
    return n;
}

enum sp_status sp_csr_make_canonical(struct sp_csr *a, int n_threads, struct sp_error *err)
{
    const int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    int64_t n_zeros = 0, n_added = 0;
    bool no_memory = false;
#pragma omp parallel num_threads(n_threads) reduction(+ : n_zeros, n_added) reduction(|| : no_memory)
    {
        struct scratch s = {0};
#pragma omp for schedule(dynamic, 1024)
        for (int64_t i = 0; i < a->n_r; i++) {
            int64_t begin = a->row_ptr[i], n = a->row_ptr[i + 1] - begin;
            int32_t *col = a->col + begin;
            double *val = a->val + begin * per_entry;
            struct row_facts f = look_at_row(col, val, n, per_entry);
            n_zeros += f.n_zeros;
            if (!f.ascending && n <= SHORT_ROW)
                sort_short(col, val, n, per_entry);
            else if (!f.ascending && !sort_long(col, val, n, per_entry, a->n_c, &s))
                no_memory = true;
            if (!f.strict)
                n_added += look_at_row(col, val, n, per_entry).strict ? 0 : 1;
        }
        scratch_free(&s);
    }
    a->n_zeros = n_zeros;
    a->n_duplicates = 0;
    enum sp_status status = SP_OK;
    if (no_memory)
        status = sp_fail(err, SP_MEMORY, "free memory, or sort the entries of the file by row",
                         "no memory to sort the columns of a long row");
    void *lengths = NULL;
    if (status == SP_OK && n_added > 0)
        status = sp_new_array(a->n_r, sizeof(int64_t), "row lengths", &lengths, err);
    if (status == SP_OK && n_added > 0) {
        int64_t *new_length = lengths, n_duplicates = 0;
        n_zeros = 0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(n_threads) reduction(+ : n_duplicates, n_zeros)
        for (int64_t i = 0; i < a->n_r; i++) {
            int64_t begin = a->row_ptr[i], end = a->row_ptr[i + 1];
            n_duplicates += count_duplicates(a, i, begin, end);
            double *val = a->val + begin * per_entry;
            new_length[i] = add_duplicates(a->col + begin, val, end - begin, per_entry);
            n_zeros += look_at_row(a->col + begin, val, new_length[i], per_entry).n_zeros;
        }
        a->n_zeros = n_zeros;
        a->n_duplicates = n_duplicates;
        status = compact(a, new_length, n_threads, err);
    }
    free(lengths);
    if (status != SP_OK)
        sp_csr_free(a);
    return status;
}
