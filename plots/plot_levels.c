/* The two-level roofline of a GPU: the ways in which its threads can share a kernel's work, each
 * with a point for each level at flop per byte of that level, joined at the rate that the model
 * predicts. The level whose point lies on its own roof is what takes the time. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "plots/levels_frame.h"
#include "plots/places.h"
#include "plots/plot.h"
#include "plots/script.h"

enum { WIDTH = 1240, HEIGHT = 620, LINES = 34, KEY_EM = 33 };
/* Margins of the panel of text in columns and lines; below it the lines of the key follow. */
enum { TEXT_LEFT = 10, TEXT_RIGHT = 2, TEXT_BELOW = 6, TEXT_ABOVE = 1 };
static const struct sp_panel close_up = {0.074, 0.68, 0.105, 0.92, WIDTH, 10},
                             whole = {0.745, 0.985, 0.105, 0.35, WIDTH, 8};

static const struct {
    const char *words;
    int hollow, filled;       /* types of points */
    char mark, measured_mark; /* in text; 0: not drawn there */
} levels[SP_N_WAY_LEVELS] = {{"sectors of the L1", 8, 9, 0, 0},
                             {"bytes of the L2", 4, 5, 'x', 'X'},
                             {"bytes of DRAM", 6, 7, 'o', 'O'}};

/* Where a label stands and how it looks; as text neither angle nor size nor colour. */
struct style {
    enum sp_word side;
    double angle;    /* [degrees] */
    int size, color; /* size 0: text */
};

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

static void write_frame(struct sp_script *out, const struct sp_levels_picture *p)
{
    sp_put(out, "set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\n", p->x_min, p->x_max, p->y_min, p->y_max);
    sp_script_round_tics(out, SP_X, p->x_min, p->x_max);
    sp_script_round_tics(out, SP_Y, p->y_min, p->y_max);
}

static void put_label(struct sp_script *out, const char *text, double x, double y, struct style s)
{
    sp_put_text(out, sp_quote("%s", text), "set label %t at first %.6g,%.6g %w", x, y, s.side);
    if (s.angle > 0)
        sp_put(out, " rotate by %.1f", s.angle);
    if (s.size > 0)
        sp_put(out, " font ',%d' tc rgb %c", s.size, s.color);
    sp_put(out, " front\n");
}

static const struct {
    int color;
    size_t offset; /* of its roof in a picture */
} roofs[SP_N_WAY_LEVELS] = {{SP_INDIGO, offsetof(struct sp_levels_picture, L1)},
                            {SP_CYAN, offsetof(struct sp_levels_picture, L2)},
                            {SP_BLUE, offsetof(struct sp_levels_picture, memory)}};

static const struct sp_level_roof *roof_of(const struct sp_levels_picture *p, int level)
{
    return (const struct sp_level_roof *)((const char *)p + roofs[level].offset);
}

/* In text beside the line at its upper end, that of the L2 a line higher, both in the middle of
 * their line: halves may fall together. The L1 is not drawn. */
static void label_as_text(struct sp_script *out, const struct sp_levels_picture *p,
                          const struct sp_level_roof *r, int line)
{
    char text[256];
    if (!(r->rate > 0))
        return;
    sp_level_roof_text(r, text, sizeof text);
    const double y = p->y_max * pow(10, -(line + 1) / p->y_px), x = y / r->rate;
    const bool fits = log10(x / p->x_min) * p->x_px > (double)strlen(text);
    put_label(out, text, x * pow(10, (fits ? -1.5 : 1.5) / p->x_px), y,
              (struct style){.side = fits ? SP_RIGHT : SP_LEFT});
}

/* Along the line, from its upper end, where it meets nothing; its name alone if need be. */
static void label_bandwidth(struct sp_script *out, const struct sp_levels_picture *p, int level,
                            struct sp_places *places)
{
    enum { STEPS = 16, FONT = 10 };
    const struct sp_level_roof *r = roof_of(p, level);
    const double turn = atan2(p->y_px, p->x_px);
    char text[256];
    if (!(r->rate > 0))
        return;
    sp_level_roof_text(r, text, sizeof text);
    const double x0 = fmax(0, log10(p->y_min / r->rate / p->x_min) * p->x_px),
                 x1 = fmin(places->width, log10(p->y_max / r->rate / p->x_min) * p->x_px),
                 y1 = log10(r->rate * p->x_min / p->y_min) * p->y_px + x1 * tan(turn),
                 length = (x1 - x0) / cos(turn);
    struct sp_box choice[2 * STEPS];
    for (int brief = 0; brief < 2; brief++) {
        if (brief)
            sp_words_roof(text, sizeof text, r->item);
        const double width = FONT * sp_text_em(text) + 4;
        int n = 0;
        for (int side = 1; side >= -1; side -= 2)
            for (int i = 0; i < STEPS && width < length - 8; i++) {
                const double back = 4 + width / 2 + i * (length - 8 - width) / (STEPS - 1), off = 9.5 * side;
                choice[n++] = (struct sp_box){x1 - back * cos(turn) - off * sin(turn),
                                              y1 - back * sin(turn) + off * cos(turn), width, FONT + 4, turn};
            }
        const int best = sp_places_choose(places, choice, n, SP_BY_TEXT);
        if (best < 0)
            continue;
        put_label(out, text, p->x_min * pow(10, choice[best].x / p->x_px),
                  p->y_min * pow(10, choice[best].y / p->y_px),
                  (struct style){SP_CENTER, turn * 180 / M_PI, FONT, roofs[level].color});
        return;
    }
}

static void bandwidth_clause(struct sp_script *out, const struct sp_levels_picture *p,
                             const struct sp_level_roof *r, int color)
{
    if (!(r->rate > 0))
        return;
    sp_put(out, SP_NEXT);
    if (p->peak.rate > 0)
        sp_put(out, "%.6g * x > %.6g ? NaN : ", r->rate, p->peak.rate);
    sp_put(out, "%.6g * x with lines lt 1 lw 2 dt %d lc rgb %c notitle", r->rate,
           sp_origin_dash(sp_record_value_of(r->item).origin), color);
}

static void roof_clauses(struct sp_script *out, const struct sp_levels_picture *p)
{
    const double widest = fmax(p->memory.rate, fmax(p->L1.rate, p->L2.rate));
    sp_put(out, "plot NaN notitle");
    for (int level = SP_N_WAY_LEVELS; level-- > (p->text ? 1 : 0);)
        bandwidth_clause(out, p, roof_of(p, level), roofs[level].color);
    if (p->peak.rate > 0 && !p->text)
        sp_put(out, SP_NEXT "x < %.6g ? NaN : %.6g with lines lt 1 lw 2 dt %d lc rgb %c notitle",
               p->peak.rate / widest, p->peak.rate, sp_origin_dash(sp_record_value_of(p->peak.item).origin),
               SP_INK);
}

/* In text the L2's to the left, memory's to the right. */
static void name_as_text(struct sp_script *out, const struct sp_levels_picture *p)
{
    for (int level = SP_WAY_L2; level <= SP_WAY_MEM; level++) {
        struct sp_point_group group[SP_MOST_WAYS_DRAWN];
        const int n = sp_levels_group(p, level, group), across = level == SP_WAY_L2 ? -1 : 1;
        for (int i = 0; i < n; i++) {
            const double x = (across > 0 ? group[i].hi : group[i].lo) + across;
            put_label(out, group[i].text, pow(10, x / p->x_px), pow(10, group[i].y / p->y_px),
                      (struct style){.side = across > 0 ? SP_LEFT : SP_RIGHT});
        }
    }
}

/* The lines and points, which names keep clear of [px]. */
static void take_lines(const struct sp_levels_picture *p, struct sp_places *places)
{
    for (int level = 0; level < SP_N_WAY_LEVELS; level++) {
        const double rate = roof_of(p, level)->rate;
        if (rate > 0)
            sp_places_take_line(places, 0, log10(rate * p->x_min / p->y_min) * p->y_px, places->width,
                                log10(rate * p->x_max / p->y_min) * p->y_px);
    }
    for (int i = 0; i < p->n; i++) {
        const double y = log10(p->way[i].y / p->y_min) * p->y_px;
        double lo, hi;
        sp_levels_ends(p, &p->way[i], &lo, &hi);
        sp_places_take_line(places, log10(lo / p->x_min) * p->x_px, y, log10(hi / p->x_min) * p->x_px, y);
        for (int k = 0; k < SP_N_WAY_LEVELS; k++)
            if (sp_levels_draws(p, &p->way[i], k))
                sp_places_take(places,
                               (struct sp_box){log10(p->way[i].at[k].x / p->x_min) * p->x_px, y, 12, 12, 0},
                               SP_BY_POINT);
    }
}

/* The L1's below their points, the L2's above, memory's to the right, where that is free. */
static void name_points(struct sp_script *out, const struct sp_levels_picture *p, struct sp_places *places)
{
    static const struct {
        double across, up;
    } ways[SP_N_WAY_LEVELS][8] = {
        {{0, -1}, {1, -1}, {-1, -1}, {0, 1}, {-1, 1}, {1, 1}, {-1, 0}, {1, 0}},
        {{0, 1}, {-1, 1}, {1, 1}, {0, -1}, {-1, -1}, {1, -1}, {-1, 0}, {1, 0}},
        {{1, -1}, {1, 1}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, 0}, {-1, 0}},
    };
    for (int level = 0; level < SP_N_WAY_LEVELS; level++) {
        struct sp_point_group group[SP_MOST_WAYS_DRAWN];
        const int n = sp_levels_group(p, level, group);
        for (int i = 0; i < n; i++) {
            const struct sp_point_group *g = &group[i];
            const double width = 10 * sp_text_em(g->text) + 8, spread = (g->hi - g->lo) / 2,
                         x = (g->hi + g->lo) / 2 - log10(p->x_min) * p->x_px,
                         y = g->y - log10(p->y_min) * p->y_px;
            struct sp_box choice[24];
            for (int k = 0; k < 24; k++) {
                const int far = k / 8;
                const double across = ways[level][k % 8].across, up = ways[level][k % 8].up;
                choice[k] = (struct sp_box){x + across * (spread + width / 2 + (up != 0 ? 3 : 10)),
                                            y + up * (14 + 11 * far), width, 12, 0};
            }
            const int best = sp_places_choose(places, choice, 24, SP_BY_TEXT);
            if (best >= 0)
                put_label(out, g->text, p->x_min * pow(10, choice[best].x / p->x_px),
                          p->y_min * pow(10, choice[best].y / p->y_px),
                          (struct style){SP_CENTER, 0, 10, SP_INK});
        }
    }
}

/* Intervals of the rate at the last level alone: at the others they would lie under the numbers. */
static void write_points(struct sp_script *out, const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct sp_gpu_way_drawn *w = &p->way[i];
        int last = 0;
        for (int k = 0; k < SP_N_WAY_LEVELS; k++)
            last = sp_levels_draws(p, w, k) ? k : last;
        sp_put(out, "# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, level\n$W%d << EOD\n", i);
        for (int k = 0; k <= last; k++)
            if (sp_levels_draws(p, w, k))
                sp_put(out, "%.8g %.8g %.8g %.8g %.8g %.8g %d\n", w->at[k].x, w->at[k].lo, w->at[k].hi, w->y,
                       k == last ? w->y_lo : w->y, k == last ? w->y_hi : w->y, k);
        sp_put(out, "EOD\n");
    }
}

static void point_clauses(struct sp_script *out, const struct sp_levels_picture *p, double size)
{
    for (int i = 0; i < p->n; i++) {
        const int color = sp_series(i).color;
        sp_put(out,
               SP_NEXT "$W%d using 1:4 with lines lt 1 lw 1 lc rgb %c notitle" SP_NEXT
                       "$W%d using 1:4:2:3:5:6 with xyerrorbars lt 1 pt 7 ps 0.1 lw 1 lc rgb %c notitle",
               i, color, i, color);
        for (int k = 0; k < SP_N_WAY_LEVELS; k++)
            sp_put(out,
                   SP_NEXT
                   "$W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps %g lc rgb %c notitle" SP_NEXT
                   "$W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps %g lw 1.5 lc rgb %c notitle",
                   i, k, levels[k].filled, size, p->way[i].measured ? color : SP_WHITE, i, k,
                   levels[k].hollow, size, color);
    }
}

/* A line of the key that explains, without a sample. */
static void key_remark(struct sp_script *out, const char *text)
{
    sp_put_text(out, sp_quote("%s", text), SP_NEXT "keyentry with points pt 0 lc rgb %c title %t", SP_WHITE);
}

static void key_entries(struct sp_script *out, const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++)
        sp_put_text(out, sp_quote_within(KEY_EM, SP_TERM_SVG, "%d  %s", p->way[i].number, p->way[i].text),
                    SP_NEXT "keyentry with lines lt 1 lw 2 lc rgb %c title %t", sp_series(i).color);
    for (int k = 0; k < SP_N_WAY_LEVELS; k++)
        if (has_level(p, k))
            sp_put_text(out, sp_quote("%s", levels[k].words),
                        SP_NEXT "keyentry with points pt %d ps 1 lw 1.5 lc rgb %c title %t", levels[k].hollow,
                        SP_INK);
    if (!has_level(p, SP_WAY_MEM))
        key_remark(out, "no bytes come from DRAM");
    for (int k = 0; k < SP_N_WAY_LEVELS; k++)
        if (has_level(p, k) && !(roof_of(p, k)->rate > 0))
            key_remark(out, k == SP_WAY_L1 ? "no roof of the L1 is known" : "no roof of the L2 is known");
    key_remark(out, "bars: how far the bytes are uncertain");
    key_remark(out, "the level whose point is on its roof takes the time");
    if (any_measured(p))
        sp_put(out, SP_NEXT "keyentry with points pt 7 ps 1 lc rgb %c title 'filled: measured rate'", SP_INK);
}

static void write_title(const struct sp_record *record, enum sp_image term, struct sp_script *out)
{
    const bool invented = strcmp(sp_words_text(record, SP_F_STATUS, ""), "constructed") == 0;
    sp_put_text(
        out,
        sp_quote_within(
            term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 62, term, "%s   %s  %s/%s  %s   levels of %s%s",
            sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"),
            sp_words_op(sp_words_text(record, SP_F_CONFIG_OP, "spmv")),
            sp_words_text(record, SP_F_CONFIG_PRECISION, "?"), sp_words_text(record, SP_F_CONFIG_INDEX, "?"),
            sp_words_text(record, SP_F_CONFIG_CACHE, "warm"),
            sp_words_text(record, SP_F_MACHINE_NAME, "unnamed machine"), invented ? "   (constructed)" : ""),
        "set title %t\n");
}

static void place(struct sp_script *out, struct sp_panel panel)
{
    sp_put(out,
           "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
           "screen %g\n",
           panel.left, panel.right, panel.bottom, panel.top);
}

static void frame_panel(struct sp_levels_picture *p, struct sp_panel panel, bool with_peak)
{
    sp_levels_set_frame(p, with_peak, (panel.right - panel.left) * WIDTH,
                        (panel.top - panel.bottom) * HEIGHT);
}

/* Values at the points. */
static void hover(struct sp_script *out, const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++)
        sp_put_text(out, sp_quote_value("%d  %s", p->way[i].number, p->way[i].text),
                    SP_NEXT "$W%d using 1:4:(%t.sprintf('; %%.3g flop for each byte of the ', $1).($7 == 0 ? "
                            "'L1' : $7 == 1 ? 'L2' : 'DRAM'))" SP_HOVER,
                    i);
}

/* The points with their numbers; beside them the key, and the whole roofline up to the peak. */
static void draw_picture(struct sp_script *out, struct sp_levels_picture *p, enum sp_image term)
{
    char text[256];
    write_points(out, p);
    sp_put(out, "set multiplot\n");
    place(out, close_up);
    frame_panel(p, close_up, false);
    write_frame(out, p);
    sp_put(out, "set key at screen %g,%g left top Left reverse font ',10'\n", close_up.right + 0.015,
           close_up.top);
    struct sp_places places = {.width = (close_up.right - close_up.left) * WIDTH,
                               .height = (close_up.top - close_up.bottom) * HEIGHT};
    take_lines(p, &places);
    name_points(out, p, &places);
    for (int level = SP_N_WAY_LEVELS; level-- > 0;)
        label_bandwidth(out, p, level, &places);
    roof_clauses(out, p);
    point_clauses(out, p, 1);
    if (term == SP_TERM_SVG)
        hover(out, p);
    key_entries(out, p);
    sp_put(out, "\nunset label; unset key; unset title; unset xlabel; unset ylabel\nset tics font ',8'\n");
    place(out, whole);
    frame_panel(p, whole, true);
    write_frame(out, p);
    if (p->peak.rate > 0)
        put_label(out, sp_level_roof_text(&p->peak, text, sizeof text), p->x_max * 0.97,
                  p->peak.rate * pow(10, 9 / p->y_px), (struct style){SP_RIGHT, 0, 8, SP_INK});
    roof_clauses(out, p);
    point_clauses(out, p, 0.5);
    sp_put(out, "\nunset multiplot\n");
}

/* gnuplot's text terminal draws lines as arrows, and has no hollow points. */
static void draw_lines_as_text(struct sp_script *out, const struct sp_levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct sp_gpu_way_drawn *w = &p->way[i];
        double lo, hi;
        sp_levels_ends(p, w, &lo, &hi);
        if (hi > lo)
            sp_put(out, "set arrow from first %.6g,%.6g to first %.6g,%.6g nohead\n", lo, w->y, hi, w->y);
        for (int k = 0; k < SP_N_WAY_LEVELS; k++) {
            const char mark[] = {w->measured ? levels[k].measured_mark : levels[k].mark, '\0'};
            if (sp_levels_draws(p, w, k))
                put_label(out, mark, w->at[k].x, w->y, (struct style){.side = SP_CENTER});
        }
    }
}

/* Below the axis the ways, and what the marks mean. */
static void key_as_text(struct sp_script *out, const struct sp_levels_picture *p)
{
    char peak[200];
    for (int i = 0; i < p->n; i++)
        sp_put_text(
            out,
            sp_quote_within(SP_TEXT_COLUMNS - 3, SP_TERM_TXT, "%d  %s", p->way[i].number, p->way[i].text),
            "set label %t at character 1,%d\n", p->n + 2 - i);
    sp_put_text(out,
                sp_quote("x %s, %s%s%s", levels[SP_WAY_L2].words, has_level(p, SP_WAY_MEM) ? "o " : "no ",
                         levels[SP_WAY_MEM].words, any_measured(p) ? "; X, O: measured" : ""),
                "set label %t at character 1,2\n");
    sp_put(out, "set label 'lines reach as far as they are uncertain; a point on its roof takes the time' at "
                "character 1,1\n");
    if (p->peak.rate > 0)
        sp_put_text(out,
                    sp_quote_within(SP_TEXT_COLUMNS - 3, SP_TERM_TXT, "above: %s",
                                    sp_level_roof_text(&p->peak, peak, sizeof peak)),
                    "set label %t at character 1,0\n");
}

static void draw_text(struct sp_script *out, struct sp_levels_picture *p)
{
    const int n_lines = p->n;
    sp_levels_set_frame(p, false, SP_TEXT_COLUMNS - 1 - TEXT_LEFT - TEXT_RIGHT,
                        LINES - 1 - TEXT_ABOVE - TEXT_BELOW - n_lines);
    write_frame(out, p);
    sp_put(out, "set key off; set lmargin %d; set rmargin %d; set bmargin %d; set tmargin %d\n", TEXT_LEFT,
           TEXT_RIGHT, TEXT_BELOW + n_lines, TEXT_ABOVE);
    label_as_text(out, p, &p->L2, 0);
    label_as_text(out, p, &p->memory, 1);
    draw_lines_as_text(out, p);
    name_as_text(out, p);
    key_as_text(out, p);
    roof_clauses(out, p);
    sp_put(out, "\n");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_image term,
                         struct sp_script *out)
{
    (void)n;
    struct sp_levels_picture p = {.record = records[0],
                                  .memory = sp_level_roof_of(records[0], "MEM"),
                                  .L2 = sp_level_roof_of(records[0], "L2"),
                                  .L1 = sp_level_roof_of(records[0], "L1"),
                                  .peak = sp_level_roof_of(records[0], "core"),
                                  .text = term == SP_TERM_TXT};
    p.n = sp_gpu_ways_read(records[0], p.way);
    write_title(p.record, term, out);
    sp_put(out,
           "set logscale xy; set samples %d\n"
           "set xlabel 'intensity, flop for each byte of the level'; set ylabel 'Gflop/s'\n",
           p.text ? 2000 : 400);
    if (p.text)
        draw_text(out, &p);
    else
        draw_picture(out, &p, term);
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack no_roof = {"a bandwidth of memory", SP_F_ROOFS};
    static const struct sp_lack no_ways = {"predictions of each level of a GPU", SP_F_GPU_WAYS};
    struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN];
    if (!(sp_level_roof_of(record, "MEM").rate > 0))
        return &no_roof;
    return sp_gpu_ways_read(record, way) > 0 ? NULL : &no_ways;
}

const struct sp_plot_kind sp_plot_levels = {
    "levels",     "levels of a GPU: each way to share the work, under its roofs", 1, WIDTH, HEIGHT, lacks,
    write_script,

    LINES,
};
