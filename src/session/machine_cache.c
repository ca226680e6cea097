#include <stdio.h>
#include <string.h>

#include "io/atomic_file.h"
#include "io/machine_file.h"
#include "session/measure_machine.h"
#include "sys/identity.h"

static bool has_load(const struct sp_machine *machine, int n_threads)
{
    bool exact;
    return sp_machine_ceiling(machine, "load", "MEM", "f64", n_threads, NULL, &exact) && exact;
}

static bool fits(const struct sp_machine *machine, const char *env_key, int n_threads)
{
    return strcmp(machine->env_key, env_key) == 0 && has_load(machine, n_threads);
}

static bool is_disturbed(const struct sp_measure_notes *n)
{
    return n->n_disturbed * 2 > n->n_samples;
}

/* A measurement that was disturbed for the most part, or that could afford little memory, serves this run
 * but not later ones. */
static bool worth_keeping(const struct sp_measure_notes *n, const struct sp_measure_options *asked)
{
    const double least_B = 128.0 * (1 << 20);
    return !is_disturbed(n) && (asked->arena_B > 0 || n->arena_B >= least_B);
}

static void add_remark(struct sp_measure_notes *n, const char *what)
{
    size_t used = strlen(n->remark);
    snprintf(n->remark + used, sizeof n->remark - used, "%snot kept for the next time: %.200s",
             used ? "; " : "", what);
}

/* The curve's end beyond the run's own threads, unless others were at work there. Without it the machine
 * serves all the same. */
static enum sp_status add_all_cores(const struct sp_measure_options *quick, int n_all, struct sp_machine *out,
                                    const struct sp_progress *progress, struct sp_error *err)
{
    struct sp_measure_options loads = *quick;
    struct sp_measure_notes notes;
    struct sp_machine all;
    loads.loads_only = true;
    loads.n_threads = n_all;
    loads.budget_s = 2;
    enum sp_status status = sp_machine_measure(&loads, &all, &notes, progress, err);
    if (status != SP_OK)
        return status == SP_INTERRUPTED ? status : SP_OK;
    for (int i = 0; i < all.n_ceilings && status == SP_OK && !is_disturbed(&notes); i++)
        status = sp_machine_add_ceiling(out, &all.ceiling[i], err);
    sp_machine_free(&all);
    return status;
}

/* Files of older versions lack what all cores reach: measured once, and kept if it can be. */
static enum sp_status complete(const struct sp_measure_options *quick, int n_all, const char *path,
                               struct sp_machine *machine, const struct sp_progress *progress,
                               struct sp_error *err)
{
    if (quick->n_threads >= n_all || has_load(machine, n_all))
        return SP_OK;
    const enum sp_status status = add_all_cores(quick, n_all, machine, progress, err);
    if (status != SP_OK)
        sp_machine_free(machine);
    else if (has_load(machine, n_all))
        sp_machine_file_write(path, machine, NULL); /* else again the next time */
    return status;
}

enum sp_status sp_machine_quick_cached(const char *directory, const struct sp_measure_options *options,
                                       struct sp_machine *out, bool *cached, struct sp_measure_notes *notes,
                                       const struct sp_progress *progress, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    *cached = false;
    if (notes)
        memset(notes, 0, sizeof *notes);
    struct sp_topology topology;
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    struct sp_identity identity;
    sp_identity_read("", &topology, &identity);
    const int n_all = sp_topology_default_threads(&topology);
    const int n_threads = options->n_threads > 0 ? options->n_threads : n_all;
    sp_topology_free(&topology);
    struct sp_measure_options quick = *options;
    quick.quick = true;
    quick.n_threads = n_threads;
    char path[1100] = "";
    if (directory) {
        snprintf(path, sizeof path, "%s/machine-%s-%dt.json", directory, identity.env_key, n_threads);
        if (sp_machine_file_read(path, out, NULL, 0, NULL) == SP_OK) {
            if (fits(out, identity.env_key, n_threads)) {
                *cached = true;
                return complete(&quick, n_all, path, out, progress, err);
            }
            sp_machine_free(out);
        }
    }
    struct sp_measure_notes own;
    status = sp_machine_measure(&quick, out, &own, progress, err);
    if (status == SP_OK && n_threads < n_all &&
        (status = add_all_cores(&quick, n_all, out, progress, err)) != SP_OK)
        sp_machine_free(out);
    if (status == SP_OK && directory && !worth_keeping(&own, options)) {
        add_remark(&own, "too disturbed, or measured on too little memory");
    } else if (status == SP_OK && directory) {
        struct sp_error reason;
        sp_make_directories(directory); /* what cannot be made shows when the file is written */
        if (sp_machine_file_write(path, out, &reason) != SP_OK)
            add_remark(&own, reason.what);
    }
    if (notes)
        *notes = own;
    return status;
}
