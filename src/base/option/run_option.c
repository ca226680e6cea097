#include "base/option/run_option.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

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

static const char *value_at(const struct sp_change *c, int k)
{
    const char *value = c->values;
    while (k-- > 0)
        value += strlen(value) + 1;
    return value;
}

static int find(const struct sp_change *c, enum sp_option option)
{
    for (int k = 0; k < c->n; k++)
        if (c->option[k] == option)
            return k;
    return -1;
}

static void take_out(struct sp_change *c, int k)
{
    char *at = (char *)value_at(c, k);
    const char *next = at + strlen(at) + 1;
    memmove(at, next, (size_t)(value_at(c, c->n) - next));
    memmove(c->option + k, c->option + k + 1, (size_t)(c->n - k - 1));
    c->n--;
}

bool sp_change_add(struct sp_change *c, enum sp_option option, const char *value)
{
    struct sp_change with = *c;
    const int there = find(c, option);
    if (there >= 0)
        take_out(&with, there);
    char *end = (char *)value_at(&with, with.n);
    const size_t left = sizeof with.values - (size_t)(end - with.values);
    if (strlen(value) >= left)
        return false;
    strcpy(end, value);
    with.option[with.n++] = (unsigned char)option;
    *c = with;
    return true;
}

bool sp_change_add_number(struct sp_change *c, enum sp_option option, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    return sp_change_add(c, option, text);
}

bool sp_change_add_all(struct sp_change *c, const struct sp_change *more)
{
    struct sp_change with = *c;
    for (int k = 0; k < more->n; k++)
        if (!sp_change_add(&with, more->option[k], value_at(more, k)))
            return false;
    *c = with;
    return true;
}

struct sp_change sp_change_of(enum sp_option option, const char *value)
{
    struct sp_change c = {0};
    sp_change_add(&c, option, value);
    return c;
}

const char *sp_change_value(const struct sp_change *c, enum sp_option option)
{
    const int k = find(c, option);
    return k < 0 ? NULL : value_at(c, k);
}

bool sp_change_shares(const struct sp_change *a, const struct sp_change *b)
{
    for (int k = 0; k < b->n; k++)
        if (find(a, b->option[k]) >= 0)
            return true;
    return false;
}

bool sp_change_is_same(const struct sp_change *a, const struct sp_change *b)
{
    return a->n == b->n && memcmp(a->option, b->option, (size_t)a->n) == 0 &&
           memcmp(a->values, b->values, (size_t)(value_at(a, a->n) - a->values)) == 0;
}

/* Appends all options but those of `less` (NULL: none). */
static void put_options(char *text, size_t size, const struct sp_change *c, const struct sp_change *less)
{
    for (int k = 0; k < c->n; k++) {
        const struct sp_run_option *o = &sp_run_options[c->option[k]];
        const size_t before = strlen(text);
        if ((!less || find(less, c->option[k]) < 0) && sp_add_shell_word(text, size, o->typed) &&
            o->argument && !sp_add_shell_word(text, size, value_at(c, k)))
            text[before] = '\0';
    }
}

char *sp_change_as_typed(const struct sp_change *c, char *text, size_t size)
{
    text[0] = '\0';
    put_options(text, size, c, NULL);
    return text;
}

char *sp_change_command(const char *matrix, const struct sp_change *options, const struct sp_change *change,
                        char *text, size_t size)
{
    snprintf(text, size, "spmodel analyze");
    sp_add_shell_word(text, size, matrix);
    put_options(text, size, options, change);
    put_options(text, size, change, NULL);
    return text;
}

bool sp_change_parse(const char *text, struct sp_change *c)
{
    char words[SP_CHANGE_VALUES + 200], *rest = words;
    struct sp_change found = {0};
    *c = found;
    if (snprintf(words, sizeof words, "%s", text) >= (int)sizeof words)
        return false;
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        const enum sp_option option = strncmp(word, "--", 2) == 0 ? sp_option_find(word + 2) : SP_N_OPTIONS;
        const bool is_flag = option < SP_N_OPTIONS && !sp_run_options[option].argument;
        const char *value = is_flag ? "" : strtok_r(rest, " ", &rest);
        if (option == SP_N_OPTIONS || !value || !sp_change_add(&found, option, value))
            return false;
    }
    *c = found;
    return true;
}

struct sp_change sp_change_without_kernel(const struct sp_change *change)
{
    struct sp_change left = {0};
    const char *value = change->values;
    for (int i = 0; i < change->n; i++, value += strlen(value) + 1)
        if (change->option[i] != SP_OPTION_KERNEL && change->option[i] != SP_OPTION_SIGNATURE)
            sp_change_add(&left, (enum sp_option)change->option[i], value);
    return left;
}
