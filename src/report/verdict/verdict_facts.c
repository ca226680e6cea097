/* Facts of a record that several lines of the verdict rest on. */
#include "report/verdict/verdict_parts.h"

json_t *sp_verdict_line(const char *text, const char *brief)
{
    return json_pack("{s:s, s:s}", "text", text, "short", brief);
}

json_t *sp_verdict_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *sp_verdict_text(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

/* "not known: WHY", WHY cut at a character where the short line ends: the long one has all of it. */
json_t *sp_verdict_not_known(const char *why, const char *brief)
{
    char text[SP_VERDICT_TEXT], less[SP_VERDICT_TEXT];
    snprintf(text, sizeof text, "not known: %.300s", why);
    snprintf(less, sizeof less, "not known: %.300s", brief ? brief : why);
    return sp_verdict_line(text, less);
}

bool sp_verdict_is_status(const struct sp_record *record, const char *status)
{
    return strcmp(sp_words_text(record, "status", "complete"), status) == 0;
}

const char *sp_verdict_doubt(const struct sp_record *record)
{
    return sp_words_text(record, "conditions.doubt", "");
}

bool sp_verdict_is_unusable(const struct sp_record *record)
{
    return strcmp(sp_words_text(record, "conditions.state", ""), "unusable") == 0;
}

static bool is_empty(const struct sp_record *record)
{
    int64_t nnz = 1;
    return sp_record_count(record, "problem.nnz", &nnz) && nnz == 0;
}

/* Why nothing rests on the time, where nothing does; else NULL. */
const char *sp_verdict_no_time(const struct sp_record *record)
{
    if (is_empty(record))
        return "the matrix has no entries";
    if (sp_verdict_is_status(record, "interrupted") || sp_verdict_is_status(record, "failed"))
        return "the analysis was stopped before";
    return NULL;
}

struct sp_value sp_verdict_possible(const struct sp_record *record)
{
    const json_t *row = json_array_get(sp_record_node(record, "table"), 0);
    const double P = sp_item_number(row, "performance"), t = sp_item_number(row, "time_s"),
                 lo = sp_item_number(row, "time_lo_s"), hi = sp_item_number(row, "time_hi_s");
    if (!(P > 0) || !isfinite(P))
        return sp_value_none("the record has no model of this run");
    return lo > 0 && hi >= lo ? sp_value_between(P, P * t / hi, P * t / lo, SP_MODELLED)
                              : sp_value_of(P, SP_MODELLED);
}

/* The measured rate over the possible one; NAN: not known. */
double sp_verdict_share(const struct sp_record *record)
{
    const struct sp_value v = sp_record_metric(record, "model_fraction"),
                          possible = sp_verdict_possible(record),
                          rate = sp_record_metric(record, "performance");
    if (*sp_verdict_doubt(record))
        return NAN;
    if (sp_value_known(v))
        return v.value;
    return sp_value_known(possible) && sp_value_known(rate) ? rate.value / possible.value : NAN;
}

bool sp_verdict_is_in_core(const struct sp_record *record)
{
    return strstr(sp_words_text(record, "binding.term", ""), "bandwidth") == NULL;
}

/* Shares of the time of the rows of losses; NAN: not known. False: there are none. */
bool sp_verdict_loss_shares(const struct sp_record *record, double share[SP_N_LOSS_ROWS])
{
    const struct sp_value time = sp_record_metric(record, "time");
    if (!json_is_object(sp_record_node(record, "losses")) || !sp_value_known(time) || !(time.value > 0))
        return false;
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        double x;
        share[i] = sp_record_loss(record, i, &x) ? x / time.value : NAN;
    }
    return true;
}
