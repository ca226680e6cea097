/* The output of likwid-perfctr. */
#include "fuzz.h"
#include "io/profiler_output.h"

const char *const fuzz_words[] = {
    "TABLE",      "STRUCT",    "Region ",           "Group 1 Raw", "Metric",        "Event",
    "HWThread 0", "CPU name:", "RDTSC Runtime [s]", "call count",  "# constructed", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_likwid_csv csv = {0};
    struct sp_error err = {0};
    const enum sp_status status = sp_likwid_csv_read(fuzz_path(data, size), &csv, &err);
    double sum = 0;
    for (int t = 0; status == SP_OK && t < csv.n_tables; t++) {
        const double *row = sp_likwid_row(&csv.table[t], "Memory");
        for (int k = 0; row && k < csv.table[t].n_threads; k++)
            sum += row[k];
    }
    fuzz_require(sum <= 0 || sum >= 0 || sum != sum, "no number");
    if (status != SP_OK)
        fuzz_require_refusal(status, &err);
    sp_likwid_csv_free(&csv);
    return 0;
}
