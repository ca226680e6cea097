#include "kernels/kernel.h"

#include <stddef.h>
#include <string.h>

#include "kernels/cpu/bcsr/dense_bcsr_rows.h"
#include "kernels/cpu/sampled/sampled_rows.h"
#include "kernels/cpu/spmm/spmm_rows.h"
#include "kernels/cpu/spmm/staged_rows.h"
#include "kernels/cpu/spmv/rows.h"
#include "kernels/gpu_rows.h"
#include "kernels/reference/reference_rows.h"

const struct sp_kernel *const sp_kernel_table[] = {
    &sp_spmv_crs_reference,     &sp_spmv_crs_portable_row,
    &sp_spmv_crs_avx2,          &sp_spmv_crs_avx2_loads,
    &sp_spmv_crs_avx512,        &sp_spmv_crs_avx512_loads,
    &sp_spmv_sell_reference,    &sp_spmv_sell_portable,
    &sp_spmv_sell_avx2,         &sp_spmv_sell_avx2_loads,
    &sp_spmv_sell_avx512,       &sp_spmv_sell_avx512_loads,
    &sp_spmv_sellu_reference,   &sp_spmv_sellu_portable,
    &sp_spmv_sellu_avx2,        &sp_spmv_sellu_avx2_loads,
    &sp_spmv_sellu_avx512,      &sp_spmv_sellu_avx512_loads,
    &sp_spmv_bcsr_reference,    &sp_spmv_bcsr_portable,
    &sp_spmv_bcsr_avx2,         &sp_spmv_bcsr_avx512,
    &sp_spmv_half_reference,    &sp_spmv_half_portable,
    &sp_spmv_half_avx2,         &sp_spmv_half_avx512,
    &sp_spmv_striped_reference, &sp_spmv_striped_portable,
    &sp_spmv_crs_cuda_thread,   &sp_spmv_crs_cuda_lanes,
    &sp_spmv_crs_cuda_merge,    &sp_spmv_sell_cuda_chunk,
    &sp_spmmv_crs_reference,    &sp_spmmv_crs_portable,
    &sp_spmmv_crs_avx2,         &sp_spmmv_crs_avx512,
    &sp_spmmv_crs_cuda_group,   &sp_spmmv_sell_reference,
    &sp_spmmv_sell_portable,    &sp_spmmv_sell_avx2,
    &sp_spmmv_sell_avx512,      &sp_spmmv_sell_cuda_slot,
    &sp_spmmv_bcsr_reference,   &sp_spmmv_bcsr_portable,
    &sp_spmmv_bcsr_avx2,        &sp_spmmv_bcsr_avx512,
    &sp_spmm_crs_reference,     &sp_spmm_crs_portable,
    &sp_spmm_crs_avx2,          &sp_spmm_crs_avx512,
    &sp_spmm_crs_cuda_output,   &sp_spmm_crs_cuda_row,
    &sp_spmm_crs_cuda_share,    &sp_spmm_bcsr_reference,
    &sp_spmm_bcsr_portable,     &sp_spmm_bcsr_avx2,
    &sp_spmm_bcsr_avx512,       &sp_sddmm_crs_reference,
    &sp_sddmm_crs_portable,     &sp_sddmm_crs_avx2,
    &sp_sddmm_crs_avx512,       &sp_sddmm_crs_cuda_sample,
    &sp_sddmm_coo_portable,     &sp_sddmm_coo_avx2,
    &sp_sddmm_coo_avx512,       &sp_sddmm_coo_cuda_equal,
    &sp_sddmm_tiled_portable,   &sp_sddmm_tiled_avx2,
    &sp_sddmm_tiled_avx512,     &sp_sddmm_tiled_cuda_tile,
    &sp_fusedmm_crs_reference,  &sp_fusedmm_crs_portable,
    &sp_fusedmm_crs_avx2,       &sp_fusedmm_crs_avx512,
    &sp_fusedmm_crs_cuda_fused, &sp_spmm_staged_reference,
    &sp_spmm_staged_portable,   &sp_spmm_staged_avx2,
    &sp_spmm_staged_avx512,     &sp_spmm_staged_cuda_stage,
    &sp_sddmm_staged_reference, &sp_sddmm_staged_portable,
    &sp_sddmm_staged_avx2,      &sp_sddmm_staged_avx512,
    &sp_spmm_bcsr_cuda_mma,     NULL,
};

enum sp_status sp_kernel_everywhere(struct sp_error *err)
{
    (void)err;
    return SP_OK;
}

int sp_kernel_count(void)
{
    int n = 0;
    while (sp_kernel_table[n])
        n++;
    return n;
}

const struct sp_kernel *sp_kernel_find(const char *name)
{
    for (int i = 0; sp_kernel_table[i]; i++)
        if (strcmp(sp_kernel_table[i]->name, name) == 0)
            return sp_kernel_table[i];
    return NULL;
}

/* The part of a name after the last '/'. */
static const char *variant_of(const struct sp_kernel *kernel)
{
    const char *slash = strrchr(kernel->name, '/');
    return slash ? slash + 1 : kernel->name;
}

static bool could_run(const struct sp_kernel *kernel, const struct sp_layout *layout, const char *isa)
{
    return !kernel->absent && kernel->rank > 0 && sp_kernel_is_for(kernel, layout) &&
           !(kernel->on_gpu && !isa) && (!isa || strncmp(variant_of(kernel), isa, strlen(isa)) == 0) &&
           kernel->available(NULL) == SP_OK && (!kernel->accepts || kernel->accepts(layout, NULL) == SP_OK);
}

int sp_kernel_candidates(const struct sp_layout *layout, const char *isa, const struct sp_kernel **rows,
                         int max)
{
    int n = 0, n_kept = 0;
    for (int i = 0; sp_kernel_table[i]; i++) {
        const struct sp_kernel *kernel = sp_kernel_table[i];
        if (!could_run(kernel, layout, isa))
            continue;
        n++;
        int at = n_kept < max ? n_kept++ : max;
        for (; at > 0 && rows[at - 1]->rank < kernel->rank; at--)
            if (at < max)
                rows[at] = rows[at - 1];
        if (at < max)
            rows[at] = kernel;
    }
    return n;
}

struct sp_job sp_kernel_job(const struct sp_kernel *kernel, void *state, const struct sp_layout *layout)
{
    struct sp_kernel_facts f;
    struct sp_job job = {
        .name = kernel->name,
        .state = state,
        .run = kernel->run,
        .layout = layout,
        .n_threads = layout->partition.n_threads,
    };
    if (layout->op == SP_OP_SPMV)
        return job;
    kernel->facts(state, &f);
    const struct sp_job_array arrays[SP_MAX_JOB_ARRAYS] = {
        {f.x, f.x_B}, {f.rows, f.rows_B}, {f.second, f.second_B}};
    for (int i = 0; i < SP_MAX_JOB_ARRAYS; i++)
        if (arrays[i].at && arrays[i].size_B > 0)
            job.operand[job.n_operands++] = arrays[i];
    return job;
}
