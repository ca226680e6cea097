/* What an unchanged program did (spmodel attach). */
#include <math.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/html/html_sections.h"

enum { CELL = 128 };

static double number_of(const json_t *item, const char *key)
{
    const json_t *x = json_object_get(item, key);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static const char *text_of(const json_t *item, const char *key)
{
    const char *text = sp_item_text(item, key);
    return text ? text : "";
}

static void count_cell(struct sp_page *page, const json_t *item, const char *key)
{
    char text[CELL];
    sp_page_cell(page, 'r', sp_text_whole(text, sizeof text, number_of(item, key)));
}

static void seconds_cell(struct sp_page *page, const json_t *item, const char *key)
{
    char text[CELL];
    const double s = number_of(item, key);
    sp_page_cell(page, 'r', isnan(s) ? "not known" : sp_text_seconds(text, sizeof text, s));
}

static void row(struct sp_page *page, const json_t *item)
{
    char text[CELL], number[32];
    const double share = number_of(item, "share"), width = number_of(item, "width"),
                 least = number_of(item, "least_Bps");
    sp_page_row_begin(page, NULL);
    sp_page_cell(page, 'h', text_of(item, "matrix"));
    count_cell(page, item, "rows");
    count_cell(page, item, "nnz");
    snprintf(text, sizeof text, width > 1 ? "%.60s, r = %.0f" : "%.60s", text_of(item, "operation"), width);
    sp_page_cell(page, 'l', text);
    snprintf(text, sizeof text, "%.30s %.70s", text_of(item, "library"), text_of(item, "symbol"));
    sp_page_cell(page, 'l', text);
    count_cell(page, item, "calls");
    seconds_cell(page, item, "median_s");
    seconds_cell(page, item, "total_s");
    sp_page_cell(page, 'r',
                 isnan(share)     ? "not known"
                 : share < 0.0005 ? "< 0.1 %"
                                  : sp_figure_percent(text, sizeof text, share));
    if (!isnan(least))
        snprintf(text, sizeof text, "%s GB/s", sp_figure(number, sizeof number, least * 1e-9, 3));
    sp_page_cell(page, 'r', isnan(least) ? "not known" : text);
    sp_page_cell(page, 'w', text_of(item, "why"));
    sp_page_row_end(page);
}

void sp_html_attach(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {
        "matrix", "rows",  "nonzeros", "product",  "function",           "calls",
        "median", "total", "share",    "at least", "not judged, because"};
    const json_t *seen = sp_record_node(record, SP_F_ATTACH_SEEN), *item;
    size_t i;
    if (json_array_size(seen) == 0)
        return;
    sp_page_heading(page, page->level, "program", "What the program did");
    sp_page_put(page, "<p>");
    sp_page_text(
        page,
        "The sparse products of %s, an unchanged program, counted and timed by spmodel attach. Share: of the "
        "time of the threads that multiplied. At least: the bandwidth if CRS moves each array once "
        "(modelled) in the median time. Products that are judged have a record each, below: their bytes are "
        "simulated as a walk over CRS (over the rows of A^T for A^T x, over half storage where one triangle "
        "stands for both; on GPUs they are modelled).",
        sp_words_text(record, SP_F_ATTACH_PROGRAM, ""));
    sp_page_put(page, "</p>\n");
    sp_page_table_begin(page, "Products, those that took longest first", "hrrllrrrrrw", heads);
    json_array_foreach(seen, i, item) row(page, item);
    sp_page_table_end(page);
    const json_t *unseen = sp_record_node(record, SP_F_ATTACH_UNSEEN);
    json_array_foreach(unseen, i, item)
    {
        sp_page_put(page, "<p>");
        sp_page_text(page, "%s", json_string_value(item));
        sp_page_put(page, "</p>\n");
    }
}
