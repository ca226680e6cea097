#include "kernels/cpu/spmm/dense_cpu.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sparse/csr/real.h"
#include "sparse/formats/format_ids.h"

enum { LINE_B = 64 };

/* What one thread writes during a run, on a line of its own. */
struct lane {
    double busy_s;
    char pad[LINE_B - sizeof(double)];
};

struct state {
    const struct sp_layout *layout;
    struct sp_dense_args args;
    struct sp_dense_body body;
    const struct sp_allocator *allocator;
    void *x, *rows, *second, *y, *work;
    int64_t n_x, n_rows, n_y, n_work; /* elements; bytes of `work` */
    size_t work_B;                    /* of one thread, whole lines */
    struct sp_layer_epilogue epilogue;
    struct lane *lane; /* [n_threads] */
};

/* Rows [first, end) of an operand with n rows in the user's order, into the kernel's. */
static void copy_rows(const struct sp_layout *l, void *to, int64_t ld, const double *from, int64_t first,
                      int64_t end)
{
    if (l->order == SP_ROW_MAJOR) {
        for (int64_t i = first * l->r; i < end * l->r; i++)
            sp_real_store(l->precision, to, i, from[i]);
        return;
    }
    for (int64_t k = 0; k < l->r; k++)
        for (int64_t i = first; i < end; i++)
            sp_real_store(l->precision, to, k * ld + i, from[i * l->r + k]);
}

/* Rows of the matrix in the units [first, end). */
static void rows_of_units(const struct sp_layout *l, int64_t *first, int64_t *end)
{
    if (l->format == SP_FORMAT_STAGED) {
        *first = l->block[*first].chunk;
        *end = l->block[*end].chunk;
    }
    int64_t in_unit = l->format == SP_FORMAT_BCSR ? l->b_h : l->format == SP_FORMAT_TILED ? l->T_i : l->C;
    *first = *first * in_unit < l->n_r ? *first * in_unit : l->n_r;
    *end = *end * in_unit < l->n_r ? *end * in_unit : l->n_r;
}

static void zero(void *array, int64_t first, int64_t end, size_t size)
{
    if (end > first)
        memset((char *)array + (size_t)first * size, 0, (size_t)(end - first) * size);
}

/* The result and the row operand of the rows that a thread computes. */
static void touch_rows(const struct state *s, const double *rows, int64_t first, int64_t end)
{
    const struct sp_layout *l = s->layout;
    if (rows)
        copy_rows(l, s->rows, l->r, rows, first, end);
    if (l->op == SP_OP_SDDMM)
        return;
    if (l->order == SP_ROW_MAJOR)
        zero(s->y, first * l->r, end * l->r, l->s_y);
    else
        for (int64_t k = 0; k < l->r; k++)
            zero(s->y, k * l->ld_y + first, k * l->ld_y + end, l->s_y);
}

/* Gathered operands by equal parts, the rest as the units are dealt. */
static void touch(const struct state *s, const struct sp_operands *o)
{
    const struct sp_layout *l = s->layout;
    const struct sp_partition *p = &l->partition;
    bool by_rows =
        l->format == SP_FORMAT_CRS || l->len || l->format == SP_FORMAT_BCSR || l->format == SP_FORMAT_TILED;
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        int64_t from = sp_share(l->n_c, t, p->n_threads), to = sp_share(l->n_c, t + 1, p->n_threads);
        copy_rows(l, s->x, l->ld_x, o->x, from, to);
        if (o->second)
            copy_rows(l, s->second, l->ld_x, o->second, from, to);
        int64_t cursor = 0, first, end;
        while (by_rows && sp_partition_next(p, t, &cursor, &first, &end)) {
            if (l->op == SP_OP_SDDMM)
                zero(s->y, sp_layout_ptr(l, first), sp_layout_ptr(l, end), l->s_y);
            rows_of_units(l, &first, &end);
            touch_rows(s, o->rows, first, end);
        }
        if (!by_rows) {
            if (l->op == SP_OP_SDDMM)
                zero(s->y, sp_share(s->n_y, t, p->n_threads), sp_share(s->n_y, t + 1, p->n_threads), l->s_y);
            touch_rows(s, o->rows, sp_share(l->n_r, t, p->n_threads), sp_share(l->n_r, t + 1, p->n_threads));
        }
        zero(s->work, t * (int64_t)s->work_B, (t + 1) * (int64_t)s->work_B, 1);
        s->lane[t].busy_s = 0;
    }
}

static enum sp_status allocate(struct state *s, const struct sp_operands *o, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    const int n_threads = l->partition.n_threads;
    /* BCSR reads and writes whole blocks. */
    int64_t over_c = l->format == SP_FORMAT_BCSR ? l->b_w : 0,
            over_r = l->format == SP_FORMAT_BCSR ? l->b_h : 0;
    bool row_major = l->order == SP_ROW_MAJOR;
    s->n_x = row_major ? (l->n_c + over_c) * l->r : l->ld_x * l->r;
    s->n_rows = l->n_r * l->r;
    s->n_y = l->op == SP_OP_SDDMM ? l->n_stored : row_major ? (l->n_r + over_r) * l->r : l->ld_y * l->r;
    s->work_B = (s->body.work_B + LINE_B - 1) / LINE_B * LINE_B;
    s->n_work = (int64_t)s->work_B * n_threads;
    enum sp_status status = sp_large_alloc(s->allocator, s->n_x, l->s_x, "the gathered operand", &s->x, err);
    if (status == SP_OK && o->second)
        status = sp_large_alloc(s->allocator, s->n_x, l->s_x, "the second gathered operand", &s->second, err);
    if (status == SP_OK && o->rows)
        status = sp_large_alloc(s->allocator, s->n_rows, l->s_x, "the row operand", &s->rows, err);
    if (status == SP_OK)
        status = sp_large_alloc(s->allocator, s->n_y, l->s_y, "the result", &s->y, err);
    if (status == SP_OK && s->n_work > 0)
        status = sp_large_alloc(NULL, s->n_work, 1, "the scratch of threads", &s->work, err);
    if (status != SP_OK)
        return status;
    s->lane = aligned_alloc(LINE_B, (size_t)n_threads * sizeof *s->lane);
    return s->lane ? SP_OK : sp_fail(err, SP_MEMORY, "free memory", "no memory for the threads of a kernel");
}

enum sp_status sp_dense_cpu_prepare(const struct sp_layout *l, const struct sp_operands *operands,
                                    sp_dense_select *select, void **state, struct sp_error *err)
{
    *state = NULL;
    void *p;
    enum sp_status status =
        sp_epilogue_check(operands, l->op == SP_OP_SPMM && l->format == SP_FORMAT_STAGED, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct state), "a kernel's state", &p, err);
    if (status != SP_OK)
        return status;
    struct state *s = p;
    s->layout = l;
    if (operands->epilogue)
        s->epilogue = *operands->epilogue;
    s->allocator = operands->allocator;
    s->body = select(l);
    status = s->body.units ? allocate(s, operands, err)
                           : sp_fail(err, SP_ABSENT, "choose another format or precision",
                                     "this kernel has no body for %s in format %s", sp_op_name(l->op),
                                     sp_format_name(l->format));
    if (status != SP_OK) {
        sp_dense_cpu_release(s);
        return status;
    }
    s->args = (struct sp_dense_args){
        .layout = l,
        .val = l->val,
        .col = l->col,
        .ptr = l->ptr,
        .len = l->len,
        .perm = l->perm,
        .x = s->x,
        .rows = s->rows,
        .second = s->second,
        .y = s->y,
        .r = l->r,
        .ld_x = l->ld_x,
        .ld_y = l->ld_y,
        .n_r = l->n_r,
        .n_c = l->n_c,
        .C = l->C,
        .wide_ptr = l->s_p == sizeof(int64_t),
        .wide_index = l->index == SP_I64,
        .store_nt = operands->store_nt && s->body.can_store_nt,
        .epilogue = operands->epilogue ? &s->epilogue : NULL,
    };
    touch(s, operands);
    *state = s;
    return SP_OK;
}

void sp_dense_cpu_release(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    sp_large_free(s->allocator, s->x, s->n_x, s->layout->s_x);
    sp_large_free(s->allocator, s->second, s->n_x, s->layout->s_x);
    sp_large_free(s->allocator, s->rows, s->n_rows, s->layout->s_x);
    sp_large_free(s->allocator, s->y, s->n_y, s->layout->s_y);
    sp_large_free(NULL, s->work, s->n_work, 1);
    free(s->lane);
    free(s);
}

static void run_thread(const struct state *s, int t)
{
    const struct sp_partition *p = &s->layout->partition;
    struct sp_dense_args args = s->args;
    args.thread = t;
    args.work = s->work ? (char *)s->work + (size_t)t * s->work_B : NULL;
    int64_t cursor = 0, first, end;
    while (sp_partition_next(p, t, &cursor, &first, &end))
        if (first < end)
            s->body.units(&args, first, end);
}

enum sp_status sp_dense_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                                struct sp_error *err)
{
    (void)err;
    struct state *s = state;
    int n_threads = s->layout->partition.n_threads;
    bool timed = stats && stats->thread_s;
#pragma omp parallel num_threads(n_threads)
    {
        int me = omp_get_thread_num(), step = omp_get_num_threads();
        for (int t = me; t < n_threads; t += step)
            s->lane[t].busy_s = 0;
        for (int64_t repetition = 0; repetition < repetitions; repetition++) {
            for (int t = me; t < n_threads; t += step) {
                double start = timed ? sp_now() : 0;
                run_thread(s, t);
                if (timed)
                    s->lane[t].busy_s += sp_now() - start;
            }
#pragma omp barrier
        }
    }
    for (int t = 0; timed && t < n_threads && t < stats->n_threads; t++)
        stats->thread_s[t] = s->lane[t].busy_s;
    return SP_OK;
}

/* P from the order of a tiled layout. */
static enum sp_status fetch_tiled(const struct state *s, double *result, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    void *p;
    enum sp_status status = sp_new_array(l->n_stored, sizeof(int64_t), "the order of entries", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *place = p;
    status = sp_layout_tiled_places(l, place, err);
    for (int64_t j = 0; status == SP_OK && j < l->n_stored; j++)
        result[place[j]] = sp_real_load(l->precision, s->y, j);
    free(place);
    return status;
}

enum sp_status sp_dense_cpu_fetch(void *state, double *result, struct sp_error *err)
{
    const struct state *s = state;
    const struct sp_layout *l = s->layout;
    if (l->format == SP_FORMAT_TILED)
        return fetch_tiled(s, result, err);
    int64_t n = l->op == SP_OP_SDDMM ? l->n_nz : l->n_r * l->r;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = l->order == SP_ROW_MAJOR ? i : i % l->r * l->ld_y + i / l->r;
        result[i] = sp_real_load(l->precision, s->y, at);
    }
    return SP_OK;
}

void sp_dense_cpu_facts(const void *state, struct sp_kernel_facts *facts)
{
    const struct state *s = state;
    const struct sp_layout *l = s->layout;
    *facts = (struct sp_kernel_facts){
        .store_nt = s->args.store_nt,
        .can_store_nt = s->body.can_store_nt,
        .x_offset_B = (uintptr_t)s->x % LINE_B,
        .y_offset_B = (uintptr_t)s->y % LINE_B,
        .x = s->x,
        .y = s->y,
        .x_B = (size_t)s->n_x * l->s_x,
        .y_B = (size_t)s->n_y * l->s_y,
        .rows = s->rows,
        .second = s->second,
        .rows_B = s->rows ? (size_t)s->n_rows * l->s_x : 0,
        .second_B = s->second ? (size_t)s->n_x * l->s_x : 0,
        .code = {(void (*)(void))s->body.units, s->body.inner},
    };
}
