/* The two-level roofline of a GPU: the ways in which its threads can share a kernel's work, each
 * with a point for each level at flop per byte of that level, joined at the rate that the model
 * predicts. The level whose point lies on its own roof is what takes the time. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record.h"
#include "plots/plot.h"
#include "plots/script.h"

/* The ways in which a GPU's threads can share a kernel's work, as points of a roofline. */

enum way_level { WAY_L1, WAY_L2, WAY_MEM, N_WAY_LEVELS };

struct way_point {
    double x, lo, hi; /* [flop/B] work over the bytes of the level; x 0: there is none */
};

struct gpu_way_drawn {
    char text[160];       /* "CRS lanes 8  219 Gflop/s, memory bandwidth" */
    int number;           /* from 1 */
    double y, y_lo, y_hi; /* [Gflop/s] */
    bool measured;
    bool is_bound; /* all stays in the L2, whose bandwidth is not known: the rate is a lower bound */
    struct way_point at[N_WAY_LEVELS];
};

enum { MOST_WAYS_DRAWN = 13 };

/* Where the points of a GPU's levels, their numbers and the names of the roofs go in a picture. */

struct level_roof {
    const struct sp_record *record;
    const json_t *item;
    double rate; /* [GB/s] or [Gflop/s]; 0: not known */
};

struct levels_picture {
    const struct sp_record *record;
    struct gpu_way_drawn way[MOST_WAYS_DRAWN];
    int n;
    struct level_roof memory, L2, L1, peak;
    bool text;
    double x_min, x_max, y_min, y_max;
    double x_px, y_px; /* pixels in a decade; of text columns and lines */
};

/* Numbers of points that nearly coincide share a label. */
struct point_group {
    double lo, hi, y; /* of its points [px], from 1 flop/B and 1 Gflop/s */
    unsigned ways;    /* bit i: way[i] */
    char text[64];    /* "2,3" */
};

static const struct {
    const char *words, *level;
    int hollow, filled;       /* types of points */
    char mark, measured_mark; /* in text; 0: not drawn there */
} levels[N_WAY_LEVELS] = {{"sectors of the ", "L1", 8, 9, 0, 0},
                          {"bytes of the ", "L2", 4, 5, 'x', 'X'},
                          {"bytes of ", "MEM", 6, 7, 'o', 'O'}};

/* Bytes of a band as an interval of intensity. */
static struct way_point point_of(double work, struct sp_value bytes)
{
    if (!sp_value_known(bytes) || !(bytes.value > 0))
        return (struct way_point){0};
    return (struct way_point){work / bytes.value, work / bytes.hi, bytes.lo > 0 ? work / bytes.lo : INFINITY};
}

static bool read_way(const json_t *item, double work, struct gpu_way_drawn *w)
{
    const struct sp_value time = sp_record_value_of(json_object_get(item, "time"));
    const json_t *bytes = json_object_get(item, "levels");
    const char *name = sp_item_text(item, "name"), *bound = sp_item_text(item, "bound_by");
    char rate[32];
    if (!sp_value_known(time) || !(time.value > 0) || !bytes)
        return false;
    *w = (struct gpu_way_drawn){.y = work / time.value / 1e9};
    w->y_lo = w->y_hi = w->y;
    w->is_bound = json_is_true(json_object_get(item, "upper_bound"));
    for (int k = 0; k < N_WAY_LEVELS; k++)
        w->at[k] = point_of(work, sp_record_value_of(json_object_get(bytes, levels[k].level)));
    snprintf(w->text, sizeof w->text, "%s  %s%s Gflop/s, %s", name ? name : "?", w->is_bound ? "≥ " : "",
             sp_figure(rate, sizeof rate, w->y, 3),
             w->is_bound ? "all in the L2"
             : bound     ? bound
                         : "?");
    return w->at[WAY_L2].x > 0 || w->at[WAY_MEM].x > 0;
}

/* Counted where both directions were, else modelled. */
static struct sp_value measured_bytes(const struct sp_record *record, enum sp_record_field read,
                                      enum sp_record_field written, struct sp_value otherwise)
{
    const struct sp_value in = sp_record_value(record, read), out = sp_record_value(record, written);
    return sp_value_known(in) && sp_value_known(out) ? sp_value_sum(in, out) : otherwise;
}

/* What is added in the L2 are no stores of the SMs; the model's stores have it. */
static struct sp_value measured_L2(const struct sp_record *record, struct sp_value otherwise)
{
    static const enum sp_record_field updates[] = {SP_F_GPU_COUNTS_L2_REDUCTION, SP_F_GPU_COUNTS_L2_ATOMIC};
    const struct sp_value none = sp_value_none("not counted");
    struct sp_value all = measured_bytes(record, SP_F_GPU_COUNTS_L2_READ, SP_F_GPU_COUNTS_L2_WRITE, none);
    if (!sp_value_known(all))
        return otherwise;
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        const struct sp_value more = sp_record_value(record, updates[i]);
        if (sp_value_known(more))
            all = sp_value_sum(all, more);
    }
    return all;
}

static const char *name_of_kernel(const struct sp_record *record)
{
    const json_t *ways = sp_record_node(record, SP_F_GPU_WAYS), *item;
    size_t i;
    json_array_foreach(ways, i, item)
    {
        if (json_is_true(json_object_get(item, "chosen")) && sp_item_text(item, "name"))
            return sp_item_text(item, "name");
    }
    return sp_words_text(record, SP_F_CONFIG_KERNEL, "kernel");
}

/* The kernel that ran: its rate is measured, its bytes are counted where that was possible. */
static bool read_measured(const struct sp_record *record, double work, struct gpu_way_drawn *w)
{
    const struct sp_value rate = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    char figure[32];
    if (rate.origin != SP_MEASURED)
        return false;
    const struct sp_value none = sp_value_none("not in the record");
    const struct sp_value L2_B = measured_bytes(record, SP_F_GPU_L2_LOAD, SP_F_GPU_L2_STORE, none),
                          DRAM_B = measured_bytes(record, SP_F_GPU_MEMORY_LOAD, SP_F_GPU_MEMORY_STORE, none);
    *w = (struct gpu_way_drawn){
        .measured = true, .y = rate.value / 1e9, .y_lo = rate.lo / 1e9, .y_hi = rate.hi / 1e9};
    const struct sp_value copies = sp_record_value(record, SP_F_GPU_L1_COPY);
    struct sp_value L1_B = measured_bytes(record, SP_F_GPU_L1_LOAD, SP_F_GPU_L1_STORE, none);
    if (sp_value_known(L1_B) && sp_value_known(copies))
        L1_B = sp_value_sum(L1_B, copies);
    w->at[WAY_L1] = point_of(work, L1_B);
    w->at[WAY_L2] = point_of(work, measured_L2(record, L2_B));
    w->at[WAY_MEM] =
        point_of(work, measured_bytes(record, SP_F_GPU_COUNTS_DRAM_READ, SP_F_GPU_COUNTS_DRAM_WRITE, DRAM_B));
    snprintf(w->text, sizeof w->text, "%s, measured  %s Gflop/s", name_of_kernel(record),
             sp_figure(figure, sizeof figure, w->y, 3));
    return true;
}

/* The modelled ways in the record's order, then the kernel that ran; how many, 0: no levels. */
static int gpu_ways_read(const struct sp_record *record, struct gpu_way_drawn way[MOST_WAYS_DRAWN])
{
    const json_t *ways = sp_record_node(record, SP_F_GPU_WAYS), *item;
    const struct sp_value work = sp_record_value(record, SP_F_METRICS_FLOPS);
    size_t i;
    int n = 0;
    if (!sp_value_known(work) || !(work.value > 0))
        return 0;
    json_array_foreach(ways, i, item)
    {
        if (n < MOST_WAYS_DRAWN - 1 && read_way(item, work.value, &way[n]))
            n++;
    }
    if (n > 0 && read_measured(record, work.value, &way[n]))
        n++;
    for (int k = 0; k < n; k++)
        way[k].number = k + 1;
    return n;
}

/* Of several ceilings of a level the one that fractions are of, else the first. */
static struct level_roof level_roof_of(const struct sp_record *record, const char *level)
{
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS), *item;
    struct level_roof found = {record, NULL, 0};
    size_t i;
    json_array_foreach(roofs, i, item)
    {
        const char *its = sp_item_text(item, "level"), *role = sp_item_text(item, "role");
        const double rate = sp_item_number(item, "value");
        const bool main = role && strcmp(role, "roof") == 0;
        if (its && strcmp(its, level) == 0 && rate > 0 && (!found.item || main))
            found = (struct level_roof){record, item, rate / 1e9};
    }
    return found;
}

/* The way has a point at this level; text leaves the L1 out. */
static bool levels_draws(const struct levels_picture *p, const struct gpu_way_drawn *w, int level)
{
    return w->at[level].x > 0 && (!p->text || level != WAY_L1);
}

/* Ends of a way's line: as far as its bytes are uncertain. Where nearly none may come, the line
 * ends at three times the intensity. */
static void levels_ends(const struct levels_picture *p, const struct gpu_way_drawn *w, double *lo, double *hi)
{
    *lo = INFINITY, *hi = 0;
    for (int k = 0; k < N_WAY_LEVELS; k++)
        if (levels_draws(p, w, k)) {
            *lo = fmin(*lo, w->at[k].lo);
            *hi = fmax(*hi, fmin(w->at[k].hi, 3 * w->at[k].x));
        }
}

/* "L2 load 5400 GB/s stated" */
static char *level_roof_text(const struct level_roof *r, char *text, size_t size)
{
    char name[64], value[160];
    snprintf(text, size, "%s %s", sp_words_roof(name, sizeof name, r->record, r->item),
             sp_words_roof_value(value, sizeof value, r->item));
    return text;
}

/* What the names of the roofs need above the points: a line each and one between, or their length
 * along the roofs [px]. */
static double height_of_names(const struct levels_picture *p)
{
    char memory[256], L2[256] = "";
    level_roof_text(&p->memory, memory, sizeof memory);
    if (p->L2.rate > 0)
        level_roof_text(&p->L2, L2, sizeof L2);
    const size_t longest = strlen(memory) > strlen(L2) ? strlen(memory) : strlen(L2);
    return p->text ? 3 : 6.5 * (double)longest * sin(atan2(p->y_px, p->x_px)) + 35;
}

/* Ranges of the axes in a panel of `width` and `height`: around the points and the upper ends of
 * the roofs, with room for the names of these above the points; with_peak: up to the peak instead.
 * The roof of memory must be known. */
static void levels_set_frame(struct levels_picture *p, bool with_peak, double width, double height)
{
    double x_lo = INFINITY, x_hi = 0, y_lo = INFINITY, y_hi = 0, room = 0.2;
    for (int i = 0; i < p->n; i++) {
        double lo, hi;
        levels_ends(p, &p->way[i], &lo, &hi);
        x_lo = fmin(x_lo, lo);
        x_hi = fmax(x_hi, hi);
        y_lo = fmin(y_lo, p->way[i].y_lo);
        y_hi = fmax(y_hi, p->way[i].y_hi);
    }
    p->y_min = 0.6 * y_lo;
    do {
        p->y_max = with_peak ? 2 * fmax(p->peak.rate, y_hi) : pow(10, room) * y_hi;
        p->x_min = fmin(0.7 * x_lo, p->L2.rate > 0 ? 0.4 * p->y_max / p->L2.rate : INFINITY);
        if (p->L1.rate > 0 && !p->text && !with_peak)
            p->x_min = fmin(p->x_min, fmax(0.4 * p->y_max / p->L1.rate, 0.05 * x_lo));
        p->x_max = fmax(1.6 * x_hi, 1.1 * p->y_max / p->memory.rate);
        p->x_px = width / log10(p->x_max / p->x_min);
        p->y_px = height / log10(p->y_max / p->y_min);
        room *= 1.1;
    } while (!with_peak && room < 2 && room / 1.1 * p->y_px < height_of_names(p));
}

static double width_of(const struct levels_picture *p, const struct point_group *g)
{
    return (double)strlen(g->text) * (p->text ? 1 : 6.5) + (p->text ? 1 : 4);
}

static bool do_meet(const struct levels_picture *p, const struct point_group *a, const struct point_group *b)
{
    const double apart = fabs(a->lo + a->hi - b->lo - b->hi) / 2;
    const double spread = p->text ? 2 : (a->hi - a->lo + b->hi - b->lo) / 2;
    return fabs(a->y - b->y) < (p->text ? 1 : 13) &&
           apart < fmax((width_of(p, a) + width_of(p, b)) / 2 + (p->text ? 2 : 0), spread);
}

static void name_group(const struct levels_picture *p, struct point_group *g)
{
    size_t used = 0;
    for (int i = 0; i < p->n; i++)
        if (g->ways >> i & 1)
            used += (size_t)snprintf(g->text + used, sizeof g->text - used, "%s%d", used > 0 ? "," : "",
                                     p->way[i].number);
}

static void join(const struct levels_picture *p, struct point_group *a, const struct point_group *b)
{
    a->ways |= b->ways;
    a->lo = fmin(a->lo, b->lo);
    a->hi = fmax(a->hi, b->hi);
    name_group(p, a);
}

/* Groups of a level's points, in which no two numbers would meet; returns how many. */
static int levels_group(const struct levels_picture *p, int level, struct point_group group[MOST_WAYS_DRAWN])
{
    const double bottom = log10(p->y_min) * p->y_px;
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (levels_draws(p, &p->way[i], level)) {
            const double x = log10(p->way[i].at[level].x) * p->x_px;
            group[n] = (struct point_group){x, x, log10(p->way[i].y) * p->y_px, 1u << i, ""};
            if (p->text)
                group[n].y = round(group[n].y - bottom) + bottom;
            name_group(p, &group[n++]);
        }
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (do_meet(p, &group[i], &group[k])) {
                join(p, &group[i], &group[k]);
                memmove(&group[k], &group[k + 1], (size_t)(--n - k) * sizeof *group);
                k = i; /* it has grown: it may meet those before */
            }
    return n;
}

enum { WIDTH = 1240, HEIGHT = 620, LINES = 34, KEY_EM = 33 };
/* Margins of the panel of text in columns and lines; below it the lines of the key follow. */
enum { TEXT_LEFT = 10, TEXT_RIGHT = 2, TEXT_BELOW = 6, TEXT_ABOVE = 1 };
static const struct sp_panel close_up = {0.074, 0.68, 0.115, 0.92, WIDTH, 10},
                             whole = {0.745, 0.985, 0.115, 0.35, WIDTH, 8};

/* Where a label stands and how it looks; as text neither angle nor size nor colour. */
struct style {
    enum sp_word side;
    double angle;    /* [degrees] */
    int size, color; /* size 0: text */
};

static bool has_level(const struct levels_picture *p, int level)
{
    for (int i = 0; i < p->n; i++)
        if (levels_draws(p, &p->way[i], level))
            return true;
    return false;
}

static bool any_measured(const struct levels_picture *p)
{
    return p->n > 0 && p->way[p->n - 1].measured;
}

static void write_frame(struct sp_script *out, const struct levels_picture *p)
{
    sp_put(out, "set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\n", p->x_min, p->x_max, p->y_min, p->y_max);
    sp_script_round_tics(out, SP_X, p->x_min, p->x_max);
    sp_script_round_tics(out, SP_Y, p->y_min, p->y_max);
}

static void put_label(struct sp_script *out, const char *text, double x, double y, struct style s)
{
    sp_put_text(out, sp_quote("%s", text), "set label %t at first %.6g,%.6g %w", x, y, s.side);
    if (s.angle > 0)
        sp_put(out, " rotate by %.1f", s.angle);
    if (s.size > 0)
        sp_put(out, " font ',%d' tc rgb %c", s.size, s.color);
    sp_put(out, " front\n");
}

static const struct {
    int color;
    size_t offset; /* of its roof in a picture */
} roofs[N_WAY_LEVELS] = {{SP_INDIGO, offsetof(struct levels_picture, L1)},
                         {SP_CYAN, offsetof(struct levels_picture, L2)},
                         {SP_BLUE, offsetof(struct levels_picture, memory)}};

static const struct level_roof *roof_of(const struct levels_picture *p, int level)
{
    return (const struct level_roof *)((const char *)p + roofs[level].offset);
}

/* In text beside the line at its upper end, that of the L2 a line higher, both in the middle of
 * their line: halves may fall together. The L1 is not drawn. */
static void label_as_text(struct sp_script *out, const struct levels_picture *p, const struct level_roof *r,
                          int line)
{
    char text[256];
    if (!(r->rate > 0))
        return;
    level_roof_text(r, text, sizeof text);
    const double y = p->y_max * pow(10, -(line + 1) / p->y_px), x = y / r->rate;
    const bool fits = log10(x / p->x_min) * p->x_px > (double)strlen(text);
    put_label(out, text, x * pow(10, (fits ? -1.5 : 1.5) / p->x_px), y,
              (struct style){.side = fits ? SP_RIGHT : SP_LEFT});
}

/* Along the line, from its upper end, where it meets nothing; its name alone if need be. */
static void label_bandwidth(struct sp_script *out, const struct levels_picture *p, int level,
                            struct sp_places *places)
{
    enum { STEPS = 16, FONT = 10 };
    const struct level_roof *r = roof_of(p, level);
    const double turn = atan2(p->y_px, p->x_px);
    char text[256];
    if (!(r->rate > 0))
        return;
    level_roof_text(r, text, sizeof text);
    const double x0 = fmax(0, log10(p->y_min / r->rate / p->x_min) * p->x_px),
                 x1 = fmin(places->width, log10(p->y_max / r->rate / p->x_min) * p->x_px),
                 y1 = log10(r->rate * p->x_min / p->y_min) * p->y_px + x1 * tan(turn),
                 length = (x1 - x0) / cos(turn);
    struct sp_box choice[2 * STEPS];
    for (int brief = 0; brief < 2; brief++) {
        if (brief)
            sp_words_roof(text, sizeof text, r->record, r->item);
        const double width = FONT * sp_text_em(text) + 4;
        int n = 0;
        for (int side = 1; side >= -1; side -= 2)
            for (int i = 0; i < STEPS && width < length - 8; i++) {
                const double back = 4 + width / 2 + i * (length - 8 - width) / (STEPS - 1), off = 9.5 * side;
                choice[n++] = (struct sp_box){x1 - back * cos(turn) - off * sin(turn),
                                              y1 - back * sin(turn) + off * cos(turn), width, FONT + 4, turn};
            }
        const int best = sp_places_choose(places, choice, n, SP_BY_TEXT);
        if (best < 0)
            continue;
        put_label(out, text, p->x_min * pow(10, choice[best].x / p->x_px),
                  p->y_min * pow(10, choice[best].y / p->y_px),
                  (struct style){SP_CENTER, turn * 180 / M_PI, FONT, roofs[level].color});
        return;
    }
}

static void bandwidth_clause(struct sp_script *out, const struct levels_picture *p,
                             const struct level_roof *r, int color)
{
    if (!(r->rate > 0))
        return;
    sp_put(out, SP_NEXT);
    if (p->peak.rate > 0)
        sp_put(out, "%.6g * x > %.6g ? NaN : ", r->rate, p->peak.rate);
    sp_put(out, "%.6g * x with lines lt 1 lw 2 dt %d lc rgb %c notitle", r->rate,
           sp_origin_dash(sp_record_value_of(r->item).origin), color);
}

static void roof_clauses(struct sp_script *out, const struct levels_picture *p)
{
    const double widest = fmax(p->memory.rate, fmax(p->L1.rate, p->L2.rate));
    sp_put(out, "plot NaN notitle");
    for (int level = N_WAY_LEVELS; level-- > (p->text ? 1 : 0);)
        bandwidth_clause(out, p, roof_of(p, level), roofs[level].color);
    if (p->peak.rate > 0 && !p->text)
        sp_put(out, SP_NEXT "x < %.6g ? NaN : %.6g with lines lt 1 lw 2 dt %d lc rgb %c notitle",
               p->peak.rate / widest, p->peak.rate, sp_origin_dash(sp_record_value_of(p->peak.item).origin),
               SP_INK);
}

/* In text the L2's to the left, memory's to the right. */
static void name_as_text(struct sp_script *out, const struct levels_picture *p)
{
    for (int level = WAY_L2; level <= WAY_MEM; level++) {
        struct point_group group[MOST_WAYS_DRAWN];
        const int n = levels_group(p, level, group), across = level == WAY_L2 ? -1 : 1;
        for (int i = 0; i < n; i++) {
            const double x = (across > 0 ? group[i].hi : group[i].lo) + across;
            put_label(out, group[i].text, pow(10, x / p->x_px), pow(10, group[i].y / p->y_px),
                      (struct style){.side = across > 0 ? SP_LEFT : SP_RIGHT});
        }
    }
}

/* The lines and points, which names keep clear of [px]. */
static void take_lines(const struct levels_picture *p, struct sp_places *places)
{
    for (int level = 0; level < N_WAY_LEVELS; level++) {
        const double rate = roof_of(p, level)->rate;
        if (rate > 0)
            sp_places_take_line(places, 0, log10(rate * p->x_min / p->y_min) * p->y_px, places->width,
                                log10(rate * p->x_max / p->y_min) * p->y_px);
    }
    for (int i = 0; i < p->n; i++) {
        const double y = log10(p->way[i].y / p->y_min) * p->y_px;
        double lo, hi;
        levels_ends(p, &p->way[i], &lo, &hi);
        sp_places_take_line(places, log10(lo / p->x_min) * p->x_px, y, log10(hi / p->x_min) * p->x_px, y);
        for (int k = 0; k < N_WAY_LEVELS; k++)
            if (levels_draws(p, &p->way[i], k))
                sp_places_take(places,
                               (struct sp_box){log10(p->way[i].at[k].x / p->x_min) * p->x_px, y, 12, 12, 0},
                               SP_BY_POINT);
    }
}

/* The L1's below their points, the L2's above, memory's to the right, where that is free. */
static void name_points(struct sp_script *out, const struct levels_picture *p, struct sp_places *places)
{
    static const struct {
        double across, up;
    } ways[N_WAY_LEVELS][8] = {
        {{0, -1}, {1, -1}, {-1, -1}, {0, 1}, {-1, 1}, {1, 1}, {-1, 0}, {1, 0}},
        {{0, 1}, {-1, 1}, {1, 1}, {0, -1}, {-1, -1}, {1, -1}, {-1, 0}, {1, 0}},
        {{1, -1}, {1, 1}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, 0}, {-1, 0}},
    };
    for (int level = 0; level < N_WAY_LEVELS; level++) {
        struct point_group group[MOST_WAYS_DRAWN];
        const int n = levels_group(p, level, group);
        for (int i = 0; i < n; i++) {
            const struct point_group *g = &group[i];
            const double width = 10 * sp_text_em(g->text) + 8, spread = (g->hi - g->lo) / 2,
                         x = (g->hi + g->lo) / 2 - log10(p->x_min) * p->x_px,
                         y = g->y - log10(p->y_min) * p->y_px;
            struct sp_box choice[24];
            for (int k = 0; k < 24; k++) {
                const int far = k / 8;
                const double across = ways[level][k % 8].across, up = ways[level][k % 8].up;
                choice[k] = (struct sp_box){x + across * (spread + width / 2 + (up != 0 ? 3 : 10)),
                                            y + up * (14 + 11 * far), width, 12, 0};
            }
            const int best = sp_places_choose(places, choice, 24, SP_BY_TEXT);
            if (best >= 0)
                put_label(out, g->text, p->x_min * pow(10, choice[best].x / p->x_px),
                          p->y_min * pow(10, choice[best].y / p->y_px),
                          (struct style){SP_CENTER, 0, 10, SP_INK});
        }
    }
}

/* Intervals of the rate at the last level alone: at the others they would lie under the numbers. */
static void write_points(struct sp_script *out, const struct levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct gpu_way_drawn *w = &p->way[i];
        int last = 0;
        for (int k = 0; k < N_WAY_LEVELS; k++)
            last = levels_draws(p, w, k) ? k : last;
        sp_put(out, "# intensity flop/B, lo, hi, rate Gflop/s, lo, hi, level\n$W%d << EOD\n", i);
        for (int k = 0; k <= last; k++)
            if (levels_draws(p, w, k))
                sp_put(out, "%.8g %.8g %.8g %.8g %.8g %.8g %d\n", w->at[k].x, w->at[k].lo, w->at[k].hi, w->y,
                       k == last ? w->y_lo : w->y, k == last ? w->y_hi : w->y, k);
        sp_put(out, "EOD\n");
    }
}

static void point_clauses(struct sp_script *out, const struct levels_picture *p, double size)
{
    for (int i = 0; i < p->n; i++) {
        const int color = sp_series(i).color;
        sp_put(out,
               SP_NEXT "$W%d using 1:4 with lines lt 1 lw 1 lc rgb %c notitle" SP_NEXT
                       "$W%d using 1:4:2:3:5:6 with xyerrorbars lt 1 pt 7 ps 0.1 lw 1 lc rgb %c notitle",
               i, color, i, color);
        for (int k = 0; k < N_WAY_LEVELS; k++)
            sp_put(out,
                   SP_NEXT
                   "$W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps %g lc rgb %c notitle" SP_NEXT
                   "$W%d using ($7 == %d ? $1 : NaN):4 with points pt %d ps %g lw 1.5 lc rgb %c notitle",
                   i, k, levels[k].filled, size, p->way[i].measured ? color : SP_WHITE, i, k,
                   levels[k].hollow, size, color);
    }
}

/* A line of the key that explains, without a sample. */
static void key_remark(struct sp_script *out, struct sp_quoted text)
{
    sp_put_text(out, text, SP_NEXT "keyentry with points pt 0 lc rgb %c title %t", SP_WHITE);
}

static void key_entries(struct sp_script *out, const struct levels_picture *p)
{
    for (int i = 0; i < p->n; i++)
        sp_put_text(out, sp_quote_within(KEY_EM, SP_TERM_SVG, "%d  %s", p->way[i].number, p->way[i].text),
                    SP_NEXT "keyentry with lines lt 1 lw 2 lc rgb %c title %t", sp_series(i).color);
    for (int k = 0; k < N_WAY_LEVELS; k++)
        if (has_level(p, k))
            sp_put_text(out, sp_quote("%s%s", levels[k].words, sp_words_level(p->record, levels[k].level)),
                        SP_NEXT "keyentry with points pt %d ps 1 lw 1.5 lc rgb %c title %t", levels[k].hollow,
                        SP_INK);
    if (!has_level(p, WAY_MEM))
        key_remark(out, sp_quote("no %s%s", levels[WAY_MEM].words,
                                 sp_words_level(p->record, levels[WAY_MEM].level)));
    for (int k = 0; k < N_WAY_LEVELS; k++)
        if (has_level(p, k) && !(roof_of(p, k)->rate > 0))
            key_remark(out, sp_quote("no roof of the %s is known", levels[k].level));
    key_remark(out, sp_quote("bars: how far the bytes are uncertain"));
    key_remark(out, sp_quote("the level whose point is on its roof takes the time"));
    if (any_measured(p))
        sp_put(out, SP_NEXT "keyentry with points pt 7 ps 1 lc rgb %c title 'filled: measured rate'", SP_INK);
}

static void write_title(const struct sp_record *record, enum sp_image term, struct sp_script *out)
{
    const bool invented = strcmp(sp_words_text(record, SP_F_STATUS, ""), "constructed") == 0;
    sp_put_text(
        out,
        sp_quote_within(
            term == SP_TERM_TXT ? SP_TEXT_COLUMNS - 8 : 62, term, "%s   %s  %s/%s  %s   levels of %s%s",
            sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"),
            sp_words_op(sp_words_text(record, SP_F_CONFIG_OP, "spmv")),
            sp_words_text(record, SP_F_CONFIG_PRECISION, "?"), sp_words_text(record, SP_F_CONFIG_INDEX, "?"),
            sp_words_text(record, SP_F_CONFIG_CACHE, "warm"),
            sp_words_text(record, SP_F_MACHINE_NAME, "unnamed machine"), invented ? "   (constructed)" : ""),
        "set title %t\n");
}

static void place(struct sp_script *out, struct sp_panel panel)
{
    sp_put(out,
           "set lmargin at screen %g; set rmargin at screen %g; set bmargin at screen %g; set tmargin at "
           "screen %g\n",
           panel.left, panel.right, panel.bottom, panel.top);
}

static void frame_panel(struct levels_picture *p, struct sp_panel panel, bool with_peak)
{
    levels_set_frame(p, with_peak, (panel.right - panel.left) * WIDTH, (panel.top - panel.bottom) * HEIGHT);
}

/* Values at the points. */
static void hover(struct sp_script *out, const struct levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        sp_put_text(out, sp_quote_value("%d  %s", p->way[i].number, p->way[i].text),
                    SP_NEXT "$W%d using 1:4:(%t.sprintf('; %%.3g flop for each byte of the ', $1).($7 == 0 ? "
                            "'L1' : $7 == 1 ? 'L2' : ",
                    i);
        sp_put_text(out, sp_quote_value("%s", sp_words_level(p->record, levels[WAY_MEM].level)),
                    "%t))" SP_HOVER);
    }
}

/* The points with their numbers; beside them the key, and the whole roofline up to the peak. */
static void draw_picture(struct sp_script *out, struct levels_picture *p, enum sp_image term)
{
    char text[256];
    write_points(out, p);
    sp_put(out, "set multiplot\n");
    place(out, close_up);
    frame_panel(p, close_up, false);
    write_frame(out, p);
    sp_put(out, "set key at screen %g,%g left top Left reverse font ',10'\n", close_up.right + 0.015,
           close_up.top);
    struct sp_places places = {.width = (close_up.right - close_up.left) * WIDTH,
                               .height = (close_up.top - close_up.bottom) * HEIGHT};
    take_lines(p, &places);
    name_points(out, p, &places);
    for (int level = N_WAY_LEVELS; level-- > 0;)
        label_bandwidth(out, p, level, &places);
    roof_clauses(out, p);
    point_clauses(out, p, 1);
    if (term == SP_TERM_SVG)
        hover(out, p);
    key_entries(out, p);
    sp_put(out, "\nunset label; unset key; unset title; unset xlabel; unset ylabel\nset tics font ',8'\n");
    place(out, whole);
    frame_panel(p, whole, true);
    write_frame(out, p);
    if (p->peak.rate > 0)
        put_label(out, level_roof_text(&p->peak, text, sizeof text), p->x_max * 0.97,
                  p->peak.rate * pow(10, 9 / p->y_px), (struct style){SP_RIGHT, 0, 8, SP_INK});
    roof_clauses(out, p);
    point_clauses(out, p, 0.5);
    sp_put(out, "\nunset multiplot\n");
}

/* gnuplot's text terminal draws lines as arrows, and has no hollow points. */
static void draw_lines_as_text(struct sp_script *out, const struct levels_picture *p)
{
    for (int i = 0; i < p->n; i++) {
        const struct gpu_way_drawn *w = &p->way[i];
        double lo, hi;
        levels_ends(p, w, &lo, &hi);
        if (hi > lo)
            sp_put(out, "set arrow from first %.6g,%.6g to first %.6g,%.6g nohead\n", lo, w->y, hi, w->y);
        for (int k = 0; k < N_WAY_LEVELS; k++) {
            const char mark[] = {w->measured ? levels[k].measured_mark : levels[k].mark, '\0'};
            if (levels_draws(p, w, k))
                put_label(out, mark, w->at[k].x, w->y, (struct style){.side = SP_CENTER});
        }
    }
}

/* Below the axis the ways, and what the marks mean. */
static void key_as_text(struct sp_script *out, const struct levels_picture *p)
{
    char peak[200];
    for (int i = 0; i < p->n; i++)
        sp_put_text(
            out,
            sp_quote_within(SP_TEXT_COLUMNS - 3, SP_TERM_TXT, "%d  %s", p->way[i].number, p->way[i].text),
            "set label %t at character 1,%d\n", p->n + 2 - i);
    sp_put_text(out,
                sp_quote("x %s%s, %s%s%s%s", levels[WAY_L2].words, levels[WAY_L2].level,
                         has_level(p, WAY_MEM) ? "o " : "no ", levels[WAY_MEM].words,
                         sp_words_level(p->record, levels[WAY_MEM].level),
                         any_measured(p) ? "; X, O: measured" : ""),
                "set label %t at character 1,2\n");
    sp_put(out, "set label 'lines reach as far as they are uncertain; a point on its roof takes the time' at "
                "character 1,1\n");
    if (p->peak.rate > 0)
        sp_put_text(out,
                    sp_quote_within(SP_TEXT_COLUMNS - 3, SP_TERM_TXT, "above: %s",
                                    level_roof_text(&p->peak, peak, sizeof peak)),
                    "set label %t at character 1,0\n");
}

static void draw_text(struct sp_script *out, struct levels_picture *p)
{
    const int n_lines = p->n;
    levels_set_frame(p, false, SP_TEXT_COLUMNS - 1 - TEXT_LEFT - TEXT_RIGHT,
                     LINES - 1 - TEXT_ABOVE - TEXT_BELOW - n_lines);
    write_frame(out, p);
    sp_put(out, "set key off; set lmargin %d; set rmargin %d; set bmargin %d; set tmargin %d\n", TEXT_LEFT,
           TEXT_RIGHT, TEXT_BELOW + n_lines, TEXT_ABOVE);
    label_as_text(out, p, &p->L2, 0);
    label_as_text(out, p, &p->memory, 1);
    draw_lines_as_text(out, p);
    name_as_text(out, p);
    key_as_text(out, p);
    roof_clauses(out, p);
    sp_put(out, "\n");
}

static void write_script(const struct sp_record *const *records, int n, enum sp_image term,
                         struct sp_script *out)
{
    (void)n;
    struct levels_picture p = {.record = records[0],
                               .memory = level_roof_of(records[0], "MEM"),
                               .L2 = level_roof_of(records[0], "L2"),
                               .L1 = level_roof_of(records[0], "L1"),
                               .peak = level_roof_of(records[0], "core"),
                               .text = term == SP_TERM_TXT};
    p.n = gpu_ways_read(records[0], p.way);
    write_title(p.record, term, out);
    sp_put(out,
           "set logscale xy; set samples %d\n"
           "set xlabel 'intensity, flop for each byte of the level'; set ylabel 'Gflop/s'\n",
           p.text ? 2000 : 400);
    if (p.text)
        draw_text(out, &p);
    else
        draw_picture(out, &p, term);
}

static const struct sp_lack *lacks(const struct sp_record *record)
{
    static const struct sp_lack no_roof = {"a bandwidth of memory", SP_F_ROOFS};
    static const struct sp_lack no_ways = {"predictions of each level of a GPU", SP_F_GPU_WAYS};
    struct gpu_way_drawn way[MOST_WAYS_DRAWN];
    if (!(level_roof_of(record, "MEM").rate > 0))
        return &no_roof;
    return gpu_ways_read(record, way) > 0 ? NULL : &no_ways;
}

const struct sp_plot_kind sp_plot_levels = {
    "levels",     "levels of a GPU: each way to share the work, under its roofs", 1, WIDTH, HEIGHT, lacks,
    write_script,

    LINES,
};
