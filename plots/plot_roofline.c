#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "plots/plot_kinds.h"
#include "plots/script.h"

/* The panel with the roofs as parts of the picture, and its frame: whole decades that follow from the
 * ceilings alone, so that two pictures of one machine overlay. */
enum { WIDTH = 1180, HEIGHT = 560 };
static const double left = 0.082, right = 0.560, bottom = 0.115, top = 0.90;
static const double x_min = 0.01;

struct frame {
    double x_max, y_min, y_max;
    double x_px, y_px;        /* pixels in a decade */
    double slope_deg;         /* of a line of constant bandwidth */
    double peak;              /* [flop/s] highest compute ceiling, 0: none */
    double bandwidth, lowest; /* [B/s] highest and lowest drawn */
};

enum { MAX_CEILINGS = 12 };
struct ceiling {
    const json_t *roof;
    double value;
    bool flops, main; /* main: the roof that fractions are of */
};
struct ceilings {
    struct ceiling c[MAX_CEILINGS]; /* bandwidths, falling; then compute, falling */
    int n;
};

static bool before(const struct ceiling *a, const struct ceiling *b)
{
    return a->flops != b->flops ? b->flops : a->value > b->value;
}

/* The resource set in use: what has a role; ceilings without one are left to the report. */
static void collect(const struct sp_record *record, struct ceilings *all)
{
    const json_t *roofs = sp_record_node(record, "roofs"), *roof;
    size_t i;
    all->n = 0;
    json_array_foreach(roofs, i, roof)
    {
        struct sp_value v = sp_record_value_of(roof);
        const char *role = sp_item_text(roof, "role");
        bool drawn =
            role && (strcmp(role, "roof") == 0 || strcmp(role, "floor") == 0 || strcmp(role, "peak") == 0);
        if (!drawn || !sp_value_known(v) || !(v.value > 0) || all->n == MAX_CEILINGS)
            continue;
        struct ceiling one = {roof, v.value, sp_roof_is_flops(roof), strcmp(role, "roof") == 0};
        int at = all->n++;
        for (; at > 0 && before(&one, &all->c[at - 1]); at--)
            all->c[at] = all->c[at - 1];
        all->c[at] = one;
    }
}

static struct frame frame_of(const struct ceilings *all)
{
    struct frame f = {0};
    for (int i = 0; i < all->n; i++) {
        const struct ceiling *c = &all->c[i];
        if (c->flops)
            f.peak = fmax(f.peak, c->value);
        else
            f.bandwidth = fmax(f.bandwidth, c->value), f.lowest = c->value;
    }
    f.x_max = f.peak > 0 ? fmax(10, sp_decade_above(1.5 * f.peak / f.lowest)) : 10;
    f.y_min = sp_decade_below(f.lowest * x_min / 1e9);
    f.y_max = sp_decade_above(6 * (f.peak > 0 ? f.peak : f.bandwidth * f.x_max) / 1e9);
    f.x_px = (right - left) * WIDTH / log10(f.x_max / x_min);
    f.y_px = (top - bottom) * HEIGHT / log10(f.y_max / f.y_min);
    f.slope_deg = atan2(f.y_px, f.x_px) * 180 / M_PI;
    return f;
}

static const char *ceiling_color(const struct ceiling *c)
{
    const char *level = sp_item_text(c->roof, "level");
    if (c->flops)
        return SP_INK;
    return level && strcmp(level, "MEM") == 0 ? SP_BLUE : SP_CYAN;
}

/* "DRAM load 76.0 ±0.8 GB/s measured" */
static void ceiling_text(const struct ceiling *c, char *text, size_t size)
{
    char name[64], value[160];
    snprintf(text, size, "%s %s", sp_words_roof(name, sizeof name, c->roof),
             sp_words_roof_value(value, sizeof value, c->roof));
}

static void put_label(FILE *out, const struct ceiling *c, double x, double y, double angle, bool from_right)
{
    char text[256];
    ceiling_text(c, text, sizeof text);
    fputs("set label ", out);
    sp_script_string(out, text);
    fprintf(out, " at %.6g,%.6g %s rotate by %.1f font ',10' tc rgb '%s' front\n", x, y,
            from_right ? "right" : "left", angle, ceiling_color(c));
}

/* Labels keep clear of the lines: the first above its line, further ones below or above theirs where there is
 * room, else stacked above the first. `gap_px` is the vertical distance that a line of text needs. */
static void label_bandwidths(FILE *out, const struct ceilings *all, const struct frame *f, bool rotated)
{
    double angle = rotated ? f->slope_deg : 0, stretch = 1 / cos(f->slope_deg * M_PI / 180);
    double gap_px = 15 * stretch;
    double x_left = x_min * 1.12;
    int stacked = 0, n = 0;
    while (n < all->n && !all->c[n].flops)
        n++;
    for (int i = 0; i < n; i++) {
        const struct ceiling *c = &all->c[i];
        double below = i + 1 < n ? log10(c->value / all->c[i + 1].value) * f->y_px : 1e9;
        double above = i > 0 ? log10(all->c[i - 1].value / c->value) * f->y_px : 0;
        if (i > 0 && below > 1.25 * gap_px) {
            double x_right = f->peak > 0 ? f->peak / c->value * 0.75 : f->x_max * 0.8;
            double y = c->value * x_right / 1e9 * pow(10, -0.75 * gap_px / f->y_px);
            put_label(out, c, x_right, y, angle, true);
        } else if (above > 1.6 * gap_px) {
            put_label(out, c, x_left, c->value * x_left / 1e9 * pow(10, 0.78 * gap_px / f->y_px), angle,
                      false);
        } else {
            double y = all->c[0].value * x_left / 1e9 * pow(10, (0.78 + stacked) * gap_px / f->y_px);
            put_label(out, c, x_left, y, angle, false);
            stacked++;
        }
    }
}

/* `n_key` lines of the key hang from the top. */
static void label_peaks(FILE *out, const struct ceilings *all, const struct frame *f, int n_key)
{
    double last_y = INFINITY;
    const double key_px = 14 + 16 * n_key;
    for (int i = 0; i < all->n; i++) {
        const struct ceiling *c = &all->c[i];
        if (!c->flops)
            continue;
        double y = c->value / 1e9, shift = 9 / f->y_px;
        /* Below its line where the one above, or the key, is too near. */
        const bool crowded = log10(last_y / y) * f->y_px < 20 || log10(f->y_max / y) * f->y_px < key_px + 18;
        put_label(out, c, f->x_max * 0.93, y * pow(10, crowded ? -shift : shift), 0, true);
        last_y = y;
    }
}

/* Block $Ci of ceiling i: its ends. Bandwidths are straight on logarithmic and on linear axes alike, so two
 * points do, and pictures stay small. Block $B: the interval of the roof. */
static void write_ceilings(FILE *out, const struct ceilings *all, const struct frame *f)
{
    for (int i = 0; i < all->n; i++) {
        const struct ceiling *c = &all->c[i];
        const struct sp_value v = sp_record_value_of(c->roof);
        const double slope = c->flops ? 0 : c->value / 1e9;
        const double from = c->flops ? c->value / f->bandwidth : x_min,
                     to = !c->flops && f->peak > 0 ? f->peak / c->value : f->x_max;
        fprintf(out, "# intensity flop/B, rate Gflop/s\n$C%d << EOD\n%.8g %.8g\n%.8g %.8g\nEOD\n", i, from,
                c->flops ? c->value / 1e9 : slope * from, to, c->flops ? c->value / 1e9 : slope * to);
        if (!c->main || c->flops || !(v.hi > v.lo))
            continue;
        const double end = f->peak > 0 ? f->peak / v.hi : f->x_max;
        fprintf(out, "# the same, lowest and highest\n$B << EOD\n%.8g %.8g %.8g\n%.8g %.8g %.8g\nEOD\n",
                x_min, v.lo / 1e9 * x_min, v.hi / 1e9 * x_min, end, v.lo / 1e9 * end, v.hi / 1e9 * end);
    }
}

static void ceiling_clause(FILE *out, const struct ceiling *c, int i)
{
    const struct sp_value v = sp_record_value_of(c->roof);
    fprintf(out, "$C%d using 1:2 with lines lw %s dt %d lc rgb '%s' notitle", i,
            c->main || c->flops ? "2" : "1.2", sp_origin_dash(v.origin), ceiling_color(c));
}

/* A point of the table: intensity and rate, with intervals for what was measured. */
struct point {
    double x, x_lo, x_hi, y, y_lo, y_hi; /* [flop/B], [Gflop/s] */
    bool measured;
    const char *row, *bytes_origin;
};

static bool point_of(const struct sp_record *record, const json_t *row, struct point *p)
{
    double balance = sp_item_number(row, "balance"), rate = sp_item_number(row, "performance");
    const char *name = sp_item_text(row, "row");
    if (!(balance > 0) || !(rate > 0))
        return false;
    *p = (struct point){.x = 1 / balance,
                        .y = rate / 1e9,
                        .row = name ? name : "?",
                        .bytes_origin = sp_item_text(row, "bytes_source")};
    if (!p->bytes_origin)
        p->bytes_origin = sp_item_text(row, "bytes_origin");
    p->x_lo = p->x_hi = p->x;
    p->y_lo = p->y_hi = p->y;
    p->measured = name && strncmp(name, "measured", 8) == 0;
    if (!p->measured)
        return true;
    struct sp_value b = sp_record_metric(record, "balance"), r = sp_record_metric(record, "performance");
    if (sp_value_known(b) && b.lo > 0) {
        p->x_lo = fmin(p->x, 1 / b.hi);
        p->x_hi = fmax(p->x, 1 / b.lo);
    }
    if (sp_value_known(r)) {
        p->y_lo = fmin(p->y, r.lo / 1e9);
        p->y_hi = fmax(p->y, r.hi / 1e9);
    }
    return true;
}

struct span {
    double x_lo, x_hi, y_lo, y_hi;
    int n;
};

/* Data block $Pk of record k: all its points in the table's order, so that the line that joins them shows the
 * excess traffic as its horizontal part and the lost time as its vertical one. */
static void write_points(FILE *out, const struct sp_record *record, int k, bool alone, int *number,
                         struct span *span)
{
    const json_t *rows = sp_record_node(record, "table"), *row;
    size_t i;
    fprintf(out, "# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, measured, number\n$P%d << EOD\n", k);
    json_array_foreach(rows, i, row)
    {
        struct point p;
        if (!point_of(record, row, &p))
            continue;
        fprintf(out, "%.8g %.8g %.8g %.8g %.8g %.8g %d %d\n", p.x, p.x_lo, p.x_hi, p.y, p.y_lo, p.y_hi,
                p.measured, alone || p.measured ? ++*number : 0);
        span->x_lo = fmin(span->x_lo, p.x_lo);
        span->x_hi = fmax(span->x_hi, p.x_hi);
        span->y_lo = fmin(span->y_lo, p.y_lo);
        span->y_hi = fmax(span->y_hi, p.y_hi);
        span->n++;
    }
    fputs("EOD\n", out);
}

/* Of several records only the measured points have a number and a place in the key. */
static void key_entries(FILE *out, const struct sp_record *const *records, int n)
{
    int number = 0;
    for (int k = 0; k < n; k++) {
        const json_t *rows = sp_record_node(records[k], "table"), *row;
        size_t i;
        json_array_foreach(rows, i, row)
        {
            struct point p;
            char text[400], name[256], figure[32];
            if (!point_of(records[k], row, &p))
                continue;
            if (n > 1 && !p.measured)
                continue;
            number++;
            snprintf(text, sizeof text, "%d  %s%s%s  %s Gflop/s%s%s", number,
                     n > 1 ? sp_script_name(name, sizeof name, records[k]) : "", n > 1 ? ", " : "", p.row,
                     sp_figure(figure, sizeof figure, p.y, 3), p.bytes_origin ? ", bytes " : "",
                     p.bytes_origin ? p.bytes_origin : "");
            fprintf(out, ", \\\n    keyentry with points pt %d ps 1.1 lw 1.5 lc rgb '%s' title ",
                    p.measured ? 7 : 6, sp_series_color(k));
            sp_script_string(out, text);
        }
    }
}

static void point_clauses(FILE *out, int n, bool numbered, bool inset)
{
    for (int k = 0; k < n; k++) {
        const char *color = sp_series_color(k), *size = inset ? "1.3" : "0.9";
        fprintf(out, ", \\\n    $P%d using 1:4 with lines lw 1 lc rgb '%s' notitle", k, color);
        fprintf(
            out,
            ", \\\n    $P%d using ($7 == 1 ? $1 : NaN):4:2:3:5:6 with xyerrorbars pt 7 ps 0.1 lw 1 lc rgb "
            "'%s' notitle",
            k, color);
        fprintf(out,
                ", \\\n    $P%d using ($7 == 1 ? NaN : $1):4 with points pt 7 ps %s lc rgb '#ffffff' notitle",
                k, size);
        fprintf(
            out,
            ", \\\n    $P%d using ($7 == 1 ? NaN : $1):4 with points pt 6 ps %s lw 1.5 lc rgb '%s' notitle",
            k, size, color);
        fprintf(out, ", \\\n    $P%d using ($7 == 1 ? $1 : NaN):4 with points pt 7 ps %s lc rgb '%s' notitle",
                k, size, color);
        for (int odd = 0; odd < 2 && numbered; odd++) /* on two sides: model points often coincide */
            fprintf(out,
                    ", \\\n    $P%d using 1:4:($8 > 0 && int($8) %% 2 == %d ? sprintf('%%d', $8) : '') with "
                    "labels "
                    "offset char %s,-0.5 font ',10' tc rgb '%s' notitle",
                    k, odd, odd ? "-1.1" : "1.1", color);
    }
}

/* SpMV's points fall into a fraction of a decade: a linear magnifier in the empty corner under the roofs. */
static void write_inset(FILE *out, const struct ceilings *all, const struct span *s, int n)
{
    double x_pad = fmax(0.35 * (s->x_hi - s->x_lo), 0.12 * s->x_hi),
           y_pad = fmax(0.25 * (s->y_hi - s->y_lo), 0.1 * s->y_hi);
    double x0 = fmax(s->x_lo - x_pad, 0), x1 = s->x_hi + x_pad, y0 = fmax(s->y_lo - y_pad, 0),
           y1 = s->y_hi + y_pad;
    fprintf(out,
            "unset label; unset logscale; unset title; unset object; unset xlabel; unset ylabel; unset key\n"
            "set lmargin at screen 0.345; set rmargin at screen 0.54; set bmargin at screen 0.175; set "
            "tmargin at screen 0.44\n"
            "set border 15 lc rgb '" SP_GREY "' lw 0.8\n"
            "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#ffffff' fs solid noborder\n"
            "set format '%%.3g'; set tics font ',8'; set xtics in "
            "offset 0,0.4\n"
            "set ytics in offset 0.6,0\n"
            "set xtics %g; set ytics %g; set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\nplot ",
            sp_nice_step(x1 - x0, 5), sp_nice_step(y1 - y0, 5), x0, x1, y0, y1);
    for (int i = 0; i < all->n; i++) {
        ceiling_clause(out, &all->c[i], i);
        fputs(i + 1 < all->n ? ", \\\n    " : "", out);
    }
    point_clauses(out, n, true, true);
    fputs("\nunset object 1; set tics font ','; set format; set border 3 lc rgb '" SP_GREY "' lw 1\n", out);
}

/* Would the inset lie over a point? Its corner at the lower right begins at these shares of the main plot. */
static bool is_covered(const struct span *s, const struct frame *f)
{
    double x = log10(s->x_hi / x_min) / log10(f->x_max / x_min);
    double y = log10(s->y_lo / f->y_min) / log10(f->y_max / f->y_min);
    return x > 0.53 && y < 0.48;
}

static void write_script(const struct sp_record *const *records, int n, enum sp_term term, FILE *out)
{
    struct ceilings all;
    bool text = term == SP_TERM_TXT, panel = false;
    struct span span = {INFINITY, 0, INFINITY, 0, 0};
    int number = 0;
    collect(records[0], &all);
    struct frame f = frame_of(&all);
    write_ceilings(out, &all, &f);
    for (int k = 0; k < n; k++) {
        write_points(out, records[k], k, n == 1, &number, &span);
        panel = panel || sp_losses_known(records[k]);
    }
    if (!text)
        fprintf(
            out,
            "set multiplot\nset lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; "
            "set tmargin at screen %g\n",
            left, right, bottom, top);
    sp_script_title(out, records[0], n > 1 ? "ceilings of" : "");
    fputs("set title offset 0,-0.3\n", out);
    fprintf(out,
            "set logscale xy; set format x '%%g'; set format y '%%g'\n"
            "set xrange [%g:%g]; set yrange [%g:%g]; set clip two\n"
            "set xlabel 'intensity, flop/B of %s traffic'; set ylabel 'Gflop/s' offset 1,0\n"
            "set key top left Left reverse font ',10'\n",
            x_min, f.x_max, f.y_min, f.y_max,
            sp_words_level(sp_words_text(records[0], "binding.level", "MEM")));
    label_bandwidths(out, &all, &f, !text);
    label_peaks(out, &all, &f, number);
    fputs("plot ", out);
    for (int i = 0; i < all.n; i++) {
        const struct ceiling *c = &all.c[i];
        struct sp_value v = sp_record_value_of(c->roof);
        if (c->main && !c->flops && v.hi > v.lo && !text)
            fputs("$B using 1:2:3 with filledcurves fc rgb '" SP_BLUE
                  "' fs transparent solid 0.25 noborder notitle, \\\n    ",
                  out);
        ceiling_clause(out, c, i);
        fputs(i + 1 < all.n ? ", \\\n    " : "", out);
    }
    point_clauses(out, n, text, false);
    key_entries(out, records, n);
    fputc('\n', out);
    if (text)
        return;
    if (span.n > 0 && !is_covered(&span, &f))
        write_inset(out, &all, &span, n);
    if (panel)
        sp_losses_panel(records, n, (struct sp_panel){0.705, 0.985, 0.115, 0.90}, "where the time goes", out);
    fputs("unset multiplot\n", out);
}

static const char *lacks(const struct sp_record *record)
{
    struct ceilings all;
    collect(record, &all);
    if (all.n == 0 || all.c[0].flops)
        return "a bandwidth ceiling with a role (roofs)";
    return json_array_size(sp_record_node(record, "table")) > 0 ? NULL : "times (table)";
}

const struct sp_plot_kind sp_plot_roofline = {
    "roofline",
    "ceilings, measured and modelled points; where the time goes beside it",
    6,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    110,
    34,
};
