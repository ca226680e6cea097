/* What the plot command finds in the surroundings: the newest record. */
#ifndef SP_CLI_PLOT_INPUTS_H
#define SP_CLI_PLOT_INPUTS_H

#include <stddef.h>

#include "base/status.h"

/* Path of the newest record (*.json with our schema, by time of change) in `directory`. SP_INPUT: there is
 * none.
 */
enum sp_status sp_newest_record(const char *directory, char *path, size_t size, struct sp_error *err);

#endif
