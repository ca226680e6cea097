/* Words of tables whose headers cannot stand beside those that test_explain.c includes. */
#ifndef SP_TESTS_EXPLAIN_WORDS_H
#define SP_TESTS_EXPLAIN_WORDS_H

/* The i-th one from 0 on: outcomes of trials, classes of bottlenecks, losses for people; NULL: no more. */
const char *explain_word(int i);

#endif
