#include "cli/core/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/option/option_words.h"
#include "base/print.h"
#include "cli/core/command.h"
#include "io/files/input_file.h"
#include "io/files/places.h"
#include "io/matrix/matrix_cache.h"
#include "io/matrix/matrix_formats.h"
#include "report/html/report_html.h"
#include "sparse/csr/csr.h"

static char *const *words;
static int n_words;
static const char *const *others;
static int n_others;

void sp_words_note(int argc, char *const *argv)
{
    words = argv;
    n_words = argc;
}

void sp_words_note_files(const char *const *names, int n)
{
    others = names;
    n_others = n;
}

static bool is_same_file(const struct stat *a, const char *name)
{
    struct stat b;
    return stat(name, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* The name of that file in a word: the word itself, or what stands behind the = of an option or
 * behind a colon, as in replay:FILE and gen:like:FILE:SCALE; NULL: it names another, or it is
 * `output` itself. */
static const char *names_it(const struct stat *file, const char *word, const char *output)
{
    for (const char *part = word; part; part = strpbrk(part, "=:")) {
        part += part != word;
        if (part == output)
            return NULL;
        if (is_same_file(file, part))
            return part;
        for (const char *end = strchr(part, ':'); end; end = strchr(end + 1, ':')) {
            char name[4096];
            if ((size_t)(end - part) < sizeof name) {
                memcpy(name, part, (size_t)(end - part));
                name[end - part] = '\0';
                if (is_same_file(file, name))
                    return part;
            }
        }
    }
    return NULL;
}

static enum sp_status fail(const char *output, const char *named, struct sp_error *err)
{
    const bool same = strcmp(named, output) == 0;
    return sp_fail_at(err, SP_USAGE, output, 0, 0, "write the result to another file",
                      "the result would replace what the command line also names%s%s", same ? "" : " as ",
                      same ? "" : named);
}

enum sp_status sp_words_refuse(const char *output, struct sp_error *err)
{
    struct stat file;
    if (!*output)
        return sp_fail(err, SP_USAGE, "give the result a name, or - where standard output will do",
                       "the name of a file to write is empty");
    if (sp_sink_is_stdout(output))
        return sp_fail(err, SP_USAGE, "name a file; ./- is one that is called so",
                       "this result is not written to standard output");
    if (stat(output, &file) != 0 || !S_ISREG(file.st_mode))
        return SP_OK;
    for (int i = 1; i < n_words; i++) {
        const char *named = names_it(&file, words[i], output);
        if (named)
            return fail(output, named, err);
    }
    for (int i = 0; i < n_others; i++)
        if (is_same_file(&file, others[i]))
            return fail(output, others[i], err);
    return SP_OK;
}

/* Results that are being written, or will be: two must not share a file. */
static char *claimed[8];
enum { N_CLAIMED = sizeof claimed / sizeof *claimed };

/* One file, also where it is not there yet: one name in one folder, links followed. Devices and
 * pipes may be shared. */
static bool is_same_place(const char *a, const char *b)
{
    struct stat file;
    char folder[2][4096];
    if (stat(a, &file) == 0)
        return S_ISREG(file.st_mode) && is_same_file(&file, b);
    const char *const path[2] = {a, b}, *name[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(path[i], '/');
        name[i] = slash ? slash + 1 : path[i];
        snprintf(folder[i], sizeof folder[i], "%.*s.", (int)(name[i] - path[i]), path[i]);
    }
    return strcmp(name[0], name[1]) == 0 && stat(folder[0], &file) == 0 && is_same_file(&file, folder[1]);
}

/* Into *place, for release(): 1 and up; 0: not kept. */
static enum sp_status claim(const char *name, int *place, struct sp_error *err)
{
    char target[PATH_MAX];
    *place = 0;
    enum sp_status status = sp_words_refuse(name, err);
    struct stat facts;
    const bool leads_on = stat(name, &facts) != 0 && sp_path_follow(name, target); /* a link to a new file */
    const char *const file = leads_on ? target : name;
    for (int i = 0; status == SP_OK && i < N_CLAIMED; i++)
        if (!claimed[i])
            *place = i + 1;
        else if (is_same_place(file, claimed[i]))
            status = sp_fail_at(err, SP_USAGE, name, 0, 0, "give each result a file of its own",
                                "two results would replace each other here");
    if (status == SP_OK && *place > 0)
        claimed[*place - 1] = strdup(file);
    return status;
}

static void release(int place)
{
    if (place > 0) {
        free(claimed[place - 1]);
        claimed[place - 1] = NULL;
    }
}

enum sp_status sp_outputs_claim(const char *const *names, int n, struct sp_error *err)
{
    int place;
    enum sp_status status = SP_OK;
    for (int i = 0; status == SP_OK && i < n; i++)
        if (names[i])
            status = claim(names[i], &place, err);
    return status;
}

static enum sp_status open_file(const char *name, struct sp_sink *sink, struct sp_error *err)
{
    enum sp_status status = claim(name, &sink->place, err);
    if (status == SP_OK)
        status = sp_atomic_open(name, &sink->file, err);
    if (status != SP_OK) {
        release(sink->place);
        sink->place = 0;
        return status;
    }
    sink->is_file = true;
    sink->stream = sink->file.stream;
    return SP_OK;
}

bool sp_sink_is_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

enum sp_status sp_sink_open(const char *name, struct sp_sink *sink, struct sp_error *err)
{
    memset(sink, 0, sizeof *sink);
    if (!name)
        return SP_OK;
    if (!sp_sink_is_stdout(name))
        return open_file(name, sink, err);
    sink->stream = stdout;
    sp_guard_as_data(stdout);
    return SP_OK;
}

int sp_sink_close(struct sp_sink *sink, int code)
{
    struct sp_error err;
    if (code != 0 && sink->is_file && ftell(sink->stream) == 0) { /* a failure has left nothing to say */
        sp_sink_abort(sink);
        return code;
    }
    release(sink->place);
    if (sink->is_file && sp_atomic_commit(&sink->file, &err) != SP_OK)
        code = sp_worse_exit(code, sp_report_error(&err));
    memset(sink, 0, sizeof *sink);
    return code;
}

void sp_sink_abort(struct sp_sink *sink)
{
    release(sink->place);
    if (sink->is_file)
        sp_atomic_abort(&sink->file);
    memset(sink, 0, sizeof *sink);
}

enum sp_status sp_sinks_open(const char *csv, const char *json, struct sp_sinks *sinks, struct sp_error *err)
{
    memset(sinks, 0, sizeof *sinks);
    if (sp_sink_is_stdout(csv) && sp_sink_is_stdout(json))
        return sp_fail(err, SP_USAGE, "give one of them a file: --csv=FILE",
                       "--json and --csv both go to standard output");
    enum sp_status status = sp_sink_open(csv, &sinks->csv, err);
    if (status == SP_OK)
        status = sp_sink_open(json, &sinks->json, err);
    if (status != SP_OK)
        sp_sink_abort(&sinks->csv);
    sinks->on_stdout = sinks->csv.stream == stdout || sinks->json.stream == stdout;
    return status;
}

int sp_sinks_close(struct sp_sinks *sinks, int code)
{
    return sp_sink_close(&sinks->json, sp_sink_close(&sinks->csv, code));
}

struct format {
    const char *word;                    /* of SP_SAVE_FORMATS */
    const struct sp_matrix_format *file; /* NULL: the binary file of this program */
    const char *compression;
};

/* The word of SP_SAVE_FORMATS that was given, or that the path ends in. */
static bool fits(const char *word, const char *path, const char *wanted)
{
    const size_t length = strlen(path), n = strlen(word);
    return wanted ? strcmp(word, wanted) == 0
                  : length > n + 1 && path[length - n - 1] == '.' && strcasecmp(path + length - n, word) == 0;
}

static bool find_format(const char *path, const char *wanted, struct format *format)
{
    static const struct {
        const char *word, *compression;
    } compressed[] = {{"mtx.gz", "gzip"}, {"mtx.xz", "xz"}, {"mtx.zst", "zstd"}, {"mtx.bz2", "bzip2"}};
    const struct sp_matrix_format *f = sp_matrix_formats;
    *format = (struct format){"spm", NULL, NULL};
    if (fits("spm", path, wanted))
        return true;
    for (; f->is; f++)
        if (f->write && fits(f->word, path, wanted)) {
            *format = (struct format){f->word, f, NULL};
            return true;
        }
    *format = (struct format){f->word, f, NULL};
    if (fits(f->word, path, wanted))
        return true;
    for (size_t i = 0; i < sizeof compressed / sizeof *compressed; i++)
        if (fits(compressed[i].word, path, wanted)) {
            *format = (struct format){compressed[i].word, f, compressed[i].compression};
            return true;
        }
    return false;
}

enum sp_status sp_save_check(const char *path, const struct sp_save_options *o, struct sp_error *err)
{
    enum sp_status status = sp_words_refuse(path, err);
    if (status != SP_OK)
        return status;
    struct format format;
    const bool known = find_format(path, o->format, &format);
    if (known && o->general && !(format.file && format.file->holds_triangle))
        return sp_fail(err, SP_USAGE, "leave --general out, or write text",
                       "a .%s file has all entries in any case", format.word);
    if (known)
        return SP_OK;
    return sp_fail(err, SP_USAGE, "the formats, and the endings of files, are " SP_SAVE_FORMATS,
                   o->format ? "no format is called '%s'" : "the ending of '%s' names no format",
                   o->format ? o->format : path);
}

enum sp_status sp_save(const char *path, const struct sp_csr *a, const struct sp_save_options *o,
                       struct sp_error *err)
{
    enum sp_status status = sp_save_check(path, o, err);
    if (status != SP_OK)
        return status;
    struct format format;
    find_format(path, o->format, &format);
    if (format.file) {
        struct sp_mtx_write_options write = {.n_threads = o->n_threads,
                                             .general = o->general,
                                             .compression = format.compression,
                                             .progress = o->progress,
                                             .interrupted = o->interrupted,
                                             .context = o->context};
        return format.file->write(path, a, &write, err);
    }
    if (o->sha256)
        return sp_cache_write(path, a, o->sha256, o->n_entries, NULL, err);
    char digest[65];
    status = sp_csr_digest(a, o->n_threads, digest, err);
    return status == SP_OK ? sp_cache_write(path, a, digest, a->n_nz, NULL, err) : status;
}

enum sp_status sp_put_json(json_t *root, size_t flags, FILE *out, struct sp_error *err)
{
    if (!root)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for the JSON");
    json_dumpf(root, out, flags);
    fputc('\n', out);
    json_decref(root);
    return SP_OK;
}

static void put_cell(const json_t *value, FILE *out)
{
    if (json_is_null(value))
        return;
    if (json_is_string(value)) {
        sp_csv_field(out, json_string_value(value));
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    sp_csv_field(out, text ? text : "");
    free(text);
}

void sp_print_columns(sp_row_cells *cells, const void *context, int64_t n_rows, int n_columns, unsigned left,
                      FILE *out)
{
    char cell[SP_MOST_CELLS][SP_CELL];
    int width[SP_MOST_CELLS] = {0};
    for (int64_t row = -1; row < n_rows; row++) {
        const bool only_first = cells(context, row, cell) != NULL;
        for (int k = 0; k < (only_first ? 1 : n_columns); k++)
            width[k] = (int)strlen(cell[k]) > width[k] ? (int)strlen(cell[k]) : width[k];
    }
    for (int64_t row = -1; row < n_rows; row++) {
        const char *instead = cells(context, row, cell);
        sp_print(out, "  %-*s", width[0], cell[0]);
        for (int k = 1; k < n_columns && !instead; k++)
            sp_print(out, "  %*s", !(left >> k & 1) ? width[k] : k + 1 < n_columns ? -width[k] : 0, cell[k]);
        sp_print(out, "%s%s\n", instead ? "  " : "", instead ? instead : "");
    }
}

void sp_flat_csv(const json_t *object, bool with_header, FILE *out)
{
    json_t *value;
    const char *key, *comma = "";
    if (with_header) {
        json_object_foreach((json_t *)object, key, value)
        {
            fputs(comma, out);
            sp_csv_field(out, key);
            comma = ",";
        }
        fputc('\n', out);
    }
    comma = "";
    json_object_foreach((json_t *)object, key, value)
    {
        fputs(comma, out);
        comma = ",";
        put_cell(value, out);
    }
    fputc('\n', out);
}

/* A file that holds something else than a page, say a record whose page was asked for. */
static bool is_no_page(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (sp_sink_is_stdout(name) || (dot && strncmp(dot, ".htm", 4) == 0))
        return false;
    FILE *file;
    if (sp_input_open(name, &file, NULL) != SP_OK)
        return false;
    const int first = getc(file);
    fclose(file);
    return first != EOF && first != '<';
}

enum sp_status sp_html_open(const char *name, bool no_plots, struct sp_html_output *html,
                            struct sp_error *err)
{
    memset(html, 0, sizeof *html);
    html->no_plots = no_plots;
    enum sp_status status = sp_sink_open(name, &html->sink, err);
    if (status == SP_OK && is_no_page(name)) {
        sp_sink_abort(&html->sink);
        status =
            sp_fail_at(err, SP_USAGE, name, 0, 0, "name the page to write first: " SP_O_HTML " page.html",
                       "this file is no HTML page and would be lost");
    }
    return status;
}

void sp_html_keep(struct sp_html_output *html, const struct sp_record *record)
{
    if (html->n == html->room) {
        const int room = html->room > 0 ? 2 * html->room : 8;
        struct sp_record *more = realloc(html->record, (size_t)room * sizeof *more);
        if (!more) {
            html->failed = true;
            return;
        }
        html->record = more;
        html->room = room;
    }
    html->record[html->n++] = (struct sp_record){.root = json_incref(record->root)};
}

static enum sp_status write_page(const struct sp_html_output *html, struct sp_error *err)
{
    char gnuplot[1024];
    const struct sp_html_options options = {
        .tool = {.gnuplot =
                     html->gnuplot ? html->gnuplot : sp_find_program("gnuplot", gnuplot, sizeof gnuplot)},
        .no_plots = html->no_plots};
    const struct sp_record **pointer = calloc((size_t)html->n, sizeof *pointer);
    enum sp_status status =
        pointer && !html->failed ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for the page");
    for (int i = 0; status == SP_OK && i < html->n; i++)
        pointer[i] = &html->record[i];
    if (status == SP_OK)
        status = sp_report_html(pointer, html->n, &options, html->sink.stream, err);
    free(pointer);
    return status;
}

int sp_html_close(struct sp_html_output *html, FILE *remarks, int code)
{
    struct sp_error err;
    enum sp_status status = SP_OK;
    const bool is_file = html->sink.is_file;
    char path[sizeof html->sink.file.path];
    snprintf(path, sizeof path, "%s", html->sink.file.path);
    if (html->sink.stream && html->n > 0)
        status = write_page(html, &err);
    if (status != SP_OK) {
        sp_sink_abort(&html->sink);
        code = sp_worse_exit(code, sp_report_error(&err));
    } else if (html->n == 0) {
        sp_sink_abort(&html->sink); /* there is nothing to show */
    } else {
        const int closed = sp_sink_close(&html->sink, 0);
        if (is_file && remarks && closed == 0)
            sp_print(remarks, "saved  %s\n", path);
        code = sp_worse_exit(code, closed);
    }
    for (int i = 0; i < html->n; i++)
        sp_record_free(&html->record[i]);
    free(html->record);
    memset(html, 0, sizeof *html);
    return code;
}
