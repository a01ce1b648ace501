package mods

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/textfile"
)

// mergeSettings merges .ini by the statements of each key: one that has a value without an
// operator has that value, and statements with operators are elements of an array.
func mergeSettings(all [][]byte, o MergeOptions) (*Merged, error) {
	files := make([]*textfile.Settings, len(all))
	for i, b := range all {
		var err error
		if files[i], err = textfile.OpenSettings(b); err != nil {
			return nil, fmt.Errorf("%w: %w", property.ErrRefused, err)
		}
	}
	m := &merger{o: o, all: make([]*version, len(all))}
	keys := settingsOf(files)
	for _, k := range keys {
		m.settings(k)
	}
	out := &Merged{Items: m.items, Frame: -1}
	if out.Open() > 0 {
		return out, nil
	}
	// Lines that merge without a conflict keep the comments of all versions.
	if lines, err := mergeLines("", all, MergeOptions{}); err == nil && lines.Open() == 0 {
		if made, err := textfile.OpenSettings(lines.Asset); err == nil && slices.EqualFunc(settingsOf([]*textfile.Settings{made}), keys, sameResult) {
			out.Asset = lines.Asset
			return out, nil
		}
	}
	made := files[m.order()[0]]
	for _, k := range keys {
		var err error
		of := make([]*textfile.Settings, len(k.result))
		for i, p := range k.result {
			of[i] = files[p.version]
		}
		if made, err = made.With(k.section, k.key, k.settings(), of); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrProof, err)
		}
	}
	out.Asset = made.Data()
	return out, nil
}

// keySettings are the statements of a key in all versions.
type keySettings struct {
	section, key string
	all          [][]textfile.Setting // by version
	result       []place
}

// settingsOf returns the statements of each key, in the order of the files.
func settingsOf(files []*textfile.Settings) (all []*keySettings) {
	known := map[string]*keySettings{}
	for i, f := range files {
		for _, s := range f.All {
			id := strings.ToLower(s.Section + "\x00" + s.Key)
			k := known[id]
			if k == nil {
				k = &keySettings{section: s.Section, key: s.Key, all: make([][]textfile.Setting, len(files))}
				known[id], all = k, append(all, k)
			}
			k.all[i] = append(k.all[i], s)
		}
	}
	if len(files) == 1 { // its statements are the result
		for _, k := range all {
			for i := range k.all[0] {
				k.result = append(k.result, place{0, i})
			}
		}
	}
	return all
}

func (k *keySettings) settings() (all []textfile.Setting) {
	for _, p := range k.result {
		all = append(all, k.all[p.version][p.element])
	}
	return all
}

// sameResult reports whether the results of a key are the same, as far as there are any.
func sameResult(a, b *keySettings) bool {
	return slices.EqualFunc(a.settings(), b.settings(), func(x, y textfile.Setting) bool { return x.Same(&y) })
}

// field is how conflicts call a key.
func (k *keySettings) field() string { return k.section + "[" + k.key + "]" }

// shown returns the statements of a version as people read them.
func (k *keySettings) shown(version int) string {
	var all []string
	for _, s := range k.all[version] {
		all = append(all, s.Op+cmp.Or(s.Value, `""`))
	}
	return strings.Join(all, ", ")
}

// canonOf returns a text that is equal for statements of a key that say the same.
func canonOf(statements []textfile.Setting) (sum string) {
	for _, s := range statements {
		sum += fmt.Sprintf("%s%d:%s", s.Op, len(s.Value), s.Value)
	}
	return sum
}

// settings merges the statements of a key.
func (m *merger) settings(k *keySettings) {
	canon := make([]string, len(k.all))
	different := map[string]bool{}
	for i := range k.all {
		canon[i] = canonOf(k.all[i])
		different[canon[i]] = true
	}
	delete(different, canon[0])
	if len(different) > 1 {
		if parts, ordered, ok := k.join(); ok {
			item := MergeItem{Field: k.field(), Base: k.shown(0), Values: map[int]string{}, Taken: -1, Ordered: ordered}
			for i := 1; i < len(canon); i++ {
				if canon[i] != canon[0] {
					item.Values[i-1], item.Taken = k.shown(i), i-1
				}
			}
			m.items, k.result = append(m.items, item), parts
			return
		}
	}
	from := 0
	if n := m.decide("", k.field(), canon, k.shown); n != nil {
		from = n.from
	}
	k.result = nil
	for i := range k.all[from] {
		k.result = append(k.result, place{from, i})
	}
}

// join makes all changes of the elements of an array: of statements with operators, each with
// a value of its own. It returns false where versions change a value, or clear the array.
func (k *keySettings) join() (parts []place, ordered, ok bool) {
	elements := make([][]property.Element, len(k.all))
	same := "" // what must be the same everywhere
	for i, all := range k.all {
		var whole []textfile.Setting
		seen := map[string]bool{}
		for _, s := range all {
			if s.Op == "" || s.Op == "!" {
				whole = append(whole, s)
			}
			id := s.Op + "\x00" + s.Value
			if seen[id] {
				return nil, false, false
			}
			seen[id] = true
			elements[i] = append(elements[i], property.Element{Canon: id})
		}
		if canon := canonOf(whole); i == 0 {
			same = canon
		} else if canon != same {
			return nil, false, false
		}
	}
	if parts, ordered, ok = joinElements(elements); !ok {
		return nil, false, false
	}
	values := map[string]bool{}
	for _, p := range parts {
		value := k.all[p.version][p.element].Value
		if values[value] {
			return nil, false, false // one adds what another takes away
		}
		values[value] = true
	}
	return parts, ordered, true
}
