#include "track/campaign/campaign_file.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "io/files/input_file.h"

/* Words of a campaign's lines: splitting, and options in one way of writing. */

/* Characters of patterns that stood in quotes, as bytes of no text, until they are found. */
static const char of_patterns[] = "*?[", marks[] = "\001\002\003";

static char replaced(char c, const char *from, const char *to)
{
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : c;
}

static void campaign_unmark(char *word)
{
    for (; *word; word++)
        *word = replaced(*word, marks, of_patterns);
}

static bool campaign_is_mark(char c)
{
    return c && strchr(marks, c);
}

/* One word from *from on, unquoted in place; *from is behind it. False: a quote does not end. */
static bool take_word(char **from, char **word)
{
    char *p = *from, *to = p, quote = '\0';
    *word = p;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (quote && *p == quote)
            quote = '\0';
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else
            *to++ = quote ? replaced(*p, of_patterns, marks) : *p;
    }
    *from = *p ? p + 1 : p;
    *to = '\0';
    return !quote;
}

const char *sp_campaign_split(char *line, char *word[], int *n)
{
    *n = 0;
    for (char *p = line;;) {
        while (isspace((unsigned char)*p))
            p++;
        if (!*p || *p == '#')
            return NULL;
        if (*n == SP_MOST_WORDS)
            return "too many words in one line";
        if (!take_word(&p, &word[*n]))
            return "a quote does not end";
        (*n)++;
    }
}

/* An option with what belongs to it. */
struct group {
    char *const *word;
    int n, place; /* of its first word: later options overrule earlier ones, so equals keep their order */
};

static size_t name_length(const char *option)
{
    return strcspn(option, "=");
}

static int by_option(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    const size_t n = name_length(x->word[0]), m = name_length(y->word[0]);
    const int order = strncmp(x->word[0], y->word[0], n < m ? n : m);
    return order ? order : n != m ? (n < m ? -1 : 1) : x->place - y->place;
}

static bool begins_option(const char *word)
{
    return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

static uint64_t hash_part(uint64_t h, const char *text, size_t n)
{
    const char end = '\0';
    return sp_hash64(&end, 1, sp_hash64(text, n, h));
}

uint64_t sp_campaign_hash_options(char *const *word, int n)
{
    struct group group[SP_MOST_WORDS];
    int n_groups = 0;
    uint64_t h = 0;
    for (int i = 0; i < n && n_groups < SP_MOST_WORDS; i++) {
        if (i == 0 || begins_option(word[i]))
            group[n_groups++] = (struct group){word + i, 1, i};
        else
            group[n_groups - 1].n++;
    }
    sp_sort_by(group, n_groups, sizeof *group, by_option);
    for (int g = 0; g < n_groups; g++) {
        const char *first = group[g].word[0];
        const size_t length = strncmp(first, "--", 2) == 0 ? name_length(first) : strlen(first);
        h = hash_part(h, first, length);
        if (first[length] == '=')
            h = hash_part(h, first + length + 1, strlen(first + length + 1));
        for (int i = 1; i < group[g].n; i++)
            h = hash_part(h, group[g].word[i], strlen(group[g].word[i]));
    }
    return h;
}

/* What the lines of one file are read into. */
struct reading {
    const char *path;
    int folder; /* length of its folder with the slash; 0: none */
    int64_t line;
    struct sp_campaign *campaign;
    struct sp_error *err;
};

static enum sp_status wrong(const struct reading *r, const char *remedy, const char *what, const char *word)
{
    return sp_fail_at(r->err, SP_INPUT, r->path, r->line, 0, remedy, "%s%s%s%s", what, word ? " '" : "",
                      word ? word : "", word ? "'" : "");
}

static enum sp_status no_memory(const struct reading *r)
{
    return sp_fail_at(r->err, SP_MEMORY, r->path, r->line, 0, NULL, "no memory for the jobs");
}

/* Room for one more of n. */
static void *grown(void *list, int n, size_t size)
{
    return (n & (n - 1)) == 0 ? realloc(list, (n > 0 ? 2 * (size_t)n : 1) * size) : list;
}

static bool is_generated(const char *text)
{
    return strncmp(text, "gen:", 4) == 0;
}

static bool is_utf8(const char *text)
{
    json_t *string = json_string(text);
    json_decref(string);
    return string != NULL;
}

/* One matrix by its name relative to the file's folder; not added twice. */
static enum sp_status add_matrix(struct reading *r, const char *text)
{
    struct sp_campaign *c = r->campaign;
    struct stat facts = {0};
    char path[4096];
    const bool plain = is_generated(text) || text[0] == '/';
    if (!is_utf8(text))
        return wrong(r, "records and tables are UTF-8: rename the file", "the name of a file is no UTF-8",
                     NULL);
    for (int i = 0; i < c->n_matrices; i++)
        if (strcmp(c->matrix[i].text, text) == 0)
            return SP_OK;
    if (snprintf(path, sizeof path, "%.*s%s", plain ? 0 : r->folder, r->path, text) >= (int)sizeof path)
        return wrong(r, NULL, "the name is too long:", text);
    if (!is_generated(text) && stat(path, &facts) != 0)
        return wrong(r, "names are relative to the folder of the campaign's file", strerror(errno), text);
    if (!is_generated(text) && !S_ISREG(facts.st_mode))
        return wrong(r, NULL, "this is no file:", text);
    struct sp_campaign_matrix *more = grown(c->matrix, c->n_matrices, sizeof *more);
    if (!more)
        return no_memory(r);
    c->matrix = more;
    struct sp_campaign_matrix *m = &c->matrix[c->n_matrices];
    *m = (struct sp_campaign_matrix){.text = strdup(text), .path = strdup(path), .line = r->line};
    c->n_matrices++;
    if (!is_generated(text)) {
        m->size_B = facts.st_size;
        m->modified_ns = facts.st_mtim.tv_sec * INT64_C(1000000000) + facts.st_mtim.tv_nsec;
    }
    return m->text && m->path ? SP_OK : no_memory(r);
}

/* What glob() takes for `folder` bytes as they are, and a pattern behind. False: too long. */
static bool make_pattern(const char *path, int folder, const char *text, char *pattern, size_t size)
{
    size_t n = 0;
    for (int i = 0; i < folder && n + 3 < size; i++) {
        if (strchr("*?[\\", path[i]))
            pattern[n++] = '\\';
        pattern[n++] = path[i];
    }
    for (; *text && n + 3 < size; text++) {
        char c[2] = {*text, '\0'};
        if (campaign_is_mark(*c))
            pattern[n++] = '\\';
        campaign_unmark(c);
        pattern[n++] = *c;
    }
    pattern[n] = '\0';
    return n + 3 < size;
}

/* All files that a pattern stands for, in alphabetical order. */
static enum sp_status add_pattern(struct reading *r, char *text)
{
    char pattern[4096];
    glob_t found;
    const int folder = text[0] == '/' ? 0 : r->folder;
    if (!make_pattern(r->path, folder, text, pattern, sizeof pattern))
        return wrong(r, NULL, "the pattern is too long:", text);
    const int failed = glob(pattern, GLOB_MARK, NULL, &found);
    enum sp_status status = SP_OK;
    int n = 0;
    for (size_t i = 0; !failed && i < found.gl_pathc && status == SP_OK; i++) {
        const char *name = found.gl_pathv[i];
        if (name[strlen(name) - 1] == '/')
            continue;
        status = add_matrix(r, name + folder);
        n++;
    }
    campaign_unmark(text); /* as it was typed */
    if (status == SP_OK && n == 0)
        status = wrong(r, "patterns are relative to the folder of the campaign's file", "no file fits", text);
    globfree(&found);
    return status;
}

static enum sp_status add_matrices(struct reading *r, char **word, int n)
{
    enum sp_status status =
        n == 0 ? wrong(r, "matrix PATTERN, FILE or gen:KIND", "no matrix is named", NULL) : SP_OK;
    for (int i = 0; i < n && status == SP_OK; i++) {
        if (!is_generated(word[i]) && strpbrk(word[i], "*?[")) {
            status = add_pattern(r, word[i]);
            continue;
        }
        campaign_unmark(word[i]);
        status = strcmp(word[i], "-") == 0
                     ? wrong(r, NULL, "standard input cannot be read by many jobs", NULL)
                     : add_matrix(r, word[i]);
    }
    return status;
}

/* Options that the campaign gives itself. */
static bool is_taken(const char *option)
{
    static const char *const taken[] = {SP_O_OUT,  SP_O_JSON,  SP_O_CSV,    SP_O_HTML,
                                        SP_O_HELP, SP_O_USAGE, SP_O_VERSION};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strncmp(option, taken[i], strlen(taken[i])) == 0 && strchr("=", option[strlen(taken[i])]))
            return true;
    return strncmp(option, "-o", 2) == 0 || strcmp(option, "-?") == 0 || strcmp(option, "--") == 0;
}

static enum sp_status check_run(const struct reading *r, const struct sp_campaign_run *run)
{
    char text[160];
    for (int i = 0; i < run->n_words; i++)
        if (is_taken(run->word[i]))
            return wrong(r, "its records go into the store", "a campaign's run does not take", run->word[i]);
    for (const struct sp_campaign_run *other = r->campaign->run; other < run; other++) {
        snprintf(text, sizeof text, "line %lld has a run of this name:", (long long)other->line);
        if (strcmp(other->name, run->name) == 0)
            return wrong(r, "names tell runs apart", text, run->name);
        if (sp_campaign_hash_options(other->word, other->n_words) ==
            sp_campaign_hash_options(run->word, run->n_words))
            return wrong(r, "one of the two is enough", "the same options has the run", other->name);
    }
    return SP_OK;
}

/* word[0]: "NAME:", the others are options. */
static enum sp_status add_run(struct reading *r, char **word, int n)
{
    struct sp_campaign *c = r->campaign;
    const size_t length = n > 0 ? strlen(word[0]) : 0;
    if (length < 2 || word[0][length - 1] != ':')
        return wrong(r, "run NAME: OPTIONS, for example: run crs: " SP_O_THREADS " 8",
                     "a run begins with its name:", n > 0 ? word[0] : NULL);
    if (length > sizeof c->run->name)
        return wrong(r, NULL, "the name is longer than 63 bytes:", word[0]);
    struct sp_campaign_run *more = grown(c->run, c->n_runs, sizeof *more);
    if (!more)
        return no_memory(r);
    c->run = more;
    struct sp_campaign_run *run = &c->run[c->n_runs++];
    *run = (struct sp_campaign_run){.line = r->line, .word = calloc((size_t)n, sizeof *run->word)};
    memcpy(run->name, word[0], length - 1);
    bool whole = run->word != NULL;
    for (int i = 1; i < n && whole; i++) {
        run->word[run->n_words] = strdup(word[i]);
        whole = run->word[run->n_words++] != NULL;
    }
    return whole ? check_run(r, run) : no_memory(r);
}

static enum sp_status take_line(struct reading *r, char *line)
{
    char *word[SP_MOST_WORDS];
    int n;
    if (!is_utf8(line))
        return wrong(r, "records and tables are UTF-8", "this line is no UTF-8", NULL);
    const char *bad = sp_campaign_split(line, word, &n);
    if (bad)
        return wrong(r, NULL, bad, NULL);
    for (int i = 0; n > 0 && strcmp(word[0], "matrix") != 0 && i < n; i++)
        campaign_unmark(word[i]);
    return n == 0                           ? SP_OK
           : strcmp(word[0], "matrix") == 0 ? add_matrices(r, word + 1, n - 1)
           : strcmp(word[0], "run") == 0
               ? add_run(r, word + 1, n - 1)
               : wrong(r, "a line begins with matrix, run or #", "a line cannot begin with", word[0]);
}

static enum sp_status take_lines(struct reading *r)
{
    char *line = NULL;
    size_t size = 0;
    FILE *f;
    enum sp_status status = sp_input_open(r->path, &f, r->err);
    for (ssize_t n; status == SP_OK && (n = getline(&line, &size, f)) >= 0;) {
        r->line++;
        const bool is_marked = r->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0; /* by an editor */
        status = strlen(line) == (size_t)n
                     ? take_line(r, is_marked ? line + 3 : line)
                     : wrong(r, "write the line again", "this line has a byte 0 in it", NULL);
    }
    if (status == SP_OK && !feof(f)) /* an error, or no memory for a line */
        status = sp_fail_at(r->err, sp_input_status(errno), r->path, r->line, 0, NULL, "%s", strerror(errno));
    free(line);
    if (f)
        fclose(f);
    return status;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
    return sp_hash64(text, strlen(text) + 1, h);
}

static void name_job(struct sp_campaign_job *job, const char *round, const char *host)
{
    uint64_t h = sp_campaign_hash_options(job->run->word, job->run->n_words);
    h = hash_text(h, job->matrix->text);
    h = sp_hash64(&job->matrix->size_B, sizeof job->matrix->size_B, h);
    h = sp_hash64(&job->matrix->modified_ns, sizeof job->matrix->modified_ns, h);
    if (*round)
        h = hash_text(h, round);
    snprintf(job->task, sizeof job->task, "%016llx", (unsigned long long)h);
    if (*host)
        h = hash_text(h + 1, host);
    snprintf(job->id, sizeof job->id, "%016llx", (unsigned long long)h);
}

static enum sp_status make_jobs(const struct reading *r, const char *round, const char *host)
{
    struct sp_campaign *c = r->campaign;
    if (c->n_runs == 0 || c->n_matrices == 0)
        return sp_fail_at(r->err, SP_INPUT, r->path, 0, 0,
                          "matrix gen:laplace3d:100, run crs: " SP_O_THREADS " 8", "it names no %s",
                          c->n_runs == 0 ? "run" : "matrix");
    if ((int64_t)c->n_runs * c->n_matrices > SP_MOST_JOBS)
        return sp_fail_at(r->err, SP_INPUT, r->path, 0, 0, "make several files of it", "more than %d jobs",
                          SP_MOST_JOBS);
    c->job = calloc((size_t)c->n_matrices * (size_t)c->n_runs, sizeof *c->job);
    if (!c->job)
        return no_memory(r);
    for (int m = 0; m < c->n_matrices; m++)
        for (int k = 0; k < c->n_runs; k++) {
            struct sp_campaign_job *job = &c->job[c->n_jobs++];
            job->matrix = &c->matrix[m];
            job->run = &c->run[k];
            name_job(job, round, host);
        }
    return SP_OK;
}

enum sp_status sp_campaign_read(const char *path, const char *round, const char *host,
                                struct sp_campaign *campaign, struct sp_error *err)
{
    const char *slash = strrchr(path, '/');
    struct reading r = {path, slash ? (int)(slash + 1 - path) : 0, 0, campaign, err};
    memset(campaign, 0, sizeof *campaign);
    enum sp_status status = take_lines(&r);
    if (status == SP_OK)
        status = make_jobs(&r, round, host);
    if (status != SP_OK)
        sp_campaign_free(campaign);
    return status;
}

void sp_campaign_free(struct sp_campaign *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->n_runs; i++) {
        for (int k = 0; k < c->run[i].n_words; k++)
            free(c->run[i].word[k]);
        free(c->run[i].word);
    }
    for (int i = 0; i < c->n_matrices; i++) {
        free(c->matrix[i].text);
        free(c->matrix[i].path);
    }
    free(c->run);
    free(c->matrix);
    free(c->job);
    memset(c, 0, sizeof *c);
}
