#include "io/matrix/twin_file.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "io/files/atomic_file.h"
#include "io/files/input_file.h"
#include "io/matrix/matrix_load.h"

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
