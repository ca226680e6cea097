/* How evenly ranks work: a histogram of the time of each one's own blocks, as measured (a record of
 * ranks, filled) or as predicted at the last count of a scaling (hollow). */
#include <math.h>
#include <stddef.h>

#include "base/figures.h"
#include "base/text.h"
#include "plots/plot.h"
#include "plots/script.h"

enum { WIDTH = 820, HEIGHT = 440, LINES = 28, MOST_BINS = 40 };

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
    int count[MOST_BINS];
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
    h.n_bins = range < 1e-3 * h.most ? 1 : root < MOST_BINS ? (int)root + 1 : MOST_BINS;
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
    sp_script_frame(out, sp_quote("local and remote block [%s]", unit.prefix), WIDTH, HEIGHT, 90, 28, 3,
                    term);
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
    "ranks", "histogram of the ranks' own times", 1, WIDTH, HEIGHT, lacks, write_script, LINES,
};
