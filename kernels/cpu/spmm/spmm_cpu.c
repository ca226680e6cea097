#include "kernels/cpu/spmm/spmm_cpu.h"

struct sp_dense_body sp_spmm_body(const struct sp_spmm_family *family, const struct sp_layout *l)
{
    bool sell = l->format == SP_FORMAT_SELL;
    if (l->order == SP_COLUMN_MAJOR)
        return (struct sp_dense_body){.units = sell ? family->column_chunks : family->columns};
    int at = SP_SPMM_WIDTHS - 1;
    while (at > 0 && (!family->rows[at] || 1 << at > l->r))
        at--;
    /* Stores past the cache: whole vectors, and lines that are filled one after the other. */
    size_t vector_B = l->s_y << at, row_B = l->s_y * (size_t)l->r;
    return (struct sp_dense_body){
        .units = sell ? family->chunks[at] : family->rows[at],
        .can_store_nt = vector_B >= 16 && row_B % vector_B == 0 && (!l->perm || row_B % 64 == 0),
    };
}

enum sp_status sp_spmm_accepts(const struct sp_layout *l, struct sp_error *err)
{
    if (l->op == SP_OP_SPMMV && l->r == 1)
        return sp_fail(err, SP_ABSENT, "use a kernel of SpMV", "one vector is SpMV");
    return SP_OK;
}
