#!/usr/bin/env python3
"""Write pairs of Unreal paks (version 8, zlib 6 in blocks of 64 KiB, as UnrealPak packs) for docs/bench_delta.sh.

  bench_delta.py pak OUT FOLDER              every file below FOLDER
  bench_delta.py mixed OUT_OLD OUT_NEW FOLDER  FOLDER, and a seeded update of it: edits, additions, renames, removals
  bench_delta.py shuffled OUT FOLDER         the update of mixed, its entries in another order
  bench_delta.py game OUT_OLD OUT_NEW OUT_SHUFFLED ZIP...  a game's assets, such as mods/*/*.zip of Debian's 0ad-data: some
                                             10,000 files of up to 800 KiB, and an update as artists make them

zlib is Python's, the real one. Everything is deterministic.
"""
import hashlib, os, random, struct, sys, zipfile, zlib

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

ASSETS = (".dds", ".pmd", ".psa", ".ogg", ".xmb")

def assets(zips):
    """Name and reader of each asset up to 800 KiB, in the order of the names' hashes: the first of them are a sample of all."""
    found = []
    for z in map(zipfile.ZipFile, zips):
        for i in z.infolist():
            if i.filename.endswith(ASSETS) and 0 < i.file_size <= 800 << 10:
                found.append((i.filename, lambda z=z, i=i: z.read(i)))
    return sorted(found, key=lambda x: hashlib.md5(x[0].encode()).digest())

def repainted(r, content, other):
    """A texture, of which a rectangle of up to a quarter of its width and height has got what another texture has. Others: edited."""
    if content[:4] != b"DDS " or len(content) < 4096:
        return edited(r, content)
    height, width = struct.unpack_from("<II", content, 12)
    block = 8 if content[84:88] == b"DXT1" else 16
    row, rows, b = width // 4 * block, height // 4, bytearray(content)
    w, h = block * r.randint(1, max(1, width // 16)), r.randint(1, max(1, rows // 4))
    x, y = r.randrange(0, max(1, row - w), block), r.randrange(max(1, rows - h))
    paint = other[r.randrange(len(other)):]
    for k in range(h):
        at, p = 128 + (y + k) * row + x, paint[k * w:(k + 1) * w]
        if at + w <= len(b) and len(p) == w:
            b[at:at + w] = p
    return bytes(b)

def game(old_path, new_path, shuffled_path, zips):
    """764 MB or what there is; then 173 modified, 62 new, 137 renamed of which 37 are edited, 53 gone."""
    r, all = random.Random(4), assets(zips)
    total = n = 0
    while n < len(all) - 62 and total < 764e6:
        total, n = total + len(all[n][1]()), n + 1
    old, added = all[:n], all[n:n + 62]
    touched = r.sample(range(n), 173 + 137 + 53)
    modified, renamed, gone = set(touched[:173]), set(touched[173:310]), set(touched[310:])
    edit, new = set(touched[:173 + 37]), []
    for i, (name, content) in enumerate(old):
        if i in gone:
            continue
        if i in edit:
            seed, other = r.random(), r.choice(old)[1]
            content = lambda content=content, seed=seed, other=other: repainted(random.Random(seed), content(), other())
        new.append(("moved/" + name if i in renamed else name, content))
    pak(old_path, sorted(old, key=lambda x: x[0]))
    new = sorted(new + [("new/" + name, content) for name, content in added], key=lambda x: x[0])
    pak(new_path, new)
    r.shuffle(new)
    pak(shuffled_path, new)

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
    elif what == "game":
        game(*args[:3], args[3:])
    else:
        sys.exit(__doc__)
