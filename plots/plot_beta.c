#include <math.h>
#include <string.h>

#include "base/text.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { MAX_STEPS = 64, WIDTH = 820, HEIGHT = 460, FONT = 13, LINES = 34 };
static const struct sp_panel cells = {0.1, 0.85, 0.15, 0.88, WIDTH, FONT};

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
static void write_tics(struct sp_script *out, enum sp_word axis, const double *v, int n, double px,
                       enum sp_term term)
{
    char number[32];
    const double unit = term == SP_TERM_TXT ? 1 : FONT;
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

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
                         struct sp_script *out)
{
    (void)n;
    const json_t *map = sp_record_node(records[0], "curves.beta_map"), *cell;
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
    const double column_px = (text ? SP_TEXT_COLUMNS - 14 : (cells.right - cells.left) * WIDTH) / n_sigma,
                 row_px = (text ? LINES - 8 : (cells.top - cells.bottom) * HEIGHT) / n_C;
    sp_script_title(out, records[0], "", text ? SP_TEXT_COLUMNS - 8 : 52, term);
    write_tics(out, SP_X, sigma, n_sigma, column_px, term);
    write_tics(out, SP_Y, C, n_C, row_px, term);
    sp_put(out,
           "set xrange [-0.5:%g]; set yrange [-0.5:%g]; set xlabel 'sigma, rows sorted together'; set "
           "ylabel 'C, rows in a chunk'\n",
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
    const char *format = sp_words_text(records[0], "config.format", "");
    if (sp_record_number(records[0], "config.C", &own_C) &&
        sp_record_number(records[0], "config.sigma", &own_sigma) && strncmp(format, "sell", 4) == 0) {
        int x = step_of(sigma, n_sigma, own_sigma), y = step_of(C, n_C, own_C);
        if (x >= 0 && y >= 0)
            sp_put(out, "set object 1 rectangle from %g,%g to %g,%g front fs empty border lc rgb %c lw 2.5\n",
                   x - 0.47, y - 0.47, x + 0.47, y + 0.47, SP_RED);
    }
    sp_put(out,
           "plot $M using 1:2:($1 - 0.48):($1 + 0.48):($2 - 0.48):($2 + 0.48):3 with boxxyerror lc palette "
           "notitle");
    const bool fits = column_px > 2.6 * FONT * 1.2 && row_px > 1.3 * FONT;
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

static const char *lacks(const struct sp_record *record)
{
    return json_array_size(sp_record_node(record, "curves.beta_map")) > 0
               ? NULL
               : "the map of beta over C and sigma (curves.beta_map)";
}

const struct sp_plot_kind sp_plot_beta = {
    "beta",
    "fill of SELL over chunk height C and sorting window sigma",
    1,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    LINES,
};
