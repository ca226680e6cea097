/* Each formula of model/formulas against all else that computes the same: the evaluator of its text, formulas
 * of which it is a case, the sum of its arrays, layouts, whose arrays are counted, and the model's C. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/formula.h"
#include "base/hash.h"
#include "model/cache/alpha.h"
#include "model/cache/capacity.h"
#include "model/ecm.h"
#include "model/formats/format.h"
#include "model/formulas/formulas.h"
#include "model/gather.h"
#include "model/hints/gain.h"
#include "model/losses.h"
#include "model/roofline.h"
#include "model/unit_costs.h"
#include "model/volume/volume.h"
#include "require.h"
#include "run_suite.h"
#include "small_matrices.h"
#include "sparse/formats/format.h"
#include "sparse/formats/format_ids.h"
#include "sparse/generate/generate.h"
#include "tried_formats.h"
#include "volume_cases.h"

enum { N_INPUTS = 2000 };

static double *symbol_at(struct sp_symbols *s, const struct sp_symbol_row *row)
{
    return (double *)(void *)((char *)s + row->offset);
}

static const struct sp_symbol_row *symbol_row(const char *name)
{
    const struct sp_symbol_row *row = sp_symbol_table;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    ck_assert_msg(row->name != NULL, "no symbol %s", name);
    return row;
}

static const struct sp_formula_row *formula_row(const char *name)
{
    const struct sp_formula_row *row = sp_formula_table;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    ck_assert_msg(row->name != NULL, "no formula %s", name);
    return row;
}

static bool among(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (; list; list = strchr(list, ' ') ? strchr(list, ' ') + 1 : NULL)
        if (strncmp(list, word, n) == 0 && (list[n] == ' ' || !list[n]))
            return true;
    return false;
}

static bool holds(const struct sp_formula_row *f, const char *op, const char *format)
{
    return (!f->ops || among(f->ops, op)) && (!f->formats || among(f->formats, format));
}

static void same(const char *what, double x, double y, double tolerance)
{
    require_msg(fabs(x - y) <= tolerance * fmax(fabs(x), fabs(y)), "%s: %.17g and %.17g", what, x, y);
}

/* Between 1 and 1000 each, shares between 0 and 1, some of them equal and whole numbers, as counts are. */
static struct sp_symbols any_symbols(struct sp_random *dice)
{
    struct sp_symbols s;
    for (const struct sp_symbol_row *row = sp_symbol_table; row->name; row++) {
        const double x = exp(log(1000) * sp_random_unit(dice));
        *symbol_at(&s, row) = sp_random_below(dice, 3) > 0 ? ceil(x) : x;
    }
    s.beta = 1 - 0.9 * sp_random_unit(dice);
    s.sorted = sp_random_below(dice, 2);
    s.u = sp_random_unit(dice);
    s.f = sp_random_unit(dice);
    s.h = sp_random_unit(dice);
    s.w_k = sp_random_unit(dice);
    s.omega = sp_random_unit(dice);
    s.w = 1 + sp_random_unit(dice);
    s.alpha = 4 * sp_random_unit(dice);
    return s;
}

static enum sp_status value_of(void *context, const char *name, struct sp_quantity *out, struct sp_error *err)
{
    (void)err;
    const double x = *symbol_at(context, symbol_row(name));
    *out = (struct sp_quantity){x, x, x};
    return SP_OK;
}

/* "s", "B/s", "1". */
static int power_of_time(const char *unit)
{
    const size_t n = strlen(unit);
    return strcmp(unit, "s") == 0 ? 1 : n > 2 && strcmp(unit + n - 2, "/s") == 0 ? -1 : 0;
}

START_TEST(functions_are_the_texts)
{
    struct sp_random dice = {11};
    for (const struct sp_formula_row *f = sp_formula_table; f->name; f++)
        for (int i = 0; i < N_INPUTS; i++) {
            struct sp_symbols s = any_symbols(&dice);
            const struct sp_formula_source source = {value_of, NULL, &s};
            struct sp_quantity x;
            struct sp_error err;
            require_msg(sp_formula_evaluate(f->text, &source, &x, &err) == SP_OK, "%s: %s", f->name,
                        err.what);
            same(f->name, f->of(&s), x.value, 1e-12);
        }
}
END_TEST

/* In units of a seventh of a second times are seven times as long and rates a seventh: so are results. */
START_TEST(units_of_time_agree)
{
    static const double scale = 7;
    struct sp_random dice = {10};
    int n = 0;
    for (const struct sp_formula_row *f = sp_formula_table; f->name; f++)
        for (int i = 0; i < N_INPUTS; i++) {
            struct sp_symbols s = any_symbols(&dice), scaled = s;
            for (const struct sp_symbol_row *row = sp_symbol_table; row->name; row++)
                *symbol_at(&scaled, row) *= power_of_time(row->unit) < 0   ? 1 / scale
                                            : power_of_time(row->unit) > 0 ? scale
                                                                           : 1;
            const double power = power_of_time(f->unit);
            require(fabs(f->of(&scaled) - f->of(&s) * pow(scale, power)) <=
                    1e-9 * (1 + fabs(f->of(&s)) * scale));
            n += power != 0;
        }
    ck_assert_int_ge(n, 20 * N_INPUTS);
}
END_TEST

/* "balance_crs s_a=8 s_x=8": a formula that has these numbers put in. */
START_TEST(cases_are_cases)
{
    struct sp_random dice = {12};
    int n = 0;
    for (const struct sp_formula_row *f = sp_formula_table; f->name; f++) {
        char text[200], *rest = NULL;
        if (!f->special)
            continue;
        snprintf(text, sizeof text, "%s", f->special);
        const struct sp_formula_row *of = formula_row(strtok_r(text, " ", &rest));
        const char *numbers[16];
        int n_numbers = 0;
        for (const char *word; (word = strtok_r(NULL, " ", &rest));)
            numbers[n_numbers++] = word;
        for (int i = 0; i < N_INPUTS; i++) {
            struct sp_symbols s = any_symbols(&dice);
            for (int k = 0; k < n_numbers; k++) {
                char name[40];
                snprintf(name, sizeof name, "%.*s", (int)strcspn(numbers[k], "="), numbers[k]);
                *symbol_at(&s, symbol_row(name)) = strtod(strchr(numbers[k], '=') + 1, NULL);
            }
            same(f->name, f->of(&s), of->of(&s), 1e-12);
        }
        n++;
    }
    ck_assert_int_ge(n, 5);
}
END_TEST

/* What to do where there is none, or more than one. */
#define ONE_FORMULA                                                                                          \
    "exactly one formula of model/formulas with `family: %s` must have %s in its `ops:` and %s in its "      \
    "`formats:` "                                                                                            \
    "(or lack that line)"

/* Of every operation and format with a formula of V: the sum of its arrays; of V by the matrix, too. */
START_TEST(volumes_are_the_sums_of_their_arrays)
{
    static const char *const ops[] = {"spmv", "spmmv", "spmm", "sddmm", "fusedmm"};
    struct sp_random dice = {13};
    for (const struct sp_formula_row *V = sp_formula_table; V->name; V++)
        for (int op = 0; op < 5; op++) {
            if (!V->family || strcmp(V->family, "V") != 0 || !holds(V, ops[op], V->formats))
                continue;
            for (int i = 0; i < N_INPUTS; i++) {
                struct sp_symbols s = any_symbols(&dice);
                if (op == 0)
                    s.r = 1;
                else
                    s.s_b = 0; /* 16-bit offsets are of SpMV alone */
                double sum = 0;
                for (const struct sp_formula_row *f = sp_formula_table; f->name; f++)
                    if (f->array && holds(f, ops[op], V->formats))
                        sum += f->of(&s);
                require_msg(fabs(V->of(&s) - sum) <= 1e-12 * fabs(sum),
                            "%s with %s in %s is %.17g, its arrays are %.17g: in model/formulas/volume.txt "
                            "either it is "
                            "wrong, or `ops:` or `formats:` of a formula with `array:` lacks (or has) them",
                            V->name, ops[op], V->formats ? V->formats : "any format", V->of(&s), sum);
            }
        }
}
END_TEST

/* Each operation and format of the table has one of V and one of W. */
START_TEST(every_format_has_a_volume)
{
    for (int i = 0; i < sp_n_formats; i++)
        for (int op = 0; op < SP_N_OPS; op++) {
            const struct sp_format_kind *kind = sp_format_kinds[i];
            int n_V = 0, n_W = 0;
            for (const struct sp_formula_row *f = sp_formula_table; f->name; f++)
                if (f->family && holds(f, sp_op_name((enum sp_op)op), kind->name)) {
                    n_V += strcmp(f->family, "V") == 0;
                    n_W += strcmp(f->family, "W") == 0;
                }
            if (!(kind->ops & 1u << op))
                continue;
            ck_assert_msg(n_V == 1, "%s in %s has %d formulas of V: " ONE_FORMULA, sp_op_name((enum sp_op)op),
                          kind->name, n_V, "V", sp_op_name((enum sp_op)op), kind->name);
            ck_assert_msg(n_W == 1, "%s in %s has %d formulas of W: " ONE_FORMULA, sp_op_name((enum sp_op)op),
                          kind->name, n_W, "W", sp_op_name((enum sp_op)op), kind->name);
        }
}
END_TEST

/* What records have of a layout; 0: its format has none. */
static double fact_of(const struct sp_layout *l, const char *name)
{
    struct sp_layout_fact fact[SP_LAYOUT_FACTS] = {{.name = NULL}};
    if (sp_format_of(l->format)->facts)
        sp_format_of(l->format)->facts(l, fact);
    for (const struct sp_layout_fact *f = fact; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return (double)f->count;
    return 0;
}

static struct sp_symbols symbols_of(const struct sp_layout *l, int n_threads, double alpha, double w)
{
    return (struct sp_symbols){.n_r = (double)l->n_r,
                               .n_c = (double)l->n_c,
                               .n_nz = (double)l->n_nz,
                               .n_r_used = (double)l->n_r_used,
                               .r = l->r,
                               .n = n_threads,
                               .s_a = (double)l->s_a,
                               .s_x = (double)l->s_x,
                               .s_y = (double)l->s_y,
                               .s_i = (double)l->s_i,
                               .s_p = (double)l->s_p,
                               .s_b = (double)sp_base_size(l->index),
                               .beta = sp_layout_beta(l),
                               .C = l->C,
                               .sorted = l->perm != NULL,
                               .u = l->n_slots > 0 ? (double)l->n_unit_slots / (double)l->n_slots : 0,
                               .n_index = (double)l->n_indices,
                               .b_h = l->b_h,
                               .b_w = l->b_w,
                               .n_h = (double)l->n_stored,
                               .n_stored = (double)l->n_stored,
                               .n_C = fact_of(l, "cells"),
                               .L_y = fact_of(l, "updated_lines"),
                               .n_b = fact_of(l, "blocks"),
                               .n_k = fact_of(l, "chunks"),
                               .n_l = fact_of(l, "listed"),
                               .m_l = fact_of(l, "most_listed"),
                               .T_i = l->T_i,
                               .T_k = l->T_k,
                               .f_e = sp_flops_per_entry(l->precision),
                               .W_h = fact_of(l, "window_rows"),
                               .c = fact_of(l, "phased") > 0 ? 2 : 5,
                               .alpha = alpha,
                               .w = w};
}

static const char *const array_names[SP_N_ARRAYS] = {[SP_ARRAY_VALUES] = "values",
                                                     [SP_ARRAY_INDICES] = "indices",
                                                     [SP_ARRAY_POINTERS] = "pointers",
                                                     [SP_ARRAY_PERM] = "permutation",
                                                     [SP_ARRAY_X] = "x",
                                                     [SP_ARRAY_ROWS] = "rows",
                                                     [SP_ARRAY_Y] = "y",
                                                     [SP_ARRAY_OTHER] = "other"};

/* Each array of this layout, V, operations and w. */
static void check_layout(const struct sp_workload *w, const struct sp_layout *l, const char *what)
{
    const char *op = sp_op_name(l->op), *format = sp_format_name(l->format);
    const struct sp_symbols s = symbols_of(l, w->n_threads, 0.75, 1.5);
    const struct sp_volume v = sp_volume_layout(l, s.alpha, s.w);
    char text[200];
    int n_V = 0, n_W = 0;
    for (int a = 0; a < SP_N_ARRAYS; a++) {
        double sum = 0;
        for (const struct sp_formula_row *f = sp_formula_table; f->name; f++)
            if (f->array && strcmp(f->array, array_names[a]) == 0 && holds(f, op, format))
                sum += f->of(&s);
        snprintf(text, sizeof text, "%s, %s", what, array_names[a]);
        require_msg(fabs(sum - v.array_B[a]) <= 1e-13 * fmax(fabs(sum), v.array_B[a]),
                    "%s: the formulas of model/formulas/volume.txt with `array: %s` whose `ops:` and "
                    "`formats:` have %s and "
                    "%s make %.17g B, sp_volume_layout() %.17g: correct one, or name the format there",
                    text, array_names[a], op, format, sum, v.array_B[a]);
        if (a != SP_ARRAY_X && a != SP_ARRAY_Y && a != SP_ARRAY_OTHER)
            same(text, sum, sp_layout_array_bytes(l, (enum sp_array)a), 1e-13);
    }
    for (const struct sp_formula_row *f = sp_formula_table; f->name; f++) {
        const bool is_V = f->family && strcmp(f->family, "V") == 0;
        const bool is_W = f->family && strcmp(f->family, "W") == 0;
        if ((!is_V && !is_W) || !holds(f, op, format))
            continue;
        snprintf(text, sizeof text, "%s, %s", what, f->name);
        same(text, f->of(&s), is_V ? v.total_B : sp_workload_flops(w), 1e-12);
        n_V += is_V;
        n_W += is_W;
    }
    ck_assert_msg(n_V == 1 && n_W == 1, "%s has %d formulas of V and %d of W: " ONE_FORMULA, what, n_V, n_W,
                  n_V == 1 ? "W" : "V", op, format);
    if (l->format == SP_FORMAT_HALF)
        same(what, sp_layout_w(l, s.alpha, 0), sp_formula_w_half(&s), 1e-12);
    if (l->format == SP_FORMAT_STRIPED)
        same(what, sp_layout_w(l, s.alpha, 0), sp_formula_w_striped(&s), 1e-12);
    if (l->format == SP_FORMAT_SELLU) /* where bases of whole slots are counted */
        same(what, sp_formula_V_units(&s), sp_formula_V_sellu(&s), 1e-12);
    if (l->format == SP_FORMAT_BCSR)
        same(what, sp_formula_n_e(&s), (double)l->n_indices, 1e-12);
}

static const int widths[] = {1, 3, 8, 40};
static const int row_ptr_B[] = {0, 4, 8};

static int n_layouts;

static void check_workload(struct sp_workload *w, const char *format, int matrix)
{
    struct sp_layout l;
    char what[120];
    ck_assert_msg(sp_workload_set_format(w, format, NULL) == SP_OK, "no format %s", format);
    if (sp_workload_check(w, NULL) != SP_OK || sp_layout_make(w, false, NULL, &l, NULL) != SP_OK)
        return;
    snprintf(what, sizeof what, "matrix %d, %s in %s, %s, %s, r = %d, row_ptr %d", matrix, sp_op_name(w->op),
             format, sp_precision_name(w->precision), sp_index_name(w->index), w->r, w->row_ptr_B);
    check_layout(w, &l, what);
    sp_layout_free(&l);
    n_layouts++;
}

/* All formats, operations, precisions, indices, widths of pointers and of operands that go together. */
static void check_matrix(const struct sp_csr *a, int matrix)
{
    const char *formats[MOST_TRIED_FORMATS];
    const int n_formats = tried_formats(SP_N_OPS, formats);
    for (int op = 0; op < SP_N_OPS; op++)
        for (int f = 0; f < n_formats; f++)
            for (int precision = 0; precision < SP_N_PRECISIONS; precision++)
                for (int index = 0; index < SP_N_INDICES; index++)
                    for (int p = 0; p < 3; p++)
                        for (int r = 0; r < 4; r++) {
                            struct sp_workload w = {.op = (enum sp_op)op,
                                                    .precision = (enum sp_precision)precision,
                                                    .index = (enum sp_index)index,
                                                    .row_ptr_B = row_ptr_B[p],
                                                    .schedule = SP_SCHEDULE_NNZ,
                                                    .n_threads = 3,
                                                    .r = widths[r],
                                                    .matrix = a};
                            if ((op == SP_OP_SPMV) == (r == 0))
                                check_workload(&w, formats[f], matrix);
                        }
}

START_TEST(layouts_store_what_formulas_say)
{
    static const char *const made[] = {"laplace3d:7", "random:300:6", "laplace3d:7+permuted:3", "band:90:5"};
    n_layouts = 0;
    for (int m = 0; m < N_SMALL_MATRICES; m++) {
        struct sp_csr a = small_matrix((enum small_matrix)m);
        if (a.n_nz > 0)
            check_matrix(&a, m);
        sp_csr_free(&a);
    }
    for (int m = 0; m < 4; m++) {
        struct sp_csr a;
        struct sp_error err;
        ck_assert_msg(sp_generate(made[m], NULL, &a, &err) == SP_OK, "%s", err.what);
        check_matrix(&a, N_SMALL_MATRICES + m);
        sp_csr_free(&a);
    }
    ck_assert_int_ge(n_layouts, 10000);
}
END_TEST

static struct sp_sizes sizes_of(const struct sp_symbols *s)
{
    return (struct sp_sizes){
        .s_a = s->s_a, .s_x = s->s_x, .s_y = s->s_y, .s_i = s->s_i, .s_p = s->s_p, .s_b = s->s_b};
}

/* Volumes from sizes alone. */
START_TEST(volumes_are_those_of_the_model)
{
    struct sp_random dice = {14};
    for (int i = 0; i < N_INPUTS; i++) {
        struct sp_symbols s = any_symbols(&dice);
        s.n_r = ceil(s.n_r), s.n_c = ceil(s.n_c), s.n_nz = ceil(s.n_nz), s.C = ceil(s.C), s.r = ceil(s.r);
        s.b_h = ceil(s.b_h), s.b_w = ceil(s.b_w), s.n_b = ceil(s.n_b);
        s.n_r_used = fmin(s.n_r, ceil(s.n_r_used)), s.n_c_used = fmin(s.n_c, ceil(s.n_c_used));
        const int64_t n_r = (int64_t)s.n_r, n_nz = (int64_t)s.n_nz, r = (int64_t)s.r;
        const int32_t C = (int32_t)s.C;
        const struct sp_sizes of = sizes_of(&s);
        struct sp_volume v = sp_volume_spmmv(sp_volume_spmv_csr(n_r, n_nz, of, s.alpha, s.w), r);
        same("V_crs", sp_formula_V_crs(&s), v.total_B, 1e-12);
        same("M_crs", sp_formula_M_crs(&s), sp_volume_matrix_B(&v), 1e-12);
        v = sp_volume_spmmv(sp_volume_spmv_sell(n_r, n_nz, C, s.beta, of, s.sorted > 0, s.alpha, s.w), r);
        same("V_sell", sp_formula_V_sell(&s), v.total_B, 1e-12);
        struct sp_sizes plain = of; /* its pointers are two of SELL's, its slots have no bases */
        plain.s_b = 0;
        v = sp_volume_spmmv(
            sp_volume_spmv_sellu(n_r, n_nz, C, s.beta, s.u, plain, s.sorted > 0, s.alpha, s.w), r);
        same("V_units", sp_formula_V_units(&s), v.total_B, 1e-12);
        struct sp_symbols blocks = s;
        blocks.beta = sp_bcsr_beta(n_nz, (int64_t)s.n_b, (int32_t)s.b_h, (int32_t)s.b_w);
        same("beta_of_blocks", sp_formula_beta_of_blocks(&s), blocks.beta, 1e-12);
        v = sp_volume_bcsr(n_r, n_nz, (int64_t)s.n_b, (int32_t)s.b_h, (int32_t)s.b_w, r, of, s.alpha, s.w);
        same("V_bcsr", sp_formula_V_bcsr(&blocks), v.total_B, 1e-12);
        v = sp_volume_spmv_half(n_r, n_nz, of, s.n_r / s.n_nz, s.n_r / s.n_nz);
        same("V_triangle", sp_formula_V_triangle(&s), v.total_B, 1e-12);
        const struct sp_dense_case c = {.n_r = n_r,
                                        .n_c = (int64_t)s.n_c,
                                        .n_nz = n_nz,
                                        .n_r_used = (int64_t)s.n_r_used,
                                        .n_c_used = (int64_t)s.n_c_used,
                                        .r = r};
        same("spmm", sp_formula_compulsory_spmm(&s), sp_volume_spmm(c, of, s.w).total_B, 1e-12);
        same("sddmm", sp_formula_compulsory_sddmm(&s), sp_volume_sddmm(c, of, true, s.w).total_B, 1e-12);
        same("fusedmm", sp_formula_compulsory_fusedmm(&s), sp_volume_fusedmm(c, of, s.w).total_B, 1e-12);
        v = sp_volume_spmmv(sp_volume_spmv_csr(n_r, n_nz, of, s.alpha, s.w), r);
        s.V_min = v.total_B;
        same("cold", sp_formula_least_cold(&s), sp_volume_floor(&v, false, 0), 1e-12);
        same("warm", sp_formula_least_warm(&s), sp_volume_floor(&v, true, s.n_d * s.Z), 1e-12);
        same("alpha_max", sp_formula_alpha_max(&s), sp_alpha_max(r, s.s_x, s.line), 1e-12);
        /* Large matrices: the last row pointer is all that differs. */
        s.W = sp_formula_W_products(&s);
        s.n_nzr = s.n_nz / s.n_r;
        s.s_b = 0;
        same("B_of_r", sp_formula_B_of_r(&s), sp_formula_balance_crs(&s), 1e-12);
        same("B_crs", sp_formula_B_crs(&s), (sp_formula_V_crs(&s) - s.s_p) / s.W, 1e-12);
        same("I", sp_formula_I_uncached(&s), sp_formula_I_of_rows(&s), 1e-12);
        struct sp_symbols none = s;
        none.s_a = none.s_i = none.s_p = 0;
        same("B_limit", sp_formula_B_limit(&s), sp_formula_B_of_r(&none), 1e-12);
        /* alpha of the bytes that alpha makes. */
        s.V_x = s.alpha * s.s_x * s.n_nz * s.r;
        same("alpha", sp_formula_alpha_of_bytes(&s), s.alpha, 1e-12);
        s.r = 1;
        s.V_read = sp_formula_V_crs(&s) - s.s_y * s.n_r;
        ck_assert_double_eq_tol(sp_formula_alpha_counted(&s), s.alpha,
                                1e-12 * s.V_read / (s.s_x * s.n_nz) + 1e-12);
    }
}
END_TEST

static struct sp_value number(double x)
{
    return sp_value_of(x, SP_MEASURED);
}

START_TEST(roofs_are_those_of_the_model)
{
    struct sp_random dice = {15};
    for (int i = 0; i < N_INPUTS; i++) {
        struct sp_symbols s = any_symbols(&dice);
        const struct sp_roof_term terms[] = {{"transfers", number(s.V), number(s.b_S)},
                                             {"execution", number(s.W), number(s.P_core)}};
        const struct sp_roofline roof = sp_roofline(s.W, terms, 2);
        same("roof", sp_formula_roof(&s), roof.performance.value, 1e-12);
        same("t_roof", sp_formula_t_roof(&s), roof.time_s.value, 1e-12);
        s.V_min = s.V;
        same("possible", sp_formula_possible(&s), roof.performance.value, 1e-12);
        same("model_fraction", sp_formula_model_fraction(&s) * s.t, roof.time_s.value, 1e-12);
        s.T_V = s.V / s.b_S, s.T_W = s.W / s.P_core;
        same("t_by_terms", sp_formula_t_by_terms(&s), sp_formula_t_by_parts(&s), 1e-12);
        /* Equal shares on one domain. */
        double bytes[7];
        s.n = 1 + (double)sp_random_below(&dice, 7);
        for (int k = 0; k < 7; k++)
            bytes[k] = s.V;
        const struct sp_fluid fluid =
            sp_fluid_model((int)s.n, bytes, 1, NULL, (struct sp_fluid_rates){s.b_1, s.b_S}, NULL);
        same("fluid_rate", s.V / sp_formula_fluid_rate(&s), fluid.time_s, 1e-12);
        const struct sp_kept kept = {.cache = 1, .fetched = number(1 - s.h)};
        const struct sp_value rate[] = {number(s.b_in), number(s.b_out)};
        same("T_kept", sp_formula_T_kept(&s), sp_kept_transfers_s(&kept, number(s.V), rate).value, 1e-12);
        const struct sp_unit_time units = {.time_s = number(s.T_core), .surprise_s = number(s.T_ends)};
        const struct sp_own_transfers own = {number(s.T_own), number(s.T_own_mem), number(s.f)};
        s.T_in = sp_formula_T_execution(&s);
        same("T_expected", sp_formula_T_expected(&s),
             sp_expected_time(&units, number(s.T_transfers), number(s.T_beyond), &own).value, 1e-12);
    }
}
END_TEST

START_TEST(losses_are_those_of_the_model)
{
    struct sp_random dice = {16};
    for (int i = 0; i < N_INPUTS; i++) {
        struct sp_symbols s = any_symbols(&dice);
        const double x_once_B = s.alpha_min * s.s_x * s.n_nz * s.r, x_B = s.alpha * s.s_x * s.n_nz * s.r,
                     fill_B = sp_formula_padding(&s) * s.b_S;
        const struct sp_loss_inputs in = {.time_s = number(s.t),
                                          .roof_Bps = number(s.b_S),
                                          .min_B = s.V,
                                          .padding_B = fill_B,
                                          .x_B = number(x_B),
                                          .x_once_B = x_once_B,
                                          .imbalance_s = number(s.imbalance),
                                          .core_s = number(s.core),
                                          .gathers_s = sp_value_none("not modelled"),
                                          .team_s = number(s.team),
                                          .linear_s = number(s.t + s.core + s.team),
                                          .sorted_s = sp_value_none("not run"),
                                          .level = "MEM"};
        const struct sp_losses l = sp_losses_of(&in);
        s.padding = l.part[SP_LOSS_PADDING].value;
        s.extra_x_domains = 0;
        s.V_min = s.V + fill_B;
        ck_assert_double_eq_tol(sp_formula_min_traffic(&s), l.part[SP_LOSS_MIN_TRAFFIC].value,
                                1e-12 * s.V_min / s.b_S);
        ck_assert_double_eq_tol(sp_formula_extra_x(&s), l.part[SP_LOSS_EXTRA_X].value,
                                1e-12 * (x_B + x_once_B) / s.b_S);
        s.min_traffic = l.part[SP_LOSS_MIN_TRAFFIC].value;
        s.extra_x = l.part[SP_LOSS_EXTRA_X].value;
        s.core = l.core.value;
        s.row_ends = 0;
        s.waiting = sp_value_known(l.waiting) ? l.waiting.value : 0;
        s.in_core = l.part[SP_LOSS_IN_CORE].value;
        s.rest = l.part[SP_LOSS_REST].value;
        const double size =
            s.t + s.core + s.min_traffic + s.padding + s.extra_x + s.imbalance + s.in_core + s.team;
        ck_assert_double_eq_tol(sp_formula_in_core(&s), s.in_core, 1e-12 * size);
        ck_assert_double_eq_tol(sp_formula_rest(&s), s.rest, 1e-12 * size);
        ck_assert_double_eq_tol(sp_formula_sum_of_losses(&s), s.t, 1e-12 * size);
    }
}
END_TEST

/* Two levels of caches or three. */
START_TEST(ecm_is_that_of_the_model)
{
    struct sp_random dice = {17};
    for (int i = 0; i < N_INPUTS; i++) {
        struct sp_symbols s = any_symbols(&dice);
        const bool three = i % 2;
        double *const T[] = {&s.T_L1L2, three ? &s.T_L2L3 : &s.T_L2Mem, &s.T_L3Mem};
        s.n = 2 + (double)sp_random_below(&dice, 9);
        struct sp_ecm_inputs in = {.core_s = number(s.T_OL),
                                   .load_s = number(s.T_nOL),
                                   .n_transfers = three ? 3 : 2,
                                   .overlap = number(s.f),
                                   .error = sp_value_none("stated"),
                                   .n_threads = (int)s.n};
        for (int k = 0; k < in.n_transfers; k++) {
            const struct sp_symbols other = any_symbols(&dice);
            const double all_Bps = other.b_k * (1 + sp_random_unit(&dice) * s.n);
            in.transfer[k] = (struct sp_ecm_transfer){.read_B = number(other.in_k),
                                                      .write_B = number(other.out_k),
                                                      .one_Bps = number(other.b_k),
                                                      .write_weight = number(other.w_k),
                                                      .shared = k == in.n_transfers - 1,
                                                      .all_Bps = number(all_Bps)};
            *T[k] = sp_formula_T_k(&other);
            s.T_shared = s.T_mem = (other.in_k + other.out_k) / all_Bps;
        }
        const struct sp_ecm_times t = sp_ecm_of(&in);
        for (int k = 0; k < in.n_transfers; k++)
            same("T_k", *T[k], t.transfer_s[k].value, 1e-12);
        s.T_none = three ? sp_formula_T_none(&s) : sp_formula_T_none_2(&s);
        s.T_full = three ? sp_formula_T_full(&s) : sp_formula_T_full_2(&s);
        same("T_none", s.T_none, t.none_s.value, 1e-12);
        same("T_full", s.T_full, t.all_s.value, 1e-12);
        s.T_1 = sp_formula_T_1(&s);
        same("T_1", s.T_1, t.one_s.value, 1e-12);
        same("T_n", sp_formula_T_n(&s), t.time_s.value, 1e-12);
        same("n_sat", sp_formula_n_sat(&s), t.n_sat.value, 1e-12);
    }
}
END_TEST

START_TEST(gathers_are_those_of_the_model)
{
    struct sp_random dice = {18};
    for (int i = 0; i < N_INPUTS; i++) {
        struct sp_symbols s = any_symbols(&dice);
        const struct sp_gather_hits hits = {.n_levels = 4, .count = {s.n_L1, s.n_L2, s.n_L3, s.n_MEM}};
        const struct sp_value rate[] = {number(s.r_L1), number(s.r_L2), number(s.r_L3), number(s.r_MEM)};
        const struct sp_gather_roof roof = sp_gather_roof_at(&hits, rate);
        s.T_gather = roof.time_s.value;
        same("T_gather", sp_formula_T_gather(&s), s.T_gather, 1e-12);
        ck_assert_double_eq_tol(sp_formula_T_gather_beyond(&s), sp_gather_beyond_first(&roof).value,
                                1e-11 * (s.T_gather + (s.n_L1 + s.n_L2 + s.n_L3 + s.n_MEM) / s.r_L1));
    }
}
END_TEST

/* A run whose gathers do not wait, and a change that moves other bytes: its time by sum is that of the parts,
 * beside what is not explained now. */
START_TEST(gains_are_those_of_the_model)
{
    struct sp_random dice = {19};
    for (int i = 0; i < N_INPUTS; i++) {
        struct sp_symbols s = any_symbols(&dice);
        s.t = sp_formula_t_roof(&s) * (1 + 2 * sp_random_unit(&dice));
        s.T_V = s.V / s.b_S, s.T_W = s.W / s.P_core;
        const struct sp_now now = {.time_s = number(s.t),
                                   .V_B = number(s.V),
                                   .roof_Bps = number(s.b_S),
                                   .core_s = number(s.T_W),
                                   .linear_s = sp_value_none("not run")};
        const struct sp_then then = {.V_B = number(s.V_min)};
        struct sp_gain_lines lines;
        sp_gain_derive(&now, &then, &lines);
        s.omega = sp_formula_omega_of_parts(&s);
        const double rest = fmax(0, sp_formula_unexplained(&s));
        struct sp_symbols changed = s;
        changed.V = s.V_min;
        for (int k = 0; k < lines.n; k++) {
            if (strcmp(lines.line[k].what, "omega") == 0)
                same("omega", s.omega, lines.line[k].lo, 1e-12);
            if (strcmp(lines.line[k].what, "not explained") == 0)
                ck_assert_double_eq_tol(lines.line[k].lo, rest, 1e-12 * s.t);
            if (strcmp(lines.line[k].what, "time then, by sum") == 0)
                same("time then", sp_formula_t_by_terms(&changed) + rest, lines.line[k].lo, 1e-12);
        }
        ck_assert_int_ge(lines.n, 6);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formulas");
    TCase *tc = tcase_create("formulas");
    tcase_add_test(tc, functions_are_the_texts);
    tcase_add_test(tc, units_of_time_agree);
    tcase_add_test(tc, cases_are_cases);
    tcase_add_test(tc, volumes_are_the_sums_of_their_arrays);
    tcase_add_test(tc, every_format_has_a_volume);
    tcase_add_test(tc, layouts_store_what_formulas_say);
    tcase_add_test(tc, volumes_are_those_of_the_model);
    tcase_add_test(tc, roofs_are_those_of_the_model);
    tcase_add_test(tc, losses_are_those_of_the_model);
    tcase_add_test(tc, ecm_is_that_of_the_model);
    tcase_add_test(tc, gathers_are_those_of_the_model);
    tcase_add_test(tc, gains_are_those_of_the_model);
    suite_add_tcase(suite, tc);
    return run_suite_forked(suite, false); /* layouts are built by OpenMP */
}
