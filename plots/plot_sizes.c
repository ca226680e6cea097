/* Where roofline, ECM and measurement part: performance over the size of the data, of one kernel on matrices
 * of one kind, from the innermost cache to memory. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { WIDTH = 900, HEIGHT = 540, LINES = 36, MOST_RECORDS = 256, MOST_RUNS = 4 };

/* Rows of a record's table, by the words that they begin with. */
enum { ROOFLINE, ECM, MEASURED, N_CURVES };
static const struct {
    const char *row, *words;
    int dash;
} curves[N_CURVES] = {
    {"model, x as", "roofline, bytes as simulated", 2}, {"ECM", "ECM", 3}, {"measured", "measured", 1}};

struct point {
    double bytes, rate[N_CURVES], lo, hi; /* [B], [Gflop/s]; interval of the measured one */
    int run;                              /* index of the configuration */
    const struct sp_record *record;
};

struct runs {
    int n;
    char name[MOST_RUNS][64];
    bool has[MOST_RUNS][N_CURVES]; /* that any of its records knows */
};

static double bytes_of(const struct sp_record *record)
{
    json_t *arrays = (json_t *)sp_record_node(record, "layout.arrays_B"), *one;
    const char *name;
    double bytes = 0;
    json_object_foreach(arrays, name, one) bytes += json_is_number(one) ? json_number_value(one) : 0;
    return bytes;
}

static const json_t *row_of(const struct sp_record *record, int curve)
{
    const json_t *rows = sp_record_node(record, "table"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *name = sp_item_text(row, "row");
        if (name && strncmp(name, curves[curve].row, strlen(curves[curve].row)) == 0)
            return row;
    }
    return NULL;
}

/* The last configuration also stands for those that no place is left for. */
static int run_of(struct runs *runs, const struct sp_record *record)
{
    char name[64];
    int64_t threads = 0;
    sp_record_count(record, "config.threads", &threads);
    snprintf(name, sizeof name, "%.40s, %lld thread%s", sp_words_text(record, "config.format_option", "?"),
             (long long)threads, threads == 1 ? "" : "s");
    for (int i = 0; i < runs->n; i++)
        if (strcmp(runs->name[i], name) == 0)
            return i;
    if (runs->n == MOST_RUNS) {
        snprintf(runs->name[MOST_RUNS - 1], sizeof *runs->name, "others");
        return MOST_RUNS - 1;
    }
    memcpy(runs->name[runs->n], name, sizeof name);
    return runs->n++;
}

static struct point point_of(struct runs *runs, const struct sp_record *record)
{
    struct point p = {.bytes = bytes_of(record), .run = run_of(runs, record), .record = record};
    for (int k = 0; k < N_CURVES; k++) {
        p.rate[k] = sp_item_number(row_of(record, k), "performance") / 1e9;
        runs->has[p.run][k] = runs->has[p.run][k] || isfinite(p.rate[k]);
    }
    const struct sp_value v = sp_record_metric(record, "performance");
    p.lo = sp_value_known(v) ? v.lo / 1e9 : p.rate[MEASURED];
    p.hi = sp_value_known(v) ? v.hi / 1e9 : p.rate[MEASURED];
    return p;
}

static int by_size(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

struct span {
    double lo, hi, most; /* [B], [Gflop/s] */
};

/* Block $Sk of configuration k. */
static void write_points(struct sp_script *out, const struct point *point, int n, int run, struct span *span)
{
    sp_put(out, "# data B, roofline Gflop/s, ECM, measured (? unknown), lo, hi\n$S%d << EOD\n", run);
    for (int i = 0; i < n; i++) {
        const struct point *p = &point[i];
        if (p->run != run)
            continue;
        sp_put(out, "%.8g", p->bytes);
        for (int c = 0; c < N_CURVES; c++) {
            if (isfinite(p->rate[c]))
                sp_put(out, " %.6g", p->rate[c]);
            else
                sp_put(out, " ?");
        }
        sp_put(out, " %.6g %.6g\n", p->lo, p->hi);
        span->lo = fmin(span->lo, p->bytes);
        span->hi = fmax(span->hi, p->bytes);
        span->most = fmax(span->most, fmax(p->hi, fmax(p->rate[ROOFLINE], p->rate[ECM])));
    }
    sp_put(out, "EOD\n");
}

/* A line where the data outgrow a cache, of all threads together; as far as it is known, as it was found. */
static void mark_caches(struct sp_script *out, const struct sp_record *record, const struct span *span,
                        enum sp_term term)
{
    const json_t *caches = sp_record_node(record, "machine.caches"), *cache;
    int64_t threads = 1;
    size_t i;
    sp_record_count(record, "config.threads", &threads);
    json_array_foreach(caches, i, cache)
    {
        const struct sp_value effective = sp_record_value_of(json_object_get(cache, "effective_B"));
        const double sharing = sp_item_number(cache, "cores_sharing"),
                     of_one = sp_value_known(effective) ? effective.value : sp_item_number(cache, "size_B"),
                     size = of_one * fmax(1, sharing > 0 ? (double)threads / sharing : 1);
        char text[32];
        if (!(size > span->lo) || !(size < span->hi))
            continue;
        sp_put(out, "set arrow from %.8g, graph 0 to %.8g, graph 1 nohead dt %d lw 1.2 lc rgb %c back\n",
               size, size, sp_origin_dash(sp_value_known(effective) ? effective.origin : SP_STATED), SP_GREY);
        if (term != SP_TERM_TXT)
            sp_put_text(
                out,
                sp_quote("L%g %s", sp_item_number(cache, "level"), sp_text_bytes(text, sizeof text, size)),
                "set label %t at %.8g, graph 0.02 left rotate by 90 offset char 0.9,0 font ',10' tc "
                "rgb %c\n",
                size, SP_INK);
    }
}

static void curve_clause(struct sp_script *out, const struct runs *runs, int run, int curve, double most,
                         enum sp_term term)
{
    const struct sp_series look = sp_series(runs->n > 1 ? run : curve);
    const struct sp_quoted words = sp_quote_within(most, term, "%s%s%s", runs->n > 1 ? runs->name[run] : "",
                                                   runs->n > 1 ? ": " : "", curves[curve].words);
    if (curve == MEASURED)
        sp_put(out, "$S%d using 1:4:5:6 with yerrorbars pt %d ps 0.3 lw 1.2 lc rgb %c notitle" SP_NEXT, run,
               look.filled, look.color);
    sp_put_text(out, words, "$S%d using 1:%d with linespoints dt %d pt %d ps 0.9 lw 1.6 lc rgb %c title %t",
                run, curve + 2, curves[curve].dash, curve == MEASURED ? look.filled : look.hollow,
                look.color);
    if (term == SP_TERM_SVG)
        sp_put_text(
            out, sp_quote_value("%s", curves[curve].words),
            SP_NEXT
            "$S%d using 1:%d:(%t.sprintf(', %%.3g MB of data: %%.3g Gflop/s', $1 / 1e6, $%d))" SP_HOVER,
            run, curve + 2, curve + 2);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term,
                         struct sp_script *out)
{
    struct point point[MOST_RECORDS];
    struct runs runs = {.n = 0};
    struct span span = {INFINITY, 0, 0};
    const bool text = term == SP_TERM_TXT;
    for (int i = 0; i < n; i++)
        point[i] = point_of(&runs, records[i]);
    sp_sort_by(point, n, sizeof *point, by_size);
    for (int k = 0; k < runs.n; k++)
        write_points(out, point, n, k, &span);
    span.lo /= 1.5, span.hi *= 1.5;
    sp_put_text(out,
                sp_quote_within(text ? SP_TEXT_COLUMNS - 8 : 60, term, "%s ... %s   %s  %s",
                                sp_words_text(point[0].record, "problem.name", "unnamed"),
                                sp_words_text(point[n - 1].record, "problem.name", "unnamed"),
                                runs.n > 1 ? "" : runs.name[0],
                                sp_words_text(records[0], "machine.name", "unnamed machine")),
                "set title %t\n");
    const struct sp_key key =
        sp_script_frame(out, sp_quote("bytes of all arrays"), WIDTH, HEIGHT, 82, 28, N_CURVES * runs.n, term);
    sp_put(out, "set logscale x; set ylabel 'Gflop/s'\nset xrange [%.8g:%.8g]; set yrange [0:%.6g]\n",
           span.lo, span.hi, span.most * 1.08);
    sp_script_byte_tics(out, span.lo, span.hi);
    mark_caches(out, records[0], &span, term);
    sp_put(out, "set datafile missing '?'\nplot ");
    for (int k = 0, clauses = 0; k < runs.n; k++)
        for (int c = 0; c < N_CURVES; c++) {
            if (!runs.has[k][c])
                continue;
            if (clauses++ > 0)
                sp_put(out, SP_NEXT);
            curve_clause(out, &runs, k, c, key.most, term);
        }
    sp_put(out, "\n");
}

static const char *lacks(const struct sp_record *record)
{
    return !(bytes_of(record) > 0)     ? "the bytes of its arrays (layout.arrays_B)"
           : !row_of(record, ROOFLINE) ? "a modelled time (table)"
           : !(sp_record_metric(record, "performance").value > 0) ? "a performance (metrics.performance)"
                                                                  : NULL;
}

const struct sp_plot_kind sp_plot_sizes = {
    "sizes",      "several records: roofline, ECM and measurement over the size of the data",
    MOST_RECORDS, WIDTH,
    HEIGHT,       lacks,
    write_script, LINES,
};
