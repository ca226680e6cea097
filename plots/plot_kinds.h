/* The kinds of plots, one C file each; plot.c lists them. */
#ifndef SP_PLOTS_PLOT_KINDS_H
#define SP_PLOTS_PLOT_KINDS_H

#include "plots/plot.h"

extern const struct sp_plot_kind sp_plot_roofline, sp_plot_losses, sp_plot_alpha, sp_plot_balance,
    sp_plot_beta, sp_plot_saturation, sp_plot_spy, sp_plot_levels, sp_plot_history, sp_plot_campaign;

/* A part of the picture, in fractions of its width and height. */
struct sp_panel {
    double left, right, bottom, top;
};
/* The losses of records[n] in a part of the picture, the right half of the roofline for example. */
void sp_losses_panel(const struct sp_record *const *records, int n, struct sp_panel panel, const char *title,
                     FILE *out);
bool sp_losses_known(const struct sp_record *record);

#endif
