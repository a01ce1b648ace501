package compare

import (
	"context"
	"maps"
	"os"
	"slices"

	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/internal/atomicfile"
	"pakdb/schema"
)

// aloneExecutable returns the files of both builds that are executable in one of them, with
// that build. A publisher records it; a catalog does not, so that it is only known of files
// that are where they were indexed. Their times say nothing: a catalog has that of one copy.
func aloneExecutable(ctx context.Context, s *operand.Sides) (alone [][2]string, err error) {
	exec := map[string]map[string]bool{s.Old.Label: {}, s.New.Label: {}}
	note := func(build, name, location string, size int64) {
		if st, err := os.Stat(location); err == nil && (size < 0 || st.Size() == size) {
			exec[build][name] = atomicfile.IsExec(atomicfile.Mode(st))
		}
	}
	if s.Reading != nil {
		s.Reading.EachMount(func(build string, m *schema.Mount, _ string, _ *schema.Damage) {
			note(build, m.Name, m.Location, -1)
		})
	} else {
		for build := range exec {
			files, err := diff.Files(ctx, s.DB, build)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				note(build, f.Name, f.Location, f.Size)
			}
		}
	}
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
	return alone, nil
}
