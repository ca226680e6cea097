#include <math.h>
#include <stdlib.h>

#include "base/print.h"
#include "cli/matrix/info.h"

/* A character is about twice as high as wide. */
static int rows_of_picture(const struct sp_csr *a, int columns)
{
    double rows = 0.5 * columns * (double)a->n_r / (double)a->n_c;
    return rows < 1 ? 1 : rows > 2 * columns ? 2 * columns : (int)lround(rows);
}

enum sp_status sp_spy_text(const struct sp_csr *a, int columns, bool utf8, FILE *out, struct sp_error *err)
{
    static const char *const shades[2][6] = {{" ", ".", ":", "+", "*", "#"}, {" ", "·", "░", "▒", "▓", "█"}};
    if (a->n_nz == 0) {
        fputs("no entries to draw\n", out);
        return SP_OK;
    }
    if (columns > a->n_c)
        columns = (int)a->n_c;
    int rows = rows_of_picture(a, columns);
    if (rows > a->n_r)
        rows = (int)a->n_r;
    void *p;
    enum sp_status status = sp_new_array((int64_t)rows * columns, sizeof(int64_t), "a spy plot", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *count = p;
    /* each line of the picture has its own rows of the matrix, so threads never meet */
#pragma omp parallel for schedule(dynamic, 1)
    for (int line = 0; line < rows; line++)
        for (int64_t i = a->n_r * line / rows; i < a->n_r * (line + 1) / rows; i++)
            for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
                count[(int64_t)line * columns + (int64_t)a->col[k] * columns / a->n_c]++;
    double cell = (double)a->n_r / rows * ((double)a->n_c / columns), most = 0, least = INFINITY;
    for (int64_t c = 0; c < (int64_t)rows * columns; c++) {
        most = (double)count[c] > most ? (double)count[c] : most;
        least = count[c] > 0 && (double)count[c] < least ? (double)count[c] : least;
    }
    for (int line = 0; line < rows; line++) {
        fputs(utf8 ? "│" : "|", out);
        for (int c = 0; c < columns; c++) {
            double n = (double)count[(int64_t)line * columns + c];
            /* logarithmic between the emptiest and the fullest cell that hold anything */
            int shade = n == 0          ? 0
                        : most == least ? 5
                                        : 1 + (int)(4.999 * log(n / least) / log(most / least));
            fputs(shades[utf8][shade], out);
        }
        fputs(utf8 ? "│\n" : "|\n", out);
    }
    sp_print(out, "one character: %.4g x %.4g places; %s %.2g %% to %s %.2g %% of them hold an entry\n",
             (double)a->n_r / rows, (double)a->n_c / columns, shades[utf8][1], 100 * least / cell,
             shades[utf8][5], 100 * most / cell);
    free(count);
    return SP_OK;
}
