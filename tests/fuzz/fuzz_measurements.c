/* CSV of others, and mappings of its columns. The first line that begins with a bar ends the mapping. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "io/csv_table.h"
#include "session/validate/measurements.h"

const char *const fuzz_words[] = {"matrix",   "machine",      "threads",   "read_B",  "write_B", "time_s",
                                  "rows",     "executions",   "state",     "warm",    "\"\"",    ",\"",
                                  "\n|\n",    "[column:a b]", "= ",        "row_ptr", "\r\n",    "# ",
                                  "min(a,b)", "1e300",        "partition", NULL};

/* The entries before the bar; what is no entry is left out. Returns where the table begins. */
static size_t read_mapping(const char *text, size_t size, struct sp_mapping *mapping)
{
    size_t at = 0;
    while (at < size) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t n = end ? (size_t)(end - text) - at : size - at;
        if (n > 0 && text[at] == '|')
            return at + n + (end != NULL);
        char *line = strndup(text + at, n);
        struct sp_error err = {0};
        const enum sp_status status = line ? sp_mapping_add(mapping, line, NULL, 0, &err) : SP_MEMORY;
        if (line && status != SP_OK)
            fuzz_require(status == SP_USAGE && *err.what, "a mapping is refused without a word");
        free(line);
        at += n + (end != NULL);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_csv_table table = {0};
    struct sp_mapping mapping = {0};
    struct sp_measurement *m = NULL;
    struct sp_error err = {0};
    struct sp_line_filter filter;
    int64_t n = 0;
    const size_t begin = read_mapping((const char *)data, size, &mapping);
    const char *path = fuzz_path(data + begin, size - begin);
    enum sp_status status = sp_csv_table_read(path, &table, &err);
    if (status == SP_OK) {
        fuzz_require(table.n_columns > 0, "no columns");
        fuzz_require(sp_line_filter_parse("threads=1,2", &filter, NULL) == SP_OK, "the filter");
        status = sp_measurements_of(path, &table, &mapping, &filter, 0, &m, &n, &err);
    }
    for (int64_t i = 0; i < n; i++)
        fuzz_require(*m[i].text[SP_MEASURED_MATRIX] && m[i].number[SP_MEASURED_THREADS] >= 1,
                     "a line without matrix or threads");
    if (status != SP_OK)
        fuzz_require_refusal(status, &err);
    free(m);
    sp_csv_table_free(&table);
    sp_mapping_free(&mapping);
    return 0;
}
