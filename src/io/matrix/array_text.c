#include "io/matrix/array_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/atomic_file.h"
#include "io/files/input_file.h"
#include "io/matrix/decimal.h"
#include "io/matrix/mtx_scan.h"
#include "sparse/csr/permute.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* One number, two of a complex one, and nothing else. */
static bool is_value(const struct sp_array_item *item, enum sp_field field)
{
    const char *p = item->text, *end = item->text + item->length;
    for (int parts = field == SP_FIELD_COMPLEX ? 2 : 1; parts > 0; parts--) {
        double value;
        bool overflow;
        while (p < end && is_blank(*p))
            p++;
        p = p < end ? sp_decimal_read(p, end, &value, &overflow) : NULL;
        if (!p || (p < end && !is_blank(*p)))
            return false;
    }
    return p == end;
}

/* The next line with something in it from *at on; false at the end. */
static bool next_item(const struct sp_array_text *a, int64_t *at, int64_t *line, struct sp_array_item *item)
{
    const int64_t n = (int64_t)a->n;
    while (*at < n) {
        const char *begin = a->bytes + *at, *newline = memchr(begin, '\n', (size_t)(n - *at));
        const char *end = newline ? newline : a->bytes + n;
        *at = end - a->bytes + 1;
        *item = (struct sp_array_item){.line = (*line)++};
        while (begin < end && is_blank(*begin))
            begin++;
        while (end > begin && is_blank(end[-1]))
            end--;
        item->text = begin;
        item->length = end - begin;
        if (item->length > 0 && *begin != '%')
            return true;
    }
    return false;
}

static enum sp_status read_items(const char *path, const struct sp_mtx_header *h, struct sp_array_text *a,
                                 struct sp_error *err)
{
    int64_t at = h->body_begin, line = h->body_line;
    struct sp_array_item item;
    for (int64_t i = 0; i < h->n_entries; i++) {
        if (!next_item(a, &at, &line, &item))
            return sp_fail_at(err, SP_INPUT, path, h->size_line, 0, "is the file complete?",
                              "the sizes say %lld values, the file has %lld", (long long)h->n_entries,
                              (long long)i);
        if (!is_value(&item, h->field))
            return sp_fail_at(err, SP_INPUT, path, item.line, 0, NULL, "this is no %s number",
                              sp_field_name(h->field));
        a->item[i] = item;
    }
    if (next_item(a, &at, &line, &item))
        return sp_fail_at(err, SP_INPUT, path, item.line, 0, NULL,
                          "there are more values than the %lld of the sizes", (long long)h->n_entries);
    return SP_OK;
}

enum sp_status sp_array_text_read(const char *path, struct sp_array_text *a, struct sp_error *err)
{
    static const char remedy[] =
        "a vector is a file '%%MatrixMarket matrix array real general' with one number a line";
    struct sp_mtx_header h;
    void *p;
    memset(a, 0, sizeof *a);
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, &a->bytes, &a->n, err);
    if (status == SP_OK)
        status = sp_mtx_header_read(path, a->bytes, (int64_t)a->n, &h, err);
    if (status == SP_OK && (h.format != SP_MTX_ARRAY || h.symmetry != SP_GENERAL))
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, remedy, "this is a matrix, not a vector");
    if (status == SP_OK)
        status = sp_new_array(h.n_entries, sizeof *a->item, "the values of a vector", &p, err);
    if (status == SP_OK) {
        a->item = p;
        a->field = h.field;
        a->n_r = h.n_r;
        a->n_c = h.n_c;
        status = read_items(path, &h, a, err);
    }
    if (status != SP_OK)
        sp_array_text_free(a);
    return status;
}

void sp_array_text_free(struct sp_array_text *a)
{
    free(a->item);
    free(a->bytes);
    memset(a, 0, sizeof *a);
}

enum sp_status sp_array_text_write(const char *path, const struct sp_array_text *a, const int32_t *from,
                                   bool inverse, const char *comment, struct sp_error *err)
{
    void *p = NULL;
    struct sp_atomic_file file;
    enum sp_status status = sp_new_array(a->n_r, sizeof *from, "a permutation", &p, err);
    if (status == SP_OK)
        status = sp_atomic_open(path, &file, err);
    if (status == SP_OK) {
        int32_t *inverted = p;
        if (inverse)
            sp_permutation_invert(from, a->n_r, inverted);
        const int32_t *source = inverse ? inverted : from;
        fprintf(file.stream, "%%%%MatrixMarket matrix array %s general\n%% %s\n%lld %lld\n",
                sp_field_name(a->field), comment, (long long)a->n_r, (long long)a->n_c);
        for (int64_t k = 0; k < a->n_c; k++)
            for (int64_t i = 0; i < a->n_r; i++) {
                const struct sp_array_item *item = &a->item[k * a->n_r + source[i]];
                fwrite(item->text, 1, (size_t)item->length, file.stream);
                putc('\n', file.stream);
            }
        status = sp_atomic_commit(&file, err);
    }
    free(p);
    return status;
}

/* ---- permutations ---- */

static enum sp_status read_number(const char *path, const struct sp_array_item *item, int64_t n,
                                  int32_t *number, struct sp_error *err)
{
    double value = 0;
    bool overflow;
    sp_decimal_read(item->text, item->text + item->length, &value, &overflow);
    if (!(value >= 1 && value <= (double)n) || value != (double)(int64_t)value)
        return sp_fail_at(err, SP_INPUT, path, item->line, 0, "a permutation names every row exactly once",
                          "%.*s is no row: they are numbered from 1 to %lld", (int)item->length, item->text,
                          (long long)n);
    *number = (int32_t)((int64_t)value - 1);
    return SP_OK;
}

enum sp_status sp_permutation_read(const char *path, int32_t **perm, int64_t *n, struct sp_error *err)
{
    struct sp_array_text a;
    void *p = NULL;
    *perm = NULL;
    *n = 0;
    enum sp_status status = sp_array_text_read(path, &a, err);
    if (status != SP_OK)
        return status;
    if (a.n_c != 1 || a.field == SP_FIELD_COMPLEX || a.n_r > SP_MAX_DIMENSION)
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, "it is an array of one column of whole numbers",
                            "this is no permutation");
    if (status == SP_OK)
        status = sp_new_array(a.n_r, sizeof **perm, "a permutation", &p, err);
    int32_t *number = p;
    for (int64_t i = 0; i < a.n_r && status == SP_OK; i++)
        status = read_number(path, &a.item[i], a.n_r, &number[i], err);
    if (status == SP_OK && sp_permutation_check(number, a.n_r, err) != SP_OK)
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "a permutation names every row exactly once",
                            "this is no permutation: a number stands in it twice");
    if (status == SP_OK) {
        *perm = number;
        *n = a.n_r;
    } else {
        free(number);
    }
    sp_array_text_free(&a);
    return status;
}

enum sp_status sp_permutation_write(const char *path, const int32_t *perm, int64_t n, const char *comment,
                                    struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    fprintf(file.stream, "%%%%MatrixMarket matrix array integer general\n%% %s\n%lld 1\n", comment,
            (long long)n);
    for (int64_t i = 0; i < n; i++)
        fprintf(file.stream, "%ld\n", (long)(perm ? perm[i] : i) + 1);
    return sp_atomic_commit(&file, err);
}
