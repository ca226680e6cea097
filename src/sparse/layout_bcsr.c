#include "sparse/layout_build.h"

enum sp_status sp_layout_build_bcsr(const struct sp_workload *w, bool with_values, struct sp_layout *l,
                                    struct sp_error *err)
{
    (void)w;
    (void)with_values;
    (void)l;
    return sp_fail(err, SP_ABSENT, "choose another --format", "the format bcsr is not built yet");
}
