#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plots/plot.h"
#include "plots/script.h"

enum { WIDTH = 820, HEIGHT = 500, MOST_RECORDS = 6, FONT = 10 };

/* The axes, and where labels are; in text there are none. */
struct picture {
    double lo, hi, least, most; /* [B], alpha */
    bool wide;                  /* then only a logarithm shows the low end */
    double width, height;       /* [px] */
    struct sp_places places;
};

static double px_of(const struct picture *p, double bytes)
{
    return log(bytes / p->lo) / log(p->hi / p->lo) * p->width;
}
static double py_of(const struct picture *p, double alpha)
{
    return (p->wide ? log(alpha / p->least) / log(p->most / p->least)
                    : (alpha - p->least) / (p->most - p->least)) *
           p->height;
}

/* At the first of these places, in the order of preference, that is free. */
static void put_label(struct sp_script *out, struct picture *p, struct sp_quoted text,
                      const struct sp_box *choice, int n, int color)
{
    const int best = sp_places_choose(&p->places, choice, n, SP_BY_TEXT);
    if (best < 0)
        return;
    sp_put_text(out, text, "set label %t at graph %.5g,%.5g center rotate by %g font ',%d' tc rgb %c front\n",
                choice[best].x / p->width, choice[best].y / p->height, choice[best].turn * 180 / M_PI, FONT,
                color);
}

/* A vertical line at a cache capacity with its words written along it. */
static void capacity_line(struct sp_script *out, struct picture *p, double bytes, struct sp_quoted words,
                          int dash)
{
    enum { HEIGHTS = 6 };
    const double width = FONT * sp_text_width(words, SP_TERM_SVG) + 4, x = px_of(p, bytes);
    struct sp_box choice[2 * HEIGHTS];
    sp_put(out, "set arrow from %.8g, graph 0 to %.8g, graph 1 nohead dt %d lw 1.2 lc rgb %c back\n", bytes,
           bytes, dash, SP_GREY);
    for (int i = 0; i < 2 * HEIGHTS; i++) {
        const int down = i / 2;
        choice[i] = (struct sp_box){
            x + (i % 2 ? -9 : 9), p->height - 4 - width / 2 - (p->height - width - 8) / (HEIGHTS - 1) * down,
            width, FONT + 4, M_PI / 2};
    }
    put_label(out, p, words, choice, 2 * HEIGHTS, SP_INK);
}

/* The largest size that is marked; 0: none. */
static double largest_cache(const struct sp_record *record)
{
    const json_t *caches = sp_record_node(record, SP_F_MACHINE_CACHES), *cache;
    size_t i;
    double most = 0;
    json_array_foreach(caches, i, cache)
    {
        const double size = sp_item_number(cache, "size_B");
        most = size > most ? size : most;
    }
    return most;
}

/* First the lines, which labels keep clear of. */
static void mark_caches(struct sp_script *out, const struct sp_record *record, struct picture *p)
{
    const json_t *caches = sp_record_node(record, SP_F_MACHINE_CACHES), *cache;
    size_t i;
    for (int labels = 0; labels < 2; labels++)
        json_array_foreach(caches, i, cache)
        {
            const double level = sp_item_number(cache, "level"), size = sp_item_number(cache, "size_B");
            const struct sp_value effective = sp_record_value_of(json_object_get(cache, "effective_B"));
            const bool known =
                sp_value_known(effective) && effective.value > p->lo && effective.value < p->hi;
            char number[32];
            if (!(size > p->lo) || !(size < p->hi))
                continue;
            if (!labels) {
                sp_places_take_line(&p->places, px_of(p, size), 0, px_of(p, size), p->height);
                if (known)
                    sp_places_take_line(&p->places, px_of(p, effective.value), 0, px_of(p, effective.value),
                                        p->height);
                continue;
            }
            capacity_line(out, p, size,
                          sp_quote("L%.0f %s stated", level, sp_text_bytes(number, sizeof number, size)),
                          sp_origin_dash(SP_STATED));
            if (known)
                capacity_line(out, p, effective.value,
                              sp_quote("L%.0f %s effective, %s", level,
                                       sp_text_bytes(number, sizeof number, effective.value),
                                       sp_origin_name(effective.origin)),
                              sp_origin_dash(effective.origin));
        }
}

/* The cache whose misses the run's alpha counts, as it was found, else as stated: the last one, or
 * where the data live in a cache the one before that. */
static bool run_of(const struct sp_record *record, double *bytes, struct sp_value *alpha)
{
    const json_t *caches = sp_record_node(record, SP_F_MACHINE_CACHES), *cache, *filled = NULL;
    double level = INFINITY;
    size_t i;
    sscanf(sp_words_text(record, SP_F_BINDING_LEVEL, "MEM"), "L%lf", &level);
    json_array_foreach(caches, i, cache) filled = sp_item_number(cache, "level") < level ? cache : filled;
    const struct sp_value effective = sp_record_value_of(json_object_get(filled, "effective_B"));
    *alpha = sp_record_value(record, SP_F_METRICS_ALPHA);
    *bytes = sp_value_known(effective) ? effective.value : sp_item_number(filled, "size_B");
    return sp_value_known(*alpha) && *bytes > 0;
}

/* The run among the caches that it could have had: filled where its bytes were counted. */
static void mark_run(struct sp_script *out, const struct sp_record *record, struct picture *p, int k,
                     bool alone)
{
    double bytes;
    struct sp_value alpha;
    if (!run_of(record, &bytes, &alpha) || bytes < p->lo || bytes > p->hi || !(alpha.value >= p->least) ||
        alpha.value > p->most)
        return;
    const struct sp_series look = sp_series(k);
    const bool counted = alpha.origin == SP_MEASURED || alpha.origin == SP_CONSTRUCTED;
    const double x = px_of(p, bytes), y = py_of(p, alpha.value);
    sp_put(out, "set label '' at %.8g, first %.8g point pt %d ps 1.9 lw 2 lc rgb %c front\n", bytes,
           alpha.value, counted ? look.filled : look.hollow, look.color);
    sp_places_take(&p->places, (struct sp_box){x, y, 17, 17, 0}, SP_BY_POINT);
    char number[32], size[32];
    const struct sp_quoted words =
        sp_quote("this run: alpha %s %s, %s of cache", sp_figure(number, sizeof number, alpha.value, 2),
                 sp_origin_name(alpha.origin), sp_text_bytes(size, sizeof size, bytes));
    sp_put_text(out, words,
                "set label %t at %.8g, first %.8g hypertext point pt 7 ps 1.9 lc rgb '#ffffffff' front\n",
                bytes, alpha.value);
    if (!alone)
        return;
    const double width = FONT * sp_text_width(words, SP_TERM_SVG) + 4;
    static const double across[] = {1, -1, 1, -1, 0, 0}, up[] = {1, 1, -1, -1, 1, -1};
    enum { SIDES = sizeof up / sizeof *up, FARTHER = 4 };
    struct sp_box choice[SIDES * FARTHER];
    for (int i = 0; i < SIDES * FARTHER; i++) {
        const int side = i % SIDES, far = i / SIDES;
        choice[i] = (struct sp_box){x + across[side] * (width / 2 + 13), y + up[side] * (17 + 14 * far),
                                    width, FONT + 4, 0};
    }
    put_label(out, p, words, choice, SIDES * FARTHER, SP_INK);
}

/* Blocks $Ak: the curves. */
static void write_curves(const struct sp_record *const *records, int n, struct picture *p,
                         struct sp_script *out)
{
    for (int k = 0; k < n; k++) {
        const json_t *points = sp_record_node(records[k], SP_F_CURVES_ALPHA_CACHE_POINTS), *point;
        double bytes, alpha;
        struct sp_value own;
        size_t i;
        sp_put(out, "# capacity B, alpha\n$A%d << EOD\n", k);
        json_array_foreach(points, i, point)
        {
            bytes = sp_item_number(point, "capacity_B"), alpha = sp_item_number(point, "alpha");
            if (!(bytes > 0) || !isfinite(alpha))
                continue;
            sp_put(out, "%.8g %.8g\n", bytes, alpha);
            p->lo = fmin(p->lo, bytes);
            p->hi = fmax(p->hi, bytes);
            p->most = fmax(p->most, alpha);
            p->least = fmin(p->least, alpha);
        }
        sp_put(out, "EOD\n");
        if (run_of(records[k], &bytes, &own) && own.value > 0)
            p->most = fmax(p->most, own.value), p->least = fmin(p->least, own.value);
    }
}

/* Where x is loaded once; SP_NONE: outside the picture. */
static struct sp_value minimum_of(const struct sp_record *record, const struct picture *p)
{
    const struct sp_value minimum = sp_record_value(record, SP_F_METRICS_ALPHA_MIN);
    return minimum.value > p->least && minimum.value < p->most ? minimum : sp_value_none("outside");
}

/* The curves, and of a single record the line of x loaded once: labels keep clear of them. */
static void take_lines(const struct sp_record *const *records, int n, struct picture *p)
{
    const struct sp_value minimum = minimum_of(records[0], p);
    if (n == 1 && sp_value_known(minimum))
        sp_places_take_line(&p->places, 0, py_of(p, minimum.value), p->width, py_of(p, minimum.value));
    for (int k = 0; k < n; k++) {
        const json_t *points = sp_record_node(records[k], SP_F_CURVES_ALPHA_CACHE_POINTS), *point;
        const size_t step = json_array_size(points) / 12 + 1;
        double x = NAN, y = NAN;
        size_t i;
        json_array_foreach(points, i, point)
        {
            const double bytes = sp_item_number(point, "capacity_B"), alpha = sp_item_number(point, "alpha");
            if (!(bytes > 0) || !(alpha >= p->least) || (i % step && i + 1 < json_array_size(points)))
                continue;
            if (isfinite(x))
                sp_places_take_line(&p->places, x, y, px_of(p, bytes), py_of(p, alpha));
            x = px_of(p, bytes), y = py_of(p, alpha);
        }
    }
}

static void mark_minimum(struct sp_script *out, const struct sp_record *record, struct picture *p,
                         enum sp_image term)
{
    const struct sp_value minimum = minimum_of(record, p);
    char number[32];
    if (!sp_value_known(minimum))
        return;
    sp_put(out,
           "set arrow from graph 0, first %.8g to graph 1, first %.8g nohead dt %d lw 1.2 lc rgb %c back\n",
           minimum.value, minimum.value, sp_origin_dash(minimum.origin), SP_BLUE);
    const struct sp_quoted words =
        sp_quote("x loaded once: %s %s", sp_figure(number, sizeof number, minimum.value, 2),
                 sp_origin_name(minimum.origin));
    if (term == SP_TERM_TXT)
        return;
    const double width = FONT * sp_text_width(words, SP_TERM_SVG) + 4, y = py_of(p, minimum.value);
    struct sp_box choice[12];
    for (int i = 0; i < 12; i++) {
        const int right = i / 2;
        choice[i] = (struct sp_box){5 + width / 2 + right * (p->width - width - 10) / 5, y + (i % 2 ? -9 : 9),
                                    width, FONT + 4, 0};
    }
    put_label(out, p, words, choice, 12, SP_BLUE);
}

static void draw(const struct sp_record *const *records, int n, double most, enum sp_image term,
                 struct sp_script *out)
{
    sp_put(out, "plot ");
    for (int k = 0; k < n; k++) {
        char name[256], margin[64] = "";
        double error;
        const char *origin = sp_words_text(records[k], SP_F_CURVES_ALPHA_CACHE_ORIGIN, "of unknown origin");
        const struct sp_series look = sp_series(k);
        if (sp_record_number(records[k], SP_F_CURVES_ALPHA_CACHE_ERROR, &error) && error > 0)
            snprintf(margin, sizeof margin, ", error at most %.1f %%", 100 * error);
        sp_script_name(name, sizeof name, records[k]);
        /* Points on some of them alone: of hundreds they would be a band. */
        const size_t n_points = json_array_size(sp_record_node(records[k], SP_F_CURVES_ALPHA_CACHE_POINTS));
        if (k > 0)
            sp_put(out, SP_NEXT);
        sp_put_text(out, sp_quote_within(most, term, "%s, %s%s", n > 1 ? name : "alpha", origin, margin),
                    "$A%d using 1:2 with linespoints pt %d ps 0.7 pi %d lw 2 dt 1 lc rgb %c title %t", k,
                    look.hollow, (int)(n_points / 24) + 1, look.color);
        if (term == SP_TERM_SVG)
            sp_put_text(
                out, sp_quote_value("%s: alpha ", name),
                SP_NEXT
                "$A%d using 1:2:(%t.sprintf('%%.2g with %%.3g MB of cache', $2, $1 / 1e6)) every %d" SP_HOVER,
                k, (int)(n_points / 48) + 1);
    }
    sp_put(out, "\n");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_image term,
                         struct sp_script *out)
{
    struct picture p = {.lo = INFINITY, .least = INFINITY};
    const bool text = term == SP_TERM_TXT;
    write_curves(records, n, &p, out);
    if (!text) /* a larger cache has what the largest of the curve has */
        p.hi = fmax(p.hi, largest_cache(records[0]));
    p.lo /= 1.2, p.hi *= 1.2;
    p.wide = p.least > 0 && p.most > 30 * p.least;
    p.least = p.wide ? p.least / 1.5 : 0;
    p.most *= p.wide ? 1.5 : 1.12;
    if (!(p.most > p.least))
        p.most = p.least + 1;
    sp_script_title(out, records[0], n > 1 ? "caches of" : "", text ? SP_TEXT_COLUMNS - 8 : 52, term);
    const struct sp_key key =
        sp_script_frame(out, sp_quote("size of a fully associative cache"), WIDTH, HEIGHT, 86, 30, n, term);
    p.width = (key.panel.right - key.panel.left) * WIDTH;
    p.height = (key.panel.top - key.panel.bottom) * HEIGHT;
    p.places = (struct sp_places){.width = p.width, .height = p.height};
    sp_put(out,
           "set logscale x; set ylabel 'alpha = bytes of x / (s_x n_nz r)'\nset xrange [%.8g:%.8g]; set "
           "yrange [%.6g:%.6g]\n",
           p.lo, p.hi, p.least, p.most);
    if (p.wide)
        sp_put(out, "set logscale y\n");
    sp_script_byte_tics(out, p.lo, p.hi);
    if (!text) {
        take_lines(records, n, &p);
        for (int k = 0; k < n; k++)
            mark_run(out, records[k], &p, k, n == 1);
    }
    if (n == 1)
        mark_minimum(out, records[0], &p, term);
    if (!text)
        mark_caches(out, records[0], &p);
    draw(records, n, key.most, term, out);
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack no_curve = {"alpha over cache size", SP_F_CURVES_ALPHA_CACHE};
    return json_array_size(sp_record_node(record, SP_F_CURVES_ALPHA_CACHE_POINTS)) > 1 ? NULL : &no_curve;
}

const struct sp_plot_kind sp_plot_alpha = {
    "alpha",      "traffic of x over cache size, with this machine's caches",
    MOST_RECORDS, WIDTH,
    HEIGHT,       lacks,
    write_script, 34,
};

/* Bytes from memory over the ways of the last level that are kept for some arrays, of executions
 * that somebody counted: each division is another cache for x and another one for the matrix.
 * Counted filled and solid, simulated hollow and dashed; a colour a matrix and number of
 * threads. */

enum { WAYS_WIDTH = 820, WAYS_HEIGHT = 500, LINES = 32, MOST_WAYS = 64 };

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

/* The first line of this series for each number of ways; returns how many have one. */
static int by_ways(const json_t *lines, const struct point *series, struct point found[MOST_WAYS])
{
    const json_t *line;
    size_t i;
    int n = 0;
    memset(found, 0, MOST_WAYS * sizeof *found);
    json_array_foreach(lines, i, line)
    {
        struct point p;
        if (!point_of(line, &p) || !is_of(&p, series) || found[p.ways].name)
            continue;
        found[p.ways] = p;
        n++;
    }
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
        struct point p, found[MOST_WAYS];
        int k = 0;
        if (n == SP_N_SERIES || !point_of(line, &p) || p.ways == 0)
            continue;
        while (k < n && !is_of(&p, &series[k]))
            k++;
        if (k == n && by_ways(lines, &p, found) > 1)
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
    struct point found[MOST_WAYS];
    for (int k = 0; k < n; k++) {
        by_ways(lines, &series[k], found);
        for (int whole = 0; whole < 2; whole++) {
            sp_put(out, "# ways, counted and simulated over all arrays once\n$W%d << EOD\n", 2 * k + whole);
            for (int w = whole ? 0 : 1; w < (whole ? 1 : MOST_WAYS); w++) {
                if (!found[w].name)
                    continue;
                sp_put(out, "%d %.8g %.8g\n", w, found[w].counted, found[w].simulated);
                f.top = fmax(f.top, fmax(found[w].counted, found[w].simulated));
                f.whole = f.whole || whole;
                f.least = !whole && w < f.least ? w : f.least;
                f.most = w > f.most ? w : f.most;
            }
            sp_put(out, "EOD\n");
        }
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

static void write_ways_curves(const struct point *series, int k, double most, enum sp_image term,
                              const json_t *lines, struct sp_script *out)
{
    const struct sp_series look = sp_series(k);
    struct point found[MOST_WAYS];
    by_ways(lines, series, found);
    sp_put_text(out,
                sp_quote_within(most, term, "%s, %.0f thread%s", series->name, series->threads,
                                series->threads == 1 ? "" : "s"),
                "$W%d using 1:2 with linespoints pt %d ps 1.1 lw 2 lc rgb %c title %t" SP_NEXT, 2 * k,
                look.filled, look.color);
    sp_put(out, "$W%d using 1:3 with linespoints pt %d dt 2 ps 1.3 lw 1.5 lc rgb %c notitle", 2 * k,
           look.hollow, look.color);
    if (found[0].name)
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

static void write_ways_script(const struct sp_record *const *records, int n_records, enum sp_image term,
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
                                              WAYS_WIDTH, WAYS_HEIGHT, 82, 28, n, term);
    write_tics(&f, out);
    sp_put(out, "set datafile separator whitespace\nplot 1 with lines lw 1 lc rgb %c notitle", SP_GREY);
    for (int k = 0; k < n; k++) {
        sp_put(out, SP_NEXT);
        write_ways_curves(&series[k], k, key.most, term, lines, out);
    }
    sp_put(out, "\n");
}

static const struct sp_lack *ways_lack(const struct sp_record *record)
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
    WAYS_WIDTH,
    WAYS_HEIGHT,
    ways_lack,
    write_ways_script,
    LINES,
};
