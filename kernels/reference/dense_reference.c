/* The operations with dense operands, serial, in double: what the others are checked against. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/bodies.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format_ids.h"

struct state {
    const struct sp_layout *layout;
    double *x, *rows, *second; /* row-major, as their precision has them */
    double *result;
    int64_t n_result;
};

static double value_at(const struct sp_layout *l, int64_t entry)
{
    return sp_real_load(l->precision, l->val, entry);
}

static void multiply_entry(const struct state *s, int64_t row, int64_t entry, int64_t column)
{
    const struct sp_layout *l = s->layout;
    const int64_t r = l->r;
    const double a = value_at(l, entry), *x = s->x + column * r;
    double *y = s->result + row * r;
#pragma omp simd
    for (int64_t k = 0; k < r; k++)
        y[k] += a * x[k];
}

static double dot(const double *a, const double *b, int64_t r)
{
    double sum = 0;
    for (int64_t k = 0; k < r; k++)
        sum += a[k] * b[k];
    return sum;
}

static void do_entry(const struct state *s, int64_t row, int64_t entry, int64_t column)
{
    const struct sp_layout *l = s->layout;
    const int64_t r = l->r;
    if (l->op == SP_OP_SDDMM) {
        s->result[entry] = value_at(l, entry) * dot(s->rows + row * r, s->x + column * r, r);
    } else if (l->op == SP_OP_FUSEDMM) {
        double t = dot(s->rows + row * r, s->x + column * r, r);
        const double *e = s->second + column * r;
        double *y = s->result + row * r;
#pragma omp simd
        for (int64_t k = 0; k < r; k++)
            y[k] += t * e[k];
    } else {
        multiply_entry(s, row, entry, column);
    }
}

static void run_crs(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t i = 0; i < l->n_r; i++)
        for (int64_t j = sp_layout_ptr(l, i); j < sp_layout_ptr(l, i + 1); j++)
            do_entry(s, i, j, sp_layout_col(l, j));
}

static void run_sell(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t k = 0; k < l->n_chunks; k++)
        for (int64_t i = 0; i < l->len[k] * l->C; i++) {
            int64_t lane = k * l->C + i % l->C, row = l->perm ? l->perm[lane] : lane;
            int64_t entry = sp_layout_ptr(l, k) + i;
            if (row >= 0 && row < l->n_r)
                multiply_entry(s, row, entry, sp_layout_col(l, entry));
        }
}

static void run_staged(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    for (int64_t b = 0; b < l->n_blocks; b++) {
        int64_t entry = sp_layout_ptr(l, b);
        const int32_t *list = l->list + l->block[b].list;
        for (int64_t k = l->block[b].chunk; k < l->block[b + 1].chunk; k++)
            for (int64_t i = 0; i < l->len[k] * l->C; i++, entry++)
                if (k * l->C + i % l->C < l->n_r)
                    do_entry(s, k * l->C + i % l->C, entry, list[((const uint16_t *)l->col)[entry]]);
    }
}

static void run_bcsr(const struct state *s)
{
    const struct sp_layout *l = s->layout;
    const int64_t b_h = l->b_h, b_w = l->b_w;
    for (int64_t unit = 0; unit < l->n_ptr - 1; unit++)
        for (int64_t b = sp_layout_ptr(l, unit); b < sp_layout_ptr(l, unit + 1); b++)
            for (int64_t i = 0; i < b_h * b_w; i++) {
                int64_t row = unit * b_h + i % b_h, column = sp_layout_col(l, b) * b_w + i / b_h;
                if (row < l->n_r && column < l->n_c)
                    multiply_entry(s, row, b * b_h * b_w + i, column);
            }
}

void sp_dense_reference_release(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    free(s->x);
    free(s->rows);
    free(s->second);
    free(s->result);
    free(s);
}

/* A copy, rounded as the precision stores it. */
static enum sp_status copy(const struct sp_layout *l, const double *from, int64_t n, double **to,
                           struct sp_error *err)
{
    if (!from)
        return SP_OK;
    void *p;
    enum sp_status status = sp_new_array(n * l->r, sizeof(double), "an operand", &p, err);
    *to = p;
    for (int64_t i = 0; status == SP_OK && i < n * l->r; i++) {
        double room;
        sp_real_store(l->precision, &room, 0, from[i]);
        (*to)[i] = sp_real_load(l->precision, &room, 0);
    }
    return status;
}

enum sp_status sp_dense_kernel_reference(SP_PREPARE)
{
    const struct sp_layout *l = layout;
    const struct sp_operands *o = operands;
    *state = NULL;
    void *p, *result;
    enum sp_status status = sp_epilogue_check(o, false, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct state), "a kernel's state", &p, err);
    if (status != SP_OK)
        return status;
    struct state *s = p;
    s->layout = l;
    s->n_result = l->op == SP_OP_SDDMM ? l->n_nz : l->n_r * l->r;
    status = copy(l, o->x, l->n_c, &s->x, err);
    if (status == SP_OK)
        status = copy(l, o->rows, l->n_r, &s->rows, err);
    if (status == SP_OK)
        status = copy(l, o->second, l->n_c, &s->second, err);
    if (status == SP_OK) {
        status = sp_new_array(s->n_result, sizeof(double), "the result", &result, err);
        s->result = result;
    }
    if (status != SP_OK) {
        sp_dense_reference_release(s);
        return status;
    }
    *state = s;
    return SP_OK;
}

enum sp_status sp_dense_reference_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                      struct sp_error *err)
{
    (void)err;
    const struct state *s = state;
    double start = sp_now();
    for (int64_t repetition = 0; repetition < repetitions; repetition++) {
        if (s->n_result > 0)
            memset(s->result, 0, (size_t)s->n_result * sizeof *s->result);
        if (s->layout->format == SP_FORMAT_SELL)
            run_sell(s);
        else if (s->layout->format == SP_FORMAT_STAGED)
            run_staged(s);
        else if (s->layout->format == SP_FORMAT_BCSR)
            run_bcsr(s);
        else
            run_crs(s);
    }
    if (stats && stats->thread_s)
        for (int t = 0; t < stats->n_threads; t++)
            stats->thread_s[t] = t == 0 ? sp_now() - start : 0;
    return SP_OK;
}

enum sp_status sp_dense_reference_fetch(void *state, double *result, struct sp_error *err)
{
    (void)err;
    const struct state *s = state;
    if (s->n_result > 0)
        memcpy(result, s->result, (size_t)s->n_result * sizeof *result);
    return SP_OK;
}

void sp_dense_reference_facts(const void *state, struct sp_kernel_facts *facts)
{
    const struct state *s = state;
    *facts = (struct sp_kernel_facts){.x_offset_B = (uintptr_t)s->x % 64,
                                      .y_offset_B = (uintptr_t)s->result % 64,
                                      .x = s->x,
                                      .y = s->result};
}
