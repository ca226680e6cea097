#include "report/text/report_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "io/record/record.h"
#include "report/text/sections.h"
#include "report/verdict/verdict.h"

/* Lines below the verdict, unless more is asked for. */
enum { MOST_LINES = 18 };

void sp_report_text(const struct sp_record *record, const struct sp_report_style *style, FILE *out)
{
    struct sp_pen pen;
    sp_pen_open(&pen, style, out);
    sp_section_verdict(&pen, record);
    sp_section_own(&pen, record);
    sp_section_ranks(&pen, record, style->verbosity > 0);
    if (style->verbosity < 1) {
        sp_section_losses_brief(&pen, record);
        sp_section_hints_brief(&pen, record, 6 + MOST_LINES - pen.lines);
        return;
    }
    fputc('\n', out);
    sp_section_head(&pen, record);
    sp_section_table(&pen, record);
    sp_section_levels(&pen, record);
    sp_section_gathers(&pen, record);
    sp_section_losses(&pen, record);
    sp_section_domains(&pen, record);
    sp_section_unfused(&pen, record);
    sp_section_hints(&pen, record);
    sp_section_tries(&pen, record);
    sp_section_costs(&pen, record);
    sp_section_notes(&pen, record);
}

/* Words on one line, whatever they were before. */
static void put_words(FILE *out, const char *text)
{
    char shown[SP_VISIBLE_MOST];
    bool blank = false;
    for (const char *p = text; *p;) {
        if (isspace((unsigned char)*p)) {
            blank = p++ != text;
            continue;
        }
        if (blank)
            fputc(' ', out);
        blank = false;
        sp_visible_next(&p, shown);
        fputs(shown, out);
    }
}

void sp_line_text(FILE *out, const char *key, const char *text)
{
    sp_print(out, "%s: ", key);
    put_words(out, text && *text ? text : "unknown");
    fputc('\n', out);
}

void sp_line_value(FILE *out, const char *key, struct sp_value v, const char *unit)
{
    if (sp_value_known(v) && isfinite(v.value)) {
        sp_print(out, "%s: %.9e %s (%s)\n", key, v.value, unit, sp_origin_name(v.origin));
        return;
    }
    sp_print(out, "%s: unknown %s (", key, unit);
    put_words(out, v.why && *v.why ? v.why : "the record does not say");
    fputs(")\n", out);
}

static void put_flags(const struct sp_record *r, FILE *out)
{
    const json_t *flags = sp_record_node(r, SP_F_FLAGS), *flag;
    size_t i;
    fputs("flags:", out);
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code");
        fputc(' ', out);
        put_words(out, code ? code : "unknown");
    }
    fputs(json_array_size(flags) > 0 ? "\n" : " none\n", out);
}

static void put_verdict(const struct sp_record *r, FILE *out)
{
    bool ok;
    if (sp_record_flag(r, SP_F_VERIFY_OK, &ok))
        sp_line_text(out, "verify", ok ? "ok" : "wrong");
    else {
        fputs("verify: unknown (", out);
        put_words(out, sp_words_text(r, SP_F_VERIFY_WHY, "the record does not say"));
        fputs(")\n", out);
    }
}

static void put_roof(const struct sp_record *r, FILE *out)
{
    const json_t *roof = sp_record_roof(r);
    const char *disturbed = sp_verdict_disturbed(r);
    const char *unit = roof ? sp_item_text(roof, "unit") : NULL;
    sp_line_value(out, "roof",
                  disturbed ? sp_value_none(disturbed)
                  : roof    ? sp_record_value_of(roof)
                            : sp_value_none("the record has no roof of this run"),
                  unit ? unit : "B/s");
}

/* Each with the first word of how it was found, where that is an origin; the rest is what the
 * others leave. They add up to the time. */
static void put_losses(const struct sp_record *r, FILE *out)
{
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        const enum sp_record_field loss = sp_loss_words[i].field;
        char name[64];
        double seconds;
        snprintf(name, sizeof name, "loss_%s", sp_field_key(loss));
        const char *how = sp_words_text(r, sp_loss_origin(loss), "");
        if (!sp_record_loss(r, i, &seconds)) {
            const char *why = sp_item_text(sp_record_node(r, loss), "why");
            sp_line_value(out, name, sp_value_none(why ? why : "not examined"), "s");
            continue;
        }
        sp_print(out, "%s: %.9e s (%s)\n", name, seconds, sp_loss_origin_word(how));
    }
}

/* The state of the machine, and the lines of the verdict that speak of the time. */
static void put_state(const struct sp_record *r, FILE *out)
{
    static const char *const keys[] = {"possible", "reached", "do", "trust"};
    json_t *v = sp_verdict_of(r);
    char key[32];
    sp_line_text(out, "state", sp_item_text(json_object_get(v, "state"), "text"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(key, sizeof key, "verdict_%s", keys[i]);
        sp_line_text(out, key, sp_item_text(json_object_get(v, keys[i]), "text"));
    }
    json_decref(v);
}

/* How many samples a run of the record has, at most 2. */
static int some_samples(const struct sp_record *r)
{
    const json_t *runs = sp_record_node(r, SP_F_RUNS), *run;
    size_t i, n = 0;
    json_array_foreach(runs, i, run) n += json_array_size(json_object_get(run, "time_s"));
    return n > 2 ? 2 : (int)n;
}

/* A metric, unknown where it rests on times that do not hold, or on too few of them. */
static struct sp_value figure_of(const struct sp_record *r, const char *name, const json_t *metric)
{
    static const char *const of_time[] = {"time", "spread", "performance", "bandwidth", "lambda_t"};
    for (size_t i = 0; sp_verdict_disturbed(r) && i < sizeof of_time / sizeof *of_time; i++)
        if (strcmp(name, of_time[i]) == 0)
            return sp_value_none(sp_verdict_disturbed(r));
    if (strcmp(name, "spread") == 0 && some_samples(r) == 1)
        return sp_value_none("one sample has no spread");
    return sp_record_value_of(metric);
}

/* Of a job of several ranks: what one product sends, and whether that was counted. */
static void put_ranks(const struct sp_record *r, FILE *out)
{
    int64_t n, halo_B, messages;
    bool same;
    if (!sp_record_count(r, SP_F_RANKS_N, &n))
        return;
    sp_print(out, "ranks: %lld\n", (long long)n);
    if (sp_record_count(r, SP_F_RANKS_HALO_B, &halo_B))
        sp_line_value(out, "halo", sp_value_of((double)halo_B, SP_MODELLED), "B");
    if (sp_record_count(r, SP_F_RANKS_MESSAGES, &messages))
        sp_line_value(out, "messages", sp_value_of((double)messages, SP_MODELLED), "1");
    sp_line_text(out, "counted",
                 !sp_record_flag(r, SP_F_RANKS_COUNTED_AS_PREDICTED, &same) ? NULL
                 : same                                                     ? "as predicted"
                                                                            : "other than predicted");
}

void sp_report_lines(const struct sp_record *r, FILE *out)
{
    static const struct {
        const char *key;
        enum sp_record_field field;
    } words[] = {{"record", SP_F_ID},
                 {"status", SP_F_STATUS},
                 {"matrix", SP_F_PROBLEM_NAME},
                 {"operation", SP_F_CONFIG_OP},
                 {"format", SP_F_CONFIG_FORMAT_OPTION},
                 {"kernel", SP_F_CONFIG_KERNEL},
                 {"machine", SP_F_MACHINE_NAME}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        sp_line_text(out, words[i].key, sp_words_text(r, words[i].field, NULL));
    put_state(r, out);
    int64_t threads;
    if (sp_record_count(r, SP_F_CONFIG_THREADS, &threads))
        sp_print(out, "threads: %lld\n", (long long)threads);
    put_verdict(r, out);
    put_flags(r, out);
    const char *name;
    json_t *metric;
    json_object_foreach((json_t *)sp_record_node(r, SP_F_METRICS), name, metric)
    {
        const char *unit = sp_item_text(metric, "unit");
        sp_line_value(out, name, figure_of(r, name, metric), unit ? unit : "1");
    }
    put_roof(r, out);
    put_losses(r, out);
    put_ranks(r, out);
}
