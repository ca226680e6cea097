/* A distributed SpMV: its predicted time over ranks with the parts, dashed and hollow; and who
 * sends to whom, as predicted or as a job of ranks did. */
#include <math.h>
#include <stddef.h>

#include "base/text.h"
#include "plots/plot.h"
#include "plots/script.h"

/* ---- time over ranks ---- */

enum { WIDTH = 820, HEIGHT = 520, LINES = 34, N_PARTS = 4 };

/* Columns of the data behind the ranks; the last one is what N times the ranks of a node could do
 * at best. */
static const char *const part_key[N_PARTS] = {"time_s", "overlapped_s", "own_s", "exchange_s"};

static const json_t *counts_of(const struct sp_record *record)
{
    return sp_record_node(record, SP_F_SCALING_COUNTS);
}

struct frame {
    double x_min, x_max, y_min, y_max;
    bool has[N_PARTS]; /* a time above 0 */
};

static struct frame write_times(const struct sp_record *record, struct sp_script *out)
{
    struct frame f = {.x_min = INFINITY, .y_min = INFINITY};
    const json_t *count;
    size_t i;
    double node_s = NAN, per_node = NAN;
    sp_record_number(record, SP_F_SCALING_NODE_S, &node_s);
    sp_record_number(record, SP_F_SCALING_RANKS_PER_NODE, &per_node);
    sp_put(out, "# ranks; seconds: exchange first, exchange behind the local block, own work, exchange, one "
                "node divided "
                "evenly\n$T << EOD\n");
    json_array_foreach(counts_of(record), i, count)
    {
        const double ranks = sp_item_number(count, "ranks");
        if (!(ranks >= 1))
            continue;
        sp_put(out, "%.8g", ranks);
        for (int k = 0; k < N_PARTS; k++) {
            const double t = sp_item_number(count, part_key[k]);
            if (!(t > 0) || !isfinite(t)) {
                sp_put(out, " NaN");
                continue;
            }
            sp_put(out, " %.8g", t);
            f.has[k] = true;
            f.y_min = fmin(f.y_min, t);
            f.y_max = fmax(f.y_max, t);
        }
        const double ideal = node_s * per_node / ranks;
        if (ideal > 0 && isfinite(ideal))
            sp_put(out, " %.8g\n", ideal);
        else
            sp_put(out, " NaN\n");
        f.x_min = fmin(f.x_min, ranks);
        f.x_max = fmax(f.x_max, ranks);
    }
    sp_put(out, "EOD\n");
    f.x_min /= 1.2;
    f.x_max *= 1.2;
    f.y_min /= 1.5;
    f.y_max *= 1.5;
    return f;
}

static void write_ranks_tics(const struct sp_record *record, struct sp_script *out)
{
    const json_t *count;
    size_t i;
    double before = 0;
    sp_script_tics(out, SP_X);
    json_array_foreach(counts_of(record), i, count)
    {
        const double ranks = sp_item_number(count, "ranks");
        if (!(ranks >= 1) || ranks < 1.7 * before) /* no room */
            continue;
        sp_script_tic(out, sp_quote("%.0f", ranks), ranks);
        before = ranks;
    }
    sp_put(out, ")\n");
}

static void write_time_tics(const struct frame *f, struct sp_script *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    sp_script_tics(out, SP_Y);
    for (int power = -9; power < 3; power++) {
        const double t = pow(10, power);
        const int unit = (power + 9) / 3 < 3 ? (power + 9) / 3 : 3;
        if (t > f->y_min && t < f->y_max)
            sp_script_tic(out, sp_quote("%.0f %s", pow(10, power + 9 - 3 * unit), units[unit]), t);
    }
    sp_put(out, ")\n");
}

static void scaling_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                                 struct sp_script *out)
{
    static const struct {
        const char *title;
        int color, dash, point;
    } look[N_PARTS] = {{"time: exchange first, then the rank's work", SP_BLUE, 2, 6},
                       {"time: exchange behind the local block", SP_GREEN, 2, 4},
                       {"own work of the rank that takes longest", SP_GREY, 3, 8},
                       {"exchange of the rank that takes longest", SP_RED, 3, 10}};
    (void)n;
    const struct sp_record *record = records[0];
    const struct frame f = write_times(record, out);
    sp_script_title(out, record, "predicted time over ranks", term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 52,
                    term);
    sp_put(out,
           "set logscale xy\nset xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\nset ylabel 'time of one SpMV'\n",
           f.x_min, f.x_max, f.y_min, f.y_max);
    sp_script_frame(out,
                    sp_quote("ranks (%s), network %s", sp_words_text(record, SP_F_SCALING_PARTITION, "?"),
                             sp_words_text(record, SP_F_SCALING_NETWORK, "not named")),
                    WIDTH, HEIGHT, 90, 28, N_PARTS + 1, term);
    write_ranks_tics(record, out);
    write_time_tics(&f, out);
    sp_put(out, "plot $T using 1:6 with lines lw 1 dt 3 lc rgb %c title 'one node, divided evenly over more'",
           SP_INK);
    for (int k = 0; k < N_PARTS; k++) {
        if (!f.has[k]) /* one rank exchanges nothing; gnuplot ends at labels of which none is drawn */
            continue;
        sp_put_text(out, sp_quote("%s", look[k].title),
                    SP_NEXT "$T using 1:%d with linespoints pt %d dt %d ps 1.1 lw 1.5 lc rgb %c title %t",
                    k + 2, look[k].point, look[k].dash, look[k].color);
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s", look[k].title),
                        SP_NEXT
                        "$T using 1:%d:(sprintf('%%d ranks, ', $1).%t.sprintf(': %%.3g s', $%d))" SP_HOVER,
                        k + 2, k + 2);
    }
    sp_put(out, "\n");
}

static const struct sp_lack *scaling_lacks(const struct sp_record *record)
{
    static const struct sp_lack none = {"predicted times over ranks", SP_F_SCALING_COUNTS};
    const json_t *count;
    size_t i;
    json_array_foreach(counts_of(record), i, count)
    {
        if (sp_item_number(count, "time_s") > 0 && sp_item_number(count, "ranks") >= 1)
            return NULL;
    }
    return &none;
}

const struct sp_plot_kind sp_plot_scaling = {
    "scaling",
    "predicted time of a distributed SpMV over ranks",
    1,
    WIDTH,
    HEIGHT,
    scaling_lacks,
    scaling_write_script,
    LINES,
};

/* ---- who sends to whom ---- */

enum { MAP_WIDTH = 720, MAP_HEIGHT = 640, MAP_LINES = 36, MOST_BINS = 4096, MOST_VALUES = 1500 };
static const struct sp_panel map_room = {0.14, 0.8, 0.12, 0.9, MAP_WIDTH, 13};

/* Cells of a prediction, or pairs of a job. */
struct map {
    const json_t *cells;
    double bins, of_bin;
};

static struct map map_of(const struct sp_record *record)
{
    const json_t *halo = sp_record_node(record, SP_F_SCALING_HALO);
    int64_t n = 0;
    if (sp_record_count(record, SP_F_RANKS_N, &n))
        return (struct map){sp_record_node(record, SP_F_RANKS_PAIRS), (double)n, 1};
    return (struct map){json_object_get(halo, "cells"), sp_item_number(halo, "bins"),
                        fmax(sp_item_number(halo, "ranks_of_bin"), 1)};
}

/* [to, from, B] of a cell or pair; false: it is none. */
static bool cell_of(const json_t *cell, double bins, double *to, double *from, double *bytes)
{
    if (json_is_object(cell)) {
        *to = sp_item_number(cell, "to");
        *from = sp_item_number(cell, "from");
        *bytes = sp_item_number(cell, "predicted_B");
    } else if (json_array_size(cell) == 3) {
        *to = json_number_value(json_array_get(cell, 0));
        *from = json_number_value(json_array_get(cell, 1));
        *bytes = json_number_value(json_array_get(cell, 2));
    } else {
        return false;
    }
    return *to >= 0 && *to < bins && *from >= 0 && *from<bins && * bytes> 0 && isfinite(*bytes);
}

static void write_map_tics(struct sp_script *out, enum sp_word axis, double bins, double of_bin)
{
    const double step = fmax(sp_nice_step(bins * of_bin, 8), of_bin);
    sp_script_tics(out, axis);
    for (int i = 0; i * step < bins * of_bin && i < 32; i++)
        sp_script_tic(out, sp_quote("%.0f", i * step), floor(i * step / of_bin));
    sp_put(out, ")\n");
}

static void halo_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                              struct sp_script *out)
{
    (void)n;
    const struct sp_record *record = records[0];
    const struct map map = map_of(record);
    const double bins = map.bins, of_bin = map.of_bin;
    const json_t *cell;
    double to, from, bytes, least = INFINITY, most = 1;
    size_t i;
    int n_cells = 0;
    sp_put(out, "# sender, receiver, bytes of one SpMV\n$H << EOD\n");
    json_array_foreach(map.cells, i, cell)
    {
        if (!cell_of(cell, bins, &to, &from, &bytes))
            continue;
        sp_put(out, "%d %d %.8g\n", (int)from, (int)to, bytes);
        least = fmin(least, bytes);
        most = fmax(most, bytes);
        n_cells++;
    }
    sp_put(out, "EOD\n");
    sp_script_title(out, record, "who sends to whom", term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 44, term);
    write_map_tics(out, SP_X, bins, of_bin);
    write_map_tics(out, SP_Y, bins, of_bin);
    sp_put(out,
           "set xrange [-0.5:%g]; set yrange [%g:-0.5]; set xlabel 'sender (rank)'; set ylabel 'receiver "
           "(rank)'\n"
           "unset key; unset grid; set border 15 lc rgb %c lw 1\n",
           bins - 0.5, bins - 0.5, SP_GREY);
    if (term == SP_TERM_TXT) {
        sp_put(out, "plot $H using 1:2 with points pt '#' notitle\n");
        return;
    }
    char each[48], tic[32];
    sp_put_text(out, sp_quote("%s", sp_text_bytes(tic, sizeof tic, least)), "set cbtics (%t %.6g", least);
    sp_put_text(out, sp_quote("%s", sp_text_bytes(tic, sizeof tic, most)), ", %t %.6g)\n", most);
    snprintf(each, sizeof each, of_bin > 1 ? "bytes between groups of %.0f ranks" : "bytes", of_bin);
    sp_put_text(
        out, sp_quote("%s", each),
        "set logscale cb; set cbrange [%.6g:%.6g]; set palette defined (0 '#c6dbef', 0.5 '#4477aa', 1 "
        "'#0b2a4a')\n"
        "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at screen "
        "%g\n"
        "set colorbox user origin 0.83,0.16 size 0.025,0.70\n"
        "set label %t at screen 0.975,0.51 center rotate by 90 tc rgb %c\nset style fill solid 1 noborder\n"
        "plot $H using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):3 with boxxyerror lc palette notitle",
        fmin(least, most / 2), most, map_room.left, map_room.right, map_room.bottom, map_room.top, SP_INK);
    if (term == SP_TERM_SVG && n_cells <= MOST_VALUES)
        sp_put(out, SP_NEXT "$H using 1:2:(sprintf('%%d to %%d: %%.6g B', $1 * %g, $2 * %g, $3))" SP_HOVER,
               of_bin, of_bin);
    sp_put(out, "\n");
}

static const struct sp_lack *halo_lacks(const struct sp_record *record)
{
    static const struct sp_lack none = {"messages between ranks", SP_F_SCALING_HALO};
    const struct map map = map_of(record);
    const json_t *cell;
    double to, from, bytes;
    size_t i;
    if (!(map.bins >= 1 && map.bins <= MOST_BINS))
        return &none;
    json_array_foreach(map.cells, i, cell)
    {
        if (cell_of(cell, map.bins, &to, &from, &bytes))
            return NULL;
    }
    return &none;
}

const struct sp_plot_kind sp_plot_halo = {
    "halo",
    "who sends to whom in a distributed SpMV",
    1,
    MAP_WIDTH,
    MAP_HEIGHT,
    halo_lacks,
    halo_write_script,
    MAP_LINES,
};

/* How evenly ranks work: a histogram of the time of each one's own blocks, as measured (a record of
 * ranks, filled) or as predicted at the last count of a scaling (hollow). */

enum { TIMES_WIDTH = 820, TIMES_HEIGHT = 440, TIMES_LINES = 28, TIMES_BINS = 40 };

/* A list of numbers, or of ranks with their medians. */
struct times {
    const json_t *list;
    bool measured;
};

static struct times times_of(const struct sp_record *record)
{
    const json_t *each = sp_record_node(record, SP_F_RANKS_EACH),
                 *counts = sp_record_node(record, SP_F_SCALING_COUNTS);
    if (json_array_size(each) > 0)
        return (struct times){each, true};
    const json_t *last = json_array_get(counts, json_array_size(counts) - (json_array_size(counts) > 0));
    return (struct times){json_object_get(json_object_get(last, "per_rank"), "own_s"), false};
}

/* [s] of rank i; NAN: not known. */
static double time_at(const struct times *t, size_t i)
{
    const json_t *one = json_array_get(t->list, i), *median = json_object_get(one, "median_s");
    const double s = t->measured ? sp_item_number(median, "local") + sp_item_number(median, "remote")
                     : json_is_number(one) ? json_number_value(one)
                                           : NAN;
    return s >= 0 && isfinite(s) && s < 1e9 ? s : NAN;
}

struct histogram {
    int n, n_bins;
    double lo, width, most, mean;
    int count[TIMES_BINS];
};

/* As many bins as the root of the ranks, over what they take; one where all take the same. */
static struct histogram histogram_of(const struct times *t)
{
    struct histogram h = {.lo = INFINITY};
    for (size_t i = 0; i < json_array_size(t->list); i++) {
        const double s = time_at(t, i);
        if (isnan(s))
            continue;
        h.n++;
        h.mean += s;
        h.lo = fmin(h.lo, s);
        h.most = fmax(h.most, s);
    }
    if (h.n == 0 || !(h.most > 0))
        return (struct histogram){.n = 0};
    h.mean /= h.n;
    const double range = h.most - h.lo, root = ceil(sqrt(h.n));
    h.n_bins = range < 1e-3 * h.most ? 1 : root < TIMES_BINS ? (int)root + 1 : TIMES_BINS;
    h.width = h.n_bins == 1 ? 0.02 * h.most : range / h.n_bins;
    if (h.n_bins == 1)
        h.lo = h.mean - h.width / 2;
    for (size_t i = 0; i < json_array_size(t->list); i++) {
        const double s = time_at(t, i);
        const int k = isnan(s) ? -1 : (int)((s - h.lo) / h.width);
        if (k >= 0)
            h.count[k < h.n_bins ? k : h.n_bins - 1]++;
    }
    return h;
}

static void write_script(const struct sp_record *const *records, int n, enum sp_image term,
                         struct sp_script *out)
{
    const struct sp_record *record = records[0];
    const struct times t = times_of(record);
    const struct histogram h = histogram_of(&t);
    const struct sp_scale unit = sp_scale_of_seconds(h.most);
    const double lo = h.lo / unit.factor, width = h.width / unit.factor, x_min = fmax(0, lo - 2 * width),
                 x_max = lo + (h.n_bins + 2) * width;
    char mean[24], most[24];
    int tallest = 1;
    (void)n;
    sp_put(out, "# middle of a bin, ranks\n$R << EOD\n");
    for (int k = 0; k < h.n_bins; k++) {
        sp_put(out, "%.8g %d\n", lo + (k + 0.5) * width, h.count[k]);
        tallest = h.count[k] > tallest ? h.count[k] : tallest;
    }
    const double top = 1.06 * tallest, middle = h.mean / unit.factor, end = h.most / unit.factor;
    sp_put(out, "EOD\n# mean, longest, height of their lines\n$M << EOD\n%.8g %.8g 0\n%.8g %.8g %.8g\nEOD\n",
           middle, end, middle, end, top);
    sp_script_title(out, record, t.measured ? "own work of the ranks" : "predicted own work of the ranks",
                    term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 52, term);
    sp_put(out, "set xrange [%.8g:%.8g]; set yrange [0:%g]; set ytics %g; set ylabel 'ranks'\n", x_min, x_max,
           tallest * 1.12, fmax(1, sp_nice_step(tallest, 8)));
    sp_text_seconds(mean, sizeof mean, h.mean);
    sp_text_seconds(most, sizeof most, h.most);
    sp_script_frame(out, sp_quote("local and remote block [%s]", unit.prefix), TIMES_WIDTH, TIMES_HEIGHT, 90,
                    28, 3, term);
    sp_put(out, "set boxwidth %.8g\nplot $R using 1:2 with boxes ", 0.94 * width);
    if (t.measured)
        sp_put(out, "fs solid 0.7");
    else
        sp_put(out, "fs empty lw 1.5 dt 2");
    sp_put_text(out, sp_quote("%d ranks, %s", h.n, t.measured ? "measured" : "modelled"),
                " lc rgb %c title %t", SP_BLUE);
    sp_put_text(out, sp_quote("mean %s", mean),
                SP_NEXT "$M using 1:3 with lines lw 2 dt 2 lc rgb %c title %t", SP_GREEN);
    sp_put_text(out, sp_quote("longest %s, %.2f times the mean", most, h.most / h.mean),
                SP_NEXT "$M using 2:3 with lines lw 2 dt 3 lc rgb %c title %t", SP_RED);
    if (term == SP_TERM_SVG)
        sp_put(out, SP_NEXT "$R using 1:2:(sprintf('%%d ranks', $2))" SP_HOVER);
    sp_put(out, "\n");
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack none = {"times of ranks", SP_F_RANKS_EACH};
    const struct times t = times_of(record);
    return histogram_of(&t).n > 0 ? NULL : &none;
}

const struct sp_plot_kind sp_plot_ranks = {
    "ranks",     "histogram of the ranks' own times", 1, TIMES_WIDTH, TIMES_HEIGHT, lacks, write_script,
    TIMES_LINES,
};
