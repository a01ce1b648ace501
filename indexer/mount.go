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
	return codecs.CompareMounted(codecs.Mounted{Order: a.Order, Ordered: a.ordered, Name: a.Name},
		codecs.Mounted{Order: b.Order, Ordered: b.ordered, Name: b.Name})
}
