/* Code balance over the number of right-hand sides, or the dense width; with several records of a series the
 * performance below it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "base/memory.h"
#include "io/record/record_series.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { MOST_RECORDS = 32, WIDTH = 760, HEIGHT = 620 };

/* The modelled curve of a record: every line of the gathered operand loaded once. */
static void write_curve(const struct sp_record *record, int k, double *narrowest, double *widest,
                        struct sp_script *out)
{
    const json_t *points = sp_record_node(record, "curves.balance.points"), *point;
    size_t i;
    sp_put(out, "# r, balance B/flop, lo, hi\n$B%d << EOD\n", k);
    json_array_foreach(points, i, point)
    {
        double r = sp_item_number(point, "r"), b = sp_item_number(point, "balance"),
               lo = sp_item_number(point, "lo"), hi = sp_item_number(point, "hi");
        if (!(r >= 1) || !isfinite(b))
            continue;
        sp_put(out, "%g %.8g %.8g %.8g\n", r, b, isfinite(lo) ? lo : b, isfinite(hi) ? hi : b);
        *widest = fmax(*widest, r);
        *narrowest = fmin(*narrowest, r);
    }
    sp_put(out, "EOD\n");
    double limit;
    if (sp_record_number(record, "curves.balance.limit", &limit))
        sp_put(out, "set arrow from graph 0, first %.8g to graph 1, first %.8g nohead dt 2 lc rgb %c back\n",
               limit, limit, sp_series(k).color);
}

static int by_width(const void *a, const void *b)
{
    const struct sp_series_point *p = a, *q = b;
    return (p->r > q->r) - (p->r < q->r);
}

/* What each record of the series saw, by rising r; returns how many. */
static int write_points(const struct sp_record *const *records, int n, double *narrowest, double *widest,
                        const char **origin, struct sp_script *out)
{
    struct sp_series_point point[MOST_RECORDS];
    int n_points = 0;
    for (int k = 0; k < n && k < MOST_RECORDS; k++)
        n_points += sp_series_point_of(records[k], &point[n_points]);
    sp_sort_by(point, n_points, sizeof *point, by_width);
    sp_put(out, "# r, balance B/flop, Gflop/s, lo, hi, modelled, P_core, b/B, least balance\n$S << EOD\n");
    for (int k = 0; k < n_points; k++) {
        const struct sp_series_point *p = &point[k];
        sp_put(out, "%d %.8g %.8g %.8g %.8g %.8g %.8g %.8g %.8g\n", (double)p->r, p->balance.value,
               p->performance.value / 1e9, p->performance.lo / 1e9, p->performance.hi / 1e9, p->model / 1e9,
               p->core / 1e9, p->bandwidth / 1e9, p->balance_min);
        *widest = fmax(*widest, (double)p->r);
        *narrowest = fmin(*narrowest, (double)p->r);
        *origin = sp_origin_name(p->balance.origin);
    }
    sp_put(out, "EOD\n");
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

static struct sp_quoted axis_of(const struct sp_record *record)
{
    int64_t inner;
    return sp_quote(sp_record_count(record, "config.inner", &inner) ? "dense width r" : "right-hand sides r");
}

static void write_title(const struct sp_record *record, enum sp_term term, struct sp_script *out)
{
    sp_put_text(out,
                sp_quote_within(term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 50, term, "%s  %s %s  %s, %s",
                                sp_words_text(record, "problem.name", "unnamed"),
                                sp_words_op(sp_words_text(record, "config.op", "spmv")),
                                sp_words_text(record, "config.format_text", ""),
                                sp_words_text(record, "config.precision", "?"),
                                sp_words_text(record, "machine.name", "unnamed machine")),
                "set title %t\n");
}

static void draw_series(const struct sp_record *first, const char *origin, enum sp_term term,
                        struct sp_script *out)
{
    const struct sp_series balance = sp_series(0), roof = sp_series(1), core = sp_series(2);
    const bool hover = term == SP_TERM_SVG;
    sp_put(out, "set multiplot layout 2,1\nset lmargin 9; set rmargin 3\nset key top right\nset xlabel ''\n");
    write_title(first, term, out);
    sp_put_text(out, sp_quote("bytes %s", origin),
                "set ylabel 'code balance, B/flop'; set yrange [0:*]\n"
                "plot $S using 1:9 with lines dt 2 lw 2 lc rgb %c title 'model, x once', \\\n"
                "    $S using 1:2 with points pt %d ps 1.2 lw 2 lc rgb %c title %t",
                balance.color, balance.hollow, balance.color);
    if (hover)
        sp_put(out, SP_NEXT "$S using 1:2:(sprintf('r %%d: %%.3g B/flop', $1, $2))" SP_HOVER);
    sp_put_text(out, axis_of(first),
                "\nunset title\nset key top left\nset xlabel %t; set ylabel 'Gflop/s'\n"
                "plot $S using 1:8 with lines dt 2 lw 1.5 lc rgb %c title 'b_S/B', \\\n"
                "    $S using 1:7 with lines dt 3 lw 1.5 lc rgb %c title 'P_core', \\\n"
                "    $S using 1:6 with points pt %d ps 1.2 lw 2 lc rgb %c title 'modelled', \\\n"
                "    $S using 1:3:4:5 with yerrorbars pt %d ps 0.8 lw 2 lc rgb %c title 'measured'",
                roof.color, core.color, balance.hollow, balance.color, balance.filled, balance.color);
    if (hover)
        sp_put(out,
               SP_NEXT "$S using 1:6:(sprintf('r %%d, modelled: %%.3g Gflop/s', $1, $6))" SP_HOVER SP_NEXT
                       "$S using 1:3:(sprintf('r %%d, measured: %%.3g Gflop/s', $1, $3))" SP_HOVER);
    sp_put(out, "\nunset multiplot\n");
}

static void draw_curves(const struct sp_record *const *records, int n, enum sp_term term,
                        struct sp_script *out)
{
    sp_script_title(out, records[0], "", term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 50, term);
    sp_put(out, "set yrange [0:*]; set ylabel 'code balance, B/flop'\n");
    const struct sp_key key = sp_script_frame(out, axis_of(records[0]), WIDTH, HEIGHT, 82, 28, n, term);
    sp_put(out, "plot ");
    for (int k = 0; k < n; k++) {
        char name[256], limit[32], end[64] = "";
        double x;
        const struct sp_series look = sp_series(k);
        if (k > 0)
            sp_put(out, SP_NEXT);
        if (sp_record_number(records[k], "curves.balance.limit", &x))
            snprintf(end, sizeof end, "; limit %s B/flop", sp_figure(limit, sizeof limit, x, 3));
        sp_script_name(name, sizeof name, records[k]);
        sp_put_text(
            out,
            sp_quote_within(key.most, term, "%s, %s%s", name,
                            sp_words_text(records[k], "curves.balance.origin", "of unknown origin"), end),
            "$B%d using 1:2:3:4 with yerrorlines pt %d lw 2 lc rgb %c title %t", k, look.hollow, look.color);
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s", name),
                        SP_NEXT "$B%d using 1:2:(%t.sprintf(', r %%d: %%.3g B/flop', $1, $2))" SP_HOVER, k);
    }
    sp_put(out, "\n");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
                         struct sp_script *out)
{
    double narrowest = INFINITY, widest = 1;
    const char *origin = "of unknown origin";
    const bool series = n > 1 && is_series(records, n);
    const int n_points = series ? write_points(records, n, &narrowest, &widest, &origin, out) : 0;
    for (int k = 0; k < n && n_points == 0; k++)
        write_curve(records[k], k, &narrowest, &widest, out);
    sp_put(out, "set logscale x 2; set xrange [%g:%g]\n", 0.87 * fmin(narrowest, widest), widest * 1.15);
    if (n_points > 0)
        draw_series(records[0], origin, term, out);
    else
        draw_curves(records, n, term, out);
}

static const char *lacks(const struct sp_record *record)
{
    return json_array_size(sp_record_node(record, "curves.balance.points")) > 1
               ? NULL
               : "code balance over right-hand sides (curves.balance)";
}

const struct sp_plot_kind sp_plot_balance = {
    "balance",    "code balance and performance over right-hand sides",
    MOST_RECORDS, WIDTH,
    HEIGHT,       lacks,
    write_script, 34,
};
