/* Model beside measurement, and where the time goes. */
#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "base/print.h"
#include "report/html/html_sections.h"
#include "report/html/html_style.h"
#include "report/report_words.h"
#include "report/text/table_cells.h"
#include "report/verdict/verdict.h"

enum { ALPHA_COLUMNS = 8 };
#define NO_BAR "<td class=\"bars\"></td>"

static void put_remark(void *context, enum sp_ink ink, const char *text)
{
    sp_page_element(context, "p", sp_html_ink_class(ink), "%s", text);
}

void sp_html_table(struct sp_page *page, const struct sp_record *record)
{
    static sp_page_section *const alpha[] = {sp_section_alpha, sp_section_gathers, NULL};
    struct sp_table_cells t;
    sp_page_heading(page, page->level, "table", "Model and measurement");
    if (sp_table_cells_fill(record, &t)) {
        const char *heads[SP_TABLE_COLUMNS] = {"row"};
        for (int c = 1; c < SP_TABLE_COLUMNS; c++)
            heads[c] = t.cell[0][c];
        sp_page_table_begin(page, "The time that the model allows, and the measured one", "hrrrrrr", heads);
        for (int r = 1; r <= t.n_rows; r++) {
            sp_page_row_begin(page, strncmp(t.cell[r][0], "measured", 8) == 0 ? "strong" : NULL);
            for (int c = 0; c < SP_TABLE_COLUMNS; c++)
                sp_page_cell(page, c == 0 ? 'h' : 'r', t.cell[r][c]);
            sp_page_row_end(page);
        }
        sp_page_table_end(page);
        sp_table_remarks(record, &t, put_remark, page);
    } else {
        sp_page_element(page, "p", NULL, "The record has no table.");
    }
    sp_page_facts(page, record, ALPHA_COLUMNS, alpha);
}

/* How the table of losses shows seconds, and how long its bars are. */
struct loss_frame {
    double time, least,
        longest; /* [s] the whole; where the bars begin, 0 or less, and how far they reach from there */
    struct sp_scale scale;
    int decimals;
};

static struct loss_frame frame_of(double time, const struct sp_verdict_row *row, int n)
{
    struct loss_frame f = {.time = time, .scale = sp_scale_of_seconds(time)};
    double at = 0, most = time;
    for (int i = 0; i < n; i++) {
        at += row[i].share * time;
        f.least = fmin(f.least, at);
        most = fmax(most, at);
    }
    f.longest = most - f.least;
    f.decimals = sp_figure_decimals(time / f.scale.factor, 3);
    return f;
}

/* Each bar starts where the one before it ended, so that the last ends at the measured time. Its
 * seconds and share stand beside it, so nobody needs to be told of it; the cell itself stays, for
 * rows without it would have fewer cells than the table has headers. */
static void put_bar(struct sp_page *page, const struct loss_frame *f, const struct sp_verdict_row *row,
                    double from)
{
    const double x = row->share * f->time;
    const double left = (fmin(from, from + x) - f->least) / f->longest, width = fabs(x) / f->longest;
    if (width < 0.0005) {
        sp_page_put(page, NO_BAR);
        return;
    }
    sp_print(page->out,
             "<td class=\"bars\"><span aria-hidden=\"true\" class=\"bar l%d%s\" "
             "style=\"margin-left:%.2f%%;width:%.2f%%\" title=\"%s: %s%.*f %s\"></span></td>",
             row->loss, x < 0 ? " minus" : "", 100 * left, 100 * width, row->words, x < 0 ? "−" : "",
             f->decimals, fabs(x) / f->scale.factor, f->scale.prefix);
}

/* Seconds for people, and exactly for programs. */
static void put_seconds(struct sp_page *page, const struct loss_frame *f, double x)
{
    sp_print(page->out, "<td class=\"n\"><data value=\"%.17g\">%s%.*f</data></td>", x, x < 0 ? "−" : "",
             f->decimals, fabs(x) / f->scale.factor);
}

static const char *origin_of(const struct sp_record *record, int loss)
{
    return sp_words_text(record, sp_loss_origin(sp_loss_words[loss].field), "of unknown origin");
}

static void loss_row(struct sp_page *page, const struct loss_frame *f, const struct sp_verdict_row *row,
                     double from)
{
    char share[32], origin[512];
    const double x = row->share * f->time;
    const bool flagged = sp_loss_is_flagged(row->loss, x, f->time);
    sp_page_row_begin(page, "loss");
    sp_page_cell(page, 'h', row->words);
    put_bar(page, f, row, from);
    put_seconds(page, f, x);
    sp_page_cell(page, 'r', sp_figure_percent(share, sizeof share, row->share));
    snprintf(origin, sizeof origin, "%s%s", *row->how ? row->how : "of unknown origin",
             flagged && !strstr(row->how, "flagged") ? "; flagged" : "");
    sp_page_cell(page, 'w', origin);
    sp_page_row_end(page);
}

static void unknown_row(struct sp_page *page, const struct sp_record *record, int loss)
{
    sp_page_row_begin(page, NULL);
    sp_page_cell(page, 'h', sp_loss_words[loss].words);
    sp_page_put(page, NO_BAR);
    sp_page_cell(page, 'r', "unknown");
    sp_page_cell(page, 'r', "");
    sp_page_cell(page, 'w', origin_of(record, loss));
    sp_page_row_end(page);
}

static void total_row(struct sp_page *page, const struct loss_frame *f, struct sp_value time)
{
    sp_page_row_begin(page, "total");
    sp_page_cell(page, 'h', "in all");
    sp_print(page->out,
             "<td class=\"bars\"><span aria-hidden=\"true\" class=\"bar l7\" "
             "style=\"margin-left:%.2f%%;width:%.2f%%\"></span></td>",
             100 * (0 - f->least) / f->longest, 100 * time.value / f->longest);
    put_seconds(page, f, time.value);
    sp_page_cell(page, 'r', "100 %");
    sp_page_cell(page, 'l', sp_origin_name(time.origin));
    sp_page_row_end(page);
}

static void loss_rows(struct sp_page *page, const struct sp_record *record, const struct loss_frame *f,
                      const struct sp_verdict_row *row, int n)
{
    double at = 0, x;
    for (int i = 0; i < n; i++) {
        loss_row(page, f, &row[i], at);
        at += row[i].share * f->time;
    }
    for (int i = 0; i < SP_N_LOSS_ROWS; i++)
        if (!sp_record_loss(record, i, &x) && sp_record_node(record, sp_loss_words[i].field))
            unknown_row(page, record, i);
}

static void loss_table(struct sp_page *page, const struct sp_record *record, struct sp_value time)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(record, row);
    const struct loss_frame f = frame_of(time.value, row, n);
    char unit[32], text[160];
    const char *why = sp_verdict_no_losses(record, text, sizeof text);
    if (why) {
        sp_page_element(page, "p", NULL, "Not known: %s.", why);
        return;
    }
    snprintf(unit, sizeof unit, "time %s", f.scale.prefix);
    const char *const heads[] = {"what", "bar", unit, "share", "origin"};
    sp_page_table_begin(page,
                        "Losses; they add up to the time of one execution, the rest is signed; each bar "
                        "begins where the one above it ends",
                        "hlrrl", heads);
    loss_rows(page, record, &f, row, n);
    total_row(page, &f, time);
    sp_page_table_end(page);
}

static void bottleneck(struct sp_page *page, const struct sp_record *record)
{
    const char *kind = sp_verdict_bottleneck(record);
    bool proved = false;
    if (!kind)
        return;
    sp_record_flag(record, SP_F_BOTTLENECK_PROVED, &proved);
    sp_page_put(page, "<p>");
    sp_page_element(page, "strong", NULL, "Bottleneck: %s", kind);
    sp_page_text(page, " (%s): %s.", proved ? "measured" : "modelled",
                 sp_words_text(record, SP_F_BOTTLENECK_WHY, ""));
    sp_page_put(page, "</p>\n");
}

/* Runs with something changed, which show what a loss is. */
static void interventions(struct sp_page *page, const struct sp_record *record)
{
    const json_t *list = sp_record_node(record, SP_F_INTERVENTIONS), *one;
    size_t i;
    if (json_array_size(list) == 0)
        return;
    sp_page_put(page, "<ul class=\"plain\">\n");
    json_array_foreach(list, i, one)
    {
        const char *text = sp_item_text(one, "text"),
                   *name = sp_intervention_words(sp_item_text(one, "name"));
        const struct sp_value time = sp_record_value_of(json_object_get(one, "time_s"));
        if (text)
            sp_page_element(page, "li", NULL, "Proof: %s (%s%s%s)", text, name ? name : "", name ? ", " : "",
                            sp_value_known(time) ? sp_origin_name(time.origin)
                            : time.why           ? time.why
                                                 : "unknown");
    }
    sp_page_put(page, "</ul>\n");
}

void sp_html_losses(struct sp_page *page, const struct sp_record *record)
{
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    if (!json_is_object(sp_record_node(record, SP_F_LOSSES)))
        return;
    sp_page_heading(page, page->level, "losses", "Where the time goes");
    if (!sp_value_known(time) || !(time.value > 0)) {
        sp_page_element(page, "p", NULL, "Unknown: %s.", time.why ? time.why : "the time is 0");
        return;
    }
    loss_table(page, record, time);
    bottleneck(page, record);
    interventions(page, record);
}
