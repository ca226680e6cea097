#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/analyze/run_options.h"
#include "cli/campaign/campaign_options.h"
#include "cli/core/process.h"
#include "cli/core/terminal.h"
#include "io/files/part_file.h"
#include "track/campaign/campaign_jobs.h"

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

/* Starts a job in a process group of its own; records and standard error go into the folder `work`.
 * It is killed when this process ends. SP_ABSENT: no process. */
static enum sp_status campaign_start(const struct sp_campaign_job *job, const char *work, pid_t *pid,
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

/* Of its standard error: the last line, and the last one that names an error; "" without one. */
static void campaign_last_words(const char *work, char *last, char *error, size_t size)
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

/* A process that runs jobs of a campaign: which ones it runs, and what it knows of all of them. */

enum { SP_CREW_LOOKS_EVERY_S = 30 };

struct running_job {
    pid_t pid;
    int job, slot;
    struct sp_claim claim, slot_claim;
    char work[4096];
    double started;
};

struct known_job {
    enum sp_job_state state;
    int attempts; /* that failed, as last seen */
    int retry;    /* run it again while no more than so many attempts have failed */
};

struct crew {
    struct sp_campaign_work *work;
    struct known_job *known;     /* [n_jobs] */
    struct running_job *running; /* [n_running] of options->jobs */
    int n_running, n_open_at_start;
    double started, looked, touched;
    double patience_s; /* until a process that waits looks again: longer while nothing changes */
    struct sp_campaign_traces traces;
    bool stopping, is_killed, is_told;
    const struct sp_progress *progress;
    struct sp_terminal *terminal;
    struct sp_error err;
};

enum { TOUCHED_EVERY_S = 5 };

static const struct sp_campaign_job *crew_job(const struct crew *c, int i)
{
    return &c->work->campaign.job[i];
}

/* What the store says of job i, or of all that are not done; SP_MEMORY fills crew->err. */
static void crew_look(struct crew *c, int i)
{
    struct sp_job_view view;
    sp_job_look(&c->work->store, crew_job(c, i), &view);
    c->known[i].state = view.state;
    if (view.state == SP_JOB_FAILED)
        c->known[i].attempts = view.failure.attempt;
}

/* Signs of life, the same whatever --stale others were given. */
static void crew_touch(struct crew *c)
{
    if (sp_now() - c->touched < TOUCHED_EVERY_S)
        return;
    c->touched = sp_now();
    for (int i = 0; i < c->n_running; i++) {
        const struct running_job *r = &c->running[i];
        sp_claim_touch(&c->work->store.claims, crew_job(c, r->job)->id, &r->claim);
        sp_slot_touch(&c->work->store, r->slot, &r->slot_claim);
    }
}

/* The names in the store's folders once, then the files of those jobs that have some. */
static enum sp_status crew_look_at_all(struct crew *c)
{
    bool changed = false;
    enum sp_status status = sp_campaign_traces_read(&c->work->store, &c->traces, &c->err);
    for (int i = 0; i < c->work->campaign.n_jobs && status == SP_OK; i++) {
        const enum sp_job_state was = c->known[i].state;
        if (was == SP_JOB_DONE)
            continue;
        if (sp_campaign_traces_have(&c->traces, crew_job(c, i)))
            crew_look(c, i);
        else
            c->known[i].state = SP_JOB_WAITING;
        changed = changed || c->known[i].state != was;
        crew_touch(c);
    }
    c->looked = sp_now();
    c->patience_s = changed ? 1 : fmin(fmax(2 * c->patience_s, 1), SP_CREW_LOOKS_EVERY_S);
    return status;
}

static bool crew_may_start(const struct known_job *k)
{
    return k->state == SP_JOB_WAITING || (k->state == SP_JOB_FAILED && k->attempts <= k->retry);
}

/* Is it one that this process may run? */
static bool crew_has(const struct crew *c, int i)
{
    const struct sp_campaign_share *share = &c->work->options->share;
    return !share->only || sp_campaign_share_has(share, i);
}

/* Of those that it may run. */
static int crew_count_own(const struct crew *c, enum sp_job_state state)
{
    int n = 0;
    for (int i = 0; i < c->work->campaign.n_jobs; i++)
        n += crew_has(c, i) && c->known[i].state == state;
    return n;
}

static int crew_count(const struct crew *c, enum sp_job_state state)
{
    int n = 0;
    for (int i = 0; i < c->work->campaign.n_jobs; i++)
        n += c->known[i].state == state;
    return n;
}

static int crew_count_startable(const struct crew *c)
{
    int n = 0;
    for (int i = 0; i < c->work->campaign.n_jobs; i++)
        n += crew_has(c, i) && crew_may_start(&c->known[i]);
    return n;
}

/* The jobs of a campaign, one after the other, beside other processes that do the same. */

static volatile sig_atomic_t terminated;

static void on_terminate(int signal_number)
{
    (void)signal_number;
    terminated = 1;
}

/* By the pace so far of all processes together; "" before the first is done. */
static const char *time_left(const struct crew *c, char *text, size_t size)
{
    char time[32];
    const int open = crew_count_startable(c) + crew_count_own(c, SP_JOB_CLAIMED),
              ended = c->n_open_at_start - open;
    text[0] = '\0';
    if (ended > 0 && open > 0)
        snprintf(text, size, ", about %s left",
                 sp_text_seconds(time, sizeof time, (sp_now() - c->started) * open / ended));
    return text;
}

static void show(const struct crew *c, const char *what)
{
    char text[512], left[64];
    const int n = c->work->campaign.n_jobs, failed = crew_count(c, SP_JOB_FAILED);
    if (!c->terminal->active)
        return;
    snprintf(text, sizeof text, "%d of %d done%s%s: %s", crew_count(c, SP_JOB_DONE), n,
             time_left(c, left, sizeof left), failed > 0 ? ", some failed" : "", what);
    sp_terminal_show(c->terminal, text);
}

/* One line for each job that ends here. */
static void tell(const struct crew *c, int i, const char *how, double seconds)
{
    const struct sp_campaign_job *job = crew_job(c, i);
    char left[64], time[32];
    if (c->work->options->common.verbosity < 0)
        return;
    sp_terminal_clear(c->terminal);
    sp_print(stderr, "%d of %d done: %s · %s %s after %s%s\n", crew_count(c, SP_JOB_DONE),
             c->work->campaign.n_jobs, job->matrix->text, job->run->name, how,
             sp_text_seconds(time, sizeof time, seconds), time_left(c, left, sizeof left));
}

static enum sp_status launch(struct crew *c, int i, int slot, const struct sp_claim *slot_claim,
                             const struct sp_claim *claim)
{
    struct running_job *r = &c->running[c->n_running];
    const struct sp_campaign_store *store = &c->work->store;
    *r = (struct running_job){.job = i, .slot = slot, .claim = *claim, .slot_claim = *slot_claim};
    enum sp_status status = sp_job_work_make(store, crew_job(c, i), r->work, &c->err);
    if (status == SP_OK && (status = campaign_start(crew_job(c, i), r->work, &r->pid, &c->err)) != SP_OK)
        sp_folder_remove(r->work);
    if (status != SP_OK) {
        sp_job_drop(store, crew_job(c, i), claim);
        sp_slot_drop(store, slot, slot_claim);
        return status;
    }
    r->started = sp_now();
    c->known[i].state = SP_JOB_CLAIMED;
    c->n_running++;
    return SP_OK;
}

/* The next job that this process gets hold of, in a place of this machine. *started: one. */
static enum sp_status start_one(struct crew *c, bool *started)
{
    const struct sp_campaign_store *store = &c->work->store;
    struct sp_claim slot_claim, claim;
    int slot;
    *started = false;
    enum sp_status status = sp_slot_take(store, c->work->options->jobs, &slot, &slot_claim, &c->err);
    if (status != SP_OK || slot < 0)
        return status;
    const int n = c->work->campaign.n_jobs;
    for (int at = 0; at < 2 * n && status == SP_OK; at++) { /* the own share, then the others' */
        const int i = at % n;
        if (sp_campaign_share_has(&c->work->options->share, i) != (at < n) || !crew_has(c, i) ||
            !crew_may_start(&c->known[i]))
            continue;
        status = sp_job_take(store, crew_job(c, i), c->known[i].retry, started, &claim, &c->err);
        if (*started)
            return launch(c, i, slot, &slot_claim, &claim);
        crew_look(c, i);
        crew_touch(c);
    }
    sp_slot_drop(store, slot, &slot_claim);
    return status;
}

static enum sp_status note_failure(struct crew *c, int i, const struct sp_job_failure *f, double seconds)
{
    char text[600], how[640];
    enum sp_status status = sp_job_fail(&c->work->store, crew_job(c, i), f, &c->err);
    c->known[i].state = SP_JOB_FAILED;
    c->known[i].attempts = c->known[i].retry + 1;
    snprintf(how, sizeof how, "failed (%s)", sp_campaign_failure_text(f, text, sizeof text));
    tell(c, i, how, seconds);
    return status;
}

/* Somebody stopped it, the user or a batch system: no failure of the job. */
static bool was_stopped(int status_word)
{
    return (WIFSIGNALED(status_word) &&
            (WTERMSIG(status_word) == SIGINT || WTERMSIG(status_word) == SIGTERM)) ||
           (WIFEXITED(status_word) && WEXITSTATUS(status_word) == 130);
}

static enum sp_status settle_job(struct crew *c, const struct running_job *r, int status_word)
{
    const double seconds = sp_now() - r->started;
    struct sp_job_failure f = {.exit_code = WIFEXITED(status_word) ? WEXITSTATUS(status_word) : -1,
                               .signal = WIFSIGNALED(status_word) ? WTERMSIG(status_word) : 0};
    if (c->stopping || was_stopped(status_word)) {
        c->stopping = true;
        c->known[r->job].state = SP_JOB_WAITING;
        return SP_OK;
    }
    campaign_last_words(r->work, f.last, f.error, sizeof f.last);
    if (f.exit_code != 0)
        return note_failure(c, r->job, &f, seconds);
    enum sp_status status = sp_job_deliver(&c->work->store, crew_job(c, r->job), r->work, &c->err);
    if (status == SP_INPUT) {
        snprintf(f.error, sizeof f.error, "%.500s", c->err.what);
        return note_failure(c, r->job, &f, seconds);
    }
    if (status == SP_OK) {
        c->known[r->job].state = SP_JOB_DONE;
        tell(c, r->job, "done", seconds);
    }
    return status;
}

/* Jobs that have ended. */
static enum sp_status reap(struct crew *c)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < c->n_running;) {
        struct running_job *r = &c->running[i];
        int status_word;
        if (waitpid(r->pid, &status_word, WNOHANG) != r->pid) {
            i++;
            continue;
        }
        const enum sp_status settled = settle_job(c, r, status_word);
        status = status == SP_OK ? settled : status;
        sp_folder_remove(r->work);
        sp_job_drop(&c->work->store, crew_job(c, r->job), &r->claim);
        sp_slot_drop(&c->work->store, r->slot, &r->slot_claim);
        *r = c->running[--c->n_running];
        c->patience_s = 1;
    }
    return status;
}

static void stop_running(struct crew *c)
{
    c->stopping = c->is_killed = true;
    for (int i = 0; i < c->n_running; i++)
        kill(-c->running[i].pid, SIGTERM); /* it removes what it has half-written */
}

static bool is_spent(const struct crew *c)
{
    const double after_s = c->work->options->stop_after_s;
    return after_s > 0 && sp_now() - c->started >= after_s;
}

/* Until a job ends or a second is over: nothing that would disturb what is timed. */
static void rest(void)
{
    const struct timespec second = {1, 0};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, NULL, &second);
}

static void show_state(struct crew *c, bool held_up)
{
    char what[400] = "waiting for other processes";
    if (c->n_running > 0) {
        const struct sp_campaign_job *job = crew_job(c, c->running[0].job);
        snprintf(what, sizeof what, "%.300s · %s", job->matrix->text, job->run->name);
    } else if (held_up && !c->is_told && c->work->options->common.verbosity >= 0) {
        sp_terminal_clear(c->terminal);
        fputs("spmodel: remark: another process runs a job on this machine; this one waits for its turn\n",
              stderr);
        c->is_told = true;
    }
    show(c, what);
}

static bool must_stop(const struct crew *c, enum sp_status status)
{
    return c->stopping || terminated || status != SP_OK || sp_progress_interrupted(c->progress);
}

/* Jobs into the places that are free. *held_up: others have them all. */
static enum sp_status start_some(struct crew *c, bool *held_up)
{
    enum sp_status status = SP_OK;
    bool started = true;
    while (status == SP_OK && started && !c->stopping && !is_spent(c) &&
           c->n_running < c->work->options->jobs && crew_count_startable(c) > 0)
        status = start_one(c, &started);
    *held_up = !started && crew_count_startable(c) > 0;
    return status;
}

/* Is nothing left for a process? It would take over what others run, within its time. */
static bool is_over(const struct crew *c)
{
    return is_spent(c) || (crew_count_startable(c) == 0 &&
                           (c->work->options->no_wait || crew_count_own(c, SP_JOB_CLAIMED) == 0));
}

static enum sp_status run_until_done(struct crew *c)
{
    enum sp_status status = SP_OK;
    for (;;) {
        bool held_up = false;
        const enum sp_status reaped = reap(c);
        status = status == SP_OK ? reaped : status;
        crew_touch(c);
        if (!c->is_killed && must_stop(c, status))
            stop_running(c);
        if (status == SP_OK)
            status = start_some(c, &held_up);
        if (c->n_running == 0 && (c->stopping || status != SP_OK))
            return status;
        const double since_s = sp_now() - c->looked;
        const bool idle = c->n_running == 0;
        if (status == SP_OK && since_s >= (idle ? c->patience_s : SP_CREW_LOOKS_EVERY_S))
            status = crew_look_at_all(c);
        if (idle && status == SP_OK && is_over(c))
            return SP_OK;
        show_state(c, held_up);
        rest();
    }
}

static int begin(struct crew *c)
{
    const struct sp_campaign_options *o = c->work->options;
    const int n = c->work->campaign.n_jobs;
    c->known = calloc((size_t)n, sizeof *c->known);
    c->running = calloc((size_t)o->jobs, sizeof *c->running);
    if (!c->known || !c->running) {
        sp_fail(&c->err, SP_MEMORY, NULL, "no memory for %d jobs", n);
        return sp_report_error(&c->err);
    }
    if (crew_look_at_all(c) != SP_OK)
        return sp_report_error(&c->err);
    for (int i = 0; i < n; i++)
        c->known[i].retry = o->retry ? c->known[i].attempts : 0;
    c->n_open_at_start = crew_count_startable(c) + crew_count_own(c, SP_JOB_CLAIMED);
    c->started = c->touched = sp_now();
    if (o->common.verbosity >= 0 && crew_count_startable(c) > 0)
        sp_print(stderr, "%d of %d jobs done, %d failed, %d claimed by others, %d to do\n",
                 crew_count(c, SP_JOB_DONE), n, crew_count(c, SP_JOB_FAILED), crew_count(c, SP_JOB_CLAIMED),
                 crew_count_startable(c));
    return 0;
}

static int end(struct crew *c, enum sp_status status)
{
    const int waiting = crew_count_startable(c), claimed = crew_count_own(c, SP_JOB_CLAIMED);
    char others[64] = "";
    if (status != SP_OK)
        return sp_report_error(&c->err);
    if (c->stopping) {
        sp_fail(&c->err, SP_INTERRUPTED, "the same command goes on where it was left", "stopped");
        return sp_report_error(&c->err);
    }
    if (claimed > 0)
        snprintf(others, sizeof others, ", %d run%s elsewhere", claimed, claimed == 1 ? "s" : "");
    if (is_spent(c) && waiting + claimed > 0 && c->work->options->common.verbosity >= 0)
        sp_print(stderr,
                 "spmodel: remark: the time of --stop-after is over, %d of %d jobs wait%s; the same command "
                 "goes on\n",
                 waiting, c->work->campaign.n_jobs, others);
    return 0;
}

int sp_campaign_run_jobs(struct sp_campaign_work *work)
{
    struct sp_terminal terminal;
    const struct sp_progress progress = sp_terminal_open(&terminal, work->options->common.verbosity);
    struct crew c = {.work = work, .progress = &progress, .terminal = &terminal};
    const struct sigaction action = {.sa_handler = on_terminate};
    sigset_t child;
    sigaction(SIGTERM, &action, NULL);
    sp_process_be_patient(60); /* claims are given back, over slow file systems, too */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int code = begin(&c);
    if (code == 0) {
        const enum sp_status status = run_until_done(&c);
        sp_terminal_clear(&terminal);
        code = end(&c, status);
        sp_campaign_sweep(&work->store, &work->campaign);
    }
    sp_campaign_traces_free(&c.traces);
    free(c.known);
    free(c.running);
    return terminated && code == sp_exit_code(SP_INTERRUPTED) ? 128 + SIGTERM : code;
}

int sp_campaign_open_elsewhere(const struct sp_campaign_work *work)
{
    int n = 0;
    for (int i = 0; i < work->campaign.n_jobs; i++) {
        struct sp_job_view view;
        if (sp_campaign_share_has(&work->options->share, i))
            continue;
        sp_job_look(&work->store, &work->campaign.job[i], &view);
        n += view.state == SP_JOB_WAITING || view.state == SP_JOB_CLAIMED;
    }
    return n;
}
