/* What a page is made with. */
#ifndef SP_REPORT_HTML_OPTIONS_H
#define SP_REPORT_HTML_OPTIONS_H

#include <stdbool.h>

#include "plots/plot.h"

struct sp_html_options {
    struct sp_plot_tool tool; /* gnuplot NULL: the page says that plots need it, and has their numbers */
    bool no_plots;            /* none were asked for */
};

#endif
