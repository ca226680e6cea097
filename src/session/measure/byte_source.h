/* Where bytes come from, chosen once for a whole command: the best source that can be trusted here,
 * or the one that was asked for. */
#ifndef SP_SESSION_BYTE_SOURCE_H
#define SP_SESSION_BYTE_SOURCE_H

#include "base/progress.h"
#include "model/count_log.h"
#include "model/machine.h"
#include "probes/probe.h"
#include "session/record/recording.h"
#include "sys/machine/topology.h"

struct sp_byte_request {
    const char *wanted; /* "auto", "sim", a row of the probe table, or "replay:FILE" */
    bool required;      /* SP_ABSENT rather than a simulation */
    int n_threads;      /* of the known volumes; 0: one for each core that may be used */
    const struct sp_machine *machine;
    const struct sp_topology *topology;
    double memory_B; /* what may be taken for the known volumes; 0: no check */
};

enum { SP_MAX_TRIED = 6 };

/* Zero-initialise; sp_byte_source_close(). Not to be moved once opened. */
struct sp_byte_source {
    const struct sp_probe *probe; /* NULL: bytes are simulated */
    void *session;
    char name[24]; /* "likwid", "perf" ...; of a recording the source that it names; "sim" */
    bool replayed, constructed;
    bool required;      /* it was asked for: no simulation in its place when it stops answering */
    bool measured_only; /* --require-bytes: an analysis whose bytes end up simulated is SP_ABSENT */
    bool tested;        /* known volumes ran under it */
    struct sp_trust_report trust;
    struct sp_recording recording; /* replayed */
    int n_tried;                   /* sources that were looked at and not taken */
    struct {
        const char *name;
        bool opened; /* it counts, but known volumes were not what it said */
        char reason[sizeof((struct sp_error *)0)->what], remedy[sizeof((struct sp_error *)0)->remedy];
    } tried[SP_MAX_TRIED];
};

/* auto: likwid, perf, papi, the first that counts known volumes rightly; else the simulation, which
 * needs nothing. A source that was asked for and is not there or not believed is SP_ABSENT with its
 * reason. Threads are pinned while known volumes run, and released afterwards. */
enum sp_status sp_byte_source_choose(const struct sp_byte_request *request,
                                     const struct sp_progress *progress, struct sp_byte_source *source,
                                     struct sp_error *err);
/* Another tool's counts as a source, or times alone with simulated bytes: takes the recording. */
enum sp_status sp_byte_source_of_recording(struct sp_recording *recording, struct sp_byte_source *source,
                                           struct sp_error *err);
void sp_byte_source_close(struct sp_byte_source *source);

/* Like "--bytes" itself: is this a word that it takes? */
bool sp_byte_source_knows(const char *wanted);

#endif
