#include "base/option/change.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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

/* Appends a word after a blank, quoted where a shell needs it; false: it does not fit. */
static bool put_word(char *text, size_t size, const char *word)
{
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++)
        plain = plain && (isalnum((unsigned char)*c) || strchr("_./:+,-=@%", *c));
    size_t at = strlen(text);
    const size_t before = at;
    at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " " : "", plain ? word : "'");
    for (const char *c = word; !plain && *c && at < size; c++)
        at += (size_t)snprintf(text + at, size - at, "%s%c", *c == '\'' ? "'\\'" : "", *c);
    if (!plain && at < size)
        at += (size_t)snprintf(text + at, size - at, "'");
    if (at >= size)
        text[before] = '\0';
    return at < size;
}

/* Appends all options but those of `less` (NULL: none). */
static void put_options(char *text, size_t size, const struct sp_change *c, const struct sp_change *less)
{
    for (int k = 0; k < c->n; k++) {
        const struct sp_run_option *o = &sp_run_options[c->option[k]];
        const size_t before = strlen(text);
        if ((!less || find(less, c->option[k]) < 0) && put_word(text, size, o->typed) && o->argument &&
            !put_word(text, size, value_at(c, k)))
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
    put_word(text, size, matrix);
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
