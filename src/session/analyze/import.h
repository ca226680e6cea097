/* Somebody's run under likwid-perfctr as a recording: its counters, its time, its threads. */
#ifndef SP_SESSION_IMPORT_H
#define SP_SESSION_IMPORT_H

#include "io/likwid_csv.h"
#include "session/record/recording.h"

struct sp_import_options {
    const char *region; /* NULL: the only one */
    int64_t executions; /* products in a call of the region, or in the whole program without regions; 0: one
                           a call */
};

/* SP_USAGE where a region must be chosen or the number of executions is not known; SP_INPUT where no group in
 * it counts data volumes of memory. */
enum sp_status sp_import_recording(const struct sp_likwid_csv *csv, const char *path,
                                   const struct sp_import_options *options, struct sp_recording *recording,
                                   struct sp_error *err);

#endif
