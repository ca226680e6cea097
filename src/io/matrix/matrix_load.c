#include "io/matrix/matrix_load.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "io/files/archive.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/matrix/load_options.h"
#include "io/matrix/matrix_cache.h"
#include "io/matrix/matrix_formats.h"
#include "io/matrix/matrix_market.h"
#include "io/matrix/mtx_scan.h"
#include "sparse/csr/csr.h"
#include "sparse/generate/generate.h"
#include "sparse/reorder/metis.h"
#include "sys/machine/pages.h"

void sp_matrix_display_name(const char *name, char *text, size_t size)
{
    static const char *const endings[] = {".gz", ".xz", ".zst", ".bz2", ".spm", ".tar", ".tgz"};
    if (strncmp(name, "gen:", 4) == 0) {
        snprintf(text, size, "%s", name);
        return;
    }
    const char *slash = strrchr(name, '/');
    snprintf(text, size, "%s", strcmp(name, "-") == 0 ? "stdin" : slash ? slash + 1 : name);
    for (bool cut = true; cut;) {
        cut = false;
        size_t n = strlen(text);
        for (size_t i = 0; i < sizeof endings / sizeof *endings && !cut; i++) {
            size_t length = strlen(endings[i]);
            cut = n > length && strcasecmp(text + n - length, endings[i]) == 0;
            if (cut)
                text[n - length] = '\0';
        }
        cut = cut || sp_matrix_format_cut(text);
    }
}

/* One loading; the public function fills it in and each source of matrices works on it. */
struct loading {
    const char *name;
    struct sp_load_options options;
    struct sp_csr *matrix;
    struct sp_load_facts *facts;
    struct sp_error *err;
    char cache[1024]; /* path of the cache to use and to write, "": none */
    struct sp_cache_source source;
};

static enum sp_status load_generated(struct loading *l)
{
    const char *spec = l->name + strlen("gen:");
    double bytes;
    struct sp_load_size size = {.field = SP_FIELD_REAL};
    enum sp_status status = sp_generate_bytes(spec, &bytes, l->err);
    if (status == SP_OK)
        status = sp_generate_estimate(spec, &size.n_r, &size.n_c, &size.n_nz, l->err);
    size.symmetric = status == SP_OK && sp_generate_is_symmetric(spec);
    if (status == SP_OK)
        status = sp_load_check_memory(l->name, &l->options, &size, bytes, "the generated matrix", l->err);
    double start = sp_now();
    if (status == SP_OK)
        status = sp_generate(spec, l->options.allocator, l->matrix, l->err);
    if (status != SP_OK)
        return status;
    l->facts->parse_s = sp_now() - start;
    l->facts->n_entries = l->matrix->n_nz;
    l->facts->n_zeros = l->matrix->n_zeros;
    l->facts->peak_B = bytes;
    snprintf(l->facts->format, sizeof l->facts->format, "generated");
    return SP_OK;
}

/* "gen:like:FILE[:SCALE[:SEED]]" */
static enum sp_status load_twin(struct loading *l)
{
    char original[1024];
    int64_t scale, seed;
    struct sp_load_size size = {.field = SP_FIELD_REAL};
    struct sp_load_options of_original = l->options;
    double bytes;
    if (!sp_twin_parse(l->name + strlen("gen:"), original, sizeof original, &scale, &seed))
        return sp_fail(l->err, SP_USAGE, "for example gen:like:A.mtx:8",
                       "%s: a twin is gen:like:FILE[:SCALE[:SEED]]", l->name);
    double start = sp_now();
    struct sp_twin *twin;
    of_original.use = SP_LOAD_ALONE;
    enum sp_status status = sp_twin_load(original, &of_original, &twin, l->err);
    if (status == SP_OK)
        status = sp_twin_estimate(twin, scale, l->options.n_threads, &size.n_r, &size.n_c, &size.n_nz, &bytes,
                                  l->err);
    if (status == SP_OK)
        status = sp_load_check_memory(l->name, &l->options, &size, bytes, "the twin", l->err);
    if (status == SP_OK)
        status = sp_twin_make(twin, scale, (uint64_t)seed, l->options.n_threads, l->options.allocator,
                              l->matrix, l->err);
    free(twin);
    if (status != SP_OK)
        return status;
    l->facts->parse_s = sp_now() - start;
    l->facts->n_entries = l->matrix->n_nz;
    l->facts->peak_B = bytes;
    snprintf(l->facts->format, sizeof l->facts->format, "generated");
    return SP_OK;
}

/* All of a stream, as far as memory may be taken; *bytes is the caller's on failure, too. */
static enum sp_status take_all(const struct loading *l, struct sp_archive *archive, char **bytes, int64_t *n,
                               struct sp_error *err)
{
    const struct sp_load_size none = {0};
    int64_t room = 0, got = 1;
    enum sp_status status = SP_OK;
    *bytes = NULL;
    *n = 0;
    while (status == SP_OK && got > 0) {
        if (*n == room) {
            room = room ? room + room / 2 : 1 << 20;
            status =
                sp_load_check_memory(l->name, &l->options, &none, (double)room, "what the file holds", err);
            char *wider = status == SP_OK ? realloc(*bytes, (size_t)room) : NULL;
            if (status == SP_OK && !wider)
                status = sp_fail(err, SP_MEMORY, "free memory, or unpack the file first",
                                 "no memory for the %lld bytes that the file holds", (long long)room);
            *bytes = wider ? wider : *bytes;
        }
        if (status == SP_OK)
            status = sp_archive_read(archive, *bytes + *n, room - *n, &got, err);
        *n += status == SP_OK ? got : 0;
        if (status == SP_OK && l->options.interrupted && l->options.interrupted(l->options.context))
            status = sp_fail(err, SP_INTERRUPTED, NULL, "reading %s was interrupted", l->name);
    }
    return status;
}

/* A format that is read from the whole content. */
static enum sp_status load_unpacked(struct loading *l, const char *shown, struct sp_archive *archive,
                                    const struct sp_matrix_format *format)
{
    char *bytes;
    int64_t n;
    struct sp_load_options left = l->options;
    enum sp_status status = take_all(l, archive, &bytes, &n, l->err);
    if (left.memory_limit_B > 0)
        left.memory_limit_B = left.memory_limit_B > (double)n + 1 ? left.memory_limit_B - (double)n : 1;
    if (status == SP_OK)
        status = format->read(shown, bytes, n, &left, l->matrix, l->facts, l->err);
    l->facts->peak_B += (double)n;
    free(bytes);
    return status;
}

static enum sp_status load_stream(struct loading *l, const char *kind)
{
    struct sp_archive *archive;
    enum sp_status status = sp_archive_open(l->name, &archive, l->err);
    if (status != SP_OK)
        return status;
    char shown[1024];
    const char *member = sp_archive_member(archive), *head;
    int64_t n_head;
    snprintf(shown, sizeof shown, "%s%s%s%s", l->name, *member ? "(" : "", member, *member ? ")" : "");
    status = sp_archive_look(archive, &head, &n_head, l->err);
    const struct sp_matrix_format *format = status == SP_OK ? sp_matrix_format_of(head, n_head) : NULL;
    if (format && format->is)
        status = load_unpacked(l, shown, archive, format);
    else if (format)
        status = sp_mtx_read_stream(shown, archive, &l->options, l->matrix, l->facts, l->err);
    sp_archive_close(archive);
    if (status == SP_OK && kind) {
        size_t n = strlen(l->facts->format);
        snprintf(l->facts->format + n, sizeof l->facts->format - n, ", %s", kind);
    }
    return status;
}

/* source NULL: the user named the binary file itself. SP_NO: stale. */
static enum sp_status load_cache(struct loading *l, const char *path, const struct sp_cache_source *source,
                                 struct sp_error *err)
{
    double start = sp_now();
    enum sp_status status =
        sp_cache_read(path, source, &l->options, l->matrix, l->facts->sha256, &l->facts->n_entries, err);
    if (status != SP_OK)
        return status;
    l->facts->digest_s = sp_now() - start;
    l->facts->cache_used = true;
    l->facts->peak_B = sp_csr_bytes(l->matrix->n_r, l->matrix->n_nz, l->matrix->field);
    l->facts->n_zeros = l->matrix->n_zeros;
    l->facts->n_duplicates = l->matrix->n_duplicates;
    snprintf(l->facts->cache_path, sizeof l->facts->cache_path, "%s", path);
    snprintf(l->facts->format, sizeof l->facts->format, "binary cache");
    return SP_OK;
}

/* The cache of a text file, where one is wanted; a bad one is a remark, because the text is still
 * there. */
static bool use_cache(struct loading *l, const char *path, const struct sp_cache_source *source)
{
    struct sp_error err;
    enum sp_status status = load_cache(l, path, source, &err);
    struct stat facts;
    if (status == SP_INPUT && stat(path, &facts) == 0)
        snprintf(l->facts->remark, sizeof l->facts->remark,
                 "the cache %s was not used and is made anew: %.200s", path, err.what);
    return status == SP_OK;
}

static void write_cache(struct loading *l, const char *path, const struct sp_cache_source *source)
{
    struct sp_error err;
    double start = sp_now();
    if (l->options.cache == SP_CACHE_DIRECTORY)
        mkdir(l->options.cache_dir, 0777); /* what matters shows when the file is opened */
    if (sp_cache_write(path, l->matrix, l->facts->sha256, l->facts->n_entries, source, &err) == SP_OK) {
        l->facts->cache_written = true;
        snprintf(l->facts->cache_path, sizeof l->facts->cache_path, "%s", path);
    } else {
        snprintf(l->facts->remark, sizeof l->facts->remark, "no cache was written: %.400s", err.what);
    }
    l->facts->cache_s = sp_now() - start;
}

static enum sp_status digest(struct loading *l)
{
    double start = sp_now();
    enum sp_status status = sp_csr_digest(l->matrix, l->options.n_threads, l->facts->sha256, l->err);
    l->facts->digest_s = sp_now() - start;
    if (status != SP_OK)
        sp_csr_free(l->matrix);
    return status;
}

static void find_cache(struct loading *l, const struct sp_mapped_file *file)
{
    const bool beside = l->options.cache == SP_CACHE_BESIDE;
    l->source = sp_cache_source_of(file->text, file->n, file->mtime_ns);
    if (!beside && (l->options.cache != SP_CACHE_DIRECTORY || !l->options.cache_dir))
        return;
    if (sp_cache_path(l->name, beside ? NULL : l->options.cache_dir, l->cache, sizeof l->cache, NULL) !=
        SP_OK)
        l->cache[0] = '\0';
}

/* The format that the name says, where the content (without a banner of Matrix Market's) says
 * nothing: its reader tells what is wrong. NULL: the content is something else that is known, and
 * the error says what. */
static const struct sp_matrix_format *by_name(const struct loading *l, const struct sp_mapped_file *file,
                                              const struct sp_matrix_format *format)
{
    const struct sp_matrix_format *named = sp_matrix_format_named(l->name);
    if (!named || !named->is || file->n == 0 || file->text[0] == '%')
        return format;
    return sp_mtx_name_foreign(l->name, file->text, file->n, l->err) == SP_OK ? named : NULL;
}

/* A regular file: a binary one, text, or something to unpack. */
static enum sp_status read_mapped(struct loading *l, const struct sp_mapped_file *file)
{
    l->facts->file_B = (double)file->n;
    if (sp_cache_is(file->text, file->n))
        return load_cache(l, l->name, NULL, l->err);
    const struct sp_matrix_format *format = sp_matrix_format_of(file->text, file->n);
    const char *kind = format->is ? NULL : sp_archive_kind(file->text, file->n);
    if (kind || format->slow)
        find_cache(l, file);
    if (l->cache[0] && use_cache(l, l->cache, &l->source))
        return SP_OK;
    if (kind)
        return load_stream(l, kind);
    if (!format->is)
        format = by_name(l, file, format);
    return format ? format->read(l->name, file->text, file->n, &l->options, l->matrix, l->facts, l->err)
                  : SP_INPUT;
}

static enum sp_status load_file(struct loading *l)
{
    struct sp_mapped_file file;
    double start = sp_now();
    enum sp_status status = sp_map_file(l->name, &file, l->err);
    if (status != SP_OK)
        return status;
    l->facts->open_s = sp_now() - start;
    status = file.regular ? read_mapped(l, &file) : load_stream(l, NULL);
    status = sp_unmap_file(&file, l->name, status, l->err);
    if (status != SP_OK)
        sp_csr_free(l->matrix); /* of a file that changed */
    else if (!l->facts->cache_used)
        status = digest(l);
    if (status == SP_OK && !l->facts->cache_used && l->cache[0])
        write_cache(l, l->cache, &l->source);
    return status;
}

/* A stream that was closed is open for writing only (cli/core/process.h). */
static bool is_readable(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

static enum sp_status load(struct loading *l)
{
    if (strcmp(l->name, "gen:like") == 0 || strncmp(l->name, "gen:like:", strlen("gen:like:")) == 0)
        return load_twin(l);
    if (strncmp(l->name, "gen:", 4) == 0)
        return load_generated(l);
    if (strcmp(l->name, "-") == 0 && !is_readable(STDIN_FILENO))
        return sp_fail_at(l->err, SP_INPUT, "-", 0, 0, "give a matrix to standard input, or name a file",
                          "standard input is closed");
    if (strcmp(l->name, "-") == 0)
        return load_stream(l, NULL);
    return load_file(l);
}

/* The digest is that of the matrix without them. */
static enum sp_status drop_zeros(struct loading *l)
{
    enum sp_status status = sp_csr_drop_zeros(l->matrix, &l->facts->n_dropped, l->err);
    if (status != SP_OK)
        sp_csr_free(l->matrix);
    if (l->facts->n_dropped > 0)
        l->facts->sha256[0] = '\0';
    return status;
}

enum sp_status sp_matrix_load(const char *name, const struct sp_load_options *options, struct sp_csr *matrix,
                              struct sp_load_facts *facts, struct sp_error *err)
{
    struct sp_load_facts ignored;
    struct loading l = {.name = name, .matrix = matrix, .facts = facts ? facts : &ignored, .err = err};
    if (options)
        l.options = *options;
    if (l.options.n_threads < 1)
        l.options.n_threads = 1;
    struct sp_meminfo memory;
    if (l.options.memory_limit_B <= 0 && sp_meminfo_read("", &memory, NULL) == SP_OK)
        l.options.memory_limit_B = (double)memory.available_B;
    memset(matrix, 0, sizeof *matrix);
    memset(l.facts, 0, sizeof *l.facts);
    double start = sp_now();
    enum sp_status status = load(&l);
    if (status == SP_OK && l.options.drop_zeros)
        status = drop_zeros(&l);
    if (status == SP_OK && !l.facts->sha256[0])
        status = digest(&l);
    if (status != SP_OK) {
        memset(l.facts, 0, sizeof *l.facts);
        return status;
    }
    sp_matrix_display_name(name, l.facts->name, sizeof l.facts->name);
    l.facts->total_s = sp_now() - start;
    return SP_OK;
}

static const char schema[] = "spmodel.twin/1";

/* The tables of struct sp_twin, all of int64_t. */
static const struct table {
    const char *name;
    size_t offset, size;
} tables[] = {
    {"row_length_sum", offsetof(struct sp_twin, rows.sum), sizeof(int64_t[SP_TWIN_LENGTHS])},
    {"row_length", offsetof(struct sp_twin, rows.count), sizeof(int64_t[SP_TWIN_PARTS][SP_TWIN_LENGTHS])},
    {"next_row_length", offsetof(struct sp_twin, rows.next),
     sizeof(int64_t[SP_TWIN_LENGTHS][SP_TWIN_LENGTHS])},
    {"column_length_sum", offsetof(struct sp_twin, columns.sum), sizeof(int64_t[SP_TWIN_LENGTHS])},
    {"column_length", offsetof(struct sp_twin, columns.count),
     sizeof(int64_t[SP_TWIN_PARTS][SP_TWIN_LENGTHS])},
    {"next_column_length", offsetof(struct sp_twin, columns.next),
     sizeof(int64_t[SP_TWIN_LENGTHS][SP_TWIN_LENGTHS])},
    {"shift", offsetof(struct sp_twin, shift), sizeof(int64_t[2][SP_TWIN_SHIFTS + 1])},
    {"offered", offsetof(struct sp_twin, offered), sizeof(int64_t[SP_TWIN_SHIFTS][SP_TWIN_OFFSETS])},
    {"copied", offsetof(struct sp_twin, copied), sizeof(int64_t[SP_TWIN_SHIFTS][SP_TWIN_OFFSETS])},
    {"birth", offsetof(struct sp_twin, birth), sizeof(int64_t[SP_TWIN_GRID][SP_TWIN_BIRTHS])},
    {"gap", offsetof(struct sp_twin, gap), sizeof(int64_t[2 * SP_TWIN_GAPS + 1])},
    {"lag", offsetof(struct sp_twin, lag), sizeof(int64_t[SP_TWIN_GRID][SP_TWIN_STEPS + 1])},
    {"same_column", offsetof(struct sp_twin, same_column), sizeof(int64_t[SP_TWIN_STEPS + 1])},
    {"grid", offsetof(struct sp_twin, grid), sizeof(int64_t[SP_TWIN_GRID][SP_TWIN_GRID])},
    {"near", offsetof(struct sp_twin, near), sizeof(int64_t[2 * SP_TWIN_LOCAL + 1])},
    {"atom_offset", offsetof(struct sp_twin, atom_offset), sizeof(int64_t[SP_TWIN_ATOMS])},
    {"atom_count", offsetof(struct sp_twin, atom_count), sizeof(int64_t[SP_TWIN_ATOMS])},
    {"reuse", offsetof(struct sp_twin, reuse), sizeof(int64_t[SP_TWIN_STEPS + 2])},
};
enum { N_TABLES = sizeof tables / sizeof *tables };

static json_t *table_list(const struct sp_twin *twin, const struct table *table)
{
    const int64_t *item = (const int64_t *)((const char *)twin + table->offset);
    json_t *list = json_array();
    for (size_t k = 0; k < table->size / sizeof *item; k++)
        if (item[k] != 0)
            json_array_append_new(list, json_pack("[I, I]", (json_int_t)k, (json_int_t)item[k]));
    return list;
}

enum sp_status sp_twin_file_write(const char *path, const struct sp_twin *twin, struct sp_error *err)
{
    json_t *root = json_pack(
        "{s:s, s:I, s:I, s:I, s:s, s:s, s:b, s:I, s:i, s:i}", "schema", schema, "n_r", (json_int_t)twin->n_r,
        "n_c", (json_int_t)twin->n_c, "n_nz", (json_int_t)twin->n_nz, "field", sp_field_name(twin->field),
        "symmetry", sp_symmetry_name(twin->symmetry), "mirrored", (int)twin->mirrored, "n_diagonal",
        (json_int_t)twin->n_diagonal, "line", SP_TWIN_LINE, "n_atoms", (int)twin->n_atoms);
    for (int k = 0; k < N_TABLES && root; k++)
        json_object_set_new(root, tables[k].name, table_list(twin, &tables[k]));
    struct sp_atomic_file file;
    enum sp_status status = root ? sp_atomic_open(path, &file, err)
                                 : sp_fail(err, SP_MEMORY, "free memory", "no memory for the features");
    if (status == SP_OK) {
        json_dumpf(root, file.stream, JSON_COMPACT | JSON_PRESERVE_ORDER);
        fputc('\n', file.stream);
        status = sp_atomic_commit(&file, err);
    }
    json_decref(root);
    return status;
}

static bool read_table(const json_t *list, const struct table *table, struct sp_twin *twin)
{
    int64_t *item = (int64_t *)((char *)twin + table->offset);
    if (!json_is_array(list))
        return !list && table->offset == offsetof(struct sp_twin, reuse); /* older files lack it */
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *pair = json_array_get(list, k), *place = json_array_get(pair, 0),
                     *count = json_array_get(pair, 1);
        if (!json_is_integer(place) || !json_is_integer(count) || json_integer_value(place) < 0 ||
            json_integer_value(place) >= (json_int_t)(table->size / sizeof *item))
            return false;
        item[json_integer_value(place)] = json_integer_value(count);
    }
    return true;
}

/* The value of enum whose name is the text under key; -1: none. */
static int named(const json_t *root, const char *key, int n, const char *(*name)(int))
{
    const char *text = json_string_value(json_object_get(root, key));
    for (int k = 0; text && k < n; k++)
        if (strcmp(name(k), text) == 0)
            return k;
    return -1;
}

static const char *field_name(int k)
{
    return sp_field_name((enum sp_field)k);
}

static const char *symmetry_name(int k)
{
    return sp_symmetry_name((enum sp_symmetry)k);
}

/* The key at fault, NULL: none. */
static const char *read_twin(const json_t *root, struct sp_twin *twin)
{
    const char *text = json_string_value(json_object_get(root, "schema"));
    if (!text || strcmp(text, schema) != 0)
        return "schema";
    const int field = named(root, "field", SP_FIELD_COMPLEX + 1, field_name);
    const int symmetry = named(root, "symmetry", SP_HERMITIAN + 1, symmetry_name);
    if (field < 0 || symmetry < 0)
        return field < 0 ? "field" : "symmetry";
    if (json_integer_value(json_object_get(root, "line")) != SP_TWIN_LINE)
        return "line";
    twin->field = (enum sp_field)field;
    twin->symmetry = (enum sp_symmetry)symmetry;
    twin->mirrored = json_is_true(json_object_get(root, "mirrored"));
    twin->n_r = json_integer_value(json_object_get(root, "n_r"));
    twin->n_c = json_integer_value(json_object_get(root, "n_c"));
    twin->n_nz = json_integer_value(json_object_get(root, "n_nz"));
    twin->n_diagonal = json_integer_value(json_object_get(root, "n_diagonal"));
    twin->n_atoms = (int32_t)json_integer_value(json_object_get(root, "n_atoms"));
    for (int k = 0; k < N_TABLES; k++)
        if (!read_table(json_object_get(root, tables[k].name), &tables[k], twin))
            return tables[k].name;
    return sp_twin_complete(twin);
}

enum sp_status sp_twin_file_read(const char *path, struct sp_twin **twin, struct sp_error *err)
{
    static const char remedy[] =
        "write it again: spmodel generate " SP_O_LIKE " MATRIX " SP_O_FEATURES " FILE";
    json_t *root;
    *twin = NULL;
    enum sp_status status = sp_input_json(path, SP_INPUT_MOST_B, remedy, &root, err);
    if (status != SP_OK)
        return status;
    void *p;
    status = sp_new_array(1, sizeof **twin, "features of a matrix", &p, err);
    if (status == SP_OK) {
        const char *fault = read_twin(root, p);
        if (fault)
            status = sp_fail_at(err, SP_INPUT, path, 0, 0, remedy,
                                "\"%s\" is missing or contradicts the rest of %s", fault, schema);
        if (fault)
            free(p);
        else
            *twin = p;
    }
    json_decref(root);
    return status;
}

enum sp_status sp_twin_load(const char *name, const struct sp_load_options *options, struct sp_twin **twin,
                            struct sp_error *err)
{
    const size_t n = strlen(name);
    *twin = NULL;
    if (n > 5 && strcasecmp(name + n - 5, ".json") == 0)
        return sp_twin_file_read(name, twin, err);
    struct sp_csr a;
    enum sp_status status = sp_matrix_load(name, options, &a, NULL, err);
    if (status == SP_OK)
        status = sp_twin_measure(&a, twin, err);
    sp_csr_free(&a);
    return status;
}

/* Cuts ":NUMBER" off the end of name. */
static bool cut_number(char *name, int64_t *number)
{
    char *colon = strrchr(name, ':');
    if (!colon || sp_parse_count(colon + 1, number))
        return false;
    *colon = '\0';
    return true;
}

bool sp_twin_parse(const char *spec, char *name, size_t size, int64_t *scale, int64_t *seed)
{
    static const char like[] = "like:";
    if (strncmp(spec, like, sizeof like - 1) != 0 || strlen(spec) - (sizeof like - 1) >= size)
        return false;
    strcpy(name, spec + sizeof like - 1);
    *scale = *seed = 1;
    if (cut_number(name, seed) && !cut_number(name, scale)) {
        *scale = *seed;
        *seed = 1;
    }
    return name[0] != '\0' && *seed >= 0;
}
