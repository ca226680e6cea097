#include "sparse/workload.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

size_t sp_precision_size(enum sp_precision precision)
{
    static const size_t sizes[SP_N_PRECISIONS] = {8, 4, 16};
    return sizes[precision];
}

size_t sp_index_size(enum sp_index index)
{
    return index == SP_I32 ? 4 : 8;
}

static const char *const op_names[SP_N_OPS] = {"spmv"};
static const char *const format_names[SP_N_FORMATS] = {"crs", "sell", "sellu"};
static const char *const schedule_names[SP_N_SCHEDULES] = {"rows", "nnz", "cyclic", "merge"};

/* A name and its synonyms; the first one of each value is the one that is printed. */
struct word {
    const char *name;
    int value;
};
static const struct word precision_words[] = {
    {"f64", SP_F64},   {"fp64", SP_F64},   {"double", SP_F64}, {"f32", SP_F32},         {"fp32", SP_F32},
    {"float", SP_F32}, {"single", SP_F32}, {"c128", SP_C128},  {"complex128", SP_C128}, {"complex", SP_C128},
};
static const struct word index_words[] = {
    {"i32", SP_I32}, {"int32", SP_I32}, {"32", SP_I32}, {"i64", SP_I64}, {"int64", SP_I64}, {"64", SP_I64},
};

static int find_word(const struct word *words, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i].name, name) == 0)
            return words[i].value;
    return -1;
}

static const char *first_word(const struct word *words, size_t n, int value)
{
    for (size_t i = 0; i < n; i++)
        if (words[i].value == value)
            return words[i].name;
    return "unknown";
}

const char *sp_op_name(enum sp_op op)
{
    return op_names[op];
}

const char *sp_format_name(enum sp_format format)
{
    return format_names[format];
}

const char *sp_precision_name(enum sp_precision precision)
{
    return first_word(precision_words, sizeof precision_words / sizeof *precision_words, precision);
}

const char *sp_index_name(enum sp_index index)
{
    return first_word(index_words, sizeof index_words / sizeof *index_words, index);
}

const char *sp_schedule_name(enum sp_schedule schedule)
{
    return schedule_names[schedule];
}

int sp_op_from_name(const char *name)
{
    for (int i = 0; i < SP_N_OPS; i++)
        if (strcmp(op_names[i], name) == 0)
            return i;
    return -1;
}

int sp_precision_from_name(const char *name)
{
    return find_word(precision_words, sizeof precision_words / sizeof *precision_words, name);
}

int sp_index_from_name(const char *name)
{
    return find_word(index_words, sizeof index_words / sizeof *index_words, name);
}

enum sp_status sp_workload_set_format(struct sp_workload *w, const char *text, struct sp_error *err)
{
    static const char forms[] =
        "say crs, sell, sell:C,SIGMA, sellu or sellu:C,SIGMA, for example sell:32,256";
    if (strcmp(text, "crs") == 0) {
        w->format = SP_FORMAT_CRS;
        w->C = 1;
        w->sigma = 1;
        return SP_OK;
    }
    enum sp_format format;
    const char *rest;
    if (strncmp(text, "sellu", 5) == 0) {
        format = SP_FORMAT_SELLU;
        rest = text + 5;
    } else if (strncmp(text, "sell", 4) == 0) {
        format = SP_FORMAT_SELL;
        rest = text + 4;
    } else {
        return sp_fail(err, SP_USAGE, forms, "unknown format '%s'", text);
    }
    int64_t C = format == SP_FORMAT_SELLU ? 8 : 32, sigma = format == SP_FORMAT_SELLU ? 1 : 256;
    if (*rest == ':') {
        char first[32];
        const char *comma = strchr(rest, ',');
        size_t length = comma ? (size_t)(comma - rest - 1) : strlen(rest + 1);
        if (length == 0 || length >= sizeof first)
            return sp_fail(err, SP_USAGE, forms, "format '%s' has no valid C", text);
        memcpy(first, rest + 1, length);
        first[length] = '\0';
        if (sp_parse_count(first, &C) || C < 1 || C > 4096)
            return sp_fail(err, SP_USAGE, "C is the number of rows in a chunk, 1 to 4096",
                           "format '%s' has no valid C", text);
        if (comma && (sp_parse_count(comma + 1, &sigma) || sigma < 1))
            return sp_fail(err, SP_USAGE, "sigma is the sorting window in rows, 1 for none",
                           "format '%s' has no valid sigma", text);
        if (!comma)
            sigma = format == SP_FORMAT_SELLU ? 1 : 8 * C;
    } else if (*rest) {
        return sp_fail(err, SP_USAGE, forms, "unknown format '%s'", text);
    }
    if (sigma > 1 && sigma % C != 0)
        return sp_fail(err, SP_USAGE, "take a multiple of C, or 1 for no sorting",
                       "sigma = %lld is not a multiple of C = %lld", (long long)sigma, (long long)C);
    w->format = format;
    w->C = (int32_t)C;
    w->sigma = sigma;
    return SP_OK;
}

enum sp_status sp_workload_set_schedule(struct sp_workload *w, const char *text, struct sp_error *err)
{
    if (strncmp(text, "cyclic", 6) == 0 && (text[6] == '\0' || text[6] == ':')) {
        int64_t block = 64;
        if (text[6] == ':' && (sp_parse_count(text + 7, &block) || block < 1))
            return sp_fail(err, SP_USAGE,
                           "cyclic:N takes the number of rows in a block, for example cyclic:64",
                           "schedule '%s' has no valid block", text);
        w->schedule = SP_SCHEDULE_CYCLIC;
        w->block = block;
        return SP_OK;
    }
    for (int i = 0; i < SP_N_SCHEDULES; i++)
        if (strcmp(schedule_names[i], text) == 0) {
            w->schedule = (enum sp_schedule)i;
            w->block = 0;
            return SP_OK;
        }
    return sp_fail(err, SP_USAGE, "say rows, nnz, cyclic, cyclic:N or merge", "unknown schedule '%s'", text);
}

char *sp_workload_format_text(const struct sp_workload *w, char *text, size_t size)
{
    static const char *const titles[SP_N_FORMATS] = {"CRS", "SELL", "SELLU"};
    if (w->format == SP_FORMAT_CRS)
        snprintf(text, size, "%s", titles[w->format]);
    else
        snprintf(text, size, "%s-%d-%lld", titles[w->format], (int)w->C, (long long)w->sigma);
    return text;
}

char *sp_workload_schedule_text(const struct sp_workload *w, char *text, size_t size)
{
    if (w->schedule == SP_SCHEDULE_CYCLIC)
        snprintf(text, size, "cyclic:%lld", (long long)w->block);
    else
        snprintf(text, size, "%s", sp_schedule_name(w->schedule));
    return text;
}

enum sp_status sp_workload_check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->n_threads < 1)
        return sp_fail(err, SP_USAGE, "give at least one thread", "%d threads", w->n_threads);
    if (w->schedule == SP_SCHEDULE_MERGE && w->format != SP_FORMAT_CRS)
        return sp_fail(err, SP_USAGE, "use --schedule nnz, or --format crs",
                       "schedule merge splits rows, but a chunk of SELL cannot be split");
    if (w->schedule == SP_SCHEDULE_CYCLIC && w->block < 1)
        return sp_fail(err, SP_USAGE, "give at least one row a block",
                       "schedule cyclic with %lld rows a block", (long long)w->block);
    if (sp_csr_is_complex(w->matrix) && w->precision != SP_C128)
        return sp_fail(err, SP_USAGE, "use --precision c128",
                       "the matrix is complex, the precision %s is not", sp_precision_name(w->precision));
    if (w->precision == SP_C128 && w->format != SP_FORMAT_CRS)
        return sp_fail(err, SP_USAGE, "use --format crs", "complex values are supported in CRS only");
    if (w->format != SP_FORMAT_CRS && (w->C < 1 || w->sigma < 1 || (w->sigma > 1 && w->sigma % w->C != 0)))
        return sp_fail(err, SP_USAGE, "take sigma = 1 or a multiple of C",
                       "C = %d and sigma = %lld do not fit", (int)w->C, (long long)w->sigma);
    return SP_OK;
}

double sp_workload_flops(const struct sp_workload *w)
{
    return (sp_csr_is_complex(w->matrix) || w->precision == SP_C128 ? 8.0 : 2.0) * (double)w->matrix->n_nz;
}
