/* Times of rows and chunks by their lengths on this machine (model/unit_costs.h): constructed
 * matrices in the caches, by every kernel of CRS and SELL that can run here, by one thread and by
 * all; and what gathers wait for page tables (model/cache/page_walks.h). */
#ifndef SP_SESSION_MEASURE_UNITS_H
#define SP_SESSION_MEASURE_UNITS_H

#include "base/progress.h"
#include "base/status.h"
#include "kernels/ceiling.h"
#include "model/machine.h"
#include "sys/machine/topology.h"

/* Fills machine->unit in passes over everything, of which the shortest times stay: disturbances
 * only slow down. There are as many as budget_s allows, three if twice that suffices, and one at
 * least. The calling thread's team is bound already. isa as in sp_kernel_candidates(). What cannot
 * be run is left out. SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_measure_units(const struct sp_topology *topology, int n_threads, const char *isa,
                                double budget_s, const struct sp_progress *progress,
                                struct sp_machine *machine, struct sp_error *err);

/* Fills machine->page: for huge pages in the arena, and for 4 KiB ones in memory of its own, by one
 * thread and by all. As many lines as half of the L2 holds are gathered from more and more pages,
 * so that nothing but the pages changes. Nothing is begun after budget_s; what cannot be measured
 * is left out. */
void sp_measure_pages(const struct sp_ceiling_arena *arena, const struct sp_topology *topology, int n_threads,
                      double budget_s, const struct sp_progress *progress, struct sp_machine *machine);

#endif
