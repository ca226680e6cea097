#include "cli/core/draw_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/print.h"

enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_term term, const struct sp_plot_tool *tool,
                                 struct sp_error *err)
{
    char *bytes;
    size_t size;
    const enum sp_status status = sp_plot_picture(kind, records, n, term, tool, &bytes, &size, err);
    if (term != SP_TERM_TXT)
        sp_guard_as_data(stdout);
    if (status == SP_OK)
        fwrite(bytes, 1, size, stdout);
    free(bytes);
    return status;
}
