/* The page that reports are written into: escaped text, headings with ids and a list of them,
 * facts, tables.
 *
 * What comes out is HTML that is well-formed XML too (every element closed, every attribute quoted,
 * valid UTF-8), so that any parser can check it. */
#ifndef SP_REPORT_HTML_PAGE_H
#define SP_REPORT_HTML_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "plots/plot.h"
#include "report/text/pen.h"
#include "report/text/sections.h"

/* What a page is made with. */

struct sp_html_options {
    struct sp_plot_tool tool; /* gnuplot NULL: the page says that plots need it, and has their numbers */
    bool no_plots;            /* none were asked for */
};

struct sp_page_memory;

struct sp_page {
    struct sp_page_memory *memory;
    FILE *out;      /* the body */
    FILE *contents; /* items of the table of contents: headings of level 2 */
    const struct sp_html_options *options;
    int level; /* of the headings of a part's sections: 2, or 3 below the heading of one record of several */
    bool has_told_of_gnuplot;             /* how to get plots is said once */
    int part;                             /* number of the record, in front of its ids: "r1-roofline" */
    const struct sp_record *const *parts; /* of several: part k is parts[k - 1] */
};

/* Opens the body and the contents in memory; SP_MEMORY. */
enum sp_status sp_page_open(struct sp_page *page, const struct sp_html_options *options,
                            struct sp_error *err);
/* Writes head, contents (where `with_contents`) and body to `to`, and frees. Write errors
 * stay in the stream's error flag; SP_MEMORY. */
enum sp_status sp_page_close(struct sp_page *page, const char *title, bool with_contents, FILE *to,
                             struct sp_error *err);
void sp_page_drop(struct sp_page *page); /* frees only; safe twice */

void sp_page_put(struct sp_page *page, const char *markup); /* as it is */
void sp_page_text(struct sp_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An element around a text: sp_page_element(page, "code", NULL, "%s", command). */
void sp_page_element(struct sp_page *page, const char *tag, const char *class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* level: 1 ... 6; id: its part's number is put in front of it. */
void sp_page_heading(struct sp_page *page, int level, const char *id, const char *text);

/* A box that its content scrolls in, where that is wider than the screen. */
void sp_page_box_begin(struct sp_page *page, const char *label);
void sp_page_box_end(struct sp_page *page);

/* A table in such a box. `align` has a letter for each column: h names the row, l is text, w longer
 * text that keeps some width, r a number. */
void sp_page_table_begin(struct sp_page *page, const char *caption, const char *align,
                         const char *const *heads);
void sp_page_row_begin(struct sp_page *page, const char *class); /* class: NULL none */
void sp_page_cell(struct sp_page *page, char align, const char *text);
void sp_page_row_end(struct sp_page *page);
void sp_page_table_end(struct sp_page *page);

/* What a section of the terminal's report says, whose lines have their names in the first `columns`
 * columns, as a list of names and facts. Writes nothing where the section is empty. */
typedef void sp_page_section(struct sp_pen *pen, const struct sp_record *record);
void sp_page_facts(struct sp_page *page, const struct sp_record *record, int columns,
                   sp_page_section *const *sections);

/* How pages look. */

/* The class of the colour: "bad", "warn", "good", "soft". */
const char *sp_html_ink_class(enum sp_ink ink);

/* Pictures of gnuplot as a part of the page. */

struct sp_inline_svg {
    const char *id;           /* of the picture; in front of all ids within */
    const char *title, *text; /* what it is; what it shows, for those who cannot see it */
    int width, height;        /* [px] */
    bool fixed;               /* its colours are a scale: they stay, on white, where the page is dark */
};

/* Writes gnuplot's SVG file `svg` as an element of the page: without declaration and gnuplot's own
 * titles, with ids that are unique in the page and colours as the style sheet knows them
 * ("#4477aa"); elements that do not draw are left out. SP_OUTPUT: it is no SVG. */
enum sp_status sp_inline_svg(const char *svg, const struct sp_inline_svg *picture, FILE *out,
                             struct sp_error *err);

#endif
