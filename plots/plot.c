#include "plots/plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/atomic_file.h"
#include "io/record_words.h"
#include "plots/gnuplot.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

const struct sp_plot_kind *const sp_plot_kinds[] = {
    &sp_plot_roofline, &sp_plot_losses,     &sp_plot_alpha, &sp_plot_balance,
    &sp_plot_beta,     &sp_plot_saturation, &sp_plot_spy,   &sp_plot_levels,
    &sp_plot_history,  &sp_plot_campaign,   NULL,
};

static const char *const term_names[SP_N_TERMS] = {"svg", "pdf", "png", "txt", "gp"};

const char *sp_term_name(enum sp_term term)
{
    return term_names[term];
}

int sp_term_from_name(const char *name)
{
    for (int i = 0; i < SP_N_TERMS; i++)
        if (strcmp(term_names[i], name) == 0)
            return i;
    return -1;
}

const struct sp_plot_kind *sp_plot_kind_find(const char *name)
{
    for (const struct sp_plot_kind *const *kind = sp_plot_kinds; *kind; kind++)
        if (strcmp((*kind)->name, name) == 0)
            return *kind;
    return NULL;
}

static void write_terminal(const struct sp_plot_kind *kind, enum sp_term term, FILE *out)
{
    switch (term) {
    case SP_TERM_PDF:
        fprintf(out, "set terminal pdfcairo size %.2fin,%.2fin font 'Sans,9' noenhanced\n",
                kind->width / 96.0, kind->height / 96.0);
        break;
    case SP_TERM_PNG:
        fprintf(out, "set terminal pngcairo size %d,%d font 'Sans,10' noenhanced background '#ffffff'\n",
                kind->width, kind->height);
        break;
    case SP_TERM_TXT:
        fprintf(out, "set terminal dumb size %d,%d noenhanced mono\n", kind->columns, kind->lines);
        break;
    default:
        fprintf(out, "set terminal svg size %d,%d font 'sans-serif,13' noenhanced background '#ffffff'\n",
                kind->width, kind->height);
    }
}

void sp_plot_script(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                    enum sp_term term, const char *image, FILE *out)
{
    const char *program = sp_words_text(records[0], "tool.version", "?");
    fprintf(
        out,
        "# spmodel plot, kind %s, of %d record%s (spmodel %.20s), drawn by: gnuplot THIS_FILE\n"
        "# Data and look are all in here: change what you like. Another terminal: change the next lines.\n",
        kind->name, n, n == 1 ? "" : "s", program);
    write_terminal(kind, term, out);
    fputs("set output ", out);
    sp_script_string(out, image);
    fputc('\n', out);
    sp_script_look(out, term);
    kind->write_script(records, n, term, out);
    fputs("set output\n", out);
}

/* PATH with the ending `.gp` in place of its own. */
static void script_path(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    bool ending = dot && dot > (slash ? slash + 1 : path);
    snprintf(out, size, "%.*s.gp", (int)(ending ? (size_t)(dot - path) : strlen(path)), path);
}

/* The script names the picture by its last part, so that both can be moved together. */
static enum sp_status write_script_file(const struct sp_plot_kind *kind,
                                        const struct sp_record *const *records, int n, enum sp_term term,
                                        const char *path, const char *image, struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    const char *slash = strrchr(image, '/');
    sp_plot_script(kind, records, n, term, slash ? slash + 1 : image, file.stream);
    return sp_atomic_commit(&file, err);
}

/* Text pictures start with a form feed and end in blanks: neither is wanted in a terminal. */
static enum sp_status tidy_text(const char *from, FILE *to, struct sp_error *err)
{
    FILE *in = fopen(from, "r");
    if (!in)
        return sp_fail_at(err, SP_OUTPUT, from, 0, 0, NULL, "cannot read what gnuplot drew: %s",
                          strerror(errno));
    char line[4096];
    bool started = false;
    while (fgets(line, sizeof line, in)) {
        char *text = *line == '\f' ? line + 1 : line;
        size_t length = strlen(text);
        while (length > 0 && strchr(" \n\r\f", text[length - 1]))
            text[--length] = '\0';
        if (length == 0 && !started)
            continue;
        started = true;
        fprintf(to, "%s\n", text);
    }
    fclose(in);
    return SP_OK;
}

/* Draws into the temporary file beside `path`, which then gets its name. */
static enum sp_status draw(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                           enum sp_term term, const struct sp_plot_tool *tool, const char *path,
                           struct sp_error *err)
{
    struct sp_atomic_file image = {0}, script = {0}, text = {0};
    char script_name[1200], text_name[1200];
    struct stat facts;
    enum sp_status status = sp_atomic_open(path, &image, err);
    if (status != SP_OK)
        return status;
    snprintf(script_name, sizeof script_name, "%s.gp", path);
    snprintf(text_name, sizeof text_name, "%s.txt", path);
    status = sp_atomic_open(script_name, &script, err);
    if (status != SP_OK)
        goto done;
    if (term == SP_TERM_TXT) {
        status = sp_atomic_open(text_name, &text, err);
        if (status != SP_OK)
            goto done;
    }
    sp_plot_script(kind, records, n, term, term == SP_TERM_TXT ? text.part : image.part, script.stream);
    if (fflush(script.stream) != 0) {
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0, "free some space", "cannot write the script: %s",
                            strerror(errno));
        goto done;
    }
    status = sp_gnuplot_run(tool->gnuplot, script.part, tool->timeout_s > 0 ? tool->timeout_s : 60, err);
    if (status == SP_OK && term == SP_TERM_TXT)
        status = tidy_text(text.part, image.stream, err);
    if (status != SP_OK)
        goto done;
    fflush(image.stream);
    if (stat(image.part, &facts) != 0 || facts.st_size == 0) {
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0, "try the script by hand (--term gp)",
                            "gnuplot drew nothing; is the disk full, or its %s terminal missing?",
                            sp_term_name(term));
        goto done;
    }
    status = sp_atomic_commit(&image, err);
done:
    sp_atomic_abort(&image);
    sp_atomic_abort(&script);
    sp_atomic_abort(&text);
    return status;
}

bool sp_plot_takes(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n)
{
    for (int i = 0; i < n; i++)
        if (kind->lacks(records[i]))
            return false;
    return n >= 1 && n <= kind->max_records;
}

/* What to do about too many records: other kinds take them, perhaps. */
static void fewer_or_other(const struct sp_record *const *records, int n, char *text, size_t size)
{
    bool others = false;
    snprintf(text, size, "draw fewer records");
    for (const struct sp_plot_kind *const *kind = sp_plot_kinds; *kind; kind++) {
        if (!sp_plot_takes(*kind, records, n))
            continue;
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", others ? ", " : ", or another kind: ", (*kind)->name);
        others = true;
    }
}

static enum sp_status check(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                            struct sp_error *err)
{
    if (n < 1 || n > kind->max_records) {
        char remedy[256];
        fewer_or_other(records, n, remedy, sizeof remedy);
        return sp_fail(err, SP_USAGE, remedy, "a %s plot shows 1 to %d records, not %d", kind->name,
                       kind->max_records, n);
    }
    for (int i = 0; i < n; i++) {
        const char *lacks = kind->lacks(records[i]);
        if (lacks)
            return sp_fail(err, SP_INPUT, "draw another kind, or analyze again",
                           "record %s has no %s plot: it lacks %s", sp_words_text(records[i], "id", "?"),
                           kind->name, lacks);
    }
    return SP_OK;
}

enum sp_status sp_plot_write(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                             enum sp_term term, const struct sp_plot_tool *tool, const char *path,
                             struct sp_error *err)
{
    char script[1100];
    enum sp_status status = check(kind, records, n, err);
    if (status != SP_OK)
        return status;
    script_path(path, script, sizeof script);
    if (term == SP_TERM_GP) {
        char image[1100];
        snprintf(image, sizeof image, "%.*s.svg", (int)(strlen(script) - 3), script);
        return write_script_file(kind, records, n, SP_TERM_SVG, path, image, err);
    }
    bool absent = !tool || !tool->gnuplot;
    if (absent || tool->keep_script)
        status = write_script_file(kind, records, n, term, script, path, err);
    if (status == SP_OK && absent)
        return sp_fail(err, SP_ABSENT,
                       "install gnuplot (packages gnuplot-nox or gnuplot), then: gnuplot SCRIPT",
                       "gnuplot is not installed here; the script is kept in %s", script);
    return status == SP_OK ? draw(kind, records, n, term, tool, path, err) : status;
}
