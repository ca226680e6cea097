/* MPI lives in a shared object of its own, so that one program runs with and without it. It is
 * opened where a distributed run is asked for; this is all that it shows. One thread calls it. What
 * fails inside MPI ends the job, as MPI does by itself. */
#ifndef SP_KERNELS_MPI_MODULE_H
#define SP_KERNELS_MPI_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SP_MPI_MODULE_ABI    1
#define SP_MPI_MODULE_FILE   "libspmodel-mpi.so"
#define SP_MPI_MODULE_SYMBOL "sp_mpi_module"

/* The job that this process is a rank of. */
struct sp_mpi_world {
    int rank, n_ranks;
    int n_node_ranks, node_rank; /* ranks of this node, and which of them this one is */
    char host[64];
    char library[128]; /* "Open MPI v4.1.4, ..." */
};

/* Whom a rank exchanges elements of x with in each SpMV: [n_from] and [n_to] ranks and numbers of
 * doubles, which lie in `halo` and `outgoing` one partner's behind the other's. All borrowed. */
struct sp_mpi_plan {
    int n_from, n_to;
    const int32_t *from, *to;
    const int64_t *n_received, *n_sent;
    double *halo;
    const double *outgoing;
};

struct sp_mpi {
    int abi;
    enum sp_status (*begin)(struct sp_mpi_world *world, struct sp_error *err);
    void (*end)(void);
    /* Ends all ranks now. */
    void (*abort)(int code);
    void (*barrier)(void);
    void (*broadcast)(void *data, int64_t size_B, int root);
    void (*send)(const void *data, int64_t size_B, int to);
    void (*receive)(void *data, int64_t size_B, int from);
    /* The same number of bytes of each rank, all[n_ranks size_B] on rank 0 (else NULL). */
    void (*gather)(const void *own, int64_t size_B, void *all);
    /* The largest of all ranks, on all of them. */
    double (*most)(double x);
    /* The phase that counts of messages are kept by (MPI_Pcontrol). */
    void (*phase)(int level);
    /* Persistent requests of a plan, which is kept: begin and wait in turn. */
    enum sp_status (*exchange_make)(const struct sp_mpi_plan *plan, void **exchange, struct sp_error *err);
    void (*exchange_begin)(void *exchange);
    void (*exchange_wait)(void *exchange);
    void (*exchange_free)(void *exchange); /* accepts NULL */
};

typedef const struct sp_mpi *sp_mpi_module_of(void);

/* Opens it; SP_ABSENT with the remedy where this build has none. It stays open. */
enum sp_status sp_mpi_module_open(const struct sp_mpi **mpi, struct sp_error *err);

/* Takes the counts of libspmodel-pmpi.so (attach/mpi) in this very process: puts it in front of the
 * MPI of a module that is opened later, unless it is preloaded already; it writes no record then.
 * False: it is not there. */
bool sp_mpi_counts_open(void);
bool sp_mpi_counts_are_there(void);
/* What this rank has sent to rank `to` in that phase (struct sp_mpi). */
void sp_mpi_counts_sent(int phase, int to, int64_t *messages, int64_t *bytes);

#endif
