/* What the program does when memory is refused: each allocation of a command fails in turn, once alone and,
 * for some, with all that follow. The command is run in a forked child by the program's own main(); its
 * allocations, and those of libc and jansson for it, come through the functions of this file, which know the
 * failing one.
 *
 * A command that is refused memory ends with 4 and a reason, or does without and says what it says always. It
 * never crashes, never ends with another code (1 is "regressed", 3 "make it again"), and leaves its files as
 * they were or as they should be.
 *
 * Usage: failing_allocations DATA MACHINES [CASE | few | rest | all]; "all": every allocation, not a sample;
 * "few": a quarter of the sample, "rest": without the first allocations, which "few" has all. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <jansson.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attach_log.h"
#include "sp_config.h"

int spmodel_main(int argc, char **argv);

/* ---- the seam ---- */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static struct range {
    uintptr_t begin, end;
} ours[64]; /* code of the program, libc and jansson */
static int n_ours;
static bool is_counting, fails_on; /* fails_on: all from the failing one on */
static atomic_long n_asked, failing;
static atomic_long *reported; /* shared with the parent */

static int note_module(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    (void)context;
    if (*name && strncmp(name, "libc.so", 7) != 0 && strncmp(name, "libjansson", 10) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && n_ours < 64; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            ours[n_ours++] = (struct range){begin, begin + info->dlpi_phdr[i].p_memsz};
        }
    return 0;
}

static bool refuses(const void *caller)
{
    bool is_ours = false;
    for (int i = 0; is_counting && i < n_ours; i++)
        is_ours |= (uintptr_t)caller >= ours[i].begin && (uintptr_t)caller < ours[i].end;
    if (!is_ours)
        return false;
    const long n = atomic_fetch_add(&n_asked, 1) + 1;
    atomic_store(reported, n);
    if (n != failing && !(fails_on && n > failing && failing > 0))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    if (flags & MAP_ANONYMOUS && !(flags & MAP_FIXED) && refuses(__builtin_return_address(0)))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

/* ---- one run ---- */

static char root[64], data[PATH_MAX], machines[PATH_MAX], machine[PATH_MAX + 32];

struct outcome {
    int code;   /* exit status, or 256 + signal */
    long n;     /* allocations asked for */
    char *text; /* standard output; digits as #, because times and names differ */
    char *error;
};

static char *slurp(const char *path, bool plain)
{
    char *text = calloc(1, 1);
    size_t size = 0;
    FILE *f = fopen(path, "r"), *to = open_memstream(&text, &size);
    bool was_digit = false;
    for (int c; f && (c = getc(f)) != EOF;) {
        const bool digit = !plain && ((c >= '0' && c <= '9') || c == '.');
        if (!digit || !was_digit)
            putc(digit ? '#' : c, to);
        was_digit = digit;
    }
    if (f)
        fclose(f);
    fclose(to);
    return text;
}

static void enter(const char *folder, const char *out, const char *error)
{
    char path[128];
    if (chdir(folder) != 0)
        _exit(99);
    snprintf(path, sizeof path, "%s/%s", root, out);
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    snprintf(path, sizeof path, "%s/%s", root, error);
    const int err = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(to, 1);
    dup2(err, 2);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm(60);
}

/* fails 0: none; negative: that one and all behind it. */
static struct outcome run(const char *line, long fails)
{
    char words[4 * PATH_MAX], *argv[64] = {"spmodel"}, path[128], *save;
    int argc = 1, status;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    snprintf(path, sizeof path, "%s/work", root);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        enter(path, "out", "err");
        fails_on = fails < 0;
        failing = labs(fails);
        is_counting = true;
        exit(spmodel_main(argc, argv));
    }
    waitpid(child, &status, 0);
    struct outcome o = {.code = WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status),
                        .n = atomic_load(reported)};
    snprintf(path, sizeof path, "%s/out", root);
    o.text = slurp(path, false);
    snprintf(path, sizeof path, "%s/err", root);
    o.error = slurp(path, true);
    return o;
}

static void drop(struct outcome *o)
{
    free(o->text);
    free(o->error);
    memset(o, 0, sizeof *o);
}

/* ---- folders: by hand, since a shell and its programs take ten times as long as most runs ---- */

static void need(bool done)
{
    if (!done) {
        perror("failing_allocations");
        exit(99);
    }
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static FTS *walk(char *folder)
{
    FTS *tree = fts_open((char *[]){folder, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    need(tree != NULL);
    return tree;
}

static void remove_tree(char *folder)
{
    FTS *tree = walk(folder);
    for (FTSENT *e; (e = fts_read(tree));)
        if (e->fts_info != FTS_D && e->fts_info != FTS_NS)
            need((e->fts_info == FTS_DP ? rmdir : unlink)(e->fts_path) == 0);
    fts_close(tree);
}

static void copy_file(const char *from, const char *to, const struct stat *about)
{
    const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, about->st_mode & 07777);
    need(in >= 0 && out >= 0);
    for (off_t left = about->st_size; left > 0;) {
        const ssize_t n = sendfile(out, in, NULL, (size_t)left);
        need(n > 0);
        left -= n;
    }
    close(in);
    close(out);
}

/* With times, which a store's index goes by. */
static void copy_tree(char *from, const char *to)
{
    FTS *tree = walk(from);
    for (FTSENT *e; (e = fts_read(tree));) {
        char copy[PATH_MAX], target[PATH_MAX] = "";
        snprintf(copy, sizeof copy, "%s%s", to, e->fts_path + strlen(from));
        if (e->fts_info == FTS_D) {
            need(mkdir(copy, e->fts_statp->st_mode & 07777) == 0);
            continue;
        }
        if (e->fts_info == FTS_SL)
            need(readlink(e->fts_path, target, sizeof target - 1) > 0 && symlink(target, copy) == 0);
        else if (e->fts_info != FTS_DP)
            copy_file(e->fts_path, copy, e->fts_statp);
        const struct timespec times[] = {e->fts_statp->st_atim, e->fts_statp->st_mtim};
        need(utimensat(AT_FDCWD, copy, times, AT_SYMLINK_NOFOLLOW) == 0);
    }
    fts_close(tree);
}

/* The folder that every run begins with. */
static void fresh(void)
{
    char work[128], pristine[128];
    snprintf(work, sizeof work, "%s/work", root);
    snprintf(pristine, sizeof pristine, "%s/pristine", root);
    remove_tree(work);
    copy_tree(pristine, work);
}

/* Names differ in when they were made: 20261127T101112Z. */
static void put_name(const char *name, FILE *to)
{
    for (const char *p = strstr(name, "20"); p; p = strstr(p + 1, "20")) {
        const size_t n = strspn(p, "0123456789");
        if (p[n] != 'T')
            continue;
        const size_t m = n + 1 + strspn(p + n + 1, "0123456789");
        if (p[m] == 'Z') {
            fprintf(to, "%.*sTIME%s\n", (int)(p - name), name, p + m + 1);
            return;
        }
    }
    fprintf(to, "%s\n", name);
}

/* Names of all files, and the content of records; what a store or cache keeps of its own (index, locks) is
 * only looked at by the command that reads it. */
static char *state(void)
{
    static const char *const own[] = {"/store/", "/cache/", "/labs/"};
    char work[128], *text = NULL;
    size_t size = 0;
    snprintf(work, sizeof work, "%s/work", root);
    FILE *to = open_memstream(&text, &size);
    FTS *tree = walk(work);
    for (FTSENT *e; (e = fts_read(tree));) {
        const char *name = e->fts_path + strlen(work);
        bool is_own = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            is_own = is_own || strncmp(name, own[i], strlen(own[i])) == 0;
        if (e->fts_info != FTS_F)
            continue;
        if (!is_own)
            put_name(name, to);
        else if (strncmp(name, "/store/records/", 15) == 0) {
            char *content = slurp(e->fts_path, true);
            fprintf(to, "%s: %s\n", name, content);
            free(content);
        }
    }
    fts_close(tree);
    need(fclose(to) == 0);
    return text;
}

/* ---- the cases ---- */

struct command {
    const char *name, *line;
    bool writes;       /* begins with a fresh folder each time */
    const char *reads; /* a command that must work afterwards, and say what it said before or after */
    int sample; /* 0: as all; else so many runs only: one takes long, and what it prints depends on times */
};

static const struct command commands[] = {
    {"info", "info --color never --json matrix.mtx", false, NULL, 0},
    {"model", "model --machine MACHINE --format all matrix.mtx", false, NULL, 0},
    {"model-ranks", "model --ranks 1,2 --machine MACHINE matrix.mtx", false, NULL, 0},
    {"explain", "explain roofline --json RECORD", false, NULL, 0},
    {"explain-hint", "explain Q10 RECORD", false, NULL, 0},
    {"convert", "convert -q matrix.mtx new.spm", true, "info new.spm", 0},
    {"to-petsc", "convert -q matrix.mtx new.petsc", true, "info new.petsc", 0},
    {"to-rb", "convert -q matrix.mtx new.rb", true, "info new.rb", 0},
    {"of-petsc", "info --color never --json matrix.petsc", false, NULL, 0},
    {"of-rb", "info --color never --json matrix.rb", false, NULL, 0},
#if SP_HAVE_LIBARCHIVE
    {"to-npz", "convert -q matrix.mtx new.npz", true, "info new.npz", 0},
    {"of-npz", "info --color never --json matrix.npz", false, NULL, 0},
#endif
    {"track-add", "track add ADDED", true, "track log", 0},
    {"track-log", "track log", false, NULL, 0},
    {"track-check", "track check", false, NULL, 0},
    {"track-report", "track report -q --html new.html", true, NULL, 0},
    {"track-import", "track import -q one.csv", true, "track log", 0},
    {"compare", "compare RECORD RECORD", false, NULL, 0},
    {"plot", "plot --term gp RECORD", true, NULL, 0},
    {"machine-show", "machine show MACHINE", false, NULL, 0},
    {"lab-grade", "lab grade --no-simulation lab-1", false, NULL, 0},
    {"campaign", "campaign campaign.txt --status", false, NULL, 0},
    {"validate", "validate --machine MACHINE counted.csv", false, NULL, 0},
    {"reorder", "reorder -q --method rcm matrix.mtx new.mtx", true, "info new.mtx", 0},
    {"reorder-ranks", "reorder -q --ranks 3 --partition nnz --parts parts.txt matrix.mtx", true,
     "model matrix.mtx --partition parts.txt", 0},
    {"generate", "generate -q laplace2d:10 -o new.mtx", true, "info new.mtx", 0},
    {"import", "import -q --no-plots --machine MACHINE likwid.csv matrix.mtx", true, NULL, 24},
    {"attach", "attach -q --no-plots --no-hints --machine MACHINE --only rsb_spmm --capture seen", true, NULL,
     24},
    {"import-time",
     "import -q --no-plots --no-hints --machine MACHINE --time times.txt --threads 2 matrix.mtx", true, NULL,
     12},
    {"import-perf",
     "import -q --no-plots --no-hints --machine MACHINE --perf perf.csv --executions 100 --threads 2 "
     "matrix.mtx",
     true, NULL, 12},
    {"import-ncu", "import -q --no-plots --no-hints --machine GPU --ncu ncu.csv --region csrmv matrix.mtx",
     true, NULL, 12},
    {"analyze",
     "analyze -q --threads 1 --budget 5ms --samples 3 --no-hints --no-plots --bytes sim --machine MACHINE "
     "matrix.mtx",
     true, NULL, 12},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands, DENSE = 120, SPARSE = 60 };
static int part = 1;      /* one in `part` of these runs */
static bool is_rest;      /* what "few" has is left out */
enum { FEW = DENSE / 4 }; /* first allocations that it has */

static int n_bad;

static void put_words(const char *line, char *out, size_t size)
{
    char record[PATH_MAX + 32], added[PATH_MAX + 32], gpu[PATH_MAX + 32];
    const struct {
        const char *word, *path;
    } words[] = {{"RECORD", record}, {"ADDED", added}, {"MACHINE", machine}, {"GPU", gpu}};
    enum { N_WORDS = sizeof words / sizeof *words };
    snprintf(record, sizeof record, "%s/record-kkt_power.json", data);
    snprintf(gpu, sizeof gpu, "%s/a100-sxm4-40gb.json", machines);
    snprintf(added, sizeof added, "%s/record-explain-sell.json", data);
    for (*out = '\0'; *line;) {
        const size_t n = strlen(out);
        int i = 0;
        while (i < N_WORDS && strncmp(line, words[i].word, strlen(words[i].word)) != 0)
            i++;
        if (i < N_WORDS)
            snprintf(out + n, size - n, "%s", words[i].path);
        else
            snprintf(out + n, size - n, "%c", *line);
        line += i < N_WORDS ? strlen(words[i].word) : 1;
    }
}

static void bad(const struct command *c, long n, const struct outcome *o, const char *what)
{
    if (n_bad++ < 40)
        printf("BAD %s, allocation %ld: %s (code %d%s)\n    says: %.300s\n", c->name, n, what, o->code,
               o->code > 255 ? ", a signal" : "", *o->error ? o->error : "nothing");
}

struct expected {
    struct outcome normal, read_before, read_after;
    char *before, *after;
};

static void judge(const struct command *c, long n, const struct expected *e, const struct outcome *o)
{
    if (o->code != 4 && o->code != e->normal.code)
        bad(c, n, o, "neither 4 nor the code without failure");
    else if (o->code == 4 && e->normal.code != 4 && !*o->error)
        bad(c, n, o, "4 without a reason");
    else if (o->code == e->normal.code && !c->sample && strcmp(o->text, e->normal.text) != 0)
        bad(c, n, o, "the usual code, but other output");
    if (!c->writes)
        return;
    char *now = state();
    const bool is_before = strcmp(now, e->before) == 0, is_after = strcmp(now, e->after) == 0;
    if (!is_after && (!is_before || o->code == e->normal.code))
        bad(c, n, o, "files are neither as before nor as they should be");
    if (c->reads && (is_after || strncmp(c->reads, "track", 5) == 0)) {
        struct outcome read = run(c->reads, 0);
        const struct outcome *wanted = is_after ? &e->read_after : &e->read_before;
        if (read.code != wanted->code || strcmp(read.text, wanted->text) != 0)
            bad(c, n, &read, "cannot be read afterwards as it should be");
        drop(&read);
    }
    free(now);
}

static void expect(const struct command *c, const char *line, struct expected *e)
{
    memset(e, 0, sizeof *e);
    fresh();
    e->before = state();
    if (c->reads)
        e->read_before = run(c->reads, 0);
    fresh();
    e->normal = run(line, 0);
    e->after = state();
    if (c->reads)
        e->read_after = run(c->reads, 0);
}

static void fail_each(const struct command *c, bool all)
{
    char line[3 * PATH_MAX];
    struct expected e;
    put_words(c->line, line, sizeof line);
    expect(c, line, &e);
    const long total = e.normal.n, dense = all ? total : c->sample ? 0 : DENSE / part;
    const long rest = total > dense ? total - dense : 0, sparse = (c->sample ? c->sample : SPARSE) / part;
    const long step = rest / sparse + 1;
    long n_runs = 0;
    const int bad_before = n_bad;
    if (e.normal.code == 99 || e.normal.code > 255 || e.normal.code == 2 || e.normal.code == 4 || total < 20)
        bad(c, 0, &e.normal, "does not run without a failure");
    for (long n = is_rest && !c->sample ? FEW + 1 : 1; n <= total; n += n < dense ? 1 : step)
        for (int on = 0; on < (n % 4 == 1 ? 2 : 1); on++, n_runs++) {
            if (c->writes)
                fresh();
            struct outcome o = run(line, on ? -n : n);
            judge(c, on ? -n : n, &e, &o);
            drop(&o);
        }
    printf("%-13s %6ld allocations, %5ld runs, usual code %d: %d bad\n", c->name, total, n_runs,
           e.normal.code, n_bad - bad_before);
    drop(&e.normal);
    drop(&e.read_before);
    drop(&e.read_after);
    free(e.before);
    free(e.after);
}

static void make_pristine(void)
{
    char command[5 * PATH_MAX], path[128];
    const char *tmp = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/spmodel-test-XXXXXX", tmp && *tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    if (!mkdtemp(root))
        exit(99);
    snprintf(machine, sizeof machine, "%s/ivb-e5-2660v2.json", machines);
    snprintf(
        command, sizeof command,
        "mkdir -p %s/pristine %s/work && cd %s/pristine && cp %s/likwid-kkt_power.csv likwid.csv && "
        "cp %s/perf-sockets.csv perf.csv && cp %s/ncu-details.csv ncu.csv && echo 3us, 4us >times.txt && "
        "ln -s %s/../../labs labs && printf 'matrix gen:laplace2d:5\\nrun a: --threads 1\\n' "
        ">campaign.txt && printf 'series,value,unit,date,machine\\na,1,s,2026-01-01,m\\n' >one.csv && "
        "printf 'matrix,threads,read_B\\ngen:laplace2d:30,1,9e4\\nwave,1,9\\n' >counted.csv && "
        "mkdir seen && " SP_ATTACH_FOLDER_VARIABLE "=$PWD/seen LD_PRELOAD=" SP_ATTACH_PRELOAD
        " " SP_ATTACH_APP " rsb",
        root, root, root, data, data, data, data);
    if (system(command) != 0)
        exit(99);
    snprintf(path, sizeof path, "%s/work", root);
    setenv("HOME", path, 1);
    setenv("XDG_DATA_HOME", path, 1);
    snprintf(path, sizeof path, "%s/work/cache", root);
    setenv("XDG_CACHE_HOME", path, 1);
    snprintf(path, sizeof path, "%s/work/store", root);
    setenv("SPMODEL_STORE", path, 1);
    setenv("LC_ALL", "C", 1);
    fresh();
    char add[PATH_MAX + 64];
    snprintf(add, sizeof add, "track add %s/record-explain-crs.json", data);
    const char *const lines[] = {
        "generate -q laplace2d:12 -o matrix.mtx",
        "generate -q laplace2d:12 -o matrix.petsc",
        "generate -q laplace2d:12 -o matrix.rb",
#if SP_HAVE_LIBARCHIVE
        "generate -q laplace2d:12 -o matrix.npz",
#endif
        add,
        "lab start 1 --student A"
    };
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++) {
        struct outcome o = run(lines[i], 0);
        if (o.code != 0) {
            printf("%s: code %d: %s\n", lines[i], o.code, o.error);
            exit(1);
        }
        drop(&o);
    }
    snprintf(command, sizeof command, "rm -rf %s/pristine && cp -a %s/work %s/pristine", root, root, root);
    if (system(command) != 0)
        exit(99);
}

int main(int argc, char **argv)
{
    /* libgomp has read its variables before main(). */
    if (!getenv("OMP_NUM_THREADS") || strcmp(getenv("OMP_NUM_THREADS"), "1") != 0 ||
        !getenv("OMP_WAIT_POLICY")) {
        setenv("OMP_NUM_THREADS", "1", 1);
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv);
        return 99;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *which = argc > 3 ? argv[3] : "";
    const bool all = strcmp(which, "all") == 0;
    if (strcmp(which, "few") == 0) {
        part = DENSE / FEW;
        which = "";
    }
    if (strcmp(which, "rest") == 0) {
        is_rest = true;
        which = "";
    }
    reported = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    dl_iterate_phdr(note_module, NULL);
    if (argc < 3 || !realpath(argv[1], data) || !realpath(argv[2], machines))
        return 99;
    make_pristine();
    for (int i = 0; i < N_COMMANDS; i++)
        if (all || !*which || strcmp(which, commands[i].name) == 0)
            fail_each(&commands[i], all);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0 || n_bad > 0)
        printf("%d bad\n", n_bad);
    return n_bad > 0;
}
