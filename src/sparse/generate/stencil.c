#include "sparse/generate/families.h"

const struct sp_stencil sp_stencil_5_point = {
    .dimensions = 2,
    .n_points = 5,
    .offset = {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    .diagonal = 4,
    .neighbour = -1,
};

const struct sp_stencil sp_stencil_9_point = {
    .dimensions = 2,
    .n_points = 9,
    .offset = {{-1, -1, 0},
               {0, -1, 0},
               {1, -1, 0},
               {-1, 0, 0},
               {0, 0, 0},
               {1, 0, 0},
               {-1, 1, 0},
               {0, 1, 0},
               {1, 1, 0}},
    .diagonal = 8,
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

static bool is_periodic(const struct sp_stencil *s, const struct sp_generator_argument *arg)
{
    return s->disorder && arg[3].count == 1;
}

/* Columns of the row at (x, y, z) of a torus, ascending; what meets twice, or itself, on a short side counts
 * once. Returns how many. */
static int wrapped(const struct sp_stencil *s, const struct sp_generator_argument *arg, int64_t row,
                   int64_t col[SP_STENCIL_POINTS])
{
    const int64_t n[3] = {extent(s, arg, 0), extent(s, arg, 1), extent(s, arg, 2)};
    const int64_t at[3] = {row % n[0], row / n[0] % n[1], row / n[0] / n[1]};
    int n_col = 0;
    for (int k = 0; k < s->n_points; k++) {
        int64_t p[3];
        for (int d = 0; d < 3; d++)
            p[d] = (at[d] + s->offset[k][d] + n[d]) % n[d];
        const int64_t next = p[0] + n[0] * (p[1] + n[1] * p[2]);
        int to = n_col;
        while (to > 0 && col[to - 1] > next)
            to--;
        if (to > 0 && col[to - 1] == next)
            continue;
        for (int j = n_col++; j > to; j--)
            col[j] = col[j - 1];
        col[to] = next;
    }
    return n_col;
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
    shape->symmetry = SP_SYMMETRIC;
    if (is_periodic(s, arg)) {
        int64_t col[SP_STENCIL_POINTS];
        shape->n_nz = shape->n_r * wrapped(s, arg, 0, col);
        return SP_OK;
    }
    for (int k = 0; k < s->n_points; k++) {
        int64_t pairs = 1;
        for (int d = 0; d < 3; d++)
            pairs *= extent(s, arg, d) - (s->offset[k][d] != 0);
        shape->n_nz += pairs;
    }
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
    int64_t nx = extent(s, arg, 0), ny = extent(s, arg, 1), col[SP_STENCIL_POINTS];
    struct line line;
    if (is_periodic(s, arg)) { /* every row alike */
        for (int64_t row = first; row < end; row++)
            length[row - first] = wrapped(s, arg, row, col);
        return;
    }
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

static double diagonal_of(const struct sp_stencil *s, const struct sp_generator_argument *arg, int64_t row)
{
    if (!s->disorder)
        return s->diagonal;
    struct sp_random random = {sp_random_at((uint64_t)arg[2].count, (uint64_t)row)};
    return s->diagonal + arg[1].real * (sp_random_unit(&random) - 0.5);
}

static void wrapped_rows(const struct sp_stencil *s, const struct sp_generator_argument *arg, int64_t first,
                         int64_t end, struct sp_csr *a)
{
    int64_t col[SP_STENCIL_POINTS];
    for (int64_t row = first; row < end; row++) {
        const int n = wrapped(s, arg, row, col);
        for (int k = 0; k < n; k++) {
            a->col[a->row_ptr[row] + k] = (int32_t)col[k];
            a->val[a->row_ptr[row] + k] = col[k] == row ? diagonal_of(s, arg, row) : s->neighbour;
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
    if (is_periodic(s, arg)) {
        wrapped_rows(s, arg, first, end, a);
        return;
    }
    for (int64_t row = first; row < end;) {
        int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
        make_line(s, arg, y, z, &line);
        for (; x < nx && row < end; x++, row++) {
            int64_t to = a->row_ptr[row];
            const double diagonal = diagonal_of(s, arg, row);
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
