#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record_losses.h"
#include "report/report_words.h"
#include "report/text/sections.h"
#include "report/verdict/verdict.h"

/* In the order of sp_loss_words. */
static const enum sp_ink inks[SP_N_LOSS_ROWS] = {SP_INK_BLUE,    SP_INK_CYAN, SP_INK_YELLOW, SP_INK_YELLOW,
                                                 SP_INK_MAGENTA, SP_INK_RED,  SP_INK_DIM};

/* Shares below this are named in one line instead of each in its own. */
#define SMALL 0.005

/* Columns of the longest bar. */
static int bar_columns(const struct sp_pen *pen)
{
    return pen->width >= 96 ? 28 : pen->width >= 80 ? 18 : 10;
}

/* How seconds are shown, and how long the bars are. */
struct loss_frame {
    double total, longest; /* [s] */
    struct sp_scale scale;
    int decimals;
};

static struct loss_frame frame_of(double total, const struct sp_verdict_row *row, int n)
{
    const struct sp_scale scale = sp_scale_of_seconds(total);
    struct loss_frame f = {total, 0, scale, sp_figure_decimals(total / scale.factor, 3)};
    for (int i = 0; i < n; i++)
        f.longest = fmax(f.longest, fabs(row[i].share) * total);
    return f;
}

/* Bar, words, seconds and share of x [s]. */
static void bar_part(struct sp_pen *pen, const struct loss_frame *f, int loss, const char *words, double x)
{
    const int bar = bar_columns(pen), at = bar + 2;
    char text[64];
    sp_pen_put(pen, SP_INK_PLAIN, " ");
    sp_pen_bar(pen, inks[loss], fabs(x) / f->longest * bar, x < 0);
    sp_pen_tab(pen, at);
    sp_pen_put(pen, SP_INK_PLAIN, "%s", words);
    snprintf(text, sizeof text, "%s%.*f", x < 0 ? "−" : "", f->decimals, fabs(x) / f->scale.factor);
    sp_pen_right(pen, SP_INK_PLAIN, at + 25, text);
    sp_pen_right(pen, SP_INK_BOLD, at + 33, sp_figure_percent(text, sizeof text, x / f->total));
    pen->indent = at + 36;
    sp_pen_tab(pen, pen->indent);
}

static void loss_line(struct sp_pen *pen, const struct loss_frame *f, const struct sp_verdict_row *row)
{
    const double x = row->share * f->total;
    const bool flagged = sp_loss_is_flagged(row->loss, x, f->total);
    bar_part(pen, f, row->loss, row->words, x);
    sp_pen_words(pen, flagged ? SP_INK_RED : SP_INK_DIM, row->how);
    if (flagged && !strstr(row->how, "flagged"))
        sp_pen_words(pen, SP_INK_RED, "flagged");
    sp_pen_end(pen);
}

static void small_line(struct sp_pen *pen, const struct sp_verdict_row *row, int n)
{
    bool any = false;
    pen->indent = 1;
    for (int i = 0; i < n; i++) {
        if (fabs(row[i].share) >= SMALL)
            continue;
        if (!any)
            sp_pen_put(pen, SP_INK_DIM, " below 0.5 %%:");
        sp_pen_part(pen, SP_INK_DIM, 1, "%s%s", any ? "· " : "", row[i].words);
        any = true;
    }
    if (any)
        sp_pen_end(pen);
}

static void intervention_lines(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *list = sp_record_node(record, SP_F_INTERVENTIONS), *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        const char *text = sp_item_text(one, "text"),
                   *name = sp_intervention_words(sp_item_text(one, "name"));
        struct sp_value time = sp_record_value_of(json_object_get(one, "time_s"));
        if (!text)
            continue;
        sp_pen_put(pen, SP_INK_PLAIN, " ");
        sp_pen_put(pen, SP_INK_BOLD, "proof");
        pen->indent = 8;
        sp_pen_tab(pen, 8);
        sp_pen_words(pen, SP_INK_PLAIN, text);
        sp_pen_part(pen, SP_INK_DIM, 1, "(%s%s%s)", name ? name : "", name ? ", " : "",
                    sp_value_known(time) ? sp_origin_name(time.origin) : time.why);
        sp_pen_end(pen);
    }
}

/* The class of what limits the run, and the figures that it rests on. */
static void bottleneck_line(struct sp_pen *pen, const struct sp_record *record)
{
    const char *kind = sp_verdict_bottleneck(record);
    bool proved = false;
    if (!kind)
        return;
    sp_record_flag(record, SP_F_BOTTLENECK_PROVED, &proved);
    sp_pen_put(pen, SP_INK_BOLD, " bottleneck %s", kind);
    pen->indent = 12;
    sp_pen_part(pen, SP_INK_DIM, 2, "%s", proved ? "(measured)" : "(modelled)");
    sp_pen_words(pen, SP_INK_PLAIN, sp_words_text(record, SP_F_BOTTLENECK_WHY, ""));
    sp_pen_end(pen);
}

/* The heading with the time behind it; false: there are no losses to follow it. */
static bool heading(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    if (!json_is_object(sp_record_node(record, SP_F_LOSSES)))
        return false;
    sp_pen_end(pen);
    sp_pen_put(pen, SP_INK_BOLD, "WHERE THE TIME GOES");
    if (!sp_value_known(time) || !(time.value > 0) || sp_verdict_disturbed(record)) {
        sp_pen_put(pen, SP_INK_PLAIN, "  unknown (%s)",
                   sp_verdict_disturbed(record) ? sp_verdict_disturbed(record)
                   : time.why                   ? time.why
                                                : "the time is 0");
        sp_pen_end(pen);
        return false;
    }
    const struct sp_scale scale = sp_scale_of_seconds(time.value);
    char text[64];
    snprintf(text, sizeof text, "%.*f %s", sp_figure_decimals(time.value / scale.factor, 3),
             time.value / scale.factor, scale.prefix);
    sp_pen_right(pen, SP_INK_BOLD, bar_columns(pen) + 2 + 26 + (int)strlen(scale.prefix), text);
    return true;
}

void sp_section_losses_brief(struct sp_pen *pen, const struct sp_record *record)
{
    const char *kind = sp_verdict_bottleneck(record);
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(record, row);
    bool proved = false;
    if (n == 0 || !heading(pen, record))
        return;
    sp_record_flag(record, SP_F_BOTTLENECK_PROVED, &proved);
    char named[64];
    snprintf(named, sizeof named, "   bottleneck: %s (%s)", kind ? kind : "",
             proved ? "measured" : "modelled");
    if (pen->column + sp_pen_columns(pen, named) > pen->width)
        named[strcspn(named, "(") - 1] = '\0';
    sp_pen_put(pen, SP_INK_PLAIN, "%s", kind ? named : "");
    sp_pen_end(pen);
    const double total = sp_record_value(record, SP_F_METRICS_TIME).value;
    const struct loss_frame f = frame_of(total, row, n);
    for (int i = 0; i < n; i++) {
        if (fabs(row[i].share) < SMALL)
            continue;
        bar_part(pen, &f, row[i].loss, row[i].words, row[i].share * total);
        sp_pen_put(pen, SP_INK_DIM, "%s", sp_loss_origin_word(row[i].how));
        sp_pen_end(pen);
    }
}

/* A loss of the record that nothing is known of. */
static void unknown_line(struct sp_pen *pen, const struct sp_record *record, int loss)
{
    const char *why = sp_words_text(record, sp_loss_origin(sp_loss_words[loss].field), "");
    const int bar = bar_columns(pen);
    sp_pen_tab(pen, bar + 2);
    pen->indent = bar + 2;
    sp_pen_put(pen, SP_INK_PLAIN, "%s", sp_loss_words[loss].words);
    sp_pen_tab(pen, bar + 2 + 21);
    pen->indent = pen->column;
    if (strncmp(why, "unknown", strlen("unknown")) != 0)
        sp_pen_words(pen, SP_INK_YELLOW, "unknown:");
    sp_pen_words(pen, SP_INK_YELLOW, *why ? why : "no reason given");
    sp_pen_end(pen);
}

void sp_section_losses(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    char text[160];
    const char *why = sp_verdict_no_losses(record, text, sizeof text);
    const int n = sp_verdict_rows(record, row);
    if (!heading(pen, record))
        return;
    sp_pen_end(pen);
    if (why) {
        pen->indent = 1;
        sp_pen_put(pen, SP_INK_PLAIN, " not known:");
        sp_pen_words(pen, SP_INK_PLAIN, why);
        sp_pen_end(pen);
    }
    const struct loss_frame f = frame_of(sp_record_value(record, SP_F_METRICS_TIME).value, row, n);
    for (int i = 0; i < n; i++)
        if (fabs(row[i].share) >= SMALL)
            loss_line(pen, &f, &row[i]);
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        double x;
        if (!sp_record_loss(record, i, &x) && sp_record_node(record, sp_loss_words[i].field))
            unknown_line(pen, record, i);
    }
    small_line(pen, row, n);
    intervention_lines(pen, record);
    bottleneck_line(pen, record);
}

/* BYTES: who counted them, are they believed; where measured and simulated alpha disagree. */

enum { HEAD = 9 };

static void put_line(struct sp_pen *pen, const char *text)
{
    pen->indent = HEAD;
    sp_pen_tab(pen, HEAD);
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
}

static void difference_line(struct sp_pen *pen, const struct sp_record *record)
{
    double difference, left;
    bool is_small = false, compared = true;
    double interval = 0;
    const json_t *causes = sp_record_node(record, SP_F_COUNTERS_ALPHA_DIFFERENCE_CAUSES), *cause;
    if (!sp_record_number(record, SP_F_COUNTERS_ALPHA_DIFFERENCE_DIFFERENCE, &difference) ||
        !sp_record_number(record, SP_F_COUNTERS_ALPHA_DIFFERENCE_UNATTRIBUTED, &left))
        return;
    sp_record_flag(record, SP_F_COUNTERS_ALPHA_DIFFERENCE_SMALL, &is_small);
    sp_record_flag(record, SP_F_COUNTERS_ALPHA_DIFFERENCE_COMPARED, &compared);
    sp_record_number(record, SP_F_COUNTERS_ALPHA_DIFFERENCE_INTERVAL, &interval);
    char text[1024] = "", part[256];
    struct sp_value alpha = sp_record_value(record, SP_F_METRICS_ALPHA);
    snprintf(text, sizeof text, "alpha %s is %.3f %s alpha simulated", sp_origin_name(alpha.origin),
             fabs(difference), difference < 0 ? "below" : "above");
    if (is_small) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ": no more than the two may differ by");
    } else if (!compared) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "; causes are looked for in memory traffic only");
    } else {
        size_t i;
        json_array_foreach(causes, i, cause)
        {
            const char *name = sp_item_text(cause, "cause"), *why = sp_item_text(cause, "text");
            double explains = sp_item_number(cause, "explains");
            if (isfinite(explains))
                snprintf(part, sizeof part, "; %s explains %.3f (%s)", name ? name : "?", explains,
                         why ? why : "");
            else
                snprintf(part, sizeof part, "; %s not tested (%s)", name ? name : "?", why ? why : "");
            strncat(text, part, sizeof text - strlen(text) - 1);
        }
        snprintf(part, sizeof part, "; unattributed %.3f", left);
        if (interval > 0.005)
            snprintf(part + strlen(part), sizeof part - strlen(part), " (the interval of V alone is %.3f)",
                     interval);
        strncat(text, part, sizeof text - strlen(text) - 1);
    }
    put_line(pen, text);
}

static void w_part(const struct sp_record *record, char *text, size_t size)
{
    struct sp_value w = sp_record_value(record, SP_F_METRICS_W);
    char figure[96];
    if (w.origin == SP_MEASURED || w.origin == SP_CONSTRUCTED)
        snprintf(text + strlen(text), size - strlen(text), "; w = %s at this share of stores",
                 sp_figure_value(figure, sizeof figure, w, 1, "", 2));
}

static void domain_line(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *domains = sp_record_node(record, SP_F_COUNTERS_DOMAINS), *domain;
    char text[512] = "in memory domains:", figure[48];
    size_t i;
    if (json_array_size(domains) < 2)
        return;
    json_array_foreach(domains, i, domain)
    {
        struct sp_value v = sp_record_value_of(json_object_get(domain, "total_B"));
        if (strlen(text) < 400)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s %.0f: %s MB", i ? "," : "",
                     sp_item_number(domain, "domain"),
                     sp_value_known(v) ? sp_figure(figure, sizeof figure, v.value / 1e6, 4) : "unknown");
    }
    put_line(pen, text);
}

/* What alpha was taken from, and what it would be without x: it is as accurate as that. */
static void alpha_line(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value zero = sp_record_value(record, SP_F_METRICS_BYTES_ALPHA_ZERO),
                    seen = sp_record_value(record, SP_F_METRICS_BYTES_READ);
    const char *name = "V_read";
    char text[256], seen_text[96], zero_text[96];
    if (!sp_value_known(seen)) {
        name = "V";
        seen = sp_record_value(record, SP_F_METRICS_BYTES);
    }
    if (!sp_value_known(zero) || !sp_value_known(seen))
        return;
    sp_figure_value(seen_text, sizeof seen_text, seen, 1e6, "MB", 4);
    sp_figure_value(zero_text, sizeof zero_text, zero, 1e6, "MB", 4);
    snprintf(text, sizeof text, "%s %s; with alpha = 0 it would be %s", name, seen_text, zero_text);
    put_line(pen, text);
}

static void counted(struct sp_pen *pen, const struct sp_record *record)
{
    char text[1024];
    const char *trust = sp_words_text(record, SP_F_COUNTERS_TRUST_TEXT, "");
    snprintf(text, sizeof text, "%s", sp_words_text(record, SP_F_COUNTERS_HOW, ""));
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", sp_words_text(record, SP_F_COUNTERS_SOURCE, "counted"));
    sp_pen_part(pen, SP_INK_PLAIN, 2, "%s", text);
    sp_pen_end(pen);
    snprintf(text, sizeof text, "%s", trust);
    w_part(record, text, sizeof text);
    put_line(pen, text);
    domain_line(pen, record);
    alpha_line(pen, record);
    difference_line(pen, record);
}

/* One line: why nothing was counted, of the sources that were looked at the best. */
static void simulated(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *tried = sp_record_node(record, SP_F_BYTES_TRIED), *best = json_array_get(tried, 0), *item;
    size_t i;
    const bool by_formula = sp_record_value(record, SP_F_METRICS_BYTES).origin == SP_MODELLED;
    sp_pen_part(pen, SP_INK_BOLD, 0, by_formula ? "modelled  " : "simulated  ");
    if (!best) {
        sp_pen_put(pen, SP_INK_PLAIN, "%s",
                   sp_verdict_is_stated(record) ? "only the time was given" : "as asked for");
        sp_pen_end(pen);
        return;
    }
    /* The one that counted and was not believed; else perf, which needs no package: what stops it
     * stops the others. */
    json_array_foreach(tried, i, item)
    {
        const char *source = sp_item_text(item, "source");
        if (json_is_true(json_object_get(item, "opened"))) {
            best = item;
            break;
        }
        if (source && strcmp(source, "perf") == 0)
            best = item;
    }
    char text[512];
    snprintf(text, sizeof text, "no counters can be used: %s (spmodel doctor)",
             sp_item_text(best, "reason") ? sp_item_text(best, "reason") : "");
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
}

void sp_section_bytes(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *counters = sp_record_node(record, SP_F_COUNTERS);
    if (!sp_record_node(record, SP_F_BYTES_TRIED) && !counters)
        return;
    pen->indent = 0;
    sp_pen_put(pen, SP_INK_BOLD, "BYTES");
    sp_pen_tab(pen, HEAD);
    pen->indent = HEAD;
    if (json_is_object(json_object_get(counters, "trust")))
        counted(pen, record);
    else
        simulated(pen, record);
}
