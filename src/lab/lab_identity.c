/* Whose matrix a document is of, and by which command it was made. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "lab/lab_audit.h"
#include "lab/lab_command.h"

enum { MOST_WORDS = 200 };

/* A recorded command, cut at its blanks outside quotes. Records of older versions have no quotes around paths
 * with blanks: there they are several words. */
struct words {
    char text[4200];
    int n, at; /* the next one */
    char *word[MOST_WORDS];
};

/* Cuts off the next word, its quotes removed as a shell does it; NULL: there is none. */
static char *next_word(char **rest)
{
    char *from = *rest + strspn(*rest, " "), *word = from, *to = from;
    bool quoted = false;
    if (*from == '\0')
        return NULL;
    for (; *from && (quoted || *from != ' '); from++) {
        if (*from == '\'')
            quoted = !quoted;
        else if (!quoted && *from == '\\' && from[1])
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *rest = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

/* False: it has more words than any command of a lab. */
static bool cut(const char *command, struct words *w)
{
    char *rest = w->text, *word;
    w->n = w->at = 0;
    if (snprintf(w->text, sizeof w->text, "%s", command) >= (int)sizeof w->text)
        return false;
    while ((word = next_word(&rest)) != NULL) {
        if (w->n == MOST_WORDS)
            return false;
        w->word[w->n++] = word;
    }
    return true;
}

/* Words from a free option on that belong to it, 0: it is the lab's. Free is what says where results go, how
 * much is printed and how long to measure. */
static int free_words(char *const *word, int n, bool machine_too)
{
    const bool has_path = strcmp(word[0], SP_O_OUT) == 0 || strcmp(word[0], SP_O_HTML) == 0 ||
                          strncmp(word[0], SP_O_JSON "=", 7) == 0 ||
                          (machine_too && strcmp(word[0], SP_O_MACHINE) == 0);
    if (strcmp(word[0], SP_O_NO_PLOTS) == 0 || strcmp(word[0], SP_O_NO_HINTS) == 0 ||
        strcmp(word[0], "-v") == 0 || strcmp(word[0], "-q") == 0)
        return 1;
    if (strcmp(word[0], SP_O_BUDGET) == 0 || strcmp(word[0], SP_O_SAMPLES) == 0)
        return n > 1 ? 2 : 1;
    int used = has_path;
    while (has_path && used < n && strncmp(word[used], "--", 2) != 0)
        used++;
    return used;
}

static void skip_free(struct words *w, bool machine_too)
{
    int n = 1;
    while (w->at < w->n && (n = free_words(w->word + w->at, w->n - w->at, machine_too)) > 0)
        w->at += n;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Takes the next words if they are the wanted argument; the folder of labs may lie elsewhere. */
static bool take(struct words *w, const char *wanted, const char *labs_folder)
{
    const char *at = strstr(wanted, labs_folder);
    if (w->at == w->n)
        return false;
    if (!at)
        return strcmp(w->word[w->at++], wanted) == 0;
    if (strncmp(w->word[w->at], wanted, (size_t)(at - wanted)) != 0)
        return false;
    do {
        if (ends_with(w->word[w->at++], at + strlen(labs_folder)))
            return true;
    } while (w->at < w->n && strncmp(w->word[w->at], "--", 2) != 0);
    return false;
}

static bool names_machine(const struct sp_lab_command *command)
{
    for (int i = 0; i < command->n; i++)
        if (strcmp(command->argument[i], SP_O_MACHINE) == 0)
            return true;
    return false;
}

/* The lab's arguments in their order, nothing missing and nothing added. */
static bool same_command(const struct sp_lab_command *command, const char *recorded, const char *labs_folder)
{
    struct words w;
    const bool machine_too = !names_machine(command);
    if (!cut(recorded, &w) || w.n == 0)
        return false;
    w.at = 1;
    for (int i = 1; i < command->n; i++) {
        const int n = free_words(command->argument + i, command->n - i, machine_too);
        if (n > 0) {
            i += n - 1;
            continue;
        }
        skip_free(&w, machine_too);
        if (!take(&w, command->argument[i], labs_folder))
            return false;
    }
    skip_free(&w, machine_too);
    return w.at == w.n;
}

/* The matrix of a command: its first argument that names a generated one. */
static const char *matrix_of(const struct sp_lab_command *command)
{
    for (int i = 1; i < command->n; i++)
        if (strncmp(command->argument[i], "gen:", 4) == 0)
            return command->argument[i];
    return NULL;
}

static const char *sizes_of(const struct sp_lab_command *command)
{
    for (int i = 1; i + 1 < command->n; i++)
        if (strcmp(command->argument[i], SP_O_SIZES) == 0)
            return command->argument[i + 1];
    return NULL;
}

/* What a document says of its matrix, in the words of the command: a name, or sizes. */
static const char *said(const json_t *document, bool sizes, char *text, size_t size)
{
    const json_t *problem = json_object_get(document, "problem");
    const json_t *n_r = json_object_get(problem, "rows"), *n_c = json_object_get(problem, "cols"),
                 *n_nz = json_object_get(problem, "nnz");
    if (sizes && json_is_integer(n_r) && json_is_integer(n_c) && json_is_integer(n_nz)) {
        snprintf(text, size, "%lld,%lld,%lld", (long long)json_integer_value(n_r),
                 (long long)json_integer_value(n_c), (long long)json_integer_value(n_nz));
        return text;
    }
    const char *path = json_string_value(json_object_get(problem, "path"));
    snprintf(text, size, "%s", path ? path : sp_lab_text(problem, "name"));
    return *text ? text : "no matrix";
}

enum sp_status sp_lab_audit_identity(const struct sp_lab_folder *folder, const char *run,
                                     const json_t *document, struct sp_lab_audit *audit, struct sp_error *err)
{
    struct sp_lab_command command;
    char text[600];
    const json_t *item = sp_lab_item(json_object_get(folder->lab.root, "runs"), run);
    enum sp_status status = sp_lab_command_make(folder, item, NULL, &command, err);
    if (status != SP_OK)
        return status;
    const char *matrix = matrix_of(&command), *sizes = sizes_of(&command), *wanted = matrix ? matrix : sizes,
               *found = said(document, !matrix && sizes, text, sizeof text),
               *typed = sp_lab_text(document, "command");
    if (wanted && strcmp(wanted, found) != 0)
        sp_lab_audit_add(audit, run, SP_FLAG_MATRIX, "it is of %.100s; this student's is %.100s", found,
                         wanted);
    else if (!*typed)
        sp_lab_audit_add(audit, run, SP_FLAG_COMMAND, "it does not say which command made it");
    else if (!same_command(&command, typed, folder->lab.folder))
        sp_lab_audit_add(audit, run, SP_FLAG_COMMAND, "it was made by another command: %.200s", typed);
    sp_lab_command_free(&command);
    return SP_OK;
}
