#include "kernels/cpu/spmm/staged.h"

#include "kernels/cpu/spmm/staged_rows.h"

struct sp_dense_body sp_staged_body(const struct sp_layout *l)
{
    if (!sp_spmm_staged_avx512.absent && sp_spmm_staged_avx512.available(NULL) == SP_OK)
        return sp_staged_select_avx512(l);
    if (!sp_spmm_staged_avx2.absent && sp_spmm_staged_avx2.available(NULL) == SP_OK)
        return sp_staged_select_avx2(l);
    return sp_staged_select_portable(l);
}
