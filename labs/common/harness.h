/* Between spmodel (spmodel.h) and the student's files: threads, the trace, the matrix. */
#include <spmodel.h>

#include "kernel.h"

static _Thread_local spmodel_access *lab_access;
static _Thread_local void *lab_walker;

void lab_told(const void *address, size_t size_B, int how)
{
    lab_access(lab_walker, address, size_B, how);
}

/* Where the share of one of n threads begins. */
static inline int32_t lab_share(int32_t items, int32_t n, int32_t thread)
{
    return (int32_t)((int64_t)items * thread / n);
}

static inline struct crs lab_crs_of(const struct spmodel_matrix *m)
{
    return (struct crs){(int32_t)m->n_r, m->row_ptr, m->col, m->values};
}

static inline int lab_is_known(const struct spmodel_matrix *m)
{
    return m->row_ptr_B == 4 && m->col_B == 4 && m->type == SPMODEL_F64 && m->base == 0 && m->values;
}
