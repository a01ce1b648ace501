#!/usr/bin/env bash
# Measures a catalog of 11 builds of ENTRIES entries (default 1000000) and prints the tables of
# docs/benchmarks.md: what each build adds, what comparing costs, and 15 queries, each by the views
# of pakdb and on one flat table of DuckDB.
#
#   docs/bench_catalog.sh [ENTRIES] [CHANGES]   # CHANGES: scattered, clustered, front or reordered
#
# PAKDB is a binary to measure; without it the sources are built. WORK is a folder to work in; what
# is there is used again. For DuckDB, npm install @duckdb/node-api in a folder and name it in DUCKDB;
# without it that column is empty. A statement that takes more than LIMIT seconds (default 60) ends.
set -euo pipefail
cd "$(dirname "$0")/.."
entries=${1:-1000000} changes=${2:-scattered} limit=${LIMIT:-60}
if [[ -n ${WORK:-} ]]; then
	work=$WORK
	mkdir -p "$work"
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi
export TMPDIR=$work CGO_ENABLED=0
pakdb=${PAKDB:-}
if [[ -z $pakdb ]]; then
	pakdb=$work/pakdb
	go build -trimpath -o "$pakdb" ./cmd/pakdb
fi
go build -o "$work/gen" ./testdata/gen
db=$work/catalog.db
q() { "$pakdb" -q --catalog "$db" "$@"; }

# timed COMMAND leaves its wall time, CPU time and largest memory in $wall, $cpu and $mem, with
# the start of the process; $ok is what it ended with.
timed() {
	ok=0
	/usr/bin/env time -f '%e %U %S %M' -o "$work/time" timeout "$limit" "$@" >"$work/out" 2>"$work/err" || ok=$?
	read -r wall user sys mem < <(tail -1 "$work/time")
	cpu=$(awk "BEGIN { printf \"%.2f\", $user + $sys }")
	mem=$((mem / 1024))
	case $ok in
	0) ;;
	1) [[ " $* " == *" diff "* ]] || wall=failed ;; # a comparison that found something ends with 1
	124) wall="over $limit" cpu=- ;;
	*) wall=failed ;;
	esac
}

echo "$(nproc) cores of $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%F), $(git rev-parse --short HEAD); $entries entries, $changes"
echo
echo '| build | bytes added | wall s | CPU s | MB |'
echo '|---|---|---|---|---|'
before=0
for b in {1..11}; do
	[[ -s $work/$b.pak ]] || "$work/gen" -entries "$entries" -changes "$changes" -build "$b" -o "$work/$b.pak"
	if [[ -f $work/$b.done ]]; then continue; fi
	cp --reflink=auto "$work/$b.pak" "$work/game.pak" # one archive in many versions has one name
	limit=3600 timed "$pakdb" -q --catalog "$db" index -b "$b" "$work/game.pak"
	((ok == 0)) || { cat "$work/err"; exit 1; }
	size=$(stat -c %s "$db")
	echo "| $b | $((size - before)) | $wall | $cpu | $mem |"
	before=$size
	touch "$work/$b.done"
done
rm -f "$work/game.pak"

echo
echo '| comparison | wall s | CPU s | MB |'
echo '|---|---|---|---|'
for pair in '10 11' '1 11' '10 11 -M 0'; do
	# shellcheck disable=SC2086
	limit=600 timed "$pakdb" -q --catalog "$db" diff $pair --format csv
	echo "| \`pakdb diff $pair\` | $wall | $cpu | $mem |"
done

path=$(q query --no-header --format csv "SELECT path FROM entries WHERE build = '11' LIMIT 1 OFFSET 4711")
content=$(q query --no-header --format csv "SELECT content FROM entries WHERE build = '11' LIMIT 1 OFFSET 4711")
path_id=$(q query --no-header --format csv "SELECT path_id FROM entries WHERE build = '11' LIMIT 1 OFFSET 4711")
folder=${path%/*}
names=() statements=()
add() { names+=("$1") statements+=("$2"); }
add 'a path in all builds' "SELECT build, size FROM entries WHERE path = '$path'"
add 'a content' "SELECT build, path FROM entries WHERE content = '$content'"
add 'a path_id' "SELECT build, size FROM entries WHERE path_id = $path_id"
add 'a folder of a build' "SELECT path, size FROM entries WHERE build = '11' AND dir = '$folder'"
add 'below a folder' "SELECT count(*), sum(size) FROM entries WHERE build = '11' AND path GLOB '${folder%/*}/*'"
add 'count of a build' "SELECT count(*) FROM entries WHERE build = '11'"
add 'sum of a build' "SELECT sum(size), sum(stored) FROM entries WHERE build = '11'"
add 'by extension' "SELECT ext, count(*), sum(size) FROM entries WHERE build = '11' GROUP BY ext"
add 'by extension, all builds' "SELECT build, ext, count(*), sum(size) FROM entries GROUP BY build, ext"
add 'part of a path, a build' "SELECT count(*) FROM entries WHERE build = '11' AND path LIKE '%_000471%'"
add 'part of a path, all builds' "SELECT count(*) FROM entries WHERE path LIKE '%_000471%'"
add 'changed, by path_id' "SELECT count(*) FROM entries a JOIN entries b ON b.path_id = a.path_id WHERE a.build = '10' AND b.build = '11' AND a.content_id <> b.content_id"
add 'changed, by path' "SELECT count(*) FROM entries a JOIN entries b ON b.path = a.path WHERE a.build = '10' AND b.build = '11' AND a.content <> b.content"
add 'first and last build' "SELECT path_id, min(build_id), max(build_id) FROM entries GROUP BY path_id"
add 'the largest' "SELECT path, size FROM entries WHERE build = '11' ORDER BY size DESC, path LIMIT 20"

duck() { echo '| |'; }
if [[ -n ${DUCKDB:-} ]]; then
	if [[ ! -f $work/flat.duckdb ]]; then
		q query --format csv "SELECT build, archive, ordinal, path, dir, ext, size, stored, content, path_id, content_id, build_id FROM entries" >"$work/flat.csv"
		NODE_PATH=$DUCKDB/node_modules node docs/bench_catalog.js "$work/flat.duckdb" "CREATE TABLE entries AS SELECT * FROM read_csv('$work/flat.csv', header=true, types={'build': 'VARCHAR'})" >"$work/duck.log"
		rm -f "$work/flat.csv"
	fi
	duck() { NODE_PATH=$DUCKDB/node_modules node docs/bench_catalog.js "$work/flat.duckdb" "$1"; }
fi

q query "SELECT 1" >"$work/out"
echo
echo '| query | wall s | CPU s | MB | DuckDB: wall s | CPU s | MB |'
echo '|---|---|---|---|---|---|---|'
for i in "${!names[@]}"; do
	timed "$pakdb" -q --catalog "$db" query --format csv "${statements[i]}"
	echo "| ${names[i]} | $wall | $cpu | $mem | $(duck "${statements[i]}") |"
done
for named in @churn @size-history '@first-seen' "@history $path"; do
	# shellcheck disable=SC2086
	timed "$pakdb" -q --catalog "$db" query --format csv $named
	echo "| \`${named%% *}\` | $wall | $cpu | $mem | | | |"
done

# The examples of schema/SCHEMA.md, each of which is to end within a second.
echo
PAKDB_BENCH_CATALOG=$db go test ./query -run '^$' -bench 'Schema$' -benchtime 1x -timeout 1h >"$work/examples" || true
awk '/^--- FAIL: BenchmarkSchema\// { n++; slow = slow "| " $3 " | failed, or over 30 |\n" }
	/ns\/op/ { n++; if ($3 > 1e9) slow = slow sprintf("| %s | %.1f |\n", $1, $3 / 1e9) }
	END { print n " examples of SCHEMA.md; these take more than a second:\n\n| example | wall s |\n|---|---|"; printf "%s", slow }' "$work/examples"
