#include "lab/lab_report.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/print.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"

/* Texts of the lab are its author's Markdown; those of the folder a student's, or a record's. */
static void put_words(const char *before, const char *text, FILE *out)
{
    fputs(before, out);
    sp_markdown_text(out, *text ? text : "–");
}

static void put_verdict(const struct sp_lab_verdict *v, FILE *out)
{
    char text[160];
    sp_print(out, "| %s", v->text);
    put_words(" | ", sp_lab_with_unit(v, v->got, text, sizeof text), out);
    put_words(" | ", sp_lab_with_unit(v, v->wanted, text, sizeof text), out);
    sp_print(out, "%s | %s", v->within, sp_lab_state_name(v->state));
    if (*v->reason) {
        put_words(" (", v->reason, out);
        fputc(')', out);
    }
    fputs(" |\n", out);
}

static void put_explanations(const struct sp_lab_verdicts *verdicts, FILE *out)
{
    fputs("\n## Why\n\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (*verdicts->verdict[i].because)
            sp_print(out, "- **%s** — %s\n", verdicts->verdict[i].id, verdicts->verdict[i].because);
}

static void put_runs(const struct sp_lab_results *results, FILE *out)
{
    fputs("\n## Runs\n\n| run | began | on | by | what |\n|---|---|---|---|---|\n", out);
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        const json_t *noted = json_object_get(json_object_get(results->folder->state, "runs"), r->run);
        const json_t *run = sp_lab_item(json_object_get(results->folder->lab.root, "runs"), r->run);
        const char *cpu = json_string_value(sp_lab_field(r->root, SP_F_MACHINE_CPU)),
                   *bytes = json_string_value(sp_lab_field(r->root, SP_F_CONFIG_BYTES));
        sp_print(out, "| %s", r->run);
        put_words(" | ", sp_lab_text(noted, "start"), out);
        put_words(" | ", cpu ? cpu : "", out);
        put_words(bytes ? " | bytes: " : " | ", bytes ? bytes : "", out);
        sp_print(out, " | %s", sp_lab_text(run, "what"));
        if (r->skipped)
            put_words(" — skipped: ", r->skipped, out);
        fputs(" |\n", out);
    }
}

static int is_file_name(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".svg") == 0 && sp_is_file_stem(entry->d_name);
}

/* NAME.KIND.svg: is its kind one of those that the lab shows? Without a list the roofline is. */
static bool is_shown(const json_t *run, const char *file)
{
    const json_t *show = json_object_get(run, "show");
    char end[80];
    if (!show)
        return strstr(file, ".roofline.svg") != NULL;
    for (size_t i = 0; i < json_array_size(show); i++) {
        const char *kind = json_string_value(json_array_get(show, i));
        snprintf(end, sizeof end, ".%s.svg", kind ? kind : "");
        if (strstr(file, end))
            return true;
    }
    return false;
}

static void put_pictures_of(const struct sp_lab_folder *folder, const char *run, bool *any, FILE *out)
{
    char path[1100];
    struct dirent **entry;
    const json_t *item = sp_lab_item(json_object_get(folder->lab.root, "runs"), run);
    sp_lab_pictures_path(folder, run, path, sizeof path);
    const int n = scandir(path, &entry, is_file_name, alphasort);
    for (int i = 0; i < n; i++) {
        if (is_shown(item, entry[i]->d_name)) {
            fputs(*any ? "" : "\n## Pictures\n", out);
            *any = true;
            sp_print(out, "\n%s: %s\n\n![%s](pictures/%s/%s)\n", run, sp_lab_text(item, "what"), run, run,
                     entry[i]->d_name);
        }
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
}

static void put_pictures(const struct sp_lab_results *results, FILE *out)
{
    bool any = false;
    for (int i = 0; i < results->n; i++)
        if (results->result[i].root)
            put_pictures_of(results->folder, results->result[i].run, &any, out);
}

void sp_lab_report_results(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts,
                           FILE *out)
{
    const struct sp_lab_folder *folder = results->folder;
    sp_print(out, "# Lab %d: %s\n\n", folder->lab.number, folder->lab.title);
    put_words("", folder->the_case.student, out);
    put_words(folder->the_case.small ? ", small matrices, begun " : ", begun ",
              sp_lab_text(folder->state, "started"), out);
    fputs("\n\n", out);
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        sp_print(out, "%s%d %s", i ? " · " : "", verdicts->n_state[i],
                 sp_lab_state_name((enum sp_lab_state)i));
    fputs("\n\n## Predictions\n\n| question | predicted | found | verdict |\n|---|---|---|---|\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (verdicts->verdict[i].is_prediction)
            put_verdict(&verdicts->verdict[i], out);
    fputs("\n## Checks of the runs\n\n| what must hold | here | should be | verdict |\n|---|---|---|---|\n",
          out);
    for (int i = 0; i < verdicts->n; i++)
        if (!verdicts->verdict[i].is_prediction)
            put_verdict(&verdicts->verdict[i], out);
    put_runs(results, out);
    put_pictures(results, out);
    if (sp_lab_has_run(folder))
        put_explanations(verdicts, out);
    fputc('\n', out);
}

/* ---- what the student writes ---- */

static const char heading[] = "## In your own words";

static void put_questions(const struct sp_lab_folder *folder, FILE *out)
{
    const json_t *tasks = json_object_get(folder->lab.root, "explain");
    fputs(heading, out);
    fputs("\n\nWhat stands from here on is yours: `spmodel lab report` leaves it as it is.\n\n", out);
    for (size_t i = 0; i < json_array_size(tasks); i++)
        if (json_is_string(json_array_get(tasks, i)))
            sp_print(out, "%zu. %s\n\n   …\n\n", i + 1, json_string_value(json_array_get(tasks, i)));
}

/* The heading as a line, which editors may end otherwise; NULL: none. */
static const char *after_heading(const char *text)
{
    for (const char *at = text; (at = strstr(at, heading)); at++) {
        const char *end = at + strlen(heading);
        end += strspn(end, " \t\r");
        if ((at == text || at[-1] == '\n') && (*end == '\n' || *end == '\0'))
            return at;
    }
    return NULL;
}

static void add_without_returns(struct sp_sha256 *s, const char *text, size_t size)
{
    for (const char *at = text, *end = text + size; at < end;) {
        const char *cut = memchr(at, '\r', (size_t)(end - at));
        const size_t n = (size_t)((cut ? cut : end) - at);
        sp_sha256_add(s, at, n);
        at += n + (cut != NULL);
    }
}

/* Of the text as it was written: editors of other systems put a '\r' before each end of a line. */
static void digest_of(const char *text, size_t size, char hex[65])
{
    struct sp_sha256 s;
    sp_sha256_start(&s);
    add_without_returns(&s, text, size);
    sp_sha256_finish(&s, hex);
}

/* What follows the part that `lab report` wrote, whatever it begins with; NULL: that part was
 * changed. */
static const char *after_results(const struct sp_lab_folder *folder, const char *text)
{
    const char *noted = sp_lab_text(folder->state, "report_sha256");
    struct sp_sha256 s;
    sp_sha256_start(&s);
    for (const char *line = text; *line;) {
        const size_t n = strcspn(line, "\n") + 1;
        if (!line[n - 1])
            return NULL;
        add_without_returns(&s, line, n);
        line += n;
        struct sp_sha256 until_here = s;
        char hex[65];
        sp_sha256_finish(&until_here, hex);
        if (strcmp(hex, noted) == 0)
            return line;
    }
    return NULL;
}

/* Where the item `number` of a list begins with this text; NULL. */
static const char *find_line(const char *text, size_t number, const char *with)
{
    char line[24];
    const size_t n = (size_t)snprintf(line, sizeof line, "%zu. ", number);
    for (const char *at = text; (at = strstr(at, line)); at++)
        if ((at == text || at[-1] == '\n') && strncmp(at + n, with, strlen(with)) == 0)
            return at;
    return NULL;
}

/* A heading of the results, below which the first question may stand if its own was taken away. */
static bool is_of_results(const char *line)
{
    static const char *const of_results[] = {"# ",      "## Predictions", "## Checks of the runs",
                                             "## Runs", "## Pictures",    "## Why"};
    for (size_t i = 0; i < sizeof of_results / sizeof *of_results; i++)
        if (strncmp(line, of_results[i], strlen(of_results[i])) == 0)
            return true;
    return false;
}

/* From the heading before the first question that stands there, or from that question on. */
static const char *from_questions(const struct sp_lab_folder *folder, const char *text)
{
    const char *first = NULL, *begin;
    size_t i;
    json_t *task;
    json_array_foreach(json_object_get(folder->lab.root, "explain"), i, task)
    {
        const char *at = json_is_string(task) ? find_line(text, i + 1, json_string_value(task)) : NULL;
        if (at && (!first || at < first))
            first = at;
    }
    begin = first;
    for (const char *at = text; first && (at = strstr(at, "\n#")) && at < first; at++)
        begin = is_of_results(at + 1) ? first : at + 1;
    return begin;
}

/* The part that is the student's. Its heading may have another name: then it is what follows the
 * results as they were written, or what has the lab's questions. NULL: none of the three is
 * there. */
static const char *own_part(const struct sp_lab_folder *folder, const char *text)
{
    const char *own = after_heading(text);
    if (!own)
        own = after_results(folder, text);
    return own ? own : from_questions(folder, text);
}

/* Was the part above the student's left as it was written? */
static bool is_as_written(const struct sp_lab_folder *folder, const char *text, size_t size)
{
    char hex[65];
    digest_of(text, size, hex);
    return strcmp(hex, sp_lab_text(folder->state, "report_sha256")) == 0;
}

/* report-1.md, or the first number that is free. */
static enum sp_status put_aside(const struct sp_lab_folder *folder, const char *path, char kept[1100],
                                struct sp_error *err)
{
    enum { MOST = 1000 };
    for (int i = 1; i < MOST; i++) {
        snprintf(kept, 1100, "%s/report-%d.md", folder->path, i);
        if (link(path, kept) == 0)
            return SP_OK;
        if (errno == EEXIST)
            continue;
        if (access(kept, F_OK) != 0 && rename(path, kept) == 0) /* a file system without links */
            return SP_OK;
    }
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "move it away", "what was changed in it cannot be kept: %s",
                      strerror(errno));
}

/* Both parts in one text; free(). NULL: no memory. */
static char *compose(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts,
                     const char *own, size_t *n_above)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    sp_lab_report_results(results, verdicts, out);
    fflush(out);
    *n_above = size;
    if (own)
        fputs(own, out);
    else
        put_questions(results->folder, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static enum sp_status write_report(struct sp_lab_folder *folder, const char *path, const char *text,
                                   size_t n_above, struct sp_error *err)
{
    char hex[65];
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    fputs(text, file.stream);
    status = sp_atomic_commit(&file, err);
    if (status != SP_OK)
        return status;
    digest_of(text, n_above, hex);
    json_object_set_new(folder->state, "report_sha256", json_string(hex));
    return sp_lab_folder_save(folder, err);
}

enum sp_status sp_lab_report(struct sp_lab_folder *folder, const struct sp_lab_results *results,
                             const struct sp_lab_verdicts *verdicts, struct sp_lab_kept *kept,
                             struct sp_error *err)
{
    char path[1000], *before = NULL;
    const char *own = NULL;
    size_t size = 0, n_above = 0;
    enum sp_status status = SP_OK;
    memset(kept, 0, sizeof *kept);
    snprintf(path, sizeof path, "%s/report.md", folder->path);
    if (access(path, F_OK) == 0)
        status = sp_input_bytes(path, SP_LAB_MOST_FILE_B, &before, &size, err);
    if (status == SP_OK && before) {
        own = own_part(folder, before);
        kept->no_answers = !own;
        if (strlen(before) != size || !own || !is_as_written(folder, before, (size_t)(own - before)))
            status = put_aside(folder, path, kept->path, err);
    }
    char *text = status == SP_OK ? compose(results, verdicts, own, &n_above) : NULL;
    if (status == SP_OK)
        status = text ? write_report(folder, path, text, n_above, err)
                      : sp_fail(err, SP_MEMORY, "free memory", "no memory for a report");
    free(text);
    free(before);
    return status;
}

/* Where the item `number` of a list begins, with its question if the student has left that;
 * NULL. */
static const char *find_item(const char *text, size_t number, const char *question, size_t *length)
{
    const char *at = find_line(text, number, question);
    *length = (size_t)snprintf(NULL, 0, "%zu. ", number) + (at ? strlen(question) : 0);
    return at ? at : find_line(text, number, "");
}

/* A copy without outer blanks and the dots that stand for no answer; NULL: no memory. */
static char *trimmed(const char *from, const char *to)
{
    static const char dots[] = "…";
    while (from < to && isspace((unsigned char)*from))
        from++;
    if (to - from >= (ptrdiff_t)strlen(dots) && strncmp(from, dots, strlen(dots)) == 0)
        from += strlen(dots);
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return strndup(from, (size_t)(to - from));
}

enum sp_status sp_lab_answers_read(const struct sp_lab_folder *folder, struct sp_lab_answers *out,
                                   struct sp_error *err)
{
    char path[1000], *text = NULL;
    size_t size;
    const json_t *tasks = json_object_get(folder->lab.root, "explain");
    memset(out, 0, sizeof *out);
    snprintf(path, sizeof path, "%s/report.md", folder->path);
    struct sp_error why;
    if (access(path, F_OK) != 0 || sp_input_bytes(path, SP_LAB_MOST_FILE_B, &text, &size, &why) != SP_OK)
        text = NULL; /* no report: no answers */
    const char *at = text ? own_part(folder, text) : NULL;
    out->fault = at     ? ""
                 : text ? ": report.md has neither the heading 'In your own words' nor the lab's questions"
                        : ": no report.md can be read";
    for (size_t i = 0; i < json_array_size(tasks) && out->n < SP_LAB_MOST_ANSWERS; i++) {
        const char *question = json_string_value(json_array_get(tasks, i));
        size_t length, next_length;
        const char *begin = at && question ? find_item(at, i + 1, question, &length) : NULL;
        const char *next = json_string_value(json_array_get(tasks, i + 1));
        const char *end = begin && next ? find_item(begin + length, i + 2, next, &next_length) : NULL;
        struct sp_lab_answer *answer = &out->answer[out->n++];
        answer->question = question ? question : "";
        answer->text = begin ? trimmed(begin + length, end ? end : begin + strlen(begin)) : strdup("");
        if (!answer->text) {
            free(text);
            sp_lab_answers_free(out);
            return sp_fail(err, SP_MEMORY, "free memory", "no memory for answers");
        }
        out->n_given += *answer->text != '\0';
    }
    free(text);
    return SP_OK;
}

void sp_lab_answers_free(struct sp_lab_answers *answers)
{
    for (int i = 0; i < answers->n; i++)
        free(answers->answer[i].text);
    memset(answers, 0, sizeof *answers);
}
