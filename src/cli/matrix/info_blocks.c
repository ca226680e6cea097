#include "cli/matrix/info_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "model/volume/volume_bcsr.h"
#include "sparse/formats/blocks.h"
#include "sparse/reorder/jaccard.h"

enum { MOST_SIDE = 64 };

int sp_block_list_parse(const char *text, struct sp_block_list *list)
{
    list->n = 0;
    for (const char *rest = text; rest;) {
        char *end;
        long b_h = strtol(rest, &end, 10);
        if (end == rest || *end != 'x' || list->n == SP_MOST_BLOCKS)
            return -1;
        const char *second = end + 1;
        long b_w = strtol(second, &end, 10);
        if (end == second || (*end != ',' && *end != '\0') || b_h < 1 || b_w < 1 || b_h > MOST_SIDE ||
            b_w > MOST_SIDE)
            return -1;
        list->b_h[list->n] = (int32_t)b_h;
        list->b_w[list->n++] = (int32_t)b_w;
        rest = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

/* n_e once rows, and with `columns` columns too, are clustered for these blocks. */
static enum sp_status clustered(const struct sp_csr *a, int32_t b_h, int32_t b_w, bool columns, int64_t *n_e,
                                struct sp_error *err)
{
    void *row_perm = NULL, *col_perm = NULL;
    struct sp_pattern pattern = sp_csr_pattern(a);
    struct sp_blocks blocks = {0};
    enum sp_status status = sp_new_array(a->n_r, sizeof(int32_t), "the permutation of rows", &row_perm, err);
    if (status == SP_OK)
        status = sp_jaccard_rows(&pattern, b_h, b_w, SP_JACCARD_THRESHOLD, row_perm, err);
    if (status == SP_OK && columns)
        status = sp_new_array(a->n_c, sizeof(int32_t), "the permutation of columns", &col_perm, err);
    if (status == SP_OK && columns)
        status = sp_jaccard_columns(&pattern, b_h, b_w, SP_JACCARD_THRESHOLD, col_perm, err);
    struct sp_permutations order = {.row_perm = row_perm, .col_perm = col_perm};
    if (status == SP_OK)
        status = sp_blocks_count(&pattern, b_h, b_w, &order, &blocks, err);
    *n_e = blocks.n_e;
    free(row_perm);
    free(col_perm);
    return status;
}

enum sp_status sp_info_blocks(const struct sp_csr *a, const struct sp_block_list *list, FILE *out,
                              struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    const struct sp_sizes s = sp_sizes_of(SP_F64, SP_I32, (double)a->n_nz);
    double crs_B = (s.s_a + s.s_i) * (double)a->n_nz + s.s_p * (double)(a->n_r + 1);
    if (a->n_nz == 0) {
        fputs("BCSR     no entries, no blocks\n", out);
        return SP_OK;
    }
    fputs("BCSR     n_e counted without converting; bytes against CRS modelled (fp64, 32-bit indices)\n"
          "                n_e      least        most   fill  B/CRS  blocks a block row  rows together   and "
          "columns\n",
          out);
    for (int i = 0; i < list->n; i++) {
        struct sp_blocks b;
        int64_t rows = 0, both = 0;
        char name[16], text[5][32];
        enum sp_status status = sp_blocks_count(&pattern, list->b_h[i], list->b_w[i], NULL, &b, err);
        if (status == SP_OK)
            status = clustered(a, b.b_h, b.b_w, false, &rows, err);
        if (status == SP_OK)
            status = clustered(a, b.b_h, b.b_w, true, &both, err);
        if (status != SP_OK)
            return status;
        struct sp_volume v = sp_volume_bcsr(a->n_r, a->n_nz, b.n_e, b.b_h, b.b_w, 1, s, 0, 1);
        snprintf(name, sizeof name, "%dx%d", (int)b.b_h, (int)b.b_w);
        sp_print(out, "  %-6s %11s %10s %11s  %5.3f %6.2f %7.1f +- %-8.1f %14s %13s\n", name,
                 sp_text_count(text[0], sizeof text[0], b.n_e),
                 sp_text_count(text[1], sizeof text[1], b.least),
                 sp_text_count(text[2], sizeof text[2], b.most), b.fill, sp_volume_matrix_B(&v) / crs_B,
                 b.row_mean, b.row_sd, sp_text_count(text[3], sizeof text[3], rows),
                 sp_text_count(text[4], sizeof text[4], both));
    }
    fputs(
        "         least, most: bounds of n_e. Rows together: n_e once rows, and columns, with similar "
        "patterns\n"
        "         stand side by side (reorder --method jaccard:R, jaccard2:R), counted before that is done\n",
        out);
    return SP_OK;
}
