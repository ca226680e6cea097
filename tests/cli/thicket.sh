#!/bin/sh
# examples/thicket: the tree of a record says what the record says; Hatchet and Thicket take it, where they are here
# (PyPI llnl-thicket). Usage: thicket.sh EXAMPLES DATA; PYTHON: which one
set -eu
examples=$1 data=$2
python=${PYTHON:-python3}
command -v "$python" >/dev/null || { echo "SKIPPED: no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
"$python" - "$examples/thicket" "$data/record-kkt_power.json" <<'P'
import json, sys
sys.path.insert(0, sys.argv[1])
import spmodel_thicket as s
record = json.load(open(sys.argv[2]))
root, = s.literal(record)
assert root["frame"]["name"] == "spmv crs" and root["metrics"]["time (inc)"] == record["metrics"]["time"]["value"]
assert abs(sum(c["metrics"]["time"] for c in root["children"]) / root["metrics"]["time (inc)"] - 1) < 1e-6  # losses add up
parts = [{"part": p, "time": {"value": 2e-3}} for p in ("roof", "local", "remote", "exchange", "product")]
each = [{"rank": i, "median_s": {p["part"]: 1e-3 * (i + 1) for p in parts}} for i in range(2)]
job = dict(record, ranks={"n": 2, "parts": parts, "each": each})
root, = s.literal(job)
assert [c["frame"]["name"] for c in root["children"]] == ["local", "remote", "exchange"]
assert [c["metrics"]["time"] for c in root["children"][0]["children"]] == [1e-3, 2e-3]
assert s.metadata(job)["ranks"] == 2
P
"$python" -c 'import hatchet, thicket' 2>/dev/null || { echo "SKIPPED: this Python has no Hatchet and Thicket (PyPI llnl-thicket); the trees were checked"; exit 77; }
"$python" - "$examples/thicket" "$data/record-kkt_power.json" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
import spmodel_thicket as s
frame = s.hatchet_of(sys.argv[2])
assert {"spmv crs", "min_traffic", "rest"} <= set(frame.dataframe["name"])
both = s.thicket_of([sys.argv[2]])
assert list(both.metadata["matrix"]) == ["kkt_power"] and "time" in both.dataframe.columns
P
echo "thicket: ok"
