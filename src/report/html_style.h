/* How pages look. */
#ifndef SP_REPORT_HTML_STYLE_H
#define SP_REPORT_HTML_STYLE_H

#include <stdio.h>

/* The style sheet: light, dark where the reader's system is, for paper, for telephones. */
void sp_html_style(FILE *out);

#endif
