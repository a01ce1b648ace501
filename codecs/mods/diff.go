package mods

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/textfile"
	"pakdb/codecs/unreal"
)

// diffVersions returns the edits that make base the package mod, and what of it no edit makes: objects
// that came or went, code, bulk data, values of some types. The edits were made, and the result
// compared with mod: it differs in rest alone.
func diffVersions(ctx context.Context, base, mod *Package) (edits []Edit, rest []MergeItem, err error) {
	m, err := newMerger([]*Package{base, mod}, MergeOptions{})
	if errors.Is(err, unreal.ErrNoWriting) {
		return nil, []MergeItem{{}}, nil // the whole package
	}
	if err != nil {
		return nil, nil, err
	}
	m.packages()
	made, err := base.with(base.frame)
	if err != nil {
		return nil, nil, err
	}
	for i := range m.needs {
		edits = append(edits, m.edits(&m.needs[i])...)
	}
	Ordered(edits)
	edits = slices.DeleteFunc(edits, func(e Edit) bool { return made.Apply(e) != nil })
	result, err := made.result(ctx)
	if err != nil {
		return nil, m.items, nil // as with bulk data inside
	}
	after, err := base.with(result)
	if err != nil {
		return nil, nil, err
	}
	left, err := newMerger([]*Package{after, mod}, MergeOptions{})
	if err != nil {
		return nil, nil, err
	}
	left.packages()
	return edits, left.items, nil
}

// edits returns the edits that make what the mod has of a thing, as far as it is known.
func (m *merger) edits(n *need) []Edit {
	base, mod := m.all[0], m.all[1]
	if n.kind != needValue {
		return nil
	}
	item := &m.items[n.item]
	was, _ := base.export(n.key)
	is, _ := mod.export(n.key)
	object := n.object
	if i := base.exports[n.key]; m.ambiguous(object) {
		object = fmt.Sprint("#", i)
	}
	var changes []property.JSONChange
	var err error
	from, to := n.nodes[0], n.nodes[1]
	container, key := item.Field, ""
	if at := strings.LastIndexByte(item.Field, '['); at > 0 {
		container, key = item.Field[:at], strings.TrimSuffix(item.Field[at+1:], "]")
	}
	switch {
	case to < 0:
		changes = []property.JSONChange{{Op: string(Remove), Path: item.Field}}
	case from < 0 && n.parent[0] >= 0 && was.List().Nodes[n.parent[0]].Kind == property.Map:
		changes, err = was.NewEntry(n.parent[0], container, key, is.JSON(to))
	default:
		text, isRef := is.RefText(to)
		switch {
		case isRef:
			changes = []property.JSONChange{{Op: string(Set), Path: item.Field, Value: text}}
		case from < 0:
			if text, err = property.JSONText(item.Field, is.JSON(to)); err == nil {
				changes = []property.JSONChange{{Op: string(Set), Path: item.Field, Value: text}}
			}
		default:
			changes, err = was.Changes(from, item.Field, is.JSON(to))
		}
	}
	if err != nil {
		return nil
	}
	var edits []Edit
	for _, c := range changes {
		edits = append(edits, Edit{Object: object, Field: c.Path, Op: Op(c.Op), Value: c.Value})
	}
	return edits
}

// ambiguous reports whether several objects have a name.
func (m *merger) ambiguous(name string) bool {
	n := 0
	for _, object := range m.all[0].pkg.Objects() {
		if strings.EqualFold(object, name) {
			n++
		}
	}
	return n > 1
}

// diffFile does the same for files that are no packages: of texts and prototypes, whose values
// alone edits change. Ids in prototypes mean what db says.
func diffFile(name string, base, mod []byte, db func() *Database) (edits []Edit, rest []MergeItem) {
	if !textfile.Editable(name) && !isPrototype(name) {
		return nil, []MergeItem{{}}
	}
	edits, rest = diffFields(opener(name, db), base, mod)
	if strings.EqualFold(path.Ext(name), ".ini") {
		rest = append(rest, diffOperators(base, mod)...)
	}
	return edits, rest
}

// diffOperators returns the settings with other operators, which no edit makes.
func diffOperators(base, mod []byte) (rest []MergeItem) {
	old, err := textfile.OpenSettings(base)
	new, openErr := textfile.OpenSettings(mod)
	if err != nil || openErr != nil {
		return nil
	}
	for _, k := range settingsOf([]*textfile.Settings{old, new}) {
		ops := [2]string{}
		for i := range ops {
			for _, s := range k.all[i] {
				ops[i] += cmp.Or(s.Op, "=")
			}
		}
		if len(ops[0]) == len(ops[1]) && ops[0] != ops[1] {
			rest = append(rest, MergeItem{Field: k.field(), Base: k.shown(0)})
		}
	}
	return rest
}

func diffFields(open func([]byte) (fielded, error), base, mod []byte) (edits []Edit, rest []MergeItem) {
	old, err := open(base)
	new, openErr := open(mod)
	if err != nil || openErr != nil {
		return nil, []MergeItem{{}}
	}
	was, once := valuesOf(old)
	is, alsoOnce := valuesOf(new)
	if !once || !alsoOnce {
		return nil, []MergeItem{{}}
	}
	for _, field := range slices.Sorted(maps.Keys(is)) {
		before, there := was[field]
		if there && before == is[field] {
			continue
		}
		if !there || old.Set("", field, is[field]) != nil {
			rest = append(rest, MergeItem{Field: field, Base: before})
			continue
		}
		edits = append(edits, Edit{Field: field, Op: Set, Value: is[field]})
	}
	for _, field := range slices.Sorted(maps.Keys(was)) {
		if _, there := is[field]; !there {
			rest = append(rest, MergeItem{Field: field, Base: was[field]})
		}
	}
	if len(rest) == 0 && old.around() != new.around() {
		rest = append(rest, MergeItem{Field: "what its values lie in"})
	}
	return edits, rest
}
