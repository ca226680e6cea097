/* The caches of this machine as the system states them, without measuring: enough to simulate. */
#ifndef SP_CLI_THIS_CACHES_H
#define SP_CLI_THIS_CACHES_H

#include "model/machine.h"

/* SP_ABSENT where the system describes none. */
enum sp_status sp_this_caches(struct sp_machine *machine, struct sp_error *err);

#endif
