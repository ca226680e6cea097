/* Events that count what memory controllers move, found in sysfs: which unit, which code, how many
 * bytes a count is.
 *
 * A unit (struct pmu in the kernel) counts for a whole socket or memory channel, never for a
 * thread: it is opened once on each processor that the kernel names in `cpumask`, and all of them
 * are added up. Codes, scales and units are the kernel's own where it publishes them; where it
 * leaves them to user tools they are from the vendor's event lists, as the table in memory_pmu.c
 * says.
 *
 * Tested on constructed trees only: no machine with such units was at hand. */
#ifndef SP_SYS_MEMORY_PMU_H
#define SP_SYS_MEMORY_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"

struct sp_memory_event {
    char pmu[64];       /* "uncore_imc_3" */
    uint32_t type;      /* perf_event_attr.type */
    uint64_t config[3]; /* perf_event_attr.config, config1, config2 */
    int cpu;            /* the processor on which it is opened */
    int domain;         /* socket of that processor, 0 ... in the order of their ids */
    int channel;        /* unit, or channel of a unit that counts several, 0 ... within the kind */
    enum sp_direction direction;
    double B_per_count;   /* bytes that one count stands for */
    bool scale_is_stated; /* from the vendor's event list, not from the kernel's scale file */
    int pass;             /* 0 ... n_passes - 1 */
};

struct sp_memory_pmu {
    const char *kind; /* "Intel integrated memory controller" ...; static text */
    int n_pmus;       /* directories of units: of one socket (Intel), or of all (AMD, Arm) */
    int n_units;      /* units of all sockets: processors in their cpumasks */
    int n_sockets;    /* on which they are */
    int n_events;     /* n_units x events of a unit */
    int n_passes;     /* 1, or 2 where a unit has too few counters for all its events: halves of them */
    struct sp_memory_event *event; /* [n_events] owned */
};

/* Reads ROOT/sys/bus/event_source/devices. SP_ABSENT with what was looked for where no unit of a
 * known kind offers reads and writes. Zeroed on failure; sp_memory_pmu_free(). */
enum sp_status sp_memory_pmu_read(const char *root, struct sp_memory_pmu *out, struct sp_error *err);
void sp_memory_pmu_free(struct sp_memory_pmu *pmu);

/* An event as `perf stat` names it: of a unit ("uncore_imc_0/cas_count_read/",
 * "amd_umc/event=0x0a,rdwrmask=1/"), or by the vendor's event list ("unc_m_cas_count.rd"). */
struct sp_memory_event_named {
    const char *kind; /* as above; its first word is the vendor */
    int rank;         /* of the kind: of several that count the same memory the lowest is taken */
    int naming;       /* of the same counts by other names: likewise */
    bool beside;      /* memory of another sort, which adds to the others': HBM */
    enum sp_direction direction;
    double B_per_count; /* where the count comes without a unit */
};
/* False: it counts no bytes of memory controllers that are known here. */
bool sp_memory_event_of_name(const char *name, struct sp_memory_event_named *event);

/* Words of an event -> the numbers that perf_event_open takes, by the unit's format files. */

/* Where the kernel describes its units, below a root. */
#define SP_PMU_DEVICES "/sys/bus/event_source/devices"

/* "event=0x04,umask=0x03" by the unit's format files -> config[3]. SP_INPUT names the term that it
 * does not know or that does not fit its bits. `pmu`: the unit's directory name. */
enum sp_status sp_pmu_encode(const char *root, const char *pmu, const char *terms, uint64_t config[3],
                             struct sp_error *err);

#endif
