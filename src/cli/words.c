#include "cli/words.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_WORDS = 256 };
static const char *words[MAX_WORDS];
static int n_words;

void sp_words_note(const char *word)
{
    if (n_words < MAX_WORDS)
        words[n_words++] = word;
}

static bool is_same_file(const struct stat *a, const char *name)
{
    struct stat b;
    return stat(name, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

enum sp_status sp_words_refuse(const char *output, struct sp_error *err)
{
    struct stat file;
    if (!*output)
        return sp_fail(err, SP_USAGE, "give the result a name, or - where standard output will do",
                       "the name of a file to write is empty");
    if (stat(output, &file) != 0 || !S_ISREG(file.st_mode))
        return SP_OK;
    for (int i = 0; i < n_words; i++)
        if (words[i] != output && is_same_file(&file, words[i]))
            return sp_fail_at(err, SP_USAGE, output, 0, 0, "write the result to another file",
                              "the result would replace what the command line also names%s%s",
                              strcmp(words[i], output) == 0 ? "" : " as ",
                              strcmp(words[i], output) == 0 ? "" : words[i]);
    return SP_OK;
}
