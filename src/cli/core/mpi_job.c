#include "cli/core/mpi_job.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/core/command.h"
#include "io/files/part_file.h"
#include "kernels/mpi_module.h"

/* A thread that ends this process, and with it the job, when the others let it wait too long. */
static struct {
    pthread_mutex_t lock;
    const char *what; /* NULL: nobody waits */
    double since_s, patience_s;
    int rank;
} patience = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { TURN_S = 2, MOST_TURNS = 15 };

void sp_mpi_job_turn(void)
{
    static const double first_s = 8; /* a launcher on a busy machine takes its time */
    const int rank = sp_mpi_job_rank();
    if (rank > 0)
        sp_sleep(first_s + (double)(rank < MOST_TURNS ? rank : MOST_TURNS));
}

static void *watch(void *unused)
{
    struct sp_error err;
    (void)unused;
    for (;;) {
        sp_sleep(0.2);
        pthread_mutex_lock(&patience.lock);
        const char *what = patience.what;
        const bool late = what && sp_now() - patience.since_s > patience.patience_s + TURN_S * patience.rank;
        pthread_mutex_unlock(&patience.lock);
        if (!late)
            continue;
        sp_fail(&err, SP_ABSENT, "look for a rank that hangs, or allow more with --patience",
                "rank %d has waited %.0f s for other ranks: %s", patience.rank, patience.patience_s, what);
        const int code = sp_report_error(&err);
        fflush(stderr);
        sp_parts_end();
        _exit(code);
    }
    return NULL;
}

void sp_mpi_job_wait(void *unused, const char *what)
{
    (void)unused;
    pthread_mutex_lock(&patience.lock);
    patience.what = what;
    patience.since_s = sp_now();
    pthread_mutex_unlock(&patience.lock);
}

/* What Open MPI's launcher says, else MPICH's, else Slurm's; 0: none. */
static int number_in(const char *open_mpi, const char *mpich, const char *slurm)
{
    const char *const name[] = {open_mpi, mpich, slurm};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const char *number = getenv(name[i]);
        if (number)
            return atoi(number);
    }
    return 0;
}

int sp_mpi_job_rank(void)
{
    const char *pmix = getenv("PMIX_RANK");
    return pmix ? atoi(pmix) : number_in("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID");
}

int sp_mpi_job_n_launched(void)
{
    return number_in("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS");
}

bool sp_mpi_job_is_launched(void)
{
    return sp_mpi_job_n_launched() > 0 || getenv("PMIX_RANK");
}

enum sp_status sp_mpi_job_launch(int n_ranks, char **argv, struct sp_error *err)
{
    char self[4096], n[16];
    int n_words = 0;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    while (argv[n_words])
        n_words++;
    char **word = calloc((size_t)n_words + 6, sizeof *word);
    if (!word || length <= 0) {
        free(word);
        return sp_fail(err, SP_ABSENT, "type mpirun -n N yourself", "the job cannot be started from here");
    }
    self[length] = '\0';
    snprintf(n, sizeof n, "%d", n_ranks);
    char mpirun[] = "mpirun", option[] = "-n", command[] = "analyze";
    char *const first[] = {mpirun, option, n, self, command};
    memcpy(word, first, sizeof first);
    memcpy(word + 5, argv + 1, (size_t)n_words * sizeof *word); /* with the NULL at their end */
    if (sysconf(_SC_NPROCESSORS_ONLN) < n_ranks)                /* what Open MPI refuses unasked */
        setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0); /* ranks bind themselves, each to its cores */
    execvp(mpirun, word);
    free(word);
    return sp_fail(err, SP_ABSENT, "install Open MPI or MPICH", "mpirun cannot be started: %s",
                   strerror(errno));
}

static void be_patient(double seconds)
{
    pthread_t thread;
    patience.patience_s = seconds;
    patience.rank = sp_mpi_job_rank();
    if (pthread_create(&thread, NULL, watch, NULL) == 0)
        pthread_detach(thread);
}

int sp_mpi_job_report(const struct sp_error *err)
{
    return sp_mpi_job_rank() == 0 ? sp_report_error(err) : sp_exit_code(err->status);
}

int sp_mpi_job_report_in_turn(const struct sp_error *err)
{
    sp_mpi_job_turn();
    return sp_report_error(err);
}

enum sp_status sp_mpi_job_begin(double seconds, struct sp_mpi_job *job, struct sp_error *err)
{
    sp_mpi_counts_open();
    enum sp_status status = sp_mpi_module_open(&job->mpi, err);
    if (status != SP_OK)
        return status;
    be_patient(seconds);
    sp_mpi_job_wait(NULL, "the beginning");
    status = job->mpi->begin(&job->world, err);
    if (status == SP_OK && job->world.n_ranks == 1 && sp_mpi_job_n_launched() > 1) {
        status =
            sp_fail(err, SP_ABSENT, "take the mpirun of the MPI that spmodel was built with; srun --mpi=pmix",
                    "%d ranks were started by the launcher of another MPI than %s, which sees one",
                    sp_mpi_job_n_launched(), job->world.library);
        job->mpi->end();
    }
    sp_mpi_job_wait(NULL, NULL);
    return status;
}

void sp_mpi_job_end(struct sp_mpi_job *job)
{
    sp_mpi_job_wait(NULL, "the end");
    job->mpi->end();
    sp_mpi_job_wait(NULL, NULL);
}
