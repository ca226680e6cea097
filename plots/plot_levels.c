/* The two-level roofline of a GPU: the ways in which its threads can share a kernel's work, each with a point
 * for each level at flop per byte of that level, joined at the rate that the model predicts. The level whose
 * point lies on its own roof is what takes the time. */
#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

enum { WIDTH = 1240, HEIGHT = 560, COLUMNS = 98, LINES = 29 };
enum { MOST_WAYS = 12, MOST_ROOFS = 3 };
/* The panel as parts of the picture; of the one of text, columns and lines that are not the panel. */
static const double left = 0.06, right = 0.69, bottom = 0.115, top = 0.91;
enum { TEXT_BESIDE = 10, TEXT_BELOW = 4 };

enum level { L1, L2, MEM, N_LEVELS };
static const struct {
    const char *name, *words;
    int hollow, filled;       /* types of points */
    char mark, measured_mark; /* in text; 0: not drawn there */
} levels[N_LEVELS] = {{"L1", "sectors of the L1", 8, 9, 0, 0},
                      {"L2", "bytes of the L2", 4, 5, 'x', 'X'},
                      {"MEM", "bytes of DRAM", 6, 7, 'o', 'O'}};

struct point {
    double x, lo, hi; /* [flop/B]; x 0: there is none */
};

struct way {
    char text[160]; /* of the key */
    int number;
    double y, y_lo, y_hi; /* [Gflop/s] */
    bool measured;
    struct point at[N_LEVELS];
};

struct roof {
    const json_t *item;
    double rate; /* [GB/s] or [Gflop/s] */
};

struct picture {
    const struct sp_record *record;
    struct way way[MOST_WAYS + 1];
    int n, n_modelled;
    struct roof memory, L2, peak; /* rate 0: not known */
    bool text;
    double x_min, x_max, y_min, y_max;
    double x_px, y_px; /* pixels in a decade, or columns and lines */
};

/* Of several ceilings of a level the one that fractions are of, else the first. */
static struct roof find_roof(const struct sp_record *record, const char *level)
{
    const json_t *roofs = sp_record_node(record, "roofs"), *item;
    struct roof found = {NULL, 0};
    size_t i;
    json_array_foreach(roofs, i, item)
    {
        const char *its = sp_item_text(item, "level"), *role = sp_item_text(item, "role");
        const double rate = sp_item_number(item, "value");
        const bool main = role && strcmp(role, "roof") == 0;
        if (its && strcmp(its, level) == 0 && rate > 0 && (!found.item || main))
            found = (struct roof){item, rate / 1e9};
    }
    return found;
}

/* Bytes of a band as an interval of intensity. */
static struct point point_of(double work, struct sp_value bytes)
{
    if (!sp_value_known(bytes) || !(bytes.value > 0))
        return (struct point){0};
    return (struct point){work / bytes.value, work / bytes.hi, work / fmax(bytes.lo, 1e-3 * bytes.hi)};
}

static bool read_way(const json_t *item, double work, int number, struct way *w)
{
    const struct sp_value time = sp_record_value_of(json_object_get(item, "time"));
    const json_t *bytes = json_object_get(item, "levels");
    const char *name = sp_item_text(item, "name"), *bound = sp_item_text(item, "bound_by");
    const bool least = json_is_true(json_object_get(item, "upper_bound"));
    char rate[32];
    if (!sp_value_known(time) || !(time.value > 0) || !bytes)
        return false;
    *w = (struct way){.number = number, .y = work / time.value / 1e9};
    w->y_lo = w->y_hi = w->y;
    for (int k = 0; k < N_LEVELS; k++)
        w->at[k] = point_of(work, sp_record_value_of(json_object_get(bytes, levels[k].name)));
    snprintf(w->text, sizeof w->text, "%s  %s%s Gflop/s, %s", name ? name : "?", least ? "at least " : "",
             sp_figure(rate, sizeof rate, w->y, 3),
             least   ? "all in the L2"
             : bound ? bound
                     : "?");
    return true;
}

/* Counted where both directions were, else modelled. */
static struct sp_value measured_bytes(const struct sp_record *record, const char *read, const char *written,
                                      struct sp_value otherwise)
{
    const struct sp_value in = sp_record_value(record, read), out = sp_record_value(record, written);
    if (!sp_value_known(in) || !sp_value_known(out))
        return otherwise;
    return sp_value_between(in.value + out.value, in.lo + out.lo, in.hi + out.hi, in.origin);
}

/* The kernel that ran: its rate is measured, its bytes are counted where that was possible. */
static bool read_measured(const struct sp_record *record, double work, struct way *w)
{
    const struct sp_value rate = sp_record_metric(record, "performance");
    const char *name = sp_words_text(record, "config.kernel", "kernel");
    char figure[32];
    if (rate.origin != SP_MEASURED)
        return false;
    const struct sp_value none = sp_value_none("not in the record");
    const struct sp_value L2_B = measured_bytes(record, "gpu.L2_load", "gpu.L2_store", none),
                          DRAM_B = measured_bytes(record, "gpu.memory_load", "gpu.memory_store", none);
    *w = (struct way){.measured = true, .y = rate.value / 1e9, .y_lo = rate.lo / 1e9, .y_hi = rate.hi / 1e9};
    w->at[L1] = point_of(work, measured_bytes(record, "gpu.L1_load", "gpu.L1_store", none));
    w->at[L2] = point_of(work, measured_bytes(record, "gpu.counts.l2_read", "gpu.counts.l2_write", L2_B));
    w->at[MEM] =
        point_of(work, measured_bytes(record, "gpu.counts.dram_read", "gpu.counts.dram_write", DRAM_B));
    snprintf(w->text, sizeof w->text, "%s, measured  %s Gflop/s", name,
             sp_figure(figure, sizeof figure, w->y, 3));
    return true;
}

static void read_ways(struct picture *p)
{
    const json_t *ways = sp_record_node(p->record, "gpu.ways"), *item;
    const struct sp_value work = sp_record_metric(p->record, "flops");
    size_t i;
    p->n = 0;
    if (!sp_value_known(work))
        return;
    json_array_foreach(ways, i, item)
    {
        if (p->n < MOST_WAYS && read_way(item, work.value, p->n + 1, &p->way[p->n]))
            p->n++;
    }
    p->n_modelled = p->n;
    if (p->n > 0 && read_measured(p->record, work.value, &p->way[p->n]))
        p->way[p->n].number = p->n + 1, p->n++;
}

static bool is_drawn(const struct picture *p, const struct way *w, int level)
{
    return w->at[level].x > 0 && (!p->text || levels[level].mark);
}

/* Text has few lines: it shows the points and the roofs above them, not the peak. */
static void set_frame(struct picture *p)
{
    double x_lo = INFINITY, x_hi = 0, y_lo = INFINITY, y_hi = 0;
    for (int i = 0; i < p->n; i++) {
        const struct way *w = &p->way[i];
        y_lo = fmin(y_lo, w->y_lo);
        y_hi = fmax(y_hi, w->y_hi);
        for (int k = 0; k < N_LEVELS; k++)
            if (is_drawn(p, w, k)) {
                x_lo = fmin(x_lo, w->at[k].lo);
                x_hi = fmax(x_hi, w->at[k].hi);
            }
    }
    const bool with_peak = p->peak.rate > 0 && !p->text;
    p->y_min = 0.55 * y_lo;
    p->y_max = with_peak ? 2 * fmax(p->peak.rate, y_hi) : 1.9 * y_hi;
    p->x_min = 0.7 * x_lo;
    p->x_max = fmax(1.6 * x_hi, 1.25 * p->y_max / (p->memory.rate > 0 ? p->memory.rate : INFINITY));
    const double width = p->text ? COLUMNS - TEXT_BESIDE : (right - left) * WIDTH;
    const double height = p->text ? LINES - TEXT_BELOW - (p->n + 1) / 2 - 1 : (top - bottom) * HEIGHT;
    p->x_px = width / log10(p->x_max / p->x_min);
    p->y_px = height / log10(p->y_max / p->y_min);
}

/* 1, 2, 5 and their decades: a range of less than a decade has several, too. */
static void write_tics(FILE *out, char axis, double lo, double hi)
{
    static const double steps[] = {1, 2, 5};
    const char *before = "";
    fprintf(out, "set %ctics (", axis);
    for (double decade = sp_decade_below(lo); decade < hi; decade *= 10)
        for (int i = 0; i < 3; i++)
            if (decade * steps[i] > lo * 0.999 && decade * steps[i] < hi * 1.001) {
                fprintf(out, "%s'%g' %g", before, decade * steps[i], decade * steps[i]);
                before = ", ";
            }
    fputs(")\n", out);
}

static void put_label(FILE *out, const char *text, double x, double y, const char *style)
{
    fputs("set label ", out);
    sp_script_string(out, text);
    fprintf(out, " at first %.6g,%.6g %s front\n", x, y, style);
}

static char *roof_text(const struct roof *r, char *text, size_t size)
{
    char name[64], value[160];
    snprintf(text, size, "%s %s", sp_words_roof(name, sizeof name, r->item),
             sp_words_roof_value(value, sizeof value, r->item));
    return text;
}

/* Along the line near its upper end, where no kernel with sparse operands comes; in text beside it, that of
 * the L2 a line higher. */
static void label_bandwidth(FILE *out, const struct picture *p, const struct roof *r, int line,
                            const char *color)
{
    char text[256], style[96];
    if (!(r->rate > 0))
        return;
    roof_text(r, text, sizeof text);
    if (p->text) {
        const double y = p->y_max * pow(10, -(line + 0.5) / p->y_px);
        put_label(out, text, fmin(y / r->rate, p->x_max) * pow(10, -1.5 / p->x_px), y, "right");
        return;
    }
    const double y = 0.7 * (p->peak.rate > 0 ? p->peak.rate : p->y_max), angle = atan2(p->y_px, p->x_px);
    snprintf(style, sizeof style, "right rotate by %.1f font ',10' tc rgb '%s'", angle * 180 / M_PI, color);
    put_label(out, text, y / r->rate * pow(10, -8 * sin(angle) / p->x_px),
              y * pow(10, 8 * cos(angle) / p->y_px), style);
}

static void label_roofs(FILE *out, const struct picture *p)
{
    char text[256];
    label_bandwidth(out, p, &p->L2, 0, SP_CYAN);
    label_bandwidth(out, p, &p->memory, 1, SP_BLUE);
    if (p->peak.rate > 0 && !p->text)
        put_label(out, roof_text(&p->peak, text, sizeof text), p->x_max * 0.97,
                  p->peak.rate * pow(10, 9 / p->y_px), "right font ',10' tc rgb '" SP_INK "'");
}

static void roof_clause(FILE *out, const struct picture *p, const struct roof *r, const char *color,
                        const char *before)
{
    const enum sp_origin origin = sp_record_value_of(r->item).origin;
    if (p->peak.rate > 0)
        fprintf(out, "%s%.6g * x > %.6g ? NaN : %.6g * x", before, r->rate, p->peak.rate, r->rate);
    else
        fprintf(out, "%s%.6g * x", before, r->rate);
    fprintf(out, " with lines lt 1 lw 2 dt %d lc rgb '%s' notitle", sp_origin_dash(origin), color);
}

static void peak_clause(FILE *out, const struct picture *p, const char *before)
{
    const double widest = fmax(p->memory.rate, p->L2.rate);
    fprintf(out, "%sx < %.6g ? NaN : %.6g with lines lw 2 dt %d lc rgb '" SP_INK "' notitle", before,
            widest > 0 ? p->peak.rate / widest : 0, p->peak.rate,
            sp_origin_dash(sp_record_value_of(p->peak.item).origin));
}

/* Numbers of ways whose points nearly coincide stand in one label: to the left of points of the inner levels,
 * to the right of those of memory. Returns how many ways it has named. */
static int name_group(FILE *out, const struct picture *p, int level, int first, bool *named)
{
    const double reach_x = p->text ? 9 : 26, reach_y = p->text ? 0.5 : 13;
    const struct way *w = &p->way[first];
    double x = w->at[level].x;
    char text[64];
    int used = snprintf(text, sizeof text, "%d", w->number), n = 1;
    named[first] = true;
    for (int i = first + 1; i < p->n; i++) {
        const struct way *other = &p->way[i];
        if (named[i] || !is_drawn(p, other, level) || fabs(log10(other->y / w->y)) * p->y_px > reach_y ||
            fabs(log10(other->at[level].x / w->at[level].x)) * p->x_px > reach_x)
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, ",%d", other->number);
        x = level == MEM ? fmax(x, other->at[level].x) : fmin(x, other->at[level].x);
        named[i] = true;
        n++;
    }
    const double away = (level == MEM ? 1 : -1) * (p->text ? 1 : 7);
    put_label(out, text, x * pow(10, away / p->x_px), w->y * pow(10, (p->text ? 0 : 8) / p->y_px),
              level == MEM ? "left font ',10'" : "right font ',10'");
    return n;
}

static void name_points(FILE *out, const struct picture *p)
{
    for (int k = 0; k < N_LEVELS; k++) {
        bool named[MOST_WAYS + 1] = {false};
        for (int i = 0; i < p->n; i++)
            if (!named[i] && is_drawn(p, &p->way[i], k))
                name_group(out, p, k, i, named);
    }
}

/* gnuplot's text terminal draws lines as arrows, and has no hollow points. */
static void draw_as_text(FILE *out, const struct picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct way *w = &p->way[i];
        double lo = INFINITY, hi = 0;
        for (int k = 0; k < N_LEVELS; k++)
            if (is_drawn(p, w, k)) {
                lo = fmin(lo, w->at[k].lo);
                hi = fmax(hi, w->at[k].hi);
            }
        if (hi > lo)
            fprintf(out, "set arrow from first %.6g,%.6g to first %.6g,%.6g nohead\n", lo, w->y, hi, w->y);
        for (int k = 0; k < N_LEVELS; k++) {
            const char mark[] = {w->measured ? levels[k].measured_mark : levels[k].mark, '\0'};
            if (is_drawn(p, w, k))
                put_label(out, mark, w->at[k].x, w->y, "center");
        }
    }
}

/* Two ways on a line, below the axis. */
static void key_as_text(FILE *out, const struct picture *p)
{
    const int n_lines = (p->n + 1) / 2;
    fprintf(out, "set bmargin %d\n", TEXT_BELOW + n_lines - 1);
    for (int i = 0; i < p->n; i++) {
        char text[200];
        snprintf(text, sizeof text, "%d  %s", p->way[i].number, p->way[i].text);
        fputs("set label ", out);
        sp_script_string(out, text);
        fprintf(out, " at character %d,%d\n", i / n_lines ? COLUMNS / 2 + 1 : 1, n_lines - i % n_lines);
    }
    char text[160] = "", peak[256] = "";
    if (p->peak.rate > 0)
        snprintf(peak, sizeof peak, "; %s", roof_text(&p->peak, text, sizeof text));
    fputs("set label ", out);
    snprintf(text, sizeof text, "x bytes of the L2, o of DRAM; %s%s", "capitals are measured", peak);
    sp_script_string(out, text);
    fputs(" at character 1,0\n", out);
}

static void write_points(FILE *out, const struct picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct way *w = &p->way[i];
        fprintf(out, "# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, level\n$W%d << EOD\n", i);
        for (int k = 0; k < N_LEVELS; k++)
            if (is_drawn(p, w, k))
                fprintf(out, "%.8g %.8g %.8g %.8g %.8g %.8g %d\n", w->at[k].x, w->at[k].lo, w->at[k].hi, w->y,
                        w->y_lo, w->y_hi, k);
        fputs("EOD\n", out);
    }
}

static void point_clauses(FILE *out, const struct picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const char *color = sp_series_color(i);
        const bool measured = p->way[i].measured;
        fprintf(out, ", \\\n    $W%d using 1:4 with lines lw 1 lc rgb '%s' title ", i, color);
        char text[200];
        snprintf(text, sizeof text, "%d  %s", p->way[i].number, p->way[i].text);
        sp_script_string(out, text);
        fprintf(out, ", \\\n    $W%d using 1:4:2:3:5:6 with xyerrorbars pt 7 ps 0.1 lw 1 lc rgb '%s' notitle",
                i, color);
        for (int k = 0; k < N_LEVELS; k++) {
            fprintf(out,
                    ", \\\n    $W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps 1 lc rgb '%s' notitle",
                    i, k, levels[k].filled, measured ? color : "#ffffff");
            fprintf(out,
                    ", \\\n    $W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps 1 lw 1.5 lc rgb '%s' "
                    "notitle",
                    i, k, levels[k].hollow, color);
        }
    }
}

static void key_of_levels(FILE *out, const struct picture *p)
{
    const bool measured = p->n > p->n_modelled;
    fputs(", \\\n    keyentry title ''", out);
    for (int k = 0; k < N_LEVELS; k++)
        fprintf(out, ", \\\n    keyentry with points pt %d ps 1 lw 1.5 lc rgb '" SP_INK "' title '%s%s'",
                levels[k].hollow, levels[k].words, k == MEM ? "; bars: how sure they are" : "");
    if (measured)
        fprintf(out,
                ", \\\n    keyentry with points pt %d ps 1 lc rgb '" SP_INK "' title 'filled: measured rate'",
                levels[MEM].filled);
}

static void write_title(const struct sp_record *record, FILE *out)
{
    char text[512];
    const bool invented = strcmp(sp_words_text(record, "status", ""), "constructed") == 0;
    snprintf(text, sizeof text, "%s   %s  %s/%s  %s, levels of %s%s",
             sp_words_text(record, "problem.name", "unnamed"),
             sp_words_op(sp_words_text(record, "config.op", "spmv")),
             sp_words_text(record, "config.precision", "?"), sp_words_text(record, "config.index", "?"),
             sp_words_text(record, "config.cache", "warm"),
             sp_words_text(record, "machine.name", "unnamed machine"), invented ? "   (constructed)" : "");
    fputs("set title ", out);
    sp_script_string(out, text);
    fputc('\n', out);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    (void)n;
    struct picture p = {.record = records[0],
                        .memory = find_roof(records[0], "MEM"),
                        .L2 = find_roof(records[0], "L2"),
                        .peak = find_roof(records[0], "core"),
                        .text = term == SP_TERM_TXT};
    read_ways(&p);
    set_frame(&p);
    write_title(p.record, out);
    fprintf(out,
            "set logscale xy; set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]; set samples 2000\n"
            "set xlabel 'intensity, flop for each byte of the level'; set ylabel 'Gflop/s'\n",
            p.x_min, p.x_max, p.y_min, p.y_max);
    write_tics(out, 'x', p.x_min, p.x_max);
    write_tics(out, 'y', p.y_min, p.y_max);
    label_roofs(out, &p);
    if (p.text) {
        draw_as_text(out, &p);
        key_as_text(out, &p);
        fputs("set key off\n", out);
    } else {
        write_points(out, &p);
        fprintf(
            out,
            "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
            "screen %g\nset key at screen %g,%g left top Left reverse font ',10'\n",
            left, right, bottom, top, right + 0.015, top);
    }
    name_points(out, &p);
    fputs("plot NaN notitle", out);
    if (p.memory.rate > 0)
        roof_clause(out, &p, &p.memory, SP_BLUE, ", \\\n    ");
    if (p.L2.rate > 0)
        roof_clause(out, &p, &p.L2, SP_CYAN, ", \\\n    ");
    if (p.peak.rate > 0 && !p.text)
        peak_clause(out, &p, ", \\\n    ");
    if (!p.text) {
        point_clauses(out, &p);
        key_of_levels(out, &p);
    }
    fputc('\n', out);
}

static const char *lacks(const struct sp_record *record)
{
    struct picture p = {.record = record};
    if (!(find_roof(record, "MEM").rate > 0))
        return "a bandwidth of memory (roofs)";
    read_ways(&p);
    return p.n > 0 ? NULL : "predictions of each level of a GPU (gpu.ways with levels)";
}

const struct sp_plot_kind sp_plot_levels = {
    "levels",
    "levels of a GPU: each way to share the work, under its roofs",
    1,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    COLUMNS,
    LINES,
};
