#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

static const char *const colors[SP_N_LOSS_ROWS] = {SP_BLUE,   SP_CYAN, SP_YELLOW, "#aa9922",
                                                   SP_PURPLE, SP_RED,  SP_GREY};

bool sp_losses_known(const struct sp_record *record)
{
    struct sp_value time = sp_record_metric(record, "time");
    double x;
    return sp_value_known(time) && time.value > 0 && sp_record_loss(record, 0, &x);
}

/* " simulated": the word before the colon of the loss's origin, where it is one of ours. */
static void origin_word(const struct sp_record *record, int i, char *text, size_t size)
{
    char path[64], word[32];
    snprintf(path, sizeof path, "losses_origin.%s", sp_loss_words[i].key);
    const char *origin = sp_words_text(record, path, "");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(origin, ": "), origin);
    /* The rest mixes them all. */
    bool known = sp_origin_from_name(word) != SP_NONE && i != SP_N_LOSS_ROWS - 1;
    snprintf(text, size, "%s%s", known ? " " : "", known ? word : "");
}

/* A waterfall: each loss starts where the one before it ended, so that the last ends at the measured time. */
static void waterfall(const struct sp_record *record, FILE *out)
{
    struct sp_value time = sp_record_metric(record, "time");
    struct sp_scale scale = sp_scale_of_seconds(time.value);
    double x, at = 0, most = time.value, least = 0;
    int row = 0;
    int decimals = sp_figure_decimals(time.value / scale.factor, 3);
    char percent[32], word[40], text[128];
    fputs("# start, end, row, colour, words, figure\n$L << EOD\n", out);
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        if (!sp_record_loss(record, i, &x) ||
            (fabs(x) < 0.005 * time.value && i != 0 && i != SP_N_LOSS_ROWS - 1))
            continue;
        origin_word(record, i, word, sizeof word);
        snprintf(text, sizeof text, "%s%.*f %s  %s%s", x < 0 ? "−" : "", decimals, fabs(x) / scale.factor,
                 scale.prefix, sp_figure_percent(percent, sizeof percent, x / time.value), word);
        fprintf(out, "%.8g %.8g %d 0x%s \"%s\" \"%s\"\n", at / scale.factor, (at + x) / scale.factor, row++,
                colors[i] + 1, sp_loss_words[i].words, text);
        at += x;
        most = fmax(most, at);
        least = fmin(least, at);
    }
    snprintf(text, sizeof text, "%.*f %s  measured", decimals, time.value / scale.factor, scale.prefix);
    fprintf(out, "0 %.8g %d 0x%s \"in all\" \"%s\"\nEOD\n", time.value / scale.factor, row++, &SP_INK[1],
            text);
    fprintf(out,
            "set xrange [%.6g:%.6g]; set yrange [%g:-0.6]\n"
            "set xlabel 'time of one execution, %s'; unset ylabel\n"
            "set format x '%%g'; set xtics autofreq; unset key\n"
            "set style fill solid 0.85 noborder\n",
            fmin(0, 1.05 * least) / scale.factor, 2.0 * most / scale.factor, row - 0.4, scale.prefix);
    fputs("plot $L using (($1 + $2) / 2):3:1:2:($3 - 0.32):($3 + 0.32):4:ytic(5) with boxxyerror lc rgb "
          "variable notitle, \\\n"
          "    $L using 2:($3 + 0.32):(0):(0.36) every ::::(|$L| - 3) with vectors nohead lw 0.8 lc rgb "
          "'" SP_GREY "' notitle, \\\n"
          "    $L using ($1 > $2 ? $1 : $2):3:6 with labels left offset char 0.7,0 tc rgb '" SP_INK
          "' notitle\n",
          out);
}

/* What the margin has room for: the middle of a long name goes. */
static void shorten(char *name)
{
    enum { MOST = 31, HALF = 14 };
    size_t n = strlen(name);
    if (n <= MOST)
        return;
    memmove(name + HALF + 3, name + n - HALF, HALF + 1);
    memcpy(name + HALF, "...", 3);
}

/* Several records: one stacked bar each, named or numbered as in the key of the roofline; a negative rest is
 * drawn back over the end of its bar. */
static void stacks(const struct sp_record *const *records, int n, bool names, FILE *out)
{
    double longest = 0, x;
    for (int k = 0; k < n; k++)
        if (sp_losses_known(records[k]))
            longest = fmax(longest, sp_record_metric(records[k], "time").value);
    struct sp_scale scale = sp_scale_of_seconds(longest);
    fputs("# start, end, row, colour\n$L << EOD\n", out);
    for (int k = 0; k < n; k++) {
        double at = 0;
        for (int i = 0; i < SP_N_LOSS_ROWS && sp_losses_known(records[k]); i++) {
            if (!sp_record_loss(records[k], i, &x))
                continue;
            fprintf(out, "%.8g %.8g %d 0x%s\n", at / scale.factor, (at + x) / scale.factor, k, colors[i] + 1);
            at += x;
        }
    }
    fputs("EOD\nset ytics (", out);
    for (int k = 0; k < n; k++) {
        char name[256], number[16];
        shorten(sp_script_name(name, sizeof name, records[k]));
        fputs(k ? ", " : "", out);
        snprintf(number, sizeof number, "%d", k + 1);
        sp_script_string(out, names ? name : number);
        fprintf(out, " %d", k);
    }
    fprintf(
        out,
        ")\nset ytics font ',9'; set xrange [0:%.6g]; set yrange [%g:-0.6]\n"
        "set xlabel 'time of one execution, %s'; unset ylabel\n"
        "set format x '%%g'; set xtics autofreq; set key bmargin center vertical maxrows 4 samplen 1 font "
        "',9'\n"
        "set style fill solid 0.85 noborder\n",
        1.08 * longest / scale.factor, n - 0.4, scale.prefix);
    fputs("plot $L using (($1 + $2) / 2):3:1:2:($3 - 0.32):($3 + 0.32):4 with boxxyerror lc rgb variable "
          "notitle",
          out);
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        fprintf(out, ", \\\n    keyentry with boxes lc rgb '%s' title ", colors[i]);
        sp_script_string(out, sp_loss_words[i].words);
    }
    fputc('\n', out);
}

void sp_losses_panel(const struct sp_record *const *records, int n, struct sp_panel panel, const char *title,
                     FILE *out)
{
    fprintf(out,
            "unset logscale; unset label; unset object; unset grid\n"
            "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
            "screen %g\n"
            "set border 1 lc rgb '" SP_GREY "' lw 1\nset xtics out nomirror offset 0,0\n"
            "set ytics scale 0 out offset 0,0\nset title ",
            panel.left, panel.right, n == 1 ? panel.bottom : panel.bottom + 0.17, panel.top);
    sp_script_string(out, title);
    fputc('\n', out);
    if (n == 1)
        waterfall(records[0], out);
    else
        stacks(records, n, panel.right - panel.left > 0.5, out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    char name[256], title[320];
    snprintf(title, sizeof title, "where the time goes   %s",
             n == 1 ? sp_script_name(name, sizeof name, records[0]) : "");
    struct sp_panel panel = {n == 1 ? 0.21 : 0.27, 0.97, 0.19, 0.88};
    if (term == SP_TERM_TXT)
        panel = (struct sp_panel){0.25, 0.97, 0.15, 0.92};
    sp_losses_panel(records, n, panel, title, out);
}

static const char *lacks(const struct sp_record *record)
{
    return sp_losses_known(record) ? NULL : "a measured time with losses";
}

const struct sp_plot_kind sp_plot_losses = {
    "losses",     "where the time goes, from the minimum traffic to the signed rest",
    12,           820,
    400,          lacks,
    write_script, 110,
    34,
};
