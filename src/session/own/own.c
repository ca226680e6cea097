/* The process in which a kernel of somebody else runs, and the one that waits for it. */
#include "session/own/own.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "io/record/record_losses.h"
#include "kernels/own/own_kernel.h"
#include "session/analyze/analysis.h"
#include "session/analyze/pcore.h"
#include "session/record/parts.h"
#include "session/trial/apart.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"
#include "sys/processes.h"

/* P_core of a kernel of somebody else that is made ready once: in a process that is forked for it
 * before the analysis makes it ready, so that there, too, prepare() is called once. */

struct core_run {
    struct sp_analysis *analysis;
    const struct sp_workload *workload;
};

enum { WANTED = 15, MOST = 80, ENOUGH = 5 };

/* Executions that together last for the clock. */
static enum sp_status find_repetitions(const struct sp_job *job, int64_t *n, struct sp_error *err)
{
    static const double resolved_s = 1e-3;
    double took_s = 0;
    enum sp_status status = SP_OK;
    for (*n = 1; status == SP_OK && took_s < resolved_s; *n *= took_s < resolved_s ? 2 : 1) {
        const double start = sp_now();
        status = job->run(job->state, *n, NULL, err);
        took_s = sp_now() - start;
    }
    return status;
}

/* Seconds of an execution in undisturbed batches; how many there are, below ENOUGH: too few. */
static int time_batches(const struct sp_job *job, struct sp_thread_clock *clock, double seconds[WANTED])
{
    int64_t repetitions;
    int n = 0;
    if (find_repetitions(job, &repetitions, NULL) != SP_OK)
        return 0;
    for (int i = 0; i < MOST && n < WANTED; i++) {
        sp_thread_clocks(job->n_threads, clock);
        const double start = sp_now();
        if (job->run(job->state, repetitions, NULL, NULL) != SP_OK)
            return 0;
        const double took_s = sp_now() - start;
        sp_thread_clocks(job->n_threads, clock + job->n_threads);
        if (sp_disturbance_is_ignored() ||
            !sp_disturbance_between(clock, clock + job->n_threads, job->n_threads).disturbed)
            seconds[n++] = took_s / (double)repetitions;
    }
    return n;
}

static struct sp_value rate_of(double work, const double *seconds, int n)
{
    return n < ENOUGH ? sp_value_none("other programs disturbed your kernel on few rows")
                      : sp_value_between(work / sp_median(seconds, n), work / sp_quantile(seconds, n, 1),
                                         work / sp_quantile(seconds, n, 0), SP_MEASURED);
}

static bool measure(void *context, int pipe)
{
    const struct core_run *c = context;
    const struct sp_analyze_options *o = c->analysis->options;
    struct sp_pcore_options p = sp_pcore_options_for(o->machine, c->workload, NULL, SP_SPEND_OTHERS);
    struct sp_binding binding = {0};
    struct sp_pcore_team *team;
    struct sp_job job;
    double work, seconds[WANTED];
    void *clock;
    struct sp_value rate = sp_value_none("your kernel could not be run on few rows");
    p.own = o->own.running;
    if (!o->not_pinned &&
        sp_binding_plan(o->topology, c->workload->n_threads, SP_COMPACT, &binding, NULL) == SP_OK)
        sp_binding_apply(&binding, NULL);
    if (sp_new_array(2 * (int64_t)c->workload->n_threads, sizeof(struct sp_thread_clock), "clocks", &clock,
                     NULL) == SP_OK &&
        sp_pcore_team_make(c->workload, &o->own.running->kernel, &p, &team, &job, &work, NULL) == SP_OK)
        rate = rate_of(work, seconds, time_batches(&job, clock, seconds));
    return sp_apart_send(pipe, &rate, sizeof rate);
}

static enum sp_status take(void *context, int pipe, struct sp_error *err)
{
    struct core_run *c = context;
    struct sp_value rate;
    const enum sp_status status = sp_apart_wait(pipe, "P_core", INFINITY, c->analysis->progress, err);
    if (status == SP_OK && sp_apart_receive(pipe, &rate, sizeof rate))
        c->analysis->own.core_flop_s = rate;
    return status;
}

enum sp_status sp_analysis_own_core(struct sp_analysis *a, const struct sp_workload *w, struct sp_error *err)
{
    struct core_run c = {a, w};
    struct sp_own *own = a->options->own.running;
    a->own.core_flop_s = sp_value_none("your kernel could not be run on few rows");
    if (sp_own_is_stateless(own) || w->matrix->n_nz == 0)
        return SP_OK;
    sp_progress_step(a->progress, "measuring P_core", -1);
    sp_apart_begin();
    enum sp_status status = sp_apart(measure, take, &c, err);
    sp_own_watch_again(own->watch); /* what failed there will fail here, and is named then */
    return status == SP_ABSENT ? SP_OK : status;
}

/* ---- what may be asked ---- */

static enum sp_status refuse(const char *option, const char *why, struct sp_error *err)
{
    return sp_fail(err, SP_USAGE, "leave one of the two out", SP_O_KERNEL " and %s exclude each other: %s",
                   option, why);
}

static enum sp_status find_signature(const struct sp_own_ask *ask, const struct sp_own_signature **found,
                                     struct sp_error *err)
{
    char names[300] = "";
    size_t n = 0;
    *found = NULL;
    if (!ask->signature)
        return SP_OK;
    *found = sp_own_signature_find(ask->signature);
    if (*found)
        return SP_OK;
    for (const struct sp_own_signature *s = sp_own_signatures; s->name && n < sizeof names; s++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n > 0 ? ", " : "", s->name);
    return sp_fail(err, SP_USAGE, "spmodel help own-kernel shows what each of them is",
                   SP_O_SIGNATURE " takes %s, not '%.80s'", names, ask->signature);
}

/* Storage is that of the function; what was given otherwise contradicts it. */
static enum sp_status follow_signature(const struct sp_own_signature *s, struct sp_analyze_options *o,
                                       struct sp_error *err)
{
    const char *but = NULL;
    if (!s)
        return SP_OK;
    if (s->index_B == 8)
        o->index = o->index == SP_I32 ? SP_I64 : o->index;
    if (o->index != (s->index_B == 8 ? SP_I64 : SP_I32))
        but = SP_O_INDEX;
    if (o->row_ptr_B != 0 && o->row_ptr_B != s->row_ptr_B)
        but = SP_O_ROW_PTR;
    if (o->precision >= 0 && o->precision != (int)s->precision)
        but = SP_O_PRECISION;
    if (but)
        return sp_fail(err, SP_USAGE,
                       "leave it out, or take the signature that has it (spmodel help own-kernel)",
                       SP_O_SIGNATURE " %s has storage of its own, which %s contradicts", s->name, but);
    if (o->op == SP_OP_SPMMV && o->r > 1 && !s->several)
        return sp_fail(err, SP_USAGE, SP_O_SIGNATURE " csr32-rhs takes their number",
                       "a function of signature %s multiplies with one vector, not with %d", s->name,
                       (int)o->r);
    o->row_ptr_B = s->row_ptr_B;
    o->precision = (int)s->precision;
    return SP_OK;
}

static enum sp_status check(const struct sp_subject *subject, struct sp_analyze_options *o,
                            struct sp_error *err)
{
    const struct sp_own_signature *signature;
    struct sp_workload w;
    enum sp_status status = find_signature(&o->own, &signature, err);
    if (status == SP_OK && strcmp(o->format, "auto") == 0)
        return refuse(SP_O_FORMAT " auto", "it is given the matrix in CRS", err);
    if (status == SP_OK)
        status = follow_signature(signature, o, err);
    if (status == SP_OK && signature && !signature->several && o->op == SP_OP_SPMMV)
        o->r = 1;
    if (status == SP_OK)
        status = sp_analyze_workload(&subject->matrix, o, &w, err);
    if (status == SP_OK)
        status = sp_own_check(&w, err);
    if (status != SP_OK)
        return status;
    if (o->bytes && o->bytes->replayed)
        return refuse(SP_O_BYTES " replay:FILE", "the kernel is run here", err);
    if (o->store_nt != SP_CHOICE_AUTO)
        return refuse(SP_O_STORE, "how y is written is its own affair", err);
    if (o->isa)
        return refuse(SP_O_ISA, "what it is made of is its own affair", err);
    if (o->n_runs > 1)
        return refuse(SP_O_RUNS, "it is made ready once, in one process", err);
    if (strcmp(o->schedule, "nnz") != 0)
        return refuse(SP_O_SCHEDULE, "how it shares its rows is its own affair", err);
    if (w.matrix->n_r > INT32_MAX || (signature && signature->row_ptr_B == 4 && w.matrix->n_nz >= INT32_MAX))
        return sp_fail(err, SP_USAGE, SP_O_SIGNATURE " csr64, or csr32-ptr64",
                       "32-bit pointers do not count %lld nonzeros", (long long)w.matrix->n_nz);
    return SP_OK;
}

/* ---- what goes through the pipe ---- */

enum kind { STEP, RECORD, END };

enum { MARK = 0x73706d64 };

/* Followed by `size` bytes. */
struct head {
    uint32_t mark; /* MARK: nobody else has written it */
    enum kind kind;
    size_t size;
    double done; /* STEP */
};

struct end {
    enum sp_status status;
    struct sp_error error;
};

static bool send_piece(int pipe, enum kind kind, double done, const void *data, size_t size)
{
    struct head head;
    memset(&head, 0, sizeof head); /* with what lies between its members */
    head.mark = MARK;
    head.kind = kind;
    head.size = size;
    head.done = done;
    return sp_apart_send(pipe, &head, sizeof head) && sp_apart_send(pipe, data, size);
}

/* ---- in the process of the kernel ---- */

struct inside {
    int pipe;
    struct sp_own_watch *watch;
};

static void tell_step(void *context, const char *what, double done)
{
    const struct inside *in = context;
    send_piece(in->pipe, STEP, done, what, strlen(what) + 1);
}

static bool is_stopped(void *context)
{
    const struct inside *in = context;
    return atomic_load(&in->watch->stop);
}

static void send_record(int pipe, const struct sp_record *record)
{
    char *text = record->root && !record->failed
                     ? json_dumps(record->root, JSON_COMPACT | JSON_REAL_PRECISION(17))
                     : NULL;
    if (text)
        send_piece(pipe, RECORD, 0, text, strlen(text));
    free(text);
}

/* Nothing that belongs to the program that waits may be touched here: its signals, its streams. */
static void settle_in(struct sp_own_watch *watch)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the kernel starts stays below it, whatever it does */
    sp_process_goes_first();
    setpgid(0, 0);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigset_t none;
    sigemptyset(&none); /* a library's thread has blocked what is the caller's */
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    sp_own_watch_begin(watch);
}

static enum sp_status take_kernel(const struct sp_own_ask *ask, struct sp_own_watch *watch,
                                  struct sp_own *own, struct sp_error *err)
{
    struct spmodel_kernel kernel;
    const struct sp_own_signature *signature;
    enum sp_status status = find_signature(ask, &signature, err);
    if (status == SP_OK && ask->library)
        status = sp_own_library_open(ask->library, signature, watch, &kernel, err);
    if (status == SP_OK)
        status = sp_own_make(ask->library ? &kernel : ask->kernel, watch, own, err);
    own->many_states = signature != NULL; /* those of plain functions are our own */
    return status;
}

static void remark_left(int n, struct sp_record *record)
{
    char text[160];
    snprintf(text, sizeof text, "the kernel left %d process%s running; %s ended with it", n,
             n == 1 ? "" : "es", n == 1 ? "it was" : "they were");
    sp_record_append(record, SP_F_REMARKS, json_string(text));
}

static void run_inside(const struct sp_subject *subject, const struct sp_analyze_options *options, int pipe,
                       struct sp_own_watch *watch)
{
    static struct end end;
    static struct sp_own own;
    struct inside in = {pipe, watch};
    const struct sp_progress progress = {tell_step, is_stopped, &in, NULL};
    struct sp_analyze_options o = *options;
    struct sp_record record = {0};
    settle_in(watch);
    end.status = take_kernel(&o.own, watch, &own, &end.error);
    o.own.running = &own;
    if (end.status == SP_OK && subject) {
        end.status = sp_analyze(subject, &o, &progress, &record, &end.error);
        send_record(pipe, &record);
    }
    if (end.status == SP_OK)
        end.status = sp_own_finish(&own, &end.error);
    const int n_left = sp_processes_end_children(getpid());
    if (n_left > 0 && record.root) {
        remark_left(n_left, &record);
        send_record(pipe, &record);
    }
    send_piece(pipe, END, 0, &end, sizeof end);
    fflush(stdout);
    _exit(EXIT_SUCCESS);
}

/* ---- in the one that waits ---- */

struct outside {
    int pipe;
    pid_t pid;
    struct sp_own_watch *watch;
    const struct sp_progress *progress;
    double limit_s;          /* of a call, as asked; 0: by the size of the matrix */
    long long n_moves;       /* of the kernel when it was looked at last */
    double stands_s, look_s; /* how long it has not moved; the time of the last look */
    double stop_s;           /* how long the user waits for its end */
    struct sp_record *record;
    bool has_end;
    struct end end;
    const char *ended;     /* a word of verify.ended; NULL: its result was there */
    enum sp_status status; /* why it is waited for no longer */
    struct sp_error error;
};
enum { LOOK_MS = 100 };

/* A call of 1000 times a built-in execution, and 10 s, does not return; set-up may be longer. */
static double limit_of(const struct outside *out)
{
    static const double run_s = 10, once_s = 60, times = 1000;
    const bool run = atomic_load(&out->watch->call) == SP_OWN_RUN;
    if (out->limit_s > 0)
        return out->limit_s;
    return fmax(run ? run_s : once_s, times * (run ? 1 : 10) * out->watch->execution_s);
}

/* SP_WRONG: it hangs. SP_INTERRUPTED: nobody wants to wait any longer. Time in which this process
 * stood itself does not count. */
static enum sp_status look(struct outside *out, struct sp_error *err)
{
    static const double most_s = 1, patience_s = 10, soon_s = 1;
    const double now = sp_now(), since = fmin(now - out->look_s, most_s);
    const long long moves = atomic_load(&out->watch->n_moves);
    const bool theirs = atomic_load(&out->watch->call) != SP_OWN_NONE;
    out->look_s = now;
    out->stands_s = theirs && moves == out->n_moves ? out->stands_s + since : 0;
    out->n_moves = moves;
    if (sp_progress_interrupted(out->progress)) {
        atomic_store(&out->watch->stop, true);
        out->stop_s += since;
    }
    if (out->stop_s > patience_s || (out->stop_s > 0 && out->stands_s > soon_s))
        return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted");
    if (theirs && out->stands_s > limit_of(out))
        return sp_own_watch_hangs(out->watch, limit_of(out), err);
    return SP_OK;
}

static bool take_record(struct outside *out, const char *text, size_t size)
{
    sp_record_free(out->record);
    return sp_record_read_line("", 1, text, size, out->record, NULL) == SP_OK;
}

/* All of it, while the process is watched; false: it does not come. */
static bool receive(struct outside *out, void *data, size_t size)
{
    struct pollfd one = {.fd = out->pipe, .events = POLLIN};
    for (char *p = data; size > 0;) {
        if (poll(&one, 1, LOOK_MS) > 0) {
            const ssize_t n = read(out->pipe, p, size);
            if (n == 0 || (n < 0 && errno != EINTR))
                return false;
            p += n > 0 ? n : 0;
            size -= n > 0 ? (size_t)n : 0;
        } else {
            out->status = look(out, &out->error);
            if (out->status != SP_OK)
                return false;
        }
    }
    return true;
}

/* The next piece; false: there is none, or not all of it, or it is somebody else's. */
static bool take_piece(struct outside *out)
{
    static const size_t most_B = (size_t)1 << 30;
    struct head head;
    if (!receive(out, &head, sizeof head) || head.mark != MARK || head.size > most_B)
        return false;
    char *data = malloc(head.size + 1);
    bool good = data && receive(out, data, head.size);
    if (good) {
        data[head.size] = '\0';
        if (head.kind == STEP)
            sp_progress_step(out->progress, data, head.done);
        else if (head.kind == RECORD)
            good = take_record(out, data, head.size);
        else if (head.size == sizeof out->end) {
            memcpy(&out->end, data, sizeof out->end);
            out->has_end = true;
        }
    }
    free(data);
    return good;
}

/* The end of a process that is about to end, or of one that must. True: it ended by itself. */
static bool reap(const struct outside *out, double patience_s, int *wait_status)
{
    const double until = sp_now() + patience_s;
    for (;;) {
        const pid_t pid = waitpid(out->pid, wait_status, WNOHANG);
        if (pid == out->pid || (pid < 0 && errno == ECHILD))
            return true;
        if (sp_now() >= until)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    kill(out->pid, SIGKILL);
    while (waitpid(out->pid, wait_status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

static enum sp_status wait_for_end(struct outside *out, struct sp_error *err)
{
    static const double ending_s = 2;
    struct pollfd one = {.fd = out->pipe, .events = POLLIN};
    int wait_status = 0;
    bool more = true, gone = false;
    out->look_s = sp_now();
    while (out->status == SP_OK && more && !out->has_end) {
        const bool has_piece = poll(&one, 1, gone ? 0 : LOOK_MS) > 0;
        more = has_piece ? take_piece(out) : !gone;
        gone = gone || waitpid(out->pid, &wait_status, WNOHANG) == out->pid;
        if (!gone && out->status == SP_OK)
            out->status = look(out, &out->error);
    }
    const bool is_cut_off = !gone && out->status == SP_OK && !out->has_end;
    if (out->status != SP_OK && !gone)
        sp_processes_end_children(out->pid);
    const bool by_itself = gone || reap(out, is_cut_off ? ending_s : 0, &wait_status);
    kill(-out->pid, SIGKILL); /* what it has started */
    out->ended = out->status == SP_WRONG           ? "hung"
                 : atomic_load(&out->watch->wrong) ? NULL
                 : out->has_end || !by_itself      ? "failed"
                 : WIFSIGNALED(wait_status)        ? "crashed"
                                                   : "ended early";
    if (out->status != SP_OK) {
        if (err)
            *err = out->error;
        return out->status;
    }
    if (!out->has_end)
        return by_itself ? sp_own_watch_ended(out->watch, wait_status, err)
                         : sp_own_watch_cut_off(out->watch, err);
    if (err)
        *err = out->end.error;
    return out->end.status;
}

/* What is known without the kernel. */
static void record_without(const struct sp_subject *subject, const struct sp_analyze_options *o,
                           enum sp_status status, struct sp_record *r)
{
    if (r->root || sp_record_new(subject->name, r, NULL) != SP_OK)
        return;
    if (o->command)
        sp_record_set_text(r, SP_F_COMMAND, o->command);
    sp_record_set_text(r, SP_F_STATUS, status == SP_INTERRUPTED ? "interrupted" : "failed");
    if (o->machine)
        sp_record_machine(r, o->machine);
    sp_record_subject(r, subject);
    sp_record_request(r, o, subject->reorder, "cpu");
    if (o->topology)
        sp_record_environment(r, o->topology, NULL);
    sp_record_source(r);
}

/* Starts `options->own` in a process. Without a subject it is only looked at. */
static enum sp_status run_apart(const struct sp_subject *subject, const struct sp_analyze_options *o,
                                struct outside *out, struct sp_error *err)
{
    int ends[2];
    enum sp_status status = sp_own_watch_new(&out->watch, err);
    if (status == SP_OK && pipe(ends) != 0)
        status = sp_fail(err, SP_ABSENT, NULL, "no pipe to the process of a kernel: %s", strerror(errno));
    if (status != SP_OK) {
        sp_own_watch_free(out->watch);
        return status;
    }
    snprintf(out->watch->name, sizeof out->watch->name, "%s",
             o->own.kernel && o->own.kernel->name ? o->own.kernel->name : "of your own");
    sp_apart_begin();
    fflush(NULL);
    out->pid = fork();
    if (out->pid == 0) {
        close(ends[0]);
        run_inside(subject, o, ends[1], out->watch);
    }
    const int error = errno;
    close(ends[1]);
    out->pipe = ends[0];
    status = out->pid < 0
                 ? sp_fail(err, SP_ABSENT, NULL, "no process for a kernel of your own: %s", strerror(error))
                 : wait_for_end(out, err);
    close(ends[0]);
    sp_own_watch_free(out->watch);
    return status;
}

enum sp_status sp_own_ask_check(const struct sp_own_ask *ask, struct sp_error *err)
{
    const struct sp_own_signature *signature;
    struct outside out = {.limit_s = ask->limit_s};
    const struct sp_analyze_options o = {.own = *ask};
    if (ask->signature && !ask->library)
        return sp_fail(err, SP_USAGE, SP_O_KERNEL " ./libmine.so:spmv",
                       SP_O_SIGNATURE " says what the function of " SP_O_KERNEL
                                      " takes, which was not given");
    if (ask->library && ask->kernel)
        return sp_fail(err, SP_USAGE, "hand over no kernel, or take another handle",
                       SP_O_KERNEL " %.200s was set, and another kernel is handed over", ask->library);
    if (ask->limit_s > 0 && !ask->library && !ask->kernel)
        return sp_fail(err, SP_USAGE, "leave it out", SP_O_KERNEL_LIMIT " is for " SP_O_KERNEL);
    if (!ask->library)
        return SP_OK;
    enum sp_status status = find_signature(ask, &signature, err);
    return status == SP_OK ? run_apart(NULL, &o, &out, err) : status;
}

enum sp_status sp_analyze_own(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_progress *progress, struct sp_record *record,
                              struct sp_error *err)
{
    struct sp_analyze_options o = *options;
    struct sp_error local;
    memset(record, 0, sizeof *record);
    enum sp_status status = check(subject, &o, err);
    if (status != SP_OK)
        return status;
    struct outside out = {.progress = progress, .limit_s = o.own.limit_s, .record = record};
    status = run_apart(subject, &o, &out, &local);
    if (status == SP_WRONG || status == SP_INTERRUPTED)
        record_without(subject, &o, status, record);
    else if (status != SP_OK)
        sp_record_free(record);
    if (status == SP_WRONG && sp_verdict_is_status(record, "failed")) {
        if (!sp_record_node(record, SP_F_REQUEST_KERNEL)) /* the analysis ended before it said so */
            sp_record_request(record, &o, subject->reorder, "cpu");
        if (out.ended)
            sp_record_set_text(record, SP_F_VERIFY_ENDED, out.ended);
        else
            sp_record_set_flag(record, SP_F_VERIFY_OK, false);
        sp_record_set_text(record, SP_F_VERIFY_WHY, local.what);
    }
    if (status != SP_OK && err)
        *err = local;
    return status;
}

/* A kernel of somebody else beside the fastest built-in one on the same arrays. */

/* The kernel of the table with the highest P_core, with plain stores: the same bytes. */
static enum sp_status prepare_built_in(const struct sp_analysis *a, struct sp_beside *out, void **state,
                                       struct sp_error *err)
{
    const struct sp_workload *w = &a->setup.workload;
    struct sp_pcore_options p =
        sp_pcore_options_for(a->options->machine, w, a->options->plan, SP_SPEND_OTHERS);
    struct sp_value rate;
    struct sp_dense_arrays arrays;
    *state = NULL;
    enum sp_status status = sp_pcore_choose(w, NULL, &p, &out->kernel, &rate, err);
    if (status == SP_OK)
        status = sp_dense_make(w, a->options->seed, &arrays, err);
    if (status != SP_OK)
        return status;
    const struct sp_operands operands = {
        .x = arrays.x, .allocator = a->options->small_pages ? &sp_allocator_plain : &sp_allocator_huge};
    status = out->kernel->prepare(&a->setup.layout, &operands, state, err);
    sp_dense_free(&arrays);
    return status;
}

enum sp_status sp_analysis_beside(const struct sp_analysis *a, struct sp_beside *out, struct sp_error *err)
{
    void *state;
    struct sp_value time;
    *out = (struct sp_beside){.time_s = sp_value_none("no built-in kernel was run beside it"),
                              .ratio = sp_value_none("no built-in kernel was run beside it")};
    if (a->setup.layout.n_nz == 0)
        return SP_OK;
    sp_progress_step(a->progress, "running a built-in kernel beside it", -1);
    enum sp_status status = prepare_built_in(a, out, &state, err);
    if (status == SP_OK) {
        const struct sp_job job = sp_kernel_job(out->kernel, state, &a->setup.layout);
        status = sp_analysis_time_beside(a, &job, &time, err);
    }
    if (out->kernel)
        out->kernel->release(state);
    if (status != SP_OK)
        return status == SP_ABSENT ? SP_OK : status;
    out->time_s = time;
    const double own_s = a->observed.pairs.time.value;
    out->ratio = sp_value_known(time)
                     ? sp_value_between(own_s / time.value, own_s / time.hi, own_s / time.lo, SP_MEASURED)
                     : time;
    return SP_OK;
}

/* y as the last execution has left it. */
static enum sp_status verify(const struct sp_analysis *a, const struct sp_dense *dense, double *y,
                             struct sp_spmv_check *check, struct sp_error *err)
{
    const struct sp_setup *s = &a->setup;
    enum sp_status status = s->kernel->fetch(s->state, y, err);
    return status == SP_OK ? sp_verify(&s->workload, dense, y, check, err) : status;
}

enum sp_status sp_analysis_again(const struct sp_analysis *a, struct sp_spmv_check *check,
                                 struct sp_error *err)
{
    const struct sp_setup *s = &a->setup;
    struct sp_dense_arrays arrays;
    void *y;
    sp_progress_step(a->progress, "checking the result once more", -1);
    enum sp_status status = sp_dense_make(&s->workload, a->options->seed, &arrays, err);
    if (status != SP_OK)
        return status;
    const struct sp_dense dense = sp_dense_of(&arrays);
    const int64_t n = sp_dense_n_result(&s->workload);
    status = sp_new_array(n, sizeof(double), "the result", &y, err);
    if (status == SP_OK)
        status = verify(a, &dense, y, check, err);
    if (status == SP_OK &&
        check->n_bad == 0) { /* and once more, for it may keep x, or what it wrote before */
        sp_own_forget(s->state);
        sp_own_negate_x(s->state);
        status = s->kernel->run(s->state, 1, NULL, err);
        if (status == SP_OK)
            status = s->kernel->fetch(s->state, y, err);
        for (int64_t i = 0; status == SP_OK && i < n; i++)
            ((double *)y)[i] = -((double *)y)[i];
        if (status == SP_OK)
            status = sp_verify(&s->workload, &dense, y, check, err);
        sp_own_negate_x(s->state);
    }
    if (check->n_bad > 0)
        status = sp_own_wrong(a->setup_options.own, check, s->layout.n_r, true, err);
    free(y);
    sp_dense_free(&arrays);
    return status;
}

/* Values, indices or pointers, by what it is called. */
static enum sp_array kind_of(const char *name)
{
    return strncasecmp(name, "val", 3) == 0                                       ? SP_ARRAY_VALUES
           : strncasecmp(name, "ind", 3) == 0 || strncasecmp(name, "col", 3) == 0 ? SP_ARRAY_INDICES
                                                                                  : SP_ARRAY_POINTERS;
}

/* How y is written, by what one thread tells. */
struct y_stores {
    const char *y;
    size_t y_B;
    int64_t n_plain, n_streamed;
};

static void look_at_store(void *walker, const void *address, size_t size_B, int is_write)
{
    struct y_stores *s = walker;
    const uintptr_t at = (uintptr_t)address - (uintptr_t)s->y;
    (void)size_B;
    if (!is_write || (uintptr_t)address < (uintptr_t)s->y || at >= s->y_B)
        return;
    s->n_streamed += is_write == SPMODEL_STREAMS;
    s->n_plain += is_write != SPMODEL_STREAMS;
}

/* Does its trace tell of non-temporal stores alone? Then roof and model are of those. */
static enum sp_status look_at_stores(struct sp_analysis *a, struct sp_error *err)
{
    struct y_stores s = {.y = a->setup.facts.y, .y_B = a->setup.facts.y_B};
    if (!a->own.traced)
        return SP_OK;
    enum sp_status status = sp_own_trace(a->setup.state, 0, look_at_store, &s, err);
    a->setup.facts.store_nt = s.n_streamed > 0 && s.n_plain == 0;
    return status;
}

enum sp_status sp_analysis_own_arrays(struct sp_analysis *a, struct sp_error *err)
{
    struct spmodel_array array[SPMODEL_MAX_ARRAYS];
    struct sp_own_found *own = &a->own;
    const int n = sp_own_stores(a->setup.state, array, err);
    if (n < 0)
        return SP_WRONG;
    own->n_stores = n;
    for (int i = 0; i < n; i++) {
        const char *name = array[i].name ? array[i].name : "array";
        sp_visible(name, own->name[i], sizeof own->name[i]);
        own->store[i] = (struct sp_job_array){array[i].address, array[i].size_B};
        own->array_B[kind_of(name)] += (double)array[i].size_B;
    }
    own->traced = a->setup_options.own->theirs.trace != NULL;
    if (n > 0) {
        a->setup.job.instead = own->store;
        a->setup.job.n_instead = n;
        a->setup.layout.own_B = own->array_B;
    }
    return look_at_stores(a, err);
}

/* ---- its threads ---- */

/* Processor time of each thread of this process. */
struct times {
    int n;
    struct {
        int tid;
        double cpu_s;
    } thread[256];
};

static void read_times(struct times *t)
{
    enum { MOST_TIMES = sizeof t->thread / sizeof *t->thread };
    DIR *tasks = opendir("/proc/self/task");
    t->n = 0;
    for (const struct dirent *d; tasks && t->n < MOST_TIMES && (d = readdir(tasks));) {
        const int tid = atoi(d->d_name);
        struct timespec now;
        /* the clock of a thread by its number [clock_getcpuclockid()'s of threads] */
        if (tid > 0 && clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6U), &now) == 0) {
            t->thread[t->n].tid = tid;
            t->thread[t->n++].cpu_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
        }
    }
    if (tasks)
        closedir(tasks);
}

/* Of all threads together since then, and of the one that took most of it [s]. */
static double spent_since(const struct times *before, double *most_s)
{
    struct times now;
    double sum_s = 0;
    read_times(&now);
    *most_s = 0;
    for (int i = 0; i < now.n; i++) {
        double s = now.thread[i].cpu_s;
        for (int k = 0; k < before->n; k++)
            s -= before->thread[k].tid == now.thread[i].tid ? before->thread[k].cpu_s : 0;
        sum_s += s;
        *most_s = fmax(*most_s, s);
    }
    return sum_s;
}

/* Threads with like parts of the time: other programs take from all, and change little. */
void sp_analysis_own_threads(const struct sp_analysis *a, struct sp_own_found *out)
{
    static const double long_enough_s = 0.03;
    const struct timespec nap = {.tv_nsec = 30000000};
    const struct sp_job *job = &a->setup.job;
    struct times before;
    double most_s, start;
    out->busy_threads = out->idle_threads = sp_value_none("not looked at");
    nanosleep(&nap, NULL); /* teams of OpenMP go on for a moment */
    read_times(&before);
    start = sp_now();
    nanosleep(&nap, NULL);
    const double idle_s = spent_since(&before, &most_s);
    out->idle_threads = sp_value_of(idle_s / (sp_now() - start), SP_MEASURED);
    read_times(&before);
    start = sp_now();
    enum sp_status status = SP_OK;
    while (status == SP_OK && sp_now() - start < long_enough_s)
        status = job->run(job->state, 1, NULL, NULL);
    const double busy_s = spent_since(&before, &most_s);
    if (status == SP_OK && most_s > 0)
        out->busy_threads = sp_value_of(busy_s / most_s, SP_MEASURED);
}

/* ---- its trace ---- */

static enum sp_status tell(void *context, int thread, sp_walk_access *access, void *walker,
                           struct sp_error *err)
{
    const struct sp_analysis *a = context;
    return sp_own_trace(a->setup.state, thread, access, walker, err);
}

static enum sp_trace_region region_of(enum sp_array array)
{
    return array == SP_ARRAY_VALUES    ? SP_REGION_VALUES
           : array == SP_ARRAY_INDICES ? SP_REGION_INDICES
                                       : SP_REGION_PTR;
}

static void add_array(struct sp_walk *walk, const void *at, size_t size_B, enum sp_trace_region region)
{
    if (size_B > 0)
        walk->array[walk->n_arrays++] = (struct sp_walk_array){at, size_B, region};
}

void sp_analysis_own_walk(const struct sp_analysis *a, struct sp_walk *walk)
{
    const struct sp_layout *l = &a->setup.layout;
    const struct sp_kernel_facts *f = &a->setup.facts;
    *walk = (struct sp_walk){
        .tell = tell, .context = (void *)a, .name = a->setup.kernel->name + sizeof "own/" - 1};
    if (a->own.n_stores == 0) {
        add_array(walk, l->val, (size_t)l->n_stored * l->s_a, SP_REGION_VALUES);
        add_array(walk, l->col, (size_t)l->n_indices * l->s_i, SP_REGION_INDICES);
        add_array(walk, l->ptr, (size_t)l->n_ptr * l->s_p, SP_REGION_PTR);
    }
    for (int i = 0; i < a->own.n_stores; i++)
        add_array(walk, a->own.store[i].at, a->own.store[i].size_B, region_of(kind_of(a->own.name[i])));
    add_array(walk, f->x, f->x_B, SP_REGION_X);
    add_array(walk, f->y, f->y_B, SP_REGION_Y);
}
