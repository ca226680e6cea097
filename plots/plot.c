#include "plots/plot.h"

#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "io/files/part_file.h"
#include "io/record/record.h"
#include "plots/script.h"

const struct sp_plot_kind *const sp_plot_kinds[] = {
    &sp_plot_roofline,
    &sp_plot_losses,
    &sp_plot_alpha,
    &sp_plot_balance,
    &sp_plot_beta,
    &sp_plot_saturation,
    &sp_plot_spy,
    &sp_plot_levels,
    &sp_plot_sizes,
    &sp_plot_history,
    &sp_plot_campaign,
    &sp_plot_predicted,
    &sp_plot_ways,
    &sp_plot_scaling,
    &sp_plot_halo,
    &sp_plot_ranks,
    NULL,
};

/* The last line of a text picture, which has no end of its own. */
#define END_OF_TEXT "end of the picture"

char *sp_lack_text(char *text, size_t size, const struct sp_lack *lack)
{
    const char *path = sp_field_path(lack->field);
    snprintf(text, size, "%s%s%s%s", lack->words, path ? " (" : "", path ? path : "", path ? ")" : "");
    return text;
}

const struct sp_plot_kind *sp_plot_kind_find(const char *name)
{
    for (const struct sp_plot_kind *const *kind = sp_plot_kinds; *kind; kind++)
        if (strcmp((*kind)->name, name) == 0)
            return *kind;
    return NULL;
}

/* PATH with the ending `.gp` in place of its own. */
static void script_path(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    bool ending = dot && dot > (slash ? slash + 1 : path);
    snprintf(out, size, "%.*s.gp", (int)(ending ? (size_t)(dot - path) : strlen(path)), path);
}

/* NULL: no memory. */
static char *script_text(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                         enum sp_image term, const char *image)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    sp_plot_script(kind, records, n, term, image, out);
    if (term == SP_TERM_TXT && !image)
        fputs("set print '-'\nprint '" END_OF_TEXT "'\n", out);
    const bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

static enum sp_status save(const char *path, const char *bytes, size_t size, struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    fwrite(bytes, 1, size, file.stream);
    return sp_atomic_commit(&file, err);
}

/* The script names the picture by its last part, so that both can be moved together. */
static enum sp_status write_script_file(const struct sp_plot_kind *kind,
                                        const struct sp_record *const *records, int n, enum sp_image term,
                                        const char *path, const char *image, struct sp_error *err)
{
    const char *slash = strrchr(image, '/');
    char *text = script_text(kind, records, n, term, slash ? slash + 1 : image);
    const enum sp_status status =
        text ? save(path, text, strlen(text), err) : sp_fail(err, SP_MEMORY, NULL, "no memory for a script");
    free(text);
    return status;
}

bool sp_picture_is_whole(enum sp_image term, const char *bytes, size_t size)
{
    static const struct {
        const char *begin, *end;
        size_t length; /* of the end: it may have zeros */
    } marks[] = {[SP_TERM_SVG] = {"<?xml", "</svg>", 6},
                 [SP_TERM_PDF] = {"%PDF-", "%%EOF", 5},
                 [SP_TERM_PNG] = {"\x89PNG", "\0\0\0\0IEND\xae\x42\x60\x82", 12},
                 [SP_TERM_TXT] = {"", "\n" END_OF_TEXT, sizeof END_OF_TEXT}};
    while (term != SP_TERM_PNG && size > 0 && bytes[size - 1] == '\n')
        size--;
    return size >= strlen(marks[term].begin) + marks[term].length &&
           memcmp(bytes, marks[term].begin, strlen(marks[term].begin)) == 0 &&
           memcmp(bytes + size - marks[term].length, marks[term].end, marks[term].length) == 0;
}

/* Text pictures start with a form feed and end in blanks and our mark: not in a terminal. */
static void tidy_text(char *text, size_t *size)
{
    char *to = text;
    for (char *line = text, *next; (next = strchr(line, '\n')) && strcmp(line, END_OF_TEXT "\n") != 0;
         line = next + 1) {
        line += *line == '\f';
        size_t length = (size_t)(next - line);
        while (length > 0 && strchr(" \r\f", line[length - 1]))
            length--;
        if (length == 0 && to == text)
            continue;
        memmove(to, line, length);
        to += length;
        *to++ = '\n';
    }
    *to = '\0';
    *size = (size_t)(to - text);
}

static enum sp_status draw(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                           enum sp_image term, const struct sp_plot_tool *tool, char **bytes, size_t *size,
                           struct sp_error *err)
{
    char *script = script_text(kind, records, n, term, NULL);
    if (!script)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a script");
    enum sp_status status =
        sp_gnuplot_run(tool->gnuplot, script, tool->timeout_s > 0 ? tool->timeout_s : 60, bytes, size, err);
    free(script);
    if (status != SP_OK)
        return status;
    if (!sp_picture_is_whole(term, *bytes, *size)) {
        status = sp_fail(err, SP_OUTPUT, "try the script by hand (" SP_O_TERM " gp)",
                         *size == 0 ? "gnuplot drew nothing; is its %s terminal missing?"
                                    : "gnuplot drew a part of a picture only (%s)",
                         sp_term_name(term));
        free(*bytes);
        *bytes = NULL;
        *size = 0;
    } else if (term == SP_TERM_TXT) {
        tidy_text(*bytes, size);
    } else if (term == SP_TERM_SVG) {
        sp_svg_hover(*bytes, size);
    }
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
        if (kind->max_records == 1)
            return sp_fail(err, SP_USAGE, remedy, "a %s plot shows one record, not %d", kind->name, n);
        return sp_fail(err, SP_USAGE, remedy, "a %s plot shows 1 to %d records, not %d", kind->name,
                       kind->max_records, n);
    }
    for (int i = 0; i < n; i++) {
        const struct sp_lack *lacks = kind->lacks(records[i]);
        char text[128];
        if (lacks)
            return sp_fail(err, SP_INPUT, "draw another kind, or analyze again",
                           "record %s has no %s plot: it lacks %s", sp_words_text(records[i], SP_F_ID, "?"),
                           kind->name, sp_lack_text(text, sizeof text, lacks));
    }
    return SP_OK;
}

enum sp_status sp_plot_picture(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                               enum sp_image term, const struct sp_plot_tool *tool, char **bytes,
                               size_t *size, struct sp_error *err)
{
    *bytes = NULL;
    *size = 0;
    const enum sp_status status = check(kind, records, n, err);
    if (status != SP_OK)
        return status;
    if (term == SP_TERM_GP) {
        char image[64];
        snprintf(image, sizeof image, "%s.svg", kind->name);
        *bytes = script_text(kind, records, n, SP_TERM_SVG, image);
        *size = *bytes ? strlen(*bytes) : 0;
        return *bytes ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for a script");
    }
    if (!tool || !tool->gnuplot)
        return sp_fail(err, SP_ABSENT, "install gnuplot, or write the script: " SP_O_TERM " gp -o FILE.gp",
                       "gnuplot is not installed here");
    return draw(kind, records, n, term, tool, bytes, size, err);
}

enum sp_status sp_plot_write(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                             enum sp_image term, const struct sp_plot_tool *tool, const char *path,
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
    char *bytes;
    size_t size;
    if (status == SP_OK)
        status = draw(kind, records, n, term, tool, &bytes, &size, err);
    if (status == SP_OK) {
        status = save(path, bytes, size, err);
        free(bytes);
    }
    return status;
}

/* Border, grid, tics, text colours. */
static void put_look(struct sp_script *out, enum sp_image term)
{
    sp_put(out,
           "set encoding utf8\n"
           "set border 3 lc rgb %c lw 1\n"
           "set tics nomirror out textcolor rgb %c\n"
           "set xlabel textcolor rgb %c\n"
           "set ylabel textcolor rgb %c\n"
           "set title textcolor rgb %c\n"
           "set key textcolor rgb %c samplen 2 spacing 1.15\n",
           SP_GREY, SP_INK, SP_INK, SP_INK, SP_INK, SP_INK);
    if (term != SP_TERM_TXT)
        sp_put(out, "set grid back lt 1 lw 0.8 lc rgb %c, lt 1 lw 0.4 lc rgb %c\n", SP_GRID, SP_GRID);
}

/* Sizes of fonts are pixels in SVG, points of 4/3 pixels elsewhere. */
static void put_terminal(struct sp_script *out, const struct sp_plot_kind *kind, enum sp_image term)
{
    switch (term) {
    case SP_TERM_PDF:
        sp_put(out,
               "set terminal pdfcairo size %.2fin,%.2fin font 'Sans,13' fontscale 0.75 pointscale 1.4 "
               "noenhanced\n",
               kind->width / 96.0, kind->height / 96.0);
        break;
    case SP_TERM_PNG:
        sp_put(out,
               "set terminal pngcairo size %d,%d font 'Sans,13' fontscale 0.75 pointscale 1.4 noenhanced "
               "background %c\n",
               kind->width, kind->height, SP_WHITE);
        break;
    case SP_TERM_TXT:
        sp_put(out, "set terminal dumb size %d,%d noenhanced mono\n", SP_TEXT_COLUMNS, kind->lines);
        break;
    default:
        sp_put(out, "set terminal svg size %d,%d font 'sans-serif,13' noenhanced background %c\n",
               kind->width, kind->height, SP_WHITE);
    }
}

struct content {
    const struct sp_plot_kind *kind;
    const struct sp_record *const *records;
    int n;
    enum sp_image term;
    const char *image;
};

static void put_content(struct sp_script *out, const void *context)
{
    const struct content *c = context;
    sp_put_text(
        out,
        sp_quote("%s of %d record%s, spmodel %.20s", c->kind->name, c->n, c->n == 1 ? "" : "s",
                 sp_words_text(c->records[0], SP_F_TOOL_VERSION, "?")),
        "# spmodel plot %t, drawn by: gnuplot THIS_FILE\n"
        "# Data and look are all in here: change what you like. Another terminal: change the next lines.\n");
    put_terminal(out, c->kind, c->term);
    /* The folder in front: gnuplot pipes the picture into what stands after a '|'. */
    if (c->image)
        sp_put_text(out, sp_quote("./%s", c->image), "set output %t\n");
    put_look(out, c->term);
    c->kind->write_script(c->records, c->n, c->term, out);
    sp_put(out, "set output\n");
}

void sp_plot_script(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                    enum sp_image term, const char *image, FILE *stream)
{
    const struct content content = {kind, records, n, term, image};
    sp_script_write(stream, put_content, &content);
}
