#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "plots/script.h"

enum { WIDTH = 820 };
static const double names_em = 15.5; /* of records, beside the bars */

static const int colors[SP_N_LOSS_ROWS] = {SP_BLUE, SP_CYAN, SP_YELLOW, 0xaa9922, SP_PURPLE, SP_RED, SP_GREY};

bool sp_losses_known(const struct sp_record *record)
{
    struct sp_value time = sp_record_metric(record, "time");
    double x;
    return sp_value_known(time) && time.value > 0 && sp_record_loss(record, 0, &x);
}

/* "simulated": the word before the colon of the loss's origin, where it is one of ours. */
static const char *origin_word(const struct sp_record *record, int i)
{
    char path[64], word[32];
    snprintf(path, sizeof path, "losses_origin.%s", sp_loss_words[i].key);
    const char *origin = sp_words_text(record, path, "");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(origin, ": "), origin);
    const enum sp_origin known = sp_origin_from_name(word);
    const bool is_rest = i == SP_N_LOSS_ROWS - 1; /* mixes them all */
    return known != SP_NONE && !is_rest ? sp_origin_name(known) : "";
}

/* A bar of the waterfall: its words beside the axis, its figure beside its end. */
struct bar {
    double from, to; /* [s] */
    int color;
    const char *words;
    struct sp_quoted figure;
};

/* The figures stand in a column beside the axis, which so ends where the bars do. */
static void name_bars(const struct bar *bar, int n, struct sp_panel panel, enum sp_term term,
                      struct sp_script *out)
{
    double widest = 0;
    sp_script_tics(out, SP_Y);
    for (int row = 0; row < n; row++) {
        sp_script_tic(out, sp_quote("%s", bar[row].words), row);
        widest = fmax(widest, sp_text_width(bar[row].figure, term));
    }
    sp_put(out, ") font ',%d'\nset rmargin at screen %g\n", panel.font,
           panel.right - (widest * (term == SP_TERM_TXT ? 1 : panel.font) + 2) / panel.px);
    for (int row = 0; row < n; row++)
        sp_put_text(out, bar[row].figure,
                    "set label %t at graph 1, first %d left offset char %g,0 font ',%d' tc rgb %c front\n",
                    row, term == SP_TERM_TXT ? 1.5 : 0.7, panel.font, SP_INK);
}

/* A title of its own for each bar. */
static void hover(const struct bar *bar, int n, double factor, struct sp_script *out)
{
    for (int row = 0; row < n; row++)
        sp_put_text(out,
                    sp_quote_value("%s: %.*s", bar[row].words, (int)strlen(bar[row].figure.text) - 2,
                                   bar[row].figure.text + 1),
                    "set label %t at %.8g,%d hypertext point pt 5 ps 3 lc rgb '#ffffffff'\n",
                    (bar[row].from + bar[row].to) / 2 / factor, row);
}

/* A waterfall: each loss starts where the one before it ended, so that the last ends at the measured time. */
static void waterfall(const struct sp_record *record, struct sp_panel panel, enum sp_term term,
                      struct sp_script *out)
{
    struct sp_value time = sp_record_metric(record, "time");
    struct sp_scale scale = sp_scale_of_seconds(time.value);
    double x, at = 0, most = time.value, least = 0;
    int n = 0;
    int decimals = sp_figure_decimals(time.value / scale.factor, 3);
    char percent[32];
    struct bar bar[SP_N_LOSS_ROWS + 1];
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        if (!sp_record_loss(record, i, &x) ||
            (fabs(x) < 0.005 * time.value && i != 0 && i != SP_N_LOSS_ROWS - 1))
            continue;
        const char *origin = origin_word(record, i);
        bar[n++] = (struct bar){
            at, at + x, colors[i], sp_loss_words[i].words,
            sp_quote("%s%.*f %s  %s%s%s", x < 0 ? "−" : "", decimals, fabs(x) / scale.factor, scale.prefix,
                     sp_figure_percent(percent, sizeof percent, x / time.value), *origin ? " " : "", origin)};
        at += x;
        most = fmax(most, at);
        least = fmin(least, at);
    }
    bar[n++] = (struct bar){0, time.value, SP_INK, "in all",
                            sp_quote("%.*f %s  measured", decimals, time.value / scale.factor, scale.prefix)};
    sp_put(out, "# start, end, row, colour\n$L << EOD\n");
    for (int row = 0; row < n; row++)
        sp_put(out, "%.8g %.8g %d %x\n", bar[row].from / scale.factor, bar[row].to / scale.factor, row,
               bar[row].color);
    sp_put_text(out, sp_quote("time of one execution, %s", scale.prefix),
                "EOD\nset xrange [%.6g:%.6g]; set yrange [%g:-0.6]\n"
                "set xlabel %t; unset ylabel\n"
                "set format x '%%g'; set xtics %g; unset key\n"
                "set style fill solid 0.85 noborder\n",
                fmin(0, 1.05 * least) / scale.factor, 1.03 * most / scale.factor, n - 0.4,
                sp_nice_step((most - least) / scale.factor, 5));
    name_bars(bar, n, panel, term, out);
    if (term == SP_TERM_SVG)
        hover(bar, n, scale.factor, out);
    sp_put(out,
           "plot $L using (($1 + $2) / 2):3:1:2:($3 - 0.32):($3 + 0.32):4 with boxxyerror lc rgb variable "
           "notitle" SP_NEXT "$L using 2:($3 + 0.32):(0):(0.36) every ::::(|$L| - 3) with vectors nohead lw "
           "0.8 lc rgb %c notitle\n",
           SP_GREY);
}

static void hover_stacks(const struct sp_record *const *records, int n, struct sp_scale scale,
                         struct sp_script *out)
{
    char name[256], percent[32];
    double x;
    for (int k = 0; k < n; k++) {
        const double time = sp_record_metric(records[k], "time").value;
        double at = 0;
        for (int i = 0; i < SP_N_LOSS_ROWS && sp_losses_known(records[k]); i++) {
            if (!sp_record_loss(records[k], i, &x))
                continue;
            sp_put_text(out,
                        sp_quote_value("%s, %s: %.3g %s  %s", sp_script_name(name, sizeof name, records[k]),
                                       sp_loss_words[i].words, x / scale.factor, scale.prefix,
                                       sp_figure_percent(percent, sizeof percent, x / time)),
                        "set label %t at %.8g,%d hypertext point pt 5 ps 2 lc rgb '#ffffffff'\n",
                        (at + x / 2) / scale.factor, k);
            at += x;
        }
    }
}

/* Several records: one stacked bar each, named or numbered as in the key of the roofline; a negative rest is
 * drawn back over the end of its bar. */
static void stacks(const struct sp_record *const *records, int n, bool names, enum sp_term term,
                   struct sp_script *out)
{
    double longest = 0, x;
    for (int k = 0; k < n; k++)
        if (sp_losses_known(records[k]))
            longest = fmax(longest, sp_record_metric(records[k], "time").value);
    struct sp_scale scale = sp_scale_of_seconds(longest);
    sp_put(out, "# start, end, row, colour\n$L << EOD\n");
    for (int k = 0; k < n; k++) {
        double at = 0;
        for (int i = 0; i < SP_N_LOSS_ROWS && sp_losses_known(records[k]); i++) {
            if (!sp_record_loss(records[k], i, &x))
                continue;
            sp_put(out, "%.8g %.8g %d %x\n", at / scale.factor, (at + x) / scale.factor, k, colors[i]);
            at += x;
        }
    }
    sp_put(out, "EOD\n");
    if (term == SP_TERM_SVG)
        hover_stacks(records, n, scale, out);
    sp_script_tics(out, SP_Y);
    for (int k = 0; k < n; k++) {
        char name[256];
        sp_script_name(name, sizeof name, records[k]);
        sp_script_tic(out, names ? sp_quote_within(names_em, term, "%s", name) : sp_quote("%d", k + 1), k);
    }
    sp_put_text(out, sp_quote("time of one execution, %s", scale.prefix),
                ")\nset ytics font ',9'; set xrange [0:%.6g]; set yrange [%g:-0.6]\n"
                "set xlabel %t; unset ylabel\n"
                "set format x '%%g'; set xtics %g\n"
                "set key bmargin center vertical maxrows 4 samplen 1 font ',9'\n"
                "set style fill solid 0.85 noborder\n",
                1.03 * longest / scale.factor, n - 0.4, sp_nice_step(longest / scale.factor, 5));
    sp_put(out, "plot $L using (($1 + $2) / 2):3:1:2:($3 - 0.32):($3 + 0.32):4 with boxxyerror lc rgb "
                "variable notitle");
    for (int i = 0; i < SP_N_LOSS_ROWS; i++)
        sp_put_text(out, sp_quote("%s", sp_loss_words[i].words),
                    SP_NEXT "keyentry with boxes lc rgb %c title %t", colors[i]);
    sp_put(out, "\n");
}

void sp_losses_panel(const struct sp_record *const *records, int n, struct sp_panel panel,
                     struct sp_quoted title, enum sp_term term, struct sp_script *out)
{
    sp_put_text(out, title,
                "unset logscale; unset label; unset object; unset grid\n"
                "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin "
                "at screen %g\n"
                "set border 1 lc rgb %c lw 1\nset xtics out nomirror offset 0,0\n"
                "set ytics scale 0 out offset 0,0\nset title %t\n",
                panel.left, panel.right, n == 1 ? panel.bottom : panel.bottom + 0.17, panel.top, SP_GREY);
    if (n == 1)
        waterfall(records[0], panel, term, out);
    else
        stacks(records, n, panel.right - panel.left > 0.5, term, out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
                         struct sp_script *out)
{
    char name[256];
    const bool text = term == SP_TERM_TXT;
    struct sp_panel panel = {n == 1 ? 0.2 : 0.27, 0.985, 0.17, 0.88, WIDTH, 13};
    if (text)
        panel = (struct sp_panel){0.25, 0.97, 0.15, 0.92, SP_TEXT_COLUMNS, 1};
    sp_losses_panel(records, n, panel,
                    sp_quote_within(text ? 70 : 50, term, "where the time goes   %s",
                                    n == 1 ? sp_script_name(name, sizeof name, records[0]) : ""),
                    term, out);
}

static const char *lacks(const struct sp_record *record)
{
    return sp_losses_known(record) ? NULL : "a measured time with losses";
}

const struct sp_plot_kind sp_plot_losses = {
    "losses",     "where the time goes, from the minimum traffic to the signed rest",
    12,           WIDTH,
    400,          lacks,
    write_script, 30,
};
