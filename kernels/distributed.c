#include "kernels/distributed.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sparse/csr/partition.h"

void sp_remote_block_free(struct sp_remote_block *b)
{
    if (!b)
        return;
    free(b->row);
    free(b->row_ptr);
    free(b->col);
    free(b->val);
    free(b->begin);
    memset(b, 0, sizeof *b);
}

static int64_t count_rows(const struct sp_csr *a)
{
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        n += a->row_ptr[i + 1] > a->row_ptr[i];
    return n;
}

static enum sp_status take(struct sp_remote_block *b, bool compressed, struct sp_error *err)
{
    void *p = NULL;
    enum sp_status status = SP_OK;
    if (compressed) {
        status = sp_new_array(b->n_rows, sizeof *b->row, "rows of the remote block", &p, err);
        b->row = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(b->n_rows + 1, sizeof *b->row_ptr, "rows of the remote block", &p, err);
        b->row_ptr = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(b->n_nz, sizeof *b->col, "the remote block", &p, err);
        b->col = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(b->n_nz, sizeof *b->val, "the remote block", &p, err);
        b->val = p;
    }
    if (status == SP_OK) {
        status = sp_new_array(b->n_threads + 1, sizeof *b->begin, "threads", &p, err);
        b->begin = p;
    }
    return status;
}

static void share_rows(struct sp_remote_block *b)
{
    int64_t row = 0;
    for (int t = 0; t < b->n_threads; t++) {
        const int64_t first = sp_share(b->n_nz, t, b->n_threads);
        while (row < b->n_rows && b->row_ptr[row] < first)
            row++;
        b->begin[t] = t == 0 ? 0 : row;
    }
    b->begin[b->n_threads] = b->n_rows;
}

enum sp_status sp_remote_block_make(const struct sp_csr *remote, bool compressed, int n_threads,
                                    struct sp_remote_block *b, struct sp_error *err)
{
    memset(b, 0, sizeof *b);
    if (remote->n_nz > INT32_MAX)
        return sp_fail(err, SP_ABSENT, "take more ranks",
                       "the remote block of a rank has more than 2^31 nonzeros");
    b->n_rows = compressed ? count_rows(remote) : remote->n_r;
    b->n_nz = remote->n_nz;
    b->n_threads = n_threads;
    const enum sp_status status = take(b, compressed, err);
    if (status != SP_OK) {
        sp_remote_block_free(b);
        return status;
    }
    int64_t n = 0;
    for (int64_t i = 0; i < remote->n_r; i++) {
        if (compressed && remote->row_ptr[i + 1] == remote->row_ptr[i])
            continue;
        if (b->row)
            b->row[n] = (int32_t)i;
        b->row_ptr[++n] = (int32_t)remote->row_ptr[i + 1];
    }
    if (b->n_nz > 0)
        memcpy(b->col, remote->col, (size_t)b->n_nz * sizeof *b->col);
    sp_csr_copy_numbers(remote, 0, b->n_nz, b->val);
    share_rows(b);
    return SP_OK;
}

static void add_rows(const struct sp_remote_block *b, int64_t first, int64_t end, const double *halo,
                     double *y)
{
    const int32_t *ptr = b->row_ptr, *col = b->col;
    const double *val = b->val;
    for (int64_t i = first; i < end; i++) {
        double sum = 0;
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++)
            sum += val[k] * halo[col[k]];
        y[b->row ? b->row[i] : i] += sum;
    }
}

void sp_remote_block_add(const struct sp_remote_block *b, const double *halo, double *y)
{
    if (b->n_threads == 1) {
        add_rows(b, 0, b->n_rows, halo, y);
        return;
    }
#pragma omp parallel num_threads(b->n_threads)
    {
        const int t = omp_get_thread_num();
        add_rows(b, b->begin[t], b->begin[t + 1], halo, y);
    }
}

void sp_pack(const double *x, const int32_t *place, int64_t n, int n_threads, double *out)
{
    enum { FEW = 4096 }; /* a region takes longer */
#pragma omp parallel for num_threads(n_threads) if (n_threads > 1 && n > FEW) schedule(static)
    for (int64_t k = 0; k < n; k++)
        out[k] = x[place[k]];
}
