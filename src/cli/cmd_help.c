/* spmodel help: topics, and the usage of a command. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/explain_terms.h"
#include "cli/help_topics.h"
#include "cli/options.h"
#include "cli/suggest.h"

struct arguments {
    const char *topic;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (a->topic)
            argp_error(state, "one topic at a time");
        a->topic = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    NULL,
    parse,
    "[TOPIC|COMMAND]",
    "Show a topic, or how a command is used; without an argument list both.",
    NULL,
    NULL,
    NULL,
};

static void list_all(void)
{
    printf("Topics (spmodel help TOPIC):\n");
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        printf("  %-14s %s\n", t->name, t->summary);
    printf("\nCommands (spmodel COMMAND --help):\n");
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        printf("  %-14s %s\n", (*c)->name, (*c)->summary);
    printf("\nSymbols, formulas, hints and flags: spmodel explain\n");
}

static void show_topic(const struct sp_help_topic *topic)
{
    if (topic->lines) {
        for (const char *const *line = topic->lines; *line; line++)
            printf("%s\n", *line);
        return;
    }
    for (const struct sp_exit_meaning *e = sp_exit_meanings; e->code >= 0; e++)
        printf("%4d  %s\n", e->code, e->meaning);
    printf("\nOf several inputs the worst counts: 130, 7, 6, 4, 3, 2, 1, 5, 77, 0.\n");
}

static int show(const char *name)
{
    struct sp_suggestion best = sp_suggestion_begin(name);
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++) {
        if (strcmp(t->name, name) == 0) {
            show_topic(t);
            return 0;
        }
        sp_suggestion_offer(&best, t->name, t->name);
    }
    for (const struct sp_command *const *c = sp_command_table; *c; c++) {
        if (strcmp((*c)->name, name) == 0) {
            printf("Usage: spmodel %s [OPTION]... %s\n%s\n`spmodel %s --help` lists its options.\n", name,
                   (*c)->arguments, (*c)->summary, name);
            return 0;
        }
        sp_suggestion_offer(&best, (*c)->name, (*c)->name);
    }
    struct sp_error err;
    sp_fail(&err, SP_USAGE, "`spmodel help` lists topics and commands", "no topic '%s'%s%s%s", name,
            best.shown ? "; did you mean '" : "", best.shown ? best.shown : "", best.shown ? "'?" : "");
    return sp_report_error(&err);
}

static int run(int argc, char **argv)
{
    struct arguments a;
    memset(&a, 0, sizeof a);
    sp_parse(&argp, argc, argv, &a);
    if (a.topic)
        return show(a.topic);
    list_all();
    return 0;
}

const struct sp_command sp_cmd_help = {
    .name = "help",
    .arguments = "[TOPIC|COMMAND]",
    .summary = "topics: exit-codes, units, provenance, counters, formats, input, machine-files",
    .run = run,
};
