#include "sys/machine/core_to_core.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/reading.h"
#include "sys/noise.h"

static const double budget_s = 0.7e-3, patience_s = 20e-3;
static const double absurd_s = 1e-6; /* a thread was taken off its processor in every burst */
static const double smt_s = 18e-9, shared_s = 70e-9, split_s = 110e-9, gap_factor = 2;
static const double own_share = 0.75, own_width = 0.9; /* of its speed, of the most: a core of its own */
enum { few = 3 /* latencies that make a mode: fewer are outliers */ };
enum { BURST = 64 /* round trips */, SPINS = 512 /* between looks at the clock */ };
enum { TRIES = 5, STEPS = 4000, FILLS = 2500, LINKS = 2500 /* 7, 6 and 2 us of them */ };

struct court {
    _Alignas(128) atomic_uint_fast64_t ball;
    _Alignas(128) atomic_int stop; /* 1: enough, 2: out of patience */
};

/* Waits until the ball shows `turn`; false when the game is over. */
static bool await(struct court *court, uint_fast64_t turn, double deadline_s)
{
    for (int spin = 0;; spin++) {
        if (atomic_load_explicit(&court->ball, memory_order_acquire) == turn)
            return true;
        if (spin % SPINS == SPINS - 1) {
            if (atomic_load_explicit(&court->stop, memory_order_relaxed))
                return false;
            if (sp_now() > deadline_s) {
                atomic_store(&court->stop, 2);
                return false;
            }
        }
    }
}

/* Serves and keeps the time of each burst. Returns the best one-way latency, 0: none finished. */
static double serve(struct court *court, double start_s)
{
    double best = 0, deadline = start_s + patience_s;
    uint_fast64_t turn = 0;
    while (sp_now() < start_s + budget_s) {
        double t = sp_now();
        for (int k = 0; k < BURST; k++, turn += 2) {
            if (!await(court, turn, deadline))
                return best;
            atomic_store_explicit(&court->ball, turn + 1, memory_order_release);
        }
        if (!await(court, turn, deadline))
            return best;
        t = (sp_now() - t) / (2 * BURST);
        if (best == 0 || t < best)
            best = t;
    }
    atomic_store(&court->stop, 1);
    return best;
}

static void answer(struct court *court, double start_s)
{
    for (uint_fast64_t turn = 1; await(court, turn, start_s + patience_s); turn += 2)
        atomic_store_explicit(&court->ball, turn + 1, memory_order_release);
}

double sp_core_to_core(int n_threads, int a, int b)
{
    struct court court = {0};
    double best = 0;
    if (a == b || a >= n_threads || b >= n_threads)
        return 0;
    double start = sp_now();
#pragma omp parallel num_threads(n_threads) shared(court, best)
    {
        int me = omp_get_thread_num();
        if (me == a && omp_get_num_threads() == n_threads)
            best = serve(&court, start);
        else if (me == b && omp_get_num_threads() == n_threads)
            answer(&court, start);
    }
    return best < absurd_s ? best : 0;
}

/* Where a double is multiplied. */
#if defined __x86_64__ || defined __i386__
#define IN_UNIT(x) "+x"(x)
#elif defined __aarch64__
#define IN_UNIT(x) "+w"(x)
#else
#define IN_UNIT(x) "+f"(x)
#endif

/* Chains of multiplications that wait for nothing but the units of the core: two threads of one
 * core take twice as long. The compiler may neither leave them out nor join them to vectors. */
static double multiply(double x)
{
    const double by = 0.99;
    double a = x, b = x + 1, c = x + 2, d = x + 3, e = x + 4, f = x + 5, g = x + 6, h = x + 7, i = x + 8,
           j = x + 9, k = x + 10, l = x + 11;
    for (int step = 0; step < STEPS; step++) {
        a *= by, b *= by, c *= by, d *= by, e *= by, f *= by;
        g *= by, h *= by, i *= by, j *= by, k *= by, l *= by;
        __asm__ volatile("" : IN_UNIT(a), IN_UNIT(b), IN_UNIT(c), IN_UNIT(d), IN_UNIT(e), IN_UNIT(f));
        __asm__ volatile("" : IN_UNIT(g), IN_UNIT(h), IN_UNIT(i), IN_UNIT(j), IN_UNIT(k), IN_UNIT(l));
    }
    return a + b + c + d + e + f + g + h + i + j + k + l;
}

/* Six instructions a cycle that wait for nothing: more than a core takes from two threads. */
static double fill(double x)
{
    const double by = 0.99;
    double a = x, b = x + 1, c = x + 2, d = x + 3, e = x + 4, f = x + 5;
    long p = 1, q = 2, r = 3, s = 4, t = 5, u = 6;
    for (long step = 0; step < FILLS; step++) {
        a *= by, p += step, q += step, b *= by, r += step, s += step;
        c *= by, t += step, u += step, d *= by, p ^= step, q ^= step;
        e *= by, r ^= step, s ^= step, f *= by, t ^= step, u ^= step;
        __asm__ volatile("" : IN_UNIT(a), IN_UNIT(b), IN_UNIT(c), IN_UNIT(d), IN_UNIT(e), IN_UNIT(f));
        __asm__ volatile("" : "+r"(p), "+r"(q), "+r"(r), "+r"(s), "+r"(t), "+r"(u));
    }
    return a + b + c + d + e + f + (double)(p + q + r + s + t + u);
}
enum { FILLING = 18 /* instructions a step */ };

/* Each multiplication waits for the one before: no other thread slows that, only the clock does. */
static double chain(double x)
{
    const double by = 0.99;
    for (int link = 0; link < LINKS; link++) {
        x *= by;
        __asm__ volatile("" : IN_UNIT(x));
    }
    return x;
}

static double seconds_of(double (*work)(double x), double x)
{
    const double start = sp_now();
    volatile double kept = work(x);
    (void)kept;
    return sp_now() - start;
}

struct meeting {
    _Alignas(128) atomic_int arrived;
    _Alignas(128) atomic_int given_up;
};

/* Returns when n threads have come for the `times`th time; false: one did not run in time. */
static bool meet(struct meeting *meeting, int n, int times, double deadline_s)
{
    atomic_fetch_add(&meeting->arrived, 1);
    for (int spin = 1; atomic_load_explicit(&meeting->arrived, memory_order_acquire) < n * times; spin++) {
        if (spin % SPINS)
            continue;
        if (sp_now() > deadline_s)
            atomic_store(&meeting->given_up, 1);
        if (atomic_load_explicit(&meeting->given_up, memory_order_relaxed))
            return false;
    }
    return true;
}

/* One try of one thread; false: not all have met. */
static bool try_core(struct meeting *meeting, int me, int n, double deadline_s, double *share, double *width)
{
    enum { FILL, ALL, EVEN, ODD, N_PHASES };
    double together = 0, alone = 0;
    for (int phase = FILL; phase < N_PHASES; phase++) {
        if (!meet(meeting, n, phase + 1, deadline_s))
            return false;
        if (phase == FILL) {
            const double fill_s = seconds_of(fill, 1 + me), chain_s = seconds_of(chain, 1 + me);
            *width = (double)FILLING * FILLS / fill_s * chain_s / LINKS;
        } else if (phase == ALL) {
            together = seconds_of(multiply, 1 + me);
        } else if (me % 2 == phase - EVEN) {
            alone = seconds_of(multiply, 1 + me);
        }
    }
    *share = fmin(1, alone / together);
    return true;
}

void sp_core_crowd(int n_threads, int n_active, struct sp_core_look *look)
{
    double share[TRIES], width[TRIES];
    int n = 0;
    look->share = look->width = 0;
    if (n_active < 1 || n_active > n_threads || sp_disturbance_is_ignored())
        return;
    for (; n < TRIES; n++) {
        struct meeting meeting = {0};
        double least_share = 1, least_width = INFINITY;
        const double deadline = sp_now() + patience_s;
#pragma omp parallel num_threads(n_threads) shared(meeting)                                                  \
    reduction(min                                                                                            \
              : least_share, least_width) if (n_threads > 1)
        {
            const int me = omp_get_thread_num();
            if (omp_get_num_threads() != n_threads ||
                (me < n_active && !try_core(&meeting, me, n_active, deadline, &least_share, &least_width)))
                least_width = 0;
        }
        if (least_width == 0)
            break;
        share[n] = least_share;
        width[n] = least_width;
    }
    if (n == 0)
        return;
    look->share = n_active > 1 ? sp_median(share, n) : 0;
    look->width = sp_median(width, n);
}

bool sp_core_await(int n_threads, double widest, double at_most_s)
{
    const double until = sp_now() + at_most_s;
    struct sp_core_look look = {0};
    if (!(widest > 0))
        return true;
    do /* without rest: a processor that sleeps returns slowly */
        sp_core_crowd(n_threads, n_threads, &look);
    while (sp_core_is_crowded(&look, widest) && sp_now() < until);
    return !sp_core_is_crowded(&look, widest);
}

bool sp_core_is_crowded(const struct sp_core_look *look, double widest)
{
    return (look->share > 0 && look->share < own_share) ||
           (look->width > 0 && look->width < own_width * widest);
}

const char *sp_core_mode_name(enum sp_core_mode mode)
{
    static const char *const names[] = {"unknown", "single", "smt", "shared", "split"};
    return names[mode];
}

void sp_core_history_add(struct sp_core_history *h, const struct sp_core_look *look)
{
    const double x = look->latency_s;
    h->widest = fmax(h->widest, look->width);
    if (x <= 0)
        return;
    if (h->n == SP_CORE_HISTORY) { /* drop every second, not the extremes */
        int kept = 0;
        for (int i = 0; i < h->n; i++)
            if (i == 0 || i == h->n - 1 || i % 2)
                h->latency_s[kept++] = h->latency_s[i];
        h->n = kept;
    }
    int i = h->n++;
    for (; i > 0 && h->latency_s[i - 1] > x; i--)
        h->latency_s[i] = h->latency_s[i - 1];
    h->latency_s[i] = x;
}

enum sp_core_mode sp_core_classify(const struct sp_core_history *history, struct sp_core_look look)
{
    const double latency_s = look.latency_s;
    if (look.share > 0 && look.share < own_share)
        return SP_CORE_SMT;
    if (latency_s <= 0)
        return SP_CORE_UNKNOWN;
    double factor = 1, low = 0, high = 0;
    for (int i = few; i <= history->n - few; i++) {
        double a = history->latency_s[i - 1], b = history->latency_s[i];
        if (a >= smt_s && b / a > factor) {
            factor = b / a;
            low = a;
            high = b;
        }
    }
    if (latency_s < smt_s)
        return SP_CORE_SMT;
    if (factor >= gap_factor)
        return latency_s <= low ? SP_CORE_SHARED : latency_s >= high ? SP_CORE_SPLIT : SP_CORE_UNKNOWN;
    return latency_s < shared_s ? SP_CORE_SHARED : latency_s > split_s ? SP_CORE_SPLIT : SP_CORE_UNKNOWN;
}
