#include "report/report_sweep.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/figures.h"
#include "base/memory.h"
#include "base/option/change.h"
#include "base/print.h"
#include "base/text.h"
#include "report/report_words.h"
#include "report/text/sections.h"

enum { CELL = 64, TIME = 52, GAIN = 72, BOUND = 82, SETUP = 92, SHOWN = 20, NAMED = 8, MOST_MAP = 16 };

/* A column of the table; a narrow terminal leaves changes less room. */
static int at(const struct sp_pen *pen, int column)
{
    static const int narrowest = 80;
    const int width = pen->width > narrowest ? pen->width : narrowest;
    return width < SETUP ? column - (SETUP - width) : column;
}

static const char *fate_of(const json_t *point)
{
    const char *fate = sp_item_text(point, "fate");
    if (json_is_true(json_object_get(point, "disturbed"))) /* of older records, which gave it a figure */
        return "disturbed";
    return fate ? fate : "?";
}

static bool is_measured(const json_t *point)
{
    return strcmp(fate_of(point), "measured") == 0;
}

static const char *change_of(const json_t *point)
{
    const char *change = sp_item_text(point, "change");
    return change && *change ? change : "the run";
}

/* Time of the point [s]: of the run, less what it saves. */
static double time_of(const json_t *point, double base_s)
{
    const struct sp_value gain = sp_record_value_of(json_object_get(point, "gain"));
    return sp_value_known(gain) ? base_s * (1 - gain.value) : NAN;
}

/* What stands above every figure; older records do not say it. */
static void state_line(struct sp_pen *pen, const struct sp_record *record)
{
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, NULL);
    if (!state)
        return;
    const bool unusable = strcmp(state, "unusable") == 0;
    sp_pen_put(pen,
               unusable                      ? SP_INK_RED
               : strcmp(state, "clean") == 0 ? SP_INK_GREEN
                                             : SP_INK_YELLOW,
               "%s", state);
    sp_pen_put(pen, SP_INK_PLAIN, ":");
    char text[512];
    snprintf(text, sizeof text, "%.300s%s", sp_words_text(record, SP_F_CONDITIONS_TEXT, "no words"),
             unusable
                 ? "; no time says anything: `spmodel doctor` names who computes here; then again, with a "
                   "longer " SP_O_BUDGET
                 : "");
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
}

static void head(struct sp_pen *pen, const struct sp_record *record)
{
    char took[CELL];
    double cost = NAN, combinations = NAN;
    const char *name = "?";
    sp_record_text(record, SP_F_PROBLEM_NAME, &name);
    sp_record_number(record, SP_F_SWEEP_COST_S, &cost);
    sp_record_number(record, SP_F_SWEEP_COMBINATIONS, &combinations);
    sp_pen_put(pen, SP_INK_BOLD, "SWEEP");
    sp_pen_put(pen, SP_INK_PLAIN, "  %s, %.0f combinations, %s", name, combinations,
               sp_text_seconds(took, sizeof took, cost));
    sp_pen_end(pen);
    state_line(pen, record);
}

static void column_heads(struct sp_pen *pen, struct sp_scale scale)
{
    char cell[CELL];
    fputc('\n', pen->out);
    snprintf(cell, sizeof cell, "time %s", scale.prefix);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, TIME), cell);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, GAIN), "against the run");
    snprintf(cell, sizeof cell, "bound %s", scale.prefix);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, BOUND), cell);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, SETUP), "set-up*");
    sp_pen_end(pen);
}

static void point_line(struct sp_pen *pen, const json_t *point, int rank, double base_s,
                       struct sp_scale scale)
{
    char cell[CELL];
    const struct sp_value gain = sp_record_value_of(json_object_get(point, "gain"));
    const double time = time_of(point, base_s), bound = sp_item_number(point, "bound_s"),
                 setup = sp_item_number(json_object_get(point, "trial"), "setup_executions");
    const bool tied = json_is_true(json_object_get(point, "tied"));
    sp_pen_put(pen, tied ? SP_INK_GREEN : SP_INK_PLAIN, " %2d%s %s", rank, tied ? "=" : " ",
               change_of(point));
    if (pen->column > at(pen, TIME) - 8)
        sp_pen_end(pen);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, TIME), sp_figure(cell, sizeof cell, time / scale.factor, 3));
    sp_pen_right(pen, gain.value > 0 ? SP_INK_GREEN : SP_INK_PLAIN, at(pen, GAIN),
                 sp_change_text(gain, cell, sizeof cell));
    if (isfinite(bound))
        sp_pen_right(pen, SP_INK_DIM, at(pen, BOUND), sp_figure(cell, sizeof cell, bound / scale.factor, 3));
    if (isfinite(setup))
        sp_pen_right(pen, SP_INK_DIM, at(pen, SETUP), sp_figure(cell, sizeof cell, setup, 3));
    sp_pen_end(pen);
}

static int compare_numbers(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static int add_number(long *list, int n, long value)
{
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return n;
    if (n < MOST_MAP)
        list[n++] = value;
    return n;
}

/* C and sigma of "... sell:32,256 ..."; false: another format. */
static bool sell_of(const json_t *point, long *C, long *sigma)
{
    struct sp_change change;
    const char *format = is_measured(point) && sp_change_parse(change_of(point), &change)
                             ? sp_change_value(&change, SP_OPTION_FORMAT)
                             : NULL;
    return format && sscanf(format, "sell:%ld,%ld", C, sigma) == 2;
}

/* Best time of each C and sigma, where there are several of both. */
static void map(struct sp_pen *pen, const json_t *points, double base_s, struct sp_scale scale)
{
    long C[MOST_MAP], sigma[MOST_MAP], c, s;
    int n_C = 0, n_sigma = 0;
    const json_t *point;
    size_t i;
    json_array_foreach(points, i, point) if (sell_of(point, &c, &s))
    {
        n_C = add_number(C, n_C, c);
        n_sigma = add_number(sigma, n_sigma, s);
    }
    if (n_C < 2 || n_sigma < 2)
        return;
    sp_sort_by(C, n_C, sizeof *C, compare_numbers);
    sp_sort_by(sigma, n_sigma, sizeof *sigma, compare_numbers);
    sp_print(pen->out, "\nSELL-C-sigma: time in %s, C down, sigma across\n      ", scale.prefix);
    for (int k = 0; k < n_sigma; k++)
        sp_print(pen->out, "%9ld", sigma[k]);
    fputc('\n', pen->out);
    for (int r = 0; r < n_C; r++) {
        sp_print(pen->out, " %4ld ", C[r]);
        for (int k = 0; k < n_sigma; k++) {
            double best = NAN;
            char cell[CELL];
            json_array_foreach(points, i, point) if (sell_of(point, &c, &s) && c == C[r] && s == sigma[k])
                best = fmin(isnan(best) ? INFINITY : best, time_of(point, base_s));
            sp_print(pen->out, "%9s",
                     isnan(best) ? "." : sp_figure(cell, sizeof cell, best / scale.factor, 3));
        }
        fputc('\n', pen->out);
    }
}

/* How many have this fate, and which: all of them, at most so many, none (0). */
static void left_out(struct sp_pen *pen, const json_t *points, const char *fate, const char *text, int most)
{
    const json_t *point;
    size_t i, n = 0;
    char cell[CELL];
    int n_named = 0;
    json_array_foreach(points, i, point) n += strcmp(fate_of(point), fate) == 0;
    if (n == 0)
        return;
    sp_pen_put(pen, SP_INK_PLAIN, " %zu left out:", n);
    pen->indent = 5;
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
    json_array_foreach(points, i, point)
    {
        const double bound = sp_item_number(point, "bound_s");
        const char *why = sp_item_text(point, "why");
        if (strcmp(fate_of(point), fate) != 0 || n_named++ >= most)
            continue;
        sp_pen_put(pen, SP_INK_DIM, "     %s", change_of(point));
        if (isfinite(bound))
            sp_pen_put(pen, SP_INK_DIM, ": at least %s", sp_text_seconds(cell, sizeof cell, bound));
        if (why)
            sp_pen_put(pen, SP_INK_DIM, ": %s", why);
        sp_pen_end(pen);
    }
    if (most > 0 && n_named > most)
        sp_print(pen->out, "     ... and %d more (-v)\n", n_named - most);
}

void sp_report_sweep(const struct sp_record *record, const struct sp_report_style *style, FILE *out)
{
    struct sp_pen pen;
    const json_t *points = sp_record_node(record, SP_F_SWEEP_POINTS), *point;
    const struct sp_value base = sp_record_value(record, SP_F_SWEEP_BASE_TIME);
    const struct sp_scale scale = sp_scale_of_seconds(sp_value_known(base) ? base.value : 1);
    const char *command = NULL;
    double combinations = 0;
    size_t i;
    int rank = 0, n_tied = 0;
    bool run_is_tied = false, run_is_measured = false, has_setup = false;
    const int all = style->verbosity >= 1 ? INT_MAX : 0;
    sp_pen_open(&pen, style, out);
    head(&pen, record);
    json_array_foreach(points, i, point) if (is_measured(point))
    {
        const char *what = sp_item_text(point, "change");
        if (rank++ == 0)
            column_heads(&pen, scale);
        run_is_measured |= !what || !*what;
        has_setup |= isfinite(sp_item_number(json_object_get(point, "trial"), "setup_executions"));
        if (json_is_true(json_object_get(point, "tied"))) {
            const char *change = sp_item_text(point, "change");
            n_tied++;
            run_is_tied |= !change || !*change;
        }
        if (rank <= SHOWN || style->verbosity >= 1)
            point_line(&pen, point, rank, base.value, scale);
    }
    if (rank > SHOWN && style->verbosity < 1)
        sp_print(out, " ... and %d slower ones (-v shows them)\n", rank - SHOWN);
    if (n_tied > 1)
        sp_print(out, " = tied with the best: %d of them differ by no more than the noise\n", n_tied);
    if (has_setup)
        sp_print(out, " * in executions of the run\n");
    if (rank > 0 && !run_is_measured)
        sp_print(out, " the run itself has no row; each row is compared with executions of it in turn\n");
    map(&pen, points, base.value, scale);
    fputc('\n', out);
    left_out(
        &pen, points, "disturbed",
        "fewer than three of their samples were undisturbed, so they have no figure:", all > 0 ? all : NAMED);
    left_out(&pen, points, "cannot be faster",
             "max(V/b_S, W/P_core) of the model is above the best time (-v lists them)", all);
    left_out(
        &pen, points, "no time left",
        "the others took several times the budget; a longer " SP_O_BUDGET " reaches:", all > 0 ? all : NAMED);
    left_out(&pen, points, "impossible", "they do not go together, or not here (-v says why)", all);
    left_out(&pen, points, "failed", "they were begun and could not be measured:", INT_MAX);
    sp_record_number(record, SP_F_SWEEP_COMBINATIONS, &combinations);
    const double rest = combinations - (double)json_array_size(points);
    if (rest > 0)
        sp_print(out,
                 " %.0f combinations were not walked: groups of options are scanned around the\n"
                 "     best so far (" SP_O_EXHAUSTIVE " walks all)\n",
                 rest);
    if (sp_record_text(record, SP_F_SWEEP_BEST_COMMAND, &command)) {
        sp_pen_put(&pen, SP_INK_BOLD, "best  ");
        sp_pen_put(&pen, SP_INK_CYAN, "%s", command);
        sp_pen_end(&pen);
        if (run_is_tied && rank > 1)
            sp_print(out, "      the run itself: nothing here is faster for certain\n");
    } else {
        sp_pen_put(&pen, SP_INK_BOLD, "best  ");
        sp_pen_put(&pen, SP_INK_PLAIN, "not known: nothing has an undisturbed sample");
        sp_pen_end(&pen);
    }
}

static void csv_number(FILE *out, double x)
{
    if (isfinite(x))
        sp_print(out, ",%.9g", x);
    else
        fputc(',', out);
}

void sp_report_sweep_csv(const struct sp_record *record, FILE *out)
{
    const struct sp_value base = sp_record_value(record, SP_F_SWEEP_BASE_TIME);
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, NULL); /* older records do not say it */
    const json_t *point;
    size_t i;
    fputs("change,fate,time_s,gain,gain_lo,gain_hi,tied,bound_s,setup_executions,kernel,state\n", out);
    json_array_foreach(sp_record_node(record, SP_F_SWEEP_POINTS), i, point)
    {
        const struct sp_value gain = sp_record_value_of(json_object_get(point, "gain"));
        const json_t *trial = json_object_get(point, "trial");
        const bool known = sp_value_known(gain);
        const char *kernel = sp_item_text(trial, "kernel"), *change = sp_item_text(point, "change");
        sp_csv_text(out, change ? change : "");
        fputc(',', out);
        sp_csv_field(out, fate_of(point));
        csv_number(out, known ? time_of(point, base.value) : NAN);
        csv_number(out, known ? gain.value : NAN);
        csv_number(out, known ? gain.lo : NAN);
        csv_number(out, known ? gain.hi : NAN);
        sp_print(out, ",%s", known ? json_is_true(json_object_get(point, "tied")) ? "true" : "false" : "");
        csv_number(out, sp_item_number(point, "bound_s"));
        csv_number(out, sp_item_number(trial, "setup_executions"));
        fputc(',', out);
        sp_csv_field(out, kernel ? kernel : "");
        fputc(',', out);
        sp_csv_field(out, state ? state : "");
        fputc('\n', out);
    }
}
