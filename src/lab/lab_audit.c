#include "lab/lab_audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/reading.h"
#include "lab/lab_check.h"
#include "lab/lab_folder.h"
#include "model/volume/traffic.h"
#include "session/analyze/analyze.h"
#include "session/analyze/setup.h"

const char *sp_lab_flag_name(enum sp_lab_flag_code code)
{
    static const char *const names[SP_N_LAB_FLAGS] = {
        [SP_FLAG_LAB] = "lab",           [SP_FLAG_SKIPPED] = "skipped", [SP_FLAG_MATRIX] = "matrix",
        [SP_FLAG_COMMAND] = "command",   [SP_FLAG_EDITED] = "edited",   [SP_FLAG_ARITHMETIC] = "arithmetic",
        [SP_FLAG_BYTES] = "bytes",       [SP_FLAG_ORDER] = "order",     [SP_FLAG_MACHINES] = "machines",
        [SP_FLAG_REPEATED] = "repeated", [SP_FLAG_SECOND] = "second",   [SP_FLAG_FOLDER] = "folder",
        [SP_FLAG_PEEKED] = "peeked",
    };
    return names[code];
}

void sp_lab_audit_add(struct sp_lab_audit *audit, const char *run, enum sp_lab_flag_code code,
                      const char *format, ...)
{
    va_list list;
    if (audit->n++ >= SP_LAB_MOST_FLAGS)
        return;
    struct sp_lab_flag *f = &audit->flag[audit->n - 1];
    snprintf(f->run, sizeof f->run, "%s", run);
    f->code = sp_lab_flag_name(code);
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

void sp_lab_audit_join_matrices(struct sp_lab_audit *audit)
{
    char runs[120] = "", example[sizeof audit->flag[0].text];
    struct sp_lab_flag *first = NULL;
    int n = 0, n_kept = 0;
    if (audit->n > SP_LAB_MOST_FLAGS) /* some are not known any more */
        return;
    for (int i = 0; i < audit->n; i++) {
        const struct sp_lab_flag *f = &audit->flag[i];
        if (strcmp(f->code, sp_lab_flag_name(SP_FLAG_MATRIX)) == 0) {
            const size_t used = strlen(runs);
            snprintf(runs + used, sizeof runs - used, "%s%s", n > 0 ? ", " : "", f->run);
            if (n++ > 0)
                continue;
            first = &audit->flag[n_kept];
        }
        audit->flag[n_kept++] = *f;
    }
    audit->n = n_kept;
    if (n < 2)
        return;
    strcpy(example, first->text);
    snprintf(first->text, sizeof first->text, "%d records are of other matrices: %s; for example %s: %.110s",
             n, runs, first->run, example);
    *first->run = '\0';
}

/* Other sizes and questions make other flags: this one stands before them. */
static void audit_version(const struct sp_lab_folder *folder, struct sp_lab_audit *audit)
{
    char path[1100], hex[65];
    const char *noted = sp_lab_text(folder->state, "lab_sha256");
    snprintf(path, sizeof path, "%s/lab.json", folder->lab.folder);
    if (sp_lab_file_digest(path, hex) && strcmp(hex, noted) != 0)
        sp_lab_audit_add(audit, "", SP_FLAG_LAB,
                         "the lab has changed since it was begun: grade with the version that was used");
}

/* Is the file still the one that `lab run` wrote? */
static void audit_digest(const struct sp_lab_folder *folder, const char *run, struct sp_lab_audit *audit)
{
    char path[1200], hex[65];
    const json_t *noted = json_object_get(json_object_get(folder->state, "runs"), run);
    sp_lab_record_path(folder, run, path, sizeof path);
    if (!noted)
        sp_lab_audit_add(audit, run, SP_FLAG_EDITED, "state.json knows of no such run");
    else if (sp_lab_file_digest(path, hex) && strcmp(hex, sp_lab_text(noted, "sha256")) != 0)
        sp_lab_audit_add(audit, run, SP_FLAG_EDITED, "the file is not the one that lab run wrote");
}

/* What `lab run` wrote and is gone would leave its checks undecided. */
static void audit_missing(const struct sp_lab_folder *folder, const char *run, struct sp_lab_audit *audit)
{
    if (*sp_lab_text(json_object_get(json_object_get(folder->state, "runs"), run), "sha256"))
        sp_lab_audit_add(audit, run, SP_FLAG_EDITED, "lab run wrote its record, and it is not there");
}

/* Is the student's code the one that was run? */
static void audit_code(const struct sp_lab_folder *folder, const char *run, struct sp_lab_audit *audit)
{
    char path[1200], hex[65];
    const json_t *item = sp_lab_item(json_object_get(folder->lab.root, "runs"), run),
                 *noted = json_object_get(json_object_get(folder->state, "runs"), run);
    const char *code = sp_lab_text(item, "code"), *was = sp_lab_text(noted, "code_sha256");
    snprintf(path, sizeof path, "%s/%s", folder->path, code);
    if (*code && noted && (!sp_lab_file_digest(path, hex) || strcmp(hex, was) != 0))
        sp_lab_audit_add(audit, run, SP_FLAG_EDITED, "%.60s is not the code that was run", code);
}

/* Predictions between the start and the first result; `first` may be NULL: there is none. */
static void audit_predictions(const struct sp_lab_folder *folder, const char *begun, const char *first,
                              struct sp_lab_audit *audit)
{
    const json_t *after = NULL, *before = NULL;
    size_t i;
    json_t *p;
    int n = 0;
    json_array_foreach(folder->predictions, i, p)
    {
        const char *time = sp_lab_text(p, "time");
        if (json_is_true(json_object_get(p, "late")))
            continue;
        if (strcmp(time, begun) < 0)
            before = p;
        else if (first && strcmp(time, first) > 0) {
            after = p;
            n++;
        }
    }
    if (after)
        sp_lab_audit_add(audit, "", SP_FLAG_ORDER,
                         "predicted after the run of %s: %d, for example '%.60s' at %.40s", first, n,
                         sp_lab_text(after, "question"), sp_lab_text(after, "time"));
    if (before)
        sp_lab_audit_add(audit, "", SP_FLAG_ORDER,
                         "'%.60s' was predicted at '%.40s', before the lab was begun at %.40s",
                         sp_lab_text(before, "question"), sp_lab_text(before, "time"), begun);
}

/* Predictions before results, results after the start. ISO 8601 in UTC compares as text. */
static void audit_order(const struct sp_lab_results *results, struct sp_lab_audit *audit)
{
    const struct sp_lab_folder *folder = results->folder;
    const char *first = NULL, *begun = sp_lab_text(folder->state, "started");
    if (!*begun)
        sp_lab_audit_add(audit, "", SP_FLAG_ORDER, "state.json does not say when the lab was begun");
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        const char *start = json_string_value(sp_lab_field(r->root, SP_F_TIME_START));
        if (!start)
            continue;
        if (strcmp(start, begun) < 0)
            sp_lab_audit_add(audit, r->run, SP_FLAG_ORDER, "it was run at %s, before the lab was begun at %s",
                             start, begun);
        if (!first || strcmp(start, first) < 0)
            first = start;
    }
    audit_predictions(folder, begun, first, audit);
}

/* Are the predictions those that were bound when the first run began, and were there any? */
static void audit_bound(const struct sp_lab_folder *folder, struct sp_lab_audit *audit)
{
    const char *first = NULL;
    int n = 0, n_late;
    size_t i;
    json_t *question;
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, question)
    {
        const char *id = sp_lab_text(question, "id");
        if (!sp_lab_bound_of(folder, id).changed)
            continue;
        first = first ? first : id;
        n++;
    }
    if (folder->fault[0])
        sp_lab_audit_add(audit, "", SP_FLAG_EDITED, "%s", folder->fault);
    else if (n > 0)
        sp_lab_audit_add(audit, "", SP_FLAG_EDITED,
                         "predictions.json is not what lab run has bound: %d changed, for example '%.60s'", n,
                         first);
    else if (sp_lab_has_run(folder) && !sp_lab_is_bound(folder))
        sp_lab_audit_add(audit, "", SP_FLAG_EDITED,
                         "state.json does not say which predictions lab run has bound");
    else if (!sp_lab_is_as_bound(folder))
        sp_lab_audit_add(audit, "", SP_FLAG_EDITED,
                         "predictions.json is not what lab run has bound: it has another digest");
    const int n_given_up = sp_lab_n_given_up(folder, &n_late);
    if (n_given_up > 0)
        sp_lab_audit_add(audit, "", SP_FLAG_PEEKED,
                         "%d questions were given up before the first run, %d of them predicted after it",
                         n_given_up, n_late);
}

static void audit_machines(const struct sp_lab_results *results, struct sp_lab_audit *audit)
{
    const char *key = NULL;
    for (int i = 0; i < results->n; i++) {
        const char *here = json_string_value(sp_lab_field(results->result[i].root, SP_F_ENV_KEY));
        if (here && key && strcmp(here, key) != 0) {
            sp_lab_audit_add(audit, results->result[i].run, SP_FLAG_MACHINES,
                             "it was run on another machine than the runs before it");
            return;
        }
        key = here ? here : key;
    }
}

enum sp_status sp_lab_audit_folder(const struct sp_lab_results *results, struct sp_lab_audit *audit,
                                   struct sp_error *err)
{
    enum sp_status status = SP_OK;
    audit_version(results->folder, audit);
    for (int i = 0; i < results->n && status == SP_OK; i++) {
        const struct sp_lab_result *r = &results->result[i];
        if (r->claimed)
            sp_lab_audit_add(audit, r->run, SP_FLAG_SKIPPED,
                             "it needs nothing that may be absent, but is noted as skipped: %.200s",
                             r->claimed);
        if (r->fault[0])
            sp_lab_audit_add(audit, r->run, SP_FLAG_EDITED, "%s", r->fault);
        else if (!r->root && !r->skipped)
            audit_missing(results->folder, r->run, audit);
        audit_code(results->folder, r->run, audit);
        if (!r->root)
            continue;
        audit_digest(results->folder, r->run, audit);
        status = sp_lab_audit_identity(results->folder, r->run, r->root, audit, err);
        sp_lab_audit_arithmetic(r->run, r->root, audit);
    }
    audit_order(results, audit);
    audit_bound(results->folder, audit);
    audit_machines(results, audit);
    return status;
}

/* Numbers of a record that follow from others of it. */

static double number(const json_t *node, const char *path)
{
    return sp_lab_number(node, path, NAN);
}

static double number_in(const json_t *record, enum sp_record_field field)
{
    return number(record, sp_field_path(field));
}

static double value_in(const json_t *record, enum sp_record_field field)
{
    return number(sp_lab_field(record, field), "value");
}

/* Where one of the two is not known there is nothing to compare. */
static void expect(const char *run, const char *what, double a, double b, double tolerance,
                   struct sp_lab_audit *audit)
{
    if (!isnan(a) && !isnan(b) && fabs(a - b) > tolerance * fmax(fabs(a), fabs(b)))
        sp_lab_audit_add(audit, run, SP_FLAG_ARITHMETIC, "%s: %.6g is not %.6g", what, a, b);
}

static double sum(const json_t *record, const enum sp_record_field *field, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += number_in(record, field[i]);
    return s;
}

/* What all arrays of a level have read or written. */
static double of_arrays(const json_t *level, const char *key)
{
    const char *name;
    json_t *array;
    double s = 0;
    const json_t *arrays = json_object_get(level, "arrays");
    if (json_object_size(arrays) == 0)
        return NAN;
    json_object_foreach((json_t *)arrays, name, array)
    {
        s += json_number_value(json_object_get(array, key));
    }
    return s;
}

static double flops(const json_t *record)
{
    const char *op = json_string_value(sp_lab_field(record, SP_F_CONFIG_OP));
    const double nnz = number_in(record, SP_F_PROBLEM_NNZ), rhs = number_in(record, SP_F_CONFIG_RHS),
                 inner = number_in(record, SP_F_CONFIG_INNER);
    if (!op || strcmp(sp_lab_text(sp_lab_field(record, SP_F_CONFIG), "precision"), "c128") == 0)
        return NAN;
    return strcmp(op, "spmv") == 0      ? 2 * nnz
           : strcmp(op, "spmmv") == 0   ? 2 * rhs * nnz
           : strcmp(op, "spmm") == 0    ? 2 * inner * nnz
           : strcmp(op, "sddmm") == 0   ? (2 * inner + 1) * nnz
           : strcmp(op, "fusedmm") == 0 ? 4 * inner * nnz
                                        : NAN;
}

/* Median of the samples of the only run; NAN where there are several. */
static double median_of_samples(const json_t *record)
{
    const json_t *list = sp_lab_node(sp_lab_field(record, SP_F_RUNS), "0.time_s");
    const size_t n = json_array_size(list);
    double *sample = n > 0 ? malloc(n * sizeof *sample) : NULL, median = NAN;
    for (size_t i = 0; sample && i < n; i++)
        sample[i] = json_number_value(json_array_get(list, i));
    if (sample && json_array_size(json_object_get(record, "runs")) == 1)
        median = sp_median(sample, (int64_t)n);
    free(sample);
    return median;
}

static void audit_model(const char *run, const json_t *root, struct sp_lab_audit *audit)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(root, "predictions"), i, row)
    {
        const char *name;
        json_t *array;
        double s = 0;
        if (strcmp(sp_lab_text(row, "kind"), "gpu") == 0)
            continue;
        json_object_foreach(json_object_get(row, "array_B"), name, array)
        {
            s += json_number_value(array);
        }
        expect(run, "the arrays' bytes and the volume", s, number(row, "bytes.value"), 1e-6, audit);
    }
}

void sp_lab_audit_arithmetic(const char *run, const json_t *record, struct sp_lab_audit *audit)
{
    static const enum sp_record_field losses[] = {SP_F_LOSSES_MIN_TRAFFIC, SP_F_LOSSES_PADDING,
                                                  SP_F_LOSSES_EXTRA_X,     SP_F_LOSSES_IMBALANCE,
                                                  SP_F_LOSSES_IN_CORE,     SP_F_LOSSES_REST};
    audit_model(run, record,
                audit); /* a record has no predictions, a model no metrics; who adds some has both */
    const double t = value_in(record, SP_F_METRICS_TIME), W = value_in(record, SP_F_METRICS_FLOPS),
                 V = value_in(record, SP_F_METRICS_BYTES);
    size_t i;
    json_t *level;
    expect(run, "the operations and those of the matrix", W, flops(record), 1e-9, audit);
    expect(run, "time x performance and the operations", t * value_in(record, SP_F_METRICS_PERFORMANCE), W,
           1e-6, audit);
    expect(run, "balance x operations and the bytes", value_in(record, SP_F_METRICS_BALANCE) * W, V, 1e-6,
           audit);
    expect(run, "time x bandwidth and the bytes", t * value_in(record, SP_F_METRICS_BANDWIDTH), V, 1e-6,
           audit);
    expect(run, "the sum of the losses and the time", sum(record, losses, 6), t, 1e-6, audit);
    expect(run, "the median of the samples and the time", median_of_samples(record), t, 1e-6, audit);
    json_array_foreach(json_object_get(record, "levels"), i, level)
    {
        expect(run, "what arrays read and the level's reads", of_arrays(level, "read_B"),
               number(level, "read_B"), 1e-6, audit);
        expect(run, "what arrays wrote and the level's writes", of_arrays(level, "write_B"),
               number(level, "write_B"), 1e-6, audit);
    }
}

/* Whose matrix a document is of, and by which command it was made. */

enum { MOST_WORDS = 200 };

/* A recorded command, cut at its blanks outside quotes. Records of older versions have no quotes
 * around paths with blanks: there they are several words. */
struct words {
    char text[4200];
    int n, at; /* the next one */
    char *word[MOST_WORDS];
};

/* Cuts off the next word, its quotes removed as a shell does it; NULL: there is none. */
static char *next_word(char **rest)
{
    char *from = *rest + strspn(*rest, " "), *word = from, *to = from;
    bool quoted = false;
    if (*from == '\0')
        return NULL;
    for (; *from && (quoted || *from != ' '); from++) {
        if (*from == '\'')
            quoted = !quoted;
        else if (!quoted && *from == '\\' && from[1])
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *rest = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* False: it has more words than any command of a lab. */
static bool cut(const char *command, struct words *w)
{
    char *rest = w->text, *word;
    w->n = w->at = 0;
    if (snprintf(w->text, sizeof w->text, "%s", command) >= (int)sizeof w->text)
        return false;
    while ((word = next_word(&rest)) != NULL) {
        if (w->n == MOST_WORDS)
            return false;
        w->word[w->n++] = word;
    }
    return true;
}

/* Words from a free option on that belong to it, 0: it is the lab's. Free is what says where
 * results go, how much is printed and how long to measure. */
static int free_words(char *const *word, int n, bool machine_too)
{
    const bool has_path = strcmp(word[0], SP_O_OUT) == 0 || strcmp(word[0], SP_O_HTML) == 0 ||
                          strncmp(word[0], SP_O_JSON "=", 7) == 0 ||
                          (machine_too && strcmp(word[0], SP_O_MACHINE) == 0);
    if (strcmp(word[0], SP_O_NO_PLOTS) == 0 || strcmp(word[0], SP_O_NO_HINTS) == 0 ||
        strcmp(word[0], "-v") == 0 || strcmp(word[0], "-q") == 0)
        return 1;
    if (strcmp(word[0], SP_O_BUDGET) == 0 || strcmp(word[0], SP_O_SAMPLES) == 0)
        return n > 1 ? 2 : 1;
    int used = has_path;
    while (has_path && used < n && strncmp(word[used], "--", 2) != 0)
        used++;
    return used;
}

static void skip_free(struct words *w, bool machine_too)
{
    int n = 1;
    while (w->at < w->n && (n = free_words(w->word + w->at, w->n - w->at, machine_too)) > 0)
        w->at += n;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Takes the next words if they are the wanted argument; the folder of labs may lie elsewhere. */
static bool take(struct words *w, const char *wanted, const char *labs_folder)
{
    const char *at = strstr(wanted, labs_folder), *library = strstr(wanted, "/records/");
    if (w->at == w->n)
        return false;
    if (library && ends_with(wanted, SP_LAB_KERNEL)) { /* the student's folder lies elsewhere now */
        while (w->at < w->n && !ends_with(w->word[w->at], SP_LAB_KERNEL))
            w->at++;
        return w->at < w->n && ends_with(w->word[w->at++], library);
    }
    if (!at)
        return strcmp(w->word[w->at++], wanted) == 0;
    if (strncmp(w->word[w->at], wanted, (size_t)(at - wanted)) != 0)
        return false;
    do {
        if (ends_with(w->word[w->at++], at + strlen(labs_folder)))
            return true;
    } while (w->at < w->n && strncmp(w->word[w->at], "--", 2) != 0);
    return false;
}

static bool names_machine(const struct sp_lab_command *command)
{
    for (int i = 0; i < command->n; i++)
        if (strcmp(command->argument[i], SP_O_MACHINE) == 0)
            return true;
    return false;
}

/* The lab's arguments in their order, nothing missing and nothing added. */
static bool same_command(const struct sp_lab_command *command, const char *recorded, const char *labs_folder)
{
    struct words w;
    const bool machine_too = !names_machine(command);
    if (!cut(recorded, &w) || w.n == 0)
        return false;
    w.at = 1;
    for (int i = 1; i < command->n; i++) {
        const int n = free_words(command->argument + i, command->n - i, machine_too);
        if (n > 0) {
            i += n - 1;
            continue;
        }
        skip_free(&w, machine_too);
        if (!take(&w, command->argument[i], labs_folder))
            return false;
    }
    skip_free(&w, machine_too);
    return w.at == w.n;
}

/* The matrix of a command: its first argument that names a generated one. */
static const char *matrix_of(const struct sp_lab_command *command)
{
    for (int i = 1; i < command->n; i++)
        if (strncmp(command->argument[i], "gen:", 4) == 0)
            return command->argument[i];
    return NULL;
}

static const char *sizes_of(const struct sp_lab_command *command)
{
    for (int i = 1; i + 1 < command->n; i++)
        if (strcmp(command->argument[i], SP_O_SIZES) == 0)
            return command->argument[i + 1];
    return NULL;
}

/* What a document says of its matrix, in the words of the command: a name, or sizes. */
static const char *said(const json_t *document, bool sizes, char *text, size_t size)
{
    const json_t *problem = json_object_get(document, "problem");
    const json_t *n_r = json_object_get(problem, "rows"), *n_c = json_object_get(problem, "cols"),
                 *n_nz = json_object_get(problem, "nnz");
    if (sizes && json_is_integer(n_r) && json_is_integer(n_c) && json_is_integer(n_nz)) {
        snprintf(text, size, "%lld,%lld,%lld", (long long)json_integer_value(n_r),
                 (long long)json_integer_value(n_c), (long long)json_integer_value(n_nz));
        return text;
    }
    const char *path = json_string_value(json_object_get(problem, "path"));
    snprintf(text, size, "%s", path ? path : sp_lab_text(problem, "name"));
    return *text ? text : "no matrix";
}

enum sp_status sp_lab_audit_identity(const struct sp_lab_folder *folder, const char *run,
                                     const json_t *document, struct sp_lab_audit *audit, struct sp_error *err)
{
    struct sp_lab_command command;
    char text[600];
    const json_t *item = sp_lab_item(json_object_get(folder->lab.root, "runs"), run);
    enum sp_status status = sp_lab_command_make(folder, item, NULL, &command, err);
    if (status != SP_OK)
        return status;
    const char *matrix = matrix_of(&command), *sizes = sizes_of(&command), *wanted = matrix ? matrix : sizes,
               *found = said(document, !matrix && sizes, text, sizeof text),
               *typed = sp_lab_text(document, "command");
    if (wanted && strcmp(wanted, found) != 0)
        sp_lab_audit_add(audit, run, SP_FLAG_MATRIX, "it is of %.100s; this student's is %.100s", found,
                         wanted);
    else if (!*typed)
        sp_lab_audit_add(audit, run, SP_FLAG_COMMAND, "it does not say which command made it");
    else if (!same_command(&command, typed, folder->lab.folder))
        sp_lab_audit_add(audit, run, SP_FLAG_COMMAND, "it was made by another command: %.200s", typed);
    sp_lab_command_free(&command);
    return SP_OK;
}

/* The bytes of a record simulated again, from what it says was run and on which caches. */

/* Arrays may begin elsewhere in a line, threads lie in other domains: so much may differ; and so
 * much where it is the student's code that stores a format, with pointers of its own. */
static const double same = 0.005, alike = 0.02;

static const char *text_of(const json_t *node, const char *path)
{
    return json_string_value(sp_lab_node(node, path));
}

static const char *text_in(const json_t *record, enum sp_record_field field)
{
    return json_string_value(sp_lab_field(record, field));
}

/* A document is the student's: believed within bounds that a simulation can have. */
struct reading {
    const char *run;
    struct sp_lab_audit *audit;
    bool bad; /* flagged */
};

static double bounded(struct reading *r, const json_t *node, const char *path, double otherwise, double least,
                      double most)
{
    const double x = sp_lab_number(node, path, otherwise);
    if (x >= least && x <= most)
        return x;
    if (!r->bad)
        sp_lab_audit_add(r->audit, r->run, SP_FLAG_BYTES, "%s is %g: nothing that could have been run", path,
                         x);
    r->bad = true;
    return least;
}

static int64_t count_of(struct reading *r, const json_t *node, const char *path, int64_t otherwise,
                        int64_t least, int64_t most)
{
    return (int64_t)bounded(r, node, path, (double)otherwise, (double)least, (double)most);
}

enum { MOST_CORES = 1 << 16, MOST_THREADS = 4096, MOST_LINE_B = 1 << 12, MOST_WIDTH = 1 << 14 };
static const int64_t most_cache_B = INT64_C(1) << 32;

static void read_cache(struct reading *r, const json_t *item, struct sp_cache *c)
{
    const char *policy = text_of(item, "policy");
    c->level = (int)count_of(r, item, "level", 0, 1, SP_MAX_CACHES);
    c->line_B = (int)count_of(r, item, "line_B", 0, 16, MOST_LINE_B);
    c->size_B = count_of(r, item, "size_B", 0, c->line_B, most_cache_B);
    c->sector_B = (int)count_of(r, item, "sector_B", 0, 0, c->line_B);
    c->ways = (int)count_of(r, item, "ways", 0, 0, 1 << 24);
    c->cores_sharing = (int)count_of(r, item, "cores_sharing", 1, 1, MOST_CORES);
    c->victim = json_is_true(json_object_get(item, "victim"));
    c->inclusive = json_is_true(json_object_get(item, "inclusive"));
    c->policy =
        policy && sp_policy_from_name(policy) >= 0 ? (enum sp_policy)sp_policy_from_name(policy) : SP_LRU;
    c->effective_B = sp_value_none("not measured");
    if (json_is_number(sp_lab_node(item, "effective_B.value")))
        c->effective_B = sp_value_of(
            bounded(r, item, "effective_B.value", 0, c->line_B, (double)most_cache_B), SP_MEASURED);
    if (!r->bad && (c->line_B & (c->line_B - 1) || (c->sector_B > 0 && c->line_B % c->sector_B != 0)))
        count_of(r, item, "line_B", 0, 1, 0); /* no cache has such lines */
}

static void read_caches(struct reading *r, const json_t *record, struct sp_machine *m)
{
    size_t i;
    json_t *item;
    const json_t *list = sp_lab_field(record, SP_F_MACHINE_CACHES);
    memset(m, 0, sizeof *m);
    m->n_cores = (int)count_of(r, record, sp_field_path(SP_F_MACHINE_N_CORES), 1, 1, MOST_CORES);
    m->n_domains = (int)count_of(r, record, sp_field_path(SP_F_MACHINE_N_DOMAINS), 1, 1, m->n_cores);
    if (json_array_size(list) < 1 || json_array_size(list) > SP_MAX_CACHES) {
        sp_lab_audit_add(r->audit, r->run, SP_FLAG_BYTES, "it describes no caches to simulate");
        r->bad = true;
        return;
    }
    json_array_foreach((json_t *)list, i, item)
    {
        read_cache(r, item, &m->cache[m->n_caches++]);
    }
}

/* Was it run on a CPU from given addresses, so that it can be simulated? */
static bool can_simulate(const json_t *record)
{
    const char *device = text_in(record, SP_F_CONFIG_DEVICE),
               *levels = text_of(sp_lab_field(record, SP_F_LEVELS), "name=MEM.origin");
    return device && strcmp(device, "cpu") == 0 && levels && strcmp(levels, "simulated") == 0 &&
           text_in(record, SP_F_CONFIG_FORMAT_OPTION) && text_in(record, SP_F_CONFIG_SCHEDULE);
}

static struct sp_analyze_options read_options(struct reading *r, const json_t *record)
{
    const char *op = text_in(record, SP_F_CONFIG_OP), *precision = text_in(record, SP_F_CONFIG_PRECISION),
               *index = text_in(record, SP_F_CONFIG_INDEX), *order = text_in(record, SP_F_CONFIG_ORDER);
    struct sp_analyze_options o = {
        .format = text_in(record, SP_F_CONFIG_FORMAT_OPTION),
        .schedule = text_in(record, SP_F_CONFIG_SCHEDULE),
        .precision = precision ? sp_precision_from_name(precision) : -1,
        .row_ptr_B = (int)count_of(r, record, sp_field_path(SP_F_REQUEST_ROW_PTR), 0, 0, 8),
        .prefetch = (int32_t)count_of(r, record, sp_field_path(SP_F_CONFIG_PREFETCH), 0, 0, MOST_WIDTH),
        .n_threads = (int)count_of(r, record, sp_field_path(SP_F_CONFIG_THREADS), 1, 1, MOST_THREADS)};
    o.op = op && sp_op_from_name(op) >= 0 ? (enum sp_op)sp_op_from_name(op) : SP_OP_SPMV;
    o.index = index && sp_index_from_name(index) >= 0 ? (enum sp_index)sp_index_from_name(index) : SP_I32;
    o.order = order && strcmp(order, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    const int64_t rhs = count_of(r, record, sp_field_path(SP_F_CONFIG_RHS), 1, 1, MOST_WIDTH);
    o.r = (int32_t)count_of(r, record, sp_field_path(SP_F_CONFIG_INNER), rhs, 1, MOST_WIDTH);
    return o;
}

static bool go_on(void *context, double share)
{
    const struct sp_progress *progress = context;
    sp_progress_step(progress, "simulating again", share);
    return sp_progress_interrupted(progress);
}

/* What the record says of the simulation itself. */
struct wanted {
    struct sp_machine machine;
    struct sp_analyze_options options;
    int64_t llc_B;
    uint64_t seed;
    double skew;
    const char *as; /* the format that the student's code is of; "": it is the program's own */
};

/* What all caches together hold is what the simulation needs memory for. */
static bool is_too_much(const struct wanted *w)
{
    static const double most_B = 64.0 * (1 << 30);
    const struct sp_machine *m = &w->machine;
    double total_B = (double)m->n_domains * fmax((double)m->cache[m->n_caches - 1].size_B, (double)w->llc_B);
    for (int i = 0; i + 1 < m->n_caches; i++)
        total_B += (double)w->options.n_threads * (double)m->cache[i].size_B;
    return total_B > most_B;
}

/* False: flagged, and not to be simulated. */
static bool read_wanted(const char *run, const json_t *record, const char *as, struct sp_lab_audit *audit,
                        struct wanted *w)
{
    struct reading r = {run, audit, false};
    memset(w, 0, sizeof *w);
    read_caches(&r, record, &w->machine);
    w->options = read_options(&r, record);
    w->as = as;
    if (*as)
        w->options.format = as;
    w->llc_B = count_of(&r, record, sp_field_path(SP_F_REQUEST_LLC), 0, 0, most_cache_B);
    w->seed = (uint64_t)count_of(&r, record, sp_field_path(SP_F_CONFIG_SEED), 1, 0, INT64_C(1) << 53);
    w->skew = bounded(&r, record, sp_field_path(SP_F_REQUEST_SKEW), 0, 0, 1);
    if (!r.bad && is_too_much(w)) {
        sp_lab_audit_add(audit, run, SP_FLAG_BYTES, "its %d threads have more cache than any machine",
                         w->options.n_threads);
        r.bad = true;
    }
    return !r.bad;
}

static struct sp_sim_options sim_options(const json_t *record, const struct wanted *want,
                                         const struct sp_setup *s, const struct sp_progress *progress)
{
    const char *state = text_in(record, SP_F_CONFIG_CACHE), *policy = text_in(record, SP_F_REQUEST_POLICY);
    struct sp_sim_options o = sp_sim_default(&want->machine);
    o.llc_B = want->llc_B;
    o.policy = policy ? sp_policy_from_name(policy) : -1;
    o.n_domain = s->n_domains;
    o.domain_of_thread = s->domain_of_thread;
    o.state = state && strcmp(state, "cold") == 0 ? SP_SIM_COLD : SP_SIM_WARM;
    o.skew = want->skew;
    o.store_nt = json_is_true(sp_lab_field(record, SP_F_CONFIG_STORE_NT));
    o.seed = want->seed;
    o.progress = go_on;
    o.context = (void *)progress;
    return o;
}

static void compare(const char *run, const json_t *record, const struct sp_traffic *memory, double tolerance,
                    struct sp_lab_audit *audit)
{
    const json_t *levels = sp_lab_field(record, SP_F_LEVELS);
    const double again = memory->read_B.value + memory->write_B.value,
                 said = sp_lab_number(levels, "name=MEM.read_B", 0) +
                        sp_lab_number(levels, "name=MEM.write_B", 0);
    audit->n_simulated++;
    if (fabs(again - said) > tolerance * fmax(again, said))
        sp_lab_audit_add(audit, run, SP_FLAG_BYTES,
                         "simulated again %.6g bytes cross the memory interface, not %.6g", again, said);
}

static enum sp_status simulate(const char *run, const json_t *record, const char *as,
                               const struct sp_subject *subject, const struct sp_progress *progress,
                               struct sp_lab_audit *audit, struct sp_error *err)
{
    struct wanted want;
    struct sp_workload workload;
    struct sp_setup setup = {0};
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels = 0;
    if (!read_wanted(run, record, as, audit, &want))
        return SP_OK;
    enum sp_status status = sp_analyze_workload(&subject->matrix, &want.options, &workload, err);
    const struct sp_setup_options options = {
        .layout_only = true,
        .store_nt = json_is_true(sp_lab_field(record, SP_F_CONFIG_STORE_NT)) ? SP_CHOICE_ON : SP_CHOICE_OFF,
        .machine = &want.machine};
    if (status == SP_OK)
        status = sp_setup_make(&workload, &options, progress, &setup, err);
    if (status == SP_OK) {
        const struct sp_sim_options o = sim_options(record, &want, &setup, progress);
        status = sp_sim_traffic(&setup.layout, &o, traffic, &n_levels, NULL, err);
    }
    sp_setup_free(&setup);
    if (status == SP_OK)
        compare(run, record, &traffic[n_levels - 1], *as ? alike : same, audit);
    return status;
}

static bool is_flagged(const struct sp_lab_audit *audit, const char *run, enum sp_lab_flag_code code)
{
    for (int i = 0; i < audit->n && i < SP_LAB_MOST_FLAGS; i++)
        if (strcmp(audit->flag[i].run, run) == 0 && strcmp(audit->flag[i].code, sp_lab_flag_name(code)) == 0)
            return true;
    return false;
}

/* The student's own matrix, whatever the record says; its content is compared first. */
static enum sp_status audit_record(const char *run, const json_t *record, const char *as, const char *matrix,
                                   const struct sp_progress *progress, struct sp_lab_audit *audit,
                                   struct sp_error *err)
{
    struct sp_subject subject = {0};
    const struct sp_load_options load = {.n_threads = 1};
    const char *reorder = text_in(record, SP_F_PROBLEM_REORDER),
               *digest = text_in(record, SP_F_PROBLEM_SHA256);
    enum sp_status status = sp_subject_open(matrix, &load, reorder, progress, &subject, err);
    if (status == SP_OK && digest && subject.facts.sha256[0] && strcmp(digest, subject.facts.sha256) != 0) {
        if (!is_flagged(audit, run, SP_FLAG_MATRIX)) /* by its name */
            sp_lab_audit_add(audit, run, SP_FLAG_MATRIX, "the digest of its matrix is not that of %.100s",
                             matrix);
    } else if (status == SP_OK)
        status = simulate(run, record, as, &subject, progress, audit, err);
    sp_subject_free(&subject);
    if (status == SP_USAGE || status == SP_INPUT) { /* what the record says was run makes no sense */
        sp_lab_audit_add(audit, run, SP_FLAG_BYTES, "it cannot be simulated: %.250s", err ? err->what : "");
        status = SP_OK;
    }
    return status;
}

enum sp_status sp_lab_audit_bytes(const struct sp_lab_results *results, const struct sp_progress *progress,
                                  struct sp_lab_audit *audit, struct sp_error *err)
{
    const struct sp_lab_folder *folder = results->folder;
    enum sp_status status = SP_OK;
    for (int i = 0; i < results->n && status == SP_OK; i++) {
        const struct sp_lab_result *r = &results->result[i];
        struct sp_lab_command command;
        const json_t *run = sp_lab_item(json_object_get(folder->lab.root, "runs"), r->run);
        if (!r->root || !can_simulate(r->root) || json_is_true(json_object_get(run, "recorded")))
            continue;
        status = sp_lab_command_make(folder, run, NULL, &command, err);
        const char *matrix = NULL;
        for (int k = 1; status == SP_OK && k < command.n && !matrix; k++)
            if (strncmp(command.argument[k], "gen:", 4) == 0)
                matrix = command.argument[k];
        const char *as = sp_lab_text(run, "as");
        if (matrix && (*as || !*sp_lab_text(run, "code")))
            status = audit_record(r->run, r->root, as, matrix, progress, audit, err);
        sp_lab_command_free(&command);
    }
    return status;
}
