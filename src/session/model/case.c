#include "session/model/case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "model/cache/capacity.h"
#include "model/cache/partition.h"
#include "model/formats/format.h"
#include "model/gpu/gpu_time.h"
#include "session/gpu/gpu_analysis.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"

/* What the formula says crosses each interface: all inside the data's home, none outside. */
static void by_formula(const struct sp_prediction *p, int n_caches, struct sp_traffic *traffic)
{
    const double written = p->volume.write_B;
    for (int k = 0; k < n_caches; k++) {
        const bool crosses = k < p->home;
        memset(&traffic[k], 0, sizeof traffic[k]);
        traffic[k].read_B = crosses ? sp_value_between(p->volume_B.value - written, p->volume_B.lo - written,
                                                       p->volume_B.hi - written, SP_MODELLED)
                                    : sp_value_of(0, SP_MODELLED);
        traffic[k].write_B = sp_value_of(crosses ? written : 0, SP_MODELLED);
    }
}

/* Fills in row->ecm for SpMV with a layout on a described CPU. Bytes: simulated where row->traffic
 * is, else the roofline's over every interface inside the level where the data live. T_OL by the
 * arithmetic peak where P_core is not known, T_nOL by the loads' bytes. The prediction is made. */
static void ecm_of(const struct sp_workload *w, const struct sp_layout *layout, struct sp_value core,
                   struct sp_model_row *row)
{
    const struct sp_machine *m = row->machine;
    row->has_ecm = m->kind == SP_CPU && m->n_caches > 0 && *m->name && layout && w->op == SP_OP_SPMV;
    if (!row->has_ecm)
        return;
    const struct sp_prediction *p = &row->prediction;
    if (row->n_traffic != m->n_caches) {
        by_formula(p, m->n_caches, row->traffic);
        row->n_traffic = 0;
    }
    const double load_B = sp_layout_matrix_bytes(layout) + sp_layout_gather_bytes(layout);
    row->ecm_has_core = sp_value_known(core);
    const struct sp_value core_s =
        row->ecm_has_core
            ? sp_value_between(p->work / core.value, p->work / core.hi, p->work / core.lo, SP_MODELLED)
            : sp_ecm_peak_s(m, p->work, sp_precision_size(row->precision) < 8);
    row->ecm_inputs = sp_ecm_inputs_of(m, row->traffic, m->n_caches, core_s, sp_ecm_load_s(m, load_B),
                                       row->n_threads, row->n_domains, NULL);
    row->ecm = sp_ecm_of(&row->ecm_inputs);
    row->ecm_rows = (double)layout->n_r;
}

/* Nanoseconds a row, or "unknown". */

/* Rows for a described GPU: one for each way in which its threads can share the format's work. */

/* The launch at place `way` (0, 1, ...) of those that take the layout; false: there are no more. */
static bool gpu_way(const struct sp_layout *l, int way, struct sp_gpu_launch *launch)
{
    for (int m = 0, n = 0; m < SP_N_GPU_MAPS; m++)
        if (sp_gpu_map_op((enum sp_gpu_map)m) == l->op &&
            sp_gpu_launch_make(l, (enum sp_gpu_map)m, 0, launch, NULL) == SP_OK && n++ == way)
            return true;
    return false;
}

/* Entries are known, GPU kernels take the layout, the machine says what an SM holds, and neither
 * alpha nor bytes are given. */
static bool is_on_gpu(const struct sp_model_request *request, const struct sp_layout *l,
                      const struct sp_machine *machine)
{
    struct sp_gpu_launch launch;
    return l && sp_gpu_is_described(machine) &&
           (request->alpha_kind == SP_ALPHA_DEFAULT || request->alpha_kind == SP_ALPHA_SIM) &&
           !(request->volume_B > 0) && gpu_way(l, 0, &launch);
}

/* Is there a GPU kernel for the operation and format? */
static bool has_gpu_way(enum sp_op op, int format)
{
    for (int m = 0; m < SP_N_GPU_MAPS; m++)
        if (sp_gpu_map_op((enum sp_gpu_map)m) == op && sp_gpu_map_format((enum sp_gpu_map)m) == format)
            return true;
    return false;
}

/* The level that the data come from: its bytes, roof, and the GPU's time replace the formula's. */
static void take_over(const struct sp_gpu_prediction *g, struct sp_model_row *row)
{
    struct sp_prediction *p = &row->prediction;
    const struct sp_machine *m = row->machine;
    bool in_L2 = g->term[SP_GPU_TERM_MEMORY].amount.hi <= 0;
    const struct sp_roof_term *home = &g->term[in_L2 ? SP_GPU_TERM_L2 : SP_GPU_TERM_MEMORY];
    struct sp_residence *r = &p->residence;
    p->home = in_L2 ? m->n_caches - 1 : m->n_caches;
    r->level = g->L2_as_memory ? m->n_caches : p->home;
    snprintf(r->name, sizeof r->name, "%s", r->level < m->n_caches ? "L2" : "MEM");
    p->volume_B = home->amount;
    p->balance = sp_value_between(home->amount.value / p->work, home->amount.lo / p->work,
                                  home->amount.hi / p->work, home->amount.origin);
    p->roof_Bps = home->rate;
    p->roof = in_L2 && !g->L2_as_memory ? g->L2_roof : g->memory_roof;
    p->roofline = g->roofline;
    p->binding = g->binding;
}

/* Fills in row->gpu, alpha, alpha_min, and the prediction, whose bytes and balance are those of
 * memory (of the L2 where nothing comes from memory). `in` is what the prediction by formula takes;
 * the row has its machine, format and x_B. */
static enum sp_status gpu_row(const struct sp_model_request *request, const struct sp_layout *l,
                              const struct sp_gpu_launch *launch, struct sp_predict_inputs *in,
                              const struct sp_progress *progress, struct sp_model_row *row,
                              struct sp_error *err)
{
    void *memory = NULL;
    enum sp_status status = sp_new_array(1, sizeof *row->gpu, "a prediction", &memory, err);
    if (status == SP_OK)
        status = sp_gpu_predict(l, launch, row->machine, in->work, !request->cold, progress, memory, err);
    if (status != SP_OK) {
        free(memory);
        return status;
    }
    row->gpu = memory;
    const struct sp_gpu_traffic *t = &row->gpu->traffic;
    row->alpha_min = sp_value_of(t->x_once_B / row->x_B, SP_MODELLED);
    const struct sp_value x_B =
        row->gpu->term[SP_GPU_TERM_MEMORY].amount.hi > 0 ? t->x_B : sp_gpu_x_from_L2(l, t);
    row->alpha = sp_value_between(x_B.value / row->x_B, x_B.lo / row->x_B, x_B.hi / row->x_B, SP_SIMULATED);
    snprintf(row->note, sizeof row->note, "alpha simulated, %s, warps in turn, L2 %.1f to %.1f MiB",
             request->cold ? "cold" : "warm", (double)t->L2_lo_B / 1048576, (double)t->L2_hi_B / 1048576);
    row->minimum_B = sp_volume_on_gpu(l, row->alpha_min.value).total_B;
    in->alpha = row->alpha;
    row->prediction = sp_predict(in);
    take_over(row->gpu, row);
    char format[sizeof row->format];
    memcpy(format, row->format, sizeof format);
    sp_gpu_way_name(row->format, sizeof row->format, format, launch);
    row->made = true;
    return SP_OK;
}

static int cores_of(const struct sp_machine *m)
{
    return m->n_cores > 0 ? m->n_cores : 1;
}

static int domains_used(const struct sp_machine *m, int n_threads)
{
    int most = 0;
    for (int t = 0; t < n_threads; t++)
        if (sp_machine_domain_of(m, t) > most)
            most = sp_machine_domain_of(m, t);
    return most + 1;
}

/* A GPU deals its rows to all cores in order, so one stream of them is what its L2 sees. */
static int streams_of(const struct sp_machine *m, const struct sp_workload *w)
{
    return m->kind == SP_GPU ? 1 : w->n_threads > 0 ? w->n_threads : cores_of(m);
}

/* On a GPU: x is more than what the L2 surely holds. */
static bool x_may_leave_L2(const struct sp_model_subject *s, const struct sp_workload *w,
                           const struct sp_machine *m)
{
    int64_t lo_B, hi_B;
    if (!sp_gpu_is_described(m))
        return false;
    sp_gpu_L2_band(m, &lo_B, &hi_B);
    return (double)sp_precision_size(w->precision) * (double)s->n_c > (double)lo_B;
}

static int64_t longest_row(const struct sp_csr *a)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        longest = a->row_ptr[i + 1] - a->row_ptr[i] > longest ? a->row_ptr[i + 1] - a->row_ptr[i] : longest;
    return longest;
}

/* What small problems pay beside their bytes; not known of formats without a GPU kernel. */
static void add_gpu_times(const struct sp_model_request *request, const struct sp_model_subject *s,
                          const struct sp_workload *w, struct sp_model_row *row)
{
    struct sp_gpu_sizes sizes = {.n_r = s->n_r, .thread_rows = !sp_format_of(w->format)->plain_rows};
    if (w->op != SP_OP_SPMV || request->volume_B > 0 || !sp_gpu_is_described(row->machine))
        return;
    if (has_gpu_way(w->op, w->format))
        sizes.longest = s->matrix ? longest_row(s->matrix) : request->longest;
    row->by_formula = true;
    row->sizes = sp_gpu_time_of_sizes(row->machine, &sizes, &row->prediction);
    row->prediction.roofline = row->sizes.roofline;
    row->prediction.binding = row->sizes.binding;
}

static enum sp_status from_sizes(const struct sp_model_request *request, const struct sp_model_subject *s,
                                 const struct sp_workload *w, struct sp_model_row *row, struct sp_error *err)
{
    static const char remedy[] = "name a matrix file or gen:... instead of " SP_O_SIZES;
    if (w->op == SP_OP_SDDMM || w->op == SP_OP_FUSEDMM)
        return sp_fail(err, SP_USAGE, remedy, "%s reads rows that have entries, sizes do not suffice",
                       sp_op_name(w->op));
    if (!sp_format_of(w->format)->plain_rows && !sp_format_of(w->format)->in_chunks)
        return sp_fail(err, SP_USAGE, remedy, "what %s stores follows from the entries, sizes do not suffice",
                       row->format);
    if (request->alpha_kind == SP_ALPHA_SIM)
        return sp_fail(err, SP_USAGE, remedy, SP_O_ALPHA " sim needs the entries, sizes do not suffice");
    if (sp_format_of(w->format)->unit_slots)
        return sp_fail(err, SP_USAGE, remedy,
                       "the share of unit-stride slots follows from the entries, sizes do not suffice");
    if (!sp_format_of(w->format)->plain_rows && request->beta <= 0)
        return sp_fail(err, SP_USAGE, "add " SP_O_BETA " B, or name a matrix file",
                       "beta of %s follows from row lengths, sizes do not suffice", row->format);
    double once = sp_alpha_min_sizes(s->n_c, s->n_nz);
    row->alpha_min = sp_value_between(once, once, once * row->n_domains, SP_MODELLED);
    row->alpha = row->alpha_min;
    const bool x_may_leave = request->alpha_kind == SP_ALPHA_DEFAULT && x_may_leave_L2(s, w, row->machine);
    if (x_may_leave)
        row->alpha = sp_value_between(once, once, fmax(once, 1), SP_MODELLED);
    row->beta = sp_format_of(w->format)->plain_rows ? sp_value_of(1, SP_MODELLED)
                                                    : sp_value_of(request->beta, SP_STATED);
    snprintf(row->note, sizeof row->note, "alpha modelled: x loaded once%s",
             row->n_domains > 1 ? "; at most once by each cache domain"
             : x_may_leave      ? "; x may exceed the L2: at most with each entry"
                                : "");
    return SP_OK;
}

static void turn_around(const struct sp_model_request *request, struct sp_model_row *row)
{
    const struct sp_prediction *p = &row->prediction;
    double w = sp_model_w(request, row->machine);
    struct sp_alpha_source source = {.matrix_B = sp_volume_matrix_B(&p->volume),
                                     .y_B = p->volume.write_B,
                                     .x_B = row->x_B,
                                     .w = sp_value_between(w, request->w > 0 ? w : 1, w, SP_STATED),
                                     .read_B = sp_value_none("only the sum is known"),
                                     .total_B = sp_value_of(request->volume_B, SP_STATED)};
    row->inverse = sp_alpha_from_bytes(&source);
}

/* Fills in what the request says of this format on this machine. */
static enum sp_status begin(const struct sp_model_request *request, const struct sp_model_subject *subject,
                            const struct sp_model_ask *ask, struct sp_workload *w, struct sp_error *err)
{
    *w = request->workload;
    w->r = ask->r;
    enum sp_status status = sp_workload_set_format(w, ask->format, err);
    if (status != SP_OK)
        return status;
    w->matrix = subject->matrix;
    if (w->matrix && sp_csr_is_complex(w->matrix) && !request->precision_given)
        w->precision = SP_C128;
    return SP_OK;
}

/* What does not depend on how the prediction is made. */
static enum sp_status begin_row(const struct sp_model_request *request,
                                const struct sp_model_subject *subject, const struct sp_workload *w,
                                const struct sp_layout *layout, const struct sp_machine *machine,
                                struct sp_model_row *row, struct sp_error *err)
{
    memset(row, 0, sizeof *row);
    sp_workload_format_text(w, row->format, sizeof row->format);
    row->r = sp_workload_width(w);
    if (w->op != SP_OP_SPMV)
        snprintf(row->format + strlen(row->format), sizeof row->format - strlen(row->format), " r=%d",
                 (int)row->r);
    row->machine = machine;
    row->n_threads = machine->kind == SP_GPU ? cores_of(machine) : streams_of(machine, w);
    row->n_domains = machine->kind == SP_GPU ? 1 : domains_used(machine, row->n_threads);
    row->precision = w->precision;
    row->unit_share = NAN;
    row->kept.cache = -1;
    row->n_walks = -1;
    row->gather_ahead = -1;
    row->alpha_by_chance = NAN;
    row->gather.time_s = row->gather.roof_ps = row->gather_wait_s = sp_value_none(
        "the levels that gathers come from were not simulated: " SP_O_ALPHA " sim and one machine");
    row->x_B = layout ? sp_layout_gather_bytes(layout)
                      : (double)sp_precision_size(w->precision) * (double)(subject->n_nz * row->r);
    if (!layout)
        return from_sizes(request, subject, w, row, err);
    row->beta = sp_value_of(sp_layout_beta(layout), SP_MODELLED);
    if (sp_format_of(w->format)->unit_slots && layout->n_slots > 0)
        row->unit_share = (double)layout->n_unit_slots / (double)layout->n_slots;
    return SP_OK;
}

static struct sp_predict_inputs inputs_of(const struct sp_model_request *request,
                                          const struct sp_model_subject *subject, const struct sp_workload *w,
                                          const struct sp_layout *layout, const struct sp_model_row *row)
{
    return (struct sp_predict_inputs){
        .n_r = subject->n_r,
        .n_c = subject->n_c,
        .n_nz = subject->n_nz,
        .format = w->format,
        .C = w->C,
        .beta = row->beta.value,
        .permuted = w->sigma > 1,
        .precision = w->precision,
        .index = w->index,
        .row_ptr_B = w->row_ptr_B,
        .r = row->r,
        .layout = layout,
        .work = layout ? sp_workload_flops(w) : 0,
        .alpha = sp_value_of(0, SP_MODELLED),
        .w = sp_value_of(sp_model_w(request, row->machine), SP_MODELLED),
        .machine = row->machine,
        .n_threads = row->n_threads,
        .n_domains = row->n_domains,
        .warm = !request->cold,
        .core = sp_value_none("not measured"),
        .roof_Bps = sp_value_none("the machine's"),
    };
}

static struct sp_value rate_of(double work, struct sp_value time_s)
{
    return sp_value_known(time_s) && time_s.lo > 0
               ? sp_value_between(work / time_s.value, work / time_s.hi, work / time_s.lo, time_s.origin)
               : sp_value_none(time_s.why ? time_s.why : "not measured");
}

/* All units by one thread, without the start of a team. */
static struct sp_value sum_of(const struct sp_unit_time *u)
{
    const double one = u->by ? u->sum_s / (u->time_s.value - u->team_s.value) : 0;
    return !u->by ? u->time_s
                  : sp_value_between(u->sum_s, one * (u->time_s.lo - u->team_s.lo),
                                     one * (u->time_s.hi - u->team_s.hi), SP_MODELLED);
}

static void add_walks(const struct sp_model_row *row, struct sp_gather_roof *roof)
{
    if (row->pages && row->n_walks >= 0)
        sp_page_walks_add(row->machine, row->pages, row->n_walks, row->n_threads, roof);
}

/* Domains have unequal parts of the data: some find theirs in their last level again, others do
 * not; and sets that overflow lose a part of what fits. */
static void find_saved(const struct sp_model_request *request, struct sp_model_row *row)
{
    const int last = row->n_traffic - 1;
    row->memory_B = row->saved_B = sp_value_none("not simulated in the caches of several domains, warm");
    if (request->cold || row->n_traffic != row->machine->n_caches || last < 1 ||
        (row->n_domains < 2 && !sp_overflow_is_of(sp_machine_llc(row->machine))))
        return;
    const struct sp_traffic *t = &row->traffic[last];
    double saved_B = 0;
    for (int a = 0; a < SP_N_ARRAYS; a++)
        if (a != SP_ARRAY_X)
            saved_B += row->prediction.volume.array_B[a] - t->array_read_B[a] - t->array_write_B[a];
    row->memory_B = sp_value_sum(t->read_B, t->write_B);
    row->saved_B = sp_value_of(fmax(0, saved_B), SP_SIMULATED);
}

/* Neither next to nothing nor next to all of V is kept. */
static bool is_kept_in_part(const struct sp_model_row *row)
{
    const double noticed = 0.01, all_B = row->prediction.volume_B.value;
    return sp_value_known(row->saved_B) && row->saved_B.value > noticed * all_B &&
           row->memory_B.value > noticed * all_B;
}

/* Bytes of x from memory beyond those of LRU, because the last level replaces by chance. */
static double lost_by_chance_B(const struct sp_model_row *row, const struct sp_traffic *traffic)
{
    const int last = row->machine->n_caches - 1;
    if (isnan(row->alpha_by_chance) || last < 0 || row->n_traffic != last + 1 || !traffic[last].by_array)
        return 0;
    return fmax(0, row->alpha_by_chance * row->x_B - traffic[last].array_read_B[SP_ARRAY_X]);
}

static struct sp_gather_roof gathers_of(const struct sp_model_row *row, const struct sp_layout *layout,
                                        const struct sp_traffic *from, double lost_B)
{
    struct sp_traffic traffic[SP_MAX_LEVELS];
    memcpy(traffic, from, sizeof traffic);
    if (lost_B > 0)
        traffic[row->n_traffic - 1].array_read_B[SP_ARRAY_X] += lost_B;
    struct sp_gather_roof roof = sp_gather_roof_of_layout(row->machine, layout, traffic, row->n_traffic,
                                                          fmax(0, row->gather_ahead), row->n_threads);
    add_walks(row, &roof);
    return roof;
}

/* Gathers come from where the traffic says, and from memory where chance took their lines. */
static void gather_with(struct sp_model_row *row, const struct sp_layout *layout,
                        const struct sp_traffic *traffic, bool is_first)
{
    const double lost_B = lost_by_chance_B(row, traffic);
    struct sp_gather_roof roof = gathers_of(row, layout, traffic, lost_B);
    if (is_first) {
        row->gather = roof;
        row->lost_x_B = lost_B;
    } else {
        sp_gather_roof_widen(&row->gather, &roof);
    }
    if (lost_B > 0) {
        roof = gathers_of(row, layout, traffic, 0);
        sp_gather_roof_widen(&row->gather, &roof);
    }
}

/* A cache that the data just outgrow keeps a part: ECM's bytes and gathers are then those. */
static void share_out(const struct sp_model_request *request, const struct sp_layout *layout,
                      struct sp_model_row *row)
{
    const double all_B = row->prediction.volume_B.value;
    if (is_kept_in_part(row)) { /* the traffic has it, domain by domain */
        add_walks(row, &row->gather);
        row->kept =
            (struct sp_kept){.cache = row->machine->n_caches - 1,
                             .fetched = sp_value_of(fmin(1, row->memory_B.value / all_B), SP_SIMULATED)};
        return;
    }
    row->kept = sp_kept_of(row->machine, layout ? sp_footprint_of_layout(layout) : (struct sp_footprint){0},
                           row->prediction.home, row->n_threads, row->n_domains, row->traffic,
                           request->cold ? 0 : row->n_traffic);
    if (row->kept.cache < 0) {
        if (lost_by_chance_B(row, row->traffic) > 0)
            gather_with(row, layout, row->traffic, true);
        else
            add_walks(row, &row->gather);
        return;
    }
    const double fetched[] = {row->kept.fetched.value, row->kept.fetched.lo, row->kept.fetched.hi};
    for (int i = 0; i < 3; i++) {
        struct sp_traffic traffic[SP_MAX_LEVELS];
        memcpy(traffic, row->traffic, sizeof traffic);
        sp_kept_traffic(&row->kept, fetched[i], traffic);
        gather_with(row, layout, traffic, i == 0);
    }
    sp_kept_share_out(&row->kept, row->traffic);
}

static struct sp_value roof_with(const struct sp_model_row *row, int level, int n_threads, int n_domains)
{
    char name[8] = "MEM";
    const struct sp_ceiling *from;
    if (level < row->machine->n_caches)
        snprintf(name, sizeof name, "L%d", row->machine->cache[level].level % 10);
    return sp_roof_for(row->machine, name, n_threads, n_domains, NULL, &from);
}

static struct sp_value roof_of(const struct sp_model_row *row, int level)
{
    return roof_with(row, level, row->n_threads, row->n_domains);
}

static struct sp_value one_thread_roof(const struct sp_model_row *row, int level)
{
    return roof_with(row, level, 1, 1);
}

/* What the bytes take at the roof of the data's level, or of the two that have a part each. */
static struct sp_value transfers_s(const struct sp_model_row *row, struct sp_value V)
{
    const struct sp_prediction *p = &row->prediction;
    const struct sp_value roof = p->roof_Bps;
    if (!sp_value_known(roof))
        return roof;
    if (row->kept.cache >= 0 && p->residence.level == p->home) {
        const struct sp_value rate[] = {roof_of(row, row->kept.cache), roof_of(row, row->kept.cache + 1)};
        const struct sp_value both = sp_kept_transfers_s(&row->kept, V, rate);
        if (sp_value_known(both))
            return both;
    }
    return sp_value_between(V.value / roof.value, V.lo / roof.hi, V.hi / roof.lo, SP_MODELLED);
}

/* Of it and of the thread that runs alone: of the overlap, which streams tell badly, the middle of
 * what fits them. False: the machine's rule is not known. */
static bool own_transfers(const struct sp_model_row *row, struct sp_value V, struct sp_own_transfers *own)
{
    const struct sp_machine *m = row->machine;
    const struct sp_prediction *p = &row->prediction;
    const struct sp_value f = m->ecm.overlap, one = sp_value_of(1, SP_MODELLED);
    const int last = m->n_caches - 1;
    if (m->kind != SP_CPU || !sp_value_known(f) || p->residence.level != p->home || last < 0 ||
        (p->home <= last && row->kept.cache != last))
        return false;
    const bool in_part = row->kept.cache == last;
    const struct sp_value fetched = in_part ? row->kept.fetched : one,
                          rate[] = {one_thread_roof(row, last), one_thread_roof(row, m->n_caches)};
    if (!sp_value_known(rate[1]) || (in_part && !sp_value_known(rate[0])))
        return false;
    const struct sp_value each_B =
        sp_value_between(V.value / row->n_threads, V.lo / row->n_threads, V.hi / row->n_threads, SP_MODELLED);
    own->memory_s =
        sp_value_between(fetched.value * each_B.value / rate[1].value, fetched.lo * each_B.lo / rate[1].hi,
                         fetched.hi * each_B.hi / rate[1].lo, SP_MODELLED);
    own->all_s = in_part ? sp_kept_transfers_s(&row->kept, each_B, rate) : own->memory_s;
    own->overlap = sp_value_between((f.lo + f.hi) / 2, f.lo, f.hi, SP_MODELLED);
    return true;
}

static double capacity_of_y(const struct sp_machine *m, int n_domains)
{
    const struct sp_cache *llc = sp_machine_llc(m);
    return llc ? sp_llc_capacity_B(m, n_domains) * sp_partition_share(llc, SP_ARRAY_Y) : 0;
}

static enum sp_status make_row(const struct sp_model_request *request, const struct sp_model_subject *subject,
                               const struct sp_workload *w, const struct sp_layout *layout,
                               const struct sp_machine *machine, const struct sp_progress *progress,
                               struct sp_seen_alphas *seen, struct sp_model_row *row, struct sp_error *err)
{
    enum sp_status status = begin_row(request, subject, w, layout, machine, row, err);
    if (status != SP_OK)
        return status;
    struct sp_predict_inputs in = inputs_of(request, subject, w, layout, row);
    row->units.time_s = row->units.surprise_s = row->units.team_s =
        sp_value_none("rows are not known by their sizes alone");
    if (layout && machine->kind == SP_CPU)
        status = sp_unit_time_of(machine, layout, &row->units, err);
    if (status != SP_OK)
        return status;
    in.core = rate_of(in.work, row->units.time_s);
    /* Where the data live does not depend on alpha. The simulation knows it better than sizes:
     * where next to nothing comes in, the data live further in, and alpha is that of the traffic
     * there. */
    do {
        in.n_inward += row->n_idle;
        row->prediction = sp_predict(&in);
        sp_progress_step(progress, "walking through the entries", -1);
        row->n_idle = 0;
        if (layout)
            status = sp_model_alpha(request, layout, progress, seen, row, err);
    } while (status == SP_OK && row->n_idle > 0);
    if (status != SP_OK)
        return status;
    if (request->alpha_kind == SP_ALPHA_GIVEN) {
        row->alpha = sp_value_of(request->alpha, SP_STATED);
        snprintf(row->note, sizeof row->note, "alpha as stated");
    }
    in.alpha = row->alpha_min;
    row->minimum_B = sp_predict(&in).volume_B.value;
    in.alpha = row->alpha;
    if (layout && machine->kind == SP_CPU && request->w <= 0) {
        /* caches that are not known may keep all of y, or nothing */
        const double kept_B = capacity_of_y(machine, row->n_domains),
                     most_B = sp_machine_llc(machine) ? kept_B : INFINITY, alpha = row->alpha.value;
        in.w = sp_value_between(sp_layout_w(layout, alpha, kept_B), sp_layout_w(layout, alpha, most_B),
                                sp_layout_w(layout, alpha, kept_B), SP_MODELLED);
    }
    row->prediction = sp_predict(&in);
    add_gpu_times(request, subject, w, row);
    find_saved(request, row);
    share_out(request, layout, row);
    struct sp_value all_B = row->prediction.volume_B;
    all_B = sp_value_between(all_B.value + row->lost_x_B, all_B.lo, all_B.hi + row->lost_x_B, all_B.origin);
    if (is_kept_in_part(row)) {
        *(row->prediction.home == machine->n_caches ? &in.moved_B : &in.beyond_B) = row->memory_B;
        row->prediction = sp_predict(&in);
    }
    ecm_of(w, layout, rate_of(in.work, sum_of(&row->units)), row);
    const struct sp_value roof = row->prediction.roof_Bps;
    const double streams_B = row->prediction.volume_B.value - row->prediction.volume.array_B[SP_ARRAY_X];
    row->gather_wait_s = sp_gather_wait(
        &row->gather, sp_value_known(roof) ? sp_value_between(streams_B / roof.value, streams_B / roof.hi,
                                                              streams_B / roof.lo, SP_MODELLED)
                                           : roof);
    row->transfers_s = transfers_s(row, all_B);
    struct sp_own_transfers own;
    row->expected_s = sp_expected_time(&row->units, row->transfers_s, sp_gather_beyond_first(&row->gather),
                                       own_transfers(row, all_B, &own) ? &own : NULL);
    if (request->volume_B > 0)
        turn_around(request, row);
    row->made = true;
    return SP_OK;
}

/* A row for each way in which the GPU's threads share the format's work. */
static enum sp_status make_gpu_rows(const struct sp_model_request *request,
                                    const struct sp_model_subject *subject, const struct sp_workload *w,
                                    const struct sp_layout *layout, const struct sp_machine *machine,
                                    const struct sp_progress *progress, struct sp_model_row *row,
                                    struct sp_error *err)
{
    struct sp_gpu_launch launch;
    enum sp_status status = SP_OK;
    for (int way = 0; status == SP_OK && gpu_way(layout, way, &launch); way++) {
        status = begin_row(request, subject, w, layout, machine, &row[way], err);
        struct sp_predict_inputs in = inputs_of(request, subject, w, layout, &row[way]);
        if (status == SP_OK)
            status = gpu_row(request, layout, &launch, &in, progress, &row[way], err);
        sp_workload_format_option(w, row[way].gpu_option, sizeof row[way].gpu_option);
    }
    return status;
}

static enum sp_status check_sizes(const struct sp_model_request *request,
                                  const struct sp_model_subject *subject, const struct sp_machine *machine,
                                  int n_machines, struct sp_error *err)
{
    if ((double)subject->n_nz > (double)subject->n_r * (double)subject->n_c)
        return sp_fail(err, SP_USAGE, "sizes are rows,columns,nonzeros",
                       "%lld nonzeros do not fit into %lld x %lld", (long long)subject->n_nz,
                       (long long)subject->n_r, (long long)subject->n_c);
    for (int i = 0; i < n_machines; i++)
        if (machine[i].kind == SP_CPU && machine[i].n_cores > 0 &&
            request->workload.n_threads > machine[i].n_cores)
            return sp_fail(err, SP_USAGE, "ask for fewer threads, or name a larger machine",
                           "the machine %s has %d cores, %d threads are asked for", machine[i].name,
                           machine[i].n_cores, request->workload.n_threads);
    return SP_OK;
}

/* A warp needs whole chunks, and unit-stride slots are a CPU kernel's; chunks of a warp without
 * sorting and blocks are asked for GPUs. */
static bool has_use(const struct sp_model_request *request, const struct sp_workload *w,
                    const struct sp_machine *m)
{
    if (!request->every_format)
        return true;
    if (w->matrix && sp_workload_check(w, NULL) != SP_OK)
        return false;
    if (w->op != SP_OP_SPMV)
        return m->kind == SP_CPU ? !sp_format_of(w->format)->in_blocks : has_gpu_way(w->op, w->format);
    const struct sp_format_kind *kind = sp_format_of(w->format);
    const bool plain_chunks = kind->in_chunks && kind->by_lengths;
    if (plain_chunks && w->C == 32 && w->sigma == 1)
        return m->kind == SP_GPU;
    return m->kind == SP_CPU || kind->plain_rows || (plain_chunks && w->C % 32 == 0);
}

/* One format on all machines with `streams` threads. */
static enum sp_status make_group(const struct sp_model_request *request,
                                 const struct sp_model_subject *subject, struct sp_workload *w,
                                 const struct sp_machine *machine, int n_machines, int n_asked,
                                 const struct sp_progress *progress, struct sp_model_row *row,
                                 struct sp_error *err)
{
    int streams = w->n_threads;
    struct sp_layout layout = {0};
    struct sp_seen_alphas seen = {.n = 0};
    enum sp_status status = SP_OK;
    for (int m = 0; m < n_machines && status == SP_OK; m++) {
        if (streams_of(&machine[m], &request->workload) != streams || !has_use(request, w, &machine[m]))
            continue;
        if (w->matrix && !layout.partition.n_threads) {
            sp_progress_step(progress, "building the layout", -1);
            status = sp_workload_check(w, err);
            if (status == SP_OK)
                status = sp_layout_make(w, false, NULL, &layout, err);
        }
        if (status == SP_OK && sp_progress_interrupted(progress))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "interrupted");
        struct sp_model_row *first = &row[m * n_asked * SP_MODEL_WAYS];
        if (status == SP_OK && is_on_gpu(request, w->matrix ? &layout : NULL, &machine[m]))
            status = make_gpu_rows(request, subject, w, &layout, &machine[m], progress, first, err);
        else if (status == SP_OK)
            status = make_row(request, subject, w, w->matrix ? &layout : NULL, &machine[m], progress, &seen,
                              first, err);
    }
    sp_layout_free(&layout);
    return status;
}

/* Is this the first machine with its number of threads? */
static bool opens_group(const struct sp_model_request *request, const struct sp_machine *machine, int m)
{
    int streams = streams_of(&machine[m], &request->workload);
    for (int i = 0; i < m; i++)
        if (streams_of(&machine[i], &request->workload) == streams)
            return false;
    return true;
}

enum sp_status sp_model_rows_make(const struct sp_model_request *request,
                                  const struct sp_model_subject *subject, const struct sp_model_ask *asked,
                                  int n_asked, const struct sp_machine *machine, int n_machines,
                                  const struct sp_progress *progress, struct sp_model_row *row, int *n_rows,
                                  struct sp_error *err)
{
    *n_rows = 0;
    const int n_room = n_machines * n_asked * SP_MODEL_WAYS;
    memset(row, 0, (size_t)n_room * sizeof *row);
    enum sp_status status = check_sizes(request, subject, machine, n_machines, err);
    for (int f = 0; f < n_asked && status == SP_OK; f++)
        for (int m = 0; m < n_machines && status == SP_OK; m++) {
            struct sp_workload w;
            if (!opens_group(request, machine, m))
                continue;
            status = begin(request, subject, &asked[f], &w, err);
            w.n_threads = streams_of(&machine[m], &request->workload);
            if (status == SP_OK)
                status = make_group(request, subject, &w, machine, n_machines, n_asked, progress,
                                    row + f * SP_MODEL_WAYS, err);
        }
    for (int i = 0; i < n_room; i++) {
        if (row[i].made)
            row[(*n_rows)++] = row[i];
        else
            free(row[i].gpu);
    }
    return status;
}

void sp_model_rows_free(struct sp_model_row *row, int n_rows)
{
    for (int i = 0; i < n_rows; i++)
        free(row[i].gpu);
    free(row);
}

/* On matrix units whose peak is not described, or of a GPU without: a time from below. */
static bool lacks_units(const struct sp_model_row *row)
{
    return row->gpu && row->gpu->launch.map == SP_GPU_MMA && !sp_gpu_unit_peak(row->machine, row->precision);
}

/* On a GPU, of times that hardly differ the one with the least L2 traffic at its upper end: it is
 * the surer one, and the L2's bandwidth may not be known. Of a thread for each row little is
 * sure. */
static int best_by_L2(const struct sp_model_row *row, int n, int best)
{
    const double hardly = row[best].gpu->launch.map == SP_GPU_THREAD ? 1.25 : 1.05;
    const double most = hardly * row[best].prediction.roofline.time_s.value;
    for (int i = 0; i < n; i++)
        if (row[i].gpu && lacks_units(&row[i]) == lacks_units(&row[best]) &&
            row[i].prediction.roofline.time_s.value <= most &&
            row[i].gpu->term[SP_GPU_TERM_L2].amount.hi < row[best].gpu->term[SP_GPU_TERM_L2].amount.hi)
            best = i;
    return best;
}

/* The roofline's time; 0: not known. The core's part counts where it is known of all rows. */
static double time_to_compare(const struct sp_model_row *row, bool with_core)
{
    const struct sp_prediction *p = &row->prediction;
    if (!sp_value_known(p->roofline.time_s))
        return 0;
    return !with_core && row->units.by && sp_value_known(p->roof_Bps) ? p->volume_B.value / p->roof_Bps.value
                                                                      : p->roofline.time_s.value;
}

static bool is_better(const struct sp_model_row *b, const struct sp_model_row *a, bool with_core)
{
    if (lacks_units(a) != lacks_units(b))
        return lacks_units(a);
    const double now = time_to_compare(b, with_core), best = time_to_compare(a, with_core);
    return now > 0 && best > 0 ? now < best : b->prediction.volume_B.value < a->prediction.volume_B.value;
}

int sp_model_best(const struct sp_model_row *row, int n)
{
    int best = 0;
    bool with_core = true;
    for (int i = 0; i < n; i++)
        with_core = with_core && row[i].units.by;
    for (int i = 1; i < n; i++)
        if (is_better(&row[i], &row[best], with_core))
            best = i;
    return row[best].gpu && sp_value_known(row[best].prediction.roofline.time_s) ? best_by_L2(row, n, best)
                                                                                 : best;
}
