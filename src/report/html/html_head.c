/* The verdict; and what was analysed and how: figures, matrix, machine, roofs, kernel, bytes. */
#include <string.h>

#include "base/figures.h"
#include "report/html/html_sections.h"
#include "report/report_words.h"
#include "report/verdict/verdict.h"
#include "report/verdict/verdict_parts.h"

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

/* The six lines of the terminal, in its order. */
static void verdict(struct sp_page *page, const struct sp_record *record)
{
    static const char *const names[] = {"possible", "reached", "lost", "do", "trust"};
    json_t *v = sp_verdict_of(record);
    const json_t *state = json_object_get(v, "state");
    const char *subject = sp_item_text(json_object_get(v, "subject"), "text"),
               *advice = sp_item_text(state, "advice"), *text = sp_item_text(state, "text");
    sp_page_element(page, "p", "lead", "%s", subject ? subject : "");
    sp_page_put(page, "<dl class=\"tiles\">\n");
    verdict_tile(page, "state", text ? text : "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *item = json_object_get(v, names[i]);
        if (json_is_array(item))
            lost_tile(page, item);
        else
            verdict_tile(page, names[i], sp_item_text(item, "text") ? sp_item_text(item, "text") : "");
    }
    sp_page_put(page, "</dl>\n");
    if (advice) {
        sp_page_put(page, "<p class=\"notice\">");
        sp_page_text(page, "%s: %s.",
                     strcmp(advice, sp_verdict_doubt(record)) == 0 ? "In doubt"
                     : text                                        ? text
                                                                   : "",
                     advice);
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

/* What the verdict is made of. */
static void figures(struct sp_page *page, const struct sp_record *record)
{
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    const struct sp_scale s = sp_scale_of_seconds(sp_value_known(time) ? time.value : 1);
    sp_page_put(page, "<dl class=\"tiles\">\n");
    tile(page, "time of one execution", time, s.factor, s.prefix);
    tile(page, "bandwidth", sp_record_value(record, SP_F_METRICS_BANDWIDTH), 1e9, "GB/s");
    tile(page, "of the roof", sp_record_value(record, SP_F_METRICS_BANDWIDTH_FRACTION), 0.01, "%");
    tile(page, "of the model's speed", sp_record_value(record, SP_F_METRICS_MODEL_FRACTION), 0.01, "%");
    tile(page, "performance", sp_record_value(record, SP_F_METRICS_PERFORMANCE), 1e9, "Gflop/s");
    if (sp_record_node(record, SP_F_METRICS_ALPHA))
        tile(page, "alpha", sp_record_value(record, SP_F_METRICS_ALPHA), 1, "");
    sp_page_put(page, "</dl>\n");
}

static void roof_rows(struct sp_page *page, const json_t *roofs)
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
        sp_page_cell(page, 'h', sp_words_roof(text, sizeof text, roof));
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
    roof_rows(page, roofs);
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
