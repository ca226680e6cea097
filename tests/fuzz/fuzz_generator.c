/* Generator strings: small matrices are made, and canonical. */
#include <string.h>

#include "fuzz.h"
#include "sparse/generate/generate.h"

const char *const fuzz_words[] = {"laplace2d:", "laplace3d:", "band:",  "random:",   "block:",
                                  "powerlaw:",  "arrow:",     "layer:", "+permuted", "+",
                                  ":",          "x",          "64x64",  NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[256];
    if (size >= sizeof spec)
        return 0;
    memcpy(spec, data, size);
    spec[size] = '\0';
    struct sp_csr a;
    struct sp_error err = {0};
    double bytes;
    enum sp_status status = sp_generate_bytes(spec, &bytes, &err);
    if (status != SP_OK) {
        fuzz_require_refusal(status, &err);
        return 0;
    }
    fuzz_require(bytes >= 0, "no amount of memory");
    if (bytes > 1e6)
        return 0;
    status = sp_generate(spec, NULL, &a, &err);
    fuzz_require(status == SP_OK, "an estimate for what is not made");
    fuzz_require(sp_csr_check(&a, NULL) == SP_OK, "the matrix is not canonical");
    sp_csr_free(&a);
    return 0;
}
