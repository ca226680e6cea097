#include "report/html/html_page.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "report/html/html_style.h"

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
    sp_html_style(to);
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
