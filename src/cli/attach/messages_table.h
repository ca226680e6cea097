/* Who sent how much to whom, for people. */
#ifndef SP_CLI_MESSAGES_TABLE_H
#define SP_CLI_MESSAGES_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "io/attach/messages.h"

/* A table for each phase; `whole`: all pairs, not those alone that carry most. */
void sp_message_counts_print(const struct sp_message_counts *messages, bool whole, FILE *out);

#endif
