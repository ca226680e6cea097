/* What was seen of a program, for people. */
#ifndef SP_CLI_ATTACH_TABLE_H
#define SP_CLI_ATTACH_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "io/attach/capture.h"

/* One product of the capture as it is shown. */
struct sp_attach_line {
    const struct sp_captured_product *product;
    char matrix[16]; /* "A1" */
    double share;    /* of the program's time; NAN: not known */
    double least_B;  /* sp_attach_least_B() */
    const char *why; /* why it is not judged; NULL: it is */
};

/* How the run went. */
struct sp_attach_end {
    const char *typed;  /* the program as it was asked for; NULL: nothing was run */
    char how[128];      /* "exit code 3"; "": well */
    char obstacle[160]; /* what kept the library out, as far as the file tells; "": nothing is known */
    int n_running;      /* processes that had not ended when the program did */
    char running[32];   /* the name of one of them */
};

/* Who was looked at, and what part of its time it multiplied. */
void sp_attach_print_program(const struct sp_capture *capture, const struct sp_attach_end *end, FILE *out);
/* A line each of line[n], the most important first; of more than a dozen, unless `whole`, words. */
void sp_attach_print_table(const struct sp_capture *capture, const struct sp_attach_line *line, int64_t n,
                           bool whole, FILE *out);
/* What cannot be seen, and what to do; without any product, what may have been the reason. */
void sp_attach_print_unseen(const struct sp_capture *capture, const struct sp_attach_end *end, FILE *out);
/* Without any product: the program, how it ended, what was lost. New reference. */
json_t *sp_attach_nothing(const struct sp_capture *capture, const struct sp_attach_end *end);

/* What it prints as attach.unseen of records, a sentence an item; NULL: no memory. New
 * reference. */
json_t *sp_attach_unseen(const struct sp_capture *capture, const struct sp_attach_end *end);

/* The lines as attach.seen of records. New reference. */
json_t *sp_attach_seen(const struct sp_capture *capture, const struct sp_attach_line *line, int64_t n);

/* Who sent how much to whom, for people. */

/* A table for each phase; `whole`: all pairs, not those alone that carry most. */
void sp_message_counts_print(const struct sp_message_counts *messages, bool whole, FILE *out);

#endif
