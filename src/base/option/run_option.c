#include "base/option/run_option.h"

#include <stdio.h>
#include <string.h>

const char sp_formats_help[] =
#define SPMV_FORMAT(ID, NAME, NUMBERS, NOTE, ...) ", " #NAME NUMBERS NOTE
#include "base/option/formats.inc"
#define DENSE_FORMAT(ID, NAME, NUMBERS, NOTE, ...) ", " #NAME NUMBERS NOTE
#include "base/option/formats.inc"
    "; analyze also auto, all";

const char sp_bytes_words[] = "auto"
#define LIBRARY_COUNTER(NAME, ...) " " #NAME
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
                              " sim cupti replay:";
const char sp_bytes_help[] = "Where bytes come from: auto (default: the best that is trusted)"
#define LIBRARY_COUNTER(NAME, ...) ", " #NAME
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
                             ", sim, replay:FILE; of a GPU cupti";

const struct sp_run_option sp_run_options[SP_N_OPTIONS] = {
#define ROW(id, k, a, w, field, ...) [SP_OPTION_##id] = {SP_O_##id, k, a, w, __VA_ARGS__},
#define OP_OPTION                    ROW
#define RUN_OPTION                   ROW
#define ANALYZE_OPTION               ROW
#define OTHER_OPTION                 ROW
#include "base/option/run_options.inc"
};

const char *sp_option_name(enum sp_option option)
{
    return sp_run_options[option].typed + 2;
}

enum sp_option sp_option_find(const char *name)
{
    int i = 0;
    while (i < SP_N_OPTIONS && strcmp(sp_option_name((enum sp_option)i), name) != 0)
        i++;
    return (enum sp_option)i;
}

int sp_word_among(const char *words, const char *value)
{
    for (int i = 0; words && *words; i++) {
        const size_t n = strcspn(words, " ");
        if (strlen(value) == n && strncmp(words, value, n) == 0)
            return i;
        words += n + (words[n] == ' ');
    }
    return -1;
}

enum sp_status sp_word_pick(const char *typed, const char *words, const char *value, int *place,
                            struct sp_error *err)
{
    char list[200] = "";
    size_t n = 0;
    const int word = sp_word_among(words, value);
    *place = word < 0 ? 0 : word;
    if (word >= 0)
        return SP_OK;
    for (const char *p = words; *p && n + 3 < sizeof list; p++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%c", *p == ' ' ? "," : "", *p);
    return sp_fail(err, SP_USAGE, NULL, "%s takes %s, not '%s'", typed, list, value);
}
