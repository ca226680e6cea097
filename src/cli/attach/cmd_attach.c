/* spmodel attach: an unchanged program runs with a library in front of those that it uses, and its
 * sparse products are judged as analyze judges its own. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/attach_log.h"
#include "base/escape.h"
#include "base/option/option_words.h"
#include "base/print.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/analyze/analyze_output.h"
#include "cli/analyze/run_options.h"
#include "cli/attach/attach_table.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/process.h"
#include "cli/core/terminal.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/files/places.h"
#include "report/verdict/verdict.h"
#include "session/attach/attach_judge.h"
#include "session/measure/machine.h"
#include "session/request/request.h"

/* An unchanged program, run with libspmodel-attach.so in front of its libraries. */

struct attached_run {
    char *const *word;  /* the program and its arguments, NULL ends them */
    const char *folder; /* where its logs go: a full path */
    bool messages;      /* also libspmodel-pmpi.so */
    cpu_set_t cpus;     /* that this process had when it began: the program has them, too */
    /* Filled in: */
    int pid;       /* of the process that was started */
    int state;     /* of waitpid() */
    int exit_code; /* as of a shell: its own, 128 + the signal that ended it, 126 or 127: not started */
};

static const char preload[] = "LD_PRELOAD";

struct before {
    const struct attached_run *run;
    const char *preload;
    struct sigaction child_ends; /* what this process had for SIGCHLD */
};

/* In the new process: in front of what is preloaded anyway. */
static void set_environment(void *context)
{
    const struct before *b = context;
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv(preload, b->preload, 1);
    setenv(SP_ATTACH_FOLDER_VARIABLE, b->run->folder, 1);
    setenv(SP_ATTACH_PID_VARIABLE, pid, 1);
    sigaction(SIGCHLD, &b->child_ends, NULL);
    sched_setaffinity(0, sizeof b->run->cpus, &b->run->cpus);
}

static enum sp_status find_file(const char *name, const char *remedy, char *path, size_t size,
                                struct sp_error *err)
{
    if (!sp_module_path(name, path, size) || access(path, R_OK) != 0)
        return sp_fail(err, SP_ABSENT, remedy, "%s is not where it belongs", name);
    if (strpbrk(path, ": "))
        return sp_fail_at(err, SP_ABSENT, path, 0, 0, "install spmodel elsewhere",
                          "the dynamic linker takes no library whose path has a blank or a colon");
    return SP_OK;
}

static enum sp_status find_library(bool messages, char *list, size_t size, struct sp_error *err)
{
    char path[3000], pmpi[3000] = "";
    const char *other = getenv(preload);
    enum sp_status status =
        find_file("libspmodel-attach.so", "install spmodel whole: the library lies in lib/spmodel", path,
                  sizeof path, err);
    if (status == SP_OK && messages)
        status = find_file("libspmodel-pmpi.so",
                           "install MPI (Debian: libopenmpi-dev and openmpi-bin), then build spmodel again",
                           pmpi, sizeof pmpi, err);
    if (status != SP_OK)
        return status;
    const int n = snprintf(list, size, "%s%s%s%s%s", path, messages ? ":" : "", pmpi,
                           other && *other ? ":" : "", other ? other : "");
    return n > 0 && (size_t)n < size ? SP_OK
                                     : sp_fail(err, SP_ABSENT, "shorten it", "LD_PRELOAD is too long");
}

/* SP_ABSENT where the libraries are not there, or cannot be preloaded: before anything takes
 * time. */
static enum sp_status attached_ready(bool messages, struct sp_error *err)
{
    char list[8192];
    return find_library(messages, list, sizeof list, err);
}

/* Starts it and waits for its end. SP_ABSENT: it cannot be started, or the library is not there. */
static enum sp_status attached_run(struct attached_run *run, struct sp_error *err)
{
    char list[8192];
    pid_t child;
    int error;
    enum sp_status status = find_library(run->messages, list, sizeof list, err);
    struct before before = {.run = run, .preload = list};
    const struct sigaction as_ever = {.sa_handler = SIG_DFL};
    run->exit_code = sp_exit_code(status);
    if (status != SP_OK)
        return status;
    sigaction(SIGCHLD, &as_ever, &before.child_ends); /* where it is ignored, no exit code stays */
    status = sp_program_start(run->word, set_environment, &before, &child, &error, err);
    run->exit_code = error == ENOENT ? 127 : 126;
    if (status == SP_OK) {
        sp_process_leave_to(child);
        while (waitpid(child, &run->state, 0) < 0 && errno == EINTR)
            ;
        sp_process_leave_to(0);
        run->pid = child;
        run->exit_code = WIFSIGNALED(run->state) ? 128 + WTERMSIG(run->state) : WEXITSTATUS(run->state);
    }
    sigaction(SIGCHLD, &before.child_ends, NULL);
    return status;
}

static bool has_variable(const char *pid, const char *variable)
{
    char path[300], *text = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&text, &size, '\0', file) > 0)
        found = strcmp(text, variable) == 0;
    if (file)
        fclose(file);
    free(text);
    return found;
}

static void read_name(const char *pid, char *name, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/comm", pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, (int)size, file))
        snprintf(name, size, "process %.10s", pid);
    name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* How many processes that it started, or that these did, still run; `name` of one of them. */
static int attach_count_running(const char *folder, char *name, size_t size)
{
    char variable[4200];
    int n = 0;
    DIR *d = opendir("/proc");
    const struct dirent *entry;
    snprintf(variable, sizeof variable, "%s=%s", SP_ATTACH_FOLDER_VARIABLE, folder);
    *name = '\0';
    while (d && (entry = readdir(d)) != NULL)
        if (entry->d_name[strspn(entry->d_name, "0123456789")] == '\0' &&
            has_variable(entry->d_name, variable) && n++ == 0)
            read_name(entry->d_name, name, size);
    if (d)
        closedir(d);
    return n;
}

/* True where the file is a program for this machine that asks for no dynamic linker. */
static bool is_static(const char *path)
{
    FILE *file;
    Elf64_Ehdr head;
    bool asks = false, known = false;
    if (sp_input_open(path, &file, NULL) != SP_OK)
        return false;
    if (fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_phentsize == sizeof(Elf64_Phdr) &&
        head.e_phnum < 512) {
        known = fseek(file, (long)head.e_phoff, SEEK_SET) == 0;
        for (int i = 0; i < head.e_phnum && known; i++) {
            Elf64_Phdr part;
            known = fread(&part, sizeof part, 1, file) == 1;
            asks = asks || (known && part.p_type == PT_INTERP);
        }
    }
    fclose(file);
    return known && !asks;
}

/* What will keep the library out of this program, as far as its file tells: a sentence without its
 * end, into text, "" where nothing does. */
static void attach_obstacle(const char *program, char *text, size_t size)
{
    char found[4096];
    struct stat facts;
    const char *path = strchr(program, '/') ? program : sp_find_program(program, found, sizeof found);
    *text = '\0';
    if (!path || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    if (((facts.st_mode & S_ISUID) && facts.st_uid != geteuid()) ||
        ((facts.st_mode & S_ISGID) && facts.st_gid != getegid()) ||
        getxattr(path, "security.capability", NULL, 0) > 0)
        snprintf(text, size,
                 "it runs with more rights than yours, and the system lets nobody preload a "
                 "library into such a program");
    else if (is_static(path))
        snprintf(text, size,
                 "it is linked statically, and has no symbols that a library could stand in front "
                 "of");
}

enum {
    KEY_ALL = SP_KEY_PRIVATE,
    KEY_CAPTURE,
    KEY_GPU,
    KEY_HTML,
    KEY_MACHINE,
    KEY_MESSAGES,
    KEY_MPI,
    KEY_NO_HINTS,
    KEY_NO_PLOTS,
    KEY_ONLY
};

static const struct argp_option options[] = {
    {"threads", 't', "N", 0,
     "Threads that a product had; default: as many as its library says that it would use", 1},
    {"only", KEY_ONLY, "TEXT", 0,
     "Judge products alone whose function, library or matrix (A1) has TEXT in it", 1},
    {"all", KEY_ALL, NULL, 0,
     "Judge all products; default: those that take at least 1 % of the time of all, at most ten", 1},
    {"machine", KEY_MACHINE, "M", 0,
     "Ceilings from a machine file or a name; default: this machine, measured once, before the program runs",
     1},
    {"gpu", KEY_GPU, "NAME", 0,
     "Judge products on GPUs, too: they ran on this one (spmodel machine list); default: counted and timed",
     1},
    {"keep", 'k', "DIR", 0,
     "Keep what was seen, logs and patterns, in DIR; default: patterns alone that hints name, beside the "
     "records",
     2},
    {"capture", KEY_CAPTURE, "DIR", 0, "Run nothing: judge what was kept in DIR", 2},
    {"mpi", KEY_MPI, NULL, 0,
     "Also count messages and bytes between the ranks of an MPI program, by phase: attach --mpi -- mpirun -n "
     "4 "
     "PROGRAM",
     2},
    {"messages", KEY_MESSAGES, "FILE", 0, "Run nothing: show who sent how much to whom, as --mpi counted it",
     2},
    {"out", 'o', "DIR", 0, "Directory for records and plots (default: this one)", 3},
    {"html", KEY_HTML, "FILE", 0,
     "Also write the report as one HTML page that needs no other file; - is standard output", 3},
    {"no-hints", KEY_NO_HINTS, NULL, 0, "Leave out the comparison with other formats, schedules and orders",
     3},
    {"no-plots", KEY_NO_PLOTS, NULL, 0, "Draw nothing", 3},
    {0},
};

/* At most so many are judged unasked, and none that takes less of the time of all. */
enum { MOST_JUDGED = 10, MOST_LINES = 100000 };
static const double least_part = 0.01;

struct arguments {
    struct sp_common_options common;
    struct sp_output_options output;
    struct sp_analyze_options analyze;
    struct sp_attach_request request;
    const char *only, *keep, *capture, *machine, *gpu, *messages;
    bool all, mpi;
    bool sent;   /* messages were counted */
    char **word; /* the program; NULL: none */
};

/* Was this process itself started by mpirun, with others? */
static bool is_rank(void)
{
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const char *n = getenv(size[i]);
        if (n && atol(n) > 1)
            return true;
    }
    return false;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->common;
        return 0;
    case 't':
        a->request.n_threads = sp_pick_threads(state, arg);
        return 0;
    case KEY_ONLY:
        a->only = arg;
        return 0;
    case KEY_ALL:
        a->all = true;
        return 0;
    case KEY_MACHINE:
        a->machine = arg;
        return 0;
    case KEY_GPU:
        a->gpu = arg;
        return 0;
    case 'k':
        a->keep = arg;
        return 0;
    case KEY_CAPTURE:
        a->capture = arg;
        return 0;
    case KEY_MPI:
        a->mpi = true;
        return 0;
    case KEY_MESSAGES:
        a->messages = arg;
        return 0;
    case 'o':
        a->output.directory = sp_pick_folder(state, arg);
        return 0;
    case KEY_HTML:
        a->output.html_name = arg;
        return 0;
    case KEY_NO_HINTS:
        a->analyze.no_hints = true;
        return 0;
    case KEY_NO_PLOTS:
        a->output.asked[SP_OPTION_NO_PLOTS] = true;
        return 0;
    case ARGP_KEY_ARG: /* the rest is the program's */
        a->word = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (!a->word && !a->capture && !a->messages)
            sp_usage_error(state, "give the program to run, behind --");
        if (a->messages && (a->word || a->capture || a->keep || a->mpi))
            sp_usage_error(state, "--messages shows what was counted before; leave the rest out");
        if (a->mpi && !a->word)
            sp_usage_error(state,
                           "--mpi counts while a program runs; --messages FILE shows what was counted");
        if (a->mpi && is_rank())
            sp_usage_error(state,
                           "this is one rank of many already: put mpirun behind --, as in spmodel attach "
                           "--mpi -- mpirun -n 4 PROGRAM");
        if (a->word && a->capture)
            sp_usage_error(state, "--capture judges what was seen before; leave the program out");
        if (a->keep && a->capture)
            sp_usage_error(state, "--keep and --capture exclude each other: what is in DIR stays there");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the folder of logs ---- */

static bool is_ours(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, SP_ATTACH_LOG_ENDING) == 0 || strcmp(dot, ".sppat") == 0 ||
                   strcmp(dot, SP_ATTACH_MESSAGES_ENDING) == 0 || strcmp(dot, ".part") == 0);
}

/* Whatever attach writes there goes; a folder that holds more stays. */
static void remove_folder(const char *folder)
{
    char path[PATH_MAX];
    DIR *d = opendir(folder);
    const struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL) {
        if (is_ours(entry->d_name) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

static enum sp_status refuse_used(const char *folder, struct sp_error *err)
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    bool used = false;
    while (d && (entry = readdir(d)) != NULL)
        used = used || is_ours(entry->d_name);
    if (d)
        closedir(d);
    return used ? sp_fail_at(err, SP_USAGE, folder, 0, 0,
                             "name another folder, or judge what is there with --capture",
                             "there is what attach has seen before")
                : SP_OK;
}

/* Makes the folder, of nobody else, and says where it is. */
static enum sp_status make_folder(const struct arguments *a, char *folder, size_t size, struct sp_error *err)
{
    char made[1100], full[PATH_MAX];
    int error = 0;
    if (a->keep) {
        snprintf(made, sizeof made, "%s", a->keep);
        error = strlen(a->keep) < 900 ? sp_make_directories(a->keep) : ENAMETOOLONG;
        const enum sp_status status = error ? SP_OK : refuse_used(made, err);
        if (status != SP_OK)
            return status;
        if (!error && chmod(made, 0700) != 0)
            error = errno;
    } else {
        snprintf(made, sizeof made, "%s/.spmodel-attach-XXXXXX", a->output.directory);
        error = mkdtemp(made) ? 0 : errno;
    }
    if (!error && !realpath(made, full))
        error = errno;
    if (!error && strlen(full) >= size)
        error = ENAMETOOLONG;
    if (error)
        return sp_fail_at(err, SP_OUTPUT, made, 0, 0,
                          "choose a place where you may write with --keep or --out",
                          "no folder for what is seen can be made: %s", strerror(error));
    memcpy(folder, full, strlen(full) + 1);
    return SP_OK;
}

/* ---- judging ---- */

static bool is_wanted(const struct arguments *a, const struct sp_capture *c, const struct sp_attach_line *l)
{
    return !a->only || strstr(l->product->symbol, a->only) ||
           strstr(c->matrix[l->product->matrix].library, a->only) || strcmp(l->matrix, a->only) == 0;
}

/* Names matrices in the order of what their products take; says whether each is judged. */
static int64_t make_lines(const struct arguments *a, const struct sp_capture *c, struct sp_attach_line *line)
{
    double total_s = 0;
    int64_t n_judged = 0;
    int n_names = 0;
    for (int64_t i = 0; i < c->n_products; i++)
        total_s += sp_captured_total_s(&c->product[i]);
    for (int64_t i = 0; i < c->n_products; i++) {
        struct sp_attach_line *l = &line[i];
        *l = (struct sp_attach_line){.product = &c->product[i],
                                     .share = sp_attach_share(c, &c->product[i]),
                                     .least_B = sp_attach_least_B(c, &c->product[i])};
        for (int64_t k = 0; k < i && !*l->matrix; k++)
            if (line[k].product->matrix == l->product->matrix)
                memcpy(l->matrix, line[k].matrix, sizeof l->matrix);
        if (!*l->matrix)
            snprintf(l->matrix, sizeof l->matrix, "A%d", ++n_names);
        l->why = sp_attach_why_not(c, l->product, a->request.gpu);
        if (l->why && (l->product->bits & SP_ATTACH_ON_GPU) && !a->request.gpu)
            l->why = "it ran on a GPU: say on which (--gpu NAME; spmodel machine list)";
        if (!l->why && !is_wanted(a, c, l))
            l->why = "others were asked for (--only)";
        if (!l->why && !a->all && !a->only &&
            (n_judged >= MOST_JUDGED || sp_captured_total_s(l->product) < least_part * total_s))
            l->why = "others take more of the time (judged with --all)";
        n_judged += !l->why;
    }
    return n_judged;
}

/* Where remarks go. */
static FILE *out_of(const struct arguments *a)
{
    return sp_sink_is_stdout(a->common.json) || sp_sink_is_stdout(a->output.html_name) ? stderr : stdout;
}

/* The folder of this run goes. A pattern that commands of hints name is put beside the record;
 * false: it cannot be, or is not wanted. *made: it was not there before. */
static bool put_pattern(const struct arguments *a, const struct sp_capture *c, const char *file, char *path,
                        size_t size, bool *made)
{
    char from[1100];
    *made = false;
    if (a->keep || a->capture || a->analyze.no_hints)
        return false;
    snprintf(from, sizeof from, "%s/%s", c->folder, file);
    if (snprintf(path, size, "%s/%s", a->output.directory, file) >= (int)size)
        return false;
    *made = link(from, path) == 0;
    return *made || errno == EEXIST;
}

static void print_heading(const struct sp_attach_line *l)
{
    const char *walk = sp_attach_walk_text(sp_attach_walk_of(l->product));
    sp_print(stdout, "\n%s  %s   %s\n", l->matrix, sp_captured_op_text(l->product), l->product->symbol);
    if (walk)
        sp_print(stdout, "%s\n", walk);
}

static int judge_one(const struct arguments *a, const struct sp_capture *c, const struct sp_attach_end *end,
                     const struct sp_attach_line *line, int64_t n, int64_t i,
                     const struct sp_progress *progress, struct sp_terminal *terminal)
{
    struct sp_record record = {0};
    struct sp_error err;
    const struct sp_captured_product *p = line[i].product;
    char name[128];
    int code = 0;
    snprintf(name, sizeof name, "%.60s-%s", sp_text_file_name(c->process[p->process].program),
             line[i].matrix);
    char pattern[1100];
    bool made;
    struct sp_attach_request request = a->request;
    if (put_pattern(a, c, c->matrix[p->matrix].file, pattern, sizeof pattern, &made))
        request.folder = a->output.directory;
    const enum sp_status status = sp_attach_judge(c, p, name, &request, progress, &record, &err);
    sp_terminal_clear(terminal);
    if (status != SP_OK)
        code = sp_report_error(&err);
    if (record.root) {
        json_t *unseen = sp_attach_unseen(c, end);
        sp_record_set_object(&record, SP_F_ATTACH_SEEN, sp_attach_seen(c, line, n));
        if (json_array_size(unseen) > 0)
            sp_record_set_object(&record, SP_F_ATTACH_UNSEEN, json_incref(unseen));
        json_decref(unseen);
        if (out_of(a) == stdout)
            print_heading(&line[i]);
        code = sp_worse_exit(code, sp_output_record(&record, &a->output, &a->common));
    }
    const json_t *shown;
    if (made && (!record.root || sp_hints_shown(&record, &shown, 1) == 0))
        unlink(pattern); /* no command names it */
    else if (made && a->common.verbosity >= 0)
        sp_print(out_of(a), "kept   %s\n", pattern);
    sp_record_free(&record);
    return code;
}

/* No record tells of a program without a product: --json has its own object, --html no page. */
static int write_nothing(const struct arguments *a, const struct sp_capture *c,
                         const struct sp_attach_end *end)
{
    struct sp_error err;
    enum sp_status status = SP_OK;
    if (a->output.json.stream)
        status = sp_put_json(sp_attach_nothing(c, end), JSON_INDENT(1) | JSON_REAL_PRECISION(17),
                             a->output.json.stream, &err);
    if (a->output.html_name)
        sp_print(stderr, "spmodel: no page was written, because no product was seen\n");
    return status == SP_OK ? 0 : sp_report_error(&err);
}

static int judge_all(struct arguments *a, const struct sp_capture *c, const struct sp_attach_end *end,
                     const struct sp_progress *progress, struct sp_terminal *terminal)
{
    FILE *out = out_of(a);
    struct sp_error err;
    void *memory;
    if (sp_new_array(c->n_products, sizeof(struct sp_attach_line), "products", &memory, &err) != SP_OK)
        return sp_report_error(&err);
    struct sp_attach_line *line = memory;
    const int64_t n_judged = make_lines(a, c, line);
    a->output.several = n_judged > 1;
    if (a->common.verbosity >= 0 || (c->n_products == 0 && out == stdout)) {
        sp_attach_print_program(c, end, out);
        if (c->n_products > 0)
            sp_attach_print_table(c, line, c->n_products, a->all || a->common.verbosity > 0, out);
        if (c->n_products > 0 || !a->sent)
            sp_attach_print_unseen(c, end, out);
    }
    int code =
        c->n_products > 0 ? 0 : sp_worse_exit(a->sent ? 0 : sp_exit_code(SP_NO), write_nothing(a, c, end));
    if (c->n_products > 0 && n_judged == 0) {
        sp_fail(&err, SP_ABSENT,
                a->only ? "--only takes a part of a function's or library's name, or A1" : NULL,
                "none of the products can be judged");
        code = sp_report_error(&err);
    }
    for (int64_t i = 0; i < c->n_products && code != sp_exit_code(SP_INTERRUPTED); i++)
        if (!line[i].why)
            code = sp_worse_exit(code, judge_one(a, c, end, line, c->n_products, i, progress, terminal));
    free(line);
    return code;
}

/* The process that was started is known by the word typed, not by the shell of a script. */
static void name_as_typed(struct sp_capture *c, const struct attached_run *run)
{
    struct sp_captured_process *first = NULL;
    for (int64_t i = 0; i < c->n_processes; i++) {
        struct sp_captured_process *p = &c->process[i];
        if (p->pid == run->pid && (!first || p->begun_at_ns < first->begun_at_ns))
            first = p;
    }
    if (first && strcmp(sp_text_file_name(first->program), sp_text_file_name(run->word[0])) != 0)
        snprintf(first->program, sizeof first->program, "%s", run->word[0]);
}

/* ---- messages ---- */

/* name[size]: the program's; NULL: not asked for. */
static enum sp_status print_messages(const struct arguments *a, const char *path, FILE *json, char *name,
                                     size_t size, struct sp_error *err)
{
    struct sp_message_counts messages;
    enum sp_status status = sp_message_counts_read(path, &messages, err);
    if (status != SP_OK)
        return status;
    if (name)
        snprintf(name, size, "%.60s", sp_text_file_name(messages.program));
    if (out_of(a) == stdout || !json)
        sp_message_counts_print(&messages, a->common.verbosity > 0, out_of(a));
    if (json)
        status = sp_put_json(sp_message_counts_json(&messages), JSON_INDENT(1), json, err);
    sp_message_counts_free(&messages);
    return status;
}

/* The job's record, from the folder to where records go. */
static int keep_messages(struct arguments *a, const char *folder, const char *name)
{
    char from[PATH_MAX], to[1200], program[64];
    struct sp_error err;
    int n = snprintf(from, sizeof from, "%s/%s", folder, name);
    if (n < 0 || n >= (int)sizeof from)
        return 0;
    const enum sp_status status = print_messages(a, from, NULL, program, sizeof program, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    a->sent = true;
    for (int i = 0; i < 1000 && !a->keep; i++) {
        snprintf(to, sizeof to, "%s/%.60s%s%.0d.messages.json", a->output.directory, program, i ? "-" : "",
                 i);
        if (link(from, to) == 0) {
            char next[2 * sizeof to] = "next   spmodel attach --messages";
            sp_print(out_of(a), "saved  %s\n", to);
            if (sp_add_shell_word(next, sizeof next, to))
                sp_print(out_of(a), "%s\n", next);
            return 0;
        }
        if (errno != EEXIST)
            break;
    }
    if (!a->keep) {
        sp_fail_at(&err, SP_OUTPUT, to, 0, 0, "choose a place where you may write with --out",
                   "the record of messages cannot be written: %s", strerror(errno));
        return sp_report_error(&err);
    }
    return 0;
}

static int show_messages(struct arguments *a, const char *folder)
{
    DIR *d = opendir(folder);
    const struct dirent *entry;
    int code = 0;
    while (d && (entry = readdir(d)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && strcmp(dot, SP_ATTACH_MESSAGES_ENDING) == 0)
            code = sp_worse_exit(code, keep_messages(a, folder, entry->d_name));
    }
    if (d)
        closedir(d);
    if (!a->sent && code == 0)
        sp_print(out_of(a),
                 "MESSAGES not known: no rank came to MPI_Finalize with the library in front of its MPI (no "
                 "MPI program, a\n"
                 "         rank that ended before, or calls from Fortran, which are not seen)\n");
    return code;
}

static int judge_folder(struct arguments *a, const char *folder, const struct attached_run *run,
                        const struct sp_attach_end *end, const struct sp_progress *progress,
                        struct sp_terminal *terminal)
{
    struct sp_capture capture;
    struct sp_error err;
    const enum sp_status status = sp_capture_read(folder, &capture, &err);
    if (status != SP_OK && status != SP_ABSENT) /* which means: there is no log */
        return sp_report_error(&err);
    name_as_typed(&capture, run);
    const int code = judge_all(a, &capture, end, progress, terminal);
    sp_capture_free(&capture);
    return code;
}

/* ---- running ---- */

static void say_end(const struct attached_run *run, struct sp_attach_end *end)
{
    char *text = end->how;
    const size_t size = sizeof end->how;
    end->n_running = attach_count_running(run->folder, end->running, sizeof end->running);
    if (WIFSIGNALED(run->state))
        snprintf(text, size, "ended by signal %d (%s): what was seen until then", WTERMSIG(run->state),
                 strsignal(WTERMSIG(run->state)));
    else if (run->exit_code != 0)
        snprintf(text, size, "exit code %d", run->exit_code);
    else
        *text = '\0';
}

static int run_and_judge(struct arguments *a, cpu_set_t cpus, const struct sp_progress *progress,
                         struct sp_terminal *terminal)
{
    struct sp_error err;
    char folder[PATH_MAX];
    struct sp_attach_end end = {.typed = a->word[0]};
    if (make_folder(a, folder, 1000, &err) != SP_OK)
        return sp_report_error(&err);
    struct attached_run run = {.word = a->word, .folder = folder, .cpus = cpus, .messages = a->mpi};
    attach_obstacle(a->word[0], end.obstacle, sizeof end.obstacle);
    sp_terminal_clear(terminal);
    if (*end.obstacle)
        sp_print(stderr, "spmodel: remark: nothing will be seen of %s: %s\n", a->word[0], end.obstacle);
    const enum sp_status status = attached_run(&run, &err);
    int code;
    if (status != SP_OK) {
        sp_report_error(&err);
        code = run.exit_code;
    } else {
        say_end(&run, &end);
        code = a->mpi ? show_messages(a, folder) : 0;
        code = sp_worse_exit(code, judge_folder(a, folder, &run, &end, progress, terminal));
        code = run.exit_code ? run.exit_code : code; /* whoever waits for the program waits for this */
    }
    if (a->keep && status == SP_OK && a->common.verbosity >= 0) {
        char again[PATH_MAX + 64] = "spmodel attach --capture";
        sp_add_shell_word(again, sizeof again, a->keep);
        sp_print(stderr, "kept   %s (%s)\n", a->keep, again);
    }
    if (!a->keep || status != SP_OK)
        remove_folder(folder);
    return code;
}

static const struct argp_child children[] = {
    {&sp_common_json_argp, 0, "Common options:", 90}, {&sp_memory_argp, 0, NULL, 90}, {0}};
static const struct argp argp = {
    options,
    parse,
    "-- PROGRAM [ARGUMENT...]\n--capture DIR\n--messages FILE",
    "Runs an unchanged program, counts and times the sparse products that PETSc, hypre, MKL, librsb, "
    "cuSPARSE "
    "and rocSPARSE make for it, and reports alpha, losses and a roofline for each matrix.\v"
    "A library is preloaded (LD_PRELOAD) that stands in front of the functions of those libraries. Of each "
    "matrix the pattern is kept, never its values; bytes are simulated as a walk over CRS, and the roof is "
    "that of this machine, measured before the program runs. The exit code is the program's own where that "
    "is "
    "not 0, 128 and its number where a signal ended it, 127 where it is not found.",
    children,
    NULL,
    NULL};

/* Does an option's value stand in the next word? */
static bool takes_next(const struct sp_option_list *list, const char *word)
{
    const bool is_long = word[1] == '-';
    const size_t n = strcspn(word + 2, "=");
    if (word[2 + (is_long ? n : 0)] != '\0') /* --name=value, -tvalue */
        return false;
    for (int i = 0; i < list->n; i++) {
        const struct sp_option_line *o = &list->line[i];
        if (!o->header && (is_long ? strncmp(o->name, word + 2, n) == 0 : o->letter == word[1]))
            return o->arg && !o->arg_optional;
    }
    return false;
}

/* The place of the first word that is neither an option nor the value of one: the program, whose
 * options are its own without a -- before it, too. 0: there is none, or there is a --. */
static int place_of_program(int argc, char **argv)
{
    struct sp_option_list list;
    sp_option_list_make(&argp, &list);
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            return i;
        if (strcmp(argv[i], "--") == 0)
            return 0;
        i += takes_next(&list, argv[i]);
    }
    return 0;
}

/* The words with a -- before the program; NULL: no memory. */
static char **part_words(int *argc, char **argv)
{
    static char bars[] = "--";
    const int place = place_of_program(*argc, argv);
    char **word = calloc((size_t)*argc + 2, sizeof *word);
    for (int i = 0, k = 0; word && i < *argc; i++) {
        if (i == place && place > 0)
            word[k++] = bars;
        word[k++] = argv[i];
    }
    *argc += place > 0;
    return word;
}

static int attach(int argc, char **argv)
{
    struct arguments a = {.output = {.directory = "."},
                          .analyze = {.format = "crs", .schedule = "nnz", .precision = -1, .max_samples = 1}};
    char command[4096];
    struct sp_error err;
    struct sp_stage stage = {0};
    struct sp_capture kept = {0};
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof cpus, &cpus);
    sp_join_command(argc, argv, command, sizeof command);
    a.analyze.command = command;
    sp_parse(&argp, argc, argv, &a);
    a.request.analyze = &a.analyze;
    if (a.word && attached_ready(a.mpi, &err) != SP_OK)
        return sp_report_error(&err);
    int code = sp_output_open(&a.output, &a.common);
    if (code)
        return code;
    if (a.messages) {
        code = print_messages(&a, a.messages, a.output.json.stream, NULL, 0, &err) == SP_OK
                   ? 0
                   : sp_report_error(&err);
        return sp_output_close(&a.output, &a.common, code);
    }
    struct sp_terminal terminal;
    struct sp_progress progress = sp_terminal_open(&terminal, a.common.verbosity);
    struct sp_machine gpu = {0};
    enum sp_status status = a.capture ? sp_capture_read(a.capture, &kept, &err) : SP_OK;
    if (status == SP_OK) /* which may measure the machine: after what can be refused at once */
        status = sp_stage_open(SP_STAGE_CPU, a.machine, &progress, &a.analyze, &stage, &err);
    if (status == SP_OK && a.gpu)
        status = sp_this_gpu(SP_GPU_CUDA, a.gpu, &progress, &gpu, &err);
    if (status != SP_OK) {
        sp_stage_close(&stage);
        sp_capture_free(&kept);
        sp_terminal_clear(&terminal);
        return sp_output_close(&a.output, &a.common, sp_report_error(&err));
    }
    sp_terminal_clear(&terminal);
    a.analyze.seed = 1;
    a.request.gpu = a.gpu ? &gpu : NULL;
    const struct sp_attach_end no_end = {0};
    code = a.capture ? judge_all(&a, &kept, &no_end, &progress, &terminal)
                     : run_and_judge(&a, cpus, &progress, &terminal);
    sp_capture_free(&kept);
    sp_stage_close(&stage);
    sp_machine_free(&gpu);
    return sp_output_close(&a.output, &a.common, code);
}

static int run(int argc, char **argv)
{
    char **word = part_words(&argc, argv);
    struct sp_error err;
    if (!word) {
        sp_fail(&err, SP_MEMORY, "free memory", "no memory for the command line");
        return sp_report_error(&err);
    }
    const int code = attach(argc, word);
    sp_words_note(0, NULL);
    free(word);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel attach -k seen -- ./solver", "the products of a solver that uses PETSc, say; kept in seen",
     "0 1 5"},
    {"spmodel attach --mpi -- mpirun -n 4 ./solver", "also who sends how much to whom", "0 1 4 5"},
    {"spmodel attach --capture seen --threads 4", "what was kept, judged again: each product had 4 threads",
     "0 1 5"},
    {0},
};

const struct sp_command sp_cmd_attach = {
    .name = "attach",
    .arguments = "-- PROGRAM...",
    .summary = "run an unchanged program and explain its sparse products",
    .run = run,
    .page = {&argp, examples, "1 5 6", "analyze import machine attaching"},
};
