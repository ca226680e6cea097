/* Partition files: parts of nine rows. */
#include <stdlib.h>

#include "fuzz.h"
#include "io/ranks/rank_files.h"

const char *const fuzz_words[] = {"\n", "\r\n", " ", "\t", "0", "1048575", "1048576", "-1", "1e3", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ROWS = 9 };
    int32_t *part;
    int n;
    struct sp_error err = {0};
    const enum sp_status status = sp_row_parts_read(fuzz_path(data, size), ROWS, &part, &n, &err);
    if (status == SP_OK)
        for (int i = 0; i < ROWS; i++)
            fuzz_require(part[i] >= 0 && part[i] < n, "a part is out of range");
    else
        fuzz_require_refusal(status, &err);
    free(part);
    return 0;
}
