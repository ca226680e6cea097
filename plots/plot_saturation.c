#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { WIDTH = 760, HEIGHT = 480, MOST_LINES = 12 };

static const json_t *series_of(const struct sp_record *record)
{
    return sp_record_node(record, "curves.saturation");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
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
            highest = fmax(highest, v);
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
    const struct sp_key key = sp_script_frame(out, sp_quote("threads"), WIDTH, HEIGHT, 82, 28,
                                              n_lines < MOST_LINES ? n_lines : MOST_LINES, term);
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
        sp_words_roof(name, sizeof name, series);
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

static const char *lacks(const struct sp_record *record)
{
    const json_t *points = json_object_get(json_array_get(series_of(record), 0), "points");
    return json_array_size(points) > 1 ? NULL : "rates over threads (curves.saturation)";
}

const struct sp_plot_kind sp_plot_saturation = {
    "saturation", "bandwidth over threads", 1, WIDTH, HEIGHT, lacks, write_script, 34,
};
