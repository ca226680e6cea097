/* Records: what is accepted is shown as text, table and page, and written again. */
#include <stdlib.h>

#include "fuzz.h"
#include "io/record/record.h"
#include "report/html/report_html.h"
#include "report/report_several.h"
#include "report/text/report_text.h"

const char *const fuzz_words[] = {"null",
                                  "true",
                                  "{}",
                                  "[]",
                                  "\"\"",
                                  "\"value\"",
                                  "\"origin\"",
                                  "\"unit\"",
                                  "\"why\"",
                                  "\"\\u0000\"",
                                  "\"\\u001b[31m\"",
                                  NULL};

static void show(struct sp_record *record)
{
    char *text = NULL;
    size_t n;
    struct sp_error err = {0};
    FILE *out = open_memstream(&text, &n);
    fuzz_require(out != NULL, "no memory");
    const struct sp_record *const records[] = {record, record};
    const struct sp_html_options options = {.no_plots = true};
    sp_report_text(record, &(struct sp_report_style){0}, out);
    sp_report_csv_row(record, out);
    enum sp_status status = sp_report_html(records, 1, &options, out, &err);
    fuzz_require(status == SP_OK || err.what[0], "a refusal without a reason");
    status = sp_record_print(record, out, true, &err);
    fuzz_require(status == SP_OK, "what was read cannot be written");
    fclose(out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_record record;
    struct sp_error err = {0};
    const enum sp_status status = sp_record_read(fuzz_path(data, size), &record, &err);
    if (status == SP_OK)
        show(&record);
    else
        fuzz_require_refusal(status, &err);
    sp_record_free(&record);
    return 0;
}
