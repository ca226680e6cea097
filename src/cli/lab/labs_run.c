/* spmodel lab: its verbs run, check and report. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/core/output.h"
#include "cli/core/process.h"
#include "cli/lab/labs_options.h"
#include "lab/lab_check.h"
#include "lab/lab_folder.h"
#include "lab/lab_report.h"

/* Code that a student writes: compiled into a library for `analyze --kernel`. Nothing but `lab run`
 * does it. */

/* What became of it; `why` says so in a line for people. */
enum code_end { CODE_BUILT, CODE_WRONG /* does not compile */, CODE_NO_COMPILER };

enum { MOST_WORDS = 40, WORD_B = 1300 };

/* A command line under construction. */
struct words {
    int n;
    char *word[MOST_WORDS + 1];
    char text[MOST_WORDS][WORD_B];
};

static void add(struct words *w, const char *before, const char *text)
{
    if (w->n == MOST_WORDS)
        return;
    snprintf(w->text[w->n], WORD_B, "%s%s", before, text);
    w->word[w->n] = w->text[w->n];
    w->word[++w->n] = NULL;
}

/* What all labs share; spmodel.h in the source tree, or where the labs were installed. */
static const char *const include_paths[] = {"../common", "../../include", "../../../../include"};

static void begin(const struct sp_lab_folder *folder, struct words *w)
{
    static const char *const flags[] = {"-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fPIC", "-Wall"};
    const char *cc = getenv("CC");
    char path[1200];
    w->n = 0;
    add(w, "", cc && *cc ? cc : "cc");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        add(w, "", flags[i]);
    add(w, "-I", folder->lab.folder);
    for (size_t i = 0; i < sizeof include_paths / sizeof *include_paths; i++) {
        snprintf(path, sizeof path, "%s/%s", folder->lab.folder, include_paths[i]);
        add(w, "-I", path);
    }
}

/* In the new process: what the compiler says goes into the log, behind what is there. */
static void into_log(void *context)
{
    const int log = open(context, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
}

/* True: it ended well. */
static enum sp_status compile(const struct words *w, const char *log_path, enum code_end *end,
                              struct sp_error *err)
{
    pid_t pid;
    int error;
    enum sp_status status = sp_program_start(w->word, into_log, (void *)log_path, &pid, &error, err);
    if (status != SP_OK && (error == ENOENT || error == EACCES)) {
        *end = CODE_NO_COMPILER;
        return SP_OK;
    }
    if (status != SP_OK)
        return status;
    const int state = sp_own_process_wait(pid);
    *end = state != -1 && WIFEXITED(state) && WEXITSTATUS(state) == 0 ? CODE_BUILT : CODE_WRONG;
    return SP_OK;
}

/* The first line of the log that speaks of an error. */
static void first_error(const char *log_path, const char *code, char *why, size_t size)
{
    char line[600];
    FILE *f = fopen(log_path, "r");
    snprintf(why, size, "%s does not compile", code);
    while (f && fgets(line, sizeof line, f)) {
        const char *what = strstr(line, "error: ");
        if (what) {
            snprintf(why, size, "%s does not compile: %.*s", code, (int)strcspn(what + 7, "\n"), what + 7);
            break;
        }
    }
    if (f)
        fclose(f);
}

/* Builds FOLDER/records/RUN.so of the run's "code" and "with"; $CC, else cc; its messages go to
 * log_path. SP_INPUT: the student's file is gone; SP_ABSENT: no process. */
static enum sp_status lab_code_build(const struct sp_lab_folder *folder, const json_t *run,
                                     const char *log_path, enum code_end *end, char *why, size_t size,
                                     struct sp_error *err)
{
    static struct words w;
    char source[1200], object[1200], library[1200], with[1200];
    const char *id = sp_lab_text(run, "id"), *code = sp_lab_text(run, "code");
    snprintf(source, sizeof source, "%s/%s", folder->path, code);
    snprintf(object, sizeof object, "%s/records/%s.traced.o", folder->path, id);
    snprintf(library, sizeof library, "%s/records/%s.so", folder->path, id);
    snprintf(with, sizeof with, "%s/%s", folder->lab.folder, sp_lab_text(run, "with"));
    if (access(source, R_OK) != 0)
        return sp_fail_at(err, SP_INPUT, source, 0, 0, "write it, or take the lab's own again", "%s",
                          strerror(errno));
    unlink(library);
    begin(folder, &w); /* once with an eye on each access, once as it is timed */
    add(&w, "", "-DLAB_TRACED");
    add(&w, "", "-c");
    add(&w, "", source);
    add(&w, "", "-o");
    add(&w, "", object);
    enum sp_status status = compile(&w, log_path, end, err);
    if (status == SP_OK && *end == CODE_BUILT) {
        begin(folder, &w);
        add(&w, "", "-shared");
        add(&w, "", source);
        add(&w, "", object);
        add(&w, "", with);
        add(&w, "", "-o");
        add(&w, "", library);
        status = compile(&w, log_path, end, err);
    }
    unlink(object);
    if (status == SP_OK && *end == CODE_NO_COMPILER)
        snprintf(why, size, "no C compiler: %s cannot be started", w.word[0]);
    if (status == SP_OK && *end == CODE_WRONG)
        first_error(log_path, code, why, size);
    return status;
}

/* spmodel lab run: the commands of a lab, one after the other, their records in the folder. */

enum { KEY_SMALL = SP_KEY_PRIVATE, KEY_MACHINE, KEY_ONLY, KEY_UNPREDICTED };
/* Runs that a disturbed machine leaves without samples are tried so often. */
enum { MOST_TRIES = 5 };

struct arguments {
    struct sp_lab_options lab;
    const char *machine, *only;
    bool small, unpredicted;
};

static const struct argp_option options[] = {
    {"small", KEY_SMALL, NULL, 0, "Small matrices; before anything was predicted (see lab start --small)", 1},
    {"machine", KEY_MACHINE, "M", 0,
     "Ceilings from a machine file or a name; default: this machine, measured once", 1},
    {"only", KEY_ONLY, "RUN", 0, "One of the runs, for example again after a noisy one", 1},
    {"unpredicted", KEY_UNPREDICTED, NULL, 0,
     "Run although questions have no prediction; later ones do not count, and their answers are not told", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        sp_lab_pass(state, &a->lab);
        return 0;
    case KEY_SMALL:
        a->small = true;
        return 0;
    case KEY_MACHINE:
        a->machine = arg;
        return 0;
    case KEY_ONLY:
        a->only = arg;
        return 0;
    case KEY_UNPREDICTED:
        a->unpredicted = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options, parse, .args_doc = "N",
    .doc = "Runs the commands of lab N. What they print goes to records/RUN.txt of the lab's folder, their "
           "records to records/RUN.json. Predictions are closed from then on.",
    .children = sp_lab_children};

static enum sp_status check_predicted(const struct sp_lab_folder *folder, struct sp_error *err)
{
    char open[400] = "";
    if (folder->fault[0])
        return sp_fail_at(err, SP_INPUT, folder->path, 0, 0,
                          "restore the file, or begin the lab in another folder", "%s", folder->fault);
    size_t i;
    json_t *q;
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, q)
    {
        if (!sp_lab_prediction(folder->predictions, sp_lab_text(q, "id")) && strlen(open) + 40 < sizeof open)
            snprintf(open + strlen(open), sizeof open - strlen(open), "%s%s", *open ? ", " : "",
                     sp_lab_text(q, "id"));
    }
    return *open ? sp_fail(err, SP_USAGE,
                           "spmodel lab predict N QUESTION=VALUE..., or --unpredicted to give them up",
                           "predict first: no prediction for %s", open)
                 : SP_OK;
}

static bool has_letter(const char *line)
{
    while (*line && !isalpha((unsigned char)*line))
        line++;
    return *line != '\0';
}

/* The first error that a command told, without the program's name; else its first words, which may
 * be mpirun's. */
static void first_line(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    static const char mark[] = "error: ";
    char line[600];
    bool any = false;
    snprintf(text, size, "it said nothing");
    while (f && fgets(line, sizeof line, f)) {
        const char *what = strstr(line, mark);
        if (!what && !any && has_letter(line)) {
            snprintf(text, size, "%.*s", (int)strcspn(line, "\n"), line);
            any = true;
        }
        if (what) {
            snprintf(text, size, "%.*s", (int)strcspn(what + strlen(mark), "\n"), what + strlen(mark));
            break;
        }
    }
    if (f)
        fclose(f);
}

/* Above it: a signal ended the command, as shells count. */
enum { BY_SIGNAL = 128 };

/* The exit code of the command; 127: it could not be started. */
static int run_command(const struct sp_lab_command *command, const char *text_path, const char *log_path)
{
    const struct sp_own_process what = {.word = command->argument, .out = text_path, .said = log_path};
    pid_t child;
    if (sp_own_process_start(&what, &child, NULL) != SP_OK)
        return 127;
    const int state = sp_own_process_wait(child);
    if (state == -1)
        return 127;
    return WIFEXITED(state) ? WEXITSTATUS(state) : BY_SIGNAL + WTERMSIG(state);
}

/* Again where the machine was too disturbed for an answer. */
static int run_patiently(const struct sp_lab_command *command, const char *text_path, const char *log_path)
{
    int code = run_command(command, text_path, log_path);
    for (int i = 1; i < MOST_TRIES && code == sp_exit_code(SP_UNDECIDED); i++)
        code = run_command(command, text_path, log_path);
    return code;
}

/* What an earlier run left waits beside the new one, and comes back if that could not be made: a
 * mistyped option loses nothing. */
static void name_before(const char *path, char before[1300])
{
    snprintf(before, 1300, "%s.before", path);
}

static void set_aside(const char *path)
{
    char before[1300];
    name_before(path, before);
    if (rename(path, before) != 0 && errno != ENOENT)
        unlink(path);
}

static void settle_earlier(const char *path, bool is_replaced)
{
    char before[1300];
    name_before(path, before);
    if (is_replaced)
        unlink(before);
    else if (access(before, F_OK) == 0 && rename(before, path) != 0)
        unlink(path);
}

/* What became of a run that did not end well; nothing of it stays. */
static enum sp_status give_up(struct sp_lab_folder *folder, const json_t *run, const char *start, int code,
                              const char *log_path, struct sp_lab_end *end, struct sp_error *err)
{
    char why[400], record[1200];
    const char *id = sp_lab_text(run, "id"), *needs = sp_lab_text(run, "needs");
    first_line(log_path, why, sizeof why);
    sp_lab_record_path(folder, id, record, sizeof record);
    unlink(record);
    if (code == sp_exit_code(SP_INTERRUPTED))
        return sp_fail(err, SP_INTERRUPTED, "--only RUN goes on with one of the runs",
                       "interrupted in run '%s'", id);
    if (code == sp_exit_code(SP_ABSENT) && *needs) {
        sp_print(stdout, "           skipped, no %s here: %s\n", needs, why);
        end->skipped = why;
        return sp_lab_note_run(folder, id, start, end, err);
    }
    if (code == sp_exit_code(SP_WRONG) && *sp_lab_text(run, "code")) {
        end->failed = why;
        enum sp_status status = sp_lab_note_run(folder, id, start, end, err);
        return status == SP_OK ? sp_fail(err, SP_WRONG, "mend it, and repeat it with --only RUN",
                                         "run '%s': %.300s", id, why)
                               : status;
    }
    if (code > BY_SIGNAL)
        return sp_fail(err, SP_ABSENT, "repeat it with --only RUN; what has too little memory is killed",
                       "the run '%s' was ended by signal %d (%s)", id, code - BY_SIGNAL,
                       strsignal(code - BY_SIGNAL));
    const enum sp_status status = code == sp_exit_code(SP_ABSENT)      ? SP_ABSENT
                                  : code == sp_exit_code(SP_UNDECIDED) ? SP_UNDECIDED
                                  : code == sp_exit_code(SP_WRONG)     ? SP_WRONG
                                                                       : SP_INPUT;
    return sp_fail(err, status, "repeat it with --only RUN; its log tells more",
                   "the run '%s' ended with exit code %d: %.300s (%.200s)", id, code, why, log_path);
}

/* Makes a library of the student's code; not built: that is noted, as a failure or as skipped. */
static enum sp_status build(struct sp_lab_folder *folder, const json_t *run, const char *start,
                            const char *log_path, struct sp_lab_end *end, bool *built, struct sp_error *err)
{
    char source[1200], why[400] = "";
    enum code_end how = CODE_WRONG;
    snprintf(source, sizeof source, "%s/%s", folder->path, sp_lab_text(run, "code"));
    enum sp_status status = lab_code_build(folder, run, log_path, &how, why, sizeof why, err);
    *built = status == SP_OK && how == CODE_BUILT;
    if (status == SP_OK && !sp_lab_file_digest(source, end->code_sha256))
        *end->code_sha256 = '\0';
    if (status != SP_OK || *built)
        return status;
    *(how == CODE_NO_COMPILER ? &end->skipped : &end->failed) = why;
    status = sp_lab_note_run(folder, sp_lab_text(run, "id"), start, end, err);
    if (status == SP_OK && how == CODE_NO_COMPILER)
        sp_print(stdout, "           skipped: %s\n", why);
    else if (status == SP_OK)
        status = sp_fail(err, SP_WRONG, "its log tells more; repeat it with --only RUN",
                         "run '%s': %.300s (%.200s)", sp_lab_text(run, "id"), why, log_path);
    return status;
}

/* Plots of an earlier run of that name. */
static void clear_pictures(const struct sp_lab_folder *folder, const char *run)
{
    char path[1100], file[1400];
    sp_lab_pictures_path(folder, run, path, sizeof path);
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        const char *end = strrchr(entry->d_name, '.');
        if (end && (strcmp(end, ".svg") == 0 || strcmp(end, ".json") == 0) &&
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name) < (int)sizeof file)
            unlink(file);
    }
    if (d)
        closedir(d);
}

static int is_picture_of(const char *file, const char *kind)
{
    char end[80];
    snprintf(end, sizeof end, ".%s.svg", kind);
    return strstr(file, end) != NULL;
}

static bool has_picture(const char *path, const char *kind)
{
    bool found = false;
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d));)
        found = found || is_picture_of(entry->d_name, kind);
    if (d)
        closedir(d);
    return found;
}

/* Kinds of plots that the lab shows and the run has not drawn by itself. Without gnuplot there are
 * none. */
static void draw(const struct sp_lab_folder *folder, const json_t *run, const char *log_path)
{
    char path[1100], file[1300], record[1200];
    size_t i;
    json_t *kind;
    sp_lab_pictures_path(folder, sp_lab_text(run, "id"), path, sizeof path);
    sp_lab_record_path(folder, sp_lab_text(run, "id"), record, sizeof record);
    json_array_foreach(json_object_get(run, "show"), i, kind)
    {
        const char *name = json_string_value(kind);
        if (!name || has_picture(path, name))
            continue;
        snprintf(file, sizeof file, "%s/%s.%s.svg", path, sp_lab_text(run, "id"), name);
        char *word[] = {"spmodel", "plot", record, "--kind", (char *)name, "-q", "-o", file, NULL};
        const struct sp_own_process what = {.word = word, .out = log_path, .said = log_path};
        pid_t child;
        if (sp_own_process_start(&what, &child, NULL) == SP_OK)
            sp_own_process_wait(child);
    }
}

static enum sp_status run_one(struct sp_lab_folder *folder, const json_t *run, const char *machine,
                              struct sp_error *err)
{
    char text_path[1200], log_path[1200], record[1200], typed[1200], start[32];
    struct sp_lab_command command;
    const char *id = sp_lab_text(run, "id");
    enum sp_status status = sp_lab_command_make(folder, run, machine, &command, err);
    if (status != SP_OK)
        return status;
    snprintf(text_path, sizeof text_path, "%s/records/%s.txt", folder->path, id);
    snprintf(log_path, sizeof log_path, "%s/records/%s.log", folder->path, id);
    sp_print(stdout, "%-10s %s\n", id, sp_lab_command_text(&command, typed, sizeof typed));
    sp_lab_now(start);
    sp_lab_record_path(folder, id, record, sizeof record);
    json_t *runs = json_object_get(folder->state, "runs"), *earlier = json_incref(json_object_get(runs, id));
    set_aside(record);
    set_aside(text_path); /* a pipe of that name would be waited for */
    unlink(log_path);
    clear_pictures(folder, id);
    status = sp_lab_note_run(folder, id, start, NULL, err); /* what it prints may tell, even if it fails */
    struct sp_lab_end end = {0};
    bool built = true;
    if (status == SP_OK && *sp_lab_text(run, "code"))
        status = build(folder, run, start, log_path, &end, &built, err);
    const bool ran = status == SP_OK && built;
    const int code = ran ? run_patiently(&command, text_path, log_path) : 0;
    sp_lab_command_free(&command);
    if (ran && code == 0)
        draw(folder, run, log_path);
    if (ran)
        status = code == 0 ? sp_lab_note_run(folder, id, start, &end, err)
                           : give_up(folder, run, start, code, log_path, &end, err);
    const bool is_replaced = ran && code == 0;
    /* A failure of the student's code, and what is not here, is how the run ended. */
    const json_t *now = json_object_get(runs, id);
    const bool has_ended = is_replaced || json_object_get(now, "failed") || json_object_get(now, "skipped");
    settle_earlier(record, has_ended);
    settle_earlier(text_path, has_ended);
    if (!has_ended && earlier && access(record, F_OK) == 0) { /* it is what that run was noted with */
        json_object_set(runs, id, earlier);
        draw(folder, run, log_path);
        const enum sp_status saved = sp_lab_folder_save(folder, err);
        status = status == SP_OK ? saved : status;
    }
    json_decref(earlier);
    return status;
}

/* One run that fails does not keep the others from being made; the worst exit code. */
static int run_all(struct sp_lab_folder *folder, const struct arguments *a)
{
    struct sp_error err;
    size_t i;
    json_t *run;
    int code = 0;
    json_array_foreach(json_object_get(folder->lab.root, "runs"), i, run)
    {
        if ((a->only && strcmp(a->only, sp_lab_text(run, "id")) != 0) || code == sp_exit_code(SP_INTERRUPTED))
            continue;
        if (run_one(folder, run, a->machine, &err) != SP_OK)
            code = sp_worse_exit(code, sp_report_error(&err));
    }
    sp_print(stdout, "reports  %s/records/*.txt\nnext     spmodel lab check %d", folder->path,
             folder->lab.number);
    sp_lab_print_dir(&a->lab);
    putchar('\n');
    return code;
}

/* Before predictions are bound: a wrong word closes none. */
static enum sp_status check_only(const struct sp_lab_folder *folder, const char *only, struct sp_error *err)
{
    return !only || sp_lab_item(json_object_get(folder->lab.root, "runs"), only)
               ? SP_OK
               : sp_fail(err, SP_USAGE, "the sheet names the runs", "the lab has no run '%s'", only);
}

/* The sheet has other numbers from now on, which is told. */
static enum sp_status make_small(struct sp_lab_folder *folder, struct sp_error *err)
{
    if (folder->the_case.small)
        return SP_OK;
    enum sp_status status = sp_lab_folder_make_small(folder, err);
    if (status == SP_OK)
        sp_print(stdout, "small    %s/sheet.md has the numbers of small matrices now\n", folder->path);
    return status;
}

static int run(int argc, char **argv)
{
    struct arguments a = {0};
    struct sp_lab_folder folder;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (sp_lab_open_folder(&a.lab, &folder, &err) != SP_OK)
        return sp_report_error(&err);
    enum sp_status status = check_only(&folder, a.only, &err);
    if (status == SP_OK && a.small)
        status = make_small(&folder, &err);
    if (status == SP_OK && !a.unpredicted && !sp_lab_has_run(&folder))
        status = check_predicted(&folder, &err);
    if (status == SP_OK)
        status = sp_lab_bind(&folder, &err);
    const int code = status == SP_OK ? run_all(&folder, &a) : sp_report_error(&err);
    sp_lab_folder_close(&folder);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel lab run 1", "its commands; exit code 2 while a question has no prediction", "0 2 5"},
    {0},
};

const struct sp_verb sp_lab_verb_run = {
    .name = "run",
    .arguments = "N [--small]",
    .summary = "run its commands; predictions are closed",
    .run = run,
    .page = {&argp, examples, "5 6", "lab-predict lab-check"},
};

/* spmodel lab check and report: predictions and results judged. */

static error_t check_parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) {
        sp_lab_pass(state, state->input);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

static const struct argp_child check_children[] = {
    {&sp_lab_argp, 0, NULL, 0}, {&sp_common_json_argp, 0, "Common options:", 90}, {0}};
static const struct argp check_argp = {
    NULL, check_parse, .args_doc = "N",
    .doc = "Judges predictions and runs: pass, fail, undecided (noise), skipped (no GPU, no counters). No "
           "check knows a time in seconds. Exit code 1: something failed; 5: something is undecided.",
    .children = check_children};
static const struct argp report_argp = {
    NULL, check_parse, .args_doc = "N",
    .doc = "Writes report.md into the lab's folder: predictions beside results, pictures, and why. What was "
           "written below \"In your own words\" stays.",
    .children = sp_lab_children};

static void print_verdict(const struct sp_lab_verdict *v)
{
    char got[100], wanted[160];
    sp_lab_with_unit(v, v->got, got, sizeof got);
    sp_lab_with_unit(v, v->wanted, wanted, sizeof wanted);
    sp_print(stdout, "  %-10s %-18s %s\n", sp_lab_state_name(v->state), v->id, v->text);
    if (*got || *wanted)
        sp_print(stdout, "             %s%s%s%s%s\n", v->is_prediction ? "predicted " : "",
                 *got ? got : "nothing", *wanted ? (v->is_prediction ? "; found " : ", should be ") : "",
                 wanted, v->within);
    if (*v->reason)
        sp_print(stdout, "             %s\n", v->reason);
}

/* A check of what was run that is undecided. */
static bool is_worth_repeating(const struct sp_lab_folder *folder, const struct sp_lab_verdicts *verdicts)
{
    for (int i = 0; i < verdicts->n; i++)
        if (!verdicts->verdict[i].is_prediction && verdicts->verdict[i].state == SP_LAB_UNDECIDED)
            return sp_lab_has_run(folder);
    return false;
}

static void print_verdicts(const struct sp_lab_options *o, const struct sp_lab_folder *folder,
                           const struct sp_lab_verdicts *verdicts)
{
    sp_print(stdout, "LAB %d    %s\nPREDICTIONS\n", folder->lab.number, folder->lab.title);
    for (int i = 0; i < verdicts->n; i++) {
        if (i > 0 && verdicts->verdict[i - 1].is_prediction && !verdicts->verdict[i].is_prediction)
            puts("CHECKS");
        print_verdict(&verdicts->verdict[i]);
    }
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        sp_print(stdout, "%s%d %s", i ? " · " : "", verdicts->n_state[i],
                 sp_lab_state_name((enum sp_lab_state)i));
    const struct sp_lab_points p = sp_lab_points_of(verdicts);
    sp_print(stdout, " · %g of %g points\n", p.earned, p.of);
    if (!is_worth_repeating(folder, verdicts))
        return;
    sp_print(stdout, "again    spmodel lab run %d", folder->lab.number);
    sp_lab_print_dir(o);
    sp_print(stdout, " --only RUN   repeats what left a check undecided, best on a quiet machine\n");
}

static json_t *verdicts_json(const struct sp_lab_folder *folder, const struct sp_lab_verdicts *verdicts)
{
    json_t *list = json_array();
    for (int i = 0; i < verdicts->n; i++) {
        const struct sp_lab_verdict *v = &verdicts->verdict[i];
        char wanted[sizeof v->wanted + sizeof v->within];
        snprintf(wanted, sizeof wanted, "%s%s", v->wanted, v->within);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "kind",
                                              v->is_prediction ? "prediction" : "check", "id", v->id,
                                              "verdict", sp_lab_state_name(v->state), "got", v->got, "wanted",
                                              wanted, "unit", v->unit, "reason", v->reason));
        json_object_set_new(json_array_get(list, json_array_size(list) - 1), "points", json_real(v->points));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "schema", SP_LAB_SCHEMA, "lab", folder->lab.id, "student",
                     folder->the_case.student, "verdicts", list);
}

static int write_json(const struct sp_lab_folder *folder, const struct sp_lab_verdicts *verdicts,
                      const char *name, int code)
{
    struct sp_sink sink;
    struct sp_error err;
    if (sp_sink_open(name, &sink, &err) != SP_OK)
        return sp_report_error(&err);
    json_t *json = verdicts_json(folder, verdicts);
    json_dumpf(json, sink.stream, JSON_INDENT(1));
    fputc('\n', sink.stream);
    json_decref(json);
    return sp_sink_close(&sink, code);
}

/* Opens folder and results and judges them; on failure nothing is open. */
static enum sp_status judge(const struct sp_lab_options *o, struct sp_lab_folder *folder,
                            struct sp_lab_results *results, struct sp_lab_verdicts *verdicts,
                            struct sp_error *err)
{
    enum sp_status status = sp_lab_open_folder(o, folder, err);
    if (status != SP_OK)
        return status;
    status = sp_lab_results_read(folder, results, err);
    if (status == SP_OK)
        status = sp_lab_judge(results, verdicts, err);
    if (status != SP_OK) {
        sp_lab_results_free(results);
        sp_lab_folder_close(folder);
    }
    return status;
}

static int run_check(int argc, char **argv)
{
    struct sp_lab_options o = {0};
    struct sp_lab_folder folder;
    struct sp_lab_results results;
    struct sp_lab_verdicts verdicts;
    struct sp_error err;
    sp_parse(&check_argp, argc, argv, &o);
    if (judge(&o, &folder, &results, &verdicts, &err) != SP_OK)
        return sp_report_error(&err);
    int code = sp_exit_code(sp_lab_summary(&verdicts));
    if (o.common.json)
        code = write_json(&folder, &verdicts, o.common.json, code);
    if (!sp_sink_is_stdout(o.common.json))
        print_verdicts(&o, &folder, &verdicts);
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
    return code;
}

static int run_report(int argc, char **argv)
{
    struct sp_lab_options o = {0};
    struct sp_lab_folder folder;
    struct sp_lab_results results;
    struct sp_lab_verdicts verdicts;
    struct sp_error err;
    struct sp_lab_kept kept;
    sp_parse(&report_argp, argc, argv, &o);
    if (judge(&o, &folder, &results, &verdicts, &err) != SP_OK)
        return sp_report_error(&err);
    enum sp_status status = sp_lab_report(&folder, &results, &verdicts, &kept, &err);
    if (status == SP_OK && *kept.path)
        sp_print(stdout, "kept     %s: %s\n", kept.path,
                 kept.no_answers
                     ? "all of it, for it has neither the heading 'In your own words' nor the lab's "
                       "questions: copy your answers from it"
                     : "as it was, for it was changed above your answers, which stay");
    if (status == SP_OK)
        sp_print(stdout, "report   %s/report.md\n", folder.path);
    sp_lab_results_free(&results);
    sp_lab_folder_close(&folder);
    return status == SP_OK ? 0 : sp_report_error(&err);
}

static const struct sp_example check_examples[] = {
    {"spmodel lab check 1", "what was predicted rightly, and what the runs show", "0 1 5"},
    {0},
};

const struct sp_verb sp_lab_verb_check = {
    .name = "check",
    .arguments = "N",
    .summary = "judge predictions and runs",
    .run = run_check,
    .page = {&check_argp, check_examples, "1 5", "lab-run lab-report"},
};
static const struct sp_example report_examples[] = {
    {"spmodel lab report 1", "lab-1/report.md: predictions beside results, and why", NULL},
    {0},
};

const struct sp_verb sp_lab_verb_report = {
    .name = "report",
    .arguments = "N",
    .summary = "a Markdown report with explanations",
    .run = run_report,
    .page = {&report_argp, report_examples, NULL, "lab-check"},
};
