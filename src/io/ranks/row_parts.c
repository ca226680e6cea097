#include "io/ranks/row_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/atomic_file.h"
#include "io/files/input_file.h"
#include "sparse/ranks/ranks.h"

static const char remedy[] = "a partition file has a line for each row: the number of its part, from 0 on";

/* Blanks, then a number, then blanks; -1: it is none, or more than there can be. */
static int64_t number_of(const char *line, const char *end)
{
    int64_t number = 0;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line < '0' || *line > '9')
        return -1;
    for (; line < end && *line >= '0' && *line <= '9'; line++)
        if ((number = 10 * number + (*line - '0')) >= SP_MAX_RANKS)
            return -1;
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line == end ? number : -1;
}

static enum sp_status read_lines(const char *path, const char *text, size_t size, int64_t n_r, int32_t *part,
                                 int *n_parts, struct sp_error *err)
{
    int64_t n = 0;
    for (const char *line = text, *last = text + size; line < last; n++) {
        const char *end = memchr(line, '\n', (size_t)(last - line));
        end = end ? end : last;
        const int64_t number = number_of(line, end);
        if (number < 0)
            return sp_fail_at(err, SP_INPUT, path, n + 1, 0, remedy, "'%.*s' is no number of a part",
                              (int)(end - line < 40 ? end - line : 40), line);
        if (n == n_r)
            return sp_fail_at(err, SP_INPUT, path, n + 1, 0, remedy,
                              "there are more lines than the matrix has rows, %lld", (long long)n_r);
        part[n] = (int32_t)number;
        *n_parts = number >= *n_parts ? (int)number + 1 : *n_parts;
        line = end + 1;
    }
    if (n < n_r)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "it has %lld lines, the matrix has %lld rows",
                          (long long)n, (long long)n_r);
    return SP_OK;
}

enum sp_status sp_row_parts_read(const char *path, int64_t n_r, int32_t **part, int *n_parts,
                                 struct sp_error *err)
{
    char *text;
    size_t size;
    void *p;
    *part = NULL;
    *n_parts = 0;
    enum sp_status status = sp_input_bytes(path, SP_INPUT_MOST_B, &text, &size, err);
    if (status != SP_OK)
        return status;
    status = sp_new_array(n_r, sizeof **part, "parts of rows", &p, err);
    int32_t *numbers = p;
    if (status == SP_OK)
        status = read_lines(path, text, size, n_r, numbers, n_parts, err);
    free(text);
    if (status == SP_OK) {
        *part = numbers;
    } else {
        free(numbers);
        *n_parts = 0;
    }
    return status;
}

enum sp_status sp_row_parts_write(const char *path, const int32_t *part, int64_t n_r, struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    for (int64_t i = 0; i < n_r; i++)
        fprintf(file.stream, "%ld\n", (long)part[i]);
    return sp_atomic_commit(&file, err);
}
