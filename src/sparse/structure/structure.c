#include "sparse/structure/structure.h"

#include <string.h>

#include "sparse/structure/parts.h"

enum sp_status sp_structure_analyse(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    s->n_r = a->n_r;
    s->n_c = a->n_c;
    s->n_nz = a->n_nz;
    s->field = a->field;
    s->symmetry = a->symmetry;
    s->n_duplicates = a->n_duplicates;
    s->n_nzr = a->n_r > 0 ? (double)a->n_nz / (double)a->n_r : 0;
    s->n_nzc = a->n_c > 0 ? (double)a->n_nz / (double)a->n_c : 0;
    double s_v = sp_csr_is_complex(a) ? 16 : 8;
    s->crs_B = (s_v + 4) * (double)a->n_nz + (a->n_nz > INT32_MAX ? 8.0 : 4.0) * (double)(a->n_r + 1);
    s->vector_B = s_v * (double)(a->n_r + a->n_c);

    enum sp_status status = sp_structure_rows(a, s, err);
    if (status == SP_OK)
        status = sp_structure_values(a, s, err);
    if (status == SP_OK)
        status = sp_structure_blocks(a, s, err);
    if (status != SP_OK) {
        memset(s, 0, sizeof *s);
        return status;
    }
    sp_structure_symmetry(a, s);
    return SP_OK;
}
