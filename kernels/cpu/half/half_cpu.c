#include "kernels/cpu/spmv/spmv_cpu.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sparse/formats/half.h"

bool sp_half_has_runs(const struct sp_layout *l, int W)
{
    enum { ROWS = 512 };
    const int64_t step = l->n_r > ROWS ? l->n_r / ROWS : 1;
    int64_t groups = 0, runs = 0;
    for (int64_t i = 0; i < l->n_r; i += step)
        for (int64_t k = sp_layout_ptr(l, i), end = sp_layout_ptr(l, i + 1); k + W <= end; k += W) {
            groups++;
            runs += sp_layout_col(l, k + W - 1) - sp_layout_col(l, k) == W - 1;
        }
    return 2 * runs > groups;
}

/* ---- windows ---- */

static enum sp_status make_windows(struct sp_spmv_state *s, struct sp_error *err)
{
    const struct sp_layout *l = s->layout;
    const int n = l->partition.n_threads;
    enum sp_status status =
        sp_new_array(n, sizeof *s->window, "windows of threads", (void **)&s->window, err);
    for (int t = 0; t < n && status == SP_OK; t++)
        status = sp_large_alloc(s->allocator, sp_half_window(l, t), l->s_y, "the window of a thread",
                                &s->window[t], err);
    return status;
}

void sp_half_cpu_release(void *state)
{
    struct sp_spmv_state *s = state;
    for (int t = 0; s && s->window && t < s->layout->partition.n_threads; t++)
        sp_large_free(s->allocator, s->window[t], sp_half_window(s->layout, t), s->layout->s_y);
    if (s)
        free(s->window);
    sp_spmv_cpu_release(s);
}

static struct sp_spmv_body no_body(const struct sp_layout *l)
{
    (void)l;
    return (struct sp_spmv_body){.can_store_nt = false};
}

enum sp_status sp_half_cpu_prepare(const struct sp_layout *layout, const struct sp_operands *operands,
                                   sp_half_select *select, void **state, struct sp_error *err)
{
    enum sp_status status = sp_spmv_cpu_prepare(layout, operands, no_body, state, err);
    if (status != SP_OK)
        return status;
    struct sp_spmv_state *s = *state;
    s->half = select(layout);
    s->args.mirror = sp_half_of(layout)->mirror;
    if (!sp_half_of(layout)->phased)
        status = make_windows(s, err);
    if (status != SP_OK) {
        sp_half_cpu_release(s);
        *state = NULL;
    }
    return status;
}

/* ---- the run ---- */

static char *row_of_y(const struct sp_spmv_state *s, int64_t row)
{
    return (char *)s->args.y + (size_t)row * s->layout->s_y;
}

/* What this thread adds to rows of others starts from zeros: in y, where with phases no one sets
 * them, or in the window. */
static void first_phase(const struct sp_spmv_state *s, int t)
{
    const struct sp_layout *l = s->layout;
    const struct sp_half_share *own = &sp_half_of(l)->share[t];
    const int64_t begin = l->partition.begin[t];
    const int64_t n = sp_half_window(l, t);
    struct sp_half_rows rows = {.first = begin, .end = own->split};
    if (sp_half_of(l)->phased) {
        if (n > 0)
            memset(row_of_y(s, own->lowest), 0, (size_t)n * l->s_y);
        s->half(&s->args, &rows);
        return;
    }
    if (n > 0) {
        memset(s->window[t], 0, (size_t)n * l->s_y);
        rows.begin = begin;
        rows.lowest = own->lowest;
        rows.window = s->window[t];
        s->half(&s->args, &rows);
    }
    rows = (struct sp_half_rows){.first = own->split, .end = l->partition.begin[t + 1]};
    s->half(&s->args, &rows);
}

/* Of the rows from the split on, those that the next thread has added to get the rest. */
static void second_phase(const struct sp_spmv_state *s, int t)
{
    const struct sp_layout *l = s->layout;
    const int64_t middle = sp_half_of(l)->share[t + 1].lowest;
    struct sp_half_rows rows = {.first = sp_half_of(l)->share[t].split, .end = middle};
    s->half(&s->args, &rows);
    rows = (struct sp_half_rows){.first = middle, .end = l->partition.begin[t + 1], .add = true};
    s->half(&s->args, &rows);
}

/* Adds to this thread's rows what the windows of later threads have for them. */
static void add_windows(const struct sp_spmv_state *s, int t)
{
    const struct sp_layout *l = s->layout;
    const struct sp_partition *p = &l->partition;
    for (int later = t + 1; later < p->n_threads; later++) {
        const int64_t lowest = sp_half_of(l)->share[later].lowest;
        const int64_t first = lowest > p->begin[t] ? lowest : p->begin[t], end = p->begin[t + 1];
        if (first >= end || lowest >= p->begin[later])
            continue;
        if (l->precision == SP_F32) {
            const float *window = (const float *)s->window[later] + (first - lowest);
            float *y = (float *)s->args.y + first;
            for (int64_t i = 0; i < end - first; i++)
                y[i] += window[i];
        } else {
            const double *window = (const double *)s->window[later] + (first - lowest);
            double *y = (double *)s->args.y + first;
            for (int64_t i = 0; i < end - first; i++)
                y[i] += window[i];
        }
    }
}

/* `part` for every thread's share, timed. */
static void run_part(struct sp_spmv_state *s, void (*part)(const struct sp_spmv_state *, int), bool timed)
{
    const int n_threads = s->layout->partition.n_threads, step = omp_get_num_threads();
    for (int t = omp_get_thread_num(); t < n_threads; t += step) {
        double start = timed ? sp_now() : 0;
        part(s, t);
        if (timed)
            s->lane[t].busy_s += sp_now() - start;
    }
#pragma omp barrier
}

enum sp_status sp_half_cpu_run(void *state, int64_t repetitions, struct sp_run_stats *stats,
                               struct sp_error *err)
{
    (void)err;
    struct sp_spmv_state *s = state;
    const int n_threads = s->layout->partition.n_threads;
    const bool timed = stats && stats->thread_s;
    for (int t = 0; t < n_threads; t++)
        s->lane[t].busy_s = 0;
#pragma omp parallel num_threads(n_threads)
    for (int64_t repetition = 0; repetition < repetitions; repetition++) {
        run_part(s, first_phase, timed);
        if (n_threads > 1)
            run_part(s, sp_half_of(s->layout)->phased ? second_phase : add_windows, timed);
    }
    for (int t = 0; timed && t < n_threads && t < stats->n_threads; t++)
        stats->thread_s[t] = s->lane[t].busy_s;
    return SP_OK;
}
