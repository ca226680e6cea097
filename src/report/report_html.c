#include "report/report_html.h"

#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/html_plots.h"
#include "report/html_sections.h"

enum { NAME = 400 };

/* All about one record below its heading. */
static void sections(struct sp_page *page, const struct sp_record *record)
{
    sp_html_summary(page, record);
    sp_html_head(page, record);
    sp_html_table(page, record);
    sp_page_roofline(page, record);
    sp_html_ways(page, record);
    sp_html_losses(page, record);
    sp_html_hints(page, record);
    sp_html_tries(page, record);
    sp_page_alpha_curve(page, record);
    sp_html_levels(page, record);
    sp_html_domains(page, record);
    sp_page_balance(page, record);
    sp_page_beta_map(page, record);
    sp_page_spy(page, record);
    sp_page_saturation(page, record);
    sp_html_notes(page, record);
    sp_html_costs(page, record);
}

static void write_one(struct sp_page *page, const struct sp_record *record, const char *title)
{
    sp_page_heading(page, 1, "top", title);
    sections(page, record);
    sp_html_words(page, record);
    sp_html_record(page, record);
}

/* Plots that several records share, those that fit into one. */
static void shared_plots(struct sp_page *page, const struct sp_record *const *records, int n)
{
    sp_page_plot(
        page, "roofline", records, n, "Roofline of all",
        "The points of all records below the ceilings of the first, numbered as in the key; the stacked "
        "bars beside it are their losses.");
    sp_page_plot(page, "balance", records, n, "Balance over the number of vectors",
                 "Code balance and performance over the number of vectors that are multiplied at once.");
}

static void write_several(struct sp_page *page, const struct sp_record *const *records, int n,
                          const char *title)
{
    char name[NAME];
    page->part = 0;
    sp_page_heading(page, 1, "top", title);
    sp_html_overview(page, records, n, true, "All records; the first column leads to their parts");
    shared_plots(page, records, n);
    page->level = 3;
    for (int i = 0; i < n; i++) {
        page->part = i + 1;
        sp_page_put(page, "<section>\n");
        sp_page_heading(page, 2, "top", sp_html_name(records[i], name, sizeof name));
        sections(page, records[i]);
        sp_html_record(page, records[i]);
        sp_page_put(page, "</section>\n");
    }
    page->level = 2;
    page->part = 0;
    sp_html_words(page, records[0]);
}

enum sp_status sp_report_html(const struct sp_record *const *records, int n,
                              const struct sp_html_options *options, FILE *out, struct sp_error *err)
{
    struct sp_page page;
    char name[NAME], title[NAME + 64];
    enum sp_status status = sp_page_open(&page, options, err);
    if (status != SP_OK)
        return status;
    if (n == 1)
        snprintf(title, sizeof title, "%s - report of spmodel", sp_html_name(records[0], name, sizeof name));
    else
        snprintf(title, sizeof title, "Report of spmodel on %d analyses", n);
    if (n == 1)
        write_one(&page, records[0], name);
    else
        write_several(&page, records, n, title);
    return sp_page_close(&page, title, true, out, err);
}
