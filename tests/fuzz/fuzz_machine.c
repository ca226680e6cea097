/* Machine files: what is accepted can be written, and is accepted again. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/machine/machine_file.h"

const char *const fuzz_words[] = {"null",    "true",    "{}",      "[]",      "\"value\"", "\"how\"",
                                  "\"why\"", "\"f64\"", "\"MEM\"", "\"cpu\"", "\"gpu\"",   NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_machine machine, again;
    struct sp_error err = {0};
    char remarks[256], *text = NULL;
    enum sp_status status =
        sp_machine_file_read(fuzz_path(data, size), &machine, remarks, sizeof remarks, &err);
    if (status == SP_OK) {
        fuzz_require(sp_machine_to_json(&machine, &text, &err) == SP_OK, "what was read cannot be written");
        status = sp_machine_file_read(fuzz_path((uint8_t *)text, strlen(text)), &again, NULL, 0, &err);
        fuzz_require(status == SP_OK, err.what);
        sp_machine_free(&again);
        free(text);
    } else {
        fuzz_require_refusal(status, &err);
    }
    sp_machine_free(&machine);
    return 0;
}
