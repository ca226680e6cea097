#include "session/analyze.h"

#include <stdlib.h>
#include <string.h>

#include "session/analysis.h"
#include "session/format_model.h"
#include "session/placement.h"
#include "session/record_parts.h"
#include "session/runs.h"
#include "sys/identity.h"

enum sp_status sp_analyze_workload(const struct sp_csr *matrix, const struct sp_analyze_options *o,
                                   struct sp_workload *w, struct sp_error *err)
{
    *w = (struct sp_workload){.op = o->op,
                              .r = o->r,
                              .order = o->order,
                              .index = o->index,
                              .prefetch = o->prefetch,
                              .matrix = matrix,
                              .C = 1,
                              .sigma = 1};
    w->n_threads = o->n_threads > 0 ? o->n_threads : sp_topology_default_threads(o->topology);
    w->precision = o->precision >= 0           ? (enum sp_precision)o->precision
                   : sp_csr_is_complex(matrix) ? SP_C128
                                               : SP_F64;
    enum sp_status status = sp_workload_set_schedule(w, o->schedule, err);
    if (status == SP_OK && strcmp(o->format, "auto") != 0)
        status = sp_workload_set_format(w, o->format, err);
    else if (status == SP_OK)
        status = sp_format_choose(w, o->machine, o->state == SP_WARM, o->isa, err);
    return status == SP_OK ? sp_workload_check(w, err) : status;
}

/* Counters that are believed may still not tell the bytes of this job. */
static enum sp_status check_measured(const struct sp_analysis *a, struct sp_error *err)
{
    const struct sp_byte_source *s = a->options->bytes;
    if (!s || !s->measured_only || sp_analysis_is_counted(a))
        return SP_OK;
    if (a->setup.layout.n_nz == 0)
        return sp_fail(err, SP_ABSENT, "leave --require-bytes out", "the matrix has no entries to count");
    const char *level = a->residence.level >= a->options->machine->n_caches ? "MEM" : a->residence.name;
    if (a->log && !sp_count_log_has_level(a->log, level))
        return sp_fail(err, SP_ABSENT, "--cold, or a matrix that does not fit, moves bytes of memory",
                       "bytes cannot be measured: the data stay in %s, and %s counts no traffic there", level,
                       s->name);
    return sp_fail(err, SP_ABSENT, "without --require-bytes they are simulated",
                   "bytes cannot be measured: %s", a->counted.total_B.why);
}

static enum sp_status run_steps(struct sp_analysis *a, struct sp_record *record, struct sp_error *err)
{
    a->huge_share = a->local_share = sp_value_none("the run was recorded elsewhere");
    if (!sp_analysis_is_replayed(a)) {
        a->huge_share = sp_placement_huge_share(&a->setup.layout);
        a->local_share = sp_placement_local_share(&a->setup.layout, &a->setup.binding, a->options->topology);
    }
    enum sp_status status = sp_analysis_runs(a, err);
    if (status == SP_OK)
        status = sp_analysis_count(a, err);
    if (status == SP_OK)
        status = sp_analysis_simulate(a, err);
    if (status == SP_OK)
        status = sp_analysis_evaluate(a, err);
    if (status == SP_OK)
        status = check_measured(a, err);
    if (status == SP_OK)
        status = sp_analysis_domains(a, err);
    if (status == SP_OK)
        status = sp_analysis_attribute(a, err);
    if (status == SP_OK)
        status = sp_analysis_reuse(a, err);
    if (status == SP_OK)
        status = sp_analysis_compare(a, err);
    if (status == SP_OK)
        status = sp_analysis_unfuse(a, err);
    if (status == SP_OK)
        status = sp_analysis_intervene(a, err);
    if (status == SP_OK)
        status = sp_analysis_compare_orders(a, err);
    if (status != SP_OK)
        return status;
    sp_analysis_account(a);
    sp_record_set_text(record, "status",
                       a->options->bytes && a->options->bytes->constructed ? "constructed" : "complete");
    sp_analysis_record(a, record);
    return SP_OK;
}

enum sp_status sp_analyze_hints(const struct sp_subject *subject, const struct sp_analyze_options *o,
                                const struct sp_progress *progress, struct sp_record *record,
                                struct sp_hints *hints, struct sp_error *err)
{
    memset(hints, 0, sizeof *hints);
    enum sp_status status = sp_record_new(subject->name, record, err);
    if (status != SP_OK)
        return status;
    struct sp_analysis *a;
    void *p;
    struct sp_workload workload;
    status = sp_new_array(1, sizeof *a, "the analysis", &p, err);
    a = p;
    if (status == SP_OK) {
        *a = (struct sp_analysis){.options = o, .subject = subject, .progress = progress};
        status = sp_analyze_workload(&subject->matrix, o, &workload, err);
    }
    if (o->command)
        sp_record_set_text(record, "command", o->command);
    sp_record_set_text(record, "status", "interrupted");
    struct sp_setup_options setup = {.isa = o->isa,
                                     .store_nt = o->store_nt,
                                     .small_pages = o->small_pages,
                                     .not_pinned = o->not_pinned,
                                     .layout_only = sp_analysis_is_replayed(a),
                                     .memory_B = o->memory_B,
                                     .seed = o->seed,
                                     .machine = o->machine,
                                     .topology = o->topology};
    if (status == SP_OK && o->bytes && o->bytes->replayed)
        status = sp_recording_check_matrix(&o->bytes->recording, &subject->matrix, err);
    if (status == SP_OK && o->machine_name && !setup.layout_only) {
        struct sp_identity identity;
        sp_identity_read("", o->topology, &identity);
        a->elsewhere = strcmp(identity.env_key, o->machine->env_key) != 0;
    }
    if (status == SP_OK) {
        a->setup_options = &setup;
        status = sp_setup_make(&workload, &setup, progress, &a->setup, err);
    }
    if (status == SP_OK)
        status = run_steps(a, record, err);
    if (status == SP_INTERRUPTED) { /* what is known about the matrix and the machine is worth keeping */
        sp_analysis_record_known(a, record);
        if (sp_value_known(a->pairs.time))
            sp_record_set_metric(record, "time", a->pairs.time, "s", "lower",
                                 "median over the samples before the interruption");
    } else if (status != SP_OK) {
        sp_record_free(record);
    }
    if (status == SP_OK)
        *hints = a->hints;
    if (p)
        sp_analysis_free(a);
    free(p);
    return status;
}

enum sp_status sp_analyze(const struct sp_subject *subject, const struct sp_analyze_options *options,
                          const struct sp_progress *progress, struct sp_record *record, struct sp_error *err)
{
    struct sp_hints hints;
    return sp_analyze_hints(subject, options, progress, record, &hints, err);
}
