#include "report/report_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/option/run_option.h"
#include "base/text.h"
#include "io/record/record.h"

const char *sp_hint_per(const json_t *hint)
{
    const char *change = sp_item_text(hint, "change");
    if (!change)
        change = sp_item_text(json_object_get(hint, "trial"), "change");
    return !change                          ? NULL
           : strstr(change, SP_O_RHS " ")   ? "per vector"
           : strstr(change, SP_O_INNER " ") ? "per column"
                                            : NULL;
}

/* " per vector", "" none. */
static const char *per_of(const json_t *hint)
{
    const char *per = sp_hint_per(hint);
    return !per ? "" : strcmp(per, "per vector") == 0 ? " per vector" : " per column";
}

char *sp_saving_text(double lo, double hi, int decimals, char *text, size_t size)
{
    char low[32], high[32];
    snprintf(low, sizeof low, "%.*f", decimals, 100 * lo);
    snprintf(high, sizeof high, "%.*f", decimals, 100 * hi);
    if (strcmp(low, high) == 0)
        snprintf(text, size, "−%s %%", high);
    else if (strspn(low, "0.") == strlen(low))
        snprintf(text, size, "up to −%s %%", high);
    else
        snprintf(text, size, "−%s … −%s %%", low, high);
    return text;
}

char *sp_gain_text(const json_t *hint, char *text, size_t size)
{
    const json_t *gain = json_object_get(hint, "gain");
    double lo = sp_item_number(gain, "lo"), hi = sp_item_number(gain, "hi");
    const char *basis = sp_item_text(gain, "basis");
    if (!isfinite(lo) || !isfinite(hi)) {
        snprintf(text, size, "gain unknown");
        return text;
    }
    int decimals = fmax(lo, hi) < 0.0995 && fabs(lo * 100 - round(lo * 100)) > 0.05 ? 1 : 0;
    char saving[96];
    snprintf(text, size, "time%s %s %s", per_of(hint),
             sp_saving_text(lo, hi, decimals, saving, sizeof saving), basis ? basis : "");
    return text;
}

char *sp_predicted_text(const json_t *item, char *text, size_t size)
{
    const json_t *gain = json_object_get(item, "gain");
    const double lo = sp_item_number(gain, "lo"), hi = sp_item_number(gain, "hi");
    if (!isfinite(lo) || !isfinite(hi)) {
        snprintf(text, size, "none");
        return text;
    }
    return fabs(hi - lo) < 0.005 ? sp_saving_text(hi, hi, hi < 0.1, text, size)
                                 : sp_saving_text(lo, hi, 0, text, size);
}

char *sp_observed_text(const json_t *item, char *text, size_t size)
{
    const struct sp_value v = sp_record_value_of(json_object_get(item, "observed"));
    if (!sp_value_known(v)) {
        snprintf(text, size, "none");
        return text;
    }
    return sp_change_text(v, text, size);
}

char *sp_change_text(struct sp_value saved, char *text, size_t size)
{
    char number[64], *out = text, *const end = text + size;
    sp_figure_interval(number, sizeof number, -saved.value, -saved.hi, -saved.lo, 0.01,
                       fabs(saved.value) < 0.1 ? 2 : 3);
    out += snprintf(out, size, "%s", saved.value < 0 ? "+" : "");
    for (const char *c = number; *c && end - out > 4; c++)
        out += snprintf(out, (size_t)(end - out), "%s", *c == '-' ? "−" : (const char[]){*c, '\0'});
    snprintf(out, (size_t)(end - out), " %%");
    return text;
}

bool sp_tries_were_stopped(const struct sp_record *record)
{
    return sp_record_node(record, SP_F_TRIES) &&
           strcmp(sp_words_text(record, SP_F_STATUS, ""), "interrupted") == 0;
}

char *sp_conditions_text(const json_t *item, char *text, size_t size)
{
    const char *outcome = sp_item_text(item, "outcome");
    const double ratio = sp_item_number(item, "conditions");
    char times[32];
    *text = '\0';
    if (outcome && strcmp(outcome, "other conditions") == 0 && isfinite(ratio))
        snprintf(text, size,
                 "beside it the run took %s times as long: the machine changed, which this prediction does "
                 "not know",
                 sp_figure(times, sizeof times, ratio, 2));
    return text;
}

/* Does an execution do more work, or less, than one of the run? */
static bool has_other_work(const char *change)
{
    struct sp_change c;
    return change && sp_change_parse(change, &c) &&
           (sp_change_value(&c, SP_OPTION_RHS) || sp_change_value(&c, SP_OPTION_INNER));
}

char *sp_faster_text(const json_t *best, char *text, size_t size)
{
    const json_t *trial = json_object_get(best, "trial");
    const struct sp_value time = sp_record_value_of(json_object_get(trial, "time")),
                          base = sp_record_value_of(json_object_get(trial, "base_time")),
                          gain = sp_record_value_of(json_object_get(best, "observed"));
    const bool other = has_other_work(sp_item_text(trial, "change"));
    char after[64], before[64];
    *text = '\0';
    if (sp_value_known(time) && sp_value_known(base) && sp_value_known(gain))
        snprintf(text, size, "%s instead of %s%s",
                 sp_text_seconds(after, sizeof after, base.value * (1 - gain.value)),
                 sp_text_seconds(before, sizeof before, base.value),
                 other ? " for the work of one execution of the run" : "");
    return text;
}

char *sp_confirmation_text(const json_t *best, char *text, size_t size)
{
    const char *why = sp_item_text(best, "unconfirmed");
    if (why)
        snprintf(text, size, "not measured again: %s", why);
    else {
        const double n = sp_item_number(json_object_get(best, "trial"), "processes");
        snprintf(text, size, "measured in %.0f fresh process%s", n, n == 1 ? "" : "es");
    }
    return text;
}

char *sp_against_honest_text(const json_t *tries, char *text, size_t size)
{
    const struct sp_value honest = sp_record_value_of(
                              json_object_get(json_object_get(tries, "honest"), "observed")),
                          best =
                              sp_record_value_of(json_object_get(json_object_get(tries, "best"), "observed"));
    *text = '\0';
    if (sp_value_known(honest) && honest.lo > 0 && sp_value_known(best)) {
        const double change = (1 - best.value) / (1 - honest.value) - 1;
        snprintf(text, size, "%s%.*f %% of the time against the honest baseline, derived from both",
                 change < 0 ? "−" : "+", fabs(change) < 0.0995 ? 1 : 0, 100 * fabs(change));
    }
    return text;
}

const char *sp_outcome_words(const json_t *item)
{
    const char *outcome = sp_item_text(item, "outcome");
    const struct sp_value v = sp_record_value_of(json_object_get(item, "observed"));
    if (!outcome || strcmp(outcome, "other conditions") != 0)
        return outcome;
    return sp_value_known(v) && (v.lo > 0 || v.hi < 0) ? "prediction untested: the machine changed"
                                                       : "not conclusive: the machine changed";
}

const char *sp_intervention_words(const char *name)
{
    static const char *const old = "linearised"; /* indices: in records before 2026-11-23 */
    return name && strncmp(name, old, strlen(old)) == 0 ? "all gathers from L1 (test)" : name;
}

enum sp_ink sp_outcome_ink(const char *outcome)
{
    return !outcome || strncmp(outcome, "not", 3) == 0 || strcmp(outcome, "open") == 0 ||
                   strncmp(outcome, "other", 5) == 0
               ? SP_INK_PLAIN
           : strcmp(outcome, "refuted") == 0  ? SP_INK_RED
           : strncmp(outcome, "less", 4) == 0 ? SP_INK_YELLOW
                                              : SP_INK_GREEN;
}

char *sp_roof_age_text(const json_t *roof, char *text, size_t size)
{
    double age = sp_item_number(roof, "age_s");
    const char *when = sp_item_text(roof, "when");
    *text = '\0';
    if (age > 86400 && when && *when)
        snprintf(text, size, " on %.10s", when);
    else if (age > 86400)
        snprintf(text, size, " %.0f days before", age / 86400);
    else if (age > 3600)
        snprintf(text, size, " %.0f h before", age / 3600);
    return text;
}

const char *sp_status_text(const struct sp_record *record, const char **status)
{
    const char *word = sp_words_text(record, SP_F_STATUS, "complete");
    if (status)
        *status = word;
    return strcmp(word, "interrupted") == 0
               ? "the analysis was stopped: what is missing below was not measured"
           : strcmp(word, "constructed") == 0
               ? "an invented example that shows the form; nothing below was measured"
           : strcmp(word, "failed") == 0 ? "the analysis failed; see the flags below"
                                         : NULL;
}

bool sp_loss_is_flagged(int i, double x, double time)
{
    static const double flagged = 0.10;
    return sp_loss_words[i].field == SP_F_LOSSES_REST && fabs(x) > flagged * time;
}

struct sp_value sp_record_linear_time(const struct sp_record *record)
{
    const json_t *one;
    size_t i;
    json_array_foreach(sp_record_node(record, SP_F_INTERVENTIONS), i, one)
    {
        const char *name = sp_item_text(one, "name");
        if (name && strncmp(sp_intervention_words(name), "all gathers", 11) == 0)
            return sp_record_value_of(json_object_get(one, "time_s"));
    }
    return sp_value_none("no test with all gathers from L1 was made");
}
