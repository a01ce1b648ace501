package side

import (
	"hash/maphash"
	"strings"

	"pakdb/internal/asset"
)

// assetNumbers says which asset each of some names is a file of, by numbers from
// 1; 0 is for other files.
type assetNumbers struct {
	of    []int32 // by the places of names
	count int
}

// assets numbers the assets that names are files of. It is worked out once.
func (n *Names) assets() *assetNumbers {
	if n.numbers == nil {
		n.numbers = &assetNumbers{of: make([]int32, len(n.ids))}
		n.joinByCase(n.numbers, n.numberAssets(n.numbers))
	}
	return n.numbers
}

// Assets returns how many assets the paths are files of.
func (n *Names) Assets() int { return n.assets().count }

// Asset returns the number of the asset that a path is a file of, from 1; 0 for
// other files. The files of one asset have one number.
func (n *Names) Asset(path int64) int32 {
	i, ok := n.Find(path)
	if !ok {
		return 0
	}
	return n.assets().of[i]
}

// numberAssets takes names as they are. It goes through them in their order, where
// the files of one asset are near each other: all that begin with the same text up
// to the first dot. It returns, by number, which have a file with tables.
func (n *Names) numberAssets(a *assetNumbers) (headed []bool) {
	byRank := make([]int32, len(n.ranks))
	for i, rank := range n.ranks {
		byRank[rank] = int32(i)
	}
	headed = []bool{false}
	dir, head := int32(-1), ""
	near := map[string]int32{}
	for _, i := range byRank {
		stem, _, part := asset.Split(n.base(int(i)))
		if part == asset.None {
			continue
		}
		if first, _, _ := strings.Cut(stem, "."); n.dirOf[i] != dir || first != head {
			dir, head = n.dirOf[i], first
			clear(near)
		}
		if near[stem] == 0 {
			a.count++
			near[stem] = int32(a.count)
			headed = append(headed, false)
		}
		a.of[i] = near[stem]
		headed[a.of[i]] = headed[a.of[i]] || part == asset.Header
	}
	return headed
}

// joinByCase joins files without tables to the asset, or to each other, whose path
// differs from theirs in case alone: the engine takes no notice of it.
func (n *Names) joinByCase(a *assetNumbers, headed []bool) {
	seed := maphash.MakeSeed()
	dirs := n.foldedDirs()
	hash := func(i int) uint64 { return maphash.String(seed, strings.ToLower(n.stem(i))) + uint64(dirs[n.dirOf[i]]) }
	first := map[uint64]int32{} // places of files without tables
	to := make([]int32, len(headed))
	for i, number := range a.of {
		if headed[number] || number == 0 {
			continue
		}
		if j, ok := first[hash(i)]; !ok {
			first[hash(i)], to[number] = int32(i), number
		} else if n.sameButCase(i, int(j), dirs) {
			to[number] = a.of[j]
		}
	}
	if len(first) == 0 {
		return
	}
	for i, number := range a.of {
		if !headed[number] {
			continue
		}
		if j, ok := first[hash(i)]; ok && to[a.of[j]] == a.of[j] && n.sameButCase(i, int(j), dirs) {
			to[a.of[j]] = number
		}
	}
	for i, number := range a.of {
		for to[number] != 0 && to[number] != number {
			number = to[number]
		}
		a.of[i] = number
	}
}

func (n *Names) stem(i int) string {
	stem, _, _ := asset.Split(n.base(i))
	return stem
}

func (n *Names) sameButCase(i, j int, dirs []int32) bool {
	return dirs[n.dirOf[i]] == dirs[n.dirOf[j]] && strings.EqualFold(n.stem(i), n.stem(j))
}

// foldedDirs returns, for each folder, the first that differs from it in case at
// most.
func (n *Names) foldedDirs() []int32 {
	first := map[string]int32{}
	folded := make([]int32, len(n.dirs))
	for i, dir := range n.dirs {
		key := strings.ToLower(dir)
		if _, ok := first[key]; !ok {
			first[key] = int32(i)
		}
		folded[i] = first[key]
	}
	return folded
}
