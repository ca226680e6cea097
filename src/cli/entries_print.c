#include "cli/entries_print.h"

#include <math.h>

#include "base/markdown_text.h"
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
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"spmodel track export\" tests=\"%lld\" failures=\"0\" errors=\"0\" "
            "skipped=\"%lld\">\n",
            (long long)n, (long long)n_skipped);
    for (int64_t i = 0; i < n; i++) {
        const struct sp_entry *e = list[i];
        const double time = e->metric[SP_TRACKED_TIME];
        fprintf(out, "  <testcase classname=\"");
        sp_xml_text(out, e->matrix);
        fprintf(out, "\" name=\"");
        sp_xml_text(out, e->what);
        fprintf(out, " series %.8s ", e->series);
        sp_xml_text(out, e->start);
        if (isnan(time)) {
            fprintf(out, "\"><skipped message=\"the time is unknown\"/></testcase>\n");
            continue;
        }
        fprintf(out, "\" time=\"%.9g\"><system-out>time %.9g s (%s); record ", time, time,
                origin_of(e, SP_TRACKED_TIME));
        sp_xml_text(out, e->id);
        fprintf(out, "</system-out></testcase>\n");
    }
    fprintf(out, "</testsuite>\n");
}

void sp_entries_markdown(const struct sp_entry *const *list, int64_t n, FILE *out)
{
    fprintf(out, "| start | matrix | configuration | series | machine | commit | runs | time | of roof |\n"
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
        fprintf(out, "%.8s | ", e->series);
        sp_markdown_text(out, e->machine);
        fputs(" | ", out);
        sp_markdown_text(out, *e->commit ? e->commit : "-");
        fprintf(out, " | %d | ", e->n_runs);
        if (isnan(time))
            fputs("unknown | ", out);
        else
            fprintf(out, "%s (%s) | ", sp_text_seconds(text, sizeof text, time),
                    origin_of(e, SP_TRACKED_TIME));
        if (isnan(share))
            fputs("unknown |\n", out);
        else
            fprintf(out, "%.0f %% (%s) |\n", 100 * share, origin_of(e, SP_TRACKED_FRACTION));
    }
}
