#!/usr/bin/env bash
# Measures the figures of docs/benchmarks.md and prints them as the first table there. Run it
# from anywhere, on a machine that does nothing else:
#
#   docs/bench.sh [RUNS]     # the best of RUNS runs of each; default 3
#   docs/bench.sh --cold [RUNS] # in its place: files that are not in the cache, beside cat
#
# The cache is emptied of one file at a time, by dd, which takes no rights.
# PAKDB_SAMPLES is the folder of samples (default ../shared/samples beside the
# repository); figures that need one which is absent are left out, with a note.
set -euo pipefail
cd "$(dirname "$0")/.."
cold=''
if [[ ${1:-} == --cold ]]; then
	cold=1
	shift
fi
runs=${1:-3}
samples=${PAKDB_SAMPLES:-$PWD/../shared/samples}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work CGO_ENABLED=0
TIMEFORMAT='%R %U %S'

pakdb=$work/pakdb
go build -trimpath -o "$pakdb" ./cmd/pakdb

row() { printf '| %s | %s | %s | %s | %s | %s |\n' "$@"; }

# best BEFORE COMMAND runs COMMAND after BEFORE, and leaves the least wall time
# and its CPU time in $wall and $cpu. What fails has no time.
best() {
	local before=$1 t r u s
	shift
	wall=''
	for ((i = 0; i < runs; i++)); do
		eval "$before"
		t=$( { time eval "$*" >"$work/out" 2>"$work/err"; } 2>&1) || {
			cat "$work/err" >&2
			echo "failed: $*" >&2
			exit 1
		}
		read -r r u s <<<"$t"
		if [[ -z $wall ]] || awk "BEGIN { exit !($r < $wall) }"; then
			wall=$r cpu=$(awk "BEGIN { printf \"%.2f\", $u + $s }")
		fi
	done
}

per() { awk "BEGIN { printf \"%.3g\", $1 / ($2 + 1e-9) }" | awk '{ printf "%d", $1 }'; }

# measure WHAT COUNT UNIT SHOWN BEFORE COMMAND prints a row, with COUNT / wall and
# COUNT / CPU as rates.
measure() {
	best "$5" "$6"
	row "$1" "$wall s" "$cpu s" "$(per "$2" "$wall") $3/s" "$(per "$2" "$cpu")" "\`$4\`"
}

# gobench WHAT PACKAGE NAME FIELD UNIT [BENCHTIME] prints a row from a Go benchmark.
gobench() {
	local line
	line=$(go test "$2" -run '^$' -bench "$3" -benchtime "${6:-1s}" -count "$runs" |
		awk -v f="$4" '/^Benchmark/ { for (i = 2; i < NF; i++) if ($(i+1) == f && $i > best) best = $i } END { print best }')
	row "$1" '' '' "$(per "$line" 1) $5/s" '' "\`go test $2 -run '^\$' -bench '$3'${6:+ -benchtime $6}\`"
}

echo "$(nproc) cores of $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(uname -sr | cut -d. -f1,2), $(go env GOVERSION), load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%F), $(git rev-parse --short HEAD)"
echo
if [[ $cold ]]; then
	go run ./testdata/gen/unreal -files 2000 -bytes 250000000 "$work/tree"
	"$pakdb" -q pack "$work/tree" -o "$work/stored.pak" --type unrealpak
	"$pakdb" -q pack "$work/tree" -o "$work/zlib.pak" --type unrealpak --method zlib
	rm -rf "$work/tree"
	sync "$work/stored.pak" "$work/zlib.pak" # what is not on the disk stays in the cache
	echo '| what | MB | cold, wall | CPU | beside cat | warm, wall | CPU |'
	echo '|---|---|---|---|---|---|---|'
	for pak in stored zlib; do
		file=$work/$pak.pak
		drop="rm -rf $work/a.db* $work/x; dd if=$file iflag=nocache count=0"
		base=''
		for what in cat ls verify index extract; do
			case $what in
			cat) command="cat '$file'" ;;
			index) command="'$pakdb' -q --catalog '$work/a.db' index --without search -b 1 '$file'" ;;
			extract) command="'$pakdb' -q extract '$file' -o '$work/x'" ;;
			*) command="'$pakdb' -q $what '$file'" ;;
			esac
			best "$drop 2>/dev/null" "$command"
			first=$wall used=$cpu
			base=${base:-$wall}
			best "rm -rf $work/a.db* $work/x; cat $file >/dev/null" "$command"
			printf '| %s %s.pak | %d | %s s | %s s | %s | %s s | %s s |\n' "$what" "$pak" "$(($(stat -c %s "$file") / 1000000))" \
				"$first" "$used" "$(awk "BEGIN { printf \"%.2f\", $first / $base }")" "$wall" "$cpu"
		done
	done
	exit
fi
go run ./testdata/gen -entries 1000000 -o "$work/million.sip"
echo '| what | wall | CPU | rate | per CPU second | command |'
echo '|---|---|---|---|---|---|'

gobench 'catalog writer alone' ./schema 'Writer$' entries/s entries 1000000x
gobench 'LZ4 decode, blocks of 64 KiB' ./codecs/compress 'Decode/lz4$' MB/s MB

q="\"$pakdb\" -q --catalog \"$work/a.db\""
sample=$samples/gpak/Calligraphy_1.10_names.sip
if [[ -f $sample ]]; then
	measure 'index 25,619 entries of a real game, every fact and reference' 25619 entries \
		'pakdb index Calligraphy_1.10_names.sip' "rm -f $work/a.db*" "$q index -b 1 '$sample'"
	measure 'the same again, unchanged' 25619 entries 'pakdb index Calligraphy_1.10_names.sip' : "$q index -b 1 '$sample'"
	measure 'all references of it, resolved' "$(eval "$q query --no-header --format csv 'SELECT count(*) FROM dependencies'")" rows \
		'pakdb query --format csv "SELECT * FROM dependencies"' : "$q query --format csv 'SELECT * FROM dependencies'"
else
	row 'index 25,619 entries of a real game' '' '' 'sample absent' '' ''
fi

measure 'list 1,000,000 entries' 1000000 entries 'pakdb ls million.sip' : "'$pakdb' ls '$work/million.sip'"
measure 'index 1,000,000 entries' 1000000 entries 'pakdb index million.sip' "rm -f $work/a.db*" "$q index -b m '$work/million.sip'"
measure 'the same again, unchanged' 1000000 entries 'pakdb index million.sip' : "$q index -b m '$work/million.sip'"
measure 'stream 1,000,000 rows as CSV' 1000000 rows 'pakdb query --format csv "SELECT path, size FROM entries"' : \
	"$q query --format csv 'SELECT path, size FROM entries'"
measure 'count and sum by extension over them' 1000000 rows 'pakdb query @by-extension' : "$q query @by-extension"
