#!/bin/sh
# Transport patches against public tools, for docs/benchmarks.md: sizes, CPU seconds (user + system) and peak memory of making and applying.
#
#   docs/bench_delta.sh PAKDB OLD NEW [DIR]
#
# OLD and NEW are files, such as docs/bench_delta.py writes. The tools are Debian's xdelta3, bsdiff, casync, zstd and rdiff, and
# HDiffPatch's hdiffz, which Debian does not have: the npm package react-native-update 10.40.2 carries its sources, version 3.1.1, to be
# built with -D_CompressPlugin_zstd and libzstd. Those that are absent are left out. Every result of applying is compared with NEW.
# NO_BSDIFF=1 leaves bsdiff out, which takes 17 times the memory of its input. A line: tool, bytes, make: CPU s, MB; apply: CPU s, MB.
set -eu
pakdb=$1 old=$2 new=$3 dir=${4:-$(mktemp -d)}
mkdir -p "$dir"
cost() { # FILE COMMAND...: appends "CPU MB"
	log=$1; shift
	/usr/bin/time -f '%U %S %M' -o "$log.t" "$@" >"$log.out" 2>&1 || { tail -3 "$log.out" >&2; return 1; }
	awk '{printf "%.1f %d", $1 + $2, $3 / 1024}' "$log.t"
}
line() { # NAME BYTES MAKE APPLY
	printf '%-28s %12s   %12s   %12s\n' "$1" "$2" "$3" "$4"
}
same() { cmp -s "$1" "$new" || { echo "$1: wrong result" >&2; exit 1; }; }
has() { command -v "$1" >/dev/null; }

line tool bytes 'make s MB' 'apply s MB'
m=$(cost "$dir/m" "$pakdb" delta make --overwrite "$old" "$new" -o "$dir/p.pkdelta")
a=$(cost "$dir/a" "$pakdb" delta apply "$dir/p.pkdelta" "$old" -o "$dir/out")
same "$dir/out/$(basename "$new")"
line 'pakdb delta' "$(stat -c %s "$dir/p.pkdelta")" "$m" "$a"
rm -r "$dir/out"
if has zstd; then
	line 'whole, zstd -19' "$(zstd -q -19 -T1 -c "$new" | wc -c)" - -
	m=$(cost "$dir/m" zstd -q -f -19 --long=31 --single-thread --patch-from="$old" "$new" -o "$dir/p.zst")
	a=$(cost "$dir/a" zstd -q -f -d --long=31 --patch-from="$old" "$dir/p.zst" -o "$dir/out")
	same "$dir/out"
	line 'zstd -19 --patch-from' "$(stat -c %s "$dir/p.zst")" "$m" "$a"
fi
if has xdelta3; then
	m=$(cost "$dir/m" xdelta3 -f -e -9 -B 536870912 -s "$old" "$new" "$dir/p.xd")
	a=$(cost "$dir/a" xdelta3 -f -d -B 536870912 -s "$old" "$dir/p.xd" "$dir/out")
	same "$dir/out"
	line 'xdelta3 -9 -B 512M' "$(stat -c %s "$dir/p.xd")" "$m" "$a"
fi
if has bsdiff && [ -z "${NO_BSDIFF:-}" ]; then
	m=$(cost "$dir/m" bsdiff "$old" "$new" "$dir/p.bs")
	a=$(cost "$dir/a" bspatch "$old" "$dir/out" "$dir/p.bs")
	same "$dir/out"
	line bsdiff "$(stat -c %s "$dir/p.bs")" "$m" "$a"
fi
if has rdiff; then
	m=$(cost "$dir/m" sh -c 'rdiff -b 2048 signature "$1" "$3.sig" && rdiff delta "$3.sig" "$2" "$3" && zstd -q -f -19 "$3" -o "$3.zst"' - "$old" "$new" "$dir/p.rd")
	a=$(cost "$dir/a" sh -c 'rm -f "$3"; rdiff patch "$1" "$2" "$3"' - "$old" "$dir/p.rd" "$dir/out.rd")
	same "$dir/out.rd"
	line 'rdiff -b 2048 + zstd -19' "$(stat -c %s "$dir/p.rd.zst")" "$m" "$a"
fi
if has hdiffz; then # -d: without applying what it made
	m=$(cost "$dir/m" hdiffz -f -d -s-64 -c-zstd-21-24 -p-1 "$old" "$new" "$dir/p.hd")
	hdiffz -t "$old" "$new" "$dir/p.hd" >/dev/null
	line 'hdiffz -s-64 zstd-21' "$(stat -c %s "$dir/p.hd")" "$m" -
fi
if has casync; then
	rm -rf "$dir/s.castr" "$dir/n.castr"
	casync make --store="$dir/s.castr" --chunk-size=16384:65536:262144 "$dir/o.caibx" "$old" >/dev/null
	cp -r "$dir/s.castr" "$dir/n.castr"
	m=$(cost "$dir/m" casync make --store="$dir/n.castr" --chunk-size=16384:65536:262144 "$dir/n.caibx" "$new")
	line 'casync, new chunks' "$(($(du -sb "$dir/n.castr" | cut -f1) - $(du -sb "$dir/s.castr" | cut -f1) + $(stat -c %s "$dir/n.caibx")))" "$m" -
fi
