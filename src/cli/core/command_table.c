#include "cli/core/command.h"

#include <stddef.h>

extern const struct sp_command sp_cmd_analyze;
extern const struct sp_command sp_cmd_info;
extern const struct sp_command sp_cmd_model;
extern const struct sp_command sp_cmd_sweep;
extern const struct sp_command sp_cmd_import;
extern const struct sp_command sp_cmd_machine;
extern const struct sp_command sp_cmd_track;
extern const struct sp_command sp_cmd_campaign;
extern const struct sp_command sp_cmd_lab;
extern const struct sp_command sp_cmd_plot;
extern const struct sp_command sp_cmd_doctor;
extern const struct sp_command sp_cmd_generate;
extern const struct sp_command sp_cmd_compare;
extern const struct sp_command sp_cmd_convert;
extern const struct sp_command sp_cmd_reorder;
extern const struct sp_command sp_cmd_explain;
extern const struct sp_command sp_cmd_help;
extern const struct sp_command sp_cmd_completion;

/* One row a line. */
/* clang-format off */
const struct sp_command *const sp_command_table[] = {
    &sp_cmd_analyze,
    &sp_cmd_info,
    &sp_cmd_model,
    &sp_cmd_sweep,
    &sp_cmd_import,
    &sp_cmd_machine,
    &sp_cmd_compare,
    &sp_cmd_track,
    &sp_cmd_campaign,
    &sp_cmd_lab,
    &sp_cmd_plot,
    &sp_cmd_doctor,
    &sp_cmd_generate,
    &sp_cmd_convert,
    &sp_cmd_reorder,
    &sp_cmd_explain,
    &sp_cmd_help,
    &sp_cmd_completion,
    NULL,
};
/* clang-format on */
