#include <string.h>

#include "base/guarded_stream.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/matrix/info.h"

struct out {
    FILE *file;
    const struct sp_info_style *style;
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
    sp_print(o->file, "         %s nonzeros", count(s->n_nz, a, sizeof a));
    if (s->n_zeros > 0)
        sp_print(o->file, " (%s explicit zeros)", count(s->n_zeros, a, sizeof a));
    if (s->n_duplicates > 0)
        sp_print(o->file, " (%s duplicates summed)", count(s->n_duplicates, a, sizeof a));
    sp_print(o->file, "   per row: mean %.2f, median %s", s->n_nzr, count(s->row_median, a, sizeof a));
    sp_print(o->file, ", p99 %s", count(s->row_p99, a, sizeof a));
    sp_print(o->file, ", max %s, cv %.3f\n", count(s->row_max, a, sizeof a), s->row_cv);
    sp_print(o->file, "         empty: %s rows", count(s->n_empty_rows, a, sizeof a));
    sp_print(o->file, ", %s columns   per column: mean %.2f   longest row %s\n",
             count(s->n_c - s->n_c_used, a, sizeof a), s->n_nzc,
             s->n_r > 0 ? count(s->longest_row + 1, b, sizeof b) : "none");
}

static void places(const struct out *o, const struct sp_structure *s)
{
    char a[32], b[32];
    label(o, "PLACES");
    sp_print(o->file, "bandwidth %s below, %s above the diagonal", count(s->lower_bandwidth, a, sizeof a),
             count(s->upper_bandwidth, b, sizeof b));
    sp_print(o->file, "   mean |i - j| %.4g   profile %s\n", s->mean_distance,
             count(s->profile, a, sizeof a));
    int64_t diagonal = s->n_r < s->n_c ? s->n_r : s->n_c;
    sp_print(o->file, "         diagonal: %s of %s stored\n", count(s->n_diagonal, a, sizeof a),
             count(diagonal, b, sizeof b));
    label(o, "SYMMETRY");
    if (s->n_r != s->n_c)
        fputs("undefined: not square\n", o->file);
    else if (!s->pattern_symmetry.known)
        fputs("nothing off the diagonal\n", o->file);
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

/* Values and indices of BCSR against CRS, [THEORY 7] without the vectors, which are the same. */
static double bcsr_bytes(const struct sp_structure *s, const struct sp_block_fill *b)
{
    double s_v = s->field == SP_FIELD_COMPLEX ? 16 : 8;
    int64_t n_block_rows = (s->n_r + b->b_h - 1) / b->b_h;
    return (s_v * (double)(b->b_h * b->b_w) + 4) * b->n_e.value + 4 * (double)(n_block_rows + 1);
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
        sp_print(o->file, "%9.2f", bcsr_bytes(s, &s->block[b]) / s->crs_B);
    fputs("     modelled bytes against CRS\n", o->file);
}

static void sell(const struct out *o, const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    char text[48];
    if (s->n_nz == 0)
        return;
    label(o, "SELL");
    sp_print(o->file, "beta(C, sigma) = nonzeros / stored, from the row lengths\n         ");
    for (int w = 0; w < SP_INFO_WINDOWS; w++) {
        snprintf(text, sizeof text, "%s%lld", o->style->utf8 ? "σ " : "s ", (long long)sp_info_window[w]);
        sp_print(o->file, "%*s", o->style->utf8 ? 10 : 9, text);
    }
    fputs("\n", o->file);
    for (int c = 0; c < SP_INFO_CHUNKS; c++) {
        sp_print(o->file, "  C %-5d", (int)sp_info_chunk[c]);
        for (int w = 0; w < SP_INFO_WINDOWS; w++)
            sp_print(o->file, "%9.3f", info->beta[c][w]);
        fputs("\n", o->file);
    }
    if (s->unit_share.known)
        sp_print(o->file, "         eight consecutive columns (C = 8, unsorted): %s of the slots%s\n",
                 percent(o, s->unit_share, text, sizeof text), s->unit_share.error > 0 ? ", sampled" : "");
}

void sp_info_text(const struct sp_info *info, const struct sp_info_style *style, FILE *out)
{
    struct out o = {out, style};
    head(&o, info);
    places(&o, &info->structure);
    values(&o, &info->structure);
    blocks(&o, &info->structure);
    sell(&o, info);
}
