#include "cli/model/machines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "cli/machine/this_machine.h"
#include "io/machine/machine_file.h"
#include "sys/machine/identity.h"

enum { MAX_MACHINES = 64 };

void sp_model_machines_free(struct sp_model_machines *m)
{
    for (int i = 0; i < m->n; i++)
        sp_machine_free(&m->machine[i]);
    free(m->machine);
    *m = (struct sp_model_machines){0};
}

static enum sp_status add_machine(struct sp_model_machines *m, const char *path, int verbosity,
                                  struct sp_error *err)
{
    char remarks[512];
    if (m->n == MAX_MACHINES)
        return sp_fail(err, SP_USAGE, "name fewer", "more than %d machines", MAX_MACHINES);
    enum sp_status status = sp_machine_file_read(path, &m->machine[m->n], remarks, sizeof remarks, err);
    if (status != SP_OK)
        return status;
    if (*remarks && verbosity >= 0)
        sp_print(stderr, "spmodel: remark: %s\n", remarks);
    m->n++;
    return SP_OK;
}

/* A name is taken from the first directory that has it, so a later one of the same name is not listed. */
static bool is_listed(const struct sp_model_machines *m, const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (int i = 0; i < m->n; i++)
        if (strncmp(m->machine[i].name, base, strlen(m->machine[i].name)) == 0 &&
            strcmp(base + strlen(m->machine[i].name), ".json") == 0)
            return true;
    return false;
}

static enum sp_status add_all(struct sp_model_machines *m, const char *const *directory, int verbosity,
                              struct sp_error *err)
{
    for (; *directory; directory++) {
        char **paths;
        int n;
        enum sp_status status = sp_machine_file_list(*directory, &paths, &n, err);
        for (int i = 0; status == SP_OK && i < n; i++)
            if (!is_listed(m, paths[i]))
                status = add_machine(m, paths[i], verbosity, err);
        sp_machine_file_unlist(paths, n);
        if (status != SP_OK)
            return status;
    }
    return m->n > 0 ? SP_OK
                    : sp_fail(err, SP_ABSENT, "make one: spmodel machine measure", "no machine is described");
}

/* Where this runs; what cannot be read is not known. */
static void read_here(struct sp_model_machines *m)
{
    struct sp_topology topology;
    struct sp_identity identity;
    if (sp_topology_read(&topology, NULL) != SP_OK)
        return;
    sp_identity_read("", &topology, &identity);
    snprintf(m->env_key, sizeof m->env_key, "%s", identity.env_key);
    sp_topology_free(&topology);
}

enum sp_status sp_model_machines_read(const char *names, int verbosity, struct sp_model_machines *m,
                                      struct sp_error *err)
{
    void *memory;
    *m = (struct sp_model_machines){0};
    enum sp_status status = sp_new_array(MAX_MACHINES, sizeof *m->machine, "machines", &memory, err);
    if (status != SP_OK)
        return status;
    m->machine = memory;
    if (!names) { /* one without a name and without ceilings: traffic only */
        m->n = 1;
        return SP_OK;
    }
    struct sp_machine_paths where;
    read_here(m);
    sp_machine_paths_find(&where);
    m->all = strcmp(names, "all") == 0;
    if (m->all)
        status = add_all(m, where.directory, verbosity, err);
    else
        while (*names && status == SP_OK) {
            char name[512], path[1024];
            size_t n = strcspn(names, ",");
            snprintf(name, sizeof name, "%.*s", (int)n, names);
            names += n + (names[n] == ',');
            status = sp_machine_file_find(name, where.directory, path, sizeof path, err);
            if (status == SP_OK)
                status = add_machine(m, path, verbosity, err);
        }
    if (status != SP_OK)
        sp_model_machines_free(m);
    return status;
}

static void leave_out(struct sp_model_machines *m, int i)
{
    size_t used = strlen(m->left_out);
    if (used + 80 < sizeof m->left_out)
        snprintf(m->left_out + used, sizeof m->left_out - used, "%s%s (%d cores)", used ? ", " : "",
                 m->machine[i].name, m->machine[i].n_cores);
    sp_machine_free(&m->machine[i]);
    memmove(&m->machine[i], &m->machine[i + 1], (size_t)(m->n - i - 1) * sizeof *m->machine);
    m->n--;
}

enum sp_status sp_model_machines_fit(struct sp_model_machines *m, int n_threads, struct sp_error *err)
{
    int n_cpus = 0;
    for (int i = 0; i < m->n; i++)
        n_cpus += m->machine[i].kind == SP_CPU;
    if (n_threads <= 0)
        return SP_OK;
    if (n_cpus == 0)
        return sp_fail(err, SP_USAGE, "leave it out", "--threads counts threads of a CPU, %s is a GPU",
                       m->machine[0].name);
    for (int i = m->n - 1; m->all && i >= 0; i--)
        if (m->machine[i].kind == SP_CPU && m->machine[i].n_cores < n_threads) {
            leave_out(m, i);
            n_cpus--;
        }
    return n_cpus > 0 ? SP_OK
                      : sp_fail(err, SP_USAGE, "ask for fewer", "no described CPU has %d cores", n_threads);
}
