#include "probes/protocol.h"

#include <math.h>
#include <string.h>

#include "sys/machine/pages.h"

struct sp_protocol sp_protocol_default(const struct sp_machine *machine)
{
    return (struct sp_protocol){
        .state = SP_WARM,
        .budget_s = 1,
        .min_samples = 5,
        .max_samples = 200,
        .min_sample_s = 0.01,
        .machine = machine,
        .n_domain = 1,
        .seed = 1,
    };
}

/* Bytes that push all else out of the caches: twice the last levels of all domains used. */
static double scrub_bytes(const struct sp_protocol *p)
{
    const struct sp_cache *llc = p->machine ? sp_machine_llc(p->machine) : NULL;
    int domains = p->n_domain > 1 ? p->n_domain : 1;
    double bytes = 2.0 * domains * (llc ? (double)sp_cache_believed_B(llc) : 64e6);
    return fmin(fmax(bytes, 64e6), 2e9);
}

enum sp_status sp_cache_state_prepare(struct sp_cache_buffer *b, const struct sp_protocol *p, int n_threads,
                                      struct sp_error *err)
{
    if (p->state == SP_WARM)
        return SP_OK;
    double bytes = p->state == SP_COLD ? scrub_bytes(p) : (double)p->between_B;
    int64_t n = (int64_t)(bytes / sizeof *b->v);
    if (b->n >= n)
        return SP_OK;
    sp_cache_state_free(b);
    void *v;
    enum sp_status status =
        sp_large_alloc(&sp_allocator_huge, n, sizeof *b->v, "the cache-emptying buffer", &v, err);
    if (status != SP_OK)
        return status;
    *b = (struct sp_cache_buffer){v, n};
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        b->v[i] = 1;
    return SP_OK;
}

/* Reads and writes n items, as an axpy on one vector would. */
static void stream(double *v, int64_t n, int n_threads)
{
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        v[i] = 0.5 * v[i] + 1;
}

void sp_cache_state_set(const struct sp_cache_buffer *b, const struct sp_protocol *p, int n_threads)
{
    if (p->state != SP_WARM)
        stream(b->v, p->state == SP_BETWEEN ? p->between_B / (int64_t)sizeof *b->v : b->n, n_threads);
}

void sp_cache_state_free(struct sp_cache_buffer *b)
{
    sp_large_free(&sp_allocator_huge, b->v, b->n, sizeof *b->v);
    memset(b, 0, sizeof *b);
}
