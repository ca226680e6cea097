#include "cli/core/process.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/command.h"
#include "io/files/part_file.h"
#include "sp_config.h"
#include "sparse/reorder/metis.h"

/* All that a handler may touch. */
static volatile sig_atomic_t is_watched, is_interrupted, is_noticed, patience_s = 1;

static bool was_closed[STDERR_FILENO + 1], is_checked;

/* A number that is free goes to the next file that is opened: a report would land in it. Opened the
 * wrong way round, so that it is an error to use them. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) != -1)
            continue;
        was_closed[fd] = true;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(sp_exit_code(SP_ABSENT));
    }
}

/* As the signal does by itself, so that whoever waits for this process sees why it ended. */
static void end_by(int signal_number)
{
    sigset_t its;
    sp_parts_end();
    signal(signal_number, SIG_DFL);
    sigemptyset(&its);
    sigaddset(&its, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &its, NULL);
    raise(signal_number);
    _exit(128 + signal_number);
}

static void on_interrupt(int signal_number)
{
    if (!is_watched || is_interrupted)
        end_by(signal_number);
    is_interrupted = 1;
    alarm((unsigned)patience_s);
}

static void on_alarm(int signal_number)
{
    (void)signal_number;
    if (is_interrupted)
        end_by(SIGINT);
}

static void handle(int signal_number, void (*handler)(int), bool if_ignored)
{
    struct sigaction before, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && (if_ignored || before.sa_handler != SIG_IGN))
        sigaction(signal_number, &action, NULL);
}

/* Writing beyond a limit of the file size is an error then, with its reason. A program that is
 * started has the default again, which ignoring the signal would take from it. */
static void let_it_fail(int signal_number)
{
    (void)signal_number;
}

static void handle_signals(void)
{
    static const int ending[] = {SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        handle(ending[i], end_by, false);
    handle(SIGXFSZ, let_it_fail, false);
    handle(SIGINT, on_interrupt, true);
    handle(SIGALRM, on_alarm, true);
}

void sp_process_watch(void)
{
    is_watched = 1;
}

bool sp_process_interrupted(void)
{
    if (is_interrupted && !is_noticed) {
        is_noticed = 1;
        alarm((unsigned)patience_s);
    }
    return is_interrupted != 0;
}

void sp_process_be_patient(unsigned seconds)
{
    patience_s = (sig_atomic_t)seconds;
}

static volatile sig_atomic_t foreground;

/* What the terminal sends has reached the other one, too. */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (foreground > 0 && info->si_code != SI_KERNEL)
        kill((pid_t)foreground, signal_number);
}

void sp_process_leave_to(int child)
{
    static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    enum { N = sizeof passed / sizeof *passed };
    static struct sigaction before[N];
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    foreground = child;
    for (int i = 0; i < N; i++)
        if (child > 0)
            sigaction(passed[i], &action, &before[i]);
        else
            sigaction(passed[i], &before[i], NULL);
}

/* A full disk shows only when the last buffer is written, so that is part of the result. */
static int check_stdout(int code)
{
    errno = 0;
    is_checked = true;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    sp_print(stderr, "spmodel: error: standard output: %s\n",
             was_closed[STDOUT_FILENO] ? "it is closed"
             : errno                   ? strerror(errno)
                                       : "not everything could be written");
    return sp_worse_exit(code, sp_exit_code(SP_OUTPUT));
}

/* Others end the process, too: argp after --help; OpenMP's library, with 1, without a thread. */
static void check_exit(int code, void *context)
{
    const int before = code;
    (void)context;
    if (is_checked)
        return;
    if (code == EXIT_FAILURE) {
        const char *stack = getenv("OMP_STACKSIZE");
        fputs("spmodel: error: a library has ended the program, for want of threads or memory\n  remedy: ",
              stderr);
        if (stack)
            sp_print(stderr, "unset OMP_STACKSIZE, which asks for a stack of %s for each thread; ", stack);
        fputs("fewer threads (OMP_NUM_THREADS), or higher limits (ulimit -u, -v)\n", stderr);
        code = sp_exit_code(SP_ABSENT);
    }
    code = check_stdout(code);
    if (code != before)
        _exit(code);
}

/* A size of OMP_STACKSIZE [B]: kilobytes where no unit is given; -1: it is none. */
static double stack_of_threads(const char *text)
{
    static const char units[] = "bkmg";
    char *end;
    const double n = strtod(text, &end);
    end += strspn(end, " \t");
    const char *unit = *end ? strchr(units, *end | 0x20) : units + 1;
    return end == text || !unit ? -1 : n * (double)(1LL << 10 * (unit - units));
}

static int refuse(const char *remedy, const char *what, double has)
{
    struct sp_error err;
    sp_fail(&err, SP_ABSENT, remedy, what, has);
    return sp_report_error(&err);
}

static int check_limits(void)
{
    static const double main_B = 1 << 20, thread_B = 1 << 18; /* with room: 192 and 64 KiB are too small */
    static const char *const variable[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE"};
    const int n = omp_get_max_threads(), most = 16 * omp_get_num_procs();
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY &&
        (double)stack.rlim_cur < main_B)
        return refuse("ulimit -s 8192", "the stack may grow to %.0f KiB only, 1024 are needed",
                      (double)stack.rlim_cur / 1024);
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(variable[i]);
        const double size_B = text ? stack_of_threads(text) : -1;
        if (size_B >= 0 && size_B < thread_B)
            return refuse("OMP_STACKSIZE=2M, or unset it",
                          "a thread's stack has %.1f KiB by OMP_STACKSIZE, 256 are needed", size_B / 1024);
    }
    if (n > 4096 && n > most)
        return refuse("set OMP_NUM_THREADS to the number of cores, or unset it",
                      "%.0f threads are asked for by OMP_NUM_THREADS: more than can be had", n);
    return 0;
}

static _Noreturn void end(void)
{
    static const char text[] = "spmodel: error: no memory is left for a record or a report\n"
                               "  remedy: free memory, or raise the limit of this process or its group\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        /* nothing can be said; the code tells */
    }
    sp_parts_end();
    _exit(sp_exit_code(SP_MEMORY));
}

static void *get(size_t n)
{
    void *p = malloc(n > 0 ? n : 1);
    if (!p)
        end();
    return p;
}

/* What METIS says is lost: "too many parts!" is no help beside a partition that is there. */
static void around_metis(enum sp_metis_moment moment)
{
    static int kept = -1;
    fflush(stdout);
    if (moment == SP_METIS_ENDS_BY_SIGTERM)
        raise(SIGTERM);
    if (moment != SP_METIS_BEGINS) {
        if (kept >= 0 && dup2(kept, STDOUT_FILENO) >= 0)
            close(kept);
        kept = -1;
        return;
    }
    const int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    kept = none >= 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    if (kept >= 0)
        dup2(none, STDOUT_FILENO);
    if (none >= 0)
        close(none);
}

int sp_process_begin(void)
{
    sp_metis_around = around_metis;
    json_set_alloc_funcs(get, free);
    open_standard_streams();
    signal(SIGCHLD, SIG_DFL); /* ignored, as some daemons leave it, no child would have an exit code */
    handle_signals();
    on_exit(check_exit, NULL);
    return check_limits();
}

void sp_process_wait_briefly(char *const *argv)
{
    static const char name[] = "GOMP_SPINCOUNT", brief[] = "20000";
    const char *set = getenv(name);
    if (set && strcmp(set, brief) == 0) {
        unsetenv(name);
        prctl(PR_SET_NAME, "spmodel"); /* for ps and top, instead of "exe" */
    }
#ifndef __clang__ /* whose library has no such variable */
    if (set || getenv("OMP_WAIT_POLICY") || setenv(name, brief, 1) != 0)
        return;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (was_closed[fd])
            close(fd); /* so that it is for the next, which says so */
    execv("/proc/self/exe", argv);
    open_standard_streams();
    unsetenv(name);
#else
    (void)argv;
#endif
}

int sp_process_end(int code)
{
    code = check_stdout(code);
    return is_interrupted ? sp_worse_exit(code, sp_exit_code(SP_INTERRUPTED)) : code;
}

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
