/* PETSc's binary files, as tests/fuzz/fuzz_reader.h asks. */
#include "fuzz_reader.h"
#include "io/matrix/matrix_formats.h"

const char *const fuzz_words[] = {"\x7f\xff\xff\xff", "\xff\xff\xff\xff", "\x80", "P", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader_agrees(sp_petsc_read, data, size);
    return 0;
}
