#include "sparse/product/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/option/option_words.h"
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
