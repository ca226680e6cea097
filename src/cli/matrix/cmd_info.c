/* spmodel info: what is known of one matrix, in three forms: text, JSON, CSV. */
#include <jansson.h>
#include <langinfo.h>
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/files/part_file.h"
#include "io/json_text.h"
#include "io/matrix/matrix_load.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/bcsr.h"
#include "sparse/formats/layout.h"
#include "sparse/reorder/orders.h"
#include "sparse/structure/structure.h"
#include "sys/machine/pages.h"

enum { INFO_CHUNKS = 5, INFO_WINDOWS = 5 };

struct sp_info {
    const char *name;   /* for people */
    const char *source; /* "generated", "Matrix Market coordinate real symmetric, gzip" */
    double file_B;      /* 0: none */
    struct sp_structure structure;
    double beta[INFO_CHUNKS][INFO_WINDOWS]; /* of SELL-C-sigma, from row lengths */
};

struct info_style {
    bool color, utf8;
};

/* What `spmodel info --blocks` prints: BCSR with given blocks, counted without converting. */

enum { MOST_BLOCKS = 16 };

struct block_list {
    int32_t b_h[MOST_BLOCKS], b_w[MOST_BLOCKS];
    int n;
};

/* C and sigma of the beta table; every sigma is a multiple of every C. */
static const int32_t table_C[INFO_CHUNKS] = {4, 8, 16, 32, 64};
static const int64_t table_sigma[INFO_WINDOWS] = {1, 64, 512, 4096, 32768};

/* Fills structure and beta. */
static enum sp_status info_make(const struct sp_csr *a, struct sp_info *info, struct sp_error *err)
{
    enum sp_status status = sp_structure_analyse(a, &info->structure, err);
    if (status != SP_OK)
        return status;
    struct sp_pattern pattern = sp_csr_pattern(a);
    double beta[INFO_CHUNKS];
    for (int w = 0; w < INFO_WINDOWS; w++) {
        if (w == 0 || table_sigma[w - 1] < a->n_r) /* else the window already holds all rows */
            sp_sell_betas(&pattern, table_C, INFO_CHUNKS, table_sigma[w], beta);
        for (int c = 0; c < INFO_CHUNKS; c++)
            info->beta[c][w] = beta[c];
    }
    return SP_OK;
}

enum { MOST_SIDE = 64 };

/* "2x2,4x4,16x8" into the list; 0, or -1 where it is none. */
static int block_list_parse(const char *text, struct block_list *list)
{
    list->n = 0;
    for (const char *rest = text; rest;) {
        char *end;
        long b_h = strtol(rest, &end, 10);
        if (end == rest || *end != 'x' || list->n == MOST_BLOCKS)
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

/* n_e once rows, and with `columns` columns too, are clustered as by reorder's jaccard:b_h and
 * jaccard2:b_h, which look for square blocks. */
static enum sp_status clustered(const struct sp_csr *a, int32_t b_h, int32_t b_w, bool columns, int64_t *n_e,
                                struct sp_error *err)
{
    void *row_perm = NULL, *col_perm = NULL;
    struct sp_pattern pattern = sp_csr_pattern(a);
    struct sp_blocks blocks = {0};
    enum sp_status status = sp_new_array(a->n_r, sizeof(int32_t), "the permutation of rows", &row_perm, err);
    if (status == SP_OK)
        status = sp_jaccard_rows(&pattern, b_h, b_h, SP_JACCARD_THRESHOLD, row_perm, err);
    if (status == SP_OK && columns)
        status = sp_new_array(a->n_c, sizeof(int32_t), "the permutation of columns", &col_perm, err);
    if (status == SP_OK && columns)
        status = sp_jaccard_columns(&pattern, b_h, b_h, SP_JACCARD_THRESHOLD, col_perm, err);
    struct sp_permutations order = {.row_perm = row_perm, .col_perm = col_perm};
    if (status == SP_OK)
        status = sp_blocks_count(&pattern, b_h, b_w, &order, &blocks, err);
    *n_e = blocks.n_e;
    free(row_perm);
    free(col_perm);
    return status;
}

/* Values and indices of BCSR over those of CRS, [THEORY 7] without the vectors, which are the
 * same. */
static double bcsr_over_crs(const struct sp_structure *s, int32_t b_h, int32_t b_w, double n_e)
{
    const double s_v = s->field == SP_FIELD_COMPLEX ? 16 : 8;
    const int64_t n_block_rows = (s->n_r + b_h - 1) / b_h;
    return ((s_v * (double)(b_h * b_w) + 4) * n_e + 4 * (double)(n_block_rows + 1)) / s->crs_B;
}

/* For each block: n_e between its bounds, fill, bytes against CRS, blocks of a block row (mean,
 * deviation, most), and n_e after rows, then rows and columns, are clustered by Jaccard distance:
 * counted under the permutation, before anything is rewritten [THEORY 7]. */
static enum sp_status info_blocks(const struct sp_csr *a, const struct sp_structure *s,
                                  const struct block_list *list, FILE *out, struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    if (a->n_nz == 0) {
        fputs("BCSR     no entries, no blocks\n", out);
        return SP_OK;
    }
    fputs("BCSR     n_e counted without converting, at most as many as `most`\n"
          "               n_e       most   fill  B/CRS    a block row       rows    columns\n",
          out);
    for (int i = 0; i < list->n; i++) {
        struct sp_blocks b;
        int64_t rows = 0, both = 0;
        char name[16], text[4][32];
        enum sp_status status = sp_blocks_count(&pattern, list->b_h[i], list->b_w[i], NULL, &b, err);
        if (status == SP_OK)
            status = clustered(a, b.b_h, b.b_w, false, &rows, err);
        if (status == SP_OK)
            status = clustered(a, b.b_h, b.b_w, true, &both, err);
        if (status != SP_OK)
            return status;
        snprintf(name, sizeof name, "%dx%d", (int)b.b_h, (int)b.b_w);
        sp_print(out, "  %-5s %10s %10s  %5.3f %6.2f %6.1f ± %-5.1f %10s %10s\n", name,
                 sp_text_count(text[0], sizeof text[0], b.n_e),
                 sp_text_count(text[1], sizeof text[1], b.most), b.fill,
                 bcsr_over_crs(s, b.b_h, b.b_w, (double)b.n_e), b.row_mean, b.row_sd,
                 sp_text_count(text[2], sizeof text[2], rows), sp_text_count(text[3], sizeof text[3], both));
    }
    fputs("         B/CRS: bytes against CRS, modelled.\n"
          "         rows, columns: n_e once rows, and columns, too, with similar patterns\n"
          "         stand side by side (reorder --method jaccard:R, jaccard2:R).\n",
          out);
    return SP_OK;
}

static int put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value);
}

static int put_estimate(json_t *object, const char *key, struct sp_estimate e)
{
    char error_key[64];
    snprintf(error_key, sizeof error_key, "%s_error", key);
    int bad = put(object, key, e.known ? json_real(e.value) : json_null());
    return bad | put(object, error_key, e.known ? json_real(e.error) : json_null());
}

static int put_places(json_t *o, const struct sp_structure *s)
{
    int bad = 0;
    bad |= put(o, "lower_bandwidth", json_integer(s->lower_bandwidth));
    bad |= put(o, "upper_bandwidth", json_integer(s->upper_bandwidth));
    bad |= put(o, "profile", json_integer(s->profile));
    bad |= put(o, "mean_distance", s->n_nz > 0 ? json_real(s->mean_distance) : json_null());
    bad |= put(o, "diagonal_entries", json_integer(s->n_diagonal));
    bad |= put_estimate(o, "pattern_symmetry", s->pattern_symmetry);
    bad |= put_estimate(o, "value_symmetry", s->value_symmetry);
    return bad;
}

static int put_formats(json_t *o, const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    char key[64];
    int bad = 0;
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
        const struct sp_block_fill *block = &s->block[b];
        snprintf(key, sizeof key, "bcsr_%dx%d_blocks", (int)block->b_h, (int)block->b_w);
        bad |= put_estimate(o, key, block->n_e);
        snprintf(key, sizeof key, "bcsr_%dx%d_beta", (int)block->b_h, (int)block->b_w);
        bad |= put_estimate(o, key, block->beta);
    }
    for (int c = 0; c < INFO_CHUNKS; c++)
        for (int w = 0; w < INFO_WINDOWS; w++) {
            snprintf(key, sizeof key, "sell_%d_%lld_beta", (int)table_C[c], (long long)table_sigma[w]);
            bad |= put(o, key, json_real(info->beta[c][w]));
        }
    return bad;
}

/* One flat object; what is undefined is null. NULL without memory. Keys carry the unit; `_error` is
 * half the 95 % interval of a sampled figure. */
static json_t *info_json(const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    json_t *o = json_object();
    int bad = o == NULL;
    bad |= put(o, "schema", json_string("spmodel.info/1"));
    bad |= put(o, "name", sp_json_string(info->name));
    bad |= put(o, "source", sp_json_string(info->source));
    bad |= put(o, "file_B", info->file_B > 0 ? json_real(info->file_B) : json_null());
    bad |= put(o, "rows", json_integer(s->n_r));
    bad |= put(o, "cols", json_integer(s->n_c));
    bad |= put(o, "nnz", json_integer(s->n_nz));
    bad |= put(o, "field", json_string(sp_field_name(s->field)));
    bad |= put(o, "symmetry", json_string(sp_symmetry_name(s->symmetry)));
    bad |= put(o, "explicit_zeros", json_integer(s->n_zeros));
    bad |= put(o, "duplicates", json_integer(s->n_duplicates));
    bad |= put(o, "row_mean", s->n_r > 0 ? json_real(s->n_nzr) : json_null());
    bad |= put(o, "row_min", json_integer(s->row_min));
    bad |= put(o, "row_median", json_integer(s->row_median));
    bad |= put(o, "row_p99", json_integer(s->row_p99));
    bad |= put(o, "row_max", json_integer(s->row_max));
    bad |= put(o, "row_cv", s->n_nz > 0 ? json_real(s->row_cv) : json_null());
    bad |= put(o, "empty_rows", json_integer(s->n_empty_rows));
    bad |= put(o, "col_mean", s->n_c > 0 ? json_real(s->n_nzc) : json_null());
    bad |= put(o, "empty_cols", json_integer(s->n_c - s->n_c_used));
    bad |= put_places(o, s);
    bad |= put(o, "distinct_values", json_integer(s->n_distinct));
    bad |= put(o, "distinct_values_is_lower_bound", json_boolean(s->distinct_at_least));
    bad |= put(o, "entries_inexact_in_f32", json_integer(s->n_inexact_f32));
    bad |= put(o, "crs_B", json_real(s->crs_B));
    bad |= put(o, "vectors_B", json_real(s->vector_B));
    bad |= put_estimate(o, "sell_8_unit_share", s->unit_share);
    bad |= put_formats(o, info);
    if (bad) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* The same fields as a header and a row; quoting after RFC 4180, undefined ones empty. */
static enum sp_status info_csv(const struct sp_info *info, bool with_header, FILE *out, struct sp_error *err)
{
    json_t *o = info_json(info);
    if (!o)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a CSV row");
    sp_flat_csv(o, with_header, out);
    json_decref(o);
    return SP_OK;
}

/* A character is about twice as high as wide. */
static int rows_of_picture(const struct sp_csr *a, int columns)
{
    double rows = 0.5 * columns * (double)a->n_r / (double)a->n_c;
    return rows < 1 ? 1 : rows > 2 * columns ? 2 * columns : (int)lround(rows);
}

/* The pattern in characters, `columns` wide: the darker, the fuller the cell. SP_MEMORY. */
static enum sp_status spy_text(const struct sp_csr *a, int columns, bool utf8, FILE *out,
                               struct sp_error *err)
{
    static const char *const shades[2][6] = {{" ", ".", ":", "+", "*", "#"}, {" ", "·", "░", "▒", "▓", "█"}};
    if (a->n_nz == 0) {
        fputs("no entries to draw\n", out);
        return SP_OK;
    }
    if (columns > a->n_c)
        columns = (int)a->n_c;
    int rows = rows_of_picture(a, columns);
    if (rows > a->n_r)
        rows = (int)a->n_r;
    void *p;
    enum sp_status status = sp_new_array((int64_t)rows * columns, sizeof(int64_t), "a spy plot", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *count = p;
    /* each line of the picture has its own rows of the matrix, so threads never meet */
#pragma omp parallel for schedule(dynamic, 1)
    for (int line = 0; line < rows; line++)
        for (int64_t i = a->n_r * line / rows; i < a->n_r * (line + 1) / rows; i++)
            for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
                count[(int64_t)line * columns + (int64_t)sp_csr_col(a, k) * columns / a->n_c]++;
    double cell = (double)a->n_r / rows * ((double)a->n_c / columns), most = 0, least = INFINITY;
    for (int64_t c = 0; c < (int64_t)rows * columns; c++) {
        most = (double)count[c] > most ? (double)count[c] : most;
        least = count[c] > 0 && (double)count[c] < least ? (double)count[c] : least;
    }
    for (int line = 0; line < rows; line++) {
        fputs(utf8 ? "│" : "|", out);
        for (int c = 0; c < columns; c++) {
            double n = (double)count[(int64_t)line * columns + c];
            /* logarithmic between the emptiest and the fullest cell that hold anything */
            int shade = n == 0          ? 0
                        : most == least ? 5
                                        : 1 + (int)(4.999 * log(n / least) / log(most / least));
            fputs(shades[utf8][shade], out);
        }
        fputs(utf8 ? "│\n" : "|\n", out);
    }
    sp_print(out, "one character: %.4g x %.4g places; %s %.3g %% to %s %.3g %% of them hold an entry\n",
             (double)a->n_r / rows, (double)a->n_c / columns, shades[utf8][1], fmin(100, 100 * least / cell),
             shades[utf8][5], fmin(100, 100 * most / cell));
    free(count);
    return SP_OK;
}

struct out {
    FILE *file;
    const struct info_style *style;
};

static void label(const struct out *o, const char *word)
{
    if (o->style->color)
        sp_terminal_code(o->file, "\033[1m");
    sp_print(o->file, "%-9s", word);
    if (o->style->color)
        sp_terminal_code(o->file, "\033[0m");
}

static const char *times(const struct out *o)
{
    return o->style->utf8 ? "×" : "x";
}

/* "98.2 %", "98.2 ±0.1 %", or a dash where it is undefined. */
static const char *percent(const struct out *o, struct sp_estimate e, char *text, size_t size)
{
    if (!e.known)
        snprintf(text, size, "undefined");
    else if (e.error > 0)
        snprintf(text, size, "%.1f %s%.1g %%", 100 * e.value, o->style->utf8 ? "±" : "+-", 100 * e.error);
    else
        snprintf(text, size, "%.4g %%", 100 * e.value);
    return text;
}

static const char *count(int64_t n, char *text, size_t size)
{
    return sp_text_count(text, size, n);
}

static void head(const struct out *o, const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    char a[32], b[32];
    label(o, "MATRIX");
    sp_print(o->file, "%s   %s %s %s   %s%s\n", info->name, count(s->n_r, a, sizeof a), times(o),
             count(s->n_c, b, sizeof b), info->source,
             s->symmetry != SP_GENERAL
                 ? (strcmp(info->source, "generated") == 0 ? ", symmetric" : ", expanded")
                 : "");
    sp_print(o->file, "         %s nonzero%s", count(s->n_nz, a, sizeof a), s->n_nz == 1 ? "" : "s");
    if (s->n_zeros > 0)
        sp_print(o->file, " (%s explicit zeros)", count(s->n_zeros, a, sizeof a));
    if (s->n_duplicates > 0)
        sp_print(o->file, " (%s duplicates summed)", count(s->n_duplicates, a, sizeof a));
    if (s->n_r > 0) {
        sp_print(o->file, "\n         per row: mean %.2f, median %s", s->n_nzr,
                 count(s->row_median, a, sizeof a));
        sp_print(o->file, ", p99 %s", count(s->row_p99, a, sizeof a));
        sp_print(o->file, ", max %s, cv %.3f", count(s->row_max, a, sizeof a), s->row_cv);
    }
    const int64_t empty_columns = s->n_c - s->n_c_used;
    sp_print(o->file, "\n         empty: %s row%s", count(s->n_empty_rows, a, sizeof a),
             s->n_empty_rows == 1 ? "" : "s");
    sp_print(o->file, ", %s column%s", count(empty_columns, a, sizeof a), empty_columns == 1 ? "" : "s");
    if (s->n_c > 0)
        sp_print(o->file, "   per column: mean %.2f", s->n_nzc);
    if (s->n_r > 0)
        sp_print(o->file, "   longest: row %s", count(s->longest_row + 1, b, sizeof b));
    fputc('\n', o->file);
}

static void places(const struct out *o, const struct sp_structure *s)
{
    char a[32], b[32];
    label(o, "PLACES");
    sp_print(o->file, "bandwidth %s below, %s above the diagonal", count(s->lower_bandwidth, a, sizeof a),
             count(s->upper_bandwidth, b, sizeof b));
    fputs("\n         ", o->file);
    if (s->n_nz > 0)
        sp_print(o->file, "mean |i - j| %.4g   ", s->mean_distance);
    sp_print(o->file, "profile %s\n", count(s->profile, a, sizeof a));
    int64_t diagonal = s->n_r < s->n_c ? s->n_r : s->n_c;
    sp_print(o->file, "         diagonal: %s of %s stored\n", count(s->n_diagonal, a, sizeof a),
             count(diagonal, b, sizeof b));
    label(o, "SYMMETRY");
    if (s->n_r != s->n_c)
        fputs("undefined: not square\n", o->file);
    else if (!s->pattern_symmetry.known)
        fputs("nothing off the diagonal\n", o->file);
    else if (s->symmetry == SP_SKEW_SYMMETRIC || s->symmetry == SP_HERMITIAN)
        sp_print(o->file, "pattern %s   values %s\n", percent(o, s->pattern_symmetry, a, sizeof a),
                 s->symmetry == SP_HERMITIAN ? "conjugate (hermitian)" : "of opposite sign (skew-symmetric)");
    else
        sp_print(o->file, "pattern %s   values %s   of the entries off the diagonal%s\n",
                 percent(o, s->pattern_symmetry, a, sizeof a), percent(o, s->value_symmetry, b, sizeof b),
                 s->value_symmetry.error > 0 ? ", sampled" : "");
}

static void values(const struct out *o, const struct sp_structure *s)
{
    char a[32];
    label(o, "VALUES");
    sp_print(o->file, "%s, ", sp_field_name(s->field));
    if (s->field == SP_FIELD_PATTERN)
        fputs("taken as 1\n", o->file);
    else {
        sp_print(o->file, "%s%s different", s->distinct_at_least ? "more than " : "",
                 count(s->n_distinct, a, sizeof a));
        if (s->n_inexact_f32 == 0)
            fputs("   all exact in fp32\n", o->file);
        else
            sp_print(o->file, "   %s entries are not exact in fp32\n", count(s->n_inexact_f32, a, sizeof a));
    }
    label(o, "BYTES");
    sp_print(o->file, "CRS %s", sp_text_bytes(a, sizeof a, s->crs_B));
    double s_v = s->field == SP_FIELD_COMPLEX ? 16 : 8;
    sp_print(o->file, "   x %s", sp_text_bytes(a, sizeof a, s_v * (double)s->n_c));
    sp_print(o->file, "   y %s   (%s, 32-bit indices)\n", sp_text_bytes(a, sizeof a, s_v * (double)s->n_r),
             s->field == SP_FIELD_COMPLEX ? "c128" : "fp64");
}

static void blocks(const struct out *o, const struct sp_structure *s)
{
    if (!s->block[0].n_e.known)
        return;
    bool sampled = s->block[0].beta.error > 0;
    label(o, "BLOCKS");
    sp_print(o->file, "fill of BCSR, beta = nonzeros / stored%s\n         ", sampled ? ", sampled" : "");
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
        char name[24];
        snprintf(name, sizeof name, "%dx%d", (int)s->block[b].b_h, (int)s->block[b].b_w);
        sp_print(o->file, "%9s", name);
    }
    fputs("\n  beta   ", o->file);
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++)
        sp_print(o->file, "%9.3f", s->block[b].beta.value);
    fputs("\n  B/CRS  ", o->file);
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++)
        sp_print(o->file, "%9.2f", bcsr_over_crs(s, s->block[b].b_h, s->block[b].b_w, s->block[b].n_e.value));
    fputs("\n         B/CRS: bytes against CRS, modelled\n", o->file);
}

static void sell(const struct out *o, const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    char text[48];
    if (s->n_nz == 0)
        return;
    label(o, "SELL");
    sp_print(o->file, "beta(C, sigma) = nonzeros / stored, from the row lengths\n         ");
    for (int w = 0; w < INFO_WINDOWS; w++) {
        snprintf(text, sizeof text, "%s%lld", o->style->utf8 ? "σ " : "s ", (long long)table_sigma[w]);
        sp_print(o->file, "%*s", o->style->utf8 ? 10 : 9, text);
    }
    fputs("\n", o->file);
    for (int c = 0; c < INFO_CHUNKS; c++) {
        sp_print(o->file, "  C %-5d", (int)table_C[c]);
        for (int w = 0; w < INFO_WINDOWS; w++)
            sp_print(o->file, "%9.3f", info->beta[c][w]);
        fputs("\n", o->file);
    }
    if (s->unit_share.known)
        sp_print(o->file, "         eight consecutive columns (C = 8, unsorted): %s of the slots%s\n",
                 percent(o, s->unit_share, text, sizeof text), s->unit_share.error > 0 ? ", sampled" : "");
}

static void info_text(const struct sp_info *info, const struct info_style *style, FILE *out)
{
    struct out o = {out, style};
    head(&o, info);
    places(&o, &info->structure);
    values(&o, &info->structure);
    blocks(&o, &info->structure);
    sell(&o, info);
}

struct options {
    struct sp_common_options common;
    bool spy;
    struct block_list blocks;
    int n_matrices;
    char **matrix;
};

enum { KEY_SPY = SP_KEY_PRIVATE, KEY_BLOCKS };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_SPY:
        o->spy = true;
        return 0;
    case KEY_BLOCKS:
        if (block_list_parse(strcmp(arg, "all") == 0 ? "2x2,3x3,4x4,8x8,16x8,16x16" : arg, &o->blocks))
            sp_usage_error(state, "--blocks takes a list such as 2x2,4x4,16x8 (sides 1 to 64), not '%s'",
                           arg);
        return 0;
    case ARGP_KEY_ARGS:
        o->matrix = state->argv + state->next;
        o->n_matrices = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (o->blocks.n > 0 && (o->common.json || o->common.csv))
            sp_usage_error(state, "--blocks prints a table and goes with neither --json nor --csv");
        if (o->spy && (sp_sink_is_stdout(o->common.json) || sp_sink_is_stdout(o->common.csv)))
            sp_usage_error(state, "--spy draws on the terminal: give --json or --csv a file");
        return 0;
    case ARGP_KEY_NO_ARGS:
        sp_usage_error(state, "no matrix given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int spy_columns(void)
{
    const int columns = sp_terminal_columns(), width = columns >= 20 ? columns : 80;
    return width - 2 < 100 ? width - 2 : 100;
}

static enum sp_status put_info(const struct options *o, const struct sp_info *info, const struct sp_csr *a,
                               bool is_first, struct sp_sink *json, struct sp_sink *csv, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    if (json->stream) {
        const size_t layout = o->n_matrices > 1 ? JSON_COMPACT : JSON_INDENT(2);
        status = sp_put_json(info_json(info), layout | JSON_REAL_PRECISION(15), json->stream, err);
    }
    if (csv->stream && status == SP_OK)
        status = info_csv(info, is_first, csv->stream, err);
    if (json->stream == stdout || csv->stream == stdout || status != SP_OK)
        return status;
    bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    struct info_style style = {sp_use_color(&o->common, sp_terminal_columns() > 0), utf8};
    if (!is_first)
        fputs("\n", stdout);
    info_text(info, &style, stdout);
    if (o->blocks.n > 0)
        status = info_blocks(a, &info->structure, &o->blocks, stdout, err);
    if (status != SP_OK)
        return status;
    return o->spy ? spy_text(a, spy_columns(), utf8, stdout, err) : SP_OK;
}

static const struct argp_option own[] = {
    {"spy", KEY_SPY, NULL, 0, "Draw the pattern on the terminal", 0},
    {"blocks", KEY_BLOCKS, "RxC,...", 0,
     "Count the blocks of BCSR exactly, as stored and with similar rows side by side; all: some sizes", 0},
    {0}};
static const struct argp_child children[] = {
    {&sp_common_csv_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {
    own, parse, .args_doc = "MATRIX...",
    .doc = "What matrices look like: sizes, row lengths, places, symmetry, values, fill of blocks and of "
           "SELL-C-sigma. Nothing is run.\vMATRIX is a file (`spmodel help input`), - for standard "
           "input, or gen:KIND (see `spmodel generate`).",
    .children = children};

static int run(int argc, char **argv)
{
    struct options o = {0};
    sp_parse(&argp, argc, argv, &o);

    struct sp_sink json = {0}, csv = {0};
    struct sp_error err;
    int code = 0;
    bool is_first = true;
    if (sp_sink_open(o.common.json, &json, &err) != SP_OK)
        return sp_report_error(&err);
    if (sp_sink_open(o.common.csv, &csv, &err) != SP_OK) {
        sp_sink_abort(&json);
        return sp_report_error(&err);
    }
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, o.common.verbosity);
    struct sp_watch watch = {&progress, "reading the matrix"};
    for (int m = 0; m < o.n_matrices; m++) {
        struct sp_csr a;
        struct sp_load_facts facts;
        struct sp_info info = {0};
        struct sp_load_options load = {.n_threads = omp_get_max_threads(),
                                       .allocator = &sp_allocator_huge,
                                       .use = SP_LOAD_FIGURES,
                                       .progress = sp_watch_show,
                                       .interrupted = sp_watch_stop,
                                       .context = &watch};
        enum sp_status status = sp_matrix_load(o.matrix[m], &load, &a, &facts, &err);
        sp_terminal_clear(&terminal);
        if (status == SP_OK) {
            info.name = facts.name;
            info.source = facts.format;
            info.file_B = facts.file_B;
            if (facts.remark[0] && o.common.verbosity >= 0)
                sp_print(stderr, "spmodel: %s: %s\n", info.name, facts.remark);
            status = info_make(&a, &info, &err);
            if (status == SP_OK)
                status = put_info(&o, &info, &a, is_first, &json, &csv, &err);
            is_first = false;
            sp_csr_free(&a);
        }
        if (status != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
        if (status == SP_INTERRUPTED)
            break;
    }
    code = sp_sink_close(&json, code);
    return sp_sink_close(&csv, code);
}

static const struct sp_example examples[] = {
    {"spmodel info --spy matrix.mtx", "its figures, and its pattern in the terminal", NULL},
    {"spmodel info --blocks 2x2,4x4 matrix.mtx", "how full blocks of these sizes would be", NULL},
    {"spmodel info --csv=features.csv matrix.mtx gen:laplace3d:20", "the figures of two matrices as a table",
     NULL},
    {0},
};

extern const struct sp_command sp_cmd_info;
const struct sp_command sp_cmd_info = {
    .name = "info",
    .arguments = "MATRIX...",
    .summary = "structure only: sizes, row lengths, symmetry, fill of formats, spy plot",
    .run = run,
    .page = {&argp, examples, NULL, "analyze convert reorder input"},
};
