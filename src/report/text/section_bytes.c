/* BYTES: who counted them, are they believed; where measured and simulated alpha disagree. */
#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "io/record/record_losses.h"
#include "report/text/sections.h"

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
