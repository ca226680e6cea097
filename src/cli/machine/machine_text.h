/* A machine for people. */
#ifndef SP_CLI_MACHINE_TEXT_H
#define SP_CLI_MACHINE_TEXT_H

#include <stdio.h>

#include "model/machine.h"
#include "session/measure/machine.h"

/* Caches, a table of ceilings with interval and origin, saturation. `how`: conditions, too. */
void sp_machine_print(FILE *stream, const struct sp_machine *machine, bool how);
/* Two machines side by side: kind, domains, caches, and the ratio B/A of every ceiling that both
 * have: of the same threads, else of the most threads of each. Returns the number of ratios, of
 * memory roofs too. */
/* One line of at most 80 columns: kind, cores, sockets/NUMA/domains, memory roof, origin; whole:
 * processor and origin in lines of their own, too. */
void sp_machine_list_line(FILE *stream, const struct sp_machine *machine, bool whole);
int sp_machine_print_difference(FILE *stream, const struct sp_machine *a, const struct sp_machine *b);
/* What the measurement was like and what limits trust in it. */
void sp_machine_print_notes(FILE *stream, const struct sp_measure_notes *notes);

#endif
