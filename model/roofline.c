#include "model/roofline.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/cache/partition.h"
#include "sparse/formats/format.h"

static struct sp_value duration(const struct sp_roof_term *t)
{
    return sp_value_between(t->amount.value / t->rate.value, t->amount.lo / t->rate.hi,
                            t->amount.hi / t->rate.lo, SP_MODELLED);
}

struct sp_roofline sp_roofline(double work, const struct sp_roof_term *term, int n_terms)
{
    struct sp_roofline r = {.time_s = sp_value_none("no ceiling is known"),
                            .performance = sp_value_none("no ceiling is known"),
                            .binding = -1};
    for (int i = 0; i < n_terms; i++) {
        if (!sp_value_known(term[i].rate) || !sp_value_known(term[i].amount))
            continue;
        assert(term[i].rate.lo > 0 && term[i].amount.lo >= 0);
        struct sp_value t = duration(&term[i]);
        if (r.binding < 0) {
            r.time_s = t;
            r.binding = i;
            continue;
        }
        if (t.value > r.time_s.value)
            r.binding = i;
        r.time_s.value = fmax(r.time_s.value, t.value);
        r.time_s.lo = fmax(r.time_s.lo, t.lo);
        r.time_s.hi = fmax(r.time_s.hi, t.hi);
    }
    if (r.binding >= 0 && r.time_s.lo > 0)
        r.performance =
            sp_value_between(work / r.time_s.value, work / r.time_s.hi, work / r.time_s.lo, SP_MODELLED);
    else if (r.binding >= 0)
        r.performance = sp_value_none("nothing to do");
    return r;
}

/* Private levels are as many as threads; the last one as many as domains; what is between follows
 * from the cores that share an instance. */
int sp_instances_of(const struct sp_machine *m, int level, int n_threads, int n_domains)
{
    if (level == m->n_caches - 1 && m->cache[level].cores_sharing != 1)
        return n_domains < n_threads ? n_domains : n_threads;
    int sharing = m->cache[level].cores_sharing > 1 ? m->cache[level].cores_sharing : 1;
    return (n_threads + sharing - 1) / sharing;
}

const char sp_residence_fits_upper_end[] = "the data fit the upper end of the capacity";
const char sp_residence_drawn_from_cache[] =
    "they exceed the capacity measured before, but loads of them now reach the speed of this cache";
const char sp_residence_exceeds_lower_end[] = "the data do not fit the lower end of the capacity";
const double sp_residence_own_share = 0.9;

/* What an array adds to an instance. */
static double of_instance(const struct sp_footprint *f, int array, int n_instances)
{
    if (f->by_array)
        return array == SP_ARRAY_X ? f->array_B[array] : f->array_B[array] / n_instances;
    return array == SP_ARRAY_X ? f->each_B : array == SP_ARRAY_VALUES ? f->shared_out_B / n_instances : 0;
}

/* Bytes and capacity of the ways, kept or the others, that are fuller; of a whole cache all. */
static void fill_instance(const struct sp_footprint *f, const struct sp_cache *c, struct sp_residence *r)
{
    const double all_B = (double)sp_cache_believed_B(c);
    r->needed_B = f->shared_out_B / r->n_instances + f->each_B;
    r->capacity_B = all_B;
    for (int part = 0; part < 2 && c->partition.ways > 0; part++) {
        double needed_B = 0, capacity_B = 0;
        for (int a = 0; a < SP_ARRAY_OTHER; a++) {
            if ((int)(c->partition.arrays >> a & 1) != part)
                continue;
            needed_B += of_instance(f, a, r->n_instances);
            capacity_B = all_B * sp_partition_share(c, (enum sp_array)a);
        }
        if (part == 0 || needed_B * r->capacity_B > r->needed_B * capacity_B) {
            r->needed_B = needed_B;
            r->capacity_B = capacity_B;
        }
    }
}

/* What the ends of the last level's capacity say, where its value decided. */
static const char *doubt_of(const struct sp_residence *r, const struct sp_machine *m, bool warm)
{
    const struct sp_cache *llc = sp_machine_llc(m);
    if (!warm || !llc || !sp_value_known(llc->effective_B) || r->level < m->n_caches - 1)
        return NULL;
    const double part = r->capacity_B / (double)sp_cache_believed_B(llc), own = sp_residence_own_share * part;
    if (r->level == m->n_caches)
        return r->needed_B < own * llc->effective_B.hi ? sp_residence_fits_upper_end : NULL;
    return r->needed_B < own * llc->effective_B.lo ? NULL : sp_residence_exceeds_lower_end;
}

struct sp_residence sp_residence_of(const struct sp_machine *m, struct sp_footprint f, int n_threads,
                                    int n_domains, bool warm)
{
    assert(n_threads >= 1 && n_domains >= 1 && f.shared_out_B >= 0 && f.each_B >= 0);
    struct sp_residence r = {.level = m->n_caches, .n_instances = 1};
    snprintf(r.name, sizeof r.name, "MEM");
    /* A GPU's L1 is emptied between kernels. */
    for (int i = m->kind == SP_GPU ? m->n_caches - 1 : 0; i < m->n_caches; i++) {
        if (i < 0)
            continue;
        r.n_instances = sp_instances_of(m, i, n_threads, n_domains);
        fill_instance(&f, &m->cache[i], &r);
        if (warm && r.needed_B < sp_residence_own_share * r.capacity_B) {
            r.level = i;
            snprintf(r.name, sizeof r.name, "L%d", m->cache[i].level);
            break;
        }
    }
    r.doubt = doubt_of(&r, m, warm);
    return r;
}

void sp_residence_inward(struct sp_residence *r, const struct sp_machine *m)
{
    assert(r->level > 0 && r->level <= m->n_caches);
    const struct sp_cache *holder = &m->cache[--r->level];
    r->doubt = NULL;
    snprintf(r->name, sizeof r->name, "L%d", holder->level % 10);
    r->capacity_B = (double)sp_cache_believed_B(holder);
}

double sp_llc_capacity_B(const struct sp_machine *machine, int n_domains)
{
    const struct sp_cache *llc = sp_machine_llc(machine);
    return llc ? (double)n_domains * (double)sp_cache_believed_B(llc) : 0;
}

double sp_inner_capacity_B(const struct sp_machine *m, int level, int n_threads, int n_domains)
{
    if (level <= 0)
        return 0;
    return sp_instances_of(m, level - 1, n_threads, n_domains) *
           (double)sp_cache_believed_B(&m->cache[level - 1]);
}

const struct sp_ceiling *sp_roof_of(const struct sp_machine *machine, const char *level, int n_threads,
                                    const char *mode, bool *exact)
{
    static const char *const names[] = {"load_mix", "load", "triad", "copy"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        const struct sp_ceiling *c =
            sp_machine_ceiling(machine, names[i], level, "f64", n_threads, mode, exact);
        if (c && sp_value_known(c->value))
            return c;
    }
    return NULL;
}

/* Of the ceilings of the kind of `like`: that of one thread (n = 1), or of the least number from n
 * on, else of the largest; `like` itself where there is none in this mode. */
static const struct sp_ceiling *from_threads_on(const struct sp_machine *m, const struct sp_ceiling *like,
                                                int n, const char *mode)
{
    const struct sp_ceiling *best = NULL;
    for (int i = 0; i < m->n_ceilings; i++) {
        const struct sp_ceiling *c = &m->ceiling[i];
        if (strcmp(c->name, like->name) != 0 || strcmp(c->level, like->level) != 0 ||
            strcmp(c->precision, like->precision) != 0 || !sp_value_known(c->value) ||
            (mode && strcmp(c->mode, mode) != 0))
            continue;
        if (!best || (best->n_threads < n ? c->n_threads > best->n_threads
                                          : c->n_threads >= n && c->n_threads < best->n_threads))
            best = c;
    }
    return best ? best : like;
}

static bool is_shared(const struct sp_machine *m, const char *level)
{
    const struct sp_cache *last = sp_machine_llc(m);
    return !last || strcmp(level, "MEM") == 0 ||
           (last->cores_sharing != 1 && level[0] == 'L' && level[1] - '0' == last->level);
}

struct sp_value sp_roof_for(const struct sp_machine *m, const char *level, int n_threads, int n_domains,
                            const char *mode, const struct sp_ceiling **from)
{
    bool exact = false;
    const struct sp_ceiling *c = sp_roof_of(m, level, n_threads, mode, &exact);
    *from = c;
    if (!c)
        return sp_value_none("the machine describes no bandwidth");
    if (exact)
        return c->value;
    *from = c = from_threads_on(m, c, n_threads, mode);
    const struct sp_ceiling *one = from_threads_on(m, c, 1, NULL);
    const double of_threads = (double)n_threads / c->n_threads;
    const int its_domains = c->n_domains > 0 ? c->n_domains : 1;
    const double part = is_shared(m, level) ? (double)n_domains / its_domains : of_threads;
    const double most = strcmp(level, "MEM") == 0 ? fmax(part, 1) : part;
    double lo = c->value.lo * fmin(part, of_threads), value = c->value.value * part,
           hi = c->value.hi * fmax(most, part);
    if (one->n_threads == 1) {
        value = fmin(value, n_threads * one->value.value);
        hi = fmin(hi, n_threads * one->value.hi);
    }
    return sp_value_between(value, fmin(lo, value), fmax(hi, value), SP_MODELLED);
}

static struct sp_volume volume_of_one(const struct sp_predict_inputs *in, double alpha, double w)
{
    const struct sp_sizes sizes = sp_sizes_with_pointers(
        sp_sizes_of(in->precision, in->index, (double)in->n_nz / in->beta), in->row_ptr_B);
    const struct sp_format_kind *kind = sp_format_of(in->format);
    if (kind->unit_slots)
        return sp_volume_spmv_sellu(in->n_r, in->n_nz, in->C, in->beta, in->u, sizes, in->permuted, alpha, w);
    if (kind->in_chunks)
        return sp_volume_spmv_sell(in->n_r, in->n_nz, in->C, in->beta, sizes, in->permuted, alpha, w);
    return sp_volume_spmv_csr(in->n_r, in->n_nz, sizes, alpha, w);
}

static int64_t width_of(const struct sp_predict_inputs *in)
{
    return in->r > 0 ? in->r : 1;
}

static struct sp_volume volume_at(const struct sp_predict_inputs *in, double alpha, double w)
{
    return in->layout ? sp_volume_layout(in->layout, alpha, w)
                      : sp_volume_spmmv(volume_of_one(in, alpha, w), width_of(in));
}

struct sp_footprint sp_footprint_of_layout(const struct sp_layout *l)
{
    struct sp_footprint f = {.shared_out_B = sp_layout_matrix_bytes(l) +
                                             sp_layout_array_bytes(l, SP_ARRAY_ROWS) +
                                             sp_layout_array_bytes(l, SP_ARRAY_Y),
                             .each_B = sp_layout_array_bytes(l, SP_ARRAY_X),
                             .by_array = true};
    for (int a = 0; a < SP_ARRAY_OTHER; a++)
        f.array_B[a] = sp_layout_array_bytes(l, (enum sp_array)a);
    return f;
}

static struct sp_footprint footprint_of(const struct sp_predict_inputs *in, const struct sp_volume *v)
{
    if (in->layout)
        return sp_footprint_of_layout(in->layout);
    double s_x = (double)sp_precision_size(in->precision);
    return (struct sp_footprint){.shared_out_B = sp_volume_matrix_B(v) + v->write_B,
                                 .each_B = s_x * (double)(width_of(in) * in->n_c)};
}

static void find_roof(const struct sp_predict_inputs *in, struct sp_prediction *p)
{
    p->roof_Bps = in->roof_Bps;
    if (sp_value_known(in->roof_Bps))
        return;
    const struct sp_machine *m = in->machine;
    for (int level = p->residence.level; level <= m->n_caches; level++) {
        if (level == m->n_caches)
            snprintf(p->residence.name, sizeof p->residence.name, "MEM");
        else
            snprintf(p->residence.name, sizeof p->residence.name, "L%d", m->cache[level].level);
        p->roof_Bps = sp_roof_for(m, p->residence.name, in->n_threads, in->n_domains, in->mode, &p->roof);
        p->residence.level = level;
        if (p->roof)
            return;
    }
}

static struct sp_value peak_of(const struct sp_predict_inputs *in)
{
    const char *precision = sp_precision_size(in->precision) >= 8 ? "f64" : "f32";
    static const char *const names[] = {"fma", "simd"};
    for (int i = 0; i < 2; i++) {
        const struct sp_ceiling *c =
            sp_machine_ceiling(in->machine, names[i], "core", precision, in->n_threads, NULL, NULL);
        if (c && sp_value_known(c->value) && c->n_threads > in->n_threads) /* cores compute for themselves */
            return sp_value_between(c->value.value * in->n_threads / c->n_threads,
                                    c->value.lo * in->n_threads / c->n_threads,
                                    c->value.hi * in->n_threads / c->n_threads, SP_MODELLED);
        if (c && sp_value_known(c->value))
            return c->value;
    }
    return sp_value_none("the machine describes no peak");
}

static void add_term(struct sp_prediction *p, const char *name, struct sp_value amount, struct sp_value rate)
{
    p->term[p->n_terms++] = (struct sp_roof_term){.name = name, .amount = amount, .rate = rate};
}

static const char *bandwidth_name(const char *level)
{
    if (strcmp(level, "L1") == 0)
        return "L1 bandwidth";
    if (strcmp(level, "L2") == 0)
        return "L2 bandwidth";
    if (strcmp(level, "L3") == 0)
        return "L3 bandwidth";
    return "memory bandwidth";
}

struct sp_prediction sp_predict(const struct sp_predict_inputs *in)
{
    assert(in->n_r > 0 && in->n_nz > 0 && in->beta > 0 && in->beta <= 1);
    assert(sp_value_known(in->alpha) && sp_value_known(in->w) && in->w.lo >= 1 && in->machine);
    assert(in->n_threads >= 1 && in->n_domains >= 1);
    struct sp_prediction p;
    memset(&p, 0, sizeof p);
    p.volume = volume_at(in, in->alpha.value, in->w.value);
    p.volume_B = sp_value_between(p.volume.total_B, volume_at(in, in->alpha.lo, in->w.lo).total_B,
                                  volume_at(in, in->alpha.hi, in->w.hi).total_B, SP_MODELLED);
    if (sp_value_known(in->moved_B))
        p.volume_B = in->moved_B;
    p.work = in->work > 0 ? in->work : sp_flops_per_entry(in->precision) * (double)(width_of(in) * in->n_nz);
    p.balance = sp_value_between(p.volume_B.value / p.work, p.volume_B.lo / p.work, p.volume_B.hi / p.work,
                                 p.volume_B.origin);
    p.residence =
        sp_residence_of(in->machine, footprint_of(in, &p.volume), in->n_threads, in->n_domains, in->warm);
    for (int i = 0; i < in->n_inward && p.residence.level > 0; i++)
        sp_residence_inward(&p.residence, in->machine);
    p.home = p.residence.level;
    find_roof(in, &p);
    add_term(&p, bandwidth_name(p.residence.name), p.volume_B, p.roof_Bps);
    const bool in_cache = p.home < in->machine->n_caches && strcmp(p.residence.name, "MEM") != 0;
    if (in_cache && sp_value_known(in->beyond_B)) {
        const struct sp_ceiling *from;
        add_term(&p, bandwidth_name("MEM"), in->beyond_B,
                 sp_roof_for(in->machine, "MEM", in->n_threads, in->n_domains, in->mode, &from));
    }
    struct sp_value work = sp_value_of(p.work, SP_MODELLED);
    add_term(&p, "in-core execution", work, in->core);
    add_term(&p, "peak performance", work, peak_of(in));
    p.roofline = sp_roofline(p.work, p.term, p.n_terms);
    p.binding = p.roofline.binding < 0 ? "unknown" : p.term[p.roofline.binding].name;
    return p;
}
