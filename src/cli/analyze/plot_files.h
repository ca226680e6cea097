/* What plots of commands are made from, and standard output as the place where they go. */
#ifndef SP_CLI_PLOT_FILES_H
#define SP_CLI_PLOT_FILES_H

#include <stddef.h>

#include "base/status.h"
#include "plots/plot.h"

/* Path of the newest record (*.json with our schema, by time of change) in `directory` that belongs
 * to this user or to root. SP_INPUT: there is none, or the directory itself belongs to somebody
 * else: what others have written is read where it is named, not where it lies about. */
enum sp_status sp_newest_record(const char *directory, char *path, size_t size, struct sp_error *err);

/* A plot on standard output; as sp_plot_picture(). */
enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_term term, const struct sp_plot_tool *tool,
                                 struct sp_error *err);

#endif
