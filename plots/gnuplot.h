/* Runs gnuplot on a script file. */
#ifndef SP_PLOTS_GNUPLOT_H
#define SP_PLOTS_GNUPLOT_H

#include <stdbool.h>

#include "base/status.h"

/* Starts `program` directly (no shell), without the user's start-up files, and waits at most timeout_s.
 * SP_ABSENT: it cannot be started; SP_OUTPUT: it failed (its own words are in the error) or took too long. */
enum sp_status sp_gnuplot_run(const char *program, const char *script, double timeout_s,
                              struct sp_error *err);

#endif
