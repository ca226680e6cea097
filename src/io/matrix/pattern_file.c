#include "io/matrix/matrix_formats.h"

#include <stdio.h>
#include <string.h>

#include "base/attach_log.h"
#include "base/clock.h"
#include "io/matrix/entries.h"

static const char again[] = "run spmodel attach again";

bool sp_pattern_is(const char *text, int64_t n)
{
    return n >= 8 && memcmp(text, SP_ATTACH_PATTERN_MAGIC, 8) == 0;
}

/* The file may lie at any address, and change while it is read. */
struct file {
    const char *path, *row_ptr, *col;
    int64_t n_r, n_c, n_nz;
};

static int64_t pointer(const struct file *f, int64_t i)
{
    int64_t x;
    memcpy(&x, f->row_ptr + i * 8, sizeof x);
    return x;
}

static int32_t column(const struct file *f, int64_t k)
{
    int32_t x;
    memcpy(&x, f->col + k * 4, sizeof x);
    return x;
}

static enum sp_status fail(const struct file *f, const char *what, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again, "this pattern of a matrix is unusable: %s", what);
}

static enum sp_status read_header(const char *text, int64_t n, struct file *f, struct sp_error *err)
{
    struct sp_attach_pattern head;
    if (n < (int64_t)sizeof head || !sp_pattern_is(text, n))
        return fail(f, "it does not begin like one", err);
    memcpy(&head, text, sizeof head);
    if (head.version != SP_ATTACH_VERSION || head.header_B != sizeof head)
        return fail(f, "it is of another version", err);
    if (head.n_r < 0 || head.n_r > SP_MAX_DIMENSION || head.n_c < 0 || head.n_c > SP_MAX_DIMENSION ||
        head.n_nz < 0 || head.n_nz > INT64_MAX / 64)
        return fail(f, "its sizes cannot be", err);
    f->n_r = head.n_r;
    f->n_c = head.n_c;
    f->n_nz = head.n_nz;
    f->row_ptr = text + sizeof head;
    f->col = f->row_ptr + 8 * (f->n_r + 1);
    return n == (int64_t)sizeof head + 8 * (f->n_r + 1) + 4 * f->n_nz
               ? SP_OK
               : fail(f, "its length is wrong, it was cut off or added to", err);
}

static bool take_lengths(const struct file *f, int n_threads, struct sp_csr *a)
{
    bool ok = pointer(f, 0) == 0 && pointer(f, f->n_r) == f->n_nz;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(&& : ok)
    for (int64_t i = 0; i < f->n_r; i++) {
        const int64_t begin = pointer(f, i), end = pointer(f, i + 1);
        const bool good = begin >= 0 && begin <= end && end <= f->n_nz && end - begin <= (int64_t)UINT32_MAX;
        a->row_ptr[i + 1] = good ? end - begin : 0;
        ok = ok && good;
    }
    return ok;
}

static bool take_columns(const struct file *f, int n_threads, struct sp_csr *a)
{
    bool ok = true;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(&& : ok)
    for (int64_t k = 0; k < f->n_nz; k++) {
        const int32_t c = column(f, k);
        const bool good = c >= 0 && c < f->n_c;
        a->col[k] = good ? c : 0;
        a->val[k] = 1;
        ok = ok && good;
    }
    return ok;
}

static enum sp_status take_matrix(const struct file *f, const struct sp_load_options *o, struct sp_csr *a,
                                  struct sp_error *err)
{
    enum sp_status status = sp_csr_take_rows(f->n_r, f->n_c, SP_FIELD_PATTERN, o->allocator, a, err);
    if (status != SP_OK)
        return status;
    if (!take_lengths(f, o->n_threads, a))
        return fail(f, "its row pointers do not ascend", err);
    status = sp_csr_take_entries(a, err);
    if (status != SP_OK)
        return status;
    if (a->row_ptr[f->n_r] != f->n_nz)
        return fail(f, "its row pointers changed while they were read", err);
    if (!take_columns(f, o->n_threads, a))
        return fail(f, "a column is beyond the last", err);
    return sp_entries_poll(f->path, o, 0.5, err);
}

enum sp_status sp_pattern_read(const char *path, const char *text, int64_t n,
                               const struct sp_load_options *options, struct sp_csr *matrix,
                               struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    struct sp_load_options o = *options;
    o.n_threads = o.n_threads < 1 ? 1 : o.n_threads;
    struct file f = {.path = path};
    enum sp_status status = read_header(text, n, &f, err);
    if (status != SP_OK)
        return status;
    const struct sp_load_size size = {f.n_r, f.n_c, f.n_nz, SP_FIELD_PATTERN, false};
    facts->peak_B = sp_csr_bytes(f.n_r, f.n_nz, size.field);
    status = sp_load_check_memory(path, &o, &size, facts->peak_B, "the matrix", err);
    const double start = sp_now();
    if (status == SP_OK)
        status = take_matrix(&f, &o, matrix, err);
    facts->parse_s = sp_now() - start;
    if (status == SP_OK)
        status = sp_entries_finish(matrix, o.n_threads, facts, err);
    if (status != SP_OK) {
        sp_csr_free(matrix);
        return status;
    }
    if (matrix->n_duplicates > 0)
        matrix->field = SP_FIELD_REAL;
    facts->n_entries = f.n_nz;
    snprintf(facts->format, sizeof facts->format, "pattern kept by spmodel attach");
    return SP_OK;
}
