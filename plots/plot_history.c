/* A series over its records: the time of every run above, with verdicts, achieved bandwidth and the roof
 * beside it below. */
#include <math.h>
#include <string.h>

#include "io/record/record_losses.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

static double time_of(const struct sp_record *record)
{
    const struct sp_value v = sp_record_metric(record, "time");
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
        if (strcmp(sp_words_text(record, "verdict", ""), marks[i].verdict) == 0)
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
                        SP_NEXT "$RECORDS using 1:($5 == %d ? $2 : NaN) with points pt %d ps 1.3 lc rgb %c "
                                "title %t",
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
        const json_t *runs = sp_record_node(records[i], "runs"), *run;
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
        const struct sp_value b = sp_record_metric(records[i], "bandwidth");
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

/* Of the source that was measured, else of this program; "": not known. */
static const char *commit_of(const struct sp_record *record)
{
    return sp_words_text(record, "source.commit", sp_words_text(record, "tool.git", ""));
}

/* Days, at most ten of them; hours and minutes where all is of one day; and the commit. */
static void write_tics(const struct sp_record *const *records, int n, enum sp_term term,
                       struct sp_script *out)
{
    const int step = term == SP_TERM_TXT ? 2 * tic_step(n) : tic_step(n);
    const char *first = sp_words_text(records[0], "time.start", "?");
    const bool one_day =
        strlen(first) > 15 && strncmp(first, sp_words_text(records[n - 1], "time.start", "?"), 10) == 0;
    sp_script_tics(out, SP_X);
    for (int i = 0; i < n; i += step) {
        const char *start = sp_words_text(records[i], "time.start", "?"), *commit = commit_of(records[i]);
        const bool with_hour = one_day && strlen(start) > 15;
        sp_script_tic(out,
                      sp_quote("%.*s%s%.7s", with_hour ? 5 : 10, with_hour ? start + 11 : start,
                               *commit ? " " : "", commit),
                      i + 1);
    }
    if (term == SP_TERM_TXT)
        sp_put(out, ")\n");
    else
        sp_put(out, ") rotate by 30 right font ',10'\n");
}

/* A line where the commit of the source or of this program changes. */
static void write_changes(const struct sp_record *const *records, int n, struct sp_script *out)
{
    for (int i = 1; i < n; i++) {
        const char *const paths[] = {"source.commit", "tool.git"};
        bool changed = false;
        for (int k = 0; k < 2; k++)
            changed = changed || strcmp(sp_words_text(records[i - 1], paths[k], ""),
                                        sp_words_text(records[i], paths[k], "")) != 0;
        if (changed)
            sp_put(out, "set arrow from %g, graph 0 to %g, graph 1 nohead dt 3 lw 1.2 lc rgb %c back\n",
                   i + 0.5, i + 0.5, SP_GREY);
    }
}

/* The two panels of a picture, each with its key above it. */
static void place(double bottom, double top, enum sp_term term, struct sp_script *out)
{
    if (term == SP_TERM_TXT)
        sp_put(out, "set lmargin 12; set key tmargin left Left reverse horizontal\n");
    else
        sp_put(
            out,
            "set lmargin at screen 0.11; set rmargin at screen 0.975; set bmargin at screen %g; set tmargin "
            "at "
            "screen %g\nset key at screen 0.1,%g left bottom Left reverse horizontal samplen 2 font ',11'\n",
            bottom, top, top + 0.012);
}

static void draw_times(const struct sp_record *const *records, int n, enum sp_term term, const char *unit,
                       struct sp_script *out)
{
    const struct sp_series runs = sp_series(0), record = sp_series(1);
    sp_put_text(
        out, sp_quote("record [%s]", unit),
        "plot $RUNS using 1:2 with points pt %d ps 0.5 lc rgb %c title 'each process, measured'" SP_NEXT
        "$RECORDS using 1:2 with linespoints pt %d ps 0.6 lw 2 lc rgb %c title %t",
        runs.hollow, SP_CYAN, record.filled, SP_BLUE);
    plot_marks(records, n, out);
    if (term == SP_TERM_SVG)
        sp_put_text(out, sp_quote_value(" %s", unit),
                    SP_NEXT "$RUNS using 1:2:(sprintf('record %%d, a process: %%.3g', $1, $2).%t)" SP_HOVER);
    if (term == SP_TERM_SVG)
        sp_put_text(out, sp_quote_value(" %s", unit),
                    SP_NEXT "$RECORDS using 1:2:(sprintf('record %%d: %%.3g', $1, $2).%t)" SP_HOVER);
    sp_put(out, "\n");
}

static void draw_bandwidths(const struct sp_record *newest, enum sp_term term, struct sp_script *out)
{
    const struct sp_value b = sp_record_metric(newest, "bandwidth");
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

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
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
        sp_put(out, "set title offset 0,1.2\n");
    place(0.57, 0.87, term, out);
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

static const char *lacks(const struct sp_record *record)
{
    return sp_verdict_disturbed(record) ? "times that hold: too many samples were disturbed"
           : time_of(record) > 0        ? NULL
                                        : "a measured time (metrics.time)";
}

const struct sp_plot_kind sp_plot_history = {
    "history", "time and bandwidth of a series over its records", 2000, 860, 600, lacks, write_script, 44,
};
