/* spmodel help: topics, the help of a command, and the pages of the manual. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/explain/terms/topics.h"
#include "cli/manual/manual.h"

enum { KEY_MAN = SP_KEY_PRIVATE, KEY_PAGES, KEY_EXAMPLES };

struct arguments {
    char name[64]; /* "analyze", "track check", "units"; "": nothing was named */
    const char *folder;
    bool man, examples;
};

static const struct argp_option options[] = {
    {"man", KEY_MAN, NULL, 0,
     "Print the page of the manual instead, for man -l -; without a name the overview", 0},
    {"man-pages", KEY_PAGES, "DIR", 0, "Write all pages into DIR/man1 and DIR/man7", 0},
    {"examples", KEY_EXAMPLES, NULL, 0,
     "List the examples of all pages: the exit codes that each may have, a tab, the line", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    size_t used;
    switch (key) {
    case KEY_MAN:
        a->man = true;
        return 0;
    case KEY_PAGES:
        a->folder = arg;
        return 0;
    case KEY_EXAMPLES:
        a->examples = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            sp_usage_error(state, "one topic or command at a time");
        used = strlen(a->name);
        snprintf(a->name + used, sizeof a->name - used, "%s%s", used ? " " : "", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, .args_doc = "[TOPIC|COMMAND [VERB]]",
                                 .doc = "Show a topic, or the help of a command or of its verb; without an "
                                        "argument list topics and commands."};

static void list_all(void)
{
    sp_print(stdout, "Topics (spmodel help TOPIC):\n");
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        sp_print(stdout, "  %-14s %s\n", t->name, t->summary);
    sp_print(stdout, "\nCommands (spmodel help COMMAND):\n");
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        sp_print(stdout, "  %-14s %s\n", (*c)->name, (*c)->summary);
    sp_print(stdout, "\nSymbols, formulas, hints and flags: spmodel explain\n");
}

static void show_topic(const struct sp_help_topic *topic)
{
    if (topic->lines) {
        for (const char *const *line = sp_help_topic_lines(topic); *line; line++)
            sp_print(stdout, "%s\n", *line);
        return;
    }
    for (const struct sp_term *e = sp_terms_of(SP_KIND_EXIT); e->name; e++)
        sp_print(stdout, "%4d  %s\n", sp_term_exit_code(e), e->title);
    sp_print(stdout, "\n" SP_WORST_COUNTS "\n");
}

/* As `spmodel COMMAND --help`: argp prints it and ends the program, a family of verbs returns. */
static int show_help(const struct sp_manual_entry *e)
{
    char name[64], option[] = "--help";
    char *argv[] = {name, option, NULL};
    snprintf(name, sizeof name, "spmodel %s", e->name);
    return e->run(2, argv);
}

static int refuse(const char *name)
{
    struct sp_suggestion best = sp_suggestion_begin(name);
    struct sp_error err;
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        sp_suggestion_offer(&best, t->name, t->name);
    for (const struct sp_command *const *c = sp_command_table; *c; c++)
        sp_suggestion_offer(&best, (*c)->name, (*c)->name);
    sp_fail(&err, SP_USAGE, "`spmodel help` lists topics and commands", "no topic '%s'%s%s%s", name,
            best.shown ? "; did you mean '" : "", best.shown ? best.shown : "", best.shown ? "'?" : "");
    return sp_report_error(&err);
}

/* "machine measure": a way to type a command that is on the page of the command. */
static bool find_way(const char *name, struct sp_manual_entry *e)
{
    char command[64];
    const char *word = strchr(name, ' ');
    if (!word)
        return false;
    snprintf(command, sizeof command, "%.*s", (int)(word - name), name);
    word++;
    if (!sp_manual_find(command, e) || e->family || !e->page->argp || !e->page->argp->args_doc)
        return false;
    const size_t n = strlen(word);
    for (const char *way = e->page->argp->args_doc; way; way = strchr(way, '\n')) {
        way += *way == '\n';
        if (islower((unsigned char)*word) && strncmp(way, word, n) == 0 && strcspn(way, " \n") == n)
            return true;
    }
    return false;
}

static int show(const struct arguments *a)
{
    struct sp_manual_entry e;
    const struct sp_help_topic *topic = sp_help_topic_find(a->name);
    if (a->man && !*a->name)
        sp_manual_write_overview(stdout);
    else if (a->man && topic)
        sp_manual_write_topic(topic, stdout);
    else if (topic)
        show_topic(topic);
    else if (!sp_manual_find(a->name, &e) && !find_way(a->name, &e))
        return refuse(a->name);
    else if (a->man)
        sp_manual_write(&e, stdout);
    else
        return show_help(&e);
    return 0;
}

static void list_examples(const struct sp_example *example)
{
    for (; example && example->line; example++)
        sp_print(stdout, "%s\t%s\n", example->exits ? example->exits : "0", example->line);
}

static int run(int argc, char **argv)
{
    struct arguments a = {.name = ""};
    struct sp_manual_entry e;
    struct sp_error err;
    sp_parse(&argp, argc, argv, &a);
    if (a.folder)
        return sp_manual_write_files(a.folder, &err) == SP_OK ? 0 : sp_report_error(&err);
    if (a.examples) {
        list_examples(sp_overview_examples);
        for (int i = 0; sp_manual_get(i, &e); i++)
            list_examples(e.page->examples);
        return 0;
    }
    if (a.man || *a.name)
        return show(&a);
    list_all();
    return 0;
}

static const struct sp_example examples[] = {
    {"spmodel help formats", "a topic", NULL},
    {"spmodel help track check", "the same as spmodel track check --help", NULL},
    {"spmodel help --man sweep", "its page, for a pipe into man -l -", NULL},
    {0},
};

extern const struct sp_command sp_cmd_help;
const struct sp_command sp_cmd_help = {
    .name = "help",
    .arguments = "[TOPIC|COMMAND]",
    .summary = "topics (units, formats, input, own-kernel, ...), options of a command",
    .run = run,
    .page = {&argp, examples, NULL, "explain completion"},
};

/* ---- the table of commands: a row each, in the order of the lists ---- */

extern const struct sp_command sp_cmd_analyze;
extern const struct sp_command sp_cmd_info;
extern const struct sp_command sp_cmd_model;
extern const struct sp_command sp_cmd_sweep;
extern const struct sp_command sp_cmd_import;
extern const struct sp_command sp_cmd_attach;
extern const struct sp_command sp_cmd_machine;
extern const struct sp_command sp_cmd_validate;
extern const struct sp_command sp_cmd_track;
extern const struct sp_command sp_cmd_campaign;
extern const struct sp_command sp_cmd_lab;
extern const struct sp_command sp_cmd_plot;
extern const struct sp_command sp_cmd_doctor;
extern const struct sp_command sp_cmd_generate;
extern const struct sp_command sp_cmd_compare;
extern const struct sp_command sp_cmd_convert;
extern const struct sp_command sp_cmd_reorder;
extern const struct sp_command sp_cmd_explain;
extern const struct sp_command sp_cmd_completion;

/* clang-format off */
const struct sp_command *const sp_commands[] = {
    &sp_cmd_analyze,
    &sp_cmd_info,
    &sp_cmd_model,
    &sp_cmd_sweep,
    &sp_cmd_import,
    &sp_cmd_attach,
    &sp_cmd_machine,
    &sp_cmd_validate,
    &sp_cmd_compare,
    &sp_cmd_track,
    &sp_cmd_campaign,
    &sp_cmd_lab,
    &sp_cmd_plot,
    &sp_cmd_doctor,
    &sp_cmd_generate,
    &sp_cmd_convert,
    &sp_cmd_reorder,
    &sp_cmd_explain,
    &sp_cmd_help,
    &sp_cmd_completion,
    NULL,
};
/* clang-format on */
