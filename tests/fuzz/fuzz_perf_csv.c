/* The output of perf stat -x, and what of it is taken for bytes. */
#include <string.h>

#include "fuzz.h"
#include "session/record/imports.h"

const char *const fuzz_words[] = {"<not counted>",
                                  "<not supported>",
                                  "uncore_imc/cas_count_read/",
                                  "cas_count_write",
                                  "amd_umc_0/event=0x0a,rdwrmask=0x1/",
                                  "LLC-load-misses",
                                  "duration_time",
                                  "MiB",
                                  "ns",
                                  "S0,1,",
                                  "CPU0,",
                                  "100.00",
                                  "0.42%",
                                  "summary",
                                  " seconds time elapsed",
                                  "# constructed",
                                  NULL};

static void import(const struct sp_perf_csv *csv)
{
    const struct sp_import_options o = {.executions = 10, .n_threads = 2};
    struct sp_recording r;
    struct sp_error err = {0};
    const enum sp_status status = sp_import_perf(csv, "a file", &o, &r, &err);
    if (status != SP_OK)
        fuzz_require_refusal(status, &err);
    else
        fuzz_require(r.has_times && r.has_counters, "a recording without counts or times");
    sp_recording_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_perf_csv csv = {0};
    struct sp_error err = {0};
    const enum sp_status status = sp_perf_csv_read(fuzz_path(data, size), &csv, &err);
    for (int64_t i = 0; status == SP_OK && i < csv.n; i++) {
        const struct sp_perf_row *row = &csv.row[i];
        fuzz_require(*row->name, "a count of nothing");
        fuzz_require((row->state == SP_PERF_COUNTED) == (row->value >= 0), "a value without a count");
        fuzz_require(row->running >= 0 && row->running <= 1, "no share");
    }
    if (status == SP_OK)
        import(&csv);
    else
        fuzz_require_refusal(status, &err);
    sp_perf_csv_free(&csv);
    return 0;
}
