#include "io/matrix/mtx_write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/archive.h"
#include "io/files/atomic_file.h"
#include "io/matrix/decimal.h"
#include "sparse/csr/csr_content.h"

/* Entries that a thread formats at a time, and the longest line: two indices, two numbers, blanks,
 * newline. */
enum { SHARE = 1 << 16, LONGEST_LINE = 2 * 11 + 2 * (SP_DECIMAL_MAX + 1) };

struct writing {
    const struct sp_csr *a;
    enum sp_field field;       /* that the file says */
    enum sp_symmetry symmetry; /* likewise: general, or that of the matrix where it holds */
    int n_threads;
    char **buffer;  /* [n_threads] */
    size_t *length; /* [n_threads] */
    struct sp_atomic_file file;
    struct sp_archive_writer *compressor; /* NULL: plain */
};

static bool is_written(const struct writing *w, int64_t row, int32_t col)
{
    return w->symmetry == SP_GENERAL || col <= row;
}

static int64_t count_lines(const struct writing *w)
{
    const struct sp_csr *a = w->a;
    if (w->symmetry == SP_GENERAL)
        return a->n_nz;
    int64_t n = 0;
#pragma omp parallel for schedule(static) reduction(+ : n) num_threads(w->n_threads)
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            n += a->col[k] <= i;
    return n;
}

static int64_t row_of_entry(const struct sp_csr *a, int64_t k)
{
    int64_t low = 0, high = a->n_r;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (a->row_ptr[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Integers are doubles inside; the largest of 64 bits was rounded up to what is none any more. */
static int put_integer(double v, char *t)
{
    if (fabs(v) < 0x1p63)
        return sp_decimal_write_count((int64_t)v, t);
    if (fabs(v) == 0x1p63)
        return sp_decimal_write_count(v < 0 ? INT64_MIN : INT64_MAX, t);
    return sp_decimal_write(v, t);
}

static char *put_value(char *t, enum sp_field field, const double *v)
{
    int n_values = field == SP_FIELD_PATTERN ? 0 : field == SP_FIELD_COMPLEX ? 2 : 1;
    for (int i = 0; i < n_values; i++) {
        *t++ = ' ';
        t += field == SP_FIELD_INTEGER ? put_integer(v[i], t) : sp_decimal_write(v[i], t);
    }
    return t;
}

/* Entries begin .. end as lines; returns the length. */
static size_t format(const struct writing *w, int64_t begin, int64_t end, char *text)
{
    const struct sp_csr *a = w->a;
    const int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    char *t = text;
    int64_t row = begin < end ? row_of_entry(a, begin) : 0;
    for (int64_t k = begin; k < end; k++) {
        while (k >= a->row_ptr[row + 1])
            row++;
        if (!is_written(w, row, a->col[k]))
            continue;
        t += sp_decimal_write_count(row + 1, t);
        *t++ = ' ';
        t += sp_decimal_write_count((int64_t)a->col[k] + 1, t);
        t = put_value(t, w->field, a->val + k * per_entry);
        *t++ = '\n';
    }
    return (size_t)(t - text);
}

static enum sp_status put(struct writing *w, const char *text, size_t n, struct sp_error *err)
{
    if (w->compressor)
        return sp_archive_writer_put(w->compressor, text, n, err);
    if (n > 0 && fwrite(text, n, 1, w->file.stream) != 1)
        return sp_fail_at(err, SP_OUTPUT, w->file.path, 0, 0,
                          errno == ENOSPC || errno == EDQUOT ? "free some space, or choose another directory"
                                                             : "choose a place where you may write",
                          "cannot write the file: %s", strerror(errno));
    return SP_OK;
}

static enum sp_status put_header(struct writing *w, struct sp_error *err)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s %s\n%lld %lld %lld\n",
                     sp_field_name(w->field), sp_symmetry_name(w->symmetry), (long long)w->a->n_r,
                     (long long)w->a->n_c, (long long)count_lines(w));
    return put(w, text, (size_t)n, err);
}

static enum sp_status put_entries(struct writing *w, const struct sp_mtx_write_options *o,
                                  struct sp_error *err)
{
    const int64_t n_nz = w->a->n_nz;
    enum sp_status status = SP_OK;
    for (int64_t done = 0; done < n_nz && status == SP_OK; done += (int64_t)SHARE * w->n_threads) {
        if (o->progress)
            o->progress(o->context, (double)done / (double)n_nz);
        if (o->interrupted && o->interrupted(o->context))
            return sp_fail(err, SP_INTERRUPTED, NULL, "writing was interrupted");
#pragma omp parallel for schedule(static, 1) num_threads(w->n_threads)
        for (int t = 0; t < w->n_threads; t++) {
            int64_t begin = done + (int64_t)t * SHARE, end = begin + SHARE;
            w->length[t] = format(w, begin < n_nz ? begin : n_nz, end < n_nz ? end : n_nz, w->buffer[t]);
        }
        for (int t = 0; t < w->n_threads && status == SP_OK; t++)
            status = put(w, w->buffer[t], w->length[t], err);
    }
    return status;
}

static enum sp_status take_buffers(struct writing *w, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(w->n_threads, sizeof *w->buffer, "the writer's buffers", &p, err);
    w->buffer = p;
    if (status == SP_OK)
        status = sp_new_array(w->n_threads, sizeof *w->length, "the writer's buffers", &p, err);
    w->length = status == SP_OK ? p : NULL;
    for (int t = 0; t < w->n_threads && status == SP_OK; t++) {
        status = sp_new_array((int64_t)SHARE * LONGEST_LINE, 1, "the writer's buffers", &p, err);
        w->buffer[t] = p;
    }
    return status;
}

enum sp_status sp_mtx_write(const char *path, const struct sp_csr *a,
                            const struct sp_mtx_write_options *options, struct sp_error *err)
{
    bool holds;
    enum sp_status status = sp_csr_symmetry_holds(a, &holds, err);
    if (status != SP_OK)
        return status;
    struct writing w = {.a = a, .n_threads = options->n_threads < 1 ? 1 : options->n_threads};
    w.field = sp_csr_plainest_field(a);
    w.symmetry =
        holds && !options->general && !(w.field == SP_FIELD_PATTERN && a->symmetry == SP_SKEW_SYMMETRIC)
            ? a->symmetry
            : SP_GENERAL;
    status = sp_atomic_open(path, &w.file, err);
    if (status == SP_OK && options->compression)
        status = sp_archive_writer_open(w.file.stream, path, options->compression, w.n_threads, &w.compressor,
                                        err);
    if (status == SP_OK)
        status = take_buffers(&w, err);
    if (status == SP_OK)
        status = put_header(&w, err);
    if (status == SP_OK)
        status = put_entries(&w, options, err);
    if (w.compressor) {
        enum sp_status closed = sp_archive_writer_close(w.compressor, status == SP_OK ? err : NULL);
        status = status == SP_OK ? closed : status;
    }
    if (status == SP_OK)
        status = sp_atomic_commit(&w.file, err);
    else
        sp_atomic_abort(&w.file);
    for (int t = 0; w.buffer && t < w.n_threads; t++)
        free(w.buffer[t]);
    free(w.buffer);
    free(w.length);
    return status;
}
