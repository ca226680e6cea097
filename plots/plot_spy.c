#include <math.h>

#include "base/text.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { WIDTH = 720, HEIGHT = 620, LINES = 34, MOST_VALUES = 1500 };
/* Where the cells may lie; their own shape is the matrix's. */
static const struct sp_panel room = {0.18, 0.82, 0.14, 0.9, WIDTH, 13};

/* Tics that name rows and columns of the matrix on a grid of cells, `most` at most. */
static void write_tics(struct sp_script *out, enum sp_word axis, double cells, double length, double most)
{
    double step = fmax(sp_nice_step(length, (int)fmin(fmax(most, 1), 5)), 1);
    char number[32];
    sp_script_tics(out, axis);
    for (int i = 0; i * step <= length && i < 32; i++)
        sp_script_tic(out, sp_quote("%s", sp_text_count(number, sizeof number, (int64_t)(i * step))),
                      i * step / length * cells - 0.5);
    sp_put(out, ")\n");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
                         struct sp_script *out)
{
    (void)n;
    const struct sp_record *record = records[0];
    double rows = 1, cols = 1, n_r, n_c, most = 1;
    sp_record_number(record, "curves.spy.rows", &rows);
    sp_record_number(record, "curves.spy.cols", &cols);
    if (!sp_record_number(record, "problem.rows", &n_r) || !(n_r >= 1))
        n_r = rows;
    if (!sp_record_number(record, "problem.cols", &n_c) || !(n_c >= 1))
        n_c = cols;
    const json_t *counts = sp_record_node(record, "curves.spy.counts"), *count;
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
    const double ratio = fmin(fmax(n_r / n_c, 0.25), 4), width_px = (room.right - room.left) * WIDTH,
                 height_px = (room.top - room.bottom) * HEIGHT;
    sp_script_title(out, record, "", text ? SP_TEXT_COLUMNS - 8 : 50, term);
    const double across = fmin(width_px, height_px / ratio) / WIDTH,
                 up = fmin(height_px, width_px * ratio) / HEIGHT, middle = (room.left + room.right) / 2;
    write_tics(out, SP_X, cols, n_c, text ? 4 : across * WIDTH / 110);
    write_tics(out, SP_Y, rows, n_r, text ? 5 : up * HEIGHT / 40);
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
        "set logscale cb; set cbrange [1:%.6g]; set palette defined (0 '#c6dbef', "
        "0.5 '#4477aa', 1 '#0b2a4a')\n"
        "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at screen "
        "%g\n"
        "set colorbox user origin 0.85,0.16 size 0.025,0.70; set format cb '%%g'\n"
        "set label %t at screen 0.975,0.51 center rotate by 90 tc rgb %c\n"
        "set label 'row' at screen 0.025,%g center rotate by 90 tc rgb %c\nset style fill solid 1 noborder\n"
        "plot $S using 1:2:($1 - %g):($1 + %g):($2 - %g):($2 + %g):3 with boxxyerror lc "
        "palette notitle",
        fmax(most, 2), middle - across / 2, middle + across / 2, room.top - up, room.top, SP_INK,
        room.top - up / 2, SP_INK, pad, pad, pad, pad);
    if (term == SP_TERM_SVG && n_taken <= MOST_VALUES)
        sp_put(out, SP_NEXT "$S using 1:2:(sprintf('%%g entries', $3))" SP_HOVER);
    sp_put(out, "\n");
}

static const char *lacks(const struct sp_record *record)
{
    int64_t rows, cols;
    const json_t *counts = sp_record_node(record, "curves.spy.counts");
    return sp_record_count(record, "curves.spy.rows", &rows) &&
                   sp_record_count(record, "curves.spy.cols", &cols) && rows > 0 && cols > 0 &&
                   (int64_t)json_array_size(counts) == rows * cols
               ? NULL
               : "counts of entries on a grid (curves.spy)";
}

const struct sp_plot_kind sp_plot_spy = {
    "spy", "where the nonzeros lie", 1, WIDTH, HEIGHT, lacks, write_script, LINES,
};
