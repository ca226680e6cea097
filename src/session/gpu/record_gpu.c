#include "session/gpu/gpu_analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "model/gpu/gpu_time.h"
#include "session/record/parts.h"

char *sp_gpu_way_name(char *text, size_t size, const char *format, const struct sp_gpu_launch *g)
{
    if (g->map == SP_GPU_LANES)
        snprintf(text, size, "%s %s %d", format, g->x_in_window ? "window" : "lanes", g->lanes);
    else if (g->map == SP_GPU_CHUNK)
        snprintf(text, size, "%s", format);
    else
        snprintf(text, size, "%s %s", format, sp_gpu_map_name(g->map));
    return text;
}

static json_t *levels_json(const struct sp_gpu_prediction *p)
{
    return json_pack("{s:o, s:o, s:o}", "L1", sp_record_value_json(sp_gpu_asked_B(&p->traffic), "B"), "L2",
                     sp_record_value_json(p->term[SP_GPU_TERM_L2].amount, "B"), "MEM",
                     sp_record_value_json(p->term[SP_GPU_TERM_MEMORY].amount, "B"));
}

/* An item of gpu.ways, with the bytes of each level. `format` as after --format; prediction NULL:
 * this operation is not modelled. */
static json_t *way_item(const char *name, const char *kernel, const char *format,
                        const struct sp_gpu_prediction *p, bool chosen)
{
    const struct sp_value time = p ? p->roofline.time_s : sp_value_none("not modelled for this kernel");
    json_t *one = json_pack("{s:s, s:s, s:s, s:o, s:b}", "kernel", kernel, "format", format, "name", name,
                            "time", sp_record_value_json(time, "s"), "chosen", chosen);
    if (one && p) {
        json_object_set_new(one, "bound_by", json_string(p->binding));
        json_object_set_new(one, "upper_bound", json_boolean(p->L2_as_memory));
        json_object_set_new(one, "levels", levels_json(p));
    }
    return one;
}

static const struct sp_ceiling *peak_of(const struct sp_machine *m, enum sp_precision precision,
                                        enum sp_gpu_map map, bool *exact)
{
    const bool is_double = precision == SP_F64 || precision == SP_C128;
    const struct sp_ceiling *c =
        map == SP_GPU_MMA
            ? sp_gpu_unit_peak(m, precision)
            : sp_machine_ceiling(m, "fma", "core", is_double ? "f64" : "f32", m->n_cores, NULL, NULL);
    *exact = c && c->n_threads == m->n_cores;
    return c;
}

static void append_roof(struct sp_record *r, const struct sp_ceiling *c, bool exact, const char *role)
{
    if (c && exact && sp_value_known(c->value))
        sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(c, role));
}

/* Ceilings that the machine describes for all its SMs: copy, triad and the peak that holds for the
 * way `map`, and the L2's load where it is not the roof (`in_L2`: it is). */
static void record_ceilings(struct sp_record *r, const struct sp_machine *m, enum sp_precision precision,
                            enum sp_gpu_map map, bool in_L2)
{
    static const struct {
        const char *name, *level, *role;
    } others[] = {{"copy", "MEM", "other"},
                  {"triad", "MEM", "floor"},
                  {"load", "L2", "other"},
                  {"load", "L1", "other"}};
    bool exact;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct sp_ceiling *c =
            sp_machine_ceiling(m, others[i].name, others[i].level, "f64", m->n_cores, NULL, &exact);
        if (!in_L2 || strcmp(others[i].level, "L2") != 0)
            append_roof(r, c, exact, others[i].role);
    }
    const struct sp_ceiling *peak = peak_of(m, precision, map, &exact);
    append_roof(r, peak, exact, "peak");
}

static void record_best(const struct sp_gpu_forecast *f, struct sp_record *r)
{
    const struct sp_gpu_guess *g = &f->guess[f->best];
    const struct sp_gpu_prediction *p = g->prediction;
    const bool in_L2 = !(p->term[SP_GPU_TERM_MEMORY].amount.hi > 0);
    const struct sp_ceiling *roof = in_L2 ? p->L2_roof : p->memory_roof;
    sp_record_set_text(r, SP_F_CONFIG_FORMAT, g->format);
    sp_record_set_text(r, SP_F_CONFIG_FORMAT_TEXT, g->name);
    sp_record_set_text(r, SP_F_BINDING_LEVEL, in_L2 ? "L2" : "MEM");
    sp_record_set_text(r, SP_F_BINDING_TERM, p->binding);
    if (roof && sp_value_known(roof->value))
        sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(roof, "roof"));
    if (in_L2 && p->memory_roof && sp_value_known(p->memory_roof->value))
        sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(p->memory_roof, "other"));
    record_ceilings(r, f->machine, f->workload->precision, p->launch.map, in_L2);
    sp_record_set_value(r, SP_F_METRICS_ALPHA, g->alpha);
    sp_record_set_value(r, SP_F_METRICS_PERFORMANCE, p->roofline.performance);
}

enum sp_status sp_gpu_forecast_record(const struct sp_gpu_forecast *f, struct sp_record *r,
                                      struct sp_error *err)
{
    enum sp_status status = sp_record_new(f->matrix, r, err);
    if (status != SP_OK)
        return status;
    sp_record_set_text(r, SP_F_STATUS, "modelled");
    sp_record_machine(r, f->machine);
    sp_record_set_text(r, SP_F_PROBLEM_NAME, f->matrix);
    sp_record_set_count(r, SP_F_PROBLEM_ROWS, f->n_r);
    sp_record_set_count(r, SP_F_PROBLEM_COLS, f->n_c);
    sp_record_set_count(r, SP_F_PROBLEM_NNZ, f->n_nz);
    sp_record_set_text(r, SP_F_CONFIG_OP, sp_op_name(f->workload->op));
    sp_record_set_text(r, SP_F_CONFIG_PRECISION, sp_precision_name(f->workload->precision));
    sp_record_set_text(r, SP_F_CONFIG_INDEX, sp_index_name(f->workload->index));
    sp_record_set_count(r, SP_F_CONFIG_THREADS, f->machine->n_cores);
    sp_record_set_text(r, SP_F_CONFIG_DEVICE, "gpu");
    sp_record_set_text(r, SP_F_CONFIG_CACHE, f->cold ? "cold" : "warm");
    sp_record_set_value(r, SP_F_METRICS_FLOPS, sp_value_of(f->work, SP_MODELLED));
    for (int i = 0; i < f->n_guesses; i++) {
        const struct sp_gpu_guess *g = &f->guess[i];
        sp_record_append(r, SP_F_GPU_WAYS,
                         way_item(g->name, sp_gpu_map_name(g->prediction->launch.map), g->format,
                                  g->prediction, i == f->best));
    }
    record_best(f, r);
    return SP_OK;
}

/* The analysis of a GPU as a record: the fields that analyses on CPUs have, and `gpu`. */

/* Who counted. */
static const char *counter_of(const struct sp_gpu_analysis *a)
{
    return a->options->gpu_recorded ? a->options->gpu_recorded->source : "cupti";
}

static void record_config(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    static const char *const states[] = {"warm", "cold", "between"};
    sp_record_workload(r, &a->workload);
    sp_record_set_count(r, SP_F_CONFIG_THREADS, a->device.n_cores);
    sp_record_set_text(r, SP_F_CONFIG_DEVICE, "gpu");
    sp_record_set_text(r, SP_F_CONFIG_CACHE, states[a->options->state]);
    sp_record_set_text(r, SP_F_CONFIG_KERNEL,
                       a->options->gpu_recorded ? a->options->gpu_recorded->kernel : a->chosen->kernel->name);
    sp_record_set_text(r, SP_F_CONFIG_BYTES, sp_gpu_is_counted(a) ? counter_of(a) : "model");
    sp_record_set_count(r, SP_F_CONFIG_RUNS, 1);
    sp_record_set_number(r, SP_F_CONFIG_BUDGET_S, a->options->budget_s);
    sp_record_set_count(r, SP_F_CONFIG_MAX_SAMPLES, a->options->max_samples);
    sp_record_set_count(r, SP_F_CONFIG_SEED, (int64_t)a->options->seed);
    if (a->options->command)
        sp_record_set_text(r, SP_F_COMMAND, a->options->command);
}

static void record_level(struct sp_record *r, const char *name, struct sp_value read_B,
                         struct sp_value write_B)
{
    json_t *level = json_object();
    json_object_set_new(level, "name", json_string(name));
    json_object_set_new(level, "read_B", sp_value_known(read_B) ? json_real(read_B.value) : json_null());
    json_object_set_new(level, "write_B", sp_value_known(write_B) ? json_real(write_B.value) : json_null());
    json_object_set_new(level, "origin", json_string(sp_origin_name(read_B.origin)));
    json_object_set_new(level, "arrays", json_object());
    sp_record_append(r, SP_F_LEVELS, level);
}

static void record_launch(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const struct sp_gpu_launch *g = &a->chosen->launch;
    char text[32];
    sp_record_set_text(r, SP_F_GPU_NAME, a->device.name);
    if (a->options->gpu_recorded)
        return;
    if (*a->device.interface) {
        sp_record_set_text(r, SP_F_GPU_INTERFACE, a->device.interface);
    } else {
        snprintf(text, sizeof text, "%d.%d", a->device.major, a->device.minor);
        sp_record_set_text(r, SP_F_GPU_COMPUTE_CAPABILITY, text);
        sp_record_set_count(r, SP_F_GPU_DRIVER, a->device.driver);
        sp_record_set_count(r, SP_F_GPU_RUNTIME, a->device.runtime);
    }
    sp_record_set_text(r, SP_F_GPU_LAUNCH_MAP, sp_gpu_map_name(g->map));
    sp_record_set_count(r, SP_F_GPU_LAUNCH_LANES, g->lanes);
    sp_record_set_count(r, SP_F_GPU_LAUNCH_BLOCK_THREADS, g->block_threads);
    sp_record_set_count(r, SP_F_GPU_LAUNCH_BLOCKS, g->n_blocks);
    sp_record_set_count(r, SP_F_GPU_LAUNCH_SHARED_B, (int64_t)g->shared_B);
}

static json_t *way_json(const struct sp_gpu_way *w, bool is_chosen)
{
    struct sp_workload scratch = {0};
    char format[48] = "", name[96];
    if (sp_workload_set_format(&scratch, w->option, NULL) == SP_OK)
        sp_workload_format_text(&scratch, format, sizeof format);
    return way_item(sp_gpu_way_name(name, sizeof name, format, &w->launch), w->kernel->name, w->option,
                    w->predicted ? &w->prediction : NULL, is_chosen);
}

/* What launches and loads take, as the model has it. */
static void record_waits(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const struct sp_gpu_limits *gpu = &a->options->machine->gpu;
    sp_record_set_value(r, SP_F_GPU_LAUNCH_TIME, gpu->launch_s);
    sp_record_set_value(r, SP_F_GPU_LATENCY,
                        a->in_L2 && sp_value_known(gpu->L2_latency_s) ? gpu->L2_latency_s : gpu->latency_s);
}

static void record_levels(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const struct sp_gpu_traffic *t = &a->chosen->prediction.traffic;
    if (a->chosen->predicted) {
        sp_record_set_value(r, SP_F_GPU_L1_LOAD, t->L1_load_B);
        sp_record_set_value(r, SP_F_GPU_L1_COPY, t->L1_copy_B);
        sp_record_set_value(r, SP_F_GPU_L1_STORE, t->L1_store_B);
        sp_record_set_value(r, SP_F_GPU_L2_LOAD, t->L2_load_B);
        sp_record_set_value(r, SP_F_GPU_L2_STORE, t->L2_store_B);
        sp_record_set_value(r, SP_F_GPU_MEMORY_LOAD, t->memory_load_B);
        sp_record_set_value(r, SP_F_GPU_MEMORY_STORE, t->memory_store_B);
        sp_record_set_number(r, SP_F_GPU_USE, t->use);
        sp_record_set_count(r, SP_F_GPU_RESIDENT_WARPS, t->occupancy.warps);
        sp_record_set_number(r, SP_F_GPU_STEPS_PER_LATENCY, a->chosen->launch.steps);
        sp_record_set_text(r, SP_F_GPU_RESIDENT_LIMIT, t->occupancy.limit);
        record_waits(a, r);
        record_level(r, "L1", sp_value_sum(t->L1_load_B, t->L1_copy_B), t->L1_store_B);
        record_level(r, "L2", t->L2_load_B, t->L2_store_B);
    }
    if (!a->in_L2)
        record_level(r, "MEM", a->read_B, a->write_B);
    for (int i = 0; i < SP_N_GPU_COUNTS; i++)
        sp_record_set_value(r, sp_field_in(SP_F_GPU_COUNTS, sp_gpu_count_words[i].name), a->counts.of[i]);
    for (int i = 0; i < a->n_ways; i++)
        sp_record_append(r, SP_F_GPU_WAYS, way_json(&a->way[i], &a->way[i] == a->chosen));
}

static void record_roofs(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const struct sp_machine *m = a->options->machine;
    struct sp_ceiling roof = {.n_threads = m->n_cores, .n_domains = 1, .value = a->roof_Bps};
    snprintf(roof.name, sizeof roof.name, "load");
    snprintf(roof.level, sizeof roof.level, a->in_L2 ? "L2" : "MEM");
    snprintf(roof.precision, sizeof roof.precision, "f64");
    snprintf(roof.mode, sizeof roof.mode, "unknown");
    snprintf(roof.how, sizeof roof.how, "load-only over %s, beside the kernel's samples",
             a->in_L2 ? "a quarter of the L2" : "four times the L2");
    if (a->options->gpu_recorded)
        snprintf(roof.how, sizeof roof.how, "the machine's load-only bandwidth");
    sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(&roof, "roof"));
    const struct sp_ceiling *memory = a->chosen->prediction.memory_roof;
    if (a->in_L2 && memory && strcmp(memory->name, "load") == 0 && sp_value_known(memory->value))
        sp_record_append(r, SP_F_ROOFS, sp_json_ceiling(memory, "other"));
    record_ceilings(r, m, a->workload.precision, a->chosen->launch.map, a->in_L2);
}

static struct sp_value per(double amount, struct sp_value time, enum sp_origin origin)
{
    return sp_value_between(amount / time.value, amount / time.hi, amount / time.lo, origin);
}

static struct sp_value scaled(struct sp_value v, double by)
{
    return sp_value_between(v.value / by, v.lo / by, v.hi / by, v.origin);
}

/* What CUPTI counted takes the place of the model's, which stays beside it. */
static void record_counted(const struct sp_gpu_analysis *a, struct sp_record *r, double gather_B)
{
    if (!sp_gpu_is_counted(a))
        return;
    const struct sp_gpu_recorded *recorded = a->options->gpu_recorded;
    sp_record_set_text(r, SP_F_COUNTERS_SOURCE, counter_of(a));
    sp_record_set_text(r, SP_F_COUNTERS_HOW,
                       recorded ? recorded->how
                                : "one execution under CUPTI's range profiler, the whole GPU");
    sp_record_set_text(r, SP_F_COUNTERS_TRUST_TEXT,
                       recorded ? "no known volume of memory was counted with it" : a->trust);
    sp_record_set_metric(r, SP_F_METRICS_ALPHA_SIMULATED, scaled(a->x_modelled_B, gather_B),
                         SP_DEFINED_ON_GPU);
    sp_record_set_value(r, SP_F_METRICS_BYTES_READ, a->read_B);
    sp_record_set_value(r, SP_F_METRICS_BYTES_WRITTEN, a->write_B);
}

static void record_metrics(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const bool empty = a->layout.n_nz == 0;
    const struct sp_value none = sp_value_none(sp_gpu_no_entries);
    const double gather_B = sp_layout_gather_bytes(&a->layout);
    const struct sp_value alpha = empty ? none : scaled(a->x_B, gather_B),
                          least = empty ? none : sp_value_of(a->x_once_B / gather_B, SP_MODELLED);
    sp_record_set_metric(r, SP_F_METRICS_TIME, a->pairs.time, SP_DEFINED_ON_GPU);
    sp_record_set_value(r, SP_F_METRICS_SPREAD, sp_value_of(a->pairs.spread, a->pairs.time.origin));
    sp_record_set_value(r, SP_F_METRICS_FLOPS, sp_value_of(a->work, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_PERFORMANCE,
                        empty ? none : per(a->work, a->pairs.time, a->pairs.time.origin));
    sp_record_set_value(r, SP_F_METRICS_BYTES, a->V_B);
    if (!sp_gpu_is_counted(a))
        sp_record_set_count(r, SP_F_METRICS_BYTES_VERSION, SP_GPU_TRAFFIC_VERSION);
    sp_record_set_metric(r, SP_F_METRICS_BYTES_MIN, empty ? none : sp_value_of(a->once_B, SP_MODELLED),
                         SP_DEFINED_ON_GPU);
    sp_record_set_value(r, SP_F_METRICS_ALPHA, alpha);
    sp_record_set_metric(r, SP_F_METRICS_ALPHA_MIN, least, SP_DEFINED_ON_GPU);
    if (a->x_once_B > 0)
        sp_record_set_value(r, SP_F_METRICS_X_LOADS, scaled(a->x_B, a->x_once_B));
    if (!empty)
        record_counted(a, r, gather_B);
    sp_record_set_value(
        r, SP_F_METRICS_BETA,
        empty ? none : sp_value_of((double)a->layout.n_nz / (double)a->layout.n_stored, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_BALANCE, empty ? none : scaled(a->V_B, a->work));
    sp_record_set_value(r, SP_F_METRICS_BALANCE_MIN,
                        empty ? none : sp_value_of(a->once_B / a->work, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH, per(a->V_B.value, a->pairs.time, a->V_B.origin));
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH_FRACTION, a->fraction);
    sp_record_set_metric(r, SP_F_METRICS_MODEL_FRACTION, a->model_fraction, SP_DEFINED_ON_GPU);
}

static void record_table(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const struct sp_value none = sp_value_none("this row is not compared with the roof");
    const bool compared = sp_value_known(a->model_fraction);
    sp_record_append(r, SP_F_TABLE,
                     sp_json_table_row("model, x once", a->t_once, sp_value_of(a->once_B, SP_MODELLED),
                                       a->work, compared ? sp_value_of(1, SP_MODELLED) : none,
                                       compared ? "model_fraction" : NULL));
    sp_record_append(r, SP_F_TABLE,
                     sp_json_table_row(sp_gpu_is_counted(a) ? "model, x as counted" : "model, x as simulated",
                                       a->t_model, a->V_B, a->work, none, NULL));
    json_t *row =
        sp_json_table_row("measured", a->pairs.time, a->V_B, a->work, a->fraction, "bandwidth_fraction");
    if (sp_gpu_is_counted(a))
        json_object_set_new(row, "bytes_source", json_string(counter_of(a)));
    sp_record_append(r, SP_F_TABLE, row);
}

/* Why bytes are modelled; an empty list: nobody asked for counters. */
static void record_tried(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const char *why = a->counts.of[a->in_L2 ? SP_GPU_L2_READ : SP_GPU_DRAM_READ].why;
    if (sp_gpu_is_counted(a))
        return;
    sp_record_set_object(r, SP_F_BYTES_TRIED, json_array());
    if (a->options->count_on_gpu)
        sp_record_append(r, SP_F_BYTES_TRIED,
                         json_pack("{s:s, s:b, s:s}", "source",
                                   a->options->gpu_api == SP_GPU_CUDA
                                       ? "cupti"
                                       : sp_gpu_interfaces[a->options->gpu_api].device,
                                   "opened", false, "reason", why ? why : "bytes written were not counted"));
}

/* The environment and the result; of a run elsewhere nobody knows them. */
static void record_check(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    sp_record_set_text(r, SP_F_VERIFY_REFERENCE,
                       "row sums of CRS in double precision, tolerance from the row lengths");
    if (a->options->gpu_recorded) {
        sp_record_set_text(r, SP_F_VERIFY_WHY, "the run was recorded elsewhere");
        return;
    }
    sp_record_environment(r, a->options->topology, &a->device);
    sp_record_source(r);
    sp_record_set_number(r, SP_F_VERIFY_MAX_REL_ERR, a->check.max_error);
    sp_record_set_number(r, SP_F_VERIFY_MAX_ERR_OVER_TOLERANCE, a->check.max_ratio);
    sp_record_set_flag(r, SP_F_VERIFY_OK, a->check.bad_row < 0);
}

void sp_gpu_record_known(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    sp_record_machine(r, a->options->machine);
    sp_record_subject(r, a->subject);
    record_config(a, r);
    if (a->layout.n_r)
        sp_record_layout(r, &a->layout);
    sp_record_request(r, a->options, a->subject->reorder, sp_gpu_interfaces[a->options->gpu_api].device);
    record_check(a, r);
    record_launch(a, r);
    if (a->pairs.n == 0)
        return;
    sp_record_conditions(r, &a->conditions, a->doubt);
    json_t *run = sp_json_run(&a->pairs);
    if (a->options->gpu_recorded) {
        json_object_set_new(run, "roof_Bps", json_array());
    } else {
        sp_record_set_value(r, SP_F_GPU_CLOCK_SM, a->clocks.sm_Hz);
        sp_record_set_value(r, SP_F_GPU_CLOCK_MEMORY, a->clocks.memory_Hz);
        sp_record_set_value(r, SP_F_GPU_POWER_LIMIT, a->clocks.power_limit_W);
    }
    json_object_set_new(run, "counters", json_null());
    sp_record_append(r, SP_F_RUNS, run);
}

/* A matrix beyond the GPU's memory comes over the link in each execution: no level says that. */
static void record_streamed(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    char text[200];
    if (a->streamed_B <= 0)
        return;
    sp_record_set_value(r, SP_F_GPU_STREAMED, sp_value_of(a->streamed_B, SP_MODELLED));
    snprintf(
        text, sizeof text,
        "the weights are streamed: they exceed the GPU's memory, and each execution copies %.1f MB of them "
        "to it, %.2f GB/s; the model knows nothing of that link",
        a->streamed_B / 1e6, a->streamed_B / a->pairs.time.value / 1e9);
    sp_record_append(r, SP_F_REMARKS, json_string(text));
}

static void record_window(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    char text[200];
    const double x_B = (double)a->layout.n_c * (double)a->layout.s_x;
    if (a->window_B <= 0)
        return;
    sp_record_set_count(r, SP_F_GPU_LAUNCH_WINDOW_B, (int64_t)a->window_B);
    sp_record_set_number(r, SP_F_GPU_LAUNCH_WINDOW_HITS, a->window_hits);
    snprintf(
        text, sizeof text,
        "a persistence window of the L2 covers %.1f of %.1f kB of x; %.0f %% of the accesses to it may stay",
        a->window_B / 1e3, x_B / 1e3, 100 * a->window_hits);
    sp_record_append(r, SP_F_REMARKS, json_string(text));
}

/* What was profiled elsewhere, what cannot be this matrix here, and what profiling changes. */
static void flag_recorded(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    const struct sp_gpu_recorded *g = a->options->gpu_recorded;
    const double counted_B = a->counts.of[SP_GPU_DRAM_READ].value + a->counts.of[SP_GPU_DRAM_WRITE].value;
    const double sector_B = 32, rest_B = a->once_B - a->x_once_B,
                 kept_B = a->options->state == SP_COLD ? 0 : 2 * (double)a->device.L2_B;
    const double most_B =
        rest_B + fmax(sector_B * (double)a->layout.n_nz, sp_layout_gather_bytes(&a->layout));
    if (g->constructed)
        sp_record_add_flag(r, "Q20", "constructed: bytes and times are invented, measurements of no machine");
    else
        sp_record_add_flag(r, "Q21", "replayed: %s by %s elsewhere or at another time",
                           sp_gpu_is_counted(a) ? "counted" : "timed", g->source);
    if (!sp_gpu_is_counted(a))
        return;
    sp_record_add_flag(r, "Q22", "the counters were not tested with known volumes");
    if (a->pairs.time.origin == SP_STATED)
        sp_record_add_flag(r, "Q30", "the time is stated, not measured by this program");
    if (counted_B > 1.5 * most_B)
        sp_record_add_flag(
            r, "Q29",
            "%.4g MB of memory traffic were counted in each product, this matrix moves %.4g MB "
            "where caches keep nothing: another matrix, more products than said, or other "
            "kernels are among them",
            counted_B / 1e6, most_B / 1e6);
    else if (2 * counted_B < a->once_B - kept_B)
        sp_record_add_flag(
            r, "Q29",
            "%.4g MB of memory traffic were counted in each product, and at least %.4g MB must "
            "move: another matrix, fewer products than said, or a part of the kernels alone",
            counted_B / 1e6, (a->once_B - kept_B) / 1e6);
    if (a->options->state == SP_WARM)
        sp_record_append(r, SP_F_REMARKS,
                         json_string("ncu empties caches before each launch unless told not to "
                                     "(cache-control none): then " SP_O_COLD " is right"));
    if (a->pairs.time.origin != SP_STATED)
        sp_record_append(
            r, SP_F_REMARKS,
            json_string("ncu holds clocks at their base unless told not to (clock-control none): "
                        "times of other runs are shorter (" SP_O_TIME ")"));
}

void sp_gpu_record(const struct sp_gpu_analysis *a, struct sp_record *r)
{
    sp_gpu_record_known(a, r);
    sp_record_set_text(r, SP_F_STATUS,
                       a->options->gpu_recorded && a->options->gpu_recorded->constructed ? "constructed"
                                                                                         : "complete");
    record_levels(a, r);
    record_roofs(a, r);
    record_metrics(a, r);
    if (a->layout.n_nz > 0) {
        sp_record_set_text(r, SP_F_BINDING_LEVEL, a->in_L2 ? "L2" : "MEM");
        sp_record_set_text(r, SP_F_BINDING_TERM, a->binding);
        if (a->chosen->predicted)
            sp_record_set_value(r, SP_F_GPU_ROOF_PART, sp_value_of(a->roof_part, SP_MODELLED));
        if (a->beside)
            sp_record_set_text(r, SP_F_BINDING_BESIDE, a->beside);
        record_table(a, r);
        if (a->streamed_B <= 0 && !*a->doubt)
            sp_record_losses(r, &a->losses);
        if (!a->options->no_hints && a->streamed_B <= 0 && !*a->doubt)
            sp_record_hints(r, &a->hints);
    }
    if (*a->doubt)
        sp_record_no_bottleneck(r, a->doubt);
    sp_record_plan(r, a->options->plan, &a->steps_taken);
    sp_record_set_object(r, SP_F_FLAGS, json_array());
    record_tried(a, r);
    record_streamed(a, r);
    record_window(a, r);
    if (a->options->gpu_recorded)
        flag_recorded(a, r);
    if (a->options->machine->n_cores != a->device.n_cores)
        sp_record_append(r, SP_F_REMARKS,
                         json_string("ceilings and levels are those of the machine named with " SP_O_MACHINE
                                     "; the "
                                     "kernel ran on another GPU"));
    if (sp_gpu_lacks_updates(a))
        sp_record_append(r, SP_F_REMARKS,
                         json_string("bytes written are a lower bound: what the second grid adds to y in the "
                                     "L2 was not counted"));
    if (sp_value_known(a->fraction) && a->fraction.value > 1.03)
        sp_record_add_flag(r, "Q01", "%.0f %% of the roof: %s, or the roof was sampled in a worse moment",
                           100 * a->fraction.value,
                           sp_gpu_is_counted(a) ? "other traffic was counted too"
                                                : "part of the modelled bytes stayed in caches");
    if (a->pairs.spread > 0.1)
        sp_record_add_flag(r, "Q02", "noisy: the samples spread by %.0f %% (Q3 - Q1 of the median)",
                           100 * a->pairs.spread);
    sp_record_set_number(r, SP_F_COST_LOAD_S, a->subject->load_s);
    sp_record_set_number(r, SP_F_COST_LAYOUT_S, a->layout_s);
    if (strcmp(a->subject->reorder, "none") != 0)
        sp_record_set_number(r, SP_F_COST_REORDER_S, a->subject->reorder_s);
    sp_record_set_number(r, SP_F_COST_UPLOAD_S, a->upload_s);
    sp_record_set_number(r, SP_F_COST_SIMULATE_S, a->model_s);
    sp_record_set_number(r, SP_F_COST_SETUP_SPMV,
                         (a->layout_s + a->upload_s + a->subject->reorder_s) / a->pairs.time.value);
}
