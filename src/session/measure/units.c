#include "session/measure/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/reading.h"
#include "kernels/kernel.h"
#include "model/gather.h"
#include "model/unit_costs.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"
#include "sparse/product/workload.h"
#include "sys/noise.h"

/* Every length up to a vector's or two, then those beside multiples of a vector's. */
static const int lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  12,
                              13, 16, 17, 20, 24, 31, 32, 48, 64, 128, 256};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };
/* Sequences of random lengths from 1 to LONGEST. */
static const int sequences[] = {1024, 4096, 16384, 65536};
enum { N_SEQUENCES = sizeof sequences / sizeof *sequences, LONGEST = 8 };
/* Their data may come from the L3: the difference between two orders does not hang on it much. Of a
 * thread, and of all together, which takes time to make [B]. */
static const double most_B = 5e6, most_of_all_B = 64e6;
/* Kernels that nowhere come so near to the fastest one are measured in the first passes only. */
static const double near = 1.2;
static const struct {
    const char *format;
    bool unit_stride;
} formats[] = {{"crs", false},       {"crs", true},        {"sell:8,1", false},
               {"sell:32,1", false}, {"sellu:8,1", false}, {"sellu:8,1", true}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

/* x of 8 KiB, or 16 where slots are unit-stride: gathers come from the innermost cache. */
enum { N_COLUMNS = 1024, N_UNIT_COLUMNS = 2048 };
static const double sample_s = 100e-6;
/* The start is taken off all other times, and a disturbed one would spoil them all. */
enum { N_SAMPLES = 2, N_START_SAMPLES = 16, LEAST_PASSES = 3 };

/* A prepared kernel and its arrays. */
struct run {
    struct sp_csr matrix;
    struct sp_layout layout;
    struct sp_dense_arrays dense;
};

static void run_free(struct run *r)
{
    sp_dense_free(&r->dense);
    sp_layout_free(&r->layout);
    sp_csr_free(&r->matrix);
}

/* Rows of given lengths, columns of each from a random place on, not far apart; lanes: groups of so
 * many rows have neighbouring columns, 0: none. */
static enum sp_status make_rows(const int *length, int64_t n_r, int lanes, struct sp_csr *out,
                                struct sp_error *err)
{
    const int64_t n_c = lanes > 0 ? N_UNIT_COLUMNS : N_COLUMNS;
    int64_t n_nz = 0;
    for (int64_t i = 0; i < n_r; i++)
        n_nz += length[i];
    const enum sp_status status = sp_csr_alloc(n_r, n_c, n_nz, SP_FIELD_REAL, NULL, out, err);
    struct sp_random random = {n_r};
    for (int64_t i = 0; i < n_r && status == SP_OK; i++) {
        const int64_t stride = lanes > 0 ? lanes : 1 + sp_random_below(&random, 3),
                      room = n_c - stride * (lanes > 0 ? length[i] : length[i] - 1), at = out->row_ptr[i];
        int64_t first = lanes > 0 ? i % lanes : 0;
        if (lanes == 0)
            first = sp_random_below(&random, room);
        else if (room > 0) /* the same for all rows of a group */
            first += sp_random_at(7, i / lanes) % (uint64_t)room / lanes * lanes;
        for (int64_t k = 0; k < length[i]; k++) {
            out->col[at + k] = (int32_t)(first + k * stride);
            out->val[at + k] = 1;
        }
        out->row_ptr[i + 1] = at + length[i];
    }
    return status;
}

/* The shortest executions of a sequence, in its order and sorted. */
struct sequence_s {
    double random, sorted, surprises;
};

/* Where the measurement is. */
struct pass {
    const char *format, *isa;
    bool unit_stride;
    int n; /* passes before */
    int n_threads;
    double cache_B; /* an eighth of each thread's L2 */
    struct sp_machine *machine;
    struct sequence_s (*least)[N_SEQUENCES]; /* [SP_MAX_UNIT_COSTS], of the kernel at the same place */
};

/* Rows of a unit. */
static int rows_of(const char *format)
{
    const char *C = strchr(format, ':');
    return C ? atoi(C + 1) : 1;
}

/* Rows that have neighbouring columns: a chunk's, or a line of CRS; 0: none have. */
static int lanes_of(const struct pass *p)
{
    enum { LINE_ROWS = 8 };
    const int C = rows_of(p->format);
    return !p->unit_stride ? 0 : C > 1 ? C : LINE_ROWS;
}

static enum sp_status make_run(const struct pass *p, const int *length, int64_t n_r, struct run *run,
                               struct sp_error *err)
{
    struct sp_workload w = {
        .op = SP_OP_SPMV, .precision = SP_F64, .index = SP_I32, .schedule = SP_SCHEDULE_NNZ, .r = 1};
    memset(run, 0, sizeof *run);
    w.n_threads = p->n_threads;
    w.matrix = &run->matrix;
    enum sp_status status = sp_workload_set_format(&w, p->format, err);
    if (status == SP_OK)
        status = make_rows(length, n_r, lanes_of(p), &run->matrix, err);
    if (status == SP_OK)
        status = sp_layout_make(&w, true, NULL, &run->layout, err);
    if (status == SP_OK)
        status = sp_dense_make(&w, 1, &run->dense, err);
    return status;
}

/* The shortest execution of a few samples that nothing disturbed, or of some more [s]; NAN: it does
 * not run. */
static double time_of(const struct run *run, const struct sp_kernel *kernel, int n_samples)
{
    enum { PATIENCE = 4 };
    const int n_threads = run->layout.partition.n_threads;
    const struct sp_operands operands = {.x = run->dense.x};
    void *state = NULL, *p = NULL;
    double least = NAN;
    int64_t repetitions = 1;
    if (sp_new_array(2 * n_threads, sizeof(struct sp_thread_clock), "clocks", &p, NULL) != SP_OK)
        return NAN;
    struct sp_thread_clock *clock = p;
    if (kernel->prepare(&run->layout, &operands, &state, NULL) != SP_OK ||
        kernel->run(state, 1, NULL, NULL) != SP_OK) {
        kernel->release(state);
        free(clock);
        return NAN;
    }
    for (int i = 0, n_clean = 0; n_clean < n_samples && i < PATIENCE * n_samples;) {
        sp_thread_clocks(n_threads, clock);
        const double start = sp_now();
        if (kernel->run(state, repetitions, NULL, NULL) != SP_OK)
            break;
        const double took_s = sp_now() - start;
        sp_thread_clocks(n_threads, clock + n_threads);
        if (took_s < sample_s / 2 && repetitions < 1 << 20) {
            repetitions *= 2;
            continue;
        }
        least = fmin(took_s / (double)repetitions, isnan(least) ? INFINITY : least);
        n_clean += !sp_disturbance_between(clock, clock + n_threads, n_threads).disturbed;
        i++;
    }
    kernel->release(state);
    free(clock);
    return least;
}

/* ---- all kernels of a format ---- */

/* Bytes of a unit: values, indices, pointers and result. */
static double unit_B(int C, double length)
{
    return (double)C * (12 * length + 16);
}

/* "spmv/sell/avx2" and "spmv/sell/portable" */
static bool is_same_format(const char *a, const char *b)
{
    const size_t n = (size_t)(strrchr(a, '/') - a);
    return strncmp(a, b, n + 1) == 0;
}

/* Units of a thread that its cache holds: whole groups of rows that move in step, or the threads
 * after the first would begin within one, and no line of theirs would move. */
static double units_for(const struct pass *p, int C, double length)
{
    const double group = C == 1 && p->unit_stride ? lanes_of(p) : 1;
    return group * floor(fmin(16384, fmax(16, p->cache_B / unit_B(C, length))) / group);
}

static struct sp_unit_costs *costs_for(const struct pass *p, const struct sp_kernel *kernel,
                                       const struct sp_layout *l)
{
    struct sp_machine *m = p->machine;
    const int C = sp_format_of(l->format)->plain_rows ? 0 : l->C;
    for (int i = 0; i < m->n_units; i++)
        if (strcmp(m->unit[i].kernel, kernel->name) == 0 && m->unit[i].C == C &&
            m->unit[i].unit_stride == p->unit_stride && m->unit[i].n_threads == l->partition.n_threads)
            return &m->unit[i];
    if (m->n_units == SP_MAX_UNIT_COSTS)
        return NULL;
    struct sp_unit_costs *c = &m->unit[m->n_units++];
    memset(c, 0, sizeof *c);
    snprintf(c->kernel, sizeof c->kernel, "%s", kernel->name);
    snprintf(c->precision, sizeof c->precision, "%s", sp_precision_name(l->precision));
    c->C = C;
    c->unit_stride = p->unit_stride;
    c->n_threads = l->partition.n_threads;
    c->start_s = INFINITY;
    for (int i = 0; i < N_LENGTHS; i++) {
        c->length[i] = lengths[i];
        c->seconds[i] = INFINITY;
    }
    for (int i = 0; i < N_SEQUENCES; i++) {
        c->sequence[i] = sequences[i];
        p->least[c - m->unit][i] = (struct sequence_s){INFINITY, INFINITY, 1};
    }
    c->n_lengths = N_LENGTHS;
    return c;
}

/* Was it measured often enough, and found too slow to be chosen? */
static bool is_slow(const struct pass *p, const struct sp_unit_costs *c)
{
    bool is_known = p->n >= LEAST_PASSES - 1;
    for (int k = 0; k < N_LENGTHS && is_known; k++) {
        double least = INFINITY;
        for (int i = 0; i < p->machine->n_units; i++) {
            const struct sp_unit_costs *other = &p->machine->unit[i];
            if (other->C == c->C && other->unit_stride == c->unit_stride &&
                other->n_threads == c->n_threads && is_same_format(other->kernel, c->kernel))
                least = fmin(least, other->seconds[k]);
        }
        is_known = c->seconds[k] > near * least;
    }
    return is_known;
}

/* which -1: one entry a thread. */
static enum sp_status at_length(const struct pass *p, int which, struct sp_error *err)
{
    const int C = rows_of(p->format);
    const int each = which < 0 ? 1 : lengths[which];
    const int n_samples = which < 0 ? N_START_SAMPLES : N_SAMPLES;
    const double units = which < 0 ? 1 : units_for(p, C, each);
    const int64_t n_r = (int64_t)units * p->n_threads * C;
    const struct sp_kernel *kernel[SP_MAX_UNIT_COSTS];
    struct run run;
    void *length;
    enum sp_status status = sp_new_array(n_r, sizeof(int), "lengths", &length, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n_r; i++)
        ((int *)length)[i] = each;
    status = make_run(p, length, n_r, &run, err);
    const int n = status == SP_OK ? sp_kernel_candidates(&run.layout, p->isa, kernel, SP_MAX_UNIT_COSTS) : 0;
    for (int i = 0; i < n; i++) {
        struct sp_unit_costs *c = costs_for(p, kernel[i], &run.layout);
        double *least = !c ? NULL : which < 0 ? &c->start_s : &c->seconds[which];
        if (least && !is_slow(p, c))
            *least = fmin(*least, time_of(&run, kernel[i], n_samples) / units); /* NAN is not less */
    }
    run_free(&run);
    free(length);
    return status;
}

/* Each thread the same sequence; sorted: what it takes without surprises. */
static enum sp_status make_sequence(const struct pass *p, int64_t n, int C, bool sorted, int *length,
                                    struct run *run, struct sp_error *err)
{
    for (int t = 0; t < p->n_threads; t++) {
        struct sp_random random = {(uint64_t)n};
        for (int64_t i = 0; i < n; i++) {
            const int one = sorted ? 1 + (int)(i * LONGEST / n) : 1 + (int)sp_random_below(&random, LONGEST);
            for (int k = 0; k < C; k++)
                length[(t * n + i) * C + k] = one;
        }
    }
    return make_run(p, length, n * p->n_threads * C, run, err);
}

static enum sp_status count_surprises(const int *length, int64_t n, int C, double *surprises,
                                      struct sp_error *err)
{
    int64_t count;
    void *unit;
    enum sp_status status = sp_new_array(n, sizeof(int32_t), "lengths", &unit, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)unit)[i] = length[i * C];
    status = sp_unit_surprises(unit, n, &count, err);
    free(unit);
    *surprises = (double)count;
    return status;
}

/* Random lengths beside as many of each length in order: the difference is what their ends cost. */
static enum sp_status in_sequence(const struct pass *p, int which, struct sp_error *err)
{
    const int C = rows_of(p->format);
    const int64_t n = sequences[which];
    const struct sp_kernel *kernel[SP_MAX_UNIT_COSTS];
    struct run random = {.matrix = {0}}, sorted = {.matrix = {0}};
    double surprises = 0;
    void *length;
    enum sp_status status = sp_new_array(n * p->n_threads * C, sizeof(int), "lengths", &length, err);
    if (status != SP_OK)
        return status;
    status = make_sequence(p, n, C, true, length, &sorted, err);
    if (status == SP_OK)
        status = make_sequence(p, n, C, false, length, &random, err);
    if (status == SP_OK)
        status = count_surprises(length, n, C, &surprises, err);
    const int n_kernels =
        status == SP_OK ? sp_kernel_candidates(&random.layout, p->isa, kernel, SP_MAX_UNIT_COSTS) : 0;
    for (int i = 0; i < n_kernels; i++) {
        struct sp_unit_costs *c = costs_for(p, kernel[i], &random.layout);
        const double entries = (double)random.layout.n_nz / (double)sorted.layout.n_nz;
        if (!c || is_slow(p, c))
            continue;
        struct sequence_s *s = &p->least[c - p->machine->unit][which];
        s->random = fmin(s->random, time_of(&random, kernel[i], N_SAMPLES));
        s->sorted = fmin(s->sorted, entries * time_of(&sorted, kernel[i], N_SAMPLES));
        s->surprises = surprises;
    }
    run_free(&random);
    run_free(&sorted);
    free(length);
    return status;
}

static enum sp_status measure_format(const struct pass *p, const struct sp_progress *progress,
                                     struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = -1; i < N_LENGTHS && status == SP_OK; i++)
        status = sp_progress_interrupted(progress)
                     ? sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while measuring rows")
                     : at_length(p, i, err);
    const bool in_step = p->unit_stride && rows_of(p->format) == 1; /* none are, of random lengths */
    for (int i = 0; i < N_SEQUENCES && !in_step && status == SP_OK; i++) {
        const double each_B = sequences[i] * unit_B(rows_of(p->format), LONGEST / 2.0);
        if (i == 0 || (each_B <= most_B && each_B * p->n_threads <= most_of_all_B))
            status = in_sequence(p, i, err);
    }
    return status;
}

/* Sequences that were too long for many threads: what they cost one thread. */
static void add_longer(struct sp_machine *m, struct sp_unit_costs *c)
{
    for (int i = 0; i < m->n_units; i++) {
        const struct sp_unit_costs *one = &m->unit[i];
        if (one->n_threads == 1 && one->C == c->C && one->unit_stride == c->unit_stride &&
            strcmp(one->kernel, c->kernel) == 0)
            for (; c->n_sequences < one->n_sequences; c->n_sequences++)
                c->surprise_s[c->n_sequences] = one->surprise_s[c->n_sequences];
    }
}

/* Rows of CRS that go together end as others do. */
static void take_sequences(const struct sp_machine *m, int n, struct sp_unit_costs *c)
{
    for (int i = 0; i < n && c->unit_stride && c->C == 0; i++) {
        const struct sp_unit_costs *plain = &m->unit[i];
        if (plain->unit_stride || plain->C != 0 || plain->n_threads != c->n_threads ||
            strcmp(plain->kernel, c->kernel) != 0)
            continue;
        c->n_sequences = plain->n_sequences;
        memcpy(c->surprise_s, plain->surprise_s, sizeof c->surprise_s);
    }
}

/* What ends cost; kernels of which a time is missing are dropped. Half of a time at most is its
 * start: where that were more, the start was disturbed. */
static void conclude(const struct pass *p)
{
    struct sp_machine *m = p->machine;
    int kept = 0;
    for (int i = 0; i < m->n_units; i++) {
        struct sp_unit_costs c = m->unit[i];
        bool whole = c.start_s < INFINITY;
        for (int k = 0; k < N_LENGTHS; k++) {
            const double start_s = c.start_s / units_for(p, c.C > 0 ? c.C : 1, c.length[k]);
            c.seconds[k] -= fmin(start_s, c.seconds[k] / 2);
            whole = whole && c.seconds[k] < INFINITY;
        }
        for (int k = 0; k < N_SEQUENCES && p->least[i][k].sorted < INFINITY; k++) {
            const struct sequence_s *s = &p->least[i][k];
            c.surprise_s[c.n_sequences++] = fmax(0, s->random - s->sorted) / s->surprises;
        }
        take_sequences(m, kept, &c);
        if (whole && c.n_sequences > 0) {
            sp_unit_costs_settle(&c);
            m->unit[kept++] = c;
        }
    }
    m->n_units = kept;
    for (int i = 0; i < kept; i++)
        add_longer(m, &m->unit[i]);
}

enum sp_status sp_measure_units(const struct sp_topology *t, int n_threads, const char *isa, double budget_s,
                                const struct sp_progress *progress, struct sp_machine *machine,
                                struct sp_error *err)
{
    const double until = sp_now() + budget_s, few_B = 64 << 10;
    const int n_counts = n_threads > 1 ? 2 : 1;
    struct pass p = {.isa = isa,
                     .cache_B = t->n_caches > 1 && t->cache[1].cores_sharing > 0
                                    ? 0.125 * (double)t->cache[1].size_B / t->cache[1].cores_sharing
                                    : few_B,
                     .machine = machine};
    void *least;
    enum sp_status status = sp_new_array(SP_MAX_UNIT_COSTS, sizeof *p.least, "times of rows", &least, err);
    if (status != SP_OK)
        return status;
    p.least = least;
    machine->n_units = 0;
    double took_s = 0;
    do {
        const double start = sp_now();
        for (int i = 0; i < N_FORMATS * n_counts && status == SP_OK; i++) {
            const int which = (i + p.n) % N_FORMATS; /* what comes first after a change of threads is slow */
            p.format = formats[which].format;
            p.unit_stride = formats[which].unit_stride;
            p.n_threads = i < N_FORMATS ? n_threads : 1;
            sp_progress_step(progress, "measuring rows and chunks", (double)i / (N_FORMATS * n_counts));
            status = measure_format(&p, progress, err);
        }
        took_s = sp_now() - start;
        p.n++;
    } while (status == SP_OK &&
             (sp_now() + took_s < until || (p.n < LEAST_PASSES && sp_now() < until + budget_s)));
    conclude(&p);
    free(least);
    return status;
}

enum { MOST_SIZES = 16, SAMPLES = 7, REPETITIONS = 64, LEAST_LINES = 1024, MOST_LINES = 8192, LINE = 64 };
static const size_t small_B = (size_t)64 << 20; /* of 4 KiB pages; fresh memory is expensive */

/* Lines that stay in the L2: half of what one core has of it, a power of two. */
static int64_t lines_of(const struct sp_topology *t)
{
    const int k = t->n_caches > 1 ? 1 : 0;
    const int64_t sharing = t->n_caches > 0 && t->cache[k].cores_sharing > 0 ? t->cache[k].cores_sharing : 1,
                  half = t->n_caches > 0 ? t->cache[k].size_B / 2 / sharing / LINE : 0;
    int64_t n = LEAST_LINES;
    while (2 * n <= half && n < MOST_LINES)
        n *= 2;
    return n;
}

static void measure_row(const char *memory, size_t bytes, int64_t n_lines, bool huge, int n_threads,
                        struct sp_machine *machine)
{
    double size[MOST_SIZES], seconds[MOST_SIZES], sample[SAMPLES];
    int n = 0;
    for (size_t b = (size_t)n_lines * LINE; b <= bytes && n < MOST_SIZES; b *= 2) {
        for (int i = 0; i < SAMPLES; i++)
            sample[i] = sp_ceiling_scattered(memory, b, n_lines, n_threads, REPETITIONS);
        size[n] = (double)b;
        seconds[n++] = sp_median(sample, SAMPLES);
    }
    struct sp_page_costs c = {.huge = huge, .n_threads = n_threads};
    if (machine->n_pages < SP_MAX_PAGE_COSTS && sp_page_costs_of(n, size, seconds, &c))
        machine->page[machine->n_pages++] = c;
}

void sp_measure_pages(const struct sp_ceiling_arena *arena, const struct sp_topology *t, int n_threads,
                      double budget_s, const struct sp_progress *progress, struct sp_machine *machine)
{
    const double until = sp_now() + budget_s;
    const int64_t n_lines = lines_of(t);
    machine->n_pages = 0;
    for (int huge = 1; huge >= 0; huge--) {
        const size_t bytes = huge ? arena->bytes : small_B;
        void *memory = arena->memory;
        if (!huge && sp_large_alloc(&sp_allocator_plain, (int64_t)bytes, 1, "pages", &memory, NULL) != SP_OK)
            return;
        if (!huge)
            memset(memory, 0, bytes);
        for (int all = 0; all <= (n_threads > 1); all++) {
            sp_progress_step(progress, "measuring page tables", -1);
            if (sp_now() < until && !sp_progress_interrupted(progress))
                measure_row(memory, bytes, n_lines, huge, all ? n_threads : 1, machine);
        }
        if (!huge)
            sp_large_free(&sp_allocator_plain, memory, (int64_t)bytes, 1);
    }
}
