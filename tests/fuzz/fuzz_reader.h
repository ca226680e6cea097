/* What is asked of every reader of matrices in memory: one thread and three agree; an accepted matrix is
 * canonical. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/matrix/matrix_load.h"

typedef enum sp_status fuzz_reader(const char *name, const char *bytes, int64_t size,
                                   const struct sp_load_options *options, struct sp_csr *a,
                                   struct sp_load_facts *facts, struct sp_error *err);

static inline enum sp_status fuzz_read(fuzz_reader *reader, const uint8_t *data, size_t size, int n_threads,
                                       struct sp_csr *a, struct sp_error *err)
{
    const struct sp_load_options options = {.n_threads = n_threads, .memory_limit_B = 64e6};
    struct sp_load_facts facts = {0};
    char *bytes = malloc(size ? size : 1); /* of exactly this size, for the address sanitizer */
    fuzz_require(bytes != NULL, "no memory");
    memcpy(bytes, data, size);
    const enum sp_status status = reader("fuzz", bytes, (int64_t)size, &options, a, &facts, err);
    free(bytes);
    return status;
}

static inline void fuzz_reader_agrees(fuzz_reader *reader, const uint8_t *data, size_t size)
{
    struct sp_csr one, three;
    struct sp_error err = {0}, err_three = {0};
    const enum sp_status status = fuzz_read(reader, data, size, 1, &one, &err);
    fuzz_require(fuzz_read(reader, data, size, 3, &three, &err_three) == status, "threads disagree");
    fuzz_require(strcmp(err.what, err_three.what) == 0, "threads name other faults");
    if (status == SP_OK)
        fuzz_require(sp_csr_check(&one, NULL) == SP_OK && one.n_nz == three.n_nz,
                     "the matrix is not canonical");
    else
        fuzz_require_refusal(status, &err);
    sp_csr_free(&one);
    sp_csr_free(&three);
}

#endif
