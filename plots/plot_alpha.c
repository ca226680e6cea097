#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "base/text.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

/* A vertical line at a cache capacity with its words written along it; `left` of the line or right. */
static void capacity_line(FILE *out, double bytes, const char *words, int dash, bool left)
{
    fprintf(out,
            "set arrow from %.8g, graph 0 to %.8g, graph 1 nohead dt %d lw 1.2 lc rgb '" SP_GREY "' back\n",
            bytes, bytes, dash);
    fputs("set label ", out);
    sp_script_string(out, words);
    fprintf(out, " at %.8g, graph 0.97 right rotate by 90 offset char %s,0 font ',10' tc rgb '" SP_INK "'\n",
            bytes, left ? "-0.8" : "0.8");
}

/* The largest size that is marked; 0: none. */
static double largest_cache(const struct sp_record *record)
{
    const json_t *caches = sp_record_node(record, "machine.caches"), *cache;
    size_t i;
    double most = 0;
    json_array_foreach(caches, i, cache)
    {
        const double size = sp_item_number(cache, "size_B");
        if (sp_item_number(cache, "level") >= 2 && size > most)
            most = size;
    }
    return most;
}

static void mark_caches(FILE *out, const struct sp_record *record)
{
    const json_t *caches = sp_record_node(record, "machine.caches"), *cache;
    size_t i;
    json_array_foreach(caches, i, cache)
    {
        double level = sp_item_number(cache, "level"), size = sp_item_number(cache, "size_B");
        struct sp_value effective = sp_record_value_of(json_object_get(cache, "effective_B"));
        char words[128], number[32];
        if (!(level >= 2) || !(size > 0))
            continue;
        snprintf(words, sizeof words, "L%.0f %s stated", level, sp_text_bytes(number, sizeof number, size));
        bool lower = sp_value_known(effective) && effective.value < size;
        capacity_line(out, size, words, sp_origin_dash(SP_STATED), sp_value_known(effective) && !lower);
        if (sp_value_known(effective) && effective.value > 0) {
            snprintf(words, sizeof words, "L%.0f %s effective, %s", level,
                     sp_text_bytes(number, sizeof number, effective.value), sp_origin_name(effective.origin));
            capacity_line(out, effective.value, words, sp_origin_dash(effective.origin), lower);
        }
    }
}

/* What was counted, at the capacity of the last level: the curve beside it is the simulation. */
static void mark_measured(FILE *out, const struct sp_record *record)
{
    struct sp_value alpha = sp_record_metric(record, "alpha");
    const json_t *caches = sp_record_node(record, "machine.caches");
    const json_t *last = json_array_get(caches, json_array_size(caches) - 1);
    struct sp_value effective = sp_record_value_of(json_object_get(last, "effective_B"));
    double size = sp_value_known(effective) ? effective.value : sp_item_number(last, "size_B");
    if (!sp_value_known(alpha) || (alpha.origin != SP_MEASURED && alpha.origin != SP_CONSTRUCTED) ||
        !(size > 0))
        return;
    char text[96], number[32];
    snprintf(text, sizeof text, "%s %s", sp_origin_name(alpha.origin),
             sp_figure(number, sizeof number, alpha.value, 2));
    fputs("set label ", out);
    sp_script_string(out, text);
    fprintf(out,
            " at %.0f, first %.8g point pt 7 ps 1.1 lc rgb '" SP_BLUE
            "' left offset 1,1.2 font ',10' tc rgb '" SP_BLUE "' front\n",
            size, alpha.value);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    double lowest = INFINITY, highest = 0, most = 0, least = INFINITY;
    for (int k = 0; k < n; k++) {
        const json_t *points = sp_record_node(records[k], "curves.alpha_cache.points"), *point;
        size_t i;
        fprintf(out, "# capacity B, alpha\n$A%d << EOD\n", k);
        json_array_foreach(points, i, point)
        {
            double bytes = sp_item_number(point, "capacity_B"), alpha = sp_item_number(point, "alpha");
            if (!(bytes > 0) || !isfinite(alpha))
                continue;
            fprintf(out, "%.8g %.8g\n", bytes, alpha);
            lowest = fmin(lowest, bytes);
            highest = fmax(highest, bytes);
            most = fmax(most, alpha);
            least = fmin(least, alpha);
        }
        fputs("EOD\n", out);
    }
    bool wide = least > 0 && most > 30 * least; /* then only a logarithm shows the low end */
    if (term != SP_TERM_TXT)                    /* a larger cache has what the largest of the curve has */
        highest = fmax(highest, largest_cache(records[0]));
    sp_script_title(out, records[0], n > 1 ? "caches of" : "");
    fprintf(out,
            "set logscale x 2; set xlabel \"cache size%s; set ylabel 'alpha = bytes of x / (s_x n_nz r)'\n"
            "set xrange [%.8g:%.8g]\n",
            term == SP_TERM_TXT ? "\"" : SP_ROOM_FOR_KEY, lowest / 1.2, highest * 1.2);
    if (wide)
        fprintf(out, "set logscale y; set yrange [%.6g:%.6g]\n", least / 1.5, most * 1.5);
    else
        fprintf(out, "set yrange [0:%.6g]\n", most * 1.12);
    fputs("set xtics (", out);
    bool first = true;
    for (int power = 10; power < 50; power += 2) {
        double b = ldexp(1, power);
        if (b < lowest / 1.2 || b > highest * 1.2)
            continue;
        int unit = b >= 0x1p40 ? 4 : b >= 0x1p30 ? 3 : b >= 0x1p20 ? 2 : 1;
        fprintf(out, "%s'%g %ciB' %.0f", first ? "" : ", ", b / pow(1024, unit), "BKMGT"[unit], b);
        first = false;
    }
    fputs(")\n", out);
    if (term != SP_TERM_TXT)
        mark_caches(out, records[0]);
    if (n == 1 && term != SP_TERM_TXT)
        mark_measured(out, records[0]);
    struct sp_value minimum = sp_record_metric(records[0], "alpha_min");
    if (n == 1 && sp_value_known(minimum)) {
        char text[96], number[32];
        snprintf(text, sizeof text, "x loaded once %s %s", sp_figure(number, sizeof number, minimum.value, 2),
                 sp_origin_name(minimum.origin));
        fprintf(
            out,
            "set arrow from graph 0, first %.8g to graph 1, first %.8g nohead dt %d lw 1.2 lc rgb '" SP_BLUE
            "' back\nset label ",
            minimum.value, minimum.value, sp_origin_dash(minimum.origin));
        sp_script_string(out, text);
        fprintf(out, " at graph 0.01, first %.8g left offset 0,0.7 font ',10' tc rgb '" SP_BLUE "'\n",
                minimum.value);
    }
    fputs("set key bmargin center horizontal\nplot ", out);
    for (int k = 0; k < n; k++) {
        char name[256], text[320];
        double error;
        const char *origin = sp_words_text(records[k], "curves.alpha_cache.origin", "of unknown origin");
        char margin[64] = "";
        if (sp_record_number(records[k], "curves.alpha_cache.error", &error) && error > 0)
            snprintf(margin, sizeof margin, ", error at most %.1f %%", 100 * error);
        snprintf(text, sizeof text, "%s%s%s%s",
                 n > 1 ? sp_script_name(name, sizeof name, records[k]) : "alpha", ", ", origin, margin);
        /* Circles on some of the points alone: of hundreds they would be a band. */
        const size_t n_points = json_array_size(sp_record_node(records[k], "curves.alpha_cache.points"));
        fprintf(out, "%s$A%d using 1:2 with linespoints pt 6 ps 0.7 pi %d lw 2 dt 1 lc rgb '%s' title ",
                k ? ", \\\n    " : "", k, (int)(n_points / 24) + 1, sp_series_color(k));
        sp_script_string(out, text);
    }
    fputc('\n', out);
}

static const char *lacks(const struct sp_record *record)
{
    return json_array_size(sp_record_node(record, "curves.alpha_cache.points")) > 1
               ? NULL
               : "alpha over cache size (curves.alpha_cache)";
}

const struct sp_plot_kind sp_plot_alpha = {
    "alpha",
    "traffic of x over cache size, with this machine's caches",
    6,
    820,
    480,
    lacks,
    write_script,
    110,
    34,
};
