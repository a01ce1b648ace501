package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"pakdb/codecs"
)

// resource is the key of a named resource. Names are apart from entries: an entry
// may have several, and a name may mean several entries.
type resource struct {
	typ string
	id  codecs.ID
}

// Names are the names that an archive keeps apart from its entries, in its order.
type Names map[resource][]string

// NamesOf reads the names; nil when the format keeps none apart. A name that cannot
// be read ends the list: verify reports it.
func NamesOf(ar codecs.Archive) Names {
	namer, ok := codecs.ArchiveAs[codecs.Namer](ar)
	if !ok {
		return nil
	}
	all := Names{}
	for n, err := range namer.Named() {
		if err != nil {
			break
		}
		key := resource{n.Type, n.ID}
		all[key] = append(all[key], n.Name)
	}
	return all
}

// Of returns the names of an entry, nil if it has none.
func (n Names) Of(e *codecs.Entry) []string {
	if e.ID.IsZero() {
		return nil
	}
	return n[resource{e.Type, e.ID}]
}

// called returns the resources that have a name. Case does not count, as it does
// not in the games.
func (n Names) called(name string) map[resource]bool {
	ids := map[resource]bool{}
	for id, names := range n {
		for _, other := range names {
			if strings.EqualFold(other, name) {
				ids[id] = true
			}
		}
	}
	return ids
}

// JSON returns the names of an entry as a JSON array, nil if it has none.
func (n Names) JSON(e *codecs.Entry) any {
	names := n.Of(e)
	if names == nil {
		return nil
	}
	text, err := json.Marshal(names)
	if err != nil {
		return nil // it cannot fail on strings
	}
	return string(text)
}

// Suffix returns what the entry's first name adds to the name of its file:
// ".VolumeBox", or "" if it has none. Slashes are escaped, for the name is no path;
// safename escapes what else no file system takes.
func (n Names) Suffix(e *codecs.Entry) string {
	names := n.Of(e)
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
