/* The report as one page: HTML that holds all it shows (style, plots as inline SVG, the record),
 * names no other file, talks to no network and runs no script. docs/report.md describes it. */
#ifndef SP_REPORT_REPORT_HTML_H
#define SP_REPORT_REPORT_HTML_H

#include <stdio.h>

#include "io/record/record.h"
#include "report/html/html_page.h"

/* A page about records[n], n >= 1: of one a report with its own title, of several a table of them
 * all and a part for each. A plot that cannot be drawn is replaced by the reason. Write errors stay
 * in the stream's error flag; SP_MEMORY. */
enum sp_status sp_report_html(const struct sp_record *const *records, int n,
                              const struct sp_html_options *options, FILE *out, struct sp_error *err);

struct sp_html_campaign {
    const char *name, *store; /* of its file; where its records are */
    const json_t *open_jobs;  /* that are not done: [{"matrix", "run", "state", "detail"}] */
    const json_t *unread;     /* records that cannot be read: ["why"] */
    int n_jobs;
};

/* A page about a campaign: the jobs of records[n], n >= 0, sorted by matrix, those that are not
 * done, plots over all. Holds the metrics, not the records. Errors as above. */
enum sp_status sp_report_html_campaign(const struct sp_html_campaign *campaign,
                                       const struct sp_record *const *records, int n,
                                       const struct sp_html_options *options, FILE *out,
                                       struct sp_error *err);

#endif
