#include "kernel.h"

static int32_t length(const struct crs *a, int32_t row)
{
    return row < a->n_r ? a->row_ptr[row + 1] - a->row_ptr[row] : 0;
}

int convert(const struct crs *a, struct sell *s)
{
    s->n_r = a->n_r;
    s->n_chunks = (a->n_r + CHUNK - 1) / CHUNK;
    s->begin = malloc(((size_t)s->n_chunks + 1) * sizeof *s->begin);
    if (!s->begin)
        return 1;
    s->begin[0] = 0;
    for (int32_t c = 0; c < s->n_chunks; c++) {
        int32_t width = 0;
        for (int32_t r = 0; r < CHUNK; r++)
            width = length(a, c * CHUNK + r) > width ? length(a, c * CHUNK + r) : width;
        s->begin[c + 1] = s->begin[c] + width * CHUNK;
    }
    s->col = calloc((size_t)s->begin[s->n_chunks], sizeof *s->col);
    s->val = calloc((size_t)s->begin[s->n_chunks], sizeof *s->val);
    if (!s->col || !s->val)
        return 1;
    for (int32_t i = 0; i < a->n_r; i++) {
        const int32_t at = s->begin[i / CHUNK] + i % CHUNK, n = length(a, i),
                      width = (s->begin[i / CHUNK + 1] - s->begin[i / CHUNK]) / CHUNK;
        for (int32_t j = 0; j < width; j++) {
            s->col[at + j * CHUNK] = j < n ? a->col[a->row_ptr[i] + j] : i;
            s->val[at + j * CHUNK] = j < n ? a->val[a->row_ptr[i] + j] : 0;
        }
    }
    return 0;
}

void chunks(const struct sell *s, const double *x, double *y, int32_t first, int32_t stop)
{
    int32_t at = GET(s->begin[first]);
    for (int32_t c = first; c < stop; c++) {
        const int32_t end = GET(s->begin[c + 1]);
        double sum[CHUNK] = {0};
        for (; at < end; at += CHUNK)
            for (int32_t r = 0; r < CHUNK; r++)
                sum[r] += GET(s->val[at + r]) * GET(x[GET(s->col[at + r])]);
        for (int32_t r = 0; r < CHUNK && c * CHUNK + r < s->n_r; r++)
            PUT(y[c * CHUNK + r], sum[r]);
    }
}
