#include "cli/explain/terms/topics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/errors.h"

const struct sp_theme sp_themes[] = {
    {"The six lines", sp_verdict_terms},
    {"The report", sp_report_terms},
    {"Words of printed lines", sp_label_terms},
    {"Symbols", sp_symbol_terms},
    {"Traffic and balance", sp_traffic_terms},
    {"Operations", sp_operation_terms},
    {"Formats", sp_format_terms},
    {"Storage, schedules, orders", sp_storage_terms},
    {"Machine and roofline", sp_machine_terms},
    {"GPUs", sp_gpu_terms},
    {"Losses and bottlenecks", sp_loss_terms},
    {"Metrics of records", sp_metric_terms},
    {"Where numbers come from", sp_source_terms},
    {"Advice", sp_advice_terms},
    {"Tracking", sp_tracking_terms},
    {"Words of doctor, labs, campaigns and errors", sp_word_terms},
    {"Flags of lab grade", sp_lab_flag_terms},
    {NULL, NULL},
};

static void name_it(struct sp_topic *t, const char *name)
{
    snprintf(t->name, sizeof t->name, "%s", name);
}

static void of_term(const struct sp_theme *theme, const struct sp_term *term, struct sp_topic *t)
{
    *t = (struct sp_topic){
        .theme = theme->title, .title = term->title, .see = term->see, .text = term->text, .term = term};
    name_it(t, term->name);
}

static void of_rule(const struct sp_hint_rule *rule, struct sp_topic *t)
{
    *t = (struct sp_topic){
        .theme = "Hints", .title = rule->title, .see = "gain trial outcome confidence", .rule = rule};
    name_it(t, rule->id);
}

static void of_flag(const struct sp_flag_meaning *flag, struct sp_topic *t)
{
    *t = (struct sp_topic){.theme = "Flags of records",
                           .title = flag->meaning,
                           .see = flag->see,
                           .text = flag->text,
                           .flag = flag};
    name_it(t, flag->code);
}

static void of_exit(const struct sp_exit_meaning *e, struct sp_topic *t)
{
    *t = (struct sp_topic){
        .theme = "Exit codes", .title = e->meaning, .see = "exit-codes", .text = e->text, .exit = e};
    snprintf(t->name, sizeof t->name, "exit-%d", e->code);
    snprintf(t->also, sizeof t->also, "%d", e->code);
}

bool sp_topic_at(int i, struct sp_topic *topic)
{
    for (const struct sp_theme *theme = sp_themes; theme->title; theme++)
        for (const struct sp_term *term = theme->terms; term->name; term++)
            if (i-- == 0) {
                of_term(theme, term, topic);
                return true;
            }
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++)
        if (i-- == 0) {
            of_rule(*rule, topic);
            return true;
        }
    for (const struct sp_flag_meaning *flag = sp_flag_meanings; flag->code; flag++)
        if (i-- == 0) {
            of_flag(flag, topic);
            return true;
        }
    for (const struct sp_exit_meaning *e = sp_exit_meanings; e->code >= 0; e++)
        if (i-- == 0) {
            of_exit(e, topic);
            return true;
        }
    return false;
}

const char *sp_topic_also(const struct sp_topic *topic)
{
    if (topic->term && topic->term->also)
        return topic->term->also;
    return topic->also;
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
