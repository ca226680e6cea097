#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record_losses.h"
#include "plots/plot.h"
#include "plots/script.h"

/* The panel with the roofs as parts of the picture. Its axes reach as far as the points, the
 * ceilings above them and near knees. Below it a line of the key for each point. */
enum { WIDTH = 1180, HEIGHT = 620, FONT = 10, LINES = 38 };
static const double left = 96, right = 530, whole = 40; /* margins [px]; without losses beside it */
/* A knee farther right than this many times the intensity of all points is none of theirs; ceilings
 * are drawn up to this many times above them. */
static const double near_knee = 12, near_roof = 100;

struct frame {
    double x_min, x_max, y_min, y_max; /* [flop/B], [Gflop/s] */
    double width, height;              /* [px] */
    double x_px, y_px;                 /* pixels in a decade */
    double peak;                       /* [flop/s] highest compute ceiling, 0: none */
    double bandwidth;                  /* [B/s] highest drawn */
};

enum { MAX_CEILINGS = 12 };
struct ceiling {
    const struct sp_record *record;
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

static const char *level_of(const json_t *roof)
{
    const char *level = sp_item_text(roof, "level");
    return level ? level : "?";
}

/* The resource set in use, what has a role; and the other levels' loads beside them. */
static bool is_drawn(const struct sp_record *record, const json_t *roof)
{
    const char *role = sp_item_text(roof, "role"), *name = sp_item_text(roof, "name");
    const json_t *main = sp_record_roof(record);
    if (!role || !sp_value_known(sp_record_value_of(roof)) || !(sp_item_number(roof, "value") > 0))
        return false;
    return strcmp(role, "roof") == 0 || strcmp(role, "floor") == 0 || strcmp(role, "peak") == 0 ||
           strcmp(role, "gathers") == 0 ||
           (main && name && strcmp(name, "load") == 0 && strcmp(level_of(roof), level_of(main)) != 0);
}

static void collect(const struct sp_record *record, struct ceilings *all)
{
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS), *roof;
    size_t i;
    all->n = 0;
    json_array_foreach(roofs, i, roof)
    {
        const char *role = sp_item_text(roof, "role");
        if (!is_drawn(record, roof) || all->n == MAX_CEILINGS)
            continue;
        struct ceiling one = {record, roof, sp_item_number(roof, "value"), sp_roof_is_flops(roof),
                              strcmp(role, "roof") == 0};
        int at = all->n++;
        for (; at > 0 && before(&one, &all->c[at - 1]); at--)
            all->c[at] = all->c[at - 1];
        all->c[at] = one;
    }
}

struct span {
    double x_lo, x_hi, y_lo, y_hi;
    int n;
};

static struct frame frame_of(const struct ceilings *all, const struct span *s, struct sp_panel panel)
{
    struct frame f = {.width = (panel.right - panel.left) * WIDTH,
                      .height = (panel.top - panel.bottom) * HEIGHT};
    double main = 0, highest = s->y_hi;
    for (int i = 0; i < all->n; i++) {
        const struct ceiling *c = &all->c[i];
        if (c->flops)
            f.peak = fmax(f.peak, c->value);
        else
            f.bandwidth = fmax(f.bandwidth, c->value), main = c->main ? c->value : main;
    }
    for (int i = 0; i < all->n; i++) {
        const double there = all->c[i].value * s->x_hi / 1e9;
        if (!all->c[i].flops && there < near_roof * s->y_hi)
            highest = fmax(highest, there);
    }
    const double peak = f.peak / 1e9, knee = main > 0 ? f.peak / main : 0;
    f.x_min = s->x_lo / 2.5;
    f.x_max = knee > s->x_hi / 2 && knee < near_knee * s->x_hi ? fmax(2 * knee, 3 * s->x_hi) : 4 * s->x_hi;
    f.y_min = s->y_lo / 2.5;
    f.y_max = 2.2 * highest;
    /* A peak that the ceilings in the picture reach belongs there. */
    if (peak > 0 && peak < fmax(6 * highest, 1.1 * main * f.x_max / 1e9))
        f.y_max = fmax(1.8 * peak, 1.5 * s->y_hi), f.x_max = fmax(f.x_max, 2 * f.peak / f.bandwidth);
    f.x_px = f.width / log10(f.x_max / f.x_min);
    f.y_px = f.height / log10(f.y_max / f.y_min);
    return f;
}

static int ceiling_color(const struct ceiling *c)
{
    if (c->flops)
        return strcmp(sp_item_text(c->roof, "role"), "gathers") == 0 ? SP_INDIGO : SP_INK;
    return strcmp(level_of(c->roof), "MEM") == 0 ? SP_BLUE : SP_CYAN;
}

/* Pixels from the corner at the lower left, and back. */
static double px_of(const struct frame *f, double x)
{
    return log10(x / f->x_min) * f->x_px;
}
static double py_of(const struct frame *f, double y)
{
    return log10(y / f->y_min) * f->y_px;
}

static void put_label(struct sp_script *out, const struct frame *f, struct sp_quoted text,
                      const struct sp_box *b, int color)
{
    sp_put_text(out, text, "set label %t at %.6g,%.6g center rotate by %.1f font ',%d' tc rgb %c front\n",
                f->x_min * pow(10, b->x / f->x_px), f->y_min * pow(10, b->y / f->y_px), b->turn * 180 / M_PI,
                FONT, color);
}

/* What is visible of a ceiling [px]. */
static struct sp_box ends_of(const struct ceiling *c, const struct frame *f)
{
    const double rate = c->value / 1e9;
    if (c->flops)
        return (struct sp_box){.x = px_of(f, fmax(f->x_min, c->value / f->bandwidth)),
                               .y = py_of(f, rate),
                               .width = px_of(f, f->x_max),
                               .height = py_of(f, rate)};
    const double from = fmax(f->x_min, f->y_min / rate),
                 to = fmin(fmin(f->x_max, f->y_max / rate), f->peak > 0 ? f->peak / c->value : INFINITY);
    return (struct sp_box){px_of(f, from), py_of(f, rate * from), px_of(f, to), py_of(f, rate * to), 0};
}

/* "DRAM load 76.0 ±0.8 GB/s measured", "DRAM load 76.0 GB/s", "DRAM load". */
enum wording { FULL, SHORT, NAME };

static struct sp_quoted words_of_ceiling(const struct ceiling *c, enum wording how, bool above)
{
    char name[64], figure[32], value[160] = "";
    if (how == FULL)
        sp_words_roof_value(value, sizeof value, c->roof);
    else if (how == SHORT)
        snprintf(value, sizeof value, "%s %s", sp_figure(figure, sizeof figure, c->value / 1e9, 3),
                 c->flops ? "Gflop/s" : "GB/s");
    return sp_quote("%s%s%s%s", sp_words_roof(name, sizeof name, c->record, c->roof), *value ? " " : "",
                    value, above ? ", above" : "");
}

/* Along its line, above, then below it, from its upper end on; a peak's at the top. */
enum { STEPS = 12, MORE = 4 /* at the right end of a peak that is short */ };
static int places_of_ceiling(const struct ceiling *c, const struct frame *f, double width,
                             struct sp_box choice[2 * STEPS + MORE])
{
    const struct sp_box e = ends_of(c, f); /* x, y to width, height */
    const bool above = c->flops && c->value / 1e9 > f->y_max;
    const double turn = c->flops ? 0 : atan2(f->y_px, f->x_px), length = hypot(e.width - e.x, e.height - e.y);
    int n = 0;
    for (int i = 0; i < 2 * STEPS; i++) {
        const int down = i / 2;
        const double along = length - 4 - width / 2 - i % STEPS * (length - 8 - width) / (STEPS - 1),
                     off = i < STEPS ? 9.5 : -9.5;
        if (above)
            choice[n++] = (struct sp_box){i % 2 ? 4 + width / 2 : f->width - 4 - width / 2,
                                          f->height - 10 - 14 * down, width, FONT + 4, 0};
        else if (width < length - 8 && e.width > e.x)
            choice[n++] = (struct sp_box){e.x + along * cos(turn) - off * sin(turn),
                                          e.y + along * sin(turn) + off * cos(turn), width, FONT + 4, turn};
    }
    static const double off[MORE] = {9.5, -9.5, 23, -23};
    for (int i = 0; c->flops && !above && e.x < f->width && i < MORE; i++)
        choice[n++] = (struct sp_box){f->width - 4 - width / 2, e.y + off[i], width, FONT + 4, 0};
    return n;
}

/* In fewer words rather than over a line; not at all rather than over text. */
static void label_ceiling(struct sp_script *out, const struct ceiling *c, const struct frame *f,
                          struct sp_places *places)
{
    static const struct {
        enum wording how;
        enum sp_taken_by meets;
    } tries[] = {
        {FULL, SP_BY_LINE}, {SHORT, SP_BY_LINE}, {FULL, SP_BY_TEXT}, {SHORT, SP_BY_TEXT}, {NAME, SP_BY_TEXT}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const struct sp_quoted text =
            words_of_ceiling(c, tries[i].how, c->flops && c->value / 1e9 > f->y_max);
        struct sp_box choice[2 * STEPS + MORE];
        const int n = places_of_ceiling(c, f, FONT * sp_text_width(text, SP_TERM_SVG) + 4, choice),
                  best = sp_places_choose(places, choice, n, tries[i].meets);
        if (best < 0)
            continue;
        put_label(out, f, text, &choice[best], ceiling_color(c));
        return;
    }
}

static bool has_band(const struct ceiling *c)
{
    const struct sp_value v = sp_record_value_of(c->roof);
    return c->main && !c->flops && v.hi > v.lo && v.lo > 0;
}

/* Block $B: the interval of the roof, within the picture: gnuplot does not cut off areas. */
static void write_band(struct sp_script *out, struct sp_value v, const struct frame *f)
{
    enum { POINTS = 40 };
    sp_put(out, "# intensity flop/B, lowest and highest rate Gflop/s\n$B << EOD\n");
    for (int i = 0; i <= POINTS; i++) {
        const double x = f->x_min * pow(f->x_max / f->x_min, (double)i / POINTS),
                     lo = fmax(v.lo / 1e9 * x, f->y_min),
                     hi = fmin(fmin(v.hi / 1e9 * x, f->y_max), f->peak > 0 ? f->peak / 1e9 : INFINITY);
        sp_put(out, "%.6g %.6g %.6g\n", x, fmin(lo, hi), hi);
    }
    sp_put(out, "EOD\n");
}

/* Block $Ci of ceiling i: its two ends, as bandwidths are straight on logarithmic axes. */
static void write_ceilings(struct sp_script *out, const struct ceilings *all, const struct frame *f)
{
    for (int i = 0; i < all->n; i++) {
        const struct ceiling *c = &all->c[i];
        const struct sp_value v = sp_record_value_of(c->roof);
        const double slope = c->flops ? 0 : c->value / 1e9;
        const double from = c->flops ? c->value / f->bandwidth : f->x_min,
                     to = !c->flops && f->peak > 0 ? f->peak / c->value : fmax(f->x_max, 2 * from);
        sp_put(out, "# intensity flop/B, rate Gflop/s\n$C%d << EOD\n%.8g %.8g\n%.8g %.8g\nEOD\n", i, from,
               c->flops ? c->value / 1e9 : slope * from, to, c->flops ? c->value / 1e9 : slope * to);
        if (has_band(c))
            write_band(out, v, f);
    }
}

static void ceiling_clause(struct sp_script *out, const struct ceiling *c, int i)
{
    const struct sp_value v = sp_record_value_of(c->roof);
    sp_put(out, "$C%d using 1:2 with lines lw %g dt %d lc rgb %c ", i, c->main || c->flops ? 2 : 1.2,
           sp_origin_dash(v.origin), ceiling_color(c));
}

/* A point of the table: intensity and rate, with intervals for what was measured. */
struct point {
    double x, x_lo, x_hi, y, y_lo, y_hi; /* [flop/B], [Gflop/s] */
    bool measured;
    const char
        *why_not; /* it is not drawn: so many samples were disturbed that no rate is known; else NULL */
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
                        .bytes_origin = sp_words_row_bytes(record, row)};
    p->x_lo = p->x_hi = p->x;
    p->y_lo = p->y_hi = p->y;
    p->measured = name && strncmp(name, "measured", 8) == 0;
    if (!p->measured)
        return true;
    p->why_not = sp_verdict_disturbed(record);
    struct sp_value b = sp_record_value(record, SP_F_METRICS_BALANCE),
                    r = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    if (sp_value_known(b) && b.lo > 0) {
        p->x_lo = fmin(p->x, 1 / b.hi);
        p->x_hi = fmax(p->x, 1 / b.lo);
    }
    if (sp_value_known(r) && r.lo > 0) {
        p->y_lo = fmin(p->y, r.lo / 1e9);
        p->y_hi = fmax(p->y, r.hi / 1e9);
    }
    return true;
}

/* Data block $Pk of record k: all its points in the table's order, so that the line that joins them
 * shows the excess traffic as its horizontal part and the lost time as its vertical one. */
static void write_points(struct sp_script *out, const struct sp_record *record, int k, bool alone,
                         int *number, struct span *span)
{
    const json_t *rows = sp_record_node(record, SP_F_TABLE), *row;
    size_t i;
    sp_put(out, "# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, measured, number\n$P%d << EOD\n", k);
    json_array_foreach(rows, i, row)
    {
        struct point p;
        if (!point_of(record, row, &p))
            continue;
        const int shown = alone || p.measured ? ++*number : 0;
        if (p.why_not)
            continue;
        sp_put(out, "%.8g %.8g %.8g %.8g %.8g %.8g %d %d\n", p.x, p.x_lo, p.x_hi, p.y, p.y_lo, p.y_hi,
               p.measured, shown);
        span->x_lo = fmin(span->x_lo, p.x_lo);
        span->x_hi = fmax(span->x_hi, p.x_hi);
        span->y_lo = fmin(span->y_lo, p.y_lo);
        span->y_hi = fmax(span->y_hi, p.y_hi);
        span->n++;
    }
    sp_put(out, "EOD\n");
}

/* Points with a number; returns how many. Of several records only the measured ones have one. */
struct numbered {
    struct point p;
    int record, number;
};
enum { MOST_POINTS = 10 };

static int number_points(const struct sp_record *const *records, int n, struct numbered all[MOST_POINTS])
{
    int found = 0;
    for (int k = 0; k < n; k++) {
        const json_t *rows = sp_record_node(records[k], SP_F_TABLE), *row;
        size_t i;
        json_array_foreach(rows, i, row)
        {
            struct point p;
            if (found < MOST_POINTS && point_of(records[k], row, &p) && (n == 1 || p.measured)) {
                all[found] = (struct numbered){p, k, found + 1};
                found++;
            }
        }
    }
    return found;
}

static struct sp_quoted words_of(const struct sp_record *const *records, int n, const struct numbered *m,
                                 double most, enum sp_image term)
{
    char name[256], figure[32];
    const char *in_name = n > 1 ? sp_script_name(name, sizeof name, records[m->record]) : "";
    if (m->p.why_not)
        return sp_quote_within(most, term, "%d  %s%s%s  not known: %s", m->number, in_name, n > 1 ? ", " : "",
                               m->p.row, m->p.why_not);
    return sp_quote_within(most, term, "%d  %s%s%s  %s Gflop/s%s%s", m->number, in_name, n > 1 ? ", " : "",
                           m->p.row, sp_figure(figure, sizeof figure, m->p.y, 3),
                           m->p.bytes_origin ? ", bytes " : "", m->p.bytes_origin ? m->p.bytes_origin : "");
}

static void key_entries(struct sp_script *out, const struct sp_record *const *records, int n,
                        const struct numbered *all, int n_all, double most, enum sp_image term)
{
    for (int i = 0; i < n_all; i++) {
        const struct sp_series look = sp_series(all[i].record);
        sp_put_text(out, words_of(records, n, &all[i], most, term),
                    SP_NEXT "keyentry with points pt %d ps 1.1 lw 1.5 lc rgb %c title %t",
                    all[i].p.measured ? look.filled : look.hollow, look.color);
    }
}

/* Beside its point; points that coincide share a label. */
static void label_points(struct sp_script *out, const struct numbered *all, int n, const struct frame *f,
                         struct sp_places *places)
{
    enum { N_SIDES = 8 };
    bool done[MOST_POINTS] = {false};
    for (int i = 0; i < n; i++) {
        char text[4 * MOST_POINTS] = "";
        struct sp_box choice[2 * N_SIDES];
        const double x = px_of(f, all[i].p.x), y = py_of(f, all[i].p.y);
        if (all[i].p.why_not)
            continue;
        for (int k = i; k < n; k++) {
            if (done[k] || all[k].p.why_not || hypot(px_of(f, all[k].p.x) - x, py_of(f, all[k].p.y) - y) > 3)
                continue;
            done[k] = true;
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%d", used ? "," : "", all[k].number);
        }
        if (!*text)
            continue;
        const double width = FONT * sp_text_em(text) + 6;
        for (int k = 0; k < 2 * N_SIDES; k++) { /* below to the right first: away from the roofs */
            const double turn = -M_PI / 4 + k * M_PI / 4, far = k < N_SIDES ? 10 : 17;
            choice[k] = (struct sp_box){x + cos(turn) * (far + width / 3), y + sin(turn) * (far + 2), width,
                                        FONT + 2, 0};
        }
        const int best = sp_places_choose(places, choice, 2 * N_SIDES, SP_BY_TEXT);
        if (best >= 0)
            put_label(out, f, sp_quote("%s", text), &choice[best], SP_INK);
    }
}

static void point_clauses(struct sp_script *out, const struct sp_record *const *records, int n,
                          enum sp_image term)
{
    for (int k = 0; k < n; k++) {
        const struct sp_series look = sp_series(k);
        sp_put(out, SP_NEXT "$P%d using 1:4 with lines lw 1 lc rgb %c notitle", k, look.color);
        sp_put(
            out,
            SP_NEXT
            "$P%d using ($7 == 1 ? $1 : NaN):4:2:3:5:6 with xyerrorbars pt 7 ps 0.1 lw 1 lc rgb %c notitle",
            k, look.color);
        sp_put(out, SP_NEXT "$P%d using ($7 == 1 ? NaN : $1):4 with points pt %d ps 0.9 lc rgb %c notitle", k,
               look.filled, SP_WHITE);
        sp_put(out,
               SP_NEXT "$P%d using ($7 == 1 ? NaN : $1):4 with points pt %d ps 0.9 lw 1.5 lc rgb %c notitle",
               k, look.hollow, look.color);
        sp_put(out, SP_NEXT "$P%d using ($7 == 1 ? $1 : NaN):4 with points pt %d ps 0.9 lc rgb %c notitle", k,
               look.filled, look.color);
        char name[256];
        if (term == SP_TERM_SVG)
            sp_put_text(out, sp_quote_value("%s, ", sp_script_name(name, sizeof name, records[k])),
                        SP_NEXT "$P%d using 1:4:(%t.($7 == 1 ? 'measured' : 'model').sprintf(': %%.3g "
                                "Gflop/s at %%.3g B/flop', $4, 1 / $1))" SP_HOVER,
                        k);
    }
}

static void plot_ceilings(struct sp_script *out, const struct ceilings *all, enum sp_image term)
{
    const bool text = term == SP_TERM_TXT;
    sp_put(out, "plot ");
    for (int i = 0; i < all->n; i++) {
        const struct ceiling *c = &all->c[i];
        char name[64], value[160];
        if (i > 0)
            sp_put(out, SP_NEXT);
        if (has_band(c) && !text)
            sp_put(out,
                   "$B using 1:2:3 with filledcurves fc rgb %c fs transparent solid 0.25 noborder "
                   "notitle" SP_NEXT,
                   SP_BLUE);
        ceiling_clause(out, c, i);
        if (text)
            sp_put_text(out,
                        sp_quote_within(SP_TEXT_COLUMNS - 12, term, "%s %s",
                                        sp_words_roof(name, sizeof name, c->record, c->roof),
                                        sp_words_roof_value(value, sizeof value, c->roof)),
                        "title %t");
        else
            sp_put(out, "notitle");
    }
}

/* Lines and points first: labels keep clear of them. */
static void label_picture(struct sp_script *out, const struct ceilings *all, const struct numbered *point,
                          int n_points, const struct frame *f)
{
    struct sp_places places = {.width = f->width, .height = f->height};
    for (int i = 0; i < all->n; i++) {
        const struct sp_box e = ends_of(&all->c[i], f);
        sp_places_take_line(&places, e.x, e.y, e.width, e.height);
    }
    for (int i = 0; i < n_points; i++) {
        const struct point *p = &point[i].p, *last = i > 0 ? &point[i - 1].p : p;
        const double x = px_of(f, p->x), y = py_of(f, p->y);
        if (p->why_not)
            continue;
        sp_places_take(&places, (struct sp_box){x, y, 11, 11, 0}, SP_BY_POINT);
        sp_places_take_line(&places, x, py_of(f, p->y_lo), x, py_of(f, p->y_hi));
        if (i > 0 && point[i].record == point[i - 1].record && !last->why_not)
            sp_places_take_line(&places, px_of(f, last->x), py_of(f, last->y), x, y);
    }
    label_points(out, point, n_points, f, &places);
    for (int main = 1; main >= 0; main--)
        for (int i = 0; i < all->n; i++)
            if (all->c[i].main == main)
                label_ceiling(out, &all->c[i], f, &places);
}

/* "DRAM", or in whose caches the data of several records live. */
static const char *traffic_level(const struct sp_record *const *records, int n)
{
    const char *level = sp_words_text(records[0], SP_F_BINDING_LEVEL, "MEM");
    for (int k = 1; k < n; k++)
        if (strcmp(sp_words_text(records[k], SP_F_BINDING_LEVEL, "MEM"), level) != 0)
            return "its level's";
    return sp_words_level(records[0], level);
}

static void write_script(const struct sp_record *const *records, int n, enum sp_image term,
                         struct sp_script *out)
{
    struct ceilings all;
    struct numbered point[MOST_POINTS];
    bool text = term == SP_TERM_TXT, panel = false;
    struct span span = {INFINITY, 0, INFINITY, 0, 0};
    int number = 0;
    collect(records[0], &all);
    for (int k = 0; k < n; k++) {
        write_points(out, records[k], k, n == 1, &number, &span);
        panel = panel || sp_losses_known(records[k]);
    }
    const int n_points = number_points(records, n, point);
    if (!text)
        sp_put(out, "set multiplot\n");
    const struct sp_key key = sp_script_frame(
        out, sp_quote_within(40, term, "intensity, flop/B of %s traffic", traffic_level(records, n)), WIDTH,
        HEIGHT, left, panel ? right : whole, n_points, term);
    const struct frame f = frame_of(&all, &span, key.panel);
    write_ceilings(out, &all, &f);
    sp_script_title(out, records[0], n > 1 ? "ceilings of" : "", text ? SP_TEXT_COLUMNS - 8 : 50, term);
    sp_put(out,
           "set logscale xy; set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]; set clip two\n"
           "set ylabel 'Gflop/s' offset 1,0\n",
           f.x_min, f.x_max, f.y_min, f.y_max);
    sp_script_round_tics(out, SP_X, f.x_min, f.x_max);
    sp_script_round_tics(out, SP_Y, f.y_min, f.y_max);
    if (!text)
        label_picture(out, &all, point, n_points, &f);
    plot_ceilings(out, &all, term);
    point_clauses(out, records, n, term);
    key_entries(out, records, n, point, n_points, text ? key.most : panel ? 52 : 100, term);
    sp_put(out, "\n");
    if (text)
        return;
    if (panel)
        sp_losses_panel(records, n, (struct sp_panel){0.69, 0.99, 0.13, key.panel.top, WIDTH, 11},
                        sp_quote("where the time goes"), term, out);
    sp_put(out, "unset multiplot\n");
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack no_roof = {"a bandwidth ceiling with a role", SP_F_ROOFS};
    static const struct sp_lack no_row = {"times with a balance", SP_F_TABLE};
    struct ceilings all;
    collect(record, &all);
    if (all.n == 0 || all.c[0].flops)
        return &no_roof;
    struct numbered point[MOST_POINTS];
    return number_points(&record, 1, point) > 0 ? NULL : &no_row;
}

const struct sp_plot_kind sp_plot_roofline = {
    "roofline",
    "ceilings, measured and modelled points; where the time goes beside it",
    6,
    WIDTH,
    HEIGHT,
    lacks,
    write_script,
    LINES,
};
