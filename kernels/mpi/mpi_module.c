/* The module itself: the only code of the program that is linked with MPI. */
#include "kernels/mpi_module.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 1 };
static const int64_t most_B = 1 << 30; /* of one message: MPI counts in int */

static enum sp_status begin(struct sp_mpi_world *world, struct sp_error *err)
{
    MPI_Comm node;
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "", host[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int given = MPI_THREAD_SINGLE, n = 0;
    memset(world, 0, sizeof *world);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
        given < MPI_THREAD_FUNNELED)
        return sp_fail(err, SP_ABSENT, "take an MPI library that allows threads",
                       "MPI does not begin with MPI_THREAD_FUNNELED");
    MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world->n_ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &world->node_rank);
    MPI_Comm_size(node, &world->n_node_ranks);
    MPI_Comm_free(&node);
    MPI_Get_processor_name(host, &n);
    snprintf(world->host, sizeof world->host, "%.60s", host);
    MPI_Get_library_version(text, &n);
    text[strcspn(text, ",\n")] = '\0';
    for (char *tab = strchr(text, '\t'); tab; tab = strchr(tab, '\t'))
        *tab = ' ';
    snprintf(world->library, sizeof world->library, "%.120s", text);
    return SP_OK;
}

static void end(void)
{
    MPI_Finalize();
}

static void end_all(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static int piece(int64_t left_B)
{
    return (int)(left_B < most_B ? left_B : most_B);
}

static void broadcast(void *data, int64_t size_B, int root)
{
    char *p = data;
    for (int64_t at = 0; at < size_B; at += most_B)
        MPI_Bcast(p + at, piece(size_B - at), MPI_BYTE, root, MPI_COMM_WORLD);
}

static void send_to(const void *data, int64_t size_B, int to)
{
    const char *p = data;
    for (int64_t at = 0; at < size_B; at += most_B)
        MPI_Send(p + at, piece(size_B - at), MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void receive_from(void *data, int64_t size_B, int from)
{
    char *p = data;
    for (int64_t at = 0; at < size_B; at += most_B)
        MPI_Recv(p + at, piece(size_B - at), MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void gather(const void *own, int64_t size_B, void *all)
{
    MPI_Gather(own, (int)size_B, MPI_BYTE, all, (int)size_B, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static double most(double x)
{
    double all = x;
    MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void phase(int level)
{
    MPI_Pcontrol(level);
}

struct exchange {
    int n;
    MPI_Request request[];
};

/* Elements of one message. */
static int elements(int64_t n)
{
    return n <= INT32_MAX ? (int)n : -1;
}

static enum sp_status exchange_make(const struct sp_mpi_plan *plan, void **exchange, struct sp_error *err)
{
    const int n = plan->n_from + plan->n_to;
    struct exchange *e = calloc(1, sizeof *e + (size_t)n * sizeof(MPI_Request));
    int64_t at = 0;
    *exchange = NULL;
    if (!e)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for %d requests", n);
    for (int i = 0; i < plan->n_from; i++) {
        MPI_Recv_init(plan->halo + at, elements(plan->n_received[i]), MPI_DOUBLE, plan->from[i], TAG,
                      MPI_COMM_WORLD, &e->request[e->n++]);
        at += plan->n_received[i];
    }
    at = 0;
    for (int i = 0; i < plan->n_to; i++) {
        MPI_Send_init(plan->outgoing + at, elements(plan->n_sent[i]), MPI_DOUBLE, plan->to[i], TAG,
                      MPI_COMM_WORLD, &e->request[e->n++]);
        at += plan->n_sent[i];
    }
    *exchange = e;
    return SP_OK;
}

static void exchange_begin(void *exchange)
{
    struct exchange *e = exchange;
    MPI_Startall(e->n, e->request);
}

static void exchange_wait(void *exchange)
{
    struct exchange *e = exchange;
    MPI_Waitall(e->n, e->request, MPI_STATUSES_IGNORE);
}

static void exchange_free(void *exchange)
{
    struct exchange *e = exchange;
    for (int i = 0; e && i < e->n; i++)
        MPI_Request_free(&e->request[i]);
    free(e);
}

__attribute__((visibility("default"))) const struct sp_mpi *sp_mpi_module(void);
const struct sp_mpi *sp_mpi_module(void)
{
    static const struct sp_mpi module = {.abi = SP_MPI_MODULE_ABI,
                                         .begin = begin,
                                         .end = end,
                                         .abort = end_all,
                                         .barrier = barrier,
                                         .broadcast = broadcast,
                                         .send = send_to,
                                         .receive = receive_from,
                                         .gather = gather,
                                         .most = most,
                                         .phase = phase,
                                         .exchange_make = exchange_make,
                                         .exchange_begin = exchange_begin,
                                         .exchange_wait = exchange_wait,
                                         .exchange_free = exchange_free};
    return &module;
}
