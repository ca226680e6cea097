#include "api/result.h"

#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "io/files/places.h"
#include "report/html/report_html.h"
#include "report/text/report_text.h"
#include "report/text/sections.h"
#include "report/verdict/verdict.h"
#include "sparse/csr/builder.h"
#include "sparse/csr/csr.h"

/* Predictions have their JSON alone. */
static bool is_of_a_run(const struct sp_record *record)
{
    const char *schema;
    return sp_record_text(record, SP_F_SCHEMA, &schema) && strcmp(schema, SP_RECORD_SCHEMA) == 0;
}

struct spmodel_result *sp_result_of(struct sp_record *record)
{
    struct spmodel_result *r = calloc(1, sizeof *r);
    if (r && is_of_a_run(record) && !sp_record_node(record, SP_F_VERDICT))
        sp_verdict_put(record);
    if (r && !record->failed) {
        r->record = *record;
        memset(record, 0, sizeof *record);
        return r;
    }
    free(r);
    sp_record_free(record);
    return NULL;
}

void spmodel_result_free(spmodel_result *r)
{
    if (!r)
        return;
    for (int i = 0; i < SP_RESULT_FORMS; i++)
        free(r->text[i]);
    sp_record_free(&r->record);
    free(r);
}

static enum sp_status write_html(const struct sp_record *record, FILE *out)
{
    char gnuplot[1024];
    const struct sp_html_options options = {
        .tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)}};
    return sp_report_html(&record, 1, &options, out, NULL);
}

static enum sp_status write_form(const struct sp_record *record, enum spmodel_form form, FILE *out)
{
    struct sp_report_style style = {.utf8 = true, .verbosity = form == SPMODEL_FULL ? 1 : 0};
    struct sp_pen pen;
    switch (form) {
    case SPMODEL_VERDICT:
        sp_pen_open(&pen, &style, out);
        sp_section_verdict(&pen, record);
        return SP_OK;
    case SPMODEL_REPORT:
    case SPMODEL_FULL:
        sp_report_text(record, &style, out);
        return SP_OK;
    case SPMODEL_JSON:
        return sp_record_print(record, out, false, NULL);
    case SPMODEL_HTML:
        return write_html(record, out);
    }
    return SP_USAGE;
}

/* Numbers of the C locale, whatever the caller's is. */
static char *print_form(const struct sp_record *record, enum spmodel_form form)
{
    char *text = NULL;
    size_t size = 0;
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    FILE *out = c ? open_memstream(&text, &size) : NULL;
    if (!out) {
        if (c)
            freelocale(c);
        return NULL;
    }
    const locale_t before = uselocale(c);
    bool good = write_form(record, form, out) == SP_OK && !ferror(out);
    good = fclose(out) == 0 && good;
    uselocale(before);
    freelocale(c);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* Reports divide and compare what may be 0 or not known: without the caller's traps. */
static char *make_text(const struct sp_record *record, enum spmodel_form form)
{
    fenv_t arithmetic;
    fegetenv(&arithmetic);
    fesetenv(FE_DFL_ENV);
    char *text = print_form(record, form);
    fesetenv(&arithmetic);
    return text;
}

const char *spmodel_text(spmodel_result *r, enum spmodel_form form)
{
    if (!r || (int)form < 0 || (int)form >= SP_RESULT_FORMS)
        return NULL;
    if (!r->text[form] && (form == SPMODEL_JSON || is_of_a_run(&r->record)))
        r->text[form] = make_text(&r->record, form);
    return r->text[form];
}

/* The time that the model expects: model_fraction = t_model / t. */
static struct sp_value model_time(const struct sp_record *record)
{
    const struct sp_value t = sp_record_value(record, SP_F_METRICS_TIME);
    struct sp_value f = sp_record_value(record, SP_F_METRICS_MODEL_FRACTION);
    if (!sp_value_known(t) || !sp_value_known(f))
        return sp_value_known(t) ? f : t;
    return sp_value_of(f.value * t.value, SP_MODELLED);
}

static struct sp_value value_of(const struct sp_record *record, enum spmodel_number number)
{
    switch (number) {
    case SPMODEL_TIME_S:
        return sp_record_value(record, SP_F_METRICS_TIME);
    case SPMODEL_MODEL_TIME_S:
        return model_time(record);
    case SPMODEL_FLOP_S:
        return sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    case SPMODEL_BYTES_B:
        return sp_record_value(record, SP_F_METRICS_BYTES);
    case SPMODEL_BANDWIDTH_BPS:
        return sp_record_value(record, SP_F_METRICS_BANDWIDTH);
    case SPMODEL_ROOF_BPS:
        return sp_record_roof(record) ? sp_record_value_of(sp_record_roof(record))
                                      : sp_value_none("no roof belongs to it");
    case SPMODEL_FRACTION:
        return sp_record_value(record, SP_F_METRICS_BANDWIDTH_FRACTION);
    case SPMODEL_ALPHA:
        return sp_record_value(record, SP_F_METRICS_ALPHA);
    case SPMODEL_BALANCE_BPF:
        return sp_record_value(record, SP_F_METRICS_BALANCE);
    case SPMODEL_IMBALANCE:
        return sp_record_value(record, SP_F_METRICS_LAMBDA_T);
    }
    return sp_value_none("");
}

int spmodel_number(const spmodel_result *r, enum spmodel_number number, struct spmodel_value *out)
{
    if (!r || !out || out->size < sizeof *out || (int)number < 0 || number > SPMODEL_IMBALANCE)
        return SPMODEL_USAGE;
    fenv_t arithmetic;
    fegetenv(&arithmetic);
    fesetenv(FE_DFL_ENV); /* as in make_text() */
    const struct sp_value v = value_of(&r->record, number);
    fesetenv(&arithmetic);
    const bool known = sp_value_known(v);
    out->value = known ? v.value : NAN;
    out->lo = known ? v.lo : NAN;
    out->hi = known ? v.hi : NAN;
    out->origin = sp_origin_name(v.origin);
    out->why = known || !v.why ? "" : v.why;
    return SPMODEL_OK;
}

static void *give(void *context, size_t bytes)
{
    const struct sp_lender *l = context;
    return l->inner->alloc(l->inner->context, bytes);
}

static void take_back(void *context, void *p, size_t bytes)
{
    const struct sp_lender *l = context;
    for (int i = 0; i < 3; i++)
        if (p && p == l->lent[i])
            return;
    l->inner->free(l->inner->context, p, bytes);
}

static enum sp_status check_struct(const struct spmodel_matrix *v, struct sp_error *err)
{
    if (!v || v->size < sizeof *v)
        return sp_fail(err, SP_USAGE, "set size to sizeof(struct spmodel_matrix)", "no matrix was given");
    if (v->n_r < 0 || v->n_c < 0 || v->n_nz < 0 || v->n_r > SP_MAX_DIMENSION || v->n_c > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, NULL,
                       "a matrix of %" PRId64 " rows, %" PRId64 " columns, %" PRId64
                       " nonzeros cannot be used; rows and columns go up to %d",
                       v->n_r, v->n_c, v->n_nz, (int)SP_MAX_DIMENSION);
    if ((v->row_ptr_B != 4 && v->row_ptr_B != 8) || (v->col_B != 4 && v->col_B != 8))
        return sp_fail(err, SP_USAGE, "set row_ptr_B and col_B to 4 or 8",
                       "a row pointer of %d bytes, a column index of %d", (int)v->row_ptr_B, (int)v->col_B);
    if (v->base != 0 && v->base != 1)
        return sp_fail(err, SP_USAGE, "0 or 1", "row_ptr and col begin with %d", (int)v->base);
    if (v->type != SPMODEL_F64 && v->type != SPMODEL_F32 && v->type != SPMODEL_C128)
        return sp_fail(err, SP_USAGE, "take one of enum spmodel_type", "values of type %d are not known",
                       (int)v->type);
    if (!v->row_ptr || (v->n_nz > 0 && !v->col))
        return sp_fail(err, SP_USAGE, NULL, "row_ptr%s NULL", v->row_ptr ? " is there, but col is" : " is");
    return SP_OK;
}

static inline int64_t index_at(const void *array, int width_B, int64_t i)
{
    return width_B == 8 ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

/* Row pointers ascend from the base to n_nz, columns are there: else nothing may be read. */
static enum sp_status check_arrays(const struct spmodel_matrix *v, bool *is_canonical, struct sp_error *err)
{
    int64_t bad_row = INT64_MAX, bad_entry = INT64_MAX, n_unordered = 0;
#pragma omp parallel for reduction(min : bad_row)
    for (int64_t i = 0; i < v->n_r; i++) {
        const int64_t from = index_at(v->row_ptr, v->row_ptr_B, i) - v->base;
        const int64_t end = index_at(v->row_ptr, v->row_ptr_B, i + 1) - v->base;
        if ((from < 0 || from > end || end > v->n_nz) && i < bad_row)
            bad_row = i;
    }
    const int64_t first = index_at(v->row_ptr, v->row_ptr_B, 0) - v->base;
    const int64_t last = index_at(v->row_ptr, v->row_ptr_B, v->n_r) - v->base;
    if (bad_row < INT64_MAX)
        return sp_fail(
            err, SP_INPUT,
            "row_ptr ascends from the base (0 or 1) to the number of nonzeros; is base right, the width?",
            "row %" PRId64 " begins at entry %" PRId64 " and ends before %" PRId64 " of %" PRId64, bad_row,
            index_at(v->row_ptr, v->row_ptr_B, bad_row) - v->base,
            index_at(v->row_ptr, v->row_ptr_B, bad_row + 1) - v->base, v->n_nz);
    if (first != 0 || last != v->n_nz)
        return sp_fail(err, SP_INPUT, "is the base right (0 or 1), the width (4 or 8)?",
                       "row_ptr goes from %" PRId64 " to %" PRId64 ", and there are %" PRId64 " nonzeros",
                       first + v->base, last + v->base, v->n_nz);
#pragma omp parallel for reduction(min : bad_entry) reduction(+ : n_unordered)
    for (int64_t i = 0; i < v->n_r; i++) {
        const int64_t end = index_at(v->row_ptr, v->row_ptr_B, i + 1) - v->base;
        int64_t before = -1;
        for (int64_t k = index_at(v->row_ptr, v->row_ptr_B, i) - v->base; k < end; k++) {
            const int64_t j = index_at(v->col, v->col_B, k) - v->base;
            if ((j < 0 || j >= v->n_c) && k < bad_entry)
                bad_entry = k;
            n_unordered += j <= before;
            before = j;
        }
    }
    if (bad_entry < INT64_MAX)
        return sp_fail(err, SP_INPUT, "is the base right (0 or 1), the width (4 or 8)?",
                       "entry %" PRId64 " is in column %" PRId64 " of %" PRId64, bad_entry,
                       index_at(v->col, v->col_B, bad_entry), v->n_c);
    *is_canonical = n_unordered == 0;
    return SP_OK;
}

/* Each array is lent, or made. */
static enum sp_status take_arrays(const struct spmodel_matrix *v, bool copy, struct sp_lender *l,
                                  struct sp_csr *a, struct sp_error *err)
{
    const struct sp_allocator *own = &l->allocator;
    const int parts = v->values && v->type == SPMODEL_C128 ? 2 : 1;
    const bool lend_ptr = !copy && v->row_ptr_B == 8 && v->base == 0,
               lend_col = !copy && v->base == 0 && v->n_nz > 0, wide = lend_col && v->col_B == 8,
               narrow = !copy && v->values && v->type == SPMODEL_F32 && v->n_nz > 0,
               lend_val = !copy && v->values && v->n_nz > 0;
    enum sp_status status = SP_OK;
    void *p[3] = {(void *)v->row_ptr, (void *)v->col, (void *)v->values};
    l->lent[0] = lend_ptr ? v->row_ptr : NULL;
    l->lent[1] = lend_col ? v->col : NULL;
    l->lent[2] = lend_val ? v->values : NULL;
    if (!lend_ptr)
        status = sp_large_alloc(own, v->n_r + 1, sizeof *a->row_ptr, "row pointers", &p[0], err);
    a->row_ptr = status == SP_OK ? p[0] : NULL;
    if (status == SP_OK && !lend_col)
        status = sp_large_alloc(own, v->n_nz, sizeof *a->col, "column indices", &p[1], err);
    a->col = status == SP_OK && !wide ? p[1] : NULL;
    a->col_64 = wide ? v->col : NULL;
    if (status == SP_OK && !lend_val)
        status = sp_large_alloc(own, parts * v->n_nz, sizeof *a->val, "values", &p[2], err);
    a->val = status == SP_OK && !narrow ? p[2] : NULL;
    a->val_f32 = narrow ? v->values : NULL;
    if (status != SP_OK) {
        sp_large_free(own, a->col, v->n_nz, sizeof *a->col);
        sp_large_free(own, a->row_ptr, v->n_r + 1, sizeof *a->row_ptr);
        memset(a, 0, sizeof *a);
        return status;
    }
    if (!lend_ptr)
#pragma omp parallel for
        for (int64_t i = 0; i <= v->n_r; i++)
            a->row_ptr[i] = index_at(v->row_ptr, v->row_ptr_B, i) - v->base;
    if (!lend_col)
#pragma omp parallel for
        for (int64_t k = 0; k < v->n_nz; k++)
            a->col[k] = (int32_t)(index_at(v->col, v->col_B, k) - v->base);
    if (!lend_val)
#pragma omp parallel for
        for (int64_t k = 0; k < parts * v->n_nz; k++)
            a->val[k] = !v->values               ? 1
                        : v->type == SPMODEL_F32 ? (double)((const float *)v->values)[k]
                                                 : ((const double *)v->values)[k];
    return SP_OK;
}

static int64_t count_zeros(const struct sp_csr *a)
{
    const int parts = sp_csr_is_complex(a) ? 2 : 1;
    int64_t n = 0;
#pragma omp parallel for reduction(+ : n)
    for (int64_t k = 0; k < a->n_nz; k++)
        n += sp_csr_number(a, parts * k) == 0 && sp_csr_number(a, parts * k + parts - 1) == 0;
    return n;
}

/* What a file's header would say: the symmetry, where its entries have it. */
static enum sp_status find_symmetry(struct sp_csr *a, struct sp_error *err)
{
    bool holds = false;
    if (a->n_r != a->n_c)
        return SP_OK;
    a->symmetry = SP_SYMMETRIC;
    const enum sp_status status = sp_csr_symmetry_holds(a, &holds, err);
    if (!holds)
        a->symmetry = SP_GENERAL;
    return status;
}

static const char *type_name(const struct spmodel_matrix *v)
{
    return !v->values ? "pattern" : v->type == SPMODEL_F32 ? "f32" : v->type == SPMODEL_C128 ? "c128" : "f64";
}

enum sp_status sp_view_open(const struct spmodel_matrix *v, const struct sp_load_options *load,
                            struct sp_lender *l, struct sp_csr *a, struct sp_load_facts *facts,
                            struct sp_error *err)
{
    const double start = sp_now();
    bool is_canonical = true;
    memset(a, 0, sizeof *a);
    memset(facts, 0, sizeof *facts);
    *l = (struct sp_lender){.inner = load->allocator ? load->allocator : &sp_allocator_plain};
    l->allocator = (struct sp_allocator){give, take_back, l};
    enum sp_status status = check_struct(v, err);
    if (status == SP_OK)
        status = check_arrays(v, &is_canonical, err);
    if (status != SP_OK)
        return status;
    const enum sp_field field = !v->values                ? SP_FIELD_PATTERN
                                : v->type == SPMODEL_C128 ? SP_FIELD_COMPLEX
                                                          : SP_FIELD_REAL;
    const struct sp_load_size size = {.n_r = v->n_r, .n_c = v->n_c, .n_nz = v->n_nz, .field = field};
    const char *name = v->name && *v->name ? v->name : "matrix";
    status = sp_load_check_memory(name, load, &size, 0, "the matrix", err);
    if (status == SP_OK)
        status = take_arrays(v, !is_canonical, l, a, err);
    if (status != SP_OK)
        return status;
    a->n_r = v->n_r;
    a->n_c = v->n_c;
    a->n_nz = v->n_nz;
    a->field = field;
    a->allocator = &l->allocator;
    if (!is_canonical)
        status = sp_csr_make_canonical(a, load->n_threads, err);
    if (status == SP_OK && a->n_duplicates > 0 && field == SP_FIELD_PATTERN)
        a->field = sp_csr_plainest_field(a);
    a->n_zeros = status == SP_OK ? count_zeros(a) : 0;
    facts->n_entries = v->n_nz;
    facts->n_duplicates = a->n_duplicates;
    facts->n_zeros = a->n_zeros;
    if (status == SP_OK && load->drop_zeros)
        status = sp_csr_drop_zeros(a, &facts->n_dropped, err);
    if (status == SP_OK)
        status = find_symmetry(a, err);
    if (status == SP_OK)
        status = sp_csr_digest(a, load->n_threads, facts->sha256, err);
    if (status != SP_OK) {
        sp_csr_free(a);
        return status;
    }
    sp_visible(name, facts->name, sizeof facts->name);
    snprintf(facts->format, sizeof facts->format, "in memory: row pointers of %d bytes, columns of %d, %s",
             (int)v->row_ptr_B, (int)v->col_B, type_name(v));
    facts->n_threads = load->n_threads;
    facts->total_s = sp_now() - start;
    return SP_OK;
}
