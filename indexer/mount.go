package indexer

import (
	"cmp"
	"slices"
	"strings"

	"pakdb/schema"
)

// mount is an archive's place in the build.
type mount struct {
	schema.Mount
	ordered bool // the format has a mount order
}

// mountAll places the archives in the build, and says which of them wins.
func (s *scan) mountAll() {
	best := make([]*mount, len(s.mounts))
	for i := range s.mounts {
		best[i] = &s.mounts[i]
	}
	slices.SortStableFunc(best, compareMounts)
	for place, m := range best {
		m.Place = int64(place)
	}
	for _, m := range s.mounts {
		s.build.Mount(m.Mount)
	}
}

// compareMounts sorts the archive that wins to the front. Unreal mounts the paks
// of one folder by descending name, and of equals the one that was mounted first
// wins; nobody should rely on it. Loose files lose to the paks of their order.
func compareMounts(a, b *mount) int {
	byName := 0
	if a.ordered && b.ordered {
		byName = strings.Compare(strings.ToLower(b.Name), strings.ToLower(a.Name))
	}
	return cmp.Or(cmp.Compare(b.Order, a.Order), -compareBool(a.ordered, b.ordered), byName)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
