#include "sparse/generate/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "sparse/csr/csr.h"
#include "sparse/csr/permute.h"
#include "sparse/generate/family.h"

enum { MAX_MODIFIERS = 8, MAX_SPEC = 256 };

struct request {
    const struct sp_generator *generator;
    struct sp_generator_argument arg[SP_GENERATOR_PARAMETERS];
    struct sp_generator_shape shape;
    int n_modifiers;
    struct {
        const struct modifier *modifier;
        int64_t window;
        uint64_t seed;
    } modify[MAX_MODIFIERS];
};

/* A modifier is a permutation of n rows, and of columns where the matrix is square. */
struct modifier {
    struct sp_generator_info info;
    bool takes_window, takes_seed; /* in this order, the window always */
    enum sp_status (*permutation)(int64_t n, int64_t window, uint64_t seed, int32_t *perm,
                                  struct sp_error *err);
};

static enum sp_status permuted(int64_t n, int64_t window, uint64_t seed, int32_t *perm, struct sp_error *err)
{
    (void)window;
    return sp_permutation_random(n, seed, perm, err);
}

/* Fisher and Yates within each window. */
static enum sp_status shuffled(int64_t n, int64_t window, uint64_t seed, int32_t *perm, struct sp_error *err)
{
    (void)err;
    window = window > n && n > 0 ? n : window; /* wider ones would step beyond int64_t */
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < n; first += window) {
        int64_t size = n - first < window ? n - first : window;
        for (int64_t i = 0; i < size; i++)
            perm[first + i] = (int32_t)(first + i);
        for (int64_t i = size - 1; i > 0; i--) {
            int64_t k = (int64_t)(sp_random_at(seed, (uint64_t)(first + i)) % (uint64_t)(i + 1));
            int32_t kept = perm[first + i];
            perm[first + i] = perm[first + k];
            perm[first + k] = kept;
        }
    }
    return SP_OK;
}

static enum sp_status reversed(int64_t n, int64_t window, uint64_t seed, int32_t *perm, struct sp_error *err)
{
    (void)window;
    (void)seed;
    (void)err;
    for (int64_t i = 0; i < n; i++)
        perm[i] = (int32_t)(n - 1 - i);
    return SP_OK;
}

static const struct modifier modifiers[] = {
    {{"permuted", "+permuted[:SEED]",
      "rows and columns in one random order (rows only where the matrix is not square)", "+permuted:7"},
     false,
     true,
     permuted},
    {{"shuffled", "+shuffled:WINDOW[:SEED]",
      "rows and columns in random order within windows of WINDOW: locality between natural and random",
      "+shuffled:1000:7"},
     true,
     true,
     shuffled},
    {{"reversed", "+reversed", "rows and columns from last to first", "+reversed"}, false, false, reversed},
};
enum { N_MODIFIERS = sizeof modifiers / sizeof *modifiers };

bool sp_generator_get(int i, struct sp_generator_info *info)
{
    const struct sp_generator *g = &sp_generator_table[i];
    *info = (struct sp_generator_info){g->name, g->form, g->summary, g->example};
    return g->name != NULL;
}

bool sp_generator_modifier_get(int i, struct sp_generator_info *info)
{
    memset(info, 0, sizeof *info);
    if (i < 0 || i >= N_MODIFIERS)
        return false;
    *info = modifiers[i].info;
    return true;
}

static enum sp_status bad_parameter(const struct sp_generator *g, const struct sp_generator_parameter *p,
                                    const char *text, struct sp_error *err)
{
    char remedy[256];
    snprintf(remedy, sizeof remedy, "write gen:%s, for example gen:%s", g->form, g->example);
    if (p->kind == SP_PARAMETER_REAL)
        return sp_fail(err, SP_USAGE, remedy, "%s: %s is a number from %g to %g, not '%s'", g->name, p->name,
                       p->min, p->max, text);
    return sp_fail(err, SP_USAGE, remedy, "%s: %s is a whole number from %.0f to %.0f%s, not '%s'", g->name,
                   p->name, p->min, p->max,
                   p->kind == SP_PARAMETER_SIZE && p->dimensions > 1 ? " (or several joined by x)" : "",
                   text);
}

static enum sp_status parse_size(const struct sp_generator *g, const struct sp_generator_parameter *p,
                                 const char *text, struct sp_generator_argument *arg, struct sp_error *err)
{
    char copy[MAX_SPEC];
    snprintf(copy, sizeof copy, "%s", text);
    int n = 0;
    for (char *part = copy; part; n++) {
        char *x = strchr(part, 'x');
        if (x)
            *x++ = '\0';
        int64_t value;
        if (n >= p->dimensions || sp_parse_count(part, &value) || (double)value < p->min ||
            (double)value > p->max)
            return bad_parameter(g, p, text, err);
        arg->size[n] = value;
        part = x;
    }
    if (n > 1 && n < p->dimensions)
        return bad_parameter(g, p, text, err);
    for (; n < 3; n++)
        arg->size[n] = arg->size[0];
    return SP_OK;
}

static enum sp_status parse_parameter(const struct sp_generator *g, const struct sp_generator_parameter *p,
                                      const char *text, struct sp_generator_argument *arg,
                                      struct sp_error *err)
{
    switch (p->kind) {
    case SP_PARAMETER_SIZE:
        return parse_size(g, p, text, arg, err);
    case SP_PARAMETER_COUNT:
        if (sp_parse_count(text, &arg->count) || (double)arg->count < p->min || (double)arg->count > p->max)
            return bad_parameter(g, p, text, err);
        return SP_OK;
    case SP_PARAMETER_REAL:
        if (sp_parse_number(text, &arg->real) || arg->real < p->min || arg->real > p->max)
            return bad_parameter(g, p, text, err);
        return SP_OK;
    default:
        return sp_fail(err, SP_USAGE, NULL, "%s takes no further parameter, but '%s' follows", g->name, text);
    }
}

/* text: "KIND:P1:P2", changed on the way. */
static enum sp_status parse_kind(char *text, struct request *request, struct sp_error *err)
{
    char *rest = strchr(text, ':');
    if (rest)
        *rest++ = '\0';
    const struct sp_generator *g = sp_generator_table;
    while (g->name && strcmp(g->name, text) != 0)
        g++;
    if (!g->name) {
        char kinds[256] = "";
        for (g = sp_generator_table; g->name; g++) {
            size_t used = strlen(kinds);
            snprintf(kinds + used, sizeof kinds - used, "%s%s", used ? ", " : "", g->name);
        }
        return sp_fail(err, SP_USAGE, "`spmodel generate` lists the kinds with their parameters",
                       "no generator '%s'; there are %s", text, kinds);
    }
    request->generator = g;
    for (int k = 0; k < SP_GENERATOR_PARAMETERS && (rest || g->parameter[k].kind); k++) {
        const struct sp_generator_parameter *p = &g->parameter[k];
        struct sp_generator_argument *arg = &request->arg[k];
        if (!rest) {
            if (p->required)
                return bad_parameter(g, p, "", err);
            arg->count = (int64_t)p->fallback;
            arg->real = p->fallback;
            continue;
        }
        char *next = strchr(rest, ':');
        if (next)
            *next++ = '\0';
        enum sp_status status = parse_parameter(g, p, rest, arg, err);
        if (status != SP_OK)
            return status;
        rest = next;
    }
    if (rest)
        return sp_fail(err, SP_USAGE, g->form, "%s has too many parameters", g->name);
    return SP_OK;
}

static enum sp_status parse_modifier(char *text, struct request *request, struct sp_error *err)
{
    char *argument = strchr(text, ':');
    if (argument)
        *argument++ = '\0';
    if (request->n_modifiers == MAX_MODIFIERS)
        return sp_fail(err, SP_USAGE, NULL, "more than %d modifiers", MAX_MODIFIERS);
    for (int m = 0; m < N_MODIFIERS; m++) {
        if (strcmp(modifiers[m].info.name, text) != 0)
            continue;
        int64_t seed = 1, window = 1;
        bool good = !argument || modifiers[m].takes_seed;
        if (good && modifiers[m].takes_window) {
            char *next = argument ? strchr(argument, ':') : NULL;
            if (next)
                *next++ = '\0';
            good = argument && !sp_parse_count(argument, &window) && window > 0;
            argument = good ? next : argument;
        }
        if (!good || (argument && (sp_parse_count(argument, &seed) || seed < 0)))
            return sp_fail(err, SP_USAGE, NULL, "the modifier is written %s, not '+%s%s%s'",
                           modifiers[m].info.form, text, argument ? ":" : "", argument ? argument : "");
        request->modify[request->n_modifiers].modifier = &modifiers[m];
        request->modify[request->n_modifiers].window = window;
        request->modify[request->n_modifiers++].seed = (uint64_t)seed;
        return SP_OK;
    }
    return sp_fail(err, SP_USAGE, "use +permuted[:SEED], +shuffled:WINDOW[:SEED] or +reversed",
                   "no modifier '+%s'", text);
}

static enum sp_status check_shape(const struct request *request, struct sp_error *err)
{
    const struct sp_generator_shape *shape = &request->shape;
    if (shape->n_r > SP_MAX_DIMENSION || shape->n_c > SP_MAX_DIMENSION)
        return sp_fail(err, SP_USAGE, "take smaller parameters",
                       "%lld x %lld is more than the %lld rows and columns that 32-bit indices allow",
                       (long long)shape->n_r, (long long)shape->n_c, (long long)SP_MAX_DIMENSION);
    return SP_OK;
}

/* "suitesparse:NAME" or "suitesparse:GROUP/NAME" becomes what the name stands for; `text` has room
 * for MAX_SPEC. */
static enum sp_status resolve_alias(char *text, struct sp_error *err)
{
    static const char collection[] = "suitesparse";
    const size_t length = sizeof collection - 1;
    if (strncmp(text, collection, length) != 0 || (text[length] && text[length] != ':'))
        return SP_OK;
    const char *all = text + length + (text[length] == ':'), *slash = strchr(all, '/');
    const char *name = slash ? slash + 1 : all;
    const size_t group = slash ? (size_t)(slash - all) : 0;
    char known[1024] = "";
    for (const struct sp_generator_alias *a = sp_generator_aliases; a->name; a++) {
        const bool is_group = !slash || (strlen(a->group) == group && strncmp(a->group, all, group) == 0);
        if (strcmp(a->name, name) == 0 && is_group) {
            strcpy(text, a->spec);
            return SP_OK;
        }
        if (strcmp(a->name, name) == 0)
            return sp_fail(err, SP_USAGE, "take the matrix's file", "'%s' is of the group %s, not of '%.*s'",
                           name, a->group, (int)group, all);
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", a->name);
    }
    return sp_fail(err, SP_USAGE, "take the matrix's file",
                   "no recipe rebuilds '%s' of the collection; there are %s", all, known);
}

/* Errors found inside name their part; the whole specification is put in front of them here. */
static enum sp_status parse_spec(const char *spec, struct request *request, struct sp_error *err)
{
    struct sp_error inner = {0};
    memset(request, 0, sizeof *request);
    char text[MAX_SPEC];
    if (strlen(spec) >= sizeof text)
        return sp_fail(err, SP_USAGE, NULL, "gen: specification of more than %d characters", MAX_SPEC - 1);
    strcpy(text, spec);
    char *rest = strchr(text, '+');
    if (rest)
        *rest++ = '\0';
    enum sp_status status = resolve_alias(text, &inner);
    if (status == SP_OK)
        status = parse_kind(text, request, &inner);
    if (status == SP_OK)
        status = request->generator->way->shape(request->generator, request->arg, &request->shape, &inner);
    if (status == SP_OK)
        status = check_shape(request, &inner);
    while (status == SP_OK && rest) {
        char *next = strchr(rest, '+');
        if (next)
            *next++ = '\0';
        status = parse_modifier(rest, request, &inner);
        rest = next;
    }
    if (status != SP_OK)
        return sp_fail(err, status, inner.remedy, "gen:%s: %s", spec, inner.what);
    return SP_OK;
}

enum sp_status sp_generate_estimate(const char *spec, int64_t *n_r, int64_t *n_c, int64_t *n_nz,
                                    struct sp_error *err)
{
    struct request request;
    *n_r = *n_c = *n_nz = 0;
    enum sp_status status = parse_spec(spec, &request, err);
    if (status != SP_OK)
        return status;
    *n_r = request.shape.n_r;
    *n_c = request.shape.n_c;
    *n_nz = request.shape.n_nz;
    return SP_OK;
}

bool sp_generate_is_symmetric(const char *spec)
{
    struct request request;
    return parse_spec(spec, &request, NULL) == SP_OK && request.shape.symmetry != SP_GENERAL;
}

enum sp_status sp_generate_bytes(const char *spec, double *bytes, struct sp_error *err)
{
    struct request request;
    *bytes = 0;
    enum sp_status status = parse_spec(spec, &request, err);
    if (status != SP_OK)
        return status;
    const struct sp_generator_shape *shape = &request.shape;
    double matrix = sp_csr_bytes(shape->n_r, shape->n_nz, SP_FIELD_REAL);
    double extra = shape->work_bytes;
    double while_permuting = matrix + 4.0 * (double)(shape->n_r + shape->n_c);
    if (request.n_modifiers > 0 && while_permuting > extra)
        extra = while_permuting;
    *bytes = matrix + extra;
    return SP_OK;
}

static enum sp_status make_rows(const struct request *request, const struct sp_allocator *allocator,
                                struct sp_csr *a, struct sp_error *err)
{
    enum { BLOCK = 2048 };
    const struct sp_generator *g = request->generator;
    const struct sp_generator_shape *shape = &request->shape;
    int64_t scratch_items = g->way->scratch_items ? g->way->scratch_items(request->arg) : 0;
    int64_t n_blocks = (shape->n_r + BLOCK - 1) / BLOCK;
    bool no_memory = false;
    enum sp_status status = sp_csr_take_rows(shape->n_r, shape->n_c, SP_FIELD_REAL, allocator, a, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < n_blocks; block++) {
        int64_t end = (block + 1) * BLOCK < shape->n_r ? (block + 1) * BLOCK : shape->n_r;
        g->way->lengths(g, request->arg, block * BLOCK, end, a->row_ptr + block * BLOCK + 1);
    }
    status = sp_csr_take_entries(a, err);
    if (status != SP_OK)
        return status;
#pragma omp parallel
    {
        int32_t *scratch = malloc((size_t)(scratch_items + 1) * sizeof *scratch);
        if (!scratch) {
#pragma omp atomic write
            no_memory = true;
        }
#pragma omp for schedule(dynamic, 8)
        for (int64_t block = 0; block < n_blocks; block++) {
            int64_t end = (block + 1) * BLOCK < shape->n_r ? (block + 1) * BLOCK : shape->n_r;
            if (scratch)
                g->way->rows(g, request->arg, block * BLOCK, end, scratch, a);
        }
        free(scratch);
    }
    if (no_memory) {
        sp_csr_free(a);
        return sp_fail(err, SP_MEMORY, "free memory, or take a smaller matrix", "no memory for row buffers");
    }
    return SP_OK;
}

static enum sp_status apply_modifier(const struct modifier *modifier, int64_t window, uint64_t seed,
                                     struct sp_csr *a, struct sp_error *err)
{
    struct sp_csr b;
    void *p;
    enum sp_status status = sp_large_alloc(NULL, a->n_r, sizeof(int32_t), "a permutation", &p, err);
    int32_t *perm = p;
    if (status == SP_OK)
        status = modifier->permutation(a->n_r, window, seed, perm, err);
    if (status == SP_OK)
        status = sp_csr_permute(a, perm, a->n_r == a->n_c ? perm : NULL, a->allocator, &b, err);
    sp_large_free(NULL, perm, a->n_r, sizeof(int32_t));
    sp_csr_free(a);
    if (status == SP_OK)
        *a = b;
    return status;
}

enum sp_status sp_generate(const char *spec, const struct sp_allocator *allocator, struct sp_csr *matrix,
                           struct sp_error *err)
{
    struct request request;
    memset(matrix, 0, sizeof *matrix);
    enum sp_status status = parse_spec(spec, &request, err);
    if (status != SP_OK)
        return status;
    const struct sp_generator *g = request.generator;
    status = g->way->make ? g->way->make(g, request.arg, &request.shape, allocator, matrix, err)
                          : make_rows(&request, allocator, matrix, err);
    if (status != SP_OK)
        return status;
    matrix->symmetry = request.shape.symmetry;
    for (int m = 0; m < request.n_modifiers && status == SP_OK; m++)
        status = apply_modifier(request.modify[m].modifier, request.modify[m].window, request.modify[m].seed,
                                matrix, err);
    return status;
}
