#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/atomic_file.h"
#include "io/matrix/decimal.h"
#include "io/matrix/load_options.h"
#include "io/matrix/rb_file.h"
#include "sparse/csr/csr_content.h"
#include "sys/machine/meminfo.h"

enum { LINES_AT_ONCE = 1 << 15 };

struct writing {
    const struct sp_csr *a;
    const struct sp_mtx_write_options *options;
    FILE *stream;
    enum sp_field field;
    enum sp_symmetry symmetry;
    int n_threads;
    int64_t n_nz;      /* that are written */
    int64_t *pointers; /* [n_c + 1] of columns */
    int32_t *row;      /* [n_nz] column by column */
    int64_t *from;     /* [n_nz] where in the matrix the entry is */
};

/* Numbers in fields of one width. */
struct fields {
    int64_t n;
    int width, per_line;
    int (*put)(const struct writing *w, int64_t k, char *text); /* number k; returns its length */
};

static int put_pointer(const struct writing *w, int64_t k, char *text)
{
    return sp_decimal_write_count(w->pointers[k] + 1, text);
}

static int put_row(const struct writing *w, int64_t k, char *text)
{
    return sp_decimal_write_count((int64_t)w->row[k] + 1, text);
}

static int put_whole(const struct writing *w, int64_t k, char *text)
{
    return sp_decimal_write_count((int64_t)w->a->val[w->from[k]], text);
}

/* The shortest decimal; a point is needed, since the format has digits behind one. */
static int put_double(double x, char *text)
{
    const int n = sp_decimal_write(x, text);
    if (memchr(text, '.', (size_t)n) || memchr(text, 'n', (size_t)n))
        return n; /* it has one, or is nan or inf */
    const char *exponent = memchr(text, 'e', (size_t)n);
    const int at = exponent ? (int)(exponent - text) : n;
    memmove(text + at + 1, text + at, (size_t)(n - at));
    text[at] = '.';
    return n + 1;
}

static int put_real(const struct writing *w, int64_t k, char *text)
{
    return put_double(w->a->val[w->from[k]], text);
}

static int put_part(const struct writing *w, int64_t k, char *text)
{
    return put_double(w->a->val[2 * w->from[k / 2] + k % 2], text);
}

static int64_t lines_of(const struct fields *f)
{
    return (f->n + f->per_line - 1) / f->per_line;
}

static int digits_of(int64_t n)
{
    char text[SP_DECIMAL_MAX];
    return sp_decimal_write_count(n, text);
}

static struct fields fields_of(int64_t n, int width, int (*put)(const struct writing *, int64_t, char *))
{
    return (struct fields){n, width, 80 / width > 0 ? 80 / width : 1, put};
}

/* Lines begin .. end. */
static size_t format_lines(const struct writing *w, const struct fields *f, int64_t begin, int64_t end,
                           char *text)
{
    char *t = text, number[2 * SP_DECIMAL_MAX];
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = i * f->per_line, left = f->n - first;
        for (int k = 0; k < f->per_line && k < left; k++) {
            const int n = f->put(w, first + k, number);
            memset(t, ' ', (size_t)(f->width - n));
            memcpy(t + f->width - n, number, (size_t)n);
            t += f->width;
        }
        *t++ = '\n';
    }
    return (size_t)(t - text);
}

static enum sp_status poll(const struct writing *w, double fraction, struct sp_error *err)
{
    const struct sp_mtx_write_options *o = w->options;
    if (o->progress)
        o->progress(o->context, fraction);
    return o->interrupted && o->interrupted(o->context)
               ? sp_fail(err, SP_INTERRUPTED, NULL, "writing was interrupted")
               : SP_OK;
}

static enum sp_status put_fields(const struct writing *w, const struct fields *f, double done, double share,
                                 struct sp_error *err)
{
    const int64_t n_lines = lines_of(f);
    const size_t room = (size_t)LINES_AT_ONCE * (size_t)(f->per_line * f->width + 1);
    void *p;
    enum sp_status status = sp_new_array(w->n_threads, room, "the writer's buffers", &p, err);
    char *text = p;
    size_t length[64];
    for (int64_t at = 0; at < n_lines && status == SP_OK; at += (int64_t)LINES_AT_ONCE * w->n_threads) {
#pragma omp parallel for schedule(static, 1) num_threads(w->n_threads)
        for (int t = 0; t < w->n_threads; t++) {
            const int64_t begin = at + (int64_t)t * LINES_AT_ONCE, end = begin + LINES_AT_ONCE;
            length[t] = format_lines(w, f, begin < n_lines ? begin : n_lines, end < n_lines ? end : n_lines,
                                     text + (size_t)t * room);
        }
        for (int t = 0; t < w->n_threads; t++)
            fwrite(text + (size_t)t * room, 1, length[t], w->stream); /* errors are noticed at commit */
        status = poll(w, done + share * (double)at / (double)n_lines, err);
    }
    free(text);
    return status;
}

static bool is_written(const struct writing *w, int64_t row, int32_t col)
{
    return w->symmetry == SP_GENERAL || col <= row;
}

/* What turn() takes beside the matrix. */
static enum sp_status check_memory(const char *path, const struct sp_csr *a, struct sp_error *err)
{
    struct sp_meminfo memory;
    struct sp_load_options options = {0};
    const struct sp_load_size none = {0};
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        options.memory_limit_B = (double)memory.available_B;
    const double bytes = 8 * (double)(a->n_c + 1) + 12 * (double)a->n_nz;
    return sp_load_check_memory(path, &options, &none, bytes, "the columns, beside the matrix", err);
}

/* Rows to columns, by counting. */
static enum sp_status turn(struct writing *w, struct sp_error *err)
{
    const struct sp_csr *a = w->a;
    void *p;
    enum sp_status status = sp_new_array(a->n_c + 1, sizeof *w->pointers, "the pointers of columns", &p, err);
    if (status != SP_OK)
        return status;
    w->pointers = p;
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            w->pointers[a->col[k] + 1] += is_written(w, i, a->col[k]);
    for (int64_t j = 0; j < a->n_c; j++)
        w->pointers[j + 1] += w->pointers[j];
    w->n_nz = w->pointers[a->n_c];
    status = sp_new_array(w->n_nz, sizeof *w->row, "the rows of columns", &p, err);
    w->row = p;
    if (status == SP_OK)
        status = sp_new_array(w->n_nz, sizeof *w->from, "the entries of columns", &p, err);
    w->from = status == SP_OK ? p : NULL;
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            if (!is_written(w, i, a->col[k]))
                continue;
            const int64_t to = w->pointers[a->col[k]]++;
            w->row[to] = (int32_t)i;
            w->from[to] = k;
        }
    for (int64_t j = a->n_c; j > 0; j--)
        w->pointers[j] = w->pointers[j - 1];
    w->pointers[0] = 0;
    return SP_OK;
}

/* As wide as the longest value takes. */
static struct fields value_fields(const struct writing *w)
{
    struct fields f = {w->n_nz, 2, 1, put_real};
    if (w->field == SP_FIELD_COMPLEX)
        f = (struct fields){2 * w->n_nz, 2, 1, put_part};
    else if (w->field == SP_FIELD_INTEGER)
        f.put = put_whole;
    else if (w->field == SP_FIELD_PATTERN)
        f.n = 0;
    int width = f.width;
#pragma omp parallel for schedule(static) reduction(max : width) num_threads(w->n_threads)
    for (int64_t k = 0; k < f.n; k++) {
        char text[2 * SP_DECIMAL_MAX];
        const int n = f.put(w, k, text) + 1;
        width = n > width ? n : width;
    }
    return fields_of(f.n, width, f.put);
}

static enum sp_status put_file(const struct writing *w, struct sp_error *err)
{
    const struct sp_csr *a = w->a;
    const struct fields pointers = fields_of(a->n_c + 1, digits_of(w->n_nz + 1) + 1, put_pointer),
                        rows = fields_of(w->n_nz, digits_of(a->n_r) + 1, put_row), values = value_fields(w);
    char type[4] = {"ripc"[w->field],
                    w -> symmetry == SP_GENERAL ? (a->n_r == a->n_c ? 'u' : 'r') : "uszh"[w->symmetry], 'a',
                    '\0'},
         formats[3][24] = {"", "", ""};
    snprintf(formats[0], sizeof formats[0], "(%dI%d)", pointers.per_line, pointers.width);
    snprintf(formats[1], sizeof formats[1], "(%dI%d)", rows.per_line, rows.width);
    if (w->field == SP_FIELD_INTEGER)
        snprintf(formats[2], sizeof formats[2], "(%dI%d)", values.per_line, values.width);
    else if (w->field != SP_FIELD_PATTERN)
        snprintf(formats[2], sizeof formats[2], "(%dE%d.%d)", values.per_line, values.width,
                 values.width > 10 ? values.width - 9 : 1);
    const long long n[3] = {lines_of(&pointers), lines_of(&rows), lines_of(&values)};
    fprintf(w->stream, "%-72s%-8s\n%14lld %13lld %13lld %13lld\n", "written by spmodel", "spmodel",
            n[0] + n[1] + n[2], n[0], n[1], n[2]);
    fprintf(w->stream, "%-14s %13lld %13lld %13lld %13d\n%-16s%-16s%-20s\n", type, (long long)a->n_r,
            (long long)a->n_c, (long long)w->n_nz, 0, formats[0], formats[1], formats[2]);
    enum sp_status status = put_fields(w, &pointers, 0.1, 0.05, err);
    if (status == SP_OK)
        status = put_fields(w, &rows, 0.15, 0.25, err);
    return status == SP_OK ? put_fields(w, &values, 0.4, 0.6, err) : status;
}

enum sp_status sp_rb_write(const char *path, const struct sp_csr *a,
                           const struct sp_mtx_write_options *options, struct sp_error *err)
{
    bool holds;
    enum sp_status status = sp_csr_symmetry_holds(a, &holds, err);
    if (status != SP_OK)
        return status;
    struct writing w = {.a = a, .options = options, .field = sp_csr_plainest_field(a)};
    w.n_threads = options->n_threads < 1 ? 1 : options->n_threads > 64 ? 64 : options->n_threads;
    w.symmetry =
        holds && !options->general && !(w.field == SP_FIELD_PATTERN && a->symmetry == SP_SKEW_SYMMETRIC)
            ? a->symmetry
            : SP_GENERAL;
    status = check_memory(path, a, err);
    if (status == SP_OK)
        status = turn(&w, err);
    struct sp_atomic_file file = {0};
    if (status == SP_OK)
        status = sp_atomic_open(path, &file, err);
    if (status == SP_OK) {
        w.stream = file.stream;
        status = put_file(&w, err);
        if (status == SP_OK)
            status = sp_atomic_commit(&file, err);
        else
            sp_atomic_abort(&file);
    }
    free(w.pointers);
    free(w.row);
    free(w.from);
    return status;
}
