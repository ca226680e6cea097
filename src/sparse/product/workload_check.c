/* Do the parts of a workload fit: what its format takes, the rows of formats say. */
#include <stdio.h>

#include "base/option/option_words.h"
#include "sparse/formats/format.h"
#include "sparse/product/workload.h"

static enum sp_status check_format(const struct sp_workload *w, struct sp_error *err)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (!(kind->ops & 1u << w->op)) {
        unsigned takes = 0;
        char list[64];
        for (int i = 0; i < sp_n_formats; i++)
            takes |= sp_format_kinds[i]->ops & 1u << w->op ? 1u << i : 0;
        return sp_fail(err, SP_USAGE, "choose another " SP_O_FORMAT " or " SP_O_OP,
                       "%s takes the formats %s, not %s", sp_op_name(w->op),
                       sp_format_list(takes, ", ", list, sizeof list), kind->name);
    }
    return kind->check ? kind->check(w, err) : SP_OK;
}

static enum sp_status check_precision(const struct sp_workload *w, struct sp_error *err)
{
    const char *name = sp_precision_name(w->precision);
    const struct sp_format_kind *kind = sp_format_of(w->format);
    const bool is_complex = sp_csr_is_complex(w->matrix);
    if ((is_complex || w->precision == SP_C128) && (!kind->takes_complex || w->op != SP_OP_SPMV))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_OP " spmv and " SP_O_FORMAT " crs, or write the real part to another file",
                       "complex values are supported for spmv in CRS only");
    if (is_complex && w->precision != SP_C128)
        return sp_fail(err, SP_USAGE, "use " SP_O_PRECISION " c128",
                       "the matrix is complex, the precision %s is not", name);
    bool half = w->precision == SP_F16 || w->precision == SP_BF16;
    if (half && !(kind->halves & 1u << w->op))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_PRECISION " f32, or " SP_O_OP " spmm or sddmm with " SP_O_FORMAT " crs",
                       "storage in %s is supported for spmm in CRS and BCSR and sddmm in CRS only", name);
    return SP_OK;
}

static enum sp_status refuse_mixed(struct sp_error *err)
{
    char names[64], remedy[160];
    unsigned take = 0;
    for (int i = 0; i < sp_n_formats; i++)
        take |= sp_format_kinds[i]->takes_mixed ? 1u << i : 0;
    snprintf(remedy, sizeof remedy,
             "use " SP_O_PRECISION " f64 or f32, or " SP_O_OP " spmv with " SP_O_FORMAT " %s",
             sp_format_list(take, " or ", names, sizeof names));
    return sp_fail(err, SP_USAGE, remedy,
                   "values in f32 beside vectors in f64 are supported for spmv in %s only",
                   sp_format_list(take, " and ", names, sizeof names));
}

static enum sp_status check_storage(const struct sp_workload *w, struct sp_error *err)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (w->precision == SP_MIXED && (w->op != SP_OP_SPMV || !kind->takes_mixed))
        return refuse_mixed(err);
    if (w->row_ptr_B != 0 && w->row_ptr_B != 4 && w->row_ptr_B != 8)
        return sp_fail(err, SP_USAGE, "say 4 or 8", "row pointers of %d bytes", w->row_ptr_B);
    if (w->row_ptr_B == 4 && w->matrix && w->matrix->n_nz > INT32_MAX)
        return sp_fail(err, SP_USAGE, "use " SP_O_ROW_PTR " 8",
                       "row pointers of 4 bytes do not count %lld nonzeros", (long long)w->matrix->n_nz);
    if (w->prefetch < 0 || w->prefetch > SP_MAX_PREFETCH)
        return sp_fail(err, SP_USAGE, "give a number of entries up to 4096, 0 for none",
                       "a prefetch of %d entries", (int)w->prefetch);
    if (w->prefetch > 0 &&
        (w->op != SP_OP_SPMV || !kind->takes_prefetch || w->precision == SP_C128 || w->index == SP_D16))
        return sp_fail(err, SP_USAGE,
                       "leave " SP_O_PREFETCH " out, or use " SP_O_OP " spmv with " SP_O_FORMAT
                       " crs or sell",
                       "x is prefetched by real spmv in CRS and SELL with 32 or 64-bit indices only");
    if (w->index != SP_D16)
        return SP_OK;
    if (w->op != SP_OP_SPMV || !kind->count_offsets || w->precision == SP_C128)
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_INDEX " i32, or " SP_O_OP " spmv with " SP_O_FORMAT " crs or sell",
                       "16-bit offsets are supported for real spmv in CRS and SELL only");
    if (w->schedule == SP_SCHEDULE_MERGE)
        return sp_fail(err, SP_USAGE, "use " SP_O_SCHEDULE " nnz, or " SP_O_INDEX " i32",
                       "schedule merge splits rows, which have one base with 16-bit offsets");
    return SP_OK;
}

enum sp_status sp_workload_check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->n_threads < 1)
        return sp_fail(err, SP_USAGE, "give at least one thread", "%d threads", w->n_threads);
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (w->schedule == SP_SCHEDULE_MERGE && (!kind->takes_merge || w->op != SP_OP_SPMV))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_SCHEDULE " nnz, or " SP_O_OP " spmv with " SP_O_FORMAT " crs",
                       "schedule merge splits rows, which is supported for spmv in CRS only");
    if (w->schedule == SP_SCHEDULE_CYCLIC && w->block < 1)
        return sp_fail(err, SP_USAGE, "give at least one row a block",
                       "schedule cyclic with %lld rows a block", (long long)w->block);
    if (w->r < 0 || w->r > SP_MAX_WIDTH)
        return sp_fail(err, SP_USAGE, "give a width from 1 to 65536", "a width of %d columns", (int)w->r);
    if (w->op == SP_OP_SPMV && w->r > 1)
        return sp_fail(err, SP_USAGE, "use " SP_O_OP " spmmv or " SP_O_OP " spmm",
                       "spmv has one right-hand side, not %d", (int)w->r);
    if (w->order == SP_COLUMN_MAJOR && w->op != SP_OP_SPMMV)
        return sp_fail(err, SP_USAGE, "leave " SP_O_ORDER " out, or use " SP_O_OP " spmmv",
                       "column-major operands are supported for spmmv only, not for %s", sp_op_name(w->op));
    if (w->order == SP_COLUMN_MAJOR && kind->in_blocks)
        return sp_fail(err, SP_USAGE, "leave " SP_O_ORDER " out, or use " SP_O_FORMAT " crs or sell",
                       "blocks of bcsr read rows of X, column-major vectors have none");
    if (kind->not_cyclic && w->schedule == SP_SCHEDULE_CYCLIC)
        return sp_fail(err, SP_USAGE, "leave " SP_O_SCHEDULE " out", "%s", kind->not_cyclic);
    if (kind->nnz_only && w->schedule != SP_SCHEDULE_NNZ)
        return sp_fail(err, SP_USAGE, "use " SP_O_SCHEDULE " nnz", "%s", kind->nnz_only);
    enum sp_status status = check_precision(w, err);
    if (status == SP_OK)
        status = check_storage(w, err);
    return status == SP_OK ? check_format(w, err) : status;
}
