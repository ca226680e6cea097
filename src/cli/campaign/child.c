#include "cli/campaign/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/analyze/run_options.h"
#include "cli/core/programs.h"

/* Exit codes of the process that tries options: none that argp takes. */
enum { ACCEPTED = 100, MORE_MATRICES, WRITES, JUDGES };

/* As analyze has understood them: long options may be cut short. */
static int verdict_on(const struct sp_analyze_arguments *a)
{
    const struct sp_output_options *o = &a->output;
    return a->n_matrices != 1                                       ? MORE_MATRICES
           : a->common.json || a->common.csv || a->common.lines     ? WRITES
           : o->html_name                                           ? WRITES
           : o->fail_below_bandwidth > 0 || o->fail_below_model > 0 ? JUDGES
                                                                    : ACCEPTED;
}

/* argp ends the program where it refuses something: a child's end, here. */
static void try_options(const struct sp_campaign_run *run, int to)
{
    static char name[] = "spmodel analyze", matrix[] = "gen:laplace2d:3", end[] = "--";
    char *argv[SP_MOST_WORDS + 4] = {name};
    char command[4096], text[2048];
    struct sp_analyze_arguments a;
    struct sp_error err;
    int n = 1;
    for (int i = 0; i < run->n_words; i++)
        argv[n++] = run->word[i];
    argv[n++] = end;
    argv[n++] = matrix;
    dup2(to, STDERR_FILENO);
    if (sp_analyze_arguments(n, argv, command, sizeof command, &a, &err) == SP_OK)
        _exit(verdict_on(&a));
    sp_error_text(&err, text, sizeof text);
    fputs(text, stderr);
    fputc('\n', stderr);
    _exit(2);
}

/* The first line, without the name of the program. */
static void first_line(char *text)
{
    static const char before[] = "spmodel analyze: ";
    text[strcspn(text, "\n")] = '\0';
    if (strncmp(text, before, sizeof before - 1) == 0)
        memmove(text, text + sizeof before - 1, strlen(text) - sizeof before + 2);
}

static enum sp_status check_run(const char *file, const struct sp_campaign_run *run, struct sp_error *err)
{
    char said[1024] = "";
    int pipe_end[2], status = 0;
    if (pipe(pipe_end) != 0)
        return sp_fail(err, SP_ABSENT, NULL, "no pipe: %s", strerror(errno));
    fflush(stdout);
    fflush(stderr);
    const pid_t pid = fork();
    if (pid == 0) {
        close(pipe_end[0]);
        try_options(run, pipe_end[1]);
    }
    close(pipe_end[1]);
    size_t n = 0;
    for (ssize_t got = 1; pid > 0 && n < sizeof said - 1 && got > 0; n += got > 0 ? (size_t)got : 0)
        got = read(pipe_end[0], said + n, sizeof said - 1 - n);
    close(pipe_end[0]);
    said[n] = '\0';
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return sp_fail(err, SP_ABSENT, NULL, "no process: %s", strerror(errno));
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    first_line(said);
    if (code == WRITES || code == JUDGES)
        return sp_fail_at(err, SP_INPUT, file, run->line, 0,
                          code == WRITES
                              ? "its records go into the store: campaign --summary and track export"
                              : "spmodel track check judges what is in the store",
                          "run '%s': a campaign's run takes no %s", run->name,
                          code == WRITES ? "--json, --csv, --lines or --html" : "--fail-below");
    if (code == sp_exit_code(SP_MEMORY))
        return sp_fail(err, SP_MEMORY, "free memory", "no memory to look at the options of run '%s'",
                       run->name);
    return code == ACCEPTED ? SP_OK
           : code == MORE_MATRICES
               ? sp_fail_at(err, SP_INPUT, file, run->line, 0,
                            "matrices have lines of their own: matrix NAME",
                            "run '%s' names a matrix among its options", run->name)
               : sp_fail_at(err, SP_INPUT, file, run->line, 0, "spmodel analyze --help lists the options",
                            "run '%s': %s", run->name, *said ? said : "its options are refused");
}

enum sp_status sp_campaign_check_options(const char *file, const struct sp_campaign *campaign,
                                         struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < campaign->n_runs && status == SP_OK; i++)
        status = check_run(file, &campaign->run[i], err);
    return status;
}

static void err_path(const char *work, char *path, size_t size)
{
    snprintf(path, size, "%s/stderr.txt", work);
}

enum sp_status sp_campaign_start(const struct sp_campaign_job *job, const char *work, pid_t *pid,
                                 struct sp_error *err)
{
    static char program[] = "spmodel", verb[] = "analyze", quiet[] = "-q", bare[] = "--no-plots",
                out[] = "--out", end[] = "--";
    char *argv[SP_MOST_WORDS + 9] = {program, verb};
    char path[4200], folder[4096];
    int n = 2;
    for (int i = 0; i < job->run->n_words; i++)
        argv[n++] = job->run->word[i];
    snprintf(folder, sizeof folder, "%s", work);
    err_path(work, path, sizeof path);
    argv[n++] = quiet;
    argv[n++] = bare;
    argv[n++] = out;
    argv[n++] = folder;
    argv[n++] = end;
    argv[n++] = job->matrix->path;
    const struct sp_own_process what = {.word = argv, .out = "/dev/null", .said = path, .own_group = true};
    return sp_own_process_start(&what, pid, err);
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r\n")] == '\0';
}

void sp_campaign_last_words(const char *work, char *last, char *error, size_t size)
{
    static const char mark[] = "spmodel: error: ";
    char path[4200], *line = NULL;
    size_t room = 0;
    err_path(work, path, sizeof path);
    FILE *f = fopen(path, "r");
    last[0] = error[0] = '\0';
    while (f && getline(&line, &room, f) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!is_blank(line))
            snprintf(last, size, "%s", line + strspn(line, " \t"));
        if (strncmp(line, mark, sizeof mark - 1) == 0)
            snprintf(error, size, "%s", line + sizeof mark - 1);
    }
    free(line);
    if (f)
        fclose(f);
}
