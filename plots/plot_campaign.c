/* Many matrices with several configurations in one picture: performance, fraction of the roof and alpha over
 * the number of entries, and which hints fired how often. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/plot_kinds.h"
#include "plots/script.h"

/* More configurations than colours share the last place, "others"; rarer hints are left out and counted. */
enum { MOST_RUNS = 7, MOST_HINTS = 10, N_METRICS = 3 };

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
                      struct span *span, FILE *out)
{
    fprintf(out,
            "# n_nz, Gflop/s, measured, fraction of the roof, measured, alpha, measured (? unknown)\n"
            "$R%d << EOD\n",
            k);
    for (int i = 0; i < n; i++) {
        if (index_of(runs, run_of(records[i])) != k)
            continue;
        fprintf(out, "%.0f", number_of_entries(records[i]));
        for (int m = 0; m < N_METRICS; m++) {
            const struct sp_value v = sp_record_metric(records[i], metrics[m]);
            if (sp_value_known(v))
                fprintf(out, " %.8g %d", m == 0 ? v.value / 1e9 : v.value, v.origin == SP_MEASURED);
            else
                fputs(" ? 0", out);
        }
        fputc('\n', out);
        widen(span, records[i]);
    }
    fputs("EOD\n", out);
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
    qsort(hints, (size_t)found, sizeof *hints, by_frequency);
    if (found > MOST_HINTS)
        *left_out = found - MOST_HINTS;
    return found - *left_out;
}

/* Filled: measured; hollow: simulated or modelled. Shapes as well as colours tell runs apart. */
static void plot_metric(const struct runs *runs, int metric, FILE *out)
{
    static const int filled[MOST_RUNS] = {7, 5, 9, 11, 13, 7, 5}, hollow[MOST_RUNS] = {6, 4, 8, 10, 12, 6, 4};
    const int value = 2 + 2 * metric;
    fputs("plot ", out);
    for (int k = 0; k < runs->n; k++) {
        const char *color = sp_series_color(k);
        fprintf(out,
                "%s$R%d using 1:($%d == 1 ? $%d : NaN) with points pt %d ps 0.8 lc rgb '%s' notitle, \\\n"
                "    $R%d using 1:($%d == 0 ? $%d : NaN) with points pt %d ps 0.8 lw 1.3 lc rgb '%s' notitle",
                k > 0 ? ", \\\n    " : "", k, value + 1, value, filled[k], color, k, value + 1, value,
                hollow[k], color);
        if (metric > 0)
            continue;
        fprintf(out, ", \\\n    keyentry with points pt %d ps 0.9 lc rgb '%s' title ", filled[k], color);
        sp_script_string(out, runs->name[k]);
    }
    fputc('\n', out);
}

static void plot_hints(const struct sp_record *const *records, int n, FILE *out)
{
    struct hint hints[64];
    int left_out;
    const int found = count_hints(records, n, hints, &left_out);
    fprintf(out, "unset logscale; set title 'hints that fired, of %d records", n);
    if (left_out > 0)
        fprintf(out, " (%d rarer ones left out)", left_out);
    fputs("'; set ylabel ''; set xlabel 'records'; unset grid; unset key\n", out);
    if (found == 0) {
        fputs("set label 'none fired, or none was asked for' at graph 0.5,0.5 center; unset tics\n"
              "set xrange [0:1]; set yrange [0:1]; plot NaN notitle\n",
              out);
        return;
    }
    fputs("# records, place\n$HINTS << EOD\n", out);
    for (int i = 0; i < found; i++)
        fprintf(out, "%d %d\n", hints[i].n, found - i);
    fprintf(out,
            "EOD\nset xrange [0:%g]; set yrange [0.3:%g]; set format x '%%g'; set xtics 0,%g\nset ytics (",
            hints[0].n * 1.1, found + 0.7, fmax(1, sp_nice_step(hints[0].n, 6)));
    for (int i = 0; i < found; i++) {
        char name[96];
        snprintf(name, sizeof name, "%.15s %.63s", hints[i].id, hints[i].title);
        fputs(i ? ", " : "", out);
        sp_script_string(out, name);
        fprintf(out, " %d", found - i);
    }
    fputs(")\nset lmargin at screen 0.75; set rmargin at screen 0.97\n"
          "plot $HINTS using ($1 / 2):2:($1 / 2):(0.35) with boxxyerror fs solid 0.6 lc rgb '" SP_BLUE
          "' notitle, \\\n    $HINTS using 1:2:1 with labels left offset char 0.6,0 notitle\n",
          out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    struct runs runs;
    struct span s = {INFINITY, 0, INFINITY, 0, 0, 0};
    (void)term;
    collect_runs(records, n, &runs);
    for (int k = 0; k < runs.n; k++)
        write_run(records, n, &runs, k, &s, out);
    fprintf(out,
            "set datafile missing '?'\nset multiplot layout 2,2 columnsfirst\n"
            "set logscale x; set xrange [%g:%g]; set xlabel 'n_nz'\n"
            "set format x '1e%%L'; set key bottom right\n",
            sp_decade_below(fmax(1, s.nnz_lo)), sp_decade_above(fmax(10, s.nnz_hi * 1.001)));
    fprintf(out,
            "set title 'performance (filled: measured)'; set logscale y; set ylabel 'Gflop/s'\n"
            "set yrange [%g:%g]\n",
            sp_decade_below(s.rate_lo), sp_decade_above(s.rate_hi * 1.001));
    plot_metric(&runs, 0, out);
    fprintf(out,
            "unset logscale y; unset key\nset title 'fraction of the roof (hollow: bytes not measured)'\n"
            "set ylabel 'V / (t b_S)'; set yrange [0:%g]\n"
            "set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lw 1 lc rgb '" SP_BLUE "' back\n",
            fmax(1, s.fraction_hi) * 1.1);
    plot_metric(&runs, 1, out);
    fprintf(out,
            "unset arrow 1; set title 'alpha (hollow: simulated)'; set ylabel 'alpha'; set yrange [0:%g]\n",
            s.alpha_hi > 0 ? 1.15 * s.alpha_hi : 1);
    plot_metric(&runs, 2, out);
    plot_hints(records, n, out);
    fputs("unset multiplot\n", out);
}

static const char *lacks(const struct sp_record *record)
{
    return !(number_of_entries(record) > 0)                       ? "entries (problem.nnz)"
           : !(sp_record_metric(record, "performance").value > 0) ? "a performance (metrics.performance)"
                                                                  : NULL;
}

const struct sp_plot_kind sp_plot_campaign = {
    "campaign",   "many records: performance, fraction of the roof, alpha over n_nz; hints",
    2000,         1100,
    760,          lacks,
    write_script, 120,
    60,
};
