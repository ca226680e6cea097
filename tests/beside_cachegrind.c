#include "beside_cachegrind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/volume/traffic.h"
#include "plain_layout.h"
#include "sparse/formats/format_ids.h"

static bool write_matrix(const struct sp_csr *a, const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    int64_t head[3] = {a->n_r, a->n_c, a->n_nz};
    fwrite(head, sizeof *head, 3, f);
    for (int64_t i = 0; i <= a->n_r; i++) {
        int32_t p = (int32_t)a->row_ptr[i];
        fwrite(&p, sizeof p, 1, f);
    }
    fwrite(a->col, sizeof *a->col, (size_t)a->n_nz, f);
    return fclose(f) == 0;
}

/* Last-level data misses in spmv(), read and write, from cachegrind's output file; -1: not there. The line
 * of events names the columns, those of a function follow its fn= line. */
static double misses_in_spmv(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    char line[4096];
    int read_column = -1, write_column = -1;
    bool inside = false;
    double sum = -1;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "events:", 7) == 0) {
            int i = 0;
            for (char *w = strtok(line + 7, " \n"); w; w = strtok(NULL, " \n"), i++) {
                if (strcmp(w, "DLmr") == 0)
                    read_column = i;
                if (strcmp(w, "DLmw") == 0)
                    write_column = i;
            }
        } else if (strncmp(line, "fn=", 3) == 0) {
            inside = strcmp(line, "fn=spmv\n") == 0;
        } else if (inside && line[0] >= '0' && line[0] <= '9') {
            int i = -1; /* the first number is the source line */
            sum = sum < 0 ? 0 : sum;
            for (char *w = strtok(line, " \n"); w; w = strtok(NULL, " \n"), i++)
                if (i == read_column || i == write_column)
                    sum += atof(w);
        }
    }
    fclose(f);
    return sum;
}

/* -1: it failed. */
static double simulated_lines(const struct sp_csr *a, int64_t llc_B, enum sp_sim_state state)
{
    struct sp_layout l;
    struct sp_error err = {0};
    if (plain_layout(a, SP_FORMAT_CRS, 1, 1, &l, &err) != SP_OK)
        return -1;
    struct sp_machine m = {.n_caches = 2};
    for (int k = 0; k < 2; k++)
        m.cache[k] = (struct sp_cache){.level = k + 1,
                                       .size_B = k ? llc_B : 4096,
                                       .effective_B = sp_value_none("given"),
                                       .line_B = 64,
                                       .ways = k ? 16 : 8,
                                       .cores_sharing = 1};
    struct sp_sim_options o = sp_sim_default(&m);
    o.state = state;
    struct sp_traffic v[SP_MAX_LEVELS];
    int n;
    const bool done = sp_sim_traffic(&l, &o, v, &n, NULL, &err) == SP_OK;
    sp_layout_free(&l);
    return done ? v[1].read_B.value / 64 : -1;
}

bool cachegrind_is_there(void)
{
    return system("valgrind --version > /dev/null 2>&1") == 0;
}

bool beside_cachegrind(const struct sp_csr *a, const char *program, struct beside_cachegrind *r)
{
    static int turn;
    char data[64], out[64];
    const double footprint = 12.0 * (double)a->n_nz + 12.0 * (double)a->n_r + 8.0 * (double)a->n_c;
    r->llc_B = 16 << 10; /* a power of two near a quarter of the footprint */
    while ((double)r->llc_B * 6 < footprint)
        r->llc_B *= 2;
    snprintf(data, sizeof data, "cachegrind_%d_%d.bin", (int)getpid(), turn);
    snprintf(out, sizeof out, "cachegrind_%d_%d.out", (int)getpid(), turn++);
    snprintf(r->what, sizeof r->what,
             "valgrind --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=4096,8,64 --LL=%lld,16,64 "
             "--cachegrind-out-file=%s %s %s %lld > /dev/null 2>&1",
             (long long)r->llc_B, out, program, data, (long long)r->llc_B * 4);
    const bool ran = write_matrix(a, data) && system(r->what) == 0;
    r->theirs = ran ? misses_in_spmv(out) : -1;
    unlink(data);
    unlink(out);
    const double cold = simulated_lines(a, r->llc_B, SP_SIM_COLD),
                 warm = simulated_lines(a, r->llc_B, SP_SIM_WARM);
    r->ours = cold + warm;
    return r->theirs >= 0 && cold >= 0 && warm >= 0;
}
