/* Bytes from memory over the ways of the last level that are kept for some arrays, of executions
 * that somebody counted: each division is another cache for x and another one for the matrix.
 * Counted filled and solid, simulated hollow and dashed; a colour a matrix and number of
 * threads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plots/plot.h"
#include "plots/script.h"

enum { WIDTH = 820, HEIGHT = 500, LINES = 32, MOST_WAYS = 64 };

static const json_t *lines_of(const struct sp_record *record)
{
    return sp_record_node(record, SP_F_VALIDATION_LINES);
}

/* Of all arrays once: counted and simulated; `ways` 0: the whole cache. */
struct point {
    double counted, simulated, threads;
    int ways;
    const char *name;
};

/* Ways of "L2:matrix=5"; 0: "", -1: several levels are divided, or nothing that can be read. */
static int ways_of(const char *partition)
{
    int level, ways;
    char arrays[64], more;
    if (!partition || !*partition)
        return 0;
    return sscanf(partition, "L%d:%63[a-z+]=%d%c", &level, arrays, &ways, &more) == 3 && ways > 0 &&
                   ways < MOST_WAYS
               ? ways
               : -1;
}

static bool point_of(const json_t *line, struct point *p)
{
    const json_t *read = json_object_get(line, "read_B");
    const double once_B = sp_item_number(line, "once_B");
    p->counted = sp_item_number(read, "counted") / once_B;
    p->simulated = sp_item_number(read, "predicted") / once_B;
    p->threads = sp_item_number(line, "threads");
    p->ways = ways_of(sp_item_text(line, "partition"));
    p->name = sp_item_text(line, "matrix");
    return once_B > 0 && p->counted >= 0 && p->simulated >= 0 && p->ways >= 0 && p->name;
}

static bool is_of(const struct point *p, const struct point *series)
{
    return p->threads == series->threads && strcmp(p->name, series->name) == 0;
}

/* The first line of this series with so many ways. */
static bool find(const json_t *lines, const struct point *series, int ways, struct point *p)
{
    const json_t *line;
    size_t i;
    json_array_foreach(lines, i, line)
    {
        if (point_of(line, p) && is_of(p, series) && p->ways == ways)
            return true;
    }
    return false;
}

static int count(const json_t *lines, const struct point *series)
{
    struct point p;
    int n = 0;
    for (int w = 0; w < MOST_WAYS; w++)
        n += find(lines, series, w, &p);
    return n;
}

/* Matrices and threads with more than one division, in order, as many as there are colours. */
static int series_of(const json_t *lines, struct point series[SP_N_SERIES])
{
    const json_t *line;
    size_t i;
    int n = 0;
    json_array_foreach(lines, i, line)
    {
        struct point p;
        int k = 0;
        if (n == SP_N_SERIES || !point_of(line, &p) || p.ways == 0)
            continue;
        while (k < n && !is_of(&p, &series[k]))
            k++;
        if (k == n && count(lines, &p) > 1)
            series[n++] = p;
    }
    return n;
}

struct frame {
    int least, most; /* ways */
    double top;
    bool whole; /* undivided caches are among them */
};

/* Data blocks: 2 k the divisions of series k, 2 k + 1 its undivided cache. */
static struct frame write_points(const json_t *lines, const struct point *series, int n,
                                 struct sp_script *out)
{
    struct frame f = {.least = MOST_WAYS};
    struct point p;
    for (int k = 0; k < n; k++)
        for (int whole = 0; whole < 2; whole++) {
            sp_put(out, "# ways, counted and simulated over all arrays once\n$W%d << EOD\n", 2 * k + whole);
            for (int w = whole ? 0 : 1; w < (whole ? 1 : MOST_WAYS); w++) {
                if (!find(lines, &series[k], w, &p))
                    continue;
                sp_put(out, "%d %.8g %.8g\n", w, p.counted, p.simulated);
                f.top = fmax(f.top, fmax(p.counted, p.simulated));
                f.whole = f.whole || whole;
                f.least = !whole && w < f.least ? w : f.least;
                f.most = w > f.most ? w : f.most;
            }
            sp_put(out, "EOD\n");
        }
    return f;
}

/* "none" beside the divisions; where they are many every second one has its number. */
static void write_tics(const struct frame *f, struct sp_script *out)
{
    sp_script_tics(out, SP_X);
    if (f->whole)
        sp_script_tic(out, sp_quote("none"), 0);
    const int step = f->most - f->least > 16 ? 2 : 1;
    for (int w = f->least; w <= f->most; w += step)
        sp_script_tic(out, sp_quote("%d", w), w);
    sp_put(out, ")\n");
}

static void write_curves(const struct point *series, int k, double most, enum sp_image term,
                         const json_t *lines, struct sp_script *out)
{
    const struct sp_series look = sp_series(k);
    struct point p;
    sp_put_text(out,
                sp_quote_within(most, term, "%s, %.0f thread%s", series->name, series->threads,
                                series->threads == 1 ? "" : "s"),
                "$W%d using 1:2 with linespoints pt %d ps 1.1 lw 2 lc rgb %c title %t" SP_NEXT, 2 * k,
                look.filled, look.color);
    sp_put(out, "$W%d using 1:3 with linespoints pt %d dt 2 ps 1.3 lw 1.5 lc rgb %c notitle", 2 * k,
           look.hollow, look.color);
    if (find(lines, series, 0, &p))
        sp_put(out,
               SP_NEXT "$W%d using 1:2 with points pt %d ps 1.1 lc rgb %c notitle" SP_NEXT
                       "$W%d using 1:3 with points pt %d ps 1.3 lw 1.5 lc rgb %c notitle",
               2 * k + 1, look.filled, look.color, 2 * k + 1, look.hollow, look.color);
    if (term == SP_TERM_SVG)
        sp_put_text(
            out, sp_quote_value("%s", series->name),
            SP_NEXT
            "$W%d using 1:2:(%t.sprintf(', %%d ways: counted %%.3f, simulated %%.3f', $1, $2, $3))" SP_HOVER,
            2 * k);
}

static void write_script(const struct sp_record *const *records, int n_records, enum sp_image term,
                         struct sp_script *out)
{
    (void)n_records;
    const json_t *lines = lines_of(records[0]);
    struct point series[SP_N_SERIES];
    const int n = series_of(lines, series);
    const struct frame f = write_points(lines, series, n, out);
    sp_put(out, "set title 'bytes from memory over ways: counted (solid) and simulated (dashed)'\n"
                "set ylabel 'read / all arrays once'\n");
    sp_put(out, "set xrange [%g:%g]; set yrange [0:%.6g]\n", f.whole ? -0.5 : f.least - 0.5, f.most + 0.5,
           1.12 * f.top);
    const struct sp_key key = sp_script_frame(out, sp_quote("ways of the last level kept for the matrix"),
                                              WIDTH, HEIGHT, 82, 28, n, term);
    write_tics(&f, out);
    sp_put(out, "set datafile separator whitespace\nplot 1 with lines lw 1 lc rgb %c notitle", SP_GREY);
    for (int k = 0; k < n; k++) {
        sp_put(out, SP_NEXT);
        write_curves(&series[k], k, key.most, term, lines, out);
    }
    sp_put(out, "\n");
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack none = {"counted and simulated bytes with several divisions of one level",
                                        SP_F_VALIDATION_LINES};
    struct point series[SP_N_SERIES];
    return series_of(lines_of(record), series) > 0 ? NULL : &none;
}

const struct sp_plot_kind sp_plot_ways = {
    "ways",
    "counted and simulated bytes over ways of a cache kept for the matrix",
    1,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    LINES,
};
