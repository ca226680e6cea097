/* Words for people for what a record says in codes, the same in reports and plots; and access to the items of
 * its lists. */
#ifndef SP_IO_RECORD_WORDS_H
#define SP_IO_RECORD_WORDS_H

#include <stddef.h>

#include "io/record/record.h"

/* Text and number of a field of an object in a list; NULL and NAN where it has none. */
const char *sp_item_text(const json_t *item, const char *key);
double sp_item_number(const json_t *item, const char *key);

/* Time of the run beside a trial over the time that the prediction was made for; outside of 1/1.15 ... 1.15
 * the machine has changed, and the trial does not test the prediction. NAN, not known: false. */
bool sp_conditions_differ(double ratio);

/* Median of the numbers of a list; NAN: it has none. */
double sp_list_median(const json_t *list);

/* "DRAM" for "MEM", else the name itself; "?" for NULL. */
const char *sp_words_level(const char *level);
/* "DRAM load", "L3 triad", "DP FMA": a ceiling of the record's `roofs`. */
char *sp_words_roof(char *text, size_t size, const json_t *roof);
/* "76.0 ±0.8 GB/s measured", "1152 Gflop/s stated", "unknown (why)". */
char *sp_words_roof_value(char *text, size_t size, const json_t *roof);
bool sp_roof_is_flops(const json_t *roof);
/* "SpMV" for "spmv"; unknown codes as they are. */
const char *sp_words_op(const char *op);
/* The text at `path`, else `otherwise`. */
const char *sp_words_text(const struct sp_record *record, const char *path, const char *otherwise);

/* Whose the bytes of a row of `table` are: a counter's name, else an origin; NULL: not said. Those of a CPU's
 * rows "model, ..." are the formula's, also where an older record calls them as their alpha. */
const char *sp_words_row_bytes(const struct sp_record *record, const json_t *row);

/* The ceiling with "role": "roof", the one that fractions are of; NULL: none. */
const json_t *sp_record_roof(const struct sp_record *record);

/* The losses as rows that add up, in the order of [THEORY 8]: key in `losses`, words for people. One more
 * than the parts of model/losses.h: what x costs in several caches is a row of its own. */
enum { SP_N_LOSS_ROWS = 7 };
struct sp_loss_words {
    const char *key, *words;
};
extern const struct sp_loss_words sp_loss_words[SP_N_LOSS_ROWS];
/* Loss i [s], so that the rows add up to the time: what x costs in several caches, which `extra_x` contains
 * in the record, is a row of its own and taken off there. False where it is not known. */
bool sp_record_loss(const struct sp_record *record, int i, double *seconds);

#endif
