/* A distributed SpMV as the model sees it: times that a person computes on paper (theory), parts
 * that add up (agreement), and what is refused (contract). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/machine/machine_file.h"
#include "io/ranks/rank_files.h"
#include "run_suite.h"
#include "session/ranks/scaling.h"
#include "sparse/generate/generate.h"

static struct sp_csr grid; /* 5 points, 12 x 12 */
static struct sp_machine machine;
static struct sp_network network;

/* Nodes of two cores and one domain: 10 GB/s alone, 16 GB/s both; 1 us and 2 GB/s a rank, 3 GB/s a
 * node; inside a node 0.1 us, 4 GB/s, and 5 us more from 1000 B on. */
static void set_up(void)
{
    struct sp_error err;
    ck_assert_int_eq(sp_generate("laplace2d:12", NULL, &grid, &err), SP_OK);
    memset(&machine, 0, sizeof machine);
    snprintf(machine.name, sizeof machine.name, "paper");
    machine.n_cores = 2;
    machine.n_domains = 1;
    for (int n = 1; n <= 2; n++) {
        struct sp_ceiling c = {
            .name = "load", .level = "MEM", .precision = "f64", .n_threads = n, .n_domains = 1};
        c.value = sp_value_of(n == 1 ? 10e9 : 16e9, SP_STATED);
        ck_assert_int_eq(sp_machine_add_ceiling(&machine, &c, NULL), SP_OK);
    }
    network = (struct sp_network){.name = "paper",
                                  .between = {sp_value_of(1e-6, SP_STATED), sp_value_of(2e9, SP_STATED), 0,
                                              sp_value_none("none"), sp_value_of(3e9, SP_STATED), ""},
                                  .within = {sp_value_of(1e-7, SP_STATED), sp_value_of(4e9, SP_STATED), 1000,
                                             sp_value_of(5e-6, SP_STATED), sp_value_none("no limit"), ""}};
}

static void tear_down(void)
{
    sp_csr_free(&grid);
    sp_machine_free(&machine);
}

static const struct sp_workload stored = {.precision = SP_F64, .index = SP_I32};

static struct sp_distribution distribution(void)
{
    return (struct sp_distribution){.sizes = {8, 8, 8, 4, 4, 0},
                                    .w = 2,
                                    .r = 1,
                                    .per_node = 2,
                                    .n_threads = 1,
                                    .warm = true,
                                    .machine = &machine,
                                    .network = &network};
}

static void make(const struct sp_csr *a, int n, const struct sp_distribution *d, struct sp_distributed *out)
{
    struct sp_ranks ranks;
    struct sp_halo halo;
    struct sp_error err = {0};
    ck_assert_int_eq(sp_ranks_make(sp_division_of("rows"), a, n, &ranks, NULL), SP_OK);
    ck_assert_int_eq(sp_halo_make(a, &ranks, false, NULL, &halo, NULL), SP_OK);
    ck_assert_msg(sp_distributed_make(&halo, d, out, &err) == SP_OK, "%s", err.what);
    sp_halo_free(&halo);
    sp_ranks_free(&ranks);
}

/* ---- theory ---- */

/* A rank's rows are costed as rows one by one, not as those of stencils that go together. */
START_TEST(rows_of_ranks_do_not_go_together)
{
    static struct sp_machine timed;
    struct sp_distribution d = distribution();
    struct sp_distributed out;
    timed = machine;
    timed.n_units = 2;
    for (int i = 0; i < 2; i++)
        timed.unit[i] = (struct sp_unit_costs){.kernel = "spmv/crs/avx2",
                                               .precision = "f64",
                                               .unit_stride = i == 1,
                                               .n_threads = 1,
                                               .n_lengths = 2,
                                               .length = {1, 100},
                                               .seconds = {i ? 1e-9 : 1e-6, i ? 1e-9 : 1e-6}};
    d.machine = &timed;
    make(&grid, 4, &d, &out);
    ck_assert_double_ge(out.rank[1].own_s, 36e-6);
    sp_distributed_free(&out);
}
END_TEST

START_TEST(messages_take_latency_and_the_slower_of_two_links)
{
    const struct sp_messages few = {2, 0, 4000, 4000}, many = {2, 0, 4000, 16000}, none = {0, 0, 0, 16000};
    ck_assert_double_eq_tol(sp_messages_time(&network.between, &few), 2e-6 + 4000 / 2e9, 1e-15);
    ck_assert_double_eq_tol(sp_messages_time(&network.between, &many), 2e-6 + 16000 / 3e9, 1e-15);
    ck_assert_double_eq(sp_messages_time(&network.between, &none), 0);
    const struct sp_messages large = {3, 2, 4000, 1e9};
    ck_assert_double_eq_tol(sp_messages_time(&network.within, &large), 3e-7 + 1e-5 + 4000 / 4e9, 1e-15);
}
END_TEST

/* Ranks 1 and 2 of 4, each three of twelve lines, 36 rows; rank 1 is on the first node with rank 0.
 * Its 36 rows have 6 lines' ends of 1, all other neighbours: 5 36 - 6 = 174 entries, 24 of them
 * remote, in 24 of 36 rows: not compressed. */
START_TEST(four_strips_on_two_nodes_by_hand)
{
    const struct sp_distribution d = distribution();
    struct sp_distributed out;
    make(&grid, 4, &d, &out);
    const struct sp_rank_cost *c = &out.rank[1];
    const double local_B = 12 * 150 + 4 * 37 + 16 * 36 + 8 * 36,
                 remote_B = 12 * 24 + 4 * 37 + 16 * 36 + 8 * 24, pack_B = 24 * (4 + 3 * 8);
    ck_assert_double_eq(c->local_B, local_B);
    ck_assert_double_eq(c->remote_B, remote_B);
    ck_assert_double_eq(c->pack_B, pack_B);
    ck_assert_double_eq(c->recv_B, 192);
    ck_assert_double_eq(c->within_n, 1);
    ck_assert_double_eq(c->between_n, 1);
    ck_assert_double_eq(c->between_B, 96);
    const double exchange_s = 1e-7 + 96 / 4e9 + 1e-6 + 96 / 2e9, own_s = (local_B + remote_B) / 8e9;
    ck_assert_double_eq_tol(c->exchange_s, exchange_s, 1e-15);
    ck_assert_double_eq_tol(c->own_s, own_s, 1e-15);
    ck_assert_double_eq_tol(c->time_s, own_s + exchange_s + pack_B / 8e9, 1e-15);
    ck_assert_double_eq_tol(c->overlapped_s, fmax(local_B / 8e9, exchange_s) + (remote_B + pack_B) / 8e9,
                            1e-15);
    ck_assert_int_eq(out.n_nodes, 2);
    ck_assert_int_eq(out.n_messages, 6);
    ck_assert_int_eq(out.n_between, 2);
    ck_assert_double_eq(out.halo_B, 6 * 96);
    ck_assert_double_eq(out.between_B, 2 * 96);
    ck_assert_double_eq_tol(out.time_s.value, c->time_s, 1e-18);
    ck_assert_double_eq_tol(out.efficiency.value, out.mean_own_s.value / out.time_s.value, 1e-12);
    ck_assert_str_eq(out.level, "MEM");
    sp_distributed_free(&out);
    sp_distributed_free(&out);
}
END_TEST

/* Half of 12 x 24 points with 12 remote rows of 144: at most 40 %, so compressed. */
START_TEST(few_remote_rows_are_stored_alone)
{
    const struct sp_distribution d = distribution();
    struct sp_distributed out;
    struct sp_csr a;
    ck_assert_int_eq(sp_generate("laplace2d:12x24", NULL, &a, NULL), SP_OK);
    make(&a, 2, &d, &out);
    ck_assert_double_eq(out.rank[0].remote_B, 12 * 12 + 4 * 13 + 4 * 12 + 16 * 12 + 8 * 12);
    ck_assert_int_eq(out.n_between, 0);
    sp_distributed_free(&out);
    sp_csr_free(&a);
}
END_TEST

/* One rank of a node draws 10 GB/s, two 8 GB/s each; two vectors move the matrix once. */
START_TEST(ranks_of_a_node_share_its_memory)
{
    struct sp_distribution d = distribution();
    struct sp_distributed shared, alone, two;
    make(&grid, 2, &d, &shared);
    ck_assert_double_eq_tol(shared.roof_Bps.value, 8e9, 1);
    d.per_node = 1;
    make(&grid, 2, &d, &alone);
    ck_assert_double_eq_tol(alone.roof_Bps.value, 10e9, 1);
    ck_assert_double_eq_tol(alone.own_s.value, shared.own_s.value * 0.8, 1e-12);
    ck_assert_double_eq(alone.between_B, alone.halo_B);
    d.r = 2;
    make(&grid, 2, &d, &two);
    ck_assert_double_eq(two.halo_B, 2 * alone.halo_B);
    ck_assert_double_eq(two.rank[0].local_B - alone.rank[0].local_B, 8 * 72 + 16 * 72);
    sp_distributed_free(&shared);
    sp_distributed_free(&alone);
    sp_distributed_free(&two);
}
END_TEST

/* Domains of 9 cores and 45 GB/s, 9 GB/s a core, 80 GB/s all of them: spread ranks fill both. */
START_TEST(domains_saturate_one_by_one)
{
    struct sp_machine m = {.name = "two", .n_cores = 18, .n_domains = 2};
    static const struct {
        int threads, domains;
        double Bps;
    } known[] = {{1, 1, 9e9}, {9, 1, 45e9}, {18, 2, 80e9}};
    static const struct {
        int ranks;
        double each_Bps;
    } want[] = {{1, 9e9}, {2, 9e9}, {4, 9e9}, {8, 9e9}, {10, 8e9}, {18, 80e9 / 18}};
    for (int i = 0; i < 3; i++) {
        struct sp_ceiling c = {.name = "load", .level = "MEM", .precision = "f64"};
        c.n_threads = known[i].threads;
        c.n_domains = known[i].domains;
        c.value = sp_value_of(known[i].Bps, SP_STATED);
        ck_assert_int_eq(sp_machine_add_ceiling(&m, &c, NULL), SP_OK);
    }
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct sp_distribution d = distribution();
        struct sp_distributed out;
        d.machine = &m;
        d.per_node = 18;
        make(&grid, want[i].ranks, &d, &out);
        ck_assert_double_eq_tol(out.roof_Bps.value, want[i].each_Bps, 1);
        sp_distributed_free(&out);
    }
    ck_assert_int_eq(sp_ranks_of_node(&m, 4), 4);
    sp_machine_free(&m);
}
END_TEST

/* ---- agreement ---- */

static struct sp_scaling_request request(const char *partition)
{
    struct sp_scaling_request q = {.count = {1, 2, 4, 8, 200},
                                   .n_counts = 5,
                                   .per_node = 2,
                                   .n_threads = 1,
                                   .partition = partition,
                                   .w = 2,
                                   .remedies = true,
                                   .machine = &machine,
                                   .network = &network};
    return q;
}

/* All messages arrive; the map has all bytes; more ranks than rows are no trouble; one rank alone
 * has nothing to exchange. */
START_TEST(curves_add_up)
{
    const struct sp_scaling_request q = request("nnz");
    struct sp_scaling s;
    struct sp_error err = {0};
    ck_assert_msg(sp_scaling_make(&q, &grid, "grid", NULL, &s, &err) == SP_OK, "%s", err.what);
    ck_assert_int_eq(s.n, 5);
    for (int i = 0; i < s.n; i++) {
        double recv = 0, sent = 0, moved = 0, nz = 0;
        for (int p = 0; p < s.count[i].n_ranks; p++) {
            const struct sp_rank_cost *c = &s.count[i].rank[p];
            recv += c->recv_B;
            sent += c->sent_B;
            moved += c->local_B + c->remote_B + c->pack_B;
            nz += (double)(s.ranks[i][p].local_nz + s.ranks[i][p].remote_nz);
            ck_assert_double_le(c->overlapped_s, c->time_s + 1e-18);
            ck_assert_double_le(c->time_s, s.count[i].time_s.value + 1e-18);
        }
        ck_assert_double_eq(recv, sent);
        ck_assert_double_eq(recv, s.count[i].halo_B);
        ck_assert_double_eq(moved, s.count[i].moved_B);
        ck_assert_double_eq(nz, (double)grid.n_nz);
        ck_assert_double_le(s.count[i].efficiency.value, 1 + 1e-12);
    }
    ck_assert_double_eq(s.count[0].halo_B, 0);
    ck_assert_double_eq(s.count[0].exchange_s.value, 0);
    ck_assert_double_eq_tol(sp_scaling_speedup(&s, 1).value, 1, 1e-12); /* 2 ranks are one node */
    double sum = 0;
    for (int k = 0; k < s.map.n_bins * s.map.n_bins; k++)
        sum += s.map.bytes[k];
    ck_assert_double_eq_tol(sum, s.count[4].halo_B, 1e-9);
    ck_assert_int_eq(s.map.ranks_of_bin, 4);
    ck_assert_int_ge(s.n_remedies, 4);
    ck_assert_int_eq(s.takes_over, s.examined);
    sp_scaling_free(&s);
    sp_scaling_free(&s);
}
END_TEST

/* A matrix on ranks, with what they send. */
struct divided {
    struct sp_csr matrix;
    struct sp_ranks ranks;
    struct sp_halo halo;
};

static void divide(const char *matrix, const char *division, int n_ranks, struct divided *d)
{
    ck_assert_int_eq(sp_generate(matrix, NULL, &d->matrix, NULL), SP_OK);
    ck_assert_int_eq(sp_ranks_make(sp_division_of(division), &d->matrix, n_ranks, &d->ranks, NULL), SP_OK);
    ck_assert_int_eq(sp_halo_make(&d->matrix, &d->ranks, false, NULL, &d->halo, NULL), SP_OK);
}

static void divided_free(struct divided *d)
{
    sp_halo_free(&d->halo);
    sp_ranks_free(&d->ranks);
    sp_csr_free(&d->matrix);
}

static void make_loads(const struct divided *v, struct sp_local_loads *loads)
{
    struct sp_distribution d = distribution();
    ck_assert_int_eq(sp_local_loads_make(&v->matrix, &v->ranks, &v->halo, &d, &stored, NULL, loads, NULL),
                     SP_OK);
}

/* The machine's only one. */
static void set_cache(int64_t size_B, int cores_sharing)
{
    machine.n_caches = 1;
    machine.cache[0] = (struct sp_cache){.level = 1,
                                         .size_B = size_B,
                                         .effective_B = sp_value_none("stated"),
                                         .cycle_B = sp_value_none("stated"),
                                         .line_B = 64,
                                         .cores_sharing = cores_sharing};
}

/* x loaded by simulation: once where caches hold it, more where they do not. */
START_TEST(small_caches_load_x_more_often)
{
    struct divided v;
    struct sp_local_loads loads;
    divide("random:4000:8", "rows", 2, &v);
    for (int large = 0; large < 2; large++) {
        set_cache(large ? 1 << 24 : 4096, 2);
        make_loads(&v, &loads);
        for (int p = 0; p < 2; p++)
            if (large)
                ck_assert_double_eq(loads.local[p], 1);
            else
                ck_assert_double_gt(loads.local[p], 2);
        sp_local_loads_free(&loads);
    }
    divided_free(&v);
}
END_TEST

/* Of ranks of equal length 32 are simulated, none of them twice: the others have the mean. */
START_TEST(samples_are_different_ranks)
{
    enum { N = 40 };
    struct divided v;
    struct sp_local_loads loads;
    divide("random:4000:8", "nnz", N, &v);
    for (int p = 0; p < N; p++) { /* the first one is the longest */
        v.halo.rank[p].local_nz = N;
        v.halo.rank[p].remote_nz = 7 * N;
    }
    set_cache(2048, 1);
    make_loads(&v, &loads);
    ck_assert_int_eq(loads.n_simulated, SP_SIMULATED_RANKS);
    int most = 0;
    for (int p = 0; p < N; p++) {
        int alike = 0;
        for (int q = 0; q < N; q++)
            alike += loads.remote[q] == loads.remote[p];
        most = alike > most ? alike : most;
    }
    ck_assert_int_eq(most, N - SP_SIMULATED_RANKS);
    sp_local_loads_free(&loads);
    divided_free(&v);
}
END_TEST

/* Gathers of random columns come from memory, 1e8 of them a second for both ranks, 1e9 from the
 * cache: nearly each of a rank's entries waits for its half of 1e8. */
START_TEST(gathers_wait_for_memory)
{
    struct divided v;
    struct sp_local_loads loads;
    divide("random:20000:8", "rows", 2, &v);
    set_cache(4096, 2);
    for (int far = 0; far < 2; far++) {
        struct sp_ceiling c = {.name = "gather", .precision = "f64", .n_threads = 2, .n_domains = 1};
        snprintf(c.level, sizeof c.level, far ? "MEM" : "L1");
        c.value = sp_value_of(far ? 1e8 : 1e9, SP_STATED);
        ck_assert_int_eq(sp_machine_add_ceiling(&machine, &c, NULL), SP_OK);
    }
    make_loads(&v, &loads);
    for (int p = 0; p < 2; p++) {
        const double most = (double)v.halo.rank[p].local_nz * 2 * (1 / 1e8 - 1 / 1e9);
        ck_assert_double_gt(loads.local_core_s[p], 0.9 * most);
        ck_assert_double_le(loads.local_core_s[p], most * (1 + 1e-9));
    }
    sp_local_loads_free(&loads);
    divided_free(&v);
}
END_TEST

/* ---- contract ---- */

static char path[64];

static const char *file(const char *text)
{
    strcpy(path, "/tmp/spmodel-ranks-XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

START_TEST(partition_files_are_read_or_refused)
{
    static const struct {
        const char *text, *what;
    } wrong[] = {{"0\n1\n", "it has 2 lines, the matrix has 3 rows"},
                 {"0\n1\n0\n1\n", "there are more lines than the matrix has rows, 3"},
                 {"0\nx\n0\n", "'x' is no number of a part"},
                 {"0\n-1\n0\n", "'-1' is no number of a part"},
                 {"0\n1 2\n0\n", "'1 2' is no number of a part"},
                 {"0\n\n0\n", "'' is no number of a part"},
                 {"0\n99999999999\n0\n", "'99999999999' is no number of a part"}};
    struct sp_error err;
    int32_t *part, written[] = {2, 0, 1};
    int n;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(sp_row_parts_read(file(wrong[i].text), 3, &part, &n, &err), SP_INPUT);
        ck_assert_str_eq(err.what, wrong[i].what);
        ck_assert_ptr_null(part);
        unlink(path);
    }
    ck_assert_int_eq(sp_row_parts_read(file(" 0\r\n2 \n0\n\n \r\n"), 3, &part, &n, &err), SP_OK);
    ck_assert_int_eq(n, 3);
    ck_assert_int_eq(part[1], 2);
    free(part);
    ck_assert_int_eq(sp_row_parts_write(path, written, 3, &err), SP_OK);
    ck_assert_int_eq(sp_row_parts_read(path, 3, &part, &n, &err), SP_OK);
    ck_assert_mem_eq(part, written, sizeof written);
    free(part);
    unlink(path);
}
END_TEST

#define PATH_OF                                                                                              \
    "{\"rendezvous\": null, \"latency\": {\"value\": 1e-6, \"unit\": \"s\", \"origin\": \"stated\"}, "       \
    "\"rank_bandwidth\": "                                                                                   \
    "{\"value\": 1e9, "                                                                                      \
    "\"unit\": \"B/s\", \"origin\": \"stated\"}, \"node_bandwidth\": null, \"how\": \"here\"}"
#define HEAD "{\"schema\": \"spmodel.network/1\", \"name\": \"n\", \"what\": \"w\", \"source\": \"s\", "

START_TEST(network_files_are_read_or_refused)
{
    static const struct {
        const char *text, *what;
    } wrong[] = {
        {"[]", "key \"schema\": is missing"},
        {"{\"schema\": \"spmodel.network/2\"}", "must be \"spmodel.network/1\""},
        {HEAD "\"between\": null, \"within\": null}", "are both null: nothing is described"},
        {HEAD "\"between\": 3, \"within\": null}", "key \"between\": must be an object, or null"},
        {HEAD "\"within\": " PATH_OF "}", "key \"between\": is missing"},
        {HEAD "\"between\": {\"how\": \"\", \"latency\": {\"value\": 0, \"unit\": \"s\", \"origin\": "
              "\"stated\"}}, "
              "\"within\": null}",
         "key \"value\" in latency: must be a number from 1e-18 to 1e18"},
        {HEAD "\"between\": {\"how\": \"\", \"latency\": {\"value\": 1e-320, \"unit\": \"s\", \"origin\": "
              "\"stated\"}}, "
              "\"within\": null}",
         "key \"value\" in latency: must be a number from 1e-18 to 1e18"},
        {HEAD "\"between\": {\"how\": \"\", \"latency\": {\"value\": 1, \"unit\": \"s\", \"origin\": "
              "\"modelled\"}}, "
              "\"within\": null}",
         "key \"origin\" in latency: must be measured or stated"},
        {HEAD "\"between\": {\"how\": \"\", \"latency\": {\"value\": 1, \"unit\": \"us\", \"origin\": "
              "\"stated\"}}, "
              "\"within\": null}",
         "key \"unit\" in latency: must be \"s\""},
    };
    struct sp_network n;
    struct sp_error err;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(sp_network_file_read(file(wrong[i].text), &n, &err), SP_INPUT);
        ck_assert_msg(strstr(err.what, wrong[i].what) != NULL, "%s", err.what);
        unlink(path);
    }
    ck_assert_int_eq(sp_network_file_read(file(HEAD "\"between\": null, \"within\": " PATH_OF "}"), &n, &err),
                     SP_OK);
    ck_assert(!sp_value_known(n.between.latency_s) && sp_value_known(n.within.latency_s));
    unlink(path);
    ck_assert_int_eq(sp_network_file_read("/nowhere.json", &n, &err), SP_INPUT);
}
END_TEST

/* In the user's own folder: those that come with the program, alone and two for one. */
START_TEST(networks_are_found_by_name)
{
    struct sp_network n;
    struct sp_error err = {0};
    char home[] = "/tmp/spmodel-ranks-XXXXXX", folder[64], link[80];
    ck_assert_ptr_nonnull(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/spmodel", home);
    snprintf(link, sizeof link, "%s/networks", folder);
    ck_assert(mkdir(folder, 0700) == 0 && symlink(SP_NETWORKS, link) == 0);
    setenv("XDG_DATA_HOME", home, 1);
    ck_assert_msg(sp_network_find("slingshot-10,shm", &n, &err) == SP_OK, "%s", err.what);
    ck_assert_double_eq_tol(n.between.latency_s.value, 2.33e-6, 1e-12);
    ck_assert_double_eq(n.within.rendezvous_B, 4096);
    ck_assert_int_eq(sp_network_find("ari", &n, &err), SP_OK);
    ck_assert_str_eq(n.name, "aries");
    ck_assert_ptr_eq(sp_network_within(&n), &n.between);
    ck_assert_int_eq(sp_network_find("s", &n, &err), SP_USAGE);
    ck_assert_int_eq(sp_network_find("token-ring", &n, &err), SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "slingshot-10"));
    unlink(link);
    rmdir(folder);
    rmdir(home);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    struct sp_scaling s;
    struct sp_error err;
    struct sp_scaling_request q = request("columns.txt");
    ck_assert_int_eq(sp_scaling_make(&q, &grid, "grid", NULL, &s, &err), SP_INPUT);
    q = request("rows");
    q.per_node = 3;
    ck_assert_int_eq(sp_scaling_make(&q, &grid, "grid", NULL, &s, &err), SP_USAGE);
    ck_assert_str_eq(err.what, "3 ranks of 1 thread on a node: paper has 2 cores");
    q = request("rows");
    network.between.latency_s = sp_value_none("not described");
    ck_assert_int_eq(sp_scaling_make(&q, &grid, "grid", NULL, &s, &err), SP_USAGE);
    q.machine = NULL;
    q.network = NULL;
    ck_assert_int_eq(sp_scaling_make(&q, &grid, "grid", NULL, &s, &err), SP_OK);
    ck_assert(!sp_value_known(s.count[0].time_s) && s.fastest == -1 && s.n_remedies == 0);
    ck_assert_double_gt(s.count[1].halo_B, 0);
    sp_scaling_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("distributed");
    TCase *all = tcase_create("distributed");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, messages_take_latency_and_the_slower_of_two_links);
    tcase_add_test(all, rows_of_ranks_do_not_go_together);
    tcase_add_test(all, four_strips_on_two_nodes_by_hand);
    tcase_add_test(all, few_remote_rows_are_stored_alone);
    tcase_add_test(all, ranks_of_a_node_share_its_memory);
    tcase_add_test(all, domains_saturate_one_by_one);
    tcase_add_test(all, curves_add_up);
    tcase_add_test(all, small_caches_load_x_more_often);
    tcase_add_test(all, samples_are_different_ranks);
    tcase_add_test(all, gathers_wait_for_memory);
    tcase_add_test(all, partition_files_are_read_or_refused);
    tcase_add_test(all, network_files_are_read_or_refused);
    tcase_add_test(all, networks_are_found_by_name);
    tcase_add_test(all, what_cannot_be_is_refused);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
