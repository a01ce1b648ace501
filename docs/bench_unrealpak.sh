#!/usr/bin/env bash
# Measures what pakdb does with Unreal paks against cp, cat, sha1sum and Python's
# zlib on the same bytes, and prints a table. Run it from anywhere, on a machine
# that does nothing else:
#
#   docs/bench_unrealpak.sh [RUNS]     # the best of RUNS runs of each; default 3
#
# It needs 3 GB in the folder for temporary files.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work CGO_ENABLED=0

pakdb=$work/pakdb
go build -trimpath -o "$pakdb" ./cmd/pakdb
go build -trimpath -o "$work/gen" ./testdata/gen/unreal
"$work/gen" -files 4000 -bytes 500000000 "$work/tree"
"$work/gen" -entries 120000 "$work/many.pak"

# measure WHAT BEFORE COMMAND prints a row of the run with the least wall time.
measure() {
	local best='' line
	for ((i = 0; i < runs; i++)); do
		eval "$2"
		line=$(WORK="$work" python3 - "$3" <<'PY'
import os, resource, subprocess, sys, time
start = time.monotonic()
with open(os.environ["WORK"] + "/out", "wb") as out:
    subprocess.run(["bash", "-c", "exec " + sys.argv[1]], stdout=out, check=True)
wall = time.monotonic() - start
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print("%.3f %.2f %.0f" % (wall, use.ru_utime + use.ru_stime, use.ru_maxrss / 1024))
PY
		)
		if [[ -z $best ]] || awk "BEGIN { exit !(${line%% *} < ${best%% *}) }"; then best=$line; fi
	done
	read -r wall cpu rss <<<"$best"
	printf '| %s | %s s | %s s | %s MB |\n' "$1" "$wall" "$cpu" "$rss"
}

# zlib over all files in blocks of 64 KiB, as UnrealPak has them, on one core.
cat >"$work/deflate.py" <<'PY'
import glob, os, sys, zlib
out = open(sys.argv[2], "wb")
for name in sorted(glob.glob(sys.argv[1] + "/**/*.uexp", recursive=True)):
    data = open(name, "rb").read()
    for i in range(0, len(data), 65536):
        b = zlib.compress(data[i:i + 65536], 6)
        out.write(len(b).to_bytes(4, "little") + b)
PY
cat >"$work/inflate.py" <<'PY'
import sys, zlib
data = memoryview(open(sys.argv[1], "rb").read())
at = 0
while at < len(data):
    n = int.from_bytes(data[at:at + 4], "little")
    zlib.decompress(data[at + 4:at + 4 + n])
    at += 4 + n
PY

echo "$(nproc) cores of $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(uname -sr | cut -d. -f1,2), $(go env GOVERSION), load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%F), $(git rev-parse --short HEAD)"
echo
echo '| what | wall | CPU | memory |'
echo '|---|---|---|---|'
p="'$pakdb' -q"
measure 'list 120,000 entries' : "$p ls '$work/many.pak'"
measure 'pack 4,000 files, 500 MB, stored' "rm -f $work/s.pak" "$p pack '$work/tree' --type unrealpak -o '$work/s.pak'"
measure '... cp -r of the files' "rm -rf $work/copy" "cp -r '$work/tree' '$work/copy'"
measure 'pack, zlib' "rm -f $work/z.pak" "$p pack '$work/tree' --type unrealpak --method zlib -o '$work/z.pak'"
measure '... Python zlib of the same blocks, one core' : "python3 '$work/deflate.py' '$work/tree' '$work/blocks'"
measure 'verify, stored' : "$p verify '$work/s.pak'"
measure '... sha1sum' : "sha1sum '$work/s.pak'"
measure 'verify, zlib' : "$p verify '$work/z.pak'"
measure '... Python zlib of the same blocks, one core' : "python3 '$work/inflate.py' '$work/blocks'"
measure 'extract, stored' "rm -rf $work/copy" "$p extract '$work/s.pak' -o '$work/copy'"
measure '... cp -r of the files' "rm -rf $work/copy" "cp -r '$work/tree' '$work/copy'"
measure 'extract, zlib' "rm -rf $work/copy" "$p extract '$work/z.pak' -o '$work/copy'"
rm -f "$work"/a.db*
measure 'index, zlib' "rm -f $work/a.db*" "$p --catalog '$work/a.db' index --build a '$work/z.pak'"
measure 'index --quick, zlib' "rm -f $work/b.db*" "$p --catalog '$work/b.db' index --quick --build a '$work/z.pak'"
