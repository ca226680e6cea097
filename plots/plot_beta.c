#include <math.h>
#include <string.h>

#include "base/text.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { MAX_STEPS = 64 };

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

static void write_tics(FILE *out, char axis, const double *v, int n)
{
    fprintf(out, "set %ctics (", axis);
    for (int i = 0; i < n; i++) {
        char number[32];
        fprintf(out, "%s'%s' %d", i ? ", " : "", sp_text_count(number, sizeof number, (int64_t)v[i]), i);
    }
    fputs(") scale 0\n", out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
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
    fputs("# column (sigma), row (C), beta\n$M << EOD\n", out);
    json_array_foreach(map, i, cell)
    {
        int x = step_of(sigma, n_sigma, sp_item_number(cell, "sigma")),
            y = step_of(C, n_C, sp_item_number(cell, "C"));
        double beta = sp_item_number(cell, "beta");
        if (x < 0 || y < 0 || !isfinite(beta))
            continue;
        fprintf(out, "%d %d %.6g\n", x, y, beta);
        least = fmin(least, beta);
    }
    fputs("EOD\n", out);
    double from = fmin(0.9, floor(least * 10) / 10);
    sp_script_title(out, records[0], "");
    write_tics(out, 'x', sigma, n_sigma);
    write_tics(out, 'y', C, n_C);
    fprintf(out,
            "set xrange [-0.5:%g]; set yrange [-0.5:%g]; set xlabel 'sigma, rows sorted together'; set "
            "ylabel 'C, rows in a chunk'\n",
            n_sigma - 0.5, n_C - 0.5);
    if (term == SP_TERM_TXT) {
        fputs("unset key\nplot $M using 1:2:(sprintf('%.3f', $3)) with labels notitle\n", out);
        return;
    }
    fprintf(out,
            "unset grid; unset key; set border 0\n"
            "set palette defined (0 '#fde9d0', 0.5 '#7fb3d0', 1 '#1f4e79'); set cbrange [%g:1]; set cblabel "
            "'beta = nonzeros / stored entries, modelled' tc rgb '" SP_INK
            "'\nset colorbox user origin 0.90,0.16 size 0.02,0.70\nset rmargin at "
            "screen 0.88\nset style fill solid 1 noborder\n",
            from);
    double own_C, own_sigma;
    const char *format = sp_words_text(records[0], "config.format", "");
    if (sp_record_number(records[0], "config.C", &own_C) &&
        sp_record_number(records[0], "config.sigma", &own_sigma) && strncmp(format, "sell", 4) == 0) {
        int x = step_of(sigma, n_sigma, own_sigma), y = step_of(C, n_C, own_C);
        if (x >= 0 && y >= 0)
            fprintf(out,
                    "set object 1 rectangle from %g,%g to %g,%g front fs empty border lc rgb '" SP_RED
                    "' lw 2.5\n",
                    x - 0.47, y - 0.47, x + 0.47, y + 0.47);
    }
    fprintf(out,
            "plot $M using 1:2:($1 - 0.48):($1 + 0.48):($2 - 0.48):($2 + 0.48):3 with boxxyerror lc palette "
            "notitle, \\\n"
            "    $M using 1:($3 > %g ? $2 : NaN):(sprintf('%%.3f', $3)) with labels tc rgb '#ffffff' "
            "notitle, \\\n"
            "    $M using 1:($3 > %g ? NaN : $2):(sprintf('%%.3f', $3)) with labels tc rgb '" SP_INK
            "' notitle\n",
            from + 0.6 * (1 - from), from + 0.6 * (1 - from));
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
    820,
    460,
    lacks,
    write_script,
    110,
    34,
};
