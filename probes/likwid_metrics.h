/* What the metrics of LIKWID's performance groups count: "Memory read data volume [GBytes]" and its
 * like. Shared by the helper, which reads them live, and by the import of likwid-perfctr's
 * output. */
#ifndef SP_PROBES_LIKWID_METRICS_H
#define SP_PROBES_LIKWID_METRICS_H

#include <stdbool.h>

#include "base/reading.h"

struct sp_likwid_metric {
    char level[8]; /* "MEM"; "L3": between L3 and L2; "L2" */
    enum sp_direction direction;
    double B;                        /* bytes of one unit of the label */
    int part;                        /* of the memory: 0 DDR or all, 1 HBM or MCDRAM */
    int first_channel, last_channel; /* "(channels 0-3)"; -1: all of them */
};

/* False for a metric that is no data volume of a level. `group` in which it is: "MEM". */
bool sp_likwid_metric_of(const char *group, const char *name, struct sp_likwid_metric *metric);

/* Of n metrics of all groups, in the order of the groups: keep[i] says whether it is to be added
 * up, so that nothing counts twice (a further group with the same volume, a sum beside its parts,
 * some channels beside all). `group`[n]: which group it is of. Returns NULL, or what is missing: a
 * part of the channels whose group was not measured. */
const char *sp_likwid_choose(int n, const struct sp_likwid_metric *metrics, const int *group, bool *keep);

#endif
