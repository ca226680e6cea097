/* Records of a store in forms of others. */
#ifndef SP_CLI_ENTRIES_PRINT_H
#define SP_CLI_ENTRIES_PRINT_H

#include <stdio.h>

#include "track/store/entry.h"

typedef void sp_entries_printer(const struct sp_entry *const *list, int64_t n, FILE *out);

/* A test case a record, with its time; one whose time is unknown is skipped. No verdicts. */
sp_entries_printer sp_entries_junit;
/* A row of a table a record. */
sp_entries_printer sp_entries_markdown;

#endif
