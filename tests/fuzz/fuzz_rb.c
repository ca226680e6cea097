/* Harwell-Boeing and Rutherford-Boeing files, as tests/fuzz/fuzz_reader.h asks. */
#include "fuzz_reader.h"
#include "io/matrix/matrix_formats.h"

const char *const fuzz_words[] = {"RSA",    "CHA",    "PUA",  "IZA",           "RUE",  "(4I3)", "(3F6.1)",
                                  "(2E9.2", "(1P,2D", "3(1X", "             ", "1.5+", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader_agrees(sp_rb_read, data, size);
    return 0;
}
