/* Code that a student writes: compiled into a library for `analyze --kernel`. Nothing but `lab run`
 * does it. */
#ifndef SP_CLI_LABS_CODE_H
#define SP_CLI_LABS_CODE_H

#include "lab/lab_folder.h"

/* What became of it; `why` says so in a line for people. */
enum sp_code_end { SP_CODE_BUILT, SP_CODE_WRONG /* does not compile */, SP_CODE_NO_COMPILER };

/* Builds FOLDER/records/RUN.so of the run's "code" and "with"; $CC, else cc; its messages go to
 * log_path. SP_INPUT: the student's file is gone; SP_ABSENT: no process. */
enum sp_status sp_lab_code_build(const struct sp_lab_folder *folder, const json_t *run, const char *log_path,
                                 enum sp_code_end *end, char *why, size_t size, struct sp_error *err);

#endif
