/* The record in the page: as data for programs, and to be read. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "base/visible.h"
#include "report/html/html_sections.h"

/* Longer lists are shown by their beginning. */
enum { MOST_ITEMS = 12, SHOWN_ITEMS = 6 };

/* JSON in which no character means anything to HTML or to a terminal: such characters only occur in
 * strings, where JSON has another way to write them. */
static void put_data(FILE *out, const char *json)
{
    char shown[SP_VISIBLE_MOST];
    while (*json) {
        const size_t n = sp_plain_length(json, SIZE_MAX, "<>&");
        fwrite(json, 1, n, out);
        json += n;
        if (*json == '<' || *json == '>' || *json == '&') {
            sp_print(out, "\\u%04x", (unsigned)*json++);
        } else if (*json) {
            sp_visible_next(&json, shown);
            fputs(shown, out);
        }
    }
}

void sp_html_data(struct sp_page *page, const char *id, const json_t *data)
{
    char *json = json_dumps(data, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    if (!json)
        return;
    sp_print(page->out, "<script type=\"application/json\" id=\"r%d-%s\">", page->part, id);
    put_data(page->out, json);
    fputs("</script>\n", page->out);
    free(json);
}

/* A copy in which long lists end with a word on what is left out. NULL: no memory. */
static json_t *shortened(const json_t *value)
{
    const json_t *item;
    const char *key;
    json_t *copy;
    size_t i;
    if (json_is_object(value)) {
        copy = json_object();
        json_object_foreach((json_t *)value, key, item) json_object_set_new(copy, key, shortened(item));
        return copy;
    }
    if (!json_is_array(value))
        return json_deep_copy(value);
    const size_t n = json_array_size(value), shown = n > MOST_ITEMS ? SHOWN_ITEMS : n;
    copy = json_array();
    json_array_foreach(value, i, item)
    {
        if (i == shown)
            break;
        json_array_append_new(copy, shortened(item));
    }
    if (shown < n)
        json_array_append_new(copy, json_sprintf("... and %zu more", n - shown));
    return copy;
}

void sp_html_record(struct sp_page *page, const struct sp_record *record)
{
    json_t *copy = shortened(record->root);
    char *json =
        copy ? json_dumps(copy, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7)) : NULL;
    sp_page_heading(page, page->level, "record", "Record");
    sp_page_put(page, "<p>The whole record is in this page as data, in the element <code>");
    sp_page_text(page, "script#r%d-data", page->part);
    sp_page_put(page, "</code>.</p>\n<details class=\"record\">\n<summary>The record to read: long lists "
                      "shortened, numbers rounded</summary>\n");
    sp_page_box_begin(page, "Record");
    sp_page_put(page, "<pre>");
    sp_xml_text(page->out, json ? json : "no memory for it");
    sp_page_put(page, "</pre>\n");
    sp_page_box_end(page);
    sp_page_put(page, "</details>\n");
    sp_html_data(page, "data", record->root);
    free(json);
    json_decref(copy);
}
