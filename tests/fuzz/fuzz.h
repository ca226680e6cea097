/* What the fuzzing targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput, which libFuzzer
 * drives in a build with SP_FUZZ, and driver.c otherwise: fuzz_NAME ROUNDS FOLDER mutates the files of its
 * corpus. Both edit through the words, lines and numbers of driver.c, for a byte changed at random seldom
 * gets past a first line. */
#ifndef SP_TESTS_FUZZ_H
#define SP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Words of the target's language, ends with NULL. */
extern const char *const fuzz_words[];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, saying `what`, where it does not hold. */
void fuzz_require(bool holds, const char *what);

/* A refusal is of the user's input, or for want of memory, and says what and what to do. */
void fuzz_require_refusal(enum sp_status status, const struct sp_error *err);

/* A file of these bytes, which ends with the next call. */
const char *fuzz_path(const uint8_t *data, size_t size);

#endif
