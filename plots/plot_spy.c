#include <math.h>

#include "base/text.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

/* Tics that name rows and columns of the matrix on a grid of cells. */
static void write_tics(FILE *out, char axis, double cells, double length)
{
    double step = fmax(sp_nice_step(length, 5), 1);
    fprintf(out, "set %ctics (", axis);
    char number[32];
    for (int i = 0; i * step <= length && i < 32; i++)
        fprintf(out, "%s'%s' %.6g", i ? ", " : "", sp_text_count(number, sizeof number, (int64_t)(i * step)),
                i * step / length * cells - 0.5);
    fputs(")\n", out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
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
    fputs("# column of cells, row of cells, entries\n$S << EOD\n", out);
    json_array_foreach(counts, i, count)
    {
        double entries = json_number_value(count);
        int row = (int)(i / (size_t)cols), col = (int)(i % (size_t)cols);
        if (entries > 0)
            fprintf(out, "%d %d %.6g\n", col, row, entries);
        most = fmax(most, entries);
    }
    fputs("EOD\n", out);
    sp_script_title(out, record, "");
    write_tics(out, 'x', cols, n_c);
    write_tics(out, 'y', rows, n_r);
    fprintf(out,
            "set xrange [-0.5:%g]; set yrange [%g:-0.5]; set xlabel 'column'; set ylabel 'row'; unset key; "
            "unset grid\n"
            "set border 15 lc rgb '" SP_GREY "' lw 1\n",
            cols - 0.5, rows - 0.5);
    if (term == SP_TERM_TXT) {
        fputs("plot $S using 1:2 with points pt '#' notitle\n", out);
        return;
    }
    char height[32], width[32];
    fprintf(out,
            "set size ratio %.4g\nset logscale cb; set cbrange [1:%.6g]; set palette defined (0 '#c6dbef', "
            "0.5 '#4477aa', 1 '#0b2a4a')\n"
            "set cblabel 'entries in a cell of %s x %s' tc rgb '" SP_INK
            "'\nset style fill solid 1 noborder\n"
            "plot $S using 1:2:($1 - 0.53):($1 + 0.53):($2 - 0.53):($2 + 0.53):3 with boxxyerror lc palette "
            "notitle\n",
            fmin(fmax(n_r / n_c, 0.25), 4), fmax(most, 2),
            sp_text_count(height, sizeof height, (int64_t)ceil(n_r / rows)),
            sp_text_count(width, sizeof width, (int64_t)ceil(n_c / cols)));
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
    "spy", "where the nonzeros lie", 1, 700, 620, lacks, write_script, 110, 34,
};
