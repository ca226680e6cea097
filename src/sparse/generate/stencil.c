#include "sparse/generate/families.h"

const struct sp_stencil sp_stencil_5_point = {
    .dimensions = 2,
    .n_points = 5,
    .offset = {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    .diagonal = 4,
    .neighbour = -1,
};

const struct sp_stencil sp_stencil_7_point = {
    .dimensions = 3,
    .n_points = 7,
    .offset = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .diagonal = 6,
    .neighbour = -1,
};

const struct sp_stencil sp_stencil_anderson = {
    .dimensions = 3,
    .n_points = 7,
    .offset = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    .diagonal = 0,
    .neighbour = -1,
    .disorder = true,
};

const struct sp_stencil sp_stencil_27_point = {
    .dimensions = 3,
    .n_points = 27,
    .offset = {{-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {0, 0, -1},  {1, 0, -1}, {-1, 1, -1},
               {0, 1, -1},   {1, 1, -1},  {-1, -1, 0}, {0, -1, 0},  {1, -1, 0},  {-1, 0, 0}, {0, 0, 0},
               {1, 0, 0},    {-1, 1, 0},  {0, 1, 0},   {1, 1, 0},   {-1, -1, 1}, {0, -1, 1}, {1, -1, 1},
               {-1, 0, 1},   {0, 0, 1},   {1, 0, 1},   {-1, 1, 1},  {0, 1, 1},   {1, 1, 1}},
    .diagonal = 26,
    .neighbour = -1,
};

static int64_t extent(const struct sp_stencil *s, const struct sp_generator_argument *arg, int d)
{
    return d < s->dimensions ? arg[0].size[d] : 1;
}

enum sp_status sp_stencil_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                struct sp_generator_shape *shape, struct sp_error *err)
{
    const struct sp_stencil *s = g->detail;
    double points = (double)extent(s, arg, 0) * (double)extent(s, arg, 1) * (double)extent(s, arg, 2);
    if (points > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, "take a smaller grid",
                       "a grid of %.4g points has more rows than 32-bit indices allow (%lld)", points,
                       (long long)SP_MAX_DIMENSION);
    shape->n_r = shape->n_c = (int64_t)points;
    for (int k = 0; k < s->n_points; k++) {
        int64_t pairs = 1;
        for (int d = 0; d < 3; d++)
            pairs *= extent(s, arg, d) - (s->offset[k][d] != 0);
        shape->n_nz += pairs;
    }
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

/* The neighbours that exist all along a grid line (y, z), away from its two ends, and how many of them an end
 * loses. */
struct line {
    int n;
    int64_t step[SP_STENCIL_POINTS]; /* column minus row, ascending */
    signed char dx[SP_STENCIL_POINTS];
};

static void make_line(const struct sp_stencil *s, const struct sp_generator_argument *arg, int64_t y,
                      int64_t z, struct line *line)
{
    int64_t nx = extent(s, arg, 0), ny = extent(s, arg, 1), nz = extent(s, arg, 2);
    line->n = 0;
    for (int k = 0; k < s->n_points; k++) {
        int dx = s->offset[k][0], dy = s->offset[k][1], dz = s->offset[k][2];
        if (y + dy < 0 || y + dy >= ny || z + dz < 0 || z + dz >= nz)
            continue;
        line->step[line->n] = dx + nx * (dy + ny * dz);
        line->dx[line->n++] = s->offset[k][0];
    }
}

static bool inside(const struct line *line, int k, int64_t x, int64_t nx)
{
    return x + line->dx[k] >= 0 && x + line->dx[k] < nx;
}

void sp_stencil_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                        int64_t end, int64_t *length)
{
    const struct sp_stencil *s = g->detail;
    int64_t nx = extent(s, arg, 0), ny = extent(s, arg, 1);
    struct line line;
    for (int64_t row = first; row < end;) {
        int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
        make_line(s, arg, y, z, &line);
        for (; x < nx && row < end; x++, row++) {
            int64_t n = line.n;
            if (x == 0 || x == nx - 1) {
                n = 0;
                for (int k = 0; k < line.n; k++)
                    n += inside(&line, k, x, nx);
            }
            length[row - first] = n;
        }
    }
}

void sp_stencil_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                     int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)scratch;
    const struct sp_stencil *s = g->detail;
    int64_t nx = extent(s, arg, 0), ny = extent(s, arg, 1);
    struct line line;
    for (int64_t row = first; row < end;) {
        int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
        make_line(s, arg, y, z, &line);
        for (; x < nx && row < end; x++, row++) {
            int64_t to = a->row_ptr[row];
            double diagonal = s->diagonal;
            if (s->disorder) {
                struct sp_random random = {sp_random_at((uint64_t)arg[2].count, (uint64_t)row)};
                diagonal += arg[1].real * (sp_random_unit(&random) - 0.5);
            }
            bool at_end = x == 0 || x == nx - 1;
            for (int k = 0; k < line.n; k++) {
                if (at_end && !inside(&line, k, x, nx))
                    continue;
                a->col[to] = (int32_t)(row + line.step[k]);
                a->val[to++] = line.step[k] ? s->neighbour : diagonal;
            }
        }
    }
}
