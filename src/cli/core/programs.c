#include "cli/core/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "sp_config.h"

/* A file, or what is there already. */
static bool redirect(const char *path, int flags, int to)
{
    if (!path)
        return true;
    const int fd = open(path, flags, 0666);
    return fd >= 0 && dup2(fd, to) >= 0;
}

static void reset_signals(void)
{
    sigset_t none;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Files of this process are none of the other's: they go when it begins. */
static void close_on_exec(void)
{
    static const unsigned by_exec = 1U << 2; /* CLOSE_RANGE_CLOEXEC */
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, by_exec) != 0)
        for (int fd = STDERR_FILENO + 1; fd < 1024; fd++)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* In the child. /proc/self/exe is this very program, even where another one has taken its name. */
static _Noreturn void become(const struct sp_own_process *what, pid_t parent)
{
    const int anew = O_CREAT | O_WRONLY | O_TRUNC;
    if (what->own_group)
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* at which it removes what it has half-written */
    reset_signals();
    if (getppid() != parent || !redirect("/dev/null", O_RDONLY, STDIN_FILENO) ||
        !redirect(what->out, anew, STDOUT_FILENO) || !redirect(what->said, anew, STDERR_FILENO))
        _exit(127);
    for (const struct sp_own_variable *v = what->set; v && v->name; v++)
        setenv(v->name, v->value, 1);
    close_on_exec();
    execv("/proc/self/exe", what->word);
    dprintf(STDERR_FILENO, "the program cannot be started: %s\n", strerror(errno));
    _exit(127);
}

enum sp_status sp_own_process_start(const struct sp_own_process *what, pid_t *pid, struct sp_error *err)
{
    const pid_t parent = getpid();
    sigset_t before;
    fflush(NULL);
    sp_part_children_hold(&before);
    *pid = fork();
    if (*pid == 0)
        become(what, parent);
    if (!what->own_group)
        sp_part_child(*pid);
    sp_part_children_release(&before);
    if (*pid > 0 && what->own_group)
        setpgid(*pid, *pid); /* here, too: it may be told to stop before it has done so itself */
    if (*pid > 0)
        return SP_OK;
    *pid = 0;
    return sp_fail(err, SP_ABSENT, NULL, "no process: %s", strerror(errno));
}

/* In the child: what failed is told through the pipe, which closes by itself where it does not. */
static _Noreturn void become_other(char *const *word, void (*before)(void *), void *context, int pipe_end)
{
    reset_signals();
    signal(SIGQUIT, SIG_DFL);
    before(context);
    close_on_exec();
    execvp(word[0], word);
    const int error = errno;
    if (write(pipe_end, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

enum sp_status sp_program_start(char *const *word, void (*before)(void *context), void *context, pid_t *pid,
                                int *error, struct sp_error *err)
{
    int ends[2], failed = 0;
    *pid = 0;
    *error = 0;
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "no pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        become_other(word, before, context, ends[1]);
    *error = child < 0 ? errno : 0;
    close(ends[1]);
    if (child > 0 && read(ends[0], &failed, sizeof failed) == (ssize_t)sizeof failed) {
        *error = failed;
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    if (*error)
        return sp_fail_at(err, SP_ABSENT, word[0], 0, 0, NULL, "the program cannot be started: %s",
                          strerror(*error));
    *pid = child;
    return SP_OK;
}

int sp_own_process_wait(pid_t pid)
{
    int state = -1;
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        ;
    sp_part_child_ended(pid);
    return state;
}
