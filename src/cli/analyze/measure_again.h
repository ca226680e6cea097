/* What a record asked for, measured again in a process of this program. */
#ifndef SP_CLI_MEASURE_AGAIN_H
#define SP_CLI_MEASURE_AGAIN_H

#include "base/progress.h"
#include "io/record/record.h"

/* Can it be measured again here, on this machine, with this program, from this folder? SP_ABSENT
 * says why not. on_any: where it ran does not matter, because the machine is named in its request
 * and bytes are simulated. */
enum sp_status sp_can_measure_again(const struct sp_record *record, bool on_any, struct sp_error *err);

/* Runs `spmodel analyze` with what the record asked for; commit and branch are those of the record.
 * *again is the new record, whose `confirms` is the old one's id; path[4096] its file in `folder`.
 * SP_ABSENT: it could not be measured; SP_INTERRUPTED. The program's errors go to standard
 * error. */
enum sp_status sp_measure_again(const struct sp_record *record, const char *folder,
                                const struct sp_progress *progress, int verbosity, struct sp_record *again,
                                char path[4096], struct sp_error *err);

/* The commit that a record of now would name: SPMODEL_COMMIT, or what a CI server sets; NULL: none. */
const char *sp_commit_of_now(void);

#endif
