#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record_losses.h"
#include "plots/plot.h"
#include "plots/script.h"

enum { WIDTH = 820 };
static const double names_em = 15.5; /* of records, beside the bars */

/* Colours and words of the rows, in their order. */
static const struct {
    const char *cause, *words;
    int color;
} looks[] = {{"min_traffic", "minimum traffic", SP_BLUE},
             {"padding", "padding", SP_CYAN},
             {"in_core", "in-core execution", SP_RED},
             {"extra_x", "extra x traffic", SP_YELLOW},
             {"extra_x_domains", "x in several caches", 0xaa9922},
             {"imbalance", "load imbalance", SP_PURPLE},
             {"waiting", "waiting for gathers", 0xee9988},
             {"row_ends", "mispredicted row ends", 0x993344},
             {"team", "start of the team", 0xcc99bb},
             {"rest", "not explained", SP_GREY}};
enum { N_LOOKS = sizeof looks / sizeof *looks };
static const double DRAWN = 0.0005; /* shares that are large enough to be seen */

static int look_of(const struct sp_verdict_row *row)
{
    int i = 0;
    while (i < N_LOOKS - 1 && strcmp(looks[i].cause, row->cause) != 0)
        i++;
    return i;
}

bool sp_losses_known(const struct sp_record *record)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    return sp_verdict_rows(record, row) > 0;
}

/* A bar of the waterfall: its words beside the axis, its figure beside its end. */
struct bar {
    double from, to; /* [s] */
    int color;
    struct sp_quoted words, figure;
};

/* The figures stand in a column beside the axis, which so ends where the bars do. */
static void name_bars(const struct bar *bar, int n, struct sp_panel panel, enum sp_image term,
                      struct sp_script *out)
{
    double widest = 0;
    sp_script_tics(out, SP_Y);
    for (int row = 0; row < n; row++) {
        sp_script_tic(out, bar[row].words, row);
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
                    sp_quote_value("%.*s: %.*s", (int)strlen(bar[row].words.text) - 2,
                                   bar[row].words.text + 1, (int)strlen(bar[row].figure.text) - 2,
                                   bar[row].figure.text + 1),
                    "set label %t at %.8g,%d hypertext point pt 5 ps 3 lc rgb '#ffffffff'\n",
                    (bar[row].from + bar[row].to) / 2 / factor, row);
}

/* A waterfall: each loss starts where the one before ended; the last ends at the measured time. */
static void waterfall(const struct sp_record *record, struct sp_panel panel, enum sp_image term,
                      struct sp_script *out)
{
    struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    struct sp_scale scale = sp_scale_of_seconds(time.value);
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n_rows = sp_verdict_rows(record, row);
    double at = 0, most = time.value, least = 0;
    int n = 0;
    int decimals = sp_figure_decimals(time.value / scale.factor, 3);
    char percent[32];
    struct bar bar[SP_VERDICT_ROWS + 1];
    for (int i = 0; i < n_rows; i++) {
        const double x = row[i].share * time.value;
        if (fabs(row[i].share) < 0.005 && i != 0 && i != n_rows - 1)
            continue;
        bar[n++] =
            (struct bar){at, at + x, looks[look_of(&row[i])].color, sp_quote("%s", row[i].words),
                         sp_quote("%s%.*f %s  %s %s", x < 0 ? "−" : "", decimals, fabs(x) / scale.factor,
                                  scale.prefix, sp_figure_percent(percent, sizeof percent, row[i].share),
                                  sp_loss_origin_word(row[i].how))};
        at += x;
        most = fmax(most, at);
        least = fmin(least, at);
    }
    bar[n++] = (struct bar){0, time.value, SP_INK, sp_quote("in all"),
                            sp_quote("%.*f %s  measured", decimals, time.value / scale.factor, scale.prefix)};
    sp_put(out, "# start, end, row, colour\n$L << EOD\n");
    for (int i = 0; i < n; i++)
        sp_put(out, "%.8g %.8g %d %x\n", bar[i].from / scale.factor, bar[i].to / scale.factor, i,
               bar[i].color);
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
    for (int k = 0; k < n; k++) {
        struct sp_verdict_row row[SP_VERDICT_ROWS];
        const int n_rows = sp_verdict_rows(records[k], row);
        const double time = sp_record_value(records[k], SP_F_METRICS_TIME).value;
        double at = 0;
        for (int i = 0; i < n_rows; i++) {
            const double x = row[i].share * time;
            sp_put_text(out,
                        sp_quote_value("%s, %s: %.3g %s  %s", sp_script_name(name, sizeof name, records[k]),
                                       row[i].words, x / scale.factor, scale.prefix,
                                       sp_figure_percent(percent, sizeof percent, row[i].share)),
                        "set label %t at %.8g,%d hypertext point pt 5 ps 2 lc rgb '#ffffffff'\n",
                        (at + x / 2) / scale.factor, k);
            at += x;
        }
    }
}

/* Letters of the key in the parts that have the room, so that nobody needs to tell colours; on the
 * colour of the page, which is the other one in the dark. */
static void letter_stacks(const struct sp_record *const *records, int n, const char letter[N_LOOKS],
                          double least_s, struct sp_scale scale, enum sp_image term, struct sp_script *out)
{
    if (term != SP_TERM_TXT)
        sp_put(out, "set style textbox opaque noborder fillcolor rgb %c margins 0.8,0.4\n", SP_WHITE);
    for (int k = 0; k < n; k++) {
        struct sp_verdict_row row[SP_VERDICT_ROWS];
        const int n_rows = sp_verdict_rows(records[k], row);
        double at = 0;
        for (int i = 0; i < n_rows; i++) {
            const double x = row[i].share * sp_record_value(records[k], SP_F_METRICS_TIME).value;
            at += x;
            if (x < least_s)
                continue;
            sp_put_text(out, sp_quote("%c", letter[look_of(&row[i])]),
                        "set label %t at %.8g,%d center front font ',9' tc rgb %c",
                        (at - x / 2) / scale.factor, k, SP_INK);
            if (term == SP_TERM_TXT)
                sp_put(out, "\n");
            else
                sp_put(out, " boxed\n");
        }
    }
}

/* What the key says of a look: on GPUs execution has the name of the term that binds it, and what
 * nothing hides is no team's. */
static char *words_of(const struct sp_record *const *records, int n, int look, char *text, size_t size)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    char words[sizeof row->words] = "";
    bool others = false;
    const bool varies = strcmp(looks[look].cause, "in_core") == 0 || strcmp(looks[look].cause, "team") == 0;
    for (int k = 0; k < n && varies; k++) {
        const int n_rows = sp_verdict_rows(records[k], row);
        for (int i = 0; i < n_rows; i++)
            if (look_of(&row[i]) == look && fabs(row[i].share) >= DRAWN) {
                others = others || (*words && strcmp(words, row[i].words) != 0);
                if (!*words)
                    snprintf(words, sizeof words, "%s", row[i].words);
            }
    }
    snprintf(text, size, "%s%s", *words ? words : looks[look].words, others ? " and others" : "");
    return text;
}

/* Several records: one stacked bar each, named or numbered as in the key of the roofline; a
 * negative rest is drawn back over the end of its bar. */
static void stacks(const struct sp_record *const *records, int n, struct sp_panel panel, enum sp_image term,
                   struct sp_script *out)
{
    const bool names = panel.right - panel.left > 0.5;
    const double room = term == SP_TERM_TXT ? 3 : 14; /* of a letter, in pixels or columns */
    char letter[N_LOOKS] = "", words[128];
    double longest = 0;
    bool is_drawn[N_LOOKS] = {false};
    int n_drawn = 0;
    for (int k = 0; k < n; k++)
        if (sp_losses_known(records[k]))
            longest = fmax(longest, sp_record_value(records[k], SP_F_METRICS_TIME).value);
    struct sp_scale scale = sp_scale_of_seconds(longest);
    sp_put(out, "# start, end, row, colour\n$L << EOD\n");
    for (int k = 0; k < n; k++) {
        struct sp_verdict_row row[SP_VERDICT_ROWS];
        const int n_rows = sp_verdict_rows(records[k], row);
        double at = 0;
        for (int i = 0; i < n_rows; i++) {
            const double x = row[i].share * sp_record_value(records[k], SP_F_METRICS_TIME).value;
            const int look = look_of(&row[i]);
            sp_put(out, "%.8g %.8g %d %x\n", at / scale.factor, (at + x) / scale.factor, k,
                   looks[look].color);
            at += x;
            if (fabs(row[i].share) >= DRAWN && !is_drawn[look])
                is_drawn[look] = n_drawn++ >= 0;
        }
    }
    sp_put(out, "EOD\n");
    for (int i = 0, drawn = 0; i < N_LOOKS; i++)
        letter[i] = (char)('a' + (is_drawn[i] ? drawn++ : 0));
    letter_stacks(records, n, letter, 1.03 * longest * room / (panel.px * (panel.right - panel.left)), scale,
                  term, out);
    for (int k = 0; k < n; k++)
        if (!sp_losses_known(records[k]))
            sp_put(out, "set label 'not known' at graph 0.02, first %d left font ',9' tc rgb %c\n", k,
                   SP_INK);
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
                "set key bmargin center vertical maxrows %d samplen 1 font ',9'\n"
                "set style fill solid 0.85 noborder\n",
                1.03 * longest / scale.factor, n - 0.4, sp_nice_step(longest / scale.factor, 5),
                n_drawn > 8 ? 5 : 4);
    sp_put(out,
           "plot $L using (($1 + $2) / 2):3:1:2:($3 - 0.32):($3 + 0.32):4 with boxxyerror lc rgb variable "
           "notitle");
    for (int i = 0; i < N_LOOKS; i++)
        if (is_drawn[i])
            sp_put_text(out, sp_quote("%c  %s", letter[i], words_of(records, n, i, words, sizeof words)),
                        SP_NEXT "keyentry with boxes lc rgb %c title %t", looks[i].color);
    sp_put(out, "\n");
}

void sp_losses_panel(const struct sp_record *const *records, int n, struct sp_panel panel,
                     struct sp_quoted title, enum sp_image term, struct sp_script *out)
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
        stacks(records, n, panel, term, out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_image term,
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

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack no_losses = {"losses that can be named", SP_F_NONE};
    return sp_losses_known(record) ? NULL : &no_losses;
}

const struct sp_plot_kind sp_plot_losses = {
    "losses",     "where the time goes, from the minimum traffic to the signed rest",
    12,           WIDTH,
    400,          lacks,
    write_script, 30,
};
