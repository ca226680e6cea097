#include "io/matrix/matrix_formats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "io/files/part_file.h"
#include "io/matrix/entries.h"

enum { SCALAR = 1211213, VECTOR, MATRIX = 1211216, INDEX_SET = 1211218, BAG };

static const char again[] = "write it again with MatView and a binary viewer";

static uint32_t load32(const char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return __builtin_bswap32(x);
}

static uint64_t load64(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return __builtin_bswap64(x);
}

static inline double load_f64(const char *p)
{
    const uint64_t bits = load64(p);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double load_f32(const char *p)
{
    const uint32_t bits = load32(p);
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

struct file {
    const char *path, *text;
    int64_t n;
    int width; /* [B] of an index: 4 or 8 */
};

static inline int64_t load_index(const struct file *f, int64_t at)
{
    return f->width == 8 ? (int64_t)load64(f->text + at) : (int64_t)(int32_t)load32(f->text + at);
}

/* The class of the object at byte `at`; 0: none that is known begins there. */
static int64_t class_at(const struct file *f, int64_t at)
{
    if (at < 0 || f->n - at < f->width)
        return 0;
    const int64_t x = load_index(f, at);
    return x == SCALAR || x == VECTOR || x == MATRIX || x == INDEX_SET || x == BAG ? x : 0;
}

bool sp_petsc_is(const char *text, int64_t n)
{
    const struct file narrow = {.text = text, .n = n, .width = 4}, wide = {.text = text, .n = n, .width = 8};
    return class_at(&narrow, 0) || class_at(&wide, 0);
}

/* Kinds of scalars. Single complex ones have the size of double real ones, which are by far more
 * common. */
static const struct scalar {
    const char *name;
    int bytes; /* of a part */
    int parts;
} scalars[] = {{"real", 8, 1}, {"complex", 8, 2}, {"single real", 4, 1}};
enum { N_SCALARS = sizeof scalars / sizeof *scalars };

/* The kind of which n scalars from byte `at` end where another object begins, else at the end of
 * the file; NULL: there is none. */
static const struct scalar *scalar_of(const struct file *f, int64_t at, int64_t n)
{
    const struct scalar *at_end = NULL;
    for (int k = 0; k < N_SCALARS; k++) {
        const int64_t bytes = scalars[k].bytes * scalars[k].parts, left = f->n - at;
        if (n > left / bytes)
            continue;
        if (class_at(f, at + n * bytes))
            return &scalars[k];
        if (n * bytes == left && !at_end)
            at_end = &scalars[k];
    }
    return at_end;
}

/* Sets *at behind the vector or index set that begins there. */
static enum sp_status skip_object(const struct file *f, int64_t *at, struct sp_error *err)
{
    const int64_t kind = class_at(f, *at), body = *at + 2 * f->width;
    if (f->n - *at < 2 * f->width)
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again,
                          "the file ends in the header of the object at byte %lld", (long long)*at);
    const int64_t n = load_index(f, *at + f->width);
    const struct scalar *scalar = kind == VECTOR && n >= 0 ? scalar_of(f, body, n) : NULL;
    int64_t bytes = -1;
    if (scalar)
        bytes = n * scalar->bytes * scalar->parts;
    else if (kind == INDEX_SET && n >= 0 && n <= (f->n - body) / f->width)
        bytes = n * f->width;
    if (bytes < 0)
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, "write the matrix into a file of its own",
                          "the object at byte %lld (class %lld) comes before any matrix, and cannot be "
                          "skipped",
                          (long long)*at, (long long)kind);
    *at = body + bytes;
    return SP_OK;
}

static enum sp_status find_matrix(const struct file *f, int64_t *at, struct sp_error *err)
{
    *at = 0;
    while (class_at(f, *at) != MATRIX) {
        if (*at == 0 && !class_at(f, 0))
            return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again,
                              "byte 0: this is no PETSc binary file, which begins with the number 1211216");
        if (!class_at(f, *at))
            return sp_fail_at(err, SP_INPUT, f->path, 0, 0, "write the matrix into the file, too",
                              "byte %lld: there is no matrix behind the vectors and index sets",
                              (long long)*at);
        const enum sp_status status = skip_object(f, at, err);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* Where what is in the file. */
struct parts {
    int64_t n_r, n_c, n_nz;
    int64_t lengths, columns, values; /* [B] offsets */
    const struct scalar *scalar;
};

static enum sp_status fail_cut(const struct file *f, const char *what, int64_t from, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again,
                      "the file ends at byte %lld, inside the %s, which begin at byte %lld", (long long)f->n,
                      what, (long long)from);
}

static bool fits_dimension(int64_t n)
{
    return n >= 0 && n <= SP_MAX_DIMENSION;
}

/* Entries of all rows; *wrong: the first row that has a negative number, or more than the file can
 * hold; INT64_MAX: none. */
static int64_t sum_lengths(const struct file *f, const struct parts *p, int n_threads, int64_t *wrong)
{
    const int64_t most = f->n / f->width;
    uint64_t sum = 0; /* may pass round, which `about` tells */
    double about = 0;
    int64_t first = INT64_MAX;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(+ : sum, about)                   \
    reduction(min : first)
    for (int64_t i = 0; i < p->n_r; i++) {
        const int64_t length = load_index(f, p->lengths + i * f->width);
        if (length < 0 || length > most) {
            first = i < first ? i : first;
            continue;
        }
        sum += (uint64_t)length;
        about += (double)length;
    }
    *wrong = first;
    return about < 0x1p62 ? (int64_t)sum : INT64_MAX;
}

static enum sp_status read_header(const struct file *f, int64_t at, int n_threads, struct parts *p,
                                  struct sp_error *err)
{
    const int w = f->width;
    if (f->n - at < 4 * w)
        return fail_cut(f, "sizes", at, err);
    p->n_r = load_index(f, at + w);
    p->n_c = load_index(f, at + 2 * w);
    p->n_nz = load_index(f, at + 3 * w);
    if (!fits_dimension(p->n_r) || !fits_dimension(p->n_c))
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, "rows and columns are from 0 to 2147483647",
                          "byte %lld: %lld rows and %lld columns", (long long)(at + w), (long long)p->n_r,
                          (long long)p->n_c);
    if (p->n_nz < 0)
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0,
                          "write an AIJ matrix: MatConvert to MATAIJ, then MatView",
                          "byte %lld: the matrix is stored dense, or in another special form (%lld)",
                          (long long)(at + 3 * w), (long long)p->n_nz);
    p->lengths = at + 4 * w;
    if (p->n_r > (f->n - p->lengths) / w)
        return fail_cut(f, "row lengths", p->lengths, err);
    p->columns = p->lengths + p->n_r * w;
    int64_t wrong;
    const int64_t sum = sum_lengths(f, p, n_threads, &wrong);
    if (wrong != INT64_MAX)
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again,
                          "byte %lld: row %lld has %lld entries, which cannot be",
                          (long long)(p->lengths + wrong * w), (long long)wrong + 1,
                          (long long)load_index(f, p->lengths + wrong * w));
    /* PETSc writes the largest index for a number of entries that none can hold. */
    if (p->n_nz == (w == 8 ? INT64_MAX : INT32_MAX))
        p->n_nz = sum;
    if (sum != p->n_nz || sum == INT64_MAX)
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again,
                          "byte %lld: the matrix has %lld entries, but its rows together %lld",
                          (long long)(at + 3 * w), (long long)p->n_nz, (long long)sum);
    if (p->n_nz > (f->n - p->columns) / w)
        return fail_cut(f, "columns", p->columns, err);
    p->values = p->columns + p->n_nz * w;
    p->scalar = scalar_of(f, p->values, p->n_nz);
    if (p->scalar)
        return SP_OK;
    if (p->n_nz > (f->n - p->values) / 4)
        return fail_cut(f, "values", p->values, err);
    return sp_fail_at(err, SP_INPUT, f->path, 0, 0,
                      "scalars are real or complex, double, or real, single; write the matrix into a file of "
                      "its own",
                      "the %lld bytes from byte %lld on are neither real nor complex values of %lld entries",
                      (long long)(f->n - p->values), (long long)p->values, (long long)p->n_nz);
}

/* Lengths and columns may have changed since they were looked at: each is looked at again where it
 * is used. */
static bool take_lengths(const struct file *f, const struct parts *p, int n_threads, struct sp_csr *a)
{
    bool ok = true;
    int64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(&& : ok) reduction(+ : sum)
    for (int64_t i = 0; i < p->n_r; i++) {
        const int64_t length = load_index(f, p->lengths + i * f->width);
        ok = ok && length >= 0 && length <= p->n_nz && length <= (int64_t)UINT32_MAX;
        a->row_ptr[i + 1] = length;
        sum += ok ? length : 0;
    }
    return ok && sum == p->n_nz;
}

/* The first entry whose column is none; INT64_MAX: none. */
static int64_t take_columns(const struct file *f, const struct parts *p, int n_threads, struct sp_csr *a)
{
    int64_t wrong = INT64_MAX;
#pragma omp parallel for schedule(static) num_threads(n_threads) reduction(min : wrong)
    for (int64_t k = 0; k < p->n_nz; k++) {
        const int64_t c = load_index(f, p->columns + k * f->width);
        const bool bad = c < 0 || c >= p->n_c;
        a->col[k] = bad ? 0 : (int32_t)c;
        wrong = bad && k < wrong ? k : wrong;
    }
    return wrong;
}

static void take_doubles(const char *from, int64_t n, int n_threads, double *to)
{
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t k = 0; k < n; k++)
        to[k] = load_f64(from + 8 * k);
}

static void take_singles(const char *from, int64_t n, int n_threads, double *to)
{
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t k = 0; k < n; k++)
        to[k] = load_f32(from + 4 * k);
}

static void take_values(const struct file *f, const struct parts *p, int n_threads, struct sp_csr *a)
{
    const int64_t n = p->n_nz * p->scalar->parts;
    if (p->scalar->bytes == 8)
        take_doubles(f->text + p->values, n, n_threads, a->val);
    else
        take_singles(f->text + p->values, n, n_threads, a->val);
}

static enum sp_status take_matrix(const struct file *f, const struct parts *p,
                                  const struct sp_load_options *o, struct sp_csr *a, struct sp_error *err)
{
    const enum sp_field field = p->scalar->parts == 2 ? SP_FIELD_COMPLEX : SP_FIELD_REAL;
    enum sp_status status = sp_csr_take_rows(p->n_r, p->n_c, field, o->allocator, a, err);
    if (status != SP_OK)
        return status;
    if (!take_lengths(f, p, o->n_threads, a))
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, "try again when it is complete",
                          "a row has more than 4294967295 entries, or the file changed while it was read");
    status = sp_csr_take_entries(a, err);
    if (status != SP_OK)
        return status;
    const int64_t wrong = take_columns(f, p, o->n_threads, a);
    if (wrong != INT64_MAX)
        return sp_fail_at(err, SP_INPUT, f->path, 0, 0, again,
                          "byte %lld: entry %lld is in column %lld (counted from 0) of %lld",
                          (long long)(p->columns + wrong * f->width), (long long)wrong + 1,
                          (long long)load_index(f, p->columns + wrong * f->width), (long long)p->n_c);
    status = sp_entries_poll(f->path, o, 0.5, err);
    if (status == SP_OK)
        take_values(f, p, o->n_threads, a);
    return status;
}

enum sp_status sp_petsc_read(const char *path, const char *text, int64_t n,
                             const struct sp_load_options *options, struct sp_csr *matrix,
                             struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    struct sp_load_options o = *options;
    o.n_threads = o.n_threads < 1 ? 1 : o.n_threads;
    struct file f = {path, text, n, 4};
    if (n >= 8 && load32(text) == 0)
        f.width = 8;
    struct parts p = {0};
    int64_t at;
    double start = sp_now();
    enum sp_status status = find_matrix(&f, &at, err);
    if (status == SP_OK)
        status = read_header(&f, at, o.n_threads, &p, err);
    if (status != SP_OK)
        return status;
    facts->survey_s = sp_now() - start;
    const struct sp_load_size size = {p.n_r, p.n_c, p.n_nz,
                                      p.scalar->parts == 2 ? SP_FIELD_COMPLEX : SP_FIELD_REAL, false};
    facts->peak_B = sp_csr_bytes(p.n_r, p.n_nz, size.field);
    status = sp_load_check_memory(path, &o, &size, facts->peak_B, "the matrix", err);
    start = sp_now();
    if (status == SP_OK)
        status = take_matrix(&f, &p, &o, matrix, err);
    facts->parse_s = sp_now() - start;
    if (status == SP_OK)
        status = sp_entries_finish(matrix, o.n_threads, facts, err);
    if (status != SP_OK) {
        sp_csr_free(matrix);
        return status;
    }
    facts->n_entries = p.n_nz;
    snprintf(facts->format, sizeof facts->format, "PETSc binary, %s, %d-bit indices", p.scalar->name,
             8 * f.width);
    return SP_OK;
}

/* Numbers on their way into the file. */
struct writing {
    FILE *stream;
    int width;
    size_t n;
    char bytes[1 << 16];
};

static void flush_bytes(struct writing *w)
{
    fwrite(w->bytes, 1, w->n, w->stream); /* errors are noticed at commit */
    w->n = 0;
}

static inline void put64(struct writing *w, uint64_t x)
{
    if (w->n + sizeof x > sizeof w->bytes)
        flush_bytes(w);
    x = __builtin_bswap64(x);
    memcpy(w->bytes + w->n, &x, sizeof x);
    w->n += sizeof x;
}

static inline void put_index(struct writing *w, int64_t i)
{
    if (w->width == 8) {
        put64(w, (uint64_t)i);
        return;
    }
    if (w->n + 4 > sizeof w->bytes)
        flush_bytes(w);
    const uint32_t x = __builtin_bswap32((uint32_t)i);
    memcpy(w->bytes + w->n, &x, sizeof x);
    w->n += sizeof x;
}

enum { BLOCK = 1 << 22 };

static bool go_on(const struct sp_mtx_write_options *o, double fraction)
{
    if (o->progress)
        o->progress(o->context, fraction);
    return !o->interrupted || !o->interrupted(o->context);
}

static bool put_matrix(struct writing *w, const struct sp_csr *a, const struct sp_mtx_write_options *o)
{
    const int64_t n_values = a->n_nz * (sp_csr_is_complex(a) ? 2 : 1);
    put_index(w, MATRIX);
    put_index(w, a->n_r);
    put_index(w, a->n_c);
    put_index(w, a->n_nz);
    for (int64_t i = 0; i < a->n_r; i++)
        put_index(w, a->row_ptr[i + 1] - a->row_ptr[i]);
    for (int64_t k = 0; k < a->n_nz; k++) {
        if (k % BLOCK == 0 && !go_on(o, 0.3 * (double)k / (double)a->n_nz))
            return false;
        put_index(w, a->col[k]);
    }
    for (int64_t k = 0; k < n_values; k++) {
        if (k % BLOCK == 0 && !go_on(o, 0.3 + 0.7 * (double)k / (double)n_values))
            return false;
        uint64_t bits;
        memcpy(&bits, &a->val[k], sizeof bits);
        put64(w, bits);
    }
    flush_bytes(w);
    return true;
}

enum sp_status sp_petsc_write(const char *path, const struct sp_csr *a,
                              const struct sp_mtx_write_options *options, struct sp_error *err)
{
    struct sp_atomic_file file;
    const enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    struct writing w = {.stream = file.stream, .width = a->n_nz >= INT32_MAX ? 8 : 4};
    if (put_matrix(&w, a, options))
        return sp_atomic_commit(&file, err);
    sp_atomic_abort(&file);
    return sp_fail(err, SP_INTERRUPTED, NULL, "writing was interrupted");
}
