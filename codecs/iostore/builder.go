package iostore

import (
	"path"
	"strings"

	"pakdb/codecs/unreal"
)

// directoryBuilder makes a directory index as the engine's packer does: names
// once, in the order of their first use, new folders and files before their
// siblings.
type directoryBuilder struct {
	dirs    [][4]uint32
	files   [][3]uint32
	names   []string
	name    map[string]uint32
	folders map[string]uint32 // by path
}

func newDirectoryBuilder() *directoryBuilder {
	return &directoryBuilder{
		dirs:    [][4]uint32{{none, none, none, none}},
		name:    map[string]uint32{},
		folders: map[string]uint32{"": 0},
	}
}

func (d *directoryBuilder) intern(s string) uint32 {
	i, ok := d.name[s]
	if !ok {
		i = uint32(len(d.names))
		d.name[s] = i
		d.names = append(d.names, s)
	}
	return i
}

func (d *directoryBuilder) add(p string, chunk uint32) {
	folder, base := path.Split(p)
	dir := d.folder(strings.TrimSuffix(folder, "/"))
	d.files = append(d.files, [3]uint32{d.intern(base), d.dirs[dir][3], chunk})
	d.dirs[dir][3] = uint32(len(d.files) - 1)
}

func (d *directoryBuilder) folder(p string) uint32 {
	if i, ok := d.folders[p]; ok {
		return i
	}
	above, base := path.Split(p)
	parent := d.folder(strings.TrimSuffix(above, "/"))
	i := uint32(len(d.dirs))
	d.folders[p] = i
	d.dirs = append(d.dirs, [4]uint32{d.intern(base), none, d.dirs[parent][1], none})
	d.dirs[parent][1] = i
	return i
}

func (d *directoryBuilder) append(b []byte) []byte {
	b = leOrder.AppendUint32(b, uint32(len(d.dirs)))
	for _, dir := range d.dirs {
		for _, v := range dir {
			b = leOrder.AppendUint32(b, v)
		}
	}
	b = leOrder.AppendUint32(b, uint32(len(d.files)))
	for _, f := range d.files {
		for _, v := range f {
			b = leOrder.AppendUint32(b, v)
		}
	}
	b = leOrder.AppendUint32(b, uint32(len(d.names)))
	for _, s := range d.names {
		b = unreal.AppendFString(b, s)
	}
	return b
}

// packageOfPath tells which package a file belongs to, and which type its chunk
// has, from its whole path: "../../../Game/Content/A.uasset" is the package
// "/Game/A".
func packageOfPath(p string) (name, typeName string, ok bool) {
	for _, t := range packageFiles() {
		bare, found := unreal.CutSuffixFold(p, t.ext)
		if !found {
			continue
		}
		bare = "/" + strings.TrimLeft(bare, "./")
		owner, rest, found := strings.Cut(bare, "/Content/")
		mount := "/Game"
		if base := "/" + path.Base(owner); strings.Contains(owner, "/Plugins/") || base == "/Engine" {
			mount = base
		}
		return mount + "/" + rest, t.typeName, found
	}
	return "", "", false
}
