/* What the files of the verdict share: facts of a record, and lines of JSON. */
#ifndef SP_REPORT_VERDICT_PARTS_H
#define SP_REPORT_VERDICT_PARTS_H

#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "base/text.h"
#include "io/record/record.h"
#include "report/verdict/verdict.h"

enum { SP_VERDICT_TEXT = 400 };
/* Shares below this are not named; a share of the possible above that is doubtful. */
#define SP_VERDICT_LEAST    0.005
#define SP_VERDICT_DOUBTFUL 1.03
/* A prediction is shown unasked where it promises this much even at its lower end. */
#define SP_VERDICT_GAIN 0.03

/* Rows of sp_loss_words. */
enum { MIN_TRAFFIC, PADDING, EXTRA_X, DOMAINS, IMBALANCE, IN_CORE, REST };

/* {"text", "short"}, and "not known: WHY"; `brief`: a shorter why, NULL: the same. New references. */
json_t *sp_verdict_line(const char *text, const char *brief);
json_t *sp_verdict_not_known(const char *why, const char *brief);
json_t *sp_verdict_number(double x);       /* null: not finite */
json_t *sp_verdict_text(const char *text); /* null: none */

bool sp_verdict_is_status(const struct sp_record *record, const char *status);
const char *sp_verdict_doubt(const struct sp_record *record); /* conditions.doubt, "" none */
bool sp_verdict_is_unusable(const struct sp_record *record);
/* Why nothing rests on the time, where nothing does; else NULL. */
const char *sp_verdict_no_time(const struct sp_record *record);
struct sp_value sp_verdict_possible(const struct sp_record *record); /* [flop/s] */
/* The measured rate over the possible one; NAN: not known. */
double sp_verdict_share(const struct sp_record *record);
bool sp_verdict_is_in_core(const struct sp_record *record); /* does execution bind the possible? */
/* Shares of the time of the rows of losses; NAN: not known. False: there are none. */
bool sp_verdict_loss_shares(const struct sp_record *record, double share[SP_N_LOSS_ROWS]);

/* The lines in files of their own; new references. */
json_t *sp_verdict_lost(const struct sp_record *record);
json_t *sp_verdict_do(const struct sp_record *record);
json_t *sp_verdict_trust(const struct sp_record *record);

#endif
