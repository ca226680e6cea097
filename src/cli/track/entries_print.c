#include "cli/track/entries_print.h"

#include <math.h>

#include "base/markdown_text.h"
#include "base/print.h"
#include "base/text.h"
#include "base/xml_text.h"

static const char *origin_of(const struct sp_entry *e, enum sp_tracked metric)
{
    return *e->origin[metric] ? e->origin[metric] : "unknown";
}

void sp_entries_junit(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    int64_t n_skipped = 0;
    for (int64_t i = 0; i < n; i++)
        n_skipped += isnan(list[i]->metric[SP_TRACKED_TIME]);
    sp_print(out,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuite name=\"spmodel track export\" tests=\"%lld\" failures=\"0\" errors=\"0\" "
             "skipped=\"%lld\">\n",
             (long long)n, (long long)n_skipped);
    for (int64_t i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const double time = e->metric[SP_TRACKED_TIME];
        sp_print(out, "  <testcase classname=\"");
        sp_xml_text(out, e->matrix);
        sp_print(out, "\" name=\"");
        sp_xml_text(out, e->what);
        sp_print(out, " series %.8s ", e->series);
        sp_xml_text(out, e->start);
        if (isnan(time)) {
            sp_print(out, "\"><skipped message=\"the time is unknown\"/></testcase>\n");
            continue;
        }
        sp_print(out, "\" time=\"%.9g\"><system-out>time %.9g s (", time, time);
        sp_xml_text(out, origin_of(e, SP_TRACKED_TIME));
        fputs("); record ", out);
        sp_xml_text(out, e->id);
        sp_print(out, "</system-out></testcase>\n");
    }
    sp_print(out, "</testsuite>\n");
}

/* figure NULL: it is not known. */
static void put_figure(FILE *out, const char *figure, const char *origin)
{
    sp_print(out, "%s", figure ? figure : "unknown");
    if (!figure)
        return;
    fputs(" (", out);
    sp_markdown_text(out, origin);
    fputc(')', out);
}

void sp_entries_markdown(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    sp_print(out, "| start | matrix | configuration | series | machine | commit | runs | time | of roof |\n"
                  "|---|---|---|---|---|---|---|---|---|\n");
    for (int64_t i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const double time = e->metric[SP_TRACKED_TIME], share = e->metric[SP_TRACKED_FRACTION];
        const char *const words[] = {e->start, e->matrix, e->what};
        char text[32];
        fputs("| ", out);
        for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
            sp_markdown_text(out, words[k]);
            fputs(" | ", out);
        }
        sp_print(out, "%.8s | ", e->series);
        sp_markdown_text(out, e->machine);
        fputs(" | ", out);
        sp_markdown_text(out, *e->commit ? e->commit : "-");
        sp_print(out, " | %d | ", e->n_runs);
        put_figure(out, isnan(time) ? NULL : sp_text_seconds(text, sizeof text, time),
                   origin_of(e, SP_TRACKED_TIME));
        fputs(" | ", out);
        snprintf(text, sizeof text, "%.0f %%", 100 * share);
        put_figure(out, isnan(share) ? NULL : text, origin_of(e, SP_TRACKED_FRACTION));
        fputs(" |\n", out);
    }
}
