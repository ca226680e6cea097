#include "cli/info_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/volume_bcsr.h"
#include "sparse/blocks.h"
#include "sparse/reorder.h"

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

/* n_e once rows (and columns) are clustered for these blocks. */
static enum sp_status clustered(const struct sp_csr *a, const char *method, int32_t b_h, int32_t b_w,
                                int64_t *n_e, struct sp_error *err)
{
    char name[32];
    void *rows = NULL, *columns = NULL;
    bool kept = true;
    struct sp_pattern pattern = sp_csr_pattern(a);
    struct sp_blocks blocks = {0};
    snprintf(name, sizeof name, "%s:%d", method, (int)b_h);
    enum sp_status status = sp_new_array(a->n_r, sizeof(int32_t), "the permutation of rows", &rows, err);
    if (status == SP_OK)
        status = sp_new_array(a->n_c, sizeof(int32_t), "the permutation of columns", &columns, err);
    if (status == SP_OK)
        status = sp_reorder_permutation(name, a, rows, err);
    if (status == SP_OK)
        status = sp_reorder_columns(name, a, rows, columns, &kept, err);
    struct sp_block_order order = {rows, kept ? NULL : columns};
    if (status == SP_OK)
        status = sp_blocks_count(&pattern, b_h, b_w, &order, &blocks, err);
    *n_e = blocks.n_e;
    free(rows);
    free(columns);
    return status;
}

enum sp_status sp_info_blocks(const struct sp_csr *a, const struct sp_block_list *list, FILE *out,
                              struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    const struct sp_sizes s = sp_sizes_of(SP_F64, SP_I32, (double)a->n_nz);
    double crs_B = (s.s_a + s.s_i) * (double)a->n_nz + s.s_p * (double)(a->n_r + 1);
    fprintf(out, "BCSR     counted without converting (fp64, 32-bit indices)\n"
                 "         block          n_e        least         most   fill  B/CRS   blocks a row      "
                 "most   rows clustered   and columns\n");
    for (int i = 0; i < list->n; i++) {
        struct sp_blocks b;
        int64_t rows = 0, both = 0;
        char name[16], text[6][32];
        enum sp_status status = sp_blocks_count(&pattern, list->b_h[i], list->b_w[i], NULL, &b, err);
        if (status == SP_OK)
            status = clustered(a, "jaccard", b.b_h, b.b_w, &rows, err);
        if (status == SP_OK)
            status = clustered(a, "jaccard2", b.b_h, b.b_w, &both, err);
        if (status != SP_OK)
            return status;
        struct sp_volume v = sp_volume_bcsr(a->n_r, a->n_nz, b.n_e, b.b_h, b.b_w, 1, s, 0, 1);
        snprintf(name, sizeof name, "%dx%d", (int)b.b_h, (int)b.b_w);
        fprintf(out, "         %-6s %12s %12s %12s  %5.3f  %5.2f %8.2f +- %-8.2f %6s %16s %13s\n", name,
                sp_text_count(text[0], sizeof text[0], b.n_e),
                sp_text_count(text[1], sizeof text[1], b.least),
                sp_text_count(text[2], sizeof text[2], b.most), b.fill, sp_volume_matrix_B(&v) / crs_B,
                b.row_mean, b.row_sd, sp_text_count(text[3], sizeof text[3], b.row_max),
                sp_text_count(text[4], sizeof text[4], rows), sp_text_count(text[5], sizeof text[5], both));
    }
    fputs("         rows clustered: n_e with rows by Jaccard distance of their columns (spmodel reorder "
          "--method "
          "jaccard:R),\n         before anything is rewritten; and columns: jaccard2:R\n",
          out);
    return SP_OK;
}
