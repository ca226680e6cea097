#include "report/html/html_svg.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/option/option_words.h"
#include "base/print.h"
#include "base/visible.h"
#include "plots/gnuplot.h"
#include "report/html/html_page.h"

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "rgb( 68, 119, 170)" -> "#4477aa"; returns what was read, 0: it is no colour. */
static size_t put_color(const char *text, FILE *out)
{
    char part[40]; /* sscanf measures all of its text first */
    int red, green, blue, length = 0;
    if (!starts(text, "rgb("))
        return 0;
    snprintf(part, sizeof part, "%.30s", text);
    if (sscanf(part, "rgb(%d ,%d ,%d )%n", &red, &green, &blue, &length) < 3 || length == 0)
        return 0;
    sp_print(out, "#%02x%02x%02x", (unsigned)red & 255, (unsigned)green & 255, (unsigned)blue & 255);
    return (size_t)length;
}

/* Up to and with the end of an element that is left out. */
static const char *skip_element(const char *text, const char *end)
{
    const char *found = strstr(text, end);
    return found ? found + strlen(end) : text + strlen(text);
}

/* Of what gnuplot's pictures consist. Others do more than draw, and are left out, as are attributes
 * for events with their element. */
static bool is_drawn(const char *tag)
{
    static const char *const elements[] = {"circle", "defs", "feComposite", "feFlood", "filter",
                                           "g",      "line", "path",        "polygon", "polyline",
                                           "rect",   "svg",  "text",        "tspan",   "use"};
    const char *name = tag + (tag[1] == '/' ? 2 : 1);
    const size_t length = strcspn(name, " \t\r\n/>");
    const bool has_event = memmem(name, strcspn(name, ">"), " on", 3);
    bool is = false;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        is = is || (strlen(elements[i]) == length && memcmp(name, elements[i], length) == 0);
    return is && !has_event;
}

/* A tag: ids and references get the picture's id in front; "#FFFFFF" becomes "#ffffff". */
static const char *put_tag(const char *text, const char *id, FILE *out)
{
    static const char *const before_id[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    size_t taken;
    for (; *text && *text != '>'; text += taken) {
        taken = put_color(text, out);
        for (size_t i = 0; taken == 0 && i < sizeof before_id / sizeof *before_id; i++) {
            if (starts(text, before_id[i])) {
                taken = strlen(before_id[i]);
                sp_print(out, "%s%s-", before_id[i], id);
            }
        }
        if (taken == 0 && starts(text, "#FFFFFF")) {
            taken = strlen("#FFFFFF");
            fputs("#ffffff", out);
        }
        if (taken == 0) {
            taken = 1;
            fputc(*text, out);
        }
    }
    if (*text == '>')
        fputc(*text++, out);
    return text;
}

/* gnuplot leaves ">" in text as it is, which makes "]]>" an error. */
static const char *put_character(const char *text, FILE *out)
{
    const char *from = text;
    const uint32_t code = sp_utf8_next(&text);
    char shown[SP_VISIBLE_MOST];
    if (code == SP_UTF8_INVALID || code == '>')
        fputs(code == '>' ? "&gt;" : "\xef\xbf\xbd", out);
    else if (sp_is_control(code) && code != '\n' && sp_visible_next(&from, shown) > 0)
        fputs(shown, out);
    else
        fwrite(from, 1, (size_t)(text - from), out);
    return text;
}

static void put_body(const char *text, const char *id, FILE *out)
{
    while (*text) {
        if (starts(text, SP_SVG_VALUE)) { /* what a mouse over a point shows */
            fputs(SP_SVG_VALUE, out);
            text += strlen(SP_SVG_VALUE);
        } else if (starts(text, "<title>")) {
            text = skip_element(text, "</title>");
        } else if (starts(text, "<desc>")) {
            text = skip_element(text, "</desc>");
        } else if (starts(text, "</title>")) {
            fputs("</title>", out);
            text += strlen("</title>");
        } else if (*text == '<') {
            const bool drawn = is_drawn(text);
            if (!drawn && starts(text, "<g ")) /* its end follows */
                fputs("<g>", out);
            text = drawn ? put_tag(text, id, out) : skip_element(text, ">");
        } else {
            text = put_character(text, out);
        }
    }
}

enum sp_status sp_inline_svg(const char *svg, const struct sp_inline_svg *p, FILE *out, struct sp_error *err)
{
    const char *open = strstr(svg, "<svg"), *body = open ? strchr(open, '>') : NULL;
    if (!body || !strstr(body, "</svg>"))
        return sp_fail(err, SP_OUTPUT, "try the script by hand (" SP_O_TERM " gp)", "gnuplot drew no SVG");
    sp_print(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
             "class=\"plot wide %s\" style=\"--w:%dpx\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
             "role=\"img\" aria-labelledby=\"%s-title %s-text\" id=\"%s\">\n<title id=\"%s-title\">",
             p->fixed ? "fixed" : "inked", p->width, p->width, p->height, p->width, p->height, p->id, p->id,
             p->id, p->id);
    sp_xml_text(out, p->title);
    sp_print(out, "</title>\n<desc id=\"%s-text\">", p->id);
    sp_xml_text(out, p->text);
    fputs("</desc>\n", out);
    put_body(body + 1, p->id, out);
    return SP_OK;
}
