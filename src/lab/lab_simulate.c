/* The bytes of a record simulated again, from what it says was run and on which caches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab_audit.h"
#include "lab/lab_command.h"
#include "model/volume/traffic.h"
#include "session/analyze/analyze.h"
#include "session/analyze/setup.h"

/* Arrays may begin elsewhere in a line, and threads of several domains lie elsewhere: so much may differ. */
static const double tolerance = 0.005;

static const char *text_of(const json_t *record, const char *path)
{
    return json_string_value(sp_lab_node(record, path));
}

/* A document is the student's: its numbers are believed within bounds that a simulation can have. */
struct reading {
    const char *run;
    struct sp_lab_audit *audit;
    bool bad; /* flagged */
};

static double bounded(struct reading *r, const json_t *node, const char *path, double otherwise, double least,
                      double most)
{
    const double x = sp_lab_number(node, path, otherwise);
    if (x >= least && x <= most)
        return x;
    if (!r->bad)
        sp_lab_audit_add(r->audit, r->run, SP_FLAG_BYTES, "%s is %g: nothing that could have been run", path,
                         x);
    r->bad = true;
    return least;
}

static int64_t count_of(struct reading *r, const json_t *node, const char *path, int64_t otherwise,
                        int64_t least, int64_t most)
{
    return (int64_t)bounded(r, node, path, (double)otherwise, (double)least, (double)most);
}

enum { MOST_CORES = 1 << 16, MOST_THREADS = 4096, MOST_LINE_B = 1 << 12, MOST_WIDTH = 1 << 14 };
static const int64_t most_cache_B = INT64_C(1) << 32;

static void read_cache(struct reading *r, const json_t *item, struct sp_cache *c)
{
    const char *policy = text_of(item, "policy");
    c->level = (int)count_of(r, item, "level", 0, 1, SP_MAX_CACHES);
    c->line_B = (int)count_of(r, item, "line_B", 0, 16, MOST_LINE_B);
    c->size_B = count_of(r, item, "size_B", 0, c->line_B, most_cache_B);
    c->sector_B = (int)count_of(r, item, "sector_B", 0, 0, c->line_B);
    c->ways = (int)count_of(r, item, "ways", 0, 0, 1 << 24);
    c->cores_sharing = (int)count_of(r, item, "cores_sharing", 1, 1, MOST_CORES);
    c->victim = json_is_true(json_object_get(item, "victim"));
    c->inclusive = json_is_true(json_object_get(item, "inclusive"));
    c->policy =
        policy && sp_policy_from_name(policy) >= 0 ? (enum sp_policy)sp_policy_from_name(policy) : SP_LRU;
    c->effective_B = sp_value_none("not measured");
    if (json_is_number(sp_lab_node(item, "effective_B.value")))
        c->effective_B = sp_value_of(
            bounded(r, item, "effective_B.value", 0, c->line_B, (double)most_cache_B), SP_MEASURED);
    if (!r->bad && (c->line_B & (c->line_B - 1) || (c->sector_B > 0 && c->line_B % c->sector_B != 0)))
        count_of(r, item, "line_B", 0, 1, 0); /* no cache has such lines */
}

static void read_caches(struct reading *r, const json_t *record, struct sp_machine *m)
{
    size_t i;
    json_t *item;
    const json_t *list = sp_lab_node(record, "machine.caches");
    memset(m, 0, sizeof *m);
    m->n_cores = (int)count_of(r, record, "machine.n_cores", 1, 1, MOST_CORES);
    m->n_domains = (int)count_of(r, record, "machine.n_domains", 1, 1, m->n_cores);
    if (json_array_size(list) < 1 || json_array_size(list) > SP_MAX_CACHES) {
        sp_lab_audit_add(r->audit, r->run, SP_FLAG_BYTES, "it describes no caches to simulate");
        r->bad = true;
        return;
    }
    json_array_foreach((json_t *)list, i, item)
    {
        read_cache(r, item, &m->cache[m->n_caches++]);
    }
}

/* Was it run on a CPU from given addresses, so that it can be simulated? */
static bool can_simulate(const json_t *record)
{
    const char *device = text_of(record, "config.device"),
               *levels = text_of(record, "levels.name=MEM.origin");
    return device && strcmp(device, "cpu") == 0 && levels && strcmp(levels, "simulated") == 0 &&
           text_of(record, "config.format_option") && text_of(record, "config.schedule");
}

static struct sp_analyze_options read_options(struct reading *r, const json_t *record)
{
    const char *op = text_of(record, "config.op"), *precision = text_of(record, "config.precision"),
               *index = text_of(record, "config.index"), *order = text_of(record, "config.order");
    struct sp_analyze_options o = {
        .format = text_of(record, "config.format_option"),
        .schedule = text_of(record, "config.schedule"),
        .precision = precision ? sp_precision_from_name(precision) : -1,
        .prefetch = (int32_t)count_of(r, record, "config.prefetch", 0, 0, MOST_WIDTH),
        .n_threads = (int)count_of(r, record, "config.threads", 1, 1, MOST_THREADS)};
    o.op = op && sp_op_from_name(op) >= 0 ? (enum sp_op)sp_op_from_name(op) : SP_OP_SPMV;
    o.index = index && sp_index_from_name(index) >= 0 ? (enum sp_index)sp_index_from_name(index) : SP_I32;
    o.order = order && strcmp(order, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    const int64_t rhs = count_of(r, record, "config.rhs", 1, 1, MOST_WIDTH);
    o.r = (int32_t)count_of(r, record, "config.inner", rhs, 1, MOST_WIDTH);
    return o;
}

static bool go_on(void *context, double share)
{
    const struct sp_progress *progress = context;
    sp_progress_step(progress, "simulating again", share);
    return sp_progress_interrupted(progress);
}

/* What the record says of the simulation itself. */
struct wanted {
    struct sp_machine machine;
    struct sp_analyze_options options;
    int64_t llc_B;
    uint64_t seed;
    double skew;
};

/* What all caches together hold is what the simulation needs memory for. */
static bool is_too_much(const struct wanted *w)
{
    static const double most_B = 64.0 * (1 << 30);
    const struct sp_machine *m = &w->machine;
    double total_B = (double)m->n_domains * fmax((double)m->cache[m->n_caches - 1].size_B, (double)w->llc_B);
    for (int i = 0; i + 1 < m->n_caches; i++)
        total_B += (double)w->options.n_threads * (double)m->cache[i].size_B;
    return total_B > most_B;
}

/* False: flagged, and not to be simulated. */
static bool read_wanted(const char *run, const json_t *record, struct sp_lab_audit *audit, struct wanted *w)
{
    struct reading r = {run, audit, false};
    memset(w, 0, sizeof *w);
    read_caches(&r, record, &w->machine);
    w->options = read_options(&r, record);
    w->llc_B = count_of(&r, record, "request.llc", 0, 0, most_cache_B);
    w->seed = (uint64_t)count_of(&r, record, "config.seed", 1, 0, INT64_C(1) << 53);
    w->skew = bounded(&r, record, "request.skew", 0, 0, 1);
    if (!r.bad && is_too_much(w)) {
        sp_lab_audit_add(audit, run, SP_FLAG_BYTES, "its %d threads have more cache than any machine",
                         w->options.n_threads);
        r.bad = true;
    }
    return !r.bad;
}

static struct sp_sim_options sim_options(const json_t *record, const struct wanted *want,
                                         const struct sp_setup *s, const struct sp_progress *progress)
{
    const char *state = text_of(record, "config.cache"), *policy = text_of(record, "request.policy");
    struct sp_sim_options o = sp_sim_default(&want->machine);
    o.llc_B = want->llc_B;
    o.policy = policy ? sp_policy_from_name(policy) : -1;
    o.n_domain = s->n_domains;
    o.domain_of_thread = s->domain_of_thread;
    o.state = state && strcmp(state, "cold") == 0 ? SP_SIM_COLD : SP_SIM_WARM;
    o.skew = want->skew;
    o.store_nt = json_is_true(sp_lab_node(record, "config.store_nt"));
    o.seed = want->seed;
    o.progress = go_on;
    o.context = (void *)progress;
    return o;
}

static void compare(const char *run, const json_t *record, const struct sp_traffic *memory,
                    struct sp_lab_audit *audit)
{
    const double again = memory->read_B.value + memory->write_B.value,
                 said = sp_lab_number(record, "levels.name=MEM.read_B", 0) +
                        sp_lab_number(record, "levels.name=MEM.write_B", 0);
    audit->n_simulated++;
    if (fabs(again - said) > tolerance * fmax(again, said))
        sp_lab_audit_add(audit, run, SP_FLAG_BYTES,
                         "simulated again %.6g bytes cross the memory interface, not %.6g", again, said);
}

static enum sp_status simulate(const char *run, const json_t *record, const struct sp_subject *subject,
                               const struct sp_progress *progress, struct sp_lab_audit *audit,
                               struct sp_error *err)
{
    struct wanted want;
    struct sp_workload workload;
    struct sp_setup setup = {0};
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels = 0;
    if (!read_wanted(run, record, audit, &want))
        return SP_OK;
    enum sp_status status = sp_analyze_workload(&subject->matrix, &want.options, &workload, err);
    const struct sp_setup_options options = {
        .layout_only = true,
        .store_nt = json_is_true(sp_lab_node(record, "config.store_nt")) ? SP_CHOICE_ON : SP_CHOICE_OFF,
        .machine = &want.machine};
    if (status == SP_OK)
        status = sp_setup_make(&workload, &options, progress, &setup, err);
    if (status == SP_OK) {
        const struct sp_sim_options o = sim_options(record, &want, &setup, progress);
        status = sp_sim_traffic(&setup.layout, &o, traffic, &n_levels, NULL, err);
    }
    sp_setup_free(&setup);
    if (status == SP_OK)
        compare(run, record, &traffic[n_levels - 1], audit);
    return status;
}

/* The student's own matrix, whatever the record says; its content is compared first. */
static enum sp_status audit_record(const char *run, const json_t *record, const char *matrix,
                                   const struct sp_progress *progress, struct sp_lab_audit *audit,
                                   struct sp_error *err)
{
    struct sp_subject subject = {0};
    const struct sp_load_options load = {.n_threads = 1};
    const char *reorder = text_of(record, "problem.reorder"), *digest = text_of(record, "problem.sha256");
    enum sp_status status = sp_subject_open(matrix, &load, reorder, progress, &subject, err);
    if (status == SP_OK && digest && subject.facts.sha256[0] && strcmp(digest, subject.facts.sha256) != 0)
        sp_lab_audit_add(audit, run, SP_FLAG_MATRIX, "the digest of its matrix is not that of %.100s",
                         matrix);
    else if (status == SP_OK)
        status = simulate(run, record, &subject, progress, audit, err);
    sp_subject_free(&subject);
    if (status == SP_USAGE || status == SP_INPUT) { /* what the record says was run makes no sense */
        sp_lab_audit_add(audit, run, SP_FLAG_BYTES, "it cannot be simulated: %.250s", err ? err->what : "");
        status = SP_OK;
    }
    return status;
}

enum sp_status sp_lab_audit_bytes(const struct sp_lab_results *results, const struct sp_progress *progress,
                                  struct sp_lab_audit *audit, struct sp_error *err)
{
    const struct sp_lab_folder *folder = results->folder;
    enum sp_status status = SP_OK;
    for (int i = 0; i < results->n && status == SP_OK; i++) {
        const struct sp_lab_result *r = &results->result[i];
        struct sp_lab_command command;
        const json_t *run = sp_lab_item(json_object_get(folder->lab.root, "runs"), r->run);
        if (!r->root || !can_simulate(r->root) || json_is_true(json_object_get(run, "recorded")))
            continue;
        status = sp_lab_command_make(folder, run, NULL, &command, err);
        const char *matrix = NULL;
        for (int k = 1; status == SP_OK && k < command.n && !matrix; k++)
            if (strncmp(command.argument[k], "gen:", 4) == 0)
                matrix = command.argument[k];
        if (matrix)
            status = audit_record(r->run, r->root, matrix, progress, audit, err);
        sp_lab_command_free(&command);
    }
    return status;
}
