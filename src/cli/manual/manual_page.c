/* Manual pages of commands, verbs and topics. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/option_list.h"
#include "cli/explain/terms/terms.h"
#include "cli/manual/manual.h"
#include "cli/manual/parts.h"
#include "cli/manual/roff.h"
#include "sp_config.h"

void sp_manual_header(const char *name, int section, FILE *out)
{
    fputs(".\\\" Made by `spmodel help --man-pages` from its tables: what is changed here is lost.\n.TH \"",
          out);
    for (const char *p = name; *p; p++) {
        const char c = (char)toupper((unsigned char)*p);
        sp_roff_escape(c == ' ' ? "-" : &c, 1, out);
    }
    fprintf(out, "\" \"%d\" \"%s\" \"spmodel %s\" \"%s\"\n.nh\n.ad l\n", section, SP_DATE, SP_VERSION,
            section == 1 ? "User Commands" : "Miscellaneous Information");
}

void sp_manual_name(const char *name, FILE *out)
{
    for (const char *p = name; *p; p++)
        sp_roff_escape(*p == ' ' ? "-" : p, 1, out);
}

void sp_manual_reference(const char *name, int section, FILE *out)
{
    fputs("\\fB", out);
    sp_manual_name(name, out);
    fprintf(out, "\\fR(%d)", section);
}

void sp_manual_examples_list(const struct sp_example *example, FILE *out)
{
    if (!example)
        return;
    fputs(".SH EXAMPLES\n", out);
    for (; example->line; example++) {
        fputs(".TP\n\\fB", out);
        sp_roff_escape(example->line, strlen(example->line), out);
        fputs("\\fR\n", out);
        sp_roff_words(example->what, out);
    }
}

void sp_manual_exit_codes(const struct sp_page *page, FILE *out)
{
    fputs(".SH \"EXIT STATUS\"\n", out);
    for (const struct sp_exit_meaning *e = sp_exit_meanings; e->code >= 0; e++) {
        if (page && !sp_manual_exits_with(page, e->code))
            continue;
        fprintf(out, ".TP\n\\fB%d\\fR\n", e->code);
        sp_roff_words(e->meaning, out);
    }
    if (!page) {
        fputs(".PP\n", out);
        sp_roff_words("Of several inputs the worst counts: 130, 7, 6, 4, 3, 2, 1, 5, 77, 0.", out);
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
    sp_roff_escape(header, more ? (size_t)(more - header) : n, out);
    fputs("\"\n", out);
    if (more) {
        char text[400];
        snprintf(text, sizeof text, "%.*s", (int)(header + n - more - 1), more + 1);
        sp_roff_words(text, out);
    }
}

static void put_option(const struct sp_option_line *o, FILE *out)
{
    fputs(".TP\n", out);
    if (o->letter) {
        fputs("\\fB\\-", out);
        sp_roff_escape(&o->letter, 1, out);
        fputs(o->name ? "\\fR, " : "\\fR", out);
    }
    if (o->name) {
        fputs("\\fB\\-\\-", out);
        sp_roff_escape(o->name, strlen(o->name), out);
        fputs("\\fR", out);
    }
    if (o->arg) {
        fputs(o->arg_optional ? "[=\\fI" : "=\\fI", out);
        sp_roff_escape(o->arg, strlen(o->arg), out);
        fputs(o->arg_optional ? "\\fR]" : "\\fR", out);
    }
    putc('\n', out);
    sp_roff_words(o->doc ? o->doc : "", out);
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
        sp_roff_text(text, out);
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
        sp_roff_usage(text, out);
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
        sp_manual_reference(name, 1, out);
        putc('\n', out);
        sp_roff_words((*v)->summary, out);
    }
}

/* Names of pages separated by blanks: of topics in section 7. */
static void put_see(const struct sp_manual_entry *e, FILE *out)
{
    char name[64];
    fputs(".SH \"SEE ALSO\"\n", out);
    sp_manual_reference("spmodel", 1, out);
    if (e->command->family && !e->family) {
        snprintf(name, sizeof name, "spmodel %s", e->command->name);
        fputs(",\n", out);
        sp_manual_reference(name, 1, out);
    }
    for (const char *p = e->page->see; p && *p;) {
        const int n = (int)strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", n, p);
        const int section = sp_help_topic_find(name) ? 7 : 1;
        snprintf(name, sizeof name, "spmodel %.*s", n, p);
        fputs(",\n", out);
        sp_manual_reference(name, section, out);
        p += n + (p[n] == ' ');
    }
    putc('\n', out);
}

void sp_manual_write(const struct sp_manual_entry *e, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "spmodel %s", e->name);
    sp_manual_header(name, 1, out);
    fputs(".SH NAME\n", out);
    sp_manual_name(name, out);
    fputs(" \\- ", out);
    sp_roff_words(e->summary, out);
    put_synopsis(e, out);
    fputs(".SH DESCRIPTION\n", out);
    if (e->family) {
        sp_roff_text(e->family->purpose, out);
        put_verbs(e->family, out);
        fputs(".SH EXAMPLES\n", out);
        sp_roff_text(e->family->example, out);
    } else if (e->page->argp) {
        put_doc(e->page->argp, false, out);
        put_doc(e->page->argp, true, out);
        put_options(e->page->argp, out);
        sp_manual_exit_codes(e->page, out);
        sp_manual_examples_list(e->page->examples, out);
    }
    put_see(e, out);
}

void sp_manual_write_topic(const struct sp_help_topic *topic, FILE *out)
{
    char name[64];
    snprintf(name, sizeof name, "spmodel %s", topic->name);
    sp_manual_header(name, 7, out);
    fputs(".SH NAME\n", out);
    sp_manual_name(name, out);
    fputs(" \\- ", out);
    sp_roff_words(topic->summary, out);
    if (!topic->lines) {
        sp_manual_exit_codes(NULL, out);
    } else {
        char *text = NULL;
        size_t size = 0;
        FILE *whole = open_memstream(&text, &size);
        fputs(".SH DESCRIPTION\n", out);
        for (const char *const *line = topic->lines; whole && *line; line++)
            fprintf(whole, "%s\n", *line);
        if (whole && fclose(whole) == 0)
            sp_roff_text(text, out);
        free(text);
    }
    fputs(".SH \"SEE ALSO\"\n", out);
    sp_manual_reference("spmodel", 1, out);
    fputs(",\n", out);
    sp_manual_reference("spmodel help", 1, out);
    putc('\n', out);
}
