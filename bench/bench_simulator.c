/* References per second of the cache simulation, beside what bounds it: the mere trace.
 *     bench_simulator [stencil N | laplace N SEED | random ROWS N_NZR SEED] [MiB]
 * stencil: 27 points on N^3, natural order. laplace: 7 points on N^3, permuted. A reference is one access to
 * one element; the capacity (20 MiB unless given) is that of the last level. Everything runs on one core and
 * is timed in processor time, so that other programs disturb it little. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "model/cache/reuse.h"
#include "model/volume/traffic.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/format_ids.h"
#include "sparse/formats/layout.h"
#include "tests/plain_layout.h"

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int32_t *permutation(int64_t n, uint64_t seed)
{
    int32_t *p = malloc((size_t)n * sizeof *p);
    struct sp_random random = {seed};
    for (int64_t i = 0; i < n; i++)
        p[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = sp_random_below(&random, i + 1);
        int32_t swap = p[i];
        p[i] = p[j];
        p[j] = swap;
    }
    return p;
}

static int by_column(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

/* Points of a cube of n^3 whose distance in each direction is at most 1; faces: in one direction only. */
static void stencil(int64_t n, bool faces, const int32_t *perm, struct sp_csr *a)
{
    int64_t n_r = n * n * n, room = n_r * (faces ? 7 : 27), k = 0;
    sp_csr_alloc(n_r, n_r, room, SP_FIELD_REAL, NULL, a, NULL);
    int32_t *at = malloc((size_t)n_r * sizeof *at); /* point of each row */
    for (int64_t i = 0; i < n_r; i++)
        at[perm ? perm[i] : i] = (int32_t)i;
    for (int64_t row = 0; row < n_r; row++) {
        int64_t p = at[row], x = p % n, y = p / n % n, z = p / n / n, first = k;
        for (int64_t d = 0; d < 27; d++) {
            int64_t i = x + d % 3 - 1, j = y + d / 3 % 3 - 1, l = z + d / 9 - 1;
            if (i < 0 || j < 0 || l < 0 || i >= n || j >= n || l >= n)
                continue;
            if (faces && (i != x) + (j != y) + (l != z) > 1)
                continue;
            int64_t q = (l * n + j) * n + i;
            a->col[k++] = perm ? perm[q] : (int32_t)q;
        }
        if (perm)
            qsort(a->col + first, (size_t)(k - first), sizeof *a->col, by_column);
        a->row_ptr[row + 1] = k;
    }
    a->n_nz = k;
    free(at);
}

static void random_rows(int64_t n, int64_t n_nzr, uint64_t seed, struct sp_csr *a)
{
    struct sp_random random = {seed};
    sp_csr_alloc(n, n, n * n_nzr, SP_FIELD_REAL, NULL, a, NULL);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n_nzr; j++)
            a->col[i * n_nzr + j] = (int32_t)sp_random_below(&random, n);
        qsort(a->col + i * n_nzr, (size_t)n_nzr, sizeof *a->col, by_column);
        a->row_ptr[i + 1] = (i + 1) * n_nzr;
    }
}

static struct sp_cache cache(int level, int64_t size_B, int ways)
{
    return (struct sp_cache){.level = level,
                             .size_B = size_B,
                             .effective_B = sp_value_none("described"),
                             .line_B = 64,
                             .ways = ways,
                             .cores_sharing = 1,
                             .policy = SP_LRU};
}

static void bench_trace(const struct sp_layout *l)
{
    struct sp_trace trace;
    struct sp_trace_options to = {0};
    sp_trace_open(l, &to, &trace, NULL);
    struct sp_trace_piece piece;
    int64_t n = 0;
    double t = cpu_s();
    sp_trace_rewind(&trace, 0);
    while (sp_trace_next(&trace, &piece))
        n += piece.n_events;
    t = cpu_s() - t;
    printf("  trace alone                  %7.1f M refs/s  (%.2f events a reference)\n",
           (double)trace.n_references / t / 1e6, (double)n / (double)trace.n_references);
    sp_trace_close(&trace);
}

static void bench_sim(const struct sp_layout *l, const struct sp_machine *m, bool llc_only,
                      enum sp_sim_state state, const char *what)
{
    struct sp_sim_options o = sp_sim_default(m);
    o.llc_only = llc_only;
    o.state = state;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    struct sp_sim_facts facts;
    int n_levels;
    double t = cpu_s();
    if (sp_sim_traffic(l, &o, traffic, &n_levels, &facts, NULL) != SP_OK)
        exit(1);
    t = cpu_s() - t;
    printf("  %-28s %7.1f M refs/s  alpha %.4f, %.1f MB read, %.1f MB written\n", what,
           (double)facts.n_references / t / 1e6, sp_traffic_alpha(l, &traffic[n_levels - 1]),
           traffic[n_levels - 1].read_B.value / 1e6, traffic[n_levels - 1].write_B.value / 1e6);
}

static void bench_reuse(const struct sp_layout *l, int64_t llc_B)
{
    struct sp_reuse_options o = {.rate = 1, .seed = 1};
    struct sp_reuse exact, sampled;
    double t = cpu_s();
    if (sp_reuse_curve(l, &o, &exact, NULL) != SP_OK)
        exit(1);
    t = cpu_s() - t;
    const struct sp_reuse_size *s = sp_reuse_at(&exact, llc_B);
    printf("  all sizes, exact             %7.1f M refs/s  alpha %.4f warm, %.4f cold; x once from %.1f MB\n",
           (double)exact.n_references / t / 1e6, s->alpha_warm, s->alpha_cold, (double)exact.x_once_B / 1e6);
    o.rate = 0;
    t = cpu_s();
    if (sp_reuse_curve(l, &o, &sampled, NULL) != SP_OK)
        exit(1);
    t = cpu_s() - t;
    const struct sp_reuse_size *e = sp_reuse_at(&sampled, llc_B);
    printf("  all sizes, sampled 1/%-5.0f   %7.1f M refs/s  alpha %.4f [%.4f, %.4f] warm\n", 1 / sampled.rate,
           (double)sampled.n_references / t / 1e6, e->alpha_warm, e->alpha_warm_lo, e->alpha_warm_hi);
    double worst_alpha = 0, worst_B = 0;
    int outside = 0, n = 0;
    for (int i = 0; i < exact.n_sizes && i < sampled.n_sizes; i++) {
        const struct sp_reuse_size *a = &exact.size[i], *b = &sampled.size[i];
        if (a->capacity_B < 1 << 20)
            continue;
        worst_alpha =
            fmax(worst_alpha, fabs(b->alpha_warm - a->alpha_warm) / fmax(a->alpha_warm, exact.alpha_min));
        worst_B = fmax(worst_B, fabs(b->warm_B - a->warm_B) / exact.size[0].warm_B);
        n++;
        outside += a->alpha_warm < b->alpha_warm_lo || a->alpha_warm > b->alpha_warm_hi;
    }
    printf(
        "    against exact, sizes from 1 MiB: alpha off by up to %.2f %%, traffic by %.2f %% of its largest; "
        "%d of %d outside the stated interval\n",
        100 * worst_alpha, 100 * worst_B, outside, n);
    sp_reuse_free(&exact);
    sp_reuse_free(&sampled);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "stencil";
    int64_t n = argc > 2 ? atoll(argv[2]) : 128;
    struct sp_csr a;
    int last = 3;
    if (strcmp(kind, "stencil") == 0) {
        stencil(n, false, NULL, &a);
    } else if (strcmp(kind, "laplace") == 0) {
        int32_t *p = permutation(n * n * n, argc > 3 ? (uint64_t)atoll(argv[3]) : 7);
        stencil(n, true, p, &a);
        free(p);
        last = 4;
    } else if (strcmp(kind, "random") == 0) {
        random_rows(n, argc > 3 ? atoll(argv[3]) : 10, argc > 4 ? (uint64_t)atoll(argv[4]) : 1, &a);
        last = 5;
    } else {
        fprintf(stderr,
                "usage: bench_simulator [stencil N | laplace N SEED | random ROWS N_NZR SEED] [MiB]\n");
        return 2;
    }
    int64_t llc_B = (argc > last ? atoll(argv[last]) : 20) << 20;
    struct sp_layout l;
    struct sp_error err;
    if (plain_layout(&a, SP_FORMAT_CRS, 1, 1, &l, &err) != SP_OK) {
        fprintf(stderr, "%s\n", err.what);
        return 1;
    }
    sp_csr_free(&a);
    struct sp_machine m = {.n_caches = 3};
    m.cache[0] = cache(1, 32 << 10, 8);
    m.cache[1] = cache(2, 1 << 20, 8);
    m.cache[2] = cache(3, llc_B, 16);
    printf("%s %lld: %lld rows, %lld entries, last level %lld MiB\n", kind, (long long)n, (long long)l.n_r,
           (long long)l.n_nz, (long long)(llc_B >> 20));
    bench_trace(&l);
    bench_sim(&l, &m, true, SP_SIM_COLD, "one level, cold");
    bench_sim(&l, &m, true, SP_SIM_WARM, "one level, warm");
    bench_sim(&l, &m, false, SP_SIM_COLD, "three levels, cold");
    bench_sim(&l, &m, false, SP_SIM_WARM, "three levels, warm");
    m.cache[2].victim = true;
    bench_sim(&l, &m, false, SP_SIM_COLD, "the last a victim, cold");
    bench_sim(&l, &m, false, SP_SIM_WARM, "the last a victim, warm");
    bench_reuse(&l, llc_B);
    sp_layout_free(&l);
    return 0;
}
