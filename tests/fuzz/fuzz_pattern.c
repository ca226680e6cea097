/* Patterns that spmodel attach keeps, as tests/fuzz/fuzz_reader.h asks. */
#include "base/attach_log.h"
#include "fuzz_reader.h"
#include "io/matrix/matrix_formats.h"

const char *const fuzz_words[] = {SP_ATTACH_PATTERN_MAGIC, "\xff\xff\xff\xff", "\x7f", "\x01", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader_agrees(sp_pattern_read, data, size);
    return 0;
}
