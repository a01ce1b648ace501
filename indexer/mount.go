package indexer

import (
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/mount"
	"pakdb/schema"
)

// mounted is an archive's place in the build.
type mounted struct {
	schema.Mount
	rules mount.Archive
}

// mountAll places the archives in the build, and says which of them wins.
func (s *scan) mountAll() {
	rules := make([]mount.Archive, len(s.mounts))
	for i := range s.mounts {
		rules[i] = s.mounts[i].rules
	}
	for i, place := range mount.Places(rules) {
		s.mounts[i].Place = int64(place)
		s.into.Mount(s.mounts[i].Mount)
	}
}

// mount notes that an archive of the catalog is one of the build.
func (s *scan) mount(o *opened, id int64) {
	rules := o.format.Mounts()
	m := mounted{Mount: schema.Mount{Archive: id, Name: o.name, Location: o.path}, rules: rules.Archive(o.name, o.path)}
	m.Order, m.LastWins = m.rules.Order, rules.LastEntry
	if rules.Paired {
		m.Stem = stemOf(o)
	}
	s.mounts = append(s.mounts, m)
	s.report.Archives++
	s.progress.FilesDone.Add(1)
}

// stemOf is the name of an archive without its usual extension; one that is
// called otherwise keeps all of its name.
func stemOf(o *opened) string {
	for _, ext := range o.format.Exts {
		if strings.EqualFold(path.Ext(o.name), ext) {
			return o.name[:len(o.name)-len(ext)]
		}
	}
	return ""
}

// ownFlag marks an entry that describes its archive.
func (o *opened) ownFlag(e *codecs.Entry) int64 {
	if o.format.Mounts().Describes(e) {
		return int64(codecs.Own)
	}
	return 0
}
