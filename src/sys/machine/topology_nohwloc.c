#include "sys/machine/topology.h"

enum sp_status sp_topology_read(struct sp_topology *out, struct sp_error *err)
{
    return sp_topology_read_sysfs("", out, err);
}
