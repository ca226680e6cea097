#include "base/reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const origin_names[SP_N_ORIGINS] = {"unknown",  "measured", "simulated",
                                                       "modelled", "stated",   "constructed"};

const char *sp_origin_name(enum sp_origin origin)
{
    return origin < SP_N_ORIGINS ? origin_names[origin] : origin_names[SP_NONE];
}

enum sp_origin sp_origin_from_name(const char *name)
{
    for (int i = 0; i < SP_N_ORIGINS; i++)
        if (strcmp(name, origin_names[i]) == 0)
            return (enum sp_origin)i;
    return SP_NONE;
}

struct sp_value sp_value_of(double value, enum sp_origin origin)
{
    return sp_value_between(value, value, value, origin);
}

struct sp_value sp_value_between(double value, double lo, double hi, enum sp_origin origin)
{
    return (struct sp_value){.value = value, .lo = lo, .hi = hi, .origin = origin};
}

struct sp_value sp_value_none(const char *why)
{
    return (struct sp_value){.origin = SP_NONE, .why = why};
}

struct sp_value sp_value_sum(struct sp_value a, struct sp_value b)
{
    return sp_value_between(a.value + b.value, a.lo + b.lo, a.hi + b.hi, a.origin);
}

const char *sp_array_name(enum sp_array array)
{
    static const char *const names[SP_N_ARRAYS] = {
        "values", "indices", "pointers", "permutation", "x", "rows", "y", "other",
    };
    return array < SP_N_ARRAYS ? names[array] : "unknown";
}

static const char *const effort_names[SP_N_EFFORTS] = {"option", "storage", "order", "program"};

const char *sp_effort_name(enum sp_effort effort)
{
    return effort_names[effort];
}

enum sp_effort sp_effort_from_name(const char *name)
{
    for (int i = 0; name && i < SP_N_EFFORTS; i++)
        if (strcmp(name, effort_names[i]) == 0)
            return (enum sp_effort)i;
    return SP_EFFORT_OPTION;
}

void sp_reading_free(struct sp_reading *reading)
{
    if (!reading)
        return;
    free(reading->sample_s);
    free(reading->disturbed);
    free(reading->thread_s);
    memset(reading, 0, sizeof *reading);
}

static const char *const direction_names[SP_N_DIRECTIONS] = {"read", "write", "both"};

const char *sp_direction_name(enum sp_direction direction)
{
    return direction_names[direction];
}

int sp_direction_from_name(const char *name)
{
    for (int d = 0; d < SP_N_DIRECTIONS; d++)
        if (strcmp(direction_names[d], name) == 0)
            return d;
    return -1;
}

/* Larger doubles have larger keys. */
static uint64_t key_of(double x)
{
    static const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static double of_key(uint64_t key)
{
    static const uint64_t sign = (uint64_t)1 << 63;
    const uint64_t bits = key & sign ? key ^ sign : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The least key that more than k elements do not exceed, bisected: of any number without a copy. */
static uint64_t key_by_bisection(const double *x, int64_t n, int64_t k)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = key_of(x[i]);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    while (least < most) {
        const uint64_t middle = least + (most - least) / 2;
        int64_t within = 0;
        for (int64_t i = 0; i < n; i++)
            within += key_of(x[i]) <= middle;
        if (within > k)
            most = middle;
        else
            least = middle + 1;
    }
    return least;
}

/* The key that sorting would put at place k, by parting [Hoare, Algorithm 65]; moves them. */
static uint64_t key_by_parting(uint64_t *key, int64_t n, int64_t k)
{
    int64_t first = 0, last = n - 1;
    while (first < last) {
        const uint64_t pivot = key[first + (last - first) / 2];
        int64_t i = first, j = last;
        while (i <= j) {
            while (key[i] < pivot)
                i++;
            while (key[j] > pivot)
                j--;
            if (i <= j) {
                const uint64_t kept = key[i];
                key[i++] = key[j];
                key[j--] = kept;
            }
        }
        if (k > j && k < i)
            break;
        if (k <= j)
            last = j;
        else
            first = i;
    }
    return key[k];
}

/* The element that sorting would put at place k, and *next behind it (NULL: not asked for). Nothing
 * is allocated, so no statistic fails. */
static double order_statistic(const double *x, int64_t n, int64_t k, double *next)
{
    enum { COPIED = 1024 };
    uint64_t key[COPIED], least = UINT64_MAX;
    if (n > COPIED) {
        if (next)
            *next = of_key(key_by_bisection(x, n, k + 1));
        return of_key(key_by_bisection(x, n, k));
    }
    for (int64_t i = 0; i < n; i++)
        key[i] = key_of(x[i]);
    const double found = of_key(key_by_parting(key, n, k));
    for (int64_t i = k + 1; next && i < n; i++) /* where parting has left none that is less */
        least = key[i] < least ? key[i] : least;
    if (next)
        *next = of_key(least);
    return found;
}

double sp_quantile(const double *x, int64_t n, double q)
{
    const double place = q * (double)(n - 1);
    const int64_t i = (int64_t)place;
    if (i >= n - 1)
        return order_statistic(x, n, n - 1, NULL);
    double above;
    const double below = order_statistic(x, n, i, &above);
    return below + (place - (double)i) * (above - below);
}

double sp_median(const double *x, int64_t n)
{
    return sp_quantile(x, n, 0.5);
}

struct sp_value sp_median_interval(const double *x, int64_t n, enum sp_origin origin)
{
    int64_t lo = 0, hi = n - 1;
    if (n >= 6) {
        /* ranks n/2 -+ 1.96 sqrt(n)/2: the order statistics around the median in 95 % of cases */
        double half = 0.98 * sqrt((double)n);
        lo = (int64_t)floor((double)n / 2 - half);
        hi = (int64_t)ceil((double)n / 2 + half);
        lo = lo < 0 ? 0 : lo;
        hi = hi > n - 1 ? n - 1 : hi;
    }
    return sp_value_between(sp_median(x, n), order_statistic(x, n, lo, NULL), order_statistic(x, n, hi, NULL),
                            origin);
}

double sp_relative_spread(const double *x, int64_t n)
{
    if (n < 2)
        return 0;
    const double median = sp_median(x, n);
    return median > 0 ? (sp_quantile(x, n, 0.75) - sp_quantile(x, n, 0.25)) / median : 0;
}
