#include "sparse/product/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/random.h"
#include "base/text.h"
#include "sparse/formats/format.h"

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

char *sp_workload_schedule_text(const struct sp_workload *w, char *text, size_t size)
{
    if (w->schedule == SP_SCHEDULE_CYCLIC)
        snprintf(text, size, "cyclic:%lld", (long long)w->block);
    else
        snprintf(text, size, "%s", sp_schedule_name(w->schedule));
    return text;
}

static enum sp_status check_format(const struct sp_workload *w, struct sp_error *err)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (!(kind->ops & 1u << w->op)) {
        unsigned takes = 0;
        char list[64];
        for (int i = 0; i < SP_N_FORMATS; i++)
            takes |= sp_format_kinds[i]->ops & 1u << w->op ? 1u << i : 0;
        return sp_fail(err, SP_USAGE, "choose another " SP_O_FORMAT " or " SP_O_OP,
                       "%s takes the formats %s, not %s", op_names[w->op],
                       sp_format_list(takes, ", ", list, sizeof list), kind->name);
    }
    return kind->check ? kind->check(w, err) : SP_OK;
}

static enum sp_status check_precision(const struct sp_workload *w, struct sp_error *err)
{
    const char *name = sp_precision_name(w->precision);
    if (sp_csr_is_complex(w->matrix) && w->precision != SP_C128)
        return sp_fail(err, SP_USAGE, "use " SP_O_PRECISION " c128",
                       "the matrix is complex, the precision %s is not", name);
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (w->precision == SP_C128 && (!kind->takes_complex || w->op != SP_OP_SPMV))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_OP " spmv and " SP_O_FORMAT " crs, or the real part of the matrix",
                       "complex values are supported for spmv in CRS only");
    bool half = w->precision == SP_F16 || w->precision == SP_BF16;
    if (half && !(kind->halves & 1u << w->op))
        return sp_fail(err, SP_USAGE,
                       "use " SP_O_PRECISION " f32, or " SP_O_OP " spmm or sddmm with " SP_O_FORMAT " crs",
                       "storage in %s is supported for spmm in CRS and BCSR and sddmm in CRS only", name);
    return SP_OK;
}

static enum sp_status refuse_mixed(struct sp_error *err)
{
    char names[64], remedy[160];
    unsigned take = 0;
    for (int i = 0; i < SP_N_FORMATS; i++)
        take |= sp_format_kinds[i]->takes_mixed ? 1u << i : 0;
    snprintf(remedy, sizeof remedy,
             "use " SP_O_PRECISION " f64 or f32, or " SP_O_OP " spmv with " SP_O_FORMAT " %s",
             sp_format_list(take, " or ", names, sizeof names));
    return sp_fail(err, SP_USAGE, remedy,
                   "values in f32 beside vectors in f64 are supported for spmv in %s only",
                   sp_format_list(take, " and ", names, sizeof names));
}

static enum sp_status check_storage(const struct sp_workload *w, struct sp_error *err)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (w->precision == SP_MIXED && (w->op != SP_OP_SPMV || !kind->takes_mixed))
        return refuse_mixed(err);
    if (w->row_ptr_B != 0 && w->row_ptr_B != 4 && w->row_ptr_B != 8)
        return sp_fail(err, SP_USAGE, "say 4 or 8", "row pointers of %d bytes", w->row_ptr_B);
    if (w->row_ptr_B == 4 && w->matrix && w->matrix->n_nz > INT32_MAX)
        return sp_fail(err, SP_USAGE, "use " SP_O_ROW_PTR " 8",
                       "row pointers of 4 bytes do not count %lld nonzeros", (long long)w->matrix->n_nz);
    if (w->prefetch < 0 || w->prefetch > SP_MAX_PREFETCH)
        return sp_fail(err, SP_USAGE, "give a number of entries up to 4096, 0 for none",
                       "a prefetch of %d entries", (int)w->prefetch);
    if (w->prefetch > 0 &&
        (w->op != SP_OP_SPMV || !kind->takes_prefetch || w->precision == SP_C128 || w->index == SP_D16))
        return sp_fail(err, SP_USAGE,
                       "leave " SP_O_PREFETCH " out, or use " SP_O_OP " spmv with " SP_O_FORMAT
                       " crs or sell",
                       "x is prefetched by real spmv in CRS and SELL with 32 or 64-bit indices only");
    if (w->index != SP_D16)
        return SP_OK;
    if (w->op != SP_OP_SPMV || !kind->count_offsets || w->precision == SP_C128)
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
    const struct sp_format_kind *kind = sp_format_of(w->format);
    if (w->schedule == SP_SCHEDULE_MERGE && (!kind->takes_merge || w->op != SP_OP_SPMV))
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
    if (w->order == SP_COLUMN_MAJOR && kind->in_blocks)
        return sp_fail(err, SP_USAGE, "leave " SP_O_ORDER " out, or use " SP_O_FORMAT " crs or sell",
                       "blocks of bcsr read rows of X, column-major vectors have none");
    if (kind->not_cyclic && w->schedule == SP_SCHEDULE_CYCLIC)
        return sp_fail(err, SP_USAGE, "leave " SP_O_SCHEDULE " out", "%s", kind->not_cyclic);
    if (kind->nnz_only && w->schedule != SP_SCHEDULE_NNZ)
        return sp_fail(err, SP_USAGE, "use " SP_O_SCHEDULE " nnz", "%s", kind->nnz_only);
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
