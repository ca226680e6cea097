#include "cli/machine/this_machine.h"

#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "cli/machine/paths.h"
#include "io/machine/machine_file.h"
#include "session/measure/gpu.h"
#include "session/measure/machine.h"

/* Is the name the begin of a file's alone? */
static bool is_less_than(const char *name, const char *path)
{
    const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const size_t n = strlen(name);
    return strcmp(file, name) != 0 && (strncmp(file, name, n) != 0 || strcmp(file + n, ".json") != 0);
}

static enum sp_status named_machine(const char *name, enum sp_machine_kind kind, int verbosity,
                                    struct sp_machine *machine, struct sp_error *err)
{
    char path[1024], remarks[512];
    struct sp_machine_paths paths;
    sp_machine_paths_find(&paths);
    enum sp_status status = sp_machine_file_find(name, paths.directory, path, sizeof path, err);
    if (status == SP_OK)
        status = sp_machine_file_read(path, machine, remarks, sizeof remarks, err);
    if (status == SP_OK && remarks[0] && verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s\n", remarks);
    if (status == SP_OK && verbosity >= 0 && !strchr(name, '/') && is_less_than(name, path))
        sp_print(stderr, "spmodel: remark: --machine %s: taken for %s\n", name, machine->name);
    if (status == SP_OK && machine->kind != kind) {
        status = kind == SP_CPU
                     ? sp_fail(err, SP_USAGE, "name a CPU's; spmodel model --machine predicts for GPUs",
                               "the machine %s is a GPU, the kernels run on this CPU", machine->name)
                     : sp_fail(err, SP_USAGE, "name a GPU's, or leave --device out",
                               "the machine %s is a CPU, the kernels run on a GPU", machine->name);
        sp_machine_free(machine);
    }
    return status;
}

enum sp_status sp_this_machine(const char *name, int n_threads, const struct sp_progress *progress,
                               int verbosity, struct sp_machine *machine, struct sp_error *err)
{
    memset(machine, 0, sizeof *machine);
    if (name)
        return named_machine(name, SP_CPU, verbosity, machine, err);
    struct sp_machine_paths paths;
    bool cached;
    struct sp_measure_options options = {.quick = true, .n_threads = n_threads};
    struct sp_measure_notes notes;
    sp_machine_paths_find(&paths);
    enum sp_status status =
        sp_machine_quick_cached(paths.cache, &options, machine, &cached, &notes, progress, err);
    if (status == SP_OK && !cached && verbosity > 0 && notes.remark[0])
        sp_print(stderr, "spmodel: remark: %s\n", notes.remark);
    return status;
}

enum sp_status sp_this_gpu(const char *name, const struct sp_progress *progress, int verbosity,
                           struct sp_machine *machine, struct sp_error *err)
{
    struct sp_machine_paths paths;
    memset(machine, 0, sizeof *machine);
    if (name)
        return named_machine(name, SP_GPU, verbosity, machine, err);
    sp_machine_paths_find(&paths);
    return sp_gpu_machine_cached(paths.cache, machine, progress, err);
}
