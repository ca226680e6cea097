/* Campaigns: their file, claims of several processes, records made once, nodes that stand out. */
#include <check.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/new_file.h"
#include "io/scratch_folder.h"
#include "track/campaign_jobs.h"
#include "track/node_screen.h"

static char dir[64];

static void make_dir(void)
{
    strcpy(dir, "/tmp/test_campaign.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    ck_assert_int_eq(system(command), 0);
}

static const char *write_file(const char *name, const char *text)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    return path;
}

static struct sp_campaign read_campaign(const char *text, const char *round, const char *host)
{
    struct sp_campaign c;
    struct sp_error err = {0};
    const enum sp_status status = sp_campaign_read(write_file("c.txt", text), round, host, &c, &err);
    ck_assert_msg(status == SP_OK, "%s: %s", text, err.what);
    return c;
}

START_TEST(matrices_and_runs_make_jobs)
{
    make_dir();
    write_file("a.mtx", "a");
    write_file("b.mtx", "bb");
    write_file("with blank.mtx", "c");
    struct sp_campaign c = read_campaign("# two patterns, one file twice\n"
                                         "matrix [ab].mtx gen:laplace2d:5 # here too\n"
                                         "\n"
                                         "\tmatrix \"with blank.mtx\" a.mtx\n"
                                         "run crs: --threads 2 --machine 'my machine'\n"
                                         "run none:\n",
                                         "", "");
    char path[256];
    snprintf(path, sizeof path, "%s/with blank.mtx", dir);
    ck_assert_int_eq(c.n_matrices, 4);
    ck_assert_int_eq(c.n_runs, 2);
    ck_assert_int_eq(c.n_jobs, 8);
    ck_assert_str_eq(c.matrix[1].text, "b.mtx");
    ck_assert_str_eq(c.matrix[3].path, path);
    ck_assert_str_eq(c.matrix[2].path, "gen:laplace2d:5");
    ck_assert(c.matrix[1].size_B == 2 && c.matrix[1].modified_ns > 0 && c.matrix[2].size_B == 0);
    ck_assert_int_eq(c.run[0].n_words, 4);
    ck_assert_str_eq(c.run[0].word[3], "my machine");
    ck_assert_int_eq(c.run[1].n_words, 0);
    ck_assert(c.job[3].matrix == &c.matrix[1] && c.job[3].run == &c.run[1]);
    for (int i = 0; i < c.n_jobs; i++)
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(c.job[i].id, c.job[k].id);
    sp_campaign_free(&c);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

/* Of the folder nothing is a pattern, nor of what is in quotes. */
START_TEST(patterns_are_what_is_typed_as_such)
{
    make_dir();
    char folder[128], path[256];
    snprintf(folder, sizeof folder, "%s/[x]", dir);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    write_file("[x]/a.mtx", "a");
    write_file("[x]/*.mtx", "b");
    snprintf(path, sizeof path, "%s", write_file("[x]/c.txt", "matrix '*.mtx'\nrun r: --x '*'\n"));
    struct sp_campaign c;
    struct sp_error err = {0};
    ck_assert_msg(sp_campaign_read(path, "", "", &c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c.n_matrices, 1);
    ck_assert_str_eq(c.matrix[0].text, "*.mtx");
    ck_assert_str_eq(c.run[0].word[1], "*");
    sp_campaign_free(&c);
    snprintf(path, sizeof path, "%s", write_file("[x]/c.txt", "matrix *.mtx\nrun r: --x\n"));
    ck_assert_msg(sp_campaign_read(path, "", "", &c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c.n_matrices, 2);
    ck_assert_str_eq(c.matrix[0].text, "*.mtx");
    ck_assert_str_eq(c.matrix[1].text, "a.mtx");
    sp_campaign_free(&c);
    snprintf(path, sizeof path, "%s", write_file("[x]/c.txt", "matrix '*'*x\nrun r: --x\n"));
    ck_assert_msg(sp_campaign_read(path, "", "", &c, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(c.n_matrices, 1);
    ck_assert_str_eq(c.matrix[0].text, "*.mtx");
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(mistakes_are_named_with_their_line)
{
    static const struct {
        const char *text;
        int line;
        const char *what;
    } cases[] = {
        {"matrix gen:a\nrums crs:\n", 2, "'rums'"},
        {"matrix nothing.mtx\nrun a:\n", 1, "No such file"},
        {"# x\nmatrix *.nothing\nrun a:\n", 2, "no file fits '*.nothing'"},
        {"matrix\n", 1, "no matrix is named"},
        {"matrix -\n", 1, "standard input"},
        {"matrix .\n", 1, "this is no file"},
        {"matrix gen:a\nrun crs --threads 2\n", 2, "begins with its name"},
        {"matrix gen:a\nrun :\n", 2, "begins with its name"},
        {"matrix gen:a\nrun\n", 2, "begins with its name"},
        {"matrix gen:a\nrun a: --x 1\n\nrun a: --x 2\n", 4, "line 2 has a run of this"},
        {"matrix gen:a\nrun a: --x=1 --y\nrun b: --y --x 1\n", 3, "the same options has the run 'a'"},
        {"matrix gen:a\nrun a: --out=here\n", 2, "does not take '--out=here'"},
        {"matrix gen:a\nrun a: -o here\n", 2, "does not take '-o'"},
        {"matrix gen:a\nrun a: --json\n", 2, "does not take '--json'"},
        {"matrix '*.mtx'\nrun a:\n", 1, "No such file or directory '*.mtx'"},
        {"matrix gen:a\nrun a\xff: --x 1\n", 2, "no UTF-8"},
        {"matrix 'gen:a\n", 1, "a quote does not end"},
        {"matrix gen:a\n", 0, "no run"},
        {"run a:\n", 0, "no matrix"},
        {"", 0, "no run"},
    };
    make_dir();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_campaign c;
        struct sp_error err = {0};
        const char *path = write_file("c.txt", cases[i].text);
        ck_assert_int_eq(sp_campaign_read(path, "", "", &c, &err), SP_INPUT);
        ck_assert_msg(strstr(err.what, cases[i].what), "'%s' says '%s'", cases[i].text, err.what);
        ck_assert_str_eq(err.path, path);
        ck_assert_int_eq(err.line, cases[i].line);
        ck_assert(c.n_jobs == 0 && c.run == NULL);
    }
    remove_dir();
}
END_TEST

static uint64_t hash_of(const char *text)
{
    char line[256], *word[SP_MOST_WORDS];
    int n;
    snprintf(line, sizeof line, "%s", text);
    ck_assert_ptr_null(sp_campaign_split(line, word, &n));
    return sp_campaign_hash_options(word, n);
}

START_TEST(options_are_told_apart_by_what_they_ask_for)
{
    static const char *const same[][2] = {
        {"--threads 8 --format crs", "--format=crs   --threads=8"},
        {"-t 8 --no-pin", "--no-pin -t 8"},
        {"--x ' a' --y", "--y --x \" a\""},
        {"", "   "},
    };
    static const char *const other[][2] = {
        {"--threads 8", "--threads 4"},
        {"--x 1 --x 2", "--x 2 --x 1"},
        {"--a -1 --b -2", "--a -2 --b -1"},
        {"--a b --c", "--a --c b"},
        {"--format crs", "--formatcrs"},
        {"--x ab --y c", "--x a --y bc"},
        {"--format sell:8,1", "--format sell:8,64"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ck_assert_msg(hash_of(same[i][0]) == hash_of(same[i][1]), "%s", same[i][0]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        ck_assert_msg(hash_of(other[i][0]) != hash_of(other[i][1]), "%s", other[i][0]);
}
END_TEST

static bool has_job(const struct sp_campaign *c, const char *id)
{
    for (int i = 0; i < c->n_jobs; i++)
        if (strcmp(c->job[i].id, id) == 0)
            return true;
    return false;
}

/* A line more, another name of a run, another order: what was there is still there. */
START_TEST(a_changed_file_only_adds_jobs)
{
    make_dir();
    const struct timespec later[2] = {{4000, 0}, {4000, 0}};
    const char *path = write_file("m.mtx", "m");
    struct sp_campaign before = read_campaign("matrix m.mtx gen:a\nrun crs: --threads 2\n", "", "");
    struct sp_campaign after = read_campaign("run new: --threads 4\nrun renamed: --threads=2\n"
                                             "matrix gen:b gen:a\nmatrix *.mtx\n",
                                             "", "");
    ck_assert_int_eq(after.n_jobs, 6);
    for (int i = 0; i < before.n_jobs; i++)
        ck_assert(has_job(&after, before.job[i].id));
    path = write_file("m.mtx", "m");
    ck_assert_int_eq(utimensat(AT_FDCWD, path, later, 0), 0);
    struct sp_campaign touched = read_campaign("matrix m.mtx gen:a\nrun crs: --threads 2\n", "", "");
    ck_assert(!has_job(&touched, before.job[0].id) && has_job(&touched, before.job[1].id));
    struct sp_campaign again = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "monday", "");
    ck_assert(!has_job(&before, again.job[0].id));
    struct sp_campaign here = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "node1");
    ck_assert_str_eq(here.job[0].task, before.job[1].task);
    ck_assert_str_ne(here.job[0].id, before.job[1].id);
    sp_campaign_free(&before);
    sp_campaign_free(&after);
    sp_campaign_free(&touched);
    sp_campaign_free(&again);
    sp_campaign_free(&here);
    remove_dir();
}
END_TEST

static struct sp_claims open_claims(double stale_s)
{
    struct sp_claims claims;
    char path[128];
    snprintf(path, sizeof path, "%s/claims", dir);
    ck_assert_int_eq(sp_claims_open(path, stale_s, true, &claims, NULL), SP_OK);
    return claims;
}

START_TEST(a_new_file_is_made_once)
{
    make_dir();
    char path[128], text[16] = "";
    bool made;
    struct sp_error err;
    snprintf(path, sizeof path, "%s/new", dir);
    ck_assert_int_eq(sp_new_file(path, "first", 5, &made, &err), SP_OK);
    ck_assert(made);
    ck_assert_int_eq(sp_new_file(path, "second", 6, &made, &err), SP_OK);
    ck_assert(!made);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    fclose(f);
    ck_assert_str_eq(text, "first");
    struct stat facts;
    const mode_t mask = umask(027); /* permissions are the user's */
    snprintf(path, sizeof path, "%s/masked", dir);
    ck_assert_int_eq(sp_new_file(path, "x", 1, &made, &err), SP_OK);
    umask(mask);
    ck_assert(made && stat(path, &facts) == 0 && (facts.st_mode & 0777) == 0640);
    unlink(path);
    snprintf(path, sizeof path, "%s/absent/new", dir);
    ck_assert_int_eq(sp_new_file(path, "x", 1, &made, &err), SP_OUTPUT);
    snprintf(path, sizeof path, "test $(ls -A '%s' | wc -l) -eq 1", dir); /* nothing half-written is left */
    ck_assert_int_eq(system(path), 0);
    remove_dir();
}
END_TEST

/* Children that all try to take names 0 ... n - 1 and then live until all have tried. Returns how many claims
 * were taken in all. */
static int race(int n_children, int n_names)
{
    int told[2], over[2], total = 0;
    pid_t child[16];
    ck_assert(pipe(told) == 0 && pipe(over) == 0);
    for (int c = 0; c < n_children; c++) {
        child[c] = fork();
        if (child[c] == 0) {
            const struct sp_claims claims = open_claims(600);
            int taken_here = 0;
            char end;
            close(over[1]);
            for (int i = 0; i < n_names; i++) {
                struct sp_claim claim;
                char name[16];
                bool taken;
                snprintf(name, sizeof name, "j%d", i);
                if (sp_claim_take(&claims, name, &taken, &claim, NULL) != SP_OK)
                    _exit(1);
                taken_here += taken;
            }
            if (write(told[1], &taken_here, sizeof taken_here) != sizeof taken_here)
                _exit(1);
            _exit(read(over[0], &end, 1) == 0 ? 0 : 1);
        }
    }
    for (int c = 0; c < n_children; c++) {
        int taken = 0;
        ck_assert_int_eq(read(told[0], &taken, sizeof taken), sizeof taken);
        total += taken;
    }
    close(over[1]);
    for (int c = 0; c < n_children; c++) {
        int status;
        waitpid(child[c], &status, 0);
        ck_assert_int_eq(status, 0);
    }
    close(over[0]);
    close(told[0]);
    close(told[1]);
    return total;
}

START_TEST(a_claim_is_made_once)
{
    make_dir();
    ck_assert_int_eq(race(6, 50), 50);
    /* All six have ended: their claims are stale, and again one of six wins each. */
    ck_assert_int_eq(race(6, 50), 50);
    ck_assert_int_eq(race(1, 50), 50);
    remove_dir();
}
END_TEST

static void write_claim(const struct sp_claimant *owner, double age_s)
{
    char text[512], path[256];
    struct stat facts;
    sp_claimant_print(owner, text, sizeof text);
    snprintf(path, sizeof path, "%s", write_file("claims/job.1", text));
    ck_assert_int_eq(stat(path, &facts), 0);
    const struct timespec times[2] = {{facts.st_mtim.tv_sec - (time_t)age_s, 0},
                                      {facts.st_mtim.tv_sec - (time_t)age_s, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(stale_claims_are_taken_over)
{
    make_dir();
    struct sp_claims claims = open_claims(300);
    struct sp_claim claim, mine;
    struct sp_claimant owner = claims.self;
    bool taken;
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_FREE);
    write_claim(&owner, 0); /* this process lives */
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_HELD);
    ck_assert_int_eq(sp_claim_look(&claims, "jo", &claim), SP_CLAIM_FREE);
    owner.start++; /* another process of the same number, which has ended */
    write_claim(&owner, 0);
    ck_assert(sp_claim_look(&claims, "job", &claim) == SP_CLAIM_STALE && claim.is_ended);
    strcpy(owner.boot, "of another machine"); /* nothing is known of its processes */
    write_claim(&owner, 100);
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_HELD);
    ck_assert_int_eq(sp_claim_take(&claims, "job", &taken, &mine, NULL), SP_OK);
    ck_assert(!taken);
    write_claim(&owner, 400);
    ck_assert(sp_claim_look(&claims, "job", &claim) == SP_CLAIM_STALE && !claim.is_ended);
    sp_claim_touch(&claims, "job", &claim); /* a sign of life */
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_HELD);
    write_claim(&owner, 400);
    ck_assert_int_eq(sp_claim_take(&claims, "job", &taken, &mine, NULL), SP_OK);
    ck_assert(taken && mine.number == 2);
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_HELD);
    sp_claim_drop(&claims, "job", &(struct sp_claim){.number = 1}); /* the one that was outdone wakes up */
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_HELD);
    sp_claim_drop(&claims, "job", &mine);
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_FREE);
    const char *part = write_file("claims/.job.1.abc", "unfinished");
    sp_claims_sweep(&claims); /* perhaps its maker is about to finish it */
    ck_assert_int_eq(access(part, F_OK), 0);
    const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
    ck_assert_int_eq(utimensat(AT_FDCWD, part, long_ago, 0), 0);
    sp_claims_sweep(&claims);
    ck_assert_int_ne(access(part, F_OK), 0);
    write_file("claims/job.1", "damaged"); /* nobody knows whose: by its age alone */
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_HELD);
    remove_dir();
}
END_TEST

static void write_record(const char *folder, const char *name, const char *status)
{
    struct sp_record r;
    char path[4200];
    ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
    sp_record_set_text(&r, "status", status);
    sp_record_set_text(&r, "problem.name", "m");
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    ck_assert_int_eq(sp_record_write(&r, path, NULL), SP_OK);
    sp_record_free(&r);
}

static struct sp_campaign_store open_store(void)
{
    struct sp_store store;
    struct sp_campaign_store c;
    char path[128];
    snprintf(path, sizeof path, "%s/store", dir);
    ck_assert_int_eq(sp_store_open(path, true, &store, NULL), SP_OK);
    ck_assert_int_eq(sp_campaign_store_open(&store, 600, true, &c, NULL), SP_OK);
    return c;
}

static int n_records(const struct sp_campaign_store *c)
{
    struct sp_record_paths paths = {0};
    ck_assert_int_eq(sp_store_list(&c->store, &paths, NULL), SP_OK);
    const int n = paths.n;
    sp_record_paths_free(&paths);
    return n;
}

static enum sp_status deliver(const struct sp_campaign_store *c, const struct sp_campaign_job *job, int n,
                              const char *state, struct sp_error *err)
{
    char work[4096], name[16];
    ck_assert_int_eq(sp_job_work_make(c, job, work, err), SP_OK);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "r%d", i);
        write_record(work, name, state);
    }
    const enum sp_status status = sp_job_deliver(c, job, work, err);
    sp_folder_remove(work);
    ck_assert_int_ne(access(work, F_OK), 0);
    return status;
}

/* Above a claim that counts a stale one may lie: its owner looked before the name was given up and begun
 * anew. */
START_TEST(a_claim_has_no_rival)
{
    make_dir();
    const struct sp_claims claims = open_claims(300);
    struct sp_claim claim;
    char path[256];
    bool taken;
    ck_assert_int_eq(sp_claim_take(&claims, "job", &taken, &claim, NULL), SP_OK);
    ck_assert(taken && claim.number == 1);
    snprintf(path, sizeof path, "%s", write_file("claims/job.2", "{}"));
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    ck_assert_int_eq(sp_claim_look(&claims, "job", &claim), SP_CLAIM_STALE);
    ck_assert_int_eq(sp_claim_take(&claims, "job", &taken, &claim, NULL), SP_OK);
    ck_assert(!taken);
    snprintf(path, sizeof path, "%s/claims/job.3", dir);
    ck_assert_int_ne(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/claims/job.1", dir);
    ck_assert_int_eq(unlink(path), 0); /* the rival has gone: the stale one is outdone */
    ck_assert_int_eq(sp_claim_take(&claims, "job", &taken, &claim, NULL), SP_OK);
    ck_assert(taken && claim.number == 3);
    remove_dir();
}
END_TEST

/* Who only looks knows the file server's clock where the folder can be written. */
START_TEST(looking_knows_whose_clock)
{
    make_dir();
    struct sp_claims claims = open_claims(300);
    char path[128];
    snprintf(path, sizeof path, "%s/claims", dir);
    ck_assert_int_eq(sp_claims_open(path, 300, false, &claims, NULL), SP_OK);
    ck_assert(!claims.by_local_clock);
    snprintf(path, sizeof path, "%s/absent", dir);
    ck_assert_int_eq(sp_claims_open(path, 300, false, &claims, NULL), SP_OK);
    ck_assert(claims.by_local_clock);
    ck_assert_int_ne(access(path, F_OK), 0);
    remove_dir();
}
END_TEST

/* Work of an owner that was silent for long and may be alive stays until the job is done. */
START_TEST(only_the_work_of_the_dead_is_swept)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    const struct sp_campaign_job *job = &c.job[0];
    char work[4096], name[64];
    ck_assert_int_eq(sp_job_work_make(&store, job, work, NULL), SP_OK);
    snprintf(name, sizeof name, "store/campaign/claims/%s.1", job->id);
    const char *path = write_file(name, "{\"host\": \"elsewhere\", \"boot\": \"other\", \"pid\": 1}");
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    sp_campaign_sweep(&store, &c);
    ck_assert_int_eq(access(work, F_OK), 0);
    ck_assert_int_eq(deliver(&store, job, 1, "complete", NULL), SP_OK);
    sp_campaign_sweep(&store, &c);
    ck_assert_int_ne(access(work, F_OK), 0);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

/* One that was killed and that nobody has waited for still has its number. */
START_TEST(a_dead_process_holds_no_claim)
{
    make_dir();
    const struct sp_claims claims = open_claims(300);
    struct sp_claim claim;
    siginfo_t info;
    bool taken;
    const pid_t child = fork();
    if (child == 0) {
        const struct sp_claims own = open_claims(300);
        sp_claim_take(&own, "job", &taken, &claim, NULL);
        raise(SIGKILL);
    }
    ck_assert_int_eq(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    ck_assert(sp_claim_look(&claims, "job", &claim) == SP_CLAIM_STALE && claim.is_ended);
    ck_assert_int_eq(claim.owner.pid, (int)child);
    waitpid(child, NULL, 0);
    ck_assert(sp_claim_look(&claims, "job", &claim) == SP_CLAIM_STALE && claim.is_ended);
    remove_dir();
}
END_TEST

START_TEST(a_job_has_one_record)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a gen:b\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    struct sp_job_view view;
    struct sp_error err;
    struct sp_record r;
    const char *text;
    ck_assert_int_eq(deliver(&store, &c.job[0], 0, "complete", &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "no record"));
    ck_assert_int_eq(deliver(&store, &c.job[0], 1, "interrupted", &err), SP_INPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "not complete"));
    sp_job_look(&store, &c.job[0], &view);
    ck_assert_int_eq(view.state, SP_JOB_WAITING);
    for (int again = 0; again < 3; again++)
        ck_assert_int_eq(deliver(&store, &c.job[0], 1, "complete", &err), SP_OK);
    ck_assert_int_eq(n_records(&store), 1);
    sp_job_look(&store, &c.job[0], &view);
    ck_assert_int_eq(view.state, SP_JOB_DONE);
    ck_assert_int_eq(sp_record_read(view.record, &r, NULL), SP_OK);
    ck_assert(sp_record_text(&r, "campaign.run", &text) && strcmp(text, "crs") == 0);
    ck_assert(sp_record_text(&r, "campaign.matrix", &text) && strcmp(text, "gen:a") == 0);
    ck_assert(sp_record_text(&r, "campaign.job", &text) && strcmp(text, c.job[0].id) == 0);
    sp_record_free(&r);
    ck_assert_int_eq(deliver(&store, &c.job[1], 3, "complete", &err), SP_OK); /* several widths */
    ck_assert_int_eq(n_records(&store), 4);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(failures_are_kept_and_run_again_when_asked)
{
    make_dir();
    struct sp_campaign c = read_campaign("matrix gen:a\nrun crs: --threads 2\n", "", "");
    const struct sp_campaign_store store = open_store();
    const struct sp_campaign_job *job = &c.job[0];
    struct sp_job_failure failure = {.exit_code = 3, .error = "cut \xc3", .last = "remedy"};
    struct sp_job_view view;
    struct sp_claim claim;
    bool taken;
    ck_assert_int_eq(sp_job_take(&store, job, 0, &taken, &claim, NULL), SP_OK);
    ck_assert(taken);
    sp_job_look(&store, job, &view);
    ck_assert(view.state == SP_JOB_CLAIMED && view.claim.owner.pid == (int)getpid());
    ck_assert_int_eq(sp_job_fail(&store, job, &failure, NULL), SP_OK);
    sp_job_drop(&store, job, &claim);
    sp_job_look(&store, job, &view);
    ck_assert(view.state == SP_JOB_FAILED && view.failure.exit_code == 3 && view.failure.attempt == 1);
    ck_assert_str_eq(view.failure.error, "cut ?");
    ck_assert_str_eq(view.failure.last, "remedy");
    ck_assert_int_eq(sp_job_take(&store, job, 0, &taken, &claim, NULL), SP_OK);
    ck_assert(!taken);
    ck_assert_int_eq(sp_job_take(&store, job, 1, &taken, &claim, NULL), SP_OK);
    ck_assert(taken);
    ck_assert_int_eq(sp_job_fail(&store, job, &failure, NULL), SP_OK);
    sp_job_drop(&store, job, &claim);
    /* Another process that was also asked for one more attempt sees that it has been made. */
    ck_assert_int_eq(sp_job_take(&store, job, 1, &taken, &claim, NULL), SP_OK);
    ck_assert(!taken);
    ck_assert_int_eq(deliver(&store, job, 1, "complete", NULL), SP_OK);
    sp_job_look(&store, job, &view);
    ck_assert_int_eq(view.state, SP_JOB_DONE);
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

START_TEST(jobs_of_a_machine_take_turns)
{
    make_dir();
    const struct sp_campaign_store store = open_store();
    struct sp_claim first, second, third;
    int slot[3];
    ck_assert_int_eq(sp_slot_take(&store, 1, &slot[0], &first, NULL), SP_OK);
    ck_assert_int_eq(slot[0], 0);
    ck_assert_int_eq(sp_slot_take(&store, 1, &slot[1], &second, NULL), SP_OK);
    ck_assert_int_eq(slot[1], -1);
    ck_assert_int_eq(sp_slot_take(&store, 2, &slot[1], &second, NULL), SP_OK);
    ck_assert_int_eq(slot[1], 1);
    sp_slot_drop(&store, slot[0], &first);
    ck_assert_int_eq(sp_slot_take(&store, 1, &slot[2], &third, NULL), SP_OK);
    ck_assert_int_eq(slot[2], 0);
    remove_dir();
}
END_TEST

/* A process that does jobs until none is left; each start of one leaves a byte in a log. */
static void work_off(const struct sp_campaign *c, const char *log)
{
    const struct sp_campaign_store store = open_store();
    for (int i = 0; i < c->n_jobs; i++) {
        struct sp_claim claim;
        bool taken;
        if (sp_job_take(&store, &c->job[i], 0, &taken, &claim, NULL) != SP_OK)
            _exit(1);
        if (!taken)
            continue;
        const int fd = open(log, O_CREAT | O_WRONLY | O_APPEND, 0644);
        if (write(fd, "x", 1) != 1 || deliver(&store, &c->job[i], 1, "complete", NULL) != SP_OK)
            _exit(1);
        close(fd);
        sp_job_drop(&store, &c->job[i], &claim);
    }
    _exit(0);
}

/* Two processes at a time, killed twenty times in the middle of their work: in the end every job has one
 * record, and no kill cost more than the job that was being done. */
START_TEST(a_kill_costs_at_most_a_job)
{
    enum { N = 120, KILLS = 20 };
    make_dir();
    char text[16 + 8 * N] = "run crs: --threads 2\nmatrix", log[128];
    struct stat facts;
    int killed = 0;
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " gen:%d", i);
    strcat(text, "\nrun two: --x\nrun three: --y\n");
    struct sp_campaign c = read_campaign(text, "", "");
    ck_assert_int_eq(c.n_jobs, N);
    snprintf(log, sizeof log, "%s/log", dir);
    const struct sp_campaign_store store = open_store();
    for (int round = 0; round <= KILLS; round++) {
        pid_t child[2];
        for (int k = 0; k < 2; k++)
            if ((child[k] = fork()) == 0)
                work_off(&c, log);
        usleep(4000);
        for (int k = 0; k < 2; k++) {
            int status;
            if (round < KILLS)
                kill(child[k], SIGKILL);
            waitpid(child[k], &status, 0);
            ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
            killed += WIFSIGNALED(status);
        }
    }
    ck_assert_int_eq(n_records(&store), N);
    ck_assert_int_eq(stat(log, &facts), 0);
    ck_assert_msg(facts.st_size <= N + killed, "%d starts of %d jobs, %d kills", (int)facts.st_size, N,
                  killed);
    for (int i = 0; i < N; i++) {
        struct sp_job_view view;
        sp_job_look(&store, &c.job[i], &view);
        ck_assert_int_eq(view.state, SP_JOB_DONE);
    }
    sp_campaign_free(&c);
    remove_dir();
}
END_TEST

static struct sp_screen screen_of(const double *value, int n, struct sp_node_value *node)
{
    struct sp_screen s;
    for (int i = 0; i < n; i++)
        node[i] = (struct sp_node_value){.value = value[i]};
    ck_assert_int_eq(sp_screen_nodes(node, n, &s, NULL), SP_OK);
    return s;
}

START_TEST(nodes_that_stand_out_are_named)
{
    /* Median 1, absolute deviations 0 0.01 0.01 0.02 0.3: MAD 0.01. */
    static const double one_slow[] = {0.99, 1.3, 1.0, 1.01, 0.98};
    struct sp_node_value node[16];
    struct sp_screen s = screen_of(one_slow, 5, node);
    ck_assert(s.can_tell && s.n == 5);
    ck_assert_double_eq_tol(s.median, 1.0, 1e-12);
    ck_assert_double_eq_tol(s.deviation, 0.014826, 1e-9);
    ck_assert_double_eq_tol(s.limit, 0.07413, 1e-9);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(node[i].is_outlier, i == 1);
    ck_assert_double_eq_tol(node[1].change, 0.3, 1e-12);
    /* Alike to the last digit but one: the floor keeps the limit from 0. */
    static const double alike[] = {1, 1, 1, 1, 1, 1.02, 1.05};
    s = screen_of(alike, 7, node);
    ck_assert_double_eq_tol(s.limit, SP_SCREEN_FLOOR, 1e-12);
    ck_assert(!node[5].is_outlier && node[6].is_outlier);
    static const double few[] = {1, 1, 2};
    s = screen_of(few, 3, node);
    ck_assert(!s.can_tell && !node[2].is_outlier);
    /* A third of all nodes hides neither itself nor the others. */
    static const double many[] = {1, 1.01, 0.99, 1.005, 0.995, 1, 1.2, 1.2, 1.25};
    s = screen_of(many, 9, node);
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(node[i].is_outlier, i > 5);
}
END_TEST

static uint64_t state = 1;

/* Nearly normal, mean 0, deviation 1: twelve uniform numbers. */
static double random_normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(state >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* Eight nodes with a noise of 1 %: how often is a good one named, how often one that is 10 % slower? */
START_TEST(good_nodes_are_seldom_named)
{
    enum { TRIALS = 4000, N = 8 };
    int false_alarms = 0, found = 0;
    for (int t = 0; t < TRIALS; t++) {
        struct sp_node_value node[N];
        double value[N];
        int named = 0;
        for (int i = 0; i < N; i++)
            value[i] = exp(0.01 * random_normal());
        screen_of(value, N, node);
        for (int i = 0; i < N; i++)
            named += node[i].is_outlier;
        false_alarms += named > 0;
        value[3] *= 1.1;
        screen_of(value, N, node);
        found += node[3].is_outlier;
    }
    ck_assert_msg(false_alarms < 0.01 * TRIALS, "%d false alarms of %d", false_alarms, TRIALS);
    ck_assert_msg(found > 0.9 * TRIALS, "%d of %d found", found, TRIALS);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("campaign");
    TCase *t = tcase_create("campaign");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, matrices_and_runs_make_jobs);
    tcase_add_test(t, patterns_are_what_is_typed_as_such);
    tcase_add_test(t, mistakes_are_named_with_their_line);
    tcase_add_test(t, options_are_told_apart_by_what_they_ask_for);
    tcase_add_test(t, a_changed_file_only_adds_jobs);
    tcase_add_test(t, a_new_file_is_made_once);
    tcase_add_test(t, a_claim_is_made_once);
    tcase_add_test(t, stale_claims_are_taken_over);
    tcase_add_test(t, a_dead_process_holds_no_claim);
    tcase_add_test(t, a_claim_has_no_rival);
    tcase_add_test(t, looking_knows_whose_clock);
    tcase_add_test(t, only_the_work_of_the_dead_is_swept);
    tcase_add_test(t, a_job_has_one_record);
    tcase_add_test(t, failures_are_kept_and_run_again_when_asked);
    tcase_add_test(t, jobs_of_a_machine_take_turns);
    tcase_add_test(t, a_kill_costs_at_most_a_job);
    tcase_add_test(t, nodes_that_stand_out_are_named);
    tcase_add_test(t, good_nodes_are_seldom_named);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
