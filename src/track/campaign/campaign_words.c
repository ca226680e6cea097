/* Words of a campaign's lines: splitting, and options in one way of writing. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/memory.h"
#include "track/campaign/campaign_file.h"

/* Characters of patterns that stood in quotes, as bytes that are no text, until all patterns are found. */
static const char of_patterns[] = "*?[", marks[] = "\001\002\003";

static char replaced(char c, const char *from, const char *to)
{
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : c;
}

void sp_campaign_unmark(char *word)
{
    for (; *word; word++)
        *word = replaced(*word, marks, of_patterns);
}

bool sp_campaign_is_mark(char c)
{
    return c && strchr(marks, c);
}

/* One word from *from on, unquoted in place; *from is behind it. False: a quote does not end. */
static bool take_word(char **from, char **word)
{
    char *p = *from, *to = p, quote = '\0';
    *word = p;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote && *p == quote)
            quote = '\0';
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else
            *to++ = quote ? replaced(*p, of_patterns, marks) : *p;
    }
    *from = *p ? p + 1 : p;
    *to = '\0';
    return !quote;
}

const char *sp_campaign_split(char *line, char *word[], int *n)
{
    *n = 0;
    for (char *p = line;;) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p || *p == '#')
            return NULL;
        if (*n == SP_MOST_WORDS)
            return "too many words in one line";
        if (!take_word(&p, &word[*n]))
            return "a quote does not end";
        (*n)++;
    }
}

/* An option with what belongs to it. */
struct group {
    char *const *word;
    int n, place; /* of its first word: later options overrule earlier ones, so equals keep their order */
};

static size_t name_length(const char *option)
{
    return strcspn(option, "=");
}

static int by_option(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    const size_t n = name_length(x->word[0]), m = name_length(y->word[0]);
    const int order = strncmp(x->word[0], y->word[0], n < m ? n : m);
    return order ? order : n != m ? (n < m ? -1 : 1) : x->place - y->place;
}

static bool begins_option(const char *word)
{
    return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

static uint64_t hash_part(uint64_t h, const char *text, size_t n)
{
    const char end = '\0';
    return sp_hash64(&end, 1, sp_hash64(text, n, h));
}

uint64_t sp_campaign_hash_options(char *const *word, int n)
{
    struct group group[SP_MOST_WORDS];
    int n_groups = 0;
    uint64_t h = 0;
    for (int i = 0; i < n && n_groups < SP_MOST_WORDS; i++) {
        if (i == 0 || begins_option(word[i]))
            group[n_groups++] = (struct group){word + i, 1, i};
        else
            group[n_groups - 1].n++;
    }
    sp_sort_by(group, n_groups, sizeof *group, by_option);
    for (int g = 0; g < n_groups; g++) {
        const char *first = group[g].word[0];
        const size_t length = strncmp(first, "--", 2) == 0 ? name_length(first) : strlen(first);
        h = hash_part(h, first, length);
        if (first[length] == '=')
            h = hash_part(h, first + length + 1, strlen(first + length + 1));
        for (int i = 1; i < group[g].n; i++)
            h = hash_part(h, group[g].word[i], strlen(group[g].word[i]));
    }
    return h;
}
