#include "kernels/cpu/spmv/spmv_cpu.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "sparse/formats/format_ids.h"

static void copy_x(const struct sp_spmv_state *s, const double *x, int64_t first, int64_t end)
{
    const struct sp_layout *l = s->layout;
    if (l->precision == SP_F32) {
        float *to = (float *)s->x_room + s->guard;
        for (int64_t i = first; i < end; i++)
            to[i] = (float)x[i];
    } else if (end > first) {
        size_t size = l->precision == SP_C128 ? 2 * sizeof *x : sizeof *x;
        memcpy((char *)s->x_room + (size_t)(s->guard + first) * size, (const char *)x + (size_t)first * size,
               (size_t)(end - first) * size);
    }
}

/* x by equal parts, y as the units are dealt. */
static void touch(const struct sp_spmv_state *s, const double *x)
{
    const struct sp_layout *l = s->layout;
    const struct sp_partition *p = &l->partition;
    const int64_t rows = sp_layout_unit_rows(l);
#pragma omp parallel num_threads(p->n_threads)
    for (int t = omp_get_thread_num(); t < p->n_threads; t += omp_get_num_threads()) {
        copy_x(s, x, sp_share(l->n_c, t, p->n_threads), sp_share(l->n_c, t + 1, p->n_threads));
        int64_t cursor = 0, first, end;
        while (sp_partition_next(p, t, &cursor, &first, &end))
            if (end > first)
                memset((char *)s->args.y + (size_t)(first * rows) * l->s_y, 0,
                       (size_t)((end - first) * rows) * l->s_y);
        s->lane[t].busy_s = 0;
    }
    memset(s->x_room, 0, (size_t)s->guard * l->s_x);
    memset((char *)s->x_room + (size_t)(s->guard + l->n_c) * l->s_x, 0,
           (size_t)(s->n_x - s->guard - l->n_c) * l->s_x);
}

enum sp_status sp_spmv_without_prefetch(const struct sp_layout *l, struct sp_error *err)
{
    if (l->prefetch == 0)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, "leave " SP_O_PREFETCH " out",
                   "this kernel does not ask for x in advance");
}

enum sp_status sp_spmv_sell_prefetch(const struct sp_layout *l, struct sp_error *err)
{
    if (sp_spmv_sell_case(l->C) != SELL_ANY)
        return SP_OK;
    return sp_spmv_without_prefetch(l, err);
}

enum sp_status sp_spmv_cpu_prepare(const struct sp_layout *l, const struct sp_operands *operands,
                                   sp_spmv_select *select, void **state, struct sp_error *err)
{
    *state = NULL;
    void *p;
    enum sp_status status = sp_epilogue_check(operands, false, err);
    if (status == SP_OK)
        status = sp_new_array(1, sizeof(struct sp_spmv_state), "a kernel's state", &p, err);
    if (status != SP_OK)
        return status;
    struct sp_spmv_state *s = p;
    s->layout = l;
    s->allocator = operands->allocator;
    s->body = select(l);
    if (l->prefetch > 0)
        s->body.units = s->body.ahead;
    int32_t reach = l->format == SP_FORMAT_BCSR ? l->b_w + 16 : l->C > 16 ? l->C : 16;
    s->guard = (reach + 15) & ~15; /* keeps x[0] at the start of a line */
    s->n_x = l->n_c + 2 * s->guard;
    s->n_y = (l->n_ptr - 1) * sp_layout_unit_rows(l);
    void *y = NULL;
    status = sp_large_alloc(s->allocator, s->n_x, l->s_x, "x", &s->x_room, err);
    if (status == SP_OK)
        status = sp_large_alloc(s->allocator, s->n_y, l->s_y, "y", &y, err);
    if (status == SP_OK) {
        s->lane = aligned_alloc(SP_LINE_B, (size_t)l->partition.n_threads * sizeof *s->lane);
        if (!s->lane)
            status = sp_fail(err, SP_MEMORY, "free memory", "no memory for the threads of a kernel");
    }
    s->args = (struct sp_spmv_args){
        .val = l->val,
        .col = l->col,
        .ptr = l->ptr,
        .index_ptr = l->index_ptr ? l->index_ptr : l->ptr,
        .len = l->len,
        .n_unit = l->n_unit,
        .perm = l->perm,
        .base = l->base,
        .y = y,
        .n_r = l->n_r,
        .n_indices = l->n_indices,
        .prefetch = l->prefetch,
        .C = l->C,
        .b_h = l->b_h,
        .b_w = l->b_w,
        .wide_ptr = l->s_p == sizeof(int64_t),
        .wide_index = l->index == SP_I64,
        .store_nt = operands->store_nt && s->body.can_store_nt && !l->perm,
        .layout = l,
    };
    if (status != SP_OK) {
        sp_spmv_cpu_release(s);
        return status;
    }
    s->args.x = (char *)s->x_room + (size_t)s->guard * l->s_x;
    touch(s, operands->x);
    *state = s;
    return SP_OK;
}

void sp_spmv_cpu_release(void *state)
{
    struct sp_spmv_state *s = state;
    if (!s)
        return;
    sp_large_free(s->allocator, s->x_room, s->n_x, s->layout->s_x);
    sp_large_free(s->allocator, s->args.y, s->n_y, s->layout->s_y);
    free(s->lane);
    free(s);
}

static void run_thread(const struct sp_spmv_state *s, int t, int64_t repetition)
{
    const struct sp_partition *p = &s->layout->partition;
    struct sp_spmv_args args = s->args;
    args.thread = t;
    if (p->schedule == SP_SCHEDULE_MERGE) {
        int64_t row = p->begin[t + 1], from = p->entry_begin[t], to = p->entry_begin[t + 1];
        if (p->begin[t] < row) {
            s->body.units(&args, p->begin[t], row, from);
            from = sp_spmv_pointer(&args, s->args.ptr, row);
        }
        s->body.partial(&args, from, to, s->lane[t].carry[repetition & 1]);
        return;
    }
    int64_t cursor = 0, first, end;
    while (sp_partition_next(p, t, &cursor, &first, &end))
        if (first < end)
            s->body.units(&args, first, end, sp_spmv_pointer(&args, s->args.ptr, first));
}

/* The thread that finishes a row adds what the threads before it computed of that row. */
static void add_carries(const struct sp_spmv_state *s, int t, int64_t repetition)
{
    const struct sp_partition *p = &s->layout->partition;
    int64_t row = p->begin[t];
    if (row == p->begin[t + 1])
        return;
    for (int before = t - 1; before >= 0 && p->begin[before + 1] == row; before--) {
        const void *carry = s->lane[before].carry[repetition & 1];
        if (s->layout->precision == SP_F32) {
            ((float *)s->args.y)[row] += *(const float *)carry;
        } else if (s->layout->precision == SP_C128) {
            ((double *)s->args.y)[2 * row] += ((const double *)carry)[0];
            ((double *)s->args.y)[2 * row + 1] += ((const double *)carry)[1];
        } else {
            ((double *)s->args.y)[row] += *(const double *)carry;
        }
    }
}

enum sp_status sp_spmv_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    (void)err;
    struct sp_spmv_state *s = state;
    int n_threads = s->layout->partition.n_threads;
    bool merge = s->layout->partition.schedule == SP_SCHEDULE_MERGE, timed = stats && stats->thread_s;
#pragma omp parallel num_threads(n_threads)
    {
        int me = omp_get_thread_num(), step = omp_get_num_threads();
        for (int t = me; t < n_threads; t += step)
            s->lane[t].busy_s = 0;
        for (int64_t repetition = 0; repetition < repetitions; repetition++) {
            for (int t = me; t < n_threads; t += step) {
                double start = timed ? sp_now() : 0;
                run_thread(s, t, repetition);
                if (timed)
                    s->lane[t].busy_s += sp_now() - start;
            }
#pragma omp barrier
            for (int t = me; merge && t < n_threads; t += step)
                add_carries(s, t, repetition);
        }
    }
    for (int t = 0; timed && t < n_threads && t < stats->n_threads; t++)
        stats->thread_s[t] = s->lane[t].busy_s;
    return SP_OK;
}

enum sp_status sp_spmv_cpu_fetch(void *state, double *y, struct sp_error *err)
{
    (void)err;
    const struct sp_spmv_state *s = state;
    const struct sp_layout *l = s->layout;
    if (l->precision == SP_F32)
        for (int64_t i = 0; i < l->n_r; i++)
            y[i] = ((const float *)s->args.y)[i];
    else if (l->n_r > 0)
        memcpy(y, s->args.y, (size_t)l->n_r * l->s_y);
    return SP_OK;
}

void sp_spmv_cpu_facts(const void *state, struct sp_kernel_facts *facts)
{
    const struct sp_spmv_state *s = state;
    const bool merge = s->layout->partition.schedule == SP_SCHEDULE_MERGE;
    *facts = (struct sp_kernel_facts){
        .store_nt = s->args.store_nt,
        .can_store_nt = s->body.can_store_nt && !s->layout->perm,
        .x_offset_B = (uintptr_t)s->args.x % SP_LINE_B,
        .y_offset_B = (uintptr_t)s->args.y % SP_LINE_B,
        .x = s->args.x,
        .y = s->args.y,
        .x_B = (size_t)s->layout->n_c * s->layout->s_x,
        .y_B = (size_t)s->layout->n_r * s->layout->s_y,
        .code = {s->half ? (void (*)(void))s->half : (void (*)(void))s->body.units,
                 merge ? (void (*)(void))s->body.partial : NULL},
    };
    memcpy(facts->code + 2, s->body.calls, sizeof s->body.calls);
}
