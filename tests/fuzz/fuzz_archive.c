/* Compressed files and tar archives, as any command loads them. */
#include "fuzz.h"
#include "io/matrix/matrix_load.h"

const char *const fuzz_words[] = {"ustar", ".mtx", "a/a.mtx", "%%MatrixMarket", "\x1f\x8b", "BZh9", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_load_options options = {.n_threads = 1, .memory_limit_B = 64e6};
    struct sp_csr a;
    struct sp_error err = {0};
    const enum sp_status status = sp_matrix_load(fuzz_path(data, size), &options, &a, NULL, &err);
    if (status == SP_OK)
        fuzz_require(sp_csr_check(&a, NULL) == SP_OK, "the matrix is not canonical");
    else
        fuzz_require_refusal(status, &err);
    sp_csr_free(&a);
    return 0;
}
