/* Caliper: the table that runtime-report prints, and the JSON records of cali-query. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/json_text.h"
#include "track/exchange/exchange.h"

enum { MOST_COLUMNS = 16, MOST_DEPTH = 64 };

bool sp_is_caliper(const char *text, size_t size)
{
    const char *begin = text + strspn(text, " \t\r\n");
    if (*begin == '[')
        return memmem(text, size, "\"path\"", 6) && memmem(text, size, "time.duration", 13);
    return strncmp(begin, "Path", 4) == 0 && (begin[4] == ' ' || begin[4] == '\t');
}

/* --- The table ------------------------------------------------------------------------------- */

/* Heads of columns, longest first, since each is made of words. */
static const char *const heads[] = {"Min time/rank", "Max time/rank", "Avg time/rank", "Time % (I)",
                                    "Time % (E)",    "Time (I)",      "Time (E)",      "Total time",
                                    "Time %",        "Calls/rank",    "Visits"};
/* The time of a region, the best first. */
static const char *const times[] = {"Avg time/rank", "Time (I)", "Time (E)", "Total time"};

struct layout {
    const char *column[MOST_COLUMNS];
    int n, time; /* columns behind the path; the one that counts */
};

static enum sp_status read_heads(const struct sp_outside_reading *r, const char *at, const char *end,
                                 int64_t line, struct layout *l, struct sp_error *err)
{
    memset(l, 0, sizeof *l);
    l->time = -1;
    for (at += 4; at < end;) {
        size_t found = 0;
        at += strspn(at, " \t\r");
        if (at >= end)
            break;
        for (size_t i = 0; i < sizeof heads / sizeof *heads && found == 0; i++)
            if (strncmp(at, heads[i], strlen(heads[i])) == 0 && l->n < MOST_COLUMNS) {
                l->column[l->n++] = heads[i];
                found = strlen(heads[i]);
            }
        if (found == 0)
            return sp_fail_at(err, SP_INPUT, r->path, line, (int)(at - end) < 0 ? 0 : 0,
                              "runtime-report without further columns, or cali-query -q '... format json'",
                              "'%.*s' is no column of runtime-report",
                              (int)strcspn(at, "\r\n") > 40 ? 40 : (int)strcspn(at, "\r\n"), at);
        at += found;
    }
    for (size_t i = 0; i < sizeof times / sizeof *times && l->time < 0; i++)
        for (int c = 0; c < l->n; c++)
            if (strcmp(l->column[c], times[i]) == 0)
                l->time = c;
    return l->time >= 0
               ? SP_OK
               : sp_fail_at(err, SP_INPUT, r->path, line, 0, NULL, "the table has no column of times");
}

/* The values at the end of a line; what is before them is the region's name. -1: too few. */
static int split(const char *begin, const char *end, int n, double *value)
{
    for (int c = n - 1; c >= 0; c--) {
        char word[32];
        while (end > begin && strchr(" \t\r", end[-1]))
            end--;
        const char *from = end;
        while (from > begin && !strchr(" \t", from[-1]))
            from--;
        if (from == begin || (size_t)(end - from) >= sizeof word)
            return -1;
        snprintf(word, sizeof word, "%.*s", (int)(end - from), from);
        if (sp_parse_number(word, &value[c]))
            return -1;
        end = from;
    }
    while (end > begin && strchr(" \t", end[-1]))
        end--;
    return (int)(end - begin);
}

static enum sp_status read_report(const struct sp_outside_reading *r, const char *begin, struct sp_error *err)
{
    const char *at = begin, *name[MOST_DEPTH];
    int length[MOST_DEPTH];
    int64_t line = sp_outside_line(r, begin);
    struct layout l;
    enum sp_status status = SP_OK;
    for (bool first = true; *at && status == SP_OK; line++) {
        const char *end = strchr(at, '\n') ? strchr(at, '\n') : at + strlen(at);
        const int indent = (int)strspn(at, " ");
        double value[MOST_COLUMNS];
        if (first)
            status = read_heads(r, at, end, line, &l, err);
        else if (at + indent < end && at[indent] != '\r') {
            const int depth = indent / 2;
            const int n = split(at + indent, end, l.n, value);
            char path[1024] = "";
            if (depth >= MOST_DEPTH)
                return sp_fail_at(err, SP_INPUT, r->path, line, 0, NULL, "regions are nested deeper than %d",
                                  MOST_DEPTH);
            name[depth] = at + indent;
            length[depth] = n >= 0 ? n : (int)strcspn(at + indent, "\r\n");
            for (int d = 0; d <= depth; d++) {
                const size_t used = strlen(path);
                snprintf(path + used, sizeof path - used, "%s%.*s", d > 0 ? "/" : "", length[d], name[d]);
            }
            const struct sp_outside_text text = {.name = path};
            if (n < 0)
                sp_outside_leave_out(r, path, "it has no times");
            else if (value[l.time] == 0)
                sp_outside_leave_out(r, path, "its time is 0");
            else
                status = sp_outside_add(r, line, &text, SP_TRACKED_TIME, value[l.time], SP_MEASURED, err);
            for (int d = depth + 1; d < MOST_DEPTH; d++) {
                name[d] = "?";
                length[d] = 1;
            }
        }
        first = false;
        at = *end ? end + 1 : end;
    }
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static const char *any_text(const json_t *one, const char *const *keys)
{
    for (int i = 0; keys[i]; i++)
        if (json_string_value(json_object_get(one, keys[i])))
            return json_string_value(json_object_get(one, keys[i]));
    return NULL;
}

static enum sp_status read_region(const struct sp_outside_reading *r, const json_t *one, size_t at,
                                  struct sp_error *err)
{
    static const char *const commits[] = {"commit", "git_commit", NULL},
                             *const dates[] = {"date", "launchdate", NULL},
                             *const machines[] = {"machine", "cluster", "host", "hostname", NULL};
    const char *path = json_string_value(json_object_get(one, "path")), *key;
    const json_t *value;
    double x = 0;
    char launched[32] = "";
    if (!path) /* what ran outside of every region */
        return SP_OK;
    json_object_foreach((json_t *)one, key, value) if (strstr(key, "time.duration") && x == 0)
    {
        if (json_is_number(value))
            x = json_number_value(value);
        else if (!json_is_string(value) || sp_parse_number(json_string_value(value), &x))
            return sp_fail_at(err, SP_INPUT, r->path, 0, 0, NULL, "record %zu: '%.60s' is no number", at + 1,
                              key);
    }
    if (json_is_integer(json_object_get(one, "launchdate")))
        snprintf(launched, sizeof launched, "%lld",
                 (long long)json_integer_value(json_object_get(one, "launchdate")));
    if (x == 0)
        return sp_outside_leave_out(r, path, "it has no time"), SP_OK;
    const struct sp_outside_text text = {.name = path,
                                         .machine = any_text(one, machines),
                                         .commit = any_text(one, commits),
                                         .date = *launched ? launched : any_text(one, dates)};
    return sp_outside_add(r, 0, &text, SP_TRACKED_TIME, x, SP_MEASURED, err);
}

enum sp_status sp_read_caliper(const struct sp_outside_reading *r, struct sp_error *err)
{
    const char *begin = r->text + strspn(r->text, " \t\r\n");
    json_error_t fault;
    enum sp_status status = SP_OK;
    if (*begin != '[')
        return strncmp(begin, "Path", 4) == 0
                   ? read_report(r, begin, err)
                   : sp_fail_at(err, SP_INPUT, r->path, sp_outside_line(r, begin), 0,
                                "CALI_CONFIG=runtime-report,output=FILE writes it",
                                "no table that begins with 'Path', and no list of JSON records");
    json_t *root = sp_json_parse(r->text, r->size, JSON_REJECT_DUPLICATES, &fault);
    if (!root)
        return sp_fail_at(err, SP_INPUT, r->path, fault.line, fault.column, NULL, "no JSON: %s", fault.text);
    for (size_t i = 0; i < json_array_size(root) && status == SP_OK; i++)
        status = read_region(r, json_array_get(root, i), i, err);
    json_decref(root);
    return status;
}
