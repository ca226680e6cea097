#include "report/html/report_html.h"

#include <stdlib.h>
#include <string.h>

#include "io/record/record.h"
#include "plots/plot.h"
#include "report/html/html_plots.h"
#include "report/html/html_sections.h"

enum { NAME = 400 };

/* What a second look asks for is folded away, and not printed unless it is open. */
static void fold_begin(struct sp_page *page, const char *summary)
{
    sp_page_put(page, "<details>\n");
    sp_page_element(page, "summary", NULL, "%s", summary);
}

static void fold_end(struct sp_page *page)
{
    sp_page_put(page, "</details>\n");
}

/* All about one record below its heading: as on the terminal, then plots, then the rest. */
static void sections(struct sp_page *page, const struct sp_record *record)
{
    sp_html_summary(page, record);
    sp_html_ranks(page, record);
    sp_html_hints(page, record);
    sp_html_losses(page, record);
    sp_page_roofline(page, record);
    sp_page_alpha_curve(page, record);
    fold_begin(page, "Matrix, machine, kernel; model and measurement");
    sp_html_head(page, record);
    sp_html_table(page, record);
    sp_html_ways(page, record);
    fold_end(page);
    fold_begin(page, "More plots");
    sp_page_spy(page, record);
    sp_page_balance(page, record);
    sp_page_beta_map(page, record);
    sp_page_saturation(page, record);
    fold_end(page);
    fold_begin(page, "More hints, trials, traffic, costs, flags and remarks");
    sp_html_more_hints(page, record);
    sp_html_tries(page, record);
    sp_html_levels(page, record);
    sp_html_domains(page, record);
    sp_html_notes(page, record);
    sp_html_costs(page, record);
    fold_end(page);
}

static void write_one(struct sp_page *page, const struct sp_record *record, const char *title)
{
    sp_page_heading(page, 1, "top", title);
    sp_html_attach(page, record); /* several tell of it once */
    sections(page, record);
    sp_html_words(page, record);
    sp_html_record(page, record);
}

/* Do the records of a campaign's plot differ in n_nz, over which it is drawn? */
static bool sizes_differ(const struct sp_record *const *records, int n)
{
    const struct sp_plot_kind *kind = sp_plot_kind_find("campaign");
    int64_t first = 0, one = 0;
    for (int i = 0; i < n; i++) {
        if (kind->lacks(records[i]) || !sp_record_count(records[i], SP_F_PROBLEM_NNZ, &one))
            continue;
        if (first > 0 && one != first)
            return true;
        first = one;
    }
    return false;
}

/* Do they differ in the number of vectors, or the dense width? */
static bool widths_differ(const struct sp_record *const *records, int n)
{
    struct sp_series_point first, one;
    sp_series_point_of(records[0], &first);
    for (int i = 1; i < n; i++) {
        sp_series_point_of(records[i], &one);
        if (one.r != first.r)
            return true;
    }
    return false;
}

/* Where and how fast the records are: below one roofline if it has room, else over sizes. */
static void shared_performance(struct sp_page *page, const struct sp_record *const *records, int n)
{
    const int room = sp_plot_kind_find("roofline")->max_records;
    char title[64] = "Roofline of all", text[512];
    if (n > room && sizes_differ(records, n)) {
        snprintf(text, sizeof text,
                 "One roofline has room for %d records, and here are %d: each has its own in its part below. "
                 "This plot has performance, fraction of the roof and alpha of all over the number of "
                 "nonzeros, and how often each hint fired. Filled marks are measured, hollow ones simulated "
                 "or modelled.",
                 room, n);
        sp_page_plot_of_several(page, "campaign", records, n, "All records over the number of nonzeros",
                                text);
        return;
    }
    if (n > room)
        snprintf(title, sizeof title, "Roofline of %d records", room);
    sp_page_plot_of_several(page, "roofline", records, n, title,
                            "The points of the records below the ceilings of the first, numbered as in the "
                            "key; the stacked bars beside it are their losses.");
}

static void shared_plots(struct sp_page *page, const struct sp_record *const *records, int n)
{
    shared_performance(page, records, n);
    if (widths_differ(records, n))
        sp_page_plot_of_several(
            page, "balance", records, n, "Balance over the number of vectors",
            "Code balance and performance over the number of vectors that are multiplied at once.");
}

static void write_several(struct sp_page *page, const struct sp_record *const *records, int n,
                          const char *title)
{
    char name[NAME];
    page->part = 0;
    sp_page_heading(page, 1, "top", title);
    sp_html_overview(page, records, n, true, "All records; the first column leads to their parts");
    sp_html_attach(page, records[0]);
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
