#include "probes/helper_counter.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "probes/helper/helper.h"
#include "sys/counters/counters.h"
#include "sys/machine/topology.h"
#include "sys/processes.h"

static const char program[] = "spmodel-counters";

/* The file that the environment names in place of the library, or NULL. */
static const char *helper_library(const char *library)
{
    const char *path = getenv(strcmp(library, "likwid") == 0 ? "SPMODEL_LIKWID" : "SPMODEL_PAPI");
    return path && *path ? path : NULL;
}

static bool find_program(char *path, size_t size)
{
    const char *named = getenv("SPMODEL_HELPER");
    if (named && *named) {
        snprintf(path, size, "%s", named);
        return access(path, X_OK) == 0;
    }
    static const char *const from[] = {SP_LIBEXEC_FROM_BIN, SP_LIBEXEC_FROM_LIB};
    char own[3800];
    bool is_library;
    if (!sp_own_folder(own, sizeof own, &is_library))
        return false;
    snprintf(path, size, "%s/%s", own, program);
    if (access(path, X_OK) == 0)
        return true;
    snprintf(path, size, "%s/%s/%s", own, from[is_library], program);
    return access(path, X_OK) == 0;
}

static void close_all(struct sp_helper *h)
{
    const int ends[] = {h->to, h->from, h->said};
    for (int i = 0; i < 3; i++)
        if (ends[i] > 0)
            close(ends[i]);
    memset(h, 0, sizeof *h);
}

static void end_process(struct sp_helper *h, double patience_s)
{
    if (h->pid <= 0)
        return;
    double start = sp_now();
    bool ended = false;
    while (!ended && sp_now() - start < patience_s) {
        ended = waitpid(h->pid, NULL, WNOHANG) != 0;
        if (!ended)
            sp_sleep(0.002);
    }
    kill(-h->pid, SIGKILL); /* its group: what the library forked goes with it */
    while (!ended && waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    h->pid = 0;
}

/* Between fork and exec: only calls that are safe there. */
static _Noreturn void become_helper(const char *path, const char *library, const char *file, int in, int out,
                                    int said)
{
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* Ctrl-C is the parent's to answer */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* out of the way of the numbers that they are to have */
    int a = fcntl(in, F_DUPFD, 10), b = fcntl(out, F_DUPFD, 10), c = fcntl(said, F_DUPFD, 10);
    dup2(a, STDIN_FILENO);
    dup2(c, STDOUT_FILENO);
    dup2(c, STDERR_FILENO);
    dup2(b, SP_HELPER_REPLY);
    if (syscall(SYS_close_range, SP_HELPER_REPLY + 1, ~0U, 0) != 0)
        for (int fd = SP_HELPER_REPLY + 1; fd < 1024; fd++)
            close(fd);
    const struct rlimit printed = {1 << 20, 1 << 20}; /* a library that prints for ever fills no memory */
    setrlimit(RLIMIT_FSIZE, &printed);
    signal(SIGXFSZ, SIG_IGN);
    char *const arguments[] = {(char *)path, (char *)library, (char *)file, NULL};
    execv(path, arguments);
    _exit(127);
}

enum sp_status sp_helper_start(const char *library, struct sp_helper *h, struct sp_error *err)
{
    char path[4096];
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    memset(h, 0, sizeof *h);
    snprintf(h->library, sizeof h->library, "%s", library);
    if (!find_program(path, sizeof path))
        return sp_fail(err, SP_ABSENT, "install spmodel as a whole (cmake --install), or set SPMODEL_HELPER",
                       "the helper program %s is not found", program);
    h->said = memfd_create("said", MFD_CLOEXEC);
    if (h->said < 0 || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
        int error = errno;
        for (int i = 0; i < 2; i++) {
            if (in[i] >= 0)
                close(in[i]);
            if (out[i] >= 0)
                close(out[i]);
        }
        close_all(h);
        return sp_fail(err, SP_ABSENT, NULL, "no pipe to the helper: %s", strerror(error));
    }
    const char *file = helper_library(library);
    pid_t pid = fork();
    int error = errno;
    if (pid == 0)
        become_helper(path, library, file, in[0], out[1], h->said);
    close(in[0]);
    close(out[1]);
    h->to = in[1];
    h->from = out[0];
    if (pid < 0) {
        close_all(h);
        return sp_fail(err, SP_ABSENT, NULL, "no process for the helper: %s", strerror(error));
    }
    setpgid(pid, pid);
    h->pid = pid;
    return SP_OK;
}

/* The last line that the library printed: often the only reason there is. */
static void last_words(const struct sp_helper *h, char *text, size_t size)
{
    char tail[512];
    off_t end = lseek(h->said, 0, SEEK_END);
    off_t from = end > (off_t)sizeof tail - 1 ? end - (off_t)sizeof tail + 1 : 0;
    ssize_t n = end > 0 ? pread(h->said, tail, (size_t)(end - from), from) : 0;
    text[0] = '\0';
    if (n <= 0)
        return;
    tail[n] = '\0';
    while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' '))
        tail[--n] = '\0';
    char *line = strrchr(tail, '\n');
    line = line ? line + 1 : tail;
    for (char *p = line; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    if (*line)
        snprintf(text, size, "; it said: %.200s", line);
}

static enum sp_status give_up(struct sp_helper *h, const char *why, struct sp_error *err)
{
    char words[256], library[16];
    snprintf(library, sizeof library, "%s", strcmp(h->library, "likwid") == 0 ? "LIKWID" : "PAPI");
    last_words(h, words, sizeof words);
    end_process(h, 0);
    close_all(h);
    return sp_fail(err, SP_ABSENT, "try likwid-perfctr or papi_avail by hand; " SP_O_BYTES " sim simulates",
                   "%s %s%s", library, why, words);
}

/* Moves the next whole line out of the buffer; false where there is none yet. */
static bool next_line(struct sp_helper *h, char *line, size_t size)
{
    char *end = memchr(h->buffer, '\n', (size_t)h->used);
    if (!end)
        return false;
    size_t n = (size_t)(end - h->buffer);
    snprintf(line, size, "%.*s", (int)n, h->buffer);
    h->used -= (int)n + 1;
    memmove(h->buffer, end + 1, (size_t)h->used);
    return true;
}

static enum sp_status refused(const struct sp_helper *h, const char *line, struct sp_error *err)
{
    char what[700], words[256];
    snprintf(what, sizeof what, "%.690s", line);
    char *remedy = strchr(what, '\t');
    if (remedy)
        *remedy++ = '\0';
    last_words(h, words, sizeof words);
    return sp_fail(err, SP_ABSENT, remedy && *remedy ? remedy : NULL, "%s%s", what, words);
}

enum sp_status sp_helper_ask(struct sp_helper *h, double limit_s, const char *line,
                             void (*take)(void *context, const char *line), void *context,
                             struct sp_error *err)
{
    char answer[sizeof h->buffer];
    double start = sp_now();
    if (h->pid <= 0)
        return sp_fail(err, SP_ABSENT, NULL, "the helper has ended");
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    bool sent = write(h->to, line, strlen(line)) == (ssize_t)strlen(line) && write(h->to, "\n", 1) == 1;
    sigaction(SIGPIPE, &before, NULL);
    while (sent) {
        while (next_line(h, answer, sizeof answer)) {
            if (strcmp(answer, "ok") == 0)
                return SP_OK;
            if (strncmp(answer, "absent ", 7) == 0)
                return refused(h, answer + 7, err);
            if (take)
                take(context, answer);
        }
        struct pollfd p = {.fd = h->from, .events = POLLIN};
        double left_s = limit_s - (sp_now() - start);
        int ready = left_s > 0 ? poll(&p, 1, (int)(left_s * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) { /* Ctrl-C: the one signal that this program handles */
            give_up(h, "was interrupted", NULL);
            return sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while a library of counters was asked");
        }
        if (ready <= 0) {
            char why[64];
            snprintf(why, sizeof why, "does not answer within %.1f s", limit_s);
            return give_up(h, why, err);
        }
        ssize_t n = (size_t)h->used < sizeof h->buffer
                        ? read(h->from, h->buffer + h->used, sizeof h->buffer - (size_t)h->used)
                        : 0;
        if (n <= 0)
            break;
        h->used += (int)n;
    }
    return give_up(h, "ended its process instead of answering", err);
}

void sp_helper_stop(struct sp_helper *h)
{
    if (!h || h->pid <= 0)
        return;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    bool sent = write(h->to, "quit\n", 5) == 5;
    sigaction(SIGPIPE, &before, NULL);
    end_process(h, sent ? 0.5 : 0);
    close_all(h);
}

/* Time limits: LIKWID takes a second to find out that it may not count. */
#define LOOK_S  2.0
#define OPEN_S  8.0
#define COUNT_S 5.0

struct helper_counter {
    struct sp_helper helper;
    struct sp_count_log *log; /* while it is opened */
    struct sp_count *count;   /* while it is stopped */
    int n_events;
    struct sp_error trouble; /* of taking an answer apart */
    enum sp_status status;
};

static void take_event(struct helper_counter *c, const char *text)
{
    struct sp_count_event e = {.bits = 64};
    char direction[16] = "";
    int used = 0;
    int n = sscanf(text, "%d %d %d %7s %15s %lf %n", &e.pass, &e.domain, &e.channel, e.level, direction,
                   &e.B_per_count, &used);
    int way = sp_direction_from_name(direction);
    if (c->status != SP_OK || n < 6 || way < 0 || e.pass < 0 || e.pass > 63 || e.domain < 0 ||
        !(e.B_per_count > 0))
        return;
    e.direction = (enum sp_direction)way;
    snprintf(e.name, sizeof e.name, "%s", text + used);
    c->status = sp_count_log_add_event(c->log, &e, &c->trouble);
    c->n_events++;
}

static void take_count(struct helper_counter *c, const char *text)
{
    int event;
    char value[48];
    double seconds, running;
    if (sscanf(text, "%d %47s %lf %lf", &event, value, &seconds, &running) == 4 && event >= 0 &&
        event < c->n_events)
        c->count[event] = (struct sp_count){0, strtod(value, NULL), seconds, running};
}

static void take_line(void *context, const char *line)
{
    struct helper_counter *c = context;
    if (strncmp(line, "event ", 6) == 0 && c->log)
        take_event(c, line + 6);
    else if (strncmp(line, "count ", 6) == 0 && c->count)
        take_count(c, line + 6);
    else if (strncmp(line, "how ", 4) == 0 && c->log)
        snprintf(c->log->how, sizeof c->log->how, "%s", line + 4);
}

/* "CPU:SOCKET,..." of one hardware thread a core. */
static enum sp_status list_cpus(char *text, size_t size, struct sp_error *err)
{
    struct sp_topology t;
    enum sp_status status = sp_topology_read(&t, err);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; status == SP_OK && i < t.n_cpus && used + 32 < size; i++)
        if (t.cpu[i].smt == 0 && t.cpu[i].allowed)
            used += (size_t)snprintf(text + used, size - used, "%s%d:%d", used ? "," : "", t.cpu[i].os,
                                     t.cpu[i].package);
    if (status == SP_OK)
        sp_topology_free(&t);
    return status;
}

void sp_helper_counter_close(void *state)
{
    struct helper_counter *c = state;
    if (!c)
        return;
    sp_helper_stop(&c->helper);
    free(c);
}

enum sp_status sp_helper_counter_open(const struct sp_counter *self, const char *argument, void **state,
                                      struct sp_count_log *log, struct sp_error *err)
{
    const char *library = self->name;
    void *memory, *text = NULL;
    const size_t size = 65536;
    *state = NULL;
    if (argument && strpbrk(argument, " \n\t"))
        return sp_fail(err, SP_USAGE, NULL, "%s has no mode '%s'", library, argument);
    enum sp_status status = sp_new_array(1, sizeof(struct helper_counter), "the helper", &memory, err);
    if (status != SP_OK)
        return status;
    struct helper_counter *c = *state = memory;
    char *cpus = NULL;
    status = sp_new_array((int64_t)size, 1, "a list of processors", &text, err);
    if (status == SP_OK) {
        cpus = text;
        int used = snprintf(cpus, size, "open %s ", argument ? argument : "-");
        status = list_cpus(cpus + used, size - (size_t)used, err);
    }
    if (status == SP_OK)
        status = sp_helper_start(library, &c->helper, err);
    c->log = log;
    if (status == SP_OK)
        status = sp_helper_ask(&c->helper, OPEN_S, cpus, take_line, c, err);
    c->log = NULL;
    free(text);
    if (status == SP_OK && c->status != SP_OK) {
        status = c->status;
        if (err)
            *err = c->trouble;
    }
    if (status != SP_OK) {
        sp_helper_counter_close(c);
        *state = NULL;
    }
    return status;
}

/* The threads of this process, for events that belong to threads. */
static void list_threads(char *text, size_t size)
{
    int thread[SP_HELPER_MAX_THREADS];
    int n = sp_process_threads(thread, SP_HELPER_MAX_THREADS);
    size_t used = 0;
    text[0] = '\0';
    for (int t = 0; t < n && used + 16 < size; t++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", thread[t]);
}

enum sp_status sp_helper_counter_start(void *state, int pass, struct sp_error *err)
{
    struct helper_counter *c = state;
    char line[8192];
    int used = snprintf(line, sizeof line, "start %d ", pass);
    list_threads(line + used, sizeof line - (size_t)used);
    return sp_helper_ask(&c->helper, COUNT_S, line, NULL, NULL, err);
}

enum sp_status sp_helper_counter_stop(void *state, struct sp_count *count, struct sp_error *err)
{
    struct helper_counter *c = state;
    c->count = count;
    enum sp_status status = sp_helper_ask(&c->helper, COUNT_S, "stop", take_line, c, err);
    c->count = NULL;
    return status;
}

enum sp_status sp_helper_counter_available(const char *library, struct sp_error *err)
{
    return sp_helper_counter_look(library, LOOK_S, err);
}

enum sp_status sp_helper_counter_look(const char *library, double limit_s, struct sp_error *err)
{
    struct sp_helper helper;
    enum sp_status status = sp_helper_start(library, &helper, err);
    if (status != SP_OK)
        return status;
    status = sp_helper_ask(&helper, limit_s, "look", NULL, NULL, err);
    sp_helper_stop(&helper);
    struct sp_counters here;
    sp_counters_read("", &here);
    bool none = !here.core && here.error != EACCES && here.error != EPERM;
    if (status == SP_OK && none && !helper_library(library))
        return sp_fail(err, SP_ABSENT, sp_counters_remedy(&here), "%s", sp_counters_reason(&here));
    return status;
}

enum sp_status sp_helper_counter_try(const char *library, double limit_s, struct sp_error *err)
{
    struct sp_helper helper;
    enum sp_status status = sp_helper_start(library, &helper, err);
    if (status == SP_OK)
        status = sp_helper_ask(&helper, limit_s, "open - 0:0", NULL, NULL, err);
    sp_helper_stop(&helper);
    return status;
}

/* LIKWID's performance groups know the events and formulas of each machine. The library is in the
 * helper: it forks, prints, exits and hangs (probes/helper/helper_likwid.c).
 * likwid[:direct|daemon|perf] names the access mode; without it LIKWID's own configuration does. */

const struct sp_counter sp_likwid_counter = {.name = "likwid",
                                             .open = sp_helper_counter_open,
                                             .start = sp_helper_counter_start,
                                             .stop = sp_helper_counter_stop,
                                             .close = sp_helper_counter_close};

static enum sp_status likwid_available(struct sp_error *err)
{
    return sp_helper_counter_available("likwid", err);
}

static enum sp_status open_likwid(const char *argument, void **session, struct sp_error *err)
{
    return sp_counting_open(&sp_likwid_counter, argument, session, err);
}

const struct sp_probe sp_probe_likwid = {
    .name = "likwid",
    .summary = "LIKWID: its performance groups for memory, L3 and L2, in a process of its own",
    .gives_bytes = true,
    .counts = true,
    .available = likwid_available,
    .open = open_likwid,
    .observe = sp_counting_observe,
    .log = sp_counting_log,
    .close = sp_counting_close,
};

enum { INIT, THREAD_INIT, START, STOP, CLOSE, N_FUNCTIONS };

static const char *const symbols[N_FUNCTIONS] = {"likwid_markerInit", "likwid_markerThreadInit",
                                                 "likwid_markerStartRegion", "likwid_markerStopRegion",
                                                 "likwid_markerClose"};

typedef void (*nothing)(void);
typedef int (*with_region)(const char *);

/* The library's regions belong to the process, and so does this: opened once, closed at its end. */
static struct {
    bool tried, open;
    void *function[N_FUNCTIONS];
} markers;

bool sp_markers_wanted(void)
{
    return getenv("LIKWID_MODE") != NULL && getenv("LIKWID_FILEPATH") != NULL;
}

static void close_markers(void)
{
    ((nothing)markers.function[CLOSE])();
}

static bool is_open(int n_threads)
{
    static const char *const files[] = {"liblikwid.so.5", "liblikwid.so", NULL};
    if (markers.tried || !sp_markers_wanted())
        return markers.open;
    markers.tried = true;
    const char *named = helper_library("likwid");
    void *library = named ? dlopen(named, RTLD_NOW) : NULL;
    for (const char *const *f = files; !library && !named && *f; f++)
        library = dlopen(*f, RTLD_NOW);
    for (int i = 0; library && i < N_FUNCTIONS; i++)
        if (!(markers.function[i] = dlsym(library, symbols[i])))
            library = NULL;
    if (!library)
        return false;
    ((nothing)markers.function[INIT])();
#pragma omp parallel num_threads(n_threads)
    ((nothing)markers.function[THREAD_INIT])();
    markers.open = atexit(close_markers) == 0;
    return markers.open;
}

/* "spmv/crs/avx512" -> "spmv_crs_avx512". */
static void region_name(const char *job, char *region, size_t size)
{
    snprintf(region, size, "%s", job);
    for (char *p = region; *p; p++)
        if (*p == '/' || *p == ' ' || *p == '-')
            *p = '_';
}

static void call(int function, const char *job, int n_threads)
{
    char region[64];
    region_name(job, region, sizeof region);
#pragma omp parallel num_threads(n_threads)
    ((with_region)markers.function[function])(region);
}

void sp_markers_enter(const char *job, int n_threads)
{
    if (is_open(n_threads))
        call(START, job, n_threads);
}

void sp_markers_leave(const char *job, int n_threads)
{
    if (markers.open)
        call(STOP, job, n_threads);
}
