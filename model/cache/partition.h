/* Ways of a cache kept for some arrays, as text: LEVEL:ARRAYS=WAYS, several separated by commas,
 * for example
 *
 *     L2:matrix=5    L1:matrix=1,L2:matrix=5    L3:x=8
 *
 * ARRAYS are names of sp_array_name() joined by +, or `matrix`: values and indices, which an
 * execution reads once and which push out what would be used again, or `vectors`: all that is not
 * `matrix`, row pointers too, kept as the ways that `matrix` has then. The other arrays have the
 * ways that are left. */
#ifndef SP_MODEL_PARTITION_H
#define SP_MODEL_PARTITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"
#include "sparse/formats/layout.h"

/* As a machine file has it: also "matrix" of a cache that is whole, and can be divided so. */
enum sp_status sp_partition_described(const char *text, struct sp_cache *cache, struct sp_error *err);
void sp_partition_clear(struct sp_machine *machine);
/* Of a whole machine. SP_USAGE: also a level that it does not have or that is named twice, or no
 * such text; the machine is as before. */
enum sp_status sp_partition_set(const char *text, struct sp_machine *machine, struct sp_error *err);

/* "matrix=5"; "matrix" of a cache that can be divided so, "" where nothing is said. */
char *sp_partition_cache_text(char *text, size_t size, const struct sp_cache *cache);
/* "L1:matrix=1,L2:matrix=5"; "" where no cache is divided. */
char *sp_partition_text(char *text, size_t size, const struct sp_machine *machine);

/* Part of the cache's ways, 0 ... 1, that the array may use: 1 of a cache that is not divided. */
double sp_partition_share(const struct sp_cache *cache, enum sp_array array);

/* Last-level domains share nothing: each is simulated by itself, and all of them side by side. */

struct sp_domains {
    int n;                       /* 0: 1 */
    const int *domain_of_thread; /* [layout threads]; NULL: all in domain 0 */
    bool one_by_one;
    int busy_per_domain; /* processors that one domain alone keeps busy; 0: 1 */
    /* As in struct sp_sim_options, of all domains together. */
    bool (*progress)(void *context, double share);
    void *context;
    /* Its own. */
    double *share; /* [n] done of each domain */
    bool stop;
};

/* Calls `simulate` for each domain that has threads, with these, from several threads where that
 * pays. What it adds to sums that all share it adds in an `omp ordered` region, so that they do not
 * depend on who is first. Returns the error of the first domain that has one. */
enum sp_status sp_domains_each(struct sp_domains *domains, const struct sp_layout *layout,
                               enum sp_status (*simulate)(void *what, int domain, const int *thread,
                                                          int n_threads, struct sp_error *err),
                               void *what, struct sp_error *err);

/* Called by `simulate` with what is done of its domain, 0 ... 1; true: stop. */
bool sp_domains_interrupted(struct sp_domains *domains, int domain, double share);

#endif
