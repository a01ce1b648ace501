#!/usr/bin/env bash
# Measures copies of builds in ClickHouse and prints the tables of docs/scale.md: what pushing costs,
# bytes a row, and 15 questions, at BUILDS builds of ENTRIES entries and at TIMES times as many.
#
#   docs/bench_scale.sh [ENTRIES] [BUILDS] [TIMES]   # 400000 20 10: 8 and 80 million rows
#
# The builds are generated, scanned and pushed: three entries of a hundred change from each to the
# next. The rest are copies of these rows, made by the engine, of which two contents in a hundred
# change each time. NODE is a folder with node_modules (npm install in a copy of
# query/testdata/node). PAKDB is a binary to measure; without it the sources are built. WORK is a
# folder to work in; what is there is used again. CPU is that of the engine's process, the least of
# three; memory is the most that it had so far.
set -euo pipefail
cd "$(dirname "$0")/.."
entries=${1:-400000} builds=${2:-20} times=${3:-10}
if [[ -n ${WORK:-} ]]; then
	work=$WORK
	mkdir -p "$work"
else
	work=$(mktemp -d)
fi
engine=
trap '[[ -z $engine ]] || kill "$engine"; [[ -n ${WORK:-} ]] || rm -rf "$work"' EXIT
export TMPDIR=$work CGO_ENABLED=0
pakdb=${PAKDB:-}
if [[ -z $pakdb ]]; then
	pakdb=$work/pakdb
	go build -trimpath -o "$pakdb" ./cmd/pakdb
fi
go build -o "$work/gen" ./testdata/gen

mkdir -p "$work/engine"
rm -f "$work/port"
NODE_PATH=${NODE:?a folder with node_modules}/node_modules node query/clickhouse/testdata/shim.js "$work/engine" >"$work/port" &
engine=$!
for _ in {1..100}; do
	[[ ! -s $work/port ]] || break
	sleep 0.1
done
port=$(cat "$work/port")
address=clickhouse://bench@127.0.0.1:$port/game
ask() { curl --silent --fail-with-body "http://127.0.0.1:$port/?database=game" --data-binary "$1"; }

# ticks prints the CPU time of the engine in hundredths of a second.
ticks() { awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$engine/stat"; }
seconds() { awk "BEGIN { printf \"%.2f\", $1 / 100 }"; }
memory() { awk '/VmHWM/ { printf "%d", $2 / 1024 }' "/proc/$engine/status"; }

echo "$(nproc) cores of $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%F), $(git rev-parse --short HEAD)"
labels=()
for ((b = 1; b <= builds; b++)); do
	labels+=("b$b")
	[[ ! -f $work/b$b.done ]] || continue
	"$work/gen" -entries "$entries" -changes scattered -build "$b" -o "$work/game.pak" >/dev/null
	"$pakdb" -q --catalog "$work/catalog.db" index --no-search -b "b$b" --created "$((1999 + b))-01-01" "$work/game.pak"
	touch "$work/b$b.done"
done
rm -f "$work/game.pak"

before=$(ticks)
/usr/bin/env time -f '%e %U %S %M' -o "$work/time" "$pakdb" -q --catalog "$work/catalog.db" push "${labels[@]}" --to "$address"
read -r wall user sys mem < <(tail -1 "$work/time")
rows=$(ask "SELECT sum(rows) FROM system.parts WHERE active AND database = 'game' FORMAT TabSeparated")
echo "pushed $rows rows of all views in $wall s: pakdb $(awk "BEGIN { print $user + $sys }") s of CPU, $((mem / 1024)) MB; the engine $(seconds $(($(ticks) - before))) s"

path=$(ask "SELECT path FROM entries WHERE build = 'b1' AND path IS NOT NULL ORDER BY path LIMIT 1 OFFSET 4711 FORMAT TabSeparated")
folder=${path%/*}
names=() statements=()
add() { names+=("$1") statements+=("$2"); }

# sizes prints what tables take, when their parts are merged.
sizes() {
	local before
	before=$(ticks)
	for table in pakdb_entries pakdb_files; do ask "OPTIMIZE TABLE $table FINAL"; done
	echo
	echo "merging took $(seconds $(($(ticks) - before))) s of CPU; the engine had $(memory) MB"
	echo
	echo '| table | rows | bytes a row | ... in the order by build |'
	echo '|---|---|---|---|'
	ask "SELECT concat('| ', p.table, ' | ', toString(sum(p.rows)), ' | ', toString(round(sum(p.data_compressed_bytes) / sum(p.rows), 2)), ' | ', toString(round(any(j.b) / sum(p.rows), 2)), ' |')
		FROM system.parts p
		LEFT JOIN (SELECT table, sum(data_compressed_bytes) AS b FROM system.projection_parts WHERE active AND database = 'game' GROUP BY table) j ON j.table = p.table
		WHERE p.active AND p.database = 'game' AND p.table IN ('pakdb_entries', 'pakdb_files', 'pakdb_contents') GROUP BY p.table ORDER BY p.table FORMAT TabSeparatedRaw"
}

# questions asks each of them three times.
questions() {
	local last=$1 previous=$2
	names=() statements=()
	add 'builds' '@builds'
	add 'by extension, one build' "@by-extension --build $last"
	add 'LIKE, one build' "SELECT count(*) AS n, sum(size) AS bytes FROM entries WHERE build = '$last' AND lower(path) LIKE '%0047%'"
	add 'LIKE, all builds' "SELECT build, count(*) AS n FROM entries WHERE lower(path) LIKE '%0047%' GROUP BY build"
	add 'what differs between two builds' "SELECT count(*) AS n FROM (SELECT path FROM entries WHERE build IN ('$previous', '$last') AND path IS NOT NULL GROUP BY path HAVING count(*) <> 2 OR count(DISTINCT content) <> 1) AS g"
	add 'added' "@added-in $last $previous"
	add 'history of a path' "@history $path"
	add 'churn per folder' '@churn'
	add 'paths that ever changed' 'SELECT count(*) AS n FROM (SELECT path FROM entries WHERE path IS NOT NULL GROUP BY path HAVING count(DISTINCT content) > 1) AS g'
	add '... by keys' 'SELECT count(*) AS n FROM (SELECT path_key FROM entries GROUP BY path_key HAVING path_key IS NOT NULL AND min(content_key) <> max(content_key)) AS g'
	add 'duplicates' "@duplicates --build $last"
	add 'largest' "@largest --build $last"
	add 'by top folder' "@size-by-dir --build $last"
	add 'size history' '@size-history'
	add 'size history of a folder' "SELECT build, sum(size) AS bytes FROM entries WHERE path LIKE '$folder/%' GROUP BY build"
	add 'first seen in a folder' "@first-seen $folder"
	echo
	echo "| question, $(ask 'SELECT count() FROM entries FORMAT TabSeparated') rows | CPU s | wall s | rows |"
	echo '|---|---|---|---|'
	for i in "${!names[@]}"; do
		local best=999999 wall=0 n=0
		for _ in 1 2 3; do
			local start before args
			before=$(ticks) start=$(date +%s%N)
			if [[ ${statements[i]} == @* ]]; then
				read -ra args <<<"${statements[i]}"
			else
				args=("${statements[i]}")
			fi
			if ! "$pakdb" query --on "$address" --no-header --format csv "${args[@]}" >"$work/out" 2>"$work/err"; then
				n=failed
				tail -1 "$work/err" >&2
				break
			fi
			local took=$(($(ticks) - before)) end
			end=$(date +%s%N) n=$(wc -l <"$work/out")
			if ((took < best)); then best=$took wall=$(((end - start) / 10000000)); fi
		done
		echo "| ${names[i]} | $(seconds "$best") | $(seconds "$wall") | $n |"
	done
}

sizes
questions "b$builds" "b$((builds - 1))"
((times > 1)) || exit 0

columns=$(ask "SELECT arrayStringConcat(groupArray(if(name = 'content', 'if(cityHash64(path, {k}) % 50 = 0, lower(hex(SHA256(concat(content, \\'{k}\\')))), content)', if(name IN ('push', 'build'), concat('concat(replaceRegexpOne(', name, ', \\'-[0-9]+\$\\', \\'\\'), \\'-{k}\\')'), concat('\`', name, '\`')))), ', ') FROM (SELECT name FROM system.columns WHERE database = 'game' AND table = 'pakdb_entries' AND default_kind = '' ORDER BY position) FORMAT TabSeparatedRaw")
before=$(ticks)
for ((k = 1; k < times; k++)); do
	for ((b = 1; b <= builds; b++)); do
		from=b$b
		((k == 1)) || from=b$b-$((k - 1))
		ask "INSERT INTO pakdb_entries SELECT ${columns//\{k\}/$k} FROM pakdb_entries WHERE build = '$from' SETTINGS max_threads = 2"
	done
	ask "INSERT INTO pakdb_builds SELECT concat(push, '-$k'), concat(build, '-$k'), dropped, digest, version, pushed_at, toString(toYear(toDate(substring(created_at, 1, 10))) + $k * $builds) || substring(created_at, 5), archive_count, entry_count, size, stored, problem_count FROM pakdb_builds WHERE build NOT LIKE '%-%'"
done
echo
echo "copied $(ask 'SELECT count() FROM pakdb_entries FORMAT TabSeparated') rows in $(seconds $(($(ticks) - before))) s of CPU"
sizes
questions "b$builds-$((times - 1))" "b$((builds - 1))-$((times - 1))"
