package mods_test

import (
	"bytes"
	"context"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/mods"
)

// Packages before and after one edit that another program made: the results have the same
// values, and the same bytes unless several encodings are possible.
func TestBeforeAfter(t *testing.T) {
	const longer = "a much longer text than before "
	set := func(object, field, value string) func(*mods.Package) error {
		return func(p *mods.Package) error { return p.Set(object, field, value) }
	}
	remove := func(object, field string) func(*mods.Package) error {
		return func(p *mods.Package) error { return p.Remove(object, field) }
	}
	dir := codecstest.Sample(t, "unreal-writing", "values")
	all := map[string]*sample{}
	for _, s := range samples(t) {
		all[s.name] = &s
	}
	equal := 0
	for _, c := range []struct {
		stem, ext string
		edit      func(*mods.Package) error
		other     string // why the bytes may differ
	}{
		{"tagged-array-remove-plain", "", remove("#0", "ResourceCost[0]"), ""},
		{"tagged-enum-new-prop", "", set("#0", "UpgradeType", "PakdbMember"), ""},
		{"tagged-float-struct-member", "", set("#0", "RoomNoises[0].Weight", "1234.5"), ""},
		{"tagged-map-remove", "", remove("#0", "UpgradeCraftingCost[/Game/GameElements/Resources/Veins/RES_VEIN_Croppa.RES_VEIN_Croppa]"), ""},
		{"tagged-name-new-prop", "", set("#12", "InternalVariableName", "PakdbNewName"), ""},
		{"tagged-name-number-elem", "", set("#9", "CategorySorting[1]", "PakdbNewName_12"), ""},
		{"tagged-native-struct-member", "", set("#0", "SaveGameID", "C54B4FE7-40635554-FBFE369B-95C90D6B"), ""},
		{"tagged-number-prop", "", set("", "MaxCharges", "4"), ""},
		{"tagged-object-new-import-prop", "", set("#0", "SchematicCategory", "/Game/GameElements/Schematics/Categories/SCAT_OC_Balanced.PakdbNewName"), ""},
		{"tagged-property-removed", "", remove("#0", "SaveGameID"), ""},
		{"tagged-str-longer-prop", "", set("#6", "ModName", longer+longer+longer+longer+longer), ""},
		{"tagged-text-prop", "", set("#0", "InGameName", "Ein längerer Text, der es sicher nicht war"), ""},
		{"unversioned-array-add", "", func(p *mods.Package) error { return p.Append("#0", "Nested.Samples", "99.75") }, ""},
		{"unversioned-bool", "", set("#0", "Nested.bEnabled", "false"), "a zero as a bit, or as a byte"},
		{"unversioned-float", "", set("#12", "TimelineLength", "77.25"), ""},
		{"unversioned-int", "", set("#0", "Marker", "4711"), ""},
		{"unversioned-made-zero", ".umap", set("#2", "bAutoSpawnMissingNavData", "false"), ""},
		{"unversioned-name", "", set("#5", "InternalVariableName", "PakdbNewName"), ""},
		{"unversioned-text", "", set("#49", "Text", "anderer Text, länger als davor"), ""},
		{"unversioned-zero-made-value", "", set("#0", "Padding.Right", "99.5"), ""},
	} {
		if c.ext == "" {
			c.ext = ".uasset"
		}
		before, after := all[dir+"/"+c.stem+".before"+c.ext], all[dir+"/"+c.stem+".after"+c.ext]
		p := before.open(t)
		if err := c.edit(p); err != nil {
			t.Errorf("%s: %v", c.stem, err)
			continue
		}
		asset, uexp, err := p.Files(context.Background())
		if err != nil {
			t.Errorf("%s: %v", c.stem, err)
			continue
		}
		same := bytes.Equal(asset, after.asset) && bytes.Equal(uexp, after.uexp)
		if same {
			equal++
		} else if c.other == "" {
			t.Errorf("%s: %d and %d bytes, want %d and %d", c.stem, len(asset), len(uexp), len(after.asset), len(after.uexp))
		}
		q, r := before.after(asset, uexp).open(t), after.open(t)
		for i := range q.Objects() {
			x, err1 := q.Draft(i)
			y, err2 := r.Draft(i)
			if (err1 == nil) != (err2 == nil) {
				t.Errorf("%s: %v, %v", c.stem, err1, err2)
			}
			if err1 == nil && err2 == nil {
				for _, d := range property.Changed(q.Decoder(), x.List(), r.Decoder(), y.List()) {
					t.Errorf("%s: %s is %q, want %q", c.stem, d.Path, d.Old, d.New)
				}
			}
		}
	}
	t.Logf("%d of 20 have the same bytes", equal)
}
