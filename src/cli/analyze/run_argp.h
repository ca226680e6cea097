/* Rows of base/option/run_options.inc as options of argp: define the macros of the wanted ones as
 * SP_ARGP_ROW. */
#ifndef SP_CLI_RUN_ARGP_H
#define SP_CLI_RUN_ARGP_H

#include <argp.h>

#include "base/option/run_option.h"
#include "cli/core/options.h"

/* Keys of options that have no letter. */
enum { SP_KEY_OPTION = SP_KEY_PRIVATE + 0x100 };
#define SP_KEY_OF(id) (SP_KEY_OPTION + SP_OPTION_##id)

#define SP_ARGP_ROW(id, key, arg, w, p, o, t, b, ...) SP_ARGP(id, key, arg, __VA_ARGS__)

#define SP_ARGP(id, key, arg, group, help) {&SP_O_##id[2], key ? key : SP_KEY_OF(id), arg, 0, help, group},

/* The option of a key, one with a letter included; SP_N_OPTIONS: none. */
enum sp_option sp_option_of_key(int key);

/* Place of the word among `words`, separated by blanks; a usage error names them. */
int sp_pick(struct argp_state *state, const char *option, const char *arg, const char *words);
/* Among those of the option's row. */
static inline int sp_pick_of(struct argp_state *state, enum sp_option option, const char *arg)
{
    return sp_pick(state, sp_option_name(option), arg, sp_run_options[option].words);
}

#endif
