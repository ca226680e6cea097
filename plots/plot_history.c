/* A series over its records: the time of every run above, with verdicts, achieved bandwidth and the roof
 * beside it below. */
#include <math.h>
#include <string.h>

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
    const char *verdict, *color;
    int point;
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
static void plot_marks(const struct sp_record *const *records, int n, FILE *out)
{
    for (int k = 0; k < N_MARKS; k++) {
        bool found = false;
        for (int i = 0; i < n && !found; i++)
            found = mark_of(records[i]) == k + 1;
        if (found)
            fprintf(out,
                    ", \\\n    $RECORDS using 1:($5 == %d ? $2 : NaN) with points pt %d ps 1.3 lc rgb '%s' "
                    "title '%s'",
                    k + 1, marks[k].point, marks[k].color, marks[k].verdict);
    }
    fputc('\n', out);
}

/* Returns the largest value written. */
static double write_runs(const struct sp_record *const *records, int n, double unit, FILE *out)
{
    double most = 0;
    fputs("# record, median time of a run\n$RUNS << EOD\n", out);
    for (int i = 0; i < n; i++) {
        const json_t *runs = sp_record_node(records[i], "runs"), *run;
        size_t k;
        json_array_foreach(runs, k, run)
        {
            const double t = sp_list_median(json_object_get(run, "time_s"));
            if (!(t > 0))
                continue;
            fprintf(out, "%d %.8g\n", i + 1, t / unit);
            most = fmax(most, t / unit);
        }
    }
    fputs("EOD\n", out);
    return most;
}

/* Returns the largest bandwidth written [GB/s]. */
static double write_records(const struct sp_record *const *records, int n, double unit, FILE *out)
{
    double most = 0;
    fputs("# record, time, bandwidth GB/s, roof GB/s (? unknown), verdict\n$RECORDS << EOD\n", out);
    for (int i = 0; i < n; i++) {
        const struct sp_value b = sp_record_metric(records[i], "bandwidth");
        const json_t *roof = sp_record_roof(records[i]);
        const double b_S = roof ? sp_item_number(roof, "value") : NAN;
        fprintf(out, "%d %.8g ", i + 1, time_of(records[i]) / unit);
        most = fmax(most, fmax(sp_value_known(b) ? b.value / 1e9 : 0, b_S > 0 ? b_S / 1e9 : 0));
        if (sp_value_known(b))
            fprintf(out, "%.8g ", b.value / 1e9);
        else
            fputs("? ", out);
        if (b_S > 0)
            fprintf(out, "%.8g ", b_S / 1e9);
        else
            fputs("? ", out);
        fprintf(out, "%d\n", mark_of(records[i]));
    }
    fputs("EOD\n", out);
    return most;
}

static int tic_step(int n)
{
    return n > 10 ? (n + 9) / 10 : 1;
}

/* Days, at most ten of them; hours and minutes where all is of one day. */
static void write_tics(const struct sp_record *const *records, int n, FILE *out)
{
    const int step = tic_step(n);
    const char *first = sp_words_text(records[0], "time.start", "?");
    const bool one_day =
        strlen(first) > 15 && strncmp(first, sp_words_text(records[n - 1], "time.start", "?"), 10) == 0;
    fputs("set xtics (", out);
    for (int i = 0; i < n; i += step) {
        char day[12];
        const char *start = sp_words_text(records[i], "time.start", "?");
        if (one_day && strlen(start) > 15)
            snprintf(day, sizeof day, "%.5s", start + 11);
        else
            snprintf(day, sizeof day, "%.10s", start);
        fputs(i ? ", " : "", out);
        sp_script_string(out, day);
        fprintf(out, " %d", i + 1);
    }
    fputs(") rotate by 30 right\n", out);
}

/* A line where the commit of the source or of this program changes. */
static void write_changes(const struct sp_record *const *records, int n, FILE *out)
{
    for (int i = 1; i < n; i++) {
        const char *const paths[] = {"source.commit", "tool.git"};
        bool changed = false;
        for (int k = 0; k < 2; k++)
            changed = changed || strcmp(sp_words_text(records[i - 1], paths[k], ""),
                                        sp_words_text(records[i], paths[k], "")) != 0;
        if (changed)
            fprintf(out,
                    "set arrow from %g, graph 0 to %g, graph 1 nohead dt 3 lw 1.2 lc rgb '" SP_GREY
                    "' back\n",
                    i + 0.5, i + 0.5);
    }
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    const char *unit;
    const double scale = unit_of(time_of(records[n - 1]), &unit);
    (void)term;
    const double longest = write_runs(records, n, scale, out), most = write_records(records, n, scale, out);
    write_changes(records, n, out);
    fprintf(out,
            "set datafile missing '?'\nset xrange [0.5:%g]\nset multiplot layout 2,1\nset lmargin 10; set "
            "rmargin 3\n"
            "set key top left horizontal samplen 2\n",
            n + 0.5);
    sp_script_title(out, records[n - 1], "history");
    fprintf(out,
            "set ylabel 'time [%s]'; set yrange [0:%.6g]; set xtics 1,%d; set format x ''; set bmargin 1\n"
            "plot $RUNS using 1:2 with points pt 6 ps 0.5 lc rgb '" SP_CYAN
            "' title 'each process, measured', \\\n"
            "    $RECORDS using 1:2 with linespoints pt 7 ps 0.6 lw 2 lc rgb '" SP_BLUE "' title 'record'",
            unit, 1.25 * longest, tic_step(n));
    plot_marks(records, n, out);
    fprintf(out,
            "unset title; set ylabel 'bandwidth [GB/s]'; set yrange [0:%.6g]; set tmargin 1; set bmargin 4\n",
            most > 0 ? 1.25 * most : 1);
    write_tics(records, n, out);
    const struct sp_value b = sp_record_metric(records[n - 1], "bandwidth");
    const json_t *roof = sp_record_roof(records[n - 1]);
    const char *whose = roof ? sp_item_text(roof, "origin") : NULL;
    fprintf(out,
            "plot $RECORDS using 1:3 with linespoints pt 7 ps 0.6 lw 2 dt %d lc rgb '" SP_BLUE
            "' title 'achieved, bytes %s', \\\n"
            "    $RECORDS using 1:4 with linespoints pt 4 ps 0.6 lw 1.5 dt %d lc rgb '" SP_RED
            "' title 'load-only roof beside it, %s'\nunset multiplot\n",
            sp_origin_dash(b.origin), sp_origin_name(b.origin),
            sp_origin_dash(whose ? sp_origin_from_name(whose) : SP_NONE), whose ? whose : "unknown");
}

static const char *lacks(const struct sp_record *record)
{
    return time_of(record) > 0 ? NULL : "a measured time (metrics.time)";
}

const struct sp_plot_kind sp_plot_history = {
    "history", "time and bandwidth of a series over its records", 2000, 860, 560, lacks, write_script, 110,
    44,
};
