/* Options as they are typed, for texts that name them: "take " SP_O_FORMAT " crs". Below cli no
 * other text spells one (tests/check_layers.sh), and a misspelt name does not compile;
 * tests/test_options.c looks each up in the commands. What options of a run are,
 * base/option/run_options.inc says. */
#ifndef SP_BASE_OPTION_WORDS_H
#define SP_BASE_OPTION_WORDS_H

#include "base/option/run_options.inc" /* those of a run */

/* of other commands, and of all */
#define SP_O_ALPHA          "--alpha"
#define SP_O_BETA           "--beta"
#define SP_O_CONFIRM        "--confirm"
#define SP_O_CSV            "--csv"
#define SP_O_DATE           "--date"
#define SP_O_DIR            "--dir"
#define SP_O_EXECUTIONS     "--executions"
#define SP_O_EXHAUSTIVE     "--exhaustive"
#define SP_O_FEATURES       "--features"
#define SP_O_FORMATS        "--formats"
#define SP_O_FROM           "--from"
#define SP_O_HELP           "--help"
#define SP_O_JSON           "--json"
#define SP_O_LIKE           "--like"
#define SP_O_MAP            "--map"
#define SP_O_MEMORY         "--memory"
#define SP_O_NCU            "--ncu"
#define SP_O_NETWORK        "--network"
#define SP_O_ONLY           "--only"
#define SP_O_PERF           "--perf"
#define SP_O_QUICK          "--quick"
#define SP_O_RANKS_PER_NODE "--ranks-per-node"
#define SP_O_REGION         "--region"
#define SP_O_RENEW          "--renew"
#define SP_O_REPOSITORY     "--repository"
#define SP_O_SHARE          "--share"
#define SP_O_SIZES          "--sizes"
#define SP_O_SMALL          "--small"
#define SP_O_STUDENT        "--student"
#define SP_O_TERM           "--term"
#define SP_O_TIME           "--time"
#define SP_O_UNPREDICTED    "--unpredicted"
#define SP_O_USAGE          "--usage"
#define SP_O_VERSION        "--version"

#endif
