/* A machine for people. */
#ifndef SP_CLI_MACHINE_TEXT_H
#define SP_CLI_MACHINE_TEXT_H

#include <stdio.h>

#include "model/machine.h"
#include "session/measure_machine.h"

/* Caches, a table of ceilings with interval and origin, saturation. `how`: conditions of each ceiling too. */
void sp_machine_print(FILE *stream, const struct sp_machine *machine, bool how);
/* Two machines side by side: ratio B/A of every ceiling that both have, and what only one has. Returns the
 * number of common ones. */
int sp_machine_print_difference(FILE *stream, const struct sp_machine *a, const struct sp_machine *b);
/* What the measurement was like and what limits trust in it. */
void sp_machine_print_notes(FILE *stream, const struct sp_measure_notes *notes);

#endif
