package ue

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
// or 100 x (N+1) when it ends in _N_P with N >= 1.
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
	if i := strings.LastIndexByte(stem, '_'); i >= 0 {
		if n, err := strconv.ParseUint(stem[i+1:], 10, 16); err == nil {
			return 100 * (int(n) + 1)
		}
	}
	return 100
}

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
		if i := strings.LastIndexByte(stem, '_'); i > 0 {
			if _, err := strconv.ParseUint(stem[i+1:], 10, 16); err == nil {
				stem = stem[:i]
			}
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
