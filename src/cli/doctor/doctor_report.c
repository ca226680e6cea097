#include <jansson.h>
#include <string.h>

#include "base/clock.h"
#include "cli/doctor/doctor.h"
#include "sp_config.h"

enum { NAME_COLUMN = 11, WHAT_COLUMN = 27, WHAT_AFTER_ID = 38 };

static bool has(const struct sp_doctor *d, const char *id, enum sp_finding_state verdict)
{
    const struct sp_finding *f = sp_doctor_find(d, id);
    return f && f->verdict == verdict;
}

static void append(char *text, size_t size, const char *sentence)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " " : "", sentence);
}

char *sp_doctor_still_works(const struct sp_doctor *d, char *text, size_t size)
{
    char because[256];
    text[0] = '\0';
    append(text, size, "Times, rooflines, losses and hints work on every machine.");
    append(text, size,
           sp_require_satisfied(d, "bytes", 5, because, sizeof because)
               ? "Bytes can be counted."
               : "Bytes are simulated by the cache simulator, and every number that rests on them says so.");
    if (!sp_require_satisfied(d, "gpu", 3, because, sizeof because))
        append(text, size, "GPUs are modelled: spmodel model --machine.");
    if (has(d, "processor.pin", SP_IS_ABSENT))
        append(text, size, "Threads cannot be pinned: spreads are larger, medians still hold.");
    if (has(d, "memory.huge_pages", SP_IS_ABSENT))
        append(text, size, "Without huge pages the roof is measured on the same plain pages as the kernel.");
    if (!sp_require_satisfied(d, "quiet", 5, because, sizeof because))
        append(
            text, size,
            "Noise widens the intervals; fractions of the roof stay comparable, because roof and kernel are "
            "measured in turn. More runs help: --runs 5.");
    if (!has(d, "around.gnuplot", SP_WORKS))
        append(text, size, "Plots are written as scripts.");
    return text;
}

/* What is to be typed stands in one line where that is possible at all. */
static void print_remedy(struct sp_pen *pen, const char *remedy)
{
    while (*remedy) {
        size_t length = strcspn(remedy, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)length, remedy);
        sp_pen_tab(pen, NAME_COLUMN);
        sp_pen_put(pen, SP_INK_DIM, *line == ' ' ? "   " : "-> "); /* blanks: the line before goes on */
        pen->indent = pen->column;
        if (pen->column + sp_pen_columns(pen, line) <= pen->width)
            sp_pen_put(pen, SP_INK_BOLD, "%s", line);
        else
            sp_pen_words(pen, SP_INK_BOLD, line);
        sp_pen_end(pen);
        remedy += length + (remedy[length] == '\n');
    }
}

void sp_doctor_text(const struct sp_doctor *d, const struct sp_report_style *style, FILE *out)
{
    static const enum sp_ink inks[SP_N_FINDING_STATES] = {SP_INK_GREEN, SP_INK_YELLOW, SP_INK_RED,
                                                          SP_INK_DIM};
    struct sp_pen pen;
    struct sp_report_style narrow = *style;
    narrow.width = style->width > 0 && style->width < 100 ? style->width : 100;
    sp_pen_open(&pen, &narrow, out);
    const char *section = "";
    for (int i = 0; i < d->n; i++) {
        const struct sp_finding *f = &d->finding[i];
        if (style->verbosity < 0 && f->verdict == SP_WORKS)
            continue;
        if (strcmp(section, f->section) != 0) {
            if (*section)
                sp_pen_end(&pen);
            sp_pen_put(&pen, SP_INK_BOLD, "%s", section = f->section);
            sp_pen_end(&pen);
        }
        sp_pen_put(&pen, SP_INK_PLAIN, "  ");
        sp_pen_put(&pen, inks[f->verdict], "%s", sp_verdict_words[f->verdict]);
        sp_pen_tab(&pen, NAME_COLUMN);
        sp_pen_put(&pen, SP_INK_PLAIN, "%s", style->verbosity > 0 ? f->id : f->name);
        pen.indent = style->verbosity > 0 ? WHAT_AFTER_ID : WHAT_COLUMN;
        sp_pen_tab(&pen, pen.indent);
        sp_pen_words(&pen, SP_INK_PLAIN, f->what);
        sp_pen_end(&pen);
        print_remedy(&pen, f->remedy);
    }
    if (style->verbosity < 0)
        return;
    char text[1024];
    sp_pen_end(&pen);
    sp_pen_put(&pen, SP_INK_BOLD, "WHAT STILL WORKS");
    sp_pen_end(&pen);
    pen.indent = 2;
    sp_pen_put(&pen, SP_INK_PLAIN, "  ");
    sp_pen_words(&pen, SP_INK_PLAIN, sp_doctor_still_works(d, text, sizeof text));
    sp_pen_end(&pen);
}

/* Names of processes and files can be any bytes; JSON is UTF-8. */
static json_t *text_of(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char ascii[sizeof((struct sp_finding *)0)->what];
    snprintf(ascii, sizeof ascii, "%s", text);
    for (char *p = ascii; *p; p++)
        *p = (char)((unsigned char)*p < 0x80 ? *p : '?');
    return json_string(ascii);
}

static json_t *required(const struct sp_doctor *d)
{
    json_t *list = json_array();
    for (const char *p = d->require; p && *p;) {
        char because[512];
        size_t length = strcspn(p, ",");
        bool good = sp_require_satisfied(d, p, length, because, sizeof because);
        json_array_append_new(list, json_pack("{s:s%, s:b, s:o}", "word", p, length, "satisfied", good,
                                              "because", text_of(good ? "" : because)));
        p += length + (p[length] == ',');
    }
    return list;
}

enum sp_status sp_doctor_json(const struct sp_doctor *d, FILE *out, struct sp_error *err)
{
    char still[1024];
    json_t *list = json_array();
    for (int i = 0; i < d->n; i++) {
        const struct sp_finding *f = &d->finding[i];
        json_t *one = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "id", f->id, "section", f->section, "name",
                                f->name, "verdict", sp_verdict_words[f->verdict], "what", text_of(f->what),
                                "remedy", text_of(f->remedy));
        json_array_append_new(list, one);
    }
    json_t *root =
        json_pack("{s:s, s:{s:s, s:s}, s:f, s:o, s:s, s:o}", "schema", "spmodel.doctor/1", "tool", "version",
                  SP_VERSION, "git", SP_GIT_VERSION, "took_s", sp_now() - d->begun, "findings", list,
                  "still_works", sp_doctor_still_works(d, still, sizeof still), "required", required(d));
    bool good = root && json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0 &&
                fputc('\n', out) != EOF;
    json_decref(root);
    return good ? SP_OK : sp_fail(err, SP_OUTPUT, NULL, "the findings cannot be written");
}
