#include "io/mtx_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/mtx_scan.h"

enum sp_status sp_mtx_text_open(struct sp_mtx_text *x, const struct sp_mtx_header *h, const char *text,
                                int64_t n, int n_shares, struct sp_error *err)
{
    memset(x, 0, sizeof *x);
    x->file = text;
    x->body = text + h->body_begin;
    x->n_shares = n_shares;
    int64_t safe = n - SP_MTX_PADDING - h->body_begin;
    const char *newline = safe > 0 ? memrchr(x->body, '\n', (size_t)safe) : NULL;
    x->main_end = newline ? newline + 1 : x->body;
    x->n_tail = text + n - x->main_end;
    void *p;
    enum sp_status status = sp_new_array(x->n_tail + 1 + SP_MTX_PADDING, 1, "the last lines", &p, err);
    if (status != SP_OK)
        return status;
    x->tail = p;
    memcpy(x->tail, x->main_end, (size_t)x->n_tail);
    if (x->n_tail > 0 && x->tail[x->n_tail - 1] != '\n')
        x->tail[x->n_tail++] = '\n';
    return SP_OK;
}

void sp_mtx_text_free(struct sp_mtx_text *x)
{
    free(x->tail);
    memset(x, 0, sizeof *x);
}

/* The line beginning nearest behind share/n_shares of the main part. */
static const char *cut(const struct sp_mtx_text *x, int share)
{
    int64_t n = x->main_end - x->body, at = n / x->n_shares * share;
    if (share == 0 || n == 0)
        return x->body;
    if (share == x->n_shares)
        return x->main_end;
    const char *newline = memchr(x->body + at, '\n', (size_t)(n - at));
    return newline + 1; /* the main part ends with one */
}

struct sp_mtx_piece sp_mtx_text_piece(const struct sp_mtx_text *x, int share, int part)
{
    if (part == 0) {
        const char *begin = cut(x, share);
        return (struct sp_mtx_piece){begin, cut(x, share + 1), begin - x->file};
    }
    if (share < x->n_shares - 1)
        return (struct sp_mtx_piece){x->tail, x->tail, 0};
    return (struct sp_mtx_piece){x->tail, x->tail + x->n_tail, x->main_end - x->file};
}

/* Walks all lines one by one, to name a place; only when it is known that something is wrong. */
struct walk {
    const struct sp_mtx_text *x;
    const struct sp_mtx_header *h;
    int part;
    struct sp_mtx_piece piece;
    const char *next, *begin, *end;
    int64_t line;
};

static struct sp_mtx_piece whole_part(const struct sp_mtx_text *x, int part)
{
    if (part == 0)
        return (struct sp_mtx_piece){x->body, x->main_end, x->body - x->file};
    return (struct sp_mtx_piece){x->tail, x->tail + x->n_tail, x->main_end - x->file};
}

static struct walk begin_walk(const struct sp_mtx_text *x, const struct sp_mtx_header *h)
{
    struct walk w = {.x = x, .h = h, .piece = whole_part(x, 0), .line = h->body_line - 1};
    w.next = w.piece.begin;
    return w;
}

static bool step(struct walk *w)
{
    if (w->next == w->piece.end) {
        if (w->part == 1)
            return false;
        w->part = 1;
        w->piece = whole_part(w->x, 1);
        w->next = w->piece.begin;
        return step(w);
    }
    w->begin = w->next;
    w->end = memchr(w->begin, '\n', (size_t)(w->piece.end - w->begin));
    w->next = w->end + 1;
    w->line++;
    return true;
}

enum sp_status sp_mtx_text_fault(const struct sp_mtx_text *x, const struct sp_mtx_header *h, int64_t offset,
                                 struct sp_error *err)
{
    for (struct walk w = begin_walk(x, h); step(&w);) {
        struct sp_mtx_entry entry;
        if (sp_mtx_text_offset(&w.piece, w.begin) < offset)
            continue;
        if (sp_mtx_line(h, w.begin, w.end, w.line, &entry, err) == SP_MTX_FAULT)
            return SP_INPUT;
    }
    return sp_fail_at(err, SP_BUG, h->path, 0, 0, "report this with the file",
                      "the reader stopped at byte %lld, where nothing is wrong", (long long)offset);
}

enum sp_status sp_mtx_text_count_fault(const struct sp_mtx_text *x, const struct sp_mtx_header *h, int64_t n,
                                       struct sp_error *err)
{
    const char *noun = h->format == SP_MTX_ARRAY ? "value" : "entr";
    const char *one = h->format == SP_MTX_ARRAY ? "" : "y", *many = h->format == SP_MTX_ARRAY ? "s" : "ies";
    int64_t k = 0;
    struct walk w = begin_walk(x, h);
    struct sp_mtx_entry entry;
    while (step(&w)) {
        enum sp_mtx_kind kind = sp_mtx_line(h, w.begin, w.end, w.line, &entry, err);
        if (kind == SP_MTX_FAULT)
            return SP_INPUT;
        if (kind == SP_MTX_ENTRY && k++ == h->n_entries)
            return sp_fail_at(
                err, SP_INPUT, h->path, w.line, 1, "correct the size line, or remove what is too much",
                "more than the %lld %s%s that line %lld announces: %lld in all", (long long)h->n_entries,
                noun, h->n_entries == 1 ? one : many, (long long)h->size_line, (long long)n);
    }
    return sp_fail_at(err, SP_INPUT, h->path, w.line, 0, "is the file cut off? get it again",
                      "the file ends after %lld %s%s, line %lld announces %lld", (long long)n, noun,
                      n == 1 ? one : many, (long long)h->size_line, (long long)h->n_entries);
}

enum sp_status sp_mtx_text_triangle_fault(const struct sp_mtx_text *x, const struct sp_mtx_header *h,
                                          struct sp_error *err)
{
    int64_t first_line = 0;
    bool first_is_lower = false;
    for (struct walk w = begin_walk(x, h); step(&w);) {
        struct sp_mtx_entry e;
        if (sp_mtx_line(h, w.begin, w.end, w.line, &e, NULL) != SP_MTX_ENTRY || e.row == e.col)
            continue;
        bool lower = e.row > e.col;
        if (first_line == 0) {
            first_line = w.line;
            first_is_lower = lower;
        } else if (lower != first_is_lower) {
            return sp_fail_at(err, SP_INPUT, h->path, w.line, 1,
                              "remove the entries of one triangle, or say general in the banner",
                              "this entry lies %s the diagonal, that of line %lld %s it: a %s file gives one "
                              "triangle",
                              lower ? "below" : "above", (long long)first_line, lower ? "above" : "below",
                              sp_symmetry_name(h->symmetry));
        }
    }
    return sp_fail_at(err, SP_BUG, h->path, 0, 0, "report this with the file",
                      "the reader met both triangles, but they are not there");
}
