#include "cli/core/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { MAX_LENGTH = 63 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int sp_edit_distance(const char *a, const char *b)
{
    int n_a = (int)strnlen(a, MAX_LENGTH), n_b = (int)strnlen(b, MAX_LENGTH);
    int row[MAX_LENGTH + 1];
    for (int j = 0; j <= n_b; j++)
        row[j] = j;
    for (int i = 1; i <= n_a; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n_b; j++) {
            int replace = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            diagonal = row[j];
            row[j] = smaller(replace, 1 + smaller(row[j], row[j - 1]));
        }
    }
    return row[n_b];
}

struct sp_suggestion sp_suggestion_begin(const char *word)
{
    /* A third of the letters may be wrong. */
    return (struct sp_suggestion){word, NULL, 2 + (int)strnlen(word, MAX_LENGTH) / 3};
}

void sp_suggestion_offer(struct sp_suggestion *s, const char *candidate, const char *shown)
{
    enum { BEGINNING = 3 }; /* so many letters of a name mean it */
    const size_t n = strlen(s->word);
    const bool begins = n >= BEGINNING && strncasecmp(s->word, candidate, n) == 0;
    const int distance = begins ? 1 : sp_edit_distance(s->word, candidate);
    if (distance < s->distance) {
        s->distance = distance;
        s->shown = shown;
    }
}
