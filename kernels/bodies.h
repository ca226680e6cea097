/* What the table of kernels takes of the CPU's: `prepare` of each body, named after it and the
 * instruction set that it is compiled for. Private to kernels. */
#ifndef SP_KERNELS_BODIES_H
#define SP_KERNELS_BODIES_H

#include "kernels/kernel.h"

/* The arguments of struct sp_kernel's prepare. */
#define SP_PREPARE                                                                                           \
    const struct sp_layout *layout, const struct sp_operands *operands, void **state, struct sp_error *err
typedef enum sp_status sp_kernel_prepare(SP_PREPARE);

extern sp_kernel_prepare sp_crs_portable, sp_crs_gather_avx2, sp_crs_gather_avx512, sp_crs_loads_avx2,
    sp_crs_loads_avx512;
extern sp_kernel_prepare sp_sell_portable, sp_sell_gather_avx2, sp_sell_gather_avx512, sp_sell_loads_avx2,
    sp_sell_loads_avx512;
extern sp_kernel_prepare sp_bcsr_portable, sp_bcsr_avx2, sp_bcsr_avx512;
extern sp_kernel_prepare sp_dense_bcsr_portable, sp_dense_bcsr_avx2, sp_dense_bcsr_avx512;
extern sp_kernel_prepare sp_half_portable, sp_half_avx2, sp_half_avx512;
extern sp_kernel_prepare sp_spmm_portable, sp_spmm_avx2_f16c, sp_spmm_avx512_f16c;
extern sp_kernel_prepare sp_staged_portable, sp_staged_avx2, sp_staged_avx512;
extern sp_kernel_prepare sp_sddmm_portable, sp_sddmm_avx2, sp_sddmm_avx512, sp_sddmm_coo_portable,
    sp_sddmm_coo_avx2, sp_sddmm_coo_avx512, sp_sddmm_tiled_portable, sp_sddmm_tiled_avx2,
    sp_sddmm_tiled_avx512;
extern sp_kernel_prepare sp_fusedmm_portable, sp_fusedmm_avx2, sp_fusedmm_avx512;

/* The readable kernels: each operation by the definition of its format, serial, sums in double. */
extern sp_kernel_prepare sp_spmv_kernel_reference, sp_dense_kernel_reference;

/* On a GPU, by enum sp_gpu_map. */
extern sp_kernel_prepare sp_opencl_map_thread, sp_opencl_map_lanes, sp_opencl_map_merge, sp_opencl_map_chunk,
    sp_opencl_map_group, sp_opencl_map_slot, sp_opencl_map_output, sp_opencl_map_row, sp_opencl_map_share,
    sp_opencl_map_stage, sp_opencl_map_sample, sp_opencl_map_equal, sp_opencl_map_tile, sp_opencl_map_fused;
extern sp_kernel_prepare sp_gpu_map_thread, sp_gpu_map_lanes, sp_gpu_map_merge, sp_gpu_map_keep,
    sp_gpu_map_bins, sp_gpu_map_chunk, sp_gpu_map_group, sp_gpu_map_slot, sp_gpu_map_output, sp_gpu_map_row,
    sp_gpu_map_share, sp_gpu_map_stage, sp_gpu_map_sample, sp_gpu_map_equal, sp_gpu_map_tile,
    sp_gpu_map_fused, sp_gpu_map_mma, sp_gpu_map_lanes_in_window;
typedef enum sp_status sp_kernel_accepts(const struct sp_layout *layout, struct sp_error *err);
extern sp_kernel_accepts sp_gpu_map_thread_accepts, sp_gpu_map_lanes_accepts, sp_gpu_map_merge_accepts,
    sp_gpu_map_keep_accepts, sp_gpu_map_bins_accepts, sp_gpu_map_chunk_accepts, sp_gpu_map_group_accepts,
    sp_gpu_map_slot_accepts, sp_gpu_map_output_accepts, sp_gpu_map_row_accepts, sp_gpu_map_share_accepts,
    sp_gpu_map_stage_accepts, sp_gpu_map_sample_accepts, sp_gpu_map_equal_accepts, sp_gpu_map_tile_accepts,
    sp_gpu_map_fused_accepts, sp_gpu_map_mma_accepts;
enum sp_status sp_gpu_available(struct sp_error *err);
enum sp_status sp_opencl_available(struct sp_error *err);
enum sp_status sp_opencl_has_lanes(struct sp_error *err); /* and sub-groups */

/* The rest of a kernel of struct sp_kernel. */
enum sp_status sp_spmv_reference_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                     struct sp_error *err);
enum sp_status sp_spmv_reference_fetch(void *state, double *y, struct sp_error *err);
void sp_spmv_reference_facts(const void *state, struct sp_kernel_facts *facts);
void sp_spmv_reference_release(void *state);
enum sp_status sp_dense_reference_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                      struct sp_error *err);
enum sp_status sp_dense_reference_fetch(void *state, double *y, struct sp_error *err);
void sp_dense_reference_facts(const void *state, struct sp_kernel_facts *facts);
void sp_dense_reference_release(void *state);
enum sp_status sp_gpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err);
enum sp_status sp_gpu_fetch(void *state, double *y, struct sp_error *err);
void sp_gpu_facts(const void *state, struct sp_kernel_facts *facts);
void sp_gpu_release(void *state);

#endif
