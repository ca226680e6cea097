/* What a mouse over a point shows. */
#ifndef SP_PLOTS_SVG_HOVER_H
#define SP_PLOTS_SVG_HOVER_H

#include <stddef.h>

/* gnuplot writes hypertext (SP_HOVER) as calls of a script. In their place, in the picture svg[*size], which
 * a 0 follows, come titles, which need none: SP_SVG_VALUE, the text, "</title>". */
#define SP_SVG_VALUE "<g class=\"value\"><title>"
void sp_svg_hover(char *svg, size_t *size);

#endif
