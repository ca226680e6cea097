/* Code balance over the number of right-hand sides, or the dense width; with several records of a series the
 * performance below it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "io/record_series.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { MOST_RECORDS = 32 };

/* The modelled curve of a record: every line of the gathered operand loaded once. */
static void write_curve(const struct sp_record *record, int k, double *narrowest, double *widest, FILE *out)
{
    const json_t *points = sp_record_node(record, "curves.balance.points"), *point;
    size_t i;
    fprintf(out, "# r, balance B/flop, lo, hi\n$B%d << EOD\n", k);
    json_array_foreach(points, i, point)
    {
        double r = sp_item_number(point, "r"), b = sp_item_number(point, "balance"),
               lo = sp_item_number(point, "lo"), hi = sp_item_number(point, "hi");
        if (!(r >= 1) || !isfinite(b))
            continue;
        fprintf(out, "%g %.8g %.8g %.8g\n", r, b, isfinite(lo) ? lo : b, isfinite(hi) ? hi : b);
        *widest = fmax(*widest, r);
        *narrowest = fmin(*narrowest, r);
    }
    fputs("EOD\n", out);
    double limit;
    if (sp_record_number(record, "curves.balance.limit", &limit)) {
        char text[96], number[32];
        snprintf(text, sizeof text, "limit %s B/flop", sp_figure(number, sizeof number, limit, 3));
        fprintf(out,
                "set arrow from graph 0, first %.8g to graph 1, first %.8g nohead dt 2 lc rgb '%s' "
                "back\nset label ",
                limit, limit, sp_series_color(k));
        sp_script_string(out, text);
        fprintf(out, " at graph 0.01, first %.8g left offset 0,0.7 font ',10' tc rgb '%s'\n", limit,
                sp_series_color(k));
    }
}

static int by_width(const void *a, const void *b)
{
    const struct sp_series_point *p = a, *q = b;
    return (p->r > q->r) - (p->r < q->r);
}

/* What each record of the series saw, by rising r; returns how many. */
static int write_points(const struct sp_record *const *records, int n, double *narrowest, double *widest,
                        const char **origin, FILE *out)
{
    struct sp_series_point point[MOST_RECORDS];
    int n_points = 0;
    for (int k = 0; k < n && k < MOST_RECORDS; k++)
        n_points += sp_series_point_of(records[k], &point[n_points]);
    qsort(point, (size_t)n_points, sizeof *point, by_width);
    fputs("# r, balance B/flop, Gflop/s, lo, hi, modelled, P_core, b/B, least balance\n$S << EOD\n", out);
    for (int k = 0; k < n_points; k++) {
        const struct sp_series_point *p = &point[k];
        fprintf(out, "%lld %.8g %.8g %.8g %.8g %.8g %.8g %.8g %.8g\n", (long long)p->r, p->balance.value,
                p->performance.value / 1e9, p->performance.lo / 1e9, p->performance.hi / 1e9, p->model / 1e9,
                p->core / 1e9, p->bandwidth / 1e9, p->balance_min);
        *widest = fmax(*widest, (double)p->r);
        *narrowest = fmin(*narrowest, (double)p->r);
        *origin = sp_origin_name(p->balance.origin);
    }
    fputs("EOD\n", out);
    return n_points;
}

/* All records are of one kernel and matrix, and differ in the width. */
static bool is_series(const struct sp_record *const *records, int n)
{
    static const char *const same[] = {
        "problem.name",       "problem.reorder",  "machine.name", "config.op",       "config.order",
        "config.format_text", "config.precision", "config.index", "config.schedule", "config.cache"};
    int64_t threads = 0;
    sp_record_count(records[0], "config.threads", &threads);
    for (int k = 1; k < n; k++) {
        int64_t others = 0;
        sp_record_count(records[k], "config.threads", &others);
        if (others != threads)
            return false;
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            if (strcmp(sp_words_text(records[0], same[i], ""), sp_words_text(records[k], same[i], "")) != 0)
                return false;
    }
    return true;
}

static const char *axis_of(const struct sp_record *record)
{
    int64_t inner;
    return sp_record_count(record, "config.inner", &inner) ? "dense width r" : "right-hand sides r";
}

static void write_title(const struct sp_record *record, FILE *out)
{
    char text[512];
    snprintf(text, sizeof text, "%s  %s %s  %s, %s", sp_words_text(record, "problem.name", "unnamed"),
             sp_words_op(sp_words_text(record, "config.op", "spmv")),
             sp_words_text(record, "config.format_text", ""), sp_words_text(record, "config.precision", "?"),
             sp_words_text(record, "machine.name", "unnamed machine"));
    fputs("set title ", out);
    sp_script_string(out, text);
    fputc('\n', out);
}

static void draw_series(const struct sp_record *first, const char *origin, FILE *out)
{
    fputs("set multiplot layout 2,1\nset lmargin 9; set rmargin 3\nset key top right\nset xlabel ''\n", out);
    write_title(first, out);
    fprintf(out,
            "set ylabel 'code balance, B/flop'; set yrange [0:*]\n"
            "plot $S using 1:9 with lines dt 2 lw 2 lc rgb '%s' title 'model, x once', \\\n"
            "    $S using 1:2 with points pt 6 ps 1.2 lw 2 lc rgb '%s' title 'bytes %s'\n",
            sp_series_color(0), sp_series_color(0), origin);
    fprintf(out,
            "unset title\nset key top left\nset xlabel '%s'; set ylabel 'Gflop/s'\n"
            "plot $S using 1:8 with lines dt 2 lw 1.5 lc rgb '%s' title 'b_S/B', \\\n"
            "    $S using 1:7 with lines dt 3 lw 1.5 lc rgb '%s' title 'P_core', \\\n"
            "    $S using 1:6 with points pt 6 ps 1.2 lw 2 lc rgb '%s' title 'modelled', \\\n"
            "    $S using 1:3:4:5 with yerrorbars pt 7 ps 0.8 lw 2 lc rgb '%s' title 'measured'\n"
            "unset multiplot\n",
            axis_of(first), sp_series_color(1), "#777777", sp_series_color(0), sp_series_color(0));
}

static void draw_curves(const struct sp_record *const *records, int n, FILE *out)
{
    sp_script_title(out, records[0], "");
    fprintf(out,
            "set yrange [0:*]\nset xlabel '%s'; set ylabel 'code balance, B/flop'\n"
            "set key tmargin center horizontal\nplot ",
            axis_of(records[0]));
    for (int k = 0; k < n; k++) {
        char name[256], text[320];
        snprintf(text, sizeof text, "%s, %s", sp_script_name(name, sizeof name, records[k]),
                 sp_words_text(records[k], "curves.balance.origin", "of unknown origin"));
        fprintf(out, "%s$B%d using 1:2:3:4 with yerrorlines pt 6 lw 2 lc rgb '%s' title ",
                k ? ", \\\n    " : "", k, sp_series_color(k));
        sp_script_string(out, text);
    }
    fputc('\n', out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    (void)term;
    double narrowest = INFINITY, widest = 1;
    const char *origin = "of unknown origin";
    bool series = n > 1 && is_series(records, n);
    for (int k = 0; k < n && !series; k++)
        write_curve(records[k], k, &narrowest, &widest, out);
    int n_points = series ? write_points(records, n, &narrowest, &widest, &origin, out) : 0;
    fprintf(out, "set logscale x 2; set xrange [%g:%g]\n", 0.87 * fmin(narrowest, widest), widest * 1.15);
    if (n_points > 0)
        draw_series(records[0], origin, out);
    else
        draw_curves(records, n, out);
}

static const char *lacks(const struct sp_record *record)
{
    return json_array_size(sp_record_node(record, "curves.balance.points")) > 1
               ? NULL
               : "code balance over right-hand sides (curves.balance)";
}

const struct sp_plot_kind sp_plot_balance = {
    "balance",    "code balance and performance over right-hand sides",
    MOST_RECORDS, 760,
    620,          lacks,
    write_script, 110,
    34,
};
