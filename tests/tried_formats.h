/* The formats that tests try are those of the table (base/option/formats.inc): one more is tried by
 * all of them, with no line here. */
#ifndef SP_TESTS_TRIED_FORMATS_H
#define SP_TESTS_TRIED_FORMATS_H

#include <stdbool.h>
#include <string.h>

#include "sparse/formats/format.h"

enum { MOST_TRIED_FORMATS = 64 };

/* Does `typed`, such as "sell:4,16", name this format? */
static inline bool is_of_format(const char *typed, const struct sp_format_kind *kind)
{
    const size_t n = strcspn(typed, ":");
    return strlen(kind->name) == n && strncmp(kind->name, typed, n) == 0;
}

/* The formats that `op` takes, as they are typed, with numbers for small matrices: into
 * list[MOST_TRIED_FORMATS]; returns how many. SP_N_OPS: of any operation. What has no numbers here
 * is typed by its name. */
static inline int tried_formats(enum sp_op op, const char **list)
{
    static const char *const numbers[] = {"sell:4,16", "sell:8,1", "sell:32,64", "sellu:4,1",   "sellu:8,8",
                                          "bcsr:2x2",  "bcsr:4x8", "striped:64", "staged:16,8", "tiled:8,4"};
    int n = 0;
    for (int i = 0; i < sp_n_formats; i++) {
        const struct sp_format_kind *kind = sp_format_kinds[i];
        const int before = n;
        if (op != SP_N_OPS && !(kind->ops & 1u << op))
            continue;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers && n < MOST_TRIED_FORMATS; k++)
            if (is_of_format(numbers[k], kind))
                list[n++] = numbers[k];
        if (n == before && n < MOST_TRIED_FORMATS)
            list[n++] = kind->name;
    }
    return n;
}

/* Calls `add` for each operation and format of the table that `has` says are not in a test's own
 * list. */
static inline void add_formats(bool (*has)(enum sp_op op, const struct sp_format_kind *kind),
                               void (*add)(enum sp_op op, const struct sp_format_kind *kind,
                                           const char *typed))
{
    for (int op = 0; op < SP_N_OPS; op++) {
        const char *list[MOST_TRIED_FORMATS];
        const int n = tried_formats((enum sp_op)op, list);
        for (int i = 0; i < sp_n_formats; i++)
            for (int k = 0; k < n; k++)
                if (is_of_format(list[k], sp_format_kinds[i]) && !has((enum sp_op)op, sp_format_kinds[i]))
                    add((enum sp_op)op, sp_format_kinds[i], list[k]);
    }
}

#endif
