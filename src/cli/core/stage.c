#include "cli/core/stage.h"

#include <string.h>

#include "cli/machine/this_machine.h"
#include "sys/fault.h"
#include "sys/machine/meminfo.h"

enum sp_status sp_stage_open(enum sp_stage_kind kind, const char *machine_name, int verbosity,
                             struct sp_analyze_options *o, struct sp_stage *s, struct sp_error *err)
{
    struct sp_meminfo memory;
    memset(s, 0, sizeof *s);
    s->progress = sp_terminal_open(&s->terminal, verbosity);
    enum sp_status status = sp_fault_check(err);
    if (status == SP_OK)
        status = sp_topology_read(&s->topology, err);
    if (status != SP_OK)
        return status;
    o->topology = &s->topology;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        o->memory_B = (double)memory.available_B;
    status = kind == SP_STAGE_GPU ? sp_this_gpu(machine_name, &s->progress, verbosity, &s->machine, err)
                                  : sp_this_machine(machine_name, o->n_threads, o->budget_s, &s->progress,
                                                    verbosity, &s->machine, err);
    sp_terminal_clear(&s->terminal);
    o->machine = &s->machine;
    if (status != SP_OK)
        sp_topology_free(&s->topology);
    return status;
}

void sp_stage_close(struct sp_stage *s)
{
    sp_machine_free(&s->machine);
    sp_topology_free(&s->topology);
}
