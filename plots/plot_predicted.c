/* What was predicted of executions that somebody counted: predicted over counted bytes from memory,
 * a point an execution, a colour a number of threads; hollow where the data come near the size of a
 * cache. */
#include <math.h>
#include <stddef.h>

#include "plots/plot.h"
#include "plots/script.h"

enum { WIDTH = 820, HEIGHT = 500, LINES = 30 };

static const json_t *lines_of(const struct sp_record *record)
{
    return sp_record_node(record, SP_F_VALIDATION_LINES);
}

struct point {
    double counted, ratio, threads;
    bool near;
    const char *name;
};

static bool point_of(const json_t *line, struct point *p)
{
    const json_t *read = json_object_get(line, "read_B");
    const double predicted = sp_item_number(read, "predicted");
    p->counted = sp_item_number(read, "counted");
    p->ratio = predicted / p->counted;
    p->threads = sp_item_number(line, "threads");
    p->near = json_is_true(json_object_get(line, "near"));
    p->name = sp_item_text(line, "matrix");
    return p->counted > 0 && isfinite(p->ratio) && p->ratio > 0;
}

/* Numbers of threads, ascending, as many as there are colours; more of them share the last one. */
static int threads_of(const json_t *lines, double threads[SP_N_SERIES])
{
    const json_t *line;
    size_t i;
    int n = 0;
    json_array_foreach(lines, i, line)
    {
        struct point p;
        int k = 0;
        if (!point_of(line, &p))
            continue;
        while (k < n && threads[k] < p.threads)
            k++;
        if ((k < n && threads[k] == p.threads) || n == SP_N_SERIES)
            continue;
        for (int m = n++; m > k; m--)
            threads[m] = threads[m - 1];
        threads[k] = p.threads;
    }
    return n;
}

static int series_of(const struct point *p, const double *threads, int n)
{
    int k = 0;
    while (k + 1 < n && threads[k] != p->threads)
        k++;
    return k;
}

struct frame {
    double x_min, x_max, y_min, y_max;
};

/* Data blocks: far (f) and near (n) of each series. */
static struct frame write_points(const json_t *lines, const double *threads, int n, struct sp_script *out)
{
    struct frame f = {INFINITY, 0, 0.98, 1.02};
    const json_t *line;
    for (int k = 0; k < 2 * n; k++) {
        size_t i;
        sp_put(out, "# counted B, predicted over counted\n$P%d << EOD\n", k);
        json_array_foreach(lines, i, line)
        {
            struct point p;
            if (!point_of(line, &p) || 2 * series_of(&p, threads, n) + p.near != k)
                continue;
            sp_put(out, "%.8g %.8g ", p.counted, p.ratio);
            sp_put_text(out, sp_quote_value("%s", p.name ? p.name : "unnamed"), "%t\n");
            f.x_min = fmin(f.x_min, p.counted);
            f.x_max = fmax(f.x_max, p.counted);
            f.y_min = fmin(f.y_min, p.ratio);
            f.y_max = fmax(f.y_max, p.ratio);
        }
        sp_put(out, "EOD\n");
    }
    const double room = 0.08 * (f.y_max - f.y_min);
    return (struct frame){f.x_min / 1.5, f.x_max * 1.5, f.y_min - room, f.y_max + room};
}

static bool has_points(const json_t *lines, const double *threads, int n, int k)
{
    const json_t *line;
    size_t i;
    json_array_foreach(lines, i, line)
    {
        struct point p;
        if (point_of(line, &p) && 2 * series_of(&p, threads, n) + p.near == k)
            return true;
    }
    return false;
}

static void write_script(const struct sp_record *const *records, int n_records, enum sp_image term,
                         struct sp_script *out)
{
    (void)n_records;
    const json_t *lines = lines_of(records[0]);
    double threads[SP_N_SERIES];
    const int n = threads_of(lines, threads);
    int n_keys = 0;
    const struct frame f = write_points(lines, threads, n, out);
    for (int k = 0; k < 2 * n; k++)
        n_keys += has_points(lines, threads, n, k);
    sp_put(out, "set title 'bytes from memory: predicted over counted'\n"
                "set ylabel 'predicted / counted'\nset logscale x\n");
    sp_put(out, "set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\n", f.x_min, f.x_max, f.y_min, f.y_max);
    sp_script_byte_tics(out, f.x_min, f.x_max);
    sp_script_frame(out, sp_quote("counted in one execution"), WIDTH, HEIGHT, 100, 28, n_keys, term);
    sp_put(out, "set datafile separator whitespace\nplot 1 with lines lw 1 lc rgb %c notitle", SP_GREY);
    for (int k = 0; k < 2 * n; k++) {
        const struct sp_series look = sp_series(k / 2);
        if (!has_points(lines, threads, n, k))
            continue;
        sp_put_text(out,
                    sp_quote("%.0f thread%s%s", threads[k / 2], threads[k / 2] == 1 ? "" : "s",
                             k % 2 ? ", near the size of a cache" : ""),
                    SP_NEXT "$P%d using 1:2 with points pt %d ps 1.1 lw 1.5 lc rgb %c title %t", k,
                    k % 2 ? look.hollow : look.filled, look.color);
        if (term == SP_TERM_SVG)
            sp_put(out, SP_NEXT "$P%d using 1:2:(stringcolumn(3).sprintf(': %%.4f', $2))" SP_HOVER, k);
    }
    sp_put(out, "\n");
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack none = {"counted and predicted bytes", SP_F_VALIDATION_LINES};
    const json_t *lines = lines_of(record), *line;
    size_t i;
    json_array_foreach(lines, i, line)
    {
        struct point p;
        if (point_of(line, &p))
            return NULL;
    }
    return &none;
}

const struct sp_plot_kind sp_plot_predicted = {
    "predicted",
    "predicted over counted bytes of measurements of others",
    1,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    LINES,
};
