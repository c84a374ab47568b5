"""Demands of pictures that no text lies on another one and none is cut: for each fault a line, and status 1.

usage: picture_boxes.py FILE...      SVG as gnuplot writes it, measured with the widths of DejaVu Sans; PDF by pdftotext
"""

import html
import math
import os
import re
import subprocess
import sys

# Hundredths of the type's size, from the blank on.
WIDTHS = bytes([
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100,
    68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50,
    61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84])
ASCENT, DESCENT = 0.7, 0.12  # of the type's size, less than the letters have: what is that near is legible


def width(text):
    return sum(WIDTHS[ord(c) - 32] / 100 if 32 <= ord(c) < 127 else 0.4 if c in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻" else 0.6 for c in text)


class Box:
    """A text at a place, turned by an angle."""

    def __init__(self, text, x, y, size, anchor, angle, length):
        self.text = text
        start = -length * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        cos, sin = math.cos(angle), math.sin(angle)
        self.axes = [(cos, sin), (-sin, cos)]
        self.corners = [(x + a * cos - b * sin, y + a * sin + b * cos) for a in (start, start + length)
                        for b in (-ASCENT * size, DESCENT * size)]

    def overlaps(self, other):
        for axis in self.axes + other.axes:
            one, two = ([c[0] * axis[0] + c[1] * axis[1] for c in box.corners] for box in (self, other))
            if min(max(one), max(two)) - max(min(one), min(two)) < 0.5:
                return False
        return True


GROUP = re.compile(r'<g transform="translate\(([-\d.]+),([-\d.]+)\)(?: rotate\(([-\d.]+)\))?"[^>]*font-size="([\d.]+)"[^>]*'
                   r'text-anchor="(\w+)">\s*<text>(.*?)</text>', re.S)
SPAN = re.compile(r'<tspan([^>]*)>([^<]*)|^()([^<]+)')


def read_svg(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    size = [float(x) for x in re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups()]
    boxes = []
    for x, y, angle, points, anchor, spans in GROUP.findall(text):
        said, length = "", 0.0
        for attributes, part, _, plain in SPAN.findall(spans):
            part = part or plain
            own = re.search(r'font-size="([\d.]+)', attributes)
            said += html.unescape(part)
            length += width(html.unescape(part)) * float(own.group(1) if own else points)
        if said.strip():
            boxes.append(Box(said, float(x), float(y), float(points), anchor, math.radians(float(angle or 0)), length))
    return size, boxes


def read_pdf(path):
    said = subprocess.run(["pdftotext", "-bbox", path, "-"], check=True, capture_output=True, text=True).stdout
    size = [float(x) for x in re.search(r'<page width="([\d.]+)" height="([\d.]+)"', said).groups()]
    words = [(*map(float, row[:4]), html.unescape(row[4])) for row in
             re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>', said)]
    twin = re.sub("pdf$", "svg", path)
    slanted = [box.text for box in read_svg(twin)[1] if 0.1 < abs(box.axes[0][1]) < 0.9] if os.path.exists(twin) else []
    boxes = []
    for x0, y0, x1, y1, word in words:
        if any(word in text for text in slanted):  # pdftotext cuts slanted names into letters: they are measured in the SVG
            continue
        box = Box(word, 0, 0, 0, "start", 0, 0)
        inset = 0.15 * min(x1 - x0, y1 - y0)  # boxes of words have the height of the font, not of its letters
        box.corners = [(x, y) for x in (x0 + inset, x1 - inset) for y in (y0 + inset, y1 - inset)]
        boxes.append(box)
    return size, boxes


def check(path):
    (wide, high), boxes = read_pdf(path) if path.endswith(".pdf") else read_svg(path)
    faults = [f'"{box.text}" is cut' for box in boxes
              if any(not (-1 <= x <= wide + 1 and -1 <= y <= high + 1) for x, y in box.corners)]
    faults += [f'"{one.text}" lies on "{two.text}"' for i, one in enumerate(boxes) for two in boxes[:i] if one.overlaps(two)]
    if not boxes:
        faults.append("expected texts, found none")
    for fault in faults:
        print(f"{path}: {fault}")
    return not faults


sys.exit(0 if all([check(path) for path in sys.argv[1:]]) else 1)
