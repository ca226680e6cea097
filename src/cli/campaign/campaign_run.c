/* The jobs of a campaign, one after the other, beside other processes that do the same. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/campaign/child.h"
#include "cli/campaign/crew.h"
#include "cli/core/process.h"
#include "io/files/part_file.h"

static volatile sig_atomic_t terminated;

static void on_terminate(int signal_number)
{
    (void)signal_number;
    terminated = 1;
}

/* By the pace so far of all processes together; "" before the first is done. */
static const char *time_left(const struct sp_crew *c, char *text, size_t size)
{
    char time[32];
    const int open = sp_crew_count_startable(c) + sp_crew_count(c, SP_JOB_CLAIMED),
              ended = c->n_open_at_start - open;
    text[0] = '\0';
    if (ended > 0 && open > 0)
        snprintf(text, size, ", about %s left",
                 sp_text_seconds(time, sizeof time, (sp_now() - c->started) * open / ended));
    return text;
}

static void show(const struct sp_crew *c, const char *what)
{
    char text[512], left[64];
    const int n = c->work->campaign.n_jobs, failed = sp_crew_count(c, SP_JOB_FAILED);
    if (!c->terminal->active)
        return;
    snprintf(text, sizeof text, "%d of %d done%s%s", sp_crew_count(c, SP_JOB_DONE), n,
             time_left(c, left, sizeof left), failed > 0 ? ", some failed" : "");
    sp_terminal_line_begin();
    sp_print(stderr, "%s: %s", text, what);
    c->terminal->shown = true;
}

/* One line for each job that ends here. */
static void tell(const struct sp_crew *c, int i, const char *how, double seconds)
{
    const struct sp_campaign_job *job = sp_crew_job(c, i);
    char left[64], time[32];
    if (c->work->options->common.verbosity < 0)
        return;
    sp_terminal_clear(c->terminal);
    sp_print(stderr, "%d of %d done: %s · %s %s after %s%s\n", sp_crew_count(c, SP_JOB_DONE),
             c->work->campaign.n_jobs, job->matrix->text, job->run->name, how,
             sp_text_seconds(time, sizeof time, seconds), time_left(c, left, sizeof left));
}

static enum sp_status launch(struct sp_crew *c, int i, int slot, const struct sp_claim *slot_claim,
                             const struct sp_claim *claim)
{
    struct sp_running_job *r = &c->running[c->n_running];
    const struct sp_campaign_store *store = &c->work->store;
    *r = (struct sp_running_job){.job = i, .slot = slot, .claim = *claim, .slot_claim = *slot_claim};
    enum sp_status status = sp_job_work_make(store, sp_crew_job(c, i), r->work, &c->err);
    if (status == SP_OK &&
        (status = sp_campaign_start(sp_crew_job(c, i), r->work, &r->pid, &c->err)) != SP_OK)
        sp_folder_remove(r->work);
    if (status != SP_OK) {
        sp_job_drop(store, sp_crew_job(c, i), claim);
        sp_slot_drop(store, slot, slot_claim);
        return status;
    }
    r->started = sp_now();
    c->known[i].state = SP_JOB_CLAIMED;
    c->n_running++;
    return SP_OK;
}

/* The next job that this process gets hold of, in a place of this machine. *started: there was one. */
static enum sp_status start_one(struct sp_crew *c, bool *started)
{
    const struct sp_campaign_store *store = &c->work->store;
    struct sp_claim slot_claim, claim;
    int slot;
    *started = false;
    enum sp_status status = sp_slot_take(store, c->work->options->jobs, &slot, &slot_claim, &c->err);
    if (status != SP_OK || slot < 0)
        return status;
    for (int i = 0; i < c->work->campaign.n_jobs && status == SP_OK; i++) {
        if (!sp_crew_may_start(&c->known[i]))
            continue;
        status = sp_job_take(store, sp_crew_job(c, i), c->known[i].retry, started, &claim, &c->err);
        if (*started)
            return launch(c, i, slot, &slot_claim, &claim);
        sp_crew_look(c, i);
        sp_crew_touch(c);
    }
    sp_slot_drop(store, slot, &slot_claim);
    return status;
}

static enum sp_status note_failure(struct sp_crew *c, int i, const struct sp_job_failure *f, double seconds)
{
    char text[600], how[640];
    enum sp_status status = sp_job_fail(&c->work->store, sp_crew_job(c, i), f, &c->err);
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

static enum sp_status settle_job(struct sp_crew *c, const struct sp_running_job *r, int status_word)
{
    const double seconds = sp_now() - r->started;
    struct sp_job_failure f = {.exit_code = WIFEXITED(status_word) ? WEXITSTATUS(status_word) : -1,
                               .signal = WIFSIGNALED(status_word) ? WTERMSIG(status_word) : 0};
    if (c->stopping || was_stopped(status_word)) {
        c->stopping = true;
        c->known[r->job].state = SP_JOB_WAITING;
        return SP_OK;
    }
    sp_campaign_last_words(r->work, f.last, f.error, sizeof f.last);
    if (f.exit_code != 0)
        return note_failure(c, r->job, &f, seconds);
    enum sp_status status = sp_job_deliver(&c->work->store, sp_crew_job(c, r->job), r->work, &c->err);
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
static enum sp_status reap(struct sp_crew *c)
{
    enum sp_status status = SP_OK;
    for (int i = 0; i < c->n_running;) {
        struct sp_running_job *r = &c->running[i];
        int status_word;
        if (waitpid(r->pid, &status_word, WNOHANG) != r->pid) {
            i++;
            continue;
        }
        const enum sp_status settled = settle_job(c, r, status_word);
        status = status == SP_OK ? settled : status;
        sp_folder_remove(r->work);
        sp_job_drop(&c->work->store, sp_crew_job(c, r->job), &r->claim);
        sp_slot_drop(&c->work->store, r->slot, &r->slot_claim);
        *r = c->running[--c->n_running];
        c->patience_s = 1;
    }
    return status;
}

static void stop_running(struct sp_crew *c)
{
    c->stopping = c->is_killed = true;
    for (int i = 0; i < c->n_running; i++)
        kill(-c->running[i].pid, SIGTERM); /* it removes what it has half-written */
}

static bool is_spent(const struct sp_crew *c)
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

static void show_state(struct sp_crew *c, bool held_up)
{
    char what[400] = "waiting for other processes";
    if (c->n_running > 0) {
        const struct sp_campaign_job *job = sp_crew_job(c, c->running[0].job);
        snprintf(what, sizeof what, "%.300s · %s", job->matrix->text, job->run->name);
    } else if (held_up && !c->is_told && c->work->options->common.verbosity >= 0) {
        sp_terminal_clear(c->terminal);
        fputs("spmodel: remark: another process runs a job on this machine; this one waits for its turn\n",
              stderr);
        c->is_told = true;
    }
    show(c, what);
}

static bool must_stop(const struct sp_crew *c, enum sp_status status)
{
    return c->stopping || terminated || status != SP_OK || sp_progress_interrupted(c->progress);
}

/* Jobs into the places that are free. *held_up: others have them all. */
static enum sp_status start_some(struct sp_crew *c, bool *held_up)
{
    enum sp_status status = SP_OK;
    bool started = true;
    while (status == SP_OK && started && !c->stopping && !is_spent(c) &&
           c->n_running < c->work->options->jobs && sp_crew_count_startable(c) > 0)
        status = start_one(c, &started);
    *held_up = !started && sp_crew_count_startable(c) > 0;
    return status;
}

/* Is there nothing to do for a process of which nothing runs? What others run it would take over, but not
 * beyond its time. */
static bool is_over(const struct sp_crew *c)
{
    return is_spent(c) || (sp_crew_count_startable(c) == 0 &&
                           (c->work->options->no_wait || sp_crew_count(c, SP_JOB_CLAIMED) == 0));
}

static enum sp_status run_until_done(struct sp_crew *c)
{
    enum sp_status status = SP_OK;
    for (;;) {
        bool held_up = false;
        const enum sp_status reaped = reap(c);
        status = status == SP_OK ? reaped : status;
        sp_crew_touch(c);
        if (!c->is_killed && must_stop(c, status))
            stop_running(c);
        if (status == SP_OK)
            status = start_some(c, &held_up);
        if (c->n_running == 0 && (c->stopping || status != SP_OK))
            return status;
        const double since_s = sp_now() - c->looked;
        const bool idle = c->n_running == 0;
        if (status == SP_OK && since_s >= (idle ? c->patience_s : SP_CREW_LOOKS_EVERY_S))
            status = sp_crew_look_at_all(c);
        if (idle && status == SP_OK && is_over(c))
            return SP_OK;
        show_state(c, held_up);
        rest();
    }
}

static int begin(struct sp_crew *c)
{
    const struct sp_campaign_options *o = c->work->options;
    const int n = c->work->campaign.n_jobs;
    c->known = calloc((size_t)n, sizeof *c->known);
    c->running = calloc((size_t)o->jobs, sizeof *c->running);
    if (!c->known || !c->running) {
        sp_fail(&c->err, SP_MEMORY, NULL, "no memory for %d jobs", n);
        return sp_report_error(&c->err);
    }
    if (sp_crew_look_at_all(c) != SP_OK)
        return sp_report_error(&c->err);
    for (int i = 0; i < n; i++)
        c->known[i].retry = o->retry ? c->known[i].attempts : 0;
    c->n_open_at_start = sp_crew_count_startable(c) + sp_crew_count(c, SP_JOB_CLAIMED);
    c->started = c->touched = sp_now();
    if (o->common.verbosity >= 0 && sp_crew_count_startable(c) > 0)
        sp_print(stderr, "%d of %d jobs done, %d failed, %d claimed by others, %d to do\n",
                 sp_crew_count(c, SP_JOB_DONE), n, sp_crew_count(c, SP_JOB_FAILED),
                 sp_crew_count(c, SP_JOB_CLAIMED), sp_crew_count_startable(c));
    return 0;
}

static int end(struct sp_crew *c, enum sp_status status)
{
    const int waiting = sp_crew_count_startable(c), claimed = sp_crew_count(c, SP_JOB_CLAIMED);
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
    struct sp_crew c = {.work = work, .progress = &progress, .terminal = &terminal};
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
