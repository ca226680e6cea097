#include "kernels/kernel.h"

#include <stddef.h>
#include <string.h>

#include "kernels/bodies.h"
#include "kernels/cpu/bcsr/dense_bcsr.h"
#include "kernels/cpu/spmm/dense_cpu.h"
#include "kernels/cpu/spmm/spmm_cpu.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "sparse/formats/format_ids.h"
#include "sparse/launch/gpu_launch.h"

/* Instruction sets that this build has bodies for, and what says whether this CPU has them. */
enum {
    HAS_portable = true,
    HAS_reference = true,
    HAS_avx2 = SP_X86,
    HAS_avx2_f16c = SP_X86,
    HAS_avx512 = SP_X86,
    HAS_avx512_f16c = SP_X86
};
#define sp_cpu_has_portable  sp_kernel_everywhere
#define sp_cpu_has_reference sp_kernel_everywhere

enum {
    F64 = 1u << SP_F64,
    F32 = 1u << SP_F32,
    MIXED = 1u << SP_MIXED,
    C128 = 1u << SP_C128,
    F16 = 1u << SP_F16,
    BF16 = 1u << SP_BF16
};

/* A kernel of a CPU: name, summary, operation, format, precisions, rank, instruction set, `accepts`
 * or NULL, the body (kernels/cpu/kernels.h) and what runs it (spmv_cpu.h, dense_cpu.h). */
#define ROW(name_, summary_, op_, format_, precisions_, rank_, isa, accepts_, body, runs)                    \
    &(const struct sp_kernel)                                                                                \
    {                                                                                                        \
        .name = name_, .summary = HAS_##isa ? summary_ : "not in this build",                                \
        .absent = HAS_##isa ? NULL : "an x86-64 instruction set, this build is for another processor",       \
        .op = SP_OP_##op_, .format = SP_FORMAT_##format_, .precisions = HAS_##isa ? precisions_ : 0,         \
        .rank = HAS_##isa ? rank_ : 0, .available = HAS_##isa ? sp_cpu_has_##isa : NULL,                     \
        .accepts = HAS_##isa ? accepts_ : NULL, .prepare = HAS_##isa ? sp_##body##_##isa : NULL,             \
        .run = HAS_##isa ? sp_##runs##_run : NULL, .fetch = HAS_##isa ? sp_##runs##_fetch : NULL,            \
        .facts = HAS_##isa ? sp_##runs##_facts : NULL, .release = HAS_##isa ? sp_##runs##_release : NULL,    \
    }

/* A kernel on a GPU: place of the name, the same, and its map in both cases. */
#define GPU_ROW(name_, api_, summary_, op_, format_, precisions_, rank_, map, MAP, available_, prefix)       \
    &(const struct sp_kernel)                                                                                \
    {                                                                                                        \
        .name = name_, .summary = summary_, .op = SP_OP_##op_, .format = SP_FORMAT_##format_,                \
        .on_gpu = true, .api = api_, .gpu_map = SP_GPU_##MAP, .precisions = precisions_, .rank = rank_,      \
        .available = available_, .accepts = sp_gpu_map_##map##_accepts, .prepare = sp_##prefix##_map_##map,  \
        .run = sp_gpu_run, .fetch = sp_gpu_fetch, .facts = sp_gpu_facts, .release = sp_gpu_release,          \
    }
#define CUDA_ROW(place, summary_, op_, format_, precisions_, rank_, map, MAP)                                \
    GPU_ROW(place "/cuda-" #map, SP_GPU_CUDA, summary_, op_, format_, precisions_, rank_, map, MAP,          \
            sp_gpu_available, gpu)
#define OPENCL_ROW(place, summary_, op_, format_, precisions_, rank_, map, MAP, available_)                  \
    GPU_ROW(place "/opencl-" #map, SP_GPU_OPENCL, "OpenCL: " summary_, op_, format_, precisions_, rank_,     \
            map, MAP, available_, opencl)
/* A launch of LANES whose x a window of the L2 keeps. */
#define WINDOW_ROW(place, summary_, op_, format_, precisions_)                                               \
    &(const struct sp_kernel)                                                                                \
    {                                                                                                        \
        .name = place "/cuda-window", .summary = summary_, .op = SP_OP_##op_, .format = SP_FORMAT_##format_, \
        .on_gpu = true, .api = SP_GPU_CUDA, .gpu_map = SP_GPU_LANES, .x_in_window = true,                    \
        .precisions = precisions_, .rank = 1, .available = sp_gpu_available,                                 \
        .accepts = sp_gpu_map_lanes_accepts, .prepare = sp_gpu_map_lanes_in_window, .run = sp_gpu_run,       \
        .fetch = sp_gpu_fetch, .facts = sp_gpu_facts, .release = sp_gpu_release,                             \
    }
/* With CUDA and OpenCL; of the latter on all devices, or on those that have sub-groups. */
#define GPU_ROWS(...)   CUDA_ROW(__VA_ARGS__), OPENCL_ROW(__VA_ARGS__, sp_opencl_available)
#define LANES_ROWS(...) CUDA_ROW(__VA_ARGS__), OPENCL_ROW(__VA_ARGS__, sp_opencl_has_lanes)

#define PLAIN_FORMAT(ID, NAME, ...) extern sp_kernel_prepare sp_##NAME##_portable;
#include "base/option/formats.inc"

#define REFERENCE "readable, serial, sums in double: what the others are checked against"

#define PLAIN_ROWS(ID, name_, note)                                                                          \
    ROW("spmv/" #name_ "/reference", REFERENCE, SPMV, ID, F64 | F32 | MIXED, 0, reference, NULL,             \
        spmv_kernel, spmv_reference),                                                                        \
        ROW("spmv/" #name_ "/portable", note " in plain C", SPMV, ID, F64 | F32 | MIXED, 10, portable,       \
            sp_spmv_without_prefetch, name_, spmv_cpu),

const struct sp_kernel *const sp_kernel_table[] = {
    ROW("spmv/crs/reference", REFERENCE, SPMV, CRS, F64 | F32 | MIXED | C128, 0, reference, NULL, spmv_kernel,
        spmv_reference),
    /* Tried beside vectors: it wins where rows are short and a processor foresees their lengths. */
    ROW("spmv/crs/portable", "CRS in plain C", SPMV, CRS, F64 | F32 | C128 | MIXED, 20, portable,
        sp_spmv_without_prefetch, crs, spmv_cpu),
    ROW("spmv/crs/avx2", "CRS, AVX2, x by gather instructions; width by mean row length", SPMV, CRS,
        F64 | F32 | C128 | MIXED, 25, avx2, NULL, crs_gather, spmv_cpu),
    ROW("spmv/crs/avx2-loads", "CRS, AVX2, x by scalar loads; width by mean row length", SPMV, CRS,
        F64 | F32 | C128 | MIXED, 30, avx2, NULL, crs_loads, spmv_cpu),
    ROW("spmv/crs/avx512", "CRS, AVX-512, x by gather instructions; width by mean row length", SPMV, CRS,
        F64 | F32 | C128 | MIXED, 35, avx512, NULL, crs_gather, spmv_cpu),
    ROW("spmv/crs/avx512-loads", "CRS, AVX-512, x by scalar loads; width by mean row length", SPMV, CRS,
        F64 | F32 | C128 | MIXED, 40, avx512, NULL, crs_loads, spmv_cpu),
    ROW("spmv/sell/reference", REFERENCE, SPMV, SELL, F64 | F32 | MIXED, 0, reference, NULL, spmv_kernel,
        spmv_reference),
    ROW("spmv/sell/portable", "SELL in plain C", SPMV, SELL, F64 | F32 | MIXED, 10, portable,
        sp_spmv_without_prefetch, sell, spmv_cpu),
    ROW("spmv/sell/avx2", "SELL, AVX2, x by gather instructions", SPMV, SELL, F64 | F32 | MIXED, 25, avx2,
        sp_spmv_sell_prefetch, sell_gather, spmv_cpu),
    ROW("spmv/sell/avx2-loads", "SELL, AVX2, x by scalar loads", SPMV, SELL, F64 | F32 | MIXED, 30, avx2,
        sp_spmv_sell_prefetch, sell_loads, spmv_cpu),
    ROW("spmv/sell/avx512", "SELL, AVX-512, x by gather instructions", SPMV, SELL, F64 | F32 | MIXED, 40,
        avx512, sp_spmv_sell_prefetch, sell_gather, spmv_cpu),
    ROW("spmv/sell/avx512-loads", "SELL, AVX-512, x by scalar loads", SPMV, SELL, F64 | F32 | MIXED, 35,
        avx512, sp_spmv_sell_prefetch, sell_loads, spmv_cpu),
    ROW("spmv/sellu/reference", REFERENCE, SPMV, SELLU, F64 | F32 | MIXED, 0, reference, NULL, spmv_kernel,
        spmv_reference),
    ROW("spmv/sellu/portable", "SELL with unit-stride slots in plain C", SPMV, SELLU, F64 | F32 | MIXED, 10,
        portable, sp_spmv_without_prefetch, sell, spmv_cpu),
    ROW("spmv/sellu/avx2", "SELL with unit-stride slots, AVX2, the rest of x by gather instructions", SPMV,
        SELLU, F64 | F32 | MIXED, 25, avx2, sp_spmv_sell_prefetch, sell_gather, spmv_cpu),
    ROW("spmv/sellu/avx2-loads", "SELL with unit-stride slots, AVX2, the rest of x by scalar loads", SPMV,
        SELLU, F64 | F32 | MIXED, 30, avx2, sp_spmv_sell_prefetch, sell_loads, spmv_cpu),
    ROW("spmv/sellu/avx512", "SELL with unit-stride slots, AVX-512, the rest of x by gather instructions",
        SPMV, SELLU, F64 | F32 | MIXED, 40, avx512, sp_spmv_sell_prefetch, sell_gather, spmv_cpu),
    ROW("spmv/sellu/avx512-loads", "SELL with unit-stride slots, AVX-512, the rest of x by scalar loads",
        SPMV, SELLU, F64 | F32 | MIXED, 35, avx512, sp_spmv_sell_prefetch, sell_loads, spmv_cpu),
    ROW("spmv/bcsr/reference", REFERENCE, SPMV, BCSR, F64 | F32, 0, reference, NULL, spmv_kernel,
        spmv_reference),
    ROW("spmv/bcsr/portable", "BCSR in plain C", SPMV, BCSR, F64 | F32, 10, portable, NULL, bcsr, spmv_cpu),
    ROW("spmv/bcsr/avx2", "BCSR, AVX2", SPMV, BCSR, F64 | F32, 30, avx2, NULL, bcsr, spmv_cpu),
    ROW("spmv/bcsr/avx512", "BCSR, AVX-512", SPMV, BCSR, F64 | F32, 40, avx512, NULL, bcsr, spmv_cpu),
    ROW("spmv/half/reference", REFERENCE, SPMV, HALF, F64 | F32, 0, reference, NULL, spmv_kernel,
        spmv_reference),
    ROW("spmv/half/portable", "half storage in plain C", SPMV, HALF, F64 | F32, 10, portable, NULL, half,
        half_cpu),
    ROW("spmv/half/avx2", "half storage, AVX2 where columns follow each other", SPMV, HALF, F64 | F32, 25,
        avx2, NULL, half, half_cpu),
    ROW("spmv/half/avx512", "half storage, AVX-512 where columns follow each other", SPMV, HALF, F64 | F32,
        35, avx512, NULL, half, half_cpu),
#define PLAIN_FORMAT(ID, NAME, NUMBERS, NOTE, ...) PLAIN_ROWS(ID, NAME, NOTE)
#include "base/option/formats.inc"
    GPU_ROWS("spmv/crs", "CRS on a GPU, a row to each thread", SPMV, CRS, F64 | F32 | C128, 10, thread,
             THREAD),
    LANES_ROWS("spmv/crs", "CRS on a GPU, a row to 2 to 32 lanes of a warp", SPMV, CRS, F64 | F32 | C128, 30,
               lanes, LANES),
    LANES_ROWS("spmv/crs", "CRS on a GPU, equal shares of rows and entries to all threads", SPMV, CRS,
               F64 | F32 | C128, 20, merge, MERGE),
    CUDA_ROW("spmv/crs", "CRS on a GPU, as cuda-lanes, the matrix leaves the L2 before x", SPMV, CRS,
             F64 | F32, 25, keep, KEEP),
    CUDA_ROW("spmv/crs", "CRS on a GPU, as cuda-lanes, a block to each row above 1024 entries", SPMV, CRS,
             F64 | F32, 15, bins, BINS),
    WINDOW_ROW("spmv/crs", "CRS on a GPU, as cuda-lanes, x in a persistence window of the L2", SPMV, CRS,
               F64 | F32 | C128),
    GPU_ROWS("spmv/sell", "SELL-C-sigma on a GPU, C a multiple of 32, a row to each thread", SPMV, SELL,
             F64 | F32, 10, chunk, CHUNK),
    ROW("spmmv/crs/reference", REFERENCE, SPMMV, CRS, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("spmmv/crs/portable", "SpMMV in CRS, plain C, a row of Y in registers", SPMMV, CRS, F64 | F32, 10,
        portable, sp_spmm_accepts, spmm, dense_cpu),
    ROW("spmmv/crs/avx2", "SpMMV in CRS, AVX2, a row of Y in registers", SPMMV, CRS, F64 | F32, 30, avx2_f16c,
        sp_spmm_accepts, spmm, dense_cpu),
    ROW("spmmv/crs/avx512", "SpMMV in CRS, AVX-512, a row of Y in registers", SPMMV, CRS, F64 | F32, 40,
        avx512_f16c, sp_spmm_accepts, spmm, dense_cpu),
    LANES_ROWS("spmmv/crs", "CRS times a few vectors on a GPU, several rows to a warp", SPMMV, CRS, F64 | F32,
               10, group, GROUP),
    ROW("spmmv/sell/reference", REFERENCE, SPMMV, SELL, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("spmmv/sell/portable", "SpMMV in SELL, plain C, lane by lane, a row of Y in registers", SPMMV, SELL,
        F64 | F32, 10, portable, sp_spmm_accepts, spmm, dense_cpu),
    ROW("spmmv/sell/avx2", "SpMMV in SELL, AVX2, lane by lane, a row of Y in registers", SPMMV, SELL,
        F64 | F32, 30, avx2_f16c, sp_spmm_accepts, spmm, dense_cpu),
    ROW("spmmv/sell/avx512", "SpMMV in SELL, AVX-512, lane by lane, a row of Y in registers", SPMMV, SELL,
        F64 | F32, 40, avx512_f16c, sp_spmm_accepts, spmm, dense_cpu),
    GPU_ROWS("spmmv/sell", "SELL-C-sigma times a few vectors on a GPU, a row to a team of threads", SPMMV,
             SELL, F64 | F32, 10, slot, SLOT),
    ROW("spmmv/bcsr/reference", REFERENCE, SPMMV, BCSR, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("spmmv/bcsr/portable", "BCSR in plain C, a tile of Y in registers", SPMMV, BCSR, F64 | F32, 10,
        portable, sp_dense_bcsr_accepts, dense_bcsr, dense_cpu),
    ROW("spmmv/bcsr/avx2", "BCSR, AVX2, a tile of Y in registers", SPMMV, BCSR, F64 | F32, 30, avx2,
        sp_dense_bcsr_accepts, dense_bcsr, dense_cpu),
    ROW("spmmv/bcsr/avx512", "BCSR, AVX-512, a tile of Y in registers", SPMMV, BCSR, F64 | F32, 40, avx512,
        sp_dense_bcsr_accepts, dense_bcsr, dense_cpu),
    ROW("spmm/crs/reference", REFERENCE, SPMM, CRS, F64 | F32 | F16 | BF16, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("spmm/crs/portable", "SpMM in CRS, plain C, a row of Y in registers, wide ones in tiles", SPMM, CRS,
        F64 | F32 | F16 | BF16, 10, portable, sp_spmm_accepts, spmm, dense_cpu),
    ROW("spmm/crs/avx2", "SpMM in CRS, AVX2, a row of Y in registers, wide ones in tiles", SPMM, CRS,
        F64 | F32 | F16 | BF16, 30, avx2_f16c, sp_spmm_accepts, spmm, dense_cpu),
    ROW("spmm/crs/avx512", "SpMM in CRS, AVX-512, a row of Y in registers, wide ones in tiles", SPMM, CRS,
        F64 | F32 | F16 | BF16, 40, avx512_f16c, sp_spmm_accepts, spmm, dense_cpu),
    GPU_ROWS("spmm/crs",
             "CRS times a dense matrix on a GPU, an element of the result to each thread: a baseline", SPMM,
             CRS, F64 | F32 | F16 | BF16, 10, output, OUTPUT),
    LANES_ROWS("spmm/crs", "CRS times a dense matrix on a GPU, rows and tiles of columns to teams of threads",
               SPMM, CRS, F64 | F32 | F16 | BF16, 20, row, ROW),
    GPU_ROWS("spmm/crs",
             "CRS times a dense matrix on a GPU, equal shares of rows and entries to teams of threads", SPMM,
             CRS, F64 | F32 | F16 | BF16, 15, share, SHARE),
    ROW("spmm/bcsr/reference", REFERENCE, SPMM, BCSR, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("spmm/bcsr/portable", "BCSR in plain C, a tile of Y in registers", SPMM, BCSR, F64 | F32, 10,
        portable, sp_dense_bcsr_accepts, dense_bcsr, dense_cpu),
    ROW("spmm/bcsr/avx2", "BCSR, AVX2, a tile of Y in registers", SPMM, BCSR, F64 | F32, 30, avx2,
        sp_dense_bcsr_accepts, dense_bcsr, dense_cpu),
    ROW("spmm/bcsr/avx512", "BCSR, AVX-512, a tile of Y in registers", SPMM, BCSR, F64 | F32, 40, avx512,
        sp_dense_bcsr_accepts, dense_bcsr, dense_cpu),
    ROW("sddmm/crs/reference", REFERENCE, SDDMM, CRS, F64 | F32 | F16 | BF16, 0, reference, NULL,
        dense_kernel, dense_reference),
    ROW("sddmm/crs/portable", "CRS in plain C", SDDMM, CRS, F64 | F32 | F16 | BF16, 10, portable, NULL, sddmm,
        dense_cpu),
    ROW("sddmm/crs/avx2", "CRS, AVX2, sums of eight entries reduced together", SDDMM, CRS,
        F64 | F32 | F16 | BF16, 30, avx2, NULL, sddmm, dense_cpu),
    ROW("sddmm/crs/avx512", "CRS, AVX-512, the row of A in registers, sums of eight entries reduced together",
        SDDMM, CRS, F64 | F32 | F16 | BF16, 40, avx512, NULL, sddmm, dense_cpu),
    LANES_ROWS("sddmm/crs", "SDDMM in CRS on a GPU, a row to a warp", SDDMM, CRS, F64 | F32 | F16 | BF16, 10,
               sample, SAMPLE),
    ROW("sddmm/coo/portable", "COO in plain C", SDDMM, COO, F64 | F32, 10, portable, NULL, sddmm_coo,
        dense_cpu),
    ROW("sddmm/coo/avx2", "COO, AVX2, each entry with both of its rows", SDDMM, COO, F64 | F32, 30, avx2,
        NULL, sddmm_coo, dense_cpu),
    ROW("sddmm/coo/avx512", "COO, AVX-512, each entry with both of its rows", SDDMM, COO, F64 | F32, 40,
        avx512, NULL, sddmm_coo, dense_cpu),
    LANES_ROWS("sddmm/coo", "SDDMM in COO on a GPU, equally many entries to all warps", SDDMM, COO, F64 | F32,
               10, equal, EQUAL),
    ROW("sddmm/tiled/portable", "TILED in plain C", SDDMM, TILED, F64 | F32, 10, portable, NULL, sddmm_tiled,
        dense_cpu),
    ROW("sddmm/tiled/avx2",
        "TILED, AVX2, the row of B in registers, those of a block of A in the first-level cache", SDDMM,
        TILED, F64 | F32, 30, avx2, NULL, sddmm_tiled, dense_cpu),
    ROW("sddmm/tiled/avx512",
        "TILED, AVX-512, the row of B in registers, those of a block of A in the first-level cache", SDDMM,
        TILED, F64 | F32, 40, avx512, NULL, sddmm_tiled, dense_cpu),
    LANES_ROWS("sddmm/tiled", "SDDMM in tiles on a GPU, a block's rows of A in shared memory", SDDMM, TILED,
               F64 | F32, 10, tile, TILE),
    ROW("fusedmm/crs/reference", REFERENCE, FUSEDMM, CRS, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("fusedmm/crs/portable", "CRS in plain C", FUSEDMM, CRS, F64 | F32, 10, portable, NULL, fusedmm,
        dense_cpu),
    ROW("fusedmm/crs/avx2", "CRS, AVX2", FUSEDMM, CRS, F64 | F32, 30, avx2, NULL, fusedmm, dense_cpu),
    ROW("fusedmm/crs/avx512", "CRS, AVX-512, the rows of C and E in registers", FUSEDMM, CRS, F64 | F32, 40,
        avx512, NULL, fusedmm, dense_cpu),
    LANES_ROWS("fusedmm/crs", "FusedMM in CRS on a GPU, a row to a warp, products never stored", FUSEDMM, CRS,
               F64 | F32, 10, fused, FUSED),
    ROW("spmm/staged/reference", REFERENCE, SPMM, STAGED, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("spmm/staged/portable",
        "rows of X that a block of rows shares are copied into a buffer once, plain C", SPMM, STAGED,
        F64 | F32, 10, portable, NULL, staged, dense_cpu),
    ROW("spmm/staged/avx2", "rows of X that a block of rows shares are copied into a buffer once, AVX2", SPMM,
        STAGED, F64 | F32, 20, avx2, NULL, staged, dense_cpu),
    ROW("spmm/staged/avx512", "rows of X that a block of rows shares are copied into a buffer once, AVX-512",
        SPMM, STAGED, F64 | F32, 30, avx512, NULL, staged, dense_cpu),
    GPU_ROWS("spmm/staged", "STAGED times a dense matrix on a GPU, a block's rows of X in shared memory",
             SPMM, STAGED, F64 | F32, 10, stage, STAGE),
    ROW("sddmm/staged/reference", REFERENCE, SDDMM, STAGED, F64 | F32, 0, reference, NULL, dense_kernel,
        dense_reference),
    ROW("sddmm/staged/portable",
        "rows of B that a block of rows shares are copied into a buffer once, plain C", SDDMM, STAGED,
        F64 | F32, 10, portable, NULL, staged, dense_cpu),
    ROW("sddmm/staged/avx2", "rows of B that a block of rows shares are copied into a buffer once, AVX2",
        SDDMM, STAGED, F64 | F32, 20, avx2, NULL, staged, dense_cpu),
    ROW("sddmm/staged/avx512", "rows of B that a block of rows shares are copied into a buffer once, AVX-512",
        SDDMM, STAGED, F64 | F32, 30, avx512, NULL, staged, dense_cpu),
    CUDA_ROW("spmm/bcsr", "BCSR times a dense matrix on a GPU's matrix units, blocks of 8, 16, ... rows",
             SPMM, BCSR, F64 | F32 | F16 | BF16, 10, mma, MMA),
    NULL,
};

enum sp_status sp_kernel_everywhere(struct sp_error *err)
{
    (void)err;
    return SP_OK;
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
           !(kernel->x_in_window && strcmp(variant_of(kernel), isa) != 0) &&
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
