#include "session/measure/this_machine.h"

#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "io/files/places.h"
#include "io/machine/machine_file.h"
#include "session/measure/gpu.h"
#include "session/measure/machine.h"
#include "sys/machine/topology.h"

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
