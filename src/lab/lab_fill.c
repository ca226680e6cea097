/* Texts with the numbers of a student put in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "lab/lab.h"

static void put_number(FILE *out, double x, bool for_people)
{
    char text[48];
    if (floor(x) == x && fabs(x) < 9e15)
        fputs(for_people ? sp_text_count(text, sizeof text, (int64_t)x)
                         : (snprintf(text, sizeof text, "%lld", (long long)x), text),
              out);
    else
        sp_print(out, "%.4g", x);
}

/* One {formula} at `at`, of which `length` characters are the formula. */
static enum sp_status put_formula(const struct sp_lab_case *c, const char *at, size_t length, bool for_people,
                                  FILE *out, struct sp_error *err)
{
    char formula[400];
    double x;
    if (length >= sizeof formula)
        return sp_fail(err, SP_INPUT, NULL, "a formula in lab %s is too long", c->lab->id);
    memcpy(formula, at, length);
    formula[length] = '\0';
    enum sp_status status = sp_lab_case_number(c, formula, &x, err);
    if (status == SP_OK)
        put_number(out, x, for_people);
    return status;
}

/* In Markdown's code, which is to be typed: a line that begins with four blanks, or between backquotes. */
static bool is_code(const char *text, const char *at)
{
    const char *line = at;
    int n = 0;
    while (line > text && line[-1] != '\n')
        line--;
    for (const char *p = line; p < at; p++)
        n += *p == '`';
    return n % 2 == 1 || strncmp(line, "    ", 4) == 0;
}

static enum sp_status fill(const struct sp_lab_case *c, const char *text, bool double_braces, FILE *out,
                           struct sp_error *err)
{
    const char *const open = double_braces ? "{{" : "{", *const close = double_braces ? "}}" : "}";
    enum sp_status status = SP_OK;
    for (const char *at = text; status == SP_OK && *at;) {
        const char *begin = strstr(at, open), *end = begin ? strstr(begin, close) : NULL;
        if (!end) {
            fputs(at, out);
            break;
        }
        fwrite(at, 1, (size_t)(begin - at), out);
        const bool for_people = double_braces && !is_code(text, begin);
        begin += strlen(open);
        status = put_formula(c, begin, (size_t)(end - begin), for_people, out, err);
        at = end + strlen(close);
    }
    return status;
}

enum sp_status sp_lab_fill(const struct sp_lab_case *c, const char *text, bool double_braces, char **out,
                           struct sp_error *err)
{
    size_t size;
    *out = NULL;
    FILE *f = open_memstream(out, &size);
    if (!f)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for a text");
    enum sp_status status = fill(c, text, double_braces, f, err);
    if (fclose(f) != 0 && status == SP_OK)
        status = sp_fail(err, SP_MEMORY, "free memory", "no memory for a text");
    if (status != SP_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}
