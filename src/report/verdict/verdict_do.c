/* What to do: the best of the hints. */
#include "base/option/option_words.h"
#include "base/reading.h"
#include "report/report_words.h"
#include "report/verdict/verdict.h"

/* The time of a change on one set of arrays over that on another. */
#define OTHER_ARRAYS 1.03
/* A gain below this share of the best one is not as good, however wide its interval is. */
#define AS_GOOD 0.7

static double gain_lo(const json_t *hint)
{
    return sp_item_number(json_object_get(hint, "gain"), "lo");
}

struct sp_value sp_hint_observed(const json_t *hint)
{
    const json_t *observed = json_object_get(hint, "observed");
    const struct sp_value v = json_is_number(observed) ? sp_value_of(json_number_value(observed), SP_MEASURED)
                                                       : sp_record_value_of(observed);
    if (sp_value_known(v) && v.lo <= 0 && v.hi >= fmax(SP_VERDICT_GAIN, gain_lo(hint)))
        return sp_value_none("the trial told neither a gain nor that there is none");
    return v;
}

bool sp_hint_is_shown(const json_t *hint)
{
    const struct sp_value v = sp_hint_observed(hint);
    return sp_value_known(v) ? v.value >= SP_VERDICT_GAIN && !(v.lo <= 0) : gain_lo(hint) >= SP_VERDICT_GAIN;
}

/* What was seen counts more than any promise. */
static double worth_of(const json_t *hint)
{
    const struct sp_value v = sp_hint_observed(hint);
    return !sp_hint_is_shown(hint) || !sp_item_text(hint, "try") ? 0
           : sp_value_known(v)                                   ? 1 + v.value
                                                                 : gain_lo(hint);
}

static enum sp_effort effort_of(const json_t *hint)
{
    return sp_effort_from_name(sp_item_text(hint, "effort"));
}

/* Does it keep the kernel of the user's own that was analysed? */
static bool keeps_own(const struct sp_record *record, const json_t *hint)
{
    const char *try = sp_item_text(hint, "try");
    return try && sp_record_node(record, SP_F_OWN_NAME) &&
           (strstr(try, SP_O_KERNEL) || effort_of(hint) == SP_EFFORT_PROGRAM);
}

/* Those that do come first. */
static double rank_of(const struct sp_record *record, const json_t *hint)
{
    const double worth = worth_of(hint);
    return worth + (worth > 0 && keeps_own(record, hint) ? 2 : 0);
}

static bool is_said(const json_t *hint, const json_t *const *shown, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(sp_item_text(hint, "try"), sp_item_text(shown[i], "try")) == 0)
            return true;
    return false;
}

/* A command that was tried for another hint is no prediction any more. */
static bool is_outdone(const struct sp_record *record, const json_t *hint)
{
    const json_t *other;
    size_t i;
    if (sp_value_known(sp_hint_observed(hint)))
        return false;
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, other)
    {
        const char *try = sp_item_text(other, "try");
        if (try && strcmp(try, sp_item_text(hint, "try")) == 0 && sp_value_known(sp_hint_observed(other)))
            return true;
    }
    return false;
}

/* Of two gains whose intervals meet, or nearly so, because both would be another few percent on
 * other arrays, the one that costs less to adopt; of equal ones, the one that an earlier rule
 * proposes. */
static bool is_as_good_for_less(const json_t *hint, const json_t *best)
{
    const struct sp_value a = sp_hint_observed(hint), b = sp_hint_observed(best);
    if (!sp_value_known(a) || !sp_value_known(b) || worth_of(hint) <= 0 || a.value < AS_GOOD * b.value ||
        1 - a.hi > OTHER_ARRAYS * (1 - b.lo))
        return false;
    const int less = (int)effort_of(hint) - (int)effort_of(best);
    return less < 0 || (less == 0 && strcmp(sp_item_text(hint, "id"), sp_item_text(best, "id")) < 0);
}

int sp_hints_shown(const struct sp_record *record, const json_t **shown, int most)
{
    const json_t *hint;
    size_t i;
    for (int n = 0; n < most; n++) {
        shown[n] = NULL;
        json_array_foreach(sp_record_node(record, SP_F_HINTS), i, hint)
        {
            const double least = shown[n] ? rank_of(record, shown[n]) : 0;
            if (rank_of(record, hint) > least && !is_said(hint, shown, n) && !is_outdone(record, hint))
                shown[n] = hint;
        }
        if (!shown[n])
            return n;
        const json_t *most_gain = shown[n];
        json_array_foreach(sp_record_node(record, SP_F_HINTS), i, hint)
        {
            const bool of_best = keeps_own(record, hint) == keeps_own(record, most_gain) &&
                                 is_as_good_for_less(hint, most_gain),
                       of_now = shown[n] == most_gain;
            if (of_best && !is_said(hint, shown, n) && (of_now || is_as_good_for_less(hint, shown[n])))
                shown[n] = hint;
        }
    }
    return most > 0 ? most : 0;
}

/* What to do: the best of what was tried; else the first hint. `command`: its. NULL: nothing. */
static const json_t *best_of(const struct sp_record *record, const char **command)
{
    const json_t *best = sp_record_node(record, SP_F_TRIES_BEST), *first = NULL;
    const int n = sp_hints_shown(record, &first, 1);
    *command = sp_item_text(best, "command");
    if (*command && sp_hint_is_shown(best) && !(n > 0 && keeps_own(record, first)))
        return best;
    if (n == 0)
        return NULL;
    *command = sp_item_text(first, "try");
    return first;
}

char *sp_verdict_gain(const json_t *hint, char *text, size_t size)
{
    const struct sp_value v = sp_hint_observed(hint);
    const json_t *gain = json_object_get(hint, "gain");
    const double lo = sp_item_number(gain, "lo"), hi = sp_item_number(gain, "hi");
    const int decimals = sp_value_known(v) ? fabs(v.value) < 0.0995 && fabs(v.value) >= 0.0005
                                           : hi < 0.0995 && fabs(100 * lo - round(100 * lo)) > 0.05;
    char saving[96];
    const char *per = sp_hint_per(hint) ? sp_hint_per(hint) : "", *gap = *per ? " " : "";
    if (sp_value_known(v) && v.hi > v.lo)
        snprintf(text, size, "tried: −%.*f %% time%s%s (−%.*f … −%.*f)", decimals, 100 * v.value, gap, per,
                 decimals, 100 * v.lo, decimals, 100 * v.hi);
    else if (sp_value_known(v))
        snprintf(text, size, "tried: −%.*f %% time%s%s", decimals, 100 * v.value, gap, per);
    else
        snprintf(text, size, "predicted: %s time%s%s",
                 sp_saving_text(lo, hi, decimals, saving, sizeof saving), gap, per);
    return text;
}

/* After how many executions the change pays: by a trial, else what the hint says. */
static double pays_after(const json_t *hint)
{
    const char *cost = sp_item_text(hint, "cost");
    double n = sp_value_known(sp_hint_observed(hint))
                   ? sp_item_number(json_object_get(hint, "trial"), "pays_after")
                   : NAN;
    if (isnan(n) && cost && sscanf(cost, "pays after %lf", &n) != 1)
        n = NAN;
    return n >= 1 ? ceil(n) : NAN;
}

/* What is not explained, where that is the largest share of the time; else 0. */
static double unexplained(const struct sp_record *record)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(record, row);
    double most = 0, rest = 0;
    for (int i = 0; i < n; i++)
        if (row[i].loss == REST)
            rest = row[i].share;
        else
            most = fmax(most, row[i].share);
    return rest > most ? rest : 0;
}

static json_t *nothing_to_do(const struct sp_record *record)
{
    const json_t *hints = sp_record_node(record, SP_F_HINTS);
    char text[SP_VERDICT_TEXT];
    if (sp_verdict_is_unusable(record) && *sp_verdict_doubt(record))
        return sp_verdict_not_known("spmodel doctor names who computes here; then again, with " SP_O_BUDGET
                                    " 10s",
                                    "see spmodel doctor; then again, with " SP_O_BUDGET " 10s");
    if (strcmp(sp_words_text(record, SP_F_ATTACH_WALK, "rows"), "rows") != 0)
        return sp_verdict_not_known("hints are for whole rows of A, not for A^T, half storage or a triangle",
                                    "hints are for whole rows of A");
    if (sp_verdict_lacks_roof(record))
        return sp_verdict_not_known("spmodel machine measure there; then again, with " SP_O_MACHINE " FILE",
                                    "spmodel machine measure there, then " SP_O_MACHINE);
    if (*sp_verdict_doubt(record) && sp_verdict_is_stated(record))
        return sp_verdict_not_known("look at the time and its unit, the matrix, " SP_O_THREADS
                                    " and " SP_O_MACHINE,
                                    "look at time, matrix, " SP_O_THREADS ", " SP_O_MACHINE);
    if (*sp_verdict_doubt(record) && sp_verdict_is_foreign(record))
        return sp_verdict_not_known("analyze without " SP_O_MACHINE "; spmodel model " SP_O_MACHINE
                                    " predicts for another",
                                    "analyze without " SP_O_MACHINE);
    if (*sp_verdict_doubt(record))
        return sp_verdict_not_known(
            "spmodel machine measure takes the roofs anew; then again, with " SP_O_BUDGET " 10s",
            "spmodel machine measure, then again with " SP_O_BUDGET " 10s");
    if (sp_verdict_is_status(record, "interrupted"))
        return sp_verdict_not_known("the analysis was interrupted; run the command again", NULL);
    if (sp_verdict_is_status(record, "failed") && sp_record_node(record, SP_F_REQUEST_KERNEL))
        return sp_verdict_not_known("mend the kernel, then run the command again", NULL);
    if (sp_verdict_no_time(record))
        return sp_verdict_not_known(sp_verdict_no_time(record), NULL);
    if (!json_is_array(hints))
        return sp_verdict_not_known("hints were not looked for", NULL);
    if (unexplained(record) > 0) {
        char percent[32];
        snprintf(text, sizeof text, "%s of the time is not explained",
                 sp_figure_percent(percent, sizeof percent, unexplained(record)));
        return sp_verdict_not_known(text, NULL);
    }
    snprintf(text, sizeof text, "nothing gains 3 %% for certain%s",
             json_array_size(hints) > 0 ? "; smaller gains: -v" : "");
    return sp_verdict_line(text, text);
}

json_t *sp_verdict_do(const struct sp_record *record)
{
    const char *command = NULL;
    const json_t *hint = *sp_verdict_doubt(record) ? NULL : best_of(record, &command);
    if (!hint)
        return nothing_to_do(record);
    const char *change = sp_item_text(hint, "change"), *id = sp_item_text(hint, "id");
    if (!change)
        change = sp_item_text(json_object_get(hint, "trial"), "change");
    if (!id)
        id = sp_item_text(hint, "hints");
    const double pays = pays_after(hint);
    const bool is_spmv = strcmp(sp_words_text(record, SP_F_CONFIG_OP, "spmv"), "spmv") == 0;
    char gain[128], after[64] = "", text[2 * SP_VERDICT_TEXT], brief[SP_VERDICT_TEXT];
    sp_verdict_gain(hint, gain, sizeof gain);
    if (isfinite(pays))
        snprintf(after, sizeof after, ", pays after %.0f %s%s", pays, is_spmv ? "SpMV" : "execution",
                 pays == 1 ? "" : "s");
    snprintf(text, sizeof text, "%.500s   %s%s", command, gain, after);
    const char *title = sp_item_text(hint, "title");
    const bool is_own = sp_record_node(record, SP_F_OWN_NAME);
    if (change && *change)
        snprintf(brief, sizeof brief, "%swith %.60s   %s",
                 is_own && !strstr(command, SP_O_KERNEL) ? "the built-in kernel " : "", change, gain);
    else
        snprintf(brief, sizeof brief, "%.20s %.40s, below   %s", id ? id : "hint", title ? title : "", gain);
    if (strlen(brief) + strlen(after) < SP_VERDICT_SHORT)
        snprintf(brief + strlen(brief), sizeof brief - strlen(brief), "%s", after);
    const struct sp_value v = sp_hint_observed(hint);
    json_t *out = sp_verdict_line(text, brief);
    json_object_set_new(out, "hint", sp_json_text(id));
    json_object_set_new(out, "command", sp_json_text(command));
    json_object_set_new(out, "basis", json_string(sp_value_known(v) ? "tried" : "predicted"));
    const json_t *predicted = json_object_get(hint, "gain");
    json_object_set_new(out, "gain_lo",
                        sp_json_number(sp_value_known(v) ? v.lo : sp_item_number(predicted, "lo")));
    json_object_set_new(out, "gain_hi",
                        sp_json_number(sp_value_known(v) ? v.hi : sp_item_number(predicted, "hi")));
    if (sp_hint_per(hint))
        json_object_set_new(out, "per", json_string(sp_hint_per(hint)));
    json_object_set_new(out, "pays_after", sp_json_number(pays));
    return out;
}
