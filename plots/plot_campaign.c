/* Many matrices with several configurations in one picture: performance, fraction of the roof and alpha over
 * the number of entries, and which hints fired how often. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/record/record_losses.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

/* More configurations than colours share the last place, "others"; rarer hints are left out and counted. */
enum { MOST_RUNS = SP_N_SERIES, MOST_HINTS = 10, N_METRICS = 3, WIDTH = 1100, HEIGHT = 780, LINES = 60 };
/* Of the picture: performance and fraction on the left, alpha and hints on the right; the key above all. */
static const struct sp_panel panels[N_METRICS + 1] = {{0.085, 0.485, 0.56, 0.87, WIDTH, 13},
                                                      {0.085, 0.485, 0.09, 0.4, WIDTH, 13},
                                                      {0.585, 0.985, 0.56, 0.87, WIDTH, 13},
                                                      {0.75, 0.97, 0.09, 0.4, WIDTH, 13}};

static const char *const metrics[N_METRICS] = {"performance", "bandwidth_fraction", "alpha"};

static const char *run_of(const struct sp_record *record)
{
    return sp_words_text(record, "campaign.run", sp_words_text(record, "config.format_option", "?"));
}

struct runs {
    int n;
    const char *name[MOST_RUNS];
};

static int index_of(const struct runs *runs, const char *name)
{
    for (int i = 0; i < runs->n; i++)
        if (strcmp(runs->name[i], name) == 0)
            return i;
    return runs->n == MOST_RUNS ? MOST_RUNS - 1 : -1;
}

static void collect_runs(const struct sp_record *const *records, int n, struct runs *runs)
{
    runs->n = 0;
    for (int i = 0; i < n; i++)
        if (index_of(runs, run_of(records[i])) < 0)
            runs->name[runs->n++] = run_of(records[i]);
    if (runs->n == MOST_RUNS) /* perhaps there are more */
        for (int i = 0; i < n; i++)
            if (strcmp(runs->name[MOST_RUNS - 1], run_of(records[i])) != 0 &&
                index_of(runs, run_of(records[i])) == MOST_RUNS - 1)
                runs->name[MOST_RUNS - 1] = "others";
}

/* Ranges of what is drawn. */
struct span {
    double nnz_lo, nnz_hi, rate_lo, rate_hi, fraction_hi, alpha_hi;
};

static double number_of_entries(const struct sp_record *record)
{
    int64_t n = 0;
    return sp_record_count(record, "problem.nnz", &n) ? (double)n : 0;
}

static void widen(struct span *s, const struct sp_record *record)
{
    const double nnz = number_of_entries(record);
    const struct sp_value p = sp_record_metric(record, "performance"),
                          f = sp_record_metric(record, "bandwidth_fraction"),
                          a = sp_record_metric(record, "alpha");
    s->nnz_lo = fmin(s->nnz_lo, nnz);
    s->nnz_hi = fmax(s->nnz_hi, nnz);
    s->rate_lo = fmin(s->rate_lo, p.value / 1e9);
    s->rate_hi = fmax(s->rate_hi, p.value / 1e9);
    s->fraction_hi = fmax(s->fraction_hi, sp_value_known(f) ? f.value : 0);
    s->alpha_hi = fmax(s->alpha_hi, sp_value_known(a) ? a.value : 0);
}

/* Block $Rk of run k: entries, and for each metric its value and whether it was measured. */
static void write_run(const struct sp_record *const *records, int n, const struct runs *runs, int k,
                      struct span *span, struct sp_script *out)
{
    sp_put(out,
           "# n_nz, Gflop/s, measured, fraction of the roof, measured, alpha, measured (? unknown)\n"
           "$R%d << EOD\n",
           k);
    for (int i = 0; i < n; i++) {
        if (index_of(runs, run_of(records[i])) != k)
            continue;
        sp_put(out, "%.0f", number_of_entries(records[i]));
        for (int m = 0; m < N_METRICS; m++) {
            const struct sp_value v = sp_record_metric(records[i], metrics[m]);
            if (sp_value_known(v))
                sp_put(out, " %.8g %d", m == 0 ? v.value / 1e9 : v.value, v.origin == SP_MEASURED);
            else
                sp_put(out, " ? 0");
        }
        sp_put(out, "\n");
        widen(span, records[i]);
    }
    sp_put(out, "EOD\n");
}

struct hint {
    char id[16], title[64];
    int n;
};

static int by_frequency(const void *a, const void *b)
{
    const struct hint *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->id, y->id);
}

/* Most frequent first; those that no place is left for are counted in *left_out. */
static int count_hints(const struct sp_record *const *records, int n, struct hint hints[64], int *left_out)
{
    int found = 0;
    *left_out = 0;
    for (int i = 0; i < n; i++) {
        const json_t *list = sp_record_node(records[i], "hints"), *one;
        size_t k;
        json_array_foreach(list, k, one)
        {
            const char *id = sp_item_text(one, "id"), *title = sp_item_text(one, "title");
            int at = 0;
            while (id && at < found && strcmp(hints[at].id, id) != 0)
                at++;
            if (!id || at == 64)
                continue;
            if (at == found) {
                snprintf(hints[at].id, sizeof hints[at].id, "%s", id);
                snprintf(hints[at].title, sizeof hints[at].title, "%s", title ? title : "");
                hints[found++].n = 0;
            }
            hints[at].n++;
        }
    }
    sp_sort_by(hints, found, sizeof *hints, by_frequency);
    if (found > MOST_HINTS)
        *left_out = found - MOST_HINTS;
    return found - *left_out;
}

static void place(int i, struct sp_script *out)
{
    sp_put(
        out,
        "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at screen "
        "%g\n",
        panels[i].left, panels[i].right, panels[i].bottom, panels[i].top);
}

/* Filled: measured; hollow: simulated or modelled. The key stands above the first panel. */
static void plot_metric(const struct runs *runs, int metric, enum sp_term term, struct sp_script *out)
{
    const int value = 2 + 2 * metric;
    sp_put(out, "plot ");
    for (int k = 0; k < runs->n; k++) {
        const struct sp_series look = sp_series(k);
        if (k > 0)
            sp_put(out, SP_NEXT);
        sp_put(out,
               "$R%d using 1:($%d == 1 ? $%d : NaN) with points pt %d ps 0.8 lc rgb %c notitle" SP_NEXT
               "$R%d using 1:($%d == 0 ? $%d : NaN) with points pt %d ps 0.8 lw 1.3 lc rgb %c notitle",
               k, value + 1, value, look.filled, look.color, k, value + 1, value, look.hollow, look.color);
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s", runs->name[k]),
                        SP_NEXT "$R%d using 1:%d:(%t.sprintf(', n_nz %%.0f: %%.3g', $1, $%d))" SP_HOVER, k,
                        value, value);
        if (metric == 0)
            sp_put_text(out, sp_quote_within(term == SP_TERM_TXT ? 24 : 21, term, "%s", runs->name[k]),
                        SP_NEXT "keyentry with points pt %d ps 0.9 lc rgb %c title %t", look.filled,
                        look.color);
    }
    sp_put(out, "\n");
}

static void plot_hints(const struct sp_record *const *records, int n, enum sp_term term,
                       struct sp_script *out)
{
    struct hint hints[64];
    int left_out;
    const int found = count_hints(records, n, hints, &left_out);
    sp_put(out, "unset logscale; set title 'hints that fired, of %d record", n);
    if (n != 1)
        sp_put(out, "s");
    if (left_out > 0)
        sp_put(out, " (%d rarer ones left out)", left_out);
    sp_put(out, "'; set ylabel ''; set xlabel 'records'; unset grid; unset key\n");
    if (found == 0) {
        sp_put(out, "set label 'none fired, or none was asked for' at graph 0.5,0.5 center; unset tics\n"
                    "set xrange [0:1]; set yrange [0:1]; plot NaN notitle\n");
        return;
    }
    sp_put(out, "# records, place\n$HINTS << EOD\n");
    for (int i = 0; i < found; i++)
        sp_put(out, "%d %d\n", hints[i].n, found - i);
    sp_put(out, "EOD\nset xrange [0:%g]; set yrange [0.3:%g]; set format x '%%g'; set xtics 0,%g\n",
           hints[0].n * 1.1, found + 0.7, fmax(1, sp_nice_step(hints[0].n, 6)));
    sp_script_tics(out, SP_Y);
    for (int i = 0; i < found; i++)
        sp_script_tic(
            out, sp_quote_within(term == SP_TERM_TXT ? 22 : 14.5, term, "%s %s", hints[i].id, hints[i].title),
            found - i);
    sp_put(
        out,
        ")\n"
        "plot $HINTS using ($1 / 2):2:($1 / 2):(0.35) with boxxyerror fs solid 0.6 lc rgb %c notitle" SP_NEXT
        "$HINTS using 1:2:1 with labels left offset char 0.6,0 notitle\n",
        SP_BLUE);
}

/* A logarithmic axis around lo ... hi. */
static void set_range(enum sp_word axis, double lo, double hi, struct sp_script *out)
{
    sp_put(out, "set %wrange [%.6g:%.6g]\n", axis, lo / 1.6, hi * 1.6);
    sp_script_round_tics(out, axis, lo / 1.6, hi * 1.6);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
                         struct sp_script *out)
{
    struct runs runs;
    struct span s = {INFINITY, 0, INFINITY, 0, 0, 0};
    collect_runs(records, n, &runs);
    for (int k = 0; k < runs.n; k++)
        write_run(records, n, &runs, k, &s, out);
    sp_put(out, "set datafile missing '?'\nset multiplot layout 2,2 columnsfirst\n"
                "set logscale x; set xlabel 'n_nz'\n");
    if (term != SP_TERM_TXT)
        sp_put(
            out,
            "set key at screen 0.03,0.985 left top Left reverse vertical maxrows 2 samplen 1 font ',12'\n");
    set_range(SP_X, s.nnz_lo, s.nnz_hi, out);
    if (term != SP_TERM_TXT)
        place(0, out);
    sp_put(out, "set title 'performance (filled: measured)'; set logscale y; set ylabel 'Gflop/s'\n");
    set_range(SP_Y, s.rate_lo, s.rate_hi, out);
    plot_metric(&runs, 0, term, out);
    if (term != SP_TERM_TXT)
        place(1, out);
    sp_put(out,
           "unset logscale y; unset key; set ytics autofreq\n"
           "set title 'fraction of the roof (hollow: bytes not measured)'\n"
           "set ylabel 'V / (t b_S)'; set yrange [0:%g]\n"
           "set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lw 1 lc rgb %c back\n",
           fmax(1, s.fraction_hi) * 1.1, SP_BLUE);
    plot_metric(&runs, 1, term, out);
    if (term != SP_TERM_TXT)
        place(2, out);
    sp_put(out,
           "unset arrow 1; set title 'alpha (hollow: simulated)'; set ylabel 'alpha'; set yrange [0:%g]\n",
           s.alpha_hi > 0 ? 1.15 * s.alpha_hi : 1);
    plot_metric(&runs, 2, term, out);
    if (term != SP_TERM_TXT)
        place(3, out);
    plot_hints(records, n, term, out);
    sp_put(out, "unset multiplot\n");
}

static const char *lacks(const struct sp_record *record)
{
    return !(number_of_entries(record) > 0) ? "entries (problem.nnz)"
           : sp_verdict_disturbed(record)   ? "times that hold: too many samples were disturbed"
           : !(sp_record_metric(record, "performance").value > 0) ? "a performance (metrics.performance)"
                                                                  : NULL;
}

const struct sp_plot_kind sp_plot_campaign = {
    "campaign",   "many records: performance, fraction of the roof, alpha over n_nz; hints",
    2000,         WIDTH,
    HEIGHT,       lacks,
    write_script, LINES,
};
