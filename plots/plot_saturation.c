#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

static const json_t *series_of(const struct sp_record *record)
{
    return sp_record_node(record, "curves.saturation");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
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
        fprintf(out, "# threads, value G, lo, hi\n$S%zu << EOD\n", i);
        json_array_foreach(json_object_get(series, "points"), k, point)
        {
            double t = sp_item_number(point, "threads"), v = sp_item_number(point, "value"),
                   lo = sp_item_number(point, "lo"), hi = sp_item_number(point, "hi");
            if (!(t >= 1) || !isfinite(v))
                continue;
            fprintf(out, "%g %.8g %.8g %.8g\n", t, v / 1e9, (isfinite(lo) ? lo : v) / 1e9,
                    (isfinite(hi) ? hi : v) / 1e9);
            most_threads = fmax(most_threads, t);
            highest = fmax(highest, v);
            if (i == 0 && t == 1)
                single = v;
        }
        fputs("EOD\n", out);
        if (i == 0)
            saturated = sp_item_number(series, "n_sat");
    }
    sp_script_title(out, records[0], "");
    fprintf(out,
            "set xrange [0:%g]; set yrange [0:%.6g]; set xlabel \"threads%s; set ylabel '%s'\n"
            "set key bmargin center horizontal; set samples 400\n",
            most_threads * 1.06 + 0.2, highest * 1.15 / 1e9, term == SP_TERM_TXT ? "\"" : SP_ROOM_FOR_KEY,
            flops ? "Gflop/s" : "GB/s");
    if (most_threads <= 16)
        fputs("set xtics 1\n", out);
    if (isfinite(saturated) && saturated >= 1) {
        fprintf(out,
                "set arrow from %g, graph 0 to %g, graph 1 nohead dt 3 lw 1.2 lc rgb '" SP_GREY "' back\n"
                "set label 'saturated from %g threads' at %g, graph 0.04 left rotate by 90 offset char 0.9,0 "
                "font ',10' "
                "tc rgb '" SP_INK "'\n",
                saturated, saturated, saturated, saturated);
    }
    fputs("plot ", out);
    if (isfinite(single))
        fprintf(out,
                "(x * %.8g > %.8g ? NaN : x * %.8g) with lines dt 2 lw 1 lc rgb '" SP_GREY
                "' title 'linear from one thread', \\\n    ",
                single / 1e9, highest * 1.1 / 1e9, single / 1e9);
    json_array_foreach(list, i, series)
    {
        char text[160], name[64];
        const char *origin = sp_item_text(series, "origin");
        snprintf(text, sizeof text, "%s, %s", sp_words_roof(name, sizeof name, series),
                 origin ? origin : "measured");
        fprintf(out, "%s$S%zu using 1:2:3:4 with yerrorlines pt 7 ps 0.9 lw 2 lc rgb '%s' title ",
                i ? ", \\\n    " : "", i, i == 0 ? SP_BLUE : sp_series_color((int)i - 1));
        sp_script_string(out, text);
    }
    fputc('\n', out);
}

static const char *lacks(const struct sp_record *record)
{
    const json_t *points = json_object_get(json_array_get(series_of(record), 0), "points");
    return json_array_size(points) > 1 ? NULL : "rates over threads (curves.saturation)";
}

const struct sp_plot_kind sp_plot_saturation = {
    "saturation", "bandwidth over threads", 1, 760, 460, lacks, write_script, 110, 34,
};
