package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"pakdb/codecs"
)

// resource is what a named resource is found by: names are apart from entries,
// an entry may have several, and a name may stand for several entries.
type resource struct {
	typ string
	id  codecs.ID
}

// resources are the names that an archive has for its entries, in its order.
type resources map[resource][]string

// resourcesOf reads the names; nil when the format keeps none apart. What is
// wrong with one of them ends the list: verify reports it.
func resourcesOf(ar codecs.Archive) resources {
	namer, ok := codecs.ArchiveAs[codecs.Namer](ar)
	if !ok {
		return nil
	}
	all := resources{}
	for n, err := range namer.Named() {
		if err != nil {
			break
		}
		key := resource{n.Type, n.ID}
		all[key] = append(all[key], n.Name)
	}
	return all
}

// of returns the names of an entry, nil if it has none.
func (r resources) of(e *codecs.Entry) []string {
	if e.ID.IsZero() {
		return nil
	}
	return r[resource{e.Type, e.ID}]
}

// called returns the resources that have a name. Case does not count, as it does
// not in the games.
func (r resources) called(name string) map[resource]bool {
	ids := map[resource]bool{}
	for id, names := range r {
		for _, n := range names {
			if strings.EqualFold(n, name) {
				ids[id] = true
			}
		}
	}
	return ids
}

// quoted is for people: each name in double quotes.
func (r resources) quoted(e *codecs.Entry) string {
	var b strings.Builder
	for _, name := range r.of(e) {
		b.WriteString("  " + strconv.Quote(name))
	}
	return b.String()
}

// json is for programs: an array, NULL when there are none.
func (r resources) json(e *codecs.Entry) any {
	names := r.of(e)
	if names == nil {
		return nil
	}
	text, err := json.Marshal(names)
	if err != nil {
		return nil // it cannot fail on strings
	}
	return string(text)
}

// suffix is what the entry's first name adds to a file's name: ".VolumeBox".
// Slashes are escaped, for the name is no path; what else no file system takes
// is left to internal/extract.
func (r resources) suffix(e *codecs.Entry) string {
	names := r.of(e)
	if len(names) == 0 || names[0] == "" {
		return ""
	}
	var b strings.Builder
	b.WriteByte('.')
	for _, c := range []byte(names[0]) {
		if c == '/' || c == '\\' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// areCopies tells entries that an archive holds several times on purpose, under
// one id: a reader takes any of them.
func areCopies(entries []*codecs.Entry) bool {
	for _, e := range entries {
		if e.ID.IsZero() || e.ID != entries[0].ID || e.Type != entries[0].Type {
			return false
		}
	}
	return len(entries) > 0
}
