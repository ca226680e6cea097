/* Rows of the kernel table whose code is in the GPU module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gpu_module.h"
#include "kernels/gpu_rows.h"
#include "sys/machine/gpu_files.h"

struct gpu_state {
    const struct sp_gpu_module *module;
    void *inner; /* the module's */
};

enum sp_status sp_gpu_module_open(const struct sp_gpu_module **module, struct sp_error *err)
{
    union {
        void *address;
        sp_gpu_module_of *function;
    } symbol;
    *module = NULL;
    enum sp_status status =
        sp_module_file_symbol(SP_GPU_MODULE_FILE, SP_GPU_MODULE_SYMBOL, &symbol.address, err);
    if (status != SP_OK && err)
        snprintf(err->remedy, sizeof err->remedy, "spmodel doctor says whether this build has it");
    if (status != SP_OK)
        return status;
    const struct sp_gpu_module *found = symbol.function();
    if (found->abi != SP_GPU_MODULE_ABI || found->layout_size != sizeof(struct sp_layout) ||
        found->launch_size != sizeof(struct sp_gpu_launch))
        return sp_fail(err, SP_ABSENT, "build and install both together",
                       "%s is of another build than this program", SP_GPU_MODULE_FILE);
    *module = found;
    return SP_OK;
}

static enum sp_status available(struct sp_error *err)
{
    const struct sp_gpu_module *module;
    struct sp_gpu_device device;
    enum sp_status status = sp_gpu_module_open(&module, err);
    return status == SP_OK ? module->describe(&device, err) : status;
}

static enum sp_status prepare(enum sp_gpu_map map, const struct sp_layout *layout,
                              const struct sp_operands *operands, void **state, struct sp_error *err)
{
    const struct sp_gpu_module *module;
    struct sp_gpu_launch launch;
    void *memory;
    *state = NULL;
    enum sp_status status = sp_gpu_module_open(&module, err);
    if (status == SP_OK)
        status = sp_gpu_launch_make(layout, map, 0, &launch, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct gpu_state), "a GPU kernel", &memory, err);
    if (status != SP_OK)
        return status;
    struct gpu_state *s = memory;
    s->module = module;
    status = module->prepare(&launch, layout, operands, &s->inner, err);
    if (status != SP_OK) {
        free(s);
        return status;
    }
    *state = s;
    return SP_OK;
}

static enum sp_status run(void *state, int64_t repetitions, struct sp_run_stats *stats, struct sp_error *err)
{
    struct gpu_state *s = state;
    return s->module->run(s->inner, repetitions, stats, err);
}

static enum sp_status fetch(void *state, double *y, struct sp_error *err)
{
    struct gpu_state *s = state;
    return s->module->fetch(s->inner, y, err);
}

/* The arrays are the device's: nothing that this process could read. */
static void facts(const void *state, struct sp_kernel_facts *facts)
{
    const struct gpu_state *s = state;
    memset(facts, 0, sizeof *facts);
    facts->streamed_B = s->module->streamed_B(s->inner);
}

static void release(void *state)
{
    struct gpu_state *s = state;
    if (!s)
        return;
    s->module->release(s->inner);
    free(s);
}

enum {
    REALS = 1u << SP_F64 | 1u << SP_F32,
    REALS_AND_COMPLEX = REALS | 1u << SP_C128,
    REALS_AND_HALVES = REALS | 1u << SP_F16 | 1u << SP_BF16
};

#define ROW        sp_spmv_crs_cuda_thread
#define NAME       "spmv/crs/cuda-thread"
#define SUMMARY    "CRS on a GPU, a row to each thread"
#define MAP        SP_GPU_THREAD
#define OPERATION  SP_OP_SPMV
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS_AND_COMPLEX
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_spmv_crs_cuda_lanes
#define NAME       "spmv/crs/cuda-lanes"
#define SUMMARY    "CRS on a GPU, a row to 2 to 32 lanes of a warp"
#define MAP        SP_GPU_LANES
#define OPERATION  SP_OP_SPMV
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS_AND_COMPLEX
#define RANK       30
#include "kernels/gpu_row.inc"

#define ROW        sp_spmv_crs_cuda_merge
#define NAME       "spmv/crs/cuda-merge"
#define SUMMARY    "CRS on a GPU, equal shares of rows and entries to all threads"
#define MAP        SP_GPU_MERGE
#define OPERATION  SP_OP_SPMV
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS_AND_COMPLEX
#define RANK       20
#include "kernels/gpu_row.inc"

#define ROW        sp_spmv_sell_cuda_chunk
#define NAME       "spmv/sell/cuda-chunk"
#define SUMMARY    "SELL-C-sigma on a GPU, C a multiple of 32, a row to each thread"
#define MAP        SP_GPU_CHUNK
#define OPERATION  SP_OP_SPMV
#define FORMAT     SP_FORMAT_SELL
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_spmmv_crs_cuda_group
#define NAME       "spmmv/crs/cuda-group"
#define SUMMARY    "CRS times a few vectors on a GPU, several rows to a warp"
#define MAP        SP_GPU_GROUP
#define OPERATION  SP_OP_SPMMV
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_spmmv_sell_cuda_slot
#define NAME       "spmmv/sell/cuda-slot"
#define SUMMARY    "SELL-C-sigma times a few vectors on a GPU, a row to a team of threads"
#define MAP        SP_GPU_SLOT
#define OPERATION  SP_OP_SPMMV
#define FORMAT     SP_FORMAT_SELL
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_spmm_crs_cuda_output
#define NAME       "spmm/crs/cuda-output"
#define SUMMARY    "CRS times a dense matrix on a GPU, an element of the result to each thread: a baseline"
#define MAP        SP_GPU_OUTPUT
#define OPERATION  SP_OP_SPMM
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS_AND_HALVES
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_spmm_crs_cuda_row
#define NAME       "spmm/crs/cuda-row"
#define SUMMARY    "CRS times a dense matrix on a GPU, rows and tiles of columns to teams of threads"
#define MAP        SP_GPU_ROW
#define OPERATION  SP_OP_SPMM
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS_AND_HALVES
#define RANK       20
#include "kernels/gpu_row.inc"

#define ROW        sp_spmm_crs_cuda_share
#define NAME       "spmm/crs/cuda-share"
#define SUMMARY    "CRS times a dense matrix on a GPU, equal shares of rows and entries to teams of threads"
#define MAP        SP_GPU_SHARE
#define OPERATION  SP_OP_SPMM
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS
#define RANK       15
#include "kernels/gpu_row.inc"

#define ROW        sp_spmm_staged_cuda_stage
#define NAME       "spmm/staged/cuda-stage"
#define SUMMARY    "STAGED times a dense matrix on a GPU, a block's rows of X in shared memory"
#define MAP        SP_GPU_STAGE
#define OPERATION  SP_OP_SPMM
#define FORMAT     SP_FORMAT_STAGED
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_sddmm_crs_cuda_sample
#define NAME       "sddmm/crs/cuda-sample"
#define SUMMARY    "SDDMM in CRS on a GPU, a row to a warp"
#define MAP        SP_GPU_SAMPLE
#define OPERATION  SP_OP_SDDMM
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS_AND_HALVES
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_sddmm_coo_cuda_equal
#define NAME       "sddmm/coo/cuda-equal"
#define SUMMARY    "SDDMM in COO on a GPU, equally many entries to all warps"
#define MAP        SP_GPU_EQUAL
#define OPERATION  SP_OP_SDDMM
#define FORMAT     SP_FORMAT_COO
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_sddmm_tiled_cuda_tile
#define NAME       "sddmm/tiled/cuda-tile"
#define SUMMARY    "SDDMM in tiles on a GPU, a block's rows of A in shared memory"
#define MAP        SP_GPU_TILE
#define OPERATION  SP_OP_SDDMM
#define FORMAT     SP_FORMAT_TILED
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_fusedmm_crs_cuda_fused
#define NAME       "fusedmm/crs/cuda-fused"
#define SUMMARY    "FusedMM in CRS on a GPU, a row to a warp, products never stored"
#define MAP        SP_GPU_FUSED
#define OPERATION  SP_OP_FUSEDMM
#define FORMAT     SP_FORMAT_CRS
#define PRECISIONS REALS
#define RANK       10
#include "kernels/gpu_row.inc"

#define ROW        sp_spmm_bcsr_cuda_mma
#define NAME       "spmm/bcsr/cuda-mma"
#define SUMMARY    "BCSR times a dense matrix on a GPU's matrix units, blocks of 8, 16, ... rows"
#define MAP        SP_GPU_MMA
#define OPERATION  SP_OP_SPMM
#define FORMAT     SP_FORMAT_BCSR
#define PRECISIONS REALS_AND_HALVES
#define RANK       10
#include "kernels/gpu_row.inc"
