/* What `spmodel info` knows of one matrix, and its three forms: text, JSON, CSV. */
#ifndef SP_CLI_INFO_H
#define SP_CLI_INFO_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/structure/structure.h"

enum { SP_INFO_CHUNKS = 5, SP_INFO_WINDOWS = 5 };

struct sp_info {
    const char *name;   /* for people */
    const char *source; /* "generated", "Matrix Market coordinate real symmetric, gzip" */
    double file_B;      /* 0: none */
    struct sp_structure structure;
    double beta[SP_INFO_CHUNKS][SP_INFO_WINDOWS]; /* of SELL-C-sigma, from row lengths */
};

/* Fills structure and beta. */
enum sp_status sp_info_make(const struct sp_csr *a, struct sp_info *info, struct sp_error *err);

struct sp_info_style {
    bool color, utf8;
};
void sp_info_text(const struct sp_info *info, const struct sp_info_style *style, FILE *out);

/* One flat object; what is undefined is null. NULL without memory. Keys carry the unit; `_error` is
 * half the 95 % interval of a sampled figure. */
json_t *sp_info_json(const struct sp_info *info);
/* The same fields as a header and a row; quoting after RFC 4180, undefined ones empty. */
enum sp_status sp_info_csv(const struct sp_info *info, bool with_header, FILE *out, struct sp_error *err);

/* The pattern in characters, `columns` wide: the darker, the fuller the cell. SP_MEMORY. */
enum sp_status sp_spy_text(const struct sp_csr *a, int columns, bool utf8, FILE *out, struct sp_error *err);

/* What `spmodel info --blocks` prints: BCSR with given blocks, counted without converting. */

enum { SP_MOST_BLOCKS = 16 };

struct sp_block_list {
    int32_t b_h[SP_MOST_BLOCKS], b_w[SP_MOST_BLOCKS];
    int n;
};

/* "2x2,4x4,16x8" into the list; 0, or -1 where it is none. */
int sp_block_list_parse(const char *text, struct sp_block_list *list);

/* For each block: n_e between its bounds, fill, bytes against CRS, blocks of a block row (mean,
 * deviation, most), and n_e after rows, then rows and columns, are clustered by Jaccard distance:
 * counted under the permutation, before anything is rewritten [THEORY 7]. */
enum sp_status sp_info_blocks(const struct sp_csr *a, const struct sp_block_list *list, FILE *out,
                              struct sp_error *err);

#endif
