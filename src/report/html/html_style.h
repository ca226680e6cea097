/* How pages look. */
#ifndef SP_REPORT_HTML_STYLE_H
#define SP_REPORT_HTML_STYLE_H

#include "report/text/pen.h"

#include <stdio.h>

/* The style sheet: light, dark where the reader's system is, for paper, for telephones. */
void sp_html_style(FILE *out);

/* The class of the colour: "bad", "warn", "good", "soft". */
const char *sp_html_ink_class(enum sp_ink ink);

#endif
