#include "sparse/csr/builder.h"

#include <string.h>

#include "base/clock.h"

enum { PAGE = 4096 };

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

/* One write a page, so that the page faults happen here, by all threads, and can be told from the work. */
static void touch(void *array, size_t bytes, int n_threads)
{
    char *p = array;
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (size_t k = 0; k < bytes; k += PAGE)
        p[k] = 0;
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
    double start = sp_now();
    touch(a->col, (size_t)a->n_nz * sizeof *a->col, b->n_threads);
    touch(a->val, (size_t)a->n_nz * (sp_csr_is_complex(a) ? 2 : 1) * sizeof *a->val, b->n_threads);
    b->touch_s = sp_now() - start;
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
