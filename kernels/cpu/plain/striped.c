/* SpMV in STRIPED: what is gathered and where it is added to differ from entry to entry, so that
 * vectors have nothing to give. */
#include "sparse/formats/striped.h"

#include <string.h>

#include "kernels/bodies.h"
#include "kernels/cpu/spmv/spmv_cpu.h"
#include "kernels/cpu/vectors.h"

sp_kernel_prepare sp_striped_portable;

/* The entries [first, stop) of a cell whose first row is y[0]. Neighbours are in different rows
 * wherever that is possible, so that no addition waits for the store before it. The last two
 * arguments are constants. */
static ALWAYS_INLINE void add_cell(const struct sp_spmv_args *a, void *y, int64_t first, int64_t stop,
                                   const enum sp_precision precision, const bool wide)
{
    const uint16_t *row = a->layout->row_index;
    const int64_t *col_64 = a->col;
    const int32_t *col_32 = a->col;
    for (int64_t j = first; j < stop; j++) {
        const int64_t i = wide ? col_64[j] : col_32[j];
        if (precision == SP_F32)
            ((float *)y)[row[j]] += ((const float *)a->val)[j] * ((const float *)a->x)[i];
        else if (precision == SP_MIXED)
            ((double *)y)[row[j]] += ((const float *)a->val)[j] * ((const double *)a->x)[i];
        else
            ((double *)y)[row[j]] += ((const double *)a->val)[j] * ((const double *)a->x)[i];
    }
}

/* The cells of a thread's rows. */
static ALWAYS_INLINE void add_cells(const struct sp_spmv_args *a, int64_t first, int64_t end, int64_t from,
                                    const enum sp_precision precision, const bool wide)
{
    (void)first, (void)end, (void)from;
    const size_t s_y = precision == SP_F32 ? sizeof(float) : sizeof(double);
    const struct sp_stripes *s = sp_stripes_of(a->layout);
    for (int64_t c = s->cell_begin[a->thread]; c < s->cell_begin[a->thread + 1]; c++) {
        const struct sp_cell *cell = &s->cell[c];
        void *y = (char *)a->y + (size_t)cell->row * s_y;
        if (cell->clears > 0)
            memset(y, 0, (size_t)cell->clears * s_y);
        add_cell(a, y, cell->entry, cell[1].entry, precision, wide);
    }
}

SP_SPMV_UNITS(f64_i32, add_cells, SP_F64, false)
SP_SPMV_UNITS(f64_i64, add_cells, SP_F64, true)
SP_SPMV_UNITS(f32_i32, add_cells, SP_F32, false)
SP_SPMV_UNITS(f32_i64, add_cells, SP_F32, true)
SP_SPMV_UNITS(mixed_i32, add_cells, SP_MIXED, false)
SP_SPMV_UNITS(mixed_i64, add_cells, SP_MIXED, true)

static struct sp_spmv_body select(const struct sp_layout *l)
{
    sp_spmv_units *const units[SP_N_PRECISIONS][SP_N_INDICES] = {
        [SP_F64] = {f64_i32, f64_i64},
        [SP_F32] = {f32_i32, f32_i64},
        [SP_MIXED] = {mixed_i32, mixed_i64},
    };
    return (struct sp_spmv_body){.units = units[l->precision][l->index]};
}

enum sp_status sp_striped_portable(SP_PREPARE)
{
    return sp_spmv_cpu_prepare(layout, operands, select, state, err);
}
