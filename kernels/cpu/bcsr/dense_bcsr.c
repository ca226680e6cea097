/* SpMMV and SpMM in BCSR; compiled for each instruction set. */
#include "kernels/cpu/bcsr/dense_bcsr.h"
#include "kernels/bodies.h"
#include "kernels/cpu/vectors.h"

/* Lanes of the widest vector, and of those of 32 bytes, which are stored past the cache; 0: none
 * are. REGISTERS: the vectors of Y that a tile may have. */
#if SP_LEVEL >= 2
#define LANES_f64       8
#define LANES_f32       16
#define STREAM_FROM_f64 4
#define STREAM_FROM_f32 8
#define REGISTERS       24
#elif SP_LEVEL == 1
#define LANES_f64       4
#define LANES_f32       8
#define STREAM_FROM_f64 4
#define STREAM_FROM_f32 8
#define REGISTERS       8
#else
#define LANES_f64       2
#define LANES_f32       4
#define STREAM_FROM_f64 0
#define STREAM_FROM_f32 0
#define REGISTERS       8
#endif

#define BODY "kernels/cpu/bcsr/dense_bcsr.inc"
#define W    1
#include "kernels/cpu/types.inc"
#undef W
#define W 2
#include "kernels/cpu/types.inc"
#undef W
#define W 4
#include "kernels/cpu/types.inc"
#undef W
#define W 8
#include "kernels/cpu/types.inc"
#undef W
#define W 16
#include "kernels/cpu/types.inc"
#undef W

static struct sp_dense_body select_body(const struct sp_layout *l)
{
    enum { N_WIDTHS = 5 }; /* 1, 2, 4, 8, 16 */
    static sp_dense_units *const units[2][N_WIDTHS][2] = {
        {
            {units_f64x1_i32, units_f64x1_i64},
            {units_f64x2_i32, units_f64x2_i64},
#if LANES_f64 >= 4
            {units_f64x4_i32, units_f64x4_i64},
#endif
#if LANES_f64 >= 8
            {units_f64x8_i32, units_f64x8_i64},
#endif
        },
        {
            {units_f32x1_i32, units_f32x1_i64},
            {units_f32x2_i32, units_f32x2_i64},
            {units_f32x4_i32, units_f32x4_i64},
#if LANES_f32 >= 8
            {units_f32x8_i32, units_f32x8_i64},
#endif
#if LANES_f32 >= 16
            {units_f32x16_i32, units_f32x16_i64},
#endif
        },
    };
    const int most = l->precision == SP_F32 ? LANES_f32 : LANES_f64, lanes = sp_dense_bcsr_lanes(l->r, most);
    /* whole vectors at addresses that are multiples of them */
    const bool streams = (size_t)most * l->s_y >= 32 && l->r % most == 0;
    return (struct sp_dense_body){.units =
                                      units[l->precision == SP_F32][__builtin_ctz((unsigned)lanes)][l->index],
                                  .can_store_nt = streams};
}

enum sp_status OF_ISA(sp_dense_bcsr)(SP_PREPARE)
{
    return sp_dense_cpu_prepare(layout, operands, select_body, state, err);
}

#if SP_LEVEL == 0
/* ---- for all instruction sets ---- */

#include "base/option/option_words.h"

/* Rows of the next piece of a block row with `left` rows left. */
static int piece_rows(int64_t left, int n_vectors, int registers)
{
    if (left >= 16 && 16 * n_vectors <= registers)
        return 16;
    if (left >= 8 && 8 * n_vectors <= registers)
        return 8;
    return left >= 4 ? 4 : (int)left;
}

static void block_row(const struct sp_dense_args *a, int64_t unit, bcsr_tile_function *tile, int lanes,
                      int registers)
{
    const int64_t r = a->r, b_h = a->layout->b_h, n_vectors = (r + lanes - 1) / lanes;
    const int most = registers / 4 < BCSR_MAX_VECTORS ? registers / 4 : BCSR_MAX_VECTORS;
    struct bcsr_tile t = {.begin = sp_dense_pointer(a, unit), .end = sp_dense_pointer(a, unit + 1)};
    for (int64_t v = 0; v < n_vectors; v += t.n_vectors) {
        /* equal parts: of five vectors three and two, not four and one */
        int64_t parts = (n_vectors - v + most - 1) / most;
        t.n_vectors = (int)((n_vectors - v + parts - 1) / parts);
        t.k = t.n_vectors == 1 && v == n_vectors - 1 ? r - lanes : v * lanes;
        int64_t last = (v + t.n_vectors - 1) * lanes;
        t.last = (last < r - lanes ? last : r - lanes) - t.k;
        for (t.row = 0; t.row < b_h; t.row += t.rows) {
            t.rows = piece_rows(b_h - t.row, t.n_vectors, registers);
            t.y_row = unit * b_h + t.row;
            tile(a, &t);
        }
    }
}

void sp_dense_bcsr_units(const struct sp_dense_args *a, int64_t first, int64_t end, bcsr_tile_function *tile,
                         int lanes, int registers)
{
    for (int64_t unit = first; unit < end; unit++)
        block_row(a, unit, tile, lanes, registers);
}

enum sp_status sp_dense_bcsr_accepts(const struct sp_layout *layout, struct sp_error *err)
{
    if (layout->order == SP_ROW_MAJOR)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "use " SP_O_ORDER " row",
                   "blocks are multiplied by row-major operands only");
}
#endif
