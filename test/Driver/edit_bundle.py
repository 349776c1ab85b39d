#!/usr/bin/env python3
"""edit_bundle.py IN OUT STATEMENTS: a bundle with changes, written by nothing of ours.

The statements see the manifest as `m` (an object), the data of the other tensors as `t` (name to bytearray, in the
file's order), and rehash(), which makes the manifest's digests those of the data."""
import hashlib
import json
import struct
import sys


def rehash():
    digest = lambda name: hashlib.sha256(t[name]).hexdigest()
    for kernel in m["kernels"]:
        for code in kernel["code"]:
            code["sha256"] = digest(code["tensor"])
    for entry in m["hashes"]:
        entry["sha256"] = digest(entry["tensor"])


def read(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    begin = lambda item: item[1]["data_offsets"]
    tensors = {
        name: bytearray(data[8 + length + info["data_offsets"][0] : 8 + length + info["data_offsets"][1]])
        for name, info in sorted(header.items(), key=begin)
    }
    return metadata, header, tensors


def write(path, metadata, header, tensors):
    out, offset = {"__metadata__": metadata}, 0
    for name, data in tensors.items():
        info = header.get(name, {"dtype": "U8"})
        shape = info["shape"] if info["dtype"] != "U8" else [len(data)]
        out[name] = {"dtype": info["dtype"], "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(out).encode()
    text += b" " * (-(8 + len(text)) % 4096)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for data in tensors.values():
            file.write(data)


if __name__ == "__main__":
    source, target, statements = sys.argv[1:]
    metadata, header, t = read(source)
    m = json.loads(t["teeny/manifest.json"])
    exec(statements)
    t["teeny/manifest.json"] = json.dumps(m).encode()
    write(target, metadata, header, t)
