#include "cli/core/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/mpi_job.h"
#include "cli/core/output.h"
#include "cli/manual/manual.h"
#include "sys/machine/pages.h"

enum { KEY_JSON = 0x800, KEY_CSV, KEY_LINES, KEY_COLOR, KEY_SEED, KEY_MEMORY };

static const struct argp_option common_options[] = {
    {"quiet", 'q', NULL, 0, "No progress and no remarks", 0},
    {"verbose", 'v', NULL, 0, "More detail; twice for still more", 0},
    {"color", KEY_COLOR, "WHEN", 0, "auto, always or never (NO_COLOR and TERM=dumb are obeyed)", 0},
    {0},
};
static const struct argp_option json_options[] = {
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "Write the result as JSON (standard output without FILE)",
     0},
    {0},
};
static const struct argp_option csv_options[] = {
    {"csv", KEY_CSV, "FILE", OPTION_ARG_OPTIONAL,
     "Write the result as CSV (standard output without FILE; analyze adds rows to those of FILE)", 0},
    {0},
};
static const struct argp_option lines_options[] = {
    {"lines", KEY_LINES, "FILE", OPTION_ARG_OPTIONAL,
     "Write the result as lines KEY: VALUE UNIT (ORIGIN) (standard output without FILE)", 0},
    {0},
};
static const struct argp_option seed_options[] = {
    {"seed", KEY_SEED, "N", 0, "Seed of everything random (default 1)", 0},
    {0},
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    struct sp_common_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        memset(o, 0, sizeof *o);
        o->seed = 1;
        return 0;
    case 'q':
        o->verbosity = -1;
        return 0;
    case 'v':
        o->verbosity++;
        return 0;
    case KEY_COLOR:
        if (strcmp(arg, "auto") == 0)
            o->color = SP_COLOR_AUTO;
        else if (strcmp(arg, "always") == 0)
            o->color = SP_COLOR_ALWAYS;
        else if (strcmp(arg, "never") == 0)
            o->color = SP_COLOR_NEVER;
        else
            sp_usage_error(state, "--color takes auto, always or never, not '%s'", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What a parser adds to the one inside it; both have the same input. */
static error_t parse_more(int key, char *arg, struct argp_state *state)
{
    struct sp_common_options *o = state->input;
    int64_t n;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case KEY_JSON:
        o->json = arg ? arg : "-";
        return 0;
    case KEY_CSV:
        o->csv = arg ? arg : "-";
        return 0;
    case KEY_LINES:
        o->lines = arg ? arg : "-";
        return 0;
    case KEY_SEED:
        if (sp_parse_count(arg, &n) || n < 0)
            sp_usage_error(state, "--seed takes a whole number, not '%s'", arg);
        else
            o->seed = (uint64_t)n;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option memory_options[] = {
    {"memory", KEY_MEMORY, "SIZE", 0,
     "Memory that may be taken, for example 8G (default: what the machine, its control groups and ulimit "
     "leave)",
     0},
    {0},
};

static error_t parse_memory(int key, char *arg, struct argp_state *state)
{
    double bytes;
    if (key != KEY_MEMORY)
        return ARGP_ERR_UNKNOWN;
    if (sp_parse_bytes(arg, &bytes) || bytes < 1 || bytes > 1e18)
        argp_error(state, "--memory takes a size such as 500M or 8G, not '%s'", arg);
    else
        sp_meminfo_state((int64_t)bytes);
    return 0;
}

const struct argp sp_memory_argp = {memory_options, parse_memory, NULL, NULL, NULL, NULL, NULL};

static const struct argp_child common_child[] = {{&sp_common_argp, 0, NULL, 0}, {0}};
static const struct argp_child json_child[] = {{&sp_common_json_argp, 0, NULL, 0}, {0}};
static const struct argp_child csv_child[] = {{&sp_common_csv_argp, 0, NULL, 0}, {0}};
static const struct argp_child lines_child[] = {{&sp_common_lines_argp, 0, NULL, 0}, {0}};

const struct argp sp_common_argp = {common_options, parse_common, NULL, NULL, NULL, NULL, NULL};
const struct argp sp_common_json_argp = {json_options, parse_more, NULL, NULL, common_child, NULL, NULL};
const struct argp sp_common_csv_argp = {csv_options, parse_more, NULL, NULL, json_child, NULL, NULL};
const struct argp sp_common_lines_argp = {lines_options, parse_more, NULL, NULL, csv_child, NULL, NULL};
const struct argp sp_common_seed_argp = {seed_options, parse_more, NULL, NULL, csv_child, NULL, NULL};
const struct argp sp_common_measure_argp = {seed_options, parse_more, NULL, NULL, lines_child, NULL, NULL};

static const struct argp *parsed; /* for what argp calls without saying for whom */

/* What an example is good for, below it: argp would begin the lines that go on at the left edge. */
static void put_purpose(FILE *out, const char *what)
{
    enum { INDENT = 6, WIDTH = 78 };
    int column = WIDTH;
    while (*what) {
        const int n = (int)strcspn(what, " ");
        if (column + 1 + n > WIDTH) {
            sp_print(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else {
            fputc(' ', out);
            column++;
        }
        sp_print(out, "%.*s", n, what);
        column += n;
        what += n + (int)strspn(what + n, " ");
    }
}

/* What --help says behind everything else: the examples of the command's row. */
static char *help_with_examples(int key, const char *text, void *input)
{
    const struct sp_example *example = key == ARGP_KEY_HELP_EXTRA ? sp_examples_of(parsed) : NULL;
    char *all = NULL;
    size_t size = 0;
    if (!example)
        return parsed->help_filter ? parsed->help_filter(key, text, input) : (char *)text;
    FILE *stream = open_memstream(&all, &size);
    if (!stream)
        return (char *)text;
    fputs("Examples:", stream);
    for (; example->line; example++) {
        sp_print(stream, "\n  %s", example->line);
        put_purpose(stream, example->what);
    }
    fclose(stream);
    return all;
}

void sp_usage_error(const struct argp_state *state, const char *format, ...)
{
    char text[2048], shown[2048], word[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sp_visible(text, shown, sizeof shown);
    if (sp_suggest_of_list(text, NULL, word, sizeof word))
        argp_error(state, "%s; did you mean '%s'?", shown, word);
    else
        argp_error(state, "%s", shown);
}

int64_t sp_take_count(const struct argp_state *state, const char *option, int64_t least, int64_t most,
                      const char *arg)
{
    int64_t n = 0;
    const bool is_one = sp_parse_count(arg, &n) == 0 && n >= least && n <= most;
    if (!is_one && most == INT64_MAX)
        sp_usage_error(state, "--%s takes a whole number from %lld on, not '%s'", option, (long long)least,
                       arg);
    else if (!is_one)
        sp_usage_error(state, "--%s takes a whole number from %lld to %lld, not '%s'", option,
                       (long long)least, (long long)most, arg);
    return n;
}

double sp_take_percent(const struct argp_state *state, const char *option, double least, double most,
                       const char *arg)
{
    char number[32];
    const size_t n = strlen(arg);
    double x = 0;
    snprintf(number, sizeof number, "%.*s", (int)(n > 0 && arg[n - 1] == '%' ? n - 1 : n), arg);
    if (n >= sizeof number || sp_parse_number(number, &x) || !(x >= least && x <= most))
        sp_usage_error(state, "--%s takes percent from %g to %g, not '%s'", option, least, most, arg);
    return x / 100;
}

/* getopt repeats unknown names of options as they are: ours have what is visible. */
static void refuse_hidden_names(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const bool is_long = strncmp(argv[i], "--", 2) == 0;
        char *name = is_long ? strndup(argv[i], strcspn(argv[i], "=")) : NULL;
        const bool is_hidden = name && !sp_is_visible(name);
        if (is_hidden)
            sp_print(stderr, "%s: no option is called '%s'\n", argv[0], name);
        free(name);
        if (is_hidden)
            exit(argp_err_exit_status);
    }
}

/* Offers the long names of argp and its children, hidden ones too, unless one begins with `typed`.
 * `takes`: set where that one has its value in the next word. */
static bool offer_options(const struct argp *argp, const char *typed, struct sp_suggestion *s, bool *takes)
{
    const size_t n = strlen(typed);
    bool is_known = false;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        if (!o->name)
            continue;
        if (strncmp(o->name, typed, n) == 0) {
            is_known = true;
            *takes = *takes || (o->arg && !(o->flags & OPTION_ARG_OPTIONAL));
        }
        sp_suggestion_offer(s, o->name, o->name);
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++)
        is_known = offer_options(c->argp, typed, s, takes) || is_known;
    return is_known;
}

/* Names the option that is meant by one that is none; with none near getopt says it. */
static void refuse_misspelt_names(const struct argp *argp, int argc, char **argv)
{
    static const char *const own[] = {"help", "usage", "version"};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        char *typed = strndup(argv[i] + 2, strcspn(argv[i] + 2, "="));
        struct sp_suggestion s = sp_suggestion_begin(typed ? typed : "");
        bool takes = false, is_known = !typed || offer_options(argp, typed, &s, &takes);
        for (int k = 0; k < 3; k++)
            is_known = is_known || strncmp(own[k], typed, strlen(typed)) == 0;
        if (!is_known && s.shown)
            sp_print(stderr, "%s: no option is called '--%s'; did you mean '--%s'?\n", argv[0], typed,
                     s.shown);
        i += is_known && takes && !strchr(argv[i], '=');
        free(typed);
        if (!is_known && s.shown)
            exit(argp_err_exit_status);
        if (!is_known)
            return;
    }
}

/* What argp and getopt say of wrong options, ranks of an MPI job say in turn: it is kept until the
 * program ends. */
static bool is_parsing;

static void end_of_parsing(void)
{
    if (is_parsing && __fpending(stderr) > 0)
        sp_mpi_job_turn();
}

static void keep_words(bool keep, char **argv)
{
    static char room[4096];
    bool is_job = false; /* else each rank is a command by itself */
    for (; *argv; argv++)
        is_job =
            is_job || strcmp(*argv, SP_O_MPI) == 0 || strncmp(*argv, SP_O_NETWORK, strlen(SP_O_NETWORK)) == 0;
    if (sp_mpi_job_rank() == 0 || !is_job)
        return;
    if (keep)
        atexit(end_of_parsing);
    is_parsing = keep;
    setvbuf(stderr, keep ? room : NULL, keep ? _IOFBF : _IONBF, sizeof room);
}

void sp_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    struct argp shown = *argp;
    parsed = argp;
    keep_words(true, argv);
    sp_words_note(argc, argv);
    shown.help_filter = help_with_examples;
    argp_err_exit_status = 2;
    refuse_hidden_names(argc, argv);
    refuse_misspelt_names(argp, argc, argv);
    const error_t failed = argp_parse(&shown, argc, argv, 0, NULL, input);
    if (failed) { /* nothing of the command line can be relied on */
        struct sp_error err;
        sp_fail(&err, failed == ENOMEM ? SP_MEMORY : SP_BUG, failed == ENOMEM ? "free memory" : NULL,
                "the command line could not be read: %s", strerror(failed));
        exit(sp_report_error(&err));
    }
    keep_words(false, argv);
}

bool sp_terminal_is_dumb(void)
{
    const char *term = getenv("TERM");
    return term && strcmp(term, "dumb") == 0;
}

bool sp_use_color(const struct sp_common_options *common, bool is_tty)
{
    if (common->color != SP_COLOR_AUTO)
        return common->color == SP_COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    return is_tty && !(no_color && *no_color) && !sp_terminal_is_dumb();
}

void sp_join_command(int argc, char **argv, char *text, size_t size)
{
    snprintf(text, size, "%s", argv[0]); /* "spmodel analyze" */
    for (int i = 1; i < argc && sp_add_shell_word(text, size, argv[i]); i++)
        ;
}

/* Where lines of a parser stand: argp gives each line a group, and a child with a title or a group
 * is a cluster of its own inside a group of its parent. */
struct place {
    int at[SP_OPTION_DEPTH], depth;
};

/* argp's order of groups: 0, 1, 2, ..., then the negative ones, -1 last. */
static struct place in_group(const struct place *outer, int group)
{
    enum { BEHIND = 1000000 };
    struct place p = *outer;
    if (p.depth < SP_OPTION_DEPTH)
        p.at[p.depth++] = group >= 0 ? group : BEHIND + group;
    return p;
}

static void add(struct sp_option_list *list, const struct place *p, struct sp_option_line line)
{
    if (list->n == SP_MOST_OPTIONS)
        return;
    memcpy(line.place, p->at, sizeof line.place);
    line.depth = p->depth;
    list->line[list->n++] = line;
}

static void walk(const struct argp *argp, const struct place *outer, struct sp_option_list *list)
{
    int group = 0, n_clusters = 0;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc || o->group); o++) {
        const bool is_header = !o->name && !o->key;
        group = o->group ? o->group : is_header ? group + 1 : group;
        const struct place p = in_group(outer, group);
        if (o->flags & OPTION_HIDDEN)
            continue;
        if (is_header)
            add(list, &p, (struct sp_option_line){.header = o->doc});
        else
            add(list, &p,
                (struct sp_option_line){.name = o->name,
                                        .letter =
                                            o->key > 0 && o->key < 128 && isgraph(o->key) ? (char)o->key : 0,
                                        .arg = o->arg,
                                        .arg_optional = (o->flags & OPTION_ARG_OPTIONAL) != 0,
                                        .doc = o->doc});
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        struct place p = *outer;
        if (c->header || c->group) {
            const struct place around = in_group(outer, c->group);
            p = in_group(&around, ++n_clusters);
            if (c->header)
                add(list, &p, (struct sp_option_line){.header = c->header});
        }
        walk(c->argp, &p, list);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct sp_option_line *a = x, *b = y;
    for (int i = 0; i < a->depth && i < b->depth; i++)
        if (a->place[i] != b->place[i])
            return a->place[i] < b->place[i] ? -1 : 1;
    if ((a->header != NULL) != (b->header != NULL))
        return a->header ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->header ? 0 : strcasecmp(a->name ? a->name : "", b->name ? b->name : "");
}

void sp_option_list_make(const struct argp *argp, struct sp_option_list *list)
{
    const struct place root = {.depth = 0};
    list->n = 0;
    if (!argp)
        return;
    walk(argp, &root, list);
    const struct place last = in_group(&root, -1);
    add(list, &last, (struct sp_option_line){.name = "help", .letter = '?', .doc = "Give this help list"});
    add(list, &last, (struct sp_option_line){.name = "usage", .doc = "Give a short usage message"});
    sp_sort_by(list->line, list->n, sizeof *list->line, by_place);
}
