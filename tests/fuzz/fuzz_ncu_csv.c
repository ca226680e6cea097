/* The output of ncu --csv, and what of it is taken for a product's bytes and time. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "session/record/imports.h"

const char *const fuzz_words[] = {"\"ID\"",
                                  "\"Kernel Name\"",
                                  "\"Metric Name\"",
                                  "\"Metric Unit\"",
                                  "\"Metric Value\"",
                                  "dram__bytes_read.sum",
                                  "dram__bytes_write.sum",
                                  "gpu__time_duration.sum",
                                  "Mbyte",
                                  "usecond",
                                  "byte",
                                  "n/a",
                                  "1,234.5",
                                  "==PROF==",
                                  "device__attribute_display_name",
                                  NULL};

static void import(const struct sp_ncu_csv *csv, const char *region)
{
    const struct sp_import_options o = {.region = region};
    struct sp_gpu_recorded g;
    struct sp_error err = {0};
    const enum sp_status status = sp_import_ncu(csv, "a file", &o, &g, &err);
    if (status != SP_OK)
        fuzz_require_refusal(status, &err);
    else
        fuzz_require(g.times.has_times && g.counts.of[SP_GPU_DRAM_READ].value >= 0,
                     "a run without bytes or times");
    sp_gpu_recorded_free(&g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_ncu_csv csv = {0};
    struct sp_error err = {0};
    const enum sp_status status = sp_ncu_csv_read(fuzz_path(data, size), &csv, &err);
    for (int64_t i = 0; status == SP_OK && i < csv.n_values; i++) {
        fuzz_require(csv.value[i].launch >= 0 && csv.value[i].launch < csv.n_launches,
                     "a value of no launch");
        fuzz_require(csv.value[i].value >= 0 && isfinite(csv.value[i].value), "no value");
    }
    if (status == SP_OK) {
        import(&csv, NULL);
        import(&csv, "c");
    } else
        fuzz_require_refusal(status, &err);
    sp_ncu_csv_free(&csv);
    return 0;
}
