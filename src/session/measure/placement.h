/* Where the kernel's arrays really lie, read back from the system. */
#ifndef SP_SESSION_PLACEMENT_H
#define SP_SESSION_PLACEMENT_H

#include "base/reading.h"
#include "sparse/formats/layout.h"
#include "sys/machine/binding.h"
#include "sys/machine/topology.h"

/* Share of each thread's part of the value array (weighted by its entries) that lies on the NUMA node that
 * the thread is bound to. SP_NONE with the reason: one node, threads not bound, no values, or the system does
 * not tell. */
struct sp_value sp_placement_local_share(const struct sp_layout *layout, const struct sp_binding *binding,
                                         const struct sp_topology *topology);
/* The same of the threads in one domain. */
struct sp_value sp_placement_domain_share(const struct sp_layout *layout, const struct sp_binding *binding,
                                          const struct sp_topology *topology, const int *domain_of_thread,
                                          int domain);

/* Share of the value array in huge pages. */
struct sp_value sp_placement_huge_share(const struct sp_layout *layout);

#endif
