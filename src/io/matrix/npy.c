#include "io/matrix/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

bool sp_npy_prefix(const unsigned char *b, int64_t n, int64_t *begin, int64_t *length)
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

const char *sp_npy_parse(const char *text, int64_t n, struct sp_npy *a)
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

void sp_npy_whole(const struct sp_npy *a, int64_t first, int64_t n, int64_t *to)
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
        sp_npy_whole(a, first + k, m, whole);
        for (int64_t i = 0; i < m; i++)
            to[k + i] = (double)whole[i];
    }
}

void sp_npy_real(const struct sp_npy *a, int64_t first, int64_t n, double *to)
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
