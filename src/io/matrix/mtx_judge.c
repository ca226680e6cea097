#include "io/matrix/mtx_judge.h"

#include <string.h>

#include "io/matrix/mtx_scan.h"

struct sp_mtx_judge sp_mtx_judge_begin(const struct sp_mtx_header *h)
{
    return (struct sp_mtx_judge){.h = h, .line = h->body_line};
}

/* "1 value", "2 entries" */
static const char *noun(const struct sp_mtx_header *h, int64_t n)
{
    static const char *const nouns[2][2] = {{"entries", "entry"}, {"values", "value"}};
    return nouns[h->format == SP_MTX_ARRAY][n == 1];
}

static enum sp_status too_many(const struct sp_mtx_judge *j, struct sp_error *err)
{
    const struct sp_mtx_header *h = j->h;
    return sp_fail_at(err, SP_INPUT, h->path, j->line, 1, "correct the size line, or remove what is too much",
                      "more than the %lld %s that line %lld announces", (long long)h->n_entries,
                      noun(h, h->n_entries), (long long)h->size_line);
}

static enum sp_status check_triangle(struct sp_mtx_judge *j, const struct sp_mtx_entry *e,
                                     struct sp_error *err)
{
    if (j->h->symmetry == SP_GENERAL || e->row == e->col)
        return SP_OK;
    const bool lower = e->row > e->col;
    if (j->first_line == 0) {
        j->first_line = j->line;
        j->first_is_lower = lower;
    }
    if (lower == j->first_is_lower)
        return SP_OK;
    return sp_fail_at(
        err, SP_INPUT, j->h->path, j->line, 1,
        "remove the entries of one triangle, or say general in the banner",
        "this entry lies %s the diagonal, that of line %lld %s it: a %s file gives one triangle",
        lower ? "below" : "above", (long long)j->first_line, lower ? "above" : "below",
        sp_symmetry_name(j->h->symmetry));
}

enum sp_status sp_mtx_judge_lines(struct sp_mtx_judge *j, const char *begin, const char *end,
                                  struct sp_error *err)
{
    for (const char *p = begin, *newline; p < end; p = newline + 1, j->line++) {
        struct sp_mtx_entry e;
        newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline)
            newline = end - 1; /* the file changed meanwhile */
        const enum sp_mtx_kind kind = sp_mtx_line(j->h, p, newline, j->line, &e, err);
        if (kind == SP_MTX_FAULT)
            return SP_INPUT;
        if (kind == SP_MTX_BLANK)
            continue;
        if (j->n_entries == j->h->n_entries)
            return too_many(j, err);
        j->n_entries++;
        if (check_triangle(j, &e, err) != SP_OK)
            return SP_INPUT;
    }
    return SP_OK;
}

enum sp_status sp_mtx_judge_end(const struct sp_mtx_judge *j, struct sp_error *err)
{
    const struct sp_mtx_header *h = j->h;
    if (j->n_entries >= h->n_entries)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, h->path, j->line - 1, 0, "is the file cut off? get it again",
                      "the file ends after %lld %s, line %lld announces %lld", (long long)j->n_entries,
                      noun(h, j->n_entries), (long long)h->size_line, (long long)h->n_entries);
}

enum sp_status sp_mtx_judge_disagrees(const struct sp_mtx_judge *j, struct sp_error *err)
{
    return sp_fail_at(err, SP_BUG, j->h->path, j->line, 0, "report this with the file",
                      "the reader stopped before this line, where nothing is wrong");
}
