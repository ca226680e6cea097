/* What a second look asks for: traffic by level and array, domains, costs; words; the record;
 * a program that was attached to; ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
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

static void level_rows(struct sp_page *page, const struct sp_record *record, const json_t *level)
{
    const char *origin = sp_item_text(level, "origin"),
               *words = sp_words_level(record, sp_item_text(level, "name")), *name;
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
    json_array_foreach(levels, i, level) level_rows(page, record, level);
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
    const char *const heads[] = {"way",      "time",  "bytes L1", "L2", sp_words_level(record, "MEM"),
                                 "bound by", "origin"};
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

/* The record in the page: as data for programs, and to be read. */

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

static void put_to_read(struct sp_page *page, const struct sp_record *record)
{
    json_t *copy = shortened(record->root);
    char *json =
        copy ? json_dumps(copy, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(7)) : NULL;
    sp_page_put(page, "<details class=\"record\">\n<summary>The record to read: long lists shortened, "
                      "numbers rounded</summary>\n");
    sp_page_box_begin(page, "Record");
    sp_page_put(page, "<pre>");
    sp_xml_text(page->out, json ? json : "no memory for it");
    sp_page_put(page, "</pre>\n");
    sp_page_box_end(page);
    sp_page_put(page, "</details>\n");
    free(json);
    json_decref(copy);
}

void sp_html_record(struct sp_page *page, const struct sp_record *record)
{
    sp_page_heading(page, page->level, "record", "Record");
    sp_page_put(page, "<p>The whole record is in this page as data, in the element <code>");
    sp_page_text(page, "script#r%d-data", page->part);
    sp_page_put(page, "</code>.</p>\n");
    if (!page->parts)
        put_to_read(page, record);
    sp_html_data(page, "data", record->root);
}

/* What an unchanged program did (spmodel attach). */

static const char *text_of(const json_t *item, const char *key)
{
    const char *text = sp_item_text(item, key);
    return text ? text : "";
}

static void count_cell(struct sp_page *page, const json_t *item, const char *key)
{
    char text[CELL];
    sp_page_cell(page, 'r', sp_text_whole(text, sizeof text, sp_item_number(item, key)));
}

static void seconds_cell(struct sp_page *page, const json_t *item, const char *key)
{
    char text[CELL];
    const double s = sp_item_number(item, key);
    sp_page_cell(page, 'r', isnan(s) ? "not known" : sp_text_seconds(text, sizeof text, s));
}

static void attach_row(struct sp_page *page, const json_t *item)
{
    char text[128], number[32];
    const double share = sp_item_number(item, "share"), width = sp_item_number(item, "width"),
                 least = sp_item_number(item, "least_Bps");
    sp_page_row_begin(page, NULL);
    sp_page_cell(page, 'h', text_of(item, "matrix"));
    count_cell(page, item, "rows");
    count_cell(page, item, "nnz");
    snprintf(text, sizeof text, width > 1 ? "%.60s, r = %.0f" : "%.60s", text_of(item, "operation"), width);
    sp_page_cell(page, 'l', text);
    snprintf(text, sizeof text, "%.30s %.70s", text_of(item, "library"), text_of(item, "symbol"));
    sp_page_cell(page, 'l', text);
    count_cell(page, item, "calls");
    seconds_cell(page, item, "median_s");
    seconds_cell(page, item, "total_s");
    sp_page_cell(page, 'r',
                 isnan(share)     ? "not known"
                 : share < 0.0005 ? "< 0.1 %"
                                  : sp_figure_percent(text, sizeof text, share));
    if (!isnan(least))
        snprintf(text, sizeof text, "%s GB/s", sp_figure(number, sizeof number, least * 1e-9, 3));
    sp_page_cell(page, 'r', isnan(least) ? "not known" : text);
    sp_page_cell(page, 'w', text_of(item, "why"));
    sp_page_row_end(page);
}

void sp_html_attach(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {
        "matrix", "rows",  "nonzeros", "product",  "function",           "calls",
        "median", "total", "share",    "at least", "not judged, because"};
    const json_t *seen = sp_record_node(record, SP_F_ATTACH_SEEN), *item;
    size_t i;
    if (json_array_size(seen) == 0)
        return;
    sp_page_heading(page, page->level, "program", "What the program did");
    sp_page_put(page, "<p>");
    sp_page_text(
        page,
        "The sparse products of %s, an unchanged program, counted and timed by spmodel attach. Share: of the "
        "time of the threads that multiplied. At least: the bandwidth if CRS moves each array once "
        "(modelled) in the median time. Products that are judged have a record each, below: their bytes are "
        "simulated as a walk over CRS (over the rows of A^T for A^T x, over half storage where one triangle "
        "stands for both; on GPUs they are modelled).",
        sp_words_text(record, SP_F_ATTACH_PROGRAM, ""));
    sp_page_put(page, "</p>\n");
    sp_page_table_begin(page, "Products, those that took longest first", "hrrllrrrrrw", heads);
    json_array_foreach(seen, i, item) attach_row(page, item);
    sp_page_table_end(page);
    const json_t *unseen = sp_record_node(record, SP_F_ATTACH_UNSEEN);
    json_array_foreach(unseen, i, item)
    {
        sp_page_put(page, "<p>");
        sp_page_text(page, "%s", json_string_value(item));
        sp_page_put(page, "</p>\n");
    }
}

/* The ranks of an MPI job: what each has, and its times. */

enum { MOST_ROWS = 512 };

static void rank_row(struct sp_page *page, const json_t *rank)
{
    const json_t *median = json_object_get(rank, "median_s");
    const double roof = sp_item_number(rank, "roof_Bps");
    char text[CELL], figure[32];
    sp_page_row_begin(page, NULL);
    snprintf(text, sizeof text, "%.0f", sp_item_number(rank, "rank"));
    sp_page_cell(page, 'h', text);
    count_cell(page, rank, "rows");
    count_cell(page, rank, "local_nnz");
    count_cell(page, rank, "remote_nnz");
    count_cell(page, rank, "sent_B");
    count_cell(page, rank, "sent_to");
    count_cell(page, rank, "received_B");
    count_cell(page, rank, "received_from");
    seconds_cell(page, median, "local");
    seconds_cell(page, median, "remote");
    seconds_cell(page, median, "exchange");
    snprintf(text, sizeof text, "%s GB/s", sp_figure(figure, sizeof figure, 1e-9 * roof, 3));
    sp_page_cell(page, 'r', roof > 0 && isfinite(roof) ? text : "not known");
    sp_page_row_end(page);
}

void sp_html_ranks(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"rank",   "rows",   "local entries", "remote entries",
                                        "sent B", "to",     "received B",    "from",
                                        "local",  "remote", "exchange",      "roof"};
    const json_t *each = sp_record_node(record, SP_F_RANKS_EACH), *rank;
    bool same = false;
    size_t i;
    if (json_array_size(each) == 0)
        return;
    sp_page_heading(page, page->level, "ranks", "Ranks");
    sp_page_put(page, "<p>");
    sp_page_text(
        page,
        "Partition %s, %s. Times are medians of each rank, measured on all at the same time; roof: its "
        "local block loaded, nothing else. %s",
        sp_words_text(record, SP_F_RANKS_PARTITION, "?"), sp_words_text(record, SP_F_RANKS_MPI, "?"),
        !sp_record_flag(record, SP_F_RANKS_COUNTED_AS_PREDICTED, &same) ? "Nobody counted the messages."
        : same ? "Each pair of ranks sent the predicted bytes, counted."
               : "Other bytes were counted than predicted.");
    sp_page_put(page, "</p>\n");
    sp_page_table_begin(page, "Ranks", "hrrrrrrrrrrr", heads);
    json_array_foreach(each, i, rank)
    {
        if (i == MOST_ROWS)
            break;
        rank_row(page, rank);
    }
    sp_page_table_end(page);
}
