#!/usr/bin/env bash
# Measures what publishing a next build costs: makes two builds of paks, publishes both, and prints
# a row for docs/benchmarks.md: bytes of the build, of what changed and of what is new in the store,
# CPU seconds (user and system), and the largest memory. It fetches nothing.
#
#   docs/bench_publish.sh [MB [PAKS [CHANGED]]]    # default 1100 MB, of which 30 MB in 19 paks change
#
# Paks that change are compressed, and one in five of their contents is edited. FILES is a folder of
# such contents (default: Go's sources and tools). All other paks have random bytes, which are made in
# no time. PAKDB is a binary to measure; without it the sources are built.
set -euo pipefail
cd "$(dirname "$0")/.."
mb=${1:-1100} paks=${2:-19} changed=${3:-30}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0 PAKDB_CATALOG=$work/catalog.db
pakdb=${PAKDB:-}
if [[ -z $pakdb ]]; then
	pakdb=$work/pakdb
	go build -trimpath -o "$pakdb" ./cmd/pakdb
fi
mkdir -p "$work/1" "$work/2"
FILES=${FILES:-$(go env GOROOT)} WORK=$work MB=$mb PAKS=$paks CHANGED=$changed PAKDB=$pakdb python3 - <<'PY'
import os, random, shutil, subprocess, zlib
draw = random.Random(5)
work, most, paks, changed = os.environ["WORK"], int(os.environ["MB"]) << 20, int(os.environ["PAKS"]), int(os.environ["CHANGED"]) << 20
def write(folder, name, content):
    os.makedirs(f"{work}/{folder}", exist_ok=True)
    with open(f"{work}/{folder}/{name}", "wb") as f:
        f.write(content)
def pack(folder, pak, method):
    subprocess.run([os.environ["PAKDB"], "pack", "-q", f"{work}/{folder}", "-o", f"{work}/{pak}.pak", "--type", "unrealpak@11", "--method", method], check=True)
    shutil.rmtree(f"{work}/{folder}")
files = []
for folder, _, names in os.walk(os.environ["FILES"]):
    for name in names:
        path = os.path.join(folder, name)
        if not os.path.islink(path) and 200 < os.path.getsize(path) < 4 << 20:
            files.append(path)
files.sort()
draw.shuffle(files)
for k in range(paks):
    done = 0
    while done < changed // paks:
        path = files.pop()
        old = open(path, "rb").read()
        done += len(zlib.compress(old, 1))
        new = bytearray(old)
        if draw.random() < 0.2:
            for _ in range(max(1, len(new) // 2000)):
                at = draw.randrange(len(new))
                new[at:at + draw.randrange(8)] = bytes(draw.randrange(97, 123) for _ in range(draw.randrange(12)))
        name = f"{len(files):06d}_{os.path.basename(path)}"
        write("old", name, old)
        write("new", name, new)
    pack("old", f"1/Game{k:02d}", "zlib")
    pack("new", f"2/Game{k:02d}", "zlib")
left, k = most - changed, 0
while left > 0:
    part = min(left, 64 << 20)
    left -= part
    while part > 0:
        n = min(part, draw.randrange(1 << 10, 128 << 10))
        part -= n
        write("random", f"{part:08d}", draw.randbytes(n))
    pack("random", f"1/Data{k:02d}", "none")
    os.link(f"{work}/1/Data{k:02d}.pak", f"{work}/2/Data{k:02d}.pak")
    k += 1
PY
"$pakdb" publish -q --effort fast "$work/1" -o "$work/store"
before=$(du -sb "$work/store" | cut -f1)

python3 - "$pakdb" "$work" "$before" <<'PY'
import os, resource, subprocess, sys
pakdb, work, before = sys.argv[1], sys.argv[2], int(sys.argv[3])
earlier = resource.getrusage(resource.RUSAGE_CHILDREN)
subprocess.run([pakdb, "publish", "-q", work + "/2", "-o", work + "/store"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
size = lambda folder, part="": sum(os.path.getsize(os.path.join(at, f)) for at, _, names in os.walk(folder) for f in names if part in f)
print(f"| {size(work + '/2') / 1e6:.0f} MB, {size(work + '/2', 'Game') / 1e6:.0f} MB in changed files | {(size(work + '/store') - before) / 1e6:.2f} MB new"
      f" | {used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss / 1024:.0f} MB |")
PY
