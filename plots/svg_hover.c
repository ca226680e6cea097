#include "plots/svg_hover.h"

#include <string.h>

/* gnuplot escapes '<' in the text between these two, so that no text contains the second one. */
#define BEFORE "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'"
#define AFTER  "')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>"
#define END    "</title>"
_Static_assert(sizeof BEFORE + sizeof AFTER >= sizeof SP_SVG_VALUE + sizeof END, "in place");

void sp_svg_hover(char *svg, size_t *size)
{
    char *to = svg;
    const char *from = svg, *call;
    while ((call = strstr(from, BEFORE))) {
        const char *text = call + strlen(BEFORE), *end = strstr(text, AFTER);
        if (!end)
            break;
        memmove(to, from, (size_t)(call - from));
        to += call - from;
        memcpy(to, SP_SVG_VALUE, strlen(SP_SVG_VALUE));
        to += strlen(SP_SVG_VALUE);
        memmove(to, text, (size_t)(end - text));
        to += end - text;
        memcpy(to, END, strlen(END));
        to += strlen(END);
        from = end + strlen(AFTER);
    }
    memmove(to, from, strlen(from) + 1);
    *size = strlen(svg);
}
