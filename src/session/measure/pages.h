/* What gathers wait for page tables on this machine (model/gather.h). */
#ifndef SP_SESSION_MEASURE_PAGES_H
#define SP_SESSION_MEASURE_PAGES_H

#include "base/progress.h"
#include "kernels/ceiling.h"
#include "model/machine.h"
#include "sys/machine/topology.h"

/* Fills machine->page: for huge pages in the arena, and for 4 KiB ones in memory of its own, by one thread
 * and by all. As many lines as half of the L2 holds are gathered from more and more pages, so that nothing
 * but the pages changes. Nothing is begun after budget_s; what cannot be measured is left out. */
void sp_measure_pages(const struct sp_ceiling_arena *arena, const struct sp_topology *topology, int n_threads,
                      double budget_s, const struct sp_progress *progress, struct sp_machine *machine);

#endif
