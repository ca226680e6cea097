/* The job's record: what every record has, of all ranks together, and the part `ranks`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/reading.h"
#include "io/json_text.h"
#include "io/record/record_request.h"
#include "session/analyze/analyze.h"
#include "session/measure/conditions.h"
#include "session/measure/measure_plan.h"
#include "session/mpi/mpi_run.h"
#include "session/record/parts.h"
#include "sparse/formats/format_ids.h"
#include "sparse/ranks/ranks.h"

static json_t *count(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *part_object(const struct sp_mpi_result *r, enum sp_mpi_mode mode)
{
    const struct sp_mpi_times *t = &r->time[mode];
    json_t *o = json_object(), *samples = json_array();
    for (int k = 0; k < t->n; k++)
        json_array_append_new(samples, sp_json_number(t->sample_s[k]));
    json_object_set_new(o, "part", json_string(sp_mpi_mode_name(mode)));
    json_object_set_new(o, "time",
                        sp_record_value_json(sp_median_interval(t->sample_s, t->n, SP_MEASURED), "s"));
    json_object_set_new(o, "repetitions", json_integer(t->repetitions));
    json_object_set_new(o, "samples_s", samples);
    return o;
}

/* ---- each rank, each pair ---- */

/* Nodes are numbered as they first appear; names of hosts stay out of the record. */
static int node_of(const struct sp_mpi_result *r, int rank)
{
    int n = 0;
    for (int k = 0; k <= rank; k++) {
        int first = 0;
        while (strcmp(r->rank[first].host, r->rank[k].host) != 0)
            first++;
        if (strcmp(r->rank[k].host, r->rank[rank].host) == 0)
            return n;
        n += first == k;
    }
    return n;
}

static json_t *rank_object(const struct sp_mpi_result *r, int i)
{
    const struct sp_mpi_rank *k = &r->rank[i];
    json_t *o = json_object(), *median = json_object();
    json_object_set_new(o, "rank", json_integer(k->rank));
    json_object_set_new(o, "node", json_integer(node_of(r, i)));
    json_object_set_new(o, "threads", json_integer(k->n_threads));
    json_object_set_new(o, "pinned", json_boolean(k->is_pinned));
    json_object_set_new(o, "kernel", sp_json_string(k->kernel));
    json_object_set_new(o, "rows", json_integer(k->n_r));
    json_object_set_new(o, "x", json_integer(k->n_x));
    json_object_set_new(o, "local_nnz", json_integer(k->local_nz));
    json_object_set_new(o, "remote_nnz", json_integer(k->remote_nz));
    json_object_set_new(o, "remote_rows", json_integer(k->remote_rows));
    json_object_set_new(o, "remote_compressed", json_boolean(k->is_compressed));
    json_object_set_new(o, "received_from", json_integer(k->n_from));
    json_object_set_new(o, "received_B", json_integer(k->n_received * (int64_t)sizeof(double)));
    json_object_set_new(o, "sent_to", json_integer(k->n_to));
    json_object_set_new(o, "sent_B", json_integer(k->n_sent * (int64_t)sizeof(double)));
    json_object_set_new(o, "counted_messages", count(k->counted_messages));
    json_object_set_new(o, "counted_B", count(k->counted_bytes));
    json_object_set_new(o, "moved_B", sp_json_number(k->moved_B));
    json_object_set_new(o, "error_over_tolerance", sp_json_number(k->worst_error));
    json_object_set_new(o, "roof_Bps", sp_json_number(k->scanned_B / k->median_s[SP_MPI_ROOF]));
    for (int m = 0; m < SP_MPI_N_MODES; m++)
        json_object_set_new(median, sp_mpi_mode_name((enum sp_mpi_mode)m), sp_json_number(k->median_s[m]));
    json_object_set_new(o, "median_s", median);
    return o;
}

static json_t *pair_object(const struct sp_mpi_pair *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "from", json_integer(p->from));
    json_object_set_new(o, "to", json_integer(p->to));
    json_object_set_new(o, "predicted_B", json_integer(p->predicted_B));
    json_object_set_new(o, "counted_messages", count(p->counted_messages));
    json_object_set_new(o, "counted_B", count(p->counted_B));
    return o;
}

/* The partition's name; of a file the request has it. */
static const char *partition_word(const struct sp_mpi_result *r)
{
    return sp_division_of(r->partition) ? r->partition : "file";
}

static void record_ranks(const struct sp_mpi_result *r, enum sp_mpi_mode mode, struct sp_record *record)
{
    const int n = r->world.n_ranks;
    int64_t bytes = 0, messages = 0;
    int nodes = 0;
    for (int64_t k = 0; k < r->n_pairs; k++) {
        bytes += r->pair[k].predicted_B;
        messages += r->pair[k].predicted_B > 0;
    }
    for (int i = 0; i < n; i++)
        nodes = node_of(r, i) >= nodes ? node_of(r, i) + 1 : nodes;
    sp_record_set_count(record, SP_F_RANKS_N, n);
    sp_record_set_count(record, SP_F_RANKS_NODES, nodes);
    sp_record_set_text(record, SP_F_RANKS_MPI, r->world.library);
    sp_record_set_text(record, SP_F_RANKS_PARTITION, partition_word(r));
    sp_record_set_text(record, SP_F_RANKS_PRODUCT, sp_mpi_mode_name(mode));
    sp_record_set_count(record, SP_F_RANKS_MESSAGES, messages);
    sp_record_set_count(record, SP_F_RANKS_HALO_B, bytes);
    if (r->n_wrong_pairs < 0)
        sp_record_set_object(record, SP_F_RANKS_COUNTED_AS_PREDICTED, json_null());
    else
        sp_record_set_flag(record, SP_F_RANKS_COUNTED_AS_PREDICTED, r->n_wrong_pairs == 0);
    for (int m = 0; m < SP_MPI_N_MODES; m++)
        sp_record_append(record, SP_F_RANKS_PARTS, part_object(r, (enum sp_mpi_mode)m));
    for (int i = 0; i < n; i++)
        sp_record_append(record, SP_F_RANKS_EACH, rank_object(r, i));
    sp_record_set_object(record, SP_F_RANKS_PAIRS, json_array());
    for (int64_t k = 0; k < r->n_pairs; k++)
        sp_record_append(record, SP_F_RANKS_PAIRS, pair_object(&r->pair[k]));
}

/* ---- what every record has ---- */

static void record_problem(const struct sp_mpi_result *r, const struct sp_mpi_options *o,
                           struct sp_record *record)
{
    sp_record_set_text(record, SP_F_PROBLEM_NAME, r->facts.name);
    sp_record_set_text(record, SP_F_PROBLEM_PATH, o->matrix);
    if (r->facts.sha256[0])
        sp_record_set_text(record, SP_F_PROBLEM_SHA256, r->facts.sha256);
    else
        sp_record_set_null(record, SP_F_PROBLEM_SHA256, "not computed");
    sp_record_set_count(record, SP_F_PROBLEM_ROWS, r->n_r);
    sp_record_set_count(record, SP_F_PROBLEM_COLS, r->n_c);
    sp_record_set_count(record, SP_F_PROBLEM_NNZ, r->n_nz);
    sp_record_set_text(record, SP_F_PROBLEM_INPUT, r->facts.format);
}

static void record_config(const struct sp_mpi_result *r, const struct sp_mpi_options *o,
                          struct sp_record *record)
{
    const struct sp_workload w = {.op = SP_OP_SPMV, .format = SP_FORMAT_CRS, .C = 1, .sigma = 1, .r = 1};
    const struct sp_analyze_options asked = {
        .r = 1, .format = "crs", .schedule = "nnz", .precision = -1, .n_threads = o->n_threads};
    bool pinned = true;
    double worst = 0;
    for (int i = 0; i < r->world.n_ranks; i++) {
        pinned = pinned && r->rank[i].is_pinned;
        worst = fmax(worst, r->rank[i].worst_error);
    }
    sp_record_workload(record, &w);
    sp_record_set_count(record, SP_F_CONFIG_THREADS, r->rank[0].n_threads);
    sp_record_set_flag(record, SP_F_CONFIG_PINNED, pinned);
    sp_record_set_text(record, SP_F_CONFIG_SCHEDULE, "nnz");
    sp_record_set_text(record, SP_F_CONFIG_DEVICE, "cpu");
    sp_record_set_text(record, SP_F_CONFIG_CACHE, "warm");
    sp_record_set_text(record, SP_F_CONFIG_KERNEL, r->rank[0].kernel);
    sp_record_set_text(record, SP_F_CONFIG_BYTES, "model");
    sp_record_set_count(record, SP_F_CONFIG_RUNS, 1);
    sp_record_set_number(record, SP_F_CONFIG_BUDGET_S, o->budget_s);
    sp_record_set_count(record, SP_F_CONFIG_MAX_SAMPLES, o->max_samples);
    sp_record_set_count(record, SP_F_CONFIG_SEED, (int64_t)o->seed);
    sp_record_request(record, &asked, NULL, "cpu");
    sp_record_set_count(record, sp_option_field(SP_OPTION_MPI), r->world.n_ranks);
    sp_record_set_text(record, sp_option_field(SP_OPTION_PARTITION), r->partition);
    sp_record_set_text(
        record, SP_F_VERIFY_REFERENCE,
        "row sums of CRS in double precision, tolerance from the row lengths; each rank its rows");
    sp_record_set_number(record, SP_F_VERIFY_MAX_ERR_OVER_TOLERANCE, worst);
    sp_record_set_flag(record, SP_F_VERIFY_OK, true);
}

/* ---- times beside the roof ---- */

/* Samples of the product beside those of the roof, which all ranks drew together, and of execution
 * from inner caches. */
struct beside {
    double time_s[SP_MPI_SAMPLES], roof_Bps[SP_MPI_SAMPLES], share[SP_MPI_SAMPLES];
    double core_s[SP_MPI_SAMPLES]; /* execution of all entries, at the rates of all ranks; 0: not known */
    double least_s[SP_MPI_SAMPLES],
        of_least[SP_MPI_SAMPLES]; /* V/b or execution, the longer; its share of the time */
    bool in_core;                 /* execution is the longer */
    double moved_B;
    struct sp_pairs pairs;
};

/* Time of all entries where each rank executes as fast as its local block did from inner caches,
 * and none waits for another: by its median of SP_MPI_CORE; 0: not known. */
static double execution_of(const struct sp_mpi_result *r)
{
    double rate = 0; /* entries/s */
    for (int i = 0; i < r->world.n_ranks; i++)
        rate += r->rank[i].median_s[SP_MPI_CORE] > 0
                    ? (double)r->rank[i].local_nz / r->rank[i].median_s[SP_MPI_CORE]
                    : 0;
    return rate > 0 ? (double)r->n_nz / rate : 0;
}

static void lay_beside(const struct sp_mpi_result *r, enum sp_mpi_mode mode, struct beside *b)
{
    const struct sp_mpi_times *core = &r->time[SP_MPI_CORE];
    const double longest_s = sp_median(core->sample_s, core->n),
                 of_all = longest_s > 0 ? execution_of(r) / longest_s : 0;
    const struct sp_mpi_times *t = &r->time[mode], *roof = &r->time[SP_MPI_ROOF];
    double scanned_B = 0;
    *b = (struct beside){.moved_B = 0};
    for (int i = 0; i < r->world.n_ranks; i++) {
        scanned_B += r->rank[i].scanned_B;
        b->moved_B += r->rank[i].moved_B;
    }
    for (int k = 0; k < t->n; k++) {
        b->time_s[k] = t->sample_s[k];
        b->roof_Bps[k] = scanned_B / fmax(roof->sample_s[k], 1e-12);
        b->share[k] = b->moved_B / (b->time_s[k] * fmax(b->roof_Bps[k], 1e-300));
        b->core_s[k] = core->sample_s[k] * of_all;
        b->least_s[k] = fmax(b->share[k] * b->time_s[k], b->core_s[k]);
        b->of_least[k] = b->least_s[k] / b->time_s[k];
    }
    b->in_core = sp_median(b->core_s, t->n) * sp_median(b->roof_Bps, t->n) > b->moved_B;
    struct sp_pairs *p = &b->pairs;
    p->n = t->n;
    p->n_clean = r->n_clean;
    p->n_disturbed = r->n_disturbed;
    p->clean = r->n_disturbed == 0 || r->n_clean >= SP_MPI_FEWEST;
    p->time_s = b->time_s;
    p->roof_Bps = b->roof_Bps;
    p->repetitions = t->repetitions;
    p->time = sp_median_interval(b->time_s, t->n, SP_MEASURED);
    p->roof = sp_median_interval(b->roof_Bps, t->n, SP_MEASURED);
    p->spread = (sp_quantile(b->time_s, t->n, 0.75) - sp_quantile(b->time_s, t->n, 0.25)) / p->time.value;
    snprintf(p->mode, sizeof p->mode, "unknown");
}

/* The first level whose caches, those of the threads at work, hold what all ranks move. */
static const char *level_of(const struct sp_mpi_result *r, double moved_B)
{
    const struct sp_topology *t = &r->topology;
    static const char *const names[] = {"MEM", "L1", "L2", "L3", "L4"};
    int nodes = 0, threads = 0;
    for (int i = 0; i < r->world.n_ranks; i++) {
        nodes = node_of(r, i) >= nodes ? node_of(r, i) + 1 : nodes;
        threads += node_of(r, i) == 0 ? r->rank[i].n_threads : 0;
    }
    for (int i = 0; i < t->n_caches; i++) {
        const struct sp_topology_cache *c = &t->cache[i];
        const int used = threads < c->n_instances ? threads : c->n_instances;
        if (c->level >= 1 && c->level <= 4 && moved_B / nodes <= (double)c->size_B * used)
            return names[c->level];
    }
    return names[0];
}

static void record_metrics(const struct sp_mpi_result *r, const struct beside *b, const char *doubt,
                           struct sp_record *record)
{
    const struct sp_value t = b->pairs.time, V = sp_value_of(b->moved_B, SP_MODELLED),
                          none = sp_value_none(r->n_nz == 0 ? "the matrix has no entries" : doubt);
    const double W = 2 * (double)r->n_nz;
    const bool holds = r->n_nz > 0 && !*doubt;
    const int n = (int)b->pairs.n;
    struct sp_value share = holds ? sp_median_interval(b->share, n, SP_MEASURED) : none,
                    of_least = holds ? sp_median_interval(b->of_least, n, SP_MEASURED) : none,
                    core = sp_median_interval(b->core_s, n, SP_MEASURED),
                    least = sp_median_interval(b->least_s, n, SP_MODELLED);
    sp_record_set_value(record, SP_F_METRICS_TIME, t);
    sp_record_set_value(record, SP_F_METRICS_SPREAD, sp_value_of(b->pairs.spread, SP_MEASURED));
    sp_record_set_value(record, SP_F_METRICS_FLOPS, sp_value_of(W, SP_MODELLED));
    sp_record_set_value(record, SP_F_METRICS_PERFORMANCE,
                        r->n_nz == 0 ? none : sp_value_between(W / t.value, W / t.hi, W / t.lo, SP_MEASURED));
    sp_record_set_value(record, SP_F_METRICS_BYTES, V);
    sp_record_set_value(record, SP_F_METRICS_BALANCE, W > 0 ? sp_value_of(V.value / W, SP_MODELLED) : none);
    sp_record_set_value(record, SP_F_METRICS_BYTES_MIN, V);
    sp_record_set_value(record, SP_F_METRICS_BANDWIDTH,
                        sp_value_between(V.value / t.value, V.value / t.hi, V.value / t.lo, SP_MODELLED));
    sp_record_set_value(record, SP_F_METRICS_BANDWIDTH_FRACTION, share);
    sp_record_set_value(record, SP_F_METRICS_MODEL_FRACTION, of_least);
    sp_record_set_value(record, SP_F_METRICS_P_CORE,
                        core.lo > 0 ? sp_value_between(W / core.value, W / core.hi, W / core.lo, SP_MEASURED)
                                    : sp_value_none("no rank has local entries"));
    if (r->n_nz == 0)
        return;
    sp_record_append(
        record, SP_F_TABLE,
        sp_json_table_row("model, x once", least, V, W, sp_value_of(1, SP_MODELLED), "model_fraction"));
    sp_record_append(record, SP_F_TABLE, sp_json_table_row("measured", t, V, W, share, "bandwidth_fraction"));
}

static void record_roof(const struct sp_mpi_result *r, const struct beside *b, struct sp_record *record)
{
    const char *level = level_of(r, b->moved_B);
    struct sp_ceiling roof = {.n_threads = 0, .n_domains = 0, .value = b->pairs.roof};
    char term[64];
    for (int i = 0; i < r->world.n_ranks; i++)
        roof.n_threads += r->rank[i].n_threads;
    snprintf(roof.name, sizeof roof.name, "load_own");
    snprintf(roof.level, sizeof roof.level, "%s", level);
    snprintf(roof.precision, sizeof roof.precision, "f64");
    snprintf(roof.how, sizeof roof.how, "all ranks load their local blocks at the same time");
    sp_record_append(record, SP_F_ROOFS, sp_json_ceiling(&roof, "roof"));
    if (b->in_core)
        snprintf(term, sizeof term, "in-core execution");
    else
        snprintf(term, sizeof term, "%s bandwidth", strcmp(level, "MEM") == 0 ? "memory" : level);
    sp_record_set_text(record, SP_F_BINDING_LEVEL, level);
    sp_record_set_text(record, SP_F_BINDING_TERM, term);
}

/* The node of rank 0. */
static void record_machine(const struct sp_mpi_result *r, struct sp_record *record)
{
    const char *cpu = NULL;
    char name[64];
    if (!sp_record_text(record, SP_F_ENV_IDENTITY_CPU, &cpu))
        return;
    sp_measure_name(cpu, r->topology.n_cores, name, sizeof name);
    sp_record_set_text(record, SP_F_MACHINE_NAME, name);
    sp_record_set_text(record, SP_F_MACHINE_CPU, cpu);
}

static void flag(const struct sp_mpi_result *r, const struct beside *b, struct sp_record *record)
{
    bool pinned = true;
    int threads = 0;
    for (int i = 0; i < r->world.n_ranks; i++) {
        pinned = pinned && r->rank[i].is_pinned;
        threads += node_of(r, i) == 0 ? r->rank[i].n_threads : 0;
    }
    sp_record_set_object(record, SP_F_FLAGS, json_array());
    if (b->pairs.spread > 0.1)
        sp_record_add_flag(record, "Q02", "noisy: the samples spread by %.0f %% (Q3 - Q1 of the median)",
                           100 * b->pairs.spread);
    if (threads > r->topology.n_cores)
        sp_record_add_flag(record, "Q04", "more threads than processors: some share one");
    else if (!pinned)
        sp_record_add_flag(record, "Q03", "threads could not be pinned");
}

enum sp_mpi_mode sp_mpi_faster(const struct sp_mpi_result *r)
{
    const struct sp_mpi_times *apart = &r->time[SP_MPI_APART], *over = &r->time[SP_MPI_OVERLAP];
    return sp_median(over->sample_s, over->n) < sp_median(apart->sample_s, apart->n) ? SP_MPI_OVERLAP
                                                                                     : SP_MPI_APART;
}

enum sp_status sp_mpi_record(const struct sp_mpi_result *r, const struct sp_mpi_options *o,
                             const char *command, struct sp_record *record, struct sp_error *err)
{
    const enum sp_mpi_mode mode = sp_mpi_faster(r);
    struct sp_conditions conditions = {.state = SP_NOT_RUN};
    enum sp_status status = sp_record_new(r->facts.name, record, err);
    struct beside *b = status == SP_OK ? malloc(sizeof *b) : NULL;
    if (status != SP_OK)
        return status;
    if (!b) {
        sp_record_free(record);
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for the record");
    }
    lay_beside(r, mode, b);
    sp_conditions_set(&b->pairs, &conditions);
    const char *doubt =
        conditions.state == SP_UNUSABLE ? "too many of the samples were disturbed by other programs" : "";
    sp_record_set_text(record, SP_F_STATUS, "complete");
    sp_record_set_text(record, SP_F_COMMAND, command);
    sp_record_source(record);
    record_problem(r, o, record);
    record_config(r, o, record);
    sp_record_environment(record, &r->topology, NULL);
    record_machine(r, record);
    sp_record_append(record, SP_F_RUNS, sp_json_run(&b->pairs));
    sp_record_conditions(record, &conditions, doubt);
    record_roof(r, b, record);
    record_metrics(r, b, doubt, record);
    record_ranks(r, mode, record);
    flag(r, b, record);
    free(b);
    return SP_OK;
}
