/* Sends known numbers of messages and bytes by every kind of call, each in a phase of its own. Run
 * with three ranks or more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n_ranks, next, before;

/* Phase 1: 10 doubles to the next rank in each of eight ways, 7 and 3 ints in Sendrecv's. */
static void point_to_point(void)
{
    double out[10] = {0}, in[10];
    int few[7] = {0};
    char buffer[4096];
    int size = sizeof buffer;
    void *detached = buffer;
    MPI_Request request[2];
    int (*const sends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend,
                                                                                 MPI_Bsend, MPI_Rsend};
    int (*const starts[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                          MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
    MPI_Buffer_attach(buffer, size);
    for (int k = 0; k < 4; k++) {
        MPI_Irecv(in, 10, MPI_DOUBLE, before, k, MPI_COMM_WORLD, request);
        PMPI_Barrier(MPI_COMM_WORLD);
        sends[k](out, 10, MPI_DOUBLE, next, k, MPI_COMM_WORLD);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 10, MPI_DOUBLE, before, k, MPI_COMM_WORLD, request);
        PMPI_Barrier(MPI_COMM_WORLD);
        starts[k](out, 10, MPI_DOUBLE, next, k, MPI_COMM_WORLD, request + 1);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Buffer_detach(&detached, &size);
    MPI_Sendrecv(few, 7, MPI_INT, next, 0, in, 7, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(few, 3, MPI_INT, next, 0, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 10, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD); /* to nobody */
}

/* Phase 2: persistent, started five times alone and five times together, to the rank before, in a
 * communicator whose ranks run the other way round. */
static void persistent(void)
{
    MPI_Comm reversed;
    MPI_Request request[2];
    double out[4] = {0}, in[4];
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    const int own = n_ranks - 1 - rank; /* in `reversed`, where own + 1 is the rank before this one */
    MPI_Send_init(out, 4, MPI_DOUBLE, (own + 1) % n_ranks, 0, reversed, request);
    MPI_Recv_init(in, 4, MPI_DOUBLE, (own + n_ranks - 1) % n_ranks, 0, reversed, request + 1);
    for (int k = 0; k < 5; k++) {
        MPI_Start(&request[1]);
        MPI_Start(&request[0]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Comm_free(&reversed);
}

/* Phase 3: a ring of a distributed graph (2 bytes all around, 3 + place bytes to each) and a line
 * that does not close (one int each). */
static void neighbourhood(void)
{
    MPI_Comm ring, line;
    MPI_Request request;
    char out[64] = {0}, in[64];
    const int to[2] = {next, before}, from[2] = {before, next}, count[2] = {3, 4}, at[2] = {0, 16};
    const int in_count[2] = {3, 4}; /* the one before sends me its first, the next one its second */
    int periodic = 0, i_out[2] = {0}, i_in[2];
    const int weight[2] = {1, 1};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, weight, 2, to, weight, MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather(out, 2, MPI_CHAR, in, 2, MPI_CHAR, ring);
    MPI_Neighbor_alltoallv(out, count, at, MPI_CHAR, in, in_count, at, MPI_CHAR, ring);
    MPI_Ineighbor_alltoallv(out, count, at, MPI_CHAR, in, in_count, at, MPI_CHAR, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n_ranks, &periodic, 0, &line);
    MPI_Neighbor_alltoall(i_out, 1, MPI_INT, i_in, 1, MPI_INT, line);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&line);
}

/* Phase 4: 5 doubles put, 3 got, 2 accumulated; one fetched and added. */
static void one_sided(void)
{
    MPI_Win window;
    double room[16] = {0}, own[16] = {0}, old = 0;
    MPI_Win_create(room, sizeof room, sizeof *room, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(own, 5, MPI_DOUBLE, next, 0, 5, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(own, 3, MPI_DOUBLE, next, 0, 3, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(own, 2, MPI_DOUBLE, next, 8, 2, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Fetch_and_op(own, &old, MPI_DOUBLE, next, 9, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    next = (rank + 1) % n_ranks;
    before = (rank + n_ranks - 1) % n_ranks;
    if (argc > 1 && strcmp(argv[1], "die") == 0 && rank == 1)
        abort();
    point_to_point();
    MPI_Pcontrol(2);
    persistent();
    MPI_Pcontrol(3);
    neighbourhood();
    MPI_Pcontrol(4);
    one_sided();
    MPI_Pcontrol(5);
    double sum = 1, all;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Sendrecv(&sum, 1, MPI_DOUBLE, next, 0, &all, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* not counted */
    MPI_Finalize();
    return 0;
}
