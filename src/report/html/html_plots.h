/* The plots of a page, with what they show in words and, where no table has it, in numbers. */
#ifndef SP_REPORT_HTML_PLOTS_H
#define SP_REPORT_HTML_PLOTS_H

#include "report/html/html_page.h"

/* The plot of those of records[n] that have what it needs, as many of them as it has room for;
 * below it, how many others there are and why. */
void sp_page_plot_of_several(struct sp_page *page, const char *kind, const struct sp_record *const *records,
                             int n, const char *title, const char *text);

/* The sections with plots of one record; each writes nothing where there is nothing for it. */
void sp_page_spy(struct sp_page *page, const struct sp_record *record);
void sp_page_roofline(struct sp_page *page, const struct sp_record *record);
void sp_page_alpha_curve(struct sp_page *page, const struct sp_record *record);
void sp_page_beta_map(struct sp_page *page, const struct sp_record *record);
void sp_page_balance(struct sp_page *page, const struct sp_record *record);
void sp_page_saturation(struct sp_page *page, const struct sp_record *record);

#endif
