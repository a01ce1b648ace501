#!/usr/bin/env bash
# Measures pakdb beside public tools that do the same work on the same bytes, and prints the table
# of archives in docs/benchmarks.md: CPU seconds (user and system, the least of the runs),
# the largest memory, and pakdb's CPU as a ratio to the peer's. The two run in turn.
#
#   docs/bench_peers.sh [RUNS]            # default 5
#
# FILES is a folder of contents (default: Go's sources and tools, some 200 MB). PAKDB is a binary
# to measure; without it the sources are built. INSTALL=1 installs Debian's packages of the peers.
# A peer that is absent has no row. Tools that cannot be installed, as repak and UnrealPak, are
# stood for by the least that the work takes: hashing (b3sum), inflating (libdeflate), cp.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0 PAKDB_CATALOG=$work/catalog.db
if [[ -n ${INSTALL:-} ]]; then
	apt-get install -y -qq --no-install-recommends b3sum libdeflate-tools p7zip-full zip unzip time >/dev/null
fi
files=${FILES:-}
if [[ -z $files ]]; then
	files=$work/files
	mkdir "$files"
	cp -r "$(go env GOROOT)/src" "$(go env GOROOT)/pkg" "$(go env GOROOT)/bin" "$files"
	find "$files" -type l -delete
fi
pakdb=${PAKDB:-}
if [[ -z $pakdb ]]; then
	pakdb=$work/pakdb
	go build -trimpath -o "$pakdb" ./cmd/pakdb
fi
pakdb="$pakdb -q"

# once COMMAND sets $cpu and $mem of one run; what it writes before, it is to be given in $before.
once() {
	eval "${before:-:}"
	/usr/bin/env time -f '%U %S %M' -o "$work/time" bash -c "exec $1" >/dev/null 2>"$work/err" || { cat "$work/err" >&2; echo "failed: $1" >&2; exit 1; }
	read -r user sys mem < <(tail -1 "$work/time")
	cpu=$(awk "BEGIN { print $user + $sys }")
}

# pair WHAT PEER-NAME PAKDB-COMMAND PEER-COMMAND prints a row, if the peer is there.
pair() {
	local tool=${4%% *}
	if ! command -v "$tool" >/dev/null; then
		echo "left out: $1, $tool is absent" >&2
		return
	fi
	local ours='' theirs='' ourmem=0 theirmem=0 i
	for ((i = 0; i < runs; i++)); do
		once "$3"
		ours=$(awk "BEGIN { print \"$ours\" == \"\" || $cpu < \"$ours\" + 0 ? $cpu : $ours + 0 }")
		ourmem=$((mem > ourmem ? mem : ourmem))
		once "$4"
		theirs=$(awk "BEGIN { print \"$theirs\" == \"\" || $cpu < \"$theirs\" + 0 ? $cpu : $theirs + 0 }")
		theirmem=$((mem > theirmem ? mem : theirmem))
	done
	awk -v w="$1" -v p="$2" -v o="$ours" -v t="$theirs" -v om="$ourmem" -v tm="$theirmem" \
		'BEGIN { printf "| %s | %.2f s, %d MB | %s | %.2f s, %d MB | %s |\n", w, o, om / 1024, p, t, tm / 1024, (t > 0 ? sprintf("%.2f", o / t) : "-") }'
}

$pakdb pack "$files" -o "$work/stored.pak" --type unrealpak
$pakdb pack "$files" -o "$work/zlib.pak" --type unrealpak --method zlib
if command -v zip >/dev/null; then (cd "$files" && zip -qr -6 "$work/files.zip" .); fi
tar -C "$files" -cf "$work/files.tar" .
gzip -6 -k "$work/files.tar"
size=$(du -sbL "$files" | cut -f1)

echo "$(nproc) cores of $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%F), $(git rev-parse --short HEAD); $(find "$files" -type f | wc -l) files, $((size / 1000000)) MB"
echo
echo '| work | pakdb | peer | | ratio |'
echo '|---|---|---|---|---|'
before='rm -f "$work"/catalog.db*'
pair 'index a stored pak' 'b3sum, which only hashes it' "$pakdb index $work/stored.pak" "b3sum --num-threads 2 $work/stored.pak"
pair 'index a zlib pak' 'libdeflate, which only inflates as much' "$pakdb index $work/zlib.pak" "libdeflate-gunzip -kc $work/files.tar.gz"
before=''
pair 'list a pak' 'unzip -l of a zip of the same files' "$pakdb ls -l $work/zlib.pak" "unzip -l $work/files.zip"
pair 'verify a zlib pak' 'unzip -t' "$pakdb verify $work/zlib.pak" "unzip -qt $work/files.zip"
before='rm -rf "$work/out"; mkdir "$work/out"'
pair 'extract a stored pak' 'cp -r of the files' "$pakdb extract $work/stored.pak -o $work/out/a" "cp -r $files $work/out/b"
pair 'extract a zlib pak' 'unzip' "$pakdb extract $work/zlib.pak -o $work/out/a" "unzip -q $work/files.zip -d $work/out/b"
pair 'extract a zlib pak' '7z x of the zip' "$pakdb extract $work/zlib.pak -o $work/out/a" "7z x -y -bso0 -bsp0 -o$work/out/b $work/files.zip"
pair 'pack, stored' 'cp -r of the files' "$pakdb pack $files -o $work/out/a.pak --type unrealpak" "cp -r $files $work/out/b"
pair 'pack, zlib 6, exact' 'zip -6' "$pakdb pack $files -o $work/out/a.pak --type unrealpak --method zlib" "zip -qr -6 $work/out/b.zip $files"
pair 'pack, zlib 6, exact' 'libdeflate-gzip -6 of a tar' "$pakdb pack $files -o $work/out/a.pak --type unrealpak --method zlib" "libdeflate-gzip -6 -kc $work/files.tar"
pair 'pack, zlib 6, exact' '7z a, level 5' "$pakdb pack $files -o $work/out/a.pak --type unrealpak --method zlib" "7z a -bso0 -bsp0 -tzip $work/out/b.zip $files"
