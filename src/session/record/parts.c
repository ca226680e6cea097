#include "session/record/parts.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "include/spmodel.h"
#include "io/record/record.h"
#include "io/record/record_request.h"
#include "model/cache/partition.h"
#include "session/analyze/analyze.h"
#include "session/measure/measure_plan.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"
#include "sys/machine/identity.h"
#include "sys/noise.h"

json_t *sp_json_ceiling(const struct sp_ceiling *c, const char *role)
{
    json_t *object = sp_record_value_json(c->value, strcmp(c->level, "core") == 0 ? "flop/s" : "B/s");
    json_object_set_new(object, "name", json_string(c->name));
    json_object_set_new(object, "level", json_string(c->level));
    json_object_set_new(object, "precision", json_string(c->precision));
    json_object_set_new(object, "threads", json_integer(c->n_threads));
    json_object_set_new(object, "domains", json_integer(c->n_domains));
    json_object_set_new(object, "mode", json_string(c->mode));
    json_object_set_new(object, "role", json_string(role));
    json_object_set_new(object, "how", json_string(c->how));
    json_object_set_new(object, "when", json_string(c->when));
    return object;
}

json_t *sp_json_table_row(const char *name, struct sp_value time, struct sp_value bytes, double W,
                          struct sp_value fraction, const char *fraction_name)
{
    json_t *row = json_object();
    json_object_set_new(row, "row", json_string(name));
    json_object_set_new(row, "time_s", json_real(time.value));
    json_object_set_new(row, "time_lo_s", json_real(time.lo));
    json_object_set_new(row, "time_hi_s", json_real(time.hi));
    json_object_set_new(row, "time_origin", json_string(sp_origin_name(time.origin)));
    json_object_set_new(row, "bytes", json_real(bytes.value));
    if (bytes.hi > bytes.lo) {
        json_object_set_new(row, "bytes_lo", json_real(bytes.lo));
        json_object_set_new(row, "bytes_hi", json_real(bytes.hi));
    }
    json_object_set_new(row, "bytes_origin", json_string(sp_origin_name(bytes.origin)));
    json_object_set_new(row, "balance", json_real(bytes.value / W));
    json_object_set_new(row, "performance", json_real(W / time.value));
    json_object_set_new(row, "fraction",
                        fraction.origin != SP_NONE ? json_real(fraction.value) : json_null());
    json_object_set_new(row, "fraction_name", sp_json_text(fraction_name));
    return row;
}

void sp_json_change(json_t *item, const struct sp_change *change)
{
    char text[SP_CHANGE_VALUES];
    json_object_set_new(item, "change", json_string(sp_change_as_typed(change, text, sizeof text)));
}

static json_t *measured_json(const struct sp_machine *m)
{
    const struct sp_machine_measured *q = &m->measured;
    const double age_s = sp_measure_age(q->when);
    json_t *o =
        json_pack("{s:s, s:i, s:s, s:s}", "when", q->when, "times", q->n_times, "state",
                  sp_machine_was_busy(m) ? "busy" : "clean", "confidence", *q->doubt ? "low" : "high");
    json_object_set_new(o, "age_s", isnan(age_s) ? json_null() : json_real(age_s));
    if (*q->doubt)
        json_object_set_new(o, "doubt", json_string(q->doubt));
    return o;
}

void sp_record_machine(struct sp_record *r, const struct sp_machine *m)
{
    sp_record_set_text(r, SP_F_MACHINE_NAME, m->name);
    sp_record_set_text(r, SP_F_MACHINE_CPU, m->cpu);
    sp_record_set_text(r, SP_F_MACHINE_SOURCE, m->source);
    sp_record_set_text(r, SP_F_MACHINE_MEMORY, sp_machine_memory_name(m));
    sp_record_set_count(r, SP_F_MACHINE_N_DOMAINS, m->n_domains);
    sp_record_set_count(r, SP_F_MACHINE_N_CORES, m->n_cores);
    sp_record_set_flag(r, SP_F_MACHINE_VALIDATED, m->validated);
    if (m->validation.n > 0) {
        sp_record_set_count(r, SP_F_MACHINE_VALIDATION_N, m->validation.n);
        sp_record_set_number(r, SP_F_MACHINE_VALIDATION_MEAN_ABS, m->validation.mean_abs);
        sp_record_set_number(r, SP_F_MACHINE_VALIDATION_MOST_ABS, m->validation.most_abs);
        sp_record_set_text(r, SP_F_MACHINE_VALIDATION_SOURCE, m->validation.source);
        sp_record_set_text(r, SP_F_MACHINE_VALIDATION_WHEN, m->validation.when);
    }
    if (*m->measured.when)
        sp_record_set_object(r, SP_F_MACHINE_MEASURED, measured_json(m));
    if (m->frequency_Hz > 0)
        sp_record_set_number(r, SP_F_MACHINE_FREQUENCY_HZ, m->frequency_Hz);
    for (int i = 0; i < m->n_caches; i++) {
        const struct sp_cache *c = &m->cache[i];
        json_t *cache = json_object();
        char partition[128];
        json_object_set_new(cache, "level", json_integer(c->level));
        json_object_set_new(cache, "size_B", json_integer(c->size_B));
        json_object_set_new(cache, "effective_B", sp_record_value_json(c->effective_B, "B"));
        json_object_set_new(cache, "line_B", json_integer(c->line_B));
        json_object_set_new(cache, "ways", json_integer(c->ways));
        json_object_set_new(cache, "cores_sharing", json_integer(c->cores_sharing));
        if (c->sector_B > 0)
            json_object_set_new(cache, "sector_B", json_integer(c->sector_B));
        if (c->victim)
            json_object_set_new(cache, "victim", json_true());
        if (c->inclusive)
            json_object_set_new(cache, "inclusive", json_true());
        json_object_set_new(cache, "policy", json_string(sp_policy_name(c->policy)));
        if (*sp_partition_cache_text(partition, sizeof partition, c))
            json_object_set_new(cache, "partition", json_string(partition));
        sp_record_append(r, SP_F_MACHINE_CACHES, cache);
    }
}

/* The picture of a spy plot has at most this many cells a side. */
enum { SPY_CELLS = 64 };

static void record_estimate(struct sp_record *r, enum sp_record_field field, struct sp_estimate e)
{
    if (e.known)
        sp_record_set_value(r, field,
                            sp_value_between(e.value, e.value - e.error, e.value + e.error, SP_MODELLED));
    else
        sp_record_set_null(r, field, "undefined for this matrix");
}

/* The entries [begin, end) in `cols` cells of columns: neighbours are mostly in one. */
static void count_cells(const struct sp_csr *a, int64_t begin, int64_t end, int64_t cols, int64_t *counts)
{
    int64_t cell = 0, from = 0, to = 0; /* its columns */
    for (int64_t j = begin; j < end; j++) {
        const int64_t col = sp_csr_col(a, j);
        if (col < from || col >= to) {
            cell = col * cols / a->n_c;
            from = (cell * a->n_c + cols - 1) / cols;
            to = ((cell + 1) * a->n_c + cols - 1) / cols;
        }
        counts[cell]++;
    }
}

static void record_spy(struct sp_record *r, const struct sp_csr *a)
{
    int64_t rows = a->n_r < SPY_CELLS ? a->n_r : SPY_CELLS, cols = a->n_c < SPY_CELLS ? a->n_c : SPY_CELLS;
    if (rows == 0 || cols == 0)
        return;
    int64_t *counts = calloc((size_t)(rows * cols), sizeof *counts);
    if (!counts)
        return;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < rows; k++) /* whole cells to a thread, so that none is shared */
        count_cells(a, a->row_ptr[(k * a->n_r + rows - 1) / rows],
                    a->row_ptr[((k + 1) * a->n_r + rows - 1) / rows], cols, counts + k * cols);
    json_t *list = json_array();
    for (int64_t i = 0; i < rows * cols; i++)
        json_array_append_new(list, json_integer(counts[i]));
    free(counts);
    json_t *spy = json_object();
    json_object_set_new(spy, "rows", json_integer(rows));
    json_object_set_new(spy, "cols", json_integer(cols));
    json_object_set_new(spy, "counts", list);
    sp_record_set_object(r, SP_F_CURVES_SPY, spy);
}

static void record_structure(struct sp_record *r, const struct sp_structure *s, bool has_values)
{
    sp_record_set_number(r, SP_F_STRUCTURE_N_NZR_MEAN, s->n_nzr);
    sp_record_set_count(r, SP_F_STRUCTURE_N_NZR_MEDIAN, s->row_median);
    sp_record_set_count(r, SP_F_STRUCTURE_N_NZR_P99, s->row_p99);
    sp_record_set_count(r, SP_F_STRUCTURE_N_NZR_MAX, s->row_max);
    sp_record_set_count(r, SP_F_STRUCTURE_N_NZR_MIN, s->row_min);
    sp_record_set_number(r, SP_F_STRUCTURE_N_NZR_CV, s->row_cv);
    sp_record_set_count(r, SP_F_STRUCTURE_EMPTY_ROWS, s->n_empty_rows);
    sp_record_set_count(r, SP_F_STRUCTURE_EMPTY_COLS, s->n_c - s->n_c_used);
    sp_record_set_count(r, SP_F_STRUCTURE_BANDWIDTH,
                        s->lower_bandwidth > s->upper_bandwidth ? s->lower_bandwidth : s->upper_bandwidth);
    sp_record_set_count(r, SP_F_STRUCTURE_PROFILE, s->profile);
    sp_record_set_number(r, SP_F_STRUCTURE_MEAN_DISTANCE, s->mean_distance);
    sp_record_set_number(r, SP_F_STRUCTURE_FOOTPRINT_B, s->crs_B + s->vector_B);
    if (has_values) {
        sp_record_set_count(r, SP_F_STRUCTURE_DISTINCT_VALUES, s->n_distinct);
        sp_record_set_flag(r, SP_F_STRUCTURE_DISTINCT_VALUES_IS_BOUND, s->distinct_at_least);
        sp_record_set_count(r, SP_F_STRUCTURE_INEXACT_IN_F32, s->n_inexact_f32);
    }
    record_estimate(r, SP_F_STRUCTURE_PATTERN_SYMMETRY, s->pattern_symmetry);
    if (has_values)
        record_estimate(r, SP_F_STRUCTURE_VALUE_SYMMETRY, s->value_symmetry);
    record_estimate(r, SP_F_STRUCTURE_UNIT_SHARE, s->unit_share);
    if (s->pattern_symmetry.known)
        sp_record_set_flag(r, SP_F_STRUCTURE_PATTERN_SYMMETRIC, s->pattern_symmetry.value >= 1);
}

void sp_record_subject(struct sp_record *r, const struct sp_subject *s)
{
    const struct sp_csr *a = &s->matrix;
    sp_record_set_text(r, SP_F_PROBLEM_NAME, s->name);
    sp_record_set_text(r, SP_F_PROBLEM_PATH, s->argument);
    if (s->facts.sha256[0])
        sp_record_set_text(r, SP_F_PROBLEM_SHA256, s->facts.sha256);
    else
        sp_record_set_null(r, SP_F_PROBLEM_SHA256, "not computed");
    sp_record_set_count(r, SP_F_PROBLEM_ROWS, a->n_r);
    sp_record_set_count(r, SP_F_PROBLEM_COLS, a->n_c);
    sp_record_set_count(r, SP_F_PROBLEM_NNZ, a->n_nz);
    sp_record_set_text(r, SP_F_PROBLEM_FIELD, sp_field_name(a->field));
    sp_record_set_text(r, SP_F_PROBLEM_SYMMETRY, sp_symmetry_name(a->symmetry));
    sp_record_set_flag(r, SP_F_PROBLEM_SYMMETRIC_EXPANDED, a->symmetry != SP_GENERAL);
    sp_record_set_text(r, SP_F_PROBLEM_REORDER, s->reorder);
    sp_record_set_count(r, SP_F_PROBLEM_ZEROS, a->n_zeros);
    if (s->facts.n_dropped > 0)
        sp_record_set_count(r, SP_F_PROBLEM_ZEROS_DROPPED, s->facts.n_dropped);
    sp_record_set_count(r, SP_F_PROBLEM_DUPLICATES, a->n_duplicates);
    sp_record_set_text(r, SP_F_PROBLEM_INPUT, s->facts.format);
    record_structure(r, &s->structure, !s->no_values);
    record_spy(r, a);
}

/* What the format stored of the matrix, counted in the layout that ran. */

/* On a GPU without buffers, which are shared memory there. */
static void record_arrays(struct sp_record *r, const struct sp_layout *l)
{
    const bool on_gpu = strcmp(sp_words_text(r, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    json_t *arrays = json_object();
    for (int i = 0; i < SP_N_ARRAYS; i++)
        json_object_set_new(
            arrays, sp_array_name((enum sp_array)i),
            json_real(on_gpu && i == SP_ARRAY_OTHER ? 0 : sp_layout_array_bytes(l, (enum sp_array)i)));
    sp_record_set_object(r, SP_F_LAYOUT_ARRAYS_B, arrays);
}

void sp_record_layout(struct sp_record *r, const struct sp_layout *l)
{
    sp_record_set_count(r, SP_F_LAYOUT_STORED, l->n_stored);
    sp_record_set_count(r, SP_F_LAYOUT_INDICES, l->n_indices);
    struct sp_layout_fact fact[SP_LAYOUT_FACTS] = {{.name = NULL}};
    if (sp_format_of(l->format)->facts)
        sp_format_of(l->format)->facts(l, fact);
    for (const struct sp_layout_fact *f = fact; f->name; f++) {
        const enum sp_record_field field = sp_field_in(SP_F_LAYOUT, f->name);
        if (f->is_flag)
            sp_record_set_flag(r, field, f->count != 0);
        else
            sp_record_set_count(r, field, f->count);
    }
    record_arrays(r, l);
}

/* Losses and hints in records: of the CPU and of a GPU alike. */

void sp_record_losses(struct sp_record *r, const struct sp_losses *losses)
{
    for (int i = 0; i < SP_N_LOSSES; i++) {
        const enum sp_record_field loss = sp_field_in(SP_F_LOSSES, sp_loss_name((enum sp_loss)i));
        struct sp_value v = losses->part[i];
        if (v.origin == SP_NONE)
            sp_record_set_null(r, loss, v.why);
        else
            sp_record_set_number(r, loss, v.value);
        sp_record_set_text(r, sp_loss_origin(loss), losses->how[i]);
    }
    const struct {
        enum sp_record_field loss;
        struct sp_value is;
        const char *how;
    } within[] = {{SP_F_LOSSES_CORE, losses->core,
                   losses->core.origin == SP_MODELLED
                       ? "modelled: the longest term beside the roof's"
                       : "measured: W/P_core, at most a run with all gathers from L1"},
                  {SP_F_LOSSES_WAITING, losses->waiting,
                   losses->waiting.origin == SP_MODELLED ? "modelled: gathers from beyond L1 at their roof"
                                                         : "measured: what all gathers from L1 (test) save"},
                  {SP_F_LOSSES_TEAM, losses->team,
                   losses->team.origin == SP_MODELLED ? "modelled: launches, ramp, last wave, row ends"
                                                      : "measured: an execution of a few entries"},
                  {SP_F_LOSSES_ROW_ENDS, losses->row_ends,
                   "measured: what rows in the order of their lengths save of that test"},
                  {SP_F_LOSSES_ROW_ENDS_HIDDEN,
                   losses->row_ends_hidden > 0 ? sp_value_of(losses->row_ends_hidden, SP_MEASURED)
                                               : sp_value_none("nothing is hidden"),
                   "measured: what transfers hide of the ends; not in in_core"},
                  {SP_F_LOSSES_EXTRA_X_DOMAINS, losses->extra_x_domains,
                   "modelled: lines of x that more than one cache must load"}};
    for (size_t i = 0; i < sizeof within / sizeof *within; i++) {
        if (!sp_value_known(within[i].is))
            continue;
        sp_record_set_number(r, within[i].loss, within[i].is.value);
        sp_record_set_text(r, sp_loss_origin(within[i].loss), within[i].how);
    }
}

static void put(json_t *o, const char *key, struct sp_value v, const char *unit)
{
    if (sp_value_known(v))
        json_object_set_new(o, key, sp_record_value_json(v, unit));
}

/* What the gain was made of; what stays as it is, is left out. */
static json_t *counterfactual(const struct sp_hint *h)
{
    const struct sp_then *t = &h->then;
    json_t *then = json_object();
    put(then, "bytes", t->V_B, "B");
    put(then, "roof", t->roof_Bps, "B/s");
    put(then, "core", t->core_s, "s");
    put(then, "set", t->set_B, "B");
    if (t->inner[0] && sp_value_known(t->inner_Bps)) {
        json_object_set_new(then, "inner", json_string(t->inner));
        put(then, "inner_roof", t->inner_Bps, "B/s");
    }
    put(then, "time", t->time_s, "s");
    if (t->time_how[0] && sp_value_known(t->time_s))
        json_object_set_new(then, "time_how", json_string(t->time_how));
    put(then, "instead_of", t->instead_s, "s");
    put(then, "stated", t->stated, "1");
    put(then, "goes", t->gone, "1");
    if (t->shows > 0)
        json_object_set_new(then, "shows", json_real(t->shows));
    if (t->faster > 0)
        json_object_set_new(then, "faster", json_real(t->faster));
    if (t->error > 0)
        json_object_set_new(then, "error", json_real(t->error));
    put(then, "keeps", t->keeps, "1");
    if (t->held)
        json_object_set_new(then, "held", json_true());
    put(then, "least", t->least_s, "s");
    if (t->least_why && sp_value_known(t->least_s))
        json_object_set_new(then, "least_why", json_string(t->least_why));
    if (t->doubt)
        json_object_set_new(then, "doubt", json_string(t->doubt));
    put(then, "floor", h->floor_s, "s");
    return then;
}

static json_t *also(const struct sp_hint *h)
{
    json_t *list = json_array();
    for (int i = 0; i < h->n_also; i++)
        json_array_append_new(list, json_string(h->also[i]));
    return list;
}

void sp_record_hint(struct sp_record *r, const struct sp_hints *hints, const struct sp_hint *h)
{
    char proposal[400];
    json_t *item = json_object(), *gain = json_object();
    json_object_set_new(gain, "lo", json_real(h->gain_lo));
    json_object_set_new(gain, "hi", json_real(h->gain_hi));
    json_object_set_new(gain, "basis", json_string(sp_origin_name(h->basis)));
    json_object_set_new(item, "id", json_string(h->id));
    json_object_set_new(item, "title", json_string(h->title));
    json_object_set_new(item, "rule_version", json_integer(h->rule_version));
    json_object_set_new(item, "gain", gain);
    json_object_set_new(item, "then", counterfactual(h));
    if (h->n_also > 0)
        json_object_set_new(item, "also", also(h));
    json_object_set_new(item, "effort", json_string(sp_effort_name(sp_hint_effort(h))));
    json_object_set_new(item, "confidence", json_string(sp_confidence_name(h->confidence)));
    json_object_set_new(item, "evidence", json_string(h->evidence));
    json_object_set_new(item, "try", json_string(sp_hint_try_text(hints, h, proposal, sizeof proposal)));
    if (h->change.n > 0)
        sp_json_change(item, &h->change);
    else
        json_object_set_new(item, "change", json_null());
    json_object_set_new(item, "expect", json_string(h->expect));
    json_object_set_new(item, "cost", sp_json_text(h->cost));
    json_object_set_new(item, "observed", json_null());
    sp_record_append(r, SP_F_HINTS, item);
}

void sp_record_hints(struct sp_record *r, const struct sp_hints *hints)
{
    sp_record_set_object(r, SP_F_HINTS, json_array());
    for (int i = 0; i < hints->n_hints; i++)
        sp_record_hint(r, hints, &hints->hint[i]);
    for (int i = 0; i < hints->n_checked; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "rule", json_string(hints->checked[i].id));
        json_object_set_new(item, "check", json_string(hints->checked[i].check));
        json_object_set_new(item, "figure", json_string(hints->checked[i].figure));
        sp_record_append(r, SP_F_NOT_A_PROBLEM, item);
    }
}

/* What tells a series apart: what was asked for, where it ran, whose source it was. */

/* Of the fields below; src/track/store/entry.c makes series keys from them. */
enum { REQUEST_VERSION = 1 };

static void set_text(struct sp_record *r, enum sp_record_field field, const char *text)
{
    if (text && *text)
        sp_record_set_text(r, field, text);
    else
        sp_record_set_object(r, field, json_null());
}

static void ask_text(struct sp_record *r, enum sp_option option, const char *text)
{
    set_text(r, sp_option_field(option), text);
}

static void ask_number(struct sp_record *r, enum sp_option option, double x)
{
    if (x > 0)
        sp_record_set_number(r, sp_option_field(option), x);
    else
        sp_record_set_object(r, sp_option_field(option), json_null());
}

/* null: left to the program. */
void sp_record_request(struct sp_record *r, const struct sp_analyze_options *o, const char *reorder,
                       const char *device)
{
    static const char *const states[] = {"warm", "cold", "between"};
    static const char *const stores[] = {NULL, "nt", "plain"};
    sp_record_set_count(r, SP_F_REQUEST_VERSION, REQUEST_VERSION);
    ask_text(r, SP_OPTION_OP, sp_op_name(o->op));
    ask_number(r, SP_OPTION_RHS, o->r);
    ask_text(r, SP_OPTION_ORDER, o->op == SP_OP_SPMV ? NULL : sp_order_name(o->order));
    ask_text(r, SP_OPTION_FORMAT, o->format);
    ask_text(r, SP_OPTION_SCHEDULE, o->schedule);
    ask_text(r, SP_OPTION_PRECISION,
             o->precision >= 0 ? sp_precision_name((enum sp_precision)o->precision) : NULL);
    ask_text(r, SP_OPTION_INDEX, sp_index_name(o->index));
    if (o->row_ptr_B > 0)
        ask_number(r, SP_OPTION_ROW_PTR, o->row_ptr_B);
    ask_number(r, SP_OPTION_PREFETCH, o->prefetch);
    ask_number(r, SP_OPTION_THREADS, o->n_threads);
    ask_text(r, SP_OPTION_ISA, o->isa);
    ask_text(r, SP_OPTION_STORE, stores[o->store_nt]);
    ask_text(r, SP_OPTION_PAGES, o->small_pages ? "small" : "huge");
    sp_record_set_flag(r, sp_option_field(SP_OPTION_NO_PIN), !o->not_pinned);
    ask_text(r, SP_OPTION_COLD, states[o->state]);
    ask_text(r, SP_OPTION_BETWEEN, o->between);
    ask_text(r, SP_OPTION_REORDER, reorder);
    ask_text(r, SP_OPTION_DEVICE, device);
    ask_number(r, SP_OPTION_SIM_SKEW, o->skew);
    ask_text(r, SP_OPTION_SIM_POLICY, o->policy);
    ask_number(r, SP_OPTION_SIM_LLC, o->llc_B);
    ask_text(r, SP_OPTION_MACHINE, o->machine_name);
    if (o->own.library || o->own.kernel)
        ask_text(r, SP_OPTION_KERNEL, o->own.library ? o->own.library : o->own.kernel->name);
    if (o->own.signature)
        ask_text(r, SP_OPTION_SIGNATURE, o->own.signature);
}

void sp_record_environment(struct sp_record *r, const struct sp_topology *topology,
                           const struct sp_gpu_device *gpu)
{
    struct sp_identity identity;
    struct utsname system;
    sp_identity_read("", topology, &identity);
    if (gpu)
        sp_identity_add_gpu(&identity, "", gpu->name, gpu->driver, gpu->interface);
    sp_record_set_text(r, SP_F_ENV_KEY, identity.env_key);
    sp_record_set_count(r, SP_F_ENV_VERSION, identity.version);
    json_t *facts = json_object();
    for (int i = 0; i < identity.n; i++)
        json_object_set_new(facts, identity.fact[i].name, json_string(identity.fact[i].value));
    sp_record_set_object(r, SP_F_ENV_IDENTITY, facts);
    if (*sp_faults())
        sp_record_add_flag(r, "fault", "faults were put in on purpose: SPMODEL_FAULT=%s", sp_faults());
    if (uname(&system) == 0) {
        sp_record_set_text(r, SP_F_ENV_DETAIL_HOST, system.nodename);
        sp_record_set_text(r, SP_F_ENV_DETAIL_KERNEL, system.release);
    }
}

/* What the first of these variables that is set says, and which one that is. */
static const char *first_set(const char *const *names, const char **name)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        *name = *names;
        if (value && *value)
            return value;
    }
    return NULL;
}

const char *sp_source_commit(const char **variable)
{
    static const char *const names[] = {"SPMODEL_COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", NULL};
    return first_set(names, variable);
}

void sp_record_source(struct sp_record *r)
{
    static const char *const branches[] = {"SPMODEL_BRANCH", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME",
                                           "GIT_BRANCH", NULL};
    const char *variable;
    const char *commit = sp_source_commit(&variable), *branch = first_set(branches, &variable);
    if (!commit && !branch)
        return;
    set_text(r, SP_F_SOURCE_COMMIT, commit);
    set_text(r, SP_F_SOURCE_BRANCH, branch);
}

void sp_record_code(struct sp_record *r, const struct sp_setup *setup)
{
    char text[17];
    uint64_t hash;
    struct sp_error why;
    const int n = sizeof setup->facts.code / sizeof *setup->facts.code;
    if (!setup->kernel)
        sp_record_set_null(r, SP_F_CONFIG_CODE_HASH, "nothing was run here");
    else if (!setup->facts.code[0])
        sp_record_set_null(r, SP_F_CONFIG_CODE_HASH, "the kernel does not say which function computes");
    else if (sp_code_hash(setup->facts.code, n, &hash, &why) != SP_OK)
        sp_record_set_null(r, SP_F_CONFIG_CODE_HASH, why.what);
    else {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
        sp_record_set_text(r, SP_F_CONFIG_CODE_HASH, text);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)sp_partition_hash(&setup->layout.partition));
    sp_record_set_text(r, SP_F_CONFIG_PARTITION_HASH, text);
}

/* As it is said, where nobody said more. */
static struct sp_value with_reason(struct sp_value v, const char *why)
{
    return sp_value_known(v) || v.why ? v : sp_value_none(why);
}

static json_t *transfer_json(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, int k)
{
    const struct sp_ecm_transfer *x = &in->transfer[k];
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", x->name, "read",
                     sp_record_value_json(x->read_B, "B"), "write", sp_record_value_json(x->write_B, "B"),
                     "bandwidth", sp_record_value_json(x->one_Bps, "B/s"), "write_weight",
                     sp_record_value_json(with_reason(x->write_weight, "taken as anything from 0 to 1"), "1"),
                     "time", sp_record_value_json(t->transfer_s[k], "s"), "shared_time",
                     sp_record_value_json(t->shared_s[k], "s"));
}

/* False: memory was short for the value or for its place. */
static bool put_part(json_t *o, const char *key, json_t *value)
{
    return json_object_set_new(o, key, value) == 0;
}

static json_t *transfers_json(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < in->n_transfers; k++)
        if (json_array_append_new(list, transfer_json(in, t, k)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

json_t *sp_ecm_json(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, struct sp_ecm_words words)
{
    json_t *o = json_object();
    const bool says = words.overlap_how && *words.overlap_how;
    const struct sp_value overlap = with_reason(in->overlap, "the machine's overlap rule is not known");
    bool done = put_part(o, "T_OL", sp_record_value_json(t->core_s, "s"));
    done &= put_part(o, "T_OL_from", json_string(words.core_from));
    done &= put_part(o, "T_nOL", sp_record_value_json(t->load_s, "s"));
    done &= put_part(o, "transfers", transfers_json(in, t));
    done &= put_part(o, "overlap", sp_record_value_json(overlap, "1"));
    if (says)
        done &= put_part(o, "overlap_how", json_string(words.overlap_how));
    done &= put_part(o, "no_overlap", sp_record_value_json(t->none_s, "s"));
    done &= put_part(o, "full_overlap", sp_record_value_json(t->all_s, "s"));
    done &= put_part(o, "one_thread", sp_record_value_json(t->one_s, "s"));
    done &= put_part(o, "time", sp_record_value_json(t->time_s, "s"));
    done &= put_part(o, "n_sat", sp_record_value_json(t->n_sat, "1"));
    if (!done) {
        json_decref(o);
        o = NULL;
    }
    return o;
}

static json_t *levels_json(const struct sp_gather_roof *g)
{
    json_t *list = json_array();
    for (int k = 0; list && k < g->hits.n_levels; k++) {
        const struct sp_value n = sp_value_of(g->hits.count[k], g->hits.origin);
        json_t *one =
            json_pack("{s:s, s:o, s:o}", "level", g->hits.level[k], "gathers", sp_record_value_json(n, "1"),
                      "rate", sp_record_value_json(g->rate[k], "1/s"));
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

json_t *sp_gather_json(const struct sp_gather_roof *g)
{
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "time", sp_record_value_json(g->time_s, "s"), "roof",
                          sp_record_value_json(g->roof_ps, "1/s"), "beyond_L1",
                          sp_record_value_json(sp_gather_beyond_first(g), "s"), "levels", levels_json(g));
    const struct sp_value ahead = sp_value_of(g->hits.ahead, SP_MODELLED);
    if (o && g->hits.ahead > 0)
        json_object_set_new(o, "ahead", sp_record_value_json(ahead, "1"));
    return o;
}
