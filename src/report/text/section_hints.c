#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/report_words.h"
#include "report/text/sections.h"
#include "report/verdict/verdict.h"

/* "observed −82 % confirmed": what came of it where it was tried. */
static void observed_part(struct sp_pen *pen, const json_t *hint)
{
    const json_t *observed = json_object_get(hint, "observed");
    const char *outcome = sp_outcome_words(hint);
    const struct sp_value v = sp_hint_observed(hint);
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

enum { INDENT = 5 };

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
    const json_t *list = sp_record_node(record, SP_F_NOT_A_PROBLEM), *one;
    size_t i, n = 0;
    pen->indent = 1;
    json_array_foreach(list, i, one)
    {
        const char *check = sp_item_text(one, "check"), *figure = sp_item_text(one, "figure");
        char text[512];
        if (sp_verdict_contradicts(record, one))
            continue;
        if (n++ == 0) {
            sp_pen_put(pen, SP_INK_PLAIN, " ");
            sp_pen_words(pen, SP_INK_GREEN, "Not a problem (checked):");
        } else {
            sp_pen_put(pen, SP_INK_PLAIN, ",");
        }
        snprintf(text, sizeof text, "%s (%s)", check ? check : "?", figure ? figure : "no figure");
        sp_pen_words(pen, SP_INK_PLAIN, text);
    }
    if (n == 0)
        return;
    sp_pen_put(pen, SP_INK_PLAIN, ".");
    sp_pen_end(pen);
}

void sp_section_hints(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *hints = sp_record_node(record, SP_F_HINTS), *hint;
    size_t i;
    if (!json_is_array(hints))
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "HINTS");
    if (json_array_size(hints) == 0)
        sp_pen_put(pen, SP_INK_PLAIN, "  none: no change examined promises a gain above its threshold");
    sp_pen_end(pen);
    json_array_foreach(hints, i, hint) hint_lines(pen, hint);
    not_a_problem(pen, record);
}

/* The first sentence of the evidence; returns how many lines it takes, 0: there is none. */
static int evidence_of(const struct sp_pen *pen, const json_t *hint, char *text, size_t size)
{
    const char *all = sp_item_text(hint, "evidence"), *end = all ? strstr(all, ". ") : NULL;
    if (!all || !*all)
        return 0;
    snprintf(text, size, "%.*s", end ? (int)(end + 1 - all) : (int)strlen(all), all);
    /* a line may end a word earlier */
    const int columns = sp_pen_columns(pen, text), room = pen->width - INDENT;
    return columns <= room ? 1 : 1 + columns / (room - 10);
}

/* On whose word a prediction is and how sure, or that trying told nothing; where there is room. */
static void basis_part(struct sp_pen *pen, const json_t *hint)
{
    const char *basis = sp_item_text(json_object_get(hint, "gain"), "basis"),
               *confidence = sp_item_text(hint, "confidence"), *outcome = sp_outcome_words(hint);
    char text[128];
    if (!basis || !confidence || sp_value_known(sp_hint_observed(hint)))
        return;
    if (outcome && strncmp(outcome, "not conclusive", 14) == 0)
        snprintf(text, sizeof text, "   tried: %.14s", outcome);
    else
        snprintf(text, sizeof text, "   %s, confidence %s", basis, confidence);
    if (pen->column + sp_pen_columns(pen, text) <= pen->width)
        sp_pen_put(pen, SP_INK_DIM, "%s", text);
}

/* Returns the lines that it took of those to spare. */
static int brief_lines(struct sp_pen *pen, const json_t *hint, int to_spare)
{
    const char *id = sp_item_text(hint, "id"), *title = sp_item_text(hint, "title"),
               *command = sp_item_text(hint, "try");
    char text[1024];
    sp_pen_put(pen, SP_INK_BOLD, " %-3s %s", id ? id : "?", title ? title : "");
    sp_pen_tab(pen, 28);
    sp_pen_put(pen, SP_INK_BOLD, "%s", sp_verdict_gain(hint, text, sizeof text));
    basis_part(pen, hint);
    sp_pen_end(pen);
    const int taken = evidence_of(pen, hint, text, sizeof text);
    if (taken > 0 && taken <= to_spare) {
        pen->indent = INDENT;
        sp_pen_tab(pen, INDENT);
        sp_pen_words(pen, SP_INK_PLAIN, text);
        sp_pen_end(pen);
    }
    if (command && *command) {
        sp_pen_tab(pen, INDENT);
        sp_pen_put(pen, SP_INK_CYAN, "%s", command); /* to be copied: never broken */
        sp_pen_end(pen);
    }
    return taken <= to_spare ? taken : 0;
}

void sp_section_hints_brief(struct sp_pen *pen, const struct sp_record *record, int lines)
{
    enum { HEADING = 2, LEAST_LINES = 2, MOST_SHOWN = 3 };
    const json_t *hint[MOST_SHOWN];
    const int n_hints = (int)json_array_size(sp_record_node(record, SP_F_HINTS)),
              most = (lines - HEADING) / LEAST_LINES,
              n = sp_hints_shown(record, hint, most < MOST_SHOWN ? most : MOST_SHOWN);
    if (n_hints == 0 || lines < HEADING)
        return;
    int to_spare = lines - HEADING - n * LEAST_LINES;
    sp_pen_end(pen);
    sp_pen_put(pen, SP_INK_BOLD, "HINTS");
    if (n_hints > n)
        sp_pen_put(pen, SP_INK_DIM, n > 0 ? "  %d more: -v" : "  none gains 3 %% for certain; %d smaller: -v",
                   n_hints - n);
    sp_pen_end(pen);
    for (int i = 0; i < n; i++)
        to_spare -= brief_lines(pen, hint[i], to_spare);
}

void sp_section_notes(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *flags = sp_record_node(record, SP_F_FLAGS), *remarks = sp_record_node(record, SP_F_REMARKS),
                 *one;
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

/* TRIED: what was predicted beside what was observed, hint by hint, then together. */

enum { CELL = 64, CHANGE = 10, PREDICTED = 58, OBSERVED = 75, OUTCOME = 77, SAID = 320 };

/* What it costs before the first execution. */
static void cost_line(struct sp_pen *pen, const json_t *trial)
{
    const double setup = sp_item_number(trial, "setup_executions"),
                 pays = sp_item_number(trial, "pays_after");
    if (!isfinite(setup))
        return;
    pen->indent = CHANGE;
    sp_pen_tab(pen, CHANGE);
    sp_pen_put(pen, SP_INK_DIM, "set-up %.*f executions of the run", setup < 10 ? 1 : 0, setup);
    if (isfinite(pays))
        sp_pen_put(pen, SP_INK_DIM, ", pays after %.0f", pays);
    sp_pen_end(pen);
}

/* A sentence under a row, unless it is empty. */
static void line(struct sp_pen *pen, enum sp_ink ink, const char *said)
{
    if (!*said)
        return;
    pen->indent = CHANGE;
    sp_pen_tab(pen, CHANGE);
    sp_pen_words(pen, ink, said);
    sp_pen_end(pen);
}

static void row(struct sp_pen *pen, const char *label, const json_t *item, bool with_prediction)
{
    const json_t *trial = json_object_get(item, "trial");
    const char *change = sp_item_text(trial, "change"), *failed = sp_item_text(trial, "failed"),
               *outcome = sp_item_text(item, "outcome");
    char text[CELL], said[SAID];
    if (!trial)
        return;
    pen->indent = CHANGE;
    sp_pen_put(pen, SP_INK_BOLD, " %s", label);
    if (pen->column >= CHANGE)
        sp_pen_end(pen);
    sp_pen_tab(pen, CHANGE);
    sp_pen_put(pen, SP_INK_PLAIN, "%s", change && *change ? change : failed ? "–" : "no options");
    if (failed) {
        sp_pen_part(pen, SP_INK_DIM, 2, "not tried: %s", failed);
        sp_pen_end(pen);
        return;
    }
    if (pen->column > PREDICTED - 14)
        sp_pen_end(pen);
    if (with_prediction)
        sp_pen_right(pen, SP_INK_PLAIN, PREDICTED, sp_predicted_text(item, text, sizeof text));
    sp_pen_right(pen, SP_INK_PLAIN, OBSERVED, sp_observed_text(item, text, sizeof text));
    if (with_prediction && outcome) {
        sp_pen_tab(pen, OUTCOME);
        const char *words = sp_outcome_words(item);
        sp_pen_put(pen, sp_outcome_ink(outcome), "%.*s", (int)strcspn(words, ":"), words);
    }
    sp_pen_end(pen);
    line(pen, SP_INK_YELLOW, sp_conditions_text(item, said, sizeof said));
    cost_line(pen, trial);
}

static void no_best(struct sp_pen *pen, const struct sp_record *record)
{
    pen->indent = CHANGE;
    sp_pen_put(pen, SP_INK_BOLD, " best");
    sp_pen_tab(pen, CHANGE);
    sp_pen_words(pen, SP_INK_PLAIN,
                 sp_tries_were_stopped(record)
                     ? "unknown: the trials were interrupted; until then nothing was faster beyond the noise"
                     : "the run as it is: nothing that was tried is faster beyond the noise");
    sp_pen_end(pen);
}

static void best_lines(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *best = sp_record_node(record, SP_F_TRIES_BEST), *trial = json_object_get(best, "trial");
    const char *command = sp_item_text(best, "command");
    char text[CELL], said[SAID];
    if (!command) {
        no_best(pen, record);
        return;
    }
    sp_pen_put(pen, SP_INK_BOLD, " best");
    sp_pen_tab(pen, CHANGE);
    sp_pen_put(pen, SP_INK_CYAN, "%s", command);
    sp_pen_end(pen);
    pen->indent = CHANGE;
    sp_pen_tab(pen, CHANGE);
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", sp_faster_text(best, said, sizeof said));
    sp_pen_part(pen, sp_outcome_ink(sp_item_text(best, "outcome")), 1, "(time %s)",
                sp_observed_text(best, text, sizeof text));
    sp_pen_end(pen);
    line(pen, sp_item_text(best, "unconfirmed") ? SP_INK_YELLOW : SP_INK_DIM,
         sp_confirmation_text(best, said, sizeof said));
    line(pen, SP_INK_PLAIN, sp_against_honest_text(sp_record_node(record, SP_F_TRIES), said, sizeof said));
    line(pen, SP_INK_YELLOW, sp_conditions_text(best, said, sizeof said));
    cost_line(pen, trial);
    if (sp_record_value_of(json_object_get(best, "observed")).lo <= 0)
        line(pen, SP_INK_YELLOW,
             "not certain: fresh processes do not all show the gain; repeat it on a quieter machine");
}

void sp_section_tries(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *tries = sp_record_node(record, SP_F_TRIES), *item;
    char took[CELL], allowed[CELL];
    size_t i;
    if (!json_is_object(tries))
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "TRIED");
    sp_pen_tab(pen, CHANGE);
    sp_pen_put(pen, SP_INK_DIM, "%s of %s",
               sp_text_seconds(took, sizeof took, sp_item_number(tries, "cost_s")),
               sp_text_seconds(allowed, sizeof allowed, sp_item_number(tries, "budget_s")));
    sp_pen_right(pen, SP_INK_PLAIN, PREDICTED, "predicted");
    sp_pen_right(pen, SP_INK_PLAIN, OBSERVED, "observed");
    sp_pen_end(pen);
    const json_t *honest = json_object_get(tries, "honest");
    if (json_object_get(honest, "trial"))
        row(pen, "honest", honest, false);
    json_array_foreach(sp_record_node(record, SP_F_HINTS), i, item)
    {
        const char *id = sp_item_text(item, "id");
        row(pen, id ? id : "?", item, true);
    }
    json_array_foreach(json_object_get(tries, "further"), i, item)
    {
        const char *ids = sp_item_text(item, "hints");
        row(pen, ids ? ids : "?", item, true);
    }
    best_lines(pen, record);
}
