/* What was analysed and how: summary, matrix, machine, roofs, kernel, bytes. */
#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/html_sections.h"
#include "report/report_words.h"

enum { HEAD_COLUMNS = 9, CELL = 192 };

/* What a reader must know before anything else. */
static void notices(struct sp_page *page, const struct sp_record *record)
{
    const char *status, *meaning = sp_status_text(record, &status);
    const json_t *flags = sp_record_node(record, "flags"), *flag;
    size_t i;
    if (meaning) {
        sp_page_put(page, "<p class=\"notice\">");
        sp_page_element(page, "strong", "bad", "%s:", status);
        sp_page_text(page, " %s.", meaning);
        sp_page_put(page, "</p>\n");
    }
    if (json_array_size(flags) == 0)
        return;
    sp_page_put(page, "<p class=\"notice\"><strong class=\"bad\">Flagged:</strong>");
    json_array_foreach(flags, i, flag) sp_page_text(
        page, "%s %s", i ? "," : "", sp_item_text(flag, "code") ? sp_item_text(flag, "code") : "?");
    fprintf(page->out, ". Read the <a href=\"#r%d-notes\">flags</a> before believing the numbers.</p>\n",
            page->part);
}

/* The largest loss beside the minimum traffic; -1: none above half a percent. */
static int main_loss(const struct sp_record *record, double total, double *seconds)
{
    int found = -1;
    double x;
    *seconds = 0.005 * total;
    for (int i = 1; i < SP_N_LOSS_ROWS; i++)
        if (sp_record_loss(record, i, &x) && fabs(x) >= fabs(*seconds)) {
            found = i;
            *seconds = x;
        }
    return found;
}

static void loss_sentence(struct sp_page *page, const struct sp_record *record, double total)
{
    double seconds, least;
    char share[32];
    const struct sp_scale s = sp_scale_of_seconds(total);
    const int i = main_loss(record, total, &seconds);
    if (i >= 0 && seconds < 0)
        sp_page_text(page, " The losses claim %.*f %s more than was measured, %s of the time.",
                     sp_figure_decimals(total / s.factor, 3), -seconds / s.factor, s.prefix,
                     sp_figure_percent(share, sizeof share, -seconds / total));
    else if (i >= 0)
        sp_page_text(page, " The largest loss is \"%s\": %.*f %s, %s of the time.", sp_loss_words[i].words,
                     sp_figure_decimals(total / s.factor, 3), seconds / s.factor, s.prefix,
                     sp_figure_percent(share, sizeof share, seconds / total));
    else if (sp_record_loss(record, 0, &least))
        sp_page_text(page,
                     " No loss takes a share worth naming: it is the minimum traffic that takes the time.");
}

static void hint_sentence(struct sp_page *page, const struct sp_record *record)
{
    const json_t *hints = sp_record_node(record, "hints");
    const size_t n = json_array_size(hints);
    char gain[96];
    if (!json_is_array(hints))
        return;
    if (n == 0) {
        sp_page_text(page, " No hint fired.");
        return;
    }
    const json_t *first = json_array_get(hints, 0);
    sp_page_text(page, " %zu hint%s below; the first is %s (%s).", n, n == 1 ? "" : "s",
                 sp_item_text(first, "title") ? sp_item_text(first, "title") : "?",
                 sp_gain_text(first, gain, sizeof gain));
}

static void sentence(struct sp_page *page, const struct sp_record *record)
{
    const struct sp_value time = sp_record_metric(record, "time"),
                          bandwidth = sp_record_metric(record, "bandwidth"),
                          fraction = sp_record_metric(record, "bandwidth_fraction");
    const json_t *roof = sp_record_roof(record);
    const char *op = sp_words_op(sp_words_text(record, "config.op", "spmv")), *term;
    char text[CELL], name[64];
    sp_page_put(page, "<p class=\"lead\">");
    if (!sp_value_known(time)) {
        sp_page_text(page, "The time of one %s is unknown (%s).", op,
                     time.why ? time.why : "no reason given");
    } else {
        const struct sp_scale s = sp_scale_of_seconds(time.value);
        sp_page_text(page, "One %s takes %s", op,
                     sp_figure_value(text, sizeof text, time, s.factor, s.prefix, 3));
        if (sp_value_known(bandwidth))
            sp_page_text(page, ", moving %s", sp_figure_value(text, sizeof text, bandwidth, 1e9, "GB/s", 3));
        if (sp_value_known(fraction) && roof) {
            sp_page_text(page, ": %s of the roof (", sp_figure_percent(text, sizeof text, fraction.value));
            sp_page_text(page, "%s, %s)", sp_words_roof(name, sizeof name, roof),
                         sp_words_roof_value(text, sizeof text, roof));
        }
        sp_page_text(page, ".");
    }
    if (sp_record_text(record, "binding.term", &term))
        sp_page_text(page, " Bound by %s.", term);
    if (sp_value_known(time) && time.value > 0)
        loss_sentence(page, record, time.value);
    hint_sentence(page, record);
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

static void tiles(struct sp_page *page, const struct sp_record *record)
{
    const struct sp_value time = sp_record_metric(record, "time");
    const struct sp_scale s = sp_scale_of_seconds(sp_value_known(time) ? time.value : 1);
    sp_page_put(page, "<dl class=\"tiles\">\n");
    tile(page, "time of one execution", time, s.factor, s.prefix);
    tile(page, "bandwidth", sp_record_metric(record, "bandwidth"), 1e9, "GB/s");
    tile(page, "of the roof", sp_record_metric(record, "bandwidth_fraction"), 0.01, "%");
    tile(page, "of the model's speed", sp_record_metric(record, "model_fraction"), 0.01, "%");
    tile(page, "performance", sp_record_metric(record, "performance"), 1e9, "Gflop/s");
    if (sp_record_node(record, "metrics.alpha"))
        tile(page, "alpha", sp_record_metric(record, "alpha"), 1, "");
    sp_page_put(page, "</dl>\n");
}

void sp_html_summary(struct sp_page *page, const struct sp_record *record)
{
    const char *command = sp_words_text(record, "command", "");
    notices(page, record);
    sentence(page, record);
    tiles(page, record);
    sp_page_put(page, "<p class=\"soft\">");
    if (*command) {
        sp_page_element(page, "code", NULL, "%s", command);
        sp_page_text(page, " on ");
    }
    sp_page_text(page, "%s, spmodel %s; record %s.", sp_words_text(record, "time.start", "an unknown date"),
                 sp_words_text(record, "tool.version", "of an unknown version"),
                 sp_words_text(record, "id", "?"));
    sp_page_put(page, "</p>\n");
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
    const json_t *roofs = sp_record_node(record, "roofs");
    if (json_array_size(roofs) == 0)
        return;
    sp_page_table_begin(page, "Ceilings; fractions are of the one in bold", "hrlll", heads);
    roof_rows(page, roofs);
    sp_page_table_end(page);
}

void sp_html_head(struct sp_page *page, const struct sp_record *record)
{
    static sp_page_section *const matrix[] = {sp_section_matrix, NULL},
                                  *const machine[] = {sp_section_machine, NULL},
                                  *const kernel[] = {sp_section_kernel, sp_section_bytes, NULL};
    sp_page_heading(page, page->level, "matrix", "Matrix");
    sp_page_facts(page, record, HEAD_COLUMNS, matrix);
    sp_page_heading(page, page->level, "machine", "Machine and roofs");
    sp_page_facts(page, record, HEAD_COLUMNS, machine);
    roof_table(page, record);
    sp_page_heading(page, page->level, "kernel", "Kernel and run");
    sp_page_facts(page, record, HEAD_COLUMNS, kernel);
}
