#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/record/record.h"
#include "io/record/record_losses.h"
#include "plots/plot.h"
#include "plots/script.h"

enum { SATURATION_WIDTH = 760, SATURATION_HEIGHT = 480, MOST_LINES = 12 };

static const json_t *series_of(const struct sp_record *record)
{
    return sp_record_node(record, SP_F_CURVES_SATURATION);
}

static void saturation_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                                    struct sp_script *out)
{
    (void)n;
    const json_t *list = series_of(records[0]), *series, *point;
    size_t i, k;
    double most_threads = 1, highest = 0, saturated = NAN, single = NAN;
    bool flops = false;
    json_array_foreach(list, i, series)
    {
        const char *unit = sp_item_text(series, "unit");
        flops = i == 0 && unit && strcmp(unit, "flop/s") == 0;
        sp_put(out, "# threads, value G, lo, hi\n$S%d << EOD\n", (double)i);
        json_array_foreach(json_object_get(series, "points"), k, point)
        {
            double t = sp_item_number(point, "threads"), v = sp_item_number(point, "value"),
                   lo = sp_item_number(point, "lo"), hi = sp_item_number(point, "hi");
            if (!(t >= 1) || !isfinite(v))
                continue;
            sp_put(out, "%g %.8g %.8g %.8g\n", t, v / 1e9, (isfinite(lo) ? lo : v) / 1e9,
                   (isfinite(hi) ? hi : v) / 1e9);
            most_threads = fmax(most_threads, t);
            highest = fmax(highest, isfinite(hi) ? fmax(hi, v) : v);
            if (i == 0 && t == 1)
                single = v;
        }
        sp_put(out, "EOD\n");
        if (i == 0)
            saturated = sp_item_number(series, "n_sat");
    }
    const int n_lines = (int)json_array_size(list) + isfinite(single);
    sp_script_title(out, records[0], "", term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 50, term);
    sp_put_text(out, sp_quote(flops ? "Gflop/s" : "GB/s"),
                "set xrange [0:%g]; set yrange [0:%.6g]; set ylabel %t\n"
                "set samples 400\n",
                most_threads * 1.06 + 0.2, highest * 1.15 / 1e9);
    const struct sp_key key = sp_script_frame(out, sp_quote("threads"), SATURATION_WIDTH, SATURATION_HEIGHT,
                                              82, 28, n_lines < MOST_LINES ? n_lines : MOST_LINES, term);
    sp_put(out, "set xtics %g\n", fmax(1, sp_nice_step(most_threads, 16)));
    if (isfinite(saturated) && saturated >= 1) {
        sp_put(out,
               "set arrow from %g, graph 0 to %g, graph 1 nohead dt 3 lw 1.2 lc rgb %c back\n"
               "set label 'saturated from %g threads' at %g, graph 0.04 left rotate by 90 offset char 0.9,0 "
               "font ',10' tc rgb %c\n",
               saturated, saturated, SP_GREY, saturated, saturated, SP_INK);
    }
    sp_put(out, "plot ");
    if (isfinite(single))
        sp_put(out,
               "(x * %.8g > %.8g ? NaN : x * %.8g) with lines dt 2 lw 1 lc rgb %c title 'linear from one "
               "thread'" SP_NEXT,
               single / 1e9, highest * 1.1 / 1e9, single / 1e9, SP_GREY);
    json_array_foreach(list, i, series)
    {
        char name[64];
        const struct sp_series look = sp_series((int)i);
        if (i + 1 == MOST_LINES)
            break;
        const char *origin = sp_item_text(series, "origin");
        if (i > 0)
            sp_put(out, SP_NEXT);
        sp_words_roof(name, sizeof name, records[0], series);
        sp_put_text(out, sp_quote_within(key.most, term, "%s, %s", name, origin ? origin : "measured"),
                    "$S%d using 1:2:3:4 with yerrorlines pt %d ps 0.9 lw 2 lc rgb %c title %t", (double)i,
                    look.filled, look.color);
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s", name),
                        SP_NEXT
                        "$S%d using 1:2:(%t.sprintf(', %%d threads: %%.3g', $1, $2).' G%w/s')" SP_HOVER,
                        (double)i, flops ? SP_FLOP : SP_BYTE);
    }
    sp_put(out, "\n");
}

static const struct sp_lack *saturation_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_curve = {"rates over threads", SP_F_CURVES_SATURATION};
    const json_t *points = json_object_get(json_array_get(series_of(record), 0), "points");
    return json_array_size(points) > 1 ? NULL : &no_curve;
}

const struct sp_plot_kind sp_plot_saturation = {
    "saturation",     "bandwidth over threads", 1,  SATURATION_WIDTH, SATURATION_HEIGHT,
    saturation_lacks, saturation_write_script,  34,
};

/* Code balance over the number of right-hand sides, or the dense width; with several records of a
 * series the performance below it. */

enum { MOST_RECORDS = 32, BALANCE_WIDTH = 760, BALANCE_HEIGHT = 620 };

/* The modelled curve of a record: every line of the gathered operand loaded once. */
static void write_curve(const struct sp_record *record, int k, double *narrowest, double *widest,
                        struct sp_script *out)
{
    const json_t *points = sp_record_node(record, SP_F_CURVES_BALANCE_POINTS), *point;
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
    if (sp_record_number(record, SP_F_CURVES_BALANCE_LIMIT, &limit))
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
        n_points += sp_series_point_of(records[k], &point[n_points]) && !sp_verdict_disturbed(records[k]);
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
    static const enum sp_record_field same[] = {
        SP_F_PROBLEM_NAME,    SP_F_PROBLEM_REORDER,    SP_F_MACHINE_NAME,     SP_F_CONFIG_OP,
        SP_F_CONFIG_ORDER,    SP_F_CONFIG_FORMAT_TEXT, SP_F_CONFIG_PRECISION, SP_F_CONFIG_INDEX,
        SP_F_CONFIG_SCHEDULE, SP_F_CONFIG_CACHE};
    int64_t threads = 0;
    sp_record_count(records[0], SP_F_CONFIG_THREADS, &threads);
    for (int k = 1; k < n; k++) {
        int64_t others = 0;
        sp_record_count(records[k], SP_F_CONFIG_THREADS, &others);
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
    return sp_quote(sp_record_count(record, SP_F_CONFIG_INNER, &inner) ? "dense width r"
                                                                       : "right-hand sides r");
}

static void write_title(const struct sp_record *record, enum sp_image term, struct sp_script *out)
{
    sp_put_text(out,
                sp_quote_within(term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 50, term, "%s  %s %s  %s, %s",
                                sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"),
                                sp_words_op(sp_words_text(record, SP_F_CONFIG_OP, "spmv")),
                                sp_words_text(record, SP_F_CONFIG_FORMAT_TEXT, ""),
                                sp_words_text(record, SP_F_CONFIG_PRECISION, "?"),
                                sp_words_text(record, SP_F_MACHINE_NAME, "unnamed machine")),
                "set title %t\n");
}

static void draw_series(const struct sp_record *first, const char *origin, enum sp_image term,
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

static void draw_curves(const struct sp_record *const *records, int n, enum sp_image term,
                        struct sp_script *out)
{
    sp_script_title(out, records[0], "", term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 50, term);
    sp_put(out, "set yrange [0:*]; set ylabel 'code balance, B/flop'\n");
    const struct sp_key key =
        sp_script_frame(out, axis_of(records[0]), BALANCE_WIDTH, BALANCE_HEIGHT, 82, 28, n, term);
    sp_put(out, "plot ");
    for (int k = 0; k < n; k++) {
        char name[256], limit[32], end[64] = "";
        double x;
        const struct sp_series look = sp_series(k);
        if (k > 0)
            sp_put(out, SP_NEXT);
        if (sp_record_number(records[k], SP_F_CURVES_BALANCE_LIMIT, &x))
            snprintf(end, sizeof end, "; limit %s B/flop", sp_figure(limit, sizeof limit, x, 3));
        sp_script_name(name, sizeof name, records[k]);
        sp_put_text(
            out,
            sp_quote_within(key.most, term, "%s, %s%s", name,
                            sp_words_text(records[k], SP_F_CURVES_BALANCE_ORIGIN, "of unknown origin"), end),
            "$B%d using 1:2:3:4 with yerrorlines pt %d lw 2 lc rgb %c title %t", k, look.hollow, look.color);
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s", name),
                        SP_NEXT "$B%d using 1:2:(%t.sprintf(', r %%d: %%.3g B/flop', $1, $2))" SP_HOVER, k);
    }
    sp_put(out, "\n");
}

static void balance_write_script(const struct sp_record *const *records, int n, enum sp_image term,
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

static const struct sp_lack *balance_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_curve = {"code balance over right-hand sides", SP_F_CURVES_BALANCE};
    return json_array_size(sp_record_node(record, SP_F_CURVES_BALANCE_POINTS)) > 1 ? NULL : &no_curve;
}

const struct sp_plot_kind sp_plot_balance = {
    "balance",
    "code balance and performance over right-hand sides",
    MOST_RECORDS,
    BALANCE_WIDTH,
    BALANCE_HEIGHT,
    balance_lacks,
    balance_write_script,
    34,
};

/* Where roofline, ECM and measurement part: performance over the size of the data, of one kernel on
 * matrices of one kind, from the innermost cache to memory. */

enum {
    SIZES_WIDTH = 900,
    SIZES_HEIGHT = 540,
    SIZES_LINES = 36,
    SIZES_MOST_RECORDS = 256,
    SIZES_MOST_RUNS = 4
};

/* Rows of a record's table, by the words that they begin with. */
enum { ROOFLINE, ECM, MEASURED, N_CURVES };
static const struct {
    const char *row, *words;
    int dash;
} curves[N_CURVES] = {
    {"model, x as", "roofline, bytes as simulated", 2}, {"ECM", "ECM", 3}, {"measured", "measured", 1}};

struct point {
    double bytes, rate[N_CURVES], lo, hi; /* [B], [Gflop/s]; interval of the measured one */
    int run;                              /* index of the configuration */
    const struct sp_record *record;
};

struct runs {
    int n;
    char name[SIZES_MOST_RUNS][64];
    bool has[SIZES_MOST_RUNS][N_CURVES]; /* that any of its records knows */
};

static double bytes_of(const struct sp_record *record)
{
    json_t *arrays = (json_t *)sp_record_node(record, SP_F_LAYOUT_ARRAYS_B), *one;
    const char *name;
    double bytes = 0;
    json_object_foreach(arrays, name, one) bytes += json_is_number(one) ? json_number_value(one) : 0;
    return bytes;
}

static const json_t *row_of(const struct sp_record *record, int curve)
{
    const json_t *rows = sp_record_node(record, SP_F_TABLE), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *name = sp_item_text(row, "row");
        if (name && strncmp(name, curves[curve].row, strlen(curves[curve].row)) == 0)
            return row;
    }
    return NULL;
}

/* The last configuration also stands for those that no place is left for. */
static int run_of(struct runs *runs, const struct sp_record *record)
{
    char name[64];
    int64_t threads = 0;
    sp_record_count(record, SP_F_CONFIG_THREADS, &threads);
    snprintf(name, sizeof name, "%.40s, %lld thread%s", sp_words_text(record, SP_F_CONFIG_FORMAT_OPTION, "?"),
             (long long)threads, threads == 1 ? "" : "s");
    for (int i = 0; i < runs->n; i++)
        if (strcmp(runs->name[i], name) == 0)
            return i;
    if (runs->n == SIZES_MOST_RUNS) {
        snprintf(runs->name[SIZES_MOST_RUNS - 1], sizeof *runs->name, "others");
        return SIZES_MOST_RUNS - 1;
    }
    memcpy(runs->name[runs->n], name, sizeof name);
    return runs->n++;
}

static struct point point_of(struct runs *runs, const struct sp_record *record)
{
    struct point p = {.bytes = bytes_of(record), .run = run_of(runs, record), .record = record};
    for (int k = 0; k < N_CURVES; k++) {
        p.rate[k] = sp_item_number(row_of(record, k), "performance") / 1e9;
        runs->has[p.run][k] = runs->has[p.run][k] || isfinite(p.rate[k]);
    }
    const struct sp_value v = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    p.lo = sp_value_known(v) ? v.lo / 1e9 : p.rate[MEASURED];
    p.hi = sp_value_known(v) ? v.hi / 1e9 : p.rate[MEASURED];
    return p;
}

static int by_size(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

struct span {
    double lo, hi, most; /* [B], [Gflop/s] */
};

/* Block $Sk of configuration k. */
static void sizes_write_points(struct sp_script *out, const struct point *point, int n, int run,
                               struct span *span)
{
    sp_put(out, "# data B, roofline Gflop/s, ECM, measured (? unknown), lo, hi\n$S%d << EOD\n", run);
    for (int i = 0; i < n; i++) {
        const struct point *p = &point[i];
        if (p->run != run)
            continue;
        sp_put(out, "%.8g", p->bytes);
        for (int c = 0; c < N_CURVES; c++) {
            if (isfinite(p->rate[c]))
                sp_put(out, " %.6g", p->rate[c]);
            else
                sp_put(out, " ?");
        }
        sp_put(out, " %.6g %.6g\n", p->lo, p->hi);
        span->lo = fmin(span->lo, p->bytes);
        span->hi = fmax(span->hi, p->bytes);
        span->most = fmax(span->most, fmax(p->hi, fmax(p->rate[ROOFLINE], p->rate[ECM])));
    }
    sp_put(out, "EOD\n");
}

/* A line where the data outgrow a cache, of all threads together, as it was found. */
static void mark_caches(struct sp_script *out, const struct sp_record *record, const struct span *span,
                        enum sp_image term)
{
    const json_t *caches = sp_record_node(record, SP_F_MACHINE_CACHES), *cache;
    int64_t threads = 1;
    size_t i;
    sp_record_count(record, SP_F_CONFIG_THREADS, &threads);
    json_array_foreach(caches, i, cache)
    {
        const struct sp_value effective = sp_record_value_of(json_object_get(cache, "effective_B"));
        const double sharing = sp_item_number(cache, "cores_sharing"),
                     of_one = sp_value_known(effective) ? effective.value : sp_item_number(cache, "size_B"),
                     size = of_one * fmax(1, sharing > 0 ? (double)threads / sharing : 1);
        char text[32];
        if (!(size > span->lo) || !(size < span->hi))
            continue;
        sp_put(out, "set arrow from %.8g, graph 0 to %.8g, graph 1 nohead dt %d lw 1.2 lc rgb %c back\n",
               size, size, sp_origin_dash(sp_value_known(effective) ? effective.origin : SP_STATED), SP_GREY);
        if (term != SP_TERM_TXT)
            sp_put_text(
                out,
                sp_quote("L%g %s", sp_item_number(cache, "level"), sp_text_bytes(text, sizeof text, size)),
                "set label %t at %.8g, graph 0.02 left rotate by 90 offset char 0.9,0 font ',10' tc rgb %c\n",
                size, SP_INK);
    }
}

static void curve_clause(struct sp_script *out, const struct runs *runs, int run, int curve, double most,
                         enum sp_image term)
{
    const struct sp_series look = sp_series(runs->n > 1 ? run : curve);
    const struct sp_quoted words = sp_quote_within(most, term, "%s%s%s", runs->n > 1 ? runs->name[run] : "",
                                                   runs->n > 1 ? ": " : "", curves[curve].words);
    if (curve == MEASURED)
        sp_put(out, "$S%d using 1:4:5:6 with yerrorbars pt %d ps 0.3 lw 1.2 lc rgb %c notitle" SP_NEXT, run,
               look.filled, look.color);
    sp_put_text(out, words, "$S%d using 1:%d with linespoints dt %d pt %d ps 0.9 lw 1.6 lc rgb %c title %t",
                run, curve + 2, curves[curve].dash, curve == MEASURED ? look.filled : look.hollow,
                look.color);
    if (term == SP_TERM_SVG)
        sp_put_text(
            out, sp_quote_value("%s", curves[curve].words),
            SP_NEXT
            "$S%d using 1:%d:(%t.sprintf(', %%.3g MB of data: %%.3g Gflop/s', $1 / 1e6, $%d))" SP_HOVER,
            run, curve + 2, curve + 2);
}

static void sizes_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                               struct sp_script *out)
{
    struct point point[SIZES_MOST_RECORDS];
    struct runs runs = {.n = 0};
    struct span span = {INFINITY, 0, 0};
    const bool text = term == SP_TERM_TXT;
    for (int i = 0; i < n; i++)
        point[i] = point_of(&runs, records[i]);
    sp_sort_by(point, n, sizeof *point, by_size);
    for (int k = 0; k < runs.n; k++)
        sizes_write_points(out, point, n, k, &span);
    span.lo /= 1.5, span.hi *= 1.5;
    const char *first = sp_words_text(point[0].record, SP_F_PROBLEM_NAME, "unnamed"),
               *last = sp_words_text(point[n - 1].record, SP_F_PROBLEM_NAME, "unnamed");
    const bool is_one = strcmp(first, last) == 0;
    sp_put_text(out,
                sp_quote_within(text ? SP_TEXT_COLUMNS - 8 : 60, term, "%s%s%s   %s  %s", first,
                                is_one ? "" : " ... ", is_one ? "" : last, runs.n > 1 ? "" : runs.name[0],
                                sp_words_text(records[0], SP_F_MACHINE_NAME, "unnamed machine")),
                "set title %t\n");
    const struct sp_key key = sp_script_frame(out, sp_quote("bytes of all arrays"), SIZES_WIDTH, SIZES_HEIGHT,
                                              82, 28, N_CURVES * runs.n, term);
    sp_put(out, "set logscale x; set ylabel 'Gflop/s'\nset xrange [%.8g:%.8g]; set yrange [0:%.6g]\n",
           span.lo, span.hi, span.most * 1.08);
    sp_script_byte_tics(out, span.lo, span.hi);
    mark_caches(out, records[0], &span, term);
    sp_put(out, "set datafile missing '?'\nplot ");
    for (int k = 0, clauses = 0; k < runs.n; k++)
        for (int c = 0; c < N_CURVES; c++) {
            if (!runs.has[k][c])
                continue;
            if (clauses++ > 0)
                sp_put(out, SP_NEXT);
            curve_clause(out, &runs, k, c, key.most, term);
        }
    sp_put(out, "\n");
}

static const struct sp_lack *sizes_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_bytes = {"the bytes of its arrays", SP_F_LAYOUT_ARRAYS_B};
    static const struct sp_lack no_row = {"a modelled time", SP_F_TABLE};
    static const struct sp_lack no_performance = {"a performance", SP_F_METRICS_PERFORMANCE};
    return !(bytes_of(record) > 0)                                          ? &no_bytes
           : !row_of(record, ROOFLINE)                                      ? &no_row
           : !(sp_record_value(record, SP_F_METRICS_PERFORMANCE).value > 0) ? &no_performance
                                                                            : NULL;
}

const struct sp_plot_kind sp_plot_sizes = {
    "sizes",
    "several records: roofline, ECM and measurement over the size of the data",
    SIZES_MOST_RECORDS,
    SIZES_WIDTH,
    SIZES_HEIGHT,
    sizes_lacks,
    sizes_write_script,
    SIZES_LINES,
};
