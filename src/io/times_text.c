#include "io/times_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/files/input_file.h"

enum { MOST_TIMES = 1000000, MOST_B = 64 << 20 };

struct scan {
    const char *at, *from;
    int64_t line;          /* 0: no file */
    enum sp_status status; /* of what is refused */
    int64_t n_units;       /* times that had one */
    int64_t room;
    struct sp_times *times;
};

void sp_times_free(struct sp_times *t)
{
    if (!t)
        return;
    free(t->time_s);
    memset(t, 0, sizeof *t);
}

/* To the next time; false at the end, or where two commas have none between them (*missing). */
static bool skip(struct scan *s, bool *missing)
{
    bool comma = false;
    for (;; s->at++) {
        if (*s->at == ',' || *s->at == ';') {
            *missing = comma;
            comma = true;
            if (*missing)
                return false;
        } else if (*s->at == '\n' && s->line > 0) {
            s->line++;
            comma = false;
        } else if (*s->at == '#' && s->line > 0)
            s->at += strcspn(s->at, "\n") - 1;
        else if (!*s->at || !strchr(" \t\r\n", *s->at))
            return *s->at != '\0';
    }
}

static enum sp_status refuse(const struct scan *s, const char *text, struct sp_error *err)
{
    return sp_fail_at(err, s->status, s->from, s->line, 0,
                      "times look like 1.23ms, 850us or 0.00123, above 0", "'%.40s' is no time", text);
}

/* "ms" or "us" with a Greek letter, in either encoding; the rest as sp_parse_seconds() has it. */
static int in_seconds(const char *number, const char *unit, double *seconds)
{
    char text[64];
    if (strcmp(unit, "\xc2\xb5s") == 0 || strcmp(unit, "\xce\xbcs") == 0)
        unit = "us";
    const bool is_ns = strcmp(unit, "ns") == 0;
    snprintf(text, sizeof text, "%s%s", number, is_ns ? "" : unit);
    if (sp_parse_seconds(text, seconds) != 0)
        return -1;
    *seconds *= is_ns ? 1e-9 : 1;
    return *seconds > 0 ? 0 : -1;
}

static enum sp_status add(struct sp_times *t, int64_t *room, double seconds, struct sp_error *err)
{
    if (t->n == *room) {
        const int64_t more = *room > 0 ? 2 * *room : 64;
        void *p = realloc(t->time_s, (size_t)more * sizeof *t->time_s);
        if (!p)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld times", (long long)more);
        t->time_s = p;
        *room = more;
    }
    t->time_s[t->n++] = seconds;
    return SP_OK;
}

static enum sp_status take_one(struct scan *s, struct sp_error *err)
{
    const char *begin = s->at;
    char number[32] = "", unit[8] = "", whole[48];
    const size_t digits = strspn(begin, "0123456789.+-eE");
    const char *word = begin + digits + strspn(begin + digits, " \t");
    const size_t letters = strcspn(word, " \t\r\n,;#0123456789.+-");
    const size_t length = letters > 0 ? (size_t)(word - begin) + letters : digits;
    double seconds;
    snprintf(whole, sizeof whole, "%.*s", (int)(length > 0 && length < 40 ? length : 40), begin);
    if (digits == 0 || digits >= sizeof number || letters >= sizeof unit)
        return refuse(s, whole, err);
    memcpy(number, begin, digits);
    memcpy(unit, word, letters);
    if (!isdigit((unsigned char)*number) && *number != '.')
        return refuse(s, whole, err);
    if (in_seconds(number, unit, &seconds) != 0)
        return refuse(s, whole, err);
    s->n_units += letters > 0;
    s->at = begin + length;
    if (s->n_units != 0 && s->n_units != s->times->n + 1)
        return sp_fail_at(err, s->status, s->from, s->line, 0,
                          "a comma stands between times, a decimal point within one: 1.23ms",
                          "some times have a unit and some have none, at '%s'", whole);
    if (s->times->n >= MOST_TIMES)
        return sp_fail_at(err, s->status, s->from, s->line, 0, "give some of them", "more than %d times",
                          MOST_TIMES);
    return add(s->times, &s->room, seconds, err);
}

static enum sp_status take_all(struct scan *s, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    bool missing = false;
    memset(s->times, 0, sizeof *s->times);
    while (status == SP_OK && skip(s, &missing))
        status = take_one(s, err);
    if (status == SP_OK && missing)
        status = sp_fail_at(err, s->status, s->from, s->line, 0, "take one of them away",
                            "no time stands between two commas, after %lld times", (long long)s->times->n);
    if (status == SP_OK && s->times->n == 0)
        status = sp_fail_at(err, s->status, s->from, 0, 0, "give the time of a product, such as 1.23ms",
                            "there is no time in it");
    if (status != SP_OK)
        sp_times_free(s->times);
    return status;
}

enum sp_status sp_times_of_text(const char *text, const char *from, struct sp_times *times,
                                struct sp_error *err)
{
    struct scan s = {.at = text, .from = from, .status = SP_USAGE, .times = times};
    return take_all(&s, err);
}

enum sp_status sp_times_read(const char *path, struct sp_times *times, struct sp_error *err)
{
    char *bytes = NULL;
    size_t size;
    memset(times, 0, sizeof *times);
    enum sp_status status = sp_input_bytes(path, MOST_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    if (memchr(bytes, '\0', size)) {
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "give a file of numbers with units", "it is no text");
    } else {
        struct scan s = {.at = bytes, .from = path, .line = 1, .status = SP_INPUT, .times = times};
        status = take_all(&s, err);
    }
    free(bytes);
    return status;
}
