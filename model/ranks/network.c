#include "model/ranks/network.h"

#include <math.h>

double sp_messages_time(const struct sp_network_path *path, const struct sp_messages *m)
{
    if (!(m->n > 0))
        return 0;
    double transfer_s = m->bytes / path->rank_Bps.value;
    if (sp_value_known(path->node_Bps))
        transfer_s = fmax(transfer_s, m->of_node_B / path->node_Bps.value);
    const double rendezvous_s = path->rendezvous_B > 0 ? path->rendezvous_s.value : 0;
    return m->n * path->latency_s.value + m->n_large * rendezvous_s + transfer_s;
}

const struct sp_network_path *sp_network_within(const struct sp_network *network)
{
    return sp_value_known(network->within.latency_s) ? &network->within : &network->between;
}
