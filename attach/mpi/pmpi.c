#include "attach/mpi/pmpi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/loaded.h"

/* ---- the functions of the program's MPI ---- */

static const char *const name[SP_PMPI_N_CALLS] = {
#define CALL(NAME) [SP_PMPI_##NAME] = "PMPI_" #NAME,
#include "attach/mpi/calls.inc"
#undef CALL
};
static void *address[SP_PMPI_N_CALLS];

static void *look_for(void *scope, const char *symbol)
{
    struct sp_loaded all = {.n = 0};
    void *found = dlsym(scope, symbol);
    if (!found)
        sp_loaded_list(&all);
    for (int i = 0; i < all.n && !found; i++) {
        void *handle = dlopen(all.name[i], RTLD_LAZY | RTLD_NOLOAD);
        found = handle ? dlsym(handle, symbol) : NULL;
        if (handle)
            dlclose(handle);
    }
    return found;
}

void *sp_pmpi_function(enum sp_pmpi_call call)
{
    void *f = __atomic_load_n(&address[call], __ATOMIC_ACQUIRE);
    if (f)
        return f;
    f = look_for(RTLD_NEXT, name[call]);
    __atomic_store_n(&address[call], f, __ATOMIC_RELEASE);
    return f;
}

/* Open MPI's handles are addresses of its data, of which a program may have the only copy in
 * use. */
static bool find_handles(MPI_Comm *world, MPI_Datatype *byte)
{
#ifdef OPEN_MPI
    *world = (MPI_Comm)look_for(RTLD_DEFAULT, "ompi_mpi_comm_world");
    *byte = (MPI_Datatype)look_for(RTLD_DEFAULT, "ompi_mpi_byte");
    return *world && *byte;
#else
    *world = MPI_COMM_WORLD;
    *byte = MPI_BYTE;
    return !look_for(RTLD_DEFAULT, "ompi_mpi_comm_world"); /* another MPI than this was built for */
#endif
}

/* ---- counts ---- */

enum { MOST_PHASES = 256 };

struct cells {
    int64_t messages, bytes;
};

struct phase {
    int level, inside;                   /* of MPI_Pcontrol; row of the library's product, 0: none */
    struct cells *sent[SP_PMPI_N_KINDS]; /* [n_ranks]; NULL: none */
    struct cells *fetched;               /* [n_ranks], from there to here; NULL: none */
    int64_t n_collectives;
};

static struct {
    bool on, off_by_program, quiet;
    int level, rank, n_ranks;
    MPI_Comm world;
    MPI_Datatype byte;
    int comm_key, window_key;
    int (*inside)(void); /* of libspmodel-attach.so; NULL: it is not there */
    const char *(*inside_name)(int row);
    struct phase phase[MOST_PHASES];
    int n_phases;
    time_t begun_at;
    bool lost; /* no room for a phase or its counts */
} it = {.level = 1};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool sp_pmpi_is_on(void)
{
    return it.on && !it.off_by_program;
}

void sp_pmpi_phase(int level)
{
    it.off_by_program = level == 0;
    if (level != 0)
        it.level = level > 0 ? level : 1;
}

void sp_pmpi_lost(void)
{
    __atomic_store_n(&it.lost, true, __ATOMIC_RELAXED);
}

/* NULL: no room. */
static struct phase *phase_now(void)
{
    const int inside = it.inside ? it.inside() : 0, level = it.level;
    const int n = __atomic_load_n(&it.n_phases, __ATOMIC_ACQUIRE);
    for (int i = n - 1; i >= 0; i--)
        if (it.phase[i].level == level && it.phase[i].inside == inside)
            return &it.phase[i];
    struct phase *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = n; i < it.n_phases && !found; i++)
        if (it.phase[i].level == level && it.phase[i].inside == inside)
            found = &it.phase[i];
    if (!found && it.n_phases < MOST_PHASES) {
        found = &it.phase[it.n_phases];
        found->level = level;
        found->inside = inside;
        __atomic_store_n(&it.n_phases, it.n_phases + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        sp_pmpi_lost();
    return found;
}

static void add(struct cells **cells, int rank, int64_t messages, int64_t bytes)
{
    struct cells *c = __atomic_load_n(cells, __ATOMIC_ACQUIRE);
    if (!c) {
        pthread_mutex_lock(&lock);
        if (!*cells)
            __atomic_store_n(cells, calloc((size_t)it.n_ranks, sizeof **cells), __ATOMIC_RELEASE);
        c = *cells;
        pthread_mutex_unlock(&lock);
    }
    if (!c) {
        sp_pmpi_lost();
        return;
    }
    __atomic_add_fetch(&c[rank].messages, messages, __ATOMIC_RELAXED);
    __atomic_add_fetch(&c[rank].bytes, bytes, __ATOMIC_RELAXED);
}

void sp_pmpi_sent(enum sp_pmpi_kind kind, int to, int64_t messages, int64_t bytes)
{
    if (!sp_pmpi_is_on() || to < 0 || to >= it.n_ranks)
        return;
    struct phase *p = phase_now();
    if (p)
        add(&p->sent[kind], to, messages, bytes);
}

void sp_pmpi_fetched(int from, int64_t bytes)
{
    if (!sp_pmpi_is_on() || from < 0 || from >= it.n_ranks)
        return;
    struct phase *p = phase_now();
    if (p)
        add(&p->fetched, from, 1, bytes);
}

void sp_pmpi_collective(void)
{
    if (!sp_pmpi_is_on())
        return;
    struct phase *p = phase_now();
    if (p)
        __atomic_add_fetch(&p->n_collectives, 1, __ATOMIC_RELAXED);
}

/* For a program that looks at its own counts: those of this process in a phase, by all kinds of
 * calls and inside all products; and that it wants no record of the job. */
SP_EXPORT void spmodel_pmpi_sent(int level, int to, int64_t *messages, int64_t *bytes);
SP_EXPORT void spmodel_pmpi_sent(int level, int to, int64_t *messages, int64_t *bytes)
{
    *messages = *bytes = 0;
    for (int i = 0; i < it.n_phases && to >= 0 && to < it.n_ranks; i++) {
        const struct phase *p = &it.phase[i];
        for (int k = 0; k < SP_PMPI_N_KINDS && p->level == level; k++) {
            *messages += p->sent[k] ? p->sent[k][to].messages : 0;
            *bytes += p->sent[k] ? p->sent[k][to].bytes : 0;
        }
    }
}

SP_EXPORT void spmodel_pmpi_be_quiet(void);
SP_EXPORT void spmodel_pmpi_be_quiet(void)
{
    it.quiet = true;
}

/* ---- what arguments mean ---- */

int64_t sp_pmpi_bytes(int64_t count, MPI_Datatype type)
{
    int size = 0;
    return SP_REAL(Type_size)(type, &size) == MPI_SUCCESS && size > 0 && count > 0 ? count * size : 0;
}

/* Ranks in MPI_COMM_WORLD of a group's, kept with its communicator or window until that is
 * freed. */
struct ranks {
    int n;
    int world[];
};

static int not_copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int free_of_comm(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

static int not_copied_of_window(MPI_Win window, int key, void *extra, void *in, void *out, int *flag)
{
    (void)window, (void)key, (void)extra, (void)in, (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

static int free_of_window(MPI_Win window, int key, void *value, void *extra)
{
    (void)window, (void)key, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

/* Frees the group. NULL: no memory. */
static struct ranks *translate(MPI_Group group)
{
    MPI_Group all;
    int n = 0;
    SP_REAL(Group_size)(group, &n);
    struct ranks *r = malloc(sizeof *r + (size_t)n * sizeof(int));
    int *own = malloc((size_t)n * sizeof(int) + 1);
    if (r && own) {
        r->n = n;
        for (int i = 0; i < n; i++)
            own[i] = i;
        SP_REAL(Comm_group)(it.world, &all);
        SP_REAL(Group_translate_ranks)(group, n, own, all, r->world);
        SP_REAL(Group_free)(&all);
    } else {
        free(r);
        r = NULL;
    }
    free(own);
    SP_REAL(Group_free)(&group);
    return r;
}

static int of_ranks(const struct ranks *r, int rank)
{
    return r && rank >= 0 && rank < r->n ? r->world[rank] : MPI_UNDEFINED;
}

int sp_pmpi_rank_of(MPI_Comm comm, int rank)
{
    void *kept = NULL;
    int is_there = 0, inter = 0;
    MPI_Group group;
    if (!sp_pmpi_is_on() || rank < 0)
        return MPI_UNDEFINED;
    if (comm == it.world)
        return rank;
    SP_REAL(Comm_get_attr)(comm, it.comm_key, &kept, &is_there);
    if (is_there)
        return of_ranks(kept, rank);
    SP_REAL(Comm_test_inter)(comm, &inter);
    if ((inter ? SP_REAL(Comm_remote_group) : SP_REAL(Comm_group))(comm, &group) != MPI_SUCCESS)
        return MPI_UNDEFINED;
    struct ranks *r = translate(group);
    if (!r)
        sp_pmpi_lost();
    const int found = of_ranks(r, rank);
    if (r && SP_REAL(Comm_set_attr)(comm, it.comm_key, r) != MPI_SUCCESS)
        free(r);
    return found;
}

int sp_pmpi_rank_at(MPI_Win window, int rank)
{
    void *kept = NULL;
    int is_there = 0;
    MPI_Group group;
    if (!sp_pmpi_is_on() || rank < 0)
        return MPI_UNDEFINED;
    SP_REAL(Win_get_attr)(window, it.window_key, &kept, &is_there);
    if (is_there)
        return of_ranks(kept, rank);
    if (SP_REAL(Win_get_group)(window, &group) != MPI_SUCCESS)
        return MPI_UNDEFINED;
    struct ranks *r = translate(group);
    if (!r)
        sp_pmpi_lost();
    const int found = of_ranks(r, rank);
    if (r && SP_REAL(Win_set_attr)(window, it.window_key, r) != MPI_SUCCESS)
        free(r);
    return found;
}

/* ---- the job's record ---- */

/* This process's counts as rows: their number, at row[0 ...] where that is not NULL. */
static int64_t list_counts(struct sp_pmpi_row *row)
{
    int64_t n = 0;
    for (int i = 0; i < it.n_phases; i++) {
        const struct phase *p = &it.phase[i];
        for (int k = 0; k <= SP_PMPI_N_KINDS; k++) {
            const bool fetched = k == SP_PMPI_N_KINDS;
            const struct cells *c = fetched ? p->fetched : p->sent[k];
            for (int r = 0; c && r < it.n_ranks; r++) {
                if (c[r].messages == 0)
                    continue;
                if (row)
                    row[n] = (struct sp_pmpi_row){p->level,
                                                  p->inside,
                                                  fetched ? SP_PMPI_ONE_SIDED : (enum sp_pmpi_kind)k,
                                                  fetched ? r : it.rank,
                                                  fetched ? it.rank : r,
                                                  c[r].messages,
                                                  c[r].bytes};
                n++;
            }
        }
        if (p->n_collectives > 0 && row)
            row[n] = (struct sp_pmpi_row){p->level,         p->inside, SP_PMPI_COLLECTIVE, it.rank, it.rank,
                                          p->n_collectives, 0};
        n += p->n_collectives > 0;
    }
    if (it.lost && row)
        row[n] = (struct sp_pmpi_row){.kind = SP_PMPI_LOST, .from = it.rank, .to = it.rank, .messages = 1};
    return n + it.lost;
}

/* What rank 0 says to all. */
static bool agree(bool ok)
{
    char word = ok;
    SP_REAL(Bcast)(&word, 1, it.byte, 0, it.world);
    return word;
}

/* The rows of all processes at rank 0; a job whose rows fill more than 2 GB has no record. */
static bool gather_rows(const struct sp_pmpi_row *own, int64_t n, struct sp_pmpi_job *job)
{
    int *size = calloc((size_t)it.n_ranks, sizeof *size), *at = calloc((size_t)it.n_ranks, sizeof *at);
    const bool fits = n < INT32_MAX / (int64_t)sizeof *own;
    const int n_B = fits ? (int)(n * (int64_t)sizeof *own) : -1;
    int64_t total = 0;
    const bool go = agree(size && at);
    bool ok = go;
    if (go)
        SP_REAL(Gather)(&n_B, sizeof n_B, it.byte, size, sizeof n_B, it.byte, 0, it.world);
    for (int r = 0; r < it.n_ranks && ok && size && at && it.rank == 0; r++) {
        at[r] = (int)total;
        total += size[r];
        ok = size[r] >= 0 && total < INT32_MAX;
    }
    job->row = it.rank == 0 && ok ? malloc((size_t)total + 1) : NULL;
    job->n_rows = total / (int64_t)sizeof *own;
    ok = go && agree(job->row != NULL);
    if (ok)
        SP_REAL(Gatherv)(own, n_B, it.byte, job->row, size, at, it.byte, 0, it.world);
    free(size);
    free(at);
    return ok;
}

static bool gather_hosts(struct sp_pmpi_job *job)
{
    char own[MPI_MAX_PROCESSOR_NAME + 1] = "";
    char host[SP_PMPI_HOST_B] = "";
    int n = 0;
    SP_REAL(Get_processor_name)(own, &n);
    for (int i = 0; i < n && i < SP_PMPI_HOST_B - 1; i++)
        host[i] = own[i];
    job->host = it.rank == 0 ? calloc((size_t)it.n_ranks, SP_PMPI_HOST_B) : NULL;
    const bool ok = agree(job->host != NULL);
    if (ok)
        SP_REAL(Gather)(host, sizeof host, it.byte, job->host, sizeof host, it.byte, 0, it.world);
    return ok;
}

void sp_pmpi_end(void)
{
    if (!it.on)
        return;
    it.on = false;
    if (it.quiet)
        return;
    const int64_t n = list_counts(NULL);
    struct sp_pmpi_row *own = calloc((size_t)n + 1, sizeof *own);
    struct sp_pmpi_job job = {.n_ranks = it.n_ranks, .begun_at = it.begun_at, .inside_name = it.inside_name};
    if (own)
        list_counts(own);
    if (gather_rows(own, own ? n : 0, &job) && gather_hosts(&job) && it.rank == 0)
        sp_pmpi_record_write(&job);
    free(job.row);
    free(job.host);
    free(own);
}

void sp_pmpi_begin(void)
{
    int is_there = 0;
    if (!find_handles(&it.world, &it.byte) || SP_REAL(Initialized)(&is_there) != MPI_SUCCESS || !is_there)
        return;
    SP_REAL(Comm_rank)(it.world, &it.rank);
    SP_REAL(Comm_size)(it.world, &it.n_ranks);
    SP_REAL(Comm_create_keyval)(not_copied, free_of_comm, &it.comm_key, NULL);
    SP_REAL(Win_create_keyval)(not_copied_of_window, free_of_window, &it.window_key, NULL);
    *(void **)&it.inside = dlsym(RTLD_DEFAULT, "spmodel_attach_inside");
    *(void **)&it.inside_name = dlsym(RTLD_DEFAULT, "spmodel_attach_inside_name");
    if (!it.inside_name)
        it.inside = NULL;
    it.begun_at = time(NULL);
    it.on = true;
}
