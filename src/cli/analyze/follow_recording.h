/* Options of a run from a recording: what was run then is what is looked at now. */
#ifndef SP_CLI_FOLLOW_RECORDING_H
#define SP_CLI_FOLLOW_RECORDING_H

#include "cli/analyze/run_options.h"
#include "cli/model/op_options.h"
#include "session/record/recording.h"

/* Operation and width (into `op`), format, schedule, precision, index, stores, pages, order, threads and the
 * state of the caches, each where the recording says it and the command line does not. SP_INPUT: what it says
 * is not known here. Texts are borrowed from the recording or kept in `run`. */
enum sp_status sp_follow_recording(const struct sp_recording *recording, struct sp_run_options *run,
                                   struct sp_op_options *op, struct sp_error *err);

#endif
