#include "cli/draw_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum sp_status sp_draw_to_stdout(const struct sp_plot_kind *kind, const struct sp_record *const *records,
                                 int n, enum sp_term term, const struct sp_plot_tool *tool,
                                 struct sp_error *err)
{
    const char *base = getenv("TMPDIR");
    char folder[512], path[600], block[65536];
    snprintf(folder, sizeof folder, "%s/spmodel-plot-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return sp_fail(err, SP_OUTPUT, "set TMPDIR to a directory that can be written",
                       "cannot make a temporary directory: %s", strerror(errno));
    snprintf(path, sizeof path, "%s/picture", folder);
    enum sp_status status = sp_plot_write(kind, records, n, term, tool, path, err);
    FILE *in = status == SP_OK ? fopen(path, "r") : NULL;
    for (size_t got; in && (got = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, got, stdout);
    if (in)
        fclose(in);
    unlink(path);
    if (status == SP_ABSENT) { /* the script that was kept goes with the directory */
        strncat(path, ".gp", sizeof path - strlen(path) - 1);
        unlink(path);
        status = sp_fail(err, SP_ABSENT, "install gnuplot, or write the script: --term gp -o FILE.gp",
                         "gnuplot is not installed here");
    }
    rmdir(folder);
    return status;
}
