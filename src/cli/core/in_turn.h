/* Two commands run in turn: A B B A A B ..., so that a machine that drifts slows both. */
#ifndef SP_CLI_IN_TURN_H
#define SP_CLI_IN_TURN_H

#include <stdbool.h>

#include "base/status.h"

enum { SP_MOST_ROUNDS = 100 };

struct sp_in_turn {
    int n; /* rounds */
    double time_s[2][SP_MOST_ROUNDS], median_s[2];
    bool of_record; /* times are those of the records that the commands wrote to standard output */
};

/* Runs each command `rounds` times by /bin/sh, after one run of each that does not count. Standard error of
 * the commands is shown with verbosity > 0. SP_INPUT: a command failed, or writes several records,
 * of which no one time can be compared, or only one of the two writes records; SP_INTERRUPTED. */
enum sp_status sp_run_in_turn(const char *a, const char *b, int rounds, int verbosity, struct sp_in_turn *out,
                              struct sp_error *err);

#endif
