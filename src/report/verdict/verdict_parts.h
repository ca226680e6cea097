/* What the files of the verdict share: facts of a record, and lines of JSON. */
#ifndef SP_REPORT_VERDICT_PARTS_H
#define SP_REPORT_VERDICT_PARTS_H

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record.h"
#include "report/verdict/verdict.h"

enum { SP_VERDICT_TEXT = 400 };
/* A prediction is shown unasked where it promises this much even at its lower end. */
#define SP_VERDICT_GAIN 0.03

/* Rows of sp_loss_words. */
enum { MIN_TRAFFIC, PADDING, EXTRA_X, DOMAINS, IMBALANCE, IN_CORE, REST };

/* {"text", "short"}, and "not known: WHY"; `brief`: a shorter why, or NULL. New references. */
json_t *sp_verdict_line(const char *text, const char *brief);
json_t *sp_verdict_not_known(const char *why, const char *brief);
json_t *sp_verdict_number(double x);       /* null: not finite */
json_t *sp_verdict_text(const char *text); /* null: none */

/* The lines in files of their own; new references. */
json_t *sp_verdict_lost(const struct sp_record *record);
/* The same of a job of ranks: what its blocks, their inequality and the exchange take beyond V/b.
 * NULL: the record is of none, or its times do not hold. */
json_t *sp_verdict_lost_by_ranks(const struct sp_record *record);
json_t *sp_verdict_do(const struct sp_record *record);
json_t *sp_verdict_trust(const struct sp_record *record);

#endif
