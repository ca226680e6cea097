/* --html FILE: records are kept as they come, and become one page at the end. */
#ifndef SP_CLI_HTML_OUTPUT_H
#define SP_CLI_HTML_OUTPUT_H

#include "cli/core/sink.h"
#include "io/record/record.h"

struct sp_html_output {
    struct sp_sink sink;      /* .stream NULL: not asked for */
    struct sp_record *record; /* [n] they share what the records hold */
    int n, room;
    const char *gnuplot;   /* NULL: the first one in PATH */
    bool no_plots, failed; /* failed: memory ran out while they were kept */
};

/* name: NULL not asked for, "" or "-" standard output, else a file, which appears when all is done. */
enum sp_status sp_html_open(const char *name, bool no_plots, struct sp_html_output *html,
                            struct sp_error *err);
/* The record may be freed afterwards, but not changed. */
void sp_html_keep(struct sp_html_output *html, const struct sp_record *record);
/* Writes the page, unless there is no record; says where on `remarks` (NULL: nowhere). Returns the worse of
 * `code` and its own. */
int sp_html_close(struct sp_html_output *html, FILE *remarks, int code);

#endif
