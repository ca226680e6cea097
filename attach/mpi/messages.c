/* Point to point, blocking, non-blocking and persistent; and the life of MPI. */
#include <pthread.h>
#include <stdlib.h>

#include "attach/mpi/pmpi.h"

SP_EXPORT int MPI_Init(int *argc, char ***argv)
{
    const int status = SP_REAL(Init)(argc, argv);
    if (status == MPI_SUCCESS)
        sp_pmpi_begin();
    return status;
}

SP_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int status = SP_REAL(Init_thread)(argc, argv, required, provided);
    if (status == MPI_SUCCESS)
        sp_pmpi_begin();
    return status;
}

SP_EXPORT int MPI_Finalize(void)
{
    sp_pmpi_end();
    return SP_REAL(Finalize)();
}

SP_EXPORT int MPI_Pcontrol(const int level, ...)
{
    sp_pmpi_phase(level);
    return MPI_SUCCESS;
}

/* ---- one message a call ---- */

static void sent(int count, MPI_Datatype type, int to, MPI_Comm comm)
{
    if (to >= 0 && sp_pmpi_is_on())
        sp_pmpi_sent(SP_PMPI_MESSAGE, sp_pmpi_rank_of(comm, to), 1, sp_pmpi_bytes(count, type));
}

SP_EXPORT int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sent(count, type, to, comm);
    return SP_REAL(Send)(data, count, type, to, tag, comm);
}

SP_EXPORT int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sent(count, type, to, comm);
    return SP_REAL(Bsend)(data, count, type, to, tag, comm);
}

SP_EXPORT int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sent(count, type, to, comm);
    return SP_REAL(Ssend)(data, count, type, to, tag, comm);
}

SP_EXPORT int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sent(count, type, to, comm);
    return SP_REAL(Rsend)(data, count, type, to, tag, comm);
}

SP_EXPORT int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                        MPI_Request *request)
{
    sent(count, type, to, comm);
    return SP_REAL(Isend)(data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Ibsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    sent(count, type, to, comm);
    return SP_REAL(Ibsend)(data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    sent(count, type, to, comm);
    return SP_REAL(Issend)(data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
    sent(count, type, to, comm);
    return SP_REAL(Irsend)(data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *into,
                           int most, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                           MPI_Status *status)
{
    sent(count, type, to, comm);
    return SP_REAL(Sendrecv)(data, count, type, to, tag, into, most, type_in, from, tag_in, comm, status);
}

SP_EXPORT int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int tag, int from,
                                   int tag_in, MPI_Comm comm, MPI_Status *status)
{
    sent(count, type, to, comm);
    return SP_REAL(Sendrecv_replace)(data, count, type, to, tag, from, tag_in, comm, status);
}

/* ---- persistent ones: what a request sends whenever it is started ---- */

struct kept {
    MPI_Request request;
    int to;
    int64_t bytes;
    struct kept *next;
};
enum { BUCKETS = 4096 };
static struct kept *bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct kept **place_of(MPI_Request request)
{
    const uint64_t x = (uint64_t)(uintptr_t)request * 0x9e3779b97f4a7c15ULL;
    struct kept **k = &bucket[x >> 52];
    while (*k && (*k)->request != request)
        k = &(*k)->next;
    return k;
}

static void forget(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    struct kept **k = place_of(request), *gone = *k;
    if (gone)
        *k = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
}

static void keep(int status, int count, MPI_Datatype type, int to, MPI_Comm comm, MPI_Request request)
{
    struct kept *k;
    if (status != MPI_SUCCESS || to < 0)
        return;
    forget(request);
    k = malloc(sizeof *k);
    if (!k) {
        sp_pmpi_lost();
        return;
    }
    *k = (struct kept){
        .request = request, .to = sp_pmpi_rank_of(comm, to), .bytes = sp_pmpi_bytes(count, type)};
    pthread_mutex_lock(&lock);
    *place_of(request) = k;
    pthread_mutex_unlock(&lock);
}

static void started(MPI_Request request)
{
    if (!sp_pmpi_is_on())
        return;
    pthread_mutex_lock(&lock);
    const struct kept *k = *place_of(request);
    const struct kept found = k ? *k : (struct kept){.to = MPI_UNDEFINED};
    pthread_mutex_unlock(&lock);
    sp_pmpi_sent(SP_PMPI_PERSISTENT, found.to, 1, found.bytes);
}

/* All four kinds are prepared alike; `own` is the library's function. */
static int prepare(__typeof__(&MPI_Send_init) own, const void *data, int count, MPI_Datatype type, int to,
                   int tag, MPI_Comm comm, MPI_Request *request)
{
    const int status = own(data, count, type, to, tag, comm, request);
    keep(status, count, type, to, comm, *request);
    return status;
}

SP_EXPORT int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                            MPI_Request *request)
{
    return prepare(SP_REAL(Send_init), data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Bsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
    return prepare(SP_REAL(Bsend_init), data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Ssend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
    return prepare(SP_REAL(Ssend_init), data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Rsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
    return prepare(SP_REAL(Rsend_init), data, count, type, to, tag, comm, request);
}

SP_EXPORT int MPI_Start(MPI_Request *request)
{
    started(*request);
    return SP_REAL(Start)(request);
}

SP_EXPORT int MPI_Startall(int n, MPI_Request request[])
{
    for (int i = 0; i < n; i++)
        started(request[i]);
    return SP_REAL(Startall)(n, request);
}

SP_EXPORT int MPI_Request_free(MPI_Request *request)
{
    forget(*request);
    return SP_REAL(Request_free)(request);
}
