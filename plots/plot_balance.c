#include <math.h>

#include "base/figures.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    (void)term;
    double widest = 1;
    for (int k = 0; k < n; k++) {
        const json_t *points = sp_record_node(records[k], "curves.balance.points"), *point;
        size_t i;
        fprintf(out, "# r, balance B/flop, lo, hi\n$B%d << EOD\n", k);
        json_array_foreach(points, i, point)
        {
            double r = sp_item_number(point, "r"), b = sp_item_number(point, "balance"),
                   lo = sp_item_number(point, "lo"), hi = sp_item_number(point, "hi");
            if (!(r >= 1) || !isfinite(b))
                continue;
            fprintf(out, "%g %.8g %.8g %.8g\n", r, b, isfinite(lo) ? lo : b, isfinite(hi) ? hi : b);
            widest = fmax(widest, r);
        }
        fputs("EOD\n", out);
        double limit;
        if (sp_record_number(records[k], "curves.balance.limit", &limit)) {
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
    sp_script_title(out, records[0], "");
    fprintf(out,
            "set logscale x 2; set xrange [%g:%g]; set yrange [0:*]\n"
            "set xlabel 'right-hand sides r'; set ylabel 'code balance, B/flop'\nset key tmargin center "
            "horizontal\nplot ",
            0.87, widest * 1.15);
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

static const char *lacks(const struct sp_record *record)
{
    return json_array_size(sp_record_node(record, "curves.balance.points")) > 1
               ? NULL
               : "code balance over right-hand sides (curves.balance)";
}

const struct sp_plot_kind sp_plot_balance = {
    "balance", "code balance over the number of right-hand sides", 6, 760, 460, lacks, write_script,
};
