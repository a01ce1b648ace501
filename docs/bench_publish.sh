#!/usr/bin/env bash
# Measures what publishing a next build costs: makes two builds of paks, publishes both, and prints
# a row for docs/benchmarks.md: bytes of the build, of what changed and of what is new in the store,
# CPU seconds (user and system), and the largest memory. It fetches nothing.
#
#   docs/bench_publish.sh [MB [PAKS [CHANGED]]]    # default 200 MB in 16 paks, of which 1 in 8 changes
#
# FILES is a folder of contents (default: Go's sources and tools, taken again under other names
# until there is enough). PAKDB is a binary to measure; without it the sources are built.
set -euo pipefail
cd "$(dirname "$0")/.."
mb=${1:-200} paks=${2:-16} every=${3:-8}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0 PAKDB_CATALOG=$work/catalog.db
pakdb=${PAKDB:-}
if [[ -z $pakdb ]]; then
	pakdb=$work/pakdb
	go build -trimpath -o "$pakdb" ./cmd/pakdb
fi
FILES=${FILES:-$(go env GOROOT)} WORK=$work MB=$mb PAKS=$paks EVERY=$every python3 - <<'PY'
import os, random
draw = random.Random(5)
work, most, paks, every = os.environ["WORK"], int(os.environ["MB"]) << 20, int(os.environ["PAKS"]), int(os.environ["EVERY"])
files = []
for folder, _, names in os.walk(os.environ["FILES"]):
    for name in names:
        path = os.path.join(folder, name)
        if not os.path.islink(path) and 200 < os.path.getsize(path) < 4 << 20:
            files.append(path)
files.sort()
draw.shuffle(files)
done = i = 0
while done < most:
    path = files[i % len(files)]
    old = bytearray(open(path, "rb").read())
    if i >= len(files):  # once more, as other bytes
        for at in range(0, len(old), 40):
            old[at] = draw.randrange(256)
    new = bytearray(old)
    if i % paks % every == 0 and draw.random() < 0.2:
        for _ in range(max(1, len(new) // 2000)):
            at = draw.randrange(len(new))
            new[at:at + draw.randrange(8)] = bytes(draw.randrange(97, 123) for _ in range(draw.randrange(12)))
    for build, content in ((1, old), (2, new)):
        to = f"{work}/files/{build}/{i % paks:02d}/{i:06d}_{os.path.basename(path)}"
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "wb") as f:
            f.write(content)
    done += len(old)
    i += 1
PY
for build in 1 2; do
	mkdir -p "$work/build/$build"
	for ((k = 0; k < paks; k++)); do
		name=$(printf %02d "$k")
		if ((build == 2 && k % every)); then
			cp "$work/build/1/Game$name.pak" "$work/build/2/"
		else
			"$pakdb" pack -q "$work/files/$build/$name" -o "$work/build/$build/Game$name.pak" --type unrealpak@11 --method zlib
		fi
	done
done
rm -r "$work/files"
"$pakdb" publish -q "$work/build/1" -o "$work/store"
before=$(du -sb "$work/store" | cut -f1)
python3 - "$pakdb" "$work" "$before" "$paks" "$every" <<'PY'
import os, resource, subprocess, sys
pakdb, work, before, paks, every = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
subprocess.run([pakdb, "publish", "-q", work + "/build/2", "-o", work + "/store"], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
size = lambda folder: sum(os.path.getsize(os.path.join(at, f)) for at, _, names in os.walk(folder) for f in names)
changed = sum(os.path.getsize(f"{work}/build/2/Game{k:02d}.pak") for k in range(0, paks, every))
print(f"| {size(work + '/build/2') / 1e6:.0f} MB, {changed / 1e6:.0f} MB in changed files | {(size(work + '/store') - before) / 1e6:.2f} MB new"
      f" | {used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss / 1024:.0f} MB |")
PY
