#include "probes/probe.h"

struct sp_protocol sp_protocol_default(const struct sp_machine *machine)
{
    return (struct sp_protocol){
        .state = SP_WARM,
        .budget_s = 1,
        .min_samples = 5,
        .max_samples = 200,
        .min_sample_s = 0.01,
        .machine = machine,
        .n_domain = 1,
        .seed = 1,
    };
}
