#include "cli/analyze/analyze_output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/print.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/files/places.h"
#include "io/record/record.h"
#include "io/record/record_request.h"
#include "plots/plot.h"
#include "report/report_several.h"
#include "report/text/report_text.h"
#include "report/verdict/verdict.h"

struct candidate {
    char path[1024];
    struct timespec changed;
};

static bool newer(const struct candidate *a, const struct candidate *b)
{
    return a->changed.tv_sec != b->changed.tv_sec ? a->changed.tv_sec > b->changed.tv_sec
                                                  : a->changed.tv_nsec > b->changed.tv_nsec;
}

static int newest_first(const void *a, const void *b)
{
    return newer(a, b) ? -1 : newer(b, a);
}

/* Does it belong to somebody who could make us read what we did not mean? */
static bool is_foreign(const struct stat *facts)
{
    return facts->st_uid != geteuid() && facts->st_uid != 0;
}

enum sp_status sp_newest_record(const char *directory, char *path, size_t size, struct sp_error *err)
{
    struct candidate *list = NULL;
    size_t n = 0, room = 0;
    *path = '\0';
    DIR *open = opendir(directory);
    struct stat folder;
    if (!open || fstat(dirfd(open), &folder) != 0) {
        const int error = errno;
        if (open)
            closedir(open);
        return sp_fail_at(err, SP_INPUT, directory, 0, 0, "name a record file",
                          "cannot look for records here: %s", strerror(error));
    }
    if (is_foreign(&folder)) {
        closedir(open);
        return sp_fail_at(
            err, SP_INPUT, directory, 0, 0, "name a record file",
            "the folder belongs to another user (uid %lld): none of its records is taken unasked",
            (long long)folder.st_uid);
    }
    int n_foreign = 0;
    for (struct dirent *entry; (entry = readdir(open));) {
        size_t length = strlen(entry->d_name);
        struct candidate one;
        struct stat facts;
        snprintf(one.path, sizeof one.path, "%s/%s", directory, entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0 || stat(one.path, &facts) != 0 ||
            !S_ISREG(facts.st_mode))
            continue;
        if (is_foreign(&facts)) {
            n_foreign++;
            continue;
        }
        one.changed = facts.st_mtim;
        if (n == room) {
            room = room ? 2 * room : 64;
            struct candidate *grown = realloc(list, room * sizeof *list);
            if (!grown)
                break; /* the newest of what fits is still an answer */
            list = grown;
        }
        list[n++] = one;
    }
    closedir(open);
    if (n > 1)
        sp_sort_by(list, n, sizeof *list, newest_first);
    for (size_t i = 0; i < n && !*path; i++) {
        struct sp_record record;
        if (sp_record_read(list[i].path, &record, NULL) != SP_OK)
            continue;
        snprintf(path, size, "%s", strncmp(list[i].path, "./", 2) == 0 ? list[i].path + 2 : list[i].path);
        sp_record_free(&record);
    }
    free(list);
    if (*path)
        return SP_OK;
    return sp_fail_at(err, SP_INPUT, directory, 0, 0,
                      "name a record file, or make one: spmodel analyze MATRIX.mtx",
                      n_foreign ? "there is no record of yours here, and others' are not taken unasked"
                                : "there is no record here");
}

enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_image term, const struct sp_plot_tool *tool,
                                 struct sp_error *err)
{
    char *bytes;
    size_t size;
    const enum sp_status status = sp_plot_picture(kind, records, n, term, tool, &bytes, &size, err);
    if (term != SP_TERM_TXT)
        sp_guard_as_data(stdout);
    if (status == SP_OK)
        fwrite(bytes, 1, size, stdout);
    free(bytes);
    return status;
}

/* Names of files follow a directory in 1 KiB. */
enum { LONGEST_DIRECTORY = 824 };

/* What goes to standard output beside the report; NULL: nothing. */
static const char *taken_by(const struct sp_output_options *o, const struct sp_common_options *common)
{
    return sp_sink_is_stdout(common->json)    ? "--json"
           : sp_sink_is_stdout(common->csv)   ? "--csv"
           : sp_sink_is_stdout(common->lines) ? "--lines"
           : sp_sink_is_stdout(o->html_name)  ? "--html"
                                              : NULL;
}

static bool is_taken(const struct sp_output_options *o, const struct sp_common_options *common)
{
    return taken_by(o, common) != NULL;
}

static void print_result(const struct sp_record *record, const struct sp_output_options *o,
                         const struct sp_common_options *common)
{
    static bool csv_header_printed;
    const bool is_sweep = sp_record_node(record, SP_F_SWEEP);
    if (is_sweep && o->points.stream) {
        sp_report_sweep_csv(record, o->points.stream);
    } else if (sp_sink_is_stdout(common->csv)) {
        if (!csv_header_printed)
            sp_report_csv_header(stdout);
        csv_header_printed = true;
        sp_report_csv_row(record, stdout);
    }
    if (!is_taken(o, common)) {
        struct sp_report_style style = sp_terminal_style(common);
        (is_sweep ? sp_report_sweep : sp_report_text)(record, &style, stdout);
    }
}

/* "DIR/kkt_power.20261121T100214Z.json": the record's id has the time first. */
static void file_stem(const struct sp_record *record, const char *directory, char *stem, size_t size)
{
    const char *id = "record", *name = "matrix";
    sp_record_text(record, SP_F_ID, &id);
    sp_record_text(record, SP_F_PROBLEM_NAME, &name);
    char matrix[100], time[32];
    sp_file_stem(matrix, sizeof matrix, name);
    sp_file_stem(time, sizeof time, id);
    time[strcspn(time, "-")] = '\0';
    snprintf(stem, size, "%s%s%s.%s", strcmp(directory, ".") == 0 ? "" : directory,
             strcmp(directory, ".") == 0 ? "" : "/", matrix, time);
}

/* Analyses of one matrix within a second get names of their own, of two processes, too: the stem
 * that was free, and the path with its ending. */
static enum sp_status write_under_new_name(struct sp_record *record, char *stem, size_t size, char path[1200],
                                           struct sp_error *err)
{
    enum { MOST = 10000 };
    const size_t length = strlen(stem);
    enum sp_status status = SP_OK;
    bool made = false;
    for (int i = 1; i < MOST && status == SP_OK && !made; i++) {
        if (i > 1)
            snprintf(stem + length, size - length, "-%d", i);
        snprintf(path, 1200, "%s.json", stem);
        if (access(path, F_OK) != 0)
            status = sp_record_write_new(record, path, &made, err);
    }
    if (status == SP_OK && !made)
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0,
                            "choose another place with "
                            "--out DIR",
                            "there are too many records of this matrix and second");
    return status;
}

static enum sp_status write_plots(const struct sp_record *record, const char *stem, char *list, size_t size,
                                  struct sp_error *err)
{
    static const char *const kinds[] = {"roofline", "alpha", "ranks"};
    char path[1200], gnuplot[1024];
    const char *program = sp_find_program("gnuplot", gnuplot, sizeof gnuplot);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct sp_plot_kind *kind = sp_plot_kind_find(kinds[i]);
        if (!kind || kind->lacks(record))
            continue; /* nothing to draw, as for a matrix without entries */
        const char *ending = program ? "svg" : "gp";
        snprintf(path, sizeof path, "%s.%s.%s", stem, kinds[i], ending);
        struct sp_plot_tool tool = {.gnuplot = program};
        enum sp_status status =
            sp_plot_write(kind, &record, 1, program ? SP_TERM_SVG : SP_TERM_GP, &tool, path, err);
        if (status != SP_OK)
            return status;
        size_t used = strlen(list);
        snprintf(list + used, size - used, "%s%s.%s", used ? ", " : " + ", kinds[i], ending);
    }
    return SP_OK;
}

static bool has_flags(const struct sp_record *record)
{
    return json_array_size(sp_record_node(record, SP_F_FLAGS)) > 0;
}

/* A term whose numbers a reader will ask for first. */
static const char *worth_explaining(const struct sp_record *record)
{
    const json_t *shown;
    const char *hint = sp_hints_shown(record, &shown, 1) > 0 ? sp_item_text(shown, "id") : NULL;
    return hint                                            ? hint
           : sp_record_node(record, SP_F_LOSSES)           ? "lost"
           : sp_record_node(record, SP_F_CONDITIONS_DOUBT) ? "conditions"
                                                           : "possible";
}

/* --fail-below of one fraction; limit 0: not asked. */
static int judge_fraction(const struct sp_record *record, enum sp_record_field field, double limit)
{
    if (limit <= 0)
        return 0;
    const struct sp_value v = sp_record_value(record, field);
    const char *name = sp_field_key(field);
    if (!sp_value_known(v)) {
        sp_print(stderr, "spmodel: --fail-below: %s is not known: %s\n", name, v.why);
        return sp_exit_code(SP_UNDECIDED);
    }
    if (v.value >= limit)
        return 0;
    sp_print(stderr, "spmodel: --fail-below: %s is %.3f, below %.3f\n", name, v.value, limit);
    return sp_exit_code(SP_NO);
}

/* --require-clean */
static int judge_conditions(const struct sp_record *record)
{
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, "not known"), *doubt = "";
    sp_record_text(record, SP_F_CONDITIONS_DOUBT, &doubt);
    if (strcmp(state, "clean") == 0 && !*doubt)
        return 0;
    sp_print(stderr, "spmodel: --require-clean: the machine was %s: %s\n", state,
             *doubt ? doubt : sp_words_text(record, SP_F_CONDITIONS_TEXT, "nothing was run here"));
    return sp_exit_code(SP_UNDECIDED);
}

static int judge(const struct sp_record *record, const struct sp_output_options *o)
{
    const char *text;
    if (sp_record_text(record, SP_F_STATUS, &text) && strcmp(text, "interrupted") == 0)
        return sp_exit_code(SP_INTERRUPTED);
    if (o->asked[SP_OPTION_STRICT] && has_flags(record)) {
        const json_t *flags = sp_record_node(record, SP_F_FLAGS), *flag;
        size_t i;
        json_array_foreach(flags, i, flag) sp_print(stderr, "spmodel: --strict: flagged %s: %s\n",
                                                    json_string_value(json_object_get(flag, "code")),
                                                    json_string_value(json_object_get(flag, "text")));
        return sp_exit_code(SP_WRONG);
    }
    const int code = o->asked[SP_OPTION_REQUIRE_CLEAN] ? judge_conditions(record) : 0;
    if (code) /* then a share says nothing */
        return code;
    return sp_worse_exit(judge_fraction(record, SP_F_METRICS_BANDWIDTH_FRACTION, o->fail_below_bandwidth),
                         judge_fraction(record, SP_F_METRICS_MODEL_FRACTION, o->fail_below_model));
}

static enum sp_status open_html(struct sp_output_options *o, struct sp_error *err)
{
    if (!o->html_name)
        return SP_OK;
    o->html = calloc(1, sizeof *o->html);
    enum sp_status status = o->html ? sp_html_open(o->html_name, o->asked[SP_OPTION_NO_PLOTS], o->html, err)
                                    : sp_fail(err, SP_MEMORY, NULL, "no memory for the page");
    if (status != SP_OK) {
        free(o->html);
        o->html = NULL;
    }
    return status;
}

static enum sp_status open_sinks(struct sp_output_options *o, const struct sp_common_options *common,
                                 struct sp_error *err)
{
    const char *const rows =
        o->is_sweep || sp_sink_is_stdout(common->csv) ? NULL : common->csv; /* appended, record by record */
    enum sp_status status = sp_outputs_claim(&rows, 1, err);
    if (status == SP_OK && rows)
        status = sp_report_csv_check(rows, err);
    if (status == SP_OK && o->is_sweep)
        status = sp_sink_open(common->csv, &o->points, err);
    if (status == SP_OK)
        status = sp_sink_open(common->json, &o->json, err);
    if (status == SP_OK)
        status = sp_sink_open(common->lines, &o->lines, err);
    if (status == SP_OK)
        status = open_html(o, err);
    if (status != SP_OK) {
        sp_sink_abort(&o->json);
        sp_sink_abort(&o->lines);
        sp_sink_abort(&o->points);
    }
    return status;
}

int sp_output_open(struct sp_output_options *o, const struct sp_common_options *common)
{
    struct sp_error err;
    int error = strlen(o->directory) < LONGEST_DIRECTORY ? sp_make_directories(o->directory) : ENAMETOOLONG;
    struct stat facts;
    if (error == 0 && stat(o->directory, &facts) == 0 && !S_ISDIR(facts.st_mode))
        error = ENOTDIR;
    if (error == 0 && access(o->directory, W_OK | X_OK) != 0)
        error = errno;
    if (error)
        sp_fail_at(&err, SP_OUTPUT, o->directory, 0, 0, "choose a place where you may write with --out",
                   "cannot write into the directory: %s", strerror(error));
    else if (sp_sink_is_stdout(common->lines) &&
             (sp_sink_is_stdout(common->json) || sp_sink_is_stdout(common->csv)))
        error = sp_fail(&err, SP_USAGE, "give one of them a file: --lines=FILE",
                        "--lines and %s both go to standard output",
                        sp_sink_is_stdout(common->json) ? "--json" : "--csv");
    else if (sp_sink_is_stdout(common->json) && sp_sink_is_stdout(common->csv))
        error = sp_fail(&err, SP_USAGE, "give one of them a file: --csv=FILE",
                        "--json and --csv both go to standard output");
    else if (sp_sink_is_stdout(o->html_name) && strcmp(taken_by(o, common), "--html") != 0)
        error = sp_fail(&err, SP_USAGE, "give one of them a file: --html FILE",
                        "--html and %s both go to standard output", taken_by(o, common));
    return error || open_sinks(o, common, &err) != SP_OK ? sp_report_error(&err) : 0;
}

int sp_output_close(struct sp_output_options *o, const struct sp_common_options *common, int code)
{
    FILE *remarks = common->verbosity < 0 ? NULL : is_taken(o, common) ? stderr : stdout;
    code = sp_sink_close(&o->points, sp_sink_close(&o->lines, sp_sink_close(&o->json, code)));
    if (o->html)
        code = sp_html_close(o->html, remarks, code);
    free(o->html);
    o->html = NULL;
    return code;
}

int sp_output_record(struct sp_record *record, const struct sp_output_options *o,
                     const struct sp_common_options *common)
{
    struct sp_error err;
    char stem[1024], path[1200], plots[200] = "";
    int code = 0;
    if (o->asked[SP_OPTION_ANONYMOUS] && sp_record_anonymise(record, &err) != SP_OK)
        return sp_report_error(&err);
    if (!sp_record_node(record, SP_F_SWEEP))
        sp_verdict_put(record);
    print_result(record, o, common);
    file_stem(record, o->directory, stem, sizeof stem);
    if (write_under_new_name(record, stem, sizeof stem, path, &err) != SP_OK)
        return sp_worse_exit(code, sp_report_error(&err));
    if (o->json.stream &&
        sp_record_print(record, o->json.stream, o->several || o->json.stream == stdout, &err) != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    if (o->lines.stream)
        sp_report_lines(record, o->lines.stream);
    if (o->html)
        sp_html_keep(o->html, record);
    const struct sp_record *one = record;
    if (common->csv && !o->is_sweep && !sp_sink_is_stdout(common->csv) &&
        sp_report_csv_append(common->csv, &one, 1, &err) != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    if (!o->asked[SP_OPTION_NO_PLOTS] && write_plots(record, stem, plots, sizeof plots, &err) != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    if (common->verbosity >= 0) {
        FILE *out = is_taken(o, common) ? stderr : stdout;
        sp_print(out, "saved  %s%s\n", path, plots);
        char next[2 * sizeof path] = "next   spmodel explain";
        if (sp_add_shell_word(next, sizeof next, worth_explaining(record)) &&
            sp_add_shell_word(next, sizeof next, path))
            sp_print(out, "%s\n", next);
    }
    return sp_worse_exit(code, judge(record, o));
}

int sp_output_series(const struct sp_record *const *records, int n, const struct sp_output_options *o,
                     const struct sp_common_options *common)
{
    struct sp_error err;
    char stem[1024], path[1200], gnuplot[1024];
    bool taken = is_taken(o, common);
    struct sp_report_style style = sp_terminal_style(common);
    if (!taken)
        sp_report_series(records, n, &style, stdout);
    const struct sp_plot_kind *kind = sp_plot_kind_find("balance");
    for (int i = 0; i < n; i++)
        if (kind->lacks(records[i]))
            return 0;
    if (o->asked[SP_OPTION_NO_PLOTS])
        return 0;
    const char *program = sp_find_program("gnuplot", gnuplot, sizeof gnuplot),
               *ending = program ? "svg" : "gp";
    file_stem(records[0], o->directory, stem, sizeof stem);
    snprintf(path, sizeof path, "%s.balance.%s", stem, ending);
    struct sp_plot_tool tool = {.gnuplot = program};
    if (sp_plot_write(kind, records, n, program ? SP_TERM_SVG : SP_TERM_GP, &tool, path, &err) != SP_OK)
        return sp_report_error(&err);
    if (common->verbosity >= 0)
        sp_print(taken ? stderr : stdout, "saved  %s\n", path);
    return 0;
}
