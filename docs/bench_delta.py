#!/usr/bin/env python3
"""Write pairs of Unreal paks (version 8, zlib 6 in blocks of 64 KiB, as UnrealPak packs) for docs/bench_delta.sh.

  bench_delta.py pak OUT FOLDER              every file below FOLDER
  bench_delta.py mixed OUT_OLD OUT_NEW FOLDER  FOLDER, and a seeded update of it: edits, additions, renames, removals
  bench_delta.py shuffled OUT FOLDER         the update of mixed, its entries in another order

zlib is Python's, the real one. Everything is deterministic.
"""
import hashlib, os, random, struct, sys, zlib

BLOCK = 64 << 10

def files(folder):
    for root, dirs, names in os.walk(folder):
        dirs.sort()
        for name in sorted(names):
            path = os.path.join(root, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield os.path.relpath(path, folder), path

def fstring(s):
    b = s.encode() + b"\0"
    return struct.pack("<i", len(b)) + b

def record(offset, stored, size, sha, blocks):
    b = struct.pack("<QQQI", offset, stored, size, 1 if blocks else 0) + sha
    if blocks:
        b += struct.pack("<I", len(blocks)) + b"".join(struct.pack("<QQ", *x) for x in blocks)
    return b + b"\0" + struct.pack("<I", BLOCK if blocks else 0)

def entry(out, content):
    """Appends one entry and returns its index record."""
    n = max(1, -(-len(content) // BLOCK))
    parts = [zlib.compress(content[i * BLOCK:(i + 1) * BLOCK], 6) for i in range(n)]
    offset = out.tell()
    if sum(map(len, parts)) < len(content):
        at, blocks = len(record(0, 0, 0, b"\0" * 20, [(0, 0)] * n)), []
        for p in parts:
            blocks.append((at, at + len(p)))
            at += len(p)
        payload = b"".join(parts)
    else:
        payload, blocks = content, []
    sha = hashlib.sha1(payload).digest()
    out.write(record(0, len(payload), len(content), sha, blocks) + payload)
    return record(offset, len(payload), len(content), sha, blocks)

def pak(path, entries):
    with open(path, "wb") as out:
        index = [fstring(name) + entry(out, content()) for name, content in entries]
        index = fstring("../../../") + struct.pack("<I", len(index)) + b"".join(index)
        at = out.tell()
        out.write(index + b"\0" * 17 + struct.pack("<IIQQ", 0x5A6F12E1, 8, at, len(index)) + hashlib.sha1(index).digest())
        out.write(b"Zlib".ljust(32, b"\0") + b"\0" * 128)

def read(path):
    return lambda: open(path, "rb").read()

def edited(r, content):
    """A few local edits, an insertion, or one moved run."""
    b = bytearray(content)
    for _ in range(r.randint(1, 6)):
        at, n = r.randrange(len(b)), r.choice((1, 4, 16, 200))
        kind = r.random()
        if kind < 0.6:
            b[at:at + n] = r.randbytes(min(n, len(b) - at))
        elif kind < 0.8:
            b[at:at] = r.randbytes(n)
        else:
            run = bytes(b[at:at + 40 * n])
            del b[at:at + 40 * n]
            at = r.randrange(len(b) + 1)
            b[at:at] = run
    return bytes(b)

def update(folder):
    """The new build: of 1,000 entries 17 are edited, 12 renamed (half of those edited), 6 new, 6 gone."""
    r, new = random.Random(8), []
    all = list(files(folder))
    for name, path in all:
        x, content = r.random(), read(path)
        seed = r.random()
        change = lambda path=path, seed=seed: edited(random.Random(seed), open(path, "rb").read() or b"x")
        if x < 0.017:
            new.append((name, change))
        elif x < 0.029:
            new.append(("moved/" + name, change if x < 0.023 else content))
        elif x >= 0.035:
            new.append((name, content))
        if x > 0.994:
            other = r.choice(all)[1]
            new.append(("new/" + name, lambda other=other, seed=seed: added(random.Random(seed), open(other, "rb").read())))
    return new

def added(r, content):
    """New content: bytes of an existing file in another order, and as many that nothing has."""
    cut = r.randrange(len(content) + 1)
    return content[cut:][:20000] + r.randbytes(min(len(content), 30000))

if __name__ == "__main__":
    what, args = sys.argv[1], sys.argv[2:]
    if what == "pak":
        pak(args[0], [(n, read(p)) for n, p in files(args[1])])
    elif what == "mixed":
        pak(args[0], [(n, read(p)) for n, p in files(args[2])])
        pak(args[1], sorted(update(args[2]), key=lambda x: x[0]))
    elif what == "shuffled":
        new = update(args[1])
        random.Random(9).shuffle(new)
        pak(args[0], new)
    else:
        sys.exit(__doc__)
