/* Measurements of other programs: each format by itself, whatever the file looks like. */
#include "fuzz.h"
#include "track/exchange/exchange.h"

const char *const fuzz_words[] = {"\"benchmarks\"",
                                  "\"context\"",
                                  "\"run_name\"",
                                  "\"real_time\"",
                                  "\"time_unit\"",
                                  "us",
                                  "series",
                                  "value",
                                  "unit",
                                  "Path",
                                  "Avg time/rank",
                                  "|",
                                  "_value",
                                  "_unit",
                                  "\"path\"",
                                  "time.duration",
                                  "\n",
                                  ",",
                                  "\"",
                                  "name",
                                  "job_completion_time",
                                  "GB/s",
                                  NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sp_outside_defaults otherwise = {"c", "b", "m", "2026-01-01"};
    const char *path = fuzz_path(data, size);
    for (const struct sp_exchange_format *f = sp_exchange_formats; f->name; f++) {
        const struct sp_exchange_format *format = f;
        struct sp_outside outside;
        struct sp_outside_records records;
        struct sp_error err = {0};
        if (!f->read)
            continue;
        const enum sp_status status = sp_exchange_read(path, &format, &otherwise, &outside, &err);
        if (status != SP_OK) {
            fuzz_require_refusal(status, &err);
            continue;
        }
        if (sp_outside_records(&outside, format->name, &records, &err) == SP_OK)
            sp_outside_records_free(&records);
        sp_outside_free(&outside);
    }
    return 0;
}
