/* Times that somebody took, in a file. */
#include "fuzz.h"
#include "io/profiler_output.h"

const char *const fuzz_words[] = {"ms", "us",     "ns",   "\xc2\xb5s", "s", "min",
                                  "h",  "1.25ms", "1e-3", "# ",        ",", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_times t = {0};
    struct sp_error err = {0};
    const enum sp_status status = sp_times_read(fuzz_path(data, size), &t, &err);
    for (int64_t i = 0; status == SP_OK && i < t.n; i++)
        fuzz_require(t.time_s[i] > 0 && t.time_s[i] < 1e300 * 1e300, "a time that is not above 0");
    if (status == SP_OK)
        fuzz_require(t.n > 0, "no time");
    else
        fuzz_require_refusal(status, &err);
    sp_times_free(&t);
    return 0;
}
