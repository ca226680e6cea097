/* Load imbalance where a bandwidth is shared: the fluid model [THEORY 8].
 *
 * Each of n active threads of a domain progresses at min(b_1, b_S/n) bytes a second. When others finish the
 * straggler speeds up, so in a saturated domain the loss is *not* (lambda - 1) t. */
#ifndef SP_MODEL_IMBALANCE_H
#define SP_MODEL_IMBALANCE_H

struct sp_fluid_rates {
    double b_1; /* what one thread can draw alone [B/s]; where the core is slower, its rate of using bytes */
    double b_S; /* what one domain gives to all its threads [B/s] */
};

struct sp_fluid {
    double time_s;  /* until the last thread has finished */
    double equal_s; /* the same bytes in equal shares: the counterfactual */
    double loss_s;  /* time_s - equal_s */
    double gain;    /* loss_s/time_s: share of the time that balance would save; 0 for no bytes */
    double lambda;  /* max/mean of the bytes over threads; 1 for no bytes */
};

/* bytes[n_threads] >= 0 of each thread; domain_of_thread[n_threads] in [0, n_domains) or NULL: all in 0.
 * finish_s[n_threads]: receives when each thread finishes, or NULL. Rates > 0. Equal shares are equal over
 * all threads, so they differ from one domain to another only by the threads in it. */
struct sp_fluid sp_fluid_model(int n_threads, const double *bytes, int n_domains, const int *domain_of_thread,
                               struct sp_fluid_rates rates, double *finish_s);

/* lambda = max/mean; 1 for n = 0 or a zero mean. */
double sp_lambda(const double *x, int n);

#endif
