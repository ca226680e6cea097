#include "cli/draw_text.h"

#include <stdio.h>

#include "io/scratch_folder.h"

enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_term term, const struct sp_plot_tool *tool,
                                 struct sp_error *err)
{
    char folder[512], path[600], block[65536];
    const enum sp_status made = sp_scratch_folder("plot", folder, sizeof folder, err);
    if (made != SP_OK)
        return made;
    snprintf(path, sizeof path, "%s/picture", folder);
    enum sp_status status = sp_plot_write(kind, records, n, term, tool, path, err);
    FILE *in = status == SP_OK ? fopen(path, "r") : NULL;
    for (size_t got; in && (got = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, got, stdout);
    if (in)
        fclose(in);
    if (status == SP_ABSENT)
        status = sp_fail(err, SP_ABSENT, "install gnuplot, or write the script: --term gp -o FILE.gp",
                         "gnuplot is not installed here");
    sp_folder_remove(folder); /* with the script that was kept, too */
    return status;
}
