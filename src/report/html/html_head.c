/* The verdict; and what was analysed and how: figures, matrix, machine, roofs, kernel, bytes. */
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "io/record/record_losses.h"
#include "report/html/html_sections.h"
#include "report/report_words.h"
#include "report/verdict/verdict.h"

enum { HEAD_COLUMNS = 9, CELL = 192 };

/* A line of the verdict: its beginning large, what follows after a gap below it. */
static void verdict_tile(struct sp_page *page, const char *name, const char *text)
{
    const char *gap = strstr(text, "   ");
    sp_page_put(page, "<div>");
    sp_page_element(page, "dt", NULL, "%s", name);
    sp_page_element(page, "dd", gap && strcmp(name, "do") != 0 ? "v" : "t", "%.*s",
                    gap ? (int)(gap - text) : (int)strlen(text), text);
    while (gap) {
        const char *from = gap + strspn(gap, " ");
        gap = strstr(from, "   ");
        sp_page_element(page, "dd", "o", "%.*s", gap ? (int)(gap - from) : (int)strlen(from), from);
    }
    sp_page_put(page, "</div>\n");
}

/* The largest cause large, the others below it. */
static void lost_tile(struct sp_page *page, const json_t *list)
{
    const json_t *one;
    size_t i;
    sp_page_put(page, "<div>");
    sp_page_element(page, "dt", NULL, "lost");
    json_array_foreach(list, i, one)
    {
        const char *text = sp_item_text(one, "text");
        const bool is_share = json_is_number(json_object_get(one, "share"));
        sp_page_element(page, "dd", i > 0 ? "o" : is_share ? "v" : "t", "%s", text ? text : "");
    }
    sp_page_put(page, "</div>\n");
}

/* What -v shows in the terminal stands further down in a page. */
static const char *of_page(const char *words, char *text, size_t size)
{
    static const char option[] = ": -v";
    const size_t n = words ? strlen(words) : 0, end = sizeof option - 1;
    const bool has_option = n > end && strcmp(words + n - end, option) == 0;
    snprintf(text, size, "%.*s%s", (int)(has_option ? n - end : n), words ? words : "",
             has_option ? " below" : "");
    return text;
}

/* The six lines of the terminal, in its order. */
static void verdict(struct sp_page *page, const struct sp_record *record)
{
    static const char *const names[] = {"possible", "reached", "lost", "do", "trust"};
    char below[SP_VERDICT_TEXT];
    json_t *v = sp_verdict_of(record);
    const json_t *state = json_object_get(v, "state");
    const char *subject = sp_item_text(json_object_get(v, "subject"), "text"),
               *advice = sp_item_text(state, "advice"), *text = sp_item_text(state, "text");
    const bool is_doubt = advice && strcmp(advice, sp_verdict_doubt(record)) == 0;
    const char *of_tile = advice && !is_doubt ? sp_item_text(state, "short") : text; /* the notice has all */
    sp_page_element(page, "p", "lead", "%s", subject ? subject : "");
    sp_page_put(page, "<dl class=\"tiles\">\n");
    verdict_tile(page, "state", of_tile ? of_tile : "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *item = json_object_get(v, names[i]);
        if (json_is_array(item))
            lost_tile(page, item);
        else
            verdict_tile(page, names[i], of_page(sp_item_text(item, "text"), below, sizeof below));
    }
    sp_page_put(page, "</dl>\n");
    if (advice) {
        sp_page_put(page, "<p class=\"notice\">");
        sp_page_text(page, "%s: %s.", is_doubt ? "In doubt" : text ? text : "", advice);
        sp_page_put(page, "</p>\n");
    }
    json_decref(v);
}

void sp_html_summary(struct sp_page *page, const struct sp_record *record)
{
    const char *command = sp_words_text(record, SP_F_COMMAND, "");
    verdict(page, record);
    sp_page_put(page, "<p class=\"soft\">");
    if (*command) {
        sp_page_element(page, "code", NULL, "%s", command);
        sp_page_text(page, " on ");
    }
    sp_page_text(page, "%s, spmodel %s; record %s.",
                 sp_words_text(record, SP_F_TIME_START, "an unknown date"),
                 sp_words_text(record, SP_F_TOOL_VERSION, "of an unknown version"),
                 sp_words_text(record, SP_F_ID, "?"));
    sp_page_put(page, "</p>\n");
}

/* A figure large, with its interval, and on whose word below. */
static void tile(struct sp_page *page, const char *name, struct sp_value v, double scale, const char *unit)
{
    char text[CELL], lo[64], hi[64];
    sp_page_put(page, "<div>");
    sp_page_element(page, "dt", NULL, "%s", name);
    if (!sp_value_known(v)) {
        sp_page_element(page, "dd", "v", "unknown");
        sp_page_element(page, "dd", "o", "%s", v.why ? v.why : "no reason given");
    } else {
        sp_page_element(page, "dd", "v", "%s%s%s", sp_figure(text, sizeof text, v.value / scale, 3),
                        *unit ? " " : "", unit);
        sp_page_element(page, "dd", "o", "%s", sp_origin_name(v.origin));
        if (v.hi > v.lo)
            sp_page_element(page, "dd", "o", "%s to %s", sp_figure(lo, sizeof lo, v.lo / scale, 3),
                            sp_figure(hi, sizeof hi, v.hi / scale, 3));
    }
    sp_page_put(page, "</div>\n");
}

/* No share is above all of it, whatever single samples gave. */
static struct sp_value share_of(const struct sp_record *record, enum sp_record_field field)
{
    struct sp_value v = sp_record_value(record, field);
    if (sp_value_known(v) && v.hi > 1)
        v.hi = v.value > 1 ? v.value : 1;
    return v;
}

/* What the verdict is made of. */
static void figures(struct sp_page *page, const struct sp_record *record)
{
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    const struct sp_scale s = sp_scale_of_seconds(sp_value_known(time) ? time.value : 1);
    sp_page_put(page, "<dl class=\"tiles\">\n");
    tile(page, "time of one execution", time, s.factor, s.prefix);
    tile(page, "bandwidth", sp_record_value(record, SP_F_METRICS_BANDWIDTH), 1e9, "GB/s");
    tile(page, "of the roof", share_of(record, SP_F_METRICS_BANDWIDTH_FRACTION), 0.01, "%");
    tile(page, "of the model's speed", share_of(record, SP_F_METRICS_MODEL_FRACTION), 0.01, "%");
    tile(page, "performance", sp_record_value(record, SP_F_METRICS_PERFORMANCE), 1e9, "Gflop/s");
    if (sp_record_node(record, SP_F_METRICS_ALPHA))
        tile(page, "alpha", sp_record_value(record, SP_F_METRICS_ALPHA), 1, "");
    sp_page_put(page, "</dl>\n");
}

static void roof_rows(struct sp_page *page, const struct sp_record *record, const json_t *roofs)
{
    const json_t *roof;
    char text[CELL], age[64];
    size_t i;
    json_array_foreach(roofs, i, roof)
    {
        const struct sp_value v = sp_record_value_of(roof);
        const bool flops = sp_roof_is_flops(roof);
        const char *how = sp_item_text(roof, "how"), *role = sp_item_text(roof, "role");
        const bool main = role && strcmp(role, "roof") == 0;
        sp_page_row_begin(page, main ? "strong" : NULL);
        sp_page_cell(page, 'h', sp_words_roof(text, sizeof text, record, roof));
        if (sp_value_known(v))
            sp_figure_interval(text, sizeof text, v.value, v.lo, v.hi, 1e9, 3);
        sp_page_cell(page, 'r', sp_value_known(v) ? text : "unknown");
        sp_page_cell(page, 'l', flops ? "Gflop/s" : "GB/s");
        snprintf(text, sizeof text, "%s%s",
                 sp_value_known(v) ? sp_origin_name(v.origin)
                 : v.why           ? v.why
                                   : "no reason given",
                 sp_roof_age_text(roof, age, sizeof age));
        sp_page_cell(page, 'l', text);
        sp_page_cell(page, 'w', how && *how ? how : "not said");
        sp_page_row_end(page);
    }
}

static void roof_table(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"ceiling", "value", "unit", "origin", "how"};
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS);
    if (json_array_size(roofs) == 0)
        return;
    sp_page_table_begin(page, "Ceilings; fractions are of the one in bold", "hrlll", heads);
    roof_rows(page, record, roofs);
    sp_page_table_end(page);
}

void sp_html_head(struct sp_page *page, const struct sp_record *record)
{
    static sp_page_section *const matrix[] = {sp_section_matrix, NULL},
                                  *const machine[] = {sp_section_foreign, sp_section_machine, NULL},
                                  *const kernel[] = {sp_section_kernel, sp_section_bytes, NULL};
    sp_page_heading(page, page->level, "figures", "Figures");
    figures(page, record);
    sp_page_heading(page, page->level, "matrix", "Matrix");
    sp_page_facts(page, record, HEAD_COLUMNS, matrix);
    sp_page_heading(page, page->level, "machine", "Machine and roofs");
    sp_page_facts(page, record, HEAD_COLUMNS, machine);
    roof_table(page, record);
    sp_page_heading(page, page->level, "kernel", "Kernel and run");
    sp_page_facts(page, record, HEAD_COLUMNS, kernel);
}

/* Several records in one table. */

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
    sp_page_put(page, "<th scope=\"row\" class=\"name\">");
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
    char text[CELL];
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
