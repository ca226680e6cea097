/* The verdict: what a reader of six lines is told, from the record alone, so that the terminal, the
 * page, JSON and records made long ago say the same. */
#ifndef SP_REPORT_VERDICT_H
#define SP_REPORT_VERDICT_H

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record.h"
#include "io/record/record_losses.h"

/* What the files of the verdict share: facts of a record, and lines of JSON. */

enum { SP_VERDICT_TEXT = 400 };
/* A prediction is shown unasked where it promises this much even at its lower end. */
#define SP_VERDICT_GAIN 0.03

/* Rows of sp_loss_words. */
enum { MIN_TRAFFIC, PADDING, EXTRA_X, DOMAINS, IMBALANCE, IN_CORE, REST };

/* {"text", "short"}; a new reference. */
static inline json_t *sp_verdict_line(const char *text, const char *brief)
{
    return json_pack("{s:s, s:s}", "text", text, "short", brief);
}
/* "not known: WHY", as long as either line may be; `brief`: a shorter why, or NULL. */
static inline json_t *sp_verdict_not_known(const char *why, const char *brief)
{
    char text[SP_VERDICT_TEXT], less[SP_VERDICT_TEXT];
    snprintf(text, sizeof text, "not known: %.300s", why);
    snprintf(less, sizeof less, "not known: %.300s", brief ? brief : why);
    return sp_verdict_line(text, less);
}

/* The lines in files of their own; new references. */
json_t *sp_verdict_lost(const struct sp_record *record);
json_t *sp_verdict_do(const struct sp_record *record);
json_t *sp_verdict_trust(const struct sp_record *record);

/* {"subject", "state", "possible", "reached", "lost": [], "do", "trust"} of
 * docs/record.schema.json: each has a text, a shorter one for 80 columns, and its numbers. Shares
 * are of the measured time and lie in 0 ... 1; what lies between possible and reached adds up to
 * what is missing of the possible. What the record does not support is "not known: WHY". New
 * reference; NULL: no memory. */
json_t *sp_verdict_of(const struct sp_record *record);
/* Writes it into the record as `verdict`; a bottleneck without a name there is unknown. */
void sp_verdict_put(struct sp_record *record);

/* Is a hint worth showing unasked: tried with a gain, or predicted to gain 3 % at the lower end? */
bool sp_hint_is_shown(const json_t *hint);
/* Those, best first, each command once; returns how many of at most `most` are in shown[]. */
int sp_hints_shown(const struct sp_record *record, const json_t **shown, int most);
/* What was observed of a hint that was tried; unknown: it was not, or could not be, or the trial
 * told neither a gain nor that the prediction is wrong. */
struct sp_value sp_hint_observed(const json_t *hint);

/* "tried: −19 % time (−17 … −21)", "predicted: −6 … −9 % time": what a hint gains. */
char *sp_verdict_gain(const json_t *hint, char *text, size_t size);

/* The class of `bottleneck` where no other share of the time is larger, the unexplained one
 * included; else NULL: none is named. */
const char *sp_verdict_bottleneck(const struct sp_record *record);
/* Is an item of not_a_problem also a loss of the verdict? Records before 0.2 had such. */
bool sp_verdict_contradicts(const struct sp_record *record, const json_t *not_a_problem);

/* Columns that a short text fits beside its label of SP_VERDICT_LABEL. */
enum { SP_VERDICT_LABEL = 11, SP_VERDICT_SHORT = 80 - SP_VERDICT_LABEL };

#endif
