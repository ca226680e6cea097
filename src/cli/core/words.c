#include "cli/core/words.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static char *const *words;
static int n_words;
static const char *const *others;
static int n_others;

void sp_words_note(int argc, char *const *argv)
{
    words = argv;
    n_words = argc;
}

void sp_words_note_files(const char *const *names, int n)
{
    others = names;
    n_others = n;
}

static bool is_same_file(const struct stat *a, const char *name)
{
    struct stat b;
    return stat(name, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* The name of that file in a word: the word itself, or what stands behind the = of an option or behind a
 * colon, as in replay:FILE and gen:like:FILE:SCALE; NULL: it names another, or it is `output` itself. */
static const char *names_it(const struct stat *file, const char *word, const char *output)
{
    for (const char *part = word; part; part = strpbrk(part, "=:")) {
        part += part != word;
        if (part == output)
            return NULL;
        if (is_same_file(file, part))
            return part;
        for (const char *end = strchr(part, ':'); end; end = strchr(end + 1, ':')) {
            char name[4096];
            if ((size_t)(end - part) < sizeof name) {
                memcpy(name, part, (size_t)(end - part));
                name[end - part] = '\0';
                if (is_same_file(file, name))
                    return part;
            }
        }
    }
    return NULL;
}

static enum sp_status fail(const char *output, const char *named, struct sp_error *err)
{
    const bool same = strcmp(named, output) == 0;
    return sp_fail_at(err, SP_USAGE, output, 0, 0, "write the result to another file",
                      "the result would replace what the command line also names%s%s", same ? "" : " as ",
                      same ? "" : named);
}

enum sp_status sp_words_refuse(const char *output, struct sp_error *err)
{
    struct stat file;
    if (!*output)
        return sp_fail(err, SP_USAGE, "give the result a name, or - where standard output will do",
                       "the name of a file to write is empty");
    if (stat(output, &file) != 0 || !S_ISREG(file.st_mode))
        return SP_OK;
    for (int i = 1; i < n_words; i++) {
        const char *named = names_it(&file, words[i], output);
        if (named)
            return fail(output, named, err);
    }
    for (int i = 0; i < n_others; i++)
        if (is_same_file(&file, others[i]))
            return fail(output, others[i], err);
    return SP_OK;
}
