/* Errors as people see them: exit codes, the line on standard error, and what was meant. */
#ifndef SP_CLI_ERRORS_H
#define SP_CLI_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Prints "spmodel: error: ..." with remedy on stderr and returns the exit code. */
int sp_report_error(const struct sp_error *err);

/* Worst of two exit codes: 130 > 7 > 6 > 4 > 3 > 2 > 1 > 5 > 77 > 0; any other counts as 7. */
int sp_worse_exit(int a, int b);

/* "Did you mean ...?": offers of names for a word that is none; the nearest wins. */
struct sp_suggestion {
    const char *word;
    const char *shown; /* NULL: nothing near */
    int distance;
};

struct sp_suggestion sp_suggestion_begin(const char *word);
/* `shown` (borrowed) is what to propose when `candidate` is the nearest. */
void sp_suggestion_offer(struct sp_suggestion *s, const char *candidate, const char *shown);

/* Of "--op takes spmv, spmmv or spmm, not 'spmvm'", and of the remedy "say crs, sell:C,SIGMA or
 * half" for "unknown format 'sel'": the word of the list that is near the quoted one at the end, in
 * word[size]; false: none is. `remedy` NULL: the list stands in `what`. */
bool sp_suggest_of_list(const char *what, const char *remedy, char *word, size_t size);

/* Letters to insert, delete or replace to make one word of the other, in any case. Words of up to
 * 63 letters; longer ones are cut. */
int sp_edit_distance(const char *a, const char *b);

#endif
