/* The machines that a prediction is asked for. */
#ifndef SP_CLI_MODEL_MACHINES_H
#define SP_CLI_MODEL_MACHINES_H

#include <stdbool.h>

#include "base/status.h"
#include "model/machine.h"

struct sp_model_machines {
    struct sp_machine *machine; /* [n] owned */
    int n;
    bool all;           /* every described one was asked for */
    char env_key[20];   /* of the environment that this runs in, where machines are named; "": not known */
    char left_out[512]; /* names and cores of those that sp_model_machines_fit() left out, "" */
};

/* `names` as typed: names and files separated by commas, or "all"; NULL: one machine without name and
 * ceilings, for traffic only. Remarks go to stderr unless verbosity is below 0. */
enum sp_status sp_model_machines_read(const char *names, int verbosity, struct sp_model_machines *machines,
                                      struct sp_error *err);
/* Of "all", those with fewer cores than n_threads (0: not asked) are left out. SP_USAGE where threads are
 * asked of GPUs only. */
enum sp_status sp_model_machines_fit(struct sp_model_machines *machines, int n_threads, struct sp_error *err);
void sp_model_machines_free(struct sp_model_machines *machines);

#endif
