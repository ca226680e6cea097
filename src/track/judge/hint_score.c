#include "track/judge/hint_score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/reading.h"
#include "io/record/record.h"

static const char *text_of(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));
    return text ? text : "";
}

static double number_of(const json_t *item, const char *key)
{
    return json_number_value(json_object_get(item, key));
}

static enum sp_status append(struct sp_hint_scores *s, const struct sp_scored_hint *hint,
                             struct sp_error *err)
{
    if (s->n == s->most) {
        const int most = s->most > 0 ? 2 * s->most : 64;
        struct sp_scored_hint *more = realloc(s->hint, (size_t)most * sizeof *more);
        if (!more)
            return sp_fail(err, SP_MEMORY, "name fewer records", "no memory for %d hints", most);
        s->hint = more;
        s->most = most;
    }
    s->hint[s->n++] = *hint;
    return SP_OK;
}

/* Of records that do not say it, from the run's time in its analysis. */
static double conditions_of(const struct sp_record *record, const json_t *item)
{
    const double said = sp_item_number(item, "conditions");
    const struct sp_value now = sp_record_value(record, SP_F_METRICS_TIME),
                          beside = sp_record_value_of(
                              json_object_get(json_object_get(item, "trial"), "base_time"));
    if (isfinite(said))
        return said;
    return sp_value_known(now) && sp_value_known(beside) ? beside.value / now.value : NAN;
}

enum sp_status sp_hint_scores_add(struct sp_hint_scores *s, const struct sp_record *record,
                                  struct sp_error *err)
{
    const json_t *item;
    const char *matrix = "?";
    const int before = s->n;
    enum sp_status status = SP_OK;
    size_t i;
    sp_record_text(record, SP_F_PROBLEM_NAME, &matrix);
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, item)
    {
        const json_t *gain = json_object_get(item, "gain");
        const struct sp_value seen = sp_record_value_of(json_object_get(item, "observed"));
        struct sp_scored_hint h = {.lo = number_of(gain, "lo"),
                                   .hi = number_of(gain, "hi"),
                                   .observed = seen.value,
                                   .observed_lo = seen.lo,
                                   .observed_hi = seen.hi};
        if (status != SP_OK || seen.origin != SP_MEASURED)
            continue;
        snprintf(h.id, sizeof h.id, "%s", text_of(item, "id"));
        snprintf(h.matrix, sizeof h.matrix, "%s", matrix);
        snprintf(h.change, sizeof h.change, "%s", text_of(item, "change"));
        snprintf(h.confidence, sizeof h.confidence, "%s", text_of(item, "confidence"));
        h.is_other = sp_conditions_differ(conditions_of(record, item));
        h.is_covered = !h.is_other && seen.lo <= h.hi && seen.hi >= h.lo;
        h.is_refuted = !h.is_other && strcmp(text_of(item, "outcome"), "refuted") == 0;
        status = append(s, &h, err);
    }
    s->n_records++;
    s->n_without += s->n == before;
    return status;
}

static bool is_chosen(const struct sp_scored_hint *h, struct sp_hint_choice choice)
{
    return (!choice.id || strcmp(h->id, choice.id) == 0) && fabs(h->observed) >= choice.least &&
           (choice.within == 0 || (h->observed_hi - h->observed_lo) / 2 <= choice.within);
}

struct sp_hint_score sp_hint_scores_of(const struct sp_hint_scores *s, struct sp_hint_choice choice)
{
    struct sp_hint_score score = {
        .median_error = NAN, .mean_error = NAN, .median_nothing = NAN, .mean_nothing = NAN};
    void *a = NULL, *b = NULL;
    snprintf(score.id, sizeof score.id, "%s", choice.id ? choice.id : "");
    if (sp_new_array(s->n, sizeof(double), "errors", &a, NULL) != SP_OK ||
        sp_new_array(s->n, sizeof(double), "errors", &b, NULL) != SP_OK) {
        free(a);
        return score;
    }
    double *error = a, *nothing = b, sum = 0, sum_nothing = 0;
    for (int i = 0; i < s->n; i++) {
        const struct sp_scored_hint *h = &s->hint[i];
        if (!is_chosen(h, choice))
            continue;
        if (h->is_other) {
            score.n_other++;
            continue;
        }
        const bool is_high = strcmp(h->confidence, "high") == 0;
        error[score.n] = fabs((h->lo + h->hi) / 2 - h->observed);
        nothing[score.n] = fabs(h->observed);
        sum += error[score.n];
        sum_nothing += nothing[score.n++];
        score.n_covered += h->is_covered;
        score.n_refuted += h->is_refuted;
        score.n_high += is_high;
        score.n_high_refuted += is_high && h->is_refuted;
    }
    if (score.n > 0) {
        score.median_error = sp_median(error, score.n);
        score.median_nothing = sp_median(nothing, score.n);
        score.mean_error = sum / score.n;
        score.mean_nothing = sum_nothing / score.n;
    }
    free(a);
    free(b);
    return score;
}

void sp_hint_scores_free(struct sp_hint_scores *s)
{
    if (!s)
        return;
    free(s->hint);
    memset(s, 0, sizeof *s);
}
