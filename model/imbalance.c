#include "model/imbalance.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static int domain_of(const int *domain_of_thread, int thread)
{
    return domain_of_thread ? domain_of_thread[thread] : 0;
}

/* One domain: all its active threads have the same rate, so they finish in the order of their bytes. Between
 * two finishes `level` (bytes that every active thread has moved) rises from one thread's bytes to the
 * next larger. */
static double run_domain(int n_threads, const double *bytes, const int *domain_of_thread, int domain,
                         struct sp_fluid_rates rates, double *finish_s)
{
    double level = 0, now = 0;
    for (;;) {
        int n_active = 0;
        double next = INFINITY;
        for (int t = 0; t < n_threads; t++)
            if (domain_of(domain_of_thread, t) == domain && bytes[t] > level) {
                n_active++;
                next = fmin(next, bytes[t]);
            }
        if (n_active == 0)
            return now;
        now += (next - level) / fmin(rates.b_1, rates.b_S / n_active);
        level = next;
        for (int t = 0; finish_s && t < n_threads; t++)
            if (domain_of(domain_of_thread, t) == domain && bytes[t] == next)
                finish_s[t] = now;
    }
}

struct sp_fluid sp_fluid_model(int n_threads, const double *bytes, int n_domains, const int *domain_of_thread,
                               struct sp_fluid_rates rates, double *finish_s)
{
    assert(n_threads >= 1 && n_domains >= 1 && rates.b_1 > 0 && rates.b_S > 0);
    double sum = 0;
    for (int t = 0; t < n_threads; t++) {
        assert(bytes[t] >= 0);
        sum += bytes[t];
        if (finish_s)
            finish_s[t] = 0;
    }
    double mean = sum / n_threads;
    struct sp_fluid fluid = {.lambda = sp_lambda(bytes, n_threads)};
    for (int d = 0; d < n_domains; d++) {
        int n = 0;
        for (int t = 0; t < n_threads; t++)
            n += domain_of(domain_of_thread, t) == d;
        fluid.time_s = fmax(fluid.time_s, run_domain(n_threads, bytes, domain_of_thread, d, rates, finish_s));
        if (n > 0)
            fluid.equal_s = fmax(fluid.equal_s, mean / fmin(rates.b_1, rates.b_S / n));
    }
    /* Unequal domains can make equal shares the slower ones: then nothing is lost by this schedule. */
    fluid.loss_s = fmax(0, fluid.time_s - fluid.equal_s);
    fluid.gain = fluid.time_s > 0 ? fluid.loss_s / fluid.time_s : 0;
    return fluid;
}

double sp_lambda(const double *x, int n)
{
    double sum = 0, max = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        max = fmax(max, x[i]);
    }
    return sum > 0 ? max * n / sum : 1;
}
