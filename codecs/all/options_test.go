package all_test

import (
	"bytes"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
)

// TestWriteOptions: no format that is written ignores an option.
func TestWriteOptions(t *testing.T) {
	text := bytes.Repeat([]byte("what compresses well, and is not all the same: 0123456789. "), 200)
	entries := map[string][]*codecs.Entry{
		"gpak":      {{Name: "Calligraphy/A.curve"}, {Name: "Calligraphy/B.curve"}},
		"retropak":  nil, // by version, see below
		"umod":      {{Name: "System/A.u"}, {Name: "System/B.u"}},
		"uz2":       {{Name: "A.u"}},
		"quakepak":  {{Name: "maps/a.bsp"}, {Name: "maps/b.bsp"}},
		"unrealpak": {{Name: "Content/A.uasset"}, {Name: "Content/B.uasset"}},
		"iostore":   {{Name: "Game/Content/A.uasset"}, {Name: "Game/Content/B.uasset"}, {Name: "Game/Content/C.uasset"}},
	}
	for _, f := range all.Registry().Formats {
		if f.Create == nil {
			continue
		}
		names, known := entries[f.Name]
		if !known {
			t.Errorf("%s is written, and not tried", f.Name)
		}
		t.Run(f.Name, func(t *testing.T) {
			if f.Name == "retropak" {
				retroOptions(t, f, text)
				return
			}
			codecstest.WriteOptions(t, f, itemsOf(names, text))
		})
	}
}

func itemsOf(entries []*codecs.Entry, text []byte) []codecstest.Item {
	var items []codecstest.Item
	for i, e := range entries {
		items = append(items, codecstest.Item{Entry: e, Data: text[i:]})
	}
	return items
}

// retroOptions: ids have 32 bits in the paks of the first two games, and 64 in
// the others.
func retroOptions(t *testing.T, f *codecs.Format, text []byte) {
	versions := f.Versions
	for _, v := range versions {
		id := codecs.ID64(7)
		if len(v) >= 3 && (v[:3] == "MP1" || v[:3] == "MP2") {
			id = codecs.ID32(7)
		}
		f.Versions = []string{v}
		codecstest.WriteOptions(t, f, itemsOf([]*codecs.Entry{{Type: "TXTR", ID: id}}, text))
	}
}
