/* The six lines that a report begins with, and the one for a disturbed machine. */
#include <string.h>

#include "report/text/sections.h"
#include "report/verdict/verdict.h"
#include "report/verdict/verdict_parts.h"

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = sp_item_text(line, key);
    return text ? text : "";
}

static int columns_of(const struct sp_pen *pen, const json_t *line, const char *key)
{
    return sp_pen_columns(pen, text_of(line, key));
}

/* What and where on the left, the state of the machine on the right; the longest of both that fit.
 * Returns whether the state had to be shortened. */
static bool title(struct sp_pen *pen, const json_t *subject, const json_t *state)
{
    const char *word = text_of(state, "word"), *all = text_of(subject, "text");
    const enum sp_ink ink = strcmp(word, "clean") == 0                                     ? SP_INK_GREEN
                            : strcmp(word, "unusable") == 0 || strcmp(word, "failed") == 0 ? SP_INK_RED
                            : strcmp(word, "assumed") == 0                                 ? SP_INK_PLAIN
                                                                                           : SP_INK_YELLOW;
    char without[1024]; /* the processor, which comes last */
    const size_t n = strlen(all), processor = strlen(text_of(subject, "processor"));
    snprintf(without, sizeof without, "%.*s",
             (int)(processor > 0 && n > processor + 2 ? n - processor - 2 : n), all);
    enum { GAP = 3, WAYS = 5 };
    const char *const left[WAYS] = {all, all, without, without, text_of(subject, "short")},
                      *const right[WAYS] = {text_of(state, "text"), text_of(state, "short"),
                                            text_of(state, "text"), text_of(state, "short"),
                                            text_of(state, "short")};
    const int most = pen->width < 120 ? pen->width : 120;
    int way = 0;
    while (way < WAYS - 1 && sp_pen_columns(pen, left[way]) + GAP + sp_pen_columns(pen, right[way]) > most)
        way++;
    sp_pen_put(pen, SP_INK_BOLD, "%s", left[way]);
    const int column = most - sp_pen_columns(pen, right[way]);
    sp_pen_put(pen, SP_INK_PLAIN, "%*s", column > pen->column + GAP ? column - pen->column : GAP, "");
    sp_pen_put(pen, ink, "%s", right[way]);
    sp_pen_end(pen);
    return strcmp(right[way], text_of(state, "text")) != 0;
}

static void label(struct sp_pen *pen, const char *word)
{
    sp_pen_put(pen, SP_INK_BOLD, "%s", word);
    sp_pen_tab(pen, SP_VERDICT_LABEL);
    pen->indent = SP_VERDICT_LABEL;
}

/* The longer text where it fits, else the shorter one, broken only where that is too long. */
static void put(struct sp_pen *pen, const char *word, const json_t *line)
{
    label(pen, word);
    const char *text = text_of(line, "text"), *brief = text_of(line, "short");
    const bool is_known = strncmp(text, "not known", 9) != 0;
    if (pen->column + sp_pen_columns(pen, text) > pen->width)
        text = brief;
    if (pen->column + sp_pen_columns(pen, text) > pen->width)
        sp_pen_words(pen, SP_INK_PLAIN, text);
    else
        sp_pen_put(pen, is_known ? SP_INK_PLAIN : SP_INK_YELLOW, "%s", text);
    sp_pen_end(pen);
}

/* The largest causes that fit, and last what is not explained, where there is any. */
static void lost(struct sp_pen *pen, const json_t *list)
{
    const size_t n = json_array_size(list);
    const json_t *last = json_array_get(list, n - 1);
    const bool has_rest = strcmp(text_of(last, "cause"), "rest") == 0;
    if (n <= 1) {
        put(pen, "lost", last);
        return;
    }
    label(pen, "lost");
    int room = pen->width - SP_VERDICT_LABEL + 3 - (has_rest ? columns_of(pen, last, "text") + 3 : 0);
    for (size_t i = 0; i < n - has_rest; i++) {
        room -= columns_of(pen, json_array_get(list, i), "text") + 3;
        if (i > 0 && room < 0)
            break;
        sp_pen_put(pen, SP_INK_PLAIN, "%s%s", i > 0 ? " · " : "", text_of(json_array_get(list, i), "text"));
    }
    if (has_rest)
        sp_pen_put(pen, SP_INK_PLAIN, " · %s", text_of(last, "text"));
    sp_pen_end(pen);
}

void sp_section_verdict(struct sp_pen *pen, const struct sp_record *record)
{
    json_t *v = sp_verdict_of(record);
    const json_t *state = json_object_get(v, "state");
    const bool is_short = title(pen, json_object_get(v, "subject"), state);
    put(pen, "possible", json_object_get(v, "possible"));
    put(pen, "reached", json_object_get(v, "reached"));
    lost(pen, json_object_get(v, "lost"));
    put(pen, "do", json_object_get(v, "do"));
    put(pen, "trust", json_object_get(v, "trust"));
    const char *advice = text_of(state, "advice"), *all = text_of(state, "text");
    if (*advice) {
        const bool in_doubt = strcmp(advice, sp_verdict_doubt(record)) == 0;
        label(pen, in_doubt ? "doubt" : text_of(state, "word"));
        if (is_short && strchr(all, ' ')) {
            sp_pen_words(pen, SP_INK_PLAIN, strchr(all, ' ') + 1);
            sp_pen_put(pen, SP_INK_PLAIN, ";");
        }
        sp_pen_words(pen, SP_INK_PLAIN, advice);
        sp_pen_end(pen);
    }
    json_decref(v);
}
