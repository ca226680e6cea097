/* SDDMM and FusedMM on CPUs: what the bodies of all instruction sets share. A body computes rows; a
 * row's entries are taken eight at a time, so that the eight sums of products are reduced together.
 * Private to kernels/cpu. */
#ifndef SP_KERNELS_CPU_SAMPLED_CPU_H
#define SP_KERNELS_CPU_SAMPLED_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cpu/spmm/dense_cpu.h"

/* Entries that are computed together. */
enum { SAMPLED_BLOCK = 8 };

/* A part of SDDMM: columns [k, k + width) of the dense operands, entries [from, to).
 *
 * One operand is held, a row of it at a time, while rows of the other are gathered: CRS holds rows
 * of A and gathers from B, the tiles hold rows of B and gather from A. Line i of entries, those
 * from begin[i] to end[i], shares one row of the held operand. */
struct sp_sddmm_part {
    const struct sp_dense_args *args;
    const void *held, *gathered;
    const void
        *line; /* row of the held operand of each line, as the layout's columns; NULL: line i has row i */
    const void *begin, *end; /* of lines */
    bool wide_ptr;           /* these have 8 bytes */
    const void *index;       /* row of the gathered operand of each entry */
    size_t index_B;          /* of one of them: 2, 4 or 8 */
    int64_t k, width;
    int64_t from, to; /* entries of the lines given that lie outside are left out */
    int64_t ahead;    /* rows of the gathered operand are asked for so many entries ahead; 0: they are not */
    bool adds;        /* to what P has from the parts before */
    bool scales;      /* by S: the last part of the width */
    void *p;          /* entry j of P goes to item j - p_first */
    int64_t p_first;
};

static inline int64_t sp_sddmm_pointer(const struct sp_sddmm_part *part, const void *ptr, int64_t line)
{
    return part->wide_ptr ? ((const int64_t *)ptr)[line] : ((const int32_t *)ptr)[line];
}
static inline int64_t sp_sddmm_held(const struct sp_sddmm_part *part, int64_t line)
{
    if (!part->line)
        return line;
    return part->args->wide_index ? ((const int64_t *)part->line)[line] : ((const int32_t *)part->line)[line];
}

/* Index j of indices of index_B bytes. */
static inline int64_t sp_sampled_index(const void *index, size_t index_B, int64_t j)
{
    if (index_B == sizeof(int32_t))
        return ((const int32_t *)index)[j];
    return index_B == sizeof(uint16_t) ? ((const uint16_t *)index)[j] : ((const int64_t *)index)[j];
}

/* Where the rows of a block of entries begin: b[u] = index[u] ld for the n entries at `index`, 1 to
 * SAMPLED_BLOCK; the last one stands for those that are missing. */
static inline __attribute__((always_inline)) void
sp_sampled_places(const void *index, size_t index_B, int64_t n, int64_t ld, int64_t b[SAMPLED_BLOCK])
{
    if (index_B == sizeof(int32_t))
        for (int u = 0; u < SAMPLED_BLOCK; u++)
            b[u] = ((const int32_t *)index)[u < n ? u : n - 1] * ld;
    else
        for (int u = 0; u < SAMPLED_BLOCK; u++)
            b[u] = sp_sampled_index(index, index_B, u < n ? u : n - 1) * ld;
}

/* P of the part's entries that lie in the lines [first, end). */
typedef void sp_sddmm_rows(const struct sp_sddmm_part *part, int64_t first, int64_t end);

/* The body for a width of this precision and index. */
typedef sp_sddmm_rows *sp_sddmm_select_rows(const struct sp_layout *layout, int64_t width);

/* A non-temporal copy of n bytes; `to` and `from` lie equally inside their lines. */
typedef void sp_copy_past_cache(void *to, const void *from, int64_t n);

/* Entries of P that are gathered in the first-level cache before they are stored past it: whole
 * lines in all precisions. */
enum { SAMPLED_BATCH = 512 };

/* Units of the layout by the rows of an instruction set: all that sp_dense_units functions of SDDMM
 * do. */
void sp_sddmm_crs_units(const struct sp_dense_args *args, int64_t first, int64_t end, sp_sddmm_rows *rows,
                        sp_copy_past_cache *copy);
void sp_sddmm_tiled_units(const struct sp_dense_args *args, int64_t first, int64_t end,
                          sp_sddmm_select_rows *select);

/* Those of FusedMM without panels: for a block of rows (sp_layout_fused_end()) first all products
 * as SDDMM makes them, into the scratch, then the sums as SpMM makes them. */
void sp_fusedmm_units(const struct sp_dense_args *args, int64_t first, int64_t end, sp_sddmm_rows *rows,
                      sp_dense_units *spmm);

/* Scratch of a thread [B]: a batch of P, then a row of r numbers of the precision in which sums are
 * made and of one vector more. */
size_t sp_sampled_work_B(const struct sp_layout *layout);
static inline void *sp_sampled_row_work(const struct sp_dense_args *a)
{
    return (char *)a->work + SAMPLED_BATCH * sizeof(double);
}

/* FusedMM in panels (sp_layout_fused_panel()): what a thread keeps of a block of rows. */
struct sp_fused_block {
    int64_t *from, *to; /* [SP_FUSED_ROWS] entries of each row that are at hand */
    int64_t *end;       /* [SP_FUSED_ROWS] of each row */
    void *product;      /* [SP_FUSED_ROWS x panel] those of a row's entries at hand */
    void *partial;      /* [SP_FUSED_ROWS x r] rows of E that are to be stored past the caches at last */
    int64_t panel;
};

/* Scratch of a thread [B]: that of sp_sampled_work_B(), then the block, or the products of one. */
size_t sp_fused_work_B(const struct sp_layout *layout, bool panels);
struct sp_fused_block sp_fused_block_of(const struct sp_dense_args *args);

/* Puts the n rows from `row` on into the block, none of their entries at hand yet. */
void sp_fused_block_enter(const struct sp_dense_args *args, struct sp_fused_block *block, int64_t row,
                          int64_t n);
/* Goes on to the next entries of the rows that lie before column `limit`, as many of a row as a
 * panel has columns; true where a row, which then has columns more than once, has further ones. */
bool sp_fused_block_take(const struct sp_dense_args *args, struct sp_fused_block *block, int64_t n,
                         int64_t limit);

/* How many entries ahead rows of the gathered operand are asked for. One that the second-level
 * cache holds comes soon enough without; else about 2 KiB of it are to be under way. */
static inline int64_t sp_sampled_ahead(const struct sp_layout *l)
{
    enum { NEAR_B = 1 << 19, UNDER_WAY_B = 2048 };
    int64_t row_B = l->r * (int64_t)l->s_x, entries = UNDER_WAY_B / row_B;
    if (l->n_c * row_B <= NEAR_B)
        return 0;
    return entries < SAMPLED_BLOCK ? SAMPLED_BLOCK : entries > 64 ? 64 : entries;
}

/* Bodies for rows that are so many whole vectors; ANY takes all rows, and stands where one is
 * NULL. */
enum sp_sampled_case { SAMPLED_ANY, SAMPLED_1, SAMPLED_2, SAMPLED_4, SAMPLED_8, SAMPLED_16, SAMPLED_N_CASES };
struct sp_sampled_bodies {
    sp_sddmm_rows *sddmm;
    sp_dense_units *fusedmm_panels;
};
static inline const struct sp_sampled_bodies *sp_sampled_case_of(const struct sp_sampled_bodies *bodies,
                                                                 int64_t width, int64_t lanes)
{
    int at = width == lanes        ? SAMPLED_1
             : width == 2 * lanes  ? SAMPLED_2
             : width == 4 * lanes  ? SAMPLED_4
             : width == 8 * lanes  ? SAMPLED_8
             : width == 16 * lanes ? SAMPLED_16
                                   : SAMPLED_ANY;
    return bodies[at].sddmm ? &bodies[at] : bodies;
}

/* The portable bodies: for widths below the smallest vector, and for everything elsewhere. */
sp_sddmm_rows *sp_sddmm_portable_rows(const struct sp_layout *layout, int64_t width);

#endif
