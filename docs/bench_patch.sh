#!/usr/bin/env bash
# Measures patches of Unreal paks: a change of one file in a hundred in a build
# of 500 MB, and a merge that passes all of its bytes through. Run it from
# anywhere, on a machine that does nothing else:
#
#   docs/bench_patch.sh [RUNS]     # the best of RUNS runs of each; default 3
#
# It needs 3 GB in the folder for temporary files.
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work CGO_ENABLED=0
go build -trimpath -o "$work/pakdb" ./cmd/pakdb
go build -trimpath -o "$work/gen" ./testdata/gen/unreal
pakdb="$work/pakdb -q --catalog $work/pakdb.db"
"$work/gen" -files 4000 -bytes 500000000 "$work/tree"

# measure WHAT BEFORE COMMAND prints a row of the run with the least wall time.
measure() {
	local best='' line
	for ((i = 0; i < runs; i++)); do
		eval "$2"
		line=$({ /usr/bin/time -f '%e %U %S %M' bash -c "$3" >/dev/null; } 2>&1 | tail -1)
		if [[ -z $best ]] || awk "BEGIN { exit !(${line%% *} < ${best%% *}) }"; then best=$line; fi
	done
	awk -v what="$1" '{ printf "| %s | %.2f s | %.2f s | %.0f MB |\n", what, $1, $2 + $3, $4 / 1024 }' <<<"$best"
}

echo "$(nproc) cores of $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo), $(go env GOVERSION), load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%F)"
echo
echo '| what | wall | CPU | memory |'
echo '|---|---|---|---|'
mkdir "$work/old" "$work/new"
measure 'pack the build, zlib' "rm -f $work/old/Game.pak" "$pakdb pack $work/tree --type unrealpak --method zlib -o $work/old/Game.pak"
find "$work/tree" -name '*.uexp' | sort | awk 'NR % 100 == 0' | while read -r f; do printf changed >>"$f"; done
$pakdb pack "$work/tree" --type unrealpak --method zlib -o "$work/new/Game.pak"
$pakdb index --build old "$work/old"
$pakdb index --build new "$work/new"
measure 'patch build, 40 of 4,000 files changed' "rm -rf $work/patch" "$pakdb patch build old new -o $work/patch"
measure 'patch check of builds in the catalog' : "$pakdb patch check old $work/patch --against new"
measure 'patch check of files, all decoded' : "$pakdb patch check $work/old/Game.pak $work/patch --against $work/new/Game.pak"
measure 'patch merge --into-base' "rm -rf $work/merged" "$pakdb patch merge $work/old $work/patch --into-base -o $work/merged/Game.pak"
measure '... cp, sync and cmp of the base' "rm -f $work/copy" "cp $work/old/Game.pak $work/copy && sync $work/copy && cmp $work/old/Game.pak $work/copy"
measure '... cp and sync alone' "rm -f $work/copy" "cp $work/old/Game.pak $work/copy && sync $work/copy"
