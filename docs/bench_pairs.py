#!/usr/bin/env python3
"""Measures patches of Unreal packages in which references shift, beside xdelta3, bsdiff,
hdiffz and zstd: bytes, CPU seconds (user and system) and memory. It fetches nothing; a tool
that is absent is left out.

    docs/bench_pairs.py PAKDB [SAMPLES]

PAKDB is the binary. The pairs are maps made here, of objects with lists of properties, as UE3
stores them: the second has names, imports or exports inserted, so that every later index
shifts. With SAMPLES, a folder, UE3 packages in unreal-package and paks in unreal-pak/pairs
are measured too: of a package with ten exports or more, names, imports and exports are
inserted, and references in its tables and tagged properties corrected, those in code not.
"""
import bisect, os, random, resource, shutil, struct, subprocess, sys, tempfile

PROPERTIES = {b"ObjectProperty", b"ComponentProperty", b"ClassProperty", b"NameProperty", b"StructProperty", b"ByteProperty",
              b"ArrayProperty", b"IntProperty", b"FloatProperty", b"BoolProperty", b"StrProperty", b"InterfaceProperty", b"DelegateProperty"}


def shifted(points):
    """Returns the index of what had another one, after rows were inserted at points."""
    points = sorted(points)
    return lambda i: i + bisect.bisect_right(points, i)


class Map:
    """Objects of some classes, each with properties of the kinds of UE3."""

    def __init__(self, objects, blob, seed=3):
        draw = random.Random(seed)
        self.names, self.imports, self.objects = 2500, 700, []
        classes = [[(draw.randrange(20, self.names), draw.choice("iiffnrrrsa")) for _ in range(draw.randrange(*blob[0]))] for _ in range(60)]
        for at in range(objects):
            kind, values = min(int(draw.expovariate(1 / 12)), 59), []
            for name, what in classes[kind]:
                if draw.random() < 0.3:
                    continue
                value = {"i": lambda: draw.choice([0, 1, 2, 5, 10, 100, draw.randrange(1 << 16)]), "f": lambda: draw.uniform(-5000, 5000),
                         "n": lambda: draw.randrange(self.names), "s": lambda: (draw.randrange(self.names), [draw.uniform(-9999, 9999) for _ in range(3)]),
                         "r": lambda: draw.choice([max(0, at - draw.randrange(1, 40)), draw.randrange(objects), -draw.randrange(1, self.imports)]),
                         "a": lambda: [draw.randrange(objects) for _ in range(draw.randrange(1, 9))]}[what]()
                values.append((name, what, value))
            self.objects.append((kind, values, draw.randbytes(draw.randrange(*blob[1]))))

    def write(self, names=(), exports=(), imports=()):
        name, export, imported = shifted(names), shifted(exports), shifted(imports)
        ref = lambda r: export(r) + 1 if r >= 0 else -imported(-r)
        rows, data, extra = b"", [], random.Random(9)
        exports = sorted(exports)
        for at, (kind, values, tail) in enumerate(self.objects):
            for _ in range(exports.count(at)):
                data.append(extra.randbytes(120))
                rows += struct.pack("<iiiiiiQii", -5, 0, 0, name(9), 0, 0, 0, 120, 0)
            b = b""
            for of, what, v in values:
                b += struct.pack("<iiii", name(of), 0, name(ord(what)), 0)
                b += {"i": lambda: struct.pack("<iii", 4, 0, v), "f": lambda: struct.pack("<iif", 4, 0, v), "n": lambda: struct.pack("<iiii", 8, 0, name(v), 0),
                      "r": lambda: struct.pack("<iii", 4, 0, ref(v)), "s": lambda: struct.pack("<iiii3f", 12, 0, name(v[0]), 0, *v[1]),
                      "a": lambda: struct.pack(f"<iii{len(v)}i", 4 + 4 * len(v), 0, len(v), *map(ref, v))}[what]()
            data.append(b + struct.pack("<ii", name(7), 0) + tail)
            rows += struct.pack("<iiiiiiQii", -imported(kind + 1), 0, ref(max(0, at - at % 200)), name(100 + at % 2000), at // 2000, 0, 7, len(data[-1]), sum(map(len, data[-2:])))
        return rows + b"".join(data)


def rewrite(b, names, exports, imports, seed=1):
    """Returns a UE3 package with rows inserted into its tables, and references corrected."""
    draw = random.Random(seed)
    version, = struct.unpack_from("<H", b, 4)
    if b[:4] != b"\xc1\x83\x2a\x9e" or version < 600:
        return None
    folder, = struct.unpack_from("<i", b, 12)
    at = 16 + (folder if folder > 0 else -2 * folder)
    count, off, ecount, eoff, icount, ioff, depends = struct.unpack_from("<7i", b, at + 4)
    if ecount < 10:
        return None
    header, = struct.unpack_from("<i", b, 8)
    table, o = [], off
    for _ in range(count):
        n, = struct.unpack_from("<i", b, o)
        end = o + 4 + (n if n > 0 else -2 * n) + 8
        table.append(b[o:end])
        o = end
    rows, o = [], eoff
    for _ in range(ecount):
        net, = struct.unpack_from("<i", b, o + 44)
        rows.append(b[o:o + 68 + 4 * net])
        o += 68 + 4 * net
    points = [[draw.randrange(n) for _ in range(k)] for n, k in ((count, names), (ecount, exports), (icount, imports))]
    name, export, imported = map(shifted, points)
    ref = lambda r: export(r - 1) + 1 if 0 < r <= ecount else -imported(-r - 1) - 1 if 0 < -r <= icount else r
    kinds = {i: row[4:-8].rstrip(b"\0") for i, row in enumerate(table)}

    def fix(data):
        d, o = bytearray(data), 0
        put = lambda at, v: struct.pack_into("<i", d, at, v)
        while o + 24 <= len(d):
            of, number, what, zero, size, index = struct.unpack_from("<6i", d, o)
            kind, v = kinds.get(what), o + 24
            if not (0 <= of < count and 0 <= number < 1000 and kind in PROPERTIES and zero == 0 and 0 <= size <= len(d) - v and 0 <= index < 10000):
                o += 1
                continue
            put(o, name(of)), put(o + 8, name(what))
            value = struct.unpack_from("<i", d, v)[0] if v + 4 <= len(d) else 0
            if kind in (b"ObjectProperty", b"ComponentProperty", b"ClassProperty") and size == 4:
                put(v, ref(value))
            elif kind in (b"NameProperty", b"StructProperty", b"ByteProperty") and v + 8 <= len(d) and 0 <= value < count:
                put(v, name(value))
            elif kind == b"ArrayProperty" and size == 4 + 4 * value:
                refs = struct.unpack_from(f"<{value}i", d, v + 4)
                if all(-icount <= r <= ecount for r in refs):
                    struct.pack_into(f"<{value}i", d, v + 4, *map(ref, refs))
            o = v
        return bytes(d)

    def inserted(list, at, make):
        return [x for i, row in enumerate(list) for x in [make(row, i)] * (at.count(i) + 1)]

    new_names = b"".join(inserted(table, points[0], lambda row, _: row))
    out = b""
    for row in inserted([b[ioff + 28 * i:ioff + 28 * i + 28] for i in range(icount)], points[2], lambda row, _: row):
        t = list(struct.unpack("<7i", row))
        t[0], t[2], t[4], t[5] = name(t[0]), name(t[2]), ref(t[4]), name(t[5])
        out += struct.pack("<7i", *t)
    list_of = inserted(rows, points[1], lambda row, _: row)
    start = off + len(new_names) + len(out) + sum(map(len, list_of)) + header - depends + 4 * exports
    export_rows, data = b"", b""
    for row in list_of:
        size, place = struct.unpack_from("<ii", row, 32)
        t = list(struct.unpack_from("<6i", row))
        part = fix(b[place:place + size])
        export_rows += struct.pack("<6i", ref(t[0]), ref(t[1]), ref(t[2]), name(t[3]), t[4], ref(t[5])) + row[24:32]
        export_rows += struct.pack("<ii", size, start + len(data)) + row[40:]
        data += part
    head = bytearray(b[:off])
    struct.pack_into("<i", head, 8, start)
    first = off + len(new_names)
    struct.pack_into("<7i", head, at + 4, count + names, off, ecount + exports, first + len(out), icount + imports, first, first + len(out) + len(export_rows))
    return bytes(head) + new_names + out + export_rows + b[depends:header] + bytes(4 * exports) + data


def pairs(samples):
    """Yields names, and the contents before and after."""
    dense, sparse = ((4, 16), (0, 40)), ((1, 4), (0, 250))
    draw = random.Random(4)
    points = lambda n, k: [draw.randrange(n) for _ in range(k)]
    for what, made in (("dense map", Map(5000, dense)), ("sparse map", Map(12000, sparse))):
        old = made.write()
        for change, k in (("1 name", (1, 0, 0)), ("1 export", (0, 1, 0)), ("5 names, 2 exports, 1 import", (5, 2, 1))):
            yield f"{what}, {change}", old, made.write(points(2500, k[0]), points(len(made.objects), k[1]), points(700, k[2]))
    if not samples:
        return
    folder = os.path.join(samples, "unreal-package")
    for file in sorted(os.listdir(folder)):
        if file.endswith((".u", ".upk")):
            old = open(os.path.join(folder, file), "rb").read()
            new = rewrite(old, 5, 3, 2)
            if new:
                yield f"{file}, rewritten", old, new
    folder = os.path.join(samples, "unreal-pak", "pairs")
    for stem in ("integration{}", "sandboxutilities{}_P"):
        old, new = (open(os.path.join(folder, stem.format(of) + ".pak"), "rb").read() for of in ("_old", "_new"))
        yield stem.format(""), old, new


TOOLS = {
    "pakdb": "{pakdb} -q delta make {old} {new} -o {out}",
    "bsdiff": "bsdiff {old} {new} {out}",
    "hdiffz": "hdiffz -f -m-6 -c-zstd-21 {old} {new} {out}",
    "xdelta3": "xdelta3 -9 -e -f -s {old} {new} {out}",
    "zstd": "zstd -q -f -19 --long=27 --patch-from={old} {new} -o {out}",
}


def main():
    pakdb, samples = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    tools = {name: text for name, text in TOOLS.items() if name == "pakdb" or shutil.which(name)}
    for name in TOOLS.keys() - tools.keys():
        print(f"left out: {name} is absent", file=sys.stderr)
    print("| pair | size | " + " | ".join(tools) + " | pakdb to the best |\n" + "|---" * (len(tools) + 3) + "|")
    ratios = []
    with tempfile.TemporaryDirectory() as work:
        for name, old, new in pairs(samples):
            paths = {"pakdb": pakdb, "old": work + "/a/content", "new": work + "/b/content", "out": work + "/patch"}
            for at, content in ((paths["old"], old), (paths["new"], new)):
                os.makedirs(os.path.dirname(at), exist_ok=True)
                with open(at, "wb") as f:
                    f.write(content)
            cells, sizes = [], {}
            for tool, text in tools.items():
                if os.path.exists(paths["out"]):
                    os.remove(paths["out"])
                with open(os.devnull, "w") as null:
                    process = subprocess.Popen(text.format(**paths).split(), stdout=null, stderr=null)
                    _, status, used = os.wait4(process.pid, 0)
                if status:
                    cells.append("failed")
                    continue
                sizes[tool] = os.path.getsize(paths["out"])
                cells.append(f"{sizes[tool]:,}; {used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss >> 10} MB")
            best = min(n for tool, n in sizes.items() if tool != "pakdb")
            ratios.append(sizes["pakdb"] / best)
            print(f"| {name} | {len(new):,} | " + " | ".join(cells) + f" | {ratios[-1]:.2f} |", flush=True)
    ratios.sort()
    print(f"\nmedian {ratios[len(ratios) // 2]:.2f}, worst {ratios[-1]:.2f}")


main()
