#include "cli/core/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/print.h"

const struct sp_command *const *sp_command_table;

const struct sp_example *sp_examples_of(const struct argp *argp)
{
    for (const struct sp_command *const *c = sp_command_table; *c; c++) {
        if ((*c)->page.argp == argp)
            return (*c)->page.examples;
        for (const struct sp_verb *const *v = (*c)->family ? (*c)->family->verb : NULL; v && *v; v++)
            if ((*v)->page.argp == argp)
                return (*v)->page.examples;
    }
    return NULL;
}

int sp_report_error(const struct sp_error *err)
{
    char text[2400];
    char word[64];
    struct sp_error nearer = *err;
    if (err->status == SP_USAGE && sp_suggest_of_list(err->what, err->remedy, word, sizeof word))
        snprintf(nearer.what, sizeof nearer.what, "%.600s; did you mean '%s'?", err->what, word);
    sp_error_text(&nearer, text, sizeof text);
    fflush(stdout);
    fputs("spmodel: error: ", stderr);
    fputs(text, stderr); /* two lines: it has the remedy */
    fputc('\n', stderr);
    return sp_exit_code(err->status);
}

int sp_worse_exit(int a, int b)
{
    /* From good to bad. A code that is none of ours means that something broke. */
    static const int order[] = {0, 77, 5, 8, 1, 2, 3, 4, 6, 7, 130};
    enum { N = sizeof order / sizeof *order, BROKEN = N - 2 };
    int rank_a = BROKEN, rank_b = BROKEN;
    for (int i = 0; i < N; i++) {
        rank_a = order[i] == a ? i : rank_a;
        rank_b = order[i] == b ? i : rank_b;
    }
    return order[rank_a >= rank_b ? rank_a : rank_b];
}

enum { MAX_LENGTH = 63 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

int sp_edit_distance(const char *a, const char *b)
{
    int n_a = (int)strnlen(a, MAX_LENGTH), n_b = (int)strnlen(b, MAX_LENGTH);
    int rows[3][MAX_LENGTH + 1] = {{0}}, *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= n_b; j++)
        row[j] = j;
    for (int i = 1; i <= n_a; i++) {
        int *free_row = before;
        before = last;
        last = row;
        row = free_row;
        row[0] = i;
        for (int j = 1; j <= n_b; j++) {
            row[j] =
                smaller(last[j - 1] + !is_same_letter(a[i - 1], b[j - 1]), 1 + smaller(last[j], row[j - 1]));
            if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) && is_same_letter(a[i - 2], b[j - 1]))
                row[j] = smaller(row[j], 1 + before[j - 2]);
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
    const int distance = begins ? strlen(candidate) > n : sp_edit_distance(s->word, candidate);
    if (distance < s->distance) {
        s->distance = distance;
        s->shown = shown;
    }
}

/* The word between the last quotes, without what stands behind a colon. */
static char *last_quoted(const char *text)
{
    const size_t n = strlen(text);
    const char *end = n > 0 && text[n - 1] == '\'' ? text + n - 1 : NULL, *begin = end;
    while (begin && begin > text && begin[-1] != '\'')
        begin--;
    return end && begin > text ? strndup(begin, strcspn(begin, ":'")) : NULL;
}

/* Words of a list, "a, b:N,M or c": each begins with a small letter and has no blank. */
static void offer_list(struct sp_suggestion *s, char *list)
{
    char *next = list;
    while (next) {
        char *one = next, *comma = strstr(one, ", "), * or = strstr(one, " or ");
        char *end = !comma || (or && or < comma) ? or : comma;
        next = end ? end + (end == or ? 4 : 2) : NULL;
        if (end)
            *end = '\0';
        if (!islower((unsigned char)*one) || strchr(one, ' '))
            continue;
        char *bare = strndup(one, strcspn(one, ":["));
        if (bare)
            sp_suggestion_offer(s, bare, one);
        free(bare);
    }
}

bool sp_suggest_of_list(const char *what, const char *remedy, char *word, size_t size)
{
    const char *takes = strstr(what, " takes "), *begin = remedy ? remedy : takes ? takes + 7 : NULL;
    if (remedy && strncmp(remedy, "say ", 4) != 0)
        return false;
    char *typed = begin ? last_quoted(what) : NULL, *list = typed ? strdup(remedy ? begin + 4 : begin) : NULL;
    bool is_found = false;
    if (typed && list && islower((unsigned char)*typed)) {
        static const char *const ends[] = {", for example ", ", not '"};
        for (int i = 0; i < 2; i++)
            if (strstr(list, ends[i]))
                *strstr(list, ends[i]) = '\0';
        struct sp_suggestion s = sp_suggestion_begin(typed);
        offer_list(&s, list);
        is_found = s.shown != NULL;
        if (is_found)
            snprintf(word, size, "%s", s.shown);
    }
    free(typed);
    free(list);
    return is_found;
}

static void print_usage(const struct sp_verb_family *f, FILE *out)
{
    enum { MOST_ARGUMENTS = 22 }; /* longer ones have a line of their own */
    int name = 0, arguments = 0;  /* widths of the columns */
    for (const struct sp_verb *const *v = f->verb; *v; v++) {
        const int lengths[] = {(int)strlen((*v)->name), (int)strlen((*v)->arguments)};
        name = lengths[0] > name ? lengths[0] : name;
        arguments = lengths[1] > arguments && lengths[1] <= MOST_ARGUMENTS ? lengths[1] : arguments;
    }
    sp_print(out, "Usage: spmodel %s VERB [OPTION...]\n", f->name);
    fputs(f->purpose, out); /* lines of ours */
    fputc('\n', out);
    for (const struct sp_verb *const *v = f->verb; *v; v++) {
        sp_print(out, "  %-*s %-*s", name, (*v)->name, arguments, (*v)->arguments);
        if ((int)strlen((*v)->arguments) > arguments)
            sp_print(out, "\n  %-*s", name + 1 + arguments, "");
        sp_print(out, "  %s\n", (*v)->summary);
    }
    sp_print(out, "\nspmodel %s VERB --help  explains a verb. ", f->name);
    fputs(f->example, out);
}

int sp_verbs_run(const struct sp_verb_family *f, int argc, char **argv)
{
    char name[64], remedy[64];
    struct sp_error err;
    if (argc < 2) {
        print_usage(f, stderr);
        return sp_exit_code(SP_USAGE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0 || strcmp(argv[1], "--usage") == 0) {
        print_usage(f, stdout);
        return 0;
    }
    for (const struct sp_verb *const *v = f->verb; *v; v++)
        if (strcmp((*v)->name, argv[1]) == 0) {
            snprintf(name, sizeof name, "%s %s", argv[0], argv[1]);
            argv[1] = name;
            return (*v)->run(argc - 1, argv + 1);
        }
    struct sp_suggestion s = sp_suggestion_begin(argv[1]);
    for (const struct sp_verb *const *v = f->verb; *v; v++)
        sp_suggestion_offer(&s, (*v)->name, (*v)->name);
    snprintf(remedy, sizeof remedy, "spmodel %s --help lists them", f->name);
    sp_fail(&err, SP_USAGE, remedy, "%s has no verb '%s'%s%s%s", f->name, argv[1],
            s.shown ? "; did you mean '" : "", s.shown ? s.shown : "", s.shown ? "'?" : "");
    return sp_report_error(&err);
}
