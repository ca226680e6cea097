#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cli/analyze/analyze_output.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/core/output.h"
#include "cli/core/terminal.h"
#include "io/files/places.h"
#include "io/record/record_losses.h"
#include "plots/plot.h"
#include "report/report_several.h"
#include "report/text/report_text.h"

enum { MAX_RECORDS = 2000 }; /* as many as a kind shows at most */

struct plot_options {
    struct sp_common_options common;
    const struct sp_plot_kind *kind;
    int term; /* -1: from the ending of the output file */
    const char *output, *gnuplot, *html;
    bool list, script, report;
    bool for_picture; /* an option was given that only a picture has */
    const char *record[MAX_RECORDS];
    int n_records;
};

enum { KEY_KIND = SP_KEY_PRIVATE, KEY_TERM, KEY_LIST, KEY_GNUPLOT, KEY_SCRIPT, KEY_HTML, KEY_REPORT };

static const struct argp_option options[] = {
    {"kind", KEY_KIND, "KIND", 0, "What to draw, default roofline; --list names all kinds", 0},
    {"term", KEY_TERM, "TERM", 0,
     "svg, pdf, png, txt (in the terminal) or gp (the gnuplot script alone); default: the ending of FILE, "
     "else svg",
     0},
    {"output", 'o', "FILE", 0, "Default: KIND.TERM; for txt standard output. - is standard output", 0},
    {"script", KEY_SCRIPT, NULL, 0, "Keep the gnuplot script, with its data inside, beside the picture", 0},
    {"gnuplot", KEY_GNUPLOT, "PROGRAM", 0, "The gnuplot to use, default: the first one in PATH", 0},
    {"html", KEY_HTML, "FILE", 0,
     "Instead of a picture write the whole report of the records as one HTML page; - is standard output", 0},
    {"report", KEY_REPORT, NULL, 0,
     "Instead of a picture print the report of each record as analyze does; -v: all of it", 0},
    {"list", KEY_LIST, NULL, 0, "Name the kinds, and what each record lacks for them", 0},
    {0},
};

static void set_kind(struct argp_state *state, struct plot_options *o, const char *name)
{
    o->kind = sp_plot_kind_find(name);
    if (o->kind)
        return;
    struct sp_suggestion s = sp_suggestion_begin(name);
    for (const struct sp_plot_kind *const *k = sp_plot_kinds; *k; k++)
        sp_suggestion_offer(&s, (*k)->name, (*k)->name);
    sp_usage_error(state, "there is no plot kind '%s'%s%s%s; --list names all kinds", name,
                   s.shown ? " (did you mean '" : "", s.shown ? s.shown : "", s.shown ? "'?)" : "");
}

static void check_ending(const struct plot_options *o, struct argp_state *state)
{
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    if (dot && !strchr(dot, '/') && o->term < 0 && sp_term_from_name(dot + 1) < 0)
        sp_usage_error(
            state, "'%s' is no kind of picture: .svg, .pdf, .png, .txt or .gp, or name one with --term", dot);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct plot_options *o = state->input;
    if (key == KEY_KIND || key == KEY_TERM || key == 'o' || key == KEY_SCRIPT)
        o->for_picture = true;
    switch (key) {
    case ARGP_KEY_INIT:
        o->term = -1;
        o->kind = sp_plot_kinds[0];
        state->child_inputs[0] = &o->common;
        return 0;
    case KEY_KIND:
        set_kind(state, o, arg);
        return 0;
    case KEY_TERM:
        o->term = sp_term_from_name(arg);
        if (o->term < 0)
            sp_usage_error(state, "--term takes svg, pdf, png, txt or gp, not '%s'", arg);
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    case KEY_SCRIPT:
        o->script = true;
        return 0;
    case KEY_GNUPLOT:
        o->gnuplot = arg;
        return 0;
    case KEY_HTML:
        o->html = arg;
        return 0;
    case KEY_REPORT:
        o->report = true;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_records == MAX_RECORDS)
            sp_usage_error(state, "at most %d records", MAX_RECORDS);
        else if (sp_plot_kind_find(arg) && access(arg, F_OK) != 0)
            sp_usage_error(state, "'%s' is a kind of picture: --kind %s", arg, arg);
        else
            o->record[o->n_records++] = arg;
        return 0;
    case ARGP_KEY_END:
        check_ending(o, state);
        if ((o->html || o->report) && (o->for_picture || (o->html && o->report)))
            sp_usage_error(state,
                           "--html writes a page, --report prints; --kind, --term, --output and --script are "
                           "for a picture");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The terminal and the file where they were not named: each follows from the other. */
static void complete(struct plot_options *o, char *name, size_t size)
{
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    if (o->term < 0 && dot)
        o->term = sp_term_from_name(dot + 1);
    if (o->term < 0)
        o->term = SP_TERM_SVG;
    if (o->output)
        return;
    snprintf(name, size, "%s.%s", o->kind->name, sp_term_name((enum sp_image)o->term));
    o->output = o->term == SP_TERM_TXT ? "-" : name;
}

static void list_kinds(const struct sp_record *const *records, int n)
{
    for (const struct sp_plot_kind *const *k = sp_plot_kinds; *k; k++) {
        sp_print(stdout, "%-11s %s\n", (*k)->name, (*k)->summary);
        for (int i = 0; i < n; i++) {
            const struct sp_lack *lacks = (*k)->lacks(records[i]);
            const char *id = "?";
            char text[128];
            sp_record_text(records[i], SP_F_ID, &id);
            if (lacks)
                sp_print(stdout, "            not for %s: it lacks %s\n", id,
                         sp_lack_text(text, sizeof text, lacks));
        }
    }
}

static int write_page(const struct plot_options *o, const struct sp_record *const *records)
{
    struct sp_html_output html;
    struct sp_error err;
    if (sp_html_open(o->html, false, &html, &err) != SP_OK)
        return sp_report_error(&err);
    html.gnuplot = o->gnuplot;
    for (int i = 0; i < o->n_records; i++)
        sp_html_keep(&html, records[i]);
    return sp_html_close(&html, o->common.verbosity < 0 ? NULL : html.sink.is_file ? stdout : stderr, 0);
}

static int print_reports(const struct plot_options *o, const struct sp_record *const *records)
{
    const struct sp_report_style style = sp_terminal_style(&o->common);
    for (int i = 0; i < o->n_records; i++) {
        fputs(i > 0 ? "\n" : "", stdout);
        (sp_record_node(records[i], SP_F_SWEEP) ? sp_report_sweep : sp_report_text)(records[i], &style,
                                                                                    stdout);
    }
    return 0;
}

/* Of several records those that lack what the picture shows are left out; how many are kept. With
 * none left all are, and the picture says what it lacks. */
static int leave_out(const struct plot_options *o, const struct sp_record *const *records,
                     const struct sp_record *kept[MAX_RECORDS])
{
    int n = 0, n_disturbed = 0;
    const struct sp_lack *first = NULL;
    for (int i = 0; i < o->n_records; i++) {
        const struct sp_lack *lacks = o->kind->lacks(records[i]);
        if (!lacks)
            kept[n++] = records[i];
        else if (sp_verdict_disturbed(records[i]))
            n_disturbed++;
        else if (!first)
            first = lacks;
    }
    char text[128];
    if (n > 0 && n < o->n_records && o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: left out %d of %d records: %s%s%s\n", o->n_records - n,
                 o->n_records, n_disturbed > 0 ? "too many of their samples were disturbed" : "",
                 !first            ? ""
                 : n_disturbed > 0 ? ", or they lack "
                                   : "they lack ",
                 first ? sp_lack_text(text, sizeof text, first) : "");
    for (int i = 0; n == 0 && i < o->n_records; i++)
        kept[i] = records[i];
    return n > 0 ? n : o->n_records;
}

static int run_on(struct plot_options *o, const struct sp_record *const *records)
{
    static const struct sp_record *kept[MAX_RECORDS];
    char name[64], gnuplot[1024];
    struct sp_error err;
    if (o->list) {
        list_kinds(records, o->n_records);
        return 0;
    }
    if (o->html)
        return write_page(o, records);
    if (o->report)
        return print_reports(o, records);
    complete(o, name, sizeof name);
    struct sp_plot_tool tool = {.gnuplot = o->gnuplot, .keep_script = o->script};
    if (!tool.gnuplot)
        tool.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot);
    bool to_stdout = strcmp(o->output, "-") == 0;
    enum sp_status status = to_stdout ? SP_OK : sp_words_refuse(o->output, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    const int n = leave_out(o, records, kept);
    status = to_stdout ? sp_draw_to_stdout(o->kind, kept, n, (enum sp_image)o->term, &tool, &err)
                       : sp_plot_write(o->kind, kept, n, (enum sp_image)o->term, &tool, o->output, &err);
    if (status != SP_OK)
        return sp_report_error(&err);
    if (!to_stdout && o->common.verbosity >= 0)
        sp_print(stdout, "saved  %s\n", o->output);
    return 0;
}

static const struct argp_child children[] = {{&sp_common_argp, 0, "Common options:", 90}, {0}};
static const struct argp argp = {
    options,
    parse,
    "[RECORD...]",
    "Draw records.\vWithout RECORD the newest record of the current "
    "directory is drawn, unless the directory or the record is another user's. Several records share "
    "one picture where the kind allows it, each once; ceilings are those of the first.",
    children,
    NULL,
    NULL};

static void take_unasked(struct plot_options *o, const char *path)
{
    o->record[o->n_records++] = path;
    if (o->common.verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s is the newest record here\n", path);
}

static bool is_among(const struct sp_record *record, const struct sp_record *list, int n)
{
    for (int i = 0; i < n; i++)
        if (json_equal(record->root, list[i].root))
            return true;
    return false;
}

static int run(int argc, char **argv)
{
    struct plot_options o = {0};
    struct sp_record records[MAX_RECORDS] = {{0}};
    const struct sp_record *pointers[MAX_RECORDS];
    char newest[1024];
    struct sp_error err;
    enum sp_status status = SP_OK;
    int code, n_read = 0;
    sp_parse(&argp, argc, argv, &o);
    if (o.n_records == 0) {
        status = sp_newest_record(".", newest, sizeof newest, &err);
        if (status == SP_OK)
            take_unasked(&o, newest);
        else if (o.list)
            status = SP_OK;
    }
    for (int i = 0; status == SP_OK && i < o.n_records; i++) {
        status = sp_record_read(o.record[i], &records[n_read], &err);
        pointers[n_read] = &records[n_read];
        if (status == SP_OK && is_among(&records[n_read], records, n_read))
            sp_record_free(&records[n_read]);
        else if (status == SP_OK)
            n_read++;
    }
    o.n_records = n_read;
    code = status == SP_OK ? run_on(&o, pointers) : sp_report_error(&err);
    for (int i = 0; i < n_read; i++)
        sp_record_free(&records[i]);
    return code;
}

static const struct sp_example examples[] = {
    {"spmodel plot --list before.json", "the kinds, and what a record lacks for them", NULL},
    {"spmodel plot -o roofline.svg before.json", "the roofline of a record", "0 4"},
    {"spmodel plot --report before.json", "the report of a record once more", NULL},
    {"spmodel plot --kind alpha --term txt before.json", "alpha over cache size, in the terminal", "0 4"},
    {0},
};

const struct sp_command sp_cmd_plot = {
    .name = "plot",
    .arguments = "[RECORD...]",
    .summary = "draw records: roofline, losses, alpha, ...",
    .run = run,
    .page = {&argp, examples, NULL, "analyze track-plot campaign"},
};
