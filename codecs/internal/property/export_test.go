package property

import (
	"maps"
	"slices"
)

// NativeNames returns the structs with serializers that are read, in lower case, and those
// that are not read from files without tags.
func NativeNames() (read, tagged []string) {
	for _, name := range slices.Sorted(maps.Keys(natives())) {
		if natives()[name].tagged {
			tagged = append(tagged, name)
		} else {
			read = append(read, name)
		}
	}
	return read, tagged
}

// Tags yields the tags of a draft with what the encoder makes of them.
func (e *Draft) Tags(yield func(t *Type, made, stored []byte, err error)) {
	w := encoder{e.d, e.data, &e.export.List, e.d.order()}
	for i := range e.export.List.Nodes {
		n, p := &e.export.List.Nodes[i], &e.export.List.places[i]
		if !p.tagged || n.Kind == Opaque {
			continue
		}
		flags := byte(0)
		if n.Kind == Bool && n.Bits == 1 {
			flags = tagTrue
		}
		made, err := w.tag(nil, n.Name, n.Type, n.Index, flags, int(n.Size))
		yield(n.Type, made, e.data[p.tag:n.Offset], err)
	}
}

// StoredStructs returns the structs that packages of UE1 to UE3 store without tags, each with
// the first version that stores it so.
func StoredStructs() map[string][]int {
	all := map[string][]int{}
	for name, list := range storedStructs() {
		for _, s := range list {
			all[name] = append(all[name], s.from)
		}
	}
	return all
}
