#include "kernels/bodies.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format.h"

/* All numbers as pairs of doubles: real and imaginary part. */
struct state {
    const struct sp_layout *layout;
    double *x; /* [2 n_c] */
    double *y; /* [2 n_r] */
};

/* `factor` times an entry, real values only where it is not 1. */
static void add_product(void *state, int64_t row, int64_t column, int64_t entry, int factor)
{
    const struct state *s = state;
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
        sp_format_of(s->layout->format)->each_entry(s->layout, add_product, state);
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
