#include "plots/levels_frame.h"

#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "io/record/record.h"

static const char *const level_names[SP_N_WAY_LEVELS] = {"L1", "L2", "MEM"};

/* Bytes of a band as an interval of intensity. */
static struct sp_way_point point_of(double work, struct sp_value bytes)
{
    if (!sp_value_known(bytes) || !(bytes.value > 0))
        return (struct sp_way_point){0};
    return (struct sp_way_point){work / bytes.value, work / bytes.hi,
                                 bytes.lo > 0 ? work / bytes.lo : INFINITY};
}

static bool read_way(const json_t *item, double work, struct sp_gpu_way_drawn *w)
{
    const struct sp_value time = sp_record_value_of(json_object_get(item, "time"));
    const json_t *bytes = json_object_get(item, "levels");
    const char *name = sp_item_text(item, "name"), *bound = sp_item_text(item, "bound_by");
    char rate[32];
    if (!sp_value_known(time) || !(time.value > 0) || !bytes)
        return false;
    *w = (struct sp_gpu_way_drawn){.y = work / time.value / 1e9};
    w->y_lo = w->y_hi = w->y;
    w->is_bound = json_is_true(json_object_get(item, "upper_bound"));
    for (int k = 0; k < SP_N_WAY_LEVELS; k++)
        w->at[k] = point_of(work, sp_record_value_of(json_object_get(bytes, level_names[k])));
    snprintf(w->text, sizeof w->text, "%s  %s%s Gflop/s, %s", name ? name : "?", w->is_bound ? "≥ " : "",
             sp_figure(rate, sizeof rate, w->y, 3),
             w->is_bound ? "all in the L2"
             : bound     ? bound
                         : "?");
    return w->at[SP_WAY_L2].x > 0 || w->at[SP_WAY_MEM].x > 0;
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
static bool read_measured(const struct sp_record *record, double work, struct sp_gpu_way_drawn *w)
{
    const struct sp_value rate = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    char figure[32];
    if (rate.origin != SP_MEASURED)
        return false;
    const struct sp_value none = sp_value_none("not in the record");
    const struct sp_value L2_B = measured_bytes(record, SP_F_GPU_L2_LOAD, SP_F_GPU_L2_STORE, none),
                          DRAM_B = measured_bytes(record, SP_F_GPU_MEMORY_LOAD, SP_F_GPU_MEMORY_STORE, none);
    *w = (struct sp_gpu_way_drawn){
        .measured = true, .y = rate.value / 1e9, .y_lo = rate.lo / 1e9, .y_hi = rate.hi / 1e9};
    const struct sp_value copies = sp_record_value(record, SP_F_GPU_L1_COPY);
    struct sp_value L1_B = measured_bytes(record, SP_F_GPU_L1_LOAD, SP_F_GPU_L1_STORE, none);
    if (sp_value_known(L1_B) && sp_value_known(copies))
        L1_B = sp_value_sum(L1_B, copies);
    w->at[SP_WAY_L1] = point_of(work, L1_B);
    w->at[SP_WAY_L2] = point_of(work, measured_L2(record, L2_B));
    w->at[SP_WAY_MEM] =
        point_of(work, measured_bytes(record, SP_F_GPU_COUNTS_DRAM_READ, SP_F_GPU_COUNTS_DRAM_WRITE, DRAM_B));
    snprintf(w->text, sizeof w->text, "%s, measured  %s Gflop/s", name_of_kernel(record),
             sp_figure(figure, sizeof figure, w->y, 3));
    return true;
}

int sp_gpu_ways_read(const struct sp_record *record, struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN])
{
    const json_t *ways = sp_record_node(record, SP_F_GPU_WAYS), *item;
    const struct sp_value work = sp_record_value(record, SP_F_METRICS_FLOPS);
    size_t i;
    int n = 0;
    if (!sp_value_known(work) || !(work.value > 0))
        return 0;
    json_array_foreach(ways, i, item)
    {
        if (n < SP_MOST_WAYS_DRAWN - 1 && read_way(item, work.value, &way[n]))
            n++;
    }
    if (n > 0 && read_measured(record, work.value, &way[n]))
        n++;
    for (int k = 0; k < n; k++)
        way[k].number = k + 1;
    return n;
}

struct sp_level_roof sp_level_roof_of(const struct sp_record *record, const char *level)
{
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS), *item;
    struct sp_level_roof found = {NULL, 0};
    size_t i;
    json_array_foreach(roofs, i, item)
    {
        const char *its = sp_item_text(item, "level"), *role = sp_item_text(item, "role");
        const double rate = sp_item_number(item, "value");
        const bool main = role && strcmp(role, "roof") == 0;
        if (its && strcmp(its, level) == 0 && rate > 0 && (!found.item || main))
            found = (struct sp_level_roof){item, rate / 1e9};
    }
    return found;
}

bool sp_levels_draws(const struct sp_levels_picture *p, const struct sp_gpu_way_drawn *w, int level)
{
    return w->at[level].x > 0 && (!p->text || level != SP_WAY_L1);
}

void sp_levels_ends(const struct sp_levels_picture *p, const struct sp_gpu_way_drawn *w, double *lo,
                    double *hi)
{
    *lo = INFINITY, *hi = 0;
    for (int k = 0; k < SP_N_WAY_LEVELS; k++)
        if (sp_levels_draws(p, w, k)) {
            *lo = fmin(*lo, w->at[k].lo);
            *hi = fmax(*hi, fmin(w->at[k].hi, 3 * w->at[k].x));
        }
}

char *sp_level_roof_text(const struct sp_level_roof *r, char *text, size_t size)
{
    char name[64], value[160];
    snprintf(text, size, "%s %s", sp_words_roof(name, sizeof name, r->item),
             sp_words_roof_value(value, sizeof value, r->item));
    return text;
}

/* What the names of the roofs need above the points: a line each and one between, or their length
 * along the roofs [px]. */
static double height_of_names(const struct sp_levels_picture *p)
{
    char memory[256], L2[256] = "";
    sp_level_roof_text(&p->memory, memory, sizeof memory);
    if (p->L2.rate > 0)
        sp_level_roof_text(&p->L2, L2, sizeof L2);
    const size_t longest = strlen(memory) > strlen(L2) ? strlen(memory) : strlen(L2);
    return p->text ? 3 : 6.5 * (double)longest * sin(atan2(p->y_px, p->x_px)) + 35;
}

void sp_levels_set_frame(struct sp_levels_picture *p, bool with_peak, double width, double height)
{
    double x_lo = INFINITY, x_hi = 0, y_lo = INFINITY, y_hi = 0, room = 0.2;
    for (int i = 0; i < p->n; i++) {
        double lo, hi;
        sp_levels_ends(p, &p->way[i], &lo, &hi);
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

static double width_of(const struct sp_levels_picture *p, const struct sp_point_group *g)
{
    return (double)strlen(g->text) * (p->text ? 1 : 6.5) + (p->text ? 1 : 4);
}

static bool do_meet(const struct sp_levels_picture *p, const struct sp_point_group *a,
                    const struct sp_point_group *b)
{
    const double apart = fabs(a->lo + a->hi - b->lo - b->hi) / 2;
    const double spread = p->text ? 2 : (a->hi - a->lo + b->hi - b->lo) / 2;
    return fabs(a->y - b->y) < (p->text ? 1 : 13) &&
           apart < fmax((width_of(p, a) + width_of(p, b)) / 2 + (p->text ? 2 : 0), spread);
}

static void name_group(const struct sp_levels_picture *p, struct sp_point_group *g)
{
    size_t used = 0;
    for (int i = 0; i < p->n; i++)
        if (g->ways >> i & 1)
            used += (size_t)snprintf(g->text + used, sizeof g->text - used, "%s%d", used > 0 ? "," : "",
                                     p->way[i].number);
}

static void join(const struct sp_levels_picture *p, struct sp_point_group *a, const struct sp_point_group *b)
{
    a->ways |= b->ways;
    a->lo = fmin(a->lo, b->lo);
    a->hi = fmax(a->hi, b->hi);
    name_group(p, a);
}

int sp_levels_group(const struct sp_levels_picture *p, int level,
                    struct sp_point_group group[SP_MOST_WAYS_DRAWN])
{
    const double bottom = log10(p->y_min) * p->y_px;
    int n = 0;
    for (int i = 0; i < p->n; i++)
        if (sp_levels_draws(p, &p->way[i], level)) {
            const double x = log10(p->way[i].at[level].x) * p->x_px;
            group[n] = (struct sp_point_group){x, x, log10(p->way[i].y) * p->y_px, 1u << i, ""};
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
