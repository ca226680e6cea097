/* DOMAINS: the parts of several last-level-cache domains. */
#include <math.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/sections.h"

enum { MOST = 16, N_COLUMNS = 7, CELL = 40 };
static const char *const heads[N_COLUMNS] = {"domain", "threads", "entries",   "bytes modelled",
                                             "x once", "busy",    "pages here"};
static const int ends[N_COLUMNS] = {7, 16, 26, 42, 54, 66, 78};

static void line(struct sp_pen *pen, const json_t *domain)
{
    char cell[N_COLUMNS][CELL];
    struct sp_value busy = sp_record_value_of(json_object_get(domain, "busy")),
                    local = sp_record_value_of(json_object_get(domain, "local_share"));
    snprintf(cell[0], CELL, "%.0f", sp_item_number(domain, "domain"));
    snprintf(cell[1], CELL, "%.0f", sp_item_number(domain, "threads"));
    sp_figure_percent(cell[2], CELL, sp_item_number(domain, "entries_share"));
    sp_text_bytes(cell[3], CELL, sp_item_number(domain, "bytes"));
    sp_text_bytes(cell[4], CELL, sp_item_number(domain, "x_once_B"));
    if (sp_value_known(busy))
        sp_text_seconds(cell[5], CELL, busy.value);
    else
        snprintf(cell[5], CELL, "unknown");
    if (sp_value_known(local))
        sp_figure_percent(cell[6], CELL, local.value);
    else
        snprintf(cell[6], CELL, "unknown");
    for (int c = 0; c < N_COLUMNS; c++)
        sp_pen_right(pen, SP_INK_PLAIN, ends[c], cell[c]);
    sp_pen_end(pen);
}

void sp_section_domains(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *domains = sp_record_node(record, "domains"), *domain;
    size_t n = json_array_size(domains), i;
    if (n < 2)
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "DOMAINS");
    sp_pen_part(pen, SP_INK_PLAIN, 2,
                "last-level caches: entries and bytes of their threads, lines of x that each must load, "
                "longest busy time, share of the values on their own NUMA nodes");
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
