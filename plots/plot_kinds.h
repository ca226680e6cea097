/* The kinds of plots; plot.c lists them. */
#ifndef SP_PLOTS_PLOT_KINDS_H
#define SP_PLOTS_PLOT_KINDS_H

#include "plots/script.h"

extern const struct sp_plot_kind sp_plot_roofline, sp_plot_losses, sp_plot_alpha, sp_plot_balance,
    sp_plot_beta, sp_plot_saturation, sp_plot_spy, sp_plot_levels, sp_plot_sizes, sp_plot_history,
    sp_plot_campaign;

/* The losses of records[n] in a part of the picture, the right half of the roofline for example. */
void sp_losses_panel(const struct sp_record *const *records, int n, struct sp_panel panel,
                     struct sp_quoted title, enum sp_term term, struct sp_script *out);
bool sp_losses_known(const struct sp_record *record);

#endif
