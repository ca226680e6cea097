/* Matrices whose places follow a rule: stencils, bands, arrows, layers of networks. */
#include <math.h>

#include "sparse/generate/family.h"

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

/* Columns of the row at (x, y, z) of a torus, ascending; what meets twice, or itself, on a short
 * side counts once. Returns how many. */
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

static enum sp_status stencil_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
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

/* Neighbours all along a grid line (y, z), away from its ends; how many of them an end loses. */
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

static void stencil_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                            int64_t first, int64_t end, int64_t *length)
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

static void stencil_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
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

const struct sp_generator_way sp_stencil_way = {
    .shape = stencil_shape, .lengths = stencil_lengths, .rows = stencil_rows};

/* Arguments: N, HALF, FILL, SEED. */
enum { BAND_N, HALF, FILL, SEED };

static enum sp_status band_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                 struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    int64_t n = arg[BAND_N].size[0], half = arg[HALF].count;
    if (half >= n && n > 0)
        return sp_fail(err, SP_USAGE, "take HALF below N",
                       "a half-bandwidth of %lld does not fit into %lld rows", (long long)half, (long long)n);
    shape->n_r = shape->n_c = n;
    double outside = (double)half * (2.0 * (double)n - (double)half - 1);
    double fill = arg[FILL].real, mean = outside * fill;
    /* binomial: nine standard deviations, and room for small numbers */
    double bound = fill < 1 ? mean + 9 * sqrt(mean * (1 - fill)) + 40 : outside;
    shape->n_nz = n + (int64_t)(bound < outside ? bound : outside);
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

static int64_t band_begin(int64_t row, int64_t half)
{
    return row > half ? row - half : 0;
}

static int64_t band_end(int64_t row, int64_t half, int64_t n)
{
    return row + half + 1 < n ? row + half + 1 : n;
}

/* The diagonal is always there; the others by a coin of their own. */
static bool occupied(const struct sp_generator_argument *arg, int64_t i, int64_t j)
{
    if (i == j)
        return true;
    struct sp_random coin = {
        sp_random_at((uint64_t)arg[SEED].count + (uint64_t)i * UINT64_C(0x9fb21c651e98df25), (uint64_t)j)};
    return sp_random_unit(&coin) < arg[FILL].real;
}

static void band_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                         int64_t end, int64_t *length)
{
    (void)g;
    int64_t n = arg[BAND_N].size[0], half = arg[HALF].count;
    for (int64_t i = first; i < end; i++) {
        int64_t begin = band_begin(i, half), stop = band_end(i, half, n);
        length[i - first] = stop - begin;
        if (arg[FILL].real < 1) {
            length[i - first] = 0;
            for (int64_t j = begin; j < stop; j++)
                length[i - first] += occupied(arg, i, j);
        }
    }
}

static void band_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                      int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    int64_t n = arg[BAND_N].size[0], half = arg[HALF].count;
    bool full = arg[FILL].real >= 1;
    for (int64_t i = first; i < end; i++) {
        int64_t to = a->row_ptr[i], stop = band_end(i, half, n);
        for (int64_t j = band_begin(i, half); j < stop; j++)
            if (full || occupied(arg, i, j)) {
                a->col[to] = (int32_t)j;
                a->val[to++] = sp_generator_value((uint64_t)arg[SEED].count, i, j);
            }
    }
}

const struct sp_generator_way sp_band_way = {.shape = band_shape, .lengths = band_lengths, .rows = band_rows};

static enum sp_status arrow_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                  struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = arg[0].size[0];
    shape->n_nz = 3 * shape->n_r - 2;
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

static void arrow_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                          int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        length[i - first] = i == 0 ? arg[0].size[0] : 2;
}

static void arrow_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                       int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    for (int64_t i = first; i < end; i++) {
        int64_t to = a->row_ptr[i];
        if (i == 0) {
            for (int64_t j = 0; j < arg[0].size[0]; j++) {
                a->col[to] = (int32_t)j;
                a->val[to++] = j == 0 ? (double)arg[0].size[0] : -1;
            }
            continue;
        }
        a->col[to] = 0;
        a->val[to++] = -1;
        a->col[to] = (int32_t)i;
        a->val[to] = 4;
    }
}

const struct sp_generator_way sp_arrow_way = {
    .shape = arrow_shape, .lengths = arrow_lengths, .rows = arrow_rows};

/* Layers of a RadiX-Net [Kepner and Robinett 2019], as in the Graph Challenge for sparse networks:
 * neuron i of N listens to the neurons i + n s modulo N, n = 0 .. 31, with weights of 1/16. The
 * stride s of a layer is the place value of its digit in numbers of radix 32: 1, 32, 1024, ...
 * below N/32, then N/32, and so on from the start, so that after one round every neuron has heard
 * of every input. */
enum { NEURONS, INDEX };
enum { INPUTS = SP_LAYER_INPUTS };

static int64_t stride_of(int64_t n, int64_t index)
{
    const int64_t last = n / INPUTS;
    int64_t n_strides = 1;
    for (int64_t s = 1; s < last; s *= INPUTS)
        n_strides++;
    int64_t s = 1;
    for (int64_t k = index % n_strides; k > 0; k--)
        s *= INPUTS;
    return s < last ? s : last;
}

static enum sp_status layer_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                  struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = arg[NEURONS].size[0];
    shape->n_nz = INPUTS * shape->n_r;
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

static void layer_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                          int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    (void)arg;
    for (int64_t i = first; i < end; i++)
        length[i - first] = INPUTS;
}

static void layer_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                       int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    const int64_t n = arg[NEURONS].size[0], stride = stride_of(n, arg[INDEX].count);
    for (int64_t i = first; i < end; i++) {
        /* Ascending: those that wrap around come first. */
        const int64_t below = (n - i + stride - 1) / stride, straight = below < INPUTS ? below : INPUTS;
        int64_t to = a->row_ptr[i];
        for (int64_t k = 0; k < INPUTS; k++, to++) {
            const int64_t at = k < INPUTS - straight ? straight + k : k - (INPUTS - straight);
            a->col[to] = (int32_t)((i + at * stride) % n);
            a->val[to] = 1.0 / 16;
        }
    }
}

const struct sp_generator_way sp_layer_way = {
    .shape = layer_shape, .lengths = layer_lengths, .rows = layer_rows};

/* Graphs of which many collections have an instance, every edge a 1. */

static void put(struct sp_csr *a, int64_t row, const int32_t *col, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        a->col[a->row_ptr[row] + k] = col[k];
        a->val[a->row_ptr[row] + k] = 1;
    }
}

/* ---- binary De Bruijn graph: i -> 2 i and 2 i + 1 modulo n, both ways, without loops ---- */

/* The neighbours of i in ascending order; returns how many. */
static int neighbours(int64_t n, int64_t i, int32_t col[4])
{
    const int64_t next[] = {2 * i % n, (2 * i + 1) % n, i / 2, i / 2 + n / 2};
    int n_col = 0;
    for (int k = 0; k < 4; k++) {
        int at = 0;
        while (at < n_col && col[at] < next[k])
            at++;
        if (next[k] == i || (at < n_col && col[at] == next[k]))
            continue;
        for (int j = n_col++; j > at; j--)
            col[j] = col[j - 1];
        col[at] = (int32_t)next[k];
    }
    return n_col;
}

static enum sp_status debruijn_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                     struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    const int64_t n = INT64_C(1) << arg[0].count;
    shape->n_r = shape->n_c = n;
    shape->n_nz = n > 2 ? 4 * n - 6 : 2; /* two loops fall away, and 0101... and 1010... are joined twice */
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

static void debruijn_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                             int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    int32_t col[4];
    for (int64_t i = first; i < end; i++)
        length[i - first] = neighbours(INT64_C(1) << arg[0].count, i, col);
}

static void debruijn_rows(const struct sp_generator *g, const struct sp_generator_argument *arg,
                          int64_t first, int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    int32_t col[4];
    for (int64_t i = first; i < end; i++)
        put(a, i, col, neighbours(INT64_C(1) << arg[0].count, i, col));
}

const struct sp_generator_way sp_debruijn_way = {
    .shape = debruijn_shape, .lengths = debruijn_lengths, .rows = debruijn_rows};

/* ---- Mycielski's construction: M_2 is one edge; M_{k+1} has a copy u of every node v of M_k,
 * joined to the neighbours of v, and one node w joined to all copies: v at 0 ... n-1, u at n ...
 * 2n-1, w at 2n ---- */

static int64_t nodes(int64_t k)
{
    return 3 * (INT64_C(1) << (k - 2)) - 1;
}

static int64_t degree(int64_t k, int64_t i)
{
    int64_t factor = 1, more = 0;
    while (k > 2) {
        const int64_t n = nodes(--k);
        if (i == 2 * n)
            return factor * n + more;
        if (i >= n) {
            more += factor;
            i -= n;
        } else {
            factor *= 2;
        }
    }
    return factor + more;
}

static int64_t neighbours_of(int64_t k, int64_t i, int32_t *col)
{
    if (k == 2) {
        col[0] = (int32_t)(1 - i);
        return 1;
    }
    const int64_t n = nodes(k - 1);
    if (i == 2 * n) {
        for (int64_t j = 0; j < n; j++)
            col[j] = (int32_t)(n + j);
        return n;
    }
    int64_t n_col = neighbours_of(k - 1, i < n ? i : i - n, col);
    if (i >= n) {
        col[n_col] = (int32_t)(2 * n);
        return n_col + 1;
    }
    for (int64_t j = 0; j < n_col; j++)
        col[n_col + j] = (int32_t)(n + col[j]);
    return 2 * n_col;
}

static enum sp_status mycielskian_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                        struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = nodes(arg[0].count);
    shape->n_nz = 2;
    for (int64_t k = 2; k < arg[0].count; k++)
        shape->n_nz = 3 * shape->n_nz + 2 * nodes(k);
    shape->symmetry = SP_SYMMETRIC;
    return SP_OK;
}

static void mycielskian_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg,
                                int64_t first, int64_t end, int64_t *length)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        length[i - first] = degree(arg[0].count, i);
}

static int64_t mycielskian_scratch(const struct sp_generator_argument *arg)
{
    return nodes(arg[0].count); /* no row is longer */
}

static void mycielskian_rows(const struct sp_generator *g, const struct sp_generator_argument *arg,
                             int64_t first, int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    for (int64_t i = first; i < end; i++)
        put(a, i, scratch, neighbours_of(arg[0].count, i, scratch));
}

const struct sp_generator_way sp_mycielskian_way = {.shape = mycielskian_shape,
                                                    .lengths = mycielskian_lengths,
                                                    .rows = mycielskian_rows,
                                                    .scratch_items = mycielskian_scratch};
