/* DOMAINS: the parts of several last-level-cache domains. */

#include "base/figures.h"
#include "base/text.h"
#include "report/text/sections.h"

enum { MOST = 16, N_COLUMNS = 9, CELL = 40 };
static const char *const heads[N_COLUMNS] = {"domain",  "threads", "entries", "bytes",     "x once",
                                             "x again", "busy",    "waits",   "pages here"};
static const int ends[N_COLUMNS] = {7, 16, 25, 36, 47, 58, 69, 80, 92};

static void seconds_cell(char *cell, struct sp_value v)
{
    if (sp_value_known(v))
        sp_text_seconds(cell, CELL, v.value);
    else
        snprintf(cell, CELL, "unknown");
}

static void line(struct sp_pen *pen, const json_t *domain)
{
    char cell[N_COLUMNS][CELL];
    struct sp_value local = sp_record_value_of(json_object_get(domain, "local_share"));
    snprintf(cell[0], CELL, "%.0f", sp_item_number(domain, "domain"));
    snprintf(cell[1], CELL, "%.0f", sp_item_number(domain, "threads"));
    sp_figure_percent(cell[2], CELL, sp_item_number(domain, "entries_share"));
    sp_text_bytes(cell[3], CELL, sp_item_number(domain, "bytes"));
    sp_text_bytes(cell[4], CELL, sp_item_number(domain, "x_once_B"));
    sp_text_seconds(cell[5], CELL, sp_item_number(domain, "x_again_s"));
    seconds_cell(cell[6], sp_record_value_of(json_object_get(domain, "busy")));
    seconds_cell(cell[7], sp_record_value_of(json_object_get(domain, "waits")));
    if (sp_value_known(local))
        sp_figure_percent(cell[8], CELL, local.value);
    else
        snprintf(cell[8], CELL, "unknown");
    for (int c = 0; c < N_COLUMNS; c++)
        sp_pen_right(pen, SP_INK_PLAIN, ends[c], cell[c]);
    sp_pen_end(pen);
}

void sp_section_domains(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *domains = sp_record_node(record, SP_F_DOMAINS), *domain;
    size_t n = json_array_size(domains), i;
    if (n < 2)
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "DOMAINS  ");
    pen->indent = 9;
    sp_pen_words(
        pen, SP_INK_PLAIN,
        "last-level caches: entries and bytes (modelled) of their threads, lines of x that each must "
        "load and the time for those that others load too (modelled), longest busy time and the wait "
        "after it, share of the values on their own NUMA nodes");
    sp_pen_end(pen);
    for (int c = 0; c < N_COLUMNS; c++)
        sp_pen_right(pen, SP_INK_DIM, ends[c], heads[c]);
    sp_pen_end(pen);
    json_array_foreach(domains, i, domain)
    {
        if (i == MOST && n > MOST + 1)
            break;
        line(pen, domain);
    }
    if (i < n) {
        sp_pen_put(pen, SP_INK_DIM, " and %zu more, in the record", n - i);
        sp_pen_end(pen);
    }
}
