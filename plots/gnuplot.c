#include "plots/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

/* What gnuplot said, in one line: a script error names its line in the middle of several. */
static void read_words(FILE *said, char *text, size_t size)
{
    size_t n = 0;
    int c;
    rewind(said);
    while ((c = fgetc(said)) != EOF && n + 2 < size) {
        if (c < ' ')
            c = ' ';
        if (c != ' ' || (n > 0 && text[n - 1] != ' '))
            text[n++] = (char)c;
    }
    text[n] = '\0';
}

/* Waits with growing pauses; false: out of time, and the process is gone. */
static bool wait_for(pid_t pid, double timeout_s, int *result)
{
    double end = sp_now() + timeout_s;
    long pause_ns = 1000000;
    pid_t got;
    while ((got = waitpid(pid, result, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        if (sp_now() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, result, 0);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns < 50000000 ? pause_ns * 2 : pause_ns;
    }
    return true;
}

enum sp_status sp_gnuplot_run(const char *program, const char *script, double timeout_s, struct sp_error *err)
{
    char *argv[] = {(char *)program, (char *)"--default-settings", (char *)script, NULL};
    FILE *said = tmpfile();
    if (!said)
        return sp_fail(err, SP_OUTPUT, "set TMPDIR to a directory that can be written",
                       "cannot make a temporary file: %s", strerror(errno));
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fileno(said), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fileno(said), STDERR_FILENO);
    pid_t pid;
    int error = posix_spawn(&pid, program, &files, NULL, argv, environ), result = 0;
    posix_spawn_file_actions_destroy(&files);
    enum sp_status status = SP_OK;
    char words[400];
    if (error) {
        status = sp_fail(err, SP_ABSENT, "install gnuplot, or draw the script (--term gp) elsewhere",
                         "cannot start %s: %s", program, strerror(error));
    } else if (!wait_for(pid, timeout_s, &result)) {
        status = sp_fail(err, SP_OUTPUT, "try the script by hand (--term gp)",
                         "gnuplot did not finish within %.0f s", timeout_s);
    } else if (!WIFEXITED(result) || WEXITSTATUS(result) != 0) {
        read_words(said, words, sizeof words);
        status = sp_fail(err, SP_OUTPUT, "try the script by hand (--term gp)", "gnuplot failed: %s",
                         *words ? words : "it gave no reason");
    }
    fclose(said);
    return status;
}
