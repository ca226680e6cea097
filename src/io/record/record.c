#include "io/record/record.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/escape.h"
#include "base/option/run_option.h"
#include "base/reading.h"
#include "base/text.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"
#include "io/json_text.h"
#include "sp_config.h"

const struct sp_field_facts sp_record_fields[SP_N_FIELDS] = {
#define FIELD(id, p, t, ...)                                                                                 \
    [SP_F_##id] = {.path = p, .length = sizeof p - 1, .type = t, .words = __VA_ARGS__},
#include "io/record/record_fields.inc"
};

const char *sp_field_path(enum sp_record_field field)
{
    return sp_record_fields[field].path;
}

const char *sp_field_key(enum sp_record_field field)
{
    const char *path = sp_field_path(field), *dot = path ? strrchr(path, '.') : NULL;
    return dot ? dot + 1 : path;
}

const char *sp_field_within(enum sp_record_field field, enum sp_record_field object)
{
    const char *path = sp_field_path(field), *of = sp_field_path(object), *key = sp_field_key(field);
    const size_t n = of ? strlen(of) : 0;
    return path && of && strncmp(path, of, n) == 0 && key == path + n + 1 ? key : NULL;
}

enum sp_record_field sp_field_find(const char *path)
{
    const size_t length = strlen(path);
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        if (sp_record_fields[i].length == length && memcmp(sp_record_fields[i].path, path, length) == 0)
            return (enum sp_record_field)i;
    return SP_F_NONE;
}

enum sp_record_field sp_field_in(enum sp_record_field object, const char *key)
{
    const char *of = sp_field_path(object);
    const size_t n = strlen(of), length = n + 1 + strlen(key);
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++) {
        const struct sp_field_facts *f = &sp_record_fields[i];
        if (f->length == length && f->path[n] == '.' && memcmp(f->path, of, n) == 0 &&
            strcmp(f->path + n + 1, key) == 0)
            return (enum sp_record_field)i;
    }
    return SP_F_NONE;
}

enum sp_record_field sp_field_of_symbol(const char *symbol)
{
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        if (sp_word_among(sp_record_fields[i].symbol, symbol) >= 0)
            return (enum sp_record_field)i;
    return SP_F_NONE;
}

/* Of the 32 bits at the end of an id; the 20 before them are the microseconds of its second. */
enum { RANDOM_BITS = 12 };

/* Fields whose type everything that reads a record relies on. */
static const struct {
    enum sp_record_field field;
    json_type type;
    bool required;
} fields[] = {
    {SP_F_ID, JSON_STRING, true},
    {SP_F_STATUS, JSON_STRING, false},
    {SP_F_TIME, JSON_OBJECT, true},
    {SP_F_TOOL, JSON_OBJECT, false},
    {SP_F_ENV, JSON_OBJECT, false},
    {SP_F_MACHINE, JSON_OBJECT, false},
    {SP_F_PROBLEM, JSON_OBJECT, false},
    {SP_F_CONFIG, JSON_OBJECT, false},
    {SP_F_STRUCTURE, JSON_OBJECT, false},
    {SP_F_ROOFS, JSON_ARRAY, false},
    {SP_F_RUNS, JSON_ARRAY, false},
    {SP_F_METRICS, JSON_OBJECT, false},
    {SP_F_LEVELS, JSON_ARRAY, false},
    {SP_F_TABLE, JSON_ARRAY, false},
    {SP_F_LOSSES, JSON_OBJECT, false},
    {SP_F_HINTS, JSON_ARRAY, false},
    {SP_F_CURVES, JSON_OBJECT, false},
    {SP_F_FLAGS, JSON_ARRAY, false},
    {SP_F_NOT_A_PROBLEM, JSON_ARRAY, false},
    {SP_F_REMARKS, JSON_ARRAY, false},
};

static const char *type_name(json_type type)
{
    switch (type) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

static void iso_time(char *text, size_t size, const char *format, time_t now)
{
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, size, format, &utc);
}

/* The next key of a dotted path; returns what follows it, NULL after the last one. */
static const char *next_key(const char *path, char key[128])
{
    const size_t length = strcspn(path, "."), kept = length < 128 ? length : 127;
    memcpy(key, path, kept);
    key[kept] = '\0';
    return path[length] ? path + length + 1 : NULL;
}

/* Puts `value` (stolen; NULL: out of memory) at `path`, making the objects on the way. */
void sp_record_put_at(struct sp_record *record, const char *path, json_t *value)
{
    json_t *node = record->root;
    char key[128];
    const char *rest = next_key(path, key);
    while (value && node && rest) {
        json_t *child = json_object_get(node, key);
        if (!json_is_object(child)) {
            child = json_object();
            if (json_object_set_new(node, key, child))
                child = NULL;
        }
        node = child;
        rest = next_key(rest, key);
    }
    if (!value || !node) {
        json_decref(value);
        record->failed = true;
    } else if (json_object_set_new(node, key, value)) {
        record->failed = true;
    }
}

static void put(struct sp_record *record, enum sp_record_field field, json_t *value)
{
    sp_record_put_at(record, sp_field_path(field), value);
}

enum sp_status sp_record_new(const char *name, struct sp_record *record, struct sp_error *err)
{
    memset(record, 0, sizeof *record);
    uint32_t digits = 0;
    struct timespec now;
    if (getrandom(&digits, sizeof digits, 0) != sizeof digits)
        return sp_fail(err, SP_BUG, NULL, "no random numbers from the system: %s", strerror(errno));
    char stamp[32], start[32], stem[97], id[160];
    clock_gettime(CLOCK_REALTIME, &now);
    digits = (uint32_t)(now.tv_nsec / 1000) << RANDOM_BITS | digits >> (32 - RANDOM_BITS);
    iso_time(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", now.tv_sec);
    iso_time(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", now.tv_sec);
    sp_file_stem(stem, sizeof stem, name && *name ? name : "unnamed");
    snprintf(id, sizeof id, "%s-%s-%08x", stamp, stem, (unsigned)digits);
    record->root = json_object();
    record->failed = !record->root;
    sp_record_set_text(record, SP_F_SCHEMA, SP_RECORD_SCHEMA);
    sp_record_set_text(record, SP_F_ID, id);
    sp_record_set_text(record, SP_F_TIME_START, start);
    sp_record_set_text(record, SP_F_TOOL_VERSION, SP_VERSION);
    sp_record_set_text(record, SP_F_TOOL_GIT, SP_GIT_VERSION);
    sp_record_set_text(record, SP_F_TOOL_COMPILER, SP_COMPILER);
    sp_record_set_text(record, SP_F_TOOL_FLAGS, SP_C_FLAGS);
    if (!record->failed)
        return SP_OK;
    sp_record_free(record);
    return sp_fail(err, SP_MEMORY, NULL, "no memory for the record");
}

void sp_record_free(struct sp_record *record)
{
    json_decref(record->root);
    memset(record, 0, sizeof *record);
}

void sp_record_set_text(struct sp_record *record, enum sp_record_field field, const char *text)
{
    put(record, field, text ? sp_json_string(text) : json_null());
}

void sp_record_set_count(struct sp_record *record, enum sp_record_field field, int64_t n)
{
    put(record, field, json_integer(n));
}

void sp_record_set_number(struct sp_record *record, enum sp_record_field field, double x)
{
    put(record, field, sp_json_number(x));
}

void sp_record_set_flag(struct sp_record *record, enum sp_record_field field, bool truth)
{
    put(record, field, json_boolean(truth));
}

void sp_record_set_null(struct sp_record *record, enum sp_record_field field, const char *why)
{
    put(record, field,
        json_pack("{s:n, s:o}", "value", "why", sp_json_string(why ? why : "no reason given")));
}

json_t *sp_record_value_json(struct sp_value v, const char *unit)
{
    if (sp_value_known(v) && isfinite(v.value))
        return json_pack("{s:f, s:o, s:o, s:s, s:s}", "value", v.value, "lo", sp_json_number(v.lo), "hi",
                         sp_json_number(v.hi), "unit", unit, "origin", sp_origin_name(v.origin));
    const char *why = sp_value_known(v) ? "not a finite number" : v.why;
    return json_pack("{s:n, s:s, s:o}", "value", "unit", unit, "why",
                     sp_json_string(why ? why : "no reason given"));
}

void sp_record_set_metric(struct sp_record *record, enum sp_record_field field, struct sp_value value,
                          enum sp_definition definition)
{
    const struct sp_field_facts *f = &sp_record_fields[field];
    const char *words = f->other[definition] ? f->other[definition] : f->words;
    json_t *object = sp_record_value_json(value, f->unit);
    if (object && f->type == SP_A_METRIC &&
        (json_object_set_new(object, "better", json_string(f->better)) ||
         json_object_set_new(object, "definition", sp_json_string(words)))) {
        json_decref(object);
        object = NULL;
    }
    put(record, field, object);
}

void sp_record_set_value(struct sp_record *record, enum sp_record_field field, struct sp_value value)
{
    sp_record_set_metric(record, field, value, SP_DEFINED);
}

void sp_record_set_object(struct sp_record *record, enum sp_record_field field, json_t *object)
{
    put(record, field, object);
}

void sp_record_append(struct sp_record *record, enum sp_record_field field, json_t *object)
{
    json_t *array = (json_t *)sp_record_node(record, field);
    if (object && !json_is_array(array)) {
        array = json_array();
        put(record, field, array);
        array = (json_t *)sp_record_node(record, field);
    }
    /* json_array_append_new() drops `object` itself when it fails. */
    if (!object || json_array_append_new(array, object))
        record->failed = true;
}

void sp_record_add_flag(struct sp_record *record, const char *code, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sp_record_append(record, SP_F_FLAGS, json_pack("{s:s, s:o}", "code", code, "text", sp_json_string(text)));
}

const json_t *sp_record_node(const struct sp_record *record, enum sp_record_field field)
{
    return field ? sp_record_node_at(record, sp_field_path(field)) : NULL;
}

const json_t *sp_record_node_at(const struct sp_record *record, const char *path)
{
    const json_t *node = record->root;
    while (path && node) {
        char key[128];
        path = next_key(path, key);
        node = json_object_get(node, key);
    }
    return node;
}

bool sp_record_text(const struct sp_record *record, enum sp_record_field field, const char **out)
{
    const json_t *node = sp_record_node(record, field);
    if (!json_is_string(node))
        return false;
    *out = json_string_value(node);
    return true;
}

bool sp_record_count(const struct sp_record *record, enum sp_record_field field, int64_t *out)
{
    const json_t *node = sp_record_node(record, field);
    double x = json_is_real(node) ? json_real_value(node) : NAN;
    if (json_is_integer(node))
        *out = json_integer_value(node);
    else if (x == floor(x) && fabs(x) < 0x1p53) /* other programs write 24e6 */
        *out = (int64_t)x;
    else
        return false;
    return true;
}

bool sp_record_number(const struct sp_record *record, enum sp_record_field field, double *out)
{
    const json_t *node = sp_record_node(record, field);
    if (!json_is_number(node))
        return false;
    *out = json_number_value(node);
    return true;
}

bool sp_record_flag(const struct sp_record *record, enum sp_record_field field, bool *out)
{
    const json_t *node = sp_record_node(record, field);
    if (!json_is_boolean(node))
        return false;
    *out = json_is_true(node);
    return true;
}

struct sp_value sp_record_value(const struct sp_record *record, enum sp_record_field field)
{
    return sp_record_value_of(sp_record_node(record, field));
}

struct sp_value sp_record_value_of(const json_t *object)
{
    const json_t *number = json_object_get(object, "value");
    const char *why = json_string_value(json_object_get(object, "why"));
    if (!json_is_number(number))
        return sp_value_none(why ? why : "not in the record");
    const char *word = json_string_value(json_object_get(object, "origin"));
    enum sp_origin origin = word ? sp_origin_from_name(word) : SP_NONE;
    if (origin == SP_NONE)
        return sp_value_none("the record does not say where the number comes from");
    double value = json_number_value(number);
    const json_t *lo = json_object_get(object, "lo"), *hi = json_object_get(object, "hi");
    return sp_value_between(value, json_is_number(lo) ? json_number_value(lo) : value,
                            json_is_number(hi) ? json_number_value(hi) : value, origin);
}

/* The major version must be ours; minor versions ("spmodel.record/1.3") only add. */
static enum sp_status check_schema(const json_t *root, const char *path, struct sp_error *err)
{
    static const char family[] = "spmodel.record/";
    const char *schema = json_string_value(json_object_get(root, "schema"));
    size_t known = strlen(SP_RECORD_SCHEMA);
    if (!schema)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "give a record that spmodel analyze wrote",
                          "JSON, but no spmodel record: it has no text \"schema\"");
    if (strncmp(schema, family, strlen(family)) != 0)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "give a record that spmodel analyze wrote",
                          "JSON, but no spmodel record: its \"schema\" is \"%.80s\"", schema);
    if (strncmp(schema, SP_RECORD_SCHEMA, known) != 0 || (schema[known] && schema[known] != '.'))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "use the spmodel that wrote it, or a newer one",
                          "the record has schema \"%.80s\"; this program knows \"%s\"", schema,
                          SP_RECORD_SCHEMA);
    return SP_OK;
}

static enum sp_status check_fields(const json_t *root, const char *path, struct sp_error *err)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const json_t *field = json_object_get(root, sp_field_path(fields[i].field));
        if (!field && fields[i].required)
            return sp_fail_at(err, SP_INPUT, path, 0, 0, "the record is damaged; make it again",
                              "the record lacks \"%s\"", sp_field_path(fields[i].field));
        if (field && json_typeof(field) != fields[i].type && (fields[i].required || !json_is_null(field)))
            return sp_fail_at(err, SP_INPUT, path, 0, 0, "the record is damaged; make it again",
                              "\"%s\" is %s, it should be %s", sp_field_path(fields[i].field),
                              type_name(json_typeof(field)), type_name(fields[i].type));
    }
    return SP_OK;
}

/* No time, a value with its ends or a plain number, is longer than any that can be asked for. */
static enum sp_status check_times(const json_t *root, const char *path, struct sp_error *err)
{
    const struct sp_record record = {.root = (json_t *)root};
    for (int i = 0; i < SP_N_FIELDS; i++) {
        if (!sp_record_fields[i].unit || strcmp(sp_record_fields[i].unit, "s") != 0)
            continue;
        const json_t *node = sp_record_node(&record, (enum sp_record_field)i);
        const json_t *end[] = {node, json_object_get(node, "value"), json_object_get(node, "lo"),
                               json_object_get(node, "hi")};
        for (size_t k = 0; k < sizeof end / sizeof *end; k++)
            if (fabs(json_number_value(end[k])) > SP_LONGEST_S)
                return sp_fail_at(err, SP_INPUT, path, 0, 0, "the record is damaged; make it again",
                                  "\"%s\" is %g s, and no time is above %g s", sp_record_fields[i].path,
                                  json_number_value(end[k]), SP_LONGEST_S);
    }
    return SP_OK;
}

/* The record takes `root`, where it is one. */
static enum sp_status take(json_t *root, const char *path, int64_t line, struct sp_record *record,
                           struct sp_error *err)
{
    enum sp_status status =
        json_is_object(root)
            ? check_schema(root, path, err)
            : sp_fail_at(err, SP_INPUT, path, line, 1, "give a record that spmodel analyze wrote",
                         "JSON, but no spmodel record: %s", type_name(json_typeof(root)));
    if (status == SP_OK)
        status = check_fields(root, path, err);
    if (status == SP_OK)
        status = check_times(root, path, err);
    if (status == SP_OK)
        record->root = root;
    else
        json_decref(root);
    return status;
}

enum sp_status sp_record_read(const char *path, struct sp_record *record, struct sp_error *err)
{
    memset(record, 0, sizeof *record);
    json_t *root;
    enum sp_status status =
        sp_input_json(path, SP_INPUT_MOST_B, "the record is damaged or cut off; make it again", &root, err);
    return status == SP_OK ? take(root, path, 1, record, err) : status;
}

enum sp_status sp_record_read_line(const char *path, int64_t line, const char *text, size_t size,
                                   struct sp_record *record, struct sp_error *err)
{
    memset(record, 0, sizeof *record);
    json_error_t why;
    json_t *root = sp_json_parse(text, size, JSON_REJECT_DUPLICATES, &why);
    return root ? take(root, path, line, record, err)
                : sp_fail_at(err, SP_INPUT, path, line, why.column,
                             "the record is damaged or cut off; make it again", "%s", why.text);
}

static enum sp_status refuse_incomplete(const struct sp_record *record, struct sp_error *err)
{
    if (record->root && !record->failed)
        return SP_OK;
    return sp_fail(err, SP_MEMORY, "free some memory and run again",
                   "memory ran out while the record was built; it is incomplete");
}

enum sp_status sp_record_print(const struct sp_record *record, FILE *stream, bool one_line,
                               struct sp_error *err)
{
    enum sp_status status = refuse_incomplete(record, err);
    if (status != SP_OK)
        return status;
    size_t flags = JSON_REAL_PRECISION(17) | (one_line ? JSON_COMPACT : JSON_INDENT(2));
    errno = 0;
    if (json_dumpf(record->root, stream, flags) != 0 || fputc('\n', stream) == EOF)
        return sp_fail(err, SP_OUTPUT, sp_output_remedy(errno), "cannot write the record: %s",
                       errno ? strerror(errno) : "unknown reason");
    return SP_OK;
}

/* made NULL: whatever has the name is replaced. */
static enum sp_status write_record(struct sp_record *record, const char *path, bool *made,
                                   struct sp_error *err)
{
    enum sp_status status = refuse_incomplete(record, err);
    if (status != SP_OK)
        return status;
    const char *end;
    if (!sp_record_text(record, SP_F_TIME_END, &end)) {
        char text[32];
        iso_time(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", time(NULL));
        sp_record_set_text(record, SP_F_TIME_END, text);
    }
    struct sp_atomic_file file;
    status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    status = sp_record_print(record, file.stream, false, err);
    if (status == SP_OK)
        return made ? sp_atomic_commit_new(&file, made, err) : sp_atomic_commit(&file, err);
    sp_atomic_abort(&file);
    if (err)
        snprintf(err->path, sizeof err->path, "%s", path);
    return status;
}

enum sp_status sp_record_write(struct sp_record *record, const char *path, struct sp_error *err)
{
    return write_record(record, path, NULL, err);
}

enum sp_status sp_record_write_new(struct sp_record *record, const char *path, bool *made,
                                   struct sp_error *err)
{
    *made = false;
    return write_record(record, path, made, err);
}

const struct sp_loss_words sp_loss_words[SP_N_LOSS_ROWS] = {
    {SP_F_LOSSES_MIN_TRAFFIC, "minimum traffic"}, {SP_F_LOSSES_PADDING, "padding"},
    {SP_F_LOSSES_EXTRA_X, "extra x traffic"},     {SP_F_LOSSES_EXTRA_X_DOMAINS, "x in several caches"},
    {SP_F_LOSSES_IMBALANCE, "load imbalance"},    {SP_F_LOSSES_IN_CORE, "in-core, latency"},
    {SP_F_LOSSES_REST, "not explained"},
};

const char *sp_item_text(const json_t *item, const char *key)
{
    return json_string_value(json_object_get(item, key));
}

double sp_item_number(const json_t *item, const char *key)
{
    const json_t *number = json_object_get(item, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

double sp_list_median(const json_t *list)
{
    enum { FEW = 4096 }; /* all samples of a usual record: refused memory does not make them unknown */
    const size_t n = json_array_size(list);
    double few[FEW], *x = n <= FEW ? few : malloc(n * sizeof *x), median = NAN;
    size_t kept = 0;
    for (size_t i = 0; x && i < n; i++)
        if (json_is_number(json_array_get(list, i)))
            x[kept++] = json_number_value(json_array_get(list, i));
    if (kept > 0)
        median = sp_median(x, (int64_t)kept);
    if (x != few)
        free(x);
    return median;
}

const char *sp_words_level(const struct sp_record *record, const char *level)
{
    return level && strcmp(level, "MEM") == 0 ? sp_words_text(record, SP_F_MACHINE_MEMORY, "DRAM")
           : level                            ? level
                                              : "?";
}

bool sp_roof_is_flops(const json_t *roof)
{
    const char *unit = sp_item_text(roof, "unit");
    return unit && strcmp(unit, "flop/s") == 0;
}

char *sp_words_roof(char *text, size_t size, const struct sp_record *record, const json_t *roof)
{
    static const struct {
        const char *name, *words;
    } names[] = {{"load", "load"},         {"load_mix", "load"},    {"load_own", "load of its arrays"},
                 {"copy", "copy"},         {"copy_nt", "copy NT"},  {"triad", "triad"},
                 {"triad_nt", "triad NT"}, {"scalar", "scalar"},    {"simd", "SIMD"},
                 {"fma", "FMA"},           {"mma", "matrix units"}, {"gather", "gathers of x"}};
    const char *name = sp_item_text(roof, "name"), *words = name ? name : "?";
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            words = names[i].words;
    const char *precision = sp_item_text(roof, "precision");
    if (name && strcmp(name, "mma") == 0)
        snprintf(text, size, "%s %s", words, precision ? precision : "?");
    else if (name && strcmp(name, "gather") == 0)
        snprintf(text, size, "%s", words);
    else if (sp_roof_is_flops(roof))
        snprintf(text, size, "%s %s", precision && strcmp(precision, "f32") == 0 ? "SP" : "DP", words);
    else
        snprintf(text, size, "%s %s", sp_words_level(record, sp_item_text(roof, "level")), words);
    return text;
}

char *sp_words_roof_value(char *text, size_t size, const json_t *roof)
{
    return sp_figure_value(text, size, sp_record_value_of(roof), 1e9,
                           sp_roof_is_flops(roof) ? "Gflop/s" : "GB/s", 3);
}

const char *sp_words_op(const char *op)
{
    static const struct {
        const char *op, *words;
    } ops[] = {
        {"spmv", "SpMV"}, {"spmmv", "SpMMV"}, {"spmm", "SpMM"}, {"sddmm", "SDDMM"}, {"fusedmm", "FusedMM"}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].op, op) == 0)
            return ops[i].words;
    return op;
}

const char *sp_words_text(const struct sp_record *record, enum sp_record_field field, const char *otherwise)
{
    const char *text = NULL;
    return sp_record_text(record, field, &text) ? text : otherwise;
}

const char *sp_words_core(const struct sp_record *record)
{
    if (strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") != 0)
        return "thread";
    return sp_record_node(record, SP_F_GPU_INTERFACE) ? "compute unit" : "SM";
}

bool sp_conditions_differ(double ratio)
{
    static const double same = 1.15;
    return ratio > same || ratio < 1 / same;
}

const char *sp_words_row_bytes(const struct sp_record *record, const json_t *row)
{
    const char *name = sp_item_text(row, "row"), *source = sp_item_text(row, "bytes_source");
    if (name && strncmp(name, "model,", 6) == 0 &&
        strncmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu", 3) != 0)
        return sp_origin_name(SP_MODELLED);
    return source ? source : sp_item_text(row, "bytes_origin");
}

const json_t *sp_record_roof(const struct sp_record *record)
{
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS), *roof;
    size_t i;
    json_array_foreach(roofs, i, roof)
    {
        const char *role = sp_item_text(roof, "role");
        if (role && strcmp(role, "roof") == 0)
            return roof;
    }
    return NULL;
}

enum sp_record_field sp_loss_origin(enum sp_record_field loss)
{
    const char *key = sp_field_within(loss, SP_F_LOSSES);
    return key ? sp_field_in(SP_F_LOSSES_ORIGIN, key) : SP_F_NONE;
}

bool sp_record_loss(const struct sp_record *record, int i, double *seconds)
{
    const enum sp_record_field loss = sp_loss_words[i].field;
    double within = 0;
    if (!sp_record_number(record, loss, seconds))
        return false;
    if (loss == SP_F_LOSSES_EXTRA_X && sp_record_number(record, SP_F_LOSSES_EXTRA_X_DOMAINS, &within))
        *seconds -= within;
    return true;
}

/* Models that differ by less are not told apart. */
static const double SAME_MODEL = 0.02;

static double known(struct sp_value v)
{
    return sp_value_known(v) ? v.value : NAN;
}

/* The row of the table that the model computed from the bytes as seen. */
static double modelled_performance(const struct sp_record *record)
{
    const json_t *rows = sp_record_node(record, SP_F_TABLE), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *name = sp_item_text(row, "row");
        if (name && strncmp(name, "model, x as", 11) == 0)
            return sp_item_number(row, "performance");
    }
    return NAN;
}

bool sp_series_point_of(const struct sp_record *record, struct sp_series_point *p)
{
    *p = (struct sp_series_point){.r = 1};
    if (!sp_record_count(record, SP_F_CONFIG_INNER, &p->r))
        sp_record_count(record, SP_F_CONFIG_RHS, &p->r);
    p->time_s = sp_record_value(record, SP_F_METRICS_TIME);
    p->balance = sp_record_value(record, SP_F_METRICS_BALANCE);
    p->balance_min = known(sp_record_value(record, SP_F_METRICS_BALANCE_MIN));
    p->performance = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    p->model = modelled_performance(record);
    p->core = known(sp_record_value(record, SP_F_METRICS_P_CORE));
    double roof = known(sp_record_value_of(sp_record_roof(record)));
    p->bandwidth = sp_value_known(p->balance) && p->balance.value > 0 ? roof / p->balance.value : NAN;
    p->binding = isfinite(p->core) && p->core < p->bandwidth ? "in-core execution" : "bandwidth";
    return sp_value_known(p->time_s) && sp_value_known(p->balance) && sp_value_known(p->performance);
}

int sp_series_best(const struct sp_series_point *p, int n, bool modelled)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (modelled ? p[i].model > p[best].model : p[i].performance.value > p[best].performance.value)
            best = i;
    return best;
}

bool sp_series_ties(const struct sp_series_point *p, int i, int best, bool modelled)
{
    return modelled ? p[i].model >= (1 - SAME_MODEL) * p[best].model
                    : p[i].performance.hi >= p[best].performance.lo;
}
