package unrealpak

import (
	"path"
	"strings"

	"pakdb/codecs/unreal"
)

// directories is a directory index in the making, in the order in which the
// engine's packer arrives at it, and what its locations refer to.
type directories struct {
	list      []*directory
	byName    map[string]*directory
	locations []int32 // by entry
	encoded   []byte
	records   []byte
	nRecords  int
}

type directory struct {
	name  string // "/" for the root, else with a trailing slash
	files []file
}

type file struct {
	name     string
	location int32
}

// directoriesOf encodes every entry and sorts it into its directory.
func directoriesOf(w *writer) *directories {
	d := &directories{byName: map[string]*directory{}}
	for i := range w.entries {
		e := &w.entries[i]
		location := d.locate(&e.rec, w.version, w.like.form)
		d.locations = append(d.locations, location)
		dir, base := splitDir(e.name)
		d.addParents(dir)
		in := d.add(dir)
		in.files = append(in.files, file{base, location})
	}
	return d
}

func (d *directories) locate(rec *record, v version, form blockForm) int32 {
	switch {
	case rec.deleted():
		return deletedLocation
	case rec.encodable(v):
		location := int32(len(d.encoded))
		d.encoded = rec.appendEncoded(d.encoded, form)
		return location
	}
	plain := *rec
	plain.sum = [20]byte{} // as the engine leaves it
	d.records = plain.append(d.records, v)
	d.nRecords++
	return int32(-d.nRecords)
}

// splitDir splits a path at its last slash: "/" and base for a file in the
// root.
func splitDir(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return "/", name
	}
	return name[:i+1], name[i+1:]
}

// parent of a directory below the root.
func parent(dir string) string {
	up, _ := splitDir(strings.TrimSuffix(dir, "/"))
	return up
}

// addParents adds what lies above dir, the nearest first, before dir itself.
func (d *directories) addParents(dir string) {
	if d.byName[dir] != nil {
		return
	}
	for dir != "/" {
		dir = parent(dir)
		d.add(dir)
	}
}

func (d *directories) add(dir string) *directory {
	in := d.byName[dir]
	if in == nil {
		in = &directory{name: dir}
		d.byName[dir] = in
		d.list = append(d.list, in)
	}
	return in
}

// pruned is the index of those files alone whose extension is kept: first
// their directories, then the directories above.
func (d *directories) pruned(keep map[string]bool) *directories {
	p := &directories{byName: map[string]*directory{}}
	for _, dir := range d.list {
		for _, f := range dir.files {
			if keep[strings.ToLower(path.Ext(f.name))] {
				in := p.add(dir.name)
				in.files = append(in.files, f)
			}
		}
	}
	for _, dir := range p.list {
		for up := dir.name; up != "/"; {
			up = parent(up)
			p.add(up)
		}
	}
	return p
}

func (d *directories) append(b []byte, v version) []byte {
	b = leOrder.AppendUint32(b, uint32(len(d.list)))
	for _, dir := range d.list {
		b = unreal.AppendFString(b, dir.name)
		b = leOrder.AppendUint32(b, uint32(len(dir.files)))
		for _, f := range dir.files {
			if v >= utf8PakDirectory {
				b = unreal.AppendUtf8String(b, f.name)
			} else {
				b = unreal.AppendFString(b, f.name)
			}
			b = leOrder.AppendUint32(b, uint32(f.location))
		}
	}
	return b
}
