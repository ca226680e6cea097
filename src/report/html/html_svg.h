/* Pictures of gnuplot as a part of the page. */
#ifndef SP_REPORT_HTML_SVG_H
#define SP_REPORT_HTML_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct sp_inline_svg {
    const char *id;           /* of the picture; in front of all ids within */
    const char *title, *text; /* what it is; what it shows, for those who cannot see it */
    int width, height;        /* [px] */
    bool fixed;               /* its colours are a scale: they stay, on white, where the page is dark */
};

/* Writes gnuplot's SVG file `svg` as an element of the page: without declaration and gnuplot's own
 * titles, with ids that are unique in the page and colours as the style sheet knows them
 * ("#4477aa"); elements that do not draw are left out. SP_OUTPUT: it is no SVG. */
enum sp_status sp_inline_svg(const char *svg, const struct sp_inline_svg *picture, FILE *out,
                             struct sp_error *err);

#endif
