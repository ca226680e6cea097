#include "cli/core/html_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/print.h"
#include "cli/core/command.h"
#include "cli/core/find_program.h"
#include "cli/core/options.h"
#include "io/files/input_file.h"
#include "report/html/report_html.h"

/* A file that is there and holds something else than a page: a record whose page was asked for, say. */
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
        const int before = code;
        code = sp_sink_close(&html->sink, code);
        if (is_file && remarks && code == before)
            sp_print(remarks, "saved  %s\n", path);
    }
    for (int i = 0; i < html->n; i++)
        sp_record_free(&html->record[i]);
    free(html->record);
    memset(html, 0, sizeof *html);
    return code;
}
