package indexer

import (
	"slices"

	"pakdb/codecs"
	"pakdb/schema"
)

// mount is an archive's place in the build.
type mount struct {
	schema.Mount
	ordered bool // the format has a mount order
	first   bool // of archives of one order, the first by name wins
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

func compareMounts(a, b *mount) int {
	return codecs.CompareMounted(a.mounted(), b.mounted())
}

func (m *mount) mounted() codecs.Mounted {
	return codecs.Mounted{Order: m.Order, Ordered: m.ordered, FirstWins: m.first, Name: m.Name}
}
