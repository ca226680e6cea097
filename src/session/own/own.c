/* The process in which a kernel of somebody else runs, and the one that waits for it. */
#include "session/own/own.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "io/record/record_losses.h"
#include "kernels/own/own_kernel.h"
#include "session/record/parts.h"
#include "session/trial/apart.h"
#include "sys/processes.h"

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
