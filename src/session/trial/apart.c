#include "session/trial/apart.h"

#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void sp_apart_begin(void)
{
#ifndef __clang__ /* clang's library starts anew in a forked process by itself, and fails where it was       \
                     paused */
    omp_pause_resource_all(omp_pause_hard);
#endif
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
