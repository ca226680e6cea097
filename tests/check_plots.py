#!/usr/bin/env python3
"""Draws every kind of plot of many records and reads the boxes of texts from the SVG: none lies over another
or a point, none reaches out of the picture, points show values; as text nothing is wider than 80 columns.

Usage: check_plots.py SPMODEL RECORDS   (a folder)
       check_plots.py --svg PICTURE...  only reads pictures
"""
import copy
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

COLUMNS = 80
SLACK = 1.5  # px: widths are estimated
MOST_CELLS = 1500  # of a spy plot that show values


def em(text):
    """About the width of DejaVu Sans."""
    width = 0
    for c in text:
        width += (1.0 if ord(c) >= 0x2e80 else 0.32 if c in " !'(),.:;I[]ijl|`" else 0.41 if c in "-/ftr{}" else
                  0.95 if c in "%@MWm" else 0.82 if c == "w" else 0.70 if c.isupper() else 0.61)
    return width


def transform_of(text):
    """Of translate(x,y) rotate(a): position and angle [radians]."""
    x, y, turn = 0.0, 0.0, 0.0
    for name, inside in re.findall(r"(\w+)\(([^)]*)\)", text or ""):
        numbers = [float(n) for n in re.split(r"[ ,]+", inside.strip())]
        if name == "translate":
            x, y = numbers[0], numbers[1] if len(numbers) > 1 else 0
        elif name == "rotate":
            turn = math.radians(numbers[0])
    return x, y, turn


class Box:
    def __init__(self, text, x, y, turn, size, anchor):
        self.text = text
        width = size * em(text)
        left = -width / 2 if anchor == "middle" else -width if anchor == "end" else 0
        corners = [(left + SLACK, 0.2 * size), (left + width - SLACK, 0.2 * size),
                   (left + width - SLACK, -0.74 * size), (left + SLACK, -0.74 * size)]
        self.at = [(x + u * math.cos(turn) - v * math.sin(turn), y + u * math.sin(turn) + v * math.cos(turn))
                   for u, v in corners]

        self.around = [f(axis) for axis in zip(*self.at) for f in (min, max)]

    def covers(self, x, y):
        x0, x1, y0, y1 = self.around
        return x0 - 1 < x < x1 + 1 and y0 - 1 < y < y1 + 1 and \
            meet(self.at, [(x - 1, y - 1), (x + 1, y - 1), (x + 1, y + 1), (x - 1, y + 1)])

    def meets(self, other):
        x0, x1, y0, y1 = self.around
        u0, u1, v0, v1 = other.around
        return x0 < u1 and u0 < x1 and y0 < v1 and v0 < y1 and meet(self.at, other.at)


def meet(one, other):
    """Have two rectangles a point in common?"""
    for corners in (one, other):
        for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1]):
            nx, ny = y1 - y0, x0 - x1
            a = [x * nx + y * ny for x, y in one]
            b = [x * nx + y * ny for x, y in other]
            if max(a) <= min(b) or max(b) <= min(a):
                return False
    return True


def boxes_of(root):
    found = []

    def walk(element, state):
        state = dict(state)
        for key in ("font-size", "text-anchor"):
            if element.get(key):
                state[key] = element.get(key)
        if element.get("transform"):
            state["transform"] = element.get("transform")
        name = element.tag.split("}")[-1]
        if name == "text":
            text = "".join(element.itertext()).strip()
            if text:
                x, y, turn = transform_of(state.get("transform"))
                found.append(Box(text, x, y, turn, float(state.get("font-size", 12)), state.get("text-anchor", "start")))
            return
        for child in element:
            walk(child, state)

    walk(root, {})
    return found


def points_of(root):
    for e in root.iter():
        href = e.get("{http://www.w3.org/1999/xlink}href") or e.get("href") or ""
        if e.tag.split("}")[-1] == "use" and e.get("transform") and "gpPt" in href and e.get("opacity") != "0.00":
            yield transform_of(e.get("transform"))[:2]


def faults_of_svg(text):
    return faults_of(tree.fromstring(text))


def faults_of(root):
    width, height = [float(n) for n in root.get("viewBox").split()[2:]]
    boxes, faults = boxes_of(root), []
    for i, box in enumerate(boxes):
        if any(not (-SLACK <= x <= width + SLACK and 0 <= y <= height - 2) for x, y in box.at):
            faults.append(f"'{box.text}' reaches out of the picture")
        # gnuplot writes a text with a box behind it twice, the second time over the box
        faults += [f"'{box.text}' lies over '{other.text}'" for other in boxes[:i]
                   if box.meets(other) and (box.text, box.at) != (other.text, other.at)]
    for x, y in points_of(root):
        faults += [f"'{box.text}' lies over a point" for box in boxes if box.covers(x, y)]
    if not boxes:
        faults.append("no text at all")
    for e in root.iter():
        if any(key.startswith("on") for key in e.attrib):
            faults.append(f"a script: {e.attrib}")
    return faults


def check_self():
    """The reader sees what is wrong."""
    frame = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 200 100'>%s</svg>"
    one = "<g transform='translate(%g,%g)%s' font-size='10' text-anchor='%s'><text>%s</text></g>"
    good = one % (10, 50, "", "start", "one") + one % (10, 70, "", "start", "two")
    assert faults_of_svg(frame % good) == []
    for bad in (one % (10, 50, "", "start", "one") + one % (20, 52, "", "start", "two"),
                one % (190, 50, "", "start", "outside"), one % (5, 50, "", "middle", "outside"),
                one % (10, 98, " rotate(270)", "start", "word") + one % (5, 90, "", "start", "word"),
                one % (10, 4, "", "start", "Above"), one % (10, 97, "", "start", "Below"), ""):
        assert faults_of_svg(frame % bad), bad


# Records

def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def roof(level, value, role="other", name="load", unit="B/s"):
    return {"name": name, "level": level, "precision": "f64", "threads": 18, "domains": 1, "mode": "shared", "role": role,
            "value": value, "lo": 0.95 * value, "hi": 1.08 * value, "unit": unit, "origin": "measured", "how": "made up",
            "when": "2026-11-21T10:02:16Z", "age_s": 15}


def with_all(record):
    """What the record has no curve of is made up."""
    curves = record.setdefault("curves", {})
    points = [{"r": r, "balance": 1.7 + 6.3 / r, "lo": 1.6 + 6 / r, "hi": 1.8 + 6.5 / r} for r in (1, 2, 4, 8, 16, 32)]
    curves.setdefault("balance", {"origin": "modelled", "limit": 1.69, "points": points})
    curves.setdefault("alpha_cache", {"origin": "simulated", "error": 0.02, "points": [
        {"capacity_B": 2.0 ** k, "alpha": 0.14 + 2 * math.exp(-0.4 * (k - 12))} for k in range(12, 28)]})
    curves.setdefault("beta_map", [{"C": C, "sigma": s, "beta": 1 - 0.4 / s ** 0.2 * C / 40}
                                   for C in (1, 2, 4, 8, 16, 32) for s in (1, 8, 64, 512, 4096)])
    curves.setdefault("spy", {"rows": 16, "cols": 16, "counts": [max(0, 20 - 6 * abs(i // 16 - i % 16)) for i in range(256)]})
    return record


def with_caches(record):
    main = next(r for r in record["roofs"] if r["role"] == "roof")
    record["roofs"] += [roof(level, factor * main["value"]) for level, factor in
                        (("L1", 40), ("L2", 17), ("L3", 4.2), ("MEM", 0.9)) if level != main["level"]]
    return record


def long_names(record, letter="W"):
    """As long as anybody may make them; of the widest letters, or of marks that every format knows."""
    name = (letter * 90)[:90]
    record["problem"]["name"] = name
    record["machine"]["name"] = name[:60]
    record["config"]["format_text"] = "SELL-1024-1048576-" + name[:30]
    record["campaign"] = {"run": name[:50]}
    record["source"] = {"commit": "0123456789abcdef" * 2, "branch": name, "tags": []}
    for hint in record.get("hints", []):
        hint["title"] = name
    for r in record.get("roofs", []):
        r["how"] = name
    for row in record.get("table", []):
        row["bytes_source"] = name[:30]
    for curve in ("alpha_cache", "balance"):
        if curve in record.get("curves", {}):
            record["curves"][curve]["origin"] = name[:40]
    for way in (record.get("gpu") or {}).get("ways", []):
        way["name"] = name
    return record


def scaled(record, k):
    """Another run of the same series: other rates and times."""
    record = copy.deepcopy(record)
    factor = 1 + 0.13 * math.sin(3.1 * k)
    for row in record.get("table", []):
        for key in ("performance", "time_s"):
            if row.get(key):
                row[key] *= factor if key == "performance" else 1 / factor
    for key in ("time", "performance", "bandwidth"):
        metric = record.get("metrics", {}).get(key)
        if metric and metric.get("value"):
            for part in ("value", "lo", "hi"):
                if metric.get(part):
                    metric[part] *= factor if key != "time" else 1 / factor
    record["time"] = {"start": f"2026-11-{1 + k % 28:02d}T10:02:14Z", "end": f"2026-11-{1 + k % 28:02d}T10:03:14Z"}
    record["source"] = {"commit": f"{0xa1b2c3d4 + k // 3:x}" * 4, "branch": None, "tags": []}
    record["problem"]["nnz"] = int(record["problem"]["nnz"] * 1.9 ** (k % 9))
    record["campaign"] = {"run": ["crs", "sell", "sell-16-256", "a rather long name of a run", "e", "f", "g", "h"][k % 8]}
    record["verdict"] = ["unchanged", "regressed", "improved", "inconclusive"][k % 4]
    return record


def at_rate(record, factor):
    """The same run and roofs, so many times as fast: other numbers of digits at the axes."""
    for row in record["table"]:
        row["performance"] *= factor
    for item in record["roofs"] + [record["metrics"]["performance"]]:
        for key in ("value", "lo", "hi"):
            if item.get(key):
                item[key] *= factor
    return record


def big_beta(record):
    record["curves"]["beta_map"] = [{"C": 2 ** c, "sigma": 2 ** s, "beta": 1 / (1 + c / (s + 1))} for c in range(11) for s in range(24)]
    record["curves"]["spy"] = {"rows": 64, "cols": 64, "counts": [1000000 // (1 + abs(i // 64 - i % 64)) for i in range(4096)]}
    return record


def shaped(record, rows, cols):
    record["problem"]["rows"], record["problem"]["cols"] = rows, cols
    return record


def cases(folder):
    """Names, and the records of one picture."""
    paths = sorted(glob.glob(os.path.join(folder, "record-*.json")))
    plain = {os.path.basename(p)[len("record-"):-len(".json")]: read(p) for p in paths}
    for name, record in plain.items():
        yield name, [record]
    some = {name: with_all(copy.deepcopy(plain[name])) for name in plain if plain[name].get("roofs")}
    for name, record in some.items():
        yield name + " with caches", [with_caches(copy.deepcopy(record))]
        for letter in ("W", "i'%\\_^{}@&<"):
            yield name + " with long names of " + letter[0], [long_names(with_caches(copy.deepcopy(record)), letter)]
    base = some["kkt_power"]
    yield "wide", [shaped(big_beta(copy.deepcopy(base)), 1000, 123456789)]
    yield "tall", [shaped(big_beta(copy.deepcopy(base)), 123456789, 1000)]
    for factor in (1e-5, 6e-5, 3e-4, 3e-3, 2e3, 3e4):
        yield f"at {factor:g} of its rate", [at_rate(copy.deepcopy(plain["kkt_power"]), factor)]
    for n in (2, 3, 6, 12, 32, 60):
        many = [scaled(base, k) for k in range(n)]
        yield f"{n} records", many
        yield f"{n} records with long names", [long_names(copy.deepcopy(r)) for r in many]
    for k, r in enumerate(widths := [scaled(base, k) for k in range(6)]):
        r["config"]["rhs"], r["problem"] = 2 ** k, base["problem"]
    yield "a series over the width", widths


def run(spmodel, *arguments):
    done = subprocess.run([spmodel, "plot", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def faults_of_page(spmodel, paths):
    """The pictures as a page shows them."""
    code, page, said = run(spmodel, "--html", "-", *paths)
    pictures = [e for e in tree.fromstring(page).iter() if e.tag.endswith("}svg")] if code == 0 else []
    return [f"in a page: {fault}" for e in pictures for fault in faults_of(e)] + ([] if len(pictures) > 5 else [f"no page: {said}"])


def main():
    check_self()
    if sys.argv[1] == "--svg":
        bad = 0
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as file:
                faults = faults_of_svg(file.read())
            bad += len(faults)
            for fault in faults:
                print(f"{path}: {fault}")
        sys.exit(1 if bad else 0)
    spmodel, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    kinds = [line.split()[0] for line in run(spmodel, "--list")[1].splitlines() if line and not line.startswith(" ")]
    drawn, faults = {kind: 0 for kind in kinds}, []
    share = int(os.environ.get("SHARE", "1"))  # one in so many pictures of a kind, but the first of each
    others = os.environ.get("OTHERS", "0") == "1"  # the pictures that such a share leaves out, but the first of each
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for number, (name, records) in enumerate(cases(folder)):
            paths = []
            for i, record in enumerate(records):
                paths.append(f"{i}.json")
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(json.dumps(record))  # four times as fast as json.dump()
            for i, kind in enumerate(kinds):
                if only and kind != only or (drawn[kind] and ((number + i) % share == 0) == others):
                    continue
                code, svg, said = run(spmodel, "--kind", kind, "--term", "svg", "-o", "-", *paths)
                if "it lacks" in said or " plot shows " in said:
                    continue
                if code != 0:
                    faults.append(f"{kind} of {name}: exits with {code}: {said}")
                    continue
                drawn[kind] += 1
                faults += [f"{kind} of {name}: {fault}" for fault in faults_of_svg(svg)]
                cells = sum(c > 0 for c in records[0].get("curves", {}).get("spy", {}).get("counts", []))
                if not re.search(r'<g class="value"><title>[^<]*\d', svg) and not (kind == "spy" and cells > MOST_CELLS):
                    faults.append(f"{kind} of {name}: no point shows its value")
                if os.environ.get("KEEP_PLOTS") and any(f.startswith(f"{kind} of {name}:") for f in faults):
                    with open(os.path.join(os.environ["KEEP_PLOTS"], f"{kind}-{name.replace(' ', '_')}.svg"), "w", encoding="utf-8") as file:
                        file.write(svg)
                if len(records) <= 6:
                    code, text, said = run(spmodel, "--kind", kind, "--term", "txt", *paths)
                    widest = max((len(line) for line in text.splitlines()), default=0)
                    if kind == "losses" and re.search(r"[*|][\d−]", text):
                        faults.append(f"losses of {name} as text: a figure touches its bar")
                    if code != 0 or widest > COLUMNS:
                        faults.append(f"{kind} of {name} as text: exits with {code}, {widest} columns: {said}")
        if not only and not others:
            faults += faults_of_page(spmodel, [os.path.join(folder, f"record-{name}.json") for name in ("kkt_power", "explain-crs")])
    for kind, n in drawn.items():
        if n == 0 and not only:
            faults.append(f"no {kind} was drawn")
    for fault in faults:
        print(fault)
    print("pictures: " + ", ".join(f"{n} {kind}" for kind, n in drawn.items()))
    sys.exit(1 if faults else 0)


main()
