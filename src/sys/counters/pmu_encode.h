/* Words of an event -> the numbers that perf_event_open takes, by the unit's format files. */
#ifndef SP_SYS_PMU_ENCODE_H
#define SP_SYS_PMU_ENCODE_H

#include <stdint.h>

#include "base/status.h"

/* Where the kernel describes its units, below a root. */
#define SP_PMU_DEVICES "/sys/bus/event_source/devices"

/* "event=0x04,umask=0x03" by the unit's format files -> config[3]. SP_INPUT names the term that it does not
 * know or that does not fit its bits. `pmu`: the unit's directory name. */
enum sp_status sp_pmu_encode(const char *root, const char *pmu, const char *terms, uint64_t config[3],
                             struct sp_error *err);

#endif
