#include "kernels/bodies.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sparse/csr/real.h"

/* All numbers as pairs of doubles: real and imaginary part. */
struct state {
    const struct sp_layout *layout;
    double *x; /* [2 n_c] */
    double *y; /* [2 n_r] */
};

/* `factor` times an entry, real values only where it is not 1. */
static void add_product(const struct state *s, int64_t row, int64_t entry, int64_t column, int factor)
{
    const struct sp_layout *l = s->layout;
    if (row < 0 || column < 0 || column >= l->n_c)
        return; /* fill beyond the matrix */
    double a_r, a_i = 0;
    if (l->precision == SP_C128) {
        a_r = ((const double *)l->val)[2 * entry];
        a_i = ((const double *)l->val)[2 * entry + 1];
    } else {
        a_r = sp_real_load(sp_precision_of_values(l->precision), l->val, entry);
    }
    double x_r = s->x[2 * column], x_i = s->x[2 * column + 1];
    if (l->precision != SP_C128) {
        s->y[2 * row] += factor * a_r * x_r;
        return;
    }
    s->y[2 * row] += a_r * x_r - a_i * x_i;
    s->y[2 * row + 1] += a_r * x_i + a_i * x_r;
}

static void multiply_crs(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t j = sp_layout_ptr(l, i); j < sp_layout_ptr(l, i + 1); j++)
            add_product(s, i, j, sp_layout_col_in(l, j, i), 1);
}

static void multiply_sell(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t k = 0; k < l->n_chunks; k++) {
        int64_t entry = sp_layout_ptr(l, k);
        int64_t index = l->index_ptr ? sp_layout_index_ptr(l, k) : entry;
        int64_t n_unit = l->n_unit ? l->n_unit[k] : 0;
        for (int64_t slot = 0; slot < l->len[k]; slot++) {
            int64_t base = slot < n_unit ? sp_layout_col(l, index++) : 0, group = entry / l->C;
            for (int64_t lane = 0; lane < l->C; lane++, entry++) {
                int64_t i = k * l->C + lane;
                int64_t row = l->perm ? l->perm[i] : i < l->n_r ? i : -1;
                add_product(s, row, entry, slot < n_unit ? base + lane : sp_layout_col_in(l, index++, group),
                            1);
            }
        }
    }
}

static void multiply_bcsr(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    const int64_t b_h = l->b_h, b_w = l->b_w;
    for (int64_t unit = 0; unit < l->n_ptr - 1; unit++)
        for (int64_t b = sp_layout_ptr(l, unit); b < sp_layout_ptr(l, unit + 1); b++)
            for (int64_t i = 0; i < b_h * b_w; i++) {
                int64_t row = unit * b_h + i % b_h;
                add_product(s, row < l->n_r ? row : -1, b * b_h * b_w + i,
                            sp_layout_col(l, b) * b_w + i / b_h, 1);
            }
}

static void multiply_half(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t k = sp_layout_ptr(l, i); k < sp_layout_ptr(l, i + 1); k++) {
            int64_t j = sp_layout_col(l, k);
            add_product(s, i, k, j, 1);
            if (j != i)
                add_product(s, j, k, i, l->mirror);
        }
}

static void multiply_striped(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t c = 0; c < l->n_cells; c++)
        for (int64_t j = l->cell[c].entry; j < l->cell[c + 1].entry; j++)
            add_product(s, l->cell[c].row + sp_layout_row(l, j), j, sp_layout_col(l, j), 1);
}

void sp_spmv_reference_release(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    free(s->x);
    free(s->y);
    free(s);
}

enum sp_status sp_spmv_kernel_reference(SP_PREPARE)
{
    const struct sp_layout *l = layout;
    *state = NULL;
    void *p, *x = NULL, *y = NULL;
    enum sp_status status = sp_epilogue_check(operands, false, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct state), "a kernel's state", &p, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(2 * l->n_c, sizeof(double), "x", &x, err);
    if (status == SP_OK)
        status = sp_new_array(2 * l->n_r, sizeof(double), "y", &y, err);
    struct state *s = p;
    *s = (struct state){l, x, y};
    if (status != SP_OK) {
        sp_spmv_reference_release(s);
        return status;
    }
    for (int64_t i = 0; i < l->n_c; i++) {
        if (l->precision == SP_C128) {
            s->x[2 * i] = operands->x[2 * i];
            s->x[2 * i + 1] = operands->x[2 * i + 1];
        } else {
            s->x[2 * i] = l->precision == SP_F32 ? (double)(float)operands->x[i] : operands->x[i];
        }
    }
    *state = s;
    return SP_OK;
}

enum sp_status sp_spmv_reference_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                     struct sp_error *err)
{
    (void)err;
    const struct state *s = state;
    double start = sp_now();
    for (int64_t repetition = 0; repetition < repetitions; repetition++) {
        memset(s->y, 0, (size_t)(2 * s->layout->n_r) * sizeof *s->y);
        if (s->layout->format == SP_FORMAT_CRS)
            multiply_crs(s);
        else if (s->layout->format == SP_FORMAT_BCSR)
            multiply_bcsr(s);
        else if (s->layout->format == SP_FORMAT_HALF)
            multiply_half(s);
        else if (s->layout->format == SP_FORMAT_STRIPED)
            multiply_striped(s);
        else
            multiply_sell(s);
    }
    if (stats && stats->thread_s)
        for (int t = 0; t < stats->n_threads; t++)
            stats->thread_s[t] = t == 0 ? sp_now() - start : 0;
    return SP_OK;
}

enum sp_status sp_spmv_reference_fetch(void *state, double *y, struct sp_error *err)
{
    (void)err;
    const struct state *s = state;
    if (s->layout->precision == SP_C128)
        memcpy(y, s->y, (size_t)(2 * s->layout->n_r) * sizeof *y);
    else
        for (int64_t i = 0; i < s->layout->n_r; i++)
            y[i] = s->y[2 * i];
    return SP_OK;
}

void sp_spmv_reference_facts(const void *state, struct sp_kernel_facts *facts)
{
    const struct state *s = state;
    *facts = (struct sp_kernel_facts){
        .x_offset_B = (uintptr_t)s->x % 64,
        .y_offset_B = (uintptr_t)s->y % 64,
        .x = s->x,
        .y = s->y,
        .x_B = (size_t)(2 * s->layout->n_c) * sizeof(double),
        .y_B = (size_t)(2 * s->layout->n_r) * sizeof(double),
    };
}
