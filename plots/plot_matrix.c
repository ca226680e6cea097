#include <math.h>
#include <string.h>

#include "base/text.h"
#include "plots/plot.h"
#include "plots/script.h"

enum { SPY_WIDTH = 720, SPY_HEIGHT = 620, SPY_LINES = 34, MOST_VALUES = 1500 };
/* Where the cells may lie; their own shape is the matrix's. */
static const struct sp_panel room = {0.18, 0.82, 0.14, 0.9, SPY_WIDTH, 13};

/* Tics that name rows and columns of the matrix on a grid of cells, `most` at most. */
static void spy_write_tics(struct sp_script *out, enum sp_word axis, double cells, double length, double most)
{
    double step = fmax(sp_nice_step(length, (int)fmin(fmax(most, 1), 5)), 1);
    char number[32];
    sp_script_tics(out, axis);
    for (int i = 0; i * step <= length && i < 32; i++)
        sp_script_tic(out, sp_quote("%s", sp_text_count(number, sizeof number, (int64_t)(i * step))),
                      i * step / length * cells - 0.5);
    sp_put(out, ")\n");
}

static void spy_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                             struct sp_script *out)
{
    (void)n;
    const struct sp_record *record = records[0];
    double rows = 1, cols = 1, n_r, n_c, most = 1;
    sp_record_number(record, SP_F_CURVES_SPY_ROWS, &rows);
    sp_record_number(record, SP_F_CURVES_SPY_COLS, &cols);
    if (!sp_record_number(record, SP_F_PROBLEM_ROWS, &n_r) || !(n_r >= 1))
        n_r = rows;
    if (!sp_record_number(record, SP_F_PROBLEM_COLS, &n_c) || !(n_c >= 1))
        n_c = cols;
    const json_t *counts = sp_record_node(record, SP_F_CURVES_SPY_COUNTS), *count;
    size_t i;
    int n_taken = 0;
    sp_put(out, "# column of cells, row of cells, entries\n$S << EOD\n");
    json_array_foreach(counts, i, count)
    {
        double entries = json_number_value(count);
        int row = (int)(i / (size_t)cols), col = (int)(i % (size_t)cols);
        if (entries > 0) {
            sp_put(out, "%d %d %.6g\n", col, row, entries);
            n_taken++;
        }
        most = fmax(most, entries);
    }
    sp_put(out, "EOD\n");
    const bool text = term == SP_TERM_TXT;
    const double ratio = fmin(fmax(n_r / n_c, 0.25), 4), width_px = (room.right - room.left) * SPY_WIDTH,
                 height_px = (room.top - room.bottom) * SPY_HEIGHT;
    sp_script_title(out, record, "", text ? SP_TEXT_COLUMNS - 8 : 50, term);
    const double across = fmin(width_px, height_px / ratio) / SPY_WIDTH,
                 up = fmin(height_px, width_px * ratio) / SPY_HEIGHT, middle = (room.left + room.right) / 2;
    spy_write_tics(out, SP_X, cols, n_c, text ? 4 : across * SPY_WIDTH / 110);
    spy_write_tics(out, SP_Y, rows, n_r, text ? 5 : up * SPY_HEIGHT / 40);
    sp_put(out,
           "set xrange [-0.5:%g]; set yrange [%g:-0.5]; set xlabel 'column'; unset key; unset grid\n"
           "set border 15 lc rgb %c lw 1\n",
           cols - 0.5, rows - 0.5, SP_GREY);
    if (text) {
        sp_put(out, "set ylabel 'row'\nplot $S using 1:2 with points pt '#' notitle\n");
        return;
    }
    char height[32], width[32];
    const double pad = cols > 32 && rows > 32 ? 0.53 : 0.5; /* small cells would show seams */
    sp_put_text(
        out,
        sp_quote("entries in a cell of %s x %s",
                 sp_text_count(height, sizeof height, (int64_t)ceil(n_r / rows)),
                 sp_text_count(width, sizeof width, (int64_t)ceil(n_c / cols))),
        "set logscale cb; set cbrange [1:%.6g]; set palette defined (0 '#c6dbef', 0.5 '#4477aa', 1 "
        "'#0b2a4a')\n"
        "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at screen "
        "%g\n"
        "set colorbox user origin 0.85,0.16 size 0.025,0.70; set format cb '%%g'\n"
        "set label %t at screen 0.975,0.51 center rotate by 90 tc rgb %c\n"
        "set label 'row' at screen 0.025,%g center rotate by 90 tc rgb %c\nset style fill solid 1 noborder\n"
        "plot $S using 1:2:($1 - %g):($1 + %g):($2 - %g):($2 + %g):3 with boxxyerror lc palette notitle",
        fmax(most, 2), middle - across / 2, middle + across / 2, room.top - up, room.top, SP_INK,
        room.top - up / 2, SP_INK, pad, pad, pad, pad);
    if (term == SP_TERM_SVG && n_taken <= MOST_VALUES)
        sp_put(out, SP_NEXT "$S using 1:2:(sprintf('%%g entries', $3))" SP_HOVER);
    sp_put(out, "\n");
}

static const struct sp_lack *spy_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_grid = {"counts of entries on a grid", SP_F_CURVES_SPY};
    int64_t rows, cols;
    const json_t *counts = sp_record_node(record, SP_F_CURVES_SPY_COUNTS);
    return sp_record_count(record, SP_F_CURVES_SPY_ROWS, &rows) &&
                   sp_record_count(record, SP_F_CURVES_SPY_COLS, &cols) && rows > 0 && cols > 0 &&
                   (int64_t)json_array_size(counts) == rows * cols
               ? NULL
               : &no_grid;
}

const struct sp_plot_kind sp_plot_spy = {
    "spy", "where the nonzeros lie", 1, SPY_WIDTH, SPY_HEIGHT, spy_lacks, spy_write_script, SPY_LINES,
};

enum { MAX_STEPS = 64, BETA_WIDTH = 820, BETA_HEIGHT = 460, BETA_FONT = 13, BETA_LINES = 34 };
static const struct sp_panel cells = {0.1, 0.85, 0.15, 0.88, BETA_WIDTH, BETA_FONT};

/* Adds x to the sorted distinct values v[*n]. */
static void add_step(double v[MAX_STEPS], int *n, double x)
{
    int at = 0;
    while (at < *n && v[at] < x)
        at++;
    if ((at < *n && v[at] == x) || *n == MAX_STEPS)
        return;
    for (int i = (*n)++; i > at; i--)
        v[i] = v[i - 1];
    v[at] = x;
}

static int step_of(const double v[MAX_STEPS], int n, double x)
{
    for (int i = 0; i < n; i++)
        if (v[i] == x)
            return i;
    return -1;
}

/* As many as have room: `px` for each step, along the axis. */
static void beta_write_tics(struct sp_script *out, enum sp_word axis, const double *v, int n, double px,
                            enum sp_image term)
{
    char number[32];
    const double unit = term == SP_TERM_TXT ? 1 : BETA_FONT;
    double widest = 1.5;
    for (int i = 0; i < n && axis == SP_X; i++)
        widest =
            fmax(widest, sp_text_width(sp_quote("%s", sp_text_whole(number, sizeof number, v[i])), term) + 1);
    const int step = (int)ceil(fmin(fmax(widest * unit / px, 1), MAX_STEPS));
    sp_script_tics(out, axis);
    for (int i = 0; i < n; i += step)
        sp_script_tic(out, sp_quote("%s", sp_text_whole(number, sizeof number, v[i])), i);
    sp_put(out, ") scale 0\n");
}

static void beta_write_script(const struct sp_record *const *records, int n, enum sp_image term,
                              struct sp_script *out)
{
    (void)n;
    const json_t *map = sp_record_node(records[0], SP_F_CURVES_BETA_MAP), *cell;
    double C[MAX_STEPS], sigma[MAX_STEPS], least = 1;
    int n_C = 0, n_sigma = 0;
    size_t i;
    json_array_foreach(map, i, cell)
    {
        add_step(C, &n_C, sp_item_number(cell, "C"));
        add_step(sigma, &n_sigma, sp_item_number(cell, "sigma"));
    }
    sp_put(out, "# column (sigma), row (C), beta, C, sigma\n$M << EOD\n");
    json_array_foreach(map, i, cell)
    {
        int x = step_of(sigma, n_sigma, sp_item_number(cell, "sigma")),
            y = step_of(C, n_C, sp_item_number(cell, "C"));
        double beta = sp_item_number(cell, "beta");
        if (x < 0 || y < 0 || !isfinite(beta))
            continue;
        sp_put(out, "%d %d %.6g %g %g\n", x, y, beta, C[y], sigma[x]);
        least = fmin(least, beta);
    }
    sp_put(out, "EOD\n");
    double from = fmin(0.9, floor(least * 10) / 10);
    const bool text = term == SP_TERM_TXT;
    const double column_px =
                     (text ? SP_TEXT_COLUMNS - 14 : (cells.right - cells.left) * BETA_WIDTH) / n_sigma,
                 row_px = (text ? BETA_LINES - 8 : (cells.top - cells.bottom) * BETA_HEIGHT) / n_C;
    sp_script_title(out, records[0], "", text ? SP_TEXT_COLUMNS - 8 : 52, term);
    beta_write_tics(out, SP_X, sigma, n_sigma, column_px, term);
    beta_write_tics(out, SP_Y, C, n_C, row_px, term);
    sp_put(out,
           "set xrange [-0.5:%g]; set yrange [-0.5:%g]; set xlabel 'sigma, rows sorted together'; set ylabel "
           "'C, rows in a chunk'\n",
           n_sigma - 0.5, n_C - 0.5);
    if (term == SP_TERM_TXT) {
        sp_put(out, "unset key\nplot $M using 1:2:(sprintf('%%.%df', $3)) with labels notitle\n",
               column_px > 6 ? 3 : 1);
        return;
    }
    sp_put(out,
           "unset grid; unset key; set border 0\n"
           "set palette defined (0 '#fde9d0', 0.5 '#7fb3d0', 1 '#1f4e79'); set cbrange [%g:1]\n"
           "set label 'beta = nonzeros / stored entries, modelled' at screen 0.982,0.51 center rotate by 90 "
           "tc rgb %c\n"
           "set colorbox user origin 0.88,0.16 size 0.02,0.70\n"
           "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
           "screen %g\n"
           "set style fill solid 1 noborder\n",
           from, SP_INK, cells.left, cells.right, cells.bottom, cells.top);
    double own_C, own_sigma;
    const char *format = sp_words_text(records[0], SP_F_CONFIG_FORMAT, "");
    if (sp_record_number(records[0], SP_F_CONFIG_C, &own_C) &&
        sp_record_number(records[0], SP_F_CONFIG_SIGMA, &own_sigma) && strncmp(format, "sell", 4) == 0) {
        int x = step_of(sigma, n_sigma, own_sigma), y = step_of(C, n_C, own_C);
        if (x >= 0 && y >= 0)
            sp_put(out, "set object 1 rectangle from %g,%g to %g,%g front fs empty border lc rgb %c lw 2.5\n",
                   x - 0.47, y - 0.47, x + 0.47, y + 0.47, SP_RED);
    }
    sp_put(out, "plot $M using 1:2:($1 - 0.48):($1 + 0.48):($2 - 0.48):($2 + 0.48):3 with boxxyerror lc "
                "palette notitle");
    const bool fits = column_px > 2.6 * BETA_FONT * 1.2 && row_px > 1.3 * BETA_FONT;
    if (fits)
        sp_put(out,
               SP_NEXT "$M using 1:($3 > %g ? $2 : NaN):(sprintf('%%.3f', $3)) with labels tc rgb '#ffffff' "
                       "notitle" SP_NEXT
                       "$M using 1:($3 > %g ? NaN : $2):(sprintf('%%.3f', $3)) with labels tc rgb %c notitle",
               from + 0.6 * (1 - from), from + 0.6 * (1 - from), SP_INK);
    if (term == SP_TERM_SVG)
        sp_put(out, SP_NEXT "$M using 1:2:(sprintf('C %%d, sigma %%d: beta %%.3f', $4, $5, $3))" SP_HOVER);
    sp_put(out, "\n");
}

static const struct sp_lack *beta_lacks(const struct sp_record *record)
{
    static const struct sp_lack no_map = {"the map of beta over C and sigma", SP_F_CURVES_BETA_MAP};
    return json_array_size(sp_record_node(record, SP_F_CURVES_BETA_MAP)) > 0 ? NULL : &no_map;
}

const struct sp_plot_kind sp_plot_beta = {
    "beta",
    "fill of SELL over chunk height C and sorting window sigma",
    1,
    BETA_WIDTH,
    BETA_HEIGHT,
    beta_lacks,
    beta_write_script,
    BETA_LINES,
};
