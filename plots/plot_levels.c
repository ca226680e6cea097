/* The two-level roofline of a GPU: the ways in which its threads can share a kernel's work, each with a point
 * for each level at flop per byte of that level, joined at the rate that the model predicts. The level whose
 * point lies on its own roof is what takes the time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/levels_frame.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { WIDTH = 1240, HEIGHT = 620, COLUMNS = 98, LINES = 29 };
/* Margins of the panel of text in columns and lines; below it the lines of the key follow. */
enum { TEXT_LEFT = 10, TEXT_RIGHT = 2, TEXT_BELOW = 5, TEXT_ABOVE = 1 };
static const struct sp_panel close_up = {0.068, 0.68, 0.105, 0.92}, whole = {0.745, 0.985, 0.105, 0.35};

static const struct {
    const char *words;
    int hollow, filled;       /* types of points */
    char mark, measured_mark; /* in text; 0: not drawn there */
} levels[SP_N_WAY_LEVELS] = {{"sectors of the L1", 8, 9, 0, 0},
                             {"bytes of the L2", 4, 5, 'x', 'X'},
                             {"bytes of DRAM", 6, 7, 'o', 'O'}};

static bool has_level(const struct sp_levels_picture *p, int level)
{
    for (int i = 0; i < p->n; i++)
        if (sp_levels_draws(p, &p->way[i], level))
            return true;
    return false;
}

static bool any_measured(const struct sp_levels_picture *p)
{
    return p->n > 0 && p->way[p->n - 1].measured;
}

static bool any_as_from_memory(const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->way[i].as_from_memory)
            return true;
    return false;
}

/* Round numbers, the more of them the shorter the range. */
static void write_tics(FILE *out, char axis, double lo, double hi)
{
    static const double steps[] = {1, 2, 5, 10}, fine[] = {1, 1.5, 2, 3, 5, 7, 10};
    const double *step = hi / lo < 10 ? fine : steps;
    const char *before = "";
    fprintf(out, "set %ctics (", axis);
    double decade = sp_decade_below(lo);
    while (decade < hi) {
        for (int i = 0; step[i] < 10 && (i == 0 || hi / lo < 300); i++) {
            const double x = decade * step[i];
            if (x > lo * 0.999 && x < hi * 1.001) {
                fprintf(out, "%s'%g' %g", before, x, x);
                before = ", ";
            }
        }
        decade *= 10;
    }
    fputs(")\n", out);
}

static void write_frame(FILE *out, const struct sp_levels_picture *p)
{
    fprintf(out, "set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\n", p->x_min, p->x_max, p->y_min, p->y_max);
    write_tics(out, 'x', p->x_min, p->x_max);
    write_tics(out, 'y', p->y_min, p->y_max);
}

static void put_label(FILE *out, const char *text, double x, double y, const char *style)
{
    fputs("set label ", out);
    sp_script_string(out, text);
    fprintf(out, " at first %.6g,%.6g %s front\n", x, y, style);
}

/* Along the line at its upper end, above all points; in text beside it, that of
 * the L2 a line higher. */
static void label_bandwidth(FILE *out, const struct sp_levels_picture *p, const struct sp_level_roof *r,
                            int line, const char *color)
{
    char text[256], style[96];
    if (!(r->rate > 0))
        return;
    sp_level_roof_text(r, text, sizeof text);
    if (p->text) {
        const double y = p->y_max * pow(10, -(line + 0.5) / p->y_px), x = y / r->rate;
        const bool fits = log10(x / p->x_min) * p->x_px > (double)strlen(text);
        put_label(out, text, x * pow(10, (fits ? -1.5 : 1.5) / p->x_px), y, fits ? "right" : "left");
        return;
    }
    const double y = 0.93 * p->y_max, angle = atan2(p->y_px, p->x_px);
    snprintf(style, sizeof style, "right rotate by %.1f font ',10' tc rgb '%s'", angle * 180 / M_PI, color);
    put_label(out, text, y / r->rate * pow(10, -9 * sin(angle) / p->x_px),
              y * pow(10, 9 * cos(angle) / p->y_px), style);
}

static void bandwidth_clause(FILE *out, const struct sp_levels_picture *p, const struct sp_level_roof *r,
                             const char *color)
{
    if (!(r->rate > 0))
        return;
    fputs(", \\\n    ", out);
    if (p->peak.rate > 0)
        fprintf(out, "%.6g * x > %.6g ? NaN : ", r->rate, p->peak.rate);
    fprintf(out, "%.6g * x with lines lt 1 lw 2 dt %d lc rgb '%s' notitle", r->rate,
            sp_origin_dash(sp_record_value_of(r->item).origin), color);
}

static void roof_clauses(FILE *out, const struct sp_levels_picture *p)
{
    const double widest = fmax(p->memory.rate, p->L2.rate);
    fputs("plot NaN notitle", out);
    bandwidth_clause(out, p, &p->memory, SP_BLUE);
    bandwidth_clause(out, p, &p->L2, SP_CYAN);
    if (p->peak.rate > 0 && !p->text)
        fprintf(out, ", \\\n    x < %.6g ? NaN : %.6g with lines lt 1 lw 2 dt %d lc rgb '" SP_INK "' notitle",
                p->peak.rate / widest, p->peak.rate, sp_origin_dash(sp_record_value_of(p->peak.item).origin));
}

/* The L1's below their points, the L2's above, memory's to the right, where no line is; in text the L2's to
 * the left. */
static void name_points(FILE *out, const struct sp_levels_picture *p)
{
    static const struct {
        double across, up; /* [px] from the middle, or from the end where the label is beside */
        bool beside;
        const char *picture, *text; /* styles */
    } places[SP_N_WAY_LEVELS] = {{0, -15, false, "center font ',10' tc rgb '" SP_INK "'", ""},
                                 {-1, 15, false, "center font ',10' tc rgb '" SP_INK "'", "right"},
                                 {1, -11, true, "left font ',10' tc rgb '" SP_INK "'", "left"}};
    for (int level = 0; level < SP_N_WAY_LEVELS; level++) {
        struct sp_point_group group[SP_MOST_WAYS_DRAWN];
        const int n = sp_levels_group(p, level, group);
        for (int i = 0; i < n; i++) {
            const struct sp_point_group *g = &group[i];
            const double across = places[level].across * (p->text ? 1 : 8), end = across > 0 ? g->hi : g->lo;
            const double x = p->text || places[level].beside ? end + across : (g->lo + g->hi) / 2;
            put_label(out, g->text, pow(10, x / p->x_px),
                      pow(10, (g->y + (p->text ? 0 : places[level].up)) / p->y_px),
                      p->text ? places[level].text : places[level].picture);
        }
    }
}

/* Intervals of the rate at the last level alone: at the others they would lie under the numbers. */
static void write_points(FILE *out, const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct sp_gpu_way_drawn *w = &p->way[i];
        int last = 0;
        for (int k = 0; k < SP_N_WAY_LEVELS; k++)
            last = sp_levels_draws(p, w, k) ? k : last;
        fprintf(out, "# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, level\n$W%d << EOD\n", i);
        for (int k = 0; k <= last; k++)
            if (sp_levels_draws(p, w, k))
                fprintf(out, "%.8g %.8g %.8g %.8g %.8g %.8g %d\n", w->at[k].x, w->at[k].lo, w->at[k].hi, w->y,
                        k == last ? w->y_lo : w->y, k == last ? w->y_hi : w->y, k);
        fputs("EOD\n", out);
    }
}

static void point_clauses(FILE *out, const struct sp_levels_picture *p, double size)
{
    for (int i = 0; i < p->n; i++) {
        const char *color = sp_series_color(i);
        fprintf(out,
                ", \\\n    $W%d using 1:4 with lines lt 1 lw 1 lc rgb '%s' notitle"
                ", \\\n    $W%d using 1:4:2:3:5:6 with xyerrorbars lt 1 pt 7 ps 0.1 lw 1 lc rgb '%s' notitle",
                i, color, i, color);
        for (int k = 0; k < SP_N_WAY_LEVELS; k++)
            fprintf(out,
                    ", \\\n    $W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps %g lc rgb '%s' notitle"
                    ", \\\n    $W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps %g lw 1.5 lc rgb '%s' "
                    "notitle",
                    i, k, levels[k].filled, size, p->way[i].measured ? color : "#ffffff", i, k,
                    levels[k].hollow, size, color);
    }
}

static void key_entry(FILE *out, const char *style, const char *text)
{
    fprintf(out, ", \\\n    keyentry %s title ", style);
    sp_script_string(out, text);
}

static void key_entries(FILE *out, const struct sp_levels_picture *p)
{
    char text[200], style[96];
    for (int i = 0; i < p->n; i++) {
        snprintf(text, sizeof text, "%d  %s", p->way[i].number, p->way[i].text);
        snprintf(style, sizeof style, "with lines lt 1 lw 2 lc rgb '%s'", sp_series_color(i));
        key_entry(out, style, text);
    }
    for (int k = 0; k < SP_N_WAY_LEVELS; k++) {
        if (!has_level(p, k))
            continue;
        snprintf(style, sizeof style, "with points pt %d ps 1 lw 1.5 lc rgb '" SP_INK "'", levels[k].hollow);
        snprintf(text, sizeof text, "%s%s", levels[k].words,
                 k == SP_WAY_MEM && any_as_from_memory(p) ? ", as if they came from there" : "");
        key_entry(out, style, text);
    }
    if (!has_level(p, SP_WAY_MEM))
        key_entry(out, "with points pt 0 lc rgb '#ffffff'", "no bytes come from DRAM");
    key_entry(out, "with points pt 0 lc rgb '#ffffff'", "bars: how far the bytes are uncertain");
    key_entry(out, "with points pt 0 lc rgb '#ffffff'",
              "the level whose point is on its roof takes the time");
    if (any_measured(p))
        key_entry(out, "with points pt 7 ps 1 lc rgb '" SP_INK "'", "filled: measured rate");
}

static void write_title(const struct sp_record *record, FILE *out)
{
    char text[512];
    const bool invented = strcmp(sp_words_text(record, "status", ""), "constructed") == 0;
    snprintf(text, sizeof text, "%s   %s  %s/%s  %s   levels of %s%s",
             sp_words_text(record, "problem.name", "unnamed"),
             sp_words_op(sp_words_text(record, "config.op", "spmv")),
             sp_words_text(record, "config.precision", "?"), sp_words_text(record, "config.index", "?"),
             sp_words_text(record, "config.cache", "warm"),
             sp_words_text(record, "machine.name", "unnamed machine"), invented ? "   (constructed)" : "");
    fputs("set title ", out);
    sp_script_string(out, text);
    fputc('\n', out);
}

static void place(FILE *out, struct sp_panel panel)
{
    fprintf(out,
            "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
            "screen %g\n",
            panel.left, panel.right, panel.bottom, panel.top);
}

static void frame_panel(struct sp_levels_picture *p, struct sp_panel panel, bool with_peak)
{
    sp_levels_set_frame(p, with_peak, (panel.right - panel.left) * WIDTH,
                        (panel.top - panel.bottom) * HEIGHT);
}

/* The points from near with their numbers; beside them the key, and the whole roofline up to the peak. */
static void draw_picture(FILE *out, struct sp_levels_picture *p)
{
    char text[256];
    write_points(out, p);
    fputs("set multiplot\n", out);
    place(out, close_up);
    frame_panel(p, close_up, false);
    write_frame(out, p);
    fprintf(out, "set key at screen %g,%g left top Left reverse font ',10'\n", close_up.right + 0.015,
            close_up.top);
    label_bandwidth(out, p, &p->L2, 0, SP_CYAN);
    label_bandwidth(out, p, &p->memory, 1, SP_BLUE);
    name_points(out, p);
    roof_clauses(out, p);
    point_clauses(out, p, 1);
    key_entries(out, p);
    fputs("\nunset label; unset key; unset title; unset xlabel; unset ylabel\nset tics font ',8'\n", out);
    place(out, whole);
    frame_panel(p, whole, true);
    write_frame(out, p);
    if (p->peak.rate > 0)
        put_label(out, sp_level_roof_text(&p->peak, text, sizeof text), p->x_max * 0.97,
                  p->peak.rate * pow(10, 9 / p->y_px), "right font ',8' tc rgb '" SP_INK "'");
    roof_clauses(out, p);
    point_clauses(out, p, 0.5);
    fputs("\nunset multiplot\n", out);
}

/* gnuplot's text terminal draws lines as arrows, and has no hollow points. */
static void draw_lines_as_text(FILE *out, const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct sp_gpu_way_drawn *w = &p->way[i];
        double lo, hi;
        sp_levels_ends(p, w, &lo, &hi);
        if (hi > lo)
            fprintf(out, "set arrow from first %.6g,%.6g to first %.6g,%.6g nohead\n", lo, w->y, hi, w->y);
        for (int k = 0; k < SP_N_WAY_LEVELS; k++) {
            const char mark[] = {w->measured ? levels[k].measured_mark : levels[k].mark, '\0'};
            if (sp_levels_draws(p, w, k))
                put_label(out, mark, w->at[k].x, w->y, "center");
        }
    }
}

static void put_line(FILE *out, const char *text, int column, int line)
{
    fputs("set label ", out);
    sp_script_string(out, text);
    fprintf(out, " at character %d,%d\n", column, line);
}

/* Below the axis two ways on a line, and what the marks mean. */
static void key_as_text(FILE *out, const struct sp_levels_picture *p, int n_lines)
{
    char text[300], peak[200];
    for (int i = 0; i < p->n; i++) {
        snprintf(text, sizeof text, "%d  %s", p->way[i].number, p->way[i].text);
        put_line(out, text, i / n_lines ? COLUMNS / 2 : 1, n_lines + 1 - i % n_lines);
    }
    snprintf(text, sizeof text, "x %s, %s%s%s; lines reach as far as they are uncertain%s",
             levels[SP_WAY_L2].words, has_level(p, SP_WAY_MEM) ? "o " : "no ", levels[SP_WAY_MEM].words,
             any_as_from_memory(p) ? " as if from there" : "", any_measured(p) ? "; X, O: measured" : "");
    put_line(out, text, 1, 1);
    snprintf(text, sizeof text, "The level whose point is on its roof takes the time.%s%s",
             p->peak.rate > 0 ? " Above: " : "",
             p->peak.rate > 0 ? sp_level_roof_text(&p->peak, peak, sizeof peak) : "");
    put_line(out, text, 1, 0);
}

static void draw_text(FILE *out, struct sp_levels_picture *p)
{
    const int n_lines = (p->n + 1) / 2;
    sp_levels_set_frame(p, false, COLUMNS - 1 - TEXT_LEFT - TEXT_RIGHT,
                        LINES - 1 - TEXT_ABOVE - TEXT_BELOW - n_lines);
    write_frame(out, p);
    fprintf(out, "set key off; set lmargin %d; set rmargin %d; set bmargin %d; set tmargin %d\n", TEXT_LEFT,
            TEXT_RIGHT, TEXT_BELOW + n_lines, TEXT_ABOVE);
    label_bandwidth(out, p, &p->L2, 0, SP_CYAN);
    label_bandwidth(out, p, &p->memory, 1, SP_BLUE);
    draw_lines_as_text(out, p);
    name_points(out, p);
    key_as_text(out, p, n_lines);
    roof_clauses(out, p);
    fputc('\n', out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    (void)n;
    struct sp_levels_picture p = {.record = records[0],
                                  .memory = sp_level_roof_of(records[0], "MEM"),
                                  .L2 = sp_level_roof_of(records[0], "L2"),
                                  .peak = sp_level_roof_of(records[0], "core"),
                                  .text = term == SP_TERM_TXT};
    p.n = sp_gpu_ways_read(records[0], p.way);
    write_title(p.record, out);
    fprintf(out,
            "set logscale xy; set samples %d\n"
            "set xlabel 'intensity, flop for each byte of the level'; set ylabel 'Gflop/s'\n",
            p.text ? 2000 : 400);
    if (p.text)
        draw_text(out, &p);
    else
        draw_picture(out, &p);
}

static const char *lacks(const struct sp_record *record)
{
    struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN];
    if (!(sp_level_roof_of(record, "MEM").rate > 0))
        return "a bandwidth of memory (roofs)";
    return sp_gpu_ways_read(record, way) > 0 ? NULL
                                             : "predictions of each level of a GPU (gpu.ways with levels)";
}

const struct sp_plot_kind sp_plot_levels = {
    "levels",
    "levels of a GPU: each way to share the work, under its roofs",
    1,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    COLUMNS,
    LINES,
};
