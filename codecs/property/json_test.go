package property_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pakdb/codecs/property"
)

// The JSON of all exports of the samples is valid, and that of the fixture with a
// property of every kind is testdata/DA_AllProperties.json.
func TestJSON(t *testing.T) {
	for _, set := range sets(t) {
		for p, exports := range read(t, set.all, set.base, 508) {
			d := property.NewDecoder(p.facts, property.Options{})
			var all []byte
			for i, o := range exports {
				text := d.AppendJSON(nil, o, i)
				if !json.Valid(text) {
					t.Fatalf("%s, export %d: %s", p.name, i, text)
				}
				all = append(append(all, text...), '\n')
			}
			if p.name == "DA_AllProperties" && set.name == "cue4parse-UE5_8/zen-Unversioned" {
				var out bytes.Buffer
				for line := range bytes.Lines(all) {
					if err := json.Indent(&out, line, "", " "); err != nil {
						t.Fatal(err)
					}
				}
				golden(t, "DA_AllProperties.json", out.String())
			}
		}
	}
}
