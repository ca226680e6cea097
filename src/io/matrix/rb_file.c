#include "io/matrix/rb_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "io/matrix/entries.h"
#include "io/matrix/rb_header.h"

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
