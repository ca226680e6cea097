#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "report/report_words.h"
#include "report/sections.h"

/* "observed −82 % confirmed": what came of it where it was tried. */
static void observed_part(struct sp_pen *pen, const json_t *hint)
{
    const json_t *observed = json_object_get(hint, "observed");
    const char *outcome = sp_item_text(hint, "outcome");
    const struct sp_value v = json_is_number(observed) ? sp_value_of(json_number_value(observed), SP_MEASURED)
                                                       : sp_record_value_of(observed);
    char text[64];
    if (!observed || json_is_null(observed))
        return;
    if (sp_value_known(v))
        sp_pen_part(pen, v.value > 0 ? SP_INK_GREEN : SP_INK_RED, 5, "observed %s%s%s%s",
                    v.value < 0 ? "+" : "", sp_figure_percent(text, sizeof text, -v.value),
                    outcome ? " " : "", outcome ? outcome : "");
    else
        sp_pen_part(pen, SP_INK_PLAIN, 5, "not tried");
}

static void labelled(struct sp_pen *pen, const char *label, const char *text, bool command)
{
    if (!text || !*text)
        return;
    pen->indent = 13;
    sp_pen_put(pen, SP_INK_DIM, "     %s", label);
    sp_pen_tab(pen, 13);
    if (command) /* to be copied: never broken */
        sp_pen_put(pen, SP_INK_CYAN, "%s", text);
    else
        sp_pen_words(pen, SP_INK_PLAIN, text);
}

static void hint_lines(struct sp_pen *pen, const json_t *hint)
{
    const char *id = sp_item_text(hint, "id"), *title = sp_item_text(hint, "title"),
               *confidence = sp_item_text(hint, "confidence"), *evidence = sp_item_text(hint, "evidence"),
               *command = sp_item_text(hint, "try"), *expect = sp_item_text(hint, "expect"),
               *cost = sp_item_text(hint, "cost");
    char gain[96];
    sp_gain_text(hint, gain, sizeof gain);
    pen->indent = 5;
    sp_pen_put(pen, SP_INK_BOLD, " %-3s %s", id ? id : "?", title ? title : "");
    sp_pen_tab(pen, 28);
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", gain);
    if (confidence)
        sp_pen_part(pen, SP_INK_PLAIN, 5, "confidence %s", confidence);
    observed_part(pen, hint);
    sp_pen_end(pen);
    if (evidence && *evidence) {
        pen->indent = 5;
        sp_pen_tab(pen, 5);
        sp_pen_words(pen, SP_INK_PLAIN, evidence);
        sp_pen_end(pen);
    }
    if (command && *command) {
        labelled(pen, "try", command, true);
        sp_pen_end(pen);
    }
    if (expect && *expect) {
        labelled(pen, "expect", expect, false);
        if (cost && *cost)
            sp_pen_part(pen, SP_INK_DIM, 6, "%s", cost);
        sp_pen_end(pen);
    } else if (cost && *cost) {
        labelled(pen, "cost", cost, false);
        sp_pen_end(pen);
    }
}

static void not_a_problem(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *list = sp_record_node(record, "not_a_problem"), *one;
    size_t i, n = json_array_size(list);
    if (n == 0)
        return;
    pen->indent = 1;
    sp_pen_put(pen, SP_INK_PLAIN, " ");
    sp_pen_words(pen, SP_INK_GREEN, "Not a problem (checked):");
    json_array_foreach(list, i, one)
    {
        const char *check = sp_item_text(one, "check"), *figure = sp_item_text(one, "figure");
        char text[512];
        snprintf(text, sizeof text, "%s (%s)%s", check ? check : "?", figure ? figure : "no figure",
                 i + 1 < n ? "," : ".");
        sp_pen_words(pen, SP_INK_PLAIN, text);
    }
    sp_pen_end(pen);
}

void sp_section_hints(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *hints = sp_record_node(record, "hints"), *hint;
    size_t i;
    if (!json_is_array(hints))
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "HINTS");
    if (json_array_size(hints) == 0)
        sp_pen_put(pen, SP_INK_PLAIN,
                   "  none: no change that was looked at promises a gain above its threshold");
    sp_pen_end(pen);
    json_array_foreach(hints, i, hint) hint_lines(pen, hint);
    not_a_problem(pen, record);
}

void sp_section_notes(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *flags = sp_record_node(record, "flags"), *remarks = sp_record_node(record, "remarks"), *one;
    size_t i;
    if (json_array_size(flags) + json_array_size(remarks) > 0)
        fputc('\n', pen->out);
    json_array_foreach(flags, i, one)
    {
        const char *code = sp_item_text(one, "code"), *text = sp_item_text(one, "text");
        pen->indent = 9;
        sp_pen_put(pen, SP_INK_RED, "%s", i == 0 ? "FLAGS" : "");
        sp_pen_tab(pen, 9);
        sp_pen_put(pen, SP_INK_RED, "%s", code ? code : "?");
        pen->indent = 14;
        sp_pen_tab(pen, 14);
        sp_pen_words(pen, SP_INK_PLAIN, text ? text : "");
        sp_pen_end(pen);
    }
    json_array_foreach(remarks, i, one)
    {
        sp_pen_put(pen, SP_INK_BOLD, "%s", i == 0 ? "REMARKS" : "");
        pen->indent = 9;
        sp_pen_tab(pen, 9);
        const char *text = json_string_value(one);
        sp_pen_words(pen, SP_INK_PLAIN,
                     text                        ? text
                     : sp_item_text(one, "text") ? sp_item_text(one, "text")
                                                 : "");
        sp_pen_end(pen);
    }
}
