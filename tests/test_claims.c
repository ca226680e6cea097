/* Names that one of many processes holds: files made once, claims, and who has died. */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/part_file.h"
#include "run_suite.h"
#include "scratch_dir.h"
#include "track/store/claim.h"

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

int main(void)
{
    Suite *s = suite_create("claims");
    TCase *t = tcase_create("claims");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_new_file_is_made_once);
    tcase_add_test(t, a_claim_is_made_once);
    tcase_add_test(t, stale_claims_are_taken_over);
    tcase_add_test(t, a_dead_process_holds_no_claim);
    tcase_add_test(t, a_claim_has_no_rival);
    tcase_add_test(t, looking_knows_whose_clock);
    suite_add_tcase(s, t);
    return run_suite(s);
}
