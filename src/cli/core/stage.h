/* What a command that measures stands on: the terminal, the topology and the memory of this machine, and the
 * machine whose ceilings count. */
#ifndef SP_CLI_STAGE_H
#define SP_CLI_STAGE_H

#include "cli/core/terminal.h"
#include "session/analyze/analyze.h"

enum sp_stage_kind { SP_STAGE_CPU, SP_STAGE_GPU };

/* Not to be moved: `progress` points into it. */
struct sp_stage {
    struct sp_terminal terminal;
    struct sp_progress progress;
    struct sp_topology topology;
    struct sp_machine machine;
};

/* Opens all of it; machine_name NULL: this one, measured once (as sp_this_machine() and sp_this_gpu()). Sets
 * options->topology, memory_B and machine, borrowed from the stage. sp_stage_close() where it returns SP_OK.
 */
enum sp_status sp_stage_open(enum sp_stage_kind kind, const char *machine_name, int verbosity,
                             struct sp_analyze_options *options, struct sp_stage *stage,
                             struct sp_error *err);
void sp_stage_close(struct sp_stage *stage);

#endif
