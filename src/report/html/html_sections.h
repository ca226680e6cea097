/* The sections of a page about one record, in the order in which report_html.c writes them. Each
 * writes nothing where the record has nothing for it. */
#ifndef SP_REPORT_HTML_SECTIONS_H
#define SP_REPORT_HTML_SECTIONS_H

#include "report/html/html_page.h"

void sp_html_summary(struct sp_page *page, const struct sp_record *record); /* the verdict */
void sp_html_head(struct sp_page *page, const struct sp_record *record);    /* figures, matrix, ... */
void sp_html_table(struct sp_page *page, const struct sp_record *record);   /* model and measurement */
void sp_html_attach(struct sp_page *page,
                    const struct sp_record *record); /* the program that was attached to */
void sp_html_losses(struct sp_page *page, const struct sp_record *record);
void sp_html_levels(struct sp_page *page, const struct sp_record *record); /* traffic by level and array */
void sp_html_domains(struct sp_page *page, const struct sp_record *record);
void sp_html_ranks(struct sp_page *page, const struct sp_record *record); /* of an MPI job */
void sp_html_ways(struct sp_page *page, const struct sp_record *record);  /* of a GPU */
void sp_html_hints(struct sp_page *page, const struct sp_record *record); /* those worth showing unasked */
void sp_html_more_hints(struct sp_page *page, const struct sp_record *record); /* others; no problem */
void sp_html_tries(struct sp_page *page, const struct sp_record *record);
void sp_html_notes(struct sp_page *page, const struct sp_record *record); /* flags and remarks */
void sp_html_costs(struct sp_page *page, const struct sp_record *record);
void sp_html_words(struct sp_page *page, const struct sp_record *record);  /* what explain knows */
void sp_html_record(struct sp_page *page, const struct sp_record *record); /* to read, and as data */

/* The table of several records: structure, time, bandwidth, fractions, alpha, hints. `links`: the
 * first column leads to their parts. */
void sp_html_overview(struct sp_page *page, const struct sp_record *const *records, int n, bool links,
                      const char *caption);

/* `data` for programs in an element that shows and runs nothing; id as in sp_page_heading(). */
void sp_html_data(struct sp_page *page, const char *id, const json_t *data);

/* "kkt_power: SpMV CRS": what was analysed, for headings. */
char *sp_html_name(const struct sp_record *record, char *text, size_t size);

/* The plots of a page, with what they show in words and, where no table has it, in numbers. */

/* The plot of those of records[n] that have what it needs, as many of them as it has room for;
 * below it, how many others there are and why. */
void sp_page_plot_of_several(struct sp_page *page, const char *kind, const struct sp_record *const *records,
                             int n, const char *title, const char *text);

/* The sections with plots of one record; each writes nothing where there is nothing for it. */
void sp_page_spy(struct sp_page *page, const struct sp_record *record);
void sp_page_roofline(struct sp_page *page, const struct sp_record *record);
void sp_page_alpha_curve(struct sp_page *page, const struct sp_record *record);
void sp_page_beta_map(struct sp_page *page, const struct sp_record *record);
void sp_page_balance(struct sp_page *page, const struct sp_record *record);
void sp_page_saturation(struct sp_page *page, const struct sp_record *record);

#endif
