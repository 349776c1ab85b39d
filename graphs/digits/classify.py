#!/usr/bin/env python3
"""How many of the held-out scans the logits in an .npy file get right; draws a few scans. Needs Python alone.

    classify.py LOGITS.npy [--least SHARE]      # exit code 1 if the share of right ones is smaller, by default 0.97
"""
import argparse
import ast
import struct
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
SHADES = " .:-=+*#%@"


def read_npy(path):
    """Shape and flat list of numbers of a row-major file of f32 or i32."""
    data = Path(path).read_bytes()
    if data[:6] != b"\x93NUMPY":
        sys.exit(f"{path} is not an .npy file")
    size, start = (2, 10) if data[6] == 1 else (4, 12)
    length = int.from_bytes(data[8 : 8 + size], "little")
    header = ast.literal_eval(data[start : start + length].decode())
    letter = {"<f4": "f", "<i4": "i"}[header["descr"]]
    assert not header["fortran_order"]
    body = data[start + length :]
    return header["shape"], struct.unpack(f"<{len(body) // 4}{letter}", body)


def rows(values, width):
    return [values[i : i + width] for i in range(0, len(values), width)]


def draw(images, titles):
    """Images of 8 x 8 side by side, two characters for a pixel, under their titles."""
    print("  ".join(f"{title:16}" for title in titles))
    for row in range(8):
        lines = []
        for image in images:
            pixels = image[8 * row : 8 * row + 8]
            lines.append("".join(2 * SHADES[min(int(p * len(SHADES)), len(SHADES) - 1)] for p in pixels))
        print("  ".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logits")
    parser.add_argument("--least", type=float, default=0.97)
    options = parser.parse_args()
    shape, logits = read_npy(options.logits)
    _, labels = read_npy(FOLDER / "held_out_labels.npy")
    _, images = read_npy(FOLDER / "held_out_images.npy")
    if shape != (len(labels), 10):
        sys.exit(f"{options.logits} has shape {shape}, not {(len(labels), 10)}")
    found = [max(range(10), key=row.__getitem__) for row in rows(logits, 10)]
    images = rows(images, 64)
    wrong = [i for i, label in enumerate(labels) if found[i] != label]
    few = [labels.index(digit) for digit in (3, 5, 8)] + wrong[:1]
    titles = [f"read as {found[i]}" + ("" if found[i] == labels[i] else f", is {labels[i]}") for i in few]
    draw([images[i] for i in few], titles)
    right = len(labels) - len(wrong)
    print(f"{right} of {len(labels)} scans read right: {100 * right / len(labels):.1f} %")
    sys.exit(right < options.least * len(labels))


if __name__ == "__main__":
    main()
