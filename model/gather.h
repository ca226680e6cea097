/* The roof of gathers: elements of x that are loaded by index, from the levels that hold them.
 *
 * Gathers are independent of each other, so a core has as many of them in flight as its window (of
 * entries in the reorder buffer, of lines on their way) takes: W. A gather from level l holds its
 * entry for L_l seconds. By Little's law W gathers take sum_l f_l L_l where f_l is the share of
 * level l, and where all come from one level the rate is r_l = W/L_l. The time of n gathers is then
 *     T = n (sum_l f_l L_l)/W = sum_l n_l/r_l,
 * the roof of the mixture n/T is the harmonic mean of the rates. It holds where one window limits
 * all levels; where each level is limited by something of its own (the cores' window inside, the
 * bus outside) they overlap further, down to max_l n_l/r_l. J. D. C. Little, A proof for the
 * queuing formula L = lambda W, Operations Research 9 (1961).
 *
 * Lines that hardware fetches ahead are there when they are gathered, so gathers of them count as
 * ones from the first level; their bytes are part of the transfers. Not in it: threads with unequal
 * shares. */
#ifndef SP_MODEL_GATHER_H
#define SP_MODEL_GATHER_H

#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"
#include "model/volume/traffic.h"
#include "sparse/formats/layout.h"

/* Gathers of all threads in one execution by the level that has the element. */
struct sp_gather_hits {
    int n_levels;          /* caches, then memory; 0: not known */
    enum sp_origin origin; /* simulated; modelled where a share was taken off what is simulated */
    double count[SP_MAX_CACHES + 1];
    double ahead; /* of count[0]: of lines from further out that were fetched ahead, modelled */
    char level[SP_MAX_CACHES + 1][8]; /* "L1", ..., "MEM" */
};

/* From simulated traffic: traffic[k], k < n_levels, is what came into cache k of the machine, by
 * array; what level k asks the next one for it has missed, a line (granule) each. n_gathers:
 * elements of x that one execution loads; of a line that is on its way the later elements count as
 * hits of the first level. n_levels 0 where the traffic is not by array or not of all the machine's
 * caches. */
struct sp_gather_hits sp_gather_hits_of(const struct sp_machine *machine, double n_gathers,
                                        const struct sp_traffic *traffic, int n_levels);

/* Share of the gathers from beyond the first level whose line hardware has fetched ahead: it
 * follows lines next to it, three at least, in the same page of 4 KiB, and the stream is among the
 * last 32. Sampled: a few windows of the first and the last thread's own accesses; the machine's
 * first cache says which are beyond it. Stencils come near 1, random columns near 0. 0 for accesses
 * that somebody tells (options->walk). SP_MEMORY; SP_USAGE and SP_ABSENT as sp_trace_open(). */
enum sp_status sp_gather_ahead(const struct sp_layout *layout, const struct sp_sim_options *options,
                               double *share, struct sp_error *err);

/* Gathers per second that n_threads get from a level [1/s]: the faster of the ceilings "gather" and
 * "gather_ld". Between the thread counts that are there, the straight line between neighbours,
 * SP_MODELLED, its interval from the fewer threads' rate to as many times that of one thread;
 * SP_NONE beyond them or where the machine has none. */
struct sp_value sp_gather_rate(const struct sp_machine *machine, const char *level, int n_threads);

struct sp_gather_roof {
    struct sp_gather_hits hits;
    struct sp_value rate[SP_MAX_CACHES + 1]; /* of each level [1/s] */
    struct sp_value time_s;                  /* T, interval from those of the rates; SP_MODELLED */
    struct sp_value roof_ps;                 /* n/T [1/s]; SP_MODELLED */
    double walks;                            /* of page tables, simulated: sp_page_walks() */
    struct sp_value walks_s; /* that they take, in T; SP_NONE: nobody asked, or no TLB is described */
};

/* SP_NONE with the reason where hits are not known, there are none, or a level that has some has no
 * ceiling. */
struct sp_gather_roof sp_gather_roof_of(const struct sp_machine *machine, const struct sp_gather_hits *hits,
                                        int n_threads);

/* The same with the rates given, rate[hits->n_levels]. */
struct sp_gather_roof sp_gather_roof_at(const struct sp_gather_hits *hits, const struct sp_value *rate);

/* The roof of what one execution of a layout gathers, `ahead` of what is beyond L1 fetched ahead
 * (sp_gather_ahead(); 0: nobody looked); traffic as in sp_gather_hits_of(). SP_NONE, with the
 * reason, also where the operation is not SpMV and where elements of x are not of 8 bytes, as those
 * are that the ceilings are of. */
struct sp_gather_roof sp_gather_roof_of_layout(const struct sp_machine *machine,
                                               const struct sp_layout *layout,
                                               const struct sp_traffic *traffic, int n_levels, double ahead,
                                               int n_threads);

/* Takes the ends of `other`, the same gathers from other levels, into the intervals of `roof`. */
void sp_gather_roof_widen(struct sp_gather_roof *roof, const struct sp_gather_roof *other);

/* What waiting for gathers adds to streams that take streams_s [s] and run at the same time: T -
 * streams_s, at least 0. SP_NONE where one of them is not known. */
struct sp_value sp_gather_wait(const struct sp_gather_roof *roof, struct sp_value streams_s);

/* What the levels outside the first one add to gathers that all come from it: sum_l n_l (1/r_l -
 * 1/r_1), at least 0. P_core, whose gathers come from L1, does not have it. SP_NONE where T or r_1
 * is not known. */
struct sp_value sp_gather_beyond_first(const struct sp_gather_roof *roof);

/* Gathers whose page no TLB maps: the core walks the page tables first.
 *
 * A gather holds its place in the window (model/gather.h) while its page is walked, too, so the
 * walks' time adds to that of the levels: T = sum_l n_l/r_l + n_w t_w/n of n threads, n_w walks and
 * t_w the time that one takes of a thread's. t_w and the reach of the TLBs are measured with as
 * many lines as the L2 holds, on more and more pages: R. H. Saavedra, A. J. Smith, Measuring cache
 * and TLB performance and their effect on benchmark runtimes, IEEE Trans. Computers 44 (1995). In a
 * virtual machine whose host has small pages, huge ones reach no further than small ones: a TLB
 * keeps pieces of the host's size.
 *
 * A ceiling of gathers was measured on a set that the TLBs may not have mapped; the walks of its
 * own are taken off. */

/* reach_B and walk_s from n sets of size_B [B], ascending, and the seconds that a gather takes from
 * each: the least is that of mapped pages; sets beyond the reach are those that take more than a
 * quarter of what the largest adds. False: too few. */
bool sp_page_costs_of(int n, const double *size_B, const double *seconds, struct sp_page_costs *costs);

/* The row for these pages and the number of threads, else the nearest one; NULL: none. */
const struct sp_page_costs *sp_page_costs_for(const struct sp_machine *machine, bool huge, int n_threads);

/* Gathers of x in one execution whose page is not among the last reach_B that the thread has used,
 * by the simulator with pages for lines; warm or cold and the progress as in `options`. 0 where x
 * is within reach. */
enum sp_status sp_page_walks(const struct sp_layout *layout, const struct sp_page_costs *costs,
                             const struct sp_sim_options *options, double *walks, struct sp_error *err);

/* Adds n_w walks to a roof that sp_gather_roof_of() made for n_threads: walks and walks_s, rates
 * without walks of their own, time and roof. At the lower end nothing waits for walks. Nothing
 * changes where the time is not known. */
void sp_page_walks_add(const struct sp_machine *machine, const struct sp_page_costs *costs, double walks,
                       int n_threads, struct sp_gather_roof *roof);

#endif
