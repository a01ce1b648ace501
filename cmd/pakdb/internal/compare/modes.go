package compare

import (
	"maps"
	"os"
	"slices"

	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/internal/atomicfile"
	"pakdb/schema"
)

// aloneExecutable returns the files that are executable in one of two builds alone, with that
// build. Publishing records it. A catalog does not, and says nothing: the files on the disk
// may not be those that were indexed.
func aloneExecutable(s *operand.Sides) (alone [][2]string) {
	if s.Reading == nil {
		return nil
	}
	exec := map[string]map[string]bool{s.Old.Label: {}, s.New.Label: {}}
	s.Reading.EachMount(func(build string, m *schema.Mount, _ string, _ *codecs.Damage) {
		if st, err := os.Stat(m.Location); err == nil {
			exec[build][m.Name] = atomicfile.IsExec(atomicfile.Mode(st))
		}
	})
	old, new := exec[s.Old.Label], exec[s.New.Label]
	for _, name := range slices.Sorted(maps.Keys(new)) {
		switch was, both := old[name]; {
		case !both || was == new[name]:
		case was:
			alone = append(alone, [2]string{name, s.Old.Label})
		default:
			alone = append(alone, [2]string{name, s.New.Label})
		}
	}
	return alone
}
