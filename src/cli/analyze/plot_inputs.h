/* What the plot command finds in the surroundings: the newest record. */
#ifndef SP_CLI_PLOT_INPUTS_H
#define SP_CLI_PLOT_INPUTS_H

#include <stddef.h>

#include "base/status.h"

/* Path of the newest record (*.json with our schema, by time of change) in `directory` that belongs to this
 * user or to root. SP_INPUT: there is none, or the directory itself belongs to somebody else: what others
 * have written is read where it is named, not where it lies about. */
enum sp_status sp_newest_record(const char *directory, char *path, size_t size, struct sp_error *err);

#endif
