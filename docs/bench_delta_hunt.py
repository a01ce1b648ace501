#!/usr/bin/env python3
"""Hunt for pairs on which a public tool needs fewer bytes than pakdb delta.

  bench_delta_hunt.py PAKDB DIR [PAIR...]     all pairs, or those whose names begin with one of PAIR

Pairs are built below DIR, the same at each run on the same machine: from programs and text of a Debian machine, from seeded noise, and
from the samples in PAKDB_SAMPLES (left out when absent). KERNELS="A B", two folders with unpacked linux-image packages, adds pairs of
real versions. The tools are zstd -19 --patch-from, xdelta3 -9, bsdiff (for up to 48 MB), rdiff with zstd -19, and xz -9 of the new file
alone; those that are absent are left out. Folders are put into tar files for them; an old folder whose new side is a file is put into one
file without names, because a tar of it might be the new side itself. What they find is kept in DIR/found.json and not
measured twice; pakdb is. HDIFFZ=PATH adds HDiffPatch, with the whole old file in memory, the best of four settings; what it finds is kept
apart.

Prints a line for each pair: its name, the bytes of the new side, pakdb's patch, the best tool with its patch, and the ratio, with
LOSS behind those above 1.
"""
import glob, hashlib, io, json, os, random, shutil, sqlite3, struct, subprocess, sys, tarfile, zipfile, zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_delta

PAIRS = {}
HDIFFZ = os.environ.get("HDIFFZ")

def pair(f):
    """Registers a pair: a function that is given a Maker."""
    PAIRS[f.__name__.replace("_", "-")] = f
    return f

class Maker:
    """Writes the old and the new side of a pair."""
    def __init__(self, dir, name):
        self.dir, self.r = dir, random.Random(name)

    def path(self, *names):
        path = os.path.join(self.dir, *names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, name, content):
        with open(self.path(*name.split("/")), "wb") as f:
            f.write(content)

    def both(self, old, new):
        self.write("old/data.bin", old)
        self.write("new/data.bin", new)

    def copy(self, name, source):
        shutil.copyfile(source, self.path(*name.split("/")))

    def pakdb(self, *args):
        subprocess.run([Maker.program, "-q", *args], check=True, stdout=subprocess.DEVNULL)

# What the pairs are made of.

def read(path):
    with open(path, "rb") as f:
        return f.read()

def program(k=0):
    """The k-th of some programs of 1 to 10 MB."""
    return read(("/usr/bin/perl", "/usr/bin/git", "/usr/bin/python3.11", "/usr/bin/gdb")[k])

def sources():
    """Name and content of some 700 source files, 10 MB."""
    top = os.path.dirname(os.__file__)
    paths = [p for p in sorted(glob.glob(top + "/**/*.py", recursive=True)) if "site-packages" not in p]
    return [(os.path.relpath(p, top), read(p)) for p in paths][:700]

def text():
    return b"".join(c for _, c in sources())

def sample(name):
    return os.path.join(os.environ.get("PAKDB_SAMPLES", ""), name)

def samples(*names):
    """Lets a pair be left out where these samples are absent."""
    for n in names:
        if not os.path.exists(sample(n)):
            raise LookupError("no " + n)
    return [sample(n) for n in names]

def kernels(pattern):
    """The files of two kernel packages that fit a pattern, old and new."""
    dirs = os.environ.get("KERNELS", "").split()
    found = [sorted(glob.glob(d + pattern, recursive=True)) for d in dirs]
    if len(found) != 2 or not all(found):
        raise LookupError("no KERNELS with " + pattern)
    return found

def blocks(content, size):
    return [content[i:i + size] for i in range(0, len(content), size)]

def sprinkle(r, content, n, size=8):
    """n places overwritten by noise."""
    b = bytearray(content)
    for _ in range(n):
        at = r.randrange(len(b) - size)
        b[at:at + size] = r.randbytes(size)
    return bytes(b)

# Files of no format.

@pair
def raw_identical(m):
    m.both(program(), program())

@pair
def raw_one_byte(m):
    m.both(b"a", b"b")

@pair
def raw_few_bytes(m):
    m.both(b"version=1.0\n", b"version=1.1\n")

@pair
def raw_from_nothing(m):
    m.both(b"", program())

@pair
def raw_to_nothing(m):
    m.both(program(), b"")

@pair
def raw_noise(m):
    m.both(m.r.randbytes(3_000_000), m.r.randbytes(3_000_000))

@pair
def raw_noise_small(m):
    m.both(m.r.randbytes(1000), m.r.randbytes(1000))

@pair
def raw_zeros(m):
    m.both(bytes(5_000_000), bytes(20_000_000))

@pair
def raw_zeros_and_noise(m):
    a = b"".join(m.r.randbytes(m.r.randrange(1, 5000)) + bytes(m.r.randrange(1, 50_000)) for _ in range(500))
    b = b"".join(m.r.randbytes(m.r.randrange(1, 50)) + bytes(m.r.randrange(1, 50_000)) for _ in range(500))
    m.both(a, a[:6_000_000] + b + a[6_000_000:])

@pair
def raw_prefix(m):
    a = m.r.randbytes(60_000_000)
    m.both(a, b"x" + a)

@pair
def raw_truncated(m):
    a = m.r.randbytes(10_000_000)
    m.both(a, a[:7_654_321])

@pair
def raw_appended(m):
    m.both(program(), program() + m.r.randbytes(1000))

@pair
def raw_swapped_halves(m):
    a = m.r.randbytes(60_000_000)
    m.both(a, a[30_000_000:] + a[:30_000_000])

@pair
def raw_reversed_blocks(m):
    a = m.r.randbytes(60_000_000)
    m.both(a, b"".join(reversed(blocks(a, 1_000_003))))

@pair
def raw_shuffled_64k(m):
    b = blocks(m.r.randbytes(48_000_000), 65536)
    m.both(b"".join(b), b"".join(m.r.sample(b, len(b))))

@pair
def raw_shuffled_4k(m):
    b = blocks(m.r.randbytes(40_000_000), 4096)
    m.both(b"".join(b), b"".join(m.r.sample(b, len(b))))

@pair
def raw_shuffled_512(m):
    b = blocks(m.r.randbytes(8_000_000), 512)
    m.both(b"".join(b), b"".join(m.r.sample(b, len(b))))

@pair
def raw_shuffled_64(m):
    b = blocks(m.r.randbytes(1_000_000), 64)
    m.both(b"".join(b), b"".join(m.r.sample(b, len(b))))

@pair
def raw_interleaved(m):
    a, b = blocks(m.r.randbytes(10_000_000), 3000), blocks(program(3)[:10_000_000], 3000)
    m.both(b"".join(a + b), b"".join(x + y for x, y in zip(a, b)))

@pair
def raw_deinterleaved(m):
    a, b = blocks(m.r.randbytes(10_000_000), 700), blocks(program(3)[:10_000_000], 700)
    m.both(b"".join(x + y for x, y in zip(a, b)), b"".join(a + b))

@pair
def raw_repeated(m):
    a = m.r.randbytes(300_000)
    m.both(a, a * 30)

@pair
def raw_far_repeats(m):
    a = m.r.randbytes(12_000_000)
    m.both(b"x", a + a + a)

@pair
def raw_far_repeats_compressible(m):
    a = program(3)
    m.both(b"x", a + program(1) + a)

@pair
def raw_duplicated_old(m):
    a, b = m.r.randbytes(20_000_000), m.r.randbytes(20_000_000)
    m.both(a + b, b + a + b[5_000_000:] + a)

@pair
def raw_sprinkled(m):
    a = m.r.randbytes(40_000_000)
    m.both(a, sprinkle(m.r, a, 5000))

@pair
def raw_sprinkled_program(m):
    m.both(program(3), sprinkle(m.r, program(3), 5000, 4))

@pair
def raw_counters(m):
    """Records of 32 bytes whose numbers all grow."""
    rec = [struct.pack("<IIQQQ", i, m.r.randrange(1 << 20), m.r.getrandbits(64), i * 4096, 0) for i in range(100_000)]
    grown = [struct.pack("<IIQQQ", i, struct.unpack_from("<I", x, 4)[0], struct.unpack_from("<Q", x, 8)[0], i * 4096 + 777, 0) for i, x in enumerate(rec)]
    m.both(b"".join(rec), b"".join(grown))

@pair
def raw_floats(m):
    f = [m.r.gauss(0, 100) for _ in range(400_000)]
    m.both(struct.pack("<400000f", *f), struct.pack("<400000f", *[x + 0.5 if i % 97 == 0 else x for i, x in enumerate(f)]))

@pair
def raw_moved_far(m):
    """Runs of 2 to 5 KB that move by tens of megabytes, between programs."""
    a = bytearray(b"".join(m.r.randbytes(1000) if k % 3 else program(1)[k * 700:k * 700 + 2000] for k in range(50_000)))
    b = bytearray(a)
    for _ in range(300):
        n, x, y = m.r.randrange(2000, 5000), m.r.randrange(len(a) - 5000), m.r.randrange(len(a) - 5000)
        b[y:y + n] = a[x:x + n]
    m.both(bytes(a), bytes(b))

@pair
def raw_xor(m):
    a = program()
    m.both(a, bytes(x ^ 0x55 for x in a))

@pair
def raw_doubled_bytes(m):
    a = program()[:1_500_000]
    m.both(a, b"".join(bytes((x, 0)) for x in a))

# Programs.

@pair
def program_to_another(m):
    m.both(program(0), program(1))

@pair
def program_similar(m):
    m.both(read("/usr/bin/x86_64-linux-gnu-gcc-12"), read("/usr/bin/x86_64-linux-gnu-g++-12"))

@pair
def program_cc1(m):
    found = sorted(glob.glob("/usr/lib/gcc/x86_64-linux-gnu/*/cc1")), sorted(glob.glob("/usr/lib/gcc/x86_64-linux-gnu/*/cc1plus"))
    if not all(found):
        raise LookupError("no cc1")
    m.both(read(found[0][0]), read(found[1][0]))

@pair
def program_kernel_module(m):
    a, b = kernels("/**/amdgpu.ko")
    m.both(read(a[0]), read(b[0]))

@pair
def program_kernel_modules(m):
    for side, paths in zip(("old", "new"), kernels("/**/drivers/net/**/*.ko")):
        for p in paths:
            m.copy(side + "/" + p.split("/drivers/")[1], p)

@pair
def program_kernel_modules_tar(m):
    for side, paths in zip(("old", "new"), kernels("/**/fs/**/*.ko")):
        tar(m.path(side, "fs.tar"), [(p.split("/kernel/")[1], read(p)) for p in paths])

@pair
def program_kernel_image(m):
    a, b = kernels("/boot/vmlinuz-*")
    m.both(read(a[0]), read(b[0]))

# Text, tables, databases.

@pair
def text_edited(m):
    a = text().split(b"\n")
    b = [x for x in a if m.r.random() > 0.01]
    for i in m.r.sample(range(len(b)), 2000):
        b[i] = b"# changed " + b[i][::-1]
    m.both(b"\n".join(a), b"\n".join(b))

@pair
def text_lines_reordered(m):
    a = text()[:3_000_000].split(b"\n")
    m.both(b"\n".join(a), b"\n".join(m.r.sample(a, len(a))))

@pair
def text_renamed_word(m):
    m.both(text(), text().replace(b"self", b"this_object"))

@pair
def text_crlf(m):
    m.both(text(), text().replace(b"\n", b"\r\n"))

@pair
def text_utf16(m):
    m.both(text()[:2_000_000], text()[:2_000_000].decode("latin1").encode("utf-16"))

def table(r, n):
    return [b"%d,%s,%d.%02d,%s" % (i, r.choice((b"alpha", b"beta", b"gamma")), r.randrange(10_000), r.randrange(100),
            hashlib.md5(b"%d" % r.randrange(n)).hexdigest()[:12].encode()) for i in range(n)]

@pair
def csv_sorted(m):
    a = table(m.r, 60_000)
    m.both(b"\n".join(a), b"\n".join(sorted(a, key=lambda x: x.split(b",")[3])))

@pair
def csv_column_added(m):
    a = table(m.r, 60_000)
    m.both(b"\n".join(a), b"\n".join(x + b",%d" % m.r.randrange(10) for x in a))

@pair
def csv_rows_edited(m):
    a = table(m.r, 200_000)
    b = [x if m.r.random() > 0.01 else m.r.choice(a) for x in a]
    m.both(b"\n".join(a), b"\n".join(b))

@pair
def json_grown(m):
    a = [{"id": i, "name": "item %d" % m.r.randrange(5000), "price": m.r.randrange(10_000), "tags": m.r.sample(["a", "b", "c", "d"], 2)} for i in range(40_000)]
    b = [dict(x, price=x["price"] + 1) if m.r.random() < 0.05 else x for x in a] + a[:1000]
    m.both(json.dumps(a, indent=1).encode(), json.dumps(b, indent=1).encode())

@pair
def json_reformatted(m):
    a = [{"id": i, "name": "item %d" % m.r.randrange(5000), "price": m.r.randrange(10_000)} for i in range(40_000)]
    m.both(json.dumps(a).encode(), json.dumps(a, indent=2).encode())

def database(path, r, edit):
    if os.path.exists(path):
        os.remove(path)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, hash BLOB, size INTEGER)")
    db.executemany("INSERT INTO item VALUES (?, ?, ?, ?)", ((i, "path/to/item_%d" % i, r.randbytes(16), r.randrange(1 << 20)) for i in range(60_000)))
    db.execute("CREATE INDEX item_hash ON item (hash)")
    db.commit()
    edit(db)
    db.commit()
    db.close()

@pair
def sqlite_updated(m):
    def edit(db):
        r = random.Random(5)
        db.executemany("UPDATE item SET size = ?, hash = ? WHERE id = ?", ((r.randrange(1000), r.randbytes(16), r.randrange(60_000)) for _ in range(600)))
        db.execute("DELETE FROM item WHERE id % 100 = 7")
    database(m.path("old", "items.db"), random.Random(1), lambda db: None)
    database(m.path("new", "items.db"), random.Random(1), edit)

@pair
def sqlite_vacuumed(m):
    def edit(db):
        db.execute("DELETE FROM item WHERE id % 50 = 7")
        db.commit()
        db.execute("VACUUM")
    database(m.path("old", "items.db"), random.Random(1), lambda db: None)
    database(m.path("new", "items.db"), random.Random(1), edit)

@pair
def sqlite_catalog(m):
    a, b = samples("unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak")
    m.pakdb("--catalog", m.path("old", "catalog.db"), "index", a, "--build", "1")
    shutil.copyfile(m.path("old", "catalog.db"), m.path("new", "catalog.db"))
    m.pakdb("--catalog", m.path("new", "catalog.db"), "index", b, "--build", "2")

# Folders and archives.

def tar(path, entries):
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as t:
        for name, content in entries:
            i = tarfile.TarInfo(name)
            i.size, i.mtime = len(content), 1_600_000_000
            t.addfile(i, io.BytesIO(content))

def zipped(path, entries, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method, compresslevel=6) as z:
        for name, content in entries:
            z.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content, method)

def changed(r, entries, part=0.05):
    """Some edited, some moved, some gone, some new."""
    out = []
    for name, content in entries:
        x = r.random()
        if x < part:
            content = bench_delta.edited(r, content or b"x")
        elif x < 1.4 * part:
            name = "moved/" + name
            if x < 1.2 * part:
                content = bench_delta.edited(r, content or b"x")
        elif x < 1.6 * part:
            continue
        out.append((name, content))
        if r.random() < part / 4:
            out.append(("new/" + name, content[::-1]))
    return out

def folder(m, side, entries):
    for name, content in entries:
        m.write(side + "/" + name, content)

def paked(m, side, entries, *flags, name="x.pak"):
    """A pak by pakdb pack, of version 11 unless flags say otherwise."""
    temp = os.path.join(m.dir, "files")
    shutil.rmtree(temp, ignore_errors=True)
    for n, c in entries:
        m.write("files/" + n, c)
    m.pakdb("pack", temp, "-o", m.path(side, name), "--type", "unrealpak", *flags)
    shutil.rmtree(temp)

def media(n=150):
    """Small pictures and sounds that are compressed already."""
    found = sorted(p for k in ("png", "ogg", "jpg", "gz") for p in glob.glob("/usr/share/**/*." + k, recursive=True) if os.path.isfile(p) and os.path.getsize(p) > 300)
    return [(os.path.relpath(p, "/usr/share"), read(p)) for p in found[:: max(1, len(found) // n)]][:n]

@pair
def folder_sources(m):
    folder(m, "old", sources())
    folder(m, "new", changed(m.r, sources()))

@pair
def folder_tiny_files(m):
    a = [("%d/%d.json" % (i % 20, i), b'{"id": %d, "value": %d}' % (i, m.r.randrange(1000))) for i in range(1000)]
    folder(m, "old", a)
    folder(m, "new", changed(m.r, a))

@pair
def folder_media(m):
    folder(m, "old", media())
    folder(m, "new", changed(m.r, media(), 0.2))

@pair
def folder_all_renamed(m):
    folder(m, "old", sources()[:300])
    folder(m, "new", [("%x.txt" % zlib.crc32(n.encode()), c) for n, c in sources()[:300]])

@pair
def folder_to_tar(m):
    folder(m, "old", sources()[:300])
    tar(m.path("new", "x.tar"), sources()[:300])

@pair
def folder_to_zip(m):
    folder(m, "old", sources()[:300])
    zipped(m.path("new", "x.zip"), sources()[:300])

@pair
def folder_to_pak(m):
    folder(m, "old", sources()[:300])
    paked(m, "new", sources()[:300], "--method", "zlib")

@pair
def folder_from_pak(m):
    paked(m, "old", sources()[:300], "--method", "zlib")
    folder(m, "new", sources()[:300])

@pair
def tar_edited(m):
    tar(m.path("old", "x.tar"), sources())
    tar(m.path("new", "x.tar"), changed(m.r, sources()))

@pair
def tar_shuffled(m):
    tar(m.path("old", "x.tar"), sources())
    tar(m.path("new", "x.tar"), m.r.sample(sources(), len(sources())))

@pair
def zip_edited(m):
    zipped(m.path("old", "x.zip"), sources())
    zipped(m.path("new", "x.zip"), changed(m.r, sources()))

@pair
def zip_stored_edited(m):
    zipped(m.path("old", "x.zip"), sources(), zipfile.ZIP_STORED)
    zipped(m.path("new", "x.zip"), changed(m.r, sources()), zipfile.ZIP_STORED)

def pak_pair(m, *flags):
    entries = sources()[:400] + media(60)
    paked(m, "old", entries, *flags)
    paked(m, "new", changed(m.r, entries), *flags)

for method in ("none", "zlib", "gzip", "lz4", "zstd"):
    PAIRS["pak-" + method] = lambda m, method=method: pak_pair(m, "--method", method)

@pair
def pak_stored_to_zlib(m):
    paked(m, "old", sources()[:400], "--method", "none")
    paked(m, "new", sources()[:400], "--method", "zlib")

@pair
def pak_zlib_to_stored(m):
    paked(m, "old", sources()[:400], "--method", "zlib")
    paked(m, "new", sources()[:400], "--method", "none")

@pair
def pak_zlib_to_zstd(m):
    paked(m, "old", sources()[:400], "--method", "zlib")
    paked(m, "new", sources()[:400], "--method", "zstd")

@pair
def pak_split(m):
    paked(m, "old", sources()[:400], "--method", "zlib")
    paked(m, "new", sources()[:150], "--method", "zlib", name="a.pak")
    paked(m, "new", sources()[150:400], "--method", "zlib", name="b.pak")

@pair
def pak_merged(m):
    paked(m, "old", sources()[:150], "--method", "zlib", name="a.pak")
    paked(m, "old", sources()[150:400], "--method", "zlib", name="b.pak")
    paked(m, "new", sources()[:400], "--method", "zlib")

@pair
def pak_entry_moved_between(m):
    for side, k in (("old", 200), ("new", 203)):
        paked(m, side, sources()[:k], "--method", "zlib", name="a.pak")
        paked(m, side, sources()[k:400], "--method", "zlib", name="b.pak")

@pair
def pak_renamed_and_edited(m):
    paked(m, "old", sources()[:300], "--method", "zlib")
    paked(m, "new", [("other/%d.bin" % i, bench_delta.edited(m.r, c or b"x")) for i, (_, c) in enumerate(sources()[:300])], "--method", "zlib")

@pair
def pak_removed(m):
    paked(m, "old", sources(), "--method", "zlib")
    paked(m, "new", [x for i, x in enumerate(sources()) if i % 60], "--method", "zlib")

@pair
def pak_one_large_stored(m):
    a = m.r.randbytes(40_000_000)
    paked(m, "old", [("a.bin", a), ("b.txt", b"b")], "--method", "none")
    paked(m, "new", [("a.bin", b"x" + a[20_000_000:] + a[:20_000_000]), ("b.txt", b"c")], "--method", "none")

# Samples.

def sample_pair(name, *paths):
    def f(m):
        a, b = samples(*paths)
        for side, path in (("old", a), ("new", b)):
            if os.path.isdir(path):
                shutil.copytree(path, m.path(side, ""), dirs_exist_ok=True)
                subprocess.run(["chmod", "-R", "u+w", m.path(side, "")], check=True)
            else:
                m.copy(side + "/data" + os.path.splitext(path)[1], path)
    PAIRS["sample-" + name] = f

VERSIONS = ["v5", "v8b", "v11"]
for name, a, b in [
    ("sip-10-11", "gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip"),
    ("sip-11-10", "gpak/Calligraphy_v11_mhpaktool.sip", "gpak/Calligraphy_v10_mhpaktool.sip"),
    ("sip-broken", "gpak/Calligraphy_v11_mhpaktool.sip", "gpak/BROKEN_lz4.sip"),
    ("sip-large", "gpak/Calligraphy_v11_mhpaktool.sip", "gpak/Calligraphy_1.10_names.sip"),
    ("sip-large-back", "gpak/Calligraphy_1.10_names.sip", "gpak/Calligraphy_v11_mhpaktool.sip"),
    ("sip-sqlite", "gpak/mu_cdata_1.5.sip", "gpak/mu_cdata_1.6.sip"),
    ("sip-sqlite-back", "gpak/mu_cdata_1.6.sip", "gpak/mu_cdata_1.5.sip"),
    ("retro-versions", "retro-pak/mp3_small.pak", "retro-pak/mp3_small_v2.pak"),
    ("retro-versions-back", "retro-pak/mp3_small_v2.pak", "retro-pak/mp3_small.pak"),
    ("retro-games", "retro-pak/mp1_small.pak", "retro-pak/mp3_small.pak"),
    ("iostore-oodle-zlib", "iostore/cue4parse-ue5.8/Oodle", "iostore/cue4parse-ue5.8/Zlib"),
    ("iostore-zlib-stored", "iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Uncompressed"),
    ("iostore-stored-zlib", "iostore/cue4parse-ue5.8/Uncompressed", "iostore/cue4parse-ue5.8/Zlib"),
    ("iostore-stored-oodle", "iostore/cue4parse-ue5.8/Uncompressed", "iostore/cue4parse-ue5.8/Oodle"),
    ("iostore-patch", "iostore/patch-pair/CUE4ParseFixtures-PatchBase.ucas", "iostore/patch-pair/CUE4ParseFixtures-PatchBase_0_P.ucas"),
    ("pak-oodle-stored", "unreal-pak/cue4parse-ue5.8/Pak/Oodle", "unreal-pak/cue4parse-ue5.8/Pak/Uncompressed"),
    ("pak-stored-oodle", "unreal-pak/cue4parse-ue5.8/Pak/Uncompressed", "unreal-pak/cue4parse-ue5.8/Pak/Oodle"),
    ("pak-legacy-zlib-oodle", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Zlib", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Oodle"),
    ("pak-legacy-stored-zlib", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Uncompressed", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Zlib"),
    ("pak-legacy-zlib-stored", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Zlib", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Uncompressed"),
    ("pak-oodle-encrypted", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Oodle", "unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/OodleEncrypted"),
    ("pak-patch", "unreal-pak/cue4parse-ue5.8/Patch/Pak/CUE4ParseFixtures-PatchBase.pak", "unreal-pak/cue4parse-ue5.8/Patch/Pak/CUE4ParseFixtures-PatchBase_0_P.pak"),
    ("integration", "unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak"),
    ("integration-back", "unreal-pak/pairs/integration_new.pak", "unreal-pak/pairs/integration_old.pak"),
    ("sandboxutilities", "unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak"),
    ("sandboxutilities-back", "unreal-pak/pairs/sandboxutilities_new_P.pak", "unreal-pak/pairs/sandboxutilities_old_P.pak"),
    ("pak-writers", "unreal-pak/unrealmodding/000-TestPak-cus-NoC_P.pak", "unreal-pak/unrealmodding/000-TestPak-off-NoC_P.pak"),
    ("pak-stored-compressed", "unreal-pak/unrealmodding/000-TestPak-off-NoC_P.pak", "unreal-pak/unrealmodding/000-TestPak-off-C_P.pak"),
    ("pak-compressed-stored", "unreal-pak/unrealmodding/000-TestPak-off-C_P.pak", "unreal-pak/unrealmodding/000-TestPak-off-NoC_P.pak"),
    ("package-ue1-ue2", "unreal-package/TestUC1.u", "unreal-package/TestUC2.u"),
    ("package-ue2-ue3", "unreal-package/TestUC2.u", "unreal-package/TestUC3.u"),
    ("package-upk-from-u", "unreal-package/TestUC3.u", "unreal-package/GUI_v859.upk"),
    ("package-uasset-versions", "unreal-package/uasset-rs/UE50/SimpleRefsRoot.uasset", "unreal-package/uasset-rs/UE56/SimpleRefsRoot.uasset"),
    ("package-uasset-414-418", "unreal-package/uasset-rs/UE414/SimpleRefsRoot.uasset", "unreal-package/uasset-rs/UE418/SimpleRefsRoot.uasset"),
    ("package-folders", "unreal-package/uasset-rs/UE414", "unreal-package/uasset-rs/UE418"),
    ("package-folders-56", "unreal-package/uasset-rs/UE50", "unreal-package/uasset-rs/UE56"),
    ("umod-from-u", "unreal-package/TestUC1.u", "unreal-package/DropStuff.umod"),
] + [("pak-%s-%s%s" % (a, b, c), "unreal-pak/unrealpak/pack_%s%s.pak" % (a, c), "unreal-pak/unrealpak/pack_%s%s.pak" % (b, c))
     for a, b in zip(VERSIONS, VERSIONS[1:]) for c in ("", "_compress", "_encrypt", "_encryptindex", "_compress_encrypt")] + \
    [("pak-%s-%s" % (v, c.strip("_")), "unreal-pak/unrealpak/pack_%s.pak" % v, "unreal-pak/unrealpak/pack_%s%s.pak" % (v, c))
     for v in VERSIONS for c in ("_compress", "_encrypt")]:
    sample_pair(name, a, b)

# Measuring.

def size(path):
    return sum(os.path.getsize(p) for p in glob.glob(path + "/**", recursive=True) if os.path.isfile(p))

def files(path):
    return sorted(p for p in glob.glob(path + "/**", recursive=True) if os.path.isfile(p))

def one_file(path, temp, plain=False):
    """The only file of a folder, or a tar of its files; plain: these one behind the other."""
    found = files(path)
    if len(found) == 1:
        return found[0]
    if plain:
        with open(temp, "wb") as f:
            f.write(b"".join(map(read, found)))
    else:
        tar(temp, [(os.path.relpath(p, path), read(p)) for p in found])
    return temp

def tools(old, new, out):
    """Name and command of each tool, which writes out."""
    yield "zstd", ["zstd", "-q", "-f", "-19", "--long=31", "--single-thread", "--patch-from=" + old, new, "-o", out]
    yield "xdelta3", ["xdelta3", "-f", "-e", "-9", "-B", "536870912", "-s", old, new, out]
    if os.path.getsize(old) <= 48 << 20:
        yield "bsdiff", ["bsdiff", old, new, out]
    yield "rdiff", ["sh", "-c", 'rdiff -b 2048 signature "$1" "$3.sig" && rdiff delta "$3.sig" "$2" "$3.rd" && zstd -q -f -19 "$3.rd" -o "$3"', "-", old, new, out]
    if HDIFFZ and os.path.getsize(old) <= 100 << 20:
        for match in "-m-1", "-m-6":
            for method in "-c-lzma2-9-26", "-c-zstd-21-24":
                yield "hdiffz", [HDIFFZ, "-f", "-d", match, method, old, new, out]
    yield "xz", ["sh", "-c", 'xz -9 -c "$1" > "$2"', "-", new, out]

def best_tool(dir):
    old, new, out = one_file(dir + "/old", dir + "/old.tar", len(files(dir + "/new")) == 1), one_file(dir + "/new", dir + "/new.tar"), dir + "/out"
    best = ("none", 1 << 62)
    for name, command in tools(old, new, out):
        for f in glob.glob(dir + "/out*"):
            os.remove(f)
        try:
            done = shutil.which(command[0]) and subprocess.run(command, capture_output=True, timeout=150).returncode == 0
        except subprocess.TimeoutExpired: # bsdiff of many zeros
            done = False
        if done and os.path.exists(out):
            best = min(best, (name, os.path.getsize(out)), key=lambda x: x[1])
    for f in glob.glob(dir + "/out*") + glob.glob(dir + "/*.tar"):
        os.remove(f)
    return best

def ours(dir):
    sides = [glob.glob(dir + "/" + side + "/*") for side in ("old", "new")]
    plain = all(len(s) == 1 and os.path.isfile(s[0]) for s in sides)
    old, new = (s[0] for s in sides) if plain else (dir + "/old", dir + "/new")
    if os.path.exists(dir + "/p.pkdelta"):
        os.remove(dir + "/p.pkdelta")
    subprocess.run([Maker.program, "-q", "delta", "make", old, new, "-o", dir + "/p.pkdelta"], check=True, stdout=subprocess.DEVNULL)
    return os.path.getsize(dir + "/p.pkdelta")

def main(program, dir, only):
    Maker.program = program
    os.makedirs(dir, exist_ok=True)
    known, found = dir + ("/found_hdiffz.json" if HDIFFZ else "/found.json"), {}
    if os.path.exists(known):
        found = json.loads(read(known))
    print("%-32s %10s %10s %-8s %10s %6s" % ("pair", "new", "pakdb", "best", "", "ratio"), flush=True)
    for name, make in PAIRS.items():
        if only and not name.startswith(tuple(only)):
            continue
        d = os.path.join(dir, name)
        try:
            if not os.path.exists(d + "/made"):
                shutil.rmtree(d, ignore_errors=True)
                make(Maker(d, name))
                open(d + "/made", "w").close()
            if name not in found:
                found[name] = best_tool(d)
                with open(known, "w") as f:
                    json.dump(found, f, indent=1)
            tool, best = found[name]
            have = ours(d)
            print("%-32s %10d %10d %-8s %10d %6.3f%s" % (name, size(d + "/new"), have, tool, best, have / best, "  LOSS" if have > best else ""), flush=True)
        except LookupError as err:
            print("%-32s left out: %s" % (name, err), flush=True)
        except subprocess.CalledProcessError as err:
            print("%-32s FAILED: %s" % (name, err), flush=True)

if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
