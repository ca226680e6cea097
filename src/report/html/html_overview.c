/* Several records in one table. */
#include <string.h>

#include "base/figures.h"
#include "base/print.h"
#include "base/text.h"
#include "io/record/record_losses.h"
#include "report/html/html_sections.h"

enum { CELL = 128 };

/* "kkt_power"; in a campaign as its file names it. */
static const char *matrix_of(const struct sp_record *record)
{
    return sp_words_text(record, SP_F_CAMPAIGN_MATRIX, sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"));
}

/* The campaign's name of the run, else operation, format, order; the width where there is one. */
static char *run_of(const struct sp_record *record, char *text, size_t size)
{
    const char *order = sp_words_text(record, SP_F_PROBLEM_REORDER, "none"), *run;
    const char *format =
        sp_words_text(record, SP_F_CONFIG_FORMAT_TEXT, sp_words_text(record, SP_F_CONFIG_FORMAT, ""));
    int64_t r = 1;
    char width[32] = "";
    if (sp_record_count(record, SP_F_CONFIG_INNER, &r) ||
        (sp_record_count(record, SP_F_CONFIG_RHS, &r) && r > 1))
        snprintf(width, sizeof width, " r=%lld", (long long)r);
    if (sp_record_text(record, SP_F_CAMPAIGN_RUN, &run))
        snprintf(text, size, "%s%s", run, width);
    else
        snprintf(text, size, "%s%s%s%s%s%s", sp_words_op(sp_words_text(record, SP_F_CONFIG_OP, "spmv")),
                 *format ? " " : "", format, width, strcmp(order, "none") != 0 ? " " : "",
                 strcmp(order, "none") != 0 ? order : "");
    return text;
}

char *sp_html_name(const struct sp_record *record, char *text, size_t size)
{
    char run[256];
    snprintf(text, size, "%s: %s%s", sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"),
             run_of(record, run, sizeof run),
             strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0 ? " on a GPU" : "");
    return text;
}

/* A figure and, small, on whose word it stands. */
static void value_cell(struct sp_page *page, struct sp_value v, const char *figure)
{
    sp_page_put(page, "<td class=\"n\">");
    if (sp_value_known(v)) {
        sp_page_text(page, "%s ", figure);
        sp_page_element(page, "span", "unit", "%s", sp_origin_name(v.origin));
    } else {
        sp_page_text(page, "unknown");
    }
    sp_page_put(page, "</td>");
}

static void hints_cell(struct sp_page *page, const struct sp_record *record)
{
    const json_t *hints = sp_record_node(record, SP_F_HINTS), *flags = sp_record_node(record, SP_F_FLAGS),
                 *one;
    const char *status = sp_words_text(record, SP_F_STATUS, "complete");
    size_t i;
    sp_page_put(page, "<td>");
    if (!json_is_array(hints))
        sp_page_text(page, "not asked for");
    else if (json_array_size(hints) == 0)
        sp_page_text(page, "none");
    json_array_foreach(hints, i, one)
        sp_page_text(page, "%s%s", i ? " " : "", sp_item_text(one, "id") ? sp_item_text(one, "id") : "?");
    sp_page_put(page, "</td><td>");
    sp_page_text(page, "%s%s", status, sp_verdict_disturbed(record) ? ", unusable" : "");
    json_array_foreach(flags, i, one) sp_page_text(
        page, "%s%s", i ? " " : ", flagged ", sp_item_text(one, "code") ? sp_item_text(one, "code") : "?");
    sp_page_put(page, "</td>");
}

static void name_cell(struct sp_page *page, const struct sp_record *record, int link)
{
    sp_page_put(page, "<th scope=\"row\">");
    if (link > 0)
        sp_print(page->out, "<a href=\"#r%d-top\">", link);
    sp_page_text(page, "%s", matrix_of(record));
    sp_page_put(page, link > 0 ? "</a></th>" : "</th>");
}

/* As the six lines have it: none where too many samples were disturbed. */
static struct sp_value by_clock(const struct sp_record *record, enum sp_record_field field)
{
    const char *why = sp_verdict_disturbed(record);
    return why ? sp_value_none(why) : sp_record_value(record, field);
}

static void row(struct sp_page *page, const struct sp_record *record, int link)
{
    const struct sp_value time = by_clock(record, SP_F_METRICS_TIME),
                          bandwidth = by_clock(record, SP_F_METRICS_BANDWIDTH),
                          rate = by_clock(record, SP_F_METRICS_PERFORMANCE),
                          fraction = by_clock(record, SP_F_METRICS_BANDWIDTH_FRACTION),
                          alpha = sp_record_value(record, SP_F_METRICS_ALPHA);
    char text[CELL + 64];
    int64_t n;
    sp_page_row_begin(page, NULL);
    name_cell(page, record, link);
    sp_page_cell(page, 'l', run_of(record, text, sizeof text));
    sp_page_cell(page, 'r',
                 sp_record_count(record, SP_F_PROBLEM_NNZ, &n) ? sp_text_count(text, sizeof text, n)
                                                               : "unknown");
    value_cell(page, time, sp_text_seconds(text, sizeof text, time.value));
    value_cell(page, bandwidth, sp_figure(text, sizeof text, bandwidth.value / 1e9, 3));
    value_cell(page, rate, sp_figure(text, sizeof text, rate.value / 1e9, 3));
    value_cell(page, fraction, sp_figure_percent(text, sizeof text, fraction.value));
    value_cell(page, alpha, sp_figure(text, sizeof text, alpha.value, 2));
    hints_cell(page, record);
    sp_page_row_end(page);
}

void sp_html_overview(struct sp_page *page, const struct sp_record *const *records, int n, bool links,
                      const char *caption)
{
    static const char *const heads[] = {"matrix",  "run",     "nonzeros", "time",  "GB/s",
                                        "Gflop/s", "of roof", "alpha",    "hints", "status"};
    sp_page_table_begin(page, caption, "hlrrrrrrll", heads);
    for (int i = 0; i < n; i++)
        row(page, records[i], links ? i + 1 : 0);
    sp_page_table_end(page);
}
