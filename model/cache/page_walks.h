/* Gathers whose page no TLB maps: the core walks the page tables first.
 *
 * A gather holds its place in the window (model/gather.h) while its page is walked, too, so the walks' time
 * adds to that of the levels: T = sum_l n_l/r_l + n_w t_w/n of n threads, n_w walks and t_w the time that one
 * takes of a thread's. t_w and the reach of the TLBs are measured with as many lines as the L2 holds, on more
 * and more pages: R. H. Saavedra, A. J. Smith, Measuring cache and TLB performance and their effect on
 * benchmark runtimes, IEEE Trans. Computers 44 (1995). In a virtual machine whose host has small pages, huge
 * ones reach no further than small ones: a TLB keeps pieces of the host's size.
 *
 * A ceiling of gathers was measured on a set that the TLBs may not have mapped; the walks of its own are
 * taken off. */
#ifndef SP_MODEL_PAGE_WALKS_H
#define SP_MODEL_PAGE_WALKS_H

#include "base/status.h"
#include "model/gather.h"
#include "model/volume/traffic.h"

/* reach_B and walk_s from n sets of size_B [B], ascending, and the seconds that a gather takes from each: the
 * least is that of mapped pages; sets beyond the reach are those that take more than a quarter of what the
 * largest adds. False: too few. */
bool sp_page_costs_of(int n, const double *size_B, const double *seconds, struct sp_page_costs *costs);

/* The row for these pages and the number of threads, else the nearest one; NULL: none. */
const struct sp_page_costs *sp_page_costs_for(const struct sp_machine *machine, bool huge, int n_threads);

/* Gathers of x in one execution whose page is not among the last reach_B that the thread has used, by the
 * simulator with pages for lines; warm or cold and the progress as in `options`. 0 where x is within reach.
 */
enum sp_status sp_page_walks(const struct sp_layout *layout, const struct sp_page_costs *costs,
                             const struct sp_sim_options *options, double *walks, struct sp_error *err);

/* Adds n_w walks to a roof that sp_gather_roof_of() made for n_threads: walks and walks_s, rates without
 * walks of their own, time and roof. At the lower end nothing waits for walks. Nothing changes where the time
 * is not known. */
void sp_page_walks_add(const struct sp_machine *machine, const struct sp_page_costs *costs, double walks,
                       int n_threads, struct sp_gather_roof *roof);

#endif
