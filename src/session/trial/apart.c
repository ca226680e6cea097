#include "session/trial/apart.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/* Is the OpenMP that our calls reach clang's or Intel's? That of a program that links libspmodel
 * comes before ours, whichever compiler built this. */
static bool is_openmp_of_clang(void)
{
#ifdef __clang__
    return true;
#else
    Dl_info kmp, pause;
    return dladdr(dlsym(RTLD_DEFAULT, "kmp_get_blocktime"), &kmp) &&
           dladdr(dlsym(RTLD_DEFAULT, "omp_pause_resource_all"), &pause) && kmp.dli_fbase == pause.dli_fbase;
#endif
}

void sp_apart_begin(void)
{
    if (!is_openmp_of_clang()) /* that starts anew in a forked process, and fails where it was paused */
        omp_pause_resource_all(omp_pause_hard);
}

bool sp_apart_send(int pipe, const void *data, size_t size)
{
    for (const char *p = data; size > 0;) {
        ssize_t n = write(pipe, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

bool sp_apart_receive(int pipe, void *data, size_t size)
{
    for (char *p = data; size > 0;) {
        ssize_t n = read(pipe, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

enum sp_status sp_apart(sp_apart_work *work, sp_apart_take *take, void *context, struct sp_error *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "no pipe to a further process: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a run that nobody waits for would disturb what comes next */
        _exit(work(context, ends[1]) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int error = errno;
    close(ends[1]);
    enum sp_status status =
        pid < 0 ? sp_fail(err, SP_ABSENT, NULL, "no process for a further run: %s", strerror(error))
                : take(context, ends[0], err);
    close(ends[0]);
    if (pid > 0 && status != SP_OK)
        kill(pid, SIGKILL); /* nobody wants what it is still at */
    if (pid > 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    return status;
}

enum sp_status sp_apart_wait(int pipe, const char *what, double limit_s, const struct sp_progress *progress,
                             struct sp_error *err)
{
    static const double look_s = 0.1; /* for interrupts */
    const double end = sp_now() + limit_s;
    struct pollfd one = {.fd = pipe, .events = POLLIN};
    double left = limit_s;
    while (left > 0) {
        if (sp_progress_interrupted(progress))
            return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted");
        if (poll(&one, 1, (int)ceil(1e3 * fmin(left, look_s))) > 0)
            return SP_OK;
        left = end - sp_now();
    }
    return sp_fail(err, SP_ABSENT, NULL, "%s takes longer than %.3g s", what, limit_s);
}

struct finding {
    const char *method;
    const struct sp_csr *a;
    double limit_s;
    const struct sp_progress *progress;
    struct sp_permutations *order;
};

/* What the child sends first; then the arrays. */
struct answer {
    enum sp_status status;
    struct sp_error error;
    bool rows, columns, are_one; /* are there permutations, and is it one for both? */
};

static bool find(void *context, int pipe)
{
    const struct finding *f = context;
    struct sp_permutations order = {0};
    struct answer answer = {0};
    omp_set_num_threads(1); /* the parent's team does not exist here */
    answer.status = sp_reorder_find(f->method, f->a, &order, &answer.error);
    answer.rows = order.row_perm;
    answer.columns = order.col_perm;
    answer.are_one = order.row_perm == order.col_perm;
    bool good = sp_apart_send(pipe, &answer, sizeof answer);
    if (good && answer.status == SP_OK && answer.rows)
        good = sp_apart_send(pipe, order.row_perm, (size_t)f->a->n_r * sizeof *order.row_perm);
    if (good && answer.status == SP_OK && answer.columns && !answer.are_one)
        good = sp_apart_send(pipe, order.col_perm, (size_t)f->a->n_c * sizeof *order.col_perm);
    sp_permutations_free(&order);
    return good;
}

static enum sp_status receive(int pipe, int64_t n, int32_t **perm, struct sp_error *err)
{
    void *p;
    enum sp_status status = sp_large_alloc(NULL, n, sizeof **perm, "a permutation", &p, err);
    *perm = p;
    if (status == SP_OK && !sp_apart_receive(pipe, p, (size_t)n * sizeof **perm))
        status = sp_fail(err, SP_ABSENT, NULL, "the process that looked for an order ended early");
    return status;
}

static enum sp_status take(void *context, int pipe, struct sp_error *err)
{
    const struct finding *f = context;
    struct sp_permutations *order = f->order;
    struct answer answer;
    const enum sp_status waited = sp_apart_wait(pipe, f->method, f->limit_s, f->progress, err);
    if (waited != SP_OK)
        return waited;
    if (!sp_apart_receive(pipe, &answer, sizeof answer))
        return sp_fail(err, SP_ABSENT, NULL, "the process that looked for an order ended early");
    if (answer.status != SP_OK) {
        if (err)
            *err = answer.error;
        return answer.status;
    }
    order->n_r = f->a->n_r;
    order->n_c = f->a->n_c;
    enum sp_status status = answer.rows ? receive(pipe, order->n_r, &order->row_perm, err) : SP_OK;
    if (answer.are_one)
        order->col_perm = order->row_perm;
    else if (status == SP_OK && answer.columns)
        status = receive(pipe, order->n_c, &order->col_perm, err);
    return status;
}

enum sp_status sp_order_in_time(const char *method, const struct sp_csr *a, double limit_s,
                                const struct sp_progress *progress, struct sp_permutations *order,
                                struct sp_error *err)
{
    struct finding f = {method, a, limit_s, progress, order};
    memset(order, 0, sizeof *order);
    const enum sp_status status = sp_apart(find, take, &f, err);
    if (status != SP_OK)
        sp_permutations_free(order);
    return status;
}
