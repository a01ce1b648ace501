package property_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
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
				if err := codecstest.CheckJSON(bytes.NewReader(text)); err != nil {
					t.Fatalf("%s, export %d: %v: %s", p.name, i, err, text)
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

// TestRepeatedMembers: tags may repeat a name, JSON does not.
func TestRepeatedMembers(t *testing.T) {
	tag := func(value string) string {
		return "01000000 00000000 02000000 00000000 04000000 00000000 00 " + value + "000000 "
	}
	f := fixture{ue4: 522, flags: 0x80000200, names: "None N IntProperty", hex: tag("07") + tag("08") + tag("09") + "00000000 00000000 00000000"}
	d := property.NewDecoder(f.facts(), property.Options{})
	var o property.Export
	d.Export(&o, 0, f.bytes(t))
	if got := string(d.AppendJSON(nil, &o, 0)); !strings.HasSuffix(got, `"Properties":{"N":7,"N_2":8,"N_3":9}}`) {
		t.Error(got)
	}
	f.hex = strings.Repeat(tag("01"), 3000) + "00000000 00000000 00000000"
	d.Export(&o, 0, f.bytes(t))
	if err := codecstest.CheckJSON(bytes.NewReader(d.AppendJSON(nil, &o, 0))); err != nil {
		t.Error(err)
	}
}
