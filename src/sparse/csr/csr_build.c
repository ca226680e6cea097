#include "sparse/csr/csr_build.h"

#include <omp.h>
#include <string.h>

/* Each thread sums its slice, then adds what the threads before it found: two passes over the memory. */
void sp_prefix_sum(int64_t *n, int64_t n_items)
{
    enum { MAX_THREADS = 256, SERIAL = 1 << 16 };
    if (n_items < SERIAL) {
        for (int64_t i = 0; i < n_items; i++)
            n[i + 1] += n[i];
        return;
    }
    int64_t total[MAX_THREADS];
    // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): read by the pragma
    int n_threads = omp_get_max_threads() < MAX_THREADS ? omp_get_max_threads() : MAX_THREADS;
#pragma omp parallel num_threads(n_threads)
    {
        int t = omp_get_thread_num(), team = omp_get_num_threads();
        int64_t begin = n_items * t / team, end = n_items * (t + 1) / team;
        int64_t sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += n[i + 1];
        total[t] = sum;
#pragma omp barrier
        sum = 0;
        for (int s = 0; s < t; s++)
            sum += total[s];
        for (int64_t i = begin; i < end; i++) {
            sum += n[i + 1];
            n[i + 1] = sum;
        }
    }
}

enum sp_status sp_csr_take_rows(int64_t n_r, int64_t n_c, enum sp_field field,
                                const struct sp_allocator *allocator, struct sp_csr *a, struct sp_error *err)
{
    memset(a, 0, sizeof *a);
    void *p;
    enum sp_status status = sp_large_alloc(allocator, n_r + 1, sizeof *a->row_ptr, "row pointers", &p, err);
    if (status != SP_OK)
        return status;
    a->n_r = n_r;
    a->n_c = n_c;
    a->field = field;
    a->allocator = allocator;
    a->row_ptr = p;
    a->row_ptr[0] = 0;
    return SP_OK;
}

enum sp_status sp_csr_take_entries(struct sp_csr *a, struct sp_error *err)
{
    sp_prefix_sum(a->row_ptr, a->n_r);
    a->n_nz = a->row_ptr[a->n_r];
    void *p;
    enum sp_status status = sp_large_alloc(a->allocator, a->n_nz, sizeof *a->col, "column indices", &p, err);
    a->col = p;
    if (status == SP_OK) {
        int64_t per_entry = sp_csr_is_complex(a) ? 2 : 1;
        status = sp_large_alloc(a->allocator, a->n_nz * per_entry, sizeof *a->val, "values", &p, err);
        a->val = p;
    }
    if (status != SP_OK)
        sp_csr_free(a);
    return status;
}
