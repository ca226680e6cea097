/* A plot on standard output. */
#ifndef SP_CLI_DRAW_TEXT_H
#define SP_CLI_DRAW_TEXT_H

#include "plots/plot.h"

/* As sp_plot_picture(). */
enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_term term, const struct sp_plot_tool *tool,
                                 struct sp_error *err);

#endif
