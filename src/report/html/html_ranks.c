/* The ranks of an MPI job: what each has, and its times. */
#include <math.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/html/html_sections.h"

enum { CELL = 64, MOST_ROWS = 512 };

static void count_cell(struct sp_page *page, const json_t *item, const char *key)
{
    char text[CELL];
    sp_page_cell(page, 'r', sp_text_whole(text, sizeof text, sp_item_number(item, key)));
}

static void seconds_cell(struct sp_page *page, const json_t *median, const char *key)
{
    char text[CELL];
    const double s = sp_item_number(median, key);
    sp_page_cell(page, 'r', isnan(s) ? "not known" : sp_text_seconds(text, sizeof text, s));
}

static void row(struct sp_page *page, const json_t *rank)
{
    const json_t *median = json_object_get(rank, "median_s");
    const double roof = sp_item_number(rank, "roof_Bps");
    char text[CELL], figure[32];
    sp_page_row_begin(page, NULL);
    snprintf(text, sizeof text, "%.0f", sp_item_number(rank, "rank"));
    sp_page_cell(page, 'h', text);
    count_cell(page, rank, "rows");
    count_cell(page, rank, "local_nnz");
    count_cell(page, rank, "remote_nnz");
    count_cell(page, rank, "sent_B");
    count_cell(page, rank, "sent_to");
    count_cell(page, rank, "received_B");
    count_cell(page, rank, "received_from");
    seconds_cell(page, median, "local");
    seconds_cell(page, median, "remote");
    seconds_cell(page, median, "exchange");
    snprintf(text, sizeof text, "%s GB/s", sp_figure(figure, sizeof figure, 1e-9 * roof, 3));
    sp_page_cell(page, 'r', roof > 0 && isfinite(roof) ? text : "not known");
    sp_page_row_end(page);
}

void sp_html_ranks(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"rank",   "rows",   "local entries", "remote entries",
                                        "sent B", "to",     "received B",    "from",
                                        "local",  "remote", "exchange",      "roof"};
    const json_t *each = sp_record_node(record, SP_F_RANKS_EACH), *rank;
    bool same = false;
    size_t i;
    if (json_array_size(each) == 0)
        return;
    sp_page_heading(page, page->level, "ranks", "Ranks");
    sp_page_put(page, "<p>");
    sp_page_text(
        page,
        "Partition %s, %s. Times are medians of each rank, measured on all at the same time; roof: its "
        "local block loaded, nothing else. %s",
        sp_words_text(record, SP_F_RANKS_PARTITION, "?"), sp_words_text(record, SP_F_RANKS_MPI, "?"),
        !sp_record_flag(record, SP_F_RANKS_COUNTED_AS_PREDICTED, &same) ? "Nobody counted the messages."
        : same ? "Each pair of ranks sent the predicted bytes, counted."
               : "Other bytes were counted than predicted.");
    sp_page_put(page, "</p>\n");
    sp_page_table_begin(page, "Ranks", "hrrrrrrrrrrr", heads);
    json_array_foreach(each, i, rank)
    {
        if (i == MOST_ROWS)
            break;
        row(page, rank);
    }
    sp_page_table_end(page);
}
