#include "probes/cuda/gpu_counters.h"

#include "sys/machine/gpu_files.h"

const struct sp_gpu_count_words sp_gpu_count_words[SP_N_GPU_COUNTS] = {
    [SP_GPU_TIME] = {"profiled_time", "s"},
    [SP_GPU_DRAM_READ] = {"dram_read", "B"},
    [SP_GPU_DRAM_WRITE] = {"dram_write", "B"},
    [SP_GPU_L2_READ] = {"l2_read", "B"},
    [SP_GPU_L2_WRITE] = {"l2_write", "B"},
    [SP_GPU_L1_LOAD] = {"l1_load", "sectors"},
    [SP_GPU_L1_LOAD_HIT] = {"l1_load_hit", "sectors"},
    [SP_GPU_L1_STORE] = {"l1_store", "sectors"},
    [SP_GPU_L1_ASYNC] = {"l1_async", "sectors"},
    [SP_GPU_L1_REDUCTION] = {"l1_reduction", "sectors"},
    [SP_GPU_L1_ATOMIC] = {"l1_atomic", "sectors"},
    [SP_GPU_L2_REDUCTION] = {"l2_reduction", "B"},
    [SP_GPU_L2_ATOMIC] = {"l2_atomic", "B"},
    [SP_GPU_FLOPS_F64] = {"flops_f64", "flop"},
    [SP_GPU_FLOPS_F32] = {"flops_f32", "flop"},
    [SP_GPU_TENSOR_F64] = {"tensor_f64", "op"},
    [SP_GPU_TENSOR_TF32] = {"tensor_tf32", "op"},
    [SP_GPU_TENSOR_BF16] = {"tensor_bf16", "op"},
    [SP_GPU_TENSOR_F16] = {"tensor_f16", "op"},
};

static const double sector_B = 32, ns = 1e-9;

/* L2 by sectors of the SMs: lts__t_bytes would count what crosses between its partitions twice. */
static const struct sp_gpu_metric traffic[] = {
    {"gpu__time_duration.sum", SP_GPU_TIME, ns, 0},
    {"dram__bytes_read.sum", SP_GPU_DRAM_READ, 1, 0},
    {"dram__bytes_write.sum", SP_GPU_DRAM_WRITE, 1, 0},
    {"lts__t_sectors_srcunit_tex_op_read.sum", SP_GPU_L2_READ, sector_B, 0},
    {"lts__t_sectors_srcunit_tex_op_write.sum", SP_GPU_L2_WRITE, sector_B, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", SP_GPU_L1_LOAD, 1, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", SP_GPU_L1_LOAD_HIT, 1, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", SP_GPU_L1_STORE, 1, 0},
};

static const struct sp_gpu_metric flops[] = {
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", SP_GPU_FLOPS_F64, 1, 0},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", SP_GPU_FLOPS_F64, 1, 0},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", SP_GPU_FLOPS_F64, 2, 0},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", SP_GPU_FLOPS_F32, 1, 0},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", SP_GPU_FLOPS_F32, 1, 0},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", SP_GPU_FLOPS_F32, 2, 0},
};

static const struct sp_gpu_metric updates[] = {
    {"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts.sum", SP_GPU_L1_ASYNC, 1, 0},
    {"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_red.sum", SP_GPU_L1_REDUCTION, 1, 0},
    {"sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_atom.sum", SP_GPU_L1_ATOMIC, 1, 0},
    {"lts__t_sectors_srcunit_tex_op_red.sum", SP_GPU_L2_REDUCTION, sector_B, 0},
    {"lts__t_sectors_srcunit_tex_op_atom.sum", SP_GPU_L2_ATOMIC, sector_B, 0},
};

/* GH100 has one name for operands of 16 bits, GA100 and GB100 one for each type of result. */
static const struct sp_gpu_metric tensor[] = {
    {"sm__ops_path_tensor_src_fp64.sum", SP_GPU_TENSOR_F64, 1, 0},
    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", SP_GPU_TENSOR_TF32, 1, 0},
    {"sm__ops_path_tensor_src_bf16_dst_fp32.sum", SP_GPU_TENSOR_BF16, 1, 0},
    {"sm__ops_path_tensor_src_fp16.sum", SP_GPU_TENSOR_F16, 1, 0},
    {"sm__ops_path_tensor_src_fp16_dst_fp16.sum", SP_GPU_TENSOR_F16, 1, 1},
    {"sm__ops_path_tensor_src_fp16_dst_fp32.sum", SP_GPU_TENSOR_F16, 1, 1},
};

const struct sp_gpu_set sp_gpu_sets[SP_N_GPU_SETS] = {
    [SP_GPU_SET_TRAFFIC] = {"traffic", traffic, sizeof traffic / sizeof *traffic},
    [SP_GPU_SET_FLOPS] = {"flops", flops, sizeof flops / sizeof *flops},
    [SP_GPU_SET_UPDATES] = {"updates", updates, sizeof updates / sizeof *updates},
    [SP_GPU_SET_TENSOR] = {"tensor", tensor, sizeof tensor / sizeof *tensor},
};

void sp_gpu_counts_none(struct sp_gpu_counts *counts, const char *why)
{
    counts->n_passes = 0;
    for (int i = 0; i < SP_N_GPU_COUNTS; i++)
        counts->of[i] = sp_value_none(why);
}

void sp_gpu_counts_merge(struct sp_gpu_counts *into, const struct sp_gpu_counts *from)
{
    into->n_passes += from->n_passes;
    for (int i = 0; i < SP_N_GPU_COUNTS; i++)
        if (sp_value_known(from->of[i]))
            into->of[i] = from->of[i];
}

enum sp_status sp_gpu_counters_open(const struct sp_gpu_counters **counters, struct sp_error *err)
{
    union {
        void *address;
        sp_gpu_counters_of *function;
    } symbol;
    *counters = NULL;
    enum sp_status status =
        sp_module_file_symbol(SP_GPU_MODULE_FILE, SP_GPU_COUNTERS_SYMBOL, &symbol.address, err);
    if (status != SP_OK)
        return status;
    const struct sp_gpu_counters *found = symbol.function();
    if (found->abi != SP_GPU_COUNTERS_ABI || found->counts_size != sizeof(struct sp_gpu_counts))
        return sp_fail(err, SP_ABSENT, "build and install both together",
                       "%s is of another build than this program", SP_GPU_MODULE_FILE);
    *counters = found;
    return SP_OK;
}
