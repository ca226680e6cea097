/* The library's calls: each analysis is a request on a stage, by a thread of its own. */
#include "include/spmodel.h"

#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/result.h"
#include "base/text.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "io/matrix/matrix_load.h"
#include "session/measure/machine.h"
#include "session/model/case.h"
#include "session/own/own.h"
#include "session/request/request.h"
#include "sys/machine/identity.h"

struct spmodel {
    char *value[SP_N_OPTIONS]; /* as they were set; NULL: not; "" of one that takes none */
    uint64_t seed;
    spmodel_progress *progress;
    void *context;
    char message[2400];
};

const char *spmodel_version(void)
{
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
    return TEXT(SPMODEL_VERSION_MAJOR) "." TEXT(SPMODEL_VERSION_MINOR) "." TEXT(SPMODEL_VERSION_PATCH);
}

spmodel *spmodel_new(void)
{
    spmodel *s = calloc(1, sizeof *s);
    if (s)
        s->seed = 1;
    return s;
}

void spmodel_free(spmodel *s)
{
    if (!s)
        return;
    for (int i = 0; i < SP_N_OPTIONS; i++)
        free(s->value[i]);
    free(s);
}

const char *spmodel_message(const spmodel *s)
{
    return s ? s->message : "there is no handle";
}

void spmodel_on_progress(spmodel *s, spmodel_progress *progress, void *context)
{
    s->progress = progress;
    s->context = context;
}

/* The end of every call. */
static int answer(spmodel *s, enum sp_status status, const struct sp_error *err)
{
    s->message[0] = '\0';
    if (status != SP_OK)
        sp_error_text(err, s->message, sizeof s->message);
    return sp_exit_code(status);
}

/* ---- options ---- */

/* The request of all options that are set. */
static enum sp_status request_of(const spmodel *s, struct sp_request *r, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    *r = sp_request_begin();
    for (int i = 0; i < SP_N_OPTIONS && status == SP_OK; i++)
        if (s->value[i] && i != SP_OPTION_SEED)
            status = sp_request_take(r, (enum sp_option)i, s->value[i], err);
    r->analyze.seed = s->seed;
    r->analyze.command = "libspmodel";
    return status;
}

/* Does a request know it? Options of files and of results are the program's alone. */
static bool is_of_request(enum sp_option option)
{
    struct sp_request r = sp_request_begin();
    return option != SP_OPTION_CACHE &&
           (option == SP_OPTION_SEED || sp_request_take(&r, option, "", NULL) != SP_NO);
}

static enum sp_status take_option(spmodel *s, enum sp_option option, const char *value, struct sp_error *err)
{
    const bool is_flag = !sp_run_options[option].argument;
    if (is_flag && value && strcmp(value, "no") != 0 && strcmp(value, "yes") != 0)
        return sp_fail(err, SP_USAGE, "yes or no", "%s takes no value, not '%s'", sp_option_name(option),
                       value);
    if (!is_flag && !value)
        return sp_fail(err, SP_USAGE, NULL, "%s takes a value", sp_option_name(option));
    if (option == SP_OPTION_SEED) {
        int64_t n;
        if (sp_parse_count(value, &n) || n < 0)
            return sp_fail(err, SP_USAGE, NULL, "seed takes a whole number, not '%s'", value);
        s->seed = (uint64_t)n;
        return SP_OK;
    }
    char *before = s->value[option];
    char *now = is_flag ? (value && strcmp(value, "no") == 0 ? NULL : strdup("")) : strdup(value);
    if (!now && !(is_flag && value && strcmp(value, "no") == 0))
        return sp_fail(err, SP_MEMORY, NULL, "no memory for an option");
    struct sp_request r;
    s->value[option] = now;
    const enum sp_status status = request_of(s, &r, err);
    free(status == SP_OK ? before : now);
    if (status != SP_OK)
        s->value[option] = before;
    return status;
}

int spmodel_set(spmodel *s, const char *name, const char *value)
{
    struct sp_error err;
    enum sp_status status;
    const enum sp_option option = name ? sp_option_find(name) : SP_N_OPTIONS;
    if (option == SP_N_OPTIONS || !is_of_request(option))
        status =
            sp_fail(&err, SP_USAGE, "those of `spmodel analyze` that say what is run and how, without dashes",
                    "there is no option '%s' here", name ? name : "");
    else
        status = take_option(s, option, value, &err);
    return answer(s, status, &err);
}

/* ---- a thread of its own, and the caller's progress ---- */

struct call {
    spmodel *s;
    enum sp_status (*work)(struct call *call, struct sp_error *err);
    const struct spmodel_matrix *matrix;
    const struct spmodel_kernel *kernel;
    const double *time_s;
    int64_t n_times;
    const char *name; /* of a file */
    struct sp_csr csr;
    struct sp_record record;
    spmodel_result *result; /* of the record */
    enum sp_status status;
    struct sp_error error;

    struct sp_progress progress;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char step[160]; /* under the lock, as these: */
    double done;
    bool is_new, ended;
    atomic_bool cancelled;
};

static void on_step(void *context, const char *what, double done)
{
    struct call *c = context;
    pthread_mutex_lock(&c->lock);
    snprintf(c->step, sizeof c->step, "%s", what);
    c->done = done;
    c->is_new = true;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void on_remark(void *context, bool is_detail, const char *text)
{
    if (!is_detail)
        on_step(context, text, -1);
}

static bool is_cancelled(void *context)
{
    return atomic_load(&((struct call *)context)->cancelled);
}

static void *work_apart(void *context)
{
    /* They would measure each other. */
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    struct call *c = context;
    const locale_t numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    fesetenv(FE_DFL_ENV); /* without the caller's traps and rounding */
    if (numbers)
        uselocale(numbers);
    pthread_mutex_lock(&one_at_a_time);
    c->status = c->work(c, &c->error);
    pthread_mutex_unlock(&one_at_a_time);
    if (c->record.root && (c->status == SP_OK || c->status == SP_WRONG)) {
        c->result = sp_result_of(&c->record); /* its verdict computes, and prints numbers */
        if (!c->result)
            c->status = sp_fail(&c->error, SP_MEMORY, NULL, "no memory for the result");
    }
    sp_record_free(&c->record);
    uselocale(LC_GLOBAL_LOCALE);
    if (numbers)
        freelocale(numbers);
    pthread_mutex_lock(&c->lock);
    c->ended = true;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Tells the caller's function of each step, and asks it ten times a second whether to go on. */
static void attend(struct call *c)
{
    enum { NOW_AND_THEN_NS = 100000000 };
    const spmodel *s = c->s;
    pthread_mutex_lock(&c->lock);
    while (!c->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += NOW_AND_THEN_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (!c->is_new)
            pthread_cond_timedwait(&c->changed, &c->lock, &until);
        char step[sizeof c->step];
        memcpy(step, c->step, sizeof step);
        const double done = c->done;
        c->is_new = false;
        pthread_mutex_unlock(&c->lock);
        if (s->progress && s->progress(s->context, step, done) != 0)
            atomic_store(&c->cancelled, true);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

/* The caller's affinity, team and handlers are its threads': only this one's change here. */
static enum sp_status do_apart(struct call *c, struct sp_error *err)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    pthread_t thread;
    sigset_t all, before;
    c->progress = (struct sp_progress){on_step, is_cancelled, c, on_remark};
    snprintf(c->step, sizeof c->step, "beginning");
    c->done = -1;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) /* that the thread's own code may raise */
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const int error = pthread_create(&thread, NULL, work_apart, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) {
        attend(c);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    if (error)
        return sp_fail(err, SP_ABSENT, NULL, "no thread for the analysis: %s", strerror(error));
    *err = c->error;
    return c->status;
}

/* ---- analyses ---- */

static enum sp_status settle(struct sp_request *r, struct sp_error *err)
{
    enum sp_status status = sp_request_check_device(r, err);
    if (status == SP_OK)
        status = sp_request_settle(r, err);
    if (status == SP_OK && (r->all_formats || r->op.n_widths > 1))
        return sp_fail(err, SP_USAGE, "call it once for each", "an analysis takes one format and one width");
    if (status == SP_OK && r->on_gpu && r->gpu > 0 && r->analyze.gpu_api == SP_GPU_CUDA)
        return sp_fail(err, SP_USAGE, "gpu, with CUDA_VISIBLE_DEVICES", "here device takes cpu or gpu");
    return status;
}

static enum sp_status open_subject(const struct call *c, const struct sp_request *r, struct sp_lender *lender,
                                   struct sp_subject *subject, struct sp_error *err)
{
    struct sp_watch watch = {&c->progress, "looking at the matrix"};
    const struct sp_load_options load = sp_request_loading(r, NULL, &watch);
    struct sp_load_facts facts;
    struct sp_csr matrix;
    enum sp_status status = sp_view_open(c->matrix, &load, lender, &matrix, &facts, err);
    if (status == SP_OK)
        status = sp_subject_take(facts.name, &matrix, &facts, r->reorder, load.allocator, &c->progress,
                                 subject, err);
    return status;
}

static enum sp_status choose_bytes(const struct call *c, struct sp_request *r, struct sp_byte_source *source,
                                   struct sp_error *err)
{
    const struct sp_byte_request request = {.wanted = r->bytes,
                                            .required = r->require_bytes,
                                            .n_threads = r->analyze.n_threads,
                                            .machine = r->analyze.machine,
                                            .topology = r->analyze.topology,
                                            .memory_B = r->analyze.memory_B};
    enum sp_status status = sp_byte_source_choose(&request, &c->progress, source, err);
    if (status == SP_OK && source->replayed)
        status = sp_request_follow(r, &source->recording, err);
    return status;
}

/* Times of the caller in the place of counters. */
static enum sp_status take_times(const struct call *c, struct sp_request *r, struct sp_byte_source *source,
                                 struct sp_error *err)
{
    const struct sp_timed_run run = {.from = "the caller", .origin = SP_STATED};
    struct sp_recording recording;
    const int n_threads =
        r->analyze.n_threads > 0 ? r->analyze.n_threads : sp_topology_default_threads(r->analyze.topology);
    enum sp_status status = sp_recording_of_times(c->time_s, c->n_times, n_threads, &run, &recording, err);
    r->analyze.n_threads = n_threads;
    return status == SP_OK ? sp_byte_source_of_recording(&recording, source, err) : status;
}

/* Where nothing is run here, what a run alone takes is refused rather than ignored. */
static enum sp_status check_without_run(const struct sp_request *r, const char *what, struct sp_error *err)
{
    const enum sp_option refused = r->on_gpu                          ? SP_OPTION_DEVICE
                                   : r->try_hints                     ? SP_OPTION_TRY_HINTS
                                   : r->require_bytes                 ? SP_OPTION_REQUIRE_BYTES
                                   : sp_own_is_asked(&r->analyze.own) ? SP_OPTION_KERNEL
                                                                      : SP_N_OPTIONS;
    if (refused == SP_N_OPTIONS)
        return SP_OK;
    return sp_fail(err, SP_USAGE, "take another handle for it", "%s is of a run, and %s runs nothing",
                   sp_option_name(refused), what);
}

static enum sp_status analyze(struct call *c, struct sp_error *err)
{
    struct sp_request r;
    struct sp_stage stage = {0};
    struct sp_lender lender;
    struct sp_subject subject = {0};
    struct sp_byte_source source = {0};
    enum sp_status status = request_of(c->s, &r, err);
    r.analyze.own.kernel = c->kernel;
    if (status == SP_OK)
        status = settle(&r, err);
    if (status == SP_OK && c->time_s)
        status = check_without_run(&r, "spmodel_explain()", err);
    if (status == SP_OK)
        status = sp_own_ask_check(&r.analyze.own, err);
    if (status != SP_OK)
        return status;
    status = sp_stage_open(r.on_gpu ? SP_STAGE_GPU : SP_STAGE_CPU, r.machine, &c->progress, &r.analyze,
                           &stage, err);
    if (status != SP_OK)
        return status;
    status = open_subject(c, &r, &lender, &subject, err);
    if (status == SP_OK && !r.on_gpu) {
        status = c->time_s ? take_times(c, &r, &source, err) : choose_bytes(c, &r, &source, err);
        r.analyze.bytes = &source;
    }
    if (status == SP_OK)
        status = sp_request_run(&r, &subject, r.analyze.format, r.op.width[0], &c->progress, &c->record, err);
    sp_byte_source_close(&source);
    sp_subject_free(&subject);
    sp_stage_close(&stage);
    return status;
}

/* The named machine, CPU or GPU, or this one. */
static enum sp_status open_machine(const struct call *c, const struct sp_request *r,
                                   struct sp_machine *machine, struct sp_error *err)
{
    char path[1024], remarks[512];
    struct sp_machine_paths paths;
    if (!r->machine)
        return sp_this_machine(NULL, r->analyze.n_threads, r->analyze.budget_s, &c->progress, machine, err);
    sp_machine_paths_find(&paths);
    enum sp_status status = sp_machine_file_find(r->machine, paths.directory, path, sizeof path, err);
    if (status == SP_OK)
        status = sp_machine_file_read(path, machine, remarks, sizeof remarks, err);
    return status;
}

static enum sp_status predict_on(const struct sp_request *r, const struct sp_subject *subject,
                                 const struct sp_machine *machine, const struct sp_progress *progress,
                                 json_t **json, struct sp_error *err)
{
    const struct sp_analyze_options *o = &r->analyze;
    struct sp_model_request request = {.workload = {.op = o->op,
                                                    .order = o->order,
                                                    .index = o->index,
                                                    .row_ptr_B = o->row_ptr_B,
                                                    .n_threads = o->n_threads},
                                       .precision_given = o->precision >= 0,
                                       .alpha_kind = SP_ALPHA_SIM,
                                       .cold = o->state == SP_COLD,
                                       .small_pages = o->small_pages};
    struct sp_model_subject model = {.n_r = subject->matrix.n_r,
                                     .n_c = subject->matrix.n_c,
                                     .n_nz = subject->matrix.n_nz,
                                     .matrix = &subject->matrix};
    const struct sp_model_ask asked = {o->format, r->op.width[0]};
    void *rows;
    struct sp_identity identity;
    if (model.n_nz == 0)
        return sp_fail(err, SP_INPUT, "name another matrix",
                       "the matrix has no entries: there is nothing to model");
    snprintf(model.name, sizeof model.name, "%s", subject->name);
    if (o->precision >= 0)
        request.workload.precision = (enum sp_precision)o->precision;
    sp_identity_read("", o->topology, &identity);
    enum sp_status status = sp_workload_set_schedule(&request.workload, o->schedule, err);
    if (status == SP_OK)
        status = sp_new_array(SP_MODEL_WAYS, sizeof(struct sp_model_row), "predictions", &rows, err);
    if (status != SP_OK)
        return status;
    struct sp_model_result result = {&model, &request, rows, 0, 1, "", o->command, identity.env_key};
    status = sp_model_rows_make(&request, &model, &asked, 1, machine, 1, progress, rows, &result.n_rows, err);
    if (status == SP_OK)
        status = sp_model_json(&result, json, err);
    sp_model_rows_free(rows, result.n_rows);
    return status;
}

static enum sp_status predict(struct call *c, struct sp_error *err)
{
    struct sp_request r;
    struct sp_topology topology;
    struct sp_machine machine = {0};
    struct sp_lender lender;
    struct sp_subject subject = {0};
    enum sp_status status = request_of(c->s, &r, err);
    if (status == SP_OK)
        status = settle(&r, err);
    if (status == SP_OK)
        status = check_without_run(&r, "spmodel_model()", err);
    if (status == SP_OK)
        status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    r.analyze.topology = &topology;
    status = open_machine(c, &r, &machine, err);
    if (status == SP_OK)
        status = open_subject(c, &r, &lender, &subject, err);
    if (status == SP_OK)
        status = predict_on(&r, &subject, &machine, &c->progress, &c->record.root, err);
    sp_subject_free(&subject);
    sp_machine_free(&machine);
    sp_topology_free(&topology);
    return status;
}

/* The end of a call that makes a record. */
static int hand_out(struct call *c, enum sp_status status, struct sp_error *err, spmodel_result **result)
{
    *result = c->result;
    return answer(c->s, status, err);
}

int spmodel_analyze(spmodel *s, const struct spmodel_matrix *matrix, const struct spmodel_kernel *kernel,
                    spmodel_result **result)
{
    struct sp_error err;
    struct call c = {.s = s, .work = analyze, .matrix = matrix, .kernel = kernel};
    *result = NULL;
    return hand_out(&c, do_apart(&c, &err), &err, result);
}

int spmodel_explain(spmodel *s, const struct spmodel_matrix *matrix, const double *time_s, int64_t n,
                    spmodel_result **result)
{
    struct sp_error err;
    struct call c = {.s = s, .work = analyze, .matrix = matrix, .time_s = time_s, .n_times = n};
    *result = NULL;
    if (!time_s || n < 1)
        return answer(s, sp_fail(&err, SP_USAGE, NULL, "no times were given"), &err);
    return hand_out(&c, do_apart(&c, &err), &err, result);
}

int spmodel_model(spmodel *s, const struct spmodel_matrix *matrix, spmodel_result **result)
{
    struct sp_error err;
    struct call c = {.s = s, .work = predict, .matrix = matrix};
    *result = NULL;
    return hand_out(&c, do_apart(&c, &err), &err, result);
}

static enum sp_status read_record(struct call *c, struct sp_error *err)
{
    return sp_record_read(c->name, &c->record, err);
}

int spmodel_read_record(spmodel *s, const char *path, spmodel_result **result)
{
    struct sp_error err;
    struct call c = {.s = s, .work = read_record, .name = path};
    *result = NULL;
    if (!path)
        return answer(s, sp_fail(&err, SP_USAGE, NULL, "no name of a record was given"), &err);
    return hand_out(&c, do_apart(&c, &err), &err, result);
}

/* ---- matrices from files ---- */

struct read_matrix {
    struct spmodel_matrix view; /* what the caller has */
    struct sp_csr csr;
    char name[128];
};

static enum sp_status read_matrix(struct call *c, struct sp_error *err)
{
    struct sp_topology topology;
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    struct sp_watch watch = {&c->progress, "reading the matrix"};
    const struct sp_load_options load = {.n_threads = sp_topology_default_threads(&topology),
                                         .progress = sp_watch_show,
                                         .interrupted = sp_watch_stop,
                                         .context = &watch};
    status = sp_matrix_load(c->name, &load, &c->csr, NULL, err);
    sp_topology_free(&topology);
    return status;
}

int spmodel_read(spmodel *s, const char *name, struct spmodel_matrix **matrix)
{
    struct sp_error err;
    struct call c = {.s = s, .work = read_matrix, .name = name};
    *matrix = NULL;
    if (!name)
        return answer(s, sp_fail(&err, SP_USAGE, NULL, "no name of a matrix was given"), &err);
    enum sp_status status = do_apart(&c, &err);
    struct read_matrix *m = status == SP_OK ? calloc(1, sizeof *m) : NULL;
    if (status == SP_OK && !m) {
        sp_csr_free(&c.csr);
        status = sp_fail(&err, SP_MEMORY, NULL, "no memory for the matrix");
    }
    if (status != SP_OK)
        return answer(s, status, &err);
    m->csr = c.csr;
    sp_matrix_display_name(name, m->name, sizeof m->name);
    m->view = (struct spmodel_matrix){.size = sizeof m->view,
                                      .n_r = m->csr.n_r,
                                      .n_c = m->csr.n_c,
                                      .n_nz = m->csr.n_nz,
                                      .row_ptr = m->csr.row_ptr,
                                      .col = m->csr.col,
                                      .values = m->csr.val,
                                      .row_ptr_B = sizeof *m->csr.row_ptr,
                                      .col_B = sizeof *m->csr.col,
                                      .type = sp_csr_is_complex(&m->csr) ? SPMODEL_C128 : SPMODEL_F64,
                                      .name = m->name};
    *matrix = &m->view;
    return answer(s, SP_OK, NULL);
}

void spmodel_matrix_free(struct spmodel_matrix *matrix)
{
    struct read_matrix *m = (struct read_matrix *)matrix;
    if (!m)
        return;
    sp_csr_free(&m->csr);
    free(m);
}
