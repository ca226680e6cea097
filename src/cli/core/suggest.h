/* "Did you mean ...?" */
#ifndef SP_CLI_SUGGEST_H
#define SP_CLI_SUGGEST_H

/* Offers of names for a word that is none; the nearest one wins when it is near enough. */
struct sp_suggestion {
    const char *word;
    const char *shown; /* NULL: nothing near */
    int distance;
};

struct sp_suggestion sp_suggestion_begin(const char *word);
/* `shown` (borrowed) is what to propose when `candidate` is the nearest. */
void sp_suggestion_offer(struct sp_suggestion *s, const char *candidate, const char *shown);

/* Letters to insert, delete or replace to make one word of the other, in any case. Words of up to 63 letters;
 * longer ones are cut. */
int sp_edit_distance(const char *a, const char *b);

#endif
