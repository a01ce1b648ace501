package unreal

import (
	"path"
	"strconv"
	"strings"
)

// MountOrder returns the order that the engine mounts a container with, from
// its path in the game's folder, with forward slashes or backslashes. ext is
// the container's extension, with the dot.
//
// The folder counts 4 for Project/Content/Paks/Project-*, 3 for other content
// of the project, 2 for the engine's, 1 for the saved folder, and 0 for
// others, so also for a bare file name. A name that ends in _P counts 100 more,
// or 100 x (N+1) when it ends in _N_P with N >= 1, where _2.5_P is _2_P.
func MountOrder(name, ext string) int {
	name = strings.ReplaceAll(name, `\`, "/")
	return folderOrder(name) + patchOrder(path.Base(name), "_p"+ext)
}

func folderOrder(name string) int {
	parts := strings.Split(strings.ToLower(name), "/")
	for i := len(parts) - 2; i >= 1; i-- {
		switch parts[i] {
		case "content":
			return contentOrder(parts, i)
		case "saved":
			return 1
		}
	}
	return 0
}

func contentOrder(parts []string, i int) int {
	project := parts[i-1]
	last := len(parts) - 1
	switch {
	case project == "engine":
		return 2
	case last == i+2 && parts[i+1] == "paks" && strings.HasPrefix(parts[last], project+"-"):
		return 4
	}
	return 3
}

func patchOrder(base, suffix string) int {
	stem, isPatch := CutSuffixFold(base, suffix)
	if !isPatch {
		return 0
	}
	if n, _, ok := patchNumber(stem); ok && n >= 1 {
		return int(uint32(n+1) * 100) // in 32 bits, as the engine has it
	}
	return 100
}

// patchNumber returns N of a name that ends in _N, and what is before it. As in the
// engine, N may have a sign and one point, after which nothing counts: _2.5 is 2. ok is
// false for no number, or one that the engine cannot hold.
func patchNumber(stem string) (n int64, before string, ok bool) {
	i := strings.LastIndexByte(stem, '_')
	if i < 0 {
		return 0, stem, false
	}
	number := stem[i+1:]
	negative := strings.HasPrefix(number, "-")
	if negative || strings.HasPrefix(number, "+") {
		number = number[1:]
	}
	whole, part, _ := strings.Cut(number, ".")
	if strings.Trim(whole, digits) != "" || strings.Trim(part, digits) != "" {
		return 0, stem, false
	}
	if whole != "" {
		var err error
		if n, err = strconv.ParseInt(whole, 10, 32); err != nil {
			return 0, stem, false
		}
	}
	if negative {
		n = -n
	}
	return n, stem[:i], true
}

const digits = "0123456789"

// Chunk returns N for a container named pakchunkN-* or pakchunkN_*.
func Chunk(name string) (n int, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	digits, found := strings.CutPrefix(base, "pakchunk")
	if !found {
		return 0, false
	}
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end <= 0 {
		return 0, false
	}
	n, err := strconv.Atoi(digits[:end])
	return n, err == nil
}

// PatchName returns the name of the n-th patch of a container, itself a patch or
// not, without its folder.
func PatchName(name, ext string, n int) string {
	stem, _ := CutSuffixFold(path.Base(strings.ReplaceAll(name, `\`, "/")), ext)
	if cut, isPatch := CutSuffixFold(stem, "_P"); isPatch {
		stem = cut
		if _, before, isNumber := patchNumber(stem); isNumber && before != "" {
			stem = before
		}
	}
	return stem + "_" + strconv.Itoa(n) + "_P" + ext
}

// CutSuffixFold is strings.CutSuffix without regard to case.
func CutSuffixFold(s, suffix string) (before string, found bool) {
	if n := len(s) - len(suffix); n >= 0 && strings.EqualFold(s[n:], suffix) {
		return s[:n], true
	}
	return s, false
}
