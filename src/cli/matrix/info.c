#include "cli/matrix/info.h"

#include "sparse/formats/layout.h"

const int32_t sp_info_chunk[SP_INFO_CHUNKS] = {4, 8, 16, 32, 64};
const int64_t sp_info_window[SP_INFO_WINDOWS] = {1, 64, 512, 4096, 32768};

enum sp_status sp_info_make(const struct sp_csr *a, struct sp_info *info, struct sp_error *err)
{
    enum sp_status status = sp_structure_analyse(a, &info->structure, err);
    if (status != SP_OK)
        return status;
    struct sp_pattern pattern = sp_csr_pattern(a);
    for (int c = 0; c < SP_INFO_CHUNKS; c++)
        for (int w = 0; w < SP_INFO_WINDOWS; w++) {
            bool same = w > 0 && sp_info_window[w - 1] >= a->n_r; /* the window already holds all rows */
            info->beta[c][w] =
                same ? info->beta[c][w - 1] : sp_sell_beta(&pattern, sp_info_chunk[c], sp_info_window[w]);
        }
    return SP_OK;
}
