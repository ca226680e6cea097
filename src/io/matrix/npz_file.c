#include "io/matrix/matrix_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "io/files/archive.h"
#include "io/files/part_file.h"
#include "io/matrix/entries.h"
#include "sparse/csr/csr.h"

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

/* Of the first 12 bytes: where the header begins and how long it is. False: these are no .npy's. */
static bool npy_prefix(const unsigned char *b, int64_t n, int64_t *begin, int64_t *length)
{
    *begin = *length = 0;
    if (n < 10 || memcmp(b, magic, sizeof magic) != 0 || b[6] < 1 || b[6] > 3)
        return false;
    const bool old = b[6] == 1;
    if (!old && n < SP_NPY_PREFIX)
        return false;
    *begin = old ? 10 : SP_NPY_PREFIX;
    *length = b[8] + b[9] * 256;
    if (!old)
        *length += b[10] * INT64_C(65536) + b[11] * INT64_C(16777216);
    return true;
}

/* The dictionary as far as it was read. */
struct cursor {
    const char *p, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
        c->p++;
}

static bool take(struct cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->p >= c->end || *c->p != wanted)
        return false;
    c->p++;
    return true;
}

/* 'text' or "text". */
static bool take_string(struct cursor *c, char *text, size_t size)
{
    skip_blanks(c);
    if (c->p >= c->end || (*c->p != '\'' && *c->p != '"'))
        return false;
    const char quote = *c->p++;
    const char *closing = memchr(c->p, quote, (size_t)(c->end - c->p));
    if (!closing || (size_t)(closing - c->p) >= size)
        return false;
    memcpy(text, c->p, (size_t)(closing - c->p));
    text[closing - c->p] = '\0';
    c->p = closing + 1;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    skip_blanks(c);
    const size_t n = strlen(word);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
        return false;
    c->p += n;
    return true;
}

static bool take_number(struct cursor *c, int64_t *number)
{
    skip_blanks(c);
    const char *begin = c->p;
    *number = 0;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *c->p - '0', number))
            return false;
    const bool any = c->p > begin;
    if (c->p < c->end && *c->p == 'L') /* Python 2 */
        c->p++;
    return any;
}

/* (2, 3) */
static bool take_shape(struct cursor *c, struct sp_npy *a)
{
    if (!take(c, '('))
        return false;
    while (!take(c, ')')) {
        if (a->n_dims == SP_NPY_DIMS || !take_number(c, &a->dim[a->n_dims]))
            return false;
        a->n_dims++;
        if (!take(c, ',') && (skip_blanks(c), c->p >= c->end || *c->p != ')'))
            return false;
    }
    return true;
}

/* "<f8": order, kind, bytes. */
static const char *read_descr(struct sp_npy *a)
{
    const char *p = a->descr;
    char *end;
    const bool little = *p == '<' || *p == '=' || *p == '|';
    if (!little && *p != '>')
        return "its type has no byte order";
    a->kind = p[1];
    if (!a->kind || !strchr("fciubSU", a->kind) || p[2] < '0' || p[2] > '9')
        return "its type is none that a sparse matrix has";
    const long size = strtol(p + 2, &end, 10);
    if (*end || size > 1 << 20)
        return "its type is none that a sparse matrix has";
    a->swapped = !little && size > 1;
    a->size = (int)size * (a->kind == 'U' ? 4 : 1);
    return NULL;
}

/* NULL, or what is wrong with the header text[n]. */
static const char *npy_parse(const char *text, int64_t n, struct sp_npy *a)
{
    struct cursor c = {text, text + n};
    char key[16];
    bool has_shape = false, has_order = false;
    memset(a, 0, sizeof *a);
    for (int k = 0; k < SP_NPY_DIMS; k++)
        a->dim[k] = 1;
    if (!take(&c, '{'))
        return "its header is no dictionary";
    while (!take(&c, '}')) {
        if (!take_string(&c, key, sizeof key) || !take(&c, ':'))
            return "its header is no dictionary";
        bool ok = false;
        if (strcmp(key, "descr") == 0) {
            ok = take_string(&c, a->descr, sizeof a->descr);
        } else if (strcmp(key, "fortran_order") == 0) {
            a->fortran = take_word(&c, "True");
            ok = has_order = a->fortran || take_word(&c, "False");
        } else if (strcmp(key, "shape") == 0 && !has_shape) {
            ok = has_shape = take_shape(&c, a);
        }
        if (!ok)
            return "its header has an entry that is none of an array of numbers";
        take(&c, ',');
    }
    if (!has_shape || !has_order || !a->descr[0])
        return "its header lacks descr, fortran_order or shape";
    const char *wrong = read_descr(a);
    if (wrong)
        return wrong;
    a->n = 1;
    bool empty = false;
    for (int k = 0; k < a->n_dims; k++)
        empty |= a->dim[k] == 0;
    for (int k = 0; k < a->n_dims && !empty; k++)
        if (__builtin_mul_overflow(a->n, a->dim[k], &a->n))
            return "its shape is beyond all memory";
    a->n = empty ? 0 : a->n;
    return __builtin_mul_overflow(a->n, a->size, &a->bytes) ? "its shape is beyond all memory" : NULL;
}

/* Element k of an array that lies at any address. */
static inline uint16_t load16(const char *p, int64_t k, bool swapped)
{
    uint16_t x;
    memcpy(&x, p + 2 * k, sizeof x);
    return swapped ? __builtin_bswap16(x) : x;
}

static inline uint32_t load32(const char *p, int64_t k, bool swapped)
{
    uint32_t x;
    memcpy(&x, p + 4 * k, sizeof x);
    return swapped ? __builtin_bswap32(x) : x;
}

static inline uint64_t load64(const char *p, int64_t k, bool swapped)
{
    uint64_t x;
    memcpy(&x, p + 8 * k, sizeof x);
    return swapped ? __builtin_bswap64(x) : x;
}

/* Elements first .. first + n as they lie in the file. Whole numbers of kinds i and u; those beyond
 * int64_t become -1. */
static void npy_whole(const struct sp_npy *a, int64_t first, int64_t n, int64_t *to)
{
    const bool s = a->swapped, is_signed = a->kind == 'i';
    const char *p = (const char *)a->data + first * a->size;
    switch (a->size) {
    case 1:
        for (int64_t k = 0; k < n; k++)
            to[k] = is_signed ? (int64_t)(int8_t)p[k] : (int64_t)(uint8_t)p[k];
        break;
    case 2:
        for (int64_t k = 0; k < n; k++)
            to[k] = is_signed ? (int64_t)(int16_t)load16(p, k, s) : (int64_t)load16(p, k, s);
        break;
    case 4:
        for (int64_t k = 0; k < n; k++)
            to[k] = is_signed ? (int64_t)(int32_t)load32(p, k, s) : (int64_t)load32(p, k, s);
        break;
    default:
        for (int64_t k = 0; k < n; k++) {
            const uint64_t x = load64(p, k, s);
            to[k] = is_signed || x <= INT64_MAX ? (int64_t)x : -1;
        }
    }
}

static void singles(const char *p, bool swapped, int64_t n, double *to)
{
    for (int64_t k = 0; k < n; k++) {
        const uint32_t bits = load32(p, k, swapped);
        float x;
        memcpy(&x, &bits, sizeof x);
        to[k] = (double)x;
    }
}

static void doubles(const char *p, bool swapped, int64_t n, double *to)
{
    if (!swapped) {
        memcpy(to, p, (size_t)n * sizeof *to);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        const uint64_t bits = load64(p, k, true);
        memcpy(&to[k], &bits, sizeof bits);
    }
}

/* Signed ones, and unsigned ones, which may be beyond int64_t. */
static void wholes(const struct sp_npy *a, const char *p, int64_t first, int64_t n, double *to)
{
    int64_t whole[256];
    if (a->kind == 'u' && a->size == 8) {
        for (int64_t k = 0; k < n; k++)
            to[k] = (double)load64(p, k, a->swapped);
        return;
    }
    for (int64_t k = 0; k < n; k += 256) {
        const int64_t m = n - k < 256 ? n - k : 256;
        npy_whole(a, first + k, m, whole);
        for (int64_t i = 0; i < m; i++)
            to[k + i] = (double)whole[i];
    }
}

/* Of kinds f (4, 8), i, u, b, and c (8, 16), which gives two numbers for each element. */
static void npy_real(const struct sp_npy *a, int64_t first, int64_t n, double *to)
{
    const char *p = (const char *)a->data + first * a->size;
    const int parts = a->kind == 'c' ? 2 : 1;
    if ((a->kind == 'f' || a->kind == 'c') && a->size == 4 * parts)
        singles(p, a->swapped, parts * n, to);
    else if (a->kind == 'f' || a->kind == 'c')
        doubles(p, a->swapped, parts * n, to);
    else if (a->kind == 'b')
        for (int64_t k = 0; k < n; k++)
            to[k] = p[k] ? 1 : 0;
    else
        wholes(a, p, first, n, to);
}

int sp_npy_write_header(const char *descr, int n_dims, const int64_t *dim, char *text)
{
    char shape[80] = "";
    size_t used = 0;
    for (int k = 0; k < n_dims; k++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%lld,%s", (long long)dim[k],
                                 k < n_dims - 1 ? " " : "");
    memcpy(text, magic, sizeof magic);
    text[6] = 1;
    text[7] = 0;
    int n = 10 + snprintf(text + 10, SP_NPY_HEADER - 10,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    const int end = (n + 1 + 63) / 64 * 64;
    memset(text + n, ' ', (size_t)(end - 1 - n));
    text[end - 1] = '\n';
    text[8] = (char)((end - 10) % 256);
    text[9] = (char)((end - 10) / 256);
    return end;
}

static const char again[] = "write it again with scipy.sparse.save_npz";

enum array { FORMAT, SHAPE, DATA, INDICES, INDPTR, ROW, COL, COORDS, OFFSETS, N_ARRAYS };
static const char *const names[N_ARRAYS] = {"format", "shape", "data",   "indices", "indptr",
                                            "row",    "col",   "coords", "offsets"};

enum layout { CSR, CSC, COO, BSR, DIA, N_LAYOUTS };
static const char *const layouts[N_LAYOUTS] = {"csr", "csc", "coo", "bsr", "dia"};

struct npz {
    const char *path;
    struct sp_load_options options;
    struct sp_npy array[N_ARRAYS]; /* .data NULL: not there */
    void *unpacked[N_ARRAYS];      /* of compressed arrays, else NULL: the data lie in the file */
    double held_B;                 /* of all arrays */
    enum layout layout;
    enum sp_field field;
    int64_t n_r, n_c;
    int64_t *pointers;  /* csr, csc, bsr: [n_lines + 1], checked */
    int64_t n_lines;    /* rows, columns, rows of blocks */
    int64_t n_given;    /* entries, blocks, values of all diagonals */
    int64_t b_r, b_c;   /* bsr: of a block */
    int64_t *diagonals; /* dia: [dim 0 of data] */
};

static void free_npz(struct npz *z)
{
    for (int k = 0; k < N_ARRAYS; k++)
        free(z->unpacked[k]);
    free(z->pointers);
    free(z->diagonals);
}

static enum sp_status fail_array(const struct npz *z, enum array k, const char *what, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again, "%s.npy: %s", names[k], what);
}

/* More memory, if it may be taken. */
static enum sp_status hold(struct npz *z, int64_t n, size_t size, const char *what, void **p,
                           struct sp_error *err)
{
    const struct sp_load_size none = {0};
    z->held_B += (double)n * (double)size;
    *p = NULL;
    const enum sp_status status =
        sp_load_check_memory(z->path, &z->options, &none, z->held_B, "the arrays of the file", err);
    return status == SP_OK ? sp_new_array(n, size, what, p, err) : status;
}

/* In pieces, so that the user can give up between them. */
static enum sp_status read_exactly(const struct npz *z, struct sp_zip *zip, enum array k, void *to, int64_t n,
                                   struct sp_error *err)
{
    const int64_t piece = INT64_C(1) << 26;
    for (int64_t done = 0, got = 0; done < n; done += got) {
        const int64_t m = n - done < piece ? n - done : piece;
        enum sp_status status = sp_zip_read(zip, (char *)to + done, m, &got, err);
        if (status == SP_OK && got < m)
            status = fail_array(z, k, "it ends inside its array", err);
        if (status == SP_OK && m == piece)
            status = sp_entries_poll(z->path, &z->options, 0.2, err);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

/* The .npy that the archive is at; `size` -1: not known. */
static enum sp_status read_array(struct npz *z, struct sp_zip *zip, enum array k, int64_t size,
                                 struct sp_error *err)
{
    unsigned char prefix[SP_NPY_PREFIX];
    int64_t begin, length;
    enum sp_status status = read_exactly(z, zip, k, prefix, 10, err);
    if (status == SP_OK && prefix[6] > 1)
        status = read_exactly(z, zip, k, prefix + 10, 2, err);
    if (status != SP_OK)
        return status;
    if (!npy_prefix(prefix, SP_NPY_PREFIX, &begin, &length))
        return fail_array(z, k, "this is no array of NumPy", err);
    char header[1 << 12];
    if (length > (int64_t)sizeof header)
        return fail_array(z, k, "its header is too long for an array of numbers", err);
    status = read_exactly(z, zip, k, header, length, err);
    if (status != SP_OK)
        return status;
    struct sp_npy a;
    const char *wrong = npy_parse(header, length, &a);
    if (!wrong && size >= 0 && a.bytes > size - begin - length)
        wrong = "it is shorter than its header says";
    if (wrong)
        return fail_array(z, k, wrong, err);
    a.data = sp_zip_borrow(zip, a.bytes);
    if (!a.data) {
        status = hold(z, a.bytes + 1, 1, "an array of the file", &z->unpacked[k], err);
        a.data = z->unpacked[k];
        if (status == SP_OK)
            status = read_exactly(z, zip, k, z->unpacked[k], a.bytes, err);
    }
    int64_t more = 0; /* the checksum is looked at behind the last byte */
    if (status == SP_OK)
        status = sp_zip_read(zip, prefix, 1, &more, err);
    if (status != SP_OK || more > 0)
        return status != SP_OK ? status : fail_array(z, k, "it goes on behind its array", err);
    z->array[k] = a;
    return SP_OK;
}

/* Its place in names, by "NAME.npy"; N_ARRAYS: none of them. */
static enum array find_name(const char *name)
{
    const size_t n = strlen(name);
    for (int k = 0; k < N_ARRAYS; k++)
        if (n == strlen(names[k]) + 4 && strncmp(name, names[k], n - 4) == 0 &&
            strcmp(name + n - 4, ".npy") == 0)
            return (enum array)k;
    return N_ARRAYS;
}

static enum sp_status read_arrays(struct npz *z, const char *text, int64_t n, struct sp_error *err)
{
    struct sp_zip *zip;
    const char *name;
    int64_t size;
    int n_read = 0;
    enum sp_status status = sp_zip_open(z->path, text, n, &zip, err);
    if (status != SP_OK)
        return status;
    while ((status = sp_zip_next(zip, &name, &size, err)) == SP_OK) {
        const enum array k = find_name(name);
        if (k == N_ARRAYS || z->array[k].data)
            continue;
        status = read_array(z, zip, k, size, err);
        if (status == SP_OK)
            status = sp_entries_poll(z->path, &z->options, 0.05 * ++n_read, err);
        if (status != SP_OK)
            break;
    }
    sp_zip_close(zip);
    return status == SP_NO ? SP_OK : status;
}

static bool is_index(const struct sp_npy *a)
{
    return (a->kind == 'i' || a->kind == 'u') &&
           (a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8);
}

/* There, of whole numbers, of n_dims dimensions. */
static enum sp_status want_index(const struct npz *z, enum array k, int n_dims, struct sp_error *err)
{
    const struct sp_npy *a = &z->array[k];
    char what[96];
    if (!a->data)
        return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                          "there is no %s.npy in the file, which a matrix in %s has", names[k],
                          layouts[z->layout]);
    if (is_index(a) && a->n_dims == n_dims)
        return SP_OK;
    snprintf(what, sizeof what, "it has type %s and %d dimension%s, not whole numbers in %d", a->descr,
             a->n_dims, a->n_dims == 1 ? "" : "s", n_dims);
    return fail_array(z, k, what, err);
}

static enum sp_status read_format(struct npz *z, struct sp_error *err)
{
    const struct sp_npy *a = &z->array[FORMAT];
    char word[8] = "";
    if (!a->data && !z->array[DATA].data && !z->array[SHAPE].data)
        return sp_fail_at(err, SP_INPUT, z->path, 0, 0,
                          "unpack it first, if a matrix is in it, or write one with scipy.sparse.save_npz",
                          "this is a ZIP archive, but no sparse matrix of SciPy");
    if (!a->data)
        return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                          "there is no format.npy in the file, as every sparse matrix of SciPy has");
    const int step = a->kind == 'U' ? 4 : 1;
    const char *letter = (const char *)a->data + (a->swapped ? 3 : 0);
    if ((a->kind == 'S' || a->kind == 'U') && a->n == 1 && a->size == 3 * step)
        for (int k = 0; k < 3; k++)
            word[k] = letter[k * step];
    for (int k = 0; k < N_LAYOUTS; k++)
        if (strcmp(word, layouts[k]) == 0) {
            z->layout = (enum layout)k;
            return SP_OK;
        }
    return fail_array(z, FORMAT, "it names none of csr, csc, coo, bsr and dia", err);
}

static enum sp_status read_shape(struct npz *z, struct sp_error *err)
{
    int64_t shape[2];
    enum sp_status status = want_index(z, SHAPE, 1, err);
    if (status != SP_OK)
        return status;
    if (z->array[SHAPE].n != 2)
        return fail_array(z, SHAPE, "the array has not two dimensions, as a matrix has", err);
    npy_whole(&z->array[SHAPE], 0, 2, shape);
    for (int k = 0; k < 2; k++)
        if (shape[k] < 0 || shape[k] > SP_MAX_DIMENSION)
            return sp_fail_at(err, SP_INPUT, z->path, 0, 0, "rows and columns are from 0 to 2147483647",
                              "shape.npy: %lld %s", (long long)shape[k], k ? "columns" : "rows");
    z->n_r = shape[0];
    z->n_c = shape[1];
    return SP_OK;
}

static enum sp_status read_field(struct npz *z, struct sp_error *err)
{
    const struct sp_npy *a = &z->array[DATA];
    if (!a->data)
        return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again, "there is no data.npy in the file");
    bool ok = is_index(a);
    z->field = SP_FIELD_INTEGER;
    if (a->kind == 'f' || a->kind == 'c') {
        z->field = a->kind == 'f' ? SP_FIELD_REAL : SP_FIELD_COMPLEX;
        ok = a->size == (a->kind == 'f' ? 4 : 8) || a->size == (a->kind == 'f' ? 8 : 16);
    } else if (a->kind == 'b') {
        ok = a->size == 1;
        z->field = memchr(a->data, 0, (size_t)a->n) && a->n > 0 ? SP_FIELD_INTEGER : SP_FIELD_PATTERN;
    }
    const int n_dims = z->layout == BSR ? 3 : z->layout == DIA ? 2 : 1;
    if (ok && a->n_dims == n_dims)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, z->path, 0, 0,
                      "save it as float64, for example: save_npz(name, A.astype(float))",
                      "data.npy: its type is %s and its dimensions are %d: %s has %d, of float32 or 64, "
                      "complex64 or 128, whole numbers or bool",
                      a->descr, a->n_dims, layouts[z->layout], n_dims);
}

/* indptr: from 0, never down, to the number of indices. */
static enum sp_status read_pointers(struct npz *z, struct sp_error *err)
{
    enum sp_status status = want_index(z, INDPTR, 1, err);
    if (status == SP_OK)
        status = want_index(z, INDICES, 1, err);
    if (status != SP_OK)
        return status;
    const struct sp_npy *a = &z->array[INDPTR];
    z->n_given = z->array[INDICES].n;
    if (a->n != z->n_lines + 1)
        return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                          "indptr.npy: it has %lld elements, not %lld as the shape asks for", (long long)a->n,
                          (long long)z->n_lines + 1);
    void *p;
    status = hold(z, a->n, sizeof *z->pointers, "the pointers of the file", &p, err);
    z->pointers = p;
    if (status != SP_OK)
        return status;
    npy_whole(a, 0, a->n, z->pointers);
    for (int64_t i = 0; i <= z->n_lines; i++) {
        const int64_t low = i == 0 ? 0 : z->pointers[i - 1];
        const bool ends = i < z->n_lines || z->pointers[i] == z->n_given;
        if (z->pointers[i] < low || z->pointers[i] > z->n_given || (i == 0 && z->pointers[0] != 0) || !ends)
            return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                              "indptr.npy: element %lld is %lld; they must ascend from 0 to %lld, the number "
                              "of indices",
                              (long long)i, (long long)z->pointers[i], (long long)z->n_given);
    }
    return SP_OK;
}

static enum sp_status fail_count(const struct npz *z, enum array k, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                      "%s.npy has %lld elements, which do not fit those of data.npy (%lld)", names[k],
                      (long long)z->array[k].n, (long long)z->array[DATA].n);
}

/* Rows, or columns, of entries. */
static enum sp_status set_up_compressed(struct npz *z, struct sp_error *err)
{
    z->n_lines = z->layout == CSR ? z->n_r : z->n_c;
    const enum sp_status status = read_pointers(z, err);
    return status == SP_OK && z->n_given != z->array[DATA].n ? fail_count(z, INDICES, err) : status;
}

static enum sp_status set_up_blocks(struct npz *z, struct sp_error *err)
{
    const struct sp_npy *data = &z->array[DATA];
    z->b_r = data->dim[1];
    z->b_c = data->dim[2];
    if (z->b_r < 1 || z->b_c < 1 || z->n_r % z->b_r || z->n_c % z->b_c)
        return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                          "data.npy: blocks of %lld x %lld do not divide %lld rows and %lld columns",
                          (long long)z->b_r, (long long)z->b_c, (long long)z->n_r, (long long)z->n_c);
    z->n_lines = z->n_r / z->b_r;
    const enum sp_status status = read_pointers(z, err);
    return status == SP_OK && z->n_given != data->dim[0] ? fail_count(z, INDICES, err) : status;
}

static enum sp_status set_up_diagonals(struct npz *z, struct sp_error *err)
{
    const struct sp_npy *data = &z->array[DATA], *offsets = &z->array[OFFSETS];
    enum sp_status status = want_index(z, OFFSETS, 1, err);
    if (status != SP_OK)
        return status;
    if (offsets->n != data->dim[0])
        return fail_count(z, OFFSETS, err);
    void *p;
    status = hold(z, offsets->n, sizeof *z->diagonals, "the diagonals of the file", &p, err);
    z->diagonals = p;
    if (status != SP_OK)
        return status;
    npy_whole(offsets, 0, offsets->n, z->diagonals);
    for (int64_t d = 0; d < offsets->n; d++)
        if (z->diagonals[d] < -SP_MAX_DIMENSION || z->diagonals[d] > SP_MAX_DIMENSION)
            return fail_array(z, OFFSETS, "a diagonal lies outside of every matrix", err);
    return SP_OK;
}

static enum sp_status set_up_coordinates(struct npz *z, struct sp_error *err)
{
    const bool both = z->array[COORDS].data;
    enum sp_status status = want_index(z, both ? COORDS : ROW, both ? 2 : 1, err);
    if (status == SP_OK && !both)
        status = want_index(z, COL, 1, err);
    if (status != SP_OK)
        return status;
    z->n_given = z->array[DATA].n;
    if (both)
        return z->array[COORDS].dim[0] != 2 || z->array[COORDS].dim[1] != z->n_given
                   ? fail_count(z, COORDS, err)
                   : SP_OK;
    if (z->array[ROW].n != z->n_given)
        return fail_count(z, ROW, err);
    return z->array[COL].n != z->n_given ? fail_count(z, COL, err) : SP_OK;
}

/* n of indices from `first` on, each below `limit`, to to[n]. */
static bool take_indices(const struct sp_npy *a, int64_t first, int64_t n, int64_t limit, int32_t *to)
{
    int64_t whole[SP_ENTRIES_CHUNK];
    bool ok = true;
    npy_whole(a, first, n, whole);
    for (int64_t k = 0; k < n; k++) {
        ok = ok && whole[k] >= 0 && whole[k] < limit;
        to[k] = (int32_t)whole[k];
    }
    return ok;
}

/* Columns one after the other. */
static bool get_csc(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *c)
{
    const struct npz *z = source;
    int64_t j = sp_entries_line_of(z->pointers, z->n_lines, first);
    for (int64_t k = 0; k < n; k++) {
        while (first + k >= z->pointers[j + 1])
            j++;
        c->col[k] = (int32_t)j;
    }
    c->n = n;
    if (values)
        npy_real(&z->array[DATA], first, n, c->val);
    return take_indices(&z->array[INDICES], first, n, z->n_r, c->row);
}

static bool get_coo(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *c)
{
    const struct npz *z = source;
    const struct sp_npy *both = &z->array[COORDS];
    c->n = n;
    if (values)
        npy_real(&z->array[DATA], first, n, c->val);
    if (!both->data)
        return take_indices(&z->array[ROW], first, n, z->n_r, c->row) &&
               take_indices(&z->array[COL], first, n, z->n_c, c->col);
    if (!both->fortran)
        return take_indices(both, first, n, z->n_r, c->row) &&
               take_indices(both, z->n_given + first, n, z->n_c, c->col);
    bool ok = true;
    for (int64_t k = 0; k < n && ok; k++)
        ok = take_indices(both, 2 * (first + k), 1, z->n_r, &c->row[k]) &&
             take_indices(both, 2 * (first + k) + 1, 1, z->n_c, &c->col[k]);
    return ok;
}

static void take_value(const struct npz *z, int64_t element, int64_t k, struct sp_entries_chunk *c)
{
    npy_real(&z->array[DATA], element, 1, &c->val[z->field == SP_FIELD_COMPLEX ? 2 * k : k]);
}

static bool get_bsr(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *c)
{
    const struct npz *z = source;
    const int64_t size = z->b_r * z->b_c, n_blocks = z->n_given;
    const bool fortran = z->array[DATA].fortran;
    int64_t block = first / size, i = sp_entries_line_of(z->pointers, z->n_lines, block), j = -1;
    for (int64_t k = 0; k < n; k++) {
        const int64_t b = (first + k) / size, in = (first + k) % size, r = in / z->b_c, s = in % z->b_c;
        while (b >= z->pointers[i + 1])
            i++;
        if (b != block || j < 0)
            npy_whole(&z->array[INDICES], b, 1, &j);
        block = b;
        if (j < 0 || j >= z->n_c / z->b_c)
            return false;
        c->row[k] = (int32_t)(i * z->b_r + r);
        c->col[k] = (int32_t)(j * z->b_c + s);
        if (values && fortran)
            take_value(z, b + n_blocks * (r + z->b_r * s), k, c);
    }
    c->n = n;
    if (values && !fortran)
        npy_real(&z->array[DATA], first, n, c->val);
    return true;
}

/* Value j of a diagonal lies in column j; zeros are padding. */
static bool get_dia(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *c)
{
    const struct npz *z = source;
    const struct sp_npy *data = &z->array[DATA];
    (void)values; /* zero or not is asked in both passes */
    c->n = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t d = (first + k) / data->dim[1], j = (first + k) % data->dim[1], i = j - z->diagonals[d];
        if (j >= z->n_c || i < 0 || i >= z->n_r)
            continue;
        const bool complex = z->field == SP_FIELD_COMPLEX;
        take_value(z, data->fortran ? d + j * data->dim[0] : first + k, c->n, c);
        const double *v = &c->val[complex ? 2 * c->n : c->n];
        if (v[0] == 0 && (!complex || v[1] == 0))
            continue;
        c->row[c->n] = (int32_t)i;
        c->col[c->n++] = (int32_t)j;
    }
    return true;
}

/* The first element of an array of indices that is not below `limit`. */
static enum sp_status find_fault(const struct npz *z, enum array k, int64_t begin, int64_t end, int64_t step,
                                 int64_t limit, struct sp_error *err)
{
    for (int64_t e = begin; e < end; e += step) {
        int64_t x;
        npy_whole(&z->array[k], e, 1, &x);
        if (x < 0 || x >= limit)
            return sp_fail_at(err, SP_INPUT, z->path, 0, 0, again,
                              "%s.npy: element %lld is %lld; the shape allows 0 to %lld", names[k],
                              (long long)e, (long long)x, (long long)limit - 1);
    }
    return SP_OK;
}

static enum sp_status fault(const void *source, struct sp_error *err)
{
    const struct npz *z = source;
    if (z->layout == CSR || z->layout == CSC || z->layout == BSR)
        return find_fault(z, INDICES, 0, z->n_given, 1,
                          z->layout == CSC   ? z->n_r
                          : z->layout == BSR ? z->n_c / z->b_c
                                             : z->n_c,
                          err);
    if (z->layout == DIA)
        return SP_OK;
    const bool both = z->array[COORDS].data, fortran = both && z->array[COORDS].fortran;
    const int64_t n = z->n_given, step = fortran ? 2 : 1, begin = fortran ? 1 : both ? n : 0;
    enum sp_status status = find_fault(z, both ? COORDS : ROW, 0, fortran ? 2 * n : n, step, z->n_r, err);
    if (status == SP_OK)
        status = find_fault(z, both ? COORDS : COL, begin, both ? 2 * n : n, step, z->n_c, err);
    return status;
}

/* Rows are complete already: they are copied where they belong. */
static enum sp_status read_csr(struct npz *z, struct sp_csr *a, struct sp_load_facts *facts,
                               struct sp_error *err)
{
    const struct sp_load_options *o = &z->options;
    const struct sp_load_size size = {z->n_r, z->n_c, z->n_given, z->field, false};
    facts->peak_B = z->held_B + sp_csr_bytes(z->n_r, z->n_given, z->field);
    enum sp_status status = sp_load_check_memory(z->path, o, &size, facts->peak_B,
                                                 "the matrix beside the arrays of the file", err);
    if (status == SP_OK)
        status = sp_csr_alloc(z->n_r, z->n_c, z->n_given, z->field, o->allocator, a, err);
    if (status != SP_OK)
        return status;
    const double start = sp_now();
    const int per_entry = sp_csr_is_complex(a) ? 2 : 1;
    const int64_t n_chunks = (z->n_given + SP_ENTRIES_CHUNK - 1) / SP_ENTRIES_CHUNK;
    bool ok = true;
    for (int64_t i = 0; i < z->n_r; i++) {
        a->row_ptr[i + 1] = z->pointers[i + 1];
        ok = ok && z->pointers[i + 1] - z->pointers[i] <= (int64_t)UINT32_MAX;
    }
    if (!ok)
        return fail_array(z, INDPTR, "a row has more than 4294967295 entries", err);
#pragma omp parallel for schedule(static) num_threads(o->n_threads) reduction(&& : ok)
    for (int64_t c = 0; c < n_chunks; c++) {
        const int64_t first = c * SP_ENTRIES_CHUNK, left = z->n_given - first,
                      n = left < SP_ENTRIES_CHUNK ? left : SP_ENTRIES_CHUNK;
        ok = take_indices(&z->array[INDICES], first, n, z->n_c, a->col + first) && ok;
        npy_real(&z->array[DATA], first, n, a->val + per_entry * first);
    }
    facts->parse_s = sp_now() - start;
    if (!ok)
        return fault(z, err);
    facts->n_entries = z->n_given;
    return sp_entries_finish(a, o->n_threads, facts, err);
}

static enum sp_status read_matrix(struct npz *z, struct sp_csr *a, struct sp_load_facts *facts,
                                  struct sp_error *err)
{
    static const struct {
        enum sp_status (*set_up)(struct npz *z, struct sp_error *err);
        bool (*get)(const void *source, int64_t first, int64_t n, bool values, struct sp_entries_chunk *c);
    } ways[N_LAYOUTS] = {[CSR] = {set_up_compressed, NULL},
                         [CSC] = {set_up_compressed, get_csc},
                         [COO] = {set_up_coordinates, get_coo},
                         [BSR] = {set_up_blocks, get_bsr},
                         [DIA] = {set_up_diagonals, get_dia}};
    const enum sp_status status = ways[z->layout].set_up(z, err);
    if (status != SP_OK)
        return status;
    if (z->layout == CSR)
        return read_csr(z, a, facts, err);
    const struct sp_entries e = {.path = z->path,
                                 .n_r = z->n_r,
                                 .n_c = z->n_c,
                                 .n_places = z->array[DATA].n,
                                 .field = z->field,
                                 .held_B = z->held_B,
                                 .source = z,
                                 .get = ways[z->layout].get,
                                 .fault = fault};
    return sp_entries_read(&e, &z->options, a, facts, err);
}

enum sp_status sp_npz_read(const char *path, const char *text, int64_t n,
                           const struct sp_load_options *options, struct sp_csr *matrix,
                           struct sp_load_facts *facts, struct sp_error *err)
{
    memset(matrix, 0, sizeof *matrix);
    if (!sp_zip_is(text, n))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, again,
                          "byte 0: this is no .npz file, which is a ZIP archive and begins with PK");
    struct npz z = {.path = path, .options = *options};
    z.options.n_threads = z.options.n_threads < 1 ? 1 : z.options.n_threads;
    const double start = sp_now();
    enum sp_status status = read_arrays(&z, text, n, err);
    facts->survey_s = sp_now() - start;
    if (status == SP_OK)
        status = read_format(&z, err);
    if (status == SP_OK)
        status = read_shape(&z, err);
    if (status == SP_OK)
        status = read_field(&z, err);
    if (status == SP_OK)
        status = read_matrix(&z, matrix, facts, err);
    if (status == SP_OK)
        snprintf(facts->format, sizeof facts->format, "SciPy npz, %s, %s", layouts[z.layout],
                 z.array[DATA].descr);
    else
        sp_csr_free(matrix);
    free_npz(&z);
    return status;
}

/* Of a matrix on its way into the file. */
struct writing {
    const struct sp_csr *a;
    struct sp_zip_writer *zip;
    const struct sp_mtx_write_options *options;
    bool wide; /* indices of 64 bits */
    enum sp_field field;
};

static enum sp_status begin_array(const struct writing *w, const char *name, const char *descr, int n_dims,
                                  int64_t n, int64_t size, struct sp_error *err)
{
    char header[SP_NPY_HEADER];
    const int length = sp_npy_write_header(descr, n_dims, &n, header);
    enum sp_status status = sp_zip_writer_begin(w->zip, name, length + n * size, err);
    return status == SP_OK ? sp_zip_writer_put(w->zip, header, length, err) : status;
}

enum { BLOCK = 1 << 15 };

/* Element k of an array of the file. */
static int64_t index_of(const struct sp_csr *a, bool pointers, int64_t k)
{
    return pointers ? a->row_ptr[k] : a->col[k];
}

static enum sp_status put_indices(const struct writing *w, bool pointers, struct sp_error *err)
{
    const struct sp_csr *a = w->a;
    const int64_t n = pointers ? a->n_r + 1 : a->n_nz;
    enum sp_status status = begin_array(w, pointers ? "indptr.npy" : "indices.npy", w->wide ? "<i8" : "<i4",
                                        1, n, w->wide ? 8 : 4, err);
    if (status == SP_OK && !pointers && !w->wide)
        return sp_zip_writer_put(w->zip, a->col, n * (int64_t)sizeof *a->col, err);
    int32_t narrow[BLOCK];
    int64_t wide[BLOCK];
    for (int64_t k = 0; k < n && status == SP_OK; k += BLOCK) {
        const int64_t m = n - k < BLOCK ? n - k : BLOCK;
        for (int64_t i = 0; i < m; i++) {
            wide[i] = index_of(a, pointers, k + i);
            narrow[i] = (int32_t)wide[i];
        }
        status = w->wide ? sp_zip_writer_put(w->zip, wide, m * 8, err)
                         : sp_zip_writer_put(w->zip, narrow, m * 4, err);
    }
    return status;
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

static enum sp_status put_values(const struct writing *w, struct sp_error *err)
{
    static const struct {
        const char *descr;
        int size;
    } kinds[] = {[SP_FIELD_REAL] = {"<f8", 8},
                 [SP_FIELD_INTEGER] = {"<i8", 8},
                 [SP_FIELD_PATTERN] = {"|b1", 1},
                 [SP_FIELD_COMPLEX] = {"<c16", 16}};
    const struct sp_csr *a = w->a;
    const int size = kinds[w->field].size;
    enum sp_status status = begin_array(w, "data.npy", kinds[w->field].descr, 1, a->n_nz, size, err);
    int64_t whole[BLOCK];
    char ones[BLOCK];
    memset(ones, 1, sizeof ones);
    for (int64_t k = 0; k < a->n_nz && status == SP_OK; k += BLOCK) {
        const int64_t m = a->n_nz - k < BLOCK ? a->n_nz - k : BLOCK;
        const void *from = w->field == SP_FIELD_PATTERN ? (const void *)ones : (const void *)whole;
        if (w->field == SP_FIELD_REAL || w->field == SP_FIELD_COMPLEX)
            from = a->val + (w->field == SP_FIELD_COMPLEX ? 2 * k : k);
        else if (w->field == SP_FIELD_INTEGER)
            for (int64_t i = 0; i < m; i++)
                whole[i] = (int64_t)a->val[k + i];
        status = sp_zip_writer_put(w->zip, from, m * size, err);
        if (status == SP_OK && k / BLOCK % 64 == 0)
            status = poll(w, 0.3 + 0.7 * (double)k / (double)a->n_nz, err);
    }
    return status;
}

static enum sp_status put_arrays(const struct writing *w, struct sp_error *err)
{
    const int64_t shape[2] = {w->a->n_r, w->a->n_c};
    enum sp_status status = put_indices(w, false, err);
    if (status == SP_OK)
        status = poll(w, 0.25, err);
    if (status == SP_OK)
        status = put_indices(w, true, err);
    if (status == SP_OK)
        status = begin_array(w, "format.npy", "|S3", 0, 1, 3, err);
    if (status == SP_OK)
        status = sp_zip_writer_put(w->zip, "csr", 3, err);
    if (status == SP_OK)
        status = begin_array(w, "shape.npy", "<i8", 1, 2, 8, err);
    if (status == SP_OK)
        status = sp_zip_writer_put(w->zip, shape, sizeof shape, err);
    return status == SP_OK ? put_values(w, err) : status;
}

enum sp_status sp_npz_write(const char *path, const struct sp_csr *a,
                            const struct sp_mtx_write_options *options, struct sp_error *err)
{
    struct sp_atomic_file file;
    struct writing w = {
        .a = a, .options = options, .wide = a->n_nz > INT32_MAX, .field = sp_csr_plainest_field(a)};
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    status = sp_zip_writer_open(file.stream, path, &w.zip, err);
    if (status == SP_OK)
        status = put_arrays(&w, err);
    const enum sp_status closed = sp_zip_writer_close(w.zip, status == SP_OK ? err : NULL);
    status = status == SP_OK ? closed : status;
    if (status == SP_OK)
        return sp_atomic_commit(&file, err);
    sp_atomic_abort(&file);
    return status;
}
