/* Model beside measurement, and where the time goes. */
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "report/html/html_page.h"
#include "report/html/html_sections.h"
#include "report/report_words.h"
#include "report/text/sections.h"
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
    const char *key = sp_field_within(sp_loss_words[row->loss].field, SP_F_LOSSES);
    const bool is_part = !key || strcmp(key, row->cause) != 0; /* of execution, in a colour of its own */
    const double left = (fmin(from, from + x) - f->least) / f->longest, width = fabs(x) / f->longest;
    if (width < 0.0005) {
        sp_page_put(page, NO_BAR);
        return;
    }
    sp_print(page->out,
             "<td class=\"bars\"><span aria-hidden=\"true\" class=\"bar l%d%s%s%s\" "
             "style=\"margin-left:%.2f%%;width:%.2f%%\" title=\"%s: %s%.*f %s\"></span></td>",
             row->loss, is_part ? " " : "", is_part ? row->cause : "", x < 0 ? " minus" : "", 100 * left,
             100 * width, row->words, x < 0 ? "−" : "", f->decimals, fabs(x) / f->scale.factor,
             f->scale.prefix);
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

/* What to do about it: hints, what is no problem, what was tried; flags and remarks. */

enum { CELL = 96 };

static void fact(struct sp_page *page, const char *name, const char *tag, const char *class, const char *text)
{
    if (!text || !*text)
        return;
    sp_page_element(page, "dt", NULL, "%s", name);
    sp_page_put(page, "<dd>");
    sp_page_element(page, tag, class, "%s", text);
    sp_page_put(page, "</dd>\n");
}

/* What came of it where it was tried. */
static void observed(struct sp_page *page, const json_t *hint)
{
    const json_t *observation = json_object_get(hint, "observed");
    const char *outcome = sp_item_text(hint, "outcome"), *failed;
    char text[CELL], line[256];
    if (!observation || json_is_null(observation))
        return;
    const struct sp_value v = sp_record_value_of(observation);
    failed = sp_item_text(json_object_get(hint, "trial"), "failed");
    if (json_is_number(observation))
        snprintf(line, sizeof line, "time %s%s measured", json_number_value(observation) < 0 ? "+" : "",
                 sp_figure_percent(text, sizeof text, -json_number_value(observation)));
    else if (sp_value_known(v))
        snprintf(line, sizeof line, "time %s %s%s%s", sp_observed_text(hint, text, sizeof text),
                 sp_origin_name(v.origin), outcome ? ": " : "", outcome ? sp_outcome_words(hint) : "");
    else
        snprintf(line, sizeof line, "not tried%s%.180s", failed || v.why ? ": " : "",
                 failed  ? failed
                 : v.why ? v.why
                         : "");
    fact(page, "Observed", "strong", sp_html_ink_class(sp_outcome_ink(outcome)), line);
    fact(page, "Conditions", "span", NULL, sp_conditions_text(hint, line, sizeof line));
}

static void hint_article(struct sp_page *page, const json_t *hint, size_t number)
{
    const char *id = sp_item_text(hint, "id"), *title = sp_item_text(hint, "title"),
               *evidence = sp_item_text(hint, "evidence");
    char text[256], gain[CELL], name[64];
    snprintf(text, sizeof text, "%s %s", id ? id : "?", title ? title : "");
    snprintf(name, sizeof name, "hint-%zu", number);
    sp_page_put(page, "<article>\n");
    sp_page_heading(page, page->level + 1, name, text);
    if (evidence && *evidence)
        sp_page_element(page, "p", NULL, "%s", evidence);
    sp_page_put(page, "<dl class=\"facts\">\n");
    fact(page, "Predicted", "strong", NULL, sp_gain_text(hint, gain, sizeof gain));
    fact(page, "Confidence", "span", NULL, sp_item_text(hint, "confidence"));
    observed(page, hint);
    fact(page, "Try", "code", NULL, sp_item_text(hint, "try"));
    fact(page, "Expect", "span", NULL, sp_item_text(hint, "expect"));
    fact(page, "Cost", "span", NULL, sp_item_text(hint, "cost"));
    sp_page_put(page, "</dl>\n</article>\n");
}

static void not_a_problem(struct sp_page *page, const struct sp_record *record)
{
    const json_t *list = sp_record_node(record, SP_F_NOT_A_PROBLEM), *one;
    size_t i;
    if (json_array_size(list) == 0)
        return;
    sp_page_heading(page, page->level, "fine", "Not a problem (checked)");
    sp_page_put(page, "<ul class=\"plain\">\n");
    json_array_foreach(list, i, one)
    {
        const char *check = sp_item_text(one, "check"), *figure = sp_item_text(one, "figure");
        if (sp_verdict_contradicts(record, one))
            continue;
        sp_page_element(page, "li", NULL, "%s: %s", check ? check : "?", figure ? figure : "no figure");
    }
    sp_page_put(page, "</ul>\n");
}

/* The same ones as the terminal, best first. */
void sp_html_hints(struct sp_page *page, const struct sp_record *record)
{
    enum { MOST_SHOWN = 3 };
    const json_t *hints = sp_record_node(record, SP_F_HINTS), *shown[MOST_SHOWN];
    const int n = sp_hints_shown(record, shown, MOST_SHOWN);
    if (!json_is_array(hints))
        return;
    sp_page_heading(page, page->level, "hints", "Hints");
    if (n == 0)
        sp_page_element(page, "p", NULL, "None gains 3 %% for certain.");
    for (int i = 0; i < n; i++)
        hint_article(page, shown[i], (size_t)i + 1);
}

void sp_html_more_hints(struct sp_page *page, const struct sp_record *record)
{
    enum { MOST_SHOWN = 3 };
    const json_t *shown[MOST_SHOWN], *hint;
    const int n = sp_hints_shown(record, shown, MOST_SHOWN);
    size_t i;
    int number = n;
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, hint)
    {
        bool is_shown = false;
        for (int k = 0; k < n; k++)
            is_shown = is_shown || shown[k] == hint;
        if (is_shown)
            continue;
        if (number == n)
            sp_page_heading(page, page->level, "more-hints", "Smaller or less certain hints");
        hint_article(page, hint, (size_t)++number);
    }
    not_a_problem(page, record);
}

static void tried_row(struct sp_page *page, const char *label, const json_t *item, bool with_prediction)
{
    const json_t *trial = json_object_get(item, "trial");
    const char *change = sp_item_text(trial, "change"), *failed = sp_item_text(trial, "failed"),
               *outcome = sp_item_text(item, "outcome");
    const double setup = sp_item_number(trial, "setup_executions"),
                 pays = sp_item_number(trial, "pays_after");
    char text[256], said[200];
    if (!trial)
        return;
    sp_page_row_begin(page, NULL);
    sp_page_cell(page, 'h', label);
    sp_page_cell(page, 'l', change && *change ? change : failed ? "–" : "no options");
    sp_page_cell(page, 'r', with_prediction ? sp_predicted_text(item, text, sizeof text) : "");
    sp_page_cell(page, 'r', failed ? "not tried" : sp_observed_text(item, text, sizeof text));
    char *end = text + snprintf(text, sizeof text, "%.200s",
                                failed                       ? failed
                                : with_prediction && outcome ? sp_outcome_words(item)
                                                             : "");
    if (!failed && with_prediction && *sp_conditions_text(item, said, sizeof said))
        snprintf(end, sizeof text - (size_t)(end - text), ": %s", said);
    sp_page_cell(page, 'l', text);
    *text = '\0';
    if (isfinite(setup) && isfinite(pays))
        snprintf(text, sizeof text, "%.*f, pays after %.0f", setup < 10 ? 1 : 0, setup, pays);
    else if (isfinite(setup))
        snprintf(text, sizeof text, "%.*f", setup < 10 ? 1 : 0, setup);
    sp_page_cell(page, 'l', text);
    sp_page_row_end(page);
}

static void best(struct sp_page *page, const struct sp_record *record)
{
    const json_t *found = sp_record_node(record, SP_F_TRIES_BEST);
    const char *command = sp_item_text(found, "command");
    char said[320], again[320], gain[CELL];
    if (!command) {
        sp_page_element(
            page, "p", NULL, "Best: %s.",
            sp_tries_were_stopped(record)
                ? "unknown. The trials were interrupted; until then nothing was faster beyond the noise"
                : "the run as it is. Nothing that was tried is faster beyond the noise");
        return;
    }
    sp_page_put(page, "<p><strong>Best:</strong> ");
    sp_page_element(page, "code", NULL, "%s", command);
    if (*sp_faster_text(found, said, sizeof said))
        sp_page_text(page, " takes %s (time %s, %s).", said, sp_observed_text(found, gain, sizeof gain),
                     sp_confirmation_text(found, again, sizeof again));
    if (*sp_against_honest_text(sp_record_node(record, SP_F_TRIES), said, sizeof said))
        sp_page_text(page, " That is %s.", said);
    if (*sp_conditions_text(found, said, sizeof said))
        sp_page_text(page, " Not conclusive: %s.", said);
    if (sp_record_value_of(json_object_get(found, "observed")).lo <= 0)
        sp_page_text(page, " Not certain: fresh processes do not all show the gain.");
    sp_page_put(page, "</p>\n");
}

void sp_html_tries(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"hints",    "change",  "predicted",
                                        "observed", "outcome", "set-up, executions"};
    const json_t *tries = sp_record_node(record, SP_F_TRIES), *item;
    char took[CELL], allowed[CELL], caption[256];
    size_t i;
    if (!json_is_object(tries))
        return;
    sp_page_heading(page, page->level, "tried", "Tried");
    const double cost = sp_item_number(tries, "cost_s"), budget = sp_item_number(tries, "budget_s");
    snprintf(caption, sizeof caption, "Change of the time, predicted and measured; %s of %s spent",
             isfinite(cost) ? sp_text_seconds(took, sizeof took, cost) : "unknown",
             isfinite(budget) ? sp_text_seconds(allowed, sizeof allowed, budget) : "unknown");
    sp_page_table_begin(page, caption, "hlrrll", heads);
    tried_row(page, "honest", json_object_get(tries, "honest"), false);
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, item)
        tried_row(page, sp_item_text(item, "id") ? sp_item_text(item, "id") : "?", item, true);
    json_array_foreach(json_object_get(tries, "further"), i, item)
        tried_row(page, sp_item_text(item, "hints") ? sp_item_text(item, "hints") : "?", item, true);
    sp_page_table_end(page);
    best(page, record);
}

static const char *text_of(const json_t *item)
{
    const char *text = json_is_string(item) ? json_string_value(item) : sp_item_text(item, "text");
    return text ? text : "";
}

void sp_html_notes(struct sp_page *page, const struct sp_record *record)
{
    const json_t *flags = sp_record_node(record, SP_F_FLAGS), *remarks = sp_record_node(record, SP_F_REMARKS),
                 *one;
    size_t i;
    sp_page_heading(page, page->level, "notes", "Flags and remarks");
    if (!json_is_array(flags))
        sp_page_element(page, "p", NULL, "Flags: unknown; the record has no list of them.");
    else if (json_array_size(flags) == 0)
        sp_page_element(page, "p", NULL, "No flag: no check found a reason to doubt the numbers.");
    if (json_array_size(flags) + json_array_size(remarks) == 0)
        return;
    sp_page_put(page, "<ul class=\"plain\">\n");
    json_array_foreach(flags, i, one)
    {
        const char *code = sp_item_text(one, "code");
        sp_page_put(page, "<li>");
        sp_page_element(page, "strong", "bad", "%s", code ? code : "?");
        sp_page_text(page, " %s", text_of(one));
        sp_page_put(page, "</li>\n");
    }
    json_array_foreach(remarks, i, one) sp_page_element(page, "li", NULL, "%s", text_of(one));
    sp_page_put(page, "</ul>\n");
}
