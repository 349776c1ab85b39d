#!/usr/bin/env python3
"""check_report.py PAGE BUNDLE: the page is well formed, loads nothing, and has as many parts as the bundle."""
import html.parser
import json
import re
import struct
import sys

void = {"meta", "link", "img", "br", "hr", "input"}
drawn = {"rect", "path", "circle", "line"}  # may close themselves


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.elements, self.texts, self.cells = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in void:
            self.open.append(tag)
        if tag in ("td", "title"):
            self.cells.append((tag, ""))

    def handle_startendtag(self, tag, attributes):
        assert tag in drawn, tag
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        assert not data.strip() or self.open, data
        self.texts.append(data)
        if self.open and self.open[-1] in ("td", "title") and self.cells:
            tag, text = self.cells[-1]
            self.cells[-1] = (tag, text + data)

    def handle_comment(self, data):
        raise AssertionError("a comment: " + data)

    def of(self, tag, name=None):
        return [a for t, a in self.elements if t == tag and (name is None or name in a.get("class", "").split())]


def manifest_of(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    begin, end = header["teeny/manifest.json"]["data_offsets"]
    return json.loads(data[8 + length + begin : 8 + length + end]), len(data)


text = open(sys.argv[1], encoding="utf-8").read()
manifest, size = manifest_of(sys.argv[2])
page = Page()
page.feed(text)
page.close()
assert page.open == [], page.open
assert text.startswith("<!DOCTYPE html>")

# Nothing is loaded or run, whatever the names are.
allowed = "html head meta title style body h1 h2 p b a div table thead tbody tr th td svg defs marker path g rect text".split()
assert {tag for tag, _ in page.elements} <= set(allowed), {tag for tag, _ in page.elements} - set(allowed)
for tag, attributes in page.elements:
    assert not any(name.startswith("on") or name in ("src", "srcset", "xlink:href") for name in attributes), attributes
    assert attributes.get("href", "#").startswith("#"), attributes
assert not re.search(r"@import|url\((?!#)", text)

# Links lead somewhere; identifiers are unique.
ids = [a["id"] for _, a in page.elements if "id" in a]
assert len(ids) == len(set(ids))
assert {a["href"][1:] for a in page.of("a")} <= set(ids)

# A part for each thing.
launches, kernels = manifest["launches"], manifest["kernels"]
assert len(page.of("tr", "code")) == sum(len(k["code"]) for k in kernels)
assert len([i for i in ids if i.startswith("kernel-")]) == len(kernels)
assert len([i for i in ids if i.startswith("launch-")]) == len(launches)
is_drawn = bool(launches) and "There are too many to draw." not in text
assert is_drawn == (0 < len(launches) <= 2000)
if is_drawn:
    assert len(page.of("g", "launch")) == len(launches)
    assert len(page.of("g", "fused")) == sum(len(l.get("ops", [])) > 1 for l in launches)
    assert len(page.of("g", "tensor")) == len(manifest["inputs"]) + len(manifest["outputs"])

# The graph: boxes lie apart, edges go down, and there is one from each launch to those that read what it wrote.
if is_drawn:
    graph = text.split('<svg class="graph"')[1].split("</svg>")[0]
    boxes = re.findall(r'<rect x="([-.0-9]+)" y="([-.0-9]+)" width="([-.0-9]+)" height="([-.0-9]+)"', graph)
    boxes = [tuple(map(float, box)) for box in boxes]
    assert len(boxes) == len(launches) + len(manifest["inputs"]) + len(manifest["outputs"])
    for i, (x, y, w, h) in enumerate(boxes):
        for X, Y, W, H in boxes[i + 1 :]:
            assert x + w <= X or X + W <= x or y + h <= Y or Y + H <= y, (boxes[i], (X, Y, W, H))
    edges = re.findall(r'class="edge"[^>]* d="M[-.0-9]+ ([-.0-9]+)[^"]*?([-.0-9]+)"', graph)
    assert all(float(begin) < float(end) for begin, end in edges), edges

    buffers = {b["name"]: b for b in manifest["buffers"]}
    root = lambda name: root(buffers[name]["alias_of"]) if "alias_of" in buffers[name] else name
    params = {k["name"]: k["params"] for k in kernels}
    wrote, expected = {}, set()  # by root: (box, buffer)
    for box, tensor in enumerate(manifest["inputs"]):
        wrote.setdefault(root(tensor["buffer"]), []).append((box, tensor["buffer"]))
    for box, launch in enumerate(launches, len(manifest["inputs"])):
        uses = [
            (param, arg["buffer"])
            for variant in launch["variants"]
            for param, arg in zip(params[variant["kernel"]], variant["args"])
            if "buffer" in arg and buffers[arg["buffer"]]["kind"] != "param"
        ]
        for param, name in uses:
            for writer, written in wrote.get(root(name), []):
                if writer < box and (written == name or not param.get("written")):
                    expected.add((writer, box))
        for param, name in uses:
            if param.get("written"):
                wrote.setdefault(root(name), []).append((box, name))
    for box, tensor in enumerate(manifest["outputs"], len(manifest["inputs"]) + len(launches)):
        expected |= {(writer, box) for writer, _ in wrote.get(root(tensor["buffer"]), [])}
    assert len(edges) == len(expected), (len(edges), sorted(expected))

# The memory: a rectangle for each temporary buffer that has bytes, of the size that the table says, inside the drawing.
rows = re.findall(r"<tr>(.*?)</tr>", text.split('id="memory"')[1].split("</table>")[0]) if launches else []
cells = [[re.sub("<.*?>", "", c) for c in re.findall(r"<td.*?>(.*?)</td>", row)] for row in rows]
cells = [row for row in cells if row]
assert len(cells) == (len(manifest["buffers"]) if launches else 0)
alive = [row for row in cells if row[1] == "temporary" and int(row[2]) > 0]
rects = page.of("rect", "buffer")
assert len(rects) == len(alive), (len(rects), len(alive))
if rects:
    drawing = page.of("svg", "memory")[0]
    arena = int(re.search(r"an arena of (\d+) bytes", text)[1])
    for rect, row in zip(rects, alive):
        x, y, w, h = (float(rect[key]) for key in ("x", "y", "width", "height"))
        assert 0 <= x and x + w <= float(drawing["width"]) and 0 <= y and y + h <= float(drawing["height"])
        assert abs(h - 320 * int(row[2]) / arena) < 0.11, (rect, row)
    for i, a in enumerate(rects):  # those that are no parts do not overlap
        for b in rects[i + 1 :]:
            if "part" in a["class"] or "part" in b["class"]:
                continue
            apart = lambda at, size: (
                float(a[at]) + float(a[size]) <= float(b[at]) + 0.11 or float(b[at]) + float(b[size]) <= float(a[at]) + 0.11
            )
            assert apart("x", "width") or apart("y", "height"), (a, b)

# The sizes add up to the file.
sizes = re.findall(r'<td class="number">(\d+)</td>', text.split('id="sizes"')[1])
assert int(sizes[-1]) == size == sum(map(int, sizes[:-1])), sizes

# Every name is there as text.
shown = "\n".join(page.texts)
for name in [manifest["name"]] + [x["name"] for key in ("kernels", "buffers", "launches") for x in manifest[key] if launches or key == "kernels"]:
    assert name in shown, name
