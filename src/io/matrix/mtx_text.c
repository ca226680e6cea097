#include "io/matrix/mtx_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix/mtx_judge.h"
#include "io/matrix/mtx_scan.h"

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
    return newline ? newline + 1 : x->main_end; /* it ends with one, unless the file changed meanwhile */
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

enum sp_status sp_mtx_text_fault(const struct sp_mtx_text *x, const struct sp_mtx_header *h,
                                 struct sp_error *err)
{
    struct sp_mtx_judge judge = sp_mtx_judge_begin(h);
    enum sp_status status = sp_mtx_judge_lines(&judge, x->body, x->main_end, err);
    if (status == SP_OK)
        status = sp_mtx_judge_lines(&judge, x->tail, x->tail + x->n_tail, err);
    if (status == SP_OK)
        status = sp_mtx_judge_end(&judge, err);
    return status == SP_OK ? sp_mtx_judge_disagrees(&judge, err) : status;
}
