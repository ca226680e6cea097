#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "io/files/part_file.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "model/cache/capacity.h"
#include "model/ecm.h"
#include "session/measure/machine.h"
#include "session/measure/measure_plan.h"
#include "sys/machine/identity.h"
#include "sys/machine/topology.h"

static struct sp_ceiling *same_ceiling(struct sp_machine *m, const struct sp_ceiling *c)
{
    for (int i = 0; i < m->n_ceilings; i++) {
        struct sp_ceiling *e = &m->ceiling[i];
        if (strcmp(e->name, c->name) == 0 && strcmp(e->level, c->level) == 0 &&
            strcmp(e->precision, c->precision) == 0 && strcmp(e->mode, c->mode) == 0 &&
            e->n_threads == c->n_threads)
            return e;
    }
    return NULL;
}

/* Appends the new one before the old one goes, so that a lack of memory loses nothing. */
static enum sp_status replace(struct sp_machine *m, struct sp_ceiling *old, const struct sp_ceiling *with,
                              struct sp_error *err)
{
    const ptrdiff_t at = old - m->ceiling;
    enum sp_status status = sp_machine_add_ceiling(m, with, err);
    if (status != SP_OK)
        return status;
    struct sp_ceiling *last = &m->ceiling[--m->n_ceilings];
    free(m->ceiling[at].sample);
    m->ceiling[at] = *last;
    return SP_OK;
}

enum sp_status sp_machine_improve(struct sp_machine *m, const struct sp_machine *later, struct sp_error *err)
{
    const bool is_better = *m->measured.doubt && !*later->measured.doubt,
               is_worse = *later->measured.doubt && !*m->measured.doubt;
    enum sp_status status = SP_OK;
    char faults[8];
    for (int i = 0; i < later->n_ceilings && status == SP_OK; i++) {
        const struct sp_ceiling *c = &later->ceiling[i];
        struct sp_ceiling *old = same_ceiling(m, c);
        if (!old)
            status = sp_machine_add_ceiling(m, c, err);
        else if (is_better || (!is_worse && c->value.value > old->value.value))
            status = replace(m, old, c, err);
    }
    if (status != SP_OK)
        return status;
    const int n_times = m->measured.n_times + later->measured.n_times;
    const double core_width = fmax(m->measured.core_width, later->measured.core_width);
    if (!*later->measured.doubt)
        m->measured = later->measured;
    m->measured.core_width = core_width;
    memcpy(m->measured.when, later->measured.when, sizeof m->measured.when);
    m->measured.n_times = n_times;
    if (later->n_units > 0 && (m->n_units == 0 || !is_worse)) {
        m->n_units = later->n_units;
        memcpy(m->unit, later->unit, sizeof m->unit);
    }
    if (later->n_pages > 0 && (m->n_pages == 0 || !is_worse)) {
        m->n_pages = later->n_pages;
        memcpy(m->page, later->page, sizeof m->page);
    }
    sp_capacity_merge(m, later);
    sp_machine_drop_implausible(m, faults, sizeof faults);
    sp_ecm_refit(m);
    return SP_OK;
}

/* Figures in doubt are measured again at the earliest so long after the last time [s], times the
 * number of measurements that there were; and how long that and a first measurement may take. */
static const double again_s = 60, again_budget_s = 3, first_budget_s = 6, all_cores_budget_s = 2;

static bool has_load(const struct sp_machine *machine, int n_threads)
{
    bool exact;
    return sp_machine_ceiling(machine, "load", "MEM", "f64", n_threads, NULL, &exact) && exact;
}

static bool fits(const struct sp_machine *machine, const char *env_key, int n_threads)
{
    return strcmp(machine->env_key, env_key) == 0 && has_load(machine, n_threads);
}

static void add_remark(struct sp_measure_notes *n, const char *what)
{
    size_t used = strlen(n->remark);
    snprintf(n->remark + used, sizeof n->remark - used, "%snot kept for the next time: %.200s",
             used ? "; " : "", what);
}

/* Environment and threads of this machine. */
struct threads_here {
    int n_all;  /* where none are asked for */
    int n_most; /* that have a processor each */
};

static enum sp_status look_here(struct sp_identity *identity, struct threads_here *here, struct sp_error *err)
{
    struct sp_topology topology;
    enum sp_status status = sp_topology_read(&topology, err);
    if (status != SP_OK)
        return status;
    sp_identity_read("", &topology, identity);
    *here = (struct threads_here){sp_topology_default_threads(&topology), topology.n_allowed};
    sp_topology_free(&topology);
    return SP_OK;
}

/* ---- what is remembered of an environment ---- */

static void path_of(const char *directory, const char *env_key, int n_threads, char *path, size_t size)
{
    snprintf(path, size, "%s/machine-%s-%dt.json", directory, env_key, n_threads);
}

/* Is this file of the environment, for any number of threads? */
static bool is_of(const char *path, const char *env_key)
{
    char begin[48];
    const char *slash = strrchr(path, '/');
    snprintf(begin, sizeof begin, "machine-%s-", env_key);
    return strncmp(slash ? slash + 1 : path, begin, strlen(begin)) == 0;
}

/* The last level's capacity does not depend on the threads: that of all files together. */
static void pool_capacities(const char *directory, struct sp_machine *machine)
{
    char **path;
    int n;
    if (sp_machine_file_list(directory, &path, &n, NULL) != SP_OK)
        return;
    for (int i = 0; i < n; i++) {
        struct sp_machine other;
        if (is_of(path[i], machine->env_key) &&
            sp_machine_file_read(path[i], &other, NULL, 0, NULL) == SP_OK) {
            if (strcmp(other.env_key, machine->env_key) == 0)
                sp_capacity_merge(machine, &other);
            sp_machine_free(&other);
        }
    }
    sp_machine_file_unlist(path, n);
}

void sp_machine_forget(const char *directory, const char *env_key)
{
    char **path;
    int n;
    if (sp_machine_file_list(directory, &path, &n, NULL) != SP_OK)
        return;
    for (int i = 0; i < n; i++)
        if (is_of(path[i], env_key))
            unlink(path[i]);
    sp_machine_file_unlist(path, n);
}

/* From the first run on the machine is what the file says of it, which has fewer digits: else the
 * bytes that are simulated with its caches would be those of another machine in the second run. */
static enum sp_status keep(const char *path, struct sp_machine *machine, struct sp_error *err)
{
    struct sp_machine kept;
    const enum sp_status status = sp_machine_file_write(path, machine, err);
    if (status == SP_OK && sp_machine_file_read(path, &kept, NULL, 0, NULL) == SP_OK) {
        sp_machine_free(machine);
        *machine = kept;
    }
    return status;
}

enum sp_status sp_machine_remember(const char *directory, int n_threads, struct sp_machine *measured,
                                   struct sp_error *err)
{
    char path[1100];
    struct sp_machine before;
    struct sp_identity identity;
    struct threads_here here;
    if (n_threads <= 0 && look_here(&identity, &here, err) == SP_OK)
        n_threads = here.n_all;
    path_of(directory, measured->env_key, n_threads, path, sizeof path);
    if (!has_load(measured, n_threads))
        return sp_fail(err, SP_ABSENT, "measure again on a quiet machine",
                       "the bandwidth of memory is not among the figures");
    enum sp_status status = SP_OK;
    if (sp_machine_file_read(path, &before, NULL, 0, NULL) == SP_OK) {
        if (fits(&before, measured->env_key, n_threads)) {
            status = sp_machine_improve(&before, measured, err);
            struct sp_machine swap = before;
            before = *measured;
            *measured = swap;
        }
        sp_machine_free(&before);
    }
    pool_capacities(directory, measured);
    sp_make_directories(directory); /* what cannot be made shows when the file is written */
    return status == SP_OK ? keep(path, measured, err) : status;
}

/* ---- measured where needed ---- */

/* The curve's end beyond the run's own threads, unless others were at work there. Without it the
 * machine serves all the same. */
static enum sp_status add_all_cores(const struct sp_measure_options *quick, int n_all, struct sp_machine *out,
                                    const struct sp_progress *progress, struct sp_error *err)
{
    struct sp_measure_options loads = *quick;
    struct sp_measure_notes notes;
    struct sp_machine all;
    loads.loads_only = true;
    loads.n_threads = n_all;
    loads.budget_s = all_cores_budget_s;
    enum sp_status status = sp_machine_measure(&loads, &all, &notes, progress, err);
    if (status != SP_OK)
        return status == SP_INTERRUPTED ? status : SP_OK;
    for (int i = 0; i < all.n_ceilings && status == SP_OK && notes.n_disturbed * 2 <= notes.n_samples; i++)
        status = sp_machine_add_ceiling(out, &all.ceiling[i], err);
    sp_machine_free(&all);
    char faults[8]; /* beside those of fewer threads */
    sp_machine_drop_implausible(out, faults, sizeof faults);
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
        keep(path, machine, NULL); /* else again the next time */
    return status;
}

/* Figures in doubt serve, and get better now and then. */
static enum sp_status improve(const struct sp_measure_options *quick, const char *path,
                              struct sp_machine *machine, struct sp_measure_notes *notes,
                              const struct sp_progress *progress, struct sp_error *err)
{
    const double age_s = sp_measure_age(machine->measured.when), start = sp_now();
    if (quick->as_remembered || !*machine->measured.doubt ||
        (isfinite(age_s) && age_s < again_s * machine->measured.n_times))
        return SP_OK;
    struct sp_measure_options again = *quick;
    struct sp_machine later;
    again.budget_s = again_budget_s;
    enum sp_status status = sp_machine_measure(&again, &later, NULL, progress, err);
    if (status != SP_OK) {
        if (status == SP_INTERRUPTED)
            sp_machine_free(machine);
        return status == SP_INTERRUPTED ? status : SP_OK;
    }
    if (sp_machine_improve(machine, &later, NULL) == SP_OK)
        keep(path, machine, NULL);
    sp_machine_free(&later);
    if (notes)
        snprintf(notes->remark, sizeof notes->remark,
                 "the machine's figures were in doubt and were measured again, in %.1f s", sp_now() - start);
    return SP_OK;
}

static bool read_file(const char *path, const char *env_key, int n_threads, struct sp_machine *out)
{
    char faults[8]; /* of a file of an older version */
    if (sp_machine_file_read(path, out, NULL, 0, NULL) != SP_OK)
        return false;
    sp_machine_drop_implausible(out, faults, sizeof faults);
    if (fits(out, env_key, n_threads))
        return true;
    sp_machine_free(out);
    return false;
}

/* Has one thread all that a measurement with one alone would have? */
static bool has_one(const struct sp_machine *machine)
{
    bool exact;
    return sp_machine_ceiling(machine, "triad_nt", "MEM", "f64", 1, NULL, &exact) && exact;
}

/* What is remembered, if it serves; path[size] becomes where. Whatever was measured with more
 * threads has the figures of one, too. */
static bool read_remembered(const char *directory, const char *env_key, int n_threads, struct sp_machine *out,
                            char *path, size_t size)
{
    char **file;
    int n;
    bool found = false;
    path_of(directory, env_key, n_threads, path, size);
    if (read_file(path, env_key, n_threads, out))
        return true;
    if (n_threads > 1 || sp_machine_file_list(directory, &file, &n, NULL) != SP_OK)
        return false;
    for (int i = 0; i < n && !found; i++) {
        found = is_of(file[i], env_key) && read_file(file[i], env_key, 1, out);
        if (found && !has_one(out)) {
            sp_machine_free(out);
            found = false;
        }
        if (found)
            snprintf(path, size, "%s", file[i]);
    }
    sp_machine_file_unlist(file, n);
    return found;
}

enum sp_status sp_machine_remembered(const char *directory, int n_threads, struct sp_machine *out,
                                     struct sp_error *err)
{
    struct sp_identity identity;
    struct threads_here here;
    char path[1100];
    memset(out, 0, sizeof *out);
    enum sp_status status = look_here(&identity, &here, err);
    if (status != SP_OK)
        return status;
    n_threads = n_threads > 0 ? n_threads : here.n_all;
    if (!directory || !read_remembered(directory, identity.env_key, n_threads, out, path, sizeof path))
        return sp_fail(err, SP_ABSENT, "spmodel machine measure " SP_O_QUICK,
                       "nothing is remembered of this machine with %d thread%s", n_threads,
                       n_threads == 1 ? "" : "s");
    pool_capacities(directory, out);
    return SP_OK;
}

enum sp_status sp_machine_quick_cached(const char *directory, const struct sp_measure_options *options,
                                       struct sp_machine *out, bool *cached, struct sp_measure_notes *notes,
                                       const struct sp_progress *progress, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    *cached = false;
    if (notes)
        memset(notes, 0, sizeof *notes);
    struct sp_identity identity;
    struct threads_here here;
    enum sp_status status = look_here(&identity, &here, err);
    if (status != SP_OK)
        return status;
    const int n_all = here.n_all;
    int n_threads = options->n_threads > 0 ? options->n_threads : n_all;
    char path[1100] = "";
    bool remembered =
        directory && read_remembered(directory, identity.env_key, n_threads, out, path, sizeof path);
    if (!remembered && n_threads > here.n_most) { /* some would wait for a processor all the time */
        n_threads = n_all;
        remembered =
            directory && read_remembered(directory, identity.env_key, n_threads, out, path, sizeof path);
    }
    struct sp_measure_options quick = *options;
    quick.quick = true;
    quick.n_threads = n_threads;
    quick.budget_s = options->budget_s > 0 ? options->budget_s : first_budget_s;
    if (remembered) {
        *cached = true;
        status = improve(&quick, path, out, notes, progress, err);
        if (status != SP_OK)
            return status;
        pool_capacities(directory, out);
        return complete(&quick, n_all, path, out, progress, err);
    }
    struct sp_measure_notes own;
    status = sp_machine_measure(&quick, out, &own, progress, err);
    if (status == SP_OK && n_threads < n_all &&
        (status = add_all_cores(&quick, n_all, out, progress, err)) != SP_OK)
        sp_machine_free(out);
    struct sp_error reason;
    if (status == SP_OK && directory && sp_machine_remember(directory, n_threads, out, &reason) != SP_OK)
        add_remark(&own, reason.what);
    if (notes)
        *notes = own;
    return status;
}

/* Is the name the begin of a file's alone? */
static bool is_less_than(const char *name, const char *path)
{
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const size_t n = strlen(name);
    return strcmp(file, name) != 0 && (strncmp(file, name, n) != 0 || strcmp(file + n, ".json") != 0);
}

static enum sp_status named_machine(const char *name, enum sp_machine_kind kind,
                                    const struct sp_progress *progress, struct sp_machine *machine,
                                    struct sp_error *err)
{
    char path[1024], remarks[512];
    struct sp_machine_paths paths;
    sp_machine_paths_find(&paths);
    enum sp_status status = sp_machine_file_find(name, paths.directory, path, sizeof path, err);
    if (status == SP_OK)
        status = sp_machine_file_read(path, machine, remarks, sizeof remarks, err);
    if (status == SP_OK && remarks[0])
        sp_progress_remark(progress, false, "%s", remarks);
    if (status == SP_OK && !strchr(name, '/') && is_less_than(name, path))
        sp_progress_remark(progress, false, SP_O_MACHINE " %s: taken for %s", name, machine->name);
    if (status == SP_OK && machine->kind != kind) {
        status =
            kind == SP_CPU
                ? sp_fail(err, SP_USAGE, "name a CPU's; spmodel model " SP_O_MACHINE " predicts for GPUs",
                          "the machine %s is a GPU, the kernels run on this CPU", machine->name)
                : sp_fail(err, SP_USAGE, "name a GPU's, or leave " SP_O_DEVICE " out",
                          "the machine %s is a CPU, the kernels run on a GPU", machine->name);
        sp_machine_free(machine);
    }
    return status;
}

enum sp_status sp_this_machine(const char *name, int n_threads, double budget_s,
                               const struct sp_progress *progress, struct sp_machine *machine,
                               struct sp_error *err)
{
    memset(machine, 0, sizeof *machine);
    if (name)
        return named_machine(name, SP_CPU, progress, machine, err);
    struct sp_machine_paths paths;
    bool cached;
    struct sp_measure_options options = {
        .quick = true, .n_threads = n_threads, .as_remembered = budget_s < 1};
    struct sp_measure_notes notes;
    sp_machine_paths_find(&paths);
    enum sp_status status =
        sp_machine_quick_cached(paths.cache, &options, machine, &cached, &notes, progress, err);
    if (status == SP_OK && notes.remark[0])
        sp_progress_remark(progress, true, "%s", notes.remark);
    return status;
}

enum sp_status sp_this_gpu(enum sp_gpu_api api, const char *name, const struct sp_progress *progress,
                           struct sp_machine *machine, struct sp_error *err)
{
    struct sp_machine_paths paths;
    memset(machine, 0, sizeof *machine);
    if (name)
        return named_machine(name, SP_GPU, progress, machine, err);
    sp_machine_paths_find(&paths);
    return sp_gpu_machine_cached(api, paths.cache, machine, progress, err);
}

enum sp_status sp_this_caches(struct sp_machine *m, struct sp_error *err)
{
    struct sp_topology t;
    memset(m, 0, sizeof *m);
    enum sp_status status = sp_topology_read(&t, err);
    if (status != SP_OK)
        return status;
    snprintf(m->name, sizeof m->name, "this machine as the system states it");
    m->kind = SP_CPU;
    m->n_sockets = t.n_packages;
    m->n_numa = t.n_numa;
    m->n_domains = t.n_domains;
    m->n_cores = t.n_cores;
    m->threads_per_core = t.threads_per_core;
    for (int k = 0; k < t.n_caches && m->n_caches < SP_MAX_CACHES; k++) {
        const struct sp_topology_cache *c = &t.cache[k];
        if (c->size_B > 0)
            m->cache[m->n_caches++] = (struct sp_cache){.level = c->level,
                                                        .size_B = c->size_B,
                                                        .effective_B = sp_value_none("not measured"),
                                                        .line_B = c->line_B > 0 ? c->line_B : 64,
                                                        .ways = c->ways,
                                                        .cores_sharing = c->cores_sharing};
    }
    sp_topology_free(&t);
    if (m->n_caches == 0)
        return sp_fail(err, SP_ABSENT, "say " SP_O_MACHINE " NAME", "the system describes no caches");
    return SP_OK;
}
