#include "report/html/html_page.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/option/option_words.h"
#include "base/print.h"
#include "plots/script.h"

/* Colours by what they are for. Text has a contrast of at least 4.5 to the surfaces page, card and
 * code in both lists (tests/cli/html.sh computes it). */
static const char light[] =
    "--page:#ffffff;--card:#f4f6f9;--code:#eceff3;--ink:#1b232c;--soft:#4c5866;--line:#c6ced7;"
    "--link:#0a4f9e;--good:#17652c;--warn:#7a4f00;--bad:#a3211c;";
static const char dark[] =
    "--page:#161b21;--card:#1f262e;--code:#28313b;--ink:#e5eaef;--soft:#adb8c3;--line:#414d59;"
    "--link:#83bcf7;--good:#82d696;--warn:#f1c262;--bad:#ff9d97;";

/* The losses' colours are those of plots/plot_losses.c, in the order of sp_loss_words, then
 * those of the parts of execution. */
// NOLINTBEGIN(bugprone-suspicious-missing-comma): a rule may take two lines
static const char *const rules[] = {
    "*{box-sizing:border-box}",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
    "body{margin:0 auto;max-width:72rem;padding:1rem 1.25rem 4rem;background:var(--page);color:var(--ink);"
    "font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}",
    "h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}",
    "h2{font-size:1.25rem;line-height:1.3;margin:2.25rem 0 .5rem;padding-top:.5rem;border-top:1px solid "
    "var(--line)}",
    "h3{font-size:1.08rem;margin:1.6rem 0 .4rem}h4{font-size:1rem;margin:1.2rem 0 .3rem}",
    "h1,h2,h3,h4,p,li,dd,td,th,code{overflow-wrap:anywhere}td,th{overflow-wrap:normal}",
    "p{margin:.5rem 0;max-width:60rem}",
    "a{color:var(--link)}",
    "nav{background:var(--card);border:1px solid var(--line);border-radius:.4rem;margin:0 0 1rem;"
    "padding:.5rem .9rem}",
    "nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem}",
    "nav li{max-width:100%}nav a{display:block;max-width:24rem;padding:.2rem 0;overflow:hidden;",
    "text-overflow:ellipsis;white-space:nowrap}nav a:focus-visible{outline-offset:-.1rem}",
    ".soft,figcaption,caption,summary,.unit{color:var(--soft)}",
    ".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}",
    "p.notice{background:var(--card);border-left:.3rem solid var(--warn);padding:.5rem .8rem}",
    "p.lead{font-size:1.08rem}",
    "code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation "
    "Mono',monospace;font-size:.9em}",
    "code{background:var(--code);border-radius:.2rem;padding:.1em .3em}",
    "pre{margin:.4rem 0;padding:.6rem .8rem;background:var(--code);border-radius:.3rem}",
    "dl.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:.6rem;margin:1rem 0}",
    "dl.tiles div{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.5rem "
    ".8rem}",
    "dl.tiles dt{color:var(--soft);font-size:.9rem}dl.tiles dd{margin:0}",
    "dl.tiles dd.v{font-size:1.35rem;font-weight:600;line-height:1.3}",
    "dl.tiles dd.t{font-weight:600}dl.tiles dd.o{color:var(--soft);font-size:.9rem}",
    "dl.tiles dd{overflow-wrap:anywhere}",
    "dl.facts{display:grid;grid-template-columns:8rem 1fr;gap:.25rem 1rem;margin:.5rem 0}",
    "dl.facts dt{font-weight:600;grid-column:1}dl.facts dd{margin:0;grid-column:2}",
    ".dot{color:var(--soft)}",
    ".box{overflow-x:auto;margin:.6rem 0}",
    ".box:focus-visible,a:focus-visible,summary:focus-visible{outline:.15rem solid var(--link);"
    "outline-offset:.1rem}",
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.95rem}",
    "caption{caption-side:top;text-align:left;padding:.2rem 0;font-size:.9rem}",
    "th,td{text-align:left;vertical-align:top;padding:.3rem .75rem;border-bottom:1px solid var(--line)}",
    "th:first-child,td:first-child{padding-left:.2rem}",
    "thead th{border-bottom:2px solid var(--line);vertical-align:bottom}",
    ".n{text-align:right;white-space:nowrap}.w{min-width:15rem}tbody th{font-weight:400;min-width:6.5rem}",
    "tbody .name{overflow-wrap:anywhere;min-width:11rem}",
    "tr.strong>*{font-weight:600}tr.total>*{font-weight:600;border-top:2px solid var(--line)}",
    "td.bars{min-width:9rem;width:30%}",
    ".bar{display:block;height:.95rem;margin-top:.28rem;min-width:1px;border-radius:.1rem;background:#"
    "4477aa}",
    ".l1{background:#33a0cc}.l2{background:#ccbb44}.l3{background:#aa9922}.l4{background:#aa3377}"
    ".l5{background:#cc3344}.l6{background:#888888}.l7{background:var(--soft)}",
    ".bar.waiting{background:#ee9988}.bar.row_ends{background:#993344}.bar.team{background:#cc99bb}",
    ".bar.minus{background:repeating-linear-gradient(135deg,#888888 0 .2rem,transparent .2rem .4rem);"
    "border:1px solid #888888}",
    "td .unit{display:block;font-size:.87em}",
    "figure{margin:1rem 0}figcaption{font-size:.9rem;margin-top:.3rem}",
    "svg{display:block;width:100%;height:auto}",
    ".wide{max-width:var(--w);min-width:calc(var(--w)*.75)}",
    "svg.fixed{background:#ffffff;border-radius:.3rem}",
    "p.undrawn{background:var(--card);border:1px dashed var(--line);padding:.8rem}",
    "article{background:var(--card);border:1px solid var(--line);border-radius:.4rem;margin:.8rem 0;"
    "padding:.2rem 1rem .6rem}",
    "article h3,article h4{margin:.6rem 0 .2rem}article p{margin:.3rem 0}",
    "article dl.facts{grid-template-columns:6rem 1fr}",
    "details{margin:.5rem 0}summary{cursor:pointer;padding:.2rem 0}",
    "ul.plain{margin:.4rem 0;padding-left:1.2rem}",
    "@media (max-width:40rem){body{padding:.5rem .8rem 3rem}h1{font-size:1.35rem}",
    "nav ul{flex-wrap:nowrap;overflow-x:auto}nav li{white-space:nowrap}",
    "dl.facts,article dl.facts{display:block}dl.facts dd{margin:0 0 .4rem}",
    "dl.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}dl.tiles dd.v{font-size:1.15rem}",
    "th,td{padding:.3rem .5rem}article{padding:.2rem .7rem .5rem}}",
    "@page{margin:14mm}",
    "@media "
    "print{html{font-size:10pt}body{max-width:none;padding:0}nav,details.record,details:not([open]){display:"
    "none}",
    "h1,h2,h3,h4{break-after:avoid}h2{margin-top:1.2rem}",
    "figure,article,tr,dl.tiles,p{break-inside:avoid}thead{display:table-header-group}",
    ".box{overflow:visible}.wide{min-width:0;max-height:11cm}table{font-size:8.5pt}th,td{padding:.15rem "
    ".4rem}",
    "a{color:inherit;text-decoration:none}",
    ".bar,article,dl.tiles div{-webkit-print-color-adjust:exact;print-color-adjust:exact}}",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

/* The colours of plots (plots/script.h), which are made for white paper: what they become in text
 * that has too little contrast there, and what marks and text become on the dark page. */
static const struct {
    const char *color, *light_text, *dark;
} inks[] = {
    {"#ffffff", NULL, "#161b21"},      {"#000000", NULL, "#e5eaef"},      {"black", NULL, "#e5eaef"},
    {"#333333", NULL, "#e5eaef"},      {"#777777", "#5c6670", "#a9b4bf"}, {"#888888", "#5c6670", "#a9b4bf"},
    {"#dddddd", NULL, "#38434e"},      {"#4477aa", NULL, "#7fb2e5"},      {"#cc3344", NULL, "#ff8b92"},
    {"#009e73", "#00704f", "#4fd1a5"}, {"#ccbb44", "#756800", "#dccd66"}, {"#aa9922", "#756800", "#c8b850"},
    {"#33a0cc", "#17708f", "#6cc6f0"}, {"#aa3377", NULL, "#e58fc1"},      {"#332288", NULL, "#b0a4ff"},
    {"#88ccee", "#17708f", "#88ccee"},
};
enum { N_INKS = sizeof inks / sizeof *inks };

/* Text in a plot is in groups that have a size of font. */
static void text_inks(FILE *out)
{
    for (int i = 0; i < N_INKS; i++)
        if (inks[i].light_text)
            sp_print(out, ".plot g[font-size][fill='%s']{fill:%s}\n", inks[i].color, inks[i].light_text);
}

static void dark_inks(FILE *out)
{
    static const char *const properties[] = {"fill", "stroke", "color", "flood-color"};
    for (int i = 0; i < N_INKS; i++)
        for (size_t p = 0; p < sizeof properties / sizeof *properties; p++)
            sp_print(out, "svg.plot.inked [%s='%s']{%s:%s}\n", properties[p], inks[i].color, properties[p],
                     inks[i].dark);
}

/* The style sheet: light, dark where the reader's system is, for paper, for telephones. */
static void html_style(FILE *out)
{
    sp_print(out,
             ":root{color-scheme:light dark;%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n",
             light, dark);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        sp_print(out, "%s\n", rules[i]);
    text_inks(out);
    fputs("@media screen and (prefers-color-scheme:dark){\n", out);
    dark_inks(out);
    fputs("}\n", out);
}

const char *sp_html_ink_class(enum sp_ink ink)
{
    return ink == SP_INK_RED ? "bad" : ink == SP_INK_YELLOW ? "warn" : ink == SP_INK_GREEN ? "good" : "soft";
}

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

/* Behind a group in which nothing is, as gnuplot writes many; else `text`. */
static const char *skip_empty(const char *text)
{
    const char *blanks = " \t\n", *inside = starts(text, "<g ") ? strchr(text, '>') : NULL;
    if (!inside)
        return text;
    inside += 1 + strspn(inside + 1, blanks);
    return starts(inside, "</g>") ? inside + 4 + strspn(inside + 4, blanks) : text;
}

static void put_body(const char *text, const char *id, FILE *out)
{
    while (*text) {
        const char *behind = skip_empty(text);
        if (behind > text) {
            text = behind;
        } else if (starts(text, SP_SVG_VALUE)) { /* what a mouse over a point shows */
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

enum { TEXT_MAX = 4096 };

static enum sp_status no_memory(struct sp_error *err)
{
    return sp_fail(err, SP_MEMORY, NULL, "no memory for the page");
}

/* Streams into memory know where their text is when they are closed: it stays with them here. */
struct memory {
    char *text;
    size_t size;
};
enum { BODY, CONTENTS, N_STREAMS };
struct sp_page_memory {
    struct memory stream[N_STREAMS];
};

enum sp_status sp_page_open(struct sp_page *page, const struct sp_html_options *options, struct sp_error *err)
{
    *page = (struct sp_page){.options = options, .level = 2, .part = 1};
    page->memory = calloc(1, sizeof *page->memory);
    if (page->memory) {
        struct memory *m = page->memory->stream;
        page->out = open_memstream(&m[BODY].text, &m[BODY].size);
        page->contents = open_memstream(&m[CONTENTS].text, &m[CONTENTS].size);
    }
    if (page->out && page->contents)
        return SP_OK;
    sp_page_drop(page);
    return no_memory(err);
}

void sp_page_drop(struct sp_page *page)
{
    if (page->out)
        fclose(page->out);
    if (page->contents)
        fclose(page->contents);
    for (int i = 0; page->memory && i < N_STREAMS; i++)
        free(page->memory->stream[i].text);
    free(page->memory);
    memset(page, 0, sizeof *page);
}

/* No source but the page itself: whoever opens it talks to no network and runs no script. */
static void write_head(const char *title, FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
          "<meta name=\"generator\" content=\"spmodel\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"/>\n<title>",
          to);
    sp_xml_text(to, title);
    fputs("</title>\n<style>\n", to);
    html_style(to);
    fputs("</style>\n</head>\n<body>\n", to);
}

enum sp_status sp_page_close(struct sp_page *page, const char *title, bool with_contents, FILE *to,
                             struct sp_error *err)
{
    const struct memory *m = page->memory->stream;
    bool whole = !ferror(page->out) && !ferror(page->contents);
    whole = fclose(page->out) == 0 && whole;
    whole = fclose(page->contents) == 0 && whole;
    page->out = page->contents = NULL;
    if (whole) {
        write_head(title, to);
        if (with_contents && m[CONTENTS].size > 0) {
            fputs("<nav aria-label=\"Contents\">\n<ul>\n", to);
            fwrite(m[CONTENTS].text, 1, m[CONTENTS].size, to);
            fputs("</ul>\n</nav>\n", to);
        }
        fputs("<main>\n", to);
        fwrite(m[BODY].text, 1, m[BODY].size, to);
        fputs("</main>\n</body>\n</html>\n", to);
    }
    sp_page_drop(page);
    return whole ? SP_OK : no_memory(err);
}

void sp_page_put(struct sp_page *page, const char *markup)
{
    fputs(markup, page->out);
}

static void put_formatted(struct sp_page *page, const char *format, va_list args)
{
    char text[TEXT_MAX];
    vsnprintf(text, sizeof text, format, args);
    sp_xml_text(page->out, text);
}

void sp_page_text(struct sp_page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_formatted(page, format, args);
    va_end(args);
}

/* A line's end behind it would be a blank in front of the next comma. */
static bool is_in_text(const char *tag)
{
    return strcmp(tag, "code") == 0 || strcmp(tag, "strong") == 0 || strcmp(tag, "span") == 0;
}

void sp_page_element(struct sp_page *page, const char *tag, const char *class, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (class)
        sp_print(page->out, "<%s class=\"%s\">", tag, class);
    else
        sp_print(page->out, "<%s>", tag);
    put_formatted(page, format, args);
    sp_print(page->out, "</%s>", tag); /* which would show a line's end */
    if (!is_in_text(tag))
        fputs("\n", page->out);
    va_end(args);
}

void sp_page_heading(struct sp_page *page, int level, const char *id, const char *text)
{
    sp_print(page->out, "<h%d id=\"r%d-%s\">", level, page->part, id);
    sp_xml_text(page->out, text);
    sp_print(page->out, "</h%d>\n", level);
    if (level != 2)
        return;
    sp_print(page->contents, "<li><a href=\"#r%d-%s\">", page->part, id);
    sp_xml_text(page->contents, text);
    fputs("</a></li>\n", page->contents);
}

/* Those who have no mouse scroll it with the keyboard, so it can be focused and has a name. */
void sp_page_box_begin(struct sp_page *page, const char *label)
{
    fputs("<div class=\"box\" role=\"group\" tabindex=\"0\" aria-label=\"", page->out);
    sp_xml_text(page->out, label);
    fputs("\">\n", page->out);
}

void sp_page_box_end(struct sp_page *page)
{
    fputs("</div>\n", page->out);
}

void sp_page_table_begin(struct sp_page *page, const char *caption, const char *align,
                         const char *const *heads)
{
    sp_page_box_begin(page, caption);
    fputs("<table>\n", page->out);
    sp_page_element(page, "caption", NULL, "%s", caption);
    fputs("<thead><tr>", page->out);
    for (size_t i = 0; align[i]; i++) {
        sp_print(page->out, "<th scope=\"col\"%s>", align[i] == 'r' ? " class=\"n\"" : "");
        sp_xml_text(page->out, heads[i]);
        fputs("</th>", page->out);
    }
    fputs("</tr></thead>\n<tbody>\n", page->out);
}

void sp_page_row_begin(struct sp_page *page, const char *class)
{
    if (class)
        sp_print(page->out, "<tr class=\"%s\">", class);
    else
        fputs("<tr>", page->out);
}

void sp_page_cell(struct sp_page *page, char align, const char *text)
{
    fputs(align == 'h'   ? "<th scope=\"row\">"
          : align == 'r' ? "<td class=\"n\">"
          : align == 'w' ? "<td class=\"w\">"
                         : "<td>",
          page->out);
    sp_xml_text(page->out, text);
    fputs(align == 'h' ? "</th>" : "</td>", page->out);
}

void sp_page_row_end(struct sp_page *page)
{
    fputs("</tr>\n", page->out);
}

void sp_page_table_end(struct sp_page *page)
{
    fputs("</tbody>\n</table>\n", page->out);
    sp_page_box_end(page);
}

/* "BOUND BY " -> "Bound by"; `name` may be blank. */
static void put_name(struct sp_page *page, const char *name, size_t columns)
{
    char text[32];
    size_t n = 0;
    for (size_t i = strspn(name, " "); i < columns && n + 1 < sizeof text; i++, n++)
        text[n] = (char)(n == 0 ? toupper((unsigned char)name[i]) : tolower((unsigned char)name[i]));
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
    sp_page_element(page, "dt", NULL, "%s", text);
}

/* Where the terminal leaves two blanks or more, a dot parts what belongs to different things. */
static void put_fact(struct sp_page *page, const char *fact)
{
    fputs("<dd>", page->out);
    fact += strspn(fact, " ");
    while (*fact) {
        const size_t length = strcspn(fact, " "), blanks = strspn(fact + length, " ");
        char word[TEXT_MAX];
        snprintf(word, sizeof word, "%.*s", (int)length, fact);
        sp_xml_text(page->out, word);
        fact += length + blanks;
        if (*fact)
            fputs(blanks > 1 ? " <span class=\"dot\">·</span> " : " ", page->out);
    }
    fputs("</dd>\n", page->out);
}

static void put_line(struct sp_page *page, const char *line, size_t columns)
{
    char name[32] = "";
    snprintf(name, sizeof name, "%.*s", (int)columns, line);
    if (name[strspn(name, " ")])
        put_name(page, line, strlen(line) < columns ? strlen(line) : columns);
    if (strlen(line) > columns)
        put_fact(page, line + columns);
}

void sp_page_facts(struct sp_page *page, const struct sp_record *record, int columns,
                   sp_page_section *const *sections)
{
    static const struct sp_report_style style = {.width = 1 << 20, .utf8 = true, .verbosity = 1};
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    struct sp_pen pen;
    FILE *lines = open_memstream(&text, &size);
    if (!lines)
        return;
    sp_pen_open(&pen, &style, lines);
    for (; *sections; sections++)
        (*sections)(&pen, record);
    if (fclose(lines) == 0 && size > 0) {
        fputs("<dl class=\"facts\">\n", page->out);
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            put_line(page, line, (size_t)columns);
        fputs("</dl>\n", page->out);
    }
    free(text);
}
