"""Records of spmodel as trees for Hatchet and Thicket: what a product takes, and its parts.

    spmodel_thicket.py RECORD...            prints the literal that hatchet.GraphFrame.from_literal() takes, a record a line
    import spmodel_thicket as s
    s.hatchet_of("before.json").tree()      a GraphFrame
    s.thicket_of(["a.json", "b.json"])      a Thicket, one profile a record

The tree of an analysis: the product, below it its losses, which add up to its time. Of a job of ranks (analyze --mpi): below it
local and remote block and the exchange, each alone, and below those the time of each rank. `time` is inclusive, in seconds, and
the metadata are matrix, format, threads, ranks, host key and id."""
import json
import sys

LOSSES = ("min_traffic", "padding", "extra_x", "imbalance", "in_core", "rest")


def node(name, seconds, children=()):
    """A frame with its time; one that has parts has none of its own."""
    own = 0.0 if children else seconds
    return {"frame": {"name": name, "type": "function"}, "metrics": {"time (inc)": seconds, "time": own},
            "children": list(children)}


def literal(record):
    """The tree of one record, as from_literal() takes it."""
    ranks, losses, time = record.get("ranks"), record.get("losses") or {}, record["metrics"]["time"]
    if time["value"] is None:
        raise ValueError(f"{record['id']} has no time: {time.get('why')}")
    if ranks:
        parts = [node(p["part"], p["time"]["value"],
                      [node(f"rank {r['rank']}", r["median_s"][p["part"]]) for r in ranks["each"]])
                 for p in ranks["parts"] if p["part"] in ("local", "remote", "exchange")]
    else:
        parts = [node(name, losses[name]) for name in LOSSES if isinstance(losses.get(name), (int, float))]
    return [node(f"{record['config']['op']} {record['config']['format']}", time["value"], parts)]


def metadata(record):
    return {"id": record["id"], "matrix": record["problem"]["name"], "nnz": record["problem"]["nnz"],
            "format": record["config"]["format"], "threads": record["config"]["threads"],
            "ranks": record.get("ranks", {}).get("n", 1), "env": record.get("env", {}).get("key", "")}


def read(path):
    with open(path) as f:
        record = json.load(f)
    if not record.get("schema", "").startswith("spmodel.record/1"):
        raise ValueError(f"{path} is no record of spmodel")
    return record


def hatchet_of(path):
    import hatchet
    return hatchet.GraphFrame.from_literal(literal(read(path)))


def thicket_of(paths):
    """A profile a record, with a row of metadata each."""
    import hatchet
    import pandas
    import thicket
    profiles = []
    for path in paths:
        record = read(path)
        one = thicket.Thicket.thicketize_graphframe(hatchet.GraphFrame.from_literal(literal(record)), path)
        one.metadata = pandas.DataFrame([metadata(record)], index=pandas.Index(one.profile, name="profile"))
        profiles.append(one)
    return profiles[0] if len(profiles) == 1 else thicket.Thicket.concat_thickets(profiles)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for name in sys.argv[1:]:
        print(json.dumps(literal(read(name))))
