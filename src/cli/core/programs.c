#include "cli/core/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/samples.h"
#include "cli/core/terminal.h"
#include "io/files/part_file.h"
#include "io/json_text.h"
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

int sp_own_process_wait(pid_t pid)
{
    int state = -1;
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        ;
    sp_part_child_ended(pid);
    return state;
}

/* All that a command writes to its standard output; NULL: no memory. */
static char *read_all(FILE *f)
{
    size_t most = 1 << 16, n = 0;
    char *text = malloc(most + 1);
    for (size_t got; text && (got = fread(text + n, 1, most - n, f)) > 0;) {
        n += got;
        if (n == most) {
            char *more = realloc(text, 2 * most + 1);
            if (!more) {
                free(text);
                return NULL;
            }
            text = more;
            most *= 2;
        }
    }
    if (text)
        text[n] = '\0';
    return text;
}

/* How many of the JSON values that the text begins with are records; *time_s: metrics.time of the last, NAN:
 * none, or not known. */
static int count_records(const char *text, double *time_s)
{
    json_error_t at;
    int n = 0;
    *time_s = NAN;
    for (json_t *root; (root = sp_json_parse(text, strlen(text), JSON_DISABLE_EOF_CHECK, &at));
         text += at.position) {
        const char *schema = json_string_value(json_object_get(root, "schema"));
        const json_t *metric = json_object_get(json_object_get(root, "metrics"), "time"),
                     *time = json_object_get(metric, "value");
        if (schema && strncmp(schema, "spmodel.record/", 15) == 0) {
            n++;
            *time_s = json_is_number(time) ? json_number_value(time) : NAN;
        }
        json_decref(root);
    }
    return n;
}

static enum sp_status run_once(const char *command, int verbosity, double *wall_s, double *record_s,
                               struct sp_error *err)
{
    char line[8192];
    if (snprintf(line, sizeof line, "{ %s\n} %s", command, verbosity > 0 ? "" : "2>/dev/null") >=
        (int)sizeof line)
        return sp_fail(err, SP_USAGE, NULL, "the command is too long");
    const double start = sp_now();
    FILE *f = popen(line, "r");
    if (!f)
        return sp_fail(err, SP_ABSENT, NULL, "no process for '%s': %s", command, strerror(errno));
    char *text = read_all(f);
    const int status = pclose(f);
    *wall_s = sp_now() - start;
    *record_s = NAN;
    const int n_records = text ? count_records(text, record_s) : 0;
    free(text);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return sp_fail(err, SP_INPUT, "run it by itself, or add -v to see what it says",
                       "the command '%s' failed (exit code %d)", command,
                       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    if (n_records > 1)
        return sp_fail(err, SP_INPUT,
                       "compare one matrix and width at a time, or leave --json out to compare the times of "
                       "the commands",
                       "the command '%s' wrote %d records", command, n_records);
    return SP_OK;
}

enum sp_status sp_run_in_turn(const char *a, const char *b, int rounds, int verbosity, struct sp_in_turn *out,
                              struct sp_error *err)
{
    const char *const command[2] = {a, b};
    double wall[2][SP_MOST_ROUNDS], record[2][SP_MOST_ROUNDS], ignored[2];
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, verbosity);
    enum sp_status status = SP_OK;
    bool all = true, none = true;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 2 && status == SP_OK; k++) {
        sp_progress_step(&progress, "a first run of each", k / 2.0);
        status = run_once(command[k], verbosity, &ignored[0], &ignored[1], err);
        if (sp_progress_interrupted(&progress)) /* Ctrl-C ends the command too */
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted before anything was compared");
    }
    for (int i = 0; i < 2 * rounds && status == SP_OK; i++) {
        const int round = i / 2, k = (i + round) % 2; /* A B, B A, A B ... */
        sp_progress_step(&progress, "running in turn", (double)i / (2 * rounds));
        status = run_once(command[k], verbosity, &wall[k][round], &record[k][round], err);
        if (sp_progress_interrupted(&progress))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted after %d runs", i + 1);
        all = all && status == SP_OK && !isnan(record[k][round]);
        none = none && (status != SP_OK || isnan(record[k][round]));
    }
    sp_terminal_clear(&terminal);
    if (status == SP_OK && !all && !none)
        status =
            sp_fail(err, SP_INPUT, "let both write records, or none", "only some of the runs wrote a record");
    if (status != SP_OK)
        return status;
    out->n = rounds;
    out->of_record = all;
    for (int k = 0; k < 2; k++) {
        memcpy(out->time_s[k], all ? record[k] : wall[k], (size_t)rounds * sizeof(double));
        out->median_s[k] = sp_median(out->time_s[k], rounds);
    }
    return SP_OK;
}

const char *sp_find_program(const char *name, char *path, size_t size)
{
    const char *p = getenv("PATH");
    while (p && *p) {
        size_t length = strcspn(p, ":");
        snprintf(path, size, "%.*s/%s", (int)length, p, name);
        if (access(path, X_OK) == 0)
            return path;
        p += length + (p[length] == ':');
    }
    return NULL;
}

/* The folder of this very program, links resolved. */
static bool own_folder(char *folder, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    if (n <= 0 || (size_t)n == size - 1)
        return false;
    folder[n] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* An installed program has no business in the tree that it was built from, though it may still be there. */
static bool in_build_tree(const char *folder)
{
    struct stat here, build;
    return stat(folder, &here) == 0 && stat(SP_BINARY_DIR, &build) == 0 && here.st_dev == build.st_dev &&
           here.st_ino == build.st_ino;
}

bool sp_data_path(const char *what, char *path, size_t size)
{
    char folder[3000];
    int n;
    if (!own_folder(folder, sizeof folder))
        return false;
    if (in_build_tree(folder))
        n = snprintf(path, size, "%s/%s", SP_SOURCE_DIR, what);
    else
        n = snprintf(path, size, "%s/%s/%s", folder, SP_DATA_FROM_BIN, what);
    return n > 0 && (size_t)n < size;
}
