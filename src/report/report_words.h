/* Phrases that the terminal and the page share; those with `text` return it. */
#ifndef SP_REPORT_REPORT_WORDS_H
#define SP_REPORT_REPORT_WORDS_H

#include "io/record/record.h"
#include "report/text/pen.h"

/* Of what a hint saves time where its change has other work in one execution, as --rhs has: "per
 * vector"; NULL: of an execution. */
const char *sp_hint_per(const json_t *hint);
/* "−6 … −9 %", "up to −9 %" where the lower end shows as 0: shares of the time, >= 0. */
char *sp_saving_text(double lo, double hi, int decimals, char *text, size_t size);
/* "time −6 … −9 % simulated": what a hint would save, and on whose word. */
char *sp_gain_text(const json_t *hint, char *text, size_t size);
/* "−85 … −90 %": the prediction of something that was tried. */
char *sp_predicted_text(const json_t *item, char *text, size_t size);
/* A share of the time that is saved, as the change of the time, each number with its sign: "−86.8
 * ±0.5 %", "−48.3 (−58.5 … −31.7) %", "+4.4 (−26.0 … 22.0) %". */
char *sp_change_text(struct sp_value saved, char *text, size_t size);
/* The same of what was observed; "none": it was not. */
char *sp_observed_text(const json_t *item, char *text, size_t size);
/* "beside it the run took 3.2 times as long: ..." under other conditions; else "". */
char *sp_conditions_text(const json_t *item, char *text, size_t size);
/* "1.2 ms instead of 2.3 ms" of tries.best; of a change of the width both are for the work of one
 * execution of the run, and it says so. "": not known. */
char *sp_faster_text(const json_t *best, char *text, size_t size);
/* "measured in 3 fresh processes", or "not measured again: the trials were interrupted". */
char *sp_confirmation_text(const json_t *best, char *text, size_t size);
/* "−12 % of the time against the honest baseline, derived from both", where that was measured
 * faster beyond the noise; else "". */
char *sp_against_honest_text(const json_t *tries, char *text, size_t size);
/* Were the trials interrupted before the best was known? */
bool sp_tries_were_stopped(const struct sp_record *record);
/* An outcome, or the name of an intervention, as records have it, in words for people. */
const char *sp_outcome_words(const json_t *item);
const char *sp_intervention_words(const char *name);
/* Time of the run with all gathers from L1 [s]; SP_NONE: it was not made. */
struct sp_value sp_record_linear_time(const struct sp_record *record);
/* Green: as predicted or better; yellow: less; red: refuted. */
enum sp_ink sp_outcome_ink(const char *outcome);
/* " on 2026-11-21", " 3 h before": how old a ceiling is beside the samples; "": of then. */
char *sp_roof_age_text(const json_t *roof, char *text, size_t size);

/* Is loss i, x of `time` [s], the rest that nothing explains, and more than a tenth of it? */
bool sp_loss_is_flagged(int i, double x, double time);
/* A record's status in words, "the analysis was stopped; ..."; NULL: complete. *status: or NULL. */
const char *sp_status_text(const struct sp_record *record, const char **status);

#endif
