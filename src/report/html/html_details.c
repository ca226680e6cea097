/* What a second look asks for: traffic by level and array, domains, costs; words; the record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/html/html_sections.h"

enum { HEAD_COLUMNS = 9, CELL = 64 };

static void bytes_cell(struct sp_page *page, double bytes)
{
    char text[CELL];
    sp_page_cell(page, 'r', isfinite(bytes) ? sp_text_bytes(text, sizeof text, bytes) : "unknown");
}

static void number_cell(struct sp_page *page, char align, double x)
{
    char text[CELL];
    snprintf(text, sizeof text, "%.0f", x);
    sp_page_cell(page, align, isfinite(x) ? text : "unknown");
}

/* `item` holds the bytes of an array at a level, or of all: a row. */
static void traffic_row(struct sp_page *page, const char *level, const char *array, const json_t *item,
                        const char *origin)
{
    sp_page_cell(page, 'h', level);
    sp_page_cell(page, 'h', array);
    bytes_cell(page, sp_item_number(item, "read_B"));
    bytes_cell(page, sp_item_number(item, "write_B"));
    sp_page_cell(page, 'l', origin ? origin : "of unknown origin");
    sp_page_row_end(page);
}

static void level_rows(struct sp_page *page, const json_t *level)
{
    const char *origin = sp_item_text(level, "origin"), *words = sp_words_level(sp_item_text(level, "name")),
               *name;
    const json_t *array;
    sp_page_row_begin(page, "strong");
    traffic_row(page, words, "all", level, origin);
    /* jansson's own loop macro wants a json_t that is not const; nothing is changed. */
    json_t *arrays = json_object_get(level, "arrays");
    json_object_foreach(arrays, name, array)
    {
        sp_page_row_begin(page, NULL);
        traffic_row(page, words, name, array, origin);
    }
}

void sp_html_levels(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"level", "array", "read", "written", "origin"};
    const json_t *levels = sp_record_node(record, SP_F_LEVELS), *level;
    size_t i;
    if (json_array_size(levels) == 0)
        return;
    sp_page_heading(page, page->level, "traffic", "Traffic by level and array");
    sp_page_table_begin(page, "Bytes in one execution between a level and the next outward", "hhrrl", heads);
    json_array_foreach(levels, i, level) level_rows(page, level);
    sp_page_table_end(page);
}

/* "5.00 GB", or that it is not known. */
static void value_cell(struct sp_page *page, struct sp_value v, char *(*words)(char *, size_t, double))
{
    char text[CELL];
    sp_page_cell(page, 'r', sp_value_known(v) ? words(text, sizeof text, v.value) : "unknown");
}

static void way_row(struct sp_page *page, const json_t *way)
{
    static const char *const levels[] = {"L1", "L2", "MEM"};
    const struct sp_value time = sp_record_value_of(json_object_get(way, "time"));
    const json_t *bytes = json_object_get(way, "levels");
    const char *name = sp_item_text(way, "name"), *bound = sp_item_text(way, "bound_by");
    sp_page_row_begin(page, json_is_true(json_object_get(way, "chosen")) ? "strong" : NULL);
    sp_page_cell(page, 'h', name ? name : "?");
    value_cell(page, time, sp_text_seconds);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        value_cell(page, sp_record_value_of(json_object_get(bytes, levels[i])), sp_text_bytes);
    sp_page_cell(page, 'l', bound ? bound : "unknown");
    sp_page_cell(page, 'l',
                 sp_value_known(time) ? sp_origin_name(time.origin)
                 : time.why           ? time.why
                                      : "no reason given");
    sp_page_row_end(page);
}

void sp_html_ways(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"way", "time", "bytes L1", "L2", "DRAM", "bound by", "origin"};
    const json_t *ways = sp_record_node(record, SP_F_GPU_WAYS), *way;
    size_t i;
    if (json_array_size(ways) == 0)
        return;
    sp_page_heading(page, page->level, "ways", "Ways to share the work on the GPU");
    sp_page_table_begin(page,
                        "Modelled time of one execution and bytes at each level; the way that ran in bold",
                        "hrrrrll", heads);
    json_array_foreach(ways, i, way) way_row(page, way);
    sp_page_table_end(page);
}

static void domain_row(struct sp_page *page, const json_t *domain)
{
    static const char *const times[] = {"busy", "waits"};
    const struct sp_value local = sp_record_value_of(json_object_get(domain, "local_share"));
    const double share = sp_item_number(domain, "entries_share"), again = sp_item_number(domain, "x_again_s");
    char text[CELL];
    sp_page_row_begin(page, NULL);
    number_cell(page, 'h', sp_item_number(domain, "domain"));
    number_cell(page, 'r', sp_item_number(domain, "threads"));
    sp_page_cell(page, 'r', isfinite(share) ? sp_figure_percent(text, sizeof text, share) : "unknown");
    bytes_cell(page, sp_item_number(domain, "bytes"));
    bytes_cell(page, sp_item_number(domain, "x_once_B"));
    sp_page_cell(page, 'r', isfinite(again) ? sp_text_seconds(text, sizeof text, again) : "unknown");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const struct sp_value v = sp_record_value_of(json_object_get(domain, times[i]));
        sp_page_cell(page, 'r', sp_value_known(v) ? sp_text_seconds(text, sizeof text, v.value) : "unknown");
    }
    sp_page_cell(page, 'r',
                 sp_value_known(local) ? sp_figure_percent(text, sizeof text, local.value) : "unknown");
    sp_page_row_end(page);
}

void sp_html_domains(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"domain",  "threads", "entries", "bytes",     "x once",
                                        "x again", "busy",    "waits",   "pages here"};
    static sp_page_section *const beside[] = {sp_section_own, sp_section_unfused, NULL};
    const json_t *domains = sp_record_node(record, SP_F_DOMAINS), *domain;
    size_t i;
    if (json_array_size(domains) > 1) {
        sp_page_heading(page, page->level, "domains", "Last-level caches");
        sp_page_table_begin(
            page,
            "Parts of the last-level caches: entries, bytes, lines of x and the time for those "
            "that others load too modelled; busy and waiting time measured",
            "hrrrrrrrr", heads);
        json_array_foreach(domains, i, domain) domain_row(page, domain);
        sp_page_table_end(page);
    }
    sp_page_facts(page, record, HEAD_COLUMNS, beside);
}

void sp_html_costs(struct sp_page *page, const struct sp_record *record)
{
    static sp_page_section *const costs[] = {sp_section_costs, NULL};
    sp_page_heading(page, page->level, "costs", "Costs, samples, events");
    sp_page_facts(page, record, HEAD_COLUMNS, costs);
}

/* Some of the words on the page; hints and flags explain themselves under their ids. */
void sp_html_words(struct sp_page *page, const struct sp_record *record)
{
    static const char *const words[] = {"alpha",  "beta",   "b_S",    "roofline",   "bandwidth_fraction",
                                        "losses", "origin", "lambda", "bottleneck", "gain"};
    const json_t *one = json_array_get(sp_record_node(record, SP_F_HINTS), 0);
    const char *hint = sp_item_text(one, "id");
    sp_page_heading(page, page->level, "words", "Words");
    sp_page_element(
        page, "p", NULL,
        "Every number says on whose word it stands: measured (a clock or a counter), simulated (the "
        "cache simulator), modelled (a formula), stated (a data sheet or a paper), constructed "
        "(invented for an example). What is not known is called unknown, with the reason.");
    sp_page_put(page, "<p>Terms, hints and flags are explained by ");
    sp_page_element(page, "code", NULL, "spmodel explain TERM");
    sp_page_text(page, ", for example");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        sp_page_put(page, i ? ", " : " ");
        sp_page_element(page, "code", NULL, "%s", words[i]);
    }
    if (hint) {
        sp_page_put(page, ", ");
        sp_page_element(page, "code", NULL, "%s", hint);
    }
    sp_page_put(page, ".</p>\n");
}
