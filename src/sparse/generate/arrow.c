#include "sparse/generate/families.h"

enum sp_status sp_arrow_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                              struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = arg[0].size[0];
    shape->n_nz = 3 * shape->n_r - 2;
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

void sp_arrow_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                      int64_t end, int64_t *length)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        length[i - first] = i == 0 ? arg[0].size[0] : 2;
}

void sp_arrow_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                   int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    for (int64_t i = first; i < end; i++) {
        int64_t to = a->row_ptr[i];
        if (i == 0) {
            for (int64_t j = 0; j < arg[0].size[0]; j++) {
                a->col[to] = (int32_t)j;
                a->val[to++] = j == 0 ? (double)arg[0].size[0] : -1;
            }
            continue;
        }
        a->col[to] = 0;
        a->val[to++] = -1;
        a->col[to] = (int32_t)i;
        a->val[to] = 4;
    }
}
