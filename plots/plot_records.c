#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/record/record_losses.h"
#include "plots/plot.h"
#include "plots/script.h"

/* A series: the time of every run above, with verdicts; bandwidth and the roof beside it below. */

static double time_of(const struct sp_record *record)
{
    const struct sp_value v = sp_record_value(record, SP_F_METRICS_TIME);
    return sp_value_known(v) ? v.value : NAN;
}

/* Seconds by the unit that people would take. */
static double unit_of(double seconds, const char **name)
{
    *name = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
    return seconds < 1e-3 ? 1e-6 : seconds < 1 ? 1e-3 : 1;
}

/* What the caller found of a record when it was the newest (`verdict`), as far as it is drawn. */
static const struct mark {
    const char *verdict;
    int color, point;
} marks[] = {{"regressed", SP_RED, 9}, {"improved", SP_GREEN, 11}, {"inconclusive", SP_YELLOW, 13}};
enum { N_MARKS = sizeof marks / sizeof *marks };

/* 1 + its place among the marks, 0: none. */
static int mark_of(const struct sp_record *record)
{
    for (int i = 0; i < N_MARKS; i++)
        if (strcmp(sp_words_text(record, SP_F_VERDICT, ""), marks[i].verdict) == 0)
            return i + 1;
    return 0;
}

/* Clauses of a plot command for the marks that occur. */
static void plot_marks(const struct sp_record *const *records, int n, struct sp_script *out)
{
    for (int k = 0; k < N_MARKS; k++) {
        bool found = false;
        for (int i = 0; i < n && !found; i++)
            found = mark_of(records[i]) == k + 1;
        if (found)
            sp_put_text(out, sp_quote("%s", marks[k].verdict),
                        SP_NEXT
                        "$RECORDS using 1:($5 == %d ? $2 : NaN) with points pt %d ps 1.3 lc rgb %c title %t",
                        k + 1, marks[k].point, marks[k].color);
    }
}

/* What is drawn on an axis. */
struct range {
    double lo, hi;
};

static void widen(struct range *r, double x)
{
    if (isfinite(x))
        r->lo = fmin(r->lo, x), r->hi = fmax(r->hi, x);
}

/* From 0 only where the values reach that far down. */
static void set_range(struct range r, struct sp_script *out)
{
    const double room = fmax(0.12 * (r.hi - r.lo), 0.04 * r.hi);
    if (r.hi > 0 && r.lo <= r.hi)
        sp_put(out, "set yrange [%.6g:%.6g]\n", r.lo > 0.4 * r.hi ? r.lo - room : 0, r.hi + room);
    else
        sp_put(out, "set yrange [0:1]\n");
}

static void write_runs(const struct sp_record *const *records, int n, double unit, struct range *times,
                       struct sp_script *out)
{
    sp_put(out, "# record, median time of a run\n$RUNS << EOD\n");
    for (int i = 0; i < n; i++) {
        const json_t *runs = sp_record_node(records[i], SP_F_RUNS), *run;
        size_t k;
        json_array_foreach(runs, k, run)
        {
            const double t = sp_list_median(json_object_get(run, "time_s"));
            if (!(t > 0))
                continue;
            sp_put(out, "%d %.8g\n", i + 1, t / unit);
            widen(times, t / unit);
        }
    }
    sp_put(out, "EOD\n");
}

static void write_records(const struct sp_record *const *records, int n, double unit, struct range *times,
                          struct range *bandwidths, struct sp_script *out)
{
    sp_put(out, "# record, time, bandwidth GB/s, roof GB/s (? unknown), verdict\n$RECORDS << EOD\n");
    for (int i = 0; i < n; i++) {
        const struct sp_value b = sp_record_value(records[i], SP_F_METRICS_BANDWIDTH);
        const json_t *roof = sp_record_roof(records[i]);
        const double b_S = roof ? sp_item_number(roof, "value") : NAN;
        sp_put(out, "%d %.8g ", i + 1, time_of(records[i]) / unit);
        widen(times, time_of(records[i]) / unit);
        if (sp_value_known(b)) {
            sp_put(out, "%.8g ", b.value / 1e9);
            widen(bandwidths, b.value / 1e9);
        } else {
            sp_put(out, "? ");
        }
        if (b_S > 0) {
            sp_put(out, "%.8g ", b_S / 1e9);
            widen(bandwidths, b_S / 1e9);
        } else {
            sp_put(out, "? ");
        }
        sp_put(out, "%d\n", mark_of(records[i]));
    }
    sp_put(out, "EOD\n");
}

static int tic_step(int n)
{
    return n > 10 ? (n + 9) / 10 : 1;
}

/* Of the source that was measured, else of this program, as short as a tic; "": not known. */
static const char *commit_of(const struct sp_record *record, char *text, size_t size)
{
    enum { MOST = 10 };
    const char *commit = sp_words_text(record, SP_F_SOURCE_COMMIT, sp_words_text(record, SP_F_TOOL_GIT, "")),
               *dirty = strstr(commit, "-dirty");
    const int n = dirty && dirty - commit < MOST ? (int)(dirty - commit) : MOST;
    snprintf(text, size, "%.*s", n, commit);
    return text;
}

/* Days, at most ten of them; hours and minutes where all is of one day; and the commit. */
static void write_tics(const struct sp_record *const *records, int n, enum sp_image term,
                       struct sp_script *out)
{
    const int step = term == SP_TERM_TXT ? 2 * tic_step(n) : tic_step(n);
    const char *first = sp_words_text(records[0], SP_F_TIME_START, "?");
    const bool one_day =
        strlen(first) > 15 && strncmp(first, sp_words_text(records[n - 1], SP_F_TIME_START, "?"), 10) == 0;
    sp_script_tics(out, SP_X);
    for (int i = 0; i < n; i += step) {
        char text[16];
        const char *start = sp_words_text(records[i], SP_F_TIME_START, "?"),
                   *commit = commit_of(records[i], text, sizeof text);
        const bool with_hour = one_day && strlen(start) > 15;
        sp_script_tic(out,
                      sp_quote("%.*s%s%s", with_hour ? 5 : 10, with_hour ? start + 11 : start,
                               *commit ? " " : "", commit),
                      i + 1);
    }
    if (term == SP_TERM_TXT)
        sp_put(out, ")\n");
    else
        sp_put(out, ") rotate by 40 right font ',10'\n");
}

/* A line where the commit of the source or of this program changes. */
static void write_changes(const struct sp_record *const *records, int n, struct sp_script *out)
{
    for (int i = 1; i < n; i++) {
        const enum sp_record_field fields[] = {SP_F_SOURCE_COMMIT, SP_F_TOOL_GIT};
        bool changed = false;
        for (int k = 0; k < 2; k++)
            changed = changed || strcmp(sp_words_text(records[i - 1], fields[k], ""),
                                        sp_words_text(records[i], fields[k], "")) != 0;
        if (changed)
            sp_put(out, "set arrow from %g, graph 0 to %g, graph 1 nohead dt 3 lw 1.2 lc rgb %c back\n",
                   i + 0.5, i + 0.5, SP_GREY);
    }
}

/* The two panels of a picture, each with its key above it. */
static void place(double bottom, double top, enum sp_image term, struct sp_script *out)
{
    if (term == SP_TERM_TXT)
        sp_put(out, "set lmargin 12; set key tmargin left Left reverse horizontal\n");
    else
        sp_put(out,
               "set lmargin at screen 0.11; set rmargin at screen 0.975; set bmargin at screen %g; set "
               "tmargin at screen %g\nset key at screen 0.1,%g left bottom Left reverse horizontal samplen 2 "
               "font ',11'\n",
               bottom, top, top + 0.012);
}

static void draw_times(const struct sp_record *const *records, int n, enum sp_image term, const char *unit,
                       struct sp_script *out)
{
    const struct sp_series runs = sp_series(0), record = sp_series(1);
    sp_put_text(out,
                sp_quote("each process, %s",
                         sp_words_text(records[n - 1], SP_F_METRICS_TIME_ORIGIN, "of unknown origin")),
                "plot $RUNS using 1:2 with points pt %d ps 0.5 lc rgb %c title %t", runs.hollow, SP_CYAN);
    sp_put_text(out, sp_quote("record [%s]", unit),
                SP_NEXT "$RECORDS using 1:2 with linespoints pt %d ps 0.6 lw 2 lc rgb %c title %t",
                record.filled, SP_BLUE);
    plot_marks(records, n, out);
    if (term == SP_TERM_SVG)
        sp_put_text(out, sp_quote_value(" %s", unit),
                    SP_NEXT "$RUNS using 1:2:(sprintf('record %%d, a process: %%.3g', $1, $2).%t)" SP_HOVER);
    if (term == SP_TERM_SVG)
        sp_put_text(out, sp_quote_value(" %s", unit),
                    SP_NEXT "$RECORDS using 1:2:(sprintf('record %%d: %%.3g', $1, $2).%t)" SP_HOVER);
    sp_put(out, "\n");
}

static void draw_bandwidths(const struct sp_record *newest, enum sp_image term, struct sp_script *out)
{
    const struct sp_value b = sp_record_value(newest, SP_F_METRICS_BANDWIDTH);
    const json_t *roof = sp_record_roof(newest);
    const char *whose = roof ? sp_item_text(roof, "origin") : NULL;
    const enum sp_origin roofs = whose ? sp_origin_from_name(whose) : SP_NONE;
    const struct sp_series achieved = sp_series(1), load = sp_series(2);
    sp_put_text(out, sp_quote("achieved, bytes %s", sp_origin_name(b.origin)),
                "plot $RECORDS using 1:3 with linespoints pt %d ps 0.6 lw 2 dt %d lc rgb %c title %t" SP_NEXT,
                achieved.filled, sp_origin_dash(b.origin), SP_BLUE);
    sp_put_text(out, sp_quote("load-only roof beside it, %s", sp_origin_name(roofs)),
                "$RECORDS using 1:4 with linespoints pt %d ps 0.6 lw 1.5 dt %d lc rgb %c title %t",
                load.hollow, sp_origin_dash(roofs), SP_RED);
    if (term == SP_TERM_SVG)
        sp_put(out, SP_NEXT
               "$RECORDS using 1:3:(sprintf('record %%d, achieved: %%.3g GB/s', $1, $3))" SP_HOVER SP_NEXT
               "$RECORDS using 1:4:(sprintf('record %%d, roof: %%.3g GB/s', $1, $4))" SP_HOVER);
    sp_put(out, "\n");
}

static void history_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                                 struct sp_script *out)
{
    const char *unit;
    const double scale = unit_of(time_of(records[n - 1]), &unit);
    struct range times = {INFINITY, 0}, bandwidths = {INFINITY, 0};
    write_runs(records, n, scale, &times, out);
    write_records(records, n, scale, &times, &bandwidths, out);
    write_changes(records, n, out);
    sp_put(out, "set datafile missing '?'\nset xrange [0.5:%g]\nset multiplot layout 2,1\n", n + 0.5);
    sp_script_title(out, records[n - 1], "history", term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 52, term);
    if (term != SP_TERM_TXT)
        sp_put(out, "set title offset 0,2\n"); /* above a key of two rows */
    place(0.57, 0.865, term, out);
    sp_put_text(out, sp_quote("time [%s]", unit), "set ylabel %t; set xtics 1,%d; set format x ''\n",
                tic_step(n));
    set_range(times, out);
    draw_times(records, n, term, unit, out);
    place(0.19, 0.49, term, out);
    sp_put(out, "unset title; set ylabel 'bandwidth [GB/s]'\n");
    set_range(bandwidths, out);
    write_tics(records, n, term, out);
    draw_bandwidths(records[n - 1], term, out);
    sp_put(out, "unset multiplot\n");
}

static const struct sp_lack *history_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_times = {"times that hold: too many samples were disturbed", SP_F_NONE};
    static const struct sp_lack no_time = {"a measured time", SP_F_METRICS_TIME};
    return sp_verdict_disturbed(record) ? &no_times : time_of(record) > 0 ? NULL : &no_time;
}

const struct sp_plot_kind sp_plot_history = {
    "history",
    "time and bandwidth of a series over its records",
    2000,
    860,
    600,
    history_lacks,
    history_write_script,
    44,
};

/* Many matrices with several configurations in one picture: performance, fraction of the roof and
 * alpha over the number of entries, and which hints fired how often. */

/* More configurations than colours share the last place, "others"; rarer hints are counted. */
enum {
    MOST_RUNS = SP_N_SERIES,
    MOST_HINTS = 10,
    N_METRICS = 3,
    CAMPAIGN_WIDTH = 1100,
    CAMPAIGN_HEIGHT = 780,
    CAMPAIGN_LINES = 60
};
/* Performance and fraction on the left, alpha and hints on the right; the key above all. */
static const struct sp_panel panels[N_METRICS + 1] = {{0.105, 0.485, 0.56, 0.87, CAMPAIGN_WIDTH, 13},
                                                      {0.105, 0.485, 0.09, 0.4, CAMPAIGN_WIDTH, 13},
                                                      {0.585, 0.985, 0.56, 0.87, CAMPAIGN_WIDTH, 13},
                                                      {0.75, 0.97, 0.09, 0.4, CAMPAIGN_WIDTH, 13}};

static const enum sp_record_field metrics[N_METRICS] = {SP_F_METRICS_PERFORMANCE,
                                                        SP_F_METRICS_BANDWIDTH_FRACTION, SP_F_METRICS_ALPHA};

static const char *run_of(const struct sp_record *record)
{
    return sp_words_text(record, SP_F_CAMPAIGN_RUN, sp_words_text(record, SP_F_CONFIG_FORMAT_OPTION, "?"));
}

struct runs {
    int n;
    const char *name[MOST_RUNS];
};

static int index_of(const struct runs *runs, const char *name)
{
    for (int i = 0; i < runs->n; i++)
        if (strcmp(runs->name[i], name) == 0)
            return i;
    return runs->n == MOST_RUNS ? MOST_RUNS - 1 : -1;
}

static void collect_runs(const struct sp_record *const *records, int n, struct runs *runs)
{
    runs->n = 0;
    for (int i = 0; i < n; i++)
        if (index_of(runs, run_of(records[i])) < 0)
            runs->name[runs->n++] = run_of(records[i]);
    if (runs->n == MOST_RUNS) /* perhaps there are more */
        for (int i = 0; i < n; i++)
            if (strcmp(runs->name[MOST_RUNS - 1], run_of(records[i])) != 0 &&
                index_of(runs, run_of(records[i])) == MOST_RUNS - 1)
                runs->name[MOST_RUNS - 1] = "others";
}

/* Ranges of what is drawn. */
struct span {
    double nnz_lo, nnz_hi, rate_lo, rate_hi, fraction_hi, alpha_hi;
};

static double number_of_entries(const struct sp_record *record)
{
    int64_t n = 0;
    return sp_record_count(record, SP_F_PROBLEM_NNZ, &n) ? (double)n : 0;
}

static void campaign_widen(struct span *s, const struct sp_record *record)
{
    const double nnz = number_of_entries(record);
    const struct sp_value p = sp_record_value(record, SP_F_METRICS_PERFORMANCE),
                          f = sp_record_value(record, SP_F_METRICS_BANDWIDTH_FRACTION),
                          a = sp_record_value(record, SP_F_METRICS_ALPHA);
    s->nnz_lo = fmin(s->nnz_lo, nnz);
    s->nnz_hi = fmax(s->nnz_hi, nnz);
    s->rate_lo = fmin(s->rate_lo, p.value / 1e9);
    s->rate_hi = fmax(s->rate_hi, p.value / 1e9);
    s->fraction_hi = fmax(s->fraction_hi, sp_value_known(f) ? f.value : 0);
    s->alpha_hi = fmax(s->alpha_hi, sp_value_known(a) ? a.value : 0);
}

/* Block $Rk of run k: entries, and for each metric its value and whether it was measured. */
static void write_run(const struct sp_record *const *records, int n, const struct runs *runs, int k,
                      struct span *span, struct sp_script *out)
{
    sp_put(out,
           "# n_nz, Gflop/s, measured, fraction of the roof, measured, alpha, measured (? unknown)\n"
           "$R%d << EOD\n",
           k);
    for (int i = 0; i < n; i++) {
        if (index_of(runs, run_of(records[i])) != k)
            continue;
        sp_put(out, "%.0f", number_of_entries(records[i]));
        for (int m = 0; m < N_METRICS; m++) {
            const struct sp_value v = sp_record_value(records[i], metrics[m]);
            if (sp_value_known(v))
                sp_put(out, " %.8g %d", m == 0 ? v.value / 1e9 : v.value, v.origin == SP_MEASURED);
            else
                sp_put(out, " ? 0");
        }
        sp_put(out, "\n");
        campaign_widen(span, records[i]);
    }
    sp_put(out, "EOD\n");
}

struct hint {
    char id[16], title[64];
    int n;
};

static int by_frequency(const void *a, const void *b)
{
    const struct hint *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->id, y->id);
}

/* Most frequent first; those that no place is left for are counted in *left_out. */
static int count_hints(const struct sp_record *const *records, int n, struct hint hints[64], int *left_out)
{
    int found = 0;
    *left_out = 0;
    for (int i = 0; i < n; i++) {
        const json_t *list = sp_record_node(records[i], SP_F_HINTS), *one;
        size_t k;
        json_array_foreach(list, k, one)
        {
            const char *id = sp_item_text(one, "id"), *title = sp_item_text(one, "title");
            int at = 0;
            while (id && at < found && strcmp(hints[at].id, id) != 0)
                at++;
            if (!id || at == 64)
                continue;
            if (at == found) {
                snprintf(hints[at].id, sizeof hints[at].id, "%s", id);
                snprintf(hints[at].title, sizeof hints[at].title, "%s", title ? title : "");
                hints[found++].n = 0;
            }
            hints[at].n++;
        }
    }
    sp_sort_by(hints, found, sizeof *hints, by_frequency);
    if (found > MOST_HINTS)
        *left_out = found - MOST_HINTS;
    return found - *left_out;
}

static void campaign_place(int i, struct sp_script *out)
{
    sp_put(out,
           "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
           "screen %g\n",
           panels[i].left, panels[i].right, panels[i].bottom, panels[i].top);
}

/* Filled: measured; hollow: simulated or modelled. The key stands above the first panel. */
static void plot_metric(const struct runs *runs, int metric, enum sp_image term, struct sp_script *out)
{
    const int value = 2 + 2 * metric;
    sp_put(out, "plot ");
    for (int k = 0; k < runs->n; k++) {
        const struct sp_series look = sp_series(k);
        if (k > 0)
            sp_put(out, SP_NEXT);
        sp_put(out,
               "$R%d using 1:($%d == 1 ? $%d : NaN) with points pt %d ps 0.8 lc rgb %c notitle" SP_NEXT
               "$R%d using 1:($%d == 0 ? $%d : NaN) with points pt %d ps 0.8 lw 1.3 lc rgb %c notitle",
               k, value + 1, value, look.filled, look.color, k, value + 1, value, look.hollow, look.color);
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s", runs->name[k]),
                        SP_NEXT "$R%d using 1:%d:(%t.sprintf(', n_nz %%.0f: %%.3g', $1, $%d))" SP_HOVER, k,
                        value, value);
        if (metric == 0)
            sp_put_text(out, sp_quote_within(term == SP_TERM_TXT ? 24 : 21, term, "%s", runs->name[k]),
                        SP_NEXT "keyentry with points pt %d ps 0.9 lc rgb %c title %t", look.filled,
                        look.color);
    }
    sp_put(out, "\n");
}

static void plot_hints(const struct sp_record *const *records, int n, enum sp_image term,
                       struct sp_script *out)
{
    struct hint hints[64];
    int left_out;
    const int found = count_hints(records, n, hints, &left_out);
    sp_put(out, "unset logscale; set title 'hints that fired, of %d record", n);
    if (n != 1)
        sp_put(out, "s");
    if (left_out > 0)
        sp_put(out, " (%d rarer ones left out)", left_out);
    sp_put(out, "'; set ylabel ''; set xlabel 'records'; unset grid; unset key\n");
    if (found == 0) {
        sp_put(out, "set label 'none fired, or none was asked for' at graph 0.5,0.5 center; unset tics\n"
                    "set xrange [0:1]; set yrange [0:1]; plot NaN notitle\n");
        return;
    }
    sp_put(out, "# records, place\n$HINTS << EOD\n");
    for (int i = 0; i < found; i++)
        sp_put(out, "%d %d\n", hints[i].n, found - i);
    sp_put(out, "EOD\nset xrange [0:%g]; set yrange [0.3:%g]; set format x '%%g'; set xtics 0,%g\n",
           hints[0].n * 1.1, found + 0.7, fmax(1, sp_nice_step(hints[0].n, 6)));
    sp_script_tics(out, SP_Y);
    for (int i = 0; i < found; i++)
        sp_script_tic(
            out, sp_quote_within(term == SP_TERM_TXT ? 22 : 14.5, term, "%s %s", hints[i].id, hints[i].title),
            found - i);
    sp_put(
        out,
        ")\n"
        "plot $HINTS using ($1 / 2):2:($1 / 2):(0.35) with boxxyerror fs solid 0.6 lc rgb %c notitle" SP_NEXT
        "$HINTS using 1:2:1 with labels left offset char 0.6,0 notitle\n",
        SP_BLUE);
}

/* A logarithmic axis around lo ... hi. */
static void campaign_set_range(enum sp_word axis, double lo, double hi, struct sp_script *out)
{
    sp_put(out, "set %wrange [%.6g:%.6g]\n", axis, lo / 1.6, hi * 1.6);
    sp_script_round_tics(out, axis, lo / 1.6, hi * 1.6);
}

static void campaign_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                                  struct sp_script *out)
{
    struct runs runs;
    struct span s = {INFINITY, 0, INFINITY, 0, 0, 0};
    collect_runs(records, n, &runs);
    for (int k = 0; k < runs.n; k++)
        write_run(records, n, &runs, k, &s, out);
    sp_put(out, "set datafile missing '?'\nset multiplot layout 2,2 columnsfirst\n"
                "set logscale x; set xlabel 'n_nz'\n");
    if (term != SP_TERM_TXT)
        sp_put(
            out,
            "set key at screen 0.03,0.985 left top Left reverse vertical maxrows 2 samplen 1 font ',12'\n");
    campaign_set_range(SP_X, s.nnz_lo, s.nnz_hi, out);
    if (term != SP_TERM_TXT)
        campaign_place(0, out);
    sp_put(out, "set title 'performance (filled: measured)'; set logscale y; set ylabel 'Gflop/s'\n");
    campaign_set_range(SP_Y, s.rate_lo, s.rate_hi, out);
    plot_metric(&runs, 0, term, out);
    if (term != SP_TERM_TXT)
        campaign_place(1, out);
    sp_put(out,
           "unset logscale y; unset key; set ytics autofreq\n"
           "set title 'fraction of the roof (hollow: bytes not measured)'\n"
           "set ylabel 'V / (t b_S)'; set yrange [0:%g]\n"
           "set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lw 1 lc rgb %c back\n",
           fmax(1, s.fraction_hi) * 1.1, SP_BLUE);
    plot_metric(&runs, 1, term, out);
    if (term != SP_TERM_TXT)
        campaign_place(2, out);
    sp_put(out,
           "unset arrow 1; set title 'alpha (hollow: simulated)'; set ylabel 'alpha'; set yrange [0:%g]\n",
           s.alpha_hi > 0 ? 1.15 * s.alpha_hi : 1);
    plot_metric(&runs, 2, term, out);
    if (term != SP_TERM_TXT)
        campaign_place(3, out);
    plot_hints(records, n, term, out);
    sp_put(out, "unset multiplot\n");
}

static const struct sp_lack *campaign_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_entries = {"entries", SP_F_PROBLEM_NNZ};
    static const struct sp_lack no_times = {"times that hold: too many samples were disturbed", SP_F_NONE};
    static const struct sp_lack no_performance = {"a performance", SP_F_METRICS_PERFORMANCE};
    return !(number_of_entries(record) > 0)                                 ? &no_entries
           : sp_verdict_disturbed(record)                                   ? &no_times
           : !(sp_record_value(record, SP_F_METRICS_PERFORMANCE).value > 0) ? &no_performance
                                                                            : NULL;
}

const struct sp_plot_kind sp_plot_campaign = {
    "campaign",
    "many records: performance, fraction of the roof, alpha over n_nz; hints",
    2000,
    CAMPAIGN_WIDTH,
    CAMPAIGN_HEIGHT,
    campaign_lacks,
    campaign_write_script,
    CAMPAIGN_LINES,
};
