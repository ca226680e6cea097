"""Who sends how many bytes to whom in a distributed SpMV, by sets of columns: no code of the program takes part.

halo_by_hand.py MATRIX.mtx RANKS PARTITION KIND RECORD [PRODUCTS PHASE]
halo_by_hand.py CASES   lines of these words

MATRIX.mtx: coordinates, general. PARTITION: rows, nnz, or a file with the rank of each row. KIND: ranks, the record of
`spmodel analyze --mpi`, whose predicted and counted bytes must both be these; or messages, what libspmodel-pmpi.so wrote:
its PHASE must be PRODUCTS times these, a message a product and pair."""
import bisect
import functools
import json
import sys


def equal(n, ranks):  # as PETSC_DECIDE
    begin = [0]
    for r in range(ranks):
        begin.append(begin[-1] + n // ranks + (1 if r < n % ranks else 0))
    return begin


@functools.lru_cache(maxsize=1)
def read(name):
    with open(name) as f:
        assert "coordinate" in f.readline()
        line = f.readline()
        while line.startswith("%"):
            line = f.readline()
        n_r, n_c, _ = map(int, line.split())
        rows = [[] for _ in range(n_r)]
        for line in f:
            word = line.split()
            if word:
                rows[int(word[0]) - 1].append(int(word[1]) - 1)
    return n_r, n_c, rows


def owners(begin, n):
    return [bisect.bisect_right(begin, i) - 1 for i in range(n)]


def divide(n_r, n_c, rows, ranks, partition):
    """Rank of each row and of each column."""
    if partition == "rows":
        row = owners(equal(n_r, ranks), n_r)
    elif partition == "nnz":
        running = [0]
        for r in rows:
            running.append(running[-1] + len(r))
        begin = [0]
        for p in range(1, ranks):
            # the boundary where the running number of entries is nearest to the share
            share = running[-1] * p // ranks
            low = bisect.bisect_left(running, share)  # the boundary whose number of entries is nearest
            begin.append(low - (low > 0 and share - running[low - 1] < running[low] - share))
        row = owners(begin + [n_r], n_r)
    else:
        row = [int(x) for x in open(partition).read().split()]
    return row, row if n_r == n_c else owners(equal(n_c, ranks), n_c)


def differs(matrix, ranks, partition, kind, record, n_products=0, its_phase=0):
    ranks = int(ranks)
    n_r, n_c, rows = read(matrix)
    row_rank, col_rank = divide(n_r, n_c, rows, ranks, partition)
    needed = [set() for _ in range(ranks)]
    for i, columns in enumerate(rows):
        needed[row_rank[i]].update(columns)
    want = {}
    for p in range(ranks):
        for j in needed[p]:
            if col_rank[j] != p:
                want[col_rank[j], p] = want.get((col_rank[j], p), 0) + 8
    job = json.load(open(record))
    if kind == "ranks":
        job = job["ranks"]
        predicted = {(q["from"], q["to"]): q["predicted_B"] for q in job["pairs"]}
        counted = {(q["from"], q["to"]): q["counted_B"] for q in job["pairs"]}
        ok = predicted == want and counted == want and job["counted_as_predicted"] is True
        ok = ok and all(q["counted_messages"] == 1 for q in job["pairs"])
        ok = ok and sum(r["sent_B"] for r in job["each"]) == sum(want.values()) == job["halo_B"]
        got = counted
    else:
        products, got, messages = int(n_products), {}, {}
        for phase in job["phases"]:
            for q in phase["pairs"] if phase["phase"] == int(its_phase) else []:
                pair = q["from"], q["to"]
                got[pair] = got.get(pair, 0) + q["bytes"]
                messages[pair] = messages.get(pair, 0) + q["messages"]
        ok = got == {k: products * v for k, v in want.items()} and all(n == products for n in messages.values())
    if not ok:
        for pair in sorted(set(want) | set(got)):
            if want.get(pair) != got.get(pair):
                print("from", pair[0], "to", pair[1], "want", want.get(pair), "got", got.get(pair))
        print("the bytes are not those of the matrix")
    name = matrix.split("/")[-1].split(".")[0]
    print(kind, name, ranks, partition.split("/")[-1] + ":", len(want), "pairs,", sum(want.values()), "B")
    return not ok


def main():
    cases = [line.split() for line in open(sys.argv[1])] if len(sys.argv) == 2 else [sys.argv[1:]]
    return any([differs(*case) for case in sorted(cases)]) or not cases


sys.exit(main())
