/* TRIED: what was predicted beside what was observed, hint by hint, then together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/report_words.h"
#include "report/text/sections.h"

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
