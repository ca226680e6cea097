/* What a format really stores. A layout is built once from a workload and shared by the kernel
 * (which computes with it), the trace (whose addresses follow from it) and the volume formula
 * (which counts it): none of them derives it again.
 *
 * All arrays are first touched, with their final contents, by the thread that the partition gives
 * them to; threads should therefore be bound before sp_layout_make() is called. */
#ifndef SP_SPARSE_LAYOUT_H
#define SP_SPARSE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/reading.h"
#include "base/status.h"
#include "sparse/csr/partition.h"
#include "sparse/product/workload.h"

/* CRS: row i holds entries ptr[i] .. ptr[i + 1] of col and val.
 *
 * SELL: rows sorted by descending length inside windows of sigma rows (stable), cut into n_chunks
 * chunks of C. Chunk k has len[k] slots of C entries; entry (slot j, lane l) is at ptr[k] + j C + l
 * of col and val. The row in lane l of chunk k is perm[k C + l] (sigma > 1) or k C + l; lanes past
 * the last row are empty. Fill has value 0 and repeats a column of its own row (0 for an empty
 * row), so that it seldom causes a new line of x.
 *
 * SELLU: SELL with two kinds of slots. The first n_unit[k] slots of chunk k are unit-stride: one
 * base index b stands for the columns b .. b + C - 1 (b may be negative or b + C exceed n_c: x is
 * stored with C zeros on either side). The others store C indices. The indices of chunk k start at
 * index_ptr[k] of col: n_unit[k] bases, then (len[k] - n_unit[k]) C indices. Values are as in SELL.
 * Lanes of one slot need not hold the same position of their rows.
 *
 * STAGED: SELL with sigma = 1 and C = SP_STAGED_C (SDDMM: 1, so that P keeps the order of CRS), in
 * blocks of at most T_i rows (rounded up to whole chunks). Block b has the chunks block[b].chunk ..
 * block[b + 1].chunk; its entries begin at ptr[b]. Its distinct columns are list[block[b].list] ..
 * list[block[b + 1].list], in the order in which its rows name them; col holds places in that list,
 * 16 bits each. A block ends before the listed rows of X, by a tile of the width, would exceed
 * SP_STAGE_B, half of an L2 of 1 MiB; a single chunk may.
 *
 * Index d16: col holds, as uint16_t, how far an entry's column is behind a base: base[i] of row i
 * in CRS, base[ptr[k] / C + j] of slot j of chunk k in SELL. Rows of CRS must not span more than
 * SP_OFFSET_MAX columns. The base of a slot is the least of the lanes' next columns; a lane whose
 * next entry is out of reach gets fill of offset 0, so a chunk may have more slots than its longest
 * row has entries.
 *
 * COO: entry j is in row row_index[j] and column col[j], in the order of CRS. Units are entries; no
 * ptr.
 *
 * TILED: block b, rows b T_i .. (b + 1) T_i - 1, holds the entries ptr[b] .. ptr[b + 1], by column
 * and inside a column by row, so that what is gathered in turn is the block's few rows of A. Its
 * columns are col[index_ptr[b]] .. col[index_ptr[b + 1]]; column c of these lists has the entries
 * column_ptr[c] .. column_ptr[c + 1], and row_index[j] is the row of entry j inside its block, 16
 * bits. Kernels need no ptr.
 *
 * BCSR: blocks of b_h x b_w at multiples of these. Block row I (rows I b_h ..) holds the blocks
 * ptr[I] .. ptr[I + 1], of ascending block columns col[b] (columns col[b] b_w ..). Entry (i, j) of
 * block b is at (b b_w + j) b_h + i of val: by columns, so that a vector of rows is multiplied by
 * one element of x. The rest of a block is 0.
 *
 * Formats with arrays of their own (`own`) say so in their headers, formats/half.h and such. */
enum { SP_STAGED_C = 4, SP_STAGE_B = 512 << 10, SP_STAGED_MOST_COLUMNS = 65536, SP_OFFSET_MAX = UINT16_MAX };

struct sp_staged_block {
    int64_t list;
    int32_t chunk;
};

struct sp_layout {
    enum sp_op op;
    int format;
    enum sp_precision precision;
    enum sp_index index;
    int32_t prefetch; /* as in the workload: kernels read it, nothing that is stored depends on it */
    int64_t n_r, n_c, n_nz;
    int64_t n_r_used; /* rows with entries: those of A or C that SDDMM and FusedMM read */
    int64_t n_stored; /* entries with fill: beta = n_nz / n_stored */
    int32_t r;        /* width of the dense operands, 1 for SpMV */
    enum sp_order order;
    /* Row i, column k of a dense operand is at i ld + k (row-major: ld_x = ld_y = r), else at k ld
     * + i, where columns start on lines of their own. */
    int64_t ld_x, ld_y;
    int32_t C;
    int64_t sigma;
    int32_t b_h, b_w, T_i, T_k;    /* BCSR; TILED and STAGED */
    int32_t W;                     /* columns of a part, where a format cuts them */
    int64_t unit_rows;             /* rows of a unit of the partition; 0: C */
    int64_t ptr_entries;           /* entries that an item of ptr counts: those of a block for BCSR; 0: 1 */
    int64_t n_chunks;              /* SELL kinds, STAGED; TILED: blocks; else 0 */
    int64_t n_ptr;                 /* items in ptr: rows, chunks, blocks or block rows, and 1 */
    int64_t n_indices;             /* items in col: n_stored, fewer for SELLU and TILED, n_e for BCSR */
    int64_t n_unit_slots, n_slots; /* SELLU: u = n_unit_slots / n_slots */

    size_t s_a, s_x, s_y, s_i, s_p; /* [B] of THEORY 1; s_p is 4 while what ptr counts fits int32_t, else 8 */
    void *val;       /* [n_stored] double, float or double[2]; NULL in a structure-only layout */
    void *col;       /* [n_indices] int32_t or int64_t; STAGED and d16 uint16_t */
    void *ptr;       /* [n_ptr] s_p bytes each */
    int32_t *len;    /* [n_chunks] slots of each chunk; NULL for CRS */
    int32_t *perm;   /* [n_chunks C] row of each lane, -1: none; NULL when rows are in natural order */
    int32_t *n_unit; /* [n_chunks] SELLU only */
    void *index_ptr; /* [n_chunks + 1] s_p bytes each, SELLU and TILED */
    void *row_index; /* [n_stored] s_row bytes each: as col, or uint16_t */
    size_t s_row;
    void *column_ptr;                      /* [n_indices + 1] s_p bytes each, TILED only */
    int64_t n_blocks, n_list, most_listed; /* STAGED; most_listed: columns of the longest list */
    struct sp_staged_block *block;         /* [n_blocks + 1] STAGED only */
    int32_t *list;                         /* [n_list] STAGED only */
    int64_t n_bases;                       /* d16: n_r (CRS), n_slots (SELL); else 0 */
    int32_t *base;                         /* [n_bases] d16 only */
    void *own;                             /* of formats that have more: free'd by them */
    const double *own_B; /* [SP_N_ARRAYS] values, indices and pointers as a kernel of somebody else stores
                            them [B], for all that counts bytes; NULL: as here; borrowed */

    bool lent_col, lent_val; /* these are the matrix' own arrays: see sp_layout_make_lent() */

    struct sp_partition partition;
    const struct sp_permuted *permuted; /* a layout of sp_layout_make_permuted(): col and val are NULL */
    const struct sp_allocator *allocator;
};

/* Builds the layout. `with_values` false: val stays NULL (simulation and volume need no values).
 * allocator NULL: plain. HALF: SP_USAGE where the matrix is neither symmetric nor skew-symmetric,
 * entry by entry. The workload must have passed sp_workload_check(). */
enum sp_status sp_layout_make(const struct sp_workload *w, bool with_values,
                              const struct sp_allocator *allocator, struct sp_layout *layout,
                              struct sp_error *err);
/* The same with values, without a copy of what the matrix holds as it would be stored: CRS takes
 * its columns and values as they are, where their widths and the allocator are those of the layout.
 * The matrix must outlive the layout; its pages lie where its reader touched them first. */
enum sp_status sp_layout_make_lent(const struct sp_workload *w, const struct sp_allocator *allocator,
                                   struct sp_layout *layout, struct sp_error *err);
double sp_layout_lent_bytes(const struct sp_workload *w, const struct sp_allocator *allocator);
/* The layout that CRS would have of a matrix in another order, for traces of SpMV, reuse curves and
 * alpha_min: ptr and partition are those of the new order, columns are read through `permuted`,
 * which is borrowed and of the workload's matrix. SP_ABSENT for other operations and formats. */
struct sp_permuted;
enum sp_status sp_layout_make_permuted(const struct sp_workload *w, const struct sp_permuted *permuted,
                                       struct sp_layout *layout, struct sp_error *err);
void sp_layout_free(struct sp_layout *layout);

/* Bytes that sp_layout_make would allocate at most, for the check before memory is taken. */
double sp_layout_bytes_bound(const struct sp_workload *w, bool with_values);

/* Bytes that each array has, by kind: what one execution must read of the matrix, and the dense
 * operands. Of the row operand (A of SDDMM, C of FusedMM) the rows with entries; FusedMM reads no
 * values and gathers from two arrays. */
double sp_layout_array_bytes(const struct sp_layout *layout, enum sp_array array);

/* Values, indices, pointers and permutation together [B]. */
double sp_layout_matrix_bytes(const struct sp_layout *layout);

/* Bytes of the matrix that fill brings: values, and an index each in SELL, one a block in BCSR. */
double sp_layout_fill_bytes(const struct sp_layout *layout);

/* Bytes gathered at alpha = 1: s_x n_nz r, twice that for FusedMM, whose B and D are gathered; of
 * HALF s_x n_stored, and y is updated at as many places [B]. */
double sp_layout_gather_bytes(const struct sp_layout *layout);

/* n_nz / n_stored; 1 without entries, and for HALF, which stores no fill. */
double sp_layout_beta(const struct sp_layout *layout);

/* s_p of a format that stores n entries: 4 while it counts them, unless the workload asks for 8. */
static inline size_t sp_layout_pointer_size(const struct sp_workload *w, int64_t n)
{
    return n <= INT32_MAX && w->row_ptr_B != 8 ? sizeof(int32_t) : sizeof(int64_t);
}

static inline void sp_layout_set_ptr(void *ptr, size_t s_p, int64_t i, int64_t value)
{
    if (s_p == sizeof(int32_t))
        ((int32_t *)ptr)[i] = (int32_t)value;
    else
        ((int64_t *)ptr)[i] = value;
}

/* Reads of the untyped arrays. */
static inline int64_t sp_layout_ptr(const struct sp_layout *l, int64_t i)
{
    if (!l->ptr) /* units are entries */
        return i;
    return l->s_p == 4 ? ((const int32_t *)l->ptr)[i] : ((const int64_t *)l->ptr)[i];
}
static inline int64_t sp_layout_index_ptr(const struct sp_layout *l, int64_t i)
{
    return l->s_p == 4 ? ((const int32_t *)l->index_ptr)[i] : ((const int64_t *)l->index_ptr)[i];
}
static inline int64_t sp_layout_column_ptr(const struct sp_layout *l, int64_t i)
{
    return l->s_p == 4 ? ((const int32_t *)l->column_ptr)[i] : ((const int64_t *)l->column_ptr)[i];
}
/* The row of entry i; of 16 bits: inside its block or cell. */
static inline int64_t sp_layout_row(const struct sp_layout *l, int64_t i)
{
    if (l->s_row == sizeof(uint16_t))
        return ((const uint16_t *)l->row_index)[i];
    return l->index == SP_I32 ? ((const int32_t *)l->row_index)[i] : ((const int64_t *)l->row_index)[i];
}
/* Not of STAGED and d16. */
static inline int64_t sp_layout_col(const struct sp_layout *l, int64_t i)
{
    return l->index == SP_I32 ? ((const int32_t *)l->col)[i] : ((const int64_t *)l->col)[i];
}
/* Column of stored entry i of CRS or SELL, any index: `group` is its row, or slot i / C. */
static inline int64_t sp_layout_col_in(const struct sp_layout *l, int64_t i, int64_t group)
{
    return l->base ? (int64_t)l->base[group] + ((const uint16_t *)l->col)[i] : sp_layout_col(l, i);
}

/* Rows of a unit of the partition: a row, a chunk, a block row, a block (STAGED: at most). */
static inline int64_t sp_layout_unit_rows(const struct sp_layout *l)
{
    return l->unit_rows > 0 ? l->unit_rows : l->C;
}

/* STAGED: columns of a tile, elements between rows of a staging buffer (whole lines), its bytes. */
static inline int64_t sp_layout_stage_tile(const struct sp_layout *l)
{
    return l->T_k < l->r ? l->T_k : l->r;
}
static inline int64_t sp_layout_stage_ld(const struct sp_layout *l)
{
    const int64_t in_line = 64 / (int64_t)l->s_x;
    return (sp_layout_stage_tile(l) + in_line - 1) / in_line * in_line;
}
static inline int64_t sp_layout_stage_bytes(const struct sp_layout *l)
{
    return l->most_listed * sp_layout_stage_ld(l) * (int64_t)l->s_x;
}

/* TILED: place[j] = where entry j is in the order of CRS. place[n_stored] is the caller's. */
enum sp_status sp_layout_tiled_places(const struct sp_layout *layout, int64_t *place, struct sp_error *err);

/* Columns of a dense operand that a row-wise kernel holds in registers at a time: 16 registers of
 * 64 bytes, f64 128, else (sums are f32) 256. Kernels with fewer registers may take parts of it;
 * only the innermost cache sees the difference. */
static inline int64_t sp_layout_register_tile(const struct sp_layout *l)
{
    return l->precision == SP_F64 ? 128 : 256;
}

/* FusedMM in CRS with vectors: columns of a panel; n_c where there are
 * blocks without panels (sp_layout_fused_room()).
 * With panels, rows are walked in blocks of SP_FUSED_ROWS: for each panel in turn first all
 * products of the block with its rows of B, then the sums with its rows of D, so that these rows
 * stay in an L2 of 1 MiB meanwhile. Each panel costs one reading of C, one reading and writing of
 * E, and row ends that nothing foretells: so panels are wide enough that rows have SP_PANEL_ENTRIES
 * there in the mean, and there are none where B and D nearly fit the L2. Portable kernels have
 * none. */
enum { SP_FUSED_ROWS = 64, SP_PANEL_ENTRIES = 18 };

static inline int64_t sp_layout_fused_panel(const struct sp_layout *l)
{
    enum { FAR_B = 1 << 20, LEAST_B = 48 << 10, MOST_B = 256 << 10, SHORT_ROW_B = 128, MULTIPLE = 8 };
    const int64_t row_B = l->r * (int64_t)l->s_x;
    if (row_B < SHORT_ROW_B || 2 * l->n_c * row_B < FAR_B || l->n_nz == 0)
        return l->n_c;
    int64_t columns =
        (int64_t)((double)SP_PANEL_ENTRIES * (double)l->n_c * (double)l->n_r_used / (double)l->n_nz);
    if (columns < LEAST_B / row_B)
        columns = LEAST_B / row_B;
    columns = (columns / MULTIPLE + 1) * MULTIPLE;
    return columns >= l->n_c || columns * row_B > MOST_B ? l->n_c : columns;
}

/* FusedMM in CRS without panels: rows are walked in blocks whose products fit a scratch of that
 * many, first for the products, then for the sums; a longer row is a block and walked in parts.
 * Where B and D exceed an L2 of 1 MiB blocks have several entries for each row of B: each of the
 * two passes finds the caches full of the other's operand, and is to use them before it is the
 * other's turn. */
static inline int64_t sp_layout_fused_room(const struct sp_layout *l)
{
    enum { FAR_B = 1 << 20, LEAST = 1 << 14, USES = 8 };
    const int64_t far = USES * l->n_c,
                  share = l->n_nz / (l->partition.n_threads > 0 ? l->partition.n_threads : 1);
    if (2 * l->n_c * l->r * (int64_t)l->s_x <= FAR_B || share < LEAST || far < LEAST)
        return LEAST;
    return far < share ? far : share;
}

/* The end of the block of rows that begins with `row`, before `end`. */
static inline int64_t sp_layout_fused_end(const struct sp_layout *l, int64_t row, int64_t end)
{
    const int64_t most = sp_layout_ptr(l, row) + sp_layout_fused_room(l);
    int64_t low = row + 1, high = end; /* the last one whose entries fit */
    while (low < high) {
        const int64_t middle = high - (high - low) / 2;
        if (sp_layout_ptr(l, middle) <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Stored entries (fill included) of thread t: what lambda_nz is made of. */
int64_t sp_layout_thread_entries(const struct sp_layout *layout, int thread);

/* beta(C, sigma) of a matrix from its row lengths alone [THEORY 2]; 1 for no entries. */
double sp_sell_beta(const struct sp_pattern *pattern, int32_t C, int64_t sigma);

/* The same for several C at once, beta[n_C]; n_C at most SP_MOST_BETAS. */
enum { SP_MOST_BETAS = 8 };
void sp_sell_betas(const struct sp_pattern *pattern, const int32_t *C, int n_C, int64_t sigma, double *beta);

/* The same arrays, used otherwise: for counterfactuals and interventions. */

/* Another partition of this layout's rows or chunks; `block` in rows as in a workload. The layout
 * is not changed; who puts the partition into it has to put the old one back before
 * sp_layout_free(). */
enum sp_status sp_layout_repartition(const struct sp_layout *layout, enum sp_schedule schedule, int64_t block,
                                     int n_threads, struct sp_partition *partition, struct sp_error *err);

/* i modulo the window, in [0, window); bases of unit-stride slots may be negative. */
static inline int64_t sp_layout_folded(int64_t i, int64_t window)
{
    const int64_t rest = i % window;
    return rest < 0 ? rest + window : rest;
}

/* A view of the layout in which every stored index i is i mod window (window >= 1): the gathers of
 * a run then stay inside `window` entries of x (HALF: inside the `window` rows before the entry's
 * own), while all other traffic is as before. Results are wrong. The view owns its indices and
 * borrows all else. SP_ABSENT: a permuted layout, which has no indices. */
enum sp_status sp_layout_fold(const struct sp_layout *layout, int64_t window, struct sp_layout *view,
                              struct sp_error *err);
void sp_layout_unfold(struct sp_layout *view); /* frees what the view owns; safe twice */

/* Pointers of the layout as if the rows of each thread's share stood in the order of their lengths,
 * so that the end of the next row can be foretold; shares and entries stay where they are, and
 * results are wrong. *ptr [n_ptr] of s_p bytes each, from l->allocator: release with
 * sp_large_free(). SP_ABSENT: not CRS, rows whose indices count from a base, shares that cut
 * rows, or rows that stand in that order already. */
enum sp_status sp_layout_sorted_ptr(const struct sp_layout *l, void **ptr, struct sp_error *err);

/* 16-bit offsets instead of 32-bit column indices (index d16): what they store, known from the
 * pattern before anything is rewritten. */

struct sp_offsets {
    int64_t n_stored;      /* entries with fill */
    int64_t n_bases;       /* of 4 bytes each: rows (CRS), slots (SELL) */
    int64_t n_plain;       /* entries with fill that 32-bit indices store */
    int64_t n_broken_rows; /* CRS: rows that span more than SP_OFFSET_MAX columns. SELL: rows of chunks that
                              need more slots than their longest row has entries */
};

/* Index bytes with offsets and with 32-bit indices [B]. */
static inline double sp_offsets_index_B(const struct sp_offsets *o)
{
    return (double)o->n_stored * sizeof(uint16_t) + (double)o->n_bases * sizeof(int32_t);
}
static inline double sp_offsets_plain_B(const struct sp_offsets *o)
{
    return (double)o->n_plain * sizeof(int32_t);
}

/* For the workload's format (CRS or SELL), C, sigma, matrix; not its index. SP_MEMORY. */
enum sp_status sp_offsets_count(const struct sp_workload *w, struct sp_offsets *offsets,
                                struct sp_error *err);

/* SP_USAGE where a layout cannot be made: CRS with broken rows, SELL where values and indices
 * together would take more bytes than with 32-bit indices. The message says how many rows break
 * it. */
enum sp_status sp_offsets_check(const struct sp_workload *w, const struct sp_offsets *offsets,
                                struct sp_error *err);

#endif
