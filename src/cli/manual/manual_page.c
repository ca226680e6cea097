#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/core/command.h"
#include "cli/core/options.h"
#include "cli/explain/terms/topics.h"
#include "cli/manual/manual.h"
#include "io/files/part_file.h"
#include "sp_config.h"

/* Text into the language of manual pages. */

enum { LINE = 78 };

/* n bytes of UTF-8 as they are to be seen: nothing is an instruction. They may stand in a line. */
static void roff_escape(const char *text, size_t n, FILE *out)
{
    /* Characters that roff would turn into typographic ones; a hyphen can be copied and typed. */
    static const char *const special[128] = {
        ['\\'] = "\\e", ['-'] = "\\-", ['\''] = "\\(aq", ['`'] = "\\(ga", ['^'] = "\\(ha", ['~'] = "\\(ti"};
    for (const char *at = text; at < text + n && *at;) {
        const bool is_first = at == text;
        const uint32_t c = sp_utf8_next(&at);
        if (c >= 128)
            fprintf(out, "\\[u%04X]", (unsigned)c);
        else if (special[c])
            fputs(special[c], out);
        else if (is_first && c == '.')
            fputs("\\&.", out); /* at the beginning of a line it would be a request */
        else
            putc((int)c, out);
    }
}

/* The words of text[0..n); returns false where there are none. */
static bool put_words(const char *text, size_t n, FILE *out)
{
    size_t column = 0;
    for (size_t i = 0; i < n;) {
        size_t length = 0;
        while (i < n && text[i] == ' ')
            i++;
        while (i + length < n && text[i + length] != ' ')
            length++;
        if (length == 0)
            break;
        const bool breaks = column > 0 && column + 1 + length > LINE;
        if (column > 0)
            putc(breaks ? '\n' : ' ', out);
        roff_escape(text + i, length, out);
        column = (column == 0 || breaks ? 0 : column + 1) + length;
        i += length;
    }
    if (column > 0)
        putc('\n', out);
    return column > 0;
}

/* Running text, cut into lines, with a newline at its end. */
static void roff_words(const char *text, FILE *out)
{
    put_words(text, strlen(text), out);
}

/* Running text is filled; lines that begin with a blank stay; an empty line ends a paragraph. */
static void roff_text(const char *text, FILE *out)
{
    enum { NOTHING, WORDS, LINES } before = NOTHING;
    bool is_new = false, begun = false; /* a paragraph is to begin; something was written */
    while (*text) {
        const size_t n = strcspn(text, "\n");
        const bool as_is = *text == ' ';
        if (before == LINES && !as_is) {
            fputs(".fi\n", out);
            is_new = true;
            before = NOTHING;
        }
        if (n == 0) {
            is_new = before != NOTHING || is_new;
        } else if (as_is) {
            if (before != LINES)
                fputs(begun ? ".PP\n.nf\n" : ".nf\n", out);
            roff_escape(text, n, out);
            putc('\n', out);
            before = LINES;
        } else {
            if (is_new)
                fputs(".PP\n", out);
            put_words(text, n, out);
            before = WORDS;
        }
        is_new = is_new && n == 0;
        begun = begun || n > 0;
        text += n + (text[n] == '\n');
    }
    if (before == LINES)
        fputs(".fi\n", out);
}

/* What is typed: words with a small letter or a hyphen in front bold, places italic. */
static void roff_usage(const char *text, FILE *out)
{
    while (*text) {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || (text[n] && strchr("-_=", text[n])))
            n++;
        if (n == 0) {
            do
                n++;
            while (text[n] && !isalnum((unsigned char)text[n]) && !strchr("-_=", text[n]));
            roff_escape(text, n, out);
            text += n;
            continue;
        }
        fputs(islower((unsigned char)*text) || *text == '-' ? "\\fB" : "\\fI", out);
        roff_escape(text, n, out);
        fputs("\\fR", out);
        text += n;
    }
    putc('\n', out);
}

/* Manual pages of commands, verbs and topics. */

/* Everything before the first section. */
static void manual_header(const char *name, int section, FILE *out)
{
    fputs(".\\\" Made by `spmodel help --man-pages` from its tables: what is changed here is lost.\n.TH \"",
          out);
    for (const char *p = name; *p; p++) {
        const char c = (char)toupper((unsigned char)*p);
        roff_escape(c == ' ' ? "-" : &c, 1, out);
    }
    fprintf(out, "\" \"%d\" \"%s\" \"spmodel %s\" \"%s\"\n.nh\n.ad l\n", section, SP_DATE, SP_VERSION,
            section == 1 ? "User Commands" : "Miscellaneous Information");
}

static void manual_name(const char *name, FILE *out)
{
    for (const char *p = name; *p; p++)
        roff_escape(*p == ' ' ? "-" : p, 1, out);
}

/* The page in bold, its section behind it; no newline. */
static void manual_reference(const char *name, int section, FILE *out)
{
    fputs("\\fB", out);
    manual_name(name, out);
    fprintf(out, "\\fR(%d)", section);
}

/* EXAMPLES; nothing where there are none. */
static void manual_examples_list(const struct sp_example *example, FILE *out)
{
    if (!example)
        return;
    fputs(".SH EXAMPLES\n", out);
    for (; example->line; example++) {
        fputs(".TP\n\\fB", out);
        roff_escape(example->line, strlen(example->line), out);
        fputs("\\fR\n", out);
        roff_words(example->what, out);
    }
}

/* EXIT STATUS: the codes of this page; NULL: all, and which of several counts. */
static void manual_exit_codes(const struct sp_manual_facts *page, FILE *out)
{
    fputs(".SH \"EXIT STATUS\"\n", out);
    for (const struct sp_term *e = sp_terms_of(SP_KIND_EXIT); e->name; e++) {
        const int code = sp_term_exit_code(e);
        if (page && !sp_manual_exits_with(page, code))
            continue;
        fprintf(out, ".TP\n\\fB%d\\fR\n", code);
        roff_words(e->title, out);
    }
    if (!page) {
        fputs(".PP\n", out);
        roff_words(SP_WORST_COUNTS, out);
    }
}

/* "What is scanned (comma-separated ...):" is a title and a sentence. */
static void put_header(const char *header, FILE *out)
{
    size_t n = strlen(header);
    const char *more = strstr(header, " (");
    if (n > 0 && header[n - 1] == ':')
        n--;
    fputs(".SS \"", out);
    roff_escape(header, more ? (size_t)(more - header) : n, out);
    fputs("\"\n", out);
    if (more) {
        char text[400];
        snprintf(text, sizeof text, "%.*s", (int)(header + n - more - 1), more + 1);
        roff_words(text, out);
    }
}

static void put_option(const struct sp_option_line *o, FILE *out)
{
    fputs(".TP\n", out);
    if (o->letter) {
        fputs("\\fB\\-", out);
        roff_escape(&o->letter, 1, out);
        fputs(o->name ? "\\fR, " : "\\fR", out);
    }
    if (o->name) {
        fputs("\\fB\\-\\-", out);
        roff_escape(o->name, strlen(o->name), out);
        fputs("\\fR", out);
    }
    if (o->arg) {
        fputs(o->arg_optional ? "[=\\fI" : "=\\fI", out);
        roff_escape(o->arg, strlen(o->arg), out);
        fputs(o->arg_optional ? "\\fR]" : "\\fR", out);
    }
    putc('\n', out);
    roff_words(o->doc ? o->doc : "", out);
}

static void put_options(const struct argp *argp, FILE *out)
{
    struct sp_option_list list;
    sp_option_list_make(argp, &list);
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; i < list.n; i++)
        if (list.line[i].header)
            put_header(list.line[i].header, out);
        else
            put_option(&list.line[i], out);
}

/* What stands before or behind the options in --help, as the parser's filter has it. */
static void put_doc(const struct argp *argp, bool is_post, FILE *out)
{
    const char *doc = argp->doc ? argp->doc : "", *cut = strchr(doc, '\v');
    char *own = is_post ? strdup(cut ? cut + 1 : "") : strndup(doc, cut ? (size_t)(cut - doc) : strlen(doc));
    if (!own)
        return;
    char *text = own;
    if (argp->help_filter)
        text = argp->help_filter(is_post ? ARGP_KEY_HELP_POST_DOC : ARGP_KEY_HELP_PRE_DOC, own, NULL);
    if (text && *text) {
        fputs(is_post ? ".PP\n" : "", out);
        roff_text(text, out);
    }
    if (text != own)
        free(text);
    free(own);
}

static void put_synopsis(const struct sp_manual_entry *e, FILE *out)
{
    const char *line = e->page->argp && e->page->argp->args_doc ? e->page->argp->args_doc : "";
    fputs(".SH SYNOPSIS\n", out);
    for (bool first = true; first || *line; first = false) {
        const size_t n = strcspn(line, "\n");
        char text[200];
        snprintf(text, sizeof text, "%s%s [OPTION...]%s%.*s", e->name, e->family ? " VERB" : "", n ? " " : "",
                 (int)n, line);
        fputs(first ? "" : ".br\n", out);
        fputs("\\fBspmodel\\fR ", out);
        roff_usage(text, out);
        line += n + (line[n] == '\n');
    }
}

static void put_verbs(const struct sp_verb_family *f, FILE *out)
{
    fputs(".SH VERBS\n", out);
    for (const struct sp_verb *const *v = f->verb; *v; v++) {
        char name[64];
        snprintf(name, sizeof name, "spmodel %s %s", f->name, (*v)->name);
        fputs(".TP\n", out);
        manual_reference(name, 1, out);
        putc('\n', out);
        roff_words((*v)->summary, out);
    }
}

/* Names of pages separated by blanks: of topics in section 7. */
static void put_see(const struct sp_manual_entry *e, FILE *out)
{
    char name[64];
    fputs(".SH \"SEE ALSO\"\n", out);
    manual_reference("spmodel", 1, out);
    if (e->command->family && !e->family) {
        snprintf(name, sizeof name, "spmodel %s", e->command->name);
        fputs(",\n", out);
        manual_reference(name, 1, out);
    }
    for (const char *p = e->page->see; p && *p;) {
        const int n = (int)strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", n, p);
        const int section = sp_help_topic_find(name) ? 7 : 1;
        snprintf(name, sizeof name, "spmodel %.*s", n, p);
        fputs(",\n", out);
        manual_reference(name, section, out);
        p += n + (p[n] == ' ');
    }
    putc('\n', out);
}

void sp_manual_write(const struct sp_manual_entry *e, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "spmodel %s", e->name);
    manual_header(name, 1, out);
    fputs(".SH NAME\n", out);
    manual_name(name, out);
    fputs(" \\- ", out);
    roff_words(e->summary, out);
    put_synopsis(e, out);
    fputs(".SH DESCRIPTION\n", out);
    if (e->family) {
        roff_text(e->family->purpose, out);
        put_verbs(e->family, out);
        fputs(".SH EXAMPLES\n", out);
        roff_text(e->family->example, out);
    } else if (e->page->argp) {
        put_doc(e->page->argp, false, out);
        put_doc(e->page->argp, true, out);
        put_options(e->page->argp, out);
        manual_exit_codes(e->page, out);
        manual_examples_list(e->page->examples, out);
    }
    put_see(e, out);
}

void sp_manual_write_topic(const struct sp_help_topic *topic, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "spmodel %s", topic->name);
    manual_header(name, 7, out);
    fputs(".SH NAME\n", out);
    manual_name(name, out);
    fputs(" \\- ", out);
    roff_words(topic->summary, out);
    if (!topic->lines) {
        manual_exit_codes(NULL, out);
    } else {
        char *text = NULL;
        size_t size = 0;
        FILE *whole = open_memstream(&text, &size);
        fputs(".SH DESCRIPTION\n", out);
        for (const char *const *line = sp_help_topic_lines(topic); whole && *line; line++)
            fprintf(whole, "%s\n", *line);
        if (whole && fclose(whole) == 0)
            roff_text(text, out);
        free(text);
    }
    fputs(".SH \"SEE ALSO\"\n", out);
    manual_reference("spmodel", 1, out);
    fputs(",\n", out);
    manual_reference("spmodel help", 1, out);
    putc('\n', out);
}

/* spmodel(1): what stands in no table of its own, and the lists that do. */

struct item {
    const char *name, *text;
};

const struct sp_example sp_overview_examples[] = {
    {"spmodel analyze matrix.mtx", "how fast y = A x is in CRS, how fast it could be, and what to try",
     "0 5"},
    {"spmodel explain alpha", "what a word of the report means", NULL},
    {"spmodel model matrix.mtx --machine all", "what every described machine would make of it", NULL},
    {"spmodel help input", "what can be given as a matrix", NULL},
    {0},
};

static const struct item files[] = {
    {"NAME.TIME.json",
     "record of an analysis; docs/records.md and docs/record.schema.json describe it, spmodel plot draws it"},
    {"KIND.svg, KIND.gp", "plots, and the gnuplot scripts that draw them, with their data inside"},
    {"machines/NAME.json",
     "described machines (spmodel-machine-files(7)): of the user in $XDG_DATA_HOME/spmodel "
     "(~/.local/share/spmodel), and those of the installed program in share/spmodel"},
    {"labs/NN-NAME/", "exercises of spmodel lab, looked for in the same places"},
    {"spmodel-store/",
     "records of spmodel track and campaign, where neither --store nor SPMODEL_STORE says otherwise"},
    {"$XDG_CACHE_HOME/spmodel/", "(~/.cache/spmodel) what was measured of this machine, indices of stores, "
                                 "matrices of analyze --cache dir; it may be deleted at any time"},
    {NULL, NULL},
};

/* tests/cli/manual.sh holds this to the variables that the source reads. */
static const struct item environment[] = {
    {"SPMODEL_STORE", "the store of track and campaign"},
    {"SPMODEL_COMMIT, SPMODEL_BRANCH", "commit and branch of what is measured, for its record; else the "
                                       "variables that GitHub, GitLab and Jenkins set, else git"},
    {"SPMODEL_LIKWID, SPMODEL_PAPI",
     "another file of the library, tried even where the machine seems to have no counters"},
    {"SPMODEL_HELPER",
     "the program spmodel-counters, where it is neither beside spmodel nor where it was installed"},
    {"OMP_WAIT_POLICY, GOMP_SPINCOUNT", "how threads wait; where neither is set, commands that measure have "
                                        "GNU OpenMP's spin 20 000 times instead "
                                        "of 300 000"},
    {"OMP_NUM_THREADS, OMP_STACKSIZE, GOMP_STACKSIZE",
     "of the OpenMP library; what cannot be had is an error that names them"},
    {"SPMODEL_ASSUME", "clean: nobody looks whether other programs disturb the samples, or whether a kernel "
                       "drew more than its roof, for tests of what is done with them; records say so"},
    {"SPMODEL_FAULT",
     "faults put in on purpose, to see that they are found: pages, straggler:F, order; the record says so"},
    {"LD_PRELOAD", "libraries that stay in front, behind that of attach"},
    {"NO_COLOR, TERM", "no colours unless --color=always, where the one is set or the other is dumb"},
    {"HOME, XDG_DATA_HOME, XDG_CACHE_HOME", "where the user's machines, labs and caches are, see FILES"},
    {"PATH", "where gnuplot and likwid-accessD are looked for"},
    {"TMPDIR", "where intermediate files of plots are written"},
    {"USER", "whose exercise it is, where lab start is not given --student"},
    {"PMIX_RANK", "or OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_STEP_NUM_TASKS: a launcher of MPI has started "
                  "this process"},
    {"CC", "the C compiler of labs with code, else cc"},
    {"CUDA_VISIBLE_DEVICES, CUDA_HOME, CUDA_PATH", "which GPUs there are, and where CUPTI is"},
    {"LIKWID_MODE, LIKWID_FILEPATH", "as for LIKWID itself: how its library reaches the counters, and that "
                                     "this program runs under likwid-perfctr"},
    {NULL, NULL},
};

static void put_items(const char *title, const struct item *item, FILE *out)
{
    fprintf(out, ".SH %s\n", title);
    for (; item->name; item++) {
        fputs(".TP\n\\fB", out);
        roff_escape(item->name, strlen(item->name), out);
        fputs("\\fR\n", out);
        roff_words(item->text, out);
    }
}

static void put_page(const char *name, int section, const char *summary, FILE *out)
{
    char full[80];
    snprintf(full, sizeof full, "spmodel %s", name);
    fputs(".TP\n", out);
    manual_reference(full, section, out);
    putc('\n', out);
    roff_words(summary, out);
}

void sp_manual_write_overview(FILE *out)
{
    struct sp_manual_entry e;
    manual_header("spmodel", 1, out);
    fputs(".SH NAME\nspmodel \\- roofline performance analysis of sparse matrix kernels\n.SH SYNOPSIS\n"
          "\\fBspmodel\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n.br\n"
          "\\fBspmodel \\-\\-version\\fR [\\fB\\-\\-json\\fR]\n.SH DESCRIPTION\n",
          out);
    roff_text("How fast could a sparse matrix-vector product, or a product with several vectors, run on this "
              "machine, how fast does it run, and where does the rest of the time go? `spmodel analyze` "
              "reads a matrix, measures or simulates what it takes, compares it with the roofline and says "
              "what to try. Every number says whether it was measured, simulated, modelled or stated.\n\n"
              "`spmodel COMMAND --help` and `spmodel help COMMAND` print what the page of a command says; "
              "--version says what this build can do.\n",
              out);
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; sp_manual_get(i, &e); i++)
        put_page(e.name, 1, e.summary, out);
    fputs(".SH TOPICS\n", out);
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        put_page(t->name, 7, t->summary, out);
    manual_exit_codes(NULL, out);
    put_items("FILES", files, out);
    put_items("ENVIRONMENT", environment, out);
    manual_examples_list(sp_overview_examples, out);
    fputs(".SH \"SEE ALSO\"\n", out);
    manual_reference("spmodel analyze", 1, out);
    fputs(",\n", out);
    manual_reference("spmodel input", 7, out);
    fputs(",\n\\fBgnuplot\\fR(1),\n\\fBlikwid\\-perfctr\\fR(1)\n", out);
}

/* FOLDER/manN/NAME.N, NAME with hyphens for blanks. */
static enum sp_status open_page(const char *folder, const char *name, int section,
                                struct sp_atomic_file *file, struct sp_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/man%d", folder, section);
    const enum sp_status made = sp_make_folder(path, err);
    if (made != SP_OK)
        return made;
    const size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, "/spmodel%s%s.%d", *name ? "-" : "", name, section);
    for (char *p = path + used; *p; p++)
        *p = *p == ' ' ? '-' : *p;
    return sp_atomic_open(path, file, err);
}

enum sp_status sp_manual_write_files(const char *folder, struct sp_error *err)
{
    struct sp_atomic_file file;
    struct sp_manual_entry e;
    enum sp_status status = open_page(folder, "", 1, &file, err);
    if (status != SP_OK)
        return status;
    sp_manual_write_overview(file.stream);
    status = sp_atomic_commit(&file, err);
    for (int i = 0; status == SP_OK && sp_manual_get(i, &e); i++) {
        status = open_page(folder, e.name, 1, &file, err);
        if (status != SP_OK)
            return status;
        sp_manual_write(&e, file.stream);
        status = sp_atomic_commit(&file, err);
    }
    for (const struct sp_help_topic *t = sp_help_topics; status == SP_OK && t->name; t++) {
        status = open_page(folder, t->name, 7, &file, err);
        if (status != SP_OK)
            return status;
        sp_manual_write_topic(t, file.stream);
        status = sp_atomic_commit(&file, err);
    }
    return status;
}
