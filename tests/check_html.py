#!/usr/bin/env python3
"""Checks pages that spmodel writes: well-formed, self-contained, readable by everybody.

Usage: check_html.py PAGE [RECORD...]: the records, in this order, must be in the page as data.
       check_html.py --list FILE: each line is a page and its records, with tabs between
"""
import json
import re
import sys
import xml.etree.ElementTree as tree
from html.parser import HTMLParser

XLINK = "{http://www.w3.org/1999/xlink}"
VOID = {"meta", "br", "hr", "img", "link", "input", "col", "wbr"}
LEAST_CONTRAST = 4.5
faults = []


def expect(truth, what):
    if not truth:
        faults.append(what)


def name_of(element):
    return element.tag.split("}")[-1]


class Balance(HTMLParser):
    """Every element that is opened is closed, in order, as a browser's parser sees it."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        expect(tag in VOID or "svg" in self.open, f"<{tag}/> closes itself")

    def handle_endtag(self, tag):
        expect(self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}")
        if self.open:
            self.open.pop()


def check_parsers(text):
    expect(text.startswith("<!DOCTYPE html>"), "no <!DOCTYPE html>")
    balance = Balance()
    balance.feed(text)
    balance.close()
    expect(not balance.open, f"not closed: {balance.open}")
    return tree.fromstring(text)


def check_self_contained(root):
    for e in root.iter():
        for key, value in e.attrib.items():
            key = key.replace(XLINK, "")
            expect(not key.startswith("on"), f"a script: {key}={value}")
            expect(key != "src", f"another file: {value}")
            if key == "href":
                expect(value.startswith("#"), f"leads out of the page: {value}")
            expect("://" not in value, f"an address: {key}={value}")
            for target in re.findall(r"url\(\s*['\"]?([^)]*)", value):
                expect(target.startswith("#"), f"another file: {value}")
        if name_of(e) == "script":
            expect(e.get("type") == "application/json", "a script that runs")
        expect(name_of(e) not in ("link", "iframe", "object", "embed", "img", "image"), f"<{name_of(e)}>")
        if name_of(e) == "style":
            expect(not re.search(r"url\(|@import|://", e.text), "the style sheet names another file")


def check_text(root):
    """No escape of a line's end is read as text; the record, which is data, may have some."""
    for e in root.iter():
        if name_of(e) not in ("script", "pre", "style", "code"):
            for part in (e.text, *(child.tail for child in e)):
                expect((part or "").strip() != "\\n", f"'\\n' stands in <{name_of(e)}>")


def check_ids(root):
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    expect(len(ids) == len(set(ids)), f"ids twice: {sorted({i for i in ids if ids.count(i) > 1})}")
    for e in root.iter():
        named = (e.get("aria-labelledby") or "").split()
        for key in ("href", XLINK + "href"):
            if e.get(key):
                named.append(e.get(key)[1:])
        for value in e.attrib.values():
            named += re.findall(r"url\(#([^)]*)\)", value)
        for name in named:
            expect(name in ids, f"nothing has the id {name}")


def check_structure(root):
    for e in root.iter():
        for text in (e.text if name_of(e) not in ("script", "style", "code", "pre") else "", e.tail):
            expect("\\n" not in (text or "") or "\\n_" in text, f"a line's end is shown: {text}")
    expect(root.get("lang") == "en", "no language")
    metas = {e.get("name"): e.get("content") for e in root.iter("meta")}
    expect("width=device-width" in (metas.get("viewport") or ""), "no viewport")
    expect((root.findtext("head/title") or "").strip(), "no title")
    levels = [int(name_of(e)[1]) for e in root.iter() if re.fullmatch("h[1-6]", name_of(e))]
    expect(levels and levels[0] == 1 and levels.count(1) == 1, f"headings begin {levels[:3]}")
    for before, level in zip(levels, levels[1:]):
        expect(level <= before + 1, f"a heading of level {level} after one of level {before}")
    for e in root.iter():
        if re.fullmatch("h[1-6]|th|caption|summary|figcaption|a", name_of(e)):
            expect("".join(e.itertext()).strip(), f"an empty <{name_of(e)}>")
        if re.fullmatch("table|thead|tbody|tr|th|td", name_of(e)):
            expect(e.get("aria-hidden") is None, f"a hidden <{name_of(e)}>: its row has fewer cells than headers")
    for table in root.iter("table"):
        expect(table.find("caption") is not None, "a table without caption")
        columns = len(table.findall("thead/tr/th"))
        for row in table.findall("tbody/tr"):
            expect(len(list(row)) == columns, f"a row of {len(list(row))} cells, not {columns}")


def check_pictures(root):
    for e in root.iter():
        if name_of(e) != "svg":
            continue
        inside = {name_of(c): c for c in list(e)[:2]}
        for part in ("title", "desc"):
            expect(part in inside and (inside[part].text or "").strip(), f"an svg without {part}")
        expect(e.get("role") == "img" and e.get("aria-labelledby"), "an svg without name")
        values = [t.text for g in e.iter() if name_of(g) == "g" and g.get("class") == "value" for t in g if name_of(t) == "title"]
        grid = re.search(r"of a grid of (\d+) x (\d+) cells .* (\d+) hold", inside["desc"].text or "")
        expect(values or grid and int(grid[3]) > 1500, f"{inside['title'].text}: no point shows its value")
        expect(all(re.search(r"\d", v or "") for v in values), f"{inside['title'].text}: a value without a number: {values[:3]}")


def check_sums(root):
    """The losses add up to the time."""
    n = 0
    for table in root.iter("table"):
        rows = [float(d.get("value")) for r in table.iter("tr") if r.get("class") == "loss" for d in r.iter("data")]
        total = [float(d.get("value")) for r in table.iter("tr") if r.get("class") == "total" for d in r.iter("data")]
        if total:
            n += 1
            bars = [e for r in table.iter("tr") if r.get("class") == "loss" for e in r.iter("span") if e.get("style")]
            expect(all(re.search(r"\d", e.get("title") or "") for e in bars), "a bar without its value")
            expect(abs(sum(rows) - total[0]) <= 1e-6 * total[0] + 2e-12, f"{rows} do not add up to {total}")
    return n


def channel(x):
    return x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4


def luminance(color):
    if color == "black":
        color = "#000000"
    r, g, b = (channel(int(color[i:i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    a, b = sorted((luminance(a), luminance(b)))
    return (b + 0.05) / (a + 0.05)


def check_contrast(root):
    style = root.findtext("head/style")
    blocks = [dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", b)) for b in re.findall(r":root\{([^}]*)\}", style)]
    expect(len(blocks) == 2, f"{len(blocks)} lists of colours")
    light_text = dict(re.findall(r"^\.plot g\[font-size\]\[fill='([^']+)'\]\{fill:(#[0-9a-f]{6})\}", style, re.M))
    dark_any = dict(re.findall(r"^svg\.plot\.inked \[fill='([^']+)'\]\{fill:(#[0-9a-f]{6})\}", style, re.M))
    for mode, colors in zip(("light", "dark"), blocks):
        for text in ("ink", "soft", "link", "good", "warn", "bad"):
            for surface in ("page", "card", "code"):
                c = contrast(colors[text], colors[surface])
                expect(c >= LEAST_CONTRAST, f"{mode}: {text} on {surface} has a contrast of {c:.2f}")
    seen = set()
    for svg in root.iter():
        if name_of(svg) != "svg" or "inked" not in svg.get("class"):
            continue
        for g in svg.iter():
            if name_of(g) == "g" and g.get("font-size"):
                seen.add(g.get("fill"))
        for e in svg.iter():
            for key in ("fill", "stroke", "color"):
                expect("rgb" not in e.get(key, ""), f"a colour that the style sheet does not know: {e.get(key)}")
    for fill in seen:
        on_white = contrast(light_text.get(fill, fill), blocks[0]["page"])
        on_dark = contrast(dark_any.get(fill, fill), blocks[1]["page"])
        expect(on_white >= LEAST_CONTRAST, f"text {fill} of a plot on white: {on_white:.2f}")
        expect(on_dark >= LEAST_CONTRAST, f"text {fill} of a plot in the dark: {on_dark:.2f}")


def visible(value):
    """What is read of a record: control characters are made visible (base/escape.h)."""
    if isinstance(value, str):
        return re.sub("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]",
                      lambda m: {"\n": "\\n", "\r": "\\r"}.get(m[0], f"\\u{ord(m[0]):04x}"), value)
    if isinstance(value, dict):
        return {visible(k): visible(v) for k, v in value.items()}
    return [visible(v) for v in value] if isinstance(value, list) else value


def check_records(root, paths):
    data = [json.loads(e.text) for e in root.iter("script")]
    if not paths:
        return
    expect(len(data) == len(paths), f"{len(data)} records in the page, not {len(paths)}")
    for path, inside in zip(paths, data):
        with open(path, encoding="utf-8") as file:
            expect(visible(json.load(file)) == inside, f"the page does not hold {path} as it is")


def check_page(page, *records):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    root = check_parsers(text)
    check_self_contained(root)
    check_text(root)
    check_ids(root)
    check_structure(root)
    check_pictures(root)
    n_sums = check_sums(root)
    check_contrast(root)
    check_records(root, records)
    if faults:
        sys.exit("check_html: " + page + "\n  " + "\n  ".join(dict.fromkeys(faults)))
    pictures = sum(name_of(e) == "svg" for e in root.iter())
    print(f"{page.split('/')[-1]}: {pictures} plots, {n_sums} tables of losses, {len(text)} characters")


if sys.argv[1] == "--list":
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in lines:
            check_page(*line.rstrip("\n").split("\t"))
else:
    check_page(*sys.argv[1:])
