#include "model/cache/partition.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/reading.h"
#include "base/text.h"

static const uint32_t matrix = 1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES,
                      vectors = ((1 << SP_N_ARRAYS) - 1) & ~(1 << SP_ARRAY_VALUES | 1 << SP_ARRAY_INDICES);

static const char form[] =
    "name a level, arrays and their ways, for example L2:matrix=5 or L2:values+indices=5";

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Bits of the arrays; 0: one of them is not known. */
static uint32_t arrays_of(const char *text, size_t length)
{
    uint32_t bits = 0;
    for (const char *end = text + length;; text++) {
        const char *plus = memchr(text, '+', (size_t)(end - text));
        const size_t n = (size_t)((plus ? plus : end) - text);
        uint32_t found = is_word(text, n, "matrix") ? matrix : is_word(text, n, "vectors") ? vectors : 0;
        for (int a = 0; a < SP_ARRAY_OTHER; a++)
            if (is_word(text, n, sp_array_name((enum sp_array)a)))
                found = UINT32_C(1) << a;
        if (!found)
            return 0;
        bits |= found;
        text += n;
        if (text == end)
            return bits;
    }
}

static int ways_of(const struct sp_cache *cache)
{
    return cache->ways > 0 ? cache->ways : 16;
}

/* One level's "matrix=5". SP_USAGE: an array that is not known, or not 1 ... ways - 1 of the
 * cache's ways (of 16 where it is fully associative); the cache is as before. */
static enum sp_status partition_of_cache(const char *text, size_t length, struct sp_cache *cache,
                                         struct sp_error *err)
{
    const int most = ways_of(cache) - 1;
    const char *equals = memchr(text, '=', length);
    const uint32_t arrays = equals ? arrays_of(text, (size_t)(equals - text)) : 0;
    char number[16];
    int64_t ways;
    if (!equals)
        return sp_fail(err, SP_USAGE, form, "'%.*s' gives no ways to arrays", (int)length, text);
    if (!arrays)
        return sp_fail(
            err, SP_USAGE,
            "arrays are matrix (values and indices), vectors (the others), values, indices, pointers, "
            "permutation, x, rows, y",
            "'%.*s' is not an array", (int)(equals - text), text);
    snprintf(number, sizeof number, "%.*s", (int)(text + length - equals - 1), equals + 1);
    if (sp_parse_count(number, &ways) || ways < 1 || ways > most)
        return sp_fail(err, SP_USAGE, "leave at least one way to each side",
                       "'%s' are not 1 to %d ways of the L%d cache", number, most, cache->level);
    if (arrays == vectors) /* the same division, seen from its other side */
        cache->partition = (struct sp_way_partition){.ways = most + 1 - (int)ways, .arrays = matrix};
    else
        cache->partition = (struct sp_way_partition){.ways = (int)ways, .arrays = arrays};
    return SP_OK;
}

enum sp_status sp_partition_described(const char *text, struct sp_cache *cache, struct sp_error *err)
{
    const uint32_t arrays = arrays_of(text, strlen(text));
    if (!arrays)
        return partition_of_cache(text, strlen(text), cache, err);
    cache->partition = (struct sp_way_partition){.arrays = arrays == vectors ? matrix : arrays};
    return SP_OK;
}

void sp_partition_clear(struct sp_machine *machine)
{
    for (int k = 0; k < machine->n_caches; k++)
        machine->cache[k].partition = (struct sp_way_partition){0};
}

enum sp_status sp_partition_set(const char *text, struct sp_machine *machine, struct sp_error *err)
{
    struct sp_machine m = *machine;
    sp_partition_clear(&m);
    for (;;) {
        const size_t length = strcspn(text, ",");
        const char *colon = memchr(text, ':', length);
        int k = 0;
        if (!colon || colon - text != 2 || text[0] != 'L')
            return sp_fail(err, SP_USAGE, form, "'%.*s' divides no cache", (int)length, text);
        while (k < m.n_caches && m.cache[k].level != text[1] - '0')
            k++;
        if (k < m.n_caches && m.cache[k].partition.ways > 0)
            return sp_fail(err, SP_USAGE, "join arrays by +, for example L2:values+indices=5",
                           "the %.2s cache is divided twice", text);
        if (k == m.n_caches)
            return sp_fail(err, SP_USAGE, "name one of its caches", "machine %s has no %.2s cache",
                           machine->name, text);
        const enum sp_status status =
            partition_of_cache(colon + 1, (size_t)(text + length - colon - 1), &m.cache[k], err);
        if (status != SP_OK)
            return status;
        text += length;
        if (!*text)
            break;
        text++;
    }
    *machine = m;
    return SP_OK;
}

char *sp_partition_cache_text(char *text, size_t size, const struct sp_cache *cache)
{
    const struct sp_way_partition *p = &cache->partition;
    size_t n = 0;
    *text = '\0';
    if ((p->arrays & matrix) == matrix)
        n = (size_t)snprintf(text, size, "matrix");
    for (int a = 0; a < SP_N_ARRAYS; a++)
        if (p->arrays >> a & 1 && !((p->arrays & matrix) == matrix && matrix >> a & 1) && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "+" : "", sp_array_name((enum sp_array)a));
    if (p->ways > 0 && n < size)
        snprintf(text + n, size - n, "=%d", p->ways);
    return text;
}

char *sp_partition_text(char *text, size_t size, const struct sp_machine *machine)
{
    char one[128];
    size_t n = 0;
    *text = '\0';
    for (int k = 0; k < machine->n_caches && n < size; k++)
        if (machine->cache[k].partition.ways > 0)
            n += (size_t)snprintf(text + n, size - n, "%sL%d:%s", n ? "," : "", machine->cache[k].level,
                                  sp_partition_cache_text(one, sizeof one, &machine->cache[k]));
    return text;
}

double sp_partition_share(const struct sp_cache *cache, enum sp_array array)
{
    const struct sp_way_partition *p = &cache->partition;
    const double reserved = (double)p->ways / ways_of(cache);
    return p->ways <= 0 ? 1 : p->arrays >> array & 1 ? reserved : 1 - reserved;
}

/* Waking threads costs more than simulating fewer entries than this. */
static const int64_t parallel_from = 100000;

static int threads_of(const struct sp_domains *domains, int n_threads, int domain, int *thread)
{
    int n = 0;
    for (int t = 0; t < n_threads; t++)
        if ((domains->domain_of_thread ? domains->domain_of_thread[t] : 0) == domain)
            thread[n++] = t;
    return n;
}

struct each {
    struct sp_domains *domains;
    int n_threads; /* of the layout */
    enum sp_status (*simulate)(void *, int, const int *, int, struct sp_error *);
    void *what;
    int failed; /* the first domain that has an error; n: none */
    enum sp_status status;
    struct sp_error *err;
};

/* Of the team that calls it, or alone: a region with one thread would be a level of its own, and
 * what is parallel in one domain would get threads that last as long as it, all on the caller's
 * processor where that is pinned. */
static void all_domains(struct each *e)
{
    struct sp_domains *domains = e->domains;
#pragma omp for schedule(dynamic, 1) ordered
    for (int d = 0; d < domains->n; d++) {
        struct sp_error err;
        int *thread = NULL, n_own;
        enum sp_status status =
            sp_new_array(e->n_threads, sizeof *thread, "the threads", (void **)&thread, &err);
        if (status == SP_OK && (n_own = threads_of(domains, e->n_threads, d, thread)) > 0)
            status = e->simulate(e->what, d, thread, n_own, &err);
        free(thread);
#pragma omp critical(sp_domains)
        if (status != SP_OK && d < e->failed) {
            e->failed = d;
            e->status = status;
            domains->stop = true;
            if (e->err)
                *e->err = err;
        }
    }
}

enum sp_status sp_domains_each(struct sp_domains *domains, const struct sp_layout *layout,
                               enum sp_status (*simulate)(void *, int, const int *, int, struct sp_error *),
                               void *what, struct sp_error *err)
{
    const int n = domains->n > 0 ? domains->n : 1;
    domains->n = n;
    domains->stop = false;
    struct each e = {domains, layout->partition.n_threads, simulate, what, n, SP_OK, err};
    e.status = sp_new_array(n, sizeof *domains->share, "the domains", (void **)&domains->share, err);
    if (e.status != SP_OK)
        return e.status;
    const bool few = n < domains->busy_per_domain && n < omp_get_max_threads();
    if (n > 1 && !domains->one_by_one && !few && layout->n_stored > parallel_from) {
#pragma omp parallel
        all_domains(&e);
    } else {
        all_domains(&e);
    }
    free(domains->share);
    domains->share = NULL;
    return e.status;
}

bool sp_domains_interrupted(struct sp_domains *domains, int domain, double share)
{
    bool stop;
#pragma omp critical(sp_domains)
    {
        double sum = 0;
        domains->share[domain] = share < 1 ? share : 1;
        for (int d = 0; d < domains->n; d++)
            sum += domains->share[d];
        if (domains->progress && !domains->stop)
            domains->stop = domains->progress(domains->context, sum / domains->n);
        stop = domains->stop;
    }
    return stop;
}
