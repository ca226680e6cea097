#include "sparse/product/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/random.h"
#include "base/text.h"

enum sp_precision sp_precision_of_values(enum sp_precision precision)
{
    return precision == SP_MIXED ? SP_F32 : precision;
}

size_t sp_precision_size(enum sp_precision precision)
{
    static const size_t sizes[SP_N_PRECISIONS] = {8, 4, 16, 2, 2, 8};
    return sizes[precision];
}

size_t sp_value_size(enum sp_precision precision)
{
    return sp_precision_size(sp_precision_of_values(precision));
}

size_t sp_index_size(enum sp_index index)
{
    static const size_t sizes[SP_N_INDICES] = {4, 8, 2};
    return sizes[index];
}

size_t sp_base_size(enum sp_index index)
{
    return index == SP_D16 ? sizeof(int32_t) : 0;
}

static const char *const op_names[SP_N_OPS] = {"spmv", "spmmv", "spmm", "sddmm", "fusedmm"};
static const char *const format_names[SP_N_FORMATS] = {"crs",   "sell",   "sellu", "bcsr",   "coo",
                                                       "tiled", "staged", "half",  "striped"};
static const char *const order_names[SP_N_ORDERS] = {"row", "column"};
static const char *const schedule_names[SP_N_SCHEDULES] = {"rows", "nnz", "cyclic", "merge"};

/* A name and its synonyms; the first one of each value is the one that is printed. */
struct word {
    const char *name;
    int value;
};
static const struct word precision_words[] = {
    {"f64", SP_F64},         {"fp64", SP_F64},     {"double", SP_F64},    {"f32", SP_F32},
    {"fp32", SP_F32},        {"float", SP_F32},    {"single", SP_F32},    {"c128", SP_C128},
    {"complex128", SP_C128}, {"complex", SP_C128}, {"f16", SP_F16},       {"fp16", SP_F16},
    {"half", SP_F16},        {"bf16", SP_BF16},    {"bfloat16", SP_BF16}, {"mixed", SP_MIXED},
};
static const struct word index_words[] = {
    {"i32", SP_I32},   {"int32", SP_I32}, {"32", SP_I32},  {"i64", SP_I64},
    {"int64", SP_I64}, {"64", SP_I64},    {"d16", SP_D16},
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

const char *sp_order_name(enum sp_order order)
{
    return order_names[order];
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

/* "NAME", "NAME:A", "NAME:A<separator>B" with whole numbers: how many there are, -1: none of these. */
static int read_pair(const char *text, char separator, int64_t *first, int64_t *second)
{
    char number[32];
    if (*text == '\0')
        return 0;
    if (*text++ != ':')
        return -1;
    const char *middle = strchr(text, separator);
    size_t length = middle ? (size_t)(middle - text) : strlen(text);
    if (length == 0 || length >= sizeof number)
        return -1;
    memcpy(number, text, length);
    number[length] = '\0';
    if (sp_parse_count(number, first) || (middle && sp_parse_count(middle + 1, second)))
        return -1;
    return middle ? 2 : 1;
}

static enum sp_status set_sell(struct sp_workload *w, enum sp_format format, const char *text,
                               const char *numbers, struct sp_error *err)
{
    int64_t C = format == SP_FORMAT_SELLU ? 8 : 32, sigma = format == SP_FORMAT_SELLU ? 1 : 256;
    int n = read_pair(numbers, ',', &C, &sigma);
    if (n < 0 || C < 1 || C > SP_MAX_C)
        return sp_fail(err, SP_USAGE,
                       "C is the number of rows in a chunk, 1 to 4096, sigma the sorting window in rows",
                       "format '%s' has no valid C and sigma", text);
    if (sigma < 1)
        return sp_fail(err, SP_USAGE, "sigma is the sorting window in rows, 1 for none",
                       "format '%s' has no valid sigma", text);
    if (n == 1)
        sigma = format == SP_FORMAT_SELLU ? 1 : 8 * C;
    if (sigma > 1 && sigma % C != 0)
        return sp_fail(err, SP_USAGE, "take a multiple of C, or 1 for no sorting",
                       "sigma = %lld is not a multiple of C = %lld", (long long)sigma, (long long)C);
    w->C = (int32_t)C;
    w->sigma = sigma;
    return SP_OK;
}

static enum sp_status set_blocks(struct sp_workload *w, const char *text, const char *numbers,
                                 struct sp_error *err)
{
    int64_t b_h = 4, b_w = 4;
    int n = read_pair(numbers, 'x', &b_h, &b_w);
    if (n < 0 || n == 1 || b_h < 1 || b_w < 1 || b_h > 64 || b_w > 64)
        return sp_fail(err, SP_USAGE,
                       "say bcsr:RxC with rows and columns of a block, 1 to 64, such as bcsr:4x4",
                       "format '%s' has no valid block", text);
    w->b_h = (int32_t)b_h;
    w->b_w = (int32_t)b_w;
    return SP_OK;
}

static enum sp_status set_tiles(struct sp_workload *w, enum sp_format format, const char *text,
                                const char *numbers, struct sp_error *err)
{
    int64_t T_i = format == SP_FORMAT_TILED ? 64 : 256, T_k = format == SP_FORMAT_TILED ? 32 : 64;
    int n = read_pair(numbers, ',', &T_i, &T_k);
    if (n < 0 || T_i < 1 || T_k < 1 || T_i > 65536 || T_k > 65536)
        return sp_fail(err, SP_USAGE,
                       "give rows of a block and columns of a tile, for example tiled:64,32 or staged:256,64",
                       "format '%s' has no valid tile", text);
    w->T_i = (int32_t)T_i;
    w->T_k = (int32_t)T_k;
    return SP_OK;
}

static enum sp_status set_stripes(struct sp_workload *w, const char *text, const char *numbers,
                                  struct sp_error *err)
{
    int64_t W = SP_DEFAULT_STRIPE;
    if (*numbers && (sp_parse_count(numbers + 1, &W) || W < SP_MIN_STRIPE || W > INT32_MAX))
        return sp_fail(
            err, SP_USAGE,
            "give the columns of a stripe, 64 or more, whose part of x stays in the last-level cache, "
            "for example striped:262144",
            "format '%s' has no valid width of a stripe", text);
    w->W = (int32_t)W;
    return SP_OK;
}

enum sp_status sp_workload_set_format(struct sp_workload *w, const char *text, struct sp_error *err)
{
    static const char forms[] = "say crs, sell:C,SIGMA, sellu:C,SIGMA, bcsr:RxC, coo, tiled:T_I,T_K, "
                                "staged:T_I,T_K, half or striped:W, for example sell:32,256";
    size_t length = strcspn(text, ":");
    int format = -1;
    for (int i = 0; i < SP_N_FORMATS; i++)
        if (strlen(format_names[i]) == length && strncmp(format_names[i], text, length) == 0)
            format = i;
    if (format < 0)
        return sp_fail(err, SP_USAGE, forms, "unknown format '%s'", text);
    const char *numbers = text + length;
    if (*numbers && (format == SP_FORMAT_CRS || format == SP_FORMAT_COO || format == SP_FORMAT_HALF))
        return sp_fail(err, SP_USAGE, forms, "format %s takes no numbers, but '%s' has some",
                       format_names[format], text);
    struct sp_workload here = *w;
    here.format = (enum sp_format)format;
    here.C = 1;
    here.sigma = 1;
    here.b_h = here.b_w = here.T_i = here.T_k = here.W = 0;
    enum sp_status status = SP_OK;
    if (format == SP_FORMAT_SELL || format == SP_FORMAT_SELLU)
        status = set_sell(&here, here.format, text, numbers, err);
    else if (format == SP_FORMAT_BCSR)
        status = set_blocks(&here, text, numbers, err);
    else if (format == SP_FORMAT_TILED || format == SP_FORMAT_STAGED)
        status = set_tiles(&here, here.format, text, numbers, err);
    else if (format == SP_FORMAT_STRIPED)
        status = set_stripes(&here, text, numbers, err);
    if (status == SP_OK)
        *w = here;
    return status;
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
    static const char *const titles[SP_N_FORMATS] = {"CRS",   "SELL",   "SELLU", "BCSR",   "COO",
                                                     "TILED", "STAGED", "HALF",  "STRIPED"};
    const char *title = titles[w->format];
    switch (w->format) {
    case SP_FORMAT_SELL:
    case SP_FORMAT_SELLU:
        snprintf(text, size, "%s-%d-%lld", title, (int)w->C, (long long)w->sigma);
        break;
    case SP_FORMAT_BCSR:
        snprintf(text, size, "%s-%dx%d", title, (int)w->b_h, (int)w->b_w);
        break;
    case SP_FORMAT_TILED:
    case SP_FORMAT_STAGED:
        snprintf(text, size, "%s-%d-%d", title, (int)w->T_i, (int)w->T_k);
        break;
    case SP_FORMAT_STRIPED:
        snprintf(text, size, "%s-%d", title, (int)w->W);
        break;
    default:
        snprintf(text, size, "%s", title);
    }
    return text;
}

char *sp_workload_format_option(const struct sp_workload *w, char *text, size_t size)
{
    const char *name = format_names[w->format];
    switch (w->format) {
    case SP_FORMAT_SELL:
    case SP_FORMAT_SELLU:
        snprintf(text, size, "%s:%d,%lld", name, (int)w->C, (long long)w->sigma);
        break;
    case SP_FORMAT_BCSR:
        snprintf(text, size, "%s:%dx%d", name, (int)w->b_h, (int)w->b_w);
        break;
    case SP_FORMAT_TILED:
    case SP_FORMAT_STAGED:
        snprintf(text, size, "%s:%d,%d", name, (int)w->T_i, (int)w->T_k);
        break;
    case SP_FORMAT_STRIPED:
        snprintf(text, size, "%s:%d", name, (int)w->W);
        break;
    default:
        snprintf(text, size, "%s", name);
    }
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

/* Which formats an operation has kernels and volumes for. */
static const unsigned formats_of[SP_N_OPS] = {
    [SP_OP_SPMV] = 1u << SP_FORMAT_CRS | 1u << SP_FORMAT_SELL | 1u << SP_FORMAT_SELLU | 1u << SP_FORMAT_BCSR |
                   1u << SP_FORMAT_HALF | 1u << SP_FORMAT_STRIPED,
    [SP_OP_SPMMV] = 1u << SP_FORMAT_CRS | 1u << SP_FORMAT_SELL | 1u << SP_FORMAT_BCSR,
    [SP_OP_SPMM] = 1u << SP_FORMAT_CRS | 1u << SP_FORMAT_BCSR | 1u << SP_FORMAT_STAGED,
    [SP_OP_SDDMM] =
        1u << SP_FORMAT_CRS | 1u << SP_FORMAT_COO | 1u << SP_FORMAT_TILED | 1u << SP_FORMAT_STAGED,
    [SP_OP_FUSEDMM] = 1u << SP_FORMAT_CRS,
};

static enum sp_status check_format(const struct sp_workload *w, struct sp_error *err)
{
    if (!(formats_of[w->op] & 1u << w->format)) {
        char list[64] = "";
        for (int i = 0; i < SP_N_FORMATS; i++)
            if (formats_of[w->op] & 1u << i)
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                         format_names[i]);
        return sp_fail(err, SP_USAGE, "choose another " SP_O_FORMAT " or " SP_O_OP,
                       "%s takes the formats %s, not %s", op_names[w->op], list, format_names[w->format]);
    }
    bool sell = w->format == SP_FORMAT_SELL || w->format == SP_FORMAT_SELLU;
    if (sell && (w->C < 1 || w->C > SP_MAX_C || w->sigma < 1 || (w->sigma > 1 && w->sigma % w->C != 0)))
        return sp_fail(err, SP_USAGE, "take sigma = 1 or a multiple of C",
                       "C = %d and sigma = %lld do not fit", (int)w->C, (long long)w->sigma);
    if (w->format == SP_FORMAT_BCSR && (w->b_h < 1 || w->b_w < 1))
        return sp_fail(err, SP_USAGE, "say bcsr:RxC, for example bcsr:4x4", "blocks of %d x %d entries",
                       (int)w->b_h, (int)w->b_w);
    if ((w->format == SP_FORMAT_TILED || w->format == SP_FORMAT_STAGED) && (w->T_i < 1 || w->T_k < 1))
        return sp_fail(err, SP_USAGE, "say tiled:T_I,T_K, for example tiled:64,32", "tiles of %d x %d",
                       (int)w->T_i, (int)w->T_k);
    if (w->format == SP_FORMAT_STRIPED && w->W < SP_MIN_STRIPE)
        return sp_fail(err, SP_USAGE, "say striped:W, for example striped:262144", "stripes of %d columns",
                       (int)w->W);
    return SP_OK;
}

static enum sp_status check_precision(const struct sp_workload *w, struct sp_error *err)
{
    const char *name = sp_precision_name(w->precision);
    if (sp_csr_is_complex(w->matrix) && w->precision != SP_C128)
        return sp_fail(err, SP_USAGE, "use " SP_O_PRECISION " c128",
                       "the matrix is complex, the precision %s is not", name);
    if (w->precision == SP_C128 && (w->format != SP_FORMAT_CRS || w->op != SP_OP_SPMV))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_OP " spmv and " SP_O_FORMAT " crs, or the real part of the matrix",
                       "complex values are supported for spmv in CRS only");
    bool half = w->precision == SP_F16 || w->precision == SP_BF16;
    bool stored = ((w->op == SP_OP_SPMM || w->op == SP_OP_SDDMM) && w->format == SP_FORMAT_CRS) ||
                  (w->op == SP_OP_SPMM && w->format == SP_FORMAT_BCSR);
    if (half && !stored)
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_PRECISION " f32, or " SP_O_OP " spmm or sddmm with " SP_O_FORMAT " crs",
                       "storage in %s is supported for spmm in CRS and BCSR and sddmm in CRS only", name);
    return SP_OK;
}

static enum sp_status check_storage(const struct sp_workload *w, struct sp_error *err)
{
    bool crs = w->format == SP_FORMAT_CRS, sell = w->format == SP_FORMAT_SELL;
    if (w->precision == SP_MIXED &&
        (w->op != SP_OP_SPMV || w->format == SP_FORMAT_BCSR || w->format == SP_FORMAT_HALF))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_PRECISION " f64 or f32, or " SP_O_OP " spmv with " SP_O_FORMAT
                       " crs, sell, sellu or striped",
                       "values in f32 beside vectors in f64 are supported for spmv in CRS, SELL, SELLU and "
                       "stripes only");
    if (w->row_ptr_B != 0 && w->row_ptr_B != 4 && w->row_ptr_B != 8)
        return sp_fail(err, SP_USAGE, "say 4 or 8", "row pointers of %d bytes", w->row_ptr_B);
    if (w->row_ptr_B == 4 && w->matrix && w->matrix->n_nz > INT32_MAX)
        return sp_fail(err, SP_USAGE, "use " SP_O_ROW_PTR " 8",
                       "row pointers of 4 bytes do not count %lld nonzeros", (long long)w->matrix->n_nz);
    if (w->prefetch < 0 || w->prefetch > SP_MAX_PREFETCH)
        return sp_fail(err, SP_USAGE, "give a number of entries up to 4096, 0 for none",
                       "a prefetch of %d entries", (int)w->prefetch);
    if (w->prefetch > 0 &&
        (w->op != SP_OP_SPMV || !(crs || sell) || w->precision == SP_C128 || w->index == SP_D16))
        return sp_fail(err, SP_USAGE,
                       "leave " SP_O_PREFETCH " out, or use " SP_O_OP " spmv with " SP_O_FORMAT
                       " crs or sell",
                       "x is prefetched by real spmv in CRS and SELL with 32 or 64-bit indices only");
    if (w->index != SP_D16)
        return SP_OK;
    if (w->op != SP_OP_SPMV || !(crs || sell) || w->precision == SP_C128)
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_INDEX " i32, or " SP_O_OP " spmv with " SP_O_FORMAT " crs or sell",
                       "16-bit offsets are supported for real spmv in CRS and SELL only");
    if (w->schedule == SP_SCHEDULE_MERGE)
        return sp_fail(err, SP_USAGE, "use " SP_O_SCHEDULE " nnz, or " SP_O_INDEX " i32",
                       "schedule merge splits rows, which have one base with 16-bit offsets");
    return SP_OK;
}

enum sp_status sp_workload_check(const struct sp_workload *w, struct sp_error *err)
{
    if (w->n_threads < 1)
        return sp_fail(err, SP_USAGE, "give at least one thread", "%d threads", w->n_threads);
    if (w->schedule == SP_SCHEDULE_MERGE && (w->format != SP_FORMAT_CRS || w->op != SP_OP_SPMV))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_SCHEDULE " nnz, or " SP_O_OP " spmv with " SP_O_FORMAT " crs",
                       "schedule merge splits rows, which is supported for spmv in CRS only");
    if (w->schedule == SP_SCHEDULE_CYCLIC && w->block < 1)
        return sp_fail(err, SP_USAGE, "give at least one row a block",
                       "schedule cyclic with %lld rows a block", (long long)w->block);
    if (w->r < 0 || w->r > SP_MAX_WIDTH)
        return sp_fail(err, SP_USAGE, "give a width from 1 to 65536", "a width of %d columns", (int)w->r);
    if (w->op == SP_OP_SPMV && w->r > 1)
        return sp_fail(err, SP_USAGE, "use " SP_O_OP " spmmv or " SP_O_OP " spmm",
                       "spmv has one right-hand side, not %d", (int)w->r);
    if (w->order == SP_COLUMN_MAJOR && w->op != SP_OP_SPMMV)
        return sp_fail(err, SP_USAGE, "leave " SP_O_ORDER " out, or use " SP_O_OP " spmmv",
                       "column-major operands are supported for spmmv only, not for %s", op_names[w->op]);
    if (w->order == SP_COLUMN_MAJOR && w->format == SP_FORMAT_BCSR)
        return sp_fail(err, SP_USAGE, "leave " SP_O_ORDER " out, or use " SP_O_FORMAT " crs or sell",
                       "blocks of bcsr read rows of X, column-major vectors have none");
    if (w->format == SP_FORMAT_COO && w->schedule == SP_SCHEDULE_CYCLIC)
        return sp_fail(err, SP_USAGE, "leave " SP_O_SCHEDULE " out",
                       "coo deals equal entries, not rows in turn");
    if (w->format == SP_FORMAT_HALF && w->schedule != SP_SCHEDULE_NNZ)
        return sp_fail(err, SP_USAGE, "use " SP_O_SCHEDULE " nnz",
                       "half plans conflicts between threads for equal nonzeros per thread only");
    if (w->format == SP_FORMAT_STRIPED && w->schedule != SP_SCHEDULE_NNZ)
        return sp_fail(err, SP_USAGE, "use " SP_O_SCHEDULE " nnz",
                       "stripes are stored thread by thread, for equal nonzeros per thread only");
    enum sp_status status = check_precision(w, err);
    if (status == SP_OK)
        status = check_storage(w, err);
    return status == SP_OK ? check_format(w, err) : status;
}

double sp_workload_flops(const struct sp_workload *w)
{
    double n_nz = (double)w->matrix->n_nz, r = sp_workload_width(w);
    switch (w->op) {
    case SP_OP_SDDMM:
        return (2 * r + 1) * n_nz;
    case SP_OP_FUSEDMM:
        return 4 * r * n_nz;
    default:
        return (sp_csr_is_complex(w->matrix) || w->precision == SP_C128 ? 8 : 2) * r * n_nz;
    }
}

static int64_t numbers_of(const struct sp_workload *w, int64_t n)
{
    return w->precision == SP_C128 ? 2 * n : n * sp_workload_width(w);
}

static bool has_rows(const struct sp_workload *w)
{
    return w->op == SP_OP_SDDMM || w->op == SP_OP_FUSEDMM;
}

int64_t sp_dense_n_x(const struct sp_workload *w)
{
    return numbers_of(w, w->matrix->n_c);
}

int64_t sp_dense_n_rows(const struct sp_workload *w)
{
    return has_rows(w) ? numbers_of(w, w->matrix->n_r) : 0;
}

int64_t sp_dense_n_second(const struct sp_workload *w)
{
    return w->op == SP_OP_FUSEDMM ? numbers_of(w, w->matrix->n_c) : 0;
}

int64_t sp_dense_n_result(const struct sp_workload *w)
{
    return w->op == SP_OP_SDDMM ? w->matrix->n_nz : numbers_of(w, w->matrix->n_r);
}

static enum sp_status fill(int64_t n, uint64_t seed, bool either_sign, const char *what, double **out,
                           struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_new_array(n, sizeof **out, what, &p, err);
    double *v = *out = p;
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static) if (n > 100000)
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = sp_random_at(seed, (uint64_t)i);
        double size = 0.5 + (double)(bits >> 11) * 0x1p-53;
        v[i] = !either_sign ? size : bits & 1 ? 0.25 + size / 2 : -0.25 - size / 2;
    }
    return SP_OK;
}

enum sp_status sp_dense_make(const struct sp_workload *w, uint64_t seed, struct sp_dense_arrays *a,
                             struct sp_error *err)
{
    memset(a, 0, sizeof *a);
    bool signs = w->op != SP_OP_SPMV;
    enum sp_status status = fill(sp_dense_n_x(w), seed, signs, "the gathered operand", &a->x, err);
    if (status == SP_OK && sp_dense_n_rows(w) > 0)
        status = fill(sp_dense_n_rows(w), seed + 1, signs, "the row operand", &a->rows, err);
    if (status == SP_OK && sp_dense_n_second(w) > 0)
        status = fill(sp_dense_n_second(w), seed + 2, signs, "the second gathered operand", &a->second, err);
    if (status != SP_OK)
        sp_dense_free(a);
    return status;
}

void sp_dense_free(struct sp_dense_arrays *a)
{
    if (!a)
        return;
    free(a->x);
    free(a->rows);
    free(a->second);
    memset(a, 0, sizeof *a);
}
