#include "cli/explain/terms/topics.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"

#include "cli/explain/explain_terms.inc" /* made of the .txt files beside this one */

const struct sp_term *sp_terms_of(enum sp_term_kind kind)
{
    const struct sp_theme *theme = sp_themes;
    while (theme->kind != kind)
        theme++;
    return theme->terms;
}

int sp_term_exit_code(const struct sp_term *term)
{
    return (int)strtol(term->also, NULL, 10);
}

/* The empty one at the end: there is none of this name. */
static const struct sp_term *term_named(const struct sp_term *term, const char *name)
{
    while (term->name && strcmp(term->name, name) != 0)
        term++;
    return term;
}

bool sp_topic_at(int i, struct sp_topic *topic)
{
    for (const struct sp_theme *theme = sp_themes; theme->title; theme++) {
        const bool are_rules = theme->kind == SP_KIND_RULE;
        for (int k = 0; are_rules ? sp_hint_table[k] != NULL : theme->terms[k].name != NULL; k++) {
            if (i-- > 0)
                continue;
            const struct sp_hint_rule *rule = are_rules ? sp_hint_table[k] : NULL;
            const struct sp_term *term = rule ? term_named(theme->terms, rule->id) : &theme->terms[k];
            *topic = (struct sp_topic){.theme = theme->title,
                                       .kind = theme->kind,
                                       .name = rule ? rule->id : term->name,
                                       .title = rule ? rule->title : term->title,
                                       .term = term,
                                       .rule = rule};
            return true;
        }
    }
    return false;
}

const char *sp_topic_also(const struct sp_topic *topic)
{
    return topic->term->also ? topic->term->also : "";
}

/* Any case; '-', '_' and ' ' are one letter. */
static bool is_same(const char *a, size_t length, const char *b)
{
    if (strlen(b) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        int x = tolower((unsigned char)a[i]), y = tolower((unsigned char)b[i]);
        x = x == '_' || x == ' ' ? '-' : x;
        y = y == '_' || y == ' ' ? '-' : y;
        if (x != y)
            return false;
    }
    return true;
}

enum rank { IS_NAME, IS_ALSO, LIKE_NAME, LIKE_ALSO, N_RANKS };

static enum rank rank_of(const struct sp_topic *t, const char *name)
{
    const size_t length = strlen(name);
    enum rank rank = is_same(t->name, strlen(t->name), name) ? LIKE_NAME : N_RANKS;
    if (strcmp(t->name, name) == 0)
        return IS_NAME;
    for (const char *word = sp_topic_also(t); *word;) {
        size_t n = strcspn(word, " ");
        if (n == length && strncmp(word, name, n) == 0)
            return IS_ALSO;
        if (rank == N_RANKS && is_same(word, n, name))
            rank = LIKE_ALSO;
        word += n + (word[n] == ' ');
    }
    return rank;
}

int sp_topics_find(const char *name, struct sp_topic found[SP_TOPIC_MATCHES])
{
    enum rank best = N_RANKS;
    struct sp_topic t;
    int n = 0;
    for (int i = 0; *name && sp_topic_at(i, &t); i++) {
        enum rank rank = rank_of(&t, name);
        if (rank < best) {
            best = rank;
            n = 0;
        }
        if (rank == best && rank != N_RANKS && n < SP_TOPIC_MATCHES)
            found[n++] = t;
    }
    return n;
}

/* Distance of the nearest of its spellings. */
static int distance_of(const struct sp_topic *t, const char *name)
{
    int least = sp_edit_distance(name, t->name);
    for (const char *word = sp_topic_also(t); *word;) {
        char one[64];
        size_t n = strcspn(word, " ");
        snprintf(one, sizeof one, "%.*s", (int)n, word);
        int distance = sp_edit_distance(name, one);
        least = distance < least ? distance : least;
        word += n + (word[n] == ' ');
    }
    return least;
}

char *sp_topics_near(const char *name, char *text, size_t size)
{
    enum { MOST = 3 };
    /* A third of the letters may be wrong, as in cli/core/command.h. */
    const int limit = 2 + (int)strnlen(name, 63) / 3;
    struct sp_topic t, best[MOST];
    int distance[MOST], n = 0;
    for (int i = 0; sp_topic_at(i, &t); i++) {
        int d = distance_of(&t, name), at = n;
        if (d >= limit || (size_t)d >= strlen(name))
            continue;
        while (at > 0 && distance[at - 1] > d)
            at--;
        if (at == MOST)
            continue;
        n = n < MOST ? n + 1 : MOST;
        for (int k = n - 1; k > at; k--) {
            best[k] = best[k - 1];
            distance[k] = distance[k - 1];
        }
        best[at] = t;
        distance[at] = d;
    }
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", best[i].name);
    return text;
}
