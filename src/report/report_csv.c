#include "report/report_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "io/files/atomic_file.h"
#include "io/record/record.h"

/* The field whose columns come in this place; SP_F_NONE behind the last. */
static enum sp_record_field field_at(int place)
{
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        if (sp_record_fields[i].csv.place == place)
            return (enum sp_record_field)i;
    return SP_F_NONE;
}

/* A loss as rows that add up to the time have it; false: the column is none, or not known. */
static bool loss_of(const struct sp_record *record, enum sp_record_field field, double *seconds)
{
    for (int i = 0; i < SP_N_LOSS_ROWS; i++)
        if (sp_loss_words[i].field == field)
            return sp_record_loss(record, i, seconds);
    return false;
}

/* jansson writes C numbers in every locale, printf would not. */
static void put_number(const json_t *node, FILE *out)
{
    char number[48];
    size_t n = json_dumpb(node, number, sizeof number - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    number[n < sizeof number ? n : 0] = '\0';
    fputs(number, out);
}

static void put_loss(double seconds, FILE *out)
{
    json_t *node = json_real(seconds);
    put_number(node, out);
    json_decref(node);
}

/* "_s", "_B_per_flop"; nothing of a pure number. */
static void put_unit(const char *unit, FILE *out)
{
    const char *slash = strchr(unit, '/');
    if (slash)
        sp_print(out, "_%.*s_per_%s", (int)(slash - unit), unit, slash + 1);
    else if (strcmp(unit, "1") != 0)
        sp_print(out, "_%s", unit);
}

static void put_names(const struct sp_field_facts *f, FILE *out)
{
    static const char *const parts[] = {"", "_lo", "_hi"};
    const int n = f->csv.parts & SP_CSV_ENDS ? 3 : 1;
    if (f->type != SP_A_METRIC) {
        sp_print(out, "%s", f->csv.name);
        return;
    }
    for (int i = 0; i < n; i++) {
        sp_print(out, "%s%s%s", i ? "," : "", f->csv.name, parts[i]);
        put_unit(f->unit, out);
    }
    if (f->csv.parts & SP_CSV_ORIGIN)
        sp_print(out, ",%s_origin", f->csv.name);
}

void sp_report_csv_header(FILE *out)
{
    enum sp_record_field field;
    for (int place = 1; (field = field_at(place)); place++) {
        if (place > 1)
            fputc(',', out);
        put_names(&sp_record_fields[field], out);
    }
    fputc('\n', out);
}

/* "Q01 Q05" */
static void put_codes(const json_t *flags, FILE *out)
{
    char text[256] = "";
    size_t i, used = 0;
    const json_t *flag;
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code");
        if (code && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", code);
    }
    sp_csv_field(out, text);
}

static void put_node(const json_t *node, FILE *out)
{
    if (json_is_array(node))
        put_codes(node, out);
    else if (json_is_string(node))
        sp_csv_field(out, json_string_value(node));
    else if (json_is_integer(node))
        sp_print(out, "%lld", (long long)json_integer_value(node));
    else if (json_is_real(node))
        put_number(node, out);
}

static void put_metric(const json_t *node, unsigned csv_parts, FILE *out)
{
    static const struct {
        const char *key;
        unsigned part;
    } parts[] = {{"lo", SP_CSV_ENDS}, {"hi", SP_CSV_ENDS}, {"origin", SP_CSV_ORIGIN}};
    put_node(json_object_get(node, "value"), out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (csv_parts & parts[i].part) {
            fputc(',', out);
            put_node(json_object_get(node, parts[i].key), out);
        }
}

void sp_report_csv_row(const struct sp_record *record, FILE *out)
{
    enum sp_record_field field;
    for (int place = 1; (field = field_at(place)); place++) {
        const json_t *node = sp_record_node(record, field);
        double seconds;
        if (place > 1)
            fputc(',', out);
        if (loss_of(record, field, &seconds))
            put_loss(seconds, out);
        else if (sp_record_fields[field].type == SP_A_METRIC)
            put_metric(node, sp_record_fields[field].csv.parts, out);
        else
            put_node(node, out);
    }
    fputc('\n', out);
}

/* The whole file, "" where there is none; to be freed. */
static enum sp_status old_content(const char *path, char **text, size_t *size, struct sp_error *err)
{
    *text = NULL;
    *size = 0;
    FILE *in = fopen(path, "r");
    if (!in && errno == ENOENT)
        return SP_OK;
    if (!in)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "choose a file that you may read and write",
                          "cannot read the CSV file to add to it: %s", strerror(errno));
    FILE *memory = open_memstream(text, size);
    char block[65536];
    size_t n;
    while (memory && (n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, memory);
    bool failed = ferror(in) || !memory;
    fclose(in);
    if (memory && fclose(memory) != 0)
        failed = true;
    if (!failed)
        return SP_OK;
    free(*text);
    *text = NULL;
    *size = 0;
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "cannot read the CSV file to add to it");
}

enum sp_status sp_report_csv_append(const char *path, const struct sp_record *const *records, int n,
                                    struct sp_error *err)
{
    char *old, *header = NULL;
    size_t old_size, header_size = 0;
    struct sp_atomic_file file = {0};
    enum sp_status status = old_content(path, &old, &old_size, err);
    if (status != SP_OK)
        return status;
    FILE *memory = open_memstream(&header, &header_size);
    if (memory)
        sp_report_csv_header(memory);
    if (!memory || fclose(memory) != 0) {
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for the CSV header");
        goto done;
    }
    if (old_size > 0 && (old_size < header_size || memcmp(old, header, header_size) != 0)) {
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, "give another file name",
                            "the file exists and does not begin with the columns of this version");
        goto done;
    }
    status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        goto done;
    if (old_size == 0)
        fputs(header, file.stream);
    fwrite(old ? old : "", 1, old_size, file.stream);
    if (old_size > 0 && old[old_size - 1] != '\n')
        fputc('\n', file.stream);
    for (int i = 0; i < n; i++)
        sp_report_csv_row(records[i], file.stream);
    status = sp_atomic_commit(&file, err);
done:
    free(old);
    free(header);
    return status;
}
