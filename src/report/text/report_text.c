#include "report/text/report_text.h"

#include "report/text/sections.h"

/* Lines below the verdict, unless more is asked for. */
enum { MOST_LINES = 18 };

void sp_report_text(const struct sp_record *record, const struct sp_report_style *style, FILE *out)
{
    struct sp_pen pen;
    sp_pen_open(&pen, style, out);
    sp_section_verdict(&pen, record);
    sp_section_own(&pen, record);
    sp_section_ranks(&pen, record, style->verbosity > 0);
    if (style->verbosity < 1) {
        sp_section_losses_brief(&pen, record);
        sp_section_hints_brief(&pen, record, 6 + MOST_LINES - pen.lines);
        return;
    }
    fputc('\n', out);
    sp_section_head(&pen, record);
    sp_section_table(&pen, record);
    sp_section_levels(&pen, record);
    sp_section_gathers(&pen, record);
    sp_section_losses(&pen, record);
    sp_section_domains(&pen, record);
    sp_section_unfused(&pen, record);
    sp_section_hints(&pen, record);
    sp_section_tries(&pen, record);
    sp_section_costs(&pen, record);
    sp_section_notes(&pen, record);
}
