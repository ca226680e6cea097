#include "io/matrix/matrix_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "io/files/part_file.h"
#include "io/matrix/decimal.h"
#include "io/matrix/entries.h"
#include "io/matrix/load_options.h"
#include "sparse/csr/csr.h"
#include "sys/machine/pages.h"

enum { SMALL_SHARE = 1 << 18 };

/* The lines of pointers, of indices or of values. */
struct section {
    const char *begin, *end;
    int64_t line; /* 1-based: the first */
};

struct rb {
    const struct sp_rb_header *h;
    struct section section[SP_RB_PARTS];
    int n_threads;
    double held_B;
    int64_t *pointers; /* [n_c + 1] from 0 */
    int32_t *indices;  /* [n_nz] from 0 */
    double *values;    /* complex: two for each entry; NULL: pattern */
};

/* Where a number that is wrong stands. */
struct wrong {
    int64_t line, column; /* line INT64_MAX: none */
    const char *what;
};

static const char *line_end(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline ? newline : end;
}

static enum sp_status find_sections(struct rb *r, const char *text, int64_t n, struct sp_error *err)
{
    const char *p = text + r->h->body_begin, *end = text + n;
    int64_t line = r->h->body_line;
    for (int k = 0; k < SP_RB_PARTS; k++) {
        r->section[k] = (struct section){p, p, line};
        for (int64_t i = 0; i < r->h->n_lines[k]; i++, line++) {
            if (p >= end)
                return sp_fail_at(err, SP_INPUT, r->h->path, line, 0, "was its download or export cut off?",
                                  "the file ends inside the %s, of which %lld lines are missing",
                                  sp_rb_part_names[k], (long long)(r->h->n_lines[k] - i));
            p = line_end(p, end);
            p += p < end;
        }
        r->section[k].end = p;
    }
    for (; !r->h->right_hand_sides && p < end; line++) {
        const char *stop = line_end(p, end);
        for (const char *c = p; c < stop; c++)
            if (*c != ' ' && *c != '\r' && *c != '\t' && *c != '\x1a')
                return sp_fail_at(err, SP_INPUT, r->h->path, line, c - p + 1,
                                  "check the numbers of lines on line 2",
                                  "the file goes on after the last of its numbers");
        p = stop + (stop < end);
    }
    return SP_OK;
}

/* Takes number k from what stands in a field. */
typedef const char *take_number(struct rb *r, const struct sp_fortran_field *field, int64_t k, const char *p,
                                const char *end);

static const char *take_pointer(struct rb *r, const struct sp_fortran_field *field, int64_t k, const char *p,
                                const char *end)
{
    (void)field;
    int64_t x;
    const char *wrong = sp_fortran_whole(p, end, &x);
    r->pointers[k] = x - 1;
    return wrong ? wrong : x < 1 || x - 1 > r->h->n_nz ? "a pointer to no entry" : NULL;
}

static const char *take_index(struct rb *r, const struct sp_fortran_field *field, int64_t k, const char *p,
                              const char *end)
{
    (void)field;
    int64_t x;
    const char *wrong = sp_fortran_whole(p, end, &x);
    const bool inside = x >= 1 && x <= r->h->n_r;
    r->indices[k] = inside ? (int32_t)(x - 1) : 0;
    return wrong ? wrong : inside ? NULL : "a row that the matrix has not";
}

static const char *take_value(struct rb *r, const struct sp_fortran_field *field, int64_t k, const char *p,
                              const char *end)
{
    return sp_fortran_real(field, p, end, &r->values[k]);
}

static take_number *const takers[SP_RB_PARTS] = {take_pointer, take_index, take_value};

/* Line i of a part. */
static void take_line(struct rb *r, enum sp_rb_part part, int64_t i, const char *p, const char *stop,
                      struct wrong *w)
{
    const struct sp_fortran_format *f = &r->h->format[part];
    const int64_t first = i * f->n, left = r->h->n_numbers[part] - first;
    if (stop > p && stop[-1] == '\r')
        stop--;
    for (int k = 0; k < f->n && k < left; k++) {
        const struct sp_fortran_field *field = &f->field[k];
        const char *begin = stop - p < field->start ? stop : p + field->start,
                   *end = stop - begin < field->width ? stop : begin + field->width;
        const char *what = takers[part](r, field, first + k, begin, end);
        if (what && w->line == INT64_MAX)
            *w = (struct wrong){r->section[part].line + i, field->start + 1, what};
    }
}

/* Share t of n: complete lines. */
static const char *cut(const struct section *s, int t, int n)
{
    const int64_t size = s->end - s->begin;
    if (t == 0 || size == 0)
        return s->begin;
    if (t == n)
        return s->end;
    const char *p = line_end(s->begin + size / n * t, s->end);
    return p < s->end ? p + 1 : p;
}

static int64_t count_lines(const char *p, const char *end)
{
    int64_t n = 0;
    for (; p < end; n++) {
        p = line_end(p, end);
        p += p < end;
    }
    return n;
}

static enum sp_status read_section(struct rb *r, enum sp_rb_part part, struct sp_error *err)
{
    const struct section *s = &r->section[part];
    const int64_t by_size = 1 + (s->end - s->begin) / SMALL_SHARE;
    const int n = r->n_threads < by_size ? r->n_threads : (int)by_size;
    void *p;
    enum sp_status status = sp_new_array(n + 1, sizeof(int64_t), "the reader's shares", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *first = p; /* line of each share */
    struct wrong wrong = {.line = INT64_MAX};
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int t = 0; t < n; t++)
        first[t + 1] = count_lines(cut(s, t, n), cut(s, t + 1, n));
    for (int t = 0; t < n; t++)
        first[t + 1] += first[t];
#pragma omp parallel for schedule(static, 1) num_threads(n)
    for (int t = 0; t < n; t++) {
        struct wrong mine = {.line = INT64_MAX};
        const char *end = cut(s, t + 1, n);
        int64_t i = first[t];
        for (const char *q = cut(s, t, n); q < end && mine.line == INT64_MAX; i++) {
            const char *stop = line_end(q, end);
            take_line(r, part, i, q, stop, &mine);
            q = stop + (stop < end);
        }
#pragma omp critical(sp_rb_wrong)
        if (mine.line < wrong.line)
            wrong = mine;
    }
    free(first);
    if (wrong.line == INT64_MAX)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, r->h->path, wrong.line, wrong.column,
                      "is its format on line 4 right, and the file whole?", "among the %s: %s",
                      sp_rb_part_names[part], wrong.what);
}

/* Line and column of number k of a part. */
static void place_of(const struct rb *r, enum sp_rb_part part, int64_t k, int64_t *line, int64_t *column)
{
    const struct sp_fortran_format *f = &r->h->format[part];
    *line = r->section[part].line + k / f->n;
    *column = f->field[k % f->n].start + 1;
}

static enum sp_status check_pointers(const struct rb *r, struct sp_error *err)
{
    const int64_t n_c = r->h->n_c;
    for (int64_t j = 0; j <= n_c; j++) {
        const int64_t low = j == 0 ? 0 : r->pointers[j - 1], high = j == 0 ? 0 : r->h->n_nz;
        if (r->pointers[j] >= low && r->pointers[j] <= high && (j < n_c || r->pointers[j] == r->h->n_nz))
            continue;
        int64_t line, column;
        place_of(r, SP_RB_POINTERS, j, &line, &column);
        return sp_fail_at(err, SP_INPUT, r->h->path, line, column,
                          "is its format on line 4 right, and the file whole?",
                          "pointer %lld is %lld; they must ascend from 1 to %lld, the entries and one more",
                          (long long)j + 1, (long long)r->pointers[j] + 1, (long long)r->h->n_nz + 1);
    }
    return SP_OK;
}

static bool get(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *c)
{
    const struct rb *r = source;
    const struct sp_rb_header *h = r->h;
    const int per_entry = h->field == SP_FIELD_COMPLEX ? 2 : 1;
    int64_t j = sp_entries_line_of(r->pointers, h->n_c, first);
    bool diagonal = false;
    for (int64_t k = 0; k < n; k++) {
        while (first + k >= r->pointers[j + 1])
            j++;
        c->row[k] = r->indices[first + k];
        c->col[k] = (int32_t)j;
        diagonal |= c->row[k] == c->col[k];
    }
    c->n = n;
    for (int64_t k = 0; k < n * per_entry && values; k++)
        c->val[k] = r->values ? r->values[first * per_entry + k] : 1;
    return !(diagonal && h->symmetry == SP_SKEW_SYMMETRIC);
}

/* The first entry that a symmetric file must not have. */
static enum sp_status fault(const void *source, struct sp_error *err)
{
    const struct rb *r = source;
    int side = 0;
    int64_t j = 0, line, column;
    for (int64_t k = 0; k < r->h->n_nz && r->h->symmetry != SP_GENERAL; k++) {
        while (k >= r->pointers[j + 1])
            j++;
        const int64_t i = r->indices[k];
        const int here = (i > j) - (i < j);
        place_of(r, SP_RB_INDICES, k, &line, &column);
        if (here == 0 && r->h->symmetry == SP_SKEW_SYMMETRIC)
            return sp_fail_at(err, SP_INPUT, r->h->path, line, column,
                              "leave the diagonal out, or say U for the second letter of the type",
                              "a skew-symmetric matrix has no entry on its diagonal (%lld, %lld)",
                              (long long)i + 1, (long long)j + 1);
        if (here * side < 0)
            return sp_fail_at(err, SP_INPUT, r->h->path, line, column,
                              "give one triangle, or say U for the second letter of the type",
                              "entry (%lld, %lld) lies in the other triangle than those before, and the "
                              "matrix is said to be %s",
                              (long long)i + 1, (long long)j + 1, sp_symmetry_name(r->h->symmetry));
        side = side ? side : here;
    }
    return SP_OK;
}

static bool has_both_triangles(const struct rb *r)
{
    bool lower = false, upper = false;
#pragma omp parallel for schedule(static) num_threads(r->n_threads) reduction(|| : lower, upper)
    for (int64_t j = 0; j < r->h->n_c; j++)
        for (int64_t k = r->pointers[j]; k < r->pointers[j + 1]; k++) {
            lower = lower || r->indices[k] > j;
            upper = upper || r->indices[k] < j;
        }
    return lower && upper;
}

static enum sp_status take_memory(struct rb *r, const struct sp_load_options *o, struct sp_error *err)
{
    const struct sp_rb_header *h = r->h;
    const struct sp_load_size size = {h->n_r, h->n_c, h->n_nz, h->field, false};
    r->held_B = 8 * (double)(h->n_c + 1) + 4 * (double)h->n_nz + 8 * (double)h->n_numbers[SP_RB_VALUES];
    enum sp_status status =
        sp_load_check_memory(h->path, o, &size, r->held_B + sp_csr_bytes(h->n_r, h->n_nz, h->field),
                             "the matrix beside the columns of the file", err);
    void *p = NULL;
    if (status == SP_OK)
        status = sp_new_array(h->n_c + 1, sizeof *r->pointers, "the pointers of the file", &p, err);
    r->pointers = p;
    if (status == SP_OK)
        status = sp_new_array(h->n_nz, sizeof *r->indices, "the indices of the file", &p, err);
    r->indices = status == SP_OK ? p : NULL;
    if (status == SP_OK && h->field != SP_FIELD_PATTERN)
        status =
            sp_new_array(h->n_numbers[SP_RB_VALUES], sizeof *r->values, "the values of the file", &p, err);
    r->values = status == SP_OK && h->field != SP_FIELD_PATTERN ? p : NULL;
    return status;
}

static enum sp_status read_body(struct rb *r, const struct sp_load_options *o, struct sp_csr *matrix,
                                struct sp_load_facts *facts, struct sp_error *err)
{
    const struct sp_rb_header *h = r->h;
    const double start = sp_now();
    enum sp_status status = take_memory(r, o, err);
    if (status == SP_OK)
        status = read_section(r, SP_RB_POINTERS, err);
    if (status == SP_OK)
        status = check_pointers(r, err);
    if (status == SP_OK)
        status = sp_entries_poll(h->path, o, 0.1, err);
    if (status == SP_OK)
        status = read_section(r, SP_RB_INDICES, err);
    if (status == SP_OK)
        status = sp_entries_poll(h->path, o, 0.2, err);
    if (status == SP_OK && r->values)
        status = read_section(r, SP_RB_VALUES, err);
    if (status == SP_OK && h->symmetry != SP_GENERAL && has_both_triangles(r))
        status = fault(r, err);
    facts->parse_s = sp_now() - start;
    if (status != SP_OK)
        return status;
    const struct sp_entries e = {.path = h->path,
                                 .n_r = h->n_r,
                                 .n_c = h->n_c,
                                 .n_places = h->n_nz,
                                 .field = h->field,
                                 .symmetry = h->symmetry,
                                 .held_B = r->held_B,
                                 .source = r,
                                 .get = get,
                                 .fault = fault};
    return sp_entries_read(&e, o, matrix, facts, err);
}

enum sp_status sp_rb_read(const char *path, const char *text, int64_t n,
                          const struct sp_load_options *options, struct sp_csr *matrix,
                          struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    struct sp_rb_header h;
    struct rb r = {.h = &h, .n_threads = options->n_threads < 1 ? 1 : options->n_threads};
    enum sp_status status = sp_rb_header_read(path, text, n, &h, err);
    const double start = sp_now();
    if (status == SP_OK)
        status = find_sections(&r, text, n, err);
    facts->open_s += sp_now() - start;
    if (status == SP_OK)
        status = read_body(&r, options, matrix, facts, err);
    if (status == SP_OK) {
        facts->text_B = (double)n;
        snprintf(facts->format, sizeof facts->format, "%s %s",
                 h.right_hand_sides ? "Harwell-Boeing" : "Rutherford-Boeing", h.type);
    }
    free(r.pointers);
    free(r.indices);
    free(r.values);
    return status;
}

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
