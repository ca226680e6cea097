/* The bytes of a record simulated again, from what it says was run and on which caches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab_audit.h"
#include "lab/lab_command.h"
#include "model/traffic.h"
#include "session/analyze.h"
#include "session/setup.h"

/* Arrays may begin elsewhere in a line, and threads of several domains lie elsewhere: so much may differ. */
static const double tolerance = 0.005;

static const char *text_of(const json_t *record, const char *path)
{
    return json_string_value(sp_lab_node(record, path));
}

static double number_of(const json_t *record, const char *path, double otherwise)
{
    const json_t *node = sp_lab_node(record, path);
    return json_is_number(node) ? json_number_value(node) : otherwise;
}

static bool read_caches(const json_t *record, struct sp_machine *m)
{
    size_t i;
    json_t *item;
    memset(m, 0, sizeof *m);
    m->n_cores = (int)number_of(record, "machine.n_cores", 1);
    m->n_domains = (int)number_of(record, "machine.n_domains", 1);
    json_array_foreach(sp_lab_node(record, "machine.caches"), i, item)
    {
        if (m->n_caches == SP_MAX_CACHES)
            return false;
        struct sp_cache *c = &m->cache[m->n_caches++];
        const char *policy = text_of(item, "policy");
        const double effective = number_of(item, "effective_B.value", 0);
        c->level = (int)number_of(item, "level", 0);
        c->size_B = (int64_t)number_of(item, "size_B", 0);
        c->line_B = (int)number_of(item, "line_B", 0);
        c->sector_B = (int)number_of(item, "sector_B", 0);
        c->ways = (int)number_of(item, "ways", 0);
        c->cores_sharing = (int)number_of(item, "cores_sharing", 1);
        c->victim = json_is_true(json_object_get(item, "victim"));
        c->inclusive = json_is_true(json_object_get(item, "inclusive"));
        c->policy =
            policy && sp_policy_from_name(policy) >= 0 ? (enum sp_policy)sp_policy_from_name(policy) : SP_LRU;
        c->effective_B = effective > 0 ? sp_value_of(effective, SP_MEASURED) : sp_value_none("not measured");
        if (c->size_B <= 0 || c->line_B <= 0)
            return false;
    }
    return m->n_caches > 0;
}

/* Was it run on a CPU from given addresses, so that it can be simulated? */
static bool can_simulate(const json_t *record)
{
    const char *device = text_of(record, "config.device"),
               *levels = text_of(record, "levels.name=MEM.origin");
    return device && strcmp(device, "cpu") == 0 && levels && strcmp(levels, "simulated") == 0 &&
           text_of(record, "config.format_option") && text_of(record, "config.schedule");
}

static enum sp_status read_workload(const json_t *record, const struct sp_csr *matrix, struct sp_workload *w,
                                    struct sp_error *err)
{
    const char *op = text_of(record, "config.op"), *precision = text_of(record, "config.precision"),
               *index = text_of(record, "config.index"), *order = text_of(record, "config.order");
    struct sp_analyze_options o = {.format = text_of(record, "config.format_option"),
                                   .schedule = text_of(record, "config.schedule"),
                                   .precision = precision ? sp_precision_from_name(precision) : -1,
                                   .prefetch = (int32_t)number_of(record, "config.prefetch", 0),
                                   .n_threads = (int)number_of(record, "config.threads", 1)};
    o.op = op && sp_op_from_name(op) >= 0 ? (enum sp_op)sp_op_from_name(op) : SP_OP_SPMV;
    o.index = index && sp_index_from_name(index) >= 0 ? (enum sp_index)sp_index_from_name(index) : SP_I32;
    o.order = order && strcmp(order, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    o.r = (int32_t)number_of(record, "config.inner", number_of(record, "config.rhs", 1));
    return sp_analyze_workload(matrix, &o, w, err);
}

static bool go_on(void *context, double share)
{
    const struct sp_progress *progress = context;
    sp_progress_step(progress, "simulating again", share);
    return sp_progress_interrupted(progress);
}

static struct sp_sim_options sim_options(const json_t *record, const struct sp_machine *m,
                                         const struct sp_setup *s, const struct sp_progress *progress)
{
    const char *state = text_of(record, "config.cache"), *policy = text_of(record, "request.policy");
    struct sp_sim_options o = sp_sim_default(m);
    o.llc_B = (int64_t)number_of(record, "request.llc", 0);
    o.policy = policy ? sp_policy_from_name(policy) : -1;
    o.n_domain = s->n_domains;
    o.domain_of_thread = s->domain_of_thread;
    o.state = state && strcmp(state, "cold") == 0 ? SP_SIM_COLD : SP_SIM_WARM;
    o.skew = number_of(record, "request.skew", 0);
    o.store_nt = json_is_true(sp_lab_node(record, "config.store_nt"));
    o.seed = (uint64_t)number_of(record, "config.seed", 1);
    o.progress = go_on;
    o.context = (void *)progress;
    return o;
}

static enum sp_status simulate(const char *run, const json_t *record, const struct sp_subject *subject,
                               const struct sp_progress *progress, struct sp_lab_audit *audit,
                               struct sp_error *err)
{
    struct sp_machine machine;
    struct sp_workload workload;
    struct sp_setup setup = {0};
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels = 0;
    if (!read_caches(record, &machine)) {
        sp_lab_audit_add(audit, run, "bytes", "it describes no caches to simulate");
        return SP_OK;
    }
    enum sp_status status = read_workload(record, &subject->matrix, &workload, err);
    const struct sp_setup_options options = {
        .layout_only = true,
        .store_nt = json_is_true(sp_lab_node(record, "config.store_nt")) ? SP_CHOICE_ON : SP_CHOICE_OFF,
        .machine = &machine};
    if (status == SP_OK)
        status = sp_setup_make(&workload, &options, progress, &setup, err);
    if (status == SP_OK) {
        const struct sp_sim_options o = sim_options(record, &machine, &setup, progress);
        status = sp_sim_traffic(&setup.layout, &o, traffic, &n_levels, NULL, err);
    }
    sp_setup_free(&setup);
    if (status != SP_OK)
        return status;
    audit->n_simulated++;
    const struct sp_traffic *memory = &traffic[n_levels - 1];
    const double again = memory->read_B.value + memory->write_B.value,
                 said = number_of(record, "levels.name=MEM.read_B", 0) +
                        number_of(record, "levels.name=MEM.write_B", 0);
    if (fabs(again - said) > tolerance * fmax(again, said))
        sp_lab_audit_add(audit, run, "bytes",
                         "simulated again %.6g bytes cross the memory interface, not %.6g", again, said);
    return SP_OK;
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
    if (status != SP_OK)
        return status;
    if (digest && subject.facts.sha256[0] && strcmp(digest, subject.facts.sha256) != 0)
        sp_lab_audit_add(audit, run, "matrix", "the digest of its matrix is not that of %.100s", matrix);
    else
        status = simulate(run, record, &subject, progress, audit, err);
    sp_subject_free(&subject);
    if (status == SP_USAGE || status == SP_INPUT) { /* what the record says was run makes no sense */
        sp_lab_audit_add(audit, run, "bytes", "it cannot be simulated: %.250s", err ? err->what : "");
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
